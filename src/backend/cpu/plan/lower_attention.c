/* lower_attention.c: @tenfold.attention (transform/pass/attention.c) as one step. If the scores are a matmul, scaled
 * and masked by an elementwise kernel without other readers, they are computed inside: the matmul's operands are the
 * queries and keys, and the kernel is the epilogue. Other scores are read from memory. */
#include <string.h>

#include "backend/cpu/exec/attention.h"
#include "backend/cpu/plan/lower.h"
#include "ir/ten.h"

bool cpu_is_attention(const ten_op *op) { return ten_op_calls(op, TEN_NAME_ATTENTION); }

const ten_value *cpu_attention_scores(const ten_op *op) {
  const ten_value *x = ten_op_operand(op, 0);
  while (x->op && x->op->code == TEN_OP_RESHAPE && ten_value_used_once(x) &&
         ten_value_used_once(ten_op_operand(x->op, 0)))
    x = ten_op_operand(x->op, 0);
  return x;
}

static int64_t stride_of(const ten_type *type, int64_t dim) {
  int64_t stride = 1;
  for (uint32_t i = (uint32_t)dim + 1; i < type->rank; i++) stride *= type->dims[i];
  return stride;
}

/* Batch dimensions of size greater than one, from the last; the others of the list have size one. */
typedef struct batch_list {
  uint32_t count;
  int64_t dims[TEN_ATTENTION_BATCH];
} batch_list;

static bool list_batches(const ten_type *scores, batch_list *list) {
  *list = (batch_list){0};
  for (uint32_t i = 0; i + 2 < scores->rank; i++) {
    if (scores->dims[i] == 1) continue;
    if (list->count == TEN_ATTENTION_BATCH) return false;
    list->dims[list->count++] = i;
  }
  return true;
}

/* The one dimension of a list whose size exceeds one, or -1; false if several do. */
static bool only_dim(const ten_type *type, ten_ints dims, int64_t *out) {
  *out = -1;
  for (size_t i = 0; i < dims.count; i++) {
    if (type->dims[dims.data[i]] == 1) continue;
    if (*out >= 0) return false;
    *out = dims.data[i];
  }
  return true;
}

/* Strides of a viewed operand along rows and along the contracted dimension. */
static bool view_strides(const ten_type *type, const cpu_view *view, ten_ints batch, ten_ints contract, int64_t *row,
                         int64_t *column) {
  int64_t rest[CPU_VIEW_RANK], at = -1, along = -1;
  size_t count = 0;
  for (uint32_t i = 0; i < type->rank; i++)
    if (!ten_ints_has(batch, i) && !ten_ints_has(contract, i)) rest[count++] = i;
  if (!only_dim(type, (ten_ints){rest, count}, &at) || !only_dim(type, contract, &along)) return false;
  *row = at < 0 ? 0 : view->strides[at];
  *column = along < 0 ? 1 : view->strides[along];
  return true;
}

/* Queries and keys of the matmul in the scores; false when its batches are not those of the scores. */
static bool read_product(cpu_lowering *l, const ten_op *dot, cpu_attention *c) {
  ten_attention *a = &c->shape;
  const cpu_gemm *g = cpu_chosen_gemm(l, dot);
  cpu_view q, k;
  if (!g || g->narrow || g->m != a->m || g->n != a->n || g->batches != a->batches) return false;
  const ten_value *x = ten_op_operand(dot, 0), *y = ten_op_operand(dot, 1);
  if (!cpu_view_of(l, x, &q) || !cpu_view_of(l, y, &k)) return false;
  const ten_dot_dims dims = ten_dot_dims_of(ten_op_attr(dot, "dot_dimension_numbers"));
  uint32_t at = 0;
  for (size_t i = 0; i < dims.lhs_batch.count; i++) {
    const int64_t size = x->type->dims[dims.lhs_batch.data[i]];
    if (size == 1) continue;
    if (at == TEN_ATTENTION_BATCH || a->batch[at] != size) return false;
    a->q_batch[at] = q.strides[dims.lhs_batch.data[i]];
    a->k_batch[at++] = k.strides[dims.rhs_batch.data[i]];
  }
  a->d = g->k;
  a->q_row = g->a_row, a->q_col = g->a_col, a->k_row = g->b_col, a->k_col = g->b_row;
  if (l->viewed[x->number] && !view_strides(x->type, &q, dims.lhs_batch, dims.lhs_contract, &a->q_row, &a->q_col))
    return false;
  if (l->viewed[y->number] && !view_strides(y->type, &k, dims.rhs_batch, dims.rhs_contract, &a->k_row, &a->k_col))
    return false;
  c->q_offset = q.offset, c->k_offset = k.offset;
  a->q_narrow = q.base->type->dtype == TEN_BF16, a->k_narrow = k.base->type->dtype == TEN_BF16;
  return true;
}

