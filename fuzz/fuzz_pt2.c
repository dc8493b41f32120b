/* fuzz_pt2.c: any bytes as a .pt2 archive, or (first byte '{') as one graph of it. What is read is lowered: both may
 * refuse, neither may crash. Large shapes are fine: nothing is run. */
#include <stdint.h>

#include "front/aten/aten.h"
#include "front/import/graph.h"
#include "front/import/load.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  ten_module *aten = NULL, *lowered = NULL;
  const ten_str bytes = {(const char *)data, size};
  ten_status *status = size && data[0] == '{' ? ten_graph_import(bytes, &aten) : ten_archive_load(bytes, NULL, &aten);
  if (!status) status = ten_aten_lower(aten, NULL, &lowered);
  if (lowered) ten_module_destroy(lowered);
  if (aten) ten_module_destroy(aten);
  if (status) (void)ten_status_text(status);
  ten_status_free(status);
  return 0;
}
