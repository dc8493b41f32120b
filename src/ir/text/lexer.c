/* lexer.c: MLIR's tokens. Strings may be megabytes (hex constants), so their end is found with memchr. */
#include "ir/text/lexer.h"

/* Character classes, as bits. */
enum { LETTER = 1, DIGIT = 2, BARE_MORE = 4, SUFFIX = 8, PUNCTUATION = 16, SPACE = 32 };

static const uint8_t classes[256] = {
    ['a' ... 'z'] = LETTER | BARE_MORE | SUFFIX,
    ['A' ... 'Z'] = LETTER | BARE_MORE | SUFFIX,
    ['_'] = LETTER | BARE_MORE | SUFFIX,
    ['0' ... '9'] = DIGIT | BARE_MORE | SUFFIX,
    ['$'] = BARE_MORE | SUFFIX,
    ['.'] = BARE_MORE | SUFFIX,
    ['-'] = SUFFIX | PUNCTUATION,
    [','] = PUNCTUATION,
    [':'] = PUNCTUATION,
    ['='] = PUNCTUATION,
    ['('] = PUNCTUATION,
    [')'] = PUNCTUATION,
    ['{'] = PUNCTUATION,
    ['}'] = PUNCTUATION,
    ['['] = PUNCTUATION,
    [']'] = PUNCTUATION,
    ['<'] = PUNCTUATION,
    ['>'] = PUNCTUATION,
    ['?'] = PUNCTUATION,
    ['+'] = PUNCTUATION,
    ['*'] = PUNCTUATION,
    ['|'] = PUNCTUATION,
    ['/'] = PUNCTUATION,
    [' '] = SPACE,
    ['\t'] = SPACE,
    ['\r'] = SPACE,
    ['\n'] = SPACE,
};

const uint8_t ten_hex_values[256] = {
    [0 ... '/'] = 255, ['0'] = 0,  ['1'] = 1,  ['2'] = 2,  ['3'] = 3,           ['4'] = 4,  ['5'] = 5,
    ['6'] = 6,         ['7'] = 7,  ['8'] = 8,  ['9'] = 9,  [':' ... '@'] = 255, ['A'] = 10, ['B'] = 11,
    ['C'] = 12,        ['D'] = 13, ['E'] = 14, ['F'] = 15, ['G' ... '`'] = 255, ['a'] = 10, ['b'] = 11,
    ['c'] = 12,        ['d'] = 13, ['e'] = 14, ['f'] = 15, ['g' ... 255] = 255,
};

static bool is(char c, int class) { return (classes[(unsigned char)c] & class) != 0; }

void ten_lexer_init(ten_lexer *lexer, const char *text, size_t size, uint32_t first_line) {
  *lexer = (ten_lexer){.at = text, .end = text + size, .line_start = text, .line = first_line};
}

static void skip_space(ten_lexer *lexer) {
  const char *at = lexer->at, *end = lexer->end;
  for (; at < end; at++) {
    if (*at == '\n') {
      lexer->line++;
      lexer->line_start = at + 1;
    } else if (*at == '/' && end - at > 1 && at[1] == '/') {
      const char *stop = memchr(at, '\n', (size_t)(end - at));
      at = (stop ? stop : end) - 1;
    } else if (!is(*at, SPACE)) {
      break;
    }
  }
  lexer->at = at;
}

static ten_token token_to(ten_lexer *lexer, int kind, const char *stop) {
  const ten_token token = {kind, lexer->line, {lexer->at, (size_t)(stop - lexer->at)}, lexer->line_start};
  lexer->at = stop;
  return token;
}

static ten_token bad(ten_lexer *lexer, const char *problem, const char *stop) {
  lexer->problem = problem;
  return token_to(lexer, TOK_BAD, stop);
}

static const char *while_class(const char *at, const char *end, int class) {
  while (at < end && is(*at, class)) at++;
  return at;
}

/* `quote` points at the opening quote; the end is behind the closing one, or NULL with *problem set. */
static const char *string_end(const char *quote, const char *end, const char **problem) {
  const char *at = quote + 1;
  for (;;) {
    const char *close = memchr(at, '"', (size_t)(end - at));
    const char *line_end = memchr(at, '\n', (size_t)((close ? close : end) - at));
    if (!close || line_end) {
      *problem = "expected '\"' at the end of a string literal";
      return NULL;
    }
    const char *slash = memchr(at, '\\', (size_t)(close - at));
    if (!slash) return close + 1;
    if (end - slash > 1 && memchr("\"\\nt", slash[1], 4)) {
      at = slash + 2;
    } else if (end - slash > 2 && ten_hex_values[(unsigned char)slash[1]] != 255 &&
               ten_hex_values[(unsigned char)slash[2]] != 255) {
      at = slash + 3;
    } else {
      *problem = "unknown escape in a string literal";
      return NULL;
    }
  }
}

