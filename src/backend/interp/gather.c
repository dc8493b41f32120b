/* gather.c: gather and scatter. Gathers clamp their start indices to keep the slice in bounds; scatters skip updates
 * whose window is out of bounds. Unsigned indices are unsigned. */
#include <stdlib.h>

#include "backend/interp/interp.h"
#include "backend/interp/lanes.h"

/* An index tensor's entry; one too large for int64 saturates. */
static int64_t index_at(const ten_tensor *indices, size_t at) {
  const int64_t value = ten_tensor_int(indices, at);
  return value < 0 && interp_is_unsigned(indices->dtype) ? INT64_MAX : value;
}

/* Reads the index vector of one batch position: entry k is for operand dimension map[k]. */
static void read_starts(const ten_tensor *indices, int64_t vector_dim, const int64_t *batch, ten_ints map,
                        int64_t *starts) {
  int64_t index[TEN_RANK_MAX];
  uint32_t next = 0;
  for (uint32_t i = 0; i < indices->rank; i++) index[i] = i == vector_dim ? 0 : batch[next++];
  for (size_t k = 0; k < map.count; k++) {
    if (vector_dim < indices->rank) index[vector_dim] = (int64_t)k;
    starts[map.data[k]] = index_at(indices, interp_offset(indices->rank, indices->dims, index));
  }
}

/* The position of an index batching dimension among the batch dimensions (the vector dimension is not one of them). */
static uint32_t batch_place(int64_t dim, int64_t vector_dim) { return (uint32_t)(dim > vector_dim ? dim - 1 : dim); }

static ten_status *gather(interp_call *call, const ten_tensor *x, const ten_tensor *indices, const ten_gather_dims *d,
                          ten_ints sizes) {
  if (sizes.count != x->rank)
    return interp_error(call, TEN_INVALID, "slice_sizes has %zu entries for an operand of rank %u", sizes.count,
                        x->rank);
  for (uint32_t i = 0; i < x->rank; i++)
    if (sizes.data[i] < 0 || sizes.data[i] > x->dims[i])
      return interp_error(call, TEN_INVALID, "slice size %lld is out of range for dimension %u of size %lld",
                          (long long)sizes.data[i], i, (long long)x->dims[i]);
  const uint32_t batch_rank = indices->rank - (d->index_vector_dim < indices->rank ? 1 : 0);
  uint32_t window_dims[TEN_RANK_MAX], windows = 0; /* operand dimensions of the offset dimensions */
  for (uint32_t i = 0; i < x->rank; i++)
    if (!ten_ints_has(d->collapsed_slice_dims, i) && !ten_ints_has(d->operand_batching_dims, i))
      window_dims[windows++] = i;
  const uint32_t rank = batch_rank + (uint32_t)d->offset_dims.count;
  if (windows != d->offset_dims.count || rank > TEN_RANK_MAX)
    return interp_error(call, TEN_INVALID, "offset_dims do not fit the slice");
  int64_t dims[TEN_RANK_MAX];
  uint32_t batch_at[TEN_RANK_MAX], b = 0;
  for (size_t k = 0; k < d->offset_dims.count; k++) dims[d->offset_dims.data[k]] = sizes.data[window_dims[k]];
  for (uint32_t i = 0; i < rank; i++)
    if (!ten_ints_has(d->offset_dims, i)) {
      batch_at[b] = i;
      dims[i] = indices->dims[b < d->index_vector_dim ? b : b + 1];
      b++;
    }
  TEN_TRY(interp_make(call, 0, rank, dims, &call->out[0]));
  ten_tensor *out = call->out[0];
  if (out->count && !x->count)
    return interp_error(call, TEN_INVALID, "slices of an operand without elements, for %zu results", out->count);
  const size_t size = ten_dtype_bytes(x->dtype);
  int64_t index[TEN_RANK_MAX] = {0}, batch[TEN_RANK_MAX], starts[TEN_RANK_MAX];
  for (size_t n = 0; n < out->count; n++, interp_index_next(rank, dims, index)) {
    for (uint32_t i = 0; i < batch_rank; i++) batch[i] = index[batch_at[i]];
    memset(starts, 0, sizeof starts);
    read_starts(indices, d->index_vector_dim, batch, d->start_index_map, starts);
    for (uint32_t i = 0; i < x->rank; i++) {
      const int64_t last = x->dims[i] - sizes.data[i];
      starts[i] = starts[i] < 0 ? 0 : starts[i] > last ? last : starts[i];
    }
    for (size_t k = 0; k < d->operand_batching_dims.count; k++)
      starts[d->operand_batching_dims.data[k]] =
          batch[batch_place(d->start_indices_batching_dims.data[k], d->index_vector_dim)];
    for (uint32_t k = 0; k < windows; k++) starts[window_dims[k]] += index[d->offset_dims.data[k]];
    memcpy(interp_to(out, n), interp_at(x, interp_offset(x->rank, x->dims, starts)), size);
  }
  return NULL;
}

