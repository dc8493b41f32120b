/* show.c: `tenfold show`: prints a program as text. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/commands.h"
#include "cli/load.h"
#include "cli/names.h"
#include "cli/options.h"
#include "cli/output.h"
#include "cli/target.h"
#include "cli/training.h"
#include "driver/devices.h"
#include "front/import/load.h"

/* Larger constants are elided: by default those that would be printed as hexadecimal digits, with --no-constants all
 * but shapes and axes. */
enum { LONG_CONSTANT = 100, SHORT_CONSTANT = 16 };

typedef struct show_values {
  cli_list libraries;
  const char *stage;
  bool no_constants, full, generic, locations, train, verify_each;
  cli_target target;
  cli_training training;
} show_values;

/* The number of constants elided from the text, and their total elements. */
static void count_elided(const char *text, size_t *constants, size_t *elements) {
  static const char mark[] = "dense_resource<__elided__> : tensor<";
  while ((text = strstr(text, mark))) {
    text += sizeof mark - 1;
    size_t count = 1;
    for (char *end; *text >= '0' && *text <= '9'; text = end + (*end == 'x')) count *= strtoull(text, &end, 10);
    ++*constants;
    *elements += count;
  }
}

static void print_module(const ten_module *module, const show_values *values) {
  const ten_print_options options = {
      .generic = values->generic,
      .locations = values->locations,
      .elide_above = values->full           ? 0
                     : values->no_constants ? SHORT_CONSTANT
                                            : LONG_CONSTANT,
  };
  ten_buf text = {0};
  ten_text_print(&text, module, &options);
  fwrite(text.data, 1, text.size, stdout);
  size_t constants = 0, elements = 0;
  count_elided(text.data, &constants, &elements);
  if (constants && !values->no_constants)
    fprintf(stderr,
            "tenfold: the data of %zu constant%s (%zu elements) is left out, so this text cannot be run; --full "
            "prints it\n",
            constants, constants == 1 ? "" : "s", elements);
  ten_buf_free(&text);
}

/* The program, or its training step with --train. `out_open` (NULL, or freed by the caller): its open dimensions. */
static ten_status *load_one(const char *path, const show_values *values, ten_module **out_module, ten_op **out_func,
                            ten_buf *out_open) {
  if (values->train) {
    ten_recipe recipe;
    TEN_TRY(cli_training_recipe(&values->training, &recipe));
    recipe.keep = values->target.target != NULL;
    recipe.whole = recipe.keep && !values->target.mesh;
    TEN_TRY(ten_recipe_load(&recipe, path, out_module));
  } else {
    ten_buf unused = {0};
    ten_status *status =
        cli_load_shaped(path, NULL, &(cli_shapes){.by_symbol = true}, out_module, out_open ? out_open : &unused);
    ten_buf_free(&unused);
    if (status) return status;
  }
  ten_status *status = cli_entry(*out_module, values->train ? "step" : NULL, out_func);
  if (status) ten_module_destroy(*out_module);
  return status;
}

static ten_status *show_step(const char *path, const show_values *values) {
  ten_module *module;
  ten_op *func;
  TEN_TRY(load_one(path, values, &module, &func, NULL));
  print_module(module, values);
  ten_module_destroy(module);
  return NULL;
}

static ten_status *show_stablehlo(const char *path, const show_values *values) {
  if (values->train) return show_step(path, values);
  ten_module_list list;
  TEN_TRY(cli_load_all(path, &list));
  for (size_t i = 0; i < list.count; i++) {
    if (i) fputs("\n// -----\n\n", stdout);
    print_module(list.items[i], values);
  }
  ten_module_list_free(&list);
  return NULL;
}

static ten_status *show_aten(const char *path, const show_values *values) {
  ten_import program;
  TEN_TRY(ten_import_load(path, &program));
  ten_status *status = NULL;
  if (program.aten) {
    print_module(program.aten, values);
  } else {
    status = ten_error(TEN_INVALID, "%s: is StableHLO already; only a PyTorch archive has an ATen stage", path);
  }
  ten_import_destroy(&program);
  return status;
}

/* cuda:sm_90a is 90. */
static ten_status *read_capability(const char *target, int *out) {
  int used = 0;
  if (sscanf(target, "cuda:sm_%3d%n", out, &used) != 1 || *out < 50 || (target[used] && strcmp(target + used, "a")))
    return ten_error(TEN_INVALID, "unknown target '%s'; of --stage cuda it is cuda:sm_80 or cuda:sm_90a, say", target);
  return NULL;
}

/* What a backend makes of the program on the way to code. */
static ten_status *show_backend(const char *path, const ten_backend *backend, const char *stage,
                                const show_values *values) {
  ten_module *module;
  ten_op *func;
  ten_settings settings = {0};
  TEN_TRY(ten_settings_parse(values->target.precision, false, &settings));
  settings.verify_each = values->verify_each;
  if (values->target.target) TEN_TRY(read_capability(values->target.target, &settings.capability));
  ten_buf text = {0};
  ten_status *status = load_one(path, values, &module, &func, strcmp(stage, "plan") ? NULL : &text);
  if (status) {
    ten_buf_free(&text);
    return status;
  }
  status = ten_backend_show(backend, module, func, &settings, stage, &text);
  if (!status) fwrite(text.data, 1, text.size, stdout);
  ten_buf_free(&text);
  ten_module_destroy(module);
  return status;
}

