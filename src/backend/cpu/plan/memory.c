/* memory.c: assigns memory to every buffer. Live ranges are intervals of positions (steps in program order); a buffer
 * live across a loop lives to its end. Buffers are merged where possible (a copy of a dying value, an elementwise
 * kernel or epilogue over a dying value, a loop-carried value updated in place); then every buffer gets the lowest
 * offset free for its live range. Needs: steps and args.  Keeps: results; non-ARENA buffers. */
#include <stdlib.h>
#include <string.h>

#include "backend/cpu/plan/plan.h"
#include "ir/ten.h"

enum { ALIGN = 64 };

typedef struct loop_range {
  int64_t begin, end;
} loop_range;

typedef struct lives {
  cpu_plan *plan;
  int64_t next;
  TEN_VEC(loop_range) loops; /* inner ones first */
} lives;

static cpu_buffer *buffer_at(cpu_plan *plan, uint32_t number) {
  return &plan->buffers.data[cpu_buffer_root(plan, number)];
}

static void touch(cpu_plan *plan, uint32_t number, int64_t position) {
  cpu_buffer *buffer = buffer_at(plan, number);
  if (position < buffer->first) buffer->first = position;
  if (position > buffer->last) buffer->last = position;
}

static void walk_lives(lives *l, cpu_body *body) {
  body->begin = l->next;
  for (size_t i = 0; i < body->steps.count; i++) {
    cpu_step *step = body->steps.data[i];
    step->position = l->next++;
    for (size_t k = 0; k < step->args.count; k++) touch(l->plan, step->args.data[k], step->position);
    for (uint32_t k = 0; k < step->body_count; k++) walk_lives(l, &step->bodies[k]);
    if (!step->body_count) continue;
    const int64_t end = l->next++;
    for (size_t k = 0; k < step->args.count; k++) touch(l->plan, step->args.data[k], end);
    if (step->kind == CPU_WHILE || step->kind == CPU_CHUNKS) ten_vec_push(&l->loops, (loop_range){step->position, end});
  }
  body->end = l->next;
}

/* Buffers of two overlapped steps are live through both. */
static void walk_overlapping(cpu_plan *plan) {
  for (size_t i = 0; i + 1 < plan->body.steps.count; i++) {
    const cpu_step *pair[] = {plan->body.steps.data[i], plan->body.steps.data[i + 1]};
    for (int k = 0; k < 2 && (pair[0]->overlaps || pair[0]->paired); k++)
      for (size_t a = 0; a < pair[k]->args.count; a++)
        if (buffer_at(plan, pair[k]->args.data[a])->place == CPU_ARENA)
          touch(plan, pair[k]->args.data[a], pair[1 - k]->position);
  }
}

static void compute_lives(cpu_plan *plan) {
  for (size_t i = 0; i < plan->buffers.count; i++)
    plan->buffers.data[i].first = INT64_MAX, plan->buffers.data[i].last = -1;
  lives l = {.plan = plan};
  walk_lives(&l, &plan->init); /* ends before the first call: its memory is reused */
  walk_lives(&l, &plan->body);
  walk_overlapping(plan);
  for (size_t i = 0; i < l.loops.count; i++)
    for (size_t k = 0; k < plan->buffers.count; k++) {
      cpu_buffer *buffer = &plan->buffers.data[k];
      if (buffer->first < l.loops.data[i].begin && buffer->last >= l.loops.data[i].begin &&
          buffer->last < l.loops.data[i].end)
        buffer->last = l.loops.data[i].end;
    }
  ten_vec_free(&l.loops);
}

void cpu_buffer_join(cpu_plan *plan, uint32_t a, uint32_t b) {
  cpu_buffer *first = &plan->buffers.data[a], *second = &plan->buffers.data[b];
  second->same_as = a;
  if (second->first < first->first) first->first = second->first;
  if (second->last > first->last) first->last = second->last;
  if (second->bytes > first->bytes) first->bytes = second->bytes;
}

static bool can_join(const cpu_plan *plan, uint32_t a, uint32_t b) {
  const cpu_buffer *first = &plan->buffers.data[a], *second = &plan->buffers.data[b];
  return a != b && first->place == CPU_ARENA && second->place == CPU_ARENA && first->bytes == second->bytes;
}

