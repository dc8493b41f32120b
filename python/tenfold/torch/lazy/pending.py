"""What is recorded and not run yet, and what becomes of it: one program, compiled once and stored.

The graph itself is the recorder's. Here is what it has of PyTorch: the memory of its inputs, the values that it
computes, the executables, and what runs them.
"""

from __future__ import annotations

import threading
import time
import weakref
from collections import Counter
from dataclasses import dataclass
from typing import Any

import torch
from torch.autograd import profiler

from tenfold import _core
from tenfold.forks import across_forks
from tenfold.torch.lazy import packed, relatives, values
from tenfold.torch.lazy.interpret import interpret
from tenfold.torch.lazy.lines import NO_LINE, find_line, line_text
from tenfold.torch.lazy.packed import Packed
from tenfold.torch.lazy.recording import recorder
from tenfold.torch.lazy.schema import handler_of
from tenfold.torch.lazy.serialize import to_json
from tenfold.torch.lazy.values import Spec, Value, host
from tenfold.torch.profiler import Watch, follow

_FULL = torch.ops.aten.full.default
_FEW = 64
_PERMUTE = torch.ops.aten.permute.default
lock = across_forks(threading.RLock())
_EXCHANGE = hasattr(torch.Tensor, "__dlpack_c_exchange_api__") and _core.set_exchange(
    torch.Tensor.__dlpack_c_exchange_api__
)


@dataclass
class Record:
    """One executable: shown by tenfold.explain()."""

    ops: int
    line: str
    why: str
    compiled: bool = True  # False: the code of other sizes did
    seconds: float = 0.0
    runs: int = 0
    run_seconds: float = 0.0
    peak_bytes: int = 0


@dataclass
class Executable:
    """One way to run a program: which values it returns."""

    returned: tuple[int, ...]
    made: Any
    updates: list[Any]  # of each result, what it updates
    record: Record
    packed: Packed | None  # the same with its weights compiled in, where it only evaluates


class Program:
    """What was compiled for one list of nodes: executables, in the recorder's order."""

    def __init__(self) -> None:
        self.made: list[Executable] = []
        self.refused = False
        self.why = ""


class Stats:
    """Counts since the start or tenfold.reset_stats()."""

    def __init__(self) -> None:
        self.reset()

    def reset(self) -> None:
        self.records: list[Record] = []
        self.runs = 0
        self.fallbacks: Counter[str] = Counter()
        self.fallback_lines: Counter[str] = Counter()


class Graph:
    """What the graph that is recorded has of PyTorch."""

    def __init__(self) -> None:
        self.input_refs: list[int] = []
        self.input_specs: list[Spec] = []
        self.data: list[torch.Tensor] = []
        self.owners: list[weakref.ref[Value] | None] = []  # the root each input is the memory of
        self.backward = False  # something was recorded by autograd's own thread


stats = Stats()
programs: dict[int, Program] = {}  # by the recorder's numbers
refused: dict[int, str] = {}  # an op with its argument types (a key of the recorder), and why it has no lowering
random_state: torch.Tensor | None = None
device = "cpu"
level, precision, checks = 3, "f32", True  # report.Options says what these are
graph = Graph()
roots: list[weakref.ref[Value]] = []  # made in the graph; the recorder adds to them, too
fell_back_in_backward = False  # lines of forward ops are remembered at every step from then on
mixed = False  # tensors on the CPU are taken among the device's own


def seed(value: int) -> None:
    """Restarts the random numbers of the device."""
    global random_state
    random_state = torch.tensor([value & (2**63 - 1), 0], dtype=torch.int64).view(torch.uint64)


def configure(new_device: str, new_level: int, new_precision: str, new_checks: bool = True) -> None:
    """How programs are compiled from now on; those made differently are dropped."""
    global device, level, precision, checks
    with lock:
        if (device, level, precision, checks) != (new_device, new_level, new_precision, new_checks):
            flush()
            device, level, precision, checks = new_device, new_level, new_precision, new_checks
            programs.clear()
            relatives.clear()
            recorder.clear()


# ---- recording ------------------------------------------------------------------------------------------------------


def add_input(data: torch.Tensor, spec: Spec, owner: Value | None) -> int:
    ref = recorder.input(spec)
    graph.input_refs.append(ref)
    graph.input_specs.append(spec)
    graph.data.append(data)
    graph.owners.append(weakref.ref(owner) if owner is not None else None)
    return ref


