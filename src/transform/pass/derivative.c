/* derivative.c: where backpropagation multiplies a matmul by the derivative of an expensive function that the forward
 * pass computed, computes both there: the derivative is saved instead of its inputs, in the same size, and most of the
 * work (an exponential, an error function) is done once.
 *
 *   forward    y = x · Φ(x), which a matmul reads
 *   backward   d · Φ(x) + d · x · φ(x), of the matmul d, with Φ recomputed from the saved x
 *   becomes    forward  y and c = Φ(x) + x · φ(x);  backward  d · c
 *
 * Matches any value that is linear in one matmul (sums, differences and products with values that do not depend on it),
 * if its factor can be computed right after y, shares an expensive function with y, and the factor's inputs have no
 * other reader after y: otherwise more would be saved than before. The op that computes c gets the attribute
 * tenfold.materialize: it is stored to memory, and computed in the kernel of y.
 *
 * Needs: verified IR, static shapes, f32.  Keeps: results to within rounding, types, locations. */
#include <string.h>

#include "ir/builder.h"
#include "ir/cost.h"
#include "transform/pass/pass.h"

enum { MOST = 48, DEPTH = 24 };

typedef struct value_list {
  ten_value *values[MOST];
  uint32_t count;
} value_list;

typedef struct search {
  ten_value *product;
  value_list linear; /* linear in the matmul, which is the first */
  value_list old;    /* computed after y for the derivative alone */
  value_list given;  /* defined before, and read by it */
  ten_value *y;
  value_list clones; /* of `old`, one for each */
} search;

static int64_t place_in(const value_list *list, const ten_value *value) {
  for (uint32_t i = 0; i < list->count; i++)
    if (list->values[i] == value) return i;
  return -1;
}

static bool put(value_list *list, ten_value *value) {
  if (place_in(list, value) >= 0) return true;
  if (list->count == MOST) return false;
  list->values[list->count++] = value;
  return true;
}

/* The value behind optimization barriers. */
static ten_value *behind_barrier(ten_value *value) {
  while (value->op && value->op->code == TEN_OP_OPTIMIZATION_BARRIER && value->op->operand_count == 1)
    value = ten_op_operand(value->op, 0);
  return value;
}

static bool is_elementwise(const ten_op *op) {
  return ten_op_has(op, TEN_TRAIT_ELEMENTWISE | TEN_TRAIT_BROADCASTS_SCALARS) && op->result_count == 1 &&
         !op->region_count;
}

static bool is_linear(const search *s, const ten_op *op) {
  if (op->block != s->product->op->block) return false;
  const bool first = op->operand_count > 0 && place_in(&s->linear, ten_op_operand(op, 0)) >= 0,
             second = op->operand_count > 1 && place_in(&s->linear, ten_op_operand(op, 1)) >= 0;
  switch (op->code) {
    case TEN_OP_MULTIPLY: return first != second;
    case TEN_OP_ADD:
    case TEN_OP_SUBTRACT: return first && second;
    case TEN_OP_NEGATE: return first;
    default: return false;
  }
}

/* Collects all values linear in the matmul, and returns the only one with other readers; NULL: there are several. */
static ten_value *find_root(search *s) {
  put(&s->linear, s->product);
  for (uint32_t before = 0; before != s->linear.count;) {
    before = s->linear.count;
    for (uint32_t i = 0; i < s->linear.count; i++)
      for (const ten_use *use = s->linear.values[i]->uses; use; use = use->next)
        if (is_linear(s, use->owner) && !put(&s->linear, &use->owner->results[0])) return NULL;
  }
  ten_value *root = NULL;
  for (uint32_t i = 0; i < s->linear.count; i++)
    for (const ten_use *use = s->linear.values[i]->uses; use; use = use->next) {
      if (use->owner->result_count && place_in(&s->linear, &use->owner->results[0]) >= 0) continue;
      if (root && root != s->linear.values[i]) return NULL;
      root = s->linear.values[i];
    }
  return root == s->product ? NULL : root;
}

/* The same expensive function of the same value, computed earlier. */
static ten_op *twin_of(const ten_op *op) {
  ten_value *x = behind_barrier(ten_op_operand(op, 0));
  for (const ten_use *use = x->uses; use; use = use->next)
    if (use->owner != op && use->owner->code == op->code && use->owner->block == op->block &&
        use->owner->number < op->number)
      return use->owner;
  return NULL;
}