ten_status *interp_gather(interp_call *call) {
  const ten_gather_dims dims = ten_gather_dims_of(ten_op_attr(call->op, "dimension_numbers"));
  if (call->op->code == TEN_OP_GATHER)
    return gather(call, call->in[0], call->in[1], &dims, ten_op_ints(call->op, "slice_sizes"));
  int64_t sizes[TEN_RANK_MAX];
  if (call->in[2]->count > TEN_RANK_MAX)
    return interp_error(call, TEN_LIMIT, "slice_sizes has %zu entries, another number than the operand has dimensions",
                        call->in[2]->count);
  for (size_t i = 0; i < call->in[2]->count; i++) sizes[i] = ten_tensor_int(call->in[2], i);
  return gather(call, call->in[0], call->in[1], &dims, (ten_ints){sizes, call->in[2]->count});
}

/* Row `indices` of dimension `dim`, batched over the first batch_dims dimensions. */
ten_status *interp_torch_index_select(interp_call *call) {
  const ten_tensor *x = call->in[0], *indices = call->in[1];
  const int64_t dim = ten_op_int(call->op, "dim", 0), batch = ten_op_int(call->op, "batch_dims", 0);
  if (dim < 0 || dim >= x->rank || batch < 0 || batch > dim || batch > indices->rank)
    return interp_error(call, TEN_INVALID, "dim %lld or batch_dims %lld is out of range", (long long)dim,
                        (long long)batch);
  int64_t dims[2 * TEN_RANK_MAX], at[TEN_RANK_MAX] = {0}, from[TEN_RANK_MAX];
  uint32_t rank = 0;
  for (uint32_t i = 0; i < dim; i++) dims[rank++] = x->dims[i];
  for (uint32_t i = (uint32_t)batch; i < indices->rank; i++) dims[rank++] = indices->dims[i];
  for (uint32_t i = (uint32_t)dim + 1; i < x->rank; i++) dims[rank++] = x->dims[i];
  TEN_TRY(interp_make(call, 0, rank, dims, &call->out[0]));
  if (call->out[0]->count && !x->count)
    return interp_error(call, TEN_INVALID, "dimension %lld has no elements to select", (long long)dim);
  const uint32_t picked = indices->rank - (uint32_t)batch;
  for (size_t n = 0; n < call->out[0]->count; n++, interp_index_next(rank, dims, at)) {
    int64_t where[TEN_RANK_MAX];
    for (uint32_t i = 0; i < batch; i++) where[i] = at[i];
    for (uint32_t i = 0; i < picked; i++) where[batch + i] = at[dim + i];
    int64_t row = index_at(indices, interp_offset(indices->rank, indices->dims, where));
    row = row < 0 ? 0 : row >= x->dims[dim] ? x->dims[dim] - 1 : row;
    for (uint32_t i = 0; i < x->rank; i++) from[i] = i < dim ? at[i] : i == dim ? row : at[i - 1 + picked];
    memcpy(interp_to(call->out[0], n), interp_at(x, interp_offset(x->rank, x->dims, from)), ten_dtype_bytes(x->dtype));
  }
  return NULL;
}

/* Scatter: the region combines each update with the element at its target, one update after the other. */
typedef struct scatterer {
  ten_scatter_dims dims;
  uint32_t count;                              /* operands */
  uint32_t window_dims[TEN_RANK_MAX], windows; /* operand dimensions of update_window_dims */
  uint32_t batch_at[TEN_RANK_MAX], batch_rank; /* update dimensions of the batch */
} scatterer;

