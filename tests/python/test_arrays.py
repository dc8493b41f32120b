"""Arrays from Python: what the standard's suite does not look at."""

import copy
import doctest
import os
import pathlib
import pickle
import subprocess
import sys
import threading

import numpy
import pytest
import tenfold as tn
from tenfold.array import devices


def same(array, wanted):
    got = numpy.asarray(array)
    assert got.shape == wanted.shape
    numpy.testing.assert_allclose(got, wanted, rtol=1e-5, atol=1e-6)


def test_importing_loads_no_arrays_and_no_torch():
    code = "import sys, tenfold; print('tenfold.array' in sys.modules, 'torch' in sys.modules, 'numpy' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert done.stdout.split() == ["False", "False", "False"], done.stderr


def test_names_of_builtins_are_the_namespaces_and_stay_pythons_inside():
    assert tn.bool is not bool
    assert tn.any(tn.asarray([False, True]))
    assert tn._as_array(True, "x", "i1", ()).dtype == bool  # uses Python's bool


@pytest.mark.parametrize("device", ["cpu", "interp"])
def test_eigenvectors_are_eigenvectors(device):
    x = numpy.array([[1.0, 9.0], [3.0, 4.0]])
    values, vectors = tn.linalg.eig(tn.asarray(x, device=device))
    values, vectors = numpy.asarray(values), numpy.asarray(vectors)
    same(x @ vectors, vectors * values)
    assert numpy.abs(vectors).max() > 0.1


