/* test_term.c: progress is drawn on a terminal, cut to its width, and nowhere else. */
#include "base/term.h"

#include <fcntl.h>
#include <pty.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "check.h"

static void a_file_is_no_terminal(void **state) {
  (void)state;
  setenv("TERM", "xterm", 1);
  FILE *file = tmpfile();
  assert_false(ten_term_is(file));
  assert_false(ten_term_has_color(file));
  unsetenv("COLUMNS");
  assert_int_equal(ten_term_width(file), 80);
  setenv("COLUMNS", "33", 1);
  assert_int_equal(ten_term_width(file), 33);
  ten_progress progress;
  ten_progress_start(&progress, file, 3);
  ten_progress_step(&progress, "x");
  ten_progress_clear(&progress);
  assert_int_equal(progress.done, 1);
  assert_int_equal(ftell(file), 0);
  fclose(file);
}

static void a_terminal_shows_one_cut_line(void **state) {
  (void)state;
  int master, slave;
  struct winsize size = {.ws_col = 20, .ws_row = 5};
  if (openpty(&master, &slave, NULL, NULL, &size)) skip(); /* no pseudo-terminals here */
  FILE *terminal = fdopen(slave, "w");
  setenv("TERM", "xterm", 1);
  unsetenv("NO_COLOR");
  assert_true(ten_term_is(terminal));
  assert_true(ten_term_has_color(terminal));
  setenv("NO_COLOR", "1", 1);
  assert_false(ten_term_has_color(terminal));
  assert_int_equal(ten_term_width(terminal), 20);
  ten_progress progress;
  ten_progress_start(&progress, terminal, 2);
  ten_progress_step(&progress, "añañañañañañaña.mlir");
  ten_progress_step(&progress, "too soon to be drawn");
  ten_progress_clear(&progress);
  static const char wanted[] = "\r1/2  añañañañañañañ\033[K\r\033[K";
  char text[128] = {0};
  for (size_t at = 0; at < sizeof wanted - 1;) { /* what was written in two parts may come in two */
    const ssize_t got = read(master, text + at, sizeof text - 1 - at);
    assert_true(got > 0);
    at += (size_t)got;
  }
  assert_string_equal(text, wanted);
  setenv("TERM", "dumb", 1);
  assert_false(ten_term_is(terminal));
  fclose(terminal);
  close(master);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_file_is_no_terminal),
      cmocka_unit_test(a_terminal_shows_one_cut_line),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
