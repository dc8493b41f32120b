/* reduce.c: one result element of reduce, reduce_window, select_and_scatter, dot_general and convolution: accumulators
 * updated in a loop nest. Narrow floats accumulate in f32 and round once, integers in the result's type. */
#include <inttypes.h>

#include "backend/simt/gen.h"

enum { UNROLLED = 4 }; /* window taps */

/* Type of accumulator k: the region may use a wider type than the operands. */
static ten_dtype work_type(const ten_op *op, uint32_t k) { return ten_op_body(op, 0)->args[k]->type->dtype; }

static simt_val as_work(simt_gen *gen, const ten_op *op, uint32_t k, const ten_value *value, const simt_ix *at) {
  return simt_convert(gen, value->type->dtype, work_type(op, k), simt_element(gen, value, at));
}

/* A copy of the variable's current value. */
static simt_val snapshot(simt_gen *gen, const simt_var *var) {
  const char *type = simt_register_type(var->dtype);
  simt_val value = {simt_define(gen, type, "v%u", var->at.re), 0};
  if (var->at.im) value.im = simt_define(gen, type, "v%u", var->at.im);
  return value;
}

static simt_var *accumulators(simt_gen *gen, const ten_op *op) {
  const uint32_t count = op->result_count;
  simt_var *vars = ten_arena_new_array(&gen->ir->arena, simt_var, count);
  for (uint32_t k = 0; k < count; k++)
    vars[k] = simt_var_new(gen, work_type(op, k), as_work(gen, op, k, ten_op_operand(op, count + k), NULL));
  return vars;
}

/* vars = region(vars, elements) */
static void combine(simt_gen *gen, const ten_op *op, const simt_var *vars, const simt_val *elements) {
  const uint32_t count = op->result_count;
  simt_val *args = ten_arena_new_array(&gen->ir->arena, simt_val, 2 * count),
           *results = ten_arena_new_array(&gen->ir->arena, simt_val, count);
  for (uint32_t k = 0; k < count; k++) {
    args[k] = snapshot(gen, &vars[k]);
    args[count + k] = elements[k];
  }
  simt_region(gen, &op->regions[0], args, results);
  for (uint32_t k = 0; k < count; k++) simt_set(gen, &vars[k], results[k]);
}

static void finish(simt_gen *gen, const ten_op *op, const simt_var *vars, simt_val *out) {
  for (uint32_t k = 0; k < op->result_count; k++)
    out[k] = simt_convert(gen, vars[k].dtype, op->results[k].type->dtype, vars[k].at);
}

void simt_emit_reduce(simt_gen *gen, const ten_op *op, const simt_ix *index, simt_val *out) {
  const ten_type *type = ten_op_operand(op, 0)->type;
  const ten_ints dims = ten_op_ints(op, "dimensions");
  const simt_var *vars = accumulators(gen, op);
  simt_ix *at = simt_indices(gen, type->rank);
  uint32_t loops = 0;
  for (uint32_t i = 0, left = 0; i < type->rank; i++) {
    if (!ten_ints_has(dims, i)) {
      at[i] = index[left++];
      continue;
    }
    at[i] = simt_loop(gen, type->dims[i]);
    loops++;
  }
  simt_val *elements = ten_arena_new_array(&gen->ir->arena, simt_val, op->result_count);
  for (uint32_t k = 0; k < op->result_count; k++) elements[k] = as_work(gen, op, k, ten_op_operand(op, k), at);
  combine(gen, op, vars, elements);
  while (loops-- > 0) simt_close(gen);
  finish(gen, op, vars, out);
}

/* Bounds [low, high] of the positions that a window of `taps` reads along dimension d. */
static void window_bounds(const ten_window *window, uint32_t d, int64_t taps, int64_t places, int64_t *low,
                          int64_t *high) {
  *low = -window->padding[2 * d];
  *high = *low + (places - 1) * window->strides[d] + (taps - 1) * window->dilation[d];
}

