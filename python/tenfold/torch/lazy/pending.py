"""The graph of ops that were recorded and not run yet, and what becomes of it: one program, compiled once and kept.

A node is (handler of the op, arguments): tensors are numbers of values, everything else is itself. Two graphs with
equal nodes are one program; what is still alive decides what it returns. While recording, a graph follows the program
that began as it does: as long as it says the same again, lines and types of the results are those of that program.
"""

from __future__ import annotations

import itertools
import threading
import time
import weakref
from collections import Counter
from dataclasses import dataclass
from typing import Any

import torch

from tenfold import _core
from tenfold.forks import across_forks
from tenfold.torch.lazy import values
from tenfold.torch.lazy.interpret import interpret
from tenfold.torch.lazy.lines import find_line, line_text
from tenfold.torch.lazy.schema import MISSING, constant, handler_of, number_of
from tenfold.torch.lazy.serialize import to_json
from tenfold.torch.lazy.values import Spec, Value, host

FOLD_MAX = 32  # ops that a constant may take
CUT_MIN = 32  # fewer nodes than this are not worth a program of their own
PROGRAMS_MAX = 512  # programs that are kept
NODES_MAX = 20_000  # more than this pending are run, whatever happens next
_FULL = torch.ops.aten.full.default
_PERMUTE = torch.ops.aten.permute.default
lock = across_forks(threading.RLock())
_EXCHANGE = hasattr(torch.Tensor, "__dlpack_c_exchange_api__") and _core.set_exchange(
    torch.Tensor.__dlpack_c_exchange_api__
)


@dataclass
class Record:
    """One compilation: shown by tenfold.explain()."""

    ops: int
    line: str
    why: str
    seconds: float = 0.0
    runs: int = 0
    run_seconds: float = 0.0
    peak_bytes: int = 0


class Program:
    """What was compiled for one list of nodes and inputs: executables by the values they return."""

    def __init__(self, graph: Graph) -> None:
        self.nodes = graph.nodes
        self.lines = graph.lines
        self.keys = graph.keys
        self.results = graph.results
        self.next: Program | None = None  # what ran after it the last time
        self.made: list[tuple[tuple[int, ...], Any, list[Any], Record]] = []
        self.refused = False
        self.why = ""

    def find(self, wanted: tuple[int, ...]) -> Any:
        for item in self.made:
            if item[0] == wanted:
                return item
        need = set(wanted)
        for item in self.made:
            if need.issubset(item[0]):
                return item
        return None


class Stats:
    """Counts since the start or tenfold.reset_stats()."""

    def __init__(self) -> None:
        self.reset()

    def reset(self) -> None:
        self.records: list[Record] = []
        self.runs = 0
        self.fallbacks: Counter[str] = Counter()
        self.fallback_lines: Counter[str] = Counter()


stats = Stats()
programs: dict[Any, Program] = {}
last: Program | None = None  # that ran
guides: dict[Any, Program] = {}  # the last one compiled that begins with this node
refused: dict[Any, str] = {}  # an op with its argument types, and why it has no lowering
random_state: torch.Tensor | None = None
device = "cpu"
level, precision, checks = 3, "f32", True  # report.Options says what these are
_numbers = itertools.count(1)


def seed(value: int) -> None:
    """Starts the device's random numbers anew."""
    global random_state
    random_state = torch.tensor([value & (2**63 - 1), 0], dtype=torch.int64).view(torch.uint64)


def configure(new_device: str, new_level: int, new_precision: str, new_checks: bool = True) -> None:
    """How programs are compiled from now on; those made differently are forgotten."""
    global device, level, precision, checks, last
    with lock:
        if (device, level, precision, checks) != (new_device, new_level, new_precision, new_checks):
            flush()
            device, level, precision, checks = new_device, new_level, new_precision, new_checks
            programs.clear()
            guides.clear()
            graph.leave()
            last = None


