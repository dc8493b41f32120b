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

#endif
