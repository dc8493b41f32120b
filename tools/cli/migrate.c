/* migrate.c: `tenfold migrate`: the command around ten_migrate. Verification (--verify) and measured optimisation
 * (--optimize) need torch, so this starts the Python package on the originals and the migrated files. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/arena.h"
#include "base/file.h"
#include "base/str.h"
#include "cli/commands.h"
#include "cli/options.h"
#include "cli/output.h"
#include "cli/python.h"
#include "tenfold/migrate.h"

typedef struct migrate_values {
  const char *target, *output, *rules, *disable, *tests, *log_level, *steps, *jobs;
  cli_list reports;
  bool in_place, no_backup, diff, comments, interactive, reformat, device_loader, defer_reads, bf16, late_sync,
      fused_optimizer, scan_layers, length_buckets, pynguin, verify, optimize, quiet, verbose, list_rules;
} migrate_values;

static const cli_option migrate_options[] = {
    {"target", 't', CLI_TEXT, "TARGET", "torch_xla (the default) or torch_tpu", offsetof(migrate_values, target)},
    {"output", 'o', CLI_TEXT, "DIR", "where to write, 'migrated' by default; a .py name for a single file",
     offsetof(migrate_values, output)},
    {"in-place", 'i', CLI_FLAG, NULL, "overwrite the originals, each first copied to NAME.orig",
     offsetof(migrate_values, in_place)},
    {"no-backup", 0, CLI_FLAG, NULL, "with --in-place: no copies", offsetof(migrate_values, no_backup)},
    {"diff", 'd', CLI_FLAG, NULL, "show the changes as a patch and write nothing", offsetof(migrate_values, diff)},
    {"comments", 0, CLI_FLAG, NULL, "explain each change in a line above it", offsetof(migrate_values, comments)},
    {"interactive", 0, CLI_FLAG, NULL, "ask before each change", offsetof(migrate_values, interactive)},
    {"reformat", 0, CLI_FLAG, NULL, "run ruff or black over the changed files", offsetof(migrate_values, reformat)},
    {"device-loader", 0, CLI_FLAG, NULL, "wrap loaders in pl.MpDeviceLoader (torch_xla)",
     offsetof(migrate_values, device_loader)},
    {"defer-reads", 0, CLI_FLAG, NULL, "sum losses on the device, read the sum after the loop",
     offsetof(migrate_values, defer_reads)},
    {"bf16", 0, CLI_FLAG, NULL, "run forward methods in bfloat16 (autocast)", offsetof(migrate_values, bf16)},
    {"late-sync", 0, CLI_FLAG, NULL, "end the step at the end of the loop's body (torch_xla)",
     offsetof(migrate_values, late_sync)},
    {"fused-optimizer", 0, CLI_FLAG, NULL, "one update for all parameters", offsetof(migrate_values, fused_optimizer)},
    {"scan-layers", 0, CLI_FLAG, NULL, "loop over equal layers inside one program (torch_xla)",
     offsetof(migrate_values, scan_layers)},
    {"length-buckets", 0, CLI_FLAG, NULL, "round the lengths of padded batches up",
     offsetof(migrate_values, length_buckets)},
    {"rules", 0, CLI_TEXT, "FILE", "rules of your own, in YAML", offsetof(migrate_values, rules)},
    {"disable", 0, CLI_TEXT, "NUMBERS", "rules not to apply: 201,402", offsetof(migrate_values, disable)},
    {"report", 0, CLI_OUTPUTS, "FILE", "write a report: .json, .html or .sarif; may be repeated",
     offsetof(migrate_values, reports)},
    {"verify", 0, CLI_FLAG, NULL, "run original and migrated code and compare", offsetof(migrate_values, verify)},
    {"tests", 0, CLI_FOLDER, "DIR", "with --verify: keep the tests, as pytest files", offsetof(migrate_values, tests)},
    {"pynguin", 0, CLI_FLAG, NULL, "with --verify: search for more tests with pynguin, if it is installed",
     offsetof(migrate_values, pynguin)},
    {"steps", 0, CLI_TEXT, "N", "with --verify: optimizer steps to compare (3)", offsetof(migrate_values, steps)},
    {"jobs", 'j', CLI_TEXT, "N", "with --verify: programs at a time (a core each)", offsetof(migrate_values, jobs)},
    {"optimize", 0, CLI_FLAG, NULL, "try rewrites that may be faster, and keep those that are",
     offsetof(migrate_values, optimize)},
    {"list-rules", 0, CLI_FLAG, NULL, "print the table of rules", offsetof(migrate_values, list_rules)},
    {"quiet", 'q', CLI_FLAG, NULL, "say only what failed", offsetof(migrate_values, quiet)},
    {"verbose", 'v', CLI_FLAG, NULL, "show before and after of each change", offsetof(migrate_values, verbose)},
    {"log-level", 0, CLI_TEXT, "LEVEL", "error, warning (what needs a person), info or debug",
     offsetof(migrate_values, log_level)},
    {0},
};

static const char *const migrate_examples[] = {
    "migrate train.py",
    "migrate --diff train.py",
    "migrate src/ -o src_tpu --report report.html",
    "migrate --target torch_tpu --in-place train.py",
    "migrate --verify train.py",
    NULL,
};

enum answer { ASK, ALL, NONE };

static bool ask(void *user, const char *path, unsigned line, unsigned rule, const char *reason, const char *before,
                const char *after) {
  enum answer *settled = user;
  if (*settled != ASK) return *settled == ALL;
  fprintf(stderr, "%s:%u: rule %u: %s\n- %s\n+ %s\nchange it? [Y/n/a(ll)/q(uit)] ", path, line, rule, reason, before,
          after);
  char answer[16] = "";
  if (!fgets(answer, sizeof answer, stdin)) return false;
  if (answer[0] == 'a') *settled = ALL;
  if (answer[0] == 'q') *settled = NONE; /* changes accepted so far are written */
  return answer[0] != 'n' && answer[0] != 'q';
}

