/* test_text.c: reading and printing MLIR. Files under canonical/ print as they stand; errors.mlir says of each wrong
 * line what is wrong. */
#include "ir/text/text.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"

static char *read_file(const char *path, size_t *size) {
  FILE *file = fopen(path, "rb");
  if (!file) print_error("cannot read %s\n", path);
  assert_non_null(file);
  fseek(file, 0, SEEK_END);
  *size = (size_t)ftell(file);
  rewind(file);
  char *text = malloc(*size + 1);
  assert_int_equal(fread(text, 1, *size, file), *size);
  fclose(file);
  text[*size] = 0;
  return text;
}

static ten_module *parse(const char *text) {
  ten_module *module = NULL;
  check_ok(ten_text_parse(text, strlen(text), "test.mlir", &module));
  return module;
}

static void parse_fails(const char *text, ten_code code, const char *message) {
  ten_module *module = (ten_module *)1;
  check_error(ten_text_parse(text, strlen(text), "test.mlir", &module), code, message);
  assert_null(module);
}

/* `text` prints, with these options, as `wanted`. */
static void prints(const char *text, const ten_print_options *options, const char *wanted) {
  ten_module *module = parse(text);
  ten_buf out = {0};
  ten_text_print(&out, module, options);
  assert_string_equal(out.data, wanted);
  ten_buf_free(&out);
  ten_module_destroy(module);
}

static char **arguments; /* the canonical files, then errors.mlir; ended by NULL */

static void canonical_files_print_as_they_stand(void **state) {
  (void)state;
  for (char **path = arguments; path[1]; path++) {
    size_t size;
    char *text = read_file(*path, &size);
    ten_module *module = NULL, *again = NULL;
    check_ok(ten_text_parse(text, size, "l.mlir", &module));
    const bool locations = strstr(text, "loc(") != NULL && strstr(text, "#loc = ") != NULL;
    ten_buf out = {0}, generic = {0}, why = {0};
    ten_text_print(&out, module, &(ten_print_options){.locations = locations});
    if (strcmp(out.data, text)) print_error("%s prints differently\n", *path);
    assert_string_equal(out.data, text);
    ten_text_print(&generic, module, &(ten_print_options){.generic = true});
    check_ok(ten_text_parse(generic.data, generic.size, "generic", &again));
    if (!ten_module_explain(module, again, &why)) print_error("%s, generic: %s\n", *path, why.data);
    assert_null(why.data);
    assert_int_equal(ten_op_hash(module->op), ten_op_hash(again->op));
    ten_buf_free(&out);
    ten_buf_free(&generic);
    ten_module_destroy(module);
    ten_module_destroy(again);
    free(text);
  }
}

/* "line:column: message" of each error of a status, or of each comment, one a line. */
static void errors_of(const char *text, const char *path, ten_buf *out) {
  const size_t prefix = strlen(path);
  for (const char *at = text; at; at = strchr(at, '\n') ? strchr(at, '\n') + 1 : NULL)
    if (!strncmp(at, path, prefix) && at[prefix] == ':')
      ten_buf_printf(out, "%.*s\n", (int)strcspn(at, "\n") - (int)prefix - 1, at + prefix + 1);
}

static void errors_wanted(const char *text, ten_buf *out) {
  static const char mark[] = "// expected ";
  ten_buf waiting = {0};
  unsigned line = 1;
  for (const char *at = text; *at; line++) {
    const size_t size = strcspn(at, "\n");
    const char *found = memmem(at, size, mark, sizeof mark - 1);
    if (found) {
      ten_buf_printf(&waiting, "%.*s\n", (int)(at + size - found) - (int)sizeof mark + 1, found + sizeof mark - 1);
    } else if (waiting.size) {
      for (char *item = strtok(waiting.data, "\n"); item; item = strtok(NULL, "\n"))
        ten_buf_printf(out, "%u:%s\n", line, item);
      waiting.size = 0;
    }
    at += size + (at[size] == '\n');
  }
  ten_buf_free(&waiting);
}

