/* shape.c: ops that move elements without computing on them. */
#include "base/size.h"
#include "ir/verify/rules.h"

static int64_t *new_dims(ten_module *m, uint32_t rank) { return ten_arena_new_array(&m->arena, int64_t, rank); }

static int64_t *copy_dims(ten_module *m, uint32_t rank, const int64_t *dims) {
  return dims ? ten_arena_copy(&m->arena, dims, rank * sizeof *dims) : NULL;
}

TEN_INFER(constant) {
  (void)m;
  const ten_attr *value = ten_op_attr(op, "value");
  WANT(value->dense.type && value->dense.type->kind == TEN_TYPE_TENSOR, "the value is not of a tensor type");
  return out[0] = value->dense.type, NULL;
}

/* The value of a quantized constant has its storage type. */
TEN_VERIFY(constant) {
  const ten_type *value = ten_op_attr(op, "value")->dense.type, *result = ten_out(op, 0);
  if (result->quant && !value->quant)
    WANT(value->dtype == result->dtype && ten_shapes_agree(value, result), "value is %s, result %s stores %s",
         ten_say_type(m, value), ten_say_type(m, result), ten_dtype_name(result->dtype));
  else
    WANT(ten_types_agree(value, result), "value is %s, result is %s", ten_say_type(m, value), ten_say_type(m, result));
  return NULL;
}

TEN_VERIFY(iota) {
  (void)m;
  int64_t dim;
  const ten_type *type = ten_out(op, 0);
  WANT(type->rank > 0, "result is a scalar, which has no dimension to count along");
  return ten_want_dim(op, "iota_dimension", type->rank, "result", &dim);
}

TEN_VERIFY(reshape) {
  const ten_type *operand = ten_in(op, 0), *result = ten_out(op, 0);
  if (ten_type_is_static(operand) && ten_type_is_static(result))
    WANT(ten_type_count(operand) == ten_type_count(result), "operand %s has %lld elements, result %s has %lld",
         ten_say_type(m, operand), (long long)ten_type_count(operand), ten_say_type(m, result),
         (long long)ten_type_count(result));
  return operand->quant || result->quant ? ten_want_reshape_quant(m, op) : NULL;
}

TEN_INFER(broadcast) {
  const ten_type *operand = ten_in(op, 0);
  const ten_ints sizes = ten_op_ints(op, "broadcast_sizes");
  for (size_t i = 0; i < sizes.count; i++)
    WANT(sizes.data[i] >= 0, "broadcast_sizes %s has a negative size", ten_say_list(m, sizes));
  WANT(sizes.count < UINT32_MAX - operand->rank, "broadcast_sizes is too long");
  const uint32_t rank = (uint32_t)sizes.count + operand->rank;
  int64_t *dims = new_dims(m, rank);
  for (uint32_t i = 0; i < rank; i++) dims[i] = i < sizes.count ? sizes.data[i] : operand->dims[i - sizes.count];
  return out[0] = ten_make_tensor(m, operand->element, rank, dims, NULL), NULL;
}

TEN_VERIFY(broadcast_in_dim) {
  const ten_type *operand = ten_in(op, 0), *result = ten_out(op, 0);
  const ten_ints dims = ten_op_ints(op, "broadcast_dimensions");
  WANT(dims.count == operand->rank, "broadcast_dimensions %s has %zu entries, operand has rank %u",
       ten_say_list(m, dims), dims.count, operand->rank);
  TEN_TRY(ten_want_in_range(m, op, dims, result->rank, "broadcast_dimensions", "result"));
  TEN_TRY(ten_want_unique(m, op, dims, "broadcast_dimensions"));
  for (uint32_t i = 0; i < operand->rank; i++) {
    const int64_t size = operand->dims[i], wanted = result->dims[dims.data[i]];
    WANT(!ten_dim_known(size) || size == 1 || size == wanted,
         "operand dimension %u has size %lld, result dimension %lld has %s", i, (long long)size,
         (long long)dims.data[i], ten_say_dim(m, wanted));
  }
  return operand->quant || result->quant ? ten_want_broadcast_quant(m, op, dims) : NULL;
}

