/* rows.c: fuses softmax, layer norm and similar patterns into one loop over rows.
 *
 * A reduction over the last dimension whose result is only broadcast along the rows of one kernel needs no kernel of
 * its own: for each row, the kernel first reduces (one sweep over the row per reduction, in order), then writes the
 * row, which stays in cache. Values that several sweeps need and that are expensive to recompute are stored in a row
 * buffer on the stack.
 *
 * Full: a value of the root's shape, needed at the root's index. Row: a value with one element per row. */
#include <stdlib.h>
#include <string.h>

#include "backend/cpu/plan/lower.h"
#include "ir/cost.h"

enum { ROWS_MIN = 8, ROW_LONG = 1 << 14, HELD_BYTES = 1 << 15, HELD_MAX = 4, HELD_COST = 8 };

static bool same_dims(const ten_type *a, const ten_type *b) {
  return a->rank == b->rank && !memcmp(a->dims, b->dims, a->rank * sizeof *a->dims);
}

static int64_t row_count(const ten_type *type) {
  const int64_t last = type->dims[type->rank - 1];
  return last ? ten_type_count(type) / last : 0;
}

/* Only dimensions of size one are added or removed. */
static bool only_units(const ten_type *from, const ten_type *to) {
  uint32_t i = 0, k = 0;
  for (;; i++, k++) {
    while (i < from->rank && from->dims[i] == 1) i++;
    while (k < to->rank && to->dims[k] == 1) k++;
    if (i == from->rank || k == to->rank) return i == from->rank && k == to->rank;
    if (from->dims[i] != to->dims[k]) return false;
  }
}

static bool is_increasing(ten_ints list) {
  for (size_t i = 1; i < list.count; i++)
    if (list.data[i] < list.data[i - 1]) return false;
  return true;
}

/* Whether the broadcast spreads one element per row along the last dimension. */
static bool spreads_rows(const ten_op *op) {
  const ten_type *x = ten_op_operand(op, 0)->type, *type = op->results[0].type;
  const ten_ints map = ten_op_ints(op, "broadcast_dimensions");
  if (!is_increasing(map) || ten_type_count(x) != row_count(type)) return false;
  for (size_t i = 0; i < map.count; i++)
    if (x->dims[i] != 1 && (map.data[i] == (int64_t)type->rank - 1 || x->dims[i] != type->dims[map.data[i]]))
      return false;
  return true;
}

static bool reduces_rows(const ten_op *op, const ten_type *type) {
  const ten_ints dims = ten_op_ints(op, "dimensions");
  return op->code == TEN_OP_REDUCE && op->operand_count == 2 && dims.count == 1 &&
         dims.data[0] == (int64_t)type->rank - 1 && same_dims(ten_op_operand(op, 0)->type, type);
}

/* cpu_fuse numbers the ops of a block in order. */
static bool stands_before(const ten_value *value, const ten_value *on) {
  return value->op->block == on->op->block && value->op->number < on->op->number;
}

static bool depends(cpu_lowering *l, const ten_value *value, const ten_value *on) {
  if (value == on) return true;
  if (value->op && stands_before(value, on)) return false;
  if (!value->op || l->in_memory[value->number] || l->visited[value->number] == l->visit) return false;
  l->visited[value->number] = l->visit;
  for (uint32_t i = 0; i < value->op->operand_count; i++)
    if (depends(l, ten_op_operand(value->op, i), on)) return true;
  return false;
}

