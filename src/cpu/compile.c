/* compile.c: a module's function through passes, plan, code and linking; and the backend's row. */
#include "cpu/codegen/cg.h"
#include "cpu/forget.h"
#include "cpu/llvm.h"
#include "cpu/object.h"
#include "cpu/program.h"
#include "cpu/stages.h"
#include "cpu/tune.h"
#include "ir/text/text.h"
#include "ir/verify/verify.h"
#include "pass/pass.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#define FIRST                                                                                             \
  &ten_pass_tuple, &ten_pass_chlo, &ten_pass_quantize, &ten_pass_expand, &ten_pass_unzip, &ten_pass_taps, \
      &ten_pass_simplify, &ten_pass_scan, &ten_pass_affine, &ten_pass_narrow, &ten_pass_associate
#define LAST                                                                                                    \
  &ten_pass_planar, &ten_pass_depthwise, &ten_pass_layout, &ten_pass_phases, &ten_pass_simplify, &ten_pass_cse, \
      &ten_pass_dce, &ten_pass_attention, &ten_pass_attention_grad, &ten_pass_derivative, &ten_pass_lookup,     \
      &ten_pass_round_once, &ten_pass_cse, &ten_pass_dce, NULL
static const ten_pass *const pipeline[] = {FIRST, &ten_pass_fold, &ten_pass_flow, LAST};
/* A program without inputs is all constants: folding would be running it in the interpreter, and every choice is
 * decided. */
static const ten_pass *const pipeline_no_inputs[] = {FIRST, LAST};
/* Level 1: what the steps need, and nothing that changes the order of sums. */
static const ten_pass *const pipeline_plain[] = {
    &ten_pass_tuple, &ten_pass_chlo, &ten_pass_quantize, &ten_pass_expand, &ten_pass_simplify, &ten_pass_dce, NULL};

static const char precision_name[] = "tenfold.precision", exact_conv_name[] = "tenfold.exact_conv",
                  level_name[] = "tenfold.opt_level", passing_name[] = "tenfold.passing",
                  round_once_name[] = "tenfold.round_once";

ten_status *ten_cpu_settings(ten_module *module, const char *precision, bool exact_conv) {
  const bool bf16 = precision && !strcmp(precision, "bf16");
  if (precision && !bf16 && strcmp(precision, "f32"))
    return ten_error(TEN_INVALID, "there is no precision '%s': f32 and bf16 there are", precision);
  if (bf16)
    ten_op_set_attr(module, module->op, ten_str_of(precision_name), ten_attr_string(module, ten_str_of(precision)));
  if (exact_conv) ten_op_set_attr(module, module->op, ten_str_of(exact_conv_name), ten_attr_unit(module));
  return NULL;
}

ten_status *ten_cpu_set_level(ten_module *module, int level) {
  if (level < 1 || level > 3) return ten_error(TEN_INVALID, "there is no level %d: 1, 2 and 3 there are", level);
  if (level < 3) {
    ten_op_set_attr(module, module->op, ten_str_of(level_name), ten_attr_i64(module, level));
    return ten_cpu_settings(module, NULL, true);
  }
  return NULL;
}

void ten_cpu_set_passing(ten_module *module) {
  ten_op_set_attr(module, module->op, ten_str_of(passing_name), ten_attr_unit(module));
}

/* The copy in `module` of a function of another module: same names all the way in. */
static ten_op *find_copy(const ten_op *root, const ten_op *func) {
  const ten_op *parent = ten_op_parent(func);
  const ten_op *scope = parent && ten_op_parent(parent) ? find_copy(root, parent) : root;
  return scope ? ten_symbol_find(scope, ten_attr_as_string(ten_op_attr(func, "sym_name"))) : NULL;
}

/* Only what `func` needs is compiled: every other function goes once its body has been copied to where it was called.
 */
static void keep_only(ten_op *scope, const ten_op *func) {
  for (ten_op *op = ten_op_body(scope, 0)->first, *next; op; op = next) {
    next = op->next;
    bool around = false;
    for (const ten_op *at = func; at; at = ten_op_parent(at)) around |= at == op;
    if (!around)
      ten_op_erase(op);
    else if (op->code == TEN_OP_MODULE)
      keep_only(op, func);
  }
}

