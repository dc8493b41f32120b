"""The proof: original and migrated programs run and compared; and that it notices what is broken."""

import importlib.util
import json
import logging
import os
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("torch")
ROOT = Path(__file__).resolve().parents[2]
COMMAND = os.environ.get("TENFOLD", str(ROOT / "bin" / "tenfold"))
CORPUS = ROOT / "tests" / "migrate" / "corpus"

if (
    "no Python grammar"
    in subprocess.run([COMMAND, "migrate", "--diff", __file__], capture_output=True, text=True).stderr
):
    pytest.skip("this build has no Python grammar (scripts/fetch-grammar gets it)", allow_module_level=True)

import tenfold  # noqa: E402
from tenfold.migration import compare, prove, verify  # noqa: E402

PROGRAMS = ["optimizer_first.py", "linear_2016.py", "vae.py", "ddp_spawn.py", "notebook_regression.ipynb"]


@pytest.fixture(autouse=True)
def stand_in(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("TENFOLD", COMMAND)
    monkeypatch.setenv("TENFOLD_STAND_IN", "1")


def migrated(name: str, target: str, folder: Path) -> Path:
    out = folder / name
    assert subprocess.run([COMMAND, "migrate", "-q", "-t", target, CORPUS / name, "-o", out]).returncode == 0
    return out


@pytest.mark.parametrize("target", ["torch_xla", "torch_tpu"])
@pytest.mark.parametrize("name", PROGRAMS)
def test_does_the_same(name: str, target: str, tmp_path: Path):
    outcome = verify.verify(CORPUS / name, migrated(name, target, tmp_path), target, no_functions=True, limit=900)
    assert outcome.state == prove.PROVEN, outcome.verdicts


XLA = ROOT / "tests" / "migrate" / "xla"
XLA_PROGRAMS = sorted(str(path.relative_to(XLA)) for path in XLA.rglob("*.py"))
SOME = [] if os.environ.get("TENFOLD_TEST_ALL") else ["spawn_mnist.py", "ddp.py", "dropout_seed.py"]


@pytest.mark.parametrize("name", SOME or XLA_PROGRAMS)
def test_programs_of_torch_xla_do_the_same_on_torch_tpu(name: str, tmp_path: Path):
    subprocess.run([COMMAND, "migrate", "-q", "-t", "torch_tpu", XLA, "-o", tmp_path])
    text = (tmp_path / name).read_text()
    assert "torch_xla" not in text and "import torch_tpu" in text
    options = {"no_functions": name != "pkg_trainer/engine.py", "limit": 900}
    outcome = verify.verify(XLA / name, tmp_path / name, "torch_tpu", **options)
    assert outcome.state == prove.PROVEN, outcome.verdicts


BREAKS = {
    "a move": ("optimizer_first.py", ".to(torch_xla.device()), torch", ", torch"),
    "a step": ("optimizer_first.py", "    optimizer.step()\n", ""),
    "the parameters": ("optimizer_first.py", "torch.__future__.set_swap_module_params_on_conversion(True)\n", ""),
    "the order": (
        "optimizer_first.py",
        "    loss.backward()\n    optimizer.step()\n",
        "    optimizer.step()\n    loss.backward()\n",
    ),
    "the device's seed": ("vae.py", "torch_xla.manual_seed(7)\n", ""),
    "a printed value": ("linear_2016.py", "learning_rate = 1e-3", "learning_rate = 1e-4"),
}


@pytest.mark.parametrize("what", BREAKS)
def test_notices_what_is_broken(what: str, tmp_path: Path):
    name, good, bad = BREAKS[what]
    program = migrated(name, "torch_xla", tmp_path)
    text = program.read_text()
    assert good in text
    program.write_text(text.replace(good, bad))
    assert verify.verify(CORPUS / name, program, no_functions=True, limit=900).state == prove.DIFFERS


def test_functions_without_a_program(tmp_path: Path):
    source = tmp_path / "lib.py"
    source.write_text(
        "import torch\nfrom torch import nn\n\n\ndef scale(x, alpha=2.0):\n    return x.cuda() * alpha\n\n\n"
        "class Net(nn.Module):\n    def __init__(self, hidden: int = 8):\n        super().__init__()\n"
        "        self.layer = nn.Linear(4, hidden)\n\n"
        "    def forward(self, x):\n        return self.layer(x).relu()\n\n\n"
        "def mystery(thing):\n    return thing.frobnicate()\n"
    )
    out = tmp_path / "out.py"
    subprocess.run([COMMAND, "migrate", "-q", source, "-o", out], check=True)
    states = {v.name: v.state for v in verify.verify(source, out, limit=900).verdicts}
    assert states["scale"] == states["Net"] == prove.PROVEN
    assert states["mystery"] == prove.NOT_RUNNABLE


def test_tests_to_keep(tmp_path: Path):
    out = migrated("optimizer_first.py", "torch_xla", tmp_path)
    outcome = verify.verify(CORPUS / "optimizer_first.py", out, no_functions=True, limit=900)
    prove.write_tests(tmp_path / "tests", outcome, CORPUS / "optimizer_first.py", out, "torch_xla")
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", str(tmp_path / "tests")], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stdout


def test_from_python(tmp_path: Path):
    source = tmp_path / "kernel_code.py"
    source.write_text("import torch\nx = torch.zeros(2).cuda()\ns = torch.cuda.Stream()\n")
    result = tenfold.migrate(source)
    assert "torch_xla.device()" in result.text("kernel_code.py")
    assert [note["rule"] for note in result.needs_human] == [110]
    written = tenfold.TPUMigrator(source, level="error").execute(comments=True)
    assert Path(written).name == "kernel_code_tpu.py" and "# tenfold 102" in Path(written).read_text()
    assert "cuda" in source.read_text()


@pytest.mark.skipif(importlib.util.find_spec("torch_xla") is None, reason="torch_xla is not installed: make test-xla")
def test_on_the_real_torch_xla(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.delenv("TENFOLD_STAND_IN")
    outcome = verify.verify(
        CORPUS / "kmeans.py", migrated("kmeans.py", "torch_xla", tmp_path), no_functions=True, limit=900
    )
    assert outcome.state == prove.PROVEN, outcome.verdicts


def test_a_program_without_a_device_gets_one(tmp_path: Path):
    case = ROOT / "tests" / "migrate" / "cases" / "108-no-device"
    program = tmp_path / "before.py"
    program.write_text((case / "before.py").read_text() + "print(prediction.sum())\n")
    out = tmp_path / "out" / "before.py"
    assert subprocess.run([COMMAND, "migrate", "-q", program, "-o", out]).returncode == 0
    outcome = verify.verify(program, out, limit=900)
    assert outcome.state == prove.PROVEN, outcome.verdicts
    options = prove.defaults(limit=900)
    run = prove.record("torch_xla", out, out.parent, tmp_path / "work", options)
    assert run["events"]["device_ops"] > 100


def test_where_a_program_had_no_device_its_random_numbers_stay(tmp_path: Path):
    program = tmp_path / "noisy.py"
    program.write_text(
        "import torch\nfrom torch import nn\n\n"
        "model = nn.Sequential(nn.Linear(3, 8), nn.Dropout(0.5), nn.Linear(8, 1))\n"
        "optimizer = torch.optim.SGD(model.parameters(), lr=0.1)\n"
        "x, y = torch.randn(6, 3), torch.randn(6, 1)\n"
        "for _ in range(3):\n"
        "    loss = nn.functional.mse_loss(model(x), y)\n"
        "    optimizer.zero_grad()\n    loss.backward()\n    optimizer.step()\n    print(loss.item())\n"
    )
    out = tmp_path / "out" / "noisy.py"
    assert subprocess.run([COMMAND, "migrate", "-q", program, "-o", out]).returncode == 0
    assert "torch_xla.device()" in out.read_text()
    outcome = verify.verify(program, out, limit=900)
    assert outcome.state == prove.PROVEN, outcome.verdicts
    out.write_text(out.read_text().replace("nn.Dropout(0.5)", "nn.Dropout(0.4)"))
    assert verify.verify(program, out, limit=900).state == prove.DIFFERS


def test_where_a_printed_tensor_lives_is_no_difference():
    assert compare.text_difference("tensor([1, 2], device='cuda:0') a", "tensor([1, 2], device='xla:0') a", "") is None
    assert compare.text_difference("tensor([1, 2]) a", "tensor([1, 2], device='xla:0') a", "") is None
    assert compare.text_difference("tensor([1, 2]) a", "tensor([1, 3], device='xla:0') a", "")


def test_where_an_object_lies_in_memory_does_not_matter():
    a, b = (f"<{name} object at 0xffff8ec1{end}>" for name, end in (("AddBackward0", "e590"), ("AddBackward0", "75f0")))
    assert compare.text_difference(a, b, "") is None
    assert compare.text_difference(a, b.replace("Add", "Mul"), "")


PYNGUIN = """import sys
from pathlib import Path
out = Path(sys.argv[sys.argv.index("--output-path") + 1])
module = sys.argv[sys.argv.index("--module-name") + 1]
(out / f"test_{module}.py").write_text(
    f"import {module} as module_0\\n"
    "def test_case_0():\\n    assert module_0.twice(3) == 6.0\\n"
    "def test_case_1():\\n    assert module_0.twice(3) == 7.0\\n"
)
"""


@pytest.mark.parametrize("state", [prove.PROVEN, prove.DIFFERS])
def test_pynguins_tests_hold_for_both(state: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """A stand-in for pynguin too: the second test does not hold for the original, and so says nothing."""
    from tenfold.migration import pynguin_tests

    (tmp_path / "pynguin").mkdir()
    (tmp_path / "pynguin" / "__main__.py").write_text(PYNGUIN)
    (tmp_path / "pynguin" / "__init__.py").write_text("")
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(tmp_path), os.environ.get("PYTHONPATH", "")]))
    text = "import torch\n\n\ndef twice(x):\n    return (torch.tensor(float(x)).cuda() * 2).item()\n"
    original, out = tmp_path / "a" / "numbers_of.py", tmp_path / "b" / "numbers_of.py"
    original.parent.mkdir()
    original.write_text(text)
    assert subprocess.run([COMMAND, "migrate", "-q", original, "-o", out]).returncode == 0
    if state == prove.DIFFERS:
        out.write_text(out.read_text().replace("* 2", "* 3"))
    found, why = pynguin_tests.compare(original, out, "torch_xla", tmp_path / "work")
    assert found == state, why
    assert "test_case_0" in why if state == prove.DIFFERS else why.startswith("1 test")


