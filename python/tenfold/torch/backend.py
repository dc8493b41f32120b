"""torch.compile(model, backend="tenfold"): graphs of AOTAutograd, each compiled whole by the library.

Parts whose ops have no lowering run in eager mode, once warned about, and are counted (`tenfold.stats()`).
"""

from __future__ import annotations

import contextlib
import copy
import itertools
import operator
import os
import sys
import threading
import time
import warnings
from collections import Counter
from collections.abc import Callable, Collection, Sequence
from dataclasses import astuple, dataclass, field, replace
from functools import partial
from typing import Any

import torch
from torch import fx
from torch._dynamo.backends.common import aot_autograd
from torch._functorch.aot_autograd import make_boxed_func
from torch._subclasses.fake_tensor import unset_fake_temporarily
from torch.fx.passes.infra.partitioner import CapabilityBasedPartitioner
from torch.fx.passes.operator_support import OperatorSupportBase

from tenfold import _core, names
from tenfold.forks import across_forks
from tenfold.paths import PACKAGE
from tenfold.torch import direct
from tenfold.torch.dynamo import tracing
from tenfold.torch.fx import knows, op_name, serialize
from tenfold.torch.saved import LAST, laid_last


@dataclass
class Options:
    """How graphs are compiled: torch.compile(…, options={…}), or tenfold.enable(…).

    opt_level: 0 is the reference interpreter; 1 compiles without anything that changes the order of sums; 2 does
    everything but Winograd convolutions; 3 everything. precision: "f32"; "exact", no Winograd; "bf16", inputs of matrix
    products are rounded. freeze: which weights of inference graphs are compiled in while they hold still: None, those
    of convolutions, batch norms and bf16 products, all bytes of which are compared at each call; True, all, of which
    large ones are compared by samples; False, none. checks: what eager mode raises while it runs (an index out of
    range, a singular matrix) is raised; False: nothing is looked for, and such programs give numbers.
    """

    device: str = "cpu"
    strict: bool = False
    opt_level: int = 3
    precision: str = "f32"
    freeze: bool | None = None
    checks: bool = True

    def check(self) -> Options:
        names.check("device", self.device, _core.devices())
        if self.opt_level not in (0, 1, 2, 3) or isinstance(self.opt_level, bool):
            raise ValueError(f"opt_level is 0, 1, 2 or 3, not {self.opt_level!r}")
        if self.precision not in ("f32", "exact", "bf16"):
            raise ValueError(f'precision is "f32", "exact" or "bf16", not {self.precision!r}')
        if self.freeze not in (None, True, False):
            raise ValueError(f"freeze is None, True or False, not {self.freeze!r}")
        if not isinstance(self.checks, bool):
            raise ValueError(f"checks is True or False, not {self.checks!r}")
        return self

    def backend(self) -> str:
        """The library's device that programs are compiled for."""
        return "interp" if self.opt_level == 0 else self.device


@dataclass
class Record:
    """What became of one graph: shown by tenfold.explain()."""

    ops: int
    shapes: list[str] = field(default_factory=list)
    seconds: float = 0.0
    line: str = ""
    runs: int = 0


class Totals:
    """Counts since the start or tenfold.reset_stats()."""

    runs = 0  # of compiled graphs, and of compiled parts of graphs


# Recurrent layers are traced too; dynamo leaves them to eager mode unless told so.
torch._dynamo.config.allow_rnn = True
tracing.install()
_EXCHANGES = hasattr(torch.Tensor, "__dlpack_c_exchange_api__")  # older releases have none
ALL = 1 << 30  # results of a graph
options = Options()
fallbacks: Counter[str] = Counter()
fallback_lines: Counter[str] = Counter()
records: list[Record] = []
_lock = across_forks(threading.Lock())
_warned: set[str] = set()


def _line(node: fx.Node) -> str:
    """The user's line of a node, as "file:line"."""
    best = ""
    for text in (node.meta.get("stack_trace") or node.stack_trace or "").splitlines():
        text = text.strip()
        path, _, rest = text.removeprefix('File "').partition('"')
        if text.startswith('File "') and not path.startswith(_LIBRARIES):
            best = f"{path}:{rest.removeprefix(', line ').split(',')[0]}"
    return best or _calling_line()


_LIBRARIES = ("<", os.path.dirname(torch.__file__), str(PACKAGE))


