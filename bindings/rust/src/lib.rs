//! Arrays on any device. Operations are recorded, and run as one program when a value is read.
//!
//! ```
//! use tenfold::{DataType, Device, Tensor};
//! let device = Device::cpu(0)?;
//! let x = Tensor::from_slice(&[2, 2], &[1.0, 2.0, 3.0, 4.0], &device)?;
//! let y = (&(&x + &x)? * &x)?;
//! assert_eq!(y.to_vec()?, vec![2.0, 8.0, 18.0, 32.0]);
//! let zeros = Tensor::new(vec![2, 3], DataType::Float32, &device)?;
//! assert_eq!(zeros.shape(), vec![2, 3]);
//! assert!((&x + &zeros).unwrap_err().to_string().contains("(2,2) (2,3)"));
//! # Ok::<(), tenfold::Error>(())
//! ```
use std::ffi::{CStr, CString};
use std::fmt;
use std::ops::{Add, Div, Mul, Sub};
use std::os::raw::{c_char, c_int};
use std::ptr;

mod functions;
mod sys;

pub use functions::*;

/// What went wrong, in words.
#[derive(Debug, Clone, PartialEq)]
pub struct Error(String);

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}
impl std::error::Error for Error {}
pub type Result<T> = std::result::Result<T, Error>;

fn check(status: *mut sys::Status) -> Result<()> {
    if status.is_null() {
        return Ok(());
    }
    // SAFETY: a status that is not NULL is ours, and its text lives as long as it does.
    unsafe {
        let text = CStr::from_ptr(sys::ten_status_text(status)).to_string_lossy().into_owned();
        sys::ten_status_free(status);
        Err(Error(text))
    }
}

/// Element types.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DataType {
    Bool,
    Int32,
    Int64,
    Float32,
    Float64,
}

impl DataType {
    fn code(self) -> c_int {
        let name = match self {
            DataType::Bool => "i1",
            DataType::Int32 => "i32",
            DataType::Int64 => "i64",
            DataType::Float32 => "f32",
            DataType::Float64 => "f64",
        };
        // SAFETY: the bytes are borrowed for the call.
        unsafe { sys::ten_dtype_parse(name.as_ptr().cast(), name.len()) }
    }
}

/// Kinds of devices.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DeviceType {
    Cpu,
    Cuda,
    Rocm,
    OpenCl,
    WebGpu,
    Tpu,
    EdgeTpu,
    Remote,
    Interp,
}

impl DeviceType {
    fn name(self) -> Result<&'static str> {
        Ok(match self {
            DeviceType::Cpu => "cpu",
            DeviceType::Cuda => "cuda",
            DeviceType::Rocm => "hip",
            DeviceType::OpenCl => "opencl",
            DeviceType::WebGpu => "webgpu",
            DeviceType::Tpu => "tpu",
            DeviceType::Interp => "interp",
            DeviceType::EdgeTpu => {
                return Err(Error(
                    "arrays cannot be on an Edge TPU, which runs int8 programs compiled to a TFLite file: \
                     tenfold compile --target edgetpu"
                        .into(),
                ))
            }
            DeviceType::Remote => {
                return Err(Error(
                    "a remote device has an address, not a number: Device::open(\"grpc://HOST:PORT\")".into(),
                ))
            }
        })
    }
}

/// Memory of a device's arrays, in bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Memory {
    pub used: usize,
    pub peak: usize,
    /// What arrays may take together, where a limit was set.
    pub limit: Option<usize>,
}

/// A device of arrays.
///
/// ```
/// use tenfold::{DataType, Device, DeviceType, Tensor};
/// let cpu = Device::new(DeviceType::Cpu, 0)?;
/// let x = Tensor::new(vec![1024, 1024], DataType::Float32, &cpu)?;
/// assert_eq!((cpu.kind(), cpu.index()), ("cpu".to_string(), 0));
/// assert!(cpu.memory()?.used >= 4 << 20 && cpu.memory()?.limit.is_none());
/// cpu.synchronize()?;
/// assert!(Device::new(DeviceType::Cpu, 7).err().unwrap().to_string().contains("there is cpu:0"));
/// assert!(Device::new(DeviceType::EdgeTpu, 0).err().unwrap().to_string().contains("TFLite"));
/// # drop(x);
/// # Ok::<(), tenfold::Error>(())
/// ```
pub struct Device(*mut sys::Device);

// SAFETY: every function of the library may be called from any thread.
unsafe impl Send for Device {}
unsafe impl Sync for Device {}

