"""Generated CUDA kernels through NVRTC, which needs no GPU: they compile for several GPUs and spill no registers."""

import ctypes
import importlib.util
import re
from pathlib import Path

import pytest
from conftest import tenfold

ARCHS = ("sm_80", "sm_90a", "sm_100")
BIG = "tensor<512x512xbf16>"


def library():
    """NVRTC of PyPI's nvidia-cuda-nvrtc, or None."""
    found = importlib.util.find_spec("nvidia")
    roots = [Path(p) for p in (found.submodule_search_locations or [])] if found else []
    files = sorted(f for root in roots for f in root.glob("cu*/lib/libnvrtc.so.*"))
    return ctypes.CDLL(str(files[-1])) if files else None


NVRTC = library()
pytestmark = pytest.mark.skipif(NVRTC is None, reason="NVRTC is not here: pip install nvidia-cuda-nvrtc")


def build(source: str, arch: str) -> str:
    """NVRTC's report on registers and spills; fails with its log."""
    program, size = ctypes.c_void_p(), ctypes.c_size_t()
    assert NVRTC.nvrtcCreateProgram(ctypes.byref(program), source.encode(), b"program.cu", 0, None, None) == 0
    options = (ctypes.c_char_p * 4)(f"--gpu-architecture={arch}".encode(), b"--fmad=false", b"--std=c++17",
                                    b"--ptxas-options=-v")  # fmt: skip
    error = NVRTC.nvrtcCompileProgram(program, 4, options)
    NVRTC.nvrtcGetProgramLogSize(program, ctypes.byref(size))
    log = ctypes.create_string_buffer(size.value + 1)
    NVRTC.nvrtcGetProgramLog(program, log)
    NVRTC.nvrtcDestroyProgram(ctypes.byref(program))
    assert error == 0, log.value.decode()[:2000]
    return log.value.decode()


def test_threads_copy_where_the_user_wants_it(tmp_path, monkeypatch):
    monkeypatch.setenv("TENFOLD_TMA", "off")
    assert "bulk_copy(" not in kernels(tmp_path, "sm_90a", product(2048, 2048, 1024)).partition("\nKERNEL")[2]


def kernels(tmp_path, arch, text, *options):
    path = tmp_path / "program.mlir"
    path.write_text(text)
    done = tenfold("show", path, "--stage", "cuda", "--target", f"cuda:{arch}", *options)
    assert done.code == 0, done.err
    return done.out


def product(m, n, k, dtype="bf16", left="[1]", right="[1]"):
    x = f"tensor<{m}x{k}x{dtype}>" if left == "[1]" else f"tensor<{k}x{m}x{dtype}>"
    y = f"tensor<{n}x{k}x{dtype}>" if right == "[1]" else f"tensor<{k}x{n}x{dtype}>"
    z = f"tensor<{m}x{n}x{dtype}>"
    return f"""func.func @main(%x: {x}, %y: {y}, %b: tensor<{n}x{dtype}>) -> {z} {{
      %0 = stablehlo.dot_general %x, %y, contracting_dims = {left} x {right} : ({x}, {y}) -> {z}
      %1 = stablehlo.broadcast_in_dim %b, dims = [1] : (tensor<{n}x{dtype}>) -> {z}
      %2 = stablehlo.add %0, %1 : {z}
      %3 = stablehlo.tanh %2 : {z}
      return %3 : {z}
    }}"""


def convolution(n, size, inputs, outputs, dtype="bf16", stride=1):
    """Of what a kernel before has written: it lies channels last."""
    x, w = f"tensor<{n}x{inputs}x{size}x{size}x{dtype}>", f"tensor<{outputs}x{inputs}x3x3x{dtype}>"
    z = f"tensor<{n}x{outputs}x{size // stride}x{size // stride}x{dtype}>"
    window = f"window = {{stride = [{stride}, {stride}], pad = [[1, 1], [1, 1]]}}"
    counts = "{batch_group_count = 1 : i64, feature_group_count = 1 : i64}"
    numbers = "dim_numbers = [b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1]"
    return f"""func.func @main(%x: {x}, %w: {w}) -> {z} {{
      %zero = stablehlo.constant dense<0.0> : {z}
      %0 = stablehlo.tanh %x : {x}
      %1 = stablehlo.convolution(%0, %w) {numbers}, {window} {counts} : ({x}, {w}) -> {z}
      %2 = stablehlo.maximum %1, %zero : {z}
      return %2 : {z}
    }}"""


