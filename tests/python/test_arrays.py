"""NumPy arrays in and out, of every type: those that ml_dtypes adds to NumPy, and those that are read-only."""

from __future__ import annotations

import subprocess
import sys

import pytest

np = pytest.importorskip("numpy")
tenfold = pytest.importorskip("tenfold")
from tenfold import _core  # noqa: E402

NUMPY = {"i1": "?", "i8": "i1", "ui16": "u2", "i64": "i8", "f16": "f2", "f32": "f4", "complex<f64>": "c16"}
ADDED = {
    "i2": "int2",
    "i4": "int4",
    "ui2": "uint2",
    "ui4": "uint4",
    "bf16": "bfloat16",
    "f4E2M1FN": "float4_e2m1fn",
    "f6E2M3FN": "float6_e2m3fn",
    "f6E3M2FN": "float6_e3m2fn",
    "f8E3M4": "float8_e3m4",
    "f8E4M3": "float8_e4m3",
    "f8E4M3B11FNUZ": "float8_e4m3b11fnuz",
    "f8E4M3FN": "float8_e4m3fn",
    "f8E4M3FNUZ": "float8_e4m3fnuz",
    "f8E5M2": "float8_e5m2",
    "f8E5M2FNUZ": "float8_e5m2fnuz",
    "f8E8M0FNU": "float8_e8m0fnu",
}


def type_of(name: str):
    if name in NUMPY:
        return np.dtype(NUMPY[name])
    return np.dtype(getattr(pytest.importorskip("ml_dtypes"), ADDED[name]))


def program(name: str, shape: tuple[int, ...], body: str):
    tensor = f"tensor<{''.join(f'{n}x' for n in shape)}{name}>"
    return tenfold.Program(
        _core.parse(
            f"func.func @main(%x: {tensor}) -> {tensor} {{\n{body.format(t=tensor)}\n  return %0 : {tensor}\n}}"
        )
    )


def reverse(name: str, rank: int, shape: tuple[int, ...]):
    dims = ", ".join(map(str, range(rank)))
    return program(name, shape, f"  %0 = stablehlo.reverse %x, dims = [{dims}] : {{t}}")


def example(name: str, shape: tuple[int, ...]):
    values = np.random.default_rng(3).integers(0, 9, size=shape) - 4
    return np.asarray(abs(values) if name.startswith(("ui", "f8E8")) else values).astype(type_of(name))


def strided(array):
    return np.concatenate([array, array], axis=-1)[..., ::2]


def transposed(array):
    return np.ascontiguousarray(array.T).T


def read_only(array):
    array.flags.writeable = False
    return array


LAYOUTS = [np.ascontiguousarray, strided, transposed, read_only, lambda a: read_only(transposed(a))]


@pytest.mark.parametrize("layout", LAYOUTS, ids=["plain", "strided", "transposed", "read_only", "both"])
@pytest.mark.parametrize("name", [*NUMPY, *ADDED])
def test_in_and_out(name, layout):
    array = layout(example(name, (4, 6)))
    (result,) = reverse(name, 2, array.shape)(array)
    back = np.asarray(result)
    assert back.dtype == array.dtype
    assert back.shape == array.shape
    assert back.tobytes() == array[::-1, ::-1].tobytes()


@pytest.mark.parametrize("name", ["f32", "bf16", "i4", "f8E5M2"])
@pytest.mark.parametrize("shape", [(), (0, 3), (5,)], ids=str)
def test_shapes(name, shape):
    array = example(name, shape)
    (result,) = reverse(name, len(shape), shape)(array)
    back = np.asarray(result)
    assert (back.dtype, back.shape) == (array.dtype, shape)
    assert back.tobytes() == np.flip(array).tobytes()


def test_garbage_above_narrow_values_is_ignored():
    int4 = type_of("i4")
    array = np.array([0xFF, 0x0F, 0xF1, 0x78], np.uint8).view(int4)
    (result,) = program("i4", (4,), "  %0 = stablehlo.negate %x : {t}")(array)
    assert np.asarray(result).astype(int).tolist() == [1, 1, -1, -8]


def test_arithmetic_of_bf16():
    bf16 = type_of("bf16")
    array = (np.arange(1000) / 7 - 50).astype(bf16)
    (result,) = program("bf16", (1000,), "  %0 = stablehlo.multiply %x, %x : {t}")(array)
    np.testing.assert_array_equal(np.asarray(result), array * array)


@pytest.mark.parametrize("name", ["f32", "bf16"])
def test_memory_is_shared_where_it_can_be(name):
    array = example(name, (3, 4))
    (result,) = reverse(name, 2, (3, 4))(array)
    one, other = np.asarray(result), np.asarray(result)
    one[0, 0] = 3
    assert other[0, 0] == 3
    assert np.array(result)[0, 0] == 3
    copy = np.array(result, copy=True)
    copy[0, 0] = 1
    assert other[0, 0] == 3


