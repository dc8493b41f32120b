"""The kernel backends (src/backend/simt) through OpenCL: the same results as the reference interpreter's."""

import numpy as np
import pytest
from conftest import tenfold, why_unusable

UNUSABLE = why_unusable("opencl")
pytestmark = pytest.mark.skipif(UNUSABLE is not None, reason=f"device opencl: {UNUSABLE}")

PROGRAMS = {
    "chain": (
        "%x: tensor<5x7xf32>",
        "tensor<5x7xf32>",
        """%0 = stablehlo.exponential %x : tensor<5x7xf32>
        %1 = stablehlo.add %0, %x : tensor<5x7xf32>
        %2 = stablehlo.tanh %1 : tensor<5x7xf32>
        %3 = stablehlo.logistic %2 : tensor<5x7xf32>""",
    ),
    "bf16": (
        "%x: tensor<33xbf16>, %y: tensor<33xbf16>",
        "tensor<33xbf16>",
        """%0 = stablehlo.multiply %x, %y : tensor<33xbf16>
        %1 = stablehlo.subtract %0, %y : tensor<33xbf16>
        %3 = stablehlo.sqrt %1 : tensor<33xbf16>""",
    ),
    "f8": (
        "%x: tensor<64xf32>",
        "tensor<64xf32>",
        """%0 = stablehlo.convert %x : (tensor<64xf32>) -> tensor<64xf8E4M3FN>
        %1 = stablehlo.convert %x : (tensor<64xf32>) -> tensor<64xf16>
        %2 = stablehlo.convert %0 : (tensor<64xf8E4M3FN>) -> tensor<64xf32>
        %4 = stablehlo.convert %1 : (tensor<64xf16>) -> tensor<64xf32>
        %3 = stablehlo.subtract %4, %2 : tensor<64xf32>""",
    ),
    "integers": (
        "%x: tensor<16xi32>, %y: tensor<16xi32>",
        "tensor<16xi32>",
        """%0 = stablehlo.divide %x, %y : tensor<16xi32>
        %1 = stablehlo.remainder %x, %y : tensor<16xi32>
        %2 = stablehlo.multiply %0, %1 : tensor<16xi32>
        %3 = stablehlo.shift_right_logical %2, %y : tensor<16xi32>""",
    ),
    "softmax": (
        "%x: tensor<3x9xf32>",
        "tensor<3x9xf32>",
        """%ninf = stablehlo.constant dense<0xFF800000> : tensor<f32>
        %zero = stablehlo.constant dense<0.0> : tensor<f32>
        %m = stablehlo.reduce(%x init: %ninf) applies stablehlo.maximum across dimensions = [1]
          : (tensor<3x9xf32>, tensor<f32>) -> tensor<3xf32>
        %b = stablehlo.broadcast_in_dim %m, dims = [0] : (tensor<3xf32>) -> tensor<3x9xf32>
        %s = stablehlo.subtract %x, %b : tensor<3x9xf32>
        %e = stablehlo.exponential %s : tensor<3x9xf32>
        %d = stablehlo.reduce(%e init: %zero) applies stablehlo.add across dimensions = [1]
          : (tensor<3x9xf32>, tensor<f32>) -> tensor<3xf32>
        %c = stablehlo.broadcast_in_dim %d, dims = [0] : (tensor<3xf32>) -> tensor<3x9xf32>
        %3 = stablehlo.divide %e, %c : tensor<3x9xf32>""",
    ),
    "product": (
        "%x: tensor<2x5x7xf32>, %w: tensor<2x7x3xf32>",
        "tensor<2x5x3xf32>",
        """%3 = stablehlo.dot_general %x, %w, batching_dims = [0] x [0], contracting_dims = [2] x [1]
          : (tensor<2x5x7xf32>, tensor<2x7x3xf32>) -> tensor<2x5x3xf32>""",
    ),
    "convolution": (
        "%x: tensor<1x8x8x4xf32>, %w: tensor<3x3x2x6xf32>",
        "tensor<1x4x4x6xf32>",
        """%3 = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f],
          window = {stride = [2, 2], pad = [[1, 1], [1, 1]]}
          {batch_group_count = 1 : i64, feature_group_count = 2 : i64}
          : (tensor<1x8x8x4xf32>, tensor<3x3x2x6xf32>) -> tensor<1x4x4x6xf32>""",
    ),
    "tiles": (  # a matrix product by tiles that end in the middle, summed in pieces, with what follows it
        "%x: tensor<600x20xf32>, %w: tensor<9x600xf32>, %b: tensor<9xf32>",
        "tensor<20x9xf32>",
        """%0 = stablehlo.dot_general %x, %w, contracting_dims = [0] x [1]
          : (tensor<600x20xf32>, tensor<9x600xf32>) -> tensor<20x9xf32>
        %c = stablehlo.constant dense<0.05> : tensor<20x9xf32>
        %1 = stablehlo.broadcast_in_dim %b, dims = [1] : (tensor<9xf32>) -> tensor<20x9xf32>
        %2 = stablehlo.multiply %0, %c : tensor<20x9xf32>
        %4 = stablehlo.add %2, %1 : tensor<20x9xf32>
        %5 = stablehlo.tanh %4 : tensor<20x9xf32>
        %3 = stablehlo.multiply %5, %4 : tensor<20x9xf32>""",
    ),
    "tiled convolutions": (  # what lies between them is channels last in memory
        "%x: tensor<2x8x9x7xf32>, %w: tensor<16x4x3x3xf32>, %v: tensor<12x16x3x3xf32>",
        "tensor<2x12x5x4xf32>",
        """%0 = stablehlo.convolution(%x, %w) dim_numbers = [b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1],
          window = {stride = [1, 1], pad = [[1, 1], [1, 1]]}
          {batch_group_count = 1 : i64, feature_group_count = 2 : i64}
          : (tensor<2x8x9x7xf32>, tensor<16x4x3x3xf32>) -> tensor<2x16x9x7xf32>
        %1 = stablehlo.tanh %0 : tensor<2x16x9x7xf32>
        %3 = stablehlo.convolution(%1, %v) dim_numbers = [b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1],
          window = {stride = [2, 2], pad = [[1, 1], [1, 1]], reverse = [true, false]}
          {batch_group_count = 1 : i64, feature_group_count = 1 : i64}
          : (tensor<2x16x9x7xf32>, tensor<12x16x3x3xf32>) -> tensor<2x12x5x4xf32>""",
    ),
    "rows": (  # two reductions and what is computed from them are one kernel
        "%x: tensor<3x5x70xf32>",
        "tensor<3x5x70xf32>",
        """%zero = stablehlo.constant dense<0.0> : tensor<f32>
        %n = stablehlo.constant dense<70.0> : tensor<3x5x1xf32>
        %s = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [2]
          : (tensor<3x5x70xf32>, tensor<f32>) -> tensor<3x5xf32>
        %r = stablehlo.reshape %s : (tensor<3x5xf32>) -> tensor<3x5x1xf32>
        %m = stablehlo.divide %r, %n : tensor<3x5x1xf32>
        %b = stablehlo.broadcast_in_dim %m, dims = [0, 1, 2] : (tensor<3x5x1xf32>) -> tensor<3x5x70xf32>
        %d = stablehlo.subtract %x, %b : tensor<3x5x70xf32>
        %q = stablehlo.multiply %d, %d : tensor<3x5x70xf32>
        %v = stablehlo.reduce(%q init: %zero) applies stablehlo.add across dimensions = [2]
          : (tensor<3x5x70xf32>, tensor<f32>) -> tensor<3x5xf32>
        %i = stablehlo.rsqrt %v : tensor<3x5xf32>
        %c = stablehlo.broadcast_in_dim %i, dims = [0, 1] : (tensor<3x5xf32>) -> tensor<3x5x70xf32>
        %3 = stablehlo.multiply %d, %c : tensor<3x5x70xf32>""",
    ),
    "columns": (  # reduced along what is not contiguous, from a start that is not neutral
        "%x: tensor<4x90x6xf32>",
        "tensor<4x6xf32>",
        """%one = stablehlo.constant dense<1.0> : tensor<f32>
        %0 = stablehlo.tanh %x : tensor<4x90x6xf32>
        %3 = stablehlo.reduce(%0 init: %one) applies stablehlo.add across dimensions = [1]
          : (tensor<4x90x6xf32>, tensor<f32>) -> tensor<4x6xf32>""",
    ),
    "loop": (
        "%x: tensor<4xf32>",
        "tensor<4xf32>",
        """%c0 = stablehlo.constant dense<0> : tensor<i32>
        %c1 = stablehlo.constant dense<1> : tensor<i32>
        %c5 = stablehlo.constant dense<5> : tensor<i32>
        %r:2 = stablehlo.while(%i = %c0, %v = %x) : tensor<i32>, tensor<4xf32>
        cond {
          %p = stablehlo.compare LT, %i, %c5 : (tensor<i32>, tensor<i32>) -> tensor<i1>
          stablehlo.return %p : tensor<i1>
        } do {
          %n = stablehlo.add %i, %c1 : tensor<i32>
          %w = stablehlo.add %v, %v : tensor<4xf32>
          stablehlo.return %n, %w : tensor<i32>, tensor<4xf32>
        }
        %3 = stablehlo.negate %r#1 : tensor<4xf32>""",
    ),
    "host": (  # a sort has no kernel: it runs on the host, between two that have
        "%x: tensor<3x6xf32>",
        "tensor<3x6xf32>",
        """%0 = stablehlo.abs %x : tensor<3x6xf32>
        %1 = "stablehlo.sort"(%0) <{dimension = 1 : i64, is_stable = true}> ({
        ^bb0(%a: tensor<f32>, %b: tensor<f32>):
          %p = stablehlo.compare LT, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
          stablehlo.return %p : tensor<i1>
        }) : (tensor<3x6xf32>) -> tensor<3x6xf32>
        %3 = stablehlo.sqrt %1 : tensor<3x6xf32>""",
    ),
}


