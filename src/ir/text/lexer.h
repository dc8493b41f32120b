/* lexer.h: MLIR's tokens, one at a time. A token borrows from the text. */
#ifndef TEN_IR_TEXT_LEXER_H
#define TEN_IR_TEXT_LEXER_H

#include <stdint.h>

#include "base/str.h"

/* A punctuation token's kind is its character. */
enum {
  TOK_EOF = 0,
  TOK_BARE = 256, /* name, stablehlo.add, i32 */
  TOK_AT,         /* @name, @"na me" */
  TOK_HASH,       /* #name */
  TOK_PERCENT,    /* %name */
  TOK_CARET,      /* ^name */
  TOK_BANG,       /* !name */
  TOK_INT,        /* 12, 0xff */
  TOK_FLOAT,      /* 1.5e3 */
  TOK_STRING,     /* "…", with quotes and escapes */
  TOK_ARROW,      /* -> */
  TOK_ELLIPSIS,   /* ... */
  TOK_META_BEGIN, /* {-# */
  TOK_META_END,   /* #-} */
  TOK_BAD         /* no token; `problem` of the lexer says why */
};

typedef struct ten_token {
  int kind;
  uint32_t line; /* 1-based */
  ten_str text;  /* including sigils and quotes */
  const char *line_start;
} ten_token;

typedef struct ten_lexer {
  const char *at, *end;
  const char *line_start;
  uint32_t line;
  const char *problem; /* of the last TOK_BAD */
} ten_lexer;

void ten_lexer_init(ten_lexer *lexer, const char *text, size_t size, uint32_t first_line);
ten_token ten_lexer_next(ten_lexer *lexer);
static inline uint32_t ten_token_column(const ten_token *token) {
  return (uint32_t)(token->text.data - token->line_start) + 1;
}

/* Appends the value of a string token, with escapes resolved. The token must be a TOK_STRING, or a TOK_AT with
 * quotes. */
void ten_token_string(const ten_token *token, ten_buf *out);
/* Value of hex digit c, or 255. */
extern const uint8_t ten_hex_values[256];

#endif
