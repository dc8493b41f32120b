/* progress.c: progress messages of long commands on stderr. */
#include "cli/progress.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdatomic.h>
#include <unistd.h>

#include "base/environment.h"
#include "base/thread.h"

enum { TICK_MS = 100 };

/* The current activity. Static, so that it survives a longjmp (base/recover.h). */
static struct {
  bool started, ticks; /* a thread draws it */
  int ends[2];         /* a pipe: a byte in it ends the thread */
  ten_thread thread;
  ten_progress line; /* drawn by the thread, if there is one */
  _Atomic(const char *) doing;
  void (*then)(void *user, const char *name, double seconds); /* the previous receiver of phases */
  void *then_user;
} now;

FILE *cli_progress_stream(bool quiet) { return quiet || !ten_env_switch(TEN_ENV_PROGRESS, true) ? NULL : stderr; }

static void draw(void) { ten_progress_show(&now.line, "%s", atomic_load(&now.doing)); }

static void *tick(void *unused) {
  (void)unused;
  for (;;) {
    struct pollfd end = {.fd = now.ends[0], .events = POLLIN};
    if (poll(&end, 1, TICK_MS) > 0) return NULL;
    draw();
  }
}

void cli_progress_start(const char *what, bool quiet) {
  if (now.started) return;
  FILE *stream = cli_progress_stream(quiet);
  now.started = true;
  now.ticks = false;
  atomic_store(&now.doing, "");
  ten_progress_start(&now.line, stream, what, 0);
  if (!stream || pipe2(now.ends, O_CLOEXEC)) return;
  ten_status *status = ten_thread_start(0, tick, NULL, &now.thread);
  now.ticks = !status;
  if (status) close(now.ends[0]), close(now.ends[1]);
  ten_status_free(status); /* otherwise it is drawn when a phase ends */
}

void cli_progress_stop(void) {
  if (!now.started) return;
  if (now.ticks) {
    while (write(now.ends[1], "", 1) < 0 && errno == EINTR) continue;
    ten_thread_join(now.thread);
    close(now.ends[0]);
    close(now.ends[1]);
  }
  ten_progress_clear(&now.line);
  now.started = false;
}

void cli_progress_at(const char *doing) {
  atomic_store(&now.doing, doing);
  if (now.started && !now.ticks) draw();
}

static void phase_done(void *user, const char *name, double seconds) {
  (void)user;
  if (now.then) now.then(now.then_user, name, seconds);
  cli_progress_at(name);
}

void cli_progress_follow(ten_settings *settings) {
  if (settings->phase == phase_done) return;
  now.then = settings->phase;
  now.then_user = settings->phase_user;
  settings->phase = phase_done;
  settings->phase_user = NULL;
}
