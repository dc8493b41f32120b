"""Archives with sizes that depend on data: the command runs them in parts, and gives what eager PyTorch gives."""

from __future__ import annotations

import json
import os
import subprocess

import pytest

torch = pytest.importorskip("torch")
np = pytest.importorskip("numpy")
from test_pt2 import run_archive  # noqa: E402

TENFOLD = os.environ.get("TENFOLD", "build/tools/cli/tenfold")
DEVICES = os.environ.get("TENFOLD_DEVICES", "interp").split(",")
nn = torch.nn


class Places(nn.Module):
    def forward(self, x):
        return torch.nonzero(x > 0), x[x > 0], x.masked_select(x < 0), torch.where(x.abs() > 1)


class Number(nn.Module):
    """A number read out of a tensor is a size, an end and a count."""

    def forward(self, x, n):
        k = n.item()
        torch._check(k >= 0)
        torch._check(k <= x.shape[0])
        first, rest = x.split([k, x.shape[0] - k])
        return x[:k].sum(0), torch.zeros(k + 1), first * 2, rest - 1, torch.full((3,), k)


class Different(nn.Module):
    def forward(self, x, rows):
        values, inverse, counts = torch.unique(x, return_inverse=True, return_counts=True)
        kinds, which, many = torch.unique(rows, dim=0, return_inverse=True, return_counts=True)
        runs, run, length = torch.unique_consecutive(x, return_inverse=True, return_counts=True)
        return values, inverse, counts, kinds, which, many, runs, run, length, torch.unique(rows.float())


class Counts(nn.Module):
    def forward(self, x, w):
        return torch.bincount(x), torch.bincount(x, w, minlength=12), torch.repeat_interleave(w, x)


class Experts(nn.Module):
    """Each token goes to two of four experts; an expert sees only its own."""

    def __init__(self, width=12, count=4):
        super().__init__()
        self.gate = nn.Linear(width, count)
        self.experts = nn.ModuleList(nn.Linear(width, width) for _ in range(count))
        self.register_buffer("seen", torch.zeros(count))

    def forward(self, x):
        weights, chosen = torch.softmax(self.gate(x), -1).topk(2, -1)
        mask = nn.functional.one_hot(chosen, num_classes=len(self.experts)).permute(2, 1, 0)
        out = torch.zeros_like(x)
        for e, expert in enumerate(self.experts):
            k, token = torch.where(mask[e])
            out.index_add_(0, token, expert(x[token]) * weights[token, k, None])
            self.seen[e] += token.shape[0]
        return out


class Boxes(nn.Module):
    """The head of a detector: a threshold, the overlap of every two boxes, the ones that stay."""

    def forward(self, boxes, scores):
        sure = torch.where(scores > 0.5)[0]
        scores, order = scores[sure].sort(descending=True)
        boxes = boxes[sure][order]
        area = (boxes[:, 2] - boxes[:, 0]) * (boxes[:, 3] - boxes[:, 1])
        size = torch.min(boxes[:, None, 2:], boxes[None, :, 2:]) - torch.max(boxes[:, None, :2], boxes[None, :, :2])
        both = size.clamp(min=0).prod(-1)
        covered = ((both / (area[:, None] + area - both)).triu(1) > 0.4).any(0)
        return boxes[~covered], scores[~covered]


class Written(nn.Module):
    """Memory that is written to before and after a part ends, seen through views of it."""

    def forward(self, x):
        y = x.clone()
        row = y[1]
        row += 1
        kept = y[y > 0]
        row *= 2
        y.t()[0] = 5
        again = y[y > 4.5]
        x.add_(1)
        return kept, again, y, row, torch.dropout(kept, 0.0, True)


class Several(nn.Module):
    """A mask beside other indices, a mask of rows, and what is put there."""

    def forward(self, x):
        rows = x.sum(-1) > 0
        y = x.clone()
        y[rows] = y[rows] * 2
        return x[rows], x[:, x[0] > 0], y, x[rows, torch.tensor([1])]


def inputs_of(name):
    torch.manual_seed(1)
    corner = torch.rand(30, 2)
    boxes = torch.cat([corner, corner + torch.rand(30, 2) / 2], 1)
    return {
        "Places": (torch.randn(4, 5),),
        "Number": (torch.randn(6, 3), torch.tensor(4)),
        "Different": (torch.randint(0, 6, (19,)), torch.randint(0, 2, (14, 3))),
        "Counts": (torch.randint(0, 7, (9,)), torch.rand(9)),
        "Experts": (torch.randn(10, 12),),
        "Boxes": (boxes, torch.rand(30)),
        "Written": (torch.randn(4, 5),),
        "Several": (torch.randn(6, 4),),
    }[name]


def flat(results):
    if isinstance(results, torch.Tensor):
        return [results]
    return [tensor for result in results for tensor in flat(result)]


