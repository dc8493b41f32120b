/* lower_int8.c: matmuls and convolutions of 8-bit integers with i32 sums, through the kernels of int8.h. Operands that
 * were widened to i32, and of which a zero point was subtracted, are read as the bytes that they were
 * (transform/pass/byte_products.c): the wider values are computed only where others read them. */
#include "backend/cpu/exec/int8.h"
#include "backend/cpu/plan/lower.h"
#include "transform/pass/byte_products.h"

static bool dot_of(cpu_lowering *l, const ten_op *op, cpu_int8 *d) {
  cpu_gemm g;
  if (!cpu_gemm_shape(&l->plan->arena, op, &g) && !cpu_gemm_split_shape(&l->plan->arena, op, &g)) return false;
  const int64_t zero = d->shape.zero;
  const bool is_unsigned = d->shape.is_unsigned;
  d->shape = (ten_int8){.is_unsigned = is_unsigned,
                        .zero = zero,
                        .n = 1,
                        .h = 1,
                        .w = g.m,
                        .ci = g.k,
                        .co = g.n,
                        .kh = 1,
                        .kw = 1,
                        .oh = 1,
                        .ow = g.m,
                        .pixel = g.m == 1 ? g.k : g.a_row,
                        .channel = g.k == 1 ? 1 : g.a_col,
                        .stride_h = 1,
                        .stride_w = 1,
                        .dilation_h = 1,
                        .dilation_w = 1,
                        .spread_h = 1,
                        .spread_w = 1,
                        .groups = 1,
                        .weights = {0, 0, g.b_row, g.b_col}};
  d->batches = g.batches;
  d->batch_rank = g.batch_rank;
  d->shared = true;
  for (uint32_t i = 0; i < g.batch_rank; i++) {
    d->batch[i] = g.batch[i], d->x_batch[i] = g.a_batch[i], d->weights_batch[i] = g.b_batch[i];
    d->shared &= !g.b_batch[i];
  }
  return true;
}

static bool conv_of(cpu_lowering *l, const ten_op *op, cpu_int8 *d) {
  const ten_type *x = ten_op_operand(op, 0)->type, *k = ten_op_operand(op, 1)->type, *y = op->results[0].type;
  const ten_conv_dims dims = ten_conv_dims_of(ten_op_attr(op, "dimension_numbers"));
  if (dims.input_batch != 0 || dims.input_feature != 3 || dims.input_spatial.data[0] != 1 ||
      dims.input_spatial.data[1] != 2)
    return false;
  if (dims.output_batch != 0 || dims.output_feature != 3 || dims.output_spatial.data[0] != 1 ||
      dims.output_spatial.data[1] != 2)
    return false;
  const ten_window w = ten_op_window(l->plan->module, op);
  ten_int8 *p = &d->shape;
  p->n = x->dims[0], p->h = x->dims[1], p->w = x->dims[2], p->ci = x->dims[3], p->co = y->dims[3];
  p->kh = k->dims[dims.kernel_spatial.data[0]], p->kw = k->dims[dims.kernel_spatial.data[1]];
  p->oh = y->dims[1], p->ow = y->dims[2], p->pixel = p->ci, p->channel = 1;
  p->stride_h = w.strides[0], p->stride_w = w.strides[1], p->pad_top = w.padding[0], p->pad_left = w.padding[2];
  p->dilation_h = w.dilation[0], p->dilation_w = w.dilation[1];
  p->spread_h = w.base_dilation[0], p->spread_w = w.base_dilation[1];
  p->groups = ten_op_int(op, "feature_group_count", 1);
  const int64_t order[4] = {dims.kernel_spatial.data[0], dims.kernel_spatial.data[1], dims.kernel_input_feature,
                            dims.kernel_output_feature};
  for (int i = 0; i < 4; i++) {
    p->weights[i] = cpu_stride_of(k, order[i]);
    if (i > 1 || !w.reversal[i]) continue;
    d->offset += (k->dims[order[i]] - 1) * p->weights[i]; /* the last tap first */
    p->weights[i] = -p->weights[i];
  }
  d->batches = 1;
  d->shared = true;
  return true;
}

static bool match(cpu_lowering *l, const ten_op *op, void *descriptor) {
  cpu_int8 *d = descriptor;
  ten_byte_operand x;
  if (cpu_is_empty(op) || !ten_is_byte_product(op) || !ten_byte_operand_of(ten_op_operand(op, 0), &x)) return false;
  d->shape.is_unsigned = x.source->type->dtype == TEN_UI8;
  d->shape.zero = x.zero;
  if (!(op->code == TEN_OP_DOT_GENERAL ? dot_of(l, op, d) : conv_of(l, op, d))) return false;
  d->out_bytes = sizeof(int32_t);
  return cpu_int8_fits(d);
}

const cpu_int8 *cpu_chosen_int8(const cpu_lowering *l, const ten_op *op) {
  const cpu_chosen *chosen = cpu_chosen_of(l, op);
  return chosen && chosen->kind == CPU_INT8 ? chosen->descriptor : NULL;
}

ten_value *cpu_byte_source(const cpu_lowering *l, const ten_op *op, uint32_t operand) {
  ten_byte_operand byte;
  ten_value *value = ten_op_operand(op, operand);
  return cpu_chosen_int8(l, op) && ten_byte_operand_of(value, &byte) ? byte.source : value;
}

static ten_status *lower(cpu_lowering *l, const ten_op *op, const void *descriptor, const ten_value *root,
                         cpu_body *body) {
  enum { PACK_GRAIN = 1 << 16 };
  const ten_kernels *kernels = ten_kernels_best();
  cpu_int8 *d = ten_arena_copy(&l->plan->arena, descriptor, sizeof *d);
  const ten_int8 *p = &d->shape;
  const uint32_t x = cpu_value_place(l->plan, cpu_byte_source(l, op, 0)),
                 weights = cpu_value_place(l->plan, cpu_byte_source(l, op, 1));
  const size_t packed_bytes = (size_t)(cpu_int8_packs(d) * ten_int8_packed_bytes(p));
  d->out_bytes = (int64_t)ten_dtype_bytes(root->type->dtype);
  cpu_step *pack = cpu_step_new(l, CPU_PACK_INT8, op, body);
  const uint32_t packed = cpu_buffer_new(l->plan, CPU_ARENA, NULL, packed_bytes);
  pack->descriptor = d;
  pack->count = cpu_int8_packs(d) * ten_int8_pack_units(p);
  pack->grain = 1 + PACK_GRAIN / ten_int8_panel_bytes(p);
  cpu_step_read(pack, weights);
  cpu_step_write(pack, packed);

  cpu_step *step = cpu_step_new(l, CPU_INT8, op, body);
  step->descriptor = d;
  cpu_collect_epilogue(l, step, op, &root, 1, false);
  cpu_find_finish(step, op, root, d);
  d->epilogue_args = (uint32_t)step->args.count;
  cpu_step_read(step, x);
  cpu_step_read(step, packed);
  cpu_step_write(step, cpu_value_place(l->plan, root));
  cpu_step_write(step, cpu_buffer_new(l->plan, CPU_ARENA, NULL, kernels->int8_scratch(p, l->plan->threads)));
  return NULL;
}

/* Bytes are a quarter of the words that the estimate counts. */
const cpu_kernel_choice cpu_choice_int8 = {.ops = {TEN_OP_DOT_GENERAL, TEN_OP_CONVOLUTION},
                                           .compute = 1,
                                           .memory = 4,
                                           .from = 1 << 10,
                                           .match = match,
                                           .lower = lower};
