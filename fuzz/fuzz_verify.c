/* fuzz_verify.c: any bytes as a module, text or bytecode. It must be judged without harm; each op's types are inferred
 * whether it is right or not; one that is right is specialised to small shapes, and must be right afterwards. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "ir/bytecode/bytecode.h"
#include "ir/text/text.h"
#include "ir/verify/verify.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static ten_status *infer(ten_op *op, void *context) {
  const ten_type **types = calloc(op->result_count + 1, sizeof *types);
  ten_status_free(ten_infer_types(context, op, types));
  free(types);
  return NULL;
}

static const ten_type *with_small_dims(ten_module *module, const ten_type *type) {
  if (type->kind != TEN_TYPE_TENSOR || !type->ranked || ten_type_is_static(type)) return type;
  int64_t *dims = calloc(type->rank + 1, sizeof *dims);
  for (uint32_t i = 0; i < type->rank; i++) dims[i] = type->dims[i] == TEN_DYNAMIC ? 2 : type->dims[i];
  const ten_type *small = ten_type_with_shape(module, type, type->rank, dims);
  free(dims);
  return small;
}

static void refine(ten_module *module) {
  const ten_op *func = ten_module_entry(module, (ten_str){0});
  if (!func || !func->regions[0].first) return;
  const ten_block *body = func->regions[0].first;
  const ten_type **types = calloc(body->arg_count + 1, sizeof *types);
  for (uint32_t i = 0; i < body->arg_count; i++) types[i] = with_small_dims(module, body->args[i]->type);
  ten_status *status = ten_refine_shapes(module, types, body->arg_count);
  free(types);
  if (!status) {
    status = ten_verify(module);
    if (status) {
      fprintf(stderr, "right before it was specialised, wrong after: %s\n", ten_status_text(status));
      abort();
    }
  }
  ten_status_free(status);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  ten_module *module = NULL;
  const bool binary = size > 4 && data[0] == 'M' && data[1] == 'L';
  ten_status *status = binary ? ten_bytecode_read(data, size, "fuzz", true, &module)
                              : ten_text_parse((const char *)data, size, "fuzz", &module);
  if (!status) {
    status = ten_verify(module);
    ten_status_free(ten_op_walk(module->op, infer, module));
    if (!status) refine(module);
    ten_module_destroy(module);
  }
  ten_status_free(status);
  return 0;
}
