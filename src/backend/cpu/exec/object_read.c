/* object_read.c: reads .ten files: program and constants, without the compiler. Like call.c it stands alone, and is
 * linked into exported shared objects. */
#include <stdlib.h>
#include <string.h>

#include "backend/cpu/exec/kernel.h"
#include "base/check.h"
#include "base/size.h"
#include "tenfold/version.h"

const char cpu_object_magic[16] = "TENFOLD object:";
_Static_assert(sizeof(cpu_object_header) == CPU_OBJECT_HEADER, "the header is part of the format");
enum { ALIGN = 64, DEPTH_MAX = 64, STEP_LEAST = 80 }; /* the last: bytes of a step in a file */

typedef struct reader {
  const char *data;
  size_t size, at;
  bool bad; /* ran past the end, or read an invalid value */
  exec_loaded *loaded;
  exec_program *program; /* of that */
} reader;

static uint64_t get(reader *r) {
  uint64_t value = 0;
  if (r->bad || r->size - r->at < sizeof value) {
    r->bad = true;
    return 0;
  }
  memcpy(&value, r->data + r->at, sizeof value);
  r->at += sizeof value;
  return value;
}

/* A count of items that take at least `each` bytes of the remaining data. */
static size_t get_count(reader *r, size_t each) {
  const uint64_t count = get(r);
  if (!r->bad && count > (r->size - r->at) / each) r->bad = true;
  return r->bad ? 0 : (size_t)count;
}

static const void *get_bytes(reader *r, size_t size) {
  if (r->bad || r->size - r->at < size) {
    r->bad = true;
    return NULL;
  }
  const void *found = r->data + r->at;
  r->at += size;
  return found;
}

static ten_str get_text(reader *r) {
  const size_t size = get_count(r, 1);
  const char *text = get_bytes(r, size);
  return (ten_str){text, text ? size : 0};
}

static ten_str get_data(reader *r) {
  const uint64_t size = get(r);
  const size_t skip = (ALIGN - r->at % ALIGN) % ALIGN;
  get_bytes(r, skip);
  if (!r->bad && size > r->size - r->at) r->bad = true;
  const char *data = r->bad ? NULL : get_bytes(r, (size_t)size);
  return (ten_str){data, data ? (size_t)size : 0};
}

/* No element type: a token. */
static exec_type get_type(reader *r) {
  const uint64_t word = get(r), dtype = word & 0xFF;
  const size_t rank = get_count(r, 8);
  if (word >> 9 || dtype >= TEN_DTYPE_COUNT || rank > TEN_RANK_MAX || (!dtype && rank)) r->bad = true;
  int64_t *dims = ten_arena_new_array(&r->program->arena, int64_t, r->bad ? 1 : rank + 1);
  size_t size = !r->bad && dtype ? ten_dtype_bytes((ten_dtype)dtype) : 0;
  for (size_t i = 0; i < rank && !r->bad; i++) {
    dims[i] = (int64_t)get(r);
    if (dims[i] < 0 || !ten_mul(size, (size_t)dims[i], &size)) r->bad = true;
  }
  const ten_str name = get_text(r);
  if (r->bad) return (exec_type){0};
  return (exec_type){.dtype = (ten_dtype)dtype,
                     .rank = (uint32_t)rank,
                     .dims = dims,
                     .bytes = size,
                     .name = name,
                     .archive = word >> 8};
}

static bool same_type(const exec_type *x, const exec_type *y) {
  return x->dtype == y->dtype && x->rank == y->rank &&
         (!x->rank || !memcmp(x->dims, y->dims, x->rank * sizeof *x->dims));
}

static exec_body read_body(reader *r, int depth);

static void read_descriptor(reader *r, exec_step *step) {
  const exec_kernel *kernel = exec_kernel_of(step->kind);
  const void *bytes = kernel ? get_bytes(r, kernel->descriptor) : NULL;
  if (!bytes) return;
  step->descriptor = ten_arena_copy(&r->program->arena, bytes, kernel->descriptor);
  step->function = kernel->run;
  step->run_whole = kernel->run_whole;
  if (kernel->clear) kernel->clear(step->descriptor);
  if (!kernel->tail) return;
  const exec_tail tail = kernel->tail(step->descriptor);
  bytes = get_bytes(r, tail.bytes);
  *tail.data = bytes ? ten_arena_copy(&r->program->arena, bytes, tail.bytes) : NULL;
}

