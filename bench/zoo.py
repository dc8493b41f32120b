"""Many architectures (zoo_list.py) through every door, with PyTorch eager and inductor in the same run.

    make bench-zoo                                                 everything: hours
    make bench-zoo ARGS="--model resnet18 lstm --row forward-1"    some
    make bench-zoo ARGS="--kind audio --door compile --peer eager --cpu-time --threads 1"

A row is `forward-N` (no gradients; N images or sequences) or `training-N` (forward, backward and AdamW). Doors:
`compile`, torch.compile(backend="tenfold") with its defaults; `device`, the model moved to torch.device("tenfold");
`archive`, a file of torch.export (forward only). Peers: `eager`, and `inductor` (with freezing in forward rows).

In each row every door and peer has a process of its own (zoo_worker.py), forked once the libraries are imported, with a
time limit. They compile side by side and then take turns; a figure is the median over the rounds, in brackets the
least. Results are compared with
eager's: those of the first call, in training the gradients and the second loss (gradients that differ are compared with
f64). A model that fails or is wrong is printed as such. A ratio is the time of the better peer divided by the time of a
door, of the least times; "peak" is the most memory of a call or step, over what the process had before the first one,
as a share of eager's. On a machine with other work to do: --cpu-time --threads 1. On one with many cores: --groups N
runs N rows at a time, each on --threads CPUs of its own; --seconds S starts no row that would end later. --lock FILE
compiles at any time and takes turns with that file locked, ahead of other work (as root) on the last --threads CPUs.
What inductor compiles is kept in out/bench/inductor, so that its rows cost little the second time.
Writes out/bench/zoo.json after every row; --resume keeps the rows that are in it.
"""

from __future__ import annotations

import argparse
import contextlib
import ctypes
import fcntl
import json
import math
import os
import platform
import select
import signal
import statistics
import sys
import tempfile
import time
import traceback
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
OUT = ROOT / "out" / "bench" / "zoo.json"
sys.path[:0] = [str(ROOT / "bench"), str(ROOT / "python")]

ROWS = ["forward-1", "forward-8", "training-4"]
PRECISIONS = ["f32", "bf16"]
PEERS = ["eager", "inductor"]
DOORS = ["compile", "device", "archive"]
TURN = 0.05  # seconds of calls in a turn, at least one call
NEVER = math.inf  # a deadline


# ---- the rows --------------------------------------------------------------------------------------------------------


def import_libraries(models: list[str]) -> None:
    """What takes long, before processes are forked. Nothing is computed here: threads would not survive that."""
    import zoo_list

    makers = {zoo_list.ZOO[m].make.__qualname__.split(".")[0] for m in models}
    if makers & {"timm", "vision", "segmentation", "video", "hugging", "sequence"}:  # transformers imports it, too
        zoo_list.import_torchvision()
    for maker, library in (("timm", "timm"), ("hugging", "transformers"), ("sequence", "transformers")):
        if maker in makers:
            __import__(library)


class Worker:
    """The process of one contestant (zoo_worker.py), forked from this one, in which nothing was computed."""

    def __init__(self, job: dict[str, Any], who: str, folder: Path, log: Path, deadline: float) -> None:
        self.log, self.buffer, self.deadline = log, b"", deadline
        source, sink = os.pipe()
        commands, self.commands = os.pipe()
        sys.stdout.flush()
        self.child = os.fork()
        if self.child == 0:
            os.close(source)
            os.close(self.commands)
            run_worker(job, who, folder, log, commands, sink)
        os.close(sink)
        os.close(commands)
        self.source = source

    def ask(self, command: str, limit: float) -> Any:
        """What it answers; a RuntimeError says how it ended if it does not, or not in time."""
        if command:
            with contextlib.suppress(BrokenPipeError):
                os.write(self.commands, f"{command}\n".encode())
        start = time.monotonic()
        end = min(start + limit, self.deadline)
        while b"\n" not in self.buffer:
            if not select.select([self.source], [], [], max(end - time.monotonic(), 0))[0]:
                raise RuntimeError(f"not done after {time.monotonic() - start:.0f} s")
            piece = os.read(self.source, 65536)
            if not piece:
                raise RuntimeError("stopped" + "".join(f": {line[:200]}" for line in self.last_line()))
            self.buffer += piece
        line, _, self.buffer = self.buffer.partition(b"\n")
        return json.loads(line)

    def last_line(self) -> list[str]:
        return self.log.read_text(errors="replace").strip().splitlines()[-1:]

    def stop(self) -> None:
        os.close(self.commands)
        os.close(self.source)
        for process in [self.child, *below(self.child)]:  # inductor's compilers have sessions of their own
            with contextlib.suppress(ProcessLookupError):
                os.kill(process, signal.SIGKILL)
        os.waitpid(self.child, 0)


