/* edit.h: changes to a text as a list of (span → replacement), applied once. Spans may touch but not overlap; a second
 * change to the same bytes is refused, so a rule learns that another one was there first. Everything outside the spans
 * is copied as it is. */
#ifndef TEN_MIGRATE_EDIT_H
#define TEN_MIGRATE_EDIT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/str.h"

typedef struct ten_text_edit {
  uint32_t start, end; /* bytes of the original; equal for an insertion */
  ten_str text;        /* in the list's arena */
  uint32_t order;      /* insertions at one place keep the order they were made in */
  unsigned change;     /* index of the change this edit belongs to */
  bool comment;        /* an explanation (--comments), not code */
} ten_text_edit;

typedef struct ten_edits {
  ten_arena *arena; /* borrowed */
  TEN_VEC(ten_text_edit) list;
} ten_edits;

/* False, and nothing is added, when the span overlaps an earlier one. */
bool ten_edits_add(ten_edits *edits, uint32_t start, uint32_t end, ten_str text, unsigned change);
bool ten_edits_free_span(const ten_edits *edits, uint32_t start, uint32_t end);
/* Drops the edits of one change (a human said no, or they do not go together). */
void ten_edits_drop(ten_edits *edits, unsigned change);
/* The new text. `source` is the text the spans speak of. */
void ten_edits_apply(ten_edits *edits, ten_str source, ten_buf *out);
/* The same for the edits inside one span only: what a piece of code becomes. */
void ten_edits_apply_span(ten_edits *edits, ten_str source, uint32_t start, uint32_t end, ten_buf *out);
void ten_edits_free(ten_edits *edits);

#endif
