"""Dumps by Ray: `map_batches` runs the same step as one machine does, over lists of paths; each task reads its own dumps.

    gpusnap.fleet.ray.run('s3://dumps/2026/', '/shared/fleet')

Workers need the packages gpusnap and pyarrow, and read dumps and write to OUT through pyarrow.fs: a folder that all of them see, or
s3://, gs://, hdfs://."""
from __future__ import annotations

import time
from typing import Any, Dict, Optional, Sequence, Union

from . import context, guard, local, source, store, task


def run(dumps: Union[str, Sequence[str]], out: str, *, rule: context.Rule = None, seconds: float = guard.SECONDS,
        memory: int = guard.MEMORY, batch: int = local.BATCH, compact: bool = True, concurrency: Optional[int] = None) -> local.Result:
    """gpusnap.fleet.run by Ray Data: the same rows in the same folder. concurrency: tasks at once, what the cluster has by default."""
    import ray
    began, paths = time.monotonic(), [dumps] if isinstance(dumps, str) else list(dumps)
    fleet = store.Fleet(out, create=True)
    fleet.recover()
    result = local.Result(dumps=0, new=0, failed=0, known=0, twice=0, seconds=0.0, errors=[])
    new = []
    for file in source.files(paths):
        result['dumps'] += 1
        if fleet.seen.get(file['path']) == (file['size'], file['mtime_ms']):
            result['known'] += 1
        else:
            new.append(file)
    if new:
        if not ray.is_initialized():
            ray.init()
        cpus = max(int(ray.cluster_resources().get('CPU', 1)), 1)
        share = max(min(batch, -(-len(new) // cpus)), 1)
        answers = ray.data.from_items(new, override_num_blocks=-(-len(new) // share)).map_batches(
            _work, batch_size=None, batch_format='pandas', concurrency=concurrency,
            fn_kwargs={'out': out, 'rule': context.rule_of(rule), 'bounds': (seconds, memory), 'batch': batch})
        task.commit(fleet, answers.iter_rows(), result)
    if compact:
        fleet.compact(local.MOST_FILES)
    result['seconds'] = time.monotonic() - began
    return result


def _work(rows: Any, out: str, rule: Any, bounds: Any, batch: int) -> Any:
    import pandas
    files: Any = ((_file(row), None) for row in rows.to_dict('records'))
    return pandas.DataFrame(list(task.work(files, out, rule, bounds, batch)), columns=task.ANSWER.names)


def _file(row: Dict[str, Any]) -> source.File:
    return {'path': str(row['path']), 'below': str(row['below']), 'size': int(row['size']), 'mtime_ms': int(row['mtime_ms'])}
