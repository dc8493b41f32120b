"""What the first training step through torch.compile(backend="tenfold") takes, and of what: seconds of each phase.

    bench/first_calls.py [--model densenet mobilenet] [--batch 4] [--size 112] [--forward]

One process for each model, nothing from the cache. Wall time and CPU time of the first step (forward, loss, backward,
AdamW in eager mode), less those of a later one: that is what compiling costs. Of it, by what Python calls: `write` (the
graph as JSON), `lower` (the importer), `compile` (passes, plan, LLVM; it may overlap with the rest where it runs on a
thread of its own), the rest is dynamo's and AOTAutograd's. Models are those of mobile.py and a DenseNet.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import os
import sys
import time
from pathlib import Path

os.environ["TENFOLD_CACHE"] = "off"
sys.path.insert(0, str(Path(__file__).resolve().parent))

import mobile
import torch
from torch import nn
from torch.nn import functional as F


class Dense(nn.Module):
    """A layer of DenseNet: what it makes is appended to what it reads."""

    def __init__(self, i: int, grows: int) -> None:
        super().__init__()
        self.norm1, self.conv1 = nn.BatchNorm2d(i), nn.Conv2d(i, 4 * grows, 1, bias=False)
        self.norm2, self.conv2 = nn.BatchNorm2d(4 * grows), nn.Conv2d(4 * grows, grows, 3, padding=1, bias=False)

    def forward(self, x):
        y = self.conv1(F.relu(self.norm1(x)))
        return torch.cat([x, self.conv2(F.relu(self.norm2(y)))], 1)


def densenet(counts=(6, 12, 24, 16), grows: int = 32) -> nn.Module:
    """The layers of DenseNet-121."""
    layers, i = [nn.Conv2d(3, 64, 7, 2, 3, bias=False), nn.BatchNorm2d(64), nn.ReLU(), nn.MaxPool2d(3, 2, 1)], 64
    for n, count in enumerate(counts):
        for _ in range(count):
            layers.append(Dense(i, grows))
            i += grows
        if n + 1 < len(counts):
            layers += [nn.BatchNorm2d(i), nn.ReLU(), nn.Conv2d(i, i // 2, 1, bias=False), nn.AvgPool2d(2)]
            i //= 2
    return nn.Sequential(
        *layers, nn.BatchNorm2d(i), nn.ReLU(), nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(i, 100)
    )


MODELS = {**mobile.MODELS, "densenet": densenet}
SPENT = {"write": 0.0, "lower": 0.0, "compile": 0.0}


def clocked(name: str, function):
    def call(*args, **kwargs):
        start = time.perf_counter()
        try:
            return function(*args, **kwargs)
        finally:
            SPENT[name] += time.perf_counter() - start

    return call


def watch() -> None:
    """Times the backend's own work, seen from Python."""
    from tenfold import _core
    from tenfold.torch import compiled

    class Core:
        """The extension module, with `graph` timed."""

        def __getattr__(self, name: str):
            return getattr(_core, name)

        graph = staticmethod(clocked("lower", _core.graph))

    compiled._core = Core()
    compiled.serialize = clocked("write", compiled.serialize)
    compiled.Compiled.specialize = clocked("compile", compiled.Compiled.specialize)


def measure(name: str, options: argparse.Namespace, answer) -> None:
    import tenfold.torch.backend  # noqa: F401 imports are not part of a first call

    watch()
    torch.set_num_threads(options.threads)
    torch.manual_seed(0)
    x = torch.randn(options.batch, 3, options.size, options.size)
    model, target = MODELS[name](), torch.randint(0, 100, (options.batch,))
    call = mobile.forward_of(model, x, "tenfold") if options.forward else mobile.step_of(model, x, target, "tenfold")
    spent = []
    for _ in range(4):
        start, cpu = time.perf_counter(), time.process_time()
        call()
        spent.append((time.perf_counter() - start, time.process_time() - cpu))
    later = min(spent[2:])
    row = {"model": name, "wall": spent[0][0] - later[0], "cpu": spent[0][1] - later[1], "step": later[0], **SPENT}
    row["second"] = spent[1][0] - later[0]
    answer.put(row)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument(
        "--model", nargs="*", default=["mobilenet", "regnet", "convnext", "densenet"], choices=list(MODELS)
    )
    parser.add_argument("--batch", type=int, default=4)
    parser.add_argument("--size", type=int, default=112)
    parser.add_argument("--threads", type=int, default=len(os.sched_getaffinity(0)))
    parser.add_argument("--forward", action="store_true")
    options = parser.parse_args()
    context, rows = multiprocessing.get_context("spawn"), []
    for name in options.model:
        answer = context.Queue()
        process = context.Process(target=measure, args=(name, options, answer))
        process.start()
        row = answer.get(timeout=600)
        process.join()
        rows.append(row)
        rest = ", ".join(f"{phase} {row[phase]:.2f}" for phase in SPENT)
        print(
            f"{name:13s} first call {row['wall']:.2f} s (CPU {row['cpu']:.2f}): {rest}; "
            f"a second one {row['second']:.2f} more than the step's {row['step']:.2f}",
            flush=True,
        )
    out = Path(__file__).resolve().parent.parent / "out" / "bench"
    out.mkdir(parents=True, exist_ok=True)
    (out / "first_calls.json").write_text(json.dumps(rows, indent=1))


if __name__ == "__main__":
    main()
