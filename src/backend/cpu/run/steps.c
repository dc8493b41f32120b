/* steps.c: lists a program's steps for inspection (backend/steps.h). */
#include "backend/cpu/backend.h"

static void add_args(const exec_step *step, ten_steps *out, ten_step_row *row) {
  row->first_arg = out->args.count;
  row->arg_count = step->arg_count;
  for (uint32_t k = 0; k < step->arg_count; k++) {
    const exec_arg *arg = &step->args[k];
    ten_vec_push(&out->args, (ten_step_arg){arg->buffer, arg->bytes, k >= step->read_count});
    if (!step->body_count) row->bytes += (double)(arg->advance ? (size_t)arg->advance : arg->bytes);
  }
}

/* In the order of their numbers. */
static void add_body(const exec_program *program, exec_body body, bool once, uint32_t depth, ten_steps *out) {
  for (uint32_t i = 0; i < body.count; i++) {
    const exec_step *step = exec_step_at(program, body, i);
    ten_step_row row = {.kind = cpu_step_kind_name(step->kind),
                        .label = step->label,
                        .layer = step->layer,
                        .place = step->place,
                        .flops = exec_step_flops(step),
                        .depth = depth,
                        .once = once,
                        .host = step->kind == CPU_HOST};
    add_args(step, out, &row);
    ten_vec_push(&out->rows, row);
    for (uint32_t k = 0; k < step->body_count; k++) add_body(program, step->bodies[k], once, depth + 1, out);
  }
}

ten_status *cpu_steps(const ten_executable *executable, ten_steps *out_steps) {
  const cpu_executable *self = (const cpu_executable *)executable;
  if (self->shapes) return ten_error(TEN_UNSUPPORTED, "the steps of this program depend on the sizes of its inputs");
  static const ten_buffer_place places[] = {[CPU_ARENA] = TEN_PLACE_ARENA,
                                            [CPU_INPUT] = TEN_PLACE_INPUT,
                                            [CPU_OUTPUT] = TEN_PLACE_OUTPUT,
                                            [CPU_CONSTANT] = TEN_PLACE_CONSTANT,
                                            [CPU_HOISTED] = TEN_PLACE_HOISTED};
  const exec_program *program = &self->exec.program;
  *out_steps = (ten_steps){
      .arena_bytes = program->arena_bytes, .hoisted_bytes = program->hoisted_bytes, .threads = program->threads};
  for (size_t i = 0; i < program->buffers.count; i++) {
    const exec_buffer *b = &program->buffers.data[i];
    ten_vec_push(&out_steps->buffers, (ten_step_buffer){places[b->place], b->index, b->bytes, b->offset});
  }
  add_body(program, program->init, true, 0, out_steps);
  add_body(program, program->body, false, 0, out_steps);
  return NULL;
}
