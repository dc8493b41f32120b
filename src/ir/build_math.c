/* build_math.c: contractions, reductions, sorting, gather and scatter. */
#include "base/size.h"
#include "ir/build_infer.h"

enum { RANK_MAX = 64 };

static void pairs_check(const ten_builder *b, const ten_value *x, const ten_value *y, ten_ints of_x, ten_ints of_y) {
  ten_build_check(b, of_x.count == of_y.count, "%zu dimensions paired with %zu", of_x.count, of_y.count);
  for (size_t i = 0; i < of_x.count; i++) {
    const int64_t size = ten_build_dim(b, x, of_x.data[i]), other = ten_build_dim(b, y, of_y.data[i]);
    ten_build_check(b, !ten_size_differs(size, other), "sizes %lld and %lld do not multiply", (long long)size,
                    (long long)other);
  }
}

static void dot_check(const ten_builder *b, const ten_value *x, const ten_value *y, const ten_dot_dims *dims) {
  ten_build_check(b, x->type->rank <= RANK_MAX && y->type->rank <= RANK_MAX && dims->lhs_batch.count <= RANK_MAX,
                  "tensors of rank %u and %u; the limit is %d", x->type->rank, y->type->rank, RANK_MAX);
  pairs_check(b, x, y, dims->lhs_batch, dims->rhs_batch);
  pairs_check(b, x, y, dims->lhs_contract, dims->rhs_contract);
}

ten_value *ten_build_dot(ten_builder *b, ten_value *x, ten_value *y, const ten_dot_dims *dims, ten_dtype dtype) {
  dot_check(b, x, y, dims);
  ten_value *operands[] = {x, y};
  const ten_named_attr attr = {TEN_STR("dot_dimension_numbers"), ten_attr_dot_dims(b->module, dims), true};
  return ten_build_inferred(b, TEN_OP_DOT_GENERAL, 2, operands, dtype ? dtype : x->type->dtype, 1, &attr);
}

ten_value *ten_build_matmul(ten_builder *b, ten_value *x, ten_value *y) {
  int64_t batch[RANK_MAX];
  const uint32_t rank = x->type->rank;
  ten_build_check(b, rank >= 2 && rank <= RANK_MAX && y->type->rank == rank, "matrices of rank %u and %u", rank,
                  y->type->rank);
  for (uint32_t i = 0; i + 2 < rank; i++) batch[i] = i;
  const int64_t last = rank - 1, second = rank - 2;
  const ten_dot_dims dims = {{batch, rank - 2}, {batch, rank - 2}, {&last, 1}, {&second, 1}};
  return ten_build_dot(b, x, y, &dims, TEN_DTYPE_NONE);
}

static int64_t places(const ten_builder *b, int64_t base, ten_window_dim window) {
  int64_t count;
  ten_build_check(b, ten_window_places(base, &window, &count),
                  "a window of %lld (dilated by %lld) by steps of %lld over size %lld (dilated by %lld) padded by %lld "
                  "and %lld",
                  (long long)window.size, (long long)window.dilation, (long long)window.stride, (long long)base,
                  (long long)window.base_dilation, (long long)window.low, (long long)window.high);
  return count;
}

ten_value *ten_build_conv(ten_builder *b, ten_value *x, ten_value *kernel, const ten_conv_config *config) {
  int64_t ones[RANK_MAX], zeros[2 * RANK_MAX] = {0};
  const uint8_t none[RANK_MAX] = {0};
  const uint32_t spatial = config->rank;
  const ten_conv_dims *dims = &config->dims;
  ten_build_check(b,
                  spatial + 2 <= RANK_MAX && x->type->rank == spatial + 2 && kernel->type->rank == spatial + 2 &&
                      config->feature_groups >= 0 && config->batch_groups >= 0,
                  "a convolution over %u dimensions of tensors of rank %u and %u", spatial, x->type->rank,
                  kernel->type->rank);
  for (uint32_t i = 0; i < spatial; i++) ones[i] = 1;
  const int64_t *strides = config->strides ? config->strides : ones,
                *padding = config->padding ? config->padding : zeros;
  const int64_t *lhs_dilation = config->lhs_dilation ? config->lhs_dilation : ones;
  const int64_t *rhs_dilation = config->rhs_dilation ? config->rhs_dilation : ones;
  const int64_t feature_groups = config->feature_groups ? config->feature_groups : 1;
  const int64_t batch_groups = config->batch_groups ? config->batch_groups : 1;
  ten_module *m = b->module;
  const int64_t pairs[] = {spatial, 2};
  const ten_named_attr attrs[] = {
      {TEN_STR("window_strides"), ten_attr_dims(m, spatial, strides), true},
      {TEN_STR("padding"), ten_attr_dense_i64(m, 2, pairs, padding), true},
      {TEN_STR("lhs_dilation"), ten_attr_dims(m, spatial, lhs_dilation), true},
      {TEN_STR("rhs_dilation"), ten_attr_dims(m, spatial, rhs_dilation), true},
      {TEN_STR("window_reversal"), ten_attr_list(m, TEN_I1, spatial, config->reversal ? config->reversal : none), true},
      {TEN_STR("dimension_numbers"), ten_attr_conv_dims(m, dims), true},
      {TEN_STR("feature_group_count"), ten_attr_i64(m, feature_groups), true},
      {TEN_STR("batch_group_count"), ten_attr_i64(m, batch_groups), true},
  };
  ten_value *operands[] = {x, kernel};
  return ten_build_inferred(b, TEN_OP_CONVOLUTION, 2, operands, x->type->dtype, sizeof attrs / sizeof *attrs, attrs);
}

