/* show.c: `tenfold show`: a program as text. */
#include <stdio.h>

#include "cli/commands.h"
#include "cli/load.h"
#include "cli/options.h"
#include "cli/output.h"

enum { SHORT_CONSTANT = 16 }; /* elements that --no-constants still prints: shapes and axes are worth reading */

typedef struct show_values {
  const char *stage;
  bool no_constants, generic, locations;
} show_values;

static int show(const cli_command *self, const char *path, const show_values *values) {
  if (values->stage && strcmp(values->stage, "input"))
    return cli_misuse(self, "no stage '%s'; there is: input", values->stage);
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
    {"stage", 0, CLI_TEXT, "STAGE", "what to show: input (the program as it was read; the default)",
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
