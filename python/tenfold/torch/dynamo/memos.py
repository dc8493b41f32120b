"""More shorter ways through dynamo, for tenfold.shortcuts: what it asks thousands of times, answered once, and code
that is generated and never run. Each piece knows by names what it stands in for, as those there do."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from importlib.machinery import ModuleSpec
from types import CodeType, SimpleNamespace
from typing import Any

import torch
import torch._dynamo

Swap = tuple[Any, str, Any]  # as in tenfold.shortcuts


def _names(function: Any) -> tuple[str, ...]:
    code: CodeType = function.__code__
    return code.co_names


def hashes_of_instructions() -> Iterator[Swap]:
    """They are themselves, as objects are anyway."""
    from torch._dynamo.bytecode_transformation import Instruction

    if _names(Instruction.__hash__) == ("id",) and _names(Instruction.__eq__) == ("id",):
        yield Instruction, "__hash__", object.__hash__
        yield Instruction, "__eq__", object.__eq__


def hints_of_closures() -> Iterator[Swap]:
    """The text of a guard says which variable of a closure it is about: for each guard, all that its value comes from
    is looked through."""
    from torch._dynamo import guards
    from torch._dynamo.source import CellContentsSource, ChainedSource

    slow = guards._get_closure_var_hint
    if not {"CellContentsSource", "ChainedSource", "base", "freevar_name"} <= set(_names(slow)):
        return
    known: dict[Any, bool] = {None: True}

    def is_outside(source: Any) -> bool:
        found = known.get(source)
        if found is None:
            inside = isinstance(source, CellContentsSource)
            found = known[source] = not inside and (not isinstance(source, ChainedSource) or is_outside(source.base))
        return found

    yield guards, "_get_closure_var_hint", lambda source: None if is_outside(source) else slow(source)


def files_of_modules() -> Iterator[Swap]:
    """Whether a file is one of torch.nn's: by a pattern, for each frame of each node."""
    from torch._dynamo.symbolic_convert import InstructionTranslatorBase

    slow = InstructionTranslatorBase.is_co_filename_from_nn_modules
    if "f_code" not in _names(slow):
        return
    known: dict[str, bool] = {}

    def is_co_filename_from_nn_modules(self: Any) -> bool:
        name = getattr(self.f_code, "co_filename", "<unknown>")
        found = known.get(name)
        if found is None:
            found = known[name] = slow(self)
        return found

    yield InstructionTranslatorBase, "is_co_filename_from_nn_modules", is_co_filename_from_nn_modules


def opaque_types() -> Iterator[Swap]:
    """Whether a class or one it comes from was registered as opaque: asked thrice for each value."""
    from torch._library import opaque_object

    slow, registered = opaque_object._resolve_opaque_type_info, opaque_object._OPAQUE_TYPES
    if "_OPAQUE_TYPES" not in _names(slow) or "__mro__" not in _names(slow):
        return
    known: dict[Any, Any] = {}
    count = len(registered)

    def _resolve_opaque_type_info(cls: Any) -> Any:
        nonlocal count
        if count != len(registered.data):
            known.clear()
            count = len(registered.data)
        if type(cls) is not type:
            return slow(cls)
        if cls not in known:
            known[cls] = slow(cls)
        return known[cls]

    yield opaque_object, "_resolve_opaque_type_info", _resolve_opaque_type_info


class _Spec(ModuleSpec):
    """One that holds its parent, instead of finding it out whenever a function imports something from next to it."""

    parent = None  # type: ignore[assignment]


def parents_of_modules() -> Iterator[Swap]:
    for name, module in list(sys.modules.items()):
        spec = getattr(module, "__spec__", None) if name.startswith("torch._dynamo") else None
        if type(spec) is ModuleSpec:
            spec.__dict__["parent"] = spec.parent
            yield spec, "__class__", _Spec


class _Late(type):
    """Of fx.GraphModule: makes modules whose code is generated when it is asked for."""

    def __call__(cls, *args: Any, **kwargs: Any) -> Any:
        from torch.fx._lazy_graph_module import _LazyGraphModule

        return _LazyGraphModule(*args, **kwargs)

    def __instancecheck__(cls, value: Any) -> bool:
        return isinstance(value, torch.fx.GraphModule)

    def __subclasscheck__(cls, kind: Any) -> bool:
        return issubclass(kind, torch.fx.GraphModule)


def code_of_graphs() -> Iterator[Swap]:
    """Each graph is put into a module, with its code, just to look for asserts in it."""
    from torch._dynamo import output_graph

    put = output_graph.OutputGraph.compile_and_call_fx_graph
    put = getattr(put, "__wrapped__", put)
    if output_graph.fx is not torch.fx or "insert_deferred_runtime_asserts" not in _names(put):
        return
    late = _Late("GraphModule", (), {})
    yield output_graph, "fx", SimpleNamespace(**{**vars(torch.fx), "GraphModule": late})


PIECES = [
    *(hashes_of_instructions, hints_of_closures, files_of_modules, opaque_types),
    *(parents_of_modules, code_of_graphs),
]
