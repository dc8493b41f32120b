"""Inference graphs that go from dynamo to the library without AOTAutograd: the same results, the same aliasing."""

from __future__ import annotations

from random import Random

import pytest

torch = pytest.importorskip("torch")
tenfold = pytest.importorskip("tenfold")
from tenfold.torch import backend as torch_backend  # noqa: E402
from tenfold.torch import direct  # noqa: E402
from torch import nn  # noqa: E402
from torch.nn import functional as F  # noqa: E402

ways: list[bool] = []


@pytest.fixture(autouse=True)
def fresh(monkeypatch):
    torch._dynamo.reset()
    tenfold.reset_stats()
    torch_backend.options.device = "cpu"
    ways.clear()
    convert = direct.convert

    def watched(module, inputs):
        made = convert(module, inputs)
        ways.append(made is not None)
        return made

    monkeypatch.setattr(direct, "convert", watched)
    yield


def run(function, *inputs):
    with torch.no_grad():
        want = function(*[x.clone() for x in inputs])
        have = torch.compile(function, backend=torch_backend.backend)(*inputs)
    torch.testing.assert_close(have, want, rtol=1e-4, atol=1e-5)
    assert not tenfold.stats()["fallbacks"]
    return have


def x(*shape):
    torch.manual_seed(0)
    return torch.randn(*shape)


DIRECT = {
    "indices": lambda a: (a[1] + 1, a[..., 0] * 2, a[:, None, 1:3] + 1, a[0, :, ::2] - 1, a[-1, -1, None] * 3),
    "gather": lambda a: a[torch.tensor([0, 2])] + a[:, torch.tensor([[1], [0]])].sum(),
    "methods": lambda a: a.view(3, -1).permute(1, 0).reshape(-1).expand(2, 60).repeat(1, 2).flip(0),
    "types": lambda a: a.double().float().long() + a.to(torch.int32) + a.type_as(a.int()).contiguous(),
    "operators": lambda a: (-a) ** 2 / 3 - (a > 0) * a % 2 + 5 // (a.abs() + 1) + ((1 - a) @ a.mT).sum(),
    "functions": lambda a: F.normalize(F.pad(a, (1, 1)), dim=-1) + F.interpolate(a, 7, mode="linear"),
    "several": lambda a: [p * 2 for p in a.chunk(2, 1)] + [p - 1 for p in torch.split(a, [1, 3], 1)],
    "sorted": lambda a: torch.topk(a, 2).values + a.max(-1, keepdim=True).values + torch.sort(a)[0][..., :2],
    "made": lambda a: torch.zeros(3, 4, 5) + torch.arange(5) + torch.ones(5, dtype=torch.int64) + torch.tensor(2.0),
    "in place": lambda a: F.relu(a * 2, inplace=True).add_(1).mul_(a),
    "in place, seen by a view": lambda a: (lambda y: (y[1:].relu_().sum(), y + 1))(a * 2),
    "in place, a copy": lambda a: (lambda y: (y.mT.contiguous().add_(1) * y.mT, y + 1))(a * 2),
    "in place, no copy": lambda a: (lambda y: (y.contiguous().add_(1).sum(), y + 1))(a * 2),
    "norms": lambda a: F.layer_norm(a, (5,)) + F.group_norm(a, 2) + F.instance_norm(a),
    "softmax": lambda a: F.softmax(a, -1) + F.log_softmax(a, 1) + torch.einsum("bij,bkj->bik", a, a).mean(),
    "dropout": lambda a: F.dropout(a, 0.5, training=False) + 1,
    "attention": lambda a: F.scaled_dot_product_attention(a, a, a, is_causal=True) + a,
}


@pytest.mark.parametrize("name", list(DIRECT))
def test_directly(name):
    run(DIRECT[name], x(3, 4, 5))
    assert ways == [True]


