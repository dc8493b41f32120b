/* shape.c: data movement ops. Nearly all of them are one copy of a box between two strided views. */
#include "backend/interp/interp.h"
#include "backend/interp/lanes.h"
#include "base/size.h"

void interp_strides(const ten_tensor *tensor, int64_t *strides) {
  int64_t stride = (int64_t)ten_dtype_bytes(tensor->dtype);
  for (uint32_t i = tensor->rank; i-- > 0;) {
    strides[i] = stride;
    stride *= tensor->dims[i];
  }
}

bool interp_index_next(uint32_t rank, const int64_t *dims, int64_t *index) {
  for (uint32_t i = rank; i-- > 0;) {
    if (++index[i] < dims[i]) return true;
    index[i] = 0;
  }
  return false;
}

void interp_copy_box(uint32_t rank, const int64_t *dims, char *to, const int64_t *to_strides, const char *from,
                     const int64_t *from_strides, size_t size) {
  for (uint32_t i = 0; i < rank; i++)
    if (dims[i] <= 0) return;
  if (rank == 0) {
    memcpy(to, from, size);
    return;
  }
  const uint32_t last = rank - 1;
  int64_t index[TEN_RANK_MAX] = {0};
  do {
    char *t = to;
    const char *f = from;
    for (uint32_t i = 0; i < last; i++) t += index[i] * to_strides[i], f += index[i] * from_strides[i];
    if (to_strides[last] == (int64_t)size && from_strides[last] == (int64_t)size) {
      memcpy(t, f, (size_t)dims[last] * size);
    } else {
      for (int64_t i = 0; i < dims[last]; i++, t += to_strides[last], f += from_strides[last]) memcpy(t, f, size);
    }
  } while (interp_index_next(last, dims, index));
}

ten_status *interp_scalar(const ten_tensor *from, size_t index, ten_tensor **out) {
  TEN_TRY(ten_tensor_create(from->dtype, 0, NULL, out));
  memcpy((*out)->data, interp_at(from, index), ten_dtype_bytes(from->dtype));
  return NULL;
}

ten_status *interp_constant(interp_call *call) {
  call->out[0] = ten_tensor_retain(call->inst->constant);
  return NULL;
}

ten_status *interp_constant_like(interp_call *call) {
  const ten_attr *value = ten_op_attr(call->op, "value");
  TEN_TRY(interp_make_like(call, 0, call->in[0], &call->out[0]));
  ten_tensor *out = call->out[0];
  const size_t stride = ten_dtype_is_complex(out->dtype) ? 2 : 1;
  for (size_t i = 0; i < out->count; i++) {
    if (interp_is_integral(out->dtype))
      interp_store_int(out, i, ten_attr_as_int(value, 0));
    else
      interp_store_real(out, i * stride, ten_attr_as_float(value, 0));
  }
  return NULL;
}

static ten_status *iota(interp_call *call, uint32_t rank, const int64_t *dims) {
  const int64_t dim = ten_op_int(call->op, "iota_dimension", 0);
  if (dim < 0 || dim >= rank)
    return interp_error(call, TEN_INVALID, "iota_dimension is %lld, the rank %u", (long long)dim, rank);
  TEN_TRY(interp_make(call, 0, rank, dims, &call->out[0]));
  ten_tensor *out = call->out[0];
  size_t inner = 1;
  for (uint32_t i = (uint32_t)dim + 1; i < rank; i++) inner *= (size_t)dims[i];
  const size_t stride = ten_dtype_is_complex(out->dtype) ? 2 : 1;
  for (size_t i = 0; i < out->count; i++) {
    const int64_t value = (int64_t)(i / inner) % dims[dim];
    if (interp_is_integral(out->dtype))
      interp_store_int(out, i, value);
    else
      interp_store_real(out, i * stride, (double)value);
  }
  return NULL;
}

ten_status *interp_iota(interp_call *call) {
  const ten_type *type = interp_out_type(call, 0);
  return iota(call, type->rank, type->dims);
}

/* A rank-1 tensor of sizes as a list. */
static ten_status *sizes_of(interp_call *call, const ten_tensor *tensor, const char *what, int64_t *sizes) {
  if (tensor->count > TEN_RANK_MAX) return interp_error(call, TEN_LIMIT, "%s has %zu entries", what, tensor->count);
  for (size_t i = 0; i < tensor->count; i++) sizes[i] = ten_tensor_int(tensor, i);
  return NULL;
}

