/* report_html.c: one self-contained page: the figures, what needs manual work, and a side-by-side diff of each changed
 * file with reasons. */
#include <stdio.h>
#include <stdlib.h>

#include "migrate/migration.h"

static void escaped(ten_buf *out, ten_str text) {
  for (size_t i = 0; i < text.size; i++) {
    switch (text.data[i]) {
      case '<': ten_buf_adds(out, "&lt;"); break;
      case '>': ten_buf_adds(out, "&gt;"); break;
      case '&': ten_buf_adds(out, "&amp;"); break;
      case '"': ten_buf_adds(out, "&quot;"); break;
      case '\r': break;
      default: ten_buf_addc(out, text.data[i]);
    }
  }
}

static void cell(ten_buf *out, const char *class_name, unsigned line, ten_str text) {
  if (line)
    ten_buf_printf(out, "<td class=n>%u</td>", line);
  else
    ten_buf_adds(out, "<td class=n></td>");
  ten_buf_printf(out, "<td class=%s>", class_name);
  escaped(out, text);
  ten_buf_adds(out, "</td>");
}

static void side_by_side(const ten_migrated *file, ten_buf *out) {
  enum { CONTEXT = 3 };
  ten_diff lines = {0};
  ten_diff_lines((ten_str){file->before, file->before_size}, (ten_str){file->after, file->after_size}, &lines);
  ten_buf_adds(out, "<table class=diff><col class=n><col><col class=n><col>\n");
  bool gap = false;
  for (size_t i = 0; i < lines.count;) {
    if (lines.data[i].sign == ' ') {
      bool near = false;
      for (size_t k = i > CONTEXT ? i - CONTEXT : 0; k < lines.count && k <= i + CONTEXT; k++)
        near |= lines.data[k].sign != ' ';
      if (near) {
        ten_buf_adds(out, "<tr>");
        cell(out, "s", lines.data[i].before, lines.data[i].text);
        cell(out, "s", lines.data[i].after, lines.data[i].text);
        ten_buf_adds(out, "</tr>\n");
      } else if (!gap) {
        ten_buf_adds(out, "<tr><td class=gap colspan=4>⋯</td></tr>\n");
      }
      gap = !near;
      i++;
      continue;
    }
    size_t old = i, stop = i; /* pairs a run of removed lines with the following run of added ones */
    while (stop < lines.count && lines.data[stop].sign == '-') stop++;
    size_t fresh = stop, end = stop;
    while (end < lines.count && lines.data[end].sign == '+') end++;
    for (; old < stop || fresh < end;) {
      ten_buf_adds(out, "<tr>");
      if (old < stop)
        cell(out, "d", lines.data[old].before, lines.data[old].text), old++;
      else
        cell(out, "e", 0, (ten_str){"", 0});
      if (fresh < end)
        cell(out, "a", lines.data[fresh].after, lines.data[fresh].text), fresh++;
      else
        cell(out, "e", 0, (ten_str){"", 0});
      ten_buf_adds(out, "</tr>\n");
    }
    i = end;
    gap = false;
  }
  ten_buf_adds(out, "</table>\n");
  ten_vec_free(&lines);
}

static void html_notes(const ten_migrated *file, ten_buf *out) {
  for (size_t n = 0; n < file->notes.count; n++) {
    const ten_migrate_note *note = &file->notes.data[n];
    ten_buf_printf(out, "<li class=%s><b>%s</b> line %u (rule %u %s): ", ten_note_kind_name(note->kind),
                   ten_note_kind_name(note->kind), note->line, note->rule, note->name);
    escaped(out, ten_str_of(note->text));
    ten_buf_adds(out, "</li>\n");
  }
}

static void html_changes(const ten_migrated *file, ten_buf *out) {
  ten_buf_adds(out, "<details><summary>rules applied</summary><ul>\n");
  for (size_t c = 0; c < file->changes.count; c++) {
    const ten_migrate_change *change = &file->changes.data[c];
    ten_buf_printf(out, "<li>line %u: %u %s — ", change->line, change->rule, change->name);
    escaped(out, ten_str_of(change->reason));
    ten_buf_adds(out, "</li>\n");
  }
  ten_buf_adds(out, "</ul></details>\n");
}

void ten_report_html(const ten_migration *migration, ten_buf *out) {
  ten_buf_adds(
      out,
      "<!doctype html>\n<html lang=en><meta charset=utf-8><title>tenfold migrate</title>\n<style>\n"
      "body{font:15px/1.5 system-ui,sans-serif;max-width:1400px;margin:2em auto;padding:0 1em;color:#222}\n"
      "table.diff{border-collapse:collapse;width:100%;table-layout:fixed;font:12px/1.45 ui-monospace,monospace;margin:.5em 0 2em}\n"
      "td{white-space:pre-wrap;overflow-wrap:anywhere;vertical-align:top;padding:0 .5em}col.n{width:3.5em}td.n{color:#999;text-align:right}\n"
      "td.d{background:#ffe9e9}td.a{background:#e6f6e6}td.e{background:#f6f6f6}td.gap{color:#999;text-align:center}\n"
      "li.human b{color:#b00}li.recompile b,li.fallback b{color:#a60}li.host-sync b{color:#06a}summary{cursor:pointer}\n"
      "@media(prefers-color-scheme:dark){body{background:#181818;color:#ddd}td.d{background:#4a2020}td.a{background:#1d3d1d}td.e{background:#222}}\n"
      "</style>\n<h1>tenfold migrate</h1>\n<p>");
  unsigned changed = 0, changes = 0, people = 0;
  for (size_t i = 0; i < migration->files.count; i++) {
    const ten_migrated *file = migration->files.data[i];
    changed += file->state == TEN_FILE_CHANGED;
    changes += (unsigned)file->changes.count;
    for (size_t n = 0; n < file->notes.count; n++) people += file->notes.data[n].kind == TEN_NOTE_HUMAN;
  }
  ten_buf_printf(
      out,
      "Target %s. %zu files, %u changed, %u changes, %.0f%% of the device-specific calls migrated, %u places for a person.</p>\n",
      migration->target == TEN_TARGET_TORCH_XLA ? "torch_xla" : "torch_tpu", migration->files.count, changed, changes,
      ten_migration_coverage(migration), people);
  for (size_t i = 0; i < migration->files.count; i++) {
    const ten_migrated *file = migration->files.data[i];
    if (file->state == TEN_FILE_NOT_TORCH || (file->state == TEN_FILE_UNCHANGED && !file->notes.count)) continue;
    ten_buf_adds(out, "<h2>");
    escaped(out, ten_str_of(file->relative));
    ten_buf_adds(out, "</h2>\n");
    if (file->error) {
      ten_buf_adds(out, "<p><b>failed:</b> ");
      escaped(out, ten_str_of(file->error));
      ten_buf_adds(out, "</p>\n");
    }
    if (file->notes.count) {
      ten_buf_adds(out, "<ul>\n");
      html_notes(file, out);
      ten_buf_adds(out, "</ul>\n");
    }
    if (file->state != TEN_FILE_CHANGED) continue;
    html_changes(file, out);
    side_by_side(file, out);
  }
  ten_buf_adds(out, "</html>\n");
}
