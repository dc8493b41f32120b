"""Dynamo's tracing without what only costs time. `install` is called once, by the backend.

A first call is mostly dynamo's tracing. Some of that serves nothing that a program could see: names of functions for
log lines that nobody reads, packages loaded to ask whether a value is one of theirs, collections of garbage in a heap
that only grows. Each piece stands alone, and is left as it was where a release of torch has it otherwise.
"""

from __future__ import annotations

import contextlib
import functools
import gc
import importlib
import inspect
import logging
import sys
import time
from collections.abc import Callable
from typing import Any

import torch
import torch._dynamo

_DISTRIBUTED = "torch.distributed.tensor.experimental._func_map"
_LOADED_LATER = (  # by dynamo, for whatever it compiles first
    *("torch._dynamo.repro.after_dynamo", "torch._dynamo.dce_extra_outputs", "torch._inductor.compiler_bisector"),
    *("torch._inductor.sizevars", "torch._subclasses.schema_check_mode", "torch.fx.experimental.validator"),
    *("torch.export._trace", "torch._export.passes._node_metadata_hook"),
    "torch._higher_order_ops.passes.inline_invoke_subgraph",
)
_ROOM = (1 << 17) + 64  # pointers: a little over 1 MiB, for which Python takes 2


def _with_room(function: Callable[..., Any], args: Any, kwargs: Any) -> Any:
    """Calls a function with a MiB for the frames of what it calls, all of them in one block. Python takes blocks of 16
    KiB as calls get deeper and gives each back when the last frame in it returns: whatever is called again and again at
    the end of a block maps and unmaps memory each time, thousands of times where dynamo traces. Memory for a stack of
    its own that this function asks for and does not touch makes the block large."""
    return function(*args, **kwargs)


_with_room.__code__ = _with_room.__code__.replace(co_stacksize=_ROOM)


def _load_now() -> None:
    """What dynamo would load or list in the first call, whatever it traces."""
    from torch._dynamo.backends import registry
    from torch._dynamo.variables import torch as functions
    from torch.fx.experimental import symbolic_shapes

    for name in _LOADED_LATER:
        with contextlib.suppress(ImportError):
            importlib.import_module(name)
    for module, name in (
        (registry, "_lazy_import"),
        (functions, "get_overridable_functions"),
        (symbolic_shapes, "uninteresting_files"),
    ):
        fill = getattr(module, name, None)
        if hasattr(fill, "cache_info"):
            with contextlib.suppress(Exception):  # is raised again where it is asked for
                fill()


def _wait_with_garbage() -> None:
    """Python's collector waits while dynamo compiles; dynamo calls these once around frames inside of each other. What
    was made meanwhile goes to the oldest generation, unseen: the next full collection looks through it."""
    paused = [False]

    def start(_: Any) -> None:
        paused[0] = gc.isenabled()
        gc.disable()

    def end(_: Any) -> None:
        if not paused[0]:
            return
        if gc.get_freeze_count() == 0:  # else some of it is the program's own wish
            gc.freeze()
            gc.unfreeze()
        gc.enable()

    handler = torch._dynamo.callback_handler
    clear = handler.clear

    def register() -> None:
        handler.register_start_callback(start)
        handler.register_end_callback(end)

    def clear_and_register() -> None:  # torch._dynamo.reset() forgets them
        clear()
        register()

    handler.clear = clear_and_register
    register()


def _name_functions_for_logs_only() -> None:
    """The name of the function around a line is found by tokenizing the file; only log lines show it."""
    from torch._dynamo import output_graph, symbolic_convert

    find = symbolic_convert.get_funcname
    logs = [output_graph.trace_call_log, symbolic_convert.trace_call_log, symbolic_convert.trace_source_log]

    @functools.wraps(find)
    def find_if_shown(filename: str, line: int) -> str | None:
        return find(filename, line) if any(log.isEnabledFor(logging.DEBUG) for log in logs) else None

    symbolic_convert.get_funcname = find_if_shown


