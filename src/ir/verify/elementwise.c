/* elementwise.c: ops that work on one element at a time, and those that broadcast scalars. */
#include "ir/verify/rules.h"

/* All operands describe one type: the result combines what is known of each. */
TEN_INFER(same) {
  const ten_type *type = ten_in(op, 0);
  for (uint32_t i = 1; i < op->operand_count; i++) {
    const ten_type *merged = ten_types_merge(m, type, ten_in(op, i));
    WANT(merged, "operand %u is %s, which contradicts %s", i, ten_say_type(m, ten_in(op, i)), ten_say_type(m, type));
    type = merged;
  }
  return out[0] = type, NULL;
}

TEN_VERIFY(accuracy) {
  (void)m;
  const ten_attr *attr = ten_op_attr(op, "result_accuracy");
  if (!attr) return NULL;
  const double atol = ten_attr_as_float(ten_attr_field(attr, "atol"), 0),
               rtol = ten_attr_as_float(ten_attr_field(attr, "rtol"), 0);
  const int64_t ulps = ten_attr_as_int(ten_attr_field(attr, "ulps"), 0);
  const ten_attr *mode = ten_attr_field(attr, "mode");
  WANT(!(atol < 0) && !(rtol < 0) && ulps >= 0, "result_accuracy is negative: atol = %g, rtol = %g, ulps = %lld", atol,
       rtol, (long long)ulps);
  const char *name = ten_enum_name(TEN_ENUM_RESULT_ACCURACY_MODE, (int)ten_attr_as_int(mode, 0));
  WANT((name && !strcmp(name, "TOLERANCE")) || (atol == 0 && rtol == 0 && ulps == 0),
       "result_accuracy of mode %s has tolerances (atol = %g, rtol = %g, ulps = %lld), which only mode TOLERANCE takes",
       name ? name : "?", atol, rtol, (long long)ulps);
  return NULL;
}

static const ten_type *part_of(ten_module *m, const ten_type *type) {
  return type->quant ? type->element : ten_type_scalar(m, ten_dtype_part(type->dtype));
}

/* abs, real, imag: complex becomes its parts. */
TEN_INFER(part) { return out[0] = ten_with_element(m, ten_in(op, 0), part_of(m, ten_in(op, 0))), NULL; }

TEN_INFER(pred) { return out[0] = ten_with_element(m, ten_in(op, 0), ten_type_scalar(m, TEN_I1)), NULL; }

TEN_INFER(complex) {
  const ten_type *merged = ten_types_merge(m, ten_in(op, 0), ten_in(op, 1));
  WANT(merged, "real part is %s, imaginary part is %s", ten_say_type(m, ten_in(op, 0)), ten_say_type(m, ten_in(op, 1)));
  return out[0] = ten_with_element(m, merged, ten_type_scalar(m, merged->dtype == TEN_F64 ? TEN_C128 : TEN_C64)), NULL;
}

TEN_VERIFY(add) {
  const ten_type *lhs = ten_in(op, 0), *rhs = ten_in(op, 1), *result = ten_out(op, 0);
  if (lhs->quant || rhs->quant || result->quant) return ten_want_binary_quant(m, op);
  WANT(ten_elements_equal(lhs, rhs) && ten_elements_equal(lhs, result),
       "operands have elements %s and %s, result has %s: element types differ", ten_say_element(m, lhs),
       ten_say_element(m, rhs), ten_say_element(m, result));
  return NULL;
}

TEN_INFER(add) {
  const ten_type *lhs = ten_in(op, 0), *rhs = ten_in(op, 1);
  const ten_type *merged = ten_types_merge(m, lhs, ten_with_element(m, rhs, lhs->element));
  WANT(merged, "operand 0 is %s, operand 1 is %s: shapes differ", ten_say_type(m, lhs), ten_say_type(m, rhs));
  return out[0] = merged, NULL;
}

TEN_INFER(convert) {
  const ten_type *hint = ten_out(op, 0);
  WANT(hint && ten_is_shaped(hint), "the result's element type does not follow from the operand, and none is given");
  return out[0] = ten_with_element(m, ten_in(op, 0), hint->element), NULL;
}

