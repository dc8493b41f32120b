"""The user's line that an op came from, by its number in the recorder; of a gradient's op that of the forward op."""

from __future__ import annotations

import os
import sys
from typing import Any

import torch

from tenfold.paths import PACKAGE
from tenfold.torch.lazy.recording import recorder

LINES_MAX = 100_000  # lines of forward ops that are remembered for their gradients
NO_LINE = -1
_is_users: dict[Any, bool] = {}
_numbers: dict[tuple[Any, int], int] = {}  # by code and line
_texts: dict[int, str] = {NO_LINE: ""}
_forward_lines: dict[int, int] = {}  # by the number that autograd gives to an op
_LIBRARIES = ("<", os.path.dirname(torch.__file__), str(PACKAGE))


def find_line() -> int:
    """The user's line that is being run; in a backward pass that of the forward op whose gradient it is."""
    line = NO_LINE
    if torch._C._current_graph_task_id() >= 0:
        node = torch._C._current_autograd_node()
        line = _forward_lines.get(node._sequence_nr(), NO_LINE) if node is not None else NO_LINE
    if line < 0:
        line = _walk(sys._getframe(1))
    if line >= 0 and torch.is_grad_enabled():
        remember_line(line)
    return line


def remember_line(line: int) -> None:
    """The line of the op that is being recorded, for its gradient: autograd has made its node already."""
    if len(_forward_lines) >= LINES_MAX:
        for old in list(_forward_lines)[: LINES_MAX // 4]:
            del _forward_lines[old]
    _forward_lines[torch._C._autograd._get_sequence_nr() - 1] = line


def _walk(frame: Any) -> int:
    while frame is not None:
        code = frame.f_code
        known = _is_users.get(code)
        if known is None:
            name = code.co_filename
            known = _is_users[code] = not name.startswith(_LIBRARIES)
        if known:
            return _number(code, frame.f_lineno)
        frame = frame.f_back
    return NO_LINE


def _number(code: Any, line: int) -> int:
    found = _numbers.get((code, line))
    if found is None:
        found = _numbers[code, line] = recorder.line_of(code.co_filename, code.co_name, line)
        _texts[found] = f"{code.co_filename}:{line}"
    return found


def line_text(line: int) -> str:
    return _texts[line]
