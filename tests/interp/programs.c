/* programs.c: runs every program of the files and folders it is given on the interpreter and holds it to its check.*
 * ops. One line for each program that fails; exit status 1 when one did. `--each` says how long each file took. */
#include <fts.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/file.h"
#include "driver/devices.h"
#include "ir/text/text.h"

static size_t passed, failed, idle;

static void fail(const char *path, size_t part, const char *text) {
  failed++;
  printf("FAIL %s part %zu: %s\n", path, part, text);
}

static void run_function(const char *path, size_t part, ten_module *module, const ten_op *func) {
  ten_executable *executable;
  ten_checks checks;
  ten_checks_init(&checks);
  ten_tensor **results = NULL;
  ten_status *status = ten_compile(ten_backend_find(TEN_STR("interp")), module, func, NULL, &executable);
  if (!status) {
    results = ten_alloc((executable->output_count + 1) * sizeof *results);
    status = ten_execute(executable, NULL, 0, &(ten_run_options){.checks = &checks}, results);
    if (!status) ten_tensors_release(results, executable->output_count);
  }
  if (status)
    fail(path, part, ten_status_text(status));
  else if (checks.failures.count)
    fail(path, part, ten_status_text(checks.failures.data[0]));
  else
    passed++;
  ten_status_free(status);
  ten_executable_release(executable);
  free(results);
  ten_checks_destroy(&checks);
}

static void run_module(const char *path, size_t part, ten_module *module) {
  const ten_op *entry = ten_module_entry(module, (ten_str){0});
  for (ten_op *op = ten_module_body(module)->first; op; op = op->next) {
    if (!ten_op_is_func(op) || (entry && op != entry) || (!entry && ten_func_is_private(op))) continue;
    if (ten_func_type(op)->input_count)
      idle++;
    else
      run_function(path, part, module, op);
  }
}

static void run_file(const char *path) {
  ten_file file;
  ten_module_list list = {0};
  ten_status *status = ten_file_map(path, &file);
  if (!status) {
    status = ten_text_parse_all(file.data, file.size, path, &list);
    ten_file_unmap(&file);
  }
  if (status) fail(path, 0, ten_status_text(status));
  ten_status_free(status);
  for (size_t i = 0; i < list.count; i++) run_module(path, i, list.items[i]);
  ten_module_list_free(&list);
}

int main(int argc, char **argv) {
  bool each = false;
  char *paths[64];
  int count = 0;
  for (int i = 1; i < argc && count < 63; i++) {
    if (!strcmp(argv[i], "--each"))
      each = true;
    else
      paths[count++] = argv[i];
  }
  paths[count] = NULL;
  if (!count) return 2;
  FTS *tree = fts_open(paths, FTS_LOGICAL | FTS_NOCHDIR, NULL);
  if (!tree) return 2;
  for (FTSENT *entry; (entry = fts_read(tree));) {
    if (entry->fts_info != FTS_F || !ten_str_ends(ten_str_of(entry->fts_name), ".mlir")) continue;
    struct timespec a, b;
    clock_gettime(CLOCK_MONOTONIC, &a);
    run_file(entry->fts_path);
    clock_gettime(CLOCK_MONOTONIC, &b);
    if (each)
      printf("TIME %.3f %s\n", (double)(b.tv_sec - a.tv_sec) + (double)(b.tv_nsec - a.tv_nsec) * 1e-9, entry->fts_path);
  }
  fts_close(tree);
  printf("%zu passed, %zu failed, %zu take inputs\n", passed, failed, idle);
  return failed ? 1 : 0;
}
