#!/usr/bin/env python3
"""Breaks migrated programs on purpose and asks whether the proof notices.

    tests/migrate/mutate.py [--limit N] [--target torch_xla] [--least 95] [NAME…]

Each mutation is one small mistake a bad rewrite could make: a move dropped, a step lost, two lines swapped, a seed
forgotten. Each run is judged twice: as on the stand-in, and with what is allowed on a real device, which sums in
another order. Run by hand (it takes minutes); tests/python/test_migrate.py runs a few of them.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "python"))

from tenfold.migration import compare, prove  # noqa: E402

CORPUS = ROOT / "tests" / "migrate" / "corpus"
DROP_CALL = re.compile(
    r"\.to\((?:device|DEVICE|GPU|CUDA|dev|self\.device|torch_xla\.device\(\)|config\.device|fallback)"
    r"(?:, non_blocking=True)?\)"
)


def lines_with(text: str, pattern: str) -> Iterator[tuple[int, str]]:
    for number, line in enumerate(text.splitlines(keepends=True)):
        if re.search(pattern, line) and not line.lstrip().startswith(("#", "def ", "class ", "import", "from")):
            yield number, line


def without_line(text: str, number: int) -> str:
    lines = text.splitlines(keepends=True)
    indent = re.match(r"\s*", lines[number]).group()
    lines[number] = f"{indent}pass\n"
    return "".join(lines)


def mutations(text: str) -> Iterator[tuple[str, str]]:
    """(what was broken, the broken text)"""
    for match in DROP_CALL.finditer(text):
        yield (
            f"dropped {match.group()} at {text.count(chr(10), 0, match.start()) + 1}",
            text[: match.start()] + text[match.end() :],
        )
    whole_line = {
        "lost step": r"^\s*(self\.)?\w*[oO]pt\w*\.step\([^)]*\)\s*$|scaler\.step",
        "lost backward": r"^\s*\w+\.backward\(\)\s*$",
        "lost seed": r"torch_xla\.manual_seed\(",
        "lost zero_grad": r"^\s*(self\.)?\w*opt\w*\.zero_grad\([^)]*\)\s*$",
        "lost sync": r"^\s*torch_xla\.sync\(\)",
        "lost save": r"^\s*xm\.save\(",
        "lost parameters": r"set_swap_module_params",
        "lost clip": r"clip_grad",
    }
    for what, pattern in whole_line.items():
        for number, _ in lines_with(text, pattern):
            yield f"{what} at {number + 1}", without_line(text, number)
    lines = text.splitlines(keepends=True)
    for number, line in lines_with(
        text, r"^\s*(self\.)?\w*[oO]pt\w*\.zero_grad\([^)]*\)\s*$"
    ):  # zero_grad after backward
        for later in range(number + 1, min(number + 6, len(lines))):
            if ".backward()" in lines[later]:
                moved = lines[:number] + lines[number + 1 : later + 1] + [line] + lines[later + 1 :]
                yield f"zero_grad after backward at {number + 1}", "".join(moved)
                break
    for number, line in lines_with(text, r"^\s*(self\.)?\w*[oO]pt\w*\.step\(\)\s*$"):
        yield f"stepped twice at {number + 1}", "".join([*lines[: number + 1], line, *lines[number + 1 :]])
    for match in re.finditer(r"torch_xla\.device\(\)(?=\n| )", text):
        yield (
            f"CPU device at {text.count(chr(10), 0, match.start()) + 1}",
            text[: match.start()] + 'torch.device("cpu")' + text[match.end() :],
        )
    for match in re.finditer(r'map_location="cpu"', text):
        yield "wrong map_location", text[: match.start()] + 'map_location="xla"' + text[match.end() :]


# Programs that draw random numbers on the device after seeding it.
DRAWS = {"mnist_2017", "dcgan_small", "vae", "custom_autograd", "reinforce", "siamese_while"}


def equivalent(what: str, program: str) -> bool:
    """Mistakes that change nothing a run could show: a seed that no draw follows, a clip nobody reaches."""
    return what.startswith("lost clip") or (what.startswith("lost seed") and program not in DRAWS)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*")
    parser.add_argument("--limit", type=int, default=10_000, help="mutations of each program")
    parser.add_argument("--target", default="torch_xla")
    parser.add_argument("--least", type=float, default=95.0)
    options = parser.parse_args()
    command = os.environ.get("TENFOLD", str(ROOT / "bin" / "tenfold"))
    runs = prove.defaults(no_functions=True, steps=8, limit=900)
    caught, elsewhere, missed, same = 0, 0, [], 0
    for program in sorted(CORPUS.glob("*.py")):
        if options.names and program.stem not in options.names:
            continue
        with tempfile.TemporaryDirectory() as folder:
            work = Path(folder)
            migrated = work / program.name
            subprocess.run(
                [command, "migrate", "-q", "-t", options.target, str(program), "-o", str(migrated)], check=False
            )
            text = migrated.read_text()
            original = prove.record("cuda", program, program.parent, work / "original", runs)
            noisy = [
                prove.record("cuda", program, program.parent, work / f"n{n}", runs, "--noise", str(n))
                for n in range(1, compare.NOISY + 1)
            ]
            for count, (what, broken) in enumerate(mutations(text)):
                if count >= options.limit or original["error"]:
                    break
                if equivalent(what, program.stem):
                    same += 1
                    continue
                place = work / f"m{count}"
                place.mkdir()
                (place / program.name).write_text(broken)
                run = prove.record(options.target, place / program.name, place, place / "run", runs)
                found = compare.compare_runs(original, run, options.target)
                there = run | {"real": True}
                far = compare.compare_runs(original, there, options.target, compare.OTHER_MACHINE, noisy)
                caught += found is not None
                elsewhere += far is not None
                if found is None:
                    missed.append(f"{program.name}: {what}")
                word = "MISSED" if found is None else "caught here only" if far is None else "caught"
                print(f"{word} {program.name}: {what}: {(found or '').split(chr(10))[0][:90]}", flush=True)
    total = caught + len(missed)
    share = 100.0 * caught / total if total else 0.0
    print(f"{caught} of {total} caught ({share:.1f} %), {elsewhere} with what a real device is allowed; ", end="")
    print(f"{same} that change nothing left out")
    return 0 if share >= options.least else 1


if __name__ == "__main__":
    sys.exit(main())
