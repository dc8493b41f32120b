//! Functions of networks: convolutions, attention, norms, pooling, losses, and any other operation by name.
use std::ffi::CString;
use std::ptr;

use crate::{c_name, check, sys, DataType, Device, Error, Result, Tensor};

enum Value {
    None,
    Array(Tensor),
    Arrays(Vec<Tensor>),
    Bool(bool),
    Int(i64),
    Float(f64),
    Ints(Vec<i64>),
    Type(DataType),
    Text(CString),
}

/// An operation of PyTorch's ATen library by name, argument by argument, with the names of its schema. Arguments that
/// are not given take their defaults.
///
/// ```
/// use tenfold::{Device, Operation, Tensor};
/// let x = Tensor::from_slice(&[3], &[1.0, 2.0, 3.0], &Device::cpu(0)?)?;
/// assert_eq!(Operation::new("cumsum").array("self", &x).integer("dim", 0).result()?.to_vec()?, vec![1.0, 3.0, 6.0]);
/// # Ok::<(), tenfold::Error>(())
/// ```
pub struct Operation {
    name: CString,
    device: Option<Device>,
    arguments: Vec<(CString, Value)>,
}

impl Operation {
    pub fn new(name: &str) -> Operation {
        Operation { name: c_name(name), device: None, arguments: Vec::new() }
    }
    /// The device, where no argument is an array.
    pub fn on(mut self, device: &Device) -> Operation {
        self.device = Some(device.clone());
        self
    }
    fn add(mut self, name: &str, value: Value) -> Operation {
        self.arguments.push((c_name(name), value));
        self
    }
    fn see(&mut self, x: &Tensor) {
        if self.device.is_none() {
            self.device = Some(x.device());
        }
    }
    pub fn array(mut self, name: &str, x: &Tensor) -> Operation {
        self.see(x);
        self.add(name, Value::Array(x.clone()))
    }
    /// An array, or none.
    pub fn maybe(self, name: &str, x: Option<&Tensor>) -> Operation {
        match x {
            Some(x) => self.array(name, x),
            None => self.add(name, Value::None),
        }
    }
    pub fn arrays(mut self, name: &str, all: &[Tensor]) -> Operation {
        if let Some(first) = all.first() {
            self.see(first);
        }
        self.add(name, Value::Arrays(all.to_vec()))
    }
    pub fn flag(self, name: &str, value: bool) -> Operation {
        self.add(name, Value::Bool(value))
    }
    pub fn integer(self, name: &str, value: i64) -> Operation {
        self.add(name, Value::Int(value))
    }
    pub fn real(self, name: &str, value: f64) -> Operation {
        self.add(name, Value::Float(value))
    }
    pub fn sizes(self, name: &str, values: &[i64]) -> Operation {
        self.add(name, Value::Ints(values.to_vec()))
    }
    pub fn dtype(self, name: &str, value: DataType) -> Operation {
        self.add(name, Value::Type(value))
    }
    pub fn text(self, name: &str, value: &str) -> Operation {
        self.add(name, Value::Text(c_name(value)))
    }
    /// So many results.
    pub fn results(self, count: usize) -> Result<Vec<Tensor>> {
        let Some(device) = &self.device else {
            let name = self.name.to_string_lossy();
            return Err(Error(format!("{name}: no argument is an array, and no device is given: on(device)")));
        };
        let arguments: Vec<_> = self.arguments.iter().map(|(name, value)| argument(name, value)).collect();
        let mut arrays = vec![ptr::null_mut(); count];
        // SAFETY: `self` owns what the arguments point to.
        check(unsafe {
            sys::ten_array_op(
                device.0, self.name.as_ptr(), arguments.as_ptr(), arguments.len(), arrays.as_mut_ptr(), count,
            )
        })?;
        Ok(arrays.into_iter().map(Tensor).collect())
    }
    /// The one result.
    pub fn result(self) -> Result<Tensor> {
        Ok(self.results(1)?.remove(0))
    }
}

