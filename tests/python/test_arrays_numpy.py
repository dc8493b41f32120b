"""Arrays and NumPy in one expression, NumPy's types, and arrays printed as NumPy prints them."""

import operator
import pickle

import numpy
import pytest
import tenfold as tn

OPERATORS = [operator.add, operator.sub, operator.mul, operator.truediv, operator.pow, operator.lt, operator.eq]


@pytest.mark.parametrize("of", OPERATORS)
@pytest.mark.parametrize(
    "other",
    [numpy.float32(2), numpy.int64(3), numpy.bool_(True), numpy.array(1.5), numpy.arange(1.0, 4), numpy.ones((2, 1))],
    ids=repr,
)
def test_operators_take_what_numpy_has_on_both_sides(of, other):
    x = numpy.arange(1, 7, dtype=numpy.float32).reshape(2, 3)
    if of in (operator.sub, operator.pow) and other.dtype == bool:
        other = numpy.float32(1)
    for ours, wanted in ((of(tn.asarray(x), other), of(x, other)), (of(other, tn.asarray(x)), of(other, x))):
        assert type(ours) is tn.Array and ours.shape == wanted.shape
        numpy.testing.assert_allclose(numpy.asarray(ours), wanted, rtol=1e-6)


def test_scalars_of_numpy_are_numbers_and_its_arrays_have_types():
    x = tn.ones(3)
    assert (x * numpy.int64(2)).dtype is tn.float32 and (numpy.float64(2) * x).dtype is tn.float32
    assert (x + numpy.ones(3)).dtype is tn.float64
    assert float(tn.grad(lambda a: tn.sum(numpy.ones(3) * a * numpy.float32(2)))(x)[0]) == 2
    x += numpy.ones(3)
    assert x.dtype is tn.float32 and x.tolist() == [2, 2, 2]
    assert tn.asarray(numpy.float64(2)).dtype is tn.float64
    assert tn.asarray(2.0).dtype is tn.float32


@pytest.mark.parametrize("other", [numpy.array(["a"]), numpy.str_("a"), numpy.float32, numpy.datetime64("2020-01-01")])
def test_what_holds_no_numbers_is_no_operand(other):
    with pytest.raises(TypeError):
        tn.ones(1) + other
    if not isinstance(other, type):
        with pytest.raises((TypeError, ValueError), match="an array cannot be made of"):
            tn.asarray(other)


def test_elements_in_another_order_are_copied():
    swapped = numpy.arange(4, dtype=numpy.dtype(numpy.int32).newbyteorder())
    assert tn.asarray(swapped).tolist() == [0, 1, 2, 3]
    with pytest.raises(ValueError, match="take a copy"):
        tn.asarray(swapped, copy=False)


def test_types_of_python_are_element_types():
    kinds = ((bool, tn.bool), (int, tn.int64), (float, tn.float64), (complex, tn.complex128))
    for python, dtype in kinds:
        made = (tn.zeros(2, dtype=python), tn.asarray([1], dtype=python), tn.astype(tn.ones(2), python))
        assert all(x.dtype is dtype for x in made)
    with pytest.raises(TypeError, match="an element type is one of"):
        tn.zeros(2, dtype=str)


def test_devices_are_pickled_by_name():
    for name in ("cpu", "interp"):
        assert pickle.loads(pickle.dumps(tn.device(name))) is tn.device(name)


def test_sizes_and_divisions_that_are_wrong():
    with pytest.raises(ValueError, match="sizes are 0 or more, not -1"):
        tn.random.normal((2, -1))
    with pytest.raises(ZeroDivisionError, match="an integer is divided by 0"):
        (tn.arange(3) // 0).tolist()


VALUES = [
    0.1354516998,
    2.5,
    1 / 3,
    10.0,
    3.44095480117793,
    0.000123456789012,
    1234.5,
    -0.5,
    0.30000000004,
    1234.56789012345,
    1e-3,
    99999.25,
]


@pytest.mark.parametrize("dtype", [numpy.float64, numpy.float32, numpy.complex128])
def test_numbers_are_printed_as_numpys(dtype):
    for value in VALUES:
        x = numpy.array(value, dtype=dtype)
        assert repr(tn.asarray(x)).split(", dtype")[0] == repr(x).split(", dtype")[0].replace("array", "Array").rstrip(
            ")"
        )
    for shape in ((0, 3), (2, 0, 1)):
        x = numpy.zeros(shape, dtype=dtype)
        assert repr(tn.asarray(x)).split(", dtype")[0] == f"Array([], shape={shape}"
    assert repr(tn.zeros(0)) == "Array([], dtype=float32)"