static ten_status *look_for_dynamic(ten_op *op, void *found) {
  for (uint32_t i = 0; i < op->result_count; i++)
    if (ten_type_is_tensor(op->results[i].type) && !ten_type_is_static(op->results[i].type)) *(bool *)found = true;
  if (ten_str_starts(op->name, "stablehlo.dynamic_") && op->code != TEN_OP_DYNAMIC_SLICE &&
      op->code != TEN_OP_DYNAMIC_UPDATE_SLICE)
    *(bool *)found = true;
  if (op->code == TEN_OP_REAL_DYNAMIC_SLICE) *(bool *)found = true;
  return NULL;
}

/* Shapes that the inputs decide, for these inputs. */
static ten_status *refine(ten_module *module, ten_op *func, ten_tensor *const *inputs) {
  bool found = inputs != NULL;
  TEN_TRY(ten_op_walk(func, look_for_dynamic, &found));
  if (!found) return NULL;
  const ten_type *type = ten_func_type(func);
  const ten_type **types = ten_arena_new_array(&module->arena, const ten_type *, type->input_count);
  for (uint32_t i = 0; i < type->input_count; i++) {
    types[i] = ten_type_import(module, type->inputs[i]);
    if (inputs && ten_type_is_tensor(types[i]))
      types[i] = ten_type_with_shape(module, types[i], inputs[i]->rank, inputs[i]->dims);
  }
  ten_op_remove_attr(func, "sym_visibility");
  return ten_refine_shapes(module, types, type->input_count);
}

/* What the caller asked for, or the environment does: attributes of the module, so that the key of a program holds
 * them.
 */
static ten_status *read_settings(cpu_plan *plan) {
  const ten_op *top = plan->module->op;
  const char *winograd = getenv("TENFOLD_WINOGRAD");
  const bool asked = ten_op_attr(top, precision_name) != NULL;
  TEN_TRY(
      ten_cpu_settings(plan->module, asked ? NULL : getenv("TENFOLD_PRECISION"), winograd && !strcmp(winograd, "0")));
  plan->bf16 = ten_str_is(ten_attr_as_string(ten_op_attr(top, precision_name)), "bf16");
  plan->exact_conv = ten_op_attr(top, exact_conv_name) != NULL;
  if (plan->module->round_once && !plan->exact_conv)
    ten_op_set_attr(plan->module, plan->module->op, ten_str_of(round_once_name), ten_attr_unit(plan->module));
  return NULL;
}

/* The function alone in a module of its own, with everything it calls inside it and its shapes known. */
static ten_status *isolate(const ten_module *module, const ten_op *func, ten_tensor *const *inputs, cpu_plan *plan) {
  ten_arena_init(&plan->arena);
  plan->module = ten_module_clone_view(module);
  TEN_TRY(read_settings(plan));
  ten_op *copy = find_copy(plan->module->op, func);
  if (!copy) return ten_op_error(func, TEN_INTERNAL, "the function was lost in copying");
  plan->func = copy;
  TEN_TRY(ten_inline_function(plan->module, copy));
  keep_only(plan->module->op, copy);
  TEN_TRY(refine(plan->module, copy, inputs));
  return NULL;
}

/* What a barrier keeps apart has been kept apart by the passes; its values are of many shapes, no one loop's. */
static ten_status *open_barrier(ten_op *op, void *context) {
  (void)context;
  if (op->code != TEN_OP_OPTIMIZATION_BARRIER) return NULL;
  for (uint32_t i = 0; i < op->result_count; i++) ten_value_replace(&op->results[i], ten_op_operand(op, i));
  ten_op_erase(op);
  return NULL;
}

/* No more than so much is done in one go, of any step: TENFOLD_GRAIN=1 shares out all that can be, for tests. */
static void limit_grain(cpu_body *body, int64_t most) {
  for (size_t i = 0; i < body->steps.count; i++) {
    cpu_step *step = body->steps.data[i];
    if (step->grain > most) step->grain = most;
    for (uint32_t k = 0; k < step->body_count; k++) limit_grain(&step->bodies[k], most);
  }
}

