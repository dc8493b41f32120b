/* ten.c: the table of the ten dialect, and access to its attributes. */
#include "ir/ten.h"

#define TEN(id, text, kind, value, where, meaning) const char ten_text_##id[sizeof text] = text;
#include "ir/ten.def"
#undef TEN

const ten_name_info ten_name_infos[TEN_NAME_COUNT] = {
#define TEN(id, text, kind, value, where, meaning) \
  [TEN_NAME_##id] = {ten_text_##id, TEN_KIND_##kind, TEN_SPEC_##value, where, meaning},
#include "ir/ten.def"
#undef TEN
};

ten_name ten_name_find(ten_str text) {
  int name = 0;
  while (name < TEN_NAME_COUNT && !ten_str_is(text, ten_name_infos[name].text)) name++;
  return (ten_name)name;
}

const ten_attr *ten_own_attr(const ten_op *op, ten_name name) { return ten_op_attr(op, ten_name_text(name)); }

void ten_own_attr_set(ten_module *module, ten_op *op, ten_name name, const ten_attr *value) {
  ten_op_set_attr(module, op, ten_name_str(name), value);
}

void ten_own_attr_remove(ten_op *op, ten_name name) { ten_op_remove_attr(op, ten_name_text(name)); }

const ten_attr *ten_own_arg_attr(const ten_op *func, uint32_t index, ten_name name) {
  return ten_func_arg_attr(func, index, ten_name_text(name));
}

bool ten_op_calls(const ten_op *op, ten_name name) {
  return op->code == TEN_OP_CUSTOM_CALL &&
         ten_str_is(ten_attr_as_string(ten_op_attr(op, "call_target_name")), ten_name_text(name));
}

ten_named_attr ten_call_item(ten_module *module, ten_name name) {
  return (ten_named_attr){TEN_STR("call_target_name"), ten_attr_string(module, ten_name_str(name)), true};
}

static void describe_kind(ten_buf *out, const char *title, ten_name_kind first, ten_name_kind last) {
  const bool attributes = first <= TEN_KIND_ON_ARGUMENT;
  static const char *const values[] = {
      [TEN_SPEC_UNIT] = "unit", [TEN_SPEC_I64] = "i64",     [TEN_SPEC_F32] = "f32",
      [TEN_SPEC_DIMS] = "i64s", [TEN_SPEC_ARRAY] = "array", [TEN_SPEC_STRING] = "string"};
  static const char *const places[] = {[TEN_KIND_ON_ARGUMENT] = "arguments and results of "};
  ten_buf_printf(out, "\n## %s\n\n", title);
  ten_buf_adds(out, attributes ? "| name | value | on | meaning |\n| --- | --- | --- | --- |\n"
                               : "| name | meaning |\n| --- | --- |\n");
  for (int i = 0; i < TEN_NAME_COUNT; i++) {
    const ten_name_info *info = &ten_name_infos[i];
    if (info->kind < first || info->kind > last) continue;
    ten_buf_printf(out, "| `%s` | ", info->text);
    if (attributes)
      ten_buf_printf(out, "%s | %s%s | ", values[info->value],
                     info->kind == TEN_KIND_ON_ARGUMENT ? places[info->kind] : "",
                     ten_str_is(ten_str_of(info->where), "*") ? "any op" : info->where);
    ten_buf_printf(out, "%s |\n", info->meaning);
  }
}

void ten_names_describe(ten_buf *out) {
  ten_buf_adds(out,
               "# The ten dialect\n\n"
               "Names that Tenfold's stages pass to each other inside a program. Every one begins with `tenfold.`; the "
               "verifier refuses a name, a kind of value or an op that is not listed here. This page is what `tenfold "
               "help --dialect` prints, made from the table that the code uses (`src/ir/ten.def`). Programs of "
               "users need none of them.\n");
  describe_kind(out, "Attributes", TEN_KIND_ON_OP, TEN_KIND_ON_ARGUMENT);
  ten_buf_adds(out, "\nAn attribute on `@target` belongs to that custom call, which must have it.\n");
  describe_kind(out, "Custom calls", TEN_KIND_CALL, TEN_KIND_CALL);
  describe_kind(out, "Ops of ATen graphs", TEN_KIND_ATEN_OP, TEN_KIND_ATEN_OP);
  describe_kind(out, "Functions", TEN_KIND_SYMBOL, TEN_KIND_SYMBOL);
  describe_kind(out, "Metadata of checkpoints", TEN_KIND_METADATA, TEN_KIND_METADATA);
}
