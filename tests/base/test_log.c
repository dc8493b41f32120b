/* test_log.c: only what is wanted reaches the callback. */
#include "base/log.h"

#include <stdlib.h>

#include "base/str.h"
#include "check.h"

static void collect(void *user, ten_log_level level, const char *text) {
  ten_buf_printf(user, "%s: %s\n", ten_log_level_name(level), text);
}

static void levels_let_through_what_is_graver(void **state) {
  (void)state;
  ten_buf text = {0};
  const ten_log log = {.level = TEN_LOG_WARN, .sink = collect, .user = &text};
  ten_log_error(&log, "one %d", 1);
  ten_log_warn(&log, "two");
  ten_log_info(&log, "three");
  ten_log_debug(&log, "four");
  assert_string_equal(text.data, "error: one 1\nwarn: two\n");
  ten_buf_free(&text);
}

static void no_log_is_silent_and_evaluates_nothing(void **state) {
  (void)state;
  int evaluated = 0;
  const ten_log off = {.level = TEN_LOG_OFF, .sink = collect};
  ten_log_error((const ten_log *)NULL, "%d", ++evaluated);
  ten_log_error(&off, "%d", ++evaluated);
  ten_log_write(NULL, TEN_LOG_ERROR, "x");
  assert_int_equal(evaluated, 0);
}

static void the_environment_sets_the_level(void **state) {
  (void)state;
  ten_log_level level;
  unsetenv("TENFOLD_LOG");
  check_ok(ten_log_level_from_environment(TEN_LOG_WARN, &level));
  assert_int_equal(level, TEN_LOG_WARN);
  setenv("TENFOLD_LOG", "debug", 1);
  check_ok(ten_log_level_from_environment(TEN_LOG_WARN, &level));
  assert_int_equal(level, TEN_LOG_DEBUG);
  setenv("TENFOLD_LOG", "loud", 1);
  check_error(ten_log_level_from_environment(TEN_LOG_WARN, &level), TEN_INVALID,
              "unknown log level 'loud'; use off, error, warn, info or debug\n  while reading TENFOLD_LOG");
  assert_int_equal(level, TEN_LOG_WARN);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(levels_let_through_what_is_graver),
      cmocka_unit_test(no_log_is_silent_and_evaluates_nothing),
      cmocka_unit_test(the_environment_sets_the_level),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
