/* scale.c: an operator of one's own for programs that `tenfold` runs.
 *
 *   cc -shared -fPIC -I include examples/library/scale.c -o scale.so
 *   tenfold run model.pt2 --library ./scale.so --random
 *
 * The model calls mylib::scale(Tensor x, float factor), made with torch.library. Its lowering answers with StableHLO;
 * mylib::triple shows a kernel instead: a plain C function that the program calls. */
#include <stdio.h>
#include <stdlib.h>

#include "tenfold/custom.h"

static const ten_library_host *tenfold; /* stays valid: it belongs to the process */

/* "tensor<4x3xf32>" */
static int type_text(const ten_buffer *buffer, char *out, size_t size) {
  int at = snprintf(out, size, "tensor<");
  for (size_t i = 0; i < buffer->rank; i++)
    at += snprintf(out + at, size - (size_t)at, "%lldx", (long long)buffer->dims[i]);
  return at + snprintf(out + at, size - (size_t)at, "f32>");
}

static ten_status *lower_scale(const ten_lowering_request *request, void *user, char **out_text) {
  (void)user;
  char type[256];
  if (request->operand_count != 1 || request->operands[0].dtype != TEN_F32 || request->operands[0].rank > 8)
    return tenfold->error("mylib::scale takes one f32 tensor of rank 8 at most");
  type_text(&request->operands[0], type, sizeof type);
  *out_text = malloc(2048);
  if (!*out_text) return tenfold->error("no memory for the lowering of mylib::scale");
  snprintf(*out_text, 2048,
           "func.func @main(%%x: %s) -> %s {\n"
           "  %%c = stablehlo.constant dense<%.9e> : %s\n"
           "  %%0 = stablehlo.multiply %%x, %%c : %s\n"
           "  return %%0 : %s\n}\n",
           type, type, tenfold->lowering_number(request, "factor", 2), type, type, type);
  return NULL;
}

static ten_status *triple(const ten_buffer *inputs, size_t input_count, const ten_buffer *outputs, size_t output_count,
                          void *user) {
  (void)user;
  if (input_count != 1 || output_count != 1 || inputs[0].dtype != TEN_F32)
    return tenfold->error("mylib_triple takes one f32 tensor");
  const float *x = inputs[0].data;
  float *y = outputs[0].data;
  for (size_t i = 0; i < inputs[0].bytes / sizeof *x; i++) y[i] = 3 * x[i];
  return NULL;
}

TENFOLD_LIBRARY(host) {
  tenfold = host;
  ten_status *status = host->register_lowering("mylib::scale", lower_scale, NULL);
  return status ? status : host->register_kernel("mylib_triple", triple, NULL);
}
