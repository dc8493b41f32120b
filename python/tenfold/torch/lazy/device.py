"""torch.device("tenfold"): registered with torch when both are imported. Ops record; reading a value runs them.

import torch, tenfold
model.to("tenfold"); x = torch.randn(8, 3, device="tenfold")
"""

from __future__ import annotations

import types
from typing import Any

import torch
from torch.utils import backend_registration

NAME = "tenfold"
_keep_alive: list[Any] = []  # what must live as long as the process
registered = False


def _module() -> types.ModuleType:
    """torch.tenfold."""
    from tenfold.torch.lazy import pending

    module = types.ModuleType("torch.tenfold", "The device of Tenfold: programs are recorded, compiled and run whole.")

    def synchronize(device: Any = None) -> None:
        """Runs what is pending."""
        pending.flush()

    def memory_stats(device: Any = None) -> dict[str, int]:
        return pending.memory()

    def seed_all(value: int) -> None:
        pending.flush()
        pending.seed(int(value))

    def get_rng_state(device: Any = None) -> torch.Tensor:
        pending.flush()
        if pending.random_state is None:
            pending.seed(torch.initial_seed())
        return pending.random_state.view(torch.uint8).clone()

    def set_rng_state(state: torch.Tensor, device: Any = None) -> None:
        pending.flush()
        pending.random_state = state.clone().view(torch.uint64)

    def check(device: Any) -> None:
        from tenfold.torch.lazy import tensor

        if device is not None:
            tensor.check_index(torch.device(NAME, device) if isinstance(device, int) else torch.device(device))

    module.is_available = lambda: True
    module.is_initialized = lambda: True
    module.init = lambda: None
    module._is_in_bad_fork = lambda: False
    module.device_count = lambda: 1
    module.current_device = lambda: 0
    module.set_device = check
    module.get_device_name = lambda device=None: (check(device), f"tenfold on {pending.device}")[1]
    module.synchronize = synchronize
    module.empty_cache = lambda: None
    module.manual_seed = module.manual_seed_all = seed_all
    module.get_rng_state, module.set_rng_state = get_rng_state, set_rng_state
    module.memory_stats = memory_stats
    module.memory_allocated = lambda device=None: pending.memory()["allocated_bytes"]
    module.max_memory_allocated = lambda device=None: pending.memory()["peak_bytes"]
    module.reset_peak_memory_stats = lambda device=None: pending.reset_peak()
    module.get_amp_supported_dtype = lambda: [torch.bfloat16, torch.float16]
    module.is_bf16_supported = lambda including_emulation=True: True
    return module


def _make_here(op: Any, *args: Any, **kwargs: Any) -> Any:
    """Ops that reach the device without a tensor of it among their arguments: those that make one."""
    from tenfold.torch.lazy import ops

    return ops.dispatch(op, args, kwargs)


def _copy_sparse(tensor: torch.Tensor, *, device: Any = None, **kwargs: Any) -> torch.Tensor:
    """Compressed sparse tensors stay on the CPU, as others do: it runs the ops that take them. Without this torch would
    make one of the device, of which nobody could ask anything."""
    return torch.ops.aten._to_copy.default(tensor, device=torch.device("cpu"), **kwargs)


def _register_kernels() -> None:
    from tenfold.torch.lazy import foreach, ops, special_ops  # noqa: F401

    library = torch.library.Library("_", "IMPL")
    library.fallback(_make_here, "PrivateUse1")
    own = torch.library.Library("aten", "IMPL")

    def kernel(op: Any) -> Any:
        return lambda *args, **kwargs: ops.dispatch(op, args, kwargs)

    aten = torch.ops.aten
    for op in (
        aten._copy_from.default,
        aten._copy_from_and_resize.default,
        aten.empty.memory_format,
        aten.empty_strided.default,
        aten.zeros.default,
        aten.ones.default,
        aten.full.default,
        aten.scalar_tensor.default,
        aten.arange.default,
        aten.arange.start,
        aten.arange.start_step,
        aten.linspace.default,
        aten.logspace.default,
        aten.eye.default,
        aten.eye.m,
        aten.rand.default,
        aten.randn.default,
        aten.randint.default,
        aten.randint.low,
        aten.randperm.default,
        aten.tril_indices.default,
        aten.triu_indices.default,
        aten._local_scalar_dense.default,
        aten.one_hot.default,  # torch's own makes it of ops that check nothing on devices
        aten.resize_.default,
        aten.set_.source_Tensor,
    ):
        own.impl(op, kernel(op), "PrivateUse1")
    own.impl(aten._to_copy.default, _copy_sparse, "SparseCsrPrivateUse1")
    _keep_alive.extend([library, own])


def register(late: bool = False) -> None:
    """Makes the device known to torch; once. late: torch was imported before, and may have run backward passes."""
    global registered
    if registered:
        return
    registered = True
    no_other = not torch.accelerator.is_available()
    module = _module()
    backend_registration._setup_privateuseone_for_python_backend(NAME, module)
    import sys

    sys.modules["torch.tenfold"] = module
    _register_kernels()
    from tenfold.torch.lazy import hooks

    hooks.install()
    if late and no_other:
        hooks.run_backward_on_calling_thread()
