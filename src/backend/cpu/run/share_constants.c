/* share_constants.c: hoisted constants that the sizes of a program have in common. The key of one are the steps that
 * compute it, with the contents of the constants that they read, or their addresses where these stand for the contents
 * (ten_settings.held): with equal keys it is equal. A size takes from others the ones with known keys, packed weights
 * above all, and computes and keeps the rest, which the next sizes take from it. */
#include "backend/cpu/run/share_constants.h"

#include <stdlib.h>
#include <string.h>

#include "backend/cpu/exec/kernel.h"

enum { ALIGN = 64 };

typedef struct buffer_key {
  bool known, written; /* it has a key; some step of `init` writes it */
  ten_hash128 key;
} buffer_key;

struct cpu_constant_keys {
  const exec_program *program;
  const cpu_linked *linked;
  const ten_settings *settings;
  buffer_key *of; /* owned, by buffer */
};

static bool is_held(const ten_settings *settings, const char *data, size_t bytes) {
  size_t low = 0, high = settings->held_count; /* the last that begins at `data` or before it is below `low` */
  while (low < high) {
    const size_t middle = low + (high - low) / 2;
    if ((const char *)settings->held[middle].data <= data)
      low = middle + 1;
    else
      high = middle;
  }
  const ten_held *last = low ? &settings->held[low - 1] : NULL;
  return last && (size_t)(data - (const char *)last->data) + bytes <= last->bytes;
}

static void add_constant(const cpu_constant_keys *k, ten_hasher *out, const exec_buffer *constant) {
  const bool held = is_held(k->settings, constant->data, constant->bytes);
  ten_hasher_add_u64(out, held ? k->settings->held_as : 0);
  ten_hasher_add_u64(out, constant->bytes);
  if (held)
    ten_hasher_add_u64(out, (uint64_t)(uintptr_t)constant->data);
  else
    ten_hasher_add(out, constant->data, constant->bytes);
}

/* False: what it reads cannot be told. */
static bool add_read(const cpu_constant_keys *k, ten_hasher *out, const exec_step *step, uint32_t at) {
  const exec_buffer *buffer = exec_arg_buffer(k->program, step, at);
  const buffer_key *key = &k->of[step->args[at].buffer];
  ten_hasher_add_u64(out, step->args[at].bytes);
  if (buffer->place == CPU_CONSTANT)
    add_constant(k, out, buffer);
  else
    ten_hasher_add(out, &key->key, sizeof key->key);
  return buffer->place == CPU_CONSTANT || key->known;
}

/* Of a descriptor what the kernel reads. */
static void add_descriptor(ten_hasher *out, const exec_step *step) {
  const exec_kernel *kernel = exec_kernel_of(step->kind);
  if (!kernel || !step->descriptor) return;
  char bytes[EXEC_DESCRIPTOR_MOST];
  memcpy(bytes, step->descriptor, kernel->descriptor);
  if (kernel->clear) kernel->clear(bytes);
  if (kernel->clear_unread) kernel->clear_unread(bytes);
  ten_hasher_add(out, bytes, kernel->descriptor);
}

static bool add_step(const cpu_constant_keys *k, ten_hasher *out, const exec_step *step) {
  const bool generated = step->symbol != UINT32_MAX;
  if (step->body_count || step->parts || (!generated && step->kind <= CPU_HOST && step->kind != CPU_COPY)) return false;
  ten_hasher_add_u64(out, (uint64_t)(uintptr_t)ten_kernels_best()); /* they pack, each as its matmuls read it */
  ten_hasher_add_u64(out, (uint64_t)step->kind);
  ten_hasher_add_u64(out, (uint64_t)step->count);
  ten_hasher_add_u64(out, step->arg_count);
  if (generated) {
    const cpu_linked *linked = &k->linked[step->symbol];
    ten_hasher_add(out, &linked->address, sizeof linked->address);
    ten_hasher_add(out, linked->numbers, linked->count * sizeof *linked->numbers);
  }
  add_descriptor(out, step);
  for (uint32_t i = 0; i < step->arg_count; i++) {
    const cpu_place place = exec_arg_buffer(k->program, step, i)->place;
    if (place == CPU_INPUT || place == CPU_OUTPUT || step->args[i].advance) return false;
    if (i < step->read_count && !add_read(k, out, step, i)) return false;
    if (i >= step->read_count) ten_hasher_add_u64(out, step->args[i].bytes);
  }
  return true;
}

/* What is written twice has no key. */
static void find_keys(cpu_constant_keys *k, const exec_step *step) {
  ten_hasher *out = ten_hasher_create();
  const bool known = add_step(k, out, step);
  for (uint32_t i = step->read_count; i < step->arg_count; i++) {
    buffer_key *key = &k->of[step->args[i].buffer];
    ten_hasher_add_u64(out, i);
    *key = (buffer_key){known && !key->written, true, ten_hasher_result(out)};
  }
  ten_hasher_destroy(out);
}

static void use(cpu_executable *executable, cpu_constants *constants) {
  for (size_t i = 0; i < executable->constants.count; i++)
    if (executable->constants.data[i] == constants) return;
  ten_vec_push(&executable->constants, constants);
  cpu_variants_use(constants);
}

/* Marks what the steps of a body read. */
static void mark_read(const exec_program *program, exec_body body, bool *used) {
  for (uint32_t i = 0; i < body.count; i++) {
    const exec_step *step = exec_step_at(program, body, i);
    for (uint32_t k = 0; k < step->arg_count; k++) used[step->args[k].buffer] = true;
    for (uint32_t k = 0; k < step->body_count; k++) mark_read(program, step->bodies[k], used);
  }
}