def below(process: int) -> list[int]:
    """The processes that one has started, and theirs."""
    found = []
    for path in Path(f"/proc/{process}/task").glob("*/children"):
        with contextlib.suppress(OSError):
            found += [int(child) for child in path.read_text().split()]
    return found + [each for child in found for each in below(child)]


def run_worker(job: dict[str, Any], who: str, folder: Path, log: Path, commands: int, sink: int) -> None:
    """In the child; does not return."""
    status = 1
    try:
        os.setsid()
        ctypes.CDLL(None).prctl(1, signal.SIGKILL)  # PR_SET_PDEATHSIG: nobody else would end it
        errors = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o644)
        os.dup2(errors, 1)
        os.dup2(errors, 2)
        from zoo_worker import serve

        with os.fdopen(sink, "w") as out, os.fdopen(commands) as lines:
            serve(job, who, folder, lines, out)
        status = 0
    except BaseException:
        traceback.print_exc()
    finally:
        sys.stderr.flush()
        os._exit(status)


def take_turns(workers: dict[str, Worker], figures: dict[str, Any], job: dict[str, Any], limit: float) -> None:
    counts, times = {}, {who: [] for who in workers}
    for who, worker in workers.items():
        counts[who] = max(1, min(200, round(TURN / max(worker.ask("turn 1", limit), 1e-6))))
    for _ in range(job["rounds"]):
        for who, worker in workers.items():
            times[who].append(worker.ask(f"turn {counts[who]}", limit))
    for who, worker in workers.items():
        figures[who] |= {"median": statistics.median(times[who]), "best": min(times[who])}
        figures[who]["peak"] = worker.ask("peak", limit)


@contextlib.contextmanager
def alone(workers: Iterable[Worker], lock: Path | None, threads: int) -> Iterator[None]:
    """With the lock, and ahead of the other work of this machine."""
    if lock is None:
        yield
        return
    with lock.open("a") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        for task in (int(t) for worker in workers for t in os.listdir(f"/proc/{worker.child}/task")):
            os.sched_setaffinity(task, sorted(os.sched_getaffinity(0))[-threads:])
            os.sched_setscheduler(task, os.SCHED_RR, os.sched_param(1))
        yield


def run_row(
    job: dict[str, Any], limit: float, log: Path, deadline: float = NEVER, lock: Path | None = None
) -> dict[str, Any]:
    workers, figures = {}, {}
    try:
        with tempfile.TemporaryDirectory() as folder:
            who, *others = [*job["peers"], *job["doors"]]  # the first writes what the others are compared with
            first = time.monotonic()
            for names in ([who], others):
                for who in names:
                    log_of = log.with_suffix(f".{who}.log")
                    workers[who] = Worker(job, who, Path(folder), log_of, min(first + limit, deadline))
                for who in names:
                    try:
                        figures[who] = workers[who].ask("", limit)
                    except RuntimeError as error:
                        figures[who] = {"status": "FAILED", "error": str(error)}
        ready = {who: worker for who, worker in workers.items() if figures[who]["status"] in ("ok", "WRONG")}
        for worker in ready.values():
            worker.deadline = deadline
        try:
            with alone(ready.values(), lock, job["threads"]):
                take_turns(ready, figures, job, limit)
        except RuntimeError as error:
            for who in ready:
                if "median" not in figures[who]:
                    figures[who] |= {"status": "FAILED", "error": str(error)}
    finally:
        for worker in workers.values():
            worker.stop()
    return {**job, "figures": figures}


# ---- several rows at a time ------------------------------------------------------------------------------------------


class Group:
    """A process on some CPUs that runs one row after the other: reads numbers of jobs, answers with rows."""

    def __init__(self, cpus: list[int], run: Callable[[int], dict[str, Any]], others: list[Group]) -> None:
        self.source, sink = os.pipe()
        numbers, self.commands = os.pipe()
        sys.stdout.flush()
        self.child = os.fork()
        if self.child == 0:
            for group in [self, *others]:  # so that ends of pipes are seen
                os.close(group.source)
                os.close(group.commands)
            os.sched_setaffinity(0, cpus)
            with os.fdopen(sink, "w") as out, os.fdopen(numbers) as lines:
                for line in lines:
                    print(json.dumps({**run(int(line)), "cpus": cpus}), file=out, flush=True)
            os._exit(0)
        os.close(sink)
        os.close(numbers)
        self.lines = os.fdopen(self.source)

    def give(self, number: int) -> None:
        os.write(self.commands, f"{number}\n".encode())

    def stop(self) -> None:
        os.close(self.commands)
        self.lines.close()
        os.waitpid(self.child, 0)


