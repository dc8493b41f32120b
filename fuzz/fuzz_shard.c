/* fuzz_shard.c: any bytes as MLIR text of a program with shardings, made into that of four devices. What comes out is
 * verified: a program that was right must stay so. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "ir/text/text.h"
#include "ir/verify/verify.h"
#include "transform/shard/spread.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static bool knows(void *context, ten_str target) {
  (void)context;
  return ten_str_is(target, "split");
}

static ten_status *leave(void *context, ten_partition_call *call) {
  (void)context, (void)call;
  return NULL;
}

static ten_status *refuse(void *context, ten_partition_call *call, ten_module **out) {
  (void)context, (void)out;
  return ten_op_error(call->op, TEN_UNSUPPORTED, "is not partitioned");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static const ten_partitioner partitioner = {NULL, knows, leave, leave, refuse};
  ten_module *module = NULL;
  ten_status *status = ten_text_parse((const char *)data, size, "fuzz", &module);
  if (!status) status = ten_verify(module);
  ten_op *func = status ? NULL : ten_module_entry(module, (ten_str){0});
  if (func && ten_op_body(func, 0)) {
    ten_spread spread;
    status = ten_spread_function(module, func, 4, &partitioner, &spread);
    ten_spread_free(&spread);
    if (!status) {
      status = ten_verify(module);
      if (status) {
        ten_buf text = {0};
        ten_text_print(&text, module, NULL);
        fprintf(stderr, "what was made of it is wrong: %s\n%s", ten_status_text(status), text.data);
        abort();
      }
    }
  }
  ten_status_free(status);
  ten_module_destroy(module);
  return 0;
}
