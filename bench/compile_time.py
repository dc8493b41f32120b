"""How long long programs of element-wise ops take to compile: Tenfold and XLA on the CPU.

    JAX_PLATFORMS=cpu python bench/compile_time.py [--case sin pow] [--ops 400] [--rounds 5] [--cpu-time]

Each case is a JAX function; XLA compiles what JAX lowered it to (`lowered.compile()`), Tenfold the same StableHLO as
text (parsing is counted). Nothing comes from a cache. The two take turns in one process; a figure is the median in
seconds, and a ratio XLA's time divided by Tenfold's. Results are compared first, unless --no-check. On a machine with
other work to do: `taskset -c 0` and --cpu-time, which counts the process's time on the CPU. --phases adds what
Tenfold's passes, its code generation and LLVM take (of one more compile, by the command). Figures go to
out/bench/compile_time.json.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import statistics
import subprocess
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

os.environ.setdefault("JAX_PLATFORMS", "cpu")
os.environ["TENFOLD_CACHE"] = "off"

import jax
import jax.numpy as jnp
import numpy as np
import tenfold

jax.config.update("jax_enable_x64", True)
jax.config.update("jax_enable_compilation_cache", False)
ROOT = Path(__file__).resolve().parent.parent
SHAPE = (64, 256)


def chain(op: Callable) -> Callable:
    def make(count: int) -> Callable:
        def run(x):
            for i in range(count):
                x = op(x, i)
            return x

        return run

    return make


def mixed(x, i: int):
    return x * np.float32(1.0 + i * 1e-4) if i % 2 else x + np.float32(0.01 * (i % 7))


def chosen(x, i: int):
    return jnp.where(x > np.float32(0.01 * (i % 11)), x, -x) if i % 2 else jnp.maximum(x, np.float32(-1.0 + 0.001 * i))


def power(x, i: int):
    return jnp.power(x, np.float32(0.9 + 0.001 * (i % 100)))


def wide(count: int) -> Callable:
    """Every op reads two earlier values, any two; all are summed."""

    def run(x):
        pick = random.Random(count)
        ops = [
            jnp.add,
            jnp.multiply,
            jnp.subtract,
            jnp.maximum,
            lambda a, b: jnp.sin(a) * b,
            lambda a, b: jnp.tanh(a + b),
        ]
        values = [x, x * np.float32(0.5), x + np.float32(1.0)]
        while len(values) < count:
            op, a, b = pick.choice(ops), pick.choice(values), pick.choice(values[-20:])
            values.append(op(a, b) * np.float32(0.5))
        return sum(values[1:], values[0])

    return run


def layered(count: int) -> Callable:
    """Layers of 20 values, each of two of the layer before."""

    def run(x):
        layer = [x * np.float32(0.1 * i) for i in range(20)]
        for depth in range(count // 40):
            layer = [
                jnp.maximum(layer[i], layer[(i + depth + 1) % 20]) * np.float32(0.5) + layer[(i + 3) % 20]
                if i % 2
                else jnp.exp(-jnp.abs(layer[i])) - layer[(i + depth + 1) % 20]
                for i in range(20)
            ]
        return tuple(layer)

    return run


def softmaxes(count: int) -> Callable:
    def run(x):
        for _ in range(count // 5):
            e = jnp.exp(x - x.max(-1, keepdims=True))
            x = e / e.sum(-1, keepdims=True)
        return x

    return run


CASES = {
    "sin": (chain(lambda x, i: jnp.sin(x)), jnp.float32),
    "tanh": (chain(lambda x, i: jnp.tanh(x)), jnp.float32),
    "exp": (chain(lambda x, i: jnp.exp(-x)), jnp.float32),
    "log": (chain(lambda x, i: jnp.log(x + np.float32(1.5))), jnp.float32),
    "pow": (chain(power), jnp.float32),
    "erf": (chain(lambda x, i: jax.lax.erf(x)), jnp.float32),
    "erf-f64": (chain(lambda x, i: jax.lax.erf(x)), jnp.float64),
    "sin-f64": (chain(lambda x, i: jnp.sin(x)), jnp.float64),
    "tanh-bf16": (chain(lambda x, i: jnp.tanh(x)), jnp.bfloat16),
    "add-mul": (chain(mixed), jnp.float32),
    "select": (chain(chosen), jnp.float32),
    "wide": (wide, jnp.float32),
    "layered": (layered, jnp.float32),
    "softmax": (softmaxes, jnp.float32),
}


def median_text(times: list[float]) -> str:
    return f"{statistics.median(times):.3f} ({min(times):.3f})"


def phases(text: str) -> dict[str, float]:
    """Milliseconds of each phase of one compile, by the command's trace."""
    with tempfile.TemporaryDirectory() as folder:
        source, trace = Path(folder) / "case.mlir", Path(folder) / "trace.json"
        source.write_text(text)
        command = os.environ.get("TENFOLD", str(ROOT / "bin" / "tenfold"))
        subprocess.run(
            [command, "run", str(source), "--random", "--trace", str(trace)], check=True, capture_output=True
        )
        events = json.loads(trace.read_text())["traceEvents"]
    totals: dict[str, float] = {}
    for event in events:
        if event.get("cat") == "phase":
            totals[event["name"]] = totals.get(event["name"], 0.0) + event["dur"] / 1e3
    return totals


