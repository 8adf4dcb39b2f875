"""What the stacks of a backward pass say, held against the tags of truth.py.

usage: compare.py GPUSNAP DUMP      one line; exit 1 where anything differs, with examples"""
import json
import subprocess
import sys

QUERY = """SELECT e.idx, e.size, e.tag, s.text AS stack FROM event e LEFT JOIN stack s ON s.id = e.stack_id
WHERE e.action = 'alloc' AND e.tag IS NOT NULL ORDER BY e.idx"""


def forward_line(lines, node):
    """The innermost frame outside PyTorch behind the node's; '' where there is none, None without the node."""
    if node not in lines:
        return None
    return next((f for f in lines[lines.index(node) + 1:] if '/site-packages/torch/' not in f), '')


def compare(gpusnap, dump):
    """(allocations in backward, those that no line made, what differs)"""
    p = subprocess.run([gpusnap, 'query', dump, '--json', '-n', '0', QUERY], capture_output=True, text=True, check=True)
    rows, sums, wrong = json.loads(p.stdout)['rows'], 0, []
    for row in rows:
        node, line = row['tag'].split('|')
        sums += not line
        said = forward_line((row['stack'] or '').split('\n'), node)
        if said != line:
            wrong.append((row['idx'], row['size'], row['tag'], said, row['stack']))
    return len(rows), sums, wrong


if __name__ == '__main__':
    n, sums, wrong = compare(*sys.argv[1:3])
    print(f'{n} allocations in backward, {sums} of them by no line, {len(wrong)} wrong')
    for one in wrong[:5]:
        print(*one, sep='\n  ')
    sys.exit(bool(wrong))
