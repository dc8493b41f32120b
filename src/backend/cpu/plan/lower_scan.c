/* lower_scan.c: a reduce_window over everything up to an element (or from it on) is a cumulative sum: one sweep. */
#include "backend/cpu/plan/lower.h"
#include "transform/pass/pass.h"

static int type_of(ten_dtype dtype) {
  switch (dtype) {
    case TEN_F32: return TEN_SCAN_F32;
    case TEN_F64: return TEN_SCAN_F64;
    case TEN_I32: return TEN_SCAN_I32;
    case TEN_I64: return TEN_SCAN_I64;
    default: return -1;
  }
}

/* The region is one op on its two arguments, or their logaddexp. */
static int op_of(const ten_op *op) {
  const ten_block *block = ten_op_body(op, 0);
  const ten_op *end = ten_block_terminator(block), *only = ten_op_operand(end, 0)->op;
  ten_value *x, *y;
  if (ten_is_log_sum(ten_op_operand(end, 0), &x, &y))
    return x != y && x->block == block && y->block == block && !x->op && !y->op &&
                   ten_is_neutral(ten_op_operand(op, 1), TEN_OP_MAXIMUM) && ten_dtype_is_float(x->type->dtype)
               ? TEN_SCAN_LOG_SUM
               : -1;
  if (!only || only->block != block || only->operand_count != 2) return -1;
  const ten_value *a = ten_op_operand(only, 0), *b = ten_op_operand(only, 1);
  if (!ten_is_neutral(ten_op_operand(op, 1), only->code)) return -1; /* it would be applied per padding element */
  if (a == b || a->block != block || b->block != block || a->op || b->op) return -1;
  switch (only->code) {
    case TEN_OP_ADD: return TEN_SCAN_SUM;
    case TEN_OP_MULTIPLY: return TEN_SCAN_PRODUCT;
    case TEN_OP_MAXIMUM: return TEN_SCAN_LARGEST;
    case TEN_OP_MINIMUM: return TEN_SCAN_SMALLEST;
    default: return -1;
  }
}

static bool match(cpu_lowering *l, const ten_op *op, void *descriptor) {
  ten_scan *out = descriptor;
  if (op->result_count != 1 || cpu_is_empty(op)) return false;
  const ten_type *type = op->results[0].type, *from = ten_op_operand(op, 0)->type;
  if (type->dtype != from->dtype || ten_op_operand(op, 1)->type->dtype != type->dtype) return false;
  *out = (ten_scan){.type = type_of(type->dtype), .op = op_of(op), .outer = 1, .inner = 1};
  if (out->type < 0 || out->op < 0) return false;
  if (out->type == TEN_SCAN_F32 && out->op <= TEN_SCAN_PRODUCT && ten_own_attr(op, TEN_NAME_WIDE))
    out->type = TEN_SCAN_WIDE;
  const ten_window w = ten_op_window(l->plan->module, op);
  int64_t dim = -1;
  for (uint32_t i = 0; i < type->rank; i++) {
    if (type->dims[i] != from->dims[i] || w.strides[i] != 1 || w.dilation[i] != 1 || w.base_dilation[i] != 1)
      return false;
    const int64_t low = w.padding[2 * i], high = w.padding[2 * i + 1];
    if (w.size[i] == 1 && !low && !high) continue;
    if (dim >= 0 || w.size[i] != type->dims[i] || low + high != w.size[i] - 1 || (low && high)) return false;
    dim = i;
    out->reverse = !low && high;
  }
  if (dim < 0) return false;
  out->n = type->dims[dim];
  for (uint32_t i = 0; i < type->rank; i++)
    if (i != dim) *(i < dim ? &out->outer : &out->inner) *= type->dims[i];
  return out->n > 1;
}

static ten_status *lower(cpu_lowering *l, const ten_op *op, const void *descriptor, const ten_value *root,
                         cpu_body *body) {
  const ten_scan *scan = descriptor;
  cpu_step *step = cpu_step_new(l, CPU_SCAN, op, body);
  step->descriptor = ten_arena_copy(&l->plan->arena, scan, sizeof *scan);
  step->count = scan->outer * ((scan->inner + TEN_SCAN_COLUMNS - 1) / TEN_SCAN_COLUMNS);
  const int64_t columns = scan->inner < TEN_SCAN_COLUMNS ? scan->inner : TEN_SCAN_COLUMNS;
  step->grain = 1 + (1 << 13) / (scan->n * columns);
  cpu_step_read(step, cpu_value_place(l->plan, ten_op_operand(op, 0)));
  cpu_step_read(step, cpu_value_place(l->plan, ten_op_operand(op, 1)));
  cpu_step_write(step, cpu_value_place(l->plan, root));
  return NULL;
}

/* One sweep, where the definition reduces each window separately. */
const cpu_kernel_choice cpu_choice_scan = {
    .ops = {TEN_OP_REDUCE_WINDOW}, .compute = 0.02, .match = match, .lower = lower};
