/* expand.c: expands shorthand ops: batch norms, dot, broadcast, einsum, torch_index_select, and slices with constant
 * bounds.
 * Needs: verified IR, static shapes (other ops are unchanged).  Keeps: types, locations. */
#include "ir/builder.h"
#include "transform/pass/pass.h"

typedef struct norm {
  ten_value *x;
  int64_t feature;
  int64_t *others; /* all dimensions but the feature's */
  size_t other_count;
  double epsilon, elements;
} norm;

static norm norm_of(ten_builder *b, const ten_op *op) {
  norm n = {.x = ten_op_operand(op, 0), .feature = ten_op_int(op, "feature_index", 0)};
  n.epsilon = ten_attr_as_float(ten_op_attr(op, "epsilon"), 0);
  n.others = ten_arena_new_array(&b->module->arena, int64_t, n.x->type->rank);
  n.elements = 1;
  for (uint32_t i = 0; i < n.x->type->rank; i++)
    if ((int64_t)i != n.feature) {
      n.others[n.other_count++] = i;
      n.elements *= (double)n.x->type->dims[i];
    }
  return n;
}

static ten_value *spread(ten_builder *b, const norm *n, ten_value *row) {
  return ten_build_broadcast(b, row, n->x->type->rank, n->x->type->dims, &n->feature);
}

static ten_value *sum(ten_builder *b, const norm *n, ten_value *x) {
  return ten_build_reduce(b, TEN_OP_ADD, x, ten_build_scalar(b, x->type->dtype, 0), n->other_count, n->others);
}

static ten_value *mean(ten_builder *b, const norm *n, ten_value *x) {
  ten_value *total = sum(b, n, x);
  return ten_build_binary(b, TEN_OP_DIVIDE, total, ten_build_like(b, total, n->elements));
}

static ten_value *deviation(ten_builder *b, const norm *n, ten_value *variance) {
  return ten_build_unary(b, TEN_OP_SQRT,
                         ten_build_binary(b, TEN_OP_ADD, variance, ten_build_like(b, variance, n->epsilon)));
}

static ten_value *normalise(ten_builder *b, const norm *n, ten_value *centred, ten_value *variance, ten_value *scale,
                            ten_value *offset) {
  ten_value *unit = ten_build_binary(b, TEN_OP_DIVIDE, centred, spread(b, n, deviation(b, n, variance)));
  return ten_build_binary(b, TEN_OP_ADD, ten_build_binary(b, TEN_OP_MULTIPLY, spread(b, n, scale), unit),
                          spread(b, n, offset));
}

static void expand_training(ten_builder *b, ten_op *op) {
  const norm n = norm_of(b, op);
  ten_value *average = mean(b, &n, n.x);
  ten_value *centred = ten_build_binary(b, TEN_OP_SUBTRACT, n.x, spread(b, &n, average));
  ten_value *variance = mean(b, &n, ten_build_binary(b, TEN_OP_MULTIPLY, centred, centred));
  ten_value_replace(&op->results[0], normalise(b, &n, centred, variance, ten_op_operand(op, 1), ten_op_operand(op, 2)));
  ten_value_replace(&op->results[1], average);
  ten_value_replace(&op->results[2], variance);
}

static void expand_inference(ten_builder *b, ten_op *op) {
  const norm n = norm_of(b, op);
  ten_value *centred = ten_build_binary(b, TEN_OP_SUBTRACT, n.x, spread(b, &n, ten_op_operand(op, 3)));
  ten_value_replace(&op->results[0],
                    normalise(b, &n, centred, ten_op_operand(op, 4), ten_op_operand(op, 1), ten_op_operand(op, 2)));
}

/* operand, scale, mean, variance, grad_output → grad_operand, grad_scale, grad_offset, as the specification writes it.
 */
static void expand_grad(ten_builder *b, ten_op *op) {
  const norm n = norm_of(b, op);
  ten_value *scale = ten_op_operand(op, 1), *average = ten_op_operand(op, 2), *variance = ten_op_operand(op, 3),
            *dy = ten_op_operand(op, 4);
  ten_value *centred = ten_build_binary(b, TEN_OP_SUBTRACT, n.x, spread(b, &n, average));
  ten_value *size = spread(b, &n, deviation(b, &n, variance));
  ten_value *unit = ten_build_binary(b, TEN_OP_DIVIDE, centred, size);
  ten_value *d_offset = sum(b, &n, dy), *d_scale = sum(b, &n, ten_build_binary(b, TEN_OP_MULTIPLY, dy, unit));
  ten_value *count = ten_build_like(b, dy, n.elements);
  ten_value *scaled = ten_build_binary(b, TEN_OP_MULTIPLY, dy, count);
  ten_value *i4 = ten_build_binary(
      b, TEN_OP_MULTIPLY, spread(b, &n, sum(b, &n, ten_build_binary(b, TEN_OP_MULTIPLY, dy, centred))), centred);
  ten_value *power = spread(b, &n, ten_build_binary(b, TEN_OP_ADD, variance, ten_build_like(b, variance, n.epsilon)));
  ten_value *inner =
      ten_build_binary(b, TEN_OP_SUBTRACT, ten_build_binary(b, TEN_OP_SUBTRACT, scaled, spread(b, &n, d_offset)),
                       ten_build_binary(b, TEN_OP_DIVIDE, i4, power));
  ten_value *factor =
      ten_build_binary(b, TEN_OP_DIVIDE, ten_build_binary(b, TEN_OP_DIVIDE, spread(b, &n, scale), size), count);
  ten_value_replace(&op->results[0], ten_build_binary(b, TEN_OP_MULTIPLY, factor, inner));
  ten_value_replace(&op->results[1], d_scale);
  ten_value_replace(&op->results[2], d_offset);
}

