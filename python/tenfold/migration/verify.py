"""Proof that a migrated program does what the original did: both are run, and everything that can be seen is compared.

    python -m tenfold.migration.verify ORIGINAL… --migrated DIR --target torch_xla|torch_tpu [--tests DIR] [--optimize]

The original runs as on a machine with a GPU, the migrated one on the target: the real torch_xla when it is installed,
else Tenfold's stand-in (tenfold.migration.xla). Printed text, gradients, parameters after each step, results and files
must agree. Each function ends as proven, differs, or not runnable; each says why.
"""

from __future__ import annotations

import argparse
import ast
import contextlib
import importlib.util
import json
import math
import os
import pickle
import re
import shutil
import sys
import tempfile
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tenfold.migration.server import Server

PROVEN, DIFFERS, NOT_RUNNABLE = "proven", "differs", "not runnable"
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


@dataclass
class Verdict:
    name: str
    state: str
    why: str = ""


@dataclass
class Outcome:
    program: str
    verdicts: list[Verdict] = field(default_factory=list)
    original_seconds: float = 0.0
    migrated_seconds: float = 0.0

    @property
    def state(self) -> str:
        states = {v.state for v in self.verdicts}
        return DIFFERS if DIFFERS in states else PROVEN if PROVEN in states else NOT_RUNNABLE


# ---- comparing ----------------------------------------------------------------------------------------------------


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
    # Counts differ by device: some optimizers work on all tensors at once. The real one is seen from outside only.
    if after < (before / 2 if b.get("real") else before - 0.05):
        return f"{100 * before:.0f} % of the operations ran on the device, now {100 * after:.0f} %"
    if target == "torch_xla" and b.get("longest_graph", 0) > 1:
        return f"{b['longest_graph']} optimizer steps without torch_xla.sync(): the graph grows"
    return None


def calls_difference(a: dict, b: dict, relative: float, noisy: list | tuple = ()) -> dict[str, str | None]:
    """Of each function that the original called, how its results differ; None when they do not."""
    later = later_tolerance(relative)  # calls of later steps are among them
    results: dict[str, str | None] = {}
    for key, values in a["calls"].items():
        if b.get("compiled"):  # what torch.compile took in is not seen any more; the program is compared
            results[key] = None
        elif b["calls"].get(key) is None:
            results[key] = "not called any more"
        else:
            near = within(within(noisy, "calls"), key)
            results[key] = difference(values, b["calls"][key], "returned value", later, near)
            if not results[key] and a["counts"][key] != b["counts"].get(key):
                results[key] = f"called {a['counts'][key]} times, then {b['counts'].get(key)}"
    return results


def compare_all(
    a: dict, b: dict, target: str, relative: float, noisy: list | tuple = ()
) -> tuple[str | None, dict[str, str | None]]:
    """The program, and each of its functions."""
    return compare_runs(a, b, target, relative, noisy), calls_difference(a, b, relative, noisy)


def tolerance(options: argparse.Namespace, a: dict, b: dict) -> float:
    """What may differ: what was asked for, else what the machine and its number formats make inevitable."""
    asked = getattr(options, "tolerance", None)
    if asked or not b.get("real"):
        return asked or RELATIVE
    return ROUNDED if a.get("rounds") or b.get("rounds") else OTHER_MACHINE


# ---- running ------------------------------------------------------------------------------------------------------


def real_torch_xla() -> bool:
    return os.environ.get("TENFOLD_STAND_IN") not in ("on", "1") and importlib.util.find_spec("torch_xla") is not None


def summary(run: dict) -> str:
    return f"{len(run['steps'])} steps, {len(run['files'])} files, {len(run['stdout'].splitlines())} lines compared"


server = Server()


