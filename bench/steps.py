"""Training steps of VGG19 (SGD) and BERT-base (AdamW), f32: Tenfold, PyTorch eager, inductor and JAX, interleaved.

    make bench-steps                                   both models, batch 1 and 10: about a quarter of an hour
    make bench-steps ARGS="--model bert --batch 1"     some
    make bench-steps ARGS=--resume                     those rows that out/bench/steps.json does not have yet

Each library has a process of its own with the same weights, samples and number of threads; a round gives every one a
step, and there are rounds until the row's time is over (--seconds), two at least; the figure is the median. The first
call is the first step with all that comes before it: loading, compiling, nothing cached. Peak memory is the process's
own (VmHWM), libraries and all. Losses are compared with PyTorch's. A peer that fails, or does not answer in --limit
seconds, is left out and named. Every row is written to out/bench/steps.json as soon as it is there.
"""

from __future__ import annotations

import argparse
import ctypes
import importlib.util
import json
import os
import platform
import re
import select
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import capi
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


def tenfold(name: str, batch: int, threads: int) -> Step:
    """The C API on the exported model."""
    stem = OUT / f"{name}-{batch}-f32"
    library = capi.library()

    def check(status: int | None) -> None:
        capi.check(library, status)

    optimizer = f"{'sgd' if name == 'vgg19' else 'adamw'},lr={RATE}"
    options = capi.Options(size=ctypes.sizeof(capi.Options), optimizer=optimizer.encode())
    training = ctypes.c_void_p()
    check(library.ten_training_create(f"{stem}.pt2".encode(), ctypes.byref(options), ctypes.byref(training)))
    arrays = [np.load(f"{stem}-0.npy"), np.load(f"{stem}-labels.npy")]
    inputs = capi.bind(
        lambda i: library.ten_training_input(training, ctypes.c_size_t(i), None),
        [(x.ctypes.data, x.nbytes) for x in arrays],
    )
    loss = ctypes.c_double()

    def step() -> float:
        assert arrays
        check(library.ten_training_step(training, inputs, ctypes.c_size_t(2), ctypes.byref(loss)))
        return loss.value

    return step


def worker(library: str, name: str, batch: str, threads: str) -> None:
    """A line for the first step, then one for each line that is read."""
    start = time.perf_counter()
    out = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    step = globals()[library](name, int(batch), int(threads))
    ready = time.perf_counter()
    losses = [step()]
    done = time.perf_counter()
    print(json.dumps({"first": done - start, "before": ready - start}), file=out, flush=True)
    for _ in sys.stdin:
        begin = time.perf_counter()
        losses.append(step())
        seconds = time.perf_counter() - begin
        peak = re.search(r"VmHWM:\s+(\d+)", Path("/proc/self/status").read_text())
        answer = {"seconds": seconds, "losses": losses, "peak": int(peak[1]) * 1024 if peak else 0}
        print(json.dumps(answer), file=out, flush=True)


class Worker:
    def __init__(self, library: str, name: str, batch: int, threads: int, limit: float) -> None:
        self.library, self.times, self.limit = library, [], limit
        self.last: dict = {}
        env = {**os.environ, "OMP_NUM_THREADS": str(threads), "TENFOLD_THREADS": str(threads), "JAX_PLATFORMS": "cpu"}
        self.scratch = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        env["TORCHINDUCTOR_CACHE_DIR"] = env["TENFOLD_CACHE_DIR"] = self.scratch.name
        self.log = open(OUT / f"step-{library}.log", "w")  # noqa: SIM115
        command = [sys.executable, __file__, "--worker", library, name, str(batch), str(threads)]
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self.log, text=True, env=env
        )
        self.first = self.answer()

    def answer(self) -> dict | None:
        """None: it ended, said something else or took too long; it is ended then."""
        ready, _, _ = select.select([self.process.stdout], [], [], self.limit)
        line = self.process.stdout.readline() if ready else ""
        if line.startswith("{"):
            return json.loads(line)
        self.log.write(f"\nno answer in {self.limit:.0f} s\n" if not ready else "\nended\n")
        self.process.kill()
        return None

    def step(self) -> bool:
        time.sleep(PAUSE)
        try:
            self.process.stdin.write("1\n")
            self.process.stdin.flush()
        except BrokenPipeError:
            return False
        answer = self.answer()
        if answer:
            self.last = answer
            self.times.append(answer["seconds"])
        return answer is not None

    def close(self) -> None:
        try:
            self.process.stdin.close()
            self.process.wait(timeout=10)
        except (BrokenPipeError, subprocess.TimeoutExpired):
            self.process.kill()
            self.process.wait()
        self.log.close()
        self.scratch.cleanup()