/* Passes, steps, memory. */
static ten_status *make_plan(cpu_plan *plan) {
  const bool has_inputs = ten_op_body(plan->func, 0)->arg_count > 0;
  const bool plain = ten_attr_as_int(ten_op_attr(plan->module->op, level_name), 3) == 1;
  TEN_TRY(ten_pipeline_run(plain ? pipeline_plain : has_inputs ? pipeline : pipeline_no_inputs, plan->module, NULL));
  TEN_TRY(ten_op_walk(plan->module->op, open_barrier, NULL));
  TEN_TRY(cpu_lower(plan));
  cpu_plan_kept(plan);
  cpu_plan_direct(plan);
  cpu_plan_updates(plan);
  const char *schedule = getenv("TENFOLD_SCHEDULE"); /* "off": as the program was written, to compare */
  if (!schedule || strcmp(schedule, "off")) cpu_plan_schedule(plan);
  const char *chunk = getenv("TENFOLD_CHUNK"); /* images at a time, 0: the whole batch; to compare, and for tests */
  if (!plain && !plan->whole_batches && (!chunk || atoi(chunk) > 0)) cpu_plan_chunks(plan, chunk ? atoi(chunk) : 0);
  cpu_plan_beside(plan);
  cpu_find_ready(plan);
  const char *grain = getenv("TENFOLD_GRAIN");
  if (grain && atoi(grain) > 0) limit_grain(&plan->body, atoi(grain));
  return cpu_plan_memory(plan);
}

static unsigned thread_count(void) {
  const char *wanted = getenv("TENFOLD_THREADS");
  return wanted && atoi(wanted) > 0 ? (unsigned)atoi(wanted) : (unsigned)ten_cpu_count();
}

ten_status *cpu_prepare(const ten_module *module, const ten_op *func, ten_tensor *const *inputs, cpu_plan *plan) {
  TEN_TRY(isolate(module, func, inputs, plan));
  plan->threads = thread_count();
  return make_plan(plan);
}

void cpu_plan_destroy(cpu_plan *plan) {
  cpu_plan_release(plan);
  if (plan->module) ten_module_destroy(plan->module);
}

static ten_status *compile_code(cpu_plan *plan, const ten_cpu_target *target, ten_buf *object) {
  ten_cg *cg = NULL;
  TEN_TRY(cg_create(plan->module, plan->value_count, &cg));
  cg->target = target;
  ten_status *status = cpu_generate(plan, cg);
  if (!status) status = ten_jit_optimise(cg->module, target);
  if (!status) status = ten_jit_compile(cg->module, target, false, object);
  cg_destroy(cg);
  return status;
}

