#!/usr/bin/env python3
"""Measures a GPU, if there is one, and compares it with a machine, which runs the same programs.

usage: run.py BUILD-ROOT [--config=NAME|FILE] [--quick]

Builds latency.cu and bandwidth.cu with nvcc, runs them on the GPU, and on the machine with ptxoffload-run at a smaller size. Without a GPU, the
machine's numbers stand alone. --quick: latencies only.
"""
import argparse
import pathlib
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
# Arguments on the GPU and on the machine.
PROGRAMS = {'latency': (['1024'], ['32']), 'bandwidth': (['2048', '1024'], ['32', '4'])}


def find_nvcc():
    return next((found for found in map(shutil.which, ('nvcc', '/usr/local/cuda/bin/nvcc')) if found), None)


def gpu_name():
    """The name of the first GPU and None, or None and the reason"""
    if not shutil.which('nvidia-smi'):
        return None, 'there is no nvidia-smi'
    done = subprocess.run(['nvidia-smi', '--query-gpu=name', '--format=csv,noheader'], capture_output=True, text=True, check=False)
    if done.returncode or not done.stdout.strip():
        return None, 'nvidia-smi lists none'
    return done.stdout.splitlines()[0].strip(), None


def read_values(text):
    """{quantity: value} of lines "QUANTITY VALUE"."""
    return {line.rsplit(' ', 1)[0]: float(line.rsplit(' ', 1)[1]) for line in text.splitlines() if ' ' in line}


def compare(machine, gpu):
    """Lines of a table; `gpu` may be empty."""
    yield '%-16s %10s %10s %8s' % ('', 'machine', 'GPU', 'apart')
    for name, value in machine.items():
        if name in gpu and gpu[name]:
            yield '%-16s %10.1f %10.1f %+7.1f %%' % (name, value, gpu[name], 100 * (value / gpu[name] - 1))
        else:
            yield '%-16s %10.1f %10s' % (name, value, '-')


def main():
    parser = argparse.ArgumentParser(usage=__doc__.split('usage: ')[1].split('\n\n')[0])
    parser.add_argument('build', type=pathlib.Path)
    parser.add_argument('--config', default='v100')
    parser.add_argument('--quick', action='store_true')
    options = parser.parse_args()
    nvcc = find_nvcc()
    if not nvcc:
        sys.exit('run.py: there is no nvcc; install the CUDA toolkit or add it to PATH')
    gpu, reason = gpu_name()
    print('GPU: ' + gpu if gpu else 'There is no GPU (%s): only the machine is measured.' % reason)
    machine, measured = {}, {}
    with tempfile.TemporaryDirectory() as folder:
        for name, (large, small) in list(PROGRAMS.items())[:1 if options.quick else 2]:
            program = pathlib.Path(folder) / name
            subprocess.run([nvcc, '-O3', '-cudart', 'shared', '-arch=%s' % ('native' if gpu else 'sm_75'), '-o', program,
                            HERE / (name + '.cu')], check=True)
            if gpu:
                measured.update(read_values(subprocess.run([program, *large], check=True, capture_output=True, text=True).stdout))
            simulated = subprocess.run([options.build / 'cli' / 'ptxoffload-run', '-q', '-w', '--config=' + options.config, '--',
                                        program, *small], check=True, capture_output=True, text=True)
            machine.update(read_values(simulated.stdout))
    print('machine: %s; cycles, and GB/s of bandwidths' % options.config)
    print('\n'.join(compare(machine, measured)))


if __name__ == '__main__':
    main()
