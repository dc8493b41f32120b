//! The functions of tenfold/tensor.h that this crate uses.
use std::os::raw::{c_char, c_double, c_int, c_void};

macro_rules! opaque {
    ($($name:ident),*) => { $(#[repr(C)] pub struct $name { _private: [u8; 0] })* };
}
opaque!(Status, Device, Array);

/// ten_argument; a field that its kind does not use is zero.
#[repr(C)]
pub struct Argument {
    pub name: *const c_char,
    pub kind: c_int,
    pub integer: i64,
    pub real: c_double,
    pub imag: c_double,
    pub array: *mut Array,
    pub count: usize,
    pub ints: *const i64,
    pub floats: *const c_double,
    pub arrays: *const *mut Array,
    pub text: *const c_char,
}

pub const NONE: c_int = 0;
pub const ARRAY: c_int = 1;
pub const ARRAYS: c_int = 2;
pub const BOOL: c_int = 3;
pub const INT: c_int = 4;
pub const FLOAT: c_int = 5;
pub const INTS: c_int = 7;
pub const DTYPE: c_int = 9;
pub const STRING: c_int = 10;

/// As ten_device_stats.
#[repr(C)]
#[derive(Default)]
pub struct DeviceStats {
    pub size: usize,
    pub bytes: usize,
    pub bytes_peak: usize,
    pub pending: usize,
    pub programs: usize,
    pub counts: [u64; 4],
    pub pool: [usize; 4],
    pub memory_limit: usize,
    pub allocations: [u64; 2],
}

extern "C" {
    pub fn ten_status_text(status: *const Status) -> *const c_char;
    pub fn ten_status_free(status: *mut Status);
    pub fn ten_device_open(name: *const c_char, out: *mut *mut Device) -> *mut Status;
    pub fn ten_device_retain(device: *mut Device) -> *mut Device;
    pub fn ten_device_release(device: *mut Device);
    pub fn ten_device_get_name(device: *const Device) -> *const c_char;
    pub fn ten_device_get_kind(device: *const Device) -> *const c_char;
    pub fn ten_device_get_index(device: *const Device) -> u32;
    pub fn ten_device_get_description(device: *const Device) -> *const c_char;
    pub fn ten_device_get_stats(device: *mut Device, out: *mut DeviceStats) -> *mut Status;
    pub fn ten_device_set_memory_limit(device: *mut Device, bytes: usize);
    pub fn ten_device_trim(device: *mut Device, keep: usize) -> usize;
    pub fn ten_device_synchronize(device: *mut Device) -> *mut Status;
    pub fn ten_dtype_parse(text: *const c_char, size: usize) -> c_int;
    pub fn ten_array_create(
        device: *mut Device, dtype: c_int, rank: u32, dims: *const i64, data: *const c_void, bytes: usize,
        out: *mut *mut Array,
    ) -> *mut Status;
    pub fn ten_array_scalar(
        device: *mut Device, dtype: c_int, real: c_double, imag: c_double, out: *mut *mut Array,
    ) -> *mut Status;
    pub fn ten_array_random(
        device: *mut Device, dtype: c_int, rank: u32, dims: *const i64, seed: u64, offset: u64, normal: c_int,
        out: *mut *mut Array,
    ) -> *mut Status;
    pub fn ten_array_retain(array: *mut Array) -> *mut Array;
    pub fn ten_array_release(array: *mut Array);
    pub fn ten_array_rank(array: *const Array) -> u32;
    pub fn ten_array_dims(array: *const Array) -> *const i64;
    pub fn ten_array_count(array: *const Array) -> usize;
    pub fn ten_array_device(array: *const Array) -> *mut Device;
    pub fn ten_array_cast(array: *mut Array, dtype: c_int, out: *mut *mut Array) -> *mut Status;
    pub fn ten_array_read(array: *mut Array, out: *mut c_void, bytes: usize) -> *mut Status;
    pub fn ten_array_text(array: *mut Array, out: *mut *mut c_char) -> *mut Status;
    pub fn ten_array_unary(name: *const c_char, x: *mut Array, out: *mut *mut Array) -> *mut Status;
    pub fn ten_array_binary(name: *const c_char, x: *mut Array, y: *mut Array, out: *mut *mut Array) -> *mut Status;
    pub fn ten_array_matmul(x: *mut Array, y: *mut Array, out: *mut *mut Array) -> *mut Status;
    pub fn ten_array_reduce(
        name: *const c_char, x: *mut Array, count: usize, dims: *const i64, keep: c_int, out: *mut *mut Array,
    ) -> *mut Status;
    pub fn ten_array_op(
        device: *mut Device, name: *const c_char, arguments: *const Argument, count: usize, outputs: *mut *mut Array,
        output_count: usize,
    ) -> *mut Status;
    pub fn ten_array_grad(loss: *mut Array, count: usize, by: *const *mut Array, out: *mut *mut Array) -> *mut Status;
    pub fn free(memory: *mut c_void);
}