/* Follows elementwise users of `value` to an operand of a forward matmul. */
static ten_value *read_by_product(ten_value *value) {
  for (int i = 0; i < DEPTH; i++) {
    for (const ten_use *use = value->uses; use; use = use->next)
      if (use->owner->code == TEN_OP_DOT_GENERAL) return value;
    if (!ten_value_used_once(value) || !is_elementwise(value->uses->owner)) return NULL;
    value = &value->uses->owner->results[0];
  }
  return NULL;
}

/* Finds y from an expensive function in the matmul's factor. */
static void find_y(search *s, ten_value *value, int depth) {
  value = behind_barrier(value);
  const ten_op *op = value->op;
  if (s->y || depth > DEPTH || !op || op->block != s->product->op->block || !is_elementwise(op)) return;
  if (ten_op_is_expensive(op->code)) {
    ten_op *twin = twin_of(op);
    ten_value *y = twin ? read_by_product(&twin->results[0]) : NULL;
    /* not the expensive function itself: its derivative takes a multiplication or two from the saved value */
    if (y && y->op != twin && y->op->number < s->product->op->number) s->y = y;
  }
  for (uint32_t i = 0; i < op->operand_count && !s->y; i++) find_y(s, ten_op_operand(op, i), depth + 1);
}

static bool is_there(const search *s, const ten_value *value) {
  return !value->op || value->op->block != s->y->op->block || value->op->number <= s->y->op->number;
}

static bool is_number(const ten_value *value) { return ten_value_number(value) != NULL; }

/* Whether the value can be computed right after y; sorts its inputs into `old` and `given`. */
static bool can_clone(search *s, ten_value *value, int depth) {
  value = behind_barrier(value);
  if (place_in(&s->old, value) >= 0) return true;
  if (is_there(s, value)) return is_number(value) || put(&s->given, value);
  if (depth > DEPTH) return false;
  ten_op *op = value->op, *twin = ten_op_is_expensive(op->code) ? twin_of(op) : NULL;
  if (place_in(&s->linear, value) >= 0) return false;
  if (twin && is_there(s, &twin->results[0])) return put(&s->old, value);
  if (!is_elementwise(op) && !is_number(value)) return false;
  for (uint32_t i = 0; i < op->operand_count; i++)
    if (!can_clone(s, ten_op_operand(op, i), depth + 1)) return false;
  return put(&s->old, value);
}

/* Whether only ops that will be erased read the value, or its elementwise inputs, after y. */
static bool ends_there(const search *s, const ten_value *value, int depth) {
  for (const ten_use *use = value->uses; use; use = use->next) {
    const ten_op *user = use->owner;
    if (user->block == s->y->op->block && user->number <= s->y->op->number) continue;
    if (user->block != s->y->op->block || user->result_count != 1) return false;
    if (place_in(&s->old, &user->results[0]) >= 0 || place_in(&s->linear, &user->results[0]) >= 0) continue;
    if (user->code != TEN_OP_OPTIMIZATION_BARRIER || !ends_there(s, &user->results[0], depth)) return false;
  }
  const ten_op *op = value->op;
  if (!op || !is_elementwise(op) || depth > DEPTH) return true;
  for (uint32_t i = 0; i < op->operand_count; i++)
    if (!is_number(ten_op_operand(op, i)) && !ends_there(s, ten_op_operand(op, i), depth + 1)) return false;
  return true;
}

static bool factors_fit(search *s, const ten_value *root) {
  for (uint32_t i = 1; i < s->linear.count && !s->y; i++)
    for (uint32_t k = 0; k < s->linear.values[i]->op->operand_count; k++)
      if (place_in(&s->linear, ten_op_operand(s->linear.values[i]->op, k)) < 0)
        find_y(s, ten_op_operand(s->linear.values[i]->op, k), 0);
  if (!s->y || s->y->type != root->type) return false;
  for (uint32_t i = 1; i < s->linear.count; i++) {
    const ten_op *op = s->linear.values[i]->op;
    for (uint32_t k = 0; k < op->operand_count; k++) {
      ten_value *x = ten_op_operand(op, k);
      if (x == s->product && op->code != TEN_OP_MULTIPLY) return false; /* multiplied by one */
      if (place_in(&s->linear, x) < 0 && !can_clone(s, x, 0)) return false;
    }
  }
  for (uint32_t i = 0; i < s->given.count; i++)
    if (!ends_there(s, s->given.values[i], 0)) return false;
  return true;
}

