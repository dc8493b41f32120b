"""Weights of graphs with open sizes are compiled in at every size, and packed once for all; whatever changes them is
seen at the next call, at sizes that are known and at new ones."""

from __future__ import annotations

import gc

import pytest

torch = pytest.importorskip("torch")
tenfold = pytest.importorskip("tenfold")
from tenfold import _core  # noqa: E402
from tenfold.torch import backend as torch_backend  # noqa: E402
from torch import nn  # noqa: E402

CLOSE = {"rtol": 1e-4, "atol": 1e-4}


class Net(nn.Module):
    """Convolutions are compiled in without being asked for; `places` hoists a constant of each size's own."""

    def __init__(self, width: int = 48) -> None:
        super().__init__()
        self.first, self.norm = nn.Conv1d(8, width, 3, padding=1), nn.BatchNorm1d(width)
        self.second, self.last = nn.Conv1d(width, width, 3, padding=1), nn.Linear(width, 64)

    def forward(self, x):
        x = self.second(self.norm(self.first(x)).relu())
        places = torch.arange(x.shape[2], dtype=torch.float32).cos()
        return self.last((x + places).transpose(1, 2))


@pytest.fixture
def graphs(monkeypatch):
    torch._dynamo.reset()
    tenfold.reset_stats()
    torch_backend.options.device = "cpu"
    made: list[torch_backend.Compiled] = []
    original = torch_backend.Compiled.__init__

    def init(self, *args, **kwargs):
        original(self, *args, **kwargs)
        made.append(self)

    monkeypatch.setattr(torch_backend.Compiled, "__init__", init)
    return made


def net(seed: int = 0) -> Net:
    torch.manual_seed(seed)
    made = Net().eval()
    made.norm.running_mean.normal_()
    return made


def compare(run, model: nn.Module, sizes) -> None:
    with torch.no_grad():
        for b, n in sizes:
            x = torch.randn(b, 8, n)
            torch.testing.assert_close(run(x), model(x), **CLOSE)


SIZES = [(2, 5), (3, 7), (2, 64), (5, 31), (7, 100), (3, 211), (11, 2), (4, 33), (2, 997)]


def test_every_size_has_the_weights(graphs) -> None:
    model = net()
    run = torch.compile(model, backend="tenfold", dynamic=True)
    compare(run, model, SIZES)
    open_ones = [g for g in graphs if g.moving]
    assert sum(len(g.frozen) for g in open_ones) == len(SIZES) and not any(len(g.executables) for g in open_ones)
    assert tenfold.stats()["compilations"] <= 3, tenfold.explain()
    weights = sum(p.numel() * 4 for p in (model.first.weight, model.second.weight))
    for g in open_ones:
        own = [made.memory[1] for (made, _), _ in g.frozen.made.values()]
        assert sum(own) < 3 * weights < len(own) * weights, own  # kernels may lay them out in another way


def test_sizes_without_elements_and_of_one(graphs) -> None:
    model = net()
    run = torch.compile(model, backend="tenfold", dynamic=True)
    compare(run, model, [(2, 5), (3, 9), (1, 9), (2, 1), (0, 9), (1, 1), (3, 2003), (2, 5)])


@pytest.mark.parametrize("how", ["add_", "data", "replaced"])
def test_changed_weights_are_seen_at_every_size(graphs, how: str) -> None:
    model = net()
    run = torch.compile(model, backend="tenfold", dynamic=True)
    compare(run, model, SIZES[:4])
    for sizes in (SIZES[:4], SIZES[4:6], SIZES[:1]):  # known, new, known ones
        with torch.no_grad():
            if how == "add_":
                model.second.weight.add_(0.5)
            elif how == "data":
                model.norm.running_mean.data[3] += 2
            else:
                model.first.weight.set_(torch.randn_like(model.first.weight))
        compare(run, model, sizes)


def test_changed_weights_are_compiled_in_again(graphs) -> None:
    model = net()
    run = torch.compile(model, backend="tenfold", dynamic=True)
    compare(run, model, SIZES[:2])
    with torch.no_grad():
        model.second.weight.mul_(2)
    compare(run, model, SIZES[:3] * 8)
    assert any(len(g.frozen) == 3 for g in graphs if g.moving)
    for g in graphs:
        g.frozen.clear()
        g.weights = g.last = None
    gc.collect()
    compare(run, model, SIZES[:3])


def test_models_of_the_same_code_have_their_own_weights(graphs) -> None:
    models = [net(seed) for seed in range(3)]
    runs = [torch.compile(m, backend="tenfold", dynamic=True) for m in models]
    for size in SIZES[:5]:
        for run, model in zip(runs, models, strict=True):
            compare(run, model, [size])


def test_what_is_not_a_list_of_its_inputs_is_refused(graphs) -> None:
    model = net()
    run = torch.compile(model, backend="tenfold", dynamic=True)
    compare(run, model, SIZES[:3])
    graph = next(g for g in graphs if len(g.frozen))
    with pytest.raises(TypeError, match=r"a list of \d+ tensors"):
        graph.weights.holds([])
    program = _core.parse("func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> { return %x : tensor<4xf32> }")
    with pytest.raises(TypeError, match="frozen inputs are a list"):
        program.compile(frozen=3)
    with pytest.raises(ValueError, match=r"frozen input \d+ is of another program"):
        program.compile(frozen=graph.weights)
