"""Proof that a migrated program does what the original did: both are run, and everything that can be seen is compared.

    python -m tenfold.migration.verify ORIGINAL… --migrated DIR --target torch_xla|torch_tpu [--tests DIR] [--optimize]

The original runs as on a machine with a GPU, the migrated one on the target: the real torch_xla when it is installed,
the real torch_tpu on a simulated TPU (tenfold.tpu) when that is, else Tenfold's stand-in (tenfold.migration.xla).
Printed text, gradients, parameters after each step, results and files must agree. Each function ends as proven,
differs, or not runnable; each says why.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import sys
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor, as_completed
from pathlib import Path

from tenfold.migration import pynguin_tests
from tenfold.migration.optimize import optimize
from tenfold.migration.progress import Progress
from tenfold.migration.prove import (
    DIFFERS,
    NOT_RUNNABLE,
    PROVEN,
    Outcome,
    Verdict,
    defined_in,
    kind_for,
    verify,
    verify_program,
    write_tests,
)

__all__ = ["Verdict", "main", "verify"]  # the tests that are written import these


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
    kind = kind_for(options.target)
    try:
        import torch  # noqa: F401
    except ImportError:
        print("tenfold: --verify needs torch: pip install torch", file=sys.stderr)
        return 2
    if options.pynguin and not pynguin_tests.installed():
        print(f"tenfold: --pynguin needs pynguin: {sys.executable} -m pip install pynguin", file=sys.stderr)
        return 2
    judges = {"real": "torch_xla", "real_tpu": "torch_tpu, on a simulated TPU"}
    judge = judges.get(kind, f"Tenfold's stand-in for {options.target}")
    found, worst = {}, 0
    progress = Progress("verify", sum(1 for _ in pairs(options.originals, options.migrated)), options.quiet)
    for place, outcome, original, migrated in verify_all(options):
        found[place] = outcome
        progress.clear()
        worst = max(worst, outcome.state == DIFFERS)
        if options.tests:
            write_tests(options.tests, outcome, original, migrated, options.target)
        if not options.quiet or outcome.state == DIFFERS:
            print(f"{original.name}: {outcome.state} (on {judge})")
            for verdict in outcome.verdicts:
                print(f"  {verdict.state:13} {verdict.name}{': ' + verdict.why if verdict.why else ''}")
        if options.optimize and outcome.state == PROVEN:
            for line in optimize(original, migrated, options.target, options):
                print(f"  {line}")
        sys.stdout.flush()
        progress.step(original.name)
    progress.clear()
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
