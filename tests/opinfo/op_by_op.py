"""Every ATen op of a call, lowered and run alone by the interpreter, and compared with the CPU at once.

Where the lazy device says that a sample is wrong, this says which op is. Values handed on are the CPU's, so that one
wrong op is one failure.
"""

from __future__ import annotations

import operator
from collections import Counter
from types import SimpleNamespace
from typing import Any

import torch
from samples import TIES, Sample, compare
from tenfold import _core
from tenfold.torch.fx import op_name, serialize
from torch import fx
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_flatten, tree_map

# Reads of a value, and sizes that depend on data: a device answers these by running what is pending.
READS = {
    "_local_scalar_dense",
    "equal",
    "is_nonzero",
    "masked_select",
    "nonzero",
    "unique_dim",
    "_unique2",
    "_unique",
    "unique_consecutive",
    "unique_dim_consecutive",
    "is_same_size",
    "record_stream",
    "_conj",
    "_neg_view",
}
DRAWN = ("rand", "dropout", "bernoulli", "normal", "multinomial", "uniform", "exponential", "empty", "cauchy", "rrelu")
DRAWN += ("geometric", "random", "resize", "poisson", "binomial", "_sample_dirichlet", "_standard_gamma")


class OpByOp(TorchDispatchMode):
    def __init__(self, tolerance: tuple[float, float] | None) -> None:
        super().__init__()
        self.fallbacks: Counter[str] = Counter()
        self.failures: list[tuple[str, str, str]] = []
        self.sample = Sample(lambda move: (None, []), False, tolerance, "")

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        kwargs = kwargs or {}
        name = op_name(func)
        bare = func._schema.name.split("::")[1]
        if bare in READS or bare.startswith(("sparse", "_sparse", "_nested", "to_sparse", "_to_sparse")):
            if bare not in ("_local_scalar_dense", "equal", "is_nonzero", "is_same_size", "_conj", "_neg_view"):
                self.fallbacks[name] += 1
            return func(*args, **kwargs)
        if any(isinstance(t, torch.Tensor) and t.layout != torch.strided for t in tree_flatten((args, kwargs))[0]):
            self.fallbacks[name] += 1
            return func(*args, **kwargs)
        if not _core.knows(name):
            rule = torch._decomp.decomposition_table.get(func)
            if rule is not None:
                with self:
                    made = rule(*args, **kwargs)
                if made is not NotImplemented:
                    return made
            self.fallbacks[name] += 1
            return func(*args, **kwargs)
        before = tree_map(lambda t: t.detach().clone() if isinstance(t, torch.Tensor) else t, (args, kwargs))
        result = func(*args, **kwargs)
        try:
            why = self.check(func, before, (args, kwargs), result, any(word in bare for word in DRAWN))
            if why:
                self.failures.append((name, "wrong", f"{why} [{self.text(before)}]"))
        except _core.UnsupportedError as error:
            self.fallbacks[name] += 1
            self.failures.append((name, "refused", f"{str(error).splitlines()[0]} [{self.text(before)}]"))
        except Exception as error:
            self.failures.append((name, "error", f"{type(error).__name__}: {error} [{self.text(before)}]"[:500]))
        return result

    def text(self, given: Any) -> str:
        parts = []
        for value in [*given[0], *given[1].items()]:
            flat = tree_flatten(value)[0]
            parts.append(
                ",".join(
                    f"{str(v.dtype).removeprefix('torch.')}{list(v.shape)}" if isinstance(v, torch.Tensor) else repr(v)
                    for v in flat
                )
            )
        return "; ".join(parts)[:200]

    def check(self, func: Any, before: Any, after: Any, result: Any, drawn: bool) -> str:
        graph, inputs, written = build(func, before, after, result)
        text, _ = serialize(SimpleNamespace(graph=graph))
        program = _core.graph(text)
        made = program.compile(inputs=[list(t.shape) for t in inputs], device="interp")
        values = [torch.from_dlpack(r) for r in made(*[t.resolve_conj().resolve_neg() for t in inputs])]
        expected = [t for t in tree_flatten(result)[0] if isinstance(t, torch.Tensor)]
        self.sample.random = drawn
        self.sample.ties = before[0][0] if func._schema.name.removeprefix("aten::") in TIES else None
        for i, (want, have) in enumerate(zip(expected, values, strict=False)):
            why = compare(want, have, self.sample)
            if why:
                return f"result {i}: {why}"
        for i, update in enumerate(made.updates):
            if isinstance(update, int) and not isinstance(update, bool):
                why = compare(written[update], values[i], self.sample)
                if why:
                    return f"written {update}: {why}"
        return ""


def build(func: Any, before: Any, after: Any, result: Any) -> tuple[fx.Graph, list[torch.Tensor], list[torch.Tensor]]:
    """A graph of the one op; its inputs; and what those hold after the op ran."""
    graph, inputs, written = fx.Graph(), [], []
    for have, then in zip(tree_flatten(before)[0], tree_flatten(after)[0], strict=True):
        if isinstance(have, torch.Tensor):
            inputs.append(have)
            written.append(then)
    numbers = iter(range(len(inputs)))

    def place(value: Any) -> Any:
        if not isinstance(value, torch.Tensor):
            return value
        node = graph.placeholder(f"arg{next(numbers)}")
        node.meta["val"] = value
        return node

    args, kwargs = tree_map(place, before)
    call = graph.call_function(func, tuple(args), kwargs)
    call.meta["val"] = result
    results: list[fx.Node] = []
    if isinstance(result, torch.Tensor):
        results = [call]
    elif isinstance(result, list | tuple):
        for i, part in enumerate(result):
            if isinstance(part, torch.Tensor):
                node = graph.call_function(operator.getitem, (call, i))
                node.meta["val"] = part
                results.append(node)
    graph.output(tuple(results))
    return graph, inputs, written