static void binary_body(ten_builder *b, ten_value *const *args, void *context) {
  ten_value *result = ten_build_binary(b, *(const ten_opcode *)context, args[0], args[1]);
  ten_build_return(b, 1, &result);
}

ten_value *ten_build_reduce(ten_builder *b, ten_opcode code, ten_value *x, ten_value *init, size_t count,
                            const int64_t *dims) {
  return &ten_build_reduce_with(b, 1, &x, &init, count, dims, binary_body, &code)->results[0];
}

static void same_shapes_check(const ten_builder *b, uint32_t count, ten_value *const *xs) {
  const ten_type *first = xs[0]->type;
  ten_build_check(b, first->rank <= RANK_MAX, "a tensor of rank %u; the limit is %d", first->rank, RANK_MAX);
  for (uint32_t i = 1; i < count; i++)
    ten_build_check(b,
                    xs[i]->type->rank == first->rank &&
                        (!first->rank || !memcmp(xs[i]->type->dims, first->dims, first->rank * sizeof *first->dims)),
                    "operands of one op have different shapes");
}

/* Scalars of xs, then of inits: the arguments of a reducer. */
static const ten_type **reducer_types(ten_builder *b, uint32_t count, ten_value *const *xs) {
  const ten_type **types = ten_arena_new_array(&b->module->arena, const ten_type *, 2 * (size_t)count);
  for (uint32_t i = 0; i < count; i++)
    types[i] = types[count + i] = ten_type_with_shape(b->module, xs[i]->type, 0, NULL);
  return types;
}

static ten_value **joined(ten_builder *b, uint32_t count, ten_value *const *xs, ten_value *const *inits) {
  ten_value **operands = ten_arena_new_array(&b->module->arena, ten_value *, 2 * (size_t)count);
  memcpy(operands, xs, count * sizeof *xs);
  memcpy(operands + count, inits, count * sizeof *inits);
  return operands;
}

ten_op *ten_build_reduce_with(ten_builder *b, uint32_t count, ten_value *const *xs, ten_value *const *inits,
                              size_t dim_count, const int64_t *dims, ten_body body, void *context) {
  int64_t out[RANK_MAX];
  uint32_t rank = 0;
  same_shapes_check(b, count, xs);
  for (size_t i = 0; i < dim_count; i++) (void)ten_build_dim(b, xs[0], dims[i]);
  for (uint32_t i = 0; i < xs[0]->type->rank; i++)
    if (!ten_ints_has((ten_ints){dims, dim_count}, i)) out[rank++] = xs[0]->type->dims[i];
  const ten_type **types = ten_arena_new_array(&b->module->arena, const ten_type *, count);
  for (uint32_t i = 0; i < count; i++) types[i] = ten_type_with_shape(b->module, xs[i]->type, rank, out);
  const ten_named_attr attr = {TEN_STR("dimensions"), ten_attr_dims(b->module, dim_count, dims), true};
  ten_op *op = ten_build_op(b, TEN_OP_REDUCE, 2 * count, joined(b, count, xs, inits), count, types, 1, &attr, 1);
  ten_build_region(b, op, 0, 2 * count, reducer_types(b, count, xs), body, context);
  return op;
}

ten_op *ten_build_reduce_window(ten_builder *b, uint32_t count, ten_value *const *xs, ten_value *const *inits,
                                const ten_window *window, ten_body body, void *context) {
  int64_t out[RANK_MAX], ones[RANK_MAX], zeros[2 * RANK_MAX] = {0};
  const uint32_t rank = window->rank;
  same_shapes_check(b, count, xs);
  ten_build_check(b, rank == xs[0]->type->rank, "a window of rank %u over a tensor of rank %u", rank,
                  xs[0]->type->rank);
  for (uint32_t i = 0; i < rank; i++) ones[i] = 1;
  const int64_t *strides = window->strides ? window->strides : ones,
                *padding = window->padding ? window->padding : zeros;
  const int64_t *base = window->base_dilation ? window->base_dilation : ones,
                *dilation = window->dilation ? window->dilation : ones;
  for (uint32_t i = 0; i < rank; i++)
    out[i] =
        places(b, xs[0]->type->dims[i],
               (ten_window_dim){window->size[i], strides[i], padding[2 * i], padding[2 * i + 1], base[i], dilation[i]});
  ten_module *m = b->module;
  const int64_t pairs[] = {rank, 2};
  const ten_named_attr attrs[] = {{TEN_STR("window_dimensions"), ten_attr_dims(m, rank, window->size), true},
                                  {TEN_STR("window_strides"), ten_attr_dims(m, rank, strides), true},
                                  {TEN_STR("base_dilations"), ten_attr_dims(m, rank, base), true},
                                  {TEN_STR("window_dilations"), ten_attr_dims(m, rank, dilation), true},
                                  {TEN_STR("padding"), ten_attr_dense_i64(m, 2, pairs, padding), true}};
  const ten_type **types = ten_arena_new_array(&m->arena, const ten_type *, count);
  for (uint32_t i = 0; i < count; i++) types[i] = ten_type_with_shape(m, xs[i]->type, rank, out);
  ten_op *op = ten_build_op(b, TEN_OP_REDUCE_WINDOW, 2 * count, joined(b, count, xs, inits), count, types, 5, attrs, 1);
  ten_build_region(b, op, 0, 2 * count, reducer_types(b, count, xs), body, context);
  return op;
}

