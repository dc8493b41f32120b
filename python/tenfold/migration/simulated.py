"""A device that is simulated on the CPU, strict enough to catch what a real one would refuse.

Tensors stay ordinary CPU tensors; each carries where it is at home. A torch-function mode sees every operation: it
moves, refuses to mix homes, keeps a random generator for the device apart from the host's, answers `.device`. This is
the seam where Tenfold's own lazy device takes over: `backing` says what a move really does.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from typing import Any

import torch
from torch.overrides import TorchFunctionMode

HOST = "cpu"
FIRST_SEED = 0x7E4F01D  # of the device, before a program seeds it
backing = "cpu"  # where device tensors really live

RANDOM = frozenset(
    [
        "rand",
        "randn",
        "randint",
        "randperm",
        "rand_like",
        "randn_like",
        "randint_like",
        "normal",
        "normal_",
        "uniform_",
        "random_",
        "bernoulli",
        "bernoulli_",
        "multinomial",
        "poisson",
        "exponential_",
        "log_normal_",
        "cauchy_",
        "geometric_",
        "dropout",
        "dropout_",
        "dropout1d",
        "dropout2d",
        "dropout3d",
        "alpha_dropout",
        "feature_alpha_dropout",
        "kaiming_uniform_",
        "rrelu",
        "rrelu_",
        "gumbel_softmax",
        "_sample_dirichlet",
        "_standard_gamma",
        "binomial",
        "multi_head_attention_forward",
        "scaled_dot_product_attention",
        "rnn_tanh",
        "rnn_relu",
        "lstm",
        "gru",
    ]
)
_MIXES = frozenset(
    [
        "copy_",
        "to",
        "type",
        "type_as",
        "set_",
        "__getitem__",
        "__setitem__",
        "index_put_",
        "pack_padded_sequence",
        "_pack_padded_sequence",
        "pad_packed_sequence",
        "_pad_packed_sequence",
        "module_load",
        "backward",
        "grad",
        "__format__",
        "__repr__",
        "is_same_size",
        "_has_compatible_shallow_copy_type",
    ]
)
RECURRENT = {"rnn_tanh", "rnn_relu", "lstm", "gru"}
_TORCH_TPU_REFUSES = {"smooth_l1_loss", "huber_loss"}  # 0.2; rules put something in their place
_FACTORIES = frozenset(
    [
        "zeros",
        "ones",
        "empty",
        "full",
        "rand",
        "randn",
        "randint",
        "randperm",
        "arange",
        "linspace",
        "logspace",
        "eye",
        "tensor",
        "as_tensor",
        "from_numpy",
        "normal",
        "hann_window",
        "hamming_window",
        "tril_indices",
        "triu_indices",
        "empty_strided",
        "sparse_coo_tensor",
        "frombuffer",
        "asarray",
        "complex",
        "scalar_tensor",
    ]
)


def home_of(tensor: torch.Tensor) -> str | None:
    """The device's name, "cpu", or None when it is not known (made out of sight, inside autograd)."""
    return tensor.__dict__.get("_tenfold_home")


def settle(value: Any, home: str) -> Any:
    """Marks every tensor in `value` as living at `home`."""
    for tensor in tensors_in(value):
        tensor._tenfold_home = home
    return value


def tensors_in(value: Any, depth: int = 0) -> Iterator[torch.Tensor]:
    if isinstance(value, torch.Tensor):
        yield value
    elif depth < 4 and isinstance(value, (list, tuple)):
        for item in value:
            yield from tensors_in(item, depth + 1)
    elif depth < 4 and isinstance(value, dict):
        for item in value.values():
            yield from tensors_in(item, depth + 1)


def _strip(tensor: torch.Tensor) -> None:
    tensor.__dict__.pop("_tenfold_home", None)


def draw(device: Any, call: Callable[[], Any]) -> Any:
    """Calls with the generator of a device that has a `random_state`, unless it draws from the host's."""
    if device.one_stream:
        return call()
    host = torch.get_rng_state()
    torch.set_rng_state(device.random_state)
    try:
        return call()
    finally:
        device.random_state = torch.get_rng_state()
        torch.set_rng_state(host)


