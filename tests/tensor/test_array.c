/* Arrays from C: recording, evaluation, promotion, errors, gradients, functions, bounds of what is pending. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "tensor/internal.h"
#include "value/dlpack.h"

static ten_device *open_device(const char *name) {
  ten_device *device;
  check_ok(ten_device_open(name, &device));
  return device;
}

static ten_array *floats(ten_device *device, int64_t rows, int64_t columns, const float *data) {
  ten_array *array;
  check_ok(ten_array_create(device, TEN_F32, 2, (const int64_t[]){rows, columns}, data,
                            (size_t)(rows * columns) * sizeof *data, &array));
  return array;
}

static ten_device_stats stats_of(ten_device *device) {
  ten_device_stats stats = {.size = sizeof stats};
  check_ok(ten_device_get_stats(device, &stats));
  return stats;
}

static void devices_are_opened_by_number(void **state) {
  (void)state;
  ten_device *device = open_device("cpu:0");
  assert_string_equal(ten_device_get_name(device), "cpu");
  assert_string_equal(ten_device_get_kind(device), "cpu");
  assert_int_equal(ten_device_get_index(device), 0);
  assert_true(*ten_device_get_description(device));
  ten_device_release(device);
  static const char *const wrong[][2] = {{"cpu:1", "no device 'cpu:1'; there is cpu:0"},
                                         {"interp:007", "no device 'interp:7'; there is interp:0"},
                                         {"cpu:99999999999", "no device 'cpu:99999999999'; use cpu, interp, "},
                                         {"cpu:", "no device 'cpu:'; use cpu, interp, "},
                                         {"cpu:1x", "no device 'cpu:1x'; use cpu, interp, "},
                                         {"cpux:1", "no device 'cpux:1'; use cpu, interp, "}};
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    ten_status *status = ten_device_open(wrong[i][0], &device);
    assert_non_null(status);
    assert_int_equal(ten_status_code(status), TEN_NOT_FOUND);
    assert_non_null(strstr(ten_status_text(status), wrong[i][1]));
    ten_status_free(status);
    assert_null(device);
  }
}

static void operations_are_recorded_and_run_once(void **state) {
  (void)state;
  static const char *const names[] = {"cpu", "interp"};
  for (size_t i = 0; i < 2; i++) {
    ten_device *device = open_device(names[i]);
    ten_array *x = floats(device, 2, 2, (const float[]){1, 2, 3, 4}), *y, *z;
    check_ok(ten_array_binary("add", x, x, &y));
    check_ok(ten_array_matmul(y, x, &z));
    assert_int_equal(stats_of(device).pending, 2);
    assert_int_equal(stats_of(device).runs, 0);
    float out[4];
    check_ok(ten_array_read(z, out, sizeof out));
    assert_true(out[0] == 14 && out[1] == 20 && out[2] == 30 && out[3] == 44);
    check_ok(ten_array_read(y, out, sizeof out)); /* an array holds it: it was computed on the way */
    assert_true(out[3] == 8);
    assert_int_equal(stats_of(device).runs, 1);
    assert_int_equal(stats_of(device).pending, 0);
    ten_array_release(x), ten_array_release(y), ten_array_release(z);
    assert_int_equal(stats_of(device).bytes, 0);
    ten_device_release(device);
  }
}

static void refused(ten_status *status, const char *part) {
  assert_non_null(status);
  assert_int_equal(ten_status_code(status), TEN_INVALID);
  assert_non_null(strstr(ten_status_text(status), part));
  ten_status_free(status);
}

