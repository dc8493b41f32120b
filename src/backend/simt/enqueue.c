/* enqueue.c: asynchronous calls on device memory and a stream of the caller, for processes with another user of the
 * GPU. Results are written directly to the caller's memory; one that no kernel can write there (an aliased input, a
 * constant, a value returned twice) is copied.
 *
 * Intermediate buffers belong to the program, and all calls share them: a call on another stream than the last waits
 * for it on the device. When a set of addresses recurs, the call is captured as a graph and replayed from then on. */
#include <stdlib.h>
#include <string.h>

#include "backend/simt/program.h"

static simt_buffer *borrow(simt_memory memory, size_t bytes) {
  simt_buffer *b = ten_alloc(sizeof *b);
  *b = (simt_buffer){.memory = memory, .bytes = bytes, .borrowed = true, .references = 1};
  return b;
}

static const ten_op *results_of(const simt_program *p) { return ten_block_terminator(ten_op_body(p->plan.func, 0)); }

/* Copies the results that were not written to the caller's memory. */
static ten_status *copy_results(simt_run *r, const simt_memory *outputs) {
  const ten_op *end = results_of(r->program);
  for (uint32_t i = 0; i < end->operand_count; i++) {
    const ten_value *value = ten_op_operand(end, i);
    const simt_memory from = r->frame[value->number]->memory;
    if (from != outputs[i]) TEN_TRY(r->program->driver->copy(outputs[i], from, ten_type_bytes(value->type)));
  }
  return NULL;
}

typedef struct call {
  simt_program *program;
  const simt_memory *inputs, *outputs;
} call;

static ten_status *run_on(void *argument) {
  static const ten_run_options none;
  simt_program *p = ((call *)argument)->program;
  const simt_memory *inputs = ((call *)argument)->inputs, *outputs = ((call *)argument)->outputs;
  const ten_block *block = ten_op_body(p->plan.func, 0);
  const ten_op *end = results_of(p);
  const size_t size = (p->plan.value_count + 1) * sizeof(simt_buffer *);
  simt_run r = {.program = p, .process = {.options = &none}, .frame = simt_frame_new(p), .given = ten_alloc(size)};
  memset(r.given, 0, size);
  if (p->plan.host_steps) r.process.probes = ten_host_probes_create();
  for (uint32_t i = 0; i < block->arg_count; i++)
    simt_assign(&r, block->args[i]->number, borrow(inputs[i], ten_type_bytes(block->args[i]->type)));
  for (uint32_t i = 0; i < end->operand_count; i++) {
    const ten_value *value = ten_op_operand(end, i);
    if (value->op && !r.frame[value->number] && !r.given[value->number])
      r.given[value->number] = borrow(outputs[i], ten_type_bytes(value->type));
  }
  ten_status *status = simt_run_body(&r, &p->plan.body);
  if (!status) status = copy_results(&r, outputs);
  simt_frame_free(p, r.frame);
  simt_frame_free(p, r.given);
  ten_host_probes_destroy(r.process.probes);
  return status;
}

/* Capture ends even if memory runs out on the way. */
static ten_status *record(call *c, void **out_graph) {
  TEN_TRY(c->program->driver->record());
  ten_status *status = ten_recover("recording the program", run_on, c);
  ten_status *end = c->program->driver->recorded(out_graph);
  return ten_first_error(status, end);
}

static void drop_recording(simt_program *p, simt_recording *recording) {
  if (recording->graph) p->driver->forget(recording->graph);
  free(recording->addresses);
  *recording = (simt_recording){0};
}

/* The captured graph of these addresses; NULL if they are new, which records them. */
static simt_recording *find_recording(simt_program *p, const simt_memory *addresses, size_t count) {
  const size_t size = (count + 1) * sizeof *addresses;
  for (uint32_t i = 0; i < SIMT_RECORDINGS; i++)
    if (p->recordings[i].addresses && !memcmp(p->recordings[i].addresses, addresses, count * sizeof *addresses))
      return &p->recordings[i];
  simt_recording *replaced = &p->recordings[p->next_recording++ % SIMT_RECORDINGS];
  drop_recording(p, replaced);
  replaced->addresses = ten_alloc(size);
  memcpy(replaced->addresses, addresses, count * sizeof *addresses);
  return NULL;
}

static ten_status *run_recorded(void *argument) {
  call *c = argument;
  simt_program *p = c->program;
  const uint32_t input_count = ten_op_body(p->plan.func, 0)->arg_count, output_count = results_of(p)->operand_count;
  simt_memory *addresses = ten_alloc((input_count + output_count + 1) * sizeof *addresses);
  memcpy(addresses, c->inputs, input_count * sizeof *addresses);
  memcpy(addresses + input_count, c->outputs, output_count * sizeof *addresses);
  simt_recording *recording = find_recording(p, addresses, input_count + output_count);
  free(addresses);
  if (!recording) return run_on(c); /* afterwards its buffers are allocated */
  if (!recording->graph) {
    ten_status *status = record(c, &recording->graph);
    if (status) {
      drop_recording(p, recording);
      return status;
    }
  }
  return p->driver->replay(recording->graph, 1, NULL);
}

ten_status *simt_enqueue(ten_executable *executable, const uint64_t *inputs, const uint64_t *outputs, void *stream) {
  simt_program *p = (simt_program *)executable;
  call c = {p, inputs, outputs};
  ten_mutex_lock(&p->graph_mutex);
  p->driver->use_stream(stream);
  ten_status *status = p->enqueued ? p->driver->wait_for(p->enqueued) : NULL;
  if (!status) status = ten_recover("running the program", p->can_record ? run_recorded : run_on, &c);
  status = ten_first_error(status, p->driver->mark(&p->enqueued)); /* kernels may be in flight even after an error */
  p->driver->use_own_stream();
  ten_mutex_unlock(&p->graph_mutex);
  return status;
}

void simt_enqueue_end(simt_program *p) {
  if (p->enqueued) p->driver->drop_mark(p->enqueued);
  for (uint32_t i = 0; i < SIMT_RECORDINGS; i++) drop_recording(p, &p->recordings[i]);
}
