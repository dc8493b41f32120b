"""Training through torch.compile: what is saved between the graphs, pooling, sums and transposes, as eager has it."""

import copy
import gc

import pytest
import tenfold
import torch
from tenfold import _core
from tenfold.torch.compiled import Compiled
from torch import fx, nn
from torch.nn import functional as F


@pytest.fixture(autouse=True)
def fresh():
    torch._dynamo.reset()
    torch.manual_seed(0)
    yield
    assert not tenfold.stats()["fallbacks"]


def grads_of(model, x, compiled):
    model, x = copy.deepcopy(model), x.detach().clone(memory_format=torch.preserve_format).requires_grad_()
    run = torch.compile(model, backend="tenfold") if compiled else model
    y = run(x)
    (y * torch.linspace(-1, 2, max(y.numel(), 1), dtype=y.dtype)[: y.numel()].view(y.shape)).sum().backward()
    return [y.detach(), x.grad, *(p.grad for p in model.parameters())]


def same(model, x, **near):
    for ours, theirs in zip(grads_of(model, x, True), grads_of(model, x, False), strict=True):
        torch.testing.assert_close(ours, theirs, equal_nan=True, **near)


torch.manual_seed(0)  # of the layers below: an activation within a rounding of ReLU's bound has another gradient

POOLS = {
    "overlapping": (nn.MaxPool2d(3, 2, 1), (2, 17, 9, 11)),
    "ceil": (nn.MaxPool2d(3, 2, ceil_mode=True), (2, 5, 10, 8)),
    "side by side": (nn.MaxPool2d(2), (1, 300, 6, 7)),
    "uneven": (nn.MaxPool2d((2, 3), (1, 2), (1, 0)), (3, 4, 7, 9)),
    "dilated": (nn.MaxPool2d(3, 1, 1, dilation=2), (2, 6, 9, 9)),
    "large": (nn.MaxPool2d(5, 1, 2), (2, 9, 11, 8)),
    "large and uneven": (nn.MaxPool2d((9, 4), (2, 3), (4, 1)), (2, 5, 12, 13)),
    "no batch": (nn.MaxPool2d(3, 2), (3, 9, 9)),
    "empty batch": (nn.MaxPool2d(3, 2), (0, 3, 9, 9)),
}


@pytest.mark.parametrize("last", [False, True], ids=["first", "last"])
@pytest.mark.parametrize("name", POOLS)
def test_max_pool(name, last):
    pool, shape = POOLS[name]
    x = torch.randint(-3, 4, shape).float()  # with ties
    if last and x.dim() == 4:
        x = x.contiguous(memory_format=torch.channels_last)
    if x.numel() and not last:
        x.view(-1)[5] = float("nan")
    same(pool, x)
    if x.dim() == 4 and x.numel():
        same(nn.Sequential(nn.Conv2d(shape[1], 7, 3, padding=1), nn.ReLU(), pool), torch.randn(shape))


@pytest.mark.parametrize("last", [False, True], ids=["first", "last"])
@pytest.mark.parametrize("name", [n for n in POOLS if n != "empty batch"])
def test_max_pool_of_nans(name, last):
    """Of several NaN in a window eager mode takes the last as its maximum; all of -inf, the first."""
    pool, shape = POOLS[name]
    x = torch.randn(shape)
    x[torch.rand(shape) < 0.2] = float("nan")
    x.view(-1, *shape[-2:])[0] = float("nan")
    x.view(-1, *shape[-2:])[1] = float("-inf")
    x.view(-1, *shape[-2:])[2, :4] = float("inf")
    if last and x.dim() == 4:
        x = x.contiguous(memory_format=torch.channels_last)
    same(pool, x)


def test_pool_indices_that_are_read():
    class Both(nn.Module):
        def forward(self, x):
            y, at = F.max_pool2d(x, 3, 2, 1, return_indices=True)
            return y + at.float() * 0.25

    same(Both(), torch.randn(2, 5, 9, 7))


