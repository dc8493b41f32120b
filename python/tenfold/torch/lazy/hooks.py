"""What makes tensors of the lazy device at home in PyTorch: printing, copying, saving, modules, optimizers."""

from __future__ import annotations

import collections
import functools
from typing import Any

import torch
from torch.optim import optimizer as optimizers
from torch.utils import _foreach_utils
from torch.utils._pytree import tree_leaves

from tenfold.torch import recurrent
from tenfold.torch.lazy import attention, autocast, control, ops, pending
from tenfold.torch.lazy import optimizers as lazy_optimizers
from tenfold.torch.lazy.recording import recorder
from tenfold.torch.lazy.special_ops import bring
from tenfold.torch.lazy.tensor import LazyTensor, reshape_in_place

_keep_alive: list[Any] = []


def _repr(self: LazyTensor, *, tensor_contents: Any = None) -> str:
    with torch.no_grad():
        text = repr(bring(self).detach().clone())
    suffix = ", device='tenfold:0'"
    if self.requires_grad:
        suffix += f", grad_fn=<{self.grad_fn.name()}>" if self.grad_fn is not None else ", requires_grad=True"
    text = f"{text[:-1]}{suffix})"
    return f"Parameter containing:\n{text}" if getattr(self, "_is_param", False) else text


def _deepcopy(self: LazyTensor, memo: dict) -> LazyTensor:
    if id(self) in memo:
        return memo[id(self)]
    if not self.is_leaf:
        raise RuntimeError("Only Tensors created explicitly by the user (graph leaves) support the deepcopy protocol")
    with torch.no_grad():
        made = self.detach().clone()
    made.requires_grad_(self.requires_grad)
    if getattr(self, "_is_param", False):
        made._is_param = True  # as nn.Parameter does, without .grad
    elif self.grad is not None:
        made.grad = self.grad.__deepcopy__(memo)
    memo[id(self)] = made
    return made


def _reduce(self: LazyTensor, protocol: int) -> Any:
    plain = bring(self).detach().clone()
    made = (
        torch._utils._rebuild_device_tensor_from_cpu_tensor,
        (plain, self.dtype, "tenfold:0", self.requires_grad),
    )
    if not getattr(self, "_is_param", False):
        return made
    inner = self.detach()
    return torch._utils._rebuild_parameter, (inner, self.requires_grad, collections.OrderedDict())


def _data_get(self: LazyTensor) -> torch.Tensor:
    with torch.no_grad():
        return self.detach()


def _data_set(self: LazyTensor, other: torch.Tensor) -> None:
    if not isinstance(other, LazyTensor):
        raise RuntimeError("incompatible tensor type: .data of a tensor on tenfold must be on tenfold too")
    if other._lazy.spec is self._lazy.spec:
        self._lazy = other._lazy
    else:
        reshape_in_place(self, other._lazy)


def _methods() -> None:
    LazyTensor.__repr__ = LazyTensor.__str__ = _repr
    LazyTensor.__format__ = lambda self, spec: (
        self.item().__format__(spec) if self.dim() == 0 else object.__format__(self, spec)
    )
    LazyTensor.__deepcopy__ = _deepcopy
    LazyTensor.__reduce_ex__ = _reduce
    LazyTensor.data = property(_data_get, _data_set)
    LazyTensor.numpy = lambda self, *, force=False: self.detach().cpu().numpy()
    LazyTensor.tolist = lambda self: bring(self).tolist()
    LazyTensor.__array__ = lambda self, dtype=None: self.detach().cpu().numpy().__array__(dtype)
    LazyTensor.__dlpack__ = lambda self, **kwargs: self.detach().cpu().__dlpack__(**kwargs)
    LazyTensor.__dlpack_device__ = lambda self: (1, 0)
    LazyTensor.data_ptr = lambda self: id(self._lazy.root)
    LazyTensor.share_memory_ = lambda self: self
    LazyTensor.__dir__ = lambda self: torch.Tensor.__dir__(self)


# ---- modules: parameters keep their identity when they move ---------------------------------------------------------

_apply = torch.nn.Module._apply
_moved: dict[int, tuple[Any, Any]] | None = None