ten_status *interp_dynamic_iota(interp_call *call) {
  int64_t dims[TEN_RANK_MAX];
  TEN_TRY(sizes_of(call, call->in[0], "output_shape", dims));
  return iota(call, (uint32_t)call->in[0]->count, dims);
}

/* Dimension i of x becomes map[i] of the result; one of size 1 is repeated. */
static ten_status *broadcast(interp_call *call, const ten_tensor *x, uint32_t rank, const int64_t *dims,
                             const int64_t *map, ten_tensor **out) {
  int64_t own[TEN_RANK_MAX], from[TEN_RANK_MAX] = {0}, to[TEN_RANK_MAX];
  interp_strides(x, own);
  for (uint32_t i = 0; i < x->rank; i++) {
    if (map[i] < 0 || map[i] >= rank)
      return interp_error(call, TEN_INVALID, "broadcast dimension %lld is out of range for rank %u", (long long)map[i],
                          rank);
    if (x->dims[i] != 1 && x->dims[i] != dims[map[i]])
      return interp_error(call, TEN_INVALID, "dimension %u of size %lld cannot become %lld", i, (long long)x->dims[i],
                          (long long)dims[map[i]]);
    if (x->dims[i] != 1) from[map[i]] = own[i];
  }
  TEN_TRY(ten_tensor_create(x->dtype, rank, dims, out));
  interp_strides(*out, to);
  interp_copy_box(rank, dims, (*out)->data, to, x->data, from, ten_dtype_bytes(x->dtype));
  return NULL;
}

ten_status *interp_broadcast(interp_call *call) {
  const ten_tensor *x = call->in[0];
  const ten_ints sizes = ten_op_ints(call->op, "broadcast_sizes");
  int64_t dims[2 * TEN_RANK_MAX], map[TEN_RANK_MAX];
  if (sizes.count + x->rank > TEN_RANK_MAX)
    return interp_error(call, TEN_LIMIT, "the result's rank is over %d", TEN_RANK_MAX);
  for (size_t i = 0; i < sizes.count; i++) dims[i] = sizes.data[i];
  for (uint32_t i = 0; i < x->rank; i++) map[i] = (int64_t)(sizes.count + i), dims[map[i]] = x->dims[i];
  return broadcast(call, x, (uint32_t)sizes.count + x->rank, dims, map, &call->out[0]);
}

ten_status *interp_broadcast_in_dim(interp_call *call) {
  const ten_ints map = ten_op_ints(call->op, "broadcast_dimensions");
  if (map.count != call->in[0]->rank)
    return interp_error(call, TEN_INVALID, "broadcast_dimensions has %zu entries for an operand of rank %u", map.count,
                        call->in[0]->rank);
  if (call->op->code == TEN_OP_BROADCAST_IN_DIM) {
    const ten_type *type = interp_out_type(call, 0);
    int64_t dims[TEN_RANK_MAX];
    if (type->rank > TEN_RANK_MAX)
      return interp_error(call, TEN_LIMIT, "rank %u is more than is supported", type->rank);
    for (uint32_t i = 0; i < type->rank; i++) dims[i] = type->dims[i];
    for (size_t i = 0; i < map.count; i++) /* a bounded dimension has the operand's size */
      if (map.data[i] >= 0 && map.data[i] < type->rank && dims[map.data[i]] == TEN_DYNAMIC)
        dims[map.data[i]] = call->in[0]->dims[i];
    return broadcast(call, call->in[0], type->rank, dims, map.data, &call->out[0]);
  }
  int64_t dims[TEN_RANK_MAX];
  TEN_TRY(sizes_of(call, call->in[1], "output_dimensions", dims));
  return broadcast(call, call->in[0], (uint32_t)call->in[1]->count, dims, map.data, &call->out[0]);
}

static void release_tensor(void *tensor) { ten_tensor_release(tensor); }

static ten_status *reshape(interp_call *call, uint32_t rank, const int64_t *dims) {
  ten_tensor *x = call->in[0];
  TEN_TRY(ten_tensor_from_memory(x->dtype, rank, dims, x->data, release_tensor, NULL, &call->out[0]));
  call->out[0]->owner = ten_tensor_retain(x);
  if (call->out[0]->count == x->count) return NULL;
  return interp_error(call, TEN_INVALID, "%zu elements cannot be reshaped to %zu", x->count, call->out[0]->count);
}

