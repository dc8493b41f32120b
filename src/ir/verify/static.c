/* static.c: replaces a dynamic op by a static one once its shape operands are constants. */
#include "ir/verify/refine.h"

static ten_op *new_op(ten_module *m, const ten_op *old, ten_opcode code, uint32_t operand_count,
                      ten_value *const *operands) {
  const ten_type **types = ten_arena_new_array(&m->arena, const ten_type *, old->result_count);
  for (uint32_t i = 0; i < old->result_count; i++) types[i] = ten_out(old, i);
  ten_op *op =
      ten_op_create(m, code, (ten_str){0}, old->loc, operand_count, operands, old->result_count, types, 0, NULL, 0);
  /* Attributes that the new op shares with the old one (dimension numbers, groups…), and all discardable ones. */
  for (uint32_t i = 0; i < old->attr_count; i++)
    if (!old->attrs[i].inherent || ten_op_spec(code, old->attrs[i].name))
      ten_op_set_attr(m, op, old->attrs[i].name, old->attrs[i].value);
  return op;
}

static void put(ten_op *old, ten_op *op) {
  ten_op_insert_before(old, op);
  for (uint32_t i = 0; i < old->result_count; i++) {
    op->results[i].name = old->results[i].name;
    ten_value_replace(&old->results[i], &op->results[i]);
  }
  ten_op_erase(old);
}

void ten_replace_by_constant(ten_module *m, ten_value *value, const ten_attr *constant) {
  if (!ten_value_has_uses(value)) return;
  const ten_named_attr attrs[] = {{TEN_STR("value"), constant, true}};
  ten_op *op =
      ten_op_create(m, TEN_OP_CONSTANT, (ten_str){0}, value->op->loc, 0, NULL, 1, &constant->dense.type, 1, attrs, 0);
  ten_op_insert_before(value->op, op);
  ten_value_replace(value, &op->results[0]);
}

static void set_dims(ten_module *m, ten_op *op, const char *name, ten_ints values) {
  ten_op_set_attr(m, op, ten_str_of(name), ten_attr_dims(m, values.count, values.data));
}

/* Whether two values are computed identically: one may be a duplicate of the other. Visits `budget` ops at
 * most. */
static bool same_value(const ten_value *a, const ten_value *b, unsigned *budget) {
  if (a == b) return true;
  const ten_op *p = a->op, *q = b->op;
  if (!p || !q || p->code != q->code || p->code == TEN_OP_UNKNOWN || a->index != b->index || a->type != b->type)
    return false;
  if (!ten_op_has(p, TEN_TRAIT_PURE) || p->region_count || q->region_count || p->operand_count != q->operand_count)
    return false;
  if (p->attr_count != q->attr_count || !*budget) return false;
  --*budget;
  for (uint32_t i = 0; i < p->attr_count; i++)
    if (!ten_str_eq(p->attrs[i].name, q->attrs[i].name) || !ten_attr_equal(p->attrs[i].value, q->attrs[i].value))
      return false;
  for (uint32_t i = 0; i < p->operand_count; i++)
    if (!same_value(ten_op_operand(p, i), ten_op_operand(q, i), budget)) return false;
  return true;
}

/* limit = start + sizes with unit strides: the sizes are known though the start is not. */
static bool slice_sizes(ten_module *m, const ten_op *op, ten_ints *sizes) {
  const ten_value *start = ten_op_operand(op, 1), *limit = ten_op_operand(op, 2);
  ten_ints strides;
  if (!limit->op || limit->op->code != TEN_OP_ADD || !ten_value_ints(m, ten_op_operand(op, 3), &strides)) return false;
  for (size_t i = 0; i < strides.count; i++)
    if (strides.data[i] != 1) return false;
  const ten_value *a = ten_op_operand(limit->op, 0), *b = ten_op_operand(limit->op, 1);
  unsigned budget = 256;
  return (ten_value_ints(m, b, sizes) && same_value(a, start, &budget)) ||
         (ten_value_ints(m, a, sizes) && same_value(b, start, &budget));
}

