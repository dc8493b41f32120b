/* convert.c: `tenfold convert`: converts a program between file formats. */
#include <stdio.h>

#include "base/file.h"
#include "cli/commands.h"
#include "cli/load.h"
#include "cli/options.h"
#include "cli/output.h"
#include "ir/assert.h"
#include "ir/bytecode/bytecode.h"

typedef struct convert_values {
  cli_list libraries;
  const char *output, *to, *target_version;
  bool generic, locations;
} convert_values;

/* By --to, else by the extension; a device or standard output has none and gets text. */
static bool wants_bytecode(const convert_values *values, bool *out_known) {
  static const char *const endings[] = {".mlirbc", ".bc", ".stablehlo", ".vhlo"};
  const ten_str name = ten_str_of(values->output);
  *out_known = true;
  if (values->to) {
    *out_known = !strcmp(values->to, "bytecode") || !strcmp(values->to, "text");
    return !strcmp(values->to, "bytecode");
  }
  for (size_t i = 0; i < sizeof endings / sizeof *endings; i++)
    if (ten_str_ends(name, endings[i])) return true;
  *out_known = ten_str_ends(name, ".mlir") || ten_str_ends(name, ".txt") || ten_str_is(name, "-") ||
               cli_is_device(values->output) || values->target_version;
  return values->target_version != NULL;
}

static ten_status *convert(const char *path, const convert_values *values, bool bytecode, ten_vhlo_version version) {
  ten_module *module;
  TEN_TRY(cli_load(path, &module));
  ten_asserts_strip(module); /* other readers of StableHLO do not know them */
  ten_buf bytes = {0};
  ten_status *status = NULL;
  if (bytecode) {
    status = ten_bytecode_write(module, version, &bytes);
  } else {
    ten_text_print(&bytes, module, &(ten_print_options){.generic = values->generic, .locations = values->locations});
  }
  if (!status && !strcmp(values->output, "-")) {
    fwrite(bytes.data, 1, bytes.size, stdout);
  } else if (!status) {
    status = ten_file_write_atomic(values->output, bytes.data, bytes.size);
  }
  ten_buf_free(&bytes);
  ten_module_destroy(module);
  return status;
}

static int convert_checked(const cli_command *self, const cli_list *operands, const convert_values *values) {
  if (operands->count != 1) return cli_misuse(self, "takes one FILE");
  if (!values->output) return cli_misuse(self, "needs -o OUT ('-' is standard output)");
  bool known;
  const bool bytecode = wants_bytecode(values, &known);
  if (!known && !values->to)
    return cli_misuse(self,
                      "--output %s: the ending is none that is known; .mlirbc, .bc, .stablehlo and .vhlo are bytecode, "
                      ".mlir and .txt text (or --to says which)",
                      values->output);
  if (!known) return cli_misuse(self, "'--to' takes text or bytecode, not '%s'", values->to);
  ten_vhlo_version version = ten_vhlo_version_current;
  if (values->target_version) {
    if (!bytecode) return cli_misuse(self, "'--target-version' is for bytecode; text has no version");
    if (!ten_vhlo_version_parse(ten_str_of(values->target_version), &version))
      return cli_misuse(self, "'%s' is not a version; one looks like 1.0.0", values->target_version);
  }
  ten_status *status = convert(operands->data[0], values, bytecode, version);
  return status ? cli_fail(status) : CLI_OK;
}

static int convert_run(const cli_command *self, int argc, char **argv) {
  convert_values values = {0};
  cli_list operands;
  int code;
  if (cli_parse(self, argc, argv, &values, &operands, &code)) code = convert_checked(self, &operands, &values);
  cli_list_free(&operands);
  cli_list_free(&values.libraries);
  return code;
}

static const cli_option convert_options[] = {
    {"output", 'o', CLI_OUTPUT, "FILE", "where to write; '-' is standard output", offsetof(convert_values, output)},
    {"to", 0, CLI_TEXT, "FORM",
     "text or bytecode; otherwise the ending of OUT decides: .mlirbc, .bc, .stablehlo and .vhlo are bytecode, .mlir and .txt text",
     offsetof(convert_values, to)},
    {"target-version", 0, CLI_TEXT, "VERSION",
     "the StableHLO version the bytecode is for, 0.9.0 or later; what that version cannot say is refused by name",
     offsetof(convert_values, target_version)},
    {"generic", 0, CLI_FLAG, NULL, "text: every op in MLIR's generic form", offsetof(convert_values, generic)},
    {"locations", 0, CLI_FLAG, NULL, "text: say where each op came from", offsetof(convert_values, locations)},
    CLI_LIBRARY_OPTION(convert_values),
    {0},
};

const cli_command cli_convert = {
    .name = "convert",
    .summary = "turn a program from text into bytecode, or back",
    .operands = "FILE -o OUT [options]",
    .description =
        "Reads a program (MLIR text, MLIR bytecode or a PyTorch archive), verifies it and writes it in the "
        "other form. Bytecode is a portable artifact, readable by every StableHLO of the target version or later.",
    .options = convert_options,
    .examples = (const char *const[]){"convert model.mlir -o model.mlirbc --target-version 1.0.0",
                                      "convert model.mlirbc -o -", NULL},
    .run = convert_run,
};
