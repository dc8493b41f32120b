/* test_index_map.c: where ops that only move elements find the elements of their results. */
#include <stdio.h>

#include "check.h"
#include "ir/index_map.h"
#include "ir/text/text.h"

static const char program[] =
    "func.func @main(%x: tensor<2x1x5xf32>, %i: tensor<4x2xi32>, %b: tensor<2x3x4x5xf32>, %j: tensor<3x2x6x1xi32>) {\n"
    "  %0 = stablehlo.broadcast_in_dim %x, dims = [3, 0, 1] : (tensor<2x1x5xf32>) -> tensor<7x5x6x2xf32>\n"
    "  %1 = stablehlo.transpose %x, dims = [2, 0, 1] : (tensor<2x1x5xf32>) -> tensor<5x2x1xf32>\n"
    "  %2 = stablehlo.slice %x [1:2, 0:1, 1:5:3] : (tensor<2x1x5xf32>) -> tensor<1x1x2xf32>\n"
    "  %3 = stablehlo.reverse %x, dims = [0, 2] : tensor<2x1x5xf32>\n"
    "  %4 = \"stablehlo.gather\"(%x, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [0, 2], "
    "collapsed_slice_dims = [1], start_index_map = [2, 0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 1, 3>}> "
    ": (tensor<2x1x5xf32>, tensor<4x2xi32>) -> tensor<1x4x3xf32>\n"
    "  %5 = \"stablehlo.gather\"(%b, %j) <{dimension_numbers = #stablehlo.gather<offset_dims = [3], "
    "collapsed_slice_dims = [2], operand_batching_dims = [0, 1], start_indices_batching_dims = [1, 0], "
    "start_index_map = [2], index_vector_dim = 3>, slice_sizes = array<i64: 1, 1, 1, 5>}> "
    ": (tensor<2x3x4x5xf32>, tensor<3x2x6x1xi32>) -> tensor<3x2x6x5xf32>\n"
    "  %6 = stablehlo.constant dense<0.0> : tensor<f32>\n"
    "  %7 = stablehlo.pad %x, %6, low = [1, 0, -2], high = [0, 0, 3], interior = [0, 0, 1] "
    ": (tensor<2x1x5xf32>, tensor<f32>) -> tensor<3x1x10xf32>\n"
    "  %8 = stablehlo.constant dense<1> : tensor<i32>\n"
    "  %9 = stablehlo.dynamic_slice %x, %8, %8, %8, sizes = [2, 1, 3] "
    ": (tensor<2x1x5xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<2x1x3xf32>\n"
    "  %10 = stablehlo.dynamic_update_slice %x, %9, %8, %8, %8 "
    ": (tensor<2x1x5xf32>, tensor<2x1x3xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<2x1x5xf32>\n"
    "  return\n"
    "}\n";
static const char pieces[] =
    "func.func @main(%a: tensor<2x3xf32>, %b: tensor<2x0xf32>, %c: tensor<2x4xf32>) {\n"
    "  %0 = stablehlo.concatenate %b, %a, %b, %c, %b, dim = 1 : (tensor<2x0xf32>, tensor<2x3xf32>, tensor<2x0xf32>, "
    "tensor<2x4xf32>, tensor<2x0xf32>) -> tensor<2x7xf32>\n"
    "  %1 = stablehlo.concatenate %b, %b, dim = 1 : (tensor<2x0xf32>, tensor<2x0xf32>) -> tensor<2x0xf32>\n"
    "  return\n"
    "}\n";
static const char updates[] =
    "func.func @main(%x: tensor<2x3x4x5xf32>, %i: tensor<3x6x1xi32>, %u: tensor<3x2x6x5xf32>) {\n"
    "  %0 = \"stablehlo.scatter\"(%x, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<"
    "update_window_dims = [1, 3], inserted_window_dims = [2], input_batching_dims = [1], "
    "scatter_indices_batching_dims = [0], scatter_dims_to_operand_dims = [2], index_vector_dim = 2>}> ({\n"
    "  ^bb0(%p: tensor<f32>, %q: tensor<f32>):\n"
    "    stablehlo.return %q : tensor<f32>\n"
    "  }) : (tensor<2x3x4x5xf32>, tensor<3x6x1xi32>, tensor<3x2x6x5xf32>) -> tensor<2x3x4x5xf32>\n"
    "  return\n"
    "}\n";

