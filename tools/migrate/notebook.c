/* notebook.c: converts a Jupyter notebook to one Python text and back. The JSON is scanned in place, so unchanged
 * cells, and everything around the cells, keep every byte. In a changed cell, unchanged lines are copied as
 * written. */
#include <stdio.h>
#include <stdlib.h>

#include "migrate/migration.h"

typedef struct scan {
  ten_str text;
  size_t at;
  int depth;
} scan;

static void skip_space(scan *s) {
  while (s->at < s->text.size && strchr(" \t\r\n", s->text.data[s->at])) s->at++;
}

static bool skip_char(scan *s, char c) {
  skip_space(s);
  if (s->at >= s->text.size || s->text.data[s->at] != c) return false;
  s->at++;
  return true;
}

static bool scan_string(scan *s, ten_str *out_raw) { /* with its escapes, without its quotes */
  if (!skip_char(s, '"')) return false;
  const size_t start = s->at;
  while (s->at < s->text.size && s->text.data[s->at] != '"') s->at += s->text.data[s->at] == '\\' ? 2 : 1;
  if (s->at >= s->text.size) return false;
  *out_raw = (ten_str){s->text.data + start, s->at - start};
  s->at++;
  return true;
}

static bool skip_value(scan *s) {
  enum { DEPTH_MAX = 200 };
  ten_str raw;
  skip_space(s);
  if (s->at >= s->text.size || s->depth > DEPTH_MAX) return false;
  const char c = s->text.data[s->at];
  if (c == '"') return scan_string(s, &raw);
  if (c != '{' && c != '[') {
    const size_t start = s->at;
    while (s->at < s->text.size && !strchr(",]} \t\r\n", s->text.data[s->at])) s->at++;
    return s->at > start;
  }
  const char close = c == '{' ? '}' : ']';
  s->at++;
  s->depth++;
  if (skip_char(s, close)) return s->depth--, true;
  do {
    if (c == '{' && (!scan_string(s, &raw) || !skip_char(s, ':'))) return false;
    if (!skip_value(s)) return false;
  } while (skip_char(s, ','));
  s->depth--;
  return skip_char(s, close);
}

static void add_utf8(ten_buf *out, unsigned code) {
  if (code < 0x80)
    ten_buf_addc(out, (char)code);
  else if (code < 0x800)
    ten_buf_addc(out, (char)(0xc0 | code >> 6)), ten_buf_addc(out, (char)(0x80 | (code & 63)));
  else if (code < 0x10000)
    ten_buf_addc(out, (char)(0xe0 | code >> 12)), ten_buf_addc(out, (char)(0x80 | (code >> 6 & 63))),
        ten_buf_addc(out, (char)(0x80 | (code & 63)));
  else
    ten_buf_addc(out, (char)(0xf0 | code >> 18)), ten_buf_addc(out, (char)(0x80 | (code >> 12 & 63))),
        ten_buf_addc(out, (char)(0x80 | (code >> 6 & 63))), ten_buf_addc(out, (char)(0x80 | (code & 63)));
}

static unsigned hex4(const char *text) {
  char digits[5] = {0};
  memcpy(digits, text, 4);
  return (unsigned)strtoul(digits, NULL, 16);
}

static void add_decoded(ten_buf *out, ten_str raw) {
  static const char from[] = "nrtbf", to[] = "\n\r\t\b\f";
  for (size_t i = 0; i < raw.size; i++) {
    if (raw.data[i] != '\\' || i + 1 >= raw.size) {
      ten_buf_addc(out, raw.data[i]);
      continue;
    }
    const char c = raw.data[++i];
    const char *escape = strchr(from, c);
    if (c == 'u' && i + 4 < raw.size) {
      unsigned code = hex4(raw.data + i + 1);
      i += 4;
      if (code >= 0xd800 && code < 0xdc00 && i + 6 < raw.size && raw.data[i + 1] == '\\' && raw.data[i + 2] == 'u') {
        code = 0x10000 + ((code - 0xd800) << 10) + (hex4(raw.data + i + 3) - 0xdc00);
        i += 6;
      }
      add_utf8(out, code);
    } else {
      ten_buf_addc(out, escape && c ? to[escape - from] : c);
    }
  }
}

/* The parser state at the end of a line of Python. */
typedef struct open_line {
  int depth;      /* of brackets */
  char quote;     /* of a string in three quotes, else 0 */
  bool continued; /* the line ends in a backslash */
} open_line;

