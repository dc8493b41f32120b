/* grid.h: several processes (replicas × partitions), simulated by threads, that communicate in collectives. If all
 * processes wait, all of them fail with a message: a wrong program terminates instead of hanging. */
#ifndef TEN_INTERP_GRID_H
#define TEN_INTERP_GRID_H

#include "backend/interp/interp.h"

typedef struct interp_grid_infeed {
  const interp_func **funcs; /* borrowed; each returns one item */
  size_t count, next;
} interp_grid_infeed;

interp_grid *interp_grid_create(uint32_t replicas, uint32_t partitions);
void interp_grid_destroy(interp_grid *grid);
uint32_t interp_grid_replicas(const interp_grid *grid);   /* NULL: 1 */
uint32_t interp_grid_partitions(const interp_grid *grid); /* NULL: 1 */
interp_grid_infeed *interp_grid_infeeds(interp_grid *grid);

/* A process is replica * partitions + partition. Each member of the group passes `count` values and gets those of all:
 * count values per member, in group order, owned by the caller. Members must agree on the group. */
TEN_MUST_USE ten_status *interp_grid_meet(interp_call *call, size_t member_count, const uint32_t *members,
                                          int64_t channel, size_t count, ten_tensor *const *values,
                                          ten_tensor **out_values);

/* Values are queued in the channel, first in, first out. */
TEN_MUST_USE ten_status *interp_grid_send(interp_call *call, int64_t channel, size_t count, ten_tensor *const *values);
TEN_MUST_USE ten_status *interp_grid_receive(interp_call *call, int64_t channel, size_t count, ten_tensor **out_values);

/* The next infeed item, or NULL when there is none left. */
const interp_func *interp_grid_infeed_next(interp_grid *grid);
/* Tells the other processes that this one has ended; an error makes them stop. */
void interp_grid_leave(interp_grid *grid, const ten_status *status);

#endif
