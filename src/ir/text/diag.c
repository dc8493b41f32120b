/* diag.c: errors with their source line and a caret, collected into one status. */
#include <stdlib.h>

#include "ir/text/parser.h"

enum { LINE_MAX_SHOWN = 160, MESSAGE_MAX = 1000 };

/* The line with unprintable characters replaced, cut around the column when it is long, and a caret below. */
static void add_line(ten_buf *out, const char *line_start, const char *text_end, const char *at) {
  const char *stop = memchr(line_start, '\n', (size_t)(text_end - line_start));
  if (!stop) stop = text_end;
  const char *from = at - line_start > LINE_MAX_SHOWN / 2 ? at - LINE_MAX_SHOWN / 2 : line_start;
  const bool cut = stop - from > LINE_MAX_SHOWN;
  if (cut) stop = from + LINE_MAX_SHOWN;
  while (!cut && stop > from && (stop[-1] == '\r' || stop[-1] == ' ')) stop--;
  ten_buf_adds(out, from > line_start ? "\n  …" : "\n  ");
  for (const char *c = from; c < stop; c++)
    ten_buf_addc(out, *c == '\t' ? ' ' : (unsigned char)*c < ' ' || *c & 0x80 ? '?' : *c);
  if (cut) ten_buf_adds(out, "…");
  ten_buf_adds(out, from > line_start ? "\n   " : "\n  ");
  for (const char *c = from; c < at; c++) ten_buf_addc(out, ' ');
  ten_buf_addc(out, '^');
}

static bool fail_v(ten_parser *p, ten_code code, const ten_token *at, const char *format, va_list args) {
  ten_diagnostics *diagnostics = p->diagnostics;
  if (p->stop) return false;
  ten_buf message = {0};
  ten_buf_vprintf(&message, format, args);
  if (message.size > MESSAGE_MAX) {
    message.size = MESSAGE_MAX;
    ten_buf_adds(&message, "…");
  }
  add_line(&message, at->line_start, p->text_end, at->text.data);
  if (!diagnostics->items.count) diagnostics->code = code;
  const ten_diagnostic item = {at->line, ten_token_column(at), ten_buf_take(&message)};
  ten_vec_push(&diagnostics->items, item);
  if (diagnostics->items.count == TEN_TEXT_MAX_ERRORS || code == TEN_LIMIT) p->stop = true;
  return false;
}

bool ten_fail(ten_parser *p, const ten_token *at, const char *format, ...) {
  va_list args;
  va_start(args, format);
  fail_v(p, TEN_INVALID, at, format, args);
  va_end(args);
  return false;
}

bool ten_fail_code(ten_parser *p, ten_code code, const ten_token *at, const char *format, ...) {
  va_list args;
  va_start(args, format);
  fail_v(p, code, at, format, args);
  va_end(args);
  return false;
}

bool ten_expected(ten_parser *p, const char *what) {
  if (ten_at(p, TOK_BAD)) return ten_fail(p, &p->token, "%s", p->lexer.problem);
  if (ten_at(p, TOK_EOF)) return ten_fail(p, &p->token, "expected %s, not the end of the text", what);
  return ten_fail(p, &p->token, "expected %s", what);
}

bool ten_expect(ten_parser *p, int kind, const char *what) { return ten_accept(p, kind) || ten_expected(p, what); }

bool ten_expect_word(ten_parser *p, const char *word) {
  if (ten_accept_word(p, word)) return true;
  char what[64];
  snprintf(what, sizeof what, "'%s'", word);
  return ten_expected(p, what);
}

bool ten_enter(ten_parser *p) {
  if (p->depth++ < TEN_TEXT_MAX_DEPTH) return true;
  return ten_fail_code(p, TEN_LIMIT, &p->token, "nested more than %d deep", TEN_TEXT_MAX_DEPTH);
}

ten_status *ten_diagnostics_take(ten_diagnostics *diagnostics) {
  if (!diagnostics->items.count) return NULL;
  ten_buf text = {0};
  for (size_t i = 0; i < diagnostics->items.count; i++) {
    const ten_diagnostic *item = &diagnostics->items.data[i];
    if (i) ten_buf_printf(&text, "\n%s:%u:%u: ", diagnostics->path, item->line, item->column);
    ten_buf_adds(&text, item->message);
    free(item->message);
  }
  if (diagnostics->items.count == TEN_TEXT_MAX_ERRORS)
    ten_buf_printf(&text, "\nstopped after %d errors", TEN_TEXT_MAX_ERRORS);
  ten_status *status = ten_error(diagnostics->code, "%s", text.data);
  status = ten_error_at(status, diagnostics->path, diagnostics->items.data[0].line, diagnostics->items.data[0].column);
  ten_buf_free(&text);
  ten_vec_free(&diagnostics->items);
  return status;
}
