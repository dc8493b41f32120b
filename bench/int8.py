"""ResNet-50 and BERT-base in int8: Tenfold, ONNX Runtime and OpenVINO, interleaved in one run, with Tenfold's own f32.

    make bench-int8                                           both, batch 1 and 10, one thread and two
    make bench-int8 ARGS="--model bert --batch 1 --threads 1" some

Weights are random and seeded; every library calibrates on the same samples, of which the first is what is timed.
Tenfold runs what `tenfold quantize --target cpu` makes; ONNX Runtime what its quantize_static makes of the ONNX
file (QDQ, one scale for each output channel); OpenVINO what nncf.quantize makes of the same file. Matmuls and
convolutions by weights are int8 in all three. A ratio is the fastest peer's time divided by ours: of medians over all
calls, the median over the rounds ("paired"), and of the least times ("best"). Each library has
a process of its own and they take turns, as in compare.py. Differences are from PyTorch's f32 result, as a share of
its norm: with random weights they say only that all three quantize about equally.
Writes out/bench/int8.json.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys

import compare
import cores
import numpy as np

OURS, PEERS = ["tenfold-int8", "tenfold"], ["onnxruntime-int8", "openvino-int8"]
SAMPLES = 4  # batches that are calibrated on


def samples(name: str, batch: int) -> list[np.ndarray]:
    import models
    import torch

    first = models.make(name, batch)[1][0]
    torch.manual_seed(1)
    more = [
        torch.randint(models.VOCABULARY, first.shape) if name == "bert" else torch.randn(first.shape)
        for _ in range(SAMPLES - 1)
    ]
    return [x.numpy() for x in (first, *more)]


def prepare_onnxruntime(source: str, target: str, data: list[np.ndarray]) -> None:
    import onnx
    from onnxruntime.quantization import CalibrationDataReader, QuantFormat, QuantType, quantize_static
    from onnxruntime.quantization.shape_inference import quant_pre_process

    class Reader(CalibrationDataReader):
        def __init__(self, name: str) -> None:
            self.rows = iter([{name: x} for x in data])

        def get_next(self) -> dict[str, np.ndarray] | None:
            return next(self.rows, None)

    model = onnx.load(source)
    name = model.graph.input[0].name
    onnx.save(model, target)  # in one file: what quantizes looks for the weights next to its own copy
    quant_pre_process(target, target, skip_symbolic_shape=True)
    quantize_static(
        target, target, Reader(name), quant_format=QuantFormat.QDQ, per_channel=True, activation_type=QuantType.QUInt8,
        weight_type=QuantType.QInt8,
    )  # fmt: skip


def prepare_openvino(source: str, target: str, data: list[np.ndarray], transformer: bool) -> None:
    import nncf
    import openvino as ov

    kind = nncf.ModelType.TRANSFORMER if transformer else None
    quantized = nncf.quantize(ov.Core().read_model(source), nncf.Dataset([[x] for x in data]), model_type=kind)
    ov.save_model(quantized, target, compress_to_fp16=False)


def prepare(name: str, batch: int) -> None:
    """The files that the libraries read, unless they are there."""
    compare.OUT.mkdir(parents=True, exist_ok=True)
    stem = compare.OUT / f"{name}-{batch}-f32"
    compare.prepare_onnx(name, batch)
    compare.prepare(name, batch, "f32", ["tenfold"])
    onnx, data = f"{stem}.onnx", samples(name, batch)
    if not os.path.exists(f"{stem}.int8.mlirbc"):
        np.save(f"{stem}-calibration.npy", np.concatenate(data))
        command = [str(compare.ROOT / "bin" / "tenfold"), "quantize", f"{stem}.pt2", "--data"]
        command += [f"{stem}-calibration.npy", "--target", "cpu", "-o", f"{stem}.int8.mlirbc"]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    if not os.path.exists(f"{stem}.qdq.onnx"):
        prepare_onnxruntime(onnx, f"{stem}.qdq.onnx", data)
    if not os.path.exists(f"{stem}.nncf.xml"):
        prepare_openvino(onnx, f"{stem}.nncf.xml", data, name == "bert")


def error(name: str, batch: int, library: str) -> float:
    import models
    import torch

    model, inputs = models.make(name, batch)
    with torch.no_grad():
        wanted = model(*inputs).numpy()
    got = np.load(compare.OUT / f"{name}-{batch}-f32-{library}.npy")
    return float(np.linalg.norm(got - wanted) / np.linalg.norm(wanted))


def ratios(libraries: dict[str, dict]) -> tuple[float, float, float]:
    """The fastest peer's time divided by ours: of medians, of each round's, of the least times."""
    peers = [libraries[p] for p in PEERS if p in libraries]
    ours = libraries.get("tenfold-int8")
    if not peers or not ours:
        return (float("nan"),) * 3
    rounds = zip(ours["turns"], *(p["turns"] for p in peers), strict=True)
    paired = statistics.median(min(others) / mine for mine, *others in rounds)
    return (
        min(p["seconds"] for p in peers) / ours["seconds"], paired, min(p["least"] for p in peers) / ours["least"]
    )  # fmt: skip


def show(rows: list[dict]) -> None:
    heads = "".join(f"{p:>18}" for p in OURS + PEERS)
    print(f"\n{'milliseconds':26}{heads}{'ratio':>8}{'paired':>8}{'best':>8}{'f32 / int8':>12}")
    for row in rows:
        libraries = row["libraries"]
        times = {library: figure["seconds"] for library, figure in libraries.items()}
        cells = "".join(f"{times[p] * 1e3:18.2f}" if p in times else f"{'-':>18}" for p in OURS + PEERS)
        most, paired, best = ratios(libraries)
        gain = times.get("tenfold", float("nan")) / times.get("tenfold-int8", float("nan"))
        label = f"{row['model']} N={row['batch']}, {row['threads']} thread{'s' if row['threads'] > 1 else ''}"
        print(f"{label:26}{cells}{most:8.2f}{paired:8.2f}{best:8.2f}{gain:12.2f}")
        least = {library: figure["least"] for library, figure in libraries.items()}
        cells = "".join(f"{least[p] * 1e3:18.2f}" if p in least else f"{'-':>18}" for p in OURS + PEERS)
        print(f"{'  least':26}{cells}")
        print(f"{'  from f32':26}" + "".join(f"{row['errors'].get(p, float('nan')):18.3f}" for p in OURS + PEERS))
        for library, why in row["failed"].items():
            print(f"{'':4}{library}: {why[-1][:110]}")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--model", nargs="+", default=["resnet50", "bert"], choices=["resnet50", "bert"])
    parser.add_argument("--batch", nargs="+", type=int, default=[1, 10])
    parser.add_argument("--threads", nargs="+", type=int, default=[1, 2])
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--turn", type=float, default=compare.TURN, help="seconds of a turn")
    parser.add_argument("--pause", type=float, default=compare.PAUSE, help="and before it")
    parser.add_argument("--no-f32", action="store_true", help="leave Tenfold's own f32 out")
    parser.add_argument("--prepare", action="store_true", help="only make the files")
    options = parser.parse_args()
    for name in options.model:
        for batch in options.batch:
            prepare(name, batch)
    if options.prepare:
        return 0
    libraries = [library for library in OURS + PEERS if library != "tenfold" or not options.no_f32]
    rows = []
    allowed = os.sched_getaffinity(0)
    for threads in options.threads:
        os.sched_setaffinity(0, allowed)
        cores.pick(threads)
        for name in options.model:
            for batch in options.batch:
                turns = (options.rounds, threads, options.turn, options.pause)
                row = compare.prepared_row(name, batch, "f32", libraries, *turns)
                row["threads"] = threads
                row["errors"] = {library: error(name, batch, library) for library in row["libraries"]}
                rows.append(row)
                compare.say("")
                show([row])
    (compare.OUT / "int8.json").write_text(json.dumps(rows, indent=1))
    if len(rows) > 1:
        show(rows)
    return 0


if __name__ == "__main__":
    sys.exit(main())
