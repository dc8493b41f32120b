/* finish_int8.c: epilogues of 8-bit matmuls and convolutions that their kernels compute themselves, while the sums are
 * in registers (ten_int8_finish): scale and bias of each column, in f32; or rounded to bytes after that, perhaps with
 * other bytes added, as `quantize --target cpu` writes between two convolutions.
 * Needs: a step with its epilogue's inputs.  Keeps: the step; fills in the descriptor. */
#include "backend/cpu/exec/int8.h"
#include "backend/cpu/plan/lower.h"

typedef struct matcher {
  const cpu_step *step;
  const ten_value *sums;
  cpu_int8 *d;
} matcher;

static bool is_number(const ten_value *value, float *out) {
  const ten_attr *number = value->type->dtype == TEN_F32 ? ten_value_number(value) : NULL;
  if (!number || !number->dense.data) return false;
  *out = *(const float *)number->dense.data;
  return true;
}

static uint32_t arg_of(const matcher *m, const ten_value *value) {
  for (uint32_t i = 0; i < m->step->inputs.count; i++)
    if (m->step->inputs.data[i] == value) return i;
  return UINT32_MAX;
}

/* An element for each column, as the epilogue's argument; UINT32_MAX: it is not. */
static uint32_t vector_of(const matcher *m, const ten_value *value) {
  const ten_op *op = value->op;
  if (!op || op->code != TEN_OP_BROADCAST_IN_DIM) return UINT32_MAX;
  const ten_value *from = ten_op_operand(op, 0);
  if (from->type->dtype != TEN_F32 || from->type->rank != 1 || from->type->dims[0] != m->d->shape.co) return UINT32_MAX;
  if (ten_op_ints(op, "broadcast_dimensions").data[0] != (int64_t)value->type->rank - 1) return UINT32_MAX;
  return arg_of(m, from);
}

static bool same_shape(const ten_type *a, const ten_type *b) {
  return a->rank == b->rank && !memcmp(a->dims, b->dims, a->rank * sizeof *a->dims);
}

static const ten_op *op_of(const ten_value *value, ten_opcode code) {
  return value->op && value->op->code == code ? value->op : NULL;
}

/* sums · scale */
static bool match_scaled(matcher *m, const ten_value *value) {
  const ten_op *multiply = op_of(value, TEN_OP_MULTIPLY);
  for (uint32_t i = 0; multiply && i < 2; i++) {
    const ten_op *real = op_of(ten_op_operand(multiply, i), TEN_OP_CONVERT);
    if (!real || ten_op_operand(real, 0) != m->sums) continue;
    m->d->scale = vector_of(m, ten_op_operand(multiply, 1 - i));
    return m->d->scale != UINT32_MAX;
  }
  return false;
}

/* sums · scale + bias */
static bool match_biased(matcher *m, const ten_value *value) {
  const ten_op *add = op_of(value, TEN_OP_ADD);
  for (uint32_t i = 0; add && i < 2; i++) {
    if (!match_scaled(m, ten_op_operand(add, i))) continue;
    m->d->bias = vector_of(m, ten_op_operand(add, 1 - i));
    return m->d->bias != UINT32_MAX;
  }
  return false;
}

/* Bytes times a number. */
static bool match_other(matcher *m, const ten_value *value) {
  const ten_op *multiply = op_of(value, TEN_OP_MULTIPLY);
  for (uint32_t i = 0; multiply && i < 2; i++) {
    const ten_op *real = op_of(ten_op_operand(multiply, i), TEN_OP_CONVERT);
    if (!real || !is_number(ten_op_operand(multiply, 1 - i), &m->d->shape.finish.other_scale)) continue;
    const ten_value *bytes = ten_op_operand(real, 0);
    if (bytes->type->dtype != TEN_UI8 || !same_shape(bytes->type, m->sums->type)) return false;
    m->d->other = arg_of(m, bytes);
    return m->d->other != UINT32_MAX;
  }
  return false;
}

static bool match_sum(matcher *m, const ten_value *value) {
  if (match_biased(m, value)) return true;
  const ten_op *add = op_of(value, TEN_OP_ADD);
  for (uint32_t i = 0; add && i < 2; i++)
    if (match_biased(m, ten_op_operand(add, i)) && match_other(m, ten_op_operand(add, 1 - i))) return true;
  return false;
}

/* round(clamp(0, t, 255)) as bytes: t, or NULL. */
static const ten_value *rounded_of(const ten_value *root) {
  const float levels = 255;
  float low, high;
  const ten_op *convert = op_of(root, TEN_OP_CONVERT);
  const ten_op *round = convert ? op_of(ten_op_operand(convert, 0), TEN_OP_ROUND_NEAREST_EVEN) : NULL;
  const ten_op *clamp = round ? op_of(ten_op_operand(round, 0), TEN_OP_CLAMP) : NULL;
  if (!clamp || root->type->dtype != TEN_UI8 || clamp->results[0].type->dtype != TEN_F32) return NULL;
  if (!is_number(ten_op_operand(clamp, 0), &low) || !is_number(ten_op_operand(clamp, 2), &high)) return NULL;
  return low == 0 && high == levels ? ten_op_operand(clamp, 1) : NULL;
}

static bool match(matcher *m, const ten_value *root) {
  const ten_type *type = root->type;
  ten_int8_finish *finish = &m->d->shape.finish;
  if (!type->rank || type->dims[type->rank - 1] != m->d->shape.co || !same_shape(type, m->sums->type)) return false;
  const ten_value *t = rounded_of(root);
  finish->kind = t ? INT8_BYTES : INT8_FLOATS;
  return t ? match_sum(m, t) : type->dtype == TEN_F32 && match_biased(m, root);
}

void cpu_find_finish(const cpu_step *step, const ten_op *op, const ten_value *root, cpu_int8 *d) {
  matcher m = {.step = step, .sums = &op->results[0], .d = d};
  d->scale = d->bias = d->other = UINT32_MAX;
  if (step->roots.count == 1 && match(&m, root)) return;
  d->shape.finish = (ten_int8_finish){0};
  d->scale = d->bias = d->other = UINT32_MAX;
}
