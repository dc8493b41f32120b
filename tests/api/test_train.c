/* test_train.c: a training step that fails leaves the state as it was and releases only what it took: inputs that are
 * wrong in every way, a check that fails in the middle of a step, on each backend. That each allocation of a step fails
 * in turn is in test_out_of_memory.c. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "check.h"
#include "tenfold/train.h"

/* A row of a table is picked by an index that is checked, as an embedding's is, and scaled. */
static const char model[] =
    "func.func @main(%i: tensor<i64>, %x: tensor<4xf32>) -> tensor<f32> {\n"
    "  %table = stablehlo.constant {aten.kind = \"parameter\", aten.name = \"table\"} dense<[[1., 2., 3., 4.], [5., 6., "
    "7., 8.]]> : tensor<2x4xf32>\n"
    "  %zero = stablehlo.constant dense<0> : tensor<i64>\n"
    "  %two = stablehlo.constant dense<2> : tensor<i64>\n"
    "  %zero_f = stablehlo.constant dense<0.> : tensor<f32>\n"
    "  %ok = stablehlo.compare LT, %i, %two : (tensor<i64>, tensor<i64>) -> tensor<i1>\n"
    "  stablehlo.custom_call @tenfold.assert(%ok, %i) {has_side_effect = true, tenfold.message = \"index {} is out of "
    "range\", tenfold.exception = \"IndexError\", tenfold.place = \"\"} : (tensor<i1>, tensor<i64>) -> ()\n"
    "  %row = stablehlo.dynamic_slice %table, %i, %zero, sizes = [1, 4] : (tensor<2x4xf32>, tensor<i64>, tensor<i64>) "
    "-> tensor<1x4xf32>\n"
    "  %flat = stablehlo.reshape %row : (tensor<1x4xf32>) -> tensor<4xf32>\n"
    "  %y = stablehlo.multiply %flat, %x : tensor<4xf32>\n"
    "  %square = stablehlo.multiply %y, %y : tensor<4xf32>\n"
    "  %sum = stablehlo.reduce(%square init: %zero_f) applies stablehlo.add across dimensions = [0] : (tensor<4xf32>, "
    "tensor<f32>) -> tensor<f32>\n"
    "  return %sum : tensor<f32>\n"
    "}\n";

static ten_training *open_training(const char *device) {
  char path[] = "/tmp/tenfold-train-XXXXXX.mlir";
  const int file = mkstemps(path, 5);
  assert_true(file >= 0);
  assert_int_equal(write(file, model, sizeof model - 1), sizeof model - 1);
  close(file);
  const ten_training_options options = {
      .size = sizeof options, .device = device, .loss = "output", .optimizer = "adamw,lr=0.01"};
  ten_training *training = NULL;
  check_ok(ten_training_create(path, &options, &training));
  unlink(path);
  return training;
}

static const int64_t four = 4;
static int64_t row = 1;
static float numbers[4] = {1, -1, 2, 0.5f};

static void good_inputs(ten_buffer *inputs) {
  inputs[0] = (ten_buffer){.dtype = TEN_I64, .data = &row, .bytes = sizeof row};
  inputs[1] = (ten_buffer){.dtype = TEN_F32, .rank = 1, .dims = &four, .data = numbers, .bytes = sizeof numbers};
}

enum { SLOTS_MAX = 16, BYTES_MAX = 256 };

typedef struct snapshot {
  size_t count;
  char bytes[SLOTS_MAX][BYTES_MAX];
} snapshot;

static void take(const ten_training *training, snapshot *out) {
  memset(out, 0, sizeof *out);
  out->count = ten_training_state_count(training);
  assert_in_range(out->count, 1, SLOTS_MAX);
  for (size_t i = 0; i < out->count; i++) {
    const ten_buffer value = ten_training_state(training, i, NULL);
    assert_in_range(value.bytes, 1, BYTES_MAX);
    memcpy(out->bytes[i], value.data, value.bytes);
  }
}

