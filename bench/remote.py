"""How fast arrays go to a remote device and back on this machine: plain, with TLS, and what a bare socket does.

    python bench/remote.py [--mib 256] [--rounds 5] [--isolate] [--what transfers|step|both] [--layers 4] [--width 256]

A `tenfold serve --allow-programs` is started for each. "socket" sends the same bytes from one process to another with
nothing but send and recv into memory that was used before: what the machine gives at the time.
"""

import argparse
import multiprocessing
import os
import re
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy

ROOT = Path(__file__).resolve().parent.parent
TENFOLD = os.environ.get("TENFOLD", str(ROOT / "bin" / "tenfold"))


def certificates(folder: Path) -> list[str]:
    names = folder / "names"
    names.write_text("subjectAltName=IP:127.0.0.1\n")
    for command in (
        "req -x509 -newkey rsa:2048 -nodes -keyout ca.key -out ca.pem -subj /CN=ca -days 2",
        "req -newkey rsa:2048 -nodes -keyout key.pem -out csr.pem -subj /CN=server",
        "x509 -req -in csr.pem -CA ca.pem -CAkey ca.key -CAcreateserial -out cert.pem -days 2 -extfile names",
    ):
        subprocess.run(["openssl", *command.split()], check=True, capture_output=True, cwd=folder)
    os.environ["TENFOLD_REMOTE_CA"] = str(folder / "ca.pem")
    return ["--tls", str(folder / "cert.pem"), "--tls-key", str(folder / "key.pem")]


class Server:
    def __init__(self, *options: str) -> None:
        command = [TENFOLD, "serve", "--allow-programs", "--http", "off", "--listen", "grpc://127.0.0.1:0"]
        self.process = subprocess.Popen([*command, "--max-arrays", "8192", *options], stdout=subprocess.PIPE, text=True)
        self.address = re.search(r"grpcs?://\S+", self.process.stdout.readline())[0]

    def __enter__(self) -> "Server":
        return self

    def __exit__(self, *_: object) -> None:
        self.process.kill()
        self.process.wait()


def seconds_of(action) -> float:
    start = time.perf_counter()
    action()
    return time.perf_counter() - start


def cpu_seconds(process: int) -> float:
    """CPU time that a process took so far."""
    parts = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return (int(parts[11]) + int(parts[12])) / os.sysconf("SC_CLK_TCK")


def report(what: str, size: int, seconds: list[float]) -> None:
    best, median = size / min(seconds) / 1e9, size / statistics.median(seconds) / 1e9
    print(f"{what:24} best {best:5.2f} GB/s, median {median:5.2f} GB/s", flush=True)


def drain(connection: socket.socket, size: int, rounds: int) -> None:
    room = numpy.zeros(size, "u1")
    for _ in range(rounds):
        at = 0
        while at < size:
            at += connection.recv_into(room[at:], size - at)
        connection.sendall(b"x")


def bare_socket(values: numpy.ndarray, rounds: int) -> list[float]:
    listener = socket.create_server(("127.0.0.1", 0))
    client = socket.create_connection(listener.getsockname())
    server, _ = listener.accept()
    process = multiprocessing.get_context("fork").Process(target=drain, args=(server, values.nbytes, rounds + 1))
    process.start()

    def send() -> None:
        client.sendall(values)
        client.recv(1)

    send()
    seconds = [seconds_of(send) for _ in range(rounds)]
    process.join()
    return seconds


