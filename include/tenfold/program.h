/* program.h: loaded programs: a PyTorch archive (.pt2), MLIR text, MLIR bytecode or a StableHLO portable
 * artifact.
 *
 * Threads: several threads may use one program at once; releasing it is the last use of that reference. */
#ifndef TENFOLD_PROGRAM_H
#define TENFOLD_PROGRAM_H

#include "tenfold/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A loaded, verified program. Reference-counted: a caller that gets one from a function here releases it once. */
typedef struct ten_program ten_program;

/* Reads and verifies the file at `path` ("-" is standard input). The caller releases `out_program`, which is NULL on an
 * error. Errors: TEN_NOT_FOUND and TEN_IO when the file cannot be read, TEN_INVALID when it is not a program or breaks
 * a rule, TEN_UNSUPPORTED when it needs what this version does not have, TEN_LIMIT when memory runs out. */
TEN_API TEN_MUST_USE ten_status *ten_program_load(const char *path, ten_program **out_program);

/* The same from `size` bytes at `data`: MLIR text, bytecode or a portable artifact. They are not needed afterwards.
 * `name` stands for the file in messages; NULL: "<memory>". The caller releases `out_program`, which is NULL on an
 * error. Errors are those of ten_program_load. */
TEN_API TEN_MUST_USE ten_status *ten_program_parse(const void *data, size_t size, const char *name,
                                                   ten_program **out_program);

/* Gives one reference to `program` back; NULL is allowed. What was compiled from it keeps what it needs. */
TEN_API void ten_program_release(ten_program *program);

#ifdef __cplusplus
}
#endif
#endif
