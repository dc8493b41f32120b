"""Programs of the device that differ in sizes alone, such as those of a loop over lengths: the first is compiled for
itself, and those after it share generated code."""

from __future__ import annotations

import weakref
from collections.abc import Hashable, Sequence
from typing import Any

from tenfold.sizes import Family

_MOST = 64  # families
FEW = 4  # inputs: programs with as many are related without a common one
PACKED = 2  # programs of a family that may have a packed copy of their weights

Owners = Sequence[weakref.ref[Any] | None]  # of each input, whose memory it is


class Relatives:
    """Programs of the same ops that have inputs in common: the weights, say. Another model of the same ops has weights
    of its own, and code for their sizes."""

    def __init__(self, first: Any, owners: Owners) -> None:
        self.first: Any = first  # until there is a second one
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

    def join(self, owners: Owners, options: dict[str, Any]) -> Any:
        """Adds a program; what it shares with the others."""
        if self.first is not None:
            self.first.learn(self.family.code, **options)
            self.first = None
        self.owners = owners
        self.count += 1
        return self.family.code


_known: dict[Hashable, Relatives] = {}  # the one used last comes last


def find(traced: Any, owners: Owners, options: dict[str, Any]) -> Relatives | None:
    """Those that a program belongs to; None: it is the first, or the first with these weights."""
    key = (traced.fingerprint(()), *options.values())
    found = _known.pop(key, None)
    if found is not None and found.include(owners):
        _known[key] = found
        return found
    while len(_known) >= _MOST:
        del _known[next(iter(_known))]
    _known[key] = Relatives(traced, owners)
    return None


def clear() -> None:
    _known.clear()
