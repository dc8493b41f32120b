"""`tenfold quantize`, `compile --target edgetpu`: int8 programs, and TFLite files that compute the same in LiteRT."""

import json

import pytest
from conftest import tenfold

np = pytest.importorskip("numpy")
torch = pytest.importorskip("torch", reason="torch is not installed (scripts/setup run gets it)")
litert = pytest.importorskip(
    "ai_edge_litert.interpreter", reason="LiteRT is not installed (scripts/setup test gets it)"
)
import edge_models as models  # noqa: E402

torch.set_num_threads(1)  # for what is this small, waiting for a second thread takes longer

KINDS = {
    "reference": litert.OpResolverType.BUILTIN_REF,
    "optimized": litert.OpResolverType.BUILTIN_WITHOUT_DEFAULT_DELEGATES,
    "XNNPACK": litert.OpResolverType.AUTO,
}


def interpreters(path):
    made = {}
    for name, kind in KINDS.items():
        made[name] = litert.Interpreter(model_path=str(path), experimental_op_resolver_type=kind)
        made[name].allocate_tensors()
    return made


def run_litert(interpreter, x):
    interpreter.set_tensor(interpreter.get_input_details()[0]["index"], x)
    interpreter.invoke()
    return [interpreter.get_tensor(each["index"]) for each in interpreter.get_output_details()]


def to_int8(interpreter, x):
    scale, zero = interpreter.get_input_details()[0]["quantization"]
    return np.clip(np.round(x / np.float32(scale)) + zero, -128, 127).astype(np.int8)


def export(model, x, path):
    torch.export.save(torch.export.export(model, (x[:1],)), path)


def quantize(folder, stem, *options):
    made = tenfold(
        "quantize",
        folder / f"{stem}.pt2",
        "--data",
        folder / f"{stem}.npy",
        *options,
        "-o",
        folder / f"{stem}.int8.mlir",
    )
    assert made.code == 0, made.err
    return made.out


def compile_tflite(folder, stem, *options):
    made = tenfold(
        "compile", folder / f"{stem}.int8.mlir", "--target", "edgetpu", *options, "-o", folder / f"{stem}.tflite"
    )
    assert made.code == 0, made.err
    return made.out


def run_ours(folder, stem, x, device):
    np.save(folder / "in.npy", x)
    done = tenfold(
        "run", folder / f"{stem}.int8.mlir", "--device", device, "--input", folder / "in.npy", "-o", folder / "out"
    )
    assert done.code == 0, done.err
    return [np.load(path) for path in sorted((folder / "out").glob("*.npy"), key=lambda path: int(path.stem))]


def make(folder, name, samples=24):
    build, shape = models.MODELS[name]
    torch.manual_seed(7)
    x = torch.randn(samples, *shape)
    model = models.settle(build(), x)
    export(model, x, folder / f"{name}.pt2")
    np.save(folder / f"{name}.npy", x.numpy())
    return model, x.numpy()


@pytest.mark.parametrize("name", models.MODELS)
def test_litert_computes_what_the_int8_program_computes(name, tmp_path):
    _, x = make(tmp_path, name)
    quantize(tmp_path, name, "--io", "int8")
    compile_tflite(tmp_path, name)
    there = interpreters(tmp_path / f"{name}.tflite")
    seen = {kind: [] for kind in KINDS}
    for sample in range(2):
        q = to_int8(there["reference"], x[sample : sample + 1])
        ours = run_ours(tmp_path, name, q, "interp" if sample == 0 else "cpu")
        for kind, interpreter in there.items():
            for mine, theirs in zip(ours, run_litert(interpreter, q), strict=True):
                assert theirs.dtype == np.int8 and theirs.shape == mine.shape
                seen[kind].append(np.abs(mine.astype(int) - theirs).ravel())
    differences = {kind: np.concatenate(each) for kind, each in seen.items()}
    assert differences["reference"].max() <= 1
    assert (differences["reference"] == 0).mean() >= 0.999
    # The other two round otherwise (docs/edge.md): a unit in some layers, which later layers carry on.
    for kind in ("optimized", "XNNPACK"):
        assert differences[kind].max() <= 3, kind