ten_status *interp_reshape(interp_call *call) {
  const ten_type *type = interp_out_type(call, 0);
  if (type->rank > TEN_RANK_MAX) return interp_error(call, TEN_LIMIT, "rank %u is more than is supported", type->rank);
  int64_t dims[TEN_RANK_MAX];
  size_t known = 1;
  uint32_t unknown = type->rank;
  for (uint32_t i = 0; i < type->rank; i++) {
    dims[i] = type->dims[i];
    if (dims[i] == TEN_DYNAMIC)
      unknown = i;
    else
      known *= (size_t)dims[i];
  }
  if (unknown < type->rank) dims[unknown] = known ? (int64_t)(call->in[0]->count / known) : 0;
  return reshape(call, type->rank, dims);
}

ten_status *interp_dynamic_reshape(interp_call *call) {
  int64_t dims[TEN_RANK_MAX];
  TEN_TRY(sizes_of(call, call->in[1], "output_shape", dims));
  return reshape(call, (uint32_t)call->in[1]->count, dims);
}

ten_status *interp_transpose(interp_call *call) {
  const ten_tensor *x = call->in[0];
  const ten_ints permutation = ten_op_ints(call->op, "permutation");
  int64_t own[TEN_RANK_MAX], from[TEN_RANK_MAX], to[TEN_RANK_MAX], dims[TEN_RANK_MAX];
  if (permutation.count != x->rank)
    return interp_error(call, TEN_INVALID, "permutation has %zu entries for an operand of rank %u", permutation.count,
                        x->rank);
  interp_strides(x, own);
  for (uint32_t i = 0; i < x->rank; i++) dims[i] = x->dims[permutation.data[i]], from[i] = own[permutation.data[i]];
  TEN_TRY(interp_make(call, 0, x->rank, dims, &call->out[0]));
  interp_strides(call->out[0], to);
  interp_copy_box(x->rank, dims, call->out[0]->data, to, x->data, from, ten_dtype_bytes(x->dtype));
  return NULL;
}

ten_status *interp_reverse(interp_call *call) {
  const ten_tensor *x = call->in[0];
  const ten_ints reversed = ten_op_ints(call->op, "dimensions");
  int64_t from[TEN_RANK_MAX], to[TEN_RANK_MAX];
  TEN_TRY(interp_make_like(call, 0, x, &call->out[0]));
  if (!x->count) return NULL;
  interp_strides(x, from);
  interp_strides(call->out[0], to);
  const char *start = x->data;
  for (size_t i = 0; i < reversed.count; i++) {
    const int64_t dim = reversed.data[i];
    start += (x->dims[dim] - 1) * from[dim];
    from[dim] = -from[dim];
  }
  interp_copy_box(x->rank, x->dims, call->out[0]->data, to, start, from, ten_dtype_bytes(x->dtype));
  return NULL;
}

static ten_status *slice(interp_call *call, const int64_t *starts, const int64_t *limits, const int64_t *strides) {
  const ten_tensor *x = call->in[0];
  int64_t dims[TEN_RANK_MAX], from[TEN_RANK_MAX], to[TEN_RANK_MAX];
  interp_strides(x, from);
  int64_t start = 0;
  bool empty = false;
  for (uint32_t i = 0; i < x->rank; i++) {
    if (strides[i] <= 0 || starts[i] < 0 || limits[i] > x->dims[i])
      return interp_error(call, TEN_INVALID, "slice [%lld:%lld:%lld] is out of range for dimension %u of size %lld",
                          (long long)starts[i], (long long)limits[i], (long long)strides[i], i, (long long)x->dims[i]);
    dims[i] = limits[i] > starts[i] ? (limits[i] - starts[i] - 1) / strides[i] + 1 : 0;
    empty = empty || !dims[i];
    start += starts[i] * from[i];
    from[i] *= strides[i];
  }
  TEN_TRY(interp_make(call, 0, x->rank, dims, &call->out[0]));
  if (empty) return NULL;
  interp_strides(call->out[0], to);
  interp_copy_box(x->rank, dims, call->out[0]->data, to, (const char *)x->data + start, from,
                  ten_dtype_bytes(x->dtype));
  return NULL;
}

