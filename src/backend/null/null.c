/* null.c: a backend that computes nothing: results are zeros of the declared types. It is the template for backends,
 * and measures the overhead of the driver. Needs: a verified function.  Keeps: of the module only the function's
 * type. */
#include <stdlib.h>

#include "backend/backend.h"

extern const ten_backend ten_null_backend;

typedef struct null_program {
  ten_executable base; /* must be first */
} null_program;

static ten_status *null_describe(const ten_backend *self, ten_buf *out) {
  (void)self;
  ten_buf_adds(out, "results are zeros");
  return NULL;
}

/* A backend rejects here, by name, what it cannot compile. */
static ten_status *null_compile(const ten_backend *self, ten_module *module, const ten_op *func,
                                const ten_settings *settings, ten_executable **out_executable) {
  (void)settings;
  (void)self;
  (void)module;
  const ten_type *type = ten_func_type(func);
  for (uint32_t i = 0; i < type->result_count; i++)
    if (!ten_type_is_tensor(type->results[i]) || !ten_type_is_static(type->results[i]))
      return ten_op_error(func, TEN_UNSUPPORTED, "device 'null' returns tensors of known shapes; result %u is not one",
                          i);
  null_program *program = ten_alloc(sizeof *program);
  *program = (null_program){0};
  *out_executable = &program->base;
  return NULL;
}

/* Inputs have been checked against the function's types. On an error all outputs must be NULL. */
static ten_status *null_execute(ten_executable *executable, ten_tensor *const *inputs, size_t input_count,
                                const ten_run_options *options, ten_tensor **outputs) {
  (void)inputs;
  (void)input_count;
  (void)options;
  const ten_type *type = ten_func_type(executable->func);
  ten_status *status = NULL;
  for (uint32_t i = 0; i < type->result_count && !status; i++)
    status = ten_tensor_create(type->results[i]->dtype, type->results[i]->rank, type->results[i]->dims, &outputs[i]);
  if (status) ten_tensors_release(outputs, type->result_count);
  return status;
}

static void null_destroy(ten_executable *executable) { free(executable); }

const ten_backend ten_null_backend = {
    .name = "null",
    .summary = "computes nothing: results are zeros; measures the cost of a call",
    .internal = true,
    .describe = null_describe,
    .compile = null_compile,
    .execute = null_execute,
    .destroy = null_destroy,
};
