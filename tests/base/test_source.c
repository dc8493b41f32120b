/* test_source.c: when a file's identity may stand for its content. */
#include "base/source.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "check.h"

static int file_new(char *path) {
  const int fd = mkstemp(path);
  assert_true(fd >= 0);
  assert_int_equal(write(fd, "content", 7), 7);
  return fd;
}

static void test_identity(void **state) {
  (void)state;
  char path[] = "/tmp/tenfold_source_XXXXXX";
  const int fd = file_new(path);
  ten_identity first, same, after;
  assert_true(ten_identity_of(fd, &first) && ten_identity_of(fd, &same));
  assert_true(ten_identity_eq(&first, &same));
  const struct timespec back[2] = {{first.modified[0], first.modified[1]}, {first.modified[0], first.modified[1]}};
  usleep(20000);
  assert_int_equal(pwrite(fd, "CONTENT", 7, 0), 7);
  assert_int_equal(futimens(fd, back), 0); /* the time of the last write can be chosen, that of the change cannot */
  assert_true(ten_identity_of(fd, &after));
  assert_memory_equal(first.modified, after.modified, sizeof first.modified);
  assert_false(ten_identity_eq(&first, &after));
  close(fd);
  unlink(path);
}

static void test_holds(void **state) {
  (void)state;
  char path[] = "/tmp/tenfold_source_XXXXXX";
  const int fd = file_new(path), reader = open(path, O_RDONLY);
  const int64_t now = time(NULL);
  if (!ten_identity_holds(reader, now + 1000)) {
    print_message("/tmp is on a file system whose times are not relied on\n");
    close(fd);
    close(reader);
    unlink(path);
    skip(); /* the times of this file system are not relied on */
  }
  assert_false(ten_identity_holds(reader, now));      /* within a tick of the clock */
  assert_false(ten_identity_holds(reader, now + 10)); /* somebody can write to it */
  void *mapped = mmap(NULL, 7, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  assert_true(mapped != MAP_FAILED);
  close(fd);
  assert_false(ten_identity_holds(reader, now + 10)); /* still */
  munmap(mapped, 7);
  assert_true(ten_identity_holds(reader, now + 10));
  assert_int_equal(fchmod(reader, 0666), 0);
  assert_false(ten_identity_holds(reader, now + 1000)); /* others can */
  close(reader);
  unlink(path);
}

static void test_digest(void **state) {
  (void)state;
  char path[] = "/tmp/tenfold_source_XXXXXX";
  const int fd = file_new(path);
  ten_identity identity;
  ten_digest digest;
  assert_true(ten_identity_of(fd, &identity));
  assert_true(ten_file_digest(fd, &identity, &digest));
  const ten_digest wanted = ten_digest_of("content", 7);
  assert_true(ten_digest_eq(&digest, &wanted));
  identity.changed[1]++;
  assert_false(ten_file_digest(fd, &identity, &digest)); /* changed meanwhile */
  close(fd);
  unlink(path);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_identity), cmocka_unit_test(test_holds),
                                     cmocka_unit_test(test_digest)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
