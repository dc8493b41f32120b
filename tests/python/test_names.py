"""Names that a user gives and sees: devices, options, inputs, lines, and what repr() shows."""

from __future__ import annotations

import os

import pytest

torch = pytest.importorskip("torch")
np = pytest.importorskip("numpy")
tenfold = pytest.importorskip("tenfold")

PROGRAM = """
func.func @main(%x: tensor<3xf32>, %y: tensor<3xf32>) -> tensor<3xf32> {
  %0 = stablehlo.add %x, %y : tensor<3xf32>
  return %0 : tensor<3xf32>
}
"""


@pytest.fixture(autouse=True)
def fresh():
    torch._dynamo.reset()
    tenfold.reset_stats()
    yield
    tenfold.disable()


@pytest.fixture
def text(tmp_path):
    path = tmp_path / "add.mlir"
    path.write_text(PROGRAM)
    return path


@pytest.fixture(scope="module")
def archive(tmp_path_factory):
    class Two(torch.nn.Module):
        def forward(self, image, scale):
            return {"scaled": image * scale, "count": scale.sum()}

    path = tmp_path_factory.mktemp("names") / "two.pt2"
    batch = torch.export.Dim("batch")
    program = torch.export.export(
        Two(), (torch.ones(2, 3), torch.ones(3)), dynamic_shapes={"image": {0: batch}, "scale": None}
    )
    torch.export.save(program, path)
    return path


def double(x):
    y = x.sin()
    return y * 2


# ---- devices and options ----


@pytest.mark.parametrize("device", ["foobar", "rocm", "tenfold", "", None, 3])
def test_an_unknown_device_is_refused_by_torch_compile(device):
    run = torch.compile(double, backend="tenfold", options={"device": device})
    with pytest.raises(Exception, match=r"unknown device .*use 'cpu'"):
        run(torch.ones(3))


def test_the_nearest_device_is_named(text):
    with pytest.raises(ValueError, match=r"unknown device 'interpp'; did you mean 'interp'\? use 'cpu', 'interp'"):
        tenfold.load(text, device="interpp")


@pytest.mark.parametrize("device", ["foobar", "rocm"])
def test_an_unknown_device_is_refused_everywhere(device, text, archive):
    for refuse in (
        lambda: tenfold.enable(device=device),
        lambda: tenfold.load(text, device=device),
        lambda: tenfold.load(archive, device),
        lambda: tenfold.run(text, [1, 2, 3], [1, 2, 3], device=device),
        lambda: tenfold.load(text)._program.compile(device=device),
        lambda: tenfold.load(archive)._program.parts(None, device),
    ):
        with pytest.raises(ValueError, match=f"unknown device '{device}'.*'cpu'"):
            refuse()
    assert torch.nn.Module.__call__.__module__ != "tenfold.torch.switch"  # nothing was switched on


def test_unknown_options_are_refused():
    run = torch.compile(double, backend="tenfold", options={"devcie": "cpu"})
    with pytest.raises(Exception, match=r"unknown option 'devcie'; did you mean 'device'\?"):
        run(torch.ones(3))
    with pytest.raises(ValueError, match=r"unknown option 'optlevel'; did you mean 'opt_level'\?"):
        tenfold.enable(optlevel=1)


@pytest.mark.parametrize("index", ["tenfold:1", "tenfold:3"])
def test_another_lazy_device_is_refused(index):
    for refuse in (
        lambda: torch.empty(2, device=index),
        lambda: torch.zeros(2, device=index),
        lambda: torch.arange(3, device=index),
        lambda: torch.randn(2, device=index),
        lambda: torch.tensor([1.0], device=index),
        lambda: torch.ones(2).to(index),
        lambda: torch.ones(2, device="tenfold").to(index),
        lambda: torch.ones_like(torch.ones(2), device=index),
        lambda: torch.nn.Linear(2, 2).to(index),
        lambda: torch.nn.Linear(2, 2, device=index),
        lambda: torch.tenfold.set_device(index),
        lambda: torch.tenfold.get_device_name(index),
    ):
        with pytest.raises(RuntimeError, match=f"unknown device '{index}'; use 'tenfold' or 'tenfold:0'"):
            refuse()
    assert torch.ones(2, device="tenfold:0").sum().item() == 2


def test_a_device_that_cannot_be_opened_is_an_error():
    if "tpu" not in tenfold.devices() or os.path.exists("/dev/accel0") or os.path.exists("/dev/vfio/0"):
        pytest.skip("there may be a TPU")
    run = torch.compile(double, backend="tenfold", options={"device": "tpu"})
    with pytest.raises(Exception, match="while opening the device 'tpu'"):
        run(torch.ones(3))


