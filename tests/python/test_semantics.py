"""What PyTorch means where it is easy to get wrong: aliases, writes, types, sizes of 0 and 1, numbers known early.

Each program goes through an archive as it was exported, one after run_decompositions() with a dynamic batch, and
torch.compile, beside eager.
"""

from __future__ import annotations

import copy

import pytest

torch = pytest.importorskip("torch")
tenfold = pytest.importorskip("tenfold")
from tenfold.torch import backend as torch_backend  # noqa: E402
from torch import nn  # noqa: E402
from torch.nn import functional as F  # noqa: E402

PROGRAMS = {}


def program(function):
    class Program(nn.Module):
        def __init__(self):
            super().__init__()
            self.register_buffer("mask", torch.tensor([True, False, True, True, False, False]))

        def forward(self, x):
            return function(self, x)

    PROGRAMS[function.__name__] = Program
    return function


@program
def writes_through_views(self, x):
    y = x * 1
    y.t()[1] += y[:, 0]
    y[1:][:, ::2].fill_(7)
    y.view(-1)[0] = 5
    y.unsqueeze(0).squeeze(0).narrow(1, 2, 3).exp_()
    first, second = y.chunk(2, 1)
    first += second
    return y, first * 2


@program
def writes_to_diagonals(self, x):
    y = x @ x.t()
    y.diagonal(1).zero_()
    y.fill_diagonal_(3.0)
    tall = torch.cat([x, x])[:, :3].contiguous()
    return y, tall.fill_diagonal_(2.0)


@program
def writes_to_parts_of_numbers(self, x):
    z = torch.complex(x[:, :3].contiguous(), x[:, 3:].contiguous())
    z.real.mul_(2)
    torch.view_as_real(z)[..., 1] += 1
    z.imag.add_(z.real)
    y = x * 1
    y.view(torch.int32).bitwise_and_(0x7FFFFFFF)
    return torch.view_as_real(z * z.conj()), y


@program
def writes_by_operators(self, x):
    y = x * 1
    y //= 0.5
    y %= 3
    y **= 2
    z = y > 1
    z |= y < 0.5
    z &= x > 0
    z ^= True
    return y, z


@program
def reads_by_strides(self, x):
    y = x.t() * 1
    z = y.view(y.shape[0], 1, y.shape[1])  # a dimension of size 1 lies anywhere
    return (
        y.as_strided((2, 3), (3, 1), 1),
        (x * 1).as_strided((3,), (7 if x.shape[0] > 2 else 1,)),
        z.as_strided((4,), (2,)),
    )


@program
def changes_its_input(self, x):
    x[:, 0] = 0
    x.mul_(2)
    return x + 1


@program
def the_same_twice(self, x):
    y = x + 1
    return y, y, y[0] * 1


@program
def where_of_both_forms(self, x):
    nan = torch.tensor(float("nan"))
    return x.where(x > 0, nan).nansum(), torch.where(x > 0, x, 2.0), torch.where(x > 0, 1, 0), x.abs().polygamma(1)


@program
def integers(self, x):
    n = (x * 50).long()
    narrow = (n % 200).to(torch.uint8)
    wide = n * 2**57
    return n // 7, n % -7, torch.div(n, -3, rounding_mode="trunc"), narrow + 200, -narrow, wide * 4, n / 3, n << 3


@program
def promotion(self, x):
    n = x.long()
    two, half = torch.tensor(2), x.half()
    return (
        x + two,
        n + 1.5,
        (x > 0) + (x < 1),
        n.to(torch.int8) + n.to(torch.uint8),
        half + 1,
        half + x,
        two / 3,
        n * True,
    )


@program
def what_is_not_a_number(self, x):
    n = torch.tensor([float("nan"), 1.0, float("inf"), -float("inf"), 0.0, -0.0])
    y = x + n
    maxima = y.max(1)
    return (
        y,
        maxima[0],
        y.argmin(1),
        torch.fmax(y, x),
        y.clamp(-1, 1),
        y.nansum(1),
        n.sort()[0],
        y.nan_to_num(),
        F.relu(y),
    )