def ref_of(value: Value) -> int:
    """The number of a value in the graph; what it is made of is recorded first where needed."""
    if value.graph == recorder.graph:
        return value.ref
    if value.root is value:
        if value.data is not None:
            value.ref = add_input(value.data, value.spec, value)
        else:
            value.check()
            number, spec = value.fill, value.spec
            value.fill = None
            if spec.dtype is torch.bool and spec.numel <= _FEW:  # a flag: loops set it once they are done
                value.hold(torch.full(spec.shape, number, dtype=torch.bool))
                return ref_of(value)
            row = recorder.encode(handler_of(_FULL).number, (spec.shape, number, spec.dtype), 0)
            value.ref = recorder.add(row, (spec,), -1, NO_LINE)
            roots.append(weakref.ref(value))
    else:
        assert value.parent is not None and value.step is not None
        parent = ref_of(value.parent)
        step, index = value.step
        value.ref = recorder.add_step(step.handler.number, parent, step.encoded, step.specs, find_line) + index
        if step.handler.loose:
            return value.ref  # made again at each use: its memory may have been written to
    value.graph = recorder.graph
    return value.ref


def adopt(value: Value, ref: int) -> None:
    """A root whose value the graph computes."""
    value.graph, value.ref = recorder.graph, ref
    roots.append(weakref.ref(value))


def adopt_permuted(spec: Spec, ref: int) -> Value:
    """A result whose memory is not in the order of its dimensions: its root, the memory, is recorded too."""
    value, root = Value.laid_out(spec)
    handler = handler_of(_PERMUTE)
    rest = recorder.encode(handler.number, (None, spec.order), 1)
    adopt(root, recorder.add_step(handler.number, ref, rest, (root.spec,), None))
    value.graph, value.ref = recorder.graph, ref
    return value


def drop() -> None:
    """The graph is not run."""
    global graph
    recorder.reset()
    roots.clear()
    graph = Graph()


# ---- running --------------------------------------------------------------------------------------------------------


def _nodes() -> range:
    return range(recorder.count)


def _blame() -> bool:
    """Finds the ops that have no lowering for their arguments; True when there are any."""
    found = False
    seen = set()
    for i in _nodes():
        _, _, made, key, _ = recorder.node(i, None)
        if key < 0 or key in seen:
            continue
        seen.add(key)
        try:
            text = to_json(tuple([r for r in made if r >= 0]), only=i)
            _core.graph(text).compile(device=device, seed_input=recorder.random)
        except (_core.Error, NotImplementedError, KeyError) as why:
            refused[key] = str(why).splitlines()[0]
            found = True
    return found


def _count_refused(why: str) -> None:
    nodes = [recorder.node(i, None) for i in _nodes()]
    blamed = [(handler, line) for handler, _, _, key, line in nodes if key in refused]
    for handler, line in blamed:
        stats.fallbacks[handler.name] += 1
        stats.fallback_lines[line_text(line)] += 1
    if not blamed:
        stats.fallbacks["graph"] += 1
        stats.fallback_lines[why.splitlines()[0]] += 1


def _compile(wanted: tuple[int, ...], program: Program, why: str) -> bool:
    """Adds an executable that returns these values. False: ops were refused, and go their own way the next time, so
    that this graph will not come again."""
    start = time.perf_counter()
    recorder.leave()
    options = {
        "device": device,
        "seed_input": recorder.random,
        "precision": precision,
        "level": max(level, 1),
        "checks": checks,
    }
    try:
        text = to_json(wanted)
        traced = _core.graph(text)
        made, related, compiled = _executable(traced, text, options)
    except (_core.Error, NotImplementedError, KeyError) as error:
        program.refused = True
        program.why = str(error)
        return not _blame()
    lines = (recorder.node(i, None)[4] for i in _nodes())
    line = next((ln for ln in lines if ln >= 0), NO_LINE)
    record = Record(recorder.count - len(graph.input_refs), line_text(line), why, compiled)
    record.seconds = time.perf_counter() - start
    record.peak_bytes = sum(made.memory) + sum(s.numel * s.dtype.itemsize for s in graph.input_specs)
    stats.records.append(record)
    frozen = _packed(traced, made.updates, options) if related <= relatives.PACKED else None
    program.made.append(Executable(wanted, made, made.updates, record, frozen))
    return True


def _executable(traced: Any, text: str, options: dict[str, Any]) -> tuple[Any, int, bool]:
    """The pending graph compiled, how many programs differ from it in sizes alone, with it, and whether code was
    generated."""
    family = relatives.find(traced, text, graph.owners, options) if device == "cpu" else None
    if family is None:
        return traced.compile(donate=True, **options), 1, True
    code = family.join(text, graph.owners, options | {"donate": True})
    before = code.counts[0]
    made = traced.compile(donate=True, shared=code, **options)
    return made, family.count, code.counts[0] > before


def _packed(traced: Any, updates: list[Any], options: dict[str, Any]) -> Packed | None:
    if not _EXCHANGE or device != "cpu" or any(type(u) is int for u in updates):  # it trains, or fills a cache
        return None
    weights = packed.choose(graph.input_refs, graph.input_specs)
    return Packed(traced, options, weights) if weights else None


