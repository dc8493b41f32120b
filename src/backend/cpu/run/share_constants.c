/* share_constants.c: the key of hoisted constants: the steps that compute them, with the contents of the constants that
 * they read, or their addresses where these stand for the contents (ten_settings.held). The sizes of a program with
 * equal keys have equal constants, packed weights above all, at equal offsets. */
#include "backend/cpu/run/share_constants.h"

#include "backend/cpu/exec/kernel.h"

typedef struct keyer {
  const exec_program *program;
  const cpu_linked *linked;
  const ten_settings *settings;
  ten_hasher *out;
} keyer;

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

static void add_constant(keyer *k, const char *data, size_t bytes) {
  const bool held = is_held(k->settings, data, bytes);
  ten_hasher_add_u64(k->out, held ? k->settings->held_as : 0);
  if (held)
    ten_hasher_add_u64(k->out, (uint64_t)(uintptr_t)data);
  else
    ten_hasher_add(k->out, data, bytes);
}

static void add_arg(keyer *k, const exec_step *step, uint32_t at) {
  const exec_buffer *buffer = exec_arg_buffer(k->program, step, at);
  ten_hasher_add_u64(k->out, (uint64_t)buffer->place);
  ten_hasher_add_u64(k->out, step->args[at].bytes);
  if (buffer->place == CPU_CONSTANT)
    add_constant(k, buffer->data, buffer->bytes);
  else
    ten_hasher_add_u64(k->out, buffer->offset);
}

/* Of a descriptor what the kernel reads. */
static void add_descriptor(keyer *k, const exec_step *step) {
  const exec_kernel *kernel = exec_kernel_of(step->kind);
  if (!kernel || !step->descriptor) return;
  char bytes[EXEC_DESCRIPTOR_MOST];
  memcpy(bytes, step->descriptor, kernel->descriptor);
  if (kernel->clear) kernel->clear(bytes);
  if (kernel->clear_unread) kernel->clear_unread(bytes);
  ten_hasher_add(k->out, bytes, kernel->descriptor);
}

static bool add_step(keyer *k, const exec_step *step) {
  const bool generated = step->symbol != UINT32_MAX;
  if (step->body_count || step->parts || (!generated && step->kind <= CPU_HOST && step->kind != CPU_COPY)) return false;
  ten_hasher_add_u64(k->out, (uint64_t)step->kind);
  ten_hasher_add_u64(k->out, (uint64_t)step->count);
  ten_hasher_add_u64(k->out, step->arg_count);
  if (generated) {
    const cpu_linked *linked = &k->linked[step->symbol];
    ten_hasher_add(k->out, &linked->address, sizeof linked->address);
    ten_hasher_add(k->out, linked->numbers, linked->count * sizeof *linked->numbers);
  }
  for (uint32_t i = 0; i < step->arg_count; i++) {
    const cpu_place place = exec_arg_buffer(k->program, step, i)->place;
    if (place == CPU_INPUT || place == CPU_OUTPUT || step->args[i].advance) return false;
    add_arg(k, step, i);
  }
  add_descriptor(k, step);
  return true;
}

bool cpu_constants_key(const exec_program *program, const cpu_linked *linked, const ten_settings *settings,
                       ten_hash128 *out_key) {
  keyer k = {.program = program, .linked = linked, .settings = settings, .out = ten_hasher_create()};
  bool known = true;
  ten_hasher_add_u64(k.out, (uint64_t)(uintptr_t)ten_kernels_best()); /* they pack, each as its matmuls read it */
  ten_hasher_add_u64(k.out, program->hoisted_bytes);
  for (uint32_t i = 0; i < program->init.count && known; i++)
    known = add_step(&k, exec_step_at(program, program->init, i));
  *out_key = ten_hasher_result(k.out);
  ten_hasher_destroy(k.out);
  return known;
}
