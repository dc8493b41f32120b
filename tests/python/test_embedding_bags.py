"""Bags of rows that start anywhere, also behind the last index: as eager has them, and without a comparison of every
index with every offset."""

import pytest
import tenfold.torch.backend  # noqa: F401
import torch
from tenfold.torch import compiled


@pytest.fixture
def texts(monkeypatch):
    """The programs that are compiled."""
    torch.manual_seed(0)
    torch._dynamo.reset()
    found = []
    specialize = compiled.Compiled.specialize

    def watch(self, key, frozen=None):
        found.append(self.program.text(stage="stablehlo", inputs=[list(k) for k in key]))
        return specialize(self, key, frozen)

    monkeypatch.setattr(compiled.Compiled, "specialize", watch)
    return found


@pytest.mark.parametrize("mode", ["sum", "mean", "max"])
@pytest.mark.parametrize("starts", [[0, 2, 2, 7], [0, 10, 10], [0, 0, 3]], ids=str)
def test_bags(mode, starts, texts):
    bags, index, offsets = torch.nn.EmbeddingBag(20, 5, mode=mode), torch.randint(0, 20, (10,)), torch.tensor(starts)
    made = [run(index, offsets) for run in (bags, torch.compile(bags, backend="tenfold"))]
    torch.testing.assert_close(made[1], made[0])
    want, have = (torch.autograd.grad(y.square().sum(), [bags.weight])[0] for y in made)
    torch.testing.assert_close(have, want)
    assert texts and not any(f"tensor<{len(starts)}x10xi" in text for text in texts)


@pytest.mark.parametrize("padding", [None, 3])
@pytest.mark.parametrize("mode", ["sum", "mean", "max"])
def test_bags_of_one_size_are_reduced_without_a_scatter(mode, padding, texts):
    bags, index = torch.nn.EmbeddingBag(8, 5, mode=mode, padding_idx=padding), torch.randint(0, 8, (6, 4))
    index[2] = 3  # a bag of padding alone
    made = [run(index) for run in (bags, torch.compile(bags, backend="tenfold"))]
    torch.testing.assert_close(made[1], made[0])
    want, have = (torch.autograd.grad(y.square().sum(), [bags.weight])[0] for y in made)
    torch.testing.assert_close(have, want)
    assert mode == "max" or "scatter" not in texts[0]