def compare(tmp_path, name, device):
    """One of PROGRAMS on the device and in the interpreter."""
    arguments, result, body = PROGRAMS[name]
    path = tmp_path / "program.mlir"
    path.write_text(f"func.func @main({arguments}) -> {result} {{\n{body}\nreturn %3 : {result}\n}}\n")
    for each in (device, "interp"):
        done = tenfold("run", path, "--random", 3, "--device", each, "--output", tmp_path / each)
        assert done.code == 0, done.err
    got, want = (np.load(tmp_path / each / "0.npy") for each in (device, "interp"))
    if got.dtype.kind == "f":
        np.testing.assert_allclose(got, want, rtol=2e-6, atol=2e-6)
    else:
        assert np.array_equal(got, want)


@pytest.mark.parametrize("name", PROGRAMS)
def test_results_are_the_interpreters(tmp_path, name):
    compare(tmp_path, name, "opencl")


def test_bf16_products_go_to_tensor_cores_and_rows_are_one_kernel(tmp_path):
    path = tmp_path / "program.mlir"
    path.write_text("""func.func @main(%x: tensor<64x64xbf16>, %y: tensor<64x64xbf16>) -> tensor<64x64xbf16> {
      %0 = stablehlo.dot_general %x, %y, contracting_dims = [1] x [1]
        : (tensor<64x64xbf16>, tensor<64x64xbf16>) -> tensor<64x64xbf16>
      %1 = stablehlo.tanh %0 : tensor<64x64xbf16>
      return %1 : tensor<64x64xbf16>
    }
    """)
    cuda, opencl = (
        tenfold("show", path, "--stage", *stage).out for stage in (("cuda", "--target", "cuda:sm_80"), ("opencl",))
    )
    assert cuda.count("KERNEL GROUPED void") == opencl.count("KERNEL GROUPED void") == 1
    assert "mma_bf16(sums" in cuda and "mma_bf16(sums" not in opencl
    arguments, result, body = PROGRAMS["rows"]
    path.write_text(f"func.func @main({arguments}) -> {result} {{\n{body}\nreturn %3 : {result}\n}}\n")
    assert tenfold("show", path, "--stage", "cuda").out.count("KERNEL GROUPED void") == 1