impl Device {
    /// The device of that name, as `tenfold devices` lists them.
    pub fn open(name: &str) -> Result<Device> {
        let name = CString::new(name).map_err(|why| Error(why.to_string()))?;
        let mut device = ptr::null_mut();
        check(unsafe { sys::ten_device_open(name.as_ptr(), &mut device) })?;
        Ok(Device(device))
    }
    /// A device by its kind and number; an error that says what is missing where it is not there.
    pub fn new(kind: DeviceType, index: usize) -> Result<Device> {
        Device::open(&format!("{}:{index}", kind.name()?))
    }
    /// The processor.
    pub fn cpu(index: usize) -> Result<Device> {
        Device::new(DeviceType::Cpu, index)
    }
    /// A TPU; an error that says what is missing where there is none.
    pub fn tpu(index: usize) -> Result<Device> {
        Device::new(DeviceType::Tpu, index)
    }
    /// Whether there is one of that kind, and it can be used here.
    pub fn is_available(kind: DeviceType) -> bool {
        Device::new(kind, 0).is_ok()
    }
    /// What it was opened by.
    pub fn name(&self) -> String {
        self.text(sys::ten_device_get_name)
    }
    /// "cuda" of "cuda:1".
    pub fn kind(&self) -> String {
        self.text(sys::ten_device_get_kind)
    }
    /// Its number among those of its kind.
    pub fn index(&self) -> usize {
        unsafe { sys::ten_device_get_index(self.0) as usize }
    }
    /// What it runs on.
    pub fn description(&self) -> String {
        self.text(sys::ten_device_get_description)
    }
    fn text(&self, of: unsafe extern "C" fn(*const sys::Device) -> *const c_char) -> String {
        // SAFETY: the text is borrowed from the device.
        unsafe { CStr::from_ptr(of(self.0)).to_string_lossy().into_owned() }
    }
    /// Bytes of values of its arrays.
    pub fn memory(&self) -> Result<Memory> {
        let mut stats = sys::DeviceStats { size: std::mem::size_of::<sys::DeviceStats>(), ..Default::default() };
        check(unsafe { sys::ten_device_get_stats(self.0, &mut stats) })?;
        let limit = (stats.memory_limit > 0).then_some(stats.memory_limit);
        Ok(Memory { used: stats.bytes, peak: stats.bytes_peak, limit })
    }
    /// What its arrays may take together from now on; None: no limit.
    pub fn set_memory_limit(&self, bytes: Option<usize>) {
        unsafe { sys::ten_device_set_memory_limit(self.0, bytes.unwrap_or(0)) }
    }
    /// Gives free memory to the system until at most `keep` bytes of it are left; how many went.
    pub fn trim(&self, keep: usize) -> usize {
        unsafe { sys::ten_device_trim(self.0, keep) }
    }
    /// Runs everything that was recorded.
    pub fn synchronize(&self) -> Result<()> {
        check(unsafe { sys::ten_device_synchronize(self.0) })
    }
}

impl Clone for Device {
    fn clone(&self) -> Device {
        Device(unsafe { sys::ten_device_retain(self.0) })
    }
}

impl Drop for Device {
    fn drop(&mut self) {
        unsafe { sys::ten_device_release(self.0) }
    }
}

/// An array; its elements never change.
#[repr(transparent)]
pub struct Tensor(*mut sys::Array);

// SAFETY: as for Device; arrays are counted atomically.
unsafe impl Send for Tensor {}
unsafe impl Sync for Tensor {}

impl Clone for Tensor {
    fn clone(&self) -> Tensor {
        Tensor(unsafe { sys::ten_array_retain(self.0) })
    }
}

impl Drop for Tensor {
    fn drop(&mut self) {
        unsafe { sys::ten_array_release(self.0) }
    }
}

fn made(status: *mut sys::Status, array: *mut sys::Array) -> Result<Tensor> {
    check(status).map(|()| Tensor(array))
}

fn c_name(name: &str) -> CString {
    CString::new(name).expect("names of operations have no NUL")
}

