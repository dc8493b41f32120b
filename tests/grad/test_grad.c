/* Gradients of every function in the .mlir files beside this one against central differences in f64; then the gradient
 * of the gradient, likewise. The reference interpreter runs both. */
#include "check.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "driver/devices.h"
#include "ir/text/text.h"
#include "ir/verify/verify.h"
#include "transform/grad/recompute.h"
#include "transform/grad/vjp.h"
#include "transform/pass/grad.h"

static double draw(unsigned *seed) {
  *seed = *seed * 1664525u + 1013904223u;
  return 0.1 + 0.8 * (double)(*seed >> 8) / (double)(1 << 24);
}

typedef struct values {
  ten_tensor **data;
  size_t count;
} values;

static values make_args(const ten_op *func, unsigned seed) {
  const ten_type *type = ten_func_type(func);
  values args = {calloc(type->input_count + 1, sizeof *args.data), type->input_count};
  for (size_t i = 0; i < args.count; i++) {
    check_ok(ten_tensor_create(type->inputs[i]->dtype, type->inputs[i]->rank, type->inputs[i]->dims, &args.data[i]));
    assert_int_equal(args.data[i]->dtype, TEN_F64);
    for (size_t e = 0; e < args.data[i]->count; e++) ((double *)args.data[i]->data)[e] = draw(&seed);
  }
  return args;
}

static void values_free(values *v) {
  ten_tensors_release(v->data, v->count);
  free(v->data);
}

static ten_executable *compiled(ten_module *module, const ten_op *func) {
  ten_executable *executable;
  check_ok(ten_compile(ten_backend_find(TEN_STR("interp")), module, func, NULL, &executable));
  return executable;
}

static values run(ten_executable *executable, const values *args) {
  values out = {calloc(executable->output_count + 1, sizeof *out.data), executable->output_count};
  check_ok(ten_execute(executable, args->data, args->count, NULL, out.data));
  return out;
}

/* Σ cotangent · result, over all results. */
static double objective(ten_executable *forward, const values *args, const values *cotangents, size_t first) {
  values out = run(forward, args);
  double sum = 0;
  for (size_t r = 0; r < out.count; r++)
    for (size_t e = 0; e < out.data[r]->count; e++)
      sum += ((double *)cotangents->data[first + r]->data)[e] * ((double *)out.data[r]->data)[e];
  values_free(&out);
  return sum;
}

/* The gradient function of `func`, which takes cotangents, against differences of `func`. */
static const ten_op *check_gradient(ten_module *module, ten_op *func, double bound) {
  ten_op *gradient;
  check_ok(ten_grad(module, func, &(ten_grad_options){.take_cotangents = true}, &gradient));
  check_ok(ten_verify(module));
  ten_executable *forward = compiled(module, func), *backward = compiled(module, gradient);
  values all = make_args(gradient, 7), args = {all.data, forward->input_count};
  values gradients = run(backward, &all);
  const double h = 1e-5;
  for (size_t i = 0; i < args.count; i++) {
    double *x = args.data[i]->data;
    for (size_t e = 0; e < args.data[i]->count; e++) {
      const double kept = x[e];
      x[e] = kept + h;
      const double up = objective(forward, &args, &all, args.count);
      x[e] = kept - h;
      const double down = objective(forward, &args, &all, args.count);
      x[e] = kept;
      const double want = (up - down) / (2 * h), got = ((double *)gradients.data[i]->data)[e];
      if (!(fabs(want - got) <= bound * (1 + fabs(want)))) {
        print_error("@%.*s: argument %zu, element %zu: the gradient is %.12g, differences give %.12g\n",
                    TEN_FMT(ten_func_name(func)), i, e, got, want);
        fail();
      }
    }
  }
  values_free(&gradients);
  values_free(&all);
  ten_executable_release(forward);
  ten_executable_release(backward);
  return gradient;
}

