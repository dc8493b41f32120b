"""Rewrites that may make a migrated program faster, each kept only when it was measured to help here
and the proof still holds."""

from __future__ import annotations

import argparse
import itertools
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

from tenfold.migration import command
from tenfold.verify import PROVEN, record, verify_program

CANDIDATES = {
    "device-loader": "send the next batch while this one is computed",
    "defer-reads": "read the summed loss once, after the loop",
}
RUNS = 3
GAIN = 0.03  # less than this is noise


def seconds(program: Path, target: str, options: argparse.Namespace, work: Path) -> float:
    """The best of a few runs; the least disturbed one."""
    times = []
    for run in range(RUNS):
        result = record(target, program, program.parent, work / f"run{run}", options)
        if result["error"]:
            return float("inf")
        times.append(result["seconds"])
    return min(times)


def optimize(original: Path, migrated: Path, target: str, options: argparse.Namespace) -> Iterator[str]:
    """Tries each candidate alone, then the good ones together; writes the best over `migrated`. Yields findings."""
    if original.suffix != ".py":
        yield "optimize: programs only, not notebooks"
        return
    with tempfile.TemporaryDirectory(prefix="tenfold-optimize-") as folder:
        work = Path(folder)
        plain = seconds(migrated, target, options, work / "plain")
        best, kept, number = plain, None, itertools.count()

        def attempt(flags: list[str]) -> tuple[float, Path | None, str]:
            place = work / f"try{next(number)}" / original.name
            place.parent.mkdir()
            arguments = [
                command(),
                "migrate",
                "-q",
                "-t",
                target,
                *[f"--{flag}" for flag in flags],
                str(original),
                "-o",
                str(place),
            ]
            subprocess.run(arguments, check=False, capture_output=True)
            if not place.exists() or place.read_text() == migrated.read_text():
                return float("inf"), None, "does not apply"
            if verify_program(original, place, target, options).state != PROVEN:
                return float("inf"), None, "changes the results; not kept"
            return seconds(place, target, options, place.parent), place, ""

        good = []
        for flag, what in CANDIDATES.items():
            took, place, why = attempt([flag])
            change = 100 * (took - plain) / plain
            if place is None:
                yield f"optimize: {flag} ({what}): {why}"
            elif took < plain * (1 - GAIN):
                good.append(flag)
                if took < best:
                    best, kept = took, place
                yield f"optimize: {flag} ({what}): {plain:.3f} s → {took:.3f} s ({change:+.1f} %); helps"
            else:
                yield f"optimize: {flag} ({what}): {plain:.3f} s → {took:.3f} s ({change:+.1f} %); not kept"
        if len(good) > 1:
            took, place, _ = attempt(good)
            if place is not None and took < best:
                best, kept = took, place
        if kept is not None:
            shutil.copyfile(kept, migrated)
            yield f"optimize: kept, {plain:.3f} s → {best:.3f} s ({100 * (best - plain) / plain:+.1f} %)"
        else:
            yield "optimize: nothing was measured to help; the plain migration stays"
