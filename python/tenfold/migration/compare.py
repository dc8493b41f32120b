"""Two runs of a program, compared: printed text, gradients and parameters of each step, results, files."""

from __future__ import annotations

import argparse
import math
import re
from typing import Any

RELATIVE, ABSOLUTE = 2e-4, 1e-5
OTHER_MACHINE = 1e-3  # the real torch_xla sums in another order than the CPU; by tensor, and more from step to step
ROUNDED = 0.25  # bfloat16, of a tensor's norm: devices round at different places, and so differ as it does from float32
NOISY = 3  # runs of the original with rounding errors in its parameters, when more than that is seen
SPREAD = 4  # times as far as the farthest of them is from the original
PRINTED = 0.1  # of a number that was printed then
NUMBER = re.compile(r"[-+]?(?:\d+\.\d*|\.\d+|\d+)(?:[eE][-+]?\d+)?|nan|inf")
DEVICE = re.compile(r"""(device\(type=)?['"]?\b(cuda|xla|tpu|cpu)(:\d+)?\b['"]?(, index=\d+\))?|CPU|GPU""")
PLACE = re.compile(r""", device='(cuda|xla|tpu|cpu)(:\d+)?'""")  # of a tensor that is printed
ADDRESS = re.compile(r"\bat 0x[0-9a-f]{6,}\b")  # of an object that is printed
# Timings and memory depend on the machine, not on the program.
UNSTABLE = re.compile(r"(?i)\b(time|took|elapsed|sec|seconds|ms|it/s|memory|mem|allocated|date|eta)\b|\d+:\d\d:\d\d")


def close(a: float, b: float, relative: float = RELATIVE) -> bool:
    if math.isnan(a) and math.isnan(b):
        return True
    return a == b or abs(a - b) <= ABSOLUTE * relative / RELATIVE + relative * max(abs(a), abs(b))


def spread(a: Any, noisy: list) -> float:
    """How far a value may be from `a`, by what rounding errors in the parameters do to it."""
    import numpy

    same = [n for n in noisy if isinstance(n, tuple) and n[:3] == a[:3] and a[3].size]
    apart = [float(numpy.nanmax(numpy.abs(a[3].astype(float) - n[3].astype(float)), initial=0.0)) for n in same]
    return SPREAD * max(apart, default=0.0)


def within(noisy: list, key: Any) -> list:
    """The parts of noisy runs that belong to a part of the run that is compared."""
    found = []
    for run in noisy:
        try:
            found.append(run[key])
        except (TypeError, KeyError, IndexError):
            continue
    return found


def difference(a: Any, b: Any, path: str = "", relative: float = RELATIVE, noisy: list | tuple = ()) -> str | None:
    """Where two digests differ, in words; None when they agree."""
    import numpy

    absolute = ABSOLUTE * relative / RELATIVE

    if isinstance(a, tuple) and isinstance(b, tuple) and a and b and a[0] == "tensor" and b[0] == "tensor":
        rounded = relative > 10 * OTHER_MACHINE and "float" in a[1] and "float" in b[1]
        if a[2] != b[2] or (a[1] != b[1] and not rounded):
            return f"{path}: {a[1]}{list(a[2])} became {b[1]}{list(b[2])}"
        if relative >= ROUNDED:
            old, new = a[3].astype(float), b[3].astype(float)
            apart, size = float(numpy.linalg.norm(new - old)), float(numpy.linalg.norm(old))
            near = apart <= relative * size + absolute or (
                apart != apart and numpy.array_equal(old, new, equal_nan=True)
            )
            return None if near else f"{path}: {100 * apart / max(size, 1e-30):.0f} % of its size away"
        if relative > RELATIVE:  # rounding is judged by the tensor, not by each of its numbers
            absolute = max(absolute, relative * float(numpy.nanmax(numpy.abs(a[3].astype(float)), initial=0.0)))
            absolute = max(absolute, spread(a, noisy))
        if not numpy.allclose(a[3].astype(float), b[3].astype(float), rtol=relative, atol=absolute, equal_nan=True):
            return f"{path}: largest difference {numpy.nanmax(numpy.abs(a[3].astype(float) - b[3].astype(float))):.3g}"
        return None
    numbers = all(isinstance(v, (int, float)) and not isinstance(v, bool) for v in (a, b))
    if not numbers and type(a) is not type(b):
        return f"{path}: {short(a)} became {short(b)}"
    if isinstance(a, (int, float)) and not isinstance(a, bool):
        return None if close(float(a), float(b), relative) else f"{path}: {a} became {b}"
    if isinstance(a, str):
        return text_difference(a, b, path, relative)
    if isinstance(a, dict):
        if a.keys() != b.keys():
            return f"{path}: other names: {sorted(map(str, a.keys() ^ b.keys()))[:3]}"
        return first(difference(a[k], b[k], f"{path}.{k}", relative, within(noisy, k)) for k in a)
    if isinstance(a, (list, tuple)):
        if len(a) != len(b):
            return f"{path}: {len(a)} items became {len(b)}"
        parts = enumerate(zip(a, b, strict=True))
        return first(difference(x, y, f"{path}[{i}]", relative, within(noisy, i)) for i, (x, y) in parts)
    return None if a == b else f"{path}: {short(a)} became {short(b)}"


