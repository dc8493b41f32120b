/* linalg.c: batch normalisation, Cholesky, triangular solve. Computed in double (complex: pairs of doubles), rounded
 * at the end. */
#include <math.h>
#include <stdlib.h>

#include "backend/interp/interp.h"
#include "backend/interp/lanes.h"

/* Batch norm: reduces over all but the feature dimension. */
typedef struct norm {
  const double *x;
  size_t count, features, inner; /* element i has feature i / inner % features */
  double epsilon;
  size_t per_feature;
} norm;

static ten_status *norm_of(interp_call *call, interp_lanes *lanes, norm *n) {
  const ten_tensor *x = call->in[0];
  const int64_t feature = ten_op_int(call->op, "feature_index", 0);
  if (feature < 0 || feature >= x->rank)
    return interp_error(call, TEN_INVALID, "feature_index %lld is out of range for rank %u", (long long)feature,
                        x->rank);
  *n = (norm){.count = x->count,
              .features = (size_t)x->dims[feature],
              .inner = 1,
              .epsilon = ten_attr_as_float(ten_op_attr(call->op, "epsilon"), 0)};
  for (uint32_t i = (uint32_t)feature + 1; i < x->rank; i++) n->inner *= (size_t)x->dims[i];
  n->per_feature = n->features ? n->count / n->features : 0;
  for (uint32_t k = 1; k < call->op->operand_count; k++)
    if (call->in[k]->rank == 1 && (size_t)call->in[k]->dims[0] != n->features)
      return interp_error(call, TEN_INVALID, "operand %u has %lld entries for %zu features", k,
                          (long long)call->in[k]->dims[0], n->features);
  n->x = interp_lanes_reals(lanes, x);
  return NULL;
}

static size_t feature_of(const norm *n, size_t i) { return i / n->inner % n->features; }

static void mean_and_variance(const norm *n, double *mean, double *variance) {
  for (size_t f = 0; f < n->features; f++) mean[f] = variance[f] = 0;
  for (size_t i = 0; i < n->count; i++) mean[feature_of(n, i)] += n->x[i];
  for (size_t f = 0; f < n->features; f++) mean[f] /= (double)n->per_feature;
  for (size_t i = 0; i < n->count; i++) {
    const double d = n->x[i] - mean[feature_of(n, i)];
    variance[feature_of(n, i)] += d * d;
  }
  for (size_t f = 0; f < n->features; f++) variance[f] /= (double)n->per_feature;
}

static void normalise(interp_call *call, const norm *n, const double *mean, const double *variance) {
  for (size_t i = 0; i < n->count; i++) {
    const size_t f = feature_of(n, i);
    const double scale = ten_tensor_real(call->in[1], f, 0), offset = ten_tensor_real(call->in[2], f, 0);
    interp_store_real(call->out[0], i, (n->x[i] - mean[f]) / sqrt(variance[f] + n->epsilon) * scale + offset);
  }
}

ten_status *interp_batch_norm_training(interp_call *call) {
  interp_lanes lanes;
  norm n;
  TEN_TRY(norm_of(call, &lanes, &n));
  ten_status *status = interp_make_like(call, 0, call->in[0], &call->out[0]);
  const int64_t features = (int64_t)n.features;
  for (uint32_t k = 1; k < 3 && !status; k++) status = interp_make(call, k, 1, &features, &call->out[k]);
  if (!status) {
    double *mean = ten_alloc((2 * n.features + 1) * sizeof *mean), *variance = mean + n.features;
    mean_and_variance(&n, mean, variance);
    normalise(call, &n, mean, variance);
    interp_store_reals(call->out[1], mean);
    interp_store_reals(call->out[2], variance);
    free(mean);
  }
  interp_lanes_free(&lanes);
  return status;
}

ten_status *interp_batch_norm_inference(interp_call *call) {
  interp_lanes lanes, means, variances;
  norm n;
  TEN_TRY(norm_of(call, &lanes, &n));
  ten_status *status = interp_make_like(call, 0, call->in[0], &call->out[0]);
  if (!status) {
    normalise(call, &n, interp_lanes_reals(&means, call->in[3]), interp_lanes_reals(&variances, call->in[4]));
    interp_lanes_free(&means);
    interp_lanes_free(&variances);
  }
  interp_lanes_free(&lanes);
  return status;
}