/* A program output in which `from` may be computed: the caller's memory, free until it is written. */
static bool can_join_output(const cpu_plan *plan, uint32_t to, uint32_t from) {
  const cpu_buffer *output = &plan->buffers.data[to], *second = &plan->buffers.data[from];
  return output->place == CPU_OUTPUT && second->place == CPU_ARENA && output->bytes == second->bytes;
}

static void join_copy(cpu_plan *plan, const cpu_step *step) {
  const uint32_t from = cpu_buffer_root(plan, step->args.data[0]), to = cpu_buffer_root(plan, step->args.data[1]);
  const bool output = can_join_output(plan, to, from);
  if (!output && !can_join(plan, from, to)) return;
  if (plan->buffers.data[from].last == step->position && plan->buffers.data[to].first == step->position)
    cpu_buffer_join(plan, output ? to : from, output ? from : to);
}

/* An elementwise kernel or epilogue with the last read of a buffer, at the elements it writes: another buffer, or an
 * output of the program. */
static void join_elements(cpu_plan *plan, const cpu_step *step, bool output) {
  for (size_t r = 0; r < step->roots.count; r++) {
    const uint32_t to = cpu_buffer_root(plan, step->args.data[step->read_count + r]);
    for (size_t i = 0; i < step->inputs.count; i++) {
      const uint32_t from = cpu_buffer_root(plan, step->args.data[i]);
      if (output ? !can_join_output(plan, to, from) : !can_join(plan, from, to)) continue;
      if (plan->buffers.data[from].last != step->position || plan->buffers.data[to].first != step->position) continue;
      if (!cpu_reads_in_place(plan, step, r, from)) continue;
      cpu_buffer_join(plan, output ? to : from, output ? from : to);
      break;
    }
  }
}

static bool reads(const cpu_plan *plan, const cpu_step *step, uint32_t root) {
  for (size_t i = 0; i < step->args.count; i++)
    if (cpu_buffer_root(plan, step->args.data[i]) == root) return true;
  for (uint32_t k = 0; k < step->body_count; k++)
    for (size_t i = 0; i < step->bodies[k].steps.count; i++)
      if (reads(plan, step->bodies[k].steps.data[i], root)) return true;
  return false;
}

/* A loop body ends by moving `from` into the carried `to`: if the old value is not read once `from` is being written,
 * `from` can be written in its place. */
static void join_carried(cpu_plan *plan, const cpu_body *body, size_t move) {
  const cpu_step *copy = body->steps.data[move];
  const uint32_t from = cpu_buffer_root(plan, copy->args.data[0]), to = cpu_buffer_root(plan, copy->args.data[1]);
  if (!can_join(plan, to, from) && !can_join_output(plan, to, from)) return;
  if (plan->buffers.data[from].first < body->begin) return;
  size_t writer = 0;
  while (writer < move && !reads(plan, body->steps.data[writer], from)) writer++;
  if (writer == move) return;
  const cpu_step *first = body->steps.data[writer];
  if (reads(plan, first, to) && first->kind != CPU_COPY && !(first->kind == CPU_LOOPS && first->flat)) return;
  if (first->kind == CPU_LOOPS && first->flat && reads(plan, first, to)) {
    for (size_t i = 0; i < first->inputs.count; i++) /* read under another shape: not elementwise */
      if (cpu_buffer_root(plan, first->args.data[i]) == to &&
          first->inputs.data[i]->type->rank != first->roots.data[0]->type->rank)
        return;
  }
  for (size_t i = writer + 1; i < body->steps.count; i++)
    if (i != move && reads(plan, body->steps.data[i], to)) return;
  cpu_buffer_join(plan, to, from);
}

static bool writes_elements(const cpu_step *step) {
  if (step->kind == CPU_GEMM || step->kind == CPU_CONV || step->kind == CPU_INT8) return true;
  return step->kind == CPU_LOOPS && (step->roots.count == 1 || ten_own_attr(step->op, TEN_NAME_MATERIALIZE));
}

static void join_all(cpu_plan *plan, cpu_body *body, bool loop) {
  for (size_t i = 0; i < body->steps.count; i++) {
    cpu_step *step = body->steps.data[i];
    for (uint32_t k = 0; k < step->body_count; k++) join_all(plan, &step->bodies[k], step->kind == CPU_WHILE && k == 1);
    if (loop && step->kind == CPU_COPY) join_carried(plan, body, i);
    if (step->kind == CPU_COPY) join_copy(plan, step);
    if (writes_elements(step)) join_elements(plan, step, false);
  }
}

