"""`tenfold run`: inputs, results, and what is said when they do not fit."""

import json
import os
import re
import zipfile

import ml_dtypes
import numpy as np
import pytest
from conftest import ROOT, tenfold

MLP = ROOT / "examples" / "mlp.mlir"


def program(tmp_path, type_: str, body: str = "return %x : {0}", result: str | None = None):
    path = tmp_path / "program.mlir"
    text = f"func.func @main(%x: {type_}) -> {result or type_} {{\n  " + body.format(type_) + "\n}\n"
    path.write_text(text)
    return path


def softmax(x):
    e = np.exp(x - x.max(axis=1, keepdims=True))
    return e / e.sum(axis=1, keepdims=True)


def test_results_equal_numpys(tmp_path):
    rng = np.random.default_rng(1)
    shapes = [(4, 8), (8, 16), (16,), (16, 3), (3,)]
    x, w1, b1, w2, b2 = arrays = [rng.normal(size=shape).astype("f4") for shape in shapes]
    arguments = []
    for i, array in enumerate(arrays):
        np.save(tmp_path / f"{i}.npy", array)
        arguments += ["--input", tmp_path / f"{i}.npy"]
    result = tenfold("run", MLP, *arguments, "--output", tmp_path / "out" / "deep")
    assert (result.code, result.out, result.err) == (0, "", "")
    got = np.load(tmp_path / "out" / "deep" / "0.npy")
    assert got.dtype == np.float32
    np.testing.assert_allclose(got, softmax(np.maximum(x @ w1 + b1, 0) @ w2 + b2), rtol=1e-5)


def test_print_out(tmp_path):
    np.save(tmp_path / "x.npy", np.array([[1, -2.5, 3], [0.25, np.inf, 7]], "f4"))
    result = tenfold("run", program(tmp_path, "tensor<2x3xf32>"), "--input", tmp_path / "x.npy")
    assert result.err == ""
    first, second = result.out.splitlines()
    assert first == "result 0: tensor<2x3xf32>  min -2.5  mean inf  max inf"
    assert second.startswith("  1") and "-2.5" in second


def test_long_results_are_cut(tmp_path):
    np.save(tmp_path / "x.npy", np.arange(100, dtype="i4"))
    result = tenfold("run", program(tmp_path, "tensor<100xi32>"), "--input", tmp_path / "x.npy")
    assert result.out == (
        "result 0: tensor<100xi32>  min 0  mean 49.5  max 99\n  0, 1, 2, 3, 4, 5, 6, 7, … (100 in all)\n"
    )


def test_json(tmp_path):
    np.save(tmp_path / "x.npy", np.array([1, np.nan, 3], "f4"))
    result = tenfold("run", program(tmp_path, "tensor<3xf32>"), "--input", tmp_path / "x.npy", "--json")
    report = json.loads(result.out)
    assert report["entry"] == "main"
    assert set(report["seconds"]) == {"load", "compile", "execute"}
    assert report["results"] == [
        {
            "type": "tensor<3xf32>",
            "shape": [3],
            "dtype": "f32",
            "first": [1.0, "nan", 3.0],
            "min": 1.0,
            "mean": 2.0,
            "max": 3.0,
            "nan": 1,
        }
    ]


@pytest.mark.parametrize("name", ["i4", "ui2", "i1", "i64", "bf16", "f8E4M3FN", "f4E2M1FN", "f64", "complex<f32>"])
def test_random_is_the_same_each_time_and_in_range(tmp_path, name):
    path = program(tmp_path, f"tensor<64x{name}>")
    outputs = [tenfold("run", path, "--random", seed, "--json").out for seed in (3, 3, 4)]
    results = [json.loads(output)["results"] for output in outputs]
    assert results[0] == results[1] != results[2]
    if "min" in results[0][0]:
        low, high = {"i4": (-8, 7), "ui2": (0, 3), "i1": (0, 1), "i64": (-8, 7)}.get(name, (-1, 1))
        assert low <= results[0][0]["min"] < results[0][0]["max"] <= high


def test_random_seed_may_be_left_out():
    assert tenfold("run", "--random", MLP).out == tenfold("run", MLP, "--random", "0").out != ""


