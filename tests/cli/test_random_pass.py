"""The pass that writes random bits out gives every bit of the interpreter's generator."""

from __future__ import annotations

import pytest
from conftest import tenfold

SHAPES = ["", "5x", "6x", "3x4x", "4x3x", "3x7x5x", "1x", "0x", "2x0x3x"]


@pytest.mark.parametrize("element", ["ui32", "ui64"])
@pytest.mark.parametrize("shape", SHAPES)
def test_bits_stay(tmp_path, shape, element):
    bits = f"tensor<{shape}{element}>"
    source = tmp_path / "program.mlir"
    # The counter's lower word overflows on the way.
    source.write_text(f"""
func.func @main() -> (tensor<2xui64>, {bits}) {{
  %state = stablehlo.constant dense<[81985529216486895, 4294967293]> : tensor<2xui64>
  %next, %bits = stablehlo.rng_bit_generator %state, algorithm = THREE_FRY
    : (tensor<2xui64>) -> (tensor<2xui64>, {bits})
  return %next, %bits : tensor<2xui64>, {bits}
}}
""")
    expanded = tmp_path / "expanded.mlir"
    expanded.write_text(tenfold("opt", "--pass=random", source).out)
    assert "rng_bit_generator" not in expanded.read_text()
    results = []
    for path in (source, expanded):
        done = tenfold("run", path, "--device", "interp", "-o", path.with_suffix(""))
        assert done.code == 0, done.err
        results.append([(path.with_suffix("") / f"{i}.npy").read_bytes() for i in range(2)])
    assert results[0] == results[1]


def test_other_algorithms_are_left_alone(tmp_path):
    source = tmp_path / "program.mlir"
    source.write_text("""
func.func @main(%state: tensor<2xui64>) -> (tensor<2xui64>, tensor<4xui32>) {
  %next, %bits = stablehlo.rng_bit_generator %state, algorithm = PHILOX
    : (tensor<2xui64>) -> (tensor<2xui64>, tensor<4xui32>)
  return %next, %bits : tensor<2xui64>, tensor<4xui32>
}
""")
    assert "PHILOX" in tenfold("opt", "--pass=random", source).out
