"""Convolutions, attention, norms and pooling from C++ and Rust give what PyTorch gives."""

import os
import pathlib
import shutil
import subprocess

import pytest

torch = pytest.importorskip("torch")
from torch.nn import functional as F  # noqa: E402

ROOT = pathlib.Path(__file__).parents[2]
LIBRARY = pathlib.Path(os.environ.get("TENFOLD_LIBRARY", ROOT / "build" / "libtenfold.so")).resolve().parent
ENVIRONMENT = dict(os.environ, LD_LIBRARY_PATH=str(LIBRARY), TENFOLD_LIB_DIR=str(LIBRARY))


def ramp(*shape):
    """Numbers that both programs make the same way."""
    count = torch.Size(shape).numel()
    return ((torch.arange(count) * 37 % 101).float() / 101 - 0.3).reshape(shape)


def wanted():
    x, weight, bias = ramp(2, 4, 6, 5), ramp(6, 2, 3, 3), ramp(6)
    scale, shift = ramp(4) + 1, ramp(4)
    q, k, v = ramp(2, 2, 5, 8), ramp(2, 2, 7, 8) * 2, ramp(2, 2, 7, 3)
    rows, table = ramp(3, 6), ramp(7, 4)
    index, classes = torch.tensor([1, 6, 0]), torch.tensor([5, 0, 3])
    mask = ramp(5, 7)
    return {
        "conv": F.conv2d(x, weight, bias, stride=2, padding=1, groups=2),
        "conv1d": F.conv1d(ramp(1, 2, 9), ramp(3, 2, 4), dilation=2),
        "conv_transposed": F.conv_transpose2d(x, ramp(4, 3, 3, 3), stride=2, output_padding=1),
        "attention": F.scaled_dot_product_attention(q, k, v),
        "attention_causal": F.scaled_dot_product_attention(q, q, q, is_causal=True),
        "attention_mask": F.scaled_dot_product_attention(q, k, v, attn_mask=mask),
        "layer_norm": F.layer_norm(rows, (6,), ramp(6), ramp(6) * 2),
        "rms_norm": F.rms_norm(rows, (6,), ramp(6), 1e-6),
        "group_norm": F.group_norm(x, 2, scale, shift),
        "batch_norm": F.batch_norm(x, None, None, scale, shift, training=True),
        "batch_norm_given": F.batch_norm(x, shift, scale, scale, shift),
        "softmax": F.softmax(rows, 1),
        "log_softmax": F.log_softmax(rows, 0),
        "gelu": F.gelu(rows),
        "linear": F.linear(rows, ramp(2, 6), ramp(2)),
        "embedding": F.embedding(index, table),
        "max_pool2d": F.max_pool2d(x, (3, 2), (2, 1), (1, 0)),
        "avg_pool2d": F.avg_pool2d(x, (2, 2), (2, 2)),
        "adaptive_avg_pool2d": F.adaptive_avg_pool2d(x, (2, 3)),
        "concat": torch.cat([rows, rows * 2], 1),
        "permute": x.permute(3, 0, 2, 1),
        "transpose": rows.transpose(0, 1),
        "cross_entropy": F.cross_entropy(rows, classes),
        "cumsum": torch.cumsum(rows, 1),
    }


def compare(text):
    got = {}
    for line in text.splitlines():
        name, shape, *numbers = line.split()
        got[name] = torch.tensor([float(n) for n in numbers]).reshape([int(d) for d in shape.split(",") if d])
    for name, value in wanted().items():
        assert got[name].shape == value.shape, name
        torch.testing.assert_close(
            got[name], value, rtol=1e-4, atol=1e-5, msg=lambda text, name=name: f"{name}: {text}"
        )


