/* lower_move.c: tensors that are copied into another order or after one another, where both lie in memory and nothing
 * is computed on the way. What is copied after one another may be part of what lies in memory, rows of it. */
#include "backend/cpu/plan/lower.h"

enum { GRAIN = 1 << 14, FROM = 1 << 12 }; /* bytes */

/* Dimensions of the output, neighbours that stay neighbours as one. */
static bool move_of(const ten_op *op, ten_move *m) {
  const ten_type *type = op->results[0].type, *from = ten_op_operand(op, 0)->type;
  const ten_ints order = ten_op_ints(op, "permutation");
  *m = (ten_move){.bytes = ten_dtype_bytes(type->dtype)};
  if (m->bytes != 1 && m->bytes != 2 && m->bytes != 4 && m->bytes != 8) return false;
  int64_t before = -2;
  for (uint32_t i = 0; i < type->rank; i++) {
    const int64_t dim = order.data[i];
    if (type->dims[i] == 1) continue;
    int64_t step = 1;
    for (uint32_t k = (uint32_t)dim + 1; k < from->rank; k++) step *= from->dims[k];
    bool follows = before >= 0 && dim > before;
    for (int64_t k = before + 1; k < dim && follows; k++) follows = from->dims[k] == 1;
    if (follows) {
      m->dims[m->rank - 1] *= type->dims[i];
      m->in_steps[m->rank - 1] = step;
    } else {
      if (m->rank == TEN_MOVE_RANK) return false;
      m->dims[m->rank] = type->dims[i];
      m->in_steps[m->rank++] = step;
    }
    before = dim;
  }
  if (!m->rank) return false;
  int64_t step = 1;
  for (uint32_t i = m->rank; i-- > 0; step *= m->dims[i]) m->out_steps[i] = step;
  for (m->near = 0; m->near < m->rank && m->in_steps[m->near] != 1;) m->near++;
  return m->near < m->rank;
}

/* Dimensions [from, to) of a view as one that lies at one stride; `stride` is that of the last of them. */
static bool at_one_stride(const ten_type *type, const cpu_view *view, uint32_t from, uint32_t to, int64_t *stride) {
  int64_t next = 0; /* where the dimension before would go on */
  for (uint32_t i = to; i-- > from;) {
    if (type->dims[i] == 1) continue;
    if (!next)
      *stride = view->strides[i];
    else if (view->strides[i] != next)
      return false;
    next = view->strides[i] * type->dims[i];
  }
  return true;
}

static bool join_of(const cpu_lowering *l, const ten_op *op, ten_join *join, const ten_value **bases, int64_t *rows) {
  const ten_type *type = op->results[0].type;
  const uint32_t dim = (uint32_t)ten_op_int(op, "dimension", 0);
  if (op->operand_count > TEN_JOIN_MOST) return false;
  *join = (ten_join){.count = op->operand_count};
  *rows = 1;
  for (uint32_t i = 0; i < dim; i++) *rows *= type->dims[i];
  for (uint32_t i = 0; i < op->operand_count; i++) {
    const ten_type *x = ten_op_operand(op, i)->type;
    const size_t number = ten_dtype_bytes(x->dtype);
    join->bytes[i] = number;
    for (uint32_t k = dim; k < x->rank; k++) join->bytes[i] *= (size_t)x->dims[k];
    if (join->bytes[i] < 64) return false; /* rows of a few numbers: a loop does as well */
    cpu_view view;
    int64_t inside = 1, step = 0;
    if (!cpu_view_in_memory(l, ten_op_operand(op, i), &view)) return false;
    if (!at_one_stride(x, &view, dim, x->rank, &inside) || inside != 1 || !at_one_stride(x, &view, 0, dim, &step))
      return false;
    bases[i] = view.base;
    join->offset[i] = view.offset * (int64_t)number;
    join->step[i] = step * (int64_t)number;
  }
  return true;
}

static int64_t grain(size_t bytes) { return 1 + (int64_t)(GRAIN / (bytes ? bytes : 1)); }

bool cpu_lower_move(cpu_lowering *l, const ten_op *op, cpu_body *body) {
  if (op->code != TEN_OP_TRANSPOSE && op->code != TEN_OP_CONCATENATE) return false;
  if (ten_type_bytes(op->results[0].type) < FROM) return false;
  if (op->code == TEN_OP_TRANSPOSE && !l->in_memory[ten_op_operand(op, 0)->number]) return false;
  ten_move move;
  ten_join join;
  const ten_value *bases[TEN_JOIN_MOST] = {ten_op_operand(op, 0)};
  int64_t rows = 0;
  if (op->code == TEN_OP_TRANSPOSE ? !move_of(op, &move) : !join_of(l, op, &join, bases, &rows)) return false;
  cpu_step *step = cpu_step_new(l, op->code == TEN_OP_TRANSPOSE ? CPU_MOVE : CPU_JOIN, op, body);
  if (op->code == TEN_OP_TRANSPOSE) {
    step->descriptor = ten_arena_copy(&l->plan->arena, &move, sizeof move);
    step->count = 1;
    for (uint32_t i = 0; i + 1 < move.rank; i++)
      step->count *= i == move.near ? (move.dims[i] + TEN_MOVE_BLOCK - 1) / TEN_MOVE_BLOCK : move.dims[i];
    step->grain = grain((size_t)move.dims[move.rank - 1] * move.bytes);
  } else {
    step->descriptor = ten_arena_copy(&l->plan->arena, &join, sizeof join);
    step->count = rows;
    size_t row = 0;
    for (uint32_t i = 0; i < join.count; i++) row += join.bytes[i];
    step->grain = grain(row);
  }
  for (uint32_t i = 0; i < op->operand_count; i++) cpu_step_read(step, cpu_value_place(l->plan, bases[i]));
  cpu_step_write(step, cpu_value_place(l->plan, &op->results[0]));
  return true;
}
