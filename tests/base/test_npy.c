/* test_npy.c: .npy files, ours and hostile ones. tests/python/test_npy.py holds them against NumPy and ml_dtypes. */
#include "base/npy.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "check.h"

/* A version 1 file with this header and body, as NumPy lays it out. */
static ten_buf file_of(const char *header, const void *body, size_t size) {
  ten_buf buf = {0};
  ten_buf_add(&buf, "\x93NUMPY\x01\x00\x00\x00", 10);
  ten_buf_adds(&buf, header);
  while ((buf.size + 1) % 64) ten_buf_addc(&buf, ' ');
  ten_buf_addc(&buf, '\n');
  buf.data[8] = (char)((buf.size - 10) & 0xFF);
  buf.data[9] = (char)((buf.size - 10) >> 8);
  ten_buf_add(&buf, body, size);
  return buf;
}

static void want_error(const char *header, size_t body_size, ten_dtype wanted, ten_code code, const char *text) {
  char body[64] = {0};
  ten_buf buf = file_of(header, body, body_size);
  ten_npy array;
  check_error(ten_npy_parse((ten_str){buf.data, buf.size}, "a.npy", wanted, &array), code, text);
  assert_null(array.data);
  ten_buf_free(&buf);
}

static void what_is_written_is_read(void **state) {
  (void)state;
  char path[] = "/tmp/tenfold-npy-XXXXXX";
  close(mkstemp(path));
  unsigned char data[2 * 3 * 16];
  for (int dtype = 1; dtype < TEN_DTYPE_COUNT; dtype++) {
    if (dtype == TEN_TF32 || dtype == TEN_INDEX) continue;
    const unsigned bits = ten_dtype_bits((ten_dtype)dtype);
    const bool is_signed = ten_dtype_class((ten_dtype)dtype) == TEN_CLASS_SINT;
    for (size_t i = 0; i < sizeof data; i++) {
      data[i] = (unsigned char)(i * 37 + 11);
      if (bits < 8) data[i] = (unsigned char)(data[i] & ((1u << bits) - 1));
      if (bits < 8 && is_signed && data[i] >> (bits - 1)) data[i] = (unsigned char)(data[i] | ~0u << bits);
    }
    const size_t size = 6 * ten_dtype_bytes((ten_dtype)dtype);
    check_ok(ten_npy_write(path, (ten_dtype)dtype, (int64_t[]){2, 3}, 2, data));
    ten_npy array;
    check_ok(ten_npy_read(path, (ten_dtype)dtype, &array));
    assert_int_equal(array.dtype, dtype);
    assert_int_equal(array.rank, 2);
    assert_int_equal(array.shape[0], 2);
    assert_int_equal(array.shape[1], 3);
    assert_int_equal(array.count, 6);
    assert_int_equal(array.size, size);
    assert_memory_equal(array.data, data, size);
    ten_npy_free(&array);
  }
  unlink(path);
}

static void scalars_and_empty_arrays(void **state) {
  (void)state;
  char path[] = "/tmp/tenfold-npy-XXXXXX";
  close(mkstemp(path));
  const float value = 2.5f;
  ten_npy array;
  check_ok(ten_npy_write(path, TEN_F32, NULL, 0, &value));
  check_ok(ten_npy_read(path, TEN_DTYPE_NONE, &array));
  assert_int_equal(array.rank, 0);
  assert_int_equal(array.count, 1);
  assert_memory_equal(array.data, &value, 4);
  assert_true(array.file.mapped); /* not copied */
  ten_npy_free(&array);
  check_ok(ten_npy_write(path, TEN_F32, (int64_t[]){3, 0}, 2, NULL));
  check_ok(ten_npy_read(path, TEN_F32, &array));
  assert_int_equal(array.count, 0);
  assert_int_equal(array.shape[0], 3);
  ten_npy_free(&array);
  unlink(path);
}

