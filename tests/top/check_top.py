#!/usr/bin/env python3
"""gpusnap top on a terminal of 80 and of 200 columns, resized while it runs, and piped. The terminal is tmux's: what it shows is looked at.
usage: check_top.py BUILD. Ends with `top: N passed, N failed, N skipped`."""
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time

build = os.path.abspath(sys.argv[1])
gpusnap, live = build + '/gpusnap', build + '/top/live'
results = {'passed': 0, 'failed': 0, 'skipped': 0}
SIZE = r'\d+(\.\d+)? (B|KiB|MiB|GiB)'
PATIENCE = 120      # seconds that something may take on a machine that does much else


def case(f):
    try:
        f()
        results['passed'] += 1
    except Exception as e:
        results['failed'] += 1
        print(f'top: FAILED {f.__name__}: {type(e).__name__}: {e}')


class Run:
    """The program that records; what it writes is at .stream."""

    def __enter__(self):
        self.stream = tempfile.mkdtemp() + '/run.gsnap'
        self.process = subprocess.Popen([live, self.stream], stdin=subprocess.PIPE)
        return self

    def end(self):
        if self.process.poll() is None:
            self.process.stdin.close()
            self.process.wait(timeout=PATIENCE)

    def __exit__(self, *_):
        self.end()


class Terminal:
    """A tmux server of its own, with one window."""

    def __init__(self, columns, lines, script, **env):
        self.socket = tempfile.mkdtemp() + '/tmux'
        with open(self.socket + '.sh', 'w') as f:
            f.write(script)
        words = [f'{k}={v}' for k, v in env.items()]
        self.tmux('new-session', '-d', '-x', str(columns), '-y', str(lines), 'env', *words, 'sh', f.name, config=True)

    def tmux(self, *words, config=False):
        return subprocess.run(['tmux', '-S', self.socket, *(['-f', '/dev/null'] if config else []), *words], capture_output=True, text=True,
                              check=True, timeout=PATIENCE).stdout

    def screen(self):
        return self.tmux('capture-pane', '-p').split('\n')[:-1]

    def until(self, wanted):
        """The screen, once it is as wanted."""
        last, end = [], time.monotonic() + PATIENCE
        while time.monotonic() < end:
            last = self.screen()
            if wanted(last):
                return last
            time.sleep(0.1)
        raise AssertionError('the screen does not become as it should be:\n' + '\n'.join(last))

    def __enter__(self):
        return self

    def __exit__(self, *_):
        subprocess.run(['tmux', '-S', self.socket, 'kill-server'], capture_output=True)


def table(screen):
    """The holders' rows, by the columns of their head."""
    at = next(i for i, line in enumerate(screen) if line.lstrip().startswith('BYTES'))
    head, rows = screen[at], []
    for line in screen[at + 1:]:
        if not re.match(rf'\s*{SIZE}\s', line):
            break
        rows.append(line)
    return head, rows


def is_whole(width):
    """Whether the screen shows the run, laid out for that width."""
    def looks(screen):
        return (len(screen[0]) == width and len([line for line in screen if 'live.c:' in line]) >= 3 and re.search('step [1-9]', screen[0])
                and 'q quits' in screen)
    return looks


def check_layout(screen, width):
    text = '\n'.join(screen)
    assert all(len(line) <= width for line in screen), text
    assert re.match(r'gpusnap top  run\.gsnap  pid \d+  step \d+ .* \d\d:\d\d:\d\d$', screen[0]), text
    assert re.search(rf'^  allocated {SIZE}   reserved {SIZE}   capacity 8\.00 GiB   peak {SIZE}$', text, re.M), text
    assert re.search(rf'^  largest hole {SIZE} of {SIZE} cached   [\d,]+ allocations/s, {SIZE}/s$', text, re.M), text
    assert re.search(rf'^  \S+  last \d+ s, to {SIZE}$', text, re.M), text
    head, rows = table(screen)
    bytes_end, blocks_end, holder = head.index('BYTES') + 5, head.index('BLOCKS') + 6, head.index('HOLDER')
    for row in rows:
        assert re.fullmatch(rf'\s*{SIZE}', row[:bytes_end]), (row, text)
        assert re.fullmatch(r'\s*\d+', row[bytes_end:blocks_end]), (row, text)
        assert row[holder - 1] == ' ' and row[holder:].startswith('live.c:'), (row, text)
    assert len({row[holder:] for row in rows}) == len(rows) >= 3, text      # no two alike
    return [row[holder:] for row in rows]


SCRIPT = '''before=$(stty -g)
trap : INT
echo before
{gpusnap} top {stream}
echo left with $?
[ "$(stty -g)" = "$before" ] && echo the same settings
sleep 1000
'''


def terminal_of(run, columns, lines=24, locale='C.UTF-8'):
    return Terminal(columns, lines, SCRIPT.format(gpusnap=gpusnap, stream=run.stream), LC_ALL=locale)


