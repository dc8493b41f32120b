/* Tuning: every matmul and convolution of a program is measured once; what was chosen is what is compiled; blocks and
 * threads do not change a bit, and other algorithms only the last ones. */
#include <math.h>
#include <stdlib.h>

#include "backend/cpu/choose/tune.h"
#include "backend/cpu/codegen/jit.h"
#include "check.h"
#include "ir/text/text.h"

static const char text[] =
    "func.func @main(%x: tensor<1x20x20x16xf32>, %w: tensor<3x3x16x32xf32>, %k: tensor<40x70xf32>, %m: tensor<400x32xf32>, "
    "%b: tensor<32x40xf32>) -> (tensor<1x20x20x32xf32>, tensor<400x70xf32>) {\n"
    "  %0 = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {pad = [[1, 1], [1, 1]]} "
    "{batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x20x20x16xf32>, tensor<3x3x16x32xf32>) -> tensor<1x20x20x32xf32>\n"
    "  %1 = stablehlo.tanh %0 : tensor<1x20x20x32xf32>\n"
    "  %2 = stablehlo.dot_general %m, %b, contracting_dims = [1] x [0] : (tensor<400x32xf32>, tensor<32x40xf32>) -> tensor<400x40xf32>\n"
    "  %3 = stablehlo.dot_general %2, %k, contracting_dims = [1] x [0] : (tensor<400x40xf32>, tensor<40x70xf32>) -> tensor<400x70xf32>\n"
    "  return %1, %3 : tensor<1x20x20x32xf32>, tensor<400x70xf32>\n}\n";
enum { INPUTS = 5, OUTPUTS = 2 };
static const size_t input_counts[INPUTS] = {6400, 4608, 2800, 12800, 1280};
static const size_t output_counts[OUTPUTS] = {12800, 28000};

typedef struct fixture {
  ten_module *module;
  const ten_op *func;
  ten_cpu_target target;
  cpu_tuning tuning;
  float *inputs[INPUTS];
} fixture;

static void open_fixture(fixture *f) {
  *f = (fixture){0};
  check_ok(ten_text_parse(text, sizeof text - 1, "program", &f->module));
  f->func = ten_module_entry(f->module, (ten_str){0});
  check_ok(ten_cpu_target_host(&f->target));
  cpu_plan plan = {0};
  check_ok(cpu_prepare(f->module, f->func, &(ten_settings){0}, NULL, &plan));
  cpu_tune(&plan, &f->tuning);
  cpu_plan_destroy(&plan);
  unsigned seed = 1;
  for (size_t i = 0; i < INPUTS; i++) {
    f->inputs[i] = malloc(input_counts[i] * sizeof(float));
    for (size_t k = 0; k < input_counts[i]; k++) {
      seed = seed * 1664525u + 1013904223u;
      f->inputs[i][k] = (float)(seed >> 8) / (float)(1 << 24) - 0.5f;
    }
  }
}

static void close_fixture(fixture *f) {
  for (size_t i = 0; i < INPUTS; i++) free(f->inputs[i]);
  cpu_tuning_free(&f->tuning);
  ten_cpu_target_free(&f->target);
  ten_module_destroy(f->module);
}

static void run(fixture *f, cpu_tuning *tuning, float *outputs[OUTPUTS]) {
  cpu_executable *executable;
  ten_buf code = {0};
  check_ok(cpu_compile_whole(f->module, f->func, &(ten_settings){0}, &f->target, tuning, &executable, &code));
  for (size_t i = 0; i < OUTPUTS; i++) outputs[i] = malloc(output_counts[i] * sizeof(float));
  check_ok(exec_call(&executable->exec, NULL, false, (void *const *)f->inputs, (void *const *)outputs));
  cpu_destroy(&executable->base);
  ten_buf_free(&code);
}

static cpu_choice *choice_of(fixture *f, const char *label) {
  for (size_t i = 0; i < f->tuning.choices.count; i++)
    if (!strcmp(f->tuning.choices.data[i].label, label)) return &f->tuning.choices.data[i];
  fail_msg("'%s' was not measured", label);
  return NULL;
}