def weight_gradient(n, size, inputs, outputs):
    """Of a convolution with a stride of two."""
    x, y = f"tensor<{n}x{inputs}x{size}x{size}xbf16>", f"tensor<{n}x{outputs}x{size // 2}x{size // 2}xbf16>"
    z = f"tensor<{outputs}x{inputs}x3x3xbf16>"
    window = "window = {pad = [[1, 0], [1, 0]], rhs_dilate = [2, 2]}"
    counts = "{batch_group_count = 1 : i64, feature_group_count = 1 : i64}"
    return f"""func.func @main(%x: {x}, %y: {y}) -> {z} {{
      %0 = stablehlo.tanh %x : {x}
      %1 = stablehlo.tanh %y : {y}
      %2 = stablehlo.convolution(%0, %1) dim_numbers = [f, b, 0, 1]x[i, o, 0, 1]->[f, b, 0, 1], {window} {counts}
        : ({x}, {y}) -> {z}
      return %2 : {z}
    }}"""


PROGRAMS = {
    "both deep": (product(2048, 2048, 1024), "<0, 0>"),
    "right across": (product(2048, 2048, 1024, right="[0]"), "<0, 1>"),
    "left across": (product(2048, 2048, 1024, left="[0]"), "<1, 0>"),
    "f16, uneven": (product(1000, 776, 680, "f16", left="[0]", right="[0]"), "<1, 1>"),
    "few rows": (product(64, 4096, 4096), "<0, 0>"),
    "convolution": (convolution(16, 56, 128, 256), "<0, 0>"),
    "stride": (convolution(16, 56, 128, 256, stride=2), "<0, 0>"),
    "weight gradient": (weight_gradient(16, 56, 128, 256), "<1, 1>"),
}
WINDOWS = {"convolution", "stride", "weight gradient"}  # whose left operands are boxes of an image


@pytest.mark.parametrize("arch", ARCHS)
@pytest.mark.parametrize("name", PROGRAMS)
def test_products_compile_without_spills(tmp_path, name, arch):
    text, how = PROGRAMS[name]
    source = kernels(tmp_path, arch, text)
    body = source[source.index("\nKERNEL") :]
    assert ("wgmma_" in body) == (arch == "sm_90a")
    assert ("bulk_copy(" in body) == (arch == "sm_90a")
    if arch == "sm_90a":
        assert how in body
        assert ("bulk_window(" in body) == (name in WINDOWS)
    log = build(source, arch)
    spilled = [int(n) for n in re.findall(r"(\d+) bytes spill", log)]
    assert spilled and not any(spilled), log
    assert "wgmma" not in log.lower() or "serialized" not in log, log


def test_tf32_is_for_who_wants_it(tmp_path):
    for arch, word in (("sm_80", "mma_tf32(sums"), ("sm_90a", "wgmma_tf32_")):
        text = product(1024, 1024, 512, "f32")
        body = kernels(tmp_path, arch, text).partition("\nKERNEL")[2]
        assert "tf32" not in body
        source = kernels(tmp_path, arch, text, "--precision", "tf32")
        assert word in source.partition("\nKERNEL")[2]
        assert not any(int(n) for n in re.findall(r"(\d+) bytes spill", build(source, arch)))


@pytest.mark.parametrize("sizes", [(1280, 768, 3072), (12800, 3072, 768), (128, 768, 768), (8192, 8192, 8192)])
@pytest.mark.parametrize("words", [[], ["--precision", "tf32"]])
def test_tiles_of_all_sizes_spill_nothing(tmp_path, sizes, words):
    source = kernels(tmp_path, "sm_90a", product(*sizes, dtype="f32" if words else "bf16"), *words)
    body = source.partition("\nKERNEL")[2]
    assert "bulk_copy(" in body
    log = build(source, "sm_90a")
    assert "serialized" not in log and not any(int(n) for n in re.findall(r"(\d+) bytes spill", log)), log


def test_operands_that_are_no_boxes_are_copied_by_threads(tmp_path):
    """Lines of a sliced operand that begin where a map cannot: at 8 bytes."""
    text = """func.func @main(%x: tensor<1024x1028xbf16>, %y: tensor<1024x1024xbf16>) -> tensor<1024x1024xbf16> {
      %0 = stablehlo.slice %x [0:1024, 4:1028] : (tensor<1024x1028xbf16>) -> tensor<1024x1024xbf16>
      %1 = stablehlo.dot_general %0, %y, contracting_dims = [1] x [1]
        : (tensor<1024x1024xbf16>, tensor<1024x1024xbf16>) -> tensor<1024x1024xbf16>
      return %1 : tensor<1024x1024xbf16>
    }"""
    assert "bulk_copy(" not in kernels(tmp_path, "sm_90a", text).partition("\nKERNEL")[2]