def _calling_line() -> str:
    """The user's line that is being run: it calls a graph that has ops of PyTorch's own modules only."""
    frame: Any = sys._getframe(1)
    while frame is not None and frame.f_code.co_filename.startswith(_LIBRARIES):
        frame = frame.f_back
    return f"{frame.f_code.co_filename}:{frame.f_lineno}" if frame is not None else ""


def _warn(chosen: Options, op: str, line: str, why: str) -> None:
    if chosen.strict:
        raise _core.UnsupportedError(f"{op} at {line or 'an unknown line'}: {why}")
    if (op + line) in _warned:
        return
    _warned.add(op + line)
    warnings.warn(f"tenfold: {op} at {line or 'an unknown line'} runs in eager mode: {why}", stacklevel=2)


class _Compiled:
    """One graph. Executables are kept for each set of input shapes."""

    def __init__(
        self,
        module: Any,
        example_inputs: Sequence[Any],
        chosen: Options,
        steady: Sequence[int] = (),
        laid: int = ALL,
        aside: bool = False,
        last: Collection[str] = (),
    ) -> None:
        """laid: so many of its results lie in memory as eager mode would lay them. aside: it may be compiled on a
        thread of its own, and is split if that is refused. last: what lies channels last (saved.py)."""
        text, made = serialize(module, laid, last)
        constants, self.turned, self.given = made.constants, made.turned, made.given
        if self.given:
            example_inputs = [x.permute(LAST) if i in self.given else x for i, x in enumerate(example_inputs)]
        self.program = _core.graph(text)
        with unset_fake_temporarily():  # AOTAutograd compiles under its fake mode; these are real
            self.constants = [c.detach() for c in constants]
        self.executables: dict[Any, Any] = {}
        self.frozen: dict[Any, Any] = {}  # the same with the weights compiled in
        self.begun: tuple[Any, _Begun] | None = None
        self.module: Any = None  # while it may have to be split
        self.chosen, self.device = chosen, chosen.backend()
        self.steady = (
            _Steady(steady, chosen.freeze is True)
            if steady and chosen.freeze is not False and _EXCHANGE and self.device == "cpu"
            else None
        )
        self.holders = [n for n in module.graph.nodes if n.op == "placeholder"]
        self.tokens = [i for i, n in enumerate(self.holders) if n.meta.get("is_token")]
        output = next(n for n in reversed(module.graph.nodes) if n.op == "output").args[0]
        self.template = list(output) if isinstance(output, list | tuple) else [output]
        self.record = Record(ops=sum(n.op == "call_function" for n in module.graph.nodes))
        for node in module.graph.nodes:
            if node.op == "call_function" and not self.record.line:
                self.record.line = _line(node)
        names = [op_name(n.target) for n in module.graph.nodes if n.op == "call_function"]
        self.random = any(any(word in n for word in _RANDOM) for n in names)
        # A number is part of a program; conj() and neg() may be promises that memory does not show.
        self.plain = all(isinstance(x, torch.Tensor) and not x.is_complex() for x in example_inputs)
        self.tensors_only = all(isinstance(n, fx.Node) and _is_tensor(n) for n in self.template)
        self.ragged = {i for i, x in enumerate(example_inputs) if _is_ragged(x)}
        shapes = tuple([_shape_of(x) for x in example_inputs])
        if self.plain and (self.steady or (aside and _EXCHANGE and self.device == "cpu")):
            sizes = [*shapes, *(list(c.shape) for c in self.constants)]
            self.random = self.program.check(sizes) or self.random
            if self.steady:  # compiled at the first call, which brings the weights
                self.last: Any = None
                self.begin(example_inputs)
            else:
                self.module, self.last = module, (_NotYet, ())
                self.begun = shapes, _Begun(partial(self.specialize, shapes))
        else:
            self.steady = None
            self.specialize(shapes)
        with _lock:
            records.append(self.record)

    def begin(self, inputs: Sequence[Any]) -> None:
        """Compiles for the first call while dynamo makes its guards, where it shows the weights already."""
        if any(type(x) not in (torch.Tensor, torch.nn.Parameter) for x in inputs):
            return
        with unset_fake_temporarily():
            weights = self.steady.pairs(list(inputs))
        if weights:
            key = tuple([x.shape for x in inputs])
            self.begun = key, _Begun(partial(self.specialize, key, weights))

    def specialize(self, key: Sequence[Any], frozen: list[tuple[int, Any]] | None = None) -> Any:
        start = time.perf_counter()
        shapes = [k if isinstance(k, int | float) else list(k) for k in key] + [list(c.shape) for c in self.constants]
        made = self.program.compile(
            inputs=shapes,
            device=self.device,
            seed_input=self.random,
            precision=self.chosen.precision,
            level=max(self.chosen.opt_level, 1),
            frozen=frozen,
            passing=frozen is not None and self.steady.changes > 0,
            sampled=self.chosen.freeze is True,
            checks=self.chosen.checks,
        )
        if made.random and not self.random:  # in some branch, say: drawn anew at each call
            self.random = True
            return self.specialize(key, frozen)
        self.record.seconds += time.perf_counter() - start
        self.record.shapes.append(", ".join(str(k) for k in key))
        written = [(i, u) for i, u in enumerate(made.updates) if isinstance(u, int) and u is not True]
        if frozen is not None:
            return made, written
        self.executables[tuple(key)] = self.last = (made, written)
        return self.last

    def __call__(self, *inputs: Any) -> list[Any]:
        return self.run(list(inputs))

    def run(self, inputs: list[Any]) -> list[Any]:
        """The hot path: nothing is done for each tensor in Python where all inputs are plain tensors."""
        if self.tokens:  # AOTAutograd gives None for those
            inputs = [_TOKEN if i in self.tokens else x for i, x in enumerate(inputs)]
        if self.given:
            inputs = list(inputs)
            for i in self.given:
                inputs[i] = inputs[i].permute(LAST)
        if self.plain:
            values = inputs + self.constants if self.constants else inputs
        else:
            values = [_give(x) for x in inputs] + self.constants
        if self.random:
            values = [*values, torch.randint(0, 2**62, (2,), dtype=torch.int64).view(torch.uint64)]
        if self.steady is not None:
            results, written = self.run_steady(inputs, values)
        else:
            made, written = self.last
            results = made.run(values) if _EXCHANGE and self.plain else None
            if results is None:  # other shapes than last time
                made, written = self.find(inputs)
                results = made.run(values) if _EXCHANGE else [torch.from_dlpack(r) for r in made(*map(_give, values))]
            if results is None:
                results = self.run_converted(made, values)
        self.record.runs += 1
        Totals.runs += 1
        for i, target in written:
            inputs[target].copy_(results[i])
        for i, dims in self.turned:
            results[i] = results[i].permute(dims)
        if self.tensors_only:
            return results[: len(self.template)]
        taken = iter(results)
        made = [_take(next(taken), node) if isinstance(node, fx.Node) else node for node in self.template]
        return self.with_ragged(inputs, made) if self.ragged else made

    def run_converted(self, made: Any, values: list[Any]) -> list[Any]:
        """With inputs of the types that the graph was traced with: an op before it that ran in eager mode may have
        made another one than PyTorch's own rules say."""
        types = [_dtype_of(n) for n in self.holders]
        given = [
            v.to(t) if t is not None and isinstance(v, torch.Tensor) and v.dtype != t else v
            for v, t in itertools.zip_longest(values, types[: len(values)])
        ]
        results = made.run(given)
        if results is None:
            have = ", ".join(f"{v.dtype} {list(v.shape)}" for v in values)
            raise RuntimeError(f"tenfold: a graph compiled for {self.program!r} is given {have}")
        return results

    def with_ragged(self, inputs: list[Any], made: list[Any]) -> list[Any]:
        """Sizes of ragged dimensions are names, not numbers: what is made of them alone is made in Python."""
        known = dict(zip(self.holders, inputs, strict=True))
        wanted = {self.holders[i] for i in self.ragged}

        def find(node: Any) -> Any:
            if not isinstance(node, fx.Node):
                return node
            if node not in known:
                known[node] = node.target(*[find(a) for a in node.args])
            return known[node]

        def depends(node: fx.Node) -> bool:
            return node in wanted or any(depends(a) for a in node.all_input_nodes if not _is_tensor(a))

        for i, node in enumerate(self.template):
            if isinstance(node, fx.Node) and not _is_tensor(node) and depends(node):
                made[i] = find(node)
        return made

    def run_steady(self, inputs: list[Any], values: list[Any]) -> Any:
        """With the weights compiled in while they hold still, as arguments while they change."""
        steady = self.steady
        while True:
            if self.last is None or steady.due():
                self.last = self.choose(inputs)
            made, written = self.last
            results = made.run(values)
            if results.__class__ is list:
                return results, written
            self.last = None
            if results is False:
                steady.changed()
                self.frozen.clear()

    def choose(self, inputs: list[Any]) -> Any:
        key = tuple([x.shape for x in inputs])
        if self.steady.wait == 0:
            found = self.frozen.get(key)
            if found is None and len(self.frozen) < _Steady.SHAPES:
                begun, self.begun = self.begun, None
                if begun is not None and begun[0] == key:
                    found = begun[1].wait()
                weights = None if found else self.steady.pairs(inputs)
                found = self.frozen[key] = self.specialize(key, weights) if weights else found
            if found is not None:
                return found
        return self.executables.get(key) or self.specialize(key)

    def find(self, inputs: list[Any]) -> Any:
        key = tuple([x.shape if isinstance(x, torch.Tensor) else _number(x) for x in inputs])
        found = self.executables.get(key)
        begun, self.begun = self.begun, None
        module, self.module = self.module, None
        if found is None and begun is not None and begun[0] == key:
            found = begun[1].wait() or self.retry(key, inputs, module)
        if found is None:
            return self.specialize(list(key))
        self.last = found
        return found

    def retry(self, key: Any, inputs: list[Any], module: Any) -> Any:
        """Once more, as it failed on its thread; in parts, around eager ones, if the library has no code for an op."""
        try:
            return self.specialize(list(key))
        except _core.Error:
            whole = fx.GraphModule(module, module.graph)
            parts = compile_graph(whole, inputs, self.chosen)
            self.executables[key] = found = (_Split(parts, len(inputs), self.turned), ())
            return found


