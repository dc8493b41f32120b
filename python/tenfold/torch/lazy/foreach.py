"""Ops over lists of tensors, and optimizers as one op: taken apart into one op a tensor, which the compiler fuses."""

from __future__ import annotations

from typing import Any

import torch

from tenfold.torch.lazy.ops import dispatch
from tenfold.torch.lazy.recording import recorder
from tenfold.torch.lazy.schema import special
from tenfold.torch.lazy.tensor import LazyTensor, aten

_BASES = {"norm": "linalg_vector_norm", "copy": "copy", "powsum": None}
_resolved: dict[Any, Any] = {}


def _overload(packet: Any, args: list, kwargs: dict) -> Any:
    """The overload that these arguments mean; asked of torch once for each kind of arguments."""
    key = (packet, *(type(a) for a in args), *kwargs)
    found = _resolved.get(key)
    if found is None:
        name = torch._C._jit_resolve_packet(packet._qualified_op_name, *args, **kwargs)
        found = _resolved[key] = getattr(packet, name)
    return found


def _each(op: Any, *args: Any, **kwargs: Any) -> Any:
    short = op._schema.name.split("::")[1].removeprefix("_foreach_")
    in_place = short.endswith("_")
    base = _BASES.get(short.rstrip("_"), short.rstrip("_"))
    packet = getattr(aten, f"{base}_" if in_place else base, None)
    writes = packet is None  # maximum has no form that writes to its argument
    packet = packet or getattr(aten, base)
    arguments = [a for a in op._schema.arguments if not a.is_out]
    lists = []
    plain = list(args)
    for i, item in enumerate(plain):
        kind = str(arguments[i].type)
        if isinstance(item, torch.Tensor) and arguments[i].name == "scalars":
            plain[i] = item = item.tolist()
            kind = "List"
        lists.append(kind.startswith("List"))
    names = ("alpha", "dtype", "value")
    named = {k: v for k, v in kwargs.items() if k in names and v is not None}
    made = []
    recorder.share(True)
    try:
        for i in range(len(plain[0])):
            one = [a[i] if several else a for a, several in zip(plain, lists, strict=True)]
            if base == "linalg_vector_norm":
                one, given = one[:2], {k: v for k, v in named.items() if k == "dtype"}
            elif base in ("addcdiv", "addcmul") and len(one) == 4:
                given = {"value": one.pop()}
            else:
                given = named
            chosen = _overload(packet, one, given)
            # Straight to the recorder: this is below autograd already.
            result = dispatch(chosen, tuple(one), given) if type(one[0]) is LazyTensor else chosen(*one, **given)
            made.append(aten.copy_.default(one[0], result) if writes else result)
    finally:
        recorder.share(False)
    return None if in_place else made


for _name in torch._C._dispatch_get_all_op_names():
    if _name.startswith("aten::_foreach_") and not _name.endswith("out") and "powsum" not in _name:
        _short, _, _overload_name = _name.removeprefix("aten::").partition(".")
        special(getattr(getattr(aten, _short), _overload_name or "default"))(_each)


# ---- fused optimizers -----------------------------------------------------------------------------------------------


def _found(found_inf: torch.Tensor | None, fresh: torch.Tensor, old: torch.Tensor) -> None:
    """Writes the new value, unless the gradients overflowed."""
    old.copy_(fresh if found_inf is None else torch.where(found_inf == 1, old, fresh))


def _unscaled(grad: torch.Tensor, scale: torch.Tensor | None, maximize: bool) -> torch.Tensor:
    grad = grad / scale if scale is not None else grad
    return -grad if maximize else grad


def _gradient(
    grad: torch.Tensor, scale: torch.Tensor | None, maximize: bool, param: torch.Tensor, weight_decay: float
) -> torch.Tensor:
    grad = _unscaled(grad, scale, maximize)
    return grad + param * weight_decay if weight_decay else grad


def _rate(lr: Any) -> torch.Tensor:
    return lr if isinstance(lr, torch.Tensor) else torch.tensor(float(lr), dtype=torch.float64)


