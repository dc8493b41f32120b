/* fuzz_edge.c: any bytes as a module, text or bytecode. As an int8 program it is read and written as a TFLite file, or
 * refused. As an f32 program it is recognised, or refused; what is recognised gets made-up ranges, and the int8 program
 * that follows must be read back as the same. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "edge/edge.h"
#include "ir/bytecode/bytecode.h"
#include "ir/text/text.h"
#include "ir/verify/verify.h"
#include "transform/pass/pass.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { ELEMENTS_MOST = 1 << 16 }; /* of a tensor: larger ones only take time */

static bool is_small(const ten_module *module) {
  for (size_t i = 0; i < module->type_capacity; i++) {
    const ten_type *type = module->types[i];
    if (type && ten_type_is_tensor(type) && ten_type_is_static(type) && ten_type_count(type) > ELEMENTS_MOST)
      return false;
  }
  return true;
}

static ten_status *write_file(const ten_module *module, const ten_op *func) {
  edge_graph g;
  edge_graph_init(&g);
  ten_buf bytes = {0};
  ten_status *status = edge_read(module, func, &g);
  for (size_t i = 0; i < g.nodes.count && !status; i++) (void)edge_cpu_reason(&g, &g.nodes.data[i]);
  if (!status) status = edge_tflite(&g, &bytes);
  ten_buf_free(&bytes);
  edge_graph_free(&g);
  return status;
}

static ten_status *quantized(ten_module *module, const ten_op *func, bool last, bool real, ten_module **out_module) {
  edge_graph g;
  edge_graph_init(&g);
  ten_status *status = edge_recognise(module, func, &(edge_shape_options){.channels_last = last, .real_io = real}, &g);
  for (size_t i = 0; i < g.tensors.count; i++)
    if (!g.tensors.data[i].real) g.tensors.data[i].low = -1, g.tensors.data[i].high = 2;
  if (!status) status = edge_parameters(&g, &(edge_options){.no_bias_correction = real});
  if (!status) status = edge_program(&g, false, out_module);
  edge_graph_free(&g);
  return status;
}

static void quantize(ten_module *module, const ten_op *func, size_t size) {
  ten_module *made = NULL;
  ten_status *status = quantized(module, func, size & 1, size & 2, &made);
  if (!status) {
    status = write_file(made, ten_module_entry(made, TEN_STR("main")));
    if (status) {
      fprintf(stderr, "an int8 program that was just written is refused: %s\n", ten_status_text(status));
      abort();
    }
  }
  if (made) ten_module_destroy(made);
  ten_status_free(status);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static const ten_pass *const passes[] = {&ten_pass_tuple,    &ten_pass_inline, &ten_pass_chlo,
                                           &ten_pass_simplify, &ten_pass_dce,    NULL};
  ten_module *module = NULL;
  const bool binary = size > 4 && data[0] == 'M' && data[1] == 'L';
  ten_status *status = binary ? ten_bytecode_read(data, size, "fuzz", true, &module)
                              : ten_text_parse((const char *)data, size, "fuzz", &module);
  if (!status) status = ten_verify(module);
  const ten_op *func = status ? NULL : ten_module_entry(module, (ten_str){0});
  if (func && func->regions[0].first && is_small(module)) {
    ten_status_free(write_file(module, func));
    status = ten_pipeline_run(passes, module, NULL);
    func = status ? NULL : ten_module_entry(module, (ten_str){0});
    if (func && func->regions[0].first) quantize(module, func, size);
  }
  if (module) ten_module_destroy(module);
  ten_status_free(status);
  return 0;
}
