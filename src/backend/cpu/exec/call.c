/* call.c: calls a plan. A call takes an instance (memory and addresses), writes the addresses of its inputs and outputs
 * into it, and walks the steps; nothing else is allocated. Calls at the same time have an instance each.
 *
 * This file, and what it needs, stands alone: base/ and the kernels, no IR and no LLVM. It is also linked into exported
 * shared objects (export/). */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "backend/cpu/exec/attention.h"
#include "backend/cpu/exec/conv.h"
#include "backend/cpu/exec/gemm.h"
#include "backend/cpu/exec/program.h"
#include "base/check.h"
#include "base/clock.h"

enum { ALIGN = 64, LARGE_PAGE = 1 << 21, PIECE = 1 << 22 };

/* 64-aligned; what is large is asked for in large pages: first touches cost a tenth. NULL: there is not so much. */
static void *memory_new(size_t bytes) {
  if (bytes < LARGE_PAGE) return aligned_alloc(ALIGN, (bytes + ALIGN) / ALIGN * ALIGN);
  const size_t size = (bytes + LARGE_PAGE - 1) / LARGE_PAGE * LARGE_PAGE;
  void *memory = aligned_alloc(LARGE_PAGE, size);
#if defined(MADV_HUGEPAGE)
  if (memory) madvise(memory, size, MADV_HUGEPAGE); /* a wish */
#endif
  return memory;
}

static void number_pointers(cpu_plan *plan, cpu_body *body) {
  for (size_t i = 0; i < body->steps.count; i++) {
    cpu_step *step = body->steps.data[i];
    step->number = plan->step_count++;
    step->pointer_start = plan->pointer_count;
    plan->pointer_count += (uint32_t)step->args.count;
    for (uint32_t k = 0; k < step->body_count; k++) number_pointers(plan, &step->bodies[k]);
  }
}

static void collect_patches(cpu_program *program, const cpu_body *body) {
  const cpu_plan *plan = &program->plan;
  for (size_t i = 0; i < body->steps.count; i++) {
    const cpu_step *step = body->steps.data[i];
    for (uint32_t k = 0; k < step->args.count; k++) {
      const cpu_buffer *buffer = &plan->buffers.data[cpu_buffer_root(plan, step->args.data[k])];
      if (buffer->place != CPU_INPUT && buffer->place != CPU_OUTPUT) continue;
      ten_vec_push(&program->patches, (cpu_patch){step->pointer_start + k, buffer->place == CPU_OUTPUT, buffer->index});
    }
    for (uint32_t k = 0; k < step->body_count; k++) collect_patches(program, &step->bodies[k]);
  }
}

static void resolve(cpu_program *program, const cpu_body *body, void *const *code) {
  for (size_t i = 0; i < body->steps.count; i++) {
    cpu_step *step = body->steps.data[i];
    if (step->kind == CPU_PACK_B) ((cpu_gemm *)step->descriptor)->kernels = program->kernels;
    if (step->kind == CPU_PACK_CONV) ((cpu_conv *)step->descriptor)->kernels = program->kernels;
    if (step->ready) step->epilogue = (void *)(uintptr_t)program->kernels->ready[step->ready - 1];
    if (step->symbol != UINT32_MAX) {
      void *address = code[step->symbol];
      if (cpu_has_epilogue(step->kind))
        step->epilogue = address;
      else if (step->kind == CPU_CALL) {
        ((ten_cpu_sort *)step->descriptor)->before = (ten_cpu_before)(uintptr_t)address;
        ten_cpu_sort_learn(step->descriptor);
      } else
        step->function = (ten_cpu_kernel)(uintptr_t)address;
    }
    for (uint32_t k = 0; k < step->body_count; k++) resolve(program, &step->bodies[k], code);
  }
}

static bool wants_threads(const cpu_body *body) {
  for (size_t i = 0; i < body->steps.count; i++) {
    const cpu_step *step = body->steps.data[i];
    if (cpu_has_epilogue(step->kind) || (step->function && (step->count > step->grain || step->parts > 1))) return true;
    for (uint32_t k = 0; k < step->body_count; k++)
      if (wants_threads(&step->bodies[k])) return true;
  }
  return false;
}

