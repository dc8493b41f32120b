"""Stand-ins for torch_xla, torch_tpu and CUDA, so that a migrated program can be run and judged without a TPU.

    import tenfold.migration.xla
    tenfold.migration.xla.install("torch_xla")     # or "torch_tpu", or "cuda" for the original
    import torch_xla                     # this module's stand-in

The API is that of torch_xla 2.9, as one process on one device sees it. Devices are simulated (see tenfold.simulated).
"""

from __future__ import annotations

import contextlib
import os
import pickle
import sys
import types
import warnings
from collections.abc import Callable
from typing import Any

import torch
import torch._dynamo  # optimizers import it at their first step; it must not see what is patched here
from torch.optim.optimizer import register_optimizer_step_post_hook

from tenfold.migration.devices import make_device_module, patch_process_group
from tenfold.migration.simulated import (
    HOST,
    TENSOR_TYPES,
    SimulatedDevice,
    home_of,
    moving_makes_new_parameters,
    parameters_know_their_home,
    settle,
)

TARGETS = ("torch_xla", "torch_tpu", "cuda")
state: State | None = None


class State:
    """What the stand-in has seen: the proof looks at it."""

    def __init__(self, target: str, device: SimulatedDevice):
        self.target = target
        self.device = device
        self.syncs = 0
        self.steps = 0
        self.steps_since_sync: dict[int, int] = {}  # of each optimizer
        self.longest_graph = 0  # most steps of one optimizer recorded into one graph
        self.closures: list[tuple[Callable, tuple]] = []

    def step(self, optimizer, *_) -> None:
        self.steps += 1
        if all(home_of(p) in (None, HOST) for group in optimizer.param_groups for p in group["params"]):
            return  # nothing of it is recorded
        count = self.steps_since_sync[id(optimizer)] = self.steps_since_sync.get(id(optimizer), 0) + 1
        self.longest_graph = max(self.longest_graph, count)

    def sync(self, wait: bool = False, reset_scope: bool = True) -> None:
        self.syncs += 1
        self.steps_since_sync.clear()
        closures, self.closures = self.closures, []
        for closure, args in closures:
            closure(*args)


def install(target: str) -> State:
    """Puts the stand-ins in place for the rest of the process. Call it before the program's own imports."""
    global state
    if target not in TARGETS:
        raise ValueError(f"unknown target '{target}'; use one of ({', '.join(TARGETS)})")
    if state is not None:
        raise RuntimeError("a stand-in is installed already")
    kind = {"torch_xla": "xla", "torch_tpu": "tpu", "cuda": "cuda"}[target]
    if kind == "tpu":
        torch.utils.rename_privateuse1_backend("tpu")
    device = SimulatedDevice(kind, seeds_with_host=target != "torch_xla")
    state = State(target, device)
    parameters_know_their_home()
    if target != "cuda":
        moving_makes_new_parameters()
    _patch_torch(state)
    if target == "torch_xla":
        _make_torch_xla(state)
    else:
        make_device_module(state, kind)
    register_optimizer_step_post_hook(state.step)
    device.__enter__()
    return state


def loaders_without_workers() -> None:
    """Workers would run outside the simulation, and draw other random numbers than the program itself."""
    plain = torch.utils.data.DataLoader.__init__

    def init(self, *args, **kwargs):
        if len(args) > 5:
            args = (*args[:5], 0, *args[6:])
        kwargs.update(num_workers=0) if len(args) <= 5 else None
        for name in ("persistent_workers", "prefetch_factor", "multiprocessing_context", "pin_memory"):
            kwargs.pop(name, None)
        plain(self, *args, **kwargs)

    torch.utils.data.DataLoader.__init__ = init


# ---- torch itself -------------------------------------------------------------------------------------------------