static void wrong_types_and_numbers_are_refused(void **state) {
  (void)state;
  ten_device *device = open_device("interp");
  const int64_t dim = 2;
  ten_array *x;
  for (int wrong = 0; wrong < 3; wrong++) {
    const ten_dtype dtype = (ten_dtype)(wrong == 0 ? TEN_DTYPE_NONE : wrong == 1 ? TEN_DTYPE_COUNT : 999);
    refused(ten_array_create(device, dtype, 1, &dim, NULL, 0, &x), "no type that there is");
    refused(ten_array_view(device, dtype, 1, &dim, &x, NULL, NULL, &x), "no type that there is");
    refused(ten_array_placeholder(device, dtype, 1, &dim, &x), "no type that there is");
    refused(ten_array_scalar(device, dtype, 1, 0, &x), "no type that there is");
    refused(ten_array_integer(device, dtype, 1, &x), "no type that there is");
  }
  static const struct {
    ten_dtype dtype;
    double real;
    bool holds;
  } reals[] = {
      {TEN_I64, -0x1p63, true}, {TEN_I64, 0x1p63, false},  {TEN_UI64, 0x1p63, true}, {TEN_UI64, 0x1p64, false},
      {TEN_UI8, -0.5, true},    {TEN_UI8, -1, false},      {TEN_I8, 127.9, true},    {TEN_I8, 128, false},
      {TEN_I8, -128, true},     {TEN_I32, 1e300, false},   {TEN_I4, 7, true},        {TEN_I4, 8, false},
      {TEN_I32, NAN, false},    {TEN_F32, INFINITY, true}, {TEN_I1, NAN, true},      {TEN_I64, INFINITY, false}};
  for (size_t i = 0; i < sizeof reals / sizeof *reals; i++) {
    if (reals[i].holds)
      check_ok(ten_array_scalar(device, reals[i].dtype, reals[i].real, 0, &x));
    else
      refused(ten_array_scalar(device, reals[i].dtype, reals[i].real, 0, &x), "is no value of");
    ten_array_release(x);
  }
  refused(ten_array_integer(device, TEN_I8, 300, &x), "300 is no value of i8");
  refused(ten_array_integer(device, TEN_UI64, -1, &x), "-1 is no value of ui64");
  check_ok(ten_array_integer(device, TEN_I64, INT64_MIN, &x));
  int64_t read;
  check_ok(ten_array_read(x, &read, sizeof read));
  assert_true(read == INT64_MIN);
  ten_array_release(x);
  ten_device_release(device);
}

static void names_are_read_anew(void **state) {
  (void)state;
  ten_device *device = open_device("interp");
  ten_array *x = floats(device, 1, 2, (const float[]){2, 5}), *y;
  char name[] = "add";
  static const float wanted[] = {10, 25}; /* 5 + 5, 5 * 5 */
  for (int i = 0; i < 2; i++) {           /* another name at the same address */
    check_ok(ten_array_binary(name, x, x, &y));
    float out[2];
    check_ok(ten_array_read(y, out, sizeof out));
    assert_true(out[1] == wanted[i]);
    ten_array_release(y);
    memcpy(name, "mul", sizeof name);
  }
  /* No text is an empty one. */
  const ten_argument arguments[] = {{.name = "self", .kind = TEN_ARG_ARRAY, .array = x},
                                    {.name = "other", .kind = TEN_ARG_ARRAY, .array = x},
                                    {.name = "rounding_mode", .kind = TEN_ARG_STRING}};
  check_ok(ten_array_op(device, "div.Tensor_mode", arguments, 3, &y, 1));
  ten_array_release(x), ten_array_release(y);
  ten_device_release(device);
}

