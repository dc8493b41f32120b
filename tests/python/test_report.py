"""`tenfold profile` and `tenfold report`: where time and memory go, by layer and by the user's line."""

import inspect
import json
import os
import re
import shutil
import subprocess

import numpy
import pytest
import torch

TENFOLD = os.environ.get("TENFOLD", "tenfold")
BEGIN, END = '<script type="application/json" id="data">', "</script>"


class Net(torch.nn.Module):
    """Tokens in, so that random inputs must be indices."""

    def __init__(self):
        super().__init__()
        self.words = torch.nn.Embedding(10, 32)
        self.first = torch.nn.Linear(32, 64)
        self.second = torch.nn.Linear(64, 4)

    def forward(self, tokens):
        hidden = self.words(tokens).mean(1)
        hidden = torch.relu(self.first(hidden))
        return self.second(hidden)


LINES, START = inspect.getsourcelines(Net.forward)


def run(*arguments, code=0):
    done = subprocess.run([TENFOLD, *map(str, arguments)], capture_output=True, text=True, timeout=120)
    assert done.returncode == code, (done.returncode, done.stderr)
    return done


@pytest.fixture(scope="module")
def archive(tmp_path_factory):
    path = tmp_path_factory.mktemp("report") / "net.pt2"
    torch.manual_seed(0)
    program = torch.export.export(Net(), (torch.zeros(8, 5, dtype=torch.int64),))
    torch.export.save(program, path)
    return path


def read(path):
    text = path.read_text()
    begin = text.index(BEGIN) + len(BEGIN)
    return json.loads(text[begin : text.index(END, begin)])


def test_random_inputs_of_an_archive_are_indices(archive):
    printed = run("run", archive, "--random").stdout
    assert "8x4xf32" in printed
    compiled = archive.parent / "net.ten"
    run("compile", archive, "-o", compiled)
    assert run("run", compiled, "--random").stdout == printed


def test_profile_names_layers_and_lines(archive):
    profile = json.loads(run("profile", archive, "--repeat", 2, "--json", "--no-measure").stdout)
    assert profile["runs"] == 2
    names = {way: {row["name"] for row in profile[way]} for way in ("kind", "layer", "line", "step")}
    assert {"first", "second"} <= names["layer"]
    wanted = next(START + i for i, line in enumerate(LINES) if "self.second" in line)
    assert any(name.endswith(f"test_report.py:{wanted}") for name in names["line"])
    sums = [sum(row["seconds"] for row in profile[way]) for way in names]
    assert max(sums) - min(sums) <= 1e-9 + 1e-6 * max(sums)
    assert sum(row["flops"] for row in profile["layer"] if row["name"] == "first") == 2 * 8 * 32 * 64


def test_profile_prints_one_table(archive):
    text = run("profile", archive, "--repeat", 1, "--by", "layer").stdout
    assert text.count("of limit") == 1
    assert "first" in text
    done = run("profile", archive, "--by", "colour", code=2)
    assert "'colour' is none of kind, layer, line, step" in done.stderr


@pytest.fixture(scope="module")
def page(archive):
    path = archive.parent / "net.html"
    run("report", archive, "-o", path, "--repeat", 2)
    return path


def test_report_has_the_graph_before_and_after(page):
    data = read(page)
    assert data["stage"] == "aten"
    assert any(op["name"].startswith("aten.embedding") and op["layer"] == "words" for op in data["before"])
    for number, op in enumerate(data["before"]):
        assert all(source < number for source in op["in"])
    linear = next(i for i, op in enumerate(data["before"]) if op["layer"] == "second")
    assert data["before"][linear]["in"], "the last layer reads what came before"
    steps = [step for step in data["steps"] if step["calls"]]
    assert {"first", "second"} <= {step["layer"] for step in steps}
    assert len(data["events"]) == sum(step["calls"] for step in steps)
    assert all(
        0 <= buffer < len(data["buffers"]) for step in data["steps"] for buffer, _ in step["reads"] + step["writes"]
    )
    assert not any(step["host"] for step in data["steps"])


def test_report_needs_nothing_else(page):
    text = page.read_text()
    assert len(text) < 5 << 20
    assert "http://" not in text.replace("http://www.w3.org/2000/svg", "")
    assert "https://" not in text
    assert "{{" not in text


def test_report_of_a_training_step(archive):
    path = archive.parent / "step.html"
    run("report", archive, "--train", "--optimizer", "adamw", "-o", path, "--repeat", 1, "--no-measure")
    data = read(path)
    assert data["train"]
    assert data["stage"] == "stablehlo"
    assert "machine" not in data


