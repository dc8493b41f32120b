/* grid.c: rendezvous and channels between processes. One lock for all; every change wakes all waiters, which check
 * again. */
#include "backend/interp/grid.h"

#include <stdlib.h>

typedef struct meeting {
  size_t member_count;
  uint32_t *members; /* owned */
  int64_t channel;
  size_t count;
  ten_tensor **values; /* member_count * count, owned */
  bool *here;          /* owned */
  size_t arrived, left;
  struct meeting *next;
} meeting;

typedef struct message {
  int64_t channel;
  size_t count;
  ten_tensor **values; /* owned */
  struct message *next;
} message;

struct interp_grid {
  uint32_t replicas, partitions;
  ten_mutex mutex;
  ten_cond changed;
  uint64_t changes;
  size_t alive, blocked;
  bool failed;
  meeting *meetings;
  message *messages; /* oldest first */
  interp_grid_infeed infeed;
};

interp_grid *interp_grid_create(uint32_t replicas, uint32_t partitions) {
  interp_grid *grid = ten_alloc(sizeof *grid);
  *grid = (interp_grid){.replicas = replicas, .partitions = partitions, .alive = (size_t)replicas * partitions};
  ten_mutex_init(&grid->mutex);
  ten_cond_init(&grid->changed);
  return grid;
}

static void meeting_free(meeting *m) {
  ten_tensors_release(m->values, m->member_count * m->count);
  free(m->values);
  free(m->members);
  free(m->here);
  free(m);
}

void interp_grid_destroy(interp_grid *grid) {
  while (grid->meetings) {
    meeting *m = grid->meetings;
    grid->meetings = m->next;
    meeting_free(m);
  }
  while (grid->messages) {
    message *m = grid->messages;
    grid->messages = m->next;
    ten_tensors_release(m->values, m->count);
    free(m->values);
    free(m);
  }
  free(grid->infeed.funcs);
  ten_cond_destroy(&grid->changed);
  ten_mutex_destroy(&grid->mutex);
  free(grid);
}

uint32_t interp_grid_replicas(const interp_grid *grid) { return grid ? grid->replicas : 1; }
uint32_t interp_grid_partitions(const interp_grid *grid) { return grid ? grid->partitions : 1; }
interp_grid_infeed *interp_grid_infeeds(interp_grid *grid) { return &grid->infeed; }

/* All waiters count as running until they have checked again. */
static void announce(interp_grid *grid) {
  grid->changes++;
  grid->blocked = 0;
  ten_cond_broadcast(&grid->changed);
}

/* Waits for a change; an error on deadlock. Called and returns with the lock held. */
static ten_status *await_change(interp_call *call, interp_grid *grid) {
  const uint64_t seen = grid->changes;
  if (grid->failed) return interp_error(call, TEN_CANCELLED, "another process failed");
  if (++grid->blocked == grid->alive) {
    grid->failed = true;
    announce(grid);
    return interp_error(call, TEN_INVALID, "deadlock: every process waits for another one");
  }
  while (grid->changes == seen) ten_cond_wait(&grid->changed, &grid->mutex);
  return grid->failed ? interp_error(call, TEN_CANCELLED, "another process failed") : NULL;
}

static meeting *meeting_find(interp_grid *grid, size_t member_count, const uint32_t *members, int64_t channel,
                             size_t place) {
  for (meeting *m = grid->meetings; m; m = m->next)
    if (m->channel == channel && m->member_count == member_count &&
        !memcmp(m->members, members, member_count * sizeof *members) && !m->here[place])
      return m;
  return NULL;
}

static meeting *meeting_create(interp_grid *grid, size_t member_count, const uint32_t *members, int64_t channel,
                               size_t count) {
  meeting *m = ten_alloc(sizeof *m), **last = &grid->meetings;
  *m = (meeting){.member_count = member_count, .channel = channel, .count = count};
  m->members = ten_alloc(member_count * sizeof *members);
  memcpy(m->members, members, member_count * sizeof *members);
  m->here = ten_alloc(member_count * sizeof *m->here);
  memset(m->here, 0, member_count * sizeof *m->here);
  m->values = ten_alloc((member_count * count + 1) * sizeof *m->values);
  memset(m->values, 0, (member_count * count + 1) * sizeof *m->values);
  while (*last) last = &(*last)->next;
  return *last = m;
}

