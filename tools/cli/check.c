/* check.c: `tenfold check`: runs programs that contain their own expectations (check.* ops) and reports which fail. A
 * case is a function: the program's entry, or, without one, each function that has check.* ops. Cases of a file run in
 * order, files in parallel, each worker a process: a program that crashes or hangs fails, the others continue. Output
 * is in the order of the files, whichever finishes first. */
#include <fts.h>
#include <regex.h>
#include <stdio.h>
#include <stdlib.h>

#include "backend/backend.h"
#include "base/hash.h"
#include "cli/commands.h"
#include "cli/devices.h"
#include "cli/known.h"
#include "cli/load.h"
#include "cli/options.h"
#include "cli/output.h"
#include "cli/progress.h"
#include "cli/workers.h"
#include "ir/verify/verify.h"

typedef struct check_values {
  cli_list libraries;
  const char *device, *filter;
  int64_t jobs, timeout;
  bool json, compiled, threads, quiet;
} check_values;

/* Unchecked: a file without a check.* op. It was read and verified, which can fail, but nothing is run. */
typedef enum case_result { CASE_PASSED, CASE_FAILED, CASE_SKIPPED, CASE_UNCHECKED } case_result;
enum { RESULT_COUNT = CASE_UNCHECKED + 1 };
static const char *const result_names[] = {"passed", "failed", "skipped", "unchecked"};

typedef struct check_case {
  char *name; /* owned: the file's path, and @function where that adds information */
  char *why;  /* owned: the difference, or the reason for a skip; NULL when it passed */
  case_result result;
} check_case;

typedef struct check_file {
  char *path; /* owned */
  TEN_VEC(check_case) cases;
  bool done;
} check_file;

typedef struct suite {
  const check_values *values;
  const ten_backend *device;
  regex_t filter;
  TEN_VEC(check_file) files;
  ten_progress progress;
  size_t printed; /* files whose failures are printed */
  size_t counts[RESULT_COUNT];
} suite;

static void add_case(check_file *file, const char *function, size_t part, case_result result, const char *why) {
  ten_buf name = {0}, text = {0};
  ten_buf_adds(&name, file->path);
  if (part) ten_buf_printf(&name, " part %zu", part);
  if (function) ten_buf_printf(&name, " @%s", function);
  if (why) ten_buf_adds(&text, why);
  ten_vec_push(&file->cases,
               ((check_case){.name = ten_buf_take(&name), .why = why ? ten_buf_take(&text) : NULL, .result = result}));
}

/* Consumes `status`. What the device does not support is a skip: it does not concern the program. */
static void add_error(check_file *file, const char *function, size_t part, ten_status *status) {
  const case_result result = ten_status_code(status) == TEN_UNSUPPORTED ? CASE_SKIPPED : CASE_FAILED;
  add_case(file, function, part, result, ten_status_text(status));
  ten_status_free(status);
}

static ten_status *look_for_check(ten_op *op, void *found) {
  if (ten_str_starts(op->name, "check.")) *(bool *)found = true;
  const ten_attr *target = op->code == TEN_OP_CUSTOM_CALL ? ten_op_attr(op, "call_target_name") : NULL;
  if (target && ten_str_starts(ten_attr_as_string(target), "check.")) *(bool *)found = true;
  return NULL;
}

static bool has_check(ten_op *op) {
  bool found = false;
  ten_status_free(ten_op_walk(op, look_for_check, &found));
  return found;
}

static ten_status *execute(const suite *s, ten_module *module, const ten_op *func, ten_checks *checks) {
  const ten_type *type = ten_func_type(func);
  ten_executable *executable;
  size_t interpreted = 0;
  const ten_run_options options = {.checks = checks, .interpreted = &interpreted};
  TEN_TRY(ten_compile(s->device, module, func, NULL, &executable));
  ten_tensor **results = ten_alloc(type->result_count * sizeof *results);
  ten_status *status = ten_execute(executable, NULL, 0, &options, results);
  for (uint32_t i = 0; i < type->result_count && !status; i++)
    if (results[i]->bytes) checks->digest += ten_hash64(results[i]->data, results[i]->bytes, i);
  if (!status && s->values->compiled && interpreted)
    status =
        ten_error(TEN_INVALID, "%zu op%s interpreted, not compiled", interpreted, interpreted == 1 ? " was" : "s were");
  ten_tensors_release(results, type->result_count);
  free(results);
  ten_executable_release(executable);
  return status;
}

