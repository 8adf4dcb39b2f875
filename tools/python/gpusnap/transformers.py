"""gpusnap for the Hugging Face Trainer:

    from gpusnap.transformers import GpuMemory
    Trainer(…, callbacks=[GpuMemory()])

Each step of the trainer is a step; allocations are tagged train, optimizer, evaluation. An out-of-memory error leaves a dump."""
from __future__ import annotations

from typing import Any

from transformers import TrainerCallback

from . import phases


class GpuMemory(TrainerCallback):  # type: ignore[misc]
    """record=False: steps and tags only, of a program that records already or does not want to."""

    def __init__(self, record: bool = True) -> None:
        self._phase = phases.Phase()
        if record:
            phases.record()

    def on_step_begin(self, args: Any, state: Any, control: Any, **_: Any) -> None:
        phases.step(state.global_step)
        self._phase.enter('train')

    def on_pre_optimizer_step(self, args: Any, state: Any, control: Any, **_: Any) -> None:
        self._phase.enter('optimizer')

    def on_optimizer_step(self, args: Any, state: Any, control: Any, **_: Any) -> None:
        self._phase.enter('train')

    def on_prediction_step(self, args: Any, state: Any, control: Any, **_: Any) -> None:
        self._phase.enter('evaluation')     # told after the first batch of an evaluation, nothing comes before

    def _ends(self, args: Any, state: Any, control: Any, **_: Any) -> None:
        self._phase.enter(None)

    on_step_end = on_evaluate = on_predict = on_train_end = _ends