static void wrong_files_say_what_is_wrong(void **state) {
  (void)state;
  char **path = arguments;
  while (path[1]) path++;
  size_t size;
  char *text = read_file(*path, &size);
  ten_buf wanted = {0}, got = {0};
  errors_wanted(text, &wanted);
  for (char *part = text, *next; part; part = next) { /* each on its own, so that none is the twenty-first */
    next = strstr(part, "// -----");
    if (next) *next = 0;
    const char *from = text;
    ten_buf padded = {0};
    for (; from < part; from++)
      if (*from == '\n') ten_buf_addc(&padded, '\n');
    ten_buf_adds(&padded, part);
    ten_module *module = NULL;
    ten_status *status = ten_text_parse(padded.data, padded.size, "e.mlir", &module);
    if (!status) print_error("no error in:\n%s\n", part);
    assert_non_null(status);
    errors_of(ten_status_text(status), "e.mlir", &got);
    ten_status_free(status);
    ten_buf_free(&padded);
    if (next) *next = '/', next = strchr(next, '\n');
  }
  for (const char *a = got.data, *b = wanted.data; *a || *b;
       a += strcspn(a, "\n"), a += *a == '\n', b += strcspn(b, "\n"), b += *b == '\n') {
    const ten_str left = {a, strcspn(a, "\n")}, right = {b, strcspn(b, "\n")};
    if (!ten_str_eq(left, right)) print_error("got:    %.*s\nwanted: %.*s\n", TEN_FMT(left), TEN_FMT(right));
    assert_true(ten_str_eq(left, right));
  }
  ten_buf_free(&wanted);
  ten_buf_free(&got);
  free(text);
}

static void an_error_shows_its_line_and_a_caret(void **state) {
  (void)state;
  parse_fails("module {\n\t%0 = stablehlo.abs %x : tensor<f32>\n  foo.bar\n}\n", TEN_INVALID,
              "test.mlir:2:21: use of undeclared value '%x'\n"
              "   %0 = stablehlo.abs %x : tensor<f32>\n"
              "                      ^\n"
              "test.mlir:3:3: unknown op foo.bar: write it in the generic form, \"foo.bar\"(…)\n"
              "    foo.bar\n"
              "    ^");
}

static void a_long_line_is_cut_around_the_error(void **state) {
  (void)state;
  ten_buf text = {0}, wanted = {0};
  for (int i = 0; i < 100; i++) ten_buf_adds(&text, "\"a.b\"() : () -> () ");
  ten_buf_adds(&text, "oops ");
  for (int i = 0; i < 100; i++) ten_buf_adds(&text, "\"a.b\"() : () -> () ");
  ten_module *module;
  ten_status *status = ten_text_parse(text.data, text.size, "x", &module);
  assert_non_null(strstr(ten_status_text(status), "oops"));
  assert_true(strlen(ten_status_text(status)) < 600);
  ten_status_free(status);
  ten_buf_free(&text);
  ten_buf_free(&wanted);
}

static void twenty_errors_are_enough(void **state) {
  (void)state;
  ten_buf text = {0};
  for (int i = 0; i < 1000; i++) ten_buf_adds(&text, "foo.bar\n");
  ten_module *module;
  ten_status *status = ten_text_parse(text.data, text.size, "x", &module);
  int count = 0;
  for (const char *at = ten_status_text(status); (at = strstr(at, "unknown op")); at++) count++;
  assert_int_equal(count, TEN_TEXT_MAX_ERRORS);
  assert_non_null(strstr(ten_status_text(status), "\nstopped after 20 errors"));
  ten_status_free(status);
  ten_buf_free(&text);
}

static void a_file_is_split_at_its_marks(void **state) {
  (void)state;
  static const char text[] =
      "// RUN: nothing\n// -----\nfunc.func private @a()\n// -----\nmodule @m {\n}\n// -----\n// only words\n";
  ten_module_list list = {0};
  check_ok(ten_text_parse_all(text, sizeof text - 1, "x", &list));
  assert_int_equal(list.count, 2);
  const ten_op *func = ten_module_find(list.items[0], TEN_STR("a"));
  assert_non_null(func);
  assert_int_equal(func->loc->line, 3);
  assert_int_equal(func->loc->column, 1);
  assert_true(ten_str_is(func->loc->name, "x"));
  assert_true(ten_str_is(ten_attr_as_string(ten_op_attr(list.items[1]->op, "sym_name")), "m"));
  ten_module_list_free(&list);
  check_error(ten_text_parse_all("// -----\n\n}", 11, "x", &list), TEN_INVALID,
              "x:3:1: expected an op, not '}'\n  }\n  ^");
  assert_null(list.items);
}

static void an_empty_text_is_an_empty_module(void **state) {
  (void)state;
  prints("", NULL, "module {\n}\n");
  prints("// nothing here", NULL, "module {\n}\n");
  ten_module_list list = {0};
  check_ok(ten_text_parse_all("", 0, "x", &list));
  assert_int_equal(list.count, 1);
  ten_module_list_free(&list);
}

static void repeat(ten_buf *out, const char *text, int count) {
  for (int i = 0; i < count; i++) ten_buf_adds(out, text);
}

static void hostile(const char *head, const char *unit, int count, const char *tail, ten_code code,
                    const char *message) {
  ten_buf text = {0};
  ten_buf_adds(&text, head);
  repeat(&text, unit, count);
  ten_buf_adds(&text, tail);
  ten_module *module = NULL;
  ten_status *status = ten_text_parse(text.data, text.size, "x", &module);
  assert_non_null(status);
  if (!strstr(ten_status_text(status), message)) print_error("%s\n", ten_status_text(status));
  assert_non_null(strstr(ten_status_text(status), message));
  assert_int_equal(ten_status_code(status), code);
  assert_null(module);
  ten_status_free(status);
  ten_buf_free(&text);
}

