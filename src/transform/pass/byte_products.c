/* byte_products.c: matmuls and convolutions of 8-bit integers get the form that kernels of the cpu backend read in
 * place: the last steps from bytes to an operand are a conversion to i32 and, of the left one, a subtraction of the
 * zero point. Transposes, reshapes and slices that come after these move before them, and i32 constants that fit in a
 * byte become bytes again (fold.c widens small ones). Bytes that such sums are rounded to are marked as stored.
 * Needs: verified IR.  Keeps: results, types, locations. */
#include "transform/pass/byte_products.h"

#include "ir/builder.h"
#include "transform/pass/pass.h"

enum { DEPTH_MOST = 8, BUDGET = 64 /* ops between a product and its bytes */ };

static bool is_byte(const ten_type *type) { return !type->quant && (type->dtype == TEN_I8 || type->dtype == TEN_UI8); }

static bool moves(const ten_op *op) {
  return op->code == TEN_OP_TRANSPOSE || op->code == TEN_OP_RESHAPE || op->code == TEN_OP_SLICE;
}

/* The only number of a constant operand, or of a part of one. */
static bool number_of(const ten_value *value, int64_t *out) {
  while (value->op && moves(value->op)) value = ten_op_operand(value->op, 0);
  const ten_attr *number = value->type->dtype == TEN_I32 ? ten_value_number(value) : NULL;
  if (!number || !number->dense.data) return false;
  *out = ten_dense_int(number, 0);
  return *out > INT16_MIN && *out < INT16_MAX;
}

bool ten_byte_operand_of(ten_value *value, ten_byte_operand *out) {
  int64_t zero = 0;
  if (value->op && value->type->dtype == TEN_I32) {
    const ten_opcode code = value->op->code;
    if (code == TEN_OP_SUBTRACT || code == TEN_OP_ADD) {
      if (!number_of(ten_op_operand(value->op, 1), &zero)) return false;
      if (code == TEN_OP_ADD) zero = -zero;
      value = ten_op_operand(value->op, 0);
    }
    if (!value->op || value->op->code != TEN_OP_CONVERT) return false;
    value = ten_op_operand(value->op, 0);
  }
  *out = (ten_byte_operand){value, zero};
  const int64_t low = value->type->dtype == TEN_UI8 ? 0 : INT8_MIN,
                high = value->type->dtype == TEN_UI8 ? UINT8_MAX : INT8_MAX;
  return is_byte(value->type) && zero >= low && zero <= high;
}

bool ten_is_byte_product(const ten_op *op) {
  ten_byte_operand x, w;
  if (op->code != TEN_OP_DOT_GENERAL && op->code != TEN_OP_CONVOLUTION) return false;
  if (op->results[0].type->dtype != TEN_I32 || !ten_byte_operand_of(ten_op_operand(op, 0), &x) ||
      !ten_byte_operand_of(ten_op_operand(op, 1), &w) || w.zero || w.source->type->dtype != TEN_I8)
    return false;
  /* what the kernel has: images, and no groups of a batch */
  return op->code == TEN_OP_DOT_GENERAL ||
         (ten_op_operand(op, 0)->type->rank == 4 && ten_op_int(op, "batch_group_count", 1) == 1);
}

/* An i32 constant as bytes, or NULL. */
static ten_value *constant_as_bytes(ten_builder *b, const ten_value *value) {
  const ten_attr *constant = ten_value_constant(value);
  if (!constant || !constant->dense.data || value->type->dtype != TEN_I32) return NULL;
  const size_t count = constant->dense.splat ? 1 : (size_t)ten_type_count(value->type);
  for (size_t i = 0; i < count; i++)
    if (ten_dense_int(constant, i) < INT8_MIN || ten_dense_int(constant, i) > INT8_MAX) return NULL;
  int8_t *data = ten_arena_new_array(&b->module->arena, int8_t, count);
  for (size_t i = 0; i < count; i++) data[i] = (int8_t)ten_dense_int(constant, i);
  return ten_build_constant(
      b, ten_attr_dense(b->module, ten_type_with_dtype(b->module, value->type, TEN_I8), data, count));
}

