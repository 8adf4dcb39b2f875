"""What the callbacks of trainers share: the tag of the phase that the training is in."""
from __future__ import annotations

import contextlib
from typing import Any, Optional

from . import marking


class Phase:
    """One tag at a time: enter() ends the phase before. A thread's: the autograd engine's threads do not carry it."""

    def __init__(self) -> None:
        self._name: Optional[str] = None
        self._tags = contextlib.ExitStack()

    def enter(self, name: Optional[str]) -> None:
        """None: no phase."""
        if name != self._name:
            self._tags.close()
            self._name = name
            if name is not None:
                self._tags.enter_context(marking.tag(name))


def record() -> None:
    """attach(), unless the recording pool has taken the allocator's place."""
    from . import torch, torch_use
    if not torch_use.in_use():
        torch.attach()


def step(number: Any) -> None:
    marking.step(int(number))
