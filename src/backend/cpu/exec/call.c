/* call.c: runs a program. A call takes an instance (memory and addresses), writes the addresses of its inputs and
 * outputs into it, and executes the steps; nothing else is allocated. Concurrent calls use separate instances.
 *
 * This file and its dependencies stand alone: base/ and the kernels, no IR and no LLVM. It is also linked into exported
 * shared objects (export/). */
#include <stdlib.h>
#include <string.h>

#include "backend/cpu/exec/gemm.h"
#include "backend/cpu/exec/kernel.h"
#include "base/check.h"
#include "base/clock.h"

enum { PIECE = 1 << 22, SMALL = 64 << 10 };

static void number_steps(exec_program *program, exec_body body, uint32_t *next) {
  for (uint32_t i = 0; i < body.count; i++) {
    exec_step *step = exec_step_at(program, body, i);
    step->number = (*next)++;
    step->pointer_start = program->pointer_count + 1; /* after its numbers */
    program->pointer_count += step->arg_count + 1;
    for (uint32_t k = 0; k < step->body_count; k++) number_steps(program, step->bodies[k], next);
  }
}

static void collect_patches(exec_loaded *loaded, exec_body body) {
  const exec_program *program = &loaded->program;
  for (uint32_t i = 0; i < body.count; i++) {
    const exec_step *step = exec_step_at(program, body, i);
    for (uint32_t k = 0; k < step->arg_count; k++) {
      const exec_buffer *buffer = exec_arg_buffer(program, step, k);
      if (buffer->place != CPU_INPUT && buffer->place != CPU_OUTPUT) continue;
      ten_vec_push(&loaded->patches, (exec_patch){step->pointer_start + k, buffer->place == CPU_OUTPUT, buffer->index});
    }
    for (uint32_t k = 0; k < step->body_count; k++) collect_patches(loaded, step->bodies[k]);
  }
}

static void resolve(const exec_loaded *loaded, exec_step *step, void *const *code) {
  const exec_kernel *kernel = exec_kernel_of(step->kind);
  void *address = step->symbol == UINT32_MAX ? NULL : code[step->symbol];
  if (step->ready) step->epilogue = (void *)(uintptr_t)loaded->kernels->ready[step->ready - 1];
  if (kernel) {
    if (kernel->link) kernel->link(step, loaded->kernels, address);
  } else if (address) {
    step->function = (ten_cpu_kernel)(uintptr_t)address;
  }
}

bool exec_wants_threads(const exec_program *program) {
  for (size_t i = 0; i < program->steps.count; i++) {
    const exec_step *step = &program->steps.data[i];
    const bool works = step->function || step->symbol != UINT32_MAX;
    if (step->run_whole || (works && (step->count > step->grain || step->parts > 1))) return true;
  }
  return false;
}

static void fill_pointers(const exec_loaded *loaded, exec_instance *instance) {
  const exec_program *program = &loaded->program;
  for (size_t i = 0; i < program->steps.count; i++) {
    const exec_step *step = &program->steps.data[i];
    if (!step->pointer_start) continue; /* in no body: share_constants.c dropped it */
    instance->pointers[step->pointer_start - 1] = (void *)(uintptr_t)step->numbers;
    for (uint32_t k = 0; k < step->arg_count; k++) {
      const exec_buffer *buffer = exec_arg_buffer(program, step, k);
      void *address = NULL;
      if (buffer->place == CPU_HOISTED)
        address = (char *)(uintptr_t)(loaded->hoisted ? loaded->hoisted : loaded->hoisted_view) + buffer->offset;
      if (buffer->place == CPU_ARENA) address = instance->arena + buffer->offset;
      if (buffer->place == CPU_CONSTANT) address = (void *)(uintptr_t)buffer->data;
      instance->pointers[step->pointer_start + k] = address;
    }
  }
}

