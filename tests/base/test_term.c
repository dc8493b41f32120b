/* test_term.c: progress is drawn on a terminal, cut to its width, and as lines in a log. */
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
  ten_progress_start(&progress, file, "test", 3);
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
  ten_progress_start(&progress, terminal, "test", 2);
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

/* What is there to be read now, at most `size` - 1 bytes. */
static void take(int master, char *text, size_t size) {
  const ssize_t got = read(master, text, size - 1);
  assert_true(got > 0);
  text[got] = 0;
}

static void a_wide_terminal_shows_a_bar_and_what_is_left(void **state) {
  (void)state;
  int master, slave;
  struct winsize size = {.ws_col = 90, .ws_row = 5};
  if (openpty(&master, &slave, NULL, NULL, &size)) skip(); /* no pseudo-terminals here */
  FILE *terminal = fdopen(slave, "w");
  setenv("TERM", "xterm", 1);
  char text[256];
  ten_progress progress;
  ten_progress_start(&progress, terminal, "test", 4);
  progress.start -= 10; /* ten seconds ago */
  ten_progress_step(&progress, "first");
  take(master, text, sizeof text);
  assert_string_equal(text, "\r[#####---------------]  1/4  10.0 s each  0:30 left  first\033[K");
  progress.drawn_at = 0;
  progress.start += 9.5;
  ten_progress_step(&progress, "second");
  take(master, text, sizeof text);
  assert_string_equal(text, "\r[##########----------]  2/4  4.0/s  0:01 left  second\033[K");
  ten_progress_start(&progress, terminal, "compile", 0);
  progress.start -= 3700;
  ten_progress_show(&progress, "plan");
  take(master, text, sizeof text);
  assert_string_equal(text, "\rcompile  1:01:40  plan\033[K");
  fclose(terminal);
  close(master);
}

static void a_log_has_lines(void **state) {
  (void)state;
  FILE *file = tmpfile();
  ten_progress progress;
  ten_progress_start(&progress, file, "train", 3);
  ten_progress_step(&progress, "too soon");
  progress.start -= 4;
  ten_progress_step(&progress, "loss %d", 7);
  ten_progress_step(&progress, "too soon again");
  ten_progress_clear(&progress);
  progress.drawn_at -= 11;
  progress.done = 2;
  progress.start -= 12;
  ten_progress_show(&progress, "loss 6");
  rewind(file);
  char text[256] = {0};
  assert_true(fread(text, 1, sizeof text - 1, file) > 0);
  assert_string_equal(text,
                      "tenfold: train: 2/3  2.0 s each  0:02 left  loss 7\n"
                      "tenfold: train: 2/3  8.0 s each  0:08 left  loss 6\n");
  fclose(file);
  ten_progress_start(&progress, NULL, "quiet", 3); /* off */
  progress.start -= 100;
  ten_progress_step(&progress, "nothing");
  ten_progress_clear(&progress);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_file_is_no_terminal),
      cmocka_unit_test(a_terminal_shows_one_cut_line),
      cmocka_unit_test(a_wide_terminal_shows_a_bar_and_what_is_left),
      cmocka_unit_test(a_log_has_lines),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
