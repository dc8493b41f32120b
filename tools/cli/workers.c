/* workers.c: a pool of forked processes. Each reads the index of an item from its request pipe, and writes size and
 * bytes of the result to its answer pipe. A worker that dies is replaced. */
#include "cli/workers.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/thread.h"

typedef struct worker {
  pid_t process;
  int request, answer; /* our ends */
  bool busy, late;
  size_t item;
  double deadline;
  ten_buf received;
} worker;

typedef struct pool {
  const cli_work *work;
  worker *workers;
  size_t worker_count, next, finished;
} pool;

static _Noreturn void serve(const cli_work *work, int request, int answer) {
  uint64_t item;
  while (ten_pipe_read(request, &item, sizeof item)) {
    ten_buf result = {0};
    work->run(work->user, (size_t)item, &result);
    const uint64_t size = result.size;
    if (!ten_pipe_write(answer, &size, sizeof size) || !ten_pipe_write(answer, result.data, result.size)) break;
    ten_buf_free(&result);
  }
  _exit(0);
}

static ten_status *worker_start(pool *p, worker *w) {
  int request[2], answer[2];
  if (pipe(request)) return ten_error(TEN_IO, "cannot create a pipe: %s", strerror(errno));
  if (pipe(answer)) {
    close(request[0]);
    close(request[1]);
    return ten_error(TEN_IO, "cannot create a pipe: %s", strerror(errno));
  }
  fflush(NULL); /* buffered output must not be printed twice */
  const pid_t process = fork();
  if (process == 0) {
    for (size_t i = 0; i < p->worker_count; i++) { /* a pipe ends when its last holder closes it: close our copy */
      if (!p->workers[i].process) continue;
      close(p->workers[i].request);
      close(p->workers[i].answer);
    }
    close(request[1]);
    close(answer[0]);
    serve(p->work, request[0], answer[1]);
  }
  close(request[0]);
  close(answer[1]);
  if (process < 0) {
    close(request[1]);
    close(answer[0]);
    return ten_error(TEN_IO, "cannot start a process: %s", strerror(errno));
  }
  *w = (worker){.process = process, .request = request[1], .answer = answer[0]};
  return NULL;
}

/* Sends the worker its next item, if there is one. A dead worker is detected when its answer is read. */
static void worker_feed(pool *p, worker *w) {
  if (p->next == p->work->count) return;
  const uint64_t item = p->next++;
  w->busy = true;
  w->item = (size_t)item;
  w->deadline = p->work->seconds > 0 ? ten_clock() + p->work->seconds : 0;
  w->received.size = 0;
  if (!ten_pipe_write(w->request, &item, sizeof item)) kill(w->process, SIGKILL);
}

static void worker_end(worker *w, char *how, size_t size) {
  close(w->request);
  close(w->answer);
  int status = 0;
  while (waitpid(w->process, &status, 0) < 0 && errno == EINTR) continue;
  if (how && WIFSIGNALED(status))
    snprintf(how, size, "crashed: %s", strsignal(WTERMSIG(status)));
  else if (how)
    snprintf(how, size, "ended early, with exit status %d", WEXITSTATUS(status));
  ten_buf_free(&w->received);
  *w = (worker){0};
}

static ten_status *worker_died(pool *p, worker *w) {
  const bool busy = w->busy, late = w->late;
  const size_t item = w->item;
  char how[128];
  worker_end(w, how, sizeof how);
  if (late) snprintf(how, sizeof how, "was stopped after %g s", p->work->seconds);
  if (busy) {
    p->finished++;
    p->work->done(p->work->user, item, (ten_str){0}, how);
  }
  if (p->next == p->work->count) return NULL;
  TEN_TRY(worker_start(p, w));
  worker_feed(p, w);
  return NULL;
}

/* Reads what the worker wrote; a whole result ends its item. */
static ten_status *worker_read(pool *p, worker *w) {
  char bytes[65536];
  const ssize_t got = read(w->answer, bytes, sizeof bytes);
  if (got < 0 && errno == EINTR) return NULL;
  if (got <= 0) return worker_died(p, w);
  ten_buf_add(&w->received, bytes, (size_t)got);
  uint64_t size;
  if (w->received.size < sizeof size) return NULL;
  memcpy(&size, w->received.data, sizeof size);
  if (w->received.size - sizeof size < size) return NULL;
  w->busy = false;
  p->finished++;
  p->work->done(p->work->user, w->item, (ten_str){w->received.data + sizeof size, (size_t)size}, NULL);
  worker_feed(p, w);
  return NULL;
}

static ten_status *pool_turn(pool *p, struct pollfd *polls) {
  double wait = 1;
  for (size_t i = 0; i < p->worker_count; i++) {
    worker *w = &p->workers[i];
    polls[i] = (struct pollfd){.fd = w->busy ? w->answer : -1, .events = POLLIN};
    if (!w->busy || w->deadline == 0 || w->late) continue;
    const double left = w->deadline - ten_clock();
    if (left < wait) wait = left > 0 ? left : 0;
    if (left <= 0) {
      w->late = true;
      kill(w->process, SIGKILL);
    }
  }
  if (poll(polls, (nfds_t)p->worker_count, (int)(wait * 1e3) + 1) < 0 && errno != EINTR)
    return ten_error(TEN_IO, "poll: %s", strerror(errno));
  for (size_t i = 0; i < p->worker_count; i++)
    if (p->workers[i].busy && polls[i].revents) TEN_TRY(worker_read(p, &p->workers[i]));
  return NULL;
}

ten_status *cli_work_all(const cli_work *work) {
  pool p = {.work = work, .worker_count = work->jobs ? work->jobs : ten_cpu_count()};
  if (p.worker_count > work->count) p.worker_count = work->count;
  p.workers = ten_alloc((p.worker_count + 1) * sizeof *p.workers);
  memset(p.workers, 0, (p.worker_count + 1) * sizeof *p.workers);
  struct pollfd *polls = ten_alloc((p.worker_count + 1) * sizeof *polls);
  void (*before)(int) = signal(SIGPIPE, SIG_IGN); /* a dead worker is detected by reading, not by a signal */
  ten_status *status = NULL;
  for (size_t i = 0; i < p.worker_count && !status; i++) {
    status = worker_start(&p, &p.workers[i]);
    if (!status) worker_feed(&p, &p.workers[i]);
  }
  while (!status && p.finished < work->count) status = pool_turn(&p, polls);
  for (size_t i = 0; i < p.worker_count; i++) {
    if (!p.workers[i].process) continue;
    if (p.workers[i].busy) kill(p.workers[i].process, SIGKILL);
    worker_end(&p.workers[i], NULL, 0);
  }
  signal(SIGPIPE, before);
  free(polls);
  free(p.workers);
  return status;
}
