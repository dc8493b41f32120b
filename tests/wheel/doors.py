"""Every way into an installed Tenfold, in an environment that has the wheels and nothing else of ours.

python doors.py DOOR…        (command, serve, torch, profile, migrate, library, jax)
"""

import ctypes
import json
import os
import re
import subprocess
import sys
import tempfile
import urllib.request
from pathlib import Path

BIN = Path(sys.executable).parent
EXAMPLES = Path(__file__).resolve().parent / "examples"


def package() -> Path:
    import tenfold

    return Path(tenfold.__file__).parent


def run(*words, **environment):
    """What a command prints. It finds nothing of ours but through its own place."""
    done = subprocess.run(
        [str(word) for word in words], capture_output=True, text=True, env=os.environ | environment, check=False
    )
    assert done.returncode == 0, f"{words}: exit status {done.returncode}\n{done.stdout}{done.stderr}"
    return done.stdout


def command():
    """The command: by its name, by -m, from a folder in which its own name is something else."""
    version = run(BIN / "tenfold", "version")
    assert re.match(r"tenfold \d+\.\d+\.\d+", version), version
    assert run(BIN / "python", "-m", "tenfold", "version") == version
    native = run(BIN / "tenfold", "run", EXAMPLES / "mlp.mlir", "--random", "--device", "cpu")
    interpreted = run(BIN / "tenfold", "run", EXAMPLES / "mlp.mlir", "--random", "--device", "interp")
    assert native.splitlines()[0] == interpreted.splitlines()[0], (native, interpreted)
    assert "2 passed, 0 failed" in run(BIN / "tenfold", "check", EXAMPLES / "checked.mlir")
    assert ".text" in run(BIN / "tenfold", "show", EXAMPLES / "mlp.mlir", "--stage", "asm")
    found = json.loads(run(BIN / "tenfold", "doctor", "--json"))
    assert "LLVM 19" in json.dumps(found), found
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "tenfold").mkdir()
        done = subprocess.run(
            ["tenfold", "show", str(EXAMPLES / "mlp.mlir"), "--stage", "llvm"],
            cwd=folder,
            env={"PATH": f"{package() / 'bin'}:/usr/bin:/bin"},
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        # Without a linker the message says what is missing.
        done = subprocess.run(
            [str(BIN / "tenfold"), "compile", str(EXAMPLES / "mlp.mlir"), "-o", f"{folder}/mlp.so"],
            capture_output=True,
            text=True,
            check=False,
        )
        assert "apt install binutils" in done.stderr, done.stderr


def certificate(folder):
    """Of this machine, made by the openssl that comes with the certificates of every root."""
    command = "req -x509 -newkey rsa:2048 -nodes -keyout key.pem -out cert.pem -subj /CN=here -days 2"
    words = [*command.split(), "-addext", "subjectAltName=IP:127.0.0.1"]
    subprocess.run(["openssl", *words], cwd=folder, check=True, capture_output=True)
    return ["--tls", f"{folder}/cert.pem", "--tls-key", f"{folder}/key.pem"]


def serve():
    """A model is asked over HTTP; the server is a device to the command, plain and with TLS."""
    model = EXAMPLES / "mlp.mlir"
    with tempfile.TemporaryDirectory() as folder:
        for secure in (False, True):
            words = ["--http", "off" if secure else "127.0.0.1:0", "--listen", "grpc://127.0.0.1:0", "--allow-programs"]
            words += certificate(folder) if secure else []
            server = subprocess.Popen([BIN / "tenfold", "serve", model, *words], stdout=subprocess.PIPE, text=True)
            try:
                said = [server.stdout.readline() for _ in range(1 if secure else 2)]
                found = [re.search(r"(https?|grpcs?)://\S+", line) for line in said]
                places = {address[1]: address[0] for address in found if address}
                if not secure:
                    with urllib.request.urlopen(f"{places['http']}/v2/models/mlp", timeout=60) as answer:
                        assert json.load(answer)["name"] == "mlp"
                device = places["grpcs" if secure else "grpc"]
                there = run(BIN / "tenfold", "run", model, "--random", "--device", device,
                            TENFOLD_REMOTE_CA=f"{folder}/cert.pem")  # fmt: skip
                assert there == run(BIN / "tenfold", "run", model, "--random"), (there, said)
            finally:
                server.terminate()
                assert server.wait(60) == 0


def torch():
    """torch.compile by the backend's name, and a gradient through it."""
    import torch

    torch.manual_seed(0)
    model = torch.nn.Sequential(torch.nn.Linear(16, 32), torch.nn.GELU(), torch.nn.Linear(32, 4))
    x = torch.randn(8, 16)
    compiled = torch.compile(model, backend="tenfold")
    torch.testing.assert_close(compiled(x), model(x))
    model(x).square().sum().backward()
    wanted = [p.grad.clone() for p in model.parameters()]
    model.zero_grad()
    compiled(x).square().sum().backward()
    for parameter, grad in zip(model.parameters(), wanted, strict=True):
        torch.testing.assert_close(parameter.grad, grad)
    import tenfold

    assert tenfold.devices()[0] == "cpu"
    with tempfile.TemporaryDirectory() as folder:
        archive = Path(folder) / "model.pt2"
        torch.export.save(torch.export.export(model, (x,)), archive)
        import numpy

        numpy.save(Path(folder) / "x.npy", x.numpy())
        run(BIN / "tenfold", "run", archive, "--input", f"{folder}/x.npy", "--output", f"{folder}/out")
        out = torch.from_numpy(numpy.load(Path(folder) / "out" / "0.npy"))
        torch.testing.assert_close(out, model(x).detach())


def profile():
    """What a Python program compiles and runs is seen from outside."""
    with tempfile.TemporaryDirectory() as folder:
        script = Path(folder) / "net.py"
        script.write_text(
            "import torch\n"
            "net = torch.compile(torch.nn.Linear(8, 2), backend='tenfold')\n"
            "with torch.no_grad():\n"
            "    net(torch.ones(3, 8))\n"
        )
        said = run(BIN / "tenfold", "profile", "--json", "--no-measure", "--", sys.executable, script)
        assert [program["runs"] for program in json.loads(said)["programs"]] == [1], said


PROGRAM = """import torch

model = torch.nn.Linear(4, 2).cuda()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for step in range(3):
    x = torch.ones(8, 4, device="cuda") * step
    loss = model(x).square().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print(float(loss))
"""


def migrate():
    """A CUDA program becomes an XLA program and runs as before; the command is the package's own."""
    import tenfold

    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / "train.py"
        source.write_text(PROGRAM)
        assert "torch_xla" in tenfold.migrate(source).text("train.py")
        said = run(BIN / "tenfold", "migrate", source, "--output", f"{folder}/out", "--verify")
        assert "torch_xla" in (Path(folder) / "out" / "train.py").read_text(), said


def library():
    """What a C program is built with: pkg-config's paths are there, and the library answers."""
    places = str(package() / "lib" / "pkgconfig")
    words = run("pkg-config", "--cflags", "--libs", "tenfold", PKG_CONFIG_PATH=places).split()
    include = next(word[2:] for word in words if word.startswith("-I"))
    assert (Path(include) / "tenfold" / "status.h").exists(), words
    libdir = next(word[2:] for word in words if word.startswith("-L"))
    assert "-ltenfold" in words
    tenfold = ctypes.CDLL(str(Path(libdir) / "libtenfold.so"))
    tenfold.ten_error.restype = ctypes.c_void_p
    tenfold.ten_status_text.restype = ctypes.c_char_p
    tenfold.ten_status_text.argtypes = [ctypes.c_void_p]
    status = tenfold.ten_error(1, b"wrong by %d", 3)
    assert b"wrong by 3" in tenfold.ten_status_text(status)
    tenfold.ten_status_free(ctypes.c_void_p(status))


def jax():
    """JAX finds the plugin by its entry point."""
    os.environ["JAX_PLATFORMS"] = "tenfold"
    import jax
    import jax.numpy as jnp

    assert jax.devices()[0].platform == "tenfold", jax.devices()
    x = jnp.arange(12.0).reshape(3, 4)
    value, gradient = jax.jit(jax.value_and_grad(lambda x: jnp.sum(jnp.tanh(x @ x.T))))(x)
    assert gradient.shape == (3, 4)
    assert float(value) > 0


DOORS = {door.__name__: door for door in (command, serve, torch, profile, migrate, library, jax)}

if __name__ == "__main__":
    for name in sys.argv[1:]:
        DOORS[name]()
        print(f"doors: {name} works", flush=True)
