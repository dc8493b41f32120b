/* test_partition.c: programs with shardings, made into what each device does: tiles, and where devices meet. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "ir/text/text.h"
#include "ir/verify/verify.h"
#include "transform/shard/spread.h"

/* Two layers, the samples cut over "x", the width between the layers over "y"; the loss is one number. */
static const char layers[] =
    "sdy.mesh @mesh = <[\"x\"=2, \"y\"=2]>\n"
    "func.func @main(%x: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{\"x\"}, {}]>},\n"
    "    %a: tensor<16x32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {\"y\"}]>},\n"
    "    %b: tensor<32x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{\"y\"}, {}]>})\n"
    "    -> (tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{\"x\"}, {}]>}, tensor<f32>) {\n"
    "  %z = stablehlo.constant dense<0.0> : tensor<f32>\n"
    "  %0 = stablehlo.dot_general %x, %a, contracting_dims = [1] x [0] : (tensor<8x16xf32>, tensor<16x32xf32>) -> "
    "tensor<8x32xf32>\n"
    "  %1 = stablehlo.tanh %0 : tensor<8x32xf32>\n"
    "  %2 = stablehlo.dot_general %1, %b, contracting_dims = [1] x [0] : (tensor<8x32xf32>, tensor<32x4xf32>) -> "
    "tensor<8x4xf32>\n"
    "  %3 = stablehlo.reduce(%2 init: %z) applies stablehlo.add across dimensions = [0, 1] : (tensor<8x4xf32>, "
    "tensor<f32>) -> tensor<f32>\n"
    "  return %2, %3 : tensor<8x4xf32>, tensor<f32>\n"
    "}\n";

/* What goes along a dimension that is cut needs all of it. */
static const char sorted[] =
    "sdy.mesh @mesh = <[\"x\"=4]>\n"
    "func.func @main(%x: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{\"x\"}, {}]>}) -> tensor<8x4xf32> {\n"
    "  %0 = stablehlo.negate %x : tensor<8x4xf32>\n"
    "  %1 = stablehlo.reverse %0, dims = [0] : tensor<8x4xf32>\n"
    "  return %1 : tensor<8x4xf32>\n"
    "}\n";

/* Each device adds its own updates to zeros, and all add up; to other numbers, one device must. */
static const char counted[] =
    "sdy.mesh @mesh = <[\"x\"=4]>\n"
    "func.func @main(%%u: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{\"x\"}]>}, %%i: tensor<8x1xi32>)\n"
    "    -> tensor<3xf32> {\n"
    "  %%z = stablehlo.constant dense<%s> : tensor<3xf32>\n"
    "  %%0 = \"stablehlo.scatter\"(%%z, %%i, %%u) <{scatter_dimension_numbers = #stablehlo.scatter<\n"
    "    inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({\n"
    "  ^bb0(%%a: tensor<f32>, %%b: tensor<f32>):\n"
    "    %%s = stablehlo.add %%a, %%b : tensor<f32>\n"
    "    stablehlo.return %%s : tensor<f32>\n"
    "  }) : (tensor<3xf32>, tensor<8x1xi32>, tensor<8xf32>) -> tensor<3xf32>\n"
    "  return %%0 : tensor<3xf32>\n"
    "}\n";

static size_t count(const char *text, const char *part) {
  size_t found = 0;
  for (; (text = strstr(text, part)); text++) found++;
  return found;
}

static ten_status *spread_text(const char *text, uint32_t devices, const ten_partitioner *partitioner, ten_spread *out,
                               char **out_text) {
  ten_module *module;
  check_ok(ten_text_parse(text, strlen(text), "test.mlir", &module));
  ten_status *status = ten_spread_function(module, ten_module_entry(module, (ten_str){0}), devices, partitioner, out);
  ten_buf made = {0};
  if (!status) ten_text_print(&made, module, NULL);
  ten_module_destroy(module);
  *out_text = status ? NULL : ten_buf_take(&made);
  return status;
}

static char *partition(const char *text, uint32_t devices, ten_spread *out) {
  char *made;
  check_ok(spread_text(text, devices, NULL, out, &made));
  return made;
}

static void devices_work_on_tiles(void **state) {
  (void)state;
  ten_spread spread;
  char *text = partition(layers, 4, &spread);
  assert_non_null(strstr(text, "(tensor<4x16xf32>, tensor<16x16xf32>) -> tensor<4x16xf32>"));
  assert_non_null(strstr(text, "(tensor<4x16xf32>, tensor<16x4xf32>) -> tensor<4x4xf32>"));
  assert_int_equal(count(text, "all_reduce"), 2); /* over y, of the second product; over x, of the sum */
  assert_int_equal(count(text, "dense<[[0, 1], [2, 3]]>"), 1);
  assert_int_equal(count(text, "dense<[[0, 2], [1, 3]]>"), 1);
  assert_int_equal(count(text, "all_gather"), 0);
  assert_true(spread.together && spread.inputs[0].local && spread.inputs[1].local && spread.outputs[0].local);
  assert_false(spread.outputs[1].local);
  free(text);
  ten_spread_free(&spread);
}

