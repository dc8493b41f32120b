/* chlo.c: client ops: implicit broadcasting, ragged_dot, top_k, scan. */
#include "ir/verify/rules.h"

static const ten_type *unranked(ten_module *m, const ten_type *element) {
  return ten_type_tensor_of(m, element, false, 0, NULL, NULL);
}

/* NumPy broadcasting of one dimension. False: neither equal nor 1. An unknown size may be 1, so a known one other than
 * 1 wins. */
static bool broadcast_dim(int64_t *dim, int64_t *bound, int64_t other, int64_t other_bound) {
  if (*dim == 1) return *dim = other, *bound = other_bound, true;
  if (other == 1) return true;
  if (ten_dim_known(*dim) && ten_dim_known(other)) return *dim == other;
  if (!ten_dim_known(*dim) && !ten_dim_known(other)) {
    if (ten_dim_known(*bound) && ten_dim_known(other_bound)) return *bound == other_bound;
    return *bound = TEN_DYNAMIC, true;
  }
  if (!ten_dim_known(*dim) && ten_dim_known(*bound)) return false; /* a bounded size against a static one */
  if (!ten_dim_known(other) && ten_dim_known(other_bound)) return false;
  *dim = ten_dim_known(*dim) ? *dim : other;
  *bound = TEN_DYNAMIC;
  return true;
}

static ten_status *broadcast_two(ten_module *m, const ten_op *op, const ten_type *a, const ten_type *b,
                                 const ten_type **out) {
  if (!a->ranked || !b->ranked) return *out = unranked(m, a->element), NULL;
  const ten_type *large = a->rank >= b->rank ? a : b, *small = a->rank >= b->rank ? b : a;
  const int64_t *large_bounds = ten_bounds_of(large), *small_bounds = ten_bounds_of(small);
  const uint32_t rank = large->rank, shift = large->rank - small->rank;
  int64_t *dims = ten_arena_new_array(&m->arena, int64_t, rank),
          *bounds = ten_arena_new_array(&m->arena, int64_t, rank);
  for (uint32_t i = 0; i < rank; i++) {
    dims[i] = large->dims[i];
    bounds[i] = large_bounds ? large_bounds[i] : TEN_DYNAMIC;
    if (i < shift) continue;
    WANT(broadcast_dim(&dims[i], &bounds[i], small->dims[i - shift],
                       small_bounds ? small_bounds[i - shift] : TEN_DYNAMIC),
         "%s and %s do not broadcast: dimension %u", ten_say_type(m, a), ten_say_type(m, b), i);
  }
  return *out = ten_make_tensor(m, a->element, rank, dims, bounds), NULL;
}

/* broadcast_dimensions maps each dimension of the smaller operand to one of the larger. */
static ten_status *broadcast_along(ten_module *m, const ten_op *op, ten_ints where, const ten_type **out) {
  const ten_type *a = ten_in(op, 0), *b = ten_in(op, 1);
  if (!a->ranked || !b->ranked) return *out = unranked(m, a->element), NULL;
  const ten_type *large = a->rank > b->rank ? a : b, *small = a->rank > b->rank ? b : a;
  WANT(where.count == small->rank, "broadcast_dimensions %s has %zu entries, the smaller operand has rank %u",
       ten_say_list(m, where), where.count, small->rank);
  TEN_TRY(ten_want_in_range(m, op, where, large->rank, "broadcast_dimensions", "the larger operand"));
  TEN_TRY(ten_want_unique(m, op, where, "broadcast_dimensions"));
  const int64_t *large_bounds = ten_bounds_of(large), *small_bounds = ten_bounds_of(small);
  int64_t *dims = ten_arena_copy(&m->arena, large->dims, large->rank * sizeof *dims);
  int64_t *bounds = ten_arena_new_array(&m->arena, int64_t, large->rank);
  for (uint32_t i = 0; i < large->rank; i++) bounds[i] = large_bounds ? large_bounds[i] : TEN_DYNAMIC;
  for (uint32_t i = 0; i < small->rank; i++) {
    const int64_t to = where.data[i];
    WANT(broadcast_dim(&dims[to], &bounds[to], small->dims[i], small_bounds ? small_bounds[i] : TEN_DYNAMIC),
         "%s and %s do not broadcast: dimension %lld", ten_say_type(m, a), ten_say_type(m, b), (long long)to);
  }
  return *out = ten_make_tensor(m, a->element, large->rank, dims, bounds), NULL;
}

