/* test_conformance.c: what every backend promises (backend/backend.h), over every backend of the table that can run
 * here, and over our own PJRT plugin as another vendor's would be. A backend that cannot run here is skipped with the
 * reason it gives. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "driver/devices.h"
#include "ir/text/text.h"
#include "tenfold/executable.h"
#include "tenfold/program.h"

static const ten_backend *backend; /* the one under test */
static const char *device_name;    /* what callers of the public API name it */

static ten_module *parse(const char *text) {
  ten_module *module;
  check_ok(ten_text_parse(text, strlen(text), "test.mlir", &module));
  return module;
}

static ten_executable *compile(ten_module *module) {
  ten_executable *executable;
  check_ok(ten_compile(backend, module, ten_module_entry(module, (ten_str){0}), NULL, &executable));
  assert_non_null(executable);
  assert_ptr_equal(executable->backend->destroy, backend->destroy);
  return executable;
}

static ten_tensor *floats(int64_t count, float first) {
  ten_tensor *tensor;
  check_ok(ten_tensor_create(TEN_F32, 1, &count, &tensor));
  for (int64_t i = 0; i < count; i++) ((float *)tensor->data)[i] = first + (float)i;
  return tensor;
}

/* What the internal backends return is zeros: their shapes count, not their values. */
static void expect(const ten_tensor *tensor, size_t index, float value) {
  assert_int_equal(tensor->dtype, TEN_F32);
  assert_true(index < tensor->count);
  if (!backend->internal) assert_true(((const float *)tensor->data)[index] == value);
}

static const char add[] =
    "func.func @main(%x: tensor<4xf32>, %y: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {\n"
    "  %0 = stablehlo.add %x, %y : tensor<4xf32>\n"
    "  %1 = stablehlo.multiply %0, %y : tensor<4xf32>\n"
    "  return %0, %1 : tensor<4xf32>, tensor<4xf32>\n"
    "}\n";

static void names_and_required_functions(void **state) {
  (void)state;
  assert_non_null(backend->name);
  assert_non_null(backend->summary);
  assert_non_null(backend->compile);
  assert_non_null(backend->execute);
  assert_non_null(backend->destroy);
  /* Functions that belong together come together. */
  assert_int_equal(backend->is_plain != NULL, backend->call != NULL);
  assert_int_equal(backend->stages != NULL, backend->show != NULL);
  assert_int_equal(backend->owns_file != NULL, backend->open != NULL);
  assert_int_equal(backend->create_workspace != NULL, backend->destroy_workspace != NULL);
}

static void executes_again_and_again(void **state) {
  (void)state;
  ten_module *module = parse(add);
  ten_executable *executable = compile(module);
  for (int round = 0; round < 3; round++) {
    ten_tensor *inputs[2] = {floats(4, (float)round), floats(4, 10)}, *outputs[2];
    check_ok(ten_execute(executable, inputs, 2, NULL, outputs));
    for (size_t i = 0; i < 4; i++) {
      const float sum = (float)round + 10 + 2 * (float)i;
      expect(outputs[0], i, sum);
      expect(outputs[1], i, sum * (10 + (float)i));
    }
    /* Outputs are the caller's: they can be written to, and are not the inputs. */
    assert_ptr_not_equal(outputs[0]->data, inputs[0]->data);
    memset(outputs[0]->data, 0, outputs[0]->bytes);
    assert_true(((const float *)inputs[1]->data)[3] == 13);
    ten_tensors_release(outputs, 2);
    ten_tensors_release(inputs, 2);
  }
  ten_executable_release(executable);
  ten_module_destroy(module);
}

static void wrong_inputs_are_refused(void **state) {
  (void)state;
  ten_module *module = parse(add);
  ten_executable *executable = compile(module);
  ten_tensor *inputs[2] = {floats(4, 0), floats(5, 0)}, *outputs[2] = {inputs[0], inputs[0]};
  check_error(ten_execute(executable, inputs, 2, NULL, outputs), TEN_INVALID,
              "input 1 is tensor<5xf32>, @main takes tensor<4xf32>");
  assert_null(outputs[0]);
  check_error(ten_execute(executable, inputs, 1, NULL, outputs), TEN_INVALID, "@main takes 2 inputs, got 1");
  ten_tensors_release(inputs, 2);
  ten_executable_release(executable);
  ten_module_destroy(module);
}

