/* rows.h: what the passes that recognise a softmax share (attention.c has them). */
#ifndef TEN_PASS_ROWS_H
#define TEN_PASS_ROWS_H

#include "ir/module.h"

/* What is spread along the last dimension of `value`, one number a row; NULL when it is something else. */
const ten_value *ten_row_of(const ten_value *value);
/* The operand of a reduction over the last dimension of it, by `code` from `init`; or NULL. */
ten_value *ten_row_reduced(const ten_value *value, ten_opcode code, double init);

#endif
