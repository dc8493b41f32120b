/* simplify.c: rewrites patterns that XLA does not simplify.
 * - ReLU of a training step is a select (its gradient at zero is zero, that of a maximum a half); once the gradient is
 *   derived it becomes a maximum again, for which XLA stores one tensor and not three. Its gradient reads the result,
 *   or, in mask style, a mask of the operand: one byte in memory instead of two or four.
 * - A matmul reads the operand of a transpose directly: queries, keys and values in the previous layer's layout.
 * - Softmax's matmul with the values has the values first, as in JAX: in the other order libtpu uses its
 *   own kernel, which wants its operands in f32 and so stores them in f32.
 * - A slice of a transpose becomes a transpose of the slice: queries, keys and values that PyTorch slices from one
 * transposed matmul are sliced from the matmul, and each transpose fuses with the matmul that reads it. XLA
 * would transpose the whole. Needs: verified IR.  Keeps: results, bit for bit; types; locations. */
#include "backend/pjrt/client_program.h"
#include "ir/builder.h"
#include "ir/dims.h"

bool pjrt_is_zero(const ten_value *value) {
  const ten_attr *number = ten_value_number(value);
  const unsigned char *bytes = number ? ten_dense_at(number, 0) : NULL;
  for (size_t i = 0; bytes && i < ten_dtype_bytes(value->type->dtype); i++)
    if (bytes[i]) return false;
  return bytes != NULL;
}

/* select(x <= 0, 0, x): NaN stays NaN and -0 becomes 0 in both. */
static ten_value *tidy_select(ten_builder *b, const ten_op *op) {
  ten_value *x = ten_op_operand(op, 2), *zero = ten_op_operand(op, 1);
  const ten_op *compare = ten_op_operand(op, 0)->op;
  if (!compare || compare->code != TEN_OP_COMPARE || !ten_dtype_is_float(x->type->dtype) || x->type->quant) return NULL;
  if (ten_op_operand(compare, 0) != x || !pjrt_is_zero(ten_op_operand(compare, 1)) || !pjrt_is_zero(zero)) return NULL;
  if (ten_op_attr(compare, "comparison_direction")->enumeration.value != TEN_LE) return NULL;
  return ten_build_binary(b, TEN_OP_MAXIMUM, x, zero);
}

/* max(x, 0) <= 0 becomes x <= 0; placed next to x, so that one fused loop computes both. */
static ten_value *tidy_compare(ten_module *module, const ten_op *op) {
  ten_op *relu = ten_op_operand(op, 0)->op;
  if (!relu || relu->code != TEN_OP_MAXIMUM || !pjrt_is_zero(ten_op_operand(relu, 1))) return NULL;
  ten_value *x = ten_op_operand(relu, 0);
  if (!pjrt_is_zero(ten_op_operand(op, 1)) || !ten_dtype_is_float(x->type->dtype) || x->type->quant) return NULL;
  if (ten_op_attr(op, "comparison_direction")->enumeration.value != TEN_LE) return NULL;
  ten_builder b = {.module = module, .block = relu->block, .before = relu->next, .loc = relu->loc};
  ten_value *sides[] = {x, ten_op_operand(relu, 1)};
  const ten_type *type = op->results[0].type;
  return &ten_build_op(&b, TEN_OP_COMPARE, 2, sides, 1, &type, op->attr_count, op->attrs, 0)->results[0];
}

static const ten_op *transpose_of(const ten_op *op) {
  const ten_op *inner = ten_op_operand(op, 0)->op;
  if (!inner || inner->code != TEN_OP_TRANSPOSE || inner->results[0].type->quant) return NULL;
  return ten_type_is_static(inner->results[0].type) ? inner : NULL;
}

static ten_value *tidy_slice(ten_builder *b, const ten_op *op) {
  const ten_op *inner = transpose_of(op);
  if (!inner) return NULL;
  const ten_ints order = ten_op_ints(inner, "permutation"), start = ten_op_ints(op, "start_indices"),
                 limit = ten_op_ints(op, "limit_indices"), stride = ten_op_ints(op, "strides");
  int64_t *moved = ten_arena_new_array(&b->module->arena, int64_t, 3 * order.count);
  for (size_t i = 0; i < order.count; i++) {
    moved[order.data[i]] = start.data[i];
    moved[order.count + (size_t)order.data[i]] = limit.data[i];
    moved[2 * order.count + (size_t)order.data[i]] = stride.count ? stride.data[i] : 1;
  }
  ten_value *part = ten_build_slice(b, ten_op_operand(inner, 0), moved, moved + order.count, moved + 2 * order.count);
  return ten_build_transpose(b, part, order.data);
}

/* A reshape that drops dimensions of size one, all moved by the operand's transpose. */
static ten_value *tidy_reshape(ten_builder *b, const ten_op *op) {
  const ten_op *inner = transpose_of(op);
  if (!inner) return NULL;
  const ten_type *from = inner->results[0].type, *to = op->results[0].type;
  const ten_ints order = ten_op_ints(inner, "permutation");
  int64_t *kept = ten_arena_new_array(&b->module->arena, int64_t, 3 * (size_t)from->rank + 1),
          *dims = kept + from->rank, *place = dims + from->rank;
  uint32_t count = 0;
  for (uint32_t i = 0; i < from->rank; i++) {
    if (count < to->rank && from->dims[i] == to->dims[count])
      kept[count++] = order.data[i];
    else if (from->dims[i] != 1)
      return NULL;
  }
  if (count != to->rank || count == from->rank) return NULL;
  const ten_type *before = ten_op_operand(inner, 0)->type;
  for (uint32_t i = 0, at = 0; i < before->rank; i++)
    for (uint32_t k = 0; k < count; k++)
      if (kept[k] == (int64_t)i) {
        dims[at] = before->dims[i];
        place[k] = at++;
      }
  return ten_build_transpose(b, ten_build_reshape(b, ten_op_operand(inner, 0), count, dims), place);
}