class Graph:
    """Ops in the order they were recorded."""

    def __init__(self) -> None:
        self.number = next(_numbers)
        self.nodes: list[tuple] = []
        self.keys: list[Any] = []  # op and argument types of each node
        self.lines: list[tuple[Any, int] | None] = []
        self.outputs: list[tuple[int, ...]] = []  # values that each node makes
        self.results: list[tuple[Spec | None, ...]] = []  # and their types
        self.guide: Program | None = None  # what it has been equal to so far
        self.specs: dict[int, Spec] = {}
        self.input_specs: list[Spec] = []
        self.input_refs: list[int] = []
        self.data: list[torch.Tensor] = []
        self.owners: list[weakref.ref[Value] | None] = []  # the root each input is the memory of
        self.roots: list[weakref.ref[Value]] = []  # made in here
        self.scalars: list[Any] = []
        self.shared: dict[Any, Any] | None = None  # numbers of one op over many tensors, each an input once
        self.random = False
        self.backward = False  # something was recorded by autograd's own thread
        self.written: set[int] = set()  # roots that ops of this graph wrote to
        self.count = 0

    def add_input(self, data: torch.Tensor, spec: Spec, owner: Value | None) -> int:
        ref = self.count
        self.count = ref + 1
        self.input_refs.append(ref)
        self.input_specs.append(spec)
        self.data.append(data)
        self.owners.append(weakref.ref(owner) if owner is not None else None)
        self.specs[ref] = spec
        self.put(("input", spec), None, None, (), ())
        return ref

    def put(self, node: tuple, key: Any, line: Any, made: tuple[int, ...], results: tuple) -> None:
        place = len(self.nodes)
        if place == 0:
            after = last.next if last is not None else None
            self.guide = after if after is not None and after.nodes[0] == node else guides.get(node)
        elif self.guide is not None and self.follow(node) is None:
            self.leave()
        self.nodes.append(node)
        self.keys.append(key)
        self.lines.append(line)
        self.outputs.append(made)
        self.results.append(results)

    def follow(self, node: tuple) -> tuple | None:
        """The types of this node's results, when the graph goes on as the program it follows."""
        guide, place = self.guide, len(self.nodes)
        if guide is None or place >= len(guide.nodes) or guide.nodes[place] != node:
            return None
        return guide.results[place]

    def leave(self) -> None:
        """Goes its own way from here on; what it left to the program it followed is taken over."""
        guide, place = self.guide, len(self.nodes)
        if guide is not None:
            self.lines, self.keys = guide.lines[:place], guide.keys[:place]
            self.guide = None

    def add_scalar(self, value: float) -> tuple[str, int]:
        """A number that is an input of the program."""
        if self.shared is not None:
            found = self.shared.get(value)
            if found is not None:
                return found
        self.scalars.append(value)
        made = ("s", len(self.scalars) - 1)
        if self.shared is not None:
            self.shared[value] = made
        return made

    def add(self, node: tuple, specs: tuple[Spec | None, ...], key: Any, line: Any) -> int:
        """Records an op; its results are numbered from what this returns."""
        first = count = self.count
        if len(specs) == 1 and specs[0] is not None:
            self.specs[count] = specs[0]
            self.count = count + 1
            self.put(node, key, line, (count,), specs)
            return first
        made = []
        for spec in specs:
            if spec is None:
                made.append(-1)
                continue
            made.append(count)
            self.specs[count] = spec
            count += 1
        self.count = count
        self.put(node, key, line, tuple(made), specs)
        return first

    def ref(self, value: Value) -> int:
        """The number of a value in this graph; what it is made of is recorded first where needed."""
        if value.graph == self.number:
            return value.ref
        if value.root is value:
            if value.data is not None:
                value.ref = self.add_input(value.data, value.spec, value)
            else:
                value.check()
                number = value.fill
                value.fill = None
                node = (handler_of(_FULL), (value.spec.shape, constant(number), value.spec.dtype))
                value.ref = self.add(node, (value.spec,), None, None)
                self.roots.append(weakref.ref(value))
        else:
            assert value.parent is not None and value.step is not None
            parent = self.ref(value.parent)
            step, index = value.step
            node = (step.handler, (parent, *step.encoded))
            line = None if self.follow(node) else find_line()
            value.ref = self.add(node, step.specs, None, line) + index
            if step.handler.loose:
                return value.ref  # made again at each use: its memory may have been written to
        value.graph = self.number
        return value.ref

    def adopt_turned(self, spec: Spec, ref: int) -> Value:
        """A result whose memory is not in the order of its dimensions: its root, the memory, is recorded too."""
        value, root = Value.laid_out(spec)
        node = (handler_of(_PERMUTE), (ref, spec.order))
        self.adopt(root, self.add(node, (root.spec,), None, None))
        value.graph, value.ref = self.number, ref
        return value

    def adopt(self, value: Value, ref: int) -> None:
        """A root whose value this graph computes."""
        value.graph, value.ref = self.number, ref
        self.roots.append(weakref.ref(value))


