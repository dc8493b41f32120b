/* file.c: migrates one file: parse, rules, questions, comments, and the check that the result still parses. */
#include <stdio.h>
#include <stdlib.h>

#include "migrate/migration.h"

void ten_migrated_fail(ten_migrated *file, ten_status *status) {
  if (!file->error) {
    const char *text = ten_status_text(status);
    ten_buf copy = {0};
    ten_buf_adds(&copy, text);
    file->error = ten_buf_take(&copy);
  }
  file->state = TEN_FILE_FAILED;
  ten_status_free(status);
}

static bool is_notebook(const ten_migrated *file) { return ten_str_ends(ten_str_of(file->path), ".ipynb"); }

void ten_migrated_parse(ten_migrated *file) {
  ten_str source = {file->before, file->before_size};
  if (source.size >= 3 && !memcmp(source.data, "\xef\xbb\xbf", 3)) {
    file->bom = 3;
    source.data += 3;
    source.size -= 3;
  }
  ten_str parsed = source;
  if (is_notebook(file)) {
    file->notebook = ten_alloc(sizeof *file->notebook);
    memset(file->notebook, 0, sizeof *file->notebook);
    ten_status *status = ten_notebook_split(source, file->notebook);
    if (status) {
      ten_migrated_fail(file, ten_error_at(status, file->path, 0, 0));
      return;
    }
    source = (ten_str){file->notebook->text.data ? file->notebook->text.data : "", file->notebook->text.size};
    parsed = (ten_str){file->notebook->parsed.data ? file->notebook->parsed.data : "", file->notebook->parsed.size};
  }
  ten_py_file *python = ten_arena_new(&file->arena, ten_py_file);
  python->path = file->path;
  python->relative = file->relative;
  python->arena = &file->arena;
  python->source = source;
  ten_status *status = ten_py_parse(&file->arena, parsed, &python->tree);
  if (status) status = ten_error_at(status, file->path, 0, 0);
  file->parsed = python->tree.parsed;
  if (!status && !file->notebook) ten_py_check_indentation(&python->tree); /* cells may be indented */
  if (!status && python->tree.has_error) {
    unsigned row = python->tree.error_row + 1;
    if (file->notebook) {
      uint32_t offset = 0;
      for (uint32_t r = 0; r < python->tree.error_row && offset < parsed.size; offset++)
        r += parsed.data[offset] == '\n';
      const int cell = ten_notebook_place(file->notebook, offset, &row);
      status = ten_error(TEN_INVALID, "cell %d, line %u does not parse as Python; left as it is", cell, row);
    } else {
      status = ten_error(TEN_INVALID, "does not parse as Python; left as it is");
    }
    status =
        ten_error_at(status, file->path, file->notebook ? 0 : row, file->notebook ? 0 : python->tree.error_column + 1);
  }
  if (status) {
    ten_migrated_fail(file, status);
    return;
  }
  file->file = python;
}

enum { SHOWN_MAX = 400 };

/* Of a statement much longer than the excerpt, the part around `about`. */
static void shown_part(ten_str source, const ten_py_node *about, uint32_t *start, uint32_t *end) {
  if (*end - *start < 16 * SHOWN_MAX) return;
  if (about->start - *start > SHOWN_MAX / 2) {
    *start = about->start - SHOWN_MAX / 2;
    while (*start < about->start && ((unsigned char)source.data[*start] & 0xc0) == 0x80) (*start)++;
  }
  if (*end - *start > 4 * SHOWN_MAX) *end = *start + 4 * SHOWN_MAX;
}

/* The text of the statement (its first lines) that contains a node, before and after the edits. */
static void change_texts(ten_rewrite *rw, ten_change *change, bool after, char **out_text) {
  const ten_str source = rw->file->source;
  ten_py_node *statement = ten_py_statement(change->node);
  if (!statement) statement = change->node;
  uint32_t start = statement->start, end = statement->end;
  if (ten_py_field_of(statement, PY_F_BODY) || ten_py_field_of(statement, PY_F_CONSEQUENCE) ||
      statement->kind == PY_DECORATED || statement->kind == PY_TRY) {
    start = change->node->start; /* of a compound statement only its first line */
    end = change->node->end;
    while (start > statement->start && source.data[start - 1] != '\n') start--;
  }
  if (end - start < 16 * SHOWN_MAX)
    while (end < source.size && source.data[end] != '\n' && source.data[end] != '\r') end++;
  shown_part(source, change->node, &start, &end);
  while (start < end && (source.data[start] == ' ' || source.data[start] == '\t')) start++;
  ten_buf text = {0};
  if (after)
    ten_edits_apply_span(&rw->edits, source, start, end, &text);
  else
    ten_buf_add(&text, source.data + start, end - start);
  if (text.size > SHOWN_MAX) {
    text.size = SHOWN_MAX;
    while (text.size && ((unsigned char)text.data[text.size] & 0xc0) == 0x80) text.size--; /* whole characters */
    ten_buf_adds(&text, "…");
  }
  if (!text.data) ten_buf_adds(&text, "");
  *out_text = ten_buf_take(&text);
}

