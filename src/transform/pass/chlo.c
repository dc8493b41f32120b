/* chlo.c: lowers CHLO to StableHLO, where that only concerns shapes: implicit broadcasts, constants, top_k, ragged_dot,
 * scan, and functions that are one or two StableHLO ops. Special functions stay: backends compute them elementwise.
 * Needs: verified IR; static shapes where a shape has to be computed (other ops are unchanged).  Keeps: types,
 * locations. */
#include "transform/pass/chlo.h"
#include "ir/builder.h"
#include "transform/pass/pass.h"

/* The operand broadcast to the result's shape. `broadcast_dimensions` maps the dimensions of the smaller operand; else
 * they are aligned at the end. */
static ten_value *spread(ten_builder *b, ten_value *x, const ten_type *to, ten_ints map) {
  if (map.count && map.count == x->type->rank && x->type->rank != to->rank)
    return ten_build_broadcast(b, x, to->rank, to->dims, map.data);
  return ten_build_broadcast_to(b, x, to->rank, to->dims);
}

static ten_value *legalise_broadcast(ten_builder *b, const ten_op *op) {
  const ten_type *type = op->results[0].type;
  ten_value *operands[3];
  for (uint32_t i = 0; i < op->operand_count; i++) {
    if (!ten_type_is_static(ten_op_operand(op, i)->type)) return NULL;
    const bool scalar_choice =
        op->code == TEN_OP_CHLO_BROADCAST_SELECT && i == 0 && ten_op_operand(op, i)->type->rank == 0;
    operands[i] = scalar_choice ? ten_op_operand(op, i)
                                : spread(b, ten_op_operand(op, i), type, ten_op_ints(op, "broadcast_dimensions"));
  }
  ten_named_attr attrs[2];
  uint32_t count = 0;
  if (op->code == TEN_OP_CHLO_BROADCAST_COMPARE) {
    const ten_attr *direction = ten_op_attr(op, "comparison_direction"), *kind = ten_op_attr(op, "compare_type");
    attrs[count++] =
        (ten_named_attr){TEN_STR("comparison_direction"),
                         ten_attr_enum(b->module, TEN_ENUM_COMPARISON_DIRECTION, direction->enumeration.value), true};
    if (kind)
      attrs[count++] = (ten_named_attr){
          TEN_STR("compare_type"), ten_attr_enum(b->module, TEN_ENUM_COMPARISON_TYPE, kind->enumeration.value), true};
  }
  return &ten_build_op(b, ten_op_broadcasts(op->code), op->operand_count, operands, 1, &type, count, attrs, 0)
              ->results[0];
}

static ten_value *legalise_constant_like(ten_builder *b, const ten_op *op) {
  const ten_type *type = op->results[0].type;
  const ten_attr *value = ten_op_attr(op, "value");
  if (value->kind == TEN_ATTR_INT) return ten_build_splat_int(b, type, value->integer.value);
  if (value->kind == TEN_ATTR_FLOAT) return ten_build_splat(b, type, value->real.value);
  if (value->kind != TEN_ATTR_DENSE) return NULL;
  return ten_build_constant(b, ten_attr_dense(b->module, type, value->dense.data, ten_dtype_bytes(type->dtype)));
}

static ten_value *legalise_is_inf(ten_builder *b, const ten_op *op) {
  ten_value *x = ten_op_operand(op, 0);
  const double infinity = __builtin_inf();
  if (op->code == TEN_OP_CHLO_IS_INF) x = ten_build_unary(b, TEN_OP_ABS, x);
  return ten_build_compare(b, TEN_EQ, x,
                           ten_build_like(b, x, op->code == TEN_OP_CHLO_IS_NEG_INF ? -infinity : infinity));
}

static ten_value *legalise_conj(ten_builder *b, const ten_op *op) {
  ten_value *x = ten_op_operand(op, 0);
  if (!ten_dtype_is_complex(x->type->dtype)) return x;
  return ten_build_complex(b, ten_build_part(b, TEN_OP_REAL, x),
                           ten_build_unary(b, TEN_OP_NEGATE, ten_build_part(b, TEN_OP_IMAG, x)));
}