def share_cpus(count: int, threads: int) -> list[list[int]]:
    """CPUs for each of `count` groups, of different cores where there are enough."""
    from cores import core_of

    allowed = sorted(os.sched_getaffinity(0))
    firsts = list({core_of(cpu): cpu for cpu in reversed(allowed)}.values())
    ordered = sorted(firsts) + [cpu for cpu in allowed if cpu not in firsts]
    if len(ordered) < count * threads:
        sys.exit(
            f"{count} groups of {threads} threads need {count * threads} CPUs; this process may use {len(ordered)}"
        )
    return [ordered[i * threads : (i + 1) * threads] for i in range(count)]


def run_rows(jobs: list[dict[str, Any]], options: argparse.Namespace) -> Iterator[dict[str, Any]]:
    """In any order. No row is begun in the last quarter of its limit before the end."""
    log, end = options.out.with_suffix(".log"), time.monotonic() + options.seconds
    last = end - options.limit / 4 if options.seconds < NEVER else NEVER
    if options.groups == 1:
        for job in jobs:
            if time.monotonic() < last:
                yield run_row(job, options.limit, log, end, options.lock)
        return
    groups, waiting, numbers = {}, set(), iter(range(len(jobs)))
    for i, cpus in enumerate(share_cpus(options.groups, options.threads)):
        own_log = log.with_suffix(f".{i}.log")
        group = Group(cpus, lambda n, own=own_log: run_row(jobs[n], options.limit, own, end), list(groups.values()))
        groups[group.source] = group

    def next_job(group: Group) -> None:
        number = next(numbers, None) if time.monotonic() < last else None
        if number is not None:
            group.give(number)
            waiting.add(group.source)

    for group in groups.values():
        next_job(group)
    while waiting:
        for source in select.select(list(waiting), [], [])[0]:
            waiting.remove(source)
            line = groups[source].lines.readline()
            if line:
                yield json.loads(line)
                next_job(groups[source])
    for group in groups.values():
        group.stop()


def ratio(row: dict[str, Any], door: str, peers: list[str], key: str = "median") -> float | None:
    figures = row["figures"]
    mine = figures.get(door, {}).get(key)
    theirs = [figures[p][key] for p in peers if figures.get(p, {}).get(key)]
    return min(theirs) / mine if mine and theirs and figures[door]["status"] == "ok" else None


def peak_share(row: dict[str, Any], door: str) -> float | None:
    peaks = [row["figures"].get(who, {}).get("peak") for who in (door, "eager")]
    return peaks[0] / peaks[1] if all(peaks) and peaks[1] > 0 else None


def cell(figure: dict[str, Any] | None) -> str:
    if not figure or figure["status"] == "none":
        return "-"
    if "median" not in figure:
        return figure["status"]
    text = f"{figure['median'] * 1e3:.2f} ({figure['best'] * 1e3:.2f})"
    return text if figure["status"] == "ok" else f"{text} {figure['status']}"


def name_of(row: dict[str, Any]) -> str:
    return f"{row['model']} {row['row']} {row['precision']}"


def line_of(row: dict[str, Any], doors: list[str]) -> str:
    cells = [cell(row["figures"].get(who)) for who in [*PEERS, *doors]]
    ratios = [ratio(row, d, p, k) for d, p, k in (("compile", ["eager"], "best"), ("compile", PEERS, "best"))]
    ratios += [ratio(row, d, PEERS, "best") for d in doors if d != "compile"]
    ratios += [peak_share(row, "compile")]
    return f"| {name_of(row)} | " + " | ".join(cells + [f"{r:.2f}" if r else "-" for r in ratios]) + " |"


def heading(doors: list[str]) -> str:
    rest = [d for d in doors if d != "compile"]
    names = ["row", *PEERS, *doors, "compile to eager", "to the better", *(f"{d} to the better" for d in rest), "peak"]
    return "| " + " | ".join(names) + " |\n|" + "---|" * len(names)


def mean(values: list[float]) -> float:
    return math.exp(sum(map(math.log, values)) / len(values))


