/* linalg.c: cholesky, triangular_solve, fft, batch normalisation. */
#include "ir/verify/rules.h"

static ten_status *want_square(ten_module *m, const ten_op *op, const ten_type *type, const char *name) {
  WANT(type->rank >= 2, "%s is %s, must have rank 2 or more", name, ten_say_type(m, type));
  WANT(ten_dims_agree(type->dims[type->rank - 2], type->dims[type->rank - 1]),
       "%s is %s, its last two dimensions must be equal", name, ten_say_type(m, type));
  return NULL;
}

TEN_INFER(cholesky) {
  TEN_TRY(want_square(m, op, ten_in(op, 0), "a"));
  return out[0] = ten_in(op, 0), NULL;
}

TEN_INFER(triangular_solve) {
  const ten_type *a = ten_in(op, 0), *b = ten_in(op, 1);
  TEN_TRY(want_square(m, op, a, "a"));
  WANT(a->rank == b->rank, "a is %s, b is %s: ranks differ", ten_say_type(m, a), ten_say_type(m, b));
  const bool left = ten_attr_as_bool(ten_op_attr(op, "left_side"));
  const int64_t size = a->dims[a->rank - 1], shared = b->dims[b->rank - (left ? 2 : 1)];
  WANT(ten_dims_agree(size, shared), "a has size %lld, b's %s dimension has %lld (left_side = %s)", (long long)size,
       left ? "second to last" : "last", (long long)shared, left ? "true" : "false");
  WANT(ten_lists_agree(a->rank - 2, a->dims, b->rank - 2, b->dims), "a is %s, b is %s: batch dimensions differ",
       ten_say_type(m, a), ten_say_type(m, b));
  const char *name = ten_enum_name(TEN_ENUM_TRANSPOSE, (int)ten_op_int(op, "transpose_a", 0));
  WANT(name && strcmp(name, "TRANSPOSE_INVALID"),
       "transpose_a is TRANSPOSE_INVALID, must be NO_TRANSPOSE, TRANSPOSE or ADJOINT");
  return out[0] = b, NULL;
}

enum { FFT, IFFT, RFFT, IRFFT };

TEN_INFER(fft) {
  const ten_type *operand = ten_in(op, 0);
  const int64_t kind = ten_op_int(op, "fft_type", 0);
  const char *name = ten_enum_name(TEN_ENUM_FFT_TYPE, (int)kind);
  const ten_ints length = ten_op_ints(op, "fft_length");
  WANT(length.count >= 1 && length.count <= 3, "fft_length %s has %zu entries, must have 1 to 3",
       ten_say_list(m, length), length.count);
  for (size_t i = 0; i < length.count; i++)
    WANT(length.data[i] >= 0, "fft_length %s has a negative length", ten_say_list(m, length));
  WANT(kind != RFFT || operand->dtype == TEN_F32 || operand->dtype == TEN_F64, "RFFT takes f32 or f64, operand is %s",
       ten_say_type(m, operand));
  WANT(kind == RFFT || ten_dtype_is_complex(operand->dtype), "%s takes complex numbers, operand is %s", name,
       ten_say_type(m, operand));
  WANT(operand->rank >= length.count, "fft_length %s has %zu entries, operand has rank %u", ten_say_list(m, length),
       length.count, operand->rank);
  const uint32_t first = operand->rank - (uint32_t)length.count, last = operand->rank - 1;
  for (uint32_t i = first; kind >= RFFT && i < operand->rank; i++) {
    const int64_t wanted = length.data[i - first], size = operand->dims[i];
    if (kind == IRFFT && i == last)
      WANT(ten_dims_agree(size, wanted / 2 + 1) || (wanted == 0 && size == 0),
           "last dimension has size %lld, IRFFT of length %lld takes %lld", (long long)size, (long long)wanted,
           (long long)(wanted / 2 + 1));
    else
      WANT(ten_dims_agree(size, wanted), "dimension %u has size %lld, fft_length is %lld there", i, (long long)size,
           (long long)wanted);
  }
  const int64_t *own = ten_bounds_of(operand);
  int64_t *dims = ten_arena_copy(&m->arena, operand->dims, operand->rank * sizeof *dims);
  int64_t *bounds = own ? ten_arena_copy(&m->arena, own, operand->rank * sizeof *own) : NULL;
  const int64_t n = length.data[length.count - 1];
  if (kind == RFFT && n) dims[last] = n / 2 + 1;
  if (kind == IRFFT) dims[last] = n;
  if (kind >= RFFT && bounds) bounds[last] = TEN_DYNAMIC;
  const ten_dtype dtype = kind == RFFT    ? (operand->dtype == TEN_F64 ? TEN_C128 : TEN_C64)
                          : kind == IRFFT ? ten_dtype_part(operand->dtype)
                                          : operand->dtype;
  return out[0] = ten_make_tensor(m, ten_type_scalar(m, dtype), operand->rank, dims, bounds), NULL;
}

/* One element per feature: scale, offset, mean, variance. */
static ten_status *want_features(ten_module *m, const ten_op *op, uint32_t count, const uint32_t *which,
                                 int64_t features, uint32_t axis) {
  for (uint32_t i = 0; i < count; i++) {
    const ten_type *type = ten_in(op, which[i]), *first = ten_in(op, which[0]);
    WANT(ten_shapes_agree(type, first), "operand %u is %s, operand %u is %s: shapes differ", which[0],
         ten_say_type(m, first), which[i], ten_say_type(m, type));
    WANT(ten_dims_agree(type->dims[0], features),
         "operand %u has size %lld, operand 0 has %lld features (dimension %u)", which[i], (long long)type->dims[0],
         (long long)features, axis);
  }
  return NULL;
}

static ten_status *batch_norm(ten_module *m, const ten_op *op, uint32_t count, const uint32_t *which,
                              const ten_type **out, uint32_t results) {
  const ten_type *operand = ten_in(op, 0);
  int64_t axis;
  TEN_TRY(ten_want_dim(op, "feature_index", operand->rank, "operand", &axis));
  TEN_TRY(want_features(m, op, count, which, operand->dims[axis], (uint32_t)axis));
  const int64_t *bounds = ten_bounds_of(operand);
  out[0] = operand;
  for (uint32_t i = 1; i < results; i++)
    out[i] = ten_make_tensor(m, operand->element, 1, &operand->dims[axis], bounds ? &bounds[axis] : NULL);
  return NULL;
}

TEN_INFER(batch_norm_grad) {
  const ten_type *operand = ten_in(op, 0), *grad = ten_in(op, 4);
  WANT(ten_shapes_agree(operand, grad), "operand is %s, grad_output is %s: shapes differ", ten_say_type(m, operand),
       ten_say_type(m, grad));
  return batch_norm(m, op, 3, (const uint32_t[]){1, 2, 3}, out, 3);
}

TEN_INFER(batch_norm_inference) { return batch_norm(m, op, 4, (const uint32_t[]){1, 2, 3, 4}, out, 1); }
TEN_INFER(batch_norm_training) { return batch_norm(m, op, 2, (const uint32_t[]){1, 2}, out, 3); }
