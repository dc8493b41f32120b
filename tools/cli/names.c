/* names.c: names of inputs and results, from the source of the program: the signature of an archive, JAX's metadata,
 * the text itself. */
#include "cli/names.h"

void cli_input_name(const ten_op *func, uint32_t index, ten_buf *out) {
  const ten_str name = ten_func_input_name(func, index);
  if (name.size) {
    ten_buf_addstr(out, name);
  } else {
    ten_buf_printf(out, "arg%u", index);
  }
}

void cli_result_name(const ten_op *func, uint32_t index, ten_buf *out) {
  const ten_str name = ten_func_result_name(func, index);
  if (name.size) {
    ten_buf_addstr(out, name);
  } else {
    ten_buf_printf(out, "%u", index);
  }
}

uint32_t cli_input_find(const ten_op *func, ten_str name) {
  const uint32_t count = ten_func_type(func)->input_count;
  for (int fallback = 0; fallback < 2; fallback++) /* an input called arg0 takes precedence over the first input */
    for (uint32_t i = 0; i < count; i++) {
      ten_buf own = {0};
      if (fallback) {
        ten_buf_printf(&own, "arg%u", i);
      } else {
        cli_input_name(func, i, &own);
      }
      const bool found = ten_str_eq((ten_str){own.data, own.size}, name);
      ten_buf_free(&own);
      if (found) return i;
    }
  return UINT32_MAX;
}

void cli_shape_print(ten_buf *out, const ten_type *type) {
  if (!ten_type_is_tensor(type) || !type->ranked) {
    ten_buf_adds(out, ten_type_is_tensor(type) ? "of any rank" : "no tensor");
    return;
  }
  if (!type->rank) ten_buf_adds(out, "scalar");
  for (uint32_t d = 0; d < type->rank; d++) {
    if (d) ten_buf_addc(out, 'x');
    if (type->dims[d] == TEN_DYNAMIC) {
      ten_buf_addc(out, '?');
    } else {
      ten_buf_printf(out, "%lld", (long long)type->dims[d]);
    }
  }
}

void cli_inputs_print(ten_buf *out, const ten_op *func) {
  const ten_type *type = ten_func_type(func);
  for (uint32_t i = 0; i < type->input_count; i++) {
    ten_buf_adds(out, i ? ", " : "");
    cli_input_name(func, i, out);
    ten_buf_addc(out, ' ');
    cli_shape_print(out, type->inputs[i]);
  }
}

void cli_signature_print(ten_buf *out, const ten_op *func) {
  const ten_type *type = ten_func_type(func);
  for (uint32_t i = 0; i < type->input_count + type->result_count; i++) {
    const bool result = i >= type->input_count;
    const uint32_t at = result ? i - type->input_count : i;
    ten_buf_adds(out, result ? "output " : "input ");
    (result ? cli_result_name : cli_input_name)(func, at, out);
    ten_buf_addc(out, ' ');
    cli_shape_print(out, result ? type->results[at] : type->inputs[at]);
    ten_buf_addc(out, '\n');
  }
}