def test_optimize_keeps_what_is_faster_and_proven(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    from tenfold.migration import optimize

    def seconds(self, program: Path) -> float:
        text = program.read_text()
        return 0.5 if "syncfree" in text else 2.0 if "float(" in text else 1.0

    monkeypatch.setattr(optimize.Bench, "_once", seconds)
    monkeypatch.setattr(optimize, "CANDIDATES", {name: name for name in ("defer-reads", "fused-optimizer")})
    out = migrated("vae.py", "torch_xla", tmp_path)
    options = prove.defaults(limit=900, no_functions=True)
    lines = list(optimize.optimize(CORPUS / "vae.py", out, "torch_xla", options))
    assert any("fused-optimizer" in line and "(-50.0 %); helps" in line for line in lines), lines
    assert lines[-1] == "optimize: kept, 50.0 % less time"
    assert "syncfree.Adam" in out.read_text()


def test_other_encodings_from_python(tmp_path: Path):
    source = tmp_path / "a.py"
    source.write_bytes(
        "# coding: latin-1\r\nimport torch\r\nx = torch.zeros(1).cuda()  # caf\xe9\r\n".encode("latin-1")
    )
    text = tenfold.migrate(source).text("a.py")
    assert text.endswith("x = torch.zeros(1).to(torch_xla.device())  # caf\xe9\r\n")
    assert prove.defined_in(source) == ([], False)


def test_rounding_is_no_difference_and_mistakes_are():
    import numpy as np

    def digest(*numbers):
        return ("tensor", "float32", (len(numbers),), np.array(numbers))

    # Adam moves by the sign of a gradient, however small: the third number has none to speak of.
    a = [{"grads": [digest(1.0, -2.0, 1e-9)], "params": [digest(0.9, 0.9, 0.9)]}]
    noise = [{"grads": [digest(1.0002, -2.0, -1e-9)], "params": [digest(0.9001, 0.9, 1.1)]}]
    wrong = [{"grads": [digest(1.0, -2.0, 1e-9)], "params": [digest(1.1, 0.9, 0.9)]}]
    assert compare.steps_difference(a, noise, compare.OTHER_MACHINE) is None
    assert "parameters after step 1" in compare.steps_difference(a, wrong, compare.OTHER_MACHINE)
    assert compare.steps_difference(a, noise, compare.RELATIVE)  # the stand-in is this machine: nothing is left out
    # A program that makes much of a rounding may be as far away, in the same tensor; not in another, nor farther.
    far = [{"grads": [digest(1.0, -2.03, 1e-9)], "params": [digest(0.9, 0.9, 0.9)]}]
    rounding = [{"grads": [digest(1.01, -2.0, 1e-9)], "params": [digest(0.9, 0.9, 0.9)]}]
    assert "gradients of step 1" in compare.steps_difference(a, far, compare.OTHER_MACHINE)
    assert compare.steps_difference(a, far, compare.OTHER_MACHINE, [a, rounding]) is None
    assert compare.steps_difference(a, far, compare.OTHER_MACHINE, [a, a])
    assert compare.steps_difference(a, wrong, compare.OTHER_MACHINE, [a, rounding])
    assert compare.steps_difference(a, far, compare.RELATIVE, [rounding])


@pytest.mark.parametrize(("before", "after"), [("", ""), ("momentum=0.9", "momentum=0.85")])
def test_autocast_hides_no_mistake(before: str, after: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """On the real device bfloat16 allows a lot; what it would hide shows when the two run again without it."""
    out = migrated("amp_resnet.py", "torch_xla", tmp_path)
    assert before in out.read_text()
    out.write_text(out.read_text().replace(before, after))
    monkeypatch.setattr(prove, "tolerance", lambda *_: compare.ROUNDED)
    seen = []
    plain = compare.compare_all
    monkeypatch.setattr(prove, "compare_all", lambda *given: seen.append(plain(*given)) or seen[-1])
    outcome = verify.verify(CORPUS / "amp_resnet.py", out, no_functions=True, limit=900)
    assert len(seen) == (3 if before else 2)  # as it is, without autocast, and with what rounding does in mind
    assert seen[0][0] is None  # near enough for bfloat16
    assert outcome.state == (prove.DIFFERS if before else prove.PROVEN), outcome.verdicts
    program = next(v for v in outcome.verdicts if v.name == "<program>")
    assert program.why.startswith("with autocast off: ") == bool(before)


def test_autocast_may_not_be_lost(tmp_path: Path):
    out = migrated("amp_resnet.py", "torch_xla", tmp_path)
    assert "enabled=use_amp" in out.read_text()
    out.write_text(out.read_text().replace("use_amp = True", "use_amp = False"))
    outcome = verify.verify(CORPUS / "amp_resnet.py", out, no_functions=True, limit=900)
    assert any("autocast is not on any more" in v.why for v in outcome.verdicts), outcome.verdicts


def test_replayed_dropout_is_the_cpus():
    import torch
    from tenfold.migration.replay import Replay

    x = torch.randn(5, 6, generator=torch.Generator().manual_seed(1))
    torch.manual_seed(3)
    wanted = torch.nn.functional.dropout(x, 0.3)
    mode = Replay()
    mode.seed(3)
    assert torch.equal(mode._dropout("cpu", x, 0.3), wanted)


@pytest.mark.parametrize(("rate", "train", "both_ways"), [(0.2, True, False), (0.2, False, True), (0.0, True, True)])
def test_recurrent_layers_draw_when_they_drop(rate: float, train: bool, both_ways: bool):
    import torch
    from tenfold.migration.replay import _draws

    x, hidden = torch.ones(3, 2, 4), (torch.zeros(2, 2, 4), torch.zeros(2, 2, 4))
    plain = (x, hidden, [x, x], True, 2, rate, train, both_ways, False)
    packed = (x, torch.ones(3), hidden, [x, x], True, 2, rate, train, both_ways)
    assert _draws("lstm", plain, {}) == _draws("lstm", packed, {}) == (rate > 0 and train)


def test_a_file_with_nothing_to_run_says_so(tmp_path: Path):
    (tmp_path / "settings.py").write_text("import torch\nRATE = 0.1\n")
    outcome = verify.verify(tmp_path / "settings.py", tmp_path / "settings.py")
    assert [v.state for v in outcome.verdicts] == [prove.NOT_RUNNABLE]
    assert "no function or class" in outcome.verdicts[0].why


def test_several_programs_at_a_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture):
    source, out = tmp_path / "source", tmp_path / "out"
    source.mkdir()
    (source / "helper.py").write_text("def double(x):\n    return x * 2\n")
    for number in range(3):  # each is a loop of another length, so that they do not end in order
        (source / f"p{number}.py").write_text(
            "import torch\nfrom helper import double\n"
            f"x = torch.ones(2).cuda()\nfor _ in range({3 - number}):\n    x = double(x)\nprint(x.sum().item())\n"
        )
    assert subprocess.run([COMMAND, "migrate", "-q", source, "-o", out]).returncode == 0
    (out / "p1.py").write_text((out / "p1.py").read_text().replace("torch.ones", "torch.zeros"))
    states = {}
    for jobs in ("1", "3"):
        report = tmp_path / f"{jobs}.json"
        arguments = ["verify", str(source), "--migrated", str(out), "--jobs", jobs]
        monkeypatch.setattr(sys, "argv", [*arguments, "--limit", "900", "--json", str(report)])
        assert verify.main() == 1
        states[jobs] = {Path(row["program"]).name: row["state"] for row in json.loads(report.read_text())}
        assert "p1.py: differs" in capsys.readouterr().out
    assert states["1"] == states["3"]
    assert {name for name, state in states["3"].items() if state == prove.DIFFERS} == {"p1.py", "helper.py"}
    assert states["3"]["p0.py"] == states["3"]["p2.py"] == prove.PROVEN


def test_a_run_that_hangs_is_killed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    program = tmp_path / "hangs.py"
    program.write_text("import signal, time\nsignal.signal(signal.SIGALRM, signal.SIG_IGN)\ntime.sleep(600)\n")
    plain = prove.server.run
    monkeypatch.setattr(prove.server, "run", lambda *given: plain(*given[:-1], 2.0))
    run = prove.record("cuda", program, tmp_path, tmp_path / "work", prove.defaults(limit=1))
    assert run["error"].startswith("the interpreter ended")


def test_what_lies_beside_the_package_is_not_importable(tmp_path: Path):
    program = tmp_path / "looks.py"  # the sources of JAX's plugin are in python/jax
    program.write_text("import importlib.util\nspec = importlib.util.find_spec('jax')\nprint(spec and spec.origin)\n")
    run = prove.record("cuda", program, tmp_path, tmp_path / "work", prove.defaults(limit=900))
    assert run["stdout"].strip() == "None" or run["stdout"].strip().endswith("__init__.py"), run


def test_which_programs_mention_torch_xla(tmp_path: Path):
    from tenfold.migration.record import mentions

    (tmp_path / "package").mkdir()
    texts = {"package/__init__.py": "", "package/a.py": "from . import b\n", "package/b.py": "import torch_xla\n"}
    texts |= {"one.py": "from package import a\n", "two.py": "import package.c, os\n", "three.py": "x = ("}
    for name, text in texts.items():
        (tmp_path / name).write_text(text)
    found = {name for name in texts if mentions(tmp_path / name, tmp_path, b"torch_xla")}
    assert found == {"package/a.py", "package/b.py", "one.py"}


@pytest.mark.parametrize(("argument", "error"), [("", "UnpicklingError"), (", weights_only=False", None)])
def test_loading_is_as_strict_as_pytorch(argument: str, error: str | None, tmp_path: Path):
    program = tmp_path / "load.py"
    program.write_text(
        "import numpy, torch\n"
        "torch.save({'w': torch.ones(2).cuda(), 'step': 3}, 'a.pt')\n"
        "print(torch.load('a.pt')['w'].device.type)\n"
        f"torch.save(numpy.ones(3), 'b.pt')\nprint(torch.load('b.pt'{argument}).sum())\n"
    )
    run = prove.record("cuda", program, tmp_path, tmp_path / "work", prove.defaults(limit=900))
    assert run["stdout"].startswith("cuda"), run
    assert (error in run["error"]) if error else run["error"] is None, run["error"]


def test_training_on_the_host_needs_no_sync(tmp_path: Path):
    program = tmp_path / "host.py"
    program.write_text(
        "import torch\nw = torch.zeros(1, requires_grad=True)\no = torch.optim.SGD([w], lr=0.1)\n"
        "for _ in range(3):\n    (w - 1).square().sum().backward()\n    o.step()\n    o.zero_grad()\nprint(w)\n"
    )
    outcome = verify.verify(program, program, limit=900)
    assert outcome.state == prove.PROVEN, outcome.verdicts


def test_types_of_device_tensors_have_the_devices_name(tmp_path: Path):
    program = tmp_path / "kinds.py"
    program.write_text(
        "import torch\n"
        "def kind(x):\n"
        "    if isinstance(x, torch.cuda.FloatTensor):\n"
        "        return torch.nn.parallel.data_parallel(torch.abs, x, [0])\n"
        "    return x if isinstance(x, torch.FloatTensor) else x * 3\n"
        "with torch.cuda.device(0):\n"
        "    x = -torch.ones(2).cuda()\n"
        "for y in (x, x.cpu(), x.long()):\n"
        "    print(kind(y).sum().item(), y.type() == 'torch.cuda.LongTensor', y.type())\n"
    )
    for target in ("torch_xla", "torch_tpu"):
        out = tmp_path / target / "kinds.py"
        subprocess.run([COMMAND, "migrate", "-q", "-t", target, program, "-o", out.parent])
        outcome = verify.verify(program, out, target)
        assert outcome.state == prove.PROVEN, outcome.verdicts


def test_a_notebooks_magics_are_left_out_and_nothing_else(tmp_path: Path):
    source = [
        "%matplotlib inline\n",
        "x = 3\n",
        "!ls (\n",
        "print('%d (' \n",
        "      %(x))\n",
        "?x\n",
        "y = x \\\n",
        " % 2",
    ]
    cells = [{"cell_type": "code", "source": source}, {"cell_type": "code", "source": "%%bash\nls\n"}]
    (tmp_path / "a.ipynb").write_text(json.dumps({"cells": cells}))
    program = prove.notebook_as_program(tmp_path / "a.ipynb", tmp_path / "work")
    assert program.read_text() == "x = 3\nprint('%d (' \n      %(x))\ny = x \\\n % 2\n"


INFERENCE = """import torch
from torch import nn

torch.manual_seed(0)
model = nn.Linear(4, 2).cuda()
with torch.inference_mode():
    print(model(torch.ones(1, 4).cuda()).sum().item())
"""


def test_inference_mode_fails_where_torch_xla_does(tmp_path: Path):
    original, out = tmp_path / "a.py", tmp_path / "out" / "a.py"
    original.write_text(INFERENCE)
    assert subprocess.run([COMMAND, "migrate", "-q", original, "-o", out]).returncode == 0
    assert verify.verify(original, out).state == prove.PROVEN
    out.write_text(out.read_text().replace("no_grad", "inference_mode"))
    outcome = verify.verify(original, out)
    assert outcome.state == prove.DIFFERS and "inference tensor" in outcome.verdicts[0].why


@pytest.mark.parametrize("call", ["torch.tpu.is_available()", "torch.tpu.synchronize()", "torch.tpu.empty_cache()"])
def test_torch_tpu_refuses_what_it_keeps_for_torch(call: str, tmp_path: Path):
    program = "import tenfold.migration.xla as s\ns.install('torch_tpu')\nimport torch\n" + call
    environment = os.environ | {"TENFOLD_DEVICE": "off"}
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, env=environment, timeout=300)
    assert "is internal to TorchTPU" in done.stderr or "has no attribute 'empty_cache'" in done.stderr, done.stderr