def reshapes(seed):
    """Tensors as they come of views, reshaped and written to: seen in the first one or not, as strides have it."""
    random = Random(seed)
    plan = [
        (random.sample(range(4), 4), random.randint(1, 5), random.choice([None, 0, 2, 4]), random.randint(0, 4))
        for _ in range(12)
    ]

    def call(a):
        seen = []
        for order, end, one, way in plan:
            base = a * 2
            y = base.permute(order)[..., :end]
            if one is not None:
                y = y.unsqueeze(one)
            if way == 0:
                y = y.flatten()
            elif way == 1:
                y = y.reshape(y.shape[0], -1)
            elif way == 2:
                y = y.flatten(1, 2)
            elif way == 3:
                y = y.contiguous()
            else:
                y = y.ravel()
            y.add_(1)
            seen += [base + 0, y * 3]
        return seen

    return call


@pytest.mark.parametrize("seed", range(4))
def test_reshapes_that_copy_and_those_that_do_not(seed, tmp_path):
    given = x(2, 3, 4, 5)
    want = reshapes(seed)(given)
    run(reshapes(seed), given)
    assert ways == [True]

    class Whole(nn.Module):
        def forward(self, a):
            return reshapes(seed)(a)

    torch.export.save(torch.export.export(Whole(), (given,)), tmp_path / "m.pt2")
    have = tenfold.load(tmp_path / "m.pt2")(given)
    for ours, theirs in zip(have, want, strict=True):
        torch.testing.assert_close(torch.from_dlpack(ours), theirs)


def test_results_that_are_views_stay_views():
    given = x(3, 4)
    made, _ = run(lambda a: (a.t()[1:], a.sum()), given)
    assert ways == [False]
    made.zero_()
    assert not given[:, 1:].any()


def test_inputs_that_are_written_to():
    def step(a):
        a.add_(1)
        return a * 2

    given = x(4)
    before = given.clone()
    run(step, given)
    assert ways == [False]
    torch.testing.assert_close(given, before + 1)


def test_autocast_is_kept():
    layer, given = nn.Linear(8, 8), x(2, 8)

    def call(a):
        with torch.autocast("cpu", dtype=torch.bfloat16):
            return layer(a)

    with torch.no_grad():
        made = torch.compile(call, backend=torch_backend.backend)(given)
    assert made.dtype == torch.bfloat16
    torch._dynamo.reset()
    with torch.no_grad(), torch.autocast("cpu", dtype=torch.bfloat16):
        assert torch.compile(layer, backend=torch_backend.backend)(given).dtype == torch.bfloat16
    assert True not in ways


def test_gradients_are_wanted():
    layer = nn.Linear(8, 8)
    made = torch.compile(layer, backend=torch_backend.backend)(x(2, 8))
    made.sum().backward()
    assert layer.weight.grad is not None and ways == [False]


def test_other_sizes():
    def call(a):
        return a.view(a.shape[0] * 2, -1).softmax(0)

    compiled = torch.compile(call, backend=torch_backend.backend)
    for n in (2, 3, 4, 5, 2):
        with torch.no_grad():
            torch.testing.assert_close(compiled(x(n, 6)), call(x(n, 6)))
    assert ways[0] and not tenfold.stats()["fallbacks"]


def test_batch_norm_in_training_updates_its_statistics():
    torch.manual_seed(0)
    one, two = nn.BatchNorm1d(4), nn.BatchNorm1d(4)
    with torch.no_grad():
        torch.testing.assert_close(torch.compile(one, backend=torch_backend.backend)(x(8, 4)), two(x(8, 4)))
    torch.testing.assert_close(one.running_var, two.running_var)
    assert one.num_batches_tracked == 1


def test_random_numbers_differ():
    compiled = torch.compile(lambda a: F.dropout(a, 0.5) + torch.rand(1000), backend=torch_backend.backend)
    with torch.no_grad():
        assert not torch.equal(compiled(torch.ones(1000)), compiled(torch.ones(1000)))


