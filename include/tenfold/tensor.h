/* tensor.h: arrays on a device. An operation is recorded when it is called; when a value is read, it runs with
 * everything it depends on as one compiled program.
 *
 * Operations are those of PyTorch's ATen library, by name and with the argument names of their schemas
 * ("sum.dim_IntList" takes self, dim, keepdim, dtype); functions for the common ones follow.
 *
 * Threads: every function may be called from any thread; calls on arrays of one device wait for each other. */
#ifndef TENFOLD_TENSOR_H
#define TENFOLD_TENSOR_H

#include <stdint.h>

#include "tenfold/dtype.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A device and its compiled programs. Reference-counted: arrays hold a reference. */
typedef struct ten_device ten_device;
/* An array. Reference-counted; its elements never change. */
typedef struct ten_array ten_array;
/* A program recorded once and called often. Reference-counted. */
typedef struct ten_function ten_function;
/* A tensor of another library, as dlpack.h (version 1) declares it. */
struct DLManagedTensorVersioned;

/* ---- devices ---- */

/* Opens the device `name`: "cpu", "interp", "cuda", "opencl", "hip", "webgpu", "tpu", also with a number where there
 * are several ("cuda:1"; "cuda:0" is "cuda"), "pjrt:PATH.so", or one of another process or machine, "grpc://HOST:PORT";
 * NULL: the first that `tenfold devices` lists. The caller releases `out_device`, which is NULL on an error. Errors:
 * TEN_NOT_FOUND when there is no such device, which names those that there are, TEN_UNSUPPORTED when it cannot run
 * here.
 */
TEN_API TEN_MUST_USE ten_status *ten_device_open(const char *name, ten_device **out_device);
/* One more reference to `device`, which it returns. */
TEN_API ten_device *ten_device_retain(ten_device *device);
/* Gives one reference to `device` back; NULL is allowed. */
TEN_API void ten_device_release(ten_device *device);
/* The name of device number `index` of those that can be opened, or NULL when there are no more; static. */
TEN_API const char *ten_device_name_at(size_t index);
/* The name that `device` was opened by; borrowed from the device. */
TEN_API const char *ten_device_get_name(const ten_device *device);
/* The kind of `device`: its name without a number, "cuda" of "cuda:1"; borrowed from the device. */
TEN_API const char *ten_device_get_kind(const ten_device *device);
/* The number of `device` among those of its kind. */
TEN_API unsigned ten_device_get_index(const ten_device *device);
/* What `device` runs on ("NVIDIA H200, sm_90, 143771 MiB"); borrowed from the device. */
TEN_API const char *ten_device_get_description(const ten_device *device);

/* Counts of a device. Set `size`; later versions add fields at the end. */
typedef struct ten_device_stats {
  size_t size;               /* sizeof(ten_device_stats) */
  size_t bytes, bytes_peak;  /* of values of arrays, now and peak */
  size_t pending;            /* operations recorded and not run */
  size_t programs;           /* stored */
  uint64_t recorded;         /* operations so far */
  uint64_t runs, compiled;   /* of programs; how many were compiled */
  uint64_t interpreted_runs; /* runs by the interpreter: small, and too rare to compile */
  /* Of the pool that values of 4 KiB and more lie in: */
  size_t pool_used, pool_used_peak;         /* bytes in use, now and peak */
  size_t pool_reserved, pool_reserved_peak; /* the same with what is free and was not given to the system */
  size_t memory_limit;                      /* as ten_device_set_memory_limit set it; 0: none */
  uint64_t allocations, reused;             /* blocks so far; how many lay in memory that was used before */
} ten_device_stats;
/* Fills `out_stats`, as far as its size goes, for `device`. TEN_INVALID when the size is not that of a version. */
TEN_API TEN_MUST_USE ten_status *ten_device_get_stats(ten_device *device, ten_device_stats *out_stats);
/* From now on values of arrays on `device` may take `bytes` together, 0: any number. What would take more is a
 * TEN_LIMIT error that says how much is in use, and where the arrays that hold most of it were made; free memory of the
 * pool goes to the system before that. */