def export(name: str, batch: int) -> None:
    """In a process of its own, which gives its memory back."""
    import torch

    stem = OUT / f"{name}-{batch}-f32"
    model, x, labels = sample(name, batch)
    if not stem.with_suffix(".pt2").exists():
        part = stem.with_suffix(".part.pt2")
        torch.export.save(torch.export.export(model, (x,)), part)
        part.rename(stem.with_suffix(".pt2"))
    np.save(f"{stem}-0.npy", x.numpy())
    np.save(f"{stem}-labels.npy", labels)


def row(name: str, batch: int, libraries: list[str], options: argparse.Namespace) -> dict:
    subprocess.run([sys.executable, __file__, "--export", name, str(batch)], check=True)
    workers, failed = [], []
    for library in libraries:
        print(f"  {name}, N = {batch}: {library} …", file=sys.stderr, flush=True)
        made = Worker(library, name, batch, options.threads, options.limit)
        if made.first:
            workers.append(made)
        else:
            failed.append(library)
            made.close()
    begin, rounds = time.monotonic(), 0
    while rounds < 2 or (rounds < options.rounds and time.monotonic() - begin < options.seconds):
        for each in list(workers):
            if not each.step():
                failed.append(each.library)
                workers.remove(each)
                each.close()
        rounds += 1
    wanted = next((w.last["losses"] for w in workers if w.library == "eager"), None)
    figures = {}
    for each in workers:
        apart = None
        if wanted:
            apart = max(abs(a - b) / abs(b) for a, b in zip(each.last["losses"], wanted, strict=True))
        figures[each.library] = {
            "seconds": statistics.median(each.times),
            "times": each.times,
            **each.first,
            "peak": each.last["peak"],
            "apart": apart,
        }
        each.close()
    when = {"date": time.strftime("%Y-%m-%d %H:%M"), "machine": platform.machine(), "threads": options.threads}
    return {"model": name, "batch": batch, **when, "failed": failed, "libraries": figures}


def show(each: dict) -> None:
    figures = each["libraries"]
    print(f"\n{each['model']}, N = {each['batch']}  ({each['date']})")
    for library in each["failed"]:
        print(f"  {library:10} failed; see out/bench/step-{library}.log")
    for library, f in figures.items():
        apart = "" if f["apart"] is None else f"   losses apart by {f['apart']:.1e}"
        first = f"first {f['first']:6.2f} s ({f['before']:.2f} before the step)"
        print(f"  {library:10}{f['seconds']:9.3f} s  {first}  peak {f['peak'] / 2**20:6.0f} MiB{apart}")
    peers = [p for p in figures if p != "tenfold"]
    if peers and "tenfold" in figures:
        ours = figures["tenfold"]
        best = min(peers, key=lambda p: figures[p]["seconds"])
        print(f"  ratio to the best peer ({best}): {figures[best]['seconds'] / ours['seconds']:.2f}", end="")
        if "eager" in figures:
            eager = figures["eager"]
            print(f"; to eager: {eager['seconds'] / ours['seconds']:.2f}", end="")
            print(f", of its peak memory: {ours['peak'] / eager['peak']:.2f}", end="")
        print(flush=True)


def main() -> None:
    if sys.argv[1:2] == ["--worker"]:
        worker(*sys.argv[2:])
        return
    if sys.argv[1:2] == ["--export"]:
        export(sys.argv[2], int(sys.argv[3]))
        return
    import cores

    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--model", nargs="+", default=list(CLASSES), choices=list(CLASSES))
    parser.add_argument("--batch", type=int, nargs="+", default=[1, 10])
    parser.add_argument("--peer", nargs="+", default=LIBRARIES[:-1], choices=LIBRARIES[:-1])
    parser.add_argument("--rounds", type=int, default=7, help="at most")
    parser.add_argument("--seconds", type=float, default=120, help="of a row: no new round after that")
    parser.add_argument("--limit", type=float, default=300, help="seconds for an answer, the first one with compiling")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--resume", action="store_true", help="leave out rows that are there already")
    options = parser.parse_args()
    OUT.mkdir(parents=True, exist_ok=True)
    libraries = [p for p in options.peer if p != "jax" or importlib.util.find_spec("jax")] + ["tenfold"]
    on = cores.pick(options.threads)
    machine = f"{platform.machine()}, {options.threads} threads on CPUs {on}, {time.strftime('%Y-%m-%d')}"
    print(f"training steps, f32, {machine}")
    path = OUT / "steps.json"
    results = json.loads(path.read_text()) if path.exists() else []
    for name in options.model:
        for batch in options.batch:
            there = [r for r in results if (r["model"], r["batch"]) == (name, batch)]
            if not (options.resume and there):
                made = row(name, batch, libraries, options)
                results = [r for r in results if r not in there] + [made]
                there = [made]
                path.write_text(json.dumps(results, indent=1))
            show(there[0])
    wrong = [r for r in results for f in r["libraries"].values() if (f["apart"] or 0) > 1e-3]
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
