/* rows.h: shared by the passes that match a softmax (implemented in attention.c). */
#ifndef TEN_PASS_ROWS_H
#define TEN_PASS_ROWS_H

#include "ir/module.h"

/* The per-row value that is broadcast along the last dimension of `value`; NULL for anything else. */
const ten_value *ten_row_of(const ten_value *value);
/* The operand of a reduction over its last dimension, by `code` from `init`; or NULL. */
ten_value *ten_row_reduced(const ten_value *value, ten_opcode code, double init);

#endif
