"""Names that a user gives, checked against those that exist."""

from __future__ import annotations

import difflib
from collections.abc import Iterable


def unknown(kind: str, name: object, known: Iterable[str]) -> str:
    """The message for a name that is not known: what it may be, and which of those it is most like."""
    known = list(known)
    near = difflib.get_close_matches(name, known, 1, 0.5) if isinstance(name, str) else []
    hint = f"did you mean {near[0]!r}? " if near else ""
    return f"unknown {kind} {name!r}; {hint}use {_listed(known)}"


def check(kind: str, name: str, known: Iterable[str]) -> str:
    """The name, or a ValueError."""
    known = list(known)
    if not isinstance(name, str) or name not in known:
        raise ValueError(unknown(kind, name, known))
    return name


def check_device(name: str, known: Iterable[str]) -> str:
    """The name of a device, also with a number, or the address of a remote one, or a ValueError."""
    kind, _, index = str(name).rpartition(":")
    known = list(known)
    elsewhere = str(name).startswith(("grpc://", "grpcs://"))
    return name if elsewhere or (index.isdecimal() and kind in known) else check("device", name, known)


def _listed(names: list[str]) -> str:
    quoted = [repr(n) for n in names]
    return quoted[0] if len(quoted) == 1 else f"{', '.join(quoted[:-1])} or {quoted[-1]}"
