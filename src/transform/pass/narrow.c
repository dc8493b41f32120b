/* narrow.c: computes only the part of a value that is read.
 *
 * A classifier reads the first token of the last layer, a language model's caller the last one; yet the layer computes
 * all of them. From the end of a block backwards: when all readers of a value take the same slice of it, the value is
 * recomputed from slices of its operands, which may then be all that is read of them. Weights are not sliced: a matmul
 * is narrowed in its batches and its left rows only. But where readers take parts that do not overlap and much is
 * unread (queries, keys and values are one matmul, and one query is needed), each part is computed separately, from its
 * columns of the weight. Dead ops are erased, or they would count as readers. `narrow-rows` never slices a weight: for
 * programs whose weights are sharded over several devices. `trim` does not narrow matmuls, and so narrows only what
 * follows the last one: for compilers whose layout and prefetching depend on equal matmuls.
 *
 * Needs: verified IR. Keeps: types of remaining ops, locations; results, but for the order of summation in a smaller
 * matmul. */
#include "ir/builder.h"
#include "transform/pass/pass.h"

enum { RANK_MAX = 32, PARTS_MAX = 4, UNREAD = 8 /* at least one in this many elements */ };

/* Which matmuls are narrowed: none, rows of the left side, or also columns of a weight. */
typedef enum reach { REACH_AROUND, REACH_ROWS, REACH_COLUMNS } reach;

typedef struct bounds {
  int64_t start[RANK_MAX], limit[RANK_MAX], stride[RANK_MAX];
} bounds;

static int64_t size_of(const bounds *s, uint32_t i) {
  return (s->limit[i] - s->start[i] + s->stride[i] - 1) / s->stride[i];
}

static bool is_whole(const bounds *s, uint32_t i, int64_t size) { return size_of(s, i) == size; }

static bounds whole_of(const ten_type *type) {
  bounds s;
  for (uint32_t i = 0; i < type->rank; i++) s.start[i] = 0, s.limit[i] = type->dims[i], s.stride[i] = 1;
  return s;
}

static void copy_dim(bounds *to, uint32_t at, const bounds *from, uint32_t i) {
  to->start[at] = from->start[i], to->limit[at] = from->limit[i], to->stride[at] = from->stride[i];
}

static bool same_bounds(const bounds *a, const bounds *b, uint32_t rank) {
  bool same = true;
  for (uint32_t i = 0; same && i < rank; i++)
    same = a->start[i] == b->start[i] && a->limit[i] == b->limit[i] && a->stride[i] == b->stride[i];
  return same;
}

static bounds bounds_of(const ten_op *slice) {
  const ten_ints start = ten_op_ints(slice, "start_indices"), limit = ten_op_ints(slice, "limit_indices"),
                 stride = ten_op_ints(slice, "strides");
  bounds s;
  for (uint32_t i = 0; i < start.count; i++)
    s.start[i] = start.data[i], s.limit[i] = limit.data[i], s.stride[i] = stride.data[i];
  return s;
}

/* The distinct slices that readers take of the value; none when one reads all of it, or there are too many. */
static uint32_t find_parts(const ten_value *value, bounds *parts) {
  const ten_type *type = value->type;
  if (!value->uses || !ten_type_is_tensor(type) || !ten_type_is_static(type) || type->rank > RANK_MAX || type->quant)
    return 0;
  uint32_t count = 0;
  for (const ten_use *use = value->uses; use; use = use->next) {
    const ten_op *slice = use->owner;
    if (slice->code != TEN_OP_SLICE || slice->block != value->op->block || !ten_type_count(slice->results[0].type))
      return 0;
    const bounds s = bounds_of(slice);
    uint32_t i = 0;
    while (i < count && !same_bounds(&parts[i], &s, type->rank)) i++;
    if (i == PARTS_MAX) return 0;
    if (i == count) parts[count++] = s;
  }
  return count;
}

/* Whether the parts are disjoint along a dimension and leave enough unread to compute each separately. */
static bool are_apart(const ten_type *type, const bounds *parts, uint32_t count) {
  int64_t read = 0;
  for (uint32_t k = 0; k < count; k++) {
    int64_t size = 1;
    for (uint32_t i = 0; i < type->rank; i++) size *= size_of(&parts[k], i);
    read += size;
  }
  if (read > ten_type_count(type) - ten_type_count(type) / UNREAD) return false;
  for (uint32_t i = 0; i < type->rank; i++) {
    bool apart = true;
    for (uint32_t k = 0; k < count; k++)
      for (uint32_t l = 0; l < k; l++)
        apart &= parts[k].limit[i] <= parts[l].start[i] || parts[l].limit[i] <= parts[k].start[i];
    if (apart) return true;
  }
  return false;
}

