"""Gradients of PyTorch's OpInfo database by the library's own rules (tenfold.grad), beside torch.autograd, in float64.

    gradients.py [--only NAME,…] [--resume] [--limit 10] [--timeout 60] [--out build/opinfo-grad.json] [--docs FILE]

Every entry that has a gradient: its samples are traced without one, lowered, differentiated in C and run; what comes
out is compared with what torch.autograd says of the same call. Every entry has a process of its own.
"""

from __future__ import annotations

import functools
import itertools
import random
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import torch
from torch.testing._internal.common_methods_invocations import op_db
from torch.utils._pytree import tree_flatten, tree_unflatten

sys.path.insert(0, str(Path(__file__).resolve().parent))
import report
import samples
import sweep
from tenfold import _core, gradient

DTYPE = torch.float64
CLASSES = ("right", "judged", "drawn", "sparse", "data", "lowering", "rule", "wrong", "error", "crash", "hang", "none")
LARGE = 1 << 16  # elements of a sample that is compiled, not interpreted
WORDS = {
    "right": "right",
    "judged": "right by finite differences, where autograd is not",
    "drawn": "random: right in shape",
    "sparse": "of sparse tensors",
    "data": "sizes depend on data: not one program",
    "lowering": "an op is not lowered",
    "rule": "an op has no gradient",
    "wrong": "wrong",
    "error": "error",
    "crash": "crash",
    "hang": "hang",
    "none": "no samples",
}


def worse(a: str, b: str) -> str:
    return a if CLASSES.index(a) >= CLASSES.index(b) else b


def directions(outputs: list[torch.Tensor]) -> list[torch.Tensor]:
    generator = torch.Generator().manual_seed(7)
    return [torch.rand(out.shape, generator=generator, dtype=out.dtype) + 0.5 for out in outputs]


class Call:
    """An entry's call as a function of its float tensors alone."""

    def __init__(self, entry: Any, sample: Any) -> None:
        self.entry, self.sample = entry, sample
        flat, self.tree = tree_flatten((sample.input, list(sample.args), dict(sample.kwargs)))
        self.flat = flat
        self.places = [i for i, v in enumerate(flat) if isinstance(v, torch.Tensor)]
        self.by = [k for k, i in enumerate(self.places) if flat[i].requires_grad]
        self.kept: list[int] = []
        self.sparse = any(flat[i].layout != torch.strided for i in self.places)

    def inputs(self) -> list[torch.Tensor]:
        with torch.no_grad():
            return [self.flat[i].detach().clone().requires_grad_(self.flat[i].requires_grad) for i in self.places]

    def results(self, *tensors: torch.Tensor) -> list[Any]:
        flat = list(self.flat)
        for place, value in zip(self.places, tensors, strict=True):
            flat[place] = value
        first, args, kwargs = tree_unflatten(flat, self.tree)
        # As PyTorch's own checks call it: a function whose gradient is told by its values (symmetric input, say).
        wrapped = self.entry.gradcheck_wrapper or (lambda op, *args, **kwargs: op(*args, **kwargs))
        results = self.sample.output_process_fn_grad(wrapped(self.entry, first, *args, **kwargs))
        return [t for t in tree_flatten(results)[0] if isinstance(t, torch.Tensor)]

    def wanted(self) -> tuple[list[torch.Tensor], list[torch.Tensor]] | None:
        """Torch's gradients and the directions they were taken in; None: there are none to take."""
        tensors = self.inputs()
        results = self.results(*[t.clone() if t.requires_grad else t for t in tensors])
        self.kept = [i for i, t in enumerate(results) if t.requires_grad]
        outputs = [results[i] for i in self.kept]
        if not outputs or not self.by:
            return None
        self.sparse |= any(t.layout != torch.strided for t in outputs)
        if self.sparse:
            return [], []
        ways = directions(outputs)
        leaves = [tensors[k] for k in self.by]
        found = torch.autograd.grad(outputs, leaves, ways, allow_unused=True)
        return [torch.zeros_like(x) if g is None else g for g, x in zip(found, leaves, strict=True)], ways

    def kept_results(self, *tensors: torch.Tensor) -> list[torch.Tensor]:
        # Some ops write to their arguments; those that say sizes and places are read as they are.
        results = self.results(*[t.clone() if t.is_floating_point() else t for t in tensors])
        return [results[i].clone() for i in self.kept]


