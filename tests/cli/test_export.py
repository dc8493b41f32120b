"""`tenfold compile -o model.so --header model.h`: a C program that includes the header gets what `tenfold run` gives,
with neither Tenfold nor LLVM in its process."""

import json
import os
import re
import subprocess
import sys
import threading
from ctypes import CDLL, c_void_p
from pathlib import Path

import numpy as np
import pytest
from conftest import ROOT, tenfold

FILTER = np.random.default_rng(0).normal(size=(3, 3, 8, 16)).astype("<f4")
WEIGHTS = f'dense<"0x{FILTER.tobytes().hex()}">'
PROGRAMS = {
    # constants that are packed, and a convolution with an epilogue
    "conv": f"""
func.func @main(%x: tensor<2x12x12x8xf32>) -> tensor<2x12x12x16xf32> {{
  %w = stablehlo.constant {WEIGHTS} : tensor<3x3x8x16xf32>
  %0 = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f],
    window = {{pad = [[1, 1], [1, 1]]}} {{batch_group_count = 1 : i64, feature_group_count = 1 : i64}}
    : (tensor<2x12x12x8xf32>, tensor<3x3x8x16xf32>) -> tensor<2x12x12x16xf32>
  %1 = stablehlo.tanh %0 : tensor<2x12x12x16xf32>
  return %1 : tensor<2x12x12x16xf32>
}}""",
    # a loop, a sort, a transform, functions of the runtime and of the math library
    "many": """
func.func @main(%x: tensor<24xf32>, %n: tensor<i32>, %z: tensor<8xcomplex<f32>>) ->
    (tensor<24xf32>, tensor<i32>, tensor<8xcomplex<f32>>, tensor<24xf64>, tensor<24xbf16>) {
  %0 = "stablehlo.sort"(%x) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %c = stablehlo.compare LT, %a, %b, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  }) {dimension = 0 : i64, is_stable = true} : (tensor<24xf32>) -> tensor<24xf32>
  %1 = stablehlo.while(%i = %n) : tensor<i32> cond {
    %limit = stablehlo.constant dense<100> : tensor<i32>
    %c = stablehlo.compare LT, %i, %limit : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  } do {
    %seven = stablehlo.constant dense<7> : tensor<i32>
    %next = stablehlo.add %i, %seven : tensor<i32>
    stablehlo.return %next : tensor<i32>
  }
  %2 = stablehlo.fft %z, type = FFT, length = [8] : (tensor<8xcomplex<f32>>) -> tensor<8xcomplex<f32>>
  %3 = stablehlo.exponential %2 : tensor<8xcomplex<f32>>
  %4 = stablehlo.convert %x : (tensor<24xf32>) -> tensor<24xf64>
  %5 = chlo.digamma %4 : tensor<24xf64> -> tensor<24xf64>
  %6 = stablehlo.cosine %5 : tensor<24xf64>
  %7 = stablehlo.convert %0 : (tensor<24xf32>) -> tensor<24xbf16>
  return %0, %1, %3, %6, %7 : tensor<24xf32>, tensor<i32>, tensor<8xcomplex<f32>>, tensor<24xf64>, tensor<24xbf16>
}""",
    "mlp": (ROOT / "examples" / "mlp.mlir").read_text(),
}

INPUTS = {
    "conv": [("f4", 2, 12, 12, 8)],
    "many": [("f4", 24), ("i4",), ("c8", 8)],
    "mlp": [("f4", 4, 8), ("f4", 8, 16), ("f4", 16), ("f4", 16, 3), ("f4", 3)],
}
RANDOM = """
func.func @main(%x: tensor<f32>) -> tensor<f32> {
  %s = stablehlo.constant dense<> : tensor<0xi64>
  %0 = stablehlo.rng %x, %x, %s, distribution = UNIFORM : (tensor<f32>, tensor<f32>, tensor<0xi64>) -> tensor<f32>
  return %0 : tensor<f32>
}
"""
SIZES = {"f32": 4, "f64": 8, "i32": 4, "bf16": 2, "complex<f32>": 8}

