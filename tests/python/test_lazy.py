"""device="tenfold": recording, reading, aliasing, training, saving, against the CPU in this process."""

from __future__ import annotations

import copy
import io
import pickle
import subprocess
import sys
import warnings
from pathlib import Path

import pytest

torch = pytest.importorskip("torch")
tenfold = pytest.importorskip("tenfold")
import zoo  # noqa: E402

TRAINED = ["vgg19", "resnet50", "unet", "lstm", "bert", "gpt2", "llama", "vit"]
MODELS = {**zoo.MODELS, **zoo.transformers_models()}
STEPS = 20


@pytest.fixture(autouse=True)
def fresh():
    torch.tenfold.synchronize()
    tenfold.reset_stats()
    yield


def both(function, *tensors):
    """The function's result on the device and on the CPU, which must be equal; no fallback may be needed."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        want = function(*[t.clone() for t in tensors])
        have = function(*[t.clone().to("tenfold") for t in tensors])
    want = want if isinstance(want, tuple) else (want,)
    have = have if isinstance(have, tuple) else (have,)
    for w, h in zip(want, have, strict=True):
        assert h.device.type == "tenfold"
        torch.testing.assert_close(h.cpu(), w)
    assert tenfold.stats()["fallbacks"] == {}


# ---- recording and reading ----


def test_nothing_runs_until_a_value_is_read():
    x = torch.randn(4, 4).to("tenfold")
    y = (x @ x).relu().sum()
    assert tenfold.stats()["runs"] == 0
    y.item()
    assert tenfold.stats()["runs"] == 1
    y.item()
    assert tenfold.stats()["runs"] == 1


def test_equal_graphs_are_compiled_once():
    for k in range(5):
        x = torch.full((3, 5), float(k)).to("tenfold")
        assert (x * 2 + 1).sum().item() == 15 * (2 * k + 1)
    stats = tenfold.stats()
    assert stats["compilations"] <= 1 and stats["runs"] == 5


def test_ways_to_read():
    x = torch.arange(4.0, device="tenfold") * 2
    assert x.tolist() == [0, 2, 4, 6]
    assert x.numpy().tolist() == [0, 2, 4, 6]
    assert "6." in repr(x) and "tenfold" in repr(x)
    assert x.sum().item() == 12 and bool(x.sum() > 3) and float(x[1]) == 2 and int(x[3]) == 6
    assert f"{x[1]:.2f}" == "2.00"
    assert torch.equal(x.cpu(), torch.tensor([0.0, 2, 4, 6]))


@pytest.mark.parametrize(
    "make",
    [
        lambda d: torch.zeros(2, 3, device=d),
        lambda d: torch.ones(2, dtype=torch.int64, device=d),
        lambda d: torch.full((2, 2), 7.5, device=d),
        lambda d: torch.arange(2, 11, 3, device=d),
        lambda d: torch.linspace(0, 1, 5, device=d),
        lambda d: torch.eye(3, device=d),
        lambda d: torch.tensor([[1, 2], [3, 4]], device=d),
        lambda d: torch.empty(2, 2, device=d).fill_(3),
        lambda d: torch.zeros_like(torch.ones(2, 2, device=d)),
        lambda d: torch.ones(2, 2, device=d).new_full((3,), 2.0),
        lambda d: torch.tril(torch.ones(3, 3, device=d)),
    ],
)
def test_factories(make):
    have, want = make("tenfold"), make("cpu")
    assert have.device == torch.device("tenfold:0") and have.dtype == want.dtype
    assert torch.equal(have.cpu(), want)


def test_random_numbers_follow_the_seed():
    torch.manual_seed(3)
    a, b = torch.randn(1000, device="tenfold"), torch.rand(1000, device="tenfold")
    torch.manual_seed(3)
    c, d = torch.randn(1000, device="tenfold"), torch.rand(1000, device="tenfold")
    assert torch.equal(a, c) and torch.equal(b, d)
    e = torch.randn(1000, device="tenfold")
    assert not torch.equal(a, e)
    assert abs(a.mean().item()) < 0.15 and abs(a.std().item() - 1) < 0.1 and b.min().item() >= 0 and b.max().item() < 1


# ---- views and writes ----


def test_writes_go_through_views():
    def run(x):
        row = x[1]
        row += 1
        x[:, 0] = 5
        flat = x.view(-1)
        flat[2:4].mul_(10)
        x.t()[2].zero_()
        y = x.clone()
        y.diagonal().fill_(-1)
        return x, row, flat, y

    both(run, torch.arange(12.0).reshape(3, 4))


def test_views_outlive_programs():
    x = torch.zeros(3, 4).to("tenfold")
    row, column = x[1], x[:, 2]
    x.add_(1)
    assert row.tolist() == [1, 1, 1, 1]
    column.mul_(3)
    assert x[1].tolist() == [1, 1, 3, 1] == row.tolist()
    row.copy_(torch.arange(4.0))
    assert x.cpu()[1].tolist() == [0, 1, 2, 3]
    assert column.tolist() == [3, 2, 3]


def test_in_place_forms():
    def run(x, y):
        x.add_(y, alpha=2).mul_(0.5).clamp_(-1, 1)
        torch.add(x, y, out=y)
        x.masked_fill_(y > 0, 3.0)
        x[y < 0] = 9.0
        x.index_add_(0, torch.tensor([0, 2], device=x.device), y[:2])
        x[[0, 1]] = 4.0
        return x, y

    both(run, torch.randn(4, 5), torch.randn(4, 5))


def test_shapes_change_in_place():
    x = torch.arange(6.0).reshape(1, 2, 3).to("tenfold")
    x.squeeze_(0)
    assert x.shape == (2, 3)
    x.t_()
    assert x.tolist() == [[0, 3], [1, 4], [2, 5]]
    x.unsqueeze_(1)
    assert x.shape == (3, 1, 2)


def test_gradients_through_writes():
    def run(x):
        x.requires_grad_()
        y = x * 2
        y[0] = y[1] * 3
        y.view(-1)[-1].mul_(4)
        (y**2).sum().backward()
        return x.grad

    both(run, torch.randn(3, 4))


def test_no_data_is_shared_with_the_host():
    host = torch.ones(3)
    x = host.to("tenfold")
    host.zero_()
    assert x.tolist() == [1, 1, 1]
    out = x.cpu()
    x.add_(1)
    assert out.tolist() == [1, 1, 1] and x.tolist() == [2, 2, 2]


def test_host_numbers_are_inputs():
    x = torch.ones(3).to("tenfold")
    for k in range(4):
        assert (x * torch.tensor(float(k))).sum().item() == 3 * k
    assert tenfold.stats()["compilations"] == 1


def test_a_number_on_the_cpu_fills_as_it_does_on_the_cpu():
    x, mask, number = torch.zeros(2, 3), torch.tensor([True, False, True]), torch.tensor(3.0)
    there, chosen = x.to("tenfold"), torch.tensor([1])
    torch.testing.assert_close(there.masked_fill(mask.to("tenfold"), number).cpu(), x.masked_fill(mask, number))
    torch.testing.assert_close(there.index_fill(0, chosen.to("tenfold"), number).cpu(), x.index_fill(0, chosen, number))
    assert tenfold.stats()["fallbacks"] == {}
    with pytest.raises(RuntimeError, match="same device"):
        there + torch.zeros(3)


def test_python_numbers_that_change_become_inputs():
    x = torch.ones(3).to("tenfold")
    for k in range(6):
        assert ((x * (k + 0.5) + 1.0) * 2.0).sum().item() == 6 * (k + 1.5)
    assert tenfold.stats()["compilations"] == 2


def test_tensors_of_two_devices_are_refused():
    with pytest.raises(RuntimeError, match="same device"):
        torch.ones(3, device="tenfold") + torch.ones(3)


def test_mistakes_are_pytorchs_errors():
    with pytest.raises(RuntimeError, match="shape"):
        torch.ones(3, 4, device="tenfold") @ torch.ones(3, 4, device="tenfold")
    assert torch.ones(2, device="tenfold").sum().item() == 2


# ---- fallbacks ----


def test_an_op_without_lowering_runs_on_the_cpu_and_is_counted():
    x = torch.tensor([1.0, 0, 3, 0], device="tenfold")
    assert (torch.nonzero(x * 2).flatten() + 1).tolist() == [1, 3]
    fallbacks = tenfold.stats()["fallbacks"]
    assert any("nonzero" in op for op in fallbacks) and sum(fallbacks.values()) == 1
    assert "nonzero" in tenfold.explain() and "test_lazy.py" in tenfold.explain()
    tenfold.reset_stats()
    assert tenfold.stats()["fallbacks"] == {}


# ---- modules, optimizers, files ----


def train(model, inputs, make, device):
    for module in model.modules():  # dropout is random on either side
        if isinstance(module, torch.nn.Dropout):
            module.p = 0.0
    model.train().to(device)
    inputs = [i.to(device) for i in inputs]
    step = make(model.parameters())
    losses, compiled = [], []
    for _ in range(STEPS):
        step.zero_grad()
        loss = (model(*inputs).float() ** 2).mean()
        loss.backward()
        step.step()
        losses.append(loss.item())
        compiled.append(tenfold.stats()["compilations"])
    return losses, compiled


@pytest.mark.parametrize("optimizer", ["sgd", "adamw"])
@pytest.mark.parametrize("name", TRAINED)
def test_training_equals_the_cpu(name, optimizer):
    if name not in MODELS:
        pytest.skip("transformers is not installed")
    build, make = MODELS[name]
    torch.manual_seed(0)
    model, inputs = zoo.settle(build()), make()
    other = copy.deepcopy(model)
    made = {"sgd": lambda p: torch.optim.SGD(p, lr=1e-3), "adamw": lambda p: torch.optim.AdamW(p, lr=1e-5)}[optimizer]
    wanted, _ = train(model, inputs, made, "cpu")
    tenfold.reset_stats()
    have, compiled = train(other, inputs, made, "tenfold")
    assert tenfold.stats()["fallbacks"] == {}
    assert compiled[-1] <= 2 and compiled[-1] == compiled[2], tenfold.explain()
    assert have == pytest.approx(wanted, rel=1e-3)


def test_steps_are_found_without_a_read():
    model = torch.nn.Linear(4, 2).to("tenfold")
    step = torch.optim.SGD(model.parameters(), lr=0.1)
    x = torch.randn(8, 4, device="tenfold")
    for _ in range(10):
        step.zero_grad()
        model(x).pow(2).mean().backward()
        step.step()
    stats = tenfold.stats()
    assert stats["runs"] >= 10 and stats["compilations"] <= 2


def test_loops_that_only_evaluate_or_accumulate():
    torch.manual_seed(0)
    model = torch.nn.Sequential(*[torch.nn.Linear(4, 4) for _ in range(40)]).to("tenfold")
    batches = torch.randn(8, 3, 4)
    with torch.no_grad():
        made = [model(b.to("tenfold")) for b in batches]
        torch.testing.assert_close(torch.stack(made).cpu(), model.cpu()(batches))
    assert tenfold.stats()["compilations"] <= 3 and tenfold.stats()["runs"] >= 8
    grads = []
    for device in ("cpu", "tenfold"):
        model.to(device).zero_grad()
        tenfold.reset_stats()
        for b in batches:
            (model(b.to(device)) ** 2).sum().backward()
        grads.append(model[0].weight.grad.cpu())
    torch.testing.assert_close(*grads)
    assert tenfold.stats()["compilations"] <= 3, tenfold.explain()


def test_inference_mode():
    model = torch.nn.Sequential(torch.nn.Conv2d(1, 2, 3), torch.nn.Flatten(), torch.nn.Linear(8, 3)).to("tenfold")
    x = torch.randn(2, 1, 4, 4)
    with torch.inference_mode():
        have = model(x.to("tenfold")).t().contiguous().reshape(-1)
        assert have.sum().item() == pytest.approx(model.cpu()(x).sum().item(), rel=1e-4)
    assert tenfold.stats()["fallbacks"] == {}


def test_control_flow():
    def run(x):
        y = torch.cond(x.sum() > 0, lambda v: v.sin(), lambda v: v.cos(), (x,))
        _, z = torch._higher_order_ops.while_loop(lambda i, v: i < 3, lambda i, v: (i + 1, v * 2), (x.sum() * 0, y))
        return z

    both(run, torch.ones(3))


def test_errors_in_backward_are_raised():
    class Fails(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 2

        @staticmethod
        def backward(ctx, grad):
            raise ValueError("in backward")

    x = torch.ones(3, device="tenfold", requires_grad=True)
    with pytest.raises(ValueError, match="in backward"):
        Fails.apply(x).sum().backward()
    assert (x * 2).sum().item() == 6


def test_moving_keeps_ties_and_identity():
    model = torch.nn.Sequential(torch.nn.Linear(4, 4), torch.nn.Linear(4, 4))
    model[1].weight = model[0].weight
    first = model[0].weight
    model.to("tenfold")
    assert model[0].weight is model[1].weight is first
    assert isinstance(first, torch.nn.Parameter) and first.device.type == "tenfold" and first.requires_grad
    model.cpu()
    assert model[0].weight is model[1].weight and model[0].weight.device.type == "cpu"


def test_files():
    model = torch.nn.Sequential(torch.nn.Linear(3, 3), torch.nn.BatchNorm1d(3)).to("tenfold")
    step = torch.optim.AdamW(model.parameters())
    model(torch.randn(4, 3, device="tenfold")).sum().backward()
    step.step()
    stream = io.BytesIO()
    torch.save({"model": model.state_dict(), "optimizer": step.state_dict()}, stream)
    stream.seek(0)
    loaded = torch.load(stream)
    assert loaded["model"]["0.weight"].device.type == "tenfold"
    stream.seek(0)
    on_host = torch.load(stream, map_location="cpu")
    assert on_host["model"]["0.weight"].device.type == "cpu"
    torch.testing.assert_close(on_host["model"]["0.weight"], model[0].weight.detach().cpu())
    other = torch.nn.Sequential(torch.nn.Linear(3, 3), torch.nn.BatchNorm1d(3)).to("tenfold")
    other.load_state_dict(loaded["model"])
    torch.testing.assert_close(other[1].running_mean.cpu(), model[1].running_mean.cpu())
    again = pickle.loads(pickle.dumps(model))
    assert isinstance(again[0].weight, torch.nn.Parameter) and again[0].weight.device.type == "tenfold"
    copied = copy.deepcopy(model)
    with torch.no_grad():
        copied[0].weight.zero_()
    assert model[0].weight.abs().sum().item() > 0


def test_data_loader():
    data = torch.utils.data.TensorDataset(torch.arange(12.0).reshape(6, 2))
    seen = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for (batch,) in torch.utils.data.DataLoader(data, batch_size=2, pin_memory=True):
            seen.append(batch.to("tenfold", non_blocking=True).sum().item())
    assert seen == [6, 22, 38]


def test_autocast():
    model = torch.nn.Linear(4, 4).to("tenfold")
    x = torch.randn(2, 4, device="tenfold")
    with torch.autocast("tenfold", dtype=torch.bfloat16):
        y = model(x)
        assert y.dtype == torch.bfloat16
        assert torch.nn.functional.softmax(y, -1).dtype == torch.float32
    y.float().sum().backward()
    assert model.weight.grad.dtype == torch.float32


def test_device_module():
    assert torch.tenfold.is_available() and torch.tenfold.device_count() == 1 and torch.tenfold.current_device() == 0
    x = torch.ones(1000, device="tenfold") + 1
    torch.tenfold.synchronize()
    assert torch.tenfold.memory_allocated() >= 4000
    assert torch.tenfold.memory_stats()["allocated_bytes"] >= 4000
    torch.tenfold.empty_cache()
    assert x.sum().item() == 2000


# ---- looking at it ----


def test_mlir_grows_as_ops_are_added():
    x = torch.randn(2, 3).to("tenfold")
    y = x * 2
    one = tenfold.get_mlir(y, "aten")
    z = y.exp().sum()
    two = tenfold.get_mlir(z, stage="aten")
    assert "aten.mul" in one and "aten.exp" not in one
    assert "aten.mul" in two and "aten.exp" in two and "aten.sum" in two
    assert "stablehlo.exponential" in tenfold.get_mlir(z)
    assert tenfold.stats()["runs"] == 0 and tenfold.stats()["compilations"] == 0
    torch.testing.assert_close(z.cpu(), (x.cpu() * 2).exp().sum())


def test_explain_names_what_changed():
    (torch.randn(5, 4).to("tenfold").exp() * 2).mean().item()  # begins alike, and is something else
    for n in (3, 5):
        x = torch.randn(n, 4).to("tenfold")
        (x @ x.t()).relu().sum().item()
    text = tenfold.explain()
    assert "float32[5, 4]" in text and "float32[3, 4]" in text and "test_lazy.py" in text and "ms each" in text
    assert "peak" in text


def test_graph_for():
    text = tenfold.graph_for(lambda a, b: (a @ b).relu(), torch.ones(2, 3), torch.ones(3, 4))
    assert "stablehlo.dot_general" in text and "stablehlo.maximum" in text and "tensor<2x4xf32>" in text
    assert "aten.addmm" in tenfold.graph_for(torch.nn.Linear(3, 4), torch.ones(2, 3), stage="aten")
    assert tenfold.stats()["runs"] == 0


@torch.jit.script
def scripted(x, n: int):
    for _ in range(n):
        x = x * 2 + 1
    return x


def test_torchscript():
    x = torch.randn(3, 4)
    traced = torch.jit.trace(lambda v: torch.sin(v) @ v.t(), x)
    module = torch.jit.script(torch.nn.Sequential(torch.nn.Linear(4, 2), torch.nn.ReLU()).eval())
    assert tenfold.graph_for(scripted, x, 3, stage="aten").count("aten.mul") == 3
    wanted = scripted(x, 3), traced(x), module(x)
    torch.testing.assert_close(scripted(x.to("tenfold"), 3).cpu(), wanted[0])
    tenfold.reset_stats()
    with torch.no_grad(), tenfold.enable():
        have = scripted(x, 3), traced(x), module(x)
    for h, w in zip(have, wanted, strict=True):
        torch.testing.assert_close(h, w)
    assert tenfold.stats()["runs"] == 3 and tenfold.stats()["fallbacks"] == {}


def test_the_example_runs():
    root = Path(__file__).resolve().parents[2]
    done = subprocess.run(
        [sys.executable, str(root / "examples" / "lazy.py")], capture_output=True, text=True, timeout=300, check=False
    )
    assert done.returncode == 0, done.stderr
    assert "epoch 3" in done.stdout and "fallbacks: none" in done.stdout and "aten.mul.Tensor" in done.stdout


@pytest.mark.parametrize(
    ("stage", "sign"),
    [
        ("aten", "aten.mul"),
        ("stablehlo", "stablehlo.multiply"),
        ("passes", "stablehlo"),
        ("plan", ""),
        ("llvm", "define"),
    ],
)
def test_get_mlir_of_every_stage(stage, sign):
    x = torch.ones(4, 4, device="tenfold")
    y = x * 3 + 1
    runs = tenfold.stats()["runs"]
    text = tenfold.get_mlir(y, stage=stage)
    assert text and sign in text
    assert tenfold.stats()["runs"] == runs
    with pytest.raises(ValueError, match="no stage"):
        tenfold.get_mlir(y, stage="flour")
    assert y.cpu().eq(4).all()


def test_a_script_that_cannot_be_recorded_runs_as_it_is():
    class Wave(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.register_buffer("window", torch.hann_window(16))

        def forward(self, x):
            return torch.stft(x, 16, 4, window=self.window, return_complex=True).abs()

    x = torch.randn(2, 64)
    traced = torch.jit.trace(Wave(), (x,), check_trace=False)
    tenfold.reset_stats()
    with torch.no_grad(), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        wanted = traced(x)
        with tenfold.enable():
            torch.testing.assert_close(traced(x), wanted)
    assert tenfold.stats()["fallbacks"].get("torch.jit", 0) == 1
