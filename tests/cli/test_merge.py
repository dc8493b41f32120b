"""Generated functions that differ in numbers alone are compiled once (codegen/merge.c), and compute what they did."""

import re

import numpy as np
import pytest
from conftest import tenfold


def program(inputs: list[str], lines: list[str], results: list[tuple[str, str]]) -> str:
    given = ", ".join(f"%x{i}: tensor<{shape}>" for i, shape in enumerate(inputs))
    names, types = ", ".join(n for n, _ in results), ", ".join(f"tensor<{t}>" for _, t in results)
    body = "\n".join(f"  {line}" for line in lines)
    return f"func.func @main({given}) -> ({types}) {{\n{body}\n  return {names} : {types}\n}}\n"


SUM = "applies stablehlo.add across dimensions"


def channels(widths: list[int]) -> str:
    """Of each image its channels' sums, and the image with those added: rows with a trip count, a stride, divisors."""
    lines, results = ["%zero = stablehlo.constant dense<0.0> : tensor<f32>"], []
    for i, c in enumerate(widths):
        image, row = f"2x3x5x{c}xf32", f"{c}xf32"
        kind = f"(tensor<{image}>, tensor<f32>) -> tensor<{row}>"
        lines += [
            f"%s{i} = stablehlo.reduce(%x{i} init: %zero) {SUM} = [0, 1, 2] : {kind}",
            f"%n{i} = stablehlo.constant dense<{c + 0.5}> : tensor<{row}>",
            f"%m{i} = stablehlo.divide %s{i}, %n{i} : tensor<{row}>",
            f"%b{i} = stablehlo.broadcast_in_dim %m{i}, dims = [3] : (tensor<{row}>) -> tensor<{image}>",
            f"%r{i} = stablehlo.subtract %x{i}, %b{i} : tensor<{image}>",
        ]
        results.append((f"%r{i}", image))
    return program([shape for _, shape in results], lines, results)


def planes(counts: list[int]) -> str:
    """A number for each plane, which is in the middle of the shape: a row's place is divided by what differs."""
    lines, results = [], []
    for i, c in enumerate(counts):
        image, row = f"3x{c}x7x9xf32", f"{c}xf32"
        lines += [
            f"%p{i} = stablehlo.slice %x{i} [0:1, 0:{c}, 0:1, 0:1] : (tensor<{image}>) -> tensor<1x{c}x1x1xf32>",
            f"%q{i} = stablehlo.reshape %p{i} : (tensor<1x{c}x1x1xf32>) -> tensor<{row}>",
            f"%e{i} = stablehlo.exponential %q{i} : tensor<{row}>",
            f"%b{i} = stablehlo.broadcast_in_dim %e{i}, dims = [1] : (tensor<{row}>) -> tensor<{image}>",
            f"%r{i} = stablehlo.multiply %x{i}, %b{i} : tensor<{image}>",
        ]
        results.append((f"%r{i}", image))
    return program([shape for _, shape in results], lines, results)


def constants(numbers: list[float], dtype: str) -> str:
    """A long chain, whose parts differ in their constants."""
    shape, lines, last = f"50x{dtype}", [], "%x0"
    for i, number in enumerate(numbers):
        lines += [
            f"%c{i} = stablehlo.constant dense<{number}> : tensor<{shape}>",
            f"%d{i} = stablehlo.constant dense<{number / 3 + 1}> : tensor<{shape}>",
            f"%a{i} = stablehlo.multiply {last}, %c{i} : tensor<{shape}>",
            f"%b{i} = stablehlo.sine %a{i} : tensor<{shape}>",
            f"%r{i} = stablehlo.divide %b{i}, %d{i} : tensor<{shape}>",
        ]
        last = f"%r{i}"
    return program([shape], lines, [(last, shape)])


CASES = {
    "channels": channels([128, 160, 192, 224, 256, 288, 320, 352, 1024]),
    "planes": planes([2, 3, 4, 5, 6, 7, 8, 11, 64]),
    "constants": constants([0.7 + 0.01 * i for i in range(150)], "f32"),
    "doubles": constants([0.7 + 0.001 * i for i in range(400)], "f64"),
}


@pytest.mark.parametrize("name", CASES)
def test_results_are_the_interpreters(tmp_path, name):
    source = tmp_path / "program.mlir"
    source.write_text(CASES[name])
    for device in ("cpu", "interp"):
        done = tenfold("run", source, "--random", "-d", device, "-o", tmp_path / device)
        assert done.code == 0, done.err
    found = sorted((tmp_path / "cpu").glob("*.npy"))
    assert found
    for file in found:
        ours, theirs = np.load(file), np.load(tmp_path / "interp" / file.name)
        np.testing.assert_allclose(ours, theirs, rtol=2e-5, atol=2e-5)


@pytest.mark.parametrize("name", CASES)
def test_one_function_stands_for_many(tmp_path, name):
    source = tmp_path / "program.mlir"
    source.write_text(CASES[name])
    done = tenfold("show", source, "--stage", "llvm")
    assert done.code == 0, done.err
    kernels = set(re.findall(r"@(ten_k\d+)(?: = |\()", done.out))
    inner = re.findall(r"define private void @body\d+\(", done.out)
    assert len(kernels) >= 8
    assert len(inner) <= len(kernels) // 2, f"{len(inner)} functions for {len(kernels)} kernels"


def test_functions_that_differ_in_more_stay_apart(tmp_path):
    """Among equal constants that simplify (0, 1, 2) and others, in a compare that is no trip count."""
    lines = ["%zero = stablehlo.constant dense<0.0> : tensor<f32>"]
    results = []
    for i, number in enumerate(["0.0", "1.0", "2.0", "-1.0", "0.3", "0.4", "0.5", "0x7F800000", "0x7FC00000"]):
        lines += [
            f"%c{i} = stablehlo.constant dense<{number}> : tensor<40xf32>",
            f"%m{i} = stablehlo.multiply %x0, %c{i} : tensor<40xf32>",
            f"%k{i} = stablehlo.compare GT, %x0, %c{i} : (tensor<40xf32>, tensor<40xf32>) -> tensor<40xi1>",
            f"%s{i} = stablehlo.select %k{i}, %m{i}, %c{i} : tensor<40xi1>, tensor<40xf32>",
            f"%r{i} = stablehlo.reduce(%s{i} init: %zero) {SUM} = [0] : (tensor<40xf32>, tensor<f32>) -> tensor<f32>",
        ]
        results += [(f"%r{i}", "f32"), (f"%s{i}", "40xf32")]
    source = tmp_path / "program.mlir"
    source.write_text(program(["40xf32"], lines, results))
    for device in ("cpu", "interp"):
        done = tenfold("run", source, "--random", "-d", device, "-o", tmp_path / device)
        assert done.code == 0, done.err
    for file in sorted((tmp_path / "cpu").glob("*.npy")):
        np.testing.assert_allclose(np.load(file), np.load(tmp_path / "interp" / file.name), rtol=1e-5, atol=1e-6)
