"""Programs of clients in processes of their own: what they may take, and what happens when they take more."""

import os
import signal
import subprocess
from pathlib import Path

import numpy
import pytest
from conftest import SLOW, TENFOLD, wait_for
from test_device import Device, messages  # noqa: F401  (a fixture)
from test_rest import request

ADD = """func.func @main(%a: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.add %a, %a : tensor<4xf32>
  return %0 : tensor<4xf32>
}
"""


def children(server) -> list[int]:
    """The processes of the server's clients."""
    found = []
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            parts = path.read_text().rpartition(")")[2].split()
        except OSError:
            continue
        if int(parts[1]) == server.process.pid and parts[0] != "Z":
            found.append(int(path.parent.name))
    return found


def wide(rows: int) -> bytes:
    """A program that needs rows MiB to run in, and gives back four bytes."""
    wide, line = f"tensor<{rows}x262144xf32>", "tensor<262144xf32>"
    return f"""func.func @main(%a: tensor<4xf32>) -> tensor<f32> {{
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %i = stablehlo.iota dim = 0 : {line}
  %b = stablehlo.broadcast_in_dim %i, dims = [1] : ({line}) -> {wide}
  %s = "stablehlo.sort"(%b) <{{dimension = 0 : i64}}> ({{
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %c = stablehlo.compare LT, %x, %y : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  }}) : ({wide}) -> {wide}
  %r = stablehlo.reduce(%s init: %zero) applies stablehlo.add across dimensions = [0, 1]
    : ({wide}, tensor<f32>) -> tensor<f32>
  return %r : tensor<f32>
}}
""".encode()


def slow_arguments(device, steps: int) -> list:
    argument, tensor = device.messages("Argument"), device.messages("Tensor")
    return [
        argument(tensor=tensor(dtype="f32", data=numpy.float32(1).tobytes())),
        argument(tensor=tensor(dtype="i64", data=numpy.int64(steps).tobytes())),
    ]


def test_everything_works_in_a_process(serve, messages):  # noqa: F811
    server = serve("--allow-programs", "--isolate", "--max-arrays", "1", "--max-processes", "2")
    device = Device(server.grpc, messages)
    program = device("Compile", program=ADD.encode()).program
    x = numpy.arange(4, dtype="f4")
    array = device("Upload", tensor=device.tensor(x)).array
    argument = messages("Argument")
    done = device("Execute", program=program, arguments=[argument(array=array, donated=True)], stay=True)
    assert device("Download", array=done.results[0].array).tensor.data == (x * 2).tobytes()
    device.fails("NOT_FOUND", "Download", array=array)
    assert "--max-arrays" in device.fails("RESOURCE_EXHAUSTED", "Upload", tensor=device.tensor(numpy.zeros(1 << 18)))
    assert "<client>:1" in device.fails("INVALID_ARGUMENT", "Compile", program=b"func.func @main(")
    device.fails("INVALID_ARGUMENT", "Compile", program=b"\xff" * 100)
    assert device("Free").arrays_left == 1
    other = Device(server.grpc, messages)
    other.fails("NOT_FOUND", "Download", array=done.results[0].array)
    assert len(children(server)) == 2
    third = Device(server.grpc, messages)
    assert "--max-processes" in third.fails("RESOURCE_EXHAUSTED", "Free")
    for pid in children(server):
        status = Path(f"/proc/{pid}/status").read_text()
        assert "Seccomp:\t2" in status and "NoNewPrivs:\t1" in status
    other.channel.close()
    wait_for(lambda: len(children(server)) == 1)  # what a connection had goes with it
    wait_for(lambda: b"tenfold_processes 1\n" in request(server, "GET", "/metrics")[1])
    assert third("Free").arrays_left == 0
    assert b"tenfold_processes 2\n" in request(server, "GET", "/metrics")[1]


