/* enqueue.c: asynchronous calls on device memory and a stream of the caller, for processes with another user of the
 * GPU. Results are written directly to the caller's memory; one that no kernel can write there (an aliased input, a
 * constant, a value returned twice) is copied.
 *
 * Intermediate buffers belong to the program, and all calls share them: a call on another stream than the last waits
 * for it on the device. Calls are captured as graphs, which later calls replay, after changing the addresses that
 * differ. */
#include <stdlib.h>
#include <string.h>

#include "backend/simt/program.h"

typedef struct call {
  simt_program *program;
  const simt_memory *addresses; /* the caller's: inputs, then outputs */
  uint32_t input_count, output_count;
  simt_recording *recording; /* that the call is captured for, or NULL */
  ten_enqueue_counts *counts;
} call;

static const ten_op *results_of(const simt_program *p) { return ten_block_terminator(ten_op_body(p->plan.func, 0)); }

static simt_buffer *borrow(const call *c, uint32_t address, const ten_value *value) {
  simt_buffer *b = ten_alloc(sizeof *b);
  *b = (simt_buffer){.memory = c->addresses[address],
                     .bytes = ten_type_bytes(value->type),
                     .borrowed = true,
                     .slot = address + 1,
                     .references = 1};
  return b;
}

static ten_status *copy_result(const call *c, const simt_copy *copy) {
  const simt_memory from = copy->from_slot ? c->addresses[copy->from_slot - 1] : copy->from;
  const simt_memory to = c->addresses[c->input_count + copy->output];
  if (from == to) return NULL;
  c->counts->copies++;
  return c->program->driver->copy(to, from, copy->bytes);
}

/* Copies the results that were not written to the caller's memory; of a call that is captured, lists them. */
static ten_status *copy_results(const simt_run *r, const call *c) {
  const ten_op *end = results_of(r->program);
  for (uint32_t i = 0; i < end->operand_count; i++) {
    const ten_value *value = ten_op_operand(end, i);
    const simt_buffer *b = r->frame[value->number];
    if (b->slot == c->input_count + i + 1) continue;
    const simt_copy copy = {i, b->slot, b->memory, ten_type_bytes(value->type)};
    if (c->recording)
      ten_vec_push(&c->recording->copies, copy);
    else
      TEN_TRY(copy_result(c, &copy));
  }
  return NULL;
}

/* Launches the kernels one by one, or, of a call that is captured, into the graph. */
static ten_status *run_on(void *argument) {
  static const ten_run_options none;
  const call *c = argument;
  simt_program *p = c->program;
  const ten_block *block = ten_op_body(p->plan.func, 0);
  const ten_op *end = results_of(p);
  const size_t size = (p->plan.value_count + 1) * sizeof(simt_buffer *);
  simt_run r = {.program = p, .process = {.options = &none}, .frame = simt_frame_new(p), .given = ten_alloc(size)};
  memset(r.given, 0, size);
  if (p->plan.host_steps) r.process.probes = ten_host_probes_create();
  for (uint32_t i = 0; i < block->arg_count; i++) simt_assign(&r, block->args[i]->number, borrow(c, i, block->args[i]));
  for (uint32_t i = 0; i < end->operand_count; i++) {
    const ten_value *value = ten_op_operand(end, i);
    if (value->op && !r.frame[value->number] && !r.given[value->number])
      r.given[value->number] = borrow(c, c->input_count + i, value);
  }
  ten_status *status = simt_run_body(&r, &p->plan.body);
  if (!status) status = copy_results(&r, c);
  if (!c->recording) c->counts->kernels += r.launched;
  simt_frame_free(p, r.frame);
  simt_frame_free(p, r.given);
  ten_host_probes_destroy(r.process.probes);
  return status;
}

static void drop_recording(simt_program *p, simt_recording *recording) {
  if (recording->graph) p->driver->release_graph(recording->graph);
  free(recording->addresses);
  ten_vec_free(&recording->copies);
  *recording = (simt_recording){0};
}

/* Captures the call. Capture ends even if memory runs out on the way. */
static ten_status *record(call *c, simt_recording *recording) {
  simt_program *p = c->program;
  const size_t size = (c->input_count + c->output_count + 1) * sizeof *recording->addresses;
  drop_recording(p, recording);
  recording->addresses = ten_alloc(size);
  memcpy(recording->addresses, c->addresses, size - sizeof *recording->addresses);
  ten_status *status = p->driver->record();
  if (!status) {
    c->recording = recording;
    status = ten_recover("recording the program", run_on, c);
    c->recording = NULL;
    ten_status *end = p->driver->recorded(&recording->graph);
    status = ten_first_error(status, end);
  }
  if (status) drop_recording(p, recording);
  c->counts->graphs++;
  return status;
}