static void invalid_programs_are_refused(void **state) {
  (void)state;
  ten_module *module = parse("func.func private @f(tensor<f32>) -> tensor<f32>\n");
  ten_executable *executable;
  ten_op *func = ten_module_find(module, TEN_STR("f"));
  ten_status *status = ten_compile(backend, module, func, NULL, &executable);
  assert_non_null(status);
  assert_null(executable);
  ten_status_free(status);
  ten_module_destroy(module);
}

static const char aliased[] =
    "func.func @main(%x: tensor<4xf32> {tf.aliasing_output = 0 : i32}, %y: tensor<4xf32>) -> tensor<4xf32> {\n"
    "  %0 = stablehlo.add %x, %y : tensor<4xf32>\n"
    "  return %0 : tensor<4xf32>\n"
    "}\n";

/* A donated input may be updated in place; one that is not donated keeps its value. */
static void donation(void **state) {
  (void)state;
  ten_module *module = parse(aliased);
  ten_executable *executable = compile(module);
  for (int given = 0; given < 2; given++) {
    const bool donated[2] = {given, false};
    ten_tensor *inputs[2] = {floats(4, 1), floats(4, 100)}, *outputs[1];
    check_ok(ten_execute(executable, inputs, 2, &(ten_run_options){.donated = donated}, outputs));
    for (size_t i = 0; i < 4; i++) {
      expect(outputs[0], i, 101 + 2 * (float)i);
      if (!given) assert_true(((const float *)inputs[0]->data)[i] == 1 + (float)i);
      assert_true(((const float *)inputs[1]->data)[i] == 100 + (float)i);
    }
    ten_tensors_release(outputs, 1);
    ten_tensors_release(inputs, 2);
  }
  ten_executable_release(executable);
  ten_module_destroy(module);
}

/* The same tensor twice, and an input that is returned as it is. */
static void aliases(void **state) {
  (void)state;
  ten_module *module = parse(
      "func.func @main(%x: tensor<4xf32>, %y: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {\n"
      "  %0 = stablehlo.subtract %x, %y : tensor<4xf32>\n"
      "  return %x, %0 : tensor<4xf32>, tensor<4xf32>\n"
      "}\n");
  ten_executable *executable = compile(module);
  ten_tensor *x = floats(4, 7), *inputs[2] = {x, x}, *outputs[2];
  check_ok(ten_execute(executable, inputs, 2, NULL, outputs));
  for (size_t i = 0; i < 4; i++) {
    expect(outputs[0], i, 7 + (float)i);
    expect(outputs[1], i, 0);
  }
  memset(outputs[0]->data, 0, outputs[0]->bytes);
  assert_true(((const float *)x->data)[0] == 7);
  ten_tensors_release(outputs, 2);
  ten_tensor_release(x);
  ten_executable_release(executable);
  ten_module_destroy(module);
}

enum { THREADS = 4, CALLS = 25 };

static void *call_often(void *argument) {
  ten_executable *executable = argument;
  for (int round = 0; round < CALLS; round++) {
    ten_tensor *inputs[2] = {floats(4, (float)round), floats(4, 1)}, *outputs[2];
    ten_status *status = ten_execute(executable, inputs, 2, NULL, outputs);
    const bool right = !status && (backend->internal || ((const float *)outputs[0]->data)[3] == (float)round + 3 + 4);
    if (!status) ten_tensors_release(outputs, 2);
    ten_tensors_release(inputs, 2);
    ten_status_free(status);
    if (!right) return argument;
  }
  return NULL;
}

static void many_threads_at_once(void **state) {
  (void)state;
  ten_module *module = parse(add);
  ten_executable *executable = compile(module);
  pthread_t threads[THREADS];
  for (int i = 0; i < THREADS; i++) assert_int_equal(pthread_create(&threads[i], NULL, call_often, executable), 0);
  for (int i = 0; i < THREADS; i++) {
    void *failed;
    pthread_join(threads[i], &failed);
    assert_null(failed);
  }
  ten_executable_release(executable);
  ten_module_destroy(module);
}

/* More memory than there is: an error, and the executable goes on working. */
enum { SIDE = 160 };