static bool landing(const scatterer *s, const ten_tensor *x, const ten_tensor *indices, const ten_tensor *update,
                    const int64_t *index, size_t *out) {
  int64_t batch[TEN_RANK_MAX], at[TEN_RANK_MAX] = {0};
  for (uint32_t i = 0; i < s->batch_rank; i++) batch[i] = index[s->batch_at[i]];
  read_starts(indices, s->dims.index_vector_dim, batch, s->dims.scatter_dims_to_operand_dims, at);
  for (size_t k = 0; k < s->dims.input_batching_dims.count; k++)
    at[s->dims.input_batching_dims.data[k]] =
        batch[batch_place(s->dims.scatter_indices_batching_dims.data[k], s->dims.index_vector_dim)];
  /* The whole window must be in bounds, as in XLA, not only the element. */
  for (uint32_t i = 0; i < x->rank; i++)
    if (at[i] < 0 || at[i] >= x->dims[i]) return false;
  for (uint32_t k = 0; k < s->windows; k++) {
    const int64_t length = update->dims[s->dims.update_window_dims.data[k]];
    if (at[s->window_dims[k]] > x->dims[s->window_dims[k]] - length) return false;
    at[s->window_dims[k]] += index[s->dims.update_window_dims.data[k]];
  }
  *out = interp_offset(x->rank, x->dims, at);
  return true;
}

static ten_status *scatter_all(interp_call *call, const scatterer *s, ten_tensor **args, ten_tensor **values) {
  const interp_block *block = interp_region(call, 0);
  const ten_tensor *indices = call->in[s->count], *update = call->in[s->count + 1];
  int64_t index[TEN_RANK_MAX] = {0};
  for (size_t n = 0; n < update->count; n++, interp_index_next(update->rank, update->dims, index)) {
    size_t at;
    if (!landing(s, call->in[0], indices, update, index, &at)) continue;
    ten_status *status = NULL;
    for (uint32_t k = 0; k < s->count && !status; k++) {
      status = interp_scalar(call->out[k], at, &args[k]);
      if (!status) status = interp_scalar(call->in[s->count + 1 + k], n, &args[s->count + k]);
    }
    if (!status) status = interp_block_run(call, block, args, values);
    for (uint32_t k = 0; k < s->count && !status; k++)
      memcpy(interp_to(call->out[k], at), values[k]->data, ten_dtype_bytes(values[k]->dtype));
    ten_tensors_release(args, 2 * s->count);
    ten_tensors_release(values, s->count);
    TEN_TRY(status);
  }
  return NULL;
}

ten_status *interp_scatter(interp_call *call) {
  scatterer s = {.dims = ten_scatter_dims_of(ten_op_attr(call->op, "scatter_dimension_numbers")),
                 .count = (call->op->operand_count - 1) / 2};
  const interp_block *block = interp_region(call, 0);
  if (!s.count || block->arg_count != 2 * s.count || block->return_count != s.count)
    return interp_error(call, TEN_INVALID, "the region does not fit %u operands", call->op->operand_count);
  const ten_tensor *x = call->in[0], *update = call->in[s.count + 1];
  for (uint32_t i = 0; i < x->rank; i++)
    if (!ten_ints_has(s.dims.inserted_window_dims, i) && !ten_ints_has(s.dims.input_batching_dims, i))
      s.window_dims[s.windows++] = i;
  for (uint32_t i = 0; i < update->rank; i++)
    if (!ten_ints_has(s.dims.update_window_dims, i)) s.batch_at[s.batch_rank++] = i;
  const ten_tensor *indices = call->in[s.count];
  if (s.windows != s.dims.update_window_dims.count ||
      s.batch_rank != indices->rank - (s.dims.index_vector_dim < indices->rank ? 1 : 0))
    return interp_error(call, TEN_INVALID, "updates of rank %u do not fit the dimension numbers", update->rank);
  for (uint32_t k = 0; k < s.count; k++) {
    if (!ten_tensor_same_shape(call->in[k], x) || !ten_tensor_same_shape(call->in[s.count + 1 + k], update))
      return interp_error(call, TEN_INVALID, "operands differ in shape");
    const ten_dtype dtype = ten_op_operand(ten_block_terminator(block->block), k)->type->dtype;
    ten_tensor *start;
    TEN_TRY(interp_convert_to(call, call->in[k], dtype, &start));
    ten_status *status = ten_tensor_create(dtype, x->rank, x->dims, &call->out[k]);
    if (!status && start->bytes) memcpy(call->out[k]->data, start->data, start->bytes);
    ten_tensor_release(start);
    TEN_TRY(status);
  }
  ten_tensor **args = ten_alloc(3 * s.count * sizeof *args);
  memset(args, 0, 3 * s.count * sizeof *args);
  ten_status *status = scatter_all(call, &s, args, args + 2 * s.count);
  free(args);
  return status;
}
