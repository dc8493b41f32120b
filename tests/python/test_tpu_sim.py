"""`tenfold tpu-sim`: programs for TPUs find one, with its devices, its memory and its errors, and are reported on."""

from __future__ import annotations

import importlib.util
import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

ROOT = Path(__file__).resolve().parents[2]
COMMAND = os.environ.get("TENFOLD", str(ROOT / "bin" / "tenfold"))

import tenfold.tpu  # noqa: E402

try:
    tenfold.tpu.library()
except FileNotFoundError as missing:
    pytest.skip(str(missing), allow_module_level=True)


def simulate(program: str, folder: Path, *options: str) -> tuple[subprocess.CompletedProcess, dict]:
    (folder / "program.py").write_text(program)
    report = folder / "report.json"
    command = [COMMAND, "tpu-sim", "--report", report, *options, "--", sys.executable, folder / "program.py"]
    done = subprocess.run(
        command, env=os.environ | {"TENFOLD_PYTHON": sys.executable}, capture_output=True, text=True, timeout=600
    )
    return done, json.loads(report.read_text()) if report.exists() else {}


JAX = """
import jax, jax.numpy as jnp, numpy as np
import jax.scipy.linalg as linalg
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P

first = jax.devices()[5]
assert (jax.default_backend(), len(jax.devices()), first.device_kind) == ("tpu", 8, "TPU v5 lite")
assert (list(first.coords), first.core_on_chip) == ([1, 2, 0], 0)
mesh = Mesh(np.array(jax.devices()).reshape(2, 4), ("data", "model"))
x = np.arange(128, dtype=np.float32).reshape(16, 8)
w = np.ones((8, 8), np.float32)
f = jax.jit(lambda x, w: jnp.tanh(x @ w).sum(0))
sharded = f(jax.device_put(x, NamedSharding(mesh, P("data"))), jax.device_put(w, NamedSharding(mesh, P(None, "model"))))
np.testing.assert_allclose(sharded, np.tanh(x @ w).sum(0), rtol=1e-5)
f(x[:8], w)
total = jax.shard_map(lambda x: jax.lax.psum(x, "model"), mesh=mesh, in_specs=P("model"), out_specs=P())
np.testing.assert_allclose(jax.jit(total)(jnp.arange(8.0)), [12, 16])
a = np.random.RandomState(0).randn(5, 5).astype(np.float32)
np.testing.assert_allclose(jnp.linalg.eigvalsh(a + a.T), np.linalg.eigvalsh(a + a.T), atol=1e-4)
np.testing.assert_allclose(linalg.lu_solve(linalg.lu_factor(a), a @ np.ones(5, np.float32)), np.ones(5), atol=1e-3)
np.testing.assert_allclose(np.matmul(*jnp.linalg.qr(a)), a, atol=1e-5)
for best, sign in ((jax.lax.approx_max_k, -1), (jax.lax.approx_min_k, 1)):
    values, places = best(jnp.asarray(a), 2, reduction_dimension=0)
    np.testing.assert_allclose(values, sign * np.sort(sign * a, 0)[:2])
    np.testing.assert_array_equal(places, np.argsort(sign * a, 0)[:2])
z = (a.ravel()[:24] + 1j * np.arange(24)).astype(np.complex64)  # rounded as by XLA for TPUs: programs compare with it
most, least = (f(abs(z.real), abs(z.imag)) for f in (np.maximum, np.minimum))
np.testing.assert_array_equal(jnp.abs(z), most * np.sqrt(1 + (least / most) ** 2))
bounds = np.array([0, 3e38 + 1j, -np.inf + 1j, complex(0, np.inf), np.nan], np.complex64)
np.testing.assert_allclose(jnp.abs(bounds), np.abs(bounds), rtol=1e-6)
add_one = jax.jit(lambda x: x + 1, device=jax.devices()[0]).lower(jnp.float32(0)).compile().runtime_executable()
one = jax.device_put(np.float32([1]), jax.devices()[0])  # sizes count, not shapes, as in the TPU's runtime
assert add_one.execute_sharded([one]).disassemble_into_single_device_arrays()[0][0] == 2
print("all", f(x, w).sum())
"""


