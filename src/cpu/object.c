/* object.c: writes and reads .ten files. One header, then sections in the order they are written here; numbers are
 * little-endian and 64 bits wide, data is 64-aligned so that it can be used where it lies. */
#include "cpu/object.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "cpu/attention.h"
#include "cpu/conv.h"
#include "cpu/gemm.h"
#include "tenfold/version.h"

static const char magic[16] = "TENFOLD object 4";
enum { ALIGN = 64, DEPTH_MAX = 64, BORROW_FROM = 1 << 16 };

/* C kernels by number: append only. */
static const ten_cpu_kernel functions[] = {NULL,
                                           ten_cpu_sort_rows,
                                           ten_cpu_cholesky_run,
                                           ten_cpu_trisolve_run,
                                           ten_cpu_fft_run,
                                           ten_cpu_rng_run,
                                           cpu_pack_b,
                                           cpu_pack_conv,
                                           NULL,
                                           NULL};
static const size_t descriptor_sizes[] = {0,
                                          sizeof(ten_cpu_sort),
                                          sizeof(ten_cpu_cholesky),
                                          sizeof(ten_cpu_trisolve),
                                          sizeof(ten_cpu_fft),
                                          sizeof(ten_cpu_rng),
                                          sizeof(cpu_gemm),
                                          sizeof(cpu_conv),
                                          sizeof(ten_wgrad2d),
                                          sizeof(cpu_attention)};
enum {
  FUNCTION_COUNT = sizeof functions / sizeof *functions,
  FUNCTION_SORT = 1,
  FUNCTION_GEMM = 6,
  FUNCTION_CONV = 7,
  FUNCTION_WGRAD = 8,
  FUNCTION_ATTENTION = 9
};

/* Builds whose descriptors or kinds of steps differ do not read each other's files. */
static uint64_t layout(void) {
  const uint64_t kinds = CPU_HOST;
  return ten_hash64(descriptor_sizes, sizeof descriptor_sizes, kinds);
}

static void put(ten_buf *out, uint64_t value) { ten_buf_add(out, &value, sizeof value); }
static void put_text(ten_buf *out, const char *text) {
  put(out, strlen(text));
  ten_buf_adds(out, text);
}
/* Large data is not copied: it becomes a part of its own, between what was written before and what comes after. */
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
static void put_type(ten_buf *out, const ten_type *type) {
  put(out, type->kind == TEN_TYPE_TOKEN ? 0 : (uint64_t)type->dtype);
  put(out, type->rank);
  for (uint32_t i = 0; i < type->rank; i++) put(out, (uint64_t)type->dims[i]);
}

static ten_status *write_body(const cpu_plan *plan, const cpu_body *body, bool *used, ten_buf *out) {
  put(out, body->steps.count);
  for (size_t i = 0; i < body->steps.count; i++) {
    const cpu_step *step = body->steps.data[i];
    if (step->kind == CPU_HOST)
      return ten_op_error(step->op, TEN_UNSUPPORTED,
                          "a compiled file cannot hold this op: it needs the process that runs it");
    put(out, (uint64_t)step->kind | (uint64_t)step->is_if << 8);
    put(out, step->args.count);
    put(out, step->read_count);
    for (size_t k = 0; k < step->args.count; k++) {
      const uint32_t root = cpu_buffer_root(plan, step->args.data[k]);
      put(out, root);
      put(out, plan->buffers.data[step->args.data[k]].bytes);
      used[root] = true;
    }
    put(out, (uint64_t)step->count);
    put(out, (uint64_t)step->grain);
    put(out, step->symbol);
    const size_t label = out->size;
    put(out, 0);
    cpu_step_print(plan, step, out);
    const uint64_t label_size = out->size - label - sizeof label_size;
    memcpy(out->data + label, &label_size, sizeof label_size);
    uint64_t function = 0;
    if (step->kind == CPU_GEMM) function = FUNCTION_GEMM;
    if (step->kind == CPU_CONV) function = FUNCTION_CONV;
    if (step->kind == CPU_WGRAD) function = FUNCTION_WGRAD;
    if (step->kind == CPU_ATTENTION) function = FUNCTION_ATTENTION;
    for (uint64_t k = 1; k < FUNCTION_COUNT && !function && step->function && step->symbol == UINT32_MAX; k++)
      if (functions[k] == step->function) function = k;
    if (step->kind == CPU_CALL && step->function == ten_cpu_sort_rows) function = FUNCTION_SORT;
    put(out, function);
    if (function) ten_buf_add(out, step->descriptor, descriptor_sizes[function]);
    if (function == FUNCTION_SORT) {
      const ten_cpu_sort *sort = step->descriptor;
      ten_buf_add(out, sort->bytes, sort->count * sizeof *sort->bytes);
    }
    put(out, step->body_count);
    for (uint32_t k = 0; k < step->body_count; k++) TEN_TRY(write_body(plan, &step->bodies[k], used, out));
  }
  return NULL;
}