# Reads its inputs from one file, writes its outputs to another.
CALLER = """
#include <stdio.h>
#include "%(name)s.h"
%(buffers)s
int main(void) {
  FILE *in = fopen("in.bin", "rb"), *out = fopen("out.bin", "wb");
  size_t parts = 0;
%(reads)s
  if (parts != %(count)d || %(name)s_open(%(threads)d)) return 2;
  for (int i = 0; i < 3; i++) {
    const int code = %(name)s(%(arguments)s);
    if (code) return fprintf(stderr, "%%s\\n", %(name)s_message(code)), 1;
    if (i == 1) %(name)s_close();
  }
%(writes)s
  return fclose(out);
}
"""


THREADED = """
func.func @main(%image: tensor<256x96xf32>) -> (tensor<256x96xf32>, tensor<256x256xf32> {tenfold.name = "scores"}) {
  %0 = "stablehlo.sort"(%image) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %less = stablehlo.compare LT, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %less : tensor<i1>
  }) {dimension = 1 : i64, is_stable = true} : (tensor<256x96xf32>) -> tensor<256x96xf32>
  %1 = stablehlo.transpose %image, dims = [1, 0] : (tensor<256x96xf32>) -> tensor<96x256xf32>
  %2 = stablehlo.dot_general %image, %1, contracting_dims = [1] x [0]
    : (tensor<256x96xf32>, tensor<96x256xf32>) -> tensor<256x256xf32>
  return %0, %2 : tensor<256x96xf32>, tensor<256x256xf32>
}
"""


def tensors(header: str, kind: str) -> list[int]:
    """The bytes of each tensor that the header's comment names."""
    found = re.findall(rf"^ \*   {kind}\d+: (\S+) \[([^]]*)\]", header, re.M)
    return [SIZES[dtype] * int(np.prod([int(d) for d in dims.split(",") if d])) for dtype, dims in found]


def build_caller(folder: Path, name: str, threads: int = 0) -> list[str]:
    header = (folder / f"{name}.h").read_text()
    sizes = {kind: tensors(header, kind) for kind in ("in", "out")}
    each = [(kind, i, size) for kind in sizes for i, size in enumerate(sizes[kind])]
    text = CALLER % {
        "name": name,
        "threads": threads,
        "count": len(sizes["in"]),
        "buffers": "\n".join(f"static _Alignas(64) char {kind}{i}[{size}];" for kind, i, size in each),
        "reads": "\n".join(f"  parts += fread(in{i}, {size}, 1, in);" for i, size in enumerate(sizes["in"])),
        "arguments": ", ".join(f"(void *){kind}{i}" for kind, i, _ in each),
        "writes": "\n".join(f"  fwrite(out{i}, {size}, 1, out);" for i, size in enumerate(sizes["out"])),
    }
    (folder / "caller.c").write_text(text)
    program = ["cc", "-Wall", "-Werror", "-o", "caller", "caller.c", f"./{name}.so"]
    subprocess.run(program, cwd=folder, check=True)
    return ["./caller"]


def export(folder: Path, name: str, *more, **options):
    (folder / f"{name}.mlir").write_text(PROGRAMS[name])
    return tenfold(
        "compile",
        folder / f"{name}.mlir",
        "-o",
        folder / f"{name}.so",
        "--header",
        folder / f"{name}.h",
        *more,
        **options,
    )


def write_inputs(folder: Path, name: str) -> list[str]:
    """Random inputs, as files of NumPy and, one after the other, as the caller reads them."""
    numbers = np.random.default_rng(1)
    arguments, raw = [], b""
    for i, (dtype, *shape) in enumerate(INPUTS[name]):
        value = np.asarray(numbers.normal(size=shape) + 1j * numbers.normal(size=shape))
        value = value.astype(dtype) if dtype == "c8" else value.real.astype(dtype)
        np.save(folder / f"{i}.npy", value)
        arguments += ["--input", str(folder / f"{i}.npy")]
        raw += value.tobytes()
    (folder / "in.bin").write_bytes(raw)
    return arguments


def wanted(folder: Path, name: str, arguments: list[str], **options) -> bytes:
    assert tenfold("run", folder / f"{name}.mlir", *arguments, "--output", folder / "out", **options).code == 0
    files = sorted((folder / "out").glob("*.npy"), key=lambda path: int(path.stem))
    return b"".join(np.load(path).tobytes() for path in files)


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_c_program_gets_what_run_gives(name, tmp_path):
    assert (export(tmp_path, name).code, (tmp_path / f"{name}.so").exists()) == (0, True)
    arguments = write_inputs(tmp_path, name)
    # The object's code is for every CPU of its kind; so is what it is compared with.
    isa = {"env": os.environ | {"TENFOLD_CPU": "generic"}} if os.uname().machine == "aarch64" else {}
    want = wanted(tmp_path, name, arguments, **isa)
    for threads in (1, 2):
        subprocess.run(build_caller(tmp_path, name, threads), cwd=tmp_path, check=True)
        assert (tmp_path / "out.bin").read_bytes() == want
    assert sorted(p.name for p in tmp_path.glob("*.so*")) == [f"{name}.so"]


