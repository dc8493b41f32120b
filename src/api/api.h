/* api.h: what stands behind the public handles. */
#ifndef TEN_API_H
#define TEN_API_H

#include "backend/backend.h"
#include "tenfold/executable.h"

struct ten_model {
  int references; /* atomic */
  ten_module *module;
  struct ten_program *archive; /* owned: what the module's constants look into, or NULL */
};
ten_model *ten_model_retain(ten_model *model);

struct ten_compiled {
  ten_model *model;           /* retained; NULL: from a compiled file */
  ten_module *module;         /* owned: the model's with settings of its own, or NULL */
  ten_executable *executable; /* owned */
  uint32_t input_count, output_count;
  ten_buffer *inputs, *outputs; /* descriptions, owned */
};

#endif
