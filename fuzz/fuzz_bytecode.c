/* fuzz_bytecode.c: any bytes as MLIR bytecode. What is read must be a module that can be walked, cloned and compared.
 */
#include <stdint.h>
#include <stdlib.h>

#include "ir/bytecode/bytecode.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  ten_module *module = NULL;
  ten_version version;
  ten_bytecode_producer(data, size, &version);
  ten_status *status = ten_bytecode_read(data, size, "fuzz", true, &module);
  if (!status) {
    /* Both touch every op, type and attribute: a pointer to nowhere shows. */
    ten_module *copy = ten_module_clone(module);
    if (ten_op_hash(copy->op) != ten_op_hash(module->op)) abort();
    ten_module_destroy(copy);
    ten_module_destroy(module);
  }
  ten_status_free(status);
  return 0;
}
