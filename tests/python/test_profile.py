"""What Python programs do is seen: by `tenfold profile -- python …`, and by torch.profiler."""

import json
import os
import subprocess
import sys
import textwrap
from collections import Counter
from pathlib import Path

import pytest
import torch
from torch.profiler import ProfilerActivity, profile

TENFOLD = os.environ.get("TENFOLD", "tenfold")
SCRIPT = """
    import os
    import torch

    class Net(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.first, self.second = torch.nn.Linear(16, 32), torch.nn.Linear(32, 4)

        def forward(self, x):
            return self.second(torch.relu(self.first(x)))

    net = torch.compile(Net(), backend="tenfold", dynamic=False)
    for rows in (8, 16):
        for _ in range(3):
            net(torch.randn(rows, 16)).sum().backward()
    odd = torch.compile(lambda x: torch.linalg.eigvals(x).abs() + 1, backend="tenfold")
    odd(torch.eye(3))
    x = torch.randn(8, 3, device="tenfold")
    print(float((x @ x.T).sum()))
    os._exit(3)  # nothing is lost when a process ends like this
"""


@pytest.fixture(scope="module")
def profiled(tmp_path_factory):
    """What is said of the script, and the file of its trace."""
    script = tmp_path_factory.mktemp("profile") / "train.py"
    script.write_text(textwrap.dedent(SCRIPT))
    trace = script.with_suffix(".json")
    words = ["--json", "--no-measure", "--trace", str(trace), "--", sys.executable, str(script)]
    done = subprocess.run([TENFOLD, "profile", *words], capture_output=True, text=True, timeout=300)
    assert done.returncode == 3, done.stderr
    return json.loads(done.stdout.splitlines()[-1]), trace


def test_a_python_program(profiled):
    found = profiled[0]
    assert {"first", "second"} <= {row["name"] for row in found["layer"]}
    assert any(row["name"].endswith("train.py:11") for row in found["line"])
    again = [row for row in found["recompiles"] if "8x16" in row["was"] and "16x16" in row["is"]]
    assert again, found["recompiles"]
    assert any("eig" in row["op"] and row["line"].endswith("train.py:17") for row in found["fallbacks"])
    runs = sorted(program["runs"] for program in found["programs"])
    assert runs.count(3) == 4, runs  # forward and backward, of two sizes
    assert any(program["place"].endswith("train.py:19") for program in found["programs"])


def test_perfetto_opens_the_trace_of_a_python_program(profiled, monkeypatch):
    monkeypatch.syspath_prepend(Path(__file__).parents[1] / "cli")
    from trace_processor import TraceProcessor

    spans = [event for event in json.loads(profiled[1].read_text())["traceEvents"] if event["ph"] == "X"]
    with TraceProcessor(profiled[1]) as opened:
        rows = opened.query("select category, name, count(*) as count from slice group by category, name")
        remarks = opened.query("select name from stats where severity in ('error', 'data_loss') and value > 0")
    assert {(row.category, row.name): row.count for row in rows} == Counter((e["cat"], e["name"]) for e in spans)
    assert {"phase", "compile", "run", "step"} <= {row.category for row in rows}
    assert not remarks


def test_torch_profiler_sees_steps(monkeypatch):
    monkeypatch.setenv("TENFOLD_CACHE", "off")  # where layers have the names of whoever compiled it first
    torch.manual_seed(0)
    model = torch.nn.Sequential(torch.nn.Linear(16, 32), torch.nn.Tanh(), torch.nn.Linear(32, 4))
    compiled = torch.compile(model, backend="tenfold")
    x = torch.randn(8, 16)
    with torch.no_grad():
        wanted = compiled(x)
        with profile(activities=[ProfilerActivity.CPU]) as seen:
            assert torch.equal(compiled(x), wanted)
        assert torch.equal(compiled(x), wanted)  # no profiler any more
        events = [event for event in seen.events() if event.name.startswith("tenfold::")]
        (whole,) = [event for event in events if event.name == "tenfold::program"]
        steps = [event for event in events if event is not whole]
        assert {"tenfold::gemm 0", "tenfold::gemm 2"} <= {event.name for event in steps}
        for step in steps:
            assert whole.time_range.start <= step.time_range.start
            assert step.time_range.end <= whole.time_range.end
        with profile(activities=[ProfilerActivity.CPU]) as twice:
            compiled(x)
        assert sum(event.name == "tenfold::program" for event in twice.events()) == 1


def test_torch_profiler_sees_the_lazy_device():
    import tenfold  # noqa: F401

    with profile(activities=[ProfilerActivity.CPU]) as seen:
        x = torch.randn(8, 3, device="tenfold")
        assert float((x @ x.T).trace()) > 0
    names = [event.name for event in seen.events()]
    assert "tenfold::program" in names
    assert sum(name.startswith("tenfold::") for name in names) > 1
