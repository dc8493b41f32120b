"""Narrow floats against ml_dtypes. The interpreter and compiled programs share the code that rounds to them
(src/base/float.c), so that comparing the two says nothing about it."""

import ml_dtypes
import numpy as np
import pytest
from tenfold import _core

TYPES = {
    "bf16": ml_dtypes.bfloat16,
    "f16": np.float16,
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


def numbers(kind: type) -> np.ndarray:
    """Every value that the type has, every tie between two of them and its neighbours, and a spread over all of f32."""
    bits = 8 * np.dtype(kind).itemsize
    own = np.arange(1 << bits, dtype=f"u{bits // 8}").view(kind).astype(np.float32)
    own = np.unique(own[np.isfinite(own)])
    ties = (own[1:] / 2 + own[:-1] / 2).astype(np.float32)
    near = np.concatenate([ties, np.nextafter(ties, np.float32(-np.inf)), np.nextafter(ties, np.float32(np.inf))])
    spread = (np.arange(1 << 12, dtype=np.uint32) << 20 | 0x54321).view(np.float32)
    some = np.random.default_rng(5).permutation(np.concatenate([own, near]))[: 1 << 14]
    return np.concatenate([some, spread, np.float32([0, -0.0, np.inf, -np.inf, np.nan])])


@pytest.mark.parametrize("device", ["interp", "cpu"])
@pytest.mark.parametrize("name", TYPES)
def test_rounds_like_ml_dtypes(name: str, device: str):
    x = numbers(TYPES[name])
    wide, narrow = f"tensor<{x.size}xf32>", f"tensor<{x.size}x{name}>"
    text = (
        f"func.func @main(%x: {wide}) -> {wide} {{ %0 = stablehlo.convert %x : ({wide}) -> {narrow} "
        f"%1 = stablehlo.convert %0 : ({narrow}) -> {wide} return %1 : {wide} }}"
    )
    (result,) = _core.parse(text).compile(device=device)(x)
    got = np.from_dlpack(result)
    with np.errstate(all="ignore"):
        want = x.astype(TYPES[name]).astype(np.float32)
    if name == "f8E8M0FNU":  # below 2^-126, ml_dtypes rounds up to it though 2^-127 is nearer
        want = np.where((x > 2.0**-127) & (x < 1.5 * 2.0**-127), np.float32(2.0**-127), want)
    wrong = ~((got == want) & (np.signbit(got) == np.signbit(want)) | np.isnan(got) & np.isnan(want))
    assert not wrong.any(), np.stack([x, got, want])[:, wrong][:, :5]