def test_report_of_a_training_run(archive):
    folder = archive.parent
    numpy.savez(folder / "samples.npz", x=numpy.ones((32, 5), "i8"), y=numpy.zeros(32, "i8"))
    words = ("--data", folder / "samples.npz", "--epochs", 3, "--optimizer", "adamw,lr=0.1")
    run("train", archive, *words, "--metrics", folder / "log.jsonl", "--profile", folder / "train.json")
    events = json.loads((folder / "train.json").read_text())["traceEvents"]
    assert sum(event["name"] == "training step" for event in events) == 12
    assert any(event.get("args", {}).get("layer") == "first" for event in events)
    words = ("report", archive, "--train", "--repeat", 1, "--no-measure", "--metrics")
    run(*words, folder / "log.jsonl", "-o", folder / "trained.html")
    points = read(folder / "trained.html")["metrics"]
    assert [point[0] for point in points] == list(range(1, 13))
    assert points[-1][1] < points[0][1]
    done = run(*words, folder / "train.json", "-o", folder / "x.html", code=1)
    assert "no line is one that 'tenfold train --metrics' wrote" in done.stderr


def test_report_says_which_sizes_are_open(archive):
    path = archive.parent / "open.pt2"
    rows = torch.export.Dim("rows", max=64)
    program = torch.export.export(torch.nn.Linear(4, 2), (torch.zeros(2, 4),), dynamic_shapes=({0: rows},))
    torch.export.save(program, path)
    data = json.loads(run("report", path, "--json", "--no-measure", "--repeat", 1).stdout)
    assert data["open"] == [{"input": "input", "sizes": "?x4"}]


def test_reports_are_compared(archive, page):
    path = archive.parent / "new.html"
    run("report", archive, "-o", path, "--repeat", 1, "--no-measure", "--compare", page)
    data = read(path)
    assert data["compare"]["date"] == read(page)["date"]
    other = archive.parent / "other.html"
    other.write_text("<html></html>")
    done = run("report", archive, "-o", archive.parent / "x.html", "--compare", other, code=1)
    assert "is not a page that 'tenfold report' wrote" in done.stderr
    assert not (archive.parent / "x.html").exists()


def test_wrong_use(archive):
    assert "needs -o FILE.html" in run("report", archive, code=2).stderr
    run("report", archive, "-o", archive.parent / "missing" / "x.html", code=2)
    run("report", archive.parent / "missing.pt2", "-o", archive.parent / "x.html", code=2)


def add_steps(path, count):
    """Steps to a page, as a large program has them."""
    data = read(path)
    step = next(step for step in data["steps"] if step["calls"])
    data["steps"] += [step | {"label": f"added {i}", "layer": ""} for i in range(count)]
    text = path.read_text()
    begin = text.index(BEGIN) + len(BEGIN)
    path.write_text(text[:begin] + json.dumps(data) + text[text.index(END, begin) :])


@pytest.mark.skipif(not shutil.which("chromium"), reason="needs Chromium (Debian: chromium)")
def test_page_is_drawn(archive, page):
    """All tabs at once, as they are printed; of a table with many rows, the first."""
    path = archive.parent / "drawn.html"
    log = archive.parent / "curve.jsonl"
    log.write_text("".join(f'{{"step": {i}, "loss": {9 / (i + 1)}, "seconds": 0.1}}\n' for i in range(9)))
    run("report", archive, "-o", path, "--repeat", 1, "--compare", page, "--metrics", log)
    add_steps(path, 500)
    done = subprocess.run(
        ["chromium", "--headless", "--no-sandbox", "--disable-gpu", "--virtual-time-budget=3000", "--dump-dom",
         f"file://{path}#all"],
        capture_output=True, text=True, timeout=240,
    )  # fmt: skip
    assert 'data-ready="yes"' in done.stdout, done.stderr[-2000:]
    for tab in ("Overview", "Timeline", "Graph", "Memory", "Roofline", "Steps", "Training", "Comparison"):
        panel = done.stdout[done.stdout.index(f'id="panel-{tab}"') :]
        assert len(panel[: panel.index("</section>")]) > 300, tab
    rows = done.stdout[done.stdout.index('id="panel-Steps"') :]
    rows = rows[: rows.index("</section>")]
    assert rows.count("<tr") == 202  # head, rows, foot
    assert re.search(r"show all \d+ rows", rows)
    graph = done.stdout[done.stdout.index('id="panel-Graph"') :]
    places = re.findall(r'class="node" transform="translate\((\S+) (\S+)\)"', graph[: graph.index("</section>")])
    assert len(places) == len(set(places)) > 500
    columns = [float(x) for x, _ in places]
    assert max(columns) - min(columns) < 20 * 190, "a row of many boxes takes several lines"