graph = Graph()
in_optimizer = False
fell_back_in_backward = False  # lines of forward ops are remembered at every step from then on
mixed = False  # tensors on the CPU are taken among the device's own
changing: set[tuple] = set()  # (op, argument, line): numbers that were seen to change, and are inputs since


# ---- running --------------------------------------------------------------------------------------------------------


def _why(graph: Graph) -> str:
    """Why a graph is compiled: what tells it from the kept one that is most like it."""
    best: Program | None = None
    likeness = (0, 0, False)
    for program in programs.values():
        few, many = sorted((len(program.nodes), len(graph.nodes)))
        if few * 2 < many:
            continue
        pairs = list(zip(program.nodes, graph.nodes, strict=False))
        same = sum(a[0] == b[0] for a, b in pairs)
        common = next((i for i, (a, b) in enumerate(pairs) if a != b), few)
        if same * 2 >= many and (same, common, few == many) >= likeness:
            best, likeness = program, (same, common, few == many)
    if best is None:
        return "first seen"
    best_common = likeness[1]
    if best_common == len(graph.nodes) == len(best.nodes):
        return "other values are still in use"
    if best_common >= min(len(graph.nodes), len(best.nodes)):
        return f"{len(graph.nodes)} ops, before {len(best.nodes)}"
    was, now = best.nodes[best_common], graph.nodes[best_common]
    line = next((ln for ln in graph.lines[best_common:] if ln is not None), None)
    place = f" at {line_text(line)}" if line else ""
    if was[0] == now[0] == "input":
        return f"an operand{place} is {_shape(now)}, before {_shape(was)}"
    if was[0] == now[0]:
        for k, (a, b) in enumerate(zip(was[1], now[1], strict=False)):
            if a != b:
                return f"argument {k} of {now[0].name}{place} is {_shown(b)}, before {_shown(a)}"
    name = "an input" if now[0] == "input" else now[0].name
    before = "an input" if was[0] == "input" else was[0].name
    return f"{name}{place}, where {before} was before"


def _learn(graph: Graph) -> None:
    """Numbers that differ from those of a kept graph, and nothing else, become inputs of this one."""
    for program in programs.values():
        if len(program.nodes) != len(graph.nodes):
            continue
        found = []
        for i, (a, b) in enumerate(zip(program.nodes, graph.nodes, strict=True)):
            if a == b:
                continue
            same = a[0] is b[0] and a[0] != "input" and b[0].may_promote
            places = _changed_numbers(a, b) if same else None
            if places is None:
                break
            found.extend((i, k) for k in places)
        else:
            if found:
                _promote(graph, found)
            return


def _changed_numbers(a: tuple, b: tuple) -> list[int] | None:
    """The arguments that are different numbers; None when something else differs."""
    if a[0] == "input" or len(a[1]) != len(b[1]):
        return None
    places = []
    for k, (x, y) in enumerate(zip(a[1], b[1], strict=True)):
        if x == y:
            continue
        if not (isinstance(x, tuple) and isinstance(y, tuple) and x[0] is float and y[0] is float):
            return None
        places.append(k)
    return places


