/* lower_move.c: transposes and concatenations from memory to memory without computation. Inputs of a concatenation may
 * be row views of buffers. */
#include "backend/cpu/plan/lower.h"

enum { GRAIN = 1 << 14, FROM = 1 << 12 }; /* bytes */

/* Dimensions of the output, with adjacent ones merged where possible. */
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

/* Dimensions [from, to) of a view merged into one with one stride; `stride` is that of the last of them. */
static bool at_one_stride(const ten_type *type, const cpu_view *view, uint32_t from, uint32_t to, int64_t *stride) {
  int64_t next = 0; /* the expected stride of the next outer dimension */
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

/* Sizes; false: short rows, which a loop copies as fast. */
static bool join_sizes(const ten_op *op, ten_join *join) {
  const uint32_t dim = (uint32_t)ten_op_int(op, "dimension", 0);
  if (op->operand_count > TEN_JOIN_MOST) return false;
  *join = (ten_join){.count = op->operand_count};
  for (uint32_t i = 0; i < op->operand_count; i++) {
    const ten_type *x = ten_op_operand(op, i)->type;
    join->bytes[i] = ten_dtype_bytes(x->dtype);
    for (uint32_t k = dim; k < x->rank; k++) join->bytes[i] *= (size_t)x->dims[k];
    if (join->bytes[i] < 64) return false;
  }
  return true;
}

/* The operands' buffers and offsets after fusion. */
static bool join_places(const cpu_lowering *l, const ten_op *op, ten_join *join, const ten_value **bases) {
  const uint32_t dim = (uint32_t)ten_op_int(op, "dimension", 0);
  for (uint32_t i = 0; i < op->operand_count; i++) {
    const ten_type *x = ten_op_operand(op, i)->type;
    cpu_view view;
    int64_t inside = 1, step = 0;
    if (!cpu_view_in_memory(l, ten_op_operand(op, i), &view)) return false;
    if (!at_one_stride(x, &view, dim, x->rank, &inside) || inside != 1 || !at_one_stride(x, &view, 0, dim, &step))
      return false;
    bases[i] = view.base;
    join->offset[i] = view.offset * (int64_t)ten_dtype_bytes(x->dtype);
    join->step[i] = step * (int64_t)ten_dtype_bytes(x->dtype);
  }
  return true;
}

static int64_t grain(size_t bytes) { return 1 + (int64_t)(GRAIN / (bytes ? bytes : 1)); }

static bool match_move(cpu_lowering *l, const ten_op *op, void *descriptor) {
  (void)l;
  return ten_type_bytes(op->results[0].type) >= FROM && move_of(op, descriptor);
}

static bool move_fits(cpu_lowering *l, const ten_op *op) { return l->in_memory[ten_op_operand(op, 0)->number]; }

static ten_status *lower_move(cpu_lowering *l, const ten_op *op, const void *descriptor, const ten_value *root,
                              cpu_body *body) {
  const ten_move *move = descriptor;
  cpu_step *step = cpu_step_new(l, CPU_MOVE, op, body);
  step->descriptor = ten_arena_copy(&l->plan->arena, move, sizeof *move);
  step->count = 1;
  for (uint32_t i = 0; i + 1 < move->rank; i++)
    step->count *= i == move->near ? (move->dims[i] + TEN_MOVE_BLOCK - 1) / TEN_MOVE_BLOCK : move->dims[i];
  step->grain = grain((size_t)move->dims[move->rank - 1] * move->bytes);
  cpu_step_read(step, cpu_value_place(l->plan, ten_op_operand(op, 0)));
  cpu_step_write(step, cpu_value_place(l->plan, root));
  return NULL;
}

static bool match_join(cpu_lowering *l, const ten_op *op, void *descriptor) {
  (void)l;
  return ten_type_bytes(op->results[0].type) >= FROM && join_sizes(op, descriptor);
}

static bool join_fits(cpu_lowering *l, const ten_op *op) {
  ten_join join;
  const ten_value *bases[TEN_JOIN_MOST];
  return join_places(l, op, &join, bases);
}

static ten_status *lower_join(cpu_lowering *l, const ten_op *op, const void *descriptor, const ten_value *root,
                              cpu_body *body) {
  ten_join *join = ten_arena_copy(&l->plan->arena, descriptor, sizeof *join);
  const ten_value *bases[TEN_JOIN_MOST];
  (void)join_places(l, op, join, bases);
  cpu_step *step = cpu_step_new(l, CPU_JOIN, op, body);
  step->descriptor = join;
  step->count = cpu_batch_of(root->type, root->type->rank - (uint32_t)ten_op_int(op, "dimension", 0));
  size_t row = 0;
  for (uint32_t i = 0; i < join->count; i++) row += join->bytes[i];
  step->grain = grain(row);
  for (uint32_t i = 0; i < op->operand_count; i++) cpu_step_read(step, cpu_value_place(l->plan, bases[i]));
  cpu_step_write(step, cpu_value_place(l->plan, root));
  return NULL;
}

const cpu_kernel_choice cpu_choice_move = {.ops = {TEN_OP_TRANSPOSE},
                                           .compute = 1,
                                           .if_stored = true,
                                           .match = match_move,
                                           .fits = move_fits,
                                           .lower = lower_move};
const cpu_kernel_choice cpu_choice_join = {.ops = {TEN_OP_CONCATENATE},
                                           .compute = 1,
                                           .if_stored = true,
                                           .match = match_join,
                                           .fits = join_fits,
                                           .lower = lower_join};
