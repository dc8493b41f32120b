"""Rewrites that may make a migrated program faster, each kept only when it was measured to help here
and the proof still holds."""

from __future__ import annotations

import argparse
import copy
import itertools
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

from tenfold.migration import command
from tenfold.migration.prove import PROVEN, kind_for, record, verify_program

CANDIDATES = {
    "device-loader": "send the next batch while this one is computed",
    "defer-reads": "read the summed loss once, after the loop",
    "late-sync": "end the step after what is logged, in one program with it",
    "fused-optimizer": "one update for all parameters",
    "scan-layers": "compile equal layers once and loop over them",
    "length-buckets": "round padded lengths up, so that they repeat",
    "bf16": "forward in bfloat16",
}
ROUGH = {"bf16": 0.05}  # changes numbers by design: how much they may differ, relative
RUNS = 5
GAIN = 0.03  # less than this is noise

JUDGES = {"real": "torch_xla", "real_tpu": "torch_tpu, on a simulated TPU"}


class Bench:
    """Times of a program and of its variants on the device at hand, in turn, so that a busy moment hits all alike."""

    def __init__(self, migrated: Path, target: str, options: argparse.Namespace, work: Path):
        self.kind = kind_for(target)
        self.migrated, self.options, self.work, self.count = migrated, options, work, itertools.count()

    def _once(self, program: Path) -> float:
        result = record(self.kind, program, program.parent, self.work / f"run{next(self.count)}", self.options)
        return float("inf") if result["error"] else result["seconds"]

    def compare(self, variant: Path) -> tuple[float, float, bool]:
        """The best run of each, the least disturbed ones; and whether the variant won every round."""
        pairs = [(self._once(self.migrated), self._once(variant)) for _ in range(RUNS)]
        plain, other = min(p for p, _ in pairs), min(o for _, o in pairs)
        return plain, other, other < plain * (1 - GAIN) and all(o < p for p, o in pairs)


def optimize(original: Path, migrated: Path, target: str, options: argparse.Namespace) -> Iterator[str]:
    """Tries each candidate alone, then the good ones together; writes the best over `migrated`. Yields findings."""
    if original.suffix != ".py":
        yield "optimize: programs only, not notebooks"
        return
    with tempfile.TemporaryDirectory(prefix="tenfold-optimize-") as folder:
        work = Path(folder)
        bench, number = Bench(migrated, target, options, work), itertools.count()

        def variant(flags: list[str]) -> tuple[Path | None, str]:
            """The program with these rewrites, proven, or why there is none."""
            place = work / f"try{next(number)}" / original.name
            place.parent.mkdir()
            for other in migrated.parent.iterdir():  # modules and data in the same folder
                if other.is_file() and other.name != original.name and other.stat().st_size < 1 << 20:
                    shutil.copyfile(other, place.parent / other.name)
            asked = [f"--{flag}" for flag in flags]
            arguments = [command(), "migrate", "-q", "-t", target, *asked, str(original), "-o", str(place)]
            subprocess.run(arguments, check=False, capture_output=True)
            if not place.exists() or place.read_bytes() == migrated.read_bytes():
                return None, "does not apply"
            rough = copy.copy(options)
            rough.tolerance = max((ROUGH[flag] for flag in flags if flag in ROUGH), default=None)
            outcome = verify_program(original, place, target, rough)
            if outcome.state != PROVEN:
                found = next((v.why for v in outcome.verdicts if v.state != PROVEN), "")
                return None, f"changes the results ({found}); not kept"
            return place, ""

        good: list[str] = []
        best, kept = 1.0, None
        judge = JUDGES.get(bench.kind, "the stand-in, on this CPU")
        yield f"optimize: measured on {judge}, {RUNS} runs each"
        for flag, what in CANDIDATES.items():
            place, why = variant([flag])
            if place is None:
                yield f"optimize: {flag} ({what}): {why}"
                continue
            plain, took, helps = bench.compare(place)
            change = f"{plain:.3f} s → {took:.3f} s ({100 * (took - plain) / plain:+.1f} %)"
            if helps:
                good.append(flag)
                if took / plain < best:
                    best, kept = took / plain, place
                yield f"optimize: {flag} ({what}): {change}; helps"
            else:
                yield f"optimize: {flag} ({what}): {change}; not kept"
        if len(good) > 1:
            place, _ = variant(good)
            if place is not None:
                plain, took, helps = bench.compare(place)
                if helps and took / plain < best:
                    best, kept = took / plain, place
                    yield f"optimize: {' and '.join(good)} together: {plain:.3f} s → {took:.3f} s; better still"
        if kept is not None:
            shutil.copyfile(kept, migrated)
            yield f"optimize: kept, {100 * (1 - best):.1f} % less time"
        else:
            yield "optimize: nothing was measured to help; the plain migration stays"
