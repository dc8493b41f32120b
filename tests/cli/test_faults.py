"""Fails the n-th allocation of each command in turn (tests/tools/faults.c): an error with a message, or the right
answer; never a signal, a hang, a wrong answer, half a file or litter.

`make test` tries a few allocations of each command, `make test-faults` (TENFOLD_TEST_FAULTS) every one that our own
code makes. What LLVM, libc and other libraries do without memory is theirs: docs/decisions/001-out-of-memory.md."""

import os
import shutil
import subprocess
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import pytest
from conftest import ROOT, tenfold

WHOLE = bool(os.environ.get("TENFOLD_TEST_FAULTS"))
FAULTS = Path(tenfold.path).resolve().parents[2] / "tests/tools/faults.so"

MODEL = """func.func @main(%x: tensor<2x3xf32>, %n: tensor<i32>) -> (tensor<2x4xf32>, tensor<2xf32>) {
  %w = stablehlo.constant dense<[[1., 2., 3., 4.], [5., 6., 7., 8.], [9., 1., 2., 3.]]> : tensor<3x4xf32>
  %zero = stablehlo.constant dense<0.> : tensor<f32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %y = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0]
      : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>
  %i = stablehlo.constant dense<0> : tensor<i32>
  %l:2 = stablehlo.while(%a = %i, %b = %y) : tensor<i32>, tensor<2x4xf32> cond {
    %c = stablehlo.compare LT, %a, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  } do {
    %d = stablehlo.add %a, %one : tensor<i32>
    %e = stablehlo.tanh %b : tensor<2x4xf32>
    stablehlo.return %d, %e : tensor<i32>, tensor<2x4xf32>
  }
  %s = stablehlo.reduce(%l#1 init: %zero) applies stablehlo.add across dimensions = [1]
      : (tensor<2x4xf32>, tensor<f32>) -> tensor<2xf32>
  return %l#1, %s : tensor<2x4xf32>, tensor<2xf32>
}
"""
CHECKS = """func.func @main() {
  %a = stablehlo.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %b = stablehlo.add %a, %a : tensor<2xf32>
  check.expect_eq_const %b, dense<[2.0, 4.0]> : tensor<2xf32>
  func.return
}
"""
# Compiling it takes long enough to be worth storing in the cache.
SLOW = "\n".join(
    [
        "func.func @main(%x0: tensor<8x48xf32>) -> tensor<8x48xf32> {",
        "  %z = stablehlo.constant dense<0.> : tensor<f32>",
    ]
    + [
        f"""  %t{i} = stablehlo.tanh %x{i} : tensor<8x48xf32>
  %s{i} = stablehlo.slice %t{i} [0:8, 0:{9 + i}] : (tensor<8x48xf32>) -> tensor<8x{9 + i}xf32>
  %r{i} = stablehlo.reduce(%s{i} init: %z) applies stablehlo.add across dimensions = [1]
      : (tensor<8x{9 + i}xf32>, tensor<f32>) -> tensor<8xf32>
  %b{i} = stablehlo.broadcast_in_dim %r{i}, dims = [0] : (tensor<8xf32>) -> tensor<8x48xf32>
  %x{i + 1} = stablehlo.add %t{i}, %b{i} : tensor<8x48xf32>"""
        for i in range(8)
    ]
    + ["  return %x8 : tensor<8x48xf32>", "}"]
)
SOURCE = """import torch

model = torch.nn.Linear(3, 4).cuda()
scaler = torch.cuda.amp.GradScaler()
for x in torch.utils.data.DataLoader(range(10)):
    with torch.cuda.amp.autocast():
        loss = model(x.cuda()).sum()
    print(loss.item())
"""


@dataclass
class Command:
    """`{in}` in an argument is the folder of inputs, `{out}` an empty one that the command writes to."""

    arguments: str
    environment: dict = field(default_factory=dict)
    before: str = ""  # a command that has filled the cache
    varies: bool = False  # what it prints tells how long it took, or what it found no memory for
    resume: str = ""  # a command that goes on from what is left, and ends where the first would have
    points: int = 5  # how many allocations `make test` tries


PLUGIN = Path(tenfold.path).resolve().parents[2] / "src/plugin/libtenfold_pjrt.so"
CACHE = {"TENFOLD_CACHE": "on"}
RUN = "-i {in}/x.npy -i {in}/n.npy"
TRAIN = "train {in}/linear.pt2 --data {in}/data.npz --loss mse --epochs 1 --save {out}/w.safetensors"
COMMANDS = {
    "run-interp": Command(f"run {{in}}/model.mlir {RUN} --device interp -o {{out}}/r"),
    "run-cpu": Command(f"run {{in}}/model.mlir {RUN} --device cpu -o {{out}}/r"),
    "run-pt2": Command("run {in}/linear.pt2 --random 3 --device interp"),
    "run-ten": Command(f"run {{in}}/model.ten {RUN}"),
    "run-plugin": Command(f"run {{in}}/model.mlir {RUN} --device pjrt:{PLUGIN}"),
    "run-cached": Command("run {in}/slow.mlir --random", CACHE, "run {in}/slow.mlir --random"),
    "run-stored": Command("run {in}/slow.mlir --random", CACHE),
    "compile-ten": Command("compile {in}/model.mlir -o {out}/model.ten"),
    "compile-so": Command("compile {in}/model.mlir -o {out}/model.so --header {out}/model.h"),
    "check": Command("check {in}/checks.mlir --device interp"),
    "show": Command("show {in}/linear.pt2"),
    "show-plan": Command("show {in}/model.mlir --stage plan"),
    "show-asm": Command("show {in}/model.mlir --stage asm"),
    "analyze": Command("analyze {in}/model.mlir --json --no-measure"),
    "opt": Command("opt {in}/model.mlir --pass=inline,fold,simplify,cse,dce"),
    "convert": Command("convert {in}/model.mlir -o {out}/model.mlirbc"),
    "convert-back": Command("convert {in}/model.mlirbc -o {out}/model.mlir"),
    "train": Command(TRAIN, varies=True, resume=TRAIN + " --resume {out}/w.safetensors"),
    "migrate": Command("migrate {in}/source.py -o {out}/migrated --report {out}/report.sarif", varies=True),
    "cache": Command("cache", CACHE, "run {in}/slow.mlir --random"),
    "cache-clear": Command("cache --clear", CACHE, "run {in}/slow.mlir --random"),
    "doctor": Command("doctor", varies=True, points=2),
    "devices": Command("devices", varies=True),
    "help": Command("help run"),
}


