/* dynamic.c: ops whose shape is a value. Constant shapes are checked; others are known only at run time. */
#include "base/size.h"
#include "ir/verify/rules.h"

/* The sizes of a shape operand, if it is a constant and compatible with the declared result. */
static ten_status *want_shape(ten_module *m, const ten_op *op, uint32_t operand, const char *name, ten_ints *sizes,
                              bool *known) {
  const ten_type *shape = ten_in(op, operand), *result = ten_out(op, 0);
  *known = ten_value_ints(m, ten_op_operand(op, operand), sizes);
  if (result)
    WANT(shape->dims[0] == result->rank, "%s has %s sizes, result has rank %u", name, ten_say_dim(m, shape->dims[0]),
         result->rank);
  if (!*known) return NULL;
  for (size_t i = 0; i < sizes->count; i++)
    WANT(sizes->data[i] >= 0, "%s %s has a negative size", name, ten_say_list(m, *sizes));
  if (!result) return NULL;
  for (uint32_t i = 0; i < result->rank; i++) {
    const int64_t bound = ten_type_bound(result, i);
    WANT(ten_dims_agree(sizes->data[i], result->dims[i]) && (!ten_dim_known(bound) || sizes->data[i] <= bound),
         "%s is %s, result is %s", name, ten_say_list(m, *sizes), ten_say_type(m, result));
  }
  return NULL;
}

/* Result from the shape operand: its sizes where constant, else unknown ones of that rank. */
static ten_status *infer_from(ten_module *m, const ten_op *op, uint32_t operand, const char *name,
                              const ten_type *element, const ten_type **out) {
  ten_ints sizes;
  bool known;
  TEN_TRY(want_shape(m, op, operand, name, &sizes, &known));
  const int64_t count = ten_in(op, operand)->dims[0];
  enum { MOST_DIMS = 1 << 16 };
  WANT(count <= MOST_DIMS, "%s has %lld sizes", name, (long long)count);
  const ten_type *hint = ten_out(op, 0);
  int64_t *dims = ten_arena_new_array(&m->arena, int64_t, (size_t)count);
  for (uint32_t i = 0; i < count; i++) dims[i] = known ? sizes.data[i] : hint ? hint->dims[i] : TEN_DYNAMIC;
  return *out = ten_make_tensor(m, element, (uint32_t)count, dims, NULL), NULL;
}

static const ten_type *hinted_element(const ten_op *op, const ten_type *otherwise) {
  const ten_type *hint = ten_out(op, 0);
  return hint && ten_is_shaped(hint) ? hint->element : otherwise->element;
}

TEN_INFER(dynamic_iota) {
  const ten_type *hint = ten_out(op, 0);
  WANT(hint && ten_is_shaped(hint), "the result's element type does not follow from the shape, and none is given");
  return infer_from(m, op, 0, "output_shape", hint->element, out);
}

TEN_VERIFY(dynamic_iota) {
  (void)m;
  int64_t dim;
  return ten_want_dim(op, "iota_dimension", ten_out(op, 0)->rank, "result", &dim);
}

static ten_status *want_same_elements(ten_module *m, const ten_op *op) {
  const ten_type *operand = ten_in(op, 0), *result = ten_out(op, 0);
  WANT(ten_elements_agree(operand, result), "operand has elements %s, result has %s", ten_say_element(m, operand),
       ten_say_element(m, result));
  return NULL;
}

TEN_INFER(dynamic_reshape) { return infer_from(m, op, 1, "output_shape", hinted_element(op, ten_in(op, 0)), out); }

TEN_VERIFY(dynamic_reshape) {
  const ten_type *operand = ten_in(op, 0), *result = ten_out(op, 0);
  TEN_TRY(want_same_elements(m, op));
  ten_ints sizes;
  const ten_type *shape = result;
  if (ten_value_ints(m, ten_op_operand(op, 1), &sizes))
    shape = ten_make_tensor(m, result->element, (uint32_t)sizes.count, sizes.data, NULL);
  if (ten_type_is_static(operand) && ten_type_is_static(shape))
    WANT(ten_type_count(operand) == ten_type_count(shape), "operand %s has %lld elements, result %s has %lld",
         ten_say_type(m, operand), (long long)ten_type_count(operand), ten_say_type(m, shape),
         (long long)ten_type_count(shape));
  return operand->quant || result->quant ? ten_want_reshape_quant(m, op) : NULL;
}

TEN_INFER(dynamic_broadcast_in_dim) {
  return infer_from(m, op, 1, "output_dimensions", hinted_element(op, ten_in(op, 0)), out);
}

