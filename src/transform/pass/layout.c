/* layout.c: converts 2-D convolutions to channels last, for the whole program at once.
 *
 * First each convolution is rewritten to the layout of its kernel, with transposes around it. Then transposes sink: an
 * op whose operands all have the same transpose (or can be transposed for free: constants, broadcasts) is applied
 * before the transpose, and its result is transposed instead, until two transposes cancel, a matmul or a reduction
 * absorbs one, or one remains where the order is visible. So is a reshape of dimensions that stay next to each other:
 * between the tokens of a transformer and an image.
 *
 * A convolution over the batch whose window is larger than its output is the gradient of another by its kernel: its
 * layout is [n, h, w, c] on both sides and [kh, kw, ci, co] out.
 * Needs: static shapes.  Keeps: results, types, order of effects. */
#include "ir/builder.h"
#include "transform/pass/pass.h"

enum { RANK_MAX = 32 };

typedef struct permutation {
  int64_t order[RANK_MAX]; /* result dimension i is operand dimension order[i] */
  uint32_t rank;
} permutation;

static permutation permutation_of(const ten_op *transpose) {
  const ten_ints order = ten_op_ints(transpose, "permutation");
  permutation t = {.rank = (uint32_t)order.count};
  memcpy(t.order, order.data, order.count * sizeof *t.order);
  return t;
}

static permutation inverse(const permutation *t) {
  permutation back = {.rank = t->rank};
  for (uint32_t i = 0; i < t->rank; i++) back.order[t->order[i]] = i;
  return back;
}

static bool same_permutation(const permutation *a, const permutation *b) {
  return a->rank == b->rank && !memcmp(a->order, b->order, a->rank * sizeof *a->order);
}

static ten_op *transpose_of(const ten_value *value) {
  ten_op *op = value->op;
  return op && op->code == TEN_OP_TRANSPOSE && op->operand_count == 1 && ten_op_operand(op, 0)->type->rank <= RANK_MAX
             ? op
             : NULL;
}

static ten_builder at(ten_module *module, ten_op *op) {
  return (ten_builder){.module = module, .block = op->block, .before = op, .loc = op->loc};
}

static void replace(ten_op *op, ten_value *by) {
  ten_value_replace(&op->results[0], by);
  ten_op_erase(op);
}

/* Convolutions. */
static const int64_t forward_order[4] = {0, 1, 2, 3};

static bool in_order(const permutation *t) { return !memcmp(t->order, forward_order, sizeof forward_order); }

/* The gradient by a kernel: batch and features in each other's place, and a window larger than the output, ignoring
 * dimensions that planar.c added. */
static bool is_by_kernel(const ten_type *kernel, const ten_type *output, const ten_conv_dims *d) {
  bool larger = false;
  if (d->input_batch < d->input_feature) return false;
  for (size_t i = 0; i < 2; i++) {
    const int64_t window = kernel->dims[d->kernel_spatial.data[i]], out = output->dims[d->output_spatial.data[i]];
    if (window < out || (window == out && window != 1)) return false;
    larger |= window > out;
  }
  return larger;
}

