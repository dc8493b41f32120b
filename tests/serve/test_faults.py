"""What breaks in the middle: clients and servers that are killed, full disks, damaged models, expired certificates."""

import contextlib
import os
import signal
import socket
import ssl
import struct
import subprocess
import sys
import threading
from pathlib import Path

import numpy
import pytest
from conftest import AFFINE, ROOT, SLOW, TENFOLD, add_model, wait_for
from test_limits import PREFACE, frame
from test_repository import TRIPLE, answer
from test_rest import request
from test_security import make_certificates, refusal

tenfold = pytest.importorskip("tenfold")


def memory(server) -> int:
    """Bytes that the server has in memory."""
    return int(Path(f"/proc/{server.process.pid}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def test_many_small_arrays_leave_nothing(serve):
    """10^5 arrays, made a thousand at a time by a program and dropped."""
    server = serve("--allow-programs", "--http", "off")
    device = tenfold.connect(f"grpc://{server.grpc}")
    many, kind = 1000, "tensor<2xf32>"
    lines = [f"func.func @main(%x: {kind}) -> ({', '.join([kind] * many)}) {{"]
    lines += [f"  %{i} = stablehlo.add %{i - 1 if i else 'x'}, %x : {kind}" for i in range(many)]
    lines += [f"  return {', '.join(f'%{i}' for i in range(many))} : {', '.join([kind] * many)}", "}"]
    program = "\n".join(lines)
    x = device.array(numpy.ones(2, "f4"))
    sizes = []
    for turn in range(100):
        results = device.run(program, x)
        if turn % 30 == 9:
            assert numpy.array_equal(results[-1], [many + 1, many + 1])
            sizes.append(memory(server))
        del results
    assert device.left() == (1, 8)
    assert sizes[-1] - sizes[0] < 8 << 20, sizes


UPLOAD = """
import os, signal, sys
import numpy, tenfold
device = tenfold.connect(sys.argv[1])
def progress(done, all):
    if done > all // 2:
        os.kill(int(sys.argv[2]) or os.getpid(), signal.SIGKILL)
device.array(numpy.zeros(24 << 20, "u1"), progress=progress)
"""


def test_client_killed_while_it_uploads(serve, tmp_path):
    tokens = tmp_path / "tokens"
    tokens.write_text("0123456789abcdef0123 arrays=32\n")
    tokens.chmod(0o600)
    server = serve("--allow-programs", "--token-file", tokens)
    environment = os.environ | {"TENFOLD_REMOTE_TOKEN_FILE": str(tokens.with_name("token"))}
    tokens.with_name("token").write_text("0123456789abcdef0123\n")
    for _ in range(3):  # each would take more than half of what the token may have
        client = subprocess.run(
            [sys.executable, "-c", UPLOAD, f"grpc://{server.grpc}", "0"], env=environment, capture_output=True
        )
        assert client.returncode == -signal.SIGKILL, client.stderr
    headers = {"Authorization": "Bearer 0123456789abcdef0123"}
    for line in b"tenfold_request_memory_bytes 0\n", b"tenfold_connections 1\n":
        wait_for(lambda line=line: line in request(server, "GET", "/metrics", headers=headers)[1])
    done = subprocess.run(
        [sys.executable, "-c", UPLOAD.replace("// 2", ""), f"grpc://{server.grpc}", "0"], env=environment,
        capture_output=True, text=True,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr


def test_server_killed_while_a_client_uploads(serve):
    server = serve("--allow-programs", "--http", "off")
    pid = subprocess.run(["pgrep", "-P", str(server.process.pid)], capture_output=True, text=True).stdout.split()
    assert not pid  # the command becomes the server: its process is the one to kill
    done = subprocess.run(
        [sys.executable, "-c", UPLOAD, f"grpc://{server.grpc}", str(server.process.pid)], capture_output=True, text=True
    )
    assert done.returncode == 1 and "was lost, and all that was there" in done.stderr, done


@pytest.mark.parametrize("what", ["compile", "run", "upload", "download"])
def test_server_that_falls_silent(serve, monkeypatch, what):
    """Its connections stay open, and nothing comes: an error says how long that was, and for what."""
    monkeypatch.setenv("TENFOLD_REMOTE_TIMEOUT", "1")
    server = serve("--allow-programs", "--http", "off")
    device = tenfold.connect(f"grpc://{server.grpc}")
    x = device.array(numpy.ones(1 << 20, "f4"))
    y = x + 1
    y.numpy()
    seen = []

    def progress(done, _):
        if done > 64 << 20 and not seen:
            seen.append(done)
            server.process.send_signal(signal.SIGSTOP)

    if what != "upload":
        server.process.send_signal(signal.SIGSTOP)
    calls = {
        "compile": lambda: x * x,
        "run": lambda: x + 1,
        "upload": lambda: device.array(numpy.zeros(512 << 20, "u1"), progress=progress),
        "download": y.numpy,
    }
    error = rf"{server.grpc} gave no sign of life for 1 s while \w+ was in progress.*TENFOLD_REMOTE_TIMEOUT"
    with pytest.raises(tenfold.Error, match=error):
        calls[what]()
    with pytest.raises(tenfold.Error, match="lost"):
        y.numpy()
    server.process.send_signal(signal.SIGCONT)
    device.reconnect()
    assert numpy.array_equal((device.array(numpy.ones(2, "f4")) + 1).numpy(), [2, 2])


def test_slow_server_is_waited_for(serve, monkeypatch):
    """Seconds of computing are no silence: the server answers PINGs meanwhile. Other calls share the connection."""
    monkeypatch.setenv("TENFOLD_REMOTE_TIMEOUT", "1")
    server = serve("--allow-programs", "--http", "off", "--threads", "1")
    device = tenfold.connect(f"grpc://{server.grpc}")
    x, results = device.array(numpy.float32(1)), []
    steps = device.array(numpy.int64(300_000_000))
    threads = [threading.Thread(target=lambda: results.append(device.run(SLOW, x, steps))) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(results) == 2


def test_reconnecting(serve):
    server = serve("--allow-programs", "--http", "off")
    device = tenfold.connect(f"grpc://{server.grpc}")
    x = device.array(numpy.ones(3, "f4"))
    server.stop(signal.SIGKILL)
    for _ in range(2):
        with pytest.raises(tenfold.Error, match="lost"):
            x.numpy()
    serve("--allow-programs", "--http", "off", "--listen", f"grpc://{server.grpc}")
    device.reconnect()
    with pytest.raises(tenfold.Error, match="was lost with its connection"):
        x + 1
    y = device.array(numpy.ones(3, "f4")) + 1
    assert numpy.array_equal(y, [2, 2, 2])
    del x
    assert device.left() == (1, 12)


@pytest.fixture
def small_disk(tmp_path):
    """A file system with room for 64 KiB."""
    folder = tmp_path / "disk"
    folder.mkdir()
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=64k", "none", folder], capture_output=True, text=True)
    if mounted.returncode:
        pytest.skip(f"no file system can be mounted here: {mounted.stderr.strip()}")
    yield folder
    subprocess.run(["umount", "-l", folder], check=True)


def test_full_disk(serve, small_disk):
    """A model that does not fit is not served, the one before it is; a log that cannot be written stops nothing."""
    path = add_model(small_disk, "m", AFFINE)
    server = serve(
        "--repository", small_disk, "--allow-load", "--access-log", small_disk / "log",
        environment={"TENFOLD_CACHE_DIR": str(small_disk / "cache"), "TENFOLD_CACHE": "on"},
    )  # fmt: skip
    assert answer(server) == [2, 4, 6, 8]
    with pytest.raises(OSError, match="No space left"):
        path.write_text(TRIPLE + "// " + "x" * 100_000)  # the file was cut off by the full disk
    with pytest.raises(OSError, match="No space left"):
        (small_disk / "fill").write_bytes(b"x" * 100_000)
    for _ in range(3):
        assert answer(server) == [2, 4, 6, 8]
    add_model_again = request(server, "POST", "/v2/repository/models/m/load", "{}")
    assert add_model_again[0].status in (200, 400) and server.alive()
    (small_disk / "fill").unlink()
    path.write_text(TRIPLE)
    assert request(server, "POST", "/v2/repository/models/m/load", "{}")[0].status == 200
    assert answer(server) == [3, 6, 9, 12]


def test_damaged_models(serve, tmp_path):
    """Archives and compiled files that were cut off or changed: the model before them goes on."""
    path = add_model(tmp_path / "models", "m", AFFINE)
    compiled = tmp_path / "good.ten"
    static = tmp_path / "static.mlir"
    static.write_text(AFFINE.replace("?x4", "1x4"))
    subprocess.run([TENFOLD, "compile", static, "-o", compiled], check=True, capture_output=True, timeout=120)
    good = compiled.read_bytes()
    server = serve("--repository", tmp_path / "models", "--allow-load")
    flipped = bytearray(good)
    flipped[len(flipped) // 2] ^= 0xFF
    damaged = {"model.ten": [good[: len(good) // 2], bytes(flipped), b""], "model.pt2": [b"PK\x03\x04" + b"\x00" * 50]}
    path.unlink()
    for name, contents in damaged.items():
        for content in contents:
            path.with_name(name).write_bytes(content)
            assert request(server, "POST", "/v2/repository/models/m/load", "{}")[0].status >= 400, (name, len(content))
            assert answer(server) == [2, 4, 6, 8]
        path.with_name(name).unlink()
    path.with_name("model.ten").write_bytes(good)
    assert request(server, "POST", "/v2/repository/models/m/load", "{}")[0].status == 200
    assert answer(server) == [2, 4, 6, 8]


def test_expired_certificates(serve, tmp_path):
    model = ROOT / "examples" / "double.mlir"
    fresh, old = tmp_path / "fresh", tmp_path / "old"
    fresh.mkdir(), old.mkdir()
    make_certificates(fresh)
    make_certificates(old, days=-1)
    assert "has expired" in refusal(model, "--tls", old / "server.pem", "--tls-key", old / "server.key")
    server = serve(
        "--allow-programs", "--http", "off", "--tls", fresh / "server.pem", "--tls-key", fresh / "server.key",
        "--client-ca", old / "ca.pem",
    )  # fmt: skip
    context = ssl.create_default_context(cafile=fresh / "ca.pem")
    context.load_cert_chain(old / "client.pem", old / "client.key")
    plain = server.connect(server.grpc)
    with pytest.raises((ssl.SSLError, ConnectionError)), context.wrap_socket(plain, server_hostname="localhost") as tls:
        tls.sendall(PREFACE)
        assert not tls.recv(100)
        raise ConnectionError
    # A server whose certificate has expired since, as the client sees it.
    listener = socket.create_server(("127.0.0.1", 0))
    listener.settimeout(30)
    theirs = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    theirs.load_cert_chain(old / "server.pem", old / "server.key")

    def accept():
        with contextlib.suppress(OSError):
            theirs.wrap_socket(listener.accept()[0], server_side=True)

    thread = threading.Thread(target=accept)
    thread.start()
    done = subprocess.run(
        [TENFOLD, "run", ROOT / "examples" / "mlp.mlir", "--random", "--device", f"grpcs://127.0.0.1:{listener.getsockname()[1]}"],
        env=os.environ | {"TENFOLD_REMOTE_CA": str(old / "ca.pem")}, capture_output=True, text=True, timeout=60,
    )  # fmt: skip
    thread.join()
    listener.close()
    assert done.returncode == 1 and "certificate has expired" in done.stderr, done


def call_headers(path: str) -> bytes:
    return b"\x83\x86\x01\x01a\x04" + bytes([len(path)]) + path.encode() + b"\x0f\x10\x10application/grpc"


def test_slow_requests_over_http2(serve):
    """A call that is opened and not sent, and a message of a stream that stops in the middle."""
    server = serve(ROOT / "examples" / "double.mlir", "--timeout", "1", "--idle", "2", "--allow-programs")
    with server.connect(server.grpc) as silent, server.connect(server.grpc) as idle:
        idle.sendall(PREFACE)
        silent.sendall(PREFACE + frame(1, 4, 1, call_headers("/inference.GRPCInferenceService/ModelInfer")))
        part = b"\x00\x00\x00\x01\x00abc"
        silent.sendall(frame(1, 4, 3, call_headers("/tenfold.device.v1.Device/UploadStream")) + frame(0, 0, 3, part))
        wait_for(lambda: b"tenfold_requests_timed_out_total 2\n" in request(server, "GET", "/metrics")[1])
        idle.settimeout(20)
        while idle.recv(1000):  # settings, and then the end
            pass
    assert server.alive()


def test_upload_in_wrong_parts(serve):
    grpc = pytest.importorskip("grpc")
    server = serve("--allow-programs", "--http", "off", "--max-arrays", "1")
    channel = grpc.insecure_channel(server.grpc)
    call = channel.stream_unary("/tenfold.device.v1.Device/UploadStream")
    about = b"\x0a\x05\x0a\x03f32"  # a scalar of f32
    four = b"\x12\x04abcd"
    large = b"\x0a\x0a\x0a\x03f32\x10\x80\x80\x80\x01"  # 8 MiB
    for parts, code in [
        ([about, four], None),
        ([about + four], None),
        ([four], "INVALID_ARGUMENT"),
        ([about], "INVALID_ARGUMENT"),
        ([about, four, four], "INVALID_ARGUMENT"),
        ([about, about, four], "INVALID_ARGUMENT"),
        ([b"\xff"], "INVALID_ARGUMENT"),
        ([], "INVALID_ARGUMENT"),
        ([large, four], "RESOURCE_EXHAUSTED"),
    ]:
        try:
            call(iter(parts), timeout=30)
            assert code is None, parts
        except grpc.RpcError as error:
            assert error.code().name == code, (parts, error)


def test_dead_peer_frees_its_arrays(serve):
    """A connection that is reset takes its arrays with it."""
    server = serve("--allow-programs")
    with server.connect(server.grpc) as client:
        client.sendall(PREFACE + frame(1, 4, 1, call_headers("/tenfold.device.v1.Device/UploadStream")))
        wait_for(lambda: b"tenfold_connections 2\n" in request(server, "GET", "/metrics")[1])
        client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    wait_for(lambda: b"tenfold_connections 1\n" in request(server, "GET", "/metrics")[1])