/* The output of another machine's compiler. */
static ten_status *show_target(const char *path, const show_values *values) {
  ten_module *module;
  ten_op *func;
  TEN_TRY(load_one(path, values, &module, &func, NULL));
  ten_status *status = cli_target_show(&values->target, module, func);
  ten_module_destroy(module);
  return status;
}

/* A compiled file has no stages, only its signature. */
static ten_status *show_compiled(const char *path) {
  ten_executable *executable;
  TEN_TRY(ten_compiled_file_open(path, NULL, &executable));
  ten_buf text = {0};
  ten_buf_printf(&text, "compiled for %s\n", executable->backend->name);
  cli_signature_print(&text, executable->func);
  fwrite(text.data, 1, text.size, stdout);
  ten_buf_free(&text);
  ten_executable_release(executable);
  return NULL;
}

static int show(const cli_command *self, const char *path, const show_values *values) {
  static const char *const cpu_stages[] = {"passes", "choice", "fused", "plan", "llvm", "asm"};
  const char *stage = values->stage ? values->stage : "stablehlo";
  ten_status *status = NULL;
  bool known = true;
  const char *training = cli_training_given(&values->training);
  if (values->full && values->no_constants) return cli_misuse(self, "--full and --no-constants exclude each other");
  if (training && !values->train) return cli_misuse(self, "'--%s' goes with '--train'", training);
  if (ten_backend_of_file(path)) {
    if (values->stage) return cli_misuse(self, "%s is compiled: '--stage' shows programs that are not", path);
    status = show_compiled(path);
  } else if (!strcmp(stage, "aten")) {
    status = show_aten(path, values);
  } else if (!strcmp(stage, "stablehlo")) {
    status = show_stablehlo(path, values);
  } else if (!strcmp(stage, "hlo")) {
    if (!values->target.target) return cli_misuse(self, "'--stage hlo' needs --target, tpu:v5e:2x2 say");
    status = show_target(path, values);
  } else if (!strcmp(stage, "cuda") || !strcmp(stage, "opencl") || !strcmp(stage, "hip") || !strcmp(stage, "webgpu")) {
    status = show_backend(path, ten_backend_find(ten_str_of(stage)), "kernels", values);
  } else {
    known = false;
    for (size_t i = 0; i < sizeof cpu_stages / sizeof *cpu_stages; i++) known |= !strcmp(stage, cpu_stages[i]);
    if (known) status = show_backend(path, ten_backend_default(), stage, values);
  }
  if (!known)
    return cli_misuse(self,
                      "unknown stage '%s'; use aten, stablehlo, passes, choice, fused, plan, llvm, asm, cuda, "
                      "opencl, hip, webgpu, hlo",
                      stage);
  return status ? cli_fail(status) : CLI_OK;
}

static int show_run(const cli_command *self, int argc, char **argv) {
  show_values values = {0};
  cli_list operands;
  int code;
  if (cli_parse(self, argc, argv, &values, &operands, &code))
    code = operands.count == 1 ? show(self, operands.data[0], &values) : cli_misuse(self, "takes one FILE");
  cli_list_free(&operands);
  cli_list_free(&values.libraries);
  return code;
}

static const cli_option show_options[] = {
    {"stage", 0, CLI_TEXT, "STAGE",
     "what to show: aten (a PyTorch archive as it was exported), stablehlo (the default); or what the cpu backend makes of it: "
     "passes, choice, fused, plan, llvm, asm; or the kernels of a GPU: cuda, opencl, hip, webgpu; or, with --target, hlo: as that machine's compiler scheduled it",
     offsetof(show_values, stage)},
    {"target", 0, CLI_TEXT, "TARGET",
     "of --stage hlo: tpu:v5e:2x2, as `compile` takes it; of --stage cuda: cuda:sm_90a (the GPU here, or else sm_80)",
     offsetof(show_values, target.target)},
    {"mesh", 0, CLI_TEXT, "data=N,model=M", "of --stage hlo: spread over N × M devices",
     offsetof(show_values, target.mesh)},
    {"precision", 0, CLI_TEXT, "f32|bf16|tf32", "of --stage hlo and cuda: as `compile` and `run` take it",
     offsetof(show_values, target.precision)},
    {"verify-each", 0, CLI_FLAG, NULL, "verify the program between all passes of the CPU",
     offsetof(show_values, verify_each)},
    {"train", 0, CLI_FLAG, NULL, "the training step that `compile --train` makes of it", offsetof(show_values, train)},
    CLI_TRAINING_OPTIONS(show_values),
    {"full", 0, CLI_FLAG, NULL, "print the data of all constants; otherwise that of more than 100 elements is left out",
     offsetof(show_values, full)},
    {"no-constants", 0, CLI_FLAG, NULL, "leave out the data of constants of more than 16 elements",
     offsetof(show_values, no_constants)},
    {"generic", 0, CLI_FLAG, NULL, "every op in MLIR's generic form", offsetof(show_values, generic)},
    {"locations", 0, CLI_FLAG, NULL, "say where each op came from", offsetof(show_values, locations)},
    CLI_LIBRARY_OPTION(show_values),
    {0},
};

const cli_command cli_show = {
    .name = "show",
    .summary = "print a program as text",
    .operands = "FILE [options]",
    .description =
        "Reads a program (MLIR text, MLIR bytecode or a PyTorch archive; '-' is standard input), verifies it and prints it as upstream "
        "StableHLO would.",
    .options = show_options,
    .examples = (const char *const[]){"show examples/mlp.mlir", "show --no-constants model.mlirbc", NULL},
    .run = show_run,
};
