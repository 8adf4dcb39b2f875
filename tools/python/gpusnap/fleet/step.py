"""One dump in, rows out: in this process and without bounds. analyze() of guard.py puts a process with bounds around it."""
from __future__ import annotations

import ctypes
import functools
import hashlib
import json
import re
from typing import Any, Dict, List, Tuple

from .. import library
from ..snapshots import Snapshot
from . import cause, context, schema

# The same few settings for every dump, so that they can be counted over a fleet.
CONFS = ('', 'expandable_segments:True', 'max_split_size_mb:128', 'garbage_collection_threshold:0.8', 'roundup_power2_divisions:8')
MOST_HOLDERS, MOST_STEPS = 100, 1000
_SQL = {'device': "SELECT device, name, capacity, device_free, allowed FROM device", 'summary': None, 'peak': None, 'oom': None,
        'holders': None, 'categories': None, 'steps': None}


@functools.lru_cache(maxsize=None)
def _named() -> Dict[str, str]:
    """The SQL of the library's named queries."""
    lib, out, n = library.load(), ctypes.c_void_p(), ctypes.c_size_t()
    if lib.gpusnap_queries(out, n):
        raise MemoryError('gpusnap: no memory for the queries')
    try:
        return {q['name']: q['sql'] for q in json.loads(ctypes.string_at(out, n.value))}
    finally:
        lib.gpusnap_analyzer_free(out)


@functools.lru_cache(maxsize=None)
def _question() -> str:
    """The named queries in one statement, so that what several look at is filled once."""
    parts = []
    for name, sql in _SQL.items():
        known = {'device': ['device', 'name', 'capacity', 'device_free', 'allowed'],
                 'summary': ['device', 'segments', 'blocks', 'reserved', 'allocated', 'pending', 'free', 'free_blocks', 'largest_free',
                             'free_whole', 'rounding', 'device_free', 'capacity', 'events', 'ooms'],
                 'peak': ['device', 'idx', 'allocated', 'reserved']}.get(name)
        of = known or [c for c, _, _ in schema.TABLES[name][1] if c != 'place']
        members = ', '.join(f"'{c}', \"{c}\"" for c in of)
        parts.append(f"SELECT '{name}' AS kind, json_object({members}) AS row FROM ({sql or _named()[name]})")
    return '\nUNION ALL '.join(parts)


def _rows(s: Snapshot) -> Dict[str, List[Dict[str, Any]]]:
    found: Dict[str, List[Dict[str, Any]]] = {name: [] for name in _SQL}
    for row in s.query('SELECT * FROM (' + _question() + ')'):
        found[row['kind']].append(json.loads(row['row']))
    found['holders'].sort(key=lambda r: (_known(r['device']), -r['bytes'], r['where'], r['called_by'] or '', r['category']))
    found['steps'].sort(key=lambda r: (_known(r['device']), _known(r['first_idx'])))
    return found


def _known(number: Any) -> int:
    return -1 if number is None else int(number)


def _whatif(s: Snapshot, failed: bool) -> List[Dict[str, Any]]:
    if not failed:
        return []
    try:
        recorded = s.whatif()[0]['conf']
        confs = [recorded] + [c for c in CONFS if c != recorded]
        rows = s.whatif(confs).rows
        least = {r['conf']: r['capacity'] if r['fits'] else None
                 for r in s.whatif([c for c in (recorded, CONFS[1]) if c in confs], minimize=True)}
    except (library.Error, IndexError):     # nothing to replay: a text, a recording without events
        return []
    return [dict(row, recorded=row['conf'] == recorded, least_capacity=least.get(row['conf'])) for row in rows]


def _devices(rows: Dict[str, List[Dict[str, Any]]]) -> List[Dict[str, Any]]:
    summary, peak = ({r['device']: r for r in rows[name]} for name in ('summary', 'peak'))
    found = []
    for device in rows['device']:
        number = device['device']
        row = dict(summary.get(number, {}), **{k: v for k, v in device.items() if v is not None})
        top = peak.get(number, {})
        found.append(dict(row, peak_allocated=top.get('allocated'), peak_reserved=top.get('reserved'), peak_idx=top.get('idx')))
    return found


