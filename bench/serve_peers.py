"""Requests a second of `tenfold serve` and of other servers of the same protocol, by turns in one run.

    python bench/serve_peers.py --python PEERS/bin/python [--seconds 5] [--rounds 2] [--connections 1 4 16]

PEERS is a virtual environment with mlserver, with nvidia-pytriton (the real Triton server), or both: what it has is
measured. All serve an MLP of 3 x 64 with the same weights, which the peers compute with NumPy in their Python backends,
and are asked with the same bytes by the same loop over plain sockets: JSON of all, binary tensors of those that read
them. The last column is the most that Tenfold answers with a p99 that is not above the peer's.
"""

import argparse
import json
import os
import re
import shutil
import socket
import subprocess
import tempfile
import time
from pathlib import Path

import numpy
import serve

ROOT = Path(__file__).resolve().parent.parent
TENFOLD = os.environ.get("TENFOLD", str(ROOT / "bin" / "tenfold"))
SIZE = serve.SIZE

WEIGHTS = f"""
import numpy
rng = numpy.random.default_rng(0)
weights = [rng.normal(scale=0.2, size=({SIZE}, {SIZE})).astype("f4") for _ in range(3)]

def mlp(x):
    for w in weights:
        x = x @ w
    return x
"""
MLSERVER = """
from mlserver import MLModel
from mlserver.codecs import NumpyCodec
from mlserver.types import InferenceResponse
from mlp import mlp

class MLP(MLModel):
    async def load(self):
        return True

    async def predict(self, payload):
        x = NumpyCodec.decode_input(payload.inputs[0]).astype("f4")
        return InferenceResponse(model_name=self.name, outputs=[NumpyCodec.encode_output("output0", mlp(x))])
"""
TRITON = """
import triton_python_backend_utils as pb_utils
from mlp import mlp

class TritonPythonModel:
    def execute(self, requests):
        inputs = [pb_utils.get_input_tensor_by_name(request, "x").as_numpy() for request in requests]
        return [pb_utils.InferenceResponse([pb_utils.Tensor("output0", mlp(x))]) for x in inputs]
"""
TRITON_CONFIG = f"""
name: "mlp"
backend: "python"
max_batch_size: 64
input [{{ name: "x" data_type: TYPE_FP32 dims: [{SIZE}] }}]
output [{{ name: "output0" data_type: TYPE_FP32 dims: [{SIZE}] }}]
instance_group [{{ kind: KIND_CPU }}]
"""


def free_ports(count: int) -> list[int]:
    sockets = [socket.create_server(("127.0.0.1", 0)) for _ in range(count)]
    ports = [one.getsockname()[1] for one in sockets]
    for one in sockets:
        one.close()
    return ports


def json_request() -> bytes:
    values = numpy.linspace(-1, 1, SIZE, dtype="f4").round(3).tolist()
    tensor = {"name": "x", "shape": [1, SIZE], "datatype": "FP32", "data": values}
    body = json.dumps({"inputs": [tensor]}).encode()
    lines = ["POST /v2/models/mlp/infer HTTP/1.1", "Host: localhost", "Content-Type: application/json"]
    return "\r\n".join([*lines, f"Content-Length: {len(body)}", "", ""]).encode() + body


def wait_for(port: int, process: subprocess.Popen) -> None:
    for _ in range(1200):
        try:
            with socket.create_connection(("127.0.0.1", port), 5) as client:
                client.sendall(b"GET /v2/models/mlp/ready HTTP/1.1\r\nHost: a\r\n\r\n")
                if re.match(rb"HTTP/1.1 200", client.recv(1000)):
                    return
        except OSError:
            pass
        assert process.poll() is None, "a server ended"
        time.sleep(0.1)
    raise TimeoutError("a server does not become ready")


def start_tenfold(folder: Path, _: str) -> tuple[subprocess.Popen, int]:
    serve.model(folder / "mlp.mlir")
    (port,) = free_ports(1)
    command = [TENFOLD, "serve", folder / "mlp.mlir", "--http", f"127.0.0.1:{port}", "--listen", "off"]
    return subprocess.Popen(command, stdout=subprocess.DEVNULL), port


