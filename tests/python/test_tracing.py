"""What tenfold.tracing leaves out of dynamo's tracing, and what must stay as it was."""

from __future__ import annotations

import gc
import logging
import subprocess
import sys
import weakref

import pytest

torch = pytest.importorskip("torch")
tenfold = pytest.importorskip("tenfold")
from tenfold.torch import backend as torch_backend  # noqa: E402

PROGRAM = """
import sys, torch, tenfold
from tenfold.torch import backend as torch_backend
model = torch.nn.Sequential(torch.nn.Linear(4, 4), torch.nn.ReLU()).eval()
with torch.no_grad():
    torch.compile(model, backend=torch_backend.backend)(torch.ones(2, 4))
assert "torch.distributed.tensor.experimental._func_map" not in sys.modules
import torch._dynamo.variables.higher_order_ops as hops
from torch.distributed.tensor.experimental import _func_map
ask = hops.LocalMapWrappedHigherOrderVariable
assert not ask.should_wrap_in_hop(_func_map._local_map_wrapped)
ask._enabled = True
assert ask.should_wrap_in_hop(_func_map._local_map_wrapped)
assert not ask.should_wrap_in_hop(len)
"""


@pytest.fixture(autouse=True)
def fresh():
    torch._dynamo.reset()
    yield


def compiled(function, *inputs):
    with torch.no_grad():
        return torch.compile(function, backend=torch_backend.backend)(*inputs)


def test_the_collector_waits_and_goes_on():
    seen = []

    def backend(module, inputs):
        seen.append(gc.isenabled())
        return module.forward

    torch.compile(lambda x: x + 1, backend=backend)(torch.ones(3))
    assert seen == [False]
    assert gc.isenabled()


def test_a_collector_that_was_off_stays_off():
    gc.disable()
    try:
        compiled(lambda x: x + 2, torch.ones(3))
        assert not gc.isenabled()
    finally:
        gc.enable()


def test_frozen_objects_stay_frozen():
    compiled(lambda x: x + 2, torch.ones(3))  # whatever earlier tests left to a compile to replace is replaced now
    gc.collect()
    gc.freeze()
    try:
        count = gc.get_freeze_count()
        compiled(lambda x: x + 3, torch.ones(3))
        assert gc.get_freeze_count() > count // 2  # unfreezing leaves none; some die on their own
    finally:
        gc.unfreeze()


def test_garbage_of_tracing_is_collected_later():
    class Ring:
        pass

    made = []

    def function(x):
        torch.compiler.is_compiling()
        return x * 2

    def backend(module, inputs):
        ring = Ring()
        ring.self = ring
        made.append(weakref.ref(ring))
        return module.forward

    torch.compile(function, backend=backend)(torch.ones(3))
    gc.collect()
    assert made[0]() is None


def test_the_collector_goes_on_after_an_error():
    def backend(module, inputs):
        raise RuntimeError("no")

    with pytest.raises(Exception, match="no"):
        torch.compile(lambda x: x + 1, backend=backend)(torch.ones(3))
    assert gc.isenabled()


def test_log_lines_name_functions():
    from torch._dynamo import output_graph

    lines: list[str] = []
    handler = logging.Handler()
    handler.emit = lambda record: lines.append(record.getMessage())
    log = output_graph.trace_call_log
    level = log.level
    log.addHandler(handler)
    log.setLevel(logging.DEBUG)
    try:

        def inner(x):
            return x.sin()

        compiled(inner, torch.ones(3))
    finally:
        log.removeHandler(handler)
        log.setLevel(level)
    assert any("(test_log_lines_name_functions.inner)" in line for line in lines)


def test_files_of_distributed_tensors_are_not_loaded():
    done = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr


REGISTERED = """
import torch, sys
from torch._dynamo.backends import registry
found = registry._discover_entrypoint_backends.__wrapped__
registry._discover_entrypoint_backends = lambda: None  # as where the package is not installed
import tenfold.torch.backend as ours
with torch.no_grad():
    assert torch.compile(torch.nn.ReLU(), backend="tenfold")(torch.ones(3)).sum() == 3
assert registry.lookup_backend("tenfold") is ours.backend
found()
assert registry.lookup_backend("tenfold") is ours.backend
"""

DISCOVERED = """
import torch, sys
from torch._dynamo.backends import registry
from importlib.metadata import EntryPoint
point = EntryPoint("tenfold", "tenfold.torch.backend:backend", "torch_dynamo_backends")
registry._lazy_import = lambda: registry._BACKENDS.update(tenfold=point)
assert "tenfold.torch.backend" not in sys.modules
backend = registry.lookup_backend("tenfold")
assert backend is sys.modules["tenfold.torch.backend"].backend
"""


@pytest.mark.parametrize("program", [REGISTERED, DISCOVERED])
def test_the_backend_has_its_name(program):
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr


def test_deep_calls_map_no_memory_again_and_again():
    """Calls to whatever depth of the stack: a block of frames that were unmapped at each return shows as faults."""
    resource = pytest.importorskip("resource")
    if not hasattr(resource, "RUSAGE_THREAD"):
        pytest.skip("faults are not counted by thread here")

    def faults():
        return resource.getrusage(resource.RUSAGE_THREAD).ru_minflt

    def leaf():
        pass

    def dive(depth):
        if depth:
            return dive(depth - 1)
        before = faults()
        for _ in range(200):
            leaf()
        return faults() - before

    assert max(torch_backend.tracing._with_room(dive, (depth,), {}) for depth in range(300)) < 100


PRELOADED = """
import sys, torch, tenfold
from tenfold.torch import backend as torch_backend
model = torch.nn.Sequential(torch.nn.Linear(4, 4), torch.nn.ReLU()).eval()
before = set(sys.modules)
with torch.no_grad():
    torch.compile(model, backend="tenfold")(torch.ones(2, 4))
print(*sorted(name for name in set(sys.modules) - before if name.startswith("torch.")))
"""


def test_a_first_call_loads_nothing():
    done = subprocess.run([sys.executable, "-c", PRELOADED], capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    if torch.__version__.startswith("2.13"):
        assert done.stdout.split() == []
