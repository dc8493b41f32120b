"""Control flow on the lazy device: the condition is read and the branch recorded; loops are recorded step by step.

PyTorch would have dynamo trace these functions, which knows nothing of tensors that record.
"""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable
from typing import Any

import torch
from torch.utils._pytree import tree_flatten, tree_leaves, tree_map, tree_unflatten

from tenfold.torch.lazy.tensor import LazyTensor


def _is_recorded(item: Any) -> bool:
    return any(isinstance(leaf, LazyTensor) for leaf in tree_leaves(item)) and not torch.compiler.is_compiling()


def _cond(pred: Any, true_fn: Any, false_fn: Any, operands: Any = ()) -> Any:
    return (true_fn if bool(pred) else false_fn)(*operands)


def _while_loop(cond_fn: Any, body_fn: Any, carried_inputs: Any) -> Any:
    values = tuple(carried_inputs)
    while bool(cond_fn(*values)):
        made = body_fn(*values)
        values = tuple(made) if isinstance(made, list | tuple) else (made,)
    return values


def _stack(parts: list[Any]) -> Any:
    """Results of all steps, leaf by leaf."""
    shape = tree_flatten(parts[0])[1]
    return tree_unflatten([torch.stack(leaves) for leaves in zip(*map(tree_leaves, parts), strict=True)], shape)


def _scan(combine_fn: Any, init: Any, xs: Any, *, dim: int = 0, reverse: bool = False) -> Any:
    leaves = tree_leaves(xs)
    if not leaves:
        return init, []
    dim %= leaves[0].dim()
    steps = range(leaves[0].shape[dim])
    carry, made = init, []
    for i in reversed(steps) if reverse else steps:
        carry, out = combine_fn(carry, tree_map(lambda x, i=i: x.select(dim, i), xs))
        made.append(out)
    stacked = _stack(made[::-1] if reverse else made)
    return carry, tree_map(lambda y: torch.movedim(y, 0, dim) if 0 < dim < y.dim() else y, stacked)


def _map(f: Any, xs: Any, *args: Any) -> Any:
    return _stack([f(tree_map(lambda x, i=i: x[i], xs), *args) for i in range(tree_leaves(xs)[0].shape[0])])


def _recorded(original: Callable[..., Any], step_by_step: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(original)
    def choose(*args: Any, **kwargs: Any) -> Any:
        return (step_by_step if _is_recorded((args, kwargs)) else original)(*args, **kwargs)

    return choose


def install() -> None:
    """Puts these in PyTorch's place, also where a module that is loaded already took the functions out of it."""
    import torch._higher_order_ops as higher

    for name, step_by_step in (("cond", _cond), ("while_loop", _while_loop), ("scan", _scan), ("map", _map)):
        original = getattr(torch, name, None) if name == "cond" else getattr(higher, name, None)
        if original is None:  # another release of torch
            continue
        chosen = _recorded(original, step_by_step)
        for module in list(sys.modules.values()):
            names = getattr(module, "__dict__", None)
            if isinstance(names, dict) and names.get(name) is original:
                names[name] = chosen
