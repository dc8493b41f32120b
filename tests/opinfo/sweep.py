"""What the runs over PyTorch's databases share: options, a process for every entry, going on with what was saved."""

from __future__ import annotations

import argparse
import faulthandler
import json
import os
import select
import signal
import tempfile
import time
import warnings
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import report

Say = Callable[[dict[str, Any]], object]
Work = Callable[[Say], None]


def parser(doc: str, *, backend: str, limit: int, timeout: float, out: str) -> argparse.ArgumentParser:
    made = argparse.ArgumentParser(description=doc.splitlines()[0])
    made.add_argument("--backend", default=backend, help="what runs the programs: cpu, interp")
    made.add_argument("--only", default="", help="names, separated by commas; name* takes all that begin so")
    made.add_argument("--limit", type=int, default=limit, help="samples of an entry (and type)")
    made.add_argument("--timeout", type=float, default=timeout)
    made.add_argument("--resume", action="store_true", help="keep what --out has; run the rest")
    made.add_argument("--again", default="", help="with --resume: classes to run again, e.g. wrong,error,crash,hang")
    made.add_argument("--out", type=Path, default=Path(out))
    made.add_argument("--docs", type=Path, help="write the table into that page")
    made.add_argument("--verbose", action="store_true")
    return made


def _cpu_seconds(child: int) -> float:
    """What a process has used of its CPUs."""
    fields = Path(f"/proc/{child}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def _answer(reader: int, child: int, timeout: float) -> bytes | None:
    """What the child says next. None: it computed for that long, or did nothing for that long; on a busy machine it may
    wait for a CPU for longer."""
    start = used = _cpu_seconds(child)
    moved = time.monotonic()
    while True:
        ready, _, _ = select.select([reader], [], [], 1.0)
        if ready:
            return os.read(reader, 1 << 16)
        now = _cpu_seconds(child)
        if now > used:
            used, moved = now, time.monotonic()
        if now - start > timeout or time.monotonic() - moved > timeout:
            return None


def _run(work: Work, options: argparse.Namespace, place: Any) -> tuple[bytes, bool, int]:
    """What a child said, whether it hangs, and its status. `place` gets its last words, and where its threads hang."""
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reader)
        null = os.open(os.devnull, os.O_RDWR)
        if not options.verbose:
            os.dup2(null, 1), os.dup2(place.fileno(), 2)
        warnings.simplefilter("ignore")
        faulthandler.register(signal.SIGUSR1, place)
        try:
            work(lambda v: os.write(writer, json.dumps(v).encode() + b"\n"))
        finally:
            os._exit(0)
    os.close(writer)
    text = b""
    while chunk := _answer(reader, child, options.timeout):
        text += chunk
    if chunk is None:
        os.kill(child, signal.SIGUSR1)
        time.sleep(1)
        os.kill(child, signal.SIGKILL)
    os.close(reader)
    return text, chunk is None, os.waitpid(child, 0)[1]


def run_child(work: Work, options: argparse.Namespace) -> dict[str, Any]:
    """Forks; the child says a line a type, so that what came before a crash is known."""
    with tempfile.TemporaryFile() as place:
        text, hang, status = _run(work, options, place)
        place.seek(0)
        stack = place.read().decode(errors="replace")
    lines = [json.loads(line) for line in text.splitlines() if line.endswith(b"}")]
    rows = {line.pop("dtype"): line for line in lines if "dtype" in line}
    last = lines[-1] if lines else {}
    if hang or os.WIFSIGNALED(status) or os.WEXITSTATUS(status) != 0:
        why = f"no answer in {options.timeout:.0f} s" if hang else f"crash: status {status}"
        failure = {"why": why, "sample": last.get("sample", ""), "stack": stack[-4000:]}
        kind = "hang" if hang else "crash"
        rows[last.get("start", "float32")] = {"samples": 1, "class": kind, "fallbacks": {}, "failures": [failure]}
    return rows


def sweep(
    options: argparse.Namespace, jobs: Iterable[tuple[str, str, Work]], class_of: Callable[[dict[str, Any]], str]
) -> dict[str, Any]:
    """Runs the jobs (the key of the row, the name that --only means, the work) and gives all rows, saved in --out."""
    found: dict[str, Any] = {}
    if (options.resume or options.only) and options.out.exists():
        found = json.loads(options.out.read_text())
    wanted = [w for w in options.only.split(",") if w]
    again = set(options.again.split(","))
    saved = time.monotonic()
    for key, name, work in jobs:
        if wanted and not any(name == w or (w.endswith("*") and name.startswith(w[:-1])) for w in wanted):
            continue
        if options.resume and not wanted and key in found and class_of(found[key]) not in again:
            continue
        start = time.monotonic()
        found[key] = row = {"dtypes": run_child(work, options)}
        row["seconds"] = round(time.monotonic() - start, 2)
        print(f"{class_of(row):9} {row['seconds']:6.1f} s  {key}", flush=True)
        for failure in [f for each in row["dtypes"].values() for f in each.get("failures", [])][:2]:
            print(f"            {failure['why'][:200]}  [{failure.get('sample', '')[:100]}]", flush=True)
        if time.monotonic() - saved > 10:
            saved = time.monotonic()
            report.save(options.out, found)
    report.save(options.out, found)
    return found
