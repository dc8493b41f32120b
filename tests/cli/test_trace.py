"""`run --trace`: a timeline that Perfetto opens, in which every step lies inside its run."""

import itertools
import json
import os
from collections import Counter

import pytest
from conftest import ROOT, tenfold, why_unusable
from trace_processor import TraceProcessor


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


def check_in_perfetto(path):
    """Every slice of the file is in Perfetto's trace processor, on its thread and without a remark; its rows."""
    events = json.loads(path.read_text())["traceEvents"]
    spans = [event for event in events if event["ph"] == "X"]
    names = {(event["pid"], event["tid"]): event["args"]["name"] for event in events if event["name"] == "thread_name"}
    with TraceProcessor(path) as opened:
        rows = opened.query(
            "select slice.name, category, depth, dur, tid, pid, thread.name as thread_name, "
            "extract_arg(slice.arg_set_id, 'args.bytes') as bytes from slice "
            "join thread_track on slice.track_id = thread_track.id join thread using (utid) join process using (upid)"
        )
        remarks = opened.query("select name, value from stats where severity in ('error', 'data_loss') and value > 0")
    wanted = Counter((event["name"], event["cat"], event["pid"], event["tid"]) for event in spans)
    assert Counter((row.name, row.category, row.pid, row.tid) for row in rows) == wanted
    assert not remarks
    assert {(row.pid, row.tid): row.thread_name for row in rows if (row.pid, row.tid) in names} == names
    return rows


def test_perfetto_opens_it(trace):
    rows = check_in_perfetto(trace[0])
    runs = [row for row in rows if row.name == "run"]
    steps = [row for row in rows if row.category == "step"]
    assert len(runs) == 3
    assert {row.depth for row in runs} == {0}
    assert {row.depth for row in steps} == {1}, "steps are drawn inside of their runs"
    assert sum(row.dur for row in steps) <= sum(row.dur for row in runs)
    assert all(row.bytes > 0 for row in steps)


WIDE = """func.func @main(%a: tensor<512x512xf32>, %b: tensor<512x512xf32>) -> tensor<512x512xf32> {
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0]
    : (tensor<512x512xf32>, tensor<512x512xf32>) -> tensor<512x512xf32>
  %1 = stablehlo.tanh %0 : tensor<512x512xf32>
  return %1 : tensor<512x512xf32>
}
"""


def test_workers_have_threads_of_their_own(tmp_path):
    """What a worker does of a step lies inside of the step."""
    (tmp_path / "wide.mlir").write_text(WIDE)
    path = tmp_path / "trace.json"
    environment = os.environ | {"TENFOLD_THREADS": "2"}
    done = tenfold("run", tmp_path / "wide.mlir", "--random", "--repeat", 30, "--trace", path, env=environment)
    assert done.code == 0, done.err
    events = json.loads(path.read_text())["traceEvents"]
    steps = [event for event in events if event.get("cat") == "step"]
    work = [event for event in events if event.get("cat") == "work"]
    assert work, "in thirty runs the worker took no task"
    names = {event["tid"]: event["args"]["name"] for event in events if event["name"] == "thread_name"}
    assert {names[event["tid"]] for event in work} == {"worker"}
    assert {names[event["tid"]] for event in steps} == {"program"}
    for event in work:
        around = [step for step in steps if step["name"] == event["name"]]
        end = event["ts"] + event["dur"]
        assert any(step["ts"] <= event["ts"] + 1 and end <= step["ts"] + step["dur"] + 1 for step in around)


def test_copies_between_host_and_device_are_in_it(tmp_path):
    if unusable := why_unusable("opencl"):
        pytest.skip(f"device opencl: {unusable}")
    (tmp_path / "wide.mlir").write_text(WIDE)
    path = tmp_path / "trace.json"
    done = tenfold("run", tmp_path / "wide.mlir", "--random", "--device", "opencl", "--trace", path)
    assert done.code == 0, done.err
    events = json.loads(path.read_text())["traceEvents"]
    copies = [(event["name"], event["args"]["bytes"]) for event in events if event.get("cat") == "transfer"]
    assert copies == [("copy to device", 512 * 512 * 4)] * 2 + [("copy from device", 512 * 512 * 4)]
