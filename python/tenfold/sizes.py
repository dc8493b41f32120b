"""Executables of one program by the sizes of its inputs: those used last, as many as fit into a budget. And generated
code that is shared by programs which differ in sizes alone."""

from __future__ import annotations

import threading
import weakref
from collections.abc import Hashable
from typing import Any

from tenfold import _core
from tenfold.forks import across_forks

MOST = 64  # sets of sizes
BYTES = 1 << 29  # of working memory and packed constants that all of them but the newest may take


class Executables:
    """A thousand sizes take no more memory than a few. limited: False, where its owner adds only a few."""

    def __init__(self, limited: bool = True) -> None:
        self.limited = limited
        self.made: dict[Hashable, tuple[Any, int]] = {}  # the one used last comes last

    def __len__(self) -> int:
        return len(self.made)

    def get(self, key: Hashable) -> Any:
        found = self.made.get(key)
        if found is None:
            return None
        if len(self.made) > MOST // 2:  # before that nothing is dropped soon
            self.made[key] = self.made.pop(key)
        return found[0]

    def clear(self) -> None:
        self.made.clear()

    def add(self, key: Hashable, what: Any, executable: Any) -> None:
        working, constants, _ = getattr(executable, "memory", (0, 0, 0))
        self.made.pop(key, None)
        self.made[key] = what, working + constants
        used = 0
        for i, (old, (_, size)) in enumerate(reversed(list(self.made.items()))):
            used += size if i else 0
            if self.limited and (i >= MOST or used > BYTES):
                del self.made[old]


class Family:
    """The generated code of programs that differ in sizes alone."""

    def __init__(self) -> None:
        self.code = _core.Sizes()


_families: weakref.WeakValueDictionary[Hashable, Family] = weakref.WeakValueDictionary()
_lock = across_forks(threading.Lock())


def family_of(key: Hashable) -> Family:
    """The one with this key, as long as anything holds it; then a new one."""
    with _lock:
        found = _families.get(key)
        if found is None:
            found = _families[key] = Family()
        return found
