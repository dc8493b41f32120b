"""Ops that the lazy device does not simply record: copies between devices, reads, aliases, memory without values."""

from __future__ import annotations

from typing import Any

import torch

from tenfold.torch.lazy import pending
from tenfold.torch.lazy.ops import call
from tenfold.torch.lazy.schema import handler_of, special
from tenfold.torch.lazy.tensor import LazyTensor, aten, reshape_in_place, resize_within, wrap
from tenfold.torch.lazy.values import Spec, Value, host, spec_of, spec_of_memory


def bring(tensor: torch.Tensor) -> torch.Tensor:
    """The tensor's values on the CPU; of a lazy one memory that must not be written to."""
    return pending.materialize(tensor._lazy) if isinstance(tensor, LazyTensor) else tensor


def record(op: Any, *args: Any, **kwargs: Any) -> Any:
    return call(handler_of(op), args, kwargs)


# ---- the same memory ------------------------------------------------------------------------------------------------


@special(aten.detach.default, aten.alias.default, aten.lift_fresh.default, aten.lift.default)
def _same(op: Any, tensor: LazyTensor) -> LazyTensor:
    return wrap(tensor._lazy)


@special(aten.unsafe_split.Tensor, aten.unsafe_split_with_sizes.default)
def _split(op: Any, tensor: LazyTensor, sizes: Any, dim: int = 0) -> list[LazyTensor]:
    """Parts of the same memory, of which autograd is not told."""
    views = aten.split.Tensor if op is aten.unsafe_split.Tensor else aten.split_with_sizes.default
    return record(views, tensor, sizes, dim)


@special(aten.as_strided_scatter.default)
def _strided_scatter(op: Any, tensor: torch.Tensor, source: torch.Tensor, size: Any, stride: Any, *rest: Any) -> Any:
    if isinstance(tensor, LazyTensor):
        aten.as_strided.default(tensor, size, stride, *rest)  # raises where that leaves the memory
    return record(op, tensor, source, size, stride, *rest)


@special(aten.detach_.default)
def _same_in_place(op: Any, tensor: LazyTensor) -> LazyTensor:
    return tensor


# ---- between host and device ----------------------------------------------------------------------------------------


def _is_whole(value: Value) -> bool:
    """Whether the value is all of some memory, of which nothing but one number is known yet."""
    root = value.root
    return root.fill is not None and (
        value is root or (value.parent is root and value.step is not None and value.step[0] is value.spec.turn)
    )


@special(aten.copy_.default)
def _copy(op: Any, target: torch.Tensor, source: torch.Tensor, non_blocking: bool = False) -> torch.Tensor:
    if not isinstance(target, LazyTensor):
        target.copy_(bring(source))
        return target
    value, root = target._lazy, target._lazy.root
    if not isinstance(source, LazyTensor) and _is_whole(value):
        if source.numel():
            pending.data_came()
        plain = source.detach().resolve_conj().resolve_neg().to(value.spec.dtype)
        if plain.shape != value.spec.shape:
            plain = plain.expand(value.spec.shape)
        if value is not root:
            plain = plain.permute(value.spec.order)
        root.hold(plain.clone(memory_format=torch.contiguous_format))
        root.fill = None
        return target
    return record(op, target, source)


@special(aten._copy_from.default, aten._copy_from_and_resize.default)
def _copy_from(op: Any, source: torch.Tensor, target: torch.Tensor, non_blocking: bool = False) -> torch.Tensor:
    return _copy(aten.copy_.default, target, source)


@special(aten._to_copy.default)
def _to_copy(op: Any, tensor: torch.Tensor, **kwargs: Any) -> torch.Tensor:
    device = kwargs.get("device")
    if device is not None and torch.device(device).type == "cpu":
        kwargs.pop("non_blocking", None)
        return aten._to_copy.default(bring(tensor), **kwargs)
    if device is not None and torch.device(device).type != "tenfold":
        return aten._to_copy.default(bring(tensor), **kwargs)
    if not isinstance(tensor, LazyTensor):
        return wrap(Value.concrete(tensor.detach().to(kwargs.get("dtype") or tensor.dtype, copy=True)))
    return record(op, tensor, **{k: v for k, v in kwargs.items() if k in ("dtype", "memory_format")})


@special(aten._local_scalar_dense.default, aten.item.default)
def _item(op: Any, tensor: LazyTensor) -> Any:
    value = tensor._lazy
    known = pending.fold(value)
    if known is None and not value.spec.dtype.is_floating_point and not value.spec.dtype.is_complex:
        known = pending.fold(value, inputs=True)  # how a loop is to go on, which needs little of what is pending
    return bring(tensor).item() if known is None else known.item()


