"""The device webgpu: kernels printed as WGSL, run by wgpu-native over whatever Vulkan there is."""

import math
import subprocess

import numpy as np
import pytest
from conftest import tenfold, why_unusable
from test_kernels import PROGRAMS, compare

UNUSABLE = why_unusable("webgpu")
needs_device = pytest.mark.skipif(UNUSABLE is not None, reason=f"device webgpu: {UNUSABLE}")


def run(tmp_path, text, *inputs, device="webgpu"):
    """The results of a program on these arrays."""
    path = tmp_path / "program.mlir"
    path.write_text(text)
    arguments = []
    for i, array in enumerate(inputs):
        np.save(tmp_path / f"in{i}.npy", array)
        arguments += ["--input", tmp_path / f"in{i}.npy"]
    done = tenfold("run", path, *arguments, "--device", device, "--output", tmp_path / device)
    assert done.code == 0, done.err
    return [np.load(file) for file in sorted((tmp_path / device).glob("*.npy"))]


@needs_device
@pytest.mark.parametrize("name", PROGRAMS)
def test_results_are_the_interpreters(tmp_path, name):
    compare(tmp_path, name, "webgpu")


# op, where it is tried, and its value in f64
FUNCTIONS = {
    "stablehlo.exponential": (-80, 88, np.exp),
    "stablehlo.exponential_minus_one": (-3, 3, np.expm1),
    "stablehlo.log": (1e-30, 1e30, np.log),
    "stablehlo.log_plus_one": (-0.9, 5, np.log1p),
    "stablehlo.cbrt": (-1e4, 1e4, np.cbrt),
    "stablehlo.tanh": (-10, 10, np.tanh),
    "stablehlo.sine": (-3000, 3000, np.sin),
    "stablehlo.cosine": (-1e9, 1e9, np.cos),
    "stablehlo.tan": (-1.5, 1.5, np.tan),
    "stablehlo.logistic": (-20, 20, lambda x: 1 / (1 + np.exp(-x))),
    "chlo.erf": (-4, 4, np.vectorize(math.erf)),
    "chlo.erfc": (-4, 9, np.vectorize(math.erfc)),
    "chlo.sinh": (-30, 30, np.sinh),
    "chlo.cosh": (-30, 30, np.cosh),
    "chlo.asin": (-1, 1, np.arcsin),
    "chlo.acos": (-1, 1, np.arccos),
    "chlo.atan": (-50, 50, np.arctan),
    "chlo.asinh": (-1e3, 1e3, np.arcsinh),
    "chlo.acosh": (1, 1e3, np.arccosh),
    "chlo.atanh": (-0.999, 0.999, np.arctanh),
}


@needs_device
@pytest.mark.parametrize("op", FUNCTIONS)
def test_functions_are_right_to_a_few_units(tmp_path, op):
    low, high, exact = FUNCTIONS[op]
    x = np.linspace(low, high, 4001, dtype=np.float32)
    name = f"{op} %x : tensor<4001xf32>" + (" -> tensor<4001xf32>" if op.startswith("chlo") else "")
    (got,) = run(
        tmp_path,
        f"func.func @main(%x: tensor<4001xf32>) -> tensor<4001xf32> {{ %0 = {name}\nreturn %0 : tensor<4001xf32> }}",
        x,
    )
    want = exact(x.astype(np.float64))
    unit = np.maximum(np.spacing(np.abs(want).astype(np.float32)).astype(np.float64), 1e-9 * (np.abs(want) < 1e-2))
    assert (np.abs(got - want) / unit).max() <= 8