ten_status *interp_grid_meet(interp_call *call, size_t member_count, const uint32_t *members, int64_t channel,
                             size_t count, ten_tensor *const *values, ten_tensor **out_values) {
  interp_grid *grid = call->state->grid;
  const uint32_t self = call->state->replica * interp_grid_partitions(grid) + call->state->partition;
  size_t place = 0;
  while (place < member_count && members[place] != self) place++;
  if (member_count == 1 && place == 0) {
    for (size_t i = 0; i < count; i++) out_values[i] = ten_tensor_retain(values[i]);
    return NULL;
  }
  if (!grid || place == member_count)
    return interp_error(call, TEN_INVALID, "needs %zu processes; several of them run through interpreter.run_parallel",
                        member_count);
  ten_mutex_lock(&grid->mutex);
  meeting *m = meeting_find(grid, member_count, members, channel, place);
  if (!m) m = meeting_create(grid, member_count, members, channel, count);
  ten_status *status = NULL;
  if (m->count != count) {
    status = interp_error(call, TEN_INVALID, "this process exchanges %zu values, another one %zu", count, m->count);
  } else {
    for (size_t i = 0; i < count; i++) m->values[place * count + i] = ten_tensor_retain(values[i]);
    m->here[place] = true;
    if (++m->arrived == member_count) announce(grid);
    while (!status && m->arrived < member_count) status = await_change(call, grid);
    if (!status) {
      for (size_t i = 0; i < member_count * count; i++) out_values[i] = ten_tensor_retain(m->values[i]);
      if (++m->left == member_count) {
        meeting **link = &grid->meetings;
        while (*link != m) link = &(*link)->next;
        *link = m->next;
        meeting_free(m);
      }
    }
  }
  ten_mutex_unlock(&grid->mutex);
  return status;
}

ten_status *interp_grid_send(interp_call *call, int64_t channel, size_t count, ten_tensor *const *values) {
  interp_grid *grid = call->state->grid;
  if (!grid)
    return interp_error(call, TEN_INVALID,
                        "there is nobody to send to; several processes run through interpreter.run_parallel");
  message *m = ten_alloc(sizeof *m);
  *m = (message){.channel = channel, .count = count, .values = ten_alloc((count + 1) * sizeof *values)};
  for (size_t i = 0; i < count; i++) m->values[i] = ten_tensor_retain(values[i]);
  ten_mutex_lock(&grid->mutex);
  message **last = &grid->messages;
  while (*last) last = &(*last)->next;
  *last = m;
  announce(grid);
  ten_mutex_unlock(&grid->mutex);
  return NULL;
}

ten_status *interp_grid_receive(interp_call *call, int64_t channel, size_t count, ten_tensor **out_values) {
  interp_grid *grid = call->state->grid;
  if (!grid)
    return interp_error(call, TEN_INVALID,
                        "there is nobody to receive from; several processes run through interpreter.run_parallel");
  ten_mutex_lock(&grid->mutex);
  ten_status *status = NULL;
  while (!status) {
    message **link = &grid->messages;
    while (*link && (*link)->channel != channel) link = &(*link)->next;
    message *m = *link;
    if (!m) {
      status = await_change(call, grid);
      continue;
    }
    if (m->count != count) {
      status = interp_error(call, TEN_INVALID, "%zu values were sent, %zu are received", m->count, count);
      break;
    }
    *link = m->next;
    memcpy(out_values, m->values, count * sizeof *out_values);
    free(m->values);
    free(m);
    break;
  }
  ten_mutex_unlock(&grid->mutex);
  return status;
}

const interp_func *interp_grid_infeed_next(interp_grid *grid) {
  ten_mutex_lock(&grid->mutex);
  const interp_func *func = grid->infeed.next < grid->infeed.count ? grid->infeed.funcs[grid->infeed.next++] : NULL;
  ten_mutex_unlock(&grid->mutex);
  return func;
}

void interp_grid_leave(interp_grid *grid, const ten_status *status) {
  ten_mutex_lock(&grid->mutex);
  grid->alive--;
  if (status || (grid->alive && grid->blocked == grid->alive)) {
    grid->failed = true;
    announce(grid);
  }
  ten_mutex_unlock(&grid->mutex);
}
