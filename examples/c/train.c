/* train.c: trains a model from PyTorch on random samples, saves the weights, and compares the gradient of a program
 * with what it should be.
 *
 *   cc train.c $(pkg-config --cflags --libs tenfold) -o train && ./train model.pt2 model.safetensors */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tenfold/train.h>

enum { INPUTS_MAX = 16, STEPS = 30 };

static int fail(ten_status *status) {
  fprintf(stderr, "train: %s\n", ten_status_text(status));
  ten_status_free(status);
  return 1;
}

/* d/dx of the sum of x·x is 2·x. */
static int gradient(void) {
  static const char text[] =
      "func.func @main(%x: tensor<3xf32>) -> tensor<f32> {\n"
      "  %zero = stablehlo.constant dense<0.0> : tensor<f32>\n"
      "  %square = stablehlo.multiply %x, %x : tensor<3xf32>\n"
      "  %sum = stablehlo.reduce(%square init: %zero) applies stablehlo.add across dimensions = [0] :\n"
      "    (tensor<3xf32>, tensor<f32>) -> tensor<f32>\n"
      "  return %sum : tensor<f32>\n"
      "}\n";
  ten_program *model, *derived;
  ten_executable *compiled;
  ten_status *status = ten_program_parse(text, strlen(text), "squares", &model);
  if (status) return fail(status);
  status = ten_program_gradient(model, NULL, &derived);
  ten_program_release(model);
  if (status) return fail(status);
  status = ten_program_compile(derived, NULL, &compiled);
  ten_program_release(derived);
  if (status) return fail(status);
  float x[3] = {1, -2, 3.5f}, dx[3];
  ten_buffer input = ten_executable_input(compiled, 0), output = ten_executable_output(compiled, 0);
  input.data = x;
  output.data = dx;
  status = ten_executable_execute(compiled, &input, 1, &output, 1);
  ten_executable_release(compiled);
  if (status) return fail(status);
  printf("gradient: %g %g %g\n", (double)dx[0], (double)dx[1], (double)dx[2]);
  return 0;
}

/* Floats from -1 to 1; integers are class 0 or 1, by the sign of the first float of their sample. */
static void fill(ten_buffer *inputs, size_t count, unsigned *seed) {
  for (size_t i = 0; i < count; i++) {
    float *values = inputs[i].data;
    for (size_t k = 0; inputs[i].dtype == TEN_F32 && k < inputs[i].bytes / sizeof *values; k++) {
      *seed = *seed * 1664525u + 1013904223u;
      values[k] = (float)(*seed >> 8) / (float)(1 << 23) - 1;
    }
    int64_t *classes = inputs[i].data;
    const size_t row = inputs[0].bytes / sizeof(float) / (size_t)inputs[0].dims[0];
    for (size_t k = 0; inputs[i].dtype == TEN_I64 && k < inputs[i].bytes / sizeof *classes; k++)
      classes[k] = ((const float *)inputs[0].data)[k * row] > 0;
  }
}

int main(int argc, char **argv) {
  if (argc != 3) {
    fprintf(stderr, "usage: train MODEL.pt2 OUT.safetensors\n");
    return 2;
  }
  if (gradient()) return 1;
  const ten_training_options options = {.size = sizeof options, .optimizer = "adamw,lr=0.01"};
  ten_training *training;
  ten_status *status = ten_training_create(argv[1], &options, &training);
  if (status) return fail(status);
  const size_t count = ten_training_input_count(training);
  ten_buffer inputs[INPUTS_MAX];
  for (size_t i = 0; i < count && i < INPUTS_MAX; i++) {
    inputs[i] = ten_training_input(training, i, NULL);
    inputs[i].data = calloc(1, inputs[i].bytes);
  }
  double first = 0, loss = 0;
  unsigned seed = 1;
  for (int i = 0; i < STEPS && !status; i++) {
    fill(inputs, count, &seed);
    status = ten_training_step(training, inputs, count, &loss);
    if (!i) first = loss;
  }
  if (!status) status = ten_training_save(training, argv[2]);
  printf("%lld steps: the loss fell from %.3f to %.3f\n", (long long)ten_training_steps(training), first, loss);
  for (size_t i = 0; i < ten_training_state_count(training) && !status; i++) {
    const char *name;
    const ten_buffer value = ten_training_state(training, i, &name);
    if (strstr(name, ".exp_avg")) continue;
    printf("%s: %zu bytes\n", name, value.bytes);
  }
  for (size_t i = 0; i < count && i < INPUTS_MAX; i++) free(inputs[i].data);
  ten_training_release(training);
  return status ? fail(status) : 0;
}
