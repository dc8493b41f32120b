/* rewrite.c: the editing primitives of rules. Each keeps Python parseable; all edits together are checked once more at
 * the end (file.c). */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "migrate/rule.h"

static ten_str source_of(const ten_rewrite *rw) { return rw->file->source; }

char *ten_scratch(ten_rewrite *rw) { return rw->scratch[rw->scratch_next++ % 8]; }

unsigned ten_change_begin(ten_rewrite *rw, const ten_rewrite_rule *rule, ten_py_node *node) {
  ten_vec_push(&rw->changes, (ten_change){rule, node, NULL, NULL});
  return (unsigned)rw->changes.count - 1;
}

/* Inside an f-string new text uses the other quotes: before Python 3.12 the same ones would end it. */
static void fit_quotes(const ten_rewrite *rw, unsigned change, uint32_t start, ten_buf *text) {
  const ten_str source = source_of(rw);
  for (const ten_py_node *node = rw->changes.data[change].node; node; node = node->parent) {
    if (node->kind != PY_STRING || node->start >= start || node->end <= start) continue;
    uint32_t at = node->start;
    while (at < start && source.data[at] != '"' && source.data[at] != '\'') at++;
    const char quote = source.data[at], other = quote == '"' ? '\'' : '"';
    for (size_t i = 0; i < text->size; i++)
      if (text->data[i] == quote) text->data[i] = other;
    return;
  }
}

static bool change_edit_v(ten_rewrite *rw, unsigned change, uint32_t start, uint32_t end, const char *format,
                          va_list args) {
  ten_buf text = {0};
  ten_buf_vprintf(&text, format, args);
  fit_quotes(rw, change, start, &text);
  const bool added = ten_edits_add(&rw->edits, start, end, (ten_str){text.data ? text.data : "", text.size}, change);
  ten_buf_free(&text);
  return added;
}

bool ten_change_edit(ten_rewrite *rw, unsigned change, uint32_t start, uint32_t end, const char *format, ...) {
  va_list args;
  va_start(args, format);
  const bool added = change_edit_v(rw, change, start, end, format, args);
  va_end(args);
  return added;
}

/* Drops a change that could not be applied, unless it already has edits. */
static bool change_settle(ten_rewrite *rw, unsigned change, bool added) {
  if (!added && change + 1 == rw->changes.count) {
    ten_edits_drop(&rw->edits, change);
    rw->changes.count--;
  }
  return added;
}

static char after_statement(ten_str source, uint32_t end);

bool ten_rewrite_node(ten_rewrite *rw, const ten_rewrite_rule *rule, ten_py_node *node, const char *format, ...) {
  va_list args;
  va_start(args, format);
  ten_buf text = {0};
  ten_buf_vprintf(&text, format, args);
  va_end(args);
  /* Moves a comment inside a deleted span behind it; if code follows on the line, nothing is done. */
  bool room = true;
  for (ten_py_node *part = node; part; part = ten_py_walk(part, node, false)) {
    if (part->kind != PY_COMMENT) continue;
    room = after_statement(source_of(rw), node->end) == 0;
    ten_buf_printf(&text, "  %.*s", TEN_FMT(rw_text(rw, part)));
  }
  bool added = false;
  if (room) {
    const unsigned change = ten_change_begin(rw, rule, node);
    fit_quotes(rw, change, node->start, &text);
    const ten_str replacement = {text.data ? text.data : "", text.size};
    added = change_settle(rw, change, ten_edits_add(&rw->edits, node->start, node->end, replacement, change));
  }
  ten_buf_free(&text);
  if (added) node->claimed = true;
  return added;
}

bool ten_rewrite_span(ten_rewrite *rw, const ten_rewrite_rule *rule, ten_py_node *about, uint32_t start, uint32_t end,
                      const char *format, ...) {
  va_list args;
  va_start(args, format);
  const unsigned change = ten_change_begin(rw, rule, about);
  const bool added = change_settle(rw, change, change_edit_v(rw, change, start, end, format, args));
  va_end(args);
  return added;
}

void ten_note_add(ten_rewrite *rw, const ten_rewrite_rule *rule, ten_note_kind kind, ten_py_node *node,
                  const char *format, ...) {
  for (size_t i = 0; i < rw->notes.count; i++) /* a rule adds one note per line */
    if (rw->notes.data[i].rule == rule && rw->notes.data[i].node->row == node->row) return;
  ten_buf text = {0};
  va_list args;
  va_start(args, format);
  ten_buf_vprintf(&text, format, args);
  va_end(args);
  ten_vec_push(&rw->notes, (ten_note){rule, kind, node, ten_buf_take(&text)});
}

