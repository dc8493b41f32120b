/* Every file under plans/: the steps that a call of its program takes are those of its first line, and the results are
 * the interpreter's, with the same bits on one thread and on two. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "backend/settings.h"
#include "base/file.h"
#include "cases.h"
#include "driver/devices.h"
#include "ir/text/text.h"
#include "ir/verify/verify.h"

/* "loops rows conv", of the text that shows a plan. */
static void step_kinds(const char *plan, ten_buf *out) {
  const char *at = strstr(plan, "every call:\n");
  for (at = strchr(at ? at : plan, '\n'); at && at[1]; at = strchr(at + 1, '\n')) {
    const char *word = at + 1 + strspn(at + 1, " ");
    if (out->size) ten_buf_addc(out, ' ');
    if (!strncmp(word, "loops rows", 10)) word += 6;
    ten_buf_add(out, word, strcspn(word, " \n"));
  }
  ten_buf_addc(out, 0);
}

static ten_tensor *input_of(const ten_type *type, unsigned seed) {
  ten_tensor *tensor;
  check_ok(ten_tensor_create(type->dtype, type->rank, type->dims, &tensor));
  for (size_t i = 0; i < tensor->count; i++) {
    seed = seed * 1664525u + 1013904223u;
    if (type->dtype == TEN_F32)
      ((float *)tensor->data)[i] = (float)(seed >> 8) / (float)(1 << 22) - 2;
    else if (type->dtype == TEN_I1)
      ((uint8_t *)tensor->data)[i] = seed >> 30 != 0;
    else
      fail_msg("inputs are f32 or i1");
  }
  return tensor;
}

static void execute(const char *backend, ten_module *module, const ten_op *func, ten_tensor *const *inputs,
                    ten_tensor **outputs) {
  ten_executable *executable;
  check_ok(ten_compile(ten_backend_find(ten_str_of(backend)), module, func, NULL, &executable));
  check_ok(ten_execute(executable, inputs, ten_func_type(func)->input_count, NULL, outputs));
  ten_executable_release(executable);
}

/* Inputs that are given away come back as the outputs they were given for; the results are the same. */
static void check_donated(ten_module *module, const ten_op *func, ten_tensor **inputs, ten_tensor *const *want) {
  const ten_type *type = ten_func_type(func);
  static const bool donated[8] = {true, true, true, true, true, true, true, true};
  ten_executable *executable;
  ten_tensor *outputs[8];
  check_ok(ten_compile(ten_backend_find(TEN_STR("cpu")), module, func, NULL, &executable));
  check_ok(ten_execute(executable, inputs, type->input_count, &(ten_run_options){.donated = donated}, outputs));
  for (uint32_t i = 0; i < type->input_count; i++) {
    const ten_attr *alias = ten_func_arg_attr(func, i, "tf.aliasing_output");
    if (alias) assert_ptr_equal(outputs[ten_attr_as_int(alias, 0)], inputs[i]);
  }
  for (uint32_t i = 0; i < type->result_count; i++)
    assert_memory_equal(outputs[i]->data, want[i]->data, want[i]->bytes);
  ten_tensors_release(outputs, type->result_count);
  ten_executable_release(executable);
}

static void run_case(const char *path) {
  ten_file file;
  check_ok(ten_file_map(path, &file));
  static const char head[] = "// steps: ";
  assert_true(file.size > sizeof head && !memcmp(file.data, head, sizeof head - 1));
  ten_module *module;
  check_ok(ten_text_parse(file.data, file.size, path, &module));
  check_ok(ten_verify(module));
  const ten_op *func = ten_module_entry(module, (ten_str){0});
  ten_buf plan = {0}, kinds = {0};
  check_ok(ten_backend_show(ten_backend_default(), module, func, NULL, "plan", &plan));
  ten_buf_addc(&plan, 0);
  step_kinds(plan.data, &kinds);
  const char *wanted = file.data + sizeof head - 1;
  if (strlen(kinds.data) != strcspn(wanted, "\n") || memcmp(kinds.data, wanted, strlen(kinds.data)))
    fail_msg("%s: the steps are %s\n%s", path, kinds.data, plan.data);
  ten_tensor *inputs[8], *want[8], *one[8], *two[8];
  const ten_type *type = ten_func_type(func);
  assert_true(type->input_count <= 8 && type->result_count <= 8);
  for (uint32_t i = 0; i < type->input_count; i++) inputs[i] = input_of(type->inputs[i], i + 1);
  execute("interp", module, func, inputs, want);
  setenv("TENFOLD_THREADS", "1", 1);
  execute("cpu", module, func, inputs, one);
  setenv("TENFOLD_THREADS", "2", 1);
  execute("cpu", module, func, inputs, two);
  unsetenv("TENFOLD_THREADS");
  for (uint32_t i = 0; i < type->result_count; i++) {
    assert_memory_equal(one[i]->data, two[i]->data, one[i]->bytes);
    for (size_t k = 0; k < want[i]->count; k++) {
      const double a = (double)((const float *)one[i]->data)[k], b = (double)((const float *)want[i]->data)[k];
      if (isnan(a) != isnan(b) || (!isnan(a) && fabs(a - b) > 1e-5 * (1 + fabs(b))))
        fail_msg("%s: result %u element %zu is %g, not %g", path, i, k, a, b);
    }
  }
  check_donated(module, func, inputs, two);
  ten_tensors_release(inputs, type->input_count);
  ten_tensors_release(want, type->result_count);
  ten_tensors_release(one, type->result_count);
  ten_tensors_release(two, type->result_count);
  ten_buf_free(&plan);
  ten_buf_free(&kinds);
  ten_module_destroy(module);
  ten_file_unmap(&file);
}

static void test_plans(void **state) {
  (void)state;
  check_cases(PLANS, 4, run_case);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_plans)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
