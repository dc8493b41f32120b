/* edit.c: spans are applied once, in order, and do not overlap. */
#include "migrate/edit.h"

#include "check.h"

static void applied(ten_edits *edits, const char *source, const char *wanted) {
  ten_buf out = {0};
  ten_edits_apply(edits, ten_str_of(source), &out);
  assert_string_equal(out.data, wanted);
  ten_buf_free(&out);
}

static void replaces_and_inserts(void **state) {
  (void)state;
  ten_arena arena;
  ten_arena_init(&arena);
  ten_edits edits = {.arena = &arena};
  assert_true(ten_edits_add(&edits, 6, 11, TEN_STR("there"), 0));
  assert_true(ten_edits_add(&edits, 0, 0, TEN_STR("> "), 1));
  assert_true(ten_edits_add(&edits, 0, 0, TEN_STR(">> "), 2));
  assert_true(ten_edits_add(&edits, 11, 11, TEN_STR("!"), 3));
  applied(&edits, "hello world", "> >> hello there!");
  ten_edits_free(&edits);
  ten_arena_destroy(&arena);
}

static void refuses_overlaps(void **state) {
  (void)state;
  ten_arena arena;
  ten_arena_init(&arena);
  ten_edits edits = {.arena = &arena};
  assert_true(ten_edits_add(&edits, 2, 6, TEN_STR("x"), 0));
  assert_false(ten_edits_add(&edits, 5, 8, TEN_STR("y"), 1));
  assert_false(ten_edits_add(&edits, 0, 9, TEN_STR("y"), 1));
  assert_false(ten_edits_add(&edits, 4, 4, TEN_STR("y"), 1)); /* an insertion strictly inside */
  assert_true(ten_edits_add(&edits, 6, 8, TEN_STR("y"), 1));
  applied(&edits, "0123456789", "01xy89");
  ten_edits_drop(&edits, 0);
  applied(&edits, "0123456789", "012345y89");
  ten_edits_free(&edits);
  ten_arena_destroy(&arena);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(replaces_and_inserts), cmocka_unit_test(refuses_overlaps)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
