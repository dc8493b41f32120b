/* test_vhlo.c: the tables of the portable format agree with themselves and with the op table. */
#include "check.h"
#include "ir/bytecode/vhlo.h"
#include "tenfold/version.h"

static void attributes_are_in_the_order_of_their_names(void **state) {
  (void)state;
  for (size_t i = 0; i < vhlo_op_count; i++)
    for (const vhlo_attr_row *row = vhlo_ops[i].attrs; row->name && row[1].name; row++)
      if (strcmp(row[0].name, row[1].name) >= 0)
        fail_msg("%s: %s before %s", vhlo_ops[i].name, row[0].name, row[1].name);
}

/* Each release has at most one form of an op; once there, an op stays. */
static void forms_follow_each_other(void **state) {
  (void)state;
  for (size_t i = 0; i < vhlo_op_count; i++) {
    const vhlo_op *form = &vhlo_ops[i];
    assert_ptr_equal(vhlo_op_at(form->code, form->since), form);
    if (form->until == VHLO_LATEST) continue;
    const bool ends_an_era = form->until == VHLO_VERSION(0, 20);
    const uint16_t next = ends_an_era ? VHLO_VERSION(1, 0) : (uint16_t)(form->until + 1);
    const vhlo_op *newer = vhlo_op_at(form->code, next);
    if (!newer || newer == form || newer->since != next) fail_msg("nothing follows %s", form->name);
  }
}

static bool has_member(ten_opcode code, const char *name) {
  for (const ten_attr_spec *spec = ten_op_infos[code].attrs; spec->kind != TEN_SPEC_END; spec++) {
    if (spec->kind != TEN_SPEC_STRUCT) continue;
    if (spec->subject == TEN_STRUCT_CHANNEL_HANDLE && (!strcmp(name, "channel_id") || !strcmp(name, "channel_type")))
      return true;
    const ten_struct_info *info = &ten_struct_infos[spec->subject];
    for (uint32_t i = 0; i < info->field_count; i++)
      if (!strcmp(info->fields[i].name, name)) return true;
  }
  return false;
}

static void every_attribute_has_a_place_in_stablehlo(void **state) {
  (void)state;
  for (size_t i = 0; i < vhlo_op_count; i++)
    for (const vhlo_attr_row *row = vhlo_ops[i].attrs; row->name; row++) {
      if (ten_op_spec(vhlo_ops[i].code, ten_str_of(row->name)) || has_member(vhlo_ops[i].code, row->name)) continue;
      if (!strcmp(vhlo_ops[i].name, "dynamic_conv_v1") && !strcmp(row->name, "padding")) continue; /* gone in 0.20.0 */
      fail_msg("%s: %s is nothing the op has", vhlo_ops[i].name, row->name);
    }
}

static void every_stablehlo_op_has_a_form(void **state) {
  (void)state;
  for (int code = 1; code < TEN_OP_COUNT; code++)
    if (ten_str_starts(ten_str_of(ten_op_infos[code].name), "stablehlo.") && !vhlo_op_newest((ten_opcode)code))
      fail_msg("%s has no form", ten_op_infos[code].name);
}

static void every_element_type_has_a_code(void **state) {
  (void)state;
  for (int dtype = 1; dtype < TEN_DTYPE_COUNT; dtype++) {
    bool found = ten_dtype_is_complex((ten_dtype)dtype);
    for (size_t i = 0; i < vhlo_scalar_count; i++) found |= vhlo_scalars[i].dtype == (ten_dtype)dtype;
    if (!found) fail_msg("%s has no code", ten_dtype_name((ten_dtype)dtype));
  }
}

static void versions_parse_and_print(void **state) {
  (void)state;
  ten_vhlo_version version;
  assert_true(ten_vhlo_version_parse(TEN_STR("1.20.3"), &version));
  assert_int_equal(version.major, 1);
  assert_int_equal(version.minor, 20);
  assert_int_equal(version.patch, 3);
  static const char *const wrong[] = {"",       "1",      "1.2",    "1.2.", "1.2.3.4",
                                      "v1.2.3", "1.2.3 ", "-1.2.3", "1..3", "1.2.70000"};
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
    assert_false(ten_vhlo_version_parse(ten_str_of(wrong[i]), &version));
  ten_buf text = {0};
  ten_vhlo_version_print(&text, ten_vhlo_version_current);
  assert_string_equal(text.data, TENFOLD_STABLEHLO_VERSION);
  ten_buf_free(&text);
  assert_true(ten_vhlo_version_compare((ten_vhlo_version){0, 20, 9}, (ten_vhlo_version){1, 0, 0}) < 0);
  assert_true(ten_vhlo_version_compare((ten_vhlo_version){1, 10, 0}, (ten_vhlo_version){1, 9, 9}) > 0);
  assert_int_equal(ten_vhlo_version_compare(ten_vhlo_version_current, ten_vhlo_version_current), 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(attributes_are_in_the_order_of_their_names),
      cmocka_unit_test(forms_follow_each_other),
      cmocka_unit_test(every_attribute_has_a_place_in_stablehlo),
      cmocka_unit_test(every_stablehlo_op_has_a_form),
      cmocka_unit_test(every_element_type_has_a_code),
      cmocka_unit_test(versions_parse_and_print),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
