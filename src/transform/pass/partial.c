/* partial.c: a reduction of a whole large tensor to one element becomes two: of parts, which threads share, and of
 * their results. Where the first dimensions have enough elements each of them is a part; a vector is reshaped to rows.
 *
 * The parts depend on the shape alone, so that results do not depend on the number of threads; sums are reassociated.
 * Needs: static shapes; runs after passes that match reductions.  Keeps: types, locations; results of integers, maximum
 * and minimum bit for bit. */
#include "ir/builder.h"
#include "transform/pass/pass.h"

enum {
  ELEMENTS_FROM = 1 << 17, /* of the tensor: fewer are reduced sooner than a thread wakes up */
  PARTS_LEAST = 16,
  PARTS_MOST = 128,
  PART_LEAST = 1 << 10 /* elements */
};

/* The op that combines two elements; TEN_OP_UNKNOWN: more than one op, or an order that matters. */
static ten_opcode code_of(const ten_op *op) {
  const ten_block *body = ten_op_body(op, 0);
  const ten_op *end = ten_block_terminator(body), *only = body->first;
  if (!only || only->next != end || only->operand_count != 2 || only->result_count != 1) return TEN_OP_UNKNOWN;
  const ten_value *a = ten_op_operand(only, 0), *b = ten_op_operand(only, 1);
  if (ten_op_operand(end, 0) != &only->results[0] || a->op || b->op || a == b) return TEN_OP_UNKNOWN;
  switch (only->code) {
    case TEN_OP_ADD:
    case TEN_OP_MULTIPLY:
    case TEN_OP_MAXIMUM:
    case TEN_OP_MINIMUM: return only->code;
    default: return TEN_OP_UNKNOWN;
  }
}

/* How many of the first dimensions make parts, or 0. */
static uint32_t leading(const ten_type *type) {
  int64_t parts = 1;
  for (uint32_t i = 0; i + 1 < type->rank; i++) {
    parts *= type->dims[i];
    if (parts >= PARTS_LEAST) return ten_type_count(type) / parts >= PART_LEAST ? i + 1 : 0;
  }
  return 0;
}

/* The most parts of one size that a vector can have, or 0. */
static int64_t parts_of(int64_t count) {
  for (int64_t parts = PARTS_MOST; parts >= PARTS_LEAST; parts--)
    if (count % parts == 0) return parts;
  return 0;
}

static void visit(ten_module *module, ten_op *op) {
  if (module->sizes_vary || op->result_count != 1 || op->operand_count != 2) return;
  ten_value *x = ten_op_operand(op, 0), *init = ten_op_operand(op, 1);
  const ten_type *type = x->type;
  const ten_dtype dtype = type->dtype;
  if (dtype != TEN_F32 && dtype != TEN_F64 && dtype != TEN_I32 && dtype != TEN_I64) return;
  if (!ten_type_is_static(type) || ten_type_count(type) < ELEMENTS_FROM || op->results[0].type->rank ||
      op->results[0].type->dtype != dtype || init->type->dtype != dtype)
    return;
  const ten_opcode code = code_of(op);
  if (code == TEN_OP_UNKNOWN || !ten_is_neutral(init, code)) return;
  uint32_t kept = leading(type);
  ten_builder b = {.module = module, .block = op->block, .before = op, .loc = op->loc};
  if (!kept) {
    const int64_t parts = type->rank == 1 ? parts_of(type->dims[0]) : 0;
    if (!parts) return;
    x = ten_build_reshape(&b, x, 2, (const int64_t[]){parts, type->dims[0] / parts});
    kept = 1;
  }
  int64_t *dims = ten_arena_new_array(&module->arena, int64_t, x->type->rank);
  for (uint32_t i = 0; i < x->type->rank; i++) dims[i] = i;
  ten_value *partial = ten_build_reduce(&b, code, x, init, x->type->rank - kept, dims + kept);
  ten_value_replace(&op->results[0], ten_build_reduce(&b, code, partial, init, kept, dims));
  ten_op_erase(op);
}

static ten_status *run(ten_module *module) { return ten_pass_each(module, TEN_OP_REDUCE, visit); }

const ten_pass ten_pass_partial = {"partial", "reduce large tensors to one element by parts that threads share", run};
