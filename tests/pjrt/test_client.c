/* test_client.c: programs on a plugin that works, that fails in every call in turn, and that is none. */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "backend/pjrt/abi.h"
#include "backend/pjrt/device.h"
#include "check.h"
#include "driver/devices.h"
#include "ir/text/text.h"

static const char program[] =
    "func.func @main(%x: tensor<2x3xf32> {tf.aliasing_output = 0 : i32}, %y: tensor<2x3xf32>)\n"
    "    -> (tensor<2x3xf32>, tensor<3xf32>) {\n"
    "  %z = stablehlo.constant dense<0.0> : tensor<f32>\n"
    "  %0 = stablehlo.add %x, %y : tensor<2x3xf32>\n"
    "  %1 = stablehlo.reduce(%0 init: %z) applies stablehlo.add across dimensions = [0] : (tensor<2x3xf32>, tensor<f32>) -> "
    "tensor<3xf32>\n"
    "  return %0, %1 : tensor<2x3xf32>, tensor<3xf32>\n"
    "}\n";

static void (*break_plugin)(const char *how);

/* The plugin reads the way to break from us, not from the environment. */
static int load_plugin(void **state) {
  (void)state;
  void *library = dlopen(TEST_PLUGIN_PATH, RTLD_NOW | RTLD_LOCAL);
  if (!library) {
    print_error("%s\n", dlerror());
    return 1;
  }
  *(void **)&break_plugin = dlsym(library, "test_plugin_break");
  return break_plugin ? 0 : 1;
}

/* A device that nobody has opened yet. */
static const ten_backend *fresh_device(const char *options) {
  static int count;
  char name[1024];
  snprintf(name, sizeof name, "pjrt:" TEST_PLUGIN_PATH "?n=%d%s", count++, options);
  const ten_backend *device;
  check_ok(ten_backend_open(name, &device));
  return device;
}

static ten_module *parse(const char *text) {
  ten_module *module;
  check_ok(ten_text_parse(text, strlen(text), "test.mlir", &module));
  return module;
}

static ten_tensor *floats(float first) {
  ten_tensor *tensor;
  check_ok(ten_tensor_create(TEN_F32, 2, (const int64_t[]){2, 3}, &tensor));
  for (int i = 0; i < 6; i++) ((float *)tensor->data)[i] = first + (float)i;
  return tensor;
}

/* Compiles, runs, runs again with the arguments kept; the results are checked when all of it works. */
static ten_status *whole_life(const ten_backend *device) {
  ten_module *module = parse(program);
  ten_executable *executable = NULL;
  ten_tensor *inputs[] = {floats(0), floats(10)}, *outputs[2] = {NULL, NULL};
  ten_status *status = ten_compile(device, module, ten_module_entry(module, (ten_str){0}), NULL, &executable);
  if (!status) status = ten_execute(executable, inputs, 2, NULL, outputs);
  if (!status) {
    for (int i = 0; i < 6; i++) assert_float_equal(((float *)outputs[0]->data)[i], (float)(10 + 2 * i), 0);
    assert_float_equal(((float *)outputs[1]->data)[0], 26, 0);
    ten_tensors_release(outputs, 2);
    double seconds[3];
    status = executable->backend->repeat(executable, inputs, 3, seconds, outputs);
  }
  if (!status) { /* x + 3y: the first argument went round */
    for (int i = 0; i < 6; i++) assert_float_equal(((float *)outputs[0]->data)[i], (float)(30 + 4 * i), 0);
    assert_float_equal(((float *)inputs[0]->data)[1], 1, 0);
  }
  ten_tensors_release(outputs, 2);
  ten_tensors_release(inputs, 2);
  ten_executable_release(executable);
  ten_module_destroy(module);
  return status;
}

static void a_plugin_runs_programs(void **state) {
  (void)state;
  break_plugin("");
  check_ok(whole_life(fresh_device("")));
  const ten_backend *device = fresh_device("");
  ten_buf text = {0};
  check_ok(device->describe(device, &text));
  assert_non_null(strstr(text.data, "tenfold"));
  assert_non_null(strstr(text.data, "memories: device"));
  ten_buf_free(&text);
}

