"""Arrays in long loops, with exceptions in the middle, across forks, and at the end of the interpreter."""

import os
import signal
import subprocess
import sys
import threading

import numpy
import pytest
import tenfold as tn
from forks import SECONDS, in_child
from tenfold import _core

OPERATIONS = 1_000_000
PENDING_MOST = 4096
MIB = 1 << 20


def resident() -> int:
    """Bytes of this process in memory."""
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def chain(x, count):
    for _ in range(count // 2):
        x = x * 0.5 + 1.0
    return x


def dropped(x, count):
    for i in range(count // 2):
        (x + i) * x  # nobody needs it
    return x + 1.0


def branches(x, count):
    """Each value is an operand of two operations: no chain."""
    y = x
    for _ in range(count // 4):
        x, y = (x + y) * 0.5, (x - y) * 0.5
    return x + y


@pytest.mark.parametrize("work", [chain, dropped, branches])
def test_a_million_operations(work):
    """Nothing is read on the way: what waits is run, and what nobody needs goes, without growing."""
    device, rounds, most = _core.open_device("cpu"), 12, 0
    x, part = tn.full((3,), 2.0, device=device), OPERATIONS // 10
    for i in range(rounds):
        if i == 7:  # compiled programs have taken what they may take together
            before = resident()
        x = work(x, part)
        most = max(most, device.stats()["pending"])
    stats = device.stats()
    assert stats["recorded"] >= OPERATIONS and most <= PENDING_MOST
    assert resident() - before < 16 * MIB
    assert stats["bytes"] < MIB and stats["programs"] < 100
    wanted = {chain: 2.0, branches: 0.0}.get(work)
    assert wanted is None or x.tolist() == [wanted] * 3


class Stop(Exception):
    pass


def test_exceptions_in_the_middle_of_what_is_recorded():
    x, made = tn.asarray([1.0, 2.0, 3.0]), []

    def interrupted(a, when):
        y = a * 2
        made.append(y)
        if when:
            raise Stop
        return tn.sum(y * y)

    for function in (interrupted, tn.grad(interrupted), tn.value_and_grad(interrupted), tn.jit(interrupted)):
        for _ in range(20):
            with pytest.raises(Stop):
                function(x, True)
            with pytest.raises(ValueError, match="broadcast"):
                made[0] + tn.ones(4)
    assert made[0].tolist() == [2, 4, 6]
    assert float(interrupted(x, False)) == 56
    assert tn.grad(interrupted)(x, False).tolist() == [8, 16, 24]
    assert float(tn.jit(interrupted)(x, False)) == 56
    assert (x + 1).tolist() == [2, 3, 4]


def test_values_that_cannot_be_computed_leave_others_right():
    """A check that fails while everything pending runs is an error of its own array alone."""
    x, device = tn.asarray([1.0, 2.0, 3.0]), tn.device("cpu")
    wrong = x[tn.asarray([0, 7])]
    later, after = [], wrong + 1
    for i in range(PENDING_MOST + 20):
        later.append(x + i)
    with pytest.raises(IndexError):
        device.synchronize()
    assert all(y.tolist() == [1.0 + i, 2.0 + i, 3.0 + i] for i, y in enumerate(later[::100]) for i in [i * 100])
    for array in (wrong, after, wrong):
        with pytest.raises(IndexError):
            array.tolist()
    del wrong, after, array
    device.synchronize()
    assert later[-1].tolist() == [PENDING_MOST + 20.0 + i for i in range(3)]


def test_a_signal_in_the_middle():
    """A handler raises wherever Python happens to be; what was recorded before is computed as it was."""

    def handler(*_):
        raise Stop

    x, w = tn.ones((8, 8)), tn.eye(8) * 0.5
    old = signal.signal(signal.SIGALRM, handler)
    try:
        for i in range(30):
            y, count = x, 0
            try:
                signal.setitimer(signal.ITIMER_REAL, 0.002 + 0.0005 * (i % 7))
                while True:
                    z = y @ w + 1.0
                    if count % 50 == 49:
                        numpy.asarray(z)
                    y, count = z, count + 1
            except Stop:
                pass
            finally:
                signal.setitimer(signal.ITIMER_REAL, 0)
            assert abs(float(y[0, 0]) - (2 - 0.5**count)) < 1e-5
    finally:
        signal.signal(signal.SIGALRM, old)
    assert float(tn.sum(x)) == 64


# ---- forks ----
def test_pending_arrays_in_a_forked_child():
    x = tn.reshape(tn.arange(12, dtype=tn.float32), (3, 4))
    pending = x * 2 + 1
    wanted = (numpy.arange(12, dtype=numpy.float32).reshape(3, 4) * 2 + 1).tolist()

    def child() -> int:
        good = pending.tolist() == wanted and (pending - 1).tolist() == (x * 2).tolist()
        return 0 if good and float(tn.sum(chain(x, 2000))) == 24 else 1

    assert in_child(child) == 0
    assert in_child(child) == 0
    assert pending.tolist() == wanted
    assert in_child(child) == 0


def test_forks_while_threads_compute():
    """A thread is in the middle of a program with the same arrays: the child starts anew with them, or says why not."""
    n = 384
    a, b = tn.ones((n, n)) / n, tn.eye(n) * 2.0
    c = [tn.full((n,), float(i)) for i in range(6)]
    stop, failed = threading.Event(), []

    def compute(first, second):
        y = first
        for item in c[:3]:
            y = y @ second + item
        return float(tn.sum(y))

    def reverse() -> float:
        y = c[5] + c[4] * 2 + c[2] - c[1] + c[0]
        return float(tn.sum((b @ a) * y))

    ahead, back = compute(a, b), reverse()

    def run() -> None:
        try:
            while not stop.is_set():
                assert compute(a, b) == ahead
        except BaseException as error:
            failed.append(error)

    def child() -> int:
        try:
            return 0 if reverse() == back and compute(a, b) == ahead else 1
        except _core.UnsupportedError as error:
            return 0 if "forked while another thread" in str(error) else 2

    threads = [threading.Thread(target=run) for _ in range(2)]
    for thread in threads:
        thread.start()
    try:
        assert [in_child(child) for _ in range(12)] == [0] * 12
    finally:
        stop.set()
        for thread in threads:
            thread.join()
    assert not failed and reverse() == back


# ---- the end of the interpreter ----
ENDS = {
    "pending arrays": "pending = [chain(x, 50) for _ in range(100)]",
    "a failing array": "wrong = tn.ones(3)[tn.asarray([5])] + 1",
    "an exit handler": """import atexit
pending = chain(x, 50)
atexit.register(lambda: print(pending.tolist()[0]))""",
    "a finalizer": """class Late:
    def __del__(self, x=x, chain=chain, print=print):
        print(chain(x, 20).tolist()[0])
late = Late()
late.itself = late""",
    "threads that compute": """import threading
def run():
    while True:
        chain(x, 40).tolist()
for _ in range(3):
    threading.Thread(target=run, daemon=True).start()
time.sleep(0.3)""",
    "threads that record": """import threading
def run(y):
    while True:
        y = chain(y, 40)
for _ in range(3):
    threading.Thread(target=run, args=(x,), daemon=True).start()
time.sleep(0.3)""",
    "threads that multiply": """import threading
m = tn.ones((300, 300)) / 300
def run():
    while True:
        float(tn.sum(m @ m + m))
for _ in range(2):
    threading.Thread(target=run, daemon=True).start()
time.sleep(0.5)""",
    "a function that is being recorded": """import threading
inside, forever = threading.Event(), threading.Event()
def function(a):
    b = a * 2
    inside.set()
    forever.wait()
    return b
threading.Thread(target=tn.jit(function), args=(x,), daemon=True).start()
inside.wait()""",
    "memory that others hold": """import numpy
views = [numpy.asarray(chain(x, 10)), memoryview(chain(x, 10)), tn.asarray(numpy.ones(9)).__dlpack__()]""",
    "an exception": """pending = chain(x, 50)
tn.ones(3) + tn.ones(4)""",
}


@pytest.mark.parametrize("end", ENDS)
def test_the_end_of_the_interpreter(end):
    begin = """import sys, time
import tenfold as tn
def chain(x, count):
    for _ in range(count // 2):
        x = x * 0.5 + 1.0
    return x
x = tn.full((3,), 2.0)
"""
    done = subprocess.run(
        [sys.executable, "-X", "faulthandler", "-c", begin + ENDS[end]], capture_output=True, text=True, timeout=SECONDS
    )
    if end == "an exception":
        assert done.returncode == 1 and done.stderr.rstrip().endswith("shapes (3,) (4,)"), done.stderr
        return
    assert done.returncode == 0 and not done.stderr, done.stderr
    assert done.stdout.split() == (["2.0"] if end in ("an exit handler", "a finalizer") else [])