static void what_needs_all_gets_all(void **state) {
  (void)state;
  ten_spread spread;
  char *text = partition(sorted, 4, &spread);
  assert_non_null(strstr(text, "stablehlo.negate %arg0 : tensor<2x4xf32>"));
  assert_int_equal(count(text, "all_gather\""), 1);
  assert_non_null(strstr(text, "dims = [0] : tensor<8x4xf32>"));
  assert_false(spread.outputs[0].local);
  free(text);
  ten_spread_free(&spread);
}

static void sums_start_once(void **state) {
  (void)state;
  const char *const starts[] = {"0.0", "[0.0, 0.0, 0.0]", "[0.0, 1.0, 2.0]"};
  for (size_t i = 0; i < 3; i++) {
    char program[1024];
    snprintf(program, sizeof program, counted, starts[i]);
    ten_spread spread;
    char *text = partition(program, 4, &spread);
    assert_int_equal(count(text, "all_reduce\""), i == 0);
    assert_int_equal(count(text, "all_gather\""), i != 0);
    free(text);
    ten_spread_free(&spread);
  }
}

/* A partitioner that splits the first dimension of its operand, on tiles. */
typedef struct splitter {
  int64_t operand[2], result[3]; /* tiles that it was told of */
} splitter;

static bool knows_split(void *context, ten_str target) {
  (void)context;
  return ten_str_is(target, "split");
}

static ten_status *no_answer(void *context, ten_partition_call *call) {
  (void)context;
  return ten_op_error(call->op, TEN_INTERNAL, "was asked for shardings that a rule gives");
}

static ten_status *partition_split(void *context, ten_partition_call *call, ten_module **out) {
  splitter *told = context;
  memcpy(told->operand, call->operands[0].tiles, sizeof told->operand);
  memcpy(told->result, call->results[0].tiles, sizeof told->result);
  int64_t from[2], to[3];
  assert_true(ten_tiling_local(&call->operands[0], ten_op_operand(call->op, 0)->type->dims, from));
  assert_true(ten_tiling_local(&call->results[0], call->op->results[0].type->dims, to));
  char text[512];
  snprintf(text, sizeof text,
           "func.func @main(%%x: tensor<%lldx%lldxf32>) -> tensor<%lldx%lldx%lldxf32> {\n"
           "  %%0 = stablehlo.reshape %%x : (tensor<%lldx%lldxf32>) -> tensor<%lldx%lldx%lldxf32>\n"
           "  return %%0 : tensor<%lldx%lldx%lldxf32>\n}\n",
           (long long)from[0], (long long)from[1], (long long)to[0], (long long)to[1], (long long)to[2],
           (long long)from[0], (long long)from[1], (long long)to[0], (long long)to[1], (long long)to[2],
           (long long)to[0], (long long)to[1], (long long)to[2]);
  return ten_text_parse(text, strlen(text), "split.mlir", out);
}

/* A call whose operand is cut along both dimensions over `mesh`, by a rule. */
static const char split[] =
    "sdy.mesh @mesh = <[\"x\"=%d, \"y\"=%d]>\n"
    "func.func @main(%%x: tensor<8x6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{\"x\"}, {\"y\"}]>})\n"
    "    -> tensor<%dx%dx6xf32> {\n"
    "  %%0 = stablehlo.custom_call @split(%%x) {sdy.sharding_rule = #sdy.op_sharding_rule<%s>}\n"
    "    : (tensor<8x6xf32>) -> tensor<%dx%dx6xf32>\n"
    "  return %%0 : tensor<%dx%dx6xf32>\n"
    "}\n";

