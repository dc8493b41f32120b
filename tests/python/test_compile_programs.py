"""Programs of kinds people bring through torch.compile(backend="tenfold"), with gradients, against eager PyTorch."""

from __future__ import annotations

import copy

import pytest

torch = pytest.importorskip("torch")
tenfold = pytest.importorskip("tenfold")
nn, F = torch.nn, torch.nn.functional


@pytest.fixture(autouse=True)
def fresh():
    torch._dynamo.reset()
    tenfold.reset_stats()
    yield


def step(model, inputs, backend=None):
    """Outputs, gradients of parameters and inputs, and buffers after a training step."""
    model = copy.deepcopy(model)
    inputs = [x.clone().requires_grad_() if x.is_floating_point() else x for x in inputs]
    run = torch.compile(model, backend=backend) if backend else model
    out = run(*inputs)
    out.float().pow(2).mean().backward()
    grads = {name: p.grad for name, p in model.named_parameters()}
    return {"out": out, "in": [x.grad for x in inputs], **grads, **dict(model.named_buffers())}


@pytest.mark.parametrize("inputs", ["same", "float"])
@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
def test_batch_norm_trains_in_half_types(dtype, inputs):
    torch.manual_seed(0)
    model = nn.Sequential(nn.Conv2d(3, 4, 3), nn.BatchNorm2d(4), nn.ReLU()).to(dtype)
    if inputs == "float":  # statistics and weights stay in f32
        model[1].float()
    x = torch.randn(4, 3, 8, 8, dtype=dtype)
    want, have = step(model, [x]), step(model, [x], "tenfold")
    assert tenfold.stats()["fallbacks"] == {}
    for name, value in want.items():
        torch.testing.assert_close(have[name], value, atol=2e-2, rtol=2e-2, msg=lambda m, name=name: f"{name}: {m}")


def test_an_eager_op_of_another_type_than_it_was_traced_with(monkeypatch):
    """PyTorch's rule for batch norm says that running statistics of half are f32; its kernel makes f16."""
    from tenfold.torch import backend, partition

    plain = backend.knows
    for module in (backend, partition):
        monkeypatch.setattr(module, "knows", lambda n: "native_batch_norm_legit" not in n and plain(n))
    torch.manual_seed(0)
    model, x = nn.BatchNorm1d(4).half(), torch.randn(8, 4).half()
    with pytest.warns(UserWarning, match="native_batch_norm_legit.* runs in eager mode"):
        have = step(model, [x], "tenfold")
    for name, value in step(model, [x]).items():
        torch.testing.assert_close(have[name], value, atol=2e-2, rtol=2e-2)


# ---- sizes that are symbols ----


def test_nested_tensors():
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(4, 6), nn.GELU(), nn.LayerNorm(6))
    lists = [[torch.randn(k, 4) for k in lengths] for lengths in ((2, 3, 5), (1, 7, 4), (6, 2, 2, 3))]

    def train(backend):
        own = copy.deepcopy(model)
        run = torch.compile(own, backend=backend) if backend else own
        made = []
        for tensors in lists:
            out = run(torch.nested.nested_tensor(tensors, layout=torch.jagged))
            padded = torch.nested.to_padded_tensor(out, 0.0)
            padded.pow(3).sum().backward()
            made.append(padded)
        return [*made, *(p.grad for p in own.parameters())]

    for have, want in zip(train("tenfold"), train(None), strict=True):
        torch.testing.assert_close(have, want, atol=1e-4, rtol=1e-4)
    assert tenfold.stats()["fallbacks"] == {}


def test_attention_of_nested_tensors():
    torch.manual_seed(0)

    def attend(x, w):
        q = F.linear(x, w).transpose(1, 2)
        return F.scaled_dot_product_attention(q, q, q).transpose(1, 2)

    w, run = torch.randn(4, 4), torch.compile(attend, backend="tenfold")
    for lengths in ((2, 3, 5), (4, 1, 9)):
        x = torch.nested.nested_tensor([torch.randn(k, 2, 4) for k in lengths], layout=torch.jagged)
        have, want = run(x, w), attend(x, w)
        assert have.shape[0] == 3 and [t.shape for t in have.unbind()] == [t.shape for t in want.unbind()]
        torch.testing.assert_close(have.values(), want.values(), atol=1e-5, rtol=1e-5)


@pytest.mark.parametrize("grad", [False, True])
def test_a_dynamic_size_is_not_specialized(grad):
    torch._dynamo.utils.counters.clear()
    run = torch.compile(lambda x: x.sin() * 2 + x.shape[0], backend="tenfold")
    for size in (5, 7, 9):
        x = torch.randn(size, 3, requires_grad=grad)
        torch._dynamo.mark_dynamic(x, 0)
        y = run(x)
        torch.testing.assert_close(y, x.sin() * 2 + size)
        if grad:
            y.sum().backward()
            torch.testing.assert_close(x.grad, 2 * x.detach().cos())
    assert torch._dynamo.utils.counters["stats"]["unique_graphs"] == 1


def test_checks_of_factorizations_are_part_of_the_program():
    def solve(x, shift):
        low = torch.linalg.cholesky(x @ x.t() + shift * torch.eye(3))
        return torch.cholesky_solve(x, low) * 2

    torch.manual_seed(0)
    x = torch.randn(3, 3)
    run = torch.compile(solve, backend="tenfold")
    plain, own = x.clone().requires_grad_(), x.clone().requires_grad_()
    solve(plain, torch.tensor(1.0)).sum().backward()
    run(own, torch.tensor(1.0)).sum().backward()
    torch.testing.assert_close(own.grad, plain.grad, atol=1e-4, rtol=1e-4)
    assert tenfold.stats()["fallbacks"] == {}
    for call in (solve, run):
        with pytest.raises(torch.linalg.LinAlgError, match="positive-definite"):
            call(own, torch.tensor(-100.0))