static void conv_channels_last(ten_module *module, ten_op *op) {
  const ten_type *x = ten_op_operand(op, 0)->type, *k = ten_op_operand(op, 1)->type, *y = op->results[0].type;
  const bool integers = y->dtype == TEN_I32 && (x->dtype == TEN_I32 || x->dtype == TEN_I8);
  const bool known = x->dtype == k->dtype && (x->dtype == TEN_F32 || x->dtype == TEN_BF16 || integers) &&
                     (y->dtype == TEN_F32 || y->dtype == x->dtype || integers);
  if (x->rank != 4 || !known || !ten_type_is_static(x) || !ten_type_is_static(y)) return;
  const bool batch_groups = ten_op_int(op, "batch_group_count", 1) != 1,
             feature_groups = ten_op_int(op, "feature_group_count", 1) != 1;
  if ((batch_groups || feature_groups) && x->dtype == TEN_BF16) return;
  const ten_conv_dims d = ten_conv_dims_of(ten_op_attr(op, "dimension_numbers"));
  if (integers && batch_groups) return;
  const bool by_kernel = batch_groups || (!feature_groups && !integers && is_by_kernel(k, y, &d));
  permutation input = {.order = {d.input_batch, d.input_spatial.data[0], d.input_spatial.data[1], d.input_feature},
                       .rank = 4};
  permutation kernel = {.order = {0, 1, 2, 3}, .rank = 4};
  permutation output = {.order = {d.output_batch, d.output_spatial.data[0], d.output_spatial.data[1], d.output_feature},
                        .rank = 4};
  if (by_kernel) {
    input = (permutation){.order = {d.input_feature, d.input_spatial.data[0], d.input_spatial.data[1], d.input_batch},
                          .rank = 4};
    kernel = (permutation){
        .order = {d.kernel_input_feature, d.kernel_spatial.data[0], d.kernel_spatial.data[1], d.kernel_output_feature},
        .rank = 4};
    output = (permutation){
        .order = {d.output_spatial.data[0], d.output_spatial.data[1], d.output_batch, d.output_feature}, .rank = 4};
  }
  if (in_order(&input) && in_order(&kernel) && in_order(&output)) return;
  const permutation input_back = inverse(&input), kernel_back = inverse(&kernel), output_back = inverse(&output);
  const ten_conv_dims transposed = {
      .input_batch = input_back.order[d.input_batch],
      .input_feature = input_back.order[d.input_feature],
      .input_spatial = {(int64_t[]){input_back.order[d.input_spatial.data[0]],
                                    input_back.order[d.input_spatial.data[1]]},
                        2},
      .kernel_input_feature = kernel_back.order[d.kernel_input_feature],
      .kernel_output_feature = kernel_back.order[d.kernel_output_feature],
      .kernel_spatial = {(int64_t[]){kernel_back.order[d.kernel_spatial.data[0]],
                                     kernel_back.order[d.kernel_spatial.data[1]]},
                         2},
      .output_batch = output_back.order[d.output_batch],
      .output_feature = output_back.order[d.output_feature],
      .output_spatial = {
          (int64_t[]){output_back.order[d.output_spatial.data[0]], output_back.order[d.output_spatial.data[1]]}, 2}};
  ten_builder b = at(module, op);
  ten_value *operands[] = {ten_build_transpose(&b, ten_op_operand(op, 0), input.order),
                           ten_build_transpose(&b, ten_op_operand(op, 1), kernel.order)};
  int64_t dims[4];
  for (int i = 0; i < 4; i++) dims[i] = y->dims[output.order[i]];
  const ten_type *type = ten_type_with_shape(module, y, 4, dims);
  ten_op *conv = ten_build_op(&b, TEN_OP_CONVOLUTION, 2, operands, 1, &type, op->attr_count, op->attrs, 0);
  ten_op_set_attr(module, conv, TEN_STR("dimension_numbers"), ten_attr_conv_dims(module, &transposed));
  replace(op, ten_build_transpose(&b, &conv->results[0], output_back.order));
}

/* A transposed kernel is read in its original layout. */
static void absorb_kernel_turn(ten_module *module, ten_op *op) {
  const ten_op *transpose = transpose_of(ten_op_operand(op, 1));
  if (!transpose) return;
  const permutation t = permutation_of(transpose);
  const ten_conv_dims d = ten_conv_dims_of(ten_op_attr(op, "dimension_numbers"));
  int64_t spatial[RANK_MAX];
  for (size_t i = 0; i < d.kernel_spatial.count; i++) spatial[i] = t.order[d.kernel_spatial.data[i]];
  ten_conv_dims moved = d;
  moved.kernel_input_feature = t.order[d.kernel_input_feature];
  moved.kernel_output_feature = t.order[d.kernel_output_feature];
  moved.kernel_spatial = (ten_ints){spatial, d.kernel_spatial.count};
  ten_op_set_operand(op, 1, ten_op_operand(transpose, 0));
  ten_op_set_attr(module, op, TEN_STR("dimension_numbers"), ten_attr_conv_dims(module, &moved));
}