/* Runs again on one thread, and twice on two with the smallest grain: the bits must be equal. */
static ten_status *compare_threads(const suite *s, ten_module *module, const ten_op *func, uint64_t digest) {
  static const char *const threads[] = {"1", "2", "2"};
  ten_status *status = NULL;
  setenv("TENFOLD_GRAIN", "1", 1);
  for (size_t i = 0; i < 3 && !status; i++) {
    ten_checks checks;
    ten_checks_init(&checks);
    setenv("TENFOLD_THREADS", threads[i], 1);
    status = execute(s, module, func, &checks);
    if (!status && checks.digest != digest)
      status = ten_error(TEN_MISMATCH, "with %s thread%s some bits differ", threads[i], i ? "s" : "");
    ten_checks_destroy(&checks);
  }
  unsetenv("TENFOLD_THREADS");
  unsetenv("TENFOLD_GRAIN");
  return status;
}

static void run_case(const suite *s, check_file *file, size_t part, ten_module *module, const ten_op *func) {
  ten_buf name = {0};
  ten_buf_addstr(&name, ten_func_name(func));
  const ten_type *type = ten_func_type(func);
  if (type->input_count) {
    char why[64];
    snprintf(why, sizeof why, "takes %u inputs, and none are given", type->input_count);
    add_case(file, name.data, part, CASE_SKIPPED, why);
  } else {
    ten_checks checks;
    ten_checks_init(&checks);
    ten_status *status = execute(s, module, func, &checks);
    if (!status && s->values->threads) status = compare_threads(s, module, func, checks.digest);
    if (status) {
      add_error(file, name.data, part, status);
    } else if (checks.failures.count) {
      ten_buf why = {0};
      ten_buf_adds(&why, ten_status_text(checks.failures.data[0]));
      if (checks.failures.count > 1) ten_buf_printf(&why, "\n  and %zu more", checks.failures.count - 1);
      add_case(file, name.data, part, CASE_FAILED, why.data);
      ten_buf_free(&why);
    } else if (!checks.run) {
      add_case(file, name.data, part, CASE_FAILED, "its check.* ops were never reached");
    } else {
      add_case(file, name.data, part, CASE_PASSED, NULL);
    }
    ten_checks_destroy(&checks);
  }
  ten_buf_free(&name);
}

static void run_module(const suite *s, check_file *file, size_t part, ten_module *module) {
  ten_status *status = ten_verify(module);
  if (status) {
    add_error(file, NULL, part, status);
    return;
  }
  if (!has_check(module->op)) return;
  const ten_op *entry = ten_module_entry(module, (ten_str){0});
  if (entry) {
    run_case(s, file, part, module, entry);
    return;
  }
  for (ten_op *op = ten_module_body(module)->first; op; op = op->next)
    if (ten_op_is_func(op) && has_check(op)) run_case(s, file, part, module, op);
}

/* Prints the failures of every file that is next in order. */
static void print_finished(suite *s) {
  for (; s->printed < s->files.count && s->files.data[s->printed].done; s->printed++) {
    const check_file *file = &s->files.data[s->printed];
    for (size_t i = 0; i < file->cases.count; i++) {
      const check_case *each = &file->cases.data[i];
      if (each->result != CASE_FAILED || s->values->json) continue;
      ten_progress_clear(&s->progress);
      printf("failed: %s: %s\n", each->name, each->why);
    }
  }
}

/* A failure due to a wrong expectation is a skip; a listed program that the reference passes should be removed from
 * that list. */
static void apply_known(const suite *s, check_file *file) {
  const char *why = cli_known_wrong(file->path);
  for (size_t i = 0; why && i < file->cases.count; i++) {
    check_case *each = &file->cases.data[i];
    ten_buf text = {0};
    if (each->result == CASE_FAILED)
      ten_buf_adds(&text, why);
    else if (each->result == CASE_PASSED && !strcmp(s->device->name, "interp"))
      ten_buf_printf(&text, "passes, and is listed as one that cannot (%s)", why);
    if (!text.size) continue;
    free(each->why);
    each->why = ten_buf_take(&text);
    each->result = each->result == CASE_FAILED ? CASE_SKIPPED : CASE_FAILED;
  }
}

static void put_text(ten_buf *out, const char *text) {
  const uint32_t size = text ? (uint32_t)strlen(text) : UINT32_MAX;
  ten_buf_add(out, &size, sizeof size);
  if (text) ten_buf_add(out, text, size);
}

static char *take_text(ten_str *from) {
  uint32_t size;
  memcpy(&size, from->data, sizeof size);
  from->data += sizeof size;
  from->size -= sizeof size;
  if (size == UINT32_MAX) return NULL;
  ten_buf text = {0};
  ten_buf_add(&text, from->data, size);
  ten_buf_add(&text, "", 1);
  from->data += size;
  from->size -= size;
  return ten_buf_take(&text);
}

