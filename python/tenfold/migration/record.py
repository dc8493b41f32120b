"""Runs one program and writes down what it did: printed text, gradients and parameters of each optimizer step, what
its functions returned, files it wrote, how it ended. `tenfold.migration.verify` runs this twice and compares.

    python -m tenfold.migration.record --as KIND --out FILE [OPTION…] PROGRAM [ARGUMENT…]
"""

from __future__ import annotations

import argparse
import ast
import contextlib
import inspect
import io
import os
import pickle
import random
import runpy
import signal
import socket
import sys
import time
import traceback
import types
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tenfold.migration.digest import digest
from tenfold.paths import SEARCH

CALLS_KEPT = 4  # of each function
NEEDS = {
    ModuleNotFoundError: "needs a package that is not installed",
    FileNotFoundError: "needs a file that is not here",
    ConnectionError: "needs the network",
    TimeoutError: "took longer than the limit",
    EOFError: "waits for input",
}


class Enough(BaseException):
    """Enough steps were seen of a program that would run too long."""


class Tee(io.TextIOBase):
    def __init__(self):
        self.text = io.StringIO()

    def write(self, text: str) -> int:
        if self.text.tell() < 1_000_000:
            self.text.write(text)
        return len(text)

    def isatty(self) -> bool:
        return False


def holds_tensor(value: Any) -> bool:
    from torch import Tensor

    if isinstance(value, (list, tuple)):
        return any(map(holds_tensor, value))
    return any(map(holds_tensor, value.values())) if isinstance(value, dict) else isinstance(value, Tensor)


class Recorder:
    def __init__(self, folder: Path, steps: int, stop_after_steps: bool, settle: Callable[[], None]):
        self.folder = str(folder)
        self.steps_wanted = steps
        self.stop_after_steps = stop_after_steps
        self.settle = settle  # what is pending is computed at once: read one by one, each tensor would be compiled for
        self.steps: list[dict] = []
        self.calls: dict[str, list] = {}
        self.counts: dict[str, int] = {}
        self.busy = False
        self.rounds = False  # autocast was on

    # -- optimizers

    def before_step(self, optimizer, args, kwargs):
        if len(self.steps) < self.steps_wanted:
            self.steps.append({"grads": self._parameters(optimizer, lambda p: p.grad)})

    def after_step(self, optimizer, args, kwargs):
        if self.steps and "params" not in self.steps[-1]:
            self.steps[-1]["params"] = self._parameters(optimizer, lambda p: p)
        if self.stop_after_steps and len(self.steps) >= self.steps_wanted:
            raise Enough

    def _parameters(self, optimizer, pick):
        self.settle()
        return [digest(pick(p)) for group in optimizer.param_groups for p in group["params"]]

    # -- functions of the program

    def profile(self, frame: types.FrameType, event: str, result: Any) -> None:
        if event != "return" or self.busy:
            return
        code = frame.f_code
        name = getattr(code, "co_qualname", code.co_name)
        if code.co_name.startswith("<") or not code.co_filename.startswith(self.folder):
            return
        key = f"{os.path.relpath(code.co_filename, self.folder)}:{name}"
        self.counts[key] = self.counts.get(key, 0) + 1
        if self.counts[key] <= CALLS_KEPT and not (code.co_flags & inspect.CO_GENERATOR):
            self.busy = True
            try:
                if holds_tensor(result):
                    self.settle()
                self.calls.setdefault(key, []).append(digest(result))
            except Exception as error:  # a value that cannot be looked at is no verdict on the program
                self.calls.setdefault(key, []).append(f"<{type(error).__name__}>")
            finally:
                self.busy = False


def why(error: BaseException) -> str:
    for kind, reason in NEEDS.items():
        if isinstance(error, kind):
            return f"{reason}: {error}"
    if type(error).__name__ in ("URLError", "HTTPError"):
        return f"needs the network: {error}"
    return f"{type(error).__name__}: {error}"


def files_in(folder: Path, before: set[str]) -> dict[str, Any]:
    """What the program wrote: checkpoints as tensors, text as text, the rest by its size."""
    import torch

    found = {}
    for path in sorted(folder.rglob("*")):
        name = str(path.relative_to(folder))
        if not path.is_file() or name in before or "__pycache__" in name:
            continue
        if path.suffix in (".pt", ".pth", ".tar", ".ckpt", ".bin", ".model"):
            try:
                found[name] = digest(torch.load(path, map_location="cpu", weights_only=False))
                continue
            except Exception:
                pass
        content = path.read_bytes()
        try:
            found[name] = content.decode()
        except UnicodeDecodeError:
            found[name] = f"<{len(content)} bytes>"
    return found


