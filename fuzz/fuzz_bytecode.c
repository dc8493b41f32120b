/* fuzz_bytecode.c: any bytes as MLIR bytecode. What is read must be a module that can be walked, cloned, compared,
 * printed and written; what is written must be read again. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "ir/bytecode/bytecode.h"
#include "ir/text/text.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void write_and_read(const ten_module *module, ten_vhlo_version target) {
  ten_buf out = {0};
  ten_module *again = NULL;
  ten_status *status = ten_bytecode_write(module, target, &out);
  if (!status) {
    ten_status *wrong = ten_bytecode_read(out.data, out.size, "written", true, &again);
    if (wrong) {
      fprintf(stderr, "%s\n", ten_status_text(wrong));
      abort();
    }
    ten_module_destroy(again);
  }
  ten_status_free(status);
  ten_buf_free(&out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  ten_module *module = NULL;
  ten_vhlo_version version;
  ten_bytecode_producer(data, size, &version);
  ten_status *status = ten_bytecode_read(data, size, "fuzz", true, &module);
  if (!status) {
    /* Both touch every op, type and attribute: a pointer to nowhere shows. */
    ten_module *copy = ten_module_clone(module);
    if (ten_op_hash(copy->op) != ten_op_hash(module->op)) abort();
    ten_module_destroy(copy);
    ten_buf text = {0};
    ten_text_print(&text, module, &(ten_print_options){.elide_above = 100});
    ten_buf_free(&text);
    write_and_read(module, ten_vhlo_version_oldest);
    write_and_read(module, ten_vhlo_version_current);
    ten_module_destroy(module);
  }
  ten_status_free(status);
  return 0;
}
