"""What is said to grow, against what really was kept: recordings of tests/torch/growth_loops.py.

usage: check_growth.py GPUSNAP FOLDER...

A folder holds NAME.gsnap or NAME.pickle, and truths.json or NAME.truth.json beside each. Where the program keeps more and more,
growth names lines that really did, with four fifths of those bytes at least, and diagnose says so in its first lines and in what
it tells to try; where it does not, or no more, nothing grows.
"""
import glob, json, os, re, subprocess, sys

NAMED = 0.8


def run(tool, *arguments):
    env = dict(os.environ, COLUMNS='80', LC_ALL='C.UTF-8')
    done = subprocess.run([tool, *arguments], capture_output=True, text=True, timeout=120, env=env)
    assert done.returncode == 0, done.stderr
    return done.stdout


def line_of(user_frame):
    name, place = user_frame.rstrip(')').split(' (')
    return '%s:%s' % (name, place.rsplit(':', 1)[1])


def check(tool, path, truth):
    rows = json.loads(run(tool, 'query', '-q', '--json', path, 'growth'))['rows']
    text = run(tool, 'diagnose', '-q', path)
    if not truth['kept'] and not truth['graph']:
        assert not rows, 'growth: %s' % rows[0]['user_frame']
        assert not re.search(r'^  grows ', text, re.M) and 'stop keeping' not in text, 'diagnose tells otherwise'
        return
    assert rows, 'no growth is named'
    wrong = [line_of(r['user_frame']) for r in rows if not truth['graph'] and line_of(r['user_frame']) not in truth['lines']]
    assert not wrong, 'growth of %s' % wrong
    named = sum(r['bytes'] for r in rows)
    assert named >= truth['kept'] * NAMED, '%d of %d bytes are named' % (named, truth['kept'])
    head, _, tried = text.partition('\n\n')
    assert 'memory grows' in head or 'memory grew' in head, head
    assert 'stop keeping what' in head, head
    assert len(text.splitlines()) <= 24, text


def truth_of(path):
    beside = os.path.splitext(path)[0] + '.truth.json'
    if os.path.exists(beside):
        return json.load(open(beside))
    return json.load(open(os.path.join(os.path.dirname(path), 'truths.json')))[os.path.splitext(os.path.basename(path))[0]]


def main():
    tool, passed, failed = sys.argv[1], 0, 0
    for path in sorted(f for folder in sys.argv[2:] for f in glob.glob(folder + '/*') if f.endswith(('.gsnap', '.pickle'))):
        try:
            check(tool, path, truth_of(path))
            passed += 1
        except AssertionError as e:
            failed += 1
            print('growth: %s: %s' % (os.path.basename(path), e))
    print('growth: %d passed, %d failed' % (passed, failed))
    return failed != 0 or not passed


if __name__ == '__main__':
    sys.exit(main())