def test_files_hold_nothing_of_the_process(tmp_path):
    """What lies between packed weights is zeros, not what the memory held before."""
    columns = ", ".join("[1., 2., 3., 4.]" for _ in range(3))
    program = tmp_path / "model.mlir"
    program.write_text(f"""func.func @main(%x: tensor<2x3xf32>) -> tensor<2x4xf32> {{
  %w = stablehlo.constant dense<[{columns}]> : tensor<3x4xf32>
  %y = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0]
      : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>
  return %y : tensor<2x4xf32>
}}""")
    made = set()
    for perturb in ("0", "90", "165"):
        env = {"MALLOC_PERTURB_": perturb, "TENFOLD_CACHE": "off"}
        done = tenfold("compile", program, "-o", tmp_path / "model.ten", env=env)
        assert done.code == 0, done.err
        made.add((tmp_path / "model.ten").read_bytes())
    assert len(made) == 1


def test_it_needs_neither_tenfold_nor_llvm(tmp_path):
    assert export(tmp_path, "many").code == 0
    needs = subprocess.run(["ldd", tmp_path / "many.so"], check=True, capture_output=True, text=True).stdout
    names = {line.split()[0].split("/")[-1].split(".so")[0] for line in needs.splitlines()}
    assert names <= {"linux-vdso", "libm", "libc", "libpthread", "libgcc_s", "ld-linux-aarch64", "ld-linux-x86-64"}
    shown = subprocess.run(
        ["nm", "-D", "--defined-only", tmp_path / "many.so"], check=True, capture_output=True, text=True
    ).stdout
    assert {line.split()[-1] for line in shown.splitlines()} == {"many", "many_open", "many_close", "many_message"}