def test_jax_finds_the_simulated_tpu(tmp_path: Path):
    pytest.importorskip("jax")
    done, report = simulate(JAX, tmp_path, "--topology", "v5e:2x4")
    assert done.returncode == 0 and "all" in done.stdout, done.stderr
    assert report["topology"] == "v5e:2x4" and report["devices"] == 8 and report["programs"] < report["runs"] + 3
    again = [line for line in report["recompiles"] if "jit__lambda" in line]
    assert len(again) == 1 and "program.py:12" in again[0] and "operand 0: 8x8xf32 is now 16x8xf32" in again[0]
    assert report["host_copies"] > 0 and report["flops"] > 2 * 16 * 8 * 8
    assert "simulated TPU v5e:2x4: 8 devices" in done.stderr


@pytest.mark.parametrize(("topology", "chips"), [("v5e:2x2", 4), ("v5e:2x4", 8)])
def test_training_over_a_mesh_equals_one_chip(topology: str, chips: int):
    """Data, sharded weights, tensors, pipeline, and a pipeline with data."""
    pytest.importorskip("jax")
    program = ROOT / "tests" / "tpu" / "parallel.py"
    command = [COMMAND, "tpu-sim", "-q", "--topology", topology, "--", sys.executable, program]
    environment = os.environ | {"TENFOLD_PYTHON": sys.executable}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=600)
    assert done.returncode == 0 and done.stdout.count("same ") == 5, done.stdout + done.stderr[-2000:]
    assert done.stdout.count(f" on {chips} chips") == 5


DUMPED = """
import jax, jax.numpy as jnp, numpy as np
f = jax.jit(lambda x, y: (x @ y, x.sum(0) > 0), donate_argnums=0)
f(jnp.asarray(np.arange(12, dtype=np.float32).reshape(4, 3) - 6), jnp.ones((3, 2), jnp.float32))
"""


def test_programs_and_values_are_dumped(tmp_path: Path):
    pytest.importorskip("jax")
    done, _ = simulate(DUMPED, tmp_path, "--dump", tmp_path / "dump")
    assert done.returncode == 0, done.stderr
    program = next(p for p in (tmp_path / "dump").glob("*.mlir") if "dot_general" in p.read_text())
    values = {p.name.split(".", 2)[2]: p for p in (tmp_path / "dump").glob(f"run*.{program.stem}.*.npy")}
    assert sorted(values) == ["in0.npy", "in1.npy", "out0.npy", "out1.npy"]
    given = [word for name in ("in0.npy", "in1.npy") for word in ("--input", values[name])]
    subprocess.run([COMMAND, "run", program, *given, "--output", tmp_path / "again"], check=True, capture_output=True)
    for i in range(2):
        np.testing.assert_array_equal(np.load(tmp_path / "again" / f"{i}.npy"), np.load(values[f"out{i}.npy"]))
    judge = [sys.executable, ROOT / "tests" / "opinfo" / "xla.py", tmp_path / "dump"]
    told = subprocess.run(judge, env=os.environ | {"JAX_PLATFORMS": "cpu"}, capture_output=True, text=True)
    assert (told.returncode, told.stdout.strip()) == (0, ""), told.stderr
    np.save(values["out0.npy"], np.load(values["out0.npy"]) + 1)
    told = subprocess.run(judge, env=os.environ | {"JAX_PLATFORMS": "cpu"}, capture_output=True, text=True)
    assert told.returncode == 1 and "result 0: off by 1" in told.stdout


