"""Thousands of dumps as Parquet tables, by what runs already: one machine, Spark, Ray.

    tables = gpusnap.fleet.analyze('rank3.gsnap', {'job': 'pretrain'})    # one dump: Arrow tables by name
    gpusnap.fleet.run('/shared/dumps', '/shared/fleet')                   # all that is new, with all cores
    gpusnap.fleet.spark.run(spark, 's3a://dumps/2026/', 's3a://fleet')    # the same by Spark, by Ray: gpusnap.fleet.ray.run
    gpusnap.fleet.ask('/shared/fleet', 'first failure').to_pandas()       # a question; gpusnap query OUT NAME

It needs pyarrow, and DuckDB for questions: pip install 'gpusnap[fleet]'. docs/fleet.md tells the rest."""
from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from . import ray, spark
    from .context import Pattern
    from .guard import analyze
    from .local import run
    from .questions import ask
    from .store import Fleet

__all__ = ['Fleet', 'Pattern', 'analyze', 'ask', 'ray', 'run', 'spark']

_HOMES = {'main': 'command', 'analyze': 'guard', 'ask': 'questions', 'run': 'local', 'Fleet': 'store', 'Pattern': 'context'}


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        return getattr(importlib.import_module('.' + _HOMES[name], __name__), name)
    if name in ('ray', 'spark'):
        return importlib.import_module('.' + name, __name__)
    raise AttributeError(f'module {__name__!r} has no attribute {name!r}')
