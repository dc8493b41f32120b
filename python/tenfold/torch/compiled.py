"""One graph of torch.compile as executables: one for each set of input shapes, where possible with its weights."""

from __future__ import annotations

import itertools
import threading
import time
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from functools import partial
from typing import Any

import torch
from torch import fx
from torch._subclasses.fake_tensor import unset_fake_temporarily
from torch.autograd import profiler

from tenfold import _core
from tenfold.sizes import Executables, Family, family_of
from tenfold.torch import cuda, saved
from tenfold.torch.fx import op_name, serialize
from tenfold.torch.profiler import Watch, follow
from tenfold.torch.report import Options, Record, Totals, line_of, lock, records

_EXCHANGES = hasattr(torch.Tensor, "__dlpack_c_exchange_api__")  # older releases have none
ALL = 1 << 30  # results of a graph
_EXCHANGE = _core.set_exchange(torch.Tensor.__dlpack_c_exchange_api__) if _EXCHANGES else False
_TOKEN = torch.empty(0)
_TENSOR, _NUMBER = object(), object()  # results of a graph
_INT = torch.zeros((), dtype=torch.int64)  # stands for a size that is part of the program
_RANDOM = ("rand", "dropout", "bernoulli", "normal", "multinomial", "uniform", "exponential", "rrelu_with_noise")


