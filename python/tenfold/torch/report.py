"""How graphs are compiled, and what became of them: shown by tenfold.stats() and tenfold.explain()."""

from __future__ import annotations

import contextlib
import json
import os
import sys
import threading
import warnings
from collections import Counter
from dataclasses import dataclass, field
from typing import Any

import torch
from torch import fx

from tenfold import _core, names
from tenfold.forks import across_forks
from tenfold.paths import PACKAGE

fallbacks: Counter[str] = Counter()
fallback_lines: Counter[str] = Counter()
records: list[Record] = []
lock = across_forks(threading.Lock())
_warned: set[str] = set()
_LIBRARIES = ("<", os.path.dirname(torch.__file__), str(PACKAGE))


@dataclass
class Options:
    """How graphs are compiled: torch.compile(…, options={…}), or tenfold.enable(…).

    opt_level: 0 is the reference interpreter; 1 compiles without anything that changes the order of sums; 2 does
    everything but Winograd convolutions; 3 everything. precision: "f32"; "exact", no Winograd; "bf16", inputs of matrix
    products are rounded; "tf32" (on CUDA tensors), their mantissas are cut to 10 bits. freeze: which weights of
    inference graphs are constants while unchanged: None, those of convolutions, batch norms and bf16 matmuls, all bytes
    of which are compared at each call; True, all, of which large ones are compared by samples; False, none. checks:
    what eager mode raises while it runs (an index out of range, a singular matrix) is raised; False: nothing is looked
    for, and such programs give numbers. fused_optimizer:
    Adam, AdamW and SGD update what a training graph reads by PyTorch's fused kernels, unless they were made with
    `fused` or `foreach`.
    """

    device: str = "cpu"
    strict: bool = False
    opt_level: int = 3
    precision: str = "f32"
    freeze: bool | None = None
    checks: bool = True
    fused_optimizer: bool = True

    def check(self) -> Options:
        names.check_device(self.device, _core.devices())
        if self.opt_level not in (0, 1, 2, 3) or isinstance(self.opt_level, bool):
            raise ValueError(f"opt_level must be 0, 1, 2 or 3, not {self.opt_level!r}")
        if self.precision not in ("f32", "exact", "bf16", "tf32"):
            raise ValueError(f'precision is "f32", "exact", "bf16" or "tf32", not {self.precision!r}')
        if self.freeze not in (None, True, False):
            raise ValueError(f"freeze must be None, True or False, not {self.freeze!r}")
        for name in ("checks", "fused_optimizer"):
            if not isinstance(getattr(self, name), bool):
                raise ValueError(f"{name} must be True or False, not {getattr(self, name)!r}")
        return self

    def backend(self) -> str:
        """The library's device that programs are compiled for."""
        return "interp" if self.opt_level == 0 else self.device


@dataclass
class Record:
    """What became of one graph: shown by tenfold.explain()."""

    ops: int
    shapes: list[str] = field(default_factory=list)  # that code was generated for
    seconds: float = 0.0
    line: str = ""
    runs: int = 0
    sizes: int = 0  # sets of input shapes that there is an executable for, or was

    def add(self, shapes: str, compiled: bool) -> None:
        """Another set of input shapes. compiled: the code of those before did not do."""
        self.sizes += 1
        if compiled:
            self.shapes.append(shapes)


class Totals:
    """Counts since the start or tenfold.reset_stats()."""

    runs = 0  # of compiled graphs, and of compiled parts of graphs
    copied_inputs = 0  # CUDA tensors that kernels could not read as they were


options = Options()


def line_of(node: fx.Node) -> str:
    """The user's line of a node, as "file:line"."""
    best = ""
    for text in (node.meta.get("stack_trace") or node.stack_trace or "").splitlines():
        text = text.strip()
        path, _, rest = text.removeprefix('File "').partition('"')
        if text.startswith('File "') and not path.startswith(_LIBRARIES):
            best = f"{path}:{rest.removeprefix(', line ').split(',')[0]}"
    return best or _calling_line()


def _calling_line() -> str:
    """The user's line that is being run: it calls a graph that has ops of PyTorch's own modules only."""
    frame: Any = sys._getframe(1)
    while frame is not None and frame.f_code.co_filename.startswith(_LIBRARIES):
        frame = frame.f_back
    return f"{frame.f_code.co_filename}:{frame.f_lineno}" if frame is not None else ""


def _write_down(op: str, line: str, why: str) -> None:
    """For `tenfold profile -- COMMAND` (src/backend/trace.h)."""
    folder = os.environ.get("TENFOLD_PROFILE")
    if folder:
        with contextlib.suppress(OSError), open(f"{folder}/{os.getpid()}-python.jsonl", "a") as file:
            file.write(json.dumps({"fallback": op, "line": line, "why": why}) + "\n")


def warn(chosen: Options, op: str, line: str, why: str) -> None:
    if chosen.strict:
        raise _core.UnsupportedError(f"{op} at {line or 'an unknown line'}: {why}")
    if (op + line) in _warned:
        return
    _warned.add(op + line)
    _write_down(op, line, why)
    warnings.warn(f"tenfold: {op} at {line or 'an unknown line'} runs in eager mode: {why}", stacklevel=2)
