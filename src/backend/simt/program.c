/* program.c: the backend: the driver builds a plan's kernels, and its steps run over device buffers. Buffers are
 * reference-counted; a value's is freed after its last use. Freed buffers are pooled for the next allocation of their
 * size. */
#include <stdlib.h>
#include <string.h>

#include "backend/simt/program.h"
#include "base/clock.h"
#include "ir/text/text.h"
#include "value/evaluate.h"

enum { TEN_SIMT_RANK_MOST = 16, ARCH_LEAST = 80, LAUNCHES_MOST = 8192 };

/* The pool of a size; few other sizes share it. */
static simt_buffer **pool_of(simt_program *p, size_t size) {
  return &p->idle[(size ^ size >> 6 ^ size >> 12 ^ size >> 18) / 256 % SIMT_POOLS];
}

static ten_status *new_buffer(simt_program *p, size_t bytes, simt_buffer **out) {
  const size_t size = simt_memory_size(bytes);
  ten_mutex_lock(&p->mutex);
  simt_buffer **link = pool_of(p, size);
  while (*link && (*link)->bytes != size) link = &(*link)->next;
  simt_buffer *b = *link;
  if (b) *link = b->next;
  ten_mutex_unlock(&p->mutex);
  if (!b) {
    simt_memory memory;
    TEN_TRY(simt_memory_take(p->base.backend, p->driver, size, &memory));
    b = ten_alloc(sizeof *b);
    *b = (simt_buffer){.memory = memory, .bytes = size};
  }
  b->references = 1;
  b->next = NULL;
  *out = b;
  return NULL;
}

simt_buffer *simt_buffer_retain(simt_buffer *b) {
  __atomic_fetch_add(&b->references, 1, __ATOMIC_RELAXED);
  return b;
}

void simt_buffer_release(simt_program *p, simt_buffer *b) {
  if (!b || __atomic_sub_fetch(&b->references, 1, __ATOMIC_ACQ_REL)) return;
  if (b->borrowed) {
    free(b);
    return;
  }
  ten_mutex_lock(&p->mutex);
  simt_buffer **pool = pool_of(p, b->bytes);
  b->next = *pool;
  *pool = b;
  ten_mutex_unlock(&p->mutex);
}

void simt_assign(simt_run *r, uint32_t number, simt_buffer *b) {
  simt_buffer_release(r->program, r->frame[number]);
  r->frame[number] = b;
}

static const ten_run_options no_options;

static ten_status *download(simt_run *r, const ten_value *value, ten_tensor **out) {
  if (value->type->kind == TEN_TYPE_TOKEN) {
    *out = ten_tensor_token();
    return NULL;
  }
  const ten_run_options *options = r->process.options;
  TEN_TRY(ten_tensor_create_in(options ? options->pool : NULL, false, value->type->dtype, value->type->rank,
                               value->type->dims, out));
  double start = ten_transfer_start();
  if (start > 0) { /* waiting for the kernels is no part of the copy */
    TEN_TRY(r->program->driver->finish());
    start = ten_clock();
  }
  TEN_TRY(r->program->driver->download(r->frame[value->number]->memory, (*out)->data, (*out)->bytes));
  ten_transfer_end(false, (*out)->bytes, start);
  return NULL;
}

/* Allocates a value that is about to be computed. */
static ten_status *make_room(simt_run *r, uint32_t number, size_t bytes) {
  simt_buffer *b = NULL;
  if (r->given && r->given[number])
    b = simt_buffer_retain(r->given[number]);
  else
    TEN_TRY(new_buffer(r->program, bytes, &b));
  simt_assign(r, number, b);
  return NULL;
}

ten_status *simt_copy_to_device(const simt_program *p, simt_memory memory, const void *data, size_t bytes) {
  const double start = ten_transfer_start();
  TEN_TRY(p->driver->upload(memory, data, bytes));
  ten_transfer_end(true, bytes, start);
  return NULL;
}

