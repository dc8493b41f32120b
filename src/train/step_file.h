/* step_file.h: a training step as a file: the compiled program, the role of each argument, and the initial values.
 * Everything in a file is checked before it is used.
 *
 *   16 bytes of magic; the size of the header; the header, which is JSON:
 *     {"version": "…", "slots": [["parameter", "fc.weight", OFFSET, SIZE], ["state", "…", null, null], …],
 *      "code": [OFFSET, SIZE]}
 *   and a fifth element, [2, 3, 1, 0], if a slot's dimensions are permuted relative to PyTorch (transpose.h);
 *   then the data, 64-aligned. Slots without an offset start as zeros; those of inputs and targets have none. */
#ifndef TEN_TRAIN_STEP_FILE_H
#define TEN_TRAIN_STEP_FILE_H

#include <jansson.h>

#include "value/tensor.h"

/* Dimension i here is dimension order[i] in PyTorch's order. Rank 0: not permuted. */
enum { TEN_TRANSPOSE_RANK = 4 };
typedef struct ten_transpose {
  uint32_t rank;
  int64_t order[TEN_TRANSPOSE_RANK];
} ten_transpose;

/* An argument of a training step (transform/grad/train.h). */
typedef struct ten_step_slot {
  ten_str role, name;
  const ten_type *type;
  ten_transpose transpose;
} ten_step_slot;

typedef struct ten_step_file {
  json_t *header;       /* owned by the caller; names refer to it */
  ten_step_slot *slots; /* owned; types are not filled in */
  ten_str *data;        /* owned: of each state slot, its data in the file; empty: zeros */
  size_t slot_count, state_count;
  ten_str code;
} ten_step_file;

/* Whether the bytes are those of a step file. */
bool ten_step_file_is(ten_str bytes);
bool ten_step_file_at(const char *path);
/* `state` are the values of the first `state_count` slots; NULL: zeros. */
TEN_MUST_USE ten_status *ten_step_file_write(const char *path, const ten_step_slot *slots, size_t slot_count,
                                             ten_tensor *const *state, size_t state_count, ten_str code);
TEN_MUST_USE ten_status *ten_step_file_read(ten_str bytes, const char *name, ten_step_file *out_file);
void ten_step_file_free(ten_step_file *file); /* all but the header */

#endif
