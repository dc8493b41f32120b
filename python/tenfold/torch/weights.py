"""Which weights of an inference graph are compiled in."""

from __future__ import annotations

import os
from collections.abc import Iterable

import torch
from torch import fx

from tenfold.torch.fx import op_name

_VIEWS = ("aten.t.default", "aten.permute.default", "aten.transpose.int")
_MOVES = (*_VIEWS, "aten.view.default", "aten.unsqueeze.default", "aten.slice.Tensor", "aten.expand.default",
          "aten.select.int", "aten._to_copy.default", "aten.clone.default")  # fmt: skip
_MULTIPLY = ("linear", "addmm", ".mm.", "matmul")
FEW = 24  # rows that are multiplied by a matrix as it lies (kernels/gemm_few.c)
SMALL = 16 << 10  # bytes
SHARE = 8  # of the machine's memory that packed copies may take: one part in so many


def choose(graph: fx.Graph, indices: Iterable[int], freeze: bool | None) -> dict[int, bool]:
    """Inputs, of those that are parameters or buffers, that the graph does not write to, and that are worth compiling
    in. True: only if the system tells of writes to them. freeze: as in Options."""
    if freeze is False:
        return {}
    holders = [n for n in graph.nodes if n.op == "placeholder"]
    written = {n for node in graph.nodes if _writes(node) for n in node.args if isinstance(n, fx.Node)}
    found = {i: holders[i] for i in indices if i < len(holders) and holders[i] not in written}
    if freeze:
        return {i: False for i, holder in found.items() if not _is_table(holder)}
    folded = _folded(graph, {h for h in found.values() if 0 < _bytes(h) <= SMALL})
    made = {i: False for i, holder in found.items() if holder in folded or _gains(holder)}
    packed = {i: True for i, holder in found.items() if i not in made and _is_packed(holder)}
    room = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") // SHARE
    return made | packed if sum(_bytes(holders[i]) for i in packed) <= room else made


def _gains(holder: fx.Node) -> bool:
    """What is transformed once, or folded into a neighbour. A table of rows never gains."""
    return any(any(word in op_name(user.target) for word in ("conv", "batch_norm")) for user in holder.users) or (
        # Bf16 matmuls take matrices in pairs of rows: to make those of a matrix takes longer than to compare it.
        _is_matrix(holder, torch.bfloat16) and any(_rows(user) for user in holder.users)
    )


def _is_packed(holder: fx.Node) -> bool:
    """Whether a matmul of f32 packs it at each call. To compare it takes nearly as long as that."""
    return _is_matrix(holder, torch.float32) and any(_rows(user) > FEW for user in holder.users)


def _is_matrix(holder: fx.Node, dtype: torch.dtype) -> bool:
    value = holder.meta.get("val")
    return isinstance(value, torch.Tensor) and value.dtype == dtype and value.dim() == 2


def _rows(node: fx.Node) -> int:
    """The most rows that a matmul multiplies by what the node gives; 0: there is none."""
    name = op_name(node.target)
    if name in _VIEWS:
        return max((_rows(user) for user in node.users), default=0)
    made = node.meta.get("val")
    if not any(word in name for word in _MULTIPLY) or not isinstance(made, torch.Tensor) or not made.dim():
        return 0
    sizes = [s if isinstance(s, int) else FEW + 1 for s in made.shape]
    rows = 1
    for size in sizes[:-1]:
        rows *= size
    return rows


def _folded(graph: fx.Graph, small: set[fx.Node]) -> set[fx.Node]:
    """Of small weights, those from which alone something is computed: positions, say, that no input changes."""
    known: set[fx.Node] = set(small)
    sources: dict[fx.Node, set[fx.Node]] = {n: {n} for n in small}
    found: set[fx.Node] = set()
    for node in graph.nodes:
        if node.op == "get_attr":
            known.add(node)
        if node.op != "call_function" or _writes(node) or not all(n in known for n in node.all_input_nodes):
            continue
        known.add(node)
        sources[node] = {s for n in node.all_input_nodes for s in sources.get(n, ())}
        if op_name(node.target) not in _MOVES:
            found |= sources[node]
    return found


def _bytes(holder: fx.Node) -> int:
    value = holder.meta.get("val")
    if not isinstance(value, torch.Tensor) or any(not isinstance(s, int) for s in value.shape):
        return 0
    return value.numel() * value.element_size()


def _is_table(holder: fx.Node) -> bool:
    return all(user.target is torch.ops.aten.embedding.default and user.args[0] is holder for user in holder.users)


def _writes(node: fx.Node) -> bool:
    return isinstance(node.target, torch._ops.OpOverload) and node.target._schema.is_mutable