CONVOLUTIONS = {
    "stem": (nn.Conv2d(3, 20, 7, 2, 3), (2, 3, 23, 19)),
    "stem without padding": (nn.Conv2d(5, 9, (3, 4), (1, 3)), (3, 5, 12, 14)),
    "stem of one channel": (nn.Conv2d(1, 33, 3, padding=1), (2, 1, 8, 9)),
    "dilated stem": (nn.Conv2d(3, 8, 3, padding=2, dilation=2), (2, 3, 11, 11)),
    "groups": (nn.Conv2d(48, 72, 3, padding=1, groups=2), (2, 48, 9, 7)),
    "groups with a stride": (nn.Conv2d(27, 36, 3, 2, 1, groups=3), (2, 27, 11, 9)),
    "groups of 1x1": (nn.Conv2d(40, 24, 1, groups=2), (3, 40, 5, 5)),
    "two outputs a channel": (nn.Conv2d(18, 36, 7, 2, 3, groups=18), (2, 18, 15, 13)),
    "three outputs a channel": (nn.Conv2d(5, 15, 3, padding=1, groups=5), (2, 5, 30, 30)),
    "one output for two channels": (nn.Conv2d(24, 12, 3, padding=1, groups=12), (2, 24, 20, 20)),
    "wide groups": (nn.Conv2d(80, 160, 5, padding=2, groups=2), (2, 80, 7, 6)),
    "wide groups with a stride": (nn.Conv2d(96, 96, 5, 2, 2, groups=2), (1, 96, 9, 9)),
    "many taps": (nn.Conv2d(6, 10, 11, padding=5), (1, 6, 13, 13)),
    "1x1": (nn.Conv2d(101, 53, 1, bias=False), (2, 101, 6, 5)),
    "1x1 with a stride": (nn.Conv2d(37, 64, 1, 2), (2, 37, 9, 9)),
    "wide": (nn.Conv2d(70, 50, 3, padding=1), (2, 70, 5, 6)),
}


@pytest.mark.parametrize("name", CONVOLUTIONS)
def test_convolution_gradients(name):
    convolution, shape = CONVOLUTIONS[name]
    same(convolution, torch.randn(shape), rtol=1e-4, atol=2e-4)
    with_norm = nn.Sequential(convolution, nn.BatchNorm2d(convolution.out_channels), nn.ReLU())
    same(with_norm, torch.randn(shape), rtol=1e-3, atol=1e-3)


ONE_DIMENSION = {
    "1": (nn.Conv1d(20, 33, 1), (4, 20, 50)),
    "3": (nn.Conv1d(20, 33, 3, padding=1), (3, 20, 31)),
    "with a stride": (nn.Conv1d(17, 20, 5, 3, 2, dilation=2), (2, 17, 60)),
    "as wide as the input": (nn.Conv1d(6, 9, 40), (3, 6, 41)),
    "groups": (nn.Conv1d(32, 32, 3, padding=1, groups=4), (2, 32, 30)),
    "depthwise": (nn.Conv1d(24, 24, 5, padding=2, groups=24), (2, 24, 30)),
}


@pytest.mark.parametrize("name", ONE_DIMENSION)
def test_gradients_over_one_dimension(name):
    convolution, shape = ONE_DIMENSION[name]
    same(convolution, torch.randn(shape), rtol=1e-4, atol=2e-4)


TRANSPOSED = {
    "stride divides the kernel": (nn.ConvTranspose1d(20, 3, 16, 8), (2, 20, 40)),
    "cut off": (nn.ConvTranspose1d(12, 8, 10, 5, padding=2, output_padding=1), (2, 12, 30)),
    "stride does not": (nn.ConvTranspose1d(12, 8, 7, 5), (2, 12, 30)),
    "kernel under the stride": (nn.ConvTranspose1d(12, 8, 3, 6), (2, 12, 30)),
    "of two dimensions": (nn.ConvTranspose2d(16, 8, (3, 4), (1, 4)), (2, 16, 9, 7)),
}


