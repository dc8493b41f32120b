/* contract.c: index arithmetic and operand layouts of matmuls and convolutions. */
#include "backend/simt/contract.h"

#include <inttypes.h>
#include <string.h>

#include "backend/simt/vectors.h"
#include "ir/index_map.h"

static bool is_summed_in_f32(ten_dtype dtype) { return ten_dtype_is_float(dtype) && dtype != TEN_F64; }

static int64_t product(const ten_type *type, ten_ints dims) {
  int64_t count = 1;
  for (size_t i = 0; i < dims.count; i++) count *= type->dims[dims.data[i]];
  return count;
}

bool simt_is_weight_gradient(const ten_op *op) {
  if (op->code != TEN_OP_CONVOLUTION || ten_op_int(op, "feature_group_count", 1) > 1 ||
      ten_op_int(op, "batch_group_count", 1) > 1)
    return false;
  const ten_conv_dims dims = ten_conv_dims_of(ten_op_attr(op, "dimension_numbers"));
  const ten_type *kernel = ten_op_operand(op, 1)->type, *type = op->results[0].type;
  return product(kernel, dims.kernel_spatial) > 2 * product(type, dims.output_spatial) &&
         type->dims[dims.output_batch] % 8 == 0 && type->dims[dims.output_feature] % 8 == 0;
}

bool simt_contraction_of(simt_gen *gen, const ten_op *op, simt_contraction *out) {
  if (op->code != TEN_OP_DOT_GENERAL && op->code != TEN_OP_CONVOLUTION) return false;
  const ten_type *x = ten_op_operand(op, 0)->type, *y = ten_op_operand(op, 1)->type, *type = op->results[0].type;
  if (!is_summed_in_f32(x->dtype) || !is_summed_in_f32(y->dtype) || !is_summed_in_f32(type->dtype)) return false;
  const int64_t count = ten_type_count(type);
  if (!count) return false;
  *out = (simt_contraction){.op = op};
  if (op->code == TEN_OP_DOT_GENERAL) {
    const ten_dot_dims dims = ten_dot_dims_of(ten_op_attr(op, "dot_dimension_numbers"));
    out->batch = product(x, dims.lhs_batch);
    out->depth = product(x, dims.lhs_contract);
    if (!out->depth) return false;
    out->rows = ten_type_count(x) / out->batch / out->depth;
    out->columns = ten_type_count(y) / out->batch / out->depth;
    return true;
  }
  const ten_conv_dims dims = ten_conv_dims_of(ten_op_attr(op, "dimension_numbers"));
  const int64_t feature_groups = ten_op_int(op, "feature_group_count", 1),
                batch_groups = ten_op_int(op, "batch_group_count", 1);
  out->batch = feature_groups * batch_groups; /* one of them is 1 */
  out->columns = type->dims[dims.output_feature] / out->batch;
  out->rows = count / type->dims[dims.output_feature];
  out->depth = y->dims[dims.kernel_input_feature] * product(y, dims.kernel_spatial);
  out->image_last = simt_is_weight_gradient(op);
  (void)gen;
  return out->depth > 0;
}

/* Delinearizes `linear` over the listed dimensions of the type, the last fastest. */
static void spread(simt_gen *gen, const ten_type *type, const int64_t *list, uint32_t count, simt_ix linear,
                   simt_ix *at) {
  int64_t *dims = ten_arena_new_array(&gen->ir->arena, int64_t, count + 1);
  simt_ix *parts = simt_indices(gen, count);
  for (uint32_t i = 0; i < count; i++) dims[i] = type->dims[list[i]];
  simt_delinearise(gen, count, dims, linear, parts);
  for (uint32_t i = 0; i < count; i++) at[list[i]] = parts[i];
}

static uint32_t free_dims(simt_gen *gen, uint32_t rank, ten_ints batch, ten_ints contract, int64_t **out) {
  uint32_t count = 0;
  *out = ten_arena_new_array(&gen->ir->arena, int64_t, rank + 1);
  for (uint32_t i = 0; i < rank; i++)
    if (!ten_ints_has(batch, i) && !ten_ints_has(contract, i)) (*out)[count++] = i;
  return count;
}