@special(aten.equal.default)
def _equal(op: Any, a: torch.Tensor, b: torch.Tensor) -> bool:
    return torch.equal(bring(a), bring(b))


@special(aten.allclose.default)
def _allclose(op: Any, a: Any, b: Any, rtol: float = 1e-5, atol: float = 1e-8, equal_nan: bool = False) -> bool:
    return bool(bring(torch.isclose(a, b, rtol, atol, equal_nan).all()))


@special(aten.is_pinned.default)
def _is_pinned(op: Any, tensor: torch.Tensor, device: Any = None) -> bool:
    return False


@special(aten._pin_memory.default, aten.pin_memory.default)
def _pin(op: Any, tensor: torch.Tensor, device: Any = None) -> torch.Tensor:
    return tensor


@special(aten.is_same_size.default)
def _is_same_size(op: Any, a: torch.Tensor, b: torch.Tensor) -> bool:
    return a.shape == b.shape


@special(aten._has_same_storage_numel.default)
def _has_same_storage(op: Any, a: LazyTensor, b: LazyTensor) -> bool:
    return a._lazy.root.spec.numel == b._lazy.root.spec.numel


@special(aten._fused_sdp_choice.default)
def _attention_choice(op: Any, *args: Any, **kwargs: Any) -> int:
    return 0  # the plain form: the compiler sees through it


# ---- resizing, backwards --------------------------------------------------------------------------------------------

_weights: dict[Any, torch.Tensor] = {}


def _weight(name: str, size: int, to: int, options: tuple) -> torch.Tensor:
    """The matrix that a resize is along one dimension, from PyTorch's own kernel."""
    key = (name, size, to, options)
    found = _weights.get(key)
    if found is None:
        rows = torch.eye(size)
        if "nearest" in name:
            made = getattr(aten, "_upsample_nearest_exact1d" if "exact" in name else "upsample_nearest1d")(
                rows[None], [to], options[-1]
            )[0]
        elif "bicubic" in name or name.endswith("_aa"):
            made = getattr(aten, name)(rows[:, None, :, None], [to, 1], options[0], options[-1], None)[:, 0, :, 0]
        else:
            made = aten.upsample_linear1d(rows[None], [to], options[0], options[-1])[0]
        found = _weights[key] = made.contiguous()
    return found


def _resize_backward(op: Any, grad: LazyTensor, output_size: Any, input_size: Any, *rest: Any, **named: Any) -> Any:
    """Resizing is a matrix along each dimension: its gradient is the transposed one."""
    handler = handler_of(op)
    if handler.known:
        return call(handler, (grad, output_size, input_size, *rest), named)
    name = op._schema.name.split("::")[1].removesuffix("_backward")
    names = [a.name for a in op._schema.arguments[3:]]
    given = dict(zip(names, rest, strict=False)) | named
    result = grad
    for d, (size, to) in enumerate(zip(input_size[2:], output_size, strict=True)):
        letter = ("scales_d", "scales_h", "scales_w")[3 - len(output_size) :][d]
        scale = given.get(letter, given.get("scales"))
        options = (bool(given.get("align_corners", False)), scale)
        weight = wrap(Value.concrete(_weight(name, size, to, options).to(grad.dtype)))
        result = aten.transpose.int(aten.matmul(aten.transpose.int(result, 2 + d, -1), aten.t(weight)), 2 + d, -1)
    return result


for _name in torch._C._dispatch_get_all_op_names():
    if "upsample" in _name and _name.endswith("_backward"):
        special(getattr(aten, _name.removeprefix("aten::")).default)(_resize_backward)


@special(aten._linalg_det.default, aten._linalg_slogdet.default)
def _determinant(op: Any, matrix: LazyTensor) -> Any:
    """The gradient takes the factors to be those of the transposed matrix if and only if it is row-major."""
    flip = not matrix.is_contiguous() and not matrix.is_complex()
    return record(op, aten.transpose.int(matrix, -2, -1) if flip else matrix)


@special(aten.rrelu_with_noise.default)
def _rrelu(op: Any, tensor: LazyTensor, noise: LazyTensor, *args: Any, **kwargs: Any) -> LazyTensor:
    made, drawn = record(aten.rrelu_with_noise_functional.default, tensor, noise, *args, **kwargs)
    record(aten.copy_.default, noise, drawn)
    return made


# ---- packed sequences: their lengths are the host's, and with them which rows go where ------------------------------


