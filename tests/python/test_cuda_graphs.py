"""How calls on CUDA memory become graphs, and graphs are changed for other addresses: with a stand-in for the driver
that writes down what would run (cuda_stand_in.c)."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).parent
pytestmark = pytest.mark.skipif(shutil.which("cc") is None, reason="no C compiler")

START = """
import ctypes, sys
from tenfold import _core

driver = ctypes.CDLL("libcuda.so.1")
driver.stand_in_log.restype = ctypes.c_char_p


def log():
    return driver.stand_in_log().decode().splitlines()


def places(line, given):
    "A kernel's line without what is the program's own: the caller's addresses by their place."
    word, *numbers = line.split()
    return word, tuple(given.index(int(n)) if int(n) in given else None for n in numbers if not n.startswith("0x"))


def call(made, inputs, outputs, stream=64):
    log()
    assert made.enqueue(list(inputs), list(outputs), stream) is None
    return log()


def kernels(lines, given):
    return [places(line, given) for line in lines if line[0] == "k" or line.startswith("copy")]


TEXT = '''func.func @main(%x: tensor<8x64xf32>, %w: tensor<64x32xf32>, %b: tensor<32xf32>)
    -> (tensor<8x32xf32>, tensor<32xf32>, tensor<8xf32>, tensor<32xf32>) {
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0]
    : (tensor<8x64xf32>, tensor<64x32xf32>) -> tensor<8x32xf32>
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %1 = stablehlo.reduce(%0 init: %z) applies stablehlo.add across dimensions = [1]
    : (tensor<8x32xf32>, tensor<f32>) -> tensor<8xf32>
  %2 = stablehlo.add %b, %b : tensor<32xf32>
  return %0, %b, %1, %2 : tensor<8x32xf32>, tensor<32xf32>, tensor<8xf32>, tensor<32xf32>
}'''
made = _core.parse(TEXT).compile(device="cuda")
_core.enqueue_counts(True)


def addresses(n):
    return [(1 << 30) + (n * 16 + i) * 4096 for i in range(7)]


def run(n, stream=64):
    given = addresses(n)
    lines = call(made, given[:3], given[3:], stream)
    return lines, kernels(lines, given)


first, want = run(0)
assert any(None not in where[:-1] for _, where in want), want
"""


@pytest.fixture(scope="session")
def folder(tmp_path_factory):
    place = tmp_path_factory.mktemp("stand-in")
    library = place / "libcuda.so.1"
    subprocess.run(["cc", "-shared", "-fPIC", "-O1", "-o", library, HERE / "cuda_stand_in.c"], check=True, timeout=120)
    shutil.copy(library, place / "libnvrtc.so")
    return place


def check(folder, text):
    environment = dict(os.environ, LD_LIBRARY_PATH=str(folder), TENFOLD_CACHE="off")
    done = subprocess.run(
        [sys.executable, "-c", START + text], env=environment, capture_output=True, text=True, timeout=120, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_graphs_are_changed_for_new_addresses(folder):
    check(
        folder,
        """
for n in range(1, 9):
    lines, found = run(n)
    assert found == want, (n, found, want)
    assert sum(line.startswith("graph") for line in lines) == (1 if n <= 4 else 0), lines
    assert any(line.startswith("change") for line in lines) == (n > 4), lines
for n in (5, 6, 7, 8):  # of equally different ones, the least recently used is changed
    lines, found = run(n)
    assert found == want and not any(line.startswith("change") for line in lines), lines
counts = _core.enqueue_counts(False)
assert counts["calls"] == 13 and counts["replays"] == 12 and counts["graphs"] == 4, counts
assert counts["kernels"] == len([1 for word, _ in want if word[0] == "k"]), counts
""",
    )


def test_only_kernels_that_see_an_address_are_changed(folder):
    check(
        folder,
        """
for n in range(1, 5):
    run(n)
given = addresses(4)
given[6] = 1 << 20  # the last result
lines = call(made, given[:3], given[3:])
assert kernels(lines, given) == want
assert sum(line.startswith("change") for line in lines) == 1, lines
assert not any(line.startswith("change") for line in call(made, given[:3], given[3:]))
""",
    )


def test_a_driver_that_cannot_change_graphs(folder):
    check(
        folder,
        """
driver.stand_in_changeable(0)
for n in range(1, 9):
    assert run(n)[1] == want
    assert n <= 4 or not any(line.startswith("replay") for line in run(n)[0])
assert _core.enqueue_counts(False)["graphs"] == 4
""",
    )


def test_a_stream_waits_for_the_one_before(folder):
    check(
        folder,
        """
assert not any(line.startswith("wait") for line in run(1)[0])
assert any(line.startswith("wait") for line in run(1, stream=128)[0])
assert not any(line.startswith("wait") for line in run(2, stream=128)[0])
assert run(2, stream=2) and any(line.startswith("wait") for line in run(2, stream=2)[0])  # each thread's own
""",
    )


def test_results_in_the_place_of_inputs(folder):
    check(
        folder,
        """
