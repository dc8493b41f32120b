/* vjp.h: the interface of a rule. A rule gets an op of the recomputed forward program and its results' cotangents, and
 * adds to the cotangents of its operands. A cotangent that was never added to is zero, and never materialized. */
#ifndef TEN_GRAD_VJP_H
#define TEN_GRAD_VJP_H

#include "transform/grad/grad.h"

typedef struct ten_pullback ten_pullback; /* one block being differentiated: grad.c */

typedef struct ten_vjp {
  ten_pullback *pullback;
  ten_builder *b;       /* insertion point of derivative code; its loc is the op's */
  ten_op *op;           /* forward op, in scope at b */
  ten_value *const *ct; /* one for each result, NULL: zero */
} ten_vjp;

/* Whether the operand's cotangent is needed: skip the work otherwise. */
bool ten_vjp_wants(const ten_vjp *v, uint32_t operand);
bool ten_vjp_wants_value(const ten_vjp *v, const ten_value *value);
void ten_vjp_add(ten_vjp *v, uint32_t operand, ten_value *cotangent);
void ten_vjp_add_value(ten_vjp *v, ten_value *value, ten_value *cotangent);
/* ct[i], or a zero of the result's type: for rules that need all of them. */
ten_value *ten_vjp_ct_or_zero(ten_vjp *v, uint32_t result);

typedef ten_status *(*ten_vjp_rule)(ten_vjp *v);
extern const ten_vjp_rule ten_vjp_rules[TEN_OP_COUNT];

/* Differentiates a block that is recomputed in place: its arguments are replaced by `args`, `ct` are the cotangents of
 * its results. Fills the cotangents of the arguments, and of the outer values in `free_values` that it uses. Used by
 * control flow. */
typedef struct ten_block_vjp {
  const ten_block *block;
  ten_value *const *args;
  ten_value *const *ct; /* one for each operand of the terminator, NULL: zero */
  ten_value **arg_ct;   /* out; NULL: zero */
  ten_value *const *free_values;
  size_t free_count;
  ten_value **free_ct; /* out */
} ten_block_vjp;
TEN_MUST_USE ten_status *ten_block_pull_back(ten_vjp *v, ten_builder *b, const ten_block_vjp *what);

/* Outer values that the regions of op use and whose cotangents are needed. The list is in the module's arena. */
ten_value **ten_vjp_free_values(ten_vjp *v, const ten_op *op, size_t *out_count);

/* Helpers for rules. */
static inline ten_value *x_of(const ten_vjp *v, uint32_t i) { return ten_op_operand(v->op, i); }
static inline ten_value *y_of(const ten_vjp *v, uint32_t i) { return ten_op_result(v->op, i); }
static inline ten_value *add(ten_vjp *v, ten_value *x, ten_value *y) {
  return ten_build_binary(v->b, TEN_OP_ADD, x, y);
}
static inline ten_value *sub(ten_vjp *v, ten_value *x, ten_value *y) {
  return ten_build_binary(v->b, TEN_OP_SUBTRACT, x, y);
}
static inline ten_value *mul(ten_vjp *v, ten_value *x, ten_value *y) {
  return ten_build_binary(v->b, TEN_OP_MULTIPLY, x, y);
}
static inline ten_value *divide(ten_vjp *v, ten_value *x, ten_value *y) {
  return ten_build_binary(v->b, TEN_OP_DIVIDE, x, y);
}
static inline ten_value *neg(ten_vjp *v, ten_value *x) { return ten_build_unary(v->b, TEN_OP_NEGATE, x); }
static inline ten_value *like(ten_vjp *v, ten_value *x, double value) { return ten_build_like(v->b, x, value); }
/* The conjugate of a complex value; any other is its own. */
ten_value *ten_vjp_conj(ten_vjp *v, ten_value *x);
/* Sums over dims, keeping the type's element type. */
ten_value *ten_vjp_sum(ten_vjp *v, ten_value *x, size_t count, const int64_t *dims);

#endif
