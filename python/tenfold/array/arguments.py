"""What functions of the namespace are given: arrays, not what looks like them."""

from __future__ import annotations

import functools
import types
from collections.abc import Callable
from typing import Any

from tenfold._core import Array

_NUMBERS = (int, float, complex)


def _is_wrong(value: Any, allowed: str) -> bool:
    """Whether the value is not what the annotation says, as far as that is about arrays."""
    if "Array" not in allowed or "DType" in allowed or isinstance(value, Array):
        return False
    if value is None:
        return "None" not in allowed
    return not (("float" in allowed or "int" in allowed or "Number" in allowed) and isinstance(value, _NUMBERS))


def _described(value: Any) -> str:
    kind = type(value)
    return kind.__name__ if kind.__module__ == "builtins" else f"{kind.__module__}.{kind.__name__}"


def _wrong(function: Callable[..., Any], args: tuple[Any, ...], named: dict[str, Any]) -> str | None:
    """What is wrong with the arguments, or None."""
    code = function.__code__
    names = code.co_varnames[: code.co_argcount]
    given = [*zip(names, args, strict=False), *named.items()]
    if code.co_flags & 4:  # *arrays
        rest = code.co_varnames[code.co_argcount + code.co_kwonlyargcount]
        given += [(rest, value) for value in args[code.co_argcount :]]
    for name, value in given:
        allowed = function.__annotations__.get(name, "")
        if allowed.startswith(("Sequence[Array]", "tuple[Array", "list[Array")):
            items, allowed, what = list(value) if isinstance(value, list | tuple) else [], "Array", f"arrays in {name}"
        else:
            number = " or a number" if "float" in allowed or "Number" in allowed else ""
            items, what = [value], f"an array{number} as {name}"
        for item in items:
            if _is_wrong(item, allowed):
                return f"{function.__name__} takes {what}, not {_described(item)}: tenfold.asarray makes arrays"
    return None


def checked(function: Callable[..., Any]) -> Callable[..., Any]:
    """The function; where it fails on something that is no array, the error says so. A call that succeeds is not
    looked at."""

    @functools.wraps(function)
    def wrapped(*args: Any, **named: Any) -> Any:
        try:
            return function(*args, **named)
        except (AttributeError, IndexError, TypeError, ValueError):
            wrong = _wrong(function, args, named)
            if wrong is None:
                raise
        raise TypeError(wrong)

    return wrapped


def check_names(names: dict[str, Any], home: str) -> None:
    """Replaces those functions of a namespace that take arrays and are of the module `home`, or below it; what C takes
    apart is checked there."""
    for name, function in names.items():
        mine = isinstance(function, types.FunctionType) and not name.startswith("_")
        if not mine or not function.__module__.startswith(home) or _names_itself(function):
            continue
        if any("Array" in str(a) for k, a in function.__annotations__.items() if k != "return"):
            names[name] = checked(function)


def _names_itself(function: types.FunctionType) -> bool:
    """Whether it hands its arguments to C under its own name: errors of C are about those."""
    held = dict(zip(function.__code__.co_freevars, function.__closure__ or (), strict=True))
    return "op" in held and held["op"].cell_contents == function.__name__