TEN_INFER(transpose) {
  const ten_type *operand = ten_in(op, 0);
  const ten_ints permutation = ten_op_ints(op, "permutation");
  WANT(permutation.count == operand->rank, "permutation %s has %zu entries, operand has rank %u",
       ten_say_list(m, permutation), permutation.count, operand->rank);
  TEN_TRY(ten_want_in_range(m, op, permutation, operand->rank, "permutation", "operand"));
  TEN_TRY(ten_want_unique(m, op, permutation, "permutation"));
  const int64_t *bounds = ten_bounds_of(operand);
  int64_t *dims = new_dims(m, operand->rank), *new_bounds = bounds ? new_dims(m, operand->rank) : NULL;
  for (uint32_t i = 0; i < operand->rank; i++) {
    dims[i] = operand->dims[permutation.data[i]];
    if (bounds) new_bounds[i] = bounds[permutation.data[i]];
  }
  const ten_type *hint = ten_out(op, 0);
  const ten_type *element = ten_is_per_axis(operand) && hint && ten_is_shaped(hint) ? hint->element : operand->element;
  return out[0] = ten_make_tensor(m, element, operand->rank, dims, new_bounds), NULL;
}

TEN_VERIFY(transpose) {
  const ten_type *operand = ten_in(op, 0), *result = ten_out(op, 0);
  TEN_TRY(ten_want_same_scale(m, op));
  if (!ten_is_per_axis(result) || !ten_is_per_axis(operand)) return NULL;
  const ten_ints permutation = ten_op_ints(op, "permutation");
  const int64_t from = operand->quant->axes[0], to = result->quant->axes[0];
  WANT(permutation.data[to] == from,
       "operand is quantized along dimension %lld, result along %lld, which is operand's dimension %lld",
       (long long)from, (long long)to, (long long)permutation.data[to]);
  return NULL;
}

TEN_INFER(reverse) {
  const ten_ints dims = ten_op_ints(op, "dimensions");
  TEN_TRY(ten_want_in_range(m, op, dims, ten_in(op, 0)->rank, "dimensions", "operand"));
  TEN_TRY(ten_want_unique(m, op, dims, "dimensions"));
  return out[0] = ten_in(op, 0), NULL;
}

ten_status *ten_infer_slice_of(ten_module *m, const ten_op *op, ten_ints start, ten_ints limit, ten_ints strides,
                               const ten_type **out) {
  const ten_type *operand = ten_in(op, 0);
  WANT(start.count == operand->rank && limit.count == operand->rank && strides.count == operand->rank,
       "start_indices, limit_indices and strides have %zu, %zu and %zu entries, operand has rank %u", start.count,
       limit.count, strides.count, operand->rank);
  int64_t *dims = new_dims(m, operand->rank);
  for (uint32_t i = 0; i < operand->rank; i++) {
    const int64_t from = start.data[i], to = limit.data[i], stride = strides.data[i], size = ten_type_bound(operand, i);
    WANT(from >= 0, "start_indices[%u] = %lld is negative", i, (long long)from);
    WANT(!ten_dim_known(size) || to <= size, "limit_indices[%u] = %lld, operand dimension %u has %s %lld", i,
         (long long)to, i, ten_dim_known(operand->dims[i]) ? "size" : "bound", (long long)size);
    WANT(from <= to, "start_indices[%u] = %lld is after limit_indices[%u] = %lld", i, (long long)from, i,
         (long long)to);
    WANT(stride > 0, "strides[%u] = %lld, must be positive", i, (long long)stride);
    dims[i] = (to - from) / stride + ((to - from) % stride != 0);
  }
  return *out = ten_make_tensor(m, operand->element, operand->rank, dims, NULL), NULL;
}

TEN_INFER(slice) {
  return ten_infer_slice_of(m, op, ten_op_ints(op, "start_indices"), ten_op_ints(op, "limit_indices"),
                            ten_op_ints(op, "strides"), out);
}

static ten_status *want_starts(ten_module *m, const ten_op *op, uint32_t first, uint32_t rank) {
  WANT(op->operand_count - first == rank, "has %u start indices, operand has rank %u", op->operand_count - first, rank);
  for (uint32_t i = first; i < op->operand_count; i++) {
    const ten_type *type = ten_in(op, i);
    WANT(ten_elements_equal(type, ten_in(op, first)), "start index 0 is %s, start index %u is %s",
         ten_say_type(m, ten_in(op, first)), i - first, ten_say_type(m, type));
  }
  return NULL;
}

