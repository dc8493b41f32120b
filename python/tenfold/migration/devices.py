"""Stand-ins for torch.cuda, torch.tpu and torch.accelerator over a simulated device."""

from __future__ import annotations

import contextlib
import os
import sys
import tempfile
import types
from collections.abc import Callable
from typing import Any

import torch

from tenfold.migration.simulated import TENSOR_TYPES, home_of, settle

# Functions of a device module: those without an effect, and those that return 0.
DOES_NOTHING = (
    "set_device",
    "synchronize",
    "empty_cache",
    "init",
    "ipc_collect",
    "reset_peak_memory_stats",
    "reset_max_memory_allocated",
)
RETURNS_ZERO = (
    "memory_allocated",
    "max_memory_allocated",
    "memory_reserved",
    "max_memory_reserved",
    "memory_cached",
    "max_memory_cached",
    "current_device",
)


def _make_cuda(state: Any) -> None:
    device, module = state.device, torch.cuda
    for name in DOES_NOTHING:
        setattr(module, name, lambda *_, **__: None)
    for name in RETURNS_ZERO:
        setattr(module, name, lambda *_, **__: 0)
    module.is_available = lambda: True
    module.is_initialized = lambda: True
    module.device_count = lambda: 1
    module.manual_seed = module.manual_seed_all = device.seed
    module.get_rng_state = lambda *_: device.random_state
    module.set_rng_state = lambda new, *_: setattr(device, "random_state", new)
    module.get_device_name = lambda *_: "cuda"
    module.get_device_capability = lambda *_: (8, 0)
    module.is_bf16_supported = lambda *_: True
    module.device = module.device_of = lambda *_: contextlib.nullcontext()
    for name, dtype in TENSOR_TYPES.items():
        setattr(module, name, _tensor_type(state, name, dtype))


# What torch_tpu 0.2 keeps for torch itself, and what it tells programs to call instead.
TPU_INTERNAL = {
    "current_device": "current_device_index",
    "current_stream": "current_stream",
    "device": "device_index",
    "device_count": "device_count",
    "get_rng_state": "random.get_rng_state",
    "initial_seed": "random.initial_seed",
    "is_available": "is_available",
    "set_device": "set_device_index",
    "set_stream": "set_stream",
    "synchronize": "synchronize",
}


def _internal(name: str, answer: Callable) -> Callable:
    """A function of torch.tpu that refuses every caller but torch, as torch_tpu's do."""

    def call(*args, **kwargs):
        if sys._getframe(1).f_globals.get("__name__", "").split(".")[0] not in ("torch", "torch_tpu"):
            raise RuntimeError(
                f"{name} is internal to TorchTPU and can only be called by the PyTorch framework "
                "(torch and torch_tpu). "
                f"Use torch.accelerator.{TPU_INTERNAL[name]} instead."
            )
        return answer(*args, **kwargs)

    return call


class DeviceGenerator(torch.Generator):
    """torch.tpu.default_generators[0]; a torch.Generator, as TorchTPU's compiler takes nothing else."""

    def __new__(cls, device: Any, kind: str = "cpu"):
        return super().__new__(cls, kind)

    def __init__(self, device: Any, kind: str = "cpu"):  # `device` has a random_state, and is seeded
        self._device = device

    def get_state(self) -> torch.Tensor:
        return self._device.random_state

    def set_state(self, state: torch.Tensor) -> None:
        self._device.random_state = state

    def manual_seed(self, seed: int) -> DeviceGenerator:
        self._device.seed(seed)
        return self


def _make_tpu(state: Any) -> None:
    """torch.tpu with the names of torch_tpu's public table, and no others."""
    device, module = state.device, types.ModuleType("torch.tpu")
    answers = {"device_count": lambda: 1, "current_device": lambda: 0, "is_available": lambda: True}
    for name in TPU_INTERNAL:
        setattr(module, name, _internal(name, answers.get(name, lambda *_, **__: None)))
    module.is_initialized = lambda: True
    module.manual_seed = module.manual_seed_all = device.seed
    module.default_generators = (DeviceGenerator(device),)
    module.set_rng_state = lambda new, *_: setattr(device, "random_state", new)
    module.get_device_name = lambda *_: "TPU v5e"
    module.get_device_properties = lambda *_: types.SimpleNamespace(name="TPU v5e", total_memory=16 << 30)
    module.device_of = lambda *_: contextlib.nullcontext()
    module.get_amp_supported_dtype = lambda: [torch.bfloat16]
    module._is_in_bad_fork = lambda: False
    torch.tpu = module
    sys.modules["torch.tpu"] = module
    module.distributed = types.ModuleType("torch.tpu.distributed")
    module.distributed.set_tpu_launch_env = lambda nproc_per_node=None, nnodes=None: None
    sys.modules["torch.tpu.distributed"] = module.distributed
    package = types.ModuleType("torch_tpu")
    package.__version__ = "tenfold"
    sys.modules["torch_tpu"] = package
    patch_process_group("tpu_dist")


