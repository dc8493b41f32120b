"""Calls functions and modules with inputs that were derived, not given: from type hints, defaults, names, layer sizes,
and a bounded search over shapes, smallest first. The same inputs come out for the original and the migrated program."""

from __future__ import annotations

import inspect
import signal
import typing
from collections.abc import Callable, Iterator
from typing import Any

import torch

from tenfold.migration.digest import digest

TRIES = 24
SECONDS = 5
SHAPES = [
    (2, 4),
    (4,),
    (2, 3, 8, 8),
    (2, 5, 4),
    (3, 3),
    (2, 1, 28, 28),
    (2, 3, 32, 32),
    (1,),
    (2, 16),
    (2, 10),
    (2, 784),
    (2, 8, 16),
]
TENSOR_NAMES = frozenset(
    [
        "x",
        "y",
        "z",
        "input",
        "inputs",
        "data",
        "target",
        "targets",
        "output",
        "outputs",
        "pred",
        "preds",
        "labels",
        "label",
        "logits",
        "image",
        "images",
        "img",
        "mu",
        "logvar",
        "hidden",
        "state",
        "mask",
        "src",
        "tgt",
        "tensor",
        "t",
        "a",
        "b",
        "q",
        "k",
        "v",
        "emb",
        "features",
    ]
)
NUMBERS = {
    "lr": 0.1,
    "alpha": 0.5,
    "beta": 0.5,
    "gamma": 0.9,
    "eps": 1e-5,
    "p": 0.0,
    "dropout": 0.0,
    "temperature": 1.0,
    "momentum": 0.9,
}


class Unknown(Exception):
    """An input could not be derived."""


def sizes_of(module: torch.nn.Module) -> list[tuple[tuple[int, ...], bool]]:
    """Shapes that the first layers accept; True for integers."""
    found: list[tuple[tuple[int, ...], bool]] = []
    for layer in module.modules():
        if isinstance(layer, torch.nn.Embedding):
            found += [((2, 5), True), ((5, 2), True)]
        elif isinstance(layer, torch.nn.Conv2d):
            found += [((2, layer.in_channels, size, size), False) for size in (28, 32, 64, 16, 8)]
        elif isinstance(layer, torch.nn.Conv1d):
            found += [((2, layer.in_channels, size), False) for size in (16, 32)]
        elif isinstance(layer, torch.nn.Linear):
            found += [((2, layer.in_features), False), ((2, 5, layer.in_features), False)]
        elif isinstance(layer, torch.nn.RNNBase):
            found += [((2, 5, layer.input_size), False)]
        if len(found) >= 8:
            break
    return found


SIZE_PREFIXES = (
    "n_",
    "num",
    "in_",
    "out_",
    "batch",
    "size",
    "dim",
    "hidden_",
    "embed",
    "vocab",
    "channels",
    "epoch",
    "width",
    "depth",
    "nhead",
    "d_",
)  # of parameters that are sizes


def value_for(
    name: str,
    parameter: inspect.Parameter,
    hint: Any,
    device: torch.device,
    shape: tuple[int, ...],
    integers: bool,
    made: dict,
) -> Any:
    if parameter.default is not inspect.Parameter.empty:
        return parameter.default
    generator_free = torch.linspace(-1.0, 1.0, steps=max(1, int(torch.tensor(shape).prod())))
    text = getattr(hint, "__name__", str(hint)) if hint is not None else ""
    low = name.lower()
    if hint is bool or low.startswith(("is_", "use_", "training")):
        return True
    if hint is int or low.startswith(SIZE_PREFIXES):
        return 1 if "epoch" in low else 2 if "head" in low else 4
    if low in NUMBERS:
        return NUMBERS[low]
    if hint is float:
        return 0.5
    if hint is str:
        return "relu" if "act" in low else "mean"
    if "device" in low or "device" in text:
        return device
    if low in ("model", "net", "network", "module") or "Module" in text:
        made["model"] = torch.nn.Linear(shape[-1], shape[-1]).to(device)
        return made["model"]
    if low.startswith("optim") or "Optimizer" in text:
        return torch.optim.SGD(
            made.setdefault("model", torch.nn.Linear(shape[-1], shape[-1]).to(device)).parameters(), lr=0.1
        )
    if low.endswith("loader") or "DataLoader" in text:
        rows = generator_free.reshape(shape)
        labels = torch.arange(shape[0]) % 2 if integers else rows
        return torch.utils.data.DataLoader(torch.utils.data.TensorDataset(rows, labels), batch_size=2)
    if low in ("criterion", "loss_fn", "loss_function"):
        return torch.nn.CrossEntropyLoss() if integers else torch.nn.MSELoss()
    if low in TENSOR_NAMES or "Tensor" in text or low.rstrip("0123456789") in TENSOR_NAMES:
        if integers:
            return (torch.arange(generator_free.numel()) % 2).reshape(shape).to(device)
        return generator_free.reshape(shape).to(device)
    raise Unknown(f"nothing is known about the parameter '{name}'")


