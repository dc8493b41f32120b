"""`run --trace`: a timeline that Perfetto opens, in which every step lies inside its run."""

import itertools
import json
import os

import pytest
from conftest import ROOT, tenfold


@pytest.fixture(scope="module")
def trace(tmp_path_factory):
    path = tmp_path_factory.mktemp("trace") / "mlp.json"
    done = tenfold(
        "run", ROOT / "examples" / "mlp.mlir", "--random", "--repeat", 3, "--json", "--profile", "--trace", path
    )
    assert done.code == 0, done.err
    return path, json.loads(done.out)


def test_steps_lie_inside_their_runs(trace):
    events = json.loads(trace[0].read_text())["traceEvents"]
    spans = [event for event in events if event["ph"] == "X" and event["cat"] == "phase"]
    steps = [event for event in events if event["ph"] == "X" and event["cat"] == "step"]
    runs = [span for span in spans if span["name"] == "run"]
    assert [span["name"] for span in spans][-4:] == ["compile", "run", "run", "run"]
    assert spans[0]["name"] == "load"
    assert spans[0]["ts"] == 0
    assert all(a["ts"] + a["dur"] <= b["ts"] + 0.01 for a, b in itertools.pairwise(spans) if b in runs)
    inside = [
        sum(run["ts"] <= s["ts"] and s["ts"] + s["dur"] <= run["ts"] + run["dur"] + 0.01 for s in steps) for run in runs
    ]
    assert sum(inside) == len(steps)
    assert inside[0] == inside[1] == inside[2] > 0


def test_phases_lie_inside_compiling(tmp_path):
    """Passes, and what makes machine code; a program that is in the cache has none."""
    path = tmp_path / "trace.json"
    environment = os.environ | {"TENFOLD_CACHE": "off"}
    done = tenfold("run", ROOT / "examples" / "mlp.mlir", "--random", "--trace", path, env=environment)
    assert done.code == 0, done.err
    spans = [event for event in json.loads(path.read_text())["traceEvents"] if event.get("cat") == "phase"]
    compiling = next(span for span in spans if span["name"] == "compile")
    phases = [span for span in spans if span["name"] not in ("load", "lower", "compile", "run")]
    names = [span["name"] for span in phases]
    assert names[-4:] == ["plan", "generate LLVM IR", "optimize LLVM IR", "emit machine code"]
    assert "cse" in names
    for phase in phases:
        assert compiling["ts"] - 1 <= phase["ts"]
        assert phase["ts"] + phase["dur"] <= compiling["ts"] + compiling["dur"] + 1


def test_it_says_what_the_profile_says(trace):
    """The same steps with the same times, one after the other."""
    events = json.loads(trace[0].read_text())["traceEvents"]
    steps = [event for event in events if event.get("cat") == "step"]
    for row in trace[1]["profile"]:
        mine = [event for event in steps if event["name"] == row["step"]]
        assert len(mine) == row["calls"] * 3
        assert sum(event["dur"] for event in mine) == pytest.approx(row["seconds"] * 3 * 1e6)
        assert sum(event["args"]["flops"] for event in mine) == pytest.approx(row["flops"] * 3)
    assert {event["name"] for event in steps} == {row["step"] for row in trace[1]["profile"]}


def test_a_file_that_cannot_be_written_is_an_error(tmp_path):
    done = tenfold("run", ROOT / "examples" / "mlp.mlir", "--random", "--trace", tmp_path / "missing" / "trace.json")
    assert done.code != 0
    assert "missing/trace.json" in done.err


@pytest.mark.skipif(not os.environ.get("TENFOLD_TEST_ALL"), reason="make test-all: Perfetto's trace processor")
def test_perfetto_opens_it(trace):
    processor = pytest.importorskip("perfetto.trace_processor", reason="pip install perfetto")
    try:
        opened = processor.TraceProcessor(trace=str(trace[0]))
    except Exception as why:  # it gets its program from the network
        pytest.skip(f"Perfetto's trace processor does not start here: {why}")
    with opened:
        rows = list(opened.query("select name, count(*) as count from slice group by name"))
        counts = {row.name: row.count for row in rows}
        events = json.loads(trace[0].read_text())["traceEvents"]
        wanted = {}
        for event in events:
            if event["ph"] == "X":
                wanted[event["name"]] = wanted.get(event["name"], 0) + 1
        assert counts == wanted