ten_op *ten_build_sort(ten_builder *b, uint32_t count, ten_value *const *xs, int64_t dim, bool stable, ten_body compare,
                       void *context) {
  ten_module *m = b->module;
  same_shapes_check(b, count, xs);
  (void)ten_build_dim(b, xs[0], dim);
  const ten_named_attr attrs[] = {{TEN_STR("dimension"), ten_attr_i64(m, dim), true},
                                  {TEN_STR("is_stable"), ten_attr_bool(m, stable), true}};
  const ten_type **types = ten_arena_new_array(&m->arena, const ten_type *, count);
  const ten_type **pairs = ten_arena_new_array(&m->arena, const ten_type *, 2 * (size_t)count);
  for (uint32_t i = 0; i < count; i++) {
    types[i] = xs[i]->type;
    pairs[2 * i] = pairs[2 * i + 1] = ten_type_with_shape(m, xs[i]->type, 0, NULL);
  }
  ten_op *op = ten_build_op(b, TEN_OP_SORT, count, xs, count, types, 2, attrs, 1);
  ten_build_region(b, op, 0, 2 * count, pairs, compare, context);
  return op;
}

static void gather_check(const ten_builder *b, const ten_value *x, const ten_value *indices,
                         const ten_gather_dims *dims, const int64_t *slice_sizes) {
  const uint32_t rank = x->type->rank;
  ten_build_check(
      b, dims->offset_dims.count + dims->collapsed_slice_dims.count + dims->operand_batching_dims.count == rank,
      "%zu window dimensions of a tensor of rank %u", dims->offset_dims.count, rank);
  ten_build_check(b, dims->index_vector_dim >= 0 && dims->index_vector_dim <= indices->type->rank,
                  "indices along dimension %lld of a tensor of rank %u", (long long)dims->index_vector_dim,
                  indices->type->rank);
  for (uint32_t i = 0; i < rank; i++)
    ten_build_check(b, slice_sizes[i] >= 0 && (slice_sizes[i] <= x->type->dims[i] || x->type->dims[i] == TEN_DYNAMIC),
                    "a slice of %lld of size %lld", (long long)slice_sizes[i], (long long)x->type->dims[i]);
}

ten_value *ten_build_gather(ten_builder *b, ten_value *x, ten_value *indices, const ten_gather_dims *dims,
                            const int64_t *slice_sizes, bool sorted) {
  gather_check(b, x, indices, dims, slice_sizes);
  ten_module *m = b->module;
  const ten_named_attr attrs[] = {{TEN_STR("dimension_numbers"), ten_attr_gather_dims(m, dims), true},
                                  {TEN_STR("slice_sizes"), ten_attr_dims(m, x->type->rank, slice_sizes), true},
                                  {TEN_STR("indices_are_sorted"), ten_attr_bool(m, sorted), true}};
  ten_value *operands[] = {x, indices};
  return ten_build_inferred(b, TEN_OP_GATHER, 2, operands, TEN_DTYPE_NONE, 3, attrs);
}

static void update_body(ten_builder *b, ten_value *const *args, void *context) {
  const ten_opcode code = *(const ten_opcode *)context;
  ten_value *result = code == TEN_OP_UNKNOWN ? args[1] : ten_build_binary(b, code, args[0], args[1]);
  ten_build_return(b, 1, &result);
}

ten_value *ten_build_scatter(ten_builder *b, ten_opcode code, ten_value *x, ten_value *indices, ten_value *updates,
                             const ten_scatter_dims *dims, bool sorted, bool unique) {
  ten_module *m = b->module;
  const ten_named_attr attrs[] = {{TEN_STR("scatter_dimension_numbers"), ten_attr_scatter_dims(m, dims), true},
                                  {TEN_STR("indices_are_sorted"), ten_attr_bool(m, sorted), true},
                                  {TEN_STR("unique_indices"), ten_attr_bool(m, unique), true}};
  ten_value *operands[] = {x, indices, updates};
  ten_op *op = ten_build_op(b, TEN_OP_SCATTER, 3, operands, 1, &x->type, 3, attrs, 1);
  const ten_type *scalar = ten_type_with_shape(m, x->type, 0, NULL);
  ten_build_region(b, op, 0, 2, (const ten_type *[]){scalar, scalar}, update_body, &code);
  return &op->results[0];
}
