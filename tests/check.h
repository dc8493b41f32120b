/* check.h: what every cmocka test includes, in the order cmocka wants it. */
#ifndef TEN_TESTS_CHECK_H
#define TEN_TESTS_CHECK_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka.h comes after the four above. */
#include <cmocka.h>

#include "tenfold/status.h"

/* For reference results, which one thread computes: instrumented, their loops take most of a test's time under TSan. */
#define CHECK_NO_TSAN __attribute__((no_sanitize_thread))

/* Fails the test with the error's own text. */
static inline void check_ok_(ten_status *status, const char *file, int line) {
  if (!status) return;
  print_error("%s\n", ten_status_text(status));
  ten_status_free(status);
  _fail(file, line);
}
#define check_ok(expression) check_ok_((expression), __FILE__, __LINE__)

/* Wants an error whose whole text is `text`. */
static inline void check_error_(ten_status *status, ten_code code, const char *text, const char *file, int line) {
  if (!status) {
    print_error("no error; wanted: %s\n", text);
    _fail(file, line);
  }
  _assert_string_equal(ten_status_text(status), text, file, line);
  _assert_int_equal((LargestIntegralType)ten_status_code(status), (LargestIntegralType)code, file, line);
  ten_status_free(status);
}
#define check_error(expression, code, text) check_error_((expression), (code), (text), __FILE__, __LINE__)

#endif