static void file_free(check_file *file) {
  for (size_t i = 0; i < file->cases.count; i++) {
    free(file->cases.data[i].name);
    free(file->cases.data[i].why);
  }
  ten_vec_free(&file->cases);
}

/* In a worker: runs the file and serializes its cases into `result`. */
static void check_one(void *user, size_t index, ten_buf *result) {
  const suite *s = user;
  check_file file = {.path = s->files.data[index].path};
  ten_module_list list;
  ten_status *status = cli_load_parts(file.path, &list);
  if (status) {
    add_error(&file, NULL, 0, status);
  } else {
    for (size_t i = 0; i < list.count; i++) run_module(s, &file, list.count > 1 ? i + 1 : 0, list.items[i]);
    ten_module_list_free(&list);
    if (!file.cases.count) add_case(&file, NULL, 0, CASE_UNCHECKED, NULL);
  }
  apply_known(s, &file);
  for (size_t i = 0; i < file.cases.count; i++) {
    ten_buf_addc(result, (char)file.cases.data[i].result);
    put_text(result, file.cases.data[i].name);
    put_text(result, file.cases.data[i].why);
  }
  file_free(&file);
}

/* In the parent: deserializes the cases. */
static void check_done(void *user, size_t index, ten_str result, const char *died) {
  suite *s = user;
  check_file *file = &s->files.data[index];
  if (died) add_case(file, NULL, 0, CASE_FAILED, died);
  while (result.size) {
    check_case each = {.result = (case_result)*result.data};
    result.data++;
    result.size--;
    each.name = take_text(&result);
    each.why = take_text(&result);
    ten_vec_push(&file->cases, each);
  }
  file->done = true;
  for (size_t i = 0; i < file->cases.count; i++) s->counts[file->cases.data[i].result]++;
  print_finished(s);
  ten_progress_step(&s->progress, "%zu failed  %s", s->counts[CASE_FAILED], file->path);
}

static void add_file(suite *s, const char *path) {
  if (s->values->filter && regexec(&s->filter, path, 0, NULL, 0)) return;
  ten_buf copy = {0};
  ten_buf_adds(&copy, path);
  ten_vec_push(&s->files, ((check_file){.path = ten_buf_take(&copy)}));
}

static int by_name(const FTSENT **a, const FTSENT **b) { return strcmp((*a)->fts_name, (*b)->fts_name); }

/* A file is taken whatever its extension; of a folder, every .mlir file below it. */
static ten_status *collect(suite *s, const char *path) {
  char *const paths[] = {(char *)path, NULL};
  FTS *tree = fts_open(paths, FTS_LOGICAL | FTS_NOCHDIR, by_name);
  if (!tree) return ten_error(TEN_IO, "%s: cannot be searched", path);
  ten_status *status = NULL;
  for (FTSENT *entry; !status && (entry = fts_read(tree));) {
    if (entry->fts_info == FTS_NS || entry->fts_info == FTS_DNR || entry->fts_info == FTS_ERR) {
      status = ten_error(entry->fts_errno == 2 ? TEN_NOT_FOUND : TEN_IO, "%s: %s", entry->fts_path,
                         strerror(entry->fts_errno));
    } else if (entry->fts_info == FTS_F &&
               (entry->fts_level == 0 || ten_str_ends(ten_str_of(entry->fts_name), ".mlir"))) {
      add_file(s, entry->fts_path);
    }
  }
  fts_close(tree);
  return status;
}

static void print_json(const suite *s) {
  json_t *cases = json_array();
  for (size_t i = 0; i < s->files.count; i++)
    for (size_t j = 0; j < s->files.data[i].cases.count; j++) {
      const check_case *each = &s->files.data[i].cases.data[j];
      json_t *row = json_pack("{s:o, s:o, s:s}", "file", cli_json_text(ten_str_of(s->files.data[i].path)), "case",
                              cli_json_text(ten_str_of(each->name)), "result", result_names[each->result]);
      if (each->why) json_object_set_new(row, "why", cli_json_text(ten_str_of(each->why)));
      json_array_append_new(cases, row);
    }
  cli_json_print(json_pack("{s:s, s:I, s:I, s:I, s:o}", "device", s->device->name, "passed",
                           (json_int_t)s->counts[CASE_PASSED], "failed", (json_int_t)s->counts[CASE_FAILED], "skipped",
                           (json_int_t)s->counts[CASE_SKIPPED], "cases", cases));
}