/* The step's texts are borrowed from the file. */
static void read_check(reader *r, exec_step *step) {
  ten_check *check = ten_arena_new(&r->program->arena, ten_check);
  const uint64_t dtype = get(r);
  *check = (ten_check){.dtype = (ten_dtype)dtype};
  check->exception = get_text(r);
  check->message = get_text(r);
  check->place = get_text(r);
  if ((dtype != TEN_DTYPE_NONE && dtype != TEN_I64 && dtype != TEN_F32 && dtype != TEN_F64) || !step->arg_count ||
      step->read_count != step->arg_count || (dtype != TEN_DTYPE_NONE) != (step->arg_count == 2))
    r->bad = true;
  step->descriptor = check;
}

static void read_args(reader *r, exec_step *step) {
  const size_t count = get_count(r, 24);
  step->arg_count = (uint32_t)count;
  step->read_count = (uint32_t)get(r);
  if (step->read_count > count) r->bad = true;
  exec_arg *args = ten_arena_new_array(&r->program->arena, exec_arg, count + 1);
  for (size_t i = 0; i < count && !r->bad; i++) {
    const uint64_t buffer = get(r), bytes = get(r);
    args[i] = (exec_arg){(uint32_t)buffer, (size_t)bytes, (int64_t)get(r)};
    if (buffer >= r->program->buffers.count) r->bad = true;
  }
  step->args = args;
}

static exec_step read_step(reader *r, int depth) {
  exec_program *program = r->program;
  exec_step step = {0};
  const uint64_t kind = get(r);
  step.kind = (cpu_step_kind)(kind & 0xff);
  step.is_if = kind >> 8 & 1;
  step.overlaps = kind >> 9 & 1;
  step.paired = kind >> 10 & 1;
  step.ready = (uint32_t)(kind >> 16);
  if (step.kind >= CPU_KIND_COUNT || step.kind == CPU_HOST || step.ready > TEN_READY_COUNT) r->bad = true;
  read_args(r, &step);
  step.count = (int64_t)get(r);
  step.grain = (int64_t)get(r);
  step.parts = (int64_t)get(r);
  step.symbol = (uint32_t)get(r);
  step.label = get_text(r);
  step.layer = get_text(r);
  step.place = get_text(r);
  if (step.symbol != UINT32_MAX && step.symbol >= program->symbol_count) r->bad = true;
  read_descriptor(r, &step);
  if (step.kind == CPU_ASSERT) read_check(r, &step);
  step.body_count = (uint32_t)get_count(r, 8);
  exec_body *bodies = ten_arena_new_array(&program->arena, exec_body, step.body_count + 1);
  if (step.kind == CPU_CHUNKS && step.body_count != 1) r->bad = true;
  for (uint32_t i = 0; i < step.body_count && !r->bad; i++) bodies[i] = read_body(r, depth + 1);
  step.bodies = bodies;
  return step;
}

/* Its steps are contiguous: they are allocated before those nested in them. */
static exec_body read_body(reader *r, int depth) {
  exec_program *program = r->program;
  const size_t count = get_count(r, STEP_LEAST);
  if (depth > DEPTH_MAX || program->steps.count + count > r->size / STEP_LEAST) r->bad = true;
  const exec_body body = {(uint32_t)program->steps.count, r->bad ? 0 : (uint32_t)count};
  for (uint32_t i = 0; i < body.count; i++) ten_vec_push(&program->steps, (exec_step){.symbol = UINT32_MAX});
  for (uint32_t i = 0; i < body.count && !r->bad; i++) {
    const exec_step step = read_step(r, depth);
    *exec_step_at(program, body, i) = step;
  }
  return body;
}

static const ten_kernels *kernels_named(ten_str isa) {
  char name[32];
  if (isa.size >= sizeof name) return NULL;
  memcpy(name, isa.data, isa.size);
  name[isa.size] = 0;
  return ten_kernels_named(name);
}

ten_status *cpu_object_check_header(const void *data, size_t size, const char *name, cpu_object_header *out) {
  static const char family[] = "TENFOLD object"; /* of every format */
  *out = (cpu_object_header){0};
  if (size < sizeof family || memcmp(data, family, sizeof family - 1))
    return ten_error(TEN_INVALID, "%s is not a compiled program of Tenfold", name);
  if (size >= sizeof *out) memcpy(out, data, sizeof *out);
  if (size >= sizeof out->magic && memcmp(data, cpu_object_magic, sizeof out->magic))
    return ten_error(TEN_UNSUPPORTED, "%s was compiled by an earlier Tenfold; this is %s: compile it again", name,
                     TENFOLD_VERSION);
  if (size < sizeof *out) return ten_error(TEN_INVALID, "%s is truncated", name);
  if (out->format != CPU_OBJECT_FORMAT)
    return ten_error(TEN_UNSUPPORTED, "%s has format %llu; Tenfold %s reads format %d: compile it again", name,
                     (unsigned long long)out->format, TENFOLD_VERSION, CPU_OBJECT_FORMAT);
  if (out->size != size)
    return ten_error(TEN_INVALID, "%s is truncated or has trailing data: it has %zu bytes, %llu were written", name,
                     size, (unsigned long long)out->size);
  return NULL;
}

