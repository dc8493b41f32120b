"""What eager PyTorch raises while it runs is raised by torch.compile, on the device and by archives: the same type, at
the user's line. `make opinfo-errors` takes all cases, and OpInfo's error inputs, through all doors."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

torch = pytest.importorskip("torch")
tenfold = pytest.importorskip("tenfold")
common = pytest.importorskip("torch.testing._internal.common_methods_invocations")
sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "opinfo"))

import errors  # noqa: E402
from error_cases import cases  # noqa: E402

CASES = cases()
ENTRIES = ["gather", "index_select", "linalg.lstsq", "masked_select", "scatter_add", "take", "trace"]
EVERYTHING = bool(os.environ.get("TENFOLD_TEST_ALL"))
LINE = Path(__file__).name


def doors(number: int) -> tuple[str, ...]:
    """All cases go over the device; the slower doors take turns."""
    if EVERYTHING:
        return errors.DOORS
    return ("device", *(("compile",) if number % 3 == 0 else ("archive",) if number % 6 == 1 else ()))


def test_there_are_enough() -> None:
    assert len(CASES) >= 200
    assert len({case.name for case in CASES}) == len(CASES)


@pytest.mark.parametrize("number", range(len(CASES)), ids=lambda i: CASES[i].name)
def test_case(number: int) -> None:
    case = CASES[number]
    call = errors.Call(case.function, (case.tensors, {}))
    assert errors.raised_by(lambda: call(*call.copies())) is not None, "eager mode does not raise"
    assert list(errors.failures(call, doors(number))) == []


@pytest.mark.parametrize("name", ENTRIES)
def test_error_inputs(name: str) -> None:
    entry = next(e for e in common.op_db if e.full_name == name)
    tried = 0
    for text, call in errors.error_calls(entry):
        tried += 1
        assert list(errors.failures(call, ("compile", "device"))) == [], text
    assert tried


def lookup(x: torch.Tensor, i: torch.Tensor) -> torch.Tensor:
    return x[i] + 1


def assert_silently(x: torch.Tensor) -> torch.Tensor:
    torch._assert_async(x.sum() > 100)
    return x + 1


X, BAD = torch.arange(5.0), torch.tensor([1, 7])


def test_assertion_without_a_message() -> None:
    """AOTAutograd drops it, and so do its own backends; we keep it."""
    compiled = torch.compile(assert_silently, backend="tenfold")
    with pytest.raises(RuntimeError, match="Expected Tensor with single nonzero value, but got zero"):
        compiled(X)
    assert torch.equal(compiled(X * 100), X * 100 + 1)


def test_message_names_op_value_and_line() -> None:
    line = lookup.__code__.co_firstlineno + 1
    torch._dynamo.reset()
    for call in (
        lambda: torch.compile(lookup, backend="tenfold")(X, BAD),
        lambda: lookup(X.to("tenfold"), BAD.to("tenfold")).cpu(),
    ):
        with pytest.raises(IndexError) as raised:
            call()
        text = str(raised.value)
        assert f"{LINE}:{line}" in text
        assert "index 7 is out of bounds for dimension 0 with size 5 (aten.index.Tensor)" in text
        assert isinstance(raised.value, tenfold.Error)


def test_off_by_the_users_word(monkeypatch: pytest.MonkeyPatch) -> None:
    torch._dynamo.reset()
    unchecked = torch.compile(lookup, backend="tenfold", options={"checks": False})
    assert unchecked(X, BAD).tolist() == [2.0, 5.0]  # clamped
    with pytest.raises(torch._dynamo.exc.BackendCompilerFailed, match="checks must be True or False"):
        torch._dynamo.reset()
        torch.compile(lookup, backend="tenfold", options={"checks": "no"})(X, BAD)
    torch._dynamo.reset()
    monkeypatch.setenv("TENFOLD_CHECKS", "off")
    assert torch.compile(lookup, backend="tenfold")(X, BAD).tolist() == [2.0, 5.0]


def test_off_on_the_device() -> None:
    """A process of its own: enable() is for good."""
    code = """
