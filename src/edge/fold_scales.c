/* fold_scales.c: what scales a value before it is rounded to bytes becomes part of the constants behind it: of each
 * convolution's factors and bias, and of the scale of other bytes that are added. A ReLU before a clamp at zero goes.
 *
 *   max(sums·f + bias + (bytes - z)·s, 0)·c + d  ->  sums·(f·c) + (bias·c + d - z·s·c) + bytes·(s·c)
 *
 * Needs: vectors that constants alone decide are folded later (mixed.c).  Keeps: everything where it does not apply. */
#include "edge/edge_mixed.h"
#include "ir/builder.h"

typedef struct folding {
  ten_builder b;
  double factor, constant; /* the constant: added to the first bias that is met */
  bool biased;             /* whether there is one */
} folding;

static const ten_op *op_of(const ten_value *value, ten_opcode code) {
  return value->op && value->op->code == code ? value->op : NULL;
}

static bool number_of(const ten_value *value, double *out) {
  const ten_attr *number = value->type->dtype == TEN_F32 ? ten_value_number(value) : NULL;
  if (!number || !number->dense.data) return false;
  *out = (double)*(const float *)number->dense.data;
  return true;
}

/* A vector along one dimension. */
static bool is_vector(const ten_value *value) {
  const ten_op *op = op_of(value, TEN_OP_BROADCAST_IN_DIM);
  return op && ten_op_operand(op, 0)->type->rank == 1 && ten_op_operand(op, 0)->type->dtype == TEN_F32;
}

/* (convert(bytes) - z)·s */
static ten_value *bytes_of(const ten_value *value, double *zero, double *scale) {
  const ten_op *multiply = op_of(value, TEN_OP_MULTIPLY);
  *zero = 0;
  if (!multiply || !number_of(ten_op_operand(multiply, 1), scale)) return NULL;
  ten_value *real = ten_op_operand(multiply, 0);
  const ten_op *subtract = op_of(real, TEN_OP_SUBTRACT);
  if (subtract) {
    if (!number_of(ten_op_operand(subtract, 1), zero)) return NULL;
    real = ten_op_operand(subtract, 0);
  }
  const ten_op *convert = op_of(real, TEN_OP_CONVERT);
  return convert && ten_op_operand(convert, 0)->type->dtype == TEN_UI8 ? real : NULL;
}

static bool is_single(const ten_value *value) { return value->uses && !value->uses->next; }

/* Sums of convolutions and matmuls, times a vector. */
static bool is_product(const ten_value *value) {
  const ten_op *multiply = op_of(value, TEN_OP_MULTIPLY);
  const ten_op *convert = multiply ? op_of(ten_op_operand(multiply, 0), TEN_OP_CONVERT) : NULL;
  return convert && is_single(value) && is_vector(ten_op_operand(multiply, 1)) &&
         ten_op_operand(convert, 0)->type->dtype == TEN_I32;
}

static bool can_fold(folding *f, const ten_value *value) {
  double zero, scale;
  if (is_vector(value)) return f->biased = true;
  if (bytes_of(value, &zero, &scale)) {
    f->constant -= zero * scale * f->factor;
    return true;
  }
  if (is_product(value)) return true;
  const ten_op *add = op_of(value, TEN_OP_ADD);
  return add && is_single(value) && can_fold(f, ten_op_operand(add, 0)) && can_fold(f, ten_op_operand(add, 1));
}

static ten_value *scaled_vector(folding *f, const ten_value *value, double add) {
  const ten_op *op = value->op;
  ten_builder *b = &f->b;
  ten_value *x = ten_op_operand(op, 0);
  x = ten_build_binary(b, TEN_OP_MULTIPLY, x, ten_build_like(b, x, f->factor));
  if (add != 0) x = ten_build_binary(b, TEN_OP_ADD, x, ten_build_like(b, x, add));
  return ten_build_broadcast(b, x, value->type->rank, value->type->dims, ten_op_ints(op, "broadcast_dimensions").data);
}

static ten_value *folded(folding *f, ten_value *value) {
  double zero, scale;
  ten_builder *b = &f->b;
  if (is_vector(value)) {
    const double add = f->constant;
    f->constant = 0;
    return scaled_vector(f, value, add);
  }
  ten_value *bytes = bytes_of(value, &zero, &scale);
  if (bytes) return ten_build_binary(b, TEN_OP_MULTIPLY, bytes, ten_build_like(b, bytes, scale * f->factor));
  ten_value *x = ten_op_operand(value->op, 0), *y = ten_op_operand(value->op, 1);
  if (value->op->code == TEN_OP_MULTIPLY) return ten_build_binary(b, TEN_OP_MULTIPLY, x, scaled_vector(f, y, 0));
  x = folded(f, x);
  return ten_build_binary(b, TEN_OP_ADD, x, folded(f, y));
}

ten_value *edge_fold_scale(ten_builder b, ten_value *value, double factor, double constant) {
  folding f = {.b = b, .factor = factor, .constant = constant};
  double zero;
  const ten_op *maximum = op_of(value, TEN_OP_MAXIMUM);
  if (maximum && constant == 0 && is_single(value)) {
    ten_value *x = ten_op_operand(maximum, 0), *y = ten_op_operand(maximum, 1);
    if (number_of(y, &zero) && zero == 0)
      value = x;
    else if (number_of(x, &zero) && zero == 0)
      value = y;
  }
  return can_fold(&f, value) && f.biased ? folded(&f, value) : NULL;
}