def test_as_another_type():
    type_of("bf16")
    array = example("bf16", (3, 4))
    (result,) = reverse("bf16", 2, (3, 4))(array)
    converted = np.asarray(result, dtype=np.float32)
    assert converted.dtype == np.float32
    np.testing.assert_array_equal(converted, array[::-1, ::-1].astype(np.float32))


@pytest.mark.parametrize("name", ["f8E4M3FN", "f8E4M3FNUZ", "f8E5M2", "f8E5M2FNUZ", "f8E8M0FNU"])
def test_floats_of_8_bits_of_torch(name):
    torch = pytest.importorskip("torch")
    dtype = getattr(torch, ADDED[name])
    array = torch.arange(1.0, 7.0).reshape(2, 3).to(dtype)
    (result,) = reverse(name, 2, (2, 3))(array)
    assert torch.equal(torch.from_dlpack(result).view(torch.uint8), array.view(torch.uint8).flip(0, 1))


def test_floats_of_8_bits_are_compiled():
    torch = pytest.importorskip("torch")

    def function(x, w):
        return (x.float() @ w.float()).to(torch.float8_e5m2)

    torch.manual_seed(0)
    x, w = (torch.randint(-4, 5, (4, 4)).to(torch.float8_e4m3fn) for _ in range(2))
    made = torch.compile(function, backend="tenfold")(x, w)
    assert made.dtype == torch.float8_e5m2
    assert torch.equal(made.float(), function(x, w).float())


def test_floats_of_8_bits_of_jax():
    jax = pytest.importorskip("jax")
    for name in ("f8E3M4", "f8E4M3FN", "f8E5M2", "f8E8M0FNU"):
        array = jax.numpy.arange(1, 7, dtype=jax.numpy.float32).reshape(2, 3).astype(type_of(name))
        (result,) = reverse(name, 2, (2, 3))(array)
        assert np.asarray(result).tobytes() == np.asarray(array)[::-1, ::-1].tobytes()


def test_what_is_written_to_a_copy_of_read_only_memory_stays_there():
    array = read_only(example("f32", (3, 4)))
    before = array.copy()
    (result,) = program("f32", (3, 4), "  %0 = stablehlo.reshape %x : ({t}) -> {t}")(array)
    np.asarray(result)[:] = 9
    np.testing.assert_array_equal(array, before)


def test_other_types_are_refused():
    made = reverse("f32", 1, (2,))
    with pytest.raises(BufferError):
        made(np.array(["2020-01-01", "2021-01-01"], dtype="datetime64[D]"))
    with pytest.raises((TypeError, tenfold.Error)):
        made(example("bf16", (2,)))


def test_without_ml_dtypes():
    code = """if 1:
        import sys
        sys.modules["ml_dtypes"] = None
        import numpy as np, tenfold
        from tenfold import _core
        text = "func.func @main() -> TYPE {%0 = stablehlo.constant dense<1.0> : TYPE return %0 : TYPE}"
        (result,) = tenfold.Program(_core.parse(text.replace("TYPE", "tensor<2xbf16>")))()
        try:
            np.asarray(result)
        except TypeError as error:
            assert "install ml_dtypes" in str(error), error
        else:
            raise AssertionError
    """
    subprocess.run([sys.executable, "-c", code], check=True)


@pytest.mark.parametrize("name", ["i8", "ui16", "i64", "f16", "f32", "complex<f64>", "bf16"])
def test_arrays_at_odd_addresses(name):
    """They are copied: nothing behind the door meets elements that are not aligned."""
    array = example(name, (4, 6))
    odd = np.frombuffer(b"x" + array.tobytes(), array.dtype, offset=1).reshape(array.shape)
    writable = np.frombuffer(bytearray(b"x" + array.tobytes()), array.dtype, offset=1).reshape(array.shape)
    turned = reverse(name, 2, array.shape)
    for given in (odd, writable, writable[:, ::2], writable.T):
        (result,) = (turned if given.shape == array.shape else reverse(name, 2, given.shape))(given)
        assert np.asarray(result).tobytes() == np.flip(given, (0, 1)).tobytes()


def test_tensors_at_odd_addresses():
    """As inputs of a compiled function, also where it writes to them."""
    torch = pytest.importorskip("torch")

    def update(x, y):
        x += y
        return x * 2

    values = torch.arange(6.0)
    memory = bytearray(b"x" + values.numpy().tobytes())
    x = torch.frombuffer(memory, dtype=torch.float32, offset=1)
    y = torch.frombuffer(bytearray(memory), dtype=torch.float32, offset=1)
    assert x.data_ptr() % 4 and y.data_ptr() % 4
    torch._dynamo.reset()
    compiled = torch.compile(update, backend="tenfold")
    for times in (2, 3):
        assert torch.equal(compiled(x, y), times * values * 2)
        assert torch.equal(x, times * values)
    lazy = update(x.to("tenfold"), y.to("tenfold"))
    assert torch.equal(lazy.cpu(), 8 * values)
