/* roundtrip.c: parse → print → parse must give an equal module; for the tests and for looking at things.
 *   roundtrip [--print] [--generic] [--testing] [--loc] [--time] FILE…
 * Prints one line a failure; exits 1 when there was any. --print writes what was printed, --testing with check ops in
 * generic form. */
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>

#include "ir/text/text.h"

static char *read_all(const char *path, size_t *size) {
  FILE *file = fopen(path, "rb");
  if (!file) return NULL;
  fseek(file, 0, SEEK_END);
  *size = (size_t)ftell(file);
  rewind(file);
  char *text = malloc(*size + 1);
  const size_t got = fread(text, 1, *size, file);
  fclose(file);
  if (got == *size) return text;
  free(text);
  return NULL;
}

static int complain(const char *path, ten_status *status, const char *when) {
  printf("%s: %s: %s\n", path, when, ten_status_text(status));
  ten_status_free(status);
  return 1;
}

static int check_one(const char *path, const ten_module *module, const ten_print_options *options, int show) {
  ten_buf text = {0};
  ten_module *again = NULL;
  ten_text_print(&text, module, options);
  if (show) fputs(text.data, stdout);
  ten_status *status = ten_text_parse(text.data, text.size, "printed", &again);
  int failed = 0;
  if (status) {
    failed = complain(path, status, "what was printed does not parse");
  } else {
    ten_buf why = {0};
    if (!ten_module_explain(module, again, &why)) failed = printf("%s: differs: %s\n", path, why.data) > 0;
    ten_buf_free(&why);
    ten_module_destroy(again);
  }
  ten_buf_free(&text);
  return failed;
}

int main(int argc, char **argv) {
  ten_print_options options = {0};
  int show = 0, timed = 0, failed = 0, count = 0;
  for (int i = 1; i < argc; i++) {
    if (!strcmp(argv[i], "--print"))
      show = 1;
    else if (!strcmp(argv[i], "--generic"))
      options.generic = true;
    else if (!strcmp(argv[i], "--testing"))
      options.generic_testing = true;
    else if (!strcmp(argv[i], "--loc"))
      options.locations = true;
    else if (!strcmp(argv[i], "--time"))
      timed = 1;
    if (argv[i][0] == '-') continue;
    size_t size = 0;
    char *text = read_all(argv[i], &size);
    if (!text) return fprintf(stderr, "cannot read %s\n", argv[i]), 2;
    ten_module_list list = {0};
    struct timespec start, stop;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &start);
    ten_status *status = ten_text_parse_all(text, size, argv[i], &list);
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &stop);
    if (timed) {
      const double seconds = (double)(stop.tv_sec - start.tv_sec) + 1e-9 * (double)(stop.tv_nsec - start.tv_nsec);
      struct rusage usage;
      getrusage(RUSAGE_SELF, &usage);
      size_t reserved = 0;
      for (size_t m = 0; m < list.count; m++) reserved += list.items[m]->arena.reserved;
      printf("%s: %.2f MB, %.1f ms, %.0f MB/s, arena %.2f MB, peak %ld KB\n", argv[i], (double)size / 1e6,
             seconds * 1e3, (double)size / 1e6 / seconds, (double)reserved / 1e6, usage.ru_maxrss);
    }
    if (status) failed += complain(argv[i], status, "does not parse");
    for (size_t m = 0; m < list.count; m++) {
      if (show && m) printf("// -----\n");
      failed += check_one(argv[i], list.items[m], &options, show);
      count++;
    }
    ten_module_list_free(&list);
    free(text);
  }
  if (!show) printf("%d modules, %d failed\n", count, failed);
  return failed ? 1 : 0;
}