static void nesting_has_an_end(void **state) {
  (void)state;
  static const char deep[] = "nested more than 256 deep";
  hostile("", "\"a.b\"() ({", 100000, "", TEN_LIMIT, deep);
  hostile("", "module {", 100000, "", TEN_LIMIT, deep);
  hostile("\"a.b\"() {x = ", "[", 100000, "", TEN_LIMIT, deep);
  hostile("\"a.b\"() {x = ", "{a=", 100000, "", TEN_LIMIT, deep);
  hostile("\"a.b\"() {x = #a.b<", "<", 100000, "", TEN_LIMIT, deep);
  hostile("\"a.b\"() : () -> ", "tuple<", 100000, "", TEN_LIMIT, deep);
  hostile("\"a.b\"() : () -> ", "(", 100000, "", TEN_LIMIT, deep);
  hostile("\"a.b\"() : () -> () loc(", "fused[", 100000, "", TEN_LIMIT, deep);
  hostile("\"a.b\"() : () -> () loc(", "callsite(", 100000, "", TEN_LIMIT, deep);
  hostile("\"a.b\"() : () -> tensor<1x!quant.uniform<i8:f32:{0:1}, ", "{", 100000, "", TEN_LIMIT, deep);
  hostile("%0 = stablehlo.constant dense<", "[", 1000, "> : tensor<2xi32>", TEN_INVALID,
          "the literal does not have the shape");
}

static void aliases_have_an_end(void **state) {
  (void)state;
  ten_buf types = {0}, attrs = {0}, locs = {0};
  ten_buf_adds(&types, "!t0 = tuple<i32>\n");
  ten_buf_adds(&attrs, "#t0 = [1]\n");
  ten_buf_adds(&locs, "\"a.b\"() : () -> () loc(#l0)\n#l0 = loc(\"x\")\n");
  for (int i = 0; i < 100; i++) {
    ten_buf_printf(&types, "!t%d = tuple<!t%d, !t%d>\n", i + 1, i, i);
    ten_buf_printf(&attrs, "#t%d = [#t%d, #t%d]\n", i + 1, i, i);
    ten_buf_printf(&locs, "#l%d = loc(fused[#l%d, #l%d])\n", i + 1, i, i);
  }
  hostile(types.data, "", 0, "", TEN_LIMIT, "expands to too much");
  hostile(attrs.data, "", 0, "", TEN_LIMIT, "expands to too much");
  hostile(locs.data, "", 0, "", TEN_LIMIT, "too large");
  ten_buf_free(&types);
  ten_buf_free(&attrs);
  ten_buf_free(&locs);
}

static void sizes_that_are_only_declared_cost_nothing(void **state) {
  (void)state;
  ten_module *module = parse("%0 = stablehlo.constant dense<7> : tensor<4294967296x4294967296x4294967296xi64>");
  assert_true(module->arena.reserved < 1 << 16);
  ten_module_destroy(module);
  hostile("%0 = stablehlo.constant dense<[1, 2]> : tensor<4294967296xi8>", "", 0, "", TEN_INVALID,
          "does not have the shape");
  hostile("%0 = stablehlo.constant dense<\"0x00\"> : tensor<4294967296xi32>", "", 0, "", TEN_INVALID,
          "has 1 bytes, its type takes");
}

static void bytes_that_are_no_text_are_errors(void **state) {
  (void)state;
  ten_module *module;
  check_error(ten_text_parse("module {\0}", 10, "x", &module), TEN_INVALID,
              "x:1:9: unexpected NUL byte\n  module {?}\n          ^");
  check_error(ten_text_parse("\xff\xfe", 2, "x", &module), TEN_INVALID, "x:1:1: unexpected character\n  ??\n  ^");
  hostile("\"a.b\"() {x = \"", "", 0, "", TEN_INVALID, "at the end of a string");
}

static void bits_of_booleans_may_be_packed(void **state) {
  (void)state;
  ten_module *module = parse("%0 = stablehlo.constant dense<\"0x0580\"> : tensor<16xi1>");
  const ten_attr *value = ten_op_attr(ten_module_body(module)->first, "value");
  for (size_t i = 0; i < 16; i++) assert_int_equal(ten_dense_int(value, i), i == 0 || i == 2 || i == 15);
  ten_module_destroy(module);
}

