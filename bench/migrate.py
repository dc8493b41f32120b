#!/usr/bin/env python3
"""How long `tenfold migrate` takes: one file of 1,000 lines, and a tree of 100,000, made from the corpus.

    bench/migrate.py [--runs N]

Prints medians of elapsed and processor time and the largest memory; on a busy machine the processor time is the one to
read. Wanted: 50 ms, 3 s, 300 MB.
"""

from __future__ import annotations

import argparse
import os
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
CORPUS = ROOT / "tests" / "migrate" / "corpus"
COMMAND = os.environ.get("TENFOLD", str(ROOT / "bin" / "tenfold"))


def make(folder: Path, lines: int) -> int:
    """Copies programs of the corpus until there are enough lines; says how many files that took."""
    folder.mkdir()
    programs = [p.read_text() for p in sorted(CORPUS.glob("*.py"))]
    count = files = 0
    while count < lines:
        text = programs[files % len(programs)]
        (folder / f"program_{files}.py").write_text(text)
        count += text.count("\n")
        files += 1
    return files


def one_file(folder: Path, lines: int) -> None:
    """One program of about so many lines: functions of the corpus, one after another."""
    folder.mkdir()
    text, number = "import torch\nimport torch.nn as nn\nimport torch.nn.functional as F\n", 0
    body = (CORPUS / "mnist_2017.py").read_text().splitlines()
    while text.count("\n") < lines:
        text += f"\n\ndef part_{number}():\n" + "".join(f"    {line}\n" if line.strip() else "\n" for line in body)
        number += 1
    (folder / "program.py").write_text("\n".join(text.splitlines()[:lines]) + "\n")


def measure(source: Path, out: Path) -> tuple[float, float, float]:
    """Into a folder that is new: files that replace others wait for the disk, by the file system's own rule."""
    shutil.rmtree(out, ignore_errors=True)
    read, write = os.pipe()
    start = time.perf_counter()
    child = os.fork()
    if child == 0:
        os.close(read)
        subprocess.run([COMMAND, "migrate", "-q", str(source), "-o", str(out)], check=False, stderr=subprocess.DEVNULL)
        used = resource.getrusage(resource.RUSAGE_CHILDREN)
        os.write(write, f"{used.ru_utime + used.ru_stime} {used.ru_maxrss}".encode())
        os._exit(0)
    os.close(write)
    os.waitpid(child, 0)
    elapsed = time.perf_counter() - start
    processor, memory = os.read(read, 100).decode().split()
    os.close(read)
    return elapsed, float(processor), float(memory) / 1024


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=5)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        work = Path(folder)
        one_file(work / "small", 1000)
        files = make(work / "large", 100_000)
        for name, what in (("small", "1,000 lines, one file"), ("large", f"100,000 lines, {files} files")):
            runs = [measure(work / name, work / f"{name}-out") for _ in range(options.runs)]
            elapsed, processor, memory = (statistics.median(column) for column in zip(*runs, strict=True))
            print(f"{what:28} {elapsed * 1e3:8.0f} ms  {processor * 1e3:8.0f} ms of processor  {memory:6.0f} MB")
    return 0


if __name__ == "__main__":
    sys.exit(main())