def mentions(program: Path, root: Path, word: bytes) -> bool:
    """Whether the word is in the program, or in a file of the project that it imports."""
    todo, seen = [program], set()
    while todo:
        file = todo.pop()
        if file in seen or not file.is_file():
            continue
        seen.add(file)
        text = file.read_bytes()
        if word in text:
            return True
        try:
            tree = ast.parse(text)
        except (SyntaxError, ValueError):
            continue
        for node in ast.walk(tree):
            names = [[alias.name] for alias in node.names] if isinstance(node, ast.Import) else []
            places = [file.parent, program.parent, root]
            if isinstance(node, ast.ImportFrom):
                names = [[node.module or ""]] + [[node.module or "", alias.name] for alias in node.names]
                places = [file.parents[node.level - 1]] if node.level else places
            for parts in names:
                path = ".".join(filter(None, parts)).replace(".", "/")
                todo += [place / end for place in places for end in (f"{path}.py", f"{path}/__init__.py".lstrip("/"))]
    return False


ROUNDINGS = 16  # that a sum of a few hundred products is off by, when it is taken in another order


def add_noise(seed: int) -> None:
    """Every parameter that an optimizer is given is a few roundings away from what it was."""
    import torch

    plain, generator = torch.optim.Optimizer.__init__, torch.Generator().manual_seed(seed)

    def init(self, *args, **kwargs):
        plain(self, *args, **kwargs)
        with torch.no_grad(), torch._C.DisableTorchFunction():
            for parameter in (p for group in self.param_groups for p in group["params"]):
                if parameter.dtype.is_floating_point:
                    signs = torch.randint(0, 2, parameter.shape, generator=generator) * 2 - 1
                    parameter.mul_(1 + signs * ROUNDINGS * torch.finfo(parameter.dtype).eps)

    torch.optim.Optimizer.__init__ = init


def as_torchrun() -> None:
    """The place where its processes meet, which a program that torchrun starts does not choose."""
    if "MASTER_ADDR" not in os.environ:
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            os.environ |= {"MASTER_ADDR": "127.0.0.1", "MASTER_PORT": str(free.getsockname()[1])}


def install(options: argparse.Namespace, program: Path, root: Path) -> tuple[Any, Any, Callable[[], None]]:
    """The stand-in's state, or what replays on a real torch_xla; and what waits until it has settled."""
    import torch

    if options.kind == "real_tpu":
        from tenfold import tpu
        from tenfold.migration import replay

        tpu.tpu_sim("v5e:1x1")
        import torch_tpu  # noqa: F401

        mode = replay.install_tpu()
        mode.one_stream = options.one_stream
        torch._C._set_multithreading_enabled(False)  # backward where it can be seen
        as_torchrun()
        return None, mode, mode.settle
    if options.kind != "real":
        from tenfold.migration import xla

        state = xla.install(options.kind)
        state.device.one_stream = options.one_stream
        return state, None, lambda: None
    plain = torch.nn.GRU, torch.nn.utils.clip_grad_norm_
    import torch_xla  # noqa: F401

    from tenfold.migration import replay

    if not mentions(program, root, b"torch_xla"):  # its import puts others there, which work on the device only
        torch.nn.GRU, torch.nn.utils.clip_grad_norm_ = plain

    mode = replay.install()
    mode.one_stream = options.one_stream
    torch._C._set_multithreading_enabled(False)  # backward where it can be seen
    return None, mode, mode.settle


def observe(recorder: Recorder, options: argparse.Namespace) -> None:
    """Numbers of a known seed on one thread; autocast and optimizers tell the recorder."""
    import numpy
    import torch
    from torch.optim.optimizer import register_optimizer_step_post_hook, register_optimizer_step_pre_hook

    random.seed(0)
    numpy.random.seed(0)
    torch.manual_seed(0)
    torch.set_num_threads(1)
    enter = torch.autocast.__enter__

    def entered(context):
        on = bool(getattr(context, "_enabled", True))
        recorder.rounds |= on
        if on and options.exact:
            context._enabled = False
        return enter(context)

    torch.autocast.__enter__ = entered
    if options.noise:
        add_noise(options.noise)
    register_optimizer_step_pre_hook(recorder.before_step)
    register_optimizer_step_post_hook(recorder.after_step)


