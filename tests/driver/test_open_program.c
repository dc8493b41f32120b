/* test_open_program.c: programs with one to three open dimensions as files: opened again they give what the interpreter
 * gives, for sizes of 0, 1, primes and many, and the code in the file serves them. */
#include <elf.h>
#include <malloc.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "check.h"
#include "driver/devices.h"
#include "open_seal.h"

enum { INPUTS_MOST = 2, SYMBOLS = 3, SETS = 8 };

/* Inputs as their dimensions: 'a', 'b' and 'c' are open, digits are sizes. */
typedef struct sample {
  const char *text;
  const char *inputs[INPUTS_MOST];
} sample;

#define F(in, out, body) "func.func @main" in " -> " out " {\n" body "}\n"
static const sample samples[] = {
    {F("(%x: tensor<?x3xf32>)", "tensor<?x3xf32>",
       "  %0 = stablehlo.exponential %x : tensor<?x3xf32>\n  return %0 : tensor<?x3xf32>\n"),
     {"a3"}},
    {F("(%x: tensor<?x?xf32>)", "(tensor<?xf32>, tensor<?x?xf32>)",
       "  %c = stablehlo.constant dense<0.0> : tensor<f32>\n"
       "  %0 = stablehlo.reduce(%x init: %c) applies stablehlo.add across dimensions = [1] : (tensor<?x?xf32>, "
       "tensor<f32>) -> tensor<?xf32>\n"
       "  %1 = stablehlo.transpose %x, dims = [1, 0] : (tensor<?x?xf32>) -> tensor<?x?xf32>\n"
       "  %2 = stablehlo.negate %1 : tensor<?x?xf32>\n  return %0, %2 : tensor<?xf32>, tensor<?x?xf32>\n"),
     {"ab"}},
    {F("(%x: tensor<?x?x?xf32>, %y: tensor<?x?x?xf32>)", "tensor<?x?x?xf32>",
       "  %0 = stablehlo.multiply %x, %y : tensor<?x?x?xf32>\n  %1 = stablehlo.tanh %0 : tensor<?x?x?xf32>\n"
       "  return %1 : tensor<?x?x?xf32>\n"),
     {"abc", "abc"}},
    {F("(%x: tensor<?x?x4xf32>, %y: tensor<?x4x?xf32>)", "tensor<?x?x?xf32>",
       "  %0 = stablehlo.dot_general %x, %y, batching_dims = [0] x [0], contracting_dims = [2] x [1] : "
       "(tensor<?x?x4xf32>, tensor<?x4x?xf32>) -> tensor<?x?x?xf32>\n"
       "  %1 = stablehlo.negate %0 : tensor<?x?x?xf32>\n  return %1 : tensor<?x?x?xf32>\n"),
     {"ab4", "a4c"}},
    {F("(%x: tensor<?x4xf32>, %y: tensor<?x4xf32>)", "tensor<?x4xf32>",
       "  %0 = stablehlo.concatenate %x, %y, dim = 0 : (tensor<?x4xf32>, tensor<?x4xf32>) -> tensor<?x4xf32>\n"
       "  %1 = stablehlo.cosine %0 : tensor<?x4xf32>\n  return %1 : tensor<?x4xf32>\n"),
     {"a4", "b4"}},
    {F("(%x: tensor<?x5xf32>)", "tensor<?x5xf32>",
       "  %c = stablehlo.constant dense<0.5> : tensor<f32>\n"
       "  %n = stablehlo.get_dimension_size %x, dim = 0 : (tensor<?x5xf32>) -> tensor<i32>\n"
       "  %f = stablehlo.constant dense<5> : tensor<1xi32>\n"
       "  %r = stablehlo.reshape %n : (tensor<i32>) -> tensor<1xi32>\n"
       "  %s = stablehlo.concatenate %r, %f, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>\n"
       "  %b = stablehlo.dynamic_broadcast_in_dim %c, %s, dims = [] : (tensor<f32>, tensor<2xi32>) -> tensor<?x5xf32>\n"
       "  %0 = stablehlo.power %b, %x : tensor<?x5xf32>\n  return %0 : tensor<?x5xf32>\n"),
     {"a5"}},
};
#undef F
static const int64_t sets[SETS][SYMBOLS] = {{24, 27, 30}, {5, 7, 3},     {13, 31, 17}, {97, 2, 41},
                                            {1, 1, 1},    {301, 1, 127}, {0, 4, 3},    {3, 0, 0}};

static ten_import parse(const char *text) {
  ten_import program = {0};
  check_ok(ten_text_parse(text, strlen(text), "test.mlir", &program.stablehlo));
  return program;
}

static ten_tensor *input_of(const char *shape, const int64_t *sizes, uint32_t seed) {
  int64_t dims[TEN_RANK_MAX];
  uint32_t rank = 0;
  for (; shape[rank]; rank++) dims[rank] = shape[rank] >= 'a' ? sizes[shape[rank] - 'a'] : shape[rank] - '0';
  ten_tensor *tensor;
  check_ok(ten_tensor_create(TEN_F32, rank, dims, &tensor));
  for (size_t i = 0; i < tensor->count; i++) {
    seed = seed * 1664525 + 1013904223;
    ((float *)tensor->data)[i] = (float)(seed >> 8) / (1 << 24) - 0.5f;
  }
  return tensor;
}

