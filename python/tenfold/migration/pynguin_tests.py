"""Tests that pynguin finds by search, run on the original and on the migrated program (`--verify --pynguin`).

Pynguin calls the functions of the original with inputs that it evolves, and writes down as pytest functions what came
back. Those that hold for the original, on the stand-in for CUDA, must hold for the migrated program on the target.

    python -m tenfold.migration.pynguin_tests --as KIND MODULE TESTS  # one side; prints JSON
"""

from __future__ import annotations

import argparse
import contextlib
import importlib.util
import io
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

from tenfold.paths import SEARCH

SEARCH_SECONDS = 20


def installed() -> bool:
    return importlib.util.find_spec("pynguin") is not None


def search(original: Path, work: Path) -> Path | None:
    """Runs pynguin over the original; the tests it wrote, or None."""
    project, out = work / "project", work / "tests"
    project.mkdir(parents=True)
    out.mkdir()
    for path in original.parent.glob("*.py"):
        shutil.copyfile(path, project / path.name)
    command = [sys.executable, "-m", "pynguin", "--project-path", str(project), "--module-name", original.stem]
    command += ["--output-path", str(out), "--maximum-search-time", str(SEARCH_SECONDS), "--seed", "1"]
    # It asks to be told that code under test is run; that is what --pynguin says.
    environment = os.environ | {"PYNGUIN_DANGER_AWARE": "1", "PYTHONHASHSEED": "0", "OMP_NUM_THREADS": "1"}
    # Importing torch takes longer than it allows a module; versions that have no such limit do not know the option.
    for patience in (["--maximum-module-execution-timeout", "0"], []):
        with contextlib.suppress(subprocess.TimeoutExpired):
            limit = 6 * SEARCH_SECONDS
            done = subprocess.run(
                command + patience,
                env=environment,
                capture_output=True,
                text=True,
                cwd=project,
                timeout=limit,
                check=False,
            )
            if "unrecognized arguments" in done.stderr:
                continue
        break
    return next(iter(sorted(out.glob("test_*.py"))), None)


def run_side(kind: str, module: Path, tests: Path) -> dict[str, str]:
    """Each test by name: "" when it holds, else what went wrong."""
    command = [sys.executable, "-m", "tenfold.migration.pynguin_tests", "--as", kind, str(module), str(tests)]
    package = str(SEARCH)
    path = os.pathsep.join(filter(None, [package, os.environ.get("PYTHONPATH")]))
    done = subprocess.run(
        command, env=os.environ | {"PYTHONPATH": path}, capture_output=True, text=True, timeout=300, check=False
    )
    lines = done.stdout.strip().splitlines()
    return json.loads(lines[-1]) if done.returncode == 0 and lines else {}


def compare(original: Path, migrated: Path, kind: str, work: Path) -> tuple[str, str]:
    """(state, why), in the words of tenfold.migration.verify."""
    tests = search(original, work)
    if tests is None:
        return "not runnable", "pynguin found no test for it"
    before, after = run_side("cuda", original, tests), run_side(kind, migrated, tests)
    holds = [name for name, wrong in before.items() if not wrong]
    if not holds:
        return "not runnable", "none of pynguin's tests holds for the original twice"
    for name in holds:
        if after.get(name, "it did not run"):
            return "differs", f"{name}: {after.get(name, 'it did not run')}"
    return "proven", f"{len(holds)} tests of pynguin's hold for both"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--as", dest="kind", required=True)
    parser.add_argument("module", type=Path)
    parser.add_argument("tests", type=Path)
    options = parser.parse_args()
    os.environ["TENFOLD_DEVICE"] = "0"
    if options.kind == "real":
        from tenfold.migration import replay

        replay.install()
    elif options.kind == "real_tpu":
        from tenfold import tpu
        from tenfold.migration import replay

        tpu.tpu_sim("v5e:1x1")
        import torch_tpu  # noqa: F401

        replay.install_tpu()
    else:
        from tenfold.migration import xla

        xla.install(options.kind)
    sys.path.insert(0, str(options.module.parent))
    results: dict[str, str] = {}
    with contextlib.redirect_stdout(io.StringIO()):
        spec = importlib.util.spec_from_file_location("found_tests", options.tests)
        found = importlib.util.module_from_spec(spec)
        try:
            spec.loader.exec_module(found)
        except ImportError as error:
            raise SystemExit(f"the tests cannot be imported: {error}") from error
        for name, function in vars(found).items():
            if not name.startswith("test_") or any(m.name == "xfail" for m in getattr(function, "pytestmark", [])):
                continue
            try:
                function()
                results[name] = ""
            except BaseException as error:  # a test may do anything
                results[name] = f"{type(error).__name__}: {error}"
    print(json.dumps(results))
    return 0


if __name__ == "__main__":
    sys.exit(main())