def test_a_trained_model_decides_as_before(tmp_path):
    images, labels = models.digits(1280, seed=1)
    torch.manual_seed(0)
    model = models.Digits()
    optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
    for step in range(60):
        batch = slice(step * 64 % 1280, step * 64 % 1280 + 64)
        optimizer.zero_grad()
        torch.nn.functional.cross_entropy(model(images[batch]), labels[batch]).backward()
        optimizer.step()
    model.eval()
    tested, wanted = models.digits(1000, seed=2)
    with torch.no_grad():
        before = model(tested).argmax(1).numpy()
    assert (before == wanted.numpy()).mean() > 0.95, "the f32 model learned nothing: the test would say nothing"
    torch.export.save(torch.export.export(model, (images[:50],)), tmp_path / "digits.pt2")
    np.save(tmp_path / "digits.npy", images[:128].numpy())
    quantize(tmp_path, "digits")
    compile_tflite(tmp_path, "digits")
    there = interpreters(tmp_path / "digits.tflite")
    for kind in ("reference", "XNNPACK"):
        after = [run_litert(there[kind], tested[i : i + 50].numpy())[0].argmax(1) for i in range(0, 1000, 50)]
        assert (np.concatenate(after) == before).mean() >= 0.98, kind


class Layers(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = torch.nn.Conv2d(4, 6, 3, padding=1)

    def forward(self, x):
        return torch.relu(self.conv(x))


@pytest.fixture(scope="module")
def small(tmp_path_factory):
    """One layer as an archive, with its samples."""
    folder = tmp_path_factory.mktemp("edge")
    torch.manual_seed(3)
    x = torch.randn(16, 4, 8, 8)
    export(Layers().eval(), x, folder / "small.pt2")
    np.save(folder / "small.npy", x.numpy())
    return folder


@pytest.mark.parametrize(
    "options", [("--method", "mse"), ("--method", "percentile", "--percentile", "99"), ("--samples", "2")]
)
def test_ranges(small, options):
    """Each way to choose a range gives another scale and less than all of what was seen."""
    rows = lambda *options: json.loads(quantize(small, "small", "--json", *options))["layers"]  # noqa: E731
    whole, less = rows(), rows(*options)
    assert [row["op"] for row in whole] == ["QUANTIZE", "CONV_2D"]
    assert less[1]["scale"] < whole[1]["scale"] and all(row["sqnr_db"] > 15 for row in less)
    assert whole[1]["sqnr_db"] > 35 and whole[1]["max_error"] < 3 * whole[1]["scale"]


def test_channels_last(small):
    """--layout nhwc: images go in and come out as TFLite stores them, and no transpose is left."""
    quantize(small, "small", "--io", "int8", "--layout", "nhwc")
    ops = json.loads(compile_tflite(small, "small", "--json"))["ops"]
    assert [each["op"] for each in ops] == ["CONV_2D"] and ops[0]["edgetpu"]
    there = interpreters(small / "small.tflite")["reference"]
    assert there.get_input_details()[0]["shape"].tolist() == [1, 8, 8, 4]
    assert there.get_output_details()[0]["shape"].tolist() == [1, 8, 8, 6]
    assert there.get_signature_list() == {"serving_default": {"inputs": ["x"], "outputs": ["conv"]}}


class Enlarge(torch.nn.Module):
    def __init__(self, size, **options):
        super().__init__()
        self.size, self.options = size, options

    def forward(self, x):
        return torch.nn.functional.interpolate(x, self.size, **self.options)


@pytest.mark.parametrize(
    "size, options, resized",
    [
        ((14, 10), {"mode": "bilinear"}, True),
        ((7, 15), {"mode": "bilinear", "align_corners": True}, True),
        ((7, 4000), {"mode": "bilinear"}, False),  # LiteRT's rounded steps would be pixels off
        ((14, 10), {"mode": "bicubic", "align_corners": False}, False),
    ],
)
def test_bilinear_interpolation(tmp_path, size, options, resized):
    """One op where LiteRT's does the same; otherwise products with the weights."""
    torch.manual_seed(1)
    x = torch.randn(4, 3, 7, 5)
    export(Enlarge(size, **options), x, tmp_path / "m.pt2")
    np.save(tmp_path / "m.npy", x.numpy())
    quantize(tmp_path, "m", "--io", "int8", "--layout", "nhwc")
    ops = [each["op"] for each in json.loads(compile_tflite(tmp_path, "m", "--json"))["ops"]]
    assert ops == ["RESIZE_BILINEAR"] if resized else "FULLY_CONNECTED" in ops and "RESIZE_BILINEAR" not in ops
    there = interpreters(tmp_path / "m.tflite")["reference"]
    scale, zero = there.get_output_details()[0]["quantization"]
    q = to_int8(there, x[:1].permute(0, 2, 3, 1).numpy())
    got = run_litert(there, q)[0]
    np.testing.assert_array_equal(run_ours(tmp_path, "m", q, "cpu")[0], got)
    wanted = torch.nn.functional.interpolate(x[:1], size, **options).permute(0, 2, 3, 1).numpy()
    assert np.abs((got.astype(int) - zero) * scale - wanted).max() < 2.5 * scale


def test_sizes_in_attributes_are_those_of_the_program(tmp_path):
    """The file says sizes by the list in the attributes, the program by the type of its result."""
    x = torch.randn(4, 3, 7, 5)
    np.save(tmp_path / "m.npy", x.numpy())
    for mode in ("bilinear", "nearest"):
        export(Enlarge((14, 10), mode=mode), x, tmp_path / "m.pt2")
        quantize(tmp_path, "m", "--io", "int8", "--layout", "nhwc")
        text = (tmp_path / "m.int8.mlir").read_text()
        assert text.count("list = dense<[14, 10]>") == 1
        (tmp_path / "m.int8.mlir").write_text(text.replace("list = dense<[14, 10]>", "list = dense<[10, 14]>"))
        said = refused("compile", tmp_path / "m.int8.mlir", "--target", "edgetpu", "-o", tmp_path / "m.tflite")
        assert "attributes that do not fit its operands" in said


def test_what_stays_on_the_cpu_is_named(small):
    quantize(small, "small")
    printed = compile_tflite(small, "small")
    assert "5 ops, 3 for the Edge TPU, 2 for the CPU:" in printed
    assert "QUANTIZE                 x: its input is f32 (--io int8 leaves it out)" in printed


def test_bytecode_says_the_same(small):
    quantize(small, "small")
    compile_tflite(small, "small")
    text = (small / "small.tflite").read_bytes()
    assert tenfold("convert", small / "small.int8.mlir", "-o", small / "again.mlirbc").code == 0
    assert tenfold("compile", small / "again.mlirbc", "--target", "edgetpu", "-o", small / "again.tflite").code == 0
    assert (small / "again.tflite").read_bytes() == text


def refused(*arguments):
    done = tenfold(*arguments)
    assert done.code in (1, 2) and done.out == ""
    return done.err


def test_wrong_samples_are_refused(small, tmp_path):
    out = tmp_path / "out.mlir"
    x = np.load(small / "small.npy")
    for name, array, message in [
        ("nan", np.where(x > 2, np.float32("nan"), x), "elements have to be finite"),
        ("shape", x[:, :3], "a sample has 192 elements, the program expects 256"),
        ("empty", x[:0], "a sample has 0 elements"),
    ]:
        np.save(tmp_path / f"{name}.npy", array)
        assert message in refused("quantize", small / "small.pt2", "--data", tmp_path / f"{name}.npy", "-o", out), name
    mixed = refused("quantize", small / "small.pt2", "--data", tmp_path / "nan.npy", "--target", "cpu", "-o", out)
    assert "elements have to be finite" in mixed and "layer ''" not in mixed
    (tmp_path / "junk.npy").write_bytes(b"\x93NUMPY\x01\x00\xff\xff{")
    refused("quantize", small / "small.pt2", "--data", tmp_path / "junk.npy", "-o", out)
    assert not out.exists()


def test_ops_without_an_int8_form_are_all_named(tmp_path):
    class Model(torch.nn.Module):
        def forward(self, x):
            return torch.sin(x) + torch.fft.fft(x).real

    export(Model(), torch.randn(1, 8), tmp_path / "m.pt2")
    np.save(tmp_path / "x.npy", np.ones((4, 8), np.float32))
    message = refused("quantize", tmp_path / "m.pt2", "--data", tmp_path / "x.npy", "-o", tmp_path / "out.mlir")
    assert "2 ops cannot be quantized for TFLite" in message and "stablehlo.sine" in message
    assert not (tmp_path / "out.mlir").exists()


def test_a_changed_program_is_refused(small, tmp_path):
    """What the attributes say and what the integer ops compute have to agree."""
    quantize(small, "small")
    text = (small / "small.int8.mlir").read_text()
    changed = {
        "shift": text.replace("dense<1073741824>", "dense<1073741825>", 1),
        "zero": text.replace("zero_point = ", "zero_point = 1", 1),
        "scale": text.replace("scale = dense<", "scale = dense<-", 1),
        "padding": text.replace("same = true", "same = false", 1),
    }
    for name, program in changed.items():
        assert program != text, name
        (tmp_path / f"{name}.mlir").write_text(program)
        refused("compile", tmp_path / f"{name}.mlir", "--target", "edgetpu", "-o", tmp_path / "out.tflite")
    assert "`tenfold quantize`" in refused(
        "compile", small / "small.pt2", "--target", "edgetpu", "-o", tmp_path / "out.tflite"
    )
    assert not (tmp_path / "out.tflite").exists()


def test_the_compiler_is_called_where_it_is(small, tmp_path, monkeypatch):
    program = tmp_path / "edgetpu_compiler"
    program.write_text('#!/bin/sh\necho "$@" > "$3/called"\nexit 3\n')
    program.chmod(0o755)
    quantize(small, "small")
    monkeypatch.setenv("PATH", str(tmp_path), prepend=":")
    done = tenfold("compile", small / "small.int8.mlir", "--target", "edgetpu", "-o", tmp_path / "m.tflite")
    assert done.code == 1 and "edgetpu_compiler refused" in done.err
    assert (tmp_path / "called").read_text() == f"-s -o {tmp_path} {tmp_path}/m.tflite\n"


@pytest.mark.parametrize(
    "arguments, message",
    [
        (("--method", "guess"), "takes minmax, percentile or mse"),
        (("--percentile", "12"), "above 50"),
        (("--io", "u8"), "takes f32 or int8"),
        (("--layout", "nchw"), "takes as-is or nhwc"),
        (("--dense-scales", "two"), "takes one or each"),
    ],
)
def test_wrong_words(small, tmp_path, arguments, message):
    assert message in refused(
        "quantize", small / "small.pt2", "--data", small / "small.npy", "-o", tmp_path / "o.mlir", *arguments
    )


class Quantized(torch.nn.Module):
    """A network as torchao's pt2e writes it: weights as int8 constants, activations quantized and back."""

    def __init__(self):
        super().__init__()
        weights, dense = torch.randn(6, 4, 3, 3), torch.randn(5, 6)
        self.scales = torch.nn.Buffer(weights.abs().amax((1, 2, 3)) / 100)
        self.zeros = torch.nn.Buffer(torch.zeros(6, dtype=torch.int64))
        rounded = (weights / self.scales[:, None, None, None]).round()
        self.weights = torch.nn.Buffer(rounded.to(torch.int8))
        self.dense = torch.nn.Buffer((dense / 0.02).round().clamp(-127, 127).to(torch.int8))
        self.bias = torch.nn.Parameter(torch.randn(6))

    def forward(self, x):
        q = torch.ops.quantized_decomposed

        def fake(x, scale, zero):
            x = q.quantize_per_tensor.default(x, scale, zero, -128, 127, torch.int8)
            return q.dequantize_per_tensor.default(x, scale, zero, -128, 127, torch.int8)

        weights = q.dequantize_per_channel.default(self.weights, self.scales, self.zeros, 0, -127, 127, torch.int8)
        x = torch.relu(torch.nn.functional.conv2d(fake(x, 0.03, 3), weights, self.bias, padding=1))
        x = fake(fake(x, 0.25, -128).mean((2, 3)), 0.05, -128)
        dense = q.dequantize_per_tensor.default(self.dense, 0.02, 0, -127, 127, torch.int8)
        return fake(torch.nn.functional.linear(x, dense), 0.5, -10)


def test_an_archive_that_is_quantized_keeps_its_scales(tmp_path):
    pytest.importorskip("torch.ao.quantization.fx._decomposed")
    torch.manual_seed(5)
    x, model = torch.randn(1, 4, 8, 8), Quantized()
    export(model, x, tmp_path / "q.pt2")
    made = tenfold("quantize", tmp_path / "q.pt2", "--io", "int8", "-o", tmp_path / "q.int8.mlir")
    assert made.code == 0, made.err
    compile_tflite(tmp_path, "q")
    there = interpreters(tmp_path / "q.tflite")["reference"]
    assert there.get_input_details()[0]["quantization"] == (pytest.approx(0.03), 3)
    assert there.get_output_details()[0]["quantization"] == (0.5, -10)
    kernel = next(each for each in there.get_tensor_details() if each["shape"].tolist() == [6, 3, 3, 4])
    np.testing.assert_array_equal(kernel["quantization_parameters"]["scales"], model.scales.numpy())
    np.testing.assert_array_equal(there.get_tensor(kernel["index"]), model.weights.numpy().transpose(0, 2, 3, 1))
    got = run_litert(there, to_int8(there, x.numpy()))[0].astype(int)
    with torch.no_grad():
        wanted = np.round(model(x).numpy() / 0.5) - 10
    assert np.abs(got - wanted).max() <= 1
    np.testing.assert_array_equal(run_ours(tmp_path, "q", to_int8(there, x.numpy()), "cpu")[0], got)


def test_samples_are_missed(small, tmp_path):
    assert "--data gives samples" in refused("quantize", small / "small.pt2", "-o", tmp_path / "out.mlir")


def test_an_input_without_a_range_is_named(tmp_path):
    """Its scale is not in the program, only that of the layer behind it."""
    t = "tensor<1x2xf32>"
    (tmp_path / "net.mlir").write_text(f"""func.func @main(%x: tensor<1x4xf32>) -> {t} {{
      %w = stablehlo.constant dense<[[1.0, 2.0], [0.5, -1.0], [0.25, 3.0], [1.5, -2.0]]> : tensor<4x2xf32>
      %y = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<1x4xf32>, tensor<4x2xf32>) -> {t}
      %inverse = stablehlo.constant dense<10.0> : {t}
      %scale = stablehlo.constant dense<0.1> : {t}
      %zero = stablehlo.constant dense<0.0> : {t}
      %least = stablehlo.constant dense<-128.0> : {t}
      %most = stablehlo.constant dense<127.0> : {t}
      %0 = stablehlo.multiply %y, %inverse : {t}
      %1 = stablehlo.round_nearest_even %0 : {t}
      %2 = stablehlo.add %1, %zero : {t}
      %3 = stablehlo.maximum %2, %least : {t}
      %4 = stablehlo.minimum %3, %most : {t}
      %5 = stablehlo.convert %4 : ({t}) -> tensor<1x2xi8>
      %6 = stablehlo.convert %5 : (tensor<1x2xi8>) -> {t}
      %7 = stablehlo.subtract %6, %zero : {t}
      %8 = stablehlo.multiply %7, %scale : {t}
      return %8 : {t}
    }}""")
    done = tenfold("quantize", tmp_path / "net.mlir", "--io", "int8", "-o", tmp_path / "int8.mlir")
    assert done.code == 1 and "no range is known of input 'x': --data gives samples" in done.err


def test_extreme_ranges(tmp_path):
    """Scales stay above zero whatever the samples are, and an error of nothing is an infinite ratio."""
    program = tmp_path / "dense.mlir"
    program.write_text(
        "func.func @main(%x: tensor<1x4xf32>) -> tensor<1x3xf32> {\n"
        "  %w = stablehlo.constant dense<0.0> : tensor<4x3xf32>\n"
        "  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0]\n"
        "      : (tensor<1x4xf32>, tensor<4x3xf32>) -> tensor<1x3xf32>\n"
        "  return %0 : tensor<1x3xf32>\n}\n"
    )
    np.save(tmp_path / "x.npy", (np.random.default_rng(0).uniform(-1, 1, (8, 4)) * 3e38).astype("f4"))
    made = tenfold("quantize", program, "--data", tmp_path / "x.npy", "-o", tmp_path / "q.mlir")
    assert made.code == 0 and "nan" not in made.out and "inf" in made.out, made
    made = tenfold("compile", tmp_path / "q.mlir", "--target", "edgetpu", "-o", tmp_path / "q.tflite")
    assert made.code == 0, made.err
    interpreter = interpreters(tmp_path / "q.tflite")["reference"]
    assert not run_litert(interpreter, np.load(tmp_path / "x.npy")[:1])[0].any()


def test_values_without_dimensions(tmp_path):
    program = tmp_path / "mean.mlir"
    program.write_text(
        "func.func @main(%x: tensor<1x4xf32>) -> tensor<f32> {\n"
        "  %z = stablehlo.constant dense<0.0> : tensor<f32>\n"
        "  %c = stablehlo.constant dense<1.5> : tensor<f32>\n"
        "  %n = stablehlo.constant dense<4.0> : tensor<f32>\n"
        "  %s = stablehlo.reduce(%x init: %z) applies stablehlo.add across dimensions = [0, 1]\n"
        "      : (tensor<1x4xf32>, tensor<f32>) -> tensor<f32>\n"
        "  %m = stablehlo.divide %s, %n : tensor<f32>\n"
        "  %0 = stablehlo.add %m, %c : tensor<f32>\n"
        "  return %0 : tensor<f32>\n}\n"
    )
    np.save(tmp_path / "x.npy", np.ones((2, 4), np.float32))
    made = tenfold("quantize", program, "--data", tmp_path / "x.npy", "-o", tmp_path / "q.mlir")
    assert made.code == 1 and "stablehlo.add" in made.err and "values without dimensions" in made.err, made
    assert not (tmp_path / "q.mlir").exists()


def test_names_of_results_are_different(tmp_path):
    """Layers may be called what a result without a name of its own is called."""
    program = tmp_path / "two.mlir"
    program.write_text(
        "func.func @main(%x: tensor<1x4xf32>) -> (tensor<1x4xf32>, tensor<1x4xf32>) {\n"
        "  %z = stablehlo.constant dense<0.0> : tensor<1x4xf32>\n"
        '  %0 = stablehlo.maximum %x, %z : tensor<1x4xf32> loc("output_1")\n'
        '  %1 = stablehlo.tanh %x : tensor<1x4xf32> loc("output_1")\n'
        "  return %0, %1 : tensor<1x4xf32>, tensor<1x4xf32>\n}\n"
    )
    np.save(tmp_path / "x.npy", np.ones((2, 4), np.float32))
    made = tenfold("quantize", program, "--data", tmp_path / "x.npy", "--io", "int8", "-o", tmp_path / "q.mlir")
    assert made.code == 0, made.err
    made = tenfold("compile", tmp_path / "q.mlir", "--target", "edgetpu", "-o", tmp_path / "q.tflite")
    assert made.code == 0, made.err
    signature = interpreters(tmp_path / "q.tflite")["reference"].get_signature_list()["serving_default"]
    assert sorted(signature["outputs"]) == ["output_1", "output_3"]
