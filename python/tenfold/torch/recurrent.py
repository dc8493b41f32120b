"""Recurrent layers while AOTAutograd takes them apart by PyTorch's own rules."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

import torch
import torch._decomp.decompositions as rules

_HELPER, _SELECT = getattr(rules, "_rnn_helper", None), getattr(rules, "select_one_layer_lstm_function", None)


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
    for i in range(layers):
        own = slice(i * width, (i + 1) * width)
        x, end = _HELPER(x, hidden[own], weights[own], biases, 1, 0.0, train, both_ways, batch_first, layer)
        ends.extend(end)
        if train and dropout and i + 1 < layers:
            x = torch.dropout(x, dropout, True)
    return x, ends


@contextlib.contextmanager
def traceable() -> Iterator[None]:
    """Without oneDNN's layers, which are taken where the input needs no gradient: they have no lowering, and what they
    save for their own gradient is none of a graph's."""
    if _HELPER is None or _SELECT is None:  # another release of torch
        yield
        return
    rules._rnn_helper, rules.select_one_layer_lstm_function = _layers, lambda *_: rules.one_layer_lstm
    try:
        yield
    finally:
        rules._rnn_helper, rules.select_one_layer_lstm_function = _HELPER, _SELECT
