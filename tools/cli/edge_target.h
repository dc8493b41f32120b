/* edge_target.h: `compile --target edgetpu`: TFLite files. */
#ifndef TEN_CLI_EDGE_TARGET_H
#define TEN_CLI_EDGE_TARGET_H

#include "ir/module.h"

/* Says which ops would stay on the host's CPU and why, writes the file, and calls edgetpu_compiler where it is on PATH.
 */
TEN_MUST_USE ten_status *cli_edge_compile(const ten_module *module, const ten_op *func, const char *output, bool json,
                                          bool quiet);

#endif
