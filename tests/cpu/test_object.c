/* Compiled files: written, opened, run; cut short anywhere they are refused; and through the public API. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "backend/cpu/exec/gemm.h"
#include "backend/cpu/exec/int8.h"
#include "backend/cpu/exec/kernel.h"
#include "backend/cpu/run/executable.h"
#include "base/file.h"
#include "check.h"
#include "ten_edits.h"
#include "tenfold/executable.h"

static const char program[] =
    "func.func @main(%x: tensor<2x3xf32>) -> (tensor<2x4xf32>, tensor<i32>) {\n"
    "  %w = stablehlo.constant dense<[[1.0, 2.0, 3.0, 4.0], [5.0, 6.0, 7.0, 8.0], [9.0, 10.0, 11.0, 12.0]]> : tensor<3x4xf32>\n"
    "  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>\n"
    "  %1 = stablehlo.tanh %0 : tensor<2x4xf32>\n"
    "  %c = stablehlo.constant dense<0> : tensor<i32>\n"
    "  %n = stablehlo.constant dense<7> : tensor<i32>\n"
    "  %2 = stablehlo.while(%i = %c) : tensor<i32> cond {\n"
    "    %4 = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>\n"
    "    stablehlo.return %4 : tensor<i1>\n"
    "  } do {\n"
    "    %one = stablehlo.constant dense<2> : tensor<i32>\n"
    "    %4 = stablehlo.add %i, %one : tensor<i32>\n"
    "    stablehlo.return %4 : tensor<i32>\n"
    "  }\n"
    "  return %1, %2 : tensor<2x4xf32>, tensor<i32>\n"
    "}\n";

typedef struct outcome {
  float y[8];
  int32_t n;
} outcome;

static outcome run(ten_executable *compiled) {
  float x[6] = {0.1f, -0.2f, 0.03f, 0.04f, -0.05f, 0.06f};
  outcome result = {{0}, 0};
  assert_int_equal(ten_executable_input_count(compiled), 1);
  assert_int_equal(ten_executable_output_count(compiled), 2);
  ten_buffer input = ten_executable_input(compiled, 0),
             outputs[2] = {ten_executable_output(compiled, 0), ten_executable_output(compiled, 1)};
  input.data = x;
  outputs[0].data = result.y;
  outputs[1].data = &result.n;
  check_ok(ten_executable_execute(compiled, &input, 1, outputs, 2));
  ten_event *event;
  check_ok(ten_executable_start(compiled, &input, 1, outputs, 2, &event));
  check_ok(ten_event_wait(event));
  ten_event_release(event);
  return result;
}

static void test_round_trip(void **state) {
  (void)state;
  char path[] = "/tmp/tenfold_object_XXXXXX.ten";
  const int made = mkstemps(path, 4);
  assert_true(made >= 0);
  close(made);
  ten_program *model;
  ten_executable *compiled, *opened;
  check_ok(ten_program_parse(program, sizeof program - 1, "program", &model));
  check_ok(ten_program_compile(model, NULL, &compiled));
  check_ok(ten_program_compile_to(model, NULL, path));
  ten_program_release(model);
  check_ok(ten_executable_open(path, &opened));
  const outcome first = run(compiled), second = run(opened);
  assert_int_equal(first.n, 8);
  assert_memory_equal(&first, &second, sizeof first);
  ten_cost cost = {.size = sizeof cost};
  check_ok(ten_executable_cost(compiled, &cost));
  assert_true(cost.flops == 2.0 * 2 * 3 * 4);
  ten_executable_release(compiled);
  ten_executable_release(opened);

  ten_file file;
  check_ok(ten_file_map(path, &file));
  char cut[] = "/tmp/tenfold_object_XXXXXX.ten";
  close(mkstemps(cut, 4));
  for (size_t size = 0; size < file.size; size += 61) {
    check_ok(ten_file_write_atomic(cut, file.data, size));
    ten_status *status = ten_executable_open(cut, &opened);
    assert_non_null(status);
    ten_status_free(status);
  }
  ten_file_unmap(&file);
  unlink(path);
  unlink(cut);
}

static void test_wrong_buffers(void **state) {
  (void)state;
  ten_program *model;
  ten_executable *compiled;
  check_ok(ten_program_parse(program, sizeof program - 1, "program", &model));
  check_ok(ten_program_compile(model, NULL, &compiled));
  ten_program_release(model);
  float x[6] = {0}, y[8];
  int32_t n;
  ten_buffer input = ten_executable_input(compiled, 0),
             outputs[2] = {ten_executable_output(compiled, 0), ten_executable_output(compiled, 1)};
  outputs[0].data = y;
  outputs[1].data = &n;
  check_error(ten_executable_execute(compiled, &input, 1, outputs, 2), TEN_INVALID,
              "input 0 needs 24 bytes, 0 are given");
  input.data = x;
  input.dtype = TEN_F64;
  check_error(ten_executable_execute(compiled, &input, 1, outputs, 2), TEN_INVALID,
              "input 0 is f64[2, 3], must be f32[2, 3]");
  input.dtype = (ten_dtype)12345;
  check_error(ten_executable_execute(compiled, &input, 1, outputs, 2), TEN_INVALID,
              "input 0 is none[2, 3], must be f32[2, 3]");
  check_error(ten_executable_execute(compiled, &input, 0, outputs, 2), TEN_INVALID,
              "the program takes 1 inputs and returns 2 outputs; 0 and 2 are given");
  ten_executable_release(compiled);
}

/* Every number of every plan, replaced by some that cannot be and some that can: an error, or a program that stays
 * within its buffers (the sanitizers' build sees whether it does). */