/* NULL: out of memory. */
static exec_instance *instance_new(const exec_loaded *loaded) {
  const exec_program *program = &loaded->program;
  exec_instance *instance = calloc(1, sizeof *instance);
  if (!instance) return NULL;
  instance->bytes = program->arena_bytes;
  instance->pointers = calloc(1, (program->pointer_count + 1) * sizeof(void *));
  if (!loaded->arenas) instance->arena = exec_memory_new(program->arena_bytes);
  if (instance->pointers && (instance->arena || loaded->arenas)) return instance;
  free(instance->arena);
  free(instance->pointers);
  free(instance);
  return NULL;
}

static void instance_give(exec_loaded *loaded, exec_instance *instance) {
  if (loaded->arenas && instance->arena) {
    exec_arenas_give(loaded->arenas, instance->arena, instance->bytes);
    instance->arena = NULL;
  }
  ten_mutex_lock_leaf(&loaded->mutex);
  instance->next = loaded->free;
  loaded->free = instance;
  ten_mutex_unlock_leaf(&loaded->mutex);
}

static ten_status *instance_take(exec_loaded *loaded, exec_instance **out_instance) {
  ten_mutex_lock_leaf(&loaded->mutex);
  exec_instance *instance = loaded->free;
  if (instance) loaded->free = instance->next;
  ten_mutex_unlock_leaf(&loaded->mutex);
  const size_t bytes = loaded->program.arena_bytes;
  if (!instance) instance = instance_new(loaded);
  if (instance && loaded->arenas) instance->arena = exec_arenas_take(loaded->arenas, bytes, &instance->bytes);
  if (!instance || !instance->arena) {
    if (instance) instance_give(loaded, instance);
    return ten_error(TEN_LIMIT, "out of memory: %zu bytes could not be allocated for the values of the program", bytes);
  }
  if (instance->filled != instance->arena) fill_pointers(loaded, instance);
  instance->filled = instance->arena;
  *out_instance = instance;
  return NULL;
}

void exec_share(exec_loaded *loaded, exec_arenas *arenas) {
  if (!arenas || loaded->arenas || loaded->program.arena_bytes < SMALL) return;
  for (exec_instance *instance = loaded->free; instance; instance = instance->next) {
    free(instance->arena);
    instance->arena = instance->filled = NULL;
  }
  loaded->arenas = arenas;
}

/* One call in progress. */
typedef struct exec_run {
  exec_loaded *loaded;
  exec_instance *instance;
  void *caller; /* of HOST steps */
  ten_pool *pool;
  void (*observed)(exec_loaded *loaded, const exec_step *step, double start,
                   double seconds); /* as it was when the call began */
  ten_pool_watch watch;             /* of workers, where it is observed */
} exec_run;

typedef struct launch {
  const exec_step *step;
  void **args;
  int64_t begin, end, chunk;
} launch;

static void launch_chunk(void *context, int64_t i, unsigned thread) {
  const launch *l = context;
  const int64_t begin = l->begin + i * l->chunk, end = begin + l->chunk < l->end ? begin + l->chunk : l->end;
  l->step->function(l->args, l->step->descriptor, begin, end, thread);
}

/* Runs units [begin, end). Chunking depends only on the step where it could matter; elements never depend on their
 * chunk. */
static void launch_range(exec_run *run, const exec_step *step, void **args, int64_t begin, int64_t end) {
  const int64_t count = end - begin;
  if (!run->pool || count <= step->grain) {
    step->function(args, step->descriptor, begin, end, 0);
    return;
  }
  const int64_t parts = (int64_t)ten_pool_threads(run->pool) * 4;
  int64_t chunk = (count + parts - 1) / parts;
  if (chunk < step->grain) chunk = step->grain;
  launch l = {step, args, begin, end, chunk};
  ten_pool_run(run->pool, launch_chunk, &l, (count + chunk - 1) / chunk);
}

/* Whether the step is deferred to overlap with the following matmul: if there are threads, and steps are not timed. */
static bool overlaps_next(const exec_run *run, exec_body body, uint32_t i) {
  if (!exec_step_at(&run->loaded->program, body, i)->overlaps || !run->pool || run->observed || i + 1 == body.count)
    return false;
  const exec_step *next = exec_step_at(&run->loaded->program, body, i + 1);
  return next->kind == CPU_GEMM && !((const cpu_gemm *)next->descriptor)->bf16;
}