/* Whether a step has to run: it computes something that is used and not taken from another size. */
static bool is_needed(const exec_program *program, const exec_step *step, const bool *used) {
  for (uint32_t k = step->read_count; k < step->arg_count; k++)
    if (used[step->args[k].buffer] && !exec_arg_buffer(program, step, k)->shared) return true;
  return step->body_count > 0;
}

/* Memory that other sizes read is not written to: what a step computes besides stays the executable's own. */
static void take_back(exec_program *program, const exec_step *step) {
  for (uint32_t k = step->read_count; k < step->arg_count; k++) {
    exec_buffer *buffer = &program->buffers.data[step->args[k].buffer];
    if (!buffer->shared) continue;
    buffer->place = CPU_HOISTED;
    buffer->data = NULL;
    buffer->shared = false;
  }
}

/* Keeps the steps whose results are used: they are in order. */
static void drop_steps(exec_program *program) {
  bool *used = ten_alloc(program->buffers.count + 1), *stays = ten_alloc(program->init.count + 1);
  for (size_t i = 0; i < program->buffers.count; i++) used[i] = program->buffers.data[i].place == CPU_HOISTED;
  for (uint32_t i = program->init.count; i-- > 0;) {
    const exec_step *step = exec_step_at(program, program->init, i);
    stays[i] = is_needed(program, step, used);
    if (!stays[i]) continue;
    take_back(program, step);
    for (uint32_t k = 0; k < step->read_count; k++) used[step->args[k].buffer] = true;
    for (uint32_t k = 0; k < step->body_count; k++) mark_read(program, step->bodies[k], used);
  }
  uint32_t kept = 0;
  for (uint32_t i = 0; i < program->init.count; i++) {
    if (!stays[i]) continue;
    exec_step *to = exec_step_at(program, program->init, kept++), *from = exec_step_at(program, program->init, i);
    const exec_step dropped = *to;
    *to = *from;
    *from = dropped;
  }
  program->init.count = kept;
  free(used);
  free(stays);
}

static void place_rest(exec_program *program) {
  program->hoisted_bytes = 0;
  for (size_t i = 0; i < program->buffers.count; i++) {
    exec_buffer *buffer = &program->buffers.data[i];
    if (buffer->place != CPU_HOISTED) continue;
    buffer->offset = program->hoisted_bytes;
    program->hoisted_bytes += (buffer->bytes + ALIGN - 1) / ALIGN * ALIGN;
  }
}

cpu_constant_keys *cpu_borrow_constants(cpu_executable *executable, const cpu_linked *linked) {
  exec_program *program = &executable->exec.program;
  if (!program->init.count) return NULL;
  cpu_constant_keys *k = ten_alloc(sizeof *k);
  *k = (cpu_constant_keys){.program = program, .linked = linked, .settings = &executable->settings};
  k->of = ten_alloc((program->buffers.count + 1) * sizeof *k->of);
  memset(k->of, 0, (program->buffers.count + 1) * sizeof *k->of);
  for (uint32_t i = 0; i < program->init.count; i++) find_keys(k, exec_step_at(program, program->init, i));
  bool any = false;
  ten_shared *shared = executable->settings.shared;
  ten_shared_lock(shared);
  const cpu_variants *variants = cpu_variants_of(shared);
  for (size_t i = 0; i < program->buffers.count; i++) {
    exec_buffer *buffer = &program->buffers.data[i];
    cpu_constants *in = NULL;
    if (buffer->place != CPU_HOISTED || !k->of[i].known) continue;
    const char *data = cpu_variants_constant(variants, k->of[i].key, &in);
    if (!data) continue;
    use(executable, in);
    buffer->place = CPU_CONSTANT;
    buffer->data = data;
    buffer->shared = true;
    any = true;
  }
  ten_shared_unlock(shared);
  if (!any) return k;
  drop_steps(program);
  place_rest(program);
  return k;
}

void cpu_lend_constants(cpu_executable *executable, cpu_constant_keys *k, bool good) {
  exec_loaded *exec = &executable->exec;
  ten_shared *shared = executable->settings.shared;
  if (k && good && exec->hoisted) {
    ten_shared_lock(shared);
    cpu_variants *variants = cpu_variants_of(shared);
    cpu_constants *own = cpu_variants_keep(exec->hoisted);
    ten_vec_push(&executable->constants, own);
    exec->hoisted_view = exec->hoisted;
    exec->hoisted = NULL;
    for (size_t i = 0; i < k->program->buffers.count; i++) {
      const exec_buffer *buffer = &k->program->buffers.data[i];
      if (buffer->place == CPU_HOISTED && k->of[i].known)
        cpu_variants_add(variants, k->of[i].key, exec->hoisted_view + buffer->offset, own);
    }
    ten_shared_unlock(shared);
  }
  if (k) free(k->of);
  free(k);
}

void cpu_return_constants(cpu_executable *executable) {
  ten_shared *shared = executable->settings.shared;
  if (executable->constants.count) {
    ten_shared_lock(shared);
    for (size_t i = 0; i < executable->constants.count; i++)
      cpu_variants_return(cpu_variants_of(shared), executable->constants.data[i]);
    ten_shared_unlock(shared);
  }
  ten_vec_free(&executable->constants);
}