simt_ix simt_window_position(simt_gen *gen, const ten_window *window, uint32_t d, int64_t size, simt_ix i, simt_ix k,
                             int64_t taps, int64_t places, ten_buf *inside) {
  simt_ix from = simt_add(gen, simt_multiply(gen, i, window->strides[d]), simt_multiply(gen, k, window->dilation[d]));
  from = simt_subtract(gen, from, simt_number(window->padding[2 * d]));
  int64_t low, high;
  window_bounds(window, d, taps, places, &low, &high);
  if (low < 0) ten_buf_printf(inside, " && %s >= 0", simt_text(gen, from));
  if (window->base_dilation[d] != 1) {
    ten_buf_printf(inside, " && %s %% %" PRId64 " == 0", simt_text(gen, from), window->base_dilation[d]);
    from = simt_index_of(
        simt_define(gen, simt_index_type(gen), "%s / %" PRId64, simt_text(gen, from), window->base_dilation[d]));
  }
  if (high / window->base_dilation[d] >= size) ten_buf_printf(inside, " && %s < %" PRId64, simt_text(gen, from), size);
  return from;
}

void simt_emit_reduce_window(simt_gen *gen, const ten_op *op, const simt_ix *index, simt_val *out) {
  const uint32_t count = op->result_count;
  const ten_type *type = ten_op_operand(op, 0)->type;
  const ten_window window = ten_op_window(gen->ir, op);
  const simt_var *vars = accumulators(gen, op);
  simt_ix *at = simt_indices(gen, type->rank);
  ten_buf inside = {0};
  ten_buf_printf(&inside, "if (%s", ten_type_count(type) ? "true" : "false");
  for (uint32_t i = 0; i < type->rank; i++) {
    if (window.size[i] <= UNROLLED) simt_line(gen, "UNROLL");
    const simt_ix k = simt_loop(gen, window.size[i]);
    at[i] = simt_window_position(gen, &window, i, type->dims[i], index[i], k, window.size[i],
                                 op->results[0].type->dims[i], &inside);
  }
  simt_var *elements = ten_arena_new_array(&gen->ir->arena, simt_var, count);
  simt_val *values = ten_arena_new_array(&gen->ir->arena, simt_val, count);
  for (uint32_t k = 0; k < count; k++) /* padding is the initial value */
    elements[k] = simt_var_new(gen, work_type(op, k), as_work(gen, op, k, ten_op_operand(op, count + k), NULL));
  simt_open(gen, "%s)", inside.data);
  ten_buf_free(&inside);
  for (uint32_t k = 0; k < count; k++) simt_set(gen, &elements[k], as_work(gen, op, k, ten_op_operand(op, k), at));
  simt_close(gen);
  for (uint32_t k = 0; k < count; k++) values[k] = elements[k].at;
  combine(gen, op, vars, values);
  for (uint32_t i = 0; i < type->rank; i++) simt_close(gen);
  finish(gen, op, vars, out);
}

/* Whether a window's places along this dimension are the elements themselves. */
static bool is_single(const ten_window *window, uint32_t d) {
  return window->size[d] == 1 && window->strides[d] == 1 && !window->padding[2 * d] && !window->padding[2 * d + 1];
}

/* The position of the operand that the window of source element `source` selects, as a linear index; -1: none. */
static simt_var selected(simt_gen *gen, const ten_op *op, const ten_window *window, const simt_ix *source) {
  const ten_value *x = ten_op_operand(op, 0);
  const ten_type *type = x->type;
  const char *index_type = simt_index_type(gen);
  const uint32_t minus = simt_define(gen, index_type, "-1");
  const simt_var place = simt_var_new(gen, gen->narrow ? TEN_I32 : TEN_I64, (simt_val){minus, 0}),
                 chosen = simt_var_new(gen, type->dtype, simt_zero(gen, type->dtype));
  simt_ix *at = simt_indices(gen, type->rank);
  ten_buf inside = {0};
  ten_buf_adds(&inside, "if (true");
  uint32_t loops = 0;
  for (uint32_t d = 0; d < type->rank; d++) {
    at[d] = source[d];
    if (is_single(window, d)) continue;
    if (window->size[d] <= UNROLLED) simt_line(gen, "UNROLL");
    at[d] = simt_window_position(gen, window, d, type->dims[d], source[d], simt_loop(gen, window->size[d]),
                                 window->size[d], ten_op_operand(op, 1)->type->dims[d], &inside);
    loops++;
  }
  simt_open(gen, "%s)", inside.data);
  ten_buf_free(&inside);
  const simt_val element = simt_element(gen, x, at), args[] = {snapshot(gen, &chosen), element};
  simt_val keep;
  simt_region(gen, &op->regions[0], args, &keep);
  simt_open(gen, "if (v%u < 0 || !v%u)", place.at.re, keep.re);
  simt_set(gen, &chosen, element);
  simt_line(gen, "v%u = %s;", place.at.re, simt_text(gen, simt_linear(gen, type, at)));
  simt_close(gen);
  simt_close(gen);
  while (loops-- > 0) simt_close(gen);
  return place;
}