@special(aten._pack_padded_sequence.default)
def _pack(op: Any, padded: LazyTensor, lengths: torch.Tensor, batch_first: bool) -> tuple[LazyTensor, torch.Tensor]:
    count = padded.shape[0] * padded.shape[1]
    rows, sizes = op(torch.arange(count).view(padded.shape[:2]), bring(lengths), batch_first)
    flat = aten.reshape(padded, (count, *padded.shape[2:]))
    return aten.index.Tensor(flat, [rows]), sizes


@special(aten._pack_padded_sequence_backward.default)
def _pack_backward(op: Any, grad: LazyTensor, size: Any, sizes: torch.Tensor, batch_first: bool) -> LazyTensor:
    steps, batch = (size[1], size[0]) if batch_first else (size[0], size[1])
    places = torch.arange(steps * batch).view(size[:2])
    places = places.t() if batch_first else places
    rows = torch.cat([places[step, :rows] for step, rows in enumerate(sizes.tolist())])
    flat = filled((steps * batch, *size[2:]), grad.dtype, 0)
    return aten.reshape(aten.index_put(flat, [rows], grad), tuple(size))


# ---- memory without values ------------------------------------------------------------------------------------------


def filled(shape: Any, dtype: torch.dtype | None, number: Any) -> LazyTensor:
    return wrap(Value.filled(spec_of(tuple(int(s) for s in shape), dtype or torch.get_default_dtype()), number))


def filled_as(spec: Spec, dtype: torch.dtype | None, number: Any) -> LazyTensor:
    return wrap(Value.filled(spec if dtype in (None, spec.dtype) else spec_of(spec.shape, dtype, spec.strides), number))


_likes: dict[Any, Spec] = {}


def _spec_like(tensor: torch.Tensor, memory_format: torch.memory_format | None) -> Spec:
    """The spec of an empty_like: strides are kept where memory has no gaps, unless others are requested."""
    key = (tensor.shape, tensor.stride(), tensor.dtype, memory_format)
    found = _likes.get(key)
    if found is None:
        stand_in = torch.empty_strided(tensor.shape, tensor.stride(), dtype=tensor.dtype, device="meta")
        made = torch.empty_like(stand_in, memory_format=memory_format or torch.preserve_format)
        found = _likes[key] = spec_of_memory(tuple(made.shape), made.dtype, made.stride())
    return found


@special(aten.empty.memory_format)
def _empty(op: Any, size: Any, *, dtype: Any = None, memory_format: Any = None, **_: Any) -> LazyTensor:
    if memory_format in (None, torch.contiguous_format):
        return filled(size, dtype, 0)
    made = torch.empty(size, dtype=dtype, device="meta", memory_format=memory_format)
    return filled_as(spec_of_memory(tuple(made.shape), made.dtype, made.stride()), None, 0)


