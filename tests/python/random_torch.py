"""PyTorch programs made at random: views, writes in place, mixed types. Each is run by eager and through every door.

    random_torch.py [--seeds 0:100] [--doors compile,lazy,archive,decomposed] [--gradients] [--show]

Tensors of whole numbers stay exact, and only those decide anything; the rest may be a rounding or two apart. What a
program does to its inputs is compared too.
"""

from __future__ import annotations

import argparse
import logging
import sys
import tempfile
import warnings
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any

import torch
from random_programs import try_seeds
from torch.nn import functional as F

TYPES = [torch.float32] * 6 + [torch.float64, torch.int64, torch.int64, torch.int32, torch.bool, torch.uint8]
MOST = 2000


@dataclass
class Made:
    """What is known of a tensor while the program is made; `root` names what it shares its memory with."""

    exact: bool
    root: int
    spread: bool = False  # elements share memory: not to be written to


@dataclass
class Plan:
    inputs: list[torch.Tensor]
    steps: list[tuple[str, list[int], Any]] = field(default_factory=list)
    results: list[int] = field(default_factory=list)


def fill(shape: list[int], dtype: torch.dtype, random: Random) -> torch.Tensor:
    count = 1
    for n in shape:
        count *= n
    numbers = [random.randint(0, 1) if dtype == torch.bool else random.randint(0 if dtype == torch.uint8 else -3, 3)
               for _ in range(count)]  # fmt: skip
    return torch.tensor(numbers).reshape(shape).to(dtype)


def apply(name: str, args: list[torch.Tensor], extra: Any) -> torch.Tensor:
    x = args[0]
    if name in VIEWS or name in PLAIN:
        return (VIEWS | PLAIN)[name](x, extra)
    if name in PAIRS:
        return PAIRS[name](x, args[1])
    return WRITES[name](args, extra)


def whole(x: torch.Tensor) -> torch.Tensor:
    return x.to(torch.float32) if not x.is_floating_point() else x


VIEWS = {
    "slice": lambda x, e: x[tuple(slice(a, b, c) for a, b, c in e)],
    "select": lambda x, e: x.select(e[0], e[1]),
    "permute": lambda x, e: x.permute(e),
    "transpose": lambda x, e: x.transpose(e[0], e[1]),
    "unsqueeze": lambda x, e: x.unsqueeze(e),
    "squeeze": lambda x, e: x.squeeze(),
    "flatten": lambda x, e: x.flatten(),
    "reshape": lambda x, e: x.reshape(e),
    "expand": lambda x, e: x.unsqueeze(0).expand(e, *x.shape),
    "narrow": lambda x, e: x.narrow(*e),
    "diagonal": lambda x, e: x.diagonal(0, e[0], e[1]),
    "unfold": lambda x, e: x.unfold(*e),
    "chunk": lambda x, e: x.chunk(2, e)[-1],
    "contiguous": lambda x, e: x.contiguous(),
    "detach": lambda x, e: x.detach(),
    "to": lambda x, e: x.to(e),
    "view_as": lambda x, e: x.view_as(x),
    "movedim": lambda x, e: x.movedim(0, -1),
    "unbind": lambda x, e: x.unbind(e)[0],
    "ellipsis": lambda x, e: x[..., e],
    "none": lambda x, e: x[None],
}
EXACT = {
    "neg": lambda x, e: -x if x.dtype not in (torch.bool, torch.uint8) else x + 1,
    "abs": lambda x, e: x.abs() if x.dtype != torch.bool else ~x,
    "sum": lambda x, e: x.sum(e),
    "sum_all": lambda x, e: x.sum(),
    "amax": lambda x, e: x.amax(e),
    "cumsum": lambda x, e: x.cumsum(e),
    "flip": lambda x, e: x.flip(e),
    "roll": lambda x, e: x.roll(1, e),
    "clone": lambda x, e: x.clone(),
    "plus": lambda x, e: x + e,
    "times": lambda x, e: x * e,
    "minus_from": lambda x, e: e - x if x.dtype != torch.bool else x,
    "clamp": lambda x, e: x.clamp(-4, 4) if x.dtype not in (torch.bool, torch.uint8) else x,
    "relu": lambda x, e: F.relu(x) if x.dtype not in (torch.bool,) else x,
    "repeat": lambda x, e: x.repeat(2, *[1] * (x.dim() - 1)) if x.dim() else x.repeat(3),
    "pad": lambda x, e: F.pad(x, (1, 2), value=1),
    "tril": lambda x, e: x.tril(),
    "sort": lambda x, e: x.sort(e).values,
    "where": lambda x, e: torch.where(x > 0, x, x + 1),
    "masked": lambda x, e: x.masked_fill(x > 1, 0),
    "equal": lambda x, e: x == e,
    "less": lambda x, e: x < e,
    "nonneg": lambda x, e: (x >= 0).sum(),
    "floor": lambda x, e: torch.div(x, 2, rounding_mode="floor") if x.dtype != torch.bool else x,
    "mod": lambda x, e: x % 3 if x.dtype != torch.bool else x,
    "argmax": lambda x, e: x.cumsum(e).argmax(e) if x.dtype != torch.bool else x.sum(e),
    "any": lambda x, e: (x > 1).any(e),
    "one_hot": lambda x, e: F.one_hot(x.long().clamp(0, 4), 5),
    "rows": lambda x, e: x[torch.tensor([0, -1, 0])],
    "take": lambda x, e: x.flatten()[x.long().clamp(0, max(x.numel() - 1, 0))],
}
SMOOTH = {
    "tanh": lambda x, e: torch.tanh(x),
    "sigmoid": lambda x, e: torch.sigmoid(x),
    "softmax": lambda x, e: whole(x).softmax(e),
    "mean": lambda x, e: whole(x).mean(e),
    "std": lambda x, e: whole(x).std(),
    "div": lambda x, e: x / 3,
    "exp": lambda x, e: (whole(x).clamp(-4, 4)).exp(),
    "gelu": lambda x, e: F.gelu(whole(x)),
    "norm": lambda x, e: F.layer_norm(whole(x), x.shape[-1:]),
    "logsumexp": lambda x, e: whole(x).logsumexp(e),
}
PLAIN = EXACT | SMOOTH
PAIRS = {
    "add": lambda x, y: x + y,
    "mul": lambda x, y: x * y,
    "maximum": lambda x, y: torch.maximum(x, y),
    "eq": lambda x, y: x == y,
    "cat": lambda x, y: torch.cat([x.flatten(), y.flatten()]),
    "stack": lambda x, y: torch.stack([x, y]) if x.shape == y.shape else x + y,
    "matmul": lambda x, y: whole(x).reshape(-1, x.shape[-1]) @ whole(y).reshape(y.shape[-1], -1),
    "choose": lambda x, y: torch.where(y > 0, x, x * 2),
}