@pytest.mark.parametrize("size", [1e-200, 1, 5e153, 1e307])
@pytest.mark.parametrize("shape", [(2, 6), (6, 2), (3, 3)])
def test_singular_values_whose_squares_are_out_of_range(shape, size):
    x = numpy.full(shape, float(size)) * numpy.array([1, -1] * (shape[1] // 2) + [1] * (shape[1] % 2))
    x[0, 0] *= 1.5
    numpy.testing.assert_allclose(
        numpy.asarray(tn.linalg.svdvals(tn.asarray(x))), numpy.linalg.svdvals(x), rtol=1e-12, atol=1e-14 * size
    )


@pytest.mark.parametrize("shape", [(3, 2), (2, 3), (2, 2), (4, 3, 2)])
def test_complex_factors_multiply_to_the_matrix(shape):
    rng = numpy.random.default_rng(0)
    x = (rng.standard_normal(shape) + 1j * rng.standard_normal(shape)).astype(numpy.complex64)
    for mode in ("reduced", "complete"):
        q, r = map(numpy.asarray, tn.linalg.qr(tn.asarray(x), mode=mode))
        wanted = numpy.linalg.qr(x, mode=mode)
        assert q.shape == wanted[0].shape and r.shape == wanted[1].shape
        same(q @ r, x)
        same(
            q.conj().swapaxes(-1, -2) @ q,
            numpy.broadcast_to(numpy.eye(q.shape[-1]), (*q.shape[:-2], *[q.shape[-1]] * 2)),
        )
    u, s, vh = map(numpy.asarray, tn.linalg.svd(tn.asarray(x), full_matrices=False))
    same((u * s[..., None, :]) @ vh, x)
    if shape[-1] == shape[-2]:
        sign, logabs = tn.linalg.slogdet(tn.asarray(x))
        same(numpy.asarray(sign) * numpy.exp(numpy.asarray(logabs)), numpy.asarray(numpy.linalg.det(x)))


INDICES = [
    0,
    -1,
    slice(None, None, -1),
    slice(1, 3),
    (slice(None), 2),
    (..., 0),
    (None, 1, slice(0, 2)),
    (slice(None, None, 2), slice(3, None, -2)),
    numpy.array([2, 0]),
    (numpy.array([0, 1]), numpy.array([2, 3])),
    (slice(None), numpy.array([[0, 1], [2, 3]])),
    numpy.array([True, False, True]),
    numpy.arange(12).reshape(3, 4) % 3 == 0,
    (1, numpy.array([True, False, True, True])),
    [0, 2],
]


@pytest.mark.parametrize("index", INDICES, ids=str)
def test_indexing_is_numpys(index):
    x = numpy.arange(12.0, dtype=numpy.float32).reshape(3, 4)

    def convert(i):
        return tn.asarray(i) if isinstance(i, numpy.ndarray) else i

    key = tuple(map(convert, index)) if isinstance(index, tuple) else convert(index)
    same(tn.asarray(x)[key], x[index])
    array, wanted = tn.asarray(x), x.copy()
    array[key] = 7
    wanted[index] = 7
    same(array, wanted)
    array[key] = array[key] * 2 + 1
    wanted[index] = wanted[index] * 2 + 1
    same(array, wanted)


def test_masks_of_size_0_select_nothing():
    x = tn.ones((2, 3))
    assert x[tn.zeros((2, 0), dtype=tn.bool)].shape == (0,)
    x[tn.zeros((2, 0), dtype=tn.bool)] = 5
    assert x.tolist() == [[1.0] * 3] * 2
    with pytest.raises(IndexError, match=r"a mask of shape \(2, 2\) does not fit: axis 1 has size 3, not 2"):
        x[tn.zeros((2, 2), dtype=tn.bool)]


def test_errors_are_those_numpy_users_know():
    x = tn.ones((2, 3))
    with pytest.raises(ValueError, match=r"could not be broadcast together with shapes \(2,3\) \(4,\)"):
        x + tn.ones(4)
    with pytest.raises(IndexError, match="index 5 is out of bounds for axis 0 with size 2"):
        x[5]
    with pytest.raises(IndexError, match="too many indices"):
        x[0, 0, 0]
    with pytest.raises(ValueError, match=r"cannot reshape an array of shape \(2, 3\) to \(4, 2\)"):
        tn.reshape(x, (4, 2))
    with pytest.raises(ValueError, match="ambiguous"):
        bool(x)
    with pytest.raises(OverflowError, match="out of bounds for int8"):
        tn.ones(2, dtype=tn.int8) + 1000
    with pytest.raises(ValueError, match="different lengths"):
        tn.asarray([[1, 2], [3]])
    with pytest.raises(ValueError, match="arrays of two devices"):
        x + tn.ones((2, 3), device="interp")
    with pytest.raises(ValueError, match="unknown device 'gpu9'; did you mean 'webgpu'"):
        tn.ones(1, device="gpu9")


def test_after_an_error_the_rest_goes_on():
    x = tn.ones(3)
    with pytest.raises(IndexError):
        print(x[tn.asarray([7])])
    assert (x + 1).tolist() == [2.0, 2.0, 2.0]


def test_memory_is_exchanged():
    source = numpy.arange(6, dtype=numpy.float32).reshape(2, 3)
    x = tn.from_dlpack(source)
    assert numpy.shares_memory(numpy.from_dlpack(x), source)
    assert not numpy.shares_memory(numpy.asarray(tn.asarray(source)), source)
    assert memoryview(x).shape == (2, 3)
    source.flags.writeable = False
    same(tn.asarray(source), source)
    same(tn.asarray(source.T), source.T)


@pytest.mark.parametrize("dtype", ["bool", "int8", "uint64", "float16", "bfloat16", "float64", "complex64"])
def test_pickles_and_copies(dtype):
    x = tn.astype(tn.asarray([[0, 1], [2, 3]]), getattr(tn, dtype))
    for made in (pickle.loads(pickle.dumps(x)), copy.copy(x), copy.deepcopy(x)):
        assert made.dtype is x.dtype
        assert made.tolist() == x.tolist()


PRINTED = [
    numpy.array([1.0, 2.5, -3.0], dtype=numpy.float32),
    numpy.array([[1, -20], [300, 4]]),
    numpy.array([True, False]),
    numpy.arange(60.0, dtype=numpy.float64),
    numpy.array([[[1.5, 2], [3, 4]]], dtype=numpy.float32),
    numpy.arange(2000),
    numpy.array(2.5, dtype=numpy.float32),
    numpy.zeros((0, 3), dtype=numpy.float32),
    numpy.array([numpy.nan, numpy.inf, 1.0], dtype=numpy.float32),
    numpy.array([1e-10, 1.0]),
]


@pytest.mark.parametrize("x", PRINTED, ids=lambda x: str(x.ravel()[:3]))
def test_prints_as_numpy(x):
    if x.ndim:
        assert str(tn.asarray(x)) == str(x)
    else:
        assert str(tn.asarray(x)) == "2.5"


def opened(name):
    try:
        return devices.device(name)
    except tn.Error as why:
        pytest.skip(str(why))


@pytest.mark.parametrize("name", ["cpu", "interp", "opencl"])
def test_elements_of_what_is_computed_are_read_without_a_program(name):
    device = opened(name)
    wanted = numpy.arange(12, dtype=numpy.float32).reshape(3, 4)
    x = tn.asarray(wanted, device=device)
    before = device.stats()
    assert [[float(x[i, j]) for j in range(-4, 0)] for i in range(3)] == wanted.tolist()
    assert x[1, 2].shape == () and x[1, 2].dtype == tn.float32 and x[1, 2].device == device
    assert bool(tn.asarray([True, False], device=device)[0]) and int(tn.asarray(7, device=device)[()]) == 7
    assert complex(tn.asarray([1, 2j], device=device)[1]) == 2j
    after = device.stats()
    assert after["recorded"] == before["recorded"] and after["runs"] == before["runs"]
    with pytest.raises(IndexError, match="index 4 is out of bounds for axis 1 with size 4"):
        x[0, 4]
    same(tn.grad(lambda x: x[1, 2] * x[1, 2])(x), numpy.where(wanted == 6, 12.0, 0.0).astype(numpy.float32))


def test_values_stay_on_a_device_that_has_memory():
    device = opened("opencl")
    wanted = numpy.arange(4096, dtype=numpy.float32).reshape(64, 64) / 4096
    x = tn.asarray(wanted, device=device)
    device.synchronize()
    before = device.stats()["pool_used"]
    y = x + 1
    device.synchronize()
    z = y @ x
    device.synchronize()
    assert device.stats()["pool_used"] == before  # nothing was read: results have no host memory
    again = tn.jit(lambda a: (a, a * 2, a))(y)  # an input that is a result, twice
    for got, value in zip(again, (wanted + 1, (wanted + 1) * 2, wanted + 1), strict=True):
        same(got, value)
    assert float(z[3, 5]) == pytest.approx(float((wanted + 1)[3] @ wanted[:, 5]), rel=1e-5)
    same(y[1:3, ::-1], (wanted + 1)[1:3, ::-1])  # moved on the host
    same(y.to_device("cpu") + 1, wanted + 2)
    same(tn.grad(lambda a: tn.sum(a * a))(y), 2 * (wanted + 1))
    bytes_before = device.stats()["bytes"]
    del z
    assert device.stats()["bytes"] == bytes_before - 4 * 4096


@pytest.mark.parametrize("name", ["cpu", "opencl"])
def test_a_view_shows_what_its_owner_writes(name):
    device = opened(name)
    owner = numpy.zeros(5000, numpy.float32)
    view = tn.asarray(owner, copy=False, device=device)
    same(view + 1, owner + 1)
    owner[:] = 5
    same(view + 2, owner + 2)


def test_few_elements_move_without_a_kernel():
    device = opened("opencl")
    wanted = numpy.arange(12).reshape(3, 4)
    x = tn.asarray(wanted, device=device)
    device.synchronize()
    before = device.stats()
    for got, rows in (
        (list(x), list(wanted)),
        ([x[1:, ::-1]], [wanted[1:, ::-1]]),
        ([x.T, x[..., 1]], [wanted.T, wanted[..., 1]]),
    ):
        for a, b in zip(got, rows, strict=True):
            same(a, b)
    after = device.stats()
    assert after["compiled"] == before["compiled"] and after["runs"] > before["runs"]


def test_a_long_loop_stays_flat():
    device = devices.device("cpu")
    x, one = tn.zeros(4), tn.ones(4)
    device.synchronize()
    before = device.stats()
    for i in range(30000):
        x = x * 0.5 + one
        if i % 1000 == 0:
            assert device.stats()["pending"] < 5000
    after = device.stats()
    assert after["bytes"] - before["bytes"] < 40000  # numbers of what is pending; 30000 of them are 120000 bytes
    assert after["programs"] - before["programs"] <= 3
    same(x, numpy.full(4, 2.0, dtype=numpy.float32))


def test_threads_share_a_device():
    errors = []

    def work(seed):
        try:
            x = tn.full((8,), float(seed))
            for _ in range(50):
                x = x + 1
                x[0] = 0
                float(tn.sum(x))
            assert x.tolist() == [0.0] + [seed + 50.0] * 7
        except BaseException as why:
            errors.append(why)

    threads = [threading.Thread(target=work, args=(i,)) for i in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert not errors


def test_a_forked_child_computes():
    x = tn.ones(3) + 1
    x.tolist()
    child = os.fork()
    if not child:
        os._exit(0 if (x * 2).tolist() == [4.0, 4.0, 4.0] else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


def test_the_examples_of_the_page_print_what_it_says():
    page = pathlib.Path(__file__).parents[2] / "docs" / "arrays.md"
    test = doctest.DocTestParser().get_doctest(page.read_text(), {}, page.name, str(page), 0)
    assert len(test.examples) > 20
    runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS)
    failures = []
    runner.run(test, out=failures.append)
    assert not runner.failures, "".join(failures)