def test_scatter_adds_in_the_order_of_the_updates(tmp_path):
    path = tmp_path / "program.mlir"
    path.write_text("""func.func @main() -> tensor<3x2xf32> {
      %x = stablehlo.constant dense<1.0> : tensor<3x2xf32>
      %i = stablehlo.constant dense<[[0], [2], [0], [5]]> : tensor<4x1xi32>
      %u = stablehlo.constant dense<[[1.0, 2.0], [3.0, 4.0], [1.0e8, -1.0e8], [7.0, 7.0]]> : tensor<4x2xf32>
      %0 = "stablehlo.scatter"(%x, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1],
        inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
      ^bb0(%a: tensor<f32>, %b: tensor<f32>):
        %s = stablehlo.add %a, %b : tensor<f32>
        stablehlo.return %s : tensor<f32>
      }) : (tensor<3x2xf32>, tensor<4x1xi32>, tensor<4x2xf32>) -> tensor<3x2xf32>
      return %0 : tensor<3x2xf32>
    }
    """)
    done = tenfold("run", path, "--device", "opencl", "--output", tmp_path / "out")
    assert done.code == 0, done.err
    first = np.float32(np.float32(2) + np.float32(1e8)), np.float32(np.float32(3) - np.float32(1e8))
    assert np.load(tmp_path / "out" / "0.npy").tolist() == [list(map(float, first)), [1, 1], [4, 5]]