void ten_coverage(ten_rewrite *rw, bool handled) {
  rw->seen++;
  rw->handled += handled;
}

static uint32_t line_start(ten_str source, uint32_t at) {
  while (at > 0 && source.data[at - 1] != '\n' && source.data[at - 1] != '\r') at--;
  return at;
}

static uint32_t line_end(ten_str source, uint32_t at) { /* before the line break */
  while (at < source.size && source.data[at] != '\n' && source.data[at] != '\r') at++;
  return at;
}

static uint32_t blank_end(ten_str source, uint32_t at) {
  while (at < source.size && (source.data[at] == ' ' || source.data[at] == '\t')) at++;
  return at;
}

static const char *line_break(ten_str source, uint32_t at) {
  const uint32_t end = line_end(source, at);
  if (end + 1 < source.size && source.data[end] == '\r' && source.data[end + 1] == '\n') return "\r\n";
  if (end >= source.size && end > 0) { /* the last line: use the first line's ending */
    const uint32_t first = line_end(source, 0);
    if (first + 1 < source.size && source.data[first] == '\r' && source.data[first + 1] == '\n') return "\r\n";
  }
  return end < source.size && source.data[end] == '\r' ? "\r" : "\n";
}

static bool starts_line(ten_str source, const ten_py_node *node) {
  const uint32_t start = line_start(source, node->start);
  return blank_end(source, start) == node->start;
}

const char *ten_indent_of(ten_rewrite *rw, const ten_py_node *statement) {
  const ten_str source = source_of(rw);
  const uint32_t start = line_start(source, statement->start), end = blank_end(source, start);
  char *indent = ten_scratch(rw);
  const size_t size = end - start < 500 ? end - start : 500;
  memcpy(indent, source.data + start, size);
  indent[size] = 0;
  return indent;
}

/* What follows a statement on its line: 0 nothing (or a comment), ';' another statement, else something unknown. */
static char after_statement(ten_str source, uint32_t end) {
  const uint32_t at = blank_end(source, end);
  if (at >= source.size || source.data[at] == '\n' || source.data[at] == '\r' || source.data[at] == '#') return 0;
  return source.data[at];
}

bool ten_alone_on_line(ten_rewrite *rw, const ten_py_node *statement) {
  return starts_line(source_of(rw), statement) && !after_statement(source_of(rw), statement->end);
}

static bool insert_after_v(ten_rewrite *rw, const ten_rewrite_rule *rule, ten_py_node *statement, const char *format,
                           va_list args) {
  const ten_str source = source_of(rw);
  ten_buf text = {0};
  const char next = after_statement(source, statement->end);
  const bool compound = ten_py_field_of(statement, PY_F_BODY) || ten_py_field_of(statement, PY_F_CONSEQUENCE) ||
                        statement->kind == PY_TRY || statement->kind == PY_DECORATED;
  uint32_t at = statement->end;
  int indent = -1;
  if (!next && starts_line(source, statement)) {
    at = line_end(source, statement->end);
    indent = (int)(statement->start - line_start(source, statement->start));
    ten_buf_adds(&text, line_break(source, at));
    ten_buf_adds(&text, ten_indent_of(rw, statement));
    ten_buf_vprintf(&text, format, args);
  } else if (!compound) { /* shares its line: if x: optimizer.step() */
    ten_buf_adds(&text, "; ");
    ten_buf_vprintf(&text, format, args);
  } else {
    return false;
  }
  const unsigned change = ten_change_begin(rw, rule, statement);
  const ten_str line = {text.data, text.size};
  const bool added = change_settle(rw, change, ten_edits_add_line(&rw->edits, at, line, indent, change));
  ten_buf_free(&text);
  return added;
}

bool ten_insert_after(ten_rewrite *rw, const ten_rewrite_rule *rule, ten_py_node *statement, const char *format, ...) {
  va_list args;
  va_start(args, format);
  const bool added = insert_after_v(rw, rule, statement, format, args);
  va_end(args);
  return added;
}