static ten_status *upload(simt_run *r, uint32_t number, const ten_tensor *tensor) {
  TEN_TRY(make_room(r, number, tensor->bytes));
  return simt_copy_to_device(r->program, r->frame[number]->memory, tensor->data, tensor->bytes);
}

static ten_status *pass_input(simt_run *r, uint32_t number, ten_tensor *tensor) {
  simt_buffer *b;
  TEN_TRY(simt_resident_input(r, tensor, &b));
  if (!b) return upload(r, number, tensor);
  simt_assign(r, number, b);
  return NULL;
}

/* An error of the memory for what a step computes: with its op and line. */
static ten_status *name_step(ten_status *status, const simt_step *step) {
  return ten_op_locate(step->op, ten_annotate(status, "for a result of %.*s", TEN_FMT(step->op->name)));
}

static ten_status *run_kernel(simt_run *r, const simt_step *step) {
  simt_program *p = r->program;
  for (uint32_t i = 0; step->kind == SIMT_KERNEL && i < step->write_count; i++) {
    ten_status *none = make_room(r, step->writes[i], ten_type_bytes(p->plan.values[step->writes[i]]->type));
    if (none) return name_step(none, step);
  }
  if (!step->threads) return NULL;
  const uint32_t buffers = step->read_count + step->write_count, count = buffers + step->map_count + 1;
  simt_argument *arguments = ten_alloc(count * sizeof *arguments);
  for (uint32_t i = 0; i < buffers; i++) {
    const bool reads = i < step->read_count;
    const simt_buffer *b = r->frame[reads ? step->reads[i] : step->writes[i - step->read_count]];
    arguments[i] = (simt_argument){.memory = b->memory, .slot = b->slot};
  }
  for (uint32_t i = 0; i < step->map_count; i++) {
    arguments[buffers + i] = arguments[step->maps[i].read];
    arguments[buffers + i].map = &step->maps[i];
  }
  arguments[count - 1] = (simt_argument){.number = step->count, .is_number = true};
  const simt_launch launch = {step->threads, step->grouped, step->group, step->shared};
  ten_status *status = p->driver->launch(p->kernels[step->kernel], &launch, arguments, count);
  free(arguments);
  r->launched++;
  return status ? ten_annotate(status, "running %.*s on device '%s'", TEN_FMT(step->op->name), p->base.backend->name)
                : NULL;
}

/* Arithmetic and ops with regions are interpreted directly; checks, prints and calls need the host process. */
static ten_status *evaluate(simt_run *r, const ten_op *op, ten_tensor **values, ten_tensor **results) {
  const bool alone = op->region_count || ten_op_has(op, TEN_TRAIT_PURE);
  const ten_run_options *options = r->process.options;
  if (options && options->interpreted && (alone || ten_host_computes(op)))
    __atomic_fetch_add(options->interpreted, 1, __ATOMIC_RELAXED);
  if (alone) return ten_evaluate(op, values, results);
  return ten_host_run(&(ten_host_call){.process = &r->process, .op = op, .in = values, .out = results});
}

static ten_status *run_host(simt_run *r, const simt_step *step) {
  const ten_op *op = step->op;
  ten_tensor **values = ten_alloc((op->operand_count + op->result_count + 1) * sizeof *values),
             **results = values + op->operand_count;
  memset(values, 0, (op->operand_count + op->result_count + 1) * sizeof *values);
  ten_status *status = NULL;
  for (uint32_t i = 0; i < op->operand_count && !status; i++) status = download(r, ten_op_operand(op, i), &values[i]);
  if (!status) status = evaluate(r, op, values, results);
  for (uint32_t i = 0; i < op->result_count && !status; i++)
    if (ten_type_is_tensor(op->results[i].type)) status = upload(r, op->results[i].number, results[i]);
  ten_tensors_release(values, op->operand_count + op->result_count);
  free(values);
  return status;
}

static ten_status *read_number(simt_run *r, const ten_value *value, int64_t *out) {
  ten_tensor *tensor = NULL;
  ten_status *status = download(r, value, &tensor);
  if (!status) *out = ten_tensor_int(tensor, 0);
  ten_tensor_release(tensor);
  return status;
}

