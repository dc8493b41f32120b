/* gather.c: gather and scatter, whose dimension numbers mirror each other. */
#include "ir/verify/rules.h"

/* Dimension i of the indices; an index_vector_dim one past the end means a last dimension of size 1. */
static int64_t index_dim(const ten_type *indices, int64_t i) { return i < indices->rank ? indices->dims[i] : 1; }

/* Constraints on the operand's dimensions shared by both: `window` the ones in slices, `dropped` those of size 1
 * omitted, `batching` those paired with dimensions of the indices, `map` where each index goes. */
typedef struct numbers {
  const ten_type *operand, *indices;
  ten_ints window, dropped, batching, indices_batching, map;
  int64_t vector_dim;
  const char *window_name, *dropped_name, *batching_name, *indices_batching_name, *map_name, *operand_name,
      *indices_name;
} numbers;

static ten_status *want_numbers(ten_module *m, const ten_op *op, const numbers *n) {
  const uint32_t rank = n->operand->rank, indices_rank = n->indices->rank;
  const size_t named = n->window.count + n->dropped.count + n->batching.count;
  WANT(named == rank, "%s, %s and %s name %zu dimensions, %s has rank %u", n->window_name, n->dropped_name,
       n->batching_name, named, n->operand_name, rank);
  WANT(n->vector_dim >= 0 && n->vector_dim <= indices_rank, "index_vector_dim = %lld, but %s has rank %u",
       (long long)n->vector_dim, n->indices_name, indices_rank);
  const int64_t width = index_dim(n->indices, n->vector_dim);
  WANT(!ten_dim_known(width) || (uint64_t)width == n->map.count,
       "%s %s has %zu entries, index_vector_dim = %lld of %s has size %lld", n->map_name, ten_say_list(m, n->map),
       n->map.count, (long long)n->vector_dim, n->indices_name, (long long)width);
  TEN_TRY(ten_want_sorted(m, op, n->window, n->window_name));
  TEN_TRY(ten_want_unique(m, op, n->window, n->window_name));
  TEN_TRY(ten_want_in_range(m, op, n->dropped, rank, n->dropped_name, n->operand_name));
  TEN_TRY(ten_want_in_range(m, op, n->batching, rank, n->batching_name, n->operand_name));
  TEN_TRY(ten_want_disjoint(m, op, n->dropped, n->batching, n->dropped_name, n->batching_name));
  TEN_TRY(ten_want_sorted(m, op, n->dropped, n->dropped_name));
  TEN_TRY(ten_want_sorted(m, op, n->batching, n->batching_name));
  TEN_TRY(ten_want_in_range(m, op, n->indices_batching, indices_rank, n->indices_batching_name, n->indices_name));
  TEN_TRY(ten_want_unique(m, op, n->indices_batching, n->indices_batching_name));
  WANT(!ten_ints_has(n->indices_batching, n->vector_dim), "%s %s has index_vector_dim = %lld", n->indices_batching_name,
       ten_say_list(m, n->indices_batching), (long long)n->vector_dim);
  WANT(n->batching.count == n->indices_batching.count, "%s %s and %s %s differ in length", n->batching_name,
       ten_say_list(m, n->batching), n->indices_batching_name, ten_say_list(m, n->indices_batching));
  for (size_t i = 0; i < n->batching.count; i++) {
    const int64_t a = n->operand->dims[n->batching.data[i]], b = n->indices->dims[n->indices_batching.data[i]];
    WANT(ten_dims_agree(a, b), "%s[%zu] is a dimension of size %s, %s[%zu] one of size %s", n->batching_name, i,
         ten_say_dim(m, a), n->indices_batching_name, i, ten_say_dim(m, b));
  }
  TEN_TRY(ten_want_in_range(m, op, n->map, rank, n->map_name, n->operand_name));
  return ten_want_disjoint(m, op, n->map, n->batching, n->map_name, n->batching_name);
}

static ten_status *want_single(const ten_op *op, ten_ints dims, ten_ints sizes, const char *name) {
  for (size_t i = 0; i < dims.count; i++)
    WANT(sizes.data[dims.data[i]] <= 1, "slice_sizes[%lld] = %lld, must be at most 1: the dimension is in %s",
         (long long)dims.data[i], (long long)sizes.data[dims.data[i]], name);
  return NULL;
}

