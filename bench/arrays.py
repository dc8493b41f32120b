"""Arrays without jit compared with NumPy, PyTorch's eager mode, JAX op by op and MLX: what one operation costs, and
rows of work (arrays_rows.py).

    python bench/arrays.py [--filter matmul] [--peers numpy torch] [--rounds 7] [--threads 2]
    taskset -c 0 python bench/arrays.py --cpu-time            on a machine with other work to do: CPU time, one thread
    python bench/arrays.py --python mlx=/some/venv/bin/python  a library that is installed elsewhere

Every library has a process of its own, with as many threads as the others. They take turns within a row, so that a
busy moment of the machine meets all of them; a figure is the best turn, each turn's the mean of its calls. What a
library has computed first is compared with the others'. `record` is an operation whose result nobody needs: what Python
pays for each one. A library that is not installed, or has no such row, has a "-".
"""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np

HERE = Path(__file__).resolve().parent
NAMES = ("tenfold", "numpy", "torch", "jax", "mlx")
RECORD = "record: x + x of 1000"
# Before a turn by wall clock, in seconds: threads of OpenMP go on spinning for 0.2 after a call.
PAUSE = 0.25
TOLERANCE = 1e-3


# ---- a worker: one library ----
def time_of(call: Any, clock: Any, seconds: float) -> float:
    count, total, begin = 0, 0.0, clock()
    while total < seconds:
        call()
        count += 1
        total = clock() - begin
    return total / count


def turn(call: Any, done: Any, clock: Any, seconds: float) -> float:
    """Seconds of a call, and of waiting for its values where `done` is given."""
    if done is None:
        times = []
        for _ in range(5):
            begin = clock()
            for _ in range(1000):
                call()
            times.append((clock() - begin) / 1000)
        return min(times)
    return time_of(lambda: done(call()), clock, seconds)


def worker(name: str, cpu_time: bool) -> None:
    import arrays_rows

    clock = time.process_time if cpu_time else time.perf_counter
    library = arrays_rows.LIBRARIES[name]()
    rows = arrays_rows.rows()
    call = done = None
    print("ready", flush=True)
    for line in sys.stdin:
        order = json.loads(line)
        try:
            if "row" in order and order["row"] == RECORD:
                x = library.make(np.ones(1000, np.float32))
                call, done, values = lambda x=x: x + x, None, np.asarray
            elif "row" in order:
                call, values = rows[order["row"]](library)
                done = library.done
            if "row" in order:
                np.save(order["file"], values(call()))
                for _ in range(3):
                    library.done(call())
                answer: dict[str, Any] = {}
            else:
                answer = {"seconds": turn(call, done, clock, order["seconds"])}
        except (NotImplementedError, AttributeError, TypeError, ValueError, RuntimeError) as error:
            answer = {"error": f"{type(error).__name__}: {error}"}
        print(json.dumps(answer), flush=True)


# ---- the others' side ----
class Peer:
    def __init__(self, name: str, python: str, options: argparse.Namespace) -> None:
        self.name = name
        threads = str(options.threads)
        environment = dict(os.environ, JAX_PLATFORMS="cpu", TENFOLD_THREADS=threads)
        for library in ("OMP", "OPENBLAS", "MKL"):
            environment[f"{library}_NUM_THREADS"] = threads
        path = str(HERE.parent / "python")
        environment["PYTHONPATH"] = os.pathsep.join([path, *filter(None, [os.environ.get("PYTHONPATH")])])
        command = [python, str(HERE / "arrays.py"), "--worker", name, *(["--cpu-time"] if options.cpu_time else [])]
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment
        )
        self.alive = self.process.stdout is not None and self.process.stdout.readline().strip() == "ready"

    def why(self) -> str:
        lines = (self.process.stderr.read() if self.process.stderr else "").strip().splitlines()
        return lines[-1] if lines else f"exit status {self.process.wait()}"

    def ask(self, **order: Any) -> dict[str, Any]:
        assert self.process.stdin and self.process.stdout
        self.process.stdin.write(json.dumps(order) + "\n")
        self.process.stdin.flush()
        line = self.process.stdout.readline()
        return json.loads(line) if line else {"error": self.why()}

    def close(self) -> None:
        if self.process.stdin:
            self.process.stdin.close()
        self.process.wait()


def first_values(peers: list[Peer], row: str, folder: str) -> tuple[list[Peer], str]:
    """The peers that have the row, and what is wrong with their values."""
    able, values, wrong = [], {}, []
    for peer in peers:
        file = str(Path(folder) / f"{peer.name}.npy")
        error = peer.ask(row=row, file=file).get("error")
        if error is None:
            able.append(peer)
            values[peer.name] = np.load(file)
        elif "NotImplementedError" not in error:
            wrong.append(f"{peer.name}: {error}")
    reference = next((values[name] for name in ("torch", "numpy", *values) if name in values), None)
    for name, made in values.items():
        if made.shape != reference.shape:
            wrong.append(f"{name}: shape {made.shape}, not {reference.shape}")
            continue
        apart = float(np.abs(made - reference).max() / (np.abs(reference).max() + 1e-30))
        if not apart < TOLERANCE:
            wrong.append(f"{name}: differs by {apart:.1e}")
    return able, "; ".join(wrong)


def measure(peers: list[Peer], row: str, options: argparse.Namespace) -> tuple[dict[str, float], str]:
    with tempfile.TemporaryDirectory() as folder:
        able, wrong = first_values(peers, row, folder)
    times: dict[str, list[float]] = {peer.name: [] for peer in able}
    for _ in range(options.rounds):
        for peer in able:
            if not options.cpu_time:
                time.sleep(PAUSE)
            answer = peer.ask(seconds=options.seconds)
            if "error" in answer:
                wrong = answer["error"]
            else:
                times[peer.name].append(answer["seconds"])
    return {name: min(taken) for name, taken in times.items() if taken}, wrong


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--filter", default="", help="rows whose name this regular expression matches")
    parser.add_argument("--peers", nargs="*", default=NAMES[1:], choices=NAMES[1:])
    parser.add_argument("--python", nargs="*", default=[], metavar="NAME=PATH", help="the Python that has a library")
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--seconds", type=float, default=0.05, help="of each turn")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--cpu-time", action="store_true", help="seconds of the CPU, on one thread")
    parser.add_argument("--worker", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.worker:
        worker(options.worker, options.cpu_time)
        return 0
    if options.cpu_time:
        options.threads = 1
    import arrays_rows

    pythons = dict(pair.split("=", 1) for pair in options.python)
    peers = []
    for name in ("tenfold", *options.peers):
        peer = Peer(name, pythons.get(name, sys.executable), options)
        if peer.alive:
            peers.append(peer)
        else:
            print(f"{name}: {peer.why()}")
    unit = "µs of CPU time" if options.cpu_time else "µs"
    print(
        f"{unit + f', {options.threads} threads':42}" + "".join(f"{peer.name:>11}" for peer in peers) + "  best/tenfold"
    )
    failed = False
    for row in (RECORD, *arrays_rows.rows()):
        if not re.search(options.filter, row):
            continue
        times, wrong = measure(peers, row, options)
        cells = "".join(f"{times[p.name] * 1e6:11.2f}" if p.name in times else f"{'-':>11}" for p in peers)
        others = [taken for name, taken in times.items() if name != "tenfold"]
        ratio = f"{min(others) / times['tenfold']:13.2f}" if others and "tenfold" in times else ""
        print(f"{row:42}{cells}{ratio}{'   ' + wrong if wrong else ''}", flush=True)
        failed = failed or bool(wrong)
    for peer in peers:
        peer.close()
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