/* The sum, in the order of the sources, of those whose window selects this element. */
void simt_emit_select_and_scatter(simt_gen *gen, const ten_op *op, const simt_ix *index, simt_val *out) {
  const ten_value *source = ten_op_operand(op, 1);
  const ten_type *type = op->results[0].type;
  const ten_window window = ten_op_window(gen->ir, op);
  const simt_var sum = simt_var_new(gen, type->dtype, simt_element(gen, ten_op_operand(op, 2), NULL));
  simt_ix *from = simt_indices(gen, type->rank);
  const char *index_type = simt_index_type(gen);
  uint32_t loops = 0;
  for (uint32_t d = 0; d < type->rank; d++) { /* the windows that contain the element */
    from[d] = index[d];
    if (is_single(&window, d)) continue;
    loops++;
    const simt_ix end = simt_add(gen, index[d], simt_number(window.padding[2 * d]));
    const char *last = simt_text(gen, end);
    const uint32_t low =
        simt_define(gen, index_type, "%s - %" PRId64 " < 0 ? 0 : (%s - %" PRId64 ") / %" PRId64, last,
                    window.size[d] - 1, last, window.size[d] - 1 - (window.strides[d] - 1), window.strides[d]);
    const uint32_t high =
        simt_define(gen, index_type, "%s / %" PRId64 " < %" PRId64 " ? %s / %" PRId64 " : %" PRId64, last,
                    window.strides[d], source->type->dims[d] - 1, last, window.strides[d], source->type->dims[d] - 1);
    const uint32_t name = ++gen->registers;
    simt_open(gen, "for (%s v%u = v%u; v%u <= v%u; v%u++)", index_type, name, low, name, high, name);
    from[d] = simt_index_of(name);
  }
  const simt_var place = selected(gen, op, &window, from);
  simt_open(gen, "if (v%u == %s)", place.at.re, simt_text(gen, simt_linear(gen, type, index)));
  const simt_val args[] = {snapshot(gen, &sum), simt_element(gen, source, from)};
  simt_val result;
  simt_region(gen, &op->regions[1], args, &result);
  simt_set(gen, &sum, result);
  simt_close(gen);
  while (loops-- > 0) simt_close(gen);
  out[0] = sum.at;
}

static ten_dtype sum_type(ten_dtype operand, ten_dtype result) {
  if (ten_dtype_is_float(result)) return result == TEN_F64 || operand == TEN_F64 ? TEN_F64 : TEN_F32;
  return result;
}

static void accumulate(simt_gen *gen, const simt_var *sum, const ten_value *x, const simt_ix *at_x, const ten_value *y,
                       const simt_ix *at_y) {
  const simt_val a = simt_convert(gen, x->type->dtype, sum->dtype, simt_element(gen, x, at_x)),
                 b = simt_convert(gen, y->type->dtype, sum->dtype, simt_element(gen, y, at_y));
  const simt_val product = simt_binary(gen, TEN_OP_MULTIPLY, sum->dtype, a, b);
  simt_set(gen, sum, simt_binary(gen, TEN_OP_ADD, sum->dtype, snapshot(gen, sum), product));
}