@pytest.mark.parametrize("name", TRANSPOSED)
def test_transposed_convolutions(name):
    convolution, shape = TRANSPOSED[name]
    same(convolution, torch.randn(shape), rtol=1e-4, atol=2e-4)


NORMS = {
    "batch": (nn.BatchNorm2d(19), (4, 19, 13, 11)),
    "batch without weights": (nn.BatchNorm2d(6, affine=False), (3, 6, 5, 5)),
    "batch as it is evaluated": (nn.BatchNorm2d(6).eval(), (3, 6, 5, 5)),
    "batch of rows": (nn.BatchNorm1d(40), (300, 40)),
    "layer": (nn.LayerNorm(50), (7, 30, 50)),
    "group": (nn.GroupNorm(3, 12), (2, 12, 9, 9)),
}


@pytest.mark.parametrize("name", NORMS)
def test_norm_gradients(name):
    norm, shape = NORMS[name]
    for p in norm.parameters():
        nn.init.normal_(p)
    same(norm, torch.randn(shape) * 3 + 2, rtol=1e-4, atol=1e-4)


def saved_by(run, x):
    found = []

    def keep(t):
        found.append(t)
        return t

    with torch.autograd.graph.saved_tensors_hooks(keep, lambda t: t):
        y = run(x)
    return y, found


def test_weights_are_saved_as_they_are():
    """Neither a copy of a weight nor its transpose written out is kept for the gradient."""
    model = nn.Sequential(nn.Linear(64, 128), nn.ReLU(), nn.Linear(128, 32))
    x = torch.randn(5, 64, requires_grad=True)
    y, found = saved_by(torch.compile(model, backend="tenfold"), x)
    own = {p.data_ptr() for p in model.parameters()}
    matrices = [t for t in found if t.numel() in (64 * 128, 128 * 32)]
    assert matrices and all(t.data_ptr() in own for t in matrices)
    y.sum().backward()
    assert all(p.grad is not None for p in model.parameters())


def test_activations_are_saved_once():
    model = nn.Sequential(nn.Conv2d(8, 8, 3, padding=1), nn.ReLU(), nn.Conv2d(8, 8, 3, padding=1), nn.Sigmoid())
    x = torch.randn(2, 8, 16, 16, requires_grad=True)
    _, ours = saved_by(torch.compile(model, backend="tenfold"), x)
    _, theirs = saved_by(model, x)
    assert sum(t.numel() for t in ours) <= sum(t.numel() for t in theirs)


class Neighbours(nn.Module):
    """A mean by an index of one column. Its gradient reads the index, and of the rows only how many they are."""

    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(12, 12)
        self.register_buffer("source", torch.arange(30) * 7 % 10)
        self.register_buffer("target", torch.arange(30) ** 2 % 9)

    def forward(self, x):
        index = self.target[:, None].expand(-1, 12)
        for _ in range(2):
            x = torch.zeros_like(x).scatter_reduce(0, index, self.linear(x)[self.source], "mean", include_self=False)
        return x


def test_an_expanded_index_is_saved_as_its_column():
    model, x = Neighbours(), torch.randn(10, 12)
    _, ours = saved_by(torch.compile(model, backend="tenfold"), x)
    assert ours and not [t.shape for t in ours if t.numel() == 30 * 12]
    same(model, x)


FILLS = {
    "zeros": lambda y: torch.zeros_like(y),
    "ones of another type": lambda y: torch.ones_like(y, dtype=torch.int32),
    "full": lambda y: torch.full_like(y, -2.5),
    "full of i1": lambda y: torch.full_like(y, 3, dtype=torch.bool),
    "new": lambda y: y.new_ones(3, 1) + y.new_full((5,), float("inf")).reciprocal() + y.new_zeros(()),
    "transposed": lambda y: torch.ones_like(y.t()).cumsum(0).t(),
    "empty": lambda y: torch.ones_like(y[:0]).sum() + y,
}


@pytest.mark.parametrize("name", FILLS)
def test_fills(name):
    class Filled(nn.Module):
        def forward(self, x):
            return (x.exp() * FILLS[name](x.sin())).cos()

    same(Filled(), torch.randn(3, 5))


