"""What eager PyTorch raises, every door raises: OpInfo's error inputs, and the cases of error_cases.py.

    make opinfo-errors [ARGS="ENTRY …"]      prints where a door gives numbers, or raises another type; exits with 1

A door is torch.compile, the device "tenfold", or a `.pt2` archive. It is right where it raises the type that eager mode
raises, or one below it. dynamo wraps what its own tracing finds in types of its own: what torch.compile raises is also
right where backend="aot_eager" raises that type, and where "aot_eager" itself gives numbers.
"""

from __future__ import annotations

import sys
import tempfile
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import tenfold
import torch
from archives import Call, in_time
from error_cases import cases
from torch.utils._pytree import tree_leaves, tree_map

DOORS = ("compile", "device", "archive")


def raised_by(function: Callable[[], Any]) -> Exception | None:
    """What it raises until all its results are read."""
    try:
        with in_time():
            for leaf in tree_leaves(function()):
                if isinstance(leaf, torch.Tensor) and leaf.layout == torch.strided:
                    leaf.cpu()
    except TimeoutError:
        raise
    except Exception as error:
        return error
    return None


def _compiled(call: Call, backend: str) -> Exception | None:
    torch._dynamo.reset()
    return raised_by(lambda: torch.compile(call.forward, backend=backend)(*call.copies()))


def compile_failure(call: Call, eager: Exception) -> str:
    have = _compiled(call, "tenfold")
    if isinstance(have, type(eager)):
        return ""
    reference = _compiled(call, "aot_eager")
    if reference is None or type(have) is type(reference):
        return ""
    return f"eager raises {type(eager).__name__}, aot_eager {type(reference).__name__}, torch.compile {said(have)}"


def device_failure(call: Call, eager: Exception) -> str:
    def run() -> Any:
        moved = [t.to("tenfold") for t in call.copies()]
        return tree_map(lambda t: t.cpu() if isinstance(t, torch.Tensor) else t, call(*moved))

    have = raised_by(run)
    return "" if isinstance(have, type(eager)) else f"eager raises {type(eager).__name__}, the device {said(have)}"


def archive_failure(call: Call, eager: Exception) -> str:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "call.pt2"
        try:
            with in_time(), torch.no_grad():
                torch.export.save(torch.export.export(call, call.copies(), strict=False), path)
        except Exception:  # PyTorch found it: there is no such archive
            return ""
        if not call.tensors:
            return ""
        have = raised_by(lambda: tenfold.load(path)(*call.copies()))
    return "" if isinstance(have, type(eager)) else f"eager raises {type(eager).__name__}, the archive {said(have)}"


def said(error: Exception | None) -> str:
    return f"{type(error).__name__}: {str(error)[:160]}" if error else "gives numbers"


def failures(call: Call, doors: tuple[str, ...] = DOORS) -> Iterator[str]:
    """Nothing where eager mode does not raise."""
    eager = raised_by(lambda: call(*call.copies()))
    if eager is None:
        return
    tries = {"compile": compile_failure, "device": device_failure, "archive": archive_failure}
    for door in doors:
        try:
            why = tries[door](call, eager)
        except TimeoutError as error:
            why = f"{door}: {error}"
        if why:
            yield why


def error_calls(entry: Any) -> Iterator[tuple[str, Call]]:
    """The error inputs of an entry of OpInfo that are calls with tensors of the CPU."""
    if entry.error_inputs_func is None:
        return
    try:
        drawn = list(entry.error_inputs("cpu"))
    except AttributeError:  # some want an object
        drawn = list(entry.error_inputs(torch.device("cpu")))
    for given in drawn:
        sample = given.sample_input
        arguments = ((sample.input, *sample.args), dict(sample.kwargs))
        leaves = [x for x in tree_leaves(arguments) if isinstance(x, torch.Tensor)]
        if any(x.device.type != "cpu" or x.layout != torch.strided for x in leaves):
            continue
        yield str(given.error_regex)[:60], Call(entry.op, arguments)


def main() -> int:
    from torch.testing._internal.common_methods_invocations import op_db

    warnings.simplefilter("ignore")
    torch._dynamo.config.suppress_errors = False
    wrong = tried = 0

    def account(name: str, call: Call) -> None:
        nonlocal wrong, tried
        tried += 1
        for why in failures(call):
            wrong += 1
            print(f"{name}: {why}", flush=True)

    for entry in op_db:
        if sys.argv[1:] and entry.full_name not in sys.argv[1:]:
            continue
        for text, call in error_calls(entry):
            account(f"{entry.full_name} ({text})", call)
    for case in cases():
        if not sys.argv[1:] or case.name.split()[0] in sys.argv[1:]:
            account(case.name, Call(case.function, (case.tensors, {})))
    print(f"{tried} calls through {len(DOORS)} doors, {wrong} wrong")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
