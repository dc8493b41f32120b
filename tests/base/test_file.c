/* test_file.c: mapping files and writing them all or nothing. */
#include "base/file.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/thread.h"
#include "check.h"

typedef struct scratch {
  char dir[64];
  char path[96];
} scratch;

static int make_scratch(void **state) {
  scratch *s = calloc(1, sizeof *s);
  strcpy(s->dir, "/tmp/tenfold-test-XXXXXX");
  if (!mkdtemp(s->dir)) return -1;
  snprintf(s->path, sizeof s->path, "%s/file", s->dir);
  *state = s;
  return 0;
}

static int remove_scratch(void **state) {
  scratch *s = *state;
  char command[128];
  snprintf(command, sizeof command, "rm -rf %s", s->dir);
  const int code = system(command);
  free(s);
  return code;
}

static size_t entries(const char *path) {
  size_t count = 0;
  DIR *dir = opendir(path);
  for (struct dirent *entry; (entry = readdir(dir));) count += entry->d_name[0] != '.';
  closedir(dir);
  return count;
}

static void what_is_written_is_read(void **state) {
  const scratch *s = *state;
  check_ok(ten_file_write_parts(s->path, (ten_str[]){TEN_STR("head"), {0}, TEN_STR("body")}, 3));
  ten_file file;
  check_ok(ten_file_map(s->path, &file));
  assert_true(file.mapped);
  assert_true(ten_str_is(ten_file_bytes(&file), "headbody"));
  ten_file_unmap(&file);
  assert_null(file.data);
  assert_int_equal(entries(s->dir), 1);
}

static void an_empty_file_is_no_error(void **state) {
  const scratch *s = *state;
  check_ok(ten_file_write_atomic(s->path, NULL, 0));
  ten_file file;
  check_ok(ten_file_map(s->path, &file));
  assert_int_equal(file.size, 0);
  assert_non_null(file.data);
  ten_file_unmap(&file);
}

static void pipes_and_devices_are_read_to_the_end(void **state) {
  const scratch *s = *state;
  char command[256];
  assert_int_equal(mkfifo(s->path, 0600), 0);
  snprintf(command, sizeof command, "head -c 200000 /dev/zero > %s &", s->path);
  assert_int_equal(system(command), 0);
  ten_file file;
  check_ok(ten_file_map(s->path, &file));
  assert_int_equal(file.size, 200000);
  ten_file_unmap(&file);
  check_ok(ten_file_map("/proc/self/status", &file));
  assert_true(file.size > 100);
  ten_file_unmap(&file);
}

static void what_cannot_be_read_says_why(void **state) {
  const scratch *s = *state;
  ten_file file;
  char text[256];
  snprintf(text, sizeof text, "%s: No such file or directory", s->path);
  check_error(ten_file_map(s->path, &file), TEN_NOT_FOUND, text);
  assert_null(file.data);
  snprintf(text, sizeof text, "%s: is a directory", s->dir);
  check_error(ten_file_map(s->dir, &file), TEN_INVALID, text);
  check_error(ten_file_write_atomic(s->dir, "x", 1), TEN_INVALID, text);
}

static void a_failed_write_leaves_the_old_file_and_no_litter(void **state) {
  const scratch *s = *state;
  check_ok(ten_file_write_atomic(s->path, "old", 3));
  /* A directory where the temporary files would go cannot be opened for writing, whoever asks. */
  for (unsigned i = 0; i < 100; i++) {
    char name[160];
    snprintf(name, sizeof name, "%s.tenfold-%u.tmp", s->path, i);
    assert_int_equal(mkdir(name, 0700), 0);
  }
  ten_status *status = ten_file_write_atomic(s->path, "new", 3);
  assert_non_null(status);
  assert_int_equal(ten_status_code(status), TEN_IO);
  ten_status_free(status);
  ten_file file;
  check_ok(ten_file_map(s->path, &file));
  assert_true(ten_str_is(ten_file_bytes(&file), "old"));
  ten_file_unmap(&file);
  assert_int_equal(entries(s->dir), 101);
}

