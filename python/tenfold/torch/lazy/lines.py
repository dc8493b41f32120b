"""The user's line that an op came from; of a gradient's op that of the forward op."""

from __future__ import annotations

import os
import sys
from typing import Any

import torch

from tenfold.paths import PACKAGE

LINES_MAX = 100_000  # lines of forward ops that are kept for their gradients
_is_users: dict[Any, bool] = {}
_forward_lines: dict[int, tuple[Any, int]] = {}  # by the number that autograd gives to an op
_LIBRARIES = ("<", os.path.dirname(torch.__file__), str(PACKAGE))


def find_line() -> tuple[Any, int] | None:
    """The user's line that is being run; in a backward pass that of the forward op whose gradient it is."""
    if torch._C._current_graph_task_id() >= 0:
        node = torch._C._current_autograd_node()
        line = _forward_lines.get(node._sequence_nr()) if node is not None else None
        if line is None:
            line = _walk(sys._getframe(2))
    else:
        line = _walk(sys._getframe(2))
    if line is not None and torch.is_grad_enabled():
        remember_line(line)
    return line


def remember_line(line: tuple[Any, int]) -> None:
    """The line of the op that is being recorded, for its gradient: autograd has made its node already."""
    if len(_forward_lines) >= LINES_MAX:
        for old in list(_forward_lines)[: LINES_MAX // 4]:
            del _forward_lines[old]
    _forward_lines[torch._C._autograd._get_sequence_nr() - 1] = line


def _walk(frame: Any) -> tuple[Any, int] | None:
    while frame is not None:
        code = frame.f_code
        known = _is_users.get(code)
        if known is None:
            name = code.co_filename
            known = _is_users[code] = not name.startswith(_LIBRARIES)
        if known:
            return code, frame.f_lineno
        frame = frame.f_back
    return None


def line_text(line: tuple[Any, int] | None) -> str:
    return f"{line[0].co_filename}:{line[1]}" if line else ""
