/* test_zip.c: directories of archives that are right, cut, or lie about their sizes. */
#include "check.h"

#include <stdlib.h>
#include <string.h>

#include "front/import/zip.h"

/* One stored entry "a" holding "hello". */
static const unsigned char archive[] = {
    'P', 'K', 3,   4,   20,  0,   0,   0,   0,   0,   0,   0, 0, 0,  0,  0,  0, 0, 5,  0, 0, 0, 5, 0, 0, 0, 1,
    0,   0,   0,   'a', 'h', 'e', 'l', 'l', 'o', 'P', 'K', 1, 2, 20, 0,  20, 0, 0, 0,  0, 0, 0, 0, 0, 0, 0, 0,
    0,   0,   5,   0,   0,   0,   5,   0,   0,   0,   1,   0, 0, 0,  0,  0,  0, 0, 0,  0, 0, 0, 0, 0, 0, 0, 0,
    0,   'a', 'P', 'K', 5,   6,   0,   0,   0,   0,   1,   0, 1, 0,  47, 0,  0, 0, 36, 0, 0, 0, 0, 0};
enum { CENTRAL = 36 };

static ten_str bytes_of(const unsigned char *data) { return (ten_str){(const char *)data, sizeof archive}; }

static void reads_a_stored_entry(void **state) {
  (void)state;
  ten_zip zip;
  check_ok(ten_zip_open(bytes_of(archive), &zip));
  assert_int_equal(zip.count, 1);
  const ten_zip_entry *entry = ten_zip_find(&zip, TEN_STR("a"));
  assert_non_null(entry);
  assert_true(ten_str_is(entry->data, "hello"));
  assert_ptr_equal(entry->data.data, archive + 31); /* where it lies */
  assert_null(ten_zip_find(&zip, TEN_STR("b")));
  ten_zip_close(&zip);
}

static void refuses_every_cut(void **state) {
  (void)state;
  for (size_t size = 0; size < sizeof archive; size++) {
    ten_zip zip;
    ten_status *status = ten_zip_open((ten_str){(const char *)archive, size}, &zip);
    assert_non_null(status);
    ten_status_free(status);
    ten_zip_close(&zip);
  }
}

static void refuses_sizes_beyond_the_end(void **state) {
  (void)state;
  unsigned char changed[sizeof archive];
  memcpy(changed, archive, sizeof archive);
  changed[CENTRAL + 20] = changed[CENTRAL + 24] = 200;
  ten_zip zip;
  check_error(ten_zip_open(bytes_of(changed), &zip), TEN_INVALID, "entry 'a' reaches beyond the end of the archive");
}

static void a_compressed_entry_has_no_data(void **state) {
  (void)state;
  unsigned char changed[sizeof archive];
  memcpy(changed, archive, sizeof archive);
  changed[CENTRAL + 10] = 8;
  ten_zip zip;
  check_ok(ten_zip_open(bytes_of(changed), &zip));
  assert_true(zip.entries[0].compressed);
  assert_int_equal(zip.entries[0].data.size, 0);
  ten_zip_close(&zip);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(reads_a_stored_entry), cmocka_unit_test(refuses_every_cut),
                                     cmocka_unit_test(refuses_sizes_beyond_the_end),
                                     cmocka_unit_test(a_compressed_entry_has_no_data)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
