"""Generated kernels in which a thread computes several elements, and results that are buffers in another order: through
OpenCL the same results as the reference interpreter's."""

import numpy as np
import pytest
from conftest import tenfold, why_unusable

UNUSABLE = why_unusable("opencl")
pytestmark = pytest.mark.skipif(UNUSABLE is not None, reason=f"device opencl: {UNUSABLE}")


def compare(tmp_path, text, rounding=None):
    """The kernels for OpenCL; results as the interpreter has them, or within `rounding` of it."""
    path = tmp_path / "program.mlir"
    path.write_text(text)
    for device in ("opencl", "interp"):
        done = tenfold("run", path, "--random", 3, "--device", device, "--output", tmp_path / device)
        assert done.code == 0, done.err
    files = sorted((tmp_path / "interp").glob("*.npy"))
    assert files
    for file in files:
        got, want = np.load(tmp_path / "opencl" / file.name), np.load(file)
        if rounding is None:
            assert got.tobytes() == want.tobytes()
        else:
            np.testing.assert_allclose(got, want, rtol=rounding, atol=rounding)
    return tenfold("show", path, "--stage", "opencl").out.partition("\nKERNEL")[2]


def chain(x, y, result, body):
    return f"""func.func @main(%x: {x}, %y: {y}, %b: tensor<1024xf32>, %m: tensor<256x1024xi1>) -> {result} {{
      {body}
      return %3 : {result}
    }}"""


F32, BF16, F16 = (f"tensor<256x1024x{t}>" for t in ("f32", "bf16", "f16"))
SPREAD = f"%s = stablehlo.broadcast_in_dim %b, dims = [1] : (tensor<1024xf32>) -> {F32}"
NUMBER = f"%c = stablehlo.constant dense<1.5> : {F32}"
WIDE = {
    "bf16, f16 and a mask": (
        chain(
            BF16,
            F16,
            BF16,
            f"""{SPREAD}
            %0 = stablehlo.convert %x : ({BF16}) -> {F32}
            %1 = stablehlo.convert %y : ({F16}) -> {F32}
            %2 = stablehlo.multiply %0, %s : {F32}
            %4 = stablehlo.select %m, %2, %1 : tensor<256x1024xi1>, {F32}
            %3 = stablehlo.convert %4 : ({F32}) -> {BF16}""",
        ),
        "STORE_16",
    ),
    "f32, moved by lines": (
        chain(
            "tensor<64x4x1024xf32>",
            "tensor<2x128x1024xf32>",
            "tensor<4x64x1024xf32>",
            """%c = stablehlo.constant dense<1.5> : tensor<4x64x1024xf32>
            %0 = stablehlo.transpose %x, dims = [1, 0, 2] : (tensor<64x4x1024xf32>) -> tensor<4x64x1024xf32>
            %1 = stablehlo.reshape %y : (tensor<2x128x1024xf32>) -> tensor<4x64x1024xf32>
            %2 = stablehlo.multiply %0, %c : tensor<4x64x1024xf32>
            %3 = stablehlo.subtract %2, %1 : tensor<4x64x1024xf32>""",
        ),
        "STORE_16",
    ),
    "a slice of a line that is cut into dimensions": (
        chain(
            "tensor<512x3072xbf16>",
            "tensor<512x16x64xbf16>",
            "tensor<512x16x64xf32>",
            """%0 = stablehlo.reshape %x : (tensor<512x3072xbf16>) -> tensor<512x3x16x64xbf16>
            %1 = stablehlo.slice %0 [0:512, 1:2, 0:16, 0:64]
              : (tensor<512x3x16x64xbf16>) -> tensor<512x1x16x64xbf16>
            %2 = stablehlo.reshape %1 : (tensor<512x1x16x64xbf16>) -> tensor<512x16x64xbf16>
            %4 = stablehlo.add %2, %y : tensor<512x16x64xbf16>
            %3 = stablehlo.convert %4 : (tensor<512x16x64xbf16>) -> tensor<512x16x64xf32>""",
        ),
        "STORE_16",
    ),
    "positions": (
        chain(
            "tensor<256x1024xi32>",
            F32,
            "tensor<256x1024xi32>",
            """%0 = stablehlo.iota dim = 1 : tensor<256x1024xi32>
            %1 = stablehlo.iota dim = 0 : tensor<256x1024xi32>
            %2 = stablehlo.multiply %0, %x : tensor<256x1024xi32>
            %3 = stablehlo.subtract %2, %1 : tensor<256x1024xi32>""",
        ),
        "STORE_16",
    ),
    "a transpose of lines is read element by element": (
        chain(
            "tensor<1024x256xf32>",
            F32,
            F32,
            f"""%0 = stablehlo.transpose %x, dims = [1, 0] : (tensor<1024x256xf32>) -> {F32}
            %3 = stablehlo.add %0, %y : {F32}""",
        ),
        None,
    ),
    "lines that vectors do not fit": (
        "func.func @main(%x: tensor<300x1001xf32>) -> tensor<300x1001xf32> {\n"
        "%3 = stablehlo.add %x, %x : tensor<300x1001xf32>\nreturn %3 : tensor<300x1001xf32>\n}",
        None,
    ),
    "rows that a table gives": (
        """func.func @main(%x: tensor<31x256xbf16>, %y: tensor<64x16xi32>) -> tensor<64x16x256xbf16> {
          %n = stablehlo.constant dense<31> : tensor<64x16xi32>
          %i = stablehlo.remainder %y, %n : tensor<64x16xi32>
          %0 = "stablehlo.gather"(%x, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [2],
            collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 2>, slice_sizes = array<i64: 1, 256>}>
            : (tensor<31x256xbf16>, tensor<64x16xi32>) -> tensor<64x16x256xbf16>
          %3 = stablehlo.add %0, %0 : tensor<64x16x256xbf16>
          return %3 : tensor<64x16x256xbf16>
        }""",
        "STORE_16",
    ),
}