static void expand_dot(ten_builder *b, ten_op *op) {
  ten_value *x = ten_op_operand(op, 0), *y = ten_op_operand(op, 1);
  const int64_t last = (int64_t)x->type->rank - 1, first = 0;
  const ten_dot_dims dims = {.lhs_contract = {&last, 1}, .rhs_contract = {&first, 1}};
  ten_value_replace(&op->results[0], ten_build_dot(b, x, y, &dims, op->results[0].type->dtype));
}

static void expand_broadcast(ten_builder *b, ten_op *op) {
  ten_value *x = ten_op_operand(op, 0);
  const ten_type *type = op->results[0].type;
  int64_t *map = ten_arena_new_array(&b->module->arena, int64_t, x->type->rank);
  for (uint32_t i = 0; i < x->type->rank; i++) map[i] = (int64_t)(type->rank - x->type->rank + i);
  ten_value_replace(&op->results[0], ten_build_broadcast(b, x, type->rank, type->dims, map));
}

/* "ab,bc->ac": letters in both operands and the result are batch, in both operands alone are contracted; then the
 * result is transposed to the requested order. Letters of one operand that the result lacks would have to be summed
 * first: unchanged. */
static bool expand_einsum(ten_builder *b, ten_op *op) {
  const ten_str config = ten_attr_as_string(ten_op_attr(op, "einsum_config"));
  const char *comma = memchr(config.data, ',', config.size), *arrow = memchr(config.data, '-', config.size);
  if (!comma || !arrow || comma > arrow) return false;
  const ten_str left = {config.data, (size_t)(comma - config.data)}, right = {comma + 1, (size_t)(arrow - comma - 1)};
  const ten_str out = {arrow + 2, config.size - (size_t)(arrow + 2 - config.data)};
  ten_value *x = ten_op_operand(op, 0), *y = ten_op_operand(op, 1);
  enum { MOST = 32 };
  if (left.size != x->type->rank || right.size != y->type->rank || left.size > MOST || right.size > MOST) return false;
  int64_t lists[4][MOST];
  size_t batch = 0, contract = 0, free_count = 0;
  char order[3 * MOST];
  size_t placed = 0;
  for (size_t i = 0; i < left.size; i++) {
    const char *in_right = memchr(right.data, left.data[i], right.size),
               *in_out = memchr(out.data, left.data[i], out.size);
    if (in_right && in_out) {
      lists[0][batch] = (int64_t)i, lists[1][batch++] = in_right - right.data;
      order[placed++] = left.data[i];
    } else if (in_right) {
      lists[2][contract] = (int64_t)i, lists[3][contract++] = in_right - right.data;
    } else if (!in_out) {
      return false;
    }
  }
  for (size_t i = 0; i < left.size; i++)
    if (!memchr(right.data, left.data[i], right.size)) order[placed++] = left.data[i], free_count++;
  for (size_t i = 0; i < right.size; i++)
    if (!memchr(left.data, right.data[i], left.size)) {
      if (!memchr(out.data, right.data[i], out.size)) return false;
      order[placed++] = right.data[i];
    }
  if (placed != out.size) return false;
  const ten_dot_dims dims = {{lists[0], batch}, {lists[1], batch}, {lists[2], contract}, {lists[3], contract}};
  ten_value *product = ten_build_dot(b, x, y, &dims, op->results[0].type->dtype);
  int64_t permutation[3 * MOST];
  for (size_t i = 0; i < out.size; i++) permutation[i] = (const char *)memchr(order, out.data[i], placed) - order;
  ten_value_replace(&op->results[0], ten_build_transpose(b, product, permutation));
  return true;
}

