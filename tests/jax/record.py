"""A pytest plugin for scripts/test-jax: lets JAX's own flags through, takes every n-th test, writes what each did."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    # JAX reads it from the command line itself: which platform's rules (element types, tolerances) tests go by.
    parser.addoption("--jax_test_dut", default="")


def own_name(nodeid: str) -> str:
    return nodeid.split("::", 1)[1]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    known = set(Path(os.environ["RECORD_KNOWN"]).read_text().splitlines())
    items[:] = [item for item in items[:: int(os.environ["RECORD_EVERY"])] if own_name(item.nodeid) not in known]


def write(row: list) -> None:
    with Path(os.environ["RECORD_FILE"]).open("a") as file:
        file.write(json.dumps(row) + "\n")


def pytest_runtest_logstart(nodeid: str) -> None:
    write([own_name(nodeid), "crashed", ""])  # unless a report follows


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    if report.when == "call" or report.outcome != "passed":
        write(
            [own_name(report.nodeid), report.outcome, report.longreprtext[-4000:] if report.outcome == "failed" else ""]
        )