/* The second time an operation is found by its name's address and its operands' types (recent.c): each must differ. */
static void what_is_recorded_again_is_the_same(void **state) {
  (void)state;
  ten_device *device = open_device("interp"), *other = open_device("interp");
  float data[8], out[8];
  for (int i = 0; i < 8; i++) data[i] = (float)(i + 1);
  for (int round = 0; round < 3; round++) {
    for (int64_t rows = 1; rows <= 8; rows *= 2) {
      ten_array *x = floats(device, rows, 8 / rows, data), *column = floats(device, rows, 1, data), *y, *z, *wide;
      check_ok(ten_array_binary("sub", x, column, &y));
      check_ok(ten_array_read(y, out, sizeof out));
      for (int64_t i = 0; i < 8; i++) assert_true(out[i] == data[i] - data[i / (8 / rows)]);
      check_ok(ten_array_unary("neg", y, &z));
      check_ok(ten_array_read(z, out, sizeof out));
      assert_true(out[7] == data[rows - 1] - data[7]);
      ten_array_release(y), ten_array_release(z);
      check_ok(tensor_binary_number("sub", x, TEN_F32, &data[round], true, &y)); /* the number comes first */
      check_ok(tensor_binary_number("sub", x, TEN_F32, &data[round], false, &z));
      check_ok(ten_array_read(y, out, sizeof out));
      assert_true(out[7] == data[round] - data[7]);
      check_ok(ten_array_read(z, out, sizeof out));
      assert_true(out[7] == data[7] - data[round]);
      check_ok(ten_array_cast(x, TEN_F64, &wide));
      ten_array_release(y);
      check_ok(ten_array_binary("sub", wide, wide, &y)); /* the same shape in another type */
      assert_int_equal(ten_array_dtype(y), TEN_F64);
      ten_array_release(x), ten_array_release(column), ten_array_release(y), ten_array_release(z);
      ten_array_release(wide);
    }
    ten_array *x = floats(device, 1, 8, data), *w = floats(other, 1, 8, data), *z;
    check_error(ten_array_binary("sub", x, w, &z), TEN_INVALID,
                "sub: arrays of two devices, \"interp\" and \"interp\", which was opened twice: "
                "move one of them with to_device");
    ten_array_release(x), ten_array_release(w);
  }
  assert_int_equal(stats_of(device).bytes, 0);
  ten_device_release(device);
  ten_device_release(other);
}

static void types_are_promoted(void **state) {
  (void)state;
  assert_int_equal(ten_dtype_promote(TEN_I8, TEN_UI8), TEN_I16);
  assert_int_equal(ten_dtype_promote(TEN_UI32, TEN_I32), TEN_I64);
  assert_int_equal(ten_dtype_promote(TEN_F32, TEN_C64), TEN_C64);
  assert_int_equal(ten_dtype_promote(TEN_F64, TEN_C64), TEN_C128);
  assert_int_equal(ten_dtype_promote(TEN_I64, TEN_F32), TEN_F32);
  ten_device *device = open_device("cpu");
  ten_array *x = floats(device, 1, 2, (const float[]){0.5f, 1.5f}), *y, *z;
  check_ok(ten_array_integer(device, TEN_I32, 3, &y));
  check_ok(ten_array_binary("mul", x, y, &z));
  assert_int_equal(ten_array_dtype(z), TEN_F32);
  float out[2];
  check_ok(ten_array_read(z, out, sizeof out));
  assert_true(out[0] == 1.5f && out[1] == 4.5f);
  ten_array_release(x), ten_array_release(y), ten_array_release(z);
  ten_device_release(device);
}

static void errors_name_both_shapes(void **state) {
  (void)state;
  ten_device *device = open_device("cpu"), *other = open_device("interp");
  const float zeros[6] = {0};
  ten_array *x = floats(device, 2, 3, zeros), *y = floats(device, 3, 2, zeros), *w = floats(other, 2, 3, zeros), *z;
  check_error(ten_array_binary("add", x, y, &z), TEN_INVALID,
              "operands could not be broadcast together with shapes (2,3) (3,2)");
  assert_null(z);
  check_error(ten_array_matmul(x, x, &z), TEN_INVALID, "matmul: shapes (2,3) and (2,3) do not fit each other");
  check_error(ten_array_binary("add", x, w, &z), TEN_INVALID,
              "add: arrays of two devices, \"cpu\" and \"interp\": move one of them with to_device");
  check_error(ten_array_grad(x, 1, &x, &z), TEN_INVALID,
              "gradients are of one float number without dimensions, not of f32 with 2 dimensions");
  ten_array_release(x), ten_array_release(y), ten_array_release(w);
  ten_device_release(device);
  ten_device_release(other);
}

