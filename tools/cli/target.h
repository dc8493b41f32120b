/* target.h: `compile --target` and `show --stage hlo`: programs for machines that are not here. */
#ifndef TEN_CLI_TARGET_H
#define TEN_CLI_TARGET_H

#include <jansson.h>

#include "ir/module.h"

typedef struct cli_target {
  const char *target;  /* "tpu:v5e:2x2", or several with commas (compare) */
  const char *compare; /* the same, NULL: one target */
  const char *mesh, *precision, *output, *hlo;
  bool no_isolate, force, json, quiet;
} cli_target;

/* Compiles the function and says what came of it; writes --output where one target and a file are named. */
TEN_MUST_USE ten_status *cli_target_compile(const cli_target *values, const ten_module *module, const ten_op *func);
/* What came of it as JSON, with an op of the scheduled program in each row of "ops": [opcode, bytes, line]. */
TEN_MUST_USE ten_status *cli_target_json(const cli_target *values, const ten_module *module, const ten_op *func,
                                         json_t **out_json);
/* The program as the target's compiler scheduled it, on standard output. */
TEN_MUST_USE ten_status *cli_target_show(const cli_target *values, const ten_module *module, const ten_op *func);

#endif
