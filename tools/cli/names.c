/* names.c: names of inputs and results, wherever the program came from: the signature of an archive, JAX's notes, the
 * text itself. */
#include "cli/names.h"
#include "ir/ten.h"

static ten_str given_name(const ten_op *func, uint32_t index) {
  const char *const attributes[] = {"aten.name", ten_name_text(TEN_NAME_NAME)};
  for (size_t i = 0; i < sizeof attributes / sizeof *attributes; i++) {
    const ten_attr *attr = ten_func_arg_attr(func, index, attributes[i]);
    if (attr) return ten_attr_as_string(attr);
  }
  const ten_block *body = ten_op_body(func, 0);
  if (!body || index >= body->arg_count) return (ten_str){0};
  const ten_value *argument = body->args[index];
  if (argument->name.size) return argument->name;
  const ten_loc *loc = argument->loc;
  return loc && loc->kind == TEN_LOC_NAME ? loc->name : (ten_str){0};
}

void cli_input_name(const ten_op *func, uint32_t index, ten_buf *out) {
  const ten_str name = given_name(func, index);
  if (name.size) {
    ten_buf_addstr(out, name);
  } else {
    ten_buf_printf(out, "arg%u", index);
  }
}

void cli_result_name(const ten_op *func, uint32_t index, ten_buf *out) {
  const char *const attributes[] = {"aten.name", ten_name_text(TEN_NAME_NAME), "aten.mutates", "jax.result_info"};
  for (size_t i = 0; i < sizeof attributes / sizeof *attributes; i++) {
    const ten_str name = ten_attr_as_string(ten_func_result_attr(func, index, attributes[i]));
    if (!name.size) continue;
    ten_buf_addstr(out, name);
    return;
  }
  ten_buf_printf(out, "%u", index);
}

uint32_t cli_input_find(const ten_op *func, ten_str name) {
  const uint32_t count = ten_func_type(func)->input_count;
  for (int fallback = 0; fallback < 2; fallback++) /* arg0 is a name of its own before it is the first input */
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