TEN_INFER(dynamic_slice) {
  const ten_type *operand = ten_in(op, 0);
  const ten_ints sizes = ten_op_ints(op, "slice_sizes");
  TEN_TRY(want_starts(m, op, 1, operand->rank));
  WANT(sizes.count == operand->rank, "slice_sizes %s has %zu entries, operand has rank %u", ten_say_list(m, sizes),
       sizes.count, operand->rank);
  for (uint32_t i = 0; i < operand->rank; i++)
    WANT(sizes.data[i] >= 0 && (!ten_dim_known(operand->dims[i]) || sizes.data[i] <= operand->dims[i]),
         "slice_sizes[%u] = %lld, operand dimension %u has size %s", i, (long long)sizes.data[i], i,
         ten_say_dim(m, operand->dims[i]));
  return out[0] = ten_make_tensor(m, operand->element, operand->rank, sizes.data, NULL), NULL;
}

TEN_INFER(dynamic_update_slice) {
  const ten_type *operand = ten_in(op, 0), *update = ten_in(op, 1);
  WANT(ten_elements_equal(operand, update), "operand has elements %s, update has %s", ten_say_element(m, operand),
       ten_say_element(m, update));
  WANT(operand->rank == update->rank, "operand %s has rank %u, update %s has %u", ten_say_type(m, operand),
       operand->rank, ten_say_type(m, update), update->rank);
  TEN_TRY(want_starts(m, op, 2, operand->rank));
  for (uint32_t i = 0; i < operand->rank; i++)
    WANT(!ten_dim_known(update->dims[i]) || !ten_dim_known(operand->dims[i]) || update->dims[i] <= operand->dims[i],
         "update dimension %u has size %lld, operand's has %lld", i, (long long)update->dims[i],
         (long long)operand->dims[i]);
  return out[0] = operand, NULL;
}

/* size + low + high + max(size - 1, 0) * interior */
static bool padded(int64_t size, int64_t low, int64_t high, int64_t interior, int64_t *out) {
  int64_t inner, total;
  return ten_mul_i64(size > 1 ? size - 1 : 0, interior, &inner) && ten_add_i64(size, inner, &total) &&
         ten_add_i64(total, low, &total) && ten_add_i64(total, high, out);
}

ten_status *ten_infer_pad_of(ten_module *m, const ten_op *op, ten_ints low, ten_ints high, ten_ints interior,
                             const ten_type **out) {
  const ten_type *operand = ten_in(op, 0);
  const int64_t *bounds = ten_bounds_of(operand);
  WANT(low.count == operand->rank && high.count == operand->rank && interior.count == operand->rank,
       "edge_padding_low, edge_padding_high and interior_padding have %zu, %zu and %zu entries, operand has rank %u",
       low.count, high.count, interior.count, operand->rank);
  int64_t *dims = new_dims(m, operand->rank), *new_bounds = new_dims(m, operand->rank);
  for (uint32_t i = 0; i < operand->rank; i++) {
    WANT(interior.data[i] >= 0, "interior_padding[%u] = %lld is negative", i, (long long)interior.data[i]);
    dims[i] = new_bounds[i] = TEN_DYNAMIC;
    const bool known = ten_dim_known(operand->dims[i]);
    const int64_t size = known ? operand->dims[i] : bounds ? bounds[i] : TEN_DYNAMIC;
    if (!ten_dim_known(size)) continue;
    int64_t *result = known ? &dims[i] : &new_bounds[i];
    WANT(padded(size, low.data[i], high.data[i], interior.data[i], result), "dimension %u, padded, is larger than 2^63",
         i);
    WANT(*result >= 0, "dimension %u of %s %lld is %lld after padding (low = %lld, high = %lld, interior = %lld)", i,
         known ? "size" : "bound", (long long)size, (long long)*result, (long long)low.data[i], (long long)high.data[i],
         (long long)interior.data[i]);
  }
  return *out = ten_make_tensor(m, operand->element, operand->rank, dims, new_bounds), NULL;
}

TEN_INFER(pad) {
  return ten_infer_pad_of(m, op, ten_op_ints(op, "edge_padding_low"), ten_op_ints(op, "edge_padding_high"),
                          ten_op_ints(op, "interior_padding"), out);
}