/* Whatever the backward part computes again, the gradients are the same to the bit. */
static void check_recomputed(ten_module *module, ten_op *func) {
  values wanted = {0};
  for (unsigned level = 0; level < TEN_RECOMPUTE_LEVELS; level++) {
    ten_op *gradient;
    const ten_grad_options options = {
        .name = TEN_STR("recomputed"), .take_cotangents = true, .with_results = true, .mark_forward = true};
    check_ok(ten_grad(module, func, &options, &gradient));
    check_ok(ten_grad_recompute(module, gradient, level));
    check_ok(ten_verify(module));
    assert_null(ten_op_attr(gradient, "tenfold.forward"));
    ten_executable *backward = compiled(module, gradient);
    values args = make_args(gradient, 7), got = run(backward, &args);
    for (size_t i = 0; level && i < got.count; i++)
      assert_memory_equal(got.data[i]->data, wanted.data[i]->data, got.data[i]->bytes);
    values_free(&args);
    if (level)
      values_free(&got);
    else
      wanted = got;
    ten_executable_release(backward);
    ten_op_erase(gradient);
  }
  values_free(&wanted);
}

static ten_module *read_cases(const char *name) {
  char path[512];
  snprintf(path, sizeof path, "%s/%s.mlir", TEN_GRAD_CASES, name);
  ten_file file;
  check_ok(ten_file_map(path, &file));
  ten_module *module;
  check_ok(ten_text_parse(file.data, file.size, path, &module));
  check_ok(ten_verify(module));
  ten_file_unmap(&file);
  return module;
}

static void check_file(const char *name) {
  ten_module *module = read_cases(name);
  if (!strcmp(name, "shorthand")) check_ok(ten_grad_prepare(module));
  check_ok(ten_verify(module));
  size_t count = 0;
  for (ten_op *func = ten_module_body(module)->first, *next; func; func = next) {
    next = func->next; /* gradients are appended: stop where the file ends */
    if (!ten_op_is_func(func) || ten_func_is_private(func) || ten_str_ends(ten_func_name(func), ".grad")) continue;
    ten_op *gradient = (ten_op *)check_gradient(module, func, 1e-7);
    check_gradient(module, gradient, 1e-5);
    check_recomputed(module, func);
    count++;
  }
  assert_true(count > 1);
  ten_module_destroy(module);
}

static void test_elementwise(void **state) {
  (void)state;
  check_file("elementwise");
}
static void test_shape(void **state) {
  (void)state;
  check_file("shape");
}
static void test_contract(void **state) {
  (void)state;
  check_file("contract");
}
static void test_reduce(void **state) {
  (void)state;
  check_file("reduce");
}
static void test_index(void **state) {
  (void)state;
  check_file("index");
}
static void test_control(void **state) {
  (void)state;
  check_file("control");
}

static void test_shorthand(void **state) {
  (void)state;
  check_file("shorthand");
}

