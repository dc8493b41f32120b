/* zip.c: merges sums over the same dimensions of values with common inputs into one reduce of several results, which
 * reads the inputs once: the two sums of a batch norm's gradient, and of a layer norm's.
 *
 * Only reduces that keep the last dimension: those go down columns and are memory-bound. The later reduce joins the
 * earlier one at its position; elementwise ops that compute its operand move before it.
 * Needs: static shapes; runs last, since other passes match reduces of one value.  Keeps: results, bit for bit. */
#include <string.h>

#include "ir/builder.h"
#include "transform/pass/pass.h"

enum { MOST = 4 /* results */, ELEMENTS_FROM = 1 << 12, SEEN_MOST = 64, DISTANCE = 256 /* ops, in the block */ };

typedef struct seen {
  const ten_value *values[SEEN_MOST];
  uint32_t count;
} seen;

static bool same_dims(const ten_type *a, const ten_type *b) {
  return a->rank == b->rank && !memcmp(a->dims, b->dims, a->rank * sizeof *a->dims);
}

/* `least`: the number of elements from which it pays. */
static bool is_columns(const ten_op *op, int64_t least) {
  if (op->code != TEN_OP_REDUCE || op->operand_count != 2 * op->result_count || op->result_count >= MOST) return false;
  const ten_type *type = ten_op_operand(op, 0)->type;
  if (!ten_type_is_static(type) || type->rank < 2 || ten_type_count(type) < least) return false;
  return !ten_ints_has(ten_op_ints(op, "dimensions"), type->rank - 1);
}

static bool sums_alike(const ten_op *a, const ten_op *b) {
  const ten_ints x = ten_op_ints(a, "dimensions"), y = ten_op_ints(b, "dimensions");
  return same_dims(ten_op_operand(a, 0)->type, ten_op_operand(b, 0)->type) && x.count == y.count &&
         !memcmp(x.data, y.data, x.count * sizeof *x.data);
}

static bool has_seen(const seen *s, const ten_value *value) {
  for (uint32_t i = 0; i < s->count; i++)
    if (s->values[i] == value) return true;
  return false;
}

/* Values of one shape from which a value is computed elementwise, including itself. */
static void look(seen *s, const ten_value *value, const ten_type *type) {
  if (!same_dims(value->type, type) || s->count == SEEN_MOST || has_seen(s, value)) return;
  const ten_op *op = value->op;
  if (op && (op->code == TEN_OP_CONSTANT || op->code == TEN_OP_BROADCAST_IN_DIM || op->code == TEN_OP_IOTA)) return;
  s->values[s->count++] = value;
  if (!op || !ten_op_has(op, TEN_TRAIT_ELEMENTWISE | TEN_TRAIT_BROADCASTS_SCALARS)) return;
  for (uint32_t i = 0; i < op->operand_count; i++) look(s, ten_op_operand(op, i), type);
}

static bool shares(const ten_op *a, const ten_op *b) {
  const ten_type *type = ten_op_operand(a, 0)->type;
  seen of_a = {0}, of_b = {0};
  for (uint32_t i = 0; i < a->result_count; i++) look(&of_a, ten_op_operand(a, i), type);
  for (uint32_t i = 0; i < b->result_count; i++) look(&of_b, ten_op_operand(b, i), type);
  for (uint32_t i = 0; i < of_b.count; i++)
    if (has_seen(&of_a, of_b.values[i])) return true;
  return false;
}

/* Whether the value is available before `place`: defined there, or computed by data movement and elementwise ops. */
static bool can_move(const ten_value *value, const ten_op *place, int *left) {
  const ten_op *op = value->op;
  if (!op || op->block != place->block || op->number < place->number) return true;
  if (op == place || --*left < 0 || op->region_count) return false;
  const bool moves = op->code == TEN_OP_BROADCAST_IN_DIM || op->code == TEN_OP_RESHAPE || op->code == TEN_OP_CONSTANT;
  if (!moves && !ten_op_has(op, TEN_TRAIT_ELEMENTWISE | TEN_TRAIT_BROADCASTS_SCALARS)) return false;
  for (uint32_t i = 0; i < op->operand_count; i++)
    if (!can_move(ten_op_operand(op, i), place, left)) return false;
  return true;
}

static void move(const ten_value *value, ten_op *place) {
  ten_op *op = value->op;
  if (!op || op->block != place->block || op->number < place->number) return;
  for (uint32_t i = 0; i < op->operand_count; i++) move(ten_op_operand(op, i), place);
  ten_op_unlink(op);
  ten_op_insert_before(place, op);
  op->number = place->number - 1; /* it comes before, which suffices */
}