def record(
    kind: str, program: Path, root: Path, work: Path, options: argparse.Namespace, *extra: str
) -> dict[str, Any]:
    """Runs a program in a folder of its own, so that what it writes can be seen."""
    work.mkdir(parents=True, exist_ok=True)
    for path in root.rglob("*"):  # data that lies beside the program
        if (
            path.is_file()
            and path.suffix not in (".py", ".ipynb", ".pyc")
            and path.stat().st_size < 1 << 20
            and ".orig" not in path.name
        ):
            target = work / path.relative_to(program.parent) if path.is_relative_to(program.parent) else None
            if target is not None and not target.exists():
                target.parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(path, target)
    out, log = work.parent / f"{work.name}.pickle", work.parent / f"{work.name}.log"
    arguments = ["--as", kind, "--out", str(out), "--root", str(root), "--steps", str(options.steps)]
    arguments += ["--limit", str(options.limit), *extra, str(program), *options.args]
    if server.run(work, arguments, log, 5 * options.limit + 60) or not out.exists():
        lines = (log.read_text() if log.exists() else "").strip().splitlines()
        return {
            "error": f"the interpreter ended: {lines[-1] if lines else 'no message'}",
            "finished": False,
            "steps": [],
            "stdout": "",
            "files": {},
            "calls": {},
            "counts": {},
            "functions": {},
            "seconds": 0.0,
        }
    with open(out, "rb") as stream:
        return pickle.load(stream)


def defined_in(program: Path) -> tuple[list[str], bool]:
    """Names of functions, methods and classes; and whether running the file does something."""
    try:
        tree = ast.parse(program.read_bytes())  # bytes: the coding line counts
    except (SyntaxError, ValueError):
        return [], False
    names, runs = [], False

    def walk(body, prefix):
        for node in body:
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
                names.append(prefix + node.name)
            elif isinstance(node, ast.ClassDef):
                names.append(prefix + node.name)
                walk(node.body, prefix + node.name + ".")

    walk(tree.body, "")
    quiet = (
        ast.FunctionDef,
        ast.AsyncFunctionDef,
        ast.ClassDef,
        ast.Import,
        ast.ImportFrom,
        ast.Assign,
        ast.AnnAssign,
        ast.Try,
    )
    for node in tree.body:
        if isinstance(node, quiet) or (isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)):
            continue
        runs = True
    return names, runs


TOKEN = re.compile(r'''\\.|"""|\'{3}|["'#()\[\]{}]''')  # what opens and closes, and what escapes


def without_magics(source: str) -> list[str]:
    """The lines of a cell but %magic, !shell and ?help; inside brackets and strings these signs are Python's."""
    lines, depth, quote, continued = [], 0, "", False
    for line in source.splitlines():
        if not depth and not quote and not continued and line.lstrip().startswith(("%", "!", "?")):
            continue
        lines.append(line)
        for token in TOKEN.findall(line):
            if quote:
                quote = "" if token == quote or token[0] == quote else quote
            elif token == "#":
                break
            elif token[0] in "\"'":
                quote = token
            elif token[0] != "\\":
                depth = max(0, depth + (1 if token in "([{" else -1))
        continued = line.endswith("\\")
        quote = quote if len(quote) == 3 else ""
    return lines


def notebook_as_program(path: Path, work: Path) -> Path:
    """The code cells of a notebook, in order, as a program; magics are left out."""
    cells = json.loads(path.read_text())["cells"]
    lines = []
    for cell in cells:
        if cell["cell_type"] == "code":
            source = cell["source"] if isinstance(cell["source"], str) else "".join(cell["source"])
            if not source.startswith("%%"):
                lines += without_magics(source)
    target = work / (path.stem + ".py")
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text("\n".join(lines) + "\n")
    return target


