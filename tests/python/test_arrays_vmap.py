"""tenfold.vmap: equal to the function applied to each example, whatever the function is made of."""

import numpy
import pytest
import tenfold as tn


def normal(*shape: int) -> tn.Array:
    return tn.asarray(numpy.random.default_rng(sum(shape)).normal(size=shape).astype("f4"))


def whole(*shape: int, high: int = 3) -> tn.Array:
    return tn.asarray(numpy.random.default_rng(len(shape)).integers(0, high, size=shape))


def convolve(x: tn.Array, kernel: tn.Array, stride: int = 1, padding: int = 0) -> tn.Array:
    return F.conv(x, kernel, None, (stride, stride), (padding, padding), (1, 1), 1)


F = tn.nn.functional
W, IMAGE, KERNEL = normal(4, 3), normal(1, 2, 7, 7), normal(4, 2, 3, 3)
MATRIX = normal(3, 3)
CASES = {
    "elementwise": (lambda x: tn.exp(x) * 2 + tn.sin(x), normal(5, 3)),
    "scalars": (lambda x: x * x - 1, normal(5)),
    "two": (lambda x, y: tn.where(x > y, x, y), normal(5, 3), normal(5, 3)),
    "where scalar": (lambda p, x: tn.where(p, x, -x), whole(5, high=2) > 0, normal(5, 3)),
    "clip": (lambda x, low: tn.clip(x, low, 1.0), normal(5, 3), normal(5)),
    "broadcast": (lambda x: x[:, None] * x[None, :], normal(5, 3)),
    "reshape": (lambda x: tn.reshape(x, (3, 2)), normal(5, 2, 3)),
    "transpose": (lambda x: tn.permute_dims(x, (2, 0, 1)), normal(5, 2, 3, 4)),
    "slice": (lambda x: x[1:, ::2], normal(5, 3, 4)),
    "concat": (lambda x, y: tn.concat([x, y], axis=1), normal(5, 2, 3), normal(5, 2, 4)),
    "concat constant": (lambda x: tn.concat([x, W], axis=0), normal(5, 2, 3)),
    "flip": (lambda x: tn.flip(x, axis=0), normal(5, 3, 2)),
    "pad": (lambda x: tn._core.op("constant_pad_nd", None, 1, self=x, pad=[1, 2], value=0.5), normal(5, 3)),
    "roll": (lambda x: tn.roll(x, 1), normal(5, 3)),
    "matmul right": (lambda x: x @ W.T, normal(5, 2, 3)),
    "matmul left": (lambda x: W @ x, normal(5, 3, 2)),
    "matmul both": (lambda x, y: x @ y, normal(5, 2, 3), normal(5, 3, 4)),
    "matmul batches": (lambda x, y: x @ y, normal(5, 6, 2, 3), normal(5, 6, 3, 4)),
    "matmul batches left": (lambda x: x @ normal(6, 3, 4), normal(5, 6, 2, 3)),
    "matmul batches right": (lambda y: normal(6, 2, 3) @ y, normal(5, 6, 3, 4)),
    "vector": (lambda x: W @ x, normal(5, 3)),
    "sum": (lambda x: tn.sum(x, axis=0), normal(5, 3, 4)),
    "mean all": (lambda x: tn.mean(x), normal(5, 3, 4)),
    "argmax": (lambda x: tn.argmax(x, axis=1), normal(5, 3, 4)),
    "any": (lambda x: tn.any(x > 1, axis=0), normal(5, 3, 4)),
    "sort": (lambda x: tn.sort(x, axis=0), normal(5, 6, 2)),
    "argsort": (lambda x: tn.argsort(x), normal(5, 6)),
    "cumulative": (lambda x: tn.cumulative_sum(x, axis=0), normal(5, 6, 2)),
    "take": (lambda i: tn.take(W, i, axis=0), whole(5, 2)),
    "take from": (lambda x: tn.take(x, tn.asarray([0, 2]), axis=0), normal(5, 3, 2)),
    "take both": (lambda x, i: tn.take(x, i, axis=0), normal(5, 3, 2), whole(5, 4)),
    "take along": (lambda x, i: tn.take_along_axis(x, i, axis=0), normal(5, 3, 2), whole(5, 2, 2)),
    "convolution": (lambda x: convolve(x, KERNEL, 2, 1), normal(5, 1, 2, 7, 7)),
    "kernels": (lambda k: convolve(IMAGE, k), normal(5, 4, 2, 3, 3)),
    "convolution both": (
        lambda x, k: convolve(x, k, 1, 1),
        normal(5, 2, 2, 7, 7),
        normal(5, 4, 2, 3, 3),
    ),
    "pool": (lambda x: F.max_pool2d(x, (2, 2), (2, 2)), normal(5, 1, 2, 6, 6)),
    "softmax": (lambda x: F.softmax(x, -1), normal(5, 3, 4)),
    "norm": (lambda x: F.layer_norm(x, (4,)), normal(5, 3, 4)),
    "embedding": (lambda i: F.embedding(i, W), whole(5, 6)),
    "cholesky": (lambda x: tn.linalg.cholesky(x @ x.T + 4 * tn.eye(3)), normal(5, 3, 3)),
    "inverse": (lambda x: tn.linalg.inv(x @ x.T + 4 * tn.eye(3)), normal(5, 3, 3)),
    "solve": (lambda x: tn.linalg.solve(x @ x.T + 4 * tn.eye(3), MATRIX), normal(5, 3, 3)),
    "eigenvalues": (lambda x: tn.linalg.eigvalsh(x + x.T), normal(5, 3, 3)),
    "fft": (lambda x: tn.abs(tn.fft.fft(tn.astype(x, tn.complex64))), normal(5, 8)),
    "not batched": (lambda x: W, normal(5, 3)),
    "several": (lambda x: (x + 1, {"a": x * 2}), normal(5, 3)),
    "attention": (lambda q: F.scaled_dot_product_attention(q, q, q), normal(5, 2, 4, 8)),
}


