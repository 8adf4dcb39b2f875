"""What a dump belongs to: job, rank, host, day. The dump itself knows best; where it does not tell, its path does.

In this order: what the caller gives; the caller's pattern; the dump (time, host, rank); the recorder's file name
(oom-HOST-PID-rRANK-dDEVICE-UTC-NUMBER.gsnap); the path below the folder that was named: a folder job=NAME or day=YYYY-MM-DD, one
that is a date (2026-11-30, 20261130), and else the first that is none of these and no rank's is the job."""
from __future__ import annotations

import datetime
import re
from typing import Any, Callable, Dict, Optional, Union

Context = Dict[str, Any]
FIELDS = ('job', 'rank', 'host', 'day', 'time_us')

_NAME = re.compile(r'oom-(?P<host>.+)-(?P<pid>\d+)-r(?P<rank>\d+|unknown|-)?-?d(?P<device>\d+)-(?P<time>\d{8}T\d{6})Z?-\d+\.gsnap')
_DATE = re.compile(r'(?:day=|date=)?(\d{4})-?(\d{2})-?(\d{2})$')
_KEYED = re.compile(r'(job|host|rank)=(.*)')
_RANK = re.compile(r'(?i)(?:(?:local|global)?_?rank[-_.=]?|r)\d{1,7}$')


def _date(text: str) -> Optional[datetime.date]:
    found = _DATE.match(text)
    if not found:
        return None
    try:
        return datetime.date(*map(int, found.groups()))
    except ValueError:
        return None


def of_name(name: str) -> Context:
    """What the recorder's name of a dump tells."""
    found = _NAME.fullmatch(name)
    if not found:
        return {}
    told: Context = {'host': found['host'], 'pid': int(found['pid'])}
    if (found['rank'] or '').isdigit():
        told['rank'] = int(found['rank'])
    try:
        at = datetime.datetime.strptime(found['time'], '%Y%m%dT%H%M%S').replace(tzinfo=datetime.timezone.utc)
        told['time_us'] = int(at.timestamp()) * 1000000
    except ValueError:
        pass
    return told


def of_path(relative: str) -> Context:
    """What the folders between the one that was named and the file tell."""
    told: Context = {}
    for part in relative.split('/')[:-1]:
        keyed, date = _KEYED.fullmatch(part), _date(part)
        if keyed:
            told.setdefault(keyed[1], keyed[2])
        elif date:
            told.setdefault('day', date)
        elif part and not _RANK.fullmatch(part):
            told.setdefault('job', part)
    if 'rank' in told:
        told['rank'] = int(told['rank']) if str(told['rank']).isdigit() else None
    return told


class Pattern:
    """A path pattern with fields: '{job}/{day}/{host}-{rank}.gsnap', matched against the end of the path. A field takes any characters
    but '/', * does so unnamed, ** takes folders too."""

    def __init__(self, text: str) -> None:
        self.text = text
        pieces = re.split(r'(\{\w+\}|\*\*|\*)', text)
        unknown = [p for p in pieces if p.startswith('{') and p[1:-1] not in FIELDS]
        if unknown:
            raise ValueError(f'a pattern knows {", ".join("{%s}" % f for f in FIELDS)}, not {unknown[0]}')
        self._expression = re.compile('(?:.*/)?' + ''.join(self._piece(p) for p in pieces))

    @staticmethod
    def _piece(piece: str) -> str:
        if piece == '{rank}':
            return r'(?P<rank>\d+)'
        if piece.startswith('{'):
            return f'(?P<{piece[1:-1]}>[^/]+?)'
        return {'*': '[^/]*', '**': '.*'}.get(piece) or re.escape(piece)

    def __call__(self, path: str) -> Context:
        found = self._expression.fullmatch(path)
        return {k: v for k, v in found.groupdict().items() if v is not None} if found else {}


def function_of(text: str) -> Callable[[str], Context]:
    """'FILE.py:NAME' or 'package.module:NAME': a function of the user's from a path to a dict."""
    place, _, name = text.rpartition(':')
    if not place or not name.isidentifier():
        raise ValueError(f'a function is named as FILE.py:NAME or module:NAME, not {text!r}')
    if place.endswith('.py'):
        import runpy
        found = runpy.run_path(place).get(name)
    else:
        import importlib
        found = getattr(importlib.import_module(place), name, None)
    if not callable(found):
        raise ValueError(f'{place} has no function {name}')
    return found


Rule = Union[None, str, Callable[[str], Context]]


def rule_of(rule: Rule) -> Callable[[str], Context]:
    """A user's rule: a pattern, the name of a function, a function, nothing."""
    if rule is None:
        return lambda path: {}
    if callable(rule):
        return rule
    return Pattern(rule) if '{' in rule else function_of(rule)


def settle(given: Context, told: Context) -> Context:
    """One context of what is given and what the dump tells of itself, typed. given may hold `path` and `below` (the path below the
    folder that was named)."""
    path = str(given.get('path') or '')
    sources = [given, told, of_name(path.rsplit('/', 1)[-1]), of_path(str(given.get('below') or ''))]

    def first(key: str) -> Any:
        return next((s[key] for s in sources if s.get(key) not in (None, '')), None)
    time_us = _whole(first('time_us'))
    found: Context = {'job': _text(first('job')) or 'unknown', 'rank': _whole(first('rank')), 'host': _text(first('host')),
                      'pid': _whole(first('pid')), 'time_us': time_us, 'day': _day(given.get('day'))}
    if found['day'] is None and time_us is not None and 0 <= time_us < 253402300800000000:
        found['day'] = datetime.datetime.fromtimestamp(time_us // 1000000, datetime.timezone.utc).date()
    if found['day'] is None:
        found['day'] = _day(first('day'))
    return found


def _text(value: Any) -> Optional[str]:
    return None if value is None else str(value).encode('utf-8', 'replace').decode()


def _whole(value: Any) -> Optional[int]:
    try:
        found = int(value)
    except (TypeError, ValueError):
        return None
    return found if -2**63 <= found < 2**63 else None


def _day(value: Any) -> Optional[datetime.date]:
    if isinstance(value, datetime.datetime):
        return value.date()
    return value if isinstance(value, datetime.date) or value is None else _date(str(value))
