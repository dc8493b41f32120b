"""Tenfold: PyTorch and StableHLO programs, compiled and run whole.

>>> import tenfold
>>> tenfold.run("model.pt2", x)            # NumPy or any DLPack array in, tensors out
>>> print(tenfold.show("model.pt2"))       # the program as StableHLO
>>> step = tenfold.compile("model.pt2")    # compiled once for each set of shapes it meets
"""

from __future__ import annotations

import builtins
import importlib
import os
import sys
from collections.abc import Sequence
from typing import Any

from tenfold import names
from tenfold.sizes import Executables

try:
    from tenfold import _core
    from tenfold._core import Error, OutOfRangeError, UnsupportedError, devices
    from tenfold._core import version as __version__
except ImportError as missing:  # a source tree without the extension: migration works there, running programs does not
    if "_core" not in str(missing):
        raise

__all__ = [
    "Error",
    "Migration",
    "OutOfRangeError",
    "TPUMigrator",
    "UnsupportedError",
    "__version__",
    "compile",
    "connect",
    "devices",
    "disable",
    "enable",
    "explain",
    "grad",
    "load",
    "lowering",
    "migrate",
    "register_kernel",
    "reset_stats",
    "run",
    "show",
    "stats",
    "tpu_sim",
]


class Program:
    """A program from a file. Calling it compiles it for the shapes it is given, once for each."""

    def __init__(self, path: str | os.PathLike[str] | _core.Program, device: str | None = None) -> None:
        if not isinstance(path, str | os.PathLike | _core.Program):
            raise TypeError(
                f"a program is the path of a .pt2 archive or of a StableHLO file, not {type(path).__name__}; "
                'torch.compile(function, backend="tenfold") compiles functions'
            )
        self.device = names.check_device(device, devices()) if device is not None else devices()[0]
        self._program = path if isinstance(path, _core.Program) else _core.load(path)
        self.path = None if isinstance(path, _core.Program) else os.fspath(path)
        self._executables = Executables()

    @property
    def inputs(self) -> list[tuple[str, tuple[int | None, ...]]]:
        """Element type and sizes of each input; None is a size that is not fixed."""
        return self._program.inputs

    @property
    def outputs(self) -> list[tuple[str, tuple[int | None, ...]]]:
        """Element type and sizes of each output."""
        return self._program.outputs

    @property
    def input_names(self) -> list[str]:
        """The name of each input: calls take them by name, too."""
        return self._program.input_names

    @property
    def output_names(self) -> list[str]:
        """The name of each output."""
        return self._program.output_names

    def __repr__(self) -> str:
        place = f" {self.path!r}" if self.path is not None else ""
        _, colon, rest = repr(self._program).partition(": ")
        return f"<tenfold.Program{place} on {self.device}{colon}{rest}" if colon else f"<tenfold.Program{place}>"

    def text(self, stage: str = "stablehlo", inputs: Sequence[Sequence[int]] | None = None) -> str:
        """The program as text: stage "aten" (of a .pt2 archive), "stablehlo", or what the CPU compiler makes of it:
        "passes", "choice", "fused", "plan", "llvm", "asm"."""
        return self._program.text(stage=stage, inputs=inputs)

    def grad(
        self,
        by: Sequence[int] | None = None,
        *,
        value: bool = False,
        cotangents: bool = False,
        inputs: Sequence[Sequence[int]] | None = None,
    ) -> Program:
        """The gradient as a program: see tenfold.grad. `inputs` are the shapes, where those are not fixed."""
        made = self._program.grad(by=by, inputs=inputs, value=value, cotangents=cotangents)
        return Program(made, self.device)

    def _bind(self, arrays: Sequence[Any], named: dict[str, Any]) -> list[Any]:
        """The inputs in their order, as arrays."""
        known = self.input_names
        given: dict[int, Any] = dict(enumerate(arrays))
        for name, value in named.items():
            if name not in known:
                raise TypeError(names.unknown("input", name, known) if known else f"unknown input {name!r}")
            if known.index(name) in given:
                raise TypeError(f"input {name!r} is given twice")
            given[known.index(name)] = value
        if sorted(given) != list(range(len(known))):
            takes = ", ".join(f"{n}: {_type_text(*t)}" for n, t in zip(known, self.inputs, strict=True))
            raise TypeError(f"the program takes {len(known)} inputs ({takes}), {len(given)} are given")
        return [_as_array(given[i], known[i], *type_) for i, type_ in enumerate(self.inputs)]

    def __call__(self, *arrays: Any, **named: Any) -> list[Any]:
        """Inputs are NumPy arrays, tensors, anything with __dlpack__, numbers, or lists of numbers."""
        if not named:  # most calls: shapes that were met before are those of inputs that fit
            try:
                found = self._executables.get(tuple([tuple(a.shape) for a in arrays]))
            except AttributeError:  # a number, or a list of them
                found = None
            if found is not None:
                return found(*arrays)
        arrays = self._bind(arrays, named)
        shapes = tuple(tuple(a.shape) for a in arrays)
        found = self._executables.get(shapes)
        if found is None:
            sizes = [list(s) for s in shapes]
            try:
                is_open = any(sizes is None or None in sizes for _, sizes in self.inputs)
                found = self._program.compile(inputs=sizes, device=self.device, shared=is_open)
            except UnsupportedError:
                found = self._program.parts(sizes, self.device)  # sizes may depend on data
                if found is None:
                    raise
            self._executables.add(shapes, found, found)
        return found(*arrays)