static void what_was_released_is_refused(void **state) {
  (void)state;
  ten_device *device = open_device("cpu"), *again = open_device("cpu");
  ten_array *x = floats(device, 2, 3, (const float[6]){1}), *gone = floats(device, 2, 3, (const float[6]){1}), *made;
  ten_array *y = floats(again, 2, 3, (const float[6]){1});
  const void *data;
  char *text;
  float out[6];
  ten_function *function;
  struct DLManagedTensorVersioned *managed;
  refused(ten_array_binary("add", x, y, &made), "arrays of two devices, \"cpu\" and \"cpu\", which was opened twice");
  refused(ten_function_create(1, &y, 1, &x, &function), "are on one device");
  refused(ten_array_reshape(x, 1, (const int64_t[]){5}, &made), "cannot reshape an array of shape (2,3) to (5,)");
  refused(ten_array_unary("neg", NULL, &made), "neg: array 1 of 1 is NULL");
  refused(ten_array_unary(NULL, x, &made), "an operation without a name");
  ten_array_release(gone);
  ten_array_release(gone);
  assert_null(ten_array_retain(gone));
  assert_int_equal(ten_array_dtype(gone), TEN_DTYPE_NONE);
  assert_int_equal(ten_array_rank(gone), 0);
  assert_int_equal(ten_array_count(gone), 0);
  ten_array *const both[] = {x, gone};
  const ten_argument arguments[] = {{.name = "tensors", .kind = TEN_ARG_ARRAYS, .count = 2, .arrays = both}};
  refused(ten_array_op(device, "cat", arguments, 1, &made, 1), "cat: array 1 of 1 was released");
  refused(ten_array_binary("add", x, gone, &made), "add: array 2 of 2 was released");
  refused(ten_array_matmul(gone, x, &made), "was released");
  refused(ten_array_unary("neg", gone, &made), "was released");
  refused(ten_array_cast(gone, TEN_F64, &made), "was released");
  refused(ten_array_reduce("sum.dim_IntList", gone, 0, NULL, 0, &made), "was released");
  refused(ten_array_reshape(gone, 1, (const int64_t[]){6}, &made), "was released");
  refused(ten_array_to(gone, device, &made), "was released");
  refused(ten_array_data(gone, &data), "was released");
  refused(ten_array_read(gone, out, sizeof out), "was released");
  refused(ten_array_text(gone, &text), "was released");
  refused(ten_array_to_dlpack(gone, &managed), "was released");
  refused(ten_array_grad(gone, 1, &x, &made), "was released");
  refused(ten_array_vmap(1, &x, &gone, 1, &x, &made), "was released");
  refused(ten_function_create(1, &gone, 1, &x, &function), "was released");
  for (int i = 0; i < 3 * TENSOR_RELEASED; i++) { /* of the latest only */
    check_ok(ten_array_unary("neg", x, &made));
    ten_array_release(made);
  }
  refused(ten_array_data(made, &data), "was released");
  ten_array_release(x);
  ten_array_release(y);
  ten_device_release(device);
  ten_device_release(again);
}

static void gradients_can_be_differentiated(void **state) {
  (void)state;
  ten_device *device = open_device("cpu");
  ten_array *x, *y, *z, *first, *second;
  check_ok(ten_array_scalar(device, TEN_F32, 3, 0, &x));
  check_ok(ten_array_binary("mul", x, x, &y));
  check_ok(ten_array_binary("mul", y, x, &z)); /* x³ */
  check_ok(ten_array_grad(z, 1, &x, &first));
  check_ok(ten_array_grad(first, 1, &x, &second));
  float out;
  check_ok(ten_array_read(second, &out, sizeof out));
  assert_true(out == 18);
  check_ok(ten_array_read(first, &out, sizeof out));
  assert_true(out == 27);
  ten_array_release(x), ten_array_release(y), ten_array_release(z), ten_array_release(first), ten_array_release(second);
  assert_int_equal(stats_of(device).bytes, 0);
  ten_device_release(device);
}

