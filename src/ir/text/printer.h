/* printer.h: shared by the files of the printer. */
#ifndef TEN_IR_TEXT_PRINTER_H
#define TEN_IR_TEXT_PRINTER_H

#include <stdio.h>
#include <stdlib.h>

#include "ir/text/text.h"

/* The name of a value: prefix and number, "%arg3", "%cst_2", "%7". */
typedef struct ten_value_name {
  const char *prefix; /* "": the number alone */
  uint32_t number;    /* UINT32_MAX: the prefix alone */
  bool joined;        /* arg3, not arg_3 */
} ten_value_name;

typedef struct ten_printer {
  ten_buf *out;
  ten_print_options options;
  TEN_VEC(ten_value_name) names;       /* ten_value.number is an index into it */
  TEN_VEC(const ten_loc *) locs;       /* that have an alias, in the order of their numbers */
  TEN_VEC(const ten_attr *) resources; /* seen, to be listed at the end */
  struct ten_loc_slot *loc_slots;
  struct ten_loc_seen *seen;
  size_t loc_capacity, seen_count, seen_capacity;
  ten_str dialect; /* ops of it are printed without their prefix */
  unsigned indent;
} ten_printer;

/* print_value.c: literals, types, attributes without a printer's state */
void ten_print_string(ten_buf *out, ten_str text); /* quoted and escaped */
void ten_print_name(ten_buf *out, ten_str text);   /* bare, or quoted when it must be */
void ten_print_symbol(ten_buf *out, ten_str text); /* @name */
void ten_print_float(ten_buf *out, ten_dtype dtype, const void *at);
void ten_print_int(ten_buf *out, ten_dtype dtype, int64_t value);
void ten_print_double(ten_buf *out, double value); /* always with a point, never hex */
void ten_print_function(ten_buf *out, uint32_t input_count, const ten_type *const *inputs, uint32_t result_count,
                        const ten_type *const *results);
void ten_print_dims(ten_buf *out, ten_ints dims, const char *open, const char *close);

/* print_attr.c, print_dense.c: with a printer (NULL: everything in full) */
typedef enum ten_elide {
  ELIDE_NEVER,
  ELIDE_DEFAULT,
  ELIDE_ALWAYS
} ten_elide; /* of a number's type: i64 and f64 are default */
void ten_print_attr(ten_printer *printer, ten_buf *out, const ten_attr *attr, ten_elide elide);
void ten_print_struct_body(ten_printer *printer, ten_buf *out, const ten_attr *attr); /* <…> */
bool ten_print_conv_dims(ten_buf *out, const ten_attr *attr); /* [b, 0, f]x[…]->[…], or false: needs the raw form */
void ten_print_dense(ten_printer *printer, ten_buf *out, const ten_attr *attr);
void ten_print_hex(ten_buf *out, ten_dtype dtype, const void *data, size_t size); /* digits alone */

/* print_loc.c */
void ten_print_trailing_loc(ten_printer *printer, const ten_loc *loc);
void ten_print_loc_aliases(ten_printer *printer);
void ten_print_locs_collect(ten_printer *printer, const ten_op *op);
void ten_print_locs_free(ten_printer *printer);

/* print_names.c */
void ten_print_names_number(ten_printer *printer, const ten_op *op);
/* Each result is named separately: not %0#1. */
bool ten_print_has_named_results(const ten_printer *printer, const ten_op *op);

/* print_op.c */
void ten_print_op(ten_printer *printer, const ten_op *op); /* results, form, location */
void ten_print_value(ten_printer *printer, const ten_value *value);
void ten_print_operands(ten_printer *printer, const ten_op *op, uint32_t from, uint32_t to);
void ten_print_region(ten_printer *printer, const ten_region *region, bool entry_args, bool empty_header);
void ten_print_newline(ten_printer *printer);
void ten_print_functional(ten_printer *printer, const ten_op *op);
/* " {…}" of the attributes that are not `covered`; nothing when there are none. */
typedef bool (*ten_covered)(const void *context, ten_str name);
void ten_print_attr_dict(ten_printer *printer, const ten_op *op, const char *keyword, ten_covered covered,
                         const void *context);
bool ten_covered_by_list(const void *names, ten_str name); /* context: array of names ended by NULL */

/* print_format.c */
bool ten_print_by_format(ten_printer *printer, const ten_op *op, const char *format);
/* print_part.c */
bool ten_part_is_printable(const ten_op *op, ten_str part);
void ten_print_part(ten_printer *printer, const ten_op *op, ten_str part);

/* print_special.c, print_func.c */
bool ten_print_constant_op(ten_printer *printer, const ten_op *op);
bool ten_print_reduce_op(ten_printer *printer, const ten_op *op);
bool ten_print_while_op(ten_printer *printer, const ten_op *op);
bool ten_print_scan_op(ten_printer *printer, const ten_op *op);
bool ten_print_module_op(ten_printer *printer, const ten_op *op);
bool ten_print_func_op(ten_printer *printer, const ten_op *op);

#endif
