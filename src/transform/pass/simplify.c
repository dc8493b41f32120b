/* simplify.c: ops that do nothing go (a product with one among them), chains of ops that move elements become one, a
 * choice that is known is made, a transpose in front of a matmul becomes part of its dimension numbers, and neighbours
 * that are padded with zeros and added are put next to each other.
 * Products of narrow floats are taken in f32 and rounded once, which is what they mean here and what the kernels do.
 * A product that sums over one term is a multiplication, which fuses. Needs: verified IR.  Keeps: results, bit for bit
 * (but for the sign of a zero where a sum of one term goes); types; locations. */
#include <string.h>

#include "ir/builder.h"
#include "transform/pass/pass.h"

static const ten_op *made_by(const ten_value *value, ten_opcode code) {
  return value->op && value->op->code == code ? value->op : NULL;
}

static bool is_sequence(ten_ints list) {
  for (size_t i = 0; i < list.count; i++)
    if (list.data[i] != (int64_t)i) return false;
  return true;
}

/* Whether only dimensions of size one move. */
static bool keeps_order(const ten_type *type, ten_ints order) {
  int64_t last = -1;
  for (size_t i = 0; i < order.count; i++) {
    if (type->dims[order.data[i]] == 1) continue;
    if (order.data[i] < last) return false;
    last = order.data[i];
  }
  return true;
}

static ten_value *reshape_to(ten_builder *b, ten_value *x, const ten_type *type) {
  return ten_type_is_static(type) && !type->quant ? ten_build_reshape(b, x, type->rank, type->dims) : NULL;
}

/* A matmul with transposed result becomes the matmul with swapped operands. */
static ten_value *swap_sides(ten_builder *b, const ten_op *dot, ten_ints order, const ten_type *type) {
  const ten_value *x = ten_op_operand(dot, 0), *y = ten_op_operand(dot, 1);
  if (!ten_value_used_once(&dot->results[0]) || !ten_type_is_static(type) || type->quant || x->type->quant ||
      y->type->quant || x->type->dtype != y->type->dtype)
    return NULL;
  const ten_dot_dims dims = ten_dot_dims_of(ten_op_attr(dot, "dot_dimension_numbers"));
  const size_t batch = dims.lhs_batch.count, left = x->type->rank - batch - dims.lhs_contract.count;
  for (size_t i = 0; i < order.count; i++) {
    const size_t right = order.count - batch - left;
    const size_t from = i < batch ? i : i < batch + right ? i + left : i - right;
    if (order.data[i] != (int64_t)from) return NULL;
  }
  const ten_dot_dims swapped = {dims.rhs_batch, dims.lhs_batch, dims.rhs_contract, dims.lhs_contract};
  return ten_build_dot(b, ten_op_operand(dot, 1), ten_op_operand(dot, 0), &swapped, type->dtype);
}

static ten_value *simplify_transpose(ten_builder *b, const ten_op *op) {
  ten_value *x = ten_op_operand(op, 0);
  const ten_ints order = ten_op_ints(op, "permutation");
  if (is_sequence(order) && x->type == op->results[0].type) return x;
  const ten_op *dot = made_by(x, TEN_OP_DOT_GENERAL);
  ten_value *swapped = dot ? swap_sides(b, dot, order, op->results[0].type) : NULL;
  if (swapped) return swapped;
  const ten_op *inner = made_by(x, TEN_OP_TRANSPOSE);
  if (!inner) return keeps_order(x->type, order) ? reshape_to(b, x, op->results[0].type) : NULL;
  const ten_ints first = ten_op_ints(inner, "permutation");
  int64_t *both = ten_arena_new_array(&b->module->arena, int64_t, order.count);
  for (size_t i = 0; i < order.count; i++) both[i] = first.data[order.data[i]];
  return ten_build_transpose(b, ten_op_operand(inner, 0), both);
}