ADDS = """
      ^bb0(%a: tensor<f32>, %b: tensor<f32>):
        %s = stablehlo.add %a, %b : tensor<f32>
        stablehlo.return %s : tensor<f32>
      }"""
ROWS = "update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1"


def scatter_rows(window, again=False):
    """70 updates of rows of 5 by indices of -1 to 9, of which 0 to 6 are in range."""
    text = f"""%k = stablehlo.iota dim = 0 : tensor<70x1xi32>
      %t = stablehlo.constant dense<11> : tensor<70x1xi32>
      %f = stablehlo.constant dense<13> : tensor<70x1xi32>
      %o = stablehlo.constant dense<1> : tensor<70x1xi32>
      %m = stablehlo.multiply %k, %f : tensor<70x1xi32>
      %r = stablehlo.remainder %m, %t : tensor<70x1xi32>
      %i = stablehlo.subtract %r, %o : tensor<70x1xi32>
      %p = "stablehlo.scatter"(%x, %i, %u) <{{scatter_dimension_numbers = #stablehlo.scatter<{ROWS}>}}> ({{{ADDS})
        : (tensor<7x5xf32>, tensor<70x1xi32>, tensor<70x{window}xf32>) -> tensor<7x5xf32>"""
    if not again:
        return text + "\n%3 = stablehlo.negate %p : tensor<7x5xf32>"
    return (
        text
        + f"""
      %3 = "stablehlo.scatter"(%p, %i, %u) <{{scatter_dimension_numbers = #stablehlo.scatter<{ROWS}>}}> ({{{ADDS})
        : (tensor<7x5xf32>, tensor<70x1xi32>, tensor<70x{window}xf32>) -> tensor<7x5xf32>"""
    )


COUNTED = """%zero = stablehlo.constant dense<0> : tensor<i32>
      %r:2 = stablehlo.while(%i = %zero, %s = %x) : tensor<i32>, tensor<9xf32> cond {{
        %limit = stablehlo.constant dense<{limit}> : tensor<i32>
        %c = stablehlo.compare {way}, %i, %limit : (tensor<i32>, tensor<i32>) -> tensor<i1>
        stablehlo.return %c : tensor<i1>
      }} do {{
        %one = stablehlo.constant dense<3> : tensor<i32>
        %j = stablehlo.add %i, %one : tensor<i32>
        %f = stablehlo.convert %j : (tensor<i32>) -> tensor<f32>
        %g = stablehlo.broadcast_in_dim %f, dims = [] : (tensor<f32>) -> tensor<9xf32>
        %t = stablehlo.add %s, %g : tensor<9xf32>
        stablehlo.return %j, %t : tensor<i32>, tensor<9xf32>
      }}
      %3 = stablehlo.negate %r#1 : tensor<9xf32>"""


def narrow_groups(each):
    """A convolution of 8 features in groups of so many, of what a kernel writes, and read by one."""
    t, w = "tensor<2x8x6x5xf32>", f"tensor<8x{each}x3x3xf32>"
    return f"""%0 = stablehlo.exponential %x : {t}
      %1 = stablehlo.convolution(%0, %w) dim_numbers = [b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1],
        window = {{stride = [1, 1], pad = [[1, 1], [1, 1]]}}
        {{batch_group_count = 1 : i64, feature_group_count = {8 // each} : i64}} : ({t}, {w}) -> {t}
      %3 = stablehlo.subtract %1, %0 : {t}"""


GROUPED = "%x: tensor<2x8x6x5xf32>, %w: tensor<8x{}x3x3xf32>"