static void what_was_left_goes(void **state) {
  const scratch *s = *state;
  char left[160], locked[160], other[160];
  snprintf(left, sizeof left, "%s.tenfold-0.tmp", s->path);
  snprintf(locked, sizeof locked, "%s.tenfold-1.tmp", s->path);
  snprintf(other, sizeof other, "%s.tmp", s->path);
  const char *const names[] = {left, locked, other};
  for (int i = 0; i < 3; i++) {
    const int fd = open(names[i], O_WRONLY | O_CREAT, 0666);
    assert_true(fd >= 0);
    if (i != 1)
      close(fd);
    else
      assert_int_equal(flock(fd, LOCK_EX), 0); /* somebody writes it */
  }
  check_ok(ten_file_write_atomic(s->path, "new", 3));
  assert_int_not_equal(access(left, F_OK), 0);
  assert_int_equal(access(locked, F_OK), 0);
  assert_int_equal(access(other, F_OK), 0);
  assert_int_equal(entries(s->dir), 3);
}

static void a_missing_directory_is_not_found(void **state) {
  const scratch *s = *state;
  char path[160], text[256];
  snprintf(path, sizeof path, "%s/none/file", s->dir);
  snprintf(text, sizeof text, "%s: No such file or directory", path);
  check_error(ten_file_write_atomic(path, "x", 1), TEN_NOT_FOUND, text);
}

static void permissions_and_links_stay(void **state) {
  const scratch *s = *state;
  char link[128];
  snprintf(link, sizeof link, "%s/link", s->dir);
  check_ok(ten_file_write_atomic(s->path, "one", 3));
  assert_int_equal(chmod(s->path, 0640), 0);
  assert_int_equal(symlink("file", link), 0);
  check_ok(ten_file_write_atomic(link, "two", 3));
  struct stat info;
  assert_int_equal(lstat(link, &info), 0);
  assert_true(S_ISLNK(info.st_mode));
  assert_int_equal(lstat(s->path, &info), 0);
  assert_int_equal(info.st_mode & 0777, 0640);
  assert_int_equal(info.st_size, 3);
}

static void devices_are_written_directly(void **state) {
  (void)state;
  check_ok(ten_file_write_atomic("/dev/null", "x", 1));
  check_error(ten_file_write_atomic("/dev/full", "x", 1), TEN_IO, "/dev/full: writing: No space left on device");
}

static void write_own_letter(void *user, size_t index, size_t worker) {
  (void)worker;
  char text[5000];
  memset(text, 'a' + (int)(index % 26), sizeof text);
  check_ok(ten_file_write_atomic(((const scratch *)user)->path, text, sizeof text));
}

static void writers_at_once_leave_one_whole_file(void **state) {
  scratch *s = *state;
  ten_parallel_for(16, 4, write_own_letter, s);
  ten_file file;
  check_ok(ten_file_map(s->path, &file));
  assert_int_equal(file.size, 5000);
  for (size_t i = 0; i < file.size; i++) assert_int_equal(file.data[i], file.data[0]);
  ten_file_unmap(&file);
  assert_int_equal(entries(s->dir), 1);
}

static void directories_are_made_with_their_parents(void **state) {
  const scratch *s = *state;
  char path[160], text[256];
  snprintf(path, sizeof path, "%s/a//b/c/", s->dir);
  check_ok(ten_dir_make(path));
  check_ok(ten_dir_make(path));
  struct stat info;
  assert_int_equal(stat(path, &info), 0);
  assert_true(S_ISDIR(info.st_mode));
  check_ok(ten_file_write_atomic(s->path, "x", 1));
  snprintf(text, sizeof text, "%s: is not a directory", s->path);
  check_error(ten_dir_make(s->path), TEN_INVALID, text);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, make_scratch, remove_scratch)

int main(void) {
  const struct CMUnitTest tests[] = {
      TEST(what_is_written_is_read),
      TEST(an_empty_file_is_no_error),
      TEST(pipes_and_devices_are_read_to_the_end),
      TEST(what_cannot_be_read_says_why),
      TEST(a_failed_write_leaves_the_old_file_and_no_litter),
      TEST(what_was_left_goes),
      TEST(a_missing_directory_is_not_found),
      TEST(permissions_and_links_stay),
      TEST(devices_are_written_directly),
      TEST(writers_at_once_leave_one_whole_file),
      TEST(directories_are_made_with_their_parents),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
