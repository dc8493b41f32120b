/* test_compile.c: PJRT_Client_Compile of our plugin with programs that are not valid: an error with a message, and a
 * client that compiles the next one. */
#include <dlfcn.h>
#include <string.h>

#include "backend/pjrt/abi.h"
#include "check.h"

typedef struct plugin {
  const PJRT_Api *api;
  PJRT_Client *client;
} plugin;

static int open_plugin(void **state) {
  static plugin p;
  void *library = dlopen(PLUGIN_PATH, RTLD_NOW | RTLD_LOCAL);
  if (!library) return print_error("%s\n", dlerror()), 1;
  const PJRT_Api *(*get)(void);
  *(void **)&get = dlsym(library, "GetPjrtApi");
  if (!get) return 1;
  p.api = get();
  PJRT_Client_Create_Args args = {.struct_size = sizeof args};
  if (p.api->PJRT_Client_Create_(&args)) return 1;
  p.client = args.client;
  *state = &p;
  return 0;
}

static int close_plugin(void **state) {
  plugin *p = *state;
  PJRT_Client_Destroy_Args args = {.struct_size = sizeof args, .client = p->client};
  return p->api->PJRT_Client_Destroy_(&args) != NULL;
}

static PJRT_Error *compile(const plugin *p, const char *text, size_t size, PJRT_LoadedExecutable **out) {
  PJRT_Program program = {.struct_size = sizeof program,
                          .code = (char *)(uintptr_t)text,
                          .code_size = size,
                          .format = "mlir",
                          .format_size = 4};
  PJRT_Client_Compile_Args args = {.struct_size = sizeof args, .client = p->client, .program = &program};
  PJRT_Error *error = p->api->PJRT_Client_Compile_(&args);
  *out = args.executable;
  return error;
}

static const char valid[] =
    "func.func @main(%a: tensor<4xf32>) -> tensor<4xf32> {\n"
    "  %0 = stablehlo.add %a, %a : tensor<4xf32>\n"
    "  return %0 : tensor<4xf32>\n"
    "}\n";

static void invalid_programs_are_refused(void **state) {
  plugin *p = *state;
  static const char *const programs[] = {
      "func.func @main(%a: tensor<4xf32>) -> tensor<512xf32> {\n"
      "  %0 = \"stablehlo.slice\"(%a) <{start_indices = array<i64: 0>, limit_indices = array<i64: 512>, strides = array<i64: "
      "1>}> : (tensor<4xf32>) -> tensor<512xf32>\n"
      "  return %0 : tensor<512xf32>\n"
      "}\n",
      "func.func @main(%a: tensor<9xf32>) -> tensor<4xf32> {\n"
      "  %0 = \"stablehlo.concatenate\"(%a, %a) <{dimension = 0 : i64}> : (tensor<9xf32>, tensor<9xf32>) -> tensor<4xf32>\n"
      "  return %0 : tensor<4xf32>\n"
      "}\n",
      "func.func @main(%a: tensor<4xf32>) -> tensor<900xf32> {\n  return %a : tensor<4xf32>\n}\n",
      "not a program",
      "",
      "ML\xefR\x0d and then nothing",
  };
  for (size_t i = 0; i < sizeof programs / sizeof *programs; i++) {
    PJRT_LoadedExecutable *made = NULL;
    PJRT_Error *error = compile(p, programs[i], strlen(programs[i]), &made);
    if (!error) fail_msg("program %zu is taken", i);
    assert_null(made);
    PJRT_Error_Message_Args message = {.struct_size = sizeof message, .error = error};
    p->api->PJRT_Error_Message_(&message);
    assert_true(message.message_size > 0);
    PJRT_Error_GetCode_Args code = {.struct_size = sizeof code, .error = error};
    assert_null(p->api->PJRT_Error_GetCode_(&code));
    assert_int_equal(code.code, PJRT_Error_Code_INVALID_ARGUMENT);
    PJRT_Error_Destroy_Args destroy = {.struct_size = sizeof destroy, .error = error};
    p->api->PJRT_Error_Destroy_(&destroy);
  }
  PJRT_LoadedExecutable *made = NULL;
  assert_null(compile(p, valid, strlen(valid), &made));
  assert_non_null(made);
  PJRT_LoadedExecutable_Destroy_Args destroy = {.struct_size = sizeof destroy, .executable = made};
  assert_null(p->api->PJRT_LoadedExecutable_Destroy_(&destroy));
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(invalid_programs_are_refused)};
  return cmocka_run_group_tests(tests, open_plugin, close_plugin);
}
