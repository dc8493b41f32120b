"""Inference graphs of dynamo as graphs of ATen ops, without tracing them a second time.

Where no gradients are wanted, AOTAutograd has nothing to do that the library does not do itself: composite ops, views
and in-place ops are lowered whole. A graph of torch functions and methods becomes one of ATen ops by name and schema;
dynamo has found the shapes and types already. Functions that are no ATen ops are called, on dynamo's own fake tensors,
and what they call is written down. What this file is not sure of, AOTAutograd gets: `convert` gives None.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import torch
from torch import fx
from torch._subclasses.fake_tensor import FakeTensor, unset_fake_temporarily
from torch.nn import functional as F
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves

from tenfold.torch.compiled import hint
from tenfold.torch.fx import knows, op_name

aten = torch.ops.aten
_OPERATORS = {
    operator.add: "add",
    operator.sub: "sub",
    operator.mul: "mul",
    operator.truediv: "div",
    operator.floordiv: "floor_divide",
    operator.mod: "remainder",
    operator.pow: "pow",
    operator.neg: "neg",
    operator.matmul: "matmul",
    operator.eq: "eq",
    operator.ne: "ne",
    operator.lt: "lt",
    operator.le: "le",
    operator.gt: "gt",
    operator.ge: "ge",
    operator.and_: "bitwise_and",
    operator.or_: "bitwise_or",
    operator.xor: "bitwise_xor",
    operator.invert: "bitwise_not",
    operator.iadd: "add_",
    operator.isub: "sub_",
    operator.imul: "mul_",
    operator.itruediv: "div_",
}
_TYPES = {
    "float": torch.float32,
    "double": torch.float64,
    "half": torch.float16,
    "bfloat16": torch.bfloat16,
    "long": torch.int64,
    "int": torch.int32,
    "bool": torch.bool,
}
_SIZES = {"view", "reshape", "permute", "expand", "repeat", "tile", "flip"}  # methods that take sizes one by one
_FILLS = {"zeros", "ones", "empty", "rand", "randn"}  # functions that do
_SELF_SECOND = {"where", "polygamma", "polygamma_"}  # methods whose tensor is the op's second argument
_IN_PLACE_LAST = (
    *(F.relu, F.relu6, F.silu, F.mish, F.hardswish, F.hardsigmoid, F.leaky_relu),
    *(F.elu, F.selu, F.celu, F.hardtanh),
)
_NOTHING = (torch._C._set_grad_enabled, torch._C._log_api_usage_once, torch.amp.autocast_mode._exit_autocast)


class _Unsure(Exception):
    pass


def _embedding(x: Any, weight: Any, padding: Any = None, max_norm: Any = None, *rest: Any, **named: Any) -> Any:
    padding = named.get("padding_idx", padding)
    if max_norm is not None or named.get("max_norm") is not None:
        raise _Unsure
    return aten.embedding.default, (weight, x, -1 if padding is None else padding), {}


def _layer_norm(x: Any, shape: Any, weight: Any = None, bias: Any = None, eps: float = 1e-5) -> Any:
    return aten.layer_norm.default, (x, list(shape), weight, bias, eps), {}


def _group_norm(x: Any, groups: int, weight: Any = None, bias: Any = None, eps: float = 1e-5) -> Any:
    return aten.group_norm.default, (x, groups, weight, bias, eps), {}


def _batch_norm(
    x: Any,
    running_mean: Any,
    running_var: Any,
    weight: Any = None,
    bias: Any = None,
    training: bool = False,
    momentum: float = 0.1,
    eps: float = 1e-5,
) -> Any:
    if training:
        raise _Unsure
    return aten.batch_norm.default, (x, weight, bias, running_mean, running_var, False, momentum, eps, False), {}


def _softmax(op: Any) -> Callable[..., Any]:
    def softmax(x: Any, dim: Any = None, _stacklevel: int = 3, dtype: Any = None) -> Any:
        if dim is None:
            raise _Unsure
        return op, (x, dim, dtype), {}

    return softmax


def _dropout(x: Any, p: float = 0.5, training: bool = True, inplace: bool = False) -> Any:
    if training:
        raise _Unsure
    return None, (x,), {}


def _pool(op: Any) -> Callable[..., Any]:
    def pool(
        x: Any,
        kernel_size: Any,
        stride: Any = None,
        padding: Any = 0,
        dilation: Any = 1,
        ceil_mode: bool = False,
        return_indices: bool = False,
    ) -> Any:
        if return_indices:
            raise _Unsure
        count = 1 if op is aten.max_pool1d.default else 2

        def wide(v: Any) -> Any:
            return list(v) if isinstance(v, list | tuple) else [v] * count

        return op, (x, wide(kernel_size), wide(stride) if stride else [], wide(padding), wide(dilation), ceil_mode), {}

    return pool


def _adaptive(x: Any, size: Any) -> Any:
    size = list(size) if isinstance(size, list | tuple) else [size, size]
    if None in size:
        raise _Unsure
    return aten.adaptive_avg_pool2d.default, (x, size), {}


def _einsum(text: Any, *operands: Any) -> Any:
    if not isinstance(text, str):
        raise _Unsure
    given = operands[0] if len(operands) == 1 and isinstance(operands[0], list | tuple) else operands
    return aten.einsum.default, (text, list(given)), {}


_FUNCTIONS: dict[Any, Callable[..., Any]] = {
    F.embedding: _embedding,
    F.layer_norm: _layer_norm,
    F.group_norm: _group_norm,
    F.batch_norm: _batch_norm,
    F.softmax: _softmax(aten.softmax.int),
    F.log_softmax: _softmax(aten.log_softmax.int),
    F.dropout: _dropout,
    F.max_pool2d: _pool(aten.max_pool2d.default),
    F.max_pool1d: _pool(aten.max_pool1d.default),
    F.adaptive_avg_pool2d: _adaptive,
    torch.einsum: _einsum,
}


def _value(node: fx.Node) -> Any:
    found = node.meta.get("example_value")
    parts = found if isinstance(found, list | tuple) else [found]
    if not parts or not all(isinstance(p, FakeTensor) and type(p) is FakeTensor for p in parts):
        raise _Unsure
    if any(not _is_size(s) for p in parts for s in p.shape) or any(p.layout != torch.strided for p in parts):
        raise _Unsure
    return found


def _is_size(value: Any) -> bool:
    """A number, or a symbol that stands for one: not the ragged dimension of a nested tensor."""
    if isinstance(value, torch.SymInt):
        return not value.node.is_nested_int() and value.node.has_hint()
    return isinstance(value, int) and not isinstance(value, bool)


def _look(item: Any) -> Any:
    return item.meta["val"] if isinstance(item, fx.Node) else item


def _storage(value: torch.Tensor) -> int:
    return value.untyped_storage()._cdata


def _same_sizes(a: torch.Tensor, b: torch.Tensor) -> bool:
    """Of the example at hand: asking the symbols themselves would guard."""
    return all(hint(x) == hint(y) for x, y in zip(a.shape, b.shape, strict=True))


class _Recorder(TorchDispatchMode):
    """Writes down the ATen ops that a function calls."""

    def __init__(self, converter: _Converter, nodes: list[fx.Node], line: str) -> None:
        super().__init__()
        self.converter, self.line = converter, line
        self.nodes = {id(n.meta["val"]): n for n in nodes if isinstance(n.meta["val"], torch.Tensor)}
        self.kept: list[Any] = []

    def find(self, item: Any) -> Any:
        if not isinstance(item, torch.Tensor):
            return item
        found = self.nodes.get(id(item))
        if found is None:
            raise _Unsure
        return found

    def __torch_dispatch__(self, op: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        kwargs = kwargs or {}
        made = op(*args, **kwargs)
        if op.namespace == "prim":  # questions: device, layout
            return made
        if op._schema.is_mutable:
            raise _Unsure
        given = fx.node.map_aggregate(tuple(args), self.find), fx.node.map_aggregate(kwargs, self.find)
        parts = made if isinstance(made, list | tuple) else [made]
        if not parts or not all(type(p) is FakeTensor for p in parts):
            raise _Unsure
        if any(not _is_size(s) for p in parts for s in p.shape):
            raise _Unsure
        node = self.converter.emit(op, *given, made, self.line)
        self.kept.append(made)
        if parts is not made:
            self.nodes[id(made)] = node
            return made
        for i, part in enumerate(parts):
            self.nodes[id(part)] = each = self.converter.graph.call_function(operator.getitem, (node, i))
            each.meta["val"] = part
        return made


class _Converter:
    def __init__(self, module: fx.GraphModule) -> None:
        self.module = module
        self.graph, self.holder = fx.Graph(), torch.nn.Module()
        self.made: dict[fx.Node, Any] = {}
        self.given: set[int] = set()  # memory of the caller
        self.mode: Any = torch.no_grad()  # the fake mode of the inputs
        self.layer: Any = None  # nn_module_stack of the node that is converted

    def emit(self, op: Any, args: tuple, kwargs: dict, value: Any, line: str) -> fx.Node:
        if not knows(op_name(op)):
            raise _Unsure
        written = [i for i, a in enumerate(op._schema.arguments) if a.alias_info is not None and a.alias_info.is_write]
        if any(i >= len(args) or _storage(args[i].meta["val"]) in self.given for i in written):
            raise _Unsure
        node = self.graph.call_function(op, args, kwargs)
        node.meta["val"] = value
        node.stack_trace = line
        if self.layer:
            node.meta["nn_module_stack"] = self.layer
        return node

    def resolve(self, name: str, args: tuple, kwargs: dict) -> Any:
        """The overload that fits, by schema."""
        if not hasattr(aten, name):
            raise _Unsure

        values = fx.node.map_aggregate(args, _look), fx.node.map_aggregate(kwargs, _look)
        try:
            overload = torch._C._jit_resolve_packet(f"aten::{name}", *values[0], **values[1])
        except RuntimeError as error:
            raise _Unsure from error
        op = getattr(getattr(aten, name), overload or "default")
        if any(a.is_out for a in op._schema.arguments):
            raise _Unsure
        return op

    def index(self, source: fx.Node, index: Any, value: Any, line: str) -> fx.Node:
        """tensor[index], of numbers, slices, None and …, as a chain of views."""
        items = list(index) if isinstance(index, tuple | list) else [index]
        rank = source.meta["val"].dim()
        if isinstance(index, list) or any(isinstance(i, bool) for i in items):
            raise _Unsure
        taken = sum(i is not None and i is not Ellipsis for i in items)
        if items.count(Ellipsis) > 1 or taken > rank:
            raise _Unsure
        dim, node = 0, source

        def view(op: Any, *args: Any) -> None:
            nonlocal node
            node = self.emit(op, (node, *args), {}, op(node.meta["val"], *map(_look, args)), line)

        for item in items:
            if item is Ellipsis:
                dim += rank - taken
            elif item is None:
                view(aten.unsqueeze.default, dim)
                dim += 1
            elif _is_size(_look(item)):
                view(aten.select.int, dim, item)
            elif isinstance(item, slice):
                parts = (item.start, item.stop, item.step)
                if not all(p is None or _is_size(_look(p)) for p in parts):
                    raise _Unsure
                if parts != (None, None, None):
                    view(aten.slice.Tensor, dim, item.start, item.stop, 1 if item.step is None else item.step)
                dim += 1
            else:
                raise _Unsure
        if node is source or node.meta["val"].dim() != value.dim() or not _same_sizes(node.meta["val"], value):
            raise _Unsure
        return node

    def number(self, node: fx.Node, args: tuple, kwargs: dict) -> Any:
        """A size, or what Python computes of sizes."""
        value = node.meta["example_value"]
        if isinstance(value, int):
            return value
        if node.op == "call_method" and node.target == "size" and len(args) == 2 and not kwargs:
            made = self.graph.call_function(aten.sym_size.int, args)
        elif node.target is operator.getitem and isinstance(args[0], list):
            return args[0][args[1]]
        elif node.op == "call_function" and not kwargs and knows(op_name(node.target)):
            if not all(isinstance(_look(a), int | torch.SymInt) for a in args):
                raise _Unsure
            made = self.graph.call_function(node.target, args)
        else:
            raise _Unsure
        made.meta["val"] = value
        return made

    def sizes(self, source: fx.Node) -> list[Any]:
        """tensor.size(), tensor.shape"""
        made: list[Any] = []
        for i, size in enumerate(source.meta["val"].shape):
            if isinstance(size, torch.SymInt):
                node = self.graph.call_function(aten.sym_size.int, (source, i))
                node.meta["val"] = size
                made.append(node)
            else:
                made.append(size)
        return made

    def constant(self, tensor: torch.Tensor, value: Any) -> fx.Node:
        name = f"constant_{len(list(self.holder.buffers()))}"
        self.holder.register_buffer(name, tensor)
        node = self.graph.get_attr(name)
        node.meta["val"] = value
        self.given.add(_storage(value))
        return node

    def record(self, node: fx.Node, args: tuple, kwargs: dict) -> Any:
        """Whatever the function does; one tensor, or several."""
        if isinstance(node.target, torch._ops.HigherOrderOperator):
            raise _Unsure
        given = [a for a in tree_leaves([args, kwargs]) if isinstance(a, fx.Node)]

        values = fx.node.map_aggregate(args, _look), fx.node.map_aggregate(kwargs, _look)
        recorder = _Recorder(self, given, node.stack_trace or "")
        with torch.no_grad(), self.mode, recorder:
            if node.op == "call_method":
                made = getattr(values[0][0], node.target)(*values[0][1:], **values[1])
            else:
                made = node.target(*values[0], **values[1])
        if isinstance(made, torch.Tensor):
            return recorder.find(made)
        return [recorder.find(m) for m in made]

    def call(self, node: fx.Node) -> Any:
        last = next(iter(reversed(self.graph.nodes)), None)  # before 2.13 that is no iterator yet
        self.layer = node.meta.get("nn_module_stack")
        try:
            return self.call_known(node)
        except (_Unsure, TypeError):
            for extra in reversed(list(self.graph.nodes)):  # what was written down before that was known
                if extra is last:
                    break
                self.graph.erase_node(extra)
        args = fx.node.map_arg(node.args, self.made.__getitem__)
        return self.record(node, args, dict(fx.node.map_arg(node.kwargs, self.made.__getitem__)))

    def call_known(self, node: fx.Node) -> Any:
        args = fx.node.map_arg(node.args, self.made.__getitem__)
        kwargs = dict(fx.node.map_arg(node.kwargs, self.made.__getitem__))
        line = node.stack_trace or ""
        target = node.target
        if _is_size(node.meta.get("example_value")):
            return self.number(node, args, kwargs)
        if target is operator.getitem:
            if isinstance(args[0], list):
                return args[0][args[1]]
            if not isinstance(args[0].meta["val"], torch.Tensor):
                made = self.graph.call_function(operator.getitem, args)
                made.meta["val"] = _value(node)
                return made
            return self.index(args[0], args[1], _value(node), line)
        if node.op == "call_method" and target == "size" and len(args) == 1 and not kwargs:
            return self.sizes(args[0])
        value = _value(node)
        if target is torch.tensor and not any(isinstance(a, fx.Node) for a in tree_leaves([args, kwargs])):
            with unset_fake_temporarily():
                return self.constant(torch.tensor(*args, **kwargs), value)
        if node.op == "call_method":
            assert isinstance(target, str)
            if target in _TYPES and len(args) == 1 and not kwargs:
                if args[0].meta["val"].dtype == _TYPES[target]:
                    return args[0]
                return self.emit(aten._to_copy.default, args, {"dtype": _TYPES[target]}, value, line)
            if target == "contiguous" and _storage(args[0].meta["val"]) == _storage(value):
                return args[0]
            if target == "contiguous" and not kwargs and len(args) == 1:
                return self.emit(aten.clone.default, args, {}, value, line)
            if target in _SIZES and len(args) > 1 and _is_size(_look(args[1])):
                args = (args[0], list(args[1:]))
            if target in _SELF_SECOND and len(args) > 1:
                args = (args[1], args[0], *args[2:])
            name = target
        elif target in _FUNCTIONS:
            op, args, kwargs = _FUNCTIONS[target](*args, **kwargs)
            return args[0] if op is None else self.emit(op, args, kwargs, value, line)
        elif target in _IN_PLACE_LAST:
            in_place = kwargs.pop("inplace", args[-1] is True)
            args = tuple(a for a in args if not isinstance(a, bool))
            name = target.__name__ + ("_" if in_place else "")
        elif target in _OPERATORS:
            name = _OPERATORS[target]
        elif type(target).__name__ == "builtin_function_or_method":
            name = target.__name__
            if name in _FILLS and args and _is_size(_look(args[0])):
                args = (list(args),)
        else:
            raise _Unsure
        return self.emit(self.resolve(name, args, kwargs), args, kwargs, value, line)

    def run(self) -> torch.nn.Module:
        """The graph, in the attribute `graph` of a module that holds its constants: nothing will ask for its code."""
        for node in self.module.graph.nodes:
            if node.op == "placeholder" and isinstance(node.meta.get("example_value"), torch.SymInt):
                if not _is_size(node.meta["example_value"]):
                    raise _Unsure
                self.made[node] = made = self.graph.placeholder(node.name)
                made.meta["val"] = node.meta["example_value"]
            elif node.op == "placeholder":
                value = _value(node)
                if not isinstance(value, torch.Tensor) or value.is_complex():
                    raise _Unsure
                self.given.add(_storage(value))
                self.mode = value.fake_mode
                self.made[node] = made = self.graph.placeholder(node.name)
                made.meta["val"] = value
            elif node.op in ("call_function", "call_method"):
                if node.target is torch._C._set_grad_enabled and node.args[0] and not torch.is_grad_enabled():
                    raise _Unsure  # gradients are wanted of a part
                if node.target in _NOTHING:
                    continue
                if node.target is torch.amp.autocast_mode._enter_autocast:
                    if len(node.args) < 3 or node.args[2] is not False:
                        raise _Unsure
                    continue
                self.made[node] = self.call(node)
            elif node.op == "output":
                results = node.args[0]
                if not isinstance(results, tuple | list) or not all(isinstance(r, fx.Node) for r in results):
                    raise _Unsure
                nodes = [self.made[r] for r in results]
                if not all(isinstance(n, fx.Node) and isinstance(n.meta["val"], torch.Tensor) for n in nodes):
                    raise _Unsure
                memory = [_storage(n.meta["val"]) for n in nodes]
                if len(set(memory)) < len(memory) or self.given & set(memory):
                    raise _Unsure  # results that are views of each other, or of what was given
                self.graph.output(tuple(nodes))
            else:
                raise _Unsure
        self.holder.graph = self.graph
        return self.holder


def convert(module: fx.GraphModule, inputs: Any) -> torch.nn.Module | None:
    """The graph in ATen ops; None where AOTAutograd has to look at it: something else than inference on plain
    tensors."""
    if (
        torch.is_autocast_enabled("cpu")
        or torch.is_autocast_enabled("cuda")
        or torch.get_default_dtype() != torch.float32
    ):
        return None
    if torch.is_grad_enabled() and any(isinstance(x, torch.Tensor) and x.requires_grad for x in tree_leaves(inputs)):
        return None
    if any(True for _ in module.parameters()) or any(True for _ in module.buffers()):
        return None
    try:
        return _Converter(module).run()
    except Exception:  # whatever it is: nothing was changed, and there is another way
        return None


def weights(module: fx.GraphModule) -> list[int]:
    """Inputs of dynamo's graph that are parameters or buffers."""
    holders = [n for n in module.graph.nodes if n.op == "placeholder"]
    return [i for i, n in enumerate(holders) if n.meta.get("tensor_dict", {}).get("_dynamo_static_input_type")]
