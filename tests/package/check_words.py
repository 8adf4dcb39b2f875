#!/usr/bin/env python3
"""Manual and completion against the program: what they name is there, and nothing that is there is missing.
usage: check_words.py BUILD. Ends with `words: N passed, N failed, N skipped`."""
import os
import re
import shutil
import subprocess
import sys

build = os.path.abspath(sys.argv[1])
root = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
gpusnap = build + '/gpusnap'
share = build + '/share/'
data = root + '/tests/data/faults/pinned.pickle'
counts = {'passed': 0, 'failed': 0, 'skipped': 0}


def run(*command, **more):
    return subprocess.run(command, capture_output=True, text=True, timeout=60, **more)


def expect(what, got, wanted):
    counts['passed' if got == wanted else 'failed'] += 1
    if got != wanted:
        extra = f'\n  too many {sorted(got - wanted)}\n  missing {sorted(wanted - got)}' if isinstance(got, set) else f'\n  {got!r}\n  is not {wanted!r}'
        print(f'words: failed: {what}{extra}')


def skip(what):
    counts['skipped'] += 1
    print(f'words: SKIPPED: {what}')


# --- what the program says of itself ---------------------------------------------------------------------------------------
commands = set(re.findall(r'^  ([a-z]+) ', run(gpusnap, 'help').stdout, re.M))
topics = set(re.search(r'other topics: ([a-z ]+)\.', run(gpusnap, 'help').stdout)[1].split())
queries = {line.split('\t')[0].replace(' ', '-') for line in run(gpusnap, 'query', '--list', '--format', 'tsv').stdout.splitlines()[1:]}
options = {}        # command: {--name: the value's name or ''}
letters = {}
for c in commands - {'help'}:
    text = run(gpusnap, 'help', c).stdout
    options[c] = dict(re.findall(r'^  (?:-[a-zA-Z], |    )--([a-z0-9-]+)(?: ([^\s ]+))?', text, re.M))
    letters[c] = set(re.findall(r'^  -([a-zA-Z]), ', text, re.M))
    assert 'help' in options[c], text
expect('the program has commands, queries and options', len(commands) > 10 and len(queries) > 15 and len(options['diagnose']) > 10, True)

# --- the manual ---------------------------------------------------------------------------------------------------------------
pages = set(os.listdir(share + 'man/man1'))
expect('a page of the manual for each command', pages, {'gpusnap.1'} | {f'gpusnap-{c}.1' for c in commands})
for c in commands:
    text = open(f'{share}man/man1/gpusnap-{c}.1').read()
    prose = re.search(r'^\.Sh DESCRIPTION\n(.*?)^\.Sh', text, re.S | re.M)
    expect(f'gpusnap-{c}.1 says what the command does (tools/man/{c}.mdoc)', bool(prose) and len(prose[1]) > 150, True)
    expect(f'gpusnap-{c}.1 has an example of it', c == 'mcp' or bool(re.search(rf'^\.Sh EXAMPLES\n(.*\n)*.*gpusnap {c}\b', text, re.M)), True)
for name in os.listdir(root + '/tools/man'):
    expect(f'tools/man/{name} is about a command that there is', name.split('.')[0] in commands, True)
# Exit statuses beyond the common ones, as the program's own help and its sources have them.
for c, statuses in (('diagnose', '10 11 12 13 14'), ('assert', '20'), ('run', '126 127 128')):
    text = re.search(r'^\.Sh EXIT STATUS\n(.*?)^\.Sh', open(f'{share}man/man1/gpusnap-{c}.1').read(), re.S | re.M)[1]
    expect(f'gpusnap-{c}.1 tells its exit statuses', set(statuses.split()) <= set(re.findall(r'\d+', text)), True)
for c in options:
    text = open(f'{share}man/man1/gpusnap-{c}.1').read()
    rows = re.findall(r'^\.It (Fl .*)', text, re.M)
    expect(f'options of gpusnap-{c}.1', set(re.findall(r'Fl \\-([a-z0-9-]+)', '\n'.join(rows))), set(options[c]))
    expect(f'short options of gpusnap-{c}.1', set(re.findall(r'Fl ([a-zA-Z])\b', '\n'.join(rows))), letters[c])
main = open(share + 'man/man1/gpusnap.1').read()
listed = re.search(r'^The commands are:(.*?)^\.El', main, re.S | re.M)[1]
expect('commands of gpusnap.1', set(re.findall(r'^\.It Cm ([a-z]+)', listed, re.M)), commands)
everything = {o for c in options for o in options[c]}
expect('gpusnap.1 names no option that is not there', set(re.findall(r'Fl -([a-z][a-z-]+)', main)) - everything - {'version', 'help'}, set())
for c, o in re.findall(r'^\.Nm Cm ([a-z]+) Fl -([a-z-]+)', main, re.M):
    expect(f'gpusnap.1: {c} --{o} is there', c in options and o in options[c], True)
for p in sorted(pages):
    for line in re.findall(r'^gpusnap .*', open(share + 'man/man1/' + p).read(), re.M):
        words = line.split()
        c, rest = words[1], words[2:]
        if c == 'run':    # what stands behind the program's name is its own
            rest = rest[:next((i for i, w in enumerate(rest) if not w.startswith('-') and (not i or rest[i - 1] not in ('--dir', '--stacks'))), 0)]
        named = {w[2:].split('=')[0] for w in rest if w.startswith('--')}
        expect(f'{p}: the example `{line}` names what is there', c in commands and named <= set(options.get(c, ())), True)
