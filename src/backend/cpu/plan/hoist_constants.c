/* hoist_constants.c: runs work that depends only on constants once, when the program is loaded: weights are packed,
 * transposed and converted there. Steps whose inputs are constants (or such results) move to the plan's `init`, unless
 * they expand their input: a broadcast constant is cheaper to recompute than to store. Values that only `init` reads
 * are not hoisted: they are in the arena, which is free then. Needs: steps, before memory is planned.  Keeps: order. */
#include <stdlib.h>

#include "backend/cpu/plan/plan.h"

enum { KEEP_ALWAYS = 1 << 16 /* bytes */, ROW_FROM = 1 << 20 /* elements: more than caches hold */ };

static bool is_known(const cpu_plan *plan, uint32_t buffer) {
  const cpu_place place = plan->buffers.data[buffer].place;
  return place == CPU_CONSTANT || place == CPU_HOISTED;
}

/* A single row reads each element of a large matrix once, in order: packing it would take a second copy of the weights
 * and as much time as ten calls (unpacked.c then reads it in place). */
static bool is_row(const cpu_step *step) {
  if (step->kind != CPU_PACK_B) return false;
  const cpu_gemm *g = step->descriptor;
  return !g->bf16 && g->m == 1 && g->wish >= 0 && g->k * g->n >= ROW_FROM && g->a_col == 1 &&
         (g->b_row == 1 || g->b_col == 1);
}

static bool can_move(const cpu_plan *plan, const cpu_step *step) {
  const bool moves = step->kind == CPU_MOVE || step->kind == CPU_JOIN;
  if (step->kind != CPU_LOOPS && !cpu_packs(step->kind) && step->kind != CPU_COPY && !moves) return false;
  if (!step->read_count || is_row(step)) return false;
  size_t read = 0, written = 0;
  for (size_t i = 0; i < step->args.count; i++) {
    const cpu_buffer *buffer = &plan->buffers.data[step->args.data[i]];
    if (i < step->read_count && !is_known(plan, step->args.data[i])) return false;
    if (i >= step->read_count && buffer->place != CPU_ARENA) return false;
    *(i < step->read_count ? &read : &written) += buffer->bytes;
  }
  return cpu_packs(step->kind) || written <= KEEP_ALWAYS || written <= read * 2;
}

/* Counts the steps that write each buffer: one written twice is no constant. */
static void count_writers(const cpu_body *body, uint32_t *counts) {
  for (size_t i = 0; i < body->steps.count; i++) {
    const cpu_step *step = body->steps.data[i];
    for (size_t k = step->read_count; k < step->args.count; k++) counts[step->args.data[k]]++;
    for (uint32_t k = 0; k < step->body_count; k++) count_writers(&step->bodies[k], counts);
  }
}

static void mark_read(const cpu_body *body, bool *read) {
  for (size_t i = 0; i < body->steps.count; i++) {
    const cpu_step *step = body->steps.data[i];
    for (size_t k = 0; k < step->args.count; k++) read[step->args.data[k]] = true;
    for (uint32_t k = 0; k < step->body_count; k++) mark_read(&step->bodies[k], read);
  }
}

static bool is_unwritten(const cpu_step *step, const uint32_t *writers) {
  for (size_t k = 0; k < step->args.count; k++)
    if (writers[step->args.data[k]] != (k >= step->read_count)) return false;
  return true;
}

/* Packing inside a loop of data that the loop does not write moves before the loop. */
static void hoist(cpu_plan *plan, cpu_body *body) {
  cpu_body before = {0}; /* the steps, with those hoisted out of loops among them */
  for (size_t i = 0; i < body->steps.count; i++) {
    cpu_step *step = body->steps.data[i];
    for (uint32_t k = 0; k < step->body_count; k++) hoist(plan, &step->bodies[k]);
    if (step->kind == CPU_WHILE) {
      uint32_t *writers = ten_arena_new_array(&plan->arena, uint32_t, plan->buffers.count + 1);
      for (uint32_t k = 0; k < step->body_count; k++) count_writers(&step->bodies[k], writers);
      cpu_body *inside = &step->bodies[1];
      size_t left = 0;
      for (size_t k = 0; k < inside->steps.count; k++) {
        cpu_step *inner = inside->steps.data[k];
        const bool packs = cpu_packs(inner->kind);
        const bool row = inner->kind == CPU_PACK_B && ((const cpu_gemm *)inner->descriptor)->m == 1;
        if (packs && !row && is_unwritten(inner, writers))
          ten_vec_push(&before.steps, inner);
        else
          inside->steps.data[left++] = inner;
      }
      inside->steps.count = left;
    }
    ten_vec_push(&before.steps, step);
  }
  ten_vec_free(&body->steps);
  body->steps.data = before.steps.data;
  body->steps.count = before.steps.count;
  body->steps.capacity = before.steps.capacity;
}

void cpu_plan_hoist(cpu_plan *plan) {
  cpu_body *body = &plan->body;
  hoist(plan, body);
  uint32_t *counts = ten_arena_new_array(&plan->arena, uint32_t, plan->buffers.count + 1);
  count_writers(body, counts);
  size_t kept = 0;
  for (size_t i = 0; i < body->steps.count; i++) {
    cpu_step *step = body->steps.data[i];
    bool move = can_move(plan, step);
    for (size_t k = step->read_count; k < step->args.count && move; k++) move = counts[step->args.data[k]] == 1;
    if (!move) {
      body->steps.data[kept++] = step;
      continue;
    }
    ten_vec_push(&plan->init.steps, step);
    for (size_t k = step->read_count; k < step->args.count; k++)
      plan->buffers.data[step->args.data[k]].place = CPU_HOISTED;
  }
  body->steps.count = kept;
  plan->hoisted_bytes = 0;
  bool *read = ten_arena_new_array(&plan->arena, bool, plan->buffers.count + 1);
  mark_read(body, read);
  for (size_t i = 0; i < plan->buffers.count; i++) {
    cpu_buffer *buffer = &plan->buffers.data[i];
    if (buffer->place != CPU_HOISTED) continue;
    if (!read[i]) {
      buffer->place = CPU_ARENA;
      continue;
    }
    buffer->offset = plan->hoisted_bytes;
    plan->hoisted_bytes += (buffer->bytes + 63) / 64 * 64;
  }
}
