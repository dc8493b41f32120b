/* Entries of the cache: written, found again by another compile, and not believed when their bytes are no longer what
 * was written, or when they are another program's. */
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/str.h"
#include "check.h"
#include "tenfold/executable.h"

enum { WIDTH = 1100 }; /* a matrix large enough to be written by a thread of its own */

/* y = x × W, with W random enough to be no splat. */
static ten_executable *compile(void) {
  ten_buf text = {0};
  ten_buf_printf(&text, "func.func @main(%%x: tensor<2x%dxf32>) -> tensor<2x%dxf32> {\n", WIDTH, WIDTH);
  ten_buf_printf(&text, "  %%w = stablehlo.constant dense<\"0x");
  for (unsigned i = 0; i < WIDTH * WIDTH; i++) ten_buf_printf(&text, "%02X%02X803F", i % 251, i % 63);
  ten_buf_printf(&text, "\"> : tensor<%dx%dxf32>\n", WIDTH, WIDTH);
  ten_buf_printf(&text,
                 "  %%0 = stablehlo.dot_general %%x, %%w, contracting_dims = [1] x [0] : (tensor<2x%dxf32>, "
                 "tensor<%dx%dxf32>) -> tensor<2x%dxf32>\n",
                 WIDTH, WIDTH, WIDTH, WIDTH);
  /* a few more functions to compile, so that it is worth keeping */
  for (int i = 0; i < 24; i++)
    ten_buf_printf(&text, "  %%%d = stablehlo.%s %%%d : tensor<2x%dxf32>\n", i + 1, i % 2 ? "tanh" : "sine", i, WIDTH);
  ten_buf_printf(&text, "  return %%24 : tensor<2x%dxf32>\n}\n", WIDTH);
  ten_program *model;
  ten_executable *compiled;
  check_ok(ten_program_parse(text.data, text.size, "program", &model));
  check_ok(ten_program_compile(model, NULL, &compiled));
  ten_program_release(model);
  ten_buf_free(&text);
  return compiled;
}

static void run(ten_executable *compiled, float *y) {
  static float x[2 * WIDTH];
  for (int i = 0; i < 2 * WIDTH; i++) x[i] = (float)(i % 17 - 8) / 4096;
  ten_buffer input = ten_executable_input(compiled, 0), output = ten_executable_output(compiled, 0);
  input.data = x;
  output.data = y;
  check_ok(ten_executable_execute(compiled, &input, 1, &output, 1));
}

/* The only entry's path; its number of the i-node says whether it was written anew. */
static ino_t entry(const char *dir, char *path, size_t size) {
  DIR *open = opendir(dir);
  ino_t found = 0;
  int count = 0;
  assert_non_null(open);
  for (const struct dirent *item = readdir(open); item; item = readdir(open)) {
    if (!strcmp(item->d_name, "tmp") || item->d_name[0] == '.' || strstr(item->d_name, ".file")) continue;
    assert_non_null(strstr(item->d_name, ".ten"));
    snprintf(path, size, "%s/%s", dir, item->d_name);
    struct stat info;
    assert_int_equal(stat(path, &info), 0);
    assert_int_equal(info.st_mode & 0777, 0600);
    found = info.st_ino;
    count++;
  }
  closedir(open);
  assert_int_equal(count, 1);
  return found;
}

static float first[2 * WIDTH], again[2 * WIDTH];

static void compile_and_compare(void) {
  ten_executable *compiled = compile();
  run(compiled, again);
  ten_executable_release(compiled);
  assert_memory_equal(first, again, sizeof first);
}

static void change(const char *path, off_t at) {
  uint8_t byte;
  const int fd = open(path, O_RDWR);
  assert_true(fd >= 0);
  assert_int_equal(pread(fd, &byte, 1, at), 1);
  byte ^= 0x10;
  assert_int_equal(pwrite(fd, &byte, 1, at), 1);
  close(fd);
}

static void test_entries(void **state) {
  (void)state;
  char dir[] = "/tmp/tenfold_cache_XXXXXX", path[512], command[600];
  assert_non_null(mkdtemp(dir));
  setenv("TENFOLD_CACHE_DIR", dir, 1);
  unsetenv("TENFOLD_CACHE");
  ten_executable *compiled = compile();
  run(compiled, first);
  ten_executable_release(compiled);
  ino_t written = entry(dir, path, sizeof path);
  compile_and_compare();
  assert_int_equal(entry(dir, path, sizeof path), written);

  /* one bit is another anywhere: written anew */
  struct stat info;
  assert_int_equal(stat(path, &info), 0);
  const off_t places[] = {20, 40, 60, 140, info.st_size / 2, info.st_size - 1};
  for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
    change(path, places[i]);
    compile_and_compare();
    const ino_t anew = entry(dir, path, sizeof path);
    assert_int_not_equal(anew, written);
    written = anew;
  }

  /* a record that it was found right holds for what was found right alone */
  sleep(3);
  compile_and_compare();
  assert_int_equal(entry(dir, path, sizeof path), written);
  change(path, info.st_size / 2);
  compile_and_compare();
  assert_int_not_equal(entry(dir, path, sizeof path), written);
  snprintf(command, sizeof command, "rm -r %s", dir);
  assert_int_equal(system(command), 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_entries)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