TEN_VERIFY(dynamic_broadcast_in_dim) {
  const ten_type *operand = ten_in(op, 0), *result = ten_out(op, 0);
  const ten_ints dims = ten_op_ints(op, "broadcast_dimensions");
  TEN_TRY(want_same_elements(m, op));
  WANT(dims.count == operand->rank, "broadcast_dimensions %s has %zu entries, operand has rank %u",
       ten_say_list(m, dims), dims.count, operand->rank);
  WANT(operand->rank <= result->rank, "operand has rank %u, result has %u", operand->rank, result->rank);
  TEN_TRY(ten_want_in_range(m, op, dims, result->rank, "broadcast_dimensions", "result"));
  TEN_TRY(ten_want_unique(m, op, dims, "broadcast_dimensions"));
  ten_ints sizes;
  const bool known = ten_value_ints(m, ten_op_operand(op, 1), &sizes) && sizes.count == result->rank;
  for (uint32_t i = 0; i < operand->rank; i++) {
    const int64_t size = operand->dims[i], to = dims.data[i], wanted = known ? sizes.data[to] : result->dims[to];
    WANT(size == 1 || ten_dims_agree(size, wanted),
         "operand dimension %u has size %lld, result dimension %lld has %lld", i, (long long)size, (long long)to,
         (long long)wanted);
  }
  const ten_ints grow = ten_op_ints(op, "known_expanding_dimensions"),
                 keep = ten_op_ints(op, "known_nonexpanding_dimensions");
  TEN_TRY(ten_want_in_range(m, op, grow, operand->rank, "known_expanding_dimensions", "operand"));
  TEN_TRY(ten_want_in_range(m, op, keep, operand->rank, "known_nonexpanding_dimensions", "operand"));
  TEN_TRY(ten_want_disjoint(m, op, grow, keep, "known_expanding_dimensions", "known_nonexpanding_dimensions"));
  return ten_is_per_axis(result) ? ten_want_broadcast_quant(m, op, dims) : NULL;
}

/* Constant operands a, b, c as lists; false unless all are constants. */
static bool three(ten_module *m, const ten_op *op, uint32_t first, ten_ints *a, ten_ints *b, ten_ints *c) {
  return ten_value_ints(m, ten_op_operand(op, first), a) && ten_value_ints(m, ten_op_operand(op, first + 1), b) &&
         ten_value_ints(m, ten_op_operand(op, first + 2), c);
}

static const ten_type *unknown_like(ten_module *m, const ten_type *operand) {
  int64_t *dims = ten_arena_new_array(&m->arena, int64_t, operand->rank);
  for (uint32_t i = 0; i < operand->rank; i++) dims[i] = TEN_DYNAMIC;
  return ten_make_tensor(m, operand->element, operand->rank, dims, NULL);
}

TEN_INFER(dynamic_pad) {
  static const char *const names[] = {"operand", "padding_value", "edge_padding_low", "edge_padding_high",
                                      "interior_padding"};
  const ten_type *operand = ten_in(op, 0);
  for (uint32_t i = 2; i < 5; i++) {
    WANT(ten_type_equal(ten_in(op, i), ten_in(op, 2)), "edge_padding_low is %s, %s is %s",
         ten_say_type(m, ten_in(op, 2)), names[i], ten_say_type(m, ten_in(op, i)));
    WANT(ten_in(op, i)->dims[0] == operand->rank, "%s has %lld entries, operand has rank %u", names[i],
         (long long)ten_in(op, i)->dims[0], operand->rank);
  }
  ten_ints low, high, interior;
  if (ten_value_ints(m, ten_op_operand(op, 4), &interior))
    for (size_t i = 0; i < interior.count; i++)
      WANT(interior.data[i] >= 0, "interior_padding[%zu] = %lld is negative", i, (long long)interior.data[i]);
  if (three(m, op, 2, &low, &high, &interior)) return ten_infer_pad_of(m, op, low, high, interior, out);
  return out[0] = unknown_like(m, operand), NULL;
}

TEN_INFER(real_dynamic_slice) {
  static const char *const names[] = {"operand", "start_indices", "limit_indices", "strides"};
  const ten_type *operand = ten_in(op, 0);
  for (uint32_t i = 1; i < 4; i++) {
    WANT(ten_type_equal(ten_in(op, i), ten_in(op, 1)), "start_indices is %s, %s is %s", ten_say_type(m, ten_in(op, 1)),
         names[i], ten_say_type(m, ten_in(op, i)));
    WANT(ten_dims_agree(ten_in(op, i)->dims[0], operand->rank), "%s has %lld entries, operand has rank %u", names[i],
         (long long)ten_in(op, i)->dims[0], operand->rank);
  }
  ten_ints start, limit, strides;
  if (three(m, op, 1, &start, &limit, &strides)) return ten_infer_slice_of(m, op, start, limit, strides, out);
  return out[0] = unknown_like(m, operand), NULL;
}

TEN_INFER(dynamic_gather) {
  const ten_type *operand = ten_in(op, 0), *slice = ten_in(op, 2);
  WANT(slice->dims[0] == operand->rank, "slice_sizes has %lld entries, operand has rank %u", (long long)slice->dims[0],
       operand->rank);
  ten_ints sizes;
  const bool known = ten_value_ints(m, ten_op_operand(op, 2), &sizes);
  return ten_infer_gather_of(m, op, known ? &sizes : NULL, out);
}

TEN_INFER(dynamic_conv) {
  const ten_type *input = ten_in(op, 0), *shape = ten_in(op, 2);
  WANT(input->rank >= 2, "input %s has rank %u, must have batch and feature dimensions", ten_say_type(m, input),
       input->rank);
  WANT(shape->dims[0] == (int64_t)input->rank - 2 && shape->dims[1] == 2, "padding has shape %s, must have [%u, 2]",
       ten_say_shape(m, shape), input->rank - 2);
  ten_ints padding;
  const bool known = ten_value_ints(m, ten_op_operand(op, 2), &padding);
  return ten_infer_conv_shape(m, op, known ? &padding : NULL, out);
}
