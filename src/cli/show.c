/* show.c: `tenfold show`: a program as text. */
#include <stdio.h>

#include "cli/commands.h"
#include "cli/load.h"
#include "cli/options.h"
#include "cli/output.h"
#include "cpu/stages.h"
#include "import/load.h"

enum { SHORT_CONSTANT = 16 }; /* elements that --no-constants still prints: shapes and axes are worth reading */

typedef struct show_values {
  const char *stage;
  bool no_constants, generic, locations;
} show_values;

/* The ATen ops of an archive, sizes that are not fixed shown as `?`. */
static int show_aten(const char *path, const show_values *values) {
  ten_program program;
  ten_status *status = ten_program_load(path, &program);
  if (!status && !program.aten) status = ten_error(TEN_INVALID, "%s: not a PyTorch archive: it has no stage 'aten'", path);
  if (!status) {
    const ten_print_options options = {
        .generic = values->generic, .locations = values->locations, .elide_above = values->no_constants ? SHORT_CONSTANT : 0};
    ten_buf text = {0};
    ten_text_print(&text, program.aten, &options);
    fwrite(text.data, 1, text.size, stdout);
    ten_buf_free(&text);
  }
  ten_program_destroy(&program);
  return status ? cli_fail(status) : CLI_OK;
}

/* What the cpu backend makes of the program on the way to code. */
static ten_status *show_stage(const char *path, const char *stage) {
  ten_module *module;
  TEN_TRY(cli_load(path, &module));
  ten_op *func;
  ten_buf text = {0};
  ten_status *status = cli_entry(module, NULL, &func);
  if (!status) status = ten_cpu_show(module, func, stage, &text);
  if (!status) fwrite(text.data, 1, text.size, stdout);
  ten_buf_free(&text);
  ten_module_destroy(module);
  return status;
}

static int show(const cli_command *self, const char *path, const show_values *values) {
  if (values->stage && !strcmp(values->stage, "aten")) return show_aten(path, values);
  if (values->stage && strcmp(values->stage, "input") && strcmp(values->stage, "stablehlo")) {
    static const char *const stages[] = {"passes", "fused", "plan", "llvm", "asm"};
    for (size_t i = 0; i < sizeof stages / sizeof *stages; i++)
      if (!strcmp(values->stage, stages[i])) {
        ten_status *status = show_stage(path, values->stage);
        return status ? cli_fail(status) : CLI_OK;
      }
    return cli_misuse(self, "no stage '%s'; there are: input, aten, stablehlo, passes, fused, plan, llvm, asm", values->stage);
  }
  ten_module_list list;
  ten_status *status = cli_load_all(path, &list);
  if (status) return cli_fail(status);
  const ten_print_options options = {
      .generic = values->generic,
      .locations = values->locations,
      .elide_above = values->no_constants ? SHORT_CONSTANT : 0,
  };
  for (size_t i = 0; i < list.count; i++) {
    ten_buf text = {0};
    if (i) ten_buf_adds(&text, "\n// -----\n\n");
    ten_text_print(&text, list.items[i], &options);
    fwrite(text.data, 1, text.size, stdout);
    ten_buf_free(&text);
  }
  ten_module_list_free(&list);
  return CLI_OK;
}

static int show_run(const cli_command *self, int argc, char **argv) {
  show_values values = {0};
  cli_list operands;
  int code;
  if (cli_parse(self, argc, argv, &values, &operands, &code))
    code = operands.count == 1 ? show(self, operands.data[0], &values) : cli_misuse(self, "takes one FILE");
  cli_list_free(&operands);
  return code;
}

static const cli_option show_options[] = {
    {"stage", 0, CLI_TEXT, "STAGE",
     "input (the program as it was read, an archive as stablehlo; the default), aten (of an archive), passes, fused, plan, llvm, asm: "
     "stages of the cpu backend",
     offsetof(show_values, stage)},
    {"no-constants", 0, CLI_FLAG, NULL, "leave out the data of constants of more than 16 elements",
     offsetof(show_values, no_constants)},
    {"generic", 0, CLI_FLAG, NULL, "every op in MLIR's generic form", offsetof(show_values, generic)},
    {"locations", 0, CLI_FLAG, NULL, "say where each op came from", offsetof(show_values, locations)},
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