def summary(rows: list[dict[str, Any]], doors: list[str]) -> str:
    lines = []
    for door in doors:
        for peers in (["eager"], PEERS):
            found = [(r, v) for row in rows if (r := row) and (v := ratio(row, door, peers, "best"))]
            if not found:
                continue
            against = "eager" if len(peers) == 1 else "the better of eager and inductor"
            lines.append(f"{door}: geometric mean {mean([v for _, v in found]):.3f} of {against} ({len(found)} rows)")
            under = sorted(((v, name_of(r)) for r, v in found if v < 1.0))
            if under:
                lines.append("  under 1.0: " + ", ".join(f"{name} {v:.2f}" for v, name in under))
    for door in doors:
        peaks = sorted((v, name_of(r)) for r in rows if r["row"].startswith("training") and (v := peak_share(r, door)))
        if peaks:
            more = [f"{name} {v:.2f}" for v, name in peaks if v > 1.0]
            lines.append(
                f"{door}: peak memory of a step at most eager's in {len(peaks) - len(more)} of {len(peaks)} rows"
            )
            lines += ["  above it: " + ", ".join(more)] if more else []
    broken = [
        (name_of(r), who, f) for r in rows for who, f in r["figures"].items() if f["status"] in ("FAILED", "WRONG")
    ]
    for name, who, figure in broken:
        lines.append(f"!! {name}: {who} {figure['status']}: {figure.get('error') or differences_of(figure)}")
    return "\n".join(lines)


def differences_of(figure: dict[str, Any]) -> str:
    text = f"results differ from eager's by {figure['difference']:.2g}"
    return text + (f", gradients by {figure['gradients']:.2g}" if "gradients" in figure else "")


def parse() -> argparse.Namespace:
    from zoo_list import ZOO

    kinds = sorted({entry.kind for entry in ZOO.values()})
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--model", nargs="*", choices=list(ZOO), metavar="NAME", help="some of --list")
    parser.add_argument("--kind", nargs="*", choices=kinds, help="models of some kinds")
    parser.add_argument("--row", nargs="*", default=ROWS, metavar="ROW", help=f"forward-N, training-N (default {ROWS})")
    parser.add_argument("--precision", nargs="*", default=PRECISIONS, choices=PRECISIONS, help="bf16 is autocast")
    parser.add_argument("--door", nargs="*", default=DOORS, choices=DOORS)
    parser.add_argument("--peer", nargs="*", default=PEERS, choices=PEERS)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--cpu-time", action="store_true", help="seconds of the CPU; with --threads 1")
    parser.add_argument("--limit", type=float, default=600, help="seconds for one model and row")
    parser.add_argument("--groups", type=int, default=1, help="rows at a time, each on CPUs of its own")
    parser.add_argument("--seconds", type=float, default=NEVER, help="for everything")
    parser.add_argument("--lock", type=Path, help="hold the lock of this file while turns are taken")
    parser.add_argument("--out", type=Path, default=OUT)
    parser.add_argument("--resume", action="store_true", help="keep the rows that --out has")
    parser.add_argument("--list", action="store_true", help="print the models and stop")
    parser.add_argument("--table", action="store_true", help="print the rows that --out has and stop")
    options = parser.parse_args()
    for row in options.row:
        name, _, count = row.partition("-")
        if name not in ("forward", "training") or not count.isdigit() or int(count) < 1:
            parser.error(f"unknown row '{row}'; use forward-N or training-N, such as {', '.join(ROWS)}")
    if options.list:
        print("\n".join(f"{name:30s}{entry.kind}" for name, entry in ZOO.items()))
        sys.exit()
    chosen = options.model or list(ZOO)
    options.model = [m for m in chosen if not options.kind or ZOO[m].kind in options.kind]
    return options


def load(path: Path) -> list[dict[str, Any]]:
    return json.loads(path.read_text())["rows"] if path.exists() else []


def main() -> None:
    options = parse()
    rows = load(options.out) if options.resume or options.table else []
    if not options.table:
        options.out.parent.mkdir(parents=True, exist_ok=True)
        os.environ |= {"OMP_NUM_THREADS": str(options.threads), "TENFOLD_THREADS": str(options.threads)}
        os.environ.setdefault("TORCHINDUCTOR_CACHE_DIR", str(options.out.parent / "inductor"))
        import_libraries(options.model)
        known = {name_of(row) for row in rows}
        print(heading(options.door), flush=True)
        jobs = []
        for model, row, precision in ((m, r, p) for p in options.precision for m in options.model for r in options.row):
            job = {"model": model, "row": row, "precision": precision, "peers": options.peer, "doors": options.door}
            job |= {"rounds": options.rounds, "threads": options.threads, "cpu_time": options.cpu_time}
            jobs += [job] if name_of(job) not in known else []
        for made in run_rows(jobs, options):
            rows.append(made)
            print(line_of(made, options.door), flush=True)
            for who, figure in made["figures"].items():
                if figure["status"] in ("FAILED", "WRONG"):
                    why = figure.get("error") or differences_of(figure)
                    print(f"!! {name_of(made)}: {who} {figure['status']}: {why}", flush=True)
            options.out.write_text(json.dumps({"machine": platform.processor() or platform.machine(), "rows": rows}))
    else:
        print(heading(options.door))
        print("\n".join(line_of(row, options.door) for row in rows))
    print(summary(rows, options.door))


if __name__ == "__main__":
    main()