bool ten_insert_before(ten_rewrite *rw, const ten_rewrite_rule *rule, ten_py_node *statement, const char *format, ...) {
  const ten_str source = source_of(rw);
  if (statement->parent && statement->parent->kind == PY_DECORATED) statement = statement->parent;
  ten_buf text = {0};
  va_list args;
  va_start(args, format);
  ten_buf_vprintf(&text, format, args);
  va_end(args);
  if (starts_line(source, statement)) {
    ten_buf_adds(&text, line_break(source, statement->start));
    ten_buf_adds(&text, ten_indent_of(rw, statement));
  } else {
    ten_buf_adds(&text, "; ");
  }
  const unsigned change = ten_change_begin(rw, rule, statement);
  const bool added = change_settle(
      rw, change,
      ten_edits_add(&rw->edits, statement->start, statement->start, (ten_str){text.data, text.size}, change));
  ten_buf_free(&text);
  return added;
}

static bool last_of_block(ten_rewrite *rw, const ten_py_node *block) {
  unsigned statements = ten_py_named_count(block);
  for (size_t i = 0; i < rw->blocks.count; i++)
    if (rw->blocks.data[i].block == block) return statements - ++rw->blocks.data[i].deleted == 0;
  ten_vec_push(&rw->blocks, (ten_block_count){block, 1});
  return statements == 1;
}

bool ten_delete_statement(ten_rewrite *rw, const ten_rewrite_rule *rule, ten_py_node *statement) {
  const ten_str source = source_of(rw);
  if (!ten_edits_free_span(&rw->edits, statement->start, statement->end)) return false;
  uint32_t start = statement->start, end = statement->end;
  const char next = after_statement(source, end);
  const char *text = "";
  if (statement->parent->kind == PY_BLOCK && last_of_block(rw, statement->parent)) {
    text = "pass";
  } else if (next == ';') {
    end = blank_end(source, blank_end(source, end) + 1);
    if (after_statement(source, end) == 0) text = "pass"; /* "a; " with nothing after it */
  } else if (!starts_line(source, statement)) {           /* the last of a; b; c, or alone after a colon */
    uint32_t before = start;
    while (before > 0 && (source.data[before - 1] == ' ' || source.data[before - 1] == '\t')) before--;
    if (before > 0 && source.data[before - 1] == ';')
      start = before - 1;
    else
      text = "pass";
  } else {
    const uint32_t after = blank_end(source, end);
    if (after < source.size && source.data[after] == '#') {
      end = after; /* the comment stays on its line */
    } else {
      start = line_start(source, start);
      end = line_end(source, end);
      if (end < source.size && source.data[end] == '\r') end++;
      if (end < source.size && source.data[end] == '\n') end++;
    }
  }
  const unsigned change = ten_change_begin(rw, rule, statement);
  const bool added = change_settle(rw, change, ten_edits_add(&rw->edits, start, end, ten_str_of(text), change));
  if (added) statement->claimed = true;
  return added;
}

bool ten_delete_argument(ten_rewrite *rw, const ten_rewrite_rule *rule, ten_py_node *argument) {
  const ten_str source = source_of(rw);
  const ten_py_node *list = argument->parent;
  uint32_t start = argument->start, end = argument->end;
  uint32_t after = end;
  while (after < list->end && strchr(" \t\r\n", source.data[after])) after++;
  const ten_py_node *before = ten_py_prev(argument);
  if (before && !(after < list->end && source.data[after] == ',' && !argument->next)) {
    start = before->end; /* delete ", argument" */
    for (const ten_py_node *c = before->next; c && c != argument; c = c->next)
      if (c->kind == PY_COMMENT) start = argument->start; /* keep the comment between */
    if (start == argument->start && after < list->end && source.data[after] == ',') end = after + 1;
  } else if (after < list->end && source.data[after] == ',') { /* delete "argument, " */
    end = after + 1;
    if (before) {
      start = before->end;
      end = after; /* keep the trailing comma */
    } else {
      while (end < list->end && strchr(" \t\r\n", source.data[end]) && argument->next) end++;
    }
  }
  for (const ten_py_node *c = list->child; c; c = c->next) /* never delete a comment */
    if (c->kind == PY_COMMENT && c->start < end && c->end > start) return false;
  const unsigned change = ten_change_begin(rw, rule, argument);
  const bool added = change_settle(rw, change, ten_edits_add(&rw->edits, start, end, (ten_str){"", 0}, change));
  if (added) argument->claimed = true;
  return added;
}

