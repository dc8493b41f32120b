/* move.h: transposes (ten_move; args = input, output) and concatenations as steps. */
#ifndef TEN_CPU_MOVE_H
#define TEN_CPU_MOVE_H

#include "backend/cpu/exec/flat.h"

/* args = `count` inputs, output: concatenates a row of each. A unit is a row of the output. Rows of an input begin at
 * `offset` and are `step` apart, in bytes. */
enum { TEN_JOIN_MOST = 80 };
typedef struct ten_join {
  uint32_t count;
  size_t bytes[TEN_JOIN_MOST]; /* of a row */
  int64_t offset[TEN_JOIN_MOST], step[TEN_JOIN_MOST];
} ten_join;

#endif