TEN_INFER(chlo_broadcast) {
  const ten_attr *where = ten_op_attr(op, "broadcast_dimensions");
  WANT(ten_elements_agree(ten_in(op, 0), ten_in(op, 1)), "operand 0 has elements %s, operand 1 has %s",
       ten_say_element(m, ten_in(op, 0)), ten_say_element(m, ten_in(op, 1)));
  return where ? broadcast_along(m, op, ten_attr_as_ints(where), out)
               : broadcast_two(m, op, ten_in(op, 0), ten_in(op, 1), out);
}

TEN_INFER(chlo_broadcast_compare) {
  TEN_TRY(ten_infer_chlo_broadcast(m, op, out));
  return out[0] = ten_with_element(m, out[0], ten_type_scalar(m, TEN_I1)), NULL;
}

TEN_INFER(chlo_broadcast_complex) {
  TEN_TRY(ten_infer_chlo_broadcast(m, op, out));
  WANT(out[0]->dtype == TEN_F32 || out[0]->dtype == TEN_F64, "operands are of %s, must be of f32 or f64",
       ten_say_element(m, out[0]));
  return out[0] = ten_with_element(m, out[0], ten_type_scalar(m, out[0]->dtype == TEN_F64 ? TEN_C128 : TEN_C64)), NULL;
}

TEN_INFER(chlo_broadcast_select) {
  const ten_type *on_true = ten_in(op, 1), *on_false = ten_in(op, 2), *both;
  WANT(ten_elements_equal(on_true, on_false), "on_true has elements %s, on_false has %s", ten_say_element(m, on_true),
       ten_say_element(m, on_false));
  TEN_TRY(broadcast_two(m, op, on_true, on_false, &both));
  TEN_TRY(broadcast_two(m, op, both, ten_in(op, 0), &both));
  return out[0] = ten_with_element(m, both, on_true->element), NULL;
}

TEN_INFER(chlo_constant_like) {
  const ten_attr *value = ten_op_attr(op, "value");
  const ten_type *type = value->kind == TEN_ATTR_INT     ? value->integer.type
                         : value->kind == TEN_ATTR_FLOAT ? value->real.type
                                                         : NULL;
  const ten_type *hint = ten_out(op, 0);
  if (!type && hint && ten_is_shaped(hint)) type = hint->element; /* #complex.number<…>, stored as text */
  WANT(type, "value must be a number");
  return out[0] = ten_with_element(m, ten_in(op, 0), type), NULL;
}

TEN_INFER(chlo_top_k) {
  const ten_type *operand = ten_in(op, 0);
  const int64_t k = ten_op_int(op, "k", 0);
  WANT(k >= 0, "k = %lld is negative", (long long)k);
  if (!operand->ranked) {
    out[0] = unranked(m, operand->element);
    return out[1] = unranked(m, ten_type_scalar(m, TEN_I32)), NULL;
  }
  WANT(operand->rank, "operand is a scalar, must have a last dimension to look along");
  const uint32_t last = operand->rank - 1;
  WANT(!ten_dim_known(operand->dims[last]) || operand->dims[last] >= k,
       "k = %lld, but the last dimension has size %lld", (long long)k, (long long)operand->dims[last]);
  const int64_t *own = ten_bounds_of(operand);
  int64_t *dims = ten_arena_copy(&m->arena, operand->dims, operand->rank * sizeof *dims);
  int64_t *bounds = own ? ten_arena_copy(&m->arena, own, operand->rank * sizeof *own) : NULL;
  dims[last] = k;
  if (bounds) bounds[last] = TEN_DYNAMIC;
  out[0] = ten_make_tensor(m, operand->element, operand->rank, dims, bounds);
  return out[1] = ten_make_tensor(m, ten_type_scalar(m, TEN_I32), operand->rank, dims, bounds), NULL;
}

typedef struct ragged {
  ten_dot_dims dot;
  ten_ints lhs_ragged, rhs_group;
} ragged;

static ragged ragged_of(const ten_op *op) {
  const ten_attr *attr = ten_op_attr(op, "ragged_dot_dimension_numbers");
  return (ragged){{ten_attr_as_ints(ten_attr_field(attr, "lhs_batching_dimensions")),
                   ten_attr_as_ints(ten_attr_field(attr, "rhs_batching_dimensions")),
                   ten_attr_as_ints(ten_attr_field(attr, "lhs_contracting_dimensions")),
                   ten_attr_as_ints(ten_attr_field(attr, "rhs_contracting_dimensions"))},
                  ten_attr_as_ints(ten_attr_field(attr, "lhs_ragged_dimensions")),
                  ten_attr_as_ints(ten_attr_field(attr, "rhs_group_dimensions"))};
}

/* group_sizes is [g], or also has leading lhs dimensions: batch, then those of the ragged one's kind before
 * it. */