@program
def masks_that_are_known(self, x):
    y = x * 1
    y[:, self.mask] = 0
    y[:, ~self.mask] *= 2
    rows = self.mask.nonzero().squeeze(1)
    return x[:, self.mask], y, x[:, rows], x[:, self.mask & (torch.arange(6) > 9)], torch.where(self.mask)[0]


@program
def checked_products(self, x):
    a = x @ x.t() + 4 * torch.eye(x.shape[0])
    return torch.linalg.inv(a), torch.linalg.cholesky(a), torch.linalg.solve(a, x), torch.linalg.det(a)


@program
def repeats_of_a_known_sum(self, x):
    counts = torch.tensor([1, 0, 2, 1, 0, 1])
    return x.repeat_interleave(counts, 1, output_size=5), x.repeat_interleave(2, 0)


@program
def sizes_as_numbers(self, x):
    n = x.shape[0]
    return x * n, torch.full((n, 2), n / 3), x[: n // 2], torch.arange(n) + n // 2, x.view(n, -1, 2).sum(-1), x @ x.t()


def inputs(rows=4):
    torch.manual_seed(rows)
    return torch.randn(rows, 6)


def same(have, want):
    assert len(have) >= len(want)
    for h, w in zip(have, want, strict=False):
        close = {"rtol": 1e-4, "atol": 1e-5} if w.dtype == torch.float32 else {}
        torch.testing.assert_close(h, w, equal_nan=True, **close)


def eager(model, x):
    with torch.no_grad():
        made = copy.deepcopy(model)(x)
    return list(made) if isinstance(made, tuple) else [made]


def through_archive(path, x):
    return [torch.from_dlpack(r) for r in tenfold.load(path)(x)]


@pytest.mark.parametrize("name", PROGRAMS)
def test_as_exported(name, tmp_path):
    model = PROGRAMS[name]()
    torch.export.save(torch.export.export(model, (inputs(),)), tmp_path / "m.pt2")
    same(through_archive(tmp_path / "m.pt2", inputs()), eager(model, inputs()))


STATIC = {"writes_through_views", "writes_to_diagonals", "reads_by_strides"}  # PyTorch goes by the size it sees


@pytest.mark.parametrize("name", [n for n in PROGRAMS if n not in STATIC])
def test_decomposed_with_another_batch(name, tmp_path):
    """Also one of 1, which PyTorch runs though it notes 2 as the least."""
    model = PROGRAMS[name]()
    shapes = ({0: torch.export.Dim.AUTO},)
    made = torch.export.export(model, (inputs(),), dynamic_shapes=shapes).run_decompositions()
    torch.export.save(made, tmp_path / "m.pt2")
    for rows in (4, 1, 5):
        same(through_archive(tmp_path / "m.pt2", inputs(rows)), eager(model, inputs(rows)))


@pytest.mark.parametrize("name", PROGRAMS)
def test_compiled(name):
    torch._dynamo.reset()
    model = PROGRAMS[name]()
    wanted_input, x = inputs(), inputs()
    want = eager(model, wanted_input)
    with torch.no_grad():
        have = torch.compile(model, backend=torch_backend.backend)(x)
    same(list(have) if isinstance(have, tuple) else [have], want)
    same([x], [wanted_input])


def test_branches_draw_anew():
    def branch(x):
        def dropped(v):
            return F.dropout(v, 0.5) + 2 * F.dropout(v, 0.5)

        return torch.cond(x.sum() > 0, dropped, lambda v: v * 1, (x,))

    torch._dynamo.reset()
    run = torch.compile(branch, backend=torch_backend.backend)
    x = torch.ones(512)
    first, second = run(x), run(x)
    assert not torch.equal(first, second)
    assert first.unique().tolist() == [0, 2, 4, 6]  # two masks, not one twice
