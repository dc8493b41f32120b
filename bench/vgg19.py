"""The main job: VGG19, forward and one whole training step, PyTorch and Tenfold, in one run on this machine.

    make run            N = 1 and 10
    make run N=100      another batch

Weights are random and seeded. PyTorch runs eager, channels first as users write it; Tenfold compiles what torch.export
saved to a file and runs that, with no Python in its process. Both use every core. Compute time is the median of several
runs; the total includes loading and compiling.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import statistics
import struct
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import torch
from torch import nn

sys.path.insert(0, str(Path(__file__).resolve().parent))
from models import VGG19

ROOT = Path(__file__).resolve().parent.parent
TENFOLD = ROOT / "bin" / "tenfold"
OUT = ROOT / "out"
LEARNING_RATE = 0.01


def say(text: str) -> None:
    """Progress: over itself on a terminal, a line each elsewhere."""
    if sys.stderr.isatty():
        print(f"\r\033[K{text}", end="", file=sys.stderr, flush=True)
    elif text:
        print(f"  {text} …", file=sys.stderr, flush=True)


def tenfold(*arguments: str | Path) -> dict:
    done = subprocess.run([TENFOLD, *map(str, arguments)], capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(f"\n{done.stderr.strip()}\n(from: tenfold {' '.join(map(str, arguments))})")
    return json.loads(done.stdout) if done.stdout[:1] in ("{", "[") else {}


def timed(*arguments: str | Path) -> float:
    start = time.perf_counter()
    tenfold(*arguments)
    return time.perf_counter() - start


def safetensors(path: Path) -> dict[str, np.ndarray]:
    raw = path.read_bytes()
    (size,) = struct.unpack("<Q", raw[:8])
    header = json.loads(raw[8 : 8 + size])
    header.pop("__metadata__", None)
    return {
        name: np.frombuffer(
            raw, np.float32, offset=8 + size + entry["data_offsets"][0], count=int(np.prod(entry["shape"]))
        )
        for name, entry in header.items()
    }


def fresh_model() -> VGG19:
    torch.manual_seed(0)
    return VGG19().eval()


def forward(model: VGG19, images: torch.Tensor, archive: Path, runs: int) -> dict:
    folder = OUT / f"forward-{len(images)}"
    folder.mkdir(parents=True, exist_ok=True)
    np.save(folder / "images.npy", images.numpy())
    times = []
    with torch.no_grad():
        start = time.perf_counter()
        wanted = model(images)
        torch_total = time.perf_counter() - start
        for _ in range(runs):
            start = time.perf_counter()
            model(images)
            times.append(time.perf_counter() - start)
    say(f"forward, N = {len(images)}: Tenfold")
    compiled = archive.with_suffix(".ten")
    compiling = timed("compile", archive, "-o", compiled)
    seconds = tenfold(
        "run", compiled, "--input", folder / "images.npy", "--output", folder, "--repeat", str(runs), "--json"
    )["seconds"]
    got = np.load(folder / "0.npy")
    return {
        "torch": statistics.median(times),
        "torch_total": torch_total,
        "ours": seconds["execute"],
        "ours_total": compiling + seconds["load"] + seconds["execute"],
        "difference": float(np.abs(got - wanted.numpy()).max()),
        "what": "outputs",
    }


def training(images: torch.Tensor, archive: Path, steps: int) -> dict:
    count = len(images)
    folder = OUT / f"train-{count}"
    folder.mkdir(parents=True, exist_ok=True)
    labels = torch.arange(count) * 37 % 1000
    np.savez(folder / "data.npz", x=images.numpy(), y=labels.numpy())
    model = fresh_model()
    optimizer = torch.optim.SGD(model.parameters(), lr=LEARNING_RATE)
    times = []
    for _ in range(steps):
        start = time.perf_counter()
        optimizer.zero_grad()
        nn.functional.cross_entropy(model(images), labels).backward()
        optimizer.step()
        times.append(time.perf_counter() - start)
    say(f"training step, N = {count}: Tenfold")
    log, saved = folder / "steps.jsonl", folder / "vgg19.safetensors"
    compiled = archive.with_name(archive.stem + "-step.ten")
    compiling = timed("compile", archive, "--train", "--optimizer", f"sgd,lr={LEARNING_RATE}", "-o", compiled)
    how = ["--epochs", str(steps), "--in-order", "--metrics", log]
    outcome = tenfold("train", compiled, "--data", folder / "data.npz", *how, "--save", saved, "--json")
    ours = [json.loads(line)["seconds"] for line in log.read_text().splitlines()]
    got = safetensors(saved)
    difference = max(
        float(np.abs(got[name] - value.detach().numpy().ravel()).max()) for name, value in model.named_parameters()
    )
    return {
        "torch": statistics.median(times[1:] or times),
        "torch_total": times[0],
        "ours": statistics.median(ours[1:] or ours),
        "ours_total": compiling + outcome["compile_seconds"] + ours[0],
        "difference": difference,
        "what": f"parameters after {steps} steps",
    }


def table(rows: list[tuple[str, dict]]) -> None:
    print(f"\n{'':26}{'PyTorch':>21}{'Tenfold':>21}{'':>8}   largest difference")
    print(f"{'seconds':26}{'total':>11}{'compute':>10}{'total':>11}{'compute':>10}{'ratio':>8}")
    for name, row in rows:
        print(
            f"{name:26}{row['torch_total']:11.2f}{row['torch']:10.3f}{row['ours_total']:11.2f}{row['ours']:10.3f}"
            f"{row['torch'] / row['ours']:8.2f}   {row['difference']:.1e} of {row['what']}"
        )


TPU = "tpu:v5e:2x2"


def for_tpu(archive: Path, count: int) -> None:
    """The same programs compiled for a TPU by libtpu, which needs none for that; a line each."""
    found = {device["name"]: device for device in tenfold("devices", "--json")}["tpu"]
    if "was not found" in found["here"] or platform.machine() != "x86_64":
        print(f"\nfor a TPU: {'pip install libtpu' if platform.machine() == 'x86_64' else 'libtpu is for x86_64'}")
        return
    print(f"\n{TPU:26}{'compile':>10}{'flops':>12}{'bytes':>12}{'arguments':>12}{'temporary':>12}   of 16 GiB")
    for name, how in (("forward", []), ("training step", ["--train", "--optimizer", f"sgd,lr={LEARNING_RATE}"])):
        say(f"{name}, N = {count}: compiling for {TPU}")
        out = OUT / f"vgg19-{count}-{name.split()[0]}.tpu"
        r = tenfold("compile", archive, "--target", TPU, *how, "--json", "-o", out)
        say("")
        print(
            f"{f'{name}, N = {count}':26}{r['seconds']:8.1f} s{r['flops']:12.3g}{r['bytes_accessed']:12.3g}"
            f"{r['memory']['arguments'] / 2**20:8.0f} MiB{r['memory']['temp'] / 2**20:8.0f} MiB   "
            f"{'fits' if r['fits'] else 'does not fit'}; on a TPU: bin/tenfold run {out.relative_to(ROOT)} --random"
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--batch", type=int, nargs="+", default=[1, 10])
    parser.add_argument("--runs", type=int, default=3, help="runs of each forward pass (median)")
    parser.add_argument("--steps", type=int, default=2, help="training steps of each")
    parser.add_argument("--no-training", action="store_true")
    arguments = parser.parse_args()
    OUT.mkdir(exist_ok=True)
    cores = len(os.sched_getaffinity(0))
    torch.set_num_threads(cores)
    print(f"VGG19, f32, {cores} cores ({platform.machine()}), torch {torch.__version__}, {time.strftime('%Y-%m-%d')}")
    rows = []
    model = fresh_model()
    for count in arguments.batch:
        archive = OUT / f"vgg19-{count}.pt2"
        images = torch.randn(count, 3, 224, 224, generator=torch.Generator().manual_seed(count))
        if not archive.exists():
            say(f"exporting VGG19 for N = {count}")
            torch.export.save(torch.export.export(model, (images,)), archive)
        say(f"forward, N = {count}: PyTorch")
        rows.append((f"forward, N = {count}", forward(model, images, archive, arguments.runs)))
        if not arguments.no_training:
            say(f"training step, N = {count}: PyTorch")
            rows.append((f"training step, N = {count}", training(images, archive, arguments.steps)))
    say("")
    table(rows)
    for_tpu(OUT / f"vgg19-{arguments.batch[0]}.pt2", arguments.batch[0])
    (OUT / "vgg19.json").write_text(json.dumps(dict(rows), indent=1))
    first = arguments.batch[0]
    kinds = [""] if arguments.no_training else ["", "-step"]
    print("\nexecutables: " + ", ".join(f"out/vgg19-{n}{kind}.ten" for n in arguments.batch for kind in kinds))
    print(f"run them:    bin/tenfold run out/vgg19-{first}.ten --random")
    if not arguments.no_training:
        print(f"             bin/tenfold train out/vgg19-{first}-step.ten --data out/train-{first}/data.npz")
    print("figures:     out/vgg19.json")


if __name__ == "__main__":
    main()