@pytest.fixture(scope="module")
def inputs(tmp_path_factory):
    folder = tmp_path_factory.mktemp("inputs")
    (folder / "model.mlir").write_text(MODEL)
    (folder / "slow.mlir").write_text(SLOW)
    (folder / "checks.mlir").write_text(CHECKS)
    (folder / "source.py").write_text(SOURCE)
    shutil.copy(ROOT / "fuzz/corpus/pt2/linear.pt2", folder)
    np.save(folder / "x.npy", np.linspace(-1, 1, 6, dtype="f4").reshape(2, 3))
    np.save(folder / "n.npy", np.int32(2))
    np.savez(folder / "data.npz", x=np.ones((4, 2), "f4"), y=np.zeros((4, 2), "f4"))
    assert tenfold("compile", folder / "model.mlir", "-o", folder / "model.ten").code == 0
    assert tenfold("convert", folder / "model.mlir", "-o", folder / "model.mlirbc").code == 0
    return folder


@dataclass
class Outcome:
    code: int
    out: str
    err: str
    files: dict  # name: contents
    count: int  # allocations


def run(command: Command, inputs: Path, folder: Path, at: int, stays: bool = False) -> Outcome:
    """The command with a fresh folder and cache, and its allocation `at` failing."""
    shutil.rmtree(folder, ignore_errors=True)
    out, cache, count = folder / "out", folder / "cache", folder / "count"
    out.mkdir(parents=True)
    environment = {**os.environ, "TENFOLD_CACHE": "off", "TENFOLD_CACHE_DIR": str(cache), "TENFOLD_THREADS": "2"}
    environment |= command.environment

    def words(text):
        return [tenfold.path, *text.replace("{in}", str(inputs)).replace("{out}", str(out)).split()]

    if command.before:
        made = inputs / "cache"
        if not made.exists():
            first = environment | {"TENFOLD_CACHE_DIR": str(made)}
            assert subprocess.run(words(command.before), capture_output=True, env=first).returncode == 0
            assert list(made.glob("*.ten"))
        shutil.copytree(made, cache)
    environment |= {"LD_PRELOAD": str(FAULTS), "TENFOLD_FAULT_AT": str(at), "TENFOLD_FAULT_COUNT": str(count)}
    if stays:
        environment["TENFOLD_FAULT_FROM"] = "1"
    done = subprocess.run(words(command.arguments), capture_output=True, text=True, timeout=120, env=environment)
    if command.resume and done.returncode and any(out.iterdir()):
        plain = {name: value for name, value in environment.items() if name != "LD_PRELOAD"}
        again = subprocess.run(words(command.resume), capture_output=True, text=True, timeout=120, env=plain)
        assert again.returncode == 0, (at, done, again)
    files = {str(path.relative_to(out)): path.read_bytes() for path in sorted(out.rglob("*")) if path.is_file()}
    litter = [path for path in (cache / "tmp").glob("*")] if cache.exists() else []
    assert not litter
    counted = int(count.read_text()) if count.exists() else -1
    return Outcome(done.returncode, done.stdout.replace(str(out), ""), done.stderr, files, counted)


def points(total: int, count: int):
    if WHOLE:
        return range(1, total + 1)
    return sorted({round(1 + (total - 1) * i / (count - 1)) for i in range(count)})


def check(command: Command, done: Outcome, usual: Outcome, at: int):
    where = f"allocation {at} of {usual.count}: {done}"
    assert done.code >= 0, where  # no signal
    if done.code == usual.code and (done.code == 0 or "emory" not in done.err):
        assert done.files == usual.files, where
        assert done.out == usual.out or command.varies, where
    else:
        assert done.code == 1, where
        assert "tenfold: " in done.err and "emory" in done.err, where
        whole = {name: data for name, data in done.files.items() if usual.files.get(name) == data}
        assert whole == done.files, where  # what is there is whole: no half of a file, no litter


@pytest.mark.skipif(not FAULTS.exists(), reason="tests/tools/faults.c is not built")
@pytest.mark.parametrize("name", COMMANDS)
def test_allocation_fails(name, inputs, tmp_path):
    command = COMMANDS[name]
    usual = run(command, inputs, tmp_path / "run", 0)
    assert usual.count > 0
    assert usual.code in (0, 1), usual
    for i, at in enumerate(points(usual.count, command.points)):
        for stays in (False, True) if WHOLE else (i % 2 == 1,):
            check(command, run(command, inputs, tmp_path / "run", at, stays), usual, at)