/* Whether `value` (full, or else row), inside the kernel of shape `type`, depends on `on` only row by row. */
static bool by_rows(cpu_lowering *l, const ten_value *value, const ten_type *type, const ten_value *on, bool full,
                    bool is_root, int depth) {
  if (value == on) return !full;
  if (!value->op || (!is_root && l->in_memory[value->number]) || stands_before(value, on)) return true;
  if (depth > 64) return false;
  const ten_op *op = value->op;
  const bool elementwise = ten_op_has(op, TEN_TRAIT_ELEMENTWISE | TEN_TRAIT_BROADCASTS_SCALARS);
  if (full && same_dims(value->type, type) && elementwise) {
    for (uint32_t i = 0; i < op->operand_count; i++) {
      const ten_value *x = ten_op_operand(op, i);
      const bool scalar = !x->type->rank && type->rank;
      if (scalar ? (l->visit++, depends(l, x, on)) : !by_rows(l, x, type, on, true, false, depth + 1)) return false;
    }
    return true;
  }
  if (full && op->code == TEN_OP_BROADCAST_IN_DIM && same_dims(value->type, type) && spreads_rows(op))
    return by_rows(l, ten_op_operand(op, 0), type, on, false, false, depth + 1);
  if (!full && elementwise && ten_type_count(value->type) == row_count(type)) {
    for (uint32_t i = 0; i < op->operand_count; i++)
      if (!by_rows(l, ten_op_operand(op, i), type, on, false, false, depth + 1)) return false;
    return true;
  }
  if (!full && (op->code == TEN_OP_RESHAPE || op->code == TEN_OP_BROADCAST_IN_DIM) &&
      only_units(ten_op_operand(op, 0)->type, value->type) && is_increasing(ten_op_ints(op, "broadcast_dimensions")))
    return by_rows(l, ten_op_operand(op, 0), type, on, false, false, depth + 1);
  if (!full && reduces_rows(op, type) && l->row_root[value->number])
    return by_rows(l, ten_op_operand(op, 0), type, on, true, false, depth + 1);
  l->visit++;
  return !depends(l, value, on);
}

/* Whether the row value depends on a reduction over the rows of `type`. */
static bool has_reduction(const ten_value *value, const ten_type *type, int depth) {
  const ten_op *op = value->op;
  if (!op || depth > 8 || ten_type_count(value->type) != row_count(type)) return false;
  if (op->code == TEN_OP_REDUCE) return reduces_rows(op, type);
  for (uint32_t i = 0; i < op->operand_count; i++)
    if (has_reduction(ten_op_operand(op, i), type, depth + 1)) return true;
  return false;
}

bool cpu_row_fits(cpu_lowering *l, const ten_op *op, const ten_value *root) {
  const ten_type *type = root->type;
  const ten_value *value = &op->results[0];
  if (!root->op || root->op->result_count != 1 || !type->rank || l->taken[root->number] || l->attention[root->number] ||
      l->group[root->number])
    return false;
  if (!ten_op_has(root->op, TEN_TRAIT_ELEMENTWISE | TEN_TRAIT_BROADCASTS_SCALARS)) return false;
  const int64_t rows = row_count(type), last = type->dims[type->rank - 1];
  if (!rows || (rows < ROWS_MIN && last > ROW_LONG) || ten_type_count(value->type) != rows) return false;
  const bool reduction = reduces_rows(op, type);
  if (!reduction && (!ten_op_has(op, TEN_TRAIT_ELEMENTWISE) || !has_reduction(value, type, 0))) return false;
  return by_rows(l, root, type, value, true, true, 0);
}

/* A matmul or convolution whose kernel supports an epilogue. */
static bool takes_epilogue(const cpu_lowering *l, const ten_op *op) {
  return cpu_chosen_gemm(l, op) || cpu_chosen_conv(l, op);
}

bool cpu_row_holds_matmul(cpu_lowering *l, const ten_value *value, const ten_value *root) {
  if (!l->row_count[root->number] || ten_value_used_once(value) || !same_dims(value->type, root->type)) return false;
  const ten_value *at = value; /* the matmul is always the first operand, or one step away from it */
  for (int depth = 0; at->op && depth < 16; depth++) {
    const ten_op *op = at->op;
    if (takes_epilogue(l, op)) return cpu_can_absorb(l, op, value);
    if (!ten_op_has(op, TEN_TRAIT_ELEMENTWISE | TEN_TRAIT_BROADCASTS_SCALARS) && op->code != TEN_OP_RESHAPE)
      return false;
    const ten_value *next = NULL;
    for (uint32_t i = 0; i < op->operand_count && !next; i++) {
      const ten_value *x = ten_op_operand(op, i);
      if (x->op && ten_value_used_once(x) && ten_type_count(x->type) == ten_type_count(value->type) &&
          (x->op->code == TEN_OP_RESHAPE || takes_epilogue(l, x->op) ||
           ten_op_has(x->op, TEN_TRAIT_ELEMENTWISE | TEN_TRAIT_BROADCASTS_SCALARS)))
        next = x;
    }
    if (!next) return false;
    at = next;
  }
  return false;
}

