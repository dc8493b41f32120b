/* cache.c: `tenfold cache`: the cache of earlier compilations. */
#include <stdio.h>

#include "backend/cache.h"
#include "cli/commands.h"
#include "cli/options.h"
#include "cli/output.h"

typedef struct cache_values {
  bool clear;
} cache_values;

static int show_cache(void) {
  ten_buf dir = {0};
  if (!ten_cache_dir(&dir)) {
    puts("the cache is off");
    return CLI_OK;
  }
  ten_cache_usage usage;
  ten_status *status = ten_cache_measure(&usage);
  if (status) {
    ten_buf_free(&dir);
    return cli_fail(status);
  }
  printf("%s: %zu programs, %.1f MB of %.0f MB\n", dir.data, usage.entries, (double)usage.bytes / 1048576.0,
         (double)usage.limit / 1048576.0);
  ten_buf_free(&dir);
  return CLI_OK;
}

static int cache_run(const cli_command *self, int argc, char **argv) {
  cache_values values = {0};
  cli_list operands;
  int code;
  if (cli_parse(self, argc, argv, &values, &operands, &code)) {
    if (operands.count) {
      code = cli_misuse(self, "takes no operands");
    } else if (values.clear) {
      size_t removed;
      ten_status *status = ten_cache_clear(&removed);
      printf("removed %zu programs\n", removed);
      code = status ? cli_fail(status) : CLI_OK;
    } else {
      code = show_cache();
    }
  }
  cli_list_free(&operands);
  return code;
}

static const cli_option cache_options[] = {
    {"clear", 0, CLI_FLAG, NULL, "remove every stored program", offsetof(cache_values, clear)},
    {0},
};

const cli_command cli_cache = {
    .name = "cache",
    .summary = "show or empty the cache of compiled programs",
    .operands = "[--clear]",
    .description =
        "Programs that take a while to compile are stored under $XDG_CACHE_HOME/tenfold (or ~/.cache/tenfold). TENFOLD_CACHE=off turns that off, "
        "TENFOLD_CACHE_DIR names another place, TENFOLD_CACHE_MB bounds its size (1024). Entries are code: a directory that another user owns, or "
        "that others may write to, is not used, and this command then fails with the reason. --clear removes the cache's own files and nothing else.",
    .options = cache_options,
    .examples = (const char *const[]){"cache", "cache --clear", NULL},
    .run = cache_run,
};