/* "abc->ca": letters that the result lacks are summed. Repeated letters are not supported. */
static bool expand_unary_einsum(ten_builder *b, ten_op *op) {
  const ten_str config = ten_attr_as_string(ten_op_attr(op, "einsum_config"));
  const char *arrow = memchr(config.data, '-', config.size);
  ten_value *x = ten_op_operand(op, 0);
  if (!arrow || (size_t)(arrow - config.data) != x->type->rank) return false;
  const ten_str in = {config.data, (size_t)(arrow - config.data)},
                out = {arrow + 2, config.size - (size_t)(arrow + 2 - config.data)};
  int64_t *gone = ten_arena_new_array(&b->module->arena, int64_t, in.size),
          *order = ten_arena_new_array(&b->module->arena, int64_t, out.size);
  size_t count = 0;
  for (size_t i = 0, left = 0; i < in.size; i++) {
    if (memchr(in.data, in.data[i], i)) return false;
    const char *at = memchr(out.data, in.data[i], out.size);
    if (at)
      order[at - out.data] = (int64_t)left++;
    else
      gone[count++] = (int64_t)i;
  }
  if (count + out.size != in.size) return false;
  if (count) x = ten_build_reduce(b, TEN_OP_ADD, x, ten_build_scalar(b, x->type->dtype, 0), count, gone);
  ten_value_replace(&op->results[0], ten_build_transpose(b, x, order));
  return true;
}

/* Takes elements along `dim` by index; the first batch_dims dimensions of both are matched. */
static bool expand_index_select(ten_builder *b, ten_op *op) {
  ten_value *x = ten_op_operand(op, 0), *index = ten_op_operand(op, 1);
  const int64_t dim = ten_op_int(op, "dim", 0), batch = ten_op_int(op, "batch_dims", 0);
  const uint32_t rank = x->type->rank, out = op->results[0].type->rank;
  if (batch < 0 || dim < batch || dim >= (int64_t)rank || batch > (int64_t)index->type->rank) return false;
  if (!ten_type_count(op->results[0].type)) { /* also of an empty dimension */
    ten_value_replace(&op->results[0], ten_build_splat(b, op->results[0].type, 0));
    return true;
  }
  int64_t *together = ten_arena_new_array(&b->module->arena, int64_t, rank),
          *offsets = ten_arena_new_array(&b->module->arena, int64_t, out),
          *sizes = ten_arena_new_array(&b->module->arena, int64_t, rank);
  size_t count = 0;
  for (uint32_t i = 0; i < rank; i++) {
    together[i] = i;
    sizes[i] = (int64_t)i < batch || (int64_t)i == dim ? 1 : x->type->dims[i];
  }
  for (int64_t i = batch; i < (int64_t)out; i++)
    if (i < dim || i >= dim + (int64_t)index->type->rank - batch) offsets[count++] = i;
  const ten_gather_dims dims = {.offset_dims = {offsets, count},
                                .collapsed_slice_dims = {&dim, 1},
                                .operand_batching_dims = {together, (size_t)batch},
                                .start_indices_batching_dims = {together, (size_t)batch},
                                .start_index_map = {&dim, 1},
                                .index_vector_dim = index->type->rank};
  ten_value_replace(&op->results[0], ten_build_gather(b, x, index, &dims, sizes, false));
  return true;
}

static bool expand_slice(ten_builder *b, ten_op *op) {
  ten_ints lists[3];
  for (uint32_t i = 0; i < 3; i++) {
    const ten_attr *value = ten_value_constant(ten_op_operand(op, i + 1));
    if (!value || value->dense.splat || value->dense.type->dtype != TEN_I64) return false;
    lists[i] = ten_attr_as_ints(value);
  }
  ten_value *x = ten_op_operand(op, 0);
  if (!ten_type_is_static(op->results[0].type) || lists[0].count != x->type->rank) return false;
  ten_value_replace(&op->results[0], ten_build_slice(b, x, lists[0].data, lists[1].data, lists[2].data));
  return true;
}

static ten_status *visit(ten_op *op, void *context) {
  for (uint32_t i = 0; i < op->operand_count; i++)
    if (ten_op_operand(op, i)->type->kind == TEN_TYPE_TENSOR && !ten_type_is_static(ten_op_operand(op, i)->type))
      return NULL;
  ten_builder b = {.module = context, .block = op->block, .before = op, .loc = op->loc};
  switch (op->code) {
    case TEN_OP_BATCH_NORM_TRAINING: expand_training(&b, op); break;
    case TEN_OP_BATCH_NORM_INFERENCE: expand_inference(&b, op); break;
    case TEN_OP_BATCH_NORM_GRAD: expand_grad(&b, op); break;
    case TEN_OP_DOT: expand_dot(&b, op); break;
    case TEN_OP_BROADCAST: expand_broadcast(&b, op); break;
    case TEN_OP_EINSUM:
      if (!expand_einsum(&b, op)) return NULL;
      break;
    case TEN_OP_UNARY_EINSUM:
      if (!expand_unary_einsum(&b, op)) return NULL;
      break;
    case TEN_OP_TORCH_INDEX_SELECT:
      if (!expand_index_select(&b, op)) return NULL;
      break;
    case TEN_OP_REAL_DYNAMIC_SLICE:
      if (!expand_slice(&b, op)) return NULL;
      break;
    default: return NULL;
  }
  ten_op_erase(op);
  return NULL;
}

static ten_status *expand_run(ten_module *module) { return ten_op_walk(module->op, visit, module); }

const ten_pass ten_pass_expand = {
    .name = "expand", .summary = "write batch norms, dot, broadcast and einsum out", .run = expand_run};