def transfers(name: str, values: numpy.ndarray, rounds: int, *options: str) -> None:
    import tenfold

    with Server(*options) as server:
        device = tenfold.connect(server.address)
        up, down = [], []
        back = numpy.empty_like(values)  # memory that is not new: the system clears new pages at about this speed
        begun: list[float] = []
        for _ in range(rounds + 1):
            array = None
            begun = begun or ([cpu_seconds(server.process.pid), cpu_seconds(os.getpid())] if up else [])
            start = time.perf_counter()
            array = device.array(values)
            middle = time.perf_counter()
            back = array.numpy(out=back)
            down.append(time.perf_counter() - middle)
            up.append(middle - start)
            assert up[1:] or numpy.array_equal(back.view("u1"), values.view("u1"))
        used = [cpu_seconds(server.process.pid) - begun[0], cpu_seconds(os.getpid()) - begun[1]]
        size = values.nbytes * rounds * 2 / 1e9
        report(f"{name} upload", values.nbytes, up[1:])
        report(f"{name} download", values.nbytes, down[1:])
        print(f"{name} CPU time of a GB: server {used[0] / size:.2f} s, client {used[1] / size:.2f} s", flush=True)


def step(rounds: int, layers: int, width: int) -> None:
    """A training step of an encoder by `tenfold train`, here and over a socket; 12 layers of 768 are BERT-base's."""
    import json

    import torch

    class Encoder(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.embed = torch.nn.Embedding(8192, width)
            sizes = {"d_model": width, "nhead": width // 64, "dim_feedforward": 4 * width}
            layer = torch.nn.TransformerEncoderLayer(**sizes, dropout=0.0, batch_first=True, activation="gelu")
            self.layers = torch.nn.TransformerEncoder(layer, layers, enable_nested_tensor=False)
            self.head = torch.nn.Linear(width, 16)

        def forward(self, x: torch.Tensor) -> torch.Tensor:
            return self.head(self.layers(self.embed(x))[:, 0])

    with tempfile.TemporaryDirectory() as name, Server() as server:
        folder = Path(name)
        archive = torch.export.export(Encoder().train(), (torch.zeros(8, 128, dtype=torch.int64),))
        torch.export.save(archive, folder / "net.pt2")
        rng = numpy.random.default_rng(0)
        numpy.savez(folder / "data.npz", x=rng.integers(0, 8192, (96, 128)), target=rng.integers(0, 16, 96, dtype="i8"))
        times: dict[str, list[float]] = {"here": [], "there": []}
        for _ in range(rounds):
            for place, more in ("here", []), ("there", ["--device", server.address]):
                command = [TENFOLD, "train", folder / "net.pt2", "--data", folder / "data.npz", "--json", *more]
                command += ["--loss", "cross_entropy", "--optimizer", "adamw,lr=1e-4", "--metrics", folder / "log"]
                subprocess.run(command, check=True, capture_output=True)
                lines = [json.loads(line)["seconds"] for line in (folder / "log").read_text().splitlines()]
                times[place] += lines[2:]
    here, there = statistics.median(times["here"]), statistics.median(times["there"])
    best = [min(times[place]) for place in ("here", "there")]
    print(
        f"training step of {layers} layers of {width}: here {here * 1e3:.1f} ms, there {there * 1e3:.1f} ms: "
        f"{there / here - 1:+.1%} by the medians, {best[1] / best[0] - 1:+.1%} by the best ({best[0] * 1e3:.1f} ms)"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--mib", type=int, default=256)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--isolate", action="store_true")
    parser.add_argument("--what", choices=["transfers", "step", "both"], default="transfers")
    parser.add_argument("--layers", type=int, default=4)
    parser.add_argument("--width", type=int, default=256)
    options = parser.parse_args()
    sys.path.insert(0, str(ROOT / "python"))
    if options.what != "step":
        values = numpy.random.default_rng(0).integers(0, 255, options.mib << 20, "u1").view("f4")
        more = ["--isolate"] if options.isolate else []
        report("socket", values.nbytes, bare_socket(values.view("u1"), options.rounds))
        transfers("plain", values, options.rounds, *more)
        with tempfile.TemporaryDirectory() as folder:
            transfers("TLS", values, options.rounds, *certificates(Path(folder)), *more)
    if options.what != "transfers":
        step(options.rounds, options.layers, options.width)


if __name__ == "__main__":
    main()