static void same(const ten_tensor *got, const ten_tensor *want) {
  assert_true(ten_tensor_same_shape(got, want));
  for (size_t i = 0; i < want->count; i++)
    assert_true(fabsf(((float *)got->data)[i] - ((float *)want->data)[i]) <= 2e-5f);
}

static void run_set(ten_executable *opened, ten_executable *reference, const sample *s, const int64_t *sizes) {
  ten_tensor *inputs[INPUTS_MOST] = {0}, *got[2], *want[2];
  for (uint32_t i = 0; i < opened->input_count; i++) inputs[i] = input_of(s->inputs[i], sizes, i + 1);
  check_ok(ten_execute(opened, inputs, opened->input_count, NULL, got));
  check_ok(ten_execute(reference, inputs, opened->input_count, NULL, want));
  for (uint32_t i = 0; i < opened->output_count; i++) same(got[i], want[i]);
  ten_tensors_release(inputs, opened->input_count);
  ten_tensors_release(got, opened->output_count);
  ten_tensors_release(want, opened->output_count);
}

static uint64_t compilations(ten_executable *opened) {
  return ten_shared_count(((open_program *)opened)->settings.shared).compilations;
}

static void files_serve_all_sizes(void **state) {
  (void)state;
  const char path[] = "test_open_program.ten";
  for (size_t k = 0; k < sizeof samples / sizeof *samples; k++) {
    ten_import program = parse(samples[k].text);
    check_ok(ten_open_program_save(&program, &(ten_open_options){0}, path));
    ten_executable *opened, *reference;
    check_ok(ten_compiled_file_open(path, NULL, &opened));
    check_ok(ten_compile(ten_backend_find(TEN_STR("interp")), program.stablehlo,
                         ten_module_entry(program.stablehlo, (ten_str){0}), NULL, &reference));
    for (size_t i = 0; i < 4; i++) run_set(opened, reference, &samples[k], sets[i]);
    assert_int_equal(compilations(opened), 0); /* sizes above 1: by the code of the file */
    for (size_t i = 4; i < SETS; i++) run_set(opened, reference, &samples[k], sets[i]);
    assert_true(compilations(opened) <= SETS - 4); /* other steps may be planned for sizes of 0 and 1 */
    ten_executable_release(opened);
    ten_executable_release(reference);
    ten_import_destroy(&program);
  }
  unlink(path);
}

/* A file that was written on another architecture: its code is not used. */
static void code_of_another_architecture_is_made_again(void **state) {
  (void)state;
  const char path[] = "test_open_foreign.ten";
  ten_import program = parse(samples[0].text);
  check_ok(ten_open_program_save(&program, &(ten_open_options){0}, path));
  ten_file file;
  check_ok(ten_file_map(path, &file));
  char *copy = malloc(file.size);
  const size_t size = file.size;
  memcpy(copy, file.data, size);
  ten_file_unmap(&file);
  size_t found = 0;
  for (size_t i = 0; i + sizeof(Elf64_Ehdr) <= size; i++) {
    if (memcmp(copy + i, ELFMAG, SELFMAG) != 0) continue;
    Elf64_Half *machine = (Elf64_Half *)(void *)(copy + i + offsetof(Elf64_Ehdr, e_machine));
    *machine = *machine == EM_X86_64 ? EM_AARCH64 : EM_X86_64;
    found++;
  }
  assert_true(found > 0);
  ten_open_file_seal(copy, size);
  check_ok(ten_file_write_atomic(path, copy, size));
  free(copy);
  ten_executable *opened, *reference;
  check_ok(ten_compiled_file_open(path, NULL, &opened));
  check_ok(ten_compile(ten_backend_find(TEN_STR("interp")), program.stablehlo,
                       ten_module_entry(program.stablehlo, (ten_str){0}), NULL, &reference));
  run_set(opened, reference, &samples[0], sets[1]);
  assert_int_equal(compilations(opened), 1);
  ten_executable_release(opened);
  ten_executable_release(reference);
  ten_import_destroy(&program);
  unlink(path);
}

static void wrong_sizes_are_refused(void **state) {
  (void)state;
  const char path[] = "test_open_wrong.ten";
  ten_import program = parse(samples[3].text);
  check_ok(ten_open_program_save(&program, &(ten_open_options){0}, path));
  ten_executable *opened;
  check_ok(ten_compiled_file_open(path, NULL, &opened));
  ten_tensor *inputs[2] = {input_of("ab4", sets[1], 1), input_of("a4c", sets[2], 2)}, *got[1];
  ten_status *status = ten_execute(opened, inputs, 2, NULL, got);
  assert_non_null(status);
  assert_non_null(strstr(ten_status_text(status), "batching dimension 0 of lhs has size 5, 0 of rhs has 13"));
  ten_status_free(status);
  ten_tensor_release(inputs[1]);
  inputs[1] = input_of("a5c", sets[1], 2);
  check_error(ten_execute(opened, inputs, 2, NULL, got), TEN_INVALID,
              "input 1 is tensor<5x5x3xf32>, @main takes tensor<?x4x?xf32>");
  ten_tensors_release(inputs, 2);
  ten_executable_release(opened);
  ten_import_destroy(&program);
  unlink(path);
}