static ten_value *slice_of(ten_builder *b, ten_value *x, const bounds *s) {
  bool whole = true;
  for (uint32_t i = 0; i < x->type->rank; i++) whole &= is_whole(s, i, x->type->dims[i]);
  return whole ? x : ten_build_slice(b, x, s->start, s->limit, s->stride);
}

static const ten_type *narrowed(ten_builder *b, const ten_type *type, const bounds *s) {
  int64_t dims[RANK_MAX];
  for (uint32_t i = 0; i < type->rank; i++) dims[i] = size_of(s, i);
  return ten_type_with_shape(b->module, type, type->rank, dims);
}

static bool same_shape(const ten_type *x, const ten_type *y) {
  bool same = x->rank == y->rank;
  for (uint32_t i = 0; same && i < x->rank; i++) same = x->dims[i] == y->dims[i];
  return same;
}

static ten_value *elementwise(ten_builder *b, const ten_op *op, const bounds *s) {
  enum { OPERANDS = 3 };
  ten_value *operands[OPERANDS];
  const ten_type *type = op->results[0].type;
  if (op->operand_count > OPERANDS || op->region_count) return NULL;
  for (uint32_t i = 0; i < op->operand_count; i++)
    if (ten_op_operand(op, i)->type->rank && !same_shape(ten_op_operand(op, i)->type, type)) return NULL;
  for (uint32_t i = 0; i < op->operand_count; i++) {
    ten_value *x = ten_op_operand(op, i);
    operands[i] = x->type->rank ? slice_of(b, x, s) : x;
  }
  type = narrowed(b, type, s);
  return &ten_build_op(b, op->code, op->operand_count, operands, 1, &type, op->attr_count, op->attrs, 0)->results[0];
}

/* A slice of a slice is one slice. */
static ten_value *slice(ten_builder *b, const ten_op *op, const bounds *s) {
  bounds inner = bounds_of(op);
  for (uint32_t i = 0; i < op->results[0].type->rank; i++) {
    const int64_t start = inner.start[i], stride = inner.stride[i];
    inner.start[i] = start + s->start[i] * stride;
    inner.limit[i] = start + (s->limit[i] - 1) * stride + 1;
    inner.stride[i] = stride * s->stride[i];
  }
  return slice_of(b, ten_op_operand(op, 0), &inner);
}

static ten_value *broadcast(ten_builder *b, const ten_op *op, const bounds *s) {
  ten_value *x = ten_op_operand(op, 0);
  const ten_type *type = narrowed(b, op->results[0].type, s);
  const ten_ints map = ten_op_ints(op, "broadcast_dimensions");
  bounds inner = whole_of(x->type);
  for (uint32_t i = 0; i < x->type->rank; i++)
    if (x->type->dims[i] != 1) copy_dim(&inner, i, s, (uint32_t)map.data[i]);
  return ten_build_broadcast(b, slice_of(b, x, &inner), type->rank, type->dims, map.data);
}

static ten_value *transpose(ten_builder *b, const ten_op *op, const bounds *s) {
  ten_value *x = ten_op_operand(op, 0);
  const ten_ints order = ten_op_ints(op, "permutation");
  bounds inner = whole_of(x->type);
  for (uint32_t i = 0; i < order.count; i++) copy_dim(&inner, (uint32_t)order.data[i], s, i);
  return ten_build_transpose(b, slice_of(b, x, &inner), order.data);
}

/* A dimension that is split, and sliced only in its first part: the corresponding rows. */
static bool slice_major(const bounds *s, const ten_type *to, uint32_t first, uint32_t end, bounds *inner, uint32_t at) {
  int64_t rest = 1;
  for (uint32_t k = first + 1; k < end; k++) {
    if (!is_whole(s, k, to->dims[k])) return false;
    rest *= to->dims[k];
  }
  if (s->stride[first] != 1) return false;
  inner->start[at] = s->start[first] * rest, inner->limit[at] = s->limit[first] * rest;
  return true;
}