def _patch_torch(state: State) -> None:
    device = state.device
    seed_host = torch.manual_seed

    def manual_seed(seed):
        if device.seeds_with_host:
            device.seed(seed)
        return seed_host(seed)

    torch.manual_seed = torch.random.manual_seed = manual_seed
    _patch_autocast(device)
    _patch_load(device)
    torch.optim.Optimizer._accelerator_graph_capture_health_check = lambda self: None  # asks for streams
    torch.optim.Optimizer._cuda_graph_capture_health_check = lambda self: None

    def compile(model=None, **options):
        backend = options.get("backend", "inductor")
        known = {
            "cuda": ("inductor", "cudagraphs", "eager", "aot_eager"),
            "xla": ("openxla", "eager"),
            "tpu": ("tpu", "eager"),
        }[device.kind]
        if isinstance(backend, str) and backend not in known:
            raise RuntimeError(f"torch.compile: no backend '{backend}' for {device.kind}")
        return model if model is not None else lambda function: function

    torch.compile = compile
    loaders_without_workers()
    torch.backends.cudnn.is_acceptable = lambda tensor: False  # a CUDA build of torch would look for the card
    for name in TENSOR_TYPES:  # the legacy constructors do not pass through the mode
        setattr(torch, name, _host_type(name))
    torch.autograd.Variable = torch.autograd.variable.Variable = _variable
    plain_generator = torch.Generator

    class Generator(plain_generator):
        def __new__(cls, device="cpu"):
            if state.device.home_for(device) != HOST and state.target == "torch_xla":
                raise RuntimeError("XLA device type not an accelerator.")
            return plain_generator.__new__(cls)

    torch.Generator = Generator
    plain_set_default = torch.set_default_device

    def set_default_device(where):
        device.default = HOST if where is None else device.home_for(where)
        if device.default == HOST:
            plain_set_default(where)

    torch.set_default_device = set_default_device


def _host_type(name: str) -> type:
    plain = getattr(torch, name)

    class Known(type):
        def __instancecheck__(cls, value):
            return isinstance(value, plain) and home_of(value) in (None, HOST)

    class HostTensor(metaclass=Known):
        def __new__(cls, *args, **kwargs):
            return settle(plain(*args, **kwargs), HOST)

    HostTensor.__name__, HostTensor.__module__ = name, "torch"
    return HostTensor


def _variable(data=None, requires_grad=False, volatile=None):
    """torch.autograd.Variable: what it wraps keeps its home."""
    made = data.detach().requires_grad_(requires_grad) if requires_grad or not data.requires_grad else data
    return settle(made, home_of(data) or HOST)


def _patch_autocast(device: SimulatedDevice) -> None:
    plain = torch.amp.autocast_mode.autocast
    kinds = (device.kind, f"{device.kind}:0")

    class autocast(plain):
        def __init__(self, device_type, dtype=None, enabled=True, cache_enabled=None):
            name = device_type if isinstance(device_type, str) else getattr(device_type, "type", str(device_type))
            if name in kinds:  # what the device computes in, bfloat16, on the CPU too
                super().__init__("cpu", dtype=torch.bfloat16, enabled=enabled, cache_enabled=cache_enabled)
            elif name == "cpu":
                super().__init__("cpu", dtype=dtype, enabled=enabled, cache_enabled=cache_enabled)
            else:
                raise RuntimeError(f"autocast: no device '{name}' here: this machine has {device.kind} and cpu")

    class cuda_autocast(autocast):
        def __init__(self, enabled=True, dtype=torch.float16, cache_enabled=True):
            super().__init__("cuda", dtype=dtype, enabled=enabled, cache_enabled=cache_enabled)

    plain_scaler = torch.amp.GradScaler

    class GradScaler(plain_scaler):  # bfloat16 needs no scaling, and without CUDA torch switches it off anyway
        def __init__(self, device="cuda", *args, **kwargs):
            super().__init__("cpu", enabled=False)

    torch.amp.GradScaler = torch.amp.grad_scaler.GradScaler = torch.cuda.amp.GradScaler = (
        torch.cuda.amp.grad_scaler.GradScaler
    ) = GradScaler
    torch.autocast = torch.amp.autocast = torch.amp.autocast_mode.autocast = autocast
    torch.cuda.amp.autocast = torch.cuda.amp.autocast_mode.autocast = cuda_autocast


