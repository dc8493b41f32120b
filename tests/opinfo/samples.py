"""What is tried of one entry of PyTorch's databases, and what "right" means.

Right: the device's results (and gradients) equal the CPU's within OpInfo's own tolerances, or are as near to what the
CPU computes in float64 as its float32 results are; of random ops, their shapes and types. A sample that the CPU itself
refuses is left out.
"""

from __future__ import annotations

import itertools
import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import torch
from torch.testing._internal.common_device_type import precisionOverride, toleranceOverride
from torch.utils._python_dispatch import _disable_current_modes
from torch.utils._pytree import tree_flatten, tree_map

DTYPES = (torch.float32, torch.int64, torch.bool)
TOLERANCE = {torch.float32: (1e-5, 1.3e-6), torch.float64: (1e-7, 1e-7), torch.complex64: (1e-5, 1.3e-6)}

NEARLY = 3.0

# Results are drawn, or are memory nobody wrote to: the same numbers cannot be asked for.
RANDOM = {
    "bernoulli",
    "cauchy",
    "empty",
    "empty_like",
    "empty_permuted",
    "empty_strided",
    "exponential",
    "geometric",
    "log_normal",
    "multinomial",
    "new_empty",
    "new_empty_strided",
    "nn.functional.alpha_dropout",
    "nn.functional.dropout",
    "nn.functional.dropout2d",
    "nn.functional.dropout3d",
    "nn.functional.feature_alpha_dropout",
    "nn.functional.fractional_max_pool2d",
    "nn.functional.fractional_max_pool3d",
    "nn.functional.rrelu",
    "normal",
    "pca_lowrank",
    "rand_like",
    "randint",
    "randint_like",
    "randn",
    "randn_like",
    "svd_lowrank",
    "uniform",
}
# Places of equal elements: any of them is right.
TIES = {"argsort", "kthvalue", "mode", "msort", "sort", "topk"}
# Tensors that say where to cut are the host's, on every device.
HOST_ARGS = {"tensor_split"}
DROPOUT_ARGS = ("dropout_p", "dropout")


@dataclass
class Sample:
    """One call: `run(move, grads)` gives its results, and the gradients of what asks for them."""

    run: Callable[[Callable[[Any], Any]], tuple[Any, list[Any]]]
    random: bool
    tolerance: tuple[float, float] | None
    text: str
    ties: torch.Tensor | None = None  # what the places in the results are places of


def dtypes_of(entry: Any) -> list[torch.dtype]:
    have = entry.supported_dtypes("cpu") if hasattr(entry, "supported_dtypes") else entry.dtypes
    chosen = [d for d in DTYPES if d in have]
    return chosen or [d for d in (torch.complex64,) if d in have]


def tolerance_of(entry: Any, dtype: torch.dtype) -> tuple[float, float] | None:
    """The widest the entry asks for at this type."""
    if dtype not in TOLERANCE:
        return None
    atol, rtol = TOLERANCE[dtype]
    for decorator in getattr(entry, "decorators", ()) or ():
        for inner in getattr(decorator, "decorators", None) or [decorator]:
            if isinstance(inner, toleranceOverride) and dtype in inner.d:
                atol, rtol = max(atol, inner.d[dtype].atol), max(rtol, inner.d[dtype].rtol)
            elif isinstance(inner, precisionOverride) and dtype in inner.d:
                atol = max(atol, inner.d[dtype])
    return atol, rtol


def mover(device: str) -> Callable[[Any], Any]:
    """Copies onto a device; what was a leaf that asks for a gradient is one again."""

    def move(value: Any) -> Any:
        if isinstance(value, torch.Tensor):
            with torch.no_grad(), _disable_current_modes():
                made = value.detach().clone().to(device)
            return made.requires_grad_(value.requires_grad)
        if isinstance(value, torch.device):
            return torch.device(device)
        return value

    return move


def widen(value: Any) -> Any:
    """A copy, float32 as float64."""
    if not isinstance(value, torch.Tensor):
        return value
    with torch.no_grad(), _disable_current_modes():
        made = value.detach().clone()
        made = made.double() if made.dtype == torch.float32 else made
    return made.requires_grad_(value.requires_grad)