def test_memory_is_the_chips(tmp_path: Path):
    pytest.importorskip("jax")
    program = """
import jax, jax.numpy as jnp, numpy as np
print(jax.devices()[0].memory_stats()["bytes_limit"])
kept = jax.device_put(np.zeros(40 << 20, np.uint8))
for make in (lambda: jax.device_put(np.zeros(40 << 20, np.uint8)),
             lambda: jax.jit(lambda x: jnp.zeros(80 << 20, jnp.uint8) + x)(np.uint8(1)),
             lambda: jax.jit(lambda x: jnp.zeros(40 << 20, jnp.uint8) + x)(np.uint8(1))):
    try:
        make()
        print("it fits")
    except jax.errors.JaxRuntimeError as error:
        print(str(error)[:100])
del kept
jax.device_put(np.zeros(40 << 20, np.uint8))
"""
    done, report = simulate(program, tmp_path, "--hbm", "64")
    lines = done.stdout.splitlines()
    assert lines[0] == str(64 << 20), done.stderr
    assert lines[1].startswith("RESOURCE_EXHAUSTED: Error allocating device buffer: Attempting to allocate 0.04G.")
    assert lines[2].startswith("RESOURCE_EXHAUSTED: Ran out of memory in memory space hbm. Used 0.08G of 0.06G hbm.")
    assert lines[3].startswith("RESOURCE_EXHAUSTED: Error allocating device buffer")
    assert done.returncode == 0 and report["hbm_limit"] == 64 << 20
    assert len(report["errors"]) == 2 and "  refused    Error allocating device buffer" in done.stderr


def test_mosaic_kernels_are_refused_by_name(tmp_path: Path):
    pytest.importorskip("jax")
    program = """
import jax, jax.numpy as jnp
from jax.experimental import pallas as pl

def add(x, out):
    out[...] = x[...] + 1

shape = jax.ShapeDtypeStruct((8, 128), jnp.float32)
print(pl.pallas_call(add, out_shape=shape, interpret=True)(jnp.zeros((8, 128))).sum())
pl.pallas_call(add, out_shape=shape)(jnp.zeros((8, 128)))
"""
    done, _ = simulate(program, tmp_path)
    assert "1024.0" in done.stdout and done.returncode == 1
    assert "is a Mosaic kernel (Pallas)" in done.stderr and "interpret=True" in done.stderr


def test_precision_of_a_tpu(tmp_path: Path):
    pytest.importorskip("jax")
    program = "import jax.numpy as jnp\nx = jnp.full((64, 64), 1.001)\nprint(float((x @ x)[0, 0]))\n"
    exact, rounded = (float(simulate(program, tmp_path, "--precision", p)[0].stdout) for p in ("f32", "tpu"))
    assert abs(exact - 64 * 1.001**2) < 1e-3 and rounded == 64.0  # bfloat16 has no 1.001


def test_the_commands_status_and_wrong_use(tmp_path: Path):
    assert subprocess.run([COMMAND, "tpu-sim", "--", "sh", "-c", "exit 7"], capture_output=True).returncode == 7
    for words, message in (
        ([], "needs a command"),
        (["--topology", "v9:2x2", "--", sys.executable, "-c", "import jax; jax.devices()"], "no TPU 'v9:2x2'"),
        (["--precision", "f16", "--", "true"], "unknown precision 'f16'; use f32 or tpu"),
        (["--", "/no/such/program"], "/no/such/program: No such file"),
    ):
        environment = os.environ | {"TENFOLD_PYTHON": sys.executable}
        done = subprocess.run([COMMAND, "tpu-sim", *words], env=environment, capture_output=True, text=True)
        assert done.returncode != 0 and message in done.stderr, done.stderr