static void run_gemm(exec_run *run, const exec_step *step, const exec_step *held, void **args) {
  enum { PARTS = 16 };
  launch l = {.step = held};
  cpu_overlap overlap = {launch_chunk, &l, 0};
  if (held) {
    l.args = run->instance->pointers + held->pointer_start;
    l.end = held->count;
    l.chunk = (held->count + PARTS - 1) / PARTS;
    if (l.chunk < held->grain) l.chunk = held->grain;
    overlap.count = (l.end + l.chunk - 1) / l.chunk;
  }
  cpu_gemm_run(run->loaded->kernels, step, held ? &overlap : NULL, args, run->pool);
}

/* Packs a large constant in pieces, so that pages already read can be released in between. */
static void launch_step(exec_run *run, const exec_step *step, void **args) {
  const bool packs = cpu_packs(step->kind);
  int64_t each = step->count;
  if (packs && run->observed) {
    const int64_t pieces = 1 + (int64_t)(step->args[0].bytes / PIECE);
    each = (step->count + pieces - 1) / pieces;
  }
  for (int64_t begin = 0; begin < step->count; begin += each) {
    const int64_t end = begin + each < step->count ? begin + each : step->count;
    launch_range(run, step, args, begin, end);
    if (end < step->count) run->observed(run->loaded, step, 0, -1);
  }
}

/* The units of part i of `parts`, split evenly. */
static void part_units(int64_t count, int64_t parts, int64_t i, int64_t *begin, int64_t *end) {
  *begin = count / parts * i + (i < count % parts ? i : count % parts);
  *end = *begin + count / parts + (i < count % parts);
}

static void launch_part(void *context, int64_t i, unsigned thread) {
  (void)thread;
  const launch *l = context;
  int64_t begin, end;
  part_units(l->step->count, l->step->parts, i, &begin, &end);
  l->step->function(l->args, l->step->descriptor, begin, end, i);
}

/* A loop with checks: even a part without units has a check result. */
static void launch_parts(exec_run *run, const exec_step *step, void **args) {
  launch l = {.step = step, .args = args};
  if (run->pool && step->parts > 1) {
    ten_pool_run(run->pool, launch_part, &l, step->parts);
    return;
  }
  for (int64_t i = 0; i < step->parts; i++) launch_part(&l, i, 0);
}

typedef struct pair {
  const exec_step *first, *second;
  void **first_args, **second_args;
} pair;

/* Runs a part of the second step, which is memory bound with arithmetic to overlap, then unit i of the first, whose
 * data is then in the cache. */
static void pair_part(void *context, int64_t i, unsigned thread) {
  const pair *p = context;
  int64_t begin, end;
  part_units(p->second->count, p->first->count, i, &begin, &end);
  if (end > begin) p->second->function(p->second_args, p->second->descriptor, begin, end, thread);
  p->first->function(p->first_args, p->first->descriptor, i, i + 1, thread);
}

/* Whether the step and the next one run interleaved, part by part; not when steps are timed. */
static bool goes_paired(const exec_run *run, exec_body body, uint32_t i) {
  const exec_step *step = exec_step_at(&run->loaded->program, body, i),
                  *next = i + 1 < body.count ? exec_step_at(&run->loaded->program, body, i + 1) : NULL;
  return step->paired && !run->observed && next && step->kind == CPU_LOOPS && next->kind == CPU_LOOPS &&
         step->count > 0 && step->function && next->function;
}

static void run_pair(exec_run *run, const exec_step *first, const exec_step *second) {
  pair p = {first, second, run->instance->pointers + first->pointer_start,
            run->instance->pointers + second->pointer_start};
  if (run->pool) {
    ten_pool_run(run->pool, pair_part, &p, first->count);
    return;
  }
  for (int64_t i = 0; i < first->count; i++) pair_part(&p, i, 0);
}

static ten_status *run_body(exec_run *run, exec_body body);

