"""Training steps of VGG19 (SGD) and BERT-base (AdamW), f32: Tenfold beside PyTorch eager, inductor and JAX, in turns.

    make bench-steps                                   both models, batch 1 and 10
    make bench-steps ARGS="--model bert --batch 1"     some

Each library has a process of its own with the same weights, samples and number of threads; a round gives every one a
step, the figure is the median. Peak memory is the process's own (VmHWM), libraries and all. Losses are compared with
PyTorch's. Writes out/bench/steps.json.
"""

from __future__ import annotations

import argparse
import ctypes
import importlib.util
import json
import os
import platform
import re
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

ROOT = Path(__file__).resolve().parent.parent
OUT = ROOT / "out" / "bench"
sys.path.insert(0, str(ROOT / "bench"))
LIBRARIES = ["eager", "inductor", "jax", "tenfold"]
RATE = 1e-4
# Before each turn, in seconds: threads of OpenMP go on spinning for 0.2 after a call, on the cores of who comes next.
PAUSE = 0.3
CLASSES = {"vgg19": 1000, "bert": 768}

Step = Callable[[], float]


def sample(name: str, batch: int) -> tuple[Any, Any, np.ndarray]:
    import models

    model, (x,) = models.make(name, batch)
    return model, x, (np.arange(batch) * 37 % CLASSES[name]).astype(np.int64)


def eager(name: str, batch: int, threads: int, wrap: Callable = lambda model: model) -> Step:
    import torch

    torch.set_num_threads(threads)
    model, x, labels = sample(name, batch)
    y = torch.from_numpy(labels)
    parameters = model.parameters()
    optimizer = torch.optim.SGD(parameters, lr=RATE) if name == "vgg19" else torch.optim.AdamW(parameters, lr=RATE)
    run = wrap(model)

    def step() -> float:
        optimizer.zero_grad()
        loss = torch.nn.functional.cross_entropy(run(x), y)
        loss.backward()
        optimizer.step()
        return loss.item()

    return step


def inductor(name: str, batch: int, threads: int) -> Step:
    import torch

    return eager(name, batch, threads, torch.compile)


def jax_forward(name: str) -> Callable:
    """The models of models.py over a dictionary of parameters, as a user of JAX would write them."""
    import jax
    import jax.numpy as jnp
    import models

    def dense(p: dict, at: str, x: Any) -> Any:
        return x @ p[f"{at}.weight"].T + p[f"{at}.bias"]

    def vgg19(p: dict, x: Any) -> Any:
        at = 0
        for width in models.VGG19.PLAN:
            if width:
                numbers = ("NHWC", "HWIO", "NHWC")
                kernel = p[f"features.{at}.weight"]
                x = jax.lax.conv_general_dilated(x, kernel, (1, 1), "SAME", dimension_numbers=numbers)
                x = jax.nn.relu(x + p[f"features.{at}.bias"])
                at += 2
            else:
                x = jax.lax.reduce_window(x, -jnp.inf, jax.lax.max, (1, 2, 2, 1), (1, 2, 2, 1), "VALID")
                at += 1
        x = x.transpose(0, 3, 1, 2).reshape(x.shape[0], -1)
        for layer in (0, 2):
            x = jax.nn.relu(dense(p, f"classifier.{layer}", x))
        return dense(p, "classifier.4", x)

    def norm(p: dict, at: str, x: Any) -> Any:
        mean, var = x.mean(-1, keepdims=True), x.var(-1, keepdims=True)
        return (x - mean) * jax.lax.rsqrt(var + 1e-5) * p[f"{at}.weight"] + p[f"{at}.bias"]

    def bert(p: dict, tokens: Any) -> Any:
        x = norm(p, "first", p["words.weight"][tokens] + p["places.weight"][: tokens.shape[1]])
        batch, length, width = x.shape
        for i in range(12):
            q, k, v = dense(p, f"attention.{i}.joint", x).reshape(batch, length, 3, 12, 64).transpose(2, 0, 3, 1, 4)
            scores = jax.nn.softmax(q @ k.swapaxes(-1, -2) / 8)
            y = (scores @ v).transpose(0, 2, 1, 3).reshape(batch, length, width)
            x = norm(p, f"norms.{2 * i}", x + dense(p, f"attention.{i}.out", y))
            inner = jax.nn.gelu(dense(p, f"inner.{i}", x), approximate=False)
            x = norm(p, f"norms.{2 * i + 1}", x + dense(p, f"outer.{i}", inner))
        return jnp.tanh(dense(p, "pooler", x[:, 0]))

    return {"vgg19": vgg19, "bert": bert}[name]