static ten_status *want_slice_sizes(ten_module *m, const ten_op *op, const ten_gather_dims *d, ten_ints sizes) {
  const ten_type *operand = ten_in(op, 0);
  WANT(sizes.count == operand->rank, "slice_sizes %s has %zu entries, operand has rank %u", ten_say_list(m, sizes),
       sizes.count, operand->rank);
  for (uint32_t i = 0; i < operand->rank; i++)
    WANT(sizes.data[i] >= 0 && (!ten_dim_known(operand->dims[i]) || sizes.data[i] <= operand->dims[i]),
         "slice_sizes[%u] = %lld, operand dimension %u has size %s", i, (long long)sizes.data[i], i,
         ten_say_dim(m, operand->dims[i]));
  TEN_TRY(want_single(op, d->collapsed_slice_dims, sizes, "collapsed_slice_dims"));
  return want_single(op, d->operand_batching_dims, sizes, "operand_batching_dims");
}

/* If a slice takes nothing of a collapsed dimension, there is nothing to read: the result must be empty, too. */
static ten_status *want_something_to_read(ten_module *m, const ten_op *op, const ten_gather_dims *d, ten_ints sizes,
                                          const ten_type *result) {
  if (!ten_type_is_static(result) || !ten_type_count(result)) return NULL;
  for (uint32_t i = 0; i < ten_in(op, 0)->rank; i++)
    WANT(sizes.data[i] > 0, "slice_sizes[%u] = 0, must be 1: %s reads an element of %s %u for each of its own", i,
         ten_say_type(m, result), ten_ints_has(d->collapsed_slice_dims, i) ? "collapsed dimension" : "dimension", i);
  return NULL;
}

ten_status *ten_infer_gather_of(ten_module *m, const ten_op *op, const ten_ints *sizes, const ten_type **out) {
  const ten_type *operand = ten_in(op, 0), *indices = ten_in(op, 1);
  const ten_gather_dims d = ten_gather_dims_of(ten_op_attr(op, "dimension_numbers"));
  const numbers n = {operand,
                     indices,
                     d.offset_dims,
                     d.collapsed_slice_dims,
                     d.operand_batching_dims,
                     d.start_indices_batching_dims,
                     d.start_index_map,
                     d.index_vector_dim,
                     "offset_dims",
                     "collapsed_slice_dims",
                     "operand_batching_dims",
                     "start_indices_batching_dims",
                     "start_index_map",
                     "operand",
                     "start_indices"};
  TEN_TRY(want_numbers(m, op, &n));
  if (sizes) TEN_TRY(want_slice_sizes(m, op, &d, *sizes));
  const uint32_t batch_rank = d.index_vector_dim == indices->rank ? indices->rank : indices->rank - 1;
  const uint32_t rank = batch_rank + (uint32_t)d.offset_dims.count;
  TEN_TRY(ten_want_in_range(m, op, d.offset_dims, rank, "offset_dims", "result"));

  const int64_t *bounds = ten_bounds_of(indices);
  int64_t *dims = ten_arena_new_array(&m->arena, int64_t, rank),
          *new_bounds = ten_arena_new_array(&m->arena, int64_t, rank);
  uint32_t slice = 0, batch = 0;
  for (uint32_t i = 0; i < rank; i++) {
    new_bounds[i] = TEN_DYNAMIC;
    if (ten_ints_has(d.offset_dims, i)) {
      while (slice < operand->rank &&
             (ten_ints_has(d.collapsed_slice_dims, slice) || ten_ints_has(d.operand_batching_dims, slice)))
        slice++;
      dims[i] = sizes ? sizes->data[slice] : TEN_DYNAMIC;
      slice++;
    } else {
      if (batch == d.index_vector_dim) batch++;
      dims[i] = indices->dims[batch];
      if (bounds) new_bounds[i] = bounds[batch];
      batch++;
    }
  }
  *out = ten_make_tensor(m, operand->element, rank, dims, new_bounds);
  return sizes ? want_something_to_read(m, op, &d, *sizes, *out) : NULL;
}

TEN_INFER(gather) {
  const ten_ints sizes = ten_op_ints(op, "slice_sizes");
  return ten_infer_gather_of(m, op, &sizes, out);
}

/* inputs…, scatter_indices, updates… */
static ten_status *scatter_count(const ten_op *op, uint32_t *count) {
  WANT(op->operand_count >= 3 && op->operand_count % 2 == 1,
       "has %u operands, must have inputs, scatter_indices and as many updates", op->operand_count);
  *count = op->operand_count / 2;
  WANT(op->result_count == *count, "has %u results for %u inputs", op->result_count, *count);
  return NULL;
}

TEN_INFER(scatter) {
  uint32_t count;
  TEN_TRY(scatter_count(op, &count));
  for (uint32_t i = 0; i < count; i++)
    out[i] = ten_with_element(m, ten_in(op, i), ten_reducer_element(op, 0, i, ten_in(op, i)));
  return NULL;
}