static void dot_at(simt_gen *gen, const simt_contraction *c, int side, simt_ix batch, simt_ix line, simt_ix depth,
                   simt_ix *at) {
  const ten_dot_dims dims = ten_dot_dims_of(ten_op_attr(c->op, "dot_dimension_numbers"));
  const ten_type *type = ten_op_operand(c->op, (uint32_t)side)->type;
  const ten_ints batches = side ? dims.rhs_batch : dims.lhs_batch,
                 contract = side ? dims.rhs_contract : dims.lhs_contract;
  int64_t *lines;
  const uint32_t count = free_dims(gen, type->rank, batches, contract, &lines);
  spread(gen, type, batches.data, (uint32_t)batches.count, batch, at);
  spread(gen, type, lines, count, line, at);
  spread(gen, type, contract.data, (uint32_t)contract.count, depth, at);
}

/* (image, positions) of a row, or (positions, image). */
static void conv_row(simt_gen *gen, const simt_contraction *c, const ten_conv_dims *dims, simt_ix row, simt_ix *at) {
  const uint32_t count = (uint32_t)dims->output_spatial.count + 1, first = c->image_last ? 0 : 1;
  int64_t *list = ten_arena_new_array(&gen->ir->arena, int64_t, count);
  list[c->image_last ? count - 1 : 0] = dims->output_batch;
  for (uint32_t i = 0; i + 1 < count; i++) list[first + i] = dims->output_spatial.data[i];
  spread(gen, c->op->results[0].type, list, count, row, at);
}

static void conv_depth(simt_gen *gen, const ten_conv_dims *dims, const ten_type *kernel, simt_ix depth, simt_ix *at) {
  const uint32_t count = (uint32_t)dims->kernel_spatial.count + 1;
  int64_t *list = ten_arena_new_array(&gen->ir->arena, int64_t, count);
  for (uint32_t i = 0; i + 1 < count; i++) list[i] = dims->kernel_spatial.data[i];
  list[count - 1] = dims->kernel_input_feature;
  spread(gen, kernel, list, count, depth, at);
}

static void conv_at(simt_gen *gen, const simt_contraction *c, int side, simt_ix batch, simt_ix line, simt_ix depth,
                    simt_ix *at, ten_buf *inside) {
  const ten_conv_dims dims = ten_conv_dims_of(ten_op_attr(c->op, "dimension_numbers"));
  const ten_window window = ten_op_window(gen->ir, c->op);
  const ten_type *input = ten_op_operand(c->op, 0)->type, *kernel = ten_op_operand(c->op, 1)->type,
                 *type = c->op->results[0].type;
  simt_ix *tap = simt_indices(gen, kernel->rank);
  conv_depth(gen, &dims, kernel, depth, tap);
  if (side == SIMT_RIGHT) {
    memcpy(at, tap, kernel->rank * sizeof *at);
    at[dims.kernel_output_feature] = simt_add(gen, simt_multiply(gen, batch, c->columns), line);
    for (uint32_t d = 0; d < window.rank; d++) {
      const int64_t k = dims.kernel_spatial.data[d];
      if (window.reversal[d]) at[k] = simt_subtract(gen, simt_number(kernel->dims[k] - 1), at[k]);
    }
    return;
  }
  simt_ix *place = simt_indices(gen, type->rank);
  conv_row(gen, c, &dims, line, place);
  const bool by_batch = ten_op_int(c->op, "batch_group_count", 1) > 1;
  const int64_t images = type->dims[dims.output_batch], inputs = kernel->dims[dims.kernel_input_feature];
  at[dims.input_batch] = place[dims.output_batch];
  at[dims.input_feature] = tap[dims.kernel_input_feature];
  if (by_batch)
    at[dims.input_batch] = simt_add(gen, simt_multiply(gen, batch, images), at[dims.input_batch]);
  else
    at[dims.input_feature] = simt_add(gen, simt_multiply(gen, batch, inputs), at[dims.input_feature]);
  for (uint32_t d = 0; d < window.rank; d++) {
    const int64_t from = dims.input_spatial.data[d];
    at[from] = simt_window_position(gen, &window, d, input->dims[from], place[dims.output_spatial.data[d]],
                                    tap[dims.kernel_spatial.data[d]], kernel->dims[dims.kernel_spatial.data[d]],
                                    type->dims[dims.output_spatial.data[d]], inside);
  }
}

void simt_contraction_at(simt_gen *gen, const simt_contraction *c, int side, simt_ix batch, simt_ix line, simt_ix depth,
                         simt_ix *out, ten_buf *inside) {
  if (c->op->code == TEN_OP_DOT_GENERAL)
    dot_at(gen, c, side, batch, line, depth, out);
  else
    conv_at(gen, c, side, batch, line, depth, out, inside);
}

