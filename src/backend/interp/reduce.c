/* reduce.c: reduce, map and scan: repeated application of a region. An elementwise region runs on all result positions
 * at once; each position still sees its elements in order. */
#include "backend/interp/interp.h"

#include <stdlib.h>

ten_status *interp_fill(const ten_tensor *scalar, uint32_t rank, const int64_t *dims, ten_tensor **out) {
  TEN_TRY(ten_tensor_create(scalar->dtype, rank, dims, out));
  const size_t size = ten_dtype_bytes(scalar->dtype);
  for (size_t i = 0; i < (*out)->count; i++) memcpy(interp_to(*out, i), scalar->data, size);
  return NULL;
}

/* A region may return a constant or a captured value: broadcast it. */
static ten_status *widen(uint32_t rank, const int64_t *dims, uint32_t count, ten_tensor **results) {
  for (uint32_t i = 0; i < count; i++) {
    if (results[i]->rank || !rank) continue;
    ten_tensor *wide;
    TEN_TRY(interp_fill(results[i], rank, dims, &wide));
    ten_tensor_release(results[i]);
    results[i] = wide;
  }
  return NULL;
}

static ten_status *one_by_one(interp_call *call, const interp_block *block, ten_tensor *const *args, uint32_t rank,
                              const int64_t *dims, ten_tensor **results) {
  const ten_op *end = ten_block_terminator(block->block);
  ten_tensor **scalars = ten_alloc((block->arg_count + block->return_count + 1) * sizeof *scalars);
  ten_tensor **values = scalars + block->arg_count;
  memset(scalars, 0, (block->arg_count + block->return_count + 1) * sizeof *scalars);
  ten_status *status = NULL;
  for (uint32_t i = 0; i < block->return_count && !status; i++)
    status = ten_tensor_create(ten_op_operand(end, i)->type->dtype, rank, dims, &results[i]);
  const size_t count = status || !block->return_count ? 0 : results[0]->count;
  for (size_t k = 0; k < count && !status; k++) {
    for (uint32_t i = 0; i < block->arg_count && !status; i++)
      status = interp_scalar(args[i], args[i]->count == 1 ? 0 : k, &scalars[i]);
    if (!status) status = interp_block_run(call, block, scalars, values);
    for (uint32_t i = 0; i < block->return_count && !status; i++)
      memcpy(interp_to(results[i], k), values[i]->data, ten_dtype_bytes(values[i]->dtype));
    ten_tensors_release(scalars, block->arg_count + block->return_count);
  }
  free(scalars);
  return status;
}

ten_status *interp_elementwise(interp_call *call, const interp_block *block, ten_tensor *const *args, uint32_t rank,
                               const int64_t *dims, ten_tensor **results) {
  for (uint32_t i = 0; i < block->return_count; i++) results[i] = NULL;
  ten_status *status;
  if (block->lifts) {
    status = interp_block_run(call, block, args, results);
    if (!status) status = widen(rank, dims, block->return_count, results);
  } else {
    status = one_by_one(call, block, args, rank, dims, results);
  }
  if (status) ten_tensors_release(results, block->return_count);
  return status;
}

ten_status *interp_map(interp_call *call) {
  if (!call->op->operand_count) return interp_error(call, TEN_INVALID, "takes at least one operand");
  return interp_elementwise(call, interp_region(call, 0), call->in, call->in[0]->rank, call->in[0]->dims, call->out);
}

/* The region's element type: it may be wider than the operand's. */
static ten_dtype region_dtype(const interp_block *block, uint32_t arg) { return block->block->args[arg]->type->dtype; }

typedef struct reduction {
  uint32_t count; /* operands */
  uint32_t rank;  /* of the result */
  int64_t dims[TEN_RANK_MAX];
  uint32_t reduced_rank;
  int64_t reduced[TEN_RANK_MAX];
  ten_tensor **x, **acc, **next; /* inputs, accumulators, [accumulators, slices] */
} reduction;

/* The slice at one index of the reduced dimensions. */
static ten_status *take_slice(const ten_tensor *x, const bool *is_reduced, const int64_t *index, uint32_t rank,
                              const int64_t *dims, ten_tensor **out) {
  int64_t strides[TEN_RANK_MAX], from[TEN_RANK_MAX], to[TEN_RANK_MAX];
  interp_strides(x, strides);
  const char *start = x->data;
  uint32_t kept = 0, gone = 0;
  for (uint32_t i = 0; i < x->rank; i++) {
    if (is_reduced[i])
      start += index[gone++] * strides[i];
    else
      from[kept++] = strides[i];
  }
  TEN_TRY(ten_tensor_create(x->dtype, rank, dims, out));
  interp_strides(*out, to);
  interp_copy_box(rank, dims, (*out)->data, to, start, from, ten_dtype_bytes(x->dtype));
  return NULL;
}