def program_of(function: Any, tensors: list[torch.Tensor], by: list[int], mode: str) -> tuple[Any, list[torch.Tensor]]:
    program, held = gradient._trace_torch(function, tensors, mode)
    arrays = tensors + [c.contiguous() for c in held]
    return program.grad(by=by, inputs=[list(t.shape) for t in arrays], cotangents=True), arrays


def differentiate(call: Call, ways: list[torch.Tensor], backend: str) -> list[torch.Tensor]:
    """By the library."""
    tensors = [t.detach().contiguous() for t in call.inputs()]
    try:
        made, arrays = program_of(call.kept_results, tensors, call.by, "fake")
    except Exception as error:
        if kind_of(error) != "data":
            raise

        # Sizes and places that other arguments give are what they are for this sample: the program is run on no other.
        def of_floats(*floats: torch.Tensor) -> list[torch.Tensor]:
            whole = list(tensors)
            for place, value in zip(call.by, floats, strict=True):
                whole[place] = value
            return call.kept_results(*whole)

        made, arrays = program_of(of_floats, [tensors[k] for k in call.by], list(range(len(call.by))), "real")
    flat = [t.resolve_conj().resolve_neg() for t in [*arrays, *ways]]
    if sum(t.numel() for t in flat) > LARGE:
        backend = "cpu"
    results = made.compile(device=backend)(*flat)
    return [torch.from_dlpack(r).clone() for r in results]


def slope(call: Call, ways: list[torch.Tensor], steps: list[torch.Tensor]) -> float:
    """How what comes out along `ways` changes when the inputs go along `steps`: by finite differences."""

    def at(distance: float) -> float:
        with torch.no_grad():
            tensors = [t.detach() for t in call.inputs()]
            for place, step in zip(call.by, steps, strict=True):
                tensors[place] = tensors[place] + distance * step
            results = call.kept_results(*tensors)
            return sum(float((r * w.conj()).real.sum()) for r, w in zip(results, ways, strict=True))

    return (at(1e-5) - at(-1e-5)) / 2e-5


def is_slope(call: Call, ways: list[torch.Tensor], grads: list[torch.Tensor]) -> bool:
    generator = torch.Generator().manual_seed(11)
    steps = [torch.rand(g.shape, generator=generator, dtype=g.dtype) - 0.5 for g in grads]
    have = sum(float((g * s.conj()).real.sum()) for g, s in zip(grads, steps, strict=True))
    want = slope(call, ways, steps)
    return abs(have - want) <= 1e-6 * (1 + abs(want))


def kind_of(error: Exception) -> str:
    text = f"{type(error).__name__}: {error}"
    if any(word in text for word in ("ata-dependent", "DataDependent", "DynamicOutputShape", "depends on data")):
        return "data"
    if any(f"aten.{op}." in text for op in ("masked_select", "nonzero", "unique_dim", "_unique2")):
        return "data"
    if "data is not allocated" in text:  # torch.tensor_split reads what a trace does not have
        return "data"
    if "sparse" in text:
        return "sparse"
    if isinstance(error, _core.UnsupportedError):
        return "rule" if "gradient" in text else "lowering"
    return "error"


def try_sample(entry: Any, sample: Any, tolerance: tuple[float, float], backend: str) -> tuple[str, str] | None:
    """What became of it, and why; None: torch itself has no gradient here."""
    call = Call(entry, sample)
    torch.manual_seed(0)
    try:
        wanted = call.wanted()
    except Exception:
        return None
    if wanted is None:
        return None
    want, ways = wanted
    if call.sparse or any(t.layout != torch.strided for t in [*want, *ways]):
        return "sparse", "a tensor that is not strided"
    drawn = samples.is_random(entry, sample)
    try:
        have = differentiate(call, ways, backend)
    except Exception as error:
        text = " ".join(f"{type(error).__name__}: {error}".split())
        return kind_of(error), text[:400]
    why = difference(want, have, tolerance, drawn)
    if why and not drawn and is_slope(call, ways, have) and not is_slope(call, ways, want):
        return "judged", why
    return ("wrong", why) if why else ("drawn" if drawn else "right", "")