/* Scans the line that starts at `i`; returns the position of its line break, or the end. */
static size_t read_line(const ten_buf *text, size_t i, open_line *open) {
  char quote = open->quote;
  bool triple = quote != 0;
  open->continued = false;
  for (; i < text->size && text->data[i] != '\n'; i++) {
    const char c = text->data[i];
    const bool three = i + 2 < text->size && text->data[i + 1] == c && text->data[i + 2] == c;
    if (c == '\\') {
      open->continued = i + 1 >= text->size || text->data[i + 1] == '\n';
      if (!open->continued) i++;
    } else if (quote) {
      if (c != quote || (triple && !three)) continue;
      if (triple) i += 2;
      quote = 0;
    } else if (c == '\'' || c == '"') {
      quote = c;
      triple = three;
      if (triple) i += 2;
    } else if (c == '#') {
      while (i + 1 < text->size && text->data[i + 1] != '\n') i++;
    } else if (strchr("([{", c)) {
      open->depth++;
    } else if (strchr(")]}", c) && open->depth) {
      open->depth--;
    }
  }
  open->quote = triple ? quote : 0;
  return i;
}

/* Replaces %magic, !shell and ?help lines by comments of equal length; a %%cell magic does so for the whole cell.
 * Inside brackets, strings and continued lines these are Python's: "%d" \n % (i, j). */
static void hide_magics(ten_buf *parsed, size_t start) {
  const bool whole = start + 1 < parsed->size && parsed->data[start] == '%' && parsed->data[start + 1] == '%';
  open_line open = {0};
  for (size_t i = start; i < parsed->size; i++) {
    size_t first = i;
    while (first < parsed->size && (parsed->data[first] == ' ' || parsed->data[first] == '\t')) first++;
    const char c = first < parsed->size ? parsed->data[first] : '\n';
    const bool starts = !open.depth && !open.quote && !open.continued;
    if (c != '\n' && (whole || (starts && (c == '%' || c == '!' || c == '?')))) parsed->data[first] = '#';
    i = read_line(parsed, i, &open);
  }
}

static bool scan_source(scan *s, ten_notebook *notebook, int index, bool code) {
  skip_space(s);
  ten_cell cell = {.index = index, .json_start = (uint32_t)s->at, .start = (uint32_t)notebook->text.size};
  ten_str raw;
  const size_t kept = notebook->text.size;
  if (skip_char(s, '[')) {
    cell.list = true;
    if (!skip_char(s, ']')) {
      do {
        if (!scan_string(s, &raw)) return false;
        add_decoded(&notebook->text, raw);
      } while (skip_char(s, ','));
      if (!skip_char(s, ']')) return false;
    }
  } else {
    if (!scan_string(s, &raw)) return false;
    add_decoded(&notebook->text, raw);
  }
  cell.json_end = (uint32_t)s->at;
  cell.end = (uint32_t)notebook->text.size;
  if (!code) {
    notebook->text.size = kept;
    return true;
  }
  ten_buf_add(&notebook->parsed, notebook->text.data ? notebook->text.data + kept : "", notebook->text.size - kept);
  if (notebook->parsed.data) hide_magics(&notebook->parsed, kept);
  ten_buf_adds(&notebook->text, "\n");
  ten_buf_adds(&notebook->parsed, "\n");
  ten_vec_push(&notebook->cells, cell);
  return true;
}

static bool scan_cell(scan *s, ten_notebook *notebook, int index) {
  if (!skip_char(s, '{')) return false;
  size_t source_at = 0;
  bool code = false;
  if (skip_char(s, '}')) return true;
  do {
    ten_str key, value;
    if (!scan_string(s, &key) || !skip_char(s, ':')) return false;
    skip_space(s);
    if (ten_str_is(key, "source")) source_at = s->at;
    scan peek = *s;
    if (ten_str_is(key, "cell_type") && scan_string(&peek, &value)) code = ten_str_is(value, "code");
    if (!skip_value(s)) return false;
  } while (skip_char(s, ','));
  if (!skip_char(s, '}')) return false;
  if (!source_at || !code) return true;
  scan source = {s->text, source_at, 0};
  return scan_source(&source, notebook, index, code);
}

ten_status *ten_notebook_split(ten_str json, ten_notebook *out) {
  scan s = {json, 0, 0};
  bool found = false;
  if (!skip_char(&s, '{')) return ten_error(TEN_INVALID, "is not a notebook: its JSON does not start with an object");
  do {
    ten_str key;
    if (!scan_string(&s, &key) || !skip_char(&s, ':'))
      return ten_error(TEN_INVALID, "is not a notebook: its JSON is broken at byte %zu", s.at);
    if (ten_str_is(key, "cells") && !found) {
      found = true;
      int index = 0;
      if (!skip_char(&s, '[')) return ten_error(TEN_INVALID, "is not a notebook: \"cells\" is not a list");
      if (!skip_char(&s, ']')) {
        do {
          if (!scan_cell(&s, out, index++))
            return ten_error(TEN_INVALID, "is not a notebook: its JSON is broken at byte %zu, in cell %d", s.at,
                             index - 1);
        } while (skip_char(&s, ','));
        if (!skip_char(&s, ']'))
          return ten_error(TEN_INVALID, "is not a notebook: its JSON is broken at byte %zu", s.at);
      }
    } else if (!skip_value(&s)) {
      return ten_error(TEN_INVALID, "is not a notebook: its JSON is broken at byte %zu", s.at);
    }
  } while (skip_char(&s, ','));
  if (!skip_char(&s, '}')) return ten_error(TEN_INVALID, "is not a notebook: its JSON is broken at byte %zu", s.at);
  if (!found)
    return ten_error(
        TEN_UNSUPPORTED,
        "has no \"cells\": notebooks of format 4 are understood; jupyter nbconvert --to notebook upgrades older ones");
  return NULL;
}

