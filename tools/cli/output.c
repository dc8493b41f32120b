/* output.c: messages and JSON of the command. */
#include "cli/output.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/str.h"
#include "cli/progress.h"

enum { LINE_MOST = 400 }; /* a longer line is a constant's data: a caret under it does not help */

/* Shows line `line` of `path` with a caret under `column`; prints nothing when the file cannot be read again. */
static void show_place(const char *path, unsigned line, unsigned column) {
  FILE *file = fopen(path, "rb");
  if (!file) return;
  ten_buf text = {0};
  unsigned at = 1;
  for (int c; at <= line && (c = fgetc(file)) != EOF;) {
    if (c == '\n') {
      at++;
    } else if (at == line) {
      ten_buf_addc(&text, (char)c);
    }
  }
  fclose(file);
  if (text.size && text.size <= LINE_MOST && column <= text.size + 1) {
    fprintf(stderr, "  %s\n", text.data);
    if (column) {
      /* Tabs are kept and continuation bytes of UTF-8 take no column, so the caret is under its character. */
      fputs("  ", stderr);
      for (unsigned i = 0; i + 1 < column; i++) {
        if (text.data[i] == '\t') {
          fputc('\t', stderr);
        } else if (((unsigned char)text.data[i] & 0xC0) != 0x80) {
          fputc(' ', stderr);
        }
      }
      fputs("^\n", stderr);
    }
  }
  ten_buf_free(&text);
}

int cli_fail(ten_status *status) {
  cli_progress_stop();
  unsigned line = 0, column = 0;
  const char *place = ten_status_place(status, &line, &column);
  const int code = ten_status_code(status) == TEN_NOT_FOUND ? CLI_MISUSE : CLI_NO;
  fflush(stdout);
  fprintf(stderr, "tenfold: %s\n", ten_status_text(status));
  /* A message of several lines already shows its source. */
  if (place && line && !strchr(ten_status_message(status), '\n')) show_place(place, line, column);
  ten_status_free(status);
  return code;
}

/* One write per call: lines of several threads do not mix. */
static void log_line(void *user, ten_log_level level, const char *text) {
  fprintf(user, "tenfold: %s: %s\n", ten_log_level_name(level), text);
}

ten_status *cli_log_open(ten_log *out_log) {
  *out_log = (ten_log){.sink = log_line, .user = stderr};
  return ten_log_level_from_environment(TEN_LOG_WARN, &out_log->level);
}

bool cli_is_device(const char *path) {
  struct stat info;
  return !stat(path, &info) && !S_ISREG(info.st_mode) && !S_ISDIR(info.st_mode);
}

json_t *cli_json_text(ten_str text) {
  ten_buf valid = {0};
  ten_buf_add_utf8(&valid, text);
  json_t *made = json_stringn(valid.data ? valid.data : "", valid.size);
  ten_buf_free(&valid);
  return made;
}

void cli_json_print(json_t *root) {
  json_dumpf(root, stdout, isatty(STDOUT_FILENO) ? JSON_INDENT(2) | JSON_REAL_PRECISION(9) : JSON_REAL_PRECISION(9));
  fputc('\n', stdout);
  json_decref(root);
}