/* A kernel goes up and comes back as the host has it, whatever the order of its dimensions on the device. */
static void kernels_come_back_as_they_went(void **state) {
  (void)state;
  static const char text[] =
      "func.func @main(%x: tensor<1x1x2x3xf32>, %k: tensor<2x1x2x3xf32> {tenfold.role = \"parameter\", "
      "tf.aliasing_output = 1 : i32}) -> (tensor<1x2x1x1xf32>, tensor<2x1x2x3xf32>) {\n"
      "  %0 = stablehlo.convolution(%x, %k) dim_numbers = [b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1], window = {} "
      "{batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x1x2x3xf32>, tensor<2x1x2x3xf32>) -> "
      "tensor<1x2x1x1xf32>\n"
      "  %1 = stablehlo.add %k, %k : tensor<2x1x2x3xf32>\n"
      "  return %0, %1 : tensor<1x2x1x1xf32>, tensor<2x1x2x3xf32>\n"
      "}\n";
  break_plugin("");
  ten_module *module = parse(text);
  ten_executable *executable = NULL;
  ten_tensor *inputs[2], *outputs[2] = {NULL, NULL};
  check_ok(ten_tensor_create(TEN_F32, 4, (const int64_t[]){1, 1, 2, 3}, &inputs[0]));
  check_ok(ten_tensor_create(TEN_F32, 4, (const int64_t[]){2, 1, 2, 3}, &inputs[1]));
  for (int i = 0; i < 6; i++) ((float *)inputs[0]->data)[i] = (float)(1 + i);
  for (int i = 0; i < 12; i++) ((float *)inputs[1]->data)[i] = (float)i;
  check_ok(ten_compile(fresh_device(""), module, ten_module_entry(module, (ten_str){0}), NULL, &executable));
  check_ok(ten_execute(executable, inputs, 2, NULL, outputs));
  assert_float_equal(((float *)outputs[0]->data)[0], 0 + 2 + 6 + 12 + 20 + 30, 0);
  assert_float_equal(((float *)outputs[0]->data)[1], 6 + 14 + 24 + 36 + 50 + 66, 0);
  for (int i = 0; i < 12; i++) assert_float_equal(((float *)outputs[1]->data)[i], (float)(2 * i), 0);
  assert_int_equal(outputs[1]->dims[0], 2);
  ten_tensors_release(outputs, 2);
  double seconds[3];
  check_ok(executable->backend->repeat(executable, inputs, 3, seconds, outputs));
  for (int i = 0; i < 12; i++) assert_float_equal(((float *)outputs[1]->data)[i], (float)(8 * i), 0);
  ten_tensors_release(outputs, 2);
  ten_tensors_release(inputs, 2);
  ten_executable_release(executable);
  ten_module_destroy(module);
}

static void a_later_plugin_runs_programs(void **state) {
  (void)state;
  break_plugin("grown");
  check_ok(whole_life(fresh_device("")));
  break_plugin("");
}

static void events_may_come_late(void **state) {
  (void)state;
  break_plugin("late=PJRT_Event_OnReady");
  check_ok(whole_life(fresh_device(",timeout=30")));
  break_plugin("hang=PJRT_Event_OnReady");
  ten_status *status = whole_life(fresh_device(",timeout=0.05"));
  assert_non_null(status);
  assert_non_null(strstr(ten_status_text(status), "has not ended after 0.05 s (timeout)"));
  ten_status_free(status);
}

/* Every call fails once: never a crash, always the injected reason, and no failure that goes unnoticed where the call
 * matters. */
static void every_call_may_fail(void **state) {
  (void)state;
  static const char *const calls[] = {
#define NAME(call, result) #call,
      PJRT_CALLS(NAME)
#undef NAME
  };
  static const char needed[] =
      " PJRT_Plugin_Initialize PJRT_Plugin_Attributes PJRT_Event_Destroy PJRT_Event_Await PJRT_Client_Create "
      "PJRT_Client_AddressableDevices PJRT_Client_Compile PJRT_Client_BufferFromHostBuffer PJRT_Executable_Destroy "
      "PJRT_Executable_NumOutputs PJRT_LoadedExecutable_GetExecutable PJRT_LoadedExecutable_Execute "
      "PJRT_Buffer_ToHostBuffer ";
  for (size_t i = 2; i < sizeof calls / sizeof *calls; i++) {
    char how[128], spaced[128];
    snprintf(how, sizeof how, "fail=%s", calls[i]);
    snprintf(spaced, sizeof spaced, " %s ", calls[i]);
    const bool matters = strstr(needed, spaced) != NULL;
    break_plugin(how);
    ten_status *status = whole_life(fresh_device(""));
    if (!matters != !status) print_error("%s: %s\n", calls[i], status ? ten_status_text(status) : "no error");
    assert_int_equal(matters, status != NULL);
    if (status) {
      assert_non_null(strstr(ten_status_text(status), "injected failure (DATA_LOSS)"));
      assert_non_null(strstr(ten_status_text(status), "why: because."));
      assert_int_equal(ten_status_code(status), TEN_IO);
    }
    ten_status_free(status);
  }
  break_plugin("");
}