/* Ops that no case of the files beside this one has, and why. */
static const struct {
  ten_opcode code;
  const char *why;
} no_case[] = {
#define INTEGERS "of integers and booleans"
#define STATIC "becomes its static form when shapes are known, which is before a gradient is taken"
#define DEVICES "between devices: the gradient is refused by name"
#define OUTSIDE "reads from or writes to the outside"
    {TEN_OP_COUNT_LEADING_ZEROS, INTEGERS},
    {TEN_OP_IS_FINITE, INTEGERS},
    {TEN_OP_NOT, INTEGERS},
    {TEN_OP_POPCNT, INTEGERS},
    {TEN_OP_SHIFT_LEFT, INTEGERS},
    {TEN_OP_SHIFT_RIGHT_ARITHMETIC, INTEGERS},
    {TEN_OP_SHIFT_RIGHT_LOGICAL, INTEGERS},
    {TEN_OP_AND, INTEGERS},
    {TEN_OP_OR, INTEGERS},
    {TEN_OP_XOR, INTEGERS},
    {TEN_OP_BITCAST_CONVERT, "of bits: gradients end there"},
    {TEN_OP_REPLICA_ID, INTEGERS},
    {TEN_OP_PARTITION_ID, INTEGERS},
    {TEN_OP_GET_DIMENSION_SIZE, INTEGERS},
    {TEN_OP_RNG_BIT_GENERATOR, INTEGERS},
    {TEN_OP_RNG, "draws anew each time: differences say nothing"},
    {TEN_OP_CHLO_IS_INF, INTEGERS},
    {TEN_OP_CHLO_IS_NEG_INF, INTEGERS},
    {TEN_OP_CHLO_IS_POS_INF, INTEGERS},
    {TEN_OP_CHLO_MULHI, INTEGERS},
    {TEN_OP_CHLO_BROADCAST_AND, INTEGERS},
    {TEN_OP_CHLO_BROADCAST_OR, INTEGERS},
    {TEN_OP_CHLO_BROADCAST_XOR, INTEGERS},
    {TEN_OP_CHLO_BROADCAST_SHIFT_LEFT, INTEGERS},
    {TEN_OP_CHLO_BROADCAST_SHIFT_RIGHT_ARITHMETIC, INTEGERS},
    {TEN_OP_CHLO_BROADCAST_SHIFT_RIGHT_LOGICAL, INTEGERS},
    {TEN_OP_DYNAMIC_IOTA, STATIC},
    {TEN_OP_DYNAMIC_BROADCAST_IN_DIM, STATIC},
    {TEN_OP_DYNAMIC_RESHAPE, STATIC},
    {TEN_OP_DYNAMIC_PAD, STATIC},
    {TEN_OP_DYNAMIC_GATHER, STATIC},
    {TEN_OP_DYNAMIC_CONV, STATIC},
    {TEN_OP_SET_DIMENSION_SIZE, STATIC},
    {TEN_OP_CREATE_TOKEN, OUTSIDE},
    {TEN_OP_AFTER_ALL, OUTSIDE},
    {TEN_OP_INFEED, OUTSIDE},
    {TEN_OP_OUTFEED, OUTSIDE},
    {TEN_OP_SEND, OUTSIDE},
    {TEN_OP_RECV, OUTSIDE},
    {TEN_OP_ASYNC_START, OUTSIDE},
    {TEN_OP_ASYNC_DONE, OUTSIDE},
    {TEN_OP_ALL_GATHER, DEVICES},
    {TEN_OP_ALL_REDUCE, DEVICES},
    {TEN_OP_REDUCE_SCATTER, DEVICES},
    {TEN_OP_ALL_TO_ALL, DEVICES},
    {TEN_OP_COLLECTIVE_BROADCAST, DEVICES},
    {TEN_OP_COLLECTIVE_REDUCE, DEVICES},
    {TEN_OP_COLLECTIVE_PERMUTE, DEVICES},
    {TEN_OP_CROSS_REPLICA_SUM, DEVICES},
    {TEN_OP_CUSTOM_CALL, "whatever is registered: test_registered"},
    {TEN_OP_UNIFORM_QUANTIZE, "of quantized numbers"},
    {TEN_OP_UNIFORM_DEQUANTIZE, "of quantized numbers"},
    {TEN_OP_CHLO_ASIN_ACOS_KERNEL, "a part of asin and acos, which have rules of their own"},
};

static ten_status *note_op(ten_op *op, void *seen) {
  ((bool *)seen)[op->code] = true;
  return NULL;
}

/* Every op of the table is differentiated in some case, or is listed with the reason; and what is listed has no rule.
 */