static ten_status *want_group_sizes(ten_module *m, const ten_op *op, const ragged *r) {
  const ten_type *lhs = ten_in(op, 0), *groups = ten_in(op, 2);
  const int64_t dim = r->lhs_ragged.data[0];
  WANT(groups->rank, "group_sizes is a scalar, must have a dimension of groups");
  if (groups->rank == 1) return NULL;
  int64_t *wanted = ten_arena_new_array(&m->arena, int64_t, lhs->rank + 1);
  uint32_t count = 0;
  const bool batch = ten_ints_has(r->dot.lhs_batch, dim), contract = ten_ints_has(r->dot.lhs_contract, dim);
  for (size_t i = 0; i < r->dot.lhs_batch.count && r->dot.lhs_batch.data[i] != dim; i++)
    wanted[count++] = lhs->dims[r->dot.lhs_batch.data[i]];
  for (size_t i = 0; contract && r->dot.lhs_contract.data[i] != dim; i++)
    wanted[count++] = lhs->dims[r->dot.lhs_contract.data[i]];
  for (int64_t i = 0; !batch && !contract && i < dim; i++)
    if (!ten_ints_has(r->dot.lhs_batch, i) && !ten_ints_has(r->dot.lhs_contract, i)) wanted[count++] = lhs->dims[i];
  wanted[count++] = groups->dims[groups->rank - 1];
  WANT(ten_lists_agree(count, wanted, groups->rank, groups->dims), "group_sizes has shape %s, must have %s",
       ten_say_shape(m, groups), ten_say_ints(m, count, wanted));
  return NULL;
}

TEN_INFER(chlo_ragged_dot) {
  const ten_type *lhs = ten_in(op, 0), *rhs = ten_in(op, 1), *groups = ten_in(op, 2), *hint = ten_out(op, 0);
  WANT(lhs->ranked && rhs->ranked, "lhs is %s, rhs is %s: both must be ranked", ten_say_type(m, lhs),
       ten_say_type(m, rhs));
  const ragged r = ragged_of(op);
  TEN_TRY(ten_want_precision(op, TEN_ENUM_CHLO_PRECISION));
  TEN_TRY(ten_want_dot_dims(m, op, &r.dot));
  WANT(r.lhs_ragged.count == 1, "lhs_ragged_dimensions %s has %zu entries, must have one",
       ten_say_list(m, r.lhs_ragged), r.lhs_ragged.count);
  TEN_TRY(ten_want_in_range(m, op, r.lhs_ragged, lhs->rank, "lhs_ragged_dimensions", "lhs"));
  TEN_TRY(want_group_sizes(m, op, &r));
  TEN_TRY(ten_want_in_range(m, op, r.rhs_group, rhs->rank, "rhs_group_dimensions", "rhs"));
  TEN_TRY(ten_want_disjoint(m, op, r.rhs_group, r.dot.rhs_batch, "rhs_group_dimensions", "rhs_batching_dimensions"));
  TEN_TRY(
      ten_want_disjoint(m, op, r.rhs_group, r.dot.rhs_contract, "rhs_group_dimensions", "rhs_contracting_dimensions"));
  const int64_t dim = r.lhs_ragged.data[0], group_count = groups->dims[groups->rank - 1];
  const bool contract = ten_ints_has(r.dot.lhs_contract, dim), batch = ten_ints_has(r.dot.lhs_batch, dim);
  WANT(r.rhs_group.count == !(contract || batch),
       "rhs_group_dimensions %s has %zu entries, must have %d: the ragged dimension is %s",
       ten_say_list(m, r.rhs_group), r.rhs_group.count, !(contract || batch),
       contract ? "contracted"
       : batch  ? "a batching one"
                : "free");
  if (r.rhs_group.count)
    WANT(ten_dims_agree(rhs->dims[r.rhs_group.data[0]], group_count), "rhs has %lld groups, group_sizes has %lld",
         (long long)rhs->dims[r.rhs_group.data[0]], (long long)group_count);
  int64_t *dims = ten_arena_new_array(&m->arena, int64_t, (size_t)lhs->rank + rhs->rank + 1);
  uint32_t rank = 0;
  if (contract) dims[rank++] = group_count;
  for (size_t i = 0; i < r.dot.lhs_batch.count; i++) dims[rank++] = lhs->dims[r.dot.lhs_batch.data[i]];
  for (uint32_t i = 0; i < lhs->rank; i++)
    if (!ten_ints_has(r.dot.lhs_batch, i) && !ten_ints_has(r.dot.lhs_contract, i)) dims[rank++] = lhs->dims[i];
  for (uint32_t i = 0; i < rhs->rank; i++)
    if (!ten_ints_has(r.dot.rhs_batch, i) && !ten_ints_has(r.dot.rhs_contract, i) && !ten_ints_has(r.rhs_group, i))
      dims[rank++] = rhs->dims[i];
  return out[0] = ten_make_tensor(m, hint && ten_is_shaped(hint) ? hint->element : lhs->element, rank, dims, NULL),
         NULL;
}

