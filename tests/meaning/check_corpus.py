"""What diagnose says of strangers' snapshots: growth of leaks alone, no fragmentation of cache, no plumbing named, no two lines alike, none too wide.

usage: check_corpus.py GPUSNAP FOLDER...      skips loudly the folders that are missing
"""
import glob, json, os, re, subprocess, sys

WIDTH, LINES = 80, 24
# What these programs, whose sources are known, keep more and more of: the function that the leak is named by. Nothing
# else of all the files may be said to grow.
LEAKS = {
    'faults/leak.pickle': 'take',  # a list of metrics that only grows
    'faults/pinned.pickle': 'take',  # one survivor in each round of a loop
    'meaning/leak-end3-python-26.pickle': 'train_step',  # the logits of each step
}
UNSURE = ('meaning/leak-step', 'meaning/leak-forward')  # two are too few to be sure: either answer is right
PLUMBING = re.compile(r'clone3|unwind|context_run|start_thread|gpusnap_torch|c10::|\bat::|torch::|CUDAPluggable|libc_start')


def run(tool, *arguments):
    env = dict(os.environ, COLUMNS=str(WIDTH), LC_ALL='C.UTF-8')
    done = subprocess.run([tool, *arguments], capture_output=True, text=True, timeout=120, env=env)
    assert done.returncode == 0, 'exit %d: %s' % (done.returncode, done.stderr[:200])
    return done.stdout


def rows(text):
    """Whole rows: what is continued on an indented line is joined to it."""
    whole, group = [], ''
    for line in text.splitlines():
        indent = len(line) - len(line.lstrip())
        if indent in (2, 11) or not whole or not indent:
            group = line[:11].strip() if indent == 2 else group
            whole.append([group, line[11:] if indent == 2 else line.strip()])
        else:
            whole[-1][1] += ' ' + line.strip()
    return [tuple(x) for x in whole if x[1].strip()]


def growth_of(tool, path):
    """Rows; none of a file that is cut before its events."""
    done = subprocess.run([tool, 'query', '-q', '--json', path, 'growth'], capture_output=True, text=True, timeout=120)
    assert not done.returncode or 'before the first event' in done.stderr, done.stderr
    return json.loads(done.stdout)['rows'] if not done.returncode else []


def check_growth(path, text, rows):
    name = '/'.join(path.split('/')[-2:])
    if name.startswith(UNSURE):
        return
    named = {r['user_frame'].split(' (')[0] for r in rows}
    wanted = {LEAKS[name]} if name in LEAKS else set()
    assert named == wanted, 'growth of %s, not of %s' % (named or 'nothing', wanted or 'nothing')
    assert bool(re.search(r'^  grows ', text, re.M)) == bool(wanted), 'diagnose tells otherwise'
    if wanted:
        head, tried = text.split('\n\n')[0], text.split('\nTry\n')[1]
        assert 'memory gr' in head and 'stop keeping what' in head, 'growth is not told first: ' + head
        assert 'stop keeping what' in tried, 'nothing to try against growth'


def check(tool, path):
    text = run(tool, 'diagnose', '-q', path)
    for line in text.splitlines():
        assert len(line) <= WIDTH, 'wide: ' + line
    assert len(text.splitlines()) <= LINES, '%d lines' % len(text.splitlines())
    assert not PLUMBING.search(text), 'plumbing: ' + PLUMBING.search(text)[0]
    check_growth(path, text, growth_of(tool, path))
    said = rows(text)
    assert len(set(said)) == len(said), 'alike: %s' % [x for x in said if said.count(x) > 1][0][1]
    for r in json.loads(run(tool, 'query', '-q', '--json', path, 'fragmentation'))['rows']:
        if r['free'] and r['free'] == r['free_whole']:
            assert not r['fragmentation'], 'cache is called fragmented: %s' % r


def main():
    tool, folders = sys.argv[1], sys.argv[2:]
    passed = failed = skipped = 0
    missing = set(LEAKS)
    for folder in folders:
        files = sorted(f for f in glob.glob(folder + '/**/*', recursive=True)
                       if f.endswith(('.pickle', '.pkl', '.gz', '.zst', '.gsnap')))
        if not files:
            print('SKIPPED: no %s' % folder)
            skipped += 1
        for path in files:
            missing.discard('/'.join(path.split('/')[-2:]))
            try:
                check(tool, path)
                passed += 1
            except AssertionError as e:
                failed += 1
                print('corpus: %s: %s' % (path, e))
    if not skipped:
        assert not missing, 'gone: %s' % missing
    print('corpus: %d passed, %d failed%s' % (passed, failed, ', %d skipped' % skipped if skipped else ''))
    return failed != 0


if __name__ == '__main__':
    sys.exit(main())