def test_bf16_in_and_out(tmp_path):
    array = np.array([1.5, -2, 3.25], ml_dtypes.bfloat16)
    np.save(tmp_path / "x.npy", array)
    path = program(tmp_path, "tensor<3xbf16>", "%0 = stablehlo.add %x, %x : {0}\n  return %0 : {0}")
    assert tenfold("run", path, "--input", tmp_path / "x.npy", "--output", tmp_path).code == 0
    got = np.load(tmp_path / "0.npy").view(ml_dtypes.bfloat16)
    np.testing.assert_array_equal(got.astype("f4"), [3, -4, 6.5])


def test_wrong_inputs_are_named(tmp_path):
    path = program(tmp_path, "tensor<3xf32>")
    np.save(tmp_path / "shape.npy", np.zeros(4, "f4"))
    np.save(tmp_path / "type.npy", np.zeros(3, "f8"))
    result = tenfold("run", path, "--input", tmp_path / "shape.npy")
    assert result.code == 1
    assert result.err == (
        f"tenfold: {tmp_path}/shape.npy: is tensor<4xf32>; tensor<3xf32> is wanted\n  while reading input 0\n"
    )
    result = tenfold("run", path, "--input", tmp_path / "type.npy")
    assert result.err == f"tenfold: {tmp_path}/type.npy: holds f64; f32 is wanted\n  while reading input 0\n"
    result = tenfold("run", path)
    assert (result.code, result.out) == (1, "")
    assert result.err == ("tenfold: the program takes 1 input; 0 were given (--random fills in what is missing)\n")
    assert tenfold("run", path, "--input", "/no/such.npy").code == 2


def test_entry(tmp_path):
    path = tmp_path / "two.mlir"
    path.write_text("""
      func.func @one() -> tensor<i32> { %0 = stablehlo.constant dense<1> : tensor<i32> return %0 : tensor<i32> }
      func.func @two() -> tensor<i32> { %0 = stablehlo.constant dense<2> : tensor<i32> return %0 : tensor<i32> }
    """)
    assert tenfold("run", path, "--entry", "two").out.endswith("  2\n")
    result = tenfold("run", path)
    assert result.code == 2
    assert result.err == "tenfold: no @main and several functions: choose one with --entry (@one, @two)\n"
    assert tenfold("run", path, "--entry", "tow").err == "tenfold: no function @tow; the program has: @one, @two\n"


def test_unknown_device():
    result = tenfold("run", MLP, "--random", "--device", "intrep")
    assert (result.code, result.err) == (2, "tenfold: no device 'intrep'; did you mean 'interp'?\n")


def test_log_says_what_goes_on(tmp_path):
    result = tenfold("run", MLP, "--random", env=os.environ | {"TENFOLD_LOG": "info"})
    assert re.fullmatch(r"tenfold: info: loaded in .* ms, compiled for \w+ in .* ms, ran in .* ms\n", result.err)
    result = tenfold("run", MLP, "--random", env=os.environ | {"TENFOLD_LOG": "loud"})
    assert result.code == 2
    assert result.err == (
        "tenfold: the environment variable TENFOLD_LOG is 'loud'; it takes off, error, warn, info or debug\n"
    )


@pytest.mark.parametrize("device", ["interp", "cpu"])
def test_dynamic_sizes_come_from_the_inputs(tmp_path, device):
    path = program(tmp_path, "tensor<?x3xf32>", "%0 = stablehlo.add %x, %x : {0}\n  return %0 : {0}")
    for rows in (2, 5):
        array = np.arange(rows * 3, dtype="f4").reshape(rows, 3)
        np.save(tmp_path / "x.npy", array)
        result = tenfold("run", path, "-i", tmp_path / "x.npy", "-o", tmp_path, "-d", device)
        assert (result.code, result.err) == (0, "")
        np.testing.assert_array_equal(np.load(tmp_path / "0.npy"), array * 2)
    result = tenfold("run", path, "--random", "-d", device)
    assert result.code == 1
    assert result.err == "tenfold: argument 0 is tensor<?x3xf32>: give its value with --input\n"


