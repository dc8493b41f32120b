/* quant.c: quantized types. Ops that move elements, or pass them to regions, work on the storage; all others see real
 * values: operands are dequantized, the plain kernel runs, results are quantized, each step rounded to the expressed
 * type as specified. */
#include <math.h>
#include <stdlib.h>

#include "backend/interp/interp.h"
#include "backend/interp/lanes.h"
#include "base/float.h"
#include "ir/storage.h"

/* The index of the scale and zero point of element `index`. */
static size_t parameter_of(const ten_quant *quant, const ten_tensor *x, size_t index) {
  if (quant->count <= 1 || !quant->axis_count) return 0;
  int64_t at[TEN_RANK_MAX];
  for (uint32_t i = x->rank; i-- > 0;) {
    at[i] = (int64_t)(index % (size_t)x->dims[i]);
    index /= (size_t)x->dims[i];
  }
  if (!quant->block_sizes) {
    const size_t slice = (size_t)at[quant->axes[0]];
    return slice < quant->count ? slice : 0;
  }
  size_t place = 0;
  for (uint32_t i = 0; i < quant->block_rank && i < x->rank; i++) {
    int64_t size = x->dims[i] / (quant->blocks[i] > 0 ? quant->blocks[i] : 1);
    if (size < 1) size = 1;
    place = place * (size_t)quant->blocks[i] + (size_t)(at[i] / size);
  }
  return place < quant->count ? place : 0;
}

static ten_status *dequantize(const ten_quant *quant, const ten_tensor *x, ten_tensor **out) {
  TEN_TRY(ten_tensor_create(quant->expressed, x->rank, x->dims, out));
  for (size_t i = 0; i < x->count; i++) {
    const size_t p = parameter_of(quant, x, i);
    const double steps = ten_float_round(quant->expressed, (double)(ten_tensor_int(x, i) - quant->zero_points[p]));
    interp_store_real(*out, i, steps * ten_float_round(quant->expressed, quant->scales[p]));
  }
  return NULL;
}

static ten_status *quantize(const ten_quant *quant, const ten_tensor *x, ten_tensor **out) {
  TEN_TRY(ten_tensor_create(quant->storage, x->rank, x->dims, out));
  const ten_dtype real = quant->expressed;
  const double low = (double)quant->storage_min, high = (double)quant->storage_max;
  for (size_t i = 0; i < x->count; i++) {
    const size_t p = parameter_of(quant, x, i);
    const double scaled = ten_float_round(real, ten_tensor_real(x, i, 0) / ten_float_round(real, quant->scales[p]));
    const double moved = ten_float_round(real, scaled + (double)quant->zero_points[p]);
    const double inside = isnan(moved) ? 0 : moved < low ? low : moved > high ? high : moved;
    interp_store_int(*out, i, (int64_t)rint(inside));
  }
  return NULL;
}

ten_status *interp_quantize(interp_call *call) {
  const ten_quant *from = interp_in_type(call, 0)->quant, *to = interp_out_type(call, 0)->quant;
  if (!to) return interp_error(call, TEN_INVALID, "the result is not quantized");
  if (!from) return quantize(to, call->in[0], &call->out[0]);
  ten_tensor *real;
  TEN_TRY(dequantize(from, call->in[0], &real));
  ten_status *status = quantize(to, real, &call->out[0]);
  ten_tensor_release(real);
  return status;
}

ten_status *interp_dequantize(interp_call *call) {
  const ten_quant *from = interp_in_type(call, 0)->quant;
  if (!from) return interp_error(call, TEN_INVALID, "the operand is not quantized");
  return dequantize(from, call->in[0], &call->out[0]);
}

bool interp_is_quantized(const ten_op *op) {
  for (uint32_t i = 0; i < op->operand_count; i++)
    if (ten_op_operand(op, i)->type->quant) return true;
  for (uint32_t i = 0; i < op->result_count; i++)
    if (op->results[i].type->quant) return true;
  return false;
}

ten_status *interp_quantized(interp_call *call, interp_kernel kernel) {
  const ten_op *op = call->op;
  if (ten_op_on_storage(op) || op->code == TEN_OP_UNIFORM_QUANTIZE || op->code == TEN_OP_UNIFORM_DEQUANTIZE)
    return kernel(call);
  ten_tensor **in = ten_alloc((op->operand_count + 1) * sizeof *in);
  memset(in, 0, (op->operand_count + 1) * sizeof *in);
  ten_status *status = NULL;
  for (uint32_t i = 0; i < op->operand_count && !status; i++) {
    const ten_quant *quant = interp_in_type(call, i)->quant;
    if (quant)
      status = dequantize(quant, call->in[i], &in[i]);
    else
      in[i] = ten_tensor_retain(call->in[i]);
  }
  if (!status) {
    interp_call inner = *call;
    inner.in = in;
    inner.expressed = true;
    status = kernel(&inner);
  }
  for (uint32_t i = 0; i < op->result_count && !status; i++) {
    const ten_quant *quant = interp_out_type(call, i)->quant;
    if (!quant) continue;
    ten_tensor *real = call->out[i];
    call->out[i] = NULL;
    status = quantize(quant, real, &call->out[i]);
    ten_tensor_release(real);
  }
  ten_tensors_release(in, op->operand_count);
  free(in);
  return status;
}
