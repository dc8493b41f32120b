"""Types of an op's results: PyTorch's kernels for device "meta" tell them, once for each set of argument types."""

from __future__ import annotations

from typing import Any

import torch

from tenfold.torch import custom
from tenfold.torch.lazy import layouts
from tenfold.torch.lazy.quick import attention_key, attention_spec, learn_attention, quick
from tenfold.torch.lazy.schema import MISSING, Handler, NeedsHost
from tenfold.torch.lazy.tensor import LazyTensor, aten, is_strided
from tenfold.torch.lazy.values import Spec, check_memory, spec_of, spec_of_memory

_ATTENTION = aten.scaled_dot_product_attention.default


def flat(handler: Handler, args: tuple, kwargs: dict) -> tuple:
    """Arguments in the schema's order."""
    if not kwargs:
        return args
    flat = list(args)
    for name, value in kwargs.items():
        i = handler.index[name]
        while len(flat) <= i:
            flat.append(MISSING)
        flat[i] = value
    return tuple(flat)


def infer(handler: Handler, args: tuple, kwargs: dict) -> Any:
    """Specs of the results; None where there is no tensor."""
    if handler.op is _ATTENTION:
        key = attention_key(args, kwargs)
        known = attention_spec(key, args)
        if known is not None:
            return (known,)
        specs = ask_kernels(handler, args, kwargs)
        learn_attention(key, args, specs[0])
        return specs
    return quick(handler.op, args, kwargs) or ask_kernels(handler, args, kwargs)


def ask_kernels(handler: Handler, args: tuple, kwargs: dict) -> Any:
    """As PyTorch's kernels tell them."""
    moved = False  # numbers that are tensors on the CPU are on the device, too

    def stand_in(item: Any, device: str) -> Any:
        if isinstance(item, LazyTensor):
            spec = item._lazy.spec
            base = torch.zeros(extent(spec), dtype=spec.dtype, device=device)
            return base.as_strided(spec.shape, spec.strides, spec.offset)
        if isinstance(item, torch.Tensor):
            return item.to(device) if item.dim() or moved else item.detach()
        if isinstance(item, torch.device):
            return torch.device(device)
        if isinstance(item, list | tuple):
            return type(item)(stand_in(i, device) for i in item) if not isinstance(item, torch.Size) else item
        return item

    def run(device: str) -> Any:
        named = {k: stand_in(v, device) for k, v in kwargs.items() if k != "generator"}
        return handler.op(*[stand_in(a, device) for a in args], **named)

    try:
        try:
            made = run("meta")
        except NotImplementedError:
            # No kernel that only tells shapes: the real one tells them, of zeros.
            if not handler.known or handler.sized_by_data:
                raise
            made = run("cpu")
        except RuntimeError:  # some kernels that only tell shapes want all of them in one place
            moved = True
            made = run("meta")
        if handler.asks is not None and (handler.asks[1] or is_strided(args)):
            made = layouts.ask(handler.asks[0], run)
    except Exception as error:  # the CPU's kernel says what is wrong, or does it
        if handler.op is aten.histc.default and not args[0].is_floating_point():  # other devices count integers, too
            return (
                spec_of((flat(handler, args, kwargs)[1] if len(args) > 1 or "bins" in kwargs else 100,), args[0].dtype),
            )
        if handler.custom is not None:
            return infer_custom(handler, args, kwargs)
        raise NeedsHost from error
    results = made if isinstance(made, list | tuple) else (made,)
    specs = []
    for r in results:
        if r is None:
            specs.append(None)
        elif not isinstance(r, torch.Tensor) or r.layout != torch.strided:
            raise NeedsHost
        elif handler.is_view:
            specs.append(spec_of(tuple(r.shape), r.dtype, tuple(r.stride()), r.storage_offset()))
        else:
            specs.append(check_memory(spec_of_memory(tuple(r.shape), r.dtype, tuple(r.stride()))))
    if handler.short in ("native_batch_norm", "_native_batch_norm_legit") and len(args) > 5 and args[5] is False:
        specs[1:] = [spec_of((0,), s.dtype) for s in specs[1:]]  # running statistics were used: none of the batch
    return tuple(specs)


def infer_custom(handler: Handler, args: tuple, kwargs: dict) -> tuple:
    """Of an op without a fake kernel: what its lowering makes."""

    def give(item: Any) -> Any:
        if isinstance(item, torch.Tensor):
            return custom.Operand(item.shape, item.dtype)
        return [give(i) for i in item] if isinstance(item, list | tuple) else item

    _, made = custom.build(handler.custom, [give(a) for a in args], {k: give(v) for k, v in kwargs.items()})
    names = {text: name for name, text in custom._TYPES.items()}
    return tuple([spec_of(value.shape, getattr(torch, names[value.dtype])) for value in made])


def extent(spec: Spec) -> int:
    if spec.numel == 0:
        return spec.offset
    return spec.offset + 1 + sum((n - 1) * s for n, s in zip(spec.shape, spec.strides, strict=True))