void simt_contraction_result(simt_gen *gen, const simt_contraction *c, simt_ix batch, simt_ix row, simt_ix column,
                             simt_ix *out) {
  const ten_type *type = c->op->results[0].type;
  if (c->op->code == TEN_OP_CONVOLUTION) {
    const ten_conv_dims dims = ten_conv_dims_of(ten_op_attr(c->op, "dimension_numbers"));
    conv_row(gen, c, &dims, row, out);
    out[dims.output_feature] = simt_add(gen, simt_multiply(gen, batch, c->columns), column);
    return;
  }
  const ten_dot_dims dims = ten_dot_dims_of(ten_op_attr(c->op, "dot_dimension_numbers"));
  const uint32_t batches = (uint32_t)dims.lhs_batch.count,
                 rows = ten_op_operand(c->op, 0)->type->rank - batches - (uint32_t)dims.lhs_contract.count;
  simt_delinearise(gen, batches, type->dims, batch, out);
  simt_delinearise(gen, rows, type->dims + batches, row, out + batches);
  simt_delinearise(gen, type->rank - batches - rows, type->dims + batches + rows, column, out + batches + rows);
}

/* Whether an output's position is the input's: windows of one element. */
static bool is_pointwise(simt_gen *gen, const simt_contraction *c, const ten_conv_dims *dims) {
  const ten_window window = ten_op_window(gen->ir, c->op);
  const ten_type *input = ten_op_operand(c->op, 0)->type, *kernel = ten_op_operand(c->op, 1)->type,
                 *type = c->op->results[0].type;
  for (uint32_t d = 0; d < window.rank; d++)
    if (kernel->dims[dims->kernel_spatial.data[d]] != 1 || window.strides[d] != 1 || window.padding[2 * d] != 0 ||
        input->dims[dims->input_spatial.data[d]] != type->dims[dims->output_spatial.data[d]])
      return false;
  return c->batch == 1 && !c->image_last;
}

/* A list of `first`, the spatial dimensions and `last`; -1: there is none of them. */
static uint32_t list_dims(simt_gen *gen, int64_t first, ten_ints spatial, int64_t last, const int64_t **out) {
  int64_t *list = ten_arena_new_array(&gen->ir->arena, int64_t, spatial.count + 2);
  uint32_t count = 0;
  if (first >= 0) list[count++] = first;
  for (size_t i = 0; i < spatial.count; i++) list[count++] = spatial.data[i];
  if (last >= 0) list[count++] = last;
  *out = list;
  return count;
}

static void window_dims(simt_gen *gen, const simt_contraction *c, const ten_conv_dims *dims, simt_window *out) {
  const ten_ints none = {0};
  const int64_t image = c->image_last ? dims->input_feature : dims->input_batch,
                feature = c->image_last ? dims->input_batch : dims->input_feature;
  out->input.line_count = list_dims(gen, image, dims->input_spatial, -1, &out->input.lines);
  out->input.depth_count = list_dims(gen, feature, none, -1, &out->input.depth);
  out->kernel.line_count = list_dims(gen, dims->kernel_output_feature, none, -1, &out->kernel.lines);
  if (c->image_last) {
    out->kernel.depth_count = list_dims(gen, dims->kernel_input_feature, dims->kernel_spatial, -1, &out->kernel.depth);
    return;
  }
  out->kernel.batch_count = list_dims(gen, -1, dims->kernel_spatial, -1, &out->kernel.batch);
  out->kernel.depth_count = list_dims(gen, dims->kernel_input_feature, none, -1, &out->kernel.depth);
}

bool simt_contraction_window(simt_gen *gen, const simt_contraction *c, simt_window *out) {
  if (c->op->code != TEN_OP_CONVOLUTION || c->batch != 1) return false;
  const ten_conv_dims dims = ten_conv_dims_of(ten_op_attr(c->op, "dimension_numbers"));
  const ten_window window = ten_op_window(gen->ir, c->op);
  const ten_type *input = ten_op_operand(c->op, 0)->type, *kernel = ten_op_operand(c->op, 1)->type,
                 *type = c->op->results[0].type;
  if (window.rank < 1 || window.rank > SIMT_WINDOW_MOST) return false;
  *out = (simt_window){.rank = window.rank, .tap_count = 1, .mirrored = window.reversal[0]};
  out->images = input->dims[c->image_last ? dims.input_feature : dims.input_batch];
  out->features = input->dims[c->image_last ? dims.input_batch : dims.input_feature];
  for (uint32_t d = 0; d < window.rank; d++) {
    const int64_t places = type->dims[dims.output_spatial.data[d]], taps = kernel->dims[dims.kernel_spatial.data[d]];
    if (window.base_dilation[d] != 1 || (bool)window.reversal[d] != out->mirrored) return false;
    out->low[d] = -window.padding[2 * d];
    out->sizes[d] = input->dims[dims.input_spatial.data[d]];
    out->pixels[d] = c->image_last ? taps : places;
    out->steps[d] = c->image_last ? window.dilation[d] : window.strides[d];
    out->taps[d] = c->image_last ? places : taps;
    out->tap_steps[d] = c->image_last ? window.strides[d] : window.dilation[d];
    out->tap_count *= out->taps[d];
  }
  if (c->image_last && out->mirrored) return false;
  window_dims(gen, c, &dims, out);
  return true;
}