class Compiled:
    """One graph. Executables are kept for each set of input shapes."""

    def __init__(
        self,
        module: Any,
        example_inputs: Sequence[Any],
        chosen: Options,
        steady: Mapping[int, bool] | None = None,
        laid: int = ALL,
        aside: Callable[..., Any] | None = None,
        last: Collection[str] = (),
        apart: bool = True,
    ) -> None:
        """steady: weights to compile in; True: only if the system tells of writes to them. laid: so many of its results
        lie in memory as eager mode would lay them. aside: it may be compiled on its own thread, and by this in parts
        if that is refused. last: what lies channels last (saved.py). apart: no two inputs share memory where one is
        updated, as AOTAutograd has it."""
        text, made = serialize(module, laid, last)
        constants, self.permuted, self.given = made.constants, made.permuted, made.given
        if self.given:
            example_inputs = self.lay_last(example_inputs)
        self.program = _core.graph(text)
        with unset_fake_temporarily():  # AOTAutograd compiles under its fake mode; these are real
            self.constants = [c.detach() for c in constants]
        self.executables, self.chosen = Executables(), chosen
        self.weights: Any = None  # one of `frozen`: sizes share what is known of the weights, and the packed ones
        self.begun: tuple[Any, Begun] | None = None
        self.module, self.in_parts = None, aside  # while it may have to be split
        place = cuda.device_of(module.graph)
        self.device = chosen.backend() if place is None else cuda.backend(chosen.backend())
        holders = [n for n in module.graph.nodes if n.op == "placeholder"]
        self.types, self.moving = [_dtype_of(n) for n in holders], _moving(holders)
        self.family = self.find_family(len(holders))
        self.frozen = Executables(limited=bool(self.moving))  # the same with the weights compiled in
        self.steady = _Steady(steady, chosen.freeze is True) if steady and _EXCHANGE and self.device == "cpu" else None
        self.tokens = [i for i, n in enumerate(holders) if n.meta.get("is_token")]
        output = next(n for n in reversed(module.graph.nodes) if n.op == "output").args[0]
        results = list(output) if isinstance(output, list | tuple) else [output]
        self.template = [_kind(r) for r in results]
        # Caches are updated where they are. The results of other graphs reuse memory, which takes less time.
        self.donate = laid == ALL and place is None and self.device == "cpu" and any(map(_writes, module.graph.nodes))
        self.on_cuda: cuda.OnCuda | None = None
        self.ordered = False  # the library puts dimensions in order, without a view of each tensor
        self.record, self.random = _record(module)
        self.sizes = [i for i, x in enumerate(example_inputs) if isinstance(x, torch.SymInt) and not _is_ragged(x)]
        # conj() and neg() may be promises that memory does not show; a number is part of a program.
        self.as_given = all(_is_plain(x) for i, x in enumerate(example_inputs) if i not in self.sizes)
        self.plain = self.as_given and not self.sizes
        self.tensors_only = all(kind is _TENSOR for kind in self.template)
        self.ragged = {i for i, x in enumerate(example_inputs) if _is_ragged(x)}
        if place is not None:
            self.ordered = _EXCHANGE and self.plain and not self.moving
            orders = {i: saved.last(example_inputs[i].dim()) for i in self.given} if self.ordered else {}
            permuted = self.permuted if self.ordered else []
            self.on_cuda = cuda.OnCuda(place, results, _EXCHANGE, laid, apart, permuted, orders)
        # A node holds the whole graph, and its fake tensors are megabytes.
        self.nodes = (holders, results) if self.ragged else ((), ())
        self.start(module, example_inputs)
        self.direct = self.is_direct()
        with lock:
            records.append(self.record)

    def find_family(self, count: int) -> Family | None:
        """What graphs share that differ in open sizes alone: dynamo takes a batch of as many images as there are
        channels for a graph of its own, say. None: no size is open."""
        if not self.moving:
            return None
        moving = set(self.moving)
        fixed = [i for i in range(count + len(self.constants)) if i not in moving]
        chosen = self.chosen
        return family_of((self.program.fingerprint(fixed), self.device, chosen.precision, chosen.opt_level))

    def start(self, module: Any, example_inputs: Sequence[Any]) -> None:
        """Compiles for these inputs: now, on a thread of its own, or at the first call."""
        shapes = tuple([_shape_of(x) for x in example_inputs])
        aside = self.plain and self.in_parts and _EXCHANGE and self.device == "cpu"
        if self.as_given and (self.steady or aside):
            sizes = [*shapes, *(list(c.shape) for c in self.constants)]
            self.random = self.program.check(sizes) or self.random
            if self.steady:  # compiled at the first call, which brings the weights
                self.last: Any = None
                self.begin(example_inputs)
            else:
                self.module, self.last = module, (_NotYet, ())
                self.begun = shapes, Begun(partial(self.specialize_aside, shapes))
        else:
            self.steady = None
            self.specialize(shapes)

    def is_direct(self) -> bool:
        """Whether tensors go into the executable and come out of it as they are."""
        changed = self.tokens or self.given or self.constants or self.permuted or self.moving or self.random
        return bool(_EXCHANGE and self.plain and self.tensors_only) and not (changed or self.on_cuda)

    def lay_last(self, inputs: Sequence[Any]) -> list[Any]:
        return [x.permute(saved.last(x.dim())) if i in self.given else x for i, x in enumerate(inputs)]

    def begin(self, inputs: Sequence[Any]) -> None:
        """Compiles for the first call while dynamo makes its guards, where it shows the weights already."""
        if self.moving or any(type(x) not in (torch.Tensor, torch.nn.Parameter) for x in inputs):
            return
        with unset_fake_temporarily():
            weights = self.steady.pairs(list(inputs))
        if weights:
            key = tuple([x.shape for x in inputs])
            self.begun = key, Begun(partial(self.specialize, key, weights))

    def specialize(self, key: Sequence[Any], frozen: Any = None) -> Any:
        """frozen: weights to compile in (_Steady.pairs), or an executable that has them."""
        start = time.perf_counter()
        shapes = [k if isinstance(k, int | float) else list(k) for k in key] + [list(c.shape) for c in self.constants]
        family = self.family
        before = family.code.counts[0] if family is not None else 0
        made = self.program.compile(
            inputs=shapes,
            shared=family is not None and family.code,
            device=self.device,
            seed_input=self.random,
            donate=self.donate,
            precision=self.chosen.precision if self.on_cuda is None else cuda.precision(self.chosen.precision),
            level=max(self.chosen.opt_level, 1),
            frozen=frozen,
            passing=frozen is not None and self.steady.changes > 0,
            sampled=self.chosen.freeze is True,
            checks=self.chosen.checks and self.on_cuda is None,  # a check would wait for the device
        )
        if made.random and not self.random:  # in some branch, say: drawn anew at each call
            self.random, self.direct = True, False
            return self.specialize(key, frozen)
        self.record.seconds += time.perf_counter() - start
        self.record.add(", ".join(str(k) for k in key), family is None or family.code.counts[0] > before)
        written = [(i, u) for i, u in enumerate(made.updates) if isinstance(u, int) and u is not True]
        if frozen is not None:
            self.weights = made
            return made, written
        self.last = (made, written)
        self.executables.add(self.key_of(key), self.last, made)
        return self.last

    def specialize_aside(self, key: Sequence[Any]) -> Any:
        made = self.specialize(key)
        self.module = None  # nothing is left to be split; the first call may find what was made here and ask no more
        return made

    def key_of(self, key: Sequence[Any]) -> tuple:
        """What tells two sets of sizes apart: of a graph with open sizes, those."""
        return tuple([key[i] for i in self.moving]) if self.moving else tuple(key)

    def __call__(self, *inputs: Any) -> list[Any]:
        return self.run(list(inputs))

    def run(self, inputs: list[Any]) -> list[Any]:
        """The hot path: nothing is done for each tensor in Python where all inputs are plain tensors."""
        if self.direct and self.last is not None and profiler._is_profiler_enabled is Watch.on:
            made, written = self.last
            if not written and (self.steady is None or self.steady.wait == 0):
                results = made.run(inputs)
                if results.__class__ is list:
                    self.record.runs += 1
                    Totals.runs += 1
                    return results if len(results) == len(self.template) else results[: len(self.template)]
                self.refuse(results)
        if profiler._is_profiler_enabled is not Watch.on:
            follow()
        if self.tokens:  # AOTAutograd gives None for those
            inputs = [_TOKEN if i in self.tokens else x for i, x in enumerate(inputs)]
        if self.given and not self.ordered:
            inputs = list(inputs)
            for i in self.given:
                inputs[i] = inputs[i].permute(saved.last(inputs[i].dim()))
        if self.plain:
            values = inputs + self.constants if self.constants else inputs
        elif self.as_given:
            values = inputs + self.constants
            for i in self.sizes:
                values[i] = _INT
        else:
            values = [_give(x) for x in inputs] + self.constants
        if self.random:
            values = [*values, torch.randint(0, 2**62, (2,), dtype=torch.int64).view(torch.uint64)]
        if self.on_cuda is not None:
            sees_shapes = _EXCHANGE and self.plain and not self.moving
            made, written = self.last if sees_shapes else self.find(inputs)
            results = self.on_cuda.run(made, values)
            if results is None:  # other shapes than last time
                made, written = self.find(self.lay_last(inputs) if self.ordered else inputs)
                results = self.on_cuda.run(made, values)
        elif self.steady is not None:
            results, written = self.run_steady(inputs, values)
        else:
            made, written = self.last
            results = made.run(values) if _EXCHANGE and self.plain and not self.moving else None
            if results is None:  # other shapes than last time
                made, written = self.find(inputs)
                results = made.run(values) if _EXCHANGE else [torch.from_dlpack(r) for r in made(*map(_give, values))]
            if results is None:
                results = self.run_converted(made, values)
        self.record.runs += 1
        Totals.runs += 1
        if written:
            _store(written, values, inputs, results)
        for i, dims in () if self.ordered else self.permuted:
            results[i] = results[i].permute(dims)
        if self.tensors_only:
            return results[: len(self.template)]
        taken = iter(results)
        made = [_take(taken, kind) for kind in self.template]
        return self.with_ragged(inputs, made) if self.ragged else made

    def run_converted(self, made: Any, values: list[Any]) -> list[Any]:
        """With inputs of the types that the graph was traced with: an op before it that ran in eager mode may have
        made another one than PyTorch's own rules say."""
        given = [
            v.to(t) if t is not None and isinstance(v, torch.Tensor) and v.dtype != t else v
            for v, t in itertools.zip_longest(values, self.types[: len(values)])
        ]
        results = made.run(given)
        if results is None:
            have = ", ".join(f"{v.dtype} {list(v.shape)}" for v in values)
            raise RuntimeError(f"tenfold: a graph compiled for {self.program!r} is given {have}")
        return results

    def with_ragged(self, inputs: list[Any], made: list[Any]) -> list[Any]:
        """Sizes of ragged dimensions are names, not numbers: what is made of them alone is made in Python."""
        holders, results = self.nodes
        known = dict(zip(holders, inputs, strict=True))
        wanted = {holders[i] for i in self.ragged}

        def find(node: Any) -> Any:
            if not isinstance(node, fx.Node):
                return node
            if node not in known:
                known[node] = node.target(*[find(a) for a in node.args])
            return known[node]

        def depends(node: fx.Node) -> bool:
            return node in wanted or any(depends(a) for a in node.all_input_nodes if not _is_tensor(a))

        for i, node in enumerate(results):
            if isinstance(node, fx.Node) and not _is_tensor(node) and depends(node):
                made[i] = find(node)
        return made

    def run_steady(self, inputs: list[Any], values: list[Any]) -> Any:
        """With the weights as constants while they are unchanged, as arguments once they change."""
        steady = self.steady
        while True:
            chosen = self.last is None or steady.due() or bool(self.moving)
            if chosen:
                self.last = self.choose(inputs, values)
            made, written = self.last
            results = made.run(values)
            if results is None and chosen:  # the shapes are right, the types are not
                results = self.run_converted(made, values)
            if results.__class__ is list:
                return results, written
            self.refuse(results)

    def refuse(self, results: Any) -> None:
        """Of an executable that did not run: its weights have changed (False; said only once) or it is for other shapes
        (None)."""
        if self.steady is not None:
            self.last = None
            if results is False:
                self.forget_weights()

    def forget_weights(self) -> None:
        self.steady.changed()
        self.weights = None
        self.frozen.clear()

    def choose(self, inputs: list[Any], values: list[Any]) -> Any:
        key = tuple([x.shape if isinstance(x, torch.Tensor) else _number(x) for x in inputs])
        sizes = self.key_of(key)
        if self.steady.wait == 0:
            found = self.frozen.get(sizes) or self.freeze(key, inputs, values)
            if found is not None:
                return found
        return self.executables.get(sizes) or self.specialize(key)

    def freeze(self, key: tuple, inputs: list[Any], values: list[Any]) -> Any:
        """An executable with the weights compiled in; None: there is none, or there are enough."""
        if self.weights is not None and self.moving and not self.weights.holds(values):
            self.forget_weights()
            return None
        if not self.moving and len(self.frozen) >= _Steady.SHAPES:
            return None
        begun, self.begun = self.begun, None
        found = begun[1].wait() if begun is not None and begun[0] == key else None
        if found is None:
            weights = self.weights if self.moving else None
            weights = weights or self.steady.pairs(inputs)
            found = self.specialize(key, weights) if weights else None
        if found is not None:
            self.frozen.add(self.key_of(key), found, found[0])
        return found

    def find(self, inputs: list[Any]) -> Any:
        if self.moving:
            shapes = tuple([x.shape if isinstance(x := inputs[i], torch.Tensor) else _number(x) for i in self.moving])
            found = self.executables.get(shapes)
            if found is not None:
                self.last = found
                return found
        key = tuple([x.shape if isinstance(x, torch.Tensor) else _number(x) for x in inputs])
        found = self.executables.get(self.key_of(key))
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
            inputs = [x.permute(saved.first(x.dim())) if i in self.given else x for i, x in enumerate(inputs)]
            parts = self.in_parts(whole, inputs, self.chosen)
            found = (_Split(parts, len(inputs), self), ())
            self.executables.add(self.key_of(key), found, None)
            return found


