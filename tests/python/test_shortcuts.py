"""The shorter ways through dynamo: the same graphs and guards are found, and dynamo is as it was after."""

from __future__ import annotations

import re

import pytest

torch = pytest.importorskip("torch")
tenfold = pytest.importorskip("tenfold")
from tenfold.torch import backend as torch_backend  # noqa: E402
from tenfold.torch.dynamo import shortcuts, tracing  # noqa: E402
from torch import nn  # noqa: E402
from torch._dynamo import config  # noqa: E402
from torch._dynamo.eval_frame import _debug_get_cache_entry_list  # noqa: E402
from torch._subclasses.fake_tensor import FakeTensorMode  # noqa: E402

SHAPES = [
    *[(2, 3), (1, 3), (2, 1), (2, 3, 4), (1, 3, 1), (2, 3, 4, 5), (1, 3, 4, 5), (2, 1, 4, 5), (2, 3, 1, 5)],
    *[(1, 3, 1, 1), (1, 1, 1, 1), (2, 3, 4, 5, 6), (1, 3, 1, 1, 1)],
]


class Net(nn.Module):
    """Parameters, buffers, a tied weight, a view of another parameter, containers, attributes that are numbers."""

    def __init__(self) -> None:
        super().__init__()
        self.body = nn.Sequential(nn.Conv2d(3, 8, 3, bias=False), nn.BatchNorm2d(8), nn.ReLU(), nn.MaxPool2d(2))
        self.heads = nn.ModuleList(nn.Linear(8, 8) for _ in range(3))
        self.heads[2].weight = self.heads[0].weight
        self.register_buffer("part", self.heads[1].weight.detach()[0])
        self.names = {"scale": 2.0, "turns": 2}
        self.norm = nn.LayerNorm(8)

    def forward(self, x: torch.Tensor, factor: float = 0.5) -> torch.Tensor:
        x = self.body(x).mean((2, 3))
        for head in self.heads:
            x = torch.tanh(head(x)) * self.names["scale"] + self.part
        for _ in range(self.names["turns"]):
            x = self.norm(x) * factor
        return x


@pytest.fixture(autouse=True)
def fresh():
    torch._dynamo.reset()
    FakeTensorMode.cache_clear()
    yield


def keep(graphs):
    def backend(module, inputs):
        graphs.append(module.print_readable(print_output=False, include_stride=True, include_device=True))
        return module.forward

    backend.__module__ = "tenfold.torch.backend"  # what tells it from others
    return backend


def traced(model, *calls):
    """The graphs and guards of some calls."""
    graphs: list[str] = []
    torch._dynamo.reset()
    FakeTensorMode.cache_clear()
    compiled = torch.compile(model, backend=keep(graphs))
    results = [compiled(*call) for call in calls]
    code = model.forward.__code__ if isinstance(model, nn.Module) else model.__code__
    entries = _debug_get_cache_entry_list(code)
    texts = [str(entry.guard_manager) for entry in entries] + [str(e.guard_manager.code_parts) for e in entries]
    guards = [re.sub(r"0x[0-9a-f]+|(?<=___)[0-9]+", "", text) for text in texts]  # some names are numbered
    return graphs, guards, results


def both(monkeypatch, model, *calls):
    shorter = traced(model, *calls)
    with monkeypatch.context() as patch:
        patch.setattr(shortcuts, "PIECES", [])
        patch.setattr(shortcuts, "_frames", lambda: None)
        longer = traced(model, *calls)
    return shorter, longer


@pytest.mark.parametrize("grad", [False, True])
def test_graphs_and_guards_are_the_same(monkeypatch, grad):
    model = Net().eval()
    images = torch.randn(2, 3, 10, 10)
    last = images.to(memory_format=torch.channels_last)
    with torch.set_grad_enabled(grad):
        calls = [(images,), (images, 0.25), (last,), (torch.randn(5, 3, 10, 10),), (images[:, :, 1:, 1:],)]
        shorter, longer = both(monkeypatch, model, *calls)
    assert len(shorter[0]) > 2  # other numbers and other sizes are traced again
    assert shorter[0] == longer[0]
    assert shorter[1] == longer[1]
    for a, b in zip(shorter[2], longer[2], strict=True):
        torch.testing.assert_close(a, b)