impl Tensor {
    /// Zeros.
    pub fn new(shape: Vec<i64>, dtype: DataType, device: &Device) -> Result<Tensor> {
        let mut array = ptr::null_mut();
        let status = unsafe {
            sys::ten_array_create(device.0, dtype.code(), shape.len() as u32, shape.as_ptr(), ptr::null(), 0, &mut array)
        };
        made(status, array)
    }
    /// Numbers, row by row.
    pub fn from_slice(shape: &[i64], data: &[f32], device: &Device) -> Result<Tensor> {
        let mut array = ptr::null_mut();
        let (code, bytes) = (DataType::Float32.code(), std::mem::size_of_val(data));
        let status = unsafe {
            sys::ten_array_create(
                device.0, code, shape.len() as u32, shape.as_ptr(), data.as_ptr().cast(), bytes, &mut array,
            )
        };
        made(status, array)
    }
    /// One number.
    pub fn scalar(value: f32, device: &Device) -> Result<Tensor> {
        let mut array = ptr::null_mut();
        let status =
            unsafe { sys::ten_array_scalar(device.0, DataType::Float32.code(), f64::from(value), 0.0, &mut array) };
        made(status, array)
    }
    /// Normally distributed numbers by seed and position.
    pub fn normal(shape: &[i64], seed: u64, offset: u64, device: &Device) -> Result<Tensor> {
        let mut array = ptr::null_mut();
        let code = DataType::Float32.code();
        let status = unsafe {
            sys::ten_array_random(device.0, code, shape.len() as u32, shape.as_ptr(), seed, offset, 1, &mut array)
        };
        made(status, array)
    }
    /// Sizes.
    pub fn shape(&self) -> Vec<i64> {
        // SAFETY: as many sizes as dimensions, valid as long as the array.
        unsafe {
            let rank = sys::ten_array_rank(self.0) as usize;
            (0..rank).map(|i| *sys::ten_array_dims(self.0).add(i)).collect()
        }
    }
    /// The elements as f32, row by row.
    pub fn to_vec(&self) -> Result<Vec<f32>> {
        let floats = self.cast(DataType::Float32)?;
        let mut out = vec![0.0f32; unsafe { sys::ten_array_count(floats.0) }];
        check(unsafe { sys::ten_array_read(floats.0, out.as_mut_ptr().cast(), std::mem::size_of_val(&out[..])) })?;
        Ok(out)
    }
    /// The elements converted to another type.
    pub fn cast(&self, dtype: DataType) -> Result<Tensor> {
        let mut array = ptr::null_mut();
        made(unsafe { sys::ten_array_cast(self.0, dtype.code(), &mut array) }, array)
    }
    /// An operation of one operand, by name: "exp", "tanh".
    pub fn unary(&self, name: &str) -> Result<Tensor> {
        let mut array = ptr::null_mut();
        made(unsafe { sys::ten_array_unary(c_name(name).as_ptr(), self.0, &mut array) }, array)
    }
    /// An operation of two operands, by name: "add", "pow".
    pub fn binary(&self, name: &str, other: &Tensor) -> Result<Tensor> {
        let mut array = ptr::null_mut();
        made(unsafe { sys::ten_array_binary(c_name(name).as_ptr(), self.0, other.0, &mut array) }, array)
    }
    /// The matrix product.
    pub fn matmul(&self, other: &Tensor) -> Result<Tensor> {
        let mut array = ptr::null_mut();
        made(unsafe { sys::ten_array_matmul(self.0, other.0, &mut array) }, array)
    }
    /// The mean of all elements.
    pub fn mean(&self) -> Result<Tensor> {
        let mut array = ptr::null_mut();
        let name = c_name("mean.dim");
        made(unsafe { sys::ten_array_reduce(name.as_ptr(), self.0, 0, ptr::null(), 0, &mut array) }, array)
    }
    /// The gradients of this number by each of these arrays.
    pub fn grad(&self, by: &[Tensor]) -> Result<Vec<Tensor>> {
        let handles: Vec<_> = by.iter().map(|tensor| tensor.0).collect();
        let mut arrays = vec![ptr::null_mut(); by.len()];
        check(unsafe { sys::ten_array_grad(self.0, handles.len(), handles.as_ptr(), arrays.as_mut_ptr()) })?;
        Ok(arrays.into_iter().map(Tensor).collect())
    }
    /// The device that it is on.
    pub fn device(&self) -> Device {
        Device(unsafe { sys::ten_device_retain(sys::ten_array_device(self.0)) })
    }
}

macro_rules! operator {
    ($($trait:ident $method:ident $name:literal),*) => { $(
        impl $trait<&Tensor> for &Tensor {
            type Output = Result<Tensor>;
            fn $method(self, other: &Tensor) -> Result<Tensor> {
                self.binary($name, other)
            }
        }
    )* };
}
operator!(Add add "add", Sub sub "sub", Mul mul "mul", Div div "div");

impl fmt::Debug for Tensor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Tensor({:?})", self.shape())
    }
}

impl fmt::Display for Tensor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut text = ptr::null_mut();
        check(unsafe { sys::ten_array_text(self.0, &mut text) }).map_err(|_| fmt::Error)?;
        // SAFETY: the text is ours until it is freed.
        let owned = unsafe { CStr::from_ptr(text).to_string_lossy().into_owned() };
        unsafe { sys::free(text.cast()) };
        f.write_str(&owned)
    }
}
