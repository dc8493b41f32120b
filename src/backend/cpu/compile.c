/* compile.c: compiles a module's function: passes, plan, code generation, linking. */
#include "backend/cpu/backend.h"
#include "backend/cpu/cache/store.h"
#include "backend/cpu/choose/choose.h"
#include "backend/cpu/choose/tune.h"
#include "backend/cpu/codegen/cg.h"
#include "backend/cpu/codegen/llvm.h"
#include "backend/cpu/codegen/merge.h"
#include "backend/cpu/codegen/variants.h"
#include "backend/cpu/plan/plan.h"
#include "backend/cpu/run/release_weights.h"
#include "backend/settings.h"
#include "backend/shared.h"
#include "base/clock.h"
#include "base/environment.h"
#include "ir/text/text.h"
#include "ir/verify/verify.h"
#include "transform/pass/isolate.h"
#include "transform/pass/pass.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#define FIRST                                                                                             \
  &ten_pass_tuple, &ten_pass_chlo, &ten_pass_quantize, &ten_pass_expand, &ten_pass_unzip, &ten_pass_taps, \
      &ten_pass_simplify, &ten_pass_scan, &ten_pass_affine, &ten_pass_narrow, &ten_pass_associate,        \
      &ten_pass_merge_matmuls
#define LAST                                                                                                      \
  &ten_pass_volumes, &ten_pass_planar, &ten_pass_depthwise, &ten_pass_layout, &ten_pass_groups, &ten_pass_phases, \
      &ten_pass_windows, &ten_pass_byte_products, &ten_pass_integer_sums, &ten_pass_simplify, &ten_pass_cse,      \
      &ten_pass_dce, &ten_pass_gathers, &ten_pass_attention, &ten_pass_attention_grad, &ten_pass_derivative,      \
      &ten_pass_lookup, &ten_pass_round_once, &ten_pass_partial, &ten_pass_cse, &ten_pass_dce, &ten_pass_zip,     \
      &ten_pass_updates, NULL
enum { PASSES_MOST = 64 };
static const ten_pass *const pipeline[] = {FIRST, &ten_pass_fold, &ten_pass_flow, LAST};
/* A program without inputs is all constants: folding would run it in the interpreter, and all branches are decided. */
static const ten_pass *const pipeline_no_inputs[] = {FIRST, LAST};
/* Level 1: only what the steps need, and nothing that changes the order of summation. */
static const ten_pass *const pipeline_plain[] = {
    &ten_pass_tuple, &ten_pass_chlo, &ten_pass_quantize, &ten_pass_expand, &ten_pass_simplify, &ten_pass_dce, NULL};

/* The caller's settings, with the environment as default. */
static ten_status *read_settings(const ten_settings *settings, cpu_plan *plan) {
  ten_precision precision = settings->precision;
  if (precision == TEN_PRECISION_DEFAULT) TEN_TRY(ten_precision_parse(ten_env_text(TEN_ENV_PRECISION), &precision));
  plan->bf16 = precision == TEN_PRECISION_BF16;
  plan->exact_conv = settings->exact_conv || !ten_env_switch(TEN_ENV_WINOGRAD, true);
  plan->round_once = plan->module->from_torch && !plan->exact_conv;
  plan->plain = settings->level == 1;
  plan->verify_each = settings->verify_each;
  plan->phase = settings->phase;
  plan->phase_user = settings->phase_user;
  return NULL;
}

/* Leaves the function alone in a module, with calls inlined and static shapes: in a copy, unless the module is lent. */
static ten_status *isolate(ten_module *module, const ten_op *func, const ten_settings *settings,
                           ten_tensor *const *inputs, cpu_plan *plan) {
  ten_arena_init(&plan->arena);
  plan->module_lent = settings->module_lent && !inputs;
  if (plan->module_lent) {
    plan->module = module;
    plan->func = func;
    TEN_TRY(ten_isolate_in_place(module, (ten_op *)func));
  } else {
    ten_op *copy = NULL;
    ten_status *status = ten_isolate(module, func, inputs, &plan->module, &copy);
    plan->func = copy;
    if (status) return status;
  }
  plan->module->sizes_vary = settings->shared != NULL;
  return read_settings(settings, plan);
}

