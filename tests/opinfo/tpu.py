"""PyTorch's OpInfo database on TorchTPU's device "tpu", over the simulated TPU, compared with the CPU.

    tpu.py [--only NAME,…] [--resume] [--limit 3] [--types float32,…] [--out build/opinfo-tpu.json] [--docs PAGE]

Needs torch_tpu (PyPI, x86_64). Every entry runs in a process of its own. What raises is TorchTPU's own gap, unless the
PJRT plugin has refused something while the sample ran: that is ours.
"""

from __future__ import annotations

import functools
import importlib.util
import json
import os
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
CLASSES = ("right", "gap", "own", "aborts", "ours", "wrong", "crash", "hang")
WORDS = {
    "right": "right",
    "gap": "TorchTPU refuses it",
    "own": "TorchTPU computes something else",
    "aborts": "TorchTPU aborts",
    "ours": "the plugin refuses it",
    "wrong": "wrong",
    "crash": "crash",
    "hang": "hang",
    "none": "no samples",
}
# What torch_tpu.get_amp_supported_dtype() lists and OpInfo has samples of.
TYPES = (
    "float32",
    "bfloat16",
    "float16",
    "float64",
    "int64",
    "int32",
    "int16",
    "int8",
    "uint8",
    "bool",
    "complex64",
)
# What MLIR says when TorchTPU makes an op that cannot be; no program has come to the plugin then, which has no MLIR.
ABORT = "LLVM ERROR: Failed to infer result type(s)"
UNSIMULATED = ("PYTHONPATH", "TENFOLD_TPU_SIM", "TENFOLD_TPU_SIM_DUMP", "TENFOLD_TPU_SIM_LOG", "TPU_LIBRARY_PATH")
PAGE = """# Coverage of PyTorch's ops on TorchTPU
`make opinfo-tpu` runs the samples of PyTorch's OpInfo database on the device "tpu" of TorchTPU {version}, whose TPU is
[simulated](tpu.md), and on the CPU, forward and backward, and writes this page: at most {limit} samples of an entry and
type. Right means equal within OpInfo's tolerances, or as near to the CPU's results in float64 as the CPU's own results
are; of random ops, equal in shape and type. What TorchTPU itself raises for is its own gap. It computes something else
where the results differ, but the programs (StableHLO) that it gave to the simulated TPU do not: XLA, by JAX on the CPU,
has the same results from each, of the same operands, to the last digit of bfloat16 and float16 and four of the others
(`tests/opinfo/xla.py`); a float that is an integer but for its rounding may be cut to that or to the one below. Where
it aborts, MLIR has rejected an op that it made, before any program came to the TPU.

"""


def under_simulation() -> None:
    """Starts this program again as `tenfold tpu-sim` starts one."""
    import tenfold.tpu

    log = tempfile.mkstemp(prefix="tenfold-opinfo-tpu-")[1]
    values = tenfold.tpu.environment("v5e:1x1", log=log)
    search = [str(tenfold.tpu.SITE), os.environ.get("PYTHONPATH")]
    values["PYTHONPATH"] = os.pathsep.join(filter(None, search))
    try:
        sys.exit(subprocess.run([sys.executable, *sys.argv], env=os.environ | values, check=False).returncode)
    finally:
        os.unlink(log)


def refusals() -> list[str]:
    """What the plugin has refused since the last call."""
    path = Path(os.environ["TENFOLD_TPU_SIM_LOG"])
    found = []
    for line in path.read_text(errors="replace").splitlines():
        event = json.loads(line) if line.startswith("{") and line.endswith("}") else {}
        if event.get("event") == "error":
            found.append(event["text"])
    path.write_text("")
    return found


def wide(value: Any) -> Any:
    """A copy in float64 or complex128."""
    import torch
    from torch.utils._python_dispatch import _disable_current_modes

    if not isinstance(value, torch.Tensor):
        return value
    with torch.no_grad(), _disable_current_modes():
        made = value.detach().clone()
        if made.is_complex():
            made = made.to(torch.complex128)
        elif made.is_floating_point():
            made = made.double()
    return made.requires_grad_(value.requires_grad)


