"""What looking costs: forward calls that are profiled against calls that are not, and the reports of BERT-base and of a
training step of VGG19: their size, and how long Chromium takes to draw them.

python bench/visible.py [--rounds 30] [--model bert vgg19] [--no-overhead] [--no-reports]

Calls that are profiled and calls that are not take turns in one process and are compared pair by pair, by CPU time of
all threads, which other work on the machine disturbs least, and by time on the clock: the median of the ratios, and
between which ratios it lies with 95 % certainty. The page says itself how many milliseconds after it was opened
everything was drawn and laid out: the first tab, and all tabs at once.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import re
import shutil
import statistics
import subprocess
import tempfile
import time
from pathlib import Path

import models
import torch
from tenfold import _core

ROOT = Path(__file__).resolve().parent.parent
TENFOLD = os.environ.get("TENFOLD", str(ROOT / "bin" / "tenfold"))
BEGIN, END = '<script type="application/json" id="data">', "</script>"


def tenfold(*words: object) -> str:
    return subprocess.run([TENFOLD, *map(str, words)], check=True, capture_output=True, text=True).stdout


def export(name: str, folder: Path) -> Path:
    path = folder / f"{name}.pt2"
    model, inputs = models.make(name, 1)
    torch.export.save(torch.export.export(model.eval(), inputs), path)
    return path


def overhead(name: str, archive: Path, folder: Path, rounds: int) -> None:
    """Of calls that `tenfold profile -- COMMAND` profiles."""
    program = _core.load(str(archive))
    inputs = [x.numpy() for x in models.make(name, 1)[1]]
    plain = program.compile()
    os.environ["TENFOLD_PROFILE"] = str(folder)
    watched = program.compile()
    del os.environ["TENFOLD_PROFILE"]
    clocks = {"CPU time": time.process_time, "time": time.perf_counter}
    times: dict[str, dict[bool, list[float]]] = {clock: {False: [], True: []} for clock in clocks}
    for i in range(-2, rounds):
        for profiled in (False, True) if i % 2 else (True, False):
            starts = {clock: read() for clock, read in clocks.items()}
            (watched if profiled else plain)(*inputs)
            for clock, read in clocks.items():
                if i >= 0:  # the first calls touch memory for the first time
                    times[clock][profiled].append(read() - starts[clock])
    for clock, both in times.items():
        ratios = sorted(b / a for a, b in zip(both[False], both[True], strict=True))
        aside = round(0.98 * math.sqrt(rounds))  # ranks on both sides of the median
        low, high = ratios[max(0, rounds // 2 - aside)], ratios[min(rounds - 1, rounds // 2 + aside)]
        print(
            f"{name}: {clock} of a call {statistics.median(both[False]) * 1e3:.3f} ms, profiled "
            f"{statistics.median(ratios) - 1:+.2%} (median of {rounds} pairs; {low - 1:+.2%} to {high - 1:+.2%})",
            flush=True,
        )


def drawn(page: Path, tab: str) -> int:
    """Milliseconds, in Chromium."""
    command = ["chromium", "--headless", "--no-sandbox", "--disable-gpu", "--window-size=1280,900", "--dump-dom"]
    done = subprocess.run([*command, f"file://{page}{tab}"], check=True, capture_output=True, text=True, timeout=300)
    found = re.search(r'data-drawn="(\d+)"', done.stdout)
    return int(found[1]) if found else -1


def report(name: str, archive: Path, folder: Path, *more: str) -> None:
    page = folder / "report.html"
    tenfold("report", archive, "-o", page, "--repeat", 3, *more)
    text = page.read_text()
    start = text.index(BEGIN) + len(BEGIN)
    data = json.loads(text[start : text.index(END, start)])
    times = {tab or "#Overview": min(drawn(page, tab) for _ in range(3)) for tab in ("", "#Graph", "#all")}
    shown = ", ".join(f"{tab[1:]} {ms} ms" for tab, ms in times.items())
    print(
        f"report of {name}: {page.stat().st_size / 1e6:.2f} MB, {len(data['before'])} ops, {len(data['steps'])} steps; "
        f"drawn in Chromium: {shown}",
        flush=True,
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=30)
    parser.add_argument("--model", nargs="+", default=["bert", "vgg19"], choices=models.MODELS)
    parser.add_argument("--no-overhead", action="store_true")
    parser.add_argument("--no-reports", action="store_true")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for model in args.model:
            archive = export(model, folder)
            if not args.no_overhead:
                overhead(model, archive, folder, args.rounds)
            if not args.no_reports and not shutil.which("chromium"):
                print("no reports: Chromium is not installed (Debian: chromium)")
            elif not args.no_reports:
                report(model, archive, folder)
                report(f"a training step of {model}", archive, folder, "--train", "--optimizer", "adamw")
            archive.unlink()


if __name__ == "__main__":
    main()
