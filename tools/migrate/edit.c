/* edit.c: see edit.h. The list stays sorted; rules walk down the text, so most edits are appended. Spans do not
 * overlap, so a conflict is adjacent to the insertion point. */
#include "migrate/edit.h"

#include <stdlib.h>

static bool spans_clash(uint32_t a_start, uint32_t a_end, uint32_t b_start, uint32_t b_end) {
  if (a_start == a_end && b_start == b_end) return false;            /* two insertions never conflict */
  if (a_start == a_end) return a_start > b_start && a_start < b_end; /* an insertion strictly inside */
  if (b_start == b_end) return b_start > a_start && b_start < a_end;
  return a_start < b_end && b_start < a_end;
}

static int edit_compare(const ten_text_edit *left, const ten_text_edit *right) {
  if (left->start != right->start) return left->start < right->start ? -1 : 1;
  const bool left_inserts = left->start == left->end, right_inserts = right->start == right->end;
  if (left_inserts != right_inserts) return left_inserts ? -1 : 1;
  /* The end of an expression comes before the next line; a line of a body before the line that follows the body. */
  if ((left->indent < 0) != (right->indent < 0)) return left->indent < 0 ? -1 : 1;
  if (left->indent != right->indent) return left->indent > right->indent ? -1 : 1;
  return left->order < right->order ? -1 : left->order > right->order;
}

/* The first edit that does not come before `edit`. */
static size_t lower_bound(const ten_edits *edits, const ten_text_edit *edit) {
  size_t low = 0, high = edits->list.count;
  while (low < high) {
    const size_t middle = low + (high - low) / 2;
    if (edit_compare(&edits->list.data[middle], edit) < 0)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

/* The first edit that starts at `at` or later. */
static size_t first_from(const ten_edits *edits, uint32_t at) {
  return lower_bound(edits, &(ten_text_edit){.start = at, .end = at, .indent = -1});
}

bool ten_edits_free_span(const ten_edits *edits, uint32_t start, uint32_t end) {
  const size_t place = first_from(edits, start);
  for (size_t i = place; i < edits->list.count && edits->list.data[i].start <= end; i++)
    if (spans_clash(start, end, edits->list.data[i].start, edits->list.data[i].end)) return false;
  for (size_t i = place; i-- > 0 && edits->list.data[i].end >= start;)
    if (spans_clash(start, end, edits->list.data[i].start, edits->list.data[i].end)) return false;
  return true;
}

static bool edits_insert(ten_edits *edits, ten_text_edit edit) {
  if (!ten_edits_free_span(edits, edit.start, edit.end)) return false;
  edit.text.data = ten_arena_strdup(edits->arena, edit.text.data, edit.text.size);
  edit.order = edits->added++;
  const size_t place = lower_bound(edits, &edit);
  ten_vec_push(&edits->list, edit);
  ten_text_edit *list = edits->list.data;
  memmove(list + place + 1, list + place, (edits->list.count - 1 - place) * sizeof *list);
  list[place] = edit;
  while (edits->counts.count <= edit.change) ten_vec_push(&edits->counts, 0);
  edits->counts.data[edit.change]++;
  return true;
}

bool ten_edits_add(ten_edits *edits, uint32_t start, uint32_t end, ten_str text, unsigned change) {
  return edits_insert(edits, (ten_text_edit){.start = start, .end = end, .text = text, .indent = -1, .change = change});
}

bool ten_edits_add_line(ten_edits *edits, uint32_t at, ten_str text, int indent, unsigned change) {
  return edits_insert(edits, (ten_text_edit){.start = at, .end = at, .text = text, .indent = indent, .change = change});
}

bool ten_edits_add_comment(ten_edits *edits, uint32_t at, ten_str text, unsigned change) {
  return edits_insert(
      edits, (ten_text_edit){.start = at, .end = at, .text = text, .indent = -1, .change = change, .comment = true});
}

bool ten_edits_has(const ten_edits *edits, unsigned change) {
  return change < edits->counts.count && edits->counts.data[change];
}

void ten_edits_drop(ten_edits *edits, unsigned change) {
  if (!ten_edits_has(edits, change)) return;
  size_t kept = 0;
  for (size_t i = 0; i < edits->list.count; i++)
    if (edits->list.data[i].change != change) edits->list.data[kept++] = edits->list.data[i];
  edits->list.count = kept;
  edits->counts.data[change] = 0;
}

void ten_edits_apply_span(const ten_edits *edits, ten_str source, uint32_t start, uint32_t end, ten_buf *out) {
  uint32_t at = start;
  for (size_t i = first_from(edits, start); i < edits->list.count && edits->list.data[i].start <= end; i++) {
    const ten_text_edit *edit = &edits->list.data[i];
    if (edit->start < at) continue;
    ten_buf_add(out, source.data + at, edit->start - at);
    ten_buf_addstr(out, edit->text);
    at = edit->end < end ? edit->end : end; /* truncate one that extends past the span */
  }
  ten_buf_add(out, source.data + at, end - at);
}

void ten_edits_apply(const ten_edits *edits, ten_str source, ten_buf *out) {
  ten_edits_apply_span(edits, source, 0, (uint32_t)source.size, out);
}

void ten_edits_free(ten_edits *edits) {
  ten_vec_free(&edits->list);
  ten_vec_free(&edits->counts);
}
