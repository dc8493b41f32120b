/* test_refine.c: runs refine.mlir, given as the argument. Each part says which types are given for the entry function's
 * arguments, then comes the program, then what becomes of it (`// becomes:`, the text as it is printed) or why it
 * cannot be (`// refused: …`). */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "ir/text/text.h"
#include "ir/verify/verify.h"

static const char *file; /* the argument */

/* Types as the arguments of a function that is declared in a module of its own. */
static ten_module *read_types(const char *from, size_t size) {
  ten_buf text = {0};
  ten_buf_printf(&text, "func.func private @types(%.*s)", (int)size, from);
  ten_module *module;
  check_ok(ten_text_parse(text.data, text.size, "given", &module));
  ten_buf_free(&text);
  return module;
}

static void check_part(char *part) {
  static const char given[] = "// given: ", becomes[] = "// becomes:\n", refused[] = "// refused: ";
  char *types = strstr(part, given), *after = strstr(part, becomes), *why = strstr(part, refused);
  assert_non_null(types);
  types += sizeof given - 1;
  char *end = strchr(types, '\n');
  ten_module *type_module = read_types(types, (size_t)(end - types)), *module;
  const ten_type *type = ten_func_type(ten_module_find(type_module, TEN_STR("types")));
  char *stop = after ? after : why;
  assert_non_null(stop);
  check_ok(ten_text_parse(end, (size_t)(stop - end), "refine.mlir", &module));
  check_ok(ten_verify(module));
  ten_status *status = ten_refine_shapes(module, type->inputs, type->input_count);
  if (after) {
    check_ok(status);
    check_ok(ten_verify(module));
    ten_buf text = {0};
    ten_text_print(&text, module, NULL);
    assert_string_equal(text.data, after + sizeof becomes - 1);
    ten_buf_free(&text);
  } else {
    assert_non_null(status);
    why += sizeof refused - 1;
    *strchr(why, '\n') = 0;
    assert_string_equal(ten_status_message(status), why);
    ten_status_free(status);
  }
  ten_module_destroy(module);
  ten_module_destroy(type_module);
}

static void programs_are_specialised(void **state) {
  (void)state;
  FILE *stream = fopen(file, "rb");
  assert_non_null(stream);
  fseek(stream, 0, SEEK_END);
  const size_t size = (size_t)ftell(stream);
  rewind(stream);
  char *text = calloc(1, size + 1);
  assert_int_equal(fread(text, 1, size, stream), size);
  fclose(stream);
  for (char *at = text; at;) {
    char *next = strstr(at, "// -----\n");
    if (next) *next = 0;
    check_part(at);
    at = next ? next + 9 : NULL;
  }
  free(text);
}

/* Sizes that come as inputs. */
static void known_inputs_are_sizes(void **state) {
  (void)state;
  static const char text[] =
      "func.func @main(%n: tensor<i64>) -> tensor<?xf32> {\n"
      "  %0 = stablehlo.reshape %n : (tensor<i64>) -> tensor<1xi64>\n"
      "  %1 = stablehlo.dynamic_iota %0, dim = 0 : (tensor<1xi64>) -> tensor<?xf32>\n"
      "  func.return %1 : tensor<?xf32>\n"
      "}\n";
  ten_module *module;
  check_ok(ten_text_parse(text, sizeof text - 1, "text", &module));
  const ten_type *type = ten_type_tensor(module, TEN_I64, 0, NULL);
  const int64_t five = 5;
  const ten_attr *value = ten_attr_dense(module, type, &five, sizeof five);
  check_ok(ten_refine_func(module, ten_module_find(module, TEN_STR("main")), &type, &value, 1));
  check_ok(ten_verify(module));
  const ten_type *result = ten_func_type(ten_module_find(module, TEN_STR("main")))->results[0];
  assert_int_equal(result->rank, 1);
  assert_int_equal(result->dims[0], 5);
  ten_module_destroy(module);
}

/* What nothing declares is worked out; what does not follow is asked for. */
static void types_are_inferred_without_hints(void **state) {
  (void)state;
  ten_module *module = ten_module_create();
  const int64_t dims[] = {2, 3};
  const ten_type *type = ten_type_tensor(module, TEN_F32, 2, dims), *none = NULL;
  ten_op *func = ten_func_create(module, TEN_STR("main"), 1, &type, 0, NULL, NULL);
  ten_value *arg = func->regions[0].first->args[0];
  const int64_t permutation[] = {1, 0};
  const ten_named_attr attrs[] = {{TEN_STR("permutation"), ten_attr_dims(module, 2, permutation), true}};
  ten_op *transpose = ten_op_create(module, TEN_OP_TRANSPOSE, (ten_str){0}, NULL, 1, &arg, 1, &none, 1, attrs, 0);
  check_ok(ten_infer_op(module, transpose));
  assert_int_equal(transpose->results[0].type->dims[0], 3);
  ten_op *convert = ten_op_create(module, TEN_OP_CONVERT, (ten_str){0}, NULL, 1, &arg, 1, &none, 0, NULL, 0);
  check_error(ten_infer_op(module, convert), TEN_INVALID,
              "stablehlo.convert: the result's element type does not follow from the operand, and none is given");
  ten_module_destroy(module);
}

int main(int argc, char **argv) {
  if (argc != 2) return 2;
  file = argv[1];
  const struct CMUnitTest tests[] = {cmocka_unit_test(programs_are_specialised),
                                     cmocka_unit_test(known_inputs_are_sizes),
                                     cmocka_unit_test(types_are_inferred_without_hints)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
