/* ten_edits.h: compiled files with other numbers in them, for the fuzzer and the test: files are made of small
 * programs, changed, given the checksum of what they are now, and read. What is accepted and has no machine code runs,
 * on buffers of exactly the sizes that it says. Code is never run: nothing can tell what it does. */
#ifndef TEN_TESTS_TEN_EDITS_H
#define TEN_TESTS_TEN_EDITS_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "../driver/open_seal.h"
#include "backend/cpu/exec/object.h"
#include "base/file.h"
#include "base/hash.h"
#include "tenfold/executable.h"

#define F(in, out, body) "func.func @main" in " -> " out " {\n" body "}\n"
static const char *const ten_programs[] = {
    F("(%a: tensor<12x20xf32>, %b: tensor<20x9xf32>)", "tensor<12x9xf32>",
      "  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<12x20xf32>, tensor<20x9xf32>) -> "
      "tensor<12x9xf32>\n  return %0 : tensor<12x9xf32>\n"),
    F("(%a: tensor<2x3x7x8xf32>, %b: tensor<2x3x8x5xf32>)", "tensor<2x3x7x5xf32>",
      "  %0 = stablehlo.dot_general %a, %b, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [2] : "
      "(tensor<2x3x7x8xf32>, tensor<2x3x8x5xf32>) -> tensor<2x3x7x5xf32>\n  return %0 : tensor<2x3x7x5xf32>\n"),
    F("(%a: tensor<40x64xi32>, %b: tensor<64x48xi32>)", "tensor<40x48xi32>",
      "  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<40x64xi32>, tensor<64x48xi32>) -> "
      "tensor<40x48xi32>\n  return %0 : tensor<40x48xi32>\n"),
    F("(%x: tensor<2x9x9x3xf32>, %w: tensor<3x3x3x8xf32>)", "tensor<2x9x9x8xf32>",
      "  %0 = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {pad = "
      "[[1, 1], [1, 1]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x9x9x3xf32>, "
      "tensor<3x3x3x8xf32>) -> tensor<2x9x9x8xf32>\n  return %0 : tensor<2x9x9x8xf32>\n"),
    F("(%x: tensor<2x20x20x16xf64>, %w: tensor<3x3x16x24xf64>)", "tensor<2x9x9x24xf64>",
      "  %0 = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = "
      "[2, 2]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x20x20x16xf64>, "
      "tensor<3x3x16x24xf64>) -> tensor<2x9x9x24xf64>\n  return %0 : tensor<2x9x9x24xf64>\n"),
    F("(%x: tensor<3x12xcomplex<f32>>)", "tensor<3x12xcomplex<f32>>",
      "  %0 = stablehlo.fft %x, type = FFT, length = [12] : (tensor<3x12xcomplex<f32>>) -> "
      "tensor<3x12xcomplex<f32>>\n  return %0 : tensor<3x12xcomplex<f32>>\n"),
    F("(%x: tensor<3x14xf64>)", "tensor<3x8xcomplex<f64>>",
      "  %0 = stablehlo.fft %x, type = RFFT, length = [14] : (tensor<3x14xf64>) -> tensor<3x8xcomplex<f64>>\n"
      "  return %0 : tensor<3x8xcomplex<f64>>\n"),
    F("(%x: tensor<2x6x6xf32>, %b: tensor<2x6x3xf32>)", "(tensor<2x6x6xf32>, tensor<2x6x3xf32>)",
      "  %0 = stablehlo.cholesky %x, lower = true : tensor<2x6x6xf32>\n"
      "  %1 = \"stablehlo.triangular_solve\"(%x, %b) {left_side = true, lower = true, unit_diagonal = false, "
      "transpose_a = #stablehlo<transpose NO_TRANSPOSE>} : (tensor<2x6x6xf32>, tensor<2x6x3xf32>) -> "
      "tensor<2x6x3xf32>\n  return %0, %1 : tensor<2x6x6xf32>, tensor<2x6x3xf32>\n"),
    F("(%s: tensor<2xui64>)", "(tensor<2xui64>, tensor<9x5xui32>)",
      "  %0, %1 = stablehlo.rng_bit_generator %s, algorithm = THREE_FRY : (tensor<2xui64>) -> (tensor<2xui64>, "
      "tensor<9x5xui32>)\n  return %0, %1 : tensor<2xui64>, tensor<9x5xui32>\n"),
    F("(%x: tensor<20x30x7xf32>)", "(tensor<7x30x20xf32>, tensor<30x20x7xf32>)",
      "  %0 = stablehlo.transpose %x, dims = [2, 1, 0] : (tensor<20x30x7xf32>) -> tensor<7x30x20xf32>\n"
      "  %1 = stablehlo.transpose %x, dims = [1, 0, 2] : (tensor<20x30x7xf32>) -> tensor<30x20x7xf32>\n"
      "  return %0, %1 : tensor<7x30x20xf32>, tensor<30x20x7xf32>\n"),
    F("(%x: tensor<50x64xf32>, %y: tensor<50x96xf32>)", "tensor<50x160xf32>",
      "  %0 = stablehlo.concatenate %x, %y, dim = 1 : (tensor<50x64xf32>, tensor<50x96xf32>) -> tensor<50x160xf32>\n"
      "  return %0 : tensor<50x160xf32>\n"),
    F("(%x: tensor<2x12x12x16xf32>, %g: tensor<2x12x12x32xf32>)", "tensor<3x3x16x32xf32>",
      "  %0 = stablehlo.convolution(%x, %g) dim_numbers = [f, 0, 1, b]x[i, 0, 1, o]->[0, 1, b, f], window = {pad = "
      "[[1, 1], [1, 1]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x12x12x16xf32>, "
      "tensor<2x12x12x32xf32>) -> tensor<3x3x16x32xf32>\n  return %0 : tensor<3x3x16x32xf32>\n"),
    F("(%x: tensor<4x20xi64>)", "tensor<4x20xi64>",
      "  %c = stablehlo.constant dense<0> : tensor<i64>\n"
      "  %0 = \"stablehlo.reduce_window\"(%x, %c) ({\n  ^bb0(%p: tensor<i64>, %q: tensor<i64>):\n"
      "    %r = stablehlo.add %p, %q : tensor<i64>\n    stablehlo.return %r : tensor<i64>\n"
      "  }) {window_dimensions = array<i64: 1, 20>, padding = dense<[[0, 0], [19, 0]]> : tensor<2x2xi64>} : "
      "(tensor<4x20xi64>, tensor<i64>) -> tensor<4x20xi64>\n  return %0 : tensor<4x20xi64>\n"),
    /* with machine code: read, and not run */
    F("(%x: tensor<4x9xf32>, %b: tensor<9x6xf32>)", "(tensor<4x6xf32>, tensor<4x9xf32>, tensor<i32>)",
      "  %0 = stablehlo.dot_general %x, %b, contracting_dims = [1] x [0] : (tensor<4x9xf32>, tensor<9x6xf32>) -> "
      "tensor<4x6xf32>\n  %1 = stablehlo.tanh %0 : tensor<4x6xf32>\n"
      "  %2 = \"stablehlo.sort\"(%x) ({\n  ^bb0(%p: tensor<f32>, %q: tensor<f32>):\n"
      "    %r = stablehlo.compare LT, %p, %q : (tensor<f32>, tensor<f32>) -> tensor<i1>\n"
      "    stablehlo.return %r : tensor<i1>\n  }) {dimension = 1 : i64, is_stable = true} : (tensor<4x9xf32>) -> "
      "tensor<4x9xf32>\n"
      "  %c = stablehlo.constant dense<0> : tensor<i32>\n  %n = stablehlo.constant dense<7> : tensor<i32>\n"
      "  %3 = stablehlo.while(%i = %c) : tensor<i32> cond {\n"
      "    %4 = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>\n"
      "    stablehlo.return %4 : tensor<i1>\n  } do {\n    %one = stablehlo.constant dense<2> : tensor<i32>\n"
      "    %4 = stablehlo.add %i, %one : tensor<i32>\n    stablehlo.return %4 : tensor<i32>\n  }\n"
      "  return %1, %2, %3 : tensor<4x6xf32>, tensor<4x9xf32>, tensor<i32>\n"),
    /* with open dimensions: the program itself, and code */
    F("(%x: tensor<?x9xf32>, %y: tensor<?x9xf32>)", "tensor<?x9xf32>",
      "  %0 = stablehlo.tanh %x : tensor<?x9xf32>\n  %1 = stablehlo.add %0, %y : tensor<?x9xf32>\n"
      "  return %1 : tensor<?x9xf32>\n")};
