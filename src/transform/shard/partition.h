/* partition.h: programs on tiles. */
#ifndef TEN_PASS_PARTITION_H
#define TEN_PASS_PARTITION_H

#include "ir/builder.h"
#include "transform/shard/custom.h"
#include "transform/shard/spread.h"

/* Whether an op does nothing but say how its operand is cut, and how. */
typedef bool (*ten_constraint)(void *context, const ten_op *op, ten_tiling *out);

typedef struct ten_partition_hooks {
  ten_constraint constraint;
  void *context;
  const ten_partitioner *partitioner; /* may be NULL */
} ten_partition_hooks;

/* Makes `func` take and give the tiles that `spread` says, and work on tiles where it can. */
TEN_MUST_USE ten_status *ten_partition(ten_module *module, ten_op *func, const ten_partition_hooks *hooks,
                                       ten_spread *spread);

/* exchange.c: the device's tile of a whole tensor; the whole tensor, from every device's tile. `channel` numbers the
 * meetings. */
ten_value *ten_build_tile(ten_builder *b, ten_value *x, const ten_tiling *tiling);
ten_value *ten_build_whole(ten_builder *b, ten_value *x, const ten_tiling *tiling, int64_t *channel);
/* Adds up what devices have that hold the same tile (by `kept`) of different parts (by `parts`). NULL: they do not
 * come out even. */
ten_value *ten_build_sum(ten_builder *b, ten_value *x, const ten_tiling *kept, const ten_tiling *parts, ten_opcode code,
                         int64_t *channel);
/* What the first device has of `x`, on all of them. */
ten_value *ten_build_from_first(ten_builder *b, ten_value *x, uint32_t devices, int64_t *channel);

/* callbacks.c: whether an op calls out of the program, on devices as `where` says ("first", "each", "tiles"); makes
 * calls for the first device be made by it alone. */
bool ten_is_callback(const ten_op *op, const char *where);
void ten_call_on_first_device(ten_module *module, ten_op *func, uint32_t devices, int64_t *channel);

#endif
