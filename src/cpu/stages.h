/* stages.h: what compiling makes on the way, as text. */
#ifndef TEN_CPU_STAGES_H
#define TEN_CPU_STAGES_H

#include "ir/module.h"

/* `stage` is "passes" (the program after the passes), "plan" (or "fused"), "llvm", "asm". */
TEN_MUST_USE ten_status *ten_cpu_show(const ten_module *module, const ten_op *func, const char *stage, ten_buf *out);

/* The function as a compiled file (.ten): see object.h. */
TEN_MUST_USE ten_status *ten_cpu_compile_file(ten_module *module, const ten_op *func, ten_buf *out);

#endif
