/* report.c: reports changes and notes, for a terminal and as JSON. The other formats are in report_html.c and
 * report_sarif.c. */
#include <stdio.h>

#include "migrate/migration.h"

const char *ten_note_kind_name(ten_note_kind kind) {
  static const char *const names[] = {[TEN_NOTE_INFO] = "info",
                                      [TEN_NOTE_HOST_SYNC] = "host-sync",
                                      [TEN_NOTE_RECOMPILE] = "recompile",
                                      [TEN_NOTE_FALLBACK] = "fallback",
                                      [TEN_NOTE_HUMAN] = "human"};
  return names[kind];
}

static void place(ten_buf *out, const char *path, int cell, unsigned line) {
  if (cell >= 0)
    ten_buf_printf(out, "%s:cell %d:%u", path, cell, line);
  else
    ten_buf_printf(out, "%s:%u", path, line);
}

static void count_all(const ten_migration *migration, unsigned states[4], unsigned kinds[5], unsigned *out_changes,
                      unsigned *out_lines) {
  for (size_t i = 0; i < migration->files.count; i++) {
    const ten_migrated *file = migration->files.data[i];
    states[file->state]++;
    *out_changes += (unsigned)file->changes.count;
    *out_lines += file->lines;
    for (size_t n = 0; n < file->notes.count; n++) kinds[file->notes.data[n].kind]++;
  }
}

static void text_notes(const ten_migration *migration, ten_note_kind kind, const char *title, ten_buf *out) {
  bool titled = false;
  for (size_t i = 0; i < migration->files.count; i++) {
    const ten_migrated *file = migration->files.data[i];
    for (size_t n = 0; n < file->notes.count; n++) {
      const ten_migrate_note *note = &file->notes.data[n];
      if (note->kind != kind) continue;
      if (!titled) ten_buf_printf(out, "\n%s\n", title);
      titled = true;
      ten_buf_adds(out, "  ");
      place(out, file->relative, note->cell, note->line);
      ten_buf_printf(out, "  %u %s\n      %s\n", note->rule, note->name, note->text);
    }
  }
}

void ten_report_text(const ten_migration *migration, ten_buf *out) {
  unsigned states[4] = {0}, kinds[5] = {0}, changes = 0, lines = 0;
  count_all(migration, states, kinds, &changes, &lines);
  for (size_t i = 0; i < migration->files.count; i++) {
    const ten_migrated *file = migration->files.data[i];
    if (!file->changes.count) continue;
    ten_buf_printf(out, "%s\n", file->relative);
    for (size_t c = 0; c < file->changes.count; c++) {
      const ten_migrate_change *change = &file->changes.data[c];
      const size_t size = strcspn(change->after, "\n");
      if (change->cell >= 0)
        ten_buf_printf(out, "  cell %d:%-4u", change->cell, change->line);
      else
        ten_buf_printf(out, "  %5u", change->line);
      ten_buf_printf(out, "  %u %-18s %.*s\n", change->rule, change->name, size > 90 ? 90 : (int)size, change->after);
    }
  }
  text_notes(migration, TEN_NOTE_HUMAN, "needs a person", out);
  text_notes(migration, TEN_NOTE_FALLBACK, "runs on the host", out);
  text_notes(migration, TEN_NOTE_RECOMPILE, "will compile again", out);
  text_notes(migration, TEN_NOTE_HOST_SYNC, "makes the host wait", out);
  text_notes(migration, TEN_NOTE_INFO, "good to know", out);
  for (size_t i = 0; i < migration->files.count; i++)
    if (migration->files.data[i]->error) ten_buf_printf(out, "\nfailed: %s\n", migration->files.data[i]->error);
  for (size_t i = 0; i < migration->data_files.count; i++)
    if (migration->data_files.data[i].large)
      ten_buf_printf(out, "%snot copied: %s (over 64 MiB)\n", out->size ? "\n" : "",
                     migration->data_files.data[i].path);
  ten_buf_printf(
      out,
      "%s%zu file%s, %u lines in %.0f ms: %u changed (%u changes), %u need nothing, %u without PyTorch (left as they are), %u failed\n",
      out->size ? "\n" : "", migration->files.count, migration->files.count == 1 ? "" : "s", lines,
      1000 * migration->seconds, states[TEN_FILE_CHANGED], changes, states[TEN_FILE_UNCHANGED],
      states[TEN_FILE_NOT_TORCH], states[TEN_FILE_FAILED]);
  ten_buf_printf(
      out,
      "%.0f%% of the device-specific calls migrated; %u for a person, %u host waits, %u recompiles, %u fallbacks\n",
      ten_migration_coverage(migration), kinds[TEN_NOTE_HUMAN], kinds[TEN_NOTE_HOST_SYNC], kinds[TEN_NOTE_RECOMPILE],
      kinds[TEN_NOTE_FALLBACK]);
}