static void a_tape_sees_through_values_that_were_read(void **state) {
  (void)state;
  ten_device *device = open_device("cpu");
  ten_array *x, *y, *z, *gradient;
  check_ok(ten_array_scalar(device, TEN_F32, 3, 0, &x));
  ten_tape_begin(device);
  check_ok(ten_array_binary("mul", x, x, &y));
  float out;
  check_ok(ten_array_read(y, &out, sizeof out));
  check_ok(ten_array_binary("mul", y, x, &z));
  check_ok(ten_array_grad(z, 1, &x, &gradient));
  ten_tape_end(device);
  check_ok(ten_array_read(gradient, &out, sizeof out));
  assert_true(out == 27);
  ten_array_release(x), ten_array_release(y), ten_array_release(z), ten_array_release(gradient);
  assert_int_equal(stats_of(device).bytes, 0);
  ten_device_release(device);
}

static void a_loop_that_never_reads_stays_small(void **state) {
  (void)state;
  ten_device *device = open_device("cpu");
  const float ones[4] = {1, 1, 1, 1};
  ten_array *step = floats(device, 2, 2, ones), *x = floats(device, 2, 2, ones);
  size_t most = 0;
  for (int i = 0; i < 20000; i++) {
    ten_array *next;
    check_ok(ten_array_binary("add", x, step, &next));
    ten_array_release(x);
    x = next;
    const size_t pending = stats_of(device).pending;
    if (pending > most) most = pending;
  }
  assert_in_range(most, 1, 5000);
  float out[4];
  check_ok(ten_array_read(x, out, sizeof out));
  assert_true(out[0] == 20001);
  assert_in_range(stats_of(device).programs, 1, 4);
  ten_array_release(x), ten_array_release(step);
  ten_device_release(device);
}

static void numbers_that_change_compile_nothing(void **state) {
  (void)state;
  ten_device *device = open_device("cpu");
  ten_array *x = floats(device, 1, 2, (const float[]){1, 2});
  for (int i = 0; i < 50; i++) {
    ten_array *number, *y;
    check_ok(ten_array_scalar(device, TEN_F32, i, 0, &number));
    check_ok(ten_array_binary("mul", x, number, &y));
    float out[2];
    check_ok(ten_array_read(y, out, sizeof out));
    assert_true(out[1] == 2 * (float)i);
    ten_array_release(number), ten_array_release(y);
  }
  assert_int_equal(stats_of(device).programs, 1);
  ten_array_release(x);
  ten_device_release(device);
}

static void functions_are_called_with_other_values(void **state) {
  (void)state;
  ten_device *device = open_device("cpu");
  ten_array *x = floats(device, 1, 2, (const float[]){1, 2}), *c = floats(device, 1, 2, (const float[]){10, 20}), *y,
            *z;
  check_ok(ten_array_binary("add", x, c, &y));
  ten_function *function;
  check_ok(ten_function_create(1, &x, 1, &y, &function));
  ten_array *other = floats(device, 1, 2, (const float[]){5, 6});
  ten_array_release(c);
  check_ok(ten_function_call(function, &other, &z));
  float out[2];
  check_ok(ten_array_read(z, out, sizeof out));
  assert_true(out[0] == 15 && out[1] == 26);
  ten_array *wrong = floats(device, 2, 1, (const float[]){5, 6});
  ten_array *none;
  check_error(ten_function_call(function, &wrong, &none), TEN_INVALID,
              "input 0 is not of the type, shape and device that the function was made for");
  ten_function_release(function);
  ten_array_release(x), ten_array_release(y), ten_array_release(z), ten_array_release(other), ten_array_release(wrong);
  ten_device_release(device);
}