def test_functions_with_containers(monkeypatch):
    table = {"a": [1, 2, 3], "b": torch.ones(3)}

    def function(x, options=None, *rest, **named):
        for value in table["a"]:
            x = x + value * table["b"]
        return x.sum() if rest else x, named.get("y", 3)

    calls = [(torch.ones(3),), (torch.ones(4, 3),), (torch.ones(3), None, 1), (torch.ones(3, dtype=torch.float64),)]
    shorter, longer = both(monkeypatch, function, *calls)
    assert shorter[:2] == longer[:2]


def test_errors_are_the_same(monkeypatch):
    def function(x):
        return x @ torch.ones(4, 4)

    messages = []
    for pieces in (shortcuts.PIECES, []):
        monkeypatch.setattr(shortcuts, "PIECES", pieces)
        torch._dynamo.reset()
        with pytest.raises(Exception) as raised:
            torch.compile(function, backend=keep([]), fullgraph=True)(torch.ones(2, 3))
        messages.append((raised.type, re.sub(r"0x[0-9a-f]+", "", str(raised.value))))
    assert messages[0] == messages[1]


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("kind", ["plain", "last", "odd"])
def test_batch_norms_of_fake_tensors(shape, kind):
    op = torch.ops.aten._native_batch_norm_legit_no_training.default
    x = torch.randn(shape)
    if kind == "last" and len(shape) > 3:
        x = x.to(memory_format=torch.channels_last if len(shape) == 4 else torch.channels_last_3d)
    if kind == "odd":
        x = torch.randn([2 * s for s in shape])[tuple(slice(0, None, 2) for _ in shape)]

    def run():
        FakeTensorMode.cache_clear()
        mode = FakeTensorMode()
        with mode:
            fake = [mode.from_tensor(x)] + [mode.from_tensor(torch.ones(shape[1])) for _ in range(4)]
            return [(tuple(r.shape), r.stride(), r.dtype, r.device) for r in op(*fake, 0.1, 1e-5)]

    expected = run()
    with shortcuts.taken():
        assert run() == expected


def test_results_of_fake_tensors_again():
    aten = torch.ops.aten
    calls = {
        "conv": lambda x, w: aten.convolution.default(x, w, None, [1, 1], [1, 1], [1, 1], False, [0, 0], 1),
        "pool": lambda x, w: aten.max_pool2d_with_indices.default(x, [2, 2]),
        "add": lambda x, w: aten.add.Tensor(x, x[:1], alpha=2),
        "part": lambda x, w: aten.select.int(x, 1, 2),
        "turned": lambda x, w: aten.transpose.int(aten.view.default(w, [15, 9]), 0, 1),
        "empty": lambda x, w: aten.empty.memory_format([3, 4], dtype=torch.int32, device="cpu"),
    }

    def run(call, shape, mode):
        with mode:
            x, w = mode.from_tensor(torch.ones(shape)), mode.from_tensor(torch.ones(5, 3, 3, 3))
            results = call(x, w)
        results = results if isinstance(results, tuple) else (results,)
        places = [b.untyped_storage()._cdata for b in (x, w)]
        bases = [i for r in results for i in (0, 1) if r.untyped_storage()._cdata == places[i]]
        return bases, [(tuple(r.shape), r.stride(), r.storage_offset(), r.dtype, r.device) for r in results]

    for call in calls.values():
        mode = FakeTensorMode()
        expected = [run(call, shape, mode) for shape in ((2, 3, 8, 8), (2, 3, 6, 6))]
        FakeTensorMode.cache_clear()
        with shortcuts.taken():
            for _ in range(2):
                assert [run(call, shape, mode) for shape in ((2, 3, 8, 8), (2, 3, 6, 6))] == expected