#undef F
enum { TEN_PROGRAMS = sizeof ten_programs / sizeof *ten_programs, TEN_RUN_MOST = 1 << 26 };

/* The program as a compiled file; the caller frees it. NULL: an error was printed. */
static char *ten_file_of(const char *text, size_t *out_size) {
  char path[] = "/tmp/tenfold_edits_XXXXXX.ten";
  close(mkstemps(path, 4));
  ten_program *model = NULL;
  ten_file file = {0};
  ten_status *status = ten_program_parse(text, strlen(text), "program", &model);
  if (!status) status = ten_program_compile_to(model, NULL, path);
  if (!status) status = ten_file_map(path, &file);
  unlink(path);
  ten_program_release(model);
  if (status) {
    fprintf(stderr, "%s\n", ten_status_text(status));
    ten_status_free(status);
    return NULL;
  }
  *out_size = file.size;
  char *copy = aligned_alloc(64, (file.size + 63) / 64 * 64);
  memcpy(copy, file.data, file.size);
  ten_file_unmap(&file);
  return copy;
}

_Static_assert(sizeof(open_file_header) == sizeof(cpu_object_header), "edits begin after either");

/* The header of what the file is now. */
static void ten_file_seal(char *data, size_t size) {
  if (size < sizeof(cpu_object_header)) return;
  if (ten_open_program_is((ten_str){data, size})) {
    ten_open_file_seal(data, size);
    return;
  }
  cpu_object_header header;
  memcpy(&header, data, sizeof header);
  memcpy(header.magic, cpu_object_magic, sizeof header.magic);
  header.format = CPU_OBJECT_FORMAT;
  header.size = size;
  const ten_hash128 sum = ten_hash128_of(data + sizeof header, size - sizeof header, 0);
  header.checksum[0] = sum.low;
  header.checksum[1] = sum.high;
  memcpy(data, &header, sizeof header);
}