def assert_same(made, rows) -> None:
    got, expected = tn.array.trees.leaves(made), [tn.array.trees.leaves(row) for row in rows]
    for i, array in enumerate(got):
        numpy.testing.assert_allclose(
            numpy.asarray(array), numpy.stack([numpy.asarray(row[i]) for row in expected]), rtol=2e-4, atol=2e-5
        )


@pytest.mark.parametrize("name", CASES)
def test_equals_each_example(name) -> None:
    function, *batches = CASES[name]
    made = tn.vmap(function)(*batches)
    assert_same(made, [function(*(batch[i] for batch in batches)) for i in range(batches[0].shape[0])])


def test_axes() -> None:
    x, w = normal(3, 5, 4), normal(4, 2)
    made = tn.vmap(lambda x, w: x @ w, in_axes=(1, None), out_axes=2)(x, w)
    assert made.shape == (3, 2, 5)
    expected = numpy.stack([numpy.asarray(x)[:, i] @ numpy.asarray(w) for i in range(5)], 2)
    numpy.testing.assert_allclose(numpy.asarray(made), expected, rtol=1e-5, atol=1e-5)
    a, b = tn.vmap(lambda x: (x, tn.sum(x)), out_axes=(1, 0))(normal(5, 3))
    assert a.shape == (3, 5) and b.shape == (5,)


def test_gradients_of_each_example() -> None:
    w, x = normal(3), normal(5, 3)
    each = tn.vmap(tn.grad(lambda w, x: tn.sum(tn.tanh(w * x))), in_axes=(None, 0))(w, x)
    assert_same(each, [tn.grad(lambda w, r=x[i]: tn.sum(tn.tanh(w * r)))(w) for i in range(5)])


def test_gradient_through_a_batch() -> None:
    w, x = normal(3, 2), normal(5, 3)
    batched = tn.grad(lambda w: tn.sum(tn.vmap(lambda r: tn.tanh(r @ w))(x) ** 2))(w)
    plain = tn.grad(lambda w: tn.sum(tn.tanh(x @ w) ** 2))(w)
    numpy.testing.assert_allclose(numpy.asarray(batched), numpy.asarray(plain), rtol=1e-4, atol=1e-5)


def test_nested() -> None:
    x, y = normal(5, 3), normal(4, 3)
    table = tn.vmap(lambda a: tn.vmap(lambda b: tn.sum(a * b))(y))(x)
    numpy.testing.assert_allclose(numpy.asarray(table), numpy.asarray(x @ y.T), rtol=1e-4, atol=1e-5)


def test_jitted_and_a_module() -> None:
    model, x = tn.nn.Sequential(tn.nn.Linear(3, 4), tn.nn.Tanh()), normal(5, 3)
    apply = tn.jit(lambda x: tn.vmap(model)(x))
    for _ in range(2):
        numpy.testing.assert_allclose(numpy.asarray(apply(x)), numpy.asarray(model(x)), rtol=1e-5, atol=1e-5)


def test_jitted_gradients() -> None:
    """The argument is an input of the gradient as well, not the zeros that stood for it once."""
    w, x = normal(3), normal(2, 3)
    slope = tn.jit(lambda x: tn.grad(lambda w: tn.sum(w * w * x))(w))
    for row in (x[0], x[1]):
        numpy.testing.assert_allclose(numpy.asarray(slope(row)), numpy.asarray(2 * w * row), rtol=1e-6)
    inner = tn.jit(lambda x: x * w)
    outer = tn.jit(lambda x: inner(x) + 1)
    numpy.testing.assert_allclose(numpy.asarray(outer(x[0])), numpy.asarray(x[0] * w + 1), rtol=1e-6)
    assert tn.jit(lambda x: w)(x).shape == (3,)


def test_no_examples() -> None:
    made = tn.vmap(lambda x, i: tn.take(x, i, axis=0))(normal(0, 3, 2), whole(0, 4))
    assert made.shape == (0, 4, 2)


def test_wrong_use() -> None:
    with pytest.raises(ValueError, match="batches of different sizes: 4, 5"):
        tn.vmap(lambda x, y: x + y)(normal(5, 3), normal(4, 3))
    with pytest.raises(ValueError, match="in_axes has 1 items"):
        tn.vmap(lambda x, y: x, in_axes=(0,))(normal(5), normal(5))
    with pytest.raises(ValueError, match="axis 2 of an array with 1 dimension"):
        tn.vmap(lambda x: x, in_axes=2)(normal(5))
    with pytest.raises(ValueError, match="no argument has a batch dimension"):
        tn.vmap(lambda x: x, in_axes=None)(normal(5))
    with pytest.raises(ValueError, match="out_axes has None"):
        tn.vmap(lambda x: x, out_axes=None)(normal(5))
    with pytest.raises(TypeError, match="a value is read"):
        tn.vmap(lambda x: x if float(x) > 0 else -x)(normal(5))
    with pytest.raises(TypeError, match="gives no array but int"):
        tn.vmap(lambda x: 1)(normal(5))


def test_index_out_of_range_is_an_error() -> None:
    with pytest.raises((IndexError, tn.Error), match=r"(?i)out of (range|bounds)"):
        numpy.asarray(tn.vmap(lambda i: F.embedding(i, W))(tn.asarray([0, 9])))