/* Passes have respected the barrier; its values have different shapes and fit no single loop. */
static ten_status *open_barrier(ten_op *op, void *context) {
  (void)context;
  if (op->code != TEN_OP_OPTIMIZATION_BARRIER) return NULL;
  for (uint32_t i = 0; i < op->result_count; i++) ten_value_replace(&op->results[i], ten_op_operand(op, i));
  ten_op_erase(op);
  return NULL;
}

/* Limits the grain of every step: TENFOLD_GRAIN=1 parallelizes everything possible, for tests. */
static void limit_grain(cpu_body *body, int64_t most) {
  for (size_t i = 0; i < body->steps.count; i++) {
    cpu_step *step = body->steps.data[i];
    if (step->grain > most) step->grain = most;
    for (uint32_t k = 0; k < step->body_count; k++) limit_grain(&step->bodies[k], most);
  }
}

/* Reports the phase that began at `start`. */
static void phase_done(const cpu_plan *plan, const char *name, double start) {
  if (plan->phase) plan->phase(plan->phase_user, name, ten_clock() - start);
}

static void after_pass(void *user, const ten_pass *pass, const ten_module *module, double seconds) {
  (void)module;
  const cpu_plan *plan = user;
  if (plan->phase) plan->phase(plan->phase_user, pass->name, seconds);
}

/* Skips a pass that the settings rule out: bf16 matmuls are faster than one call for the gradient of attention. */
static ten_status *run_passes(cpu_plan *plan, const ten_pass *const *passes) {
  _Static_assert(sizeof pipeline / sizeof *pipeline <= PASSES_MOST, "the longest pipeline");
  const ten_pass *wanted[PASSES_MOST];
  size_t count = 0;
  for (; *passes; passes++) {
    if (*passes == &ten_pass_attention_grad && plan->bf16) continue;
    if (*passes == &ten_pass_round_once && !plan->round_once) continue;
    wanted[count++] = *passes;
  }
  wanted[count] = NULL;
  const ten_pipeline_options options = {.after = after_pass, .user = plan, .verify_each = plan->verify_each};
  return ten_pipeline_run(wanted, plan->module, &options);
}

/* Runs passes, plans steps and memory. */
static ten_status *make_plan(cpu_plan *plan) {
  const bool has_inputs = ten_op_body(plan->func, 0)->arg_count > 0;
  TEN_TRY(run_passes(plan, plan->plain ? pipeline_plain : has_inputs ? pipeline : pipeline_no_inputs));
  const double start = ten_clock();
  TEN_TRY(ten_op_walk(plan->module->op, open_barrier, NULL));
  TEN_TRY(cpu_lower(plan));
  cpu_plan_hoist(plan);
  cpu_plan_direct(plan);
  cpu_plan_updates(plan);
  if (ten_env_switch(TEN_ENV_SCHEDULE, true)) cpu_plan_schedule(plan);
  cpu_plan_asserts(plan);
  const int64_t chunk = ten_env_number(TEN_ENV_CHUNK, -1);
  if (!plan->plain && !plan->whole_batches && chunk) cpu_plan_chunks(plan, chunk > 0 ? chunk : 0);
  cpu_plan_overlap(plan);
  cpu_plan_pairs(plan);
  cpu_find_ready(plan);
  const int64_t grain = ten_env_number(TEN_ENV_GRAIN, 0);
  if (grain) limit_grain(&plan->body, grain);
  TEN_TRY(cpu_plan_memory(plan));
  phase_done(plan, "plan", start);
  return NULL;
}

unsigned cpu_wanted_threads(void) { return (unsigned)ten_env_number(TEN_ENV_THREADS, (int64_t)ten_cpu_count()); }

