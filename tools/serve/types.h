/* types.h: element types of the Open Inference Protocol. */
#ifndef TEN_SERVE_TYPES_H
#define TEN_SERVE_TYPES_H

#include "base/str.h"
#include "tenfold/dtype.h"

typedef struct serve_type {
  const char *name; /* "FP32" */
  ten_dtype dtype;  /* TEN_DTYPE_NONE of BYTES: no program has strings */
  int config;       /* its number in a model's configuration */
} serve_type;

/* NULL when there is none. */
const serve_type *serve_type_named(ten_str name);
const serve_type *serve_type_of(ten_dtype dtype);

#endif