TEN_API void ten_device_set_memory_limit(ten_device *device, size_t bytes);
/* Gives free memory of the pool of `device` to the system until at most `keep` bytes of it are left, and returns how
 * many went. */
TEN_API size_t ten_device_trim(ten_device *device, size_t keep);
/* Runs everything recorded on `device` whose value can still be read. */
TEN_API TEN_MUST_USE ten_status *ten_device_synchronize(ten_device *device);

/* ---- arrays ---- */

/* An array on `device` of `dtype` with `rank` sizes `dims`, copied from `data`: row-major, `bytes` of it. NULL data:
 * zeros. The caller releases `out_array`, NULL on an error. */
TEN_API TEN_MUST_USE ten_status *ten_array_create(ten_device *device, ten_dtype dtype, uint32_t rank,
                                                  const int64_t *dims, const void *data, size_t bytes,
                                                  ten_array **out_array);
/* The same on `device` of `dtype` with `rank` sizes `dims` without a copy: `data` is read where it is and must not
 * change until `release(owner)` is called, from any thread; a NULL `release` is not called. */
TEN_API TEN_MUST_USE ten_status *ten_array_view(ten_device *device, ten_dtype dtype, uint32_t rank, const int64_t *dims,
                                                void *data, void (*release)(void *owner), void *owner,
                                                ten_array **out_array);
/* An array on `device` without dimensions, of `dtype`, holding `real` (and `imag` where the type is complex). A number
 * that an integer type does not hold, NaN included, is an error; fractions are cut off. The caller releases
 * `out_array`, NULL on an error. */
TEN_API TEN_MUST_USE ten_status *ten_array_scalar(ten_device *device, ten_dtype dtype, double real, double imag,
                                                  ten_array **out_array);
/* The same on `device` of an integer `value`, exactly, in `dtype`; one that an integer type does not hold is an error.
 * The caller releases `out_array`, NULL on an error. */
TEN_API TEN_MUST_USE ten_status *ten_array_integer(ten_device *device, ten_dtype dtype, int64_t value,
                                                   ten_array **out_array);
/* Random numbers in [0, 1) (`normal` 0) or normally distributed (1) of `dtype` f32 or f64 on `device` with `rank` sizes
 * `dims`: the numbers of Philox 4x32-10 with key `seed` from position `offset` on, the same everywhere. The caller
 * releases `out_array`, NULL on an error. */
TEN_API TEN_MUST_USE ten_status *ten_array_random(ten_device *device, ten_dtype dtype, uint32_t rank,
                                                  const int64_t *dims, uint64_t seed, uint64_t offset, int normal,
                                                  ten_array **out_array);
/* An array on `device` of `dtype` with `rank` sizes `dims` that stands for an input of ten_function_create, or for one
 * example of ten_array_vmap. It has no value: reading it, or what is made of it, is an error. The caller releases
 * `out_array`, NULL on an error. */
TEN_API TEN_MUST_USE ten_status *ten_array_placeholder(ten_device *device, ten_dtype dtype, uint32_t rank,
                                                       const int64_t *dims, ten_array **out_array);
/* One more reference to `array`, which it returns; NULL where it was released. */
TEN_API ten_array *ten_array_retain(ten_array *array);
/* Gives one reference to `array` back; NULL is allowed. To use one of the latest that were released, while their device
 * is open, is a TEN_INVALID error, and has no effect where no error can be told. */
