/* pt2_reader.h: shared by the files that read an archive. */
#ifndef TEN_IMPORT_PT2_READER_H
#define TEN_IMPORT_PT2_READER_H

#include <jansson.h>

#include "front/import/pt2.h"
#include "ir/builder.h"

typedef struct pt2_reader {
  ten_zip zip;
  ten_str prefix;              /* of every path in the archive, with its slash */
  json_t *program;             /* models/<name>.json */
  json_t *weights, *constants; /* name → payload; may be NULL */
  ten_module *module;
  ten_source *source; /* borrowed: the archive as a file, or NULL */
} pt2_reader;

/* The entry `prefix` + path, or NULL. */
const ten_zip_entry *pt2_find(const pt2_reader *r, const char *path);
/* The element type of PyTorch's number; NONE when it is not supported. */
ten_dtype pt2_dtype(int64_t scalar_type);
TEN_MUST_USE ten_status *pt2_tensor_type(ten_module *module, const json_t *meta, const char *name,
                                         const ten_type **out_type);
/* An integer field of an object, or `otherwise`. */
int64_t pt2_int(const json_t *object, const char *key, int64_t otherwise);
/* The value of parameter, buffer or constant `name`, as a constant that is a view of the archive. */
TEN_MUST_USE ten_status *pt2_weight(pt2_reader *r, const char *name, const ten_attr **out_attr);
/* Creates @main. */
TEN_MUST_USE ten_status *pt2_program(pt2_reader *r);

#endif