static void read_types(reader *r) {
  exec_program *program = r->program;
  program->input_count = (uint32_t)get_count(r, 16);
  program->inputs = ten_arena_new_array(&program->arena, exec_type, program->input_count + 1);
  for (uint32_t i = 0; i < program->input_count; i++) program->inputs[i] = get_type(r);
  program->updates = ten_arena_new_array(&program->arena, uint32_t, program->input_count + 1);
  for (uint32_t i = 0; i < program->input_count; i++) program->updates[i] = (uint32_t)get(r);
  program->output_count = (uint32_t)get_count(r, 16);
  program->outputs = ten_arena_new_array(&program->arena, exec_type, program->output_count + 1);
  for (uint32_t i = 0; i < program->output_count; i++) program->outputs[i] = get_type(r);
  for (uint32_t i = 0; i < program->input_count && !r->bad; i++) {
    const uint32_t k = program->updates[i];
    if (k != UINT32_MAX && (k >= program->output_count || !same_type(&program->outputs[k], &program->inputs[i])))
      r->bad = true;
  }
}

static void read_buffers(reader *r) {
  exec_program *program = r->program;
  const size_t count = get_count(r, 40);
  for (size_t i = 0; i < count && !r->bad; i++) {
    exec_buffer buffer = {.place = (cpu_place)get(r), .index = (uint32_t)get(r), .offset = (size_t)get(r)};
    const uint64_t bytes = get(r);
    const ten_str data = get_data(r);
    buffer.data = data.data;
    buffer.bytes = (size_t)bytes;
    if (buffer.place == CPU_CONSTANT && data.size != bytes) r->bad = true;
    if (buffer.place > CPU_HOISTED) r->bad = true;
    if (buffer.place == CPU_INPUT && buffer.index >= program->input_count) r->bad = true;
    if (buffer.place == CPU_OUTPUT && buffer.index >= program->output_count) r->bad = true;
    ten_vec_push(&program->buffers, buffer);
  }
}

static ten_status *read_all(reader *r, const char *name, cpu_object_needs *needs) {
  exec_program *program = r->program;
  cpu_object_header header;
  TEN_TRY(cpu_object_check_header(r->data, r->size, name, &header));
  r->at = sizeof header;
  const ten_str version = get_text(r);
  needs->triple = get_text(r);
  get_text(r); /* the CPU's name */
  needs->features = get_text(r);
  needs->fingerprint = get(r);
  needs->isa = get_text(r);
  if (r->bad) return ten_error(TEN_INVALID, "%s is truncated", name);
  if (!ten_str_is(version, TENFOLD_VERSION))
    return ten_error(TEN_UNSUPPORTED, "%s was compiled by Tenfold %.*s; this is %s: compile it again", name,
                     TEN_FMT(version), TENFOLD_VERSION);
  program->threads = (unsigned)get(r);
  program->arena_bytes = (size_t)get(r);
  program->symbol_count = (uint32_t)get(r);
  read_types(r);
  read_buffers(r);
  const size_t steps = get_count(r, 1), end = r->at + steps;
  program->body = read_body(r, 0);
  if (r->at != end) r->bad = true;
  const ten_str kept = get_data(r);
  needs->code = get_data(r);
  if (r->bad) return ten_error(TEN_INVALID, "%s is damaged", name);
  program->hoisted_bytes = kept.size;
  r->loaded->hoisted_view = kept.data;
  r->loaded->kernels = kernels_named(needs->isa);
  if (!r->loaded->kernels)
    return ten_error(TEN_UNSUPPORTED, "%s was compiled for %.*s kernels, which this CPU cannot run", name,
                     TEN_FMT(needs->isa));
  return NULL;
}

ten_status *cpu_object_parse(const void *data, size_t size, const char *name, exec_loaded *loaded,
                             cpu_object_needs *needs) {
  *needs = (cpu_object_needs){0};
  if ((uintptr_t)data % ALIGN) /* inside another file, at an unaligned offset */
    return ten_error(TEN_INVALID, "%s holds a compiled program that is not aligned to %d bytes", name, ALIGN);
  reader r = {.data = data, .size = size, .loaded = loaded, .program = &loaded->program};
  return read_all(&r, name, needs);
}