def _promote(graph: Graph, found: list[tuple[int, int]]) -> None:
    """Makes numbers of the graph inputs, all of them numbered in the order in which recording will meet them."""
    for i, k in found:
        changing.add((graph.nodes[i][0], k, graph.lines[i]))
    chosen, numbers, place = set(), [], {}
    for i, node in enumerate(graph.nodes):
        for k, value in enumerate(node[1]) if node[0] != "input" else ():
            if isinstance(value, tuple) and value[:1] == (float,) and (node[0], k, graph.lines[i]) in changing:
                chosen.add((i, k))
    for i, node in enumerate(graph.nodes):
        if node[0] == "input":
            continue
        args = list(node[1])
        for k, value in enumerate(args):
            if (i, k) in chosen or (isinstance(value, tuple) and value[:1] == ("s",)):
                key = (i, k) if (i, k) in chosen else value
                if key not in place:
                    place[key] = ("s", len(numbers))
                    numbers.append(number_of(value) if (i, k) in chosen else graph.scalars[value[1]])
                args[k] = place[key]
        graph.nodes[i] = (node[0], tuple(args))
    graph.scalars = numbers


def _shape(node: tuple) -> str:
    return repr(node[1])


def _shown(value: Any) -> str:
    if value is MISSING:
        return "left out"
    return str(value[1]) if isinstance(value, tuple) and len(value) == 2 and isinstance(value[0], type) else str(value)


def compile_graph(graph: Graph, wanted: tuple[int, ...]) -> tuple[Any, list[Any]]:
    """An executable that returns these values, and what its results update."""
    made = _core.graph(to_json(graph, wanted)).compile(
        device=device, seed_input=graph.random, donate=True, precision=precision, level=max(level, 1), checks=checks
    )
    return made, made.updates


def _blame(graph: Graph) -> bool:
    """Finds the ops that have no lowering for their arguments; True when there are any."""
    found = False
    seen = set()
    for i, (node, key) in enumerate(zip(graph.nodes, graph.keys, strict=True)):
        if node[0] == "input" or key is None or key in seen:
            continue
        seen.add(key)
        made = tuple(r for r in graph.outputs[i] if r >= 0)
        try:
            _core.graph(to_json(graph, made, only=i)).compile(device=device, seed_input=graph.random)
        except (_core.Error, NotImplementedError, KeyError) as why:
            refused[key] = str(why).splitlines()[0]
            found = True
    return found


def _count_refused(graph: Graph, why: str) -> None:
    blamed = [(n, ln) for n, k, ln in zip(graph.nodes, graph.keys, graph.lines, strict=True) if k in refused]
    for node, line in blamed:
        stats.fallbacks[node[0].name] += 1
        stats.fallback_lines[line_text(line)] += 1
    if not blamed:
        stats.fallbacks["graph"] += 1
        stats.fallback_lines[why.splitlines()[0]] += 1


