"""`tenfold show`, `opt` and `convert`: programs as text and bytecode."""

import os
import platform
from pathlib import Path

import pytest
from conftest import ROOT, tenfold

MLP = ROOT / "examples" / "mlp.mlir"
HERE = Path(__file__).parent

ADD = """module {
  func.func @main(%arg0: tensor<2xf32>) -> tensor<2xf32> {
    %0 = stablehlo.add %arg0, %arg0 : tensor<2xf32>
    return %0 : tensor<2xf32>
  }
}
"""

DEAD = """module {
  func.func private @unused() {
    return
  }
  func.func private @used(%arg0: tensor<2xf32>) -> tensor<2xf32> {
    return %arg0 : tensor<2xf32>
  }
  func.func @main(%arg0: tensor<2xf32>) -> tensor<2xf32> {
    %0 = stablehlo.multiply %arg0, %arg0 : tensor<2xf32>
    %1 = stablehlo.exponential %0 : tensor<2xf32>
    %2 = call @used(%arg0) : (tensor<2xf32>) -> tensor<2xf32>
    return %2 : tensor<2xf32>
  }
}
"""

ALIVE = """module {
  func.func private @used(%arg0: tensor<2xf32>) -> tensor<2xf32> {
    return %arg0 : tensor<2xf32>
  }
  func.func @main(%arg0: tensor<2xf32>) -> tensor<2xf32> {
    %0 = call @used(%arg0) : (tensor<2xf32>) -> tensor<2xf32>
    return %0 : tensor<2xf32>
  }
}
"""


@pytest.fixture
def add(tmp_path):
    path = tmp_path / "add.mlir"
    path.write_text(ADD)
    return path


def test_show_prints_what_it_reads(add):
    assert tenfold("show", add).out == ADD
    assert tenfold("show", "-", input=ADD).out == ADD
    assert tenfold("show", "--stage", "stablehlo", add).out == ADD


def test_show_generic(add):
    text = tenfold("show", "--generic", add).out
    assert '%0 = "stablehlo.add"(%arg0, %arg0) : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>' in text
    assert tenfold("show", "-", input=text).out == ADD


def test_show_no_constants(tmp_path):
    numbers = ", ".join(str(i) for i in range(40))
    program = f"""func.func @main() -> (tensor<40xi32>, tensor<2xi32>) {{
      %0 = stablehlo.constant dense<[{numbers}]> : tensor<40xi32>
      %1 = stablehlo.constant dense<[5, 6]> : tensor<2xi32>
      return %0, %1 : tensor<40xi32>, tensor<2xi32>
    }}"""
    assert "38, 39]" in tenfold("show", "-", input=program).out
    short = tenfold("show", "--no-constants", "-", input=program).out
    assert "38, 39]" not in short
    assert "dense<[5, 6]>" in short


def test_show_split_files(tmp_path):
    (tmp_path / "two.mlir").write_text(ADD + "\n// -----\n\n" + ADD)
    assert tenfold("show", tmp_path / "two.mlir").out == ADD + "\n// -----\n\n" + ADD


def test_a_wrong_program_is_shown_with_its_place(tmp_path):
    path = tmp_path / "wrong.mlir"
    path.write_text(ADD.replace("stablehlo.add %arg0, %arg0", "stablehlo.add %arg0, %nope"))
    result = tenfold("show", path)
    assert (result.code, result.out) == (1, "")
    assert result.err.startswith(f"tenfold: {path}:3:31: ")
    assert "    %0 = stablehlo.add %arg0, %nope : tensor<2xf32>\n" in result.err
    assert "^" in result.err


def test_a_missing_file_is_wrong_use():
    result = tenfold("show", "/no/such.mlir")
    assert (result.code, result.out) == (2, "")
    assert result.err == "tenfold: /no/such.mlir: No such file or directory\n"


