"""Clients that are slow, greedy or hostile, and requests that come at a bad time."""

import json
import signal
import struct
import threading
import time

import numpy
import pytest
from conftest import AFFINE, SLOW, wait_for
from test_rest import X, infer, request

BODY = json.dumps({"inputs": [X]}).encode()


@pytest.fixture
def model(tmp_path):
    path = tmp_path / "double.mlir"
    path.write_text(AFFINE)
    return path


@pytest.fixture
def slow(tmp_path):
    path = tmp_path / "slow.mlir"
    path.write_text(SLOW)
    return path


def slow_body(steps: int, **more) -> dict:
    return {
        "inputs": [
            {"name": "x", "shape": [], "datatype": "FP32", "data": [1]},
            {"name": "n", "shape": [], "datatype": "INT64", "data": [steps]},
        ]
    } | more


LONG = 15_000_000  # steps: half a second or more


@pytest.mark.parametrize(
    "data, status",
    [
        (b"nonsense\r\n\r\n", 400),
        (b"GET / HTTP/2.0\r\n\r\n", 505),
        (b"GET /v2 HTTP/1.1\r\n\r\n", 400),  # no Host
        (b"GET /v2 HTTP/1.1\r\nHost : a\r\n\r\n", 400),
        (b"GET /v2 HTTP/1.1\r\nHost: a\r\n folded\r\n\r\n", 400),
        (b"GET /v2 HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n", 400),
        (b"GET /v2\x01 HTTP/1.1\r\nHost: a\r\n\r\n", 400),
        (b"POST /v2 HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\nContent-Length: 4\r\n\r\nabc", 400),
        (b"POST /v2 HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\nabc", 400),
        (b"POST /v2 HTTP/1.1\r\nHost: a\r\nContent-Length: -3\r\n\r\nabc", 400),
        (b"POST /v2 HTTP/1.1\r\nHost: a\r\nContent-Length: 99999999999999999999\r\n\r\nabc", 400),
        (b"POST /v2 HTTP/1.1\r\nHost: a\r\nContent-Length: 99999999999\r\n\r\nabc", 413),
        (b"POST /v2 HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: gzip\r\n\r\nabc", 501),
        (b"POST /v2 HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n", 400),
        (b"POST /v2 HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabcX\r\n", 400),
        (b"GET /v2 HTTP/1.1\r\nHost: a\r\nX: " + b"a" * 40000 + b"\r\n\r\n", 431),
        (b"GET /v2 HTTP/1.1\r\nHost: a\r\n" + b"X: a\r\n" * 200 + b"\r\n", 431),
        (b"GET /" + b"a" * 40000, 431),
    ],
)
def test_refusals(shared_server, data, status):
    answer = shared_server.ask(data)
    assert answer.startswith(b"HTTP/1.1 %d " % status), answer[:200]


def test_body_above_the_limit(model, serve):
    server = serve(model, "--max-body", "1")
    assert infer(server, "double", b" " * (1 << 20))[0].status == 400
    head = b"POST /v2/models/double/infer HTTP/1.1\r\nHost: a\r\n"
    assert server.ask(head + b"Content-Length: 1048577\r\n\r\n").startswith(b"HTTP/1.1 413")
    chunks = b"100000\r\n" + b" " * (1 << 20) + b"\r\n1\r\n \r\n0\r\n\r\n"
    assert server.ask(head + b"Transfer-Encoding: chunked\r\n\r\n" + chunks).startswith(b"HTTP/1.1 413")
    triton = pytest.importorskip("tritonclient.grpc")
    given = triton.InferInput("x", [1 << 17, 4], "FP32")
    given.set_data_from_numpy(numpy.zeros((1 << 17, 4), "f4"))
    with pytest.raises(triton.InferenceServerException, match="max-body"):
        triton.InferenceServerClient(server.grpc).infer("double", [given])


