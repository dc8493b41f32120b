/* linalg.c: rules of Fourier transforms, factorisations, triangular solves and batch normalisation. */
#include "transform/grad/rules.h"
#include "transform/grad/through.h"

enum { RANK_MAX = 64, FFT = 0, IFFT = 1, RFFT = 2, IRFFT = 3, NO_TRANSPOSE = 1, TRANSPOSE = 2, ADJOINT = 3 };

static ten_value *transform(ten_vjp *v, ten_value *x, int type, ten_ints length, const ten_type *result) {
  ten_module *m = v->b->module;
  const ten_named_attr attrs[] = {{TEN_STR("fft_type"), ten_attr_enum(m, TEN_ENUM_FFT_TYPE, type), true},
                                  {TEN_STR("fft_length"), ten_attr_dims(m, length.count, length.data), true}};
  return &ten_build_op(v->b, TEN_OP_FFT, 1, &x, 1, &result, 2, attrs, 0)->results[0];
}

/* The transform is linear, A; the cotangent is Aᴴ·g. */
ten_status *ten_rule_fft(ten_vjp *v) {
  const ten_type *x = x_of(v, 0)->type;
  const ten_ints length = ten_op_ints(v->op, "fft_length");
  ten_value *g = v->ct[0];
  double count = 1;
  for (size_t i = 0; i < length.count; i++) count *= (double)length.data[i];
  switch (ten_op_int(v->op, "fft_type", FFT)) {
    case FFT: {
      ten_value *back = transform(v, g, IFFT, length, g->type);
      ten_vjp_add(v, 0, mul(v, back, like(v, back, count)));
      return NULL;
    }
    case IFFT: {
      ten_value *back = transform(v, g, FFT, length, g->type);
      ten_vjp_add(v, 0, divide(v, back, like(v, back, count)));
      return NULL;
    }
    case RFFT: { /* the missing half is zero: pad, transform whole, take the real part */
      int64_t zeros[RANK_MAX] = {0}, high[RANK_MAX] = {0};
      high[x->rank - 1] = x->dims[x->rank - 1] - g->type->dims[x->rank - 1];
      ten_value *whole = ten_build_pad(v->b, g, ten_build_scalar(v->b, g->type->dtype, 0), zeros, high, zeros);
      ten_value *back = ten_build_part(v->b, TEN_OP_REAL, transform(v, whole, IFFT, length, whole->type));
      ten_vjp_add(v, 0, mul(v, back, like(v, back, count)));
      return NULL;
    }
    default: { /* each frequency but the first, and the middle one of an even length, counts twice */
      ten_value *half = transform(v, g, RFFT, length, x);
      const int64_t size = g->type->dims[x->rank - 1], last = x->rank - 1;
      const ten_type *real = ten_type_with_dtype(v->b->module, x, ten_dtype_part(x->dtype));
      ten_value *at = ten_build_iota(v->b, ten_type_with_dtype(v->b->module, x, TEN_I64), last);
      ten_value *first = ten_build_compare(v->b, TEN_EQ, at, ten_build_splat_int(v->b, at->type, 0));
      ten_value *middle =
          ten_build_compare(v->b, TEN_EQ, at, ten_build_splat_int(v->b, at->type, size % 2 ? -1 : size / 2));
      ten_value *once = ten_build_binary(v->b, TEN_OP_OR, first, middle);
      ten_value *weight =
          ten_build_select(v->b, once, ten_build_splat(v->b, real, 1 / count), ten_build_splat(v->b, real, 2 / count));
      ten_vjp_add(v, 0, mul(v, half, ten_build_complex(v->b, weight, like(v, weight, 0))));
      return NULL;
    }
  }
}

static ten_value *swapped(ten_vjp *v, ten_value *x) { /* the last two dimensions */
  int64_t order[RANK_MAX];
  const uint32_t rank = x->type->rank;
  for (uint32_t i = 0; i < rank; i++) order[i] = i;
  order[rank - 2] = rank - 1;
  order[rank - 1] = rank - 2;
  return ten_build_transpose(v->b, x, order);
}

static ten_value *adjoint(ten_vjp *v, ten_value *x) { return swapped(v, ten_vjp_conj(v, x)); }

/* x where row ≥ column + offset (lower) or row ≤ column - offset (upper), zero elsewhere. */
static ten_value *triangle(ten_vjp *v, ten_value *x, bool lower, int64_t offset) {
  const ten_type *type = ten_type_with_dtype(v->b->module, x->type, TEN_I64);
  ten_value *row = ten_build_iota(v->b, type, type->rank - 2), *column = ten_build_iota(v->b, type, type->rank - 1);
  ten_value *shift = ten_build_splat_int(v->b, type, offset);
  ten_value *low = ten_build_binary(v->b, TEN_OP_ADD, lower ? column : row, shift);
  return ten_build_select(v->b, ten_build_compare(v->b, TEN_GE, lower ? row : column, low), x, like(v, x, 0));
}

static ten_value *solve(ten_vjp *v, ten_value *a, ten_value *b, bool left, bool lower, bool unit, int transpose) {
  ten_module *m = v->b->module;
  ten_value *operands[] = {a, b};
  const ten_named_attr attrs[] = {{TEN_STR("left_side"), ten_attr_bool(m, left), true},
                                  {TEN_STR("lower"), ten_attr_bool(m, lower), true},
                                  {TEN_STR("unit_diagonal"), ten_attr_bool(m, unit), true},
                                  {TEN_STR("transpose_a"), ten_attr_enum(m, TEN_ENUM_TRANSPOSE, transpose), true}};
  return &ten_build_op(v->b, TEN_OP_TRIANGULAR_SOLVE, 2, operands, 1, &b->type, 4, attrs, 0)->results[0];
}