def _write(args: list[torch.Tensor], how: Any) -> torch.Tensor:
    how(*args)
    return args[0]


def _set(x: torch.Tensor, index: Any, value: Any) -> None:
    x[index] = value


WRITES = {
    "add_": lambda a, e: _write(a, lambda x: x.add_(e)),
    "mul_": lambda a, e: _write(a, lambda x: x.mul_(2)),
    "zero_": lambda a, e: _write(a, lambda x: x.zero_()),
    "fill_": lambda a, e: _write(a, lambda x: x.fill_(e)),
    "clamp_": lambda a, e: _write(a, lambda x: x.clamp_(0, 2)),
    "copy_": lambda a, e: _write(a, lambda x, y: x.copy_(y)),
    "add_other_": lambda a, e: _write(a, lambda x, y: x.add_(y.to(x.dtype))),
    "set": lambda a, e: _write(a, lambda x: _set(x, tuple(slice(p, q, r) for p, q, r in e), 1)),
    "set_last": lambda a, e: _write(a, lambda x: _set(x, (..., -1), 2)),
    "set_mask": lambda a, e: _write(a, lambda x: _set(x, x > 0, 1)),
    "set_rows": lambda a, e: _write(a, lambda x: _set(x, torch.tensor([0]), 3)),
    "masked_fill_": lambda a, e: _write(a, lambda x: x.masked_fill_(x == 0, 1)),
    "index_fill_": lambda a, e: _write(a, lambda x: x.index_fill_(0, torch.tensor([0], device=x.device), 1)),
    "transpose_": lambda a, e: _write(a, lambda x: x.mT.add_(1) if x.dim() > 1 else x.add_(1)),
    "exp_": lambda a, e: _write(a, lambda x: x.clamp_(-2, 2).exp_() if x.is_floating_point() else x.add_(1)),
}
DECIDES = {
    "sort", "where", "masked", "equal", "less", "nonneg", "floor", "mod", "argmax", "any", "one_hot", "take", "eq",
    "choose", "set_mask", "masked_fill_", "amax", "to",
}  # fmt: skip