/* Descending; of floats, NaN comes first and -0 after +0. */
static void larger_first(ten_builder *b, ten_value *const *args, void *context) {
  (void)context;
  ten_value *first = ten_build_compare(b, TEN_GT, args[0], args[1]);
  if (ten_dtype_is_float(args[0]->type->dtype))
    ten_op_set_attr(b->module, first->op, TEN_STR("compare_type"),
                    ten_attr_enum(b->module, TEN_ENUM_COMPARISON_TYPE, 2));
  ten_build_return(b, 1, &first);
}

static bool legalise_top_k(ten_builder *b, ten_op *op, int64_t k) {
  ten_value *x = ten_op_operand(op, 0);
  if (!ten_type_is_static(x->type)) return false;
  const int64_t last = (int64_t)x->type->rank - 1;
  const ten_type *index_type = ten_type_with_dtype(b->module, x->type, op->results[1].type->dtype);
  ten_value *xs[] = {x, ten_build_iota(b, index_type, last)};
  const ten_op *sorted = ten_build_sort(b, 2, xs, last, true, larger_first, NULL);
  for (uint32_t i = 0; i < 2; i++)
    ten_value_replace(&op->results[i], ten_build_slice_dim(b, &sorted->results[i], last, 0, k, 1));
  return true;
}

static void smaller_first(ten_builder *b, ten_value *const *args, void *context) {
  (void)context;
  ten_value *first = ten_build_compare(b, TEN_LT, args[0], args[1]);
  if (ten_dtype_is_float(args[0]->type->dtype))
    ten_op_set_attr(b->module, first->op, TEN_STR("compare_type"),
                    ten_attr_enum(b->module, TEN_ENUM_COMPARISON_TYPE, 2));
  ten_build_return(b, 1, &first);
}

/* The direction of the first comparison of the function that the call names; -1: none. */
static int direction_of(const ten_module *module, const ten_op *call) {
  const ten_attr *called = ten_op_attr(call, "called_computations");
  if (!called || called->kind != TEN_ATTR_ARRAY || called->array.count != 1) return -1;
  const ten_op *function = ten_module_find(module, ten_attr_as_string(called->array.items[0]));
  const ten_block *body = function ? ten_op_body(function, 0) : NULL;
  for (const ten_op *op = body ? body->first : NULL; op; op = op->next)
    if (op->code == TEN_OP_COMPARE) return (int)ten_op_attr(op, "comparison_direction")->enumeration.value;
  return -1;
}

/* @ApproxTopK(values, indices, start…) of JAX's approx_max_k and approx_min_k on a TPU: as many of the best along one
 * dimension as the result holds. The result here is exact. */
static bool legalise_approx_top_k(ten_builder *b, ten_op *op) {
  const ten_attr *config = ten_op_attr(op, "mhlo.backend_config");
  if (!config || config->kind != TEN_ATTR_DICT) config = ten_op_attr(op, "backend_config");
  if (!config || config->kind != TEN_ATTR_DICT || op->operand_count != 4 || op->result_count != 2) return false;
  const int64_t dim = ten_attr_as_int(ten_dict_get(config, "reduction_dim"), -1);
  const int direction = direction_of(b->module, op);
  ten_value *xs[] = {ten_op_operand(op, 0), ten_op_operand(op, 1)};
  const ten_type *type = xs[0]->type, *result = op->results[0].type;
  if (!ten_type_is_static(type) || dim < 0 || dim >= (int64_t)type->rank || result->rank != type->rank ||
      result->dims[dim] > type->dims[dim] || (direction != TEN_GT && direction != TEN_LT))
    return false;
  const ten_op *sorted = ten_build_sort(b, 2, xs, dim, true, direction == TEN_GT ? larger_first : smaller_first, NULL);
  for (uint32_t i = 0; i < 2; i++)
    ten_value_replace(&op->results[i], ten_build_slice_dim(b, &sorted->results[i], dim, 0, result->dims[dim], 1));
  return true;
}

