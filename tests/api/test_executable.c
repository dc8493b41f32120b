/* test_executable.c: buffers that a caller describes: wherever they lie, and whatever is wrong with them, a call is
 * right or an error that says what is. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/thread.h"
#include "check.h"
#include "tenfold/executable.h"

/* Random bits, whose kernel works on 64-bit words, and a complex sum. */
static const char text[] =
    "func.func @main(%s: tensor<2xui64>, %z: tensor<2xcomplex<f32>>) -> (tensor<2xui64>, tensor<6xui64>, "
    "tensor<2xcomplex<f32>>) {\n"
    "  %n, %r = stablehlo.rng_bit_generator %s, algorithm = THREE_FRY : (tensor<2xui64>) -> (tensor<2xui64>, "
    "tensor<6xui64>)\n"
    "  %y = stablehlo.add %z, %z : tensor<2xcomplex<f32>>\n"
    "  return %n, %r, %y : tensor<2xui64>, tensor<6xui64>, tensor<2xcomplex<f32>>\n"
    "}\n";

static const int64_t two = 2, six = 6;
enum { INPUTS = 2, OUTPUTS = 3, BUFFERS = INPUTS + OUTPUTS, ROOM = 64 };
static const size_t alignment[BUFFERS] = {8, 4, 8, 8, 4}; /* complex numbers: that of their parts */
static _Alignas(64) char memory[BUFFERS][ROOM];

static ten_executable *make(const char *device) {
  ten_program *program;
  check_ok(ten_program_parse(text, sizeof text - 1, NULL, &program));
  const ten_compile_options options = {.size = sizeof options, .device = device};
  ten_executable *executable;
  check_ok(ten_program_compile(program, &options, &executable));
  ten_program_release(program);
  return executable;
}

/* Each buffer so many bytes into its memory. */
static void place(ten_buffer *all, const size_t *offsets) {
  static const ten_dtype types[BUFFERS] = {TEN_UI64, TEN_C64, TEN_UI64, TEN_UI64, TEN_C64};
  for (int i = 0; i < BUFFERS; i++)
    all[i] = (ten_buffer){.dtype = types[i],
                          .rank = 1,
                          .dims = i == 3 ? &six : &two,
                          .data = memory[i] + offsets[i],
                          .bytes = ROOM - offsets[i]};
  const uint64_t state[2] = {42, 7};
  const float numbers[4] = {1, 2, 3, 4};
  memcpy(all[0].data, state, sizeof state);
  memcpy(all[1].data, numbers, sizeof numbers);
}

static void check_results(const ten_buffer *all) {
  uint64_t next[2], bits[6];
  float sums[4];
  memcpy(next, all[2].data, sizeof next);
  memcpy(bits, all[3].data, sizeof bits);
  memcpy(sums, all[4].data, sizeof sums);
  assert_true(next[0] == 42 && next[1] == 13);
  assert_true(sums[0] == 2 && sums[1] == 4 && sums[2] == 6 && sums[3] == 8);
  for (int i = 1; i < 6; i++) assert_true(bits[i] != bits[0]);
}

/* Every offset of every buffer: aligned to its elements it is right, else refused by name, with nothing written. */
static void wherever_buffers_lie(const char *device) {
  ten_executable *executable = make(device);
  for (int moved = 0; moved < BUFFERS; moved++)
    for (size_t by = 0; by <= 16; by++) {
      size_t offsets[BUFFERS] = {0};
      offsets[moved] = by;
      memset(memory, 0x55, sizeof memory);
      ten_buffer all[BUFFERS];
      place(all, offsets);
      ten_status *status = ten_executable_execute(executable, all, INPUTS, all + INPUTS, OUTPUTS);
      if (by % alignment[moved] == 0) {
        check_ok(status);
        check_results(all);
        continue;
      }
      char message[160];
      snprintf(message, sizeof message, "%s %d is at address %p; elements of type %s must be aligned to %zu bytes",
               moved < INPUTS ? "input" : "output", moved < INPUTS ? moved : moved - INPUTS, all[moved].data,
               ten_dtype_name(all[moved].dtype), alignment[moved]);
      check_error(status, TEN_INVALID, message);
      for (int i = INPUTS; i < BUFFERS; i++)
        for (size_t k = 0; k < ROOM; k++) assert_int_equal(memory[i][k], 0x55);
    }
  ten_executable_release(executable);
}

static void compiled(void **state) {
  (void)state;
  wherever_buffers_lie("cpu");
}

static void interpreted(void **state) {
  (void)state;
  wherever_buffers_lie("interp");
}

static void a_buffer_without_dimensions(void **state) {
  (void)state;
  ten_executable *executable = make("cpu");
  ten_buffer all[BUFFERS];
  place(all, (size_t[BUFFERS]){0});
  all[1].dims = NULL;
  check_error(ten_executable_execute(executable, all, INPUTS, all + INPUTS, OUTPUTS), TEN_INVALID,
              "input 1 is complex<f32>[no dimensions for rank 1], must be complex<f32>[2]");
  ten_executable_release(executable);
}