static void test_every_op(void **state) {
  (void)state;
  static const char *const files[] = {"elementwise", "shape", "contract", "reduce", "index", "control", "shorthand"};
  static bool seen[TEN_OP_COUNT], listed[TEN_OP_COUNT];
  for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
    ten_module *module = read_cases(files[i]);
    check_ok(ten_op_walk(module->op, note_op, seen));
    ten_module_destroy(module);
  }
  size_t wrong = 0;
  for (size_t i = 0; i < sizeof no_case / sizeof *no_case; i++) {
    listed[no_case[i].code] = true;
    if (!ten_vjp_rules[no_case[i].code] && !seen[no_case[i].code]) continue;
    print_error("%s has a %s: it is not to be listed as '%s'\n", ten_op_infos[no_case[i].code].name,
                seen[no_case[i].code] ? "case" : "rule", no_case[i].why);
    wrong++;
  }
  for (size_t code = 0; code < TEN_OP_COUNT; code++) {
    const ten_str name = ten_str_of(ten_op_infos[code].name);
    if (seen[code] || listed[code] || (!ten_str_starts(name, "stablehlo.") && !ten_str_starts(name, "chlo."))) continue;
    print_error("%.*s is differentiated in no case, and nothing says why\n", TEN_FMT(name));
    wrong++;
  }
  assert_int_equal(wrong, 0);
}

static void test_refusals(void **state) {
  (void)state;
  static const char text[] =
      "func.func @unknown_trips(%x: tensor<f64>) -> tensor<f64> {\n"
      "  %y = stablehlo.while(%a = %x) : tensor<f64>\n"
      "   cond {\n"
      "    %c = stablehlo.constant dense<3.0> : tensor<f64>\n"
      "    %p = stablehlo.compare LT, %a, %c : (tensor<f64>, tensor<f64>) -> tensor<i1>\n"
      "    stablehlo.return %p : tensor<i1>\n"
      "  } do {\n"
      "    %r = stablehlo.add %a, %a : tensor<f64>\n"
      "    stablehlo.return %r : tensor<f64>\n"
      "  }\n"
      "  return %y : tensor<f64>\n"
      "}\n"
      "func.func @foreign(%x: tensor<f64>) -> tensor<f64> {\n"
      "  %y = stablehlo.custom_call @mystery(%x) : (tensor<f64>) -> tensor<f64>\n"
      "  return %y : tensor<f64>\n"
      "}\n"
      "func.func @not_scalar(%x: tensor<2xf64>) -> tensor<2xf64> {\n"
      "  return %x : tensor<2xf64>\n"
      "}\n";
  ten_module *module;
  ten_op *out;
  check_ok(ten_text_parse(text, strlen(text), "case.mlir", &module));
  const ten_grad_options options = {0};
  check_error(
      ten_grad(module, ten_module_find(module, TEN_STR("unknown_trips")), &options, &out), TEN_UNSUPPORTED,
      "case.mlir:2:8: stablehlo.while: has a gradient only when its number of steps is known: a counter from a constant to a constant");
  check_error(ten_grad(module, ten_module_find(module, TEN_STR("foreign")), &options, &out), TEN_UNSUPPORTED,
              "case.mlir:14:8: stablehlo.custom_call: no gradient is registered for the call of @mystery");
  check_error(ten_grad(module, ten_module_find(module, TEN_STR("not_scalar")), &options, &out), TEN_INVALID,
              "case.mlir:17:1: func.func: the first result must be a float scalar, it is tensor<2xf64>");
  check_error(ten_grad(module, ten_module_find(module, TEN_STR("foreign")),
                       &(ten_grad_options){.args = (uint32_t[]){3}, .arg_count = 1}, &out),
              TEN_INVALID, "case.mlir:13:1: func.func: there is no argument 3, @foreign takes 1");
  ten_module_destroy(module);
}

static size_t count_ops(const ten_op *func, ten_opcode code) {
  size_t count = 0;
  for (const ten_op *op = ten_op_body(func, 0)->first; op; op = op->next) count += op->code == code;
  return count;
}

/* What is cheap is computed again, products are not; in segments they are; what no pass may merge stands behind a
 * barrier. */