/* [2], then [2, 0], [2, 3, 4] and [2] again: an unranked input has a plan of its own for each rank. */
static void ranks_may_differ(void **state) {
  (void)state;
  ten_import program = parse(
      "func.func @main(%x: tensor<*xf32>) -> tensor<*xf32> {\n"
      "  %0 = chlo.broadcast_add %x, %x : (tensor<*xf32>, tensor<*xf32>) -> tensor<*xf32>\n"
      "  return %0 : tensor<*xf32>\n}\n");
  ten_executable *open, *compiled;
  const ten_op *func = ten_module_entry(program.stablehlo, (ten_str){0});
  check_ok(ten_open_program_create(&program, &(ten_open_options){.settings.transient = true}, &open));
  check_ok(ten_compile(ten_backend_default(), program.stablehlo, func, NULL, &compiled));
  static const char *const shapes[] = {"2", "20", "234", "2"};
  for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
    ten_tensor *input = input_of(shapes[i], NULL, 1);
    for (int k = 0; k < 2; k++) {
      ten_tensor *got;
      check_ok(ten_execute(k ? open : compiled, &input, 1, NULL, &got));
      assert_true(ten_tensor_same_shape(got, input));
      for (size_t e = 0; e < got->count; e++) assert_true(((float *)got->data)[e] == 2 * ((float *)input->data)[e]);
      ten_tensor_release(got);
    }
    ten_tensor_release(input);
  }
  ten_executable_release(open);
  ten_executable_release(compiled);
  ten_import_destroy(&program);
}

/* A range that holds no size is no range: files may say anything. */
static void empty_ranges_choose_no_sizes(void **state) {
  (void)state;
  static const char *const ranges[] = {"5, -100", "3, -9223372036854775808", "9223372036854775807, 0"};
  const char path[] = "test_open_range.ten";
  for (size_t k = 0; k < sizeof ranges / sizeof *ranges; k++) {
    char text[512];
    snprintf(text, sizeof text,
             "func.func @main(%%x: tensor<?x3xf32> {aten.symbols = [\"s\", \"\"]}) -> tensor<?x3xf32> "
             "attributes {aten.ranges = {s = array<i64: %s>}} {\n"
             "  %%0 = stablehlo.exponential %%x : tensor<?x3xf32>\n  return %%0 : tensor<?x3xf32>\n}\n",
             ranges[k]);
    ten_import program = parse(text);
    check_ok(ten_open_program_save(&program, &(ten_open_options){0}, path));
    ten_executable *opened, *reference;
    check_ok(ten_compiled_file_open(path, NULL, &opened));
    check_ok(ten_compile(ten_backend_find(TEN_STR("interp")), program.stablehlo,
                         ten_module_entry(program.stablehlo, (ten_str){0}), NULL, &reference));
    run_set(opened, reference, &samples[0], sets[1]);
    assert_int_equal(compilations(opened), 0); /* by the code of the file */
    ten_executable_release(opened);
    ten_executable_release(reference);
    ten_import_destroy(&program);
  }
  unlink(path);
}

/* 120 sizes, or a thousand with TENFOLD_TEST_ALL, after more than stay at once: the same memory. */
static void sizes_leave_memory_flat(void **state) {
  (void)state;
  enum { STAY = 80, SLACK = 1 << 20 };
  const int64_t count = STAY + (getenv("TENFOLD_TEST_ALL") ? 1000 : 120);
  ten_import program = parse(samples[1].text);
  ten_executable *executable;
  check_ok(ten_open_program_create(&program, &(ten_open_options){.settings.transient = true}, &executable));
  size_t before = 0;
  for (int64_t i = 0; i < count; i++) {
    if (i == STAY) before = mallinfo2().uordblks;
    const int64_t sizes[SYMBOLS] = {2 + i, 3 + i * 7 % 50, 0};
    ten_tensor *input = input_of("ab", sizes, 1), *got[2];
    check_ok(ten_execute(executable, &input, 1, NULL, got));
    ten_tensor_release(input);
    ten_tensors_release(got, 2);
  }
  const size_t after = mallinfo2().uordblks;
  assert_true(after <= before + SLACK);
  assert_true(compilations(executable) <= 4);
  ten_executable_release(executable);
  ten_import_destroy(&program);
}

int main(void) {
  setenv("TENFOLD_CACHE", "off", 1);
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(files_serve_all_sizes),        cmocka_unit_test(code_of_another_architecture_is_made_again),
      cmocka_unit_test(wrong_sizes_are_refused),      cmocka_unit_test(ranks_may_differ),
      cmocka_unit_test(empty_ranges_choose_no_sizes), cmocka_unit_test(sizes_leave_memory_flat)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
