/* wgsl_printer.h: what wgsl.c and wgsl_expression.c share: the text's reader, its names, and expressions. */
#ifndef TEN_SIMT_WGSL_PRINTER_H
#define TEN_SIMT_WGSL_PRINTER_H

#include "backend/simt/wgsl_text.h"

typedef enum wgsl_symbol_kind {
  WGSL_VARIABLE,
  WGSL_ARRAY, /* of this thread or, SHARED_ARRAY, of its group */
  WGSL_BUFFER /* of elements that have a type of their own in WGSL; others are words: */
} wgsl_symbol_kind;

typedef struct wgsl_symbol {
  ten_str name;
  const char *text; /* in WGSL */
  simt_wgsl_type type;
  wgsl_symbol_kind kind;
  bool words, atomic; /* of a buffer */
} wgsl_symbol;

enum { WGSL_PARAMETERS_MOST = 16 };
typedef struct wgsl_function {
  ten_str name;
  const char *source; /* behind its name */
  simt_wgsl_type type, parameters[WGSL_PARAMETERS_MOST];
  ten_str parameter_names[WGSL_PARAMETERS_MOST];
  uint32_t count;
  bool called;
} wgsl_function;

typedef struct wgsl_printer {
  ten_arena arena;
  const char *at; /* behind `now` */
  wgsl_token now;
  bool int64;
  TEN_VEC(wgsl_function) functions;
  TEN_VEC(wgsl_symbol) symbols; /* the innermost last */
  TEN_VEC(uint32_t) called;     /* functions whose text is wanted */
  ten_buf module, body;
  unsigned indent;
  ten_str kernel; /* its name; empty in functions */
  bool grouped;
  simt_wgsl_type result; /* of the wgsl_function */
  ten_status *error;     /* the first one */
} wgsl_printer;

/* Reading. After an error the text ends. */
void wgsl_fail(wgsl_printer *p, ten_status *status);
void wgsl_advance(wgsl_printer *p);
bool wgsl_is(const wgsl_printer *p, const char *text);
bool wgsl_accept(wgsl_printer *p, const char *text);
void wgsl_expect(wgsl_printer *p, const char *text);
void wgsl_give_up(wgsl_printer *p, const char *wanted);
ten_str wgsl_take_name(wgsl_printer *p);
bool wgsl_at_type(const wgsl_printer *p);
simt_wgsl_type wgsl_take_type(wgsl_printer *p);
void wgsl_check_type(wgsl_printer *p, simt_wgsl_type type); /* whether WGSL has it */

/* Names. Registers keep theirs; others get an underscore: some are words of WGSL. */
const char *wgsl_spelled(wgsl_printer *p, ten_str name);
const wgsl_symbol *wgsl_find(const wgsl_printer *p, ten_str name); /* NULL: there is none */
wgsl_function *wgsl_find_function(wgsl_printer *p, ten_str name);

/* Expressions. */
wgsl_value wgsl_expression(wgsl_printer *p);
const char *wgsl_as(wgsl_printer *p, wgsl_value value, simt_wgsl_type type); /* its text, converted */
/* An index that is known to be out of bounds is in a branch that is not taken, and an error in WGSL: made 0. */
wgsl_value wgsl_place(wgsl_value index);
wgsl_value wgsl_load(wgsl_printer *p, const wgsl_symbol *s, wgsl_value index);

#endif