static ten_executable *compile_powers(int count, ten_workspace *workspace, ten_module **out_module) {
  ten_buf text = {0};
  ten_buf_adds(&text, "func.func @main(%x0: tensor<160x160xf32>) -> tensor<160x160xf32> {\n");
  for (int i = 1; i <= count; i++)
    ten_buf_printf(&text,
                   "  %%x%d = stablehlo.dot_general %%x%d, %%x0, contracting_dims = [1] x [0] : "
                   "(tensor<160x160xf32>, tensor<160x160xf32>) -> tensor<160x160xf32>\n",
                   i, i - 1);
  ten_buf_printf(&text, "  return %%x%d : tensor<160x160xf32>\n}\n", count);
  *out_module = parse(text.data);
  ten_buf_free(&text);
  ten_executable *executable;
  const ten_settings settings = {.workspace = workspace};
  check_ok(ten_compile(backend, *out_module, ten_module_entry(*out_module, (ten_str){0}), &settings, &executable));
  return executable;
}

/* Programs that work in the same memory; and one that is given another backend's, which is not used. */
static void shared_working_memory(void **state) {
  (void)state;
  static const ten_backend other = {.name = "other"};
  ten_workspace *workspace = ten_workspace_create(backend), foreign = {&other, 1};
  assert_int_equal(workspace != NULL, backend->create_workspace != NULL);
  ten_module *modules[3];
  ten_executable *executables[3];
  const int powers[3] = {2, 3, 2};
  for (int i = 0; i < 3; i++) executables[i] = compile_powers(powers[i], i == 2 ? &foreign : workspace, &modules[i]);
  ten_workspace_release(workspace); /* the executables retain it */
  const int64_t dims[2] = {SIDE, SIDE};
  ten_tensor *input;
  check_ok(ten_tensor_create(TEN_F32, 2, dims, &input));
  for (size_t i = 0; i < input->count; i++) ((float *)input->data)[i] = 1;
  for (int round = 0; round < 6; round++) {
    ten_tensor *output;
    check_ok(ten_execute(executables[round % 3], &input, 1, NULL, &output));
    for (size_t i = 0; i < output->count; i++)
      expect(output, i, powers[round % 3] == 2 ? SIDE * SIDE : SIDE * SIDE * SIDE);
    ten_tensor_release(output);
  }
  ten_tensor_release(input);
  for (int i = 0; i < 3; i++) {
    ten_executable_release(executables[i]);
    ten_module_destroy(modules[i]);
  }
  assert_int_equal(foreign.references, 1);
}

static void out_of_memory(void **state) {
  (void)state;
  ten_module *module = parse(
      "func.func @main(%x: tensor<f32>) -> tensor<1099511627776x64xf32> {\n"
      "  %0 = stablehlo.broadcast_in_dim %x, dims = [] : (tensor<f32>) -> tensor<1099511627776x64xf32>\n"
      "  return %0 : tensor<1099511627776x64xf32>\n"
      "}\n");
  ten_executable *executable = NULL;
  ten_status *status = ten_compile(backend, module, ten_module_entry(module, (ten_str){0}), NULL, &executable);
  for (int round = 0; round < 2 && executable; round++) {
    ten_tensor *input, *output;
    check_ok(ten_tensor_create(TEN_F32, 0, NULL, &input));
    ten_status *failed = ten_execute(executable, &input, 1, NULL, &output);
    assert_non_null(failed);
    assert_null(output);
    ten_status_free(failed);
    ten_tensor_release(input);
  }
  assert_true(status || executable);
  ten_status_free(status);
  ten_executable_release(executable);
  ten_module_destroy(module);
}

static void cost_and_memory(void **state) {
  (void)state;
  ten_module *module = parse(add);
  ten_executable *executable = compile(module);
  ten_cost cost = ten_backend_cost(executable);
  ten_memory memory;
  assert_int_equal(cost.launches > 0, backend->cost != NULL);
  assert_int_equal(ten_executable_memory(executable, &memory), backend->memory != NULL);
  if (backend->memory) assert_int_equal(memory.arguments, 32);
  if (backend->memory) assert_int_equal(memory.results, 32);
  ten_executable_release(executable);
  ten_module_destroy(module);
}

