/* version.c: `tenfold version`. */
#include <stdio.h>

#include "cli/commands.h"
#include "cli/options.h"
#include "cli/output.h"
#include "tenfold/version.h"

typedef struct version_values {
  bool json;
} version_values;

static int version_run(const cli_command *self, int argc, char **argv) {
  version_values values = {0};
  cli_list operands;
  int code;
  if (cli_parse(self, argc, argv, &values, &operands, &code)) {
    if (operands.count) {
      code = cli_misuse(self, "takes no operands");
    } else if (values.json) {
      cli_json_print(json_pack("{s:s, s:s}", "tenfold", TENFOLD_VERSION, "stablehlo", TENFOLD_STABLEHLO_VERSION));
    } else {
      printf("tenfold %s (StableHLO %s)\n", TENFOLD_VERSION, TENFOLD_STABLEHLO_VERSION);
    }
  }
  cli_list_free(&operands);
  return code;
}

static const cli_option version_options[] = {
    {"json", 0, CLI_FLAG, NULL, "as JSON", offsetof(version_values, json)},
    {0},
};

const cli_command cli_version = {
    .name = "version",
    .summary = "print the version",
    .operands = "[--json]",
    .description = "Prints Tenfold's version and the newest StableHLO version it reads and writes.",
    .options = version_options,
    .run = version_run,
};