def start_mlserver(folder: Path, python: str) -> tuple[subprocess.Popen, int]:
    http, grpc, metrics = free_ports(3)
    (folder / "model.py").write_text(MLSERVER)
    (folder / "model-settings.json").write_text(json.dumps({"name": "mlp", "implementation": "model.MLP"}))
    settings = {"host": "127.0.0.1", "http_port": http, "grpc_port": grpc, "metrics_port": metrics}
    settings |= {
        "parallel_workers": 0,
        "debug": False,
    }  # a worker's process costs such a small model more than it gives
    (folder / "settings.json").write_text(json.dumps(settings))
    command = [python, "-m", "mlserver.cli.main", "start", str(folder)]
    if (Path(python).parent / "mlserver").exists():
        command = [str(Path(python).parent / "mlserver"), "start", str(folder)]
    environment = os.environ | {"PYTHONPATH": str(folder)}
    with open(folder / "log", "w") as log:
        return subprocess.Popen(command, stdout=log, stderr=log, env=environment), http


def start_triton(folder: Path, python: str) -> tuple[subprocess.Popen, int]:
    """The server and its Python backend as the wheel has them; of pytriton's own Python nothing runs."""
    say = "import importlib.util, sys; print(importlib.util.find_spec('pytriton').submodule_search_locations[0])"
    say += "; print('%d.%d' % sys.version_info[:2])"
    found = subprocess.run([python, "-c", say], check=True, capture_output=True, text=True)
    place, version = found.stdout.splitlines()
    triton, packages, http = Path(place) / "tritonserver", Path(place).parent, free_ports(1)[0]
    model, backend = folder / "models" / "mlp", folder / "backends" / "python"
    (model / "1").mkdir(parents=True)
    (model / "1" / "model.py").write_text(TRITON)
    (model / "config.pbtxt").write_text(TRITON_CONFIG)
    shutil.copytree(triton / "backends" / "python", backend)
    shutil.copy(triton / "python_backend_stubs" / version / "triton_python_backend_stub", backend)
    for name in "numpy", "numpy.libs":  # its Python looks for packages there, and not in PYTHONPATH
        (backend / name).symlink_to(packages / name)
    shutil.copy(folder / "mlp.py", backend)
    environment = os.environ | {"LD_LIBRARY_PATH": str(packages / "nvidia_pytriton.libs")}
    options = {"model-repository": model.parent, "backend-directory": backend.parent, "http-port": http}
    options |= {"http-address": "127.0.0.1", "allow-grpc": "false", "allow-metrics": "false"}
    command = [triton / "bin" / "tritonserver", *(f"--{name}={value}" for name, value in options.items())]
    with open(folder / "log", "w") as log:
        return subprocess.Popen(command, stdout=log, stderr=log, env=environment), http


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--python", required=True)
    parser.add_argument("--seconds", type=float, default=5)
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--connections", type=int, nargs="+", default=[1, 4, 16])
    options = parser.parse_args()
    os.environ.pop("PYTHONPATH", None)
    servers = {"tenfold": start_tenfold}
    for name, package, start in ("mlserver", "mlserver", start_mlserver), ("triton", "pytriton", start_triton):
        look = f"import importlib.util, sys; sys.exit(not importlib.util.find_spec({package!r}))"
        if subprocess.run([options.python, "-c", look]).returncode:
            print(f"{name}: not measured: {options.python} has no {package}")
        else:
            servers[name] = start
    requests = {"JSON": json_request(), "binary": serve.request()}
    rates: dict[tuple[str, str, int], list[tuple[float, float]]] = {}
    with tempfile.TemporaryDirectory() as root:
        running = {}
        try:
            for name, start in servers.items():
                folder = Path(root) / name
                folder.mkdir()
                (folder / "mlp.py").write_text(WEIGHTS)
                running[name] = start(folder, options.python)
                wait_for(running[name][1], running[name][0])
            for _ in range(options.rounds):
                for kind, data in requests.items():
                    for connections in options.connections:
                        for name, (_, port) in running.items():
                            if kind == "binary" and name == "mlserver":
                                continue
                            serve.measure(port, connections, 0.3, data)
                            took = numpy.array(serve.measure(port, connections, options.seconds, data))
                            row = len(took) / options.seconds, float(numpy.quantile(took, 0.99)) * 1e3
                            rates.setdefault((name, kind, connections), []).append(row)
        finally:
            for process, _ in running.values():
                process.terminate()
            for process, _ in running.values():
                process.wait()
    best = {key: max(rows) for key, rows in rates.items()}
    print("| server | request | connections | requests/s | p99, ms | Tenfold at that p99 |\n|---|---|--:|--:|--:|--:|")
    for (name, kind, connections), (rate, p99) in best.items():
        ours = [row[0] for (who, how, _), row in best.items() if (who, how) == ("tenfold", kind) and row[1] <= p99]
        ratio = f"{max(ours) / rate:.1f} x" if ours and name != "tenfold" else "-"
        print(f"| {name} | {kind} | {connections} | {rate:.0f} | {p99:.2f} | {ratio} |")


if __name__ == "__main__":
    main()
