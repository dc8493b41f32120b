/* edit.c: see edit.h. The list is short (tens of edits a file), so the overlap test is a scan. */
#include "migrate/edit.h"

#include <stdlib.h>

static bool spans_clash(uint32_t a_start, uint32_t a_end, uint32_t b_start, uint32_t b_end) {
  if (a_start == a_end && b_start == b_end) return false;            /* two insertions never do */
  if (a_start == a_end) return a_start > b_start && a_start < b_end; /* an insertion strictly inside */
  if (b_start == b_end) return b_start > a_start && b_start < a_end;
  return a_start < b_end && b_start < a_end;
}

bool ten_edits_free_span(const ten_edits *edits, uint32_t start, uint32_t end) {
  for (size_t i = 0; i < edits->list.count; i++)
    if (spans_clash(start, end, edits->list.data[i].start, edits->list.data[i].end)) return false;
  return true;
}

bool ten_edits_add(ten_edits *edits, uint32_t start, uint32_t end, ten_str text, unsigned change) {
  if (!ten_edits_free_span(edits, start, end)) return false;
  const ten_str copy = {ten_arena_strdup(edits->arena, text.data, text.size), text.size};
  ten_vec_push(&edits->list, (ten_text_edit){start, end, copy, (uint32_t)edits->list.count, change, false});
  return true;
}

void ten_edits_drop(ten_edits *edits, unsigned change) {
  size_t kept = 0;
  for (size_t i = 0; i < edits->list.count; i++)
    if (edits->list.data[i].change != change) edits->list.data[kept++] = edits->list.data[i];
  edits->list.count = kept;
}

static int edit_compare(const void *a, const void *b) {
  const ten_text_edit *left = a, *right = b;
  if (left->start != right->start) return left->start < right->start ? -1 : 1;
  const bool left_inserts = left->start == left->end, right_inserts = right->start == right->end;
  if (left_inserts != right_inserts) return left_inserts ? -1 : 1;
  return left->order < right->order ? -1 : left->order > right->order;
}

void ten_edits_apply_span(ten_edits *edits, ten_str source, uint32_t start, uint32_t end, ten_buf *out) {
  if (edits->list.count) qsort(edits->list.data, edits->list.count, sizeof(ten_text_edit), edit_compare);
  uint32_t at = start;
  for (size_t i = 0; i < edits->list.count; i++) {
    const ten_text_edit *edit = &edits->list.data[i];
    if (edit->start < at || edit->start > end) continue;
    ten_buf_add(out, source.data + at, edit->start - at);
    ten_buf_addstr(out, edit->text);
    at = edit->end < end ? edit->end : end; /* one that runs over the end of the span is cut there */
  }
  ten_buf_add(out, source.data + at, end - at);
}

void ten_edits_apply(ten_edits *edits, ten_str source, ten_buf *out) {
  ten_edits_apply_span(edits, source, 0, (uint32_t)source.size, out);
}

void ten_edits_free(ten_edits *edits) { ten_vec_free(&edits->list); }
