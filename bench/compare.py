"""Tenfold and its peers: the same models, weights and inputs, two threads each, interleaved in one run.

    make bench                                  every model, f32, batch 1 and 10
    make bench ARGS="--model bert --batch 1"    some

All run on the same physical cores, one for each thread (cores.py). Each library runs in a process of its own
(peer.py), which waits while another is timed. A round gives every library its turn; the figure is the median over all
rounds. A ratio is the peer's time divided by ours. Results are compared with PyTorch's. Writes out/bench/figures.json
and out/bench/ratios.svg.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import os
import platform
import statistics
import subprocess
import sys
import time
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parent.parent
OUT = ROOT / "out" / "bench"
sys.path.insert(0, str(ROOT / "bench"))
PEERS = ["eager", "inductor", "onnxruntime", "openvino", "jax"]
OURS = ["tenfold", "torch-tenfold", "torch-freeze"]
NEEDS = {"onnxruntime": "onnxruntime", "openvino": "openvino", "jax": "jax"}
READ_ONNX = {"onnxruntime", "openvino"}
# Before each turn, in seconds: threads of OpenMP go on spinning for 0.2 after a call, on the cores of who comes next.
PAUSE = 0.3
TURN = 0.3
# What each result may differ from PyTorch's by, as a share of its largest element.
CLOSE = {"f32": 1e-3, "bf16": 0.1}


def say(text: str) -> None:
    if sys.stderr.isatty():
        print(f"\r\033[K{text}", end="", file=sys.stderr, flush=True)


def prepare_onnx(name: str, batch: int) -> None:
    """In f32: OpenVINO narrows it itself."""
    import models
    import torch

    path = OUT / f"{name}-{batch}-f32.onnx"
    if not path.exists():
        torch.onnx.export(*models.make(name, batch), path, dynamo=True, verbose=False)


def prepare(name: str, batch: int, precision: str, wanted: list[str]) -> None:
    """Writes the model in the other forms that the libraries read, unless that was done before."""
    import models
    import torch

    stem = OUT / f"{name}-{batch}-{precision}"
    model, inputs = models.make(name, batch)
    for i, value in enumerate(inputs):
        np.save(f"{stem}-{i}.npy", value.numpy())
    if precision == "bf16":
        model = model.bfloat16()
        inputs = tuple(x.bfloat16() if x.is_floating_point() else x for x in inputs)
    archive = stem.with_suffix(".pt2")
    if not archive.exists():
        torch.export.save(torch.export.export(model, inputs), archive)
    artifact = stem.with_suffix(".mlirbc")
    if "jax" in wanted and not artifact.exists():
        command = [ROOT / "bin" / "tenfold", "convert", archive, "-o", artifact, "--target-version", "1.11.0"]
        subprocess.run([str(part) for part in command], check=True)


class Peer:
    """A process that runs one model with one library."""

    def __init__(self, library: str, name: str, batch: int, precision: str, threads: int) -> None:
        self.library = library
        job = [library, name, str(batch), precision, str(OUT), str(threads)]
        env = {**os.environ, "OMP_NUM_THREADS": str(threads), "TENFOLD_THREADS": str(threads), "JAX_PLATFORMS": "cpu"}
        self.log = open(OUT / f"{library}-{name}-{batch}-{precision}.log", "w")  # noqa: SIM115
        self.process = subprocess.Popen(
            [sys.executable, str(ROOT / "bench" / "peer.py"), *job],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self.log,
            text=True,
            env=env,
        )
        self.times: list[float] = []
        self.turns: list[float] = []  # the median of each
        self.ready = self.answer()

    def answer(self):
        line = self.process.stdout.readline()
        return json.loads(line) if line.startswith(("{", "[")) else None

    def run(self, count: int, pause: float = PAUSE) -> None:
        time.sleep(pause)
        self.process.stdin.write(f"{count}\n")
        self.process.stdin.flush()
        times = self.answer()
        if times is None:
            raise RuntimeError(f"{self.library} stopped; see {self.log.name}")
        self.times += times
        self.turns.append(statistics.median(times))

    def close(self) -> None:
        self.process.stdin.close()
        self.process.wait()
        self.log.close()

    def why(self) -> list[str]:
        """The last line it wrote before it stopped."""
        return Path(self.log.name).read_text().strip().splitlines()[-1:] or ["it stopped"]


def has(library: str, precision: str) -> bool:
    """ONNX Runtime and JAX have no bf16 matmuls on a CPU."""
    return precision == "f32" or library not in ("onnxruntime", "jax")


def differences(peers: list[Peer]) -> dict[str, float | None]:
    """How far each result is from eager's, as a share of its largest element; None without eager."""
    wanted = next((np.load(peer.ready["result"]) for peer in peers if peer.library == "eager"), None)
    return {
        peer.library: None
        if wanted is None
        else float(np.abs(np.load(peer.ready["result"]) - wanted).max() / np.abs(wanted).max())
        for peer in peers
    }


def row(name: str, batch: int, precision: str, libraries: list[str], rounds: int, threads: int) -> dict:
    say(f"{name} {precision} N={batch}: preparing")
    if any(has(library, precision) for library in READ_ONNX.intersection(libraries)):
        prepare_onnx(name, batch)
    prepare(name, batch, precision, libraries)
    return prepared_row(name, batch, precision, libraries, rounds, threads)