def as_near(expected: Any, actual: Any, exact: Any) -> bool:
    """Whether results are about as near to the exact ones as the CPU's are; the last digit of a short type counts."""
    import samples
    import torch

    lists = [samples.tensors_of(v) for v in (expected, actual, exact)]
    if len({len(x) for x in lists}) != 1:
        return False
    for want, have, true in zip(*lists, strict=True):
        if want.shape != have.shape or want.shape != true.shape or want.dtype != have.dtype:
            return False
        if not (want.is_floating_point() or want.is_complex()):
            if not torch.equal(want, have):
                return False
            continue
        if not want.numel():
            continue
        true = true.detach().to(torch.complex128 if want.is_complex() else torch.float64)
        want, have = (v.detach().to(true.dtype) for v in (want, have))
        known = want.isfinite() & true.isfinite()
        if not torch.equal(want.isfinite()[known], have.isfinite()[known]):
            return False
        ours, theirs = ((v - true)[known].abs() for v in (have, want))
        digit = torch.finfo(lists[0][0].dtype if lists[0][0].is_floating_point() else torch.float32).eps
        room = samples.NEARLY * theirs.max() + 2 * digit * true[known].abs().max() if ours.numel() else 0
        if ours.numel() and float(ours.max()) > float(room):
            return False
    return True


def what_xla_says(sample: Any) -> str:
    """Runs the sample once more and its programs by XLA. Empty: XLA computes the same from them, so what is wrong is
    in the programs, or in what TorchTPU does around them."""
    from samples import mover

    folder = Path(os.environ["TENFOLD_TPU_SIM_DUMP"])
    for path in folder.glob("*.npy"):
        path.unlink()
    sample.run(mover("tpu"))
    environment = {k: v for k, v in os.environ.items() if k not in UNSIMULATED} | {"JAX_PLATFORMS": "cpu"}
    done = subprocess.run(
        [sys.executable, HERE / "xla.py", folder], env=environment, capture_output=True, text=True, check=False
    )
    return done.stdout.strip() or (done.stderr.strip()[-400:] if done.returncode else "")


def try_sample(sample: Any) -> tuple[str, str] | None:
    """Its class, and why. None: the CPU refuses the sample itself."""
    import torch
    from samples import difference, mover

    def home(value: Any) -> Any:
        return torch.utils._pytree.tree_map(lambda t: t.cpu() if isinstance(t, torch.Tensor) else t, value)

    try:
        want, want_grads = sample.run(mover("cpu"))
    except Exception:
        return None
    refusals()
    try:
        have, have_grads = home(sample.run(mover("tpu")))
    except Exception as error:
        refused = refusals()
        text = " ".join(f"{type(error).__name__}: {error}".split())[:400]
        return ("ours", refused[-1][:400]) if refused else ("gap", text)
    why = difference(want, have, sample)
    tied = sample.ties is not None and len(sample.ties.unique()) < sample.ties.numel()
    if not why and want_grads and not tied:  # any order of equal elements is right, and gradients follow it
        why = difference(want_grads, have_grads, sample)
        why = why and f"gradient {why}"
    if why and not sample.random:
        try:
            if as_near((want, want_grads), (have, have_grads), sample.run(wide)):
                why = ""
        except Exception:
            pass
    if not why:
        return "right", ""
    return ("wrong", f"{why} | {evidence}") if (evidence := what_xla_says(sample)) else ("own", why)


def try_entry(entry: Any, types: list[str], limit: int, say: Callable[[dict[str, Any]], object]) -> None:
    """Says one line for each type: what became of its samples."""
    import samples
    import torch

    scratch = tempfile.TemporaryDirectory(prefix="tenfold-opinfo-tpu-")  # of this process alone
    os.environ["TENFOLD_TPU_SIM_DUMP"] = scratch.name
    for name in types:
        dtype = getattr(torch, name)
        if dtype not in entry.supported_dtypes("cpu"):
            continue
        row: dict[str, Any] = {"samples": 0, "class": "right", "fallbacks": {}, "failures": []}
        try:
            for sample in samples.op_samples(entry, dtype, limit):
                say({"start": name, "sample": sample.text})
                got = try_sample(sample)
                if got is None:
                    continue
                row["samples"] += 1
                row["class"] = max(row["class"], got[0], key=CLASSES.index)
                if got[0] != "right" and len(row["failures"]) < 8:
                    row["failures"].append({"class": got[0], "why": got[1], "sample": sample.text[:300]})
        except Exception as error:
            row["failures"].append({"class": "none", "why": f"samples: {type(error).__name__}: {error}"[:300]})
        say({"dtype": name, **row})
    scratch.cleanup()


