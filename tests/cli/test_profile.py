"""`profile -- COMMAND` and `report -- COMMAND`: what the programs of any process did; counters; --profile FILE."""

import json
import os
import re

import pytest
from conftest import ROOT, tenfold

MLP = ROOT / "examples" / "mlp.mlir"
BEGIN, END = '<script type="application/json" id="data">', "</script>"


def run(*words):
    done = tenfold(*words)
    assert done.code == 0, done.err
    return done


@pytest.fixture(scope="module")
def profiled(tmp_path_factory):
    trace = tmp_path_factory.mktemp("profile") / "trace.json"
    command = [tenfold.path, "run", MLP, "--random", "--repeat", "3", "--json"]
    done = run("profile", "--json", "--no-measure", "--trace", trace, "--", *command)
    first, second = done.out.splitlines()  # the command's own, then ours
    assert json.loads(first)["device"] == "cpu"
    return json.loads(second), json.loads(trace.read_text())["traceEvents"]


def test_programs_of_a_command(profiled):
    found = profiled[0]
    (program,) = found["programs"]
    assert program["runs"] == 3
    assert program["inputs"][0] == "tensor<4x8xf32>"
    assert found["code"] == 0
    assert found["threads"] >= 1
    assert found["recompiles"] == found["fallbacks"] == []
    assert 0 < found["seconds"]["run"] < found["seconds"]["all"]
    assert 0 < found["seconds"]["compile"] < found["seconds"]["all"]
    calls = [sum(row["calls"] for row in found[way]) for way in ("kind", "layer", "line", "step")]
    assert calls == [calls[0]] * 4
    assert calls[0] == 3 * program["steps"]
    assert sum(row["flops"] for row in found["kind"]) == 3 * (2 * 4 * 8 * 16 + 2 * 4 * 16 * 3)
    steps = sum(row["seconds"] for row in found["kind"])
    assert 0 < steps <= found["seconds"]["run"]


def test_trace_of_a_command(profiled):
    found, events = profiled
    spans = [event for event in events if event["ph"] == "X"]
    kinds = {kind: [span for span in spans if span["cat"] == kind] for kind in ("compile", "phase", "run", "step")}
    assert len(kinds["compile"]) == 1
    assert len(kinds["run"]) == 3
    assert len(kinds["step"]) == 3 * found["programs"][0]["steps"]
    assert {"plan", "emit machine code"} <= {span["name"] for span in kinds["phase"]}
    (process,) = {span["pid"] for span in spans}
    assert process == found["programs"][0]["process"]
    for inner, outer in (("step", "run"), ("phase", "compile")):
        for span in kinds[inner]:
            assert any(
                o["tid"] == span["tid"]
                and o["ts"] - 1 <= span["ts"]
                and span["ts"] + span["dur"] <= o["ts"] + o["dur"] + 1
                for o in kinds[outer]
            )


def test_what_is_compiled_again_is_told(tmp_path):
    text = MLP.read_text()
    (tmp_path / "a.mlir").write_text(text)
    (tmp_path / "b.mlir").write_text(text.replace("<4x", "<6x"))
    words = [f"{tenfold.path} run {tmp_path}/{name}.mlir --random" for name in "ab"]
    found = json.loads(
        run("profile", "--json", "--no-measure", "--", "sh", "-c", "; ".join(words)).out.splitlines()[-1]
    )
    assert len(found["programs"]) == 2
    assert found["recompiles"] == []  # two processes
    assert len({program["process"] for program in found["programs"]}) == 2


def test_a_command_keeps_its_status_and_leaves_nothing(tmp_path):
    environment = os.environ | {"TMPDIR": str(tmp_path)}
    done = tenfold("profile", "--", "sh", "-c", "exit 7", env=environment)
    assert done.code == 7
    assert "0 programs" in done.out
    assert not list(tmp_path.iterdir())
    done = tenfold("profile", "--", tmp_path / "missing", env=environment)
    assert done.code == 2
    assert "missing: no such command" in done.err
    assert tenfold("profile", "--").code == 2
    assert tenfold("profile", MLP, "--", "true").code == 2


def test_a_killed_process_has_told_all(tmp_path):
    """Steps are in the file when they end, not when the process does."""
    script = f"{tenfold.path} run {MLP} --random --repeat 2 >/dev/null; kill -9 $$"
    done = tenfold("profile", "--json", "--no-measure", "--", "bash", "-c", script)
    assert json.loads(done.out)["programs"][0]["runs"] == 2


def test_counters_or_why_not():
    counters = json.loads(run("profile", MLP, "--json", "--no-measure", "--repeat", "2").out)["counters"]
    assert counters.get("cycles", 0) > 0 or counters["missing"]


def test_profile_to_a_file(tmp_path):
    path = tmp_path / "profile.json"
    done = run("run", MLP, "--random", "--profile", path)
    assert "GFLOP/s" not in done.out
    steps = [event for event in json.loads(path.read_text())["traceEvents"] if event.get("cat") == "step"]
    assert any(re.search(r"mlp\.mlir:\d+$", event["args"]["line"]) for event in steps)
    assert all(event["args"]["bytes"] > 0 for event in steps)
    assert "GFLOP/s" in run("run", "--profile", MLP, "--random").out
    path.unlink()
    assert path.name in tenfold("run", MLP, "--random", f"--profile={tmp_path}/missing/{path.name}").err


def test_report_of_a_command(tmp_path):
    path = tmp_path / "report.html"
    run("report", "-o", path, "--no-measure", "--", tenfold.path, "run", MLP, "--random")
    text = path.read_text()
    data = json.loads(text[text.index(BEGIN) + len(BEGIN) : text.index(END, text.index(BEGIN) + len(BEGIN))])
    assert data["command"]
    assert data["program"] == f"{tenfold.path} run {MLP} --random"
    assert data["programs"][0]["runs"] == 1
    assert len(data["events"]) == data["programs"][0]["steps"] == len(data["steps"])