TEN_API void ten_array_release(ten_array *array);
/* Says that `array` was made at `place`, "model.c:41", which is copied: errors of too little memory name it. */
TEN_API void ten_array_set_place(ten_array *array, const char *place);
/* The element type of `array`. */
TEN_API ten_dtype ten_array_dtype(const ten_array *array);
/* How many dimensions `array` has. */
TEN_API uint32_t ten_array_rank(const ten_array *array);
/* The sizes of `array`, as many as its rank; borrowed from it. */
TEN_API const int64_t *ten_array_dims(const ten_array *array);
/* How many elements `array` has. */
TEN_API size_t ten_array_count(const ten_array *array);
/* The device of `array`; borrowed from it. */
TEN_API ten_device *ten_array_device(const ten_array *array);
/* Computes `array` if it was not and points `out_data` to its elements, row-major: valid as long as the array. */
TEN_API TEN_MUST_USE ten_status *ten_array_data(ten_array *array, const void **out_data);
/* Computes `array` if it was not and copies its elements to `out`, which has room for `bytes`. */
TEN_API TEN_MUST_USE ten_status *ten_array_read(ten_array *array, void *out, size_t bytes);
/* `array` on `device`: itself where it is there already. The caller releases `out_array`, NULL on an error. */
TEN_API TEN_MUST_USE ten_status *ten_array_to(ten_array *array, ten_device *device, ten_array **out_array);
/* An array on `device` of `managed`, a tensor in host memory: where its elements lie in order they are not copied and
 * must not change. A success takes `managed`: its deleter is called when it is no longer needed, from any thread; after
 * an error it is the caller's. The caller releases `out_array`, NULL on an error. TEN_UNSUPPORTED for other memory,
 * element types or versions. */
TEN_API TEN_MUST_USE ten_status *ten_array_from_dlpack(ten_device *device, struct DLManagedTensorVersioned *managed,
                                                       ten_array **out_array);
/* Computes `array` if it was not and points `out_managed` to a description of its elements, not copied and read-only,
 * which lives until its deleter is called, also after the array. */
TEN_API TEN_MUST_USE ten_status *ten_array_to_dlpack(ten_array *array, struct DLManagedTensorVersioned **out_managed);
/* `array` as NumPy prints it: nested brackets, columns of one width, "..." in the middle of more than 1000 elements.
 * The caller frees `out_text` with free(). */
TEN_API TEN_MUST_USE ten_status *ten_array_text(ten_array *array, char **out_text);

/* ---- operations ---- */

typedef enum ten_argument_kind {
  TEN_ARG_NONE,
  TEN_ARG_ARRAY,   /* array */
  TEN_ARG_ARRAYS,  /* count and arrays; an item may be NULL: None */
  TEN_ARG_BOOL,    /* integer, 0 or 1 */
  TEN_ARG_INT,     /* integer */
  TEN_ARG_FLOAT,   /* real */
  TEN_ARG_COMPLEX, /* real, imag */
  TEN_ARG_INTS,    /* count and ints */
  TEN_ARG_FLOATS,  /* count and floats */
  TEN_ARG_DTYPE,   /* integer, a ten_dtype */
  TEN_ARG_STRING   /* text */
} ten_argument_kind;

/* An argument of an operation, by name; everything is borrowed for the call. Arguments are passed in arrays: this
 * struct never grows. */
typedef struct ten_argument {
  const char *name;
  ten_argument_kind kind;
  int64_t integer;
  double real, imag;
  ten_array *array;
  size_t count;
  const int64_t *ints;
  const double *floats;
  ten_array *const *arrays;
  const char *text;
} ten_argument;

/* Records the operation `name` on `device` with `arguments`, `count` of them; arrays among them must be on that device.
 * `outputs` gets `output_count` arrays, which the caller releases; all NULL on an error. Errors: TEN_INVALID for shapes
 * or types that do not fit, TEN_UNSUPPORTED for an operation or a combination that there is not. */
TEN_API TEN_MUST_USE ten_status *ten_array_op(ten_device *device, const char *name, const ten_argument *arguments,
                                              size_t count, ten_array **outputs, size_t output_count);

/* The type that `a` and `b` are converted to when they meet, by the rules of the array API standard; TEN_DTYPE_NONE
 * when there is none. */