def _program_for(wanted: tuple[int, ...]) -> tuple[Program, int]:
    """The program that the graph is, compiled where it is new, and its executable for these values; -1: refused."""
    number, executable, why = recorder.find(wanted)
    program = programs.get(number)
    if program is not None and (executable >= 0 or program.refused):
        return program, executable
    fresh = program is None
    program = program or Program()
    stored = _compile(wanted, program, why or "other values are still in use")
    if fresh and stored:
        number, dropped = recorder.store()
        programs[number] = program
        for old in dropped:
            programs.pop(old, None)
    if program.refused:
        return program, -1
    recorder.returns(wanted)
    return program, len(program.made) - 1


def flush() -> None:
    """Compiles what is pending, unless it is known already, and runs it."""
    with lock:
        if not recorder.count:
            return
        live = []
        for reference in roots:
            root = reference()
            if root is not None and root.graph == recorder.graph:
                live.append(root)
        try:
            program, executable = _program_for(tuple([root.ref for root in live]))
            recorder.ran()
            if executable < 0:
                _run_refused(live, program)
            else:
                _run(live, program.made[executable])
        finally:
            drop()


def _run_refused(live: list[Value], program: Program) -> None:
    recorder.leave()
    _count_refused(program.why)
    made = {}
    for ref, data, owner in zip(graph.input_refs, graph.data, graph.owners, strict=True):
        made[ref] = data.clone() if owner is not None else data
    interpret(made, _nodes())
    for root in live:
        root.hold(made[root.ref].clone(memory_format=torch.contiguous_format))
    for ref, owner in zip(graph.input_refs, graph.owners, strict=True):
        root = owner() if owner is not None else None
        if root is not None:
            root.data = made[ref]


def _run(live: list[Value], executable: Executable) -> None:
    global random_state
    made, record = executable.made, executable.record
    inputs: list[Any] = list(graph.data)
    inputs += [torch.tensor(s, dtype=torch.float64) for s in recorder.scalars()]
    if recorder.random:
        if random_state is None:
            seed(torch.initial_seed())
        inputs.append(random_state)
    if profiler._is_profiler_enabled is not Watch.on:
        follow()
    start = time.perf_counter()
    try:
        results = executable.packed.run(inputs) if executable.packed is not None else None
        if results is None:
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
    place = {ref: i for i, ref in enumerate(executable.returned)}
    for root in live:
        root.hold(results[place[root.ref]])
    for i, update in enumerate(executable.updates):
        if update is True:
            random_state = results[i]
        elif isinstance(update, int):
            owner = graph.owners[update]
            root = owner() if owner is not None else None
            if root is not None:
                root.data = results[i]


def fold(value: Value, inputs: bool = False) -> torch.Tensor | None:
    """The value, when nothing but numbers went into it: a constant, known without running what is pending. With
    `inputs`, also when it is made of a few small inputs by a few ops."""
    if value.graph != recorder.graph or value.root is not value:
        return None
    nodes = recorder.fold(value.ref, inputs)
    if nodes is None:
        return None
    known = dict(zip(graph.input_refs, graph.data, strict=True)) if inputs else {}
    return interpret(known, sorted(nodes))[value.ref]


def _is_exact(node: int) -> bool:
    """Whether the CPU's kernels give what the program would give, to the last bit: no fractions are computed."""
    specs = [recorder.spec_of(ref) for ref in recorder.node(node, None)[2] if ref >= 0]
    return not any(spec.dtype.is_floating_point or spec.dtype.is_complex for spec in specs)


def peek(value: Value) -> torch.Tensor | None:
    """The value, where it is known already or a few small ops on whole numbers make it of what is; memory that must
    not be written to. None: what is pending has to run."""
    root = value.root
    if root.graph != recorder.graph or (root.data is not None and not recorder.is_written(root.ref)):
        return host(value) if root.data is not None else None
    nodes = recorder.fold(root.ref, True)
    if nodes is None or not all(_is_exact(node) for node in nodes):
        return None
    made = fold(root, inputs=True)
    return None if made is None else values.look(value, made.contiguous())


def data_came() -> None:
    """New data from the host: what was recorded before it is a program of its own, unless a backward pass is to come.

    So a loop that only evaluates, and one that accumulates gradients, become one program for each batch."""
    if recorder.is_worth_cutting and (graph.backward or not torch.is_grad_enabled()):
        flush()


def materialize(value: Value) -> torch.Tensor:
    """The value's memory as a CPU tensor; runs what is pending when that is needed."""
    with lock:
        root = value.root
        if root.graph == recorder.graph and (root.data is None or recorder.is_written(root.ref)):
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