def test_memory_of_all_requests_is_bounded(model, serve):
    server = serve(model, "--max-body", "8", "--max-memory", "12")
    head = b"POST /v2/models/double/infer HTTP/1.1\r\nHost: a\r\nContent-Length: 8000000\r\n\r\n"
    with server.connect() as first, server.connect() as second:
        first.sendall(head + b" " * 7_000_000)
        second.sendall(head)
        refused = False
        try:
            for _ in range(70):
                second.sendall(b" " * 100_000)
        except OSError:
            refused = True
        second.settimeout(5)
        try:
            refused |= second.recv(100).startswith(b"HTTP/1.1 503")
        except OSError:
            refused = True
        assert refused
    assert wait_for(lambda: b"tenfold_request_memory_bytes 0\n" in request(server, "GET", "/metrics")[1])


def test_slow_clients_are_dropped(model, serve):
    server = serve(model, "--timeout", "1")
    with server.connect() as drips, server.connect() as stalls, server.connect(server.grpc) as silent:
        stalls.sendall(b"POST /v2/models/double/infer HTTP/1.1\r\nHost: a\r\nContent-Length: 100\r\n\r\n{")
        silent.sendall(b"PRI")
        dropped = False
        drips.settimeout(0.2)
        for _ in range(100):  # a header that never ends
            try:
                drips.sendall(b"G")
                dropped = drips.recv(10) == b""
            except TimeoutError:
                continue
            except OSError:
                dropped = True
            if dropped:
                break
        assert dropped
        stalls.settimeout(10)
        assert stalls.recv(10) == b""
    assert request(server, "GET", "/v2/health/live")[0].status == 200


def test_many_idle_connections(model, serve):
    server = serve(model, "--max-connections", "1100")
    clients = [server.connect() for _ in range(1000)]
    try:
        assert infer(server, "double", BODY)[0].status == 200
        more = [server.connect() for _ in range(150)]
        wait_for(lambda: b"tenfold_connections_refused_total 0\n" not in ask_on(clients[0]))
        for client in more:
            client.close()
    finally:
        for client in clients:
            client.close()
    assert wait_for(lambda: infer_or_none(server))


def ask_on(client) -> bytes:
    client.sendall(b"GET /metrics HTTP/1.1\r\nHost: a\r\n\r\n")
    return client.recv(1 << 20)


def infer_or_none(server):
    try:
        return infer(server, "double", BODY)[0].status == 200
    except OSError:
        return None


def frame(kind: int, flags: int, stream: int, payload: bytes = b"") -> bytes:
    return struct.pack(">I", len(payload))[1:] + bytes([kind, flags]) + struct.pack(">I", stream) + payload


PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + frame(4, 0, 0)
# :method POST, :scheme http, :authority a, :path /x, content-type application/grpc; literals without indexing
HEADERS = b"\x83\x86\x01\x01a" + b"\x04\x02/x" + b"\x0f\x10\x10application/grpc"


def test_reset_flood_is_cut_off(model, serve):
    server = serve(model)
    flood = b"".join(frame(1, 4, i, HEADERS) + frame(3, 0, i, struct.pack(">I", 8)) for i in range(1, 4001, 2))
    answer = server.ask(PREFACE + flood, server.grpc)
    assert b"\x00\x00\x00\x0b" in answer  # ENHANCE_YOUR_CALM
    assert b"tenfold_floods_total 1\n" in request(server, "GET", "/metrics")[1]


@pytest.mark.parametrize(
    "data",
    [
        PREFACE + frame(6, 0, 0, bytes(8)) * 3000,  # pings
        PREFACE + frame(4, 0, 0) * 3000,  # settings
        PREFACE + frame(1, 4, 1, b"\xff" * 1000),  # headers that cannot be decoded
        PREFACE + frame(0, 0, 1, b"data without headers"),
        PREFACE
        + frame(1, 0, 1, HEADERS)
        + frame(9, 0, 1, b"\x00\x01a\x7f\x80\x80\x80" + b"a" * 9000) * 50,  # CONTINUATION
        PREFACE + b"\xff" * 5000,
        PREFACE[:30] + b"nonsense" * 100,
        PREFACE + frame(1, 4, 1, HEADERS) + frame(0, 1, 1, b"\x00\xff\xff\xff\xff"),  # a message of 4 GiB
        PREFACE + frame(1, 4, 1, HEADERS) + frame(0, 1, 1, b"\x01\x00\x00\x00\x00"),  # said to be compressed
        PREFACE + frame(1, 4, 1, HEADERS) + frame(0, 1, 1, b"\x00\x00"),
    ],
)
def test_broken_http2(shared_server, data):
    with shared_server.connect(shared_server.grpc) as client:
        try:
            client.sendall(data)
            client.settimeout(0.3)
            client.recv(65536)
        except OSError:
            pass
    assert shared_server.alive() and request(shared_server, "GET", "/v2/health/live")[0].status == 200