/* Assigns the operands of a block's terminator to the values numbered `to`: reads all before writing any. */
static void pass_on(simt_run *r, const ten_block *block, const uint32_t *to) {
  const ten_op *end = ten_block_terminator(block);
  simt_buffer **taken = ten_alloc((end->operand_count + 1) * sizeof *taken);
  for (uint32_t i = 0; i < end->operand_count; i++) {
    simt_buffer *b = r->frame[ten_op_operand(end, i)->number];
    taken[i] = b ? simt_buffer_retain(b) : NULL;
  }
  for (uint32_t i = 0; i < end->operand_count; i++) simt_assign(r, to[i], taken[i]);
  free(taken);
}

static ten_status *run_while(simt_run *r, const simt_step *step) {
  const ten_block *cond = step->bodies[0].block, *body = step->bodies[1].block;
  const uint32_t count = step->op->operand_count;
  uint32_t *state = ten_alloc((count + 1) * sizeof *state);
  for (uint32_t i = 0; i < count; i++) {
    simt_buffer *b = r->frame[step->reads[i]];
    simt_assign(r, step->writes[i], b ? simt_buffer_retain(b) : NULL);
    state[i] = step->writes[i];
  }
  ten_status *status = NULL;
  for (int64_t turn = 0;; turn++) {
    for (uint32_t i = 0; i < count; i++) {
      simt_buffer *b = r->frame[state[i]];
      if (step->trips < 0) simt_assign(r, cond->args[i]->number, b ? simt_buffer_retain(b) : NULL);
      simt_assign(r, body->args[i]->number, b ? simt_buffer_retain(b) : NULL);
    }
    int64_t more = turn < step->trips;
    if (step->trips < 0) status = simt_run_body(r, &step->bodies[0]);
    if (step->trips < 0 && !status) status = read_number(r, ten_op_operand(ten_block_terminator(cond), 0), &more);
    if (status || !more) break;
    status = simt_run_body(r, &step->bodies[1]);
    if (status) break;
    pass_on(r, body, state);
  }
  free(state);
  return status;
}

static ten_status *run_branch(simt_run *r, const simt_step *step) {
  int64_t which = 0;
  TEN_TRY(read_number(r, ten_op_operand(step->op, 0), &which));
  const uint32_t count = step->op->region_count;
  if (step->op->code == TEN_OP_IF) which = which ? 0 : 1;
  if (which < 0 || which >= (int64_t)count) which = (int64_t)count - 1; /* for case, the last is the default */
  TEN_TRY(simt_run_body(r, &step->bodies[which]));
  pass_on(r, step->bodies[which].block, step->writes);
  return NULL;
}

static ten_status *run_step(simt_run *r, const simt_step *step) {
  switch (step->kind) {
    case SIMT_HOST: return run_host(r, step);
    case SIMT_WHILE: return run_while(r, step);
    case SIMT_BRANCH: return run_branch(r, step);
    default: return run_kernel(r, step);
  }
}

/* The op and the types it works on. */
static void label_step(const simt_step *step, ten_buf *out) {
  ten_buf_printf(out, "%.*s", TEN_FMT(step->op->name));
  for (uint32_t i = 0; i < step->op->operand_count && i < 2; i++) {
    ten_buf_adds(out, i ? ", " : " ");
    ten_type_print(out, ten_op_operand(step->op, i)->type);
  }
  if (step->op->result_count) {
    ten_buf_adds(out, " -> ");
    ten_type_print(out, step->op->results[0].type);
  }
  if (step->kind == SIMT_KERNEL) ten_buf_printf(out, " (k%u)", step->kernel);
}