def _apply_keeping(self: torch.nn.Module, fn: Any, recurse: bool = True) -> torch.nn.Module:
    """Module._apply; what it replaced is swapped back in, so that ties between weights and optimizers hold."""
    global _moved
    if _moved is not None:
        return _apply(self, fn, recurse)
    before = {n: (p, isinstance(p, LazyTensor)) for n, p in self.named_parameters(remove_duplicate=False)}
    # Parameters without a shape yet stay what they are; they move when they have one (_infer_then_move).
    shapeless = [
        (held, name, value)
        for module in self.modules()
        for held in (module._parameters, module._buffers)
        for name, value in held.items()
        if value is not None and torch.nn.parameter.is_lazy(value)
    ]
    _moved = {}
    try:
        _apply(self, fn, recurse)
    finally:
        _moved = None
    for held, name, value in shapeless:
        if isinstance(held[name], LazyTensor):
            held[name] = value
    swapped: dict[int, Any] = {}
    for name, (old, lazy) in before.items():
        owner_name, _, leaf = name.rpartition(".")
        owner = self.get_submodule(owner_name)
        new = owner._parameters[leaf]
        if new is old or not (lazy or isinstance(new, LazyTensor)):
            continue
        if id(old) not in swapped:
            try:
                torch.utils.swap_tensors(old, new)
                swapped[id(old)] = old
            except RuntimeError:  # something looks at it: the new one stands in everywhere in the module
                swapped[id(old)] = new
        owner._parameters[leaf] = swapped[id(old)]
    return self


_infer_parameters = torch.nn.modules.lazy.LazyModuleMixin._infer_parameters


def _infer_then_move(self: Any, module: Any, args: Any, kwargs: Any = None) -> Any:
    made = _infer_parameters(self, module, args, kwargs)
    if any(isinstance(leaf, LazyTensor) for leaf in tree_leaves((args, kwargs))):
        module.to("tenfold")
    return made


# ---- optimizers: a step ends a program ------------------------------------------------------------------------------


def _before_step(optimizer: Any, args: Any, kwargs: Any) -> None:
    recorder.promoting = True


def _after_step(optimizer: Any, args: Any, kwargs: Any) -> None:
    recorder.promoting = False
    pending.flush()


# ---- recurrent layers -----------------------------------------------------------------------------------------------


def _gru_cell(x: Any, h: Any, w_ih: Any, w_hh: Any, b_ih: Any = None, b_hh: Any = None) -> Any:
    given, kept = (torch.nn.functional.linear(*a).chunk(3, 1) for a in ((x, w_ih, b_ih), (h, w_hh, b_hh)))
    reset, update = (torch.sigmoid(a + b) for a, b in zip(given[:2], kept[:2], strict=True))
    fresh = torch.tanh(given[2] + reset * kept[2])
    return fresh + update * (h - fresh)


def _lstm_cell(x: Any, state: Any, w_ih: Any, w_hh: Any, b_ih: Any = None, b_hh: Any = None) -> Any:
    h, c = state
    gates = torch.nn.functional.linear(x, w_ih, b_ih) + torch.nn.functional.linear(h, w_hh, b_hh)
    input_gate, forget_gate, cell_gate, output_gate = gates.chunk(4, 1)
    c = torch.sigmoid(forget_gate) * c + torch.sigmoid(input_gate) * torch.tanh(cell_gate)
    return torch.sigmoid(output_gate) * torch.tanh(c), c


def _whole(op: Any, apart: Any) -> Any:
    """A recurrent layer as the one op that it is, where nothing has to be differentiated, else as one for each layer
    and direction: taken apart it is a dozen for each step of time, and to record those takes longer than to run
    them."""

    def run(x: Any, state: Any, weights: Any, biases: Any, layers: Any, dropout: float, train: bool, *rest: Any) -> Any:
        recurrent.check_steps(x, rest[-1])
        given = (x, *(state if isinstance(state, list | tuple) else [state]), *weights)
        differentiated = torch.is_grad_enabled() and any(t.requires_grad for t in given)
        one_type = all(isinstance(t, LazyTensor) and t.dtype == x.dtype for t in given)
        between = train and dropout and layers > 1  # dropout, which PyTorch's own rules leave out
        lower = torch.is_autocast_enabled("tenfold")
        if differentiated or between or not one_type or x.dim() != 3 or lower:
            with recurrent.traceable():
                return apart(x, state, weights, biases, layers, dropout, train, *rest)
        return ops.dispatch(op, (x, state, weights, biases, layers, 0.0, train, *rest), {})

    return run