static ten_status *reduce_all(interp_call *call, const interp_block *block, reduction *r, const bool *is_reduced) {
  for (uint32_t k = 0; k < r->count; k++) {
    TEN_TRY(interp_convert_to(call, call->in[k], region_dtype(block, r->count + k), &r->x[k]));
    ten_tensor *init;
    TEN_TRY(interp_convert_to(call, call->in[r->count + k], region_dtype(block, k), &init));
    ten_status *status = interp_fill(init, r->rank, r->dims, &r->acc[k]);
    ten_tensor_release(init);
    TEN_TRY(status);
  }
  for (uint32_t i = 0; i < r->reduced_rank; i++)
    if (r->reduced[i] == 0) return NULL;
  if (!r->acc[0]->count) return NULL;
  int64_t index[TEN_RANK_MAX] = {0};
  do {
    ten_status *status = NULL;
    for (uint32_t k = 0; k < r->count && !status; k++) {
      r->next[k] = r->acc[k];
      status = take_slice(r->x[k], is_reduced, index, r->rank, r->dims, &r->next[r->count + k]);
    }
    ten_tensor **made = r->next + 2 * r->count;
    if (!status) status = interp_elementwise(call, block, r->next, r->rank, r->dims, made);
    ten_tensors_release(r->next + r->count, r->count);
    TEN_TRY(status);
    for (uint32_t k = 0; k < r->count; k++) {
      ten_tensor_release(r->acc[k]);
      r->acc[k] = made[k];
    }
  } while (interp_index_next(r->reduced_rank, r->reduced, index));
  return NULL;
}

ten_status *interp_reduce(interp_call *call) {
  const interp_block *block = interp_region(call, 0);
  const ten_ints dims = ten_op_ints(call->op, "dimensions");
  reduction r = {.count = call->op->operand_count / 2};
  if (!r.count || block->return_count != r.count || block->arg_count != 2 * r.count)
    return interp_error(call, TEN_INVALID, "the region does not fit %u operands", call->op->operand_count);
  const ten_tensor *x = call->in[0];
  bool is_reduced[TEN_RANK_MAX] = {0};
  for (uint32_t k = 0; k < r.count; k++)
    if (!ten_tensor_same_shape(call->in[k], x)) return interp_error(call, TEN_INVALID, "operands differ in shape");
  for (size_t i = 0; i < dims.count; i++) {
    if (dims.data[i] < 0 || dims.data[i] >= x->rank)
      return interp_error(call, TEN_INVALID, "dimension %lld is out of range for rank %u", (long long)dims.data[i],
                          x->rank);
    is_reduced[dims.data[i]] = true;
  }
  for (uint32_t i = 0; i < x->rank; i++) {
    if (is_reduced[i])
      r.reduced[r.reduced_rank++] = x->dims[i];
    else
      r.dims[r.rank++] = x->dims[i];
  }
  ten_tensor **all = ten_alloc(5 * r.count * sizeof *all);
  memset(all, 0, 5 * r.count * sizeof *all);
  r.x = all, r.acc = all + r.count, r.next = all + 2 * r.count;
  ten_status *status = reduce_all(call, block, &r, is_reduced);
  ten_tensors_release(r.x, r.count);
  for (uint32_t k = 0; k < r.count && !status; k++)
    status = interp_convert_to(call, r.acc[k], interp_out_type(call, k)->dtype, &call->out[k]);
  ten_tensors_release(r.acc, r.count);
  free(all);
  return status;
}

/* chlo.scan. The region sees one slice of each input and the carries; it returns one slice of each output, then the
 * carries. */
typedef struct scanner {
  uint32_t inputs, carries, outputs;
  uint32_t dim;
  int64_t size;
} scanner;

