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
    with pytest.raises(ValueError, match="too many elements"):
        tn.repeat(x, 2**60)
    with pytest.raises(ValueError, match="the limit is"):
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


@pytest.mark.parametrize("how", ["argument", "module", "captured"])
def test_other_threads_see_values_while_one_records(how):
    """A thread records and waits in the middle; what it was called with can be read and changed meanwhile."""
    x, layer, shared = tn.ones((3,)), tn.nn.Linear(3, 2), tn.asarray([1.0, 2.0, 3.0])
    inside, go_on, results = threading.Event(), threading.Event(), []
    weight = numpy.array(layer.weight)

    def function(m, a):
        before = m(a) if how == "module" else a * shared
        inside.set()
        assert go_on.wait(60)
        return before + 1

    made = tn.jit(function)
    thread = threading.Thread(target=lambda: results.append(made(layer, x)))
    thread.start()
    assert inside.wait(60)
    try:
        seen = [x.tolist(), (x + 1).tolist(), repr(x), numpy.array(layer.weight), shared.tolist(), float(tn.sum(x))]
        if how == "argument":
            x[0] = 5.0
    finally:
        go_on.set()
        thread.join()
    assert seen[0] == [1, 1, 1] and seen[1] == [2, 2, 2] and "1" in seen[2] and seen[5] == 3
    assert numpy.array_equal(seen[3], weight) and seen[4] == [1, 2, 3]
    assert x.tolist() == ([5, 1, 1] if how == "argument" else [1, 1, 1])  # the other thread's write stays
    assert len(results) == 1 and made(layer, tn.ones((3,))).shape == results[0].shape


def test_jit_leaves_no_placeholders():
    """What a recorded function writes to from outside: it is called as it is, and writes once a call."""
    norm, x = tn.nn.BatchNorm1d(3), tn.asarray([[1.0, 2.0, 3.0], [3.0, 2.0, 7.0]])
    seen = tn.zeros((3,))

    def by_argument(m, a):
        return m(a)

    def by_capture(a):
        return norm(a)

    def element(a):
        seen[0] = seen[0] + tn.sum(a)
        return a + 1

    for i in range(3):
        tn.jit(by_argument)(norm, x)
        assert int(norm.num_batches_tracked) == 2 * i + 1 and all(numpy.array(norm.running_mean) > 0)
        tn.jit(by_capture)(x)
        assert int(norm.num_batches_tracked) == 2 * i + 2
        tn.jit(element)(x)
        assert seen.tolist() == [18.0 * (i + 1), 0, 0]
    with pytest.raises(TypeError, match="from outside"):
        tn.vmap(element)(x)

    class Keeps(tn.nn.Module):
        def forward(self, a):
            self.last = a * 2
            return a + 1

    keeps = Keeps()
    tn.jit(by_argument)(keeps, x)
    assert keeps.last.tolist() == (x * 2).tolist()

    def writes_to_its_own(a):
        out = tn.zeros((3,))
        out[0] = a[1, 1]
        return out

    made = tn.jit(writes_to_its_own)
    assert made(x).tolist() == [2, 0, 0] and made(x + 1).tolist() == [3, 0, 0]


def without_a_trace(module, x):
    """A call that leaves the module's state as it was."""
    state = module.state_dict()
    try:
        return +module(x)
    finally:
        module.load_state_dict(state)


def test_jit_tells_arguments_apart():
    """All that the function can ask of its arguments without reading an array is part of the key."""
    nn, x = tn.nn, tn.asarray([[-1.0, 2.0]])
    first, second = nn.Sequential(nn.Linear(2, 2), nn.ReLU()), nn.Sequential(nn.Linear(2, 2), nn.Tanh())
    made = tn.jit(lambda m, a: m(a))
    for model in (first, second, first):
        assert numpy.allclose(made(model, x), model(x))
    norm = nn.BatchNorm1d(2)
    for mode in (False, True, False):
        norm.train(mode)
        norm.running_mean[0] = norm.running_mean[0] + 1.0
        wanted = numpy.array(without_a_trace(norm, x))
        assert numpy.allclose(made(norm, x), wanted, atol=1e-6)
    scaled, large = tn.jit(lambda a, b: a * float(b[500])), numpy.zeros(2000, "f4")
    for value in (1.0, 2.0):
        large[500] = value
        assert scaled(x, large).tolist() == (x * value).tolist()
    signed = tn.jit(lambda a, b: a * b)
    for value, wanted in ((0.0, "[0.0]"), (-0.0, "[-0.0]"), (1, "[1.0]")):
        assert str(signed(tn.ones((1,)), value).tolist()) == wanted
