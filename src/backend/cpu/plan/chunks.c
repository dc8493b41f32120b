/* chunks.c: runs layers over a large batch a few images at a time, each chunk through all of them.
 *
 * A layer's output for a batch exceeds the caches, and the next one reads it back from memory. Consecutive steps that
 * compute images independently (images.c) become the body of one CHUNKS step, which runs for a few images, then for the
 * next few: a layer's output is still in a cache when the next layer reads it, and buffers private to the steps need
 * space only for those few images. The cost is that weights are read once per turn: where they outweigh the images (the
 * last layers of a network), the whole batch is better. Addresses of buffers used outside the steps advance by
 * cpu_step.advance each turn. Steps among them that do not depend on images (weights packed at every call) are moved in
 * front. Needs: ordered steps, before memory is planned.  Keeps: results, bit for bit: the same kernels compute the
 * same sums. */
#include "backend/cpu/plan/chunks.h"

#include <stdlib.h>
#include <string.h>

#include "backend/cpu/exec/conv.h"
#include "backend/cpu/machine.h"

enum { READ = 1, WRITTEN = 2, ASIDE = 4 }; /* accesses to a buffer so far; ASIDE: by a step moved in front */

/* Limit for one step's images per turn, in units of the cores' private caches: more than one, as the next step first
 * reads what was written last, and turns have a cost too. ResNet-50, ten images in f32 on two cores of 2 MiB each,
 * medians of five runs: all at once 294 ms, one at a time 290, two 276, two through its last layers as well 308. */
enum { REACH = 4 };

typedef struct member {
  cpu_step *step;
  int64_t images;        /* 0: not splittable by images */
  bool joined;           /* part of the chunk; otherwise moved in front */
  uint8_t *parts;        /* by arg */
  size_t moved, weights; /* bytes: of all images read and written, of data needed whole */
} member;

typedef struct chunking {
  cpu_plan *plan;
  member *members; /* by position in the body */
  size_t count;
  uint8_t *state;      /* by buffer */
  uint32_t *mentions;  /* by buffer: number of args anywhere that use it */
  uint32_t *mentioned; /* by buffer: those in the current steps */
  size_t each, near;   /* bytes of a core's private cache, and of all cores' together */
  int64_t asked;       /* images per turn set by the user; 0: by cost */
} chunking;

static void count_mentions(const cpu_plan *plan, const cpu_body *body, uint32_t *counts) {
  for (size_t i = 0; i < body->steps.count; i++) {
    const cpu_step *step = body->steps.data[i];
    for (size_t k = 0; k < step->args.count; k++) counts[cpu_buffer_root(plan, step->args.data[k])]++;
    for (uint32_t k = 0; k < step->body_count; k++) count_mentions(plan, &step->bodies[k], counts);
  }
}

static void measure(const cpu_plan *plan, member *m) {
  for (size_t k = 0; k < m->step->args.count; k++) {
    const size_t bytes = plan->buffers.data[m->step->args.data[k]].bytes;
    if (m->parts[k] == CPU_PART_IMAGE) m->moved += bytes;
    if (m->parts[k] == CPU_PART_WHOLE) m->weights += bytes;
  }
}

/* Bf16 matmuls are so fast that turns cost more than they save. */
static bool is_quick(const cpu_step *step) {
  return step->kind == CPU_CONV && ((const cpu_conv *)step->descriptor)->bf16;
}

/* Whether the step's batch exceeds the caches but a few of its images roughly fit, and its weights are worth reading
 * once per turn. */
static bool wants(const chunking *c, const member *m) {
  if (!m->images || c->asked) return m->images > 0;
  const size_t image = m->moved / (size_t)m->images;
  return m->moved > c->near && image <= c->near * REACH && m->weights <= c->each / 3 * 2 && m->weights <= image &&
         !is_quick(m->step);
}

static bool names(const cpu_step *step, size_t from, size_t end, uint32_t buffer) {
  for (size_t k = from; k < end; k++)
    if (step->args.data[k] == buffer) return true;
  return false;
}

/* It reads earlier steps' outputs only at the same image, and its outputs are untouched so far. */
static bool can_join(const chunking *c, const member *m) {
  for (size_t k = 0; k < m->step->args.count; k++) {
    const uint8_t state = c->state[cpu_buffer_root(c->plan, m->step->args.data[k])];
    if (k < m->step->read_count ? state & WRITTEN && m->parts[k] != CPU_PART_IMAGE : state != 0) return false;
    if (k >= m->step->read_count && names(m->step, 0, k, m->step->args.data[k])) return false; /* updated in place */
  }
  return true;
}