/* Sizes that a call decides may not wrap around. */
static void open_sizes(void **state) {
  (void)state;
  static const char open[] =
      "func.func @main(%x: tensor<?x?xf32>) -> tensor<?x?xf32> {\n"
      "  %0 = stablehlo.negate %x : tensor<?x?xf32>\n"
      "  return %0 : tensor<?x?xf32>\n"
      "}\n";
  ten_program *program;
  check_ok(ten_program_parse(open, sizeof open - 1, NULL, &program));
  const ten_compile_options options = {.size = sizeof options, .device = "interp"};
  ten_executable *executable;
  check_ok(ten_program_compile(program, &options, &executable));
  ten_program_release(program);
  static const int64_t sizes[][2] = {{-1, -4}, {INT64_MAX, 8}, {(int64_t)1 << 32, (int64_t)1 << 32}};
  float numbers[4] = {0};
  for (int i = 0; i < 3; i++) {
    const ten_buffer x = {.dtype = TEN_F32, .rank = 2, .dims = sizes[i], .data = numbers, .bytes = sizeof numbers};
    ten_status *status = ten_executable_execute(executable, &x, 1, &x, 1);
    assert_non_null(status);
    assert_int_equal(ten_status_code(status), TEN_INVALID);
    ten_status_free(status);
  }
  ten_executable_release(executable);
}

/* A compiled file of a program with open dimensions has them, and the dimensions given for an output must be its own.
 */
static void open_file(void **state) {
  (void)state;
  static const char open[] =
      "func.func @main(%x: tensor<?x?xf32>) -> tensor<?x?xf32> {\n"
      "  %0 = stablehlo.transpose %x, dims = [1, 0] : (tensor<?x?xf32>) -> tensor<?x?xf32>\n"
      "  return %0 : tensor<?x?xf32>\n"
      "}\n";
  const char path[] = "test_executable_open.ten";
  ten_program *program;
  check_ok(ten_program_parse(open, sizeof open - 1, NULL, &program));
  check_ok(ten_program_compile_to(program, NULL, path));
  ten_program_release(program);
  ten_executable *executable;
  check_ok(ten_executable_open(path, &executable));
  unlink(path);
  assert_int_equal(ten_executable_input(executable, 0).dims[0], -1);
  float numbers[6] = {1, 2, 3, 4, 5, 6}, turned[6];
  const int64_t from[] = {2, 3}, to[] = {3, 2};
  ten_buffer x = {.dtype = TEN_F32, .rank = 2, .dims = from, .data = numbers, .bytes = sizeof numbers};
  ten_buffer y = {.dtype = TEN_F32, .rank = 2, .dims = to, .data = turned, .bytes = sizeof turned};
  check_ok(ten_executable_execute(executable, &x, 1, &y, 1));
  assert_true(turned[0] == 1 && turned[1] == 4 && turned[4] == 3 && turned[5] == 6);
  y.dims = from;
  check_error(ten_executable_execute(executable, &x, 1, &y, 1), TEN_INVALID,
              "output 0 is f32[2, 3], must be f32[3, 2]");
  ten_executable_release(executable);
}

enum { THREADS = 3, SIZES = 150, WIDTH = 5 };

/* Sums of rows, of every length in an order of the thread's own: more lengths than stay at once. */
static void *sum_lengths(void *argument) {
  ten_executable *executable = argument;
  static _Thread_local float rows[SIZES * WIDTH], sums[SIZES];
  for (int64_t i = 0; i < SIZES * WIDTH; i++) rows[i] = (float)(i % 7);
  for (int64_t i = 0; i < 2 * SIZES; i++) {
    const int64_t length = i * 37 % SIZES, dims[2] = {length, WIDTH};
    const ten_buffer x = {.dtype = TEN_F32, .rank = 2, .dims = dims, .data = rows, .bytes = sizeof rows};
    const ten_buffer y = {.dtype = TEN_F32, .rank = 1, .dims = dims, .data = sums, .bytes = sizeof sums};
    ten_status *status = ten_executable_execute(executable, &x, 1, &y, 1);
    if (status) return status;
    for (int64_t r = 0; r < length; r++) {
      float sum = 0;
      for (int64_t k = 0; k < WIDTH; k++) sum += rows[r * WIDTH + k];
      if (sums[r] != sum) return ten_error(TEN_MISMATCH, "row %d of %d", (int)r, (int)length);
    }
  }
  return NULL;
}

static void many_sizes_on_several_threads(void **state) {
  (void)state;
  static const char open[] =
      "func.func @main(%x: tensor<?x5xf32>) -> tensor<?xf32> {\n"
      "  %zero = stablehlo.constant dense<0.0> : tensor<f32>\n"
      "  %0 = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [1]\n"
      "    : (tensor<?x5xf32>, tensor<f32>) -> tensor<?xf32>\n"
      "  return %0 : tensor<?xf32>\n"
      "}\n";
  ten_program *program;
  check_ok(ten_program_parse(open, sizeof open - 1, NULL, &program));
  ten_executable *executable;
  check_ok(ten_program_compile(program, NULL, &executable));
  ten_program_release(program);
  ten_thread threads[THREADS];
  for (int i = 0; i < THREADS; i++) check_ok(ten_thread_start(0, sum_lengths, executable, &threads[i]));
  for (int i = 0; i < THREADS; i++) check_ok(ten_thread_join(threads[i]));
  ten_executable_release(executable);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(compiled),   cmocka_unit_test(interpreted), cmocka_unit_test(a_buffer_without_dimensions),
      cmocka_unit_test(open_sizes), cmocka_unit_test(open_file),   cmocka_unit_test(many_sizes_on_several_threads),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