@needs_device
def test_powers_and_remainders(tmp_path):
    rng = np.random.default_rng(1)
    x = rng.uniform(0.01, 20, 4001).astype(np.float32)
    y = rng.uniform(-20, 20, 4001).astype(np.float32)
    text = """func.func @main(%x: tensor<4001xf32>, %y: tensor<4001xf32>)
      -> (tensor<4001xf32>, tensor<4001xf32>, tensor<4001xf32>) {
      %0 = stablehlo.power %x, %y : tensor<4001xf32>
      %1 = stablehlo.remainder %y, %x : tensor<4001xf32>
      %2 = stablehlo.atan2 %y, %x : tensor<4001xf32>
      return %0, %1, %2 : tensor<4001xf32>, tensor<4001xf32>, tensor<4001xf32> }"""
    power, remainder, angle = run(tmp_path, text, x, y)
    np.testing.assert_allclose(power, np.power(x.astype(np.float64), y), rtol=1e-6)
    assert np.array_equal(remainder, np.fmod(y, x))
    np.testing.assert_allclose(angle, np.arctan2(y.astype(np.float64), x), rtol=5e-7)


@needs_device
@pytest.mark.parametrize("dtype", ["i8", "ui8", "i16", "ui16", "i32", "ui32", "i1", "bf16", "f16", "i64", "ui64"])
def test_every_size_of_element(tmp_path, dtype):
    """Threads write the parts of one word; sizes that are no whole words are copied to and fro."""
    text = f"""func.func @main(%x: tensor<7x37xf32>) -> (tensor<7x37x{dtype}>, tensor<37x7x{dtype}>, tensor<{dtype}>) {{
      %c = stablehlo.constant dense<100.0> : tensor<7x37xf32>
      %0 = stablehlo.multiply %x, %c : tensor<7x37xf32>
      %1 = stablehlo.convert %0 : (tensor<7x37xf32>) -> tensor<7x37x{dtype}>
      %2 = stablehlo.transpose %1, dims = [1, 0] : (tensor<7x37x{dtype}>) -> tensor<37x7x{dtype}>
      %3 = stablehlo.slice %1 [2:3, 5:6] : (tensor<7x37x{dtype}>) -> tensor<1x1x{dtype}>
      %4 = stablehlo.reshape %3 : (tensor<1x1x{dtype}>) -> tensor<{dtype}>
      return %1, %2, %4 : tensor<7x37x{dtype}>, tensor<37x7x{dtype}>, tensor<{dtype}> }}"""
    x = np.random.default_rng(2).standard_normal((7, 37)).astype(np.float32)
    got, want = run(tmp_path, text, x), run(tmp_path, text, x, device="interp")
    for a, b in zip(got, want, strict=True):
        assert a.tobytes() == b.tobytes()


@needs_device
def test_integers_of_all_values(tmp_path):
    x = np.array([0, 1, -1, 2**31 - 1, -(2**31), 7, -7, 12345678], dtype=np.int32).repeat(8)
    y = np.tile(np.array([0, 1, -1, 2**31 - 1, -(2**31), 3, 31, 33], dtype=np.int32), 8)
    ops = [
        "add",
        "multiply",
        "divide",
        "remainder",
        "power",
        "shift_left",
        "shift_right_logical",
        "shift_right_arithmetic",
        "maximum",
        "and",
    ]
    for dtype in ("i32", "i8", "ui16"):
        body = "\n".join(f"%{op} = stablehlo.{op} %a, %b : tensor<64x{dtype}>" for op in ops)
        types = ", ".join(f"tensor<64x{dtype}>" for _ in ops)
        text = f"""func.func @main(%x: tensor<64xi32>, %y: tensor<64xi32>) -> ({types}) {{
          %a = stablehlo.convert %x : (tensor<64xi32>) -> tensor<64x{dtype}>
          %b = stablehlo.convert %y : (tensor<64xi32>) -> tensor<64x{dtype}>
          {body}
          return {", ".join("%" + op for op in ops)} : {types} }}"""
        got, want = run(tmp_path, text, x, y), run(tmp_path, text, x, y, device="interp")
        for op, a, b in zip(ops, got, want, strict=True):
            assert np.array_equal(a, b), (dtype, op)


