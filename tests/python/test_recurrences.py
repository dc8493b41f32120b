"""Recurrences written as Python loops over time, trained: an LSTM-CRF tagger and an RWKV block, each through
torch.compile and on the device, as in eager mode and with no op left to PyTorch once warm."""

from __future__ import annotations

import copy

import pytest

torch = pytest.importorskip("torch")
tenfold = pytest.importorskip("tenfold")
from torch import nn  # noqa: E402
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence  # noqa: E402

STEPS = 3


@pytest.fixture(autouse=True)
def fresh():
    torch._dynamo.reset()
    torch.tenfold.synchronize()
    tenfold.reset_stats()
    yield


class LSTMCRF(nn.Module):
    """A tagger: word vectors, a bidirectional LSTM over packed sequences, and a conditional random field whose
    partition function is written to a table step by step."""

    def __init__(self, words=11, tags=4, width=6):
        super().__init__()
        self.tags = tags
        self.embed = nn.Embedding(words, width, padding_idx=0)
        self.lstm = nn.LSTM(width, width, batch_first=True, bidirectional=True)
        self.out = nn.Linear(2 * width, tags)
        self.start, self.end = nn.Parameter(torch.randn(tags)), nn.Parameter(torch.randn(tags))
        self.move = nn.Parameter(torch.randn(tags, tags))

    def emissions(self, words, lengths):
        packed = pack_padded_sequence(self.embed(words), lengths, batch_first=True, enforce_sorted=False)
        return self.out(pad_packed_sequence(self.lstm(packed)[0], batch_first=True, total_length=words.shape[1])[0])

    def total(self, scores, mask):
        """The log of the sum over all paths, in a table written to in place."""
        batch, steps, tags = scores.shape
        table = torch.zeros(batch, steps, tags, device=scores.device)
        table[:, 0] = self.start + scores[:, 0]
        for t in range(1, steps):
            after = torch.logsumexp(table[:, t - 1].clone().unsqueeze(2) + self.move + scores[:, t].unsqueeze(1), 1)
            table[:, t] = torch.where(mask[:, t].unsqueeze(1), after, table[:, t - 1].clone())
        return torch.logsumexp(table[:, -1] + self.end, 1)

    def path(self, scores, tags, mask):
        """The score of one path, added up element by element."""
        rows = torch.arange(scores.shape[0], device=scores.device)
        score = self.start[tags[:, 0]] + scores[rows, 0, tags[:, 0]]
        for t in range(1, scores.shape[1]):
            here = self.move[tags[:, t - 1], tags[:, t]] + scores[rows, t, tags[:, t]]
            score += here * mask[:, t]
        last = mask.long().sum(1) - 1
        return score + self.end[tags.gather(1, last.unsqueeze(1)).squeeze(1)]

    def forward(self, words, lengths, tags):
        mask = words != 0
        scores = self.emissions(words, lengths)
        return (self.total(scores, mask) - self.path(scores, tags, mask)).mean()

    def best(self, words, lengths):
        """Viterbi: the best path of each sequence."""
        mask = words != 0
        scores = self.emissions(words, lengths)
        best, back = self.start + scores[:, 0], []
        for t in range(1, scores.shape[1]):
            after, at = (best.unsqueeze(2) + self.move + scores[:, t].unsqueeze(1)).max(1)
            stay = torch.arange(self.tags, device=scores.device).expand_as(at)
            keep = mask[:, t].unsqueeze(1)
            best, at = torch.where(keep, after, best), torch.where(keep, at, stay)
            back.append(at)
        tag = (best + self.end).argmax(1)
        path = [tag]
        for at in reversed(back):
            tag = at.gather(1, tag.unsqueeze(1)).squeeze(1)
            path.append(tag)
        return torch.stack(path[::-1], 1)


class RWKV(nn.Module):
    """Time mixing with token shift and the wkv recurrence in its numerically safe form, then channel mixing."""

    def __init__(self, width=8):
        super().__init__()
        self.ln1, self.ln2 = nn.LayerNorm(width), nn.LayerNorm(width)
        self.shift = nn.ZeroPad2d((0, 0, 1, -1))
        for name in ("mix_k", "mix_v", "mix_r", "mix_ck", "mix_cr", "decay", "first"):
            setattr(self, name, nn.Parameter(torch.rand(width)))
        for name in ("key", "value", "gate", "out", "cgate"):
            setattr(self, name, nn.Linear(width, width, bias=False))
        self.ckey, self.cvalue = nn.Linear(width, 2 * width, bias=False), nn.Linear(2 * width, width, bias=False)

    def wkv(self, k, v):
        batch, steps, width = k.shape
        w, u = -torch.exp(self.decay), self.first
        out = torch.empty_like(k)
        num, den = (torch.zeros(batch, width, device=k.device) for _ in range(2))
        top = torch.full((batch, width), -1e38, device=k.device)
        for t in range(steps):
            now = k[:, t] + u
            high = torch.maximum(top, now)
            a, b = torch.exp(top - high), torch.exp(now - high)
            out[:, t] = (a * num + b * v[:, t]) / (a * den + b)
            high = torch.maximum(top + w, k[:, t])
            a, b = torch.exp(top + w - high), torch.exp(k[:, t] - high)
            num = a * num + b * v[:, t]
            den = a * den + b
            top = high
        return out

    def forward(self, x):
        y = self.ln1(x)
        before = self.shift(y)
        k = self.key(y * self.mix_k + before * (1 - self.mix_k))
        v = self.value(y * self.mix_v + before * (1 - self.mix_v))
        r = torch.sigmoid(self.gate(y * self.mix_r + before * (1 - self.mix_r)))
        x = x + self.out(r * self.wkv(k, v))
        y = self.ln2(x)
        before = self.shift(y)
        k = torch.relu(self.ckey(y * self.mix_ck + before * (1 - self.mix_ck))) ** 2
        return x + torch.sigmoid(self.cgate(y * self.mix_cr + before * (1 - self.mix_cr))) * self.cvalue(k)


