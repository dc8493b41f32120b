/* environment.c: reads environment variables and checks them against their table. */
#include "base/environment.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

const ten_env_row ten_env_rows[TEN_ENV_COUNT] = {
#define ENV(id, name, kind, least, most, values, help) {name, TEN_ENV_##kind, least, most, values, help},
#include "base/environment.def"
#undef ENV
};

const char *ten_env_text(ten_env variable) {
  const char *text = getenv(ten_env_rows[variable].name);
  return text && *text ? text : NULL;
}

static bool read_number(const ten_env_row *row, const char *text, int64_t *out) {
  char *end;
  errno = 0;
  const long long value = strtoll(text, &end, 10);
  if (errno || end == text || *end || value < row->least || value > row->most) return false;
  *out = value;
  return true;
}

static bool read_switch(const char *text, bool *out) {
  const bool on = !strcmp(text, "on") || !strcmp(text, "1"), off = !strcmp(text, "off") || !strcmp(text, "0");
  if (on || off) *out = on;
  return on || off;
}

int64_t ten_env_number(ten_env variable, int64_t otherwise) {
  const char *text = ten_env_text(variable);
  int64_t value;
  return text && read_number(&ten_env_rows[variable], text, &value) ? value : otherwise;
}

bool ten_env_switch(ten_env variable, bool otherwise) {
  const char *text = ten_env_text(variable);
  bool value;
  return text && read_switch(text, &value) ? value : otherwise;
}

static bool is_choice(const char *values, const char *text) {
  const size_t size = strlen(text);
  for (const char *at = values;; at++) {
    const size_t word = strcspn(at, "|");
    if (word == size && !memcmp(at, text, size)) return true;
    at += word;
    if (!*at) return false;
  }
}

void ten_env_describe(ten_env variable, ten_buf *out) {
  const ten_env_row *row = &ten_env_rows[variable];
  switch (row->kind) {
    case TEN_ENV_NUMBER:
      ten_buf_printf(out, row->most >= 1 << 30 ? "%lld or more" : "%lld to %lld", (long long)row->least,
                     (long long)row->most);
      return;
    case TEN_ENV_SWITCH: ten_buf_adds(out, "on or off"); return;
    case TEN_ENV_FILE: ten_buf_adds(out, "a file"); return;
    case TEN_ENV_FOLDER: ten_buf_adds(out, "a folder"); return;
    case TEN_ENV_TEXT: ten_buf_adds(out, row->values); return;
    case TEN_ENV_CHOICE: break;
  }
  for (const char *at = row->values; *at; at++) {
    const size_t word = strcspn(at, "|");
    const bool last = !at[word];
    if (at != row->values) ten_buf_adds(out, last ? " or " : ", ");
    ten_buf_add(out, at, word);
    at += word;
    if (last) return;
  }
}

static ten_status *wrong(ten_env variable, const char *text) {
  ten_buf values = {0};
  ten_env_describe(variable, &values);
  ten_status *status = ten_error(TEN_INVALID, "the environment variable %s is '%s'; it takes %s",
                                 ten_env_rows[variable].name, text, values.data);
  ten_buf_free(&values);
  return status;
}

static ten_status *check_value(ten_env variable) {
  const ten_env_row *row = &ten_env_rows[variable];
  const char *text = ten_env_text(variable);
  int64_t number;
  bool on;
  if (!text) return NULL;
  if (row->kind == TEN_ENV_NUMBER && !read_number(row, text, &number)) return wrong(variable, text);
  if (row->kind == TEN_ENV_SWITCH && !read_switch(text, &on)) return wrong(variable, text);
  if (row->kind == TEN_ENV_CHOICE && !is_choice(row->values, text)) return wrong(variable, text);
  return NULL;
}

ten_status *ten_env_check_one(ten_env variable) {
  TEN_TRY(check_value(variable));
  const ten_env_row *row = &ten_env_rows[variable];
  const char *text = ten_env_text(variable);
  struct stat info;
  if (!text || (row->kind != TEN_ENV_FILE && row->kind != TEN_ENV_FOLDER)) return NULL;
  if (stat(text, &info) || access(text, R_OK))
    return ten_error(TEN_NOT_FOUND, "the environment variable %s is '%s': %s", row->name, text, strerror(errno));
  return S_ISDIR(info.st_mode) == (row->kind == TEN_ENV_FOLDER) ? NULL : wrong(variable, text);
}

ten_status *ten_env_check(void) {
  for (ten_env variable = 0; variable < TEN_ENV_COUNT; variable++) TEN_TRY(check_value(variable));
  return NULL;
}