static void test_edits(void **state) {
  (void)state;
  static const uint64_t values[] = {
      0, 1, 3, 64, 4096, UINT32_MAX, UINT64_C(1) << 32, INT64_MAX, UINT64_MAX, (uint64_t)-64};
  enum { VALUES = sizeof values / sizeof *values };
  size_t ran = 0, refused = 0, tried = 0, plain = 0;
  setenv("TENFOLD_THREADS", "2", 1);
  for (int i = 0; i < TEN_PROGRAMS; i++) {
    size_t size = 0;
    char *whole = ten_file_of(ten_programs[i], &size);
    assert_non_null(whole);
    const ten_outcome as_made = ten_file_try(whole, size);
    assert_int_not_equal(as_made, TEN_REFUSED);
    plain += as_made == TEN_RAN;
    char *file = aligned_alloc(64, (size + 63) / 64 * 64);
    const char *code = memmem(whole, size, "\177ELF", 4);
    const size_t end = code ? (size_t)(code - whole) : size;
    for (size_t at = sizeof(cpu_object_header); at + 8 <= end; at += 4)
      for (size_t v = (at / 4) % 2; v < VALUES; v += 2) {
        memcpy(file, whole, size);
        memcpy(file + at, &values[v], 8);
        assert_int_equal(ten_file_try(file, size), memcmp(file, whole, size) ? TEN_REFUSED : as_made);
        ten_file_seal(file, size);
        const ten_outcome now = ten_file_try(file, size);
        ran += now == TEN_RAN;
        refused += now == TEN_REFUSED;
        tried++;
      }
    free(file);
    free(whole);
  }
  unsetenv("TENFOLD_THREADS");
  assert_int_equal(plain, TEN_PROGRAMS - 2); /* the last two have code */
  assert_true(refused > tried / 4);
  assert_true(ran > 100); /* or nothing was shown */
}

/* Inside another file it may lie anywhere; constants are read where they lie. */
static void test_alignment(void **state) {
  (void)state;
  size_t size = 0;
  char *whole = ten_file_of(ten_programs[0], &size);
  char *file = aligned_alloc(64, (size + 127) / 64 * 64);
  for (size_t offset = 1; offset < 64; offset += 9) {
    memcpy(file + offset, whole, size);
    cpu_executable *executable = NULL;
    check_error(cpu_object_read(file + offset, size, "step.ten", &executable), TEN_INVALID,
                "step.ten holds a compiled program that is not aligned to 64 bytes");
    assert_null(executable);
  }
  free(file);
  free(whole);
}

