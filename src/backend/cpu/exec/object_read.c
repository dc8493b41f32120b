/* object_read.c: reads .ten files: plan and constants, with nothing of the compiler. Like call.c it stands alone, and
 * is linked into exported shared objects. */
#include <stdlib.h>
#include <string.h>

#include "backend/cpu/exec/attention.h"
#include "backend/cpu/exec/conv.h"
#include "backend/cpu/exec/gemm.h"
#include "backend/cpu/exec/object.h"
#include "base/check.h"
#include "base/size.h"
#include "tenfold/version.h"

const char cpu_object_magic[16] = "TENFOLD object:";
_Static_assert(sizeof(cpu_object_header) == CPU_OBJECT_HEADER, "the header is part of the format");
enum { ALIGN = 64, DEPTH_MAX = 64 };

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
                                           NULL,
                                           ten_cpu_scan_run,
                                           ten_cpu_product_run,
                                           ten_cpu_move_run,
                                           ten_cpu_join_run,
                                           ten_cpu_attention_grad_run};
static const size_t descriptor_sizes[] = {0,
                                          sizeof(ten_cpu_sort),
                                          sizeof(ten_cpu_cholesky),
                                          sizeof(ten_cpu_trisolve),
                                          sizeof(ten_cpu_fft),
                                          sizeof(ten_cpu_rng),
                                          sizeof(cpu_gemm),
                                          sizeof(cpu_conv),
                                          sizeof(ten_wgrad2d),
                                          sizeof(cpu_attention),
                                          sizeof(ten_scan),
                                          sizeof(ten_product),
                                          sizeof(ten_move),
                                          sizeof(ten_join),
                                          sizeof(ten_attention_grad)};
enum {
  FUNCTION_COUNT = sizeof functions / sizeof *functions,
  FUNCTION_SORT = 1,
  FUNCTION_GEMM = 6,
  FUNCTION_CONV = 7,
  FUNCTION_WGRAD = 8,
  FUNCTION_ATTENTION = 9
};

uint64_t cpu_object_function(const cpu_step *step, size_t *out_size) {
  uint64_t function = 0;
  if (step->kind == CPU_GEMM) function = FUNCTION_GEMM;
  if (step->kind == CPU_CONV) function = FUNCTION_CONV;
  if (step->kind == CPU_WGRAD) function = FUNCTION_WGRAD;
  if (step->kind == CPU_ATTENTION) function = FUNCTION_ATTENTION;
  for (uint64_t k = 1; k < FUNCTION_COUNT && !function && step->function && step->symbol == UINT32_MAX; k++)
    if (functions[k] == step->function) function = k;
  if (step->kind == CPU_CALL && step->function == ten_cpu_sort_rows) function = FUNCTION_SORT;
  *out_size = descriptor_sizes[function];
  return function;
}

