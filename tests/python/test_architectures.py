"""Models of many kinds through an archive of torch.export and through torch.compile, against eager PyTorch."""

from __future__ import annotations

import copy

import pytest

torch = pytest.importorskip("torch")
tenfold = pytest.importorskip("tenfold")
import architectures_more  # noqa: E402, F401
import architectures_new  # noqa: E402, F401
from architectures import MODELS  # noqa: E402
from architectures_styles import STYLES  # noqa: E402
from tenfold.torch import backend as torch_backend  # noqa: E402
from torch.utils._pytree import tree_flatten, tree_map  # noqa: E402


def flat(value) -> list:
    return [v for v in tree_flatten(value)[0] if isinstance(v, torch.Tensor)]


@pytest.mark.parametrize("name", list(MODELS))
def test_equals_eager(name, tmp_path):
    build, make = MODELS[name]
    torch.manual_seed(0)
    model, inputs = build().eval(), make()
    with torch.no_grad():
        program = torch.export.export(copy.deepcopy(model), copy.deepcopy(inputs), strict=False)
        torch.export.save(program, tmp_path / "model.pt2")
        wanted = flat(model(*copy.deepcopy(inputs)))
    results = [torch.from_dlpack(r) for r in tenfold.run(tmp_path / "model.pt2", *flat(inputs))]
    assert len(results) >= len(wanted)
    for have, want in zip(results, wanted, strict=False):
        close = {"rtol": 1e-4, "atol": 2e-5} if want.dtype in (torch.float32, torch.complex64) else {}
        torch.testing.assert_close(have, want, equal_nan=True, **close)


@pytest.mark.parametrize("name", list(MODELS))
def test_compiled_equals_eager(name):
    build, make = MODELS[name]
    torch.manual_seed(0)
    torch._dynamo.reset()
    model, inputs = build().eval(), make()
    with torch.no_grad():
        wanted = flat(model(*copy.deepcopy(inputs)))
        results = flat(torch.compile(model, backend=torch_backend.backend)(*copy.deepcopy(inputs)))
    for have, want in zip(results, wanted, strict=True):
        close = {"rtol": 1e-4, "atol": 2e-5} if want.dtype in (torch.float32, torch.complex64) else {}
        torch.testing.assert_close(have, want, equal_nan=True, **close)


def with_gradients(model, inputs, device: str) -> list:
    """Results, then the gradients of their weighted sum by all parameters and floating inputs."""
    given = tree_map(lambda t: t.clone().to(device).requires_grad_(t.is_floating_point()), inputs)
    outs = flat(model(*given))
    loss = torch.zeros((), device=device)
    for out in outs:
        if out.requires_grad:
            out = torch.view_as_real(out) if out.is_complex() else out
            loss = loss + (out * torch.linspace(0.5, 1.5, out.numel(), device=device).reshape(out.shape)).sum()
    if loss.requires_grad:
        loss.backward()
    grads = [t.grad for t in (*model.parameters(), *flat(given))]
    return [None if t is None else t.detach().cpu() for t in (*outs, *grads)]


@pytest.mark.parametrize("door", ["compiled", "device"])
@pytest.mark.parametrize("name", STYLES)
def test_gradients_equal_eager(name, door):
    build, make = MODELS[name]
    torch.manual_seed(0)
    torch._dynamo.reset()
    model, inputs = build().eval(), make()
    wanted = with_gradients(copy.deepcopy(model), inputs, "cpu")
    if door == "compiled":
        model.compile(backend=torch_backend.backend)
        results = with_gradients(model, inputs, "cpu")
    else:
        with torch.device("tenfold"):
            results = with_gradients(model.to("tenfold"), inputs, "tenfold")
    for have, want in zip(results, wanted, strict=True):
        if have is None or want is None:  # zeros, in the one way, are nothing in the other
            assert not any(t is not None and t.any() for t in (have, want))
            continue
        close = {"rtol": 2e-4, "atol": 1e-4} if want.dtype in (torch.float32, torch.complex64) else {}
        torch.testing.assert_close(have, want, equal_nan=True, **close)