/* A descriptor that changes, or a kind of step, changes the format: whoever changes one counts CPU_OBJECT_FORMAT up and
 * writes the numbers here. Kernels after the last are new ones: they change nothing of older files. */
static void test_format(void **state) {
  (void)state;
  static const struct {
    const char *name;
    size_t now, written;
  } rows[] = {{"CPU_OBJECT_FORMAT", CPU_OBJECT_FORMAT, 18},
              {"the first kernel", CPU_HOST + 1, 10},
              {"TEN_READY_COUNT", TEN_READY_COUNT, 3},
              {"TEN_DTYPE_COUNT", TEN_DTYPE_COUNT, 33}};
  static const struct {
    const char *name;
    size_t descriptor;
  } kernels[] = {
      {"pack_b", 256},         {"gemm", 256},    {"pack_conv", 368}, {"conv", 368}, {"wgrad", 168}, {"attention", 384},
      {"attention_grad", 336}, {"scan", 40},     {"matmul", 576},    {"move", 208}, {"join", 1928}, {"sort", 80},
      {"cholesky", 24},        {"trisolve", 40}, {"fft", 56},        {"rng", 40}};
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
    if (rows[i].now != rows[i].written)
      fail_msg("%s is %zu, %zu when the format was %d: count CPU_OBJECT_FORMAT up and write both numbers here",
               rows[i].name, rows[i].now, rows[i].written, CPU_OBJECT_FORMAT);
  for (size_t i = 0; i < sizeof kernels / sizeof *kernels; i++) {
    const cpu_step_kind kind = (cpu_step_kind)(CPU_HOST + 1 + i);
    assert_string_equal(cpu_step_kind_name(kind), kernels[i].name);
    const size_t size = exec_kernel_of(kind)->descriptor;
    if (size != kernels[i].descriptor)
      fail_msg(
          "the descriptor of %s has %zu bytes, %zu when the format was %d: count CPU_OBJECT_FORMAT up and write "
          "both numbers here",
          kernels[i].name, size, kernels[i].descriptor, CPU_OBJECT_FORMAT);
  }
}

/* What the compiler makes passes the check of what is read from a file, its hoisted constants, too; and it is a check.
 */
static void test_compiled(void **state) {
  (void)state;
  ten_program *model;
  ten_executable *compiled;
  check_ok(ten_program_parse(program, sizeof program - 1, "program", &model));
  check_ok(ten_program_compile(model, NULL, &compiled));
  exec_loaded *loaded = &((cpu_executable *)compiled)->exec;
  assert_null(exec_check(loaded));
  size_t products = 0;
  for (size_t i = 0; i < loaded->program.steps.count; i++) {
    exec_step *step = &loaded->program.steps.data[i];
    if (step->kind != CPU_GEMM) continue;
    products++;
    cpu_gemm *gemm = step->descriptor;
    gemm->m += 1000;
    assert_non_null(exec_check(loaded));
    gemm->m -= 1000;
  }
  assert_true(products > 0);
  ten_executable_release(compiled);
  ten_program_release(model);
}

static const char bytes_program[] =
    "func.func @main(%x: tensor<5x8xui8>, %o: tensor<5x16xui8>, %s: tensor<16xf32>, %b: tensor<16xf32>) -> tensor<5x16xui8> {\n"
    "  %w = stablehlo.constant dense<3> : tensor<8x16xi8>\n"
    "  %zero = stablehlo.constant dense<0.0> : tensor<f32>\n"
    "  %most = stablehlo.constant dense<255.0> : tensor<f32>\n"
    "  %half = stablehlo.constant dense<0.5> : tensor<5x16xf32>\n"
    "  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<5x8xui8>, tensor<8x16xi8>) -> tensor<5x16xi32>\n"
    "  %1 = stablehlo.convert %0 : (tensor<5x16xi32>) -> tensor<5x16xf32>\n"
    "  %2 = stablehlo.broadcast_in_dim %s, dims = [1] : (tensor<16xf32>) -> tensor<5x16xf32>\n"
    "  %3 = stablehlo.broadcast_in_dim %b, dims = [1] : (tensor<16xf32>) -> tensor<5x16xf32>\n"
    "  %4 = stablehlo.multiply %1, %2 : tensor<5x16xf32>\n"
    "  %5 = stablehlo.add %4, %3 : tensor<5x16xf32>\n"
    "  %6 = stablehlo.convert %o : (tensor<5x16xui8>) -> tensor<5x16xf32>\n"
    "  %7 = stablehlo.multiply %6, %half : tensor<5x16xf32>\n"
    "  %8 = stablehlo.add %5, %7 : tensor<5x16xf32>\n"
    "  %9 = stablehlo.clamp %zero, %8, %most : (tensor<f32>, tensor<5x16xf32>, tensor<f32>) -> tensor<5x16xf32>\n"
    "  %10 = stablehlo.round_nearest_even %9 : tensor<5x16xf32>\n"
    "  %11 = stablehlo.convert %10 : (tensor<5x16xf32>) -> tensor<5x16xui8>\n"
    "  return %11 : tensor<5x16xui8>\n"
    "}\n";

