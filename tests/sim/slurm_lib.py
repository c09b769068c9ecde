"""A Slurm cluster of one node on this host, for tests: munged, slurmctld and slurmd."""
import os
import pathlib
import shutil
import signal
import socket
import subprocess
import time

from tap import Skip

CONFIGURATION = """
ClusterName=test
SlurmctldHost=%(host)s(127.0.0.1)
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket=%(folder)s/munge.socket
CredType=cred/munge
SlurmctldPort=%(controller)d
SlurmdPort=%(daemon)d
StateSaveLocation=%(folder)s/state
SlurmdSpoolDir=%(folder)s/spool
SlurmctldPidFile=%(folder)s/slurmctld.pid
SlurmdPidFile=%(folder)s/slurmd.pid
SlurmctldLogFile=%(folder)s/slurmctld.log
SlurmdLogFile=%(folder)s/slurmd.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
MpiDefault=none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SchedulerParameters=batch_sched_delay=0,sched_interval=1
SlurmdParameters=config_overrides
ReturnToService=2
SlurmdTimeout=5
KillWait=1
MinJobAge=%(remembered)d
MailProg=/bin/true
JobCompType=jobcomp/none
NodeName=node NodeHostname=%(host)s NodeAddr=127.0.0.1 CPUs=4 State=UNKNOWN
PartitionName=main Nodes=node Default=YES MaxTime=INFINITE State=UP
PartitionName=short Nodes=node MaxTime=INFINITE State=UP
"""


def free_port():
    with socket.socket() as made:
        made.bind(('127.0.0.1', 0))
        return made.getsockname()[1]


def wait_until(true, seconds=60, step=0.1):
    end = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < end, 'waited %d s' % seconds
        time.sleep(step)


class Cluster:
    """Starts the daemons in a folder. `environment` is for Slurm's commands."""

    def __init__(self, folder, remembered=300):
        self.folder, self.daemons = pathlib.Path(folder), {}
        for name in ('munged', 'slurmctld', 'slurmd', 'sbatch', 'squeue'):
            if not shutil.which(name, path=os.environ['PATH'] + ':/usr/sbin'):
                raise Skip('no Slurm')
        if os.geteuid():
            raise Skip('Slurm needs root')
        self.folder.chmod(0o755)
        for name in ('state', 'spool'):
            (self.folder / name).mkdir()
        (self.folder / 'slurm.conf').write_text(CONFIGURATION % {
            'host': socket.gethostname(), 'folder': self.folder, 'remembered': remembered,
            'controller': free_port(), 'daemon': free_port()}, encoding='utf-8')
        self.environment = dict(os.environ, SLURM_CONF=str(self.folder / 'slurm.conf'))

    def __enter__(self):
        try:
            key = self.folder / 'munge.key'
            key.write_bytes(os.urandom(128))
            key.chmod(0o400)
            self.start('munged', '/usr/sbin/munged', '--foreground', '--force', '--key-file=%s' % key,
                       '--socket=%s/munge.socket' % self.folder, '--pid-file=%s/munge.pid' % self.folder,
                       '--log-file=%s/munge.log' % self.folder, '--seed-file=%s/munge.seed' % self.folder)
            wait_until((self.folder / 'munge.socket').exists)
            self.start('slurmctld', '/usr/sbin/slurmctld', '-D')
            self.start_node()
            wait_until(lambda: 'idle' in self.command('sinfo', '--noheader', '--format=%T'))
        except BaseException:
            self.stop()
            raise
        return self

    def __exit__(self, *_):
        self.stop()

    def start(self, name, *words):
        with open(self.folder / (name + '.out'), 'wb') as out:
            self.daemons[name] = subprocess.Popen(words, env=self.environment, stdout=out, stderr=out,
                                                  stdin=subprocess.DEVNULL, start_new_session=True)

    def start_node(self):
        self.start('slurmd', '/usr/sbin/slurmd', '-D', '-N', 'node')

    def command(self, *words):
        done = subprocess.run(words, env=self.environment, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT)
        return done.stdout.decode()

    def kill_node(self):
        """As if the host were gone: the daemon, its steps, and what they run."""
        self.kill('slurmd')
        for step in self.steps():
            self.kill_group(step)

    def steps(self):
        """The processes of this cluster's steps: the host may be a node of another one, too."""
        found = subprocess.run(['pgrep', '-f', 'slurmstepd: '], stdout=subprocess.PIPE)
        return [int(word) for word in found.stdout.split() if self.is_own(word.decode())]

    def is_own(self, process):
        own = ('SLURM_CONF=' + self.environment['SLURM_CONF']).encode()
        try:
            return own in pathlib.Path('/proc', process, 'environ').read_bytes().split(b'\0')
        except OSError:
            return False

    def kill_group(self, process):
        children = subprocess.run(['pgrep', '-P', str(process)], stdout=subprocess.PIPE)
        for child in children.stdout.split():
            self.kill_group(int(child))
        try:
            os.kill(process, signal.SIGKILL)
        except ProcessLookupError:
            pass

    def kill(self, name):
        daemon = self.daemons.pop(name)
        daemon.kill()
        daemon.wait()

    def stop(self):
        self.command('scancel', '--me') if 'slurmctld' in self.daemons else None
        for step in self.steps():
            self.kill_group(step)
        for name in list(self.daemons):
            self.kill(name)