bool simt_contraction_dims(simt_gen *gen, const simt_contraction *c, int side, simt_operand_dims *out) {
  *out = (simt_operand_dims){0};
  if (c->op->code == TEN_OP_CONVOLUTION) {
    const ten_conv_dims dims = ten_conv_dims_of(ten_op_attr(c->op, "dimension_numbers"));
    const ten_ints none = {0};
    if (!is_pointwise(gen, c, &dims)) return false;
    out->line_count = side ? list_dims(gen, dims.kernel_output_feature, none, -1, &out->lines)
                           : list_dims(gen, dims.input_batch, dims.input_spatial, -1, &out->lines);
    out->depth_count = side ? list_dims(gen, -1, dims.kernel_spatial, dims.kernel_input_feature, &out->depth)
                            : list_dims(gen, dims.input_feature, none, -1, &out->depth);
    return true;
  }
  const ten_dot_dims dims = ten_dot_dims_of(ten_op_attr(c->op, "dot_dimension_numbers"));
  const ten_ints batch = side ? dims.rhs_batch : dims.lhs_batch,
                 contract = side ? dims.rhs_contract : dims.lhs_contract;
  int64_t *lines;
  out->line_count = free_dims(gen, ten_op_operand(c->op, (uint32_t)side)->type->rank, batch, contract, &lines);
  out->lines = lines;
  out->batch = batch.data, out->batch_count = (uint32_t)batch.count;
  out->depth = contract.data, out->depth_count = (uint32_t)contract.count;
  return true;
}

ten_dtype simt_source_dtype(const ten_value *value) {
  const ten_dtype own = value->type->dtype;
  while (value->op) {
    const ten_op *op = value->op;
    const ten_value *x = op->operand_count ? ten_op_operand(op, 0) : NULL;
    if (op->code == TEN_OP_CONVERT && own == TEN_F32)
      return x->type->dtype == TEN_BF16 || x->type->dtype == TEN_F16 ? x->type->dtype : own;
    if (op->code != TEN_OP_TRANSPOSE && op->code != TEN_OP_RESHAPE && op->code != TEN_OP_SLICE &&
        op->code != TEN_OP_BROADCAST_IN_DIM)
      return own;
    value = x;
  }
  return own;
}

/* The dimension along which elements are contiguous in memory: the last that is not of size 1. */
static int64_t innermost(const ten_type *type, const uint8_t *order) {
  for (uint32_t i = type->rank; i-- > 0;) {
    const uint32_t dim = order ? order[i] : i;
    if (type->dims[dim] != 1) return dim;
  }
  return -1;
}

static int64_t lane_through_reshape(const ten_type *from, const ten_type *to, int64_t lane, int64_t width) {
  for (ten_reshape_run run = {0}; ten_reshape_next(from, to, &run);) {
    if (lane < run.from || lane >= run.from_end) continue;
    for (uint32_t i = (uint32_t)lane + 1; i < run.from_end; i++)
      if (from->dims[i] != 1) return -1;
    for (uint32_t i = run.to_end; i-- > run.to;)
      if (to->dims[i] != 1) return to->dims[i] % width ? -1 : (int64_t)i;
  }
  return -1;
}

/* Maps a lane from a fused value to its operand; -1 if contiguity is lost. */
static int64_t lane_through(const ten_op *op, int64_t lane, int64_t width) {
  const ten_value *x = ten_op_operand(op, 0);
  switch (op->code) {
    case TEN_OP_CONVERT: return x->type->dtype == TEN_BF16 || x->type->dtype == TEN_F16 ? lane : -1;
    case TEN_OP_RESHAPE: return lane_through_reshape(op->results[0].type, x->type, lane, width);
    case TEN_OP_TRANSPOSE:
    case TEN_OP_SLICE:
    case TEN_OP_BROADCAST_IN_DIM:
      for (uint32_t i = 0; i < x->type->rank; i++) {
        const ten_index_part part = ten_index_part_of(op, i);
        if (part.source == lane) return part.scale == 1 && part.offset % width == 0 ? (int64_t)i : -1;
      }
      return -1;
    default: return -1;
  }
}

