"""torch.compile(backend="tenfold"): inference and training against eager, in this process."""

from __future__ import annotations

import copy
import os
import subprocess
import sys
import warnings

import pytest

torch = pytest.importorskip("torch")
tenfold = pytest.importorskip("tenfold")
import zoo  # noqa: E402
from tenfold.torch import backend as torch_backend  # noqa: E402

DEVICE = os.environ.get("TENFOLD_DEVICES", "cpu").split(",")[0]
TRAINED = ["vgg19", "resnet50", "unet", "lstm", "bert", "gpt2", "llama", "vit"]
MODELS = {**zoo.MODELS, **zoo.transformers_models()}


@pytest.fixture(autouse=True)
def fresh():
    torch._dynamo.reset()
    tenfold.reset_stats()
    torch_backend.options.device = DEVICE
    torch_backend.options.strict = False
    yield


def train(model, inputs, steps: int, backend, optimizer) -> list[float]:
    for module in model.modules():  # dropout is random on either side
        if isinstance(module, torch.nn.Dropout):
            module.p = 0.0
    model.train()
    run = torch.compile(model, backend=backend) if backend else model
    step = optimizer(model.parameters())
    losses = []
    for _ in range(steps):
        step.zero_grad()
        out = run(*inputs)
        loss = (out.float() ** 2).mean()
        loss.backward()
        step.step()
        losses.append(loss.item())
    return losses


@pytest.mark.parametrize("optimizer", ["sgd", "adamw"])
@pytest.mark.parametrize("name", TRAINED)
def test_training_equals_eager(name, optimizer):
    if name not in MODELS:
        pytest.skip("transformers is not installed")
    build, make = MODELS[name]
    torch.manual_seed(0)
    model, inputs = zoo.settle(build()), make()
    other = copy.deepcopy(model)
    made = {"sgd": lambda p: torch.optim.SGD(p, lr=1e-3), "adamw": lambda p: torch.optim.AdamW(p, lr=1e-5)}[optimizer]
    wanted = train(model, inputs, 20, None, made)
    have = train(other, inputs, 20, torch_backend.backend, made)
    assert have == pytest.approx(wanted, rel=1e-3)
    stats = tenfold.stats()
    assert stats["fallbacks"] == {}
    assert stats["graphs"] == 2  # one forward, one backward


@pytest.mark.parametrize("name", ["experts", "audio", "detection", "encoder", "gru", "bag"])
def test_inference_equals_eager(name):
    build, make = MODELS[name]
    torch.manual_seed(0)
    model, inputs = build().eval(), make()
    with torch.no_grad():
        wanted = model(*inputs)
        have = torch.compile(model, backend=torch_backend.backend)(*inputs)
    torch.testing.assert_close(have, wanted, rtol=1e-4, atol=1e-5)
    assert tenfold.stats()["fallbacks"] == {}


def test_other_shapes_share_one_graph():
    model = torch.nn.Linear(3, 4)
    run = torch.compile(model, backend=torch_backend.backend, dynamic=True)
    with torch.no_grad():
        for batch in (2, 5, 7, 5):
            x = torch.randn(batch, 3)
            torch.testing.assert_close(run(x), model(x))
    stats = tenfold.stats()
    assert stats["graphs"] == 1 and stats["sizes"] == 3 and stats["compilations"] <= 2


def test_an_op_without_lowering_runs_in_eager_mode():
    def fn(x):
        y = x.sin() + 1
        z = torch.linalg.eigvals(y @ y.T).real.sort()[0]
        return (z * 2).sum()

    x = torch.randn(4, 4)
    with warnings.catch_warnings(record=True) as seen, torch.no_grad():
        warnings.simplefilter("always")
        have = torch.compile(fn, backend=torch_backend.backend)(x)
        torch.testing.assert_close(have, fn(x), rtol=1e-3, atol=1e-3)
    assert any("runs in eager mode" in str(w.message) for w in seen)
    assert any("eig" in op for op in tenfold.stats()["fallbacks"])
    assert "eager" in tenfold.explain()


