"""torch.compile on an NVIDIA GPU: calls and training steps with backend="tenfold", in eager mode and with inductor.

    bench/gpu_door.py                                     every row, about eight minutes
    bench/gpu_door.py --models bert --batches 1 10 --kinds forward

Runs where PyTorch with CUDA is. Medians by CUDA events between a call's start and the end of its work, in milliseconds,
so what the host does before its first kernel counts; f32 without TF32, for all alike. A step is zero_grad, forward,
backward and a fused AdamW, which runs in eager mode for all. Writes out/bench/gpu-door.json."""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch

sys.path.insert(0, str(Path(__file__).parent))
import models

OUT = Path(__file__).resolve().parent.parent / "out" / "bench"
DTYPES = {"f32": torch.float32, "bf16": torch.bfloat16}


def median(call: Callable[[], Any], seconds: float) -> float:
    for _ in range(5):
        call()
    torch.cuda.synchronize()
    times, end = [], time.monotonic() + seconds
    while len(times) < 9 or (time.monotonic() < end and len(times) < 100):
        start, stop = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        start.record()
        call()
        stop.record()
        torch.cuda.synchronize()
        times.append(start.elapsed_time(stop))
    return sorted(times)[len(times) // 2]


def peers(model: torch.nn.Module) -> dict[str, Callable]:
    from tenfold.torch.backend import backend

    return {"eager": model, "inductor": torch.compile(model), "tenfold": torch.compile(model, backend=backend)}


def row(name: str, precision: str, batch: int, kind: str, seconds: float) -> dict[str, Any]:
    torch.manual_seed(0)
    dtype = DTYPES[precision]
    model, inputs = models.make(name, batch)
    model = model.cuda().to(dtype).train(kind == "step")
    inputs = tuple(x.cuda().to(dtype) if x.is_floating_point() else x.cuda() for x in inputs)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4, fused=True)
    found: dict[str, Any] = {"model": name, "precision": precision, "batch": batch, "kind": kind}
    wanted = None
    for peer, run in peers(model).items():
        torch._dynamo.reset()

        def call(run=run):
            if kind == "forward":
                with torch.no_grad():
                    return run(*inputs)
            optimizer.zero_grad()
            run(*inputs).float().square().mean().backward()
            optimizer.step()

        begin = time.monotonic()
        result = call()
        torch.cuda.synchronize()
        found[f"{peer} first call"] = time.monotonic() - begin
        if kind == "forward":
            wanted = result if wanted is None else wanted
            found[f"{peer} error"] = float((result - wanted).abs().max() / wanted.abs().max())
        found[peer] = median(call, seconds)
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--models", nargs="+", default=["bert", "resnet50", "vgg19"])
    parser.add_argument("--precisions", nargs="+", default=list(DTYPES), choices=list(DTYPES))
    parser.add_argument("--batches", nargs="+", type=int, default=[1, 10])
    parser.add_argument("--kinds", nargs="+", default=["forward", "step"], choices=["forward", "step"])
    parser.add_argument("--seconds", type=float, default=1.0, help="of calls, for each peer")
    args = parser.parse_args()
    if not torch.cuda.is_available():
        raise SystemExit("no CUDA GPU that this PyTorch can use")
    torch.backends.cuda.matmul.allow_tf32 = torch.backends.cudnn.allow_tf32 = False
    OUT.mkdir(parents=True, exist_ok=True)
    rows = []
    heads = " ".join(f"{head:>8}" for head in ("eager", "inductor", "tenfold"))
    print(f"{'row':32} {heads}  ratio to the best, first calls in s (inductor, tenfold)")
    for kind in args.kinds:
        for name in args.models:
            for precision in args.precisions:
                for batch in args.batches:
                    found = row(name, precision, batch, kind, args.seconds)
                    rows.append(found)
                    best = min(found["eager"], found["inductor"]) / found["tenfold"]
                    times = " ".join(f"{found[peer]:8.3f}" for peer in ("eager", "inductor", "tenfold"))
                    first = f"{found['inductor first call']:.1f}, {found['tenfold first call']:.1f}"
                    print(f"{f'{kind} {name} {precision} N={batch}':32} {times}  {best:.2f}, {first}", flush=True)
                    (OUT / "gpu-door.json").write_text(json.dumps(rows, indent=1))


if __name__ == "__main__":
    main()
