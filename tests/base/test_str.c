/* test_str.c: string views and the text buffer. */
#include "base/str.h"

#include <stdlib.h>

#include "check.h"

static void views_compare(void **state) {
  (void)state;
  assert_true(ten_str_eq(TEN_STR("abc"), ten_str_of("abc")));
  assert_false(ten_str_eq(TEN_STR("abc"), TEN_STR("abd")));
  assert_false(ten_str_eq(TEN_STR("abc"), TEN_STR("ab")));
  assert_true(ten_str_eq((ten_str){0}, TEN_STR("")));
  assert_true(ten_str_is((ten_str){"abcdef", 3}, "abc"));
  assert_true(ten_str_compare(TEN_STR("ab"), TEN_STR("abc")) < 0);
  assert_true(ten_str_compare(TEN_STR("b"), TEN_STR("abc")) > 0);
  assert_int_equal(ten_str_compare(TEN_STR("x"), TEN_STR("x")), 0);
  assert_int_equal(ten_str_compare((ten_str){0}, TEN_STR("")), 0);
}

static void prefixes_and_suffixes(void **state) {
  (void)state;
  const ten_str name = TEN_STR("stablehlo.add");
  assert_true(ten_str_starts(name, "stablehlo."));
  assert_true(ten_str_ends(name, ".add"));
  assert_true(ten_str_starts(name, ""));
  assert_false(ten_str_starts(TEN_STR("st"), "stablehlo"));
  assert_false(ten_str_ends(TEN_STR("dd"), "add"));
  assert_int_equal(ten_str_of(NULL).size, 0);
}

static void the_buffer_grows_and_stays_terminated(void **state) {
  (void)state;
  ten_buf buf = {0};
  for (int i = 0; i < 1000; i++) {
    ten_buf_printf(&buf, "%d,", i);
    assert_int_equal(buf.data[buf.size], 0);
  }
  assert_int_equal(buf.size, 10 * 2 + 90 * 3 + 900 * 4);
  ten_buf_addc(&buf, '!');
  ten_buf_adds(&buf, "end");
  ten_buf_addstr(&buf, (ten_str){"....", 2});
  assert_string_equal(buf.data + buf.size - 6, "!end..");
  ten_buf_free(&buf);
  assert_null(buf.data);
}

static void a_print_longer_than_the_buffer_is_whole(void **state) {
  (void)state;
  char word[5000];
  memset(word, 'w', sizeof word - 1);
  word[sizeof word - 1] = 0;
  ten_buf buf = {0};
  ten_buf_printf(&buf, "<%s>", word);
  assert_int_equal(buf.size, sizeof word + 1);
  assert_int_equal(buf.data[buf.size - 1], '>');
  ten_buf_free(&buf);
}

static void taking_hands_over(void **state) {
  (void)state;
  ten_buf buf = {0};
  char *empty = ten_buf_take(&buf);
  assert_string_equal(empty, "");
  free(empty);
  ten_buf_add(&buf, "a\0b", 3);
  char *data = ten_buf_take(&buf);
  assert_memory_equal(data, "a\0b", 4);
  assert_null(buf.data);
  free(data);
}

/* What is no UTF-8 becomes U+FFFD byte by byte: a lone continuation, too long a form, a surrogate, above U+10FFFF, cut.
 */
static void json_is_utf8(void **state) {
  (void)state;
  static const struct {
    const char *from, *to;
  } cases[] = {{"a\"\\\n\t\r\x01", "\"a\\\"\\\\\\n\\t\\r\\u0001\""},
               {"\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80\x7f", "\"\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80\x7f\""},
               {"x\x80y", "\"x\xef\xbf\xbdy\""},
               {"\xc0\xaf", "\"\xef\xbf\xbd\xef\xbf\xbd\""},
               {"\xed\xa0\x80", "\"\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\""},
               {"\xf4\x90\x80\x80", "\"\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\""},
               {"\xe2\x82", "\"\xef\xbf\xbd\xef\xbf\xbd\""},
               {"", "\"\""}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    ten_buf out = {0};
    ten_buf_add_json(&out, ten_str_of(cases[i].from));
    assert_string_equal(out.data, cases[i].to);
    ten_buf_free(&out);
  }
  assert_int_equal(ten_utf8_size((ten_str){"\xf4\x8f\xbf\xbf", 4}), 4);
  assert_int_equal(ten_utf8_size((ten_str){"\xef\xbf\xbf", 2}), 0);
  assert_int_equal(ten_utf8_size((ten_str){"\0", 1}), 1);
  assert_int_equal(ten_utf8_size((ten_str){0}), 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(views_compare),
      cmocka_unit_test(prefixes_and_suffixes),
      cmocka_unit_test(the_buffer_grows_and_stays_terminated),
      cmocka_unit_test(a_print_longer_than_the_buffer_is_whole),
      cmocka_unit_test(taking_hands_over),
      cmocka_unit_test(json_is_utf8),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