def spawn_one_here() -> None:
    """torch.multiprocessing.spawn of one process is a call: what it does can be seen."""
    plain = torch.multiprocessing.spawn

    def spawn(fn, args=(), nprocs=1, join=True, daemon=False, start_method="spawn"):
        return fn(0, *args) if nprocs == 1 else plain(fn, args, nprocs, join, daemon, start_method)

    torch.multiprocessing.spawn = spawn


def make_device_module(state: Any, kind: str) -> None:
    spawn_one_here()
    if kind == "cuda":
        _make_cuda(state)
    else:
        _make_tpu(state)
    accelerator = getattr(torch, "accelerator", None)
    if accelerator is not None:
        accelerator.is_available = lambda: True
        accelerator.device_count = lambda: 1
        accelerator.current_accelerator = lambda *_, **__: torch.device(kind)
        for name in ("set_device_index", "set_device_idx", "synchronize", "empty_cache", "reset_peak_memory_stats"):
            setattr(accelerator, name, lambda *_, **__: None)
        for name in ("memory_allocated", "max_memory_allocated", "memory_reserved", "max_memory_reserved"):
            setattr(accelerator, name, lambda *_, **__: 0)
        accelerator.device_index = lambda *_: contextlib.nullcontext()
        accelerator.current_device_index = accelerator.current_device_idx = lambda: 0
    if kind == "cuda":
        torch.nn.Module.cuda = lambda self, device=None: self._apply(lambda t: t.to("cuda"))
        torch.nn.parallel.DataParallel.__init__ = _plain_data_parallel
        torch.nn.DataParallel.forward = lambda self, *args, **kwargs: self.module(*args, **kwargs)
        torch.nn.parallel.data_parallel = _plain_parallel_call
        patch_process_group("nccl")


def _plain_data_parallel(self, module, device_ids=None, output_device=None, dim=0):
    torch.nn.Module.__init__(self)
    self.module, self.device_ids = module, []


def _plain_parallel_call(module, inputs, device_ids=None, output_device=None, dim=0, module_kwargs=None):
    inputs = inputs if isinstance(inputs, tuple) else (inputs,)
    return module(*inputs, **(module_kwargs or {}))


def _tensor_type(state: Any, name: str, dtype: torch.dtype):
    host = getattr(torch, name)

    class Known(type):
        def __instancecheck__(cls, value):
            tensor = isinstance(value, torch.Tensor) and home_of(value) == state.device.kind
            return tensor and value.dtype == dtype

    class CudaTensor(metaclass=Known):
        def __new__(cls, *args):
            return settle(host(*args).clone(), state.device.kind)

    CudaTensor.__name__, CudaTensor.__module__ = name, "torch.cuda"
    return CudaTensor


def patch_process_group(backend: str) -> None:
    """One process, one member: gloo over a file."""
    import torch.distributed as dist

    if not dist.is_available():
        return
    plain = dist.init_process_group
    wrap_init = torch.nn.parallel.DistributedDataParallel.__init__

    def init_process_group(given=None, *args, **kwargs):
        given = kwargs.pop("backend", given)
        if given not in (backend, "gloo", None):
            raise ValueError(f"Invalid backend: '{given}'")
        folder = tempfile.mkdtemp()
        store = dist.FileStore(os.path.join(folder, "store"), 1)
        plain("gloo", store=store, rank=0, world_size=1)

    class Single(torch.nn.Module):
        """DistributedDataParallel over one process computes what its module does."""

        def __init__(self, module, device_ids=None, output_device=None, **_):
            super().__init__()
            self.module = module
            self.place = device_ids[0] if device_ids else None

        def forward(self, *args, **kwargs):
            if self.place is not None:
                args = [a.to(self.place) if isinstance(a, torch.Tensor) else a for a in args]
            return self.module(*args, **kwargs)

        @contextlib.contextmanager
        def no_sync(self):
            yield

    def all_gather_object(objects, value, group=None):
        objects[0] = value

    dist.all_gather_object = dist.distributed_c10d.all_gather_object = all_gather_object
    dist.barrier = dist.distributed_c10d.barrier = lambda *_, **__: None  # both ask for the device of the backend
    del wrap_init
    dist.init_process_group = init_process_group
    dist.distributed_c10d.init_process_group = init_process_group
    torch.nn.parallel.DistributedDataParallel = Single
    torch.nn.parallel.distributed.DistributedDataParallel = Single