def test_an_expanded_input_that_is_written_to():
    class Writes(nn.Module):
        def __init__(self):
            super().__init__()
            self.register_buffer("scale", torch.linspace(1, 2, 4))

        def forward(self, x):
            y = x * self.scale.expand(3, 4).clone()
            self.scale.mul_(3)
            return y.square()

    same(Writes(), torch.randn(3, 4))


BOUNDED = {
    "relu6": nn.ReLU6(),
    "hardtanh": nn.Hardtanh(-0.5, 0.25),
    "leaky": nn.LeakyReLU(0.1),
    "slope 0": nn.LeakyReLU(0.0),
    "negative slope": nn.LeakyReLU(-0.5),
}


@pytest.mark.parametrize("name", BOUNDED)
def test_bounded_activations(name):
    x = torch.tensor([-7.0, -1, -0.5, -1e-38, -0.0, 0, 1e-45, 0.2, 0.25, 1, 3, 6, 7, float("inf"), -float("inf")])
    same(BOUNDED[name], x)
    same(nn.Sequential(BOUNDED[name], nn.Linear(15, 4)), x.expand(3, 15).clone().nan_to_num(2, 9, -9))


@pytest.mark.parametrize("name", ["relu6", "leaky"])
def test_inputs_of_bounded_activations_are_not_saved(name):
    layers = [nn.Conv2d(8, 8, 3, padding=1, bias=False), nn.BatchNorm2d(8), BOUNDED[name]]
    model = nn.Sequential(*copy.deepcopy(layers), *copy.deepcopy(layers), nn.Conv2d(8, 8, 1))
    x = torch.randn(2, 8, 16, 16)
    _, ours = saved_by(torch.compile(model, backend="tenfold"), x)
    images = {t.data_ptr() for t in ours if t.numel() == x.numel()}
    assert len(images) == 5  # the input, and of two layers what goes into the norm and into the next convolution
    same(model, x, rtol=1e-4, atol=1e-4)


def test_the_caller_may_write_to_a_result():
    model = nn.Sequential(nn.Linear(4, 4), nn.ReLU6())
    x = torch.randn(3, 4)

    def gradient(run):
        model.zero_grad()
        y = run(x)
        y.add_(1)
        y.square().sum().backward()
        return model[0].weight.grad.clone()

    torch.testing.assert_close(gradient(torch.compile(model, backend="tenfold")), gradient(model))


def test_graphs_are_not_held():
    """What was traced is megabytes of nodes and fake tensors; an executable needs none of it."""
    model = nn.Sequential(nn.Linear(4, 4), nn.ReLU6(), nn.Linear(4, 2))
    run = torch.compile(model, backend="tenfold")
    for _ in range(2):
        run(torch.randn(3, 4)).sum().backward()
    ours = [o for o in gc.get_objects() if type(o) is Compiled and o.record.runs]
    assert ours

    def leads_to_nodes(value, depth=0):
        if isinstance(value, fx.Node | fx.Graph | fx.GraphModule):
            return True
        parts = value.values() if isinstance(value, dict) else value if isinstance(value, list | tuple | set) else ()
        return depth < 4 and any(leads_to_nodes(v, depth + 1) for v in parts)

    assert not [name for o in ours for name, value in vars(o).items() if leads_to_nodes(value)]


def test_an_input_that_is_written_to():
    class Writes(nn.Module):
        def __init__(self):
            super().__init__()
            self.weight = nn.Parameter(torch.randn(6, 4))
            self.register_buffer("shift", torch.randn(4, 3))

        def forward(self, x):
            y = (x @ self.weight.t()) @ self.weight + self.shift.t()
            self.shift.mul_(0.5)
            return y

    same(Writes(), torch.randn(3, 4))
    model = Writes()
    run, was = torch.compile(model, backend="tenfold"), model.shift.clone()
    run(torch.randn(3, 4)).sum().backward()
    torch.testing.assert_close(model.shift, was * 0.5)


