"""State that a compiled graph updates, such as the cache of a decoder: in place, with the results of eager mode."""

from __future__ import annotations

import copy

import pytest

torch = pytest.importorskip("torch", reason="torch is not installed (scripts/setup run gets it)")
import tenfold  # noqa: E402
from tenfold.torch import backend as torch_backend  # noqa: E402


@pytest.fixture(autouse=True)
def _fresh(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("TENFOLD_CACHE", "off")
    torch._dynamo.reset()
    tenfold.reset_stats()
    torch.manual_seed(0)
    yield
    torch._dynamo.reset()


@pytest.fixture
def copies(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How many tensors were copied back, call by call."""
    counts: list[int] = []
    copy_ = torch._foreach_copy_

    def counted(targets, sources, *rest):
        counts.append(len(targets))
        return copy_(targets, sources, *rest)

    monkeypatch.setattr(torch, "_foreach_copy_", counted)
    return counts


def step(cache: torch.Tensor, new: torch.Tensor, at: torch.Tensor) -> torch.Tensor:
    cache.index_copy_(1, at, new)
    return (cache * 2).sum(1) + new.sum(1)


def attend(keys: torch.Tensor, values: torch.Tensor, x: torch.Tensor, at: torch.Tensor) -> torch.Tensor:
    keys.index_copy_(2, at, x)
    values.index_copy_(2, at, x + 1)
    seen = torch.arange(keys.shape[2]) <= at
    return torch.nn.functional.scaled_dot_product_attention(x, keys, values, attn_mask=seen[None, None, None])


def test_a_cache_is_updated_where_it_is(copies: list[int]) -> None:
    run = torch.compile(step, backend=torch_backend.backend)
    have, wanted = torch.randn(2, 64, 16), None
    wanted = have.clone()
    address, version = have.data_ptr(), have._version
    with torch.no_grad():
        for i in range(4):
            new, at = torch.randn(2, 1, 16), torch.tensor([7 * i])
            torch.testing.assert_close(run(have, new, at), step(wanted, new, at))
            torch.testing.assert_close(have, wanted)
    assert copies == [] and have.data_ptr() == address
    assert have._version > version  # autograd and the weights' watch learn of it


def test_keys_and_values(copies: list[int]) -> None:
    run = torch.compile(attend, backend=torch_backend.backend)
    have = [torch.zeros(1, 4, 32, 8) for _ in range(2)]
    wanted = copy.deepcopy(have)
    with torch.no_grad():
        for i in range(5):
            x, at = torch.randn(1, 4, 1, 8), torch.tensor([i])
            torch.testing.assert_close(run(*have, x, at), attend(*wanted, x, at))
    torch.testing.assert_close(have, wanted)
    assert copies == []


def test_caches_of_several_sizes() -> None:
    run = torch.compile(step, backend=torch_backend.backend, dynamic=True)
    with torch.no_grad():
        for n in (16, 24, 40, 7, 2, 100):
            have = torch.randn(3, n, 8)
            wanted = have.clone()
            new, at = torch.randn(3, 1, 8), torch.tensor([n - 1])
            torch.testing.assert_close(run(have, new, at), step(wanted, new, at))
            torch.testing.assert_close(have, wanted)
    assert tenfold.stats()["fallbacks"] == {}


def test_memory_that_another_input_shares() -> None:
    def both(cache: torch.Tensor, other: torch.Tensor) -> torch.Tensor:
        cache.add_(1)
        return other * 3 + cache

    run = torch.compile(both, backend=torch_backend.backend)
    with torch.no_grad():
        for offset in (16, 0, 4):  # apart, the same, overlapping: traced apart, a graph reads what its inputs were
            have = torch.arange(48.0)
            cache, other = have[:16].clone(), have[offset : offset + 16].clone()
            torch.testing.assert_close(run(have[:16], have[offset : offset + 16]), both(cache, other))
            torch.testing.assert_close(have[:16], cache)


def test_memory_with_gaps_and_turned() -> None:
    run = torch.compile(step, backend=torch_backend.backend)
    with torch.no_grad():
        for make in (lambda: torch.randn(2, 64, 32)[:, :, ::2], lambda: torch.randn(2, 16, 64).transpose(1, 2)):
            have = make()
            wanted = have.clone()
            new, at = torch.randn(2, 1, 16), torch.tensor([5])
            torch.testing.assert_close(run(have, new, at), step(wanted, new, at))
            torch.testing.assert_close(have, wanted)


def test_an_index_out_of_range_changes_nothing() -> None:
    def look(cache: torch.Tensor, new: torch.Tensor, ids: torch.Tensor) -> torch.Tensor:
        cache.add_(new)
        return cache[ids]

    run = torch.compile(look, backend=torch_backend.backend)
    cache = torch.ones(8, 4)
    with torch.no_grad():
        run(cache, torch.ones(4), torch.tensor([1, 2]))
        with pytest.raises((IndexError, RuntimeError)):
            run(cache, torch.ones(4), torch.tensor([1, 9]))
    torch.testing.assert_close(cache, torch.full((8, 4), 2.0))


def one_write(cache, other, table, i):
    cache.index_copy_(1, i[:1] * 0, torch.full((4, 1), 7.0))
    return table[i].sum() + cache.sum()


def two_writes(cache, other, table, i):
    cache.add_(1)
    y = table[i]
    other.mul_(3)
    return y.sum() + cache[0, 0] + other[0]


def checked_twice(cache, other, table, i):
    first = table[i * 0]
    cache[:, 3] = first.sum()
    second = table[i]
    other.add_(second.sum())
    return first + second


def the_check_reads_what_was_written(cache, other, table, i):
    cache[0, 0] = i[0].float()
    return table[cache[0, :1].long()].sum()


def checked_by_index(cache, other, table, i):
    other.add_(1)
    cache.scatter_(1, i[None] * 100, 3.0)
    return cache.sum() + other.sum()


def many_writes(cache, other, table, i):
    y = torch.zeros(())
    for k in range(3):
        cache.index_copy_(1, torch.tensor([k]), torch.full((4, 1), k + 5.0))
        other[k] += 1
        y = y + table[i * k // 2].sum()
    return y + cache.sum()


def a_view_is_written(cache, other, table, i):
    flat = cache.view(-1)
    flat[5:9].add_(1)
    y = table[i].sum()
    flat[2] = y
    return flat.sum()


def in_a_branch(cache, other, table, i):
    cache.mul_(2.0)
    return torch.cond(other.sum() > 0, lambda t, j: t[j].sum(), lambda t, j: t.sum() * 0, (table, i))


def divided(cache, other, table, i):
    cache.add_(1)
    return (torch.arange(2) // (i - 40)).sum() + cache.sum()


def not_positive(cache, other, table, i):
    cache.add_(1)
    return torch.linalg.cholesky(torch.eye(4) * (1.0 - i[0])).sum() + cache[0, 0]


@pytest.mark.parametrize(
    "function",
    [
        one_write,
        two_writes,
        checked_twice,
        the_check_reads_what_was_written,
        checked_by_index,
        many_writes,
        a_view_is_written,
        in_a_branch,
        divided,
        not_positive,
    ],
)
def test_what_a_failing_call_would_write_is_as_it_was(function, copies: list[int]) -> None:
    """Eager mode keeps what was written before the op that raises; a compiled graph has written nothing."""
    torch.manual_seed(0)
    run, table = torch.compile(function, backend=torch_backend.backend), torch.randn(10, 8)
    good, wrong = torch.tensor([0, 1]), torch.tensor([40, 41])
    have = [torch.ones(4, 4096), torch.ones(8)]
    wanted = [x.clone() for x in have]
    with torch.no_grad():
        for _ in range(2):
            torch.testing.assert_close(run(*have, table, good), function(*wanted, table, good))
            before = [x.clone() for x in have]
            with pytest.raises((RuntimeError, IndexError)):
                run(*have, table, wrong)
            assert all(torch.equal(x, y) for x, y in zip(have, before, strict=True))
    torch.testing.assert_close(have, wanted)
    with pytest.raises((RuntimeError, IndexError)), torch.no_grad():
        function(*wanted, table, wrong)


def test_a_result_of_before_stays() -> None:
    def swap(cache: torch.Tensor, new: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        before = cache.clone()
        cache.copy_(new)
        return before, cache + before

    run = torch.compile(swap, backend=torch_backend.backend)
    have, new = torch.randn(4, 4), torch.randn(4, 4)
    wanted = have.clone()
    with torch.no_grad():
        torch.testing.assert_close(run(have, new), swap(wanted, new))
        torch.testing.assert_close(run(have, new * 2), swap(wanted, new * 2))
    torch.testing.assert_close(have, wanted)


def test_the_static_cache_of_a_decoder(copies: list[int]) -> None:
    transformers = pytest.importorskip("transformers", reason="transformers is not installed")
    sized = {"hidden_size": 32, "intermediate_size": 48, "num_hidden_layers": 2, "vocab_size": 60}
    heads = {"num_attention_heads": 4, "num_key_value_heads": 2, "max_position_embeddings": 128}
    config = transformers.LlamaConfig(**sized, **heads)
    model = transformers.LlamaForCausalLM(config).eval()

    def decode(forward) -> tuple[list[int], list[int]]:
        cache, token, tokens = transformers.StaticCache(config=config, max_cache_len=96), torch.tensor([[3]]), []
        copies.clear()
        with torch.no_grad():
            for i in range(6):
                given = {"past_key_values": cache, "cache_position": torch.tensor([i]), "use_cache": True}
                token = forward(input_ids=token, **given).logits[:, -1:].argmax(-1)
                tokens.append(token.item())
        return tokens, [layer.keys.data_ptr() for layer in cache.layers]

    wanted, _ = decode(model)
    have, _ = decode(torch.compile(model.forward, backend=torch_backend.backend))
    assert have == wanted
    assert copies == [], "keys and values are written where they are"