def places(body, results=1, rank="32x"):
    text = '''func.func @main(%x: tensor<32xf32>, %y: tensor<32xf32>)
        -> (tensor<32xf32> {aten.mutates_input = 0 : i64}RESULTS) { BODY }'''
    text = text.replace("BODY", body).replace("RESULTS", ", tensor<32xf32>" * (results - 1))
    return _core.parse(text.replace("32x", rank)).compile(device="cuda").in_place


add = "%0 = stablehlo.add %x, %y : tensor<32xf32>"
assert places(add + " return %0 : tensor<32xf32>") == [0]
assert places("%0 = stablehlo.reverse %x, dims = [0] : tensor<32xf32> return %0 : tensor<32xf32>") == [None]
assert places(add + " return %0, %x : tensor<32xf32>, tensor<32xf32>", 2) == [None, None]
assert places(add + " return %0, %0 : tensor<32xf32>, tensor<32xf32>", 2) == [None, None]
assert places(add + " return %0 : tensor<32xf32>", rank="") == [0]
# two parts of one kernel, in no order:
later = add + " %1 = stablehlo.reverse %x, dims = [0] : tensor<32xf32>"
assert places(later + " return %0, %1 : tensor<32xf32>, tensor<32xf32>", 2) == [None, None]
""",
    )


def test_tensor_maps_follow_addresses(folder):
    check(
        folder,
        """
text = '''func.func @main(%x: tensor<4x1024x1024xbf16>, %w: tensor<4x1024x768xbf16>) -> tensor<4x1024x768xbf16> {
  %0 = stablehlo.dot_general %x, %w, batching_dims = [0] x [0], contracting_dims = [2] x [1]
    : (tensor<4x1024x1024xbf16>, tensor<4x1024x768xbf16>) -> tensor<4x1024x768xbf16>
  return %0 : tensor<4x1024x768xbf16>
}'''
product = _core.parse(text).compile(device="cuda")
for n in range(1, 9):
    given = addresses(n)
    lines = call(product, given[:2], given[2:3])
    word, where = kernels(lines, given)[-1]
    assert where[2:] == (0, 1, 2, 0, 1, None), (n, lines)  # p0, p1, q0, m0, m1, the number of tiles
    x, w = (line.split(" / ") for line in lines if line.startswith("map"))
    assert x[:2] == ["map 1024 1024 4", "2048 2097152"] and x[2].split()[::2] == ["64", "1"], lines
    assert w == ["map 768 1024 4", "1536 1572864", "64 64 1"], lines
    assert any(line.startswith("change") for line in lines) == (n > 5), lines
""",
    )


def test_windows_of_convolutions_are_maps(folder):
    check(
        folder,
        """
def maps(numbers, window, right, *types):
    text = f'''func.func @main(%x: {types[0]}, %w: {types[1]}) -> {types[2]} {{
      %0 = stablehlo.tanh %x : {types[0]}
      %1 = stablehlo.tanh %w : {types[1]}
      %2 = stablehlo.convolution(%0, {right}) dim_numbers = {numbers}, window = {{{window}}}
        {{batch_group_count = 1 : i64, feature_group_count = 1 : i64}} : ({types[0]}, {types[1]}) -> {types[2]}
      return %2 : {types[2]}
    }}'''
    given = addresses(0)
    lines = call(_core.parse(text).compile(device="cuda"), given[:2], given[2:3])
    return [line.split(" / ") for line in lines if line.startswith(("map", "window"))]


image, small = "tensor<32x128x56x56xbf16>", "tensor<32x128x28x28xbf16>"
# a stride of two: features, then 28 x 28 pixels of 32 images; nine taps of 128 features for each of 128
x, w = maps("[b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1]", "stride = [2, 2], pad = [[1, 1], [1, 1]]",
            "%w", image, "tensor<128x128x3x3xbf16>", small)
assert x[:2] == ["window 128 56 56 32", "256 14336 802816"] and x[3] == "-1..-2 by 2 -1..-2 by 2", x
assert x[2].split()[0] == "64" and w[:2] == ["map 128 128 9", "2304 256"], (x, w)
# the gradient of its weights: lines are features, the depth is pixels
x, w = maps("[f, b, 0, 1]x[i, o, 0, 1]->[f, b, 0, 1]", "pad = [[1, 0], [1, 0]], rhs_dilate = [2, 2]",
            "%1", image, small, "tensor<128x128x3x3xbf16>")
assert x == ["window 128 56 56 32", "256 14336 802816", "64 64", "-1..-2 by 2 -1..-2 by 2"], x
assert w == ["map 128 25088", "256", "64 64"], w
""",
    )