def first(results) -> str | None:
    return next((r for r in results if r), None)


def short(value: Any) -> str:
    text = repr(value)
    return text if len(text) < 60 else text[:57] + "…"


def text_difference(a: str, b: str, path: str, relative: float = RELATIVE) -> str | None:
    """Lines with the same words and close numbers are the same; where something runs and how long does not matter."""
    lines_a, lines_b = a.splitlines(), b.splitlines()
    for number, (x, y) in enumerate(zip(lines_a, lines_b, strict=False), 1):
        x, y = (ADDRESS.sub("", DEVICE.sub("<device>", PLACE.sub("", line))) for line in (x, y))
        if x == y or (UNSTABLE.search(x) and UNSTABLE.search(y)):
            continue
        if NUMBER.sub("#", x) != NUMBER.sub("#", y):
            return f"{path} line {number}: {short(x)} became {short(y)}"
        for p, q in zip(NUMBER.findall(x), NUMBER.findall(y), strict=False):
            digits = 10 ** -len(p.partition(".")[2].partition("e")[0]) if "." in p else 0
            if not close(float(p), float(q), relative) and abs(float(p) - float(q)) > 1.01 * digits:
                return f"{path} line {number}: {p} became {q}"
    if len(lines_a) != len(lines_b):
        return f"{path}: {len(lines_a)} lines became {len(lines_b)}"
    return None


def share_on_device(run: dict) -> float:
    """0 when nothing is known, or nothing ran there."""
    events = run.get("events", {"device_ops": 0, "host_ops": 0})
    return events["device_ops"] / max(1, events["device_ops"] + events["host_ops"])


def noise_left_out(step: dict, params: list, relative: float) -> list:
    """Parameters without the numbers whose gradient is next to nothing: Adam makes a whole step of its sign."""
    import numpy

    sizes = [numpy.abs(g[3].astype(float)) if isinstance(g, tuple) else None for g in step["grads"]]
    largest = [float(numpy.nanmax(g, initial=0.0)) for g in sizes if g is not None]
    floor = 1e-4 * max(largest, default=0.0)
    kept = []
    for size, value in zip(sizes, params, strict=True):
        if size is not None and isinstance(value, tuple) and value[3].shape == size.shape:
            enough = size > max(floor, max(1e-4, relative) * float(numpy.nanmax(size, initial=0.0)))
            value = (*value[:3], numpy.where(enough, value[3].astype(float), 0.0))
        kept.append(value)
    return kept


def steps_difference(a: list[dict], b: list[dict], relative: float, noisy: list | tuple = ()) -> str | None:
    """Gradients and parameters of the first steps; away from RELATIVE, what rounding does is left out."""
    if len(a) != len(b):
        return f"{len(a)} optimizer steps became {len(b)}"
    for i, (x, y) in enumerate(zip(a, b, strict=True), 1):
        old, new, near = x.get("params"), y.get("params"), within(noisy, i - 1)
        rounded = within(near, "params")
        if relative > RELATIVE and old and new and len(old) == len(new) == len(x["grads"]):
            rounded = [noise_left_out(x, params, relative) for params in rounded if len(params) == len(old)]
            old, new = noise_left_out(x, old, relative), noise_left_out(x, new, relative)
        found = difference(
            x["grads"], y["grads"], f"gradients of step {i}", relative, within(near, "grads")
        ) or difference(old, new, f"parameters after step {i}", relative, rounded)
        if found:
            return found
        if relative > RELATIVE:
            relative = 2 * ROUNDED if relative >= ROUNDED else min(4 * relative, ROUNDED / 4)
    return None


