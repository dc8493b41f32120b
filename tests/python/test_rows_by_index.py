"""Indices that are one column, expanded, as graph networks write them: whole rows move. As eager has it."""

import pytest
import tenfold.torch.backend  # noqa: F401
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


def test_rows_out_of_range_are_refused():
    torch._dynamo.reset()
    run = torch.compile(lambda x, i, v: x.scatter_add(0, i.expand(-1, C), v), backend="tenfold")
    with pytest.raises(RuntimeError, match="index 7 is out of bounds for dimension 0 with size 7"):
        run(torch.zeros(N, C), torch.tensor([[0], [N], [1]]), torch.ones(3, C))
