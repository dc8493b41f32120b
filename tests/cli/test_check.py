"""`tenfold check`: programs that carry their own expectations."""

import json

from conftest import ROOT, tenfold

CASE = """func.func @{name}() {{
  %0 = stablehlo.constant dense<[1, 2, 3]> : tensor<3xi32>
  %1 = stablehlo.add %0, %0 : tensor<3xi32>
  check.expect_eq_const %1, dense<[2, {value}, 6]> : tensor<3xi32>
  return
}}
"""
NO_CHECK = "func.func @main() {\n  return\n}\n"
INPUT = """func.func @main(%x: tensor<i32>) {
  check.expect_eq_const %x, dense<1> : tensor<i32>
  return
}
"""


def write(folder, **files):
    for name, text in files.items():
        (folder / f"{name}.mlir").write_text(text)


def test_passing(tmp_path):
    write(tmp_path, a=CASE.format(name="main", value=4), b=CASE.format(name="any", value=4))
    result = tenfold("check", tmp_path)
    assert (result.code, result.out, result.err) == (0, "2 passed, 0 failed, 0 skipped\n", "")


def test_failures_say_what_and_where_in_order(tmp_path):
    write(tmp_path, a=CASE.format(name="main", value=5), b=CASE.format(name="main", value=4), c="func.func @main( {")
    result = tenfold("check", tmp_path, "--jobs", "2")
    assert result.code == 1
    lines = result.out.splitlines()
    failed = [line for line in lines if line.startswith("failed: ")]
    assert failed[0].startswith(f"failed: {tmp_path}/a.mlir @main: {tmp_path}/a.mlir:4:3: ")
    assert "[1]" in failed[0] and "4" in failed[0] and "5" in failed[0]
    assert failed[1].startswith(f"failed: {tmp_path}/c.mlir: {tmp_path}/c.mlir:1:")
    assert lines[-1] == "1 passed, 2 failed, 0 skipped"


def test_skips_have_reasons(tmp_path):
    write(tmp_path, a=INPUT)
    result = tenfold("check", tmp_path)
    assert result.code == 0
    assert result.out == (
        f"skipped: {tmp_path}/a.mlir @main: takes 1 inputs, and none are given\n0 passed, 0 failed, 1 skipped\n"
    )


def test_files_without_checks_are_only_verified(tmp_path):
    write(tmp_path, a=NO_CHECK, b=CASE.format(name="main", value=4))
    result = tenfold("check", tmp_path)
    assert result.code == 0
    assert result.out == ("1 file without check.* ops: read and verified, not run\n1 passed, 0 failed, 0 skipped\n")
    report = json.loads(tenfold("check", tmp_path, "--json").out)
    assert [case["result"] for case in report["cases"]] == ["unchecked", "passed"]
    assert report["skipped"] == 0


def test_parts_are_cases(tmp_path):
    good, bad = CASE.format(name="main", value=4), CASE.format(name="main", value=5)
    write(tmp_path, a="// -----\n".join([good, bad, NO_CHECK, good]))
    result = tenfold("check", tmp_path / "a.mlir")
    assert f"failed: {tmp_path}/a.mlir part 2 @main: {tmp_path}/a.mlir:11:3: " in result.out
    assert result.out.endswith("2 passed, 1 failed, 0 skipped\n")


def test_every_function_of_a_program_without_an_entry(tmp_path):
    write(tmp_path, a=CASE.format(name="one", value=4) + CASE.format(name="two", value=5))
    result = tenfold("check", tmp_path)
    assert " @two: " in result.out
    assert result.out.endswith("1 passed, 1 failed, 0 skipped\n")


FOREVER = """func.func @main() {
  %p = stablehlo.constant dense<true> : tensor<i1>
  %r = stablehlo.while(%x = %p) : tensor<i1>
   cond {
    stablehlo.return %x : tensor<i1>
  } do {
    stablehlo.return %x : tensor<i1>
  }
  check.expect_eq_const %r, dense<false> : tensor<i1>
  return
}
"""


def test_a_program_that_does_not_end_fails_alone(tmp_path):
    write(tmp_path, a=FOREVER, b=CASE.format(name="main", value=4))
    result = tenfold("check", tmp_path, "--device", "interp", "--timeout", "1", "--jobs", "1")
    assert result.code == 1
    assert result.out == (f"failed: {tmp_path}/a.mlir: was stopped after 1 s\n1 passed, 1 failed, 0 skipped\n")


def test_filter(tmp_path):
    write(tmp_path, dot=CASE.format(name="main", value=4), conv=CASE.format(name="main", value=5))
    assert tenfold("check", tmp_path, "--filter", "dot|gemm").out == "1 passed, 0 failed, 0 skipped\n"
    assert tenfold("check", tmp_path, "--filter", "nothing").err.startswith("tenfold check: no file matches 'nothing'")
    assert tenfold("check", tmp_path, "--filter", "(").code == 2


def test_json(tmp_path):
    write(tmp_path, a=CASE.format(name="main", value=4), b=CASE.format(name="main", value=5))
    result = tenfold("check", tmp_path, "--json")
    assert result.code == 1
    report = json.loads(result.out)
    assert (report["passed"], report["failed"], report["skipped"]) == (1, 1, 0)
    assert [case["result"] for case in report["cases"]] == ["passed", "failed"]
    assert "why" not in report["cases"][0] and "why" in report["cases"][1]


def test_wrong_use(tmp_path):
    assert tenfold("check").err.startswith("tenfold check: takes one PATH or more\n")
    assert tenfold("check", tmp_path).err.startswith("tenfold check: no .mlir files there\n")
    result = tenfold("check", tmp_path / "none")
    assert (result.code, result.err) == (2, f"tenfold: {tmp_path}/none: No such file or directory\n")


def test_the_examples_hold():
    assert tenfold("check", ROOT / "examples" / "checked.mlir").out == "2 passed, 0 failed, 0 skipped\n"