LACKS = """import torch
norm = torch.nn.BatchNorm1d(2).cuda()
x = torch.tensor([[1.0, 2.0], [5.0, 2.5]]).cuda().requires_grad_()
loss = torch.nn.functional.smooth_l1_loss(norm(x), torch.ones_like(x))
loss = loss + torch.nn.HuberLoss(delta=0.5)(x, torch.zeros_like(x))
loss.backward()
print(norm.running_mean.tolist(), norm.running_var.tolist(), int(norm.num_batches_tracked), x.grad.tolist())
"""


@pytest.mark.parametrize("rule", ["906", "907"])
def test_the_stand_in_lacks_what_torch_tpu_does(rule: str, tmp_path: Path):
    original, out = tmp_path / "a.py", tmp_path / "out" / "a.py"
    original.write_text(LACKS)
    for options, state in (("",), prove.PROVEN), (("--disable", rule), prove.DIFFERS):
        subprocess.run([COMMAND, "migrate", "-q", "-t", "torch_tpu", *filter(None, options), original, "-o", out])
        outcome = verify.verify(original, out, "torch_tpu", no_functions=True)
        assert outcome.state == state, outcome.verdicts
    assert rule == "906" or "smooth_l1_loss.out' is not implemented for TPU" in outcome.verdicts[0].why


