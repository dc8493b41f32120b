/* verify.h: verification, type inference, and specialisation to given shapes.
 *
 * Only ten_refine_shapes changes its input. Hostile modules (missing operands, attributes of the wrong kind, dimensions
 * near 2^63) are refused, never trusted. */
#ifndef TEN_IR_VERIFY_H
#define TEN_IR_VERIFY_H

#include "ir/module.h"

enum { TEN_VERIFY_MAX_ERRORS = 20, TEN_VERIFY_MAX_DEPTH = 512 };

/* Every rule, on every op. Several errors come as one status whose text has one line each, TEN_VERIFY_MAX_ERRORS at
 * most. */
TEN_MUST_USE ten_status *ten_verify(const ten_module *module);
/* The rules of one op alone: without its regions' ops, and without rules about its context (dominance, symbols). */
TEN_MUST_USE ten_status *ten_verify_op(const ten_op *op);

/* Result types from operands, attributes and regions; out_types has room for op->result_count. The types that the
 * results have now may be NULL. They are hints where the op leaves something open: an element type (convert,
 * dot_general), a whole shape (reshape, iota); without a hint that is an error. The types live in `module`. */
TEN_MUST_USE ten_status *ten_infer_types(ten_module *module, const ten_op *op, const ten_type **out_types);
/* Sets the result types of an op to the inferred ones. */
TEN_MUST_USE ten_status *ten_infer_op(ten_module *module, ten_op *op);

/* Whether a value of one type may be used as the other: equal but for dimensions unknown on either side, within
 * bounds. */
bool ten_types_agree(const ten_type *a, const ten_type *b);
/* The type that combines what both know; NULL when they contradict each other. */
const ten_type *ten_types_merge(ten_module *module, const ten_type *a, const ten_type *b);

/* Specialises the entry function (@main, or the only public one) to these argument types, which must agree with what is
 * declared, and everything it calls: shapes are propagated through ops, regions and calls (one copy of a function for
 * each way it is called), shape arithmetic is evaluated, shape assertions are checked and dropped, dynamic_* ops become
 * static ones. What stays dynamic is left as it is. Needs a verified module. */
TEN_MUST_USE ten_status *ten_refine_shapes(ten_module *module, const ten_type *const *input_types, size_t count);
/* The same for a function of the caller's choice, and where some inputs are sizes: values[i] is a dense constant of
 * input i's type, or NULL. The arguments stay, unused. */
TEN_MUST_USE ten_status *ten_refine_func(ten_module *module, ten_op *func, const ten_type *const *input_types,
                                         const ten_attr *const *values, size_t count);

/* The table of ops as Markdown: docs/ops.md. */
void ten_ops_describe(ten_buf *out);

#endif
