/* export.h: exports a program as a plain shared object with a C function, and its header. It needs libc, libm and
 * threads at run time; neither LLVM nor Tenfold. */
#ifndef TEN_CPU_EXPORT_EXPORT_H
#define TEN_CPU_EXPORT_EXPORT_H

#include "backend/backend.h"

/* link.c: links the objects with libtenfold_model.a into a shared object that exports only the symbols in the version
 * script. */
TEN_MUST_USE ten_status *ten_export_link(const char *const *objects, size_t count, const char *version_script,
                                         const char *path);
/* glue.c: the exported functions as object code: `name` and name_open, name_close, name_message. */
struct exec_program;
struct ten_cpu_target;
TEN_MUST_USE ten_status *ten_export_glue(const struct exec_program *program, const struct ten_cpu_target *target,
                                         const char *name, size_t data_size, ten_buf *out_object);
/* header.c: their C declarations. */
void ten_export_header(const struct exec_program *program, const ten_export_options *options, const char *name,
                       const char *isa, ten_buf *out);

#endif