/* Floats compare as floats, signed as signed and so on: the comparison kinds that an element type allows. */
TEN_VERIFY(compare) {
  const ten_attr *attr = ten_op_attr(op, "compare_type");
  if (!attr) return NULL;
  const char *name = ten_enum_name(TEN_ENUM_COMPARISON_TYPE, attr->enumeration.value);
  const ten_type *type = ten_in(op, 0);
  if (!name || type->quant || !strcmp(name, "NOTYPE")) return NULL;
  const ten_dclass class = ten_dtype_class(type->dtype);
  const bool fits = class == TEN_CLASS_FLOAT     ? !strcmp(name, "FLOAT") || !strcmp(name, "TOTALORDER")
                    : class == TEN_CLASS_COMPLEX ? !strcmp(name, "FLOAT")
                    : class == TEN_CLASS_SINT    ? !strcmp(name, "SIGNED")
                                                 : !strcmp(name, "UNSIGNED");
  WANT(fits, "compare_type %s does not fit operands of %s", name, ten_say_element(m, type));
  return NULL;
}

static ten_status *want_like_operand(ten_module *m, const ten_op *op, uint32_t i, const char *name) {
  const ten_type *type = ten_in(op, i), *operand = ten_in(op, 1);
  WANT(type->rank == 0 || ten_shapes_agree(type, operand),
       "%s has shape %s, operand has %s: it must be a scalar or of that shape", name, ten_say_shape(m, type),
       ten_say_shape(m, operand));
  return NULL;
}

TEN_INFER(clamp) {
  TEN_TRY(want_like_operand(m, op, 0, "min"));
  TEN_TRY(want_like_operand(m, op, 2, "max"));
  return out[0] = ten_in(op, 1), NULL;
}

TEN_INFER(select) {
  const ten_type *pred = ten_in(op, 0), *on_true = ten_in(op, 1), *on_false = ten_in(op, 2);
  WANT(ten_shapes_agree(on_true, on_false) && ten_elements_equal(on_true, on_false), "on_true is %s, on_false is %s",
       ten_say_type(m, on_true), ten_say_type(m, on_false));
  WANT(pred->rank == 0 || ten_shapes_agree(pred, on_true),
       "predicate has shape %s, the values have %s: it must be a scalar or of that shape", ten_say_shape(m, pred),
       ten_say_shape(m, on_true));
  const ten_type *merged = ten_types_merge(m, on_true, on_false);
  WANT(merged, "on_true is %s, on_false is %s: sizes contradict bounds", ten_say_type(m, on_true),
       ten_say_type(m, on_false));
  return out[0] = merged, NULL;
}

TEN_VERIFY(reduce_precision) {
  (void)m;
  const int64_t exponent = ten_op_int(op, "exponent_bits", 0), mantissa = ten_op_int(op, "mantissa_bits", 0);
  WANT(exponent >= 1, "exponent_bits = %lld, must be at least 1", (long long)exponent);
  WANT(mantissa >= 0, "mantissa_bits = %lld, must not be negative", (long long)mantissa);
  return NULL;
}

TEN_INFER(map) {
  const ten_block *body;
  const ten_op *end;
  TEN_TRY(ten_want_body(op, 0, "computation", &body, &end));
  WANT(body->arg_count == op->operand_count, "computation takes %u arguments, op has %u operands", body->arg_count,
       op->operand_count);
  WANT(op->operand_count, "has no operands");
  for (uint32_t i = 0; i < op->operand_count; i++) {
    const ten_type *arg = body->args[i]->type, *wanted = ten_make_tensor(m, ten_in(op, i)->element, 0, NULL, NULL);
    WANT(ten_type_equal(arg, wanted), "computation's argument %u is %s, should be %s", i, ten_say_type(m, arg),
         ten_say_type(m, wanted));
  }
  WANT(end->operand_count == 1, "computation returns %u values, must return 1", end->operand_count);
  const ten_type *result = ten_in(end, 0);
  WANT(ten_is_shaped(result) && result->ranked && result->rank == 0,
       "computation returns %s, must return a scalar tensor", ten_say_type(m, result));
  const ten_ints dims = ten_op_ints(op, "dimensions");
  for (uint32_t i = 0; i < op->operand_count; i++)
    WANT(dims.count == ten_in(op, i)->rank, "dimensions %s does not cover operand %u, which has rank %u",
         ten_say_list(m, dims), i, ten_in(op, i)->rank);
  for (size_t i = 0; i < dims.count; i++)
    WANT(dims.data[i] == (int64_t)i, "dimensions %s must be 0, 1, … in order", ten_say_list(m, dims));
  const ten_type *shape = ten_in(op, 0);
  for (uint32_t i = 1; i < op->operand_count; i++) {
    shape = ten_types_merge(m, shape, ten_with_element(m, ten_in(op, i), shape->element));
    WANT(shape, "operand %u is %s, which contradicts the others", i, ten_say_type(m, ten_in(op, i)));
  }
  return out[0] = ten_with_element(m, shape, result->element), NULL;
}
