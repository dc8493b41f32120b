/* object_check.c: checks that a program, from a compiled file or just compiled, stays within its buffers: every buffer
 * within its memory, every kernel argument as large as the descriptor makes the kernel read or write.
 *
 * Generated steps (loops, scatters, epilogues) are machine code and cannot be checked: only their arguments are. */
#include "backend/cpu/exec/object_check.h"

#include <string.h>

#include "backend/cpu/exec/kernel.h"
#include "base/check.h"
#include "base/size.h"

enum { ALIGN = 64, THREADS_MOST = 4096 };
static const int64_t size_most = INT64_C(1) << 40;
static const size_t memory_most = (size_t)1 << 47;

void cpu_check(cpu_checker *c, bool holds, const char *what) {
  if (!holds && !c->wrong) c->wrong = what;
}

bool cpu_check_sizes(cpu_checker *c, size_t count, const int64_t *sizes) {
  bool good = true;
  for (size_t i = 0; i < count; i++) good &= sizes[i] >= 0 && sizes[i] <= size_most;
  cpu_check(c, good, "an impossible size");
  return good;
}

int64_t cpu_check_product(size_t count, const int64_t *sizes) {
  int64_t product = 1;
  bool none = false;
  for (size_t i = 0; i < count; i++) {
    if (sizes[i] < 0) return -1;
    none |= !sizes[i];
  }
  for (size_t i = 0; i < count && !none; i++)
    if (!ten_mul_i64(product, sizes[i], &product)) return -1;
  return none ? 0 : product;
}

static bool may_be_written(const cpu_checker *c, const exec_buffer *buffer) {
  if (buffer->place == CPU_INPUT) return c->program->updates[buffer->index] != UINT32_MAX;
  if (buffer->place == CPU_HOISTED) return c->is_init;
  return buffer->place == CPU_ARENA || buffer->place == CPU_OUTPUT;
}

void cpu_check_room(cpu_checker *c, size_t k, bool written, int64_t bytes) {
  const exec_step *step = c->step;
  if (k >= step->arg_count) {
    cpu_check(c, false, "too few arguments");
    return;
  }
  const exec_buffer *buffer = exec_arg_buffer(c->program, step, k);
  int64_t moved = 0;
  const bool fits = step->args[k].advance >= 0 && ten_mul_i64(c->turns - 1, step->args[k].advance, &moved);
  cpu_check(c, bytes >= 0 && fits && ten_add_i64(bytes, moved, &bytes) && (uint64_t)bytes <= buffer->bytes,
            "an argument that is smaller than what is read or written of it");
  cpu_check(c, !written || may_be_written(c, buffer), "a constant or an input that is written");
}

void cpu_check_scratch(cpu_checker *c, size_t k, int64_t bytes) {
  if (c->growth && bytes > 0 && k < c->step->arg_count) {
    exec_buffer *buffer = &c->growth->program->buffers.data[c->step->args[k].buffer];
    if (buffer->place == CPU_ARENA && (uint64_t)bytes > buffer->bytes) {
      buffer->offset = c->growth->at;
      buffer->bytes = (size_t)bytes;
      if (c->growth->most < buffer->bytes) c->growth->most = buffer->bytes;
    }
  }
  cpu_check_room(c, k, true, bytes);
}

void cpu_check_reach(cpu_checker *c, size_t k, bool written, int64_t offset, size_t rank, const int64_t *sizes,
                     const int64_t *strides, int64_t element) {
  int64_t low = offset, high = offset, bytes = 0;
  bool good = true, none = false;
  for (size_t i = 0; i < rank; i++) {
    int64_t last = 0;
    none |= sizes[i] == 0;
    good = good && sizes[i] >= 0 && (!sizes[i] || ten_mul_i64(sizes[i] - 1, strides[i], &last)) &&
           ten_add_i64(last < 0 ? low : high, last, last < 0 ? &low : &high);
  }
  if (good && none) return cpu_check_room(c, k, written, 0);
  good = good && low >= 0 && ten_add_i64(high, 1, &high) && ten_mul_i64(high, element, &bytes);
  cpu_check_room(c, k, written, good ? bytes : -1);
}

