"""The remote device: programs compiled and run elsewhere, by the command, by torch.compile and by the bare service."""

import os
import signal
import subprocess

import numpy
import pytest
from conftest import ROOT, TENFOLD, wait_for

grpc = pytest.importorskip("grpc", reason="grpcio is not installed")
MLP = ROOT / "examples" / "mlp.mlir"


def tenfold(*arguments, **options):
    return subprocess.run([TENFOLD, *map(str, arguments)], capture_output=True, text=True, timeout=120, **options)


@pytest.fixture
def messages(tmp_path):
    """Python's classes of our own .proto file."""
    pytest.importorskip("google.protobuf")
    from google.protobuf import descriptor_pb2, descriptor_pool, message_factory

    path = tmp_path / "device.desc"
    proto = ROOT / "tools" / "serve" / "proto"
    subprocess.run(["protoc-c", f"--proto_path={proto}", f"--descriptor_set_out={path}", "device.proto"], check=True)
    files = descriptor_pb2.FileDescriptorSet.FromString(path.read_bytes())
    pool = descriptor_pool.DescriptorPool()
    pool.Add(files.file[0])

    def get(name):
        return message_factory.GetMessageClass(pool.FindMessageTypeByName(f"tenfold.device.v1.{name}"))

    return get


class Device:
    """The bare service."""

    def __init__(self, address, messages):
        self.channel = grpc.insecure_channel(address, options=[("grpc.use_local_subchannel_pool", 1)])
        self.messages = messages
        self.metadata = []

    def __call__(self, method, **fields):
        request = self.messages(f"{method}Request")(**fields)
        answer = self.messages(f"{method}Response")
        return self.channel.unary_unary(
            f"/tenfold.device.v1.Device/{method}", request.__class__.SerializeToString, answer.FromString
        )(request, timeout=30, metadata=self.metadata)

    def fails(self, code, method, **fields) -> str:
        with pytest.raises(grpc.RpcError) as caught:
            self(method, **fields)
        assert caught.value.code().name == code, caught.value
        return caught.value.details()

    def tensor(self, values):
        return self.messages("Tensor")(dtype="f32", dims=values.shape, data=values.astype("f4").tobytes())


def test_command(serve):
    server = serve("--allow-programs", "--http", "off")
    device = f"grpc://{server.grpc}"
    here, there = tenfold("run", MLP, "--random"), tenfold("run", MLP, "--random", "--device", device)
    assert here.returncode == there.returncode == 0 and here.stdout == there.stdout, there.stderr
    checked = tenfold("check", ROOT / "examples" / "checked.mlir", "--device", device)
    assert checked.stdout == "2 passed, 0 failed, 0 skipped\n", checked


