/* assert.c: custom calls about shapes.
 *
 * - @shape_assertion(what, values…) {error_message} fails when `what` is false, with {0}, {1}… in the message replaced
 *   by the values.
 * - indices_of_shape_operands = dense<[…]> names the operand that holds the shape of each result; those operands are
 *   removed once they are constants.
 * - stablehlo.shape_refinement_operand_wrapper is its first operand.
 * - stablehlo.dynamic_{top_k, rng_bit_generator, reduce_window, approx_top_k} have operands for attributes. */
#include <stdlib.h>

#include "ir/verify/refine.h"

static ten_status *format_message(ten_module *m, const ten_op *op, ten_str format, ten_buf *out) {
  for (size_t i = 0; i < format.size; i++) {
    if (format.data[i] != '{') {
      ten_buf_addc(out, format.data[i]);
      continue;
    }
    size_t end = i + 1, index = 0;
    while (end < format.size && format.data[end] >= '0' && format.data[end] <= '9' && index < 1000)
      index = index * 10 + (size_t)(format.data[end++] - '0');
    if (end == i + 1 || end >= format.size ||
        (format.data[end] != '}' && format.data[end] != ',' && format.data[end] != ':')) {
      ten_buf_addc(out, '{');
      continue;
    }
    while (end < format.size && format.data[end] != '}') end++;
    ten_ints value;
    WANT(index + 1 < op->operand_count, "error_message names value {%zu}, there are %u", index, op->operand_count - 1);
    if (ten_value_ints(m, ten_op_operand(op, (uint32_t)index + 1), &value) && value.count)
      ten_buf_printf(out, "%lld", (long long)value.data[0]);
    else
      ten_buf_addc(out, '?');
    i = end;
  }
  return NULL;
}

static ten_status *check_assertion(ten_module *m, ten_op *op, bool *done) {
  WANT(op->operand_count, "@shape_assertion has no operand to assert");
  WANT(!op->result_count, "@shape_assertion has %u results, must have none", op->result_count);
  WANT(ten_type_has_class(ten_in(op, 0), IS_PRED | OF_RANK_0), "@shape_assertion asserts %s, must assert tensor<i1>",
       ten_say_type(m, ten_in(op, 0)));
  ten_ints what;
  if (!ten_value_ints(m, ten_op_operand(op, 0), &what) || what.count != 1) return NULL;
  if (!what.data[0]) {
    ten_buf text = {0};
    ten_status *status = format_message(m, op, ten_attr_as_string(ten_op_attr(op, "error_message")), &text);
    if (!status)
      status = ten_op_error(op, TEN_INVALID, "shape assertion failed: %s", text.data ? text.data : "(no message)");
    ten_buf_free(&text);
    return status;
  }
  ten_op_erase(op);
  *done = true;
  return NULL;
}

/* Results in the order of their leaves: tuples are flattened. */
static uint32_t count_leaves(const ten_type *type) {
  if (type->kind != TEN_TYPE_TUPLE) return 1;
  uint32_t count = 0;
  for (uint32_t i = 0; i < type->input_count; i++) count += count_leaves(type->inputs[i]);
  return count;
}

static ten_status *with_leaves(ten_module *m, const ten_op *op, const ten_type *type, const ten_ints *shapes,
                               uint32_t *at, const ten_type **out) {
  if (type->kind == TEN_TYPE_TUPLE) {
    const ten_type **parts = ten_arena_new_array(&m->arena, const ten_type *, type->input_count);
    for (uint32_t i = 0; i < type->input_count; i++)
      TEN_TRY(with_leaves(m, op, type->inputs[i], shapes, at, &parts[i]));
    return *out = ten_type_tuple(m, type->input_count, parts), NULL;
  }
  const ten_ints shape = shapes[(*at)++];
  WANT(type->kind == TEN_TYPE_TENSOR, "a shape is given for %s", ten_say_type(m, type));
  for (size_t i = 0; i < shape.count; i++)
    WANT(shape.data[i] >= 0, "shape %s has a negative size", ten_say_list(m, shape));
  const ten_type *wanted = ten_make_tensor(m, type->element, (uint32_t)shape.count, shape.data, NULL);
  *out = ten_types_merge(m, type, wanted);
  WANT(*out, "result is %s, indices_of_shape_operands gives it shape %s", ten_say_type(m, type),
       ten_say_list(m, shape));
  return NULL;
}

