/* window.c: reduce_window and select_and_scatter. */
#include <stdlib.h>

#include "backend/interp/interp.h"

/* Copies of the op's attribute lists, with defaults; not in the module's arena, which other threads may use. */
typedef struct window {
  uint32_t rank;
  int64_t size[TEN_RANK_MAX], stride[TEN_RANK_MAX], low[TEN_RANK_MAX], high[TEN_RANK_MAX], base[TEN_RANK_MAX],
      dilation[TEN_RANK_MAX];
  int64_t out[TEN_RANK_MAX]; /* window positions */
} window;

static void list_of(const ten_op *op, const char *name, uint32_t rank, int64_t *out) {
  const ten_ints list = ten_op_ints(op, name);
  for (uint32_t i = 0; i < rank; i++) out[i] = list.count == rank ? list.data[i] : 1;
}

static ten_status *window_of(interp_call *call, const ten_tensor *x, window *w) {
  w->rank = x->rank;
  list_of(call->op, "window_dimensions", x->rank, w->size);
  list_of(call->op, "window_strides", x->rank, w->stride);
  list_of(call->op, "base_dilations", x->rank, w->base);
  list_of(call->op, "window_dilations", x->rank, w->dilation);
  const ten_attr *padding = ten_op_attr(call->op, "padding");
  for (uint32_t i = 0; i < x->rank; i++) {
    w->low[i] = padding ? ten_dense_int(padding, 2 * i) : 0;
    w->high[i] = padding ? ten_dense_int(padding, 2 * i + 1) : 0;
    if (w->size[i] <= 0 || w->stride[i] <= 0 || w->base[i] <= 0 || w->dilation[i] <= 0)
      return interp_error(call, TEN_INVALID, "sizes, strides and dilations of a window must be positive");
    const ten_window_dim dim = {w->size[i], w->stride[i], w->low[i], w->high[i], w->base[i], w->dilation[i]};
    if (!ten_window_places(x->dims[i], &dim, &w->out[i]))
      return interp_error(call, TEN_LIMIT, "dimension %u of the window is too large", i);
  }
  return NULL;
}

/* The index in x of element `at` of the window at position `out`; false for padding, or a hole of the base dilation. */
static bool window_at(const window *w, const ten_tensor *x, const int64_t *out, const int64_t *at, int64_t *index) {
  for (uint32_t i = 0; i < w->rank; i++) {
    const int64_t place = out[i] * w->stride[i] + at[i] * w->dilation[i] - w->low[i];
    if (place < 0 || place % w->base[i] || place / w->base[i] >= x->dims[i]) return false;
    index[i] = place / w->base[i];
  }
  return true;
}

/* For one element of the window, the value at every position: the operand, or the initial value as padding. */
static ten_status *window_slice(const window *w, const ten_tensor *x, const ten_tensor *init, const int64_t *at,
                                ten_tensor **out) {
  TEN_TRY(ten_tensor_create(x->dtype, w->rank, w->out, out));
  const size_t size = ten_dtype_bytes(x->dtype);
  int64_t position[TEN_RANK_MAX] = {0}, index[TEN_RANK_MAX];
  for (size_t i = 0; i < (*out)->count; i++) {
    const bool inside = window_at(w, x, position, at, index);
    memcpy(interp_to(*out, i), inside ? interp_at(x, interp_offset(x->rank, x->dims, index)) : init->data, size);
    interp_index_next(w->rank, w->out, position);
  }
  return NULL;
}