static void fill_pointers(const cpu_program *program, const cpu_body *body, cpu_instance *instance) {
  const cpu_plan *plan = &program->plan;
  for (size_t i = 0; i < body->steps.count; i++) {
    const cpu_step *step = body->steps.data[i];
    for (uint32_t k = 0; k < step->args.count; k++) {
      const cpu_buffer *buffer = &plan->buffers.data[cpu_buffer_root(plan, step->args.data[k])];
      void *address = NULL;
      if (buffer->place == CPU_KEPT)
        address = (char *)(uintptr_t)(program->kept ? program->kept : program->kept_view) + buffer->offset;
      if (buffer->place == CPU_ARENA) address = instance->arena + buffer->offset;
      if (buffer->place == CPU_CONSTANT) address = (void *)(uintptr_t)buffer->data;
      instance->pointers[step->pointer_start + k] = address;
    }
    for (uint32_t k = 0; k < step->body_count; k++) fill_pointers(program, &step->bodies[k], instance);
  }
}

static ten_status *instance_take(cpu_program *program, cpu_instance **out_instance) {
  ten_mutex_lock(&program->mutex);
  cpu_instance *instance = program->free;
  if (instance) program->free = instance->next;
  ten_mutex_unlock(&program->mutex);
  if (!instance) {
    const size_t bytes = program->plan.arena_bytes, pointers = (program->plan.pointer_count + 1) * sizeof(void *);
    instance = calloc(1, sizeof *instance);
    if (instance) instance->arena = memory_new(bytes);
    if (instance) instance->pointers = calloc(1, pointers);
    if (!instance || !instance->arena || !instance->pointers) {
      if (instance) free(instance->arena), free(instance->pointers);
      free(instance);
      return ten_error(TEN_LIMIT, "out of memory: %zu bytes could not be allocated for the values of the program",
                       bytes);
    }
    fill_pointers(program, &program->plan.init, instance);
    fill_pointers(program, &program->plan.body, instance);
  }
  *out_instance = instance;
  return NULL;
}

static void instance_give(cpu_program *program, cpu_instance *instance) {
  ten_mutex_lock(&program->mutex);
  instance->next = program->free;
  program->free = instance;
  ten_mutex_unlock(&program->mutex);
}

typedef struct launch {
  const cpu_step *step;
  void **args;
  int64_t begin, end, chunk;
} launch;

static void launch_chunk(void *context, int64_t i, unsigned thread) {
  const launch *l = context;
  const int64_t begin = l->begin + i * l->chunk, end = begin + l->chunk < l->end ? begin + l->chunk : l->end;
  l->step->function(l->args, l->step->descriptor, begin, end, thread);
}

/* Units [begin, end). Chunks depend on the step alone where they could matter; elements never depend on the chunk they
 * are in. */