static ten_status *drop_shape_operands(ten_module *m, ten_op *op, ten_ints indices) {
  const ten_attr *layouts = ten_op_attr(op, "operand_layouts");
  ten_value **operands = ten_arena_new_array(&m->arena, ten_value *, op->operand_count);
  const ten_attr **kept = ten_arena_new_array(&m->arena, const ten_attr *, op->operand_count);
  uint32_t count = 0;
  for (uint32_t i = 0; i < op->operand_count; i++) {
    if (ten_ints_has(indices, i)) continue;
    if (layouts && layouts->kind == TEN_ATTR_ARRAY && i < layouts->array.count) kept[count] = layouts->array.items[i];
    operands[count++] = ten_op_operand(op, i);
  }
  if (layouts) ten_op_set_attr(m, op, TEN_STR("operand_layouts"), ten_attr_array(m, count, kept));
  ten_op_set_operands(m, op, count, operands);
  ten_op_remove_attr(op, "indices_of_shape_operands");
  return NULL;
}

static ten_status *refine_by_operands(ten_module *m, ten_op *op, const ten_attr *attr, bool *done) {
  ten_ints indices;
  WANT(ten_dense_ints(m, attr, &indices) && attr->dense.type->dtype == TEN_I64 && attr->dense.type->rank == 1,
       "indices_of_shape_operands must be a one-dimensional constant of i64");
  uint32_t leaves = 0;
  for (uint32_t i = 0; i < op->result_count; i++) leaves += count_leaves(ten_out(op, i));
  WANT(indices.count == leaves, "indices_of_shape_operands has %zu entries for %u results", indices.count, leaves);
  ten_ints *shapes = ten_arena_new_array(&m->arena, ten_ints, leaves);
  for (uint32_t i = 0; i < leaves; i++) {
    const int64_t index = indices.data[i];
    WANT(index >= 0 && index < op->operand_count, "indices_of_shape_operands names operand %lld of %u",
         (long long)index, op->operand_count);
    if (!ten_value_ints(m, ten_op_operand(op, (uint32_t)index), &shapes[i])) return NULL;
  }
  uint32_t at = 0;
  bool all_static = true;
  for (uint32_t i = 0; i < op->result_count; i++) {
    TEN_TRY(with_leaves(m, op, ten_out(op, i), shapes, &at, &op->results[i].type));
    all_static = all_static && ten_type_is_static(ten_out(op, i));
  }
  if (ten_str_is(ten_attr_as_string(ten_op_attr(op, "call_target_name")),
                 "stablehlo.shape_refinement_operand_wrapper") &&
      op->operand_count && op->result_count == 1 && ten_type_equal(ten_in(op, 0), ten_out(op, 0))) {
    ten_value_replace(&op->results[0], ten_op_operand(op, 0));
    ten_op_erase(op);
    *done = true;
    return NULL;
  }
  return all_static ? drop_shape_operands(m, op, indices) : NULL;
}

static void put(ten_op *old, ten_op *op) {
  ten_op_insert_before(old, op);
  for (uint32_t i = 0; i < old->result_count; i++) ten_value_replace(&old->results[i], &op->results[i]);
  ten_op_erase(old);
}

static ten_status *refine_results(ten_module *m, ten_op *op, const ten_type *const *types) {
  for (uint32_t i = 0; i < op->result_count; i++) TEN_TRY(ten_refine_value(m, op, &op->results[i], types[i]));
  return NULL;
}