static void plain_calls(void **state) {
  (void)state;
  ten_module *module = parse(add);
  ten_executable *executable = compile(module);
  if (ten_executable_is_plain(executable)) {
    const float x[4] = {1, 2, 3, 4}, y[4] = {10, 20, 30, 40};
    float sum[4] = {0}, product[4] = {0};
    void *inputs[2] = {(void *)(uintptr_t)x, (void *)(uintptr_t)y}, *outputs[2] = {sum, product};
    check_ok(ten_executable_call(executable, inputs, outputs));
    assert_true(backend->internal || (sum[3] == 44 && product[3] == 1760));
  } else {
    assert_true(!backend->call || !ten_executable_in_place(executable, 0, 0));
  }
  ten_executable_release(executable);
  ten_module_destroy(module);
}

/* Calls that are started and waited for later, through the public API, which is what callers have: each with its own
 * buffers, results where they belong, and an error that is told when it is waited for. */
static void calls_in_progress(void **state) {
  (void)state;
  enum { COUNT = 3 };
  ten_program *program;
  ten_executable *executable;
  check_ok(ten_program_parse(add, strlen(add), "add.mlir", &program));
  const ten_compile_options options = {.size = sizeof options, .device = device_name};
  check_ok(ten_program_compile(program, &options, &executable));
  const int64_t dims[1] = {4};
  float x[COUNT][4], y[4] = {1, 2, 3, 4}, sums[COUNT][4], products[COUNT][4];
  ten_event *events[COUNT];
  for (int i = 0; i < COUNT; i++) {
    for (int k = 0; k < 4; k++) x[i][k] = (float)(10 * i + k);
    const ten_buffer inputs[2] = {{.data = x[i], .bytes = sizeof x[i], .dtype = TEN_F32, .rank = 1, .dims = dims},
                                  {.data = y, .bytes = sizeof y, .dtype = TEN_F32, .rank = 1, .dims = dims}};
    const ten_buffer outputs[2] = {
        {.data = sums[i], .bytes = sizeof sums[i], .dtype = TEN_F32, .rank = 1, .dims = dims},
        {.data = products[i], .bytes = sizeof products[i], .dtype = TEN_F32, .rank = 1, .dims = dims}};
    check_ok(ten_executable_start(executable, inputs, 2, outputs, 2, &events[i]));
  }
  for (int i = COUNT; i-- > 0;) {
    check_ok(ten_event_wait(events[i]));
    assert_true(backend->internal || (sums[i][3] == (float)(10 * i) + 7 && products[i][3] == 4 * sums[i][3]));
    ten_event_release(events[i]);
  }
  ten_executable_release(executable);
  ten_program_release(program);
}

/* What goes to the device and comes back keeps every bit, of every type, with no dimension, with none of size 0. */
static void transfers(void **state) {
  (void)state;
  static const ten_dtype types[] = {TEN_I1,   TEN_I8,  TEN_I16,  TEN_I32, TEN_I64, TEN_UI8, TEN_UI16, TEN_UI32,
                                    TEN_UI64, TEN_F16, TEN_BF16, TEN_F32, TEN_F64, TEN_C64, TEN_C128};
  static const char *const shapes[] = {"", "3x5x", "4x0x2x"};
  static const struct {
    uint32_t rank;
    int64_t dims[3];
  } sizes[] = {{0, {0}}, {2, {3, 5}}, {3, {4, 0, 2}}};
  for (size_t t = 0; t < sizeof types / sizeof *types; t++)
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
      char text[256], type[40];
      snprintf(type, sizeof type, "tensor<%s%s>", shapes[s], ten_dtype_name(types[t]));
      snprintf(text, sizeof text, "func.func @main(%%x: %s) -> %s {\n  return %%x : %s\n}\n", type, type, type);
      ten_module *module = parse(text);
      ten_executable *executable = compile(module);
      ten_tensor *input, *output;
      check_ok(ten_tensor_create(types[t], sizes[s].rank, sizes[s].dims, &input));
      for (size_t i = 0; i < input->bytes; i++)
        ((uint8_t *)input->data)[i] = (uint8_t)(types[t] == TEN_I1 ? i & 1 : (i * 37 + 11) & 0x3f);
      check_ok(ten_execute(executable, &input, 1, NULL, &output));
      assert_int_equal(output->bytes, input->bytes);
      if (!backend->internal && input->bytes) assert_memory_equal(output->data, input->data, input->bytes);
      ten_tensor_release(output);
      ten_tensor_release(input);
      ten_executable_release(executable);
      ten_module_destroy(module);
    }
}

