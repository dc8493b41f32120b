"""Where a call's time goes on an NVIDIA GPU, by torch.compile(backend="tenfold"): the host's share, the GPU's, and what
the library did.

    bench/gpu_host.py resnet50:step:bf16:10 dlrm:step:f32:10
    bench/gpu_host.py --kernels 12 --python 20 resnet50:step:bf16:1

For each row: milliseconds of a call by CUDA events, of the host until the call has returned (the GPU idle before it),
of all kernels together (PyTorch's profiler), how many kernels there were; and per call the counts of
tenfold.stats()["cuda"]; how far results, or gradients and updated buffers, are from those in a wider type, and how
far eager mode's are. `--fresh` gives each call inputs at other addresses. `--kernels N` lists the kernels that took
longest, `--python N` the Python functions."""

from __future__ import annotations

import argparse
import copy
import cProfile
import io
import pstats
import time
from collections import Counter
from typing import Any

import gpu_door
import tenfold
import torch
from torch.profiler import ProfilerActivity, profile
from torch.utils._pytree import tree_leaves

CALLS = 20


def distance(found: list[torch.Tensor], wanted: list[torch.Tensor]) -> float:
    """Of all tensors together, relative to their norm."""
    far = sum(float((a.double() - b.double()).square().sum()) for a, b in zip(found, wanted, strict=True))
    return (far / max(sum(float(b.double().square().sum()) for b in wanted), 1e-300)) ** 0.5


def results_of(model: Any, run: Any, inputs: tuple, kind: str) -> list[list[torch.Tensor]]:
    """After three calls (launched one by one, captured, replayed): results; or gradients and buffers."""
    for _ in range(3):
        model.zero_grad()
        with torch.set_grad_enabled(kind == "step"):
            made = run(*inputs)
        if kind == "step":
            gpu_door.loss_of(made).backward()
    if kind == "forward":
        return [[r.clone() for r in tree_leaves(made)]]
    named = [p.grad for p in model.parameters() if p.grad is not None]
    return [named, [b for b in model.buffers() if b.is_floating_point()]]


def check(model: Any, run: Any, inputs: tuple, kind: str) -> str:
    """How far our results and eager mode's are from eager mode's in a wider type."""
    wide = torch.float64 if next(model.parameters()).dtype == torch.float32 else torch.float32
    twins = [copy.deepcopy(model), copy.deepcopy(model).to(wide)]
    wider = tuple(x.to(wide) if x.is_floating_point() else x for x in inputs)
    truth = results_of(twins[1], twins[1], wider, kind)
    eager = results_of(twins[0], twins[0], inputs, kind)
    ours = results_of(model, run, inputs, kind)
    names = ["results"] if kind == "forward" else ["gradients", "buffers"]
    return ", ".join(
        f"{name} {distance(a, c):.1e} (eager {distance(b, c):.1e})"
        for name, a, b, c in zip(names, ours, eager, truth, strict=True)
    )


def kernels_of(call: Any) -> tuple[Counter[str], float]:
    """Microseconds a call, by kernel; and how many there are in a call."""
    with profile(activities=[ProfilerActivity.CUDA]) as seen:
        for _ in range(CALLS):
            call()
        torch.cuda.synchronize()
    times: Counter[str] = Counter()
    count = 0
    for event in seen.events():
        if event.device_type == torch.autograd.DeviceType.CUDA:
            times[event.name] += event.time_range.elapsed_us() / CALLS  # type: ignore[assignment]
            count += 1
    return times, count / CALLS


def measure(call: Any, text: str, right: str, args: argparse.Namespace) -> None:
    for _ in range(8):
        call()
    torch.cuda.synchronize()
    tenfold.reset_stats()
    host = []
    for _ in range(CALLS):
        torch.cuda.synchronize()
        start = time.perf_counter()
        call()
        host.append(time.perf_counter() - start)
    counts = {k: round(v / CALLS, 2) for k, v in tenfold.stats()["cuda"].items() if v}
    total = gpu_door.median(call, 1.0)
    times, count = kernels_of(call)
    kernels = sum(times.values()) / 1e3
    print(f"{text}: {total:.3f} ms, host {1e3 * sorted(host)[CALLS // 2]:.3f}, kernels {kernels:.3f} ({count:.0f})")
    print(f"    {right}\n    {counts}", flush=True)
    for kernel, us in times.most_common(args.kernels):
        print(f"    {us:9.1f} us  {kernel[:100]}")
    if args.python:
        watch = cProfile.Profile()
        watch.enable()
        for _ in range(CALLS):
            call()
        watch.disable()
        out = io.StringIO()
        pstats.Stats(watch, stream=out).sort_stats("tottime").print_stats(args.python)
        print("\n".join(line[:150] for line in out.getvalue().splitlines()[4:] if line.strip()), flush=True)


def row(text: str, args: argparse.Namespace) -> None:
    name, kind, precision, batch = text.split(":")
    dtype = gpu_door.DTYPES[precision]
    torch.set_float32_matmul_precision("high" if precision == "tf32" else "highest")
    torch.backends.cudnn.allow_tf32 = precision == "tf32"
    model, inputs = gpu_door.make(name, int(batch))
    model = model.cuda().to(dtype).train(kind == "step")
    inputs = tuple(x.cuda().to(dtype) if x.is_floating_point() else x.cuda() for x in inputs)
    run = gpu_door.variant(model, "tenfold")
    right = check(model, run, inputs, kind)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4, fused=True)
    kept: list[Any] = []

    def call() -> None:
        given = inputs
        if args.fresh:
            given = tuple(x.clone() for x in inputs)
            kept.append((given, torch.empty(1 << 12, device="cuda")))
            del kept[:-7]
        if kind == "forward":
            with torch.no_grad():
                run(*given)
            return
        optimizer.zero_grad()
        gpu_door.loss_of(run(*given)).backward()
        optimizer.step()

    measure(call, text, right, args)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("rows", nargs="+", help="MODEL:forward|step:PRECISION:BATCH")
    parser.add_argument("--fresh", action="store_true")
    parser.add_argument("--kernels", type=int, default=0)
    parser.add_argument("--python", type=int, default=0)
    args = parser.parse_args()
    for text in args.rows:
        try:
            row(text, args)
        except Exception as error:
            print(f"{text}: {type(error).__name__}: {str(error)[:400]}", flush=True)


if __name__ == "__main__":
    main()
