/* index.c: rules of gather, scatter and sort. Gathers clamp their indices and scatters drop updates out of range, so
 * each is the transpose of the other only after the indices were clamped, or the updates masked. */
#include "transform/grad/rules.h"
#include "transform/grad/through.h"

enum { RANK_MAX = 64 };

/* Largest start index of each indexed dimension, broadcast to the shape of the indices. */
static ten_value *start_limits(ten_vjp *v, const ten_type *indices, int64_t vector_dim, const ten_type *operand,
                               ten_ints map, const int64_t *sizes) {
  int64_t limits[RANK_MAX];
  for (size_t i = 0; i < map.count; i++) limits[i] = operand->dims[map.data[i]] - sizes[map.data[i]];
  ten_value *list = ten_build_convert(v->b, ten_build_i64s(v->b, map.count, limits), indices->dtype);
  if (vector_dim < indices->rank) return ten_build_broadcast(v->b, list, indices->rank, indices->dims, &vector_dim);
  return ten_build_broadcast_to(v->b, ten_build_reshape(v->b, list, 0, NULL), indices->rank, indices->dims);
}

static ten_scatter_dims scatter_of(const ten_gather_dims *d) {
  return (ten_scatter_dims){d->offset_dims,           d->collapsed_slice_dims,
                            d->operand_batching_dims, d->start_indices_batching_dims,
                            d->start_index_map,       d->index_vector_dim};
}

static ten_gather_dims gather_of(const ten_scatter_dims *d) {
  return (ten_gather_dims){d->update_window_dims,           d->inserted_window_dims,
                           d->input_batching_dims,          d->scatter_indices_batching_dims,
                           d->scatter_dims_to_operand_dims, d->index_vector_dim};
}

ten_status *ten_rule_gather(ten_vjp *v) {
  ten_value *x = x_of(v, 0), *indices = x_of(v, 1);
  const ten_gather_dims d = ten_gather_dims_of(ten_op_attr(v->op, "dimension_numbers"));
  const ten_ints sizes = ten_op_ints(v->op, "slice_sizes");
  ten_value *limits = start_limits(v, indices->type, d.index_vector_dim, x->type, d.start_index_map, sizes.data);
  ten_value *zero = ten_build_splat_int(v->b, indices->type, 0);
  ten_value *clamped = ten_build_clamp(v->b, zero, indices, limits);
  const ten_scatter_dims scatter = scatter_of(&d);
  ten_value *zeros = ten_build_splat(v->b, x->type, 0);
  const bool sorted = ten_attr_as_bool(ten_op_attr(v->op, "indices_are_sorted"));
  ten_vjp_add(v, 0, ten_build_scatter(v->b, TEN_OP_ADD, zeros, clamped, v->ct[0], &scatter, sorted, false));
  return NULL;
}

typedef struct scatter_parts {
  ten_scatter_dims dims;
  ten_gather_dims gather;
  int64_t sizes[RANK_MAX]; /* of the window, in the operand's dimensions */
  ten_value *indices;
  bool sorted, unique;
} scatter_parts;

static scatter_parts parts_of(ten_vjp *v) {
  scatter_parts p = {.dims = ten_scatter_dims_of(ten_op_attr(v->op, "scatter_dimension_numbers")),
                     .indices = x_of(v, 1)};
  p.gather = gather_of(&p.dims);
  const ten_type *operand = x_of(v, 0)->type, *updates = x_of(v, 2)->type;
  size_t window = 0;
  for (uint32_t i = 0; i < operand->rank; i++) {
    const bool inserted = ten_ints_has(p.dims.inserted_window_dims, i) || ten_ints_has(p.dims.input_batching_dims, i);
    p.sizes[i] = inserted ? 1 : updates->dims[p.dims.update_window_dims.data[window++]];
  }
  p.sorted = ten_attr_as_bool(ten_op_attr(v->op, "indices_are_sorted"));
  p.unique = ten_attr_as_bool(ten_op_attr(v->op, "unique_indices"));
  return p;
}

/* The mask of applied updates, in the shape of the updates. */
static ten_value *applied(ten_vjp *v, const scatter_parts *p) {
  const ten_type *operand = x_of(v, 0)->type, *updates = x_of(v, 2)->type, *type = p->indices->type;
  ten_value *limits =
      start_limits(v, type, p->dims.index_vector_dim, operand, p->dims.scatter_dims_to_operand_dims, p->sizes);
  ten_value *inside = ten_build_compare(v->b, TEN_LE, p->indices, limits);
  if (ten_dtype_class(type->dtype) == TEN_CLASS_SINT) {
    ten_value *positive = ten_build_compare(v->b, TEN_GE, p->indices, ten_build_splat_int(v->b, type, 0));
    inside = ten_build_binary(v->b, TEN_OP_AND, inside, positive);
  }
  if (p->dims.index_vector_dim < type->rank)
    inside =
        ten_build_reduce(v->b, TEN_OP_AND, inside, ten_build_scalar_int(v->b, TEN_I1, 1), 1, &p->dims.index_vector_dim);
  int64_t map[RANK_MAX];
  uint32_t at = 0;
  for (uint32_t i = 0; i < updates->rank; i++)
    if (!ten_ints_has(p->dims.update_window_dims, i)) map[at++] = i;
  return ten_build_broadcast(v->b, inside, updates->rank, updates->dims, map);
}

