"""Memory of training steps (forward, backward, AdamW): torch.compile(backend="tenfold") and PyTorch eager, each model
and contestant in a process of its own.

    bench/memory.py [--model resnet18 bert …] [--batch 4] [--who eager compile] [--parts]

What counts is a warm step: the most memory while it runs, less what is left of it when gradients are gone and
nothing is held for the next step. Both sides are measured alike, in MiB of VmRSS and VmHWM:

- `before`: the process with its libraries imported and used once by another model, with the model made.
- `first`: the most memory up to the end of the first step, over `before`: compilation included.
- `warm`: the most memory of a warm step, over `before`: with optimizer state and what compilation has left.
- `left`: what of `warm` is still there once gradients, executables and their memory are gone, without the optimizer
  state: what dynamo, AOTAutograd and the compilers leave, and the working memory that programs share.
- `step`: what a warm step takes beyond that: gradients, what is saved for them, working memory, and Tenfold's code.
--parts says what `step` and `left` consist of, from the executables.
"""

from __future__ import annotations

import argparse
import ctypes
import gc
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / "bench"), str(ROOT / "python")]
os.environ["TENFOLD_CACHE"] = "off"  # what was compiled in an earlier run would leave no compiler in memory
from zoo_worker import memory, trim  # noqa: E402

MODELS = ["mobilenet", "resnet18", "resnet50", "bert", "vit", "lstm", "mlp", "dlrm"]
SIZE = 112  # pixels of images of the networks of mobile.py and zoo_models.py
MIB = 1 << 20


def most() -> None:
    Path("/proc/self/clear_refs").write_text("5")  # the peak starts anew


def give_back() -> None:
    """Of Tenfold: executables, with the memory that they work in and hold for results."""
    compiled = sys.modules["tenfold.torch.compiled"]
    for made in [o for o in gc.get_objects() if type(o) is compiled.Compiled]:
        made.last, made.executables = (compiled._NotYet, ()), compiled.Executables()
        made.frozen = {}
    trim()


class Mallinfo(ctypes.Structure):
    _fields_ = [
        (name, ctypes.c_size_t)
        for name in (
            *("arena", "ordblks", "smblks", "hblks", "hblkhd"),
            *("usmblks", "fsmblks", "uordblks", "fordblks", "keepcost"),
        )
    ]


def allocated() -> dict[str, int]:
    libc = ctypes.CDLL(None)
    libc.mallinfo2.restype = Mallinfo
    info = libc.mallinfo2()
    return {"malloc used": info.uordblks, "malloc free": info.fordblks, "malloc mapped": info.hblkhd}


def use_libraries(who: str) -> None:
    """Loads what a first call loads: LLVM, kernels of PyTorch, thread pools."""
    import torch
    from torch import nn

    model = nn.Sequential(
        nn.Conv2d(3, 8, 3), nn.BatchNorm2d(8), nn.ReLU(), nn.Flatten(), nn.Linear(288, 64), nn.LayerNorm(64), nn.GELU()
    )
    run = torch.compile(model, backend="tenfold") if who == "compile" else model
    optimizer = torch.optim.AdamW(model.parameters())
    for _ in range(2):
        optimizer.zero_grad()
        run(torch.randn(4, 3, 8, 8)).square().mean().backward()
        optimizer.step()
    torch._dynamo.reset()


def parts_of() -> dict[str, int]:
    """Bytes of what executables hold and work with."""
    from tenfold.torch.compiled import Compiled

    found = dict.fromkeys(("arenas", "largest arena", "constants", "results", "graphs"), 0)
    for made in [o for o in gc.get_objects() if type(o) is Compiled]:
        for executable in [pair[0] for pair in (made.last,) if pair]:
            arena, constants, results = executable.memory
            found["arenas"] += arena
            found["largest arena"] = max(found["largest arena"], arena)
            found["constants"] += constants
            found["results"] += results
            found["graphs"] += 1
    return found


