/* round.c: rounds the epilogue of a bf16 matmul once, at its end.
 *
 * PyTorch's compiler and XLA keep fused values in f32 between ops, and round where a value is stored. So does this pass
 * in the chain of ops that starts at a matmul and in which each op is the only reader of the previous one: additions,
 * multiplications and maxima are computed in f32, without intermediate rounding, and the matmul returns f32. If two
 * matmuls meet, the chain belongs to the later one: the other is stored in between, as bf16. The result is closer to
 * exact arithmetic, but differs from the ops one by one: only for modules lowered from PyTorch (backend/cpu/compile.c).
 * Other programs may round on purpose, for instance to compute the rounding error. Tables (lookup.c) need a rounded
 * argument, so expensive functions end a chain.
 *
 * Needs: verified IR. Keeps: types of remaining ops, locations; results, but for intermediate roundings. */
#include <stdlib.h>

#include "base/float.h"
#include "ir/builder.h"
#include "transform/pass/pass.h"

enum { UNSEEN, CLAIMED /* in the chain of a matmul */, WIDE /* a matmul that returns f32 */ };

static bool is_cheap(ten_opcode code) {
  return code == TEN_OP_ADD || code == TEN_OP_SUBTRACT || code == TEN_OP_MULTIPLY || code == TEN_OP_MAXIMUM ||
         code == TEN_OP_MINIMUM;
}

static bool converts(const ten_op *op, ten_dtype from, ten_dtype to) {
  return op && op->code == TEN_OP_CONVERT && ten_op_operand(op, 0)->type->dtype == from &&
         op->results[0].type->dtype == to;
}

/* Whether the only reader of a bf16 value converted to f32 is a cheap op. */
static bool goes_on(const ten_op *op) {
  return converts(op, TEN_BF16, TEN_F32) && ten_value_used_once(&op->results[0]) &&
         is_cheap(op->results[0].uses->owner->code);
}

static bool is_narrow_product(const ten_op *op) {
  return (op->code == TEN_OP_CONVOLUTION || op->code == TEN_OP_DOT_GENERAL) &&
         ten_op_operand(op, 0)->type->dtype == TEN_BF16 && ten_op_operand(op, 1)->type->dtype == TEN_BF16;
}

/* Whether a value is stored: it has several readers, or one that is not elementwise. */
static bool is_stored(const ten_value *value) {
  if (!ten_value_used_once(value)) return true;
  const ten_opcode code = value->uses->owner->code;
  return code == TEN_OP_CONVOLUTION || code == TEN_OP_DOT_GENERAL || code == TEN_OP_REDUCE_WINDOW ||
         code == TEN_OP_FUNC_RETURN;
}

/* Whether only a chain of cheap ops reads the matmul, belongs to no other, and ends in stored bf16: a chain with other
 * readers may be computed separately from the matmul, which is then better stored as bf16. */
static bool claim(const ten_op *product) {
  bool rounded = false;
  const ten_value *value = &product->results[0];
  while (ten_value_used_once(value)) {
    ten_op *user = value->uses->owner;
    const bool widened = value == &product->results[0] ? converts(user, TEN_BF16, TEN_F32) : goes_on(user);
    const bool narrowed = converts(user, TEN_F32, TEN_BF16);
    if (user->block != product->block || (!widened && !narrowed && !is_cheap(user->code))) break;
    if (user->number == CLAIMED) return false;
    user->number = CLAIMED;
    value = &user->results[0];
    rounded = value->type->dtype == TEN_BF16;
  }
  return rounded && is_stored(value);
}

/* The unrounded value of a bf16 value of a chain, if it has one reader; NULL: none. A matmul returns f32 from now
 * on. */
static ten_value *before_rounding(ten_module *module, ten_value *value) {
  if (!value->op || !ten_value_used_once(value)) return NULL;
  if (converts(value->op, TEN_F32, TEN_BF16)) return value->op->number == CLAIMED ? ten_op_operand(value->op, 0) : NULL;
  if (value->op->number != WIDE || value->type->dtype != TEN_BF16) return NULL;
  value->type = ten_type_with_dtype(module, value->type, TEN_F32);
  return value;
}

static ten_value *constant_in_f32(ten_builder *b, const ten_type *type, const ten_attr *constant) {
  const size_t count = constant->dense.splat ? 1 : (size_t)ten_type_count(type);
  float *numbers = ten_alloc((count + 1) * sizeof *numbers);
  for (size_t i = 0; i < count; i++) numbers[i] = ten_bf16_to_f32(((const uint16_t *)constant->dense.data)[i]);
  const ten_attr *wide =
      ten_attr_dense(b->module, ten_type_with_dtype(b->module, type, TEN_F32), numbers, count * sizeof *numbers);
  free(numbers);
  return ten_build_constant(b, wide);
}

/* Converts to f32: a broadcast value before it is broadcast, a constant at compile time. */
static ten_value *in_f32(ten_builder *b, ten_value *value) {
  const ten_type *type = value->type;
  const ten_attr *constant = ten_value_constant(value);
  if (constant && constant->dense.data) return constant_in_f32(b, type, constant);
  const ten_opcode code = value->op ? value->op->code : TEN_OP_UNKNOWN;
  if (code != TEN_OP_BROADCAST_IN_DIM && code != TEN_OP_RESHAPE) return ten_build_convert(b, value, TEN_F32);
  ten_value *wide = in_f32(b, ten_op_operand(value->op, 0));
  if (code == TEN_OP_RESHAPE) return ten_build_reshape(b, wide, type->rank, type->dims);
  return ten_build_broadcast(b, wide, type->rank, type->dims, ten_op_ints(value->op, "broadcast_dimensions").data);
}

static void widen(ten_module *module, ten_op *op) {
  if (converts(op, TEN_BF16, TEN_F32)) {
    ten_value *x = ten_op_operand(op, 0), *wide = NULL;
    if (x->op && (x->op->number == WIDE || goes_on(op))) wide = before_rounding(module, x);
    if (!wide) return;
    ten_value_replace(&op->results[0], wide);
    ten_op_erase(op);
    return;
  }
  if (!is_cheap(op->code) || op->results[0].type->dtype != TEN_BF16) return;
  ten_value *wide[2];
  for (uint32_t i = 0; i < 2; i++) wide[i] = before_rounding(module, ten_op_operand(op, i));
  if (!wide[0] && !wide[1]) return;
  ten_builder b = {.module = module, .block = op->block, .before = op, .loc = op->loc};
  for (uint32_t i = 0; i < 2; i++)
    if (!wide[i]) wide[i] = in_f32(&b, ten_op_operand(op, i));
  ten_value *rounded = ten_build_convert(&b, ten_build_binary(&b, op->code, wide[0], wide[1]), TEN_BF16);
  rounded->op->number = CLAIMED;
  ten_value_replace(&op->results[0], rounded);
  ten_op_erase(op);
}

static ten_status *visit(ten_op *parent, void *context) {
  for (uint32_t r = 0; r < parent->region_count; r++)
    for (ten_block *block = parent->regions[r].first; block; block = block->next) {
      for (ten_op *op = block->first; op; op = op->next) op->number = UNSEEN;
      for (ten_op *op = block->last; op; op = op->prev)
        if (is_narrow_product(op) && claim(op)) op->number = WIDE;
      for (ten_op *op = block->first, *next; op; op = next) {
        next = op->next;
        widen(context, op);
      }
    }
  return NULL;
}

static ten_status *run(ten_module *module) { return ten_op_walk(module->op, visit, module); }

const ten_pass ten_pass_round_once = {"round-once", "chains of bf16 ops are rounded at their end", run};