/* A position with a known column: the next one on that line need not scan the line again. */
typedef struct known_column {
  uint32_t place, column;
} known_column;

static unsigned column_of(const ten_py_file *file, const ten_py_node *node, known_column *known) {
  uint32_t start = node->start;
  while (start > 0 && start != known->place && file->source.data[start - 1] != '\n' &&
         file->source.data[start - 1] != '\r')
    start--;
  const uint32_t before = start && start == known->place ? known->column : 1;
  *known = (known_column){node->start, node->start - start + before};
  return known->column;
}

static int place_of(const ten_migrated *file, const ten_py_node *node, unsigned *out_line) {
  *out_line = node->row + 1;
  return file->notebook ? ten_notebook_place(file->notebook, node->start, out_line) : -1;
}

static bool has_edits(const ten_rewrite *rw, unsigned change) { return ten_edits_has(&rw->edits, change); }

static void ask_about(ten_migrated *file, ten_rewrite *rw) {
  const ten_migrate_options *options = rw->options;
  for (size_t c = 0; options->ask && c < rw->changes.count; c++) {
    ten_change *change = &rw->changes.data[c];
    if (!has_edits(rw, (unsigned)c) || change->rule->number == 100) continue;
    char *before = NULL, *after = NULL;
    change_texts(rw, change, false, &before);
    change_texts(rw, change, true, &after);
    unsigned line = 0;
    place_of(file, change->node, &line);
    if (!options->ask(options->ask_user, file->path, line, change->rule->number, change->rule->reason, before, after))
      ten_edits_drop(&rw->edits, (unsigned)c);
    free(before);
    free(after);
  }
  bool left = false; /* only imports: nothing */
  for (size_t c = 0; c < rw->changes.count; c++)
    left |= rw->changes.data[c].rule->number != 100 && has_edits(rw, (unsigned)c);
  for (size_t c = 0; !left && c < rw->changes.count; c++) ten_edits_drop(&rw->edits, (unsigned)c);
}

/* A line above each changed statement names the rules. Only if a statement starts its line. */
static void add_comments(ten_rewrite *rw) {
  const ten_str source = rw->file->source;
  const size_t changes = rw->changes.count;
  for (size_t c = 0; c < changes; c++) {
    const ten_change *change = &rw->changes.data[c];
    ten_py_node *statement = ten_py_statement(change->node);
    if (!statement || !has_edits(rw, (unsigned)c) || change->rule->number == 100) continue;
    if (statement->parent->parent && statement->parent->kind == PY_DECORATED) statement = statement->parent;
    uint32_t start = statement->start;
    while (start > 0 && source.data[start - 1] != '\n' && source.data[start - 1] != '\r') start--;
    uint32_t indent = start;
    while (indent < statement->start && (source.data[indent] == ' ' || source.data[indent] == '\t')) indent++;
    if (indent != statement->start || !ten_edits_free_span(&rw->edits, start, start)) continue;
    bool said = false;
    for (size_t d = 0; d < c && !said; d++)
      said = rw->changes.data[d].rule == change->rule &&
             ten_py_statement(rw->changes.data[d].node) == ten_py_statement(change->node) && has_edits(rw, (unsigned)d);
    if (said) continue;
    const char *line_end = source.size > start && memchr(source.data, '\r', source.size) ? "\r\n" : "\n";
    ten_buf text = {0};
    ten_buf_printf(&text, "%.*s# tenfold %u %s: %s%s", (int)(indent - start), source.data + start, change->rule->number,
                   change->rule->name, change->rule->reason, line_end);
    ten_edits_add_comment(&rw->edits, start, (ten_str){text.data, text.size}, (unsigned)c);
    ten_buf_free(&text);
  }
}

static int change_compare(const void *a, const void *b) {
  const ten_migrate_change *left = a, *right = b;
  if (left->cell != right->cell) return left->cell < right->cell ? -1 : 1;
  if (left->line != right->line) return left->line < right->line ? -1 : 1;
  return left->rule < right->rule ? -1 : left->rule > right->rule;
}

static int note_compare(const void *a, const void *b) {
  const ten_migrate_note *left = a, *right = b;
  if (left->cell != right->cell) return left->cell < right->cell ? -1 : 1;
  if (left->line != right->line) return left->line < right->line ? -1 : 1;
  return left->rule < right->rule ? -1 : left->rule > right->rule;
}

