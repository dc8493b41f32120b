"""Requests a second and latency of `tenfold serve` on this machine: an MLP of 3 x 64, REST with binary tensors.

    python bench/serve.py [--seconds 5] [--connections 16] [--threads 2] [--max-batch N] [--batch-delay US]

The client is a loop over plain sockets that are kept open, each with one request in flight: it costs less than the
server, which a client library does not. Server and client share the machine.
"""

import argparse
import json
import os
import re
import selectors
import socket
import subprocess
import tempfile
import time
from pathlib import Path

import numpy

ROOT = Path(__file__).resolve().parent.parent
TENFOLD = os.environ.get("TENFOLD", str(ROOT / "bin" / "tenfold"))
SIZE = 64


def model(path: Path) -> None:
    """Three layers of 64 with ReLU, weights built in, any number of rows."""
    rng = numpy.random.default_rng(0)
    lines = [f"func.func @main(%x: tensor<?x{SIZE}xf32>) -> tensor<?x{SIZE}xf32> {{"]
    lines.append("  %zero = stablehlo.constant dense<0.0> : tensor<f32>")
    last = "%x"
    for i in range(3):
        weights = rng.normal(scale=0.2, size=(SIZE, SIZE)).astype("<f4").tobytes().hex().upper()
        lines.append(f'  %w{i} = stablehlo.constant dense<"0x{weights}"> : tensor<{SIZE}x{SIZE}xf32>')
        lines.append(
            f"  %d{i} = stablehlo.dot_general {last}, %w{i}, contracting_dims = [1] x [0] : "
            f"(tensor<?x{SIZE}xf32>, tensor<{SIZE}x{SIZE}xf32>) -> tensor<?x{SIZE}xf32>"
        )
        last = f"%d{i}"
    lines += [f"  return {last} : tensor<?x{SIZE}xf32>", "}"]
    path.write_text("\n".join(lines) + "\n")


def request() -> bytes:
    tensor = {"name": "x", "shape": [1, SIZE], "datatype": "FP32", "parameters": {"binary_data_size": SIZE * 4}}
    head = json.dumps({"inputs": [tensor], "parameters": {"binary_data_output": True}}).encode()
    body = head + numpy.linspace(-1, 1, SIZE, dtype="f4").tobytes()
    lines = [
        "POST /v2/models/mlp/infer HTTP/1.1",
        "Host: localhost",
        f"Content-Length: {len(body)}",
        f"Inference-Header-Content-Length: {len(head)}",
    ]
    return "\r\n".join([*lines, "", ""]).encode() + body


def measure(port: int, connections: int, seconds: float, data: bytes) -> list[float]:
    """The latency of every request."""
    selector, started, latencies = selectors.DefaultSelector(), {}, []
    for _ in range(connections):
        client = socket.create_connection(("127.0.0.1", port))
        client.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        selector.register(client, selectors.EVENT_READ)
        started[client] = time.perf_counter()
        client.sendall(data)
    size = None
    end = time.perf_counter() + seconds
    left = dict.fromkeys(started, 0)
    while (now := time.perf_counter()) < end:
        for key, _ in selector.select(1):
            client = key.fileobj
            answer = client.recv(65536)
            assert answer, "the server closed a connection"
            if size is None:  # all answers have one size
                head, _, body = answer.partition(b"\r\n\r\n")
                assert head.startswith(b"HTTP/1.1 200"), answer
                length = int(re.search(rb"(?i)\r\nContent-Length: (\d+)", head)[1])
                size = len(head) + 4 + length
                assert len(body) <= length
            left[client] += len(answer)
            if left[client] < size:
                continue
            left[client] = 0
            now = time.perf_counter()
            latencies.append(now - started[client])
            started[client] = now
            client.sendall(data)
    return latencies


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=5)
    parser.add_argument("--connections", type=int, default=16)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--max-batch", type=int)
    parser.add_argument("--batch-delay", type=int)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "mlp.mlir"
        model(path)
        command = [
            TENFOLD,
            "serve",
            path,
            "--http",
            "127.0.0.1:0",
            "--listen",
            "off",
            "--threads",
            str(options.threads),
        ]
        if options.max_batch:
            command += ["--max-batch", str(options.max_batch)]
        if options.batch_delay:
            command += ["--batch-delay", str(options.batch_delay)]
        server = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        try:
            port = int(server.stdout.readline().rpartition(":")[2])
            measure(port, options.connections, 0.5, request())
            latencies = numpy.array(measure(port, options.connections, options.seconds, request()))
        finally:
            server.terminate()
            server.wait()
    print(
        f"MLP 3x{SIZE}, REST binary, {options.connections} connections, {options.threads} threads: "
        f"{len(latencies) / options.seconds:.0f} requests/s, "
        f"median {numpy.median(latencies) * 1e3:.2f} ms, p99 {numpy.quantile(latencies, 0.99) * 1e3:.2f} ms"
    )


if __name__ == "__main__":
    main()