def _writes(node: fx.Node) -> bool:
    return isinstance(node.target, torch._ops.OpOverload) and node.target._schema.is_mutable


def _store(written: list[tuple[int, int]], values: list[Any], inputs: list[Any], results: list[Any]) -> None:
    """What results update: an input that is its own result was updated where it is."""
    copied = [(inputs[target], results[i]) for i, target in written if results[i] is not values[target]]
    if copied:
        torch._foreach_copy_([x for x, _ in copied], [x for _, x in copied])
    if len(copied) < len(written):
        torch.autograd.graph.increment_version([inputs[t] for i, t in written if results[i] is values[t]])


class _NotYet:
    """Stands for the executable of the last call where there is none."""

    @staticmethod
    def run(values: list[Any]) -> None:
        return None


class _Split:
    """Stands for the executable of a graph that became several."""

    def __init__(self, call: Callable[..., Any], count: int, whole: Compiled) -> None:
        self.call, self.count, self.permuted, self.given = call, count, whole.permuted, whole.given
        self.tensors = [kind is _TENSOR or kind is _NUMBER for kind in whole.template]

    def run(self, values: list[Any]) -> list[Any] | None:
        values = [x.permute(saved.first(x.dim())) if i in self.given else x for i, x in enumerate(values)]
        made = self.call(*values[: self.count])
        made = list(made) if isinstance(made, list | tuple) else [made]
        made = [x for x, is_tensor in zip(made, self.tensors, strict=True) if is_tensor]  # as an executable gives them
        for i, dims in self.permuted:
            made[i] = made[i].permute([dims.index(d) for d in range(len(dims))])
        return made


