"""PyTorch's OpInfo and ModuleInfo databases on the device "tenfold", beside the CPU.

    run.py [--only NAME,…] [--resume] [--limit 20] [--timeout 120] [--out build/opinfo.json] [--docs docs/coverage.md]

Every entry runs in a process of its own: one that crashes or hangs is one row of the table.
"""

from __future__ import annotations

import functools
import os
import sys
import traceback
from pathlib import Path
from typing import Any

import torch
from torch.testing._internal.common_methods_invocations import op_db
from torch.testing._internal.common_modules import module_db

sys.path.insert(0, str(Path(__file__).resolve().parent))
import report
import samples
import sweep
from op_by_op import OpByOp
from samples import Sample, difference, mover


def entries(kind: str) -> list[tuple[str, Any]]:
    if kind == "op":
        return [(e.full_name, e) for e in op_db]
    seen: dict[str, int] = {}
    named = []
    for entry in module_db:
        seen[entry.name] = seen.get(entry.name, 0) + 1
        named.append((entry.name if seen[entry.name] == 1 else f"{entry.name}.{seen[entry.name]}", entry))
    return named


def on_device(sample: Sample, device: str) -> tuple[Any, Any, dict[str, int]]:
    import tenfold

    tenfold.reset_stats()
    results, grads = sample.run(mover(device))
    results, grads = (
        torch.utils._pytree.tree_map(lambda t: t.cpu() if isinstance(t, torch.Tensor) else t, v)
        for v in (results, grads)
    )
    return results, grads, dict(tenfold.stats()["fallbacks"])


def try_sample(sample: Sample, device: str) -> dict[str, Any] | None:
    """None: the CPU refuses the sample itself."""
    try:
        want, want_grads = sample.run(mover("cpu"))
    except Exception:
        return None
    if device == "ops":
        with OpByOp(sample.tolerance) as mode:
            sample.run(mover("cpu"))
        failures = [{"op": op, "class": kind, "why": why} for op, kind, why in mode.failures]
        kind = next((f["class"] for f in failures if f["class"] != "refused"), "right")
        return {"class": kind, "fallbacks": dict(mode.fallbacks), "failures": failures}
    try:
        have, have_grads, fallbacks = on_device(sample, device)
    except Exception as error:
        where = traceback.extract_tb(error.__traceback__)[-1]
        why = f"{type(error).__name__}: {error}"[:400] + f" ({os.path.basename(where.filename)}:{where.lineno})"
        return {"class": "error", "fallbacks": {}, "failures": [{"why": why}]}
    why = difference(want, have, sample)
    if not why and want_grads:
        why = difference(want_grads, have_grads, sample)
        why = why and f"gradient {why}"
    exact = False
    if why and not sample.random:
        try:  # tolerances that float32 cannot keep, on either side?
            exact = samples.is_as_exact((want, want_grads), (have, have_grads), sample.run(samples.widen))
        except Exception:
            exact = False
        why = "" if exact else why
    return {
        "class": "wrong" if why else "right",
        "exact": exact,
        "fallbacks": fallbacks,
        "failures": [{"why": why}] if why else [],
    }


def try_entry(kind: str, entry: Any, device: str, limit: int, say: Any) -> None:
    """Says one line for each type: what became of its samples."""
    make = samples.op_samples if kind == "op" else samples.module_samples
    for dtype in samples.dtypes_of(entry):
        row: dict[str, Any] = {"samples": 0, "class": "right", "fallbacks": {}, "failures": []}
        name = str(dtype).removeprefix("torch.")
        try:
            for sample in make(entry, dtype, limit):
                say({"start": name, "sample": sample.text})
                got = try_sample(sample, device)
                if got is None:
                    continue
                row["samples"] += 1
                for op, count in got["fallbacks"].items():
                    row["fallbacks"][op] = row["fallbacks"].get(op, 0) + count
                row["class"] = report.worse(row["class"], got["class"])
                row["exact"] = row.get("exact", 0) + bool(got.get("exact"))
                for failure in got["failures"]:
                    if len(row["failures"]) < 40:
                        row["failures"].append(failure | {"sample": sample.text[:300]})
        except Exception as error:
            row["class"] = report.worse(row["class"], "error")
            row["samples"] = max(1, row["samples"])
            row["failures"].append({"why": f"samples: {type(error).__name__}: {error}"[:300]})
        say({"dtype": name, **row})


def main() -> int:
    parser = sweep.parser(__doc__, backend="cpu", limit=20, timeout=120, out="build/opinfo.json")
    parser.add_argument("--kind", choices=["op", "module", "all"], default="all")
    parser.add_argument("--device", default="tenfold", help='"ops": each ATen op alone, by the interpreter')
    options = parser.parse_args()
    torch.set_num_threads(1)
    if options.device == "tenfold":
        import tenfold.torch.lazy.pending

        tenfold.torch.lazy.pending.device = options.backend
        torch.zeros(1, device="tenfold")  # everything is loaded before the first fork
    kinds = ["op", "module"] if options.kind == "all" else [options.kind]
    jobs = (
        (f"{kind}:{name}", name, functools.partial(try_entry, kind, entry, options.device, options.limit))
        for kind in kinds
        for name, entry in entries(kind)
    )
    found = sweep.sweep(options, jobs, report.entry_class)
    print(report.table(found))
    if options.docs:
        report.write_page(options.docs, report.markdown(found, options.limit, options.backend))
    return 0


if __name__ == "__main__":
    sys.exit(main())