CPP = r"""
#include <cstdio>
#include <tenfold/tenfold.hpp>
namespace tn = tenfold;
static tn::Tensor ramp(const tn::Sizes &shape) {
  int64_t count = 1;
  for (int64_t size : shape) count *= size;
  std::vector<float> data;
  for (int64_t i = 0; i < count; i++) data.push_back(static_cast<float>(i * 37 % 101) / 101 - 0.3f);
  return tn::Tensor(shape, data);
}
static tn::Tensor numbers(const std::vector<float> &data) {
  return tn::Tensor({static_cast<int64_t>(data.size())}, data).cast(tn::DataType::INT64);
}
static void show(const char *name, const tn::Tensor &x) {
  std::printf("%s ", name);
  for (int64_t size : x.shape()) std::printf("%lld,", static_cast<long long>(size));
  if (x.shape().empty()) std::printf(",");
  for (float value : x.values()) std::printf(" %.9g", static_cast<double>(value));
  std::printf("\n");
}
int main() {
  const tn::Tensor x = ramp({2, 4, 6, 5}), rows = ramp({3, 6}), scale = ramp({4}) + 1.f, shift = ramp({4});
  const tn::Tensor q = ramp({2, 2, 5, 8}), k = ramp({2, 2, 7, 8}) * 2.f, v = ramp({2, 2, 7, 3});
  tn::ConvOptions grouped;
  grouped.stride = {2, 2}, grouped.padding = {1, 1}, grouped.groups = 2;
  show("conv", tn::conv(x, ramp({6, 2, 3, 3}), ramp({6}), grouped));
  show("conv1d", tn::conv(ramp({1, 2, 9}), ramp({3, 2, 4}), {}, {{}, {}, {2}}));
  tn::ConvOptions transposed;
  transposed.transposed = true, transposed.stride = {2, 2}, transposed.output_padding = {1, 1};
  show("conv_transposed", tn::conv(x, ramp({4, 3, 3, 3}), {}, transposed));
  show("attention", tn::attention(q, k, v));
  show("attention_causal", tn::attention(q, q, q, {}, true));
  show("attention_mask", tn::attention(q, k, v, ramp({5, 7})));
  show("layer_norm", tn::layer_norm(rows, {6}, ramp({6}), ramp({6}) * 2.f));
  show("rms_norm", tn::rms_norm(rows, {6}, ramp({6})));
  show("group_norm", tn::group_norm(x, 2, scale, shift));
  show("batch_norm", tn::batch_norm(x, {}, {}, scale, shift));
  show("batch_norm_given", tn::batch_norm(x, shift, scale, scale, shift));
  show("softmax", tn::softmax(rows, 1));
  show("log_softmax", tn::log_softmax(rows, 0));
  show("gelu", tn::gelu(rows));
  show("linear", tn::linear(rows, ramp({2, 6}), ramp({2})));
  show("embedding", tn::embedding(numbers({1, 6, 0}), ramp({7, 4})));
  show("max_pool2d", tn::max_pool2d(x, {3, 2}, {2, 1}, {1, 0}));
  show("avg_pool2d", tn::avg_pool2d(x, {2, 2}));
  show("adaptive_avg_pool2d", tn::adaptive_avg_pool2d(x, {2, 3}));
  show("concat", tn::concat({rows, rows * 2.f}, 1));
  show("permute", tn::permute(x, {3, 0, 2, 1}));
  show("transpose", tn::transpose(rows));
  show("cross_entropy", tn::cross_entropy(rows, numbers({5, 0, 3})));
  show("cumsum", tn::Operation("cumsum").array("self", rows).integer("dim", 1).result());
  try {
    tn::conv(x, rows);
    std::printf("no error\n");
  } catch (const tn::Error &error) {
    std::fprintf(stderr, "%s\n", error.what());
  }
}
"""