/* A reversed kernel (the gradient by the input) is read backwards. */
static void absorb_kernel_reverse(ten_module *module, ten_op *op) {
  const ten_op *reverse = ten_op_operand(op, 1)->op;
  if (!reverse || reverse->code != TEN_OP_REVERSE) return;
  const ten_ints dims = ten_op_ints(reverse, "dimensions");
  const ten_conv_dims d = ten_conv_dims_of(ten_op_attr(op, "dimension_numbers"));
  const ten_window w = ten_op_window(module, op);
  uint8_t reversal[RANK_MAX];
  if (w.rank > RANK_MAX) return;
  for (size_t i = 0; i < dims.count; i++)
    if (!ten_ints_has(d.kernel_spatial, dims.data[i])) return;
  for (uint32_t i = 0; i < w.rank; i++)
    reversal[i] = (uint8_t)(!w.reversal[i] != !ten_ints_has(dims, d.kernel_spatial.data[i]));
  ten_op_set_operand(op, 1, ten_op_operand(reverse, 0));
  ten_op_set_attr(module, op, TEN_STR("window_reversal"), ten_attr_list(module, TEN_I1, w.rank, reversal));
}

void ten_conv_absorb_kernel(ten_module *module, ten_op *op) {
  absorb_kernel_turn(module, op);
  absorb_kernel_reverse(module, op);
  absorb_kernel_turn(module, op);
}

/* Sinking. A value before permutation t, if that is free; else NULL. */
static ten_value *before_transpose(ten_builder *b, ten_value *value, const permutation *t) {
  const ten_op *op = value->op;
  const permutation back = inverse(t);
  if (value->type->rank != t->rank || !op) return NULL;
  if (op->code == TEN_OP_TRANSPOSE) {
    const permutation own = permutation_of(op);
    return same_permutation(&own, t) ? ten_op_operand(op, 0) : NULL;
  }
  if (op->code == TEN_OP_CONSTANT) {
    const ten_attr *data = ten_value_constant(value);
    if (!data) return NULL;
    int64_t dims[RANK_MAX];
    for (uint32_t i = 0; i < t->rank; i++) dims[i] = value->type->dims[back.order[i]];
    const ten_type *type = ten_type_with_shape(b->module, value->type, t->rank, dims);
    if (data->dense.splat || ten_type_count(type) == 1)
      return ten_build_constant(
          b, ten_attr_dense_view(b->module, type, data->dense.data, data->dense.size, data->dense.splat));
    return NULL;
  }
  if (op->code == TEN_OP_BROADCAST_IN_DIM) { /* operand dimension d maps to map[d]: compose with the transpose */
    const ten_ints map = ten_op_ints(op, "broadcast_dimensions");
    ten_value *x = ten_op_operand(op, 0);
    int64_t moved[RANK_MAX], dims[RANK_MAX], shape[RANK_MAX];
    uint32_t count = 0;
    for (size_t i = 0; i < map.count; i++) { /* dimensions of size one have no order */
      if (x->type->dims[i] == 1) continue;
      moved[count] = t->order[map.data[i]];
      shape[count++] = x->type->dims[i];
    }
    for (uint32_t i = 0; i < t->rank; i++) dims[i] = value->type->dims[back.order[i]];
    for (uint32_t i = 1; i < count; i++)
      if (moved[i] < moved[i - 1]) return NULL; /* it would need a transpose */
    return ten_build_broadcast(b, ten_build_reshape(b, x, count, shape), t->rank, dims, moved);
  }
  return NULL;
}

/* The operands of op before permutation t; scalars of select and clamp stay. False when one of them is not free. */
static bool operands_before(ten_builder *b, const ten_op *op, const permutation *t, ten_value **out) {
  for (uint32_t i = 0; i < op->operand_count; i++) {
    ten_value *value = ten_op_operand(op, i);
    if (ten_op_has(op, TEN_TRAIT_BROADCASTS_SCALARS) && !value->type->rank)
      out[i] = value;
    else if (!(out[i] = before_transpose(b, value, t)))
      return false;
  }
  return true;
}

static const ten_type *type_before(ten_module *module, const ten_type *type, const permutation *t) {
  int64_t dims[RANK_MAX];
  for (uint32_t i = 0; i < t->rank; i++) dims[t->order[i]] = type->dims[i];
  return ten_type_with_shape(module, type, t->rank, dims);
}

static const ten_op *first_transposed(const ten_op *op) {
  for (uint32_t i = 0; i < op->operand_count; i++) {
    const ten_op *transpose = transpose_of(ten_op_operand(op, i));
    if (transpose) return transpose;
  }
  return NULL;
}