/* L̄ → ½(S + Sᴴ), S = L⁻ᴴ·Φ(Lᴴ·L̄)·L⁻¹, Φ the lower triangle with half the diagonal. */
ten_status *ten_rule_cholesky(ten_vjp *v) {
  const bool lower = ten_attr_as_bool(ten_op_attr(v->op, "lower"));
  ten_value *l = triangle(v, lower ? y_of(v, 0) : adjoint(v, y_of(v, 0)), true, 0);
  ten_value *g = triangle(v, lower ? v->ct[0] : adjoint(v, v->ct[0]), true, 0);
  ten_value *product = ten_build_matmul(v->b, adjoint(v, l), g), *half = like(v, product, 0.5);
  ten_value *phi = mul(v, add(v, triangle(v, product, true, 0), triangle(v, product, true, 1)), half);
  ten_value *s = solve(v, l, solve(v, l, phi, true, true, false, ADJOINT), false, true, false, NO_TRANSPOSE);
  ten_vjp_add(v, 0, mul(v, add(v, s, adjoint(v, s)), half));
  return NULL;
}

ten_status *ten_rule_triangular_solve(ten_vjp *v) {
  const bool left = ten_attr_as_bool(ten_op_attr(v->op, "left_side")),
             lower = ten_attr_as_bool(ten_op_attr(v->op, "lower"));
  const bool unit = ten_attr_as_bool(ten_op_attr(v->op, "unit_diagonal"));
  const int transpose = (int)ten_op_int(v->op, "transpose_a", NO_TRANSPOSE);
  ten_value *a = x_of(v, 0), *x = y_of(v, 0);
  ten_value *transposed = transpose == TRANSPOSE ? ten_vjp_conj(v, a) : a; /* op(A)ᴴ */
  ten_value *w = solve(v, transposed, v->ct[0], left, lower, unit, transpose == NO_TRANSPOSE ? ADJOINT : NO_TRANSPOSE);
  ten_vjp_add(v, 1, w);
  if (!ten_vjp_wants(v, 0)) return NULL;
  ten_value *g = neg(v, left ? ten_build_matmul(v->b, w, adjoint(v, x)) : ten_build_matmul(v->b, adjoint(v, x), w));
  if (transpose == TRANSPOSE) g = swapped(v, g);
  if (transpose == ADJOINT) g = adjoint(v, g);
  ten_vjp_add(v, 0, triangle(v, g, lower, unit ? 1 : 0));
  return NULL;
}

typedef struct norm {
  ten_builder *b;
  const ten_type *type;
  int64_t feature;
} norm;

static ten_value *per_feature(const norm *n, ten_value *list) {
  return ten_build_broadcast(n->b, list, n->type->rank, n->type->dims, &n->feature);
}

static ten_value *normalised(const norm *n, const ten_op *op, ten_value *const *args, ten_value *mean,
                             ten_value *variance) {
  ten_builder *b = n->b;
  ten_value *epsilon = ten_build_like(b, variance, ten_attr_as_float(ten_op_attr(op, "epsilon"), 0));
  ten_value *scale = ten_build_unary(b, TEN_OP_RSQRT, ten_build_binary(b, TEN_OP_ADD, variance, epsilon));
  ten_value *centred = ten_build_binary(b, TEN_OP_SUBTRACT, args[0], per_feature(n, mean));
  ten_value *y = ten_build_binary(b, TEN_OP_MULTIPLY, centred,
                                  per_feature(n, ten_build_binary(b, TEN_OP_MULTIPLY, scale, args[1])));
  return ten_build_binary(b, TEN_OP_ADD, y, per_feature(n, args[2]));
}

static norm norm_of(ten_builder *b, const ten_op *op) {
  return (norm){b, ten_op_operand(op, 0)->type, ten_op_int(op, "feature_index", 0)};
}

static ten_status *expand_inference(ten_builder *b, const ten_op *op, ten_value *const *args) {
  const norm n = norm_of(b, op);
  ten_value *y = normalised(&n, op, args, args[3], args[4]);
  ten_build_return(b, 1, &y);
  return NULL;
}

static ten_value *mean_of(const norm *n, ten_value *x) {
  int64_t dims[RANK_MAX];
  size_t count = 0;
  for (uint32_t i = 0; i < n->type->rank; i++)
    if (i != n->feature) dims[count++] = i;
  ten_value *sum = ten_build_reduce(n->b, TEN_OP_ADD, x, ten_build_scalar(n->b, n->type->dtype, 0), count, dims);
  const double divisor = (double)ten_type_count(n->type) / (double)n->type->dims[n->feature];
  return ten_build_binary(n->b, TEN_OP_DIVIDE, sum, ten_build_like(n->b, sum, divisor));
}

static ten_status *expand_training(ten_builder *b, const ten_op *op, ten_value *const *args) {
  const norm n = norm_of(b, op);
  ten_value *mean = mean_of(&n, args[0]);
  ten_value *centred = ten_build_binary(b, TEN_OP_SUBTRACT, args[0], per_feature(&n, mean));
  ten_value *variance = mean_of(&n, ten_build_binary(b, TEN_OP_MULTIPLY, centred, centred));
  ten_value *out[] = {normalised(&n, op, args, mean, variance), mean, variance};
  ten_build_return(b, 3, out);
  return NULL;
}

ten_status *ten_rule_batch_norm_inference(ten_vjp *v) { return ten_vjp_through(v, expand_inference); }
ten_status *ten_rule_batch_norm_training(ten_vjp *v) { return ten_vjp_through(v, expand_training); }
