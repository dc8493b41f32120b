/* api.h: what stands behind the public handles. */
#ifndef TEN_API_H
#define TEN_API_H

#include "backend/backend.h"
#include "tenfold/executable.h"

struct ten_program {
  int references; /* atomic */
  ten_module *module;
  struct ten_import *archive; /* owned: what the module's constants look into, or NULL */
};
ten_program *ten_program_retain(ten_program *program);
/* Whether what a caller gives has the type, dimensions, bytes and alignment that are wanted; `what` and `index` name
 * it. */
TEN_MUST_USE ten_status *ten_buffer_check(const char *what, size_t index, const ten_buffer *given,
                                          const ten_buffer *wanted);

#endif
