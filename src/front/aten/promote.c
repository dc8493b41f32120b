/* promote.c: PyTorch's type promotion. Tensors with dimensions have priority over those without, and those over Python
 * numbers: a lower class counts only if it is of a higher kind (bool < integer < float < complex). */
#include "front/aten/lower.h"

static int kind_of(ten_dtype dtype) {
  switch (ten_dtype_class(dtype)) {
    case TEN_CLASS_BOOL: return 0;
    case TEN_CLASS_SINT:
    case TEN_CLASS_UINT: return 1;
    case TEN_CLASS_FLOAT: return 2;
    default: return 3;
  }
}

static ten_dtype complex_of(ten_dtype dtype) { return dtype == TEN_F64 || dtype == TEN_C128 ? TEN_C128 : TEN_C64; }

ten_dtype at_promote(ten_dtype a, ten_dtype b) {
  if (a == TEN_DTYPE_NONE || a == b) return b;
  if (b == TEN_DTYPE_NONE) return a;
  const int ka = kind_of(a), kb = kind_of(b);
  if (ka == 3 || kb == 3) return complex_of(a) == TEN_C128 || complex_of(b) == TEN_C128 ? TEN_C128 : TEN_C64;
  if (ka != kb) return ka > kb ? a : b;
  if (ka == 2) return ten_dtype_bits(a) == ten_dtype_bits(b) ? TEN_F32 : ten_dtype_bits(a) > ten_dtype_bits(b) ? a : b;
  const bool ua = ten_dtype_class(a) == TEN_CLASS_UINT, ub = ten_dtype_class(b) == TEN_CLASS_UINT;
  const unsigned bits_a = ten_dtype_bits(a), bits_b = ten_dtype_bits(b);
  if (ua == ub) return bits_a > bits_b ? a : b;
  const unsigned bits_u = ua ? bits_a : bits_b, bits_s = ua ? bits_b : bits_a;
  if (bits_s > bits_u) return ua ? b : a;
  return bits_u == 8 ? TEN_I16 : bits_u == 16 ? TEN_I32 : TEN_I64;
}

void at_mix_add(at_mix *mix, at_ref ref, const ten_value *value) {
  if (ref.kind == AT_TENSOR) {
    ten_dtype *slot = at_rank(value) ? &mix->dim : &mix->zero;
    *slot = at_promote(*slot, at_type(value));
  } else if (ref.kind != AT_NONE) {
    mix->wrapped = at_promote(mix->wrapped, ref.kind == AT_BOOL      ? TEN_I1
                                            : ref.kind == AT_INT     ? TEN_I64
                                            : ref.kind == AT_COMPLEX ? TEN_C64
                                                                     : TEN_F32);
  }
}

static ten_dtype combine(ten_dtype higher, ten_dtype lower) {
  if (higher == TEN_DTYPE_NONE) return lower;
  if (lower == TEN_DTYPE_NONE) return higher;
  const int kh = kind_of(higher), kl = kind_of(lower);
  if (kh == 3) return higher;
  if (kh == 2) return kl == 3 ? complex_of(higher) : higher;
  if (kh == 0 || kl >= 2) return at_promote(higher, lower);
  return higher;
}

ten_dtype at_mix_type(at_mix mix) { return combine(mix.dim, combine(mix.zero, mix.wrapped)); }

ten_dtype at_float_type(ten_dtype dtype) {
  return ten_dtype_is_float(dtype) || ten_dtype_is_complex(dtype) ? dtype : TEN_F32;
}

ten_dtype at_acc_type(ten_dtype dtype) {
  return ten_dtype_is_float(dtype) && ten_dtype_bits(dtype) < 32 ? TEN_F32 : dtype;
}

void at_pair(at *l, const char *a, const char *b, bool to_float, ten_value **out_a, ten_value **out_b) {
  const at_ref ra = at_arg(l, a), rb = at_arg(l, b);
  if (ra.kind == AT_NONE) at_fail(l, TEN_INVALID, "argument '%s' is missing", a);
  if (rb.kind == AT_NONE) at_fail(l, TEN_INVALID, "argument '%s' is missing", b);
  at_mix mix = {0};
  at_mix_add(&mix, ra, ra.kind == AT_TENSOR ? at_read(l, ra.tensor) : NULL);
  at_mix_add(&mix, rb, rb.kind == AT_TENSOR ? at_read(l, rb.tensor) : NULL);
  ten_dtype dtype = at_mix_type(mix);
  if (to_float) dtype = at_float_type(dtype);
  *out_a = at_ref_value(l, ra, dtype);
  *out_b = at_ref_value(l, rb, dtype);
}