/* The original spelling of the lines of a cell, in order; a line that the edits leave unchanged is copied. */
typedef struct spelling {
  ten_str raw;
  char *text; /* decoded */
  size_t size;
} spelling;
typedef TEN_VEC(spelling) spellings;

static void collect_spellings(const ten_cell *cell, ten_str json, spellings *out) {
  scan s = {{json.data, cell->json_end}, cell->json_start, 0};
  ten_str raw;
  if (!cell->list || !skip_char(&s, '[')) return;
  while (scan_string(&s, &raw)) {
    ten_buf text = {0};
    add_decoded(&text, raw);
    const size_t size = text.size;
    ten_vec_push(out, (spelling){raw, ten_buf_take(&text), size});
    if (!skip_char(&s, ',')) break;
  }
}

static void add_line(ten_buf *out, ten_str line, const spellings *known, size_t *hint) {
  for (size_t i = *hint; i < known->count; i++)
    if (ten_str_eq(line, (ten_str){known->data[i].text, known->data[i].size})) {
      ten_buf_printf(out, "\"%.*s\"", TEN_FMT(known->data[i].raw));
      *hint = i + 1;
      return;
    }
  ten_buf_add_json(out, line);
}

static void add_cell(const ten_cell *cell, ten_str json, ten_str text, ten_buf *out) {
  spellings known = {0};
  if (!cell->list) {
    ten_buf_add_json(out, text);
    return;
  }
  collect_spellings(cell, json, &known);
  /* Separators between the lines of the list are taken from the original: "[\n    " and ",\n    " and "\n   ]". */
  const char *open = json.data + cell->json_start, *end = json.data + cell->json_end;
  const char *first = known.count ? known.data[0].raw.data - 1 : open + 1;
  ten_buf between = {0};
  if (known.count > 1) {
    const char *from = known.data[0].raw.data + known.data[0].raw.size + 1;
    ten_buf_add(&between, from, (size_t)(known.data[1].raw.data - 1 - from));
  } else {
    ten_buf_addc(&between, ',');
    ten_buf_add(&between, open + 1, (size_t)(first - open - 1));
  }
  ten_buf_add(out, open, (size_t)(first - open));
  size_t at = 0, hint = 0;
  while (at < text.size) {
    const char *stop = memchr(text.data + at, '\n', text.size - at);
    const size_t size = stop ? (size_t)(stop - text.data) + 1 - at : text.size - at;
    if (at) ten_buf_add(out, between.data, between.size);
    add_line(out, (ten_str){text.data + at, size}, &known, &hint);
    at += size;
  }
  const char *tail =
      known.count ? known.data[known.count - 1].raw.data + known.data[known.count - 1].raw.size + 1 : first;
  ten_buf_add(out, tail, (size_t)(end - tail));
  for (size_t i = 0; i < known.count; i++) free(known.data[i].text);
  ten_vec_free(&known);
  ten_buf_free(&between);
}

void ten_notebook_join(const ten_notebook *notebook, ten_str json, ten_edits *edits, ten_buf *out) {
  size_t at = 0;
  for (size_t c = 0; c < notebook->cells.count; c++) {
    const ten_cell *cell = &notebook->cells.data[c];
    ten_buf text = {0};
    ten_edits_apply_span(edits, (ten_str){notebook->text.data, notebook->text.size}, cell->start, cell->end, &text);
    const ten_str before = {notebook->text.data + cell->start, cell->end - cell->start};
    ten_buf_add(out, json.data + at, cell->json_start - at);
    at = cell->json_end;
    if (ten_str_eq(before, (ten_str){text.data ? text.data : "", text.size}))
      ten_buf_add(out, json.data + cell->json_start, at - cell->json_start);
    else
      add_cell(cell, json, (ten_str){text.data, text.size}, out);
    ten_buf_free(&text);
  }
  ten_buf_add(out, json.data + at, json.size - at);
}

int ten_notebook_place(const ten_notebook *notebook, uint32_t offset, unsigned *out_line) {
  for (size_t c = 0; c < notebook->cells.count; c++) {
    const ten_cell *cell = &notebook->cells.data[c];
    if (offset < cell->start || offset > cell->end) continue;
    *out_line = 1;
    for (uint32_t i = cell->start; i < offset; i++) *out_line += notebook->text.data[i] == '\n';
    return cell->index;
  }
  *out_line = 1;
  return 0;
}

void ten_notebook_free(ten_notebook *notebook) {
  if (!notebook) return;
  ten_vec_free(&notebook->cells);
  ten_buf_free(&notebook->text);
  ten_buf_free(&notebook->parsed);
  free(notebook);
}