@pytest.mark.parametrize("isolated", [False, True])
def test_compiled_program(serve, tmp_path, isolated):
    """Machine code is sent as it is, where the server says that it may be."""
    compiled = tmp_path / "mlp.ten"
    assert tenfold("compile", MLP, "-o", compiled).returncode == 0
    here = tenfold("run", compiled, "--random")
    more = ["--isolate"] if isolated else []
    server = serve("--allow-programs", "--allow-compiled", "--http", "off", "--access-log", "-", *more)
    there = tenfold("run", compiled, "--random", "--device", f"grpc://{server.grpc}")
    assert there.returncode == 0 and there.stdout == here.stdout, there
    assert "Device/Execute" in server.log.read_text()  # it ran there
    refused = serve("--allow-programs", "--http", "off", *more)
    done = tenfold("run", compiled, "--random", "--device", f"grpc://{refused.grpc}")
    assert done.returncode == 1 and "--allow-compiled" in done.stderr
    damaged = bytearray(compiled.read_bytes())
    damaged[len(damaged) // 2] ^= 255
    body = b"\x0a" + varint(len(damaged)) + bytes(damaged) + b"\x28\x01"
    with grpc.insecure_channel(server.grpc) as channel, pytest.raises(grpc.RpcError) as caught:
        channel.unary_unary("/tenfold.device.v1.Device/Compile")(body, timeout=60)
    assert caught.value.code().name == "INVALID_ARGUMENT", caught.value
    assert "go with --allow-programs" in tenfold("serve", MLP, "--allow-compiled").stderr


def varint(value: int) -> bytes:
    return bytes([value & 127 | 128]) + varint(value >> 7) if value > 127 else bytes([value])


def test_failing_check_and_wrong_program(serve, tmp_path):
    server = serve("--allow-programs", "--http", "off")
    wrong = tmp_path / "wrong.mlir"
    wrong.write_text((ROOT / "examples" / "checked.mlir").read_text().replace("22.0", "23.0"))
    done = tenfold("check", wrong, "--device", f"grpc://{server.grpc}")
    assert done.returncode == 1 and "got 2.200000e+01, want 2.300000e+01" in done.stdout, done


def test_refusals(serve, tmp_path):
    closed = serve(ROOT / "examples" / "double.mlir", "--http", "off")
    done = tenfold("run", MLP, "--random", "--device", f"grpc://{closed.grpc}")
    assert done.returncode != 0 and "--allow-programs" in done.stderr
    done = tenfold("run", MLP, "--random", "--device", "grpc://127.0.0.1:1")
    assert done.returncode != 0 and "cannot be reached" in done.stderr
    done = tenfold("run", MLP, "--random", "--device", "grpc://nonsense")
    assert done.returncode != 0 and "is no address" in done.stderr
    token = tmp_path / "token"
    token.write_text("0123456789abcdef0123\n")
    token.chmod(0o600)
    server = serve("--allow-programs", "--http", "off", "--token-file", token)

    for environment, code in ({}, 1), ({"TENFOLD_REMOTE_TOKEN_FILE": str(token)}, 0):
        done = tenfold("run", MLP, "--random", "--device", f"grpc://{server.grpc}", env=os.environ | environment)
        assert done.returncode == code, done.stderr


def test_tls(serve, tmp_path):

    from test_security import make_certificates

    folder = make_certificates(tmp_path)
    server = serve(
        "--allow-programs", "--http", "off", "--tls", folder / "server.pem", "--tls-key", folder / "server.key"
    )
    arguments = ["run", MLP, "--random", "--device", f"grpcs://{server.grpc}"]
    done = tenfold(*arguments)
    assert done.returncode != 0 and "TLS" in done.stderr  # nobody vouches for the certificate
    done = tenfold(*arguments, env=os.environ | {"TENFOLD_REMOTE_CA": str(folder / "ca.pem")})
    assert done.returncode == 0, done.stderr


def test_arrays_stay_there(serve, messages):
    server = serve("--allow-programs", "--http", "off", "--max-arrays", "1")
    device = Device(server.grpc, messages)
    assert device("Hello", oldest=1, newest=9).version == 1
    assert "version 1" in device.fails("UNIMPLEMENTED", "Hello", oldest=7, newest=9)
    text = "func.func @main(%a: tensor<3x3xf32>, %b: tensor<3x3xf32>) -> tensor<3x3xf32> {\n"
    text += "  %0 = stablehlo.add %a, %b : tensor<3x3xf32>\n  return %0 : tensor<3x3xf32>\n}\n"
    program = device("Compile", program=text.encode())
    assert (program.inputs, program.outputs) == (2, 1)
    x = numpy.arange(9, dtype="f4").reshape(3, 3)
    array = device("Upload", tensor=device.tensor(x)).array
    argument = messages("Argument")
    done = device(
        "Execute",
        program=program.program,
        arguments=[argument(array=array), argument(tensor=device.tensor(x))],
        stay=True,
    )
    assert not done.results[0].tensor.data and list(done.results[0].tensor.dims) == [3, 3]
    again = device(
        "Execute",
        program=program.program,
        arguments=[argument(array=done.results[0].array, donated=True), argument(array=array)],
    )
    assert numpy.array_equal(numpy.frombuffer(again.results[0].tensor.data, "f4").reshape(3, 3), x * 3)
    device.fails("NOT_FOUND", "Download", array=done.results[0].array)  # it was donated
    assert device("Download", array=array).tensor.data == x.tobytes()
    stranger = Device(server.grpc, messages)
    stranger.fails("NOT_FOUND", "Download", array=array)
    stranger.fails("NOT_FOUND", "Execute", program=program.program)
    left = device("Free", arrays=[array, array, 999], programs=[program.program])
    assert (left.arrays_left, left.bytes_left) == (0, 0)
    device.fails("NOT_FOUND", "Execute", program=program.program)
    large = device.tensor(numpy.zeros(1 << 18))
    device("Upload", tensor=large)
    assert "--max-arrays" in device.fails("RESOURCE_EXHAUSTED", "Upload", tensor=device.tensor(numpy.zeros(1)))
    for wrong in (
        messages("Tensor")(dtype="f32", dims=[3], data=b"abc"),
        messages("Tensor")(dtype="word", dims=[], data=b""),
        messages("Tensor")(dtype="f32", dims=[-1], data=b""),
        messages("Tensor")(dtype="i1", dims=[1], data=b"\x07"),
    ):
        device.fails("INVALID_ARGUMENT", "Upload", tensor=wrong)
    assert "<client>:1" in device.fails("INVALID_ARGUMENT", "Compile", program=b"func.func @main(")


def test_lost_connection(serve, tmp_path):
    """A server that dies is an error that says what was lost."""
    server = serve("--allow-programs", "--http", "off")
    slow = tmp_path / "slow.mlir"
    from conftest import SLOW

    slow.write_text(SLOW)
    numpy.save(tmp_path / "x.npy", numpy.float32(1))
    numpy.save(tmp_path / "n.npy", numpy.int64(2_000_000_000))
    client = subprocess.Popen(
        [TENFOLD, "run", slow, "--input", tmp_path / "x.npy", "--input", tmp_path / "n.npy", "--device", f"grpc://{server.grpc}"],
        stderr=subprocess.PIPE,
        text=True,
    )  # fmt: skip
    wait_for(lambda: len(list_connections(server)) > 0)
    server.stop(signal.SIGKILL)
    _, errors = client.communicate(timeout=30)
    assert client.returncode == 1 and "lost" in errors


def list_connections(server) -> list:
    path = f"/proc/{server.process.pid}/net/tcp"
    port = f":{int(server.grpc.rpartition(':')[2]):04X}"
    with open(path) as lines:
        return [line for line in lines if line.split()[1].endswith(port) and line.split()[3] == "01"]


def test_torch_compile(serve):
    torch = pytest.importorskip("torch")
    pytest.importorskip("tenfold")
    server = serve("--allow-programs", "--http", "off")
    net = torch.nn.Sequential(torch.nn.Linear(8, 4), torch.nn.ReLU()).eval()
    x = torch.randn(3, 8)
    with torch.no_grad():
        compiled = torch.compile(net, backend="tenfold", options={"device": f"grpc://{server.grpc}"})
        assert torch.allclose(compiled(x), net(x), atol=1e-6)


def test_programs_in_flight(serve, tmp_path):
    """Calls of several threads share a connection: two programs run at once, and a small one is not held up."""
    tenfold_package = pytest.importorskip("tenfold")
    import threading

    from conftest import SLOW
    from test_rest import request

    server = serve("--allow-programs", "--threads", "3")
    path = tmp_path / "slow.mlir"
    path.write_text(SLOW)
    program = tenfold_package.load(path, device=f"grpc://{server.grpc}")
    results = []

    def run(steps):
        results.append(program(numpy.array(1, "f4"), numpy.array(steps, "i8")))

    threads = [threading.Thread(target=run, args=(60_000_000,)) for _ in range(2)]
    for thread in threads:
        thread.start()
    wait_for(lambda: b"tenfold_running 2\n" in request(server, "GET", "/metrics")[1])
    run(1)
    assert len(results) == 1  # before the others
    for thread in threads:
        thread.join()
    assert len(results) == 3
    assert request(server, "GET", "/metrics")[1].count(b"tenfold_connections_total") == 3


def test_remote_arrays(serve, tmp_path):
    tenfold_package = pytest.importorskip("tenfold")
    from tenfold.remote import RemoteArray

    server = serve("--allow-programs", "--http", "off")
    device = tenfold_package.connect(f"grpc://{server.grpc}")
    values = numpy.random.default_rng(0).random((3, 3), "f4")
    x = RemoteArray(values, device)
    assert x.shape == (3, 3) and x.dtype == numpy.float32 and "grpc://" in repr(x)
    assert numpy.array_equal(x, values)
    assert numpy.array_equal(-(2 * x + x / 2 - x), -(2 * values + values / 2 - values))
    assert numpy.allclose(x @ x, values @ values, atol=1e-6)
    assert numpy.array_equal(x + device.array(values[0]), values + values[0])
    assert numpy.array_equal(device.array(numpy.arange(3)) - 1, [-1, 0, 1])
    assert device.left() == (1, 36)  # what is not referred to is gone
    for i in range(500):
        y = x + i
    assert device.left() == (2, 72) and numpy.array_equal(y, values + numpy.float32(499))
    told, large = [], numpy.random.default_rng(1).random((3, 1 << 19), "f4")
    y = device.array(large, progress=lambda done, all: told.append((done, all)))
    assert told and told == sorted(told) and told[-1][1] == large.nbytes
    told.clear()
    out = numpy.empty_like(large)
    assert y.numpy(progress=lambda done, all: told.append((done, all)), out=out) is out
    assert numpy.array_equal(out, large) and told[-1] == (large.nbytes, large.nbytes)
    with pytest.raises(ValueError, match="is needed"):
        y.numpy(out=numpy.empty(3, "f4"))
    given = device.array(values[0])
    same = "func.func @main(%a: tensor<3xf32>) -> tensor<3xf32> {\n  return %a : tensor<3xf32>\n}"
    assert numpy.array_equal(device.run(same, given, donate=[0])[0], values[0])
    with pytest.raises(ValueError, match="was donated"):
        given.numpy()
    with pytest.raises(ValueError, match="cannot be multiplied"):
        x @ device.array(numpy.ones(3, "f4"))
    with pytest.raises(TypeError, match="different types"):
        x + device.array(numpy.arange(3))
    static = tmp_path / "static.mlir"
    static.write_text((ROOT / "examples" / "double.mlir").read_text().replace("?x4", "2x4"))
    program = tenfold_package.load(static, device=f"grpc://{server.grpc}")
    assert numpy.array_equal(program(numpy.ones((2, 4), "f4"))[0], numpy.full((2, 4), 2, "f4"))
    server.stop(signal.SIGKILL)
    with pytest.raises(tenfold_package.Error, match="lost"):
        x.numpy()
    with pytest.raises(tenfold_package.Error, match="lost"):
        x.numpy()


def test_memory_of_a_freed_array_is_used_again(serve):
    """By the next array like it, whatever that has inside; and by no more than the client may have."""
    import tenfold

    device = tenfold.connect(f"grpc://{serve('--allow-programs', '--http', 'off', '--max-arrays', '6').grpc}")
    first, second = (numpy.full((1 << 20,), value, "f4") for value in (1, 2))
    array = device.array(first)
    del array
    array = device.array(second)
    assert numpy.array_equal(array.numpy(), second)
    del array
    larger = device.array(numpy.arange(6 << 18, dtype="f4"))  # with what was freed it would be more than there may be
    assert larger.numpy()[-1] == (6 << 18) - 1
    with pytest.raises(Exception, match="no room"):
        device.array(numpy.zeros(1 << 20, "f4"))


def test_freed_arrays_count_for_nothing(serve, tmp_path, messages):
    """A token's quota is of all its connections: memory that one has freed does not stay with it."""
    tokens = tmp_path / "tokens"
    tokens.write_text("0123456789abcdef0123 arrays=48\n")
    tokens.chmod(0o600)
    server = serve("--allow-programs", "--http", "off", "--token-file", tokens)
    size, part = 40 << 20, 1 << 20  # of an array that malloc gives back to the system

    def resident() -> int:
        with open(f"/proc/{server.process.pid}/statm") as file:
            return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")

    def upload(device) -> int:
        about = messages("Tensor")(dtype="ui8", dims=[size]).SerializeToString()
        parts = [b"\x0a" + varint(len(about)) + about] + [b"\x12" + varint(part) + bytes(part)] * (size // part)
        call = device.channel.stream_unary("/tenfold.device.v1.Device/UploadStream", None, None)
        return messages("UploadResponse").FromString(call(iter(parts), timeout=60, metadata=device.metadata)).array

    connections, before = [], resident()
    for _ in range(4):
        device = Device(server.grpc, messages)
        device.metadata = [("authorization", "Bearer 0123456789abcdef0123")]
        assert device("Free", arrays=[upload(device)]).bytes_left == 0
        connections.append(device)
    assert resident() - before < size