def _diagnosis(s: Snapshot, rows: Dict[str, List[Dict[str, Any]]]) -> Dict[str, Any]:
    d = s.diagnose()
    oom = next((o for o in rows['oom'] if (o['device'], o['idx']) == (d['device'], d['idx'])), rows['oom'][-1] if rows['oom'] else {})
    asked = cause.where(oom.get('user_frame'))
    top = (d.get('holders') or [{}])[0]
    advice = (d.get('advice') or [{}])[0]
    key, words = cause.signature(d['verdict'], asked, top)
    return dict(d, where=asked, holder=top.get('where'), holder_bytes=top.get('bytes'), category=top.get('category'), signature=key,
                cause=words, advice=advice.get('do'), advice_known=advice.get('known'), time_us=oom.get('time_us'),
                headline=_headline(s))


def _headline(s: Snapshot) -> str:
    """The sentence whole, as Markdown has it: a text is wrapped."""
    line = library.text(s._ask('diagnose', library.options(form='markdown', replay=False))).partition('\n')[0]
    return re.sub(r'\\(.)', r'\1', line.strip('*'))


def _identity(sha256: str, found: context.Context) -> str:
    parts = [sha256, found['job'], '' if found['rank'] is None else str(found['rank']), found['host'] or '']
    return hashlib.sha256('\0'.join(parts).encode()).hexdigest()[:32]


def _rank_of(path: Any) -> Any:
    """The rank that a path tells: the library's rules, asked with a text that it can read."""
    if not path:
        return None
    try:
        with Snapshot(b'CUDA out of memory. Tried to allocate 2.00 GiB', name=str(path)) as s:
            return s.info['rank']
    except (library.Error, ValueError):
        return None


def failed(data_sha256: str, size: int, given: context.Context, reason: str) -> Tuple[schema.Rows, context.Context]:
    """The error row of a dump; the other tables have none."""
    found = context.settle(given, {'rank': _rank_of(given.get('path'))})
    found['snapshot_id'] = _identity(data_sha256, found)
    row = dict(found, path=given.get('path'), error=reason, size=size, sha256=data_sha256)
    return schema.rows_of({'snapshot': [row]}), found


def analyze(data: bytes, given: context.Context) -> Tuple[schema.Rows, context.Context]:
    """Rows and context of a dump; library.Error where it cannot be read."""
    sha256, path = hashlib.sha256(data).hexdigest(), given.get('path')
    with Snapshot(data, name=str(path) if path else None) as s:
        info, rows = s.info, _rows(s)
        if info['kind'] == 'text' and not rows['oom']:
            raise library.Error(None, 'a text without an out-of-memory')
        verdict = _diagnosis(s, rows)
        whatif = _whatif(s, verdict['verdict'] is not None)
    time_us = verdict['time_us'] if verdict['time_us'] is not None else info['time_us']
    found = context.settle(given, dict(info, time_us=time_us))
    found['snapshot_id'] = _identity(sha256, found)
    key = {'snapshot_id': found['snapshot_id'], 'rank': found['rank']}
    devices = _devices(rows)
    rows.update(
        snapshot=[dict(info, **dict(found, path=path, size=len(data), sha256=sha256, error=None, devices=len(devices)))],
        device=devices, diagnosis=[dict(verdict, host=found['host'])], ladder=verdict['ladder'], whatif=whatif,
        holders=[dict(r, place=cause.place(r['where'])) for r in rows['holders'][:MOST_HOLDERS]], steps=rows['steps'][-MOST_STEPS:])
    for row in rows['snapshot']:
        row['ooms'] = len(rows['oom'])
    return schema.rows_of({name: [dict(row, **key) for row in of] for name, of in rows.items()}), found
