"""Memory of arrays from Python: counts, limits, and errors that name the lines that hold most."""

import gc
import os
import pathlib
import subprocess
import sys

import numpy
import pytest
import tenfold as tn
from tenfold import _core

MIB = 1 << 20
HERE = pathlib.Path(__file__).name


@pytest.fixture(params=["cpu", "interp"])
def device(request):
    """A device of its own: its counts are of this test."""
    return _core.open_device(request.param)


def line_of(text):
    lines = pathlib.Path(__file__).read_text().splitlines()
    return next(number for number, line in enumerate(lines, 1) if line.rstrip().endswith(text))


def test_results_use_memory_again():
    device = _core.open_device("cpu")
    x = tn.asarray(numpy.ones((512, 512), numpy.float32), device=device, copy=True)
    for _ in range(5):
        float(tn.sum(x * 2 + x))
        numpy.asarray(x + x)
    stats = device.stats()
    assert stats["reused"] >= 3
    assert stats["pool_used"] <= stats["pool_used_peak"] <= stats["pool_reserved_peak"]
    assert stats["pool_used"] == MIB
    assert device.trim() > 0
    assert device.stats()["pool_reserved"] == MIB
    assert device.trim() == 0
    assert float(tn.sum(x)) == 512 * 512


def made_here(device):
    return tn.asarray(numpy.zeros(3 * MIB // 4, numpy.float32), device=device, copy=True)  # three


def test_a_limit_says_which_lines_hold_most(device):
    device.set_memory_limit(16 * MIB)
    first = made_here(device)
    data = numpy.zeros(2 * MIB // 4, numpy.float32)
    second = [tn.asarray(data, device=device, copy=True) for _ in range(3)]  # two
    third = first + 1
    third.tolist()
    with pytest.raises(MemoryError) as caught:
        tn.random.normal((5 * MIB // 4,), device=device)
    text = str(caught.value)
    assert "5.0 MiB for an array" in text and "used 12.0 MiB" in text
    places = [line.strip() for line in text.splitlines() if HERE in line]
    assert places[0].startswith("6.0 MiB in 3 arrays of ") and f"{HERE}:{line_of('# two')}, in " in places[0]
    assert any(f"{HERE}:{line_of('# three')}, in made_here" in place for place in places)
    assert any(f"{HERE}:{line_of('third = first + 1')}, in test_" in place for place in places)
    product = tn.concat([first, third, first])
    with pytest.raises(MemoryError, match=r"9\.0 MiB for results"):
        product.tolist()
    del second
    gc.collect()
    assert float(tn.sum(product)) == 3 * MIB // 4
    device.set_memory_limit(None)
    assert float(tn.sum(tn.random.normal((20 * MIB // 4,), device=device) * 0)) == 0


def test_wrong_limits_are_errors(device):
    for wrong in (0, -1, "1"):
        with pytest.raises((ValueError, OverflowError, TypeError)):
            device.set_memory_limit(wrong)
    with pytest.raises(ValueError):
        device.trim(-1)
    assert device.stats()["memory_limit"] == 0


def test_training_under_a_limit_reserves_no_more():
    device = _core.open_device("cpu")
    device.set_memory_limit(24 * MIB)
    weight = tn.ones((512, 512), device=device)
    step = tn.value_and_grad(lambda w: tn.mean((w @ w - 1) ** 2))
    for size in (512, 384, 256):  # blocks of other sizes: free ones are split, merged and trimmed
        x = tn.ones((size, 512), device=device)
        for _ in range(4):
            _, gradient = step(weight)
            weight = weight - 0.01 * gradient
            numpy.asarray(x @ weight)
    stats = device.stats()
    assert stats["pool_reserved_peak"] <= 24 * MIB
    assert stats["reused"] > stats["allocations"] // 2


def test_numpy_holds_memory_after_its_array():
    device = _core.open_device("cpu")
    x = numpy.asarray(tn.ones((1, MIB // 4), device=device) * 3)
    gc.collect()
    assert device.stats()["pool_used"] == MIB
    assert (x == 3).all()
    del x
    gc.collect()
    assert device.stats()["pool_used"] == 0


def test_a_forked_child_uses_the_pool():
    x = tn.ones((512, 512)) * 2
    assert float(tn.sum(x)) == 2 * 512 * 512
    child = os.fork()
    if not child:
        good = all(numpy.asarray(x * i)[0, 0] == 2 * i for i in range(4))
        os._exit(0 if good else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


def test_places_of_code_that_is_made_anew():
    """More pieces of code than there are places: none is mistaken for another, none stays for ever."""
    code = """if True:
        import numpy
        import tenfold as tn
        from tenfold import _core
        data = numpy.zeros(16384, numpy.float32)
        device = _core.open_device("interp")
        for i in range(17000):
            scope = {"tn": tn, "data": data, "device": device, "__name__": f"made{i}"}
            exec(compile("x = tn.asarray(data, device=device, copy=True)", f"made{i}.py", "exec"), scope)
        device.set_memory_limit(1)
        try:
            tn.asarray(data, device=device, copy=True)
        except MemoryError as error:
            print("made16999.py:1, in <module>" in str(error), str(error).count("made"))
    """
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=300)
    assert done.stdout.split() == ["True", "1"], done.stdout + done.stderr
