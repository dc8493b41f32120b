"""Recurrent layers for gradients: one direction of a layer is one op, and its gradient another.

Taken apart into steps of time, as PyTorch's own rules do, a layer is a dozen ops for each step, and to trace, record
and compile those takes longer than to run them. The library lowers both ops to loops (src/front/aten/rnn.c).
"""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Iterator
from functools import partial
from typing import Any

import torch
import torch._decomp.decompositions as rules
from torch.autograd import forward_ad
from torch.nn import functional
from torch.utils._pytree import tree_leaves, tree_map

_HELPER, _SELECT = getattr(rules, "_rnn_helper", None), getattr(rules, "select_one_layer_lstm_function", None)
_state = threading.local()
LSTM, GRU, TANH, RELU = range(4)  # as cell_kind in src/front/aten/rnn.h
_GATES = (4, 3, 1, 1)
_LAYER = (
    "Tensor x, Tensor h, Tensor? c, Tensor w_ih, Tensor w_hh, Tensor? b_ih, Tensor? b_hh, Tensor? w_hr, int kind, "
    "bool reverse"
)
_library = torch.library.Library("tenfold_aten", "FRAGMENT")
_library.define(f"recurrent_layer({_LAYER}) -> (Tensor, Tensor, Tensor, Tensor, Tensor)")
_library.define(
    f"recurrent_layer_backward(Tensor? grad_y, Tensor? grad_h, Tensor? grad_c, {_LAYER}, Tensor y, Tensor gates, "
    "Tensor cells) -> (Tensor, Tensor, Tensor, Tensor, Tensor, Tensor, Tensor, Tensor)"
)
layer_op = torch.ops.tenfold_aten.recurrent_layer.default
backward_op = torch.ops.tenfold_aten.recurrent_layer_backward.default


# ---- what they compute, in PyTorch's ops ----------------------------------------------------------------------------


def _steps(x: Any, reverse: bool) -> list[int]:
    return list(range(len(x)))[::-1] if reverse else list(range(len(x)))


def _cell(kind: int, given: Any, kept: Any, h: Any, c: Any, w_hr: Any) -> tuple:
    """One step from the projections of input and state: state, cell, gates, and what the gradient reads as a cell."""
    if kind in (TANH, RELU):
        y = torch.tanh(given + kept) if kind == TANH else torch.relu(given + kept)
        return y, None, None, None
    if kind == GRU:
        (gr, gz, gn), (kr, kz, kn) = given.chunk(3, 1), kept.chunk(3, 1)
        r, z = torch.sigmoid(gr + kr), torch.sigmoid(gz + kz)
        n = torch.tanh(gn + r * kn)
        return (h - n) * z + n, None, torch.cat([r, z, n], 1), kn
    i, f, g, o = (given + kept).chunk(4, 1)
    i, f, g, o = torch.sigmoid(i), torch.sigmoid(f), torch.tanh(g), torch.sigmoid(o)
    c = f * c + i * g
    y = o * torch.tanh(c)
    return functional.linear(y, w_hr) if w_hr is not None else y, c, torch.cat([i, f, g, o], 1), c


def plain_layer(x, h, c, w_ih, w_hh, b_ih, b_hh, w_hr, kind: int, reverse: bool) -> tuple:
    """recurrent_layer in ops that PyTorch differentiates: state by state."""
    given = functional.linear(x, w_ih, b_ih)
    saved: list[Any] = [None] * len(x)
    for t in _steps(x, reverse):
        h, c, gates, cell = _cell(kind, given[t], functional.linear(h, w_hh, b_hh), h, c, w_hr)
        saved[t] = (h, gates, cell)
    none = x.new_empty(0)
    y, gates, cells = (torch.stack(s) if s[0] is not None else none for s in zip(*saved, strict=True))
    return y, h.clone(), c.clone() if c is not None else none, gates, cells