static ten_status *to_top_k(ten_module *m, ten_op *op, bool *done) {
  ten_ints k;
  WANT(op->operand_count == 2 && op->result_count == 2, "has %u operands and %u results, must have 2 and 2",
       op->operand_count, op->result_count);
  if (!ten_value_ints(m, ten_op_operand(op, 1), &k) || k.count != 1) return NULL;
  const ten_type *types[] = {ten_out(op, 0), ten_out(op, 1)};
  ten_value *operand = ten_op_operand(op, 0);
  const ten_named_attr attrs[] = {{TEN_STR("k"), ten_attr_i64(m, k.data[0]), true}};
  ten_op *top = ten_op_create(m, TEN_OP_CHLO_TOP_K, (ten_str){0}, op->loc, 1, &operand, 2, types, 1, attrs, 0);
  TEN_TRY(ten_infer_op(m, top));
  const ten_type *inferred[] = {ten_out(top, 0), ten_out(top, 1)};
  TEN_TRY(refine_results(m, op, inferred));
  put(op, top);
  *done = true;
  return NULL;
}

static ten_status *to_rng(ten_module *m, ten_op *op, bool *done) {
  ten_ints shape;
  WANT(op->operand_count == 2 && op->result_count == 2, "has %u operands and %u results, must have 2 and 2",
       op->operand_count, op->result_count);
  if (!ten_value_ints(m, ten_op_operand(op, 1), &shape)) return NULL;
  const ten_attr *algorithm = ten_op_attr(op, "rng_algorithm");
  WANT(algorithm && algorithm->kind == TEN_ATTR_ENUM && algorithm->enumeration.id == TEN_ENUM_RNG_ALGORITHM,
       "rng_algorithm is missing");
  const ten_type *wanted[] = {ten_in(op, 0),
                              ten_make_tensor(m, ten_out(op, 1)->element, (uint32_t)shape.count, shape.data, NULL)};
  TEN_TRY(refine_results(m, op, wanted));
  const ten_type *types[] = {ten_out(op, 0), ten_out(op, 1)};
  ten_value *state = ten_op_operand(op, 0);
  const ten_named_attr attrs[] = {{TEN_STR("rng_algorithm"), algorithm, true}};
  put(op, ten_op_create(m, TEN_OP_RNG_BIT_GENERATOR, (ten_str){0}, op->loc, 1, &state, 2, types, 1, attrs, 0));
  *done = true;
  return NULL;
}

/* The called function becomes the body; its func.return a stablehlo.return. */
static ten_status *inline_body(ten_module *m, const ten_op *call, ten_op *op) {
  const ten_attr *calls = ten_op_attr(call, "called_computations");
  const ten_attr *name =
      calls && calls->kind == TEN_ATTR_ARRAY && calls->array.count == 1 ? calls->array.items[0] : NULL;
  const ten_op *func = name ? ten_module_find(m, ten_attr_as_string(name)) : NULL;
  if (!func || !ten_op_is_func(func) || !func->regions[0].first)
    return ten_op_error(call, TEN_INVALID, "called_computations must name one function with a body");
  ten_value_map map = {0};
  ten_op *copy = ten_op_clone(m, func, &map);
  ten_value_map_free(&map);
  ten_block *body = copy->regions[0].first;
  op->regions[0] = (ten_region){.op = op, .first = body, .last = body};
  body->region = &op->regions[0];
  ten_op *old = body->last;
  if (!old) return ten_op_error(call, TEN_INVALID, "@%.*s has no return", TEN_FMT(ten_func_name(func)));
  ten_value **values = ten_arena_new_array(&m->arena, ten_value *, old->operand_count);
  for (uint32_t i = 0; i < old->operand_count; i++) values[i] = ten_op_operand(old, i);
  ten_op *end =
      ten_op_create(m, TEN_OP_RETURN, (ten_str){0}, old->loc, old->operand_count, values, 0, NULL, 0, NULL, 0);
  ten_op_insert_before(old, end);
  ten_op_erase(old);
  return NULL;
}

