/* grid.h: several processes (replicas × partitions) in one, a thread each, that meet in collectives.
 * When every process waits and none can go on, all of them fail with a message: a wrong program ends, it does not hang.
 */
#ifndef TEN_INTERP_GRID_H
#define TEN_INTERP_GRID_H

#include "backend/interp/interp.h"

typedef struct interp_grid_infeed {
  const interp_func **funcs; /* borrowed; each gives one item */
  size_t count, next;
} interp_grid_infeed;

interp_grid *interp_grid_create(uint32_t replicas, uint32_t partitions);
void interp_grid_destroy(interp_grid *grid);
uint32_t interp_grid_replicas(const interp_grid *grid);   /* NULL: 1 */
uint32_t interp_grid_partitions(const interp_grid *grid); /* NULL: 1 */
interp_grid_infeed *interp_grid_infeeds(interp_grid *grid);

/* A process is replica * partitions + partition. Each member of the group brings `count` values and gets everybody's:
 * count values a member, in the order of the group, owned by the caller. Members must name the group alike. */
TEN_MUST_USE ten_status *interp_grid_meet(interp_call *call, size_t member_count, const uint32_t *members,
                                          int64_t channel, size_t count, ten_tensor *const *values,
                                          ten_tensor **out_values);

/* Values wait in the channel until they are taken, first in, first out. */
TEN_MUST_USE ten_status *interp_grid_send(interp_call *call, int64_t channel, size_t count, ten_tensor *const *values);
TEN_MUST_USE ten_status *interp_grid_receive(interp_call *call, int64_t channel, size_t count, ten_tensor **out_values);

/* The next infeed item, or NULL when there is none left. */
const interp_func *interp_grid_infeed_next(interp_grid *grid);
/* Tells the others that this process is at its end; an error makes them stop. */
void interp_grid_leave(interp_grid *grid, const ten_status *status);

#endif