/* Sizes add up; bounds do if every part has one. */
static ten_status *concat_dim(const ten_op *op, int64_t *dim, int64_t *bound, int64_t other, int64_t other_bound) {
  const int64_t a = ten_dim_known(*dim) ? *dim : *bound, b = ten_dim_known(other) ? other : other_bound;
  const bool both = ten_dim_known(*dim) && ten_dim_known(other);
  int64_t sum = TEN_DYNAMIC;
  if (ten_dim_known(a) && ten_dim_known(b))
    WANT(ten_add_i64(a, b, &sum), "the concatenated dimension is larger than 2^63");
  *dim = both ? sum : TEN_DYNAMIC;
  *bound = both ? TEN_DYNAMIC : sum;
  return NULL;
}

TEN_INFER(concatenate) {
  WANT(op->operand_count, "has no operands");
  const ten_type *first = ten_in(op, 0);
  const uint32_t rank = first->rank;
  int64_t dimension;
  WANT(rank, "operand 0 is a scalar, which has no dimension to concatenate along");
  TEN_TRY(ten_want_dim(op, "dimension", rank, "operand 0", &dimension));
  int64_t *dims = new_dims(m, rank), *bounds = new_dims(m, rank);
  for (uint32_t d = 0; d < rank; d++) {
    dims[d] = d == dimension ? 0 : TEN_DYNAMIC;
    bounds[d] = TEN_DYNAMIC;
  }
  for (uint32_t i = 0; i < op->operand_count; i++) {
    const ten_type *type = ten_in(op, i);
    const int64_t *own = ten_bounds_of(type);
    WANT(type->rank == rank, "operand 0 has rank %u, operand %u has %u", rank, i, type->rank);
    for (uint32_t d = 0; d < rank; d++) {
      const int64_t bound = own ? own[d] : TEN_DYNAMIC;
      if (d == dimension)
        TEN_TRY(concat_dim(op, &dims[d], &bounds[d], type->dims[d], bound));
      else
        WANT(ten_merge_dim(&dims[d], &bounds[d], type->dims[d], bound),
             "operand 0 is %s, operand %u is %s: dimension %u differs", ten_say_type(m, first), i,
             ten_say_type(m, type), d);
    }
  }
  return out[0] = ten_make_tensor(m, first->element, rank, dims, bounds), NULL;
}

/* Stored bits per element. */
static unsigned bits_of(const ten_type *type) { return ten_dtype_bits(type->dtype); }

TEN_VERIFY(bitcast_convert) {
  const ten_type *operand = ten_in(op, 0), *result = ten_out(op, 0);
  WANT(ten_dtype_is_complex(operand->dtype) == ten_dtype_is_complex(result->dtype),
       "operand has elements %s, result %s: one is complex", ten_say_element(m, operand), ten_say_element(m, result));
  const unsigned operand_bits = bits_of(operand), result_bits = bits_of(result);
  const ten_type *narrow = operand_bits < result_bits ? operand : result,
                 *wide = operand_bits < result_bits ? result : operand;
  uint32_t common = wide->rank;
  if (operand_bits != result_bits) {
    WANT(narrow->rank == wide->rank + 1,
         "%s has %u-bit elements and rank %u, %s has %u-bit elements and rank %u: one more was expected",
         ten_say_type(m, wide), bits_of(wide), wide->rank, ten_say_type(m, narrow), bits_of(narrow), narrow->rank);
    const int64_t last = narrow->dims[wide->rank];
    WANT(!ten_dim_known(last) || (last < 256 && last * bits_of(narrow) == bits_of(wide)),
         "last dimension of %s has %lld elements of %u bits, which do not make one of %u bits", ten_say_type(m, narrow),
         (long long)last, bits_of(narrow), bits_of(wide));
  } else {
    WANT(narrow->rank == wide->rank, "operand has rank %u, result has %u", operand->rank, result->rank);
  }
  for (uint32_t i = 0; i < common; i++)
    WANT(ten_dims_agree(narrow->dims[i], wide->dims[i]), "operand is %s, result is %s: dimension %u differs",
         ten_say_type(m, operand), ten_say_type(m, result), i);
  return NULL;
}

