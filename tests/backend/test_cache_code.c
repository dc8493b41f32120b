/* Generated code in the cache: found under their key, and not believed when their bytes, their name or their owner's
 * rights are not what they were. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "backend/cache.h"
#include "backend/cache_code.h"
#include "check.h"

static const ten_str code = {"not a program, but bytes", 24};

static bool finds(const ten_digest *key) {
  ten_buf found = {0};
  const bool there = ten_cache_code_find(TEN_CACHE_CUBIN, key, &found);
  if (there) {
    assert_int_equal(found.size, code.size);
    assert_memory_equal(found.data, code.data, code.size);
  }
  ten_buf_free(&found);
  return there;
}

static void path_of(const char *dir, const ten_digest *key, char out_path[256]) {
  char name[65];
  ten_digest_hex(key, name);
  snprintf(out_path, 256, "%s/%s.cubin", dir, name);
}

static void change_byte(const char *path, long at) {
  FILE *file = fopen(path, "r+b");
  assert_non_null(file);
  fseek(file, at, at < 0 ? SEEK_END : SEEK_SET);
  const int byte = fgetc(file);
  fseek(file, -1, SEEK_CUR);
  fputc(byte ^ 1, file);
  fclose(file);
}

static void test_entries(void **state) {
  (void)state;
  char dir[] = "/tmp/tenfold-code-XXXXXX", path[256], other_path[256];
  assert_non_null(mkdtemp(dir));
  setenv("TENFOLD_CACHE_DIR", dir, 1);
  setenv("TENFOLD_CACHE", "on", 1);
  const ten_digest key = ten_digest_of("one", 3), other = ten_digest_of("two", 3);
  path_of(dir, &key, path);
  path_of(dir, &other, other_path);
  assert_false(finds(&key));
  ten_cache_code_store(TEN_CACHE_CUBIN, &key, code);
  assert_true(finds(&key));
  assert_false(finds(&other));
  ten_buf none = {0};
  assert_false(ten_cache_code_find(TEN_CACHE_SIZES, &key, &none)); /* code of another kind */
  struct stat info;
  assert_int_equal(stat(path, &info), 0);
  assert_int_equal(info.st_mode & 0777, 0600);
  ten_cache_usage usage;
  check_ok(ten_cache_measure(&usage));
  assert_int_equal(usage.entries, 1);

  assert_int_equal(link(path, other_path), 0); /* under another's name */
  assert_false(finds(&other));
  const long places[] = {0, 8, 40, 72, -1}; /* magic, key, checksum, size, code */
  for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
    change_byte(path, places[i]);
    assert_false(finds(&key));
    change_byte(path, places[i]);
    assert_true(finds(&key));
  }
  chmod(path, 0622);
  assert_false(finds(&key));
  chmod(path, 0600);
  assert_int_equal(truncate(path, 20), 0);
  assert_false(finds(&key));
  ten_cache_code_store(TEN_CACHE_CUBIN, &key, code); /* takes its place */
  assert_true(finds(&key));
  chmod(dir, 0777);
  assert_false(finds(&key));
  chmod(dir, 0700);
  setenv("TENFOLD_CACHE", "off", 1);
  assert_false(finds(&key));
  setenv("TENFOLD_CACHE", "on", 1);

  size_t removed = 0;
  check_ok(ten_cache_clear(&removed));
  assert_int_equal(removed, 2);
  assert_false(finds(&key));
  assert_int_equal(rmdir(dir), 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_entries)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
