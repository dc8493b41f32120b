/* schedule.c: orders the steps to reduce memory. A step is ready when its inputs are written and what it overwrites is
 * read; of the ready steps, the one with the least growth goes first: new bytes it writes, less those it reads last.
 * That order is used if its peak of live bytes is lower than in program order, by a worthwhile share; checks and steps
 * that need the caller keep their order. Needs: steps, before memory is planned.
 * Keeps: what each step does. */
#include <stdlib.h>
#include <string.h>

#include "backend/cpu/plan/plan.h"

enum { WORTH = 32, MOST_STEPS = 20000 }; /* a 32nd of the peak; longer programs are not reordered */

typedef TEN_VEC(uint32_t) numbers;

/* Buffers that one step touches, including inside its loops, each once. */
typedef struct touched {
  numbers buffers;
  numbers after; /* steps that depend on this one */
  uint32_t waits;
  bool done;
} touched;

typedef struct scheduler {
  cpu_plan *plan;
  touched *steps;
  size_t count;
  uint32_t *seen;        /* by buffer: the step that last touched it, plus one */
  uint32_t *uses, *left; /* by buffer: steps that touch it, and how many of them remain */
  uint32_t *writer;      /* by buffer: the last step that wrote it, plus one */
  numbers *readers;      /* by buffer: steps that read it since */
} scheduler;

static void wait_for(scheduler *s, uint32_t step, uint32_t earlier) {
  if (earlier == step) return;
  const numbers *after = &s->steps[earlier].after;
  if (after->count && after->data[after->count - 1] == step) return;
  ten_vec_push(&s->steps[earlier].after, step);
  s->steps[step].waits++;
}

static void touch(scheduler *s, uint32_t step, uint32_t buffer, bool writes) {
  if (s->seen[buffer] != step + 1) {
    s->seen[buffer] = step + 1;
    ten_vec_push(&s->steps[step].buffers, buffer);
    s->uses[buffer]++;
  }
  if (s->writer[buffer] && s->writer[buffer] - 1 != step) wait_for(s, step, s->writer[buffer] - 1);
  if (!writes) {
    ten_vec_push(&s->readers[buffer], step);
    return;
  }
  for (size_t i = 0; i < s->readers[buffer].count; i++) wait_for(s, step, s->readers[buffer].data[i]);
  s->readers[buffer].count = 0;
  s->writer[buffer] = step + 1;
}

static bool touch_all(scheduler *s, uint32_t number, const cpu_step *step) {
  bool host = step->kind == CPU_HOST || step->kind == CPU_ASSERT;
  for (size_t k = 0; k < step->args.count; k++)
    touch(s, number, cpu_buffer_root(s->plan, step->args.data[k]), k >= step->read_count);
  for (uint32_t b = 0; b < step->body_count; b++)
    for (size_t i = 0; i < step->bodies[b].steps.count; i++)
      host |= touch_all(s, number, step->bodies[b].steps.data[i]);
  return host;
}

static size_t bytes_of(const scheduler *s, uint32_t buffer) {
  const cpu_buffer *b = &s->plan->buffers.data[buffer];
  return b->place == CPU_ARENA ? (b->bytes + 63) / 64 * 64 : 0;
}

/* Live bytes added while the step runs, and those that remain after it. */
static int64_t growth(const scheduler *s, const touched *step, int64_t *stays) {
  int64_t grows = 0;
  *stays = 0;
  for (size_t i = 0; i < step->buffers.count; i++) {
    const uint32_t buffer = step->buffers.data[i];
    const int64_t bytes = (int64_t)bytes_of(s, buffer);
    if (s->left[buffer] == s->uses[buffer]) grows += bytes, *stays += bytes;
    if (s->left[buffer] == 1) *stays -= bytes;
  }
  return grows;
}

