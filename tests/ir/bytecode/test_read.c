/* test_read.c: files made by hand, right and wrong. What jaxlib and the StableHLO project wrote is read in
 * tests/python. */
#include <stdlib.h>

#include "check.h"
#include "ir/bytecode/bytecode.h"
#include "ir/text/text.h"

/* A file is put together from these. */
static void varint(ten_buf *out, uint64_t value) {
  unsigned extra = 0;
  while (extra < 8 && value >> (7 * (extra + 1))) extra++;
  if (extra == 8)
    ten_buf_addc(out, 0);
  else
    value = (value << 1 | 1) << extra;
  for (unsigned i = 0; i < (extra == 8 ? 8 : extra + 1); i++) ten_buf_addc(out, (char)(value >> (8 * i)));
}

static void varints(ten_buf *out, size_t count, const uint64_t *values) {
  for (size_t i = 0; i < count; i++) varint(out, values[i]);
}
#define put(out, ...) varints(out, sizeof((uint64_t[]){__VA_ARGS__}) / sizeof(uint64_t), (uint64_t[]){__VA_ARGS__})

static void section(ten_buf *file, unsigned id, ten_buf *data) {
  ten_buf_addc(file, (char)id);
  varint(file, data->size);
  ten_buf_add(file, data->data, data->size);
  ten_buf_free(data);
}

/* Strings 0 builtin, 1 module, 2 op; dialect 0; ops 0 builtin.module, 1 builtin.op; attribute 0 is the unknown
 * location. */
static void begin(ten_buf *file, ten_buf *attrs, ten_buf *offsets, ten_buf *ir) {
  static const char strings[] = "builtin\0module\0op";
  ten_buf data = {0};
  ten_buf_add(file, "ML\xefR", 4);
  put(file, 3);
  ten_buf_add(file, "test", 5);
  put(&data, 3, 3, 7, 8);
  ten_buf_add(&data, strings, sizeof strings);
  section(file, 0, &data);
  put(&data, 1, 0 << 1, 0, 2, 1, 2);
  section(file, 1, &data);
  section(file, 2, attrs);
  section(file, 3, offsets);
  section(file, 4, ir);
}

static void wants(ten_buf *file, const char *message) {
  ten_module *module = NULL;
  ten_status *status = ten_bytecode_read(file->data, file->size, "test.bc", true, &module);
  assert_null(module);
  assert_non_null(status);
  assert_string_equal(ten_status_message(status), message);
  ten_status_free(status);
  ten_buf_free(file);
}

static void a_module_made_by_hand_is_read(void **state) {
  (void)state;
  ten_buf file = {0}, attrs = {0}, offsets = {0}, ir = {0};
  put(&attrs, 15);
  put(&offsets, 1, 0, 0, 1, 1 << 1 | 1);
  put(&ir, 1 << 1, 0);              /* one op, builtin.module, */
  ten_buf_addc(&ir, 16);            /* with regions, */
  put(&ir, 0, 1 << 1 | 0, 1, 0, 0); /* place unknown, one region of one block, no values, no ops */
  begin(&file, &attrs, &offsets, &ir);
  ten_module *module = NULL;
  check_ok(ten_bytecode_read(file.data, file.size, "test.bc", true, &module));
  assert_int_equal(module->op->code, TEN_OP_MODULE);
  assert_null(ten_module_body(module)->first);
  assert_int_equal(module->mlir_version, 3);
  ten_module_destroy(module);
  ten_buf_free(&file);
}

static void what_is_not_bytecode_is_refused(void **state) {
  (void)state;
  assert_false(ten_bytecode_is("module {}", 9));
  assert_false(ten_bytecode_is("ML", 2));
  assert_true(ten_bytecode_is("ML\xefR", 4));
  ten_module *module;
  check_error(ten_bytecode_read("module {}", 9, "a.mlir", false, &module), TEN_INVALID, "a.mlir: not MLIR bytecode");
  ten_buf newer = {0};
  ten_buf_add(&newer, "ML\xefR\x0f", 5);
  wants(&newer, "bytecode version 7 is newer than 6, the newest known");
}

static void a_million_nested_regions_are_refused(void **state) {
  (void)state;
  ten_buf file = {0}, attrs = {0}, offsets = {0}, ir = {0};
  put(&attrs, 15);
  put(&offsets, 1, 0, 0, 1, 1 << 1 | 1);
  put(&ir, 1 << 1);
  for (int i = 0; i < 1000000; i++) {
    put(&ir, 1);
    ten_buf_addc(&ir, 16);
    put(&ir, 0, 1 << 1, 1, 0, 1 << 1);
  }
  begin(&file, &attrs, &offsets, &ir);
  wants(&file, "regions nest deeper than 256");
}

