#include <math.h>

#include "check.h"
#include "value/tensor.h"

static void create_checks_sizes(void **state) {
  (void)state;
  ten_tensor *tensor;
  check_ok(ten_tensor_create(TEN_F32, 2, (const int64_t[]){2, 3}, &tensor));
  assert_int_equal(tensor->count, 6);
  assert_int_equal(tensor->bytes, 24);
  assert_true(((float *)tensor->data)[5] == 0);
  ten_tensor_release(tensor);
  check_ok(ten_tensor_create(TEN_I64, 2, (const int64_t[]){INT64_MAX, 0}, &tensor));
  assert_int_equal(tensor->count, 0);
  ten_tensor_release(tensor);
  check_error(ten_tensor_create(TEN_F32, 1, (const int64_t[]){-1}, &tensor), TEN_INVALID,
              "dimension 0 of a tensor is -1");
  assert_null(tensor);
  ten_status *status = ten_tensor_create(TEN_F64, 2, (const int64_t[]){INT64_MAX, INT64_MAX}, &tensor);
  assert_int_equal(ten_status_code(status), TEN_LIMIT);
  ten_status_free(status);
  check_error(ten_tensor_create(TEN_F32, 33, NULL, &tensor), TEN_LIMIT, "a tensor of rank 33; at most 32 is supported");
}

static int released;
static void note_release(void *owner) { released += *(int *)owner; }

static void views_release_their_owner(void **state) {
  (void)state;
  int weight = 7;
  float data[2] = {1, 2};
  ten_tensor *view;
  check_ok(ten_tensor_from_memory(TEN_F32, 1, (const int64_t[]){2}, data, note_release, &weight, &view));
  ten_tensor_retain(view);
  ten_tensor_release(view);
  assert_int_equal(released, 0);
  ten_tensor_release(view);
  assert_int_equal(released, 7);
}

/* A view of memory that is not aligned to its elements is a copy, which lets go of the owner at once. */
static void views_are_aligned(void **state) {
  (void)state;
  static const ten_dtype types[] = {TEN_I8, TEN_F16, TEN_F32, TEN_I64, TEN_F64, TEN_C64, TEN_C128};
  _Alignas(16) char memory[64];
  for (size_t i = 0; i < sizeof memory; i++) memory[i] = (char)i;
  for (size_t t = 0; t < sizeof types / sizeof *types; t++)
    for (size_t offset = 0; offset < 16; offset++) {
      const size_t alignment = ten_dtype_bytes(ten_dtype_part(types[t]));
      int weight = 1;
      released = 0;
      ten_tensor *view;
      check_ok(
          ten_tensor_from_memory(types[t], 1, (const int64_t[]){2}, memory + offset, note_release, &weight, &view));
      assert_int_equal((uintptr_t)view->data % alignment, 0);
      assert_memory_equal(view->data, memory + offset, view->bytes);
      assert_int_equal(released, offset % alignment != 0);
      assert_int_equal(view->data == memory + offset, offset % alignment == 0);
      ten_tensor_release(view);
      assert_int_equal(released, 1);
    }
}

static void tuples_hold_their_parts(void **state) {
  (void)state;
  ten_tensor *parts[2] = {ten_tensor_token(), NULL};
  check_ok(ten_tensor_create(TEN_I1, 0, NULL, &parts[1]));
  ten_tensor *tuple = ten_tensor_tuple(2, parts);
  ten_tensors_release(parts, 2);
  ten_buf text = {0};
  ten_tensor_print_type(&text, tuple);
  assert_string_equal(text.data, "tuple<!stablehlo.token, tensor<i1>>");
  ten_buf_free(&text);
  ten_tensor_release(tuple);
}

static void prints_as_the_reference_does(void **state) {
  (void)state;
  ten_tensor *tensor;
  check_ok(ten_tensor_create(TEN_I8, 2, (const int64_t[]){2, 2}, &tensor));
  memcpy(tensor->data, (const int8_t[]){1, -2, 3, -4}, 4);
  ten_buf text = {0};
  ten_tensor_print(&text, tensor);
  assert_string_equal(text.data, "tensor<2x2xi8> {\n  [\n    [1, -2],\n    [3, -4]\n  ]\n}");
  ten_buf_free(&text);
  ten_tensor_print_index(&text, tensor, 2);
  assert_string_equal(text.data, "[1, 0]");
  ten_buf_free(&text);
  ten_tensor_release(tensor);
  check_ok(ten_tensor_create(TEN_C64, 0, NULL, &tensor));
  memcpy(tensor->data, (const float[]){1.5f, INFINITY}, 8);
  ten_tensor_print(&text, tensor);
  assert_string_equal(text.data, "tensor<complex<f32>> {[1.500000e+00, 0x7F800000]}");
  ten_buf_free(&text);
  ten_tensor_release(tensor);
}

static void fits_its_type(void **state) {
  (void)state;
  ten_module *module = ten_module_create();
  ten_tensor *tensor;
  check_ok(ten_tensor_create(TEN_F32, 2, (const int64_t[]){2, 3}, &tensor));
  assert_true(ten_tensor_fits(tensor, ten_type_tensor(module, TEN_F32, 2, (const int64_t[]){2, 3})));
  assert_true(ten_tensor_fits(tensor, ten_type_tensor(module, TEN_F32, 2, (const int64_t[]){TEN_DYNAMIC, 3})));
  assert_false(ten_tensor_fits(tensor, ten_type_tensor(module, TEN_F32, 2, (const int64_t[]){3, 3})));
  assert_false(ten_tensor_fits(tensor, ten_type_tensor(module, TEN_F32, 1, (const int64_t[]){6})));
  assert_false(ten_tensor_fits(tensor, ten_type_tensor(module, TEN_I32, 2, (const int64_t[]){2, 3})));
  assert_false(ten_tensor_fits(tensor, ten_type_token(module)));
  ten_tensor_release(tensor);
  ten_module_destroy(module);
}

static void constants_become_tensors(void **state) {
  (void)state;
  ten_module *module = ten_module_create();
  const ten_type *type = ten_type_tensor(module, TEN_I16, 1, (const int64_t[]){3});
  ten_tensor *tensor;
  const int16_t splat = 5;
  check_ok(ten_tensor_of_attr(ten_attr_dense(module, type, &splat, sizeof splat), &tensor));
  assert_int_equal(ten_tensor_int(tensor, 2), 5);
  ten_tensor_release(tensor);
  check_ok(ten_tensor_of_attr(ten_attr_dense(module, type, (const int16_t[]){1, -2, 3}, 6), &tensor));
  assert_int_equal(ten_tensor_int(tensor, 1), -2);
  ten_tensor_release(tensor);
  check_error(ten_tensor_of_attr(ten_attr_resource(module, type, TEN_STR("w"), NULL, 0), &tensor), TEN_NOT_FOUND,
              "no data for dense_resource<w>");
  ten_module_destroy(module);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(create_checks_sizes),
      cmocka_unit_test(views_release_their_owner),
      cmocka_unit_test(views_are_aligned),
      cmocka_unit_test(tuples_hold_their_parts),
      cmocka_unit_test(prints_as_the_reference_does),
      cmocka_unit_test(fits_its_type),
      cmocka_unit_test(constants_become_tensors),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
