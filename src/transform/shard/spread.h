/* spread.h: turns a program for several partitions into one that each of them can run. */
#ifndef TEN_PASS_SPREAD_H
#define TEN_PASS_SPREAD_H

#include "transform/shard/custom.h"
#include "transform/shard/tiling.h"

typedef struct ten_spread_value {
  ten_tiling tiling; /* the caller's tiling */
  bool local;        /* the program takes (returns) the tile itself; else all of it */
} ten_spread_value;

typedef struct ten_spread {
  uint32_t devices;
  bool together; /* every device must run it, since it has collectives; else one can run it for all */
  uint32_t input_count, output_count;
  ten_spread_value *inputs, *outputs; /* owned */
} ten_spread;

/* Inlines `func`, and lowers its shardings. Each device then computes on whole tensors, except in manual computations,
 * which get their tile of each operand and whose results are gathered. `partitioner` (may be NULL) handles the calls
 * that it knows. */
TEN_MUST_USE ten_status *ten_spread_function(ten_module *module, ten_op *func, uint32_t devices,
                                             const ten_partitioner *partitioner, ten_spread *out);
void ten_spread_free(ten_spread *spread);

#endif