/* Outputs that no input is donated to. Steps that run interleaved read and write at once. */
static void join_outputs(cpu_plan *plan, const cpu_body *body) {
  bool interleaved = false;
  for (size_t i = 0; i < body->steps.count; i++) {
    const cpu_step *step = body->steps.data[i];
    const bool next = step->overlaps || step->paired;
    if (writes_elements(step) && !interleaved && !next) join_elements(plan, step, true);
    interleaved = next;
  }
}

/* Removes copies of a buffer to itself. */
static void drop_copies(cpu_plan *plan, cpu_body *body) {
  size_t kept = 0;
  for (size_t i = 0; i < body->steps.count; i++) {
    cpu_step *step = body->steps.data[i];
    for (uint32_t k = 0; k < step->body_count; k++) drop_copies(plan, &step->bodies[k]);
    if (step->kind == CPU_COPY &&
        cpu_buffer_root(plan, step->args.data[0]) == cpu_buffer_root(plan, step->args.data[1]))
      ten_vec_free(&step->args);
    else
      body->steps.data[kept++] = step;
  }
  body->steps.count = kept;
}

typedef struct placed {
  const cpu_plan *plan;
  uint32_t number;
} placed;

static int by_size(const void *a, const void *b) {
  const placed *x = a, *y = b;
  const size_t size_x = x->plan->buffers.data[x->number].bytes, size_y = y->plan->buffers.data[y->number].bytes;
  if (size_x != size_y) return size_x > size_y ? -1 : 1;
  return x->number < y->number ? -1 : 1;
}

static int by_offset(const void *a, const void *b) {
  const cpu_buffer *const *x = a, *const *y = b;
  return (*x)->offset<(*y)->offset ? -1 : (*x)->offset>(*y)->offset;
}

static void assign_offsets(cpu_plan *plan) {
  TEN_VEC(placed) order = {0};
  for (uint32_t i = 0; i < plan->buffers.count; i++) {
    const cpu_buffer *buffer = &plan->buffers.data[i];
    if (buffer->place == CPU_ARENA && buffer->same_as == i && buffer->last >= 0)
      ten_vec_push(&order, (placed){plan, i});
  }
  if (order.count) qsort(order.data, order.count, sizeof *order.data, by_size);
  const cpu_buffer **busy = ten_alloc((order.count + 1) * sizeof *busy);
  plan->arena_bytes = 0;
  for (size_t i = 0; i < order.count; i++) {
    cpu_buffer *buffer = &plan->buffers.data[order.data[i].number];
    size_t busy_count = 0;
    for (size_t k = 0; k < i; k++) {
      const cpu_buffer *other = &plan->buffers.data[order.data[k].number];
      if (other->first <= buffer->last && buffer->first <= other->last) busy[busy_count++] = other;
    }
    if (busy_count) qsort(busy, busy_count, sizeof *busy, by_offset);
    const size_t size = (buffer->bytes + ALIGN - 1) / ALIGN * ALIGN;
    size_t offset = 0;
    for (size_t k = 0; k < busy_count; k++) {
      if (busy[k]->offset >= offset + size) break;
      const size_t after = busy[k]->offset + (busy[k]->bytes + ALIGN - 1) / ALIGN * ALIGN;
      if (after > offset) offset = after;
    }
    buffer->offset = offset;
    if (offset + size > plan->arena_bytes) plan->arena_bytes = offset + size;
  }
  free(busy);
  ten_vec_free(&order);
}

ten_status *cpu_plan_memory(cpu_plan *plan) {
  for (size_t i = 0; i < plan->buffers.count; i++)
    if (plan->buffers.data[i].bytes > SIZE_MAX / 4)
      return ten_error(TEN_LIMIT, "a value of this program is too large for memory");
  compute_lives(plan);
  join_all(plan, &plan->body, false);
  cpu_plan_donate(plan);
  join_outputs(plan, &plan->body);
  drop_copies(plan, &plan->body);
  compute_lives(plan);
  assign_offsets(plan);
  return NULL;
}
