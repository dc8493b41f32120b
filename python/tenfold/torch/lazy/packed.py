"""Weights of programs that only evaluate: compiled in once they stay unchanged, so that matmuls and convolutions find
them packed. A program that was made so checks its weights at each call (python/core/frozen.c)."""

from __future__ import annotations

import os
from typing import Any

import torch

from tenfold.torch.lazy.recording import recorder
from tenfold.torch.weights import FEW, SHARE

_VIEWS = {"t", "transpose", "permute", "detach", "alias"}
_MULTIPLY = {"linear", "addmm", "mm", "matmul"}
_REPEATS = 2  # calls with the same weights before they are compiled in


class _Ref(int):
    """The number of a value among an op's arguments."""


class _Refs:
    def __getitem__(self, number: int) -> _Ref:
        return _Ref(number)


def _refs_in(item: Any) -> list[_Ref]:
    if isinstance(item, list | tuple):
        return [ref for one in item for ref in _refs_in(one)]
    return [item] if isinstance(item, _Ref) else []


def choose(inputs: list[int], specs: list[Any]) -> dict[int, bool]:
    """Places of inputs of the pending graph, which writes to none of them, that are worth compiling in if they are the
    same at each call; True: only if the system tells of writes."""
    place = {ref: i for i, ref in enumerate(inputs)}
    found: dict[int, bool] = {}
    for node in range(recorder.count):
        handler, arguments, made, *_ = recorder.node(node, _Refs())
        used = [place[ref] for ref in _refs_in(arguments) if ref in place]
        if handler is None or not used or not made:
            continue
        if handler.short in _VIEWS:
            place[made[0]] = used[0]
        elif "conv" in handler.short or "batch_norm" in handler.short:
            found |= dict.fromkeys(used, False)
        elif handler.short in _MULTIPLY:
            shape = recorder.spec_of(made[0]).shape
            rows = recorder.spec_of(made[0]).numel // max(shape[-1], 1) if shape else 1
            for i in used:
                many = rows > FEW if specs[i].dtype == torch.float32 else specs[i].dtype == torch.bfloat16
                if many and len(specs[i].shape) == 2:
                    found.setdefault(i, specs[i].dtype == torch.float32)
    room = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") // SHARE
    return found if sum(specs[i].numel * specs[i].dtype.itemsize for i in found) <= room else {}


class Packed:
    """The same program with its weights compiled in, where its calls bring the same ones again and again."""

    def __init__(self, program: Any, options: dict[str, Any], indices: dict[int, bool]) -> None:
        self.program, self.options, self.indices = program, options, indices
        self.made: Any = None
        self.seen = dict.fromkeys(indices, (0, 0))  # the tensor that an input was, and how often it was that one again
        self.wait, self.changes = _REPEATS, 0

    def run(self, inputs: list[Any]) -> list[Any] | None:
        """Its results; None: the program is to be run with its weights as arguments."""
        if self.made is None:
            weights = self.weights(inputs)
            if not weights:
                return None
            self.made = self.program.compile(frozen=weights, passing=self.changes > 0, **self.options)
        results = self.made.run(inputs)
        if results.__class__ is list:
            return results
        self.made = None  # they have changed; each time it takes twice as long until they are compiled in again
        self.changes += 1
        self.wait = _REPEATS << min(self.changes, 20)
        self.seen = dict.fromkeys(self.indices, (0, 0))
        return None

    def weights(self, inputs: list[Any]) -> list[tuple[int, Any, bool]]:
        """Inputs that have been the same for long enough."""
        for i, (tensor, count) in self.seen.items():
            now = id(inputs[i])
            self.seen[i] = (now, count + 1 if now == tensor else 0)
        return [(i, inputs[i], self.indices[i]) for i, (_, count) in self.seen.items() if count >= self.wait]