static void list_rules(void) {
  unsigned number = 0, targets = 0;
  const char *name = NULL, *reason = NULL;
  for (size_t i = 0; ten_migrate_rule(i, &number, &name, &reason, &targets); i++)
    printf("%u  %-18s %-20s %s\n", number, name,
           targets == 3   ? "torch_xla, torch_tpu"
           : targets == 1 ? "torch_xla"
                          : "torch_tpu",
           reason);
}

static ten_status *report_format(const char *path, ten_report_format *out) {
  const ten_str name = ten_str_of(path);
  *out = TEN_REPORT_JSON;
  if (ten_str_ends(name, ".html"))
    *out = TEN_REPORT_HTML;
  else if (ten_str_ends(name, ".sarif") || ten_str_ends(name, ".sarif.json"))
    *out = TEN_REPORT_SARIF;
  else if (ten_str_ends(name, ".diff") || ten_str_ends(name, ".patch"))
    *out = TEN_REPORT_DIFF;
  else if (!ten_str_ends(name, ".json"))
    return ten_error(TEN_INVALID, "a report is a .json, .html, .sarif or .diff file, not %s", path);
  return NULL;
}

static ten_status *write_report(const ten_migration *migration, const char *path) {
  ten_report_format format;
  TEN_TRY(report_format(path, &format));
  char *text = NULL;
  TEN_TRY(ten_migration_report(migration, format, &text));
  ten_status *status = ten_file_write_atomic(path, text, strlen(text));
  free(text);
  return status;
}

/* Where the migrated files go; NULL: they are not written elsewhere. */
static const char *output_of(const migrate_values *values) {
  if (values->in_place || values->diff) return NULL;
  return values->output ? values->output : "migrated";
}

static ten_status *check_reports(const migrate_values *values) {
  ten_report_format format;
  for (size_t i = 0; i < values->reports.count; i++) TEN_TRY(report_format(values->reports.data[i], &format));
  return NULL;
}

static void show_verbose(const ten_migration *migration) {
  for (size_t f = 0; f < ten_migration_file_count(migration); f++)
    for (size_t c = 0; c < ten_migration_change_count(migration, f); c++) {
      ten_migrate_change change = {.size = sizeof change};
      ten_status_free(ten_migration_change(migration, f, c, &change)); /* c is below the count */
      printf("%s:%u: %u %s: %s\n- %s\n+ %s\n", ten_migration_file_path(migration, f), change.line, change.rule,
             change.name, change.reason, change.before, change.after);
    }
}