/* Whether the step can move before those so far. */
static bool can_go_first(const chunking *c, const cpu_step *step) {
  if (step->body_count || step->kind == CPU_HOST) return false;
  for (size_t k = 0; k < step->args.count; k++) {
    const uint8_t state = c->state[cpu_buffer_root(c->plan, step->args.data[k])];
    if (k < step->read_count ? state & WRITTEN : state & (READ | WRITTEN)) return false;
  }
  return true;
}

static void note(chunking *c, const cpu_step *step, bool aside) {
  for (size_t k = 0; k < step->args.count; k++) {
    const uint32_t buffer = cpu_buffer_root(c->plan, step->args.data[k]);
    c->state[buffer] |= aside ? ASIDE : k < step->read_count ? READ : WRITTEN;
    if (!aside) c->mentioned[buffer]++;
  }
}

/* Whether only these steps touch a buffer that they write. */
static bool is_inside(const chunking *c, uint32_t number) {
  const cpu_buffer *buffer = &c->plan->buffers.data[number];
  return c->state[number] == (READ | WRITTEN) && buffer->place == CPU_ARENA && buffer->same_as == number &&
         c->mentioned[number] == c->mentions[number];
}

/* Steps [first, end) that form a chunk, or move in front of it. */
static size_t gather(chunking *c, size_t first, size_t *out_joined) {
  memset(c->state, 0, c->plan->buffers.count);
  memset(c->mentioned, 0, c->plan->buffers.count * sizeof *c->mentioned);
  const int64_t images = c->members[first].images;
  size_t end = first, last = first;
  *out_joined = 0;
  for (; end < c->count; end++) {
    member *m = &c->members[end];
    m->joined = m->images == images && wants(c, m) && can_join(c, m);
    if (!m->joined && !can_go_first(c, m->step)) break;
    note(c, m->step, !m->joined);
    if (!m->joined) continue;
    last = end;
    ++*out_joined;
  }
  return last + 1;
}

/* Images per turn: a divisor of the batch for which every step fits the caches. 0: the whole batch. */
static int64_t images_a_turn(const chunking *c, size_t first, size_t end) {
  const int64_t images = c->members[first].images;
  int64_t most = c->asked ? c->asked : images;
  for (size_t i = first; i < end && !c->asked; i++) {
    const member *m = &c->members[i];
    if (m->joined && m->moved) {
      const int64_t fits = (int64_t)((double)(c->near * REACH) / ((double)m->moved / (double)images));
      if (fits < most) most = fits;
    }
  }
  if (most >= images && !c->asked) return 0;
  int64_t taken = 1;
  for (int64_t i = 2; i <= most && i < images; i++)
    if (images % i == 0) taken = i;
  return taken;
}

/* Whether most of the steps' output stays among them; otherwise it goes to memory anyway. */
static bool pays(const chunking *c, size_t first, size_t end) {
  size_t inside = 0, all = 0;
  bool matmul = false;
  for (size_t i = first; i < end; i++) {
    const member *m = &c->members[i];
    matmul |= m->joined && m->step->kind == CPU_CONV;
    for (size_t k = m->step->read_count; m->joined && k < m->step->args.count; k++) {
      if (m->parts[k] != CPU_PART_IMAGE) continue;
      const uint32_t buffer = cpu_buffer_root(c->plan, m->step->args.data[k]);
      all += c->plan->buffers.data[buffer].bytes;
      if (is_inside(c, buffer)) inside += c->plan->buffers.data[buffer].bytes;
    }
  }
  return inside && (c->asked || (matmul && inside >= all / 2));
}