static void column_major_becomes_row_major(void **state) {
  (void)state;
  const int16_t body[] = {0, 6, 2, 8, 4, 10, 1, 7, 3, 9, 5, 11}; /* shape (2, 3, 2), first index fastest */
  ten_buf buf = file_of("{'descr': '<i2', 'fortran_order': True, 'shape': (2, 3, 2), }", body, sizeof body);
  ten_npy array;
  check_ok(ten_npy_parse((ten_str){buf.data, buf.size}, "a.npy", TEN_I16, &array));
  for (int16_t i = 0; i < 12; i++) assert_int_equal(((const int16_t *)array.data)[i], i);
  ten_npy_free(&array);
  ten_buf_free(&buf);
}

static void big_endian_is_turned(void **state) {
  (void)state;
  ten_buf buf = file_of("{'descr': '>c8', 'fortran_order': False, 'shape': (1,), }", "\x3f\x80\0\0\xc0\0\0\0", 8);
  ten_npy array;
  check_ok(ten_npy_parse((ten_str){buf.data, buf.size}, "a.npy", TEN_DTYPE_NONE, &array));
  assert_int_equal(array.dtype, TEN_C64);
  assert_true(((const float *)array.data)[0] == 1.0f);
  assert_true(((const float *)array.data)[1] == -2.0f);
  ten_npy_free(&array);
  ten_buf_free(&buf);
}

static void raw_bytes_take_the_wanted_type(void **state) {
  (void)state;
  ten_buf buf = file_of("{'descr': '<V1', 'fortran_order': False, 'shape': (3,), }", "\x01\x0e\xf3", 3);
  const ten_str bytes = {buf.data, buf.size};
  ten_npy array;
  check_ok(ten_npy_parse(bytes, "a.npy", TEN_I4, &array));
  assert_memory_equal(array.data, "\x01\xfe\x03", 3); /* sign-extended, garbage gone */
  ten_npy_free(&array);
  check_ok(ten_npy_parse(bytes, "a.npy", TEN_F8E4M3FN, &array));
  assert_memory_equal(array.data, "\x01\x0e\xf3", 3);
  ten_npy_free(&array);
  check_error(ten_npy_parse(bytes, "a.npy", TEN_DTYPE_NONE, &array), TEN_INVALID,
              "a.npy: holds raw elements of 1 byte and does not say of which type");
  check_error(ten_npy_parse(bytes, "a.npy", TEN_BF16, &array), TEN_INVALID,
              "a.npy: holds raw elements of 1 byte; bf16 is wanted");
  check_error(ten_npy_parse(bytes, "a.npy", TEN_I8, &array), TEN_INVALID,
              "a.npy: holds raw elements of 1 byte; i8 is wanted");
  ten_buf_free(&buf);
}

static void booleans_are_zero_or_one(void **state) {
  (void)state;
  ten_buf buf = file_of("{'descr': '|b1', 'fortran_order': False, 'shape': (3,), }", "\x00\x01\x40", 3);
  ten_npy array;
  check_ok(ten_npy_parse((ten_str){buf.data, buf.size}, "a.npy", TEN_I1, &array));
  assert_memory_equal(array.data, "\x00\x01\x01", 3);
  ten_npy_free(&array);
  ten_buf_free(&buf);
}

static void headers_in_other_dress_are_read(void **state) {
  (void)state;
  static const char *const headers[] = {
      "{\"shape\":(2,),\"fortran_order\":False,\"descr\":\"|u1\"}",
      "  { 'shape' : ( 2L , ) , 'descr':'|u1','fortran_order':True }  ",
  };
  for (size_t i = 0; i < 2; i++) {
    ten_buf buf = file_of(headers[i], "\x05\x06", 2);
    ten_npy array;
    check_ok(ten_npy_parse((ten_str){buf.data, buf.size}, "a.npy", TEN_UI8, &array));
    assert_int_equal(array.shape[0], 2);
    ten_npy_free(&array);
    ten_buf_free(&buf);
  }
}