CHOICES = """\
func.func @main(%x: tensor<64x32xf32>, %w: tensor<32x48xf32>, %i: tensor<64x32xi32>, %j: tensor<32x48xi32>)
    -> (tensor<64x48xf32>, tensor<64x48xi32>) {
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0]
    : (tensor<64x32xf32>, tensor<32x48xf32>) -> tensor<64x48xf32>
  %1 = stablehlo.negate %0 : tensor<64x48xf32>
  %2 = stablehlo.tanh %1 : tensor<64x48xf32>
  %3 = stablehlo.dot_general %i, %j, contracting_dims = [1] x [0]
    : (tensor<64x32xi32>, tensor<32x48xi32>) -> tensor<64x48xi32>
  return %2, %3 : tensor<64x48xf32>, tensor<64x48xi32>
}
"""


def choices(path: Path) -> list[str]:
    """What stands after the op in each line but the first, for the portable kernels: their rates are known."""
    out = tenfold("show", "--stage", "choice", path, env={"TENFOLD_CPU": "generic"}).out
    first, *lines = out.splitlines()
    assert first == "estimates: of one thread (generic), at 8 GFLOP/s and 8 GB/s"
    return [line.split(": ", 1)[1] for line in lines]


def test_show_choice(tmp_path):
    """What was chosen for each op, what else was considered, and the estimates."""
    path = tmp_path / "choices.mlir"
    path.write_text(CHOICES)
    assert choices(path) == [
        "gemm 24.6 us; considered: loops 614 us",
        "fused into what reads it",
        "epilogue of gemm",
        "matmul 192 us; considered: loops 614 us",
    ]


def test_estimates_depend_on_sizes(tmp_path):
    """A small matmul of integers is a loop, as the estimate says; a large one is not."""
    path = tmp_path / "small.mlir"
    path.write_text(CHOICES.replace("64x", "8x").replace("x48", "x8").replace("48x", "8x").replace("32x", "8x"))
    assert choices(path)[0] == "gemm 0.128 us; considered: loops 3.2 us"
    assert choices(path)[-1] == "loops 3.2 us; considered: matmul 39.2 us"


def test_every_kernel_has_a_choice():
    """Each op that ends in a step has a row: what computes it, and the estimate."""
    found = [line for line in choices(HERE / "every_kernel.mlir") if not line.startswith("fused")]
    assert found == [
        "sort 307 us",
        "fft 154 us",
        "cholesky 218 us",
        "trisolve 328 us",
        "rng 25.6 us",
        "loops 4 us",  # gather
        "scatter 12.8 us",
        "loops 12.8 us",  # reduce
        "scan 25.6 us; considered: loops 819 us",
        "move 5.12 us; considered: loops 32 us",
    ]


def test_attention_has_a_choice():
    """Its scores are computed inside of it, though a kernel of their own was considered."""
    assert choices(HERE / "attention.mlir") == [
        "inside attention; considered: gemm 65.5 us, loops 1.64e+03 us",
        "attention 93.6 us",
    ]


def test_show_unknown_stage(add):
    result = tenfold("show", "--stage", "nowhere", add)
    assert result.code == 2
    assert result.err.startswith("tenfold show: unknown stage 'nowhere'; use aten, stablehlo, ")
    result = tenfold("show", "--stage", "aten", add)
    assert result.code == 1
    assert result.err == f"tenfold: {add}: is StableHLO already; only a PyTorch archive has an ATen stage\n"


def test_opt_dce(tmp_path):
    (tmp_path / "dead.mlir").write_text(DEAD)
    result = tenfold("opt", "--pass=dce", tmp_path / "dead.mlir")
    assert (result.code, result.out, result.err) == (0, ALIVE, "")


def test_opt_prints_and_times(tmp_path):
    (tmp_path / "dead.mlir").write_text(DEAD)
    result = tenfold("opt", "--pass=dce,dce", "--print-after=dce", tmp_path / "dead.mlir")
    assert result.err == f"// after dce\n{ALIVE}// after dce\n{ALIVE}"
    assert tenfold("opt", "--pass=dce", "--print-after=all", tmp_path / "dead.mlir").err == f"// after dce\n{ALIVE}"
    times = tenfold("opt", "--pass=dce,dce", "--time-passes", tmp_path / "dead.mlir").err.splitlines()
    assert [line.split(" ms  ")[1] for line in times] == ["dce", "dce", "in all"]
    assert tenfold("opt", "--pass=dce", "-o", tmp_path / "out.mlir", tmp_path / "dead.mlir").out == ""
    assert (tmp_path / "out.mlir").read_text() == ALIVE


