/* scan.c: a cumulative sum written as sums with itself, shifted by one, two, four… becomes one
 * reduce_window over all preceding elements: the form that JAX writes, and that the CPU computes in one
 * pass. The same for products, extrema and log-sum-exp. Needs: verified IR.  Keeps: types; the terms,
 * summed in another order. */
#include <math.h>
#include <string.h>

#include "base/float.h"
#include "ir/builder.h"
#include "ir/dims.h"
#include "transform/pass/pass.h"

bool ten_is_neutral(const ten_value *value, ten_opcode code) {
  const ten_attr *dense = value->op && value->op->code == TEN_OP_CONSTANT ? ten_op_attr(value->op, "value") : NULL;
  const ten_dtype dtype = value->type->dtype;
  if (!dense || value->type->rank) return false;
  if (dtype == TEN_F32 || dtype == TEN_F64) {
    const double x = ten_float_decode(dtype, ten_dense_at(dense, 0));
    return code == TEN_OP_ADD        ? x == 0
           : code == TEN_OP_MULTIPLY ? x == 1
                                     : isinf(x) && (x < 0) == (code == TEN_OP_MAXIMUM);
  }
  if (dtype != TEN_I32 && dtype != TEN_I64) return false; /* ops that scans support */
  const int64_t x = ten_dense_int(dense, 0), least = dtype == TEN_I32 ? INT32_MIN : INT64_MIN;
  return code == TEN_OP_ADD        ? x == 0
         : code == TEN_OP_MULTIPLY ? x == 1
         : code == TEN_OP_MAXIMUM  ? x == least
                                   : x == -(least + 1);
}

static const ten_op *made_by(const ten_value *value, ten_opcode code) {
  return value->op && value->op->code == code ? value->op : NULL;
}

/* The pair of operands that `op` combines, in either order. */
static bool is_of(const ten_op *op, const ten_value *x, const ten_value *y) {
  const ten_value *a = ten_op_operand(op, 0), *b = ten_op_operand(op, 1);
  return (a == x && b == y) || (a == y && b == x);
}

static bool is_infinity(const ten_value *value) {
  const ten_attr *number = ten_value_number(value);
  return number && ten_dtype_is_float(value->type->dtype) &&
         ten_float_decode(value->type->dtype, ten_dense_at(number, 0)) == (double)INFINITY;
}

/* Where the difference is NaN: because the larger one is infinite (PyTorch), or by a test (JAX). */
static bool is_guard(const ten_op *select, const ten_op *top, const ten_op *gap) {
  const ten_op *compare = made_by(ten_op_operand(select, 0), TEN_OP_COMPARE);
  if (!compare) return false;
  const ten_compare direction = (ten_compare)ten_op_int(compare, "comparison_direction", 0);
  const ten_value *a = ten_op_operand(compare, 0), *b = ten_op_operand(compare, 1), *then = ten_op_operand(select, 1);
  if (direction == TEN_NE && a == b && a == &gap->results[0]) {
    const ten_op *sum = made_by(then, TEN_OP_ADD);
    return sum && is_of(sum, ten_op_operand(gap, 0), ten_op_operand(gap, 1));
  }
  const ten_op *size = made_by(a, TEN_OP_ABS);
  return direction == TEN_EQ && then == &top->results[0] && size && ten_op_operand(size, 0) == then && is_infinity(b);
}

bool ten_is_log_sum(const ten_value *value, ten_value **out_x, ten_value **out_y) {
  const ten_op *select = made_by(value, TEN_OP_SELECT);
  const ten_op *sum = select ? made_by(ten_op_operand(select, 2), TEN_OP_ADD) : NULL;
  for (uint32_t i = 0; sum && i < 2; i++) {
    const ten_op *top = made_by(ten_op_operand(sum, i), TEN_OP_MAXIMUM);
    const ten_op *at = made_by(ten_op_operand(sum, 1 - i), TEN_OP_LOG_PLUS_ONE);
    static const ten_opcode down[] = {TEN_OP_EXPONENTIAL, TEN_OP_NEGATE, TEN_OP_ABS, TEN_OP_SUBTRACT};
    for (size_t k = 0; at && k < sizeof down / sizeof *down; k++) at = made_by(ten_op_operand(at, 0), down[k]);
    if (!top || !at || !is_of(at, ten_op_operand(top, 0), ten_op_operand(top, 1)) || !is_guard(select, top, at))
      continue;
    *out_x = ten_op_operand(top, 0);
    *out_y = ten_op_operand(top, 1);
    return true;
  }
  return false;
}

/* The dimension along which `pad` shifts its operand by `by`, dropping elements at the end; -1: it does not. */
static int64_t shift_of(const ten_op *pad, int64_t *out_by) {
  const ten_ints low = ten_op_ints(pad, "edge_padding_low"), high = ten_op_ints(pad, "edge_padding_high"),
                 inside = ten_op_ints(pad, "interior_padding");
  int64_t dim = -1;
  for (size_t i = 0; i < low.count; i++) {
    if (inside.data[i] || low.data[i] != -high.data[i]) return -1;
    if (!low.data[i]) continue;
    if (dim >= 0) return -1;
    dim = (int64_t)i;
    *out_by = low.data[i];
  }
  return dim;
}

