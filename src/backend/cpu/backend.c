/* backend.c: the backend struct, and its short functions. */
#include "backend/cpu/backend.h"

#include <stdlib.h>

#include "backend/cpu/cache/store.h"
#include "backend/cpu/codegen/jit.h"
#include "backend/cpu/codegen/variants.h"
#include "backend/shared.h"

static ten_status *describe(const ten_backend *self, ten_buf *out) {
  (void)self;
  ten_cpu_target target = {0};
  TEN_TRY(ten_cpu_target_host(&target));
  ten_buf_printf(out, "%s, %zu threads", target.cpu, ten_cpu_count());
  ten_cpu_target_free(&target);
  return NULL;
}

/* A function with dynamic shapes is compiled when called, once per set of shapes. */
static ten_status *compile(const ten_backend *self, ten_module *module, const ten_op *func,
                           const ten_settings *settings, ten_executable **out_executable) {
  (void)self;
  const ten_type *type = ten_func_type(func);
  for (uint32_t i = 0; i < type->input_count; i++)
    if (ten_type_is_tensor(type->inputs[i]) && !ten_type_is_static(type->inputs[i])) {
      *out_executable = cpu_shapes_create(module, settings);
      return NULL;
    }
  return cpu_compile_for(module, func, settings, NULL, out_executable);
}

static bool is_plain(const ten_executable *base) {
  const cpu_executable *executable = (const cpu_executable *)base;
  return !executable->shapes && !executable->exec.program.has_host;
}

static ten_status *call(ten_executable *executable, void *const *inputs, void *const *outputs) {
  static const ten_run_options none;
  ten_host_process process = {.options = &none};
  cpu_run run = {(cpu_executable *)executable, &process, NULL};
  cpu_count_call(run.executable);
  return exec_call(&run.executable->exec, &run, false, inputs, outputs);
}

static bool in_place(const ten_executable *base, uint32_t input, uint32_t output) {
  const cpu_executable *executable = (const cpu_executable *)base;
  return !executable->shapes && executable->exec.program.updates[input] == output;
}

static void share(ten_executable *executable, ten_task task, void *context, int64_t count) {
  ten_pool_run(((cpu_executable *)executable)->exec.pool, task, context, count);
}

static bool owns_file(const ten_backend *self, const char *path) {
  (void)self;
  return ten_str_ends(ten_str_of(path), ".ten");
}

static ten_status *load(const ten_backend *self, const void *data, size_t size, const char *name,
                        ten_executable **out_executable) {
  cpu_executable *executable = NULL;
  TEN_TRY(cpu_object_read(data, size, name, &executable));
  executable->base.backend = self;
  *out_executable = &executable->base;
  return NULL;
}

static ten_status *open_file(const ten_backend *self, const char *path, const ten_backend *device,
                             ten_executable **out_executable) {
  (void)device;
  ten_file file;
  TEN_TRY(ten_file_map(path, &file));
  ten_status *status = load(self, file.data, file.size, path, out_executable);
  if (status)
    ten_file_unmap(&file);
  else
    ((cpu_executable *)*out_executable)->file = file;
  return status;
}

static ten_status *save_code(const ten_backend *self, ten_shared *shared, ten_buf *out) {
  (void)self;
  ten_shared_lock(shared);
  cpu_variants_write(cpu_variants_of(shared), out);
  ten_shared_unlock(shared);
  return NULL;
}

static ten_status *load_code(const ten_backend *self, const void *data, size_t size, ten_shared *shared) {
  (void)self;
  ten_shared_lock(shared);
  ten_status *status = cpu_variants_read(data, size, false, cpu_variants_of(shared));
  ten_shared_unlock(shared);
  return status;
}

static ten_status *select_arch(const ten_backend *self, const char *arch) {
  (void)self;
  if (!ten_kernels_named(arch))
    return ten_error(TEN_UNSUPPORTED,
                     "this CPU cannot run kernels '%s': what is compiled is also run, to pack its constants; use "
                     "native, generic or, on x86_64, avx2 or avx512",
                     arch);
  setenv("TENFOLD_CPU", arch, 1);
  ten_kernels_reload();
  return NULL;
}

static const char *const stages[] = {"passes", "choice", "fused", "plan", "llvm", "asm", NULL};

const ten_backend ten_cpu_backend = {
    .name = "cpu",
    .precisions = 1u << TEN_PRECISION_BF16,
    .summary = "compiles the whole program with LLVM for this machine",
    .describe = describe,
    .compile = compile,
    .execute = cpu_execute,
    .destroy = cpu_destroy,
    .cost = cpu_cost,
    .memory = cpu_memory,
    .plan_memory = cpu_plan_bytes,
    .create_workspace = cpu_workspace_create,
    .destroy_workspace = cpu_workspace_destroy,
    .is_plain = is_plain,
    .call = call,
    .in_place = in_place,
    .share = share,
    .execute_together = cpu_execute_together,
    .profile = cpu_profile,
    .steps = cpu_steps,
    .stages = stages,
    .show = cpu_show,
    .save = cpu_save,
    .owns_file = owns_file,
    .open = open_file,
    .load = load,
    .learn = cpu_learn,
    .recall = cpu_sizes_recall,
    .save_code = save_code,
    .load_code = load_code,
    .export_library = cpu_export,
    .select_arch = select_arch,
};
