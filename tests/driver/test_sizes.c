/* test_sizes.c: the first size of a program with open dimensions brings the code of all, in StableHLO too; every result
 * is the interpreter's. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "driver/devices.h"
#include "driver/open_state.h"
#include "driver/sizes.h"

enum { INPUTS_MOST = 2, SYMBOLS = 3 };

typedef struct sample {
  const char *inputs[INPUTS_MOST]; /* 'a' to 'c' are open, digits are sizes */
  const char *text;
} sample;

static const sample free_sizes = {
    {"ab4", "a4c"},
    "func.func @main(%x: tensor<?x?x4xf32>, %y: tensor<?x4x?xf32>) -> tensor<?x?x?xf32> {\n"
    "  %0 = stablehlo.dot_general %x, %y, batching_dims = [0] x [0], contracting_dims = [2] "
    "x [1] : (tensor<?x?x4xf32>, tensor<?x4x?xf32>) -> tensor<?x?x?xf32>\n"
    "  %1 = stablehlo.tanh %0 : tensor<?x?x?xf32>\n  return %1 : tensor<?x?x?xf32>\n}\n"};
/* The second input is as large as the first. */
static const sample tied_sizes = {
    {"ab", "ab"},
    "func.func @main(%x: tensor<?x?xf32>, %y: tensor<?x?xf32>) -> tensor<?x?xf32> {\n"
    "  %0 = stablehlo.multiply %x, %y : tensor<?x?xf32>\n"
    "  %1 = stablehlo.transpose %0, dims = [1, 0] : (tensor<?x?xf32>) -> tensor<?x?xf32>\n"
    "  %2 = stablehlo.exponential %1 : tensor<?x?xf32>\n  return %2 : tensor<?x?xf32>\n}\n"};

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
  for (size_t i = 0; i < tensor->count; i++) ((float *)tensor->data)[i] = sinf((float)(i + seed));
  return tensor;
}

typedef struct opened {
  const sample *of;
  ten_import program;
  ten_executable *executable, *reference;
} opened;

static opened open_sample(const sample *of) {
  opened o = {of, parse(of->text), NULL, NULL};
  check_ok(ten_open_program_create(&o.program, &(ten_open_options){.settings.transient = true}, &o.executable));
  check_ok(ten_compile(ten_backend_find(TEN_STR("interp")), o.program.stablehlo,
                       ten_module_entry(o.program.stablehlo, (ten_str){0}), NULL, &o.reference));
  return o;
}

static void close_sample(opened *o) {
  ten_executable_release(o->executable);
  ten_executable_release(o->reference);
  ten_import_destroy(&o->program);
}

/* Runs it at these sizes: how often code was generated so far. */
static uint64_t run_at(const opened *o, int64_t a, int64_t b, int64_t c) {
  const int64_t sizes[SYMBOLS] = {a, b, c};
  ten_tensor *inputs[INPUTS_MOST] = {input_of(o->of->inputs[0], sizes, 1), input_of(o->of->inputs[1], sizes, 2)};
  ten_tensor *got, *want;
  check_ok(ten_execute(o->executable, inputs, INPUTS_MOST, NULL, &got));
  check_ok(ten_execute(o->reference, inputs, INPUTS_MOST, NULL, &want));
  assert_true(ten_tensor_same_shape(got, want));
  for (size_t i = 0; i < want->count; i++)
    assert_true(fabsf(((float *)got->data)[i] - ((float *)want->data)[i]) <= 2e-5f);
  ten_tensors_release(inputs, INPUTS_MOST);
  ten_tensor_release(got);
  ten_tensor_release(want);
  return ten_shared_count(((open_program *)o->executable)->settings.shared).compilations;
}