@case
def eighty_columns_name_each_holder_and_its_caller():
    with Run() as run, terminal_of(run, 80) as terminal:
        holders = check_layout(terminal.until(is_whole(80)), 80)
        assert any(re.fullmatch(r'live\.c:\d+ keep_activa\S+ ← live\.c:\d+( \w+)?', h) for h in holders), holders
        assert any(h.startswith('live.c:') and 'load_the_param' in h for h in holders), holders


@case
def two_hundred_columns_show_names_in_full():
    with Run() as run, terminal_of(run, 200, 50) as terminal:
        holders = check_layout(terminal.until(is_whole(200)), 200)
        assert any(re.fullmatch(r'live\.c:\d+ load_the_parameters_of_a_model_whose_name_is_long ← live\.c:\d+ main', h) for h in holders), holders
        assert '…' not in '\n'.join(holders), holders


@case
def another_size_is_drawn_anew_while_it_runs():
    with Run() as run, terminal_of(run, 80) as terminal:
        terminal.until(is_whole(80))
        for columns, lines in ((200, 40), (100, 30), (80, 24)):
            terminal.tmux('resize-window', '-x', str(columns), '-y', str(lines))
            check_layout(terminal.until(is_whole(columns)), columns)
        terminal.tmux('resize-window', '-x', '40', '-y', '10')      # too small for all of it: cut, never wrapped
        screen = terminal.until(lambda s: len(s) == 10 and s[0].startswith('gpusnap top') and s[-1] == 'q quits')
        assert all(len(line) <= 40 for line in screen), screen
        assert re.match(rf'  allocated {SIZE}   reserved {SIZE}', next(s for s in screen if 'allocated' in s)), screen


def is_left(status):
    return lambda screen: screen[0] == 'before' and f'left with {status}' in screen and 'the same settings' in screen


@case
def q_quits_and_leaves_the_terminal_as_it_was():
    with Run() as run, terminal_of(run, 80) as terminal:
        terminal.until(is_whole(80))
        assert terminal.tmux('display-message', '-p', '#{cursor_flag} #{alternate_on}').split() == ['0', '1']
        terminal.tmux('send-keys', 'x')     # means nothing
        terminal.tmux('send-keys', 'q')
        terminal.until(is_left(0))
        assert terminal.tmux('display-message', '-p', '#{cursor_flag} #{alternate_on}').split() == ['1', '0']


@case
def control_c_leaves_the_terminal_as_it_was():
    with Run() as run, terminal_of(run, 80) as terminal:
        terminal.until(is_whole(80))
        terminal.tmux('send-keys', 'C-c')
        screen = terminal.until(lambda s: s[0] == 'before' and 'the same settings' in s)
        assert any(line.startswith('left with ') for line in screen), screen
        assert terminal.tmux('display-message', '-p', '#{cursor_flag} #{alternate_on}').split() == ['1', '0']


@case
def the_end_of_the_run_is_said():
    with Run() as run, terminal_of(run, 80) as terminal:
        terminal.until(is_whole(80))
        run.end()
        screen = terminal.until(lambda s: 'the run has ended; q quits' in s)
        assert '(ended)' in screen[0], screen


@case
def plain_characters_where_the_locale_has_no_others():
    with Run() as run, terminal_of(run, 80, locale='C') as terminal:
        screen = terminal.until(is_whole(80))
        assert '\n'.join(screen).isascii(), screen
        check_layout(screen, 80)


@case
def a_pipe_gets_one_plain_line_at_a_time():
    with Run() as run:
        time_to_begin = time.monotonic() + PATIENCE
        while not os.path.exists(run.stream) and time.monotonic() < time_to_begin:
            time.sleep(0.05)
        with subprocess.Popen([gpusnap, 'top', run.stream], stdout=subprocess.PIPE, text=True) as top:
            lines = [top.stdout.readline() for _ in range(4)]
            run.end()
            lines += list(top.stdout)       # it ends by itself
        assert top.returncode == 0, top.returncode
    told = rf'\d\d:\d\d:\d\d  device 0  allocated {SIZE}  reserved {SIZE}  capacity 8\.00 GiB  hole {SIZE}  \d+ allocations/s(  step \d+)?(  top .* {SIZE})?(  ended)?\n'
    assert all(re.fullmatch(told, line) for line in lines[1:]), lines      # the first may come before the first allocation
    assert lines[-1].endswith('  ended\n') and '\x1b' not in ''.join(lines), lines


@case
def count_ends_it():
    with Run() as run:
        run.end()
        p = subprocess.run([gpusnap, 'top', run.stream, '--count', '1'], capture_output=True, text=True, timeout=PATIENCE)
        assert p.returncode == 0 and p.stdout.count('\n') == 1 and not p.stderr, (p.stdout, p.stderr)


print(f"top: {results['passed']} passed, {results['failed']} failed, {results['skipped']} skipped")
sys.exit(results['failed'] > 0)
