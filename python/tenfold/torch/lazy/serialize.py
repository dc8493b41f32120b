"""Recorded graphs as the JSON that the library's importer reads (torch.export's own schema)."""

from __future__ import annotations

import json
import math
from typing import Any

import torch

from tenfold.torch import custom
from tenfold.torch.fx import _MEMORY_FORMATS, _SCALAR_TYPES
from tenfold.torch.lazy.schema import MISSING, number_of
from tenfold.torch.lazy.values import Spec


def _float(value: float) -> Any:
    if math.isnan(value):
        return "NaN"
    return value if math.isfinite(value) else ("Infinity" if value > 0 else "-Infinity")


def _number_json(value: Any) -> dict:
    if isinstance(value, bool):
        return {"as_bool": value}
    if isinstance(value, int):
        return {"as_int": value}
    if isinstance(value, float):
        return {"as_float": _float(value)}
    if isinstance(value, complex):
        return {"as_complex": {"real": _float(value.real), "imag": _float(value.imag)}}
    raise NotImplementedError(f"a number of type {type(value).__name__}")


def _plain_json(value: Any) -> dict | None:
    if isinstance(value, bool | int | float | complex):
        return _number_json(value)
    if isinstance(value, str):
        return {"as_string": value}
    if isinstance(value, torch.dtype):
        return {"as_scalar_type": _SCALAR_TYPES[value]}
    if isinstance(value, torch.memory_format):
        return {"as_memory_format": _MEMORY_FORMATS.get(value, 0)}
    if isinstance(value, torch.layout):
        return {"as_layout": 7 if value == torch.strided else 1}
    if isinstance(value, tuple):
        if all(isinstance(i, int) and not isinstance(i, bool) for i in value):
            return {"as_ints": list(value)}
        if all(isinstance(i, bool) for i in value):
            return {"as_bools": list(value)}
        if all(isinstance(i, str) for i in value):
            return {"as_strings": list(value)}
        if all(isinstance(i, int | float) for i in value):
            return {"as_floats": [_float(float(i)) for i in value]}
    raise NotImplementedError(f"an argument of type {type(value).__name__}")


def _tensor_json(item: Any, numbers: str = "v") -> dict:
    if item is None:
        return {"as_none": True}
    if isinstance(item, int):
        return {"as_tensor": {"name": f"v{item}"}}
    if item[0] == "s":
        return {"as_sym_float": {"as_name": f"s{item[1]}"}}
    return _number_json(number_of(item))


def _argument_json(kind: str, value: Any) -> dict | None:
    if value is None:
        return None
    if kind == "T":
        return _tensor_json(value)
    if kind == "L":
        if all(isinstance(i, int) for i in value):
            return {"as_tensors": [{"name": f"v{i}"} for i in value]}
        return {"as_optional_tensors": [_tensor_json(i) for i in value]}
    if kind == "S":
        return {"as_sym_float": {"as_name": f"s{value[1]}"}} if value[0] == "s" else _number_json(number_of(value))
    return _plain_json(value)


def _sizes(spec: Spec) -> dict:
    return {"dtype": _SCALAR_TYPES[spec.dtype], "sizes": [{"as_int": s} for s in spec.shape], "layout": 7}


def _trace(line: tuple[Any, int] | None) -> dict:
    text = f'  File "{line[0].co_filename}", line {line[1]}, in {line[0].co_name}\n' if line else ""
    return {"stack_trace": text}


def _results_json(graph: Any, i: int) -> list[dict]:
    return [{"as_none": True} if r < 0 else {"as_tensor": {"name": f"v{r}"}} for r in graph.outputs[i]]


def _custom_json(graph: Any, i: int, used: set[int]) -> dict:
    """An op that was given a lowering: its StableHLO stands in the node."""
    handler, args = graph.nodes[i]
    operands: list[int] = []

    def give(kind: str, item: Any) -> Any:
        if kind == "L" and item is not None:
            return [give("T", v) for v in item]
        if kind == "T" and isinstance(item, int):
            operands.append(item)
            return custom.Operand(graph.specs[item].shape, graph.specs[item].dtype)
        return number_of(item) if kind in "TS" and item is not None else item

    positional, named = [], {}
    for k, ((name, kind), item) in enumerate(zip(handler.signature, args, strict=False)):
        if item is MISSING:
            continue
        if k < handler.positional:
            positional.append(give(kind, item))
        else:
            named[name] = give(kind, item)
    text, _ = custom.build(handler.custom, positional, named)
    used.update(operands)
    return {
        "target": "tenfold.inline.default",
        "inputs": [
            {"name": "inputs", "arg": {"as_tensors": [{"name": f"v{r}"} for r in operands]}},
            {"name": "body", "arg": {"as_string": text}},
        ],
        "outputs": _results_json(graph, i),
        "metadata": _trace(graph.lines[i]),
    }


def to_json(graph: Any, wanted: tuple[int, ...], only: int | None = None) -> str:
    """The graph in torch.export's schema, returning these values; `only` one node, with its operands as inputs."""
    nodes, used = [], set()
    scalars: set[int] = set()
    for i, node in enumerate(graph.nodes):
        if node[0] == "input" or (only is not None and i != only):
            continue
        handler, args = node
        if handler.custom is not None:
            nodes.append(_custom_json(graph, i, used))
            continue
        inputs = []
        for (name, kind), value in zip(handler.signature, args, strict=False):
            if value is MISSING:
                continue
            encoded = _argument_json(kind, value)
            if encoded is not None:
                inputs.append({"name": name, "arg": encoded})
            if kind == "T" and isinstance(value, int):
                used.add(value)
            elif kind == "L" and value is not None:
                used.update(v for v in value if isinstance(v, int))
            if kind in "TS" and isinstance(value, tuple) and value[0] == "s":
                scalars.add(value[1])
        nodes.append(
            {
                "target": handler.name,
                "inputs": inputs,
                "outputs": _results_json(graph, i),
                "metadata": _trace(graph.lines[i]),
            }
        )
    refs = graph.input_refs if only is None else sorted(used)
    chosen = range(len(graph.scalars)) if only is None else sorted(scalars)
    inputs = [{"as_tensor": {"name": f"v{r}"}} for r in refs]
    inputs += [{"as_sym_float": {"as_name": f"s{k}"}} for k in chosen]
    return json.dumps(
        {
            "inputs": inputs,
            "outputs": [{"as_tensor": {"name": f"v{r}"}} for r in wanted],
            "nodes": nodes,
            "tensor_values": {f"v{r}": _sizes(s) for r, s in graph.specs.items()},
        }
    )