def sentences():
    torch.manual_seed(1)
    words, tags = torch.randint(1, 11, (3, 7)), torch.randint(0, 4, (3, 7))
    lengths = torch.tensor([5, 7, 2])
    words[torch.arange(7) >= lengths.unsqueeze(1)] = 0
    return words, lengths, tags


def train(model, loss, device="cpu", compile_step=False):
    """Losses, the state and the gradients of the last step; and what each step left to PyTorch."""
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
    losses, left = [], []
    forward = torch.compile(loss, backend="tenfold") if compile_step else loss
    for _ in range(STEPS):
        tenfold.reset_stats()
        optimizer.zero_grad()
        value = forward(model)
        value.backward()
        optimizer.step()
        losses.append(value.detach().cpu())
        left.append(tenfold.stats()["fallbacks"])
    return [*losses, *(p.detach().cpu() for p in model.parameters()), *(p.grad.cpu() for p in model.parameters())], left


def same(have, want):
    for h, w in zip(have, want, strict=True):
        torch.testing.assert_close(h, w, rtol=2e-4, atol=2e-5)


def crf_loss(device):
    words, lengths, tags = sentences()
    words, tags = words.to(device), tags.to(device)
    return lambda model: model(words, lengths, tags)


def rwkv_loss(device, steps=16):
    torch.manual_seed(2)
    x, y = torch.randn(2, steps, 8).to(device), torch.randn(2, steps, 8).to(device)
    return lambda model: (model(x) - y).square().mean()


CASES = {"LSTM-CRF": (LSTMCRF, crf_loss), "RWKV": (RWKV, rwkv_loss)}


@pytest.mark.parametrize("door", ["compiled", "device"])
@pytest.mark.parametrize("name", CASES)
def test_training(name, door):
    kind, make = CASES[name]
    torch.manual_seed(0)
    model = kind()
    want, _ = train(copy.deepcopy(model), make("cpu"))
    if door == "compiled":
        have, left = train(model, make("cpu"), compile_step=True)
    else:
        have, left = train(model.to("tenfold"), make("tenfold"), "tenfold")
    same(have, want)
    assert left[-1] == {}, left


@pytest.mark.parametrize("door", ["compiled", "device"])
def test_the_best_path(door):
    torch.manual_seed(0)
    model = LSTMCRF().eval()
    words, lengths, _ = sentences()
    with torch.no_grad():
        want = model.best(words, lengths)
        if door == "compiled":
            find = torch.compile(model.best, backend="tenfold")
        else:
            find, words = model.to("tenfold").best, words.to("tenfold")
        for _ in range(2):
            tenfold.reset_stats()
            assert torch.equal(find(words, lengths).cpu(), want)
        assert tenfold.stats()["fallbacks"] == {}


def test_gradients_of_a_weight_of_every_step():
    """Terms of the gradient are merged into one matmul; their operands are concatenated."""
    torch.manual_seed(0)
    model, x = nn.GRU(32, 64), torch.randn(5, 2, 32, requires_grad=True)
    made = []
    for run in (model, torch.compile(model, backend="tenfold")):
        model.zero_grad()
        run(x)[0].square().mean().backward()
        made.append([p.grad.clone() for p in model.parameters()])
    for want, got in zip(*made, strict=True):
        torch.testing.assert_close(got, want, rtol=1e-4, atol=1e-6)
    assert not tenfold.stats()["fallbacks"]


@pytest.mark.parametrize("count", [9, 80, 81])  # what is copied, the most of that, and more
@pytest.mark.parametrize("dim", [0, 1])
def test_concatenations_of_many(count, dim):
    x = torch.randn(count, 6, 40)

    def run(x):
        return torch.cat([x[(7 * i) % count, : 3 + i % 3 if dim == 0 else 3] for i in range(count)], dim)

    torch.testing.assert_close(torch.compile(run, backend="tenfold")(x), run(x), rtol=0, atol=0)