def arguments_for(
    function: Callable, device: torch.device, shape: tuple[int, ...], integers: bool, skip_self: bool = False
) -> dict[str, Any]:
    try:
        hints = typing.get_type_hints(function)
    except Exception:
        hints = {}
    arguments, made = {}, {}
    parameters = list(inspect.signature(function).parameters.items())
    for name, parameter in parameters[1:] if skip_self else parameters:
        if parameter.kind in (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD):
            continue
        arguments[name] = value_for(name, parameter, hints.get(name), device, shape, integers, made)
    return arguments


def candidates(extra: list[tuple[tuple[int, ...], bool]]) -> Iterator[tuple[tuple[int, ...], bool]]:
    seen = set()
    for item in [*extra, *[(shape, False) for shape in SHAPES], ((2, 5), True), ((4,), True)]:
        if item not in seen:
            seen.add(item)
            yield item


def attempt(call: Callable[[], Any]) -> Any:
    def too_long(*_):
        raise TimeoutError

    signal.signal(signal.SIGALRM, too_long)
    signal.alarm(SECONDS)
    try:
        torch.manual_seed(0)
        return call()
    finally:
        signal.alarm(0)


def run_function(function: Callable, device: torch.device) -> dict[str, Any]:
    last: BaseException | None = None
    for count, (shape, integers) in enumerate(candidates([])):
        if count >= TRIES:
            break
        try:
            arguments = arguments_for(function, device, shape, integers)
            result = attempt(lambda arguments=arguments: function(**arguments))
            return {"input": f"{shape}{' of integers' if integers else ''}", "result": digest(result)}
        except Unknown as error:
            return {"error": str(error)}
        except BaseException as error:
            last = error
            if not inspect.signature(function).parameters:
                break
    return {"error": f"{type(last).__name__}: {last}"}


def run_module(kind: type, device: torch.device) -> dict[str, Any]:
    try:
        torch.manual_seed(0)
        module = kind(**arguments_for(kind.__init__, device, (2, 4), False, skip_self=True))
    except BaseException as error:
        return {"error": f"cannot be made: {type(error).__name__}: {error}"}
    module = module.to(device)
    last: BaseException | None = None
    for count, (shape, integers) in enumerate(candidates(sizes_of(module))):
        if count >= TRIES:
            break
        try:
            arguments = arguments_for(module.forward, device, shape, integers)
            result = attempt(lambda arguments=arguments: module(**arguments))
        except Unknown as error:
            return {"error": str(error)}
        except BaseException as error:
            last = error
            continue
        outcome = {
            "input": f"{shape}{' of integers' if integers else ''}",
            "result": digest(result),
            "state": digest(module),
        }
        first = result[0] if isinstance(result, (tuple, list)) and result else result
        if isinstance(first, torch.Tensor) and first.requires_grad:
            module.zero_grad()
            first.float().pow(2).mean().backward()
            outcome["gradients"] = {name: digest(p.grad) for name, p in module.named_parameters()}
        return outcome
    return {"error": f"no shape fits: {type(last).__name__}: {last}"}


def exercise(names: dict[str, Any], path: str, kind: str, wanted: set[str] | None) -> dict[str, dict]:
    """What each function and module of a program gives for derived inputs, by name."""
    place = {"cuda": "cuda", "torch_xla": "xla", "torch_tpu": "tpu", "real": "xla", "real_tpu": "tpu"}[kind]
    device = torch.device(place)
    outcomes = {}
    for name, value in names.items():
        if wanted is not None and name not in wanted:
            continue
        if isinstance(value, type) and issubclass(value, torch.nn.Module) and value.__module__ not in ("torch.nn",):
            if value.__module__ == names.get("__name__"):
                outcomes[name] = run_module(value, device)
        elif (
            inspect.isfunction(value)
            and value.__code__.co_filename == path
            and name not in ("main", "parse_args", "get_args")
        ):
            outcomes[name] = run_function(value, device)
    return outcomes
