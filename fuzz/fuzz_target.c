/* fuzz_target.c: .tpu files. Any bytes behind the magic, or a file with a header whose framing is right: two
 * declarations, places of code and weights, tilings. No device is opened: what is read is refused after that. */
#include "backend/pjrt/client.h"
#include "backend/pjrt/target.h"
#include "base/proto.h"
#include "driver/devices.h"
#include "input.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char *const types[] = {"tensor<4x2xf32>",  "tensor<f32>",         "tensor<2x3x4xbf16>",
                                    "tensor<0xi64>",    "tensor<8xi1>",        "tensor<?x2xf32>",
                                    "!stablehlo.token", "tensor<1x1x1x1xf64>", "tensor<4x2xcomplex<f32>>"};

static void types_put(fuzz_bytes *in, ten_buf *out, const uint32_t *chosen, uint32_t count) {
  (void)in;
  ten_buf_addc(out, '(');
  for (uint32_t i = 0; i < count; i++) ten_buf_printf(out, "%s%s", i ? ", " : "", types[chosen[i]]);
  ten_buf_addc(out, ')');
}

/* An order of dimensions for each, likely one that fits. */
static void orders_put(fuzz_bytes *in, ten_buf *out, const char *name, uint32_t count) {
  ten_buf_printf(out, "%s = [", name);
  for (uint32_t i = 0; i < count; i++) {
    ten_buf_printf(out, "%sarray<i64", i ? ", " : "");
    static const char *const orders[] = {"", "", ": 1, 0", ": 0, 1", ": 2, 0, 1", ": 0", ": 5, 5", ": -1, 0"};
    ten_buf_printf(out, "%s>", orders[fuzz_byte(in) % 8]);
  }
  ten_buf_adds(out, "]");
}

static void signature_put(fuzz_bytes *in, ten_buf *out) {
  uint32_t chosen[8], results[4];
  const uint32_t inputs = fuzz_byte(in) % 6, weights = fuzz_byte(in) % 3, gives = fuzz_byte(in) % 4;
  for (uint32_t i = 0; i < 8; i++) chosen[i] = fuzz_byte(in) % (sizeof types / sizeof *types);
  for (uint32_t i = 0; i < 4; i++) results[i] = fuzz_byte(in) % (sizeof types / sizeof *types);
  ten_buf text = {0};
  ten_buf_adds(&text, "func.func private @entry");
  types_put(in, &text, chosen, inputs);
  ten_buf_adds(&text, " -> ");
  types_put(in, &text, results, gives);
  ten_buf_adds(&text, "\nfunc.func private @main");
  types_put(in, &text, chosen, inputs + weights);
  ten_buf_adds(&text, " -> ");
  types_put(in, &text, results, gives);
  if (fuzz_byte(in) & 1) {
    ten_buf_adds(&text, " attributes {");
    orders_put(in, &text, "tenfold.transposed_arguments", inputs + weights);
    ten_buf_adds(&text, ", ");
    orders_put(in, &text, "tenfold.transposed_results", gives);
    ten_buf_adds(&text, "}");
  }
  ten_buf_adds(&text, "\n");
  ten_proto_put_bytes(out, 3, (ten_str){text.data, text.size});
  ten_buf_free(&text);
}

static void header_put(fuzz_bytes *in, ten_buf *out) {
  ten_proto_put_bytes(out, 1, fuzz_byte(in) & 1 ? TEN_STR("tpu") : fuzz_text(in, 8));
  signature_put(in, out);
  while (in->size > 2) {
    const uint32_t choice = fuzz_byte(in), number = 3 + choice % 8;
    if (choice >= 224) {
      ten_proto_put_varint(out, number, fuzz_number(in));
      continue;
    }
    ten_buf inner = {0};
    for (uint32_t i = 0, count = choice / 32; i < count; i++)
      ten_proto_put_varint(&inner, 1 + fuzz_byte(in) % 2, fuzz_number(in));
    ten_proto_put_bytes(out, number == 3 ? 6 : number, (ten_str){inner.data, inner.size});
    if (choice & 16) ten_proto_put_varint(out, 4, fuzz_number(in) % 9);
    ten_buf_free(&inner);
  }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  fuzz_bytes in = {data, size};
  ten_buf file = {0};
  ten_buf_add(&file, "tenfold pjrt 2\n", 16);
  if (fuzz_byte(&in) & 1) {
    ten_buf header = {0};
    header_put(&in, &header);
    const uint64_t header_size = header.size;
    ten_buf_add(&file, &header_size, sizeof header_size);
    ten_buf_add(&file, header.data, header.size);
    for (uint32_t i = 0; i < 256; i++) ten_buf_addc(&file, (char)i); /* code and weights */
    ten_buf_free(&header);
  } else {
    ten_buf_add(&file, in.data, in.size);
  }
  char path[32];
  const int fd = fuzz_file(file.data, file.size, path);
  ten_executable *executable = NULL;
  ten_status_free(ten_target_open(path, ten_backend_find(TEN_STR("interp")), &executable));
  ten_executable_release(executable);
  close(fd);
  ten_buf_free(&file);
  return 0;
}