typedef struct swept {
  const ten_value *value;
  int sweeps; /* number of sweeps that compute it */
} swept;

typedef struct staging {
  cpu_lowering *l;
  cpu_step *step;
  const ten_value *root;
  TEN_VEC(swept) values; /* full values computed inside */
} staging;

static bool is_stage(const staging *s, const ten_value *value) {
  for (size_t i = 0; i < s->step->stages.count; i++)
    if (s->step->stages.data[i] == value) return true;
  return false;
}

static bool is_inside(const staging *s, const ten_value *value) {
  return value->op && (value == s->root || cpu_value_buffer(s->l->plan, value) == UINT32_MAX);
}

static void find_reductions(staging *s, const ten_value *value) {
  if (!is_inside(s, value) || s->l->visited[value->number] == s->l->visit) return;
  s->l->visited[value->number] = s->l->visit;
  for (uint32_t i = 0; i < value->op->operand_count; i++) find_reductions(s, ten_op_operand(value->op, i));
  if (s->l->row_root[value->number]) ten_vec_push(&s->step->stages, value);
}

static void count_sweep(staging *s, const ten_value *value, bool start) {
  if (!is_inside(s, value) || s->l->visited[value->number] == s->l->visit || (!start && is_stage(s, value))) return;
  s->l->visited[value->number] = s->l->visit;
  for (uint32_t i = 0; i < value->op->operand_count; i++) count_sweep(s, ten_op_operand(value->op, i), false);
  if (start || !same_dims(value->type, s->root->type)) return;
  for (size_t i = 0; i < s->values.count; i++)
    if (s->values.data[i].value == value) {
      s->values.data[i].sweeps++;
      return;
    }
  ten_vec_push(&s->values, (swept){value, 1});
}

static void count_sweeps(staging *s) {
  s->values.count = 0;
  for (size_t i = 0; i < s->step->stages.count; i++) {
    s->l->visit++;
    count_sweep(s, s->step->stages.data[i], true);
  }
  s->l->visit++;
  count_sweep(s, s->root, true);
}

static int cost_of(const staging *s, const ten_value *value, int depth) {
  if (!is_inside(s, value) || (depth && is_stage(s, value)) || depth > 24) return 0;
  if (depth && !same_dims(value->type, s->root->type)) return 0; /* hoisted out of the sweep */
  int cost = ten_op_cost(value->op)->time;
  for (uint32_t i = 0; i < value->op->operand_count && cost < HELD_COST; i++)
    cost += cost_of(s, ten_op_operand(value->op, i), depth + 1);
  return cost;
}

/* The outermost value worth buffering, or NULL. */
static const ten_value *best_held(const staging *s) {
  const ten_value *best = NULL;
  for (size_t i = 0; i < s->values.count; i++) {
    const ten_value *value = s->values.data[i].value;
    if (s->values.data[i].sweeps < 2 || is_stage(s, value) || (best && best->op->number > value->op->number)) continue;
    if (cost_of(s, value, 0) >= HELD_COST) best = value;
  }
  return best;
}

void cpu_row_stages(cpu_lowering *l, cpu_step *step) {
  const ten_value *root = step->roots.data[0];
  staging s = {.l = l, .step = step, .root = root};
  l->visit++;
  find_reductions(&s, root);
  const size_t bytes = ten_dtype_bytes(root->type->dtype) * (size_t)root->type->dims[root->type->rank - 1];
  for (int held = 0; held < HELD_MAX && bytes <= HELD_BYTES; held++) {
    count_sweeps(&s);
    const ten_value *value = best_held(&s);
    if (!value) break;
    ten_vec_push(&step->stages, value);
  }
  ten_vec_free(&s.values);
  for (size_t i = 1; i < step->stages.count; i++) /* in program order: each after its operands */
    for (size_t k = i; k > 0 && step->stages.data[k]->op->number < step->stages.data[k - 1]->op->number; k--) {
      const ten_value *swap = step->stages.data[k];
      step->stages.data[k] = step->stages.data[k - 1];
      step->stages.data[k - 1] = swap;
    }
}
