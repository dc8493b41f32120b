"""Forward and gradient as one graph, before it is split in two: what is saved between them is decided here."""

from __future__ import annotations

import copy
import operator
from typing import Any

import torch
from torch import fx
from torch._functorch.partitioners import default_partition

from tenfold.torch import cuda

aten = torch.ops.aten
_VIEWS = {
    *(aten.alias.default, aten.detach.default, aten.permute.default, aten.t.default, aten.transpose.int),
    *(aten.unsqueeze.default, aten.squeeze.default, aten.squeeze.dim, aten.squeeze.dims),
    *(aten.view.default, aten._unsafe_view.default, aten.reshape.default),
}
_POOL_ARGS = ("kernel_size", "stride", "padding", "dilation", "ceil_mode")


def _arguments(node: fx.Node) -> dict[str, Any]:
    """By name, with what is left out as the schema has it."""
    names = [a.name for a in node.target._schema.arguments]
    defaults = {a.name: a.default_value for a in node.target._schema.arguments if a.has_default_value()}
    given = {**defaults, **dict(zip(names, node.args, strict=False)), **node.kwargs}
    return {name: list(v) if isinstance(v, list | tuple) else v for name, v in given.items()}


def _pooling_of(indices: Any) -> fx.Node | None:
    """The max pooling that the indices are a result of."""
    if not isinstance(indices, fx.Node) or indices.target is not operator.getitem or indices.args[1] != 1:
        return None
    made = indices.args[0]
    return made if made.target is aten.max_pool2d_with_indices.default else None


def _find_maxima_again(graph: fx.Graph) -> None:
    """The gradient of max pooling by its input, which is saved in any case, in place of indices of eight bytes for each
    window: finding a maximum once more costs less than writing and reading where it was."""
    for node in list(graph.nodes):
        if node.target is not aten.max_pool2d_with_indices_backward.default:
            continue
        given = _arguments(node)
        pooling = _pooling_of(given["indices"])
        made = _arguments(pooling) if pooling is not None else {}
        if any(made.get(name) != given[name] for name in ("self", *_POOL_ARGS)):
            continue
        if given["dilation"] not in (1, [1], [1, 1]):
            continue
        with graph.inserting_before(node):
            args = (given["grad_output"], given["self"], *(given[name] for name in _POOL_ARGS))
            by_input = graph.call_function(aten.max_pool2d_backward.default, args)
        by_input.meta = dict(node.meta)
        node.replace_all_uses_with(by_input)
        graph.erase_node(node)
        if not given["indices"].users:
            graph.erase_node(given["indices"])


_BY_RESULT = {
    aten.hardtanh_backward.default: aten.hardtanh.default,
    aten.leaky_relu_backward.default: aten.leaky_relu.default,
}


def _differentiate_by_result(graph: fx.Graph) -> None:
    """Gradients of activations that keep on which side of a bound an element lies, by their result in place of their
    input: the next layer saves the result in any case, and the input often nobody else. Not where the caller gets the
    result, who may write to it."""
    end = next(n for n in reversed(graph.nodes) if n.op == "output")
    returned = {_base(n) for n in end.all_input_nodes}
    for node in list(graph.nodes):
        if node.target not in _BY_RESULT:
            continue
        given = _arguments(node)
        if given.get("negative_slope", 1.0) <= 0 or not isinstance(given["self"], fx.Node):
            continue
        same = [name for name in given if name not in ("grad_output", "self_is_result")]
        for made in given["self"].users:
            if made.target is not _BY_RESULT[node.target] or made in returned:
                continue
            if all(_arguments(made)[name] == given[name] for name in same):
                node.replace_input_with(given["self"], made)
                break


def _mutated(graph: fx.Graph) -> set[fx.Node]:
    """Inputs that are written to, by the graph or by AOTAutograd after it. While the two parts are still one graph the
    latter are not known; but then autograd has refused a gradient that needs what is written to."""
    writes = (n for n in graph.nodes if isinstance(n.target, torch._ops.OpOverload) and n.target._schema.is_mutable)
    found = {arg for n in writes for arg in n.all_input_nodes}
    metadata = getattr(torch._guards.TracingContext.try_get(), "fw_metadata", None)
    infos = getattr(metadata, "input_info", None) or ()
    holders = [n for n in graph.nodes if n.op == "placeholder"]
    if getattr(metadata, "tokens", None):
        return found | set(holders)
    return found | {holder for holder, info in zip(holders, infos, strict=False) if info.mutates_data}


def _forward_nodes(graph: fx.Graph) -> set[fx.Node]:
    """As PyTorch's default partition has them: all up to the last one that belongs to the forward part."""
    nodes = list(graph.nodes)
    mine = [i for i, n in enumerate(nodes) if n.meta.get("partitioner_tag") == "is_forward"]
    return set(nodes[: max(mine) + 1]) if mine else set(nodes)


def _base(node: fx.Node) -> fx.Node:
    while node.op == "call_function" and (node.target in _VIEWS or node.target is aten.expand.default):
        node = node.args[0]
    return node