/* Runs a step alone on the device, to time it separately. */
static ten_status *run_profiled(simt_run *r, const simt_step *step) {
  ten_profile *profile = r->program->profile;
  TEN_TRY(r->program->driver->finish());
  const double start = ten_clock();
  TEN_TRY(run_step(r, step));
  TEN_TRY(r->program->driver->finish());
  const double seconds = ten_clock() - start;
  ten_buf label = {0};
  label_step(step, &label);
  size_t row = 0;
  while (row < profile->rows.count && strcmp(profile->rows.data[row].label, label.data) != 0) row++;
  if (row == profile->rows.count) {
    const ten_profile_row new = {.label = ten_buf_take(&label)};
    ten_vec_push(&profile->rows, new);
  }
  ten_buf_free(&label);
  profile->rows.data[row].seconds += seconds;
  profile->rows.data[row].calls++;
  const ten_profile_event event = {row, start, seconds, 0};
  if (profile->timeline) ten_vec_push(&profile->events, event);
  return NULL;
}

ten_status *simt_run_body(simt_run *r, const simt_body *body) {
  for (size_t i = 0; i < body->steps.count; i++) {
    const simt_step *step = &body->steps.data[i];
    if (step->hoisted) continue;
    const bool alone = step->kind != SIMT_WHILE && step->kind != SIMT_BRANCH;
    TEN_TRY(r->program->profile && alone ? run_profiled(r, step) : run_step(r, step));
    for (uint32_t k = 0; k < step->dead_count; k++) simt_assign(r, step->dead[k], NULL);
  }
  return NULL;
}

simt_buffer **simt_frame_new(const simt_program *p) {
  const size_t size = (p->plan.value_count + 1) * sizeof(simt_buffer *);
  simt_buffer **frame = ten_alloc(size);
  memset(frame, 0, size);
  for (uint32_t i = 0; i < p->plan.value_count; i++)
    if (p->constants[i]) frame[i] = simt_buffer_retain(p->constants[i]);
  return frame;
}

void simt_frame_free(simt_program *p, simt_buffer **frame) {
  for (uint32_t i = 0; frame && i < p->plan.value_count; i++) simt_buffer_release(p, frame[i]);
  free(frame);
}

/* Reads the results, but for those that may stay on the device, once other threads may use them. A value that is
 * returned several times stays only as the last of them. */
static ten_status *leave_results(simt_run *r, ten_tensor **outputs) {
  const ten_op *end = ten_block_terminator(ten_op_body(r->program->plan.func, 0));
  ten_status *status = NULL;
  for (uint32_t i = 0; i < end->operand_count; i++) outputs[i] = NULL;
  for (uint32_t i = 0; i < end->operand_count && !status; i++) {
    const ten_value *value = ten_op_operand(end, i);
    bool again = false;
    for (uint32_t k = i + 1; k < end->operand_count; k++) again |= ten_op_operand(end, k) == value;
    ten_resident *on = again ? NULL : simt_resident_result(r, value);
    status = on ? ten_tensor_create_resident(value->type->dtype, value->type->rank, value->type->dims, on, &outputs[i])
                : download(r, value, &outputs[i]);
  }
  if (!status && r->process.options->resident) status = r->program->driver->finish();
  if (status) ten_tensors_release(outputs, end->operand_count);
  return status;
}

static ten_status *run_all(void *run) { return simt_run_body(run, &((simt_run *)run)->program->plan.body); }

/* Buffers for the inputs, and the kernels recorded as they run. Their buffers stay. A recording ends, also where memory
 * runs out on the way. */
static ten_status *record_graph(simt_program *p) {
  const ten_block *block = ten_op_body(p->plan.func, 0);
  simt_frame_free(p, p->frame); /* of a recording that failed */
  p->frame = NULL;
  simt_run r = {.program = p, .frame = simt_frame_new(p)};
  ten_status *status = NULL;
  for (uint32_t i = 0; i < block->arg_count && !status; i++)
    status = new_buffer(p, ten_type_bytes(block->args[i]->type), &r.frame[block->args[i]->number]);
  p->frame = r.frame;
  if (!status) status = simt_run_body(&r, &p->plan.body); /* allocates all buffers */
  for (uint32_t i = 0; i < p->plan.value_count; i++)
    if (!status && !p->constants[i] && !(p->plan.values[i] && p->plan.values[i]->block == block))
      simt_assign(&r, i, NULL);
  if (status) return status;
  TEN_TRY(p->driver->finish());
  TEN_TRY(p->driver->record());
  status = ten_recover("recording the program", run_all, &r);
  ten_status *end = p->driver->recorded(&p->graph);
  return ten_first_error(status, end);
}