void simt_emit_dot_general(simt_gen *gen, const ten_op *op, const simt_ix *index, simt_val *out) {
  const ten_value *x = ten_op_operand(op, 0), *y = ten_op_operand(op, 1);
  const ten_dot_dims dims = ten_dot_dims_of(ten_op_attr(op, "dot_dimension_numbers"));
  const ten_dtype result = op->results[0].type->dtype;
  simt_ix *at_x = simt_indices(gen, x->type->rank), *at_y = simt_indices(gen, y->type->rank);
  uint32_t next = 0;
  for (size_t i = 0; i < dims.lhs_batch.count; i++, next++)
    at_x[dims.lhs_batch.data[i]] = at_y[dims.rhs_batch.data[i]] = index[next];
  for (uint32_t i = 0; i < x->type->rank; i++)
    if (!ten_ints_has(dims.lhs_batch, i) && !ten_ints_has(dims.lhs_contract, i)) at_x[i] = index[next++];
  for (uint32_t i = 0; i < y->type->rank; i++)
    if (!ten_ints_has(dims.rhs_batch, i) && !ten_ints_has(dims.rhs_contract, i)) at_y[i] = index[next++];
  const ten_dtype work = sum_type(x->type->dtype, result);
  const simt_var sum = simt_var_new(gen, work, simt_zero(gen, work));
  const size_t count = dims.lhs_contract.count;
  for (size_t i = 0; i < count; i++)
    at_x[dims.lhs_contract.data[i]] = at_y[dims.rhs_contract.data[i]] =
        simt_loop(gen, x->type->dims[dims.lhs_contract.data[i]]);
  accumulate(gen, &sum, x, at_x, y, at_y);
  for (size_t i = 0; i < count; i++) simt_close(gen);
  out[0] = simt_convert(gen, work, result, sum.at);
}

void simt_emit_convolution(simt_gen *gen, const ten_op *op, const simt_ix *index, simt_val *out) {
  const ten_value *x = ten_op_operand(op, 0), *kernel = ten_op_operand(op, 1);
  const ten_type *type = op->results[0].type;
  const ten_conv_dims dims = ten_conv_dims_of(ten_op_attr(op, "dimension_numbers"));
  const ten_window window = ten_op_window(gen->ir, op);
  const int64_t feature_groups = ten_op_int(op, "feature_group_count", 1),
                batch_groups = ten_op_int(op, "batch_group_count", 1), features = type->dims[dims.output_feature],
                inputs = kernel->type->dims[dims.kernel_input_feature];
  simt_ix *at_x = simt_indices(gen, x->type->rank), *at_k = simt_indices(gen, kernel->type->rank);
  const simt_ix feature = index[dims.output_feature];
  at_k[dims.kernel_output_feature] = feature;
  at_x[dims.input_batch] = index[dims.output_batch];
  if (batch_groups > 1) {
    const simt_ix group = simt_divide(gen, feature, features / batch_groups);
    at_x[dims.input_batch] =
        simt_add(gen, index[dims.output_batch], simt_multiply(gen, group, type->dims[dims.output_batch]));
  }
  simt_ix first = simt_number(0);
  if (feature_groups > 1) first = simt_multiply(gen, simt_divide(gen, feature, features / feature_groups), inputs);
  const ten_dtype work = sum_type(x->type->dtype, type->dtype);
  const simt_var sum = simt_var_new(gen, work, simt_zero(gen, work));
  ten_buf inside = {0};
  ten_buf_adds(&inside, "if (true");
  for (uint32_t d = 0; d < window.rank; d++) {
    const int64_t size = kernel->type->dims[dims.kernel_spatial.data[d]];
    const simt_ix k = simt_loop(gen, size);
    at_k[dims.kernel_spatial.data[d]] = window.reversal[d] ? simt_subtract(gen, simt_number(size - 1), k) : k;
    const int64_t place = dims.output_spatial.data[d];
    at_x[dims.input_spatial.data[d]] = simt_window_position(gen, &window, d, x->type->dims[dims.input_spatial.data[d]],
                                                            index[place], k, size, type->dims[place], &inside);
  }
  simt_open(gen, "%s)", inside.data);
  ten_buf_free(&inside);
  const simt_ix input = simt_loop(gen, inputs);
  at_k[dims.kernel_input_feature] = input;
  at_x[dims.input_feature] = simt_add(gen, first, input);
  accumulate(gen, &sum, x, at_x, kernel, at_k);
  for (uint32_t d = 0; d < window.rank + 2; d++) simt_close(gen);
  out[0] = simt_convert(gen, work, type->dtype, sum.at);
}