/* The gradient by a kernel, or what is computed from it element by element. */
static bool is_kernel_gradient(const ten_value *value) {
  enum { DEPTH = 8 };
  const ten_op *op = value->op;
  for (int left = DEPTH; op && left && ten_op_has(op, TEN_TRAIT_ELEMENTWISE | TEN_TRAIT_BROADCASTS_SCALARS); left--)
    op = ten_op_operand(op, 0)->op;
  if (!op || op->code != TEN_OP_CONVOLUTION) return false;
  return ten_conv_dims_of(ten_op_attr(op, "dimension_numbers")).output_batch == 2; /* conv_channels_last */
}

/* An update of weights reads the transposed gradient next to its arguments, in their order: then it is in memory in
 * that order. Squared before the transpose, for the second moment, it would be transposed again, element by element
 * inside of the update's loop, which would be two. */
static bool stays(const ten_op *transpose) {
  if (!is_kernel_gradient(ten_op_operand(transpose, 0))) return false;
  for (const ten_use *use = transpose->results[0].uses; use; use = use->next)
    for (uint32_t i = 0; i < use->owner->operand_count; i++) {
      const ten_value *other = ten_op_operand(use->owner, i);
      if (ten_op_has(use->owner, TEN_TRAIT_ELEMENTWISE) && !other->op && other->type->rank) return true;
    }
  return false;
}

static void sink_elementwise(ten_module *module, ten_op *op) {
  const ten_op *transposed = first_transposed(op);
  ten_value *operands[8];
  if (!transposed || stays(transposed) || op->operand_count > 8 || op->result_count != 1 || !op->results[0].type->rank)
    return;
  const permutation t = permutation_of(transposed);
  ten_builder b = at(module, op);
  if (!operands_before(&b, op, &t, operands)) return;
  const ten_type *type = type_before(module, op->results[0].type, &t);
  ten_op *moved = ten_build_op(&b, op->code, op->operand_count, operands, 1, &type, op->attr_count, op->attrs, 0);
  replace(op, ten_build_transpose(&b, &moved->results[0], t.order));
}

static const ten_attr *dims_before(ten_module *module, const ten_attr *attr, const permutation *t) {
  const ten_ints list = ten_attr_as_ints(attr);
  int64_t moved[RANK_MAX];
  if (!attr || list.count != t->rank) return attr;
  for (uint32_t i = 0; i < t->rank; i++) moved[t->order[i]] = list.data[i];
  return ten_attr_dims(module, t->rank, moved);
}

static const ten_attr *pairs_before(ten_module *module, const ten_attr *attr, const permutation *t) {
  const int64_t shape[] = {t->rank, 2};
  int64_t moved[2 * RANK_MAX];
  if (!attr || attr->dense.splat) return attr;
  const ten_ints list = ten_attr_as_ints(attr);
  if (list.count != 2 * t->rank) return attr;
  for (uint32_t i = 0; i < t->rank; i++) {
    moved[2 * t->order[i]] = list.data[2 * i];
    moved[2 * t->order[i] + 1] = list.data[2 * i + 1];
  }
  return ten_attr_dense_i64(module, 2, shape, moved);
}

static void move_regions(ten_module *module, const ten_op *from, ten_op *to) {
  for (uint32_t r = 0; r < from->region_count; r++) {
    ten_value_map map = {0};
    const ten_block *body = ten_op_body(from, r);
    ten_block *block = ten_block_create(module, &to->regions[r]);
    for (uint32_t i = 0; i < body->arg_count; i++)
      ten_value_map_set(&map, body->args[i], ten_block_add_arg(module, block, body->args[i]->type, body->args[i]->loc));
    for (const ten_op *op = body->first; op; op = op->next) ten_op_append(block, ten_op_clone(module, op, &map));
    ten_value_map_free(&map);
  }
}

