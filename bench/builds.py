"""Two checkouts of Tenfold, each built, interleaved: what a change of the code did to the speed of what it compiles.

    bench/builds.py ../before .                        every row, about ten minutes
    bench/builds.py ../before . --row bert mlp-call    some

Rows: forward calls and training steps through torch.compile, forward calls of an archive, the overhead of a call (an
MLP so small that little else is left), and compile times, which are those of `tenfold compile` in a process of its own
with the cache off. Both builds have a process each; a round gives each a turn, in changing order. Where a process's
memory lies, and which is started first, matters (by 3 to 7 % where weights are large), so the processes are started
anew six times, each build first in half of them. A ratio is
the first build's time divided by the second's in one round, of which the median is printed (the machine's speed drifts
between rounds), and in brackets that of the best times. Writes out/bench/builds.json.
"""

from __future__ import annotations

import argparse
import importlib
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
OUT = ROOT / "out" / "bench"
sys.path.insert(0, str(ROOT / "bench"))
TURN = 0.5  # seconds of calls, about
STARTS = 6  # of both processes
PAUSE = 0.25  # between turns: threads that spin after a call are to be asleep


def model_of(name: str) -> tuple[Any, tuple[Any, ...]]:
    import mobile
    import models
    import torch

    torch.manual_seed(0)
    if name == "mlp":
        layers = [torch.nn.Linear(16, 16), torch.nn.ReLU(), torch.nn.Linear(16, 4)]
        return torch.nn.Sequential(*layers).eval(), (torch.randn(1, 16),)
    if hasattr(mobile, name):
        return getattr(mobile, name)(), (torch.randn(4, 3, 112, 112),)
    return models.make(name, 1)


def backend() -> Callable:
    """Of the build that is on the path: what the environment has installed is that of another."""
    try:
        return importlib.import_module("tenfold.torch.backend").backend
    except ModuleNotFoundError:  # before version 0.1
        return importlib.import_module("tenfold.torch_backend").backend


def forward(name: str, archive: str) -> Callable:
    import torch

    model, inputs = model_of(name)
    run = torch.compile(model.eval(), backend=backend())

    def call() -> None:
        with torch.no_grad():
            run(*inputs)

    return call


def loaded(name: str, archive: str) -> Callable:
    import tenfold

    _, inputs = model_of(name)
    program = tenfold.load(archive)
    arrays = [x.numpy() for x in inputs]
    return lambda: program(*arrays)


def step(name: str, archive: str) -> Callable:
    import torch

    model, inputs = model_of(name)
    model.train()
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4)
    run = torch.compile(model, backend=backend())

    def call() -> None:
        optimizer.zero_grad()
        run(*inputs).square().mean().backward()
        optimizer.step()

    return call


ROWS = {
    "bert": (forward, "bert"),
    "resnet50": (forward, "resnet50"),
    "vgg19": (forward, "vgg19"),
    "mobilenet": (forward, "mobilenet"),
    "bert-archive": (loaded, "bert"),
    "resnet50-archive": (loaded, "resnet50"),
    "mlp-call": (forward, "mlp"),
    "mlp-archive": (loaded, "mlp"),
    "bert-step": (step, "bert"),
    "resnet50-step": (step, "resnet50"),
    "mobilenet-step": (step, "mobilenet"),
}
COMPILED = ["bert", "resnet50", "mobilenet"]


def worker(row: str, archive: str, clock_name: str) -> None:
    import torch

    torch.set_num_threads(int(os.environ["TENFOLD_THREADS"]))
    out = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    make, name = ROWS[row]
    call = make(name, archive)
    call()
    call()
    print("ready", file=out, flush=True)
    clock = time.process_time if clock_name == "cpu" else time.perf_counter
    for line in sys.stdin:
        times = []
        for _ in range(int(line)):
            begin = clock()
            call()
            times.append(clock() - begin)
        print(statistics.median(times), min(times), file=out, flush=True)


class Build:
    def __init__(self, root: Path, row: str, archive: str, threads: int, clock: str) -> None:
        env = {
            **os.environ,
            "PYTHONPATH": str(root / "python"),
            "TENFOLD_THREADS": str(threads),
            "TENFOLD_CACHE": "off",
        }
        env |= {"TENFOLD_LIBRARY": str(root / "build" / "libtenfold.so"), "TENFOLD": str(command_of(root))}
        command = [sys.executable, __file__, "--worker", row, archive, clock]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=env)
        if self.process.stdout.readline() != "ready\n":
            raise RuntimeError(f"{root}: {row} does not start")

    def turn(self, count: int) -> tuple[float, float]:
        time.sleep(PAUSE)
        self.process.stdin.write(f"{count}\n")
        self.process.stdin.flush()
        median, least = map(float, self.process.stdout.readline().split())
        return median, least

    def close(self) -> None:
        self.process.stdin.close()
        self.process.wait()