static bool ten_is_plain(const exec_program *program) {
  for (size_t i = 0; i < program->steps.count; i++) {
    const exec_step *step = &program->steps.data[i];
    if (step->symbol != UINT32_MAX || step->kind == CPU_WHILE || step->kind == CPU_CHUNKS) return false;
  }
  return true;
}

/* All that a run would take; SIZE_MAX when that does not fit. */
static size_t ten_run_bytes(const exec_program *plan) {
  size_t all = plan->arena_bytes;
  for (uint32_t i = 0; i < plan->input_count && all < TEN_RUN_MOST; i++) all += plan->inputs[i].bytes;
  for (uint32_t i = 0; i < plan->output_count && all < TEN_RUN_MOST; i++) {
    const size_t bytes = plan->outputs[i].bytes;
    all = bytes > TEN_RUN_MOST ? SIZE_MAX : all + bytes;
  }
  return all;
}

/* Memory that ends where the next page cannot be touched, but for alignment: kernels of wide elements may be given the
 * buffers of narrow ones. */
static size_t ten_aligned(size_t bytes) { return (bytes + 15) / 16 * 16; }
static void *ten_guarded(size_t bytes) {
  bytes = ten_aligned(bytes);
  const size_t page = (size_t)sysconf(_SC_PAGESIZE), size = (bytes + page - 1) / page * page;
  char *memory = mmap(NULL, size + page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED || mprotect(memory + size, page, PROT_NONE)) abort();
  return memory + size - bytes;
}
static void ten_guarded_free(void *memory, size_t bytes) {
  bytes = ten_aligned(bytes);
  const size_t page = (size_t)sysconf(_SC_PAGESIZE), size = (bytes + page - 1) / page * page;
  munmap((char *)memory + bytes - size, size + page);
}

static void ten_run_plain(exec_loaded *loaded) {
  const exec_program *plan = &loaded->program;
  loaded->threads = 1;
  if (ten_run_bytes(plan) > TEN_RUN_MOST) return;
  ten_status *status = exec_load(loaded, NULL);
  void **inputs = calloc(plan->input_count + 1, sizeof *inputs),
       **outputs = calloc(plan->output_count + 1, sizeof *outputs);
  for (uint32_t i = 0; i < plan->input_count; i++) inputs[i] = ten_guarded(plan->inputs[i].bytes);
  for (uint32_t i = 0; i < plan->output_count; i++) outputs[i] = ten_guarded(plan->outputs[i].bytes);
  if (!status) status = exec_call(loaded, NULL, false, inputs, outputs);
  ten_status_free(status);
  for (uint32_t i = 0; i < plan->input_count; i++) ten_guarded_free(inputs[i], plan->inputs[i].bytes);
  for (uint32_t i = 0; i < plan->output_count; i++) ten_guarded_free(outputs[i], plan->outputs[i].bytes);
  free(inputs);
  free(outputs);
}

typedef enum ten_outcome { TEN_REFUSED, TEN_ACCEPTED, TEN_RAN } ten_outcome;

/* The executable owns its file. */
static ten_outcome ten_open_file_try(const char *data, size_t size) {
  char *copy = aligned_alloc(64, (size + 63) / 64 * 64);
  memcpy(copy, data, size);
  ten_executable *executable;
  ten_status *status = ten_open_program_read(&(ten_file){.data = copy, .size = size}, "the file", &executable);
  if (!status) return ten_executable_release(executable), TEN_ACCEPTED;
  ten_status_free(status);
  free(copy);
  return TEN_REFUSED;
}

/* Reads the file, of which nothing is trusted, and runs it where it has no code. */
static ten_outcome ten_file_try(const char *data, size_t size) {
  if (ten_open_program_is((ten_str){data, size})) return ten_open_file_try(data, size);
  ten_status *status = cpu_object_verify(data, size, "the file");
  if (status) return ten_status_free(status), TEN_REFUSED;
  exec_loaded *program = calloc(1, sizeof *program);
  exec_open(program);
  cpu_object_needs needs;
  status = cpu_object_parse(data, size, "the file", program, &needs);
  if (!status) status = cpu_object_check(program, needs.code.size, "the file");
  ten_outcome outcome = status ? TEN_REFUSED : TEN_ACCEPTED;
  if (!status && ten_is_plain(&program->program)) {
    ten_run_plain(program);
    outcome = TEN_RAN;
  }
  ten_status_free(status);
  exec_close(program);
  free(program);
  return outcome;
}

#endif