/* Copies the inputs to the captured buffers; `count` runs. */
static ten_status *run_graph(simt_program *p, ten_tensor *const *inputs, size_t input_count, size_t count,
                             double *out_seconds, ten_tensor **outputs) {
  if (!p->graph) TEN_TRY(record_graph(p));
  const ten_block *block = ten_op_body(p->plan.func, 0);
  simt_run r = {.program = p, .process = {.options = &no_options}, .frame = p->frame};
  for (size_t i = 0; i < input_count; i++)
    TEN_TRY(simt_copy_to_device(p, p->frame[block->args[i]->number]->memory, inputs[i]->data, inputs[i]->bytes));
  TEN_TRY(p->driver->replay(p->graph, count, out_seconds));
  TEN_TRY(p->driver->finish());
  return leave_results(&r, outputs);
}

static ten_status *run_steps(simt_program *p, ten_tensor *const *inputs, size_t input_count,
                             const ten_run_options *options, ten_tensor **outputs) {
  simt_run r = {.program = p, .process = {.options = options ? options : &no_options}, .frame = simt_frame_new(p)};
  if (p->plan.host_steps) r.process.probes = ten_host_probes_create();
  const ten_block *block = ten_op_body(p->plan.func, 0);
  ten_status *status = NULL;
  for (size_t i = 0; i < input_count && !status; i++)
    if (inputs[i]->kind == TEN_VALUE_TENSOR) status = pass_input(&r, block->args[i]->number, inputs[i]);
  if (!status) status = simt_run_body(&r, &p->plan.body);
  if (!status) status = leave_results(&r, outputs);
  simt_frame_free(p, r.frame);
  ten_host_probes_destroy(r.process.probes);
  return status;
}

/* Calls share buffers. */
static ten_status *wait_for_enqueued(simt_program *p) {
  ten_mutex_lock(&p->graph_mutex);
  ten_status *status = p->enqueued ? p->driver->wait_for(p->enqueued) : NULL;
  ten_mutex_unlock(&p->graph_mutex);
  return status;
}

static ten_status *simt_execute(ten_executable *executable, ten_tensor *const *inputs, size_t input_count,
                                const ten_run_options *options, ten_tensor **outputs) {
  simt_program *p = (simt_program *)executable;
  simt_select_device(executable->backend->index);
  TEN_TRY(wait_for_enqueued(p));
  const bool stays = options && options->resident && simt_has_resident(p);
  if (!p->can_record || p->profile || stays) return run_steps(p, inputs, input_count, options, outputs);
  ten_mutex_lock(&p->graph_mutex);
  ten_status *status = run_graph(p, inputs, input_count, 1, NULL, outputs);
  ten_mutex_unlock(&p->graph_mutex);
  return status;
}

static ten_status *simt_repeat(ten_executable *executable, ten_tensor *const *inputs, size_t count, double *out_seconds,
                               ten_tensor **outputs) {
  simt_program *p = (simt_program *)executable;
  const ten_block *block = ten_op_body(p->plan.func, 0);
  simt_select_device(executable->backend->index);
  ten_status *status = wait_for_enqueued(p);
  if (status) return status;
  if (p->can_record && !p->profile) {
    ten_mutex_lock(&p->graph_mutex);
    status = run_graph(p, inputs, block->arg_count, count, out_seconds, outputs);
    ten_mutex_unlock(&p->graph_mutex);
    return status;
  }
  const uint32_t results = ten_block_terminator(block)->operand_count;
  for (size_t i = 0; i < count && !status; i++) {
    if (i) ten_tensors_release(outputs, results);
    const double start = ten_clock();
    status = run_steps(p, inputs, block->arg_count, NULL, outputs);
    out_seconds[i] = ten_clock() - start;
  }
  return status;
}

