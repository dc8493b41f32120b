"""One contestant of `zoo.py`, in a process of its own: makes a model and its calls, compares the results with eager's,
then answers commands of the parent line by line: `turn N` with the seconds of a call, `peak` with the bytes of a call.

Processes are apart because libraries change each other: inductor's freezing, for one, makes dynamo hand the weights to
every backend as constants of the graph, and memory that one has freed is what the next one gets.
"""

from __future__ import annotations

import copy
import ctypes
import gc
import json
import math
import re
import tempfile
import time
import traceback
from collections.abc import Callable
from contextlib import nullcontext
from pathlib import Path
from typing import Any, TextIO

# What results, and in training gradients, may differ by: as a share of the largest element, of the norm.
CLOSE = {"f32": (2e-3, 2e-2), "bf16": (0.1, 0.3)}


class Bench:
    """One model with the inputs of one row. A call returns what is compared with eager's."""

    def __init__(self, job: dict[str, Any]) -> None:
        import torch
        from zoo_list import ZOO

        self.torch, self.job = torch, job
        torch.set_num_threads(job["threads"])
        torch.manual_seed(0)
        self.training, batch = job["row"].split("-")[0] == "training", int(job["row"].split("-")[1])
        model, self.inputs = ZOO[job["model"]].make(batch)
        self.model = model.train(self.training)
        for module in model.modules():  # nothing is random, so that results can be compared
            for name in ("p", "drop_prob", "drop_rate", "dropout", "layerdrop"):
                kind = (name + type(module).__name__).lower()
                if isinstance(getattr(module, name, None), float) and ("drop" in kind or "stochastic" in kind):
                    setattr(module, name, 0.0)
        if not self.training:
            for weight in model.parameters():
                weight.requires_grad_(False)

    def autocast(self, device: str = "cpu") -> Any:
        if self.job["precision"] == "f32":
            return nullcontext()
        return self.torch.autocast(device, self.torch.bfloat16)

    def forward(self, run: Callable, inputs: tuple, device: str = "cpu") -> Callable:
        def call() -> Any:
            with self.torch.no_grad(), self.autocast(device):
                return flat(run(*inputs), device)

        return call

    def step(self, model: Any, run: Callable, inputs: tuple, device: str = "cpu") -> Callable:
        optimizer = self.torch.optim.AdamW(model.parameters(), lr=1e-4)

        def call() -> list[Any]:
            optimizer.zero_grad()
            with self.autocast(device):
                results = run(*inputs)
                first = results[0] if isinstance(results, tuple | list) else results
                loss = (first if first.dtype == self.torch.float64 else first.float()).square().mean()
            loss.backward()
            optimizer.step()
            return [loss.detach().cpu()]

        def gradients() -> list[Any]:
            """Of all parameters: where a result is not used, eager has none and AOTAutograd zeros."""
            found = [p.grad if p.grad is not None else self.torch.zeros_like(p) for p in model.parameters()]
            return [g.detach().cpu().float().clone() for g in found]

        call.gradients = gradients
        return call

    def make(self, door: str) -> Callable:
        return getattr(self, door)()

    def eager(self) -> Callable:
        if not self.training:
            return self.forward(self.model, self.inputs)
        own = copy.deepcopy(self.model)
        return self.step(own, own, self.inputs)

    def compiled(self, **options: Any) -> Callable:
        if not self.training:
            return self.forward(self.torch.compile(self.model, **options), self.inputs)
        own = copy.deepcopy(self.model)
        return self.step(own, self.torch.compile(own, **options), self.inputs)

    def inductor(self) -> Callable:
        import torch._inductor.config

        torch._inductor.config.freezing = not self.training
        return self.compiled()

    def compile(self) -> Callable:
        import tenfold.torch.backend  # noqa: F401

        return self.compiled(backend="tenfold")

    def device(self) -> Callable:
        import tenfold  # noqa: F401

        own = copy.deepcopy(self.model).to("tenfold")
        inputs = tuple(x.to("tenfold") for x in self.inputs)
        if not self.training:
            return self.forward(own, inputs, "tenfold")
        return self.step(own, own, inputs, "tenfold")

    def archive(self) -> Callable | None:
        import tenfold

        if self.training:
            return None
        torch = self.torch
        with tempfile.TemporaryDirectory() as folder, torch.no_grad(), self.autocast():
            path = str(Path(folder) / "model.pt2")
            torch.export.save(torch.export.export(self.model, self.inputs), path)
            program = tenfold.load(path)
            call = self.forward(lambda *x: [torch.from_dlpack(y) for y in program(*x)], self.inputs)
            call()  # the file may be gone afterwards
        return call


def flat(results: Any, device: str) -> list[Any]:
    results = list(results) if isinstance(results, tuple | list) else [results]
    return [r.cpu() for r in results] if device != "cpu" else results


