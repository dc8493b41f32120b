/* fuzz_ops.c: graphs made from PyTorch's schemas (graphs.h), lowered, verified, and for some of them optimised and run.
 * Each step may refuse, none may crash. TENFOLD_FUZZ_SCHEMAS names the file of schemas; with TENFOLD_FUZZ_PRINT set the
 * graph is printed, as fuzz_pt2 and archive.py take it. */
#include <stdio.h>
#include <stdlib.h>

#include "driver/devices.h"
#include "front/aten/aten.h"
#include "front/import/graph.h"
#include "graphs.h"
#include "ir/verify/verify.h"
#include "transform/pass/pass.h"

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { ELEMENTS_MAX = 1 << 12, OPS_MAX = 400, PARTS_MAX = 3 };

static ten_status *count_op(ten_op *op, void *context) {
  size_t *work = context;
  (*work)++;
  for (uint32_t i = 0; i < op->result_count; i++)
    if (ten_type_count(op->results[i].type) > ELEMENTS_MAX) *work = OPS_MAX;
  if (op->code == TEN_OP_WHILE) *work = OPS_MAX; /* it may have no end */
  return NULL;
}

static bool is_small(ten_module *module, const ten_op *func) {
  size_t work = 0;
  for (ten_block *body = ten_op_body(func, 0); body; body = NULL)
    for (uint32_t i = 0; i < body->arg_count; i++)
      if (ten_type_count(body->args[i]->type) > ELEMENTS_MAX) return false;
  ten_status_free(ten_op_walk(module->op, count_op, &work));
  return work < OPS_MAX;
}

static ten_status *run(ten_module *module) {
  ten_op *func = ten_module_entry(module, TEN_STR("main"));
  if (!func || !is_small(module, func)) return NULL;
  const ten_block *body = ten_op_body(func, 0);
  const uint32_t inputs = body->arg_count, outputs = ten_func_type(func)->result_count;
  ten_tensor **in = calloc(inputs + 1, sizeof(ten_tensor *)), **out = calloc(outputs + 1, sizeof(ten_tensor *));
  ten_status *status = NULL;
  for (uint32_t i = 0; i < inputs && !status; i++) {
    const ten_type *type = body->args[i]->type;
    status = ten_tensor_create(type->dtype, type->rank, type->dims, &in[i]);
  }
  ten_executable *executable = NULL;
  if (!status) status = ten_compile(ten_backend_find(TEN_STR("interp")), module, func, NULL, &executable);
  if (!status) status = ten_execute(executable, in, inputs, NULL, out);
  ten_executable_release(executable);
  ten_tensors_release(in, inputs);
  ten_tensors_release(out, outputs);
  free(in);
  free(out);
  return status;
}

static const ten_pass *const passes[] = {&ten_pass_chlo, &ten_pass_simplify, &ten_pass_fold, &ten_pass_cse,
                                         &ten_pass_dce,  &ten_pass_expand,   &ten_pass_flow, NULL};

static ten_status *use(ten_module *module, bool optimise) {
  TEN_TRY(ten_verify(module));
  if (optimise) {
    const ten_pipeline_options options = {.verify_each = true};
    TEN_TRY(ten_pipeline_run(passes, module, &options));
  }
  return run(module);
}

/* Sizes that depend on data are answered with small numbers. */
static ten_status *parts_use(ten_module *aten, bool optimise) {
  ten_aten_parts *parts;
  TEN_TRY(ten_aten_parts_begin(aten, NULL, &parts));
  ten_status *status = NULL;
  bool last = false;
  for (int64_t part = 0; part < PARTS_MAX && !last && !status; part++) {
    ten_module *made;
    const int64_t answer = part - 1;
    status = ten_aten_parts_next(parts, part ? &answer : NULL, &made, &last);
    if (!status && last) status = use(made, optimise);
  }
  ten_aten_parts_end(parts);
  return status;
}

static fuzz_schemas schemas;

int LLVMFuzzerInitialize(int *argc, char ***argv) {
  (void)argc, (void)argv;
  const char *path = getenv("TENFOLD_FUZZ_SCHEMAS");
  if (fuzz_schemas_load(path ? path : "build-fuzz/schemas.txt", &schemas) && schemas.count) return 0;
  fprintf(stderr, "fuzz_ops: no schemas; fuzz/schemas.py writes them, TENFOLD_FUZZ_SCHEMAS names the file\n");
  exit(2);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  if (size < 2) return 0;
  ten_buf text = {0};
  fuzz_graph_write(&text, &schemas, data + 1, size - 1);
  if (getenv("TENFOLD_FUZZ_PRINT")) fprintf(stderr, "%s\n", text.data);
  ten_module *aten = NULL, *lowered = NULL;
  ten_status *status = ten_graph_import((ten_str){text.data, text.size}, &aten);
  if (!status && data[0] % 4 == 0) {
    status = parts_use(aten, data[0] & 4);
  } else if (!status) {
    status = ten_aten_lower(aten, NULL, &lowered);
    if (!status) status = use(lowered, data[0] & 4);
  }
  if (lowered) ten_module_destroy(lowered);
  if (aten) ten_module_destroy(aten);
  if (status) (void)ten_status_text(status);
  ten_status_free(status);
  ten_buf_free(&text);
  return 0;
}