import tenfold, torch
x, i = torch.arange(5.0), torch.tensor([1, 7])
tenfold.enable(checks={checks})
print((x.to("tenfold")[i.to("tenfold")] + 1).cpu().tolist())
"""
    outcomes = [
        subprocess.run([sys.executable, "-c", code.format(checks=checks)], capture_output=True, text=True, timeout=300)
        for checks in (False, True)
    ]
    assert outcomes[0].stdout.strip() == "[2.0, 5.0]", outcomes[0].stderr  # clamped
    assert outcomes[1].returncode != 0
    assert "index 7 is out of bounds" in outcomes[1].stderr


def test_strided_scatter_outside_of_memory() -> None:
    x, y = torch.zeros(4, 4), torch.ones(2, 2)
    inside = torch.as_strided_scatter(x.to("tenfold"), y.to("tenfold"), (2, 2), (4, 1), 5).cpu()
    assert torch.equal(inside, torch.as_strided_scatter(x, y, (2, 2), (4, 1), 5))
    for size, stride, offset in (((2, 2), (400, 1), 0), ((2, 2), (4, 1), 11)):
        for device in ("cpu", "tenfold"):
            with pytest.raises(RuntimeError, match="storage"):
                torch.as_strided_scatter(x.to(device), y.to(device), size, stride, offset)


def test_archive_through_every_door(tmp_path: Path) -> None:
    class Lookup(torch.nn.Module):
        def forward(self, x, i):
            return lookup(x, i)

    path = tmp_path / "lookup.pt2"
    torch.export.save(torch.export.export(Lookup(), (X, torch.tensor([1, 2])), strict=False), path)
    with pytest.raises(IndexError, match="index 7 is out of bounds"):
        tenfold.run(path, X, BAD)
    with pytest.raises(IndexError, match="index 7 is out of bounds"):
        tenfold.run(path, X, BAD, device="interp")
    text = tenfold.show(path)
    assert "@tenfold.assert" in text


def test_training_stops_and_goes_on() -> None:
    """In torch.compile and on the device: a batch that is refused changes nothing, the next one trains."""
    for device in ("cpu", "tenfold"):
        torch._dynamo.reset()
        torch.manual_seed(0)
        model = torch.nn.Sequential(torch.nn.Embedding(5, 4), torch.nn.Linear(4, 3)).to(device)
        optimizer = torch.optim.SGD(model.parameters(), lr=0.1)

        def loss_of(x, y, model=model):
            return torch.nn.functional.cross_entropy(model(x), y)

        compute = torch.compile(loss_of, backend="tenfold") if device == "cpu" else loss_of

        def step(x, y, compute=compute, optimizer=optimizer, device=device):
            optimizer.zero_grad()
            loss = compute(torch.tensor(x, device=device), torch.tensor(y, device=device))
            loss.backward()
            optimizer.step()
            return loss.item()

        before = [p.detach().cpu().clone() for p in model.parameters()]
        for x, y in (([1, 5], [0, 1]), ([1, 2], [0, 3])):
            with pytest.raises(IndexError):
                step(x, y)
            for p, was in zip(model.parameters(), before, strict=True):
                assert torch.equal(p.detach().cpu(), was)
        first = step([1, 2], [0, -100])  # -100 is ignored
        assert step([1, 2], [0, -100]) < first


def test_failed_values_raise_again() -> None:
    failed = lookup(X.to("tenfold"), BAD.to("tenfold"))
    later = failed * 2
    for value in (failed, later, failed):
        with pytest.raises(IndexError):
            value.sum().item()
    assert lookup(X.to("tenfold"), torch.tensor([1, 2], device="tenfold")).tolist() == [2.0, 3.0]


def test_only_the_branch_that_runs() -> None:
    def choose(p, x, i):
        return torch.cond(p, lambda x, i: x[i], lambda x, i: x[:2] * 1, (x, i))

    torch._dynamo.reset()
    chosen = torch.compile(choose, backend="tenfold")
    assert chosen(torch.tensor(False), X, BAD).tolist() == [0.0, 1.0]
    with pytest.raises(IndexError):
        chosen(torch.tensor(True), X, BAD)


def test_state_given_away_is_as_it_was() -> None:
    """A check that depends on what is computed after a result was written: that does not take its input's place."""
    graph = """
    func.func @main(%x: tensor<4xf32> {tf.aliasing_output = 0 : i32}) -> tensor<4xf32> {
      %one = stablehlo.constant dense<1.0> : tensor<4xf32>
      %zero = stablehlo.constant dense<0.0> : tensor<f32>
      %y = stablehlo.add %x, %one : tensor<4xf32>
      %top = stablehlo.reduce(%y init: %zero) applies stablehlo.maximum across dimensions = [0]
        : (tensor<4xf32>, tensor<f32>) -> tensor<f32>
      %limit = stablehlo.constant dense<10.0> : tensor<f32>
      %ok = stablehlo.compare LT, %top, %limit : (tensor<f32>, tensor<f32>) -> tensor<i1>
      stablehlo.custom_call @tenfold.assert(%ok, %top) {has_side_effect = true, tenfold.exception = "RuntimeError",
        tenfold.message = "{} is too much", tenfold.place = ""} : (tensor<i1>, tensor<f32>) -> ()
      return %y : tensor<4xf32>
    }
    """
    made = tenfold._core.parse(graph).compile(donate=True)
    x = torch.tensor([1.0, 2.0, 3.0, 4.0])
    assert made.run([x])[0].tolist() == [2.0, 3.0, 4.0, 5.0]
    x = torch.tensor([1.0, 2.0, 3.0, 40.0])
    with pytest.raises(RuntimeError, match="41 is too much"):
        made.run([x])
    assert x.tolist() == [1.0, 2.0, 3.0, 40.0]


