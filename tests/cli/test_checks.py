"""Checks in a program (custom_call @tenfold.assert): the interpreter, the cpu, compiled files and shared objects stop
with the message, the value and the user's line; other StableHLO keeps its own meaning."""

import os
from ctypes import CDLL, POINTER, Structure, byref, c_char_p, c_int, c_int64, c_size_t, c_uint32, c_void_p, sizeof
from pathlib import Path

import numpy as np
import pytest
from conftest import tenfold

PROGRAM = """
func.func @main(%x: tensor<5xf32>, %i: tensor<3xi64>) -> tensor<3xf32> {
  %size = stablehlo.constant dense<5> : tensor<i64>
  %low = stablehlo.constant dense<0> : tensor<i64>
  %most = stablehlo.reduce(%i init: %low) applies stablehlo.maximum across dimensions = [0]
    : (tensor<3xi64>, tensor<i64>) -> tensor<i64>
  %ok = stablehlo.compare LT, %most, %size : (tensor<i64>, tensor<i64>) -> tensor<i1>
  stablehlo.custom_call @tenfold.assert(%ok, %most) {has_side_effect = true, tenfold.exception = "IndexError",
    tenfold.message = "index {} is out of bounds", tenfold.place = "model.py:12"} : (tensor<i1>, tensor<i64>) -> ()
  %0 = "stablehlo.gather"(%x, %i) {dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0],
    start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1>}
    : (tensor<5xf32>, tensor<3xi64>) -> tensor<3xf32>
  return %0 : tensor<3xf32>
}
"""
MESSAGE = "model.py:12: index 7 is out of bounds"
X = np.arange(5, dtype=np.float32)
GOOD, BAD = np.array([0, 4, 2]), np.array([0, 7, 2])


@pytest.fixture
def files(tmp_path):
    (tmp_path / "p.mlir").write_text(PROGRAM)
    np.save(tmp_path / "x.npy", X)
    np.save(tmp_path / "good.npy", GOOD)
    np.save(tmp_path / "bad.npy", BAD)
    return tmp_path


def run(files, program, index, *options):
    return tenfold("run", files / program, "-i", files / "x.npy", "-i", files / f"{index}.npy", *options)


@pytest.mark.parametrize("device", ["cpu", "interp"])
def test_run(files, device):
    assert run(files, "p.mlir", "good", "-d", device).code == 0
    failed = run(files, "p.mlir", "bad", "-d", device, "-o", files / "out")
    assert failed.code == 1
    assert MESSAGE in failed.err
    assert not (files / "out" / "0.npy").exists()


def test_compiled_file(files):
    assert tenfold("compile", files / "p.mlir", "-o", files / "p.ten").code == 0
    assert run(files, "p.ten", "good").code == 0
    failed = run(files, "p.ten", "bad")
    assert failed.code == 1
    assert MESSAGE in failed.err
    assert "--no-checks" in run(files, "p.ten", "bad", "--no-checks").err


def test_off(files):
    assert run(files, "p.mlir", "bad").code == 1
    ran = run(files, "p.mlir", "bad", "--no-checks", "-o", files / "out")
    assert ran.code == 0, ran.err
    assert np.load(files / "out" / "0.npy").tolist() == [0, 4, 2]  # clamped
    assert tenfold("compile", files / "p.mlir", "-o", files / "off.ten", "--no-checks").code == 0
    assert run(files, "off.ten", "bad").code == 0


class Buffer(Structure):
    _fields_ = [
        ("dtype", c_int),
        ("rank", c_uint32),
        ("dims", POINTER(c_int64)),
        ("data", c_void_p),
        ("bytes", c_size_t),
    ]


class Options(Structure):
    _fields_ = [("size", c_size_t), ("device", c_char_p), ("entry", c_char_p), ("precision", c_char_p)]
    _fields_ += [("exact_conv", c_int), ("tune", c_int), ("no_checks", c_int)]