/* reduce_window, select_and_scatter, pad, slice, reverse: permutes shape attributes; scalar operands stay. */
static void sink_window(ten_module *module, ten_op *op, uint32_t tensors) {
  static const char *const lists[] = {
      "window_dimensions", "window_strides",   "base_dilations", "window_dilations", "edge_padding_low",
      "edge_padding_high", "interior_padding", "start_indices",  "limit_indices",    "strides"};
  const ten_op *transposed = transpose_of(ten_op_operand(op, 0));
  ten_value *operands[4];
  if (!transposed || op->operand_count > 4 || op->result_count != 1) return;
  const permutation t = permutation_of(transposed);
  ten_builder b = at(module, op);
  for (uint32_t i = 0; i < op->operand_count; i++) {
    operands[i] = i < tensors ? before_transpose(&b, ten_op_operand(op, i), &t) : ten_op_operand(op, i);
    if (!operands[i]) return;
  }
  const ten_type *type = type_before(module, op->results[0].type, &t);
  ten_op *moved =
      ten_build_op(&b, op->code, op->operand_count, operands, 1, &type, op->attr_count, op->attrs, op->region_count);
  for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
    const ten_attr *attr = ten_op_attr(op, lists[i]);
    if (attr) ten_op_set_attr(module, moved, ten_str_of(lists[i]), dims_before(module, attr, &t));
  }
  const ten_attr *padding = ten_op_attr(op, "padding");
  if (padding) ten_op_set_attr(module, moved, TEN_STR("padding"), pairs_before(module, padding, &t));
  move_regions(module, op, moved);
  replace(op, ten_build_transpose(&b, &moved->results[0], t.order));
}

static void sink_concatenate(ten_module *module, ten_op *op) {
  const ten_op *transposed = first_transposed(op);
  if (!transposed) return;
  const permutation t = permutation_of(transposed);
  ten_builder b = at(module, op);
  ten_value **operands = ten_arena_new_array(&module->arena, ten_value *, op->operand_count);
  if (!operands_before(&b, op, &t, operands)) return;
  ten_value *moved = ten_build_concat(&b, op->operand_count, operands, t.order[ten_op_int(op, "dimension", 0)]);
  replace(op, ten_build_transpose(&b, moved, t.order));
}

/* A reduction over transposed dimensions reduces the original dimensions instead; its result may need a
 * transpose. */
static void absorb_reduce(ten_module *module, ten_op *op) {
  const ten_op *transposed = op->operand_count == 2 ? transpose_of(ten_op_operand(op, 0)) : NULL;
  if (!transposed) return;
  const permutation t = permutation_of(transposed);
  const ten_ints dims = ten_op_ints(op, "dimensions");
  int64_t moved[RANK_MAX], kept[RANK_MAX], order[RANK_MAX], shape[RANK_MAX];
  uint32_t count = 0, rank = 0;
  for (size_t i = 0; i < dims.count; i++) moved[i] = t.order[dims.data[i]];
  for (uint32_t i = 0; i < t.rank; i++) /* in the order of the result: which dimension of the operand each is */
    if (!ten_ints_has(dims, i)) kept[count++] = t.order[i];
  for (uint32_t d = 0; d < t.rank; d++)
    for (uint32_t i = 0; i < count; i++)
      if (kept[i] == d) {
        order[i] = rank; /* result dimension i is dimension `rank` of the new reduction */
        shape[rank++] = ten_op_operand(transposed, 0)->type->dims[d];
      }
  ten_builder b = at(module, op);
  ten_value *operands[] = {ten_op_operand(transposed, 0), ten_op_operand(op, 1)};
  const ten_type *type = ten_type_with_shape(module, op->results[0].type, rank, shape);
  ten_op *reduce = ten_build_op(&b, TEN_OP_REDUCE, 2, operands, 1, &type, op->attr_count, op->attrs, 1);
  ten_op_set_attr(module, reduce, TEN_STR("dimensions"), ten_attr_dims(module, dims.count, moved));
  move_regions(module, op, reduce);
  replace(op, ten_build_transpose(&b, &reduce->results[0], order));
}

static void merge_transpose(ten_module *module, ten_op *op) {
  const ten_op *inner = transpose_of(ten_op_operand(op, 0));
  if (!inner) return;
  const permutation first = permutation_of(inner), second = permutation_of(op);
  int64_t order[RANK_MAX];
  for (uint32_t i = 0; i < second.rank; i++) order[i] = first.order[second.order[i]];
  ten_builder b = at(module, op);
  replace(op, ten_build_transpose(&b, ten_op_operand(inner, 0), order));
}

/* A reshape cuts the dimensions of its operand into groups, each of which becomes a group of the result's. */
typedef struct dim_run {
  uint32_t from, from_count, to, to_count; /* dimensions of the operand, of the result */
} dim_run;