void cpu_check_args(cpu_checker *c, size_t args, size_t read) {
  cpu_check(c, c->step->arg_count == args && c->step->read_count == read, "a wrong number of arguments");
}

void cpu_check_units(cpu_checker *c, int64_t units) {
  cpu_check(c, c->step->count == units, "a wrong number of units");
}

void cpu_check_scratch_size(cpu_checker *c, size_t k, size_t bytes) {
  cpu_check_scratch(c, k, bytes <= INT64_MAX ? (int64_t)bytes : -1);
}

bool cpu_check_extents(cpu_checker *c, size_t count, const int64_t *sizes) {
  bool good = true;
  for (size_t i = 0; i < count; i++) good &= sizes[i] >= 1 && sizes[i] <= INT32_MAX;
  cpu_check(c, good, "an impossible size");
  return good;
}

void cpu_check_epilogue(cpu_checker *c, uint32_t args, bool tile, const uint32_t *also, int also_count,
                        int64_t columns) {
  const exec_step *step = c->step;
  cpu_check(c, also_count >= 0 && also_count <= TEN_ALSO, "too many arguments of an epilogue");
  for (int i = 0; i < also_count && !c->wrong; i++)
    cpu_check(c, also[i] < args, "an argument that is not the epilogue's");
  cpu_check(c, !tile || step->symbol != UINT32_MAX, "missing generated code");
  cpu_check(c, !step->ready || (!tile && step->symbol == UINT32_MAX), "two epilogues");
  const bool bias = step->ready == 1 + TEN_READY_BIAS || step->ready == 1 + TEN_READY_BIAS_RELU;
  if (bias) {
    cpu_check(c, args >= 1, "an epilogue without a bias");
    cpu_check_room(c, 0, false, CPU_PRODUCT(columns, 4));
  }
}

static void check_kernel(cpu_checker *c) {
  const exec_kernel *kernel = exec_kernel_of(c->step->kind);
  cpu_check(c, kernel && c->step->descriptor, "an unknown kernel");
  if (c->wrong) return;
  cpu_check(c, c->step->symbol == UINT32_MAX || kernel->takes_code, "generated code for a kernel that takes none");
  if (!c->wrong && (kernel->run_whole || c->step->count)) kernel->check(c);
  cpu_check(c, kernel->run_whole || (uint64_t)c->step->count <= exec_written_bytes(c->step),
            "more units than bytes are written");
}

static void check_bodies(cpu_checker *c, uint32_t least, uint32_t most) {
  cpu_check(c, c->step->body_count >= least && c->step->body_count <= most, "a wrong number of bodies");
}

static void check_step(cpu_checker *c) {
  const exec_step *step = c->step;
  const bool generated = step->symbol != UINT32_MAX;
  cpu_check(c, step->count >= 0 && step->grain >= 0, "a negative number of units");
  cpu_check(c, step->parts >= 0 && (!step->parts || (step->kind == CPU_LOOPS && step->arg_count > step->read_count)),
            "parts for a step that has none");
  cpu_check(c, !step->ready || step->kind == CPU_GEMM || step->kind == CPU_CONV,
            "an epilogue for a step that has none");
  if (step->kind != CPU_WHILE && step->kind != CPU_CASE && step->kind != CPU_CHUNKS) check_bodies(c, 0, 0);
  for (size_t k = 0; k < step->arg_count; k++) cpu_check_room(c, k, false, 0);
  switch (step->kind) {
    case CPU_LOOPS:
    case CPU_SCATTER:
    case CPU_UPDATE:
    case CPU_SELECT_SCATTER: cpu_check(c, generated, "missing generated code"); return;
    case CPU_COPY:
      cpu_check(c, step->arg_count == 2 && step->args[1].bytes <= INT64_MAX, "a copy of other than two arguments");
      if (c->wrong) return;
      cpu_check_room(c, 0, false, (int64_t)step->args[1].bytes);
      cpu_check_room(c, 1, true, (int64_t)step->args[1].bytes);
      return;
    case CPU_WHILE:
      cpu_check_room(c, 0, false, 1);
      check_bodies(c, 2, 2);
      return;
    case CPU_CASE:
      cpu_check_room(c, 0, false, step->is_if ? 1 : 4);
      check_bodies(c, step->is_if ? 2 : 1, step->is_if ? 2 : UINT32_MAX);
      return;
    case CPU_ASSERT: {
      const ten_check *check = step->descriptor;
      cpu_check_room(c, 0, false, 1);
      if (step->arg_count > 1) cpu_check_room(c, 1, false, (int64_t)ten_dtype_bytes(check->dtype));
      return;
    }
    case CPU_CHUNKS: check_bodies(c, 1, 1); return;
    case CPU_HOST: return; /* no file has one: object_read.c */
    default: check_kernel(c);
  }
}