static ten_status *show_code(cpu_plan *plan, const char *stage, ten_buf *out) {
  ten_cg *cg = NULL;
  ten_cpu_target target = {0};
  TEN_TRY(ten_cpu_target_host(&target));
  TEN_TRY(cg_create(plan->module, plan->value_count, &cg));
  cg->target = &target;
  ten_status *status = cpu_generate(plan, cg);
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

ten_status *ten_cpu_show(const ten_module *module, const ten_op *func, const char *stage, ten_buf *out) {
  cpu_plan plan = {0};
  ten_status *status = cpu_prepare(module, func, NULL, &plan);
  if (!status) {
    if (!strcmp(stage, "passes"))
      ten_text_print(out, plan.module, NULL);
    else if (!strcmp(stage, "plan") || !strcmp(stage, "fused"))
      cpu_plan_print(&plan, out);
    else
      status = show_code(&plan, stage, out);
  }
  cpu_plan_destroy(&plan);
  return status;
}

static ten_cpu_bytes bytes_of(const cpu_plan *plan) {
  ten_cpu_bytes bytes = {.work = plan->arena_bytes + plan->kept_bytes};
  for (uint32_t i = 0; i < plan->input_count; i++) bytes.arguments += ten_type_bytes(plan->input_types[i]);
  for (uint32_t k = 0; k < plan->output_count; k++) {
    bool in_place = false;
    for (uint32_t i = 0; i < plan->input_count; i++) in_place |= plan->updates[i] == k;
    if (!in_place) bytes.results += ten_type_bytes(plan->output_types[k]);
  }
  return bytes;
}

ten_status *ten_cpu_plan_bytes(const ten_module *module, const ten_op *func, ten_cpu_bytes *out_bytes) {
  cpu_plan plan = {0};
  ten_status *status = cpu_prepare(module, func, NULL, &plan);
  *out_bytes = status ? (ten_cpu_bytes){0} : bytes_of(&plan);
  cpu_plan_destroy(&plan);
  return status;
}

static double seconds(void) {
  struct timespec time;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

static const double worth_keeping =
    0.02; /* seconds of compiling: what is made faster than that is not written to disk */

enum { LARGE = 1 << 26 }; /* bytes of a program: from there on those of LLVM are given back before its own are taken */

/* Compiles what `program` holds in its plan's module so far; for this machine where `target` is empty, which is then
 * filled in if anything had to be generated. */
static ten_status *compile_into(cpu_program *program, ten_cpu_target *target, ten_buf *object) {
  TEN_TRY(make_plan(&program->plan));
  if (program->source) cpu_forget_sources(program->source);
  if (!target->triple && !cpu_needs_code(&program->plan)) return cpu_load_code(program, (ten_str){0});
  if (!target->triple) TEN_TRY(ten_cpu_target_host(target));
  TEN_TRY(compile_code(&program->plan, target, object));
  if (program->plan.kept_bytes + program->plan.arena_bytes >= LARGE) ten_llvm_forget();
  return cpu_load_code(program, (ten_str){object->data, object->size});
}

static cpu_program *program_new(ten_module *module) {
  cpu_program *program = ten_alloc(sizeof *program);
  memset(program, 0, sizeof *program);
  program->source = module;
  ten_mutex_init(&program->mutex);
  return program;
}

static ten_status *compile_or_find(cpu_program **program, const ten_op *func, ten_tensor *const *inputs) {
  cpu_plan *plan = &(*program)->plan;
  TEN_TRY(isolate((*program)->source, func, inputs, plan));
  plan->threads = thread_count();
  const double start = seconds();
  const bool passing = ten_op_attr(plan->module->op, passing_name) != NULL; /* nobody will look for it again */
  const cpu_cache_key key = passing ? (cpu_cache_key){0} : cpu_cache_key_of(plan->module, plan->threads);
  cpu_program *found = passing ? NULL : cpu_cache_find(key);
  if (found) {
    found->source = (*program)->source;
    cpu_forget_sources(found->source);
    cpu_destroy(&(*program)->base);
    *program = found;
    return NULL;
  }
  ten_buf code = {0};
  cpu_object object = {0};
  ten_cpu_target target = {0};
  ten_status *status = compile_into(*program, &target, &code);
  if (!status && target.triple && !passing && !plan->has_host && seconds() - start >= worth_keeping) {
    ten_status *written = cpu_object_write(*program, &target, (ten_str){code.data, code.size}, &object);
    if (!written) (*program)->storing = cpu_cache_store(key, &object, &code);
    ten_status_free(written);
  }
  ten_buf_free(&code);
  cpu_object_free(&object);
  ten_cpu_target_free(&target);
  return status;
}

ten_status *cpu_compile_for(ten_module *module, const ten_op *func, ten_tensor *const *inputs,
                            ten_executable **out_executable) {
  cpu_program *program = program_new(module);
  ten_status *status = compile_or_find(&program, func, inputs);
  if (status) {
    cpu_destroy(&program->base);
    return status;
  }
  *out_executable = &program->base;
  return NULL;
}

/* What is best is found out on a plan of its own, made without knowing. */
static ten_status *tune(ten_module *module, const ten_op *func, cpu_tuning *tuning) {
  cpu_plan plan = {.whole_batches = true}; /* kernels are chosen for those */
  ten_status *status = cpu_prepare(module, func, NULL, &plan);
  if (!status) cpu_tune(&plan, tuning);
  cpu_plan_destroy(&plan);
  return status;
}

ten_status *cpu_compile_whole(ten_module *module, const ten_op *func, ten_cpu_target *target, cpu_tuning *tuning,
                              cpu_program **out_program, ten_buf *code) {
  if (tuning && !tuning->choices.count) TEN_TRY(tune(module, func, tuning));
  cpu_program *program = program_new(module);
  ten_status *status = isolate(module, func, NULL, &program->plan);
  program->plan.threads = thread_count();
  program->plan.tuning = tuning;
  if (!status) status = compile_into(program, target, code);
  if (!status && tuning) status = cpu_tune_loops(program, tuning);
  program->plan.tuning = NULL;
  if (status)
    cpu_destroy(&program->base);
  else
    *out_program = program;
  return status;
}

ten_status *ten_cpu_compile_file(ten_module *module, const ten_op *func, cpu_tuning *tuning, ten_buf *out) {
  cpu_program *program = NULL;
  ten_cpu_target target = {0};
  ten_buf code = {0};
  cpu_object object = {0};
  ten_status *status = ten_cpu_target_host(&target);
  if (!status) status = cpu_compile_whole(module, func, &target, tuning, &program, &code);
  if (!status) status = cpu_object_write(program, &target, (ten_str){code.data, code.size}, &object);
  if (!status) {
    size_t count = 0;
    ten_str *parts = cpu_object_parts(&object, &count);
    for (size_t i = 0; i < count; i++) ten_buf_add(out, parts[i].data, parts[i].size);
    free(parts);
  }
  ten_buf_free(&code);
  cpu_object_free(&object);
  ten_cpu_target_free(&target);
  if (program) cpu_destroy(&program->base);
  return status;
}

/* A function whose shapes are not all known is compiled when it is called, once for each set of shapes. */
static ten_status *compile(const ten_backend *self, ten_module *module, const ten_op *func,
                           ten_executable **out_executable) {
  (void)self;
  const ten_type *type = ten_func_type(func);
  for (uint32_t i = 0; i < type->input_count; i++)
    if (ten_type_is_tensor(type->inputs[i]) && !ten_type_is_static(type->inputs[i])) {
      *out_executable = cpu_shapes_create(module);
      return NULL;
    }
  return cpu_compile_for(module, func, NULL, out_executable);
}

extern const ten_backend ten_cpu_backend;

ten_status *ten_cpu_open(const char *path, ten_executable **out_executable) {
  *out_executable = NULL;
  ten_file file;
  TEN_TRY(ten_file_map(path, &file));
  cpu_program *program = NULL;
  ten_status *status = cpu_object_read(file.data, file.size, path, &program);
  if (status) {
    ten_file_unmap(&file);
    return status;
  }
  program->file = file;
  program->base.backend = &ten_cpu_backend;
  *out_executable = &program->base;
  return NULL;
}

ten_status *ten_cpu_read(const void *data, size_t size, const char *name, ten_executable **out_executable) {
  *out_executable = NULL;
  cpu_program *program = NULL;
  TEN_TRY(cpu_object_read(data, size, name, &program));
  program->base.backend = &ten_cpu_backend;
  *out_executable = &program->base;
  return NULL;
}

bool ten_cpu_in_place(const ten_executable *executable, uint32_t input, uint32_t output) {
  const cpu_program *program = (const cpu_program *)executable;
  return executable->backend == &ten_cpu_backend && !program->shapes && program->plan.updates[input] == output;
}

bool ten_cpu_is_plain(const ten_executable *executable) {
  const cpu_program *program = (const cpu_program *)executable;
  return executable->backend == &ten_cpu_backend && !program->shapes && !program->plan.has_host;
}

bool ten_cpu_executable_bytes(const ten_executable *executable, ten_cpu_bytes *out_bytes) {
  const cpu_program *program = (const cpu_program *)executable;
  if (executable->backend != &ten_cpu_backend || program->shapes) return false;
  *out_bytes = bytes_of(&program->plan);
  return true;
}

ten_status *ten_cpu_call(ten_executable *executable, void *const *inputs, void *const *outputs) {
  static const ten_run_options none;
  interp_state state = {.options = &none};
  return cpu_call((cpu_program *)executable, &state, NULL, inputs, outputs);
}

void ten_cpu_share(ten_executable *executable, void (*task)(void *context, int64_t i, unsigned thread), void *context,
                   int64_t count) {
  ten_pool_run(executable->backend == &ten_cpu_backend ? ((cpu_program *)executable)->pool : NULL, task, context,
               count);
}

static ten_status *describe(const ten_backend *self, ten_buf *out) {
  (void)self;
  ten_cpu_target target = {0};
  TEN_TRY(ten_cpu_target_host(&target));
  ten_buf_printf(out, "%s, %zu threads", target.cpu, ten_cpu_count());
  ten_cpu_target_free(&target);
  return NULL;
}

const ten_backend ten_cpu_backend = {
    .name = "cpu",
    .summary = "compiles the whole program with LLVM for this machine",
    .describe = describe,
    .compile = compile,
    .execute = cpu_execute,
    .destroy = cpu_destroy,
};
