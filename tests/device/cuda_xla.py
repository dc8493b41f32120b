"""VGG19 and BERT-base through our PJRT client beside JAX's own, on one GPU: the same programs, the same plugin.

    python tests/device/cuda_xla.py --tenfold bin/tenfold [--device cuda-xla] [--repeat 50] [--json OUT.json]

Each program is written in JAX and lowered to StableHLO once. JAX compiles and runs it; Tenfold reads the text and runs
it on the same plugin, arguments kept on the device, donated ones going round. Two questions:
- are the results those of Tenfold's CPU (products in full f32: `highest`)?
- is a step as fast as JAX's (products as XLA chooses: `default`)? Runs alternate, and medians are compared.
Exit status 1 when a result differs by more than 1e-3 of its largest element. No time is judged here: the ratio is
printed.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")

import jax
import jax.numpy as jnp
import numpy as np

PLAN = [64, 64, 0, 128, 128, 0, 256, 256, 256, 256, 0, 512, 512, 512, 512, 0, 512, 512, 512, 512, 0]


def normal(random: np.random.Generator, *shape: int, scale: float) -> np.ndarray:
    return (random.standard_normal(shape, np.float32) * np.float32(scale)).astype(np.float32)


class VGG19:
    name = "vgg19"

    def __init__(self, small: bool):
        self.side, self.divide, self.batch = (32, 16, 2) if small else (224, 1, 10)

    def parameters(self, random: np.random.Generator) -> list[np.ndarray]:
        made, channels = [], 3
        for width in PLAN:
            if width:
                width //= self.divide
                made += [normal(random, width, channels, 3, 3, scale=(2 / (9 * channels)) ** 0.5)]
                made += [np.zeros(width, np.float32)]
                channels = width
        features = channels * (self.side // 32) ** 2
        for width in (4096 // self.divide, 4096 // self.divide, 1000):
            made += [normal(random, features, width, scale=(1 / features) ** 0.5), np.zeros(width, np.float32)]
            features = width
        return made

    def data(self, random: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
        images = normal(random, self.batch, 3, self.side, self.side, scale=1)
        return images, random.integers(0, 1000, self.batch).astype(np.int32)

    def forward(self, parameters, images):
        at, x = 0, images
        for width in PLAN:
            if not width:
                x = jax.lax.reduce_window(x, -jnp.inf, jax.lax.max, (1, 1, 2, 2), (1, 1, 2, 2), "VALID")
                continue
            x = jax.lax.conv_general_dilated(x, parameters[at], (1, 1), "SAME")
            x = jax.nn.relu(x + parameters[at + 1][None, :, None, None])
            at += 2
        x = x.reshape(len(x), -1)
        for last in (False, False, True):
            x = x @ parameters[at] + parameters[at + 1]
            x = x if last else jax.nn.relu(x)
            at += 2
        return x


class BERT:
    name = "bert"

    def __init__(self, small: bool):
        self.width, self.layers, self.heads, self.words = (64, 2, 4, 100) if small else (768, 12, 12, 30522)
        self.batch, self.length = (2, 16) if small else (16, 128)

    def parameters(self, random: np.random.Generator) -> list[np.ndarray]:
        w = self.width
        made = [normal(random, self.words, w, scale=0.02), normal(random, self.length, w, scale=0.02)]
        for _ in range(self.layers):
            made += [normal(random, w, 3 * w, scale=0.02), np.zeros(3 * w, np.float32)]
            made += [normal(random, w, w, scale=0.02), np.zeros(w, np.float32)]
            made += [np.ones(w, np.float32), np.zeros(w, np.float32)]
            made += [normal(random, w, 4 * w, scale=0.02), np.zeros(4 * w, np.float32)]
            made += [normal(random, 4 * w, w, scale=0.02), np.zeros(w, np.float32)]
            made += [np.ones(w, np.float32), np.zeros(w, np.float32)]
        return [*made, normal(random, w, 2, scale=0.02), np.zeros(2, np.float32)]

    def data(self, random: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
        words = random.integers(0, self.words, (self.batch, self.length)).astype(np.int32)
        return words, random.integers(0, 2, self.batch).astype(np.int32)

    def norm(self, x, scale, shift):
        x = x - x.mean(-1, keepdims=True)
        return x * jax.lax.rsqrt((x * x).mean(-1, keepdims=True) + 1e-12) * scale + shift

    def forward(self, parameters, words):
        p = iter(parameters)
        x = next(p)[words] + next(p)
        batch, length, width = x.shape
        for _ in range(self.layers):
            heads = (x @ next(p) + next(p)).reshape(batch, length, 3, self.heads, width // self.heads)
            q, k, v = (heads[:, :, i].transpose(0, 2, 1, 3) for i in range(3))
            scores = jax.nn.softmax(q @ k.transpose(0, 1, 3, 2) / (width // self.heads) ** 0.5)
            mixed = (scores @ v).transpose(0, 2, 1, 3).reshape(batch, length, width)
            x = self.norm(x + mixed @ next(p) + next(p), next(p), next(p))
            hidden = jax.nn.gelu(x @ next(p) + next(p), approximate=False)
            x = self.norm(x + hidden @ next(p) + next(p), next(p), next(p))
        return x[:, 0] @ next(p) + next(p)


def step_of(model, kind: str):
    if kind == "forward":
        return lambda parameters, x, y: model.forward(parameters, x)

    def loss(parameters, x, y):
        scores = jax.nn.log_softmax(model.forward(parameters, x))
        return -jnp.take_along_axis(scores, y[:, None], 1).mean()

    def step(parameters, x, y):
        value, slopes = jax.value_and_grad(loss)(parameters, x, y)
        return [p - 0.01 * g for p, g in zip(parameters, slopes, strict=True)], value

    return step


def run_jax(compiled, kind: str, arguments, repeat: int) -> float:
    parameters, *rest = jax.device_put(arguments)
    times = []
    for _ in range(repeat + 3):
        jax.block_until_ready(parameters)
        start = time.perf_counter()
        out = jax.block_until_ready(compiled(parameters, *rest))
        times.append(time.perf_counter() - start)
        if kind == "step":
            parameters = out[0]
    return statistics.median(times[3:])


def run_tenfold(options, device: str, program: Path, inputs: list[Path], repeat: int, out: Path | None) -> dict:
    command = [options.tenfold, "run", program, "--device", device, "--json", "--repeat", repeat]
    command += [part for path in inputs for part in ("--input", path)]
    if out:
        command += ["--output", out]
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"{done.stderr.strip()}\n(from: tenfold run {program.name} --device {device})")
    return json.loads(done.stdout)["seconds"]


def largest_difference(one: Path, other: Path) -> float:
    """Of every result: the largest difference over its largest element."""
    worst = 0.0
    for path in sorted(one.glob("*.npy")):
        a, b = np.load(path), np.load(other / path.name)
        worst = max(worst, float(np.abs(a - b).max() / max(np.abs(a).max(), 1e-6)))
    return worst


def measure(options, model, kind: str, folder: Path) -> dict:
    random = np.random.default_rng(0)
    arguments = (model.parameters(random), *model.data(random))
    flat, _ = jax.tree.flatten(arguments)
    inputs = []
    for i, value in enumerate(flat):
        inputs.append(folder / f"{model.name}-{i}.npy")
        if not inputs[-1].exists():
            np.save(inputs[-1], value)
    programs, function = {}, step_of(model, kind)
    for precision in ("highest", "default"):
        with jax.default_matmul_precision(precision):
            # Traced anew for each: the precision is part of the trace.
            jitted = jax.jit(lambda *a: function(*a), donate_argnums=(0,) if kind == "step" else (), keep_unused=True)
            programs[precision] = jitted.lower(*arguments)
        (folder / f"{model.name}-{kind}-{precision}.mlir").write_text(programs[precision].as_text())
    result = {"program": f"{model.name} {kind}", "batch": model.batch}
    text = folder / f"{model.name}-{kind}-highest.mlir"
    for device, name in ((options.device, "there"), ("cpu", "here")):
        run_tenfold(options, device, text, inputs, 1, folder / f"{model.name}-{kind}-{name}")
    result["difference"] = largest_difference(
        folder / f"{model.name}-{kind}-here", folder / f"{model.name}-{kind}-there"
    )
    compiled = programs["default"].compile()
    text = folder / f"{model.name}-{kind}-default.mlir"
    theirs, ours = [], []
    for _ in range(options.rounds):
        theirs.append(run_jax(compiled, kind, arguments, options.repeat))
        seconds = run_tenfold(options, options.device, text, inputs, options.repeat, folder / "scratch")
        ours.append(seconds["execute"])
        result["compile"] = seconds["compile"]
    result |= {"jax": statistics.median(theirs), "tenfold": statistics.median(ours)}
    result["ratio"] = result["tenfold"] / result["jax"]
    return result


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tenfold", default=str(Path(__file__).resolve().parents[2] / "bin" / "tenfold"))
    parser.add_argument("--device", default="cuda-xla")
    parser.add_argument("--repeat", type=int, default=50)
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--small", action="store_true", help="small models: a test of this script")
    parser.add_argument("--only", default="", help="programs whose name has this in it")
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    results = []
    print(f"{'program':<16} {'batch':>5} {'difference':>11} {'JAX':>11} {'Tenfold':>11} {'ratio':>7} {'compile':>9}")
    with tempfile.TemporaryDirectory() as folder:
        for model in (VGG19(options.small), BERT(options.small)):
            for kind in ("forward", "step"):
                if options.only not in f"{model.name} {kind}":
                    continue
                r = measure(options, model, kind, Path(folder))
                results.append(r)
                print(
                    f"{r['program']:<16} {r['batch']:>5} {r['difference']:>11.2e} {1e3 * r['jax']:>8.3f} ms "
                    f"{1e3 * r['tenfold']:>8.3f} ms {r['ratio']:>7.3f} {r['compile']:>7.2f} s",
                    flush=True,
                )
                if options.json:
                    options.json.write_text(json.dumps(results, indent=1))
    if any(r["difference"] > 1e-3 for r in results):
        sys.exit("results differ")


if __name__ == "__main__":
    main()
