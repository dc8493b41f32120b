/* target.h: `compile --target` and `show --stage hlo`: programs for other machines. */
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

/* Compiles the function and reports; writes --output if one target and a file are given. */
TEN_MUST_USE ten_status *cli_target_compile(const cli_target *values, const ten_module *module, const ten_op *func);
/* The report as JSON, with an op of the scheduled program in each row of "ops": [opcode, bytes, line]. */
TEN_MUST_USE ten_status *cli_target_json(const cli_target *values, const ten_module *module, const ten_op *func,
                                         json_t **out_json);
/* The program as the target's compiler scheduled it, on standard output. */
TEN_MUST_USE ten_status *cli_target_show(const cli_target *values, const ten_module *module, const ten_op *func);

#endif