static int show(const ten_migration *migration, const migrate_values *values) {
  const char *level = values->quiet       ? "error"
                      : values->verbose   ? "debug"
                      : values->log_level ? values->log_level
                                          : "info";
  for (size_t f = 0; f < ten_migration_file_count(migration); f++)
    if (ten_migration_file_error(migration, f))
      fprintf(stderr, "tenfold: %s\n", ten_migration_file_error(migration, f));
  if (!strcmp(level, "error")) return 0;
  if (!strcmp(level, "warning")) {
    for (size_t f = 0; f < ten_migration_file_count(migration); f++)
      for (size_t n = 0; n < ten_migration_note_count(migration, f); n++) {
        ten_migrate_note note = {.size = sizeof note};
        ten_status_free(ten_migration_note(migration, f, n, &note));
        if (note.kind == TEN_NOTE_HUMAN)
          fprintf(stderr, "%s:%u: %u %s: %s\n", ten_migration_file_path(migration, f), note.line, note.rule, note.name,
                  note.text);
      }
    return 0;
  }
  if (!strcmp(level, "debug")) show_verbose(migration);
  char *text = NULL;
  ten_status *status = ten_migration_report(migration, TEN_REPORT_TEXT, &text);
  if (status) return cli_fail(status);
  fputs(text, values->diff ? stderr : stdout);
  free(text);
  return 0;
}

/* Runs ruff or black, whichever is installed, over changed files. */
static void reformat(const ten_migration *migration, const char *folder, bool in_place) {
  for (size_t f = 0; f < ten_migration_file_count(migration); f++) {
    if (ten_migration_file_state(migration, f) != TEN_FILE_CHANGED) continue;
    const char *original = ten_migration_file_path(migration, f);
    ten_buf path = {0};
    if (in_place)
      ten_buf_adds(&path, original);
    else if (ten_migration_file_count(migration) == 1 && ten_str_ends(ten_str_of(folder), ".py"))
      ten_buf_adds(&path, folder);
    else
      ten_buf_printf(&path, "%s/%s", folder, ten_migration_file_relative(migration, f));
    const char *const ruff[] = {"ruff", "format", "--quiet", path.data, NULL}, *const black[] = {"black", "--quiet",
                                                                                                 path.data, NULL};
    if (cli_run_program(ruff) == 127 && cli_run_program(black) == 127)
      fprintf(stderr, "tenfold: --reformat needs ruff or black (pip install ruff)\n");
    ten_buf_free(&path);
  }
}

/* python -m tenfold.migration.verify ORIGINAL… --migrated DIR --target T [--tests DIR] [--optimize] */
static int prove(const migrate_values *values, const cli_list *operands, const char *folder) {
  ten_buf python = {0};
  TEN_VEC(const char *) argv = {0};
  ten_vec_push(&argv, cli_python_find(&python));
  ten_vec_push(&argv, "-m");
  ten_vec_push(&argv, "tenfold.migration.verify");
  ten_vec_push(&argv, "--migrated");
  ten_vec_push(&argv, folder);
  ten_vec_push(&argv, "--target");
  ten_vec_push(&argv, values->target ? values->target : "torch_xla");
  if (values->tests) {
    ten_vec_push(&argv, "--tests");
    ten_vec_push(&argv, values->tests);
  }
  if (values->steps) {
    ten_vec_push(&argv, "--steps");
    ten_vec_push(&argv, values->steps);
  }
  if (values->jobs) {
    ten_vec_push(&argv, "--jobs");
    ten_vec_push(&argv, values->jobs);
  }
  if (values->optimize) ten_vec_push(&argv, "--optimize");
  if (values->pynguin) ten_vec_push(&argv, "--pynguin");
  if (values->quiet) ten_vec_push(&argv, "--quiet");
  for (size_t i = 0; i < operands->count; i++) ten_vec_push(&argv, operands->data[i]);
  ten_vec_push(&argv, NULL);
  cli_python_set_path();
  const int code = cli_run_program(argv.data);
  if (code == 127)
    fprintf(stderr, "tenfold: --verify needs Python with torch: pip install torch tenfold (or set TENFOLD_PYTHON)\n");
  ten_vec_free(&argv);
  ten_buf_free(&python);
  return code == 0 ? CLI_OK : code == 1 ? CLI_NO : CLI_MISUSE;
}

