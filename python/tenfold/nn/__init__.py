"""Networks of arrays. Names are PyTorch's, of parameters too: a state_dict loads across."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

from tenfold import _core
from tenfold.array import creation, random
from tenfold.array.object import Array
from tenfold.nn import functional


def _several(value: int | tuple[int, ...], count: int) -> tuple[int, ...]:
    return (value,) * count if isinstance(value, int) else tuple(value)


class Module:
    """A part of a network. Arrays and modules that are its attributes are its parameters and parts."""

    training = True

    def __call__(self, *args: Any, **named: Any) -> Any:
        return self.forward(*args, **named)

    def forward(self, *args: Any, **named: Any) -> Any:
        """What the part computes."""
        raise NotImplementedError(f"{type(self).__name__} has no forward")

    def _parts(self) -> Iterator[tuple[str, Any]]:
        for name, value in self.__dict__.items():
            if isinstance(value, Array | Module):
                yield name, value
            elif isinstance(value, list | tuple):
                yield from ((f"{name}.{i}", v) for i, v in enumerate(value) if isinstance(v, Array | Module))

    def named_parameters(self, prefix: str = "") -> Iterator[tuple[str, Array]]:
        """Parameters with their names, as PyTorch has them."""
        for name, value in self._parts():
            if isinstance(value, Array):
                yield prefix + name, value
            else:
                yield from value.named_parameters(f"{prefix}{name}.")

    def parameters(self) -> list[Array]:
        """All parameters."""
        return [array for _, array in self.named_parameters()]

    def modules(self) -> Iterator[Module]:
        """This part and all parts of it."""
        yield self
        for _, value in self._parts():
            if isinstance(value, Module):
                yield from value.modules()

    def state_dict(self) -> dict[str, Array]:
        """Parameters by name."""
        return {name: +array for name, array in self.named_parameters()}

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Takes the values of parameters by name: arrays, or anything with __dlpack__."""
        own = dict(self.named_parameters())
        if set(own) != set(state):
            missing, extra = sorted(set(own) - set(state)), sorted(set(state) - set(own))
            raise KeyError(f"the parameters differ: missing {missing}, not known {extra}")
        for name, array in own.items():
            value = state[name]
            value = value.detach() if hasattr(value, "detach") else value
            value = creation.asarray(value, dtype=array.dtype, device=array.device)
            if value.shape != array.shape:
                raise ValueError(f"{name} has shape {array.shape}; the state has {value.shape}")
            array._become(value)

    def to(self, device: Any) -> Module:
        """Moves the parameters to a device."""
        for array in self.parameters():
            array._become(array.to_device(device))
        return self

    def train(self, mode: bool = True) -> Module:
        """For training: what differs then, does."""
        for module in self.modules():
            module.training = mode
        return self

    def eval(self) -> Module:
        """For use: what differs in training, does not."""
        return self.train(False)


class Sequential(Module):
    """Parts one after the other."""

    def __init__(self, *parts: Module) -> None:
        self.parts = list(parts)

    def _parts(self) -> Iterator[tuple[str, Any]]:
        return ((str(i), part) for i, part in enumerate(self.parts))

    def forward(self, x: Any) -> Any:
        """Each part of what the one before it gave."""
        for part in self.parts:
            x = part(x)
        return x

    def __getitem__(self, index: int) -> Module:
        return self.parts[index]

    def __len__(self) -> int:
        return len(self.parts)


def _bounded(shape: tuple[int, ...], inputs: int, device: Any) -> Array:
    bound = 1 / math.sqrt(inputs) if inputs else 0.0
    return random.uniform(shape, -bound, bound, device=device)


class Linear(Module):
    """x times the weight transposed, and a bias."""

    def __init__(self, in_features: int, out_features: int, bias: bool = True, device: Any = None) -> None:
        self.weight = _bounded((out_features, in_features), in_features, device)
        self.bias = _bounded((out_features,), in_features, device) if bias else None

    def forward(self, x: Array) -> Array:
        """The product."""
        return functional.linear(x, self.weight, self.bias)