@needs_device
@pytest.mark.parametrize("dtype", ["i32", "ui32", "i64", "ui64"])
def test_indices_out_of_bounds(tmp_path, dtype):
    """A gather clamps them, a scatter leaves the update out: also where they do not fit in 32 bits."""
    text = f"""func.func @main(%x: tensor<10xf32>, %i: tensor<6x1x{dtype}>) -> (tensor<6xf32>, tensor<10xf32>) {{
      %0 = "stablehlo.gather"(%x, %i) <{{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0],
        start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1>}}>
        : (tensor<10xf32>, tensor<6x1x{dtype}>) -> tensor<6xf32>
      %1 = "stablehlo.scatter"(%x, %i, %0) <{{scatter_dimension_numbers = #stablehlo.scatter<
        inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}}> ({{
      ^bb0(%a: tensor<f32>, %b: tensor<f32>):
        %s = stablehlo.add %a, %b : tensor<f32>
        stablehlo.return %s : tensor<f32>
      }}) : (tensor<10xf32>, tensor<6x1x{dtype}>, tensor<6xf32>) -> tensor<10xf32>
      return %0, %1 : tensor<6xf32>, tensor<10xf32> }}"""
    kind = {"i": "int", "u": "uint"}[dtype[0]] + dtype[-2:]
    top = np.iinfo(kind).max
    i = np.array([[3], [9], [10], [top], [top - 5], [np.iinfo(kind).min]], dtype=kind)
    x = np.arange(10, dtype=np.float32)
    got, want = run(tmp_path, text, x, i), run(tmp_path, text, x, i, device="interp")
    for a, b in zip(got, want, strict=True):
        assert np.array_equal(a, b)


def batched_matmul(batch, rows, columns, depth, dtype="f32"):
    x, y, z = (f"tensor<{batch}x{a}x{b}x{dtype}>" for a, b in ((rows, depth), (depth, columns), (rows, columns)))
    return f"""func.func @main(%x: {x}, %y: {y}) -> {z} {{
      %0 = stablehlo.dot_general %x, %y, batching_dims = [0] x [0], contracting_dims = [2] x [1] : ({x}, {y}) -> {z}
      %1 = stablehlo.negate %0 : {z}
      return %1 : {z}
    }}"""