static void wide_headers_of_later_versions(void **state) {
  (void)state;
  static const char header[] = "{'descr': '|u1', 'fortran_order': False, 'shape': (1,)}\n";
  for (char version = 2; version <= 3; version++) {
    ten_buf buf = {0};
    ten_buf_add(&buf, "\x93NUMPY", 6);
    ten_buf_addc(&buf, version);
    ten_buf_add(&buf, (char[]){0, sizeof header - 1, 0, 0, 0}, 5);
    ten_buf_adds(&buf, header);
    ten_buf_addc(&buf, 9);
    ten_npy array;
    check_ok(ten_npy_parse((ten_str){buf.data, buf.size}, "a.npy", TEN_UI8, &array));
    assert_int_equal(*(const char *)array.data, 9);
    ten_npy_free(&array);
    for (size_t size = 0; size < buf.size; size++) { /* every shorter file is refused */
      ten_status *status = ten_npy_parse((ten_str){buf.data, size}, "a.npy", TEN_UI8, &array);
      assert_non_null(status);
      ten_status_free(status);
    }
    ten_buf_free(&buf);
  }
}

static void hostile_headers_are_refused(void **state) {
  (void)state;
  static const char strange[] = "a.npy: has a header that is not as NumPy writes it";
  static const char *const headers[] = {
      "",
      "{",
      "{}",
      "{'descr': '<f4', 'fortran_order': False}",
      "{'descr': '<f4', 'fortran_order': False, 'shape': (1}",
      "{'descr': '<f4', 'fortran_order': False, 'shape': (-1,)}",
      "{'descr': '<f4', 'fortran_order': False, 'shape': (1,,)}",
      "{'descr': '<f4', 'fortran_order': Maybe, 'shape': (1,)}",
      "{'descr': '<f4', 'fortran_order': False, 'shape': (9223372036854775808,)}",
      "{'descr': '<f4', 'fortran_order': False, 'shape': (1,), 'shape': (1,)}",
      "{'descr': '<f4', 'descr': '<f4', 'fortran_order': False, 'shape': (1,)}",
      "{'descr': '<f4', 'fortran_order': False, 'shape': (1,), 'more': 1}",
      "{'descr': '<f4', 'fortran_order': False, 'shape': (1,)} x",
      "{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (1,)}",
      "{'descr': '<f4\\', 'fortran_order': False, 'shape': (1,)}",
      "__import__('os').system('true')",
  };
  for (size_t i = 0; i < sizeof headers / sizeof *headers; i++)
    want_error(headers[i], 4, TEN_F32, TEN_INVALID, strange);
  ten_buf deep = {0};
  ten_buf_adds(&deep, "{'descr': '|u1', 'fortran_order': False, 'shape': (");
  for (int i = 0; i < TEN_NPY_RANK_MOST + 1; i++) ten_buf_adds(&deep, "1,");
  ten_buf_adds(&deep, ")}");
  want_error(deep.data, 1, TEN_UI8, TEN_INVALID, strange);
  ten_buf_free(&deep);
}

static void sizes_that_do_not_fit_are_refused(void **state) {
  (void)state;
  want_error("{'descr': '<f4', 'fortran_order': False, 'shape': (2,)}", 4, TEN_F32, TEN_INVALID,
             "a.npy: has 4 bytes of elements; its shape needs 8");
  want_error("{'descr': '<f4', 'fortran_order': False, 'shape': (1,)}", 8, TEN_F32, TEN_INVALID,
             "a.npy: has 8 bytes of elements; its shape needs 4");
  want_error("{'descr': '<f4', 'fortran_order': True, 'shape': (4294967296, 4294967296)}", 4, TEN_F32, TEN_LIMIT,
             "a.npy: declares too many elements");
  want_error("{'descr': '<f8', 'fortran_order': False, 'shape': (9223372036854775807,)}", 4, TEN_F64, TEN_LIMIT,
             "a.npy: declares too many elements");
  /* An empty array may have huge dimensions. */
  ten_buf buf = file_of("{'descr': '<f8', 'fortran_order': True, 'shape': (9223372036854775807, 9, 0)}", NULL, 0);
  ten_npy array;
  check_ok(ten_npy_parse((ten_str){buf.data, buf.size}, "a.npy", TEN_F64, &array));
  assert_int_equal(array.count, 0);
  ten_npy_free(&array);
  ten_buf_free(&buf);
}