TEN_API ten_dtype ten_dtype_promote(ten_dtype a, ten_dtype b);
/* Records `array` converted to `dtype`: itself where it has that type. The caller releases `out_array`. */
TEN_API TEN_MUST_USE ten_status *ten_array_cast(ten_array *array, ten_dtype dtype, ten_array **out_array);
/* Records the operation `name` ("exp", "neg", "logical_not") of one operand `x`. The caller releases `out_array`. */
TEN_API TEN_MUST_USE ten_status *ten_array_unary(const char *name, ten_array *x, ten_array **out_array);
/* Records the operation `name` ("add", "pow", "less") of `x` and `y`, which are broadcast to one shape and converted to
 * one type first. The caller releases `out_array`. */
TEN_API TEN_MUST_USE ten_status *ten_array_binary(const char *name, ten_array *x, ten_array *y, ten_array **out_array);
/* Records the matrix product of `x` and `y`, with NumPy's rules for vectors and stacks of matrices. The caller releases
 * `out_array`, NULL on an error. */
TEN_API TEN_MUST_USE ten_status *ten_array_matmul(ten_array *x, ten_array *y, ten_array **out_array);
/* Records `x` with `rank` sizes `dims`; one of them may be -1: what is left. The caller releases `out_array`, NULL on
 * an error. */
TEN_API TEN_MUST_USE ten_status *ten_array_reshape(ten_array *x, uint32_t rank, const int64_t *dims,
                                                   ten_array **out_array);
/* Records the reduction `name` ("sum", "mean", "amax", "amin") of `x` over `count` dimensions `dims` (0: all of them),
 * which stay with size 1 where `keep` is not 0. The caller releases `out_array`, NULL on an error. */
TEN_API TEN_MUST_USE ten_status *ten_array_reduce(const char *name, ten_array *x, size_t count, const int64_t *dims,
                                                  int keep, ten_array **out_array);

/* ---- gradients ---- */

/* Between ten_tape_begin and ten_tape_end, which nest, what is recorded on `device` stays known after it ran, so that
 * gradients go through values that were read. */
TEN_API void ten_tape_begin(ten_device *device);
/* Ends what ten_tape_begin began on `device`. */
TEN_API void ten_tape_end(ten_device *device);
/* Records the gradients of `loss`, a float array of one element, by each of `count` arrays `by`, into `out_gradients`
 * of the same shapes, which the caller releases. What a loss does not depend on has a gradient of zeros. Gradients can
 * be differentiated again. */
TEN_API TEN_MUST_USE ten_status *ten_array_grad(ten_array *loss, size_t count, ten_array *const *by,
                                                ten_array **out_gradients);

/* ---- vectorization ---- */

/* Records what `outputs`, `output_count` arrays, are made of for every example of a batch. `inputs`, `input_count`
 * arrays, stand for one example; `batches` has an array for each, of its type with a batch dimension in front, of one
 * size for all. What else outputs depend on is the same for every example. `out_arrays` gets the results with the batch
 * dimension in front, which the caller releases; all NULL on an error. Results can be differentiated, and be part of
 * another call. TEN_INVALID when types do not fit, TEN_UNSUPPORTED for an operation of which no batch can be made. */
TEN_API TEN_MUST_USE ten_status *ten_array_vmap(size_t input_count, ten_array *const *inputs, ten_array *const *batches,
                                                size_t output_count, ten_array *const *outputs, ten_array **out_arrays);

/* ---- functions ---- */

/* Compiles what `outputs`, `output_count` arrays, are made of as a function of `inputs`, `input_count` arrays; what
 * else they depend on is constant. The caller releases `out_function`, NULL on an error. */
TEN_API TEN_MUST_USE ten_status *ten_function_create(size_t input_count, ten_array *const *inputs, size_t output_count,
                                                     ten_array *const *outputs, ten_function **out_function);
/* Calls `function` with `inputs`, as many arrays and of the types it was made for; `outputs` gets its results, which
 * the caller releases. */
TEN_API TEN_MUST_USE ten_status *ten_function_call(ten_function *function, ten_array *const *inputs,
                                                   ten_array **outputs);
/* Gives one reference to `function` back; NULL is allowed. */
TEN_API void ten_function_release(ten_function *function);

#ifdef __cplusplus
}
#endif
#endif