def test_not_next_to_the_device_tenfold():
    if importlib.util.find_spec("torch") is None:
        pytest.skip("PyTorch is not installed")
    # An installed torch_tpu would be loaded by `import torch`, and end the process where there is no TPU.
    environment = os.environ | {"TORCH_DEVICE_BACKEND_AUTOLOAD": "0"}
    program = "import torch, tenfold\ntenfold.tpu_sim('v5e:1x1')\n"
    done = subprocess.run([sys.executable, "-c", program], env=environment, capture_output=True, text=True, timeout=300)
    assert "device 'tenfold' is registered in this process" in done.stderr
    program = "import tenfold, warnings\nwarnings.simplefilter('error')\ntenfold.tpu_sim('v5e:1x1')\nimport torch\n"
    done = subprocess.run([sys.executable, "-c", program], env=environment, capture_output=True, text=True, timeout=300)
    assert 'no device "tenfold" under tpu-sim' in done.stderr


TORCH = """
import torch
from torch import nn

assert torch.accelerator.is_available() and torch.accelerator.current_accelerator().type == "tpu"


def train(device, compiled):
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 1)).to(device)
    x = torch.randn(32, 8).to(device)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    run = torch.compile(model, backend="tpu") if compiled else model
    losses = []
    for _ in range(3):
        loss = ((run(x) - x.sum(1, keepdim=True)) ** 2).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return torch.tensor(losses)


want = train("cpu", False)
torch.testing.assert_close(train("tpu", False), want, rtol=1e-4, atol=1e-5)
torch.testing.assert_close(train("tpu", True), want, rtol=1e-4, atol=1e-5)
a = torch.eye(3, device="tpu") + 1
torch.testing.assert_close(torch.linalg.solve(a, a).cpu(), torch.eye(3))
print("all")
"""


needs_torch_tpu = pytest.mark.skipif(
    importlib.util.find_spec("torch_tpu") is None,
    reason="torch_tpu is not installed (x86_64 only, 330 MB: pip install torch_tpu==0.2.0)",
)


@needs_torch_tpu
def test_torch_tpu_runs_unchanged(tmp_path: Path):
    done, report = simulate(TORCH, tmp_path)
    assert done.returncode == 0 and "all" in done.stdout, done.stderr
    assert any(line.endswith("program.py:20") and count == 6 for line, count in report["host_reads"].items())


@needs_torch_tpu
def test_a_model_trains_as_on_the_cpu(tmp_path: Path):
    """Attention, tied weights, compiled and not; scripts/test-tpu trains all eight models."""
    command = [COMMAND, "tpu-sim", "-q", "--", sys.executable, ROOT / "tests" / "tpu" / "models.py", "gpt2"]
    environment = os.environ | {"TENFOLD_PYTHON": sys.executable}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=900)
    assert done.returncode == 0 and done.stdout.count("same") == 2, done.stdout + done.stderr[-2000:]


@needs_torch_tpu
@pytest.mark.parametrize("name", ["spawn_mnist", "compiled"])
def test_a_program_of_torch_xla_is_proven_on_the_real_torch_tpu(tmp_path: Path, name: str):
    program = ROOT / "tests" / "migrate" / "xla" / f"{name}.py"
    environment = {k: v for k, v in os.environ.items() if k != "TENFOLD_STAND_IN"} | {"TENFOLD_PYTHON": sys.executable}
    command = [COMMAND, "migrate", "--target", "torch_tpu", "--verify", program, "-o", tmp_path / "out.py"]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=900)
    assert done.returncode == 0 and "proven (on torch_tpu, on a simulated TPU)" in done.stdout, (
        done.stdout + done.stderr
    )


@needs_torch_tpu
def test_migrate_verifies_on_the_real_torch_tpu(tmp_path: Path):
    program = ROOT / "tests" / "migrate" / "corpus" / "optimizer_first.py"
    environment = {k: v for k, v in os.environ.items() if k != "TENFOLD_STAND_IN"} | {"TENFOLD_PYTHON": sys.executable}
    command = [COMMAND, "migrate", "--target", "torch_tpu", "--verify", program, "-o", tmp_path / "out.py"]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=600)
    assert done.returncode == 0 and "proven (on torch_tpu, on a simulated TPU)" in done.stdout, (
        done.stdout + done.stderr
    )