static void launch_range(cpu_run *run, const cpu_step *step, void **args, int64_t begin, int64_t end) {
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

/* Whether the step waits for the product that comes next, to run beside it: where there are threads, and nobody wants
 * to know how long each of them takes. */
static bool goes_beside(const cpu_run *run, const cpu_body *body, size_t i) {
  if (!body->steps.data[i]->beside || !run->pool || run->program->observe || i + 1 == body->steps.count) return false;
  const cpu_step *next = body->steps.data[i + 1];
  return next->kind == CPU_GEMM && !((const cpu_gemm *)next->descriptor)->bf16;
}

static void run_gemm(cpu_run *run, const cpu_step *step, const cpu_step *held, void **args) {
  enum { PARTS = 16 };
  launch l = {.step = held};
  cpu_beside beside = {launch_chunk, &l, 0};
  if (held) {
    l.args = run->instance->pointers + held->pointer_start;
    l.end = held->count;
    l.chunk = (held->count + PARTS - 1) / PARTS;
    if (l.chunk < held->grain) l.chunk = held->grain;
    beside.count = (l.end + l.chunk - 1) / l.chunk;
  }
  cpu_gemm_run(run->program->kernels, step, held ? &beside : NULL, args, run->pool);
}

/* Packing a large constant goes in pieces, so that what was read can be given back in between. */
static void launch_step(cpu_run *run, const cpu_step *step, void **args) {
  const bool packs = step->kind == CPU_PACK_B || step->kind == CPU_PACK_CONV;
  int64_t each = step->count;
  if (packs && run->program->observe) {
    const cpu_plan *plan = &run->program->plan;
    const int64_t pieces = 1 + (int64_t)(plan->buffers.data[step->args.data[0]].bytes / PIECE);
    each = (step->count + pieces - 1) / pieces;
  }
  for (int64_t begin = 0; begin < step->count; begin += each) {
    const int64_t end = begin + each < step->count ? begin + each : step->count;
    launch_range(run, step, args, begin, end);
    if (end < step->count) run->program->observe(run->program, step, -1);
  }
}

/* The units of part i of `parts`, as even as can be. */
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

/* A loop with checks: a part that has no units has a result of its checks, too. */
static void launch_parts(cpu_run *run, const cpu_step *step, void **args) {
  launch l = {.step = step, .args = args};
  if (run->pool && step->parts > 1) {
    ten_pool_run(run->pool, launch_part, &l, step->parts);
    return;
  }
  for (int64_t i = 0; i < step->parts; i++) launch_part(&l, i, 0);
}

typedef struct pair {
  const cpu_step *first, *second;
  void **first_args, **second_args;
} pair;

/* A part of the second, which may have to wait for memory and has something to do meanwhile; then unit i of the first,
 * which finds it in the cache. */
static void pair_part(void *context, int64_t i, unsigned thread) {
  const pair *p = context;
  int64_t begin, end;
  part_units(p->second->count, p->first->count, i, &begin, &end);
  if (end > begin) p->second->function(p->second_args, p->second->descriptor, begin, end, thread);
  p->first->function(p->first_args, p->first->descriptor, i, i + 1, thread);
}

/* Whether the step and the next one run in turns; not where somebody wants to know how long each takes. */
static bool goes_paired(const cpu_run *run, const cpu_body *body, size_t i) {
  const cpu_step *step = body->steps.data[i], *next = i + 1 < body->steps.count ? body->steps.data[i + 1] : NULL;
  return step->paired && !run->program->observe && next && step->kind == CPU_LOOPS && next->kind == CPU_LOOPS &&
         step->count > 0 && step->function && next->function;
}

static void run_pair(cpu_run *run, const cpu_step *first, const cpu_step *second) {
  pair p = {first, second, run->instance->pointers + first->pointer_start,
            run->instance->pointers + second->pointer_start};
  if (run->pool) {
    ten_pool_run(run->pool, pair_part, &p, first->count);
    return;
  }
  for (int64_t i = 0; i < first->count; i++) pair_part(&p, i, 0);
}

static ten_status *run_body(cpu_run *run, const cpu_body *body);

static ten_status *run_while(cpu_run *run, const cpu_step *step, void **args) {
  for (;;) {
    TEN_TRY(run_body(run, &step->bodies[0]));
    if (!*(const uint8_t *)args[0]) return NULL;
    TEN_TRY(run_body(run, &step->bodies[1]));
  }
}

static ten_status *run_case(cpu_run *run, const cpu_step *step, void **args) {
  if (step->is_if) return run_body(run, &step->bodies[*(const uint8_t *)args[0] ? 0 : 1]);
  const int32_t index = *(const int32_t *)args[0];
  const uint32_t last = step->body_count - 1;
  return run_body(run, &step->bodies[index < 0 || (uint32_t)index > last ? last : (uint32_t)index]);
}

/* Addresses of a body as they are some turns later, or earlier. */
static void move_on(cpu_run *run, const cpu_body *body, int64_t turns) {
  for (size_t i = 0; i < body->steps.count; i++) {
    const cpu_step *step = body->steps.data[i];
    void **args = run->instance->pointers + step->pointer_start;
    for (size_t k = 0; k < step->args.count && step->advance; k++)
      if (step->advance[k]) args[k] = (char *)args[k] + turns * step->advance[k];
  }
}

static ten_status *run_chunks(cpu_run *run, const cpu_step *step) {
  ten_status *status = NULL;
  int64_t turns = 0;
  for (; turns < step->count && !status; turns++) {
    if (turns) move_on(run, &step->bodies[0], 1);
    status = run_body(run, &step->bodies[0]);
  }
  if (turns > 1) move_on(run, &step->bodies[0], 1 - turns); /* for the next call */
  return status;
}

static ten_status *run_body(cpu_run *run, const cpu_body *body) {
  const cpu_step *held = NULL;
  for (size_t i = 0; i < body->steps.count; i++) {
    const cpu_step *step = body->steps.data[i];
    if (goes_beside(run, body, i)) {
      held = step;
      continue;
    }
    if (goes_paired(run, body, i)) {
      run_pair(run, step, body->steps.data[++i]);
      continue;
    }
    void **args = run->instance->pointers + step->pointer_start;
    const double start = run->program->observe ? ten_clock() : 0;
    switch (step->kind) {
      case CPU_COPY:
        if (args[1] != args[0]) memcpy(args[1], args[0], step->copy_bytes);
        break;
      case CPU_WHILE: TEN_TRY(run_while(run, step, args)); break;
      case CPU_CASE: TEN_TRY(run_case(run, step, args)); break;
      case CPU_CHUNKS: TEN_TRY(run_chunks(run, step)); break;
      case CPU_ASSERT:
        if (!*(const uint8_t *)args[0])
          return ten_check_failed(step->descriptor, step->read_count > 1 ? args[1] : NULL);
        break;
      case CPU_HOST: TEN_TRY(run->program->host(run, step, args)); break;
      case CPU_GEMM:
        run_gemm(run, step, held, args);
        held = NULL;
        break;
      case CPU_CONV: cpu_conv_run(run->program->kernels, step, args, run->pool); break;
      case CPU_WGRAD: cpu_wgrad_run(run->program->kernels, step, args, run->pool); break;
      case CPU_ATTENTION: cpu_attention_run(run->program->kernels, step, args, run->pool); break;
      default:
        if (step->parts)
          launch_parts(run, step, args);
        else if (step->count > 0)
          launch_step(run, step, args);
        break;
    }
    if (run->program->observe && !step->body_count) run->program->observe(run->program, step, ten_clock() - start);
  }
  return NULL;
}

ten_status *cpu_load(cpu_program *program, void *const *code) {
  cpu_plan *plan = &program->plan;
  if (!program->kernels) program->kernels = ten_kernels_best();
  resolve(program, &plan->init, code);
  resolve(program, &plan->body, code);
  number_pointers(plan, &plan->init);
  number_pointers(plan, &plan->body);
  collect_patches(program, &plan->body);
  if (!program->threads || program->threads > plan->threads) program->threads = plan->threads;
  if (program->threads > 1 && (wants_threads(&plan->body) || wants_threads(&plan->init)))
    program->pool = ten_pool_create(program->threads);
  if (!plan->init.steps.count) return NULL;
  program->kept = memory_new(plan->kept_bytes);
  if (!program->kept)
    return ten_error(TEN_LIMIT, "out of memory: %zu bytes could not be allocated for the constants of the program",
                     plan->kept_bytes);
  cpu_run run = {.program = program, .pool = program->pool};
  TEN_TRY(instance_take(program, &run.instance));
  ten_status *status = run_body(&run, &plan->init);
  instance_give(program, run.instance);
  return status;
}

ten_status *cpu_call(cpu_program *program, interp_state *state, cpu_feed *feed, void *const *inputs,
                     void *const *outputs) {
  cpu_run run = {.program = program, .state = state, .feed = feed, .pool = state && state->grid ? NULL : program->pool};
  TEN_TRY(instance_take(program, &run.instance));
  for (size_t i = 0; i < program->patches.count; i++) {
    const cpu_patch *patch = &program->patches.data[i];
    const uint32_t update = patch->output ? UINT32_MAX : program->plan.updates[patch->index];
    run.instance->pointers[patch->pointer] = patch->output          ? outputs[patch->index]
                                             : update == UINT32_MAX ? inputs[patch->index]
                                                                    : outputs[update];
  }
  for (uint32_t i = 0; i < program->plan.input_count;
       i++) { /* updated where the output is: the same place, if given away */
    const uint32_t update = program->plan.updates[i];
    if (update != UINT32_MAX && inputs[i] != outputs[update])
      memcpy(outputs[update], inputs[i], program->plan.input_bytes[i]);
  }
  ten_status *status = run_body(&run, &program->plan.body);
  instance_give(program, run.instance);
  return status;
}

void cpu_unload(cpu_program *program) {
  while (program->free) {
    cpu_instance *instance = program->free;
    program->free = instance->next;
    free(instance->arena);
    free(instance->pointers);
    free(instance);
  }
  free(program->kept);
  ten_pool_destroy(program->pool);
  ten_vec_free(&program->patches);
  ten_mutex_destroy(&program->mutex);
}

static void free_body(cpu_body *body) {
  for (size_t i = 0; i < body->steps.count; i++) {
    cpu_step *step = body->steps.data[i];
    for (uint32_t k = 0; k < step->body_count; k++) free_body(&step->bodies[k]);
    ten_vec_free(&step->args);
    ten_vec_free(&step->inputs);
    ten_vec_free(&step->roots);
    ten_vec_free(&step->stages);
    ten_vec_free(&step->checks);
  }
  ten_vec_free(&body->steps);
}

void cpu_plan_release(cpu_plan *plan) {
  free_body(&plan->init);
  free_body(&plan->body);
  ten_vec_free(&plan->buffers);
  ten_arena_destroy(&plan->arena);
}
