"""Weights that were compiled in are compared with what they were at each call: where the system tells which pages were
written, only those are read. Both ways see every write, whoever makes it and however."""

from __future__ import annotations

import ctypes
import os
import threading

import pytest

torch = pytest.importorskip("torch")
tenfold = pytest.importorskip("tenfold")
from tenfold import _core  # noqa: E402
from tenfold.torch import compiled  # noqa: E402

if not compiled._EXCHANGE:
    pytest.skip("this torch exchanges no tensors in C", allow_module_level=True)

ROWS, COLUMNS = 700, 1021  # 2.9 MB: many pieces, and ends that are not those of pages
BYTES = ROWS * COLUMNS * 4
ONES = torch.ones(4)


@pytest.fixture(params=["watched", "read"])
def watched(request, monkeypatch):
    """Whether the system is asked which pages were written."""
    if request.param == "read":
        monkeypatch.setenv("TENFOLD_WATCH", "0")
    elif not can_watch():
        pytest.skip("this system does not tell which pages were written")
    return request.param == "watched"


def can_watch() -> bool:
    return frozen(fresh()).checks[0] > 0


@pytest.fixture
def watching():
    if not can_watch():
        pytest.skip("this system does not tell which pages were written")


def fresh() -> torch.Tensor:
    return torch.arange(ROWS * COLUMNS, dtype=torch.float32).reshape(ROWS, COLUMNS).clone()


def frozen(*weights: torch.Tensor):
    types = [f"tensor<{'x'.join(map(str, w.shape))}xf32>" for w in weights]
    inputs = ", ".join(f"%w{i}: {t}" for i, t in enumerate(types))
    program = _core.parse(
        f"func.func @main(%x: tensor<4xf32>, {inputs}) -> tensor<4xf32> {{\n"
        "  %0 = stablehlo.add %x, %x : tensor<4xf32>\n"
        "  return %0 : tensor<4xf32>\n}"
    )
    return program.compile(device="cpu", frozen=[(i + 1, w) for i, w in enumerate(weights)])


def holds(made, *weights: torch.Tensor) -> bool:
    """Whether a call finds the weights as they were."""
    results = made.run([ONES, *weights])
    assert results is False or torch.equal(results[0], ONES + ONES)
    return results is not False


def in_child(work) -> None:
    """Runs in a process of its own, which has a copy of private memory."""
    child = os.fork()
    if not child:
        try:
            work()
            os._exit(0)
        except BaseException as error:
            print(repr(error), flush=True)
            os._exit(1)
    assert os.waitpid(child, 0)[1] == 0


def by_data(w):
    w.data[350, 500] = -1.0


def by_numpy(w):
    w.detach().numpy()[350, 500] = -1.0


