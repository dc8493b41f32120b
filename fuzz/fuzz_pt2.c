/* fuzz_pt2.c: any bytes as a .pt2 archive, or (first byte '{') as one graph of it. What is read is lowered, and other
 * sizes are made up for what is open: all may refuse, none may crash. Large shapes are fine: nothing is run. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/size.h"
#include "front/aten/aten.h"
#include "front/import/graph.h"
#include "front/import/load.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Other sizes than `HERE` for everything open, by the expressions of the program. */
static void make_up_sizes(ten_module *aten) {
  enum { HERE = 12 };
  const ten_op *func = ten_module_entry(aten, TEN_STR("main"));
  if (!func) return;
  const ten_type *type = ten_func_type(func);
  ten_module *types = ten_module_create();
  ten_aten_input *inputs = ten_alloc((type->input_count + 1) * 2 * sizeof *inputs);
  memset(inputs, 0, (type->input_count + 1) * sizeof *inputs);
  for (uint32_t i = 0; i < type->input_count; i++) {
    const ten_type *x = type->inputs[i];
    int64_t dims[TEN_RANK_MAX];
    for (uint32_t d = 0; d < x->rank && d < TEN_RANK_MAX; d++) dims[d] = x->dims[d] == TEN_DYNAMIC ? HERE : x->dims[d];
    if (ten_type_is_tensor(x) && x->rank && x->rank <= TEN_RANK_MAX)
      inputs[i].type = ten_type_tensor(types, x->dtype, x->rank, dims);
    else
      inputs[i].has_number = true, inputs[i].number = HERE;
  }
  for (uint32_t i = 0; i < 4; i++) {
    const ten_aten_other how = {.round = i & 1, .together = i & 2, .only = i == 3};
    uint32_t groups;
    ten_aten_other_sizes(func, inputs, &how, types, inputs + type->input_count + 1, &groups);
  }
  free(inputs);
  ten_module_destroy(types);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  ten_module *aten = NULL, *lowered = NULL;
  const ten_str bytes = {(const char *)data, size};
  ten_status *status = size && data[0] == '{' ? ten_graph_import(bytes, &aten) : ten_archive_load(bytes, NULL, &aten);
  if (!status) make_up_sizes(aten);
  if (!status) status = ten_aten_lower(aten, NULL, &lowered);
  if (lowered) ten_module_destroy(lowered);
  if (aten) ten_module_destroy(aten);
  if (status) (void)ten_status_text(status);
  ten_status_free(status);
  return 0;
}
