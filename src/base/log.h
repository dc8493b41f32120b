/* log.h: log messages. A log is a level and a callback, passed down from the code that created it; a NULL log is
 * silent. The library writes nowhere else. */
#ifndef TEN_BASE_LOG_H
#define TEN_BASE_LOG_H

#include <stdbool.h>

#include "tenfold/status.h"

typedef enum ten_log_level {
  TEN_LOG_OFF,
  TEN_LOG_ERROR, /* an error that no status reports, for instance on another thread */
  TEN_LOG_WARN,  /* it works, but degraded: a fallback, a slow path, a cache that cannot be written */
  TEN_LOG_INFO,  /* milestones that a user wants to see once: compiled in 40 ms, 12 kernels */
  TEN_LOG_DEBUG
} ten_log_level;

/* `text` is one message without a newline. May be called from several threads concurrently. */
typedef void (*ten_log_sink)(void *user, ten_log_level level, const char *text);

typedef struct ten_log {
  ten_log_level level; /* the most verbose level that passes */
  ten_log_sink sink;   /* borrowed, with `user` */
  void *user;
} ten_log;

static inline bool ten_log_wants(const ten_log *log, ten_log_level level) {
  return log && log->sink && level <= log->level;
}
void ten_log_write(const ten_log *log, ten_log_level level, const char *format, ...) TEN_PRINTF(3, 4);

/* The arguments are not evaluated when the level is off. */
#define ten_log_at(log, at_level, ...)                                                   \
  do {                                                                                   \
    if (ten_log_wants((log), (at_level))) ten_log_write((log), (at_level), __VA_ARGS__); \
  } while (0)
#define ten_log_error(log, ...) ten_log_at((log), TEN_LOG_ERROR, __VA_ARGS__)
#define ten_log_warn(log, ...) ten_log_at((log), TEN_LOG_WARN, __VA_ARGS__)
#define ten_log_info(log, ...) ten_log_at((log), TEN_LOG_INFO, __VA_ARGS__)
#define ten_log_debug(log, ...) ten_log_at((log), TEN_LOG_DEBUG, __VA_ARGS__)

const char *ten_log_level_name(ten_log_level level);
/* Reads "off", "error", "warn", "info" or "debug". */
TEN_MUST_USE ten_status *ten_log_level_parse(const char *text, ten_log_level *out_level);
/* The level of TENFOLD_LOG, or `otherwise` when it is unset. */
TEN_MUST_USE ten_status *ten_log_level_from_environment(ten_log_level otherwise, ten_log_level *out_level);

#endif