bool ten_add_argument(ten_rewrite *rw, const ten_rewrite_rule *rule, ten_py_node *call, const char *format, ...) {
  const ten_py_node *arguments = ten_py_field_of(call, PY_F_ARGUMENTS);
  if (!arguments || arguments->kind != PY_ARGUMENTS) return false;
  const ten_py_node *last = ten_py_last(arguments);
  ten_buf text = {0};
  if (last) ten_buf_adds(&text, ", ");
  va_list args;
  va_start(args, format);
  ten_buf_vprintf(&text, format, args);
  va_end(args);
  const uint32_t at = last ? last->end : arguments->start + 1;
  const unsigned change = ten_change_begin(rw, rule, call);
  fit_quotes(rw, change, at, &text);
  const bool added =
      change_settle(rw, change, ten_edits_add(&rw->edits, at, at, (ten_str){text.data, text.size}, change));
  ten_buf_free(&text);
  return added;
}

bool ten_is_launch(ten_rewrite *rw, const ten_py_node *node) {
  char dotted[TEN_DOTTED_MAX];
  return node->kind == PY_CALL && ten_dotted(rw->file, ten_py_field_of(node, PY_F_FUNCTION), dotted) &&
         (!strcmp(dotted, "torch.multiprocessing.spawn") || !strcmp(dotted, "torch.multiprocessing.spawn.spawn") ||
          !strcmp(dotted, "torch_xla.launch") || !strcmp(dotted, "torch_xla.distributed.xla_multiprocessing.spawn"));
}

bool ten_before_launch(ten_rewrite *rw, const ten_py_node *node) {
  ten_py_node *root = rw->file->tree.root;
  for (ten_py_node *n = root; n && !rw->launches; n = ten_py_walk(n, root, false)) rw->launches = ten_is_launch(rw, n);
  if (!rw->launches) rw->launches = -1;
  if (rw->launches < 0) return false;
  const ten_py_node *function = node;
  while (function && function->kind != PY_FUNCTION) function = function->parent;
  if (!function) return true; /* the module's top-level code runs first */
  for (ten_py_node *n = (ten_py_node *)function; n; n = ten_py_walk(n, function, false))
    if (ten_is_launch(rw, n)) return true;
  return false;
}

const char *ten_device_name(const ten_rewrite *rw) { return rw->xla ? "xla" : "tpu"; }

const char *ten_device_call(ten_rewrite *rw) {
  char *text = ten_scratch(rw);
  if (rw->xla && rw->at && ten_before_launch(rw, rw->at)) {
    snprintf(text, 512, "%s.device(\"xla\")", ten_use(rw, MOD_TORCH));
    ten_use(rw, MOD_XLA);
  } else if (rw->xla)
    snprintf(text, 512, "%s.device()", ten_use(rw, MOD_XLA));
  else
    snprintf(text, 512, "%s.device(\"tpu\")", ten_use(rw, MOD_TORCH));
  if (!rw->xla) ten_use(rw, MOD_TPU);
  return text;
}

/* Whether `binding` dominates `node`: it comes earlier in a block around `node`, or it is at module level and `node` is
 * inside a function defined after it, or it is a parameter. */
static bool bound_before(const ten_py_binding *binding, const ten_py_node *node) {
  if (binding->how == BIND_PARAM) return binding->value == NULL || binding->value->kind != PY_NONE;
  if (binding->how != BIND_ASSIGN) return false;
  const ten_py_node *statement = ten_py_statement(binding->site);
  if (!statement || statement->start >= node->start) return false;
  return ten_py_inside(node, statement->parent) && !ten_py_inside(node, statement);
}

const char *ten_device_expression(ten_rewrite *rw, const ten_py_node *node) {
  static const char *const usual[] = {"device", "DEVICE", "dev", "Device", NULL};
  for (int i = 0; usual[i]; i++) {
    ten_py_name *name = ten_name_lookup(rw->file, node, ten_str_of(usual[i]));
    if (!name || !(ten_py_value_of_name(rw->file, name) & V_DEVICE)) continue;
    for (const ten_py_binding *b = name->first; b; b = b->next)
      if (b->file == rw->file && bound_before(b, node)) return usual[i];
  }
  return ten_device_call(rw);
}

const char *ten_quoted(ten_rewrite *rw, const ten_py_node *like, const char *text) {
  char *out = ten_scratch(rw);
  const ten_str original = rw_text(rw, like);
  const char quote = original.size && original.data[original.size - 1] == '\'' ? '\'' : '"';
  snprintf(out, 512, "%c%s%c", quote, text, quote);
  return out;
}