static ten_value *legalise_one(ten_builder *b, ten_op *op) {
  if (ten_op_broadcasts(op->code)) return ten_type_is_static(op->results[0].type) ? legalise_broadcast(b, op) : NULL;
  switch (op->code) {
    case TEN_OP_CHLO_CONSTANT: return ten_build_constant(b, ten_op_attr(op, "value"));
    case TEN_OP_CHLO_CONSTANT_LIKE:
      return ten_type_is_static(op->results[0].type) ? legalise_constant_like(b, op) : NULL;
    case TEN_OP_CHLO_IS_INF:
    case TEN_OP_CHLO_IS_POS_INF:
    case TEN_OP_CHLO_IS_NEG_INF: return ten_type_is_static(op->results[0].type) ? legalise_is_inf(b, op) : NULL;
    case TEN_OP_CHLO_CONJ: return legalise_conj(b, op);
    case TEN_OP_CHLO_TAN: return ten_build_unary(b, TEN_OP_TAN, ten_op_operand(op, 0));
    case TEN_OP_CHLO_RAGGED_DOT: return ten_chlo_ragged_dot(b, op);
    case TEN_OP_CHLO_SQUARE: {
      ten_value *x = ten_op_operand(op, 0);
      return ten_dtype_is_complex(x->type->dtype) ? NULL : ten_build_binary(b, TEN_OP_MULTIPLY, x, x);
    }
    default: return NULL;
  }
}

/* Ops of XLA without a StableHLO op, which appear when PyTorch/XLA converts its programs. */
static void legalise_call(ten_builder *b, ten_op *op) {
  const ten_attr *target = ten_op_attr(op, "call_target_name"), *given = ten_op_attr(op, "mhlo.attributes");
  if (!target || !op->operand_count || !op->result_count || !ten_type_is_static(op->results[0].type)) return;
  const ten_str name = ten_attr_as_string(target);
  const ten_type *type = ten_op_operand(op, 0)->type;
  if (ten_str_is(name, "mhlo.erf") && type == op->results[0].type && ten_dtype_is_float(type->dtype)) {
    ten_value_replace(&op->results[0], ten_build_unary(b, TEN_OP_CHLO_ERF, ten_op_operand(op, 0)));
  } else if (ten_str_is(name, "mhlo.topk") && op->result_count == 2 && given && given->kind == TEN_ATTR_DICT) {
    const ten_attr *largest = ten_dict_get(given, "largest");
    const int64_t k = ten_attr_as_int(ten_dict_get(given, "k"), -1);
    if ((largest && !ten_attr_as_bool(largest)) || !type->rank || k < 0 || k > type->dims[type->rank - 1]) return;
    if (!legalise_top_k(b, op, k)) return;
  } else if (ten_str_is(name, "ApproxTopK")) {
    if (!legalise_approx_top_k(b, op)) return;
  } else {
    return;
  }
  ten_op_erase(op);
}

static ten_status *visit(ten_op *op, void *context) {
  ten_builder b = {.module = context, .block = op->block, .before = op, .loc = op->loc};
  if (op->code == TEN_OP_CUSTOM_CALL) {
    legalise_call(&b, op);
    return NULL;
  }
  if (!ten_str_starts(op->name, "chlo.")) return NULL;
  if (op->code == TEN_OP_CHLO_TOP_K || op->code == TEN_OP_CHLO_SCAN) {
    const bool done =
        op->code == TEN_OP_CHLO_TOP_K ? legalise_top_k(&b, op, ten_op_int(op, "k", 0)) : ten_chlo_scan(&b, op);
    if (done) ten_op_erase(op);
    return NULL;
  }
  ten_value *by = legalise_one(&b, op);
  if (!by) return NULL;
  ten_value_replace(&op->results[0], by);
  ten_op_erase(op);
  return NULL;
}

static ten_status *chlo_run(ten_module *module) { return ten_op_walk(module->op, visit, module); }

const ten_pass ten_pass_chlo = {.name = "chlo", .summary = "rewrite CHLO ops as StableHLO ops", .run = chlo_run};
