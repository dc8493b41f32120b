"""Runs of programs in children of one process that has torch imported already, as many at a time as are asked for.

The verifier holds a Server; the other end is `serve`, in a process of its own. A job is a line of JSON on its
standard input, an answer is `number status` on its standard output.
"""

from __future__ import annotations

import itertools
import json
import os
import selectors
import signal
import subprocess
import sys
import threading
import time
import traceback
from collections.abc import Callable
from pathlib import Path

from tenfold.paths import SEARCH


class Server:
    """Starts with the first job, and again when it has died; may be called from several threads."""

    def __init__(self):
        self.process: subprocess.Popen | None = None
        self.lock, self.numbers = threading.Lock(), itertools.count()
        self.waiting: dict[int, list] = {}  # the event that is set when the answer is there, and the answer

    def run(self, folder: Path, arguments: list[str], log: Path, limit: float) -> int:
        """The status with which the run ended; it is killed after `limit` seconds."""
        number, entry = next(self.numbers), [threading.Event(), 1]
        job = {"number": number, "folder": str(folder), "arguments": arguments, "log": str(log), "limit": limit}
        with self.lock:
            if self.process is None or self.process.poll() is not None:
                self._start()
            self.waiting[number] = entry
            try:
                self.process.stdin.write(json.dumps(job) + "\n")
                self.process.stdin.flush()
            except OSError:
                del self.waiting[number]
                return 1
        entry[0].wait()
        return entry[1]

    def _start(self) -> None:
        package = str(SEARCH)
        path = os.pathsep.join(filter(None, [package, os.environ.get("PYTHONPATH")]))
        self.process = subprocess.Popen(
            [sys.executable, "-m", "tenfold.migration.record", "--serve"],
            env=os.environ
            | {"PYTHONPATH": path, "MPLBACKEND": "Agg", "PYTHONDONTWRITEBYTECODE": "1", "OMP_NUM_THREADS": "1"},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )
        self.waiting = {}
        threading.Thread(target=self._answers, args=(self.process, self.waiting), daemon=True).start()

    def _answers(self, process: subprocess.Popen, waiting: dict[int, list]) -> None:
        for line in process.stdout:
            number, status = map(int, line.split())
            entry = waiting.pop(number)
            entry[1] = status
            entry[0].set()
        process.wait()
        with self.lock:  # it is gone: so are its children's answers
            for entry in waiting.values():
                entry[0].set()
            waiting.clear()


def child(job: dict, main: Callable[[], int]) -> None:
    """Runs `main` in the job's folder; does not return."""
    log = os.open(job["log"], os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o666)
    null = os.open(os.devnull, os.O_RDONLY)
    os.dup2(null, 0)
    os.dup2(log, 1)
    os.dup2(log, 2)
    code = 1
    try:
        os.chdir(job["folder"])
        sys.argv = ["record", *job["arguments"]]
        code = main()
    except BaseException:
        traceback.print_exc()
    finally:
        sys.stdout.flush()
        os._exit(code)


def serve(main: Callable[[], int]) -> int:
    """A child for each job that comes, until standard input ends and all children have."""
    jobs, answers = os.dup(0), os.fdopen(os.dup(1), "w")
    ended, wake = os.pipe()
    os.set_blocking(ended, False)
    os.set_blocking(wake, False)
    plain = signal.signal(signal.SIGCHLD, lambda *_: None)
    signal.set_wakeup_fd(wake, warn_on_full_buffer=False)
    events = selectors.DefaultSelector()
    events.register(jobs, selectors.EVENT_READ)
    events.register(ended, selectors.EVENT_READ)
    running: dict[int, tuple[int, float]] = {}  # by process: the job's number, and when it has to be over
    text, more = b"", True
    while more or running:
        soonest = min((end for _, end in running.values()), default=None)
        for key, _ in events.select(None if soonest is None else max(0.0, soonest - time.monotonic())):
            if key.fd == ended:
                os.read(ended, 1 << 16)
                continue
            part = os.read(jobs, 1 << 16)
            text += part
            if not part:
                more = False
                events.unregister(jobs)
        *lines, text = text.split(b"\n")
        for line in lines:
            job = json.loads(line)
            process = os.fork()
            if process == 0:
                signal.set_wakeup_fd(-1)
                signal.signal(signal.SIGCHLD, plain)
                events.close()
                child(job, main)
            running[process] = (job["number"], time.monotonic() + job["limit"])
        for process, (number, end) in list(running.items()):
            late = time.monotonic() > end  # deaf to its own alarm
            if late:
                os.kill(process, signal.SIGKILL)
            done, status = os.waitpid(process, 0 if late else os.WNOHANG)
            if done:
                del running[process]
                print(number, os.waitstatus_to_exitcode(status), file=answers, flush=True)
    return 0