def _keep(key: tuple, program: Program) -> None:
    """Remembers a program; the oldest are forgotten when there are too many."""
    if len(programs) >= PROGRAMS_MAX:
        for old in list(programs)[: PROGRAMS_MAX // 4]:
            gone = programs.pop(old)
            gone.next = None
            if guides.get(old[0]) is gone:
                del guides[old[0]]
    programs[key] = guides[key[0]] = program


def flush() -> None:
    """Compiles what is pending, unless it is known already, and runs it."""
    with lock:
        _flush()


def _flush() -> None:
    global graph, last, random_state
    done = graph
    if not done.nodes:
        return
    live = []
    for reference in done.roots:
        root = reference()
        if root is not None and root.graph == done.number:
            live.append(root)
    graph = Graph()
    wanted = tuple([root.ref for root in live])
    guide = done.guide
    key = None
    if guide is not None and len(guide.nodes) == len(done.nodes):
        program = guide
    else:
        done.leave()
        key = tuple(done.nodes)
        program = programs.get(key)
    why = ""
    if program is None:
        why = _why(done)
        _learn(done)
        key = tuple(done.nodes)
        program = programs.get(key)
    found = program.find(wanted) if program is not None else None
    if program is None or (found is None and not program.refused):
        why = why or "other values are still in use"
        start = time.perf_counter()
        done.leave()
        line = next((ln for ln in done.lines if ln is not None), None)
        if program is None:
            program = Program(done)
        try:
            made, updates = compile_graph(done, wanted)
        except (_core.Error, NotImplementedError, KeyError) as error:
            program.refused = True
            program.why = str(error)
            if _blame(done):
                key = None  # those ops go their own way the next time: this list of nodes will not come again
        else:
            record = Record(sum(n[0] != "input" for n in done.nodes), line_text(line), why)
            record.seconds = time.perf_counter() - start
            record.peak_bytes = sum(made.memory) + sum(s.numel * s.dtype.itemsize for s in done.input_specs)
            stats.records.append(record)
            found = (wanted, made, updates, record)
            program.made.append(found)
        if key is not None:
            _keep(key, program)
    if last is not None:
        last.next = program
    last = program
    if found is None:
        done.leave()
        _count_refused(done, program.why)
        values = interpret(done)
        for root in live:
            root.hold(values[root.ref].clone(memory_format=torch.contiguous_format))
        for ref, owner in zip(done.input_refs, done.owners, strict=True):
            root = owner() if owner is not None else None
            if root is not None:
                root.data = values[ref]
        return
    returned, made, updates, record = found
    inputs: list[Any] = list(done.data)
    inputs += [torch.tensor(s, dtype=torch.float64) for s in done.scalars]
    if done.random:
        if random_state is None:
            seed(torch.initial_seed())
        inputs.append(random_state)
    start = time.perf_counter()
    try:
        results = made.run(inputs) if _EXCHANGE else [torch.from_dlpack(r) for r in made(*inputs)]
    except Exception as error:  # a check: none of the program's values exist, what it was to write to is as it was
        for root in live:
            root.failed = error
        raise
    if results is None:
        raise RuntimeError("tenfold: the values at hand are not what the program was compiled for")
    record.runs += 1
    record.run_seconds += time.perf_counter() - start
    stats.runs += 1
    place = {ref: i for i, ref in enumerate(returned)}
    for root in live:
        root.hold(results[place[root.ref]])
    for i, update in enumerate(updates):
        if update is True:
            random_state = results[i]
        elif isinstance(update, int):
            owner = done.owners[update]
            root = owner() if owner is not None else None
            if root is not None:
                root.data = results[i]


def fold(value: Value) -> torch.Tensor | None:
    """The value, when nothing but numbers went into it: a constant, known without running what is pending."""
    if value.graph != graph.number or value.root is not value or value.ref in graph.written:
        return None
    makers = {ref: i for i, made in enumerate(graph.outputs) for ref in made}
    todo, needed = [value.ref], set()
    while todo:
        i = makers.get(todo.pop())
        if i is None or len(needed) > FOLD_MAX:
            return None
        if i in needed:
            continue
        needed.add(i)
        if graph.nodes[i][0] == "input" or graph.nodes[i][0].random:
            return None
        handler, args = graph.nodes[i]
        if any(ref in graph.written or graph.specs[ref].numel > 1 << 20 for ref in graph.outputs[i] if ref >= 0):
            return None
        for (_, kind), item in zip(handler.signature, args, strict=False):
            if kind == "T" and isinstance(item, int):
                todo.append(item)
            elif kind == "L" and item is not None:
                todo.extend(r for r in item if isinstance(r, int))
    return interpret(graph, needed)[value.ref]


def data_came() -> None:
    """New data from the host: what was recorded before it is a program of its own, unless a backward pass is to come.

    So a loop that only evaluates, and one that accumulates gradients, become one program for each batch."""
    if len(graph.nodes) >= CUT_MIN and (graph.backward or not torch.is_grad_enabled()):
        flush()


def materialize(value: Value) -> torch.Tensor:
    """The value's memory as a CPU tensor; runs what is pending when that is needed."""
    with lock:
        root = value.root
        if root.graph == graph.number and (root.data is None or root.ref in graph.written):
            flush()
        return host(value)


_peak = 0


def memory() -> dict[str, int]:
    """Bytes of the values that tensors of the device hold, now and at most."""
    global _peak
    held = {id(r): r for r in list(values.roots)}
    now = sum(r.spec.numel * r.spec.dtype.itemsize for r in held.values() if r.data is not None)
    _peak = max(_peak, now)
    return {"allocated_bytes": now, "peak_bytes": _peak, "tensors": len(held)}


def reset_peak() -> None:
    global _peak
    _peak = 0
