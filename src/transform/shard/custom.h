/* custom.h: calls with user-defined partitioning, as JAX's custom_partitioning. The partitioner of a call's target gets
 * the tilings of operands and results, and returns the program that each device runs instead. */
#ifndef TEN_SHARD_CUSTOM_H
#define TEN_SHARD_CUSTOM_H

#include "ir/builder.h"
#include "transform/shard/tiling.h"

typedef struct ten_partition_call {
  const ten_op *op;               /* borrowed */
  ten_tiling *operands, *results; /* of each; owned */
} ten_partition_call;

typedef struct ten_partitioner {
  void *context;
  /* Whether calls to this target are partitioned here. */
  bool (*knows)(void *context, ten_str target);
  /* Set the tilings of the results: from those of the operands; from those that users need, which they hold. */
  ten_status *(*infer)(void *context, ten_partition_call *call);
  ten_status *(*propagate)(void *context, ten_partition_call *call);
  /* Returns a verified module whose entry function takes and returns tiles, and sets the tilings of those. */
  ten_status *(*partition)(void *context, ten_partition_call *call, ten_module **out);
} ten_partitioner;

/* False for any op when `partitioner` is NULL. */
bool ten_is_partitioned_call(const ten_partitioner *partitioner, const ten_op *op);

/* No dimension is split. */
void ten_partition_call_create(const ten_op *op, uint32_t devices, ten_partition_call *out);
void ten_partition_call_destroy(ten_partition_call *call);
/* Chooses the tilings of a call's results from those of its operands and from `wanted`: for each result the tiling that
 * a user of it needs, or NULL. */
TEN_MUST_USE ten_status *ten_partition_call_choose(const ten_partitioner *partitioner, ten_partition_call *call,
                                                   const ten_tiling *const *wanted);

/* The tile of operand `index` of a call. */
typedef ten_value *(*ten_operand_tile)(void *context, uint32_t index, const ten_tiling *tiling);
/* Builds the program that replaces the call: out_results[i] is a tile by call->results[i]. `channel` numbers the
 * collectives. */
TEN_MUST_USE ten_status *ten_partition_call_build(const ten_partitioner *partitioner, ten_partition_call *call,
                                                  ten_builder *b, ten_operand_tile tile, void *context,
                                                  int64_t *channel, ten_value **out_results);

/* Replaces partitioned calls under `op` (not itself), whose operands are whole on every device. Unless `may_cut`, they
 * must stay whole: devices have different values there. */
TEN_MUST_USE ten_status *ten_partition_calls_inside(const ten_partitioner *partitioner, ten_module *module, ten_op *op,
                                                    uint32_t devices, bool may_cut, int64_t *channel);

/* rule.c: splits the results along the factors of a rule (`#sdy.op_sharding_rule<…>`) that split operands. */
TEN_MUST_USE ten_status *ten_rule_apply(ten_str rule, ten_partition_call *call);

#endif