/* The same bytes before widening, moved likewise; NULL: the value is not made of bytes. */
static ten_value *narrowed(ten_builder *b, ten_value *value, int depth, int64_t *zero) {
  ten_byte_operand byte;
  if (value->type->dtype != TEN_I32) return NULL;
  if (ten_byte_operand_of(value, &byte)) {
    *zero = byte.zero;
    return byte.source;
  }
  ten_op *op = value->op;
  *zero = 0;
  if (!op || depth == DEPTH_MOST) return NULL;
  if (op->code == TEN_OP_CONSTANT) return constant_as_bytes(b, value);
  if (!moves(op)) return NULL;
  ten_value *from = narrowed(b, ten_op_operand(op, 0), depth + 1, zero);
  if (!from) return NULL;
  const ten_type *type = ten_type_with_dtype(b->module, value->type, from->type->dtype);
  return ten_op_result(ten_build_op(b, op->code, 1, &from, 1, &type, op->attr_count, op->attrs, 0), 0);
}

static void visit(ten_module *module, ten_op *op) {
  ten_builder b = {.module = module, .block = op->block, .before = op, .loc = op->loc};
  if (op->results[0].type->dtype != TEN_I32) return;
  for (uint32_t i = 0; i < 2; i++)
    if (!ten_type_is_static(ten_op_operand(op, i)->type)) return;
  for (uint32_t i = 0; i < 2; i++) {
    int64_t zero = 0;
    ten_byte_operand already;
    ten_value *value = ten_op_operand(op, i);
    if (ten_byte_operand_of(value, &already)) continue;
    ten_value *bytes = narrowed(&b, value, 0, &zero);
    if (!bytes) return;
    ten_value *wide = ten_build_convert(&b, bytes, TEN_I32);
    if (zero) wide = ten_build_binary(&b, TEN_OP_SUBTRACT, wide, ten_build_splat_int(&b, wide->type, zero));
    ten_op_set_operand(op, i, wide);
  }
}

/* Whether the value is computed element by element from such a product. */
static bool has_product(const ten_value *value, int *budget) {
  const ten_op *op = value->op;
  if (!op || --*budget < 0) return false;
  if (op->code == TEN_OP_DOT_GENERAL || op->code == TEN_OP_CONVOLUTION) return ten_is_byte_product(op);
  if (!ten_op_has(op, TEN_TRAIT_ELEMENTWISE | TEN_TRAIT_BROADCASTS_SCALARS)) return false;
  for (uint32_t i = 0; i < op->operand_count; i++)
    if (has_product(ten_op_operand(op, i), budget)) return true;
  return false;
}

/* The result of a layer, rounded to bytes, is stored as them: where two layers are added, fusion would store the sums
 * of one instead, which take four times the memory. */
static void store_bytes(ten_module *module, ten_op *op) {
  int budget = BUDGET;
  ten_value *x = ten_op_operand(op, 0);
  if (!is_byte(op->results[0].type) || (x->type->dtype != TEN_I32 && x->type->dtype != TEN_F32)) return;
  if (!has_product(x, &budget)) return;
  ten_own_attr_set(module, op, TEN_NAME_MATERIALIZE, ten_attr_unit(module));
}

/* Rounded to bytes and then transposed along another innermost dimension, as images are: the rounding goes along the
 * inputs' rows, and only bytes are transposed. */
static void store_transposed(ten_module *module, ten_op *op) {
  const ten_type *type = op->results[0].type;
  const ten_op *from = ten_op_operand(op, 0)->op;
  if (!is_byte(type) || !type->rank || !from || from->code != TEN_OP_CONVERT) return;
  const ten_ints order = ten_op_ints(op, "permutation");
  if (!order.count || order.data[order.count - 1] == (int64_t)type->rank - 1) return;
  if (!ten_dtype_is_float(ten_op_operand(from, 0)->type->dtype)) return;
  ten_own_attr_set(module, ten_op_operand(op, 0)->op, TEN_NAME_MATERIALIZE, ten_attr_unit(module));
}

static ten_status *run(ten_module *module) {
  TEN_TRY(ten_pass_each(module, TEN_OP_CONVOLUTION, visit));
  TEN_TRY(ten_pass_each(module, TEN_OP_DOT_GENERAL, visit));
  TEN_TRY(ten_pass_each(module, TEN_OP_TRANSPOSE, store_transposed));
  return ten_pass_each(module, TEN_OP_CONVERT, store_bytes);
}

const ten_pass ten_pass_byte_products = {
    .name = "byte-products", .summary = "operands of matmuls and convolutions of 8-bit integers as bytes", .run = run};
