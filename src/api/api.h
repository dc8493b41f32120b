/* api.h: the structs behind the public handles. */
#ifndef TEN_API_H
#define TEN_API_H

#include "backend/backend.h"
#include "tenfold/executable.h"

struct ten_program {
  int references; /* atomic */
  ten_module *module;
  struct ten_import *archive; /* owned: has the data of the module's constants, or NULL */
};
ten_program *ten_program_retain(ten_program *program);
/* Whether the caller's buffer has the expected type, dimensions, bytes and alignment; `what` and `index` name it. */
TEN_MUST_USE ten_status *ten_buffer_check(const char *what, size_t index, const ten_buffer *given,
                                          const ten_buffer *wanted);

#endif
