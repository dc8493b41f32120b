/* taps.c: a matmul with a sparse matrix of a few weights per row, as in image resizing, becomes a sum of that many
 * gathers, each times its weights.
 *
 * Only where the matmul says that its zeros are not weights (TEN_NAME_TAPS): elsewhere zero times infinity counts. The
 * matrix is a constant [out, in], or [in, out], and is contracted with one dimension of the other operand, which comes
 * first.
 *
 * Needs: verified IR, static shapes.  Keeps: results to within rounding if all elements are finite, types,
 * locations. */
#include <stdlib.h>

#include "base/float.h"
#include "ir/builder.h"
#include "ir/dims.h"
#include "transform/pass/pass.h"

enum { TAPS_MAX = 8, RANK_MAX = 16 };

typedef struct taps {
  ten_value *x;
  const ten_attr *matrix;
  int64_t dim, in, out;
  bool transposed; /* [in, out] */
  int64_t count;
} taps;

static double weight_at(const taps *t, int64_t o, int64_t i) {
  const int64_t at = t->matrix->dense.splat ? 0 : t->transposed ? i * t->out + o : o * t->in + i;
  return ten_float_decode(t->matrix->type->dtype, ten_dense_at(t->matrix, (size_t)at));
}

static bool read_taps(const ten_op *op, taps *t) {
  ten_value *x = ten_op_operand(op, 0), *w = ten_op_operand(op, 1);
  const ten_attr *matrix = ten_value_constant(w);
  const ten_dtype dtype = x->type->dtype;
  if (!ten_own_attr(op, TEN_NAME_TAPS) || !matrix || w->type->rank != 2 || w->type->dtype != dtype ||
      op->results[0].type->dtype != dtype || (dtype != TEN_F32 && dtype != TEN_F64) || !ten_type_is_static(x->type) ||
      x->type->rank > RANK_MAX)
    return false;
  const ten_dot_dims dims = ten_dot_dims_of(ten_op_attr(op, "dot_dimension_numbers"));
  if (dims.lhs_batch.count || dims.lhs_contract.count != 1) return false;
  *t = (taps){.x = x, .matrix = matrix, .dim = dims.lhs_contract.data[0], .transposed = dims.rhs_contract.data[0] == 0};
  t->in = w->type->dims[t->transposed ? 0 : 1];
  t->out = w->type->dims[t->transposed ? 1 : 0];
  for (int64_t o = 0; o < t->out; o++) {
    int64_t count = 0;
    for (int64_t i = 0; i < t->in; i++) count += weight_at(t, o, i) != 0;
    if (count > t->count) t->count = count;
  }
  return t->count > 0 && t->count <= TAPS_MAX && 4 * t->count <= t->in;
}

/* The k-th weight of each row and its index; shorter rows have zeros at their first index. */
static void find_tap(const taps *t, int64_t k, int64_t *places, double *weights) {
  for (int64_t o = 0; o < t->out; o++) {
    int64_t seen = 0;
    places[o] = -1;
    weights[o] = 0;
    for (int64_t i = 0; i < t->in; i++) {
      const double weight = weight_at(t, o, i);
      if (weight == 0) continue;
      if (places[o] < 0) places[o] = i;
      if (seen++ == k) places[o] = i, weights[o] = weight;
    }
    if (places[o] < 0) places[o] = 0;
  }
}

static ten_value *constant_of(ten_builder *b, ten_dtype dtype, int64_t count, const void *data) {
  const ten_type *type = ten_type_tensor(b->module, dtype, 1, &count);
  return ten_build_constant(b, ten_attr_dense(b->module, type, data, ten_type_bytes(type)));
}

/* Gathers x at `places` along the dimension, times `weights`. */
static ten_value *build_tap(ten_builder *b, const taps *t, const int64_t *places, const double *weights) {
  const ten_type *type = t->x->type;
  int64_t others[RANK_MAX], sizes[RANK_MAX], out[RANK_MAX];
  uint32_t count = 0;
  for (uint32_t i = 0; i < type->rank; i++) {
    if (i != t->dim) others[count++] = i;
    sizes[i] = i == t->dim ? 1 : type->dims[i];
    out[i] = i == t->dim ? t->out : type->dims[i];
  }
  const ten_gather_dims dims = {.offset_dims = {others, count},
                                .collapsed_slice_dims = {&t->dim, 1},
                                .start_index_map = {&t->dim, 1},
                                .index_vector_dim = 1};
  ten_value *index = constant_of(b, TEN_I64, t->out, places);
  ten_value *taken = ten_build_gather(b, t->x, index, &dims, sizes, false);
  ten_value *factors;
  if (type->dtype == TEN_F64) {
    factors = constant_of(b, TEN_F64, t->out, weights);
  } else {
    float *narrow = ten_alloc((size_t)t->out * sizeof *narrow);
    for (int64_t o = 0; o < t->out; o++) narrow[o] = (float)weights[o];
    factors = constant_of(b, TEN_F32, t->out, narrow);
    free(narrow);
  }
  return ten_build_binary(b, TEN_OP_MULTIPLY, taken, ten_build_broadcast(b, factors, type->rank, out, &t->dim));
}

static void expand(ten_module *module, ten_op *op) {
  taps t;
  if (!read_taps(op, &t)) return;
  int64_t *places = ten_alloc((size_t)t.out * sizeof *places);
  double *weights = ten_alloc((size_t)t.out * sizeof *weights);
  ten_builder b = {.module = module, .block = op->block, .before = op, .loc = op->loc};
  ten_value *sum = NULL;
  for (int64_t k = 0; k < t.count; k++) {
    find_tap(&t, k, places, weights);
    ten_value *tap = build_tap(&b, &t, places, weights);
    sum = sum ? ten_build_binary(&b, TEN_OP_ADD, sum, tap) : tap;
  }
  free(places);
  free(weights);
  int64_t order[RANK_MAX]; /* a matmul puts the new dimension last */
  uint32_t count = 0;
  for (uint32_t i = 0; i < t.x->type->rank; i++)
    if (i != t.dim) order[count++] = i;
  order[count] = t.dim;
  ten_value_replace(&op->results[0], ten_build_transpose(&b, sum, order));
  ten_op_erase(op);
}

static ten_status *run(ten_module *module) { return ten_pass_each(module, TEN_OP_DOT_GENERAL, expand); }

const ten_pass ten_pass_taps = {"taps", "matmuls with matrices of few weights a row become sums of gathers", run};
