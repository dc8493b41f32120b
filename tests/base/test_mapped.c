/* test_mapped.c: a file that becomes shorter while it is mapped is an error, in every thread that reads it; any other
 * SIGBUS is the host's. */
#include "base/mapped.h"

#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/file.h"
#include "base/npy.h"
#include "base/thread.h"
#include "check.h"

enum { PAGE = 4096, PAGES = 64 };

static char path[] = "/tmp/tenfold-mapped-XXXXXX";

static int make_file(void **state) {
  (void)state;
  strcpy(path, "/tmp/tenfold-mapped-XXXXXX");
  const int fd = mkstemp(path);
  char page[PAGE];
  memset(page, 7, sizeof page);
  for (int i = 0; i < PAGES; i++)
    if (write(fd, page, PAGE) != PAGE) return 1;
  return close(fd);
}

static int remove_file(void **state) {
  (void)state;
  return unlink(path);
}

static size_t count_sevens(const ten_file *file) {
  size_t count = 0;
  const volatile char *data = file->data;
  for (size_t i = 0; i < file->size; i++) count += data[i] == 7;
  return count;
}

static void a_file_that_shrinks_is_an_error(void **state) {
  (void)state;
  ten_file file, other;
  check_ok(ten_file_map(path, &file));
  check_ok(ten_file_map("/proc/self/exe", &other));
  check_ok(ten_mapped_check());
  assert_int_equal(truncate(path, PAGE + 10), 0);
  assert_int_equal(count_sevens(&file), PAGE + 10);
  ten_buf text = {0};
  ten_buf_printf(&text, "%s became shorter while it was being read", path);
  check_error(ten_mapped_check(), TEN_IO, text.data);
  check_error(ten_mapped_check(), TEN_IO, text.data); /* it stays one */
  char out[] = "/tmp/tenfold-mapped-out";
  check_error(ten_file_write_atomic(out, "x", 1), TEN_IO, text.data);
  assert_int_not_equal(access(out, F_OK), 0);
  ten_file_unmap(&file);
  check_ok(ten_mapped_check());
  ten_file_unmap(&other);
  ten_buf_free(&text);
}

static void *read_all(void *file) { return (void *)count_sevens(file); }

static void in_every_thread(void **state) {
  (void)state;
  ten_file file;
  check_ok(ten_file_map(path, &file));
  assert_int_equal(truncate(path, 0), 0);
  ten_thread threads[4];
  for (int i = 0; i < 4; i++) check_ok(ten_thread_start(0, read_all, &file, &threads[i]));
  for (int i = 0; i < 4; i++) assert_null(ten_thread_join(threads[i]));
  ten_status *status = ten_mapped_check();
  assert_non_null(status);
  ten_status_free(status);
  ten_file_unmap(&file);
}

/* Somebody else's mapping of a file that was cut, and somebody else's handler. */
static sigjmp_buf escape;
static void host_handler(int number) { siglongjmp(escape, number); }

static void *map_cut_file(void) {
  const int fd = open(path, O_RDONLY);
  void *data = mmap(NULL, PAGE, PROT_READ, MAP_PRIVATE, fd, 0);
  close(fd);
  assert_int_equal(truncate(path, 0), 0);
  return data;
}

static void other_faults_are_the_hosts(void **state) {
  (void)state;
  struct sigaction host = {.sa_handler = host_handler};
  sigaction(SIGBUS, &host, NULL);
  ten_file file;
  check_ok(ten_file_map("/proc/self/exe", &file)); /* our handler comes after the host's */
  const volatile char *data = map_cut_file();
  for (volatile int i = 0; i < 3; i++) /* a host may read so again and again */
    if (!sigsetjmp(escape, 1)) {
      (void)*data;
      fail_msg("the host's handler was not called");
    }
  check_ok(ten_mapped_check());
  ten_file_unmap(&file);
  munmap((void *)(uintptr_t)data, PAGE);
}

/* Without one the process ends as it would without us. */
static void other_faults_end_the_process(void **state) {
  (void)state;
  const pid_t child = fork();
  if (!child) {
    signal(SIGBUS, SIG_DFL);
    setenv("ASAN_OPTIONS", "handle_sigbus=0", 1); /* a sanitizer would end it in its own way */
    setenv("TSAN_OPTIONS", "handle_sigbus=0", 1);
    execl("/proc/self/exe", "test_mapped", "--fault", path, NULL);
    _exit(9);
  }
  int how = 0;
  assert_int_equal(waitpid(child, &how, 0), child);
  assert_true(WIFSIGNALED(how) && WTERMSIG(how) == SIGBUS);
}

static int fault(const char *name) {
  ten_file file;
  snprintf(path, sizeof path, "%s", name);
  if (ten_file_map("/proc/self/exe", &file)) return 1; /* the handler is ours now */
  const volatile char *data = map_cut_file();
  return *data;
}

int main(int argc, char **argv) {
  if (argc == 3 && !strcmp(argv[1], "--fault")) return fault(argv[2]);
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(a_file_that_shrinks_is_an_error, make_file, remove_file),
      cmocka_unit_test_setup_teardown(in_every_thread, make_file, remove_file),
      cmocka_unit_test_setup_teardown(other_faults_are_the_hosts, make_file, remove_file),
      cmocka_unit_test_setup_teardown(other_faults_end_the_process, make_file, remove_file)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