def measure(model: str, who: str, batch: int, parts: bool) -> dict[str, Any]:
    import mobile
    import tenfold.torch.backend  # noqa: F401
    import torch
    import torch._dynamo
    import torch._functorch.aot_autograd
    import torch._inductor
    import zoo_list
    from zoo_worker import Bench

    if model in mobile.MODELS:
        zoo_list.ZOO[model] = zoo_list.Entry("image", lambda n: (mobile.MODELS[model](), zoo_list.image(n, SIZE)))
    job = {"model": model, "row": f"training-{batch}", "precision": "f32", "threads": 1}
    zoo_list.import_torchvision()  # transformers imports it, too
    use_libraries(who)
    bench = Bench(job)
    call = bench.make(who)
    give_back()
    before, most_of_all = memory("VmRSS"), 0
    most()
    call()
    first = memory("VmHWM") - before
    most_of_all = memory("VmHWM")
    for _ in range(3):
        call()
    trim()
    most()
    for _ in range(2):
        call()
    warm = memory("VmHWM") - before
    found: dict[str, Any] = {"first": first, "warm": warm, "process": most_of_all, "libraries": before}
    optimizer = next(o for o in gc.get_objects() if type(o) is torch.optim.AdamW and o.state)
    found["between"] = memory("VmRSS") - before
    found["state"] = sum(
        t.untyped_storage().nbytes()
        for s in optimizer.state.values()
        for t in s.values()
        if isinstance(t, torch.Tensor) and t.dim()
    )
    found["gradients"] = sum(
        p.grad.numel() * 4 for g in optimizer.param_groups for p in g["params"] if p.grad is not None
    )
    if parts:
        found |= allocated()
    if parts and who == "compile":
        found |= parts_of()
    optimizer.zero_grad()
    give_back()
    floor = memory("VmRSS") - before
    found["left"] = floor - found["state"]
    found["step"] = warm - floor
    if parts and who == "compile":
        torch._dynamo.reset()
        del call
        give_back()
        found["left without graphs"] = memory("VmRSS") - before - found["state"]
    return found


def row(model: str, whos: list[str], options: argparse.Namespace) -> dict[str, Any]:
    made = {}
    for who in whos:
        command = [sys.executable, __file__, "--model", model, "--batch", str(options.batch), "--one", who]
        command += ["--parts"] * options.parts
        environment = {**os.environ, "OMP_NUM_THREADS": "1", "TENFOLD_THREADS": "1"}
        done = subprocess.run(command, capture_output=True, text=True, env=environment)
        if done.returncode:
            print(f"!! {model} {who}: {done.stderr.strip().splitlines()[-1:]}", flush=True)
            return {}
        made[who] = json.loads(done.stdout.splitlines()[-1])
    return made


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--model", nargs="*", default=MODELS)
    parser.add_argument("--batch", type=int, default=4)
    parser.add_argument("--who", nargs="*", default=["eager", "compile"])
    parser.add_argument("--parts", action="store_true")
    parser.add_argument("--one", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.one:
        print(json.dumps(measure(options.model[0], options.one, options.batch, options.parts)))
        return
    names = ["step", "warm", "first", "left", "process"]
    print(
        "| model | " + " | ".join(f"{n}: eager, compile (ratio)" for n in names) + " |\n|" + "---|" * (len(names) + 1)
    )
    for model in options.model:
        made = row(model, options.who, options)
        if not made:
            continue
        cells = []
        for name in names:
            values = [made[who][name] / MIB for who in options.who]
            ratio = f" ({values[-1] / values[0]:.2f})" if len(values) > 1 and values[0] > 0 else ""
            cells.append(", ".join(f"{v:.1f}" for v in values) + ratio)
        print(f"| {model} | " + " | ".join(cells) + " |", flush=True)
        for who in options.who if options.parts else ():
            print(
                f"  {who}: " + ", ".join(f"{k} {v / MIB if v > 999 else v:.1f}" for k, v in made[who].items()),
                flush=True,
            )


if __name__ == "__main__":
    main()
