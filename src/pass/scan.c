/* scan.c: a running sum that was written as sums with itself, shifted by one, two, four… becomes one reduce_window over
 * all that stands before: the form that JAX writes, and that the CPU computes in one sweep. Products and extremes
 * likewise. Needs: verified IR.  Keeps: types; what is summed, in another order. */
#include <math.h>
#include <string.h>

#include "base/float.h"
#include "ir/builder.h"
#include "ir/dims.h"
#include "pass/pass.h"

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
  if (dtype != TEN_I32 && dtype != TEN_I64) return false; /* what scans know */
  const int64_t x = ten_dense_int(dense, 0), least = dtype == TEN_I32 ? INT32_MIN : INT64_MIN;
  return code == TEN_OP_ADD        ? x == 0
         : code == TEN_OP_MULTIPLY ? x == 1
         : code == TEN_OP_MAXIMUM  ? x == least
                                   : x == -(least + 1);
}

/* The dimension along which `pad` moves its operand by `by`, dropping what comes out at the end; -1: it does not. */
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

/* value = x ∘ (x moved by `by`) */
static bool read_link(const ten_value *value, ten_opcode code, link *out) {
  if (!value->op || value->op->code != code) return false;
  for (uint32_t i = 0; i < 2; i++) {
    ten_value *x = ten_op_operand(value->op, 1 - i), *moved = ten_op_operand(value->op, i);
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

/* The last link of a chain that reaches over the whole dimension; every link stands after the one it doubles. */
static void shorten(ten_module *module, ten_op *op) {
  ten_opcode code = op->code;
  link first;
  if (!read_link(&op->results[0], code, &first) || !ten_is_neutral(first.fill, code)) return;
  const ten_type *type = op->results[0].type;
  if (!ten_type_is_static(type) || 2 * first.by < type->dims[first.dim]) return;
  link at = first;
  while (at.by > 1) {
    link next;
    if (!read_link(at.x, code, &next) || next.dim != first.dim || next.by * 2 != at.by ||
        !ten_is_neutral(next.fill, code))
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
  ten_op *scan = ten_build_reduce_window(&b, 1, &at.x, &first.fill, &window, combine, &code);
  ten_op_set_attr(module, scan, TEN_STR(TEN_WIDE), ten_attr_unit(module)); /* sums of sums are as right as wider ones */
  ten_value_replace(&op->results[0], &scan->results[0]);
  ten_op_erase(op);
}

static ten_status *run(ten_module *module) {
  static const ten_opcode codes[] = {TEN_OP_ADD, TEN_OP_MULTIPLY, TEN_OP_MAXIMUM, TEN_OP_MINIMUM};
  for (size_t i = 0; i < sizeof codes / sizeof *codes; i++) TEN_TRY(ten_pass_each(module, codes[i], shorten));
  return NULL;
}

const ten_pass ten_pass_scan = {"scan", "make one sweep of running sums that double their reach", run};