/* The shape is preserved unless the element size changes. */
TEN_INFER(bitcast_convert) {
  const ten_type *operand = ten_in(op, 0), *hint = ten_out(op, 0);
  if (!hint || !ten_is_shaped(hint) || !bits_of(hint) || !bits_of(operand)) return NULL;
  const unsigned from = bits_of(operand), to = bits_of(hint);
  if (from == to) return out[0] = ten_with_element(m, operand, hint->element), NULL;
  if (from > to && from % to == 0) {
    int64_t *dims = new_dims(m, operand->rank + 1);
    if (operand->rank) memcpy(dims, operand->dims, operand->rank * sizeof *dims);
    dims[operand->rank] = from / to;
    return out[0] = ten_make_tensor(m, hint->element, operand->rank + 1, dims, NULL), NULL;
  }
  if (from < to && operand->rank) out[0] = ten_make_tensor(m, hint->element, operand->rank - 1, operand->dims, NULL);
  return NULL;
}

TEN_INFER(get_dimension_size) {
  int64_t dim;
  TEN_TRY(ten_want_dim(op, "dimension", ten_in(op, 0)->rank, "operand", &dim));
  return out[0] = ten_make_scalar(m, TEN_I32), NULL;
}

TEN_INFER(set_dimension_size) {
  const ten_type *operand = ten_in(op, 0);
  const int64_t *known = ten_bounds_of(operand);
  int64_t dim;
  TEN_TRY(ten_want_dim(op, "dimension", operand->rank, "operand", &dim));
  int64_t *dims = copy_dims(m, operand->rank, operand->dims), *bounds = copy_dims(m, operand->rank, known);
  if (!bounds) {
    bounds = new_dims(m, operand->rank);
    for (uint32_t i = 0; i < operand->rank; i++) bounds[i] = TEN_DYNAMIC;
  }
  if (ten_dim_known(dims[dim])) bounds[dim] = dims[dim];
  dims[dim] = TEN_DYNAMIC;
  ten_ints size;
  if (ten_value_ints(m, ten_op_operand(op, 1), &size) && size.count == 1 && size.data[0] == bounds[dim]) {
    dims[dim] = size.data[0];
    bounds[dim] = TEN_DYNAMIC;
  }
  return out[0] = ten_make_tensor(m, operand->element, operand->rank, dims, bounds), NULL;
}

TEN_INFER(first_operand) {
  (void)m;
  return out[0] = ten_in(op, 0), NULL;
}

/* operand[0, dim) × index[batch_dims, …) × operand(dim, …); the first batch_dims dimensions of both are matched. */
static bool selects_fit(const ten_type *operand, const ten_type *index, const ten_type *result, int64_t dim,
                        int64_t batch) {
  if (dim < 0 || batch < 0 || dim < batch) return true; /* no backend supports these */
  if (!ten_type_is_static(operand) || !ten_type_is_static(index) || !ten_type_is_static(result)) return true;
  const int64_t inner = (int64_t)index->rank - batch;
  if ((int64_t)result->rank != (int64_t)operand->rank - 1 + inner) return false;
  for (int64_t i = 0; i < batch; i++)
    if (operand->dims[i] != index->dims[i]) return false;
  for (int64_t i = 0; i < (int64_t)result->rank; i++) {
    const int64_t want = i < dim           ? operand->dims[i]
                         : i < dim + inner ? index->dims[batch + i - dim]
                                           : operand->dims[i - inner + 1];
    if (result->dims[i] != want) return false;
  }
  return true;
}

TEN_VERIFY(torch_index_select) {
  const ten_type *operand = ten_in(op, 0), *index = ten_in(op, 1);
  const int64_t dim = ten_op_int(op, "dim", 0), batch = ten_op_int(op, "batch_dims", 0);
  WANT(dim >= -(int64_t)operand->rank && dim < (int64_t)operand->rank, "dim = %lld, but operand has rank %u",
       (long long)dim, operand->rank);
  WANT(batch >= -(int64_t)index->rank && batch <= (int64_t)index->rank, "batch_dims = %lld, but index has rank %u",
       (long long)batch, index->rank);
  const ten_type *result = op->results[0].type;
  WANT(selects_fit(operand, index, result, dim, batch),
       "operand %s, index %s, dim = %lld and batch_dims = %lld do not give %s", ten_say_type(m, operand),
       ten_say_type(m, index), (long long)dim, (long long)batch, ten_say_type(m, result));
  const int64_t size = operand->dims[dim < 0 ? dim + operand->rank : dim];
  WANT(size != 0 || !ten_type_is_static(result) || !ten_type_count(result),
       "dimension %lld of operand has size 0, which leaves nothing to select for %s", (long long)dim,
       ten_say_type(m, result));
  return NULL;
}