def test_large_indices_in_the_loop(tmp_path: Path) -> None:
    """A check of many indices is done by the loop that reads them, and sees all of them."""

    class Gather(torch.nn.Module):
        def forward(self, x, i):
            return x.gather(1, i) * 2

    x, i = torch.randn(256, 500), torch.randint(0, 500, (256, 500))
    path, compiled = tmp_path / "gather.pt2", tmp_path / "gather.ten"
    torch.export.save(torch.export.export(Gather(), (x, i)), path)
    assert "in 32 parts" in tenfold.show(path, "plan")  # the loop that gathers checks, too
    command = os.environ.get("TENFOLD", str(Path(__file__).resolve().parents[2] / "bin" / "tenfold"))
    subprocess.run([command, "compile", path, "-o", compiled], check=True, timeout=120)
    program = tenfold.load(path)
    np.save(tmp_path / "x.npy", x.numpy())
    for place in (None, 0, 64000, 127999):
        j = i.clone()
        if place is not None:
            j.view(-1)[place] = 500 if place else -1
        np.save(tmp_path / "i.npy", j.numpy())
        inputs = ["-i", tmp_path / "x.npy", "-i", tmp_path / "i.npy"]
        ran = subprocess.run([command, "run", compiled, *inputs], capture_output=True, text=True, timeout=120)
        assert ran.returncode == (0 if place is None else 1)
        if place is None:
            assert torch.equal(torch.from_dlpack(program(x, j)[0]), x.gather(1, j) * 2)
            continue
        assert f"index {500 if place else -1} is out of bounds for dimension 1 with size 500" in ran.stderr
        with pytest.raises(RuntimeError, match="is out of bounds for dimension 1 with size 500"):
            program(x, j)


def test_rows_of_indices_in_turns(tmp_path: Path) -> None:
    """Where an index names a row, the check runs part by part with the loop that reads the rows."""

    class Rows(torch.nn.Module):
        def forward(self, x, i):
            return x[i] * 2

    x, i = torch.randn(500, 3), torch.randint(0, 500, (1 << 15,))
    path = tmp_path / "rows.pt2"
    torch.export.save(torch.export.export(Rows(), (x, i)), path)
    assert "loops paired" in tenfold.show(path, "plan")
    program = tenfold.load(path)
    assert torch.equal(torch.from_dlpack(program(x, i)[0]), x[i] * 2)
    i[-1] = 500
    with pytest.raises(RuntimeError, match="index 500 is out of bounds for dimension 0 with size 500"):
        program(x, i)


@pytest.mark.parametrize("count", [3, 1000, 8191, 50000, 60013])
def test_every_element_is_checked(count: int) -> None:
    """One wrong element among `count`, wherever it is: of one of two indices, of a divisor, in place of its result."""

    def two(x, i, j):
        return x[i, j] + 1

    def divide(x, y):
        return (x + 1) // (y * 2)

    x, i, j = torch.randn(20, 30), torch.randint(-20, 20, (count,)), torch.randint(-30, 30, (count,))
    numbers = torch.randint(-50, 50, (count,))
    divisors = torch.where(numbers == 0, 7, numbers)
    compiled = torch.compile(two, backend="tenfold"), torch.compile(divide, backend="tenfold")
    assert torch.equal(compiled[0](x, i, j), two(x, i, j))
    assert torch.equal(compiled[1](numbers, divisors), divide(numbers, divisors))
    for place in {0, count // 2, count - 1}:
        wrong = i.clone(), j.clone(), divisors.clone()
        wrong[0][place], wrong[1][place], wrong[2][place] = -21, 30, 0
        with pytest.raises(IndexError, match="index -21 is out of bounds for dimension 0 with size 20"):
            compiled[0](x, wrong[0], j)
        with pytest.raises(IndexError, match="index 30 is out of bounds for dimension 1 with size 30"):
            compiled[0](x, i, wrong[1])
        with pytest.raises(IndexError, match="index -21 is out"):  # the first of two, as in eager mode
            compiled[0](x, wrong[0], wrong[1])
        with pytest.raises(RuntimeError, match="ZeroDivisionError"):
            compiled[1](numbers, wrong[2])


def test_more_dimensions_than_torch_has():
    """On the CPU amax over one is a RuntimeError; on the device the tensor is one itself."""
    many = torch.zeros([2] + [1] * 64)
    with pytest.raises(RuntimeError):
        many.amax(0)
    with pytest.raises(RuntimeError, match="a tensor of 65 dimensions; at most 64 are supported"):
        many.to("tenfold")