def verify_program(
    original: Path,
    migrated: Path,
    target: str,
    options: argparse.Namespace,
    root: Path | None = None,
    migrated_root: Path | None = None,
    known: dict[str, dict[str, str | None]] | None = None,
) -> Outcome:
    outcome = Outcome(str(original))
    with tempfile.TemporaryDirectory(prefix="tenfold-verify-") as folder:
        work = Path(folder)
        if original.suffix == ".ipynb":
            original, migrated = notebook_as_program(original, work / "a"), notebook_as_program(migrated, work / "b")
            root, migrated_root = original.parent, migrated.parent
        root, migrated_root = root or original.parent, migrated_root or migrated.parent
        names, runs = defined_in(original)
        kind = "real" if target == "torch_xla" and real_torch_xla() else target
        proven, differs = set(), {}
        for name, found in (
            (known or {}).get(str(original), {}).items()
        ):  # called while another program of the project ran
            proven.add(name) if found is None else differs.setdefault(name, found)
        reason = "nothing in it runs by itself"
        if runs:
            a = record("cuda", original, root, work / "original", options)
            stop = []
            if a["error"] and "longer than the limit" in a["error"] and a["steps"]:
                a = record("cuda", original, root, work / "original-short", options, "--stop")
                stop = ["--stop"]
            outcome.original_seconds = a["seconds"]
            if a["error"]:
                reason = f"the original: {a['error']}"
                outcome.verdicts.append(Verdict("<program>", NOT_RUNNABLE, a["error"]))
            else:
                # What had no device drew on the host; where it runs now says nothing about which numbers it draws.
                stream = [] if share_on_device(a) else ["--one-stream"]
                b = record(kind, migrated, migrated_root, work / "migrated", options, *stop, *stream)
                outcome.migrated_seconds = b["seconds"]
                relative = tolerance(options, a, b)
                found, functions = compare_all(a, b, target, relative)
                mode, loose = [], {}
                if relative >= ROUNDED and not found:  # bfloat16 hides a lot: again without it
                    mode, loose, relative = ["--exact"], functions, OTHER_MACHINE
                    a = record("cuda", original, root, work / "original-exact", options, *stop, *mode)
                    b = record(kind, migrated, migrated_root, work / "migrated-exact", options, *stop, *mode, *stream)
                    found, functions = (a["error"], {}) if a["error"] else compare_all(a, b, target, relative)
                if relative == OTHER_MACHINE and not b["error"] and (found or any(functions.values())):
                    noisy = []  # some programs magnify rounding: by how much?
                    for seed in map(str, range(1, NOISY + 1)):
                        place = work / f"original-noisy{seed}"
                        noisy.append(record("cuda", original, root, place, options, *stop, *mode, "--noise", seed))
                    found, functions = compare_all(a, b, target, relative, noisy)
                if loose:
                    found = found and f"with autocast off: {found}"
                    functions = {k: loose.get(k) or (w and f"with autocast off: {w}") for k, w in functions.items()}
                outcome.verdicts.append(
                    Verdict(
                        "<program>",
                        DIFFERS if found else PROVEN,
                        found or summary(a),
                    )
                )
                reason = "never called when the program runs"
                for key, found in functions.items():
                    file, _, name = key.partition(":")
                    if (root / file).resolve() != original:
                        if known is not None:  # one program that shows a difference is enough
                            others = known.setdefault(str((root / file).resolve()), {})
                            others[name] = others.get(name) or found
                    elif found:
                        differs[name] = found
                    else:
                        proven.add(name)
        rest = [n for n in names if n not in proven and n not in differs and "." not in n]
        if rest and not options.no_functions:
            more, errors = exercise_both(original, migrated, kind, root, migrated_root, work, rest, options)
            differs |= {n: w for n, w in more.items() if w}
            proven |= {n for n, w in more.items() if not w}
            for name in rest:
                if name not in proven and name not in differs:
                    outcome.verdicts.append(Verdict(name, NOT_RUNNABLE, errors.get(name, reason)))
        if getattr(options, "pynguin", False) and original.suffix == ".py":
            from tenfold.migration import pynguin_tests

            outcome.verdicts.append(
                Verdict("<pynguin>", *pynguin_tests.compare(original, migrated, kind, work / "pynguin"))
            )
        if not names and not runs:
            outcome.verdicts.append(
                Verdict("<file>", NOT_RUNNABLE, "it defines no function or class, and nothing in it runs by itself")
            )
        for name in names:
            if name in differs:
                outcome.verdicts.append(Verdict(name, DIFFERS, differs[name]))
            elif name in proven:
                outcome.verdicts.append(Verdict(name, PROVEN))
    return outcome