def _backward(grad_y, grad_h, grad_c, x, h, c, w_ih, w_hh, b_ih, b_hh, w_hr, kind, reverse, y, gates, cells) -> tuple:
    order = _steps(x, reverse)
    previous = dict(zip(order[1:], order, strict=False))
    dh = torch.zeros_like(h) if grad_h is None else grad_h
    dc = torch.zeros_like(c) if c is not None and grad_c is None else grad_c
    given, kept, outer = ([None] * len(x) for _ in range(3))
    for t in reversed(order):
        dh = dh if grad_y is None else dh + grad_y[t]
        outer[t] = dh
        before = y[previous[t]] if t in previous else h
        if kind == LSTM:
            (i, f, g, o), cell = gates[t].chunk(4, 1), torch.tanh(cells[t])
            out = dh if w_hr is None else dh @ w_hr
            dc = dc + out * o * (1 - cell * cell)
            was = cells[previous[t]] if t in previous else c
            parts = [dc * g * i * (1 - i), dc * was * f * (1 - f), dc * i * (1 - g * g), out * cell * o * (1 - o)]
            given[t] = kept[t] = torch.cat(parts, 1)
            dc, dh = dc * f, kept[t] @ w_hh
        elif kind == GRU:
            r, z, n = gates[t].chunk(3, 1)
            fresh = dh * (1 - z) * (1 - n * n)
            parts = [fresh * cells[t] * r * (1 - r), dh * (before - n) * z * (1 - z)]
            given[t], kept[t] = torch.cat([*parts, fresh], 1), torch.cat([*parts, fresh * r], 1)
            dh = dh * z + kept[t] @ w_hh
        else:
            given[t] = kept[t] = dh * (1 - y[t] * y[t]) if kind == TANH else torch.where(y[t] > 0, dh, 0)
            dh = kept[t] @ w_hh
    given, kept, none = torch.cat(given), torch.cat(kept), x.new_empty(0)
    befores = torch.cat([y[previous[t]] if t in previous else h for t in range(len(x))])
    made = [(given @ w_ih).view(x.shape), dh, dc if c is not None else none, given.t() @ x.flatten(0, 1)]
    made += [kept.t() @ befores, given.sum(0), kept.sum(0)]
    if w_hr is None:
        return (*made, none)
    outs = gates.chunk(4, 2)[3] * torch.tanh(cells)
    return (*made, torch.cat(outer).t() @ outs.flatten(0, 1))