def _recurrent() -> None:
    """LSTM, GRU and RNN as plain ops, so that autograd sees through them."""
    library = torch.library.Library("aten", "IMPL")
    table = torch._decomp.decomposition_table
    rules = torch._decomp.decompositions
    aten = torch.ops.aten
    chosen = {
        aten.gru_cell.default: _gru_cell,
        aten.lstm_cell.default: _lstm_cell,
        aten.lstm.input: getattr(rules, "lstm_impl", None),
        aten.gru.input: getattr(rules, "gru_impl", None),
        aten.rnn_tanh.input: getattr(rules, "rnn_tanh_input", None),
        aten.rnn_relu.input: getattr(rules, "rnn_relu_input", None),
        aten.lstm.data: getattr(rules, "lstm_data_impl", None),
        aten.gru.data: getattr(rules, "gru_impl_data", None),
        aten.rnn_tanh.data: getattr(rules, "rnn_tanh_data", None),
        aten.rnn_relu.data: getattr(rules, "rnn_relu_data", None),
    }
    for op, rule in chosen.items():
        rule = rule or table.get(op)
        if rule is not None:
            whole = op._overloadname == "input"
            library.impl(op, _whole(op, rule) if whole else rule, "AutogradPrivateUse1")
    _keep_alive.append(library)


# ---- ops that PyTorch makes of others -------------------------------------------------------------------------------


def _undivided(op: Any, apart: Any) -> Any:
    """Recorded as one op where nothing is to be differentiated; else taken apart, for autograd."""

    def run(first: Any, *args: Any, **kwargs: Any) -> Any:
        tensors = [first, *(a for a in args if isinstance(a, torch.Tensor))]
        differentiated = torch.is_grad_enabled() and any(t.requires_grad for t in tensors)
        if differentiated or any(type(t) is not LazyTensor for t in tensors):
            return apart(first, *args, **kwargs)
        return recorder.dispatch(op, None, (first, *args), kwargs)

    return run


def _whole_ops() -> None:
    """Taken apart a linear layer is four ops, attention twenty: recording is most of what a small program costs."""
    library = torch.library.Library("aten", "IMPL")
    aten = torch.ops.aten
    for op in (aten.linear.default, aten.layer_norm.default, aten.matmul.default):
        library.impl(op, _undivided(op, op.decompose), "AutogradPrivateUse1")
    op = aten.scaled_dot_product_attention.default
    library.impl(op, _undivided_attention(op), "AutogradPrivateUse1")
    _keep_alive.append(library)


def _undivided_attention(op: Any) -> Any:
    whole = _undivided(op, attention.attention)

    def run(query: Any, key: Any, value: Any, mask: Any = None, dropout: float = 0.0, *args: Any, **kwargs: Any) -> Any:
        return (attention.attention if dropout else whole)(query, key, value, mask, dropout, *args, **kwargs)

    return run


# ---- backward passes ------------------------------------------------------------------------------------------------


def run_backward_on_calling_thread() -> None:
    """torch starts a thread for each device at the first backward pass of the process, and has none for a device that
    is registered after it: an internal assertion fails there. Backward passes need no such thread."""
    run = torch.autograd.graph._engine_run_backward

    @functools.wraps(run)
    def run_here(*args: Any, **kwargs: Any) -> Any:
        with torch.autograd.set_multithreading_enabled(False):
            return run(*args, **kwargs)

    torch.autograd.graph._engine_run_backward = torch.autograd._engine_run_backward = run_here


def install() -> None:
    _methods()
    torch.nn.Module._apply = _apply_keeping
    torch.nn.modules.lazy.LazyModuleMixin._infer_parameters = _infer_then_move
    optimizers.register_optimizer_step_pre_hook(_before_step)
    optimizers.register_optimizer_step_post_hook(_after_step)
    optimizers._foreach_supported_types.append(LazyTensor)
    _foreach_utils._foreach_supported_types.append(LazyTensor)
    torch.serialization.register_package(
        5,
        lambda storage: "tenfold" if storage.device.type == "tenfold" else None,
        lambda storage, location: storage if location.startswith("tenfold") else None,
    )
    _recurrent()
    _whole_ops()
    control.install()
    autocast.install()
    lazy_optimizers.install()
    if not torch.cuda.is_available():  # torch would ask this device for pinned memory; the host's own will do
        torch.Tensor.pin_memory = lambda self, device=None: self
        torch.Tensor.is_pinned = lambda self, device=None: False
