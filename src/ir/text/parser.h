/* parser.h: shared by the files of the parser. Parse functions return false after they have reported an error; the
 * current token is then undefined, and the enclosing block skips to the next op (parse_region.c). */
#ifndef TEN_IR_TEXT_PARSER_H
#define TEN_IR_TEXT_PARSER_H

#include <stdio.h>
#include <stdlib.h>

#include "ir/text/lexer.h"
#include "ir/text/text.h"

/* Errors of one text, in order; rendered into one status. */
typedef struct ten_diagnostics {
  const char *path;
  TEN_VEC(struct ten_diagnostic) items;
  ten_code code; /* of the first */
} ten_diagnostics;
typedef struct ten_diagnostic {
  uint32_t line, column;
  char *message; /* owned: the message, the line and the caret */
} ten_diagnostic;
ten_status *ten_diagnostics_take(ten_diagnostics *diagnostics); /* NULL when there are none */

/* A name in scope: one value, or the results of one op (`%0#1`). `values` NULL: its op failed to parse, so uses are not
 * reported. */
typedef struct ten_name {
  ten_str text;
  uint64_t hash;
  ten_value *values;
  uint32_t count;
  const char *line_start; /* of the definition, for the note */
  uint32_t line;
} ten_name;
/* Names of one isolated scope; removed in LIFO order, so that probing never meets a hole. */
typedef struct ten_names {
  TEN_VEC(ten_name) log;
  uint32_t *slots; /* index into log + 1 */
  size_t capacity;
} ten_names;

typedef enum ten_alias_kind { ALIAS_ATTR, ALIAS_TYPE, ALIAS_LOC } ten_alias_kind;
typedef struct ten_alias {
  ten_str name; /* of the text, with its sigil */
  ten_alias_kind kind;
  union {
    const ten_attr *attr;
    const ten_type *type;
    ten_loc *loc; /* filled in by its definition, which may come last */
  };
  bool defined;
  ten_token use;     /* the first, for errors */
  uint64_t expanded; /* types and attributes it stands for, counted through other aliases */
} ten_alias;

/* An operand as written, not looked up yet. */
typedef struct ten_operand_ref {
  ten_token token;
  uint32_t number; /* of %name#number */
} ten_operand_ref;

/* An op being parsed; reused through a free list. */
typedef struct ten_op_state ten_op_state;
struct ten_op_state {
  ten_op_state *next_spare;
  ten_opcode code;
  ten_token name_token;
  ten_str name;
  const ten_loc *loc;
  TEN_VEC(ten_operand_ref) operands;
  TEN_VEC(const ten_type *) operand_types;
  TEN_VEC(const ten_type *) result_types;
  TEN_VEC(ten_named_attr) attrs;
  TEN_VEC(ten_region) regions;
  TEN_VEC(ten_value *) values;
};

typedef struct ten_parser {
  ten_lexer lexer;
  ten_token token;
  const char *text, *text_end;
  const char *path;
  ten_str kept_path; /* in the module's arena, shared by all implicit locations */
  ten_module *module;
  ten_diagnostics *diagnostics;
  ten_names names;
  TEN_VEC(ten_alias) aliases;
  uint32_t *alias_slots; /* index into aliases + 1, owned */
  size_t alias_capacity;
  TEN_VEC(ten_attr *) resources; /* waiting for their blobs */
  ten_op_state *spare;
  ten_buf scratch; /* strings with escapes */
  ten_str dialect; /* for op names without one */
  uint32_t depth;
  uint64_t expanded; /* types and attributes so far, as if no alias had been used */
  bool stop;         /* too many errors, or an unrecoverable one */
} ten_parser;

/* diag.c */
bool ten_fail(ten_parser *p, const ten_token *at, const char *format, ...) TEN_PRINTF(3, 4);
bool ten_fail_code(ten_parser *p, ten_code code, const ten_token *at, const char *format, ...) TEN_PRINTF(4, 5);
/* "expected X", or what is wrong with the current token when it is not one. */
bool ten_expected(ten_parser *p, const char *what);

/* Tokens. */
static inline void ten_advance(ten_parser *p) { p->token = ten_lexer_next(&p->lexer); }
static inline bool ten_at(const ten_parser *p, int kind) { return p->token.kind == kind; }
static inline bool ten_accept(ten_parser *p, int kind) {
  if (p->token.kind != kind) return false;
  ten_advance(p);
  return true;
}
static inline bool ten_at_word(const ten_parser *p, const char *word) {
  return p->token.kind == TOK_BARE && ten_str_is(p->token.text, word);
}
static inline bool ten_accept_word(ten_parser *p, const char *word) {
  if (!ten_at_word(p, word)) return false;
  ten_advance(p);
  return true;
}
bool ten_expect(ten_parser *p, int kind, const char *what); /* what: "'('" */
bool ten_expect_word(ten_parser *p, const char *word);
/* Nesting of types, attributes and regions; leave each level entered, also after an error. */
bool ten_enter(ten_parser *p);
static inline void ten_leave(ten_parser *p) { p->depth--; }

