"""Modules: parts of networks, with their parameters and state by name."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from tenfold import _core
from tenfold.array import creation, devices
from tenfold.array.object import Array


class Module:
    """A part of a network. Arrays and modules that are its attributes are its parameters and parts."""

    training = True
    buffers: tuple[str, ...] = ()  # attributes that are state and no parameters

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
            if isinstance(value, Module):
                yield from value.named_parameters(f"{prefix}{name}.")
            elif name not in self.buffers:
                yield prefix + name, value

    def named_state(self, prefix: str = "") -> Iterator[tuple[str, Array]]:
        """Parameters and buffers with their names, as PyTorch has them."""
        for name, value in self._parts():
            if isinstance(value, Module):
                yield from value.named_state(f"{prefix}{name}.")
            else:
                yield prefix + name, value

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
        """Parameters and buffers by name."""
        return {name: +array for name, array in self.named_state()}

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Takes the values of parameters and buffers by name: arrays, or anything with __dlpack__."""
        own = dict(self.named_state())
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

    def save(self, path: Any) -> None:
        """Writes the state to a safetensors file."""
        _core.save_arrays(path, self.state_dict())

    def load(self, path: Any) -> None:
        """Takes the state from a safetensors file, of PyTorch too."""
        self.load_state_dict(_core.load_arrays(path, devices.device("cpu")))

    def to(self, device: Any) -> Module:
        """Moves parameters and buffers to a device."""
        for _, array in self.named_state():
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

    def __iter__(self) -> Iterator[Module]:
        return iter(self.parts)


class ModuleList(Sequential):
    """Parts in a list."""

    def __init__(self, parts: Iterable[Module] = ()) -> None:
        super().__init__(*parts)

    def append(self, part: Module) -> ModuleList:
        """Adds a part."""
        self.parts.append(part)
        return self

    def forward(self, x: Any) -> Any:
        """A list of parts is not called."""
        raise NotImplementedError("a ModuleList is not called: call its parts")
