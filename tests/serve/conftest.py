"""What the tests of the server share: models, and a server that runs while a test does."""

import os
import re
import signal
import socket
import subprocess
import time
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
TENFOLD = os.environ.get("TENFOLD", str(ROOT / "bin" / "tenfold"))

# Types of the protocol: how MLIR and NumPy (or ml_dtypes) spell them.
TYPES = {
    "BOOL": ("i1", "bool"),
    "UINT8": ("ui8", "uint8"),
    "UINT16": ("ui16", "uint16"),
    "UINT32": ("ui32", "uint32"),
    "UINT64": ("ui64", "uint64"),
    "INT8": ("i8", "int8"),
    "INT16": ("i16", "int16"),
    "INT32": ("i32", "int32"),
    "INT64": ("i64", "int64"),
    "FP16": ("f16", "float16"),
    "BF16": ("bf16", "bfloat16"),
    "FP32": ("f32", "float32"),
    "FP64": ("f64", "float64"),
}

AFFINE = """func.func @main(%x: tensor<?x4xf32>) -> tensor<?x4xf32> {
  %0 = stablehlo.add %x, %x : tensor<?x4xf32>
  return %0 : tensor<?x4xf32>
}
"""
# Rows know of each other: each becomes the sum of all.
MIXING = """func.func @main(%x: tensor<?x4xf32>) -> tensor<?x4xf32> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %sum = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [0]
    : (tensor<?x4xf32>, tensor<f32>) -> tensor<4xf32>
  %n = stablehlo.get_dimension_size %x, dim = 0 : (tensor<?x4xf32>) -> tensor<i32>
  %n1 = stablehlo.reshape %n : (tensor<i32>) -> tensor<1xi32>
  %four = stablehlo.constant dense<4> : tensor<1xi32>
  %shape = stablehlo.concatenate %n1, %four, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
  %0 = stablehlo.dynamic_broadcast_in_dim %sum, %shape, dims = [1] : (tensor<4xf32>, tensor<2xi32>) -> tensor<?x4xf32>
  return %0 : tensor<?x4xf32>
}
"""
# Takes a while: a loop of so many steps.
SLOW = """func.func @main(%x: tensor<f32>, %n: tensor<i64>) -> tensor<f32> {
  %zero = stablehlo.constant dense<0> : tensor<i64>
  %one = stablehlo.constant dense<1> : tensor<i64>
  %half = stablehlo.constant dense<0.5> : tensor<f32>
  %r:2 = stablehlo.while(%i = %zero, %v = %x) : tensor<i64>, tensor<f32>
  cond {
    %c = stablehlo.compare LT, %i, %n : (tensor<i64>, tensor<i64>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  } do {
    %j = stablehlo.add %i, %one : tensor<i64>
    %s = stablehlo.sine %v : tensor<f32>
    %w = stablehlo.add %s, %half : tensor<f32>
    stablehlo.return %j, %w : tensor<i64>, tensor<f32>
  }
  return %r#1 : tensor<f32>
}
"""


def identity(mlir_type: str) -> str:
    tensor = f"tensor<2x3x{mlir_type}>"
    return f"func.func @main(%x: {tensor}) -> {tensor} {{\n  return %x : {tensor}\n}}\n"


def add_model(folder: Path, name: str, text: str, version: int = 1) -> Path:
    path = folder / name / str(version) / "model.mlir"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


class Server:
    """`tenfold serve` on ports that the system chooses."""

    def __init__(self, *arguments, log: Path, environment: dict | None = None):
        self.log = log
        arguments = [str(argument) for argument in arguments]
        for option, address in ("--http", "127.0.0.1:0"), ("--listen", "grpc://127.0.0.1:0"):
            if option not in arguments:
                arguments += [option, address]
        with open(log, "w") as errors:
            self.process = subprocess.Popen(
                [TENFOLD, "serve", *arguments],
                stdout=subprocess.PIPE,
                stderr=errors,
                text=True,
                env=os.environ | (environment or {}),
            )
        self.http = self.grpc = None
        wanted = sum(
            option in arguments and arguments[arguments.index(option) + 1] != "off" for option in ("--http", "--listen")
        )
        for _ in range(wanted):
            line = self.process.stdout.readline()
            found = re.match(r"listening on (\w+)://(.*)$", line)
            assert found, f"{line}{log.read_text()}"
            if found[1].startswith("grpc"):
                self.grpc = found[2]
            else:
                self.http = found[2]

    @property
    def port(self) -> int:
        return int(self.http.rpartition(":")[2])

    def connect(self, address: str | None = None) -> socket.socket:
        host, _, port = (address or self.http).rpartition(":")
        return socket.create_connection((host, int(port)), timeout=20)

    def ask(self, data: bytes, address: str | None = None) -> bytes:
        """What the server answers to these bytes until it closes, or is silent for a while."""
        with self.connect(address) as client:
            client.sendall(data)
            client.settimeout(5)
            answer = b""
            try:
                while part := client.recv(65536):
                    answer += part
            except (TimeoutError, ConnectionResetError):
                pass
            return answer

    def alive(self) -> bool:
        return self.process.poll() is None

    def stop(self, how=signal.SIGTERM) -> int:
        if self.alive():
            self.process.send_signal(how)
        code = self.process.wait(timeout=60)
        self.process.stdout.close()
        return code


def wait_for(condition, seconds: float = 20):
    """Until it holds; what it gave."""
    end = time.monotonic() + seconds
    while not (value := condition()):
        assert time.monotonic() < end, "waited in vain"
        time.sleep(0.02)
    return value


@pytest.fixture
def serve(tmp_path):
    """Starts servers that are stopped after the test."""
    servers = []

    def start(*arguments, **options) -> Server:
        servers.append(Server(*arguments, log=tmp_path / f"server{len(servers)}.log", **options))
        return servers[-1]

    yield start
    for server in servers:
        if server.alive():
            server.process.kill()
        server.process.wait()


@pytest.fixture(scope="session")
def shared_server(tmp_path_factory):
    """One server for all tests that change nothing in it: a model of each type, and others."""
    folder = tmp_path_factory.mktemp("models")
    for name, (mlir_type, _) in TYPES.items():
        add_model(folder, f"id_{name}", identity(mlir_type))
    add_model(folder, "double", AFFINE)
    add_model(folder, "slow", SLOW)
    server = Server(
        "--repository",
        folder,
        "--allow-shared-memory",
        "--access-log",
        folder / "access.log",
        log=folder / "server.log",
    )
    server.folder = folder
    yield server
    assert server.stop() == 0, server.log.read_text()


def pytest_configure(config):
    if not (Path(TENFOLD).resolve().parents[1] / "serve" / "tenfold-serve").exists():
        config.serve_missing = True


def pytest_collection_modifyitems(config, items):
    if getattr(config, "serve_missing", False):
        for item in items:
            item.add_marker(
                pytest.mark.skip(reason="tenfold-serve was not built: nghttp2, OpenSSL or protobuf-c is missing")
            )
