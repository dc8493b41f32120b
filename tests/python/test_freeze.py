"""Weights that hold still are compiled in; whatever changes them is seen at the next call."""

from __future__ import annotations

import ctypes
import os

import pytest

torch = pytest.importorskip("torch")
tenfold = pytest.importorskip("tenfold")
from tenfold.torch import backend as torch_backend  # noqa: E402
from tenfold.torch.compiled import Begun  # noqa: E402
from test_written import can_watch  # noqa: E402
from torch import nn  # noqa: E402


@pytest.fixture(autouse=True)
def fresh():
    torch._dynamo.reset()
    tenfold.reset_stats()
    torch_backend.options.device = "cpu"
    yield


class Wide(nn.Module):
    """The layers of make(), as convolutions of one place: those are compiled in without being asked for."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.first, self.norm = nn.Conv1d(width, width, 1), nn.BatchNorm1d(width)
        self.second = nn.Conv1d(width, width, 1)

    def forward(self, x):
        return self.second(self.norm(self.first(x[:, :, None])).relu()).squeeze(2)


def make(width: int = 96) -> nn.Module:
    torch.manual_seed(0)
    return nn.Sequential(nn.Linear(width, width), nn.BatchNorm1d(width), nn.ReLU(), nn.Linear(width, width)).eval()


def frozen_now() -> list[bool]:
    return [bool(g.frozen) for g in graphs]


graphs: list[torch_backend.Compiled] = []


@pytest.fixture
def compiled(monkeypatch):
    graphs.clear()
    original = torch_backend.Compiled.__init__

    def init(self, *args, **kwargs):
        original(self, *args, **kwargs)
        graphs.append(self)

    monkeypatch.setattr(torch_backend.Compiled, "__init__", init)
    monkeypatch.setattr(torch_backend.options, "freeze", True)
    return lambda model: torch.compile(model, backend=torch_backend.backend)


@pytest.fixture(params=["watched", "read"])
def both_ways(request, monkeypatch):
    """Weights are watched where the system can do that, and read at each call."""
    monkeypatch.setenv("TENFOLD_WATCH", "1" if request.param == "watched" else "0")


def same(run, model, x):
    with torch.no_grad():
        torch.testing.assert_close(run(x), model(x), rtol=1e-4, atol=1e-5)


def change_version(model):
    with torch.no_grad():
        model[0].weight[3, 5] += 7.0


def change_data(model):
    model[0].weight.data.mul_(1.5)


def change_corner(model):
    model[3].weight.data[0, 0] = 9.0


def change_middle(model):  # all of a small weight is looked at
    model[1].weight.data[41] = 9.0


def change_numpy(model):
    model[3].weight.detach().numpy()[:] *= 2


def change_swap(model):
    model[0].weight.data = torch.randn_like(model[0].weight)


def change_parameter(model):
    model[3].weight = nn.Parameter(torch.randn_like(model[3].weight))


def change_transposed(model):
    model[0].weight.data = model[0].weight.data.t()


def change_buffer(model):
    model[1].running_mean.add_(3.0)


def change_load(model):
    model.load_state_dict({k: v + 1 if v.is_floating_point() else v for k, v in model.state_dict().items()})


CHANGES = [c for name, c in sorted(globals().items()) if name.startswith("change_")]


@pytest.mark.parametrize("change", CHANGES, ids=lambda c: c.__name__)
def test_a_change_is_seen(compiled, change):
    model, x = make(), torch.randn(4, 96)
    run = compiled(model)
    for _ in range(3):
        same(run, model, x)
    assert frozen_now() == [True]
    with torch.no_grad():
        before = model(x)
    change(model)
    with torch.no_grad():
        assert not torch.allclose(model(x), before)  # the change is one that shows
    same(run, model, x)
    for _ in range(20):  # frozen again on the way
        same(run, model, x)
    assert frozen_now()[-1]


WRITES = [
    lambda m: m.first.weight.data[48].__setitem__(slice(40, 44), 9.0),
    lambda m: m.second.weight.detach().numpy().__setitem__((151, 77), 9.0),
    lambda m: m.norm.running_var.data.__setitem__(13, 9.0),
    lambda m: m.second.bias.data.__setitem__(150, 9.0),
    lambda m: m.first.weight.copy_(m.first.weight * 2),
]


@pytest.mark.parametrize("write", WRITES)
@pytest.mark.parametrize("last", [False, True])
@pytest.mark.usefixtures("both_ways")
def test_nothing_is_missed_by_default(compiled, monkeypatch, write, last):
    monkeypatch.setattr(torch_backend.options, "freeze", None)
    torch.manual_seed(0)
    model, x = Wide(200).eval(), torch.randn(4, 200)  # weights of 160 KB: far more than samples are taken of
    if last:  # dense, in another order
        for layer in (model.first, model.second):
            layer.weight.data = layer.weight.data.transpose(0, 1).contiguous().transpose(0, 1)
    run = compiled(model)
    for _ in range(3):
        same(run, model, x)
    assert frozen_now() == [True]
    with torch.no_grad():
        before = model(x)
        write(model)
        assert not torch.equal(model(x), before)
    for _ in range(20):
        same(run, model, x)


def exchange_rows(w):
    w[[3, 301]] = w[[301, 3]]


def exchange_lanes(w):
    w[5, :32], w[5, 32:64] = w[5, 32:64].copy(), w[5, :32].copy()


def turn_signs(w):
    w *= -1


def turn_two_signs(w):
    w[7, 0], w[7, 32] = -w[7, 0], -w[7, 32]


@pytest.mark.parametrize("write", [exchange_rows, exchange_lanes, turn_signs, turn_two_signs])
@pytest.mark.usefixtures("both_ways")
def test_changes_that_could_cancel_out_are_seen(compiled, monkeypatch, write):
    monkeypatch.setattr(torch_backend.options, "freeze", None)
    torch.manual_seed(0)
    model, x = Wide(320).eval(), torch.randn(4, 320)
    run = compiled(model)
    same(run, model, x)
    assert frozen_now() == [True]
    write(model.first.weight.detach().squeeze(2).numpy())
    same(run, model, x)
    assert frozen_now() == [False]


def test_matrices_of_few_rows_are_arguments_by_default(compiled, monkeypatch):
    monkeypatch.setattr(torch_backend.options, "freeze", None)
    model, x = nn.Sequential(nn.Linear(300, 300), nn.LayerNorm(300)).eval(), torch.randn(4, 300)
    run = compiled(model)
    same(run, model, x)
    assert frozen_now() == [False]
    model[0].weight.data[150, 150] = 9.0
    same(run, model, x)


def write_in_place(model):
    with torch.no_grad():
        model[0].weight[150, 7] = 9.0


def write_data(model):
    model[0].weight.data[150, 150] = 9.0


def write_numpy(model):
    model[2].weight.detach().numpy()[7, 299] = 9.0


def write_dlpack(model):
    torch.from_dlpack(model[0].weight.detach()).view(-1)[45_000:45_002] = 9.0


def write_memory(model):
    value = ctypes.c_float(9.0)
    ctypes.memmove(model[2].weight.data_ptr() + 4 * 77_777, ctypes.byref(value), 4)


def write_state(model):
    model.load_state_dict({k: v * 1.5 for k, v in model.state_dict().items()})


def write_step(model):
    x = torch.randn(40, 300)
    optimizer = torch.optim.AdamW(model.parameters(), lr=0.1)
    model(x).square().mean().backward()
    optimizer.step()


def write_swap(model):
    model[0].weight.data = model[0].weight.data.clone() * 2


@pytest.mark.parametrize("write", [v for k, v in sorted(globals().items()) if k.startswith("write_")])
@pytest.mark.usefixtures("both_ways")
def test_matrices_are_packed_once_by_default(compiled, monkeypatch, write):
    """Where the system tells of writes; elsewhere they are arguments. Whoever writes to them is seen either way."""
    monkeypatch.setattr(torch_backend.options, "freeze", None)
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(300, 300), nn.LayerNorm(300), nn.Linear(300, 300)).eval()
    x = torch.randn(40, 300)
    run = compiled(model)
    for _ in range(2):
        same(run, model, x)
    made = graphs[0].last[0]
    watched, read = made.checks
    assert (watched > 0) == (os.environ["TENFOLD_WATCH"] == "1" and can_watch())
    assert read < 64 << 10  # nothing else is compared at a call
    with torch.no_grad():
        before = model(x)
        with torch.enable_grad():
            write(model)
        assert not torch.equal(model(x), before)
    for _ in range(3):
        same(run, model, x)


def test_what_only_small_weights_decide_is_computed_once(compiled, monkeypatch):
    """A table of positions' biases that no input changes, as T5 has it: also when the table changes."""
    monkeypatch.setattr(torch_backend.options, "freeze", None)

    class Biased(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.table = nn.Embedding(8, 4)

        def forward(self, x):
            places = torch.arange(16)
            return x + self.table((places[:, None] - places[None]).abs().clamp(max=7)).permute(2, 0, 1)

    model, x = Biased().eval(), torch.randn(2, 4, 16, 16)
    run = compiled(model)
    same(run, model, x)
    assert frozen_now() == [True]
    model.table.weight.data[3, 2] = 9.0
    same(run, model, x)


@pytest.mark.parametrize("rows", [1, 4])
def test_matrices_of_bf16_are_compiled_in_by_default(compiled, monkeypatch, rows):
    monkeypatch.setattr(torch_backend.options, "freeze", None)
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(300, 300), nn.LayerNorm(300)).eval().bfloat16()
    x = torch.randn(rows, 300).bfloat16()
    run = compiled(model)

    def close():
        with torch.no_grad():
            torch.testing.assert_close(run(x), model(x), rtol=0.05, atol=0.05)

    close()
    assert frozen_now() == [True]
    model[0].weight.data[150, 150] = 99.0
    close()


