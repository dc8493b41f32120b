"""Arrays as NumPy and ml_dtypes save them go through Tenfold's reader and writer unchanged, byte for byte."""

import os
import subprocess
from pathlib import Path

import ml_dtypes
import numpy as np
import pytest

BUILD = Path(os.environ.get("TENFOLD", Path(__file__).parents[2] / "bin" / "tenfold")).resolve().parents[2]

TYPES = {
    "i1": "?",
    "i8": "i1",
    "i16": "i2",
    "i32": "i4",
    "i64": "i8",
    "ui8": "u1",
    "ui16": "u2",
    "ui32": "u4",
    "ui64": "u8",
    "f16": "f2",
    "f32": "f4",
    "f64": "f8",
    "complex<f32>": "c8",
    "complex<f64>": "c16",
    "i2": ml_dtypes.int2,
    "i4": ml_dtypes.int4,
    "ui2": ml_dtypes.uint2,
    "ui4": ml_dtypes.uint4,
    "bf16": ml_dtypes.bfloat16,
    "f4E2M1FN": ml_dtypes.float4_e2m1fn,
    "f6E2M3FN": ml_dtypes.float6_e2m3fn,
    "f6E3M2FN": ml_dtypes.float6_e3m2fn,
    "f8E3M4": ml_dtypes.float8_e3m4,
    "f8E4M3": ml_dtypes.float8_e4m3,
    "f8E4M3B11FNUZ": ml_dtypes.float8_e4m3b11fnuz,
    "f8E4M3FN": ml_dtypes.float8_e4m3fn,
    "f8E4M3FNUZ": ml_dtypes.float8_e4m3fnuz,
    "f8E5M2": ml_dtypes.float8_e5m2,
    "f8E5M2FNUZ": ml_dtypes.float8_e5m2fnuz,
    "f8E8M0FNU": ml_dtypes.float8_e8m0fnu,
}


def copy(source: Path, name: str, target: Path) -> None:
    command = [BUILD / "tests" / "base" / "npy_copy", source, name, target]
    subprocess.run(command, check=True, stderr=subprocess.PIPE, text=True)


def example(dtype, shape) -> np.ndarray:
    values = np.random.default_rng(3).integers(0, 200, size=shape) - 100
    return np.asarray(values).astype(dtype)


@pytest.mark.parametrize("shape", [(), (5,), (2, 3, 4), (3, 0)], ids=str)
@pytest.mark.parametrize("name", TYPES)
def test_same_bytes_out_as_in(tmp_path, name, shape):
    np.save(tmp_path / "in.npy", example(TYPES[name], shape))
    copy(tmp_path / "in.npy", name, tmp_path / "out.npy")
    assert (tmp_path / "out.npy").read_bytes() == (tmp_path / "in.npy").read_bytes()


@pytest.mark.parametrize("name", TYPES)
def test_column_major(tmp_path, name):
    array = example(TYPES[name], (2, 3, 4))
    np.save(tmp_path / "in.npy", np.asfortranarray(array))
    np.save(tmp_path / "wanted.npy", array)
    copy(tmp_path / "in.npy", name, tmp_path / "out.npy")
    assert (tmp_path / "out.npy").read_bytes() == (tmp_path / "wanted.npy").read_bytes()


@pytest.mark.parametrize("name", ["i16", "i32", "i64", "ui16", "f16", "f32", "f64", "complex<f32>", "complex<f64>"])
def test_big_endian(tmp_path, name):
    array = example(TYPES[name], (3, 4))
    np.save(tmp_path / "in.npy", array.astype(array.dtype.newbyteorder(">")))
    copy(tmp_path / "in.npy", name, tmp_path / "out.npy")
    np.testing.assert_array_equal(np.load(tmp_path / "out.npy"), array)
    assert np.load(tmp_path / "out.npy").dtype == array.dtype


def test_later_versions(tmp_path):
    array = example("f4", (3, 4))
    for version in [(2, 0), (3, 0)]:
        with open(tmp_path / "in.npy", "wb") as file:
            np.lib.format.write_array(file, array, version=version)
        copy(tmp_path / "in.npy", "f32", tmp_path / "out.npy")
        np.testing.assert_array_equal(np.load(tmp_path / "out.npy"), array)
