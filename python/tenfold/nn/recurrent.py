"""Recurrent layers."""

from __future__ import annotations

import math
from typing import Any

from tenfold import _core
from tenfold.array import creation, random
from tenfold.array.object import Array
from tenfold.nn.module import Module


class _Recurrent(Module):
    _gates, _states = 1, 1

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        num_layers: int = 1,
        bias: bool = True,
        batch_first: bool = False,
        dropout: float = 0.0,
        bidirectional: bool = False,
        device: Any = None,
    ) -> None:
        self.hidden_size, self.num_layers, self.bias = hidden_size, num_layers, bias
        self.batch_first, self.dropout, self.bidirectional = batch_first, dropout, bidirectional
        bound, rows, self._names = 1 / math.sqrt(hidden_size), self._gates * hidden_size, []
        for layer in range(num_layers):
            inputs = input_size if layer == 0 else hidden_size * (2 if bidirectional else 1)
            for end in ["", "_reverse"] if bidirectional else [""]:
                shapes = {"weight_ih": (rows, inputs), "weight_hh": (rows, hidden_size)}
                shapes |= {"bias_ih": (rows,), "bias_hh": (rows,)} if bias else {}
                for kind, shape in shapes.items():
                    self._names.append(f"{kind}_l{layer}{end}")
                    setattr(self, self._names[-1], random.uniform(shape, -bound, bound, device=device))

    def _op(self) -> str:
        raise NotImplementedError

    def forward(self, x: Array, state: Any = None) -> tuple[Array, Any]:
        """The outputs of the last layer at each time, and the state after the last."""
        if x.ndim not in (2, 3):
            raise ValueError(f"a recurrent layer takes (time, batch, size) or (time, size); the array is {x.shape}")
        single, axis = x.ndim == 2, 0 if self.batch_first and x.ndim == 3 else 1
        x = _core.op("unsqueeze", None, 1, self=x, dim=1) if single else x
        states = [] if state is None else list(state) if isinstance(state, tuple | list) else [state]
        if state is None:
            count = self.num_layers * (2 if self.bidirectional else 1)
            shape = (count, x.shape[axis], self.hidden_size)
            states = [creation.zeros(shape, dtype=x.dtype, device=x.device) for _ in range(self._states)]
        elif single:
            states = [_core.op("unsqueeze", None, 1, self=s, dim=1) for s in states]
        made = _core.op(
            self._op(),
            None,
            1 + self._states,
            input=x,
            hx=states if self._states > 1 else states[0],
            params=[getattr(self, name) for name in self._names],
            has_biases=self.bias,
            num_layers=self.num_layers,
            dropout=float(self.dropout),
            train=self.training and self.dropout > 0,
            bidirectional=self.bidirectional,
            batch_first=self.batch_first and not single,
        )
        if single:
            made = [_core.op("squeeze.dim", None, 1, self=m, dim=1) for m in made]
        return made[0], tuple(made[1:]) if self._states > 1 else made[1]


class RNN(_Recurrent):
    """tanh, or the positive part, of a linear function of input and state."""

    def __init__(self, *sizes: Any, nonlinearity: str = "tanh", **options: Any) -> None:
        if nonlinearity not in ("tanh", "relu"):
            raise ValueError(f"nonlinearity is 'tanh' or 'relu', not {nonlinearity!r}")
        self.nonlinearity = nonlinearity
        super().__init__(*sizes, **options)

    def _op(self) -> str:
        return f"rnn_{self.nonlinearity}.input"


class LSTM(_Recurrent):
    """Long short-term memory; the state is (h, c)."""

    _gates, _states = 4, 2

    def _op(self) -> str:
        return "lstm.input"


class GRU(_Recurrent):
    """Gated recurrent unit."""

    _gates = 3

    def _op(self) -> str:
        return "gru.input"
