/* text.h: reads and prints MLIR text, as upstream MLIR and StableHLO do.
 *
 * Reads the pretty form of every StableHLO, CHLO, func, check, interpreter and common sdy op, the generic form of any
 * op, aliases, locations, resources. Prints what upstream prints, so names of values are not preserved (`%0`, `%cst`,
 * `%arg0`). */
#ifndef TEN_IR_TEXT_H
#define TEN_IR_TEXT_H

#include "ir/module.h"

/* Parses one module: the only one of the file, or an implicit one around the file's top-level ops. `path` names the
 * file in errors and locations. The text need not end in NUL and is not needed afterwards. On failure the status holds
 * up to TEN_TEXT_MAX_ERRORS errors, each with its place, the line and a caret. */
enum { TEN_TEXT_MAX_ERRORS = 20, TEN_TEXT_MAX_DEPTH = 256 };
TEN_MUST_USE ten_status *ten_text_parse(const char *text, size_t size, const char *path, ten_module **out_module);

/* A file of several modules, split at lines that say `// -----`. Line numbers stay those of the file. */
typedef struct ten_module_list {
  ten_module **items; /* owned */
  size_t count;
} ten_module_list;
TEN_MUST_USE ten_status *ten_text_parse_all(const char *text, size_t size, const char *path, ten_module_list *out_list);
void ten_module_list_free(ten_module_list *list);

typedef struct ten_print_options {
  bool generic;         /* "op"(…) for every op */
  bool generic_testing; /* for ops of `check` and `interpreter` only: upstream's Python bindings lack those dialects */
  bool locations;       /* loc(…) after every op and argument, shared ones as #locN */
  size_t elide_above;   /* constants of more elements than this print as dense_resource<__elided__>; 0: print all */
} ten_print_options;

/* `options` may be NULL: pretty form, everything printed, no locations. Each appends to `out`. */
void ten_text_print(ten_buf *out, const ten_module *module, const ten_print_options *options);
/* One op with its regions, without a final newline; values from outside are numbered first. */
void ten_text_print_op(ten_buf *out, const ten_op *op, const ten_print_options *options);
void ten_attr_print(ten_buf *out, const ten_attr *attr);
void ten_loc_print(ten_buf *out, const ten_loc *loc); /* the text inside loc(…) */

#endif