class _NotYet:
    """Stands for the executable of the last call where there is none."""

    @staticmethod
    def run(values: list[Any]) -> None:
        return None


class _Split:
    """Stands for the executable of a graph that became several."""

    def __init__(self, call: Callable[..., Any], count: int, turned: list[tuple[int, list[int]]]) -> None:
        self.call, self.count, self.turned = call, count, turned

    def run(self, values: list[Any]) -> list[Any] | None:
        made = self.call(*values[: self.count])
        made = list(made) if isinstance(made, list | tuple) else [made]
        for i, dims in self.turned:  # as an executable gives them
            made[i] = made[i].permute([dims.index(d) for d in range(len(dims))])
        return made


class _Begun:
    """Something that is made on a thread of its own."""

    def __init__(self, make: Callable[[], Any]) -> None:
        self.made: Any = None
        self.make: Callable[[], Any] | None = make
        self.thread = threading.Thread(target=self.run, name="tenfold-compile")
        self.thread.start()

    def run(self) -> None:
        try:
            self.made = self.make()
        except Exception:  # whoever needs it tries again, and sees why
            self.made = None
        self.make = None  # it holds the weights

    def wait(self) -> Any:
        """What was made; None where that failed."""
        self.thread.join()
        return self.made


class _Steady:
    """Which inputs are weights, and whether they are worth compiling in.

    They are at first. Each time they change, calls take them as arguments for a while, twice as long as the last time:
    a loop that trains and evaluates in turns soon compiles nothing more.
    """

    SHAPES = 2  # sets of input shapes that get a packed copy of the weights

    def __init__(self, indices: Sequence[int], sampled: bool) -> None:
        self.indices, self.sampled = list(indices), sampled
        self.changes = self.wait = 0

    def due(self) -> bool:
        """Counts a call; True when waiting has come to its end."""
        if self.wait == 0:
            return False
        self.wait -= 1
        return self.wait == 0

    def changed(self) -> None:
        self.changes += 1
        self.wait = 4 << min(self.changes, 20)

    def pairs(self, inputs: list[Any]) -> list[tuple[int, Any]] | None:
        weights = [(i, inputs[i]) for i in self.indices]
        if any(w.is_inference() for _, w in weights):  # these count no versions
            return None
        if not self.sampled and not all(_is_dense(w) for _, w in weights):
            return None
        return [(i, w.detach()) for i, w in weights]