def _as_torch_tpu(name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[Any, ...]:
    """What TorchTPU 0.2 lacks: some losses, and the update of running statistics in training."""
    if name in _TORCH_TPU_REFUSES:
        raise RuntimeError(f"operator 'aten::{name}.out' is not implemented for TPU")
    if name == "batch_norm" and kwargs.get("training"):  # torch.nn.functional's: input, mean, variance
        return (args[0], *(None if x is None else x.clone() for x in args[1:3]), *args[3:])
    return args


class SimulatedDevice(TorchFunctionMode):
    """`kind` is a device type as programs write it: "cuda", "xla", "tpu"."""

    def __init__(self, kind: str, seeds_with_host: bool):
        super().__init__()
        self.kind = kind
        self.seeds_with_host = seeds_with_host
        self.random_state = torch.Generator().manual_seed(FIRST_SEED).get_state()
        self.one_stream = False  # the device draws from the host's generator
        self.default = HOST
        self.pickled_home = HOST  # the device's, once a tensor of it was written to a file
        self.events: dict[str, int] = {"moves": 0, "device_ops": 0, "host_ops": 0}

    # -- names of places ------------------------------------------------------------------------------------------

    def is_ours(self, device: Any) -> bool:
        if isinstance(device, torch.device):
            return device.type == self.kind
        if isinstance(device, str):
            return device.split(":")[0] == self.kind
        return self.kind == "cuda" and isinstance(device, int) and not isinstance(device, bool)

    def home_for(self, device: Any) -> str:
        if self.is_ours(device):
            return self.kind
        kind = torch.device(device).type
        if kind not in ("cpu", "meta"):
            raise RuntimeError(f"there is no device '{device}' here: this machine has {self.kind} and cpu")
        return HOST

    def device(self, home: str | None) -> torch.device:
        return torch.device(self.kind, 0) if home == self.kind else torch.device("cpu")

    def seed(self, value: int) -> None:
        self.random_state = torch.Generator().manual_seed(int(value)).get_state()

    # -- operations -----------------------------------------------------------------------------------------------

    def __torch_function__(self, func, types, args=(), kwargs=None):
        kwargs = dict(kwargs or {})
        name = getattr(func, "__name__", "")
        if name == "_parse_to":  # module.to(0)
            return func(
                *[
                    torch.device(self.kind, a) if isinstance(a, int) and not isinstance(a, bool) and i == 0 else a
                    for i, a in enumerate(args)
                ],
                **kwargs,
            )
        if name in ("__get__", "__set__"):
            return self._property(func, name, args)
        special = getattr(self, f"_do_{name}", None)
        if special is not None and args and isinstance(args[0], torch.Tensor):
            return special(func, args, kwargs)
        wanted = kwargs.get("device")
        inputs = list(tensors_in((args, kwargs)))
        if "device" in kwargs and wanted is not None:
            home = self.home_for(wanted)
            kwargs["device"] = backing
        elif inputs:
            home = self._common_home(name, inputs)
        else:
            home = self.default if name in _FACTORIES else None
        if home == self.kind and "generator" in kwargs and kwargs["generator"] is not None:
            raise RuntimeError(f"Expected a '{self.kind}' device type for generator but found 'cpu'")
        if home == self.kind == "xla" and torch.is_inference_mode_enabled():
            raise RuntimeError("Cannot set version_counter for inference tensor")  # torch_xla's tensors are wrapped
        if home == self.kind == "tpu":
            args = _as_torch_tpu(name, args, kwargs)
        self.events["device_ops" if home == self.kind else "host_ops"] += 1
        if home == self.kind and name in RANDOM:
            result = draw(self, functools.partial(func, *args, **kwargs))
        else:
            result = func(*args, **kwargs)
        if home is not None:
            for tensor in tensors_in(result):
                if home_of(tensor) is None or name not in ("__getitem__",):
                    tensor._tenfold_home = home
        return result

    def _common_home(self, name: str, inputs: list[torch.Tensor]) -> str | None:
        ours = [t for t in inputs if home_of(t) == self.kind]
        host = [t for t in inputs if home_of(t) == HOST]
        if name in RECURRENT:
            if any(t.__dict__.get("_tenfold_sealed") for t in host):
                raise RuntimeError("a sequence that was packed on the device cannot be read by the layer")
            host = [t for t in host if t.dtype != torch.int64]  # lengths of packed sequences stay on the host
        if ours and name not in _MIXES and any(t.dim() > 0 for t in host):
            raise RuntimeError(
                "Expected all tensors to be on the same device, but found at least two devices, "
                f"{self.kind}:0 and cpu! (in {name})"
            )
        if name in _MIXES:
            return home_of(inputs[0])
        return self.kind if ours else HOST if host else None

    def _property(self, func, name: str, args):
        field = getattr(getattr(func, "__self__", None), "__name__", "")
        tensor = args[0]
        home = home_of(tensor)
        if name == "__get__":
            if field == "device":
                return self.device(home)
            if field == f"is_{self.kind}":
                return home == self.kind
            if field == "is_cpu":
                return home != self.kind
            result = func(*args)
            if isinstance(result, torch.Tensor) and home is not None:
                result._tenfold_home = home
            return result
        value = args[1]
        if isinstance(value, torch.Tensor):
            if field == "grad" and None not in (home, home_of(value)) and home != home_of(value):
                raise RuntimeError("assigned grad has data located on a different device")
            if field == "data" and home_of(value) is not None:
                tensor._tenfold_home = home_of(value)
        return func(*args)

    # -- moves ----------------------------------------------------------------------------------------------------

    def _move(self, tensor: torch.Tensor, home: str, dtype: torch.dtype | None = None, **options) -> torch.Tensor:
        moved = home_of(tensor) != home
        self.events["moves"] += moved
        copy = options.pop("copy", False) or moved
        result = torch.Tensor.to(tensor, dtype=dtype or tensor.dtype, copy=copy)
        result._tenfold_home = home
        return result

    def _do_to(self, func, args, kwargs):
        tensor, rest = args[0], list(args[1:])
        home, dtype = home_of(tensor) or HOST, kwargs.pop("dtype", None)
        if isinstance(tensor, torch.nn.Parameter) and home_of(tensor) is None:
            home = HOST
        if "other" in kwargs:
            rest.insert(0, kwargs.pop("other"))
        target = kwargs.pop("device", None)
        for value in rest:
            if isinstance(value, torch.Tensor):
                home, dtype = home_of(value) or HOST, value.dtype
            elif isinstance(value, torch.dtype):
                dtype = value
            elif isinstance(value, (str, torch.device)) or (isinstance(value, int) and not isinstance(value, bool)):
                target = value
        if target is not None:
            home = self.home_for(target)
        if kwargs.get("memory_format") not in (None, torch.preserve_format, torch.contiguous_format) and home == "xla":
            kwargs.pop("memory_format")
        return self._move(tensor, home, dtype, copy=kwargs.get("copy", False))

    def _do_cpu(self, func, args, kwargs):
        return self._move(args[0], HOST)

    def _do_cuda(self, func, args, kwargs):
        return self._move(args[0], self.home_for("cuda"))

    def _do_type(self, func, args, kwargs):
        if len(args) < 2 and not kwargs:
            name = func(*args)
            return name.replace("torch.", f"torch.{self.kind}.", 1) if home_of(args[0]) == self.kind else name
        wanted = args[1] if len(args) > 1 else kwargs.get("dtype")
        if isinstance(wanted, torch.dtype):
            return settle(func(*args, **kwargs), home_of(args[0]) or HOST)
        text = wanted if isinstance(wanted, str) else f"{wanted.__module__}.{wanted.__name__}"
        return self._move(
            args[0], self.kind if f".{self.kind}." in text else HOST, TENSOR_TYPES[text.rsplit(".", 1)[1]]
        )

    def _do_numpy(self, func, args, kwargs):
        self._refuse_host_view(args[0])
        return func(*args, **kwargs)

    def _do___array__(self, func, args, kwargs):
        self._refuse_host_view(args[0])
        return func(*args, **kwargs)

    def _refuse_host_view(self, tensor: torch.Tensor) -> None:
        if home_of(tensor) == self.kind:
            raise TypeError(
                f"can't convert {self.kind}:0 device type tensor to numpy. "
                "Use Tensor.cpu() to copy the tensor to host memory first."
            )

    def _do_pin_memory(self, func, args, kwargs):
        if home_of(args[0]) == self.kind:
            raise RuntimeError(f"cannot pin a {self.kind} tensor: only dense CPU tensors can be pinned")
        return args[0]

    def _do__pack_padded_sequence(self, func, args, kwargs):
        data, sizes = func(*args, **kwargs)
        home = home_of(args[0]) or HOST
        sizes._tenfold_sealed = home == "xla"  # torch_xla wraps them, and nothing can read them any more
        return settle(data, home), settle(sizes, HOST)

    def _do__pad_packed_sequence(self, func, args, kwargs):
        data, lengths = func(*args, **kwargs)
        return settle(data, home_of(args[0]) or HOST), settle(lengths, HOST)

    def _do_is_pinned(self, func, args, kwargs):
        return False

    def _do_get_device(self, func, args, kwargs):
        return 0 if home_of(args[0]) == self.kind else -1

    def _do___reduce_ex__(self, func, args, kwargs):
        home = home_of(args[0])  # what is written to files knows nothing of the simulation
        if home == self.kind:
            self.pickled_home = home
        _strip(args[0])
        try:
            return func(*args, **kwargs)
        finally:
            if home is not None:
                args[0]._tenfold_home = home

    def _do___deepcopy__(self, func, args, kwargs):
        return func(*args, **kwargs)

    def _do_requires_grad_(self, func, args, kwargs):
        return func(*args, **kwargs)


TENSOR_TYPES = {
    "FloatTensor": torch.float32,
    "DoubleTensor": torch.float64,
    "HalfTensor": torch.float16,
    "BFloat16Tensor": torch.bfloat16,
    "LongTensor": torch.int64,
    "IntTensor": torch.int32,
    "ShortTensor": torch.int16,
    "CharTensor": torch.int8,
    "ByteTensor": torch.uint8,
    "BoolTensor": torch.bool,
}


def parameters_know_their_home() -> None:
    """nn.Parameter(data) lives where its data does; two homes never share a parameter object, as on XLA devices."""
    if getattr(torch.nn.Parameter, "_tenfold", False):
        return
    create = torch.nn.Parameter.__new__

    def __new__(cls, data=None, requires_grad=True):
        made = create(cls, data, requires_grad)
        home = home_of(data) if isinstance(data, torch.Tensor) else HOST
        if home is not None:
            made._tenfold_home = home
        return made

    torch.nn.Parameter.__new__ = __new__
    torch.nn.Parameter._tenfold = True


def moving_makes_new_parameters() -> None:
    compatible = torch._has_compatible_shallow_copy_type

    def same_place(input: torch.Tensor, from_: torch.Tensor) -> bool:
        return home_of(input) in (None, home_of(from_)) and compatible(input, from_)

    torch._has_compatible_shallow_copy_type = same_place
