/* flatten.c: converts a plan to the program that runs and is stored (exec/flat.h).
 * Needs: memory planned, code generated (symbols numbered).  Keeps: the order of steps. Everything is copied except
 * constants, which are borrowed from the module. Unused buffers have no bytes. */
#include <string.h>

#include "backend/cpu/exec/kernel.h"
#include "backend/cpu/plan/plan.h"
#include "base/check.h"

static ten_str copy_text(exec_program *out, ten_str text) {
  return (ten_str){text.size ? ten_arena_copy(&out->arena, text.data, text.size) : "", text.size};
}

static void copy_descriptor(exec_program *out, const cpu_step *from, exec_step *to) {
  if (!from->descriptor) return;
  if (from->kind == CPU_ASSERT) {
    ten_check *check = ten_arena_copy(&out->arena, from->descriptor, sizeof *check);
    check->exception = copy_text(out, check->exception);
    check->message = copy_text(out, check->message);
    check->place = copy_text(out, check->place);
    to->descriptor = check;
    return;
  }
  const exec_kernel *kernel = exec_kernel_of(from->kind);
  if (!kernel) return;
  to->function = kernel->run;
  to->run_whole = kernel->run_whole;
  to->descriptor = ten_arena_copy(&out->arena, from->descriptor, kernel->descriptor);
  const exec_tail tail = kernel->tail ? kernel->tail(to->descriptor) : (exec_tail){0};
  if (tail.data) *tail.data = ten_arena_copy(&out->arena, *tail.data, tail.bytes);
}

/* Copies the source location of the step's op. */
static void copy_source(exec_program *out, const cpu_step *from, exec_step *to) {
  const ten_op *op = from->op ? from->op : from->roots.count ? from->roots.data[0]->op : NULL;
  if (!op) return;
  to->layer = copy_text(out, ten_loc_name(op->loc));
  const ten_loc *file = ten_loc_first_file(op->loc);
  if (!file) return;
  ten_buf place = {0};
  ten_buf_printf(&place, "%.*s:%u", TEN_FMT(file->name), file->line);
  to->place = copy_text(out, (ten_str){place.data, place.size});
  ten_buf_free(&place);
}

static ten_status *flatten_body(const cpu_plan *plan, const cpu_body *body, exec_program *out, exec_body *out_body);

static ten_status *flatten_step(const cpu_plan *plan, const cpu_step *from, exec_program *out, exec_step *to) {
  *to = (exec_step){.kind = from->kind,
                    .is_if = from->is_if,
                    .paired = from->paired,
                    .overlaps = from->overlaps,
                    .arg_count = (uint32_t)from->args.count,
                    .read_count = from->read_count,
                    .body_count = from->body_count,
                    .count = from->count,
                    .grain = from->grain,
                    .parts = from->parts,
                    .symbol = from->symbol,
                    .ready = from->ready,
                    .host = from->kind == CPU_HOST ? from->op : NULL};
  exec_arg *args = ten_arena_new_array(&out->arena, exec_arg, to->arg_count + 1);
  for (uint32_t k = 0; k < to->arg_count; k++) {
    const uint32_t root = cpu_buffer_root(plan, from->args.data[k]);
    const cpu_buffer *b = &plan->buffers.data[root];
    out->buffers.data[root] = (exec_buffer){b->place, b->index, b->bytes, b->offset, b->data, false};
    args[k] = (exec_arg){root, plan->buffers.data[from->args.data[k]].bytes, from->advance ? from->advance[k] : 0};
  }
  to->args = args;
  ten_buf label = {0};
  cpu_step_print(plan, from, &label);
  to->label = copy_text(out, (ten_str){label.data, label.size});
  ten_buf_free(&label);
  copy_source(out, from, to);
  copy_descriptor(out, from, to);
  if (to->function && !exec_written_bytes(to)) to->count = 0; /* any number of empty matrices */
  exec_body *bodies = ten_arena_new_array(&out->arena, exec_body, to->body_count + 1);
  for (uint32_t k = 0; k < to->body_count; k++) TEN_TRY(flatten_body(plan, &from->bodies[k], out, &bodies[k]));
  to->bodies = bodies;
  return NULL;
}

/* Steps of a body are contiguous: they are allocated before those nested in them. */
static ten_status *flatten_body(const cpu_plan *plan, const cpu_body *body, exec_program *out, exec_body *out_body) {
  *out_body = (exec_body){(uint32_t)out->steps.count, (uint32_t)body->steps.count};
  for (size_t i = 0; i < body->steps.count; i++) ten_vec_push(&out->steps, (exec_step){0});
  for (uint32_t i = 0; i < out_body->count; i++) {
    exec_step step;
    TEN_TRY(flatten_step(plan, body->steps.data[i], out, &step));
    *exec_step_at(out, *out_body, i) = step;
  }
  return NULL;
}

static exec_type flatten_type(const ten_type *type, ten_str name, exec_program *out) {
  name.data = name.size ? ten_arena_strdup(&out->arena, name.data, name.size) : NULL;
  if (type->kind != TEN_TYPE_TENSOR) return (exec_type){.dtype = TEN_DTYPE_NONE, .name = name};
  return (exec_type){.dtype = type->dtype,
                     .rank = type->rank,
                     .dims = ten_arena_copy(&out->arena, type->dims, type->rank * sizeof *type->dims),
                     .bytes = ten_type_bytes(type),
                     .name = name};
}

ten_status *cpu_flatten(const cpu_plan *plan, exec_program *out) {
  out->input_count = plan->input_count;
  out->output_count = plan->output_count;
  out->inputs = ten_arena_new_array(&out->arena, exec_type, plan->input_count + 1);
  out->outputs = ten_arena_new_array(&out->arena, exec_type, plan->output_count + 1);
  out->updates = ten_arena_new_array(&out->arena, uint32_t, plan->input_count + 1);
  for (uint32_t i = 0; i < plan->input_count; i++) {
    out->inputs[i] = flatten_type(plan->input_types[i], ten_func_input_name(plan->func, i), out);
    out->inputs[i].archive = plan->module->from_torch;
    out->updates[i] = plan->updates[i];
  }
  for (uint32_t i = 0; i < plan->output_count; i++)
    out->outputs[i] = flatten_type(plan->output_types[i], ten_func_result_name(plan->func, i), out);
  for (size_t i = 0; i < plan->buffers.count; i++) ten_vec_push(&out->buffers, (exec_buffer){.place = CPU_ARENA});
  out->symbol_count = plan->symbol_count;
  out->arena_bytes = plan->arena_bytes;
  out->hoisted_bytes = plan->hoisted_bytes;
  out->threads = plan->threads;
  out->has_host = plan->has_host;
  TEN_TRY(flatten_body(plan, &plan->init, out, &out->init));
  return flatten_body(plan, &plan->body, out, &out->body);
}