static ten_status *simt_profile(ten_executable *executable, ten_profile *profile) {
  ((simt_program *)executable)->profile = profile;
  return NULL;
}

/* How many kernels a run of a body launches; more than LAUNCHES_MOST: too many, or it also needs the host. */
static int64_t count_launches(const simt_body *body) {
  int64_t count = 0;
  for (size_t i = 0; i < body->steps.count && count <= LAUNCHES_MOST; i++) {
    const simt_step *step = &body->steps.data[i];
    const bool loops = step->kind == SIMT_WHILE && step->trips >= 0 && step->trips <= LAUNCHES_MOST;
    if (!loops && step->kind != SIMT_KERNEL && step->kind != SIMT_SCATTER) return LAUNCHES_MOST + 1;
    count += loops ? step->trips * count_launches(&step->bodies[1]) : 1;
  }
  return count;
}

/* Only kernels, also in loops that run a known number of times; only tensors. */
static bool can_record(const simt_program *p) {
  if (!p->driver->record || !p->plan.kernel_count) return false;
  const ten_block *block = ten_op_body(p->plan.func, 0);
  for (uint32_t i = 0; i < block->arg_count; i++)
    if (!ten_type_is_tensor(block->args[i]->type)) return false;
  if (count_launches(&p->plan.body) > LAUNCHES_MOST) return false;
  const ten_op *end = ten_block_terminator(block);
  for (uint32_t i = 0; i < end->operand_count; i++)
    if (!ten_type_is_tensor(ten_op_operand(end, i)->type)) return false;
  return true;
}

static void simt_destroy(ten_executable *executable) {
  simt_program *p = (simt_program *)executable;
  simt_select_device(executable->backend->index);
  simt_enqueue_end(p);
  if (p->graph) p->driver->release_graph(p->graph);
  simt_frame_free(p, p->frame);
  for (uint32_t i = 0; p->constants && i < p->plan.value_count; i++) simt_buffer_release(p, p->constants[i]);
  for (uint32_t i = 0; i < SIMT_POOLS; i++)
    for (simt_buffer *b = p->idle[i], *next; b; b = next) {
      next = b->next;
      simt_memory_give(executable->backend, p->driver, b->bytes, b->memory);
      free(b);
    }
  simt_build_free(p);
  free(p->constants);
  simt_plan_destroy(&p->plan);
  ten_mutex_destroy(&p->mutex);
  ten_mutex_destroy(&p->graph_mutex);
  free(p);
}

/* A constant's data with permuted dimensions. */
static void *permute(const simt_constant_data *constant) {
  const ten_type *type = constant->dense->dense.type;
  const size_t bytes = ten_dtype_bytes(type->dtype);
  const char *from = constant->dense->dense.data;
  char *to = ten_alloc(constant->dense->dense.size), *next = to;
  int64_t stride[TEN_SIMT_RANK_MOST], index[TEN_SIMT_RANK_MOST] = {0};
  for (uint32_t i = 0; i < type->rank; i++) {
    stride[i] = (int64_t)bytes;
    for (uint32_t k = constant->order[i] + 1u; k < type->rank; k++) stride[i] *= type->dims[k];
  }
  for (int64_t left = ten_type_count(type); left > 0; left--) {
    memcpy(next, from, bytes);
    next += bytes;
    for (uint32_t i = type->rank; i-- > 0;) {
      from += stride[i];
      if (++index[i] < type->dims[constant->order[i]]) break;
      from -= stride[i] * index[i];
      index[i] = 0;
    }
  }
  return to;
}

static ten_status *upload_constants(simt_program *p) {
  const size_t size = (p->plan.value_count + 1) * sizeof *p->constants;
  p->constants = ten_alloc(size);
  memset(p->constants, 0, size);
  for (size_t i = 0; i < p->plan.constants.count; i++) {
    const simt_constant_data *constant = &p->plan.constants.data[i];
    simt_buffer **to = &p->constants[constant->number];
    TEN_TRY(new_buffer(p, constant->dense->dense.size, to));
    void *permuted = constant->order ? permute(constant) : NULL;
    ten_status *status = simt_copy_to_device(p, (*to)->memory, permuted ? permuted : constant->dense->dense.data,
                                             constant->dense->dense.size);
    free(permuted);
    TEN_TRY(status);
  }
  return NULL;
}

