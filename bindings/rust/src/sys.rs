//! The functions of tenfold/tensor.h that this crate uses.
use std::os::raw::{c_char, c_double, c_int, c_void};

macro_rules! opaque {
    ($($name:ident),*) => { $(#[repr(C)] pub struct $name { _private: [u8; 0] })* };
}
opaque!(Status, Device, Array);

extern "C" {
    pub fn ten_status_text(status: *const Status) -> *const c_char;
    pub fn ten_status_free(status: *mut Status);
    pub fn ten_device_open(name: *const c_char, out: *mut *mut Device) -> *mut Status;
    pub fn ten_device_retain(device: *mut Device) -> *mut Device;
    pub fn ten_device_release(device: *mut Device);
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
    pub fn ten_array_grad(loss: *mut Array, count: usize, by: *const *mut Array, out: *mut *mut Array) -> *mut Status;
    pub fn free(memory: *mut c_void);
}