/* The window dimensions of an update must fit the input; the others must match the indices. */
static ten_status *want_updates(ten_module *m, const ten_op *op, const ten_scatter_dims *d, const ten_type *input,
                                const ten_type *indices, const ten_type *updates) {
  const uint32_t batch_rank = d->index_vector_dim == indices->rank ? indices->rank : indices->rank - 1;
  const size_t rank = batch_rank + d->update_window_dims.count;
  WANT(updates->rank == rank,
       "updates %s has rank %u, must have %zu: %u of scatter_indices and %zu of update_window_dims",
       ten_say_type(m, updates), updates->rank, rank, batch_rank, d->update_window_dims.count);
  TEN_TRY(ten_want_in_range(m, op, d->update_window_dims, updates->rank, "update_window_dims", "updates"));
  uint32_t window = 0, batch = 0;
  for (uint32_t i = 0; i < updates->rank; i++) {
    if (ten_ints_has(d->update_window_dims, i)) {
      while (window < input->rank &&
             (ten_ints_has(d->inserted_window_dims, window) || ten_ints_has(d->input_batching_dims, window)))
        window++;
      const int64_t size = updates->dims[i], room = input->dims[window];
      WANT(!ten_dim_known(size) || !ten_dim_known(room) || size <= room,
           "updates dimension %u has size %lld, input dimension %u has %lld", i, (long long)size, window,
           (long long)room);
      window++;
    } else {
      if (batch == d->index_vector_dim) batch++;
      WANT(ten_dims_agree(updates->dims[i], indices->dims[batch]),
           "updates dimension %u has size %lld, scatter_indices dimension %u has %lld", i, (long long)updates->dims[i],
           batch, (long long)indices->dims[batch]);
      batch++;
    }
  }
  return NULL;
}

TEN_VERIFY(scatter) {
  uint32_t count;
  TEN_TRY(scatter_count(op, &count));
  const ten_type *input = ten_in(op, 0), *indices = ten_in(op, count), *updates = ten_in(op, count + 1);
  WANT(ten_type_has_class(indices, INT | IS_PRED | IS_INDEX), "scatter_indices is %s, must be a tensor of integers",
       ten_say_type(m, indices));
  const ten_type **inputs = ten_arena_new_array(&m->arena, const ten_type *, count);
  const ten_type **inits = ten_arena_new_array(&m->arena, const ten_type *, count);
  for (uint32_t i = 0; i < count; i++) {
    WANT(ten_type_has_class(ten_in(op, i), TENSOR), "input %u is %s, must be %s", i, ten_say_type(m, ten_in(op, i)),
         ten_class_text(m, TENSOR));
    WANT(ten_type_has_class(ten_in(op, count + 1 + i), TENSOR), "updates %u is %s, must be %s", i,
         ten_say_type(m, ten_in(op, count + 1 + i)), ten_class_text(m, TENSOR));
    WANT(ten_shapes_agree(input, ten_in(op, i)), "input 0 is %s, input %u is %s: shapes differ", ten_say_type(m, input),
         i, ten_say_type(m, ten_in(op, i)));
    WANT(ten_shapes_agree(updates, ten_in(op, count + 1 + i)), "updates 0 is %s, updates %u is %s: shapes differ",
         ten_say_type(m, updates), i, ten_say_type(m, ten_in(op, count + 1 + i)));
    inputs[i] = ten_in(op, i);
    inits[i] = ten_make_tensor(m, ten_in(op, count + 1 + i)->element, 0, NULL, NULL);
  }
  const ten_reducer r = {.count = count, .name = "update_computation", .inputs = inputs, .inits = inits};
  TEN_TRY(ten_want_reducer(m, op, &r));
  const ten_scatter_dims d = ten_scatter_dims_of(ten_op_attr(op, "scatter_dimension_numbers"));
  const numbers n = {input,
                     indices,
                     d.update_window_dims,
                     d.inserted_window_dims,
                     d.input_batching_dims,
                     d.scatter_indices_batching_dims,
                     d.scatter_dims_to_operand_dims,
                     d.index_vector_dim,
                     "update_window_dims",
                     "inserted_window_dims",
                     "input_batching_dims",
                     "scatter_indices_batching_dims",
                     "scatter_dims_to_operand_dims",
                     "input",
                     "scatter_indices"};
  TEN_TRY(want_numbers(m, op, &n));
  for (uint32_t i = 0; i < count; i++)
    TEN_TRY(want_updates(m, op, &d, ten_in(op, i), indices, ten_in(op, count + 1 + i)));
  return NULL;
}
