/* A table with a string, a vector and numbers, read back by the rules of the format. */
#include "check.h"

#include <stdint.h>
#include <string.h>

#include "edge/flatbuffer.h"

static uint32_t u32(const char *at) {
  uint32_t value;
  memcpy(&value, at, 4);
  return value;
}

static uint16_t u16(const char *at) {
  uint16_t value;
  memcpy(&value, at, 2);
  return value;
}

/* Where field `i` of a table is, or NULL. */
static const char *field(const char *table, uint32_t i) {
  const char *list = table - (int32_t)u32(table);
  if (u16(list) < 4 + 2 * (i + 1)) return NULL;
  const uint16_t offset = u16(list + 4 + 2 * i);
  return offset ? table + offset : NULL;
}

static void test_a_table(void **state) {
  (void)state;
  fb b = {0};
  const fb_place text = fb_string(&b, TEN_STR("name")), data = fb_bytes(&b, "abc", 3, 16);
  const int64_t wide[] = {-1, 7};
  const fb_place vector = fb_i64s(&b, 2, wide);
  fb_table_begin(&b);
  fb_to(&b, 0, text);
  fb_i32(&b, 2, -5);
  fb_to(&b, 3, data);
  fb_to(&b, 4, vector);
  fb_f32(&b, 6, 0.5f);
  fb_u8(&b, 1, 9);
  const fb_place root = fb_table_end(&b);
  ten_buf out = {0};
  assert_true(fb_finish(&b, root, "TEST", &out));
  assert_int_equal(out.size % 16, 0);
  assert_memory_equal(out.data + 4, "TEST", 4);
  const char *table = out.data + u32(out.data), *at = field(table, 0);
  at += u32(at);
  assert_int_equal(u32(at), 4);
  assert_string_equal(at + 4, "name");
  assert_int_equal(*field(table, 1), 9);
  assert_int_equal((int32_t)u32(field(table, 2)), -5);
  at = field(table, 3);
  at += u32(at);
  assert_int_equal(u32(at), 3);
  assert_int_equal((at + 4 - out.data) % 16, 0); /* as the schema wants it */
  assert_memory_equal(at + 4, "abc", 3);
  at = field(table, 4);
  at += u32(at);
  assert_int_equal((at + 4 - out.data) % 8, 0);
  int64_t second;
  memcpy(&second, at + 12, 8);
  assert_int_equal(second, 7);
  assert_null(field(table, 5));
  assert_null(field(table, 7));
  ten_buf_free(&out);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_a_table)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