static void options_choose_what_is_printed(void **state) {
  (void)state;
  static const char text[] =
      "%0 = stablehlo.constant dense<[1, 2, 3]> : tensor<3xi32>\ncheck.expect_eq_const %0, dense<7> : tensor<3xi32>";
  prints(text, &(ten_print_options){.elide_above = 2},
         "module {\n  %c = stablehlo.constant dense_resource<__elided__> : tensor<3xi32>\n"
         "  check.expect_eq_const %c, dense<7> : tensor<3xi32>\n}\n");
  prints(text, &(ten_print_options){.generic_testing = true},
         "module {\n  %c = stablehlo.constant dense<[1, 2, 3]> : tensor<3xi32>\n"
         "  \"check.expect_eq_const\"(%c) {value = dense<7> : tensor<3xi32>} : (tensor<3xi32>) -> ()\n}\n");
  prints(
      "return", &(ten_print_options){.generic = true, .locations = true},
      "\"builtin.module\"() ({\n  \"func.return\"() : () -> () loc(#loc)\n}) : () -> () loc(unknown)\n#loc = loc(\"test.mlir\":1:1)\n");
}

static void one_op_prints_alone(void **state) {
  (void)state;
  ten_module *module = parse(
      "func.func @f(%a: tensor<2xf32>) {\n  %0 = stablehlo.abs %a : tensor<2xf32>\n"
      "  %1:2 = \"x.y\"(%0) : (tensor<2xf32>) -> (i32, i32)\n  \"x.z\"(%a, %1#1, %0) : (tensor<2xf32>, i32, tensor<2xf32>) -> ()\n"
      "  return\n}");
  const ten_op *op = ten_op_body(ten_module_find(module, TEN_STR("f")), 0)->first->next->next;
  ten_buf out = {0};
  ten_text_print_op(&out, op, NULL);
  assert_string_equal(out.data, "\"x.z\"(%0, %1#1, %2) : (tensor<2xf32>, i32, tensor<2xf32>) -> ()");
  ten_buf_free(&out);
  ten_module_destroy(module);
}

/* What the verifier would refuse still prints, in a form that reads back. */
static void wrong_ops_print_in_the_generic_form(void **state) {
  (void)state;
  ten_module *module = parse(
      "func.func @f(%a: tensor<2xf32>) {\n  %0 = stablehlo.transpose %a, dims = [0] : (tensor<2xf32>) -> tensor<2xf32>\n  return\n}");
  ten_op *op = ten_op_body(ten_module_find(module, TEN_STR("f")), 0)->first;
  ten_op_set_attr(module, op, TEN_STR("permutation"), ten_attr_i64(module, 3));
  ten_buf out = {0};
  ten_text_print_op(&out, op, NULL);
  assert_string_equal(out.data,
                      "%1 = \"stablehlo.transpose\"(%0) <{permutation = 3 : i64}> : (tensor<2xf32>) -> tensor<2xf32>");
  ten_buf_free(&out);
  ten_module_destroy(module);
}

/* As bytes that have not been verified may have them. */
static void scales_that_are_no_numbers_print(void **state) {
  (void)state;
  ten_module *module = parse("");
  const double scales[] = {(double)NAN, -(double)INFINITY};
  const int64_t zero_points[] = {0, 3};
  const int32_t axis = 0;
  const ten_quant quant = {.storage = TEN_I8,
                           .expressed = TEN_F32,
                           .storage_min = -128,
                           .storage_max = 127,
                           .is_signed = true,
                           .axis_count = 1,
                           .axes = &axis,
                           .count = 2,
                           .scales = scales,
                           .zero_points = zero_points};
  ten_buf out = {0};
  ten_type_print(&out, ten_type_quant(module, &quant));
  assert_non_null(strstr(out.data, "{0x7FF8000000000000,0xFFF0000000000000:3}"));
  ten_buf_free(&out);
  ten_module_destroy(module);
}

int main(int argc, char **argv) {
  if (argc < 3) return 2;
  arguments = argv + 1;
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(canonical_files_print_as_they_stand),
      cmocka_unit_test(wrong_files_say_what_is_wrong),
      cmocka_unit_test(an_error_shows_its_line_and_a_caret),
      cmocka_unit_test(a_long_line_is_cut_around_the_error),
      cmocka_unit_test(twenty_errors_are_enough),
      cmocka_unit_test(a_file_is_split_at_its_marks),
      cmocka_unit_test(an_empty_text_is_an_empty_module),
      cmocka_unit_test(nesting_has_an_end),
      cmocka_unit_test(aliases_have_an_end),
      cmocka_unit_test(sizes_that_are_only_declared_cost_nothing),
      cmocka_unit_test(bytes_that_are_no_text_are_errors),
      cmocka_unit_test(bits_of_booleans_may_be_packed),
      cmocka_unit_test(options_choose_what_is_printed),
      cmocka_unit_test(one_op_prints_alone),
      cmocka_unit_test(wrong_ops_print_in_the_generic_form),
      cmocka_unit_test(scales_that_are_no_numbers_print),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