class Maker:
    def __init__(self, seed: int) -> None:
        self.random = r = Random(seed)
        self.plan = Plan([])
        self.values: list[torch.Tensor] = []
        self.notes: list[Made] = []
        for i in range(r.randint(1, 3)):
            shape = [r.choice([1, 2, 3, 4, 5]) for _ in range(r.choice([1, 2, 2, 3]))]
            given = fill(shape, r.choice(TYPES), r)
            self.plan.inputs.append(given.clone())
            self.values.append(given)
            self.notes.append(Made(True, i))

    def extra(self, name: str, x: torch.Tensor) -> Any:
        r, rank = self.random, x.dim()
        dim = r.randrange(rank) if rank else 0
        if name in ("slice", "set"):
            return [(r.choice([None, 0, 1]), r.choice([None, -1, 2]), r.choice([None, 1, 2])) for _ in range(rank)]
        if name == "select":
            return (dim, r.choice([0, -1]))
        if name == "permute":
            return r.sample(range(rank), rank)
        if name == "transpose":
            return (dim, -1)
        if name == "unsqueeze":
            return r.randint(0, rank)
        if name == "reshape":
            return r.choice([(-1,), (1, -1), (x.shape[0], -1), (-1, x.shape[-1])])
        if name == "expand":
            return r.randint(1, 3)
        if name == "narrow":
            return (dim, 0, max(1, x.shape[dim] - 1))
        if name == "diagonal":
            return (0, rank - 1)
        if name == "unfold":
            return (dim, min(2, x.shape[dim]), 1)
        if name == "to":
            return r.choice(TYPES)
        if name == "ellipsis":
            return r.choice([0, -1])
        if name in ("flip", "roll", "chunk", "unbind", "sum", "amax", "cumsum", "sort", "softmax", "mean", "logsumexp"):
            return dim
        if name in ("argmax", "any"):
            return dim
        return r.choice([1, 2, -1, 2.0, True]) if name in ("plus", "times", "minus_from") else r.choice([0, 1, 2])

    def pick(self) -> int:
        if self.random.random() < 0.5:
            return self.random.randrange(max(0, len(self.values) - 3), len(self.values))
        return self.random.randrange(len(self.values))

    def step(self) -> None:
        r = self.random
        kind = r.choices([VIEWS, EXACT, SMOOTH, PAIRS, WRITES], [6, 5, 1, 2, 6])[0]
        name, at = r.choice(list(kind)), [self.pick()]
        if name in PAIRS or name in ("copy_", "add_other_"):
            at.append(self.pick())
        args, notes = [self.values[i] for i in at], [self.notes[i] for i in at]
        x, note = args[0], notes[0]
        exact = all(n.exact for n in notes)
        if (name in DECIDES and not exact) or (kind is WRITES and (note.spread or not x.numel())):
            return
        if name == "exp_" or (kind is WRITES and not exact):
            self.notes[at[0]].exact = False  # and all that shares its memory
            for n in self.notes:
                n.exact &= n.root != note.root
        if not x.dim() and name not in (
            "plus",
            "times",
            "clone",
            "add_",
            "fill_",
            "unsqueeze",
            "none",
            "tanh",
            "add",
            "mul",
        ):
            return
        extra = self.extra(name, x)
        try:  # tried on copies: what eager refuses is no part of the program
            tried = apply(name, [a.clone() for a in args], extra)
            if tried.numel() > MOST or tried.numel() == 0 or tried.abs().max() > 1000:
                return
        except (RuntimeError, IndexError, TypeError, ValueError):
            return
        try:
            result = apply(name, args, extra)
        except RuntimeError:  # memory that overlaps, which copies do not
            return
        self.plan.steps.append((name, at, extra))
        shares = result.untyped_storage().data_ptr() == x.untyped_storage().data_ptr()
        root = note.root if shares else len(self.values)
        spread = shares and (note.spread or name in ("expand", "unfold"))
        self.values.append(result)
        self.notes.append(Made(exact and name not in SMOOTH and name != "exp_", root, spread))

    def make(self) -> Plan:
        for _ in range(self.random.randint(3, 16)):
            self.step()
        count = len(self.values)
        self.plan.results = sorted(set(self.random.sample(range(count), min(count, 4))) | {count - 1})
        return self.plan


def program(plan: Plan):
    def call(*inputs: torch.Tensor) -> list[torch.Tensor]:
        values = list(inputs)
        for name, at, extra in plan.steps:
            values.append(apply(name, [values[i] for i in at], extra))
        return [values[i] for i in plan.results]

    return call


class Whole(torch.nn.Module):
    def __init__(self, plan: Plan) -> None:
        super().__init__()
        self.call = program(plan)

    def forward(self, *inputs: torch.Tensor) -> list[torch.Tensor]:
        return self.call(*inputs)