/* start_indices is one tensor here; dynamic_slice takes a scalar for each dimension. */
static ten_status *to_dynamic_slice(ten_module *m, ten_op *op, ten_ints sizes) {
  ten_value *start = ten_op_operand(op, 1);
  const uint32_t rank = ten_in(op, 0)->rank;
  ten_value **operands = ten_arena_new_array(&m->arena, ten_value *, rank + 1);
  operands[0] = ten_op_operand(op, 0);
  const int64_t one = 1;
  for (int64_t i = 0; i < rank; i++) {
    const int64_t limit = i + 1;
    const ten_type *cut = ten_make_tensor(m, start->type->element, 1, &one, NULL);
    const ten_type *scalar = ten_make_tensor(m, start->type->element, 0, NULL, NULL);
    const ten_named_attr attrs[] = {{TEN_STR("start_indices"), ten_attr_dims(m, 1, &i), true},
                                    {TEN_STR("limit_indices"), ten_attr_dims(m, 1, &limit), true},
                                    {TEN_STR("strides"), ten_attr_dims(m, 1, &one), true}};
    ten_op *slice = ten_op_create(m, TEN_OP_SLICE, (ten_str){0}, op->loc, 1, &start, 1, &cut, 3, attrs, 0);
    ten_op_insert_before(op, slice);
    ten_value *sliced = &slice->results[0];
    ten_op *reshape = ten_op_create(m, TEN_OP_RESHAPE, (ten_str){0}, op->loc, 1, &sliced, 1, &scalar, 0, NULL, 0);
    ten_op_insert_before(op, reshape);
    operands[i + 1] = &reshape->results[0];
  }
  ten_op *slice = new_op(m, op, TEN_OP_DYNAMIC_SLICE, rank + 1, operands);
  set_dims(m, slice, "slice_sizes", sizes);
  const ten_type *type =
      ten_types_merge(m, ten_out(op, 0), ten_make_tensor(m, ten_in(op, 0)->element, rank, sizes.data, NULL));
  WANT(type, "result is %s, the slice has shape %s", ten_say_type(m, ten_out(op, 0)), ten_say_list(m, sizes));
  slice->results[0].type = type;
  put(op, slice);
  return NULL;
}

ten_status *ten_make_static(ten_module *m, ten_op *op, bool *done) {
  ten_ints a, b, c;
  *done = false;
  ten_value *operands[3];
  for (uint32_t i = 0; i < 3 && i < op->operand_count; i++) operands[i] = ten_op_operand(op, i);
  const bool known = op->result_count == 1 && ten_type_is_static(ten_out(op, 0));
  ten_op *made = NULL;
  switch (op->code) {
    case TEN_OP_DYNAMIC_IOTA:
      if (known && ten_value_ints(m, operands[0], &a)) made = new_op(m, op, TEN_OP_IOTA, 0, NULL);
      break;
    case TEN_OP_DYNAMIC_RESHAPE:
      if (known && ten_value_ints(m, operands[1], &a)) made = new_op(m, op, TEN_OP_RESHAPE, 1, operands);
      break;
    case TEN_OP_DYNAMIC_BROADCAST_IN_DIM:
      if (known && ten_type_is_static(ten_in(op, 0)) && ten_value_ints(m, operands[1], &a))
        made = new_op(m, op, TEN_OP_BROADCAST_IN_DIM, 1, operands);
      break;
    case TEN_OP_DYNAMIC_GATHER:
      if (!ten_value_ints(m, operands[2], &a)) break;
      made = new_op(m, op, TEN_OP_GATHER, 2, operands);
      set_dims(m, made, "slice_sizes", a);
      break;
    case TEN_OP_DYNAMIC_PAD:
      if (!ten_value_ints(m, operands[2], &a) || !ten_value_ints(m, ten_op_operand(op, 3), &b) ||
          !ten_value_ints(m, ten_op_operand(op, 4), &c))
        break;
      made = new_op(m, op, TEN_OP_PAD, 2, operands);
      set_dims(m, made, "edge_padding_low", a);
      set_dims(m, made, "edge_padding_high", b);
      set_dims(m, made, "interior_padding", c);
      break;
    case TEN_OP_DYNAMIC_CONV: {
      if (!ten_value_ints(m, operands[2], &a)) break;
      const int64_t shape[] = {(int64_t)a.count / 2, 2};
      made = new_op(m, op, TEN_OP_CONVOLUTION, 2, operands);
      ten_op_set_attr(m, made, TEN_STR("padding"), ten_attr_dense_i64(m, 2, shape, a.data));
      break;
    }
    case TEN_OP_REAL_DYNAMIC_SLICE:
      if (ten_value_ints(m, operands[1], &a) && ten_value_ints(m, operands[2], &b) &&
          ten_value_ints(m, ten_op_operand(op, 3), &c)) {
        made = new_op(m, op, TEN_OP_SLICE, 1, operands);
        set_dims(m, made, "start_indices", a);
        set_dims(m, made, "limit_indices", b);
        set_dims(m, made, "strides", c);
      } else if (slice_sizes(m, op, &a) && a.count == ten_in(op, 0)->rank) {
        *done = true;
        return to_dynamic_slice(m, op, a);
      }
      break;
    default: break;
  }
  if (made) put(op, made);
  *done = made != NULL;
  return NULL;
}
