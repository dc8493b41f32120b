/* wgsl_text.h: the kernel language's tokens, types and values, as wgsl.c prints them. */
#ifndef TEN_SIMT_WGSL_TEXT_H
#define TEN_SIMT_WGSL_TEXT_H

#include <stdint.h>

#include "base/arena.h"
#include "base/str.h"

/* In the order of C's conversions: of two operands, both get the later one, I32 at least. */
typedef enum simt_wgsl_type {
  WGSL_VOID,
  WGSL_BOOL,
  WGSL_I8,
  WGSL_U8,
  WGSL_I16,
  WGSL_U16,
  WGSL_I32,
  WGSL_U32,
  WGSL_I64,
  WGSL_U64,
  WGSL_F32,
  WGSL_F64,
  WGSL_TYPES
} simt_wgsl_type;

typedef enum wgsl_token_kind { WGSL_END, WGSL_NAME, WGSL_NUMBER, WGSL_SIGN } wgsl_token_kind;

typedef struct wgsl_token {
  wgsl_token_kind kind;
  ten_str text;
} wgsl_token;

/* The token at the cursor, behind white space, comments and lines of the preprocessor; moves the cursor behind it. */
wgsl_token wgsl_next_token(const char **cursor);

/* A type's name in the kernel language; WGSL_TYPES: it is none. */
simt_wgsl_type wgsl_type_named(ten_str name);
const char *wgsl_kernel_name(simt_wgsl_type type);
/* The type that holds it in WGSL: elements of less than 32 bits are an i32 that is in their range. */
const char *wgsl_spelling(simt_wgsl_type type);
unsigned wgsl_bits(simt_wgsl_type type);

static inline bool wgsl_is_float(simt_wgsl_type type) { return type >= WGSL_F32; }
static inline bool wgsl_is_small(simt_wgsl_type type) { return type >= WGSL_I8 && type <= WGSL_U16; }
static inline bool wgsl_is_unsigned(simt_wgsl_type type) {
  return type == WGSL_U8 || type == WGSL_U16 || type == WGSL_U32 || type == WGSL_U64;
}

/* An expression: its text, fully in parentheses; integer literals are kept as numbers until their type is known. */
typedef struct wgsl_value {
  const char *text;
  simt_wgsl_type type;
  bool literal;
  uint64_t number; /* of a literal */
} wgsl_value;

const char *wgsl_format(ten_arena *arena, const char *format, ...) TEN_PRINTF(2, 3);
wgsl_value wgsl_of(simt_wgsl_type type, const char *text);
/* The value as text of its type, and converted as C does. */
const char *wgsl_text_of(ten_arena *arena, wgsl_value value);
wgsl_value wgsl_convert(ten_arena *arena, wgsl_value value, simt_wgsl_type to);
wgsl_value wgsl_unary(ten_arena *arena, char sign, wgsl_value x);
wgsl_value wgsl_binary(ten_arena *arena, ten_str sign, wgsl_value x, wgsl_value y);
wgsl_value wgsl_choose(ten_arena *arena, wgsl_value condition, wgsl_value x, wgsl_value y);

#endif