def measure(name: str, options: argparse.Namespace) -> dict:
    make, dtype = CASES[name]
    x = jnp.asarray(np.random.default_rng(0).uniform(0.1, 0.9, SHAPE), dtype=dtype)
    clock = time.process_time if options.cpu_time else time.perf_counter
    times: dict[str, list[float]] = {"tenfold": [], "xla": []}
    text = jax.jit(make(options.ops)).lower(x).as_text()
    for turn in range(options.rounds):
        lowered = jax.jit(make(options.ops)).lower(x)
        start = clock()
        compiled = lowered.compile()
        times["xla"].append(clock() - start)
        start = clock()
        executable = tenfold._core.parse(text).compile()
        times["tenfold"].append(clock() - start)
        if turn == 0 and not options.no_check:
            want = jax.tree.leaves(compiled(x))
            for a, b in zip(want, executable(np.asarray(x)), strict=True):
                a, b = np.asarray(a, np.float64), np.asarray(jnp.asarray(np.asarray(b)), np.float64)
                scale = np.abs(a).max() + 1e-30
                assert np.abs(a - b).max() / scale < (0.05 if dtype == jnp.bfloat16 else 1e-3), f"{name}: other results"
    ratio = statistics.median(times["xla"]) / statistics.median(times["tenfold"])
    print(
        f"{name:10s} tenfold {median_text(times['tenfold'])}  xla {median_text(times['xla'])}  ratio {ratio:.2f}",
        flush=True,
    )
    row = {"case": name, "ops": options.ops, "times": times, "ratio": ratio}
    if options.phases:
        row["phases_ms"] = phases(text)
        slow = sorted(row["phases_ms"].items(), key=lambda item: -item[1])[:6]
        print("           " + ", ".join(f"{phase} {ms:.0f} ms" for phase, ms in slow), flush=True)
    return row


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--case", nargs="*", default=list(CASES), choices=list(CASES))
    parser.add_argument("--ops", type=int, default=400)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--cpu-time", action="store_true")
    parser.add_argument("--no-check", action="store_true")
    parser.add_argument("--phases", action="store_true")
    options = parser.parse_args()
    rows = [measure(name, options) for name in options.case]
    out = ROOT / "out" / "bench"
    out.mkdir(parents=True, exist_ok=True)
    (out / "compile_time.json").write_text(json.dumps(rows, indent=1))


if __name__ == "__main__":
    main()