/* Operands: x, scale, mean, variance, gradient of the result. Results: gradients of x, scale, offset. */
ten_status *interp_batch_norm_grad(interp_call *call) {
  interp_lanes lanes;
  norm n;
  TEN_TRY(norm_of(call, &lanes, &n));
  ten_status *status = NULL;
  if (!ten_tensor_same_shape(call->in[0], call->in[4]))
    status = interp_error(call, TEN_INVALID, "grad_output differs in shape");
  if (!status) status = interp_make_like(call, 0, call->in[0], &call->out[0]);
  const int64_t features = (int64_t)n.features;
  for (uint32_t k = 1; k < 3 && !status; k++) status = interp_make(call, k, 1, &features, &call->out[k]);
  if (!status) {
    double *sums = ten_alloc((2 * n.features + 1) * sizeof *sums), *dots = sums + n.features; /* Σ g, Σ g·(x - mean) */
    for (size_t f = 0; f < n.features; f++) sums[f] = dots[f] = 0;
    for (size_t i = 0; i < n.count; i++) {
      const size_t f = feature_of(&n, i);
      const double g = ten_tensor_real(call->in[4], i, 0);
      sums[f] += g;
      dots[f] += g * (n.x[i] - ten_tensor_real(call->in[2], f, 0));
    }
    const double m = (double)n.per_feature;
    for (size_t i = 0; i < n.count; i++) {
      const size_t f = feature_of(&n, i);
      const double g = ten_tensor_real(call->in[4], i, 0), scale = ten_tensor_real(call->in[1], f, 0);
      const double centred = n.x[i] - ten_tensor_real(call->in[2], f, 0),
                   v = ten_tensor_real(call->in[3], f, 0) + n.epsilon;
      interp_store_real(call->out[0], i, scale / sqrt(v) / m * (m * g - sums[f] - centred * dots[f] / v));
    }
    for (size_t f = 0; f < n.features; f++) { /* Σ g·(x - mean)/deviation: 0 for an empty sum, as specified */
      const double deviation = sqrt(ten_tensor_real(call->in[3], f, 0) + n.epsilon);
      interp_store_real(call->out[1], f, n.per_feature ? dots[f] / deviation : 0);
      interp_store_real(call->out[2], f, sums[f]);
    }
    free(sums);
  }
  interp_lanes_free(&lanes);
  return status;
}

typedef struct complex_double {
  double re, im;
} cplx;

static cplx c_mul(cplx a, cplx b) { return (cplx){a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re}; }
static cplx c_sub(cplx a, cplx b) { return (cplx){a.re - b.re, a.im - b.im}; }
static cplx c_conj(cplx a) { return (cplx){a.re, -a.im}; }
static cplx c_div(cplx a, cplx b) {
  if (b.im == 0) return (cplx){a.re / b.re, a.im / b.re};
  const double d = b.re * b.re + b.im * b.im;
  const cplx n = c_mul(a, c_conj(b));
  return (cplx){n.re / d, n.im / d};
}

static cplx *load_all(const ten_tensor *x) {
  cplx *out = ten_alloc((x->count + 1) * sizeof *out);
  const bool complex = ten_dtype_is_complex(x->dtype);
  for (size_t i = 0; i < x->count; i++)
    out[i] = (cplx){ten_tensor_real(x, i, 0), complex ? ten_tensor_real(x, i, 1) : 0};
  return out;
}

static void store_all(ten_tensor *out, const cplx *values) {
  const bool complex = ten_dtype_is_complex(out->dtype);
  for (size_t i = 0; i < out->count; i++) {
    interp_store_real(out, complex ? 2 * i : i, values[i].re);
    if (complex) interp_store_real(out, 2 * i + 1, values[i].im);
  }
}

/* L·Lᴴ = A from the lower triangle of A, row by row; not positive definite: NaN. */
static void cholesky(size_t n, const cplx *a, cplx *l, bool lower) {
#define ENTRY(i, j) (lower ? a[(i) * n + (j)] : c_conj(a[(j) * n + (i)]))
  for (size_t i = 0; i < n * n; i++) l[i] = (cplx){0, 0};
  for (size_t i = 0; i < n; i++)
    for (size_t j = 0; j <= i; j++) {
      cplx sum = ENTRY(i, j);
      for (size_t k = 0; k < j; k++) sum = c_sub(sum, c_mul(l[i * n + k], c_conj(l[j * n + k])));
      if (i == j)
        l[i * n + i] = (cplx){sqrt(sum.re), 0};
      else
        l[i * n + j] = c_div(sum, l[j * n + j]);
    }
#undef ENTRY
  if (lower) return;
  for (size_t i = 0; i < n; i++)
    for (size_t j = 0; j < i; j++) {
      l[j * n + i] = c_conj(l[i * n + j]);
      l[i * n + j] = (cplx){0, 0};
    }
}

