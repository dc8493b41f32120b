"""FX graphs as the JSON that the library's importer reads (torch.export's own schema)."""

from __future__ import annotations

import json
import math
import operator
import re
from collections.abc import Collection, Sequence
from typing import Any

import torch
from torch import fx

from tenfold import _core
from tenfold.torch import custom, saved

_SCALAR_TYPES = {
    torch.uint8: 1,
    torch.int8: 2,
    torch.int16: 3,
    torch.int32: 4,
    torch.int64: 5,
    torch.float16: 6,
    torch.float32: 7,
    torch.float64: 8,
    torch.complex32: 9,
    torch.complex64: 10,
    torch.complex128: 11,
    torch.bool: 12,
    torch.bfloat16: 13,
    torch.uint16: 28,
    torch.float8_e4m3fn: 29,
    torch.float8_e5m2: 30,
    torch.float8_e4m3fnuz: 31,
    torch.float8_e5m2fnuz: 32,
    torch.uint32: 34,
    torch.uint64: 35,
}
_LAYER = re.compile(r"^L\['\w+'\]")  # dynamo's name of the outermost module
_MEMORY_FORMATS = {
    torch.contiguous_format: 1,
    torch.channels_last: 2,
    torch.channels_last_3d: 3,
    torch.preserve_format: 4,
}
_SYMBOLIC = (torch.SymInt, torch.SymFloat, torch.SymBool)


def knows(name: str) -> bool:
    """Whether an op has a lowering: the library's own, or one that was registered."""
    return _core.knows(name) or custom.find(name) is not None


def op_name(target: Any) -> str:
    """The name the library knows an FX target by: "aten.add.Tensor", "_operator.mul"."""
    if isinstance(target, torch._ops.OpOverload):
        return f"{target.namespace}.{target._schema.name.split('::')[1]}.{target._overloadname}"
    if isinstance(target, torch._ops.HigherOrderOperator):
        return f"higher_order.{target.name()}"
    return f"{getattr(target, '__module__', '')}.{getattr(target, '__name__', target)}"


def _hint(value: Any) -> int | None:
    if isinstance(value, int):
        return value
    return int(value.node.hint) if value.node.has_hint() else None


def _size(value: Any) -> dict:
    if isinstance(value, int):
        return {"as_int": value}
    hint = _hint(value)
    return {"as_expr": {"expr_str": str(value), "hint": None if hint is None else {"as_int": hint}}}


def _meta(value: torch.Tensor) -> dict:
    if value.layout != torch.strided:
        raise NotImplementedError(f"a {value.layout} tensor")
    sizes, strides = [_size(s) for s in value.shape], [_size(s) for s in value.stride()]
    place = {"strides": strides, "storage_offset": _size(value.storage_offset())}
    return {"dtype": _SCALAR_TYPES[value.dtype], "sizes": sizes, **place, "layout": 7}


def memory_order(value: Any) -> list[int] | None:
    """The dimensions of a tensor as they lie in memory, the widest first; None where that is their own order, or where
    memory has gaps."""
    if not isinstance(value, torch.Tensor) or value.layout != torch.strided:
        return None
    sizes, strides = [_hint(s) for s in value.shape], [_hint(s) for s in value.stride()]
    if None in sizes or None in strides or 0 in sizes:
        return None
    order = sorted(range(len(sizes)), key=lambda d: -strides[d])
    long = [d for d in order if sizes[d] != 1]
    expected = 1
    for d in reversed(long):
        if strides[d] != expected:
            return None
        expected *= sizes[d]
    return None if long == sorted(long) else order


def _number(value: float) -> Any:
    if math.isnan(value):
        return "NaN"
    return value if math.isfinite(value) else ("Infinity" if value > 0 else "-Infinity")


def _metadata(node: fx.Node) -> dict[str, str]:
    """Where a node comes from: the user's lines, and the layer, of a gradient the layer of the forward op."""
    found = {"stack_trace": node.meta.get("stack_trace") or node.stack_trace or ""}
    stack = node.meta.get("nn_module_stack") or node.meta.get("fwd_nn_module_stack")
    if stack:
        path, kind = next(reversed(stack.values()))  # "L['self'].blocks.0", the innermost
        layer = _LAYER.sub("", path).lstrip(".")
        if layer:
            found["nn_module_stack"] = f"layer,{layer},{getattr(kind, '__name__', kind)}"
    return found