static void attributes_that_nest_too_deep_are_refused(void **state) {
  (void)state;
  enum { COUNT = 1000000 };
  ten_buf file = {0}, attrs = {0}, offsets = {0}, ir = {0};
  put(&offsets, COUNT, 0, 0, COUNT);
  for (uint64_t i = 0; i < COUNT; i++) { /* an array that holds the next */
    const size_t before = attrs.size;
    if (i + 1 < COUNT)
      put(&attrs, 0, 1, i + 1);
    else
      put(&attrs, 7);
    varint(&offsets, (attrs.size - before) << 1 | 1);
  }
  put(&ir, 1 << 1, 0);
  ten_buf_addc(&ir, 1);
  put(&ir, 0, 0);
  begin(&file, &attrs, &offsets, &ir);
  wants(&file, "attributes and types nest deeper than 1000");
}

/* Forty arrays, each of twice the next: small as a file, a terabyte written out. */
static void attributes_that_would_be_enormous_are_refused(void **state) {
  (void)state;
  enum { COUNT = 40 };
  ten_buf file = {0}, attrs = {0}, offsets = {0}, ir = {0};
  put(&offsets, COUNT, 0, 0, COUNT);
  for (uint64_t i = 0; i < COUNT; i++) {
    const size_t before = attrs.size;
    if (i + 1 < COUNT)
      put(&attrs, 0, 2, i + 1, i + 1);
    else
      put(&attrs, 7);
    varint(&offsets, (attrs.size - before) << 1 | 1);
  }
  put(&ir, 1 << 1, 0);
  ten_buf_addc(&ir, 1);
  put(&ir, 0, 0);
  begin(&file, &attrs, &offsets, &ir);
  wants(&file, "an attribute or type would be larger than 16777216 nodes written out");
}

static void attributes_that_contain_themselves_are_refused(void **state) {
  (void)state;
  ten_buf file = {0}, attrs = {0}, offsets = {0}, ir = {0};
  put(&attrs, 0, 1, 0);
  put(&offsets, 1, 0, 0, 1, 3 << 1 | 1);
  put(&ir, 1 << 1, 0);
  ten_buf_addc(&ir, 0);
  put(&ir, 0);
  begin(&file, &attrs, &offsets, &ir);
  wants(&file, "attribute 0 contains itself");
}

static void sizes_are_not_believed(void **state) {
  (void)state;
  const uint64_t huge = UINT64_C(1) << 32;
  ten_buf file = {0}, attrs = {0}, offsets = {0}, ir = {0};
  ten_buf_add(&file, "ML\xefR\x0d", 5);
  ten_buf_add(&file, "x\0\0", 3); /* producer, then section 0 */
  varint(&file, huge);
  wants(&file, "4294967296 bytes are announced where 0 are left");

  put(&attrs, 15);
  put(&offsets, huge, 0);
  begin(&file, &attrs, &offsets, &ir);
  wants(&file, "4294967296 attributes are announced where 1 bytes are left");

  put(&attrs, 15);
  put(&offsets, 1, 0, 0, 1, 1 << 1 | 1);
  put(&ir, 1 << 1, 0);
  ten_buf_addc(&ir, 16);
  put(&ir, 0, 1 << 1, 1, huge, 0);
  begin(&file, &attrs, &offsets, &ir);
  wants(&file, "4294967296 values are announced where 1 bytes are left");

  put(&attrs, 15);
  put(&offsets, 1, 0, 0, 1, 1 << 1 | 1);
  put(&ir, 1 << 1, 0);
  ten_buf_addc(&ir, 16);
  put(&ir, 0, huge << 1);
  begin(&file, &attrs, &offsets, &ir);
  wants(&file, "4294967296 regions are announced");
}

/* tensor<9223372036854775807x9223372036854775807xf32> with four bytes of data. */
static void a_constant_must_have_its_data(void **state) {
  (void)state;
  ten_buf file = {0}, attrs = {0}, offsets = {0}, ir = {0};
  const uint64_t largest = ~UINT64_C(1); /* zigzag of 2^63 - 1 */
  put(&attrs, 18, 0, 8);
  ten_buf_add(&attrs, "12345678", 8);
  const size_t attr_size = attrs.size;
  put(&attrs, 13, 2, largest, largest, 1);
  const size_t tensor_size = attrs.size - attr_size;
  put(&attrs, 5);
  put(&offsets, 1, 2, 0, 1, attr_size << 1 | 1, 0, 2, tensor_size << 1 | 1, 1 << 1 | 1);
  put(&ir, 1 << 1, 0);
  ten_buf_addc(&ir, 0);
  put(&ir, 0);
  begin(&file, &attrs, &offsets, &ir);
  wants(&file, "a constant has a type that no constant can have");
}

