"""Adam and AdamW on the lazy device: the update of a parameter is one op.

PyTorch's foreach functions make it eight, in the fused kernels' form the numbers of a step are tensors of the device.
Recorded as one, with the numbers that change from step to step as inputs of the program, an update costs little more
than a parameter does; the library lowers it (src/front/aten/optimizer.c).
"""

from __future__ import annotations

import functools
from typing import Any

import torch
from torch.optim import adam

from tenfold.torch.lazy import ops, pending
from tenfold.torch.lazy.recording import recorder
from tenfold.torch.lazy.tensor import LazyTensor

_library = torch.library.Library("tenfold_aten", "FRAGMENT")
_library.define(
    "adam_(Tensor(a!) self, Tensor grad, Tensor(b!) exp_avg, Tensor(c!) exp_avg_sq, Tensor(d!)? max_exp_avg_sq, "
    "float decay, float step_size, float correction, float[] fixed, bool maximize) -> ()"
)
adam_op = torch.ops.tenfold_aten.adam_.default


def _adam(p, grad, exp_avg, exp_avg_sq, most, decay, step_size, correction, fixed, maximize) -> None:
    rest, beta2, rest2, eps, weight_decay = fixed
    grad = -grad if maximize else grad
    grad = grad.add(p, alpha=weight_decay) if weight_decay else grad
    exp_avg.lerp_(grad, rest)
    exp_avg_sq.mul_(beta2).addcmul_(grad, grad, value=rest2)
    if most is not None:
        exp_avg_sq = most.copy_(torch.maximum(most, exp_avg_sq))
    p.mul_(decay).addcdiv_(exp_avg, exp_avg_sq.sqrt().div_(correction).add_(eps), value=step_size)


_library.impl("adam_", _adam, "CPU")
_library.impl("adam_", lambda *_: None, "Meta")
_plain = adam._multi_tensor_adam


def _is_ours(params: list, others: list[list], numbers: tuple, refused: tuple) -> bool:
    """Whether all are tensors of the device that own their memory, of one real type, and numbers are the host's."""
    if any(refused) or any(isinstance(n, torch.Tensor) for n in numbers) or torch.compiler.is_compiling():
        return False
    for tensors in zip(params, *others, strict=True):
        dtype = tensors[0].dtype
        if not dtype.is_floating_point:
            return False
        for t in tensors:
            if type(t) is not LazyTensor or t.dtype != dtype or t.shape != tensors[0].shape:
                return False
    return True


@functools.wraps(_plain)
def _multi_tensor_adam(
    params: list,
    grads: list,
    exp_avgs: list,
    exp_avg_sqs: list,
    max_exp_avg_sqs: list,
    state_steps: list,
    grad_scale: Any,
    found_inf: Any,
    **named: Any,
) -> None:
    given = (params, grads, exp_avgs, exp_avg_sqs, max_exp_avg_sqs, state_steps, grad_scale, found_inf)
    lr, beta1, beta2, eps, decay = (named[k] for k in ("lr", "beta1", "beta2", "eps", "weight_decay"))
    refused = (named["capturable"], named["differentiable"], named["has_complex"])
    refused += (grad_scale is not None, found_inf is not None)
    states = [grads, exp_avgs, exp_avg_sqs, *([max_exp_avg_sqs] if named["amsgrad"] else [])]
    if not params or not _is_ours(params, states, (lr, beta1, beta2, eps, decay), refused):
        return _plain(*given, **named)
    if any(not step.is_cpu for step in state_steps):
        return _plain(*given, **named)
    torch._foreach_add_(state_steps, torch.tensor(1.0), alpha=1.0)
    decoupled = bool(named["decoupled_weight_decay"])
    keep = 1 - lr * decay if decoupled else 1.0
    fixed = [1 - beta1, beta2, 1 - beta2, eps, 0.0 if decoupled else decay]
    recorder.share(True)  # most parameters have taken as many steps, so that they have the same numbers
    try:
        for i, param in enumerate(params):
            step = state_steps[i].item()
            most = max_exp_avg_sqs[i] if named["amsgrad"] else None
            rate, correction = -lr / (1 - beta1**step), (1 - beta2**step) ** 0.5
            tensors = (param, grads[i], exp_avgs[i], exp_avg_sqs[i], most)
            for tensor in tensors:
                if tensor is not None:
                    _settle(tensor)
            ops.dispatch(adam_op, (*tensors, keep, rate, correction, fixed, named["maximize"]), {})
    finally:
        recorder.share(False)


def _settle(tensor: LazyTensor) -> None:
    """State that is one number so far gets memory: the program of the first step is then that of every step."""
    root = tensor._lazy.root
    if root.data is None and root.graph != recorder.graph and recorder.promoting:
        pending.host(root)


def install() -> None:
    adam._multi_tensor_adam = _multi_tensor_adam
