/* test_hash.c: the same bytes, the same key; for ever, as keys name files. */
#include "base/hash.h"

#include "check.h"

static void keys_never_change(void **state) {
  (void)state;
  char hex[33];
  ten_hash128_hex(ten_hash128_of(NULL, 0, 0), hex);
  assert_string_equal(hex, "99aa06d3014798d86001c324468d497f"); /* XXH3's own value for nothing */
  ten_hash128_hex(ten_hash128_of("tenfold", 7, 0), hex);
  assert_string_equal(hex, "0ce9c1b4498b376ea04cf83102e28ef1");
}

static void pieces_give_the_key_of_the_whole(void **state) {
  (void)state;
  char bytes[5000];
  for (size_t i = 0; i < sizeof bytes; i++) bytes[i] = (char)(i * 31);
  ten_hasher *hasher = ten_hasher_create();
  for (size_t at = 0, wanted = 0; at < sizeof bytes; wanted = (wanted + 7) % 97) {
    const size_t size = wanted < sizeof bytes - at ? wanted : sizeof bytes - at;
    ten_hasher_add(hasher, bytes + at, size);
    at += size;
  }
  assert_true(ten_hash128_eq(ten_hasher_result(hasher), ten_hash128_of(bytes, sizeof bytes, 0)));
  ten_hasher_destroy(hasher);
}

static ten_hash128 of_two(const char *a, const char *b) {
  ten_hasher *hasher = ten_hasher_create();
  ten_hasher_add_str(hasher, ten_str_of(a));
  ten_hasher_add_str(hasher, ten_str_of(b));
  const ten_hash128 hash = ten_hasher_result(hasher);
  ten_hasher_destroy(hasher);
  return hash;
}

static void strings_do_not_run_into_each_other(void **state) {
  (void)state;
  assert_false(ten_hash128_eq(of_two("ab", "c"), of_two("a", "bc")));
  assert_true(ten_hash128_eq(of_two("ab", "c"), of_two("ab", "c")));
}

static void numbers_are_eight_bytes_lowest_first(void **state) {
  (void)state;
  ten_hasher *hasher = ten_hasher_create();
  ten_hasher_add_u64(hasher, 0x0102030405060708);
  assert_true(ten_hash128_eq(ten_hasher_result(hasher), ten_hash128_of("\x08\x07\x06\x05\x04\x03\x02\x01", 8, 0)));
  ten_hasher_destroy(hasher);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(keys_never_change),
      cmocka_unit_test(pieces_give_the_key_of_the_whole),
      cmocka_unit_test(strings_do_not_run_into_each_other),
      cmocka_unit_test(numbers_are_eight_bytes_lowest_first),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