static ten_value *simplify_reshape(ten_builder *b, const ten_op *op) {
  ten_value *x = ten_op_operand(op, 0);
  const ten_type *type = op->results[0].type;
  if (x->type == type) return x;
  const ten_op *inner = made_by(x, TEN_OP_RESHAPE);
  return inner && ten_type_is_static(type) && !type->quant
             ? ten_build_reshape(b, ten_op_operand(inner, 0), type->rank, type->dims)
             : NULL;
}

static ten_value *simplify_broadcast(ten_builder *b, const ten_op *op) {
  ten_value *x = ten_op_operand(op, 0);
  const ten_type *type = op->results[0].type;
  const ten_ints map = ten_op_ints(op, "broadcast_dimensions");
  if (x->type == type && is_sequence(map)) return x;
  const ten_op *inner = made_by(x, TEN_OP_BROADCAST_IN_DIM);
  if (!inner || !ten_type_is_static(type) || type->quant || !ten_type_is_static(ten_op_operand(inner, 0)->type))
    return NULL;
  const ten_ints first = ten_op_ints(inner, "broadcast_dimensions");
  int64_t *both = ten_arena_new_array(&b->module->arena, int64_t, first.count);
  for (size_t i = 0; i < first.count; i++) both[i] = map.data[first.data[i]];
  return ten_build_broadcast(b, ten_op_operand(inner, 0), type->rank, type->dims, both);
}

static ten_value *simplify_slice(const ten_op *op) {
  ten_value *x = ten_op_operand(op, 0);
  if (x->type != op->results[0].type) return NULL;
  const ten_ints start = ten_op_ints(op, "start_indices"), strides = ten_op_ints(op, "strides");
  for (size_t i = 0; i < start.count; i++)
    if (start.data[i] || (strides.data[i] != 1 && x->type->dims[i] > 1)) return NULL;
  return x;
}

/* Whether a value is exactly this number everywhere. */
static bool is_all(const ten_value *value, double wanted) {
  while (made_by(value, TEN_OP_BROADCAST_IN_DIM)) value = ten_op_operand(value->op, 0);
  const ten_attr *constant = ten_value_constant(value);
  if (!constant || value->type->quant || (!constant->dense.splat && ten_type_count(value->type) != 1)) return false;
  const ten_dtype dtype = value->type->dtype;
  if (ten_dtype_class(dtype) == TEN_CLASS_BOOL) return *(const uint8_t *)constant->dense.data == (wanted != 0);
  if (dtype == TEN_F32) return (double)*(const float *)constant->dense.data == wanted;
  if (dtype == TEN_I32) return *(const int32_t *)constant->dense.data == wanted;
  return dtype == TEN_I64 && (double)*(const int64_t *)constant->dense.data == wanted;
}

static bool is_integer(const ten_value *value) {
  return value->type->dtype == TEN_I32 || value->type->dtype == TEN_I64;
}

/* x·1, x/1, x and true, x or false, and for integers x + 0, x - 0. */
static ten_value *simplify_neutral(const ten_op *op) {
  ten_value *x = ten_op_operand(op, 0), *y = ten_op_operand(op, 1);
  const bool boolean = ten_dtype_class(x->type->dtype) == TEN_CLASS_BOOL;
  switch (op->code) {
    case TEN_OP_MULTIPLY:
      if (!boolean && is_all(y, 1)) return x;
      return !boolean && is_all(x, 1) ? y : NULL;
    case TEN_OP_DIVIDE: return !boolean && is_all(y, 1) ? x : NULL;
    case TEN_OP_ADD:
      if (is_integer(x) && is_all(y, 0)) return x;
      return is_integer(x) && is_all(x, 0) ? y : NULL;
    case TEN_OP_SUBTRACT: return is_integer(x) && is_all(y, 0) ? x : NULL;
    case TEN_OP_AND:
      if (boolean && is_all(y, 1)) return x;
      return boolean && is_all(x, 1) ? y : NULL;
    case TEN_OP_OR:
      if (boolean && is_all(y, 0)) return x;
      return boolean && is_all(x, 0) ? y : NULL;
    default: return NULL;
  }
}

