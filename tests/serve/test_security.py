"""Who is let in: addresses, tokens, certificates."""

import http.client
import ssl
import subprocess
import threading

import pytest
from conftest import AFFINE, TENFOLD, wait_for
from test_rest import request

TOKEN = "0123456789abcdef-token"


@pytest.fixture
def model(tmp_path):
    path = tmp_path / "double.mlir"
    path.write_text(AFFINE)
    return path


@pytest.fixture
def token_file(tmp_path):
    path = tmp_path / "tokens"
    path.write_text(f"# tokens\n{TOKEN}\nanother-token-0123456789\n")
    path.chmod(0o600)
    return path


def make_certificates(folder, days=30):
    """An authority, and a server's and a client's certificate by it."""

    def openssl(*arguments):
        subprocess.run(["openssl", *map(str, arguments)], check=True, capture_output=True, cwd=folder)

    openssl(
        "req",
        "-x509",
        "-newkey",
        "rsa:2048",
        "-nodes",
        "-keyout",
        "ca.key",
        "-out",
        "ca.pem",
        "-subj",
        "/CN=ca",
        "-days",
        30,
    )
    (folder / "names").write_text("subjectAltName=DNS:localhost,IP:127.0.0.1\n")
    for name in "server", "client":
        openssl(
            "req",
            "-newkey",
            "rsa:2048",
            "-nodes",
            "-keyout",
            f"{name}.key",
            "-out",
            f"{name}.csr",
            "-subj",
            f"/CN={name}",
        )
        openssl("x509", "-req", "-in", f"{name}.csr", "-CA", "ca.pem", "-CAkey", "ca.key", "-CAcreateserial", "-out",
                f"{name}.pem", "-days", days, "-extfile", "names")  # fmt: skip
    return folder


def refusal(*arguments) -> str:
    done = subprocess.run([TENFOLD, "serve", *map(str, arguments)], capture_output=True, text=True, timeout=60)
    assert done.returncode == 1, done
    return done.stderr


def test_public_address_takes_tls_and_token(model, token_file, serve, tmp_path):
    for option, address in ("--http", "0.0.0.0:0"), ("--listen", "grpc://[::]:0"):
        assert "--insecure" in refusal(model, option, address)
        assert "--insecure" in refusal(model, option, address, "--token-file", token_file)
    server = serve(model, "--http", "0.0.0.0:0", "--insecure")
    assert "WARNING" in server.log.read_text()
    token_file.chmod(0o644)
    assert "chmod 600" in refusal(model, "--token-file", token_file)
    short = tmp_path / "short"
    short.write_text("abc\n")
    short.chmod(0o600)
    assert "16 characters" in refusal(model, "--token-file", short)
    assert "go with --tls" in refusal(model, "--tls-key", token_file)
    assert "cannot be used" in refusal(model, "--tls", model)


def test_tokens(model, token_file, serve):
    server = serve(model, "--token-file", token_file, "--access-log", "-")
    for value, status in [
        (None, 401),
        ("", 401),
        ("Bearer ", 401),
        ("Bearer wrong-token-0123456789", 401),
        (f"Basic {TOKEN}", 401),
        (f"Bearer {TOKEN}x", 401),
        (f"Bearer {TOKEN[:-1]}", 401),
        (f"Bearer {TOKEN}", 200),
        (f"bearer {TOKEN}", 200),
        ("Bearer another-token-0123456789", 200),
    ]:
        headers = {} if value is None else {"Authorization": value}
        for path in "/v2", "/metrics", "/":
            assert request(server, "GET", path, headers=headers)[0].status == status, (value, path)
    assert request(server, "GET", "/v2/health/live")[0].status == 200  # for probes
    assert TOKEN not in server.log.read_text()
    triton = pytest.importorskip("tritonclient.grpc")
    client = triton.InferenceServerClient(server.grpc)
    with pytest.raises(triton.InferenceServerException, match="UNAUTHENTICATED"):
        client.is_server_live()
    assert client.is_server_live(headers={"authorization": f"Bearer {TOKEN}"})


def test_quotas_of_tokens(model, serve, tmp_path):
    """Each token has its own; what is refused is said by status and text."""
    path = tmp_path / "quotas"
    path.write_text(f"{TOKEN} requests=3\nfree-token-0123456789\n")
    path.chmod(0o600)
    server = serve(model, "--token-file", path, "--allow-programs")

    def ask(token):
        return request(server, "GET", "/v2", headers={"Authorization": f"Bearer {token}"})

    head = f"GET /v2 HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer {TOKEN}\r\n"
    answers = server.ask((head + "\r\n").encode() * 11 + f"{head}Connection: close\r\n\r\n".encode())
    assert answers.startswith(b"HTTP/1.1 200") and 3 <= answers.count(b"HTTP/1.1 200") < 12
    assert answers.count(b"HTTP/1.1 429") and b"requests of a second are used up" in answers
    assert all(ask("free-token-0123456789")[0].status == 200 for _ in range(12))
    assert (
        b"tenfold_over_quota_total 0\n"
        not in request(server, "GET", "/metrics", headers={"Authorization": "Bearer free-token-0123456789"})[1]
    )
    for wrong in f"{TOKEN} requests", f"{TOKEN} requests=0", f"{TOKEN} tokens=3", f"{TOKEN} arrays=-1":
        path.write_text(wrong + "\n")
        assert "quota" in refusal(model, "--token-file", path)