/* operandSegmentSizes: the number of inputs and of initial carries. */
static ten_status *scan_counts(const ten_op *op, const char *name, uint32_t total, uint32_t *first) {
  const ten_attr *sizes = ten_op_attr(op, name);
  WANT(sizes && sizes->kind == TEN_ATTR_LIST && sizes->list.dtype == TEN_I32 && sizes->list.count == 2,
       "%s must be a list of two i32", name);
  const int32_t *counts = sizes->list.data;
  WANT(counts[0] >= 0 && counts[1] >= 0 && (int64_t)counts[0] + counts[1] == total,
       "%s is [%d, %d], which does not add up to %u", name, counts[0], counts[1], total);
  return *first = (uint32_t)counts[0], NULL;
}

static ten_status *scan_size(ten_module *m, const ten_op *op, uint32_t inputs, int64_t *size) {
  const ten_attr *declared = ten_op_attr(op, "scan_dim_size");
  const int64_t dim = ten_op_int(op, "dimension", 0);
  *size = ten_attr_as_int(declared, TEN_DYNAMIC);
  WANT(dim >= 0, "dimension = %lld is negative", (long long)dim);
  WANT(!declared || *size >= 0, "scan_dim_size = %lld is negative", (long long)*size);
  for (uint32_t i = 0; i < inputs; i++) {
    const ten_type *input = ten_in(op, i);
    WANT(input->ranked && dim < input->rank, "input %u is %s, which has no dimension %lld", i, ten_say_type(m, input),
         (long long)dim);
    WANT(ten_dims_agree(*size, input->dims[dim]), "input %u has size %lld in dimension %lld, should have %lld", i,
         (long long)input->dims[dim], (long long)dim, (long long)*size);
    if (!ten_dim_known(*size)) *size = input->dims[dim];
  }
  return NULL;
}

TEN_INFER(chlo_scan) {
  uint32_t inputs, outputs;
  int64_t size;
  const int64_t dim = ten_op_int(op, "dimension", 0);
  TEN_TRY(scan_counts(op, "operandSegmentSizes", op->operand_count, &inputs));
  TEN_TRY(scan_counts(op, "resultSegmentSizes", op->result_count, &outputs));
  WANT(inputs || outputs, "has neither inputs nor outputs");
  TEN_TRY(scan_size(m, op, inputs, &size));
  const ten_block *body;
  const ten_op *end;
  TEN_TRY(ten_want_body(op, 0, "body", &body, &end));
  WANT(body->arg_count == op->operand_count, "body takes %u arguments, op has %u operands", body->arg_count,
       op->operand_count);
  for (uint32_t i = 0; i < op->operand_count; i++) {
    const ten_type *operand = ten_in(op, i), *arg = body->args[i]->type;
    WANT(operand->ranked, "operand %u is %s, must be ranked", i, ten_say_type(m, operand));
    if (i < inputs) {
      int64_t *dims = ten_arena_new_array(&m->arena, int64_t, operand->rank);
      for (uint32_t d = 0, at = 0; d < operand->rank; d++)
        if (d != dim) dims[at++] = operand->dims[d];
      operand = ten_make_tensor(m, operand->element, operand->rank - 1, dims, NULL);
    }
    WANT(ten_types_agree(operand, arg), "body's argument %u is %s, should be %s", i, ten_say_type(m, arg),
         ten_say_type(m, operand));
  }
  WANT(end->operand_count == op->result_count, "body returns %u values, op has %u results", end->operand_count,
       op->result_count);
  for (uint32_t i = 0; i < op->result_count; i++) {
    const ten_type *type = ten_in(end, i);
    WANT(type->kind == TEN_TYPE_TENSOR && type->ranked, "body returns %s, must return ranked tensors",
         ten_say_type(m, type));
    out[i] = type;
    if (i >= outputs) continue;
    WANT(dim <= type->rank, "body returns %s, which cannot be stacked along dimension %lld", ten_say_type(m, type),
         (long long)dim);
    int64_t *dims = ten_arena_new_array(&m->arena, int64_t, type->rank + 1);
    for (uint32_t d = 0, at = 0; d <= type->rank; d++) dims[d] = d == dim ? size : type->dims[at++];
    out[i] = ten_make_tensor(m, type->element, type->rank + 1, dims, NULL);
  }
  return NULL;
}