def difference(mine: list[Any], wanted: list[Any]) -> float:
    """As a share of the largest element; infinite where shapes or infinities differ."""
    worst = 0.0
    for a, b in zip(mine, wanted, strict=True):
        a, b = a.detach().double(), b.detach().double()
        if a.shape != b.shape or not bool((a.isfinite() == b.isfinite()).all()):
            return math.inf
        scale = b.abs().nan_to_num(0, 0, 0).max().item() if b.numel() else 0
        delta = (a - b).abs().nan_to_num(0, 0, 0).max().item() if b.numel() else 0
        worst = max(worst, delta / scale if scale else delta)
    return worst


def norm_difference(mine: list[Any], wanted: list[Any]) -> float:
    if len(mine) != len(wanted):
        return math.inf
    delta = sum((a - b).double().square().sum().item() for a, b in zip(mine, wanted, strict=True))
    total = sum(b.double().square().sum().item() for b in wanted)
    return math.sqrt(delta / total) if total else math.sqrt(delta)


def first_calls(bench: Bench, who: str) -> tuple[Callable, dict[str, Any], list[Any], list[Any]]:
    """Two calls: the results of the last one, and the gradients of the first."""
    start = time.perf_counter()
    call = bench.make(who)
    if call is None:
        return None, {"status": "none"}, [], []
    call()
    gradients = call.gradients() if bench.training else []
    results = [r.detach().clone() for r in call()]
    return call, {"status": "ok", "first": time.perf_counter() - start}, results, gradients


def judge(figure: dict[str, Any], mine: tuple, wanted: tuple, precision: str) -> None:
    close = CLOSE[precision]
    figure["difference"] = difference(mine[0], wanted[0])
    if wanted[1]:
        figure["gradients"] = norm_difference(mine[1], wanted[1])
    if not (figure["difference"] <= close[0] and figure.get("gradients", 0.0) <= close[1]):
        figure["status"] = "WRONG"


def judge_by_f64(figure: dict[str, Any], mine: list[Any], wanted: list[Any], bench: Bench) -> None:
    """Batch norm over few elements multiplies rounding errors: gradients in f32 are right where they are about as far
    from those in f64 as eager's are."""
    if figure["difference"] > CLOSE["f32"][0] or len(mine) != len(wanted):
        return
    model = copy.deepcopy(bench.model).double()
    call = bench.step(model, model, tuple(x.double() if x.is_floating_point() else x for x in bench.inputs))
    call()
    exact = call.gradients()
    figure["to f64"], figure["eager to f64"] = norm_difference(mine, exact), norm_difference(wanted, exact)
    if figure["to f64"] <= 1.5 * figure["eager to f64"]:
        figure["status"] = "ok"


def memory(name: str) -> int:
    """Bytes of this process: VmRSS as it is, VmHWM at its peak."""
    found = re.search(rf"{name}:\s+(\d+)", Path("/proc/self/status").read_text())
    return int(found[1]) * 1024 if found else 0


def trim() -> None:
    """Gives back to the system what was freed, so that peaks of different processes can be compared."""
    gc.collect()
    ctypes.CDLL(None).malloc_trim(0)


def peak_of(call: Callable, before: int) -> int:
    """The most memory of one call, over what the process had before its first one."""
    trim()
    Path("/proc/self/clear_refs").write_text("5")  # the peak starts anew
    call()
    return memory("VmHWM") - before


def time_of(call: Callable, count: int, cpu_time: bool) -> float:
    clock = time.process_time if cpu_time else time.perf_counter
    start = clock()
    for _ in range(count):
        call()
    return (clock() - start) / count


def prepare(job: dict[str, Any], who: str, folder: Path) -> tuple[Callable | None, dict[str, Any], int]:
    """The calls of one contestant, what the first two were like, and the memory before them. Eager's results go into a
    file of the folder; the others read it."""
    import torch

    bench = Bench(job)
    trim()
    before = memory("VmRSS")
    call, figure, *mine = first_calls(bench, who)
    path = folder / "eager.pt"
    if call is not None and who == "eager":
        torch.save(mine, path)
    elif call is not None and path.exists():
        wanted = torch.load(path)
        judge(figure, tuple(mine), tuple(wanted), job["precision"])
        if figure["status"] == "WRONG" and bench.training and job["precision"] == "f32":
            judge_by_f64(figure, mine[1], wanted[1], bench)
    return call, figure, before


def serve(job: dict[str, Any], who: str, folder: Path, commands: TextIO, out: TextIO) -> None:
    try:
        call, figure, before = prepare(job, who, folder)
    except Exception as error:
        traceback.print_exc()
        call, figure = None, {"status": "FAILED", "error": f"{type(error).__name__}: {error}".splitlines()[0][:300]}
    print(json.dumps(figure), file=out, flush=True)
    if call is None:
        return
    for line in commands:
        name, _, count = line.strip().partition(" ")
        answer = peak_of(call, before) if name == "peak" else time_of(call, int(count), job["cpu_time"])
        print(json.dumps(answer), file=out, flush=True)