def test_quotas_of_calls_and_arrays(model, serve, tmp_path):
    path = tmp_path / "quotas"
    path.write_text("another-token-0123456789  running=1 arrays=1\n")
    path.chmod(0o600)
    server = serve(model, "--token-file", path, "--allow-programs")
    grpc = pytest.importorskip("grpc")
    metadata = [("authorization", "Bearer another-token-0123456789")]
    device = "/tenfold.device.v1.Device/"

    def channel():
        return grpc.insecure_channel(server.grpc, options=[("grpc.use_local_subchannel_pool", 1)])

    with channel() as first, channel() as second:
        # One request in progress: an upload that is not finished.
        begun = threading.Event()

        def parts():
            yield b"\x0a\x05\x0a\x03f32"
            begun.wait(30)
            yield b"\x12\x04abcd"

        slow = first.stream_unary(device + "UploadStream").future(parts(), metadata=metadata, timeout=30)

        def refusal_of(call, data):
            try:
                call(data, metadata=metadata, timeout=30)
            except grpc.RpcError as error:
                return f"{error.code().name} {error.details()}"
            return None

        wait_for(
            lambda: "as it may have" in (refusal_of(second.unary_unary(device + "Hello"), b"\x08\x01\x10\x01") or "")
        )
        begun.set()
        slow.result()
        # The token's arrays count on all of its connections together.
        half = b"\x0a\x09\x0a\x03f32\x10\x80\x80\x08"  # 512 KiB
        data = b"\x12\x80\x80\x20" + bytes(1 << 19)

        def upload(channel):
            return refusal_of(channel.stream_unary(device + "UploadStream"), iter([half, data]))

        assert upload(first) is None
        assert upload(second).startswith("RESOURCE_EXHAUSTED no room")
        first.close()
        wait_for(lambda: upload(second) is None)


def test_another_token_on_the_same_connection(model, serve, token_file):
    grpc = pytest.importorskip("grpc")
    server = serve(model, "--token-file", token_file, "--allow-programs")
    with grpc.insecure_channel(server.grpc) as channel:
        free = channel.unary_unary("/tenfold.device.v1.Device/Free")
        assert free(b"", metadata=[("authorization", f"Bearer {TOKEN}")], timeout=20) == b""
        with pytest.raises(grpc.RpcError) as caught:
            free(b"", metadata=[("authorization", "Bearer another-token-0123456789")], timeout=20)
        assert caught.value.code().name == "PERMISSION_DENIED"


def test_tls_and_client_certificates(model, token_file, serve, tmp_path):
    folder = make_certificates(tmp_path)
    grpc = pytest.importorskip("grpc")
    tls = ["--tls", folder / "server.pem", "--tls-key", folder / "server.key"]
    server = serve(model, *tls)
    context = ssl.create_default_context(cafile=folder / "ca.pem")
    connection = http.client.HTTPSConnection(server.http, context=context, timeout=20)
    for _ in range(3):
        connection.request("GET", "/v2")
        assert connection.getresponse().read().startswith(b'{"name":"tenfold"')
    connection.close()
    assert not server.ask(b"GET /v2 HTTP/1.1\r\nHost: a\r\n\r\n").startswith(b"HTTP")  # not in the clear
    roots = (folder / "ca.pem").read_bytes()
    live = "/inference.GRPCInferenceService/ServerLive"
    with grpc.secure_channel(server.grpc, grpc.ssl_channel_credentials(roots)) as channel:
        assert channel.unary_unary(live)(b"", timeout=20) == b"\x08\x01"
    strict = serve(model, *tls, "--client-ca", folder / "ca.pem")
    with pytest.raises((ssl.SSLError, OSError, http.client.HTTPException)):
        connection = http.client.HTTPSConnection(strict.http, context=context, timeout=20)
        connection.request("GET", "/v2")
        connection.getresponse()
    context.load_cert_chain(folder / "client.pem", folder / "client.key")
    connection = http.client.HTTPSConnection(strict.http, context=context, timeout=20)
    connection.request("GET", "/v2")
    assert connection.getresponse().status == 200
    connection.close()


def test_large_answer_over_tls(model, serve, tmp_path):
    folder = make_certificates(tmp_path)
    triton = pytest.importorskip("tritonclient.grpc")
    import numpy

    server = serve(model, "--tls", folder / "server.pem", "--tls-key", folder / "server.key")
    client = triton.InferenceServerClient(server.grpc, ssl=True, root_certificates=str(folder / "ca.pem"))
    values = numpy.arange(1_000_000, dtype="f4").reshape(-1, 4)
    given = triton.InferInput("x", list(values.shape), "FP32")
    given.set_data_from_numpy(values)
    assert numpy.array_equal(client.infer("double", [given]).as_numpy("output0"), values * 2)
