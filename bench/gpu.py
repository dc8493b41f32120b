"""Forward passes on an NVIDIA GPU: Tenfold's own kernels (`--device cuda`) and PyTorch with the same weights.

Runs where PyTorch with CUDA and the `tenfold` command are. Times are medians by CUDA events with inputs on the device;
errors are relative to PyTorch's eager f32 on the same weights, computed without TF32."""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import torch

sys.path.insert(0, str(Path(__file__).parent))
import models

HERE = Path(__file__).parent.parent
BYTES_PER_SECOND, FLOPS = 4.3e12, {"f32": 60e12, "bf16": 790e12}
GFLOP = {"vgg19": 39.3, "resnet50": 8.2, "bert": 22.3}  # of one sample; of bert, 128 tokens


def median(times: list[float]) -> float:
    return sorted(times)[len(times) // 2]


def torch_time(function, args, seconds: float) -> float:
    """The median of calls, each between two events."""
    with torch.no_grad():
        for _ in range(3):
            function(*args)
        torch.cuda.synchronize()
        times, end = [], time.monotonic() + seconds
        while len(times) < 5 or (time.monotonic() < end and len(times) < 200):
            start, stop = (torch.cuda.Event(enable_timing=True) for _ in range(2))
            start.record()
            function(*args)
            stop.record()
            torch.cuda.synchronize()
            times.append(start.elapsed_time(stop) / 1e3)
    return median(times)


def numpy_of(tensor: torch.Tensor) -> np.ndarray:
    return tensor.detach().float().cpu().numpy()


def read(path: Path, narrow: bool) -> np.ndarray:
    data = np.load(path)
    return (data.view(np.uint16).astype(np.uint32) << 16).view(np.float32) if narrow else data


class Row:
    def __init__(self, name: str, precision: str, batch: int, options: argparse.Namespace) -> None:
        self.name, self.precision, self.batch, self.options = name, precision, batch, options
        self.model, self.inputs = models.make(name, batch)
        if precision == "bf16":
            self.model = self.model.bfloat16()
            self.inputs = tuple(x.bfloat16() if x.is_floating_point() else x for x in self.inputs)

    def floor(self) -> float:
        size = sum(p.numel() * p.element_size() for p in self.model.parameters())
        return max(size / BYTES_PER_SECOND, self.batch * GFLOP[self.name] * 1e9 / FLOPS[self.precision])

    def tenfold(self, folder: Path) -> tuple[dict, np.ndarray | None]:
        archive, inputs = folder / "model.pt2", []
        torch.export.save(torch.export.export(self.model, self.inputs), archive)
        for i, x in enumerate(self.inputs):
            data = x.view(torch.int16).numpy() if x.dtype == torch.bfloat16 else x.numpy()
            np.save(folder / f"in{i}.npy", data.view("V2") if x.dtype == torch.bfloat16 else data)
            inputs += ["--input", str(folder / f"in{i}.npy")]
        command = [self.options.tenfold, "run", str(archive), *inputs, "--device", "cuda", "--json", "--no-checks"]
        if self.options.profile:
            profile = subprocess.run([*command, "--profile"], capture_output=True, text=True)
            try:
                rows = json.loads(profile.stdout)["profile"]
                for row in (rows if isinstance(rows, list) else rows.get("steps", []))[:9]:
                    print("    ", json.dumps(row)[:170])
            except (ValueError, KeyError) as error:
                print("    profile:", error, profile.stderr[-300:])
        run = subprocess.run(
            [*command, "--repeat", "30", "--output", str(folder / "out")], capture_output=True, text=True
        )
        if run.returncode:
            return {"error": run.stderr[-400:]}, None
        seconds = json.loads(run.stdout)["seconds"]
        result = read(folder / "out" / "0.npy", self.precision == "bf16")
        return {"tenfold": seconds["execute"], "compile": seconds["compile"]}, result

    def torch(self) -> tuple[dict, np.ndarray]:
        reference = self.model.float().cuda()
        inputs = tuple(x.float().cuda() if x.is_floating_point() else x.cuda() for x in self.inputs)
        torch.backends.cuda.matmul.allow_tf32 = torch.backends.cudnn.allow_tf32 = False
        with torch.no_grad():
            expected = numpy_of(reference(*inputs))
        model = reference.bfloat16() if self.precision == "bf16" else reference
        args = tuple(x.cuda() for x in self.inputs)
        times = {"eager": torch_time(model, args, 0.5)}
        for mode in self.options.compile.split(",") if self.options.compile else []:
            torch._dynamo.reset()
            start = time.monotonic()
            compiled = torch.compile(model, mode=None if mode == "default" else mode)
            with torch.no_grad():
                compiled(*args)
            torch.cuda.synchronize()
            times[f"first call, {mode}"] = time.monotonic() - start
            times[mode] = torch_time(compiled, args, 0.5)
        return times, expected

    def run(self) -> dict:
        row = {"model": self.name, "precision": self.precision, "batch": self.batch, "floor": self.floor()}
        with tempfile.TemporaryDirectory() as folder:
            times, result = self.tenfold(Path(folder))
        row |= times
        if not self.options.alone:
            times, expected = self.torch()
            row |= times
            if result is not None:
                row["error"] = float(np.linalg.norm(result - expected) / np.linalg.norm(expected))
        return row


def show(row: dict) -> str:
    cells = [f"{row['model']} {row['precision']} N={row['batch']}"]
    for key in ("floor", "tenfold", "eager", "default", "reduce-overhead", "max-autotune"):
        cells.append(f"{row[key] * 1e3:.3f}" if key in row else "-")
    return " | ".join([*cells, str(row.get("error", "-"))[:400], f"{row.get('compile', 0):.2f}"])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--models", default="vgg19,resnet50,bert")
    parser.add_argument("--precisions", default="f32,bf16")
    parser.add_argument("--batches", default="1,10,100")
    parser.add_argument("--compile", default="default", help="modes of torch.compile; '' for none")
    parser.add_argument("--tenfold", default=os.environ.get("TENFOLD", str(HERE / "bin" / "tenfold")))
    parser.add_argument("--alone", action="store_true", help="without PyTorch's times")
    parser.add_argument("--profile", action="store_true", help="print the longest steps")
    parser.add_argument("--json", help="write the rows there")
    options = parser.parse_args()
    rows = []
    print("ms: row | floor | tenfold | eager | compile | reduce-overhead | max-autotune | error | compile s")
    for name in options.models.split(","):
        for precision in options.precisions.split(","):
            for batch in options.batches.split(","):
                rows.append(Row(name, precision, int(batch), options).run())
                print(show(rows[-1]), flush=True)
                torch.cuda.empty_cache()
    if options.json:
        Path(options.json).write_text(json.dumps(rows, indent=1) + "\n")


if __name__ == "__main__":
    main()
