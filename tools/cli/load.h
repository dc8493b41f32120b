/* load.h: programs from files, whatever form they are in. */
#ifndef TEN_CLI_LOAD_H
#define TEN_CLI_LOAD_H

#include "cli/shapes.h"
#include "ir/module.h"
#include "ir/text/text.h"

/* MLIR text, MLIR bytecode or a PyTorch archive (.pt2), told apart by the first bytes; "-" is standard input. Verified.
 */
TEN_MUST_USE ten_status *cli_load(const char *path, ten_module **out_module);
/* The same, with sizes for the dimensions it leaves open. Sizes that an archive leaves open and nobody gave are those
 * of its example: `out_open` (freed by the caller) then says which, in words. `entry` as for cli_entry. */
TEN_MUST_USE ten_status *cli_load_shaped(const char *path, const char *entry, const cli_shapes *shapes,
                                         ten_module **out_module, ten_buf *out_open);
/* The same, for text files of several programs split by `// -----`. */
TEN_MUST_USE ten_status *cli_load_all(const char *path, ten_module_list *out_list);

/* The same again, unverified: for whoever reports each program's errors on its own. */
TEN_MUST_USE ten_status *cli_load_parts(const char *path, ten_module_list *out_list);

/* The function to run: the one named, or the program's own entry when `name` is NULL. The error lists what there is. */
TEN_MUST_USE ten_status *cli_entry(const ten_module *module, const char *name, ten_op **out_func);

#endif
