/* fuzz_text.c: any bytes as MLIR text. What is read prints as text that reads back to an equal module, and prints the
 * same. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "ir/text/text.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  ten_module *module = NULL, *again = NULL;
  ten_status *status = ten_text_parse((const char *)data, size, "fuzz", &module);
  if (status) {
    (void)ten_status_text(status);
    ten_status_free(status);
    return 0;
  }
  ten_buf text = {0}, second = {0}, why = {0};
  ten_text_print(&text, module, NULL);
  status = ten_text_parse(text.data, text.size, "printed", &again);
  if (status) {
    fprintf(stderr, "what was printed does not read: %s\n%s", ten_status_text(status), text.data);
    abort();
  }
  if (!ten_module_explain(module, again, &why)) {
    fprintf(stderr, "what was printed reads as something else: %s\n%s", why.data, text.data);
    abort();
  }
  ten_text_print(&second, again, NULL);
  if (!ten_str_eq((ten_str){text.data, text.size}, (ten_str){second.data, second.size})) {
    fprintf(stderr, "printed differently the second time:\n%s\n%s", text.data, second.data);
    abort();
  }
  ten_buf_free(&text);
  ten_buf_free(&second);
  ten_buf_free(&why);
  ten_module_destroy(module);
  ten_module_destroy(again);
  return 0;
}
