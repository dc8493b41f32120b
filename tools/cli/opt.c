/* opt.c: `tenfold opt`: runs chosen passes over a program, text to text. */
#include <stdio.h>
#include <stdlib.h>

#include "base/file.h"
#include "cli/commands.h"
#include "cli/load.h"
#include "cli/options.h"
#include "cli/output.h"
#include "ir/verify/verify.h"
#include "train/budget.h"
#include "transform/pass/pass.h"

typedef struct opt_values {
  cli_list libraries;
  const char *passes, *print_after, *output, *memory;
  bool time_passes, list;
} opt_values;

typedef TEN_VEC(const ten_pass *) pass_list;

/* Adds the passes of "a,b" to the list; the first unknown name is the error. */
static ten_status *find_passes(const char *text, pass_list *list) {
  while (*text) {
    const ten_str name = {text, strcspn(text, ",")};
    const ten_pass *pass = ten_pass_find(name);
    if (!pass && name.size) {
      const char *names[128] = {0};
      for (size_t i = 0; ten_passes[i] && i < 127; i++) names[i] = ten_passes[i]->name;
      ten_buf wrong = {0};
      ten_buf_addstr(&wrong, name);
      const char *nearest = cli_nearest(wrong.data, names);
      ten_status *status =
          nearest ? ten_error(TEN_NOT_FOUND, "no pass '%s'; did you mean '%s'?", wrong.data, nearest)
                  : ten_error(TEN_NOT_FOUND, "unknown pass '%s' ('tenfold opt --list' lists them)", wrong.data);
      ten_buf_free(&wrong);
      return status;
    }
    if (pass) ten_vec_push(list, pass);
    text += name.size + (text[name.size] == ',');
  }
  return NULL;
}

typedef struct watcher {
  const opt_values *values;
  pass_list shown; /* passes to print after; all of them when the option says "all" */
  double total;
} watcher;

static void after_pass(void *user, const ten_pass *pass, const ten_module *module, double seconds) {
  watcher *w = user;
  bool shown = w->values->print_after && !strcmp(w->values->print_after, "all");
  for (size_t i = 0; i < w->shown.count; i++) shown |= w->shown.data[i] == pass;
  if (shown) {
    ten_buf text = {0};
    ten_text_print(&text, module, NULL);
    fprintf(stderr, "// after %s\n%s", pass->name, text.data);
    ten_buf_free(&text);
  }
  w->total += seconds;
  if (w->values->time_passes) fprintf(stderr, "%10.3f ms  %s\n", seconds * 1e3, pass->name);
}

/* The passes up to `grad`, recomputation in the backward part, the passes after it. */
static ten_status *run_within(ten_module *module, const pass_list *passes, const char *memory,
                              const ten_pipeline_options *options) {
  size_t at = 0;
  while (passes->data[at] && passes->data[at] != &ten_pass_grad) at++;
  if (!passes->data[at]) return ten_error(TEN_INVALID, "--memory goes with --pass=grad");
  ten_budget budget = {0};
  TEN_TRY(ten_budget_parse(memory, &budget.bytes));
  pass_list until = {0};
  for (size_t i = 0; i < at; i++) ten_vec_push(&until, passes->data[i]);
  ten_vec_push(&until, &ten_pass_grad_marked);
  ten_vec_push(&until, NULL);
  ten_status *status = ten_pipeline_run(until.data, module, options);
  ten_vec_free(&until);
  const ten_op *entry = ten_module_entry(module, (ten_str){0});
  if (status || !entry) return status;
  ten_buf name = {0};
  ten_buf_printf(&name, "%.*s.grad", TEN_FMT(ten_func_name(entry)));
  budget.gradient = budget.entry = (ten_str){name.data, name.size};
  status = ten_budget_fit(module, &budget);
  ten_buf_free(&name);
  return status ? status : ten_pipeline_run(passes->data + at + 1, module, options);
}