static void the_first_size_brings_code_for_all(void **state) {
  (void)state;
  static const sample *const all[] = {&free_sizes, &tied_sizes};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
    opened o = open_sample(all[i]);
    assert_int_equal(run_at(&o, 24, 27, 30), 1);
    assert_int_equal(run_at(&o, 5, 7, 3), 1);
    assert_int_equal(run_at(&o, 13, 31, 17), 1);
    assert_int_equal(run_at(&o, 97, 2, 41), 1);
    close_sample(&o);
  }
}

/* Nothing can be told from sizes of 1, which have code of their own; then the next size tells. */
static void the_second_size_tells_where_the_first_cannot(void **state) {
  (void)state;
  opened o = open_sample(&tied_sizes);
  assert_int_equal(run_at(&o, 1, 1, 1), 1);
  assert_int_equal(run_at(&o, 24, 27, 1), 2);
  assert_int_equal(run_at(&o, 5, 7, 1), 2);
  assert_int_equal(run_at(&o, 31, 90, 1), 2);
  close_sample(&o);
}

static void sizes_that_were_equal_by_chance_may_differ(void **state) {
  (void)state;
  opened o = open_sample(&tied_sizes);
  assert_int_equal(run_at(&o, 9, 9, 1), 1);
  assert_true(run_at(&o, 12, 40, 1) <= 2); /* code that takes both */
  assert_true(run_at(&o, 50, 11, 1) <= 2);
  assert_true(run_at(&o, 33, 33, 1) <= 2);
  close_sample(&o);
}

static void keys_are_those_of_programs_with_open_sizes(void **state) {
  (void)state;
  static const char fixed[] = "func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {\n  return %x : tensor<4xf32>\n}\n";
  const char *texts[] = {free_sizes.text, free_sizes.text, tied_sizes.text, fixed};
  ten_hash128 keys[4];
  for (size_t i = 0; i < 4; i++) {
    ten_import program = parse(texts[i]);
    keys[i] = ten_sizes_key(&program, ten_module_entry(program.stablehlo, (ten_str){0}));
    ten_import_destroy(&program);
  }
  assert_true(ten_hash128_eq(keys[0], keys[1]));
  assert_false(ten_hash128_eq(keys[0], keys[2]));
  assert_true(keys[0].low || keys[0].high);
  assert_false(keys[3].low || keys[3].high);
}

/* In a later process, or for another executable of the program, the cache has the code. */
static void code_is_in_the_cache(void **state) {
  (void)state;
  char folder[] = "test_sizes_XXXXXX";
  assert_non_null(mkdtemp(folder));
  setenv("TENFOLD_CACHE", "on", 1);
  setenv("TENFOLD_CACHE_DIR", folder, 1);
  for (uint64_t i = 0; i < 2; i++) {
    ten_import program = parse(tied_sizes.text);
    opened o = {&tied_sizes, program, NULL, NULL};
    check_ok(ten_open_program_create(&o.program, &(ten_open_options){0}, &o.executable));
    check_ok(ten_compile(ten_backend_find(TEN_STR("interp")), o.program.stablehlo,
                         ten_module_entry(o.program.stablehlo, (ten_str){0}), NULL, &o.reference));
    assert_int_equal(run_at(&o, 20 + (int64_t)i, 30, 1), 1 - i);
    assert_int_equal(run_at(&o, 6, 50 + (int64_t)i, 1), 1 - i);
    close_sample(&o);
  }
  setenv("TENFOLD_CACHE", "off", 1);
  char command[64];
  snprintf(command, sizeof command, "rm -r %s", folder);
  assert_int_equal(system(command), 0);
}

int main(void) {
  setenv("TENFOLD_CACHE", "off", 1);
  const struct CMUnitTest tests[] = {cmocka_unit_test(the_first_size_brings_code_for_all),
                                     cmocka_unit_test(the_second_size_tells_where_the_first_cannot),
                                     cmocka_unit_test(sizes_that_were_equal_by_chance_may_differ),
                                     cmocka_unit_test(keys_are_those_of_programs_with_open_sizes),
                                     cmocka_unit_test(code_is_in_the_cache)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
