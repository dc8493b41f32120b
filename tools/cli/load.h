/* load.h: loads programs from files of any format. */
#ifndef TEN_CLI_LOAD_H
#define TEN_CLI_LOAD_H

#include "cli/shapes.h"
#include "ir/module.h"
#include "ir/text/text.h"

/* MLIR text, MLIR bytecode or a PyTorch archive (.pt2), distinguished by the first bytes; "-" is standard input.
 * Verified. */
TEN_MUST_USE ten_status *cli_load(const char *path, ten_module **out_module);
/* The same, with sizes for its open dimensions. Open sizes of an archive that are not given are those of its example:
 * `out_open` (freed by the caller) then names them. `entry` as for cli_entry. */
TEN_MUST_USE ten_status *cli_load_shaped(const char *path, const char *entry, const cli_shapes *shapes,
                                         ten_module **out_module, ten_buf *out_open);
/* The same, for text files of several programs split by `// -----`. */
TEN_MUST_USE ten_status *cli_load_all(const char *path, ten_module_list *out_list);

/* The same, unverified: for callers that report each program's errors separately. */
TEN_MUST_USE ten_status *cli_load_parts(const char *path, ten_module_list *out_list);

/* The function to run: the named one, or the program's entry when `name` is NULL. The error lists the candidates. */
TEN_MUST_USE ten_status *cli_entry(const ten_module *module, const char *name, ten_op **out_func);

#endif