def _patch_load(device: SimulatedDevice) -> None:
    plain, plain_save = torch.load, torch.save
    saved: dict[str, str] = {}  # files with tensors of the device, which torch.load puts back there

    def place_of(f) -> str:
        name = f if isinstance(f, (str, os.PathLike)) else getattr(f, "name", None)
        return os.path.realpath(name) if isinstance(name, (str, os.PathLike)) else ""

    def save(obj, f, *args, **kwargs):
        device.pickled_home = HOST
        plain_save(obj, f, *args, **kwargs)
        if place_of(f):
            saved[place_of(f)] = device.pickled_home

    torch.save = torch.serialization.save = save

    def load(f, map_location=None, *args, **kwargs):
        home = None
        if isinstance(map_location, (str, torch.device)):
            home = device.home_for(map_location)
            if home == "xla":
                raise RuntimeError(
                    "don't know how to restore data location of torch.storage.UntypedStorage (tagged with xla:0)"
                )
            map_location = "cpu"
        elif isinstance(map_location, dict):
            map_location, home = "cpu", device.kind
        elif map_location is None and saved.get(place_of(f)) == device.kind:
            home = device.kind
        map_location = map_location if callable(map_location) else "cpu"
        start = f.tell() if hasattr(f, "tell") else None
        try:
            loaded = plain(f, map_location, *args, **kwargs)
        except pickle.UnpicklingError as error:
            if "weights_only" in kwargs or "tenfold" not in str(error):
                raise  # as it would anywhere
            if start is not None:
                f.seek(start)
            loaded = plain(f, map_location, *args, weights_only=False, **kwargs)
        if home and isinstance(loaded, torch.nn.Module):
            settle([*loaded.parameters(), *loaded.buffers()], home)
        return settle(loaded, home) if home else loaded

    torch.load = load


# ---- torch_xla ----------------------------------------------------------------------------------------------------


def _module(name: str, **members: Any) -> types.ModuleType:
    module = types.ModuleType(name)
    for key, value in members.items():
        setattr(module, key, value)
    sys.modules[name] = module
    parent, _, leaf = name.rpartition(".")
    if parent in sys.modules:
        setattr(sys.modules[parent], leaf, module)
    return module


def _to_host(data: Any) -> Any:
    if isinstance(data, torch.Tensor):
        return data.detach().cpu() if home_of(data) == "xla" else data
    if isinstance(data, dict):
        return type(data)((k, _to_host(v)) for k, v in data.items())
    if isinstance(data, (list, tuple)) and not hasattr(data, "_fields"):
        return type(data)(_to_host(v) for v in data)
    return data


class MpDeviceLoader:
    """Batches on the device; a step ends with each."""

    def __init__(self, loader, device, **_):
        self._loader, self._device = loader, device

    def __len__(self):
        return len(self._loader)

    def __iter__(self):
        for batch in self._loader:
            yield _to_device(batch, self._device)
            if state is not None:
                state.sync()

    def per_device_loader(self, device):
        return self


def _to_device(data: Any, device: torch.device) -> Any:
    if isinstance(data, torch.Tensor):
        return data.to(device)
    if isinstance(data, dict):
        return {k: _to_device(v, device) for k, v in data.items()}
    if isinstance(data, (list, tuple)):
        return type(data)(_to_device(v, device) for v in data)
    return data