/* The one dimension along which an op pads with zeros, on the outside alone; -1: it is another kind of pad. */
static int64_t zero_pad_dim(const ten_op *pad) {
  if (!pad || !ten_type_is_static(pad->results[0].type) || !is_all(ten_op_operand(pad, 1), 0)) return -1;
  const ten_ints low = ten_op_ints(pad, "edge_padding_low"), high = ten_op_ints(pad, "edge_padding_high"),
                 inside = ten_op_ints(pad, "interior_padding");
  int64_t dim = -1;
  for (size_t i = 0; i < low.count; i++) {
    if (low.data[i] < 0 || high.data[i] < 0 || inside.data[i]) return -1;
    if (!low.data[i] && !high.data[i]) continue;
    if (dim >= 0) return -1;
    dim = (int64_t)i;
  }
  return dim;
}

/* The sum of two neighbours in a larger tensor of zeros, as the gradients of slices are added up: both in one, of which
 * nothing is padded once all are there. */
static ten_value *simplify_padded(ten_builder *b, const ten_op *op) {
  const ten_op *x = made_by(ten_op_operand(op, 0), TEN_OP_PAD), *y = made_by(ten_op_operand(op, 1), TEN_OP_PAD);
  const int64_t dim = zero_pad_dim(x);
  if (dim < 0 || zero_pad_dim(y) != dim || !ten_value_used_once(&x->results[0]) || !ten_value_used_once(&y->results[0]))
    return NULL;
  const int64_t x_low = ten_op_ints(x, "edge_padding_low").data[dim],
                y_low = ten_op_ints(y, "edge_padding_low").data[dim];
  const bool swapped = x_low > y_low;
  const ten_op *first = swapped ? y : x, *second = swapped ? x : y;
  ten_value *parts[] = {ten_op_operand(first, 0), ten_op_operand(second, 0)};
  const int64_t low = swapped ? y_low : x_low, middle = swapped ? x_low : y_low;
  if (low + parts[0]->type->dims[dim] != middle) return NULL;
  const uint32_t rank = op->results[0].type->rank;
  int64_t *lows = ten_arena_new_array(&b->module->arena, int64_t, rank),
          *highs = ten_arena_new_array(&b->module->arena, int64_t, rank),
          *none = ten_arena_new_array(&b->module->arena, int64_t, rank);
  for (uint32_t i = 0; i < rank; i++) lows[i] = highs[i] = none[i] = 0;
  lows[dim] = low, highs[dim] = ten_op_ints(second, "edge_padding_high").data[dim];
  ten_value *both = ten_build_concat(b, 2, parts, dim);
  return lows[dim] || highs[dim] ? ten_build_pad(b, both, ten_op_operand(first, 1), lows, highs, none) : both;
}

/* A concatenation of what was concatenated along the same dimension, for this alone. */
static ten_value *simplify_concatenate(ten_builder *b, const ten_op *op) {
  enum { MOST = 80 };
  if (op->operand_count == 1) return ten_op_operand(op, 0);
  const int64_t dim = ten_op_int(op, "dimension", 0);
  ten_value *parts[MOST];
  uint32_t count = 0;
  bool found = false;
  for (uint32_t i = 0; i < op->operand_count; i++) {
    ten_value *part = ten_op_operand(op, i);
    const ten_op *inner = made_by(part, TEN_OP_CONCATENATE);
    const bool joined = inner && ten_op_int(inner, "dimension", 0) == dim && ten_value_used_once(part);
    const uint32_t more = joined ? inner->operand_count : 1;
    if (count + more > MOST) return NULL;
    for (uint32_t k = 0; k < more; k++) parts[count++] = joined ? ten_op_operand(inner, k) : part;
    found |= joined;
  }
  return found ? ten_build_concat(b, count, parts, dim) : NULL;
}