@pytest.mark.parametrize("name", WIDE)
def test_threads_compute_elements_that_follow_each_other(tmp_path, name):
    text, wanted = WIDE[name]
    kernels = compare(tmp_path, text)
    assert ("STORE_16" in kernels) == (wanted is not None), kernels


def scatter(dtype, row, updates):
    """200 updates of rows, several for each, some out of range."""
    x, u = f"tensor<9x3x{row}x{dtype}>", f"tensor<200x3x{updates}x{dtype}>"
    return f"""func.func @main(%x: {x}, %k: tensor<200x1xi32>, %u: {u})
        -> {x} {{
      %t = stablehlo.constant dense<11> : tensor<200x1xi32>
      %i = stablehlo.remainder %k, %t : tensor<200x1xi32>
      %3 = "stablehlo.scatter"(%x, %i, %u) <{{scatter_dimension_numbers = #stablehlo.scatter<
        update_window_dims = [1, 2], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0],
        index_vector_dim = 1>}}> ({{
      ^bb0(%a: tensor<{dtype}>, %b: tensor<{dtype}>):
        %s = stablehlo.add %a, %b : tensor<{dtype}>
        stablehlo.return %s : tensor<{dtype}>
      }}) : ({x}, tensor<200x1xi32>, {u})
        -> {x}
      return %3 : {x}
    }}"""


@pytest.mark.parametrize(
    ("dtype", "row", "updates", "wide"),
    [("bf16", 24, 24, True), ("f32", 20, 20, True), ("f32", 20, 18, False), ("bf16", 20, 20, False)],
)
def test_updates_of_rows_keep_their_order(tmp_path, dtype, row, updates, wide):
    kernels = compare(tmp_path, scatter(dtype, row, updates))
    assert ("STORE_16" in kernels) == wide


def pooling(last):
    """The gradient of a max pooling of what a kernel computes, channels first or last."""
    x, y = ("tensor<2x9x8x5xf32>", "tensor<2x5x4x5xf32>") if last else ("tensor<2x5x9x8xf32>", "tensor<2x5x5x4xf32>")
    size, pad = (
        ("1, 3, 3, 1", "0, 0], [1, 1], [1, 0], [0, 0") if last else ("1, 1, 3, 3", "0, 0], [0, 0], [1, 1], [1, 0")
    )
    steps = "1, 2, 2, 1" if last else "1, 1, 2, 2"
    return f"""func.func @main(%x: {x}, %y: {y}) -> {x} {{
      %zero = stablehlo.constant dense<0.0> : tensor<f32>
      %0 = stablehlo.negate %x : {x}
      %1 = "stablehlo.select_and_scatter"(%0, %y, %zero) <{{window_dimensions = array<i64: {size}>,
        window_strides = array<i64: {steps}>, padding = dense<[[{pad}]]> : tensor<4x2xi64>}}> ({{
      ^bb0(%a: tensor<f32>, %b: tensor<f32>):
        %p = stablehlo.compare GE, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
        stablehlo.return %p : tensor<i1>
      }}, {{
      ^bb0(%a: tensor<f32>, %b: tensor<f32>):
        %s = stablehlo.add %a, %b : tensor<f32>
        stablehlo.return %s : tensor<f32>
      }}) : ({x}, {y}, tensor<f32>) -> {x}
      %3 = stablehlo.add %1, %0 : {x}
      return %3 : {x}
    }}"""


