/* object.c: writes .ten files. One header, then sections in the order written here; integers are little-endian and 64
 * bits wide, data is 64-aligned so that it can be used in place. object_read.c is the reader. */
#include "backend/cpu/exec/object.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "backend/cpu/exec/kernel.h"
#include "base/check.h"
#include "base/hash.h"
#include "tenfold/version.h"

enum { ALIGN = 64, BORROW_FROM = 1 << 16 };

static void put(ten_buf *out, uint64_t value) { ten_buf_add(out, &value, sizeof value); }
static void put_text(ten_buf *out, const char *text) {
  put(out, strlen(text));
  ten_buf_adds(out, text);
}
static void put_str(ten_buf *out, ten_str text) {
  put(out, text.size);
  ten_buf_addstr(out, text);
}
static void put_check(ten_buf *out, const ten_check *check) {
  const ten_str texts[] = {check->exception, check->message, check->place};
  put(out, (uint64_t)check->dtype);
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) put_str(out, texts[i]);
}
/* Large data is not copied: it becomes a separate part, between the text before and after it. */
static void put_data(cpu_object *object, const void *data, size_t size) {
  ten_buf *out = &object->text;
  put(out, size);
  while ((out->size + object->borrowed) % ALIGN) ten_buf_addc(out, 0);
  if (size < BORROW_FROM) {
    if (size) ten_buf_add(out, data, size);
    return;
  }
  ten_vec_push(&object->cuts, (cpu_object_cut){out->size, {data, size}});
  object->borrowed += size;
}
static void put_type(ten_buf *out, const exec_type *type) {
  put(out, (uint64_t)type->dtype | (uint64_t)type->archive << 8);
  put(out, type->rank);
  for (uint32_t i = 0; i < type->rank; i++) put(out, (uint64_t)type->dims[i]);
  put_str(out, type->name);
}

static void put_descriptor(ten_buf *out, const exec_step *step) {
  const exec_kernel *kernel = exec_kernel_of(step->kind);
  if (kernel) {
    _Alignas(16) char copy[EXEC_DESCRIPTOR_MOST];
    assert(kernel->descriptor <= sizeof copy);
    memcpy(copy, step->descriptor, kernel->descriptor);
    const exec_tail tail = kernel->tail ? kernel->tail(step->descriptor) : (exec_tail){0};
    if (kernel->clear) kernel->clear(copy);
    ten_buf_add(out, copy, kernel->descriptor);
    if (tail.bytes) ten_buf_add(out, *tail.data, tail.bytes);
  }
  if (step->kind == CPU_ASSERT) put_check(out, step->descriptor);
}

static void put_body(const exec_program *program, exec_body body, bool *used, ten_buf *out) {
  put(out, body.count);
  for (uint32_t i = 0; i < body.count; i++) {
    const exec_step *step = exec_step_at(program, body, i);
    put(out, (uint64_t)step->kind | (uint64_t)step->is_if << 8 | (uint64_t)step->overlaps << 9 |
                 (uint64_t)step->paired << 10 | (uint64_t)step->ready << 16);
    put(out, step->arg_count);
    put(out, step->read_count);
    for (uint32_t k = 0; k < step->arg_count; k++) {
      put(out, step->args[k].buffer);
      put(out, step->args[k].bytes);
      put(out, (uint64_t)step->args[k].advance);
      used[step->args[k].buffer] = true;
    }
    put(out, (uint64_t)step->count);
    put(out, (uint64_t)step->grain);
    put(out, (uint64_t)step->parts);
    put(out, step->symbol);
    put_str(out, step->label);
    put_str(out, step->layer);
    put_str(out, step->place);
    put_descriptor(out, step);
    put(out, step->body_count);
    for (uint32_t k = 0; k < step->body_count; k++) put_body(program, step->bodies[k], used, out);
  }
}

