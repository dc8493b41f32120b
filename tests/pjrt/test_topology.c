/* test_topology.c: TPUs by their names. */
#include <string.h>

#include "backend/pjrt/topology.h"
#include "check.h"

static void names_of_slices(void **state) {
  (void)state;
  static const struct {
    const char *text, *name;
    unsigned chips, devices;
  } cases[] = {
      {"tpu:v5e:2x2", "v5e:2x2", 4, 4},
      {"v5e:16x16", "v5e:16x16", 256, 256},
      {"v5e:1x1", "v5e:1x1", 1, 1},
      {"v5e", "v5e:1x1", 1, 1},
      {"v5litepod-1", "v5e:1x1", 1, 1},
      {"v5litepod-4", "v5e:2x2", 4, 4},
      {"v5litepod-8", "v5e:2x4", 8, 8},
      {"v5litepod-16", "v5e:4x4", 16, 16},
      {"v5litepod-256", "v5e:16x16", 256, 256},
      {"v6e-8", "v6e:2x4", 8, 8},
      {"v4-8", "v4:2x2x1", 4, 4},
      {"v4-16", "v4:2x2x2", 8, 8},
      {"v4-32", "v4:2x2x4", 16, 16},
      {"v4-64", "v4:2x4x4", 32, 32},
      {"v4-128", "v4:4x4x4", 64, 64},
      {"v5p-8", "v5p:2x2x1", 4, 4},
      {"v2-8", "v2:2x2", 4, 8},
      {"v3-32", "v3:4x4", 16, 32},
      {"v2", "v2:2x2", 4, 8},
      {"tpu7x:2x2x1", "tpu7x:2x2x1", 4, 8},
      {"tpu:ironwood:4x4x4", "tpu7x:4x4x4", 64, 128},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    ten_tpu_topology topology;
    check_ok(ten_tpu_parse(cases[i].text, &topology));
    assert_string_equal(topology.name, cases[i].name);
    assert_int_equal(ten_tpu_chip_count(&topology), cases[i].chips);
    assert_int_equal(ten_tpu_device_count(&topology), cases[i].devices);
  }
}

static void names_of_none(void **state) {
  (void)state;
  static const char *const wrong[] = {
      "v9:2x2", "v5e:2x2x1",   "v4:2x2",        "v5e:2y2", "v5e:0x2", "v5e:", "v5litepod-3",
      "v4-3",   "v5e:512x512", "v5litepod-512", "v5e-",    "",        "tpu:"};
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    ten_tpu_topology topology;
    ten_status *status = ten_tpu_parse(wrong[i], &topology);
    if (!status) print_error("'%s' is taken for %s\n", wrong[i], topology.name);
    assert_non_null(status);
    ten_status_free(status);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(names_of_slices), cmocka_unit_test(names_of_none)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
