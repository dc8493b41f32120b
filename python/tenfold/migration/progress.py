"""How far a long command is, on stderr, as the command `tenfold` says it: a bar on a terminal, lines in a log, nothing
when it is quiet or with TENFOLD_PROGRESS=off."""

from __future__ import annotations

import os
import shutil
import sys
import time
from typing import TextIO

BAR, WIDE = 20, 60  # characters
LOG_AFTER, LOG_EVERY = 2.0, 10.0  # seconds


class Progress:
    """So many of `total` are done."""

    def __init__(self, what: str, total: int, quiet: bool = False, stream: TextIO | None = None) -> None:
        self.what, self.total, self.done = what, total, 0
        self.stream = stream or sys.stderr
        self.off = quiet or os.environ.get("TENFOLD_PROGRESS", "").lower() in ("off", "0")
        self.terminal = self.stream.isatty() and os.environ.get("TERM", "") not in ("", "dumb")
        self.start, self.drawn_at, self.text = time.monotonic(), 0.0, ""
        if self.terminal:
            self.show("")

    def step(self, text: str) -> None:
        """One more is done: `text`."""
        self.done += 1
        self.show(text)

    def show(self, text: str) -> None:
        now = time.monotonic()
        since = now - (self.drawn_at or self.start)
        if self.off or (not self.terminal and since < (LOG_EVERY if self.drawn_at else LOG_AFTER)):
            return
        self.drawn_at = now
        if not self.terminal:
            print(f"tenfold: {self.what}: {self.state(now)}{text}", file=self.stream, flush=True)
            return
        width = shutil.get_terminal_size().columns
        filled = -(-BAR * self.done // self.total) if self.total else 0
        bar = f"[{'#' * filled}{'-' * (BAR - filled)}]  " if width >= WIDE else ""
        self.stream.write(f"\r{(bar + self.state(now) + text)[: width - 1]}\033[K")
        self.stream.flush()

    def state(self, now: float) -> str:
        seconds = now - self.start
        if not self.done:
            return f"{self.done}/{self.total}  "
        rate = f"{self.done / seconds:.1f}/s" if self.done >= seconds else f"{seconds / self.done:.1f} s each"
        left = round(seconds / self.done * (self.total - self.done))
        return f"{self.done}/{self.total}  {rate}  {left // 60}:{left % 60:02} left  "

    def clear(self) -> None:
        """Takes the line away, before other output on the terminal."""
        if self.terminal and not self.off and self.drawn_at:
            self.stream.write("\r\033[K")
            self.stream.flush()
