/* sort.c: sort and top_k. Always a stable merge sort, so that it terminates with an inconsistent comparator, and equal
 * keys keep their order. */
#include <stdlib.h>

#include "backend/interp/interp.h"
#include "backend/interp/lanes.h"

typedef struct sorter sorter;
struct sorter {
  interp_call *call;
  /* Whether line element a belongs before b. */
  ten_status *(*before)(sorter *s, size_t a, size_t b, bool *out);
  size_t base, stride; /* of the line in elements */
  ten_tensor **args;   /* 2 * operands */
  int64_t *keys;       /* top_k */
};

static ten_status *merge(sorter *s, const size_t *from, size_t low, size_t middle, size_t high, size_t *to) {
  size_t a = low, b = middle;
  for (size_t k = low; k < high; k++) {
    bool second = a >= middle;
    if (!second && b < high) TEN_TRY(s->before(s, from[b], from[a], &second));
    to[k] = second ? from[b++] : from[a++];
  }
  return NULL;
}

/* Fills `order` with the indices of the line, sorted. `spare` is scratch of the same size. */
static ten_status *sort_line(sorter *s, size_t count, size_t *order, size_t *spare) {
  for (size_t i = 0; i < count; i++) order[i] = i;
  size_t *from = order, *to = spare;
  for (size_t width = 1; width < count; width *= 2) {
    for (size_t low = 0; low < count; low += 2 * width) {
      const size_t middle = low + width < count ? low + width : count,
                   high = low + 2 * width < count ? low + 2 * width : count;
      TEN_TRY(merge(s, from, low, middle, high, to));
    }
    size_t *swap = from;
    from = to;
    to = swap;
  }
  if (from != order) memcpy(order, from, count * sizeof *order);
  return NULL;
}

static ten_status *before_by_region(sorter *s, size_t a, size_t b, bool *out) {
  interp_call *call = s->call;
  const uint32_t count = call->op->operand_count;
  ten_status *status = NULL;
  for (uint32_t k = 0; k < count && !status; k++) {
    status = interp_scalar(call->in[k], s->base + a * s->stride, &s->args[2 * k]);
    if (!status) status = interp_scalar(call->in[k], s->base + b * s->stride, &s->args[2 * k + 1]);
  }
  ten_tensor *result = NULL;
  if (!status) status = interp_block_run(call, interp_region(call, 0), s->args, &result);
  if (!status) *out = interp_is_true(result);
  ten_tensor_release(result);
  ten_tensors_release(s->args, 2 * count);
  return status;
}

ten_status *interp_sort(interp_call *call) {
  const uint32_t count = call->op->operand_count;
  if (!count) return interp_error(call, TEN_INVALID, "takes at least one operand");
  if (interp_region(call, 0)->arg_count != 2 * count || interp_region(call, 0)->return_count != 1)
    return interp_error(call, TEN_INVALID, "the comparator does not fit %u operands", count);
  const ten_tensor *x = call->in[0];
  for (uint32_t k = 0; k < count; k++) {
    if (!ten_tensor_same_shape(call->in[k], x)) return interp_error(call, TEN_INVALID, "operands differ in shape");
    TEN_TRY(interp_make_like(call, k, x, &call->out[k]));
    if (x->rank == 0) memcpy(call->out[k]->data, call->in[k]->data, call->in[k]->bytes);
  }
  if (x->rank == 0 || x->count == 0) return NULL;
  int64_t dim = ten_op_int(call->op, "dimension", -1);
  if (dim < 0) dim += x->rank;
  if (dim < 0 || dim >= x->rank)
    return interp_error(call, TEN_INVALID, "dimension %lld is out of range for rank %u", (long long)dim, x->rank);
  sorter s = {.call = call, .before = before_by_region, .stride = 1};
  for (uint32_t i = (uint32_t)dim + 1; i < x->rank; i++) s.stride *= (size_t)x->dims[i];
  const size_t length = (size_t)x->dims[dim];
  s.args = ten_alloc(2 * count * sizeof *s.args);
  memset(s.args, 0, 2 * count * sizeof *s.args);
  size_t *order = ten_alloc(2 * length * sizeof *order);
  ten_status *status = NULL;
  for (size_t line = 0; line < x->count / length && !status; line++) {
    s.base = line / s.stride * s.stride * length + line % s.stride;
    status = sort_line(&s, length, order, order + length);
    for (uint32_t k = 0; k < count && !status; k++) {
      const size_t size = ten_dtype_bytes(call->in[k]->dtype);
      for (size_t i = 0; i < length; i++)
        memcpy(interp_to(call->out[k], s.base + i * s.stride), interp_at(call->in[k], s.base + order[i] * s.stride),
               size);
    }
  }
  free(order);
  free(s.args);
  return status;
}

/* Larger first; floats in IEEE's total order, as in XLA: NaN first, -NaN last. */
static ten_status *before_by_key(sorter *s, size_t a, size_t b, bool *out) {
  *out = s->keys[a] > s->keys[b];
  return NULL;
}

static int64_t key_of(const ten_tensor *x, size_t index) {
  if (interp_is_integral(x->dtype)) {
    const int64_t value = ten_tensor_int(x, index);
    return interp_is_unsigned(x->dtype) ? (int64_t)((uint64_t)value ^ (UINT64_C(1) << 63)) : value;
  }
  const double value = ten_tensor_real(x, index, 0);
  int64_t bits;
  memcpy(&bits, &value, sizeof bits);
  return bits < 0 ? (int64_t)(~(uint64_t)bits ^ (UINT64_C(1) << 63)) : bits;
}

ten_status *interp_top_k(interp_call *call) {
  const ten_tensor *x = call->in[0];
  const int64_t k = ten_op_int(call->op, "k", 0);
  if (!x->rank || k < 0 || k > x->dims[x->rank - 1])
    return interp_error(call, TEN_INVALID, "k is %lld; it must be from 0 to the size of the last dimension",
                        (long long)k);
  int64_t dims[TEN_RANK_MAX];
  for (uint32_t i = 0; i < x->rank; i++) dims[i] = x->dims[i];
  dims[x->rank - 1] = k;
  TEN_TRY(interp_make(call, 0, x->rank, dims, &call->out[0]));
  TEN_TRY(interp_make(call, 1, x->rank, dims, &call->out[1]));
  const size_t length = (size_t)x->dims[x->rank - 1], size = ten_dtype_bytes(x->dtype);
  if (!x->count) return NULL;
  size_t *order = ten_alloc(3 * length * sizeof *order);
  sorter s = {.call = call, .before = before_by_key, .stride = 1, .keys = (int64_t *)(order + 2 * length)};
  ten_status *status = NULL;
  for (size_t line = 0; line < x->count / length && !status; line++) {
    for (size_t i = 0; i < length; i++) s.keys[i] = key_of(x, line * length + i);
    status = sort_line(&s, length, order, order + length);
    for (size_t i = 0; i < (size_t)k && !status; i++) {
      memcpy(interp_to(call->out[0], line * (size_t)k + i), interp_at(x, line * length + order[i]), size);
      interp_store_int(call->out[1], line * (size_t)k + i, (int64_t)order[i]);
    }
  }
  free(order);
  return status;
}