fn argument(name: &CString, value: &Value) -> sys::Argument {
    let mut out = sys::Argument {
        name: name.as_ptr(),
        kind: sys::NONE,
        integer: 0,
        real: 0.0,
        imag: 0.0,
        array: ptr::null_mut(),
        count: 0,
        ints: ptr::null(),
        floats: ptr::null(),
        arrays: ptr::null(),
        text: ptr::null(),
    };
    match value {
        Value::None => {}
        Value::Array(x) => (out.kind, out.array) = (sys::ARRAY, x.0),
        // A Tensor is a pointer, and nothing else.
        Value::Arrays(all) => (out.kind, out.count, out.arrays) = (sys::ARRAYS, all.len(), all.as_ptr().cast()),
        Value::Bool(value) => (out.kind, out.integer) = (sys::BOOL, i64::from(*value)),
        Value::Int(value) => (out.kind, out.integer) = (sys::INT, *value),
        Value::Float(value) => (out.kind, out.real) = (sys::FLOAT, *value),
        Value::Ints(values) => (out.kind, out.count, out.ints) = (sys::INTS, values.len(), values.as_ptr()),
        Value::Type(dtype) => (out.kind, out.integer) = (sys::DTYPE, i64::from(dtype.code())),
        Value::Text(text) => (out.kind, out.text) = (sys::STRING, text.as_ptr()),
    }
    out
}

/// Arrays one after another along a dimension.
pub fn concat(parts: &[Tensor], dim: i64) -> Result<Tensor> {
    Operation::new("cat").arrays("tensors", parts).integer("dim", dim).result()
}
/// The dimensions in another order.
pub fn permute(x: &Tensor, order: &[i64]) -> Result<Tensor> {
    Operation::new("permute").array("self", x).sizes("dims", order).result()
}
/// Two dimensions exchanged.
pub fn transpose(x: &Tensor, first: i64, second: i64) -> Result<Tensor> {
    Operation::new("transpose").array("self", x).integer("dim0", first).integer("dim1", second).result()
}
/// Positive numbers along a dimension that add up to 1.
pub fn softmax(x: &Tensor, dim: i64) -> Result<Tensor> {
    Operation::new("_softmax").array("self", x).integer("dim", dim).flag("half_to_float", false).result()
}
/// The logarithm of `softmax`.
pub fn log_softmax(x: &Tensor, dim: i64) -> Result<Tensor> {
    Operation::new("_log_softmax").array("self", x).integer("dim", dim).flag("half_to_float", false).result()
}
/// x times the normal distribution function of x.
pub fn gelu(x: &Tensor) -> Result<Tensor> {
    Operation::new("gelu").array("self", x).text("approximate", "none").result()
}
/// x times the weight transposed, and a bias.
pub fn linear(x: &Tensor, weight: &Tensor, bias: Option<&Tensor>) -> Result<Tensor> {
    Operation::new("linear").array("input", x).array("weight", weight).maybe("bias", bias).result()
}
/// Rows of a table by number.
pub fn embedding(index: &Tensor, weight: &Tensor) -> Result<Tensor> {
    Operation::new("embedding").array("weight", weight).array("indices", index).result()
}

/// Of a convolution; one size for each dimension of the image, or none: stride 1, padding 0, dilation 1.
#[derive(Debug, Clone)]
pub struct ConvOptions {
    pub stride: Vec<i64>,
    pub padding: Vec<i64>,
    pub dilation: Vec<i64>,
    pub groups: i64,
    pub transposed: bool,
    pub output_padding: Vec<i64>,
}

impl Default for ConvOptions {
    fn default() -> ConvOptions {
        ConvOptions {
            stride: Vec::new(),
            padding: Vec::new(),
            dilation: Vec::new(),
            groups: 1,
            transposed: false,
            output_padding: Vec::new(),
        }
    }
}

/// A convolution of as many dimensions as `weight` has after its first two: x is (batch, channels, sizes…).
///
/// ```
/// use tenfold::{conv, ConvOptions, Device, Tensor};
/// let device = Device::cpu(0)?;
/// let x = Tensor::from_slice(&[1, 1, 3], &[1.0, 2.0, 3.0], &device)?;
/// let weight = Tensor::from_slice(&[1, 1, 3], &[1.0, 1.0, 1.0], &device)?;
/// let y = conv(&x, &weight, None, &ConvOptions { padding: vec![1], ..Default::default() })?;
/// assert_eq!(y.to_vec()?, vec![3.0, 6.0, 5.0]);
/// # Ok::<(), tenfold::Error>(())
/// ```
pub fn conv(x: &Tensor, weight: &Tensor, bias: Option<&Tensor>, options: &ConvOptions) -> Result<Tensor> {
    let rank = weight.shape().len();
    if !(3..=5).contains(&rank) {
        return Err(Error(format!("conv: a weight has 3 to 5 dimensions, not {rank}")));
    }
    let each = |given: &Vec<i64>, otherwise| if given.is_empty() { vec![otherwise; rank - 2] } else { given.clone() };
    Operation::new("convolution")
        .array("input", x)
        .array("weight", weight)
        .maybe("bias", bias)
        .sizes("stride", &each(&options.stride, 1))
        .sizes("padding", &each(&options.padding, 0))
        .sizes("dilation", &each(&options.dilation, 1))
        .flag("transposed", options.transposed)
        .sizes("output_padding", &each(&options.output_padding, 0))
        .integer("groups", options.groups)
        .result()
}