def test_a_gpu_that_is_not_there_is_an_error():
    if os.path.exists("/dev/nvidiactl"):
        pytest.skip("there may be a GPU")
    run = torch.compile(double, backend="tenfold", options={"device": "cuda"})
    with pytest.raises(Exception, match=r"no NVIDIA driver was found(.|\n)*while opening the device 'cuda'"):
        run(torch.ones(3))


# ---- counts and lines ----


def test_runs_are_counted_under_torch_compile():
    run = torch.compile(double, backend="tenfold")
    for _ in range(3):
        run(torch.ones(3))
    assert tenfold.stats()["runs"] == 3
    tenfold.reset_stats()
    assert tenfold.stats()["runs"] == 0
    run(torch.ones(3))  # compiled before
    assert tenfold.stats()["runs"] == 1
    x = torch.ones(3, requires_grad=True)
    run(x).sum().backward()
    assert tenfold.stats()["runs"] == 3  # forward and backward
    assert "run 1 time" in tenfold.explain()


def test_explain_names_the_users_line():
    def own(function):
        return f"{__file__}:{function.__code__.co_firstlineno + 1}"

    x = torch.ones(3, requires_grad=True)
    torch.compile(double, backend="tenfold")(x).sum().backward()
    assert tenfold.explain().count(own(double)) >= 1
    tenfold.reset_stats()
    layers = torch.nn.Sequential(torch.nn.Linear(3, 3), torch.nn.ReLU())  # no line of the user's inside
    here = torch.compile(layers, backend="tenfold")

    def call():
        here(torch.ones(2, 3)).sum().backward()

    call()
    assert f"from {own(call)}" in tenfold.explain()
    tenfold.reset_stats()
    with tenfold.enable():

        def call_enabled():
            return layers(torch.ones(4, 3))

        call_enabled()
    shown = tenfold.explain()
    assert f"from {own(call_enabled)}" in shown
    assert "unknown line" not in shown and "switch.py" not in shown and "/torch/" not in shown


# ---- programs ----


def test_numbers_and_lists_are_inputs(text, archive):
    (sum_,) = tenfold.run(text, [1, 2, 3], (1, 1, 1))
    assert np.asarray(sum_).tolist() == [2, 3, 4] and np.asarray(sum_).dtype == np.float32
    scaled = tenfold.run(archive, image=[[1, 2, 3]], scale=np.ones(3, np.float32))[0]
    assert np.asarray(scaled).tolist() == [[1, 2, 3]]
    with pytest.raises(TypeError, match=r"takes 2 inputs \(x: f32\[3\], y: f32\[3\]\), 1 are given"):
        tenfold.run(text, [1, 2, 3])
    with pytest.raises(TypeError, match=r"input 'y' takes f32\[3\].*not str"):
        tenfold.run(text, [1, 2, 3], "abc")
    with pytest.raises(TypeError, match=r"input 'x' takes f32\[3\]"):
        tenfold.run(text, [[1, 2], [3]], [1, 2, 3])
    with pytest.raises(TypeError, match=r"path of a \.pt2 archive.*not function"):
        tenfold.run(double, [1, 2, 3])


def test_inputs_and_outputs_have_names(text, archive):
    program = tenfold.load(archive)
    assert program.input_names == ["image", "scale"]
    assert len(program.output_names) == len(program.outputs) == 2
    assert program.inputs == [("f32", (None, 3)), ("f32", (3,))]
    assert np.asarray(program(scale=[1, 2, 3], image=[[1, 1, 1]])[0]).tolist() == [[1, 2, 3]]
    with pytest.raises(TypeError, match=r"unknown input 'imgae'; did you mean 'image'\?"):
        program(imgae=[[1, 1, 1]], scale=[1, 2, 3])
    with pytest.raises(TypeError, match="input 'image' is given twice"):
        program([[1, 1, 1]], image=[[1, 1, 1]], scale=[1, 2, 3])
    assert tenfold.load(text).input_names == ["x", "y"]


def test_reprs(text, archive):
    program = tenfold.load(archive)
    shown = repr(program)
    assert str(archive) in shown and " on cpu: (image: f32[?, 3], scale: f32[3]) -> (" in shown
    assert repr(tenfold.load(text)) == f"<tenfold.Program {str(text)!r} on cpu: (x: f32[3], y: f32[3]) -> (f32[3])>"
    made = tenfold.load(text)._program.compile()
    assert repr(made) == "<tenfold.Executable: (f32[3], f32[3]) -> (f32[3])>"
    (result,) = made(np.ones(3, np.float32), np.ones(3, np.float32))
    assert repr(result) == "tenfold.Tensor(f32[3], [2. 2. 2.])"
    assert repr(tenfold.grad(double)) == "<tenfold.Gradient of double by its float arguments on cpu>"
    with tenfold.enable() as enabled:
        assert "compiled" in repr(enabled) and "device='cpu'" in repr(enabled)