/* An epilogue of bytes that a file describes wrongly would read or write where nothing is. */
static void test_bytes(void **state) {
  (void)state;
  ten_program *model;
  ten_executable *compiled;
  check_ok(ten_program_parse(bytes_program, sizeof bytes_program - 1, "bytes", &model));
  check_ok(ten_program_compile(model, NULL, &compiled));
  exec_loaded *loaded = &((cpu_executable *)compiled)->exec;
  assert_null(exec_check(loaded));
  cpu_int8 *d = NULL;
  for (size_t i = 0; i < loaded->program.steps.count; i++)
    if (loaded->program.steps.data[i].kind == CPU_INT8) d = loaded->program.steps.data[i].descriptor;
  assert_non_null(d);
  const cpu_int8 right = *d;
  assert_int_equal(right.shape.finish.kind, INT8_BYTES);
  assert_int_not_equal(right.other, UINT32_MAX);
  const uint32_t beyond[] = {right.epilogue_args, right.epilogue_args + 3, UINT32_MAX};
  for (size_t i = 0; i < sizeof beyond / sizeof *beyond; i++) {
    d->scale = beyond[i];
    assert_non_null(exec_check(loaded));
    *d = right, d->bias = beyond[i];
    assert_non_null(exec_check(loaded));
    *d = right, d->other = beyond[i];
    assert_true((beyond[i] == UINT32_MAX) == !exec_check(loaded)); /* none is fine */
    *d = right;
  }
  for (int kind = 0; kind < 5; kind++) { /* sums and floats take four bytes each */
    d->shape.finish.kind = (ten_int8_finish_kind)kind;
    assert_true((kind == INT8_BYTES) == !exec_check(loaded));
  }
  *d = right, d->shape.co *= 2; /* more than there are scales */
  assert_non_null(exec_check(loaded));
  *d = right, d->out_bytes = 4;
  assert_non_null(exec_check(loaded));
  *d = right, d->shape.zero = 256;
  assert_non_null(exec_check(loaded));
  *d = right;
  assert_null(exec_check(loaded));
  ten_executable_release(compiled);
  ten_program_release(model);
}

/* Every row of kernels.def says how it is run and checked, and fits where descriptors are copied. */
static void test_kernels(void **state) {
  (void)state;
  for (int i = 0; i < CPU_KIND_COUNT; i++) {
    const exec_kernel *kernel = exec_kernel_of((cpu_step_kind)i);
    assert_non_null(cpu_step_kind_name((cpu_step_kind)i));
    assert_int_equal(kernel != NULL, i > CPU_HOST);
    if (!kernel) continue;
    assert_true(!kernel->run != !kernel->run_whole);
    assert_non_null(kernel->check);
    assert_in_range(kernel->descriptor, 1, EXEC_DESCRIPTOR_MOST);
  }
  assert_null(exec_kernel_of(CPU_KIND_COUNT));
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_round_trip), cmocka_unit_test(test_wrong_buffers),
                                     cmocka_unit_test(test_edits),      cmocka_unit_test(test_alignment),
                                     cmocka_unit_test(test_format),     cmocka_unit_test(test_kernels),
                                     cmocka_unit_test(test_compiled),   cmocka_unit_test(test_bytes)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
