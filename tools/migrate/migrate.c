/* migrate.c: the public functions of tenfold/migrate.h: collects files, links them into a project, rewrites each, and
 * answers queries. */
#include "tenfold/migrate.h"
#include "base/clock.h"

#include <stdlib.h>

#include "base/thread.h"
#include "base/versioned.h"
#include "migrate/migration.h"

static ten_migrate_options options_of(const ten_migrate_options *given) {
  ten_migrate_options options = {0};
  if (given) memcpy(&options, given, given->size < sizeof options ? given->size : sizeof options);
  options.size = sizeof options;
  return options;
}

static void read_and_parse(void *user, size_t index, size_t worker) {
  enum { KEPT_MAX = 6 << 20 }; /* a parse takes about 40 times its text: some 240 MB */
  (void)worker;
  ten_migration *migration = user;
  ten_migrated *file = migration->files.data[index];
  if (!file->before) ten_migrated_read(file);
  if (!file->error) ten_migrated_parse(file);
  if (atomic_fetch_add(&migration->kept, file->before_size) > KEPT_MAX) ten_migrated_drop_parse(file);
  for (size_t c = 0; c < file->before_size; c++) file->lines += file->before[c] == '\n';
}

static void check(void *user, size_t index, size_t worker) {
  (void)worker;
  ten_migrated_check(((ten_migration *)user)->files.data[index]);
}

static ten_status *migrate_all(ten_migration *migration, const ten_migrate_options *given) {
  TEN_RECOVER("migrating");
  TEN_TRY(TEN_OPTIONS_CHECK(given, ten_migrate_options, length_buckets));
  const ten_migrate_options options = options_of(given);
  if (options.target != TEN_TARGET_TORCH_XLA && options.target != TEN_TARGET_TORCH_TPU)
    return ten_error(TEN_INVALID, "no such target: %d", (int)options.target);
  migration->target = options.target;
  if (options.output)
    TEN_TRY(ten_annotate(ten_collected_check_output(migration, options.output),
                         "checking the output %s before any work is done", options.output));
  bool ok = false; /* report a missing grammar once, not per file */
  uint32_t row = 0, column = 0;
  TEN_TRY(ten_py_check(ten_str_of(""), NULL, false, &ok, &row, &column));
  if (options.user_rules) TEN_TRY(ten_user_rules_load(options.user_rules, &migration->user_rules));
  ten_arena arena;
  ten_arena_init(&arena);
  ten_project project = {.arena = &arena};
  const size_t threads = migration->files.count < 8 ? 1 : 0; /* a few files finish before threads have started */
  ten_parallel_for(migration->files.count, threads, read_and_parse, migration);
  for (size_t i = 0; i < migration->files.count; i++)
    if (migration->files.data[i]->file) ten_project_add(&project, migration->files.data[i]->file);
  ten_project_link(&project);
  for (size_t i = 0; i < migration->files.count; i++)
    ten_migrated_rewrite(migration->files.data[i], &options, migration->user_rules);
  ten_project_free(&project);
  for (size_t i = 0; i < migration->files.count; i++) { /* the trees are no longer needed */
    migration->files.data[i]->file = NULL;
    ten_arena_destroy(&migration->files.data[i]->arena);
    ten_arena_init(&migration->files.data[i]->arena);
  }
  ten_arena_destroy(&arena);
  ten_parallel_for(migration->files.count, threads, check, migration);
  return NULL;
}

ten_status *ten_migrate(const char *const *paths, size_t path_count, const ten_migrate_options *options,
                        ten_migration **out_migration) {
  *out_migration = NULL;
  TEN_RECOVER("migrating");
  const double start = ten_clock();
  ten_migration *migration = ten_alloc(sizeof *migration);
  memset(migration, 0, sizeof *migration);
  ten_status *status = ten_collect(paths, path_count, options ? options->output : NULL, migration);
  if (!status) status = migrate_all(migration, options);
  if (status) {
    ten_migration_destroy(migration);
    return status;
  }
  migration->seconds = ten_clock() - start;
  *out_migration = migration;
  return NULL;
}

ten_status *ten_migrate_text(const char *name, const char *text, size_t size, const ten_migrate_options *options,
                             ten_migration **out_migration) {
  *out_migration = NULL;
  TEN_RECOVER("migrating");
  ten_migration *migration = ten_alloc(sizeof *migration);
  memset(migration, 0, sizeof *migration);
  ten_migrated *file = ten_alloc(sizeof *file);
  memset(file, 0, sizeof *file);
  ten_arena_init(&file->arena);
  ten_buf path = {0}, relative = {0}, copy = {0};
  ten_buf_adds(&path, name);
  ten_buf_adds(&relative, name);
  ten_buf_add(&copy, text, size);
  if (!copy.data) ten_buf_adds(&copy, "");
  file->path = ten_buf_take(&path);
  file->relative = ten_buf_take(&relative);
  file->before_size = size;
  file->before = ten_buf_take(&copy);
  ten_vec_push(&migration->files, file);
  ten_status *status = migrate_all(migration, options);
  if (status) {
    ten_migration_destroy(migration);
    return status;
  }
  *out_migration = migration;
  return NULL;
}