/* Groups dimensions of equal products: a sliced one must be alone on both sides, ignoring those of size one, or be the
 * first part of a split dimension. */
static ten_value *reshape(ten_builder *b, const ten_op *op, const bounds *s) {
  ten_value *x = ten_op_operand(op, 0);
  const ten_type *from = x->type, *to = op->results[0].type;
  if (from->rank > RANK_MAX || from->quant) return NULL;
  bounds inner = whole_of(from);
  uint32_t i = 0, j = 0;
  for (;;) {
    while (i < from->rank && from->dims[i] == 1) i++;
    while (j < to->rank && to->dims[j] == 1) j++;
    if (i == from->rank || j == to->rank) break;
    const uint32_t first = j, one = i;
    int64_t have = from->dims[i], want = to->dims[j];
    if (have == want) {
      copy_dim(&inner, i++, s, j++);
      continue;
    }
    for (i++, j++; have != want;) {
      if (have < want)
        have *= from->dims[i++];
      else
        want *= to->dims[j++];
    }
    bool whole = true;
    for (uint32_t k = first; k < j; k++) whole &= is_whole(s, k, to->dims[k]);
    if (!whole && (i > one + 1 || !slice_major(s, to, first, j, &inner, one))) return NULL;
  }
  const ten_type *type = narrowed(b, to, s);
  return ten_build_reshape(b, slice_of(b, x, &inner), type->rank, type->dims);
}

static ten_value *product(ten_builder *b, const ten_op *op, const bounds *s, bool columns) {
  ten_value *x = ten_op_operand(op, 0), *y = ten_op_operand(op, 1);
  const ten_dot_dims dims = ten_dot_dims_of(ten_op_attr(op, "dot_dimension_numbers"));
  const ten_type *type = op->results[0].type;
  bounds left = whole_of(x->type), right = whole_of(y->type);
  uint32_t at = 0;
  for (size_t i = 0; i < dims.lhs_batch.count; i++, at++) {
    copy_dim(&left, (uint32_t)dims.lhs_batch.data[i], s, at);
    copy_dim(&right, (uint32_t)dims.rhs_batch.data[i], s, at);
  }
  for (uint32_t i = 0; i < x->type->rank; i++)
    if (!ten_ints_has(dims.lhs_batch, i) && !ten_ints_has(dims.lhs_contract, i)) copy_dim(&left, i, s, at++);
  for (uint32_t i = 0; i < y->type->rank; i++) {
    if (ten_ints_has(dims.rhs_batch, i) || ten_ints_has(dims.rhs_contract, i)) continue;
    if (!columns && !is_whole(s, at, type->dims[at])) return NULL;
    copy_dim(&right, i, s, at++);
  }
  ten_value *operands[] = {slice_of(b, x, &left), slice_of(b, y, &right)};
  type = narrowed(b, type, s);
  return &ten_build_op(b, op->code, 2, operands, 1, &type, op->attr_count, op->attrs, 0)->results[0];
}

static ten_value *reduction(ten_builder *b, const ten_op *op, const bounds *s) {
  if (op->operand_count != 2) return NULL;
  ten_value *x = ten_op_operand(op, 0);
  const ten_ints dims = ten_op_ints(op, "dimensions");
  bounds inner = whole_of(x->type);
  uint32_t at = 0;
  for (uint32_t i = 0; i < x->type->rank; i++)
    if (!ten_ints_has(dims, i)) copy_dim(&inner, i, s, at++);
  ten_value_map map = {0};
  ten_value_map_set(&map, x, slice_of(b, x, &inner));
  ten_op *made = ten_op_clone(b->module, op, &map);
  ten_value_map_free(&map);
  made->results[0].type = narrowed(b, op->results[0].type, s);
  ten_op_insert_before(b->before, made);
  return &made->results[0];
}

static ten_value *splat(ten_builder *b, const ten_op *op, const bounds *s) {
  const ten_attr *value = ten_value_constant(&op->results[0]);
  if (!value || !value->dense.splat || ten_op_attr(op, "aten.kind")) return NULL;
  const ten_type *type = narrowed(b, op->results[0].type, s);
  return ten_build_constant(
      b, ten_attr_dense_view(b->module, type, value->dense.data, value->dense.size, ten_type_count(type) != 1));
}