static void every_call_may_be_missing(void **state) {
  (void)state;
  static const char *const calls[] = {"Client_Create", "Client_Compile",      "LoadedExecutable_Execute",
                                      "Event_Await",   "Buffer_ToHostBuffer", "Client_BufferFromHostBuffer"};
  for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
    char how[128], want[128];
    snprintf(how, sizeof how, "missing=PJRT_%s", calls[i]);
    snprintf(want, sizeof want, "libtest_plugin.so: has no %s (it speaks PJRT 0.", calls[i]);
    break_plugin(how);
    ten_status *status = whole_life(fresh_device(""));
    assert_non_null(status);
    assert_non_null(strstr(ten_status_text(status), want));
    assert_int_equal(ten_status_code(status), TEN_UNSUPPORTED);
    ten_status_free(status);
  }
  static const char *const givers[] = {"Client_Create", "Client_Compile", "Client_BufferFromHostBuffer",
                                       "LoadedExecutable_Execute"};
  for (size_t i = 0; i < sizeof givers / sizeof *givers; i++) {
    char how[128];
    snprintf(how, sizeof how, "nothing=PJRT_%s", givers[i]);
    break_plugin(how);
    ten_status *status = whole_life(fresh_device(""));
    assert_non_null(status);
    assert_non_null(strstr(ten_status_text(status), givers[i]));
    assert_non_null(strstr(ten_status_text(status), " returned no"));
    ten_status_free(status);
  }
  break_plugin("");
}

static void starts_with(ten_status *status, const char *want) {
  assert_non_null(status);
  if (strncmp(ten_status_text(status), want, strlen(want))) print_error("%s\n", ten_status_text(status));
  assert_int_equal(strncmp(ten_status_text(status), want, strlen(want)), 0);
  ten_status_free(status);
}

/* What is wrong with the table as a whole. */
static void bad_tables_are_named(void **state) {
  (void)state;
  static const struct {
    const char *how, *text;
  } cases[] = {
      {"none", TEST_PLUGIN_PATH ": GetPjrtApi returned NULL\n"},
      {"new", TEST_PLUGIN_PATH " is too new: it speaks PJRT 1."},
      {"old", TEST_PLUGIN_PATH " is too old: it speaks PJRT 0.12; 0.40 is the least\n"},
      {"short", TEST_PLUGIN_PATH ": its table of calls has 200 bytes; PJRT 0."},
      {"tiny", TEST_PLUGIN_PATH ": its table of calls has 8 bytes, which is not a table of PJRT\n"},
      {"mute", TEST_PLUGIN_PATH ": its table of calls lacks the error functions\n"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    break_plugin(cases[i].how);
    starts_with(whole_life(fresh_device("")), cases[i].text);
  }
  break_plugin("");
}

static ten_status *on(const char *name) {
  const ten_backend *device;
  ten_status *status = ten_backend_open(name, &device);
  return status ? status : whole_life(device);
}

static void files_that_are_no_plugins(void **state) {
  (void)state;
  starts_with(on("pjrt:/no/such/plugin.so"), "there is no plugin at /no/such/plugin.so\n");
  starts_with(on("pjrt:" NOT_A_PLUGIN_PATH), NOT_A_PLUGIN_PATH " is not a PJRT plugin: it has no GetPjrtApi\n");
  char path[] = "/tmp/tenfold-plugin-XXXXXX";
  const int file = mkstemp(path);
  assert_true(file >= 0);
  assert_int_equal(write(file, "text", 4), 4);
  char name[64], want[96];
  snprintf(name, sizeof name, "pjrt:%s", path);
  snprintf(want, sizeof want, "%s is not a shared library\n", path);
  starts_with(on(name), want);
  /* An ELF file for a processor that this is not. */
  unsigned char head[64] = {0x7f, 'E', 'L', 'F', 2, 1, 1};
  head[16] = 3;
  head[18] = 243; /* riscv */
  assert_int_equal(pwrite(file, head, sizeof head, 0), (int)sizeof head);
  snprintf(want, sizeof want, "%s is built for riscv; this is ", path);
  starts_with(on(name), want);
  close(file);
  unlink(path);
}

static void bad_names(void **state) {
  (void)state;
  starts_with(on("pjrt:"), "no device 'pjrt:'");
  starts_with(on("pjrt:x.so?preallocate"),
              "'preallocate' is not an option of a plugin; options are given as NAME=VALUE");
  starts_with(on("pjrt:x.so?timeout=soon"), "timeout= takes a number of seconds above 0");
  starts_with(on("abacus"), "no device 'abacus'");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_plugin_runs_programs),
      cmocka_unit_test(kernels_come_back_as_they_went),
      cmocka_unit_test(a_later_plugin_runs_programs),
      cmocka_unit_test(events_may_come_late),
      cmocka_unit_test(every_call_may_fail),
      cmocka_unit_test(every_call_may_be_missing),
      cmocka_unit_test(bad_tables_are_named),
      cmocka_unit_test(files_that_are_no_plugins),
      cmocka_unit_test(bad_names),
  };
  return cmocka_run_group_tests(tests, load_plugin, NULL);
}
