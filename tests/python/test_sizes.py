"""Sizes that are larger than the memory there is (ulimit -v): an error that says what was too large, through the
command and through Python, from every format; never a signal, and never a wait for a disk to swap to."""

from __future__ import annotations

import json
import os
import resource
import struct
import subprocess
import sys
import textwrap
from pathlib import Path

import numpy as np
import pytest
from test_bad_archives import META, TENFOLD, archive, changed, graph_of

ROOT = Path(__file__).resolve().parents[2]
LIMIT = 640 << 20  # LLVM takes a good part of it
MANY = 1 << 28  # f32 elements: a gigabyte
HUGE = 1 << 40


def limited(*command, more: int = 0) -> subprocess.CompletedProcess:
    def limit():
        resource.setrlimit(resource.RLIMIT_AS, (LIMIT + more, LIMIT + more))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))

    environment = {**os.environ, "TENFOLD_CACHE": "off", "TENFOLD_THREADS": "2"}
    command = [TENFOLD, *map(str, command)]
    return subprocess.run(command, capture_output=True, text=True, timeout=120, preexec_fn=limit, env=environment)


def check(done: subprocess.CompletedProcess, *parts: str):
    assert done.returncode == 1, done
    assert done.stderr.startswith("tenfold: "), done
    for part in parts:
        assert part in done.stderr, done


def text(inputs: str, result: str, *ops: str) -> str:
    return f"func.func @main({inputs}) -> {result} {{\n  " + "\n  ".join(ops) + "\n}\n"


def reduced(count: int) -> list[str]:
    return [
        "%z = stablehlo.constant dense<0.> : tensor<f32>",
        "%r = stablehlo.reduce(%v init: %z) applies stablehlo.add across dimensions = [0]"
        f" : (tensor<{count}xf32>, tensor<f32>) -> tensor<f32>",
        "return %r : tensor<f32>",
    ]


def sorted_iota(count: int) -> list[str]:
    return [
        f"%i = stablehlo.iota dim = 0 : tensor<{count}xf32>",
        '%v = "stablehlo.sort"(%i) <{dimension = 0 : i64, is_stable = true}> ({',
        "^bb0(%a: tensor<f32>, %b: tensor<f32>):",
        "  %c = stablehlo.compare GT, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>",
        "  stablehlo.return %c : tensor<i1>",
        f"}}) : (tensor<{count}xf32>) -> tensor<{count}xf32>",
        *reduced(count),
    ]


def programs(count: int) -> dict[str, str]:
    type = f"tensor<{count}xf32>"
    side = int(count**0.5)
    return {
        "input": text(f"%v: {type}", "tensor<f32>", *reduced(count)),
        "output": text(
            "%x: tensor<f32>",
            type,
            f"%r = stablehlo.broadcast_in_dim %x, dims = [] : (tensor<f32>) -> {type}",
            f"return %r : {type}",
        ),
        "constant": text("", type, f"%r = stablehlo.constant dense<1.> : {type}", f"return %r : {type}"),
        "scratch": text("", "tensor<f32>", *sorted_iota(count)),
        "product": text(
            f"%x: tensor<{side}x1xf32>",
            "tensor<f32>",
            f"%t = stablehlo.transpose %x, dims = [1, 0] : (tensor<{side}x1xf32>) -> tensor<1x{side}xf32>",
            f"%p = stablehlo.dot_general %x, %t, contracting_dims = [1] x [0]"
            f" : (tensor<{side}x1xf32>, tensor<1x{side}xf32>) -> tensor<{side}x{side}xf32>",
            f"%e = stablehlo.exponential %p : tensor<{side}x{side}xf32>",
            f"%q = stablehlo.dot_general %e, %e, contracting_dims = [1] x [0]"
            f" : (tensor<{side}x{side}xf32>, tensor<{side}x{side}xf32>) -> tensor<{side}x{side}xf32>",
            f"%v = stablehlo.reshape %q : (tensor<{side}x{side}xf32>) -> tensor<{side * side}xf32>",
            *reduced(side * side),
        ),
    }


@pytest.mark.parametrize("device", ["cpu", "interp"])
@pytest.mark.parametrize("count", [MANY, HUGE], ids=["many", "huge"])
@pytest.mark.parametrize("name", programs(4))
def test_programs(name, count, device, tmp_path):
    (tmp_path / "p.mlir").write_text(programs(count)[name])
    check(limited("run", tmp_path / "p.mlir", "--random", "--device", device), "out of memory: ", " bytes")


def npy(path: Path, shape: tuple, descr: str = "<f4"):
    """A file with holes: as long as its shape says, and on disk a block."""
    header = f"{{'descr': '{descr}', 'fortran_order': False, 'shape': {shape}, }}"
    header += " " * (117 - len(header)) + "\n"
    with open(path, "wb") as file:
        file.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode())
        file.truncate(10 + len(header) + int(np.prod(shape)) * np.dtype(descr).itemsize)