def test_a_table_is_read_where_it_lies(compiled):
    model, tokens = nn.Sequential(nn.Embedding(5000, 32), nn.Linear(32, 8)).eval(), torch.arange(4000, 4010)
    run = compiled(model)
    for _ in range(3):
        same(run, model, tokens)
    assert frozen_now() == [True]
    model[0].weight.data[4005, 7] = 9.0  # no counter, no sample sees it
    same(run, model, tokens)


def test_training_in_turns_with_evaluation_compiles_few_times(compiled):
    model, x = make(), torch.randn(8, 96)
    run = compiled(model)
    step = torch.optim.SGD(model.parameters(), lr=0.1)
    for _ in range(40):
        loss = model(x).square().mean()
        step.zero_grad()
        loss.backward()
        step.step()
        same(run, model, x)
    assert tenfold.stats()["compilations"] <= 6


def test_other_shapes(compiled):
    model = make()
    run = compiled(model)
    for n in (2, 3, 4, 5, 6, 2, 3):
        same(run, model, torch.randn(n, 96))
    change_version(model)
    for n in (2, 3, 4, 5, 6):
        same(run, model, torch.randn(n, 96))


def test_memory_of_frozen_weights_is_held(compiled):
    model, x = make(512), torch.randn(2, 512)
    run = compiled(model)
    same(run, model, x)
    for layer in (model[0], model[3]):
        layer.weight.data = torch.ones(512, 512)
    junk = [torch.full((512, 512), 5.0) for _ in range(8)]
    same(run, model, x)
    del junk


