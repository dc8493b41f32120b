/* names.h: the names of a function's inputs and results. */
#ifndef TEN_CLI_NAMES_H
#define TEN_CLI_NAMES_H

#include "base/str.h"
#include "ir/module.h"

/* Appends the name: from the archive's signature, or from the program; otherwise arg0, arg1, … and 0, 1, …. */
/* A line for each input and result: its name, type and shape. */
void cli_signature_print(ten_buf *out, const ten_op *func);
void cli_input_name(const ten_op *func, uint32_t index, ten_buf *out);
void cli_result_name(const ten_op *func, uint32_t index, ten_buf *out);
/* The input of that name, or UINT32_MAX. */
uint32_t cli_input_find(const ten_op *func, ten_str name);
/* All inputs with their shapes: "x ?x6, y 4". */
void cli_inputs_print(ten_buf *out, const ten_op *func);
/* "4x?x6", "scalar". */
void cli_shape_print(ten_buf *out, const ten_type *type);

#endif