def exercise_both(original, migrated, kind, root, migrated_root, work, names, options):
    """Calls each function with inputs that are derived for it; again without autocast when it is in the way."""
    extra = ("--functions", "--only", ",".join(names))
    results, errors = {}, {}
    for mode in ("", "-exact"):
        more = (*extra, "--exact") if mode else extra
        a = record("cuda", original, root, work / f"original-functions{mode}", options, *more)
        if a["error"]:
            return {}, dict.fromkeys(names, f"cannot be imported: {a['error']}")
        b = record(kind, migrated, migrated_root, work / f"migrated-functions{mode}", options, *more)
        if b["error"]:
            return dict.fromkeys(a["functions"], f"the migrated file cannot be imported: {b['error']}"), {}
        relative = OTHER_MACHINE if mode else tolerance(options, a, b)
        for name, one in a["functions"].items():
            other = b["functions"].get(name, {"error": "is gone"})
            if "error" in one:
                errors[name] = one["error"]
            elif "error" in other:
                results[name] = f"fails for input {one['input']}: {other['error']}"
            elif not results.get(name):
                keys = ("result", "state", "gradients")
                found = first(difference(one.get(k), other.get(k), k, relative) for k in keys)
                results[name] = f"for input {one['input']}: {found}" if found else None
        if relative < ROUNDED:
            break
    return results, errors


# ---- tests to keep ------------------------------------------------------------------------------------------------

TEST = '''"""Compares {name} with its migrated version. Made by `tenfold migrate --tests`; yours to keep."""

import pytest
from tenfold.migration.verify import Verdict, verify

ORIGINAL = {original!r}
MIGRATED = {migrated!r}
FUNCTIONS = {functions!r}


@pytest.fixture(scope="module")
def verdicts() -> dict[str, Verdict]:
    return {{v.name: v for v in verify(ORIGINAL, MIGRATED, {target!r}).verdicts}}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_does_the_same(name: str, verdicts: dict[str, Verdict]):
    assert verdicts[name].state == "proven", verdicts[name].why
'''


def write_tests(folder: Path, outcome: Outcome, original: Path, migrated: Path, target: str) -> None:
    proven = [v.name for v in outcome.verdicts if v.state == PROVEN]
    folder.mkdir(parents=True, exist_ok=True)
    text = TEST.format(
        name=original.name,
        original=str(original.resolve()),
        migrated=str(migrated.resolve()),
        functions=proven,
        target=target,
    )
    (folder / f"test_migrated_{original.stem}.py").write_text(text)


def defaults(**changes) -> argparse.Namespace:
    return argparse.Namespace(**({"steps": 3, "limit": 60, "args": [], "no_functions": False} | changes))


def verify(original: str | Path, migrated: str | Path, target: str = "torch_xla", **changes) -> Outcome:
    """Compares one program with its migrated version."""
    return verify_program(Path(original).resolve(), Path(migrated).resolve(), target, defaults(**changes))


# ---- the command --------------------------------------------------------------------------------------------------


def pairs(originals: list[str], migrated: Path):
    """Each original with its migrated version, and the roots of both."""
    for given in map(Path, originals):
        if given.is_dir():
            files = sorted([*given.rglob("*.py"), *given.rglob("*.ipynb")])
            for path in sorted(
                files, key=lambda p: p.suffix == ".py" and not defined_in(p)[1]
            ):  # what runs first: it proves the rest
                other = migrated / path.relative_to(given)
                if other.exists():
                    yield path.resolve(), other.resolve(), given.resolve(), migrated.resolve()
        else:
            other = migrated if migrated.is_file() else migrated / given.name
            yield given.resolve(), other.resolve(), None, None


def workers(asked: int | None) -> int:
    """How many programs run at a time: one a core, as far as memory goes."""
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    return asked or max(1, min(len(os.sched_getaffinity(0)), memory >> 31))


one_group = threading.Lock()