static void print_closing(const suite *s) {
  for (size_t i = 0; i < s->files.count; i++)
    for (size_t j = 0; j < s->files.data[i].cases.count; j++) {
      const check_case *each = &s->files.data[i].cases.data[j];
      if (each->result == CASE_SKIPPED) printf("skipped: %s: %s\n", each->name, each->why);
    }
  if (s->counts[CASE_UNCHECKED])
    printf("%zu file%s without check.* ops: read and verified, not run\n", s->counts[CASE_UNCHECKED],
           s->counts[CASE_UNCHECKED] == 1 ? "" : "s");
  printf("%zu passed, %zu failed, %zu skipped\n", s->counts[CASE_PASSED], s->counts[CASE_FAILED],
         s->counts[CASE_SKIPPED]);
}

static void suite_free(suite *s) {
  for (size_t i = 0; i < s->files.count; i++) {
    file_free(&s->files.data[i]);
    free(s->files.data[i].path);
  }
  ten_vec_free(&s->files);
  if (s->values->filter) regfree(&s->filter);
}

static int check(const cli_command *self, const cli_list *operands, const check_values *values) {
  if (!operands->count) return cli_misuse(self, "takes one PATH or more");
  suite s = {.values = values};
  if (values->filter && regcomp(&s.filter, values->filter, REG_EXTENDED | REG_NOSUB))
    return cli_misuse(self, "'%s' is not a regular expression", values->filter);
  ten_status *status = cli_device_find(values->device, &s.device);
  for (size_t i = 0; i < operands->count && !status; i++) status = collect(&s, operands->data[i]);
  int code;
  if (status) {
    code = cli_fail(status);
  } else if (!s.files.count) {
    code = cli_misuse(self, values->filter ? "no file matches '%s'" : "no .mlir files there%s",
                      values->filter ? values->filter : "");
  } else {
    ten_progress_start(&s.progress, cli_progress_stream(values->quiet), "check", s.files.count);
    status = cli_work_all(&(cli_work){.count = s.files.count,
                                      .jobs = (size_t)values->jobs,
                                      .seconds = (double)values->timeout,
                                      .user = &s,
                                      .run = check_one,
                                      .done = check_done});
    ten_progress_clear(&s.progress);
    if (!status && values->json) print_json(&s);
    if (!status && !values->json) print_closing(&s);
    code = status ? cli_fail(status) : s.counts[CASE_FAILED] ? CLI_NO : CLI_OK;
  }
  suite_free(&s);
  return code;
}

static int check_run(const cli_command *self, int argc, char **argv) {
  check_values values = {.timeout = 120};
  cli_list operands;
  int code;
  if (cli_parse(self, argc, argv, &values, &operands, &code)) code = check(self, &operands, &values);
  cli_list_free(&operands);
  cli_list_free(&values.libraries);
  return code;
}

static const cli_option check_options[] = {
    {"device", 'd', CLI_TEXT, "NAME", "what to run on ('tenfold devices' lists them)", offsetof(check_values, device)},
    {"jobs", 'j', CLI_COUNT, "N", "how many files to run at once; otherwise one for each processor",
     offsetof(check_values, jobs)},
    {"timeout", 0, CLI_COUNT, "SECONDS", "how long one file may take, 120 if not said; 0 is no limit",
     offsetof(check_values, timeout)},
    {"filter", 0, CLI_TEXT, "RE", "only files whose path matches this extended regular expression",
     offsetof(check_values, filter)},
    {"compiled", 0, CLI_FLAG, NULL, "a case fails when the cpu left some of its ops to the interpreter's arithmetic",
     offsetof(check_values, compiled)},
    {"threads-equal", 0, CLI_FLAG, NULL,
     "run each case again on one thread and on two: it fails when a bit of what it computes is not the same",
     offsetof(check_values, threads)},
    {"json", 0, CLI_FLAG, NULL, "print every case and its result as JSON", offsetof(check_values, json)},
    CLI_QUIET_OPTION(check_values, quiet),
    CLI_LIBRARY_OPTION(check_values),
    {0},
};

const cli_command cli_check = {
    .name = "check",
    .summary = "run programs that carry their own expectations",
    .operands = "PATH… [options]",
    .description =
        "Runs every program in the files and folders (.mlir, parts split by '// -----') that has check.* ops; those that "
        "have none are read and verified. Prints a "
        "line for each case that fails, with what differed and where; lists what was skipped, with the reason; closes with "
        "'N passed, M failed, K skipped'. Exit status 1 when something failed.",
    .options = check_options,
    .examples =
        (const char *const[]){"check tests/programs", "check --device interp --filter 'dot|conv' testdata", NULL},
    .run = check_run,
};