def row_class(row: dict[str, Any]) -> str:
    if row["class"] == "crash" and any(ABORT in failure.get("stack", "") for failure in row["failures"]):
        return "aborts"
    return row["class"] if row["samples"] else "none"


def entry_class(entry: dict[str, Any]) -> str:
    """The worst of its types; but what TorchTPU takes of some types, and what is right there, is right."""
    classes = [c for c in map(row_class, entry["dtypes"].values()) if c != "none"]
    if set(classes) == {"right", "gap"}:
        return "right"
    return max(classes, key=CLASSES.index) if classes else "none"


def entries_of(found: dict[str, Any], kind: str) -> dict[str, tuple[dict[str, Any], list[str]]]:
    """The entries that have types of that class, and these."""
    rows = {
        key.split(":", 1)[1]: (entry, [name for name, row in entry["dtypes"].items() if row_class(row) == kind])
        for key, entry in sorted(found.items())
    }
    return {name: pair for name, pair in rows.items() if pair[1]}


def first_why(entry: dict[str, Any], kind: str) -> str:
    whys = [f["why"] for row in entry["dtypes"].values() for f in row["failures"] if f.get("class") == kind]
    kept = whys[0].replace("Tensor-likes are not close! ", "").replace("Tensor-likes are not equal! ", "")
    return kept.partition(" at index")[0].replace("|", "/")


def markdown(found: dict[str, Any], limit: int) -> str:
    import importlib.metadata

    whole = Counter(map(entry_class, found.values()))
    by_type = {name: Counter() for name in TYPES}
    for entry in found.values():
        for name, row in entry["dtypes"].items():
            by_type.setdefault(name, Counter())[row_class(row)] += 1
    types = [name for name in by_type if by_type[name]]
    lines = ["| | entries | " + " | ".join(types) + " |", "|---" + "|--:" * (len(types) + 1) + "|"]
    for kind in (*CLASSES, "none"):
        cells = [str(whole[kind]), *(str(by_type[name][kind]) for name in types)]
        lines.append(f"| {WORDS[kind]} | " + " | ".join(cells) + " |")
    lines.append(f"| all | {sum(whole.values())} | " + " | ".join(str(sum(by_type[n].values())) for n in types) + " |")
    for kind in CLASSES[1:]:
        named = entries_of(found, kind)
        if kind == "own" and named:
            lines += [
                "",
                "## TorchTPU computes something else",
                "| entry | types | the first difference |",
                "|---|---|---|",
            ]
            lines += [
                f"| `{name}` | {', '.join(rows)} | {first_why(entry, kind)} |" for name, (entry, rows) in named.items()
            ]
        elif named:
            cells = {
                n: "" if len(rows) == len(e["dtypes"]) else f" ({', '.join(rows)})" for n, (e, rows) in named.items()
            }
            listed = ", ".join(f"`{name}`{types}" for name, types in cells.items())
            lines += ["", f"## {WORDS[kind][0].upper()}{WORDS[kind][1:]}", listed + "."]
    version = importlib.metadata.version("torch_tpu")
    return PAGE.format(version=version, limit=limit) + "\n".join(lines) + "\n"


def main() -> int:
    if importlib.util.find_spec("torch_tpu") is None:
        print("opinfo-tpu: skipped: torch_tpu is not installed (pip install torch_tpu==0.2.0, x86_64 only)")
        return 0
    if "TENFOLD_TPU_SIM" not in os.environ:
        under_simulation()
    import sweep
    import torch
    from torch.testing._internal.common_methods_invocations import op_db

    parser = sweep.parser(__doc__, backend="cpu", limit=3, timeout=120, out="build/opinfo-tpu.json")
    parser.add_argument("--types", default=",".join(TYPES))
    parser.add_argument("--part", default="0/1", help="I/N: every Nth entry from the Ith on, for several processes")
    options = parser.parse_args()
    torch.set_num_threads(1)
    types, (first, step) = options.types.split(","), map(int, options.part.split("/"))
    jobs = (
        (f"op:{entry.full_name}", entry.full_name, functools.partial(try_entry, entry, types, options.limit))
        for entry in op_db[first::step]
    )
    found = sweep.sweep(options, jobs, entry_class)
    print(dict(Counter(map(entry_class, found.values()))))
    if options.docs:
        options.docs.write_text(markdown(found, options.limit))
    return int(any(entry_class(entry) in ("ours", "wrong", "crash", "hang") for entry in found.values()))


if __name__ == "__main__":
    sys.exit(main())
