"""torch.compile on an NVIDIA GPU: calls and training steps with backend="tenfold", in eager mode and with inductor.

    bench/gpu_door.py                                     every row, about eight minutes
    bench/gpu_door.py --models bert --batches 1 10 --kinds forward
    bench/gpu_door.py --models mobilenet_v2 lstm gcn      those of the zoo (zoo_list.py)
    bench/gpu_door.py --peers eager inductor reduce-overhead max-autotune jax
    bench/gpu_door.py --memory --models bert --kinds step the memory of the GPU that each takes

Runs where PyTorch with CUDA is. Medians by CUDA events between a call's start and the end of its work, in milliseconds,
so what the host does before its first kernel counts; f32 without TF32 and tf32 with it, for all alike. A step is
zero_grad, forward, backward and a fused AdamW, which runs in eager mode for all. JAX's calls are timed as gpu_jax.py
says. Writes out/bench/gpu-door.json, and ends with the rows in which some peer is faster.

`--memory` measures MiB instead: what the driver has less of after five calls than before the model was made, in a
process of its own for each. Both allocators keep what they have once had, so that is the most that was needed, with
code and workspaces; weights, gradients and the optimizer's state are in it, PyTorch's context is not."""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import tenfold
import torch
from torch.utils._pytree import tree_leaves

sys.path.insert(0, str(Path(__file__).parent))
import models

OUT = Path(__file__).resolve().parent.parent / "out" / "bench"
DTYPES = {"f32": torch.float32, "tf32": torch.float32, "bf16": torch.bfloat16}
PEERS = ("eager", "inductor", "reduce-overhead", "max-autotune", "jax")
IN_JAX = ("bert", "resnet50", "vgg19")  # as gpu_jax.py has them, forward


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


def make(name: str, batch: int) -> tuple[torch.nn.Module, tuple[Any, ...]]:
    if name in ("bert", "resnet50", "vgg19", "gpt2"):
        return models.make(name, batch)
    from zoo_list import ZOO

    torch.manual_seed(0)
    model, inputs = ZOO[name].make(batch)
    return model.eval(), inputs


def variant(model: torch.nn.Module, peer: str) -> Callable:
    from tenfold.torch.backend import backend

    torch._dynamo.reset()
    if peer in ("eager", "tenfold"):
        return model if peer == "eager" else torch.compile(model, backend=backend)
    return torch.compile(model, mode=None if peer == "inductor" else peer)


