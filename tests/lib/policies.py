"""The policies of a machine, asked of ptxoffload-sim."""
import re
import subprocess


def policies_of(simulator, machine='isca19', baseline=True):
    """The values of --policy that the machine may have."""
    text = subprocess.run([simulator, '--help'], check=True, stdout=subprocess.PIPE).stdout.decode()
    names = re.sub(r'\s', '', re.search(r'--policy=((?:[\w-]+\|\s*)+[\w-]+)', text).group(1)).split('|')
    return [name for name in names if (baseline or name != 'baseline') and not subprocess.run(
        [simulator, '--config=' + machine, '--policy=' + name, '--print-config'],
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode]
