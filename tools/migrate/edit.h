/* edit.h: changes to a text as a list of (span → replacement), applied once. Spans may touch but not overlap; a second
 * change to the same bytes is refused, so a rule learns that another one came first. Everything outside the spans is
 * copied unchanged. */
#ifndef TEN_MIGRATE_EDIT_H
#define TEN_MIGRATE_EDIT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/str.h"

typedef struct ten_text_edit {
  uint32_t start, end; /* bytes of the original; equal for an insertion */
  ten_str text;        /* in the list's arena */
  uint32_t order;      /* insertions at one position keep their order */
  int indent;          /* of a statement on its own line: at one position the deeper one goes first; -1 for others */
  unsigned change;     /* index of the change this edit belongs to */
  bool comment;        /* an explanation (--comments), not code */
} ten_text_edit;

typedef struct ten_edits {
  ten_arena *arena;            /* borrowed */
  TEN_VEC(ten_text_edit) list; /* in the order of the text */
  TEN_VEC(uint32_t) counts;    /* of the edits of each change */
  uint32_t added;
} ten_edits;

/* False, and nothing is added, when the span overlaps an earlier one. */
bool ten_edits_add(ten_edits *edits, uint32_t start, uint32_t end, ten_str text, unsigned change);
/* The same for a statement that is inserted at `at` on its own line, with an indent of `indent` columns. */
bool ten_edits_add_line(ten_edits *edits, uint32_t at, ten_str text, int indent, unsigned change);
/* The same for an explanation (--comments). */
bool ten_edits_add_comment(ten_edits *edits, uint32_t at, ten_str text, unsigned change);
bool ten_edits_free_span(const ten_edits *edits, uint32_t start, uint32_t end);
/* Drops the edits of one change (the user declined, or they conflict). */
void ten_edits_drop(ten_edits *edits, unsigned change);
bool ten_edits_has(const ten_edits *edits, unsigned change); /* whether one change has any */
/* The new text. `source` is the text that the spans refer to. */
void ten_edits_apply(const ten_edits *edits, ten_str source, ten_buf *out);
/* The same for the edits inside one span only: the new text of a piece of code. */
void ten_edits_apply_span(const ten_edits *edits, ten_str source, uint32_t start, uint32_t end, ten_buf *out);
void ten_edits_free(ten_edits *edits);

#endif
