/* Memory of arrays from C: the pool, its counts, limits, and errors that name who holds most. */
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "tenfold/tensor.h"
#include "value/dlpack.h"

enum { MIB = 1 << 20 };

static ten_device *open_device(const char *name) {
  ten_device *device;
  check_ok(ten_device_open(name, &device));
  return device;
}

static ten_device_stats stats_of(ten_device *device) {
  ten_device_stats stats = {.size = sizeof stats};
  check_ok(ten_device_get_stats(device, &stats));
  return stats;
}

static ten_array *zeros(ten_device *device, int64_t megabytes) {
  ten_array *array;
  check_ok(ten_array_create(device, TEN_F32, 2, (const int64_t[]){megabytes, MIB / 4}, NULL, 0, &array));
  return array;
}

static void results_lie_where_earlier_ones_lay(void **state) {
  (void)state;
  ten_device *device = open_device("cpu");
  ten_array *x = zeros(device, 1), *y;
  const void *first = NULL, *data;
  for (int round = 0; round < 4; round++) {
    check_ok(ten_array_binary("add", x, x, &y));
    check_ok(ten_array_data(y, &data));
    if (round == 1) first = data;
    if (round > 1) assert_ptr_equal(data, first);
    assert_true(((const float *)data)[MIB / 4 - 1] == 0);
    ten_array_release(y);
  }
  const ten_device_stats stats = stats_of(device);
  assert_int_equal(stats.pool_used, MIB);
  assert_true(stats.pool_used_peak >= 2 * MIB && stats.pool_reserved >= 2 * MIB);
  assert_true(stats.reused >= 3 && stats.allocations > stats.reused);
  assert_true(ten_device_trim(device, 0) >= MIB);
  assert_int_equal(stats_of(device).pool_reserved, MIB);
  ten_array_release(x);
  assert_int_equal(stats_of(device).pool_used, 0);
  ten_device_release(device);
}

/* An error of too little memory, whose text has these parts. */
static void wants(ten_status *status, const char *const *parts) {
  assert_non_null(status);
  assert_int_equal(ten_status_code(status), TEN_LIMIT);
  assert_string_equal(ten_status_exception(status), "MemoryError");
  for (; *parts; parts++)
    if (!strstr(ten_status_text(status), *parts)) fail_msg("no '%s' in: %s", *parts, ten_status_text(status));
  ten_status_free(status);
}

static void a_limit_names_the_largest_holders(void **state) {
  (void)state;
  static const char *const names[] = {"cpu", "interp"};
  for (size_t i = 0; i < 2; i++) {
    ten_device *device = open_device(names[i]);
    ten_device_set_memory_limit(device, 16 * MIB);
    assert_int_equal(stats_of(device).memory_limit, 16 * MIB);
    ten_array *a = zeros(device, 4), *b = zeros(device, 3), *c = zeros(device, 2), *d = zeros(device, 1), *none, *sum;
    ten_array_set_place(a, "model.c:10");
    ten_array_set_place(b, "model.c:20");
    ten_array_set_place(c, "model.c:20");
    ten_status *status = ten_array_create(device, TEN_F32, 1, (const int64_t[]){7 * MIB / 4}, NULL, 0, &none);
    wants(status, (const char *const[]){"7.0 MiB for an array", "may use 16.0 MiB together", "used 10.0 MiB:",
                                        "5.0 MiB in 2 arrays of model.c:20\n    4.0 MiB in 1 array of model.c:10\n",
                                        "1.0 MiB in 1 array of an unknown place", NULL});
    assert_null(none);
    ten_array *more = zeros(device, 4);
    check_ok(ten_array_binary("add", a, more, &sum));
    float out;
    ten_array *total;
    check_ok(ten_array_reduce("sum.dim_IntList", sum, 0, NULL, 0, &total));
    wants(ten_array_read(total, &out, sizeof out), (const char *const[]){"4.0 MiB for results", "used 14.0 MiB", NULL});
    ten_array_release(b), ten_array_release(d); /* and now there is room: nothing was lost */
    check_ok(ten_array_read(total, &out, sizeof out));
    assert_true(out == 0);
    assert_true(stats_of(device).pool_reserved <= 16 * MIB);
    ten_device_set_memory_limit(device, 0);
    assert_int_equal(stats_of(device).memory_limit, 0);
    b = zeros(device, 32);
    ten_array_release(a), ten_array_release(b), ten_array_release(c), ten_array_release(more);
    ten_array_release(sum), ten_array_release(total);
    ten_device_release(device);
  }
}

static void borrowed_memory_does_not_count(void **state) {
  (void)state;
  ten_device *device = open_device("cpu");
  ten_device_set_memory_limit(device, MIB);
  float *data = calloc(MIB, sizeof *data);
  ten_array *view;
  check_ok(ten_array_view(device, TEN_F32, 1, (const int64_t[]){MIB}, data, free, data, &view));
  assert_int_equal(stats_of(device).bytes, 4 * MIB);
  assert_int_equal(stats_of(device).pool_used, 0);
  ten_array *small = zeros(device, 1), *none;
  check_error(ten_array_create(device, TEN_F32, 1, (const int64_t[]){1024}, NULL, 0, &none), TEN_LIMIT,
              "out of memory: 4.0 KiB for an array, and arrays on \"cpu\" may use 1.0 MiB together\n"
              "  while arrays on \"cpu\" used 1.0 MiB:\n    1.0 MiB in 1 array of an unknown place");
  ten_array_release(view), ten_array_release(small);
  ten_device_release(device);
}

static void what_was_handed_out_outlives_the_device(void **state) {
  (void)state;
  ten_device *device = open_device("cpu");
  ten_array *x = zeros(device, 1);
  dl_versioned *managed;
  check_ok(ten_array_to_dlpack(x, (struct DLManagedTensorVersioned **)&managed));
  ten_array_release(x);
  assert_int_equal(stats_of(device).bytes, 0);
  assert_int_equal(stats_of(device).pool_used, MIB);
  ten_device_release(device);
  const float *data = managed->tensor.data;
  assert_true(data[0] == 0 && data[MIB / 4 - 1] == 0);
  managed->deleter(managed);
}

static void older_callers_get_the_counts_they_know(void **state) {
  (void)state;
  ten_device *device = open_device("interp");
  ten_device_stats stats;
  memset(&stats, 0x7f, sizeof stats);
  stats.size = offsetof(ten_device_stats, pool_used);
  check_ok(ten_device_get_stats(device, &stats));
  assert_int_equal(stats.runs, 0);
  assert_true(stats.pool_used != 0);
  stats.size = 8;
  ten_status *status = ten_device_get_stats(device, &stats);
  assert_int_equal(ten_status_code(status), TEN_INVALID);
  ten_status_free(status);
  ten_device_release(device);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(results_lie_where_earlier_ones_lay), cmocka_unit_test(a_limit_names_the_largest_holders),
      cmocka_unit_test(borrowed_memory_does_not_count), cmocka_unit_test(what_was_handed_out_outlives_the_device),
      cmocka_unit_test(older_callers_get_the_counts_they_know)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