def test_program_that_runs_too_long(serve, messages):  # noqa: F811
    server = serve("--allow-programs", "--isolate", "--max-run", "1", "--threads", "2")
    device, other = Device(server.grpc, messages), Device(server.grpc, messages)
    program = device("Compile", program=SLOW.encode()).program
    text = device.fails("RESOURCE_EXHAUSTED", "Execute", program=program, arguments=slow_arguments(device, 1 << 50))
    assert "longer than 1 s (--max-run)" in text and "gone" in text
    assert other("Compile", program=ADD.encode()).inputs == 1  # nobody else is concerned
    again = Device(server.grpc, messages)
    done = again("Execute", program=again("Compile", program=SLOW.encode()).program, arguments=slow_arguments(again, 3))
    assert len(done.results) == 1
    assert server.alive()


def test_program_that_compiles_too_long(serve, messages):  # noqa: F811
    server = serve("--allow-programs", "--isolate", "--max-compile", "1", "--http", "off")
    device = Device(server.grpc, messages)
    steps = 200_000  # several seconds on any machine
    lines = ["func.func @main(%v0: tensor<4x4xf32>) -> tensor<4x4xf32> {"]
    for i in range(steps):
        op = ("sine", "exponential", "tanh", "cosine")[i % 4]
        lines.append(f"  %v{i + 1} = stablehlo.{op} %v{i} : tensor<4x4xf32>")
    lines += [f"  return %v{steps} : tensor<4x4xf32>", "}"]
    text = device.fails("RESOURCE_EXHAUSTED", "Compile", program="\n".join(lines).encode())
    assert "longer than 1 s (--max-compile)" in text
    assert server.alive()


@pytest.mark.parametrize("isolated", [False, True])
def test_program_that_needs_too_much_memory(serve, messages, isolated):  # noqa: F811
    more = ["--isolate"] if isolated else []
    server = serve("--allow-programs", "--max-program-memory", "64", "--http", "off", *more)
    device = Device(server.grpc, messages)
    assert device("Compile", program=wide(8)).outputs == 1
    assert "--max-program-memory" in device.fails("RESOURCE_EXHAUSTED", "Compile", program=wide(900))


def test_memory_that_nobody_could_foresee(serve, messages):  # noqa: F811
    """The interpreter does not say what it needs: the process is limited."""
    server = serve(
        "--allow-programs", "--isolate", "--device", "interp", "--max-program-memory", "1", "--max-arrays", "1",
        "--http", "off",
    )  # fmt: skip
    device = Device(server.grpc, messages)
    program = device("Compile", program=wide(4000)).program
    argument = messages("Argument")(tensor=device.tensor(numpy.zeros(4)))
    device.fails("RESOURCE_EXHAUSTED", "Execute", program=program, arguments=[argument])
    assert server.alive()


def test_process_that_dies(serve, messages):  # noqa: F811
    server = serve("--allow-programs", "--isolate", "--http", "off")
    device = Device(server.grpc, messages)
    device("Upload", tensor=device.tensor(numpy.zeros(4)))
    for pid in children(server):
        os.kill(pid, signal.SIGSEGV)
    text = device.fails("RESOURCE_EXHAUSTED", "Free")
    assert "signal 11" in text and "gone" in text
    assert Device(server.grpc, messages)("Free").arrays_left == 0


def test_client_that_goes_away_ends_its_program(serve, messages):  # noqa: F811
    server = serve("--allow-programs", "--isolate")
    device = Device(server.grpc, messages)
    program = device("Compile", program=SLOW.encode()).program
    call = device.channel.unary_unary("/tenfold.device.v1.Device/Execute").future(
        messages("ExecuteRequest")(program=program, arguments=slow_arguments(device, 1 << 50)).SerializeToString()
    )
    wait_for(lambda: b"tenfold_running 1\n" in request(server, "GET", "/metrics")[1])
    assert not call.done()  # one that nobody refers to is cancelled, perhaps before it runs
    device.channel.close()
    wait_for(lambda: b"tenfold_running 0\n" in request(server, "GET", "/metrics")[1])
    assert not children(server)


def test_isolation_takes_a_device_of_the_host():
    done = subprocess.run(
        [TENFOLD, "serve", "--allow-programs", "--isolate", "--device", "null", "--listen", "grpc://127.0.0.1:0"],
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.returncode == 1 and "--isolate goes with the devices cpu and interp" in done.stderr