static ten_token lex_string(ten_lexer *lexer, int kind, const char *quote) {
  const char *problem = NULL;
  const char *stop = string_end(quote, lexer->end, &problem);
  return stop ? token_to(lexer, kind, stop) : bad(lexer, problem, quote + 1);
}

static ten_token lex_number(ten_lexer *lexer) {
  const char *at = lexer->at, *end = lexer->end;
  if (*at == '0' && end - at > 2 && at[1] == 'x' && ten_hex_values[(unsigned char)at[2]] != 255) {
    at += 2;
    while (at < end && ten_hex_values[(unsigned char)*at] != 255) at++;
    return token_to(lexer, TOK_INT, at);
  }
  at = while_class(at, end, DIGIT);
  if (at == end || *at != '.') return token_to(lexer, TOK_INT, at);
  at = while_class(at + 1, end, DIGIT);
  if (at < end && (*at == 'e' || *at == 'E')) {
    const char *power = at + 1;
    if (power < end && (*power == '+' || *power == '-')) power++;
    if (power < end && is(*power, DIGIT)) at = while_class(power, end, DIGIT);
  }
  return token_to(lexer, TOK_FLOAT, at);
}

/* #name, %name, ^name, !name: digits alone, or a name that does not start with one. */
static ten_token lex_prefixed(ten_lexer *lexer, int kind, const char *problem) {
  const char *at = lexer->at + 1, *end = lexer->end;
  if (at < end && is(*at, DIGIT)) return token_to(lexer, kind, while_class(at, end, DIGIT));
  const char *stop = while_class(at, end, SUFFIX);
  return stop > at ? token_to(lexer, kind, stop) : bad(lexer, problem, at);
}

ten_token ten_lexer_next(ten_lexer *lexer) {
  skip_space(lexer);
  const char *at = lexer->at, *end = lexer->end;
  if (at == end) return token_to(lexer, TOK_EOF, at);
  const size_t left = (size_t)(end - at);
  if (is(*at, LETTER)) return token_to(lexer, TOK_BARE, while_class(at, end, BARE_MORE));
  if (is(*at, DIGIT)) return lex_number(lexer);
  switch (*at) {
    case '"': return lex_string(lexer, TOK_STRING, at);
    case '@':
      if (left > 1 && at[1] == '"') return lex_string(lexer, TOK_AT, at + 1);
      if (left > 1 && is(at[1], LETTER)) return token_to(lexer, TOK_AT, while_class(at + 1, end, BARE_MORE));
      return bad(lexer, "expected a name after @", at + 1);
    case '#':
      if (left > 2 && at[1] == '-' && at[2] == '}') return token_to(lexer, TOK_META_END, at + 3);
      return lex_prefixed(lexer, TOK_HASH, "expected a name after #");
    case '%': return lex_prefixed(lexer, TOK_PERCENT, "expected a name after %");
    case '^': return lex_prefixed(lexer, TOK_CARET, "expected a name after ^");
    case '!': return lex_prefixed(lexer, TOK_BANG, "expected a name after !");
    case '-': return left > 1 && at[1] == '>' ? token_to(lexer, TOK_ARROW, at + 2) : token_to(lexer, '-', at + 1);
    case '{':
      if (left > 2 && at[1] == '-' && at[2] == '#') return token_to(lexer, TOK_META_BEGIN, at + 3);
      return token_to(lexer, '{', at + 1);
    case '.':
      if (left > 2 && at[1] == '.' && at[2] == '.') return token_to(lexer, TOK_ELLIPSIS, at + 3);
      break;
    default: break;
  }
  if (is(*at, PUNCTUATION)) return token_to(lexer, *at, at + 1);
  return bad(lexer, *at ? "unexpected character" : "unexpected NUL byte", at + 1);
}

void ten_token_string(const ten_token *token, ten_buf *out) {
  const char *at = token->text.data + (token->kind == TOK_AT ? 2 : 1), *end = token->text.data + token->text.size - 1;
  while (at < end) {
    const char *slash = memchr(at, '\\', (size_t)(end - at));
    ten_buf_add(out, at, (size_t)((slash ? slash : end) - at));
    if (!slash) return;
    const char c = slash[1];
    if (c == 'n' || c == 't' || c == '"' || c == '\\') {
      ten_buf_addc(out, c == 'n' ? '\n' : c == 't' ? '\t' : c);
      at = slash + 2;
    } else {
      ten_buf_addc(out, (char)(ten_hex_values[(unsigned char)c] * 16 + ten_hex_values[(unsigned char)slash[2]]));
      at = slash + 3;
    }
  }
}