def difference(want: list[torch.Tensor], have: list[torch.Tensor], tolerance: tuple[float, float], drawn: bool) -> str:
    for i, (theirs, ours) in enumerate(zip(want, have, strict=True)):
        if tuple(ours.shape) != tuple(theirs.shape) or ours.dtype != theirs.dtype:
            return f"gradient {i}: {ours.dtype}{list(ours.shape)} for {theirs.dtype}{list(theirs.shape)}"
        if drawn:
            continue
        try:
            torch.testing.assert_close(ours, theirs, atol=tolerance[0], rtol=tolerance[1], equal_nan=True)
        except AssertionError as error:
            lines = [line for line in str(error).splitlines() if "difference" in line or "elements" in line]
            return f"gradient {i}: {' '.join(lines)[:200] or error}"
    return ""


def try_entry(entry: Any, limit: int, backend: str, say: sweep.Say) -> None:
    row: dict[str, Any] = {"samples": 0, "class": "right", "counts": {}, "failures": []}
    tolerance = samples.tolerance_of(entry, DTYPE) or samples.TOLERANCE[DTYPE]
    torch.manual_seed(0)
    random.seed(0)
    try:
        for sample in itertools.islice(entry.sample_inputs("cpu", DTYPE, requires_grad=True), limit):
            text = samples.describe(sample)
            say({"start": "float64", "sample": text[:300]})
            got = try_sample(entry, sample, tolerance, backend)
            if got is None:
                continue
            row["samples"] += 1
            row["counts"][got[0]] = row["counts"].get(got[0], 0) + 1
            row["class"] = worse(row["class"], got[0])
            if got[1] and len(row["failures"]) < 10:
                row["failures"].append({"class": got[0], "why": got[1], "sample": text[:300]})
    except Exception as error:
        row["class"] = worse(row["class"], "error")
        row["failures"].append({"class": "error", "why": f"samples: {type(error).__name__}: {error}"[:300]})
    say({"dtype": "float64", **row})


def class_of(entry: dict[str, Any]) -> str:
    row = next(iter(entry["dtypes"].values()), None)
    if row is None or (not row["samples"] and row["class"] == "right"):
        return "none"
    return row["class"]


def table(found: dict[str, Any]) -> list[list[str]]:
    counts = Counter(class_of(e) for e in found.values())
    tried = sum(counts.values()) - counts["none"]
    rows = [["", "entries", ""]]
    rows += [[WORDS[c], str(counts[c]), report.share(counts[c], tried)] for c in CLASSES[:-1]]
    in_all = Counter()
    for entry in found.values():
        in_all.update(next(iter(entry["dtypes"].values()), {}).get("counts", {}))
    rows.append(["all with a gradient of float64", str(tried), ""])
    rows.append(
        [
            "samples right, of all",
            f"{in_all['right'] + in_all['judged'] + in_all['drawn']} of {sum(in_all.values())}",
            "",
        ]
    )
    return rows


def markdown(found: dict[str, Any], limit: int, backend: str) -> str:
    lines = [
        "## Gradients by the library's own rules",
        "`make opinfo-grad` takes every entry of OpInfo that has a gradient: its samples (at most",
        f"{limit}, float64) are traced without one, lowered to StableHLO, differentiated by `src/transform/grad` and",
        f"run (small ones by `{backend}`). What comes out is compared with torch.autograd's gradients, in random",
        "directions, within 1e-7 + 1e-7 of the size, or what the entry itself allows. An entry counts as what the",
        "worst of its samples is.",
        "",
    ]
    rows = table(found)
    lines += ["| " + " | ".join(rows[0]) + " |", "|---|--:|--:|"]
    lines += ["| " + " | ".join(row) + " |" for row in rows[1:]]
    for kind in CLASSES[1:-1]:
        names = sorted(name for name, entry in found.items() if class_of(entry) == kind)
        if names:
            lines += ["", f"{WORDS[kind][:1].upper()}{WORDS[kind][1:]}: " + ", ".join(f"`{n}`" for n in names) + "."]
    return "\n".join([*lines, ""])


def main() -> int:
    options = sweep.parser(__doc__, backend="interp", limit=10, timeout=60, out="build/opinfo-grad.json").parse_args()
    torch.set_num_threads(1)
    jobs = (
        (entry.full_name, entry.full_name, functools.partial(try_entry, entry, options.limit, options.backend))
        for entry in op_db
        if entry.supports_autograd and DTYPE in entry.supported_backward_dtypes("cpu")
    )
    found = sweep.sweep(options, jobs, class_of)
    for row in table(found):
        print("  " + row[0].ljust(54) + row[1].rjust(14) + row[2].rjust(9))
    if options.docs:
        report.write_gradients(options.docs, markdown(found, options.limit, options.backend))
    return 0


if __name__ == "__main__":
    sys.exit(main())