/* Returns the number of groups, each as small as can be; 0: there are none, as a size is zero. */
static uint32_t cut_into_runs(const ten_type *from, const ten_type *to, dim_run runs[RANK_MAX]) {
  uint32_t count = 0;
  for (uint32_t i = 0, k = 0; i < from->rank && k < to->rank;) {
    dim_run *r = &runs[count++];
    *r = (dim_run){i, 1, k, 1};
    int64_t left = from->dims[i++], right = to->dims[k++];
    while (left != right) {
      if (left < right && i < from->rank)
        left *= from->dims[i++], r->from_count++;
      else if (left > right && k < to->rank)
        right *= to->dims[k++], r->to_count++;
      else
        return 0;
    }
    if (!left) return 0;
  }
  if (!count) return 0;
  runs[count - 1].from_count = from->rank - runs[count - 1].from; /* dimensions of size one at the end */
  runs[count - 1].to_count = to->rank - runs[count - 1].to;
  return count;
}

/* A reshape that merges or splits dimensions which the transpose has left next to each other comes before it. */
static void sink_reshape(ten_module *module, ten_op *op) {
  const ten_op *transposed = transpose_of(ten_op_operand(op, 0));
  const ten_type *type = op->results[0].type;
  if (!transposed || type->rank > RANK_MAX || type->quant) return;
  const permutation t = permutation_of(transposed);
  dim_run runs[RANK_MAX];
  const uint32_t count = cut_into_runs(transposed->results[0].type, type, runs);
  if (!count) return;
  int64_t shape[RANK_MAX], order[RANK_MAX];
  uint32_t rank = 0;
  for (uint32_t d = 0; d < t.rank; d++) /* as the operand of the transpose has them */
    for (uint32_t i = 0; i < count; i++) {
      const dim_run *r = &runs[i];
      if (t.order[r->from] != d) continue;
      for (uint32_t k = 1; k < r->from_count; k++)
        if (t.order[r->from + k] != t.order[r->from] + k) return;
      for (uint32_t k = 0; k < r->to_count; k++) {
        shape[rank] = type->dims[r->to + k];
        order[r->to + k] = rank++;
      }
    }
  ten_builder b = at(module, op);
  replace(op, ten_build_transpose(&b, ten_build_reshape(&b, ten_op_operand(transposed, 0), rank, shape), order));
}

static void sink(ten_module *module, ten_op *op) {
  switch (op->code) {
    case TEN_OP_TRANSPOSE: merge_transpose(module, op); return;
    case TEN_OP_RESHAPE: sink_reshape(module, op); return;
    case TEN_OP_REDUCE: absorb_reduce(module, op); return;
    case TEN_OP_REDUCE_WINDOW:
      if (op->operand_count == 2) sink_window(module, op, 1);
      return;
    case TEN_OP_SELECT_AND_SCATTER: sink_window(module, op, 2); return;
    case TEN_OP_PAD:
    case TEN_OP_SLICE: sink_window(module, op, 1); return;
    case TEN_OP_CONCATENATE: sink_concatenate(module, op); return;
    case TEN_OP_OPTIMIZATION_BARRIER: sink_elementwise(module, op); return;
    default:
      if (ten_op_has(op, TEN_TRAIT_ELEMENTWISE | TEN_TRAIT_BROADCASTS_SCALARS)) sink_elementwise(module, op);
  }
}

static bool has_convolution(const ten_block *block) {
  for (const ten_op *op = block->first; op; op = op->next)
    if (op->code == TEN_OP_CONVOLUTION) return true;
  return false;
}

static ten_status *run_block(ten_op *parent, void *context) {
  ten_module *module = context;
  for (uint32_t r = 0; r < parent->region_count; r++)
    for (ten_block *block = parent->regions[r].first; block; block = block->next) {
      if (!has_convolution(block)) continue;
      for (ten_op *op = block->first, *next; op; op = next) {
        next = op->next;
        if (op->code != TEN_OP_CONVOLUTION) continue;
        ten_conv_absorb_kernel(module, op);
        conv_channels_last(module, op);
      }
      for (ten_op *op = block->first, *next; op; op = next) {
        next = op->next;
        sink(module, op);
      }
    }
  return NULL;
}

static ten_status *run(ten_module *module) { return ten_op_walk(module->op, run_block, module); }

const ten_pass ten_pass_layout = {"layout", "bring convolutions to channels last and let transposes cancel", run};