def test_calls_from_several_threads(tmp_path):
    assert export(tmp_path, "conv", "--name", "net").code == 0
    library = CDLL(str(tmp_path / "conv.so"))
    x = [np.random.default_rng(i).normal(size=(2, 12, 12, 8)).astype(np.float32) for i in range(4)]
    y = [np.zeros((2, 12, 12, 16), np.float32) for _ in x]
    call = lambda i: library.net(c_void_p(x[i].ctypes.data), c_void_p(y[i].ctypes.data))  # noqa: E731
    assert [call(i) for i in range(4)] == [0] * 4
    first = [value.copy() for value in y]
    codes = []
    threads = [threading.Thread(target=lambda i=i: codes.extend(call(i) for _ in range(20))) for i in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert codes == [0] * 80
    assert all((a == b).all() for a, b in zip(first, y, strict=True))
    library.net_close()


def test_the_header_is_c_and_cpp(tmp_path):
    assert export(tmp_path, "many").code == 0
    for command in (["cc", "-std=c11", "-x", "c"], ["g++", "-x", "c++"]):
        if subprocess.run(["which", command[0]], capture_output=True).returncode:
            continue
        done = subprocess.run(
            [*command, "-Wall", "-Wextra", "-Werror", "-fsyntax-only", tmp_path / "many.h"],
            capture_output=True,
            text=True,
        )
        assert (done.returncode, done.stderr) == (0, "")


def test_a_linker_alone_will_do(tmp_path):
    (tmp_path / "bin").mkdir()
    linker = subprocess.run(["which", "ld"], capture_output=True, text=True).stdout.strip()
    if not linker:
        pytest.skip("there is no ld here")
    os.symlink(linker, tmp_path / "bin" / "ld")
    assert export(tmp_path, "many", env={"PATH": str(tmp_path / "bin")}).code == 0
    want = wanted(tmp_path, "many", write_inputs(tmp_path, "many"), env=os.environ | {"TENFOLD_CPU": "generic"})
    subprocess.run(build_caller(tmp_path, "many"), cwd=tmp_path, check=True)
    if os.uname().machine == "aarch64":
        assert (tmp_path / "out.bin").read_bytes() == want


def test_what_cannot_be_done_is_said(tmp_path):
    none = export(tmp_path, "mlp", env={"PATH": str(tmp_path)})
    assert none.code != 0 and "making a shared object needs a linker, and none of" in none.err
    lost = export(tmp_path, "mlp", env=os.environ | {"TENFOLD_LIBDIR": str(tmp_path)})
    assert lost.code != 0 and "which has no libtenfold_model.a" in lost.err
    broken = export(tmp_path, "mlp", env=os.environ | {"CC": "/bin/false"})
    assert broken.code != 0 and "/bin/false could not link the shared object" in broken.err
    assert not list(tmp_path.glob("*.so*"))
    wrong = tenfold("compile", ROOT / "examples" / "mlp.mlir", "-o", tmp_path / "x.ten", "--header", tmp_path / "x.h")
    assert (wrong.code, "--header and --name go with -o OUT.so" in wrong.err) == (2, True)
    (tmp_path / "host.mlir").write_text(RANDOM)
    host = tenfold("compile", tmp_path / "host.mlir", "-o", tmp_path / "host.so")
    assert host.code != 0 and "needs the process that runs it" in host.err


def test_tuned_programs_say_what_was_chosen(tmp_path):
    """And give the same, but for last bits where a choice says so."""
    arguments = write_inputs(tmp_path, "conv")
    (tmp_path / "conv.mlir").write_text(PROGRAMS["conv"])
    done = tenfold("compile", tmp_path / "conv.mlir", "-o", tmp_path / "conv.ten", "--tune", "--json")
    report = json.loads(done.out)
    (kernel,) = report["tuning"]["kernels"]
    assert (kernel["kernel"], kernel["uses"]) == ("convolution 2×12×12×8 to 16, 3×3", 1)  # noqa: RUF001
    assert 0 < kernel["seconds"] <= kernel["default_seconds"]
    want = np.frombuffer(wanted(tmp_path, "conv", arguments), np.float32)
    assert tenfold("run", tmp_path / "conv.ten", *arguments, "--output", tmp_path / "tuned").code == 0
    got = np.load(tmp_path / "tuned" / "0.npy").ravel()
    # Which algorithm wins is a matter of the machine. One with other bits may be Winograd's F(4,3), whose transforms
    # round in proportion to all that a tile adds up, however small the sum.
    padded = np.pad(np.abs(np.load(tmp_path / "0.npy")), ((0, 0), (1, 1), (1, 1), (0, 0)))
    windows = np.lib.stride_tricks.sliding_window_view(padded, (3, 3), axis=(1, 2))
    added_up = np.einsum("nhwcij,ijco->nhwo", windows, np.abs(FILTER)).max()
    rounding = 16 * np.finfo(np.float32).eps * added_up
    np.testing.assert_allclose(got, want, atol=rounding if kernel["other_bits"] else 0, rtol=0)
    text = tenfold("compile", tmp_path / "conv.mlir", "-o", tmp_path / "conv.so", "--tune").out
    assert "convolution 2×12×12×8 to 16, 3×3: " in text and "1 kernels measured in" in text  # noqa: RUF001


def test_a_target_is_named(tmp_path):
    for target in ("cpu", "cpu:native", "cpu:generic"):
        out = tmp_path / "x.ten"
        assert tenfold("compile", ROOT / "examples" / "mlp.mlir", "-o", out, "--target", target).code == 0
        assert tenfold("run", out, "--random").code == 0
    wrong = tenfold("compile", ROOT / "examples" / "mlp.mlir", "-o", out, "--target", "cpu:z80")
    assert wrong.code == 1 and "this CPU cannot run kernels 'z80'" in wrong.err


PRODUCT = """
func.func @main(%a: tensor<24x40xf32>, %b: tensor<40x16xf32>) -> tensor<24x16xf32> {
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0]
    : (tensor<24x40xf32>, tensor<40x16xf32>) -> tensor<24x16xf32>
  return %0 : tensor<24x16xf32>
}
"""
# Opens and calls each file in a process of its own: prints how it ended.
OPEN_ALL = """
import os, sys
from ctypes import CDLL, create_string_buffer
for path in sys.stdin.read().split():
    child = os.fork()
    if not child:
        library = CDLL(path)
        buffers = [create_string_buffer(size + 64) for size in (24 * 40 * 4, 40 * 16 * 4, 24 * 16 * 4)]
        code = library.product_open(1) or library.product(*buffers)
        os._exit(code)
    print(path, os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"""


def test_a_damaged_plan_is_refused(tmp_path):
    """Every number of the plan inside the object in turn: an error, or a call that stays within its buffers."""
    (tmp_path / "product.mlir").write_text(PRODUCT)
    assert tenfold("compile", tmp_path / "product.mlir", "-o", tmp_path / "product.so").code == 0
    whole = (tmp_path / "product.so").read_bytes()
    start = whole.index(b"TENFOLD object:\0")
    size = int.from_bytes(whole[start + 24 : start + 32], "little")
    paths = []
    for at in range(start + 128, start + min(size, 128 + 4096) - 7, 8):
        for value in (1 << 30, (1 << 63) + 5):
            damaged = tmp_path / f"{at}-{value}.so"
            damaged.write_bytes(whole[:at] + value.to_bytes(8, "little") + whole[at + 8 :])
            paths.append(str(damaged))
    done = subprocess.run([sys.executable, "-c", OPEN_ALL], input="\n".join(paths), capture_output=True, text=True)
    codes = dict(line.split() for line in done.stdout.splitlines())
    assert len(codes) == len(paths), done.stderr
    assert set(codes.values()) <= {"0", "1", "2", "3"}, {k: v for k, v in codes.items() if v not in "0123"}
    assert list(codes.values()).count("3") > len(paths) // 2


def test_threads_of_the_machine_that_runs_it(tmp_path):
    """What is compiled with one thread runs on four, each with scratch of its own, and gives the same."""
    program = tmp_path / "net.mlir"
    program.write_text(THREADED)
    x = np.random.default_rng(0).standard_normal((256, 96)).astype(np.float32)
    np.save(tmp_path / "x.npy", x)
    one = {**os.environ, "TENFOLD_THREADS": "1", "TENFOLD_GRAIN": "1"}
    for output in (("net.so", "--name", "net"), ("net.ten",)):
        made = tenfold("compile", program, "-o", tmp_path / output[0], *output[1:], env=one)
        assert made.code == 0, made.err
    want = np.sort(x, -1)
    library = CDLL(str(tmp_path / "net.so"))
    outs = np.zeros((256, 96), np.float32), np.zeros((256, 256), np.float32)
    before = len(os.listdir("/proc/self/task"))
    assert library.net_open(4) == 0
    assert len(os.listdir("/proc/self/task")) >= before + 3
    assert library.net(*(c_void_p(a.ctypes.data) for a in (x, *outs))) == 0
    assert np.array_equal(outs[0], want)
    np.testing.assert_allclose(outs[1], x @ x.T, rtol=1e-3, atol=1e-3)
    library.net_close()
    four = {**os.environ, "TENFOLD_THREADS": "4"}
    ran = tenfold("run", tmp_path / "net.ten", "-i", tmp_path / "x.npy", "-o", tmp_path / "out", env=four)
    assert ran.code == 0, ran.err
    assert np.array_equal(np.load(tmp_path / "out" / "0.npy"), want)
    assert np.array_equal(np.load(tmp_path / "out" / "1.npy"), outs[1])


def test_names(tmp_path):
    """The header and a compiled file say what inputs and results are called."""
    program = tmp_path / "net.mlir"
    program.write_text(THREADED)
    made = tenfold("compile", program, "-o", tmp_path / "net.so", "--name", "net", "--header", tmp_path / "net.h")
    assert made.code == 0, made.err
    header = (tmp_path / "net.h").read_text()
    assert "in0: f32 [256, 96] (image)" in header
    assert "out1: f32 [256, 256] (scores)" in header
    assert tenfold("compile", program, "-o", tmp_path / "net.ten").code == 0
    shown = tenfold("show", tmp_path / "net.ten")
    assert shown.out.splitlines()[1:] == ["input image 256x96", "output 0 256x96", "output scores 256x256"]
    np.save(tmp_path / "x.npy", np.zeros((256, 96), np.float32))
    assert tenfold("run", tmp_path / "net.ten", "-i", f"image={tmp_path / 'x.npy'}").code == 0
    assert "'--stage' shows programs that are not" in tenfold("show", tmp_path / "net.ten", "--stage", "plan").err
