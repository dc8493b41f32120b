/* program.h: programs as they come: a PyTorch archive (.pt2), MLIR text, MLIR bytecode or a StableHLO portable
 * artifact. */
#ifndef TENFOLD_PROGRAM_H
#define TENFOLD_PROGRAM_H

#include "tenfold/status.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct ten_model ten_model;

/* Reads and verifies a file. The caller releases the model. */
TEN_API TEN_MUST_USE ten_status *ten_model_load(const char *path, ten_model **out_model);
/* The same from memory, which is not needed afterwards; `name` stands for the file in messages. */
TEN_API TEN_MUST_USE ten_status *ten_model_parse(const void *data, size_t size, const char *name,
                                                 ten_model **out_model);
/* What was compiled from it keeps it alive. NULL is fine. */
TEN_API void ten_model_release(ten_model *model);

#ifdef __cplusplus
}
#endif
#endif
