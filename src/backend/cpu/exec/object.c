/* object.c: writes .ten files, and opens them here. One header, then sections in the order they are written here;
 * numbers are little-endian and 64 bits wide, data is 64-aligned so that it can be used where it lies. object_read.c is
 * the other side. */
#include "backend/cpu/exec/object.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "backend/cpu/machine.h"
#include "backend/cpu/plan/release_weights.h"
#include "base/check.h"
#include "base/hash.h"
#include "tenfold/version.h"

enum { ALIGN = 64, BORROW_FROM = 1 << 16 };

static void put(ten_buf *out, uint64_t value) { ten_buf_add(out, &value, sizeof value); }
static void put_text(ten_buf *out, const char *text) {
  put(out, strlen(text));
  ten_buf_adds(out, text);
}
static void put_check(ten_buf *out, const ten_check *check) {
  const ten_str texts[] = {check->exception, check->message, check->place};
  put(out, (uint64_t)check->dtype);
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
    put(out, texts[i].size);
    ten_buf_addstr(out, texts[i]);
  }
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
    put(out, (uint64_t)step->kind | (uint64_t)step->is_if << 8 | (uint64_t)step->beside << 9 |
                 (uint64_t)step->paired << 10 | (uint64_t)step->ready << 16);
    put(out, step->args.count);
    put(out, step->read_count);
    for (size_t k = 0; k < step->args.count; k++) {
      const uint32_t root = cpu_buffer_root(plan, step->args.data[k]);
      put(out, root);
      put(out, plan->buffers.data[step->args.data[k]].bytes);
      put(out, step->advance ? (uint64_t)step->advance[k] : 0);
      used[root] = true;
    }
    put(out, (uint64_t)step->count);
    put(out, (uint64_t)step->grain);
    put(out, (uint64_t)step->parts);
    put(out, step->symbol);
    const size_t label = out->size;
    put(out, 0);
    cpu_step_print(plan, step, out);
    const uint64_t label_size = out->size - label - sizeof label_size;
    memcpy(out->data + label, &label_size, sizeof label_size);
    size_t size = 0;
    const uint64_t function = cpu_object_function(step, &size);
    put(out, function);
    if (function) {
      uint64_t copy[128];
      assert(size <= sizeof copy);
      memcpy(copy, step->descriptor, size);
      cpu_object_forget_addresses(function, copy);
      ten_buf_add(out, copy, size);
    }
    if (function && step->function == ten_cpu_sort_rows) {
      const ten_cpu_sort *sort = step->descriptor;
      ten_buf_add(out, sort->bytes, sort->count * sizeof *sort->bytes);
    }
    if (step->kind == CPU_ASSERT) put_check(out, step->descriptor);
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
    const cpu_object_header header = {.format = CPU_OBJECT_FORMAT};
    ten_buf_add(out, &header, sizeof header); /* cpu_object_seal fills it in */
    put_text(out, TENFOLD_VERSION);
    put_text(out, target->triple);
    put_text(out, target->cpu);
    put_text(out, target->features);
    put(out, target->fingerprint);
    put_text(out, program->kernels->isa);
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
      put(out, used[i] ? buffer->bytes : 0);
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

/* Every "+feature" of the file must be one of this CPU. LLVM is asked only when the file was made elsewhere. */
static ten_status *check_cpu(const cpu_object_needs *needs, const char *name) {
  const ten_str triple = needs->triple, features = needs->features;
  const char *here = ten_cpu_architecture();
  if (triple.size <= strlen(here) || memcmp(triple.data, here, strlen(here)) || triple.data[strlen(here)] != '-')
    return ten_error(TEN_UNSUPPORTED, "%s was compiled for %.*s; this is %s", name, TEN_FMT(triple), here);
  if (!features.size || (needs->fingerprint == ten_cpu_fingerprint() && !ten_cpu_target_wanted())) return NULL;
  ten_cpu_target host = {0};
  TEN_TRY(ten_cpu_target_host(&host));
  ten_status *status = NULL;
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
  ten_cpu_target_free(&host);
  return status;
}

/* The program's function, with the types that were read and no body. */
static void make_function(cpu_plan *plan) {
  plan->module = ten_module_create();
  for (uint32_t i = 0; i < plan->input_count + plan->output_count; i++) {
    const ten_type **type = i < plan->input_count ? &plan->input_types[i] : &plan->output_types[i - plan->input_count];
    *type = (*type)->kind == TEN_TYPE_TOKEN
                ? ten_type_token(plan->module)
                : ten_type_tensor(plan->module, (*type)->dtype, (*type)->rank, (*type)->dims);
  }
  plan->func = ten_func_create(plan->module, TEN_STR("main"), plan->input_count, plan->input_types, plan->output_count,
                               plan->output_types, NULL);
}

ten_status *cpu_load_code(cpu_program *program, ten_str object) {
  const uint32_t count = program->plan.symbol_count;
  void **code = ten_alloc((count + 1) * sizeof *code);
  ten_status *status = count ? ten_loaded_create(object.data, object.size, count, code, &program->code) : NULL;
  program->host = cpu_host_step;
  cpu_forgetting forgetting;
  const bool works = program->plan.init.steps.count > 0;
  if (works) cpu_forget_start(program, &forgetting);
  if (!status) status = cpu_load(program, code);
  if (works) cpu_forget_stop(program, &forgetting);
  free(code);
  return status;
}

ten_status *cpu_object_read(const void *data, size_t size, const char *name, cpu_program **out_program) {
  TEN_TRY(cpu_object_verify(data, size, name));
  return cpu_object_read_verified(data, size, name, out_program);
}

static ten_status *read_into(cpu_program *program, const void *data, size_t size, const char *name) {
  TEN_RECOVER("loading the compiled program");
  cpu_object_needs needs;
  TEN_TRY(cpu_object_parse(data, size, name, program, &needs));
  TEN_TRY(check_cpu(&needs, name));
  TEN_TRY(cpu_object_check(program, needs.code.size, name));
  make_function(&program->plan);
  return cpu_load_code(program, needs.code);
}

ten_status *cpu_object_read_verified(const void *data, size_t size, const char *name, cpu_program **out_program) {
  cpu_program *program = ten_alloc(sizeof *program);
  ten_status *status = read_into(program, data, size, name);
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