static ten_status *scan_step(interp_call *call, const scanner *s, int64_t at, ten_tensor **args, ten_tensor **values) {
  const interp_block *block = interp_region(call, 0);
  bool taken[TEN_RANK_MAX] = {0};
  taken[s->dim] = true;
  int64_t dims[TEN_RANK_MAX];
  for (uint32_t k = 0; k < s->inputs; k++) {
    const ten_tensor *x = call->in[k];
    for (uint32_t i = 0, kept = 0; i < x->rank; i++)
      if (i != s->dim) dims[kept++] = x->dims[i];
    TEN_TRY(take_slice(x, taken, &at, x->rank - 1, dims, &args[k]));
  }
  TEN_TRY(interp_block_run(call, block, args, values));
  for (uint32_t k = 0; k < s->outputs; k++) {
    const ten_tensor *slice = values[k];
    if (!call->out[k]) {
      uint32_t rank = 0;
      for (uint32_t i = 0; i <= slice->rank; i++)
        dims[rank++] = i == s->dim ? s->size : slice->dims[i > s->dim ? i - 1 : i];
      TEN_TRY(ten_tensor_create(slice->dtype, rank, dims, &call->out[k]));
    }
    int64_t from[TEN_RANK_MAX], strides[TEN_RANK_MAX], to[TEN_RANK_MAX];
    interp_strides(slice, from);
    interp_strides(call->out[k], strides);
    for (uint32_t i = 0, kept = 0; i < call->out[k]->rank; i++)
      if (i != s->dim) to[kept++] = strides[i];
    interp_copy_box(slice->rank, slice->dims, (char *)call->out[k]->data + at * strides[s->dim], to, slice->data, from,
                    ten_dtype_bytes(slice->dtype));
  }
  return NULL;
}

static uint32_t segment(const ten_op *op, const char *name, uint32_t index, uint32_t otherwise) {
  const ten_attr *attr = ten_op_attr(op, name);
  if (attr && attr->kind == TEN_ATTR_LIST && attr->list.dtype == TEN_I32 && index < attr->list.count)
    return (uint32_t)((const int32_t *)attr->list.data)[index];
  return otherwise;
}

ten_status *interp_scan(interp_call *call) {
  const ten_op *op = call->op;
  const interp_block *block = interp_region(call, 0);
  scanner s = {.inputs = segment(op, "operandSegmentSizes", 0, op->operand_count / 2),
               .dim = (uint32_t)ten_op_int(op, "dimension", 0)};
  s.carries = op->operand_count - s.inputs;
  s.outputs = op->result_count - s.carries;
  if (s.inputs > op->operand_count || s.carries > op->result_count || block->arg_count != op->operand_count ||
      block->return_count != op->result_count)
    return interp_error(call, TEN_INVALID, "the region does not fit the operands");
  for (uint32_t k = 0; k < s.inputs; k++)
    if (s.dim >= call->in[k]->rank)
      return interp_error(call, TEN_INVALID, "dimension %u is out of range for rank %u", s.dim, call->in[k]->rank);
  s.size = s.inputs ? call->in[0]->dims[s.dim]
                    : ten_op_int(op, "scan_dim_size", s.outputs ? interp_out_type(call, 0)->dims[s.dim] : 0);
  const bool reverse = ten_attr_as_bool(ten_op_attr(op, "is_reverse"));
  ten_tensor **args = ten_alloc((op->operand_count + op->result_count) * sizeof *args),
             **values = args + op->operand_count;
  memset(args, 0, (op->operand_count + op->result_count) * sizeof *args);
  for (uint32_t k = 0; k < s.carries; k++) args[s.inputs + k] = ten_tensor_retain(call->in[s.inputs + k]);
  ten_status *status = NULL;
  for (int64_t i = 0; i < s.size && !status; i++) {
    status = scan_step(call, &s, reverse ? s.size - 1 - i : i, args, values);
    ten_tensors_release(args, s.inputs);
    for (uint32_t k = 0; k < s.carries && !status; k++) {
      ten_tensor_release(args[s.inputs + k]);
      args[s.inputs + k] = values[s.outputs + k];
      values[s.outputs + k] = NULL;
    }
    ten_tensors_release(values, op->result_count);
  }
  for (uint32_t k = 0; k < s.carries && !status; k++) call->out[s.outputs + k] = ten_tensor_retain(args[s.inputs + k]);
  for (uint32_t k = 0; k < s.outputs && !status; k++)
    if (!call->out[k])
      status = interp_make(call, k, interp_out_type(call, k)->rank, interp_out_type(call, k)->dims, &call->out[k]);
  ten_tensors_release(args, op->operand_count);
  free(args);
  return status;
}