static ten_status *optimise(const char *path, const opt_values *values, const pass_list *passes, watcher *w) {
  ten_module_list list;
  TEN_TRY(cli_load_all(path, &list));
  const ten_pipeline_options options = {.after = after_pass, .user = w, .verify_each = true};
  ten_buf text = {0};
  ten_status *status = NULL;
  for (size_t i = 0; i < list.count && !status; i++) {
    status = values->memory ? run_within(list.items[i], passes, values->memory, &options)
                            : ten_pipeline_run(passes->data, list.items[i], &options);
    if (i) ten_buf_adds(&text, "\n// -----\n\n");
    if (!status) ten_text_print(&text, list.items[i], NULL);
  }
  ten_module_list_free(&list);
  if (values->time_passes && !status) fprintf(stderr, "%10.3f ms  in all\n", w->total * 1e3);
  if (!status && values->output) {
    status = ten_file_write_atomic(values->output, text.data, text.size);
  } else if (!status) {
    fwrite(text.data, 1, text.size, stdout);
  }
  ten_buf_free(&text);
  return status;
}

static int opt_checked(const cli_command *self, const cli_list *operands, const opt_values *values) {
  if (values->list) {
    for (const ten_pass *const *pass = ten_passes; *pass; pass++)
      printf("%-12s  %s\n", (*pass)->name, (*pass)->summary);
    return CLI_OK;
  }
  if (operands->count != 1) return cli_misuse(self, "takes one FILE");
  if (!values->passes) return cli_misuse(self, "needs --pass=NAME,… ('tenfold opt --list' has the names)");
  pass_list passes = {0};
  watcher w = {.values = values};
  ten_status *status = find_passes(values->passes, &passes);
  if (!status && values->print_after && strcmp(values->print_after, "all"))
    status = find_passes(values->print_after, &w.shown);
  ten_vec_push(&passes, NULL);
  if (!status) status = optimise(operands->data[0], values, &passes, &w);
  ten_vec_free(&passes);
  ten_vec_free(&w.shown);
  return status ? cli_fail(status) : CLI_OK;
}

static int opt_run(const cli_command *self, int argc, char **argv) {
  opt_values values = {0};
  cli_list operands;
  int code;
  if (cli_parse(self, argc, argv, &values, &operands, &code)) code = opt_checked(self, &operands, &values);
  cli_list_free(&operands);
  cli_list_free(&values.libraries);
  return code;
}

static const cli_option opt_options[] = {
    {"pass", 'p', CLI_TEXT, "NAMES", "the passes to run, in order, with commas between", offsetof(opt_values, passes)},
    {"print-after", 0, CLI_TEXT, "NAMES", "also print the program after these passes, or after 'all', on stderr",
     offsetof(opt_values, print_after)},
    {"time-passes", 0, CLI_FLAG, NULL, "say on stderr how long each pass took", offsetof(opt_values, time_passes)},
    {"memory", 0, CLI_TEXT, "8G",
     "of --pass=grad: the most that the gradient may need, arguments included: what does not fit is computed again",
     offsetof(opt_values, memory)},
    {"output", 'o', CLI_OUTPUT, "FILE", "write there instead of standard output", offsetof(opt_values, output)},
    {"list", 0, CLI_FLAG, NULL, "list the passes", offsetof(opt_values, list)},
    CLI_LIBRARY_OPTION(opt_values),
    {0},
};

const cli_command cli_opt = {
    .name = "opt",
    .summary = "run chosen passes over a program",
    .operands = "FILE --pass=NAME,… [options]",
    .description =
        "Reads a program, runs the passes over it and prints what became of it. The program is verified before the "
        "first pass and after each. A text file may hold several programs, split by lines that say '// -----'.",
    .options = opt_options,
    .examples = (const char *const[]){"opt --pass=dce examples/mlp.mlir", "opt --list", NULL},
    .run = opt_run,
};