def _repeat_for_backward(graph: fx.Graph, node: fx.Node, forward: set[fx.Node]) -> None:
    """What the backward part uses of a node's result it computes itself."""
    users = [u for u in node.users if u not in forward and u.op != "output"]
    if not users:
        return
    place = next(n for n in graph.nodes if n in users)
    with graph.inserting_before(place):
        again = graph.call_function(node.target, node.args, node.kwargs)
    again.meta = {**node.meta, "partitioner_tag": "is_backward"}
    for user in users:
        user.replace_input_with(node, again)


_MOVES = {aten.expand.default, aten.clone.default, aten.select.int, aten.slice.Tensor}
_WIDENS = {aten._to_copy.default, torch.ops.prims.convert_element_type.default}
_PARTS_MOST = 4  # queries, keys and values are three parts of one tensor


def _is_quick(node: fx.Node) -> bool:
    """Whether it moves elements, widens a tensor of 16-bit floats, or multiplies one by a number: reading the narrow
    tensor and doing so again takes less than saving what it gives."""
    value, sources = node.meta.get("val"), node.all_input_nodes
    given = sources[0].meta.get("val") if len(sources) == 1 else None
    if node.op != "call_function" or not isinstance(value, torch.Tensor) or not isinstance(given, torch.Tensor):
        return False
    if node.target in _VIEWS:
        return True
    if node.target in _MOVES:
        return all(type(s) is int for s in given.shape) and given.numel() <= _PARTS_MOST * value.numel()
    if value.dtype != torch.float32:
        return False
    return node.target is aten.mul.Scalar or (node.target in _WIDENS and given.dtype in (torch.bfloat16, torch.float16))


_SOFTMAX = {aten._softmax.default, aten._safe_softmax.default}
_MASKS = {aten.add.Tensor, aten.add.Scalar, aten.mul.Tensor, aten.mul.Scalar, aten.div.Tensor, aten.div.Scalar}
_MASKS |= {aten.masked_fill.Scalar, aten.where.self, aten.where.ScalarSelf, aten.where.ScalarOther}
_WIDTH_MOST = 128  # of heads, for the library's kernels


def _is_narrow_product(node: fx.Node) -> bool:
    """Whether it multiplies f32 matrices that were 16-bit floats, as wide as the kernels for attention take them."""
    value = node.meta.get("val")
    if node.target is not aten.bmm.default or not isinstance(value, torch.Tensor) or value.dtype != torch.float32:
        return False
    sources = [_source(n).meta.get("val") for n in node.all_input_nodes]
    narrow = {s.dtype for s in sources if isinstance(s, torch.Tensor)}
    width = node.args[0].meta["val"].shape[2]
    return len(narrow) == 1 and narrow <= {torch.bfloat16, torch.float16} and width % 16 == 0 and width <= _WIDTH_MOST


def _weights_of(node: fx.Node) -> set[fx.Node]:
    """From a softmax back to the product that its scores are made of; empty: it is not an attention's."""
    value, found = node.meta.get("val"), {node}
    if node.target not in _SOFTMAX or not isinstance(value, torch.Tensor) or value.dtype != torch.float32:
        return set()
    if node.args[1] not in (-1, value.dim() - 1) or not all(type(size) is int for size in value.shape):
        return set()
    node = node.args[0]
    while node.target in _MASKS or node.target in _VIEWS:
        found.add(node)
        wide = [
            n
            for n in node.all_input_nodes
            if n.meta["val"].numel() == value.numel() and n.meta["val"].dtype == value.dtype
        ]
        if len(wide) != 1:
            return set()
        node = wide[0]
    return found | {node} if _is_narrow_product(node) else set()


def _scale_again(graph: fx.Graph) -> None:
    """On a GPU the queries and keys of an attention are saved as they are, not widened and scaled; and its views. Its
    weights are not saved: one kernel computes them again for the gradient."""
    forward, mutated = _forward_nodes(graph), _mutated(graph)
    again = {n for node in graph.nodes if node in forward for n in _weights_of(node)}
    for node in reversed([n for n in graph.nodes if n in forward]):
        if (_is_quick(node) or node in again) and _source(node) not in mutated:
            _repeat_for_backward(graph, node, forward)


def _source(node: fx.Node) -> fx.Node:
    while _is_quick(node):
        node = node.all_input_nodes[0]
    return node


def _view_again(graph: fx.Graph) -> None:
    """Views that both parts use are made in both. What is saved is then what they are views of: a weight itself, not
    its transpose written out, the result of an activation once, not once more as `detach` gives it, and one column of
    indices, not as many as an expanded one has."""
    forward, mutated = _forward_nodes(graph), _mutated(graph)
    for node in reversed([n for n in graph.nodes if n in forward]):
        if _base(node) is node or len(node.all_input_nodes) != 1 or _base(node) in mutated:
            continue
        _repeat_for_backward(graph, node, forward)


def _write_forward(graph: fx.Graph) -> None:
    """Inputs that the forward part updates are written there: AOTAutograd has the writes at the joint graph's end."""
    forward = _forward_nodes(graph)
    last = [n for n in graph.nodes if n in forward][-1]
    for node in list(graph.nodes):
        if node.target is not aten.copy_.default or node in forward or node.args[0].op != "placeholder":
            continue
        if node.args[1] in forward and node.meta.get("partitioner_tag") != "must_be_in_backward":
            last.append(node)
            node.meta["partitioner_tag"] = "is_forward"
            last = node