static ten_value *clone(search *s, ten_builder *b, ten_value *value) {
  value = behind_barrier(value);
  const int64_t at = place_in(&s->old, value);
  if (at < 0) {
    if (is_there(s, value)) return value;
    const ten_op *op = value->op; /* a constant that is defined later */
    ten_value *inner = op->operand_count ? clone(s, b, ten_op_operand(op, 0)) : NULL;
    return &ten_build_op(b, op->code, inner ? 1 : 0, &inner, 1, &value->type, op->attr_count, op->attrs, 0)->results[0];
  }
  if (s->clones.values[at]) return s->clones.values[at];
  const ten_op *op = value->op, *twin = ten_op_is_expensive(op->code) ? twin_of(op) : NULL;
  if (twin && is_there(s, &twin->results[0])) return s->clones.values[at] = (ten_value *)&twin->results[0];
  ten_value *operands[MOST];
  for (uint32_t i = 0; i < op->operand_count; i++) operands[i] = clone(s, b, ten_op_operand(op, i));
  const ten_op *made =
      ten_build_op(b, op->code, op->operand_count, operands, 1, &value->type, op->attr_count, op->attrs, 0);
  return s->clones.values[at] = (ten_value *)&made->results[0];
}

/* The factor of the matmul in `value`; NULL: none, it is the matmul. */
static ten_value *factor_of(search *s, ten_builder *b, ten_value *value) {
  if (value == s->product) return NULL;
  const ten_op *op = value->op;
  ten_value *x = ten_op_operand(op, 0), *y = op->operand_count > 1 ? ten_op_operand(op, 1) : NULL;
  if (op->code == TEN_OP_NEGATE) return ten_build_unary(b, op->code, factor_of(s, b, x));
  if (op->code != TEN_OP_MULTIPLY) {
    ten_value *first = factor_of(s, b, x), *second = factor_of(s, b, y);
    return ten_build_binary(b, op->code, first, second);
  }
  const bool first = place_in(&s->linear, x) >= 0;
  ten_value *inner = factor_of(s, b, first ? x : y), *by = clone(s, b, first ? y : x);
  return inner ? ten_build_binary(b, TEN_OP_MULTIPLY, inner, by) : by;
}

static void rewrite(ten_module *module, ten_op *dot) {
  search s = {.product = &dot->results[0]};
  if (s.product->type->dtype != TEN_F32 || !ten_type_is_static(s.product->type)) return;
  ten_value *root = find_root(&s);
  if (!root || !factors_fit(&s, root)) return;
  ten_op *after = s.y->op;
  ten_builder b = {.module = module, .block = after->block, .before = after->next, .loc = root->op->loc};
  ten_value *factor = factor_of(&s, &b, root);
  for (ten_op *op = after->next; op != b.before; op = op->next) op->number = after->number;
  if (factor->op->number != after->number || factor == s.y) return; /* defined before: nothing to save */
  ten_own_attr_set(module, factor->op, TEN_NAME_MATERIALIZE, ten_attr_unit(module));
  b.before = root->op;
  ten_value *whole = ten_build_binary(&b, TEN_OP_MULTIPLY, s.product, factor);
  whole->op->number = root->op->number;
  ten_value_replace(root, whole);
}

static ten_status *number_ops(ten_op *parent, void *context) {
  (void)context;
  for (uint32_t r = 0; r < parent->region_count; r++)
    for (ten_block *block = parent->regions[r].first; block; block = block->next) {
      uint32_t next = 0;
      for (ten_op *op = block->first; op; op = op->next) op->number = next++;
    }
  return NULL;
}

static ten_status *run(ten_module *module) {
  TEN_TRY(ten_op_walk(module->op, number_ops, NULL));
  return ten_pass_each(module, TEN_OP_DOT_GENERAL, rewrite);
}

const ten_pass ten_pass_derivative = {
    .name = "derivative",
    .summary = "keep the derivative of an expensive function, computed with it, instead of what it is made of",
    .run = run};
