/* rules.c: the rules of ops, from their column in ir/ops.def: constraints on operands and results, what must match
 * between them, and the op's own functions. */
#include "ir/verify/rules.h"

#define RULE(...) {__VA_ARGS__}
#define IN(...) .in = {__VA_ARGS__}
#define OUT(...) .out = {__VA_ARGS__}
#define INFER(name) .infer = ten_infer_##name
#define VERIFY(name) .verify = ten_verify_##name
/* Elementwise, result of the operands' type. */
#define TYPES_OF(class) IN(class), OUT(class), .same = SAME_SHAPE | AGREE_TYPE, INFER(same)
#define SAME_AS(class) {TYPES_OF(class)}
#define MATH {TYPES_OF(FLOAT_COMPLEX_QUANT), VERIFY(accuracy)}
#define CHLO_SAME(class) {TYPES_OF((class) | MAY_BE_UNRANKED)}
/* With operands that are broadcast implicitly. */
#define CHLO_IMPLICIT(class, agree) \
  {IN((class) | MAY_BE_UNRANKED), OUT((class) | MAY_BE_UNRANKED), .same = (agree), INFER(chlo_broadcast)}

enum {
  VALUES = TENSOR_AXIS | IS_TOKEN | IS_BUFFER,
  TUPLED = TENSOR_AXIS | IS_TOKEN | IS_TUPLE,
  FEATURES = FLOAT_QUANT | OF_RANK_1,
  SIZES = DIMENSION_SIZES | STATIC
};

const ten_rule ten_rules[TEN_OP_COUNT] = {
#define OP(code, name, o0, o1, r0, r1, g0, g1, traits, cost, wire, text, rule, ...) [TEN_OP_##code] = rule,
#include "ir/ops.def"
#undef OP
};