def attention(rows, keys, width, mask):
    q, k, s = f"tensor<2x3x{rows}x{width}x%s>", f"tensor<2x3x{keys}x{width}x%s>", f"tensor<2x3x{rows}x{keys}xf32>"
    r, o = f"tensor<2x3x{rows}xf32>", f"tensor<2x3x{rows}x{width}x%s>"
    masked = f"%m = stablehlo.add %t, %mask : {s}" if mask else f"%m = stablehlo.negate %t : {s}"
    return f"""func.func @main(%q: {q % "bf16"}, %k: {k % "bf16"}, %v: {k % "bf16"}, %mask: {s}) -> {o % "bf16"} {{
      %low = stablehlo.constant dense<0xFF800000> : tensor<f32>
      %zero = stablehlo.constant dense<0.0> : tensor<f32>
      %by = stablehlo.constant dense<0.125> : {q % "f32"}
      %q0 = stablehlo.convert %q : ({q % "bf16"}) -> {q % "f32"}
      %q1 = stablehlo.multiply %q0, %by : {q % "f32"}
      %k1 = stablehlo.convert %k : ({k % "bf16"}) -> {k % "f32"}
      %v1 = stablehlo.convert %v : ({k % "bf16"}) -> {k % "f32"}
      %t = stablehlo.dot_general %q1, %k1, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [3]
        : ({q % "f32"}, {k % "f32"}) -> {s}
      {masked}
      %x = stablehlo.reduce(%m init: %low) applies stablehlo.maximum across dimensions = [3]
        : ({s}, tensor<f32>) -> {r}
      %y = stablehlo.broadcast_in_dim %x, dims = [0, 1, 2] : ({r}) -> {s}
      %d = stablehlo.subtract %m, %y : {s}
      %e = stablehlo.exponential %d : {s}
      %f = stablehlo.reduce(%e init: %zero) applies stablehlo.add across dimensions = [3] : ({s}, tensor<f32>) -> {r}
      %g = stablehlo.broadcast_in_dim %f, dims = [0, 1, 2] : ({r}) -> {s}
      %w = stablehlo.divide %e, %g : {s}
      %o = stablehlo.dot_general %w, %v1, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [2]
        : ({s}, {k % "f32"}) -> {o % "f32"}
      %z = stablehlo.convert %o : ({o % "f32"}) -> {o % "bf16"}
      return %z : {o % "bf16"}
    }}"""


@pytest.mark.parametrize("mask", [False, True])
@pytest.mark.parametrize("width", [64, 128])
def test_attention_is_one_kernel(tmp_path, width, mask):
    source = kernels(tmp_path, "sm_80", attention(200, 130, width, mask))
    assert source.count("\nKERNEL") == 1
    log = build(source, "sm_80")
    assert not any(int(n) for n in re.findall(r"(\d+) bytes spill", log)), log


def test_attention_whose_weights_are_results_is_several_kernels(tmp_path):
    text = attention(200, 130, 64, True).replace("-> tensor<2x3x200x64xbf16> {\n", "-> tensor<2x3x200x130xf32> {\n")
    text = text.replace("return %z : tensor<2x3x200x64xbf16>", "return %w : tensor<2x3x200x130xf32>")
    assert kernels(tmp_path, "sm_80", text).count("\nKERNEL") > 1