static const char program[] =
    "module @m attributes {a = 1 : i32} {\n"
    "  func.func @main(%arg0: tensor<4x4xf32>, %arg1: tensor<?x4xf32, #stablehlo.bounds<8, ?>>) -> tensor<4xf32> {\n"
    "    %0 = stablehlo.constant dense<0.0> : tensor<f32>\n"
    "    %1 = stablehlo.constant dense<[true, false, true]> : tensor<3xi1>\n"
    "    %2 = stablehlo.constant dense<[-1, 2, -3, 4]> : tensor<4xi4>\n"
    "    %3 = stablehlo.reduce(%arg0 init: %0) applies stablehlo.add across dimensions = [1]"
    " : (tensor<4x4xf32>, tensor<f32>) -> tensor<4xf32>\n"
    "    %4 = stablehlo.exponential %3 {mhlo.note = [\"x\", {k = 2 : i64}]} : tensor<4xf32>\n"
    "    return %4 : tensor<4xf32> loc(fused[\"a\", callsite(\"b\" at \"c.py\":1:2)])\n"
    "  }\n"
    "}\n";

static ten_buf artifact_of(const char *text, ten_vhlo_version target) {
  ten_module *module = NULL;
  ten_buf data = {0};
  check_ok(ten_text_parse(text, strlen(text), "test.mlir", &module));
  check_ok(ten_bytecode_write(module, target, &data));
  ten_module_destroy(module);
  return data;
}

static void try_to_read(const void *data, size_t size) {
  ten_module *module = NULL;
  void *exact = malloc(size + 1); /* so that a sanitizer sees a byte too far */
  memcpy(exact, data, size);
  ten_status *status = ten_bytecode_read(exact, size, "test.bc", true, &module);
  assert_true(!status == !!module);
  ten_status_free(status);
  ten_module_destroy(module);
  free(exact);
}

static void every_prefix_and_every_flipped_bit_is_survived(void **state) {
  (void)state;
  const ten_vhlo_version targets[] = {{0, 9, 0}, {0, 12, 0}, {1, 20, 0}};
  for (size_t t = 0; t < sizeof targets / sizeof *targets; t++) {
    ten_buf data = artifact_of(program, targets[t]);
    for (size_t size = 0; size < data.size; size++) try_to_read(data.data, size);
    for (size_t i = 0; i < data.size; i++)
      for (int bit = 0; bit < 8; bit++) {
        data.data[i] = (char)(data.data[i] ^ (1 << bit));
        try_to_read(data.data, data.size);
        data.data[i] = (char)(data.data[i] ^ (1 << bit));
      }
    ten_buf_free(&data);
  }
}

/* Large ones, where the file may be looked into. */
static void constants_are_views_where_they_can_be(void **state) {
  (void)state;
  for (int large = 0; large < 2; large++) {
    const int count = large ? 40000 : 4;
    ten_buf text = {0};
    ten_buf_printf(&text, "func.func @main() -> tensor<%dxi8> {\n  %%0 = stablehlo.constant dense<\"0x", count);
    for (int i = 0; i < count; i++) ten_buf_printf(&text, "%02X", (unsigned)i & 0x7f);
    ten_buf_printf(&text, "\"> : tensor<%dxi8>\n  return %%0 : tensor<%dxi8>\n}\n", count, count);
    ten_buf data = artifact_of(text.data, ten_vhlo_version_current);
    for (int borrow = 0; borrow < 2; borrow++) {
      ten_module *module = NULL;
      check_ok(ten_bytecode_read(data.data, data.size, "test.bc", borrow, &module));
      const ten_attr *value = ten_op_attr(ten_op_body(ten_module_body(module)->first, 0)->first, "value");
      const char *at = value->dense.data;
      assert_int_equal(at >= data.data && at < data.data + data.size, borrow && large);
      for (int i = 0; i < count; i++) assert_int_equal(at[i], i & 0x7f);
      ten_module_destroy(module);
    }
    ten_buf_free(&data);
    ten_buf_free(&text);
  }
}

static void the_producer_is_told(void **state) {
  (void)state;
  ten_vhlo_version version = {0};
  ten_buf data = artifact_of("module {}", (ten_vhlo_version){1, 4, 0});
  assert_true(ten_bytecode_producer(data.data, data.size, &version));
  assert_int_equal(version.minor, 4);
  assert_false(ten_bytecode_producer("ML\xefR\rMLIR20.0", 14, &version));
  assert_false(ten_bytecode_producer("ML\xefR", 4, &version));
  ten_buf_free(&data);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_module_made_by_hand_is_read),
      cmocka_unit_test(what_is_not_bytecode_is_refused),
      cmocka_unit_test(a_million_nested_regions_are_refused),
      cmocka_unit_test(attributes_that_nest_too_deep_are_refused),
      cmocka_unit_test(attributes_that_would_be_enormous_are_refused),
      cmocka_unit_test(attributes_that_contain_themselves_are_refused),
      cmocka_unit_test(sizes_are_not_believed),
      cmocka_unit_test(a_constant_must_have_its_data),
      cmocka_unit_test(every_prefix_and_every_flipped_bit_is_survived),
      cmocka_unit_test(constants_are_views_where_they_can_be),
      cmocka_unit_test(the_producer_is_told),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