def test_bernoulli_in_place():
    class Draw(nn.Module):
        def forward(self, a):
            return a * torch.empty_like(a).bernoulli_(0.5)

    given = torch.ones(4000)
    with torch.no_grad():
        made = torch.compile(Draw(), backend=torch_backend.backend)(given)
    assert 0.4 < made.mean() < 0.6


def test_refused_while_it_was_compiled_aside(monkeypatch):
    """The library lowers all of the graph, and then has no code for an op: the graph is split around it."""
    specialize = torch_backend.Compiled.specialize

    def refuse(self, key, frozen=None):
        if "aten.tanh" in self.program.text(stage="aten"):
            raise tenfold.UnsupportedError("aten.tanh.default: no kernel")
        return specialize(self, key, frozen)

    monkeypatch.setattr(torch_backend.Compiled, "specialize", refuse)
    half = torch.full((4,), 0.5)
    function = torch.compile(lambda a: (torch.tanh(a * 2 + half) - 1, a + 1), backend=torch_backend.backend)
    with torch.no_grad(), pytest.warns(UserWarning, match="tanh"):
        have = function(x(3, 4))
    torch.testing.assert_close(have, (torch.tanh(x(3, 4) * 2 + half) - 1, x(3, 4) + 1))
    assert ways == [True]
    assert set(tenfold.stats()["fallbacks"]) == {"aten.tanh.default"}
    with torch.no_grad():
        torch.testing.assert_close(function(x(3, 4) + 1)[1], x(3, 4) + 2)


def test_failed_once_while_it_was_compiled_aside(monkeypatch):
    specialize = torch_backend.Compiled.specialize
    calls = []

    def fail_once(self, key, frozen=None):
        calls.append(key)
        if len(calls) == 1:
            raise MemoryError
        return specialize(self, key, frozen)

    monkeypatch.setattr(torch_backend.Compiled, "specialize", fail_once)
    run(lambda a: a.tanh() + 1, x(3, 4))
    assert len(calls) == 2


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16, torch.int8, torch.int64, torch.complex64])
@pytest.mark.parametrize(
    ("shape", "order"), [((2, 3, 4, 5), (0, 3, 1, 2)), ((1, 5, 1), (2, 1, 0)), ((2, 3, 4), (2, 0, 1)), ((2, 5), (1, 0))]
)
def test_strides(shape, order, dtype):
    whole = torch.arange(torch.Size(shape).numel()).reshape(shape).to(dtype).permute(order)
    double = torch.compile(lambda x: x + x, backend=torch_backend.backend, dynamic=False)
    for x in (whole, whole[..., ::2], whole[1:]):
        torch.testing.assert_close(double(x), x + x, rtol=0, atol=0)


def test_bf16_is_rounded_once():
    """What is fused comes as near as one rounding can, and at level 2, op by op, it does not."""
    torch.manual_seed(0)
    first, conv, same = (nn.Conv2d(32, 32, size, padding=size // 2) for size in (1, 3, 1))
    norm = nn.BatchNorm2d(32).eval()
    norm.running_mean.uniform_(-1, 1)
    norm.running_var.uniform_(0.5, 2)
    nn.init.dirac_(first.weight), nn.init.dirac_(same.weight)  # what goes in comes out
    nn.init.zeros_(first.bias), nn.init.zeros_(same.bias)
    whole = nn.ModuleList([first, conv, norm, same])

    def block(x):
        before = first(x)
        return same(torch.relu(norm(conv(before)) + before))

    x = torch.randn(2, 32, 12, 12).bfloat16()
    with torch.no_grad():
        whole.bfloat16()
        have, apart = (
            torch.compile(block, backend=torch_backend.backend, options={"opt_level": level})(x) for level in (3, 2)
        )
        whole.double()
        want = block(x.double()).bfloat16()
    assert (have == want).float().mean() > 0.99
    assert (apart == want).float().mean() < 0.9


def test_what_rounding_takes_away():
    x = torch.randn(8, 8)
    run(lambda x: x - x.bfloat16().float(), x)
    assert (x - x.bfloat16().float()).abs().max() > 0
