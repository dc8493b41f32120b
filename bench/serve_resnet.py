"""What serving adds to a ResNet-50, and what batching keeps of its throughput, all in one run by turns.

    python bench/serve_resnet.py [--rounds 20] [--seconds 60]

"Own" is a call of the program in this process, "served" a REST request with binary tensors to a server that runs the
same file; both have the machine to themselves while they run. Then rows a second: requests of 8 rows one after the
other, and requests of one row from 16 connections that the server joins (--max-batch 8
--batch-rounding).
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from http.client import HTTPConnection
from pathlib import Path

import numpy

ROOT = Path(__file__).resolve().parent.parent
ROUNDS = 5  # of the rows a second
TENFOLD = os.environ.get("TENFOLD", str(ROOT / "bin" / "tenfold"))


def export(path: Path) -> None:
    import models
    import torch

    net, _ = models.make("resnet50", 1)
    batch = torch.export.Dim("batch", min=1, max=8)
    archive = torch.export.export(net, (torch.zeros(2, 3, 224, 224),), dynamic_shapes=({0: batch},))
    torch.export.save(archive, path)


class Server:
    def __init__(self, path: Path, *options: str) -> None:
        command = [TENFOLD, "serve", f"net={path}", "--http", "127.0.0.1:0", "--listen", "off", "--threads", "1"]
        self.process = subprocess.Popen([*command, *options], stdout=subprocess.PIPE, text=True)
        self.port = int(self.process.stdout.readline().rpartition(":")[2])
        client = HTTPConnection("127.0.0.1", self.port)
        client.request("GET", "/v2/models/net")
        self.input = json.loads(client.getresponse().read())["inputs"][0]["name"]

    def asker(self, values: numpy.ndarray):
        """A function that asks over a connection of its own."""
        client = HTTPConnection("127.0.0.1", self.port)
        tensor = {"name": self.input, "shape": values.shape, "datatype": "FP32"}
        tensor["parameters"] = {"binary_data_size": values.nbytes}
        head = json.dumps({"inputs": [tensor], "parameters": {"binary_data_output": True}}).encode()
        body, headers = head + values.tobytes(), {"Inference-Header-Content-Length": str(len(head))}

        def ask() -> numpy.ndarray:
            client.request("POST", "/v2/models/net/infer", body, headers)
            answer = client.getresponse()
            data = answer.read()
            assert answer.status == 200, data
            return numpy.frombuffer(data[int(answer.headers["Inference-Header-Content-Length"]) :], "f4")

        return ask

    def close(self) -> None:
        self.process.terminate()
        self.process.wait()


def seconds_of(action) -> float:
    start = time.perf_counter()
    action()
    return time.perf_counter() - start


def overhead(path: Path, rounds: int) -> None:
    import tenfold

    x = numpy.random.default_rng(0).normal(size=(1, 3, 224, 224)).astype("f4")
    program, server = tenfold.load(path), Server(path)
    ask = server.asker(x)
    assert numpy.allclose(numpy.asarray(program(x)[0]).reshape(-1), ask(), rtol=1e-4, atol=1e-4)
    own, served = [], []
    for _ in range(rounds):
        own.append(seconds_of(lambda: program(x)))
        served.append(seconds_of(ask))
    server.close()
    ratio = statistics.median(b / a for a, b in zip(own, served, strict=True))
    print(
        f"N=1: own {statistics.median(own) * 1e3:.1f} ms (best {min(own) * 1e3:.1f}), served "
        f"{statistics.median(served) * 1e3:.1f} ms (best {min(served) * 1e3:.1f}): median of pairs {ratio - 1:+.1%}, "
        f"best to best {min(served) / min(own) - 1:+.1%}"
    )


def rows_a_second(server: Server, rows: int, connections: int, seconds: float) -> float:
    x = numpy.random.default_rng(0).normal(size=(rows, 3, 224, 224)).astype("f4")
    askers = [server.asker(x) for _ in range(connections)]
    askers[0]()
    done, end = [0] * connections, time.perf_counter() + seconds

    def work(i: int) -> None:
        while time.perf_counter() < end:
            askers[i]()
            done[i] += rows

    threads = [threading.Thread(target=work, args=(i,)) for i in range(connections)]
    start = time.perf_counter()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return sum(done) / (time.perf_counter() - start)


def batching(path: Path, seconds: float) -> None:
    whole, joined = [], []
    plain, batched = Server(path), Server(path, "--max-batch", "8", "--batch-delay", "5000", "--batch-rounding")
    for _ in range(ROUNDS):
        whole.append(rows_a_second(plain, 8, 1, seconds / ROUNDS))
        joined.append(rows_a_second(batched, 1, 16, seconds / ROUNDS))
    plain.close()
    batched.close()
    ratio = statistics.median(b / a for a, b in zip(whole, joined, strict=True))
    print(
        f"N=8: {statistics.median(whole):.1f} rows/s (best {max(whole):.1f}); 16 connections of N=1, joined: "
        f"{statistics.median(joined):.1f} (best {max(joined):.1f}): median of pairs {ratio:.1%}"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument("--seconds", type=float, default=60)
    options = parser.parse_args()
    sys.path.insert(0, str(ROOT / "python"))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "net.pt2"
        export(path)
        overhead(path, options.rounds)
        batching(path, options.seconds)


if __name__ == "__main__":
    main()
