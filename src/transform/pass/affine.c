/* affine.c: folds a per-channel scale and shift after a convolution into its kernel and bias, such as inference batch
 * norms.
 *
 * Starting at a convolution, its only user is followed while it adds, subtracts, multiplies or divides by a per-channel
 * value that depends on constants alone; the chain is then conv·s + t with constant vectors s and t. The kernel is
 * multiplied by s instead, and t is added once. Values of constants are computed when the program is loaded, so only
 * one addition of the chain remains in a call.
 *
 * Needs: verified IR, batch norms expanded.  Keeps: types, locations; results to within rounding (two roundings are
 * replaced by two others). f32 and f64 only: a narrow kernel would lose precision. */
#include <stdlib.h>

#include "ir/builder.h"
#include "transform/pass/pass.h"

enum { KNOWN_OPS_MAX = 64 }; /* ops visited before a value counts as unknown */

static bool is_known(const ten_value *value, int *budget) {
  const ten_op *op = value->op;
  if (!op || --*budget < 0 || op->region_count || !ten_op_has(op, TEN_TRAIT_PURE)) return false;
  if (!ten_type_is_tensor(value->type) || !ten_type_is_static(value->type)) return false;
  if (op->code == TEN_OP_REPLICA_ID || op->code == TEN_OP_PARTITION_ID) return false;
  for (uint32_t i = 0; i < op->operand_count; i++)
    if (!is_known(ten_op_operand(op, i), budget)) return false;
  return true;
}

static bool comes_from_constants(const ten_value *value) {
  int budget = KNOWN_OPS_MAX;
  return is_known(value, &budget);
}

/* The vector behind a value that depends on dimension `feature` alone, or NULL. */
static ten_value *channel_vector(ten_builder *b, ten_value *value, int64_t feature) {
  const ten_type *type = value->type;
  const ten_type *row = ten_type_with_shape(b->module, type, 1, &type->dims[feature]);
  const ten_attr *constant = ten_value_constant(value);
  if (constant)
    return constant->dense.splat ? ten_build_constant(b, ten_attr_dense_view(b->module, row, constant->dense.data,
                                                                             constant->dense.size, row->dims[0] != 1))
                                 : NULL;
  const ten_op *op = value->op;
  if (!op || op->code != TEN_OP_BROADCAST_IN_DIM) return NULL;
  ten_value *x = ten_op_operand(op, 0);
  const ten_ints map = ten_op_ints(op, "broadcast_dimensions");
  bool whole = false;
  for (uint32_t i = 0; i < x->type->rank; i++) {
    if (x->type->dims[i] == 1) continue;
    if (map.data[i] != feature) return NULL;
    whole = true;
  }
  if (!comes_from_constants(x)) return NULL;
  if (whole) return ten_build_reshape(b, x, 1, row->dims);
  return ten_build_broadcast(b, ten_build_reshape(b, x, 0, NULL), 1, row->dims, NULL);
}

typedef struct chain {
  ten_value *scale, *shift; /* vectors, or NULL: one, zero */
  ten_op *last;
} chain;

static ten_value *combine(ten_builder *b, ten_opcode code, ten_value *x, ten_value *y) {
  return x ? ten_build_binary(b, code, x, y) : NULL;
}

/* Adds one op; false when it does not belong to the chain. */
static bool extend(ten_builder *b, chain *c, ten_op *op, const ten_value *from, int64_t feature) {
  if (op->operand_count != 2 || op->result_count != 1 || op->results[0].type != from->type) return false;
  const bool second = ten_op_operand(op, 1) == from;
  ten_value *other = ten_op_operand(op, second ? 0 : 1);
  if (other == from) return false;
  if (op->code != TEN_OP_ADD && op->code != TEN_OP_SUBTRACT && op->code != TEN_OP_MULTIPLY && op->code != TEN_OP_DIVIDE)
    return false;
  if (op->code == TEN_OP_DIVIDE && second) return false;
  b->before = op;
  b->block = op->block;
  b->loc = op->loc;
  ten_value *row = channel_vector(b, other, feature);
  if (!row) return false;
  switch (op->code) {
    case TEN_OP_ADD: c->shift = c->shift ? ten_build_binary(b, TEN_OP_ADD, c->shift, row) : row; break;
    case TEN_OP_SUBTRACT:
      if (second) {
        c->scale = ten_build_unary(b, TEN_OP_NEGATE, c->scale ? c->scale : ten_build_like(b, row, 1));
        c->shift = c->shift ? ten_build_binary(b, TEN_OP_SUBTRACT, row, c->shift) : row;
      } else {
        c->shift =
            c->shift ? ten_build_binary(b, TEN_OP_SUBTRACT, c->shift, row) : ten_build_unary(b, TEN_OP_NEGATE, row);
      }
      break;
    default:
      c->scale = ten_build_binary(b, op->code, c->scale ? c->scale : ten_build_like(b, row, 1), row);
      c->shift = combine(b, op->code, c->shift, row);
  }
  op->data = from->op; /* its predecessor in the chain */
  c->last = op;
  return true;
}

static void fold(ten_module *module, ten_op *op) {
  const ten_type *type = op->results[0].type;
  ten_value *kernel = ten_op_operand(op, 1);
  if ((type->dtype != TEN_F32 && type->dtype != TEN_F64) || kernel->type->dtype != type->dtype || type->quant ||
      !ten_type_is_static(type) || !comes_from_constants(kernel))
    return;
  const ten_conv_dims dims = ten_conv_dims_of(ten_op_attr(op, "dimension_numbers"));
  ten_builder b = {.module = module};
  chain c = {0};
  const ten_value *at = &op->results[0];
  while (ten_value_used_once(at) && at->uses->owner->block == op->block &&
         extend(&b, &c, at->uses->owner, at, dims.output_feature))
    at = &c.last->results[0];
  if (!c.scale) return; /* shifts alone cost nothing in place */
  b.before = c.last;
  b.loc = op->loc;
  ten_value *factor =
      ten_build_broadcast(&b, c.scale, kernel->type->rank, kernel->type->dims, &dims.kernel_output_feature);
  ten_value *operands[] = {ten_op_operand(op, 0), ten_build_binary(&b, TEN_OP_MULTIPLY, kernel, factor)};
  ten_op *conv = ten_build_op(&b, TEN_OP_CONVOLUTION, 2, operands, 1, &type, op->attr_count, op->attrs, 0);
  ten_value *by = &conv->results[0];
  if (c.shift)
    by = ten_build_binary(&b, TEN_OP_ADD, by,
                          ten_build_broadcast(&b, c.shift, type->rank, type->dims, &dims.output_feature));
  ten_value_replace(&c.last->results[0], by);
  for (ten_op *gone = c.last; gone != op;) {
    ten_op *before = gone->data;
    ten_op_erase(gone);
    gone = before;
  }
  ten_op_erase(op);
}

typedef TEN_VEC(ten_op *) op_list;

static ten_status *collect(ten_op *op, void *context) {
  op_list *list = context;
  if (op->code == TEN_OP_CONVOLUTION) ten_vec_push(list, op);
  return NULL;
}

static ten_status *run(ten_module *module) {
  op_list found = {0}; /* first, since folding erases ops around the visited one */
  ten_status *status = ten_op_walk(module->op, collect, &found);
  for (size_t i = 0; i < found.count && !status; i++) fold(module, found.data[i]);
  ten_vec_free(&found);
  return status;
}

const ten_pass ten_pass_affine = {
    .name = "affine", .summary = "put scales and shifts by channel into a convolution's kernel and bias", .run = run};
