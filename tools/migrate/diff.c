/* diff.c: line differences. Edits are few and local, so after removing the common head and tail, the rest is
 * aligned with the classic longest-common-subsequence table; beyond DIFF_MAX lines a side it is shown as replaced
 * whole. */
#include <stdlib.h>

#include "migrate/migration.h"

enum { DIFF_MAX = 3000 };

typedef TEN_VEC(ten_str) line_list;

static void split_lines(ten_str text, line_list *out) {
  for (size_t at = 0; at < text.size;) {
    const char *stop = memchr(text.data + at, '\n', text.size - at);
    const size_t size = stop ? (size_t)(stop - text.data) - at : text.size - at;
    ten_vec_push(out, (ten_str){text.data + at, size});
    at += size + 1;
  }
}

static void align(const line_list *a, const line_list *b, size_t head, size_t a_end, size_t b_end, ten_diff *out) {
  const size_t n = a_end - head, m = b_end - head;
  size_t i = 0, j = 0;
  if (n <= DIFF_MAX && m <= DIFF_MAX && n && m) {
    uint16_t *table = ten_alloc((n + 1) * (m + 1) * sizeof *table); /* length of the common subsequence of the rest */
#define AT(r, c) table[(r) * (m + 1) + (c)]
    for (size_t r = n + 1; r-- > 0;)
      for (size_t c = m + 1; c-- > 0;) {
        if (r == n || c == m)
          AT(r, c) = 0;
        else if (ten_str_eq(a->data[head + r], b->data[head + c]))
          AT(r, c) = (uint16_t)(AT(r + 1, c + 1) + 1);
        else
          AT(r, c) = AT(r + 1, c) > AT(r, c + 1) ? AT(r + 1, c) : AT(r, c + 1);
      }
    while (i < n && j < m) {
      if (ten_str_eq(a->data[head + i], b->data[head + j])) {
        ten_vec_push(out, (ten_diff_line){' ', (unsigned)(head + i + 1), (unsigned)(head + j + 1), a->data[head + i]});
        i++, j++;
      } else if (AT(i + 1, j) >= AT(i, j + 1)) {
        ten_vec_push(out, (ten_diff_line){'-', (unsigned)(head + i + 1), 0, a->data[head + i]});
        i++;
      } else {
        ten_vec_push(out, (ten_diff_line){'+', 0, (unsigned)(head + j + 1), b->data[head + j]});
        j++;
      }
    }
#undef AT
    free(table);
  }
  for (; i < n; i++) ten_vec_push(out, (ten_diff_line){'-', (unsigned)(head + i + 1), 0, a->data[head + i]});
  for (; j < m; j++) ten_vec_push(out, (ten_diff_line){'+', 0, (unsigned)(head + j + 1), b->data[head + j]});
}

void ten_diff_lines(ten_str before, ten_str after, ten_diff *out) {
  line_list a = {0}, b = {0};
  split_lines(before, &a);
  split_lines(after, &b);
  size_t head = 0, tail = 0;
  while (head < a.count && head < b.count && ten_str_eq(a.data[head], b.data[head])) head++;
  while (tail < a.count - head && tail < b.count - head &&
         ten_str_eq(a.data[a.count - 1 - tail], b.data[b.count - 1 - tail]))
    tail++;
  for (size_t i = 0; i < head; i++)
    ten_vec_push(out, (ten_diff_line){' ', (unsigned)i + 1, (unsigned)i + 1, a.data[i]});
  align(&a, &b, head, a.count - tail, b.count - tail, out);
  for (size_t i = 0; i < tail; i++)
    ten_vec_push(out, (ten_diff_line){' ', (unsigned)(a.count - tail + i + 1), (unsigned)(b.count - tail + i + 1),
                                      a.data[a.count - tail + i]});
  ten_vec_free(&a);
  ten_vec_free(&b);
}

void ten_diff_unified(const char *path, ten_str before, ten_str after, ten_buf *out) {
  enum { CONTEXT = 3 };
  ten_diff lines = {0};
  ten_diff_lines(before, after, &lines);
  ten_buf_printf(out, "--- a/%s\n+++ b/%s\n", path[0] == '/' ? path + 1 : path, path[0] == '/' ? path + 1 : path);
  size_t at = 0;
  while (at < lines.count) {
    while (at < lines.count && lines.data[at].sign == ' ') at++;
    if (at == lines.count) break;
    const size_t start = at > CONTEXT ? at - CONTEXT : 0;
    size_t end = at, quiet = 0;
    while (end < lines.count && quiet <= 2 * CONTEXT) quiet = lines.data[end++].sign == ' ' ? quiet + 1 : 0;
    end -= quiet > CONTEXT ? quiet - CONTEXT : 0;
    unsigned a_start = 0, b_start = 0, a_count = 0, b_count = 0;
    for (size_t i = start; i < end; i++) {
      const ten_diff_line *line = &lines.data[i];
      if (line->before && !a_start) a_start = line->before;
      if (line->after && !b_start) b_start = line->after;
      a_count += line->sign != '+';
      b_count += line->sign != '-';
    }
    ten_buf_printf(out, "@@ -%u,%u +%u,%u @@\n", a_start, a_count, b_start, b_count);
    for (size_t i = start; i < end; i++) {
      const ten_diff_line *line = &lines.data[i];
      ten_buf_addc(out, line->sign);
      ten_buf_addstr(out, line->text);
      ten_buf_addc(out, '\n');
      const ten_str whole = line->sign == '+' ? after : before;
      const bool last = line->text.data + line->text.size == whole.data + whole.size;
      if (last) ten_buf_adds(out, "\\ No newline at end of file\n");
    }
    at = end;
  }
  ten_vec_free(&lines);
}