def convolution(images, inputs, outputs, size, window, stride):
    out = (size + window // 2 * 2 - window) // stride + 1
    x, z = f"tensor<{images}x{inputs}x{size}x{size}xf32>", f"tensor<{images}x{outputs}x{out}x{out}xf32>"
    w, pad = f"tensor<{outputs}x{inputs}x{window}x{window}xf32>", window // 2
    return f"""func.func @main(%x: {x}, %w: {w}) -> {z} {{
      %0 = stablehlo.convolution(%x, %w) dim_numbers = [b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1],
        window = {{stride = [{stride}, {stride}], pad = [[{pad}, {pad}], [{pad}, {pad}]]}}
        {{batch_group_count = 1 : i64, feature_group_count = 1 : i64}} : ({x}, {w}) -> {z}
      return %0 : {z}
    }}"""


TILED = {
    "whole": batched_matmul(1, 128, 64, 64),
    "odd": batched_matmul(1, 67, 129, 131),
    "batches": batched_matmul(3, 33, 50, 70),
    "16 bits": batched_matmul(1, 65, 77, 200, "bf16"),
    "deep": batched_matmul(1, 64, 64, 2000),
    "convolution": convolution(2, 16, 24, 17, 3, 1),
    "stride": convolution(1, 3, 32, 33, 3, 2),
}


@needs_device
@pytest.mark.parametrize("name", TILED)
def test_matmuls_and_convolutions_in_tiles(tmp_path, name):
    path = tmp_path / "program.mlir"
    path.write_text(TILED[name])
    assert "_stage: array<f32, " in tenfold("show", path, "--stage", "webgpu").out
    results = []
    for device in ("webgpu", "interp"):
        done = tenfold("run", path, "--random", "1", "--device", device, "--output", tmp_path / device)
        assert done.code == 0, done.err
        result = np.load(tmp_path / device / "0.npy")
        results.append((result.view("u2").astype("u4") << 16).view("f4") if result.dtype.kind == "V" else result)
    np.testing.assert_allclose(*results, rtol=1e-2 if name == "16 bits" else 1e-4, atol=1e-3)


@needs_device
def test_f64_is_refused_by_name(tmp_path):
    path = tmp_path / "program.mlir"
    path.write_text(
        "func.func @main(%x: tensor<4xf64>) -> tensor<4xf64> {\n"
        "%0 = stablehlo.add %x, %x : tensor<4xf64>\nreturn %0 : tensor<4xf64> }"
    )
    done = tenfold("run", path, "--random", "--device", "webgpu")
    assert done.code != 0
    assert "f64 is not available on this device: WGSL has no such type" in done.err


def test_kernels_are_shown_without_a_device(tmp_path):
    path = tmp_path / "program.mlir"
    path.write_text("""func.func @main(%x: tensor<300xf32>, %y: tensor<300xbf16>) -> (tensor<f32>, tensor<300xbf16>) {
      %z = stablehlo.constant dense<0.0> : tensor<f32>
      %0 = stablehlo.reduce(%x init: %z) applies stablehlo.add across dimensions = [0]
        : (tensor<300xf32>, tensor<f32>) -> tensor<f32>
      %1 = stablehlo.add %y, %y : tensor<300xbf16>
      return %0, %1 : tensor<f32>, tensor<300xbf16> }""")
    text = tenfold("show", path, "--stage", "webgpu").out
    assert text.count("@compute @workgroup_size(") == 2
    assert "var<workgroup> k0_rows: array<f32, 256>;" in text
    assert "workgroupBarrier();" in text
    assert "array<atomic<u32>>" in text and "atomicOr(" in text


def test_a_library_that_is_missing_is_named():
    done = subprocess.run(
        [tenfold.path, "devices"], env={"TENFOLD_WGPU_LIBRARY": "/nowhere/libwgpu.so"}, capture_output=True, text=True
    )
    assert "TENFOLD_WGPU_LIBRARY is /nowhere/libwgpu.so, which does not exist" in done.stdout


@needs_device
def test_wide_integers_that_were_narrow(tmp_path):
    """Mesa 22.3 compares them with constants wrongly where it knows that they were."""
    text = """func.func @main(%x: tensor<8xi32>)
      -> (tensor<8xi1>, tensor<8xi64>, tensor<8xi64>, tensor<8xui64>, tensor<8xi64>) {
      %c = stablehlo.constant dense<1073741824> : tensor<8xi64>
      %d = stablehlo.constant dense<5> : tensor<8xi64>
      %0 = stablehlo.convert %x : (tensor<8xi32>) -> tensor<8xi64>
      %1 = stablehlo.compare GT, %0, %c : (tensor<8xi64>, tensor<8xi64>) -> tensor<8xi1>
      %2 = stablehlo.select %1, %c, %0 : tensor<8xi1>, tensor<8xi64>
      %3 = stablehlo.minimum %0, %d : tensor<8xi64>
      %4 = stablehlo.convert %x : (tensor<8xi32>) -> tensor<8xui32>
      %5 = stablehlo.convert %4 : (tensor<8xui32>) -> tensor<8xui64>
      %6 = stablehlo.convert %4 : (tensor<8xui32>) -> tensor<8xi64>
      return %1, %2, %3, %5, %6
        : tensor<8xi1>, tensor<8xi64>, tensor<8xi64>, tensor<8xui64>, tensor<8xi64> }"""
    x = np.array([0, 1, 2, 5, 6, -1, 2**31 - 1, -(2**31)], dtype=np.int32)
    got, want = run(tmp_path, text, x), run(tmp_path, text, x, device="interp")
    for a, b in zip(got, want, strict=True):
        assert np.array_equal(a, b)