/* Refused, with nothing changed; `text` is the whole message. */
static void refuses(ten_training *training, const ten_buffer *inputs, size_t count, const char *text) {
  snapshot before, after;
  take(training, &before);
  const int64_t steps = ten_training_steps(training);
  double loss = 3;
  check_error(ten_training_step(training, inputs, count, &loss), TEN_INVALID, text);
  assert_true(loss == 0);
  take(training, &after);
  assert_memory_equal(&before, &after, sizeof before);
  assert_int_equal(ten_training_steps(training), steps);
}

static void wrong_inputs(ten_training *training) {
  static const int64_t five = 5, minus = -4, many[70] = {1};
  ten_buffer in[2];
  good_inputs(in);
  refuses(training, in, 1, "a step takes 2 inputs, 1 are given");
  refuses(training, in, 3, "a step takes 2 inputs, 3 are given");
  in[1].bytes = sizeof numbers - 1;
  refuses(training, in, 2, "input 1 needs 16 bytes, 15 are given");
  good_inputs(in), in[1].data = NULL;
  refuses(training, in, 2, "input 1 needs 16 bytes, 0 are given");
  good_inputs(in), in[1].dtype = TEN_I32;
  refuses(training, in, 2, "input 1 is i32[4], must be f32[4]");
  good_inputs(in), in[0].dtype = (ten_dtype)1000;
  refuses(training, in, 2, "input 0 is none[], must be i64[]");
  good_inputs(in), in[1].dims = &five;
  refuses(training, in, 2, "input 1 is f32[5], must be f32[4]");
  good_inputs(in), in[1].dims = &minus;
  refuses(training, in, 2, "input 1 is f32[?], must be f32[4]");
  good_inputs(in), in[1].dims = NULL;
  refuses(training, in, 2, "input 1 is f32[no dimensions for rank 1], must be f32[4]");
  good_inputs(in), in[0].rank = 70, in[0].dims = many;
  double loss;
  ten_status *status = ten_training_step(training, in, 2, &loss);
  assert_non_null(status);
  ten_status_free(status);
}

static double good_step(ten_training *training) {
  ten_buffer in[2];
  good_inputs(in);
  double loss = 0;
  check_ok(ten_training_step(training, in, 2, &loss));
  return loss;
}

/* Steps with failures between them are those without. */
static void failures_leave_no_trace(const char *device) {
  ten_training *training = open_training(device), *other = open_training(device);
  snapshot have, want;
  for (int step = 0; step < 3; step++) {
    wrong_inputs(training);
    ten_buffer in[2];
    good_inputs(in);
    int64_t beyond = 7;
    in[0].data = &beyond;
    ten_status *status = NULL;
    double loss = 0;
    snapshot before, after;
    take(training, &before);
    status = ten_training_step(training, in, 2, &loss);
    assert_non_null(status);
    assert_non_null(strstr(ten_status_text(status), "index 7 is out of range"));
    ten_status_free(status);
    take(training, &after);
    assert_memory_equal(&before, &after, sizeof before);
    assert_true(good_step(training) == good_step(other));
    take(training, &have);
    take(other, &want);
    assert_memory_equal(&have, &want, sizeof have);
  }
  assert_int_equal(ten_training_steps(training), 3);
  ten_training_release(training);
  ten_training_release(other);
}

static void compiled(void **state) {
  (void)state;
  failures_leave_no_trace("cpu");
}

static void interpreted(void **state) {
  (void)state;
  failures_leave_no_trace("interp");
}

static void unaligned_inputs_are_refused(void **state) {
  (void)state;
  ten_training *training = open_training("cpu");
  _Alignas(16) static char bytes[32];
  ten_buffer in[2];
  good_inputs(in);
  in[1].data = bytes + 2;
  char text[160];
  snprintf(text, sizeof text, "input 1 is at address %p; elements of type f32 must be aligned to 4 bytes", in[1].data);
  refuses(training, in, 2, text);
  ten_training_release(training);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(compiled),
      cmocka_unit_test(interpreted),
      cmocka_unit_test(unaligned_inputs_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