@pytest.mark.parametrize("last", [False, True])
def test_gradients_of_poolings(tmp_path, last):
    compare(tmp_path, pooling(last))


CONVOLUTION = """%w0 = stablehlo.tanh %w : tensor<8x16x3x3xf32>
      %x0 = stablehlo.tanh %x : tensor<2x16x9x7xf32>
      %1 = stablehlo.convolution(%x0, %w0) dim_numbers = [b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1],
        window = {stride = [1, 1], pad = [[1, 1], [1, 1]]}
        {batch_group_count = 1 : i64, feature_group_count = 1 : i64}
        : (tensor<2x16x9x7xf32>, tensor<8x16x3x3xf32>) -> tensor<2x8x9x7xf32>
      %2 = stablehlo.exponential %1 : tensor<2x8x9x7xf32>
      %last = stablehlo.transpose %2, dims = [0, 2, 3, 1] : (tensor<2x8x9x7xf32>) -> tensor<2x9x7x8xf32>"""


def saving(returned, types, more=""):
    return f"""func.func @main(%x: tensor<2x16x9x7xf32>, %w: tensor<8x16x3x3xf32>) -> ({types}) {{
      {CONVOLUTION}
      {more}
      %z = stablehlo.constant dense<0.0> : tensor<f32>
      %sum = stablehlo.reduce(%2 init: %z) applies stablehlo.add across dimensions = [0, 2, 3]
        : (tensor<2x8x9x7xf32>, tensor<f32>) -> tensor<8xf32>
      return {returned} : {types}
    }}"""


LAST, FIRST = "tensor<2x9x7x8xf32>", "tensor<2x8x9x7xf32>"


def test_a_result_that_lies_as_its_buffer_is_not_copied(tmp_path):
    """What a convolution writes lies channels last; so does the result. A kernel reads it, too."""
    text = compare(tmp_path, saving("%last, %sum", f"{LAST}, tensor<8xf32>"), 2e-6)
    copied = compare(tmp_path, saving("%2, %last, %sum", f"{FIRST}, {LAST}, tensor<8xf32>"), 2e-6)
    assert text.count("\nKERNEL") + 1 == copied.count("\nKERNEL")


def test_two_results_of_one_buffer(tmp_path):
    more = f"""%5 = stablehlo.negate %1 : {FIRST}
      %again = stablehlo.transpose %2, dims = [3, 0, 2, 1] : ({FIRST}) -> tensor<7x2x9x8xf32>
      %flat = stablehlo.reshape %last : ({LAST}) -> tensor<2x63x8xf32>"""
    types = f"{LAST}, tensor<7x2x9x8xf32>, tensor<2x63x8xf32>, {LAST}, tensor<8xf32>"
    compare(tmp_path, saving("%last, %again, %flat, %last, %sum", types, more), 2e-6)


def test_a_narrow_product_is_stored_once(tmp_path):
    """Sums of it in a wider type read it as it is."""
    text = """func.func @main(%x: tensor<128x256xbf16>, %w: tensor<64x256xbf16>) -> (tensor<64xf32>, tensor<128xf32>) {
      %zero = stablehlo.constant dense<0.0> : tensor<f32>
      %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [1]
        : (tensor<128x256xbf16>, tensor<64x256xbf16>) -> tensor<128x64xbf16>
      %1 = stablehlo.convert %0 : (tensor<128x64xbf16>) -> tensor<128x64xf32>
      %3 = stablehlo.reduce(%1 init: %zero) applies stablehlo.add across dimensions = [0]
        : (tensor<128x64xf32>, tensor<f32>) -> tensor<64xf32>
      %4 = stablehlo.reduce(%1 init: %zero) applies stablehlo.add across dimensions = [1]
        : (tensor<128x64xf32>, tensor<f32>) -> tensor<128xf32>
      return %3, %4 : tensor<64xf32>, tensor<128xf32>
    }"""
    kernels = compare(tmp_path, text, 2e-2)
    assert kernels.count("GLOBAL u16 *RESTRICT q0") == 1
    product = next(k for k in kernels.split("\nKERNEL") if "GLOBAL u16 *RESTRICT q0" in k)
    assert "*RESTRICT q1" not in product
