/* environment.h: the environment variables, in one table (environment.def): `tenfold help environment` prints it,
 * `tenfold doctor` checks values against it, and ten_env_check reports invalid values. Variables are read when
 * something is compiled or opened, not in a call. */
#ifndef TEN_BASE_ENVIRONMENT_H
#define TEN_BASE_ENVIRONMENT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/str.h"
#include "tenfold/status.h"

typedef enum ten_env {
#define ENV(id, ...) TEN_ENV_##id,
#include "base/environment.def"
#undef ENV
  TEN_ENV_COUNT
} ten_env;

typedef enum ten_env_kind {
  TEN_ENV_NUMBER,
  TEN_ENV_SWITCH,
  TEN_ENV_CHOICE,
  TEN_ENV_FILE,
  TEN_ENV_FOLDER,
  TEN_ENV_TEXT
} ten_env_kind;

typedef struct ten_env_row {
  const char *name;
  ten_env_kind kind;
  int64_t least, most; /* of a number */
  const char *values;  /* in words; of a choice, with | between; or NULL */
  const char *help;
} ten_env_row;
extern const ten_env_row ten_env_rows[TEN_ENV_COUNT];

/* The value, or NULL when it is unset or empty. */
const char *ten_env_text(ten_env variable);
/* `otherwise` when it is unset or invalid (ten_env_check reports that). */
int64_t ten_env_number(ten_env variable, int64_t otherwise);
bool ten_env_switch(ten_env variable, bool otherwise);

/* Appends the allowed values: "1 to 4096", "on or off". */
void ten_env_describe(ten_env variable, ten_buf *out);
/* Whether the value, if set, is allowed. Only this checks that files exist, not ten_env_check: a missing file is an
 * error where it is used. */
TEN_MUST_USE ten_status *ten_env_check_one(ten_env variable);
/* An error for the first variable with an invalid value. */
TEN_MUST_USE ten_status *ten_env_check(void);

#endif
