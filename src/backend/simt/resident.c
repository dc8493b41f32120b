/* resident.c: elements that stay on the device after a run: large results in the buffers they were computed in, large
 * inputs in a copy that later runs find. Where a driver offers it. Such runs launch kernels one by one: a captured
 * graph has buffers of its own. */
#include <stdlib.h>

#include "backend/simt/program.h"

enum { RESIDENT_LEAST = 4096 /* bytes: fewer are read as soon as they are left there */ };

typedef struct resident {
  ten_resident base; /* must be first */
  const ten_backend *backend;
  const simt_driver *driver;
  simt_memory memory; /* owned */
  size_t bytes;       /* of the memory */
} resident;

/* Both may be called amid work on another device. */
static ten_status *resident_read(ten_resident *base, void *data, size_t bytes) {
  const resident *on = (const resident *)base;
  const unsigned before = simt_selected_device();
  simt_select_device(on->backend->index);
  const double start = ten_transfer_start();
  ten_status *status = on->driver->download(on->memory, data, bytes);
  if (!status) ten_transfer_end(false, bytes, start);
  simt_select_device(before);
  return status;
}

static void resident_release(ten_resident *base) {
  resident *on = (resident *)base;
  const unsigned before = simt_selected_device();
  simt_select_device(on->backend->index);
  simt_memory_give(on->backend, on->driver, on->bytes, on->memory);
  simt_select_device(before);
  free(on);
}

/* Takes the memory. */
static resident *resident_new(const simt_program *p, simt_memory memory, size_t bytes) {
  const ten_backend *backend = p->base.backend;
  resident *made = ten_alloc(sizeof *made);
  *made = (resident){{backend, resident_read, resident_release}, backend, p->driver, memory, bytes};
  return made;
}

static bool stays(const simt_run *r, size_t bytes) {
  const ten_run_options *options = r->process.options;
  return options && options->resident && r->program->driver->resident && bytes >= RESIDENT_LEAST;
}

static bool is_large(const ten_type *type) {
  return ten_type_is_tensor(type) && ten_type_bytes(type) >= RESIDENT_LEAST;
}

bool simt_has_resident(const simt_program *p) {
  if (!p->driver->resident) return false;
  const ten_type *type = ten_func_type(p->plan.func);
  for (uint32_t i = 0; i < type->input_count; i++)
    if (is_large(type->inputs[i])) return true;
  for (uint32_t i = 0; i < type->result_count; i++)
    if (is_large(type->results[i])) return true;
  return false;
}

ten_resident *simt_resident_result(simt_run *r, const ten_value *value) {
  simt_buffer *b = value->type->kind == TEN_TYPE_TENSOR ? r->frame[value->number] : NULL;
  if (!b || b->borrowed || b->references != 1 || !stays(r, ten_type_bytes(value->type))) return NULL;
  resident *made = resident_new(r->program, b->memory, b->bytes);
  r->frame[value->number] = NULL;
  free(b);
  return &made->base;
}

/* A copy of the elements, which the tensor owns from now on. */
static ten_status *input_keep(simt_run *r, ten_tensor *tensor) {
  simt_memory memory;
  const size_t bytes = simt_memory_size(tensor->bytes);
  TEN_TRY(simt_memory_take(r->program->base.backend, r->program->driver, bytes, &memory));
  resident *made = resident_new(r->program, memory, bytes);
  ten_status *status = simt_copy_to_device(r->program, memory, tensor->data, tensor->bytes);
  if (status || !ten_tensor_keep(tensor, &made->base)) resident_release(&made->base);
  return status;
}

ten_status *simt_resident_input(simt_run *r, ten_tensor *tensor, simt_buffer **out) {
  const ten_backend *backend = r->program->base.backend;
  *out = NULL;
  /* What others may write to is copied for each run, and what another device keeps. */
  if (!ten_tensor_has_resident(tensor) && !tensor->borrowed && stays(r, tensor->bytes)) TEN_TRY(input_keep(r, tensor));
  const resident *on = (const resident *)ten_tensor_on(tensor, backend);
  if (!on) return NULL;
  *out = ten_alloc(sizeof **out);
  **out = (simt_buffer){.memory = on->memory, .bytes = tensor->bytes, .borrowed = true, .references = 1};
  return NULL;
}