def _laid_out(x):
    image = torch.nn.functional.conv2d(x, torch.ones(4, 3, 3, 3).to(memory_format=torch.channels_last))
    return image, image.relu() + 1, (x * 2).permute(0, 2, 3, 1), x.sum((2, 3)).t(), x.flatten(1) + 1, x[:, :1] * 2


@pytest.mark.parametrize("gradient", [False, True])
@pytest.mark.parametrize("dynamic", [False, True])
def test_results_lie_in_memory_as_in_eager_mode(gradient, dynamic):
    run = torch.compile(_laid_out, backend=torch_backend.backend, dynamic=dynamic)
    for size in (7, 9):
        x = torch.randn(2, 3, size, size).to(memory_format=torch.channels_last).requires_grad_(gradient)
        wanted, have = _laid_out(x), run(x)
        torch.testing.assert_close(have, wanted, rtol=1e-4, atol=1e-4)
        for h, w in zip(have, wanted, strict=True):  # where a dimension of size 1 lies is nowhere to be seen
            assert [s for s, n in zip(h.stride(), h.shape, strict=True) if n > 1] == [
                s for s, n in zip(w.stride(), w.shape, strict=True) if n > 1
            ]
        if gradient:
            (expected,) = torch.autograd.grad(sum((w * w).sum() for w in wanted), x)
            (found,) = torch.autograd.grad(sum((h * h).sum() for h in have), x)
            torch.testing.assert_close(found, expected, rtol=1e-4, atol=1e-3)


def test_an_op_in_eager_mode_finds_memory_as_it_was():
    """What comes from a compiled part lies there as eager mode would have laid it, with all that it is a part of."""
    with torch.library._scoped_library("laid", "FRAGMENT") as library:
        library.define("memory(Tensor x) -> Tensor")
        library.impl("memory", lambda x: x.as_strided((x.numel(),), (1,)).clone(), "CPU")
        library.impl("memory", lambda x: x.new_empty(x.numel()), "Meta")

        def fn(x):
            turned = (x * 2).t()
            part = (x + 1)[1:, 2:]
            return torch.ops.laid.memory(turned) * 3, part.as_strided((3, 2), (2, 1)) + 1, turned.as_strided((4,), (1,))

        x = torch.randn(4, 6)
        with warnings.catch_warnings(), torch.no_grad():
            warnings.simplefilter("ignore")
            have = torch.compile(fn, backend=torch_backend.backend)(x)
            torch.testing.assert_close(have, fn(x))
        assert {"laid.memory.default", "aten.as_strided.default"} <= set(tenfold.stats()["fallbacks"])


def test_strict_refuses():
    torch_backend.options.strict = True
    with pytest.raises(Exception, match="eig"), torch.no_grad():
        torch.compile(lambda x: torch.linalg.eigvals(x), backend=torch_backend.backend)(torch.randn(3, 3))


def test_enable_compiles_every_module_call():
    model = torch.nn.Sequential(torch.nn.Linear(4, 8), torch.nn.ReLU(), torch.nn.Linear(8, 2))
    x = torch.randn(3, 4)
    with torch.no_grad():
        wanted = model(x)
        with tenfold.enable(device=DEVICE):
            torch.testing.assert_close(model(x), wanted)
        assert tenfold.stats()["graphs"] == 1
        model(x)
        assert tenfold.stats()["graphs"] == 1


def test_buffers_are_updated():
    model = torch.nn.BatchNorm1d(4).train()
    other = copy.deepcopy(model)
    x = torch.randn(8, 4)
    torch.compile(model, backend=torch_backend.backend)(x)
    other(x)
    torch.testing.assert_close(model.running_mean, other.running_mean)
    torch.testing.assert_close(model.num_batches_tracked, other.num_batches_tracked)


def test_dropout_differs_from_call_to_call():
    run = torch.compile(lambda x: torch.nn.functional.dropout(x, 0.5), backend=torch_backend.backend)
    x = torch.ones(1000)
    a, b = run(x), run(x)
    assert not torch.equal(a, b)
    assert 380 < (a == 0).sum() < 620
    assert set(a.unique().tolist()) == {0.0, 2.0}