# Over 60 lines: one short function for each that the package has, over one state.
def _make_torch_xla(state: State) -> None:
    def device(index=None):
        return torch.device("xla", index or 0)

    def launch(fn, args=(), start_method="spawn", debug_single_process=False):
        fn(0, *args)

    def compile(f=None, **_):
        return f if f is not None else contextlib.nullcontext()

    def seed(value, device=None):
        state.device.seed(value)

    def save(data, file_or_path, master_only=True, global_master=False):
        torch.save(_to_host(data), file_or_path)

    def optimizer_step(optimizer, barrier=False, optimizer_args=None, groups=None, pin_layout=True):
        loss = optimizer.step(**(optimizer_args or {}))
        if barrier:
            state.sync()
        return loss

    def add_step_closure(closure, args=(), run_async=False):
        state.closures.append((closure, args))

    kept: dict[int, torch.Tensor] = {}  # states of the device's generator, by the number that stands for each

    def get_rng_state(device=None):
        number = int.from_bytes(bytes(state.device.random_state[:8].tolist()), "little") + len(kept)
        kept[number] = state.device.random_state.clone()
        return number

    def set_rng_state(value, device=None):
        if value in kept:
            state.device.random_state = kept[value].clone()
        else:
            seed(value)

    one = dict(world_size=lambda: 1, global_ordinal=lambda: 0, local_ordinal=lambda: 0)
    _module(
        "torch_xla",
        __version__="2.9.0+tenfold",
        __path__=[],
        device=device,
        devices=lambda: [device()],
        device_count=lambda: 1,
        real_devices=lambda: ["CPU:0"],
        sync=state.sync,
        step=contextlib.nullcontext,
        compile=compile,
        manual_seed=seed,
        launch=launch,
    )
    _module("torch_xla.core", __path__=[])
    _module(
        "torch_xla.core.xla_model",
        xla_device=lambda n=None, devkind=None: device(n),
        mark_step=state.sync,
        save=save,
        optimizer_step=optimizer_step,
        add_step_closure=add_step_closure,
        is_master_ordinal=lambda local=True: True,
        master_print=print,
        get_ordinal=lambda: 0,
        get_local_ordinal=lambda: 0,
        xrt_world_size=lambda: 1,
        xla_device_hw=lambda d: "CPU",
        rendezvous=lambda tag, payload=b"", replicas=(): [payload],
        wait_device_ops=lambda d=(): None,
        mesh_reduce=lambda tag, data, reduce_fn: reduce_fn([data]),
        all_reduce=lambda kind, inputs, **_: inputs,
        all_gather=lambda value, dim=0, **_: value,
        reduce_gradients=lambda optimizer, **_: None,
        set_rng_state=set_rng_state,
        get_rng_state=get_rng_state,
        get_memory_info=lambda d=None: {"bytes_used": 0, "bytes_limit": 0, "peak_bytes_used": 0},
        is_xla_tensor=lambda t: home_of(t) == "xla",
        REDUCE_SUM="sum",
        send_cpu_data_to_device=lambda data, d, *_: [_to_device(data, d)],
    )
    _module(
        "torch_xla.runtime",
        device_type=lambda: "CPU",
        is_bf16_supported=lambda: True,
        global_device_count=lambda: 1,
        global_runtime_device_count=lambda: 1,
        local_device_count=lambda: 1,
        addressable_device_count=lambda: 1,
        process_index=lambda: 0,
        process_count=lambda: 1,
        use_spmd=lambda auto=False: None,
        is_spmd=lambda: False,
        set_device_type=lambda kind: None,
        initialize_cache=lambda path, readonly=False: None,
        **one,
    )
    _module("torch_xla.distributed", __path__=[])
    _module(
        "torch_xla.distributed.parallel_loader",
        MpDeviceLoader=MpDeviceLoader,
        ParallelLoader=lambda loader, devices, **_: MpDeviceLoader(loader, devices[0]),
    )
    _module(
        "torch_xla.distributed.xla_multiprocessing",
        spawn=lambda fn, args=(), nprocs=None, join=True, daemon=False, start_method="spawn": fn(0, *args),
    )
    _module("torch_xla.distributed.xla_backend")
    _module(
        "torch_xla.distributed.spmd",
        Mesh=lambda device_ids, mesh_shape, axis_names=None: (mesh_shape, axis_names),
        ShardingSpec=lambda mesh, partition_spec, **_: (mesh, partition_spec),
        mark_sharding=lambda t, mesh, partition_spec: t,
        set_global_mesh=lambda mesh: None,
    )
    _module("torch_xla.utils", __path__=[])
    _module("torch_xla.utils.serialization", save=save, load=torch.load)
    _module(
        "torch_xla.amp",
        autocast=lambda device, **options: torch.autocast("xla", **options),
        GradScaler=torch.amp.GradScaler,
        __path__=[],
    )
    _module("torch_xla.amp.syncfree", SGD=torch.optim.SGD, Adam=torch.optim.Adam, AdamW=torch.optim.AdamW)
    _module("torch_xla.experimental", __path__=[])
    _module("torch_xla.experimental.scan_layers", scan_layers=_scan_layers)
    _module("torch_xla.debug", __path__=[])
    _module(
        "torch_xla.debug.metrics",
        metrics_report=lambda: "",
        clear_all=lambda: None,
        counter_names=lambda: [],
        counter_value=lambda name: 0,
    )
    _module(
        "torch_xla.debug.profiler",
        Trace=lambda name, **_: contextlib.nullcontext(),
        StepTrace=lambda name, **_: contextlib.nullcontext(),
        start_server=lambda port: None,
    )
    torch.cuda.is_available = lambda: False
    torch.nn.Module.cuda = _no_cuda
    patch_process_group("xla")
    warnings.filterwarnings("ignore", message=".*CUDA.*")


def _scan_layers(layers, input_data, partition_fn=None, is_layer_pure=False):
    layers = list(layers)
    shapes = [[(name, p.shape) for name, p in layer.named_parameters()] for layer in layers]
    if any(shape != shapes[0] for shape in shapes):
        raise ValueError("scan_layers: all layers must have the same structure")
    for layer in layers:
        input_data = layer(input_data)
    return input_data


def _no_cuda(self, device=None):
    raise RuntimeError("there is no CUDA device here")