static void test_everything_is_measured(void **state) {
  (void)state;
  fixture f;
  open_fixture(&f);
  assert_int_equal(f.tuning.choices.count, 3);
  const char *labels[] = {"convolution 1×20×20×16 to 32, 3×3", "matmul 400×32×40", "matmul 400×40×70"};
  for (size_t i = 0; i < 3; i++) {
    const cpu_choice *choice = choice_of(&f, labels[i]);
    assert_int_equal(choice->uses, 1);
    assert_true(choice->seconds > 0 && choice->seconds < 10 && choice->seconds <= choice->was_seconds);
    assert_true(choice->other_bits == (choice->now.algorithm != choice->was.algorithm));
  }
  close_fixture(&f);
}

static const cpu_conv *conv_of(const cpu_plan *plan) {
  for (size_t i = 0; i < plan->body.steps.count; i++)
    if (plan->body.steps.data[i]->kind == CPU_CONV) return plan->body.steps.data[i]->descriptor;
  fail_msg("there is no convolution");
  return NULL;
}

static void test_choices_are_what_is_compiled(void **state) {
  (void)state;
  fixture f;
  open_fixture(&f);
  cpu_choice *conv = choice_of(&f, "convolution 1×20×20×16 to 32, 3×3");
  for (int algorithm = TEN_CONV_IM2COL; algorithm <= TEN_CONV_WINOGRAD23; algorithm++) {
    conv->now = (cpu_way){.algorithm = algorithm, .block = 24, .alone = algorithm == TEN_CONV_IM2COL};
    cpu_plan plan = {.tuning = &f.tuning};
    check_ok(cpu_prepare(f.module, f.func, &(ten_settings){0}, NULL, &plan));
    const cpu_conv *c = conv_of(&plan);
    assert_int_equal(c->conv.algorithm, algorithm);
    assert_int_equal(c->conv.block, 24);
    assert_true(c->alone == (algorithm == TEN_CONV_IM2COL));
    cpu_plan_destroy(&plan);
  }
  close_fixture(&f);
}

static void compare(float *const *x, float *const *y, double allowed) {
  for (size_t i = 0; i < OUTPUTS; i++)
    for (size_t k = 0; k < output_counts[i]; k++)
      if (!(fabs((double)x[i][k] - (double)y[i][k]) <= allowed))
        fail_msg("output %zu at %zu: %g and %g", i, k, (double)x[i][k], (double)y[i][k]);
}

static void free_all(float **outputs) {
  for (size_t i = 0; i < OUTPUTS; i++) free(outputs[i]);
}

static void test_results(void **state) {
  (void)state;
  fixture f;
  open_fixture(&f);
  float *usual[OUTPUTS], *other[OUTPUTS];
  run(&f, NULL, usual);
  const cpu_way was[3] = {f.tuning.choices.data[0].was, f.tuning.choices.data[1].was, f.tuning.choices.data[2].was};
  static const int64_t blocks[] = {1, 5, 24, 1000};
  for (size_t i = 0; i < 4; i++) { /* the same bits */
    for (size_t k = 0; k < 3; k++) {
      f.tuning.choices.data[k].now = was[k];
      f.tuning.choices.data[k].now.block = blocks[i];
      f.tuning.choices.data[k].now.alone = i % 2;
    }
    run(&f, &f.tuning, other);
    compare(usual, other, 0);
    free_all(other);
  }
  for (int way = -1; way <= 1; way += 2) { /* nearly */
    for (size_t k = 0; k < 3; k++)
      f.tuning.choices.data[k].now.algorithm = f.tuning.choices.data[k].label[0] == 'p' ? way
                                               : way < 0                                ? TEN_CONV_IM2COL
                                                                                        : TEN_CONV_WINOGRAD23;
    run(&f, &f.tuning, other);
    compare(usual, other, 1e-4);
    free_all(other);
  }
  free_all(usual);
  close_fixture(&f);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_everything_is_measured),
                                     cmocka_unit_test(test_choices_are_what_is_compiled),
                                     cmocka_unit_test(test_results)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