ten_status *cpu_prepare(const ten_module *module, const ten_op *func, const ten_settings *settings,
                        ten_tensor *const *inputs, cpu_plan *plan) {
  TEN_RECOVER("compiling the program");
  ten_settings own = *settings;
  own.module_lent = false;
  TEN_TRY(isolate((ten_module *)module, func, &own, inputs, plan));
  plan->threads = cpu_wanted_threads();
  return make_plan(plan);
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

void cpu_plan_destroy(cpu_plan *plan) {
  free_body(&plan->init);
  free_body(&plan->body);
  ten_vec_free(&plan->buffers);
  ten_arena_destroy(&plan->arena);
  if (plan->module && !plan->module_lent) ten_module_destroy(plan->module);
}

static ten_status *flatten(const cpu_plan *plan, exec_program *out_program) {
  TEN_RECOVER("planning memory");
  return cpu_flatten(plan, out_program);
}

ten_status *cpu_plan_bytes(const ten_backend *self, const ten_module *module, const ten_op *func,
                           const ten_settings *settings, ten_memory *out_memory) {
  (void)self;
  cpu_plan plan = {0};
  exec_program program;
  exec_program_init(&program);
  ten_status *status = cpu_prepare(module, func, settings, NULL, &plan);
  if (!status) status = flatten(&plan, &program);
  *out_memory = status ? (ten_memory){0} : cpu_memory_of(&program);
  exec_program_free(&program);
  cpu_plan_destroy(&plan);
  return status;
}

/* Registers this code for other sizes. `compiled`: machine code is generated of it. */
static void note_code(const cpu_plan *plan, ten_cg *cg, const ten_settings *settings, bool compiled) {
  ten_shared *shared = settings->shared;
  ten_shared_lock(shared);
  cpu_variants_note(cpu_variants_of(shared), cg, settings, plan->symbol_count);
  shared->compilations += compiled;
  ten_shared_unlock(shared);
}

static ten_status *compile_code(cpu_plan *plan, const ten_cpu_target *target, const ten_settings *settings,
                                ten_buf *object) {
  ten_cg *cg = NULL;
  TEN_TRY(cg_create(plan->module, plan->value_count, &cg));
  cg->target = target;
  cg->open = settings->shared != NULL;
  double start = ten_clock();
  ten_status *status = cpu_generate(plan, cg);
  if (!status && settings->shared) note_code(plan, cg, settings, true);
  if (!status) cg_merge(cg);
  if (!status) phase_done(plan, "generate LLVM IR", start);
  start = ten_clock();
  if (!status) status = ten_jit_optimise(cg->module, target);
  if (!status) phase_done(plan, "optimize LLVM IR", start);
  start = ten_clock();
  if (!status) status = ten_jit_compile(cg->module, target, false, object);
  if (!status) phase_done(plan, "emit machine code", start);
  cg_destroy(cg);
  return status;
}

static ten_status *learn_plan(cpu_plan *plan, const ten_settings *settings) {
  ten_cg *cg = NULL;
  ten_cpu_target target = {0};
  TEN_TRY(ten_cpu_target_host(&target));
  ten_status *status = cg_create(plan->module, plan->value_count, &cg);
  if (!status) {
    cg->target = &target;
    cg->open = true;
    status = cpu_generate(plan, cg);
    if (!status) note_code(plan, cg, settings, false);
    cg_destroy(cg);
  }
  ten_cpu_target_free(&target);
  return status;
}

ten_status *cpu_learn(const ten_backend *self, const ten_module *module, const ten_op *func,
                      const ten_settings *settings) {
  (void)self;
  cpu_plan plan = {0};
  ten_status *status = cpu_prepare(module, func, settings, NULL, &plan);
  if (!status && cpu_needs_code(&plan)) status = learn_plan(&plan, settings);
  cpu_plan_destroy(&plan);
  return status;
}

static ten_status *show_code(cpu_plan *plan, const char *stage, ten_buf *out) {
  ten_cg *cg = NULL;
  ten_cpu_target target = {0};
  TEN_TRY(ten_cpu_target_host(&target));
  TEN_TRY(cg_create(plan->module, plan->value_count, &cg));
  cg->target = &target;
  ten_status *status = cpu_generate(plan, cg);
  if (!status) cg_merge(cg);
  if (!status) status = ten_jit_optimise(cg->module, &target);
  if (!status && !strcmp(stage, "asm")) {
    status = ten_jit_compile(cg->module, &target, true, out);
  } else if (!status) {
    char *text = LLVMPrintModuleToString(cg->module);
    ten_buf_adds(out, text);
    LLVMDisposeMessage(text);
  }
  cg_destroy(cg);
  ten_cpu_target_free(&target);
  return status;
}

ten_status *cpu_show(const ten_backend *self, const ten_module *module, const ten_op *func,
                     const ten_settings *settings, const char *stage, ten_buf *out) {
  (void)self;
  cpu_plan plan = {.explain = !strcmp(stage, "choice")};
  ten_status *status = cpu_prepare(module, func, settings, NULL, &plan);
  if (!status) {
    if (!strcmp(stage, "passes"))
      ten_text_print(out, plan.module, NULL);
    else if (!strcmp(stage, "choice"))
      cpu_choices_print(&plan, out);
    else if (!strcmp(stage, "plan") || !strcmp(stage, "fused"))
      cpu_plan_print(&plan, out);
    else
      status = show_code(&plan, stage, out);
  }
  cpu_plan_destroy(&plan);
  return status;
}

static double seconds(void) {
  struct timespec time;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

static const double worth_keeping = 0.02; /* seconds of compiling: faster results are not cached on disk */

enum { LARGE = 1 << 26 }; /* program bytes from which LLVM's memory is freed before the program's is allocated */

/* Where passes are verified, the compiler's output is also checked like a file's. */
static ten_status *verify_flat(const cpu_plan *plan, exec_loaded *loaded) {
  if (!plan->verify_each && !ten_env_switch(TEN_ENV_VERIFY_EACH, false)) return NULL;
  loaded->kernels = ten_kernels_best();
  const char *wrong = exec_check(loaded);
  return wrong ? ten_op_error(plan->func, TEN_INTERNAL, "the compiled program has %s", wrong) : NULL;
}

/* Makes the flat program of a plan. The module, unless it is lent, is kept for HOST steps and freed otherwise: of a
 * large model it is megabytes. */
static ten_status *take_plan(cpu_plan *plan, cpu_executable *executable) {
  TEN_TRY(cpu_flatten(plan, &executable->exec.program));
  TEN_TRY(verify_flat(plan, &executable->exec));
  if (plan->module_lent) return NULL;
  if (plan->has_host)
    executable->module = plan->module;
  else {
    cpu_keep_constants(plan->module, &executable->exec.program);
    ten_module_destroy(plan->module);
  }
  plan->module = NULL;
  return NULL;
}

static ten_status *load_plan(cpu_plan *plan, ten_str code, cpu_executable *executable) {
  TEN_TRY(take_plan(plan, executable));
  return cpu_load_code(executable, code);
}

/* Whether another size was compiled before: its generated code is shared. */
static bool is_begun(ten_shared *shared) {
  if (!shared) return false;
  ten_shared_lock(shared);
  const bool begun = cpu_variants_begun(cpu_variants_of(shared));
  ten_shared_unlock(shared);
  return begun;
}

static ten_status *link_shared(cpu_plan *plan, ten_cg *cg, const ten_settings *settings, exec_program *program,
                               cpu_linked **out_linked) {
  TEN_RECOVER("generating code");
  TEN_TRY(cpu_generate(plan, cg));
  bool compiled = false;
  *out_linked = ten_alloc((plan->symbol_count + 1) * sizeof **out_linked);
  ten_shared *shared = settings->shared;
  ten_shared_lock(shared);
  ten_status *status = cpu_variants_link(cpu_variants_of(shared), cg, settings, plan->symbol_count, &program->arena,
                                         *out_linked, &compiled);
  shared->compilations += compiled;
  ten_shared_unlock(shared);
  if (!status && compiled && !settings->transient) cpu_sizes_store(shared);
  return status;
}

/* Compiles with the code of other sizes. */
static ten_status *compile_shared(cpu_plan *plan, const ten_settings *settings, cpu_executable *executable) {
  ten_cpu_target target = {0};
  ten_cg *cg = NULL;
  const double start = ten_clock();
  ten_shared_lock(settings->shared);
  ten_status *status = cpu_variants_target(cpu_variants_of(settings->shared), &target);
  ten_shared_unlock(settings->shared);
  if (!status) status = cg_create(plan->module, plan->value_count, &cg);
  cpu_linked *linked = NULL;
  if (!status) {
    cg->target = &target;
    cg->open = true;
    status = link_shared(plan, cg, settings, &executable->exec.program, &linked);
    cg_destroy(cg);
  }
  ten_cpu_target_free(&target);
  if (!status) phase_done(plan, "link shared code", start);
  if (!status) status = take_plan(plan, executable);
  if (!status) status = cpu_load_linked(executable, linked);
  free(linked);
  return status;
}

/* Compiles the plan's module; for this machine if `target` is empty, which is then filled in if anything
 * was generated. */
static ten_status *compile_into(cpu_plan *plan, ten_cpu_target *target, cpu_executable *executable, ten_buf *object) {
  TEN_TRY(make_plan(plan));
  const ten_settings *settings = &executable->settings;
  if (executable->source && !settings->held_count) cpu_release_sources(executable->source);
  if (!target->triple && !cpu_needs_code(plan)) return load_plan(plan, (ten_str){0}, executable);
  if (is_begun(settings->shared)) return compile_shared(plan, settings, executable);
  if (!target->triple) TEN_TRY(ten_cpu_target_host(target));
  TEN_TRY(compile_code(plan, target, settings, object));
  if (plan->hoisted_bytes + plan->arena_bytes >= LARGE) ten_llvm_release_pages();
  return load_plan(plan, (ten_str){object->data, object->size}, executable);
}

/* Writes the program to the cache, on a separate thread when it is large. */
static void store(cpu_executable *executable, const ten_cpu_target *target, const cpu_cache_key *key, ten_buf *code) {
  cpu_object object = {0};
  cpu_object_write(&executable->exec, target, (ten_str){code->data, code->size}, &object);
  executable->storing = cpu_cache_store(key, &object, code);
  cpu_object_free(&object);
}

static void count_size(ten_shared *shared) {
  if (!shared) return;
  ten_shared_lock(shared);
  shared->sizes++;
  ten_shared_unlock(shared);
}

static ten_status *compile_or_find(ten_module *source, const ten_op *func, const ten_settings *settings,
                                   ten_tensor *const *inputs, cpu_plan *plan, cpu_executable **out_executable) {
  TEN_RECOVER("compiling the program");
  TEN_TRY(isolate(source, func, settings, inputs, plan));
  plan->threads = cpu_wanted_threads();
  const double start = seconds();
  const bool alone = settings->transient || is_begun(settings->shared);
  const cpu_cache_key key = alone ? (cpu_cache_key){0} : cpu_cache_key_of(plan);
  *out_executable = cpu_cache_find(&key);
  if (*out_executable) {
    (*out_executable)->source = source;
    (*out_executable)->settings = *settings;
    ten_shared_retain(settings->shared);
    ten_workspace_retain(settings->workspace);
    cpu_lend_memory(*out_executable);
    cpu_release_sources(source);
    return NULL;
  }
  *out_executable = cpu_executable_create(source, settings);
  ten_buf code = {0};
  ten_cpu_target target = {0};
  ten_status *status = compile_into(plan, &target, *out_executable, &code);
  if (!status && target.triple && key.usable && !plan->has_host && seconds() - start >= worth_keeping &&
      cpu_cache_key_holds(source))
    store(*out_executable, &target, &key, &code);
  ten_buf_free(&code);
  ten_cpu_target_free(&target);
  return status;
}

ten_status *cpu_compile_for(ten_module *module, const ten_op *func, const ten_settings *settings,
                            ten_tensor *const *inputs, ten_executable **out_executable) {
  cpu_plan plan = {0};
  cpu_executable *executable = NULL;
  ten_status *status = compile_or_find(module, func, settings, inputs, &plan, &executable);
  cpu_plan_destroy(&plan);
  if (executable) { /* what held for this call */
    executable->settings.open_sizes = NULL;
    executable->settings.open_count = 0;
    executable->settings.held = NULL;
    executable->settings.held_count = 0;
    executable->settings.module_lent = false;
  }
  if (!status) count_size(settings->shared);
  if (!status)
    *out_executable = &executable->base;
  else if (executable)
    cpu_destroy(&executable->base);
  return status;
}

/* Measures kernels on a separate plan, made without tuning. */
static ten_status *tune(ten_module *module, const ten_op *func, const ten_settings *settings, cpu_tuning *tuning) {
  cpu_plan plan = {.whole_batches = true}; /* kernels are tuned for these */
  ten_status *status = cpu_prepare(module, func, settings, NULL, &plan);
  if (!status) cpu_tune(&plan, tuning);
  cpu_plan_destroy(&plan);
  return status;
}

static ten_status *compile_plain(cpu_executable *executable, const ten_op *func, ten_cpu_target *target,
                                 cpu_tuning *tuning, cpu_plan *plan, ten_buf *code) {
  TEN_RECOVER("compiling the program");
  TEN_TRY(isolate(executable->source, func, &executable->settings, NULL, plan));
  plan->threads = cpu_wanted_threads();
  TEN_TRY(compile_into(plan, target, executable, code));
  return tuning ? cpu_tune_loops(executable, tuning) : NULL;
}

ten_status *cpu_compile_whole(ten_module *module, const ten_op *func, const ten_settings *settings,
                              ten_cpu_target *target, cpu_tuning *tuning, cpu_executable **out_executable,
                              ten_buf *code) {
  if (tuning && !tuning->choices.count) TEN_TRY(tune(module, func, settings, tuning));
  cpu_plan plan = {.tuning = tuning};
  cpu_executable *executable = cpu_executable_create(module, settings);
  ten_status *status = compile_plain(executable, func, target, tuning, &plan, code);
  cpu_plan_destroy(&plan);
  if (status)
    cpu_destroy(&executable->base);
  else
    *out_executable = executable;
  return status;
}

ten_status *cpu_save(const ten_backend *self, ten_module *module, const ten_op *func, const ten_settings *settings,
                     ten_tuning *tuning, ten_buf *out) {
  (void)self;
  cpu_tuning measured = {0};
  cpu_executable *executable = NULL;
  ten_cpu_target target = {0};
  ten_buf code = {0};
  cpu_object object = {0};
  ten_status *status = ten_cpu_target_host(&target);
  if (!status)
    status = cpu_compile_whole(module, func, settings, &target, tuning ? &measured : NULL, &executable, &code);
  if (!status) status = cpu_check_storable(executable);
  if (!status) {
    size_t count = 0;
    cpu_object_write(&executable->exec, &target, (ten_str){code.data, code.size}, &object);
    cpu_object_seal(&object, NULL);
    ten_str *parts = cpu_object_parts(&object, &count);
    for (size_t i = 0; i < count; i++) ten_buf_add(out, parts[i].data, parts[i].size);
    free(parts);
  }
  ten_buf_free(&code);
  cpu_object_free(&object);
  ten_cpu_target_free(&target);
  if (executable) cpu_destroy(&executable->base);
  if (tuning) cpu_tuning_report(&measured, tuning);
  cpu_tuning_free(&measured);
  return status;
}