/* inputs…, initial values…, window_dimensions, window_strides, base_dilations, window_dilations, padding */
static ten_status *to_reduce_window(ten_module *m, ten_op *op, bool *done) {
  static const char *const names[] = {"window_dimensions", "window_strides", "base_dilations", "window_dilations"};
  WANT(op->operand_count > 6 && op->operand_count % 2 == 1 && op->result_count == (op->operand_count - 5) / 2,
       "has %u operands and %u results, must have inputs, as many initial values, and five about the window",
       op->operand_count, op->result_count);
  const uint32_t count = op->operand_count - 5;
  ten_ints lists[5];
  for (uint32_t i = 0; i < 5; i++)
    if (!ten_value_ints(m, ten_op_operand(op, count + i), &lists[i])) return NULL;
  ten_value **operands = ten_arena_new_array(&m->arena, ten_value *, count);
  const ten_type **types = ten_arena_new_array(&m->arena, const ten_type *, op->result_count);
  for (uint32_t i = 0; i < count; i++) operands[i] = ten_op_operand(op, i);
  for (uint32_t i = 0; i < op->result_count; i++) types[i] = ten_out(op, i);
  ten_op *window = ten_op_create(m, TEN_OP_REDUCE_WINDOW, (ten_str){0}, op->loc, count, operands, op->result_count,
                                 types, 0, NULL, 1);
  for (uint32_t i = 0; i < 4; i++)
    ten_op_set_attr(m, window, ten_str_of(names[i]), ten_attr_dims(m, lists[i].count, lists[i].data));
  const int64_t shape[] = {(int64_t)lists[4].count / 2, 2};
  ten_op_set_attr(m, window, TEN_STR("padding"), ten_attr_dense_i64(m, 2, shape, lists[4].data));
  TEN_TRY(inline_body(m, op, window));
  TEN_TRY(ten_infer_op(m, window));
  for (uint32_t i = 0; i < op->result_count; i++) TEN_TRY(ten_refine_value(m, op, &window->results[i], ten_out(op, i)));
  put(op, window);
  *done = true;
  return NULL;
}

/* inputs…, initial values…, k: k moves into the backend's configuration. */
static ten_status *to_approx_top_k(ten_module *m, ten_op *op) {
  ten_ints k;
  if (!op->operand_count || !ten_value_ints(m, ten_op_operand(op, op->operand_count - 1), &k) || k.count != 1)
    return NULL;
  const ten_attr *config = ten_op_attr(op, "mhlo.backend_config");
  WANT(config && config->kind == TEN_ATTR_DICT, "mhlo.backend_config is missing");
  ten_named_attr *items = ten_arena_new_array(&m->arena, ten_named_attr, config->dict.count + 1);
  if (config->dict.count) memcpy(items, config->dict.items, config->dict.count * sizeof *items);
  items[config->dict.count] = (ten_named_attr){TEN_STR("top_k"), ten_attr_i64(m, k.data[0]), false};
  ten_op_set_attr(m, op, TEN_STR("mhlo.backend_config"), ten_attr_dict(m, config->dict.count + 1, items));
  ten_op_set_attr(m, op, TEN_STR("call_target_name"), ten_attr_string(m, TEN_STR("ApproxTopK")));
  ten_op_erase_operand(op, op->operand_count - 1);
  return NULL;
}

ten_status *ten_refine_custom_call(ten_module *m, ten_op *op, bool *done) {
  const ten_str target = ten_attr_as_string(ten_op_attr(op, "call_target_name"));
  const ten_attr *indices = ten_op_attr(op, "indices_of_shape_operands");
  *done = false;
  if (ten_str_is(target, "shape_assertion")) return check_assertion(m, op, done);
  if (ten_str_is(target, "stablehlo.dynamic_top_k")) return to_top_k(m, op, done);
  if (ten_str_is(target, "stablehlo.dynamic_rng_bit_generator")) return to_rng(m, op, done);
  if (ten_str_is(target, "stablehlo.dynamic_reduce_window")) return to_reduce_window(m, op, done);
  if (indices) TEN_TRY(refine_by_operands(m, op, indices, done));
  if (!*done && ten_str_is(target, "stablehlo.dynamic_approx_top_k")) return to_approx_top_k(m, op);
  return NULL;
}