static const char *check_body(const exec_loaded *loaded, exec_body body, bool is_init, int64_t turns,
                              cpu_growth *growth) {
  for (uint32_t i = 0; i < body.count; i++) {
    cpu_checker c = {.loaded = loaded,
                     .program = &loaded->program,
                     .step = exec_step_at(&loaded->program, body, i),
                     .growth = growth,
                     .is_init = is_init,
                     .turns = turns};
    check_step(&c);
    for (uint32_t k = 0; k < c.step->body_count && !c.wrong; k++) {
      const bool chunks = c.step->kind == CPU_CHUNKS;
      c.wrong = check_body(loaded, c.step->bodies[k], is_init, chunks && c.step->count > 1 ? c.step->count : 1, growth);
    }
    if (c.wrong) return c.wrong;
  }
  return NULL;
}

static const char *check_buffers(const exec_program *program) {
  for (size_t i = 0; i < program->buffers.count; i++) {
    const exec_buffer *b = &program->buffers.data[i];
    const bool inside = b->place == CPU_ARENA || b->place == CPU_HOISTED;
    size_t end = b->bytes;
    if (inside && (b->offset % ALIGN || !ten_add(b->offset, b->bytes, &end))) return "a buffer at no place";
    const size_t most = b->place == CPU_ARENA     ? program->arena_bytes
                        : b->place == CPU_HOISTED ? program->hoisted_bytes
                        : b->place == CPU_INPUT   ? program->inputs[b->index].bytes
                        : b->place == CPU_OUTPUT  ? program->outputs[b->index].bytes
                                                  : b->bytes;
    if (end > most) return "a buffer that is larger than the memory it is part of";
  }
  return NULL;
}

const char *exec_check(const exec_loaded *loaded) {
  const exec_program *program = &loaded->program;
  if (!program->threads || program->threads > THREADS_MOST) return "a number of threads that cannot be";
  if (program->arena_bytes > memory_most) return "more memory than there can be";
  const char *wrong = check_buffers(program);
  if (!wrong) wrong = check_body(loaded, program->init, true, 1, NULL);
  return wrong ? wrong : check_body(loaded, program->body, false, 1, NULL);
}

ten_status *cpu_object_check(const exec_loaded *loaded, size_t most_functions, const char *name) {
  const char *wrong = loaded->program.symbol_count > most_functions ? "more functions than code" : exec_check(loaded);
  return wrong ? ten_error(TEN_INVALID, "%s is damaged: its program has %s", name, wrong) : NULL;
}

ten_status *cpu_object_use_threads(exec_loaded *loaded, unsigned threads, const char *name) {
  exec_program *program = &loaded->program;
  loaded->threads = threads;
  if (threads <= program->threads) return NULL;
  program->threads = threads < THREADS_MOST ? threads : THREADS_MOST;
  cpu_growth growth = {.program = program, .at = (program->arena_bytes + ALIGN - 1) / ALIGN * ALIGN};
  const char *wrong = check_body(loaded, program->body, false, 1, &growth);
  if (growth.most > memory_most - growth.at) wrong = "more memory than there can be";
  if (growth.most) program->arena_bytes = growth.at + growth.most;
  return wrong ? ten_error(TEN_INVALID, "%s is damaged: for %u threads, its program has %s", name, threads, wrong)
               : NULL;
}
