"""What a run of the databases showed: the table, docs/coverage.md, and failures by cause."""

from __future__ import annotations

import json
import os
import sys
from collections import Counter
from pathlib import Path
from typing import Any

CLASSES = ("right", "fallback", "wrong", "error", "crash", "hang")
WORDS = {
    "right": "right, nothing on the CPU",
    "fallback": "right, some ops on the CPU",
    "wrong": "wrong",
    "error": "error",
    "crash": "crash",
    "hang": "hang",
    "none": "no samples of these types",
}
DTYPES = ("float32", "int64", "bool", "complex64")
KINDS = {"op": "OpInfo", "module": "ModuleInfo"}


def worse(a: str, b: str) -> str:
    return a if CLASSES.index(a) >= CLASSES.index(b) else b


def row_class(row: dict[str, Any]) -> str:
    if not row["samples"] and row["class"] == "right":
        return "none"
    return "fallback" if row["class"] == "right" and row["fallbacks"] else row["class"]


def entry_class(entry: dict[str, Any]) -> str:
    classes = [c for c in (row_class(r) for r in entry["dtypes"].values()) if c != "none"]
    return max(classes, key=CLASSES.index) if classes else "none"


def save(path: Path, found: dict[str, Any]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    whole = path.with_suffix(".part")
    whole.write_text(json.dumps(found, indent=0))
    os.replace(whole, path)


def count(found: dict[str, Any], kind: str) -> tuple[Counter[str], dict[str, Counter[str]]]:
    whole: Counter[str] = Counter()
    by_type: dict[str, Counter[str]] = {d: Counter() for d in DTYPES}
    for key, entry in found.items():
        if key.startswith(kind + ":"):
            whole[entry_class(entry)] += 1
            for dtype, row in entry["dtypes"].items():
                by_type.setdefault(dtype, Counter())[row_class(row)] += 1
    return whole, by_type


def share(part: int, whole: int) -> str:
    return f"{100 * part / whole:.1f} %" if whole else "-"


def near(found: dict[str, Any], kind: str) -> int:
    """Entries that are right, some samples only by the second rule (samples.is_as_exact)."""
    return sum(
        key.startswith(kind + ":")
        and entry_class(entry) in ("right", "fallback")
        and any(row.get("exact") for row in entry["dtypes"].values())
        for key, entry in found.items()
    )


def rows_of(found: dict[str, Any], kind: str) -> list[list[str]]:
    whole, by_type = count(found, kind)
    total = sum(whole.values())
    dtypes = [d for d in DTYPES if by_type[d]]
    rows = [["", "entries", "", *dtypes]]
    for name in (*CLASSES, "none"):
        rows.append(
            [WORDS[name], str(whole[name]), share(whole[name], total), *(str(by_type[d][name]) for d in dtypes)]
        )
    right = whole["right"] + whole["fallback"]
    strict = right - near(found, kind)
    rows.append(["all that are right", str(right), share(right, total), *[""] * len(dtypes)])
    rows.append(["within the databases' tolerances", str(strict), share(strict, total), *[""] * len(dtypes)])
    rows.append(["all", str(total), "", *(str(sum(by_type[d].values())) for d in dtypes)])
    return rows


def table(found: dict[str, Any]) -> str:
    lines = []
    for kind, title in KINDS.items():
        rows = rows_of(found, kind)
        if rows[-1][1] == "0":
            continue
        widths = [max(len(r[i]) for r in rows) for i in range(len(rows[0]))]
        lines.append(f"{title}: forward, and backward of float32")
        for row in rows:
            cells = [row[0].ljust(widths[0]), *(c.rjust(w) for c, w in zip(row[1:], widths[1:], strict=True))]
            lines.append("  " + "  ".join(cells).rstrip())
    return "\n".join(lines)


def names(found: dict[str, Any], kind: str, wanted: str) -> list[str]:
    return sorted(k.split(":", 1)[1] for k, e in found.items() if k.startswith(kind + ":") and entry_class(e) == wanted)


def markdown(found: dict[str, Any], limit: int, backend: str) -> str:
    lines = [
        "# Coverage of PyTorch's ops and modules",
        '`make opinfo` runs the samples of PyTorch\'s OpInfo and ModuleInfo databases on `device="tenfold"` and on the',
        f"CPU, forward and (float32) backward, and writes this page: at most {limit} samples of an entry and type, run",
        f"by `{backend}`. Right means equal within OpInfo's tolerances, or no farther from the CPU's float64 results",
        "than three times what the CPU's own float32 results are (the last row but one leaves those out); of random",
        "ops, equal in shape and type. Results whose sizes depend on data (`nonzero`, `masked_select`, `unique`,",
        "indexing by a mask) run on the CPU.",
    ]
    for kind, title in KINDS.items():
        rows = rows_of(found, kind)
        if rows[-1][1] == "0":
            continue
        lines += ["", f"## {title}", "| " + " | ".join(rows[0]) + " |", "|---" + "|--:" * (len(rows[0]) - 1) + "|"]
        lines += ["| " + " | ".join(row) + " |" for row in rows[1:]]
        for name in CLASSES[2:]:
            if names(found, kind, name):
                lines += [
                    "",
                    f"{WORDS[name].capitalize()}: " + ", ".join(f"`{n}`" for n in names(found, kind, name)) + ".",
                ]
        fallen: Counter[str] = Counter()
        for key, entry in found.items():
            if key.startswith(kind + ":"):
                fallen.update({op for row in entry["dtypes"].values() for op in row["fallbacks"]})
        if fallen:
            lines += ["", f"Ops that ran on the CPU, and in how many entries of {title}: "]
            lines[-1] += ", ".join(f"`{op}` {n}" for op, n in sorted(fallen.items(), key=lambda p: (-p[1], p[0]))) + "."
    return "\n".join(lines) + "\n"


GRADIENTS = ("<!-- gradients -->\n", "<!-- /gradients -->\n")  # around the part of the page that gradients.py writes


def write_page(path: Path, text: str) -> None:
    """All of the page but the part about gradients, which stays."""
    _, _, rest = (path.read_text() if path.exists() else "").partition(GRADIENTS[0])
    part, end, _ = rest.partition(GRADIENTS[1])
    path.write_text(text + ("\n" + GRADIENTS[0] + part + end if end else ""))


def write_gradients(path: Path, text: str) -> None:
    """That part alone, at the end."""
    page, _, _ = (path.read_text() if path.exists() else "").partition(GRADIENTS[0])
    path.write_text(page.rstrip("\n") + "\n\n" + GRADIENTS[0] + text + GRADIENTS[1])


def causes(found: dict[str, Any]) -> str:
    """Failures by op where it is known, most entries first; then fallbacks."""
    by_op: dict[tuple[str, str], dict[str, str]] = {}
    fallen: dict[str, set[str]] = {}
    for key, entry in found.items():
        for dtype, row in entry["dtypes"].items():
            for failure in row["failures"]:
                slot = by_op.setdefault((failure.get("op", key), failure.get("class", row["class"])), {})
                slot.setdefault(f"{key} {dtype}", failure["why"])
            for op in row["fallbacks"]:
                fallen.setdefault(op, set()).add(key)
    lines = []
    for (op, kind), where in sorted(by_op.items(), key=lambda p: -len(p[1])):
        lines.append(f"{len(where):4} {kind:8} {op}")
        lines += [f"       {place}: {why}" for place, why in list(where.items())[:3]]
    for op, keys in sorted(fallen.items(), key=lambda p: -len(p[1])):
        lines.append(f"{len(keys):4} fallback {op}: {', '.join(sorted(keys)[:5])}")
    return "\n".join(lines)


if __name__ == "__main__":
    whole = json.loads(Path(sys.argv[1]).read_text())
    print(causes(whole))
    print(table(whole))