static void calls_are_partitioned_by_rules(void **state) {
  (void)state;
  static const struct {
    int x, y, first, second;
    const char *rule;
    int64_t result[3];
  } cases[] = {
      {2, 2, 4, 2, "([ij, k])->([i, j, k]) {i=4, j=2, k=6}, custom", {2, 1, 2}},
      {4, 1, 2, 4, "([ij, k])->([i, j, k]) {i=2, j=4, k=6} need_replication={k}, custom", {2, 2, 1}},
      {2, 2, 4, 2, "([i, k])->([j, l, k]) {i=8, j=4, k=6, l=2} reduction={i}, custom", {1, 1, 2}},
      {2, 2, 4, 2, "([i, i])->([i, j, i]) {i=2, j=2}, custom", {1, 1, 1}}, /* both over "x": only on the diagonal */
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    splitter told = {0};
    const ten_partitioner partitioner = {&told, knows_split, no_answer, no_answer, partition_split};
    char program[1024], *text;
    const int a = cases[i].first, b = cases[i].second;
    snprintf(program, sizeof program, split, cases[i].x, cases[i].y, a, b, cases[i].rule, a, b, a, b);
    ten_spread spread;
    if (i >= 2) { /* tiles that this reshape cannot have: what the partitioner was told is what counts */
      char *ignored = NULL;
      ten_status_free(spread_text(program, 4, &partitioner, &spread, &ignored));
      free(ignored);
    } else {
      check_ok(spread_text(program, 4, &partitioner, &spread, &text));
      assert_int_equal(count(text, "stablehlo.reshape"), 1);
      assert_int_equal(count(text, "all_gather\""), 0); /* the result is cut as the rule says */
      assert_true(spread.outputs[0].local);
      free(text);
    }
    assert_memory_equal(told.result, cases[i].result, sizeof told.result);
    assert_int_equal(told.operand[0], cases[i].x);
    assert_int_equal(told.operand[1], cases[i].y);
    ten_spread_free(&spread);
  }
}

static void wrong_rules_are_errors(void **state) {
  (void)state;
  const char *const rules[] = {"([i])->([i, j, k]) {i=8}, custom", "([i, j], [k])->([i, j, k]) {i=8}, custom", "x",
                               "([i, j])->([i, j]) {i=8, j=6}, custom",
                               "([i, j])->([i, j, k]) {i=0, j=6, k=1}, custom"};
  for (size_t i = 0; i < sizeof rules / sizeof *rules; i++) {
    splitter told = {0};
    const ten_partitioner partitioner = {&told, knows_split, no_answer, no_answer, partition_split};
    char program[1024], *text;
    snprintf(program, sizeof program, split, 2, 2, 4, 2, rules[i], 4, 2, 4, 2);
    ten_spread spread;
    char want[512];
    snprintf(
        want, sizeof want,
        "test.mlir:4:8: stablehlo.custom_call: '#sdy.op_sharding_rule<%s>' is not a sharding rule of its 1 operands "
        "and 1 results",
        rules[i]);
    check_error(spread_text(program, 4, &partitioner, &spread, &text), TEN_INVALID, want);
    ten_spread_free(&spread);
  }
}

/* Texts that a program may hold: none may divide by zero or count beyond an integer. */
static void wrong_shardings_are_errors(void **state) {
  (void)state;
  const char *const hlo[] = {"{devices=[4,0]<=[4]}",
                             "{devices=[1099511627776,4]<=[4]}",
                             "{devices=[4,1]<=[4,0]}",
                             "{devices=[4,1]<=[0,4]T(1,0)}",
                             "{devices=[4,1]<=[1099511627776,1099511627776]}",
                             "{devices=[2,2,2]<=[4]}",
                             "{devices=[4,1]0,1,2,4}",
                             "{devices=[4]<=[4]}"};
  for (size_t i = 0; i < sizeof hlo / sizeof *hlo; i++) {
    ten_tiling tiling;
    ten_status *status = ten_tiling_of_hlo(ten_str_of(hlo[i]), 2, 4, &tiling);
    if (!status) fail_msg("%s is taken", hlo[i]);
    ten_status_free(status);
    ten_tiling_free(&tiling);
  }
  const char *const sdy[] = {"#sdy.sharding<mesh<[\"x\"=4]>, [{\"x\":(1099511627776)1099511627776}, {}]>",
                             "#sdy.sharding<mesh<[\"x\"=4]>, [{\"x\":(4611686018427387904)4}, {}]>",
                             "#sdy.sharding<mesh<[\"x\"=1048576, \"y\"=9223372036854775807]>, [{\"x\"}, {}]>",
                             "#sdy.sharding<mesh<[\"x\"=4611686018427387904, \"y\"=4]>, [{\"x\"}, {}]>",
                             "#sdy.sharding<mesh<[\"x\"=0]>, [{\"x\"}, {}]>"};
  ten_module *module;
  check_ok(ten_text_parse("", 0, "test.mlir", &module));
  for (size_t i = 0; i < sizeof sdy / sizeof *sdy; i++) {
    ten_tiling tiling;
    ten_status *status = ten_tiling_of_sdy(module, ten_str_of(sdy[i]), (ten_str){0}, 2, 4, &tiling);
    if (!status) fail_msg("%s is taken", sdy[i]);
    ten_status_free(status);
    ten_tiling_free(&tiling);
  }
  ten_module_destroy(module);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(devices_work_on_tiles),  cmocka_unit_test(what_needs_all_gets_all),
      cmocka_unit_test(sums_start_once),        cmocka_unit_test(calls_are_partitioned_by_rules),
      cmocka_unit_test(wrong_rules_are_errors), cmocka_unit_test(wrong_shardings_are_errors)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
