/* grad.h: reverse-mode differentiation of StableHLO programs. */
#ifndef TEN_GRAD_GRAD_H
#define TEN_GRAD_GRAD_H

#include "ir/builder.h"

typedef struct ten_grad_options {
  ten_str name;         /* of the new function; empty: "<name>.grad" */
  const uint32_t *args; /* arguments to differentiate with respect to; NULL: every float one */
  size_t arg_count;
  bool with_results;    /* the function's own results come first */
  bool take_cotangents; /* results' cotangents are extra arguments (float results only); else the first result is a
                           float scalar and its cotangent is 1 */
  bool mark_forward;    /* for ten_grad_recompute */
} ten_grad_options;

/* Adds a function to the module: (args…[, cotangents…]) -> ([results…,] gradients…). Calls are inlined. `func` is
 * unchanged. */
TEN_MUST_USE ten_status *ten_grad(ten_module *module, ten_op *func, const ten_grad_options *options, ten_op **out_func);

/* A rule for a custom_call target or for any op outside the table: `name` is the op's name, or "custom_call:" and the
 * target. Given the op and the cotangents of its results (NULL: zero), it fills those of the operands (NULL: zero). */
typedef ten_status *(*ten_grad_rule)(ten_builder *b, const ten_op *op, ten_value *const *cotangents,
                                     ten_value **operands, void *context);
typedef struct ten_grad_registration {
  const char *name;
  ten_grad_rule rule;
  void *context;
} ten_grad_registration;
/* With the caller's rules in addition to the built-in ones. */
TEN_MUST_USE ten_status *ten_grad_with(ten_module *module, ten_op *func, const ten_grad_options *options,
                                       const ten_grad_registration *rules, size_t rule_count, ten_op **out_func);

#endif