def is_as_exact(expected: Any, actual: Any, exact: Any) -> bool:
    """Whether results are no farther from the exact ones than NEARLY times as far as the CPU's own are."""
    lists = [tensors_of(v) for v in (expected, actual, exact)]
    if len({len(x) for x in lists}) != 1:
        return False
    for want, have, true in zip(*lists, strict=True):
        if want.shape != have.shape or want.shape != true.shape or want.dtype != have.dtype:
            return False
        if not want.is_floating_point():
            if not torch.equal(want, have):
                return False
            continue
        if not want.numel():
            continue
        if not torch.equal(want.isfinite(), have.isfinite()):
            return False
        known = want.isfinite() & true.isfinite()
        ours, theirs = ((v.detach().double() - true.detach())[known].abs() for v in (have, want))
        if ours.numel() and float(ours.max()) > NEARLY * float(theirs.max()):
            return False
    return True


def tensors_of(value: Any) -> list[torch.Tensor]:
    return [t for t in tree_flatten(value)[0] if isinstance(t, torch.Tensor)]


def gradients(results: Any, inputs: list[torch.Tensor]) -> list[Any]:
    """By a fixed random direction for every result, the same on each device."""
    outputs = [t for t in tensors_of(results) if t.requires_grad]
    leaves = [t for t in inputs if t.requires_grad]
    if not outputs or not leaves:
        return []
    with _disable_current_modes():
        generator = torch.Generator().manual_seed(7)
        directions = []
        for out in outputs:
            shape = (*out.shape, 2) if out.dtype.is_complex else tuple(out.shape)
            given = torch.randint(8, 24, shape, generator=generator) / 16  # exact in every floating-point type
            given = torch.view_as_complex(given) if out.dtype.is_complex else given
            directions.append(given.to(dtype=out.dtype).to(out.device))
    return list(torch.autograd.grad(outputs, leaves, directions, allow_unused=True))


def op_samples(entry: Any, dtype: torch.dtype, limit: int) -> Iterator[Sample]:
    wants_grad = bool(dtype.is_floating_point or dtype.is_complex) and entry.supports_autograd
    tolerance = tolerance_of(entry, dtype)
    torch.manual_seed(0)
    random.seed(0)
    drawn = entry.sample_inputs("cpu", dtype, requires_grad=wants_grad)
    for sample in itertools.islice(drawn, limit):

        def run(move: Callable[[Any], Any], sample: Any = sample) -> tuple[Any, list[Any]]:
            moved = sample.transform(move)
            if entry.name in HOST_ARGS:
                moved.args = sample.args
            results = entry(moved.input, *moved.args, **moved.kwargs)
            results = moved.output_process_fn_grad(results)
            leaves = tensors_of([moved.input, moved.args, moved.kwargs])
            return results, gradients(results, leaves) if wants_grad else []

        ties = sample.input.detach() if entry.name in TIES else None
        yield Sample(run, is_random(entry, sample), tolerance, describe(sample), ties)


def is_random(entry: Any, sample: Any) -> bool:
    if entry.name == "nn.functional.multi_head_attention_forward" and 0 < sample.args[9] < 1:
        return True  # its dropout has no name
    return entry.name in RANDOM or any(0 < float(sample.kwargs.get(a) or 0) < 1 for a in DROPOUT_ARGS)


def module_samples(entry: Any, dtype: torch.dtype, limit: int) -> Iterator[Sample]:
    tolerance = tolerance_of(entry, dtype)
    for training in (False, True):
        torch.manual_seed(0)
        random.seed(0)
        inputs = entry.module_inputs_func(entry, device="cpu", dtype=dtype, requires_grad=True, training=training)
        for given in itertools.islice(inputs, limit):
            if given.forward_input is None:
                continue

            def run(move: Callable[[Any], Any], given: Any = given, training: bool = training) -> tuple[Any, list[Any]]:
                torch.manual_seed(0)
                args, kwargs = given.constructor_input.args, given.constructor_input.kwargs
                module = entry.module_cls(*args, **kwargs).to(dtype)
                module.train(training)
                probe = move(torch.empty(0))
                module.to(device=probe.device, dtype=probe.dtype)
                forward = tree_map(move, (list(given.forward_input.args), given.forward_input.kwargs))
                results = module(*forward[0], **forward[1])
                leaves = tensors_of(forward) + list(module.parameters())
                return results, gradients(results, leaves)

            drawn = training and ("Dropout" in entry.name or "RReLU" in entry.name or has_dropout(given))
            yield Sample(run, drawn or "Fractional" in entry.name, tolerance, f"training={training}")