def in_jax(name: str, precision: str, batch: int) -> tuple[float, float, torch.Tensor]:
    """A call's time in ms, the first call's in s, the result: in a process of its own."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "result.npy"
        command = [sys.executable, Path(__file__).parent / "gpu_jax.py", name, batch, precision, path]
        done = subprocess.run(list(map(str, command)), capture_output=True, text=True)
        if done.returncode:
            raise RuntimeError(done.stderr.strip().splitlines()[-1])
        said = json.loads(done.stdout.splitlines()[-1])
        return said["ms"], said["first"], torch.from_numpy(np.load(path)).cuda()


def difference(results: Any, wanted: Any) -> float:
    """The largest, of all tensors, relative to the largest element."""
    pairs = zip(tree_leaves(results), tree_leaves(wanted), strict=True)
    return max(float((a.float() - b.float()).abs().max() / b.float().abs().max().clamp(min=1e-30)) for a, b in pairs)


def loss_of(results: Any) -> torch.Tensor:
    return sum(r.float().square().mean() for r in tree_leaves(results) if r.is_floating_point())


def prepare(name: str, precision: str, batch: int, kind: str) -> tuple[torch.nn.Module, tuple[Any, ...], Any]:
    """Model, inputs and optimizer on the GPU."""
    dtype = DTYPES[precision]
    torch.set_float32_matmul_precision("high" if precision == "tf32" else "highest")
    torch.backends.cudnn.allow_tf32 = precision == "tf32"
    model, inputs = make(name, batch)
    model = model.cuda().to(dtype).train(kind == "step")
    inputs = tuple(x.cuda().to(dtype) if x.is_floating_point() else x.cuda() for x in inputs)
    return model, inputs, torch.optim.AdamW(model.parameters(), lr=1e-4, fused=True)


def call_of(run: Callable, inputs: tuple[Any, ...], optimizer: Any, kind: str, peer: str) -> Callable[[], Any]:
    def call() -> Any:
        if peer in ("reduce-overhead", "max-autotune"):
            torch.compiler.cudagraph_mark_step_begin()
        if kind == "forward":
            with torch.no_grad():
                return run(*inputs)
        optimizer.zero_grad()
        loss_of(run(*inputs)).backward()
        return optimizer.step()

    return call


def used() -> float:
    """MiB of the GPU that are taken."""
    torch.cuda.synchronize()
    free, total = torch.cuda.mem_get_info()
    return (total - free) / 2**20


def peak(name: str, precision: str, batch: int, kind: str, peer: str) -> float:
    """What a peer needs, in this process, in which nothing else has run."""
    torch.zeros(1, device="cuda")
    before = used()
    model, inputs, optimizer = prepare(name, precision, batch, kind)
    call = call_of(variant(model, peer), inputs, optimizer, kind, peer)
    for _ in range(5):
        call()
    return used() - before


def memory_row(name: str, precision: str, batch: int, kind: str, peers: list[str]) -> dict[str, Any]:
    found: dict[str, Any] = {"model": name, "precision": precision, "batch": batch, "kind": kind}
    for peer in [*peers, "tenfold"]:
        words = [name, precision, batch, kind, peer]
        command = [sys.executable, __file__, "--peak", *map(str, words)]
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode:
            found[f"{peer} failed"] = (done.stderr.strip().splitlines() or ["no word"])[-1][:300]
        else:
            found[peer] = float(done.stdout.split()[-1])
    return found


def show_memory(found: dict[str, Any], peers: list[str]) -> str:
    title = f"{found['kind']} {found['model']} {found['precision']} N={found['batch']}"
    sizes = " ".join(f"{found[p]:8.0f}" if p in found else f"{'-':>8}" for p in [*peers, "tenfold"])
    if "tenfold" not in found:
        return f"{title:34} {sizes}  {found['tenfold failed']}"
    compiled = [found[p] for p in peers if p in found and p != "eager"]
    found["share"] = found["tenfold"] / min(compiled) if compiled else float("nan")
    return f"{title:34} {sizes}  {found['share']:.2f}"


def row(name: str, precision: str, batch: int, kind: str, peers: list[str], seconds: float) -> dict[str, Any]:
    model, inputs, optimizer = prepare(name, precision, batch, kind)
    found: dict[str, Any] = {"model": name, "precision": precision, "batch": batch, "kind": kind}
    wanted = None
    start = {name: value.clone() for name, value in model.state_dict().items()}
    for peer in [*peers, "tenfold"]:
        model.load_state_dict(start)
        if peer == "jax":
            if kind == "forward" and name in IN_JAX:
                try:
                    found[peer], found[f"{peer} first call"], result = in_jax(name, precision, batch)
                    found[f"{peer} error"] = difference(result, wanted)
                except Exception as error:
                    found[f"{peer} failed"] = f"{type(error).__name__}: {error}"[:300]
            continue
        call = call_of(variant(model, peer), inputs, optimizer, kind, peer)
        begin = time.monotonic()
        try:
            result = call()
            torch.cuda.synchronize()
            found[f"{peer} first call"] = time.monotonic() - begin
            if kind == "forward":
                wanted = [r.clone() for r in tree_leaves(result)] if wanted is None else wanted
                found[f"{peer} error"] = difference(result, wanted)
            else:  # of all gradients, relative to their norm
                made = torch.cat([p.grad.double().flatten() for p in model.parameters() if p.grad is not None])
                wanted = made if wanted is None else wanted
                found[f"{peer} error"] = float((made - wanted).norm() / wanted.norm())
            if peer == "tenfold":
                tenfold.reset_stats()
            found[peer] = median(call, seconds)
            if peer == "tenfold":
                found["counts"] = tenfold.stats()["cuda"]
        except Exception as error:
            found[f"{peer} failed"] = f"{type(error).__name__}: {error}"[:300]
    return found


def show(found: dict[str, Any], peers: list[str]) -> str:
    times = " ".join(f"{found[p]:8.3f}" if p in found else f"{'-':>8}" for p in [*peers, "tenfold"])
    title = f"{found['kind']} {found['model']} {found['precision']} N={found['batch']}"
    if "tenfold" not in found:
        return f"{title:34} {times}  {found['tenfold failed']}"
    found["ratio"] = min(found[p] for p in peers if p in found) / found["tenfold"]
    first = ", ".join(f"{found[f'{p} first call']:.1f}" for p in [*peers[1:], "tenfold"] if f"{p} first call" in found)
    counts = found["counts"]
    changed = f", {counts['changes'] / max(counts['calls'], 1):.0%} at new addresses" if counts["changes"] else ""
    return f"{title:34} {times}  {found['ratio']:.2f}, {first}, {found.get('tenfold error', 0):.0e}{changed}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--models", nargs="+", default=["bert", "resnet50", "vgg19"])
    parser.add_argument("--precisions", nargs="+", default=list(DTYPES), choices=list(DTYPES))
    parser.add_argument("--batches", nargs="+", type=int, default=[1, 10])
    parser.add_argument("--kinds", nargs="+", default=["forward", "step"], choices=["forward", "step"])
    parser.add_argument("--peers", nargs="+", default=["eager", "inductor", "reduce-overhead"], choices=PEERS)
    parser.add_argument("--seconds", type=float, default=1.0, help="of calls, for each peer")
    parser.add_argument("--memory", action="store_true", help="measure memory in place of time")
    parser.add_argument("--peak", nargs=5, help=argparse.SUPPRESS)
    args = parser.parse_args()
    if not torch.cuda.is_available():
        raise SystemExit("no CUDA GPU that this PyTorch can use")
    if args.peak:
        name, precision, batch, kind, peer = args.peak
        print(peak(name, precision, int(batch), kind, peer))
        return
    OUT.mkdir(parents=True, exist_ok=True)
    rows = []
    heads = " ".join(f"{head[:8]:>8}" for head in [*args.peers, "tenfold"])
    file = OUT / ("gpu-door-memory.json" if args.memory else "gpu-door.json")
    about = (
        "MiB; to the least of torch.compile"
        if args.memory
        else "ratio to the best, first calls in s (but eager's), error to eager"
    )
    print(f"{'row':34} {heads}  {about}")
    for kind in args.kinds:
        for name in args.models:
            for precision in args.precisions:
                for batch in args.batches:
                    if args.memory:
                        found = memory_row(name, precision, batch, kind, args.peers)
                        print(show_memory(found, args.peers), flush=True)
                    else:
                        found = row(name, precision, batch, kind, args.peers, args.seconds)
                        print(show(found, args.peers), flush=True)
                    rows.append(found)
                    file.write_text(json.dumps(rows, indent=1))
    if args.memory:
        return
    behind = [f"{r['kind']} {r['model']} {r['precision']} N={r['batch']}" for r in rows if r.get("ratio", 0) < 1]
    print(f"{len(rows)} rows, {len(behind)} behind some peer:", "; ".join(behind) or "none")


if __name__ == "__main__":
    main()