class Serializer:
    """One graph module, and those inside it, as dictionaries. Tensors it holds become inputs (`constants`)."""

    def __init__(self, module: fx.GraphModule, laid: int = 0, last: Collection[str] = ()) -> None:
        """laid: so many of its results, from the first on, come as they lie in memory. last: inputs and further results
        that lie channels last (saved.py)."""
        self.module, self.laid, self.last = module, laid, last
        self.given: list[int] = []  # inputs that are given channels last
        self.permuted: list[tuple[int, list[int]]] = []  # of those: which result, and how its dimensions are put back
        self.tensors: dict[str, dict] = {}
        self.numbers: dict[str, dict] = {}  # symbols among the inputs
        self.constants: list[torch.Tensor] = []
        self.parts: dict[tuple[str, int], str] = {}  # results of a node that has several
        self.names: dict[str, str] = {}  # getitem nodes are those results

    def value_of(self, node: fx.Node) -> Any:
        return node.meta.get("val", node.meta.get("example_value"))

    def declare(self, name: str, value: Any) -> dict:
        if isinstance(value, torch.Tensor):
            self.tensors[name] = _meta(value)
            return {"as_tensor": {"name": name}}
        if isinstance(value, torch.SymInt) or (isinstance(value, int) and not isinstance(value, bool)):
            return {"as_sym_int": {"as_name": name}}
        if isinstance(value, torch.SymBool | bool):
            return {"as_sym_bool": {"as_name": name}}
        if isinstance(value, torch.SymFloat | float):
            return {"as_sym_float": {"as_name": name}}
        return {"as_none": True}

    def reference(self, node: fx.Node) -> dict:
        name = self.names.get(node.name, node.name)
        value = self.value_of(node)
        if isinstance(value, torch.Tensor):
            return {"as_tensor": {"name": name}}
        if isinstance(value, torch.SymFloat | float):
            return {"as_sym_float": {"as_name": name}}
        if isinstance(value, torch.SymBool | bool):
            return {"as_sym_bool": {"as_name": name}}
        if isinstance(value, torch.SymInt | int):
            return {"as_sym_int": {"as_name": name}}
        return {"as_none": True}

    def argument(self, arg: Any) -> dict:
        if arg is None:
            return {"as_none": True}
        if isinstance(arg, fx.Node):
            if arg.op == "get_attr" and isinstance(self.attribute(arg.target), fx.GraphModule):
                return {"as_graph": {"name": arg.name, "graph": Serializer(self.attribute(arg.target)).graph()}}
            return self.reference(arg)
        if isinstance(arg, bool):
            return {"as_bool": arg}
        if isinstance(arg, int):
            return {"as_int": arg}
        if isinstance(arg, float):
            return {"as_float": _number(arg)}
        if isinstance(arg, complex):
            return {"as_complex": {"real": _number(arg.real), "imag": _number(arg.imag)}}
        if isinstance(arg, str):
            return {"as_string": arg}
        if isinstance(arg, torch.dtype):
            return {"as_scalar_type": _SCALAR_TYPES[arg]}
        if isinstance(arg, torch.device):
            return {"as_device": {"type": arg.type, "index": arg.index}}
        if isinstance(arg, torch.layout):
            return {"as_layout": 7 if arg == torch.strided else 1}
        if isinstance(arg, torch.memory_format):
            return {"as_memory_format": _MEMORY_FORMATS.get(arg, 0)}
        if isinstance(arg, _SYMBOLIC):
            raise NotImplementedError("a symbolic number outside the graph")
        if isinstance(arg, list | tuple):
            return self.sequence(arg)
        raise NotImplementedError(f"an argument of type {type(arg).__name__}")

    def sequence(self, items: Any) -> dict:
        if all(isinstance(i, int) and not isinstance(i, bool) for i in items):
            return {"as_ints": list(items)}
        if all(isinstance(i, bool) for i in items):
            return {"as_bools": list(items)}
        if all(isinstance(i, str) for i in items):
            return {"as_strings": list(items)}
        if all(isinstance(i, int | float) for i in items):
            return {"as_floats": [_number(float(i)) for i in items]}
        return {"as_optional_tensors": [self.argument(i) for i in items]}

    def attribute(self, target: str) -> Any:
        value: Any = self.module
        for part in target.split("."):
            value = getattr(value, part)
        return value

    def inputs(self, node: fx.Node) -> list[dict]:
        if isinstance(node.target, torch._ops.OpOverload):
            schema = node.target._schema.arguments
            named = [(schema[i].name, a) for i, a in enumerate(node.args)] + list(node.kwargs.items())
        elif isinstance(node.target, torch._ops.HigherOrderOperator):
            named = [("", a) for a in node.args]
        else:
            named = [("ab"[i] if i < 2 else f"arg{i}", a) for i, a in enumerate(node.args)]
        return [{"name": name, "arg": self.argument(arg)} for name, arg in named]

    def outputs(self, node: fx.Node) -> list[dict]:
        value = self.value_of(node)
        if not isinstance(value, list | tuple):
            return [self.declare(node.name, value)]
        made = []
        for i, part in enumerate(value):
            self.parts[node.name, i] = f"{node.name}.{i}"
            made.append(self.declare(f"{node.name}.{i}", part))
        return made

    def results(self, wanted: Sequence[Any], nodes: list[dict]) -> list[dict]:
        made: list[dict] = []
        for i, node in enumerate(wanted):
            if not isinstance(node, fx.Node):
                continue
            value = self.value_of(node)
            order = memory_order(value) if i < self.laid else None
            if i >= self.laid and node.name in self.last:
                order = saved.last(value.dim())
            if order is None:
                made.append(self.argument(node))
                continue
            inputs = [{"name": "self", "arg": self.reference(node)}, {"name": "dims", "arg": {"as_ints": order}}]
            self.permuted.append((len(made), [order.index(d) for d in range(len(order))]))
            made.append(self.declare(f"{node.name}.laid{i}", value.permute(order)))
            nodes.append(
                {
                    "target": "aten.permute.default",
                    "inputs": inputs,
                    "outputs": [made[-1]],
                    "metadata": {"stack_trace": ""},
                }
            )
        return made

    def custom(self, node: fx.Node) -> dict:
        """An op that was given a lowering: its StableHLO stands in the node."""
        function = custom.find(op_name(node.target))
        operands: list[fx.Node] = []

        def give(item: Any) -> Any:
            value = self.value_of(item) if isinstance(item, fx.Node) else item
            if isinstance(item, fx.Node) and isinstance(value, torch.Tensor):
                operands.append(item)
                return custom.Operand([int(s) for s in value.shape], value.dtype)
            return [give(i) for i in item] if isinstance(item, list | tuple) else value

        assert function is not None
        text, _ = custom.build(function, [give(a) for a in node.args], {k: give(v) for k, v in node.kwargs.items()})
        return {
            "target": "tenfold.inline.default",
            "inputs": [
                {"name": "inputs", "arg": {"as_tensors": [self.reference(o)["as_tensor"] for o in operands]}},
                {"name": "body", "arg": {"as_string": text}},
            ],
            "outputs": self.outputs(node),
            "metadata": _metadata(node),
        }

    def graph(self) -> dict:
        inputs, nodes, outputs, lifted = [], [], [], []
        for node in self.module.graph.nodes:
            if node.op == "placeholder" and node.name in self.last:
                self.given.append(len(inputs))
                image = self.value_of(node)
                order, back = saved.last(image.dim()), saved.first(image.dim())
                inputs.append(self.declare(f"{node.name}.laid", image.permute(order)))
                source = [{"name": "self", "arg": inputs[-1]}, {"name": "dims", "arg": {"as_ints": back}}]
                value = [self.declare(node.name, image)]
                nodes.append(
                    {
                        "target": "aten.permute.default",
                        "inputs": source,
                        "outputs": value,
                        "metadata": {"stack_trace": ""},
                    }
                )
            elif node.op == "placeholder":
                value = self.value_of(node)
                inputs.append(self.declare(node.name, value))
                if isinstance(value, torch.SymInt):
                    self.numbers[node.name] = {"as_expr": {"expr_str": str(value)}}
            elif node.op == "get_attr":
                value = self.attribute(node.target)
                if isinstance(value, torch.Tensor):
                    node.meta.setdefault("val", value)
                    lifted.append(self.declare(node.name, value))
                    self.constants.append(value)
            elif node.op == "call_function" and node.target is operator.getitem:
                source, index = node.args
                self.names[node.name] = self.parts[source.name, index]
            elif node.op == "call_function" and custom.find(op_name(node.target)):
                nodes.append(self.custom(node))
            elif node.op == "call_function":
                nodes.append(
                    {
                        "target": op_name(node.target),
                        "inputs": self.inputs(node),
                        "outputs": self.outputs(node),
                        "metadata": _metadata(node),
                    }
                )
            elif node.op == "output":
                results = node.args[0]
                results = results if isinstance(results, list | tuple) else [results]
                outputs = self.results(results, nodes)
            else:
                raise NotImplementedError(f"an FX node of kind {node.op}")
        values = {"tensor_values": self.tensors, "sym_int_values": self.numbers}
        return {"inputs": inputs + lifted, "outputs": outputs, "nodes": nodes, **values}


def serialize(module: fx.GraphModule, laid: int = 0, last: Collection[str] = ()) -> tuple[str, Serializer]:
    """The graph as JSON, and what is to be known of it: the tensors to pass after its own inputs, which inputs and
    results lie in memory otherwise than by their dimensions."""
    serializer = Serializer(module, laid, last)
    return json.dumps(serializer.graph()), serializer
