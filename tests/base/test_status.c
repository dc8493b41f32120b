/* test_status.c: an error says what, where, and what was being done. */
#include "check.h"

static void renders_place_message_and_context(void **state) {
  (void)state;
  ten_status *status = ten_error(TEN_INVALID, "kernel has %d input features, input has %d", 64, 32);
  assert_string_equal(ten_status_text(status), "kernel has 64 input features, input has 32");
  status = ten_error_at(status, "conv.mlir", 12, 10);
  status = ten_annotate(status, "loading %s", "conv.mlir");
  status = ten_annotate(status, "running it");
  assert_string_equal(ten_status_text(status),
                      "conv.mlir:12:10: kernel has 64 input features, input has 32\n  while loading conv.mlir\n"
                      "  while running it");
  assert_string_equal(ten_status_message(status), "kernel has 64 input features, input has 32");
  ten_status_free(status);
}

static void innermost_place_wins(void **state) {
  (void)state;
  ten_status *status = ten_error_at(ten_error(TEN_IO, "no"), "inner", 3, 0);
  status = ten_error_at(status, "outer", 7, 7);
  unsigned line, column;
  assert_string_equal(ten_status_place(status, &line, &column), "inner");
  assert_int_equal(line, 3);
  assert_int_equal(column, 0);
  assert_string_equal(ten_status_text(status), "inner:3: no");
  ten_status_free(status);
}

static void success_passes_through(void **state) {
  (void)state;
  assert_null(ten_annotate(NULL, "anything"));
  assert_null(ten_error_at(NULL, "file", 1, 1));
  assert_null(ten_first_error(NULL, NULL));
  ten_status_free(NULL);
}

static void the_first_error_is_kept(void **state) {
  (void)state;
  ten_status *kept = ten_first_error(ten_error(TEN_IO, "first"), ten_error(TEN_LIMIT, "second"));
  check_error(kept, TEN_IO, "first");
  check_error(ten_first_error(NULL, ten_error(TEN_LIMIT, "second")), TEN_LIMIT, "second");
}

static ten_status *tries(int *reached) {
  TEN_TRY(NULL);
  ++*reached;
  TEN_TRY(ten_error(TEN_UNSUPPORTED, "here"));
  ++*reached;
  return NULL;
}

static void try_returns_the_error(void **state) {
  (void)state;
  int reached = 0;
  check_error(tries(&reached), TEN_UNSUPPORTED, "here");
  assert_int_equal(reached, 1);
}

static void every_code_has_a_name(void **state) {
  (void)state;
  for (int code = TEN_INVALID; code <= TEN_INTERNAL; code++)
    assert_string_not_equal(ten_status_code_name((ten_code)code), "unknown");
  assert_string_equal(ten_status_code_name((ten_code)0), "unknown");
  assert_string_equal(ten_status_code_name((ten_code)99), "unknown");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(renders_place_message_and_context),
      cmocka_unit_test(innermost_place_wins),
      cmocka_unit_test(success_passes_through),
      cmocka_unit_test(the_first_error_is_kept),
      cmocka_unit_test(try_returns_the_error),
      cmocka_unit_test(every_code_has_a_name),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
