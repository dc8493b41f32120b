"""One migrated program, proven: it and the original are run, and everything that can be seen is compared."""

from __future__ import annotations

import argparse
import ast
import importlib.util
import json
import os
import pickle
import re
import shutil
import tempfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tenfold import tpu
from tenfold.migration import pynguin_tests
from tenfold.migration.compare import (
    NOISY,
    OTHER_MACHINE,
    ROUNDED,
    compare_all,
    difference,
    first,
    share_on_device,
    tolerance,
)
from tenfold.migration.record import mentions
from tenfold.migration.server import Server

PROVEN, DIFFERS, NOT_RUNNABLE = "proven", "differs", "not runnable"


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


def real_torch_xla() -> bool:
    return os.environ.get("TENFOLD_STAND_IN") not in ("on", "1") and importlib.util.find_spec("torch_xla") is not None


def real_torch_tpu() -> bool:
    """torch_tpu is installed, and there is a plugin to simulate its TPU with."""
    if os.environ.get("TENFOLD_STAND_IN") in ("on", "1") or importlib.util.find_spec("torch_tpu") is None:
        return False
    try:
        os.environ.setdefault("TPU_LIBRARY_PATH", tpu.library())  # without it torch_tpu aborts
    except FileNotFoundError:
        return False
    return True


def kind_for(target: str) -> str:
    """What the migrated program runs on, as tenfold.migration.record takes it."""
    if target == "torch_xla":
        return "real" if real_torch_xla() else target
    return "real_tpu" if real_torch_tpu() else target


def kind_of_original(program: Path, root: Path) -> str:
    """Programs for PyTorch/XLA run on that, all others as on a GPU."""
    return kind_for("torch_xla") if mentions(program, root, b"torch_xla") else "cuda"


def summary(run: dict) -> str:
    return f"{len(run['steps'])} steps, {len(run['files'])} files, {len(run['stdout'].splitlines())} lines compared"


server = Server()


def record(
    kind: str, program: Path, root: Path, work: Path, options: argparse.Namespace, *extra: str
) -> dict[str, Any]:
    """Runs a program in a folder of its own, so that what it writes can be seen."""
    work.mkdir(parents=True, exist_ok=True)
    for path in root.rglob("*"):  # data files of the program
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


@dataclass
class Pair:
    """A program before and after, with the roots of their projects, and where records of them go."""

    original: Path
    migrated: Path
    root: Path
    migrated_root: Path
    work: Path
    target: str
    kind: str