void ten_migration_destroy(ten_migration *migration) {
  if (!migration) return;
  for (size_t i = 0; i < migration->files.count; i++) ten_migrated_destroy(migration->files.data[i]);
  ten_vec_free(&migration->files);
  for (size_t i = 0; i < migration->data_files.count; i++) free(migration->data_files.data[i].path);
  ten_vec_free(&migration->data_files);
  ten_user_rules_free(migration->user_rules);
  free(migration);
}

size_t ten_migration_file_count(const ten_migration *migration) { return migration->files.count; }
const char *ten_migration_file_path(const ten_migration *migration, size_t file) {
  return migration->files.data[file]->path;
}
const char *ten_migration_file_relative(const ten_migration *migration, size_t file) {
  return migration->files.data[file]->relative;
}
ten_file_state ten_migration_file_state(const ten_migration *migration, size_t file) {
  return migration->files.data[file]->state;
}
const char *ten_migration_file_error(const ten_migration *migration, size_t file) {
  return migration->files.data[file]->error;
}

const char *ten_migration_file_before(const ten_migration *migration, size_t file, size_t *out_size) {
  const ten_migrated *one = migration->files.data[file];
  if (out_size) *out_size = one->before_size;
  return one->before ? one->before : "";
}

const char *ten_migration_file_after(const ten_migration *migration, size_t file, size_t *out_size) {
  const ten_migrated *one = migration->files.data[file];
  if (one->state != TEN_FILE_CHANGED) return ten_migration_file_before(migration, file, out_size);
  if (out_size) *out_size = one->after_size;
  return one->after;
}

size_t ten_migration_change_count(const ten_migration *migration, size_t file) {
  return migration->files.data[file]->changes.count;
}
ten_status *ten_migration_change(const ten_migration *migration, size_t file, size_t change,
                                 ten_migrate_change *out_change) {
  if (file >= migration->files.count || change >= migration->files.data[file]->changes.count)
    return ten_error(TEN_INVALID, "there is no change %zu of file %zu", change, file);
  return TEN_RESULT_FILL(out_change, &migration->files.data[file]->changes.data[change], ten_migrate_change, after);
}
size_t ten_migration_note_count(const ten_migration *migration, size_t file) {
  return migration->files.data[file]->notes.count;
}
ten_status *ten_migration_note(const ten_migration *migration, size_t file, size_t note, ten_migrate_note *out_note) {
  if (file >= migration->files.count || note >= migration->files.data[file]->notes.count)
    return ten_error(TEN_INVALID, "there is no note %zu of file %zu", note, file);
  return TEN_RESULT_FILL(out_note, &migration->files.data[file]->notes.data[note], ten_migrate_note, text);
}

bool ten_migration_needs_human(const ten_migration *migration) {
  for (size_t i = 0; i < migration->files.count; i++) {
    const ten_migrated *file = migration->files.data[i];
    if (file->state == TEN_FILE_FAILED) return true;
    for (size_t n = 0; n < file->notes.count; n++)
      if (file->notes.data[n].kind == TEN_NOTE_HUMAN) return true;
  }
  return false;
}

double ten_migration_coverage(const ten_migration *migration) {
  unsigned seen = 0, handled = 0;
  for (size_t i = 0; i < migration->files.count; i++) {
    seen += migration->files.data[i]->seen;
    handled += migration->files.data[i]->handled;
  }
  return seen ? 100.0 * handled / seen : 100.0;
}

ten_status *ten_migration_report(const ten_migration *migration, ten_report_format format, char **out_text) {
  *out_text = NULL;
  TEN_RECOVER("writing the report");
  ten_buf out = {0};
  switch (format) {
    case TEN_REPORT_TEXT: ten_report_text(migration, &out); break;
    case TEN_REPORT_JSON: ten_report_json(migration, &out); break;
    case TEN_REPORT_HTML: ten_report_html(migration, &out); break;
    case TEN_REPORT_SARIF: ten_report_sarif(migration, &out); break;
    case TEN_REPORT_DIFF:
      for (size_t i = 0; i < migration->files.count; i++) {
        const ten_migrated *file = migration->files.data[i];
        if (file->state == TEN_FILE_CHANGED)
          ten_diff_unified(file->relative, (ten_str){file->before, file->before_size},
                           (ten_str){file->after, file->after_size}, &out);
      }
      break;
    default: return ten_error(TEN_INVALID, "no such report format: %d", (int)format);
  }
  if (!out.data) ten_buf_adds(&out, "");
  *out_text = ten_buf_take(&out);
  return NULL;
}