static ten_value *simplify_select(const ten_op *op) {
  const ten_attr *choice = ten_value_constant(ten_op_operand(op, 0));
  if (ten_op_operand(op, 1) == ten_op_operand(op, 2)) return ten_op_operand(op, 1);
  if (ten_dtype_class(op->results[0].type->dtype) == TEN_CLASS_BOOL && is_all(ten_op_operand(op, 1), 1) &&
      is_all(ten_op_operand(op, 2), 0))
    return ten_op_operand(op, 0); /* of another shape if it is a scalar: then it is not used */
  if (!choice || (!choice->dense.splat && ten_type_count(choice->dense.type) != 1)) return NULL;
  return ten_op_operand(op, *(const uint8_t *)choice->dense.data ? 1 : 2);
}

/* Maps the dimensions of a transposed operand to those of its source. Free dimensions must keep their order, which is
 * the result's. */
static bool through_transpose(ten_builder *b, const ten_op *transpose, ten_ints *batch, ten_ints *contract) {
  const ten_ints order = ten_op_ints(transpose, "permutation");
  int64_t last = -1;
  for (size_t i = 0; i < order.count; i++) {
    if (ten_ints_has(*batch, (int64_t)i) || ten_ints_has(*contract, (int64_t)i)) continue;
    if (order.data[i] < last) return false;
    last = order.data[i];
  }
  ten_ints *const lists[] = {batch, contract};
  for (size_t k = 0; k < 2; k++) {
    int64_t *mapped = ten_arena_new_array(&b->module->arena, int64_t, lists[k]->count);
    for (size_t i = 0; i < lists[k]->count; i++) mapped[i] = order.data[lists[k]->data[i]];
    *lists[k] = (ten_ints){mapped, lists[k]->count};
  }
  return true;
}

/* A matmul that contracts nothing: both operands broadcast to the result, multiplied. */
static ten_value *spread_operand(ten_builder *b, ten_value *x, ten_ints batch, ten_ints contract, uint32_t free_at,
                                 const ten_type *type) {
  int64_t dims[32], map[32];
  uint32_t rank = 0;
  if (x->type->rank > 32) return NULL;
  for (int64_t i = 0; i < (int64_t)x->type->rank; i++) {
    if (ten_ints_has(contract, i)) continue;
    map[rank] = free_at;
    if (ten_ints_has(batch, i))
      for (size_t k = 0; k < batch.count; k++) map[rank] = batch.data[k] == i ? (int64_t)k : map[rank];
    else
      free_at++;
    if (rank && map[rank] < map[rank - 1]) return NULL; /* it would need a transpose */
    dims[rank++] = x->type->dims[i];
  }
  return ten_build_broadcast(b, ten_build_reshape(b, x, rank, dims), type->rank, type->dims, map);
}

static ten_value *simplify_outer(ten_builder *b, ten_value *x, ten_value *y, const ten_dot_dims *dims,
                                 const ten_type *type) {
  if (x->type->dtype != TEN_F32 || y->type->dtype != TEN_F32 || type->dtype != TEN_F32 || !dims->lhs_contract.count ||
      !ten_type_is_static(x->type) || !ten_type_is_static(y->type))
    return NULL;
  for (size_t i = 0; i < dims->lhs_contract.count; i++)
    if (x->type->dims[dims->lhs_contract.data[i]] != 1) return NULL;
  const uint32_t batch = (uint32_t)dims->lhs_batch.count,
                 free_x = x->type->rank - batch - (uint32_t)dims->lhs_contract.count;
  ten_value *left = spread_operand(b, x, dims->lhs_batch, dims->lhs_contract, batch, type),
            *right = spread_operand(b, y, dims->rhs_batch, dims->rhs_contract, batch + free_x, type);
  return left && right ? ten_build_binary(b, TEN_OP_MULTIPLY, left, right) : NULL;
}

static bool is_narrow(ten_dtype dtype) { return dtype == TEN_BF16 || dtype == TEN_F16; }