def execute(program: Path, options: argparse.Namespace, recorder: Recorder, record: dict[str, Any]) -> Any:
    """Runs the program within the limit of time; what it defines, with --functions."""
    sys.argv = [str(program), *options.arguments]
    sys.path.insert(0, str(program.parent))
    tee, stdout = Tee(), sys.stdout

    def too_long(*_):
        raise TimeoutError(f"{options.limit} s")

    signal.signal(signal.SIGALRM, too_long)
    signal.alarm(options.limit)
    start = time.perf_counter()
    sys.stdout = tee
    sys.setprofile(recorder.profile)
    module = None
    try:
        if options.functions:
            module = types.SimpleNamespace(**runpy.run_path(str(program), run_name=program.stem))
        else:
            runpy.run_path(str(program), run_name="__main__")
        record["finished"] = True
    except Enough:
        pass
    except SystemExit as error:
        record["finished"] = error.code in (None, 0)
        if not record["finished"]:
            record["error"] = f"ended with status {error.code}"
            if error.code == 2:
                record["error"] = "needs command-line arguments (give them with --args)"
    except BaseException as error:
        record["error"] = why(error)
        record["trace"] = traceback.format_exc(limit=-4)
    finally:
        sys.setprofile(None)
        sys.stdout = stdout
        signal.alarm(0)
    record["seconds"] = time.perf_counter() - start
    record["stdout"] = tee.text.getvalue()
    return module


def run(options: argparse.Namespace) -> dict[str, Any]:
    program = Path(options.program).resolve()
    root = Path(options.root).resolve() if options.root else program.parent
    os.environ["TENFOLD_DEVICE"] = "0"  # the stand-in has devices of its own
    state, mode, settle = install(options, program, root)
    recorder = Recorder(root, options.steps, options.stop, settle)
    observe(recorder, options)
    before = {str(p.relative_to(Path.cwd())) for p in Path.cwd().rglob("*")}
    record: dict[str, Any] = {"error": None, "finished": False, "functions": {}}
    module = execute(program, options, recorder, record)
    if module is not None:
        from tenfold.migration.exercise import exercise

        wanted = set(options.only.split(",")) if options.only else None
        record["functions"] = exercise(vars(module), str(program), options.kind, wanted)
    record |= {"steps": recorder.steps, "calls": recorder.calls, "counts": recorder.counts}
    record["files"] = files_in(Path.cwd(), before)
    record |= {"rounds": recorder.rounds, "kind": options.kind}
    if state is not None:
        record |= {
            "events": state.device.events,
            "syncs": state.syncs,
            "longest_graph": state.longest_graph,
            "optimizer_steps": state.steps,
        }
    else:
        record |= {"real": True, "events": mode.events, "longest_graph": mode.longest_graph}
        record["compiled"] = bool(frames_compiled())
    return record


def frames_compiled() -> int:
    dynamo = sys.modules.get("torch._dynamo.utils")
    return dynamo.counters["frames"]["total"] if dynamo else 0


def serve() -> int:
    """One import of torch for many runs."""
    os.environ["TENFOLD_DEVICE"] = "0"
    with contextlib.redirect_stdout(sys.stderr):  # answers go to stdout, and torch_tpu talks when it is imported
        import numpy  # noqa: F401
        import torch
        import torch._dynamo
        import torch.distributed
        import torch.utils.checkpoint
        import torch.utils.data  # noqa: F401

    from tenfold.migration import server

    if SEARCH.name not in ("site-packages", "dist-packages"):  # a source tree: python/jax would pass for a package
        sys.path[:] = [path for path in sys.path if Path(path).resolve() != SEARCH]
    return server.serve(main)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "--as", dest="kind", choices=["cuda", "torch_xla", "torch_tpu", "real", "real_tpu"], required=True
    )
    parser.add_argument("--out", required=True)
    parser.add_argument("--root")
    parser.add_argument("--steps", type=int, default=3)
    parser.add_argument("--limit", type=int, default=60)
    parser.add_argument("--stop", action="store_true", help="end after --steps optimizer steps")
    parser.add_argument("--exact", action="store_true", help="autocast is entered, but off")
    parser.add_argument("--noise", type=int, metavar="SEED", help="parameters are some roundings away")
    parser.add_argument("--one-stream", action="store_true", help="the device draws from the host's generator")
    parser.add_argument("--functions", action="store_true", help="import, then call each function with derived inputs")
    parser.add_argument("--only", help="names of functions, with commas")
    parser.add_argument("program")
    parser.add_argument("arguments", nargs=argparse.REMAINDER)
    options = parser.parse_args()
    record = run(options)
    with open(options.out, "wb") as stream:
        pickle.dump(record, stream)
    return 0


if __name__ == "__main__":
    code = serve() if sys.argv[1:] == ["--serve"] else main()
    sys.stdout.flush()
    os._exit(code)  # programs may leave threads behind