def test_pytpus_own_call(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    source = tmp_path / "kernel_code.py"
    source.write_text("import torch\nx = torch.ones(2).cuda()\n")
    migrator = tenfold.TPUMigrator(str(source), level=logging.INFO)
    written = migrator.execute(comments=True, reformatter=False, optimize=False, genTestCases=False, PYNGUINPATH="")
    assert "torch_xla.device()" in Path(written).read_text()
    assert "102 cuda-method" in capsys.readouterr().out
    tenfold.TPUMigrator(str(source), level=logging.CRITICAL).execute()
    assert capsys.readouterr().out == ""
    with pytest.raises(ValueError, match="log level 'loud'"):
        tenfold.TPUMigrator(str(source), level="loud")


def test_kept_tests_hold_no_absolute_path(tmp_path: Path):
    outcome = prove.Outcome("a", [prove.Verdict("<program>", prove.PROVEN)])
    prove.write_tests(tmp_path / "tests", outcome, tmp_path / "a.py", tmp_path / "out" / "a.py", "torch_xla")
    text = (tmp_path / "tests" / "test_migrated_a.py").read_text()
    assert str(tmp_path) not in text and "HERE / '../out/a.py'" in text


def test_verify_of_a_file_under_another_name(tmp_path: Path):
    """Its functions are the original's, although they are in a file called differently."""
    program = ROOT / "tests" / "migrate" / "xla" / "spawn_mnist.py"
    command = [COMMAND, "migrate", "--target", "torch_tpu", "--verify", program, "-o", tmp_path / "out.py"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=600)
    assert done.returncode == 0 and "proven        train_mnist" in done.stdout, done.stdout + done.stderr


def test_verify_from_a_checkout_finds_its_package(tmp_path: Path):
    source = tmp_path / "a.py"
    source.write_text("import torch\nprint(torch.ones(2).cuda().sum().item())\n")
    environment = {k: v for k, v in os.environ.items() if k != "PYTHONPATH"} | {"TENFOLD_PYTHON": sys.executable}
    command = [os.path.realpath(COMMAND), "migrate", "--verify", source, "-o", tmp_path / "b.py"]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, cwd=tmp_path, timeout=300)
    assert done.returncode == 0 and "1 proven" in done.stdout, done.stdout + done.stderr