ten_status *cpu_object_write(const cpu_program *program, const ten_cpu_target *target, ten_str code,
                             cpu_object *object) {
  *object = (cpu_object){0};
  ten_buf *out = &object->text;
  const cpu_plan *plan = &program->plan;
  if (program->shapes)
    return ten_error(TEN_UNSUPPORTED, "a program whose shapes are not known cannot be written: give it shapes first");
  ten_buf steps = {0};
  bool *used = ten_alloc(plan->buffers.count + 1);
  memset(used, 0, plan->buffers.count + 1);
  ten_status *status = write_body(plan, &plan->body, used, &steps);
  if (!status) {
    ten_buf_add(out, magic, sizeof magic);
    put_text(out, TENFOLD_VERSION);
    put(out, layout());
    put_text(out, target->triple);
    put_text(out, target->cpu);
    put_text(out, target->features);
    put_text(out, ten_kernels_best()->isa);
    put(out, plan->threads);
    put(out, plan->arena_bytes);
    put(out, plan->symbol_count);
    put(out, plan->input_count);
    for (uint32_t i = 0; i < plan->input_count; i++) put_type(out, plan->input_types[i]);
    for (uint32_t i = 0; i < plan->input_count; i++) put(out, plan->updates[i]);
    put(out, plan->output_count);
    for (uint32_t i = 0; i < plan->output_count; i++) put_type(out, plan->output_types[i]);
    put(out, plan->buffers.count);
    for (uint32_t i = 0; i < plan->buffers.count; i++) {
      const cpu_buffer *buffer = &plan->buffers.data[i];
      const bool data = used[i] && buffer->place == CPU_CONSTANT;
      put(out, used[i] ? (uint64_t)buffer->place : (uint64_t)CPU_ARENA);
      put(out, buffer->index);
      put(out, buffer->offset);
      put_data(object, buffer->data, data ? buffer->bytes : 0);
    }
    put(out, steps.size);
    ten_buf_add(out, steps.data, steps.size);
    put_data(object, program->kept, program->kept ? plan->kept_bytes : 0);
    put_data(object, code.data, code.size);
  }
  ten_buf_free(&steps);
  free(used);
  return status;
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

void cpu_object_free(cpu_object *object) {
  ten_buf_free(&object->text);
  ten_vec_free(&object->cuts);
  *object = (cpu_object){0};
}

typedef struct reader {
  const char *data;
  size_t size, at;
  bool bad; /* ran past the end, or read something that cannot be */
  cpu_program *program;
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

/* A count of things that take at least `each` bytes of what is left. */
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

static const ten_type *get_type(reader *r, ten_module *module) {
  const uint64_t dtype = get(r);
  const size_t rank = get_count(r, 8);
  int64_t dims[TEN_RANK_MAX];
  if (dtype >= TEN_DTYPE_COUNT || rank > TEN_RANK_MAX) r->bad = true;
  for (size_t i = 0; i < rank && !r->bad; i++) {
    dims[i] = (int64_t)get(r);
    if (dims[i] < 0) r->bad = true;
  }
  if (r->bad || !dtype) return ten_type_token(module);
  return ten_type_tensor(module, (ten_dtype)dtype, (uint32_t)rank, dims);
}

static void read_body(reader *r, cpu_body *body, int depth);

static void read_descriptor(reader *r, cpu_step *step) {
  cpu_plan *plan = &r->program->plan;
  const uint64_t function = get(r);
  if (function >= FUNCTION_COUNT || !function) {
    r->bad |= function != 0;
    return;
  }
  const void *bytes = get_bytes(r, descriptor_sizes[function]);
  if (!bytes) return;
  step->descriptor = ten_arena_copy(&plan->arena, bytes, descriptor_sizes[function]);
  if (step->kind == CPU_CALL || step->kind == CPU_PACK_B || step->kind == CPU_PACK_CONV)
    step->function = functions[function];
  if (function == FUNCTION_SORT) {
    ten_cpu_sort *sort = step->descriptor;
    const uint32_t *sizes = get_bytes(r, (size_t)sort->count * sizeof *sizes);
    sort->bytes = sizes ? ten_arena_copy(&plan->arena, sizes, sort->count * sizeof *sizes) : NULL;
    sort->before = NULL;
  }
}

static void read_step(reader *r, cpu_body *body, int depth) {
  cpu_plan *plan = &r->program->plan;
  cpu_step *step = ten_arena_new(&plan->arena, cpu_step);
  const uint64_t kind = get(r);
  step->kind = (cpu_step_kind)(kind & 0xff);
  step->is_if = kind >> 8 & 1;
  if (step->kind > CPU_CASE) r->bad = true;
  const size_t args = get_count(r, 16);
  step->read_count = (uint32_t)get(r);
  if (step->read_count > args) r->bad = true;
  for (size_t i = 0; i < args && !r->bad; i++) {
    const uint64_t buffer = get(r), bytes = get(r);
    if (buffer >= plan->buffers.count) {
      r->bad = true;
      break;
    }
    ten_vec_push(&step->args, (uint32_t)buffer);
    step->copy_bytes = bytes; /* of the last one: what a copy moves */
  }
  step->count = (int64_t)get(r);
  step->grain = (int64_t)get(r);
  step->symbol = (uint32_t)get(r);
  step->label = get_text(r);
  if (step->symbol != UINT32_MAX && step->symbol >= plan->symbol_count) r->bad = true;
  read_descriptor(r, step);
  step->body_count = (uint32_t)get_count(r, 8);
  step->bodies = ten_arena_new_array(&plan->arena, cpu_body, step->body_count + 1);
  ten_vec_push(&body->steps, step);
  for (uint32_t i = 0; i < step->body_count && !r->bad; i++) read_body(r, &step->bodies[i], depth + 1);
}

static void read_body(reader *r, cpu_body *body, int depth) {
  const size_t count = get_count(r, 64);
  if (depth > DEPTH_MAX) r->bad = true;
  for (size_t i = 0; i < count && !r->bad; i++) read_step(r, body, depth);
}

/* Every "+feature" of the file must be one of this CPU. */
static ten_status *check_cpu(ten_str triple, ten_str features, ten_str isa, const char *name) {
  ten_cpu_target host = {0};
  TEN_TRY(ten_cpu_target_host(&host));
  ten_status *status = NULL;
  if (!ten_str_is(triple, host.triple))
    status = ten_error(TEN_UNSUPPORTED, "%s was compiled for %.*s; this is %s", name, TEN_FMT(triple), host.triple);
  for (size_t start = 0; !status && start < features.size;) {
    size_t end = start;
    while (end < features.size && features.data[end] != ',') end++;
    const ten_str one = {features.data + start, end - start};
    start = end + 1;
    if (!one.size || one.data[0] != '+') continue;
    bool found = false;
    for (const char *at = host.features; at && *at && !found;) {
      const size_t size = strcspn(at, ",");
      found = size == one.size && !memcmp(at, one.data, size);
      at += size + (at[size] == ',');
    }
    if (!found)
      status = ten_error(TEN_UNSUPPORTED,
                         "%s needs a CPU with %.*s, which this one lacks; compile it here, or with TENFOLD_CPU=generic",
                         name, (int)one.size - 1, one.data + 1);
  }
  if (!status && !ten_str_is(isa, ten_kernels_best()->isa))
    status = ten_error(TEN_UNSUPPORTED, "%s was compiled for %.*s kernels; this CPU runs %s", name, TEN_FMT(isa),
                       ten_kernels_best()->isa);
  ten_cpu_target_free(&host);
  return status;
}

static ten_status *read_all(reader *r, const char *name) {
  cpu_plan *plan = &r->program->plan;
  const void *start = get_bytes(r, sizeof magic);
  if (!start || memcmp(start, magic, sizeof magic))
    return ten_error(TEN_INVALID, "%s is not a compiled program of Tenfold", name);
  const ten_str version = get_text(r);
  const bool same_layout = get(r) == layout();
  const ten_str triple = get_text(r);
  get_text(r);
  const ten_str features = get_text(r), isa = get_text(r);
  if (r->bad) return ten_error(TEN_INVALID, "%s is cut short", name);
  if (!ten_str_is(version, TENFOLD_VERSION))
    return ten_error(TEN_UNSUPPORTED, "%s was compiled by Tenfold %.*s; this is %s: compile it again", name,
                     TEN_FMT(version), TENFOLD_VERSION);
  if (!same_layout)
    return ten_error(TEN_UNSUPPORTED, "%s was compiled by another build of Tenfold %s: compile it again", name,
                     TENFOLD_VERSION);
  TEN_TRY(check_cpu(triple, features, isa, name));
  plan->module = ten_module_create();
  plan->threads = (unsigned)get(r);
  plan->arena_bytes = (size_t)get(r);
  plan->symbol_count = (uint32_t)get(r);
  plan->input_count = (uint32_t)get_count(r, 16);
  plan->input_types = ten_arena_new_array(&plan->arena, const ten_type *, plan->input_count + 1);
  for (uint32_t i = 0; i < plan->input_count; i++) plan->input_types[i] = get_type(r, plan->module);
  plan->updates = ten_arena_new_array(&plan->arena, uint32_t, plan->input_count + 1);
  for (uint32_t i = 0; i < plan->input_count; i++) plan->updates[i] = (uint32_t)get(r);
  plan->output_count = (uint32_t)get_count(r, 16);
  plan->output_types = ten_arena_new_array(&plan->arena, const ten_type *, plan->output_count + 1);
  for (uint32_t i = 0; i < plan->output_count; i++) plan->output_types[i] = get_type(r, plan->module);
  for (uint32_t i = 0; i < plan->input_count && !r->bad; i++) {
    const uint32_t k = plan->updates[i];
    if (k != UINT32_MAX && (k >= plan->output_count || plan->output_types[k] != plan->input_types[i])) r->bad = true;
  }
  plan->func = ten_func_create(plan->module, TEN_STR("main"), plan->input_count, plan->input_types, plan->output_count,
                               plan->output_types, NULL);
  const size_t buffers = get_count(r, 32);
  for (size_t i = 0; i < buffers && !r->bad; i++) {
    cpu_buffer buffer = {
        .place = (cpu_place)get(r), .index = (uint32_t)get(r), .offset = (size_t)get(r), .same_as = (uint32_t)i};
    const ten_str data = get_data(r);
    buffer.data = data.data;
    if (buffer.place > CPU_KEPT) r->bad = true;
    if (buffer.place == CPU_INPUT && buffer.index >= plan->input_count) r->bad = true;
    if (buffer.place == CPU_OUTPUT && buffer.index >= plan->output_count) r->bad = true;
    ten_vec_push(&plan->buffers, buffer);
  }
  const size_t steps = get_count(r, 1), end = r->at + steps;
  read_body(r, &plan->body, 0);
  if (r->at != end) r->bad = true;
  const ten_str kept = get_data(r), code = get_data(r);
  if (r->bad) return ten_error(TEN_INVALID, "%s is damaged", name);
  plan->kept_bytes = kept.size;
  r->program->kept_view = kept.data;
  return ten_jit_load(code.data, code.size, &r->program->jit);
}

ten_status *cpu_object_read(const void *data, size_t size, const char *name, cpu_program **out_program) {
  cpu_program *program = ten_alloc(sizeof *program);
  memset(program, 0, sizeof *program);
  ten_mutex_init(&program->mutex);
  ten_arena_init(&program->plan.arena);
  reader r = {.data = data, .size = size, .program = program};
  ten_status *status = read_all(&r, name);
  if (!status) status = cpu_load(program);
  if (status) {
    cpu_destroy(&program->base);
    return status;
  }
  program->base.func = program->plan.func;
  program->base.input_count = program->plan.input_count;
  program->base.output_count = program->plan.output_count;
  *out_program = program;
  return NULL;
}