release = re.search(r'GS_RELEASE "(.*)"', open(root + '/schema/version.h').read())[1]
expect('the release of the pages', {re.search(r'^\.Os gpusnap (.*)', open(f'{share}man/man1/{p}').read(), re.M)[1] for p in pages}, {release})
if shutil.which('mandoc'):
    lint = run('mandoc', '-Tlint', '-Wwarning', *(f'{share}man/man1/{p}' for p in sorted(pages)))
    expect('mandoc finds nothing to warn of', lint.stdout, '')
else:
    skip('mandoc is not here')

# --- bash: the script is asked as the shell asks it -----------------------------------------------------------------------
ASK = '''source "$1"; shift
COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); COMP_LINE="$*"; COMP_POINT=${#COMP_LINE}; _gpusnap; printf '%s\\n' "${COMPREPLY[@]}"'''


def by_bash(*words):
    p = run('bash', '-c', ASK, 'ask', share + 'bash-completion/completions/gpusnap', *words, cwd=share)
    assert not p.stderr, p.stderr
    return set(p.stdout.split('\n')) - {''}


def by_fish(*words):
    line = ' '.join(words)
    p = run('fish', '--no-config', '-c', f'source {share}fish/vendor_completions.d/gpusnap.fish; complete -C "{line}"', cwd=share, env={**os.environ, 'HOME': '/nonexistent'})
    return {re.sub(r'\t.*', '', w) for w in p.stdout.split('\n')} - {''}


# The words of an option's value, and how the program is asked whether it takes one.
VALUES = [('query', 'format', {'table', 'tsv', 'csv', 'json', 'jsonl', 'markdown'}), ('query', 'by', {'stack', 'function', 'file', 'module'}),
          ('query', 'state', {'captured', 'oom', 'peak', 'peak reserved'}), ('run', 'stacks', {'none', 'c', 'python', 'all'}),
          ('map', 'color', {'holder', 'state', 'tag', 'stream', 'age', 'size'})]
KINDS = {'fragmentation', 'shortage', 'outside', 'limit', 'defect', 'unknown'}
files = {'bash-completion', 'fish', 'man', 'zsh'}
for shell, ask in (('bash', by_bash), ('fish', by_fish)):
    if not shutil.which(shell):
        skip(f'{shell} is not here')
        continue
    plain = lambda words: {w.replace('\\ ', ' ').rstrip('/') for w in words}
    expect(f'{shell}: the commands', {w for w in ask('gpusnap', '') if w[0] != '-'}, commands)
    expect(f'{shell}: a beginning', ask('gpusnap', 'dia'), {'diagnose'})
    for c in options:
        expect(f'{shell}: options of {c}', {w for w in ask('gpusnap', c, '--') if w.startswith('--')}, {'--' + o for o in options[c]})
    expect(f'{shell}: the named queries and the files', plain(ask('gpusnap', 'query', '')), queries | files)
    expect(f'{shell}: a query by its beginning', ask('gpusnap', 'query', 'largest'), {'largest-free-block'})
    expect(f'{shell}: files of a command', plain(ask('gpusnap', 'verify', '')), files)
    expect(f'{shell}: a file after -o', plain(ask('gpusnap', 'map', '-o', 'm')), {'man'})
    expect(f'{shell}: topics of help', plain(ask('gpusnap', 'help', '')), commands | topics)
    for c, o, some in VALUES:
        got = plain(ask('gpusnap', c, '--' + o, ''))
        expect(f'{shell}: {c} --{o} offers the usual words', some <= got, True)
        for word in got if shell == 'bash' else ():
            tail = {'query': [data, 'top stacks'], 'run': ['true'], 'map': [data, '-o', '/dev/null']}[c]
            status = run(gpusnap, c, f'--{o}', word, *tail).returncode
            expect(f'the program takes {c} --{o} "{word}"', status == 2, False)
    kinds = plain(ask('gpusnap', 'diagnose', '--fail-on', ''))
    expect(f'{shell}: kinds after --fail-on', KINDS <= kinds, True)
    expect(f'the program takes all kinds that {shell} offers', run(gpusnap, 'diagnose', data, '--fail-on', ','.join(sorted(k.rstrip(',') for k in kinds))).returncode in (0, 10), True)
    if shell == 'bash':
        expect('bash: a second kind', by_bash('gpusnap', 'diagnose', '--fail-on', 'limit,sh'), {'limit,shortage'})

if shutil.which('zsh'):
    text = open(share + 'zsh/site-functions/_gpusnap').read()
    expect('zsh: the script is one', run('zsh', '-n', share + 'zsh/site-functions/_gpusnap').stderr, '')
    expect('zsh: the commands', set(re.findall(r"^\t\t\t'([a-z]+):", text.split('_describe command')[0], re.M)), commands)
    for c in options:
        part = re.search(rf'^\t{c}\)\n(.*?)^\t\t;;', text, re.S | re.M)[1]
        expect(f'zsh: options of {c}', set(re.findall(r'--([a-z0-9-]+)=?\[', part)), set(options[c]))
    part = re.search(r'^\tquery\)\n(.*?)^\t\t\)', text, re.S | re.M)[1]
    expect('zsh: the named queries', set(re.findall(r"^\t\t\t'([a-z-]+):", part, re.M)), queries)
else:
    skip('zsh is not here')
print('words: ' + ', '.join(f'{n} {word}' for word, n in counts.items()))
sys.exit(counts['failed'] > 0)