def later_tolerance(relative: float) -> float:
    """For what is seen after many steps, not the first few."""
    return relative if relative == RELATIVE else ROUNDED if relative >= ROUNDED else min(10 * relative, ROUNDED)


def compare_runs(a: dict, b: dict, target: str, relative: float = RELATIVE, noisy: list | tuple = ()) -> str | None:
    if b["error"]:
        return f"the migrated program fails: {b['error']}"
    if a["finished"] != b["finished"]:
        return "one ends and the other does not"
    if a.get("rounds") and not b.get("rounds"):
        return "autocast is not on any more"
    found = steps_difference(a["steps"], b["steps"], relative, within(noisy, "steps"))
    if found:
        return found
    later = later_tolerance(relative)
    found = difference(a["stdout"], b["stdout"], "printed text", min(later, PRINTED))
    if found:
        return found
    if a["finished"]:
        if a["files"].keys() != b["files"].keys():
            return f"other files written: {sorted(a['files'].keys() ^ b['files'].keys())[:3]}"
        for name in a["files"]:
            near = within(within(noisy, "files"), name)
            found = difference(a["files"][name], b["files"][name], f"file {name}", later, near)
            if found:
                return found
    before, after = share_on_device(a), share_on_device(b)
    # Counts differ by device: some optimizers work on all tensors at once. The real one is seen from outside only, and
    # PyTorch/XLA is counted differently from a GPU.
    if after < (before / 2 if b.get("real") or a.get("kind") != "cuda" else before - 0.05):
        return f"{100 * before:.0f} % of the operations ran on the device, now {100 * after:.0f} %"
    if target == "torch_xla" and b.get("longest_graph", 0) > 1:
        return f"{b['longest_graph']} optimizer steps without torch_xla.sync(): the graph grows"
    return None


def renamed(a: dict, b: dict) -> tuple[str, str]:
    """The file of a and of b, when both ran functions of one file alone: it may have been given another name."""
    files = [{key.rpartition(":")[0] for key in run["calls"]} for run in (a, b)]
    return (files[0].pop(), files[1].pop()) if all(len(names) == 1 for names in files) else ("", "")


def calls_difference(a: dict, b: dict, relative: float, noisy: list | tuple = ()) -> dict[str, str | None]:
    """Of each function that the original called, how its results differ; None when they do not."""
    later = later_tolerance(relative)  # calls of later steps are among them
    results: dict[str, str | None] = {}
    before, after = renamed(a, b)
    for key, values in a["calls"].items():
        there = after + key.removeprefix(before)
        if b.get("compiled"):  # what torch.compile took in is not seen any more; the program is compared
            results[key] = None
        elif b["calls"].get(there) is None:
            results[key] = "not called any more"
        else:
            near = within(within(noisy, "calls"), key)
            results[key] = difference(values, b["calls"][there], "returned value", later, near)
            if not results[key] and a["counts"][key] != b["counts"].get(there):
                results[key] = f"called {a['counts'][key]} times, then {b['counts'].get(there)}"
    return results


def compare_all(
    a: dict, b: dict, target: str, relative: float, noisy: list | tuple = ()
) -> tuple[str | None, dict[str, str | None]]:
    """The program, and each of its functions."""
    return compare_runs(a, b, target, relative, noisy), calls_difference(a, b, relative, noisy)


def tolerance(options: argparse.Namespace, a: dict, b: dict) -> float:
    """What may differ: the tolerance given, else what the machine and its number formats make inevitable."""
    asked = getattr(options, "tolerance", None)
    if asked or not b.get("real"):
        return asked or RELATIVE
    return ROUNDED if a.get("rounds") or b.get("rounds") else OTHER_MACHINE