def both_ways(text, inputs):
    program = _core.parse(text)
    made = [program.compile(device=device)(*inputs) for device in ("cpu", "interp")]
    return [[torch.from_dlpack(r) for r in results] for results in made]


WINDOWS = [  # operand, window, strides, padding
    ((2, 9, 7, 17), (1, 3, 3, 1), (1, 2, 2, 1), ((0, 0), (1, 1), (0, 1), (0, 0))),
    ((1, 6, 6, 300), (1, 2, 2, 1), (1, 2, 2, 1), ((0, 0), (0, 0), (0, 0), (0, 0))),
    ((2, 5, 6, 7), (1, 1, 2, 3), (1, 1, 2, 2), ((0, 0), (0, 0), (0, 0), (1, 1))),
    ((3, 8, 5), (1, 4, 1), (1, 1, 1), ((0, 0), (3, 3), (0, 0))),
    ((4, 4), (1, 1), (1, 1), ((0, 0), (0, 0))),
    ((7,), (2,), (3,), ((2, 2),)),
    ((2, 0, 4, 5), (1, 2, 2, 1), (1, 1, 1, 1), ((0, 0), (1, 1), (0, 0), (0, 0))),
]


@pytest.mark.parametrize("case", WINDOWS, ids=lambda c: "x".join(map(str, c[0])))
def test_select_and_scatter(case):
    shape, window, strides, padding = case
    out = [
        max((s + lo + hi - w) // t + 1, 0) for s, w, t, (lo, hi) in zip(shape, window, strides, padding, strict=True)
    ]
    x, g = "x".join([*map(str, shape), "f32"]), "x".join([*map(str, out), "f32"])
    pads = ", ".join(f"[{lo}, {hi}]" for lo, hi in padding)
    text = f"""func.func @main(%x: tensor<{x}>, %g: tensor<{g}>) -> tensor<{x}> {{
  %zero = stablehlo.constant dense<0.5> : tensor<f32>
  %0 = "stablehlo.select_and_scatter"(%x, %g, %zero) ({{
   ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %c = stablehlo.compare GE, %a, %b, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  }}, {{
   ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %c = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %c : tensor<f32>
  }}) {{window_dimensions = array<i64: {", ".join(map(str, window))}>,
       window_strides = array<i64: {", ".join(map(str, strides))}>,
       padding = dense<[{pads}]> : tensor<{len(shape)}x2xi64>}} :
       (tensor<{x}>, tensor<{g}>, tensor<f32>) -> tensor<{x}>
  return %0 : tensor<{x}>
}}"""
    ours, theirs = both_ways(text, [torch.randint(-2, 3, shape).float(), torch.randn(out)])
    assert torch.equal(ours[0], theirs[0])


@pytest.mark.parametrize("dtype", [torch.int8, torch.float16, torch.float32, torch.float64], ids=str)
@pytest.mark.parametrize(
    ("shape", "order"),
    [((3, 3, 33, 70), (3, 2, 0, 1)), ((5, 97, 130), (2, 1, 0)), ((37, 300), (1, 0)), ((2, 19, 6, 65), (3, 1, 0, 2))],
    ids=str,
)
def test_transposes(shape, order, dtype):
    name = {torch.int8: "i8", torch.float16: "f16", torch.float32: "f32", torch.float64: "f64"}[dtype]
    x, y = ("x".join([*map(str, s), name]) for s in (shape, [shape[d] for d in order]))
    text = f"""func.func @main(%x: tensor<{x}>) -> tensor<{y}> {{
  %0 = stablehlo.transpose %x, dims = [{", ".join(map(str, order))}] : (tensor<{x}>) -> tensor<{y}>
  return %0 : tensor<{y}>
}}"""
    value = torch.randint(-100, 100, shape).to(dtype)
    made = torch.from_dlpack(_core.parse(text).compile(device="cpu")(value)[0])
    assert torch.equal(made, value.permute(order))


def test_sums_of_columns_in_one_sweep():
    text = """func.func @main(%x: tensor<257x3x21xf32>, %g: tensor<257x3x21xf32>, %m: tensor<21xf32>)
      -> (tensor<21xf32>, tensor<21xf32>, tensor<257x3x21xf32>) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %low = stablehlo.constant dense<-1.0e9> : tensor<f32>
  %0 = stablehlo.reduce(%g init: %zero) applies stablehlo.add across dimensions = [0, 1]
      : (tensor<257x3x21xf32>, tensor<f32>) -> tensor<21xf32>
  %1 = stablehlo.broadcast_in_dim %m, dims = [2] : (tensor<21xf32>) -> tensor<257x3x21xf32>
  %2 = stablehlo.subtract %x, %1 : tensor<257x3x21xf32>
  %3 = stablehlo.multiply %g, %2 : tensor<257x3x21xf32>
  %4 = stablehlo.reduce(%3 init: %low) applies stablehlo.maximum across dimensions = [0, 1]
      : (tensor<257x3x21xf32>, tensor<f32>) -> tensor<21xf32>
  %5 = stablehlo.broadcast_in_dim %0, dims = [2] : (tensor<21xf32>) -> tensor<257x3x21xf32>
  %6 = stablehlo.multiply %2, %5 : tensor<257x3x21xf32>
  return %0, %4, %6 : tensor<21xf32>, tensor<21xf32>, tensor<257x3x21xf32>
}"""
    inputs = [torch.randn(257, 3, 21), torch.randn(257, 3, 21), torch.randn(21)]
    for ours, theirs in zip(*both_ways(text, inputs), strict=True):
        torch.testing.assert_close(ours, theirs, rtol=1e-4, atol=1e-4)


class Sound(torch.nn.Module):
    """Convolutions over one dimension, with what stands between them in networks for sound."""

    def __init__(self) -> None:
        super().__init__()
        self.layers = torch.nn.Sequential(
            torch.nn.Conv1d(3, 8, 1), torch.nn.PReLU(), torch.nn.GroupNorm(2, 8), torch.nn.SiLU(),
            torch.nn.Conv1d(8, 8, 3, padding=2, dilation=2, groups=8), torch.nn.BatchNorm1d(8), torch.nn.ReLU(),
            torch.nn.Conv1d(8, 4, 3, stride=2),
        )  # fmt: skip

    def forward(self, x):
        return self.layers(x)


class Image(torch.nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.layers = torch.nn.Sequential(
            torch.nn.Conv2d(3, 8, 3), torch.nn.GroupNorm(4, 8), torch.nn.SiLU(),
            torch.nn.Conv2d(8, 4, 3), torch.nn.GroupNorm(1, 4, affine=False),
        )  # fmt: skip

    def forward(self, x):
        return self.layers(x)


@pytest.mark.parametrize("model, shape", [(Sound, (2, 3, 21)), (Image, (2, 3, 9, 8))], ids=["sound", "image"])
def test_what_convolutions_and_group_norms_save_lies_channels_last(model, shape, monkeypatch):
    """Nothing that is saved between two convolutions is transposed on its way to the gradient."""
    import tenfold.torch.backend as door

    def watch(module, stage, returned):
        names = laid_last(module, stage, returned)
        if stage == "forward":
            output = next(n for n in module.graph.nodes if n.op == "output").args[0]
            rest = [n for n in output[returned:] if n.op == "call_function" and n.meta["val"].dim() == len(shape)]
            left_out.extend(n.name for n in rest if n.name not in names)
            laid.extend(names)
        return names

    torch.manual_seed(0)
    torch._dynamo.reset()
    laid_last, left_out, laid = door.laid_last, [], []
    monkeypatch.setattr(door, "laid_last", watch)
    net, x = model(), torch.randn(shape, requires_grad=True)
    results = []
    for function in (net, torch.compile(net, backend="tenfold")):
        y = function(x)
        results.append([y, *torch.autograd.grad((y * y * y).sum(), [x, *net.parameters()])])
    for want, have in zip(*results, strict=True):
        torch.testing.assert_close(have, want, rtol=1e-4, atol=1e-4)
    assert len(laid) >= 2 and not left_out