@pytest.mark.parametrize(
    ("arguments", "result", "body", "kernels"),
    [
        (GROUPED.format(1), "tensor<2x8x6x5xf32>", narrow_groups(1), 3),  # one copies the weights
        (GROUPED.format(2), "tensor<2x8x6x5xf32>", narrow_groups(2), 3),
        ("%x: tensor<7x5xf32>, %u: tensor<70x5xf32>", "tensor<7x5xf32>", scatter_rows(5), 5),
        ("%x: tensor<7x5xf32>, %u: tensor<70x3xf32>", "tensor<7x5xf32>", scatter_rows(3), 5),
        ("%x: tensor<7x5xf32>, %u: tensor<70x5xf32>", "tensor<7x5xf32>", scatter_rows(5, again=True), 4),
        ("%x: tensor<9xf32>", "tensor<9xf32>", COUNTED.format(limit=10, way="LT"), None),
        ("%x: tensor<9xf32>", "tensor<9xf32>", COUNTED.format(limit=9, way="LE"), None),
        ("%x: tensor<9xf32>", "tensor<9xf32>", COUNTED.format(limit=0, way="LT"), None),
    ],
)
def test_kernels_and_results(tmp_path, arguments, result, body, kernels):
    path = tmp_path / "program.mlir"
    path.write_text(f"func.func @main({arguments}) -> {result} {{\n{body}\nreturn %3 : {result}\n}}\n")
    for device in ("opencl", "interp"):
        done = tenfold("run", path, "--random", 3, "--device", device, "--output", tmp_path / device)
        assert done.code == 0, done.err
    got, want = (np.load(tmp_path / device / "0.npy") for device in ("opencl", "interp"))
    if "convolution" in body:
        np.testing.assert_allclose(got, want, rtol=2e-6, atol=2e-6)
    else:
        assert np.array_equal(got, want)  # in the order of the updates
    if kernels:
        assert tenfold("show", path, "--stage", "opencl").out.count("\nKERNEL") == kernels


def sums_of_columns(rows, columns):
    """What a batch norm's gradient sums up, and a reader of the sums."""
    t, c = f"tensor<{rows}x{columns}xf32>", f"tensor<{columns}xf32>"
    add = "applies stablehlo.add across dimensions = [0]"
    return f"""func.func @main(%x: {t}, %g: {t}, %m: {c}) -> ({c}, {c}, {t}) {{
      %zero = stablehlo.constant dense<0.0> : tensor<f32>
      %0 = stablehlo.broadcast_in_dim %m, dims = [1] : ({c}) -> {t}
      %1 = stablehlo.subtract %x, %0 : {t}
      %2 = stablehlo.reduce(%g init: %zero) {add} : ({t}, tensor<f32>) -> {c}
      %3 = stablehlo.multiply %g, %1 : {t}
      %4 = stablehlo.reduce(%3 init: %zero) {add} : ({t}, tensor<f32>) -> {c}
      %5 = stablehlo.broadcast_in_dim %2, dims = [1] : ({c}) -> {t}
      %6 = stablehlo.subtract %g, %5 : {t}
      return %2, %4, %6 : {c}, {c}, {t}
    }}"""


@pytest.mark.parametrize("columns", [64, 24, 3, 768])
@pytest.mark.parametrize("rows", [40, 1280, 5001])
def test_sums_of_the_same_form_are_one_kernel(tmp_path, rows, columns):
    path = tmp_path / "program.mlir"
    path.write_text(sums_of_columns(rows, columns))
    for device in ("opencl", "interp"):
        done = tenfold("run", path, "--random", 3, "--device", device, "--output", tmp_path / device)
        assert done.code == 0, done.err
    for i in range(3):
        got, want = (np.load(tmp_path / device / f"{i}.npy") for device in ("opencl", "interp"))
        np.testing.assert_allclose(got, want, rtol=2e-5, atol=1e-3)
    pieces = (rows > 1000 and columns > 3) or rows > 5000
    source = tenfold("show", path, "--stage", "opencl").out
    assert source.count("\nKERNEL") == (3 if pieces else 2)
    vectors = columns % 4 == 0 and rows * columns >= 1 << 14
    assert ("LOAD_16(r" in source.partition("\nKERNEL")[2].partition("\nKERNEL")[0]) == vectors