# Over 60 lines: one program, an op a line.
def attention_gradient(rows, keys, width, mask, saved=False):
    """As PyTorch's graphs have it: with batch and heads merged for each product, and keys transposed."""

    def t(*dims, kind="f32"):
        return f"tensor<{'x'.join(map(str, dims))}x{kind}>"

    q, k, s, r = (t(2, 3, n, m) for n, m in ((rows, width), (keys, width), (rows, keys), (rows, 1)))
    nq, nk, row = t(2, 3, rows, width, kind="bf16"), t(2, 3, keys, width, kind="bf16"), t(2, 3, rows)
    q6, k6, kt6, s6 = t(6, rows, width), t(6, keys, width), t(6, width, keys), t(6, rows, keys)
    kt, first = t(2, 3, width, keys), "batching_dims = [0] x [0], contracting_dims ="
    masked = f"%x = stablehlo.add %s4, %mask : {s}" if mask else f"%x = stablehlo.negate %s4 : {s}"
    more, given = (f", {s}", ", %p") if saved else ("", "")
    return f"""func.func @main(%q: {nq}, %k: {nk}, %v: {nk}, %g: {nq}, %mask: {s}) -> ({nq}, {nk}, {nk}{more}) {{
      %low = stablehlo.constant dense<0xFF800000> : tensor<f32>
      %zero = stablehlo.constant dense<0.0> : tensor<f32>
      %by = stablehlo.constant dense<0.35> : {q}
      %by_t = stablehlo.constant dense<0.35> : {kt}
      %g0 = stablehlo.convert %g : ({nq}) -> {q}
      %g6 = stablehlo.reshape %g0 : ({q}) -> {q6}
      %q0 = stablehlo.convert %q : ({nq}) -> {q}
      %q1 = stablehlo.multiply %q0, %by : {q}
      %q6 = stablehlo.reshape %q1 : ({q}) -> {q6}
      %k0 = stablehlo.convert %k : ({nk}) -> {k}
      %k1 = stablehlo.transpose %k0, dims = [0, 1, 3, 2] : ({k}) -> {kt}
      %k2 = stablehlo.multiply %k1, %by_t : {kt}
      %k6 = stablehlo.reshape %k2 : ({kt}) -> {kt6}
      %v0 = stablehlo.convert %v : ({nk}) -> {k}
      %v6 = stablehlo.reshape %v0 : ({k}) -> {k6}
      %s6 = stablehlo.dot_general %q6, %k6, {first} [2] x [1] : ({q6}, {kt6}) -> {s6}
      %s4 = stablehlo.reshape %s6 : ({s6}) -> {s}
      {masked}
      %m = stablehlo.reduce(%x init: %low) applies stablehlo.maximum across dimensions = [3]
        : ({s}, tensor<f32>) -> {row}
      %m1 = stablehlo.reshape %m : ({row}) -> {r}
      %m2 = stablehlo.broadcast_in_dim %m1, dims = [0, 1, 2, 3] : ({r}) -> {s}
      %d = stablehlo.subtract %x, %m2 : {s}
      %e = stablehlo.exponential %d : {s}
      %n = stablehlo.reduce(%e init: %zero) applies stablehlo.add across dimensions = [3] : ({s}, tensor<f32>) -> {row}
      %n1 = stablehlo.reshape %n : ({row}) -> {r}
      %n2 = stablehlo.broadcast_in_dim %n1, dims = [0, 1, 2, 3] : ({r}) -> {s}
      %p = stablehlo.divide %e, %n2 : {s}
      %p6 = stablehlo.reshape %p : ({s}) -> {s6}
      %dv6 = stablehlo.dot_general %p6, %g6, {first} [1] x [1] : ({s6}, {q6}) -> {k6}
      %dp6 = stablehlo.dot_general %g6, %v6, {first} [2] x [2] : ({q6}, {k6}) -> {s6}
      %dp = stablehlo.reshape %dp6 : ({s6}) -> {s}
      %a = stablehlo.multiply %dp, %p : {s}
      %b = stablehlo.reduce(%a init: %zero) applies stablehlo.add across dimensions = [3] : ({s}, tensor<f32>) -> {row}
      %b1 = stablehlo.reshape %b : ({row}) -> {r}
      %b2 = stablehlo.broadcast_in_dim %b1, dims = [0, 1, 2, 3] : ({r}) -> {s}
      %c = stablehlo.subtract %dp, %b2 : {s}
      %ds = stablehlo.multiply %p, %c : {s}
      %ds6 = stablehlo.reshape %ds : ({s}) -> {s6}
      %dk6 = stablehlo.dot_general %q6, %ds6, {first} [1] x [1] : ({q6}, {s6}) -> {kt6}
      %dq6 = stablehlo.dot_general %ds6, %k6, {first} [2] x [2] : ({s6}, {kt6}) -> {q6}
      %dk = stablehlo.reshape %dk6 : ({kt6}) -> {kt}
      %dk1 = stablehlo.multiply %dk, %by_t : {kt}
      %dk2 = stablehlo.transpose %dk1, dims = [0, 1, 3, 2] : ({kt}) -> {k}
      %dq = stablehlo.reshape %dq6 : ({q6}) -> {q}
      %dq1 = stablehlo.multiply %dq, %by : {q}
      %dv = stablehlo.reshape %dv6 : ({k6}) -> {k}
      %z0 = stablehlo.convert %dq1 : ({q}) -> {nq}
      %z1 = stablehlo.convert %dk2 : ({k}) -> {nk}
      %z2 = stablehlo.convert %dv : ({k}) -> {nk}
      return %z0, %z1, %z2{given} : {nq}, {nk}, {nk}{more}
    }}"""


@pytest.mark.parametrize("arch", ARCHS)
@pytest.mark.parametrize("mask", [False, True])
@pytest.mark.parametrize("width", [64, 128])
def test_the_gradient_of_attention_is_two_kernels(tmp_path, width, mask, arch):
    source = kernels(tmp_path, arch, attention_gradient(200, 130, width, mask))
    assert source.count("\nKERNEL") == 2
    log = build(source, arch)
    assert not any(int(n) for n in re.findall(r"(\d+) bytes spill", log)), log


def test_a_gradient_whose_weights_are_results_is_several_kernels(tmp_path):
    assert kernels(tmp_path, "sm_80", attention_gradient(200, 130, 64, True, saved=True)).count("\nKERNEL") > 2