ten_status *interp_cholesky(interp_call *call) {
  const ten_tensor *x = call->in[0];
  if (x->rank < 2 || x->dims[x->rank - 1] != x->dims[x->rank - 2])
    return interp_error(call, TEN_INVALID, "the operand is not a batch of square matrices");
  TEN_TRY(interp_make_like(call, 0, x, &call->out[0]));
  if (!x->count) return NULL;
  const size_t n = (size_t)x->dims[x->rank - 1];
  cplx *a = load_all(x), *l = ten_alloc(x->count * sizeof *l);
  for (size_t at = 0; at < x->count; at += n * n)
    cholesky(n, a + at, l + at, ten_attr_as_bool(ten_op_attr(call->op, "lower")));
  store_all(call->out[0], l);
  free(a);
  free(l);
  return NULL;
}

enum { NO_TRANSPOSE = 1, TRANSPOSE = 2, ADJOINT = 3 };

typedef struct triangle {
  const cplx *a;
  size_t n;
  bool lower, unit; /* of op(A) */
  int transpose;
} triangle;

static cplx triangle_at(const triangle *t, size_t i, size_t j) {
  if (i == j && t->unit) return (cplx){1, 0};
  const cplx value = t->transpose == NO_TRANSPOSE ? t->a[i * t->n + j] : t->a[j * t->n + i];
  return t->transpose == ADJOINT ? c_conj(value) : value;
}

/* op(A)·x = b for one right-hand side, whose entries are `stride` apart; x replaces b. */
static void solve(const triangle *t, cplx *b, size_t stride, bool transposed) {
  const bool forward = t->lower != transposed;
  for (size_t step = 0; step < t->n; step++) {
    const size_t i = forward ? step : t->n - 1 - step;
    cplx sum = b[i * stride];
    for (size_t s = 0; s < step; s++) {
      const size_t j = forward ? s : t->n - 1 - s;
      sum = c_sub(sum, c_mul(transposed ? triangle_at(t, j, i) : triangle_at(t, i, j), b[j * stride]));
    }
    b[i * stride] = t->unit ? sum : c_div(sum, triangle_at(t, i, i));
  }
}

ten_status *interp_triangular_solve(interp_call *call) {
  const ten_tensor *a = call->in[0], *b = call->in[1];
  const bool left = ten_attr_as_bool(ten_op_attr(call->op, "left_side"));
  triangle t = {.unit = ten_attr_as_bool(ten_op_attr(call->op, "unit_diagonal")),
                .transpose = (int)ten_op_int(call->op, "transpose_a", NO_TRANSPOSE)};
  t.lower = ten_attr_as_bool(ten_op_attr(call->op, "lower")) == (t.transpose == NO_TRANSPOSE);
  if (a->rank < 2 || b->rank != a->rank || a->dims[a->rank - 1] != a->dims[a->rank - 2] ||
      b->dims[left ? b->rank - 2 : b->rank - 1] != a->dims[a->rank - 1])
    return interp_error(call, TEN_INVALID, "the matrices a and b have shapes that do not match");
  TEN_TRY(interp_make_like(call, 0, b, &call->out[0]));
  if (!b->count) return NULL;
  t.n = (size_t)a->dims[a->rank - 1];
  const size_t rows = (size_t)b->dims[b->rank - 2], columns = (size_t)b->dims[b->rank - 1],
               batches = b->count / (rows * columns);
  if (a->count != batches * t.n * t.n)
    return interp_error(call, TEN_INVALID, "the batch dimensions of the operands differ");
  cplx *matrix = load_all(a), *x = load_all(b);
  for (size_t batch = 0; batch < batches; batch++) {
    t.a = matrix + batch * t.n * t.n;
    cplx *at = x + batch * rows * columns;
    /* X·op(A) = B is op(A)ᵀ·Xᵀ = Bᵀ. */
    for (size_t k = 0; k < (left ? columns : rows); k++)
      solve(&t, left ? at + k : at + k * columns, left ? columns : 1, !left);
  }
  store_all(call->out[0], x);
  free(matrix);
  free(x);
  return NULL;
}