def through(door: str, plan: Plan) -> tuple[list[torch.Tensor], list[torch.Tensor]]:
    """The results and the inputs after the call."""
    import tenfold
    from tenfold.torch import backend as torch_backend

    inputs = [t.clone() for t in plan.inputs]
    if door == "eager":
        return program(plan)(*inputs), inputs
    if door == "compile":
        torch._dynamo.reset()
        return torch.compile(program(plan), backend=torch_backend.backend, fullgraph=True)(*inputs), inputs
    if door == "lazy":
        tenfold.reset_stats()
        inputs = [t.to("tenfold") for t in inputs]
        results = program(plan)(*inputs)
        return [t.cpu() for t in results], [t.cpu() for t in inputs]
    exported = torch.export.export(Whole(plan), tuple(inputs))
    if door == "decomposed":
        exported = exported.run_decompositions()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "m.pt2"
        torch.export.save(exported, path)
        made = [torch.from_dlpack(r) for r in tenfold.load(path)(*plan.inputs)]
    return made, []


def differences(seed: int, doors: list[str]) -> list[str]:
    plan = Maker(seed).make()
    want, changed = through("eager", plan)
    found = []
    for door in doors:
        try:
            have, after = through(door, plan)
        except Exception as error:
            lines = str(error).strip().splitlines() or [""]
            found.append(f"{door}: {type(error).__name__}: {lines[0][:300]}")
            continue
        have = have[: len(want)]  # an archive's program gives what it changed after them
        named = [(f"result {i}", a, b) for i, (a, b) in enumerate(zip(want, have, strict=True))]
        named += [(f"input {i} after", a, b) for i, (a, b) in enumerate(zip(changed, after, strict=False))]
        for name, a, b in named:
            try:
                torch.testing.assert_close(b, a, rtol=1e-4, atol=1e-4, equal_nan=True, check_stride=False)
            except AssertionError as error:
                found.append(f"{door}: {name}: {str(error).splitlines()[0]} {a.dtype}{list(a.shape)}")
    return found


def gradients(door: str, plan: Plan) -> list[torch.Tensor | None]:
    """Of the sum of all results by the inputs; leaves must not be written to, so the program starts with copies."""
    from tenfold.torch import backend as torch_backend

    def call(*inputs: torch.Tensor) -> torch.Tensor:
        results = program(plan)(*[t * 1 if t.is_floating_point() else t.clone() for t in inputs])
        return sum(t.sum().float() for t in results if t.is_floating_point())

    inputs = [t.clone().to("tenfold" if door == "lazy" else "cpu") for t in plan.inputs]
    inputs = [t.requires_grad_() if t.is_floating_point() else t for t in inputs]
    if door == "compile":
        torch._dynamo.reset()
        call = torch.compile(call, backend=torch_backend.backend, fullgraph=True)
    call(*inputs).backward()
    return [t.grad.cpu() if t.grad is not None else None for t in inputs]


def differences_of_gradients(seed: int, doors: list[str]) -> list[str]:
    plan = Maker(seed).make()
    try:
        want = gradients("eager", plan)
    except Exception:
        return []  # nothing to differentiate, or what eager refuses
    found = []
    for door in doors:
        try:
            have = gradients(door, plan)
        except Exception as error:
            found.append(f"{door}: {type(error).__name__}: {str(error).strip()[:300]}")
            continue
        for i, (a, b) in enumerate(zip(want, have, strict=True)):
            try:
                a, b = (torch.zeros_like(plan.inputs[i]) if t is None else t for t in (a, b))
                torch.testing.assert_close(b, a, rtol=1e-4, atol=1e-4, equal_nan=True, check_stride=False)
            except AssertionError as error:
                found.append(f"{door}: gradient {i}: {str(error).splitlines()[0]} {a.dtype}{list(a.shape)}")
    return found


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seeds", default="0:100", help="from:to")
    parser.add_argument("--doors", default="compile,lazy,archive,decomposed")
    parser.add_argument("--gradients", action="store_true", help="of compile and lazy")
    parser.add_argument("--show", action="store_true", help="print the programs")
    options = parser.parse_args()
    logging.disable(logging.WARNING)
    warnings.simplefilter("ignore")

    def one(seed: int) -> list[str]:
        if options.show:
            plan = Maker(seed).make()
            print([(t.dtype, list(t.shape)) for t in plan.inputs], *plan.steps, plan.results, sep="\n")
        if options.gradients:
            return differences_of_gradients(seed, ["compile", "lazy"])
        return differences(seed, options.doors.split(","))

    return try_seeds(options.seeds, one)


if __name__ == "__main__":
    sys.exit(main())
