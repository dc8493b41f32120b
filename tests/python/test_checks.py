"""What eager PyTorch raises while it runs is raised by torch.compile, on the device and by archives: the same type, at
the user's line. `make opinfo-errors` takes all cases, and OpInfo's error inputs, through all doors."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

torch = pytest.importorskip("torch")
tenfold = pytest.importorskip("tenfold")
common = pytest.importorskip("torch.testing._internal.common_methods_invocations")
sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "opinfo"))

import errors  # noqa: E402
from error_cases import cases  # noqa: E402
from torch import nn  # noqa: E402
from torch.nn import functional as F  # noqa: E402

CASES = cases()
ENTRIES = ["gather", "index_select", "linalg.lstsq", "masked_select", "scatter_add", "take", "trace", "where"]
EVERYTHING = bool(os.environ.get("TENFOLD_TEST_ALL"))
LINE = Path(__file__).name


def doors(number: int) -> tuple[str, ...]:
    """All cases go over the device; the slower doors take turns."""
    if EVERYTHING:
        return errors.DOORS
    return ("device", *(("compile",) if number % 3 == 0 else ("archive",) if number % 6 == 1 else ()))


def test_there_are_enough() -> None:
    assert len(CASES) >= 200
    assert len({case.name for case in CASES}) == len(CASES)


@pytest.mark.parametrize("number", range(len(CASES)), ids=lambda i: CASES[i].name)
def test_case(number: int) -> None:
    case = CASES[number]
    call = errors.Call(case.function, (case.tensors, {}))
    assert errors.raised_by(lambda: call(*call.copies())) is not None, "eager mode does not raise"
    assert list(errors.failures(call, doors(number))) == []


@pytest.mark.parametrize("name", ENTRIES)
def test_error_inputs(name: str) -> None:
    entry = next(e for e in common.op_db if e.full_name == name)
    tried = 0
    for text, call in errors.error_calls(entry):
        tried += 1
        assert list(errors.failures(call, ("compile", "device"))) == [], text
    assert tried
