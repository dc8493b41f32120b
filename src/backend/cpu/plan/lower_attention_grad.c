/* lower_attention_grad.c: @tenfold.attention_grad (transform/pass/attention_grad.c) as one step, which reads its
 * operands in place (views.c) and writes the three gradients into one result. */
#include "backend/cpu/plan/lower.h"
#include "ir/ten.h"

bool cpu_is_attention_grad(const ten_op *op) { return ten_op_calls(op, TEN_NAME_ATTENTION_GRAD); }

bool cpu_attention_grad_reads(const cpu_lowering *l, const ten_op *op) {
  for (uint32_t i = 0; i < TEN_GRAD_INPUTS; i++) {
    cpu_view view;
    if (!cpu_view_of(l, ten_op_operand(op, i), &view) || view.base->type->dtype != TEN_F32) return false;
  }
  return true;
}

/* Everything except the operands' strides; false: the kernel does not support its form. */
static bool shape_of(const ten_op *op, ten_attention_grad *a) {
  const ten_type *x = ten_op_operand(op, 0)->type, *y = op->results[0].type;
  const ten_ints order =
      ten_attr_as_ints(ten_own_attr(op, TEN_NAME_ORDER)); /* of the result, out of [part, batch…, row, column] */
  const uint32_t batch = x->rank - 2;
  if (x->rank < 2 || batch > TEN_ATTENTION_BATCH || order.count != y->rank || y->rank != x->rank + 1) return false;
  *a = (ten_attention_grad){.batches = 1, .n = x->dims[batch], .d = x->dims[batch + 1]};
  a->scale = (float)ten_attr_as_float(ten_own_attr(op, TEN_NAME_SCALE), 1);
  for (uint32_t i = 0; i < TEN_ATTENTION_BATCH; i++) a->batch[i] = i < batch ? x->dims[i] : 1;
  for (uint32_t i = 0; i < batch; i++) a->batches *= a->batch[i];
  int64_t step = 1;
  for (uint32_t i = y->rank; i-- > 0; step *= y->dims[i]) {
    const int64_t of = order.data[i];
    if (of == 0)
      a->out_part = step;
    else if (of == (int64_t)batch + 1)
      a->out_row = step;
    else if (of <= (int64_t)batch)
      a->out_batch[of - 1] = step;
  }
  return true;
}

/* An unsupported form is an error of `lower`. */
static bool match(cpu_lowering *l, const ten_op *op, void *descriptor) {
  (void)l;
  if (!cpu_is_attention_grad(op)) return false;
  (void)shape_of(op, descriptor);
  return true;
}

static ten_status *lower(cpu_lowering *l, const ten_op *op, const void *descriptor, const ten_value *root,
                         cpu_body *body) {
  (void)descriptor, (void)root;
  ten_attention_grad *a = ten_arena_new(&l->plan->arena, ten_attention_grad);
  if (!shape_of(op, a))
    return ten_op_error(op, TEN_UNSUPPORTED, "this form of the gradient of attention is not supported");
  const uint32_t batch = ten_op_operand(op, 0)->type->rank - 2;
  cpu_step *call = cpu_step_new(l, CPU_ATTENTION_GRAD, op, body);
  for (uint32_t i = 0; i < TEN_GRAD_INPUTS; i++) {
    cpu_view view;
    if (!cpu_view_of(l, ten_op_operand(op, i), &view))
      return ten_op_error(op, TEN_UNSUPPORTED, "the gradient of attention with so many dimensions is not supported");
    a->offset[i] = view.offset;
    a->row[i] = view.strides[batch];
    a->column[i] = view.strides[batch + 1];
    for (uint32_t k = 0; k < batch; k++) a->strides[i][k] = view.strides[k];
    cpu_step_read(call, cpu_value_place(l->plan, view.base));
  }
  call->descriptor = a;
  call->count = a->batches;
  cpu_step_write(call, cpu_value_place(l->plan, &op->results[0]));
  const size_t bytes = (size_t)ten_attention_grad_scratch(a) * sizeof(float) * l->plan->threads;
  cpu_step_write(call, cpu_buffer_new(l->plan, CPU_ARENA, NULL, bytes));
  return NULL;
}

const cpu_kernel_choice cpu_choice_attention_grad = {
    .ops = {TEN_OP_CUSTOM_CALL}, .compute = 0.5, .match = match, .lower = lower};
