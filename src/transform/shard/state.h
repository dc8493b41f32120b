/* state.h: the state of partitioning, for partition.c and the files of its ops. */
#ifndef TEN_SHARD_STATE_H
#define TEN_SHARD_STATE_H

#include "transform/shard/partition.h"

/* The partitioned form of a value of the original program. */
typedef struct shard_held {
  ten_value *local;  /* the tile, or all of it */
  ten_value *whole;  /* NULL until needed */
  ten_tiling tiling; /* owned */
} shard_held;

typedef struct shard_state {
  ten_module *module;
  const ten_partition_hooks *hooks;
  const ten_spread *spread;
  const ten_op *end; /* of the function */
  uint32_t devices;
  int64_t channel;
  ten_value_map index; /* to an index in `values`, stored as a number */
  TEN_VEC(shard_held) values;
  TEN_VEC(ten_op *) gone; /* replaced: erased at the end, last first */
  ten_builder b;
} shard_state;

shard_held *shard_held_of(shard_state *p, const ten_value *value); /* NULL: of a nested region */
ten_value *shard_whole_of(shard_state *p, const ten_value *value);
/* The value with this tiling. */
ten_value *shard_tile_of(shard_state *p, ten_value *value, const ten_tiling *tiling);
/* The type of a tile; NULL when the dimensions cannot be split evenly. */
const ten_type *shard_tile_type(shard_state *p, const ten_type *type, const ten_tiling *tiling);
/* Copies dimension `dim` of one tiling to dimension `at` of another; both have the same devices. */
void shard_take_dim(ten_tiling *to, uint32_t at, const ten_tiling *from, uint32_t dim);
ten_op *shard_clone_with(shard_state *p, const ten_op *op, ten_value *const *operands, const ten_type *type);
/* Replaces the op's result by `local`, with tiling `tiling`. */
void shard_replaced(shard_state *p, ten_op *op, ten_value *local, const ten_tiling *tiling);
bool shard_in_list(ten_ints list, int64_t value);

/* product.c; false: the op cannot work on the available tiles. */
bool shard_do_dot(shard_state *p, ten_op *op);
bool shard_do_convolution(shard_state *p, ten_op *op);

#endif