static ten_value *tidy_transpose(ten_builder *b, const ten_op *op) {
  const ten_op *inner = transpose_of(op);
  if (!inner) return NULL;
  const ten_ints outer = ten_op_ints(op, "permutation"), order = ten_op_ints(inner, "permutation");
  int64_t *both = ten_arena_new_array(&b->module->arena, int64_t, order.count + 1);
  for (size_t i = 0; i < order.count; i++) both[i] = order.data[outer.data[i]];
  return ten_build_transpose(b, ten_op_operand(inner, 0), both);
}

static ten_ints through(ten_builder *b, ten_ints dims, ten_ints order) {
  int64_t *moved = ten_arena_new_array(&b->module->arena, int64_t, dims.count + 1);
  for (size_t i = 0; i < dims.count; i++) moved[i] = order.data[dims.data[i]];
  return (ten_ints){moved, dims.count};
}

static bool among(ten_ints list, int64_t dim) {
  for (size_t i = 0; i < list.count; i++)
    if (list.data[i] == dim) return true;
  return false;
}

/* Reads an operand before its transpose, unless that would permute the result's dimensions. */
static bool read_before_turn(ten_builder *b, ten_value **operand, ten_ints *batch, ten_ints *contracting) {
  const ten_op *transpose = (*operand)->op;
  if (!transpose || transpose->code != TEN_OP_TRANSPOSE || transpose->results[0].type->quant) return false;
  const ten_ints order = ten_op_ints(transpose, "permutation");
  int64_t last = -1;
  for (size_t i = 0; i < order.count; i++) {
    if (among(*batch, (int64_t)i) || among(*contracting, (int64_t)i)) continue;
    if (order.data[i] < last) return false;
    last = order.data[i];
  }
  *batch = through(b, *batch, order);
  *contracting = through(b, *contracting, order);
  *operand = ten_op_operand(transpose, 0);
  return true;
}

static bool is_softmax(const ten_value *value) {
  const ten_op *divide = value->op;
  if (!divide || divide->code != TEN_OP_DIVIDE) return false;
  const ten_op *above = ten_op_operand(divide, 0)->op;
  return above && above->code == TEN_OP_EXPONENTIAL;
}

static ten_value *tidy_dot(ten_builder *b, const ten_op *op) {
  ten_dot_dims d = ten_dot_dims_of(ten_op_attr(op, "dot_dimension_numbers"));
  ten_value *sides[] = {ten_op_operand(op, 0), ten_op_operand(op, 1)};
  const ten_type *type = op->results[0].type;
  if (type->quant || !ten_type_is_static(type)) return NULL;
  bool changed = read_before_turn(b, &sides[0], &d.lhs_batch, &d.lhs_contract);
  changed |= read_before_turn(b, &sides[1], &d.rhs_batch, &d.rhs_contract);
  const bool swap = is_softmax(sides[0]) && !is_softmax(sides[1]);
  if (!changed && !swap) return NULL;
  const size_t batch = d.lhs_batch.count, left = sides[0]->type->rank - batch - d.lhs_contract.count,
               right = type->rank - batch - left;
  int64_t *dims = ten_arena_new_array(&b->module->arena, int64_t, 2 * (size_t)type->rank + 1),
          *back = dims + type->rank;
  for (size_t i = 0; i < type->rank; i++) {
    const size_t from = i < batch ? i : i < batch + right ? i + left : i - right; /* batch, right, left */
    dims[i] = type->dims[swap ? from : i];
    back[swap ? from : i] = (int64_t)i;
  }
  if (swap) {
    const ten_dot_dims swapped = {.lhs_batch = d.rhs_batch,
                                  .rhs_batch = d.lhs_batch,
                                  .lhs_contract = d.rhs_contract,
                                  .rhs_contract = d.lhs_contract};
    ten_value *left_side = sides[0];
    d = swapped;
    sides[0] = sides[1];
    sides[1] = left_side;
  }
  const ten_type *made = ten_type_with_shape(b->module, type, type->rank, dims);
  ten_op *dot = ten_build_op(b, TEN_OP_DOT_GENERAL, 2, sides, 1, &made, op->attr_count, op->attrs, 0);
  ten_op_set_attr(b->module, dot, TEN_STR("dot_dimension_numbers"), ten_attr_dot_dims(b->module, &d));
  return ten_build_transpose(b, &dot->results[0], back);
}

typedef struct tidying {
  ten_module *module;
  pjrt_style style;
} tidying;

static ten_value *said_better(ten_builder *b, const ten_op *op, pjrt_style style) {
  switch (op->code) {
    case TEN_OP_COMPARE: return style.masks ? tidy_compare(b->module, op) : NULL;
    case TEN_OP_DOT_GENERAL: return tidy_dot(b, op);
    case TEN_OP_RESHAPE: return tidy_reshape(b, op);
    case TEN_OP_SELECT: return tidy_select(b, op);
    case TEN_OP_SLICE: return tidy_slice(b, op);
    case TEN_OP_TRANSPOSE: return tidy_transpose(b, op);
    default: return NULL;
  }
}

static ten_status *tidy(ten_op *op, void *context) {
  const tidying *t = context;
  ten_builder b = {.module = t->module, .block = op->block, .before = op, .loc = op->loc};
  ten_value *instead = said_better(&b, op, t->style);
  if (instead) ten_value_replace(&op->results[0], instead); /* DCE removes what is now unused */
  return NULL;
}

ten_status *pjrt_tidy(ten_module *module, ten_op *func, pjrt_style style) {
  tidying t = {module, style};
  return ten_op_walk(func, tidy, &t);
}