static ten_value *narrow(ten_builder *b, const ten_op *op, const bounds *s, reach far) {
  for (uint32_t i = 0; i < op->operand_count; i++) {
    const ten_type *type = ten_op_operand(op, i)->type;
    if (!ten_type_is_tensor(type) || !ten_type_is_static(type) || type->rank > RANK_MAX || type->quant) return NULL;
  }
  switch (op->code) {
    case TEN_OP_BROADCAST_IN_DIM: return broadcast(b, op, s);
    case TEN_OP_CONSTANT: return splat(b, op, s);
    case TEN_OP_DOT_GENERAL: return far ? product(b, op, s, far == REACH_COLUMNS) : NULL;
    case TEN_OP_REDUCE: return reduction(b, op, s);
    case TEN_OP_RESHAPE: return reshape(b, op, s);
    case TEN_OP_SLICE: return slice(b, op, s);
    case TEN_OP_TRANSPOSE: return transpose(b, op, s);
    default:
      return ten_op_has(op, TEN_TRAIT_ELEMENTWISE) && ten_op_has(op, TEN_TRAIT_PURE) ? elementwise(b, op, s) : NULL;
  }
}

/* Ops without operands stay: a parameter is a constant here, and is part of a checkpoint even if it is unread. */
static bool is_dead(const ten_op *op) {
  if (!op->operand_count || !op->result_count || ten_op_has(op, TEN_TRAIT_TERMINATOR | TEN_TRAIT_SYMBOL) ||
      !ten_op_is_pure(op))
    return false;
  for (uint32_t i = 0; i < op->result_count; i++)
    if (ten_value_has_uses(&op->results[i])) return false;
  return true;
}

/* If one part cannot be narrowed, the ops created for the others are dead, and the walk erases them. */
static bool narrow_op(ten_module *module, ten_block *block, ten_op *op, reach far) {
  bounds parts[PARTS_MAX];
  ten_value *made[PARTS_MAX];
  const uint32_t count = op->result_count == 1 ? find_parts(&op->results[0], parts) : 0;
  if (!count || (count > 1 && (far < REACH_COLUMNS || !are_apart(op->results[0].type, parts, count)))) return false;
  ten_builder b = {.module = module, .block = block, .before = op, .loc = op->loc};
  for (uint32_t i = 0; i < count; i++)
    if (!(made[i] = narrow(&b, op, &parts[i], count > 1 || !far ? far : REACH_ROWS))) return false;
  for (ten_use *use = op->results[0].uses; use; use = op->results[0].uses) {
    ten_op *slice = use->owner;
    const bounds s = bounds_of(slice);
    uint32_t i = 0;
    while (!same_bounds(&parts[i], &s, op->results[0].type->rank)) i++;
    ten_value_replace(&slice->results[0], made[i]);
    ten_op_erase(slice);
  }
  return true;
}

static void narrow_block(ten_module *module, ten_block *block, reach far) {
  for (ten_op *op = block->last, *before; op; op = before) {
    before = op->prev;
    if (is_dead(op)) {
      ten_op_erase(op);
      continue;
    }
    for (uint32_t r = 0; r < op->region_count; r++)
      for (ten_block *inner = op->regions[r].first; inner; inner = inner->next) narrow_block(module, inner, far);
    const bool made = narrow_op(module, block, op, far);
    before = op->prev; /* may be new */
    if (made) ten_op_erase(op);
  }
}

static void narrow_module(ten_module *module, reach far) {
  for (ten_op *op = ten_op_body(module->op, 0)->first; op; op = op->next)
    for (uint32_t r = 0; r < op->region_count; r++)
      for (ten_block *block = op->regions[r].first; block; block = block->next) narrow_block(module, block, far);
}

static ten_status *run(ten_module *module) {
  narrow_module(module, REACH_COLUMNS);
  return NULL;
}

static ten_status *narrow_rows(ten_module *module) {
  narrow_module(module, REACH_ROWS);
  return NULL;
}

static ten_status *trim(ten_module *module) {
  narrow_module(module, REACH_AROUND);
  return NULL;
}

const ten_pass ten_pass_narrow = {
    .name = "narrow", .summary = "compute only the part of a value that is read", .run = run};
const ten_pass ten_pass_narrow_rows = {
    .name = "narrow-rows", .summary = "the same, but weights are read whole", .run = narrow_rows};
const ten_pass ten_pass_trim = {.name = "trim", .summary = "the same, but products are computed whole", .run = trim};
