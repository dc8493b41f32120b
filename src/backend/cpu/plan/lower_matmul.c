/* lower_matmul.c: matmuls and convolutions that the tuned kernels do not support: types other than f32 and bf16; 1-D,
 * 3-D and grouped convolutions. Small ones stay loops (.from), which fuse with their neighbours. */
#include "backend/cpu/codegen/jit.h"
#include "backend/cpu/plan/lower.h"

static bool type_of(ten_dtype dtype, ten_matmul_type *out) {
  switch (dtype) {
    case TEN_F32: *out = TEN_MATMUL_F32; return true;
    case TEN_F64: *out = TEN_MATMUL_F64; return true;
    case TEN_C64: *out = TEN_MATMUL_C64; return true;
    case TEN_C128: *out = TEN_MATMUL_C128; return true;
    case TEN_I8: *out = TEN_MATMUL_I8; return true;
    case TEN_UI8: *out = TEN_MATMUL_U8; return true;
    case TEN_I16: *out = TEN_MATMUL_I16; return true;
    case TEN_UI16: *out = TEN_MATMUL_U16; return true;
    case TEN_I32:
    case TEN_UI32: *out = TEN_MATMUL_I32; return true;
    case TEN_I64:
    case TEN_UI64: *out = TEN_MATMUL_I64; return true;
    default: return false;
  }
}

/* Both operands have one type; the result has the same, or another integer type of at most 32 bits. */
static bool types_fit(const ten_type *x, const ten_type *y, const ten_type *type, ten_matmul *p) {
  if (x->dtype != y->dtype || !type_of(x->dtype, &p->from) || !type_of(type->dtype, &p->to)) return false;
  const bool narrow = p->from >= TEN_MATMUL_I8 && p->from <= TEN_MATMUL_I32,
             to_narrow = p->to >= TEN_MATMUL_I8 && p->to <= TEN_MATMUL_I32;
  return p->from == p->to || (narrow && to_narrow);
}

static bool dot_of(cpu_lowering *l, const ten_op *op, ten_matmul *p) {
  cpu_gemm g;
  const bool simple = cpu_gemm_shape(&l->plan->arena, op, &g);
  if (!simple && !cpu_gemm_split_shape(&l->plan->arena, op, &g)) return false;
  p->m = g.m, p->n = g.n, p->k = g.k;
  p->a_row = g.a_row, p->a_col = g.a_col, p->b_row = g.b_row, p->b_col = g.b_col;
  p->c_row = g.n, p->c_col = 1;
  p->batch_rank = g.batch_rank;
  int64_t step = g.m * g.n;
  for (uint32_t i = g.batch_rank; i-- > 0; step *= g.batch[i]) {
    p->batch[i] = g.batch[i];
    p->a_batch[i] = g.a_batch[i];
    p->b_batch[i] = g.b_batch[i];
    p->c_batch[i] = step;
  }
  p->batches = g.batches;
  return !simple || p->from != TEN_MATMUL_F32;
}

static bool conv_of(cpu_lowering *l, const ten_op *op, ten_matmul *p) {
  const ten_type *x = ten_op_operand(op, 0)->type, *k = ten_op_operand(op, 1)->type, *y = op->results[0].type;
  const ten_conv_dims d = ten_conv_dims_of(ten_op_attr(op, "dimension_numbers"));
  const ten_window w = ten_op_window(l->plan->module, op);
  const int64_t groups = ten_op_int(op, "feature_group_count", 1);
  if (ten_op_int(op, "batch_group_count", 1) != 1 || w.rank < 1 || w.rank > TEN_MATMUL_RANK) return false;
  p->spatial = w.rank;
  p->channels = k->dims[d.kernel_input_feature];
  p->m = y->dims[d.output_batch];
  p->n = y->dims[d.output_feature] / groups;
  p->k = p->channels;
  p->a_row = cpu_stride_of(x, d.input_batch), p->a_col = cpu_stride_of(x, d.input_feature);
  p->b_row = cpu_stride_of(k, d.kernel_input_feature), p->b_col = cpu_stride_of(k, d.kernel_output_feature);
  p->c_row = cpu_stride_of(y, d.output_batch), p->c_col = cpu_stride_of(y, d.output_feature);
  for (uint32_t i = 0; i < w.rank; i++) {
    const int64_t in = d.input_spatial.data[i], of = d.kernel_spatial.data[i], out = d.output_spatial.data[i];
    p->sizes[i] = y->dims[out], p->extent[i] = x->dims[in], p->taps[i] = k->dims[of];
    p->stride[i] = w.strides[i], p->pad[i] = w.padding[2 * i], p->dilation[i] = w.dilation[i];
    p->spread[i] = w.base_dilation[i], p->reversed[i] = w.reversal[i];
    p->a_step[i] = cpu_stride_of(x, in), p->b_step[i] = cpu_stride_of(k, of), p->c_step[i] = cpu_stride_of(y, out);
    p->m *= p->sizes[i];
    p->k *= p->taps[i];
  }
  p->batches = groups;
  if (groups > 1) {
    p->batch_rank = 1;
    p->batch[0] = groups;
    p->a_batch[0] = p->channels * p->a_col;
    p->b_batch[0] = p->n * p->b_col;
    p->c_batch[0] = p->n * p->c_col;
  }
  return true;
}

static bool match(cpu_lowering *l, const ten_op *op, void *descriptor) {
  ten_matmul *p = descriptor;
  p->portable = ten_cpu_target_wanted() != NULL;
  if (cpu_is_empty(op)) return false;
  const ten_type *x = ten_op_operand(op, 0)->type, *y = ten_op_operand(op, 1)->type, *type = op->results[0].type;
  if (!types_fit(x, y, type, p)) return false;
  if (!(op->code == TEN_OP_DOT_GENERAL ? dot_of(l, op, p) : conv_of(l, op, p))) return false;
  return p->n > 0 && p->k > 0;
}

static ten_status *lower(cpu_lowering *l, const ten_op *op, const void *descriptor, const ten_value *root,
                         cpu_body *body) {
  const ten_matmul *matmul = descriptor;
  cpu_step *step = cpu_step_new(l, CPU_MATMUL, op, body);
  step->descriptor = ten_arena_copy(&l->plan->arena, matmul, sizeof *matmul);
  step->count = ten_matmul_units(matmul);
  const int64_t each = (matmul->m < TEN_MATMUL_MC ? matmul->m : TEN_MATMUL_MC) *
                       (matmul->n < ten_matmul_columns(matmul) ? matmul->n : ten_matmul_columns(matmul)) * matmul->k;
  step->grain = 1 + (1 << 15) / each;
  cpu_step_read(step, cpu_value_place(l->plan, ten_op_operand(op, 0)));
  cpu_step_read(step, cpu_value_place(l->plan, ten_op_operand(op, 1)));
  cpu_step_write(step, cpu_value_place(l->plan, root));
  cpu_step_write(step, cpu_buffer_new(l->plan, CPU_ARENA, NULL, (size_t)TEN_MATMUL_SCRATCH * l->plan->threads));
  return NULL;
}

const cpu_kernel_choice cpu_choice_matmul = {
    .ops = {TEN_OP_DOT_GENERAL, TEN_OP_CONVOLUTION}, .compute = 0.16, .from = 1 << 14, .match = match, .lower = lower};