def command_of(root: Path) -> Path:
    found = [p for p in (root / "build").glob("*/cli/tenfold") if p.is_file()]
    if not found:
        raise SystemExit(f"{root} has no built command")
    return found[0]


def summary(pairs: list[list[tuple[float, float]]]) -> dict[str, float]:
    medians = [statistics.median(p[0] for p in side) for side in pairs]
    least = [min(p[1] for p in side) for side in pairs]
    return {
        "before": medians[0],
        "after": medians[1],
        "ratio": statistics.median(a[0] / b[0] for a, b in zip(*pairs, strict=True)),
        "best": least[0] / least[1],
    }


def alternate(turns: list[Callable], rounds: int) -> list[list[tuple[float, float]]]:
    pairs: list[list[tuple[float, float]]] = [[], []]
    for i in range(rounds):
        for side in (0, 1) if i % 2 == 0 else (1, 0):
            pairs[side].append(turns[side]())
    return pairs


def time_row(roots: list[Path], row: str, archive: str, rounds: int, threads: int, clock: str) -> dict[str, float]:
    pairs: list[list[tuple[float, float]]] = [[], []]
    for start in range(STARTS):
        first = start % 2
        builds = {side: Build(roots[side], row, archive, threads, clock) for side in (first, 1 - first)}
        count = max(1, min(2000, int(TURN / builds[0].turn(1)[0])))
        turns = [partial(builds[side].turn, count) for side in (0, 1)]
        for side, more in enumerate(alternate(turns, max(2, rounds // STARTS))):
            pairs[side] += more
        for build in builds.values():
            build.close()
    return summary(pairs)


def time_compile(roots: list[Path], archive: str, rounds: int) -> dict[str, float]:
    env = {**os.environ, "TENFOLD_CACHE": "off"}
    commands = [command_of(root) for root in roots]

    def one(command: Path) -> tuple[float, float]:
        with tempfile.TemporaryDirectory() as folder:
            begin = time.perf_counter()
            arguments = [str(command), "compile", archive, "-o", f"{folder}/program.ten"]
            subprocess.run(arguments, check=True, env=env, capture_output=True)
            spent = time.perf_counter() - begin
        return spent, spent

    return summary(alternate([lambda c=c: one(c) for c in commands], rounds))


def export(names: set[str]) -> dict[str, str]:
    import torch

    paths = {}
    for name in sorted(names):
        path = OUT / f"builds-{name}.pt2"
        if not path.exists():
            model, inputs = model_of(name)
            torch.export.save(torch.export.export(model.eval(), inputs), path)
        paths[name] = str(path)
    return paths


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("roots", nargs=2, type=Path, metavar="CHECKOUT")
    parser.add_argument("--row", nargs="+", choices=[*ROWS, *(f"{name}-compile" for name in COMPILED)])
    parser.add_argument("--rounds", type=int, default=10)
    parser.add_argument("--clock", choices=["wall", "cpu"], default="wall", help="cpu: on a busy machine, one thread")
    parser.add_argument("--threads", type=int, default=len(os.sched_getaffinity(0)))
    args = parser.parse_args()
    roots = [root.resolve() for root in args.roots]
    rows = args.row or [*ROWS, *(f"{name}-compile" for name in COMPILED)]
    OUT.mkdir(parents=True, exist_ok=True)
    archived = {ROWS[row][1] for row in rows if row in ROWS and ROWS[row][0] is loaded}
    archives = export(archived | {row.removesuffix("-compile") for row in rows if row not in ROWS})
    results = {}
    print(f"{'row':20} {'before':>10} {'after':>10}  ratio (best)")
    for row in rows:
        if row in ROWS:
            archive = archives.get(ROWS[row][1], "")
            results[row] = time_row(roots, row, archive, args.rounds, args.threads, args.clock)
        else:
            results[row] = time_compile(roots, archives[row.removesuffix("-compile")], args.rounds)
        r = results[row]
        figures = f"{1e3 * r['before']:8.3f}ms {1e3 * r['after']:8.3f}ms"
        print(f"{row:20} {figures}  {r['ratio']:.3f} ({r['best']:.3f})", flush=True)
        (OUT / "builds.json").write_text(json.dumps(results, indent=1))


if __name__ == "__main__":
    if sys.argv[1:2] == ["--worker"]:
        worker(*sys.argv[2:])
    else:
        main()