/* Runs steps that depend only on constants; their results become constants. */
static ten_status *run_hoisted(simt_program *p) {
  simt_run r = {.program = p, .frame = p->constants};
  for (size_t i = 0; i < p->plan.body.steps.count; i++)
    if (p->plan.body.steps.data[i].hoisted) TEN_TRY(run_kernel(&r, &p->plan.body.steps.data[i]));
  return NULL;
}

/* Kernels for the device that is open; to be shown, for the one that the settings name, or else any since sm_80. */
static simt_plan_options options_of(const simt_driver *driver, const ten_settings *settings) {
  int arch = settings->capability;
  if (driver->arch && !arch) arch = driver->arch();
  if (driver->arch && !arch) arch = ARCH_LEAST;
  return (simt_plan_options){.language = driver->language,
                             .arch = arch,
                             .tf32 = settings->precision == TEN_PRECISION_TF32,
                             .verify_each = settings->verify_each};
}

static ten_status *simt_compile(const ten_backend *self, ten_module *module, const ten_op *func,
                                const ten_settings *settings, ten_executable **out_executable) {
  const simt_driver *driver = simt_driver_of(self);
  simt_select_device(self->index);
  TEN_TRY(ten_annotate(driver->open(NULL), "opening the device '%s'", self->name));
  const simt_plan_options options = options_of(driver, settings);
  simt_program *p = ten_alloc(sizeof *p);
  *p = (simt_program){.driver = driver, .base = {.backend = self}};
  ten_mutex_init(&p->mutex);
  ten_mutex_init(&p->graph_mutex);
  ten_status *status = simt_plan_make(module, func, &options, &p->plan);
  if (!status) status = simt_build(p);
  if (!status) status = upload_constants(p);
  if (!status) status = run_hoisted(p);
  if (status) {
    simt_destroy(&p->base);
    return status;
  }
  p->can_record = can_record(p);
  *out_executable = &p->base;
  return NULL;
}

static const char *const stages[] = {"passes", "kernels", NULL};

static ten_status *simt_show(const ten_backend *self, const ten_module *module, const ten_op *func,
                             const ten_settings *settings, const char *stage, ten_buf *out) {
  simt_plan plan;
  simt_select_device(self->index);
  const simt_plan_options options = options_of(simt_driver_of(self), settings);
  ten_status *status = simt_plan_make(module, func, &options, &plan);
  if (!status && !strcmp(stage, "passes")) {
    ten_text_print(out, plan.module, NULL);
  } else if (!status) {
    status =
        simt_source(simt_driver_of(self), (ten_str){plan.source.data ? plan.source.data : "", plan.source.size}, out);
  }
  simt_plan_destroy(&plan);
  return status;
}

#define FUNCTIONS                                                                                       \
  .describe = simt_describe, .another = simt_another, .compile = simt_compile, .execute = simt_execute, \
  .destroy = simt_destroy, .repeat = simt_repeat, .profile = simt_profile, .stages = stages, .show = simt_show

const ten_backend ten_hip_backend = {
    .name = "hip", .summary = "AMD GPUs: generated kernels, built by hiprtc", FUNCTIONS};
const ten_backend ten_webgpu_backend = {.name = "webgpu", .summary = "GPUs through wgpu-native", FUNCTIONS};
const ten_backend ten_opencl_backend = {.name = "opencl", .summary = "GPUs and CPUs through OpenCL", FUNCTIONS};
const ten_backend ten_cuda_backend = {.name = "cuda",
                                      .summary = "NVIDIA GPUs: generated kernels, built by NVRTC",
                                      .precisions = 1u << TEN_PRECISION_TF32,
                                      .enqueue = simt_enqueue,
                                      .in_place = simt_in_place,
                                      FUNCTIONS};