_EXCHANGE = _core.set_exchange(torch.Tensor.__dlpack_c_exchange_api__) if _EXCHANGES else False
_TOKEN = torch.empty(0)
_RANDOM = ("rand", "dropout", "bernoulli", "normal", "multinomial", "uniform", "exponential", "rrelu_with_noise")


def _is_dense(value: torch.Tensor) -> bool:
    """One block of memory without gaps: that is what torch keeps the strides of."""
    return value.is_contiguous() or torch.empty_like(value, device="meta").stride() == value.stride()


def _shape_of(value: Any) -> Any:
    if isinstance(value, torch.Tensor):
        return tuple(_hint(s) for s in value.shape)
    return _hint(_number(value))


def _hint(value: Any) -> int | float:
    """The number that a symbol stands for at hand; asking it for an int would guard that it is always that one."""
    if isinstance(value, torch.SymInt | torch.SymFloat) and value.node.has_hint():
        value = value.node.hint
    return float(value) if isinstance(value, float | torch.SymFloat) else int(value)


def _is_ragged(value: Any) -> bool:
    """The size of a ragged dimension of a nested tensor, or a symbol for one."""
    if not isinstance(value, torch.SymInt):
        return False
    hint = value if value.node.is_nested_int() else value.node.hint if value.node.has_hint() else None
    return isinstance(hint, torch.SymInt) and hint.node.is_nested_int()


