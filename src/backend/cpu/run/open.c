/* open.c: loads compiled files and object code as programs that can be called in this process. */
#include <stdlib.h>
#include <string.h>

#include "backend/cpu/codegen/jit.h"
#include "backend/cpu/codegen/variants.h"
#include "backend/cpu/exec/object.h"
#include "backend/cpu/run/executable.h"
#include "backend/cpu/run/release_weights.h"
#include "backend/cpu/run/share_constants.h"
#include "ir/ten.h"

/* Every "+feature" of the file must be one of this CPU. LLVM is queried only if the file was made elsewhere. */
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

/* A function with the types that were read and no body, in its own module. */
static void make_function(cpu_executable *executable) {
  const exec_program *flat = &executable->exec.program;
  executable->module = ten_module_create();
  const size_t count = (size_t)flat->input_count + flat->output_count;
  const ten_type **types = ten_arena_new_array(&executable->module->arena, const ten_type *, count + 1);
  for (size_t i = 0; i < count; i++) {
    const exec_type *type = i < flat->input_count ? &flat->inputs[i] : &flat->outputs[i - flat->input_count];
    types[i] = type->dtype == TEN_DTYPE_NONE ? ten_type_token(executable->module)
                                             : ten_type_tensor(executable->module, type->dtype, type->rank, type->dims);
  }
  ten_op *func = ten_func_create(executable->module, TEN_STR("main"), flat->input_count, types, flat->output_count,
                                 types + flat->input_count, NULL);
  executable->base.func = func;
  const ten_block *body = ten_op_body(func, 0);
  const ten_attr **notes = ten_arena_new_array(&executable->module->arena, const ten_attr *, count + 1);
  bool any = false;
  for (uint32_t i = 0; i < flat->input_count; i++) {
    const exec_type *input = &flat->inputs[i];
    const ten_named_attr note = {TEN_STR("aten.name"), ten_attr_string(executable->module, input->name)};
    body->args[i]->name = input->name;
    notes[i] = ten_attr_dict(executable->module, input->archive, &note);
    any |= input->archive;
  }
  if (any)
    ten_op_set_attr(executable->module, func, TEN_STR("arg_attrs"),
                    ten_attr_array(executable->module, flat->input_count, notes));
  any = false;
  for (uint32_t i = 0; i < flat->output_count; i++) {
    const ten_str name = flat->outputs[i].name;
    const ten_named_attr note = ten_own_item(TEN_NAME_NAME, ten_attr_string(executable->module, name));
    notes[i] = ten_attr_dict(executable->module, name.size > 0, &note);
    any |= name.size > 0;
  }
  if (any)
    ten_op_set_attr(executable->module, func, TEN_STR("res_attrs"),
                    ten_attr_array(executable->module, flat->output_count, notes));
  executable->base.input_count = flat->input_count;
  executable->base.output_count = flat->output_count;
}

/* The executables of one program share threads: each would start its own. */
static void share_threads(cpu_executable *executable) {
  ten_shared *shared = executable->settings.shared;
  exec_loaded *exec = &executable->exec;
  const unsigned threads = exec->program.threads;
  if (!shared || exec->threads) return;
  ten_shared_lock(shared);
  cpu_variants *variants = cpu_variants_of(shared);
  if (threads > 1 && exec_wants_threads(&exec->program)) exec->pool = cpu_variants_pool(variants, threads);
  ten_shared_unlock(shared);
  exec->pool_lent = exec->pool != NULL;
}

static ten_status *load_addresses(cpu_executable *executable, void *const *code) {
  cpu_lend_memory(executable);
  share_threads(executable);
  executable->exec.host = cpu_host_step;
  cpu_release release;
  const bool works = executable->exec.program.init.count > 0 && !executable->exec.hoisted_view;
  if (works) cpu_release_start(executable, &release);
  ten_status *status = exec_load(&executable->exec, code);
  if (works) cpu_release_stop(executable, &release);
  return status;
}

ten_status *cpu_load_code(cpu_executable *executable, ten_str object) {
  const uint32_t count = executable->exec.program.symbol_count;
  void **code = ten_alloc((count + 1) * sizeof *code);
  ten_status *status = count ? ten_loaded_create(object.data, object.size, count, code, &executable->code) : NULL;
  if (!status) status = load_addresses(executable, code);
  free(code);
  return status;
}

ten_status *cpu_load_linked(cpu_executable *executable, const cpu_linked *linked) {
  exec_program *program = &executable->exec.program;
  void **code = ten_alloc((program->symbol_count + 1) * sizeof *code);
  for (uint32_t i = 0; i < program->symbol_count; i++) code[i] = linked[i].address;
  for (size_t i = 0; i < program->steps.count; i++) {
    exec_step *step = &program->steps.data[i];
    if (step->symbol != UINT32_MAX) step->numbers = linked[step->symbol].numbers;
  }
  cpu_constant_keys *keys = cpu_borrow_constants(executable, linked);
  ten_status *status = load_addresses(executable, code);
  cpu_lend_constants(executable, keys, !status);
  free(code);
  return status;
}

ten_status *cpu_object_read(const void *data, size_t size, const char *name, cpu_executable **out_executable) {
  TEN_TRY(cpu_object_verify(data, size, name));
  return cpu_object_read_verified(data, size, name, out_executable);
}

static ten_status *read_into(cpu_executable *executable, const void *data, size_t size, const char *name) {
  TEN_RECOVER("loading the compiled program");
  cpu_object_needs needs;
  TEN_TRY(cpu_object_parse(data, size, name, &executable->exec, &needs));
  TEN_TRY(check_cpu(&needs, name));
  TEN_TRY(cpu_object_check(&executable->exec, needs.code.size, name));
  TEN_TRY(cpu_object_use_threads(&executable->exec, cpu_wanted_threads(), name));
  make_function(executable);
  return cpu_load_code(executable, needs.code);
}

ten_status *cpu_object_read_verified(const void *data, size_t size, const char *name, cpu_executable **out_executable) {
  cpu_executable *executable = cpu_executable_create(NULL, NULL);
  ten_status *status = read_into(executable, data, size, name);
  if (status)
    cpu_destroy(&executable->base);
  else
    *out_executable = executable;
  return status;
}
