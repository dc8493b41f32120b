"""Random numbers on a device of the real torch_xla or torch_tpu, drawn as the stand-in draws them, so that a program
with dropout or noise can be compared number by number.

The device's own generator gives other numbers than any other device's. While this mode is on, an operation that draws
on the device draws on the host, from a generator that is kept for the device alone and that `torch_xla.manual_seed`
(for TPUs `torch.manual_seed`, too) seeds; the result is sent to the device. Everything else runs where the program put
it. Optimizer steps that go into one graph are counted, as the stand-in counts them.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import torch
from torch.optim.optimizer import register_optimizer_step_post_hook
from torch.overrides import TorchFunctionMode

from tenfold.migration.devices import DeviceGenerator, spawn_one_here
from tenfold.migration.simulated import FIRST_SEED, RANDOM, RECURRENT, draw, tensors_in
from tenfold.migration.xla import loaders_without_workers


def _on_device(value: Any, kind: str) -> bool:
    return any(tensor.device.type == kind for tensor in tensors_in(value))


def _mapped(value: Any, place: str | torch.device) -> Any:
    if isinstance(value, torch.Tensor):
        return value.to(place)
    if isinstance(value, (list, tuple)):
        return type(value)(_mapped(item, place) for item in value)
    if isinstance(value, dict):
        return {key: _mapped(item, place) for key, item in value.items()}
    return value


def _draws(name: str, args: tuple, kwargs: dict) -> bool:
    """Layers that may drop something draw only when they do."""
    if name in RECURRENT:  # (…, layers, dropout, train, …)
        return any(isinstance(rate, float) and rate > 0 and train is True for rate, train in pairwise(args))
    if name == "scaled_dot_product_attention":
        return kwargs.get("dropout_p", args[4] if len(args) > 4 else 0.0) > 0
    if name == "multi_head_attention_forward":
        return kwargs.get("training", True) and any(isinstance(a, float) and a > 0 for a in args)
    if name.rstrip("_").startswith(("dropout", "alpha_dropout", "feature_")):
        return kwargs.get("training", args[2] if len(args) > 2 else True)
    return True


class Replay(TorchFunctionMode):
    def __init__(self, kind: str = "xla"):
        super().__init__()
        self.kind = kind
        self.random_state = torch.Generator().manual_seed(FIRST_SEED).get_state()
        self.one_stream = False  # the device draws from the host's generator
        self.events = {"moves": 0, "device_ops": 0, "host_ops": 0}
        self.steps_since_sync: dict[int, int] = {}  # of each optimizer
        self.longest_graph = 0  # most steps of one optimizer recorded into one graph

    def seed(self, value: int, *_, **__) -> None:
        self.random_state = torch.Generator().manual_seed(int(value)).get_state()

    def stepped(self, optimizer: torch.optim.Optimizer, *_) -> None:
        if torch.compiler.is_compiling() or not _on_device(
            [group["params"] for group in optimizer.param_groups], self.kind
        ):
            return
        count = self.steps_since_sync[id(optimizer)] = self.steps_since_sync.get(id(optimizer), 0) + 1
        self.longest_graph = max(self.longest_graph, count)

    def settle(self) -> None:
        """Computes what is pending; for the program it has not happened."""
        if self.kind == "tpu":  # which is eager
            return
        import torch_xla

        steps = dict(self.steps_since_sync)
        torch_xla.sync()
        self.steps_since_sync.update(steps)

    def _count(self, device: bool) -> None:
        if torch.compiler.is_compiling():  # a count would be a guard of the compiled program
            return
        self.events["device_ops" if device else "host_ops"] += 1

    def _dropout(self, device, input, p=0.5, training=True, inplace=False):
        """As the CPU does it, with the mask alone drawn there: the device is not waited for."""
        mask = torch.empty_like(input, device="cpu", requires_grad=False)
        mask = draw(self, lambda: mask.bernoulli_(1 - p)).div_(1 - p) if p < 1 else mask.zero_()
        return input * mask.to(device)

    def __torch_function__(self, func, types, args=(), kwargs=None):
        kwargs = dict(kwargs or {})
        name = getattr(func, "__name__", "")
        if name in ("__get__", "__set__"):
            return func(*args, **kwargs)
        wanted = kwargs.get("device")
        if name not in RANDOM:
            result = func(*args, **kwargs)
            self._count(_on_device((args, kwargs, result), self.kind))
            return result
        device = torch.device(wanted) if wanted is not None else None
        here = device.type == self.kind if device is not None else _on_device((args, kwargs), self.kind)
        self._count(here)
        if not here or not _draws(name, args, kwargs):
            return func(*args, **kwargs)
        device = device or next(t.device for t in tensors_in((args, kwargs)) if t.device.type == self.kind)
        if wanted is not None:
            kwargs["device"] = "cpu"
        if not args and isinstance(kwargs.get("tensor"), torch.Tensor):  # torch.nn.init calls so
            args = (kwargs.pop("tensor"),)
        if name == "dropout" and not kwargs.get("inplace"):
            return self._dropout(device, *args, **kwargs)
        written = name.endswith(("_", "_like")) and name not in ("dropout_", "rrelu_")
        shape_only = written and args and isinstance(args[0], torch.Tensor)
        first = torch.empty_like(args[0], device="cpu", requires_grad=False) if shape_only else None
        host_args = _mapped(tuple(args[1:] if shape_only else args), "cpu")  # not asked for: what is only written
        host_kwargs = _mapped(kwargs, "cpu")
        if shape_only:
            host_args = (first, *host_args)
        if name.endswith("_") and args and isinstance(args[0], torch.Tensor):
            if not shape_only:
                host_args = (host_args[0].detach().clone(), *host_args[1:])
            drawn = draw(self, lambda: func(*host_args, **host_kwargs))
            with torch.no_grad():
                args[0].copy_(drawn)
            return args[0]
        needs_grad = host_kwargs.pop("requires_grad", False) and wanted is not None
        drawn = _mapped(draw(self, lambda: func(*host_args, **host_kwargs)), device)
        return drawn.requires_grad_() if needs_grad else drawn


def install() -> Replay:
    """On for the rest of the process."""
    import torch_xla

    mode = Replay()
    plain = torch_xla.manual_seed

    def manual_seed(seed, *args, **kwargs):
        mode.seed(seed)
        return plain(seed, *args, **kwargs)

    torch_xla.manual_seed = manual_seed
    import torch_xla.core.xla_model as xm

    xm.set_rng_state = mode.seed
    loaders_without_workers()
    marker = torch_xla._XLAC._xla_step_marker  # torch_xla.sync, and all that calls it, ends a graph with this

    def step_marker(*args, **kwargs):
        mode.steps_since_sync.clear()
        return marker(*args, **kwargs)

    torch_xla._XLAC._xla_step_marker = step_marker
    register_optimizer_step_post_hook(mode.stepped)
    mode.__enter__()
    return mode


def install_tpu() -> Replay:
    """The same for torch_tpu, which seeds its device together with the host and runs what it is given at once."""
    mode = Replay("tpu")

    def seeds_too(plain):
        def manual_seed(seed):
            mode.seed(seed)
            return plain(seed)

        return manual_seed

    torch.manual_seed = torch.random.manual_seed = seeds_too(torch.manual_seed)
    torch.tpu.manual_seed, torch.tpu.manual_seed_all = (
        seeds_too(torch.tpu.manual_seed),
        seeds_too(torch.tpu.manual_seed_all),
    )
    torch.tpu.default_generators = (DeviceGenerator(mode, "tpu"),)
    torch.tpu.set_rng_state = lambda state, *_: setattr(mode, "random_state", state)
    loaders_without_workers()
    spawn_one_here()
    mode.__enter__()
    return mode