def _layer_types(x, h, c, w_ih, w_hh, b_ih, b_hh, w_hr, kind, reverse) -> tuple:
    time, batch, wide = x.shape[0], x.shape[1], w_ih.shape[0]
    saved = [
        x.new_empty(time, batch, n) if kind in (LSTM, GRU) else x.new_empty(0) for n in (wide, wide // _GATES[kind])
    ]
    state = x.new_empty(0) if c is None else x.new_empty(c.shape)
    return x.new_empty(time, batch, h.shape[1]), x.new_empty(h.shape), state, *saved


def _backward_types(gy, gh, gc, x, h, c, w_ih, w_hh, b_ih, b_hh, w_hr, kind, reverse, y, gates, cells) -> tuple:
    shapes = [x.shape, h.shape, (0,) if c is None else c.shape, w_ih.shape, w_hh.shape, w_ih.shape[:1], w_ih.shape[:1]]
    return tuple(x.new_empty(s) for s in [*shapes, (0,) if w_hr is None else w_hr.shape])


_library.impl("recurrent_layer", plain_layer, "CPU")
_library.impl("recurrent_layer_backward", _backward, "CPU")
_library.impl("recurrent_layer", _layer_types, "Meta")
_library.impl("recurrent_layer_backward", _backward_types, "Meta")


# ---- in place of PyTorch's rules ------------------------------------------------------------------------------------


class _Layer(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, kind: int, reverse: bool, *given: Any) -> tuple:
        y, h, c, gates, cells = layer_op(*given, kind, reverse)
        ctx.save_for_backward(*given, y, gates, cells)
        ctx.how = kind, reverse
        ctx.set_materialize_grads(False)
        return (y, h, c) if kind == LSTM else (y, h)

    @staticmethod
    def backward(ctx: Any, grad_y: Any, grad_h: Any, grad_c: Any = None) -> tuple:
        *given, y, gates, cells = ctx.saved_tensors
        if torch.is_grad_enabled():  # gradients that are differentiated again
            return None, None, *_backward_again((grad_y, grad_h, grad_c), given, *ctx.how)
        made = backward_op(grad_y, grad_h, grad_c, *given, *ctx.how, y, gates, cells)
        wanted = zip(made, given, ctx.needs_input_grad[2:], strict=True)
        return None, None, *(grad if value is not None and needed else None for grad, value, needed in wanted)


def _backward_again(grads: tuple, given: list[Any], kind: int, reverse: bool) -> list[Any]:
    made = plain_layer(*given, kind, reverse)[:3]
    pairs = [(m, g) for m, g in zip(made, grads, strict=True) if g is not None]
    places = [i for i, g in enumerate(given) if g is not None and g.requires_grad]
    found = torch.autograd.grad(
        [m for m, _ in pairs], [given[i] for i in places], [g for _, g in pairs], create_graph=True, allow_unused=True
    )
    by_place = dict(zip(places, found, strict=True))
    return [by_place.get(i) for i in range(len(given))]


def _kind_of(layer: Any) -> int | None:
    """Of a function for a layer in PyTorch's rules."""
    if layer is rules.one_layer_lstm:
        return LSTM
    cell = layer.keywords.get("hidden_fn") if isinstance(layer, partial) else None
    if cell is getattr(rules, "gru_cell", layer):
        return GRU
    held = getattr(cell, "__closure__", None) or ()
    return next((k for f, k in ((torch.tanh, TANH), (torch.relu, RELU)) for h in held if h.cell_contents is f), None)


def _run(kind: int, x: Any, hidden: Any, weights: Any, biases: bool, reverse: bool = False) -> tuple:
    """As the rules have it: the outputs and the last state."""
    if torch.is_autocast_enabled(x.device.type):
        x, hidden, weights = _lowered(x, hidden, weights)
    h, c = hidden if kind == LSTM else (hidden, None)
    b_ih, b_hh = weights[2:4] if biases else (None, None)
    w_hr = weights[-1] if len(weights) in (3, 5) else None
    y, *end = _Layer.apply(kind, reverse, x, h, c, *weights[:2], b_ih, b_hh, w_hr)
    return y, tuple(end) if kind == LSTM else end[0]


def _lowered(x: Any, *rest: Any) -> Any:
    """In the type of autocast."""
    dtype = torch.get_autocast_dtype(x.device.type)
    return tree_map(lambda t: t.to(dtype), (x, *rest))


def _is_whole(kind: int, x: Any, hidden: Any, weights: Any) -> bool:
    """Whether something is to be differentiated, by autograd alone, and all of it is of one type. Under autocast eager
    mode lowers all that an LSTM is given; the state of other layers stays as it is."""
    given = [x, *tree_leaves(hidden), *tree_leaves(weights)]
    transformed = torch._C._functorch.peek_interpreter_stack() is not None or forward_ad._current_level >= 0
    return (
        torch.is_grad_enabled()
        and not transformed
        and any(t.requires_grad for t in given)
        and (all(t.dtype == x.dtype for t in given) or torch.is_autocast_enabled(x.device.type))
        and all(t.device.type == x.device.type for t in given)
        and x.device.type in ("cpu", "tenfold")
        and x.is_floating_point()
        and (kind == LSTM or not torch.is_autocast_enabled(x.device.type))
    )


def check_steps(x: Any, batch_first: bool) -> None:
    """What eager mode raises."""
    if x.dim() == 3 and not x.shape[1 if batch_first else 0]:
        raise RuntimeError("Expected sequence length to be larger than 0 in RNN")


def _layers(
    x: Any,
    hidden: Any,
    weights: Any,
    biases: Any,
    layers: int,
    dropout: float,
    train: bool,
    both_ways: bool,
    batch_first: bool,
    layer: Any,
) -> Any:
    """Layer by layer, with dropout between them: the rule compares the wrong way and applies none."""
    ends: list[Any] = []
    width = 2 if both_ways else 1
    check_steps(x, batch_first)
    kind = _kind_of(layer)
    if kind is not None and x.dim() == 3 and _is_whole(kind, x, hidden, weights):
        layer = partial(_run, kind)
    for i in range(layers):
        own = slice(i * width, (i + 1) * width)
        x, end = _HELPER(x, hidden[own], weights[own], biases, 1, 0.0, train, both_ways, batch_first, layer)
        ends.extend(end)
        if train and dropout and i + 1 < layers:
            x = torch.dropout(x, dropout, True)
    return x, ends


@contextlib.contextmanager
def traceable() -> Iterator[None]:
    """Layers by this module's ops where they are differentiated. Without oneDNN's layers, which PyTorch's rules take
    where the input needs no gradient: they have no lowering, and what they save for their own gradient is none of a
    graph's."""
    outer = getattr(_state, "on", False)
    _state.on = True
    try:
        yield
    finally:
        _state.on = outer


def _helper(*args: Any) -> Any:
    return (_layers if getattr(_state, "on", False) else _HELPER)(*args)


def _select(*args: Any) -> Any:
    return rules.one_layer_lstm if getattr(_state, "on", False) else _SELECT(*args)


if _HELPER is not None and _SELECT is not None:  # else it is another release of torch
    rules._rnn_helper, rules.select_one_layer_lstm_function = _helper, _select