static ten_value *gathered(ten_vjp *v, const scatter_parts *p, ten_value *from) {
  ten_value *all = ten_build_gather(v->b, from, p->indices, &p->gather, p->sizes, p->sorted);
  return ten_build_select(v->b, applied(v, p), all, ten_build_splat(v->b, all->type, 0));
}

static void scatter_replace(ten_vjp *v, const scatter_parts *p) {
  const ten_type *updates = x_of(v, 2)->type;
  if (ten_vjp_wants(v, 0)) {
    ten_value *zeros = ten_build_splat(v->b, updates, 0);
    ten_vjp_add(v, 0,
                ten_build_scatter(v->b, TEN_OP_UNKNOWN, v->ct[0], p->indices, zeros, &p->dims, p->sorted, p->unique));
  }
  if (!ten_vjp_wants(v, 2)) return;
  ten_value *g = gathered(v, p, v->ct[0]);
  if (!p->unique) { /* duplicate indices: only the update that remains gets the cotangent */
    const ten_type *flat = ten_type_tensor(v->b->module, TEN_I64, 1, &(int64_t){ten_type_count(updates)});
    ten_value *one = ten_build_splat_int(v->b, flat, 1),
              *count = ten_build_binary(v->b, TEN_OP_ADD, ten_build_iota(v->b, flat, 0), one);
    ten_value *ids = ten_build_reshape(v->b, count, updates->rank, updates->dims);
    ten_value *none = ten_build_splat_int(v->b, ten_type_with_dtype(v->b->module, x_of(v, 0)->type, TEN_I64), 0);
    ten_value *kept = ten_build_scatter(v->b, TEN_OP_UNKNOWN, none, p->indices, ids, &p->dims, p->sorted, p->unique);
    ten_value *stayed = ten_build_gather(v->b, kept, p->indices, &p->gather, p->sizes, p->sorted);
    g = ten_build_select(v->b, ten_build_compare(v->b, TEN_EQ, stayed, ids), g, like(v, g, 0));
  }
  ten_vjp_add(v, 2, g);
}

/* Duplicate indices: each update is multiplied by the product of the others, computed without dividing by zero. */
static ten_value *product_of_others(ten_vjp *v, const scatter_parts *p) {
  ten_value *updates = ten_vjp_conj(v, x_of(v, 2)), *zero = like(v, updates, 0), *one = like(v, updates, 1);
  ten_value *is_zero = ten_build_compare(v->b, TEN_EQ, updates, zero);
  ten_value *safe = ten_build_select(v->b, is_zero, one, updates);
  ten_value *products = ten_build_scatter(v->b, TEN_OP_MULTIPLY, like(v, x_of(v, 0), 1), p->indices, safe, &p->dims,
                                          p->sorted, p->unique);
  const ten_type *counts = ten_type_with_dtype(v->b->module, x_of(v, 0)->type, TEN_I64);
  ten_value *zeros = ten_build_scatter(v->b, TEN_OP_ADD, ten_build_splat_int(v->b, counts, 0), p->indices,
                                       ten_build_convert(v->b, is_zero, TEN_I64), &p->dims, p->sorted, p->unique);
  products = ten_build_gather(v->b, products, p->indices, &p->gather, p->sizes, p->sorted);
  zeros = ten_build_gather(v->b, zeros, p->indices, &p->gather, p->sizes, p->sorted);
  ten_value *other_zeros = ten_build_binary(v->b, TEN_OP_SUBTRACT, zeros, ten_build_convert(v->b, is_zero, TEN_I64));
  ten_value *none = ten_build_compare(v->b, TEN_EQ, other_zeros, ten_build_splat_int(v->b, other_zeros->type, 0));
  return ten_build_select(v->b, none, divide(v, products, safe), zero);
}

static void scatter_product(ten_vjp *v, const scatter_parts *p) {
  ten_value *ct = v->ct[0];
  if (ten_vjp_wants(v, 0)) {
    ten_value *updates = ten_vjp_conj(v, x_of(v, 2));
    ten_vjp_add(v, 0,
                ten_build_scatter(v->b, TEN_OP_MULTIPLY, ct, p->indices, updates, &p->dims, p->sorted, p->unique));
  }
  if (!ten_vjp_wants(v, 2)) return;
  ten_value *g = gathered(v, p, mul(v, ct, ten_vjp_conj(v, x_of(v, 0))));
  ten_vjp_add(v, 2, p->unique ? g : mul(v, g, product_of_others(v, p)));
}