static bool shape_of(const cpu_lowering *l, const ten_op *op, cpu_attention *c) {
  const ten_type *x = ten_op_operand(op, 0)->type, *v = ten_op_operand(op, 1)->type, *y = op->results[0].type;
  const ten_ints values = ten_attr_as_ints(ten_own_attr(op, TEN_NAME_VALUES)),
                 order = ten_attr_as_ints(ten_own_attr(op, TEN_NAME_ORDER));
  const uint32_t rank = x->rank, row = rank - 2, last = rank - 1;
  batch_list list;
  cpu_view view;
  *c = (cpu_attention){0};
  if (x->dtype != TEN_F32 || v->dtype != TEN_F32 || rank < 2 || values.count != rank || order.count != rank ||
      order.data[last] != (int64_t)last || !list_batches(x, &list) || !cpu_view_of(l, ten_op_operand(op, 1), &view))
    return false;
  ten_attention *a = &c->shape;
  a->m = x->dims[row], a->n = x->dims[last], a->dv = v->dims[values.data[last]], a->batches = 1;
  a->v_row = view.strides[values.data[row]], a->v_col = view.strides[values.data[last]];
  a->v_narrow = view.base->type->dtype == TEN_BF16;
  c->v_offset = view.offset;
  int64_t where[32];
  for (uint32_t i = 0; i < rank; i++) where[order.data[i]] = i;
  a->out_row = stride_of(y, where[row]);
  for (uint32_t i = 0; i < TEN_ATTENTION_BATCH; i++) {
    a->batch[i] = 1;
    if (i >= list.count) continue;
    a->batch[i] = x->dims[list.dims[i]];
    a->batches *= a->batch[i];
    a->v_batch[i] = view.strides[values.data[list.dims[i]]];
    a->out_batch[i] = stride_of(y, where[list.dims[i]]);
  }
  const ten_attr *empty = ten_own_attr(op, TEN_NAME_EMPTY);
  a->empty_is_zero = ten_str_is(ten_attr_as_string(empty), "zero");
  return true;
}

/* Whether all readers round the value to bf16, after data movement at most. */
static bool is_rounded(const ten_value *value) {
  if (!value->uses) return false;
  for (const ten_use *use = value->uses; use; use = use->next) {
    const ten_op *user = use->owner;
    if (user->code == TEN_OP_CONVERT && user->results[0].type->dtype == TEN_BF16) continue;
    if ((user->code != TEN_OP_TRANSPOSE && user->code != TEN_OP_RESHAPE) || !is_rounded(&user->results[0]))
      return false;
  }
  return true;
}

bool cpu_attention_takes(cpu_lowering *l, const ten_op *op, const ten_op *dot) {
  cpu_attention c;
  return shape_of(l, op, &c) && read_product(l, dot, &c);
}

bool cpu_attention_reads(cpu_lowering *l, const ten_op *op) {
  cpu_attention c;
  const cpu_absorbed *absorbed = l->taken[cpu_attention_scores(op)->number];
  return shape_of(l, op, &c) && (!absorbed || read_product(l, absorbed->op, &c));
}

/* The buffer a step reads for a value: that of its view's base. */
static uint32_t place_of(cpu_lowering *l, const ten_value *value) {
  cpu_view view;
  return cpu_value_place(l->plan, cpu_view_of(l, value, &view) ? view.base : value);
}

/* The shape before fusion, which may move scores and views inside; an unsupported form is an error of `lower`. */
static bool match(cpu_lowering *l, const ten_op *op, void *descriptor) {
  if (!cpu_is_attention(op)) return false;
  (void)shape_of(l, op, descriptor);
  return true;
}

static ten_status *lower(cpu_lowering *l, const ten_op *op, const void *descriptor, const ten_value *root,
                         cpu_body *body) {
  (void)descriptor, (void)root;
  cpu_attention *c = ten_arena_new(&l->plan->arena, cpu_attention);
  if (!shape_of(l, op, c)) return ten_op_error(op, TEN_UNSUPPORTED, "this form of attention is not supported");
  const ten_value *scores = cpu_attention_scores(op);
  const cpu_absorbed *absorbed = l->in_memory[scores->number] ? NULL : l->taken[scores->number];
  c->has_scores = !absorbed;
  c->shape.rounded = is_rounded(&op->results[0]);
  cpu_step *step = cpu_step_new(l, CPU_ATTENTION, absorbed ? absorbed->op : op, body);
  step->descriptor = c;
  if (absorbed) {
    if (!read_product(l, absorbed->op, c))
      return ten_op_error(op, TEN_INTERNAL, "the scores were taken for another matmul");
    cpu_collect_epilogue(l, step, absorbed->op, &scores, 1, false);
    c->epilogue_args = (uint32_t)step->args.count;
    cpu_step_read(step, place_of(l, ten_op_operand(absorbed->op, 0)));
    cpu_step_read(step, place_of(l, ten_op_operand(absorbed->op, 1)));
  } else {
    cpu_step_read(step, cpu_value_place(l->plan, ten_op_operand(op, 0)));
  }
  cpu_step_read(step, place_of(l, ten_op_operand(op, 1)));
  cpu_step_write(step, cpu_value_place(l->plan, &op->results[0]));
  ten_attention sizes = c->shape;
  static const float none;
  if (c->has_scores) sizes.scores = &none;
  const size_t bytes = ten_kernels_best()->attention_scratch(&sizes, l->plan->threads);
  cpu_step_write(step, cpu_buffer_new(l->plan, CPU_ARENA, NULL, bytes));
  return NULL;
}

const cpu_kernel_choice cpu_choice_attention = {
    .ops = {TEN_OP_CUSTOM_CALL}, .compute = 0.7, .match = match, .lower = lower};