static const ten_value *lane_source(simt_gen *gen, const ten_value *value, int64_t lane, int64_t width) {
  while (lane >= 0 && value->type->dims[lane] % width == 0) {
    if (gen->stored[value->number]) return innermost(value->type, simt_order(gen, value)) == lane ? value : NULL;
    if (!value->op || !value->op->operand_count) return NULL;
    const ten_value *x = ten_op_operand(value->op, 0);
    if (value->op->code == TEN_OP_RESHAPE && gen->stored[x->number] && !simt_order(gen, x) &&
        innermost(value->type, NULL) == lane)
      return x; /* dimensions that were put together follow each other */
    lane = lane_through(value->op, lane, width);
    value = ten_op_operand(value->op, 0);
  }
  return NULL;
}

const ten_value *simt_contraction_lane(simt_gen *gen, const simt_contraction *c, int side, bool deep, int64_t width) {
  const ten_value *value = ten_op_operand(c->op, (uint32_t)side);
  int64_t lane = -1;
  if (c->op->code == TEN_OP_CONVOLUTION) {
    const ten_conv_dims dims = ten_conv_dims_of(ten_op_attr(c->op, "dimension_numbers"));
    const int64_t inputs = ten_op_operand(c->op, 1)->type->dims[dims.kernel_input_feature];
    if (deep && inputs % width == 0) lane = side ? dims.kernel_input_feature : dims.input_feature;
    if (!deep && side && c->columns % width == 0) lane = dims.kernel_output_feature;
    if (!deep && !side && c->image_last) lane = dims.input_batch;
    return lane_source(gen, value, lane, width);
  }
  const ten_dot_dims dims = ten_dot_dims_of(ten_op_attr(c->op, "dot_dimension_numbers"));
  const ten_ints contract = side ? dims.rhs_contract : dims.lhs_contract;
  int64_t *lines;
  const uint32_t count = free_dims(gen, value->type->rank, side ? dims.rhs_batch : dims.lhs_batch, contract, &lines);
  if (deep && contract.count) lane = contract.data[contract.count - 1];
  if (!deep && count) lane = lines[count - 1];
  return lane_source(gen, value, lane, width);
}

bool simt_result_lane(simt_gen *gen, const simt_contraction *c, const ten_value *stored, bool columns) {
  const ten_type *type = c->op->results[0].type;
  if (stored->type->rank != type->rank) return columns;
  const int64_t last = innermost(stored->type, simt_order(gen, stored));
  if (c->op->code == TEN_OP_DOT_GENERAL) return (c->columns == 1) != columns;
  const ten_conv_dims dims = ten_conv_dims_of(ten_op_attr(c->op, "dimension_numbers"));
  return (last == dims.output_feature) == columns;
}

bool simt_contraction_stores(simt_gen *gen, const simt_contraction *c, const ten_value *stored, int64_t width) {
  const ten_type *type = c->op->results[0].type;
  if (c->columns % width) return false;
  int64_t last = (int64_t)type->rank - 1;
  if (c->op->code == TEN_OP_CONVOLUTION)
    last = ten_conv_dims_of(ten_op_attr(c->op, "dimension_numbers")).output_feature;
  if (type->dims[last] % width) return false;
  if (!simt_same_dims(stored->type, type))
    return last == (int64_t)type->rank - 1 && !simt_order(gen, stored) && simt_same_lines(stored->type, type);
  return innermost(stored->type, simt_order(gen, stored)) == last;
}

simt_ix simt_follow(simt_gen *gen, const ten_value *value, const simt_ix *index, const ten_value **out_stored) {
  while (!gen->stored[value->number]) {
    const ten_op *op = value->op;
    const ten_value *x = ten_op_operand(op, 0);
    if (op->code == TEN_OP_RESHAPE && gen->stored[x->number] && !simt_order(gen, x)) {
      *out_stored = x;
      return simt_linear(gen, value->type, index);
    }
    if (op->code != TEN_OP_CONVERT) {
      simt_ix *at = simt_indices(gen, x->type->rank);
      simt_operand_index(gen, op, index, at);
      index = at;
    }
    value = x;
  }
  *out_stored = value;
  return simt_place(gen, value, index);
}