@pytest.mark.parametrize("no_checks", [0, 1])
def test_c_api(files, no_checks):
    default = Path(__file__).resolve().parents[2] / "lib" / "libtenfold.so"
    library = CDLL(os.environ.get("TENFOLD_LIBRARY", str(default)))
    for name in ("ten_program_load", "ten_program_compile", "ten_executable_execute"):
        getattr(library, name).restype = c_void_p
    library.ten_executable_input.restype = library.ten_executable_output.restype = Buffer
    library.ten_executable_input_name.restype = library.ten_status_text.restype = c_char_p
    library.ten_status_text.argtypes = library.ten_status_free.argtypes = [c_void_p]
    model, compiled = c_void_p(), c_void_p()
    options = Options(size=sizeof(Options), no_checks=no_checks)
    assert not library.ten_program_load(str(files / "p.mlir").encode(), byref(model))
    assert not library.ten_program_compile(model, byref(options), byref(compiled))
    assert [library.ten_executable_input_name(compiled, c_size_t(i)) for i in range(2)] == [b"x", b"i"]
    out = np.zeros(3, np.float32)
    inputs = (Buffer * 2)(*(library.ten_executable_input(compiled, c_size_t(i)) for i in range(2)))
    outputs = (Buffer * 1)(library.ten_executable_output(compiled, c_size_t(0)))
    for buffer, array in zip([*inputs, *outputs], [X, BAD, out], strict=True):
        buffer.data = array.ctypes.data
    failed = library.ten_executable_execute(compiled, inputs, c_size_t(2), outputs, c_size_t(1))
    if no_checks:
        assert not failed
        assert out.tolist() == [0, 4, 2]  # clamped
    else:
        assert library.ten_status_text(failed).decode() == MESSAGE
        library.ten_status_free(failed)
    library.ten_executable_release(compiled)
    library.ten_program_release(model)


def test_shared_object(files):
    made = tenfold("compile", files / "p.mlir", "-o", files / "p.so", "--name", "net")
    assert made.code == 0, made.err
    library = CDLL(str(files / "p.so"))
    library.net_message.restype = c_char_p
    out = np.zeros(3, np.float32)

    def call(index):
        return library.net(*(c_void_p(a.ctypes.data) for a in (X, index, out)))

    assert call(GOOD) == 0
    assert out.tolist() == [0, 4, 2]
    code = call(BAD)
    assert code != 0
    assert library.net_message(code).decode() == MESSAGE
    assert call(GOOD) == 0


def test_convert_leaves_them_out(files):
    converted = tenfold("convert", files / "p.mlir", "-o", "-")
    assert converted.code == 0
    assert "tenfold.assert" not in converted.out


def test_what_is_known_is_not_checked(files):
    known = PROGRAM.replace("(%x: tensor<5xf32>, %i: tensor<3xi64>)", "(%x: tensor<5xf32>)").replace(
        "  %size =", "  %i = stablehlo.constant dense<[0, 4, 2]> : tensor<3xi64>\n  %size =", 1
    )
    (files / "known.mlir").write_text(known)
    shown = tenfold("show", files / "known.mlir", "--stage", "plan")
    assert shown.code == 0, shown.err
    assert "assert" not in shown.out
    assert "assert" in tenfold("show", files / "p.mlir", "--stage", "plan").out


@pytest.mark.parametrize(
    ("old", "new", "word"),
    [
        ("(%ok, %most)", "(%most, %most)", "must take a tensor<i1>"),
        ("(%ok, %most)", "(%ok, %i)", "must show"),
        ('tenfold.exception = "IndexError",', "", "tenfold.exception"),
    ],
)
def test_form(files, old, new, word):
    text = PROGRAM.replace(old, new)
    types = {"(%most, %most)": "(tensor<i64>, tensor<i64>) -> ()", "(%ok, %i)": "(tensor<i1>, tensor<3xi64>) -> ()"}
    if new in types:
        text = text.replace("(tensor<i1>, tensor<i64>) -> ()", types[new])
    (files / "bad.mlir").write_text(text)
    failed = tenfold("check", files / "bad.mlir")
    assert failed.code == 1
    assert word in failed.err + failed.out
