"""Arrays inside of lists, tuples, dicts and modules: taken out, and put back."""

from __future__ import annotations

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