/* The step that runs [first, end), without those moved in front. */
static cpu_step *make_step(chunking *c, size_t first, size_t end, int64_t taken) {
  cpu_plan *plan = c->plan;
  const int64_t images = c->members[first].images;
  cpu_step *whole = ten_arena_new(&plan->arena, cpu_step);
  *whole = (cpu_step){.kind = CPU_CHUNKS,
                      .op = c->members[first].step->op,
                      .count = images / taken,
                      .grain = 1,
                      .symbol = UINT32_MAX,
                      .body_count = 1,
                      .bodies = ten_arena_new_array(&plan->arena, cpu_body, 1)};
  for (int writes = 0; writes < 2; writes++) { /* external buffers that it reads and writes, each once */
    for (size_t i = first; i < end; i++) {
      const member *m = &c->members[i];
      const size_t from = writes ? m->step->read_count : 0, to = writes ? m->step->args.count : m->step->read_count;
      for (size_t k = from; m->joined && k < to; k++) {
        const uint32_t buffer = cpu_buffer_root(plan, m->step->args.data[k]);
        const bool theirs = !writes && c->state[buffer] & WRITTEN;
        if (m->parts[k] != CPU_PART_IMAGE || theirs || is_inside(c, buffer)) continue;
        if (!names(whole, writes ? whole->read_count : 0, whole->args.count, buffer))
          ten_vec_push(&whole->args, buffer);
      }
    }
    if (!writes) whole->read_count = (uint32_t)whole->args.count;
  }
  for (size_t i = first; i < end; i++) {
    const member *m = &c->members[i];
    if (!m->joined) continue;
    cpu_step *step = m->step;
    step->advance = ten_arena_new_array(&plan->arena, int64_t, step->args.count + 1);
    for (size_t k = 0; k < step->args.count; k++) {
      const uint32_t buffer = cpu_buffer_root(plan, step->args.data[k]);
      if (m->parts[k] == CPU_PART_IMAGE && !is_inside(c, buffer))
        step->advance[k] = (int64_t)(plan->buffers.data[buffer].bytes / (size_t)images) * taken;
    }
    cpu_step_take_images(plan, step, images, taken);
    ten_vec_push(&whole->bodies[0].steps, step);
  }
  return whole;
}

/* Shrinks private buffers to the images of one turn. */
static void shrink(chunking *c, const cpu_step *whole, int64_t images, int64_t taken) {
  cpu_plan *plan = c->plan;
  const cpu_body *body = &whole->bodies[0];
  for (size_t i = 0; i < body->steps.count; i++) {
    const cpu_step *step = body->steps.data[i];
    for (size_t k = step->read_count; k < step->args.count; k++) {
      cpu_buffer *buffer = &plan->buffers.data[step->args.data[k]];
      if (!is_inside(c, step->args.data[k]) || !buffer->type) continue;
      int64_t *dims = ten_arena_copy(&plan->arena, buffer->type->dims, buffer->type->rank * sizeof *dims);
      dims[0] = taken;
      buffer->type = ten_type_with_shape(plan->module, buffer->type, buffer->type->rank, dims);
      buffer->bytes = buffer->bytes / (size_t)images * (size_t)taken;
    }
  }
}

static void chunk_body(chunking *c) {
  cpu_body *body = &c->plan->body;
  size_t kept = 0;
  for (size_t i = 0; i < c->count;) {
    size_t joined = 0, end = i + 1;
    if (wants(c, &c->members[i])) end = gather(c, i, &joined);
    const int64_t taken = joined > 1 && pays(c, i, end) ? images_a_turn(c, i, end) : 0;
    for (size_t k = i; k < end; k++)
      if (!taken || !c->members[k].joined) body->steps.data[kept++] = c->members[k].step;
    if (!taken) {
      i = end;
      continue;
    }
    cpu_step *whole = make_step(c, i, end, taken);
    shrink(c, whole, c->members[i].images, taken);
    body->steps.data[kept++] = whole;
    i = end;
  }
  body->steps.count = kept;
}

void cpu_plan_chunks(cpu_plan *plan, int64_t asked) {
  const size_t count = plan->body.steps.count, buffers = plan->buffers.count + 1;
  chunking c = {.plan = plan, .count = count, .asked = asked, .each = ten_cpu_near_cache()};
  c.near = c.each * plan->threads;
  c.members = ten_alloc((count + 1) * sizeof *c.members);
  c.state = ten_alloc(buffers);
  c.mentions = ten_alloc(2 * buffers * sizeof *c.mentions);
  c.mentioned = c.mentions + buffers;
  memset(c.mentions, 0, 2 * buffers * sizeof *c.mentions);
  count_mentions(plan, &plan->init, c.mentions);
  count_mentions(plan, &plan->body, c.mentions);
  for (size_t i = 0; i < count; i++) {
    cpu_step *step = plan->body.steps.data[i];
    member *m = &c.members[i];
    *m = (member){.step = step, .parts = ten_arena_new_array(&plan->arena, uint8_t, step->args.count + 1)};
    m->images = cpu_step_images(plan, step, m->parts);
    measure(plan, m);
  }
  chunk_body(&c);
  free(c.members);
  free(c.state);
  free(c.mentions);
}