def _type_text(dtype: str, sizes: Sequence[int | None] | None) -> str:
    return dtype if sizes is None else f"{dtype}[{', '.join('?' if s is None else str(s) for s in sizes)}]"


_NUMPY_TYPES = {
    "i1": "bool",
    **{f"i{n}": f"int{n}" for n in (8, 16, 32, 64)},
    **{f"ui{n}": f"uint{n}" for n in (8, 16, 32, 64)},
    **{f"f{n}": f"float{n}" for n in (16, 32, 64)},
    "complex<f32>": "complex64",
    "complex<f64>": "complex128",
}


def _as_array(value: Any, name: str, dtype: str, sizes: Sequence[int | None] | None) -> Any:
    """What an input is given as, with a shape: numbers and lists of them become an array of the input's type."""
    if hasattr(value, "shape"):
        return value
    if isinstance(value, bool | int | float | complex | list | tuple):
        import numpy

        try:
            if dtype in _NUMPY_TYPES:
                return numpy.asarray(value, dtype=_NUMPY_TYPES[dtype])
            import ml_dtypes

            return numpy.asarray(value, dtype=getattr(ml_dtypes, {"bf16": "bfloat16"}.get(dtype, dtype)))
        except (AttributeError, ImportError, OverflowError, TypeError, ValueError) as why:
            raise TypeError(f"input {name!r} takes {_type_text(dtype, sizes)}; not {value!r}: {why}") from why
    raise TypeError(
        f"input {name!r} takes {_type_text(dtype, sizes)}: a NumPy array, a tensor, anything with __dlpack__, a number "
        f"or lists of numbers; not {type(value).__name__}"
    )


def load(path: str | os.PathLike[str], device: str | None = None) -> Program:
    """A program from a .pt2 archive, MLIR bytecode or MLIR text."""
    return Program(path, device)


compile = load


def run(path: str | os.PathLike[str] | Program, *arrays: Any, device: str | None = None, **named: Any) -> list[Any]:
    """Loads, compiles and runs; results are tensors that numpy.asarray and torch.from_dlpack take."""
    if isinstance(path, Program) and device in (None, path.device):
        return path(*arrays, **named)
    return Program(path._program if isinstance(path, Program) else path, device)(*arrays, **named)


def connect(address: str) -> Any:
    """A remote device, grpc://HOST:PORT, where arrays can stay. See tenfold.remote."""
    from tenfold import remote

    return remote.Device(address)


def show(path: str | os.PathLike[str] | Program, stage: str = "stablehlo") -> str:
    """The program as text."""
    return (path if isinstance(path, Program) else Program(path)).text(stage)