def compare_runs(pair: Pair, options: argparse.Namespace, outcome: Outcome) -> tuple[dict[str, str | None], str]:
    """Runs both. By function, what differs or None; and why a function that is not there has no verdict."""

    first_kind = kind_of_original(pair.original, pair.root)

    def before(place: str, *more: str) -> dict:
        return record(first_kind, pair.original, pair.root, pair.work / place, options, *more)

    def after(place: str, *more: str) -> dict:
        return record(pair.kind, pair.migrated, pair.migrated_root, pair.work / place, options, *more)

    a = before("original")
    stop = []
    if a["error"] and "longer than the limit" in a["error"] and a["steps"]:
        stop = ["--stop"]
        a = before("original-short", *stop)
    outcome.original_seconds = a["seconds"]
    if a["error"]:
        outcome.verdicts.append(Verdict("<program>", NOT_RUNNABLE, a["error"]))
        return {}, f"the original: {a['error']}"
    # What had no device drew on the host; where it runs now says nothing about which numbers it draws.
    stream = [] if share_on_device(a) else ["--one-stream"]
    b = after("migrated", *stop, *stream)
    outcome.migrated_seconds = b["seconds"]
    relative = tolerance(options, a, b)
    found, functions = compare_all(a, b, pair.target, relative)
    mode, loose = [], {}
    if relative >= ROUNDED and not found:  # bfloat16 hides a lot: again without it
        mode, loose, relative = ["--exact"], functions, OTHER_MACHINE
        a = before("original-exact", *stop, *mode)
        b = after("migrated-exact", *stop, *mode, *stream)
        found, functions = (a["error"], {}) if a["error"] else compare_all(a, b, pair.target, relative)
    if relative == OTHER_MACHINE and not b["error"] and (found or any(functions.values())):
        # some programs magnify rounding: by how much?
        noisy = [before(f"original-noisy{n}", *stop, *mode, "--noise", str(n)) for n in range(1, NOISY + 1)]
        found, functions = compare_all(a, b, pair.target, relative, noisy)
    if loose:
        found = found and f"with autocast off: {found}"
        functions = {k: loose.get(k) or (w and f"with autocast off: {w}") for k, w in functions.items()}
    outcome.verdicts.append(Verdict("<program>", DIFFERS if found else PROVEN, found or summary(a)))
    return functions, "never called when the program runs"


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
        kind = kind_for(target)
        # called while another program of the project ran
        verdicts: dict[str, str | None] = dict((known or {}).get(str(original), {}))
        reason = "nothing in it runs by itself"
        if runs:
            pair = Pair(original, migrated, root, migrated_root, work, target, kind)
            functions, reason = compare_runs(pair, options, outcome)
            for key, found in functions.items():
                file, _, name = key.partition(":")
                if (root / file).resolve() == original:
                    verdicts[name] = verdicts.get(name) or found
                elif known is not None:  # one program that shows a difference is enough
                    others = known.setdefault(str((root / file).resolve()), {})
                    others[name] = others.get(name) or found
        rest = [n for n in names if n not in verdicts and "." not in n]
        if rest and not options.no_functions:
            more, errors = exercise_both(original, migrated, kind, root, migrated_root, work, rest, options)
            verdicts |= more
            for name in rest:
                if name not in verdicts:
                    outcome.verdicts.append(Verdict(name, NOT_RUNNABLE, errors.get(name, reason)))
        if getattr(options, "pynguin", False) and original.suffix == ".py":
            outcome.verdicts.append(
                Verdict("<pynguin>", *pynguin_tests.compare(original, migrated, kind, work / "pynguin"))
            )
        if not names and not runs:
            outcome.verdicts.append(
                Verdict("<file>", NOT_RUNNABLE, "it defines no function or class, and nothing in it runs by itself")
            )
        for name in names:
            if name in verdicts:
                found = verdicts[name]
                outcome.verdicts.append(Verdict(name, DIFFERS, found) if found else Verdict(name, PROVEN))
    return outcome


def exercise_both(original, migrated, kind, root, migrated_root, work, names, options):
    """Calls each function with inputs that are derived for it; again without autocast when it is in the way."""
    extra = ("--functions", "--only", ",".join(names))
    results, errors = {}, {}
    for mode in ("", "-exact"):
        more = (*extra, "--exact") if mode else extra
        a = record(kind_of_original(original, root), original, root, work / f"original-functions{mode}", options, *more)
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

from pathlib import Path

import pytest
from tenfold.migration.verify import Verdict, verify

HERE = Path(__file__).parent
ORIGINAL = HERE / {original!r}
MIGRATED = HERE / {migrated!r}
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
        original=Path(os.path.relpath(original.resolve(), folder.resolve())).as_posix(),
        migrated=Path(os.path.relpath(migrated.resolve(), folder.resolve())).as_posix(),
        functions=proven,
        target=target,
    )
    (folder / f"test_migrated_{original.stem}.py").write_text(text)


def defaults(**changes) -> argparse.Namespace:
    return argparse.Namespace(**({"steps": 3, "limit": 60, "args": [], "no_functions": False} | changes))


def verify(original: str | Path, migrated: str | Path, target: str = "torch_xla", **changes) -> Outcome:
    """Compares one program with its migrated version."""
    return verify_program(Path(original).resolve(), Path(migrated).resolve(), target, defaults(**changes))
