/* test_write.c: what is written is read again as it was; what a release cannot say is refused by name. */
#include <stdlib.h>

#include "check.h"
#include "ir/bytecode/bytecode.h"
#include "ir/text/text.h"

static ten_module *parse(const char *text) {
  ten_module *module = NULL;
  check_ok(ten_text_parse(text, strlen(text), "a.mlir", &module));
  return module;
}

static void comes_back(const char *text, ten_vhlo_version target) {
  ten_module *module = parse(text), *again = NULL;
  ten_buf data = {0}, why = {0};
  check_ok(ten_bytecode_write(module, target, &data));
  check_ok(ten_bytecode_read(data.data, data.size, "a.bc", false, &again));
  if (!ten_module_explain(module, again, &why)) fail_msg("%s", why.data);
  ten_module_destroy(module);
  ten_module_destroy(again);
  ten_buf_free(&data);
}

static void refused(const char *text, ten_vhlo_version target, const char *message) {
  ten_module *module = parse(text);
  ten_buf data = {0};
  check_error(ten_bytecode_write(module, target, &data), TEN_UNSUPPORTED, message);
  assert_int_equal(data.size, 0);
  ten_module_destroy(module);
  ten_buf_free(&data);
}

static const ten_vhlo_version v0_9 = {0, 9, 0}, v1_0 = {1, 0, 0}, v1_10 = {1, 10, 0}, v1_17 = {1, 17, 0};

#define FUNC(arguments, results, body) "func.func @f(" arguments ") -> " results " {\n" body "\n}\n"

static const char everything[] =
    "module @m attributes {a = 1 : i32, b = [@x, \"s\", unit, 2.5 : f64], c = dense<[1, 2]> : tensor<2xi32>, d = array<i64: 1, 2>} {\n"
    "  func.func private @g(tensor<2xui4>, tensor<complex<f64>>, !stablehlo.token, tuple<tensor<i1>, tensor<*xbf16>>,"
    " tensor<!quant.uniform<u8<1:200>:f32, 0.25:7>>)\n"
    "  func.func @f(%arg0: tensor<4xf32> {jax.x = true}, %arg1: tensor<4x!quant.uniform<i8:f32, 0.5:3>>) -> (tensor<4xf32> {k = \"v\"}) {\n"
    "    %0 = stablehlo.constant dense<true> : tensor<9xi1>\n"
    "    %1 = stablehlo.constant dense<[true, false, true, true, false, true, true, true, false]> : tensor<9xi1>\n"
    "    %2 = stablehlo.constant dense<[[1, -2], [3, -8]]> : tensor<2x2xi4>\n"
    "    %3 = stablehlo.constant dense<(1.0, -2.0)> : tensor<3xcomplex<f32>>\n"
    "    %4 = stablehlo.constant dense<> : tensor<0xf32>\n"
    "    %5:2 = stablehlo.custom_call @t(%arg0) {backend_config = \"c\", called_computations = [@f]} : (tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)\n"
    "    %6 = \"stablehlo.gather\"(%arg0, %5#0) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0], start_index_map = [0],"
    " index_vector_dim = 1>, slice_sizes = array<i64: 1>}> : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>\n"
    "    %7 = \"stablehlo.case\"(%0) ({\n      stablehlo.return %6 : tensor<4xf32>\n    }, {\n      stablehlo.return %arg0 : tensor<4xf32>\n    })"
    " : (tensor<9xi1>) -> tensor<4xf32>\n"
    "    return %7 : tensor<4xf32>\n"
    "  }\n"
    "}\n";

/* VHLO writes lists as tensors: those of our own attributes are lists again. */
static void own_lists_come_back(void **state) {
  (void)state;
  comes_back(FUNC("%arg0: tensor<2x3xf32> {tenfold.transposed = array<i64: 1, 0>}", "tensor<2x3xf32>",
                  "  return %arg0 : tensor<2x3xf32>"),
             ten_vhlo_version_current);
}

static void programs_come_back(void **state) {
  (void)state;
  for (uint16_t minor = 9; minor <= 20; minor++) comes_back(everything, (ten_vhlo_version){0, minor, 0});
  for (uint16_t minor = 0; minor <= ten_vhlo_version_current.minor; minor++)
    comes_back(everything, (ten_vhlo_version){1, minor, 0});
  comes_back(everything, (ten_vhlo_version){1, 4, 7});
}

