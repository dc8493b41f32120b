"""Arrays against hostile use: threads that assign while others read, sizes that no memory has, numbers out of range."""

import struct
import threading

import numpy
import pytest
import tenfold as tn
from tenfold import _core
from tenfold.array import functions


@pytest.mark.parametrize("read", [lambda x: x.tolist(), numpy.asarray, lambda x: x.tobytes(), repr])
def test_reading_while_another_thread_assigns(read):
    """x[i] = y gives the object another array; whoever is reading the old one keeps it."""
    x, failed, stop = tn.ones((64, 64)), [], threading.Event()

    def reader():
        try:
            while not stop.is_set():
                read(x)
        except Exception as error:
            failed.append(error)

    threads = [threading.Thread(target=reader) for _ in range(2)]
    for thread in threads:
        thread.start()
    for i in range(300):
        x[0] = float(i)
    stop.set()
    for thread in threads:
        thread.join()
    assert not failed and x[0, 0] == 299


def test_memory_of_arrays_is_read_only():
    """What was recorded of an array reads it later: its elements never change."""
    x = tn.ones((4,))
    later = x + 1
    assert memoryview(x).readonly
    for dtype in (tn.float32, tn.bfloat16):
        view = numpy.asarray(tn.ones((4,), dtype=dtype))
        with pytest.raises(ValueError, match="read-only"):
            view[0] = 7
    with pytest.raises((BufferError, TypeError)):
        struct.pack_into("f", x, 0, 7.0)
    assert later.tolist() == [2, 2, 2, 2] and numpy.array(x).flags.writeable


@pytest.mark.parametrize(
    ("value", "dtype"), [(-9.25e18, tn.int64), (1.85e19, tn.uint64), (2.0**63, tn.int64), (2.0**64, tn.uint64)]
)
def test_floats_that_no_integer_holds(value, dtype):
    with pytest.raises(OverflowError):
        tn.asarray(value, dtype=dtype)
    assert tn.asarray(-(2.0**63), dtype=tn.int64).item() == -(2**63)


def test_repeat_of_more_than_there_is():
    x = tn.asarray([[1, 2, 3], [4, 5, 6]])
    for repeats, axis in ((2, None), (3, 0), (2, 1), (0, 1)):
        assert numpy.array_equal(tn.repeat(x, repeats, axis=axis), numpy.repeat(numpy.asarray(x), repeats, axis))
    counts = tn.asarray([2, 0, 3])
    assert numpy.array_equal(tn.repeat(x, counts, axis=1), numpy.repeat(numpy.asarray(x), [2, 0, 3], 1))
    with pytest.raises(_core.Error, match="too many elements"):
        tn.repeat(x, 2**60)
    with pytest.raises(_core.Error, match="the limit is"):
        tn.repeat(x, tn.asarray([2**60, 0, 1]), axis=1)
    for wrong in (-1, tn.asarray([1, -1, 1])):
        with pytest.raises(ValueError, match="counts are 0 or more"):
            tn.repeat(x, wrong, axis=1)


def test_wrong_counts_of_results():
    """Of the functions below the public ones."""
    x = tn.ones((2,))
    with pytest.raises((MemoryError, _core.Error)):
        _core.op("add.Tensor", None, 1 << 60, self=x, other=x)
    place = _core.placeholder(x.device, (2,), tn.float32)
    call = _core.function([place], [place + 1, place * 2])
    for inputs, results in (([], 2), ([x], 0), ([x], 1), ([x], -1), ([x, x], 2)):
        with pytest.raises(TypeError, match="takes 1 arrays and gives 2"):
            _core.call(call, inputs, results)
    assert [a.tolist() for a in _core.call(call, [x], 2)] == [[2, 2], [2, 2]]
    assert functions.vmap(lambda a: a * 2)(tn.zeros((0, 3))).shape == (0, 3)


def test_what_no_memory_holds_stays_alone():
    """An array that cannot be computed is an error where it is read; others are recorded and computed as before."""
    large = tn.zeros((2**46,))
    more = large + 1
    for i in range(200):
        assert (tn.ones((3,)) + i).tolist() == [i + 1] * 3
    for wrong in (large, more):
        with pytest.raises(_core.Error, match="out of memory"):
            wrong.tobytes()
    del large, more, wrong
    x = tn.zeros((3,))
    for _ in range(300):
        x = x + 1
    assert x.tolist() == [300] * 3