static ten_value *simplify_dot(ten_builder *b, const ten_op *op) {
  ten_value *x = ten_op_operand(op, 0), *y = ten_op_operand(op, 1);
  const ten_type *type = op->results[0].type;
  if (x->type->quant || y->type->quant || type->quant || !ten_type_is_static(type)) return NULL;
  ten_dot_dims dims = ten_dot_dims_of(ten_op_attr(op, "dot_dimension_numbers"));
  const bool known = x->type->dtype == TEN_BF16 && y->type->dtype == TEN_BF16 && type->dtype != TEN_F16;
  if (!known && is_narrow(x->type->dtype) && is_narrow(y->type->dtype) &&
      (is_narrow(type->dtype) || type->dtype == TEN_F32)) { /* backends have kernels of bf16 */
    ten_value *product =
        ten_build_dot(b, ten_build_convert(b, x, TEN_F32), ten_build_convert(b, y, TEN_F32), &dims, TEN_F32);
    return ten_build_convert(b, product, type->dtype);
  }
  ten_value *outer = simplify_outer(b, x, y, &dims, type);
  if (outer) return outer;
  const ten_op *left = made_by(x, TEN_OP_TRANSPOSE), *right = made_by(y, TEN_OP_TRANSPOSE);
  const bool take_left = left && through_transpose(b, left, &dims.lhs_batch, &dims.lhs_contract);
  const bool take_right = right && through_transpose(b, right, &dims.rhs_batch, &dims.rhs_contract);
  if (!take_left && !take_right) return NULL;
  return ten_build_dot(b, take_left ? ten_op_operand(left, 0) : x, take_right ? ten_op_operand(right, 0) : y, &dims,
                       type->dtype);
}

/* A round trip of conversions. */
static ten_value *simplify_bitcast(const ten_op *op) {
  const ten_op *inner = made_by(ten_op_operand(op, 0), TEN_OP_BITCAST_CONVERT);
  return inner && ten_op_operand(inner, 0)->type == op->results[0].type ? ten_op_operand(inner, 0) : NULL;
}

static ten_value *simplified(ten_builder *b, const ten_op *op) {
  switch (op->code) {
    case TEN_OP_TRANSPOSE: return simplify_transpose(b, op);
    case TEN_OP_RESHAPE: return simplify_reshape(b, op);
    case TEN_OP_BROADCAST_IN_DIM: return simplify_broadcast(b, op);
    case TEN_OP_SLICE: return simplify_slice(op);
    case TEN_OP_SELECT: return simplify_select(op);
    case TEN_OP_DOT_GENERAL: return simplify_dot(b, op);
    case TEN_OP_BITCAST_CONVERT: return simplify_bitcast(op);
    case TEN_OP_CONVERT: return ten_op_operand(op, 0)->type == op->results[0].type ? ten_op_operand(op, 0) : NULL;
    case TEN_OP_ADD: {
      ten_value *both = simplify_padded(b, op);
      return both ? both : simplify_neutral(op);
    }
    case TEN_OP_MULTIPLY:
    case TEN_OP_DIVIDE:
    case TEN_OP_SUBTRACT:
    case TEN_OP_AND:
    case TEN_OP_OR: return simplify_neutral(op);
    case TEN_OP_CONCATENATE: return simplify_concatenate(b, op);
    default: return NULL;
  }
}

static ten_status *visit(ten_op *op, void *context) {
  if (op->result_count != 1 || !ten_type_is_tensor(op->results[0].type)) return NULL;
  ten_builder b = {.module = context, .block = op->block, .before = op, .loc = op->loc};
  ten_value *by = simplified(&b, op);
  if (!by || by == &op->results[0] || by->type != op->results[0].type) return NULL;
  ten_value_replace(&op->results[0], by);
  ten_op_erase(op);
  return NULL;
}

static ten_status *simplify_run(ten_module *module) { return ten_op_walk(module->op, visit, module); }

const ten_pass ten_pass_simplify = {.name = "simplify",
                                    .summary = "drop ops that do nothing, join chains, fold transposes into products",
                                    .run = simplify_run};