def _number(value: Any) -> Any:
    """A number of the graph; a ragged size has none, and nothing is computed with it."""
    return 0 if _is_ragged(value) else value


def _give(value: Any) -> Any:
    if isinstance(value, torch.Tensor):
        value = value.detach()
        return value.resolve_conj().resolve_neg() if value.is_conj() or value.is_neg() else value
    return torch.tensor(_number(value))


def _dtype_of(node: fx.Node) -> torch.dtype | None:
    meta = node.meta.get("val", node.meta.get("example_value"))
    return meta.dtype if isinstance(meta, torch.Tensor) else None


def _is_tensor(node: fx.Node) -> bool:
    meta = node.meta.get("val")
    return isinstance(meta, torch.Tensor) or meta is None


def _take(value: torch.Tensor, node: fx.Node) -> Any:
    return value if _is_tensor(node) else value.item()


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
        return torch.empty([_hint(s) for s in value.shape], dtype=value.dtype, device="meta")
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


def compile_graph(
    module: fx.GraphModule,
    example_inputs: Sequence[Any],
    chosen: Options,
    steady: Sequence[int] = (),
    laid: int = ALL,
    last: Collection[str] = (),
) -> Callable[..., Any]:
    """A callable for the graph: one executable where every op has a lowering, else executables around eager parts."""
    _unwrap_effects(module)
    nodes = [n for n in module.graph.nodes if n.op == "call_function"]
    ops = {op_name(n.target): n for n in nodes}
    refused: dict[str, str] = {n: "no lowering" for n in ops if n != "_operator.getitem" and not knows(n)}
    if not refused:
        try:
            return _Compiled(module, example_inputs, chosen, steady, laid, last=last)
        except (_core.Error, NotImplementedError, KeyError) as error:
            op = _refused_op(str(error), set(ops))
            if "while opening the device" in str(error):
                raise  # nothing will run there
            if op is None:
                _warn(chosen, "a graph", _line(nodes[0]) if nodes else "", str(error))
                fallbacks["graph"] += 1
                return module.forward
            refused[op] = str(error).splitlines()[0]
    for _ in range(len(ops)):
        for op in refused:
            _warn(chosen, op, _line(ops[op]), refused[op])
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
                compiled = _Compiled(part, examples, chosen)
            except (_core.Error, NotImplementedError, KeyError) as error:
                failed = _refused_op(
                    str(error), {op_name(n.target) for n in part.graph.nodes if n.op == "call_function"}
                )
                if failed is None:
                    continue
                refused[failed] = str(error).splitlines()[0]
                break
            single = not isinstance(
                next(n for n in reversed(part.graph.nodes) if n.op == "output").args[0], list | tuple
            )
            setattr(split, name, _Part(compiled, single))
        if failed is None:
            for op in refused:
                fallbacks[op] += 1
                fallback_lines[_line(ops[op])] += 1
            split.recompile()
            return split.forward
    return module.forward


class _Part(torch.nn.Module):
    """A compiled part inside a graph whose other parts run in eager mode."""

    def __init__(self, compiled: _Compiled, single: bool) -> None:
        super().__init__()
        self.compiled = compiled
        self.single = single

    def forward(self, *inputs: Any) -> Any:
        results = self.compiled(*inputs)
        return results[0] if self.single else tuple(results)


def _static_inputs() -> list[int]:
    context = torch._guards.TracingContext.try_get()
    metadata = getattr(context, "fw_metadata", None)
    return list(getattr(metadata, "static_input_indices", None) or [])