def test_full_queue_and_deadlines(slow, serve):
    server = serve(slow, "--threads", "1", "--queue", "2")
    done = []
    threads = [
        threading.Thread(target=lambda: done.append(infer(server, "slow", slow_body(LONG))[0].status)) for _ in range(6)
    ]
    threads[0].start()
    wait_for(lambda: b"tenfold_running 1\n" in request(server, "GET", "/metrics")[1])
    for thread in threads[1:]:
        thread.start()
    # Of six, one runs and two wait; the others are refused at once.
    wait_for(lambda: done.count(503) == 3)
    assert b"tenfold_queue_depth 2\n" in request(server, "GET", "/metrics")[1]
    for thread in threads:
        thread.join()
    assert sorted(done) == [200, 200, 200, 503, 503, 503]


def test_deadline_of_a_request_that_waits(slow, serve):
    server = serve(slow, "--threads", "1")
    first = threading.Thread(target=infer, args=(server, "slow", slow_body(LONG)))
    first.start()
    wait_for(lambda: b"tenfold_running 1\n" in request(server, "GET", "/metrics")[1])
    response, data = infer(server, "slow", slow_body(1, parameters={"timeout": 100_000}))
    assert response.status == 504 and b"deadline" in data
    triton = pytest.importorskip("tritonclient.grpc")
    inputs = [triton.InferInput("x", [], "FP32"), triton.InferInput("n", [], "INT64")]
    inputs[0].set_data_from_numpy(numpy.array(1, "f4"))
    inputs[1].set_data_from_numpy(numpy.array(1, "i8"))
    with pytest.raises(triton.InferenceServerException, match=r"(?i)deadline"):
        triton.InferenceServerClient(server.grpc).infer("slow", inputs, client_timeout=0.2)
    first.join()


def test_cancelled_requests_leave_the_queue(slow, serve):
    server = serve(slow, "--threads", "1")
    head = b"POST /v2/models/slow/infer HTTP/1.1\r\nHost: a\r\nContent-Length: %d\r\n\r\n"
    body = json.dumps(slow_body(LONG)).encode()
    clients = []
    for _ in range(4):
        clients.append(server.connect())
        clients[-1].sendall(head % len(body) + body)
    wait_for(lambda: b"tenfold_queue_depth 3\n" in request(server, "GET", "/metrics")[1])
    for client in clients:
        client.close()
    assert wait_for(lambda: b"tenfold_queue_depth 0\n" in request(server, "GET", "/metrics")[1])
    assert wait_for(lambda: b"tenfold_running 0\n" in request(server, "GET", "/metrics")[1], 60)


def test_drain_finishes_what_is_in_progress(slow, serve):
    server = serve(slow, "--drain", "180")
    done = []
    thread = threading.Thread(target=lambda: done.append(infer(server, "slow", slow_body(LONG))[0].status))
    thread.start()
    wait_for(lambda: b"tenfold_running 1\n" in request(server, "GET", "/metrics")[1])
    server.process.send_signal(signal.SIGTERM)
    wait_for(lambda: "stopping" in server.log.read_text())
    with pytest.raises(OSError):
        server.connect().recv(1)
    thread.join()
    assert done == [200] and server.process.wait(timeout=30) == 0


def test_client_killed_in_the_middle(model, serve):
    server = serve(model)
    for cut in range(0, 400, 37):
        data = b"POST /v2/models/double/infer HTTP/1.1\r\nHost: a\r\nContent-Length: %d\r\n\r\n" % len(BODY) + BODY
        with server.connect() as client:
            client.sendall(data[: min(cut, len(data))])
            client.setsockopt(1, 13, struct.pack("ii", 1, 0))  # SO_LINGER: close with a reset
    time.sleep(0.1)
    assert infer(server, "double", BODY)[0].status == 200