ten_status *interp_slice(interp_call *call) {
  const ten_ints starts = ten_op_ints(call->op, "start_indices"), limits = ten_op_ints(call->op, "limit_indices");
  const ten_ints strides = ten_op_ints(call->op, "strides");
  const uint32_t rank = call->in[0]->rank;
  if (starts.count != rank || limits.count != rank || strides.count != rank)
    return interp_error(call, TEN_INVALID, "start_indices, limit_indices and strides must have %u entries each", rank);
  return slice(call, starts.data, limits.data, strides.data);
}

ten_status *interp_real_dynamic_slice(interp_call *call) {
  int64_t starts[TEN_RANK_MAX], limits[TEN_RANK_MAX], strides[TEN_RANK_MAX];
  const uint32_t rank = call->in[0]->rank;
  for (int i = 1; i < 4; i++)
    if (call->in[i]->count != rank) return interp_error(call, TEN_INVALID, "operand %d must have %u entries", i, rank);
  TEN_TRY(sizes_of(call, call->in[1], "start_indices", starts));
  TEN_TRY(sizes_of(call, call->in[2], "limit_indices", limits));
  TEN_TRY(sizes_of(call, call->in[3], "strides", strides));
  for (uint32_t i = 0; i < rank; i++) { /* an out-of-bounds window is shifted inside, as in dynamic_slice */
    const int64_t dim = call->in[0]->dims[i], over = limits[i] > dim ? limits[i] - dim : starts[i] < 0 ? starts[i] : 0;
    if (limits[i] - starts[i] > dim) continue;
    starts[i] -= over;
    limits[i] -= over;
  }
  return slice(call, starts, limits, strides);
}

/* Clamps start indices to keep the whole slice in bounds. Unsigned ones are unsigned. */
static ten_status *clamped_starts(interp_call *call, uint32_t first, const ten_tensor *x, const int64_t *sizes,
                                  int64_t *starts) {
  for (uint32_t i = 0; i < x->rank; i++) {
    const ten_tensor *index = call->in[first + i];
    const int64_t last = x->dims[i] - sizes[i];
    if (last < 0)
      return interp_error(call, TEN_INVALID, "slice size %lld is out of range for dimension %u of size %lld",
                          (long long)sizes[i], i, (long long)x->dims[i]);
    const int64_t value = ten_tensor_int(index, 0);
    if (value < 0 && interp_is_unsigned(index->dtype))
      starts[i] = last;
    else
      starts[i] = value < 0 ? 0 : value > last ? last : value;
  }
  return NULL;
}

ten_status *interp_dynamic_slice(interp_call *call) {
  const ten_tensor *x = call->in[0];
  const ten_ints sizes = ten_op_ints(call->op, "slice_sizes");
  int64_t starts[TEN_RANK_MAX], limits[TEN_RANK_MAX], ones[TEN_RANK_MAX];
  if (sizes.count != x->rank || call->op->operand_count != x->rank + 1)
    return interp_error(call, TEN_INVALID, "there must be %u start indices, one for each dimension", x->rank);
  TEN_TRY(clamped_starts(call, 1, x, sizes.data, starts));
  for (uint32_t i = 0; i < x->rank; i++) limits[i] = starts[i] + sizes.data[i], ones[i] = 1;
  return slice(call, starts, limits, ones);
}

ten_status *interp_dynamic_update_slice(interp_call *call) {
  const ten_tensor *x = call->in[0], *update = call->in[1];
  int64_t starts[TEN_RANK_MAX], from[TEN_RANK_MAX], to[TEN_RANK_MAX];
  if (update->rank != x->rank || call->op->operand_count != x->rank + 2)
    return interp_error(call, TEN_INVALID, "there must be %u start indices, one for each dimension", x->rank);
  TEN_TRY(clamped_starts(call, 2, x, update->dims, starts));
  TEN_TRY(interp_make_like(call, 0, x, &call->out[0]));
  if (x->bytes) memcpy(call->out[0]->data, x->data, x->bytes);
  interp_strides(update, from);
  interp_strides(x, to);
  char *start = call->out[0]->data;
  for (uint32_t i = 0; i < x->rank; i++) start += starts[i] * to[i];
  interp_copy_box(x->rank, update->dims, start, to, update->data, from, ten_dtype_bytes(x->dtype));
  return NULL;
}

static int64_t divide_up(int64_t a, int64_t b) { return a <= 0 ? 0 : (a - 1) / b + 1; }

