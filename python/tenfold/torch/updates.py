"""Fused updates of the parameters that compiled training graphs read.

`optimizer.step()` is outside of the graphs that torch.compile hands over. Parameters on a CPU PyTorch then updates one
after the other, each by eight or more ops that sweep over its memory; its fused kernels do the same in one sweep, but
run only where the user says so. Here they run, for the length of a step, where the user left that choice open.
"""

from __future__ import annotations

import weakref
from collections.abc import Iterable
from typing import Any

import torch
from torch.optim import SGD, Adam, AdamW, Optimizer
from torch.optim.optimizer import register_optimizer_step_post_hook, register_optimizer_step_pre_hook
from torch.utils.weak import WeakIdKeyDictionary

# The state of a parameter that its update reads and writes, by the optimizer's very class: a subclass may do anything.
_STATE = {Adam: ("exp_avg", "exp_avg_sq", "max_exp_avg_sq"), AdamW: ("exp_avg", "exp_avg_sq", "max_exp_avg_sq")}
_STATE[SGD] = ("momentum_buffer",)
_NUMBERS = ("lr", "betas", "eps", "weight_decay", "momentum", "dampening")
_PLAIN = (torch.Tensor, torch.nn.Parameter)

_trained = WeakIdKeyDictionary()  # parameters that training graphs were given
_others: weakref.WeakKeyDictionary[Optimizer, int] = (
    weakref.WeakKeyDictionary()
)  # that have none of them, as of `_notes`
_set: weakref.WeakKeyDictionary[Optimizer, list[dict]] = weakref.WeakKeyDictionary()  # groups that are fused for now
_hooks: list[Any] = []
_notes = 0


def note(inputs: Iterable[Any]) -> None:
    """These are the inputs of a training graph: from now on, updates of the parameters among them are fused."""
    global _notes
    _notes += 1
    for x in inputs:
        if type(x) is torch.nn.Parameter:
            _trained[x] = True
    if not _hooks:
        _hooks.extend([register_optimizer_step_pre_hook(_before), register_optimizer_step_post_hook(_after)])


def _is_ours(optimizer: Optimizer) -> bool:
    if _others.get(optimizer) == _notes:
        return False
    if any(p in _trained for group in optimizer.param_groups for p in group["params"]):
        return True
    _others[optimizer] = _notes
    return False


def _before(optimizer: Optimizer, args: Any, kwargs: Any) -> None:
    if torch.compiler.is_compiling():  # the update is part of a graph
        return
    _after(optimizer, args, kwargs)  # the last step may have raised
    names = _STATE.get(type(optimizer))
    if (
        names is None
        or torch.get_default_dtype() != torch.float32
        or getattr(optimizer, "grad_scale", None) is not None
    ):
        return
    if not _is_ours(optimizer):
        return
    groups = [g for g in optimizer.param_groups if _is_open(g) and _fits(optimizer, g, names)]
    for group in groups:
        group["fused"] = True
    if groups:
        _set[optimizer] = groups


def _after(optimizer: Optimizer, args: Any, kwargs: Any) -> None:
    if torch.compiler.is_compiling():
        return
    for group in _set.pop(optimizer, ()):
        group["fused"] = None


def _is_open(group: dict[str, Any]) -> bool:
    """Whether the user leaves it to PyTorch how the group is updated."""
    if group.get("fused", False) is not None or group.get("foreach", False) is not None:
        return False
    if group.get("differentiable") or group.get("capturable"):
        return False
    numbers = [group.get(name, 0.0) for name in _NUMBERS]
    return not any(
        isinstance(n, torch.Tensor) for value in numbers for n in (value if isinstance(value, tuple) else [value])
    )


def _fits(optimizer: Optimizer, group: dict[str, Any], names: tuple[str, ...]) -> bool:
    """The fused kernels walk over memory: all of a parameter's tensors must be dense and lie in the same order."""
    found = set()
    for p in group["params"]:
        g = p.grad
        if g is None:
            continue
        if type(p) not in _PLAIN or type(g) is not torch.Tensor or p.dtype != torch.float32 or g.dtype != torch.float32:
            return False
        if p.device.type != "cpu" or g.layout != torch.strided or p.numel() == 0:
            return False
        strides = p.stride()
        if g.stride() != strides or not (p.is_contiguous() or _is_dense(p)):
            return False
        state = optimizer.state.get(p, {})
        tensors = [state[n] for n in names if state.get(n) is not None]
        if any(t.stride() != strides or t.dtype != torch.float32 or t.device.type != "cpu" for t in tensors):
            return False
        step = state.get("step")
        if step is not None and (not isinstance(step, torch.Tensor) or step.dtype != torch.float32):
            return False
        found.add(len(tensors))
    return len(found) == 1  # first steps are apart from others: SGD makes new buffers for all or for none


def _is_dense(value: torch.Tensor) -> bool:
    return value.dim() == 4 and value.is_contiguous(memory_format=torch.channels_last)
