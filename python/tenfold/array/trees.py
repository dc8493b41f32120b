"""Arrays inside of lists, tuples, dicts and modules: taken out, and put back."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

from tenfold.array.object import Array


def leaves(tree: Any) -> list[Array]:
    """The arrays of a tree, in a fixed order. What has `parameters()` is a tree of those."""
    if isinstance(tree, Array):
        return [tree]
    if isinstance(tree, list | tuple):
        return [leaf for item in tree for leaf in leaves(item)]
    if isinstance(tree, dict):
        return [leaf for key in sorted(tree) for leaf in leaves(tree[key])]
    if hasattr(tree, "named_parameters"):
        return [array for _, array in tree.named_parameters()]
    return []


def rebuild(tree: Any, made: Callable[[Array], Any]) -> Any:
    """The tree with something else in the place of each array; of a module a dict by the names of its parameters."""
    if isinstance(tree, Array):
        return made(tree)
    if isinstance(tree, tuple) and hasattr(tree, "_fields"):
        return type(tree)(*(rebuild(item, made) for item in tree))
    if isinstance(tree, list | tuple):
        return type(tree)(rebuild(item, made) for item in tree)
    if isinstance(tree, dict):
        return {key: rebuild(tree[key], made) for key in sorted(tree)}
    if hasattr(tree, "named_parameters"):
        return {name: made(array) for name, array in tree.named_parameters()}
    return tree


class Unkeyed(Exception):
    """A value may change without anyone noticing."""


class _Same:
    """Equal to the same object alone, which it keeps alive, so that no other gets its address."""

    def __init__(self, value: Any) -> None:
        self.value = value

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Same) and other.value is self.value

    def __hash__(self) -> int:
        return id(self.value)


class Arguments:
    """The arguments of a function: their arrays, the state of modules among them too, and a key of all else.

    Unkeyed where something is neither a tree of arrays nor a value that stays as it is."""

    def __init__(self, args: tuple[Any, ...]) -> None:
        self._args = args
        self.arrays: list[Array] = []
        self.key = self._key(args)

    def _key(self, value: Any) -> Any:
        if isinstance(value, Array):
            self.arrays.append(value)
            return Array
        kind = type(value)
        if isinstance(value, list | tuple):
            return (kind, *(self._key(item) for item in value))
        if isinstance(value, dict):
            return (kind, *((key, self._key(item)) for key, item in value.items()))
        if _is_module(value):
            return (kind, value.training, *((name, self._key(item)) for name, item in vars(value).items()))
        if value is None or kind in (bool, int, str, bytes):
            return kind, value
        if kind in (float, complex):
            return kind, repr(value)  # -0.0 is not 0.0, and nan is nan
        if hasattr(value, "__dlpack__") or hasattr(value, "__array__") or hasattr(value, "named_parameters"):
            raise Unkeyed
        return _Same(value)

    def substitute(self, made: Callable[[Array], Array]) -> tuple[tuple[Any, ...], Callable[[], bool]]:
        """The arguments with other arrays, modules are copies; and whether attributes of those are still the same."""
        copies: list[tuple[Any, dict[str, Any]]] = []

        def other(value: Any) -> Any:
            if isinstance(value, Array):
                return made(value)
            if isinstance(value, tuple) and hasattr(value, "_fields"):
                return type(value)(*(other(item) for item in value))
            if isinstance(value, list | tuple):
                return type(value)(other(item) for item in value)
            if isinstance(value, dict):
                return {key: other(item) for key, item in value.items()}
            if not _is_module(value):
                return value
            module = copy.copy(value)
            vars(module).update({name: other(item) for name, item in vars(value).items()})
            copies.append((module, dict(vars(module))))
            return module

        def unchanged() -> bool:
            return all(
                vars(module).keys() == was.keys() and all(vars(module)[name] is item for name, item in was.items())
                for module, was in copies
            )

        return other(self._args), unchanged


def _is_module(value: Any) -> bool:
    return hasattr(value, "named_state") and hasattr(value, "training") and hasattr(value, "__dict__")