def test_all_is_as_it_was(monkeypatch):
    swaps = []
    for piece in shortcuts.PIECES:
        for holder, name, new in piece():
            old = holder.__class__ if name == "__class__" else vars(holder).get(name)
            swaps.append((holder, name, old, new))
        assert swaps
    with shortcuts.taken():
        during = [h.__class__ if n == "__class__" else vars(h).get(n) for h, n, _, _ in swaps]
        with shortcuts.taken():
            pass
        assert shortcuts._keep_alive
    assert all(new is not old for new, (_, _, old, _) in zip(during, swaps, strict=True))
    for holder, name, old, _ in swaps:
        assert (holder.__class__ if name == "__class__" else vars(holder).get(name)) is old


def test_other_backends_see_none_of_it():
    seen = []

    def other(module, inputs):
        seen.append((len(shortcuts._keep_alive), tracing.is_ours(other)))
        return module.forward

    torch.compile(lambda x: x + 1, backend=other)(torch.ones(3))
    assert seen == [(0, False)]
    assert tracing.is_ours(torch_backend.backend)
    assert tracing.is_ours(torch_backend.backend_now())


def test_settings_can_be_changed_meanwhile():
    limit = config.recompile_limit
    with shortcuts.taken():
        assert config.recompile_limit == limit
        with config.patch(recompile_limit=limit + 3):
            assert config.recompile_limit == limit + 3
        assert config.recompile_limit == limit
        with pytest.raises(AttributeError):
            _ = config.no_such_setting
        with pytest.raises(AttributeError):
            config.no_such_setting = 1
    assert config.recompile_limit == limit


def test_an_unknown_release_is_left_alone(monkeypatch):
    monkeypatch.setattr(shortcuts, "uses", lambda *_: False)
    with shortcuts.taken():
        changed = {name for _, name, _, _ in shortcuts._keep_alive}
    assert not changed & {"_wrap", "_dispatch_impl", "eval", "__call__"}


def test_closures_are_named_in_guards(monkeypatch):
    scale, bias = 2.0, torch.ones(3)

    def inner(x):
        return x * scale + bias

    def function(x):
        return inner(x) + 1

    shorter, longer = both(monkeypatch, function, (torch.ones(3),), (torch.ones(4, 3),))
    assert shorter[:2] == longer[:2]
    assert 'guard on "' in longer[1][0]


def test_types_that_become_opaque_meanwhile():
    opaque_object = pytest.importorskip("torch._library.opaque_object")

    class Kind:
        pass

    class Heir(Kind):
        pass

    with shortcuts.taken():
        find = opaque_object._resolve_opaque_type_info
        assert find(Heir) is None
        opaque_object._OPAQUE_TYPES[Kind] = info = object()
        try:
            assert find(Heir) is info
        finally:
            del opaque_object._OPAQUE_TYPES[Kind]
        assert find(Heir) is None


def test_modules_keep_their_parents():
    from torch._dynamo.variables import builder

    with shortcuts.taken():
        assert builder.__spec__.parent == "torch._dynamo.variables"
        assert torch._dynamo.__spec__.parent == "torch._dynamo"
    assert builder.__spec__.parent == "torch._dynamo.variables"


def test_graphs_without_code_are_graph_modules():
    from torch._dynamo import output_graph

    with shortcuts.taken():
        made = output_graph.fx.GraphModule(nn.Module(), torch.fx.symbolic_trace(nn.ReLU()).graph)
        assert isinstance(made, torch.fx.GraphModule)
        assert isinstance(made, output_graph.fx.GraphModule)
        assert not isinstance(nn.ReLU(), output_graph.fx.GraphModule)
        torch.testing.assert_close(made(-torch.ones(2)), torch.zeros(2))
    assert output_graph.fx is torch.fx
