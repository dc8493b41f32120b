"""torch.compile(model, backend="tenfold"): graphs of AOTAutograd, each compiled whole by the library.

Parts whose ops have no lowering run in eager mode, once warned about, and are counted (`tenfold.stats()`).
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Sequence
from dataclasses import astuple, replace
from functools import partial
from typing import Any

import torch
from torch import fx
from torch._dynamo.backends.common import aot_autograd
from torch._functorch.aot_autograd import make_boxed_func

from tenfold import _core, names
from tenfold.torch import cuda, direct, joint, recurrent, updates, weights
from tenfold.torch.compiled import ALL, Compiled
from tenfold.torch.dynamo import tracing
from tenfold.torch.fx import knows, op_name
from tenfold.torch.partition import compile_graph
from tenfold.torch.report import Options, options
from tenfold.torch.saved import laid_last

# Recurrent layers are traced too; dynamo leaves them to eager mode unless told so.
torch._dynamo.config.allow_rnn = True
tracing.install()
_backends: dict[tuple, Callable[..., Any]] = {}


def _static_inputs() -> list[int]:
    context = torch._guards.TracingContext.try_get()
    metadata = getattr(context, "fw_metadata", None)
    return list(getattr(metadata, "static_input_indices", None) or [])


def _returns() -> int:
    """How many results of a forward graph are the caller's; the others are kept for its gradient."""
    context = torch._guards.TracingContext.try_get()
    return getattr(getattr(context, "fw_metadata", None), "num_forward_returns", 0)


def _compiler(module: fx.GraphModule, example_inputs: Sequence[Any], chosen: Options, stage: str) -> Callable[..., Any]:
    """stage: "inference", or "forward" or "backward" of training."""
    steady = weights.choose(module.graph, _static_inputs(), chosen.freeze) if stage == "inference" else None
    laid = {"inference": ALL, "forward": _returns(), "backward": 0}[stage]
    last = laid_last(module, stage, laid)
    rest, back = joint.given_back(module, laid) if stage == "forward" else (module, [])
    made = compile_graph(rest, example_inputs, chosen, steady, laid, last, later=stage != "inference")
    noted = stage != "forward" or not chosen.fused_optimizer or chosen.device != "cpu"
    if not isinstance(made, Compiled) and not back and noted:
        return make_boxed_func(made)
    run = made.run if isinstance(made, Compiled) else lambda inputs: list(made(*inputs))

    def boxed(inputs: list[Any]) -> list[Any]:  # AOTAutograd hands over a list
        nonlocal noted
        if not noted:
            updates.note(inputs)
            noted = True
        if not back:
            return run(inputs)
        results = list(run(inputs))
        for place, index in back:
            results.insert(place, inputs[index])
        return results

    boxed._boxed_call = True  # type: ignore[attr-defined]
    return boxed


def _decompositions() -> dict[Any, Any]:
    """PyTorch's own decompositions of ops that have no lowering here; those that have one are lowered whole."""
    table = torch._decomp.core_aten_decompositions()
    extra = torch._decomp.decomposition_table
    chosen = {op: rule for op, rule in dict(table).items() if not knows(op_name(op))}
    for op, rule in extra.items():
        if isinstance(op, torch._ops.OpOverload) and op not in chosen and not knows(op_name(op)):
            chosen[op] = rule
    return chosen


def _compile_directly(module: fx.GraphModule, example_inputs: Sequence[Any], chosen: Options) -> Any:
    """An inference graph that needs nothing of AOTAutograd, neither when it is compiled nor when it is called."""
    graph = direct.convert(module, example_inputs)
    if graph is None:
        return None
    try:
        made = Compiled(
            graph,
            example_inputs,
            chosen,
            weights.choose(graph.graph, direct.weights(module), chosen.freeze),
            aside=compile_graph,
            apart=False,
        )
    except (_core.Error, NotImplementedError, KeyError):
        return None  # some op is refused: AOTAutograd may take it apart, or the graph is split around it
    return made.__call__


def _name_assertions(module: fx.GraphModule) -> None:
    """AOTAutograd drops assertions without a message; eager mode raises this one for them."""
    for node in module.graph.nodes:
        if node.target is torch._assert_async and len(node.args) == 1 and not node.kwargs:
            node.args = (*node.args, "Expected Tensor with single nonzero value, but got zero")


def backend(module: fx.GraphModule, example_inputs: Sequence[Any], **settings: Any) -> Callable[..., Any]:
    """The dynamo backend "tenfold". torch.compile's `options` are those of Options."""
    wanted = settings.get("options") or {}
    for name in wanted:
        names.check("option", name, Options.__dataclass_fields__)
    chosen = replace(options, **wanted).check()
    _name_assertions(module)
    made = _compile_directly(module, example_inputs, chosen)
    if made is not None:
        return made
    # Then the graph itself writes to inputs, such as a cache or running statistics, without a copy.
    writes = cuda.is_used(module.graph) or (chosen.device == "cpu" and not torch.is_grad_enabled())
    key = (*astuple(chosen), writes)
    made = _backends.get(key)
    if made is None:
        made = _backends[key] = aot_autograd(
            fw_compiler=partial(_compiler, chosen=chosen, stage="forward"),
            bw_compiler=partial(_compiler, chosen=chosen, stage="backward"),
            inference_compiler=partial(_compiler, chosen=chosen, stage="inference"),
            decompositions=_decompositions(),
            partition_fn=joint.partition,
            keep_inference_input_mutations=writes,
        )
    with cuda.traceable_attention(module.graph), recurrent.traceable():
        return made(module, example_inputs)


def _register() -> None:
    """So that backend="tenfold" is known also where the package's entry point is not installed."""
    from torch._dynamo.backends import registry

    if "tenfold" not in registry._BACKENDS:  # also the name of an entry point that is being loaded
        registry.register_backend(backend, name="tenfold")


def backend_now() -> Callable[..., Any]:
    """The backend with the options of this moment; the same object for the same ones, as dynamo tells backends apart
    by that."""
    key = astuple(options.check())
    if key not in _chosen:
        _chosen[key] = partial(backend, options=dict(zip(Options.__dataclass_fields__, key, strict=True)))
    return _chosen[key]


_chosen: dict[tuple, Callable[..., Any]] = {}
with contextlib.suppress(AttributeError, AssertionError):  # another release of torch, or someone else's by that name
    _register()