/* How many of the addresses differ. */
static size_t count_differences(const call *c, const simt_recording *recording) {
  const size_t count = c->input_count + c->output_count;
  size_t differences = 0;
  for (size_t i = 0; i < count; i++) differences += recording->addresses[i] != c->addresses[i];
  return differences;
}

/* The recording of the most similar addresses, of several the least recently used; NULL: there is none. */
static simt_recording *find_nearest(const call *c, size_t *out_differences) {
  simt_recording *nearest = NULL;
  *out_differences = SIZE_MAX;
  for (uint32_t i = 0; i < SIMT_RECORDINGS && *out_differences; i++) {
    simt_recording *recording = &c->program->recordings[i];
    const size_t differences = recording->graph ? count_differences(c, recording) : SIZE_MAX;
    if (differences < *out_differences ||
        (nearest && differences == *out_differences && recording->used < nearest->used))
      *out_differences = differences, nearest = recording;
  }
  return nearest;
}

/* A recording's graph, for the addresses of this call. False: the driver is too old to change it. */
static bool change(const call *c, simt_recording *recording) {
  simt_program *p = c->program;
  size_t changed = 0;
  if (p->unchanging) return false;
  if (!p->driver->readdress || !p->driver->readdress(recording->graph, c->addresses, &changed)) {
    drop_recording(p, recording); /* half of it may be changed */
    p->unchanging = true;
    return false;
  }
  memcpy(recording->addresses, c->addresses, (c->input_count + c->output_count) * sizeof *c->addresses);
  c->counts->changes++;
  c->counts->changed_kernels += changed;
  return true;
}

/* A call with the addresses of an earlier one replays its graph. Others get a graph of their own, while there are few;
 * then the most similar graph is changed, which costs less for each kernel that uses an address than its launch. */
static ten_status *run_recorded(void *argument) {
  call *c = argument;
  simt_program *p = c->program;
  size_t differences;
  simt_recording *recording = find_nearest(c, &differences);
  if (!recording || differences) {
    if (!p->allocated) { /* this call allocates the buffers of intermediates, which capturing cannot */
      ten_status *status = run_on(c);
      p->allocated = !status;
      return status;
    }
    if (p->recorded < SIMT_RECORDINGS) {
      recording = &p->recordings[p->recorded++];
      TEN_TRY(record(c, recording));
    } else if (!recording || !change(c, recording)) {
      return run_on(c);
    }
  }
  recording->used = ++p->calls;
  c->counts->replays++;
  TEN_TRY(p->driver->replay(recording->graph, 1, NULL));
  for (size_t i = 0; i < recording->copies.count; i++) TEN_TRY(copy_result(c, &recording->copies.data[i]));
  return NULL;
}

/* Work on one stream is in order. The handle of "the thread's own stream" is another stream in each thread. */
static bool is_in_order(const simt_program *p, void *stream) {
  return p->enqueued && p->stream == stream && (uintptr_t)stream != 2;
}

ten_status *simt_enqueue(ten_executable *executable, const uint64_t *inputs, const uint64_t *outputs, void *stream,
                         ten_enqueue_counts *counts) {
  simt_program *p = (simt_program *)executable;
  const uint32_t input_count = ten_op_body(p->plan.func, 0)->arg_count, output_count = results_of(p)->operand_count;
  simt_memory *addresses = ten_alloc((input_count + output_count + 1) * sizeof *addresses);
  memcpy(addresses, inputs, input_count * sizeof *addresses);
  memcpy(addresses + input_count, outputs, output_count * sizeof *addresses);
  call c = {p, addresses, input_count, output_count, NULL, counts};
  ten_mutex_lock(&p->graph_mutex);
  simt_select_device(executable->backend->index);
  counts->calls++;
  p->driver->use_stream(stream);
  ten_status *status = p->enqueued && !is_in_order(p, stream) ? p->driver->wait_for(p->enqueued) : NULL;
  if (!status) status = ten_recover("running the program", p->can_record ? run_recorded : run_on, &c);
  status = ten_first_error(status, p->driver->mark(&p->enqueued)); /* kernels may be in flight even after an error */
  p->stream = stream;
  p->driver->use_own_stream();
  ten_mutex_unlock(&p->graph_mutex);
  free(addresses);
  return status;
}

void simt_enqueue_end(simt_program *p) {
  if (p->enqueued) p->driver->drop_mark(p->enqueued);
  for (uint32_t i = 0; i < SIMT_RECORDINGS; i++) drop_recording(p, &p->recordings[i]);
}