def by_ctypes(w):
    ctypes.memmove(w.data_ptr() + BYTES // 2 + 3, b"\xff", 1)


def by_system_call(w):
    with open("/dev/zero", "rb", buffering=0) as file:
        assert file.readinto(memoryview(w.numpy()).cast("B")[BYTES // 2 : BYTES // 2 + 8]) == 8


def by_another_thread(w):
    thread = threading.Thread(target=by_ctypes, args=(w,))
    thread.start()
    thread.join()


def by_exchange(w):
    rows = w.detach().numpy()
    rows[[3, 600]] = rows[[600, 3]]


def all_of_it(w):
    w.data.mul_(-2.0)


@pytest.mark.parametrize(
    "write", [by_data, by_numpy, by_ctypes, by_system_call, by_another_thread, by_exchange, all_of_it]
)
def test_a_write_is_seen(watched, write):
    w = fresh()
    made = frozen(w)
    assert (made.checks[0] > 0) == watched
    assert holds(made, w)
    assert holds(made, w)
    write(w)
    assert not holds(made, w)
    assert not holds(made, w)  # and stays so
    w.detach().numpy()[:] = fresh().numpy()
    assert holds(made, w)
    write(w)
    assert not holds(made, w)


def test_every_place_is_looked_at(watched):
    w = fresh()
    made = frozen(w)
    memory = (ctypes.c_uint8 * BYTES).from_address(w.data_ptr())
    to_page = -w.data_ptr() % 4096
    edges = [0, to_page - 1, to_page, to_page + 4095, to_page + (256 << 10) - 1, to_page + (256 << 10), BYTES - 1]
    for place in [*edges, *range(17, BYTES, 99991)]:
        memory[place] ^= 1
        assert not holds(made, w), place
        memory[place] ^= 1
        assert holds(made, w), place


def test_what_holds_still_is_not_read(watching):
    w, small = fresh(), torch.ones(100)
    made = frozen(w, small)
    assert made.checks[0] == BYTES
    for _ in range(3):
        assert holds(made, w, small)
    assert made.checks[1] < 16384  # the small one, and what shares a page with others
    w.data[350, 500] = w[350, 500].item()  # the same number again
    assert holds(made, w, small)
    assert 4096 <= made.checks[1] < BYTES // 4
    assert holds(made, w, small)
    assert made.checks[1] < 16384


def test_reading_is_the_other_way(monkeypatch):
    monkeypatch.setenv("TENFOLD_WATCH", "0")
    w = fresh()
    made = frozen(w)
    assert holds(made, w)
    assert made.checks == (0, BYTES)


@pytest.mark.parametrize("first", [0, 1])
def test_two_executables_of_the_same_weights(watched, first):
    w = fresh()
    made = [frozen(w), frozen(w[100:600])]  # one has some of the other's memory
    weights = [w, w[100:600]]
    order = [first, 1 - first]
    for _ in range(2):
        assert all(holds(made[k], weights[k]) for k in order)
        for value in (-1.0, -2.0):  # in one of their calls and between them
            w.data[350, 500] = value
            for k in order:
                assert not holds(made[k], weights[k])
        w.data[350, 500] = fresh()[350, 500]
        assert all(holds(made[k], weights[k]) for k in order)
        w.data[650, 0] = -1.0  # of the first alone
        assert [holds(made[k], weights[k]) for k in order] == [k == 1 for k in order]
        w.data[650, 0] = fresh()[650, 0]
    del made[first]  # the other one watches on
    left = 1 - first
    w.data[101, 5] = -1.0
    assert not holds(made[0], weights[left])
    w.data[101, 5] = fresh()[101, 5]
    assert holds(made[0], weights[left])
    assert holds(made[0], weights[left])
    assert made[0].checks[1] < BYTES // 4 or not watched
    w.data[599, 5] = -1.0
    assert not holds(made[0], weights[left])


def test_a_weight_that_is_there_twice(watched):
    w = fresh()
    made = frozen(w, w, w[5:])
    assert holds(made, w, w, w[5:])
    w.data[3, 3] = -1.0
    assert not holds(made, w, w, w[5:])


def test_frozen_again_after_a_change(watched):
    w = fresh()
    for value in range(20):
        made = frozen(w)
        assert holds(made, w)
        w.data[350, value] = -1.0 - value
        assert not holds(made, w)


def test_in_a_child_of_fork(watched):
    w = fresh()
    made = frozen(w)
    assert holds(made, w)

    def unchanged():
        assert holds(made, w)

    def written():
        w.data[350, 500] = -1.0
        assert not holds(made, w)
        own = frozen(w)
        assert (own.checks[0] > 0) == watched
        assert holds(own, w)
        w.data[1, 1] = -1.0
        assert not holds(own, w)
        del own

    in_child(unchanged)
    in_child(written)
    in_child(lambda: in_child(written))
    assert holds(made, w)  # the parent's memory is its own
    w.data[350, 500] = -1.0
    assert not holds(made, w)


def test_shared_memory_is_read(watched):
    w = fresh().share_memory_()
    made = frozen(w)
    assert made.checks[0] == 0
    assert holds(made, w)

    def write():
        w.data[350, 500] = -1.0

    in_child(write)
    assert not holds(made, w)


def test_memory_of_a_file_is_read(watched, tmp_path):
    path = tmp_path / "weights"
    path.write_bytes(fresh().numpy().tobytes())
    w = torch.from_file(str(path), shared=False, size=ROWS * COLUMNS).reshape(ROWS, COLUMNS)
    made = frozen(w)
    assert made.checks[0] == 0
    assert holds(made, w)
    with path.open("r+b") as file:
        file.seek(BYTES // 2)
        file.write(bytes(8))
    assert not holds(made, w)


def test_many_threads(watched):
    w = fresh()
    made = [frozen(w), frozen(w)]
    seen: list[list[bool]] = [[] for _ in range(4)]
    gate = threading.Barrier(5)

    def call(k):
        for _ in range(60):
            gate.wait()
            seen[k].append(holds(made[k % 2], w))
            gate.wait()

    threads = [threading.Thread(target=call, args=(k,)) for k in range(4)]
    for t in threads:
        t.start()
    original, expected = fresh(), []
    for turn in range(60):
        row = turn * 7 % ROWS
        changed = turn % 3 == 1
        if changed:
            w.data[row, 9] = -1.0
        elif turn % 3 == 2:
            w.data.copy_(original)
        expected.append(not changed)
        gate.wait()
        gate.wait()
    for t in threads:
        t.join()
    assert all(s == expected for s in seen)


def test_a_model_for_two_shapes(watched):
    torch._dynamo.reset()
    torch.manual_seed(0)
    model = torch.nn.Conv2d(64, 128, 3).eval()
    run = torch.compile(model, backend="tenfold", dynamic=False)
    inputs = [torch.randn(1, 64, n, n) for n in (8, 9)]

    def check():
        for x in inputs:
            torch.testing.assert_close(run(x), model(x), rtol=1e-4, atol=1e-4)

    with torch.no_grad():
        for _ in range(3):
            check()
        model.weight.data[70, 30, 1, 1] = 9.0
        check()
        for _ in range(20):
            check()
        model.weight.detach().numpy()[3, 3, 0, 0] = 9.0
        inputs.reverse()
        check()
