"""Types that rules tell (quick.py) are those that PyTorch's kernels tell, whatever sizes and layouts."""

import itertools
import random

import pytest

torch = pytest.importorskip("torch")
import tenfold  # noqa: E402, F401
from tenfold.torch.lazy import quick  # noqa: E402
from tenfold.torch.lazy.infer import ask_kernels, infer  # noqa: E402
from tenfold.torch.lazy.schema import handler_of  # noqa: E402

aten = torch.ops.aten
SIZES = (0, 1, 2, 2, 3, 5, 16)


def there(shape, dtype=torch.float32, turned=False):
    made = torch.zeros(shape, dtype=dtype)
    if turned and len(shape) > 1:
        made = torch.zeros((*shape[:-2], shape[-1], shape[-2]), dtype=dtype).transpose(-1, -2)
    return made.to("tenfold")


def shapes(chance, rank):
    return tuple(chance.choice(SIZES) for _ in range(rank))


def cases(chance):
    """Arguments for each op that has a rule, many of which no rule tells."""
    kinds = (torch.float32, torch.bfloat16, torch.int64)
    for _ in range(60):
        shape, turned = shapes(chance, chance.randint(0, 4)), chance.random() < 0.3
        x = there(shape, chance.choice(kinds), turned)
        yield chance.choice([aten.silu, aten.tanh, aten.neg, aten.rsqrt, aten.gelu]).default, (x,)
        yield chance.choice([aten.pow.Tensor_Scalar, aten.mul.Scalar, aten.add.Scalar]), (x, chance.choice([2, 0.5]))
        other = shape[chance.randint(0, len(shape)) :] if chance.random() < 0.7 else shapes(chance, 1)
        y = there(other, chance.choice(kinds[:2]), chance.random() < 0.2)
        yield chance.choice([aten.add.Tensor, aten.mul.Tensor, aten.sub.Tensor, aten.div.Tensor]), (x, y)
        yield aten.add.Tensor, (y, x)
        if shape:
            inner = shape[-1:]
            yield aten.layer_norm.default, (x, list(inner), there(inner), there(inner), 1e-5)
            weight = there((chance.choice(SIZES), shape[-1]), turned=chance.random() < 0.3)
            bias = chance.choice([None, there(weight.shape[:1])])
            yield aten.linear.default, (x, weight, bias)


@pytest.mark.parametrize("seed", range(4))
def test_rules_tell_what_kernels_tell(seed):
    told = 0
    for op, args in cases(random.Random(seed)):
        found = quick.quick(op, args, {})
        if found is None:
            continue
        told += 1
        wanted = ask_kernels(handler_of(op), args, {})
        assert found[0] is wanted[0], (op, args, found, wanted)
    assert told > 40


def laid(batch, heads, length, width, way):
    """A query, key or value, as reshapes and transposes leave them."""
    if way == 0:
        return there((batch, heads, length, width))
    return there((batch, length, heads, width)).transpose(1, 2)


def test_attention_lies_as_at_other_sizes():
    op = aten.scaled_dot_product_attention.default
    chance, known = random.Random(0), 0
    quick._orders.clear()
    for ways, masked in itertools.product(itertools.product((0, 1), repeat=3), (False, True)):
        for _ in range(12):
            batch, length, past = (chance.choice(SIZES) for _ in range(3))
            q, k, v = (laid(batch, 4, n, 8, way) for n, way in zip((length, past, past), ways, strict=True))
            mask = there((batch, 1, length, past)) if masked else None
            key = quick.attention_key((q, k, v, mask), {})
            known += quick.attention_spec(key, (q, k, v, mask)) is not None
            found = infer(handler_of(op), (q, k, v, mask), {})
            assert found[0] is ask_kernels(handler_of(op), (q, k, v, mask), {})[0]
    assert known > 20