def _weights(module: fx.GraphModule, indices: list[int], chosen: Options) -> list[int]:
    """Inputs that are parameters or buffers, that the graph does not write to, and that are worth compiling in.
    Matrices of f32 are read where they lie about as fast; of all weights, a table of rows never gains."""
    worth = _gains if chosen.freeze is None else lambda holder: not _is_table(holder)
    holders = [n for n in module.graph.nodes if n.op == "placeholder"]
    written = {n for node in module.graph.nodes if _writes(node) for n in node.args if isinstance(n, fx.Node)}
    return [i for i in indices if i < len(holders) and holders[i] not in written and worth(holders[i])]


def _gains(holder: fx.Node) -> bool:
    """What is transformed once, or folded into a neighbour."""
    return any(any(word in op_name(user.target) for word in ("conv", "batch_norm")) for user in holder.users) or (
        _is_bf16_matrix(holder) and any(_multiplies(user) for user in holder.users)
    )


def _is_bf16_matrix(holder: fx.Node) -> bool:
    """Products of bf16 take matrices in pairs of rows: to make those of a matrix takes longer than to compare it."""
    value = holder.meta.get("val")
    return isinstance(value, torch.Tensor) and value.dtype == torch.bfloat16 and value.dim() == 2


def _multiplies(node: fx.Node) -> bool:
    if op_name(node.target) in ("aten.t.default", "aten.permute.default", "aten.transpose.int"):
        return any(_multiplies(user) for user in node.users)
    return any(word in op_name(node.target) for word in ("linear", "addmm", ".mm.", "matmul"))


def _is_table(holder: fx.Node) -> bool:
    return all(user.target is torch.ops.aten.embedding.default and user.args[0] is holder for user in holder.users)


def _writes(node: fx.Node) -> bool:
    return isinstance(node.target, torch._ops.OpOverload) and node.target._schema.is_mutable


def _returns() -> int:
    """How many results of a forward graph are the caller's; the others are kept for its gradient."""
    context = torch._guards.TracingContext.try_get()
    return getattr(getattr(context, "fw_metadata", None), "num_forward_returns", 0)


def _compiler(module: fx.GraphModule, example_inputs: Sequence[Any], chosen: Options, stage: str) -> Callable[..., Any]:
    """stage: "inference", or "forward" or "backward" of training."""
    steady = _weights(module, _static_inputs(), chosen) if stage == "inference" else ()
    laid = {"inference": ALL, "forward": _returns(), "backward": 0}[stage]
    made = compile_graph(module, example_inputs, chosen, steady, laid, laid_last(module, stage, laid))
    if not isinstance(made, _Compiled):
        return make_boxed_func(made)
    run = made.run

    def boxed(inputs: list[Any]) -> list[Any]:  # AOTAutograd hands over a list
        return run(inputs)

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


_backends: dict[tuple, Callable[..., Any]] = {}


def _compile_directly(module: fx.GraphModule, example_inputs: Sequence[Any], chosen: Options) -> Any:
    """An inference graph that needs nothing of AOTAutograd, neither when it is compiled nor when it is called."""
    graph = direct.convert(module, example_inputs)
    if graph is None:
        return None
    try:
        made = _Compiled(graph, example_inputs, chosen, _weights(graph, direct.weights(module), chosen), aside=True)
    except (_core.Error, NotImplementedError, KeyError):
        return None  # some op is refused: AOTAutograd may take it apart, or the graph is split around it
    return made.__call__


def backend(module: fx.GraphModule, example_inputs: Sequence[Any], **settings: Any) -> Callable[..., Any]:
    """The dynamo backend "tenfold". torch.compile's `options` are those of Options."""
    wanted = settings.get("options") or {}
    for name in wanted:
        names.check("option", name, Options.__dataclass_fields__)
    chosen = replace(options, **wanted).check()
    made = _compile_directly(module, example_inputs, chosen)
    if made is not None:
        return made
    key = astuple(chosen)
    made = _backends.get(key)
    if made is None:
        made = _backends[key] = aot_autograd(
            fw_compiler=partial(_compiler, chosen=chosen, stage="forward"),
            bw_compiler=partial(_compiler, chosen=chosen, stage="backward"),
            inference_compiler=partial(_compiler, chosen=chosen, stage="inference"),
            decompositions=_decompositions(),
        )
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