static void put_head(const exec_loaded *loaded, const ten_cpu_target *target, ten_buf *out) {
  const exec_program *program = &loaded->program;
  const cpu_object_header header = {.format = CPU_OBJECT_FORMAT};
  ten_buf_add(out, &header, sizeof header); /* cpu_object_seal fills it in */
  put_text(out, TENFOLD_VERSION);
  put_text(out, target->triple);
  put_text(out, target->cpu);
  put_text(out, target->features);
  put(out, target->fingerprint);
  put_text(out, loaded->kernels->isa);
  put(out, program->threads);
  put(out, program->arena_bytes);
  put(out, program->symbol_count);
  put(out, program->input_count);
  for (uint32_t i = 0; i < program->input_count; i++) put_type(out, &program->inputs[i]);
  for (uint32_t i = 0; i < program->input_count; i++) put(out, program->updates[i]);
  put(out, program->output_count);
  for (uint32_t i = 0; i < program->output_count; i++) put_type(out, &program->outputs[i]);
}

void cpu_object_write(const exec_loaded *loaded, const ten_cpu_target *target, ten_str code, cpu_object *object) {
  *object = (cpu_object){0};
  ten_buf *out = &object->text;
  const exec_program *program = &loaded->program;
  assert(!program->has_host);
  ten_buf steps = {0};
  bool *used = ten_alloc(program->buffers.count + 1);
  memset(used, 0, program->buffers.count + 1);
  put_body(program, program->body, used, &steps);
  put_head(loaded, target, out);
  put(out, program->buffers.count);
  for (uint32_t i = 0; i < program->buffers.count; i++) {
    const exec_buffer *buffer = &program->buffers.data[i];
    const bool data = used[i] && buffer->place == CPU_CONSTANT;
    put(out, used[i] ? (uint64_t)buffer->place : (uint64_t)CPU_ARENA);
    put(out, buffer->index);
    put(out, buffer->offset);
    put(out, used[i] ? buffer->bytes : 0);
    put_data(object, buffer->data, data ? buffer->bytes : 0);
  }
  put(out, steps.size);
  ten_buf_add(out, steps.data, steps.size);
  put_data(object, loaded->hoisted, loaded->hoisted ? program->hoisted_bytes : 0);
  put_data(object, code.data, code.size);
  ten_buf_free(&steps);
  free(used);
}

size_t cpu_object_size(const cpu_object *object) { return object->text.size + object->borrowed; }

ten_str *cpu_object_parts(const cpu_object *object, size_t *out_count) {
  ten_str *parts = ten_alloc((object->cuts.count * 2 + 1) * sizeof *parts);
  size_t count = 0, at = 0;
  for (size_t i = 0; i < object->cuts.count; i++) {
    const cpu_object_cut *cut = &object->cuts.data[i];
    parts[count++] = (ten_str){object->text.data + at, cut->at - at};
    parts[count++] = cut->data;
    at = cut->at;
  }
  parts[count++] = (ten_str){object->text.data + at, object->text.size - at};
  *out_count = count;
  return parts;
}

static void add_part(ten_hasher *hasher, ten_str part) { ten_hasher_add(hasher, part.data, part.size); }

void cpu_object_seal(cpu_object *object, const ten_digest *key) {
  cpu_object_header header = {.format = CPU_OBJECT_FORMAT, .size = cpu_object_size(object)};
  memcpy(header.magic, cpu_object_magic, sizeof header.magic);
  if (key) header.key = *key;
  ten_hasher *hasher = ten_hasher_create();
  size_t count = 0;
  ten_str *parts = cpu_object_parts(object, &count);
  add_part(hasher, (ten_str){parts[0].data + sizeof header, parts[0].size - sizeof header});
  for (size_t i = 1; i < count; i++) add_part(hasher, parts[i]);
  const ten_hash128 sum = ten_hasher_result(hasher);
  header.checksum[0] = sum.low;
  header.checksum[1] = sum.high;
  memcpy(object->text.data, &header, sizeof header);
  ten_hasher_destroy(hasher);
  free(parts);
}

ten_status *cpu_object_verify(const void *data, size_t size, const char *name) {
  cpu_object_header header;
  TEN_TRY(cpu_object_check_header(data, size, name, &header));
  const ten_hash128 sum = ten_hash128_of((const char *)data + sizeof header, size - sizeof header, 0);
  if (sum.low != header.checksum[0] || sum.high != header.checksum[1])
    return ten_error(TEN_INVALID, "%s is damaged: its checksum is not that of its content", name);
  return NULL;
}

void cpu_object_free(cpu_object *object) {
  ten_buf_free(&object->text);
  ten_vec_free(&object->cuts);
  *object = (cpu_object){0};
}
