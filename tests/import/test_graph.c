/* test_graph.c: a graph in memory becomes ATen ops and then StableHLO. */
#include "check.h"

#include <string.h>

#include "front/aten/aten.h"
#include "front/import/graph.h"
#include "ir/text/text.h"

#define TENSOR(name) "{\"as_tensor\":{\"name\":\"" name "\"}}"
#define META "{\"dtype\":7,\"sizes\":[{\"as_int\":2},{\"as_int\":3}],\"layout\":7}"
#define GRAPH(target, inputs) \
  "{\"inputs\":[" TENSOR("x") "],\"outputs\":[" TENSOR("y") "],\"nodes\":[{\"target\":\"" target                   \
  "\",\"inputs\":[" inputs "],\"outputs\":[" TENSOR("y") "],\"metadata\":{\"stack_trace\":\"File \\\"m.py\\\", line 3, in f\"}}]," \
  "\"tensor_values\":{\"x\":" META ",\"y\":" META "}}"
#define SELF "{\"name\":\"self\",\"arg\":" TENSOR("x") "}"

static ten_module *import(const char *json) {
  ten_module *module;
  check_ok(ten_graph_import(ten_str_of(json), &module));
  return module;
}

static void an_op_keeps_name_arguments_and_line(void **state) {
  (void)state;
  ten_module *module = import(GRAPH("torch.ops.aten.add.Tensor", SELF ",{\"name\":\"other\",\"arg\":{\"as_int\":2}}"));
  const ten_op *op = ten_op_body(ten_module_find(module, TEN_STR("main")), 0)->first;
  assert_true(ten_str_is(op->name, "aten.add.Tensor"));
  assert_int_equal(ten_attr_as_int(ten_op_attr(op, "other"), 0), 2);
  const ten_loc *loc = ten_loc_first_file(op->loc);
  assert_true(ten_str_is(loc->name, "m.py"));
  assert_int_equal(loc->line, 3);
  ten_module_destroy(module);
}

static void a_python_number_takes_the_tensors_type(void **state) {
  (void)state;
  ten_module *aten = import(GRAPH("torch.ops.aten.add.Tensor", SELF ",{\"name\":\"other\",\"arg\":{\"as_int\":2}}")),
             *lowered;
  check_ok(ten_aten_lower(aten, NULL, &lowered));
  ten_buf text = {0};
  ten_text_print(&text, lowered, NULL);
  assert_non_null(strstr(text.data, "stablehlo.add"));
  assert_non_null(strstr(text.data, "-> tensor<2x3xf32>"));
  ten_buf_free(&text);
  ten_module_destroy(lowered);
  ten_module_destroy(aten);
}

static void a_missing_op_names_its_line(void **state) {
  (void)state;
  ten_module *aten = import(GRAPH("torch.ops.my.op.default", SELF)), *lowered;
  check_error(ten_aten_lower(aten, NULL, &lowered), TEN_UNSUPPORTED,
              "1 op without a lowering:\n  my.op.default at m.py:3");
  ten_module_destroy(aten);
}

static void a_write_through_a_view_is_seen_in_its_base(void **state) {
  (void)state;
  /* v = x[0]; v.zero_(); return x — the result is x with a row of zeros, and x itself is reported as written to. */
  const char *json =
      "{\"inputs\":[" TENSOR("x") "],\"outputs\":[" TENSOR("x") "],\"nodes\":["
      "{\"target\":\"torch.ops.aten.select.int\",\"inputs\":[" SELF ",{\"name\":\"dim\",\"arg\":{\"as_int\":0}},{\"name\":\"index\",\"arg\":{\"as_int\":0}}],"
      "\"outputs\":[" TENSOR("v") "],\"metadata\":{}},"
      "{\"target\":\"torch.ops.aten.zero_.default\",\"inputs\":[{\"name\":\"self\",\"arg\":" TENSOR("v") "}],\"outputs\":[" TENSOR("w") "],\"metadata\":{}}],"
      "\"tensor_values\":{\"x\":" META ",\"v\":{\"dtype\":7,\"sizes\":[{\"as_int\":3}],\"layout\":7},\"w\":{\"dtype\":7,\"sizes\":[{\"as_int\":3}],\"layout\":7}}}";
  ten_module *aten = import(json), *lowered;
  check_ok(ten_aten_lower(aten, NULL, &lowered));
  const ten_op *func = ten_module_find(lowered, TEN_STR("main"));
  assert_int_equal(ten_func_type(func)->result_count, 2);
  assert_int_equal(ten_attr_as_int(ten_func_result_attr(func, 1, "aten.mutates_input"), -1), 0);
  ten_module_destroy(lowered);
  ten_module_destroy(aten);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(an_op_keeps_name_arguments_and_line), cmocka_unit_test(a_python_number_takes_the_tensors_type),
      cmocka_unit_test(a_missing_op_names_its_line), cmocka_unit_test(a_write_through_a_view_is_seen_in_its_base)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
