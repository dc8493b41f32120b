/* fuzz_resume.c: the state that training resumes from: any bytes, or a file that is right but for what the input
 * changes in it: positions, names, types, shapes and places of the tensors. What is taken up must do a step. */
#include <stdlib.h>

#include "driver/devices.h"
#include "input.h"
#include "ir/text/text.h"
#include "train/trainer.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char program[] =
    "func.func @init() -> (tensor<2x3xf32>, tensor<i64>, tensor<2xui64>) {\n"
    "  %w = stablehlo.constant dense<0.5> : tensor<2x3xf32>\n"
    "  %n = stablehlo.constant dense<0> : tensor<i64>\n"
    "  %r = stablehlo.constant dense<1> : tensor<2xui64>\n"
    "  return %w, %n, %r : tensor<2x3xf32>, tensor<i64>, tensor<2xui64>\n"
    "}\n"
    "func.func @step(%w: tensor<2x3xf32> {tf.aliasing_output = 0 : i32, tenfold.role = \"parameter\", tenfold.name = \"w\"},\n"
    "    %n: tensor<i64> {tf.aliasing_output = 1 : i32, tenfold.role = \"step\", tenfold.name = \"n\"},\n"
    "    %r: tensor<2xui64> {tf.aliasing_output = 2 : i32, tenfold.role = \"random\", tenfold.name = \"r\"},\n"
    "    %x: tensor<2x3xf32> {tenfold.role = \"input\", tenfold.name = \"x\"})\n"
    "    -> (tensor<2x3xf32>, tensor<i64>, tensor<2xui64>, tensor<f32>) {\n"
    "  %y = stablehlo.add %w, %x : tensor<2x3xf32>\n"
    "  %loss = stablehlo.constant dense<1.0> : tensor<f32>\n"
    "  return %y, %n, %r, %loss : tensor<2x3xf32>, tensor<i64>, tensor<2xui64>, tensor<f32>\n"
    "}\n";

/* One of the likely texts, or another. */
static const char *choose(fuzz_bytes *in, const char *likely, const char *const *others, uint32_t count) {
  const uint32_t byte = fuzz_byte(in);
  return byte < 200 ? likely : others[byte % count];
}

static void header_make(fuzz_bytes *in, ten_buf *out) {
  static const char *const numbers[] = {
      "-31", "9223372036854775807", "18446744073709551615", "1e3", "", "99999999999999999999", " 1", "1x"};
  static const char *const types[] = {"F64", "I64", "U64", "BOOL", "C64", "F8_E4M3", "?"};
  static const char *const shapes[] = {"[3,2]",   "[6]",
                                       "[]",      "[-2,-3]",
                                       "[0]",     "[9223372036854775807,2]",
                                       "[2,3,1]", "[1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1]",
                                       "3"};
  static const char *const places[] = {"[0,0]", "[8,0]", "[-8,0]", "[0,9223372036854775807]", "[24,32]", "[1,25]", "0"};
  static const char *const names[] = {"w", "n", "r"}, *const kinds[] = {"F32", "I64", "U64"},
                           *const sizes[] = {"[2,3]", "[]", "[2]"}, *const spots[] = {"[0,24]", "[24,32]", "[32,48]"};
  ten_buf_printf(out, "{\"__metadata__\":{\"tenfold.epoch\":\"%s\",\"tenfold.batch\":\"%s\",\"tenfold.seed\":\"%s\"}",
                 choose(in, "0", numbers, 8), choose(in, "3", numbers, 8), choose(in, "7", numbers, 8));
  for (uint32_t i = 0; i < 3; i++) {
    const uint32_t named = fuzz_byte(in);
    if (named == 255) continue;
    ten_buf_printf(out, ",\"%s\":{\"dtype\":\"%s\",\"shape\":%s,\"data_offsets\":%s}",
                   named == 254 ? "other" : names[i], choose(in, kinds[i], types, 7), choose(in, sizes[i], shapes, 9),
                   choose(in, spots[i], places, 7));
  }
  ten_buf_addc(out, '}');
}

static ten_trainer *trainer_make(void) {
  ten_module *module; /* lives as long as the trainer: to the end */
  ten_trainer *trainer = NULL;
  ten_status *status = ten_text_parse(program, sizeof program - 1, "step", &module);
  if (!status) status = ten_trainer_create(ten_backend_find(TEN_STR("interp")), module, NULL, &trainer);
  if (!status) return trainer;
  fprintf(stderr, "%s\n", ten_status_text(status));
  exit(2);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static ten_trainer *trainer;
  static char path[64], state_path[64];
  if (!trainer) {
    trainer = trainer_make();
    snprintf(path, sizeof path, "/dev/shm/tenfold-fuzz-%d.safetensors", (int)getpid());
    snprintf(state_path, sizeof state_path, "/dev/shm/tenfold-fuzz-%d.state.safetensors", (int)getpid());
  }
  fuzz_bytes in = {data, size};
  ten_buf file = {0};
  if (fuzz_byte(&in) & 1) {
    ten_buf header = {0};
    header_make(&in, &header);
    while (header.size % 8) ten_buf_addc(&header, ' ');
    const uint64_t header_size = header.size;
    ten_buf_add(&file, &header_size, sizeof header_size);
    ten_buf_add(&file, header.data, header.size);
    for (uint32_t i = 0; i < 48; i++) ten_buf_addc(&file, (char)fuzz_byte(&in));
    ten_buf_free(&header);
  } else {
    ten_buf_add(&file, in.data, in.size);
  }
  FILE *out = fopen(state_path, "wb");
  if (out) {
    if (file.size) fwrite(file.data, 1, file.size, out);
    fclose(out);
  }
  ten_position position;
  ten_status *status = ten_trainer_resume(trainer, path, &position);
  if (!status) {
    static float values[6];
    ten_tensor *x = NULL;
    double loss;
    status = ten_tensor_from_memory(TEN_F32, 2, (const int64_t[]){2, 3}, values, NULL, NULL, &x);
    if (!status) status = ten_trainer_step(trainer, &x, &loss);
    ten_tensor_release(x);
  }
  ten_status_free(status);
  unlink(state_path);
  ten_buf_free(&file);
  return 0;
}