@pytest.mark.parametrize("descr", ["<f4", ">f4"])
def test_npy(descr, tmp_path):
    (tmp_path / "p.mlir").write_text(programs(MANY)["input"])
    npy(tmp_path / "v.npy", (MANY,), descr)
    check(limited("run", tmp_path / "p.mlir", "-i", tmp_path / "v.npy"), "v.npy", "emory")


def test_standard_input():
    with subprocess.Popen(["head", "-c", str(2 * LIMIT), "/dev/zero"], stdout=subprocess.PIPE) as zeros:

        def limit():
            resource.setrlimit(resource.RLIMIT_AS, (LIMIT, LIMIT))

        done = subprocess.run(
            [TENFOLD, "show", "-"], stdin=zeros.stdout, capture_output=True, text=True, timeout=120, preexec_fn=limit
        )
        zeros.stdout.close()
    check(done, "standard input: more than memory holds")


@pytest.fixture
def model(tmp_path) -> Path:
    path = tmp_path / "m.pt2"
    path.write_bytes((ROOT / "fuzz/corpus/pt2/linear.pt2").read_bytes())
    return path


def test_archive_inputs(tmp_path):
    """y = x + w of a gigabyte, of which w lies in the archive as one element that is repeated."""
    meta = {**META, "sizes": [{"as_int": MANY}]}
    made = changed(lambda p: graph_of(p)["tensor_values"].update(w=meta, x=meta, y=meta))
    repeated = {**meta, "strides": [{"as_int": 0}]}
    (tmp_path / "m.pt2").write_bytes(archive(made, meta=repeated))
    for device in ("cpu", "interp"):
        check(limited("run", tmp_path / "m.pt2", "--random", "--device", device), "emory")


def test_dataset(model, tmp_path):
    for name in ("x", "y"):
        npy(tmp_path / f"{name}.npy", (MANY // 2, 2))
    check(limited("train", model, "--data", tmp_path, "--loss", "mse"), ".npy", "emory")


def test_checkpoint(model, tmp_path):
    np.savez(tmp_path / "d.npz", x=np.ones((4, 2), "f4"), y=np.zeros((4, 2), "f4"))
    saved = tmp_path / "w.safetensors"
    train = ("train", model, "--data", tmp_path / "d.npz", "--loss", "mse")
    assert subprocess.run([TENFOLD, *train, "--save", saved], capture_output=True).returncode == 0
    state = tmp_path / "w.state.safetensors"
    header = json.dumps({"l.weight": {"dtype": "F32", "shape": [MANY], "data_offsets": [0, 4 * MANY]}}).encode()
    with open(state, "wb") as file:
        file.write(struct.pack("<Q", len(header)) + header)
        file.truncate(8 + len(header) + 4 * MANY)
    check(limited(*train, "--resume", saved), "w.state.safetensors", "emory")


def test_compiled_file(tmp_path):
    (tmp_path / "p.mlir").write_text(programs(MANY)["scratch"])
    assert subprocess.run([TENFOLD, "compile", tmp_path / "p.mlir", "-o", tmp_path / "p.ten"]).returncode == 0
    check(limited("run", tmp_path / "p.ten"), "out of memory: ", "for the values of the program")


@pytest.mark.parametrize("device", ["cpu", "interp"])
def test_python(device, tmp_path):
    """The same programs, one after the other in one process, which goes on working."""
    made = programs(MANY)
    del made["input"]  # it would be there already
    for name, source in made.items():
        (tmp_path / f"{name}.mlir").write_text(source)
    (tmp_path / "small.mlir").write_text(programs(16)["input"])
    script = f"""
        import resource, numpy as np, tenfold
        small = tenfold.load("{tmp_path}/small.mlir", device="{device}")
        ones = np.ones(16, "f4")
        assert float(np.asarray(small(ones)[0])) == 16
        used = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
        resource.setrlimit(resource.RLIMIT_AS, (used + (400 << 20),) * 2)
        arguments = {{"output": [np.ones((), "f4")], "product": [np.ones((16384, 1), "f4")]}}
        for name in {list(made)}:
            try:
                tenfold.run(f"{tmp_path}/{{name}}.mlir", *arguments.get(name, []), device="{device}")
            except tenfold.Error as error:
                print(name, str(error).splitlines()[0])
            assert float(np.asarray(small(ones)[0])) == 16
    """
    environment = {**os.environ, "TENFOLD_CACHE": "off", "TENFOLD_THREADS": "2"}
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(script)], capture_output=True, text=True, timeout=300, env=environment
    )
    assert done.returncode == 0, done.stderr
    said = dict(line.split(" ", 1) for line in done.stdout.splitlines())
    assert set(said) == set(made)
    assert all("out of memory: " in text for text in said.values()), said