/* Element i of a dimension moves to low + i * (interior + 1); out-of-bounds elements are dropped. */
static ten_status *pad(interp_call *call, const int64_t *low, const int64_t *high, const int64_t *interior) {
  const ten_tensor *x = call->in[0], *value = call->in[1];
  int64_t dims[TEN_RANK_MAX], box[TEN_RANK_MAX], from[TEN_RANK_MAX], to[TEN_RANK_MAX], first[TEN_RANK_MAX];
  for (uint32_t i = 0; i < x->rank; i++) {
    const int64_t step = interior[i] + 1;
    int64_t grown;
    if (step <= 0)
      return interp_error(call, TEN_INVALID, "interior padding is %lld; it must be at least 0", (long long)interior[i]);
    if (!ten_mul_i64(x->dims[i] > 0 ? x->dims[i] - 1 : 0, step, &grown) ||
        !ten_add_i64(grown, (x->dims[i] > 0) + low[i], &grown) || !ten_add_i64(grown, high[i], &dims[i]))
      return interp_error(call, TEN_LIMIT, "dimension %u of the result is too large", i);
    if (dims[i] < 0) dims[i] = 0;
    first[i] = low[i] < 0 ? divide_up(-low[i], step) : 0;
    const int64_t end = divide_up(dims[i] - low[i], step);
    box[i] = (end < x->dims[i] ? end : x->dims[i]) - first[i];
  }
  TEN_TRY(interp_make(call, 0, x->rank, dims, &call->out[0]));
  ten_tensor *out = call->out[0];
  const size_t size = ten_dtype_bytes(x->dtype);
  for (size_t i = 0; i < out->count; i++) memcpy(interp_to(out, i), value->data, size);
  interp_strides(x, from);
  interp_strides(out, to);
  const char *source = x->data;
  char *target = out->data;
  for (uint32_t i = 0; i < x->rank; i++) {
    if (box[i] <= 0) return NULL;
    source += first[i] * from[i];
    target += (low[i] + first[i] * (interior[i] + 1)) * to[i];
    to[i] *= interior[i] + 1;
  }
  interp_copy_box(x->rank, box, target, to, source, from, size);
  return NULL;
}

ten_status *interp_pad(interp_call *call) {
  const ten_ints low = ten_op_ints(call->op, "edge_padding_low"), high = ten_op_ints(call->op, "edge_padding_high");
  const ten_ints interior = ten_op_ints(call->op, "interior_padding");
  const uint32_t rank = call->in[0]->rank;
  if (low.count != rank || high.count != rank || interior.count != rank)
    return interp_error(call, TEN_INVALID,
                        "edge_padding_low, edge_padding_high and interior_padding must have %u entries each", rank);
  return pad(call, low.data, high.data, interior.data);
}

ten_status *interp_dynamic_pad(interp_call *call) {
  int64_t low[TEN_RANK_MAX], high[TEN_RANK_MAX], interior[TEN_RANK_MAX];
  for (int i = 2; i < 5; i++)
    if (call->in[i]->count != call->in[0]->rank)
      return interp_error(call, TEN_INVALID, "operand %d must have %u entries", i, call->in[0]->rank);
  TEN_TRY(sizes_of(call, call->in[2], "edge_padding_low", low));
  TEN_TRY(sizes_of(call, call->in[3], "edge_padding_high", high));
  TEN_TRY(sizes_of(call, call->in[4], "interior_padding", interior));
  return pad(call, low, high, interior);
}

ten_status *interp_concatenate(interp_call *call) {
  const int64_t dim = ten_op_int(call->op, "dimension", 0);
  const ten_tensor *first = call->in[0];
  int64_t dims[TEN_RANK_MAX], from[TEN_RANK_MAX], to[TEN_RANK_MAX];
  if (dim < 0 || dim >= first->rank)
    return interp_error(call, TEN_INVALID, "dimension %lld is out of range for rank %u", (long long)dim, first->rank);
  for (uint32_t i = 0; i < first->rank; i++) dims[i] = first->dims[i];
  dims[dim] = 0;
  for (uint32_t k = 0; k < call->op->operand_count; k++) {
    for (uint32_t i = 0; i < first->rank; i++)
      if (call->in[k]->rank != first->rank || (i != dim && call->in[k]->dims[i] != dims[i]))
        return interp_error(call, TEN_INVALID, "operand %u differs in more than dimension %lld", k, (long long)dim);
    dims[dim] += call->in[k]->dims[dim];
  }
  TEN_TRY(interp_make(call, 0, first->rank, dims, &call->out[0]));
  interp_strides(call->out[0], to);
  char *target = call->out[0]->data;
  for (uint32_t k = 0; k < call->op->operand_count; k++) {
    const ten_tensor *x = call->in[k];
    interp_strides(x, from);
    interp_copy_box(x->rank, x->dims, target, to, x->data, from, ten_dtype_bytes(x->dtype));
    target += x->dims[dim] * to[dim];
  }
  return NULL;
}

