/* release_weights.c: releases memory of constants that are no longer needed unpacked. Weights are read when they are
 * folded and when they are packed; from then on the packed ones are read. Pages of a mapped file are released, to be
 * read again if needed; constants created by passes and read only by packing are freed after it. So compiling takes
 * about as much memory as its result. */
#include "backend/cpu/run/release_weights.h"

#include <stdlib.h>
#include <string.h>

enum { LARGE = 1 << 18 };

/* Listing the mappings takes milliseconds in a large process: deferred until there is something to release. */
static const ten_pages *pages_of(cpu_release *release) {
  if (!release->listed) ten_pages_list(&release->pages);
  release->listed = true;
  return &release->pages;
}

static ten_status *release_constant(ten_op *op, void *release) {
  const ten_attr *value = op->code == TEN_OP_CONSTANT ? ten_op_attr(op, "value") : NULL;
  if (value && value->dense.data && value->dense.size >= LARGE)
    ten_pages_release(pages_of(release), value->dense.data, value->dense.size);
  return NULL;
}

void cpu_release_sources(const ten_module *module) {
  cpu_release release = {0};
  ten_status_free(ten_op_walk(module->op, release_constant, &release));
  ten_vec_free(&release.pages.files);
}

void cpu_keep_constants(ten_module *module, exec_program *program) {
  for (size_t i = 0; i < program->buffers.count; i++) {
    exec_buffer *buffer = &program->buffers.data[i];
    if (buffer->place == CPU_CONSTANT)
      buffer->data = ten_arena_keep(&program->arena, &module->arena, buffer->data, buffer->bytes);
  }
}

static bool overlap(const exec_buffer *x, const exec_buffer *y) {
  const char *a = x->data, *b = y->data;
  return a < b + y->bytes && b < a + x->bytes;
}

/* Whether any step from `first` on reads memory of the constant. */
static bool is_read(const exec_program *program, exec_body body, size_t first, const exec_buffer *constant) {
  for (size_t i = first; i < body.count; i++) {
    const exec_step *step = exec_step_at(program, body, (uint32_t)i);
    for (uint32_t k = 0; k < step->arg_count; k++) {
      const exec_buffer *buffer = exec_arg_buffer(program, step, k);
      if (buffer->place == CPU_CONSTANT && overlap(buffer, constant)) return true;
    }
    for (uint32_t k = 0; k < step->body_count; k++)
      if (is_read(program, step->bodies[k], 0, constant)) return true;
  }
  return false;
}

static void step_done(exec_loaded *loaded, const exec_step *step, double start, double seconds) {
  (void)start;
  cpu_release *f = loaded->observer;
  const exec_program *program = &loaded->program;
  const bool all = seconds >= 0;
  if (all) f->done++;
  for (uint32_t k = 0; k < step->read_count; k++) {
    const exec_buffer *buffer = exec_arg_buffer(program, step, k);
    if (buffer->place != CPU_CONSTANT || buffer->bytes < LARGE) continue;
    ten_pages_release(pages_of(f), buffer->data, buffer->bytes);
    if (all && f->arena && ten_arena_has(f->arena, buffer->data) && !is_read(program, program->init, f->done, buffer) &&
        !is_read(program, program->body, 0, buffer))
      ten_pages_drop(buffer->data, buffer->bytes);
  }
}

void cpu_release_start(cpu_executable *executable, cpu_release *release) {
  const ten_module *lent = executable->settings.module_lent ? executable->source : NULL;
  const ten_module *module = executable->module ? executable->module : lent;
  *release = (cpu_release){.arena = module ? &module->arena : &executable->exec.program.arena};
  executable->exec.observer = release;
  executable->exec.observe = step_done;
}

void cpu_release_stop(cpu_executable *executable, cpu_release *release) {
  executable->exec.observe = NULL;
  executable->exec.observer = NULL;
  ten_vec_free(&release->pages.files);
}
