/* lookup.c: bf16 has 65,536 values, so a function of one bf16 value alone that is rounded to bf16 again is a table.
 * Where the function is expensive (an exponential, an error function…) and is evaluated often, it becomes a lookup; the
 * table is computed from a constant by the ops that it replaces, so the bits are the same.
 *
 * Needs: verified IR, static shapes. Keeps: results to the bit, types, locations. */
#include <stdlib.h>

#include "ir/builder.h"
#include "ir/cost.h"
#include "transform/pass/pass.h"

enum { ENTRIES = 1 << 16, ASKED_LEAST = 2 * ENTRIES, OPS_MOST = 64, OPERANDS_MOST = 3 };

typedef struct function {
  ten_value *argument; /* the bf16 value; NULL: none yet */
  uint32_t ops;
  bool expensive;
  /* while the table is built */
  ten_builder *b;
  ten_value *entries; /* all bf16 values, in order of their bits */
  ten_value *from[OPS_MOST], *to[OPS_MOST];
  uint32_t count;
} function;

/* The scalar constant of a splat value, or NULL. */
static const ten_attr *splat_of(const ten_value *value) {
  while (value->op && (value->op->code == TEN_OP_BROADCAST_IN_DIM || value->op->code == TEN_OP_RESHAPE))
    value = ten_op_operand(value->op, 0);
  const ten_attr *constant = ten_value_constant(value);
  return constant && (constant->dense.splat || ten_type_count(value->type) == 1) ? constant : NULL;
}

static bool widens(const ten_op *op) {
  return op && op->code == TEN_OP_CONVERT && ten_op_operand(op, 0)->type->dtype == TEN_BF16 &&
         op->results[0].type->dtype == TEN_F32;
}

/* Whether the value depends only on constants and one bf16 value, elementwise. */
static bool depends_on_one(function *f, ten_value *value) {
  const ten_op *op = value->op;
  if (splat_of(value)) return true;
  if (widens(op)) {
    ten_value *x = ten_op_operand(op, 0);
    if (f->argument && f->argument != x) return false;
    f->argument = x;
    return true;
  }
  if (!op || !ten_op_has(op, TEN_TRAIT_ELEMENTWISE | TEN_TRAIT_BROADCASTS_SCALARS) || op->result_count != 1 ||
      op->operand_count > OPERANDS_MOST || op->region_count || ++f->ops > OPS_MOST)
    return false;
  f->expensive |= ten_op_is_expensive(op->code);
  for (uint32_t i = 0; i < op->operand_count; i++)
    if (!depends_on_one(f, ten_op_operand(op, i))) return false;
  return true;
}

/* Evaluates the value for every entry. */
static ten_value *rebuild(function *f, ten_value *value) {
  const int64_t size = ENTRIES;
  const ten_attr *splat = splat_of(value);
  if (splat) {
    const ten_type *scalar = ten_type_with_shape(f->b->module, value->type, 0, NULL);
    const ten_attr *one = ten_attr_dense(f->b->module, scalar, splat->dense.data, ten_dtype_bytes(scalar->dtype));
    return ten_build_broadcast(f->b, ten_build_constant(f->b, one), 1, &size, NULL);
  }
  if (widens(value->op)) return ten_build_convert(f->b, f->entries, TEN_F32);
  for (uint32_t i = 0; i < f->count; i++)
    if (f->from[i] == value) return f->to[i];
  const ten_op *op = value->op;
  ten_value *operands[OPERANDS_MOST];
  for (uint32_t i = 0; i < op->operand_count; i++) operands[i] = rebuild(f, ten_op_operand(op, i));
  const ten_type *type = ten_type_with_shape(f->b->module, value->type, 1, &size);
  ten_op *made = ten_build_op(f->b, op->code, op->operand_count, operands, 1, &type, op->attr_count, op->attrs, 0);
  if (f->count < OPS_MOST) f->from[f->count] = value, f->to[f->count++] = &made->results[0];
  return &made->results[0];
}

static ten_value *bits_as(ten_builder *b, ten_value *x, ten_dtype dtype) {
  const ten_type *type = ten_type_tensor(b->module, dtype, x->type->rank, x->type->dims);
  return &ten_build_op(b, TEN_OP_BITCAST_CONVERT, 1, &x, 1, &type, 0, NULL, 0)->results[0];
}

static ten_value *all_numbers(ten_builder *b) {
  const int64_t size = ENTRIES;
  uint16_t *bits = ten_alloc(ENTRIES * sizeof *bits);
  for (uint32_t i = 0; i < ENTRIES; i++) bits[i] = (uint16_t)i;
  const ten_type *type = ten_type_tensor(b->module, TEN_UI16, 1, &size);
  ten_value *numbers = ten_build_constant(b, ten_attr_dense(b->module, type, bits, ENTRIES * sizeof *bits));
  free(bits);
  return bits_as(b, numbers, TEN_BF16);
}

static void look_up(ten_module *module, ten_op *op) {
  ten_value *x = ten_op_operand(op, 0);
  const ten_type *type = op->results[0].type;
  if (type->dtype != TEN_BF16 || x->type->dtype != TEN_F32 || !ten_type_is_static(type)) return;
  if (ten_type_count(type) < ASKED_LEAST) return;
  function f = {0};
  if (!depends_on_one(&f, x) || !f.argument || !f.expensive) return;
  if (f.argument->type->rank != type->rank) return;
  ten_builder b = {.module = module, .block = op->block, .before = op, .loc = op->loc};
  f.b = &b;
  f.entries = all_numbers(&b);
  ten_value *table = ten_build_convert(&b, rebuild(&f, x), TEN_BF16);
  table = ten_build_convert(&b, bits_as(&b, table, TEN_UI16), TEN_UI32); /* words: CPUs gather 32-bit elements */
  ten_value *at = ten_build_convert(&b, bits_as(&b, f.argument, TEN_UI16), TEN_UI32);
  const int64_t zero = 0, one = 1;
  const ten_gather_dims dims = {
      .collapsed_slice_dims = {&zero, 1}, .start_index_map = {&zero, 1}, .index_vector_dim = type->rank};
  ten_value *found = ten_build_convert(&b, ten_build_gather(&b, table, at, &dims, &one, false), TEN_UI16);
  ten_value_replace(&op->results[0], bits_as(&b, found, TEN_BF16));
  ten_op_erase(op);
}

static ten_status *run(ten_module *module) { return ten_pass_each(module, TEN_OP_CONVERT, look_up); }

const ten_pass ten_pass_lookup = {"lookup", "expensive functions of one bf16 number become tables", run};