def _load_no_distributed_tensors() -> None:
    """Whether a function is torch.distributed's local_map: not while the file that defines it is not loaded."""
    from torch._dynamo.variables.higher_order_ops import LocalMapWrappedHigherOrderVariable as Variable

    ask = Variable.should_wrap_in_hop.__func__

    def ask_if_loaded(cls: Any, value: Any) -> bool:
        return _DISTRIBUTED in sys.modules and ask(cls, value)

    Variable.should_wrap_in_hop = classmethod(ask_if_loaded)


def _shorten_names_once() -> None:
    """Guards carry the line they come from; there are thousands, of a few files."""
    from torch.utils import _traceback

    shorten = _traceback.shorten_filename

    @functools.lru_cache(maxsize=1024)
    def shorten_once(filename: str, base: str | None) -> str:
        return shorten(filename, base=base)

    @functools.wraps(shorten)
    def shorten_filename(fn: str, *, base: str | None = None) -> str:
        return shorten_once(fn, base)

    _traceback.shorten_filename = shorten_filename


def _ask_for_no_streams() -> None:
    """The lazy device makes torch believe in an accelerator with streams. It has none; without this, every call of
    every compiled graph would look up the current one."""
    from torch._dynamo.variables.streams import SymbolicStreamState

    begin = SymbolicStreamState.__init__

    def begin_without(self: Any) -> None:
        accelerator = torch.accelerator.current_accelerator()
        if accelerator is None or accelerator.type != "tenfold":
            begin(self)
            return
        available = torch.accelerator.is_available
        torch.accelerator.is_available = lambda: False  # type: ignore[assignment]
        try:
            begin(self)
        finally:
            torch.accelerator.is_available = available  # type: ignore[assignment]

    SymbolicStreamState.__init__ = begin_without  # type: ignore[method-assign]


def _time_guards_in_passing() -> None:
    """Dynamo times the guards it has made for its statistics, and writes tens of megabytes before to empty the caches.
    One check says as much."""
    from torch._dynamo import guards

    def profile(root: Any, scope: dict[str, Any], count: int) -> float:
        start = time.perf_counter()
        for _ in range(count):
            root.check(scope)
        return (time.perf_counter() - start) * 1e6 / max(count, 1)

    if not hasattr(guards.RootGuardManager, "check"):
        return
    guards.profile_guard_manager = functools.wraps(guards.profile_guard_manager)(profile)


def _take_shortcuts() -> None:
    """While frames are compiled for this backend, and for no other."""
    from torch._dynamo import convert_frame

    from tenfold.torch.dynamo import shortcuts

    run = convert_frame._compile
    place = list(inspect.signature(run).parameters).index("compiler_fn")

    @functools.wraps(run)
    def run_shorter(*args: Any, **kwargs: Any) -> Any:
        if not is_ours(args[place] if len(args) > place else kwargs.get("compiler_fn")):
            return run(*args, **kwargs)
        if "skip" in kwargs:  # frames to leave out of the stacks that logs show
            kwargs["skip"] += 2
        with shortcuts.taken():
            return _with_room(run, args, kwargs)

    convert_frame._compile = run_shorter


def is_ours(compiler: Any) -> bool:
    """Whether a backend as dynamo wraps it is this one."""
    for _ in range(8):
        inner = getattr(compiler, "_torchdynamo_orig_backend", None) or getattr(compiler, "compiler_fn", None)
        inner = inner or (compiler.func if isinstance(compiler, functools.partial) else None)
        if inner is None:
            break
        compiler = inner
    return getattr(compiler, "__module__", None) == "tenfold.torch.backend"


@functools.cache
def install() -> None:
    for piece in (
        _load_now,
        _wait_with_garbage,
        _name_functions_for_logs_only,
        _load_no_distributed_tensors,
        _shorten_names_once,
        _time_guards_in_passing,
        _ask_for_no_streams,
        _take_shortcuts,
    ):
        try:
            piece()
        except (AttributeError, ImportError, ValueError):  # another release of torch
            continue
