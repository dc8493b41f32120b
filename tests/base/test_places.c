/* test_places.c: files of a build folder are found from the test's own place in it. */
#include "base/places.h"

#include <unistd.h>

#include "check.h"

static void finds_files_of_this_build(void **state) {
  (void)state;
  char path[PATH_MAX];
  assert_true(ten_place_find("libtenfold_model.a", R_OK, path));
  assert_int_equal(access(path, R_OK), 0);
  assert_true(ten_place_find("tenfold-aot", X_OK, path));
  assert_int_equal(access(path, X_OK), 0);
}

static void what_is_not_there_is_not_found(void **state) {
  (void)state;
  char path[PATH_MAX];
  assert_false(ten_place_find("libtenfold_nothing.a", R_OK, path));
  assert_string_equal(path, "");
  assert_false(ten_place_find("libtenfold_model.a", X_OK, path)); /* there, and no program */
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(finds_files_of_this_build),
                                     cmocka_unit_test(what_is_not_there_is_not_found)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
