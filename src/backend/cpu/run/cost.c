/* cost.c: the cost of running a program, from its steps. */
#include <stdlib.h>
#include <string.h>

#include "backend/cpu/backend.h"

/* Constants that every call reads count; those read only at load time, and those of another size, do not. */
static void add_steps(const exec_program *program, exec_body body, int64_t turns, bool *seen, ten_cost *cost) {
  for (uint32_t i = 0; i < body.count; i++) {
    const exec_step *step = exec_step_at(program, body, i);
    const bool chunks = step->kind == CPU_CHUNKS; /* launches nothing itself */
    if (!chunks) cost->launches += (size_t)turns;
    cost->flops += (double)turns * exec_step_flops(step);
    for (uint32_t k = 0; k < step->body_count; k++)
      add_steps(program, step->bodies[k], chunks ? turns * step->count : turns, seen, cost);
    for (uint32_t k = 0; k < step->arg_count; k++) {
      const exec_arg *arg = &step->args[k];
      const double bytes = arg->advance ? (double)arg->advance : (double)arg->bytes;
      if (!chunks) cost->bytes += (double)turns * bytes;
      const exec_buffer *buffer = &program->buffers.data[arg->buffer];
      if (buffer->place != CPU_CONSTANT || buffer->shared || seen[arg->buffer]) continue;
      seen[arg->buffer] = true;
      cost->constant_bytes += buffer->bytes;
    }
  }
}

bool cpu_cost(const ten_executable *base, ten_cost *out_cost) {
  const cpu_executable *executable = (const cpu_executable *)base;
  if (executable->shapes) return false;
  const exec_program *program = &executable->exec.program;
  *out_cost = (ten_cost){.arena_bytes = program->arena_bytes, .constant_bytes = program->hoisted_bytes};
  bool *seen = ten_alloc(program->buffers.count + 1);
  memset(seen, 0, program->buffers.count + 1);
  add_steps(program, program->body, 1, seen, out_cost);
  free(seen);
  return true;
}

ten_memory cpu_memory_of(const exec_program *program) {
  ten_memory memory = {.work = program->arena_bytes + program->hoisted_bytes};
  for (uint32_t i = 0; i < program->input_count; i++) memory.arguments += program->inputs[i].bytes;
  for (uint32_t k = 0; k < program->output_count; k++) {
    bool in_place = false;
    for (uint32_t i = 0; i < program->input_count; i++) in_place |= program->updates[i] == k;
    if (!in_place) memory.results += program->outputs[k].bytes;
  }
  return memory;
}

bool cpu_memory(const ten_executable *base, ten_memory *out_memory) {
  const cpu_executable *executable = (const cpu_executable *)base;
  if (executable->shapes) return false;
  *out_memory = cpu_memory_of(&executable->exec.program);
  return true;
}