static const char being_recorded[] =
    "a value is read (by float(x), `if x > 0` or print(x), say) of an array that stands "
    "for an input of a function that is being recorded";

/* The dot product of each row with one vector, and of nothing that can be read on the way. */
static void examples_become_a_batch(void **state) {
  (void)state;
  ten_device *device = open_device("cpu");
  ten_array *rows = floats(device, 3, 2, (const float[]){1, 2, 3, 4, 5, 6}),
            *w = floats(device, 1, 2, (const float[]){10, 1});
  ten_array *one, *product, *sum, *sums;
  check_ok(ten_array_placeholder(device, TEN_F32, 1, (const int64_t[]){2}, &one));
  check_ok(ten_array_binary("mul", one, w, &product));
  check_ok(ten_array_reduce("sum", product, 0, NULL, 0, &sum));
  check_ok(ten_array_vmap(1, &one, &rows, 1, &sum, &sums));
  assert_int_equal(ten_array_rank(sums), 1);
  float out[3];
  check_ok(ten_array_read(sums, out, sizeof out));
  assert_true(out[0] == 12 && out[1] == 34 && out[2] == 56);
  check_error(ten_array_read(sum, out, sizeof *out), TEN_INVALID, being_recorded);
  check_error(ten_array_read(one, out, 2 * sizeof *out), TEN_INVALID, being_recorded);
  check_ok(ten_device_synchronize(device)); /* leaves out what cannot be computed */
  ten_array *none;
  ten_function *function;
  check_error(ten_array_vmap(1, &one, &one, 1, &sum, &none), TEN_INVALID,
              "batch 0 has not the type of its example with one more dimension in front");
  check_error(ten_array_vmap(0, NULL, NULL, 1, &sum, &none), TEN_INVALID, "a batch of examples without inputs");
  check_error(ten_function_create(0, NULL, 1, &sum, &function), TEN_INVALID,
              "a function depends on an input of another that is being recorded");
  ten_array_release(rows), ten_array_release(w), ten_array_release(one), ten_array_release(product);
  ten_array_release(sum), ten_array_release(sums);
  ten_device_release(device);
}

static void text_is_numpys(void **state) {
  (void)state;
  ten_device *device = open_device("interp");
  ten_array *x = floats(device, 2, 3, (const float[]){1, 2.5f, -3, 0.125f, 100, 0});
  char *text;
  check_ok(ten_array_text(x, &text));
  assert_string_equal(text, "[[  1.      2.5    -3.   ]\n [  0.125 100.      0.   ]]");
  free(text);
  ten_array_release(x);
  ten_device_release(device);
}

static void random_numbers_depend_on_seed_and_position(void **state) {
  (void)state;
  ten_device *device = open_device("interp");
  ten_array *all, *part;
  check_ok(ten_array_random(device, TEN_F64, 1, (const int64_t[]){8}, 42, 0, 0, &all));
  check_ok(ten_array_random(device, TEN_F64, 1, (const int64_t[]){5}, 42, 3, 0, &part));
  double a[8], b[5];
  check_ok(ten_array_read(all, a, sizeof a));
  check_ok(ten_array_read(part, b, sizeof b));
  assert_memory_equal(a + 3, b, sizeof b);
  for (int i = 0; i < 8; i++) assert_true(a[i] >= 0 && a[i] < 1);
  ten_array_release(all), ten_array_release(part);
  ten_device_release(device);
}

static void count_deletion(dl_versioned *managed) { ++*(int *)managed->context; }