ten_status *interp_get_dimension_size(interp_call *call) {
  const int64_t dim = ten_op_int(call->op, "dimension", 0);
  if (dim < 0 || dim >= call->in[0]->rank)
    return interp_error(call, TEN_INVALID, "dimension %lld is out of range for rank %u", (long long)dim,
                        call->in[0]->rank);
  TEN_TRY(interp_make(call, 0, 0, NULL, &call->out[0]));
  interp_store_int(call->out[0], 0, call->in[0]->dims[dim]);
  return NULL;
}

/* The first `size` elements of a dimension; if it grows, the rest is zero. */
ten_status *interp_set_dimension_size(interp_call *call) {
  const ten_tensor *x = call->in[0];
  const int64_t dim = ten_op_int(call->op, "dimension", 0), size = ten_tensor_int(call->in[1], 0);
  int64_t dims[TEN_RANK_MAX], box[TEN_RANK_MAX], from[TEN_RANK_MAX], to[TEN_RANK_MAX];
  if (dim < 0 || dim >= x->rank)
    return interp_error(call, TEN_INVALID, "dimension %lld is out of range for rank %u", (long long)dim, x->rank);
  for (uint32_t i = 0; i < x->rank; i++) dims[i] = box[i] = x->dims[i];
  dims[dim] = size;
  if (size < box[dim]) box[dim] = size;
  TEN_TRY(interp_make(call, 0, x->rank, dims, &call->out[0]));
  interp_strides(x, from);
  interp_strides(call->out[0], to);
  interp_copy_box(x->rank, box, call->out[0]->data, to, x->data, from, ten_dtype_bytes(x->dtype));
  return NULL;
}

/* chlo.broadcast_*: NumPy's rules, or broadcast_dimensions for the operand of lower rank; then the plain op. */
static ten_status *broadcast_pair(interp_call *call, const ten_tensor *x, uint32_t rank, const int64_t *dims,
                                  ten_ints map, ten_tensor **out) {
  int64_t places[TEN_RANK_MAX];
  for (uint32_t i = 0; i < x->rank; i++)
    places[i] = x->rank < rank && map.count == x->rank ? map.data[i] : (int64_t)(rank - x->rank + i);
  return broadcast(call, x, rank, dims, places, out);
}

ten_status *interp_broadcast_op(interp_call *call) {
  const ten_ints map = ten_op_ints(call->op, "broadcast_dimensions");
  const uint32_t count = call->op->operand_count;
  uint32_t rank = 0;
  int64_t dims[TEN_RANK_MAX];
  for (uint32_t k = 0; k < count; k++)
    if (call->in[k]->rank > rank) rank = call->in[k]->rank;
  for (uint32_t i = 0; i < rank; i++) dims[i] = 1;
  for (uint32_t k = 0; k < count; k++) {
    const ten_tensor *x = call->in[k];
    for (uint32_t i = 0; i < x->rank; i++) {
      const int64_t at = x->rank < rank && map.count == x->rank ? map.data[i] : (int64_t)(rank - x->rank + i);
      if (at >= 0 && at < rank && x->dims[i] != 1) dims[at] = x->dims[i];
    }
  }
  ten_tensor *wide[3] = {0};
  ten_status *status = NULL;
  for (uint32_t k = 0; k < count && !status; k++) status = broadcast_pair(call, call->in[k], rank, dims, map, &wide[k]);
  if (!status) {
    interp_call inner = *call;
    inner.in = wide;
    const ten_opcode code = ten_op_broadcasts(call->op->code);
    if (interp_kernels[code] == interp_binary)
      status = interp_binary_on(&inner, code, wide[0], wide[1], &call->out[0]);
    else
      status = interp_kernels[code](&inner);
  }
  ten_tensors_release(wide, count);
  return status;
}
