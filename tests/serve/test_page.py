"""The status page in a real browser, and the examples of services in the docs."""

import json
import re
import shutil
import socket
import subprocess

import pytest
from conftest import AFFINE, ROOT, TENFOLD, add_model
from test_rest import X, infer


@pytest.mark.skipif(not shutil.which("chromium"), reason="needs Chromium (Debian: chromium)")
def test_status_page_is_drawn(serve, tmp_path):
    """What the browser has made of the page: models and their states, requests, the latency plot, the queue."""
    add_model(tmp_path / "models", "double", AFFINE)
    add_model(tmp_path / "models", "a<b>&c", AFFINE)
    add_model(tmp_path / "models", "broken", "func.func @main(")
    server = serve("--repository", tmp_path / "models")
    for _ in range(5):
        assert infer(server, "double", {"inputs": [X]})[0].status == 200
    assert infer(server, "double", {"inputs": [X | {"shape": [9, 9]}]})[0].status == 400
    command = ["chromium", "--headless", "--no-sandbox", "--disable-gpu", "--dump-dom"]
    command += [f"--user-data-dir={tmp_path / 'user'}", f"http://{server.http}/"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=240)
    page = done.stdout
    assert re.search(r"<h1>Tenfold \d+\.\d+", page), done.stderr[-2000:]
    assert re.search(r'<p id="queue">0 waiting, 0 running, \d+ connections, up \d+ s</p>', page)
    rows = {
        row[0]: row for row in (re.findall(r"<td[^>]*>(.*?)</td>", row, re.DOTALL) for row in page.split("<tr>")[2:])
    }
    assert set(rows) == {"double", "a&lt;b&gt;&amp;c", "broken"}
    assert rows["double"][1:5] == ["1", "ready", "6", "1"]
    assert rows["broken"][2].startswith("expected a type")
    heights = [float(height) for height in re.findall(r'<rect [^>]*height="([\d.]+)"', rows["double"][6])]
    counts = [int(count) for count in re.findall(r"<title>up to [\d.e+]+ ms: (\d+)</title>", rows["double"][6])]
    assert sum(counts) == 6 and len(heights) == len(counts)
    assert all((height > 0) == (count > 0) for height, count in zip(heights, counts, strict=True))


def test_examples_of_services_use_options_that_exist():
    """The unit of systemd, the container's file and the line of the README."""
    text = (ROOT / "docs" / "serving.md").read_text()
    known = subprocess.run([TENFOLD, "help", "serve"], capture_output=True, text=True, check=True).stdout
    unit = re.search(r"ExecStart=/usr/bin/tenfold serve (.*)", text)[1].split()
    entry = json.loads(re.search(r"ENTRYPOINT (\[.*\])", text)[1])[2:]
    for words in unit, entry:
        options = [word for word in words if word.startswith("--")]
        assert len(options) >= 3
        for option in options:
            assert re.search(rf"^ +{option}\b", known, re.MULTILINE), option


def test_line_of_the_readme(tmp_path):
    """Serves a model and asks it, as the README says, on ports of its own."""
    line = re.search(
        r"^    (tenfold serve examples/double.mlir & .*)$", (ROOT / "README.md").read_text(), re.MULTILINE
    )[1]
    with socket.create_server(("127.0.0.1", 0)) as one:
        port = one.getsockname()[1]
    command = line.replace("tenfold serve", f"{TENFOLD} serve --listen off --http 127.0.0.1:{port}", 1)
    command = command.replace("127.0.0.1:8000", f"127.0.0.1:{port}")
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, timeout=120, cwd=ROOT)
    assert json.loads(done.stdout.splitlines()[-1])["outputs"][0]["data"] == [2, 4, 6, 8], done