def _drop_statistics(graph: fx.Graph) -> None:
    """The gradient of a batch norm in training reads the statistics of the batch. Without its operands for the running
    ones, these need not be saved."""
    for node in graph.nodes:
        if node.target is not aten.native_batch_norm_backward.default or not _arguments(node)["train"]:
            continue
        names = [a.name for a in node.target._schema.arguments]
        node.args = tuple(
            None if name in ("running_mean", "running_var") else arg
            for name, arg in zip(names, node.args, strict=False)
        )


_BAGS = {aten._embedding_bag_backward.default, aten._embedding_bag_dense_backward.default}


def _drop_bags(graph: fx.Graph) -> None:
    """The gradient of an embedding bag that sums its rows reads neither the bags' sizes nor the maxima, and the offsets
    tell which bag a row is in. Operands that are not read are replaced by one that is."""
    for node in graph.nodes:
        if node.target not in _BAGS:
            continue
        given = _arguments(node)
        if given["mode"] != 0 or given["scale_grad_by_freq"] or given.get("per_sample_weights") is not None:
            continue
        names = [a.name for a in node.target._schema.arguments]
        rest = given["offsets"] if "offsets" in given else given["offset2bag"]
        unread = ("bag_size", "maximum_indices", *(["offset2bag"] if "offsets" in given else []))
        node.args = tuple(rest if name in unread else arg for name, arg in zip(names, node.args, strict=False))


_MAKES = {
    *(aten.arange.default, aten.arange.start, aten.arange.start_step, aten.full.default, aten.scalar_tensor.default),
    *(aten.zeros.default, aten.ones.default, torch.ops.prims.iota.default),
}


_FILLS: dict[Any, Any] = {  # the operand with the value, or the value
    **{aten.zeros_like.default: 0, aten.ones_like.default: 1, aten.full_like.default: "fill_value"},
    **{aten.new_zeros.default: 0, aten.new_ones.default: 1, aten.new_full.default: "fill_value"},
}


def _fill_by_sizes(graph: fx.Graph) -> None:
    """What is filled with one number in the shape of another tensor is made by the shape: otherwise the gradient saves
    a tensor of which it reads nothing but the sizes."""
    for node in [n for n in graph.nodes if n.target in _FILLS]:
        made, number = node.meta.get("val"), _FILLS[node.target]
        number = _arguments(node)[number] if isinstance(number, str) else number
        if not isinstance(made, torch.Tensor) or not isinstance(number, bool | int | float | complex):
            continue
        if not all(type(size) is int for size in made.shape) or not made.is_contiguous():
            continue
        with graph.inserting_before(node):
            kinds = {"dtype": made.dtype, "layout": made.layout, "device": made.device, "pin_memory": False}
            filled = graph.call_function(aten.full.default, (list(made.shape), number), kinds)
        filled.meta = dict(node.meta)
        node.replace_all_uses_with(filled)
        graph.erase_node(node)


def _make_again(graph: fx.Graph) -> None:
    """What is made of nothing is made again for the gradient, not saved: there it is known, too, what it is."""
    forward = _forward_nodes(graph)
    for node in [n for n in graph.nodes if n in forward and n.target in _MAKES and not n.all_input_nodes]:
        _repeat_for_backward(graph, node, forward)


def given_back(module: fx.GraphModule, returned: int) -> tuple[fx.GraphModule, list[tuple[int, int]]]:
    """A forward graph without those of its results, after the first `returned`, that are its own inputs: where each
    such result stands, and which input it is. They are saved as they are, not copied."""
    holders = [n for n in module.graph.nodes if n.op == "placeholder"]
    output = next(n for n in reversed(module.graph.nodes) if n.op == "output").args[0]
    mutated = _mutated(module.graph)
    if not isinstance(output, list | tuple):
        return module, []
    places = {n: i for i, n in enumerate(holders) if n not in mutated}
    found = [(i, places[n]) for i, n in enumerate(output) if i >= returned and n in places]
    if not found:
        return module, []
    rest = fx.GraphModule(module, copy.deepcopy(module.graph))  # tensors that it holds are not copied
    end = next(n for n in reversed(rest.graph.nodes) if n.op == "output")
    gone = {i for i, _ in found}
    end.args = ([n for i, n in enumerate(end.args[0]) if i not in gone],)
    rest.recompile()
    return rest, found


def partition(module: fx.GraphModule, inputs: Any, **settings: Any) -> tuple[fx.GraphModule, fx.GraphModule]:
    _write_forward(module.graph)
    _drop_statistics(module.graph)
    _drop_bags(module.graph)
    _fill_by_sizes(module.graph)
    _make_again(module.graph)
    _find_maxima_again(module.graph)
    _differentiate_by_result(module.graph)
    (_scale_again if cuda.is_used(module.graph) else _view_again)(module.graph)
    return default_partition(module, inputs, **settings)