/* parse_value.c: literals */
bool ten_parse_int(ten_parser *p, int64_t *out);                         /* [-] digits or hex */
bool ten_parse_ints(ten_parser *p, bool question, const ten_attr **out); /* [1, 2]; `?` is TEN_DYNAMIC where allowed */
bool ten_parse_double(ten_parser *p, double *out);                       /* [-] float or int */
bool ten_parse_string(ten_parser *p, ten_str *out);                      /* in the module's arena */
bool ten_parse_symbol_name(ten_parser *p, ten_str *out);                 /* @name, in the module's arena */
bool ten_token_uint(const ten_token *token, uint64_t *out);              /* false: does not fit */
/* Any text up to where the brackets are balanced; `stop` is the first token not consumed. */
bool ten_skip_balanced(ten_parser *p);
/* A number as an element of a type: literal tokens and sign in, bytes out. */
bool ten_number_encode(ten_parser *p, const ten_token *token, bool negative, ten_dtype dtype, void *at);

/* parse_type.c, parse_quant.c */
bool ten_parse_type(ten_parser *p, const ten_type **out);
bool ten_parse_optional_type(ten_parser *p, bool *found, const ten_type **out);
bool ten_parse_function_type(ten_parser *p, const ten_type **out);
bool ten_parse_quant(ten_parser *p, const ten_type **out); /* behind `!quant.uniform` */

/* parse_attr.c, parse_struct.c, parse_dense.c */
bool ten_parse_attr(ten_parser *p, const ten_attr **out);
bool ten_parse_attr_typed(ten_parser *p, const ten_type *type,
                          const ten_attr **out); /* numbers have this type: no `: type` follows */
bool ten_parse_spec(ten_parser *p, const ten_attr_spec *spec,
                    const ten_attr **out);                                   /* bare, as an op's own form writes it */
bool ten_parse_attr_dict(ten_parser *p, ten_op_state *state, bool inherent); /* {…} into the op */
bool ten_parse_optional_dict(ten_parser *p, const ten_attr **out);           /* NULL when there is none */
bool ten_parse_dialect_attr(ten_parser *p, ten_token name, const ten_attr **out); /* behind #dialect.name or #dialect */
bool ten_parse_struct(ten_parser *p, ten_struct_id id, const ten_attr **out);     /* <…> */
bool ten_parse_conv_dims(ten_parser *p, const ten_attr **out);                    /* [b, 0, f]x[0, i, o]->[b, 0, f] */
bool ten_parse_dense(ten_parser *p, const ten_attr **out);                        /* behind `dense` */
bool ten_parse_resource(ten_parser *p, const ten_attr **out);                     /* behind `dense_resource` */
bool ten_parse_list(ten_parser *p, const ten_attr **out);                         /* behind `array` */

/* parse_loc.c */
bool ten_parse_loc(ten_parser *p, const ten_loc **out);          /* behind `loc`: (…) */
bool ten_parse_optional_loc(ten_parser *p, const ten_loc **out); /* leaves *out alone when there is none */
const ten_loc *ten_implicit_loc(ten_parser *p, const ten_token *token);
bool ten_parse_alias_definition(ten_parser *p);
const ten_alias *ten_alias_find(ten_parser *p, ten_str name);
bool ten_alias_use(ten_parser *p, const ten_token *token,
                   const ten_alias *alias); /* false: it would stand for too much */
bool ten_aliases_check(ten_parser *p);

/* names.c */
void ten_names_free(ten_names *names);
const ten_name *ten_names_find(const ten_names *names, ten_str text);
bool ten_names_define(ten_parser *p, const ten_token *token, ten_value *values, uint32_t count);
void ten_names_pop(ten_names *names, size_t count); /* back to this many */
ten_value *ten_names_resolve(ten_parser *p, const ten_operand_ref *ref, const ten_type *type, bool *ok);

/* parse_region.c: a region's blocks; `args` are entry arguments that the op has already parsed. */
typedef struct ten_region_arg {
  ten_token name;
  const ten_type *type;
  const ten_loc *loc;
} ten_region_arg;
bool ten_parse_region(ten_parser *p, ten_region *region, bool isolated, ten_str dialect, size_t arg_count,
                      const ten_region_arg *args);
bool ten_parse_block_ops(ten_parser *p, ten_block *block,
                         int stop); /* stop TOK_EOF: the top level, where aliases may follow */

/* parse_op.c */
bool ten_parse_op(ten_parser *p, ten_block *block);
bool ten_parse_operand(ten_parser *p, ten_operand_ref *out);
bool ten_parse_operands(ten_parser *p, ten_op_state *state);            /* a, b, c or nothing */
bool ten_parse_types(ten_parser *p, ten_op_state *state, bool results); /* T, T into operand or result types */
void ten_state_attr(ten_op_state *state, ten_str name, const ten_attr *value);
ten_region *ten_state_region(ten_op_state *state);
void ten_region_clear(ten_region *region);

/* parse_func.c, parse_special.c: syntax that no format string expresses; false with an error, or true. */
typedef bool (*ten_parse_custom)(ten_parser *p, ten_op_state *state);
bool ten_parse_module_op(ten_parser *p, ten_op_state *state);
bool ten_parse_func_op(ten_parser *p, ten_op_state *state);
bool ten_parse_constant_op(ten_parser *p, ten_op_state *state);
bool ten_parse_reduce_op(ten_parser *p, ten_op_state *state);
bool ten_parse_while_op(ten_parser *p, ten_op_state *state);
bool ten_parse_scan_op(ten_parser *p, ten_op_state *state);

/* parse_format.c: the form that the table in format.c gives. */
bool ten_parse_by_format(ten_parser *p, ten_op_state *state, const char *format);

#endif