def jax(name: str, batch: int, threads: int) -> Step:
    import jax
    import jax.numpy as jnp

    model, x, labels = sample(name, batch)
    params = {key: jnp.asarray(value.detach().numpy()) for key, value in model.state_dict().items()}
    if name == "vgg19":
        params = {k: v.transpose(2, 3, 1, 0) if v.ndim == 4 else v for k, v in params.items()}
        x = x.permute(0, 2, 3, 1)
    x, y = jnp.asarray(x.contiguous().numpy()), jnp.asarray(labels)
    del model
    forward = jax_forward(name)

    def loss(p: dict, x: Any, y: Any) -> Any:
        return -jnp.take_along_axis(jax.nn.log_softmax(forward(p, x)), y[:, None], 1).mean()

    def sgd(p: dict, state: tuple, x: Any, y: Any) -> tuple:
        value, grads = jax.value_and_grad(loss)(p, x, y)
        return jax.tree.map(lambda a, g: a - RATE * g, p, grads), state, value

    def adamw(p: dict, state: tuple, x: Any, y: Any) -> tuple:
        value, grads = jax.value_and_grad(loss)(p, x, y)
        count, m, v = state[0] + 1, *state[1:]
        m = jax.tree.map(lambda a, g: 0.9 * a + 0.1 * g, m, grads)
        v = jax.tree.map(lambda a, g: 0.999 * a + 0.001 * g * g, v, grads)
        scale, root = RATE / (1 - 0.9**count), jnp.sqrt(1 - 0.999**count)
        p = jax.tree.map(lambda w, a, b: w * (1 - RATE * 0.01) - scale * a / (jnp.sqrt(b) / root + 1e-8), p, m, v)
        return p, (count, m, v), value

    zeros = (jnp.zeros(()), *(jax.tree.map(jnp.zeros_like, params) for _ in range(2 if name == "bert" else 0)))
    compiled = jax.jit(sgd if name == "vgg19" else adamw, donate_argnums=(0, 1))
    held = [params, zeros]
    del params, zeros

    def step() -> float:
        held[0], held[1], value = compiled(held[0], held[1], x, y)
        jax.block_until_ready(held)
        return float(value)

    return step


class Buffer(ctypes.Structure):
    """ten_buffer of tenfold/buffer.h."""

    _fields_ = [
        ("dtype", ctypes.c_int),
        ("rank", ctypes.c_uint32),
        ("dims", ctypes.POINTER(ctypes.c_int64)),
        ("data", ctypes.c_void_p),
        ("bytes", ctypes.c_size_t),
    ]


def tenfold(name: str, batch: int, threads: int) -> Step:
    """The C API on a step that `tenfold compile --train` makes of the exported model."""
    optimizer = f"{'sgd' if name == 'vgg19' else 'adamw'},lr={RATE}"
    stem = OUT / f"{name}-{batch}-f32"
    compiled = [os.environ.get("TENFOLD", str(ROOT / "bin" / "tenfold")), "compile", f"{stem}.pt2", "--train"]
    subprocess.run([*compiled, "--optimizer", optimizer, "-o", f"{stem}-step.ten"], check=True)
    library = ctypes.CDLL(os.environ.get("TENFOLD_LIBRARY", str(ROOT / "build" / "libtenfold.so")))
    training = ctypes.c_void_p()
    library.ten_training_open.restype = library.ten_training_step.restype = ctypes.c_void_p
    assert not library.ten_training_open(f"{stem}-step.ten".encode(), ctypes.byref(training))
    library.ten_training_input.restype = Buffer
    arrays = [np.load(f"{stem}-0.npy"), np.load(f"{stem}-labels.npy")]
    inputs = (Buffer * 2)()
    for i, value in enumerate(arrays):
        inputs[i] = library.ten_training_input(training, ctypes.c_size_t(i), None)
        inputs[i].data, inputs[i].bytes = value.ctypes.data, value.nbytes
    loss = ctypes.c_double()

    def step() -> float:
        assert arrays
        assert not library.ten_training_step(training, inputs, ctypes.c_size_t(2), ctypes.byref(loss))
        return loss.value

    return step


def worker(library: str, name: str, batch: str, threads: str) -> None:
    start = time.perf_counter()
    step = globals()[library](name, int(batch), int(threads))
    losses = [step()]
    first = time.perf_counter() - start
    out = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    print(json.dumps({"first": first}), file=out, flush=True)
    for line in sys.stdin:
        begin = time.perf_counter()
        for _ in range(int(line)):
            losses.append(step())
        seconds = (time.perf_counter() - begin) / int(line)
        peak = re.search(r"VmHWM:\s+(\d+)", Path("/proc/self/status").read_text())
        answer = {"seconds": seconds, "losses": losses, "peak": int(peak[1]) * 1024 if peak else 0}
        print(json.dumps(answer), file=out, flush=True)