def test_sums_that_lie_differently_in_memory_are_kernels_of_their_own(tmp_path):
    """A convolution reads one of them, channels last; the other is a result."""
    path = tmp_path / "program.mlir"
    x, z, w = "tensor<64x2x8x16x16xf32>", "tensor<2x8x16x16xf32>", "tensor<8x8x3x3xf32>"
    add = "applies stablehlo.add across dimensions = [0]"
    path.write_text(f"""func.func @main(%x: {x}, %w: {w}) -> ({z}, {z}) {{
      %zero = stablehlo.constant dense<0.0> : tensor<f32>
      %0 = stablehlo.multiply %x, %x : {x}
      %1 = stablehlo.reduce(%x init: %zero) {add} : ({x}, tensor<f32>) -> {z}
      %2 = stablehlo.reduce(%0 init: %zero) {add} : ({x}, tensor<f32>) -> {z}
      %3 = stablehlo.convolution(%1, %w) dim_numbers = [b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1],
        window = {{pad = [[1, 1], [1, 1]]}} {{batch_group_count = 1 : i64, feature_group_count = 1 : i64}}
        : ({z}, {w}) -> {z}
      return %2, %3 : {z}, {z}
    }}""")
    for device in ("opencl", "interp"):
        done = tenfold("run", path, "--random", 3, "--device", device, "--output", tmp_path / device)
        assert done.code == 0, done.err
    for i in range(2):
        got, want = (np.load(tmp_path / device / f"{i}.npy") for device in ("opencl", "interp"))
        np.testing.assert_allclose(got, want, rtol=1e-4, atol=1e-2)


def test_kernels_that_read_only_inputs_are_one(tmp_path):
    """Each is needed twice, so each has a buffer."""
    path = tmp_path / "program.mlir"
    vectors = "".join(
        f"""%a{i} = stablehlo.cosine %v{i} : tensor<8xf32>
        %b{i} = stablehlo.exponential %a{i} : tensor<8xf32>
        %c{i} = stablehlo.tanh %b{i} : tensor<8xf32>
        %d{i} = stablehlo.sine %c{i} : tensor<8xf32>
        %e{i} = stablehlo.logistic %d{i} : tensor<8xf32>
        %f{i} = stablehlo.cosine %e{i} : tensor<8xf32>
        %g{i} = stablehlo.exponential %f{i} : tensor<8xf32>
        """
        for i in range(3)
    )
    path.write_text(f"""func.func @main(%v0: tensor<8xf32>, %v1: tensor<8xf32>, %v2: tensor<8xf32>)
        -> (tensor<8xf32>, tensor<8xf32>) {{
      {vectors}
      %0 = stablehlo.add %g0, %g1 : tensor<8xf32>
      %1 = stablehlo.add %0, %g2 : tensor<8xf32>
      %2 = stablehlo.multiply %g0, %g1 : tensor<8xf32>
      %3 = stablehlo.subtract %2, %g2 : tensor<8xf32>
      return %1, %3 : tensor<8xf32>, tensor<8xf32>
    }}""")
    text = tenfold("show", path, "--stage", "opencl").out
    assert text.count("_part0(p") == 3, text
    for device in ("opencl", "interp"):
        done = tenfold("run", path, "--random", 3, "--device", device, "--output", tmp_path / device)
        assert done.code == 0, done.err
    for i in range(2):
        got, want = (np.load(tmp_path / device / f"{i}.npy") for device in ("opencl", "interp"))
        np.testing.assert_allclose(got, want, rtol=2e-6, atol=2e-6)


def test_what_needs_several_processes_is_refused_by_name(tmp_path):
    path = tmp_path / "program.mlir"
    path.write_text("""func.func @main(%token: !stablehlo.token) -> (tensor<2xf32>, !stablehlo.token) {
      %0:2 = "stablehlo.infeed"(%token) <{infeed_config = ""}>
        : (!stablehlo.token) -> (tensor<2xf32>, !stablehlo.token)
      return %0#0, %0#1 : tensor<2xf32>, !stablehlo.token
    }
    """)
    done = tenfold("run", path, "--random", "--device", "opencl")
    assert done.code != 0
    assert "stablehlo.infeed" in done.err and "device 'cpu' does" in done.err


def test_probes_and_checks_run_on_the_host(tmp_path):
    path = tmp_path / "program.mlir"
    path.write_text("""func.func @main() {
      %x = stablehlo.constant dense<[1.0, 2.0]> : tensor<2xf32>
      %0 = stablehlo.add %x, %x : tensor<2xf32>
      %1 = interpreter.probe %0, probe_id = "p" : tensor<2xf32>
      check.expect_serialized_eq %1, probe_id = "p" : tensor<2xf32>
      check.expect_eq_const %1, dense<[2.0, 4.5]> : tensor<2xf32>
      return
    }
    """)
    done = tenfold("check", path, "--device", "opencl")
    assert done.code == 1
    assert "expect_eq_const" in done.out and "1 failed" in done.out
