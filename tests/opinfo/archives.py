"""Entries of PyTorch's OpInfo database through `.pt2` archives: an export leaves whole what PyTorch itself writes with
other ops, and writes in place, which no other door gets to see.

    make opinfo-archives [ARGS="ENTRY …"]      prints what is wrong; exits with 1 where something is
"""

from __future__ import annotations

import contextlib
import itertools
import signal
import sys
import tempfile
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import samples
import tenfold
import torch
from torch.utils._pytree import tree_flatten, tree_unflatten

SECONDS = 60  # for one sample
# What is refused, and by which words: those samples do not count, wrong answers of the same entry do. The first are no
# programs, or not taken; the archives of the last two are refused by PyTorch itself, or say a wrong shape.
REFUSED = {
    "_segment_reduce.lengths": "only the first dimension is supported",
    "_segment_reduce.offsets": "only the first dimension is supported",
    "chalf": "has element type",
    "hash_tensor": "without a lowering",
    "istft": "a complex signal is not supported",
    "linalg.eigvals": "without a lowering",
    "linalg.ldl_solve": "without a lowering",
    "nn.functional.batch_norm": "an input of 1 dimensions",
    "nn.functional.linear_cross_entropy.chunked": "without a lowering",
    "nn.functional.linear_cross_entropy.chunked_none": "without a lowering",
    "resize_": "without a lowering",
    "resize_as_": "without a lowering",
    "to_sparse": "is sparse",
    "masked_select": "Runtime assertion failed",
    "unique_consecutive": "where PyTorch has",
}


class Call(torch.nn.Module):
    """A function of the tensors among its arguments; all else is given."""

    def __init__(self, function: Callable[..., Any], arguments: Any) -> None:
        super().__init__()
        leaves, self.tree = tree_flatten(arguments)
        self.function = function
        self.fixed = [None if isinstance(leaf, torch.Tensor) else leaf for leaf in leaves]
        self.moving = [i for i, leaf in enumerate(leaves) if isinstance(leaf, torch.Tensor)]
        self.tensors = [leaves[i] for i in self.moving]

    def copies(self) -> tuple[torch.Tensor, ...]:
        return tuple(t.detach().clone() for t in self.tensors)

    def forward(self, *tensors: torch.Tensor) -> Any:
        leaves = list(self.fixed)
        for i, tensor in zip(self.moving, tensors, strict=True):
            leaves[i] = tensor
        args, kwargs = tree_unflatten(leaves, self.tree)
        return self.function(*args, **kwargs)


@contextlib.contextmanager
def in_time() -> Iterator[None]:
    def stop(*_: Any) -> None:
        raise TimeoutError(f"more than {SECONDS} s")

    before = signal.signal(signal.SIGALRM, stop)
    signal.alarm(SECONDS)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


def results_of(path: Path, call: Call) -> list[torch.Tensor]:
    results = tenfold.load(path)(*[t.numpy() for t in call.copies()])
    return [torch.from_dlpack(r) for r in results]


def exported(call: Call, path: Path) -> list[torch.Tensor] | None:
    """What PyTorch makes of it; None where it makes nothing, or no archive."""
    try:
        with in_time(), torch.no_grad():
            wanted = samples.tensors_of(call(*call.copies()))
            if not wanted or not call.tensors or any(t.layout != torch.strided for t in wanted):
                return None
            torch.export.save(torch.export.export(call, call.copies(), strict=False), path)
    except Exception:
        return None
    return [t.resolve_conj().resolve_neg() for t in wanted]


def failure(call: Call, sample: samples.Sample, path: Path) -> str | None:
    """Empty: it is right. None: nothing to try."""
    wanted = exported(call, path)
    if wanted is None:
        return None
    try:
        with in_time():
            have = results_of(path, call)[: len(wanted)]
    except Exception as error:
        return str(error)
    return samples.difference(wanted, have, sample)


def failures(entry: Any, dtype: torch.dtype, limit: int) -> Iterator[str | None]:
    """Of up to so many samples, spread over all there are, as they are and in place."""
    torch.manual_seed(0)
    drawn = list(entry.sample_inputs("cpu", dtype, requires_grad=False))
    ties = entry.name in samples.TIES
    with tempfile.TemporaryDirectory() as folder:
        for way, function in (("", entry.op), ("in place ", entry.inplace_variant)):
            for given in itertools.islice(drawn, 0, None, max(1, len(drawn) // limit)):
                if function is None or (way and given.broadcasts_input):
                    continue
                text = samples.describe(given)
                source = given.input.detach() if ties else None
                tolerance = (1e-4, 1e-3) if dtype == torch.float32 else samples.tolerance_of(entry, dtype)
                sample = samples.Sample(lambda _: (None, []), samples.is_random(entry, given), tolerance, text, source)
                call = Call(function, ((given.input, *given.args), dict(given.kwargs)))
                why = failure(call, sample, Path(folder) / "call.pt2")
                words = REFUSED.get(entry.full_name)
                if why and words and words in why:
                    why = None
                yield f"{way}{text}: {why}" if why else why


def main() -> int:
    from torch.testing._internal.common_methods_invocations import op_db

    warnings.simplefilter("ignore")
    wrong = tried = 0
    for entry in op_db:
        if sys.argv[1:] and entry.full_name not in sys.argv[1:]:
            continue
        for dtype in samples.dtypes_of(entry):
            for why in failures(entry, dtype, 4):
                tried += why is not None
                wrong += bool(why)
                if why:
                    print(f"{entry.full_name}: {why}", flush=True)
    print(f"{tried} archives, {wrong} wrong")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