def grad(what: Any, by: Sequence[int] | int | None = None, *, value: bool = False, cotangents: bool = False) -> Any:
    """The gradient of a program (its path or a Program) or of a function of tensors.

    `by` are the inputs to differentiate by, all of a float type when it is None. The first result is a float scalar, or
    with `cotangents` there is one more input for each float result. With `value` the results come before the gradients.

    A function of arrays (tenfold.asarray) gives one of the same arguments, whose gradient by the first of them is like
    it: an array, a list or a dict of arrays, or a dict by the names of a module's parameters.

    A program gives a Program, which can be differentiated again. A function, of PyTorch or jitted by JAX, gives a
    function: it is traced for the shapes that it is called with, once for each.
    """
    by = [by] if isinstance(by, int) else by
    if isinstance(what, Program):
        return what.grad(by, value=value, cotangents=cotangents)
    if isinstance(what, str | os.PathLike):
        return load(what).grad(by, value=value, cotangents=cotangents)
    from tenfold import gradient

    return gradient.Gradient(what, by, value, cotangents)


def enable(**options: Any) -> Any:
    """Compiles every nn.Module call from now on; also a context manager. See tenfold.switch."""
    from tenfold.torch import switch

    for name in options:
        names.check("option", name, ("device", "strict", "opt_level", "precision", "checks"))
    return switch.enable(**options)


def disable() -> None:
    """Undoes enable()."""
    from tenfold.torch import switch

    switch.disable()


def stats() -> dict[str, Any]:
    """Counts since the start or reset_stats(): compilations, and fallbacks by op."""
    from tenfold.torch import switch

    return switch.stats()


def reset_stats() -> None:
    """Resets the counts."""
    from tenfold.torch import switch

    switch.reset_stats()


def explain() -> str:
    """What was compiled, recompiled and why, and what ran in eager mode, by line."""
    from tenfold.torch import switch

    return switch.explain()


class _WhenTorchComes:
    """Registers the device "tenfold" as soon as torch is imported: importing tenfold alone does not import torch."""

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> Any:
        if name != "torch":
            return None
        sys.meta_path.remove(self)
        from importlib.util import find_spec

        spec = find_spec("torch")
        if spec is not None and spec.loader is not None:
            run = spec.loader.exec_module

            def exec_module(module: Any) -> None:
                run(module)
                _register()

            spec.loader.exec_module = exec_module
        return spec


def _has_accelerator() -> bool:
    """Whether torch runs on a GPU here. It knows one accelerator: with the device "tenfold", backward passes on the GPU
    would fail, also of programs that only import this package."""
    import torch

    return hasattr(torch, "accelerator") and torch.accelerator.is_available()


def _register(late: bool = False) -> None:
    if os.environ.get("TENFOLD_TPU_SIM"):
        import warnings

        why = "PyTorch has room for one such device in a process, and here it is the simulated TPU"
        warnings.warn(f'tenfold: no device "tenfold" under tpu-sim: {why}; use device "tpu"', stacklevel=2)
        return
    wanted = os.environ.get("TENFOLD_DEVICE")
    if wanted is None and _has_accelerator():
        return
    if wanted not in ("off", "0") and "_core" in globals():
        try:
            from tenfold.torch.lazy import device

            device.register(late)
        except (AttributeError, ImportError, RuntimeError) as why:  # an older torch, or the slot is another package's
            import warnings

            warnings.warn(f'tenfold: no device "tenfold" with this torch: {why}', stacklevel=2)


if "torch" in sys.modules:
    _register(late=True)
else:
    sys.meta_path.insert(0, _WhenTorchComes())


def _array_name(name: str) -> tuple[Any] | None:
    """A name of the array namespace; it is loaded when the first one is used."""
    if "_core" not in globals():
        return None
    if name in ("array", "nn", "optim", "data", "compat"):
        return (importlib.import_module(f"tenfold.{name}"),)
    from tenfold import array

    if name not in array.NAMES:
        return None
    if not hasattr(builtins, name):  # `bool` and its like stay Python's in this file
        globals()[name] = array.NAMES[name]
    return (array.NAMES[name],)


def __getattr__(name: str) -> Any:
    if name in ("migrate", "Migration", "TPUMigrator"):
        from tenfold import migration

        return getattr(migration, name)
    if name == "tpu_sim":
        from tenfold import tpu

        return tpu.tpu_sim
    if name in ("get_mlir", "graph_for"):
        from tenfold.torch.lazy import capture

        return getattr(capture, name)
    if name in ("lowering", "register_kernel"):
        from tenfold.torch import custom

        return getattr(custom, name)
    if name[:2] != "__" or name.startswith("__array_"):
        found = _array_name(name)
        if found is not None:
            return found[0]
    raise AttributeError(f"module 'tenfold' has no attribute '{name}'")
