"""Graphs that are compiled whole, or in parts around ops that run in eager mode."""

from __future__ import annotations

import copy
import operator
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any

import torch
from torch import fx
from torch.fx.passes.infra.partitioner import CapabilityBasedPartitioner
from torch.fx.passes.operator_support import OperatorSupportBase

from tenfold import _core
from tenfold.torch.compiled import ALL, Compiled, hint
from tenfold.torch.fx import knows, op_name
from tenfold.torch.report import Options, fallback_lines, fallbacks, line_of, warn


class _Support(OperatorSupportBase):
    def __init__(self, refused: dict[str, str], graph: fx.Graph) -> None:
        self.refused = refused
        self.views = {view for n in graph.nodes if _reads_memory(n, refused) for view in _views_before(n)}

    def is_node_supported(self, submodules: Any, node: fx.Node) -> bool:
        if node.op != "call_function" or node in self.views:
            return False
        name = op_name(node.target)
        return name == "_operator.getitem" or (name not in self.refused and knows(name))


def _reads_memory(node: fx.Node, refused: dict[str, str]) -> bool:
    """Whether the node runs in eager mode and reads what its tensor is a part of."""
    name = op_name(node.target) if node.op == "call_function" else ""
    return name.startswith("aten.as_strided") and name in refused


def _views_before(node: fx.Node) -> list[fx.Node]:
    """The views that lead from a tensor with memory of its own to what the node reads: they run where it does."""
    found: list[fx.Node] = []
    at = node.args[0]
    while isinstance(at, fx.Node) and isinstance(at.target, torch._ops.OpOverload):
        given = at.target._schema.arguments[0].alias_info if at.target._schema.arguments else None
        if given is None or given.is_write:
            break
        found.append(at)
        at = at.args[0]
    return found


def _example(node: fx.Node) -> Any:
    value = node.meta.get("val", node.meta.get("example_value"))
    if isinstance(value, torch.Tensor):
        return torch.empty([hint(s) for s in value.shape], dtype=value.dtype, device="meta")
    return value


def _refused_op(message: str, names: set[str]) -> str | None:
    """The op an error of the library speaks of: the longest name that occurs in it."""
    found = [n for n in names if n in message]
    return max(found, key=len) if found else None


def _unwrap_effects(module: fx.GraphModule) -> None:
    """Checks that AOTAutograd keeps in order by tokens become plain ops, where there is a lowering: a program runs its
    checks whatever the order."""
    graph, found = module.graph, False
    for node in list(graph.nodes):
        if node.target is not torch.ops.higher_order.with_effects or not knows(op_name(node.args[1])):
            continue
        if any(user.target is not operator.getitem for user in node.users):
            continue
        token, op, *args = node.args
        token.meta["is_token"] = True
        results = node.meta.get("val", (None, None))[1:]
        with graph.inserting_before(node):
            made = graph.call_function(op, tuple(args), dict(node.kwargs))
        made.meta = {**node.meta, "val": results[0] if len(results) == 1 else tuple(results)}
        for user in list(node.users):
            if user.args[1] == 0 or len(results) == 1:
                user.replace_all_uses_with(token if user.args[1] == 0 else made)
                graph.erase_node(user)
            else:
                user.args = (made, user.args[1] - 1)
        graph.erase_node(node)
        found = True
    if found:
        module.recompile()


def _is_single(part: fx.GraphModule) -> bool:
    """Whether it returns one value, and no list of them."""
    return not isinstance(next(n for n in reversed(part.graph.nodes) if n.op == "output").args[0], list | tuple)


def compile_graph(
    module: fx.GraphModule,
    example_inputs: Sequence[Any],
    chosen: Options,
    steady: Mapping[int, bool] | None = None,
    laid: int = ALL,
    last: Collection[str] = (),
    later: bool = False,
) -> Callable[..., Any]:
    """A callable for the graph: one executable where every op has a lowering, else executables around eager parts.
    later: it may be compiled on a thread of its own, for which its first call waits."""
    _unwrap_effects(module)
    nodes = [n for n in module.graph.nodes if n.op == "call_function"]
    ops = {op_name(n.target): n for n in nodes}
    refused: dict[str, str] = {n: "no lowering" for n in ops if n != "_operator.getitem" and not knows(n)}
    if not refused:
        try:
            aside = compile_graph if later else None
            return Compiled(module, example_inputs, chosen, steady, laid, aside=aside, last=last)
        except (_core.Error, NotImplementedError, KeyError) as error:
            op = _refused_op(str(error), set(ops))
            if "while opening the device" in str(error):
                raise  # nothing will run there
            if op is None:
                warn(chosen, "a graph", line_of(nodes[0]) if nodes else "", str(error))
                fallbacks["graph"] += 1
                return module.forward
            refused[op] = str(error).splitlines()[0]
    for _ in range(len(ops)):
        for op in refused:
            warn(chosen, op, line_of(ops[op]), refused[op])
        whole = fx.GraphModule(module, copy.deepcopy(module.graph))  # tensors that it holds are not copied
        partitioner = CapabilityBasedPartitioner(
            whole, _Support(refused, whole.graph), allows_single_node_partition=True
        )
        split = partitioner.fuse_partitions(partitioner.propose_partitions())
        failed = None
        for name, part in list(split.named_children()):
            if not isinstance(part, fx.GraphModule) or not name.startswith("fused_"):
                continue
            call = next(n for n in split.graph.nodes if n.op == "call_module" and n.target == name)
            try:
                examples = [_example(a) if isinstance(a, fx.Node) else a for a in call.args]
                compiled = Compiled(part, examples, chosen, apart=False)
            except (_core.Error, NotImplementedError, KeyError) as error:
                failed = _refused_op(
                    str(error), {op_name(n.target) for n in part.graph.nodes if n.op == "call_function"}
                )
                if failed is None:
                    continue
                refused[failed] = str(error).splitlines()[0]
                break
            setattr(split, name, _Part(compiled, _is_single(part)))
        if failed is None:
            for op in refused:
                fallbacks[op] += 1
                fallback_lines[line_of(ops[op])] += 1
            split.recompile()
            return split.forward
    return module.forward


class _Part(torch.nn.Module):
    """A compiled part inside a graph whose other parts run in eager mode."""

    def __init__(self, compiled: Compiled, single: bool) -> None:
        super().__init__()
        self.compiled = compiled
        self.single = single

    def forward(self, *inputs: Any) -> Any:
        results = self.compiled(*inputs)
        return results[0] if self.single else tuple(results)