static int write_and_report(const ten_migration *migration, const migrate_values *values, const cli_list *operands) {
  const char *folder = output_of(values);
  ten_status *status = NULL;
  if (values->diff) {
    char *text = NULL;
    status = ten_migration_report(migration, TEN_REPORT_DIFF, &text);
    if (text) fputs(text, stdout);
    free(text);
  } else if (values->in_place) {
    status = ten_migration_write_in_place(migration, !values->no_backup);
  } else {
    status = ten_migration_write(migration, folder);
  }
  for (size_t i = 0; i < values->reports.count && !status; i++)
    status = write_report(migration, values->reports.data[i]);
  if (status) return cli_fail(status);
  int code = show(migration, values);
  if (values->reformat && !values->diff) reformat(migration, folder, values->in_place);
  if (!code && (values->verify || values->tests || values->optimize || values->pynguin))
    code = prove(values, operands, folder);
  return code ? code : ten_migration_needs_human(migration) ? CLI_NO : CLI_OK;
}

static int migrate_run(const cli_command *self, int argc, char **argv) {
  migrate_values values = {0};
  cli_list operands;
  int code;
  enum answer settled = ASK;
  static const char *const levels[] = {"error", "warning", "info", "debug"};
  if (!cli_parse(self, argc, argv, &values, &operands, &code)) goto done;
  bool known_level = !values.log_level;
  for (size_t i = 0; values.log_level && i < 4; i++) known_level |= !strcmp(values.log_level, levels[i]);
  if (values.list_rules) {
    list_rules();
  } else if (!operands.count) {
    code = cli_misuse(self, "needs a file or a folder");
  } else if (values.target && strcmp(values.target, "torch_xla") && strcmp(values.target, "torch_tpu")) {
    code = cli_misuse(self, "no target '%s' (torch_xla, torch_tpu)", values.target);
  } else if (values.in_place && (values.output || values.diff)) {
    code = cli_misuse(self, "--in-place goes neither with --output nor with --diff");
  } else if ((values.verify || values.optimize || values.tests || values.pynguin) && (values.in_place || values.diff)) {
    code = cli_misuse(self, "--verify compares two versions: it goes neither with --in-place nor with --diff");
  } else if (!known_level) {
    code = cli_misuse(self, "no log level '%s' (error, warning, info, debug)", values.log_level);
  } else {
    const ten_migrate_options options = {
        .size = sizeof options,
        .target = values.target && !strcmp(values.target, "torch_tpu") ? TEN_TARGET_TORCH_TPU : TEN_TARGET_TORCH_XLA,
        .comments = values.comments,
        .device_loader = values.device_loader,
        .defer_reads = values.defer_reads,
        .user_rules = values.rules,
        .disabled = values.disable,
        .ask = values.interactive ? ask : NULL,
        .ask_user = &settled,
        .bf16 = values.bf16,
        .late_sync = values.late_sync,
        .fused_optimizer = values.fused_optimizer,
        .scan_layers = values.scan_layers,
        .length_buckets = values.length_buckets,
        .output = output_of(&values),
    };
    ten_migration *migration = NULL;
    ten_status *status = check_reports(&values);
    if (!status) status = ten_migrate(operands.data, operands.count, &options, &migration);
    code = status ? cli_fail(status) : write_and_report(migration, &values, &operands);
    ten_migration_destroy(migration);
  }
done:
  cli_list_free(&operands);
  cli_list_free(&values.reports);
  return code;
}

const cli_command cli_migrate = {
    .name = "migrate",
    .summary = "rewrite PyTorch source for TPUs and prove that it still does the same",
    .operands = "[options] FILE|DIR…",
    .description =
        "Rewrites PyTorch programs (.py files, packages, notebooks) for PyTorch/XLA or TorchTPU. Everything outside the changes stays "
        "byte for byte; a second run changes nothing; what would not parse is never written.\n\n"
        "Writes to 'migrated' (or --output), never to the originals unless --in-place is given. The exit status is 0 when all is done, 1 "
        "when something needs a person (the report says what and where), 2 for wrong usage.",
    .options = migrate_options,
    .examples = migrate_examples,
    .run = migrate_run,
};