/* Whatever is optional and not offered answers with an error that names the device. */
static void what_is_not_offered_says_so(void **state) {
  (void)state;
  ten_module *module = parse(add);
  const ten_op *func = ten_module_entry(module, (ten_str){0});
  ten_buf text = {0};
  ten_memory memory;
  ten_status *all[] = {backend->show ? NULL : ten_backend_show(backend, module, func, NULL, "plan", &text),
                       backend->save ? NULL : ten_backend_save(backend, module, func, NULL, NULL, &text),
                       backend->plan_memory ? NULL : ten_backend_plan_memory(backend, module, func, NULL, &memory)};
  const bool offered[] = {backend->show, backend->save, backend->plan_memory};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
    assert_int_equal(all[i] == NULL, offered[i]);
    if (!all[i]) continue;
    assert_int_equal(ten_status_code(all[i]), TEN_UNSUPPORTED);
    assert_non_null(strstr(ten_status_text(all[i]), backend->name));
    ten_status_free(all[i]);
  }
  ten_status *unknown = ten_backend_show(backend, module, func, NULL, "no such stage", &text);
  assert_non_null(unknown);
  ten_status_free(unknown);
  ten_buf_free(&text);
  ten_module_destroy(module);
}

/* A compiled file gives what the program gives; one that is cut short is refused. */
static void files(void **state) {
  (void)state;
  if (!backend->save || !backend->load) return;
  ten_module *module = parse(add);
  ten_buf bytes = {0};
  check_ok(ten_backend_save(backend, module, ten_module_entry(module, (ten_str){0}), NULL, NULL, &bytes));
  const size_t size = (bytes.size + 63) / 64 * 64;
  void *copy = aligned_alloc(64, size);
  memcpy(copy, bytes.data, bytes.size);
  ten_executable *executable;
  check_ok(ten_backend_load(backend, copy, bytes.size, "test.ten", &executable));
  ten_tensor *inputs[2] = {floats(4, 1), floats(4, 2)}, *outputs[2];
  check_ok(ten_execute(executable, inputs, 2, NULL, outputs));
  expect(outputs[0], 3, 9);
  ten_tensors_release(outputs, 2);
  ten_tensors_release(inputs, 2);
  ten_executable_release(executable);
  ten_status *cut = ten_backend_load(backend, copy, bytes.size / 2, "test.ten", &executable);
  assert_non_null(cut);
  ten_status_free(cut);
  free(copy);
  ten_buf_free(&bytes);
  ten_module_destroy(module);
}

static int run_suite(const ten_backend *which, const char *name) {
  backend = which;
  device_name = name;
  ten_buf text = {0};
  ten_status *unusable = which->describe ? which->describe(which, &text) : NULL;
  ten_buf_free(&text);
  if (unusable) {
    print_message("skipped: %s: %s\n", which->name, ten_status_message(unusable));
    ten_status_free(unusable);
    return 0;
  }
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(names_and_required_functions),
      cmocka_unit_test(executes_again_and_again),
      cmocka_unit_test(wrong_inputs_are_refused),
      cmocka_unit_test(invalid_programs_are_refused),
      cmocka_unit_test(donation),
      cmocka_unit_test(aliases),
      cmocka_unit_test(many_threads_at_once),
      cmocka_unit_test(shared_working_memory),
      cmocka_unit_test(out_of_memory),
      cmocka_unit_test(cost_and_memory),
      cmocka_unit_test(plain_calls),
      cmocka_unit_test(calls_in_progress),
      cmocka_unit_test(transfers),
      cmocka_unit_test(what_is_not_offered_says_so),
      cmocka_unit_test(files),
  };
  print_message("backend %s\n", which->name);
  return cmocka_run_group_tests_name(which->name, tests, NULL, NULL);
}

int main(void) {
  int failed = 0;
  for (const ten_backend *const *which = ten_backends; *which; which++) failed += run_suite(*which, (*which)->name);
  const ten_backend *plugin;
  check_ok(ten_backend_open("pjrt:" TENFOLD_PLUGIN_PATH, &plugin));
  failed += run_suite(plugin, "pjrt:" TENFOLD_PLUGIN_PATH);
  return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
