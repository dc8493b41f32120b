"""Programs of the device that differ in sizes alone, such as those of a loop over lengths: the first is compiled for
itself, and those after it share generated code. What that reads is learnt from the first two, and from a third that
follows from them."""

from __future__ import annotations

import contextlib
import json
import weakref
from collections.abc import Hashable, Sequence
from typing import Any

from tenfold import _core
from tenfold.sizes import Family

_MOST = 64  # families
FEW = 4  # inputs: programs with as many are related without a common one
PACKED = 2  # programs of a family that may have a packed copy of their weights

Owners = Sequence[weakref.ref[Any] | None]  # of each input, whose memory it is


class _Unlike(Exception):
    """Two graphs differ in more than numbers."""


def _changes(a: Any, b: Any, out: list[tuple[int, int]]) -> None:
    """The whole numbers that differ between two graphs."""
    if type(a) is int and type(b) is int:
        if a != b:
            out.append((a, b))
    elif isinstance(a, dict) and isinstance(b, dict) and a.keys() == b.keys():
        for key, value in a.items():
            if key != "metadata":
                _changes(value, b[key], out)
    elif isinstance(a, list) and isinstance(b, list) and len(a) == len(b):
        for one, other in zip(a, b, strict=True):
            _changes(one, other, out)
    elif type(a) is not type(b) or (a != b and not isinstance(a, float)):
        raise _Unlike


def _further(a: Any, b: Any, steps: int) -> Any:
    if type(b) is int:
        return b + steps * (b - a)
    if isinstance(b, dict):
        return {key: value if key == "metadata" else _further(a[key], value, steps) for key, value in b.items()}
    return [_further(one, other, steps) for one, other in zip(a, b, strict=True)] if isinstance(b, list) else b


def further(first: str, second: str) -> str | None:
    """The graph that follows two which differ in sizes, at about twice the largest: numbers grow as they did from one
    to the other. It tells what was equal at both by chance, such as blocks of a length. None: there is none."""
    a, b = json.loads(first), json.loads(second)
    changes: list[tuple[int, int]] = []
    try:
        _changes(a, b, changes)
    except _Unlike:
        return None
    if sum(new - old for old, new in changes) < 0:
        a, b, changes = b, a, [(new, old) for old, new in changes]
    if not changes:
        return None
    old, new = max(changes, key=lambda c: abs(c[1]))
    for steps in {max(1, abs(new // (new - old))): None, 1: None}:
        if all(new + steps * (new - old) > 1 for old, new in changes):
            return json.dumps(_further(a, b, steps))
    return None


class Relatives:
    """Programs of the same ops that have inputs in common: the weights, say. Another model of the same ops has weights
    of its own, and code for their sizes."""

    def __init__(self, first: Any, text: str, owners: Owners) -> None:
        self.first: Any = first  # until there is a second one
        self.text = text  # of the first
        self.owners = owners
        self.family = Family()
        self.count = 1

    def include(self, owners: Owners) -> bool:
        """Whether a program with these inputs belongs to them."""
        if len(owners) != len(self.owners):
            return False
        return len(owners) <= FEW or any(
            old is not None and new is not None and old() is new() is not None
            for old, new in zip(self.owners, owners, strict=True)
        )

    def join(self, text: str, owners: Owners, options: dict[str, Any]) -> Any:
        """Adds a program; what it shares with the others."""
        if self.first is not None:
            self.first.learn(self.family.code, **options)
            guess = further(self.text, text)
            if guess is not None:
                with contextlib.suppress(_core.Error):  # no program: numbers grow otherwise
                    _core.graph(guess).learn(self.family.code, **options)
            self.first, self.text = None, ""
        self.owners = owners
        self.count += 1
        return self.family.code


_known: dict[Hashable, Relatives] = {}  # the one used last comes last


def find(traced: Any, text: str, owners: Owners, options: dict[str, Any]) -> Relatives | None:
    """Those that a program belongs to; None: it is the first, or the first with these weights."""
    key = (traced.fingerprint(()), *options.values())
    found = _known.pop(key, None)
    if found is not None and found.include(owners):
        _known[key] = found
        return found
    while len(_known) >= _MOST:
        del _known[next(iter(_known))]
    _known[key] = Relatives(traced, text, owners)
    return None


def clear() -> None:
    _known.clear()
