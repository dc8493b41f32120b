/* dtype.h: element types. In memory every element takes whole bytes: types of less than 8 bits take one byte each,
 * sign- or zero-extended (ints) or with the value in the low bits (f4, f6); complex is two floats, real first; i1 is 0
 * or 1. The functions are pure: any thread. */
#ifndef TENFOLD_DTYPE_H
#define TENFOLD_DTYPE_H

#include <stdbool.h>
#include <stddef.h>

#include "tenfold/status.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum ten_dclass {
  TEN_CLASS_BOOL,
  TEN_CLASS_SINT,
  TEN_CLASS_UINT,
  TEN_CLASS_FLOAT,
  TEN_CLASS_COMPLEX
} ten_dclass;

/* X(NAME, "mlir spelling", bits of the value, bytes in memory, class) */
#define TEN_DTYPES(X)                            \
  X(I1, "i1", 1, 1, BOOL)                        \
  X(I2, "i2", 2, 1, SINT)                        \
  X(I4, "i4", 4, 1, SINT)                        \
  X(I8, "i8", 8, 1, SINT)                        \
  X(I16, "i16", 16, 2, SINT)                     \
  X(I32, "i32", 32, 4, SINT)                     \
  X(I64, "i64", 64, 8, SINT)                     \
  X(UI2, "ui2", 2, 1, UINT)                      \
  X(UI4, "ui4", 4, 1, UINT)                      \
  X(UI8, "ui8", 8, 1, UINT)                      \
  X(UI16, "ui16", 16, 2, UINT)                   \
  X(UI32, "ui32", 32, 4, UINT)                   \
  X(UI64, "ui64", 64, 8, UINT)                   \
  X(F4E2M1FN, "f4E2M1FN", 4, 1, FLOAT)           \
  X(F6E2M3FN, "f6E2M3FN", 6, 1, FLOAT)           \
  X(F6E3M2FN, "f6E3M2FN", 6, 1, FLOAT)           \
  X(F8E3M4, "f8E3M4", 8, 1, FLOAT)               \
  X(F8E4M3, "f8E4M3", 8, 1, FLOAT)               \
  X(F8E4M3B11FNUZ, "f8E4M3B11FNUZ", 8, 1, FLOAT) \
  X(F8E4M3FN, "f8E4M3FN", 8, 1, FLOAT)           \
  X(F8E4M3FNUZ, "f8E4M3FNUZ", 8, 1, FLOAT)       \
  X(F8E5M2, "f8E5M2", 8, 1, FLOAT)               \
  X(F8E5M2FNUZ, "f8E5M2FNUZ", 8, 1, FLOAT)       \
  X(F8E8M0FNU, "f8E8M0FNU", 8, 1, FLOAT)         \
  X(BF16, "bf16", 16, 2, FLOAT)                  \
  X(F16, "f16", 16, 2, FLOAT)                    \
  X(TF32, "tf32", 19, 4, FLOAT)                  \
  X(F32, "f32", 32, 4, FLOAT)                    \
  X(F64, "f64", 64, 8, FLOAT)                    \
  X(C64, "complex<f32>", 64, 8, COMPLEX)         \
  X(C128, "complex<f64>", 128, 16, COMPLEX)      \
  X(INDEX, "index", 64, 8, SINT)

typedef enum ten_dtype {
  TEN_DTYPE_NONE = 0,
#define TEN_DTYPE_ENUM(name, text, bits, bytes, class) TEN_##name,
  TEN_DTYPES(TEN_DTYPE_ENUM)
#undef TEN_DTYPE_ENUM
      TEN_DTYPE_COUNT
} ten_dtype;

/* The MLIR spelling of `dtype`, "f32"; static. "none" of TEN_DTYPE_NONE and of what is no type. */
TEN_API const char *ten_dtype_name(ten_dtype dtype);
/* The type that the `size` bytes at `text` spell in MLIR; TEN_DTYPE_NONE when no type is spelt so. */
TEN_API ten_dtype ten_dtype_parse(const char *text, size_t size);
/* Bits of a value of `dtype`. */
TEN_API unsigned ten_dtype_bits(ten_dtype dtype);
/* Bytes that one element of `dtype` takes in memory. */
TEN_API size_t ten_dtype_bytes(ten_dtype dtype);
/* What kind of number `dtype` is. */
TEN_API ten_dclass ten_dtype_class(ten_dtype dtype);
/* The type of the two parts of a complex `dtype`, f32 of complex<f32>; any other type is its own part. */
TEN_API ten_dtype ten_dtype_part(ten_dtype dtype);

static inline bool ten_dtype_is_float(ten_dtype dtype) { return ten_dtype_class(dtype) == TEN_CLASS_FLOAT; }
static inline bool ten_dtype_is_complex(ten_dtype dtype) { return ten_dtype_class(dtype) == TEN_CLASS_COMPLEX; }
static inline bool ten_dtype_is_int(ten_dtype dtype) {
  return ten_dtype_class(dtype) == TEN_CLASS_SINT || ten_dtype_class(dtype) == TEN_CLASS_UINT;
}

#ifdef __cplusplus
}
#endif
#endif
