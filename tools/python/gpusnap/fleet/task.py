"""What a task of an engine does: the same step as on one machine, over its share of the dumps. It writes the Parquet files itself and
answers with what is to be committed; the driver commits. A task that is run twice leaves files that no commit names."""
from __future__ import annotations

import json
from typing import Any, Dict, Iterable, Iterator, List, Optional, Tuple

import pyarrow as pa

from . import guard, local, store

# A row a batch that was written.
ANSWER = pa.schema([('dumps', pa.int64()), ('failed', pa.int64()), ('commit', pa.string())])

# One process a worker of the engine, kept from task to task.
_guards: Dict[Tuple[float, int], guard.Guard] = {}


def work(files: Iterable[Tuple[Dict[str, Any], Optional[bytes]]], out: str, rule: Any, bounds: Tuple[float, int],
         batch: int = local.BATCH) -> Iterator[Dict[str, Any]]:
    """Rows of ANSWER for (file, its bytes or None to read them here)."""
    guarded = _guards.setdefault(bounds, guard.Guard(*bounds))
    fleet, part = store.Fleet(out, read=False), store.Part()
    for file, data in files:
        found = local.step(file, rule, guarded, data)
        if found is None:
            continue
        rows, of, dump = found
        if of['snapshot_id'] in part.ids:
            part.note(of, dump)
        else:
            part.add(rows, of, dump)
        if len(part.dumps) >= batch:
            yield _answer(fleet, part)
            part = store.Part()
    if part.dumps:
        yield _answer(fleet, part)


def _answer(fleet: store.Fleet, part: store.Part) -> Dict[str, Any]:
    failed = sum(d['error'] is not None for d in part.dumps)
    return {'dumps': len(part.dumps), 'failed': failed, 'commit': json.dumps({'added': fleet.write(part), 'dumps': part.dumps})}


def commit(fleet: store.Fleet, answers: Iterable[Dict[str, Any]], result: local.Result) -> None:
    """The driver's part, an answer after the other as they come."""
    for answer in answers:
        told = json.loads(answer['commit'])
        dumps: List[store.Dump] = told['dumps']
        fresh = {d['snapshot_id'] for d in dumps if not d['copy']} - fleet.done
        result['errors'] += [(d['path'], d['error']) for d in dumps if d['error'] is not None and d['snapshot_id'] in fresh]
        result['twice'] += fleet.commit(told['added'], dumps)
        result['new'] += len(fresh)
        result['failed'] = len(result['errors'])
        result['known'] += len(dumps) - len(fresh)