def test_the_backend_is_known_by_name():
    """As users write it: an entry point of the installed package, or of a checkout that make linked."""
    code = "import torch; print(torch.compile(lambda x: x * 2 + 1, backend='tenfold')(torch.ones(3)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.stdout == "tensor([3., 3., 3.])\n", done.stderr


LEVELS = [(0, "f32"), (1, "f32"), (2, "f32"), (3, "f32"), (3, "exact"), (3, "bf16")]


@pytest.mark.parametrize(("level", "precision"), LEVELS)
def test_levels_and_precisions(level, precision):
    torch.manual_seed(0)
    layers = [torch.nn.Conv2d(16, 32, 3, padding=1), torch.nn.BatchNorm2d(32), torch.nn.ReLU(), torch.nn.Flatten()]
    model = torch.nn.Sequential(*layers, torch.nn.Linear(32 * 12 * 12, 10)).eval()
    x = torch.randn(2, 16, 12, 12)
    with torch.no_grad():
        want = model(x)
        with tenfold.enable(opt_level=level, precision=precision, strict=True):
            have = model(x)
            lazy = (x.to("tenfold") @ torch.ones(12, 5, device="tenfold")).cpu()
    close = {"rtol": 5e-2, "atol": 5e-2} if precision == "bf16" else {"rtol": 1e-4, "atol": 1e-4}
    torch.testing.assert_close(have, want, **close)
    torch.testing.assert_close(lazy, x @ torch.ones(12, 5), **close)
    assert (precision == "bf16") == (not torch.allclose(have, want, rtol=1e-4, atol=1e-4))
    assert torch_backend.options == torch_backend.Options()  # disable() leaves nothing behind


def test_a_level_reaches_the_compiler(monkeypatch):
    seen = []
    real = torch_backend.Compiled.specialize

    def specialize(self, *args, **kwargs):
        seen.append((self.device, self.chosen.opt_level))
        return real(self, *args, **kwargs)

    monkeypatch.setattr(torch_backend.Compiled, "specialize", specialize)
    model, x = torch.nn.Linear(3, 3), torch.randn(2, 3)
    for level in (3, 0, 1, 2):
        with tenfold.enable(opt_level=level), torch.no_grad():
            model(x)
    assert seen == [("cpu", 3), ("interp", 0), ("cpu", 1), ("cpu", 2)]


def test_options_of_torch_compile():
    model, x = torch.nn.Linear(3, 3), torch.randn(2, 3)
    with torch.no_grad():
        run = torch.compile(model, backend=torch_backend.backend, options={"opt_level": 1, "freeze": False})
        torch.testing.assert_close(run(x), model(x))
        torch._dynamo.reset()
        with pytest.raises(Exception, match="unknown option 'speed'"):
            torch.compile(model, backend=torch_backend.backend, options={"speed": 9})(x)
    with pytest.raises(ValueError, match="opt_level must be 0, 1, 2 or 3"):
        tenfold.enable(opt_level=4)
    with pytest.raises(ValueError, match="precision"):
        tenfold.enable(precision="f8")


@pytest.mark.parametrize("dynamic", [None, True])
@pytest.mark.parametrize("kind", ["Adam", "Adadelta"])
def test_a_whole_training_step(kind, dynamic):
    """Forward, backward and update in one compiled function: dynamo writes updates with ops of its own (prims.fma)."""

    def run(compiled):
        torch.manual_seed(0)
        model = torch.nn.Sequential(torch.nn.Linear(3, 4), torch.nn.Tanh(), torch.nn.Linear(4, 2))
        optimizer = getattr(torch.optim, kind)(model.parameters(), 0.05)

        def step(x):
            optimizer.zero_grad()
            loss = model(x).square().mean()
            loss.backward()
            optimizer.step()
            return loss.detach()

        call = torch.compile(step, backend="tenfold", dynamic=dynamic) if compiled else step
        losses = [call(torch.randn(rows, 3)) for rows in (4, 4, 5)]
        return [*losses, *[p.detach() for p in model.parameters()]]

    torch._dynamo.reset()
    want = run(False)
    tenfold.reset_stats()
    for have, wanted in zip(run(True), want, strict=True):
        torch.testing.assert_close(have, wanted, rtol=1e-4, atol=1e-6)
    assert tenfold.stats()["fallbacks"] == {}