typedef struct link {
  ten_value *x, *fill;
  int64_t dim, by;
} link;

/* value = x ∘ (x shifted by `by`); select stands for log-sum-exp */
static bool read_link(const ten_value *value, ten_opcode code, link *out) {
  if (!value->op || value->op->code != code) return false;
  ten_value *pair[2];
  if (code != TEN_OP_SELECT)
    pair[0] = ten_op_operand(value->op, 0), pair[1] = ten_op_operand(value->op, 1);
  else if (!ten_is_log_sum(value, &pair[0], &pair[1]))
    return false;
  for (uint32_t i = 0; i < 2; i++) {
    ten_value *x = pair[1 - i], *moved = pair[i];
    if (!moved->op || moved->op->code != TEN_OP_PAD || ten_op_operand(moved->op, 0) != x) continue;
    *out = (link){.x = x, .fill = ten_op_operand(moved->op, 1)};
    out->dim = shift_of(moved->op, &out->by);
    return out->dim >= 0;
  }
  return false;
}

static void combine(ten_builder *b, ten_value *const *args, void *code) {
  ten_value *result = ten_build_binary(b, *(const ten_opcode *)code, args[0], args[1]);
  ten_build_return(b, 1, &result);
}

static void combine_logs(ten_builder *b, ten_value *const *args, void *context) {
  (void)context;
  ten_value *top = ten_build_binary(b, TEN_OP_MAXIMUM, args[0], args[1]);
  ten_value *x = ten_build_binary(b, TEN_OP_SUBTRACT, args[0], args[1]);
  static const ten_opcode up[] = {TEN_OP_ABS, TEN_OP_NEGATE, TEN_OP_EXPONENTIAL, TEN_OP_LOG_PLUS_ONE};
  for (size_t i = 0; i < sizeof up / sizeof *up; i++) x = ten_build_unary(b, up[i], x);
  ten_value *infinity = ten_build_scalar(b, top->type->dtype, (double)INFINITY);
  ten_value *guard = ten_build_compare(b, TEN_EQ, ten_build_unary(b, TEN_OP_ABS, top), infinity);
  ten_value *result = ten_build_select(b, guard, top, ten_build_binary(b, TEN_OP_ADD, top, x));
  ten_build_return(b, 1, &result);
}

/* The last link of a chain that covers the whole dimension; every link comes after the one it doubles. */
static void shorten(ten_module *module, ten_op *op) {
  ten_opcode code = op->code;
  const ten_opcode like = code == TEN_OP_SELECT ? TEN_OP_MAXIMUM : code; /* its identity element */
  link first;
  if (!read_link(&op->results[0], code, &first) || !ten_is_neutral(first.fill, like)) return;
  const ten_type *type = op->results[0].type;
  if (!ten_type_is_static(type) || 2 * first.by < type->dims[first.dim]) return;
  link at = first;
  while (at.by > 1) {
    link next;
    if (!read_link(at.x, code, &next) || next.dim != first.dim || next.by * 2 != at.by ||
        !ten_is_neutral(next.fill, like))
      return;
    at = next;
  }
  ten_arena *arena = &module->arena;
  int64_t *size = ten_arena_new_array(arena, int64_t, type->rank),
          *ones = ten_arena_new_array(arena, int64_t, type->rank),
          *padding = ten_arena_new_array(arena, int64_t, 2 * type->rank);
  for (uint32_t i = 0; i < type->rank; i++) size[i] = ones[i] = 1;
  size[first.dim] = type->dims[first.dim];
  padding[2 * first.dim] = type->dims[first.dim] - 1;
  const ten_window window = {
      .rank = type->rank, .size = size, .strides = ones, .padding = padding, .base_dilation = ones, .dilation = ones};
  ten_builder b = {.module = module, .block = op->block, .before = op, .loc = op->loc};
  ten_op *scan = ten_build_reduce_window(&b, 1, &at.x, &first.fill, &window,
                                         code == TEN_OP_SELECT ? combine_logs : combine, &code);
  ten_own_attr_set(module, scan, TEN_NAME_WIDE, ten_attr_unit(module)); /* sums of sums are as accurate as wider ones */
  ten_value_replace(&op->results[0], &scan->results[0]);
  ten_op_erase(op);
}

static ten_status *run(ten_module *module) {
  static const ten_opcode codes[] = {TEN_OP_ADD, TEN_OP_MULTIPLY, TEN_OP_MAXIMUM, TEN_OP_MINIMUM, TEN_OP_SELECT};
  for (size_t i = 0; i < sizeof codes / sizeof *codes; i++) TEN_TRY(ten_pass_each(module, codes[i], shorten));
  return NULL;
}

const ten_pass ten_pass_scan = {"scan", "make one sweep of running sums that double their reach", run};