static void other_dialects_come_back(void **state) {
  (void)state;
  static const char mixed[] =
      FUNC("%arg0: tensor<4xf32>", "tensor<4xf32>",
           "  %0 = chlo.erf %arg0 : tensor<4xf32> -> tensor<4xf32>\n"
           "  %1 = stablehlo.add %0, %arg0 : tensor<4xf32>\n"
           "  %2 = \"aten.x\"(%1) {k = #sdy.mesh<[\"a\"=2]>, u} : (tensor<4xf32>) -> tensor<4xf32>\n"
           "  return %2 : tensor<4xf32>");
  comes_back(mixed, ten_vhlo_version_current);
  comes_back("\"aten.y\"() {t = !quant.uniform<i8:f32, 0.5>, s = !other.type} : () -> ()", ten_vhlo_version_current);
  comes_back(mixed, (ten_vhlo_version){1, 11, 0});
  refused(mixed, v1_10, "a.mlir:2:8: chlo.erf: an op of another dialect needs StableHLO 1.11.0; the target is 1.10.0");
}

static void ops_are_refused_by_name(void **state) {
  (void)state;
  refused(
      FUNC(
          "%arg0: tensor<f32>", "tensor<f32>",
          "  %0 = stablehlo.composite \"x.y\" %arg0 {decomposition = @g} : (tensor<f32>) -> tensor<f32>\n  return %0 : tensor<f32>"),
      v0_9, "a.mlir:2:8: stablehlo.composite: it needs StableHLO 0.19.0; the target is 0.9.0");
  refused(
      FUNC("%arg0: tensor<f32>", "tensor<f32>", "  %0 = stablehlo.tan %arg0 : tensor<f32>\n  return %0 : tensor<f32>"),
      v1_0, "a.mlir:2:8: stablehlo.tan: it needs StableHLO 1.4.0; the target is 1.0.0");
}

static void types_are_refused_by_name(void **state) {
  (void)state;
  refused(FUNC("%arg0: tensor<f8E4M3>", "tensor<f8E4M3>", "  return %arg0 : tensor<f8E4M3>"), v1_0,
          "a.mlir:1:1: func.func: f8E4M3 needs StableHLO 1.7.0; the target is 1.0.0");
  refused(FUNC("%arg0: tensor<2x!quant.uniform<i8:f32:0, {1.0, 2.0}>>", "tensor<f32>",
               "  %0 = stablehlo.constant dense<0.0> : tensor<f32>\n  return %0 : tensor<f32>"),
          v0_9, "a.mlir:1:1: func.func: quantization per axis needs StableHLO 0.18.0; the target is 0.9.0");
}

static void attributes_are_refused_by_name(void **state) {
  (void)state;
  refused(FUNC("%arg0: tensor<f32>", "tensor<f32>",
               "  %0 = \"stablehlo.exponential\"(%arg0) {result_accuracy = #stablehlo.result_accuracy<mode = "
               "#stablehlo.result_accuracy_mode<HIGHEST>>} : (tensor<f32>) -> tensor<f32>\n  return %0 : tensor<f32>"),
          v1_0, "a.mlir:2:8: stablehlo.exponential: result_accuracy needs StableHLO 1.9.0; the target is 1.0.0");
  refused(
      FUNC(
          "%arg0: tensor<f32>", "tensor<f32>",
          "  %0 = stablehlo.custom_call @t(%arg0) {api_version = 4 : i32, backend_config = {a = 1 : i32}} : (tensor<f32>) -> "
          "tensor<f32>\n  return %0 : tensor<f32>"),
      v1_0,
      "a.mlir:2:8: stablehlo.custom_call: a dictionary as backend_config needs StableHLO 1.3.0; the target is 1.0.0");
  refused(FUNC("%arg0: tensor<f32>", "tensor<f32>",
               "  %0 = stablehlo.custom_call @t(%arg0) {result_tilings = [[1]]} : (tensor<f32>) -> tensor<f32>\n"
               "  return %0 : tensor<f32>"),
          v1_17, "a.mlir:2:8: stablehlo.custom_call: result_tilings needs StableHLO 1.18.0; the target is 1.17.0");
  refused(FUNC("%arg0: tensor<f32>", "tensor<f32>",
               "  %0 = stablehlo.abs %arg0 {x} : tensor<f32>\n  return %0 : tensor<f32>"),
          v1_0, "a.mlir:2:8: stablehlo.abs: a unit attribute needs StableHLO 1.11.0; the target is 1.0.0");
}

static void forms_have_limits(void **state) {
  (void)state;
  static const char two[] =
      FUNC("%arg0: tensor<2xf32>, %arg1: tensor<2xf32>", "tensor<2xf32>",
           "  %0:2 = \"stablehlo.all_gather\"(%arg0, %arg1) {all_gather_dim = 0 : i64, replica_groups = "
           "dense<0> : tensor<1x1xi64>} : (tensor<2xf32>, tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>)\n"
           "  return %0#0 : tensor<2xf32>");
  comes_back(two, (ten_vhlo_version){1, 5, 0});
  refused(two, v1_0,
          "a.mlir:2:10: stablehlo.all_gather: more than one operand needs StableHLO 1.5.0; the target is 1.0.0");
}

