"""The GPUSNAP_* variables that the Python side reads itself. A value that cannot be understood is told in one line, and its default holds."""
import os
import sys

_told = set()


def say(text):
    """One line on stderr, once."""
    if text not in _told:
        _told.add(text)
        try:
            print(f'gpusnap: {text}', file=sys.stderr, flush=True)
        except (OSError, ValueError):       # a closed stderr is no matter
            pass


def number(name, default, least=0):
    text = os.environ.get(name) or ''
    if text.isascii() and text.isdigit() and int(text) >= least:
        return int(text)
    if text:
        say(f'{name}: "{text[:40]}" is not a number from {least}; {default} is used')
    return default


def stacks(default='python'):
    """none, c, python or all."""
    text = os.environ.get('GPUSNAP_STACKS') or default
    if text.lower() in ('none', 'c', 'python', 'all'):
        return text.lower()
    say(f'GPUSNAP_STACKS: "{text[:40]}" is not none, c, python or all; {default} is used')
    return default


def is_set(name):
    return bool(os.environ.get(name))


def disabled():
    return os.environ.get('GPUSNAP_DISABLE', '0') not in ('', '0')