static ten_status *window_fold(interp_call *call, const window *w, uint32_t count, ten_tensor **x, ten_tensor **init,
                               ten_tensor **acc, ten_tensor **next) {
  const interp_block *block = interp_region(call, 0);
  for (uint32_t k = 0; k < count; k++) {
    TEN_TRY(interp_convert_to(call, call->in[k], block->block->args[count + k]->type->dtype, &x[k]));
    TEN_TRY(interp_convert_to(call, call->in[count + k], block->block->args[k]->type->dtype, &init[k]));
    TEN_TRY(interp_fill(init[k], w->rank, w->out, &acc[k]));
  }
  if (!acc[0]->count) return NULL;
  int64_t at[TEN_RANK_MAX] = {0};
  do {
    ten_status *status = NULL;
    for (uint32_t k = 0; k < count && !status; k++) {
      next[k] = acc[k];
      status = window_slice(w, x[k], init[k], at, &next[count + k]);
    }
    ten_tensor **made = next + 2 * count;
    if (!status) status = interp_elementwise(call, block, next, w->rank, w->out, made);
    ten_tensors_release(next + count, count);
    TEN_TRY(status);
    for (uint32_t k = 0; k < count; k++) {
      ten_tensor_release(acc[k]);
      acc[k] = made[k];
    }
  } while (interp_index_next(w->rank, w->size, at));
  return NULL;
}

ten_status *interp_reduce_window(interp_call *call) {
  const interp_block *block = interp_region(call, 0);
  const uint32_t count = call->op->operand_count / 2;
  if (!count || block->return_count != count || block->arg_count != 2 * count)
    return interp_error(call, TEN_INVALID, "the region does not fit %u operands", call->op->operand_count);
  window w;
  TEN_TRY(window_of(call, call->in[0], &w));
  ten_tensor **all = ten_alloc(6 * count * sizeof *all);
  memset(all, 0, 6 * count * sizeof *all);
  ten_tensor **acc = all + 2 * count;
  ten_status *status = window_fold(call, &w, count, all, all + count, acc, all + 3 * count);
  for (uint32_t k = 0; k < count && !status; k++)
    status = interp_convert_to(call, acc[k], interp_out_type(call, k)->dtype, &call->out[k]);
  ten_tensors_release(all, 3 * count);
  free(all);
  return status;
}

/* The element of each window chosen by `select` is combined with the source by `scatter`. Padding is never selected. */
static ten_status *prefers(interp_call *call, const ten_tensor *x, size_t a, size_t b, bool *out) {
  ten_tensor *args[2] = {0}, *result = NULL;
  ten_status *status = interp_scalar(x, a, &args[0]);
  if (!status) status = interp_scalar(x, b, &args[1]);
  if (!status) status = interp_block_run(call, interp_region(call, 0), args, &result);
  if (!status) *out = interp_is_true(result);
  ten_tensors_release(args, 2);
  ten_tensor_release(result);
  return status;
}

static ten_status *scatter_one(interp_call *call, size_t at, const ten_tensor *source, size_t from) {
  ten_tensor *args[2] = {0}, *result = NULL;
  ten_status *status = interp_scalar(call->out[0], at, &args[0]);
  if (!status) status = interp_scalar(source, from, &args[1]);
  if (!status) status = interp_block_run(call, interp_region(call, 1), args, &result);
  if (!status) memcpy(interp_to(call->out[0], at), result->data, ten_dtype_bytes(result->dtype));
  ten_tensors_release(args, 2);
  ten_tensor_release(result);
  return status;
}

ten_status *interp_select_and_scatter(interp_call *call) {
  const ten_tensor *x = call->in[0], *source = call->in[1];
  window w;
  TEN_TRY(window_of(call, x, &w));
  if (source->rank != w.rank)
    return interp_error(call, TEN_INVALID, "the source has rank %u, the operand %u", source->rank, w.rank);
  TEN_TRY(interp_fill(call->in[2], x->rank, x->dims, &call->out[0]));
  int64_t position[TEN_RANK_MAX] = {0}, index[TEN_RANK_MAX];
  for (size_t i = 0; i < source->count; i++) {
    int64_t at[TEN_RANK_MAX] = {0};
    bool found = false;
    size_t best = 0;
    do {
      if (!window_at(&w, x, position, at, index)) continue;
      const size_t here = interp_offset(x->rank, x->dims, index);
      bool keep = false;
      if (found) TEN_TRY(prefers(call, x, best, here, &keep));
      if (!keep) best = here;
      found = true;
    } while (interp_index_next(w.rank, w.size, at));
    if (found) TEN_TRY(scatter_one(call, best, source, i));
    interp_index_next(w.rank, source->dims, position);
  }
  return NULL;
}