/* As index[source]·scale+offset, one for each dimension of the operand. */
static void expect(const ten_op *op, const char *wanted) {
  ten_buf text = {0};
  for (uint32_t i = 0; i < ten_op_operand(op, 0)->type->rank; i++) {
    const char *gap = i ? " " : "";
    if (op->code == TEN_OP_GATHER) {
      const ten_gather_part p = ten_gather_part_of(op, i);
      ten_buf_printf(&text, "%s%lld<%lld+%lld", gap, (long long)p.component, (long long)p.high, (long long)p.source);
    } else if (op->code == TEN_OP_PAD) {
      const ten_pad_part p = ten_pad_part_of(op, i);
      ten_buf_printf(&text, "%s(-%lld)/%lld<%lld%s", gap, (long long)p.low, (long long)p.step, (long long)p.size,
                     p.whole ? " whole" : "");
    } else if (op->code == TEN_OP_DYNAMIC_SLICE || op->code == TEN_OP_DYNAMIC_UPDATE_SLICE) {
      const ten_start_part p = ten_start_part_of(op, i);
      assert_ptr_equal(p.start, ten_op_operand(op, op->operand_count - 3 + i));
      ten_buf_printf(&text, "%s<=%lld of %lld%s", gap, (long long)p.high, (long long)p.size, p.whole ? " whole" : "");
    } else if (op->code == TEN_OP_SCATTER) {
      const ten_scatter_part p = ten_scatter_part_of(op, i);
      ten_buf_printf(&text, "%s%lld|%lld<=%lld+%lld", gap, (long long)p.component, (long long)p.batch,
                     (long long)p.high, (long long)p.window);
    } else {
      const ten_index_part p = ten_index_part_of(op, i);
      ten_buf_printf(&text, "%s%lld*%lld+%lld", gap, (long long)p.source, (long long)p.scale, (long long)p.offset);
    }
  }
  for (uint32_t i = 0; op->code == TEN_OP_GATHER && i < ten_op_operand(op, 1)->type->rank; i++)
    ten_buf_printf(&text, "%s%lld", i ? "," : " from ", (long long)ten_gather_start_of(op, i));
  for (uint32_t i = 0; op->code == TEN_OP_SCATTER && i < ten_op_operand(op, 1)->type->rank; i++)
    ten_buf_printf(&text, "%s%lld", i ? "," : " from ", (long long)ten_scatter_start_of(op, i));
  ten_buf_addc(&text, 0);
  assert_string_equal(text.data, wanted);
  ten_buf_free(&text);
}

static void test_moves(void **state) {
  (void)state;
  ten_module *module;
  check_ok(ten_text_parse(program, sizeof program - 1, "program", &module));
  static const char *const wanted[] = {"3*1+0 -1*0+0 1*1+0",
                                       "1*1+0 2*1+0 0*1+0",
                                       "0*1+1 1*1+0 2*3+1",
                                       "0*-1+1 1*1+0 2*-1+4",
                                       "1<1+0 -1<0+-1 0<2+2 from 1,-1",
                                       "-1<1+1 -1<2+0 0<3+-1 -1<0+3 from 0,1,2,-1",
                                       NULL,
                                       "(-1)/1<2 (-0)/1<1 whole (--2)/2<5",
                                       NULL,
                                       "<=0 of 2 whole <=0 of 1 whole <=2 of 3",
                                       "<=0 of 2 whole <=0 of 1 whole <=2 of 3"};
  const ten_op *op = ten_op_body(ten_module_find(module, TEN_STR("main")), 0)->first;
  for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++, op = op->next)
    if (wanted[i]) expect(op, wanted[i]);
  ten_module_destroy(module);
}

/* Operands without elements are no pieces. */
static void test_concatenations(void **state) {
  (void)state;
  ten_module *module;
  check_ok(ten_text_parse(pieces, sizeof pieces - 1, "pieces", &module));
  const ten_op *op = ten_op_body(ten_module_find(module, TEN_STR("main")), 0)->first;
  static const ten_concat_piece wanted[] = {{1, 1, 0, 3, false}, {3, 1, 3, 7, true}};
  ten_concat_piece piece = {0};
  for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++) {
    assert_true(ten_concat_next(op, &piece));
    assert_true(piece.operand == wanted[i].operand && piece.dim == wanted[i].dim && piece.start == wanted[i].start &&
                piece.end == wanted[i].end && piece.last == wanted[i].last);
  }
  assert_false(ten_concat_next(op, &piece));
  assert_false(ten_concat_next(op->next, &(ten_concat_piece){0}));
  ten_module_destroy(module);
}

static void test_scatters(void **state) {
  (void)state;
  ten_module *module;
  check_ok(ten_text_parse(updates, sizeof updates - 1, "updates", &module));
  expect(ten_op_body(ten_module_find(module, TEN_STR("main")), 0)->first,
         "-1|-1<=0+1 -1|0<=2+-1 0|-1<=3+-1 -1|-1<=0+3 from 0,2,-1");
  ten_module_destroy(module);
}

static void test_reshapes(void **state) {
  (void)state;
  static const int64_t a[] = {2, 6, 5, 1}, b[] = {2, 2, 3, 5};
  const ten_type from = {.kind = TEN_TYPE_TENSOR, .rank = 4, .dims = a},
                 to = {.kind = TEN_TYPE_TENSOR, .rank = 4, .dims = b};
  static const ten_reshape_run wanted[] = {{0, 1, 0, 1}, {1, 2, 1, 3}, {2, 3, 3, 4}, {3, 4, 4, 4}};
  ten_reshape_run run = {0};
  for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++) {
    assert_true(ten_reshape_next(&from, &to, &run));
    assert_memory_equal(&run, &wanted[i], sizeof run);
  }
  assert_false(ten_reshape_next(&from, &to, &run));
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_moves), cmocka_unit_test(test_concatenations),
                                     cmocka_unit_test(test_scatters), cmocka_unit_test(test_reshapes)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