@special(aten.empty_strided.default)
def _empty_strided(op: Any, size: Any, stride: Any, *, dtype: Any = None, **_: Any) -> LazyTensor:
    made = torch.empty_strided(size, stride, dtype=dtype, device="meta")
    spec = spec_of_memory(tuple(made.shape), made.dtype, made.stride())
    if spec.strides == made.stride():
        return filled_as(spec, None, 0)
    base = filled([made.untyped_storage().nbytes() // made.itemsize], made.dtype, 0)  # gaps, or elements in one place
    return aten.as_strided.default(base, size, stride)


@special(aten.empty_permuted.default)
def _empty_permuted(op: Any, size: Any, physical: Any, *, dtype: Any = None, **_: Any) -> LazyTensor:
    made = torch.empty_permuted(size, physical, dtype=dtype, device="meta")
    return filled_as(spec_of_memory(tuple(made.shape), made.dtype, made.stride()), None, 0)


@special(aten.empty_like.default, aten.zeros_like.default, aten.ones_like.default)
def _filled_like(
    op: Any, tensor: torch.Tensor, *, dtype: Any = None, device: Any = None, memory_format: Any = None, **_: Any
) -> torch.Tensor:
    if device is not None and torch.device(device).type != "tenfold":
        like = torch.empty_strided(tensor.shape, tensor.stride(), dtype=tensor.dtype, device=device)
        return op(like, dtype=dtype, memory_format=memory_format)
    return filled_as(_spec_like(tensor, memory_format), dtype, int(op is aten.ones_like.default))


@special(aten.full_like.default)
def _full_like(
    op: Any,
    tensor: torch.Tensor,
    number: Any,
    *,
    dtype: Any = None,
    device: Any = None,
    memory_format: Any = None,
    **_: Any,
) -> Any:
    if device is not None and torch.device(device).type != "tenfold":
        like = torch.empty_strided(tensor.shape, tensor.stride(), dtype=tensor.dtype, device=device)
        return torch.full_like(like, number, dtype=dtype, memory_format=memory_format or torch.preserve_format)
    return filled_as(_spec_like(tensor, memory_format), dtype, number)


@special(aten.new_empty.default, aten.new_zeros.default, aten.new_ones.default)
def _new_filled(op: Any, tensor: torch.Tensor, size: Any, *, dtype: Any = None, device: Any = None, **_: Any) -> Any:
    number = int(op is aten.new_ones.default)
    if device is not None and torch.device(device).type != "tenfold":
        return torch.full(tuple(size), number, dtype=dtype or tensor.dtype, device=device)
    return filled(size, dtype or tensor.dtype, number)


@special(aten.new_full.default)
def _new_full(
    op: Any, tensor: torch.Tensor, size: Any, number: Any, *, dtype: Any = None, device: Any = None, **_: Any
):
    if device is not None and torch.device(device).type != "tenfold":
        return torch.full(tuple(size), number, dtype=dtype or tensor.dtype, device=device)
    return filled(size, dtype or tensor.dtype, number)


@special(aten.new_empty_strided.default)
def _new_empty_strided(
    op: Any, tensor: torch.Tensor, size: Any, stride: Any, *, dtype: Any = None, **kwargs: Any
) -> Any:
    return _empty_strided(aten.empty_strided.default, size, stride, dtype=dtype or tensor.dtype)


@special(aten.zeros.default, aten.ones.default, aten._efficientzerotensor.default)
def _zeros(op: Any, size: Any, *, dtype: Any = None, **_: Any) -> LazyTensor:
    return filled(size, dtype, int(op is aten.ones.default))


@special(aten.full.default)
def _full(op: Any, size: Any, number: Any, *, dtype: Any = None, **_: Any) -> LazyTensor:
    if dtype is None:
        dtype = torch.full((), number).dtype
    return filled(size, dtype, number)


@special(aten.scalar_tensor.default)
def _scalar_tensor(op: Any, number: Any, *, dtype: Any = None, device: Any = None, **_: Any) -> torch.Tensor:
    if device is None or torch.device(device).type != "tenfold":
        return op(number, dtype=dtype, device=device or "cpu")
    return filled((), dtype, number)


@special(aten.zero_.default)
def _zero(op: Any, tensor: LazyTensor) -> LazyTensor:
    value = tensor._lazy
    if _is_whole(value):
        value.root.fill = 0
        return tensor
    return record(op, tensor)


@special(aten.fill_.Scalar)
def _fill(op: Any, tensor: LazyTensor, number: Any) -> LazyTensor:
    value = tensor._lazy
    if _is_whole(value):
        try:
            torch.full((), number, dtype=value.spec.dtype)
        except (RuntimeError, TypeError):
            return record(op, tensor, number)
        value.root.fill = number
        return tensor
    return record(op, tensor, number)


# ---- another shape, or other memory, in place -----------------------------------------------------------------------


@special(aten.resize_.default)
def _resize(op: Any, tensor: LazyTensor, size: Any, memory_format: Any = None) -> LazyTensor:
    size = tuple(int(s) for s in size)
    if size != tensor._lazy.spec.shape and not resize_within(tensor, size):
        old = bring(wrap(tensor._lazy.root)).reshape(-1)[tensor._lazy.spec.offset :]
        fresh = torch.zeros(size, dtype=old.dtype)
        count = min(old.numel(), fresh.numel())
        fresh.view(-1)[:count] = old[:count]
        reshape_in_place(tensor, Value.concrete(fresh))
    return tensor


@special(aten.set_.source_Tensor, aten.set_.default)
def _set(op: Any, tensor: LazyTensor, source: LazyTensor | None = None) -> LazyTensor:
    value = source._lazy if source is not None else Value.filled(spec_of((0,), tensor.dtype), 0)
    reshape_in_place(tensor, value)
    return tensor


def _view_in_place(op: Any, *args: Any, **kwargs: Any) -> LazyTensor:
    """squeeze_, t_ and the like: the tensor becomes a view of what it was."""
    packet = getattr(aten, op._schema.name.split("::")[1][:-1])
    overload = op._overloadname if op._overloadname in packet.overloads() else "int"  # transpose_ is transpose.int
    made = getattr(packet, overload)(*args, **kwargs)
    reshape_in_place(args[0], made._lazy)
    return args[0]


for _name in ("squeeze_", "unsqueeze_", "transpose_", "t_", "as_strided_", "swapaxes_", "swapdims_"):
    _packet = getattr(aten, _name)
    for _overload in _packet.overloads():
        special(getattr(_packet, _overload))(_view_in_place)

__all__ = ["bring", "filled", "host"]
