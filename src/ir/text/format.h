/* format.h: the syntax of each op. Most forms are a string that parser and printer both follow; a few are functions.
 *
 * A format is words separated by spaces:
 *   $0 $1          an operand;  $*  all that are left, with commas between;  $*,  with a comma behind each
 *   @name          the inherent attribute, bare as its kind in ir/ops.def has it;  {}  the other attributes, if any
 *   @name:kind     of an op that is not in that table, with its kind in sdy.c
 *   word=          without a space behind
 *   (?name … ?)    only when the attribute is present;  (?$ … ?)  only when there are operands
 *   types          F  (operands) -> results;  S  one type when all are the same, else F;  R  results;  O  operands;
 *                  O0  of operand 0;  C  of stablehlo.complex;  P  of stablehlo.select;  T  of stablehlo.tuple
 *   !name          a part with special syntax (parse_part.c, print_part.c); anything else is literal */
#ifndef TEN_IR_TEXT_FORMAT_H
#define TEN_IR_TEXT_FORMAT_H

#include "ir/text/parser.h"

struct ten_printer;

typedef struct ten_text_form {
  const char *format;                                           /* or */
  ten_parse_custom parse;                                       /* both of these */
  bool (*print)(struct ten_printer *printer, const ten_op *op); /* false, nothing printed: use the generic form */
} ten_text_form;
extern const ten_text_form ten_text_forms[TEN_OP_COUNT];

typedef enum ten_format_kind {
  FORMAT_END,
  FORMAT_LITERAL,
  FORMAT_OPERAND, /* index */
  FORMAT_OPERANDS,
  FORMAT_OPERANDS_COMMA,
  FORMAT_ATTR, /* name, attr_kind */
  FORMAT_DICT,
  FORMAT_GROUP, /* name; empty: operands */
  FORMAT_GROUP_END,
  FORMAT_TYPE, /* name[0] is F, S, R, O, C, P, T; index for O0 (else -1) */
  FORMAT_PART  /* name */
} ten_format_kind;

typedef struct ten_format_item {
  ten_format_kind kind;
  ten_str name, attr_kind;
  int index;
} ten_format_item;

/* The form of an op: from the table, or of the sdy dialect; NULL when it has only the generic form. */
const char *ten_format_of(ten_opcode code, ten_str name);

/* The next word; moves *cursor past it. */
ten_format_item ten_format_next(const char **cursor);
/* Names of the attributes that the part `!name` writes, ended by NULL. */
const char *const *ten_format_part_attrs(ten_str part);
/* True when the form prints the attribute itself, so that {} omits it. */
bool ten_format_covers(const char *format, ten_str attr);

/* parse_part.c */
bool ten_parse_part(ten_parser *p, ten_op_state *state, ten_str part);

/* sdy.c */
const char *ten_sdy_format(ten_str name); /* NULL when it is none of its ops */
bool ten_sdy_parse_attr(ten_parser *p, ten_str kind, const ten_attr **out);
bool ten_sdy_attr_fits(const ten_attr *attr, ten_str kind);
void ten_sdy_print_attr(struct ten_printer *printer, const ten_attr *attr, ten_str kind);

#endif
