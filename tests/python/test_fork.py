"""A process forks while other threads call compiled models: the child works, on the same results, and does not hang."""

from __future__ import annotations

import multiprocessing
import threading
import warnings

import pytest
from forks import SECONDS, in_child

torch = pytest.importorskip("torch")
import tenfold  # noqa: E402


class Calling:
    """Threads that call a function until the end of the block."""

    def __init__(self, function, count: int = 3) -> None:
        self.function, self.stop = function, threading.Event()
        self.threads = [threading.Thread(target=self.run) for _ in range(count)]

    def run(self) -> None:
        while not self.stop.is_set():
            self.function()

    def __enter__(self) -> None:
        for thread in self.threads:
            thread.start()

    def __exit__(self, *_) -> None:
        self.stop.set()
        for thread in self.threads:
            thread.join()


def model() -> torch.nn.Module:
    torch.manual_seed(0)
    return torch.nn.Sequential(torch.nn.Linear(96, 128), torch.nn.ReLU(), torch.nn.Linear(128, 64)).eval()


def test_loaded_programs_in_a_forked_child(tmp_path):
    x = torch.randn(96, 96)
    torch.export.save(torch.export.export(model(), (x,)), tmp_path / "model.pt2")
    program = tenfold.load(tmp_path / "model.pt2")
    array = x.numpy()
    wanted = torch.from_dlpack(program(array)[0]).clone()

    def call() -> int:
        return 0 if torch.equal(torch.from_dlpack(program(array)[0]), wanted) else 1

    with Calling(call):
        assert [in_child(call) for _ in range(10)] == [0] * 10


def test_compiled_models_in_a_forked_child():
    """Each calls a function of its own: PyTorch itself holds a lock while it looks at the guards of a function's code,
    which all modules of a class share."""
    x = torch.randn(96, 96)
    first, second = model(), model()

    def call_first(x):
        return first(x)

    def call_second(x):
        return second(x)

    mine, others = (torch.compile(f, backend="tenfold", dynamic=False) for f in (call_first, call_second))
    with torch.no_grad():
        wanted = mine(x)

    def call(made) -> int:
        with torch.no_grad():
            return 0 if torch.equal(made(x), wanted) else 1

    assert call(others) == 0
    with Calling(lambda: call(others)):
        assert [in_child(lambda: call(mine)) for _ in range(4)] == [0] * 4


def test_the_device_in_a_forked_child():
    tenfold.enable()
    try:
        x = torch.randn(64, 64)
        wanted = torch.tanh(x @ x) + 1

        def call() -> int:
            y = x.to("tenfold")
            return 0 if torch.allclose((torch.tanh(y @ y) + 1).cpu(), wanted, atol=1e-4) else 1

        assert call() == 0
        with Calling(call, 2):
            assert [in_child(call) for _ in range(6)] == [0] * 6
    finally:
        tenfold.disable()


def test_a_child_compiles_what_is_new_or_says_why():
    """Threads compile at the moment of the fork: LLVM may be unusable in the child."""
    numbers = iter(range(1 << 30))

    def text(number: int) -> str:
        return f"""func.func @main(%a: tensor<64xf32>) -> tensor<64xf32> {{
  %c = stablehlo.constant dense<{number}.25> : tensor<64xf32>
  %0 = stablehlo.multiply %a, %c : tensor<64xf32>
  %1 = stablehlo.sine %0 : tensor<64xf32>
  return %1 : tensor<64xf32>
}}"""

    def compile_one() -> None:
        tenfold._core.parse(text(next(numbers))).compile(passing=True)

    def child() -> int:
        try:
            compile_one()
        except tenfold.UnsupportedError as error:
            return 0 if "forked while another thread was compiling" in str(error) else 1
        return 0

    with Calling(compile_one):
        assert [in_child(child) for _ in range(6)] == [0] * 6


def double(x):
    return DOUBLE(x)


def test_multiprocessing_by_fork():
    global DOUBLE
    DOUBLE = torch.compile(lambda x: torch.sin(x) * 2, backend="tenfold")
    other = torch.compile(lambda x: torch.cos(x) * 3, backend="tenfold")
    x = torch.linspace(0, 1, 5000)
    wanted = DOUBLE(x)
    other(x)
    with Calling(lambda: other(x), 2), warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        with multiprocessing.get_context("fork").Pool(2, torch.set_num_threads, (1,)) as pool:
            made = pool.map_async(double, [x] * 4).get(timeout=SECONDS)
    assert all(torch.equal(y, wanted) for y in made)