def verify_all(options: argparse.Namespace) -> Iterator[tuple[int, Outcome, Path, Path]]:
    """Each program's place among them, and what was found, as soon as it is."""
    known: dict[str, dict[str, str | None]] = {}

    def prove(original: Path, migrated: Path, root: Path | None, migrated_root: Path | None) -> Outcome:
        # Process groups meet at ports that the programs name: two at a time would meet each other.
        with one_group if b"distributed" in original.read_bytes() else contextlib.nullcontext():
            return verify_program(original, migrated, options.target, options, root, migrated_root, known)

    given = list(enumerate(pairs(options.originals, options.migrated)))
    count = workers(options.jobs)
    if count == 1 or options.optimize:  # what is measured has the machine for itself
        for place, pair in given:
            yield place, prove(*pair), *pair[:2]
        return
    given.sort(key=lambda item: -item[1][0].stat().st_size)  # what may be long first: the others would wait for it
    with ThreadPoolExecutor(count) as pool:
        for runs in (True, False):  # what runs proves functions of what does not
            started = {
                pool.submit(prove, *pair): (place, pair)
                for place, pair in given
                if runs == (pair[0].suffix != ".py" or defined_in(pair[0])[1])
            }
            for done in as_completed(started):
                place, pair = started[done]
                yield place, done.result(), *pair[:2]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("originals", nargs="+")
    parser.add_argument("--migrated", type=Path, required=True)
    parser.add_argument("--target", choices=["torch_xla", "torch_tpu"], default="torch_xla")
    parser.add_argument("--tests", type=Path)
    parser.add_argument("--steps", type=int, default=3)
    parser.add_argument("--limit", type=int, default=60, help="seconds a program may run")
    parser.add_argument("--jobs", type=int, help="programs that run at a time; a core each when not given")
    parser.add_argument("--args", type=str.split, default=[], help="command-line arguments for the programs")
    parser.add_argument("--json", type=Path)
    parser.add_argument("--optimize", action="store_true")
    parser.add_argument("--pynguin", action="store_true", help="search for more tests with pynguin")
    parser.add_argument("--no-functions", action="store_true", help="run programs only, derive no inputs")
    parser.add_argument("--quiet", action="store_true")
    options = parser.parse_args()
    try:
        import torch  # noqa: F401
    except ImportError:
        print("tenfold: --verify needs torch: pip install torch", file=sys.stderr)
        return 2
    if options.pynguin:
        from tenfold.migration import pynguin_tests

        if not pynguin_tests.installed():
            print(f"tenfold: --pynguin needs pynguin: {sys.executable} -m pip install pynguin", file=sys.stderr)
            return 2
    judge = (
        "torch_xla"
        if options.target == "torch_xla" and real_torch_xla()
        else f"Tenfold's stand-in for {options.target}"
    )
    found, worst = {}, 0
    for place, outcome, original, migrated in verify_all(options):
        found[place] = outcome
        worst = max(worst, outcome.state == DIFFERS)
        if options.tests:
            write_tests(options.tests, outcome, original, migrated, options.target)
        if not options.quiet or outcome.state == DIFFERS:
            print(f"{original.name}: {outcome.state} (on {judge})")
            for verdict in outcome.verdicts:
                print(f"  {verdict.state:13} {verdict.name}{': ' + verdict.why if verdict.why else ''}")
        if options.optimize and outcome.state == PROVEN:
            from tenfold.migration.optimize import optimize

            for line in optimize(original, migrated, options.target, options):
                print(f"  {line}")
        sys.stdout.flush()
    outcomes = [found[place] for place in sorted(found)]
    if options.json:
        rows = [{"program": o.program, "state": o.state, "verdicts": [vars(v) for v in o.verdicts]} for o in outcomes]
        options.json.write_text(json.dumps(rows, indent=1))
    counts = {
        state: sum(v.state == state for o in outcomes for v in o.verdicts) for state in (PROVEN, DIFFERS, NOT_RUNNABLE)
    }
    print(", ".join(f"{count} {state}" for state, count in counts.items()))
    return int(worst)


if __name__ == "__main__":
    sys.exit(main())
