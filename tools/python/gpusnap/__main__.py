"""python -m gpusnap run SCRIPT [ARGUMENT…], or run -m MODULE [ARGUMENT…]: the program, with PyTorch recorded."""
import importlib.util
import os
import runpy
import sys

from . import hook

USAGE = 'usage: python -m gpusnap run [--dir DIR] SCRIPT [ARGUMENT…]\n       python -m gpusnap run [--dir DIR] -m MODULE [ARGUMENT…]'


def why_not(program):
    """Why the program cannot be run, as Python says it; None where it can. Imports nothing: a package may import torch, which the
    hook must see."""
    if program[0] == '-m':
        sys.path[0] = os.getcwd()
        return None if importlib.util.find_spec(program[1].partition('.')[0]) else f'No module named {program[1]}'
    try:
        os.close(os.open(program[0], os.O_RDONLY))
        return None
    except OSError as e:
        return f"can't open file {program[0]!r}: {e.strerror}"


def main(argv):
    if argv[:1] in (['--help'], ['-h']):
        print(USAGE)
        return 0
    if argv[:1] != ['run']:
        print(USAGE, file=sys.stderr)
        return 2
    rest = argv[1:]
    if rest[:1] == ['--dir'] and len(rest) > 1:
        os.environ['GPUSNAP_DIR'] = os.path.abspath(rest[1])
        rest = rest[2:]
    if rest[:1] == ['--']:
        rest = rest[1:]
    if not rest or (rest[0] == '-m' and len(rest) < 2) or (rest[0] != '-m' and rest[0].startswith('-')):
        print(USAGE, file=sys.stderr)
        return 2
    wrong = why_not(rest)
    if wrong:
        print(f'gpusnap: run: {wrong}', file=sys.stderr)
        return 2
    hook.install()
    if rest[0] == '-m':
        sys.argv = rest[1:]
        sys.path[0] = os.getcwd()
        runpy.run_module(rest[1], run_name='__main__', alter_sys=True)
    else:
        sys.argv = rest
        sys.path[0] = os.path.dirname(os.path.abspath(rest[0]))
        runpy.run_path(rest[0], run_name='__main__')
    return 0


if __name__ == '__main__':
    sys.exit(main(sys.argv[1:]))
