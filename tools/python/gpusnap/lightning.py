"""gpusnap for Lightning:

    from gpusnap.lightning import GpuMemory
    Trainer(callbacks=[GpuMemory()])

Each training batch is a step; allocations are tagged forward, backward, optimizer, validation, test, predict. An out-of-memory error
leaves a dump."""
from __future__ import annotations

import sys
from typing import Any

from . import phases

if 'pytorch_lightning' in sys.modules:      # its older name; a trainer knows only the callbacks of its own package
    from pytorch_lightning.callbacks import Callback
else:
    try:
        from lightning.pytorch.callbacks import Callback
    except ImportError:
        try:
            from pytorch_lightning.callbacks import Callback
        except ImportError:
            raise ImportError('gpusnap.lightning is a callback for Lightning, and neither lightning nor pytorch_lightning is installed') from None


class GpuMemory(Callback):  # type: ignore[misc]
    """record=False: steps and tags only, of a program that records already or does not want to."""

    def __init__(self, record: bool = True) -> None:
        super().__init__()
        self._phase, self._batches = phases.Phase(), 0
        if record:
            phases.record()

    def on_train_batch_start(self, trainer: Any, pl_module: Any, batch: Any, batch_idx: int) -> None:
        # counted here: global_step stands still while gradients are accumulated
        phases.step(self._batches)
        self._batches += 1
        self._phase.enter('forward')

    def on_before_backward(self, trainer: Any, pl_module: Any, loss: Any) -> None:
        self._phase.enter('backward')

    def on_before_optimizer_step(self, trainer: Any, pl_module: Any, optimizer: Any) -> None:
        self._phase.enter('optimizer')

    def on_validation_start(self, trainer: Any, pl_module: Any) -> None:
        self._phase.enter('validation')

    def on_test_start(self, trainer: Any, pl_module: Any) -> None:
        self._phase.enter('test')

    def on_predict_start(self, trainer: Any, pl_module: Any) -> None:
        self._phase.enter('predict')

    def _ends(self, *_: Any) -> None:
        self._phase.enter(None)

    def on_train_batch_end(self, trainer: Any, pl_module: Any, outputs: Any, batch: Any, batch_idx: int) -> None:
        self._phase.enter(None)

    on_validation_end = on_test_end = on_predict_end = on_train_end = on_exception = _ends
