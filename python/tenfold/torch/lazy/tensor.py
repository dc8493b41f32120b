"""Tensors on device "tenfold": a shape and type for PyTorch, and the value that they stand for."""

from __future__ import annotations

from typing import Any

import torch

from tenfold.torch.lazy.values import Spec, Value, row_major, spec_of

aten = torch.ops.aten
DEVICE = torch.device("tenfold", 0)  # this module is imported once the device has its name
make = torch.Tensor._make_wrapper_subclass


class LazyTensor(torch.Tensor):
    """A tensor on device "tenfold". What ops do with it is in ops.py, which sets __torch_dispatch__."""

    _lazy: Value
    __torch_function__ = torch._C._disabled_torch_function_impl


def wrap(value: Value) -> LazyTensor:
    args, kwargs = how_made(value.spec)
    tensor = make(*args, **kwargs)
    tensor._lazy = value
    return tensor


def how_made(spec: Spec) -> tuple[tuple, dict[str, Any]]:
    """What a tensor of this type is made with: as little as will do, as each argument takes time."""
    named: dict[str, Any] = {"dtype": spec.dtype, "device": DEVICE}
    if spec.strides != row_major(spec.shape) or spec.offset:
        named |= {"strides": spec.strides, "storage_offset": spec.offset}
    return (LazyTensor, spec.shape), named


def check_index(device: Any) -> None:
    """There is one device of this kind."""
    if device is not None and device.type == "tenfold" and device.index:
        raise RuntimeError(f"unknown device '{device}'; use 'tenfold' or 'tenfold:0', there is one")


def is_strided(args: tuple) -> bool:
    """Whether a tensor among the arguments has other strides than row-major ones."""
    return any(isinstance(a, LazyTensor) and a._lazy.spec.strides != row_major(a._lazy.spec.shape) for a in args)


def reshape_in_place(tensor: LazyTensor, value: Value) -> None:
    """The tensor stands for another value, of another shape, from now on."""
    with torch._C._DisableTorchDispatch():
        torch.Tensor.data.__set__(tensor, wrap(value))
    tensor._lazy = value


def resize_within(tensor: LazyTensor, size: tuple[int, ...]) -> bool:
    """The tensor takes other elements of its memory from where it begins, as resize_ does; False: it ends before."""
    value, wanted = tensor._lazy, spec_of(size, tensor._lazy.spec.dtype)
    root = value.root
    if root.spec.dtype != wanted.dtype or value.spec.offset + wanted.numel > root.spec.numel:
        return False
    made = aten.as_strided.default(wrap(root), size, wanted.strides, value.spec.offset)
    reshape_in_place(tensor, made._lazy)
    return True
