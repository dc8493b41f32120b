"""What a thread records: functions whose inputs are placeholders. Only that thread sees those."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Iterator

from tenfold import _core
from tenfold._core import Device


class State(threading.local):
    """Of the innermost function that this thread records."""

    depth = 0
    device: Device | None = None
    since = 0  # arrays with a later number were made by the function
    strict = False  # it may not write to arrays from outside; else not what depends on its inputs


state = State()


@contextlib.contextmanager
def recording(inputs: list[_core.Array], strict: bool) -> Iterator[None]:
    """While a function is called with placeholders."""
    before = state.depth, state.device, state.since, state.strict
    state.depth += 1
    state.device = inputs[0]._device
    state.since = max(_core.sequence(i) for i in inputs)
    state.strict |= strict
    try:
        yield
    finally:
        state.depth, state.device, state.since, state.strict = before


def check_write(array: _core.Array, value: _core.Array) -> None:
    """Of a thread that records: an array from outside would show a placeholder to others, and later."""
    outside = array._device == state.device and _core.sequence(array) <= state.since
    if outside and (state.strict or _core.is_abstract(value)):
        raise TypeError("a function that is being recorded writes to an array from outside of it")
