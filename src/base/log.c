/* log.c: levels and their names; the callback does the rest. */
#include "base/log.h"

#include <stdlib.h>
#include <string.h>

#include "base/environment.h"
#include "base/str.h"

static const char *const level_names[] = {
    [TEN_LOG_OFF] = "off",   [TEN_LOG_ERROR] = "error", [TEN_LOG_WARN] = "warn",
    [TEN_LOG_INFO] = "info", [TEN_LOG_DEBUG] = "debug",
};
enum { LEVEL_COUNT = sizeof level_names / sizeof *level_names };

void ten_log_write(const ten_log *log, ten_log_level level, const char *format, ...) {
  if (!ten_log_wants(log, level)) return;
  ten_buf text = {0};
  va_list args;
  va_start(args, format);
  ten_buf_vprintf(&text, format, args);
  va_end(args);
  log->sink(log->user, level, text.data);
  ten_buf_free(&text);
}

const char *ten_log_level_name(ten_log_level level) {
  return (unsigned)level < LEVEL_COUNT ? level_names[level] : "unknown";
}

ten_status *ten_log_level_parse(const char *text, ten_log_level *out_level) {
  for (int level = 0; level < LEVEL_COUNT; level++) {
    if (strcmp(text, level_names[level])) continue;
    *out_level = (ten_log_level)level;
    return NULL;
  }
  return ten_error(TEN_INVALID, "unknown log level '%s'; use off, error, warn, info or debug", text);
}

ten_status *ten_log_level_from_environment(ten_log_level otherwise, ten_log_level *out_level) {
  *out_level = otherwise;
  const char *text = ten_env_text(TEN_ENV_LOG);
  if (!text) return NULL;
  return ten_annotate(ten_log_level_parse(text, out_level), "reading TENFOLD_LOG");
}