class Begun:
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
    a loop that trains and evaluates alternately soon compiles nothing more.
    """

    SHAPES = 2  # sets of input shapes that get a packed copy of the weights each, where no size is open

    def __init__(self, indices: Mapping[int, bool], sampled: bool) -> None:
        self.indices, self.sampled = dict(indices), sampled
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

    def pairs(self, inputs: list[Any]) -> list[tuple[int, Any, bool]] | None:
        weights = [(i, inputs[i]) for i in self.indices]
        if any(w.is_inference() for _, w in weights):  # these count no versions
            return None
        if not self.sampled and not all(_is_dense(w) for _, w in weights):
            return None
        return [(i, w.detach(), self.indices[i]) for i, w in weights]


def _record(module: Any) -> tuple[Record, bool]:
    """What is reported of the graph, and whether an op by its name draws random numbers."""
    nodes = [n for n in module.graph.nodes if n.op == "call_function"]
    record = Record(ops=len(nodes))
    for node in nodes:
        record.line = record.line or line_of(node)
    return record, any(any(word in op_name(n.target) for word in _RANDOM) for n in nodes)


def _is_dense(value: torch.Tensor) -> bool:
    """One block of memory without gaps: that is what torch keeps the strides of."""
    return value.is_contiguous() or torch.empty_like(value, device="meta").stride() == value.stride()


def _shape_of(value: Any) -> Any:
    if isinstance(value, torch.Tensor):
        return tuple(hint(s) for s in value.shape)
    return hint(_number(value))


def hint(value: Any) -> int | float:
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


def _is_plain(value: Any) -> bool:
    return isinstance(value, torch.Tensor) and not value.is_complex()


def _moving(holders: list[fx.Node]) -> list[int]:
    """Inputs whose sizes are symbols, and numbers: those tell two sizes of a graph apart. None if no size is open."""

    def is_open(value: Any) -> bool:
        parts = value.shape if isinstance(value, torch.Tensor) else [value]
        return any(isinstance(s, torch.SymInt) and not _is_ragged(s) for s in parts)

    values = [n.meta.get("val", n.meta.get("example_value")) for n in holders]
    if not any(is_open(v) for v in values):
        return []
    return [i for i, v in enumerate(values) if not isinstance(v, torch.Tensor) or is_open(v)]


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


def _kind(result: Any) -> Any:
    """What stands for a result of the graph: a tensor, a number that the executable gives as a tensor, or itself."""
    if not isinstance(result, fx.Node):
        return result
    return _TENSOR if _is_tensor(result) else _NUMBER


def _take(taken: Iterator[torch.Tensor], kind: Any) -> Any:
    if kind is _TENSOR:
        return next(taken)
    return next(taken).item() if kind is _NUMBER else kind