static void run_step(scheduler *s, const touched *step, int64_t *alive, int64_t *peak) {
  int64_t stays = 0;
  const int64_t grows = growth(s, step, &stays);
  if (*alive + grows > *peak) *peak = *alive + grows;
  *alive += stays;
  for (size_t i = 0; i < step->buffers.count; i++) s->left[step->buffers.data[i]]--;
}

static int64_t peak_as_it_is(scheduler *s) {
  memcpy(s->left, s->uses, s->plan->buffers.count * sizeof *s->left);
  int64_t alive = 0, peak = 0;
  for (size_t i = 0; i < s->count; i++) run_step(s, &s->steps[i], &alive, &peak);
  return peak;
}

/* Fills `order`, always with the ready step of least growth next. */
static int64_t peak_by_need(scheduler *s, uint32_t *order) {
  memcpy(s->left, s->uses, s->plan->buffers.count * sizeof *s->left);
  int64_t alive = 0, peak = 0;
  numbers ready = {0}; /* in program order */
  for (uint32_t i = 0; i < s->count; i++)
    if (!s->steps[i].waits) ten_vec_push(&ready, i);
  for (size_t at = 0; at < s->count; at++) {
    size_t best = 0;
    int64_t least = INT64_MAX, most = INT64_MAX;
    for (size_t i = 0; i < ready.count; i++) {
      int64_t stays = 0;
      const int64_t grows = growth(s, &s->steps[ready.data[i]], &stays);
      if (stays < least || (stays == least && grows < most)) least = stays, most = grows, best = i;
    }
    const uint32_t step = ready.data[best];
    order[at] = step;
    ready.count--;
    memmove(ready.data + best, ready.data + best + 1, (ready.count - best) * sizeof *ready.data);
    run_step(s, &s->steps[step], &alive, &peak);
    for (size_t i = 0; i < s->steps[step].after.count; i++) {
      const uint32_t next = s->steps[step].after.data[i];
      if (--s->steps[next].waits) continue;
      size_t place = ready.count;
      ten_vec_push(&ready, next);
      for (; place > 0 && ready.data[place - 1] > next; place--) ready.data[place] = ready.data[place - 1];
      ready.data[place] = next;
    }
  }
  ten_vec_free(&ready);
  return peak;
}

void cpu_plan_schedule(cpu_plan *plan) {
  cpu_body *body = &plan->body;
  const size_t count = body->steps.count, buffers = plan->buffers.count + 1;
  if (count < 3 || count > MOST_STEPS) return;
  scheduler s = {.plan = plan, .count = count};
  uint32_t *all = ten_alloc((buffers * 4 + count) * sizeof *all), *order = all + 4 * buffers;
  memset(all, 0, (buffers * 4 + count) * sizeof *all);
  s.seen = all, s.uses = all + buffers, s.left = all + 2 * buffers, s.writer = all + 3 * buffers;
  s.steps = ten_alloc(count * sizeof *s.steps);
  memset(s.steps, 0, count * sizeof *s.steps);
  s.readers = ten_alloc(buffers * sizeof *s.readers);
  memset(s.readers, 0, buffers * sizeof *s.readers);
  uint32_t host = UINT32_MAX;
  for (uint32_t i = 0; i < count; i++)
    if (touch_all(&s, i, body->steps.data[i])) {
      if (host != UINT32_MAX) wait_for(&s, i, host);
      host = i;
    }
  const int64_t before = peak_as_it_is(&s), after = peak_by_need(&s, order);
  if (before - after > before / WORTH) {
    cpu_step **steps = ten_alloc(count * sizeof *steps);
    for (size_t i = 0; i < count; i++) steps[i] = body->steps.data[order[i]];
    memcpy(body->steps.data, steps, count * sizeof *steps);
    free(steps);
  }
  for (size_t i = 0; i < count; i++) {
    ten_vec_free(&s.steps[i].buffers);
    ten_vec_free(&s.steps[i].after);
  }
  for (size_t i = 0; i < buffers; i++) ten_vec_free(&s.readers[i]);
  free(s.steps);
  free(s.readers);
  free(all);
}