static void scatter_extremum(ten_vjp *v, const scatter_parts *p) { /* winners share it, including the operand */
  ten_value *x = x_of(v, 0), *y = y_of(v, 0), *updates = x_of(v, 2);
  const ten_dtype dtype = x->type->dtype;
  ten_value *x_wins = ten_build_convert(v->b, ten_build_compare(v->b, TEN_EQ, x, y), dtype);
  ten_value *reached = ten_build_gather(v->b, y, p->indices, &p->gather, p->sizes, p->sorted);
  ten_value *u_wins = ten_build_convert(v->b, ten_build_compare(v->b, TEN_EQ, updates, reached), dtype);
  ten_value *ties = ten_build_scatter(v->b, TEN_OP_ADD, x_wins, p->indices, u_wins, &p->dims, p->sorted, p->unique);
  ten_value *share = divide(v, v->ct[0], ties);
  ten_vjp_add(v, 0, mul(v, x_wins, share));
  if (ten_vjp_wants(v, 2)) ten_vjp_add(v, 2, mul(v, u_wins, gathered(v, p, share)));
}

ten_status *ten_rule_scatter(ten_vjp *v) {
  if (v->op->operand_count != 3)
    return ten_op_error(v->op, TEN_UNSUPPORTED, "has no gradient when it scatters several operands at once");
  const scatter_parts p = parts_of(v);
  const ten_block *body = ten_op_body(v->op, 0);
  const ten_op *end = ten_block_terminator(body);
  if (body->first == end && ten_op_operand(end, 0) == body->args[1]) {
    scatter_replace(v, &p);
    return NULL;
  }
  switch (ten_body_op(body)) {
    case TEN_OP_ADD:
      ten_vjp_add(v, 0, v->ct[0]);
      if (ten_vjp_wants(v, 2)) ten_vjp_add(v, 2, gathered(v, &p, v->ct[0]));
      return NULL;
    case TEN_OP_MULTIPLY: scatter_product(v, &p); return NULL;
    case TEN_OP_MAXIMUM:
    case TEN_OP_MINIMUM: scatter_extremum(v, &p); return NULL;
    default:
      return ten_op_error(v->op, TEN_UNSUPPORTED,
                          "has no gradient for this body; add, multiply, maximum, minimum and replacement have one");
  }
}

typedef struct sort_copy {
  const ten_op *op;
  ten_module *module;
} sort_copy;

/* The comparator of the original sort; ignores the last two arguments, the positions. */
static void sort_body(ten_builder *b, ten_value *const *args, void *context) {
  const sort_copy *copy = context;
  const ten_block *body = ten_op_body(copy->op, 0);
  ten_value_map map = {0};
  for (uint32_t i = 0; i < body->arg_count; i++) ten_value_map_set(&map, body->args[i], args[i]);
  for (const ten_op *op = body->first; op; op = op->next) ten_op_append(b->block, ten_op_clone(copy->module, op, &map));
  ten_value_map_free(&map);
}

static void ascending(ten_builder *b, ten_value *const *args, void *context) {
  (void)context;
  ten_value *less = ten_build_compare(b, TEN_LT, args[0], args[1]);
  ten_build_return(b, 1, &less);
}

/* Sort positions along with the values; sorting the cotangents by those positions moves them back to their
 * origins. */
ten_status *ten_rule_sort(ten_vjp *v) {
  ten_module *m = v->b->module;
  const uint32_t count = v->op->operand_count;
  const ten_type *first = x_of(v, 0)->type;
  int64_t dim = ten_op_int(v->op, "dimension", -1);
  if (dim < 0) dim += first->rank;
  ten_value **xs = ten_arena_new_array(&m->arena, ten_value *, count + 1);
  for (uint32_t i = 0; i < count; i++) xs[i] = x_of(v, i);
  xs[count] = ten_build_iota(v->b, ten_type_with_dtype(m, first, TEN_I64), dim);
  sort_copy copy = {v->op, m};
  const bool stable = ten_attr_as_bool(ten_op_attr(v->op, "is_stable"));
  ten_value *positions = &ten_build_sort(v->b, count + 1, xs, dim, stable, sort_body, &copy)->results[count];
  for (uint32_t i = 0; i < count; i++) {
    if (!v->ct[i] || !ten_vjp_wants(v, i)) continue;
    ten_value *pair[] = {positions, v->ct[i]};
    ten_vjp_add(v, i, &ten_build_sort(v->b, 2, pair, dim, false, ascending, NULL)->results[1]);
  }
  return NULL;
}

ten_status *ten_rule_chlo_top_k(ten_vjp *v) {
  ten_value *x = x_of(v, 0), *indices = y_of(v, 1);
  if (!v->ct[0]) return NULL;
  const uint32_t rank = x->type->rank;
  int64_t batch[RANK_MAX], dims[RANK_MAX];
  for (uint32_t i = 0; i < rank; i++) {
    batch[i] = i;
    dims[i] = indices->type->dims[i];
  }
  dims[rank] = 1;
  const int64_t last = rank - 1;
  const ten_scatter_dims scatter = {{0}, {&last, 1}, {batch, rank - 1}, {batch, rank - 1}, {&last, 1}, rank};
  ten_value *places = ten_build_reshape(v->b, indices, rank + 1, dims);
  ten_vjp_add(
      v, 0,
      ten_build_scatter(v->b, TEN_OP_ADD, ten_build_splat(v->b, x->type, 0), places, v->ct[0], &scatter, false, true));
  return NULL;
}
