/* partition.h: programs on tiles (SPMD). */
#ifndef TEN_PASS_PARTITION_H
#define TEN_PASS_PARTITION_H

#include "ir/builder.h"
#include "transform/shard/custom.h"
#include "transform/shard/spread.h"

/* Whether an op only annotates its operand with a sharding, and which. */
typedef bool (*ten_constraint)(void *context, const ten_op *op, ten_tiling *out);

typedef struct ten_partition_hooks {
  ten_constraint constraint;
  void *context;
  const ten_partitioner *partitioner; /* may be NULL */
} ten_partition_hooks;

/* Makes `func` take and return the tiles of `spread`, and work on tiles where it can. */
TEN_MUST_USE ten_status *ten_partition(ten_module *module, ten_op *func, const ten_partition_hooks *hooks,
                                       ten_spread *spread);

/* exchange.c: the device's tile of a whole tensor; the whole tensor, from every device's tile. `channel` numbers the
 * collectives. */
ten_value *ten_build_tile(ten_builder *b, ten_value *x, const ten_tiling *tiling);
ten_value *ten_build_whole(ten_builder *b, ten_value *x, const ten_tiling *tiling, int64_t *channel);
/* All-reduces between devices that hold the same tile (by `kept`) of different parts (by `parts`). NULL: uneven
 * groups. */
ten_value *ten_build_sum(ten_builder *b, ten_value *x, const ten_tiling *kept, const ten_tiling *parts, ten_opcode code,
                         int64_t *channel);
/* Broadcasts the first device's `x` to all. */
ten_value *ten_build_from_first(ten_builder *b, ten_value *x, uint32_t devices, int64_t *channel);

/* callbacks.c: whether an op is a host callback, on devices as `where` says ("first", "each", "tiles"); makes only the
 * first device execute calls for "first". */
bool ten_is_callback(const ten_op *op, const char *where);
void ten_call_on_first_device(ten_module *module, ten_op *func, uint32_t devices, int64_t *channel);

#endif
