#!/usr/bin/env python3
"""Writes docs/migrate/rules/ from the table of rules and the before/after cases: one page a rule, and the list of them.

tests/migrate/make_docs.py            write
tests/migrate/make_docs.py --check    exit 1 when a page is not what it would write
"""

from __future__ import annotations

import difflib
import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
CASES = ROOT / "tests" / "migrate" / "cases"
PAGES = ROOT / "docs" / "migrate" / "rules"
FAMILIES = {
    "1": "Devices",
    "2": "Training loops",
    "3": "Mixed precision",
    "4": "Data",
    "5": "Distributed",
    "6": "Checkpoints",
    "7": "Random numbers",
    "8": "Compilers, profilers, layouts",
    "9": "Shapes and operations",
}


def rules() -> list[tuple[str, str, str, str]]:
    command = os.environ.get("TENFOLD", str(ROOT / "bin" / "tenfold"))
    listed = subprocess.run([command, "migrate", "--list-rules"], capture_output=True, text=True, check=True).stdout
    found = []
    for line in listed.splitlines():
        number, name = line[:3], line[5:24].strip()
        found.append((number, name, line[24:45].strip(), line[45:].strip()))
    return sorted(found)


def difference(case: Path, target: str) -> str:
    before, after = (case / "before.py").read_text().splitlines(), (case / f"{target}.py").read_text().splitlines()
    lines = list(difflib.unified_diff(before, after, n=1, lineterm=""))[2:]
    return "\n".join(line for line in lines if not line.startswith("@@"))


def page(number: str, name: str, targets: str, reason: str) -> str:
    text = f"# {number} {name}\n{reason[0].upper()}{reason[1:]}.\n\nTargets: {targets}.\n"
    case = next(iter(sorted(CASES.glob(f"{number}-*"))), None)
    if case is None:
        return text + "\nThis rule changes nothing by itself: it says in the report what it found and where.\n"
    for target in ("torch_xla", "torch_tpu"):
        if target in targets:
            text += f"\n## {target}\n```diff\n{difference(case, target)}\n```\n"
    return text


def pages() -> dict[Path, str]:
    found = {}
    listing = "# Rules\n`tenfold migrate --list-rules` prints this list; `--disable 201,402` switches rules off.\n"
    family = ""
    for number, name, targets, reason in rules():
        if number[0] != family:
            family = number[0]
            listing += f"\n## {FAMILIES[family]}\n"
        listing += f"- [{number} {name}]({number}-{name}.md): {reason}\n"
        found[PAGES / f"{number}-{name}.md"] = page(number, name, targets, reason)
    found[PAGES / "README.md"] = listing
    return found


def main() -> int:
    wanted = pages()
    stale = [path for path in PAGES.glob("*.md") if path not in wanted]
    if "--check" in sys.argv:
        wrong = [path for path, text in wanted.items() if not path.exists() or path.read_text() != text] + stale
        for path in wrong:
            print(f"{path.relative_to(ROOT)} is not up to date: run tests/migrate/make_docs.py")
        return bool(wrong)
    PAGES.mkdir(parents=True, exist_ok=True)
    for path in stale:
        path.unlink()
    for path, text in wanted.items():
        path.write_text(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