def test_freeze_can_be_switched_off(compiled, monkeypatch):
    monkeypatch.setattr(torch_backend.options, "freeze", False)
    model, x = make(), torch.randn(4, 96)
    run = compiled(model)
    same(run, model, x)
    assert frozen_now() == [False]


def test_weights_made_in_inference_mode_are_arguments(compiled):
    with torch.inference_mode():
        model = make()
        x = torch.randn(4, 96)
        run = compiled(model)
        want = model(x)
        torch.testing.assert_close(run(x), want, rtol=1e-4, atol=1e-5)
        model[0].weight.add_(1.0)
        torch.testing.assert_close(run(x), model(x), rtol=1e-4, atol=1e-5)


def test_the_first_call_takes_what_was_begun(monkeypatch):
    made = []
    wait = Begun.wait
    monkeypatch.setattr(Begun, "wait", lambda self: made.append(wait(self)) or made[-1])
    model = torch.nn.Sequential(torch.nn.Conv2d(3, 4, 3), torch.nn.ReLU()).eval()
    x = torch.randn(1, 3, 8, 8)
    with torch.no_grad():
        compiled = torch.compile(model, backend=torch_backend.backend)
        torch.testing.assert_close(compiled(x), model(x), rtol=1e-4, atol=1e-5)
        assert len(made) == 1
        assert made[0] is not None
        model[0].weight.mul_(2)
        torch.testing.assert_close(compiled(x), model(x), rtol=1e-4, atol=1e-5)


def test_what_could_not_be_begun_is_tried_again(monkeypatch):
    def fail(self):
        self.make = None

    monkeypatch.setattr(Begun, "run", fail)
    model = torch.nn.Conv2d(3, 4, 3).eval()
    x = torch.randn(1, 3, 8, 8)
    with torch.no_grad():
        compiled = torch.compile(model, backend=torch_backend.backend)
        torch.testing.assert_close(compiled(x), model(x), rtol=1e-4, atol=1e-5)