void cpu_object_forget_addresses(uint64_t function, void *descriptor) {
  if (function == FUNCTION_SORT) {
    ten_cpu_sort *sort = descriptor;
    sort->before = NULL;
    sort->bytes = NULL;
    sort->order = TEN_SORT_CALLS;
  } else if (function == FUNCTION_GEMM) {
    ((cpu_gemm *)descriptor)->kernels = NULL;
  } else if (function == FUNCTION_CONV) {
    cpu_conv *c = descriptor;
    ten_conv2d *v = &c->conv;
    c->kernels = NULL;
    v->x = v->kernel = NULL;
    v->y = NULL;
    v->epilogue = NULL;
    v->epilogue_context = v->scratch = v->out = NULL;
    v->split = NULL;
    v->form = NULL;
    memset(v->also, 0, sizeof v->also);
  } else if (function == FUNCTION_WGRAD) {
    ten_wgrad2d *w = descriptor;
    w->x = w->g = NULL;
    w->dw = NULL;
    w->scratch = NULL;
  } else if (function == FUNCTION_ATTENTION) {
    ten_attention *a = &((cpu_attention *)descriptor)->shape;
    a->q = a->k = a->v = NULL;
    a->scores = NULL;
    a->out = NULL;
    a->epilogue = NULL;
    a->epilogue_context = a->scratch = NULL;
    a->form = NULL;
  }
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

/* A type of no module: cpu_object_open makes it one of the program's. No element type: a token. */
static const ten_type *get_type(reader *r, size_t *bytes) {
  ten_type *type = ten_arena_new(&r->program->plan.arena, ten_type);
  const uint64_t dtype = get(r);
  const size_t rank = get_count(r, 8);
  if (dtype >= TEN_DTYPE_COUNT || rank > TEN_RANK_MAX) r->bad = true;
  int64_t *dims = ten_arena_new_array(&r->program->plan.arena, int64_t, r->bad ? 1 : rank + 1);
  size_t size = !r->bad && dtype ? ten_dtype_bytes((ten_dtype)dtype) : 0;
  for (size_t i = 0; i < rank && !r->bad; i++) {
    dims[i] = (int64_t)get(r);
    if (dims[i] < 0 || !ten_mul(size, (size_t)dims[i], &size)) r->bad = true;
  }
  if (r->bad || !dtype) {
    type->kind = TEN_TYPE_TOKEN;
    size = 0;
  } else {
    *type = (ten_type){
        .kind = TEN_TYPE_TENSOR, .dtype = (ten_dtype)dtype, .ranked = true, .rank = (uint32_t)rank, .dims = dims};
  }
  if (bytes) *bytes = size;
  return type;
}

static bool same_type(const ten_type *x, const ten_type *y) {
  return x->kind == y->kind && x->dtype == y->dtype && x->rank == y->rank &&
         (!x->rank || !memcmp(x->dims, y->dims, x->rank * sizeof *x->dims));
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
  cpu_object_forget_addresses(function, step->descriptor);
  const uint64_t wanted = step->kind == CPU_PACK_B || step->kind == CPU_GEMM      ? FUNCTION_GEMM
                          : step->kind == CPU_PACK_CONV || step->kind == CPU_CONV ? FUNCTION_CONV
                          : step->kind == CPU_WGRAD                               ? FUNCTION_WGRAD
                          : step->kind == CPU_ATTENTION                           ? FUNCTION_ATTENTION
                                                                                  : function;
  if (function != wanted || (wanted == function && step->kind < CPU_CALL)) r->bad = true;
  if (step->kind == CPU_CALL || step->kind == CPU_PACK_B || step->kind == CPU_PACK_CONV)
    step->function = functions[function];
  if (function == FUNCTION_SORT) {
    ten_cpu_sort *sort = step->descriptor;
    const uint32_t *sizes = get_bytes(r, (size_t)sort->count * sizeof *sizes);
    sort->bytes = sizes ? ten_arena_copy(&plan->arena, sizes, sort->count * sizeof *sizes) : NULL;
  }
}

/* Its texts are borrowed from the file. */
static void read_check(reader *r, cpu_step *step) {
  ten_check *check = ten_arena_new(&r->program->plan.arena, ten_check);
  const uint64_t dtype = get(r);
  *check = (ten_check){.dtype = (ten_dtype)dtype};
  check->exception = get_text(r);
  check->message = get_text(r);
  check->place = get_text(r);
  if ((dtype != TEN_DTYPE_NONE && dtype != TEN_I64 && dtype != TEN_F32 && dtype != TEN_F64) || !step->args.count ||
      step->read_count != step->args.count || (dtype != TEN_DTYPE_NONE) != (step->args.count == 2))
    r->bad = true;
  step->descriptor = check;
}

static void read_step(reader *r, cpu_body *body, int depth) {
  cpu_plan *plan = &r->program->plan;
  cpu_step *step = ten_arena_new(&plan->arena, cpu_step);
  const uint64_t kind = get(r);
  step->kind = (cpu_step_kind)(kind & 0xff);
  step->is_if = kind >> 8 & 1;
  step->beside = kind >> 9 & 1;
  step->paired = kind >> 10 & 1;
  step->ready = (uint32_t)(kind >> 16);
  if (step->kind > CPU_CHUNKS || step->ready > TEN_READY_COUNT) r->bad = true;
  const size_t args = get_count(r, 24);
  step->read_count = (uint32_t)get(r);
  if (step->read_count > args) r->bad = true;
  step->advance = ten_arena_new_array(&plan->arena, int64_t, args + 1);
  for (size_t i = 0; i < args && !r->bad; i++) {
    const uint64_t buffer = get(r), bytes = get(r);
    step->advance[i] = (int64_t)get(r);
    if (buffer >= plan->buffers.count) {
      r->bad = true;
      break;
    }
    ten_vec_push(&step->args, (uint32_t)buffer);
    step->copy_bytes = bytes; /* of the last one: what a copy moves */
  }
  step->count = (int64_t)get(r);
  step->grain = (int64_t)get(r);
  step->parts = (int64_t)get(r);
  step->symbol = (uint32_t)get(r);
  step->label = get_text(r);
  if (step->symbol != UINT32_MAX && step->symbol >= plan->symbol_count) r->bad = true;
  read_descriptor(r, step);
  if (step->kind == CPU_ASSERT) read_check(r, step);
  step->body_count = (uint32_t)get_count(r, 8);
  step->bodies = ten_arena_new_array(&plan->arena, cpu_body, step->body_count + 1);
  if (step->kind == CPU_CHUNKS && step->body_count != 1) r->bad = true;
  ten_vec_push(&body->steps, step);
  for (uint32_t i = 0; i < step->body_count && !r->bad; i++) read_body(r, &step->bodies[i], depth + 1);
}

static void read_body(reader *r, cpu_body *body, int depth) {
  const size_t count = get_count(r, 64);
  if (depth > DEPTH_MAX) r->bad = true;
  for (size_t i = 0; i < count && !r->bad; i++) read_step(r, body, depth);
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
  if (size < sizeof *out) return ten_error(TEN_INVALID, "%s is cut short", name);
  if (out->format != CPU_OBJECT_FORMAT)
    return ten_error(TEN_UNSUPPORTED, "%s has format %llu; Tenfold %s reads format %d: compile it again", name,
                     (unsigned long long)out->format, TENFOLD_VERSION, CPU_OBJECT_FORMAT);
  if (out->size != size)
    return ten_error(TEN_INVALID, "%s is cut short or has something appended: %zu bytes, %llu were written", name, size,
                     (unsigned long long)out->size);
  return NULL;
}

static ten_status *read_all(reader *r, const char *name, cpu_object_needs *needs) {
  cpu_plan *plan = &r->program->plan;
  cpu_object_header header;
  TEN_TRY(cpu_object_check_header(r->data, r->size, name, &header));
  r->at = sizeof header;
  const ten_str version = get_text(r);
  needs->triple = get_text(r);
  get_text(r); /* the CPU's name */
  needs->features = get_text(r);
  needs->fingerprint = get(r);
  needs->isa = get_text(r);
  if (r->bad) return ten_error(TEN_INVALID, "%s is cut short", name);
  if (!ten_str_is(version, TENFOLD_VERSION))
    return ten_error(TEN_UNSUPPORTED, "%s was compiled by Tenfold %.*s; this is %s: compile it again", name,
                     TEN_FMT(version), TENFOLD_VERSION);
  plan->threads = (unsigned)get(r);
  plan->arena_bytes = (size_t)get(r);
  plan->symbol_count = (uint32_t)get(r);
  plan->input_count = (uint32_t)get_count(r, 16);
  plan->input_types = ten_arena_new_array(&plan->arena, const ten_type *, plan->input_count + 1);
  plan->input_bytes = ten_arena_new_array(&plan->arena, size_t, plan->input_count + 1);
  for (uint32_t i = 0; i < plan->input_count; i++) plan->input_types[i] = get_type(r, &plan->input_bytes[i]);
  plan->updates = ten_arena_new_array(&plan->arena, uint32_t, plan->input_count + 1);
  for (uint32_t i = 0; i < plan->input_count; i++) plan->updates[i] = (uint32_t)get(r);
  plan->output_count = (uint32_t)get_count(r, 16);
  plan->output_types = ten_arena_new_array(&plan->arena, const ten_type *, plan->output_count + 1);
  for (uint32_t i = 0; i < plan->output_count; i++) plan->output_types[i] = get_type(r, NULL);
  for (uint32_t i = 0; i < plan->input_count && !r->bad; i++) {
    const uint32_t k = plan->updates[i];
    if (k != UINT32_MAX && (k >= plan->output_count || !same_type(plan->output_types[k], plan->input_types[i])))
      r->bad = true;
  }
  const size_t buffers = get_count(r, 40);
  for (size_t i = 0; i < buffers && !r->bad; i++) {
    cpu_buffer buffer = {
        .place = (cpu_place)get(r), .index = (uint32_t)get(r), .offset = (size_t)get(r), .same_as = (uint32_t)i};
    const uint64_t bytes = get(r);
    const ten_str data = get_data(r);
    buffer.data = data.data;
    buffer.bytes = (size_t)bytes;
    if (buffer.place == CPU_CONSTANT && data.size != bytes) r->bad = true;
    if (buffer.place > CPU_KEPT) r->bad = true;
    if (buffer.place == CPU_INPUT && buffer.index >= plan->input_count) r->bad = true;
    if (buffer.place == CPU_OUTPUT && buffer.index >= plan->output_count) r->bad = true;
    ten_vec_push(&plan->buffers, buffer);
  }
  const size_t steps = get_count(r, 1), end = r->at + steps;
  read_body(r, &plan->body, 0);
  if (r->at != end) r->bad = true;
  const ten_str kept = get_data(r);
  needs->code = get_data(r);
  if (r->bad) return ten_error(TEN_INVALID, "%s is damaged", name);
  plan->kept_bytes = kept.size;
  r->program->kept_view = kept.data;
  r->program->kernels = kernels_named(needs->isa);
  if (!r->program->kernels)
    return ten_error(TEN_UNSUPPORTED, "%s was compiled for %.*s kernels, which this CPU cannot run", name,
                     TEN_FMT(needs->isa));
  return NULL;
}

ten_status *cpu_object_parse(const void *data, size_t size, const char *name, cpu_program *program,
                             cpu_object_needs *needs) {
  *needs = (cpu_object_needs){0};
  memset(program, 0, sizeof *program);
  ten_mutex_init(&program->mutex);
  ten_arena_init(&program->plan.arena);
  reader r = {.data = data, .size = size, .program = program};
  return read_all(&r, name, needs);
}