def has_dropout(given: Any) -> bool:
    return any(name.startswith("dropout") and value for name, value in given.constructor_input.kwargs.items())


def describe(sample: Any) -> str:
    def text(value: Any) -> str:
        if isinstance(value, torch.Tensor):
            return f"{str(value.dtype).removeprefix('torch.')}{list(value.shape)}"
        if isinstance(value, list | tuple):
            return "[" + ", ".join(text(v) for v in value) + "]"
        return repr(value)[:60]

    parts = [text(sample.input), *(text(a) for a in sample.args)]
    parts += [f"{k}={text(v)}" for k, v in sample.kwargs.items()]
    return ", ".join(parts)


def difference(expected: Any, actual: Any, sample: Sample) -> str:
    """Empty when equal; else what differs."""
    flat_expected, flat_actual = tree_flatten(expected)[0], tree_flatten(actual)[0]
    if len(flat_expected) != len(flat_actual):
        return f"{len(flat_actual)} results for {len(flat_expected)}"
    for i, (want, have) in enumerate(zip(flat_expected, flat_actual, strict=True)):
        if isinstance(want, torch.Tensor) != isinstance(have, torch.Tensor):
            return f"result {i}: {type(have).__name__} for {type(want).__name__}"
        why = compare(want, have, sample)
        if why:
            return f"result {i}: {why}"
    return ""


def compare(want: Any, have: Any, sample: Sample) -> str:
    if not isinstance(want, torch.Tensor):
        if isinstance(want, float | complex) and not sample.random:
            same = torch.isclose(torch.tensor(want), torch.tensor(have), rtol=1e-4, atol=1e-5, equal_nan=True)
            return "" if same else f"{have} for {want}"
        return "" if want == have or sample.random or callable(want) else f"{have} for {want}"
    if tuple(want.shape) != tuple(have.shape) or want.dtype != have.dtype:
        return f"{have.dtype}{list(have.shape)} for {want.dtype}{list(want.shape)}"
    if sample.random:
        return ""
    have, want = have.detach().cpu(), want.detach()
    if want.layout != have.layout:
        return f"{have.layout} for {want.layout}"
    if want.layout != torch.strided and want.layout != torch.jagged:
        have, want = have.to_dense(), want.to_dense()
    atol, rtol = sample.tolerance or (0.0, 0.0)
    if want.is_floating_point() or want.is_complex():
        atol, rtol = max(atol, 1e-5), max(rtol, 1.3e-6)
    try:
        torch.testing.assert_close(have, want, atol=atol, rtol=rtol, equal_nan=True, check_stride=False)
    except AssertionError as error:
        if sample.ties is not None and want.dtype == torch.int64 and same_elements(sample.ties, want, have):
            return ""
        lines = [line for line in str(error).splitlines() if (line and "allowed" not in line) or "Greatest" in line]
        return " ".join(lines)[:200]
    return ""


def same_elements(source: torch.Tensor, want: torch.Tensor, have: torch.Tensor) -> bool:
    """True when two tensors of places along some dimension name equal elements."""
    for dim in range(source.dim()):
        places = [p if p.dim() == source.dim() else p.unsqueeze(dim) for p in (want, have)]
        if any(p.min() < 0 or p.max() >= source.shape[dim] for p in places if p.numel()):
            continue
        try:
            first, second = (torch.gather(source, dim, p) for p in places)
        except RuntimeError:
            continue
        if torch.equal(first, second):
            return True
    return False