static void keep_results(ten_migrated *file, ten_rewrite *rw) {
  known_column known = {0, 1};
  for (size_t c = 0; c < rw->changes.count; c++) {
    ten_change *change = &rw->changes.data[c];
    if (!has_edits(rw, (unsigned)c)) continue;
    char *before = NULL, *after = NULL;
    change_texts(rw, change, false, &before);
    change_texts(rw, change, true, &after);
    ten_migrate_change kept = {.size = sizeof kept,
                               .rule = change->rule->number,
                               .name = change->rule->name,
                               .reason = change->rule->reason,
                               .column = column_of(rw->file, change->node, &known),
                               .before = before,
                               .after = after};
    kept.cell = place_of(file, change->node, &kept.line);
    ten_vec_push(&file->changes, kept);
  }
  if (file->changes.count) qsort(file->changes.data, file->changes.count, sizeof *file->changes.data, change_compare);
  for (size_t n = 0; n < rw->notes.count; n++) {
    ten_note *note = &rw->notes.data[n];
    ten_migrate_note kept = {.size = sizeof kept,
                             .rule = note->rule->number,
                             .name = note->rule->name,
                             .kind = note->kind,
                             .column = column_of(rw->file, note->node, &known),
                             .text = note->text};
    kept.cell = place_of(file, note->node, &kept.line);
    ten_vec_push(&file->notes, kept);
    note->text = NULL;
  }
  if (file->notes.count) qsort(file->notes.data, file->notes.count, sizeof *file->notes.data, note_compare);
  file->seen = rw->seen;
  file->handled = rw->handled;
}

/* The whole new file; `python` receives the Python part alone for the check. */
static void render(ten_migrated *file, ten_rewrite *rw, ten_buf *whole, ten_buf *python) {
  const ten_str text = {file->before + file->bom, file->before_size - file->bom};
  ten_buf_add(whole, file->before, file->bom);
  if (file->notebook) {
    ten_notebook_join(file->notebook, text, &rw->edits, whole);
    ten_edits_apply(&rw->edits, rw->file->tree.text, python);
  } else {
    ten_edits_apply(&rw->edits, text, whole);
    ten_buf_add(python, whole->data + file->bom, whole->size - file->bom);
  }
}

void ten_migrated_rewrite(ten_migrated *file, const ten_migrate_options *options, const struct ten_user_rules *user) {
  if (!file->file) return;
  if (!file->file->uses_torch) {
    file->state = TEN_FILE_NOT_TORCH;
    return;
  }
  ten_rewrite rw = {.file = file->file,
                    .options = options,
                    .xla = options->target == TEN_TARGET_TORCH_XLA,
                    .edits = {.arena = &file->arena}};
  ten_rules_run(&rw, user);
  ask_about(file, &rw);
  if (options->comments) add_comments(&rw);
  file->state = TEN_FILE_UNCHANGED;
  if (rw.edits.list.count) {
    ten_buf whole = {0}, python = {0};
    render(file, &rw, &whole, &python);
    file->after_size = whole.size;
    file->after = ten_buf_take(&whole);
    struct TSTree *parsed = file->parsed;
    file->parsed = NULL; /* a half-edited tree cannot be released: out of memory leaks it */
    if (parsed) ten_py_tree_edit(parsed, file->file->tree.text, &rw.edits); /* in the order of rendering */
    file->parsed = parsed;
    if (file->notebook)
      file->checked = python;
    else
      ten_buf_free(&python);
    if (file->after_size != file->before_size || memcmp(file->after, file->before, file->before_size))
      file->state = TEN_FILE_CHANGED;
  }
  keep_results(file, &rw);
  for (size_t n = 0; n < rw.notes.count; n++) free(rw.notes.data[n].text);
  ten_edits_free(&rw.edits);
  ten_vec_free(&rw.changes);
  ten_vec_free(&rw.notes);
  ten_vec_free(&rw.blocks);
  ten_vec_free(&rw.moved_loops);
}

void ten_migrated_drop_parse(ten_migrated *file) {
  ten_py_tree_release(file->parsed);
  file->parsed = NULL;
}

void ten_migrated_check(ten_migrated *file) {
  if (file->state != TEN_FILE_CHANGED) {
    ten_migrated_drop_parse(file);
    return;
  }
  const ten_str python = file->notebook ? (ten_str){file->checked.data, file->checked.size}
                                        : (ten_str){file->after + file->bom, file->after_size - file->bom};
  bool ok = false;
  uint32_t row = 0, column = 0;
  struct TSTree *parsed = file->parsed;
  file->parsed = NULL; /* as above */
  ten_status *status = ten_py_check(python, parsed, file->notebook != NULL, &ok, &row, &column);
  file->parsed = parsed;
  if (!status && !ok)
    status = ten_error(TEN_INTERNAL, "the rewritten text would not parse (its line %u); left as it is", row + 1);
  ten_migrated_drop_parse(file);
  if (status) {
    ten_migrated_clear(file);
    ten_migrated_fail(file, ten_error_at(status, file->path, 0, 0));
  }
}