static void the_target_must_exist(void **state) {
  (void)state;
  ten_module *module = parse("module {}");
  ten_buf data = {0};
  check_error(ten_bytecode_write(module, (ten_vhlo_version){0, 8, 0}, &data), TEN_INVALID,
              "target version 0.8.0 is not between 0.9.0 and 1.20.0");
  check_error(ten_bytecode_write(module, (ten_vhlo_version){2, 0, 0}, &data), TEN_INVALID,
              "target version 2.0.0 is not between 0.9.0 and 1.20.0");
  ten_module_destroy(module);
}

typedef struct place {
  const char *data;
  size_t size, inside, count;
} place;

static ten_status *look(ten_op *op, void *context) {
  place *p = context;
  const ten_attr *value = op->code == TEN_OP_CONSTANT ? ten_op_attr(op, "value") : NULL;
  if (!value || value->dense.size < 4096) return NULL;
  const char *at = value->dense.data;
  p->count++;
  p->inside += at >= p->data && at + value->dense.size <= p->data + p->size;
  return NULL;
}

/* Large constants are written where a mapped file can be read in place. */
static void constants_stay_in_place(void **state) {
  (void)state;
  for (int extra = 0; extra < 9; extra++) {
    ten_buf text = {0}, data = {0};
    ten_buf_printf(&text, "func.func @f%.*s() -> (tensor<100x100xf32>, tensor<5000xf64>) {\n", extra, "aaaaaaaaa");
    const char *const kinds[] = {"100x100xf32", "5000xf64"};
    for (int k = 0; k < 2; k++) {
      ten_buf_printf(&text, "  %%%d = stablehlo.constant dense<\"0x", k);
      for (int i = 0; i < (k ? 5000 : 10000); i++) ten_buf_printf(&text, k ? "%04X000000000000" : "%04X0000", i);
      ten_buf_printf(&text, "\"> : tensor<%s>\n", kinds[k]);
    }
    ten_buf_printf(&text, "  return %%0, %%1 : tensor<100x100xf32>, tensor<5000xf64>\n}\n");
    ten_module *module = parse(text.data), *again = NULL;
    check_ok(ten_bytecode_write(module, ten_vhlo_version_current, &data));
    char *mapped = aligned_alloc(64, (data.size + 63) / 64 * 64);
    memcpy(mapped, data.data, data.size);
    check_ok(ten_bytecode_read(mapped, data.size, "a.bc", true, &again));
    ten_buf why = {0};
    if (!ten_module_explain(module, again, &why)) fail_msg("%s", why.data);
    place p = {mapped, data.size, 0, 0};
    check_ok(ten_op_walk(again->op, look, &p));
    assert_int_equal(p.count, 2);
    assert_int_equal(p.inside, 2);
    ten_module_destroy(module);
    ten_module_destroy(again);
    free(mapped);
    ten_buf_free(&data);
    ten_buf_free(&text);
  }
}

static ten_op *first_op(const ten_module *module) { return ten_op_body(ten_op_body(module->op, 0)->first, 0)->first; }

static void uses_the_next(const ten_module *module) {
  const ten_op *first = first_op(module);
  assert_ptr_equal(ten_op_operand(first, 0), &first->next->results[0]);
}

/* A reader does not ask in which order values are defined: verifying does. */
static void uses_before_definitions_come_back(void **state) {
  (void)state;
  ten_module *module = parse(FUNC("%arg0: tensor<4xf32>", "tensor<4xf32>",
                                  "  %0 = \"other.op\"(%arg0) : (tensor<4xf32>) -> tensor<4xf32>\n"
                                  "  %1 = stablehlo.negate %0 : tensor<4xf32>\n  return %1 : tensor<4xf32>"));
  ten_op *defines = first_op(module), *uses = defines->next;
  ten_op_unlink(uses);
  ten_op_insert_before(defines, uses);
  ten_module *copy = ten_module_clone(module), *again = NULL;
  uses_the_next(copy);
  ten_buf data = {0};
  check_ok(ten_bytecode_write(module, ten_vhlo_version_current, &data));
  check_ok(ten_bytecode_read(data.data, data.size, "a.bc", false, &again));
  uses_the_next(again);
  ten_module_destroy(module);
  ten_module_destroy(copy);
  ten_module_destroy(again);
  ten_buf_free(&data);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(constants_stay_in_place),
      cmocka_unit_test(own_lists_come_back),
      cmocka_unit_test(programs_come_back),
      cmocka_unit_test(other_dialects_come_back),
      cmocka_unit_test(ops_are_refused_by_name),
      cmocka_unit_test(types_are_refused_by_name),
      cmocka_unit_test(attributes_are_refused_by_name),
      cmocka_unit_test(forms_have_limits),
      cmocka_unit_test(the_target_must_exist),
      cmocka_unit_test(uses_before_definitions_come_back),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