def test_an_archive_that_is_no_program_is_refused(tmp_path):
    with zipfile.ZipFile(tmp_path / "not.pt2", "w") as archive:
        archive.writestr("hello.txt", "hello")
    result = tenfold("run", tmp_path / "not.pt2", "--random")
    assert (result.code, result.out) == (1, "")
    assert f"reading {tmp_path}/not.pt2" in result.err


@pytest.mark.parametrize("device", ["interp", "cpu"])
@pytest.mark.parametrize("size", [1, 3])
def test_sizes_that_are_inputs(tmp_path, device, size):
    (tmp_path / "program.mlir").write_text(
        """func.func @main(%n: tensor<i64>, %x: tensor<?x4xf32>) -> tensor<?x4xf32> {
          %n1 = stablehlo.reshape %n : (tensor<i64>) -> tensor<1xi64>
          %four = stablehlo.constant dense<4> : tensor<1xi64>
          %shape = stablehlo.concatenate %n1, %four, dim = 0 : (tensor<1xi64>, tensor<1xi64>) -> tensor<2xi64>
          %i = stablehlo.dynamic_iota %shape, dim = 0 : (tensor<2xi64>) -> tensor<?x4xf32>
          %sum = stablehlo.add %x, %i : tensor<?x4xf32>
          func.return %sum : tensor<?x4xf32>
        }"""
    )
    np.save(tmp_path / "n.npy", np.array(size, dtype="i8"))
    np.save(tmp_path / "x.npy", np.full((size, 4), 0.5, dtype="f4"))
    arguments = ["--input", tmp_path / "n.npy", "--input", tmp_path / "x.npy", "--output", tmp_path / "out"]
    result = tenfold("run", tmp_path / "program.mlir", "--device", device, *arguments)
    assert (result.code, result.out, result.err) == (0, "", "")
    want = np.arange(size, dtype="f4")[:, None] + np.full((size, 4), 0.5, dtype="f4")
    np.testing.assert_array_equal(np.load(tmp_path / "out" / "0.npy"), want)


def test_profile():
    result = tenfold("run", MLP, "--random", "--repeat", "3", "--profile", "--json")
    steps = json.loads(result.out)["profile"]
    products = [step for step in steps if step["step"].startswith("gemm ")]
    assert sum(step["flops"] for step in products) == 2 * 4 * (8 * 16 + 16 * 3)
    assert all(step["seconds"] > 0 and step["calls"] >= 1 for step in steps)
    table = tenfold("run", MLP, "--random", "--profile").out
    assert "GFLOP/s  step" in table and table.rstrip().endswith("all steps")


def test_profile_is_of_the_cpu():
    result = tenfold("run", MLP, "--random", "--profile", "--device", "interp")
    assert result.code == 1
    assert "device 'interp' does not support a profile by step" in result.err


def test_inputs_by_name(tmp_path):
    (tmp_path / "sub.mlir").write_text(
        "func.func @main(%left: tensor<3xf32>, %right: tensor<3xf32>) -> tensor<3xf32> {\n"
        "  %0 = stablehlo.subtract %left, %right : tensor<3xf32>\n  return %0 : tensor<3xf32>\n}\n"
    )
    np.save(tmp_path / "a.npy", np.array([5, 6, 7], np.float32))
    np.save(tmp_path / "b=c.npy", np.array([1, 2, 3], np.float32))

    def run(*arguments):
        return tenfold("run", "sub.mlir", *arguments, "--json", cwd=tmp_path)

    done = run("-i", "right=a.npy", "-i", "left=b=c.npy")
    assert done.code == 0, done
    report = json.loads(done.out)
    assert report["inputs"] == ["left", "right"] and report["outputs"] == ["0"]
    assert report["results"] == json.loads(run("-i", "b=c.npy", "-i", "a.npy").out)["results"]
    wrong = run("-i", "middle=a.npy", "-i", "a.npy")
    assert wrong.code == 1 and "unknown input 'middle'; use one of: left 3, right 3" in wrong.err
    twice = run("-i", "left=a.npy", "-i", "a.npy")
    assert twice.code == 1 and "input 0 is given twice" in twice.err