static ten_status *run_while(exec_run *run, const exec_step *step, void **args) {
  for (;;) {
    TEN_TRY(run_body(run, step->bodies[0]));
    if (!*(const uint8_t *)args[0]) return NULL;
    TEN_TRY(run_body(run, step->bodies[1]));
  }
}

static ten_status *run_case(exec_run *run, const exec_step *step, void **args) {
  if (step->is_if) return run_body(run, step->bodies[*(const uint8_t *)args[0] ? 0 : 1]);
  const int32_t index = *(const int32_t *)args[0];
  const uint32_t last = step->body_count - 1;
  return run_body(run, step->bodies[index < 0 || (uint32_t)index > last ? last : (uint32_t)index]);
}

/* Advances the addresses of a body by some turns, or back. */
static void move_on(exec_run *run, exec_body body, int64_t turns) {
  for (uint32_t i = 0; i < body.count; i++) {
    const exec_step *step = exec_step_at(&run->loaded->program, body, i);
    void **args = run->instance->pointers + step->pointer_start;
    for (uint32_t k = 0; k < step->arg_count; k++)
      if (step->args[k].advance) args[k] = (char *)args[k] + turns * step->args[k].advance;
  }
}

static ten_status *run_chunks(exec_run *run, const exec_step *step) {
  ten_status *status = NULL;
  int64_t turns = 0;
  for (; turns < step->count && !status; turns++) {
    if (turns) move_on(run, step->bodies[0], 1);
    status = run_body(run, step->bodies[0]);
  }
  if (turns > 1) move_on(run, step->bodies[0], 1 - turns); /* for the next call */
  return status;
}

static ten_status *run_body(exec_run *run, exec_body body) {
  const exec_step *held = NULL;
  for (uint32_t i = 0; i < body.count; i++) {
    const exec_step *step = exec_step_at(&run->loaded->program, body, i);
    if (overlaps_next(run, body, i)) {
      held = step;
      continue;
    }
    if (goes_paired(run, body, i)) {
      run_pair(run, step, exec_step_at(&run->loaded->program, body, ++i));
      continue;
    }
    void **args = run->instance->pointers + step->pointer_start;
    run->watch.step = step->number;
    if (run->observed && run->loaded->begin && !step->body_count) run->loaded->begin(run->loaded, step);
    const double start = run->observed ? ten_clock() : 0;
    switch (step->kind) {
      case CPU_COPY:
        if (args[1] != args[0]) memmove(args[1], args[0], step->args[1].bytes);
        break;
      case CPU_WHILE: TEN_TRY(run_while(run, step, args)); break;
      case CPU_CASE: TEN_TRY(run_case(run, step, args)); break;
      case CPU_CHUNKS: TEN_TRY(run_chunks(run, step)); break;
      case CPU_ASSERT:
        if (!*(const uint8_t *)args[0])
          return ten_check_failed(step->descriptor, step->read_count > 1 ? args[1] : NULL);
        break;
      case CPU_HOST: TEN_TRY(run->loaded->host(run->caller, step, args)); break;
      case CPU_GEMM:
        run_gemm(run, step, held, args);
        held = NULL;
        break;
      default:
        if (step->run_whole)
          step->run_whole(run->loaded->kernels, step, args, run->pool);
        else if (step->parts)
          launch_parts(run, step, args);
        else if (step->count > 0)
          launch_step(run, step, args);
        break;
    }
    if (run->observed && !step->body_count) run->observed(run->loaded, step, start, ten_clock() - start);
  }
  return NULL;
}

void exec_program_init(exec_program *program) {
  *program = (exec_program){0};
  ten_arena_init(&program->arena);
}

void exec_program_free(exec_program *program) {
  ten_vec_free(&program->buffers);
  ten_vec_free(&program->steps);
  ten_arena_destroy(&program->arena);
}

void exec_open(exec_loaded *loaded) {
  *loaded = (exec_loaded){0};
  exec_program_init(&loaded->program);
  ten_mutex_init(&loaded->mutex);
}