static void other_types_are_named(void **state) {
  (void)state;
  want_error("{'descr': '|O', 'fortran_order': False, 'shape': (1,)}", 4, TEN_F32, TEN_UNSUPPORTED,
             "a.npy: holds elements of type '|O', which is not supported");
  want_error("{'descr': '<U2', 'fortran_order': False, 'shape': (1,)}", 8, TEN_F32, TEN_UNSUPPORTED,
             "a.npy: holds elements of type '<U2', which is not supported");
  want_error("{'descr': '<V3', 'fortran_order': False, 'shape': (1,)}", 3, TEN_BF16, TEN_UNSUPPORTED,
             "a.npy: holds elements of type '<V3', which is not supported");
  want_error("{'descr': '<f8', 'fortran_order': False, 'shape': (1,)}", 8, TEN_F32, TEN_INVALID,
             "a.npy: holds f64; f32 is wanted");
}

static void what_is_no_npy_file_is_refused(void **state) {
  (void)state;
  ten_npy array;
  check_error(ten_npy_parse(TEN_STR("PK\x03\x04 a zip file"), "a.npz", TEN_F32, &array), TEN_INVALID,
              "a.npz: is not a .npy file");
  check_error(ten_npy_parse(TEN_STR("\x93NUMPY\x09\x00\x00\x00"), "a.npy", TEN_F32, &array), TEN_UNSUPPORTED,
              "a.npy: is .npy version 9.0; versions 1 to 3 are known");
  check_error(ten_npy_parse(TEN_STR("\x93NUMPY\x02\x00\xff\xff\xff\xff"), "a.npy", TEN_F32, &array), TEN_LIMIT,
              "a.npy: declares a header of 4294967295 bytes; 1048576 is the most");
  check_error(ten_npy_read("/no/such.npy", TEN_F32, &array), TEN_NOT_FOUND, "/no/such.npy: No such file or directory");
}

static void what_cannot_be_written_says_so(void **state) {
  (void)state;
  check_error(ten_npy_write("/tmp/never.npy", TEN_TF32, NULL, 0, "1234"), TEN_UNSUPPORTED,
              "elements of type tf32 cannot be written as .npy\n  while writing /tmp/never.npy");
  check_error(ten_npy_write("/tmp/never.npy", TEN_F32, (int64_t[]){-1}, 1, "1234"), TEN_INVALID,
              "a dimension is -1; it must be at least 0\n  while writing /tmp/never.npy");
  assert_int_equal(access("/tmp/never.npy", F_OK), -1);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(what_is_written_is_read),         cmocka_unit_test(scalars_and_empty_arrays),
      cmocka_unit_test(column_major_becomes_row_major),  cmocka_unit_test(big_endian_is_turned),
      cmocka_unit_test(raw_bytes_take_the_wanted_type),  cmocka_unit_test(booleans_are_zero_or_one),
      cmocka_unit_test(headers_in_other_dress_are_read), cmocka_unit_test(wide_headers_of_later_versions),
      cmocka_unit_test(hostile_headers_are_refused),     cmocka_unit_test(sizes_that_do_not_fit_are_refused),
      cmocka_unit_test(other_types_are_named),           cmocka_unit_test(what_is_no_npy_file_is_refused),
      cmocka_unit_test(what_cannot_be_written_says_so),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