/// softmax(query keyᵀ / √size) value over (batch, heads, length, size). A mask of bools says which keys count, one of
/// floats is added; `causal`: no query sees later keys.
pub fn attention(
    query: &Tensor, key: &Tensor, value: &Tensor, mask: Option<&Tensor>, causal: bool,
) -> Result<Tensor> {
    Operation::new("scaled_dot_product_attention")
        .array("query", query)
        .array("key", key)
        .array("value", value)
        .maybe("attn_mask", mask)
        .real("dropout_p", 0.0)
        .flag("is_causal", causal)
        .result()
}

/// The last dimensions, of sizes `shape`, with mean 0 and variance 1.
pub fn layer_norm(
    x: &Tensor, shape: &[i64], weight: Option<&Tensor>, bias: Option<&Tensor>, eps: f64,
) -> Result<Tensor> {
    Operation::new("layer_norm")
        .array("input", x)
        .sizes("normalized_shape", shape)
        .maybe("weight", weight)
        .maybe("bias", bias)
        .real("eps", eps)
        .result()
}
/// The last dimensions, of sizes `shape`, divided by the root of the mean of their squares.
pub fn rms_norm(x: &Tensor, shape: &[i64], weight: Option<&Tensor>, eps: f64) -> Result<Tensor> {
    Operation::new("rms_norm")
        .array("input", x)
        .sizes("normalized_shape", shape)
        .maybe("weight", weight)
        .real("eps", eps)
        .result()
}
/// Each group of channels with mean 0 and variance 1.
pub fn group_norm(
    x: &Tensor, groups: i64, weight: Option<&Tensor>, bias: Option<&Tensor>, eps: f64,
) -> Result<Tensor> {
    Operation::new("group_norm")
        .array("input", x)
        .integer("num_groups", groups)
        .maybe("weight", weight)
        .maybe("bias", bias)
        .real("eps", eps)
        .flag("cudnn_enabled", false)
        .result()
}
/// Each channel with a mean and a variance taken out; None: those of this batch.
pub fn batch_norm(
    x: &Tensor, statistics: Option<(&Tensor, &Tensor)>, weight: Option<&Tensor>, bias: Option<&Tensor>, eps: f64,
) -> Result<Tensor> {
    Operation::new("batch_norm")
        .array("input", x)
        .maybe("weight", weight)
        .maybe("bias", bias)
        .maybe("running_mean", statistics.map(|(mean, _)| mean))
        .maybe("running_var", statistics.map(|(_, variance)| variance))
        .flag("training", statistics.is_none())
        .real("momentum", 0.0)
        .real("eps", eps)
        .flag("cudnn_enabled", false)
        .result()
}

fn pool2d(name: &str, x: &Tensor, size: [i64; 2], stride: [i64; 2], padding: [i64; 2]) -> Result<Tensor> {
    Operation::new(name)
        .array("self", x)
        .sizes("kernel_size", &size)
        .sizes("stride", &stride)
        .sizes("padding", &padding)
        .result()
}
/// The largest element of each window of (batch, channels, height, width).
pub fn max_pool2d(x: &Tensor, size: [i64; 2], stride: [i64; 2], padding: [i64; 2]) -> Result<Tensor> {
    pool2d("max_pool2d", x, size, stride, padding)
}
/// The mean of each window; what is padded counts as zero.
pub fn avg_pool2d(x: &Tensor, size: [i64; 2], stride: [i64; 2], padding: [i64; 2]) -> Result<Tensor> {
    pool2d("avg_pool2d", x, size, stride, padding)
}
/// Means over so many windows.
pub fn adaptive_avg_pool2d(x: &Tensor, size: [i64; 2]) -> Result<Tensor> {
    Operation::new("adaptive_avg_pool2d").array("self", x).sizes("output_size", &size).result()
}

/// The mean of minus the logarithm of the softmax of the right classes; `target` has their numbers, of type Int64.
pub fn cross_entropy(x: &Tensor, target: &Tensor) -> Result<Tensor> {
    Operation::new("cross_entropy_loss").array("self", x).array("target", target).result()
}
