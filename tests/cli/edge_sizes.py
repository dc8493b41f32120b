"""Sizes of the TFLite files of five networks (edge_models.py): Tenfold's, and those of litert-torch with its own int8
quantization, from the same samples. No test, but an exit code of 1 where a file is more than 1.02 times as large.

    make edge-sizes [ARGS="NAME…"]      half a minute a network, in an environment of its own (scripts/setup edge)
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from importlib.metadata import version
from pathlib import Path

import edge_models as models
import litert_torch
import numpy as np
import torch
from litert_torch.quantize.pt2e_quantizer import PT2EQuantizer, get_symmetric_quantization_config
from litert_torch.quantize.quant_config import QuantConfig
from torchao.quantization.pt2e.quantize_pt2e import convert_pt2e, prepare_pt2e

TENFOLD = os.environ.get("TENFOLD", str(Path(__file__).resolve().parents[2] / "bin" / "tenfold"))


def ours(program: torch.export.ExportedProgram, x: torch.Tensor, folder: Path) -> int:
    torch.export.save(program, folder / "net.pt2")
    np.save(folder / "x.npy", x.numpy())
    for command in (
        ["quantize", "net.pt2", "--data", "x.npy", "-o", "net.mlir"],
        ["compile", "net.mlir", "--target", "edgetpu", "-o", "net.tflite"],
    ):
        subprocess.run([TENFOLD, *command], cwd=folder, check=True, stdout=subprocess.DEVNULL)
    return (folder / "net.tflite").stat().st_size


def theirs(program: torch.export.ExportedProgram, x: torch.Tensor, folder: Path) -> int:
    quantizer = PT2EQuantizer().set_global(get_symmetric_quantization_config(is_per_channel=True, is_dynamic=False))
    prepared = prepare_pt2e(program.module(), quantizer)
    for sample in x.split(1):
        prepared(sample)
    quantized = convert_pt2e(prepared, fold_quantize=False)
    file = folder / "litert.tflite"
    litert_torch.convert(quantized, (x[:1],), quant_config=QuantConfig(pt2e_quantizer=quantizer)).export(str(file))
    return file.stat().st_size


def main() -> int:
    torch.set_num_threads(1)
    names, worst = sys.argv[1:] or [name for name in models.MODELS if name != "ops"], 0.0
    rows = [f"| | Tenfold | litert-torch {version('litert-torch')} | |", "| --- | --: | --: | --: |"]
    for name in names:
        build, shape = models.MODELS[name]
        torch.manual_seed(7)
        x = torch.randn(24, *shape)
        program = torch.export.export(models.settle(build(), x).eval(), (x[:1],))
        with tempfile.TemporaryDirectory() as folder:
            mine, other = ours(program, x, Path(folder)), theirs(program, x, Path(folder))
        worst = max(worst, mine / other)
        rows.append(f"| {name} | {mine} | {other} | {mine / other:.2f} |")
    print("\n".join(rows))  # at the end: litert-torch prints while it works
    return int(worst > 1.02)


if __name__ == "__main__":
    sys.exit(main())