class _Conv(Module):
    _rank = 0

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: int | tuple[int, ...],
        stride: int | tuple[int, ...] = 1,
        padding: int | tuple[int, ...] = 0,
        dilation: int | tuple[int, ...] = 1,
        groups: int = 1,
        bias: bool = True,
        device: Any = None,
    ) -> None:
        sizes = _several(kernel_size, self._rank)
        inputs = in_channels // groups * math.prod(sizes)
        self.weight = _bounded((out_channels, in_channels // groups, *sizes), inputs, device)
        self.bias = _bounded((out_channels,), inputs, device) if bias else None
        self.options = [_several(v, self._rank) for v in (stride, padding, dilation)]
        self.groups = groups

    def forward(self, x: Array) -> Array:
        """The convolution."""
        return functional.conv(x, self.weight, self.bias, *self.options, self.groups)


class Conv1d(_Conv):
    """A convolution over sequences."""

    _rank = 1


class Conv2d(_Conv):
    """A convolution over images."""

    _rank = 2


class Conv3d(_Conv):
    """A convolution over volumes."""

    _rank = 3


class MaxPool2d(Module):
    """The largest element of each window."""

    def __init__(
        self, kernel_size: int | tuple[int, int], stride: Any = None, padding: int | tuple[int, int] = 0
    ) -> None:
        self.size = _several(kernel_size, 2)
        self.stride = self.size if stride is None else _several(stride, 2)
        self.padding = _several(padding, 2)

    def forward(self, x: Array) -> Array:
        """The pooled image."""
        return functional.max_pool2d(x, self.size, self.stride, self.padding)


class LayerNorm(Module):
    """The last axes with mean 0 and variance 1, then scaled and moved."""

    def __init__(self, normalized_shape: int | tuple[int, ...], eps: float = 1e-5, device: Any = None) -> None:
        self.shape, self.eps = _several(normalized_shape, 1), eps
        self.weight, self.bias = creation.ones(self.shape, device=device), creation.zeros(self.shape, device=device)

    def forward(self, x: Array) -> Array:
        """The normalised array."""
        return functional.layer_norm(x, self.shape, self.weight, self.bias, self.eps)


class Embedding(Module):
    """Rows of a table."""

    def __init__(self, num_embeddings: int, embedding_dim: int, device: Any = None) -> None:
        self.weight = random.normal((num_embeddings, embedding_dim), device=device)

    def forward(self, index: Array) -> Array:
        """The rows."""
        return functional.embedding(index, self.weight)


class Dropout(Module):
    """Some elements zero while it is trained."""

    def __init__(self, p: float = 0.5) -> None:
        self.p = p

    def forward(self, x: Array) -> Array:
        """What is left."""
        return functional.dropout(x, self.p, self.training, random.default())


class Flatten(Module):
    """All axes but the first as one."""

    def forward(self, x: Array) -> Array:
        """The same elements."""
        return _core.reshape(x, (x.shape[0], math.prod(x.shape[1:])))


class ReLU(Module):
    """The positive part."""

    def forward(self, x: Array) -> Array:
        """Of each element."""
        return functional.relu(x)


class GELU(Module):
    """x times the normal distribution function of x."""

    def forward(self, x: Array) -> Array:
        """Of each element."""
        return functional.gelu(x)


class SiLU(Module):
    """x times its sigmoid."""

    def forward(self, x: Array) -> Array:
        """Of each element."""
        return functional.silu(x)


class Tanh(Module):
    """The hyperbolic tangent."""

    def forward(self, x: Array) -> Array:
        """Of each element."""
        return _core.op("tanh", None, 1, self=x)


class Sigmoid(Module):
    """1 / (1 + exp(-x))."""

    def forward(self, x: Array) -> Array:
        """Of each element."""
        return functional.sigmoid(x)


class Softmax(Module):
    """Positive numbers that add up to 1."""

    def __init__(self, dim: int = -1) -> None:
        self.dim = dim

    def forward(self, x: Array) -> Array:
        """Along the axis."""
        return functional.softmax(x, self.dim)


class MSELoss(Module):
    """The mean of the squares of differences."""

    def forward(self, x: Array, target: Array) -> Array:
        """One number."""
        return functional.mse_loss(x, target)


class CrossEntropyLoss(Module):
    """The mean of minus the logarithm of the softmax of the right classes."""

    def forward(self, x: Array, target: Array) -> Array:
        """One number."""
        return functional.cross_entropy(x, target)
