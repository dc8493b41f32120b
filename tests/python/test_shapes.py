"""One program, many sizes: one graph at the door, code for one or a few of them, every result right."""

from __future__ import annotations

import copy
import ctypes
import json
import os
import random
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="torch is not installed (scripts/setup run gets it)")
import tenfold  # noqa: E402
from random_open import make  # noqa: E402
from tenfold import _core, sizes  # noqa: E402
from tenfold.torch import backend as torch_backend  # noqa: E402
from tenfold.torch.lazy.relatives import further  # noqa: E402
from torch import nn  # noqa: E402

TENFOLD = os.environ.get("TENFOLD", "bin/tenfold")


@pytest.fixture(autouse=True)
def _fresh(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("TENFOLD_CACHE", "off")
    torch._dynamo.reset()
    tenfold.reset_stats()
    torch.manual_seed(0)
    yield
    torch._dynamo.reset()


class Attention(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.embed = nn.Embedding(50, 32)
        self.qkv, self.out, self.norm = nn.Linear(32, 96), nn.Linear(32, 32), nn.LayerNorm(32)

    def forward(self, ids: torch.Tensor) -> torch.Tensor:
        x = self.embed(ids)
        b, n, _ = x.shape
        q, k, v = (t.view(b, n, 4, 8).transpose(1, 2) for t in self.qkv(self.norm(x)).chunk(3, -1))
        mask = torch.ones(n, n, dtype=torch.bool, device=ids.device).tril()
        scores = (q @ k.transpose(-1, -2) / 8**0.5).masked_fill(~mask, float("-inf"))
        y = (scores.softmax(-1) @ v).transpose(1, 2).reshape(b, n, 32)
        return (x + self.out(y)).mean(1) / n


class Images(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.first, self.norm, self.last = nn.Conv2d(3, 8, 3, padding=1), nn.BatchNorm2d(8), nn.Linear(8, 5)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = torch.max_pool2d(self.norm(self.first(x)).relu(), 2)
        return self.last(x.mean((2, 3)))


MODELS = {
    "linear": (lambda: nn.Sequential(nn.Linear(8, 16), nn.GELU(), nn.Linear(16, 4)), lambda b, n: torch.randn(b, n, 8)),
    "attention": (Attention, lambda b, n: torch.randint(0, 50, (b, n))),
    "encoder": (lambda: nn.TransformerEncoderLayer(16, 2, 32, batch_first=True), lambda b, n: torch.randn(b, n, 16)),
    "images": (Images, lambda b, n: torch.randn(b, 3, 2 * n, 2 * n)),
}


@pytest.mark.parametrize("name", MODELS)
def test_one_graph_and_few_compilations(name: str) -> None:
    build, inputs = MODELS[name]
    model = build().eval()
    run = torch.compile(model, backend=torch_backend.backend, dynamic=True)
    picked = random.Random(3)
    pairs = [(picked.randint(2, 9), n) for n in picked.sample(range(2, 160), 9)]
    with torch.no_grad():
        for b, n in [*pairs, pairs[0]]:
            x = inputs(b, n)
            torch.testing.assert_close(run(x), model(x), rtol=1e-4, atol=1e-5)
    stats = tenfold.stats()
    assert stats["graphs"] == 1 and stats["fallbacks"] == {}, tenfold.explain()
    assert stats["sizes"] == len(pairs) and stats["compilations"] <= 2, tenfold.explain()
    assert "the same code for" in tenfold.explain()


def test_code_is_open_from_the_first_size_on() -> None:
    """Where sizes are tied to others, too: here the number of heads says that the width is not open, and the mask is
    longer by one than the cache."""
    layer = nn.TransformerEncoderLayer(16, 2, 32, batch_first=True).eval()  # one op in eager mode without gradients
    run = torch.compile(layer, backend=torch_backend.backend, dynamic=True)
    with torch.no_grad():
        for b, n in ((4, 50), (3, 17), (9, 90)):
            x = torch.randn(b, n, 16)
            torch.testing.assert_close(run(x), layer(x), rtol=1e-4, atol=1e-5)
    assert tenfold.stats()["compilations"] == 1, tenfold.explain()

    def step(x: torch.Tensor, cache: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        return (torch.cat([cache, x]) * mask[:, None]).softmax(0).sum(1)

    run = torch.compile(step, backend=torch_backend.backend, dynamic=True)
    for n in (12, 13, 20, 57):
        x, cache, mask = torch.randn(1, 8), torch.randn(n, 8), torch.randn(n + 1)
        torch.testing.assert_close(run(x, cache, mask), step(x, cache, mask), rtol=1e-4, atol=1e-5)
    assert tenfold.stats()["compilations"] == 2, tenfold.explain()


LATER = """
import sys, torch, tenfold, tenfold.torch.backend as b
torch.manual_seed(0)
model = torch.nn.Sequential(torch.nn.Linear(8, 16), torch.nn.GELU(), torch.nn.LayerNorm(16)).eval()
run = torch.compile(model, backend=b.backend, dynamic=True)
with torch.no_grad():
    for n in map(int, sys.argv[1:]):
        x = torch.randn(n, 8)
        torch.testing.assert_close(run(x), model(x), rtol=1e-4, atol=1e-5)
print(tenfold.stats()["compilations"], tenfold.stats()["sizes"])
"""


def test_code_of_an_earlier_process_serves_other_sizes(tmp_path) -> None:
    def run(*lengths: int) -> list[int]:
        env = os.environ | {"TENFOLD_CACHE": "on", "TENFOLD_CACHE_DIR": str(tmp_path / "cache")}
        arguments = [sys.executable, "-c", LATER, *map(str, lengths)]
        done = subprocess.run(arguments, capture_output=True, text=True, check=False, env=env)
        assert done.returncode == 0, done.stderr
        return [int(n) for n in done.stdout.split()]

    assert run(40, 17) == [1, 2]
    (entry,) = (tmp_path / "cache").glob("*.sizes")
    assert run(23, 64, 9) == [0, 3]  # 9 x 16: loops of fewer than 128 trips have code of their own
    data = bytearray(entry.read_bytes())
    data[len(data) // 2] ^= 1
    entry.write_bytes(data)
    assert run(23, 64) == [1, 2]  # not believed


def test_sizes_that_were_marked_or_changed() -> None:
    model = nn.Linear(8, 4)
    run = torch.compile(model, backend=torch_backend.backend)
    with torch.no_grad():
        for n in (5, 7, 11):
            x = torch.randn(n, 8)
            torch._dynamo.mark_dynamic(x, 0)
            torch.testing.assert_close(run(x), model(x))
        assert tenfold.stats()["graphs"] == 1
        torch._dynamo.reset()
        tenfold.reset_stats()
        run = torch.compile(model, backend=torch_backend.backend)  # found to be dynamic at the second size
        for n in (5, 7, 11, 3, 1, 0):
            x = torch.randn(n, 8)
            torch.testing.assert_close(run(x), model(x))
    assert tenfold.stats()["graphs"] <= 4  # 0 and 1 are dynamo's own


def test_training() -> None:
    model = nn.Sequential(nn.Linear(16, 32), nn.GELU(), nn.LayerNorm(32), nn.Linear(32, 4))
    other = copy.deepcopy(model)
    run = torch.compile(other, backend=torch_backend.backend, dynamic=True)
    for n in (3, 7, 16, 33, 100, 2):
        x = torch.randn(n, 6, 16)
        model(x).square().mean().backward()
        run(x).square().mean().backward()
    for have, wanted in zip(other.parameters(), model.parameters(), strict=True):
        torch.testing.assert_close(have.grad, wanted.grad, rtol=1e-4, atol=1e-5)
    stats = tenfold.stats()
    assert stats["graphs"] == 2 and stats["sizes"] == 12 and stats["compilations"] <= 8, tenfold.explain()


class Stages(nn.Module):
    """Strides and padding: at each, odd sizes end elsewhere than even ones."""

    def __init__(self) -> None:
        super().__init__()
        self.first = nn.Conv2d(3, 8, 7, stride=2, padding=3)
        self.second, self.third = nn.Conv2d(8, 16, 3, stride=2, padding=1), nn.Conv2d(16, 16, 3, padding=1)
        self.last = nn.Linear(16, 5)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = torch.max_pool2d(self.first(x).relu(), 3, stride=2, padding=1)
        x = torch.relu(self.second(x))
        x = torch.relu(x + self.third(x))
        return self.last(x.mean((2, 3)))


def test_images_of_odd_and_even_sizes() -> None:
    """And a batch of as many images as there are channels, which dynamo takes for the same size: another graph, which
    shares the code of the first."""
    model = Stages().eval()
    run = torch.compile(model, backend=torch_backend.backend, dynamic=True)
    pairs = [(b, n) for b in (3, 4, 2, 7) for n in (33, 40, 47, 50, 64, 71, 90)]
    random.Random(1).shuffle(pairs)
    pairs.sort(key=lambda pair: pair != (3, 47))
    with torch.no_grad():
        for b, n in pairs:
            x = torch.randn(b, 3, n, n)
            torch.testing.assert_close(run(x), model(x), rtol=1e-4, atol=1e-5)
    stats = tenfold.stats()
    assert stats["graphs"] == 2 and stats["sizes"] == len(pairs), tenfold.explain()
    assert stats["compilations"] <= 3, tenfold.explain()


@pytest.mark.parametrize("name", MODELS)
def test_a_loop_over_sizes_on_the_device(name: str) -> None:
    build, inputs = MODELS[name]
    model = build().eval()
    there = copy.deepcopy(model).to("tenfold")
    picked = random.Random(5)
    pairs = [(picked.randint(2, 9), n) for n in picked.sample(range(2, 160), 12)]
    with torch.no_grad():
        for b, n in [*pairs, pairs[0], pairs[3]]:
            x = inputs(b, n)
            torch.testing.assert_close(there(x.to("tenfold")).cpu(), model(x), rtol=1e-4, atol=1e-5)
    stats = tenfold.stats()
    assert stats["fallbacks"] == {} and stats["sizes"] == len(pairs), tenfold.explain()
    assert stats["compilations"] <= 3, tenfold.explain()
    assert "made of the code of other sizes" in tenfold.explain()


def test_training_on_the_device_with_other_sizes() -> None:
    model = nn.Sequential(nn.Linear(16, 32), nn.GELU(), nn.LayerNorm(32), nn.Linear(32, 4))
    there = copy.deepcopy(model).to("tenfold")
    optimizers = [torch.optim.AdamW(m.parameters(), lr=1e-3) for m in (model, there)]
    for n in (3, 7, 16, 33, 100, 2, 51, 64, 12, 90):
        x = torch.randn(n, 6, 16)
        losses = []
        for m, optimizer, data in zip((model, there), optimizers, (x, x.to("tenfold")), strict=True):
            loss = m(data).square().mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            losses.append(loss.item())
        assert losses[1] == pytest.approx(losses[0], rel=1e-3)
    for have, wanted in zip(there.parameters(), model.parameters(), strict=True):
        torch.testing.assert_close(have.cpu(), wanted, rtol=1e-3, atol=1e-4)
    stats = tenfold.stats()
    assert stats["fallbacks"] == {} and stats["compilations"] <= 6 < stats["sizes"], tenfold.explain()


def test_models_of_other_sizes_have_code_of_their_own_on_the_device() -> None:
    with torch.no_grad():
        for width in (16, 24, 40):
            model = nn.Sequential(nn.Linear(8, width), nn.GELU(), nn.Linear(width, 8), nn.GELU(), nn.Linear(8, 4))
            x, there = torch.randn(5, 8), copy.deepcopy(model).to("tenfold")
            torch.testing.assert_close(there(x.to("tenfold")).cpu(), model(x), rtol=1e-4, atol=1e-5)
    assert tenfold.stats()["compilations"] == 3, tenfold.explain()


def test_sizes_of_an_archive_share_packed_weights(tmp_path) -> None:
    model = nn.Sequential(nn.Linear(64, 256), nn.GELU(), nn.Linear(256, 64)).eval()
    rows = torch.export.Dim("rows", min=2)
    exported = torch.export.export(model, (torch.zeros(40, 64),), dynamic_shapes=({0: rows},))
    torch.export.save(exported, tmp_path / "m.pt2")
    program, constants = _core.load(tmp_path / "m.pt2"), []
    for n in (40, 50, 60, 70, 300):
        made, x = program.compile(inputs=[[n, 64]], shared=True), torch.randn(n, 64)
        constants.append(made.memory[1])
        with torch.no_grad():
            torch.testing.assert_close(torch.from_dlpack(made(x)[0]), model(x), rtol=1e-4, atol=1e-5)
    weights = 2 * 64 * 256 * 4
    assert weights <= constants[0] and sum(constants) < 2 * weights, constants  # the later sizes have none of their own
    assert program.counts[0] == 1


def test_archives_with_open_dimensions(tmp_path) -> None:
    model = Attention().eval()
    batch, time = torch.export.Dim("batch", max=64), torch.export.Dim("time", min=3, max=200)
    shapes = ({0: batch, 1: time},)
    exported = torch.export.export(model, (torch.zeros(2, 5, dtype=torch.long),), dynamic_shapes=shapes)
    torch.export.save(exported, tmp_path / "m.pt2")
    program = tenfold.load(tmp_path / "m.pt2")
    for b, n in [(2, 5), (3, 7), (64, 3), (5, 200), (7, 61), (1, 11), (0, 4)]:
        if b == 1:  # one row, and none, are programs of their own
            assert program._program.counts[0] <= 2 and program._program.counts[1] == 5
        ids = torch.randint(0, 50, (b, n))
        with torch.no_grad():
            wanted = model(ids)
        torch.testing.assert_close(torch.from_dlpack(program(ids)[0]), wanted, rtol=1e-4, atol=1e-5)
    for b, n, what in ((65, 5, r"\(s\d+\) is 65; .* 0 to 64"), (2, 201, r"\(s\d+\) is 201; .* 3 to 200")):
        with pytest.raises(tenfold.Error, match=what):
            program(torch.zeros(b, n, dtype=torch.long))


def test_memory_stays_flat() -> None:
    program = tenfold.Program(_core.parse(make(random.Random(1))))
    run = torch.compile(lambda x: (x * 2).sum(0), backend=torch_backend.backend, dynamic=True)
    with torch.no_grad():
        for n in range(2, 2 * sizes.MOST):
            torch.testing.assert_close(run(torch.ones(n, 3)), torch.full((3,), 2.0 * n))
    assert tenfold.stats()["compilations"] <= 3
    for n in range(2, 2 * sizes.MOST):
        program(*arrays(program, n, n + 1, 3))
    assert len(program._executables) <= sizes.MOST


def test_plans_say_what_is_open(tmp_path) -> None:
    dims = torch.export.Dim("batch", max=64), torch.export.Dim("length", min=4)
    given = torch.randn(3, 5), torch.randn(5, 7)
    exported = torch.export.export(Product(), given, dynamic_shapes=({0: dims[0], 1: dims[1]}, {0: dims[1]}))
    torch.export.save(exported, tmp_path / "m.pt2")
    done = subprocess.run([TENFOLD, "show", tmp_path / "m.pt2", "--stage", "plan"], capture_output=True, text=True)
    lines = re.sub(r"s\d+", "s", done.stdout).splitlines()
    assert lines[:3] == [
        "open: s is size 0 of x, 0 to 64; 3 here",
        "open: s is size 1 of x, 4 or more; 5 here",
        "open: s is size 0 of y, 4 or more; 5 here",
    ], done.stderr
    assert lines[3].startswith("arena ")


class Product(nn.Module):
    def forward(self, x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
        return x @ y


class _Allocations(ctypes.Structure):
    """What mallinfo2 gives: sbrk, -, -, -, mapped, -, -, used, free, -."""

    _fields_ = [(f"field{i}", ctypes.c_size_t) for i in range(10)]


def allocated() -> int:
    """Bytes that this process has from malloc."""
    libc = ctypes.CDLL(None)
    libc.mallinfo2.restype = _Allocations
    made = libc.mallinfo2()
    return made.field7 + made.field4


class Sum(nn.Module):
    def forward(self, many: tuple[torch.Tensor, ...]) -> torch.Tensor:
        return sum(x.sum() for x in many)


@pytest.mark.skipif(not hasattr(ctypes.CDLL(None), "mallinfo2"), reason="this C library counts no allocations")
def test_a_thousand_sizes_leave_nothing_behind(tmp_path) -> None:
    """Not even their types."""
    dim, many = torch.export.Dim("n"), tuple(torch.zeros(5, 2 + i) for i in range(8))
    exported = torch.export.export(Sum(), (many,), dynamic_shapes=(tuple({0: dim} for _ in many),))
    torch.export.save(exported, tmp_path / "m.pt2")
    program = _core.load(tmp_path / "m.pt2")
    before = 0
    for n in range(2, 1200):
        if n == 200:
            before = allocated()
        program.compile(inputs=[[n, 2 + i] for i in range(8)], shared=True)
    assert allocated() - before < 1 << 18


def tasks() -> int:
    return len(os.listdir("/proc/self/task"))


@pytest.mark.skipif(not os.path.isdir("/proc/self/task"), reason="no /proc to count threads in")
def test_sizes_share_their_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TENFOLD_THREADS", "3")
    model = nn.Sequential(nn.Linear(64, 128), nn.GELU(), nn.Linear(128, 64)).eval()
    run = torch.compile(model, backend=torch_backend.backend, dynamic=True)
    before = 0
    with torch.no_grad():
        for n in range(500, 900, 20):
            x = torch.randn(n, 64)
            torch.testing.assert_close(run(x), model(x), rtol=1e-4, atol=1e-5)
            before = before or tasks()
    assert tenfold.stats()["sizes"] == 20
    assert tasks() <= before  # each size had two of its own


def test_sizes_that_run_at_the_same_time() -> None:
    """They share memory for their values, which no two calls may have at once."""
    program = _core.parse(make(random.Random(2)))
    fast, slow = program.compile(shared=True), program.compile(device="interp")
    cases = []
    for a, b in [(4, 6), (7, 3), (64, 130), (3, 17), (31, 64), (200, 90)]:
        given = arrays(tenfold.Program(program), a, b, a)
        cases.append((given, [np.asarray(x).copy() for x in slow(*given)]))

    def work(seed: int) -> None:
        order = random.Random(seed)
        for _ in range(60):
            given, wanted = order.choice(cases)
            for have, want in zip(fast(*given), wanted, strict=True):
                np.testing.assert_allclose(np.asarray(have), want, rtol=1e-5, atol=1e-4, equal_nan=True)

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(work, range(4)))


def arrays(program, a: int, b: int, seed: int) -> list[np.ndarray]:
    values = np.random.default_rng(seed)
    return [values.integers(-3, 4, (a, b)).astype(np.float32) for _ in program.input_names]


@pytest.mark.parametrize("seed", range(16))
def test_random_programs_with_open_dimensions(seed: int) -> None:
    text = make(random.Random(seed))
    program = _core.parse(text)
    fast, slow = program.compile(shared=True), program.compile(device="interp")
    for a, b in [(4, 6), (7, 3), (1, 5), (13, 29), (0, 4), (64, 130), (5, 1), (3, 17), (31, 64)]:
        given = arrays(tenfold.Program(program), a, b, seed + a)
        for have, wanted in zip(fast(*given), slow(*given), strict=True):
            np.testing.assert_allclose(
                np.asarray(have), np.asarray(wanted), rtol=1e-5, atol=1e-4, equal_nan=True, err_msg=f"{a}x{b}\n{text}"
            )
    assert program.counts[1] == 9 and program.counts[0] <= 7, program.counts


def causal(name: str, transformers):
    if name == "gpt2":
        config = transformers.GPT2Config(n_embd=32, n_layer=1, n_head=2, vocab_size=60, n_positions=64)
        return transformers.GPT2LMHeadModel(config).eval()
    if name == "t5":
        sized = {"d_model": 32, "d_kv": 16, "d_ff": 48, "num_layers": 1, "num_heads": 2, "vocab_size": 60}
        return transformers.T5ForConditionalGeneration(transformers.T5Config(decoder_start_token_id=0, **sized)).eval()
    sized = {"hidden_size": 32, "intermediate_size": 48, "num_hidden_layers": 1, "vocab_size": 60}
    heads = {"num_attention_heads": 4, "num_key_value_heads": 2, "max_position_embeddings": 64}
    return transformers.LlamaForCausalLM(transformers.LlamaConfig(**sized, **heads)).eval()


@pytest.mark.parametrize("name", ["gpt2", "llama", "t5"])
def test_generate_on_the_device(name: str, monkeypatch) -> None:
    """One program for the prompt and two for the tokens: what decides how to go on is read without running the rest,
    and the sizes of the second token tell those of all later ones, with a cache of 8 or 16 places too."""
    if name != "llama" and not os.environ.get("TENFOLD_TEST_ALL"):
        pytest.skip("takes long; part of make test-all")
    transformers = pytest.importorskip("transformers", reason="transformers is not installed")
    masks = transformers.masking_utils  # zoo.py, which other tests import, registers the ones for export
    monkeypatch.setitem(masks.ALL_MASK_ATTENTION_FUNCTIONS, "sdpa", masks.sdpa_mask)
    model = causal(name, transformers)
    there = copy.deepcopy(model).to("tenfold")
    ids = torch.randint(1, 60, (1, 5))
    options = {"max_new_tokens": 20, "min_new_tokens": 20, "do_sample": False, "pad_token_id": 0}
    with torch.no_grad():
        wanted = model.generate(ids, **options)
        assert torch.equal(there.generate(ids.to("tenfold"), **options).cpu(), wanted)
    stats = tenfold.stats()
    assert stats["compilations"] <= 3 and stats["runs"] == 20 and stats["fallbacks"] == {}, tenfold.explain()


def test_what_decides_a_loop_is_read_without_running_the_rest() -> None:
    x, limit = torch.randn(200, 200).to("tenfold"), torch.tensor(3).to("tenfold")
    with torch.no_grad():
        y, i = x, torch.zeros((), dtype=torch.int64, device="tenfold")
        while bool(i < limit):
            y, i = y @ x, i + 1
        assert int(i) == 3 and tenfold.stats()["runs"] == 0
        torch.testing.assert_close(y.cpu(), x.cpu() @ x.cpu() @ x.cpu() @ x.cpu(), rtol=1e-3, atol=1e-2)
        assert tenfold.stats()["runs"] == 1
        i.add_(4)  # memory is not the value any more
        assert int(i) == 7 and int((i * 2).clone()) == 14
        with pytest.raises(IndexError):
            int(torch.arange(3, device="tenfold")[i])


def test_a_graph_that_follows_two() -> None:
    def graph(n: int, m: int, name: str = "v0") -> str:
        sizes = [{"as_int": n}, {"as_int": 8}, {"as_int": m}]
        return json.dumps(
            {"values": {name: {"sizes": sizes}}, "flag": True, "scale": 1 / n, "metadata": {"at": str(n)}}
        )

    wanted = [29, 8, 30]
    assert [s["as_int"] for s in json.loads(further(graph(13, 14), graph(14, 15)))["values"]["v0"]["sizes"]] == wanted
    assert [s["as_int"] for s in json.loads(further(graph(14, 15), graph(13, 14)))["values"]["v0"]["sizes"]] == wanted
    made = json.loads(further(graph(40, 80), graph(17, 34)))["values"]["v0"]["sizes"]
    assert [s["as_int"] for s in made] == [63, 8, 126]
    assert further(graph(13, 14), graph(13, 14)) is None  # equal
    assert further(graph(13, 14), graph(14, 15, "v1")) is None  # of another structure
    assert further(graph(2, 9), graph(9, 2)) is None  # one of them would have no size left


@pytest.mark.parametrize("name", ["gpt2", "llama"])
def test_generate(name: str) -> None:
    if name == "gpt2" and not os.environ.get("TENFOLD_TEST_ALL"):
        pytest.skip("tracing takes long; part of make test-all")
    transformers = pytest.importorskip("transformers", reason="transformers is not installed")
    model = causal(name, transformers)
    ids = torch.randint(1, 60, (1, 5))
    options = {"max_new_tokens": 12, "do_sample": False, "pad_token_id": 0}
    with torch.no_grad():
        wanted = model.generate(ids, **options)
        model.forward = torch.compile(model.forward, backend=torch_backend.backend, dynamic=True)
        assert torch.equal(model.generate(ids, **options), wanted)
    stats = tenfold.stats()
    assert stats["graphs"] == stats["compilations"] == 2 and stats["fallbacks"] == {}, tenfold.explain()