/* Copies the body of `from`, whose values start at `first` of the `count` in `block`. */
static void copy_body(ten_module *module, const ten_op *from, ten_block *block, uint32_t first, uint32_t count,
                      ten_value **returned) {
  const ten_block *body = ten_op_body(from, 0);
  ten_value_map map = {0};
  for (uint32_t i = 0; i < from->result_count; i++) {
    ten_value_map_set(&map, body->args[i], block->args[first + i]);
    ten_value_map_set(&map, body->args[from->result_count + i], block->args[count + first + i]);
  }
  const ten_op *end = ten_block_terminator(body);
  for (const ten_op *op = body->first; op != end; op = op->next) ten_op_append(block, ten_op_clone(module, op, &map));
  for (uint32_t i = 0; i < from->result_count; i++) {
    ten_value *value = ten_op_operand(end, i), *copy = ten_value_map_get(&map, value);
    returned[first + i] = copy ? copy : value;
  }
  ten_value_map_free(&map);
}

/* Merges a and b at the position of a. */
static ten_op *joined(ten_module *module, ten_op *a, ten_op *b) {
  const uint32_t count = a->result_count + b->result_count;
  ten_value *operands[2 * MOST], *returned[MOST];
  const ten_type *types[MOST];
  const ten_op *const both[] = {a, b};
  for (uint32_t k = 0, at = 0; k < 2; k++)
    for (uint32_t i = 0; i < both[k]->result_count; i++, at++) {
      operands[at] = ten_op_operand(both[k], i);
      operands[count + at] = ten_op_operand(both[k], both[k]->result_count + i);
      types[at] = both[k]->results[i].type;
    }
  ten_builder builder = {.module = module, .block = a->block, .before = a, .loc = a->loc};
  ten_op *made = ten_build_op(&builder, TEN_OP_REDUCE, 2 * count, operands, count, types, a->attr_count, a->attrs, 1);
  ten_block *block = ten_block_create(module, &made->regions[0]);
  for (uint32_t side = 0; side < 2; side++)
    for (uint32_t k = 0; k < 2; k++)
      for (uint32_t i = 0; i < both[k]->result_count; i++)
        ten_block_add_arg(module, block, ten_op_body(both[k], 0)->args[side * both[k]->result_count + i]->type, a->loc);
  copy_body(module, a, block, 0, count, returned);
  copy_body(module, b, block, a->result_count, count, returned);
  ten_builder inside = {.module = module, .block = block, .loc = a->loc};
  ten_build_op(&inside, TEN_OP_RETURN, count, returned, 0, NULL, 0, NULL, 0);
  for (uint32_t i = 0; i < count; i++)
    ten_value_replace(i < a->result_count ? &a->results[i] : &b->results[i - a->result_count], &made->results[i]);
  made->number = a->number;
  ten_op_erase(a);
  ten_op_erase(b);
  return made;
}

static bool can_join(const ten_op *a, const ten_op *b, int64_t least) {
  int left = SEEN_MOST;
  if (!is_columns(b, least) || a->result_count + b->result_count > MOST || !sums_alike(a, b) || !shares(a, b))
    return false;
  for (uint32_t i = 0; i < b->operand_count; i++)
    if (!can_move(ten_op_operand(b, i), a, &left)) return false;
  return true;
}

static void run_on(ten_module *module, ten_block *block) {
  const int64_t least = module->sizes_vary ? 1 : ELEMENTS_FROM; /* independent of the size */
  uint32_t number = 1;
  for (ten_op *op = block->first; op; op = op->next) op->number = number++;
  for (ten_op *a = block->first; a; a = a->next) {
    if (!is_columns(a, least)) continue;
    for (ten_op *b = a->next, *next; b && b->number < a->number + DISTANCE; b = next) {
      next = b->next;
      if (!can_join(a, b, least)) continue;
      for (uint32_t i = 0; i < b->operand_count; i++) move(ten_op_operand(b, i), a);
      a = joined(module, a, b);
      if (!is_columns(a, least)) break;
    }
  }
}

static ten_status *visit(ten_op *op, void *context) {
  for (uint32_t r = 0; r < op->region_count; r++)
    for (ten_block *block = op->regions[r].first; block; block = block->next) run_on(context, block);
  return NULL;
}

static ten_status *run(ten_module *module) { return ten_op_walk(module->op, visit, module); }

const ten_pass ten_pass_zip = {"zip", "join sums down columns that read the same values into one reduce", run};