static void test_recompute(void **state) {
  (void)state;
  static const char text[] =
      "func.func @main(%x: tensor<8x8xf64>, %w: tensor<8x8xf64>) -> tensor<8x8xf64> {\n"
      "  %a = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<8x8xf64>, tensor<8x8xf64>) -> "
      "tensor<8x8xf64>\n"
      "  %b = stablehlo.tanh %a : tensor<8x8xf64>\n"
      "  %c = stablehlo.multiply %a, %b : tensor<8x8xf64>\n"
      "  %d = stablehlo.dot_general %c, %w, contracting_dims = [1] x [0] : (tensor<8x8xf64>, tensor<8x8xf64>) -> "
      "tensor<8x8xf64>\n"
      "  %e = stablehlo.tanh %d : tensor<8x8xf64>\n"
      "  %f = stablehlo.dot_general %e, %w, contracting_dims = [1] x [0] : (tensor<8x8xf64>, tensor<8x8xf64>) -> "
      "tensor<8x8xf64>\n"
      "  return %f : tensor<8x8xf64>\n"
      "}\n";
  static const struct {
    unsigned level;
    size_t tanh, multiply_more, dots;
  } wanted[] = {{TEN_KEEP_ALL, 2, 0, 9},
                {TEN_RECOMPUTE_CHEAP, 3, 0, 9}, /* the first tanh: its input is read anyway; %c goes to a product */
                {TEN_RECOMPUTE_ELEMENTWISE, 3, 1, 9}, /* and %c */
                {TEN_RECOMPUTE_SEGMENTS, 4, 0, 10}};  /* the first product, with what hangs on it */
  size_t multiplies = 0;
  for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++) {
    ten_module *module;
    ten_op *gradient;
    check_ok(ten_text_parse(text, strlen(text), "case.mlir", &module));
    const ten_grad_options options = {.take_cotangents = true, .mark_forward = true};
    check_ok(ten_grad(module, ten_module_find(module, TEN_STR("main")), &options, &gradient));
    check_ok(ten_grad_recompute(module, gradient, wanted[i].level));
    if (!i) multiplies = count_ops(gradient, TEN_OP_MULTIPLY);
    assert_int_equal(count_ops(gradient, TEN_OP_TANH), wanted[i].tanh);
    assert_int_equal(count_ops(gradient, TEN_OP_DOT_GENERAL), wanted[i].dots);
    if (wanted[i].level < TEN_RECOMPUTE_SEGMENTS)
      assert_int_equal(count_ops(gradient, TEN_OP_MULTIPLY), multiplies + wanted[i].multiply_more);
    assert_int_equal(count_ops(gradient, TEN_OP_OPTIMIZATION_BARRIER) > 0, wanted[i].level != TEN_KEEP_ALL);
    ten_module_destroy(module);
  }
}

static ten_status *mystery(ten_builder *b, const ten_op *op, ten_value *const *cotangents, ten_value **operands,
                           void *context) {
  (void)op;
  operands[0] =
      ten_build_binary(b, TEN_OP_MULTIPLY, cotangents[0], ten_build_like(b, cotangents[0], *(double *)context));
  return NULL;
}

static void test_registered(void **state) {
  (void)state;
  static const char text[] =
      "func.func @main(%x: tensor<f64>) -> tensor<f64> {\n"
      "  %y = stablehlo.custom_call @mystery(%x) : (tensor<f64>) -> tensor<f64>\n"
      "  return %y : tensor<f64>\n"
      "}\n";
  ten_module *module;
  ten_op *gradient;
  double three = 3;
  check_ok(ten_text_parse(text, strlen(text), "case.mlir", &module));
  const ten_grad_registration rule = {"custom_call:mystery", mystery, &three};
  check_ok(
      ten_grad_with(module, ten_module_find(module, TEN_STR("main")), &(ten_grad_options){0}, &rule, 1, &gradient));
  const ten_op *end = ten_block_terminator(ten_op_body(gradient, 0));
  assert_int_equal(ten_op_operand(end, 0)->op->code, TEN_OP_MULTIPLY);
  ten_module_destroy(module);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_elementwise), cmocka_unit_test(test_shape),    cmocka_unit_test(test_contract),
      cmocka_unit_test(test_reduce),      cmocka_unit_test(test_index),    cmocka_unit_test(test_control),
      cmocka_unit_test(test_shorthand),   cmocka_unit_test(test_every_op), cmocka_unit_test(test_refusals),
      cmocka_unit_test(test_registered),  cmocka_unit_test(test_recompute)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
