"""torch.vmap in archives as they are saved: marks around ops on single examples."""

from __future__ import annotations

import json
import zipfile

import pytest

torch = pytest.importorskip("torch")
np = pytest.importorskip("numpy")
tenfold = pytest.importorskip("tenfold")
from torch.export import Dim  # noqa: E402


def plain(x, y):
    return torch.vmap(lambda a, b: a.sin() + b)(x, y)


def several(x, y):
    f = torch.vmap(lambda a, b: (torch.dot(a, b), a.softmax(0), b.sort()[1]), in_dims=(0, 1))
    return f(x, y.t().contiguous())


def unmapped(x, y):
    """One argument is the same for each example, and a result does not depend on them."""
    f = torch.vmap(lambda m, a: (m @ a, m), in_dims=(None, 0), out_dims=(1, 0))
    return f(x, y)


def nested(x, y):
    inside = torch.vmap(lambda a, b: a <= b, in_dims=(None, 0))
    return torch.vmap(inside, in_dims=(0, None))(x[:, 0].contiguous(), y[:, 1].contiguous())


def across(x, y):
    return torch.vmap(lambda a, b: (a * b).flip(0), in_dims=1)(x, y)


def one_after_another(x, y):
    z = torch.vmap(lambda a: a.cumsum(0))(x)
    return torch.vmap(lambda a, b: torch.outer(a, b))(z.exp(), y)


FUNCTIONS = [plain, several, unmapped, nested, across, one_after_another]


class Model(torch.nn.Module):
    def __init__(self, function) -> None:
        super().__init__()
        self.function = function

    def forward(self, x, y):
        return self.function(x, y)


def save(function, path, shapes=None) -> None:
    inputs = (torch.randn(3, 4), torch.randn(3, 4))
    program = torch.export.export(Model(function), inputs, dynamic_shapes=shapes, strict=True)
    torch.export.save(program, path)


@pytest.mark.parametrize("dynamic", [False, True], ids=["static", "dynamic"])
@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda f: f.__name__)
def test_equals_eager(function, dynamic, tmp_path):
    save(function, tmp_path / "m.pt2", ({0: Dim.AUTO}, {0: Dim.AUTO}) if dynamic else None)
    assert "tenfold.vmap" in tenfold.show(tmp_path / "m.pt2", "aten")
    inputs = tuple(torch.randn(5 if dynamic else 3, 4) for _ in range(2))
    wanted = function(*inputs)
    wanted = wanted if isinstance(wanted, tuple) else (wanted,)
    results = tenfold.run(tmp_path / "m.pt2", *inputs)
    assert len(results) == len(wanted)
    for have, want in zip(results, wanted, strict=True):
        torch.testing.assert_close(torch.from_dlpack(have), want, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize(
    ("change", "error"),
    [
        (lambda nodes: nodes.pop(), "vmap does not end"),
        (lambda nodes: next(n for n in nodes if "add_batch" in n["target"]).update(inputs=[]), "cannot be read"),
        (
            lambda nodes: nodes.__setitem__(slice(None), [n for n in nodes if "add_batch" not in n["target"]]),
            "maps no input",
        ),
        (lambda nodes: nodes.__setitem__(slice(0, 0), [nodes[1]] * 40), "too deep"),
        (lambda nodes: nodes.__setitem__(slice(1, 2), []), "without a lowering"),
    ],
    ids=["no end", "no arguments", "no batch", "deep", "no beginning"],
)
def test_bad_marks_are_refused(change, error, tmp_path):
    save(plain, tmp_path / "m.pt2")
    with zipfile.ZipFile(tmp_path / "m.pt2") as file:
        held = {name: file.read(name) for name in file.namelist()}
    name = next(n for n in held if n.endswith("models/model.json"))
    program = json.loads(held[name])
    nodes = program["graph_module"]["graph"]["nodes"]
    assert "increment" in nodes[1]["target"]
    assert "decrement" in nodes[-1]["target"]
    change(nodes)
    held[name] = json.dumps(program).encode()
    with zipfile.ZipFile(tmp_path / "bad.pt2", "w") as file:
        for each, data in held.items():
            file.writestr(each, data)
    with pytest.raises(tenfold.Error, match=error):
        tenfold.run(tmp_path / "bad.pt2", torch.zeros(3, 4), torch.zeros(3, 4))