def prepared_row(
    name: str, batch: int, precision: str, libraries: list[str], rounds: int, threads: int, turn: float = TURN,
    pause: float = PAUSE,
) -> dict:  # fmt: skip
    """By turns of so many seconds, on files that are there."""
    peers, failed = [], {}
    for library in libraries:
        if not has(library, precision):
            continue
        say(f"{name} {precision} N={batch}: {library}")
        peer = Peer(library, name, batch, precision, threads)
        if peer.ready:
            peers.append(peer)
        else:
            peer.close()
            failed[library] = peer.why()
    result: dict = {"model": name, "batch": batch, "precision": precision, "failed": failed, "libraries": {}}
    apart = differences(peers)
    for peer in peers:
        result["libraries"][peer.library] = {"first": peer.ready["first"], "difference": apart[peer.library]}
    for each in range(rounds + 1):
        for peer in peers:
            say(f"{name} {precision} N={batch}: round {each} of {rounds}, {peer.library}")
            peer.run(1, pause)
            once = peer.times[-1]
            if each == 0:  # warm
                peer.times.clear()
            peer.turns.pop()
            peer.run(max(1, min(200, int(turn / once))), pause)
    for peer in peers:
        result["libraries"][peer.library]["seconds"] = statistics.median(peer.times)
        result["libraries"][peer.library]["least"] = min(peer.times)
        result["libraries"][peer.library]["turns"] = peer.turns
        peer.close()
    say("")
    return result


def show(results: list[dict], libraries: list[str]) -> None:
    peers = [p for p in libraries if p not in OURS]
    ours = [p for p in libraries if p in OURS]
    print(f"\n{'milliseconds':22}" + "".join(f"{p:>14}" for p in libraries) + f"{'best ratio':>12}  first calls, s")
    for each in results:
        figures = each["libraries"]
        cells = "".join(f"{figures[p]['seconds'] * 1e3:14.3f}" if p in figures else f"{'-':>14}" for p in libraries)
        best = min((figures[p]["seconds"] for p in peers if p in figures), default=None)
        mine = min((figures[p]["seconds"] for p in ours if p in figures), default=None)
        ratio = f"{best / mine:12.2f}" if best and mine else f"{'-':>12}"
        first = " ".join(f"{figures[p]['first']:.1f}" if p in figures else "-" for p in libraries)
        print(f"{each['model'] + ' ' + each['precision'] + ' N=' + str(each['batch']):22}{cells}{ratio}  {first}")
        for library, why in each["failed"].items():
            print(f"{'':22}{library}: {why[-1][:110]}")
        for library, figure in figures.items():
            if figure["difference"] is not None and not figure["difference"] <= CLOSE[each["precision"]]:
                print(f"{'':22}{library} differs from eager by {figure['difference']:.1e} of the largest element")


def picture(results: list[dict], libraries: list[str], path: Path) -> None:
    """Bars of peer's time ÷ ours; the line is 1."""
    peers = [p for p in libraries if p not in OURS]
    colors = ["#4c78a8", "#f58518", "#54a24b", "#b279a2", "#e45756"]
    bars, height, scale = [], 30, 120
    for each in results:
        figures = each["libraries"]
        if "tenfold" not in figures:
            continue
        label = f"{each['model']} {each['precision']} N={each['batch']}"
        bars.append(f'<text x="150" y="{height + 11}" text-anchor="end">{label}</text>')
        for peer, color in zip(peers, colors, strict=False):
            if peer not in figures:
                continue
            ratio = figures[peer]["seconds"] / figures["tenfold"]["seconds"]
            bars.append(f'<rect x="160" y="{height}" width="{min(ratio, 6) * scale:.0f}" height="12" fill="{color}"/>')
            bars.append(f'<text x="{164 + min(ratio, 6) * scale:.0f}" y="{height + 10}">{peer} {ratio:.2f}</text>')
            height += 14
        height += 8
    line = f'<line x1="{160 + scale}" y1="20" x2="{160 + scale}" y2="{height}" stroke="#333" stroke-dasharray="4"/>'
    head = '<text x="160" y="14">time of each peer ÷ time of Tenfold; right of the line Tenfold is faster</text>'
    style = 'font-family="sans-serif" font-size="11"'
    path.write_text(
        f'<svg xmlns="http://www.w3.org/2000/svg" width="1000" height="{height + 10}" {style}>'
        f'<rect width="100%" height="100%" fill="white"/>{head}{"".join(bars)}{line}</svg>\n'
    )


def main() -> None:
    import cores
    import models

    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--model", nargs="+", default=models.MODELS, choices=models.MODELS)
    parser.add_argument("--batch", type=int, nargs="+", default=[1, 10])
    parser.add_argument("--precision", nargs="+", default=["f32"], choices=["f32", "bf16"])
    parser.add_argument("--peer", nargs="+", default=PEERS, choices=PEERS)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--threads", type=int, default=2)
    arguments = parser.parse_args()
    OUT.mkdir(parents=True, exist_ok=True)
    missing = [p for p in arguments.peer if p in NEEDS and not importlib.util.find_spec(NEEDS[p])]
    libraries = [p for p in arguments.peer if p not in missing] + OURS
    on = cores.pick(arguments.threads)
    print(f"{platform.machine()}, {arguments.threads} threads on CPUs {on}, {time.strftime('%Y-%m-%d')}", end="")
    print(f"; not installed: {', '.join(missing)}" if missing else "")
    results = [
        row(name, batch, precision, libraries, arguments.rounds, arguments.threads)
        for name in arguments.model
        for precision in arguments.precision
        for batch in arguments.batch
    ]
    show(results, libraries)
    (OUT / "figures.json").write_text(json.dumps(results, indent=1))
    picture(results, libraries, OUT / "ratios.svg")
    print(f"\nfigures: {(OUT / 'figures.json').relative_to(ROOT)}, {(OUT / 'ratios.svg').relative_to(ROOT)}")
    wrong = [r for r in results for f in r["libraries"].values() if (f["difference"] or 0) > CLOSE[r["precision"]]]
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
