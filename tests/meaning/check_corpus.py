"""What diagnose says of strangers' snapshots: no growth, no fragmentation of cache, no plumbing named, no two lines alike, none too wide.

usage: check_corpus.py GPUSNAP FOLDER...      skips loudly the folders that are missing
"""
import glob, json, os, re, subprocess, sys

WIDTH, LINES = 80, 24
LEAKS = ('leak', 'pinned')  # recordings that do keep more and more, made on purpose
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


def check(tool, path):
    text = run(tool, 'diagnose', '-q', path)
    for line in text.splitlines():
        assert len(line) <= WIDTH, 'wide: ' + line
    assert len(text.splitlines()) <= LINES, '%d lines' % len(text.splitlines())
    assert not PLUMBING.search(text), 'plumbing: ' + PLUMBING.search(text)[0]
    if not os.path.basename(path).startswith(LEAKS):
        assert not re.search(r'^  grows ', text, re.M), 'growth'
    said = rows(text)
    assert len(set(said)) == len(said), 'alike: %s' % [x for x in said if said.count(x) > 1][0][1]
    for r in json.loads(run(tool, 'query', '-q', '--json', path, 'fragmentation'))['rows']:
        if r['free'] and r['free'] == r['free_whole']:
            assert not r['fragmentation'], 'cache is called fragmented: %s' % r


def main():
    tool, folders = sys.argv[1], sys.argv[2:]
    passed = failed = skipped = 0
    for folder in folders:
        files = sorted(f for f in glob.glob(folder + '/**/*', recursive=True)
                       if f.endswith(('.pickle', '.pkl', '.gz', '.zst', '.gsnap')))
        if not files:
            print('SKIPPED: no %s' % folder)
            skipped += 1
        for path in files:
            try:
                check(tool, path)
                passed += 1
            except AssertionError as e:
                failed += 1
                print('corpus: %s: %s' % (path, e))
    print('corpus: %d passed, %d failed%s' % (passed, failed, ', %d skipped' % skipped if skipped else ''))
    return failed != 0


if __name__ == '__main__':
    sys.exit(main())
