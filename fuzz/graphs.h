/* graphs.h: ATen graphs made from operator schemas and a string of bytes that decides everything left open: which
 * operator, ranks, sizes, element types, dimension numbers in and out of range, lists of wrong lengths, absent
 * arguments, declared result types that may be wrong. The same bytes make the same graph. */
#ifndef FUZZ_GRAPHS_H
#define FUZZ_GRAPHS_H

#include <stdint.h>

#include "base/str.h"

typedef struct fuzz_argument {
  const char *name, *type;
} fuzz_argument;

enum { FUZZ_ARGUMENTS_MAX = 40, FUZZ_RESULTS_MAX = 8 };

typedef struct fuzz_schema {
  const char *name;
  fuzz_argument arguments[FUZZ_ARGUMENTS_MAX];
  const char *results[FUZZ_RESULTS_MAX];
  uint32_t argument_count, result_count;
} fuzz_schema;

typedef struct fuzz_schemas {
  char *text; /* owned; what the schemas point into */
  fuzz_schema *items;
  size_t count;
} fuzz_schemas;

/* Reads what schemas.py writes and keeps what there is a lowering for; false: no such file. */
bool fuzz_schemas_load(const char *path, fuzz_schemas *out);

/* The graph as torch.export's JSON has it. */
void fuzz_graph_write(ten_buf *out, const fuzz_schemas *schemas, const uint8_t *data, size_t size);

#endif