static void key(ten_buf *out, const char *name, const char *value) {
  ten_buf_printf(out, "\"%s\": ", name);
  if (value)
    ten_buf_add_json(out, ten_str_of(value));
  else
    ten_buf_adds(out, "null");
}

static void json_file(const ten_migrated *file, ten_buf *out) {
  static const char *const states[] = {"changed", "unchanged", "not-torch", "failed"};
  ten_buf_adds(out, "    {");
  key(out, "path", file->path);
  ten_buf_adds(out, ", ");
  key(out, "relative", file->relative);
  ten_buf_adds(out, ", ");
  key(out, "state", states[file->state]);
  ten_buf_adds(out, ", ");
  key(out, "error", file->error);
  ten_buf_printf(out, ", \"lines\": %u, \"device_calls\": %u, \"migrated_calls\": %u,\n     \"changes\": [",
                 file->lines, file->seen, file->handled);
  for (size_t c = 0; c < file->changes.count; c++) {
    const ten_migrate_change *change = &file->changes.data[c];
    ten_buf_printf(out, "%s\n      {\"rule\": %u, ", c ? "," : "", change->rule);
    key(out, "name", change->name);
    ten_buf_printf(out, ", \"line\": %u, \"column\": %u, ", change->line, change->column);
    if (change->cell >= 0) ten_buf_printf(out, "\"cell\": %d, ", change->cell);
    key(out, "reason", change->reason);
    ten_buf_adds(out, ", ");
    key(out, "before", change->before);
    ten_buf_adds(out, ", ");
    key(out, "after", change->after);
    ten_buf_addc(out, '}');
  }
  ten_buf_adds(out, "],\n     \"notes\": [");
  for (size_t n = 0; n < file->notes.count; n++) {
    const ten_migrate_note *note = &file->notes.data[n];
    ten_buf_printf(out, "%s\n      {\"rule\": %u, ", n ? "," : "", note->rule);
    key(out, "name", note->name);
    ten_buf_adds(out, ", ");
    key(out, "kind", ten_note_kind_name(note->kind));
    ten_buf_printf(out, ", \"line\": %u, \"column\": %u, ", note->line, note->column);
    if (note->cell >= 0) ten_buf_printf(out, "\"cell\": %d, ", note->cell);
    key(out, "text", note->text);
    ten_buf_addc(out, '}');
  }
  ten_buf_adds(out, "]}");
}

void ten_report_json(const ten_migration *migration, ten_buf *out) {
  unsigned states[4] = {0}, kinds[5] = {0}, changes = 0, lines = 0;
  count_all(migration, states, kinds, &changes, &lines);
  ten_buf_printf(out, "{\n  \"tool\": \"tenfold migrate\", \"format\": 1, \"target\": \"%s\",\n",
                 migration->target == TEN_TARGET_TORCH_XLA ? "torch_xla" : "torch_tpu");
  ten_buf_printf(
      out,
      "  \"summary\": {\"files\": %zu, \"lines\": %u, \"changed\": %u, \"unchanged\": %u, \"not_torch\": %u, \"failed\": %u, \"changes\": %u,\n",
      migration->files.count, lines, states[TEN_FILE_CHANGED], states[TEN_FILE_UNCHANGED], states[TEN_FILE_NOT_TORCH],
      states[TEN_FILE_FAILED], changes);
  ten_buf_printf(
      out,
      "    \"coverage_percent\": %.1f, \"needs_human\": %u, \"host_syncs\": %u, \"recompiles\": %u, \"fallbacks\": %u, \"milliseconds\": %.1f},\n",
      ten_migration_coverage(migration), kinds[TEN_NOTE_HUMAN], kinds[TEN_NOTE_HOST_SYNC], kinds[TEN_NOTE_RECOMPILE],
      kinds[TEN_NOTE_FALLBACK], 1000 * migration->seconds);
  ten_buf_adds(out, "  \"files\": [\n");
  for (size_t i = 0; i < migration->files.count; i++) {
    if (i) ten_buf_adds(out, ",\n");
    json_file(migration->files.data[i], out);
  }
  ten_buf_adds(out, "\n  ]\n}\n");
}