def test_opt_unknown_pass(add):
    result = tenfold("opt", "--pass=dec", add)
    assert (result.code, result.err) == (2, "tenfold: no pass 'dec'; did you mean 'dce'?\n")


def test_opt_lists_passes():
    assert "dce           remove ops and functions nothing depends on\n" in tenfold("opt", "--list").out


def test_opt_needs_a_pass(add):
    assert tenfold("opt", add).err.startswith("tenfold opt: needs --pass=NAME,…")


def test_the_example_is_canonical_after_one_reading():
    once = tenfold("show", MLP).out
    assert tenfold("show", "-", input=once).out == once


LAYERS = """func.func @main(%x0: tensor<700x3xf32>) -> (tensor<700x3xf32>, tensor<700x3xf32>, tensor<700x3xf32>) {
  %w0 = stablehlo.constant {aten.name = "layers.0"} dense<2.0> : tensor<700x3xf32>
  %w1 = stablehlo.constant {aten.name = "layers.1"} dense<2.0> : tensor<700x3xf32>
  %e0 = stablehlo.exponential %x0 : tensor<700x3xf32>
  %y0 = stablehlo.multiply %e0, %w0 : tensor<700x3xf32>
  %e1 = stablehlo.exponential %y0 : tensor<700x3xf32>
  %y1 = stablehlo.multiply %e1, %w1 : tensor<700x3xf32>
  %e2 = stablehlo.exponential %y1 : tensor<700x3xf32>
  %y2 = stablehlo.multiply %e2, %w1 : tensor<700x3xf32>
  return %y0, %y1, %y2 : tensor<700x3xf32>, tensor<700x3xf32>, tensor<700x3xf32>
}
"""


def test_layers_share_code(tmp_path):
    """What their parameters are called makes no difference."""
    path = tmp_path / "layers.mlir"
    path.write_text(LAYERS)
    assert tenfold("show", "--stage", "plan", path).out.count("  loops ") == 3
    assert tenfold("show", "--stage", "llvm", path).out.count("define void @") == 1


@pytest.mark.skipif(platform.machine() != "x86_64", reason="about AVX2")
@pytest.mark.parametrize(("elements", "interleaved"), [(1000, True), (100, False)])
def test_long_chains_are_interleaved_for_avx2(tmp_path, elements, interleaved):
    """Two vectors next to each other: each waits for itself, step by step."""
    of, text = f": tensor<{elements}xf32>", ""
    for i in range(4):
        text += f"  %e{i} = stablehlo.exponential %y{i} {of}\n  %y{i + 1} = stablehlo.add %e{i}, %y0 {of}\n"
    path = tmp_path / "chain.mlir"
    path.write_text(f"func.func @main(%y0{of}) -> tensor<{elements}xf32> {{\n{text}  return %y4 {of}\n}}\n")
    code = tenfold("show", "--stage", "llvm", path, env=os.environ | {"TENFOLD_CPU": "avx2"}).out
    assert "<8 x float>" in code and ("%index.next = add nuw i64 %index, 16\n" in code) == interleaved


def test_long_constants_are_left_out_and_counted(tmp_path):
    data = ", ".join(str(i) for i in range(120))
    program = tmp_path / "long.mlir"
    program.write_text(
        "func.func @main(%x: tensor<120xi32>) -> tensor<120xi32> {\n"
        f"  %0 = stablehlo.constant dense<[{data}]> : tensor<120xi32>\n"
        "  %1 = stablehlo.add %x, %0 : tensor<120xi32>\n  return %1 : tensor<120xi32>\n}\n"
    )
    short = tenfold("show", program)
    assert short.code == 0 and "dense_resource<__elided__> : tensor<120xi32>" in short.out
    assert "the data of 1 constant (120 elements) is left out" in short.err and "--full" in short.err
    assert tenfold("run", "-", "--random", input=short.out).code == 1
    full = tenfold("show", "--full", program)
    assert full.err == "" and "__elided__" not in full.out
    assert tenfold("show", "--full", "-", input=full.out).out == full.out
    assert tenfold("show", "--full", "--no-constants", program).code == 2