def save(model, inputs, decomposed, path):
    program = torch.export.export(model, tuple(v.clone() for v in inputs))
    torch.export.save(program.run_decompositions() if decomposed else program, path)


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("decomposed", [False, True], ids=["saved", "decomposed"])
@pytest.mark.parametrize("kind", [Places, Number, Different, Counts, Experts, Boxes, Written, Several])
def test_equals_eager(kind, decomposed, device, tmp_path):
    torch.manual_seed(0)
    model, inputs = kind().eval(), inputs_of(kind.__name__)
    save(model, inputs, decomposed, tmp_path / "model.pt2")
    given = [v.clone() for v in inputs]
    with torch.no_grad():
        wanted = flat(model(*inputs))
    results = run_archive(tmp_path / "model.pt2", given, device)
    written = [name for name, _ in model.named_buffers()] + (["x"] if kind is Written else [])
    assert len(results) == len(wanted) + len(written)
    for want, have in zip(wanted, results, strict=False):
        assert have.shape == tuple(want.shape) and have.dtype == want.numpy().dtype
        np.testing.assert_allclose(have, want.numpy(), rtol=1e-4, atol=1e-6)
    for want, have in zip([b for _, b in model.named_buffers()] or inputs, results[len(wanted) :], strict=False):
        np.testing.assert_allclose(have, want.numpy(), rtol=1e-4, atol=1e-6)


@pytest.mark.parametrize("device", DEVICES)
def test_nothing_is_found(device, tmp_path):
    save(Places(), (torch.randn(4, 5),), False, tmp_path / "model.pt2")
    empty = run_archive(tmp_path / "model.pt2", [torch.zeros(4, 5)], device)
    assert [r.shape for r in empty] == [(0, 2), (0,), (0,), (0,), (0,)]


def test_from_python(tmp_path):
    tenfold = pytest.importorskip("tenfold")
    save(Places(), inputs_of("Places"), False, tmp_path / "model.pt2")
    program = tenfold.load(tmp_path / "model.pt2", device="cpu")
    for seed in range(3):  # other numbers of places each time: parts are found, made, and made from the first one on
        torch.manual_seed(seed % 2)
        x = torch.randn(4, 5)
        for want, have in zip(flat(Places()(x)), program(x), strict=True):
            assert torch.equal(want, torch.from_dlpack(have))


def command(path, *arguments):
    return subprocess.run([TENFOLD, *arguments, str(path)], capture_output=True, text=True, timeout=120)


def test_runs_again_alike(tmp_path):
    save(Boxes(), inputs_of("Boxes"), False, tmp_path / "model.pt2")
    once = command(tmp_path / "model.pt2", "run", "--random", "--json", "--device", "cpu")
    often = command(tmp_path / "model.pt2", "run", "--random", "--json", "--device", "cpu", "--repeat", "3")
    assert once.returncode == 0 == often.returncode, once.stderr + often.stderr
    assert json.loads(once.stdout)["results"] == json.loads(often.stdout)["results"]


def test_a_number_out_of_range(tmp_path):
    save(Number(), inputs_of("Number"), False, tmp_path / "model.pt2")
    np.save(tmp_path / "x.npy", np.zeros((6, 3), np.float32))
    np.save(tmp_path / "n.npy", np.array(7))
    given = ["--input", str(tmp_path / "x.npy"), "--input", str(tmp_path / "n.npy")]
    done = command(tmp_path / "model.pt2", "run", *given)
    assert done.returncode != 0 and "u0 <= 6" in done.stderr and "test_data_sizes.py:29" in done.stderr
    done = command(tmp_path / "model.pt2", "run", "--no-checks", *given)
    assert done.returncode != 0 and "test_data_sizes.py:32" in done.stderr and "of 6" in done.stderr


class AtMost(nn.Module):
    def forward(self, x):
        places = torch.nonzero(x)
        torch._check(places.shape[0] <= 3)
        return places


def test_assertions_about_sizes_hold(tmp_path):
    save(AtMost(), (torch.tensor([1.0, 0, 0, 0, 1]),), False, tmp_path / "model.pt2")
    for many, code in ((3, 0), (4, 1)):
        np.save(tmp_path / "x.npy", (np.arange(5) < many).astype(np.float32))
        done = command(tmp_path / "model.pt2", "run", "--input", str(tmp_path / "x.npy"))
        assert bool(done.returncode) == bool(code), done.stderr
    assert "Runtime assertion failed" in done.stderr


def test_compile_says_why_not(tmp_path):
    save(Places(), inputs_of("Places"), False, tmp_path / "model.pt2")
    done = command(tmp_path / "model.pt2", "compile", "-o", str(tmp_path / "model.ten"))
    assert done.returncode != 0 and "depends on data" in done.stderr and "test_data_sizes.py" in done.stderr
    assert not (tmp_path / "model.ten").exists()


class InBranch(nn.Module):
    def forward(self, x):
        return torch.cond(x.sum() > 0, lambda x: x[x > 0].sum(), lambda x: x.sum(), (x,))


@pytest.mark.parametrize("verb", ["run", "compile", "show"])
def test_sizes_inside_control_flow_are_refused(verb, tmp_path):
    torch.export.save(torch.export.export(InBranch(), (torch.randn(4),)), tmp_path / "model.pt2")
    options = {"run": ["--random"], "compile": ["-o", str(tmp_path / "model.ten")], "show": []}[verb]
    done = command(tmp_path / "model.pt2", verb, *options)
    assert done.returncode == 1, done.stderr
    assert "test_data_sizes.py" in done.stderr and "out of the branch or loop" in done.stderr