def _fused_adam(
    op: Any,
    params: list,
    grads: list,
    exp_avgs: list,
    exp_avg_sqs: list,
    max_exp_avg_sqs: list,
    state_steps: list,
    *,
    lr: Any,
    beta1: float,
    beta2: float,
    weight_decay: float,
    eps: float,
    amsgrad: bool,
    maximize: bool,
    grad_scale: torch.Tensor | None = None,
    found_inf: torch.Tensor | None = None,
) -> None:
    decoupled = "adamw" in op._schema.name
    scale = _rate(lr)
    for i, param in enumerate(params):
        grad = _unscaled(grads[i], grad_scale, maximize)
        rate = scale.to(param.dtype)
        start = param
        if decoupled:
            start = param * (1 - rate * weight_decay)
        elif weight_decay:
            grad = grad + param * weight_decay
        step = state_steps[i]
        first = exp_avgs[i] + (grad - exp_avgs[i]) * (1 - beta1)
        second = exp_avg_sqs[i] * beta2 + grad * grad * (1 - beta2)
        correction = (1 - beta1**step).to(param.dtype)
        root = (1 - beta2**step).sqrt().to(param.dtype)
        top = second
        if amsgrad:
            top = torch.maximum(max_exp_avg_sqs[i], second)
            _found(found_inf, top, max_exp_avg_sqs[i])
        fresh = start - rate / correction * first / (top.sqrt() / root + eps)
        _found(found_inf, fresh, param)
        _found(found_inf, first, exp_avgs[i])
        _found(found_inf, second, exp_avg_sqs[i])


def _fused_sgd(
    op: Any,
    params: list,
    grads: list,
    buffers: list,
    *,
    weight_decay: float,
    momentum: float,
    lr: Any,
    dampening: float,
    nesterov: bool,
    maximize: bool,
    is_first_step: bool,
    grad_scale: torch.Tensor | None = None,
    found_inf: torch.Tensor | None = None,
) -> None:
    scale = _rate(lr)
    for i, param in enumerate(params):
        grad = _gradient(grads[i], grad_scale, maximize, param, weight_decay)
        if momentum:
            fresh = grad if is_first_step else buffers[i] * momentum + grad * (1 - dampening)
            _found(found_inf, fresh, buffers[i])
            grad = grad + fresh * momentum if nesterov else fresh
        _found(found_inf, param - grad * scale.to(param.dtype), param)


def _fused_adagrad(
    op: Any,
    params: list,
    grads: list,
    sums: list,
    state_steps: list,
    *,
    lr: Any,
    lr_decay: float,
    weight_decay: float,
    eps: float,
    maximize: bool,
    grad_scale: torch.Tensor | None = None,
    found_inf: torch.Tensor | None = None,
) -> None:
    scale = _rate(lr)
    for i, param in enumerate(params):
        grad = _gradient(grads[i], grad_scale, maximize, param, weight_decay)
        rate = scale / (1 + (state_steps[i] - 1) * lr_decay)
        total = sums[i] + grad * grad
        _found(found_inf, total, sums[i])
        _found(found_inf, param - rate.to(param.dtype) * grad / (total.sqrt() + eps), param)


for _name, _rule in (
    ("_fused_adam_", _fused_adam),
    ("_fused_adamw_", _fused_adam),
    ("_fused_sgd_", _fused_sgd),
    ("_fused_adagrad_", _fused_adagrad),
):
    _packet = getattr(aten, _name, None)
    for _overload_name in _packet.overloads() if _packet is not None else []:
        if not _overload_name.endswith("out"):
            special(getattr(_packet, _overload_name))(_rule)


@special(aten._amp_foreach_non_finite_check_and_unscale_.default)
def _unscale(op: Any, grads: list, found_inf: torch.Tensor, inv_scale: torch.Tensor) -> None:
    for grad in grads:
        found_inf.copy_(torch.maximum(found_inf, (~torch.isfinite(grad)).any().to(found_inf.dtype)))
        grad.mul_(inv_scale.to(grad.dtype))


@special(aten._amp_update_scale_.default)
def _update_scale(
    op: Any, scale: Any, growth: Any, found_inf: Any, factor: float, backoff: float, interval: int
) -> torch.Tensor:
    count = growth + 1
    grown = torch.where(count == interval, scale * factor, scale)
    overflow = found_inf > 0
    fresh = torch.where(overflow, scale * backoff, grown)
    growth.copy_(torch.where(overflow | (count == interval), torch.zeros_like(count), count))
    scale.copy_(fresh)
    return scale
