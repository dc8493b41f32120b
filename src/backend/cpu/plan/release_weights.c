/* release_weights.c: memory of constants that are not needed as they are any more. Weights are read when they are
 * folded and when they are packed; from then on the packed ones are read. Pages of a mapped file are given back, to be
 * read again if they must be; constants that the passes made, and that only packing reads, are dropped after it. So
 * compiling takes about as much memory as what comes out of it. */
#include "backend/cpu/plan/release_weights.h"

#include <stdlib.h>
#include <string.h>

enum { LARGE = 1 << 18 };

static ten_status *forget_constant(ten_op *op, void *pages) {
  const ten_attr *value = op->code == TEN_OP_CONSTANT ? ten_op_attr(op, "value") : NULL;
  if (value && value->dense.data && value->dense.size >= LARGE)
    ten_pages_forget(pages, value->dense.data, value->dense.size);
  return NULL;
}

void cpu_forget_sources(const ten_module *module) {
  ten_pages pages;
  ten_pages_list(&pages);
  ten_status_free(ten_op_walk(module->op, forget_constant, &pages));
  ten_vec_free(&pages.files);
}

static bool overlap(const cpu_buffer *x, const cpu_buffer *y) {
  const char *a = x->data, *b = y->data;
  return a < b + y->bytes && b < a + x->bytes;
}

/* Whether any step from `first` on reads memory of the constant. */
static bool is_read(const cpu_plan *plan, const cpu_body *body, size_t first, const cpu_buffer *constant) {
  for (size_t i = first; i < body->steps.count; i++) {
    const cpu_step *step = body->steps.data[i];
    for (size_t k = 0; k < step->args.count; k++) {
      const cpu_buffer *buffer = &plan->buffers.data[cpu_buffer_root(plan, step->args.data[k])];
      if (buffer->place == CPU_CONSTANT && overlap(buffer, constant)) return true;
    }
    for (uint32_t k = 0; k < step->body_count; k++)
      if (is_read(plan, &step->bodies[k], 0, constant)) return true;
  }
  return false;
}

static void step_done(cpu_program *program, const cpu_step *step, double seconds) {
  cpu_forgetting *f = program->observer;
  const cpu_plan *plan = &program->plan;
  const bool all = seconds >= 0;
  if (all) f->done++;
  for (uint32_t k = 0; k < step->read_count; k++) {
    const cpu_buffer *buffer = &plan->buffers.data[cpu_buffer_root(plan, step->args.data[k])];
    if (buffer->place != CPU_CONSTANT || buffer->bytes < LARGE) continue;
    ten_pages_forget(&f->pages, buffer->data, buffer->bytes);
    if (all && ten_arena_has(&plan->module->arena, buffer->data) && !is_read(plan, &plan->init, f->done, buffer) &&
        !is_read(plan, &plan->body, 0, buffer))
      ten_pages_drop(buffer->data, buffer->bytes);
  }
}

void cpu_forget_start(cpu_program *program, cpu_forgetting *forgetting) {
  *forgetting = (cpu_forgetting){0};
  ten_pages_list(&forgetting->pages);
  program->observer = forgetting;
  program->observe = step_done;
}

void cpu_forget_stop(cpu_program *program, cpu_forgetting *forgetting) {
  program->observe = NULL;
  program->observer = NULL;
  ten_vec_free(&forgetting->pages.files);
}