class Worker:
    def __init__(self, library: str, name: str, batch: int, threads: int) -> None:
        self.library, self.times = library, []
        self.last: dict = {}
        env = {**os.environ, "OMP_NUM_THREADS": str(threads), "TENFOLD_THREADS": str(threads), "JAX_PLATFORMS": "cpu"}
        self.log = open(OUT / f"step-{library}.log", "w")  # noqa: SIM115
        command = [sys.executable, __file__, "--worker", library, name, str(batch), str(threads)]
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self.log, text=True, env=env
        )
        line = self.process.stdout.readline()
        self.first = json.loads(line)["first"] if line.startswith("{") else None

    def step(self) -> None:
        time.sleep(PAUSE)
        self.process.stdin.write("1\n")
        self.process.stdin.flush()
        self.last = json.loads(self.process.stdout.readline())
        self.times.append(self.last["seconds"])

    def close(self) -> None:
        self.process.stdin.close()
        self.process.wait()
        self.log.close()


def row(name: str, batch: int, libraries: list[str], rounds: int, threads: int) -> dict:
    import torch

    stem = OUT / f"{name}-{batch}-f32"
    model, x, labels = sample(name, batch)
    if not stem.with_suffix(".pt2").exists():
        torch.export.save(torch.export.export(model, (x,)), stem.with_suffix(".pt2"))
    np.save(f"{stem}-0.npy", x.numpy())
    np.save(f"{stem}-labels.npy", labels)
    del model
    workers = [Worker(library, name, batch, threads) for library in libraries]
    failed = [w.library for w in workers if w.first is None]
    workers = [w for w in workers if w.first is not None]
    for _ in range(rounds):
        for each in workers:
            each.step()
    wanted = next((w.last["losses"] for w in workers if w.library == "eager"), None)
    figures = {}
    for each in workers:
        apart = None
        if wanted:
            apart = max(abs(a - b) / abs(b) for a, b in zip(each.last["losses"], wanted, strict=True))
        figures[each.library] = {
            "seconds": statistics.median(each.times),
            "first": each.first,
            "peak": each.last["peak"],
            "apart": apart,
        }
        each.close()
    return {"model": name, "batch": batch, "failed": failed, "libraries": figures}


def show(each: dict, libraries: list[str]) -> None:
    figures = each["libraries"]
    peers = [p for p in libraries if p != "tenfold" and p in figures]
    print(f"\n{each['model']}, N = {each['batch']}")
    for library in libraries:
        if library not in figures:
            print(f"  {library:10} failed; see out/bench/step-{library}.log")
            continue
        f = figures[library]
        apart = "" if f["apart"] is None else f"   losses apart by {f['apart']:.1e}"
        print(
            f"  {library:10}{f['seconds']:9.3f} s  first {f['first']:5.1f} s  peak {f['peak'] / 2**20:7.0f} MiB{apart}"
        )
    if peers and "tenfold" in figures:
        best = min(peers, key=lambda p: figures[p]["seconds"])
        print(f"  ratio to the best peer ({best}): {figures[best]['seconds'] / figures['tenfold']['seconds']:.2f}")


def main() -> None:
    if sys.argv[1:2] == ["--worker"]:
        worker(*sys.argv[2:])
        return
    import cores

    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--model", nargs="+", default=list(CLASSES), choices=list(CLASSES))
    parser.add_argument("--batch", type=int, nargs="+", default=[1, 10])
    parser.add_argument("--peer", nargs="+", default=LIBRARIES[:-1], choices=LIBRARIES[:-1])
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--threads", type=int, default=2)
    arguments = parser.parse_args()
    OUT.mkdir(parents=True, exist_ok=True)
    libraries = [p for p in arguments.peer if p != "jax" or importlib.util.find_spec("jax")] + ["tenfold"]
    on = cores.pick(arguments.threads)
    machine = f"{platform.machine()}, {arguments.threads} threads on CPUs {on}, {time.strftime('%Y-%m-%d')}"
    print(f"training steps, f32, {machine}")
    results = []
    for name in arguments.model:
        for batch in arguments.batch:
            results.append(row(name, batch, libraries, arguments.rounds, arguments.threads))
            show(results[-1], libraries)
    (OUT / "steps.json").write_text(json.dumps(results, indent=1))
    wrong = [r for r in results for f in r["libraries"].values() if (f["apart"] or 0) > 1e-3]
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