RUST = r"""
use std::sync::OnceLock;
use tenfold::*;
fn device() -> &'static Device {
    static DEVICE: OnceLock<Device> = OnceLock::new();
    DEVICE.get_or_init(|| Device::cpu(0).unwrap())
}
fn ramp(shape: &[i64]) -> Tensor {
    let count: i64 = shape.iter().product();
    let data: Vec<f32> = (0..count).map(|i| (i * 37 % 101) as f32 / 101.0 - 0.3).collect();
    Tensor::from_slice(shape, &data, device()).unwrap()
}
fn scalar(value: f32) -> Tensor {
    Tensor::scalar(value, device()).unwrap()
}
fn numbers(data: &[f32]) -> Tensor {
    let floats = Tensor::from_slice(&[data.len() as i64], data, device()).unwrap();
    floats.cast(DataType::Int64).unwrap()
}
fn show(name: &str, x: Result<Tensor>) {
    let x = x.unwrap();
    let shape: Vec<String> = x.shape().iter().map(|size| size.to_string()).collect();
    let values: Vec<String> = x.to_vec().unwrap().iter().map(|value| value.to_string()).collect();
    println!("{name} {}, {}", shape.join(","), values.join(" "));
}
fn main() {
    let (x, rows, shift) = (ramp(&[2, 4, 6, 5]), ramp(&[3, 6]), ramp(&[4]));
    let scale = (&shift + &scalar(1.0)).unwrap();
    let two = scalar(2.0);
    let (q, v) = (ramp(&[2, 2, 5, 8]), ramp(&[2, 2, 7, 3]));
    let k = (&ramp(&[2, 2, 7, 8]) * &two).unwrap();
    let all = |size: i64| vec![size, size];
    let grouped = ConvOptions { stride: all(2), padding: all(1), groups: 2, ..Default::default() };
    show("conv", conv(&x, &ramp(&[6, 2, 3, 3]), Some(&ramp(&[6])), &grouped));
    let wide = ConvOptions { dilation: vec![2], ..Default::default() };
    show("conv1d", conv(&ramp(&[1, 2, 9]), &ramp(&[3, 2, 4]), None, &wide));
    let up = ConvOptions { transposed: true, stride: all(2), output_padding: all(1), ..Default::default() };
    show("conv_transposed", conv(&x, &ramp(&[4, 3, 3, 3]), None, &up));
    show("attention", attention(&q, &k, &v, None, false));
    show("attention_causal", attention(&q, &q, &q, None, true));
    show("attention_mask", attention(&q, &k, &v, Some(&ramp(&[5, 7])), false));
    let twice = (&ramp(&[6]) * &two).unwrap();
    show("layer_norm", layer_norm(&rows, &[6], Some(&ramp(&[6])), Some(&twice), 1e-5));
    show("rms_norm", rms_norm(&rows, &[6], Some(&ramp(&[6])), 1e-6));
    show("group_norm", group_norm(&x, 2, Some(&scale), Some(&shift), 1e-5));
    show("batch_norm", batch_norm(&x, None, Some(&scale), Some(&shift), 1e-5));
    show("batch_norm_given", batch_norm(&x, Some((&shift, &scale)), Some(&scale), Some(&shift), 1e-5));
    show("softmax", softmax(&rows, 1));
    show("log_softmax", log_softmax(&rows, 0));
    show("gelu", gelu(&rows));
    show("linear", linear(&rows, &ramp(&[2, 6]), Some(&ramp(&[2]))));
    show("embedding", embedding(&numbers(&[1.0, 6.0, 0.0]), &ramp(&[7, 4])));
    show("max_pool2d", max_pool2d(&x, [3, 2], [2, 1], [1, 0]));
    show("avg_pool2d", avg_pool2d(&x, [2, 2], [2, 2], [0, 0]));
    show("adaptive_avg_pool2d", adaptive_avg_pool2d(&x, [2, 3]));
    show("concat", concat(&[rows.clone(), (&rows * &two).unwrap()], 1));
    show("permute", permute(&x, &[3, 0, 2, 1]));
    show("transpose", transpose(&rows, 0, 1));
    show("cross_entropy", cross_entropy(&rows, &numbers(&[5.0, 0.0, 3.0])));
    show("cumsum", Operation::new("cumsum").array("self", &rows).integer("dim", 1).result());
    eprintln!("{}", conv(&x, &rows, None, &Default::default()).unwrap_err());
}
"""


def run(command, **options):
    done = subprocess.run(command, capture_output=True, text=True, timeout=600, env=ENVIRONMENT, **options)
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
    return done


def check(done):
    compare(done.stdout)
    assert done.stderr.strip() == "conv: a weight has 3 to 5 dimensions, not 2"


def test_cpp(tmp_path):
    if not shutil.which("c++"):
        pytest.skip("no c++")
    (tmp_path / "functions.cpp").write_text(CPP)
    flags = ["-std=c++17", "-Wall", "-Wextra", "-Wpedantic", "-Werror", f"-I{ROOT / 'include'}", f"-L{LIBRARY}"]
    run(["c++", *flags, tmp_path / "functions.cpp", "-o", tmp_path / "functions", "-ltenfold"])
    check(run([tmp_path / "functions"]))


def test_rust(tmp_path):
    if not shutil.which("cargo"):
        pytest.skip("no cargo (Debian: apt-get install cargo)")
    crate = tmp_path / "rust"  # cargo writes next to the sources
    shutil.copytree(ROOT / "bindings" / "rust", crate, ignore=shutil.ignore_patterns("target", "Cargo.lock"))
    (crate / "examples" / "functions.rs").write_text(RUST)
    check(run(["cargo", "run", "-q", "--offline", "--example", "functions"], cwd=crate))