static void tensors_go_in_and_out_by_dlpack(void **state) {
  (void)state;
  ten_device *device = open_device("cpu");
  static float data[6] __attribute__((aligned(64))) = {1, 2, 3, 4, 5, 6};
  int deleted = 0;
  int64_t dims[] = {2, 3}, turned[] = {3, 2}, columns[] = {1, 3};
  dl_versioned plain = {{1, 3}, &deleted, count_deletion, 0, {data, {DL_CPU, 0}, 2, {DL_FLOAT, 32, 1}, dims, NULL, 0}};
  dl_versioned transposed = plain;
  transposed.tensor.shape = turned, transposed.tensor.strides = columns;
  ten_array *x, *y, *product;
  check_ok(ten_array_from_dlpack(device, &plain, &x));
  check_ok(ten_array_from_dlpack(device, &transposed, &y));
  assert_int_equal(deleted, 1); /* the one that was copied */
  check_ok(ten_array_matmul(x, y, &product));
  const void *same;
  check_ok(ten_array_data(x, &same));
  assert_ptr_equal(same, data);
  dl_versioned *out;
  check_ok(ten_array_to_dlpack(product, &out));
  ten_array_release(x), ten_array_release(y), ten_array_release(product);
  assert_int_equal(deleted, 2);
  assert_int_equal(out->tensor.rank, 2);
  assert_int_equal(out->tensor.shape[1], 2);
  assert_int_equal(out->flags, DL_READ_ONLY);
  const float *values = out->tensor.data;
  assert_true(values[0] == 14 && values[1] == 32 && values[2] == 32 && values[3] == 77);
  out->deleter(out);

  plain.tensor.device.type = DL_CUDA;
  check_error(ten_array_from_dlpack(device, &plain, &x), TEN_UNSUPPORTED,
              "a tensor in memory of DLPack's device type 2; host memory (1) is supported");
  plain.tensor.device.type = DL_CPU, plain.version.major = 2;
  check_error(ten_array_from_dlpack(device, &plain, &x), TEN_UNSUPPORTED,
              "a tensor by version 2.3 of DLPack; 1 is supported");
  plain.version.major = 1, plain.tensor.dtype.lanes = 4;
  check_error(ten_array_from_dlpack(device, &plain, &x), TEN_UNSUPPORTED,
              "a tensor of DLPack's type code 2 with 32 bits in 4 lanes");
  plain.tensor.dtype.lanes = 1, dims[0] = -1;
  check_error(ten_array_from_dlpack(device, &plain, &x), TEN_INVALID, "dimension 0 of a tensor is -1");
  dims[0] = 2, plain.tensor.data = NULL;
  check_error(ten_array_from_dlpack(device, &plain, &x), TEN_INVALID, "a tensor with elements, but without memory");
  assert_int_equal(deleted, 2);
  dims[0] = 0;
  check_ok(ten_array_from_dlpack(device, &plain, &x));
  ten_array_release(x);
  assert_int_equal(deleted, 3);
  ten_device_release(device);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(operations_are_recorded_and_run_once),
                                     cmocka_unit_test(devices_are_opened_by_number),
                                     cmocka_unit_test(names_are_read_anew),
                                     cmocka_unit_test(wrong_types_and_numbers_are_refused),
                                     cmocka_unit_test(what_is_recorded_again_is_the_same),
                                     cmocka_unit_test(types_are_promoted),
                                     cmocka_unit_test(errors_name_both_shapes),
                                     cmocka_unit_test(what_was_released_is_refused),
                                     cmocka_unit_test(gradients_can_be_differentiated),
                                     cmocka_unit_test(a_tape_sees_through_values_that_were_read),
                                     cmocka_unit_test(a_loop_that_never_reads_stays_small),
                                     cmocka_unit_test(numbers_that_change_compile_nothing),
                                     cmocka_unit_test(functions_are_called_with_other_values),
                                     cmocka_unit_test(examples_become_a_batch),
                                     cmocka_unit_test(text_is_numpys),
                                     cmocka_unit_test(tensors_go_in_and_out_by_dlpack),
                                     cmocka_unit_test(random_numbers_depend_on_seed_and_position)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