/* What lies between hoisted buffers is written to files with them: nothing of the process may be in there. */
static void clear_gaps(const exec_program *program, char *hoisted) {
  enum { ALIGN = 64 };
  for (size_t i = 0; i < program->buffers.count; i++) {
    const exec_buffer *buffer = &program->buffers.data[i];
    if (buffer->place != CPU_HOISTED) continue;
    const size_t end = buffer->offset + buffer->bytes, next = (end + ALIGN - 1) / ALIGN * ALIGN;
    memset(hoisted + end, 0, (next < program->hoisted_bytes ? next : program->hoisted_bytes) - end);
  }
}

ten_status *exec_load(exec_loaded *loaded, void *const *code) {
  exec_program *program = &loaded->program;
  uint32_t number = 0;
  if (!loaded->kernels) loaded->kernels = ten_kernels_best();
  for (size_t i = 0; i < program->steps.count; i++) resolve(loaded, &program->steps.data[i], code);
  number_steps(program, program->init, &number);
  number_steps(program, program->body, &number);
  collect_patches(loaded, program->body);
  if (!loaded->threads || loaded->threads > program->threads) loaded->threads = program->threads;
  if (!loaded->pool && loaded->threads > 1 && exec_wants_threads(program))
    loaded->pool = ten_pool_create(loaded->threads);
  if (!program->init.count || loaded->hoisted_view) return NULL;
  loaded->hoisted = exec_memory_new(program->hoisted_bytes);
  if (!loaded->hoisted)
    return ten_error(TEN_LIMIT, "out of memory: %zu bytes could not be allocated for the constants of the program",
                     program->hoisted_bytes);
  clear_gaps(program, loaded->hoisted);
  exec_run run = {.loaded = loaded, .pool = loaded->pool, .observed = loaded->observe};
  TEN_TRY(instance_take(loaded, &run.instance));
  ten_status *status = run_body(&run, program->init);
  instance_give(loaded, run.instance);
  return status;
}

/* Sets no recovery point (base/recover.h), which costs a tenth of a tiny call: allocations here return errors. */
ten_status *exec_call(exec_loaded *loaded, void *caller, bool alone, void *const *inputs, void *const *outputs) {
  const exec_program *program = &loaded->program;
  exec_run run = {.loaded = loaded, .caller = caller, .pool = alone ? NULL : loaded->pool, .observed = loaded->observe};
  TEN_TRY(instance_take(loaded, &run.instance));
  for (size_t i = 0; i < loaded->patches.count; i++) {
    const exec_patch *patch = &loaded->patches.data[i];
    const uint32_t update = patch->output ? UINT32_MAX : program->updates[patch->index];
    run.instance->pointers[patch->pointer] = patch->output          ? outputs[patch->index]
                                             : update == UINT32_MAX ? inputs[patch->index]
                                                                    : outputs[update];
  }
  /* an updated input is in the output's memory: the same address, if donated */
  for (uint32_t i = 0; i < program->input_count; i++) {
    const uint32_t update = program->updates[i];
    if (update != UINT32_MAX && inputs[i] != outputs[update])
      memcpy(outputs[update], inputs[i], program->inputs[i].bytes);
  }
  const bool watches = run.observed && run.pool && loaded->worked;
  run.watch = (ten_pool_watch){.worked = loaded->worked, .user = loaded};
  if (watches) ten_pool_watch_set(&run.watch);
  ten_status *status = run_body(&run, program->body);
  if (watches) ten_pool_watch_set(NULL);
  instance_give(loaded, run.instance);
  return status;
}

void exec_close(exec_loaded *loaded) {
  while (loaded->free) {
    exec_instance *instance = loaded->free;
    loaded->free = instance->next;
    free(instance->arena);
    free(instance->pointers);
    free(instance);
  }
  free(loaded->hoisted);
  if (!loaded->pool_lent) ten_pool_destroy(loaded->pool);
  ten_vec_free(&loaded->patches);
  ten_mutex_destroy(&loaded->mutex);
  exec_program_free(&loaded->program);
}
