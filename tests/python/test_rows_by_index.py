"""Indices that are one column, expanded, as graph networks write them: whole rows move. As eager has it."""

import re

import pytest
import tenfold
import tenfold.torch.backend
import torch

N, M, C = 7, 12, 5


def expanded(shape, dim):
    torch.manual_seed(0)
    size = [1] * len(shape)
    size[dim] = M
    wide = list(shape)
    wide[dim] = M
    return torch.randint(0, shape[dim], size), wide


CALLS = {
    "sum": lambda x, i, v, d: x.scatter_reduce(d, i, v, "sum"),
    "mean": lambda x, i, v, d: x.scatter_reduce(d, i, v, "mean", include_self=False),
    "amax": lambda x, i, v, d: x.scatter_reduce(d, i, v, "amax"),
    "mean of all": lambda x, i, v, d: x.scatter_reduce(d, i, v, "mean"),
    "amin": lambda x, i, v, d: x.scatter_reduce(d, i, v, "amin", include_self=False),
    "count": lambda x, i, v, d: torch.zeros_like(x).scatter_add(d, i, torch.ones_like(v)),
    "spread": lambda x, i, v, d: torch.ones_like(x).scatter_add(d, i, (i.float() + 0.5)),
    "prod": lambda x, i, v, d: x.scatter_reduce(d, i, v, "prod", include_self=False),
    "add": lambda x, i, v, d: x.scatter_add(d, i, v),
    "last wins": lambda x, i, v, d: x.scatter(d, i, torch.arange(i.numel()).view(i.shape).float() // C),
    "gather": lambda x, i, v, d: x.gather(d, i),
    "some columns": lambda x, i, v, d: x.scatter_add(d, i.narrow(1 - d if d < 2 else 0, 0, 2), v),
}


@pytest.mark.parametrize("shape, dim", [((N, C), 0), ((C, N), 1), ((3, N, C), 1), ((N, 3, 2), 0)], ids=str)
@pytest.mark.parametrize("name", CALLS)
def test_rows(name, shape, dim):
    torch._dynamo.reset()
    column, wide = expanded(shape, dim)
    x, v = torch.randn(shape), torch.randn(wide)

    def run(x, column, v):
        return CALLS[name](x, column.expand(wide), v, dim)

    if name == "last wins" and (dim != 0 or len(shape) != 2):
        pytest.skip("which of several values stays is known for rows alone")
    ours = torch.compile(run, backend="tenfold")(x, column, v)
    torch.testing.assert_close(ours, run(x, column, v))


def test_counts_are_of_one_column():
    """What is the same in every column is scattered once: the count of a mean, and which rows get a value."""
    x, v = torch.randn(N, C).to("tenfold"), torch.randn(M, C).to("tenfold")
    column = torch.zeros(M, 1, dtype=torch.long).to("tenfold")
    y = x.scatter_reduce(0, column.expand(M, C), v, "mean", include_self=False)
    types = re.findall(r"}\) : \((.*?)\) ->", tenfold.get_mlir(y))
    updates = [t.split(", ")[2] for t in types]
    assert updates.count(f"tensor<{M}x{C}xf32>") == 1 and set(updates) == {f"tensor<{M}x{C}xf32>", f"tensor<{M}xf32>"}


def test_rows_out_of_range_are_refused():
    torch._dynamo.reset()
    run = torch.compile(lambda x, i, v: x.scatter_add(0, i.expand(-1, C), v), backend="tenfold")
    with pytest.raises(RuntimeError, match="index 7 is out of bounds for dimension 0 with size 7"):
        run(torch.zeros(N, C), torch.tensor([[0], [N], [1]]), torch.ones(3, C))
