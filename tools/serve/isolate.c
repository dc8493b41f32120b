/* isolate.c: the server's side of a client's process: starts it, sends requests, and kills it at a timeout. */
#include "serve/isolate.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/clock.h"
#include "device.pb-c.h"
#include "serve/grpc.h"
#include "serve/isolate_wire.h"

enum { OTHER_SECONDS = 60 }; /* for transferring an array */

extern char **environ;

struct serve_worker {
  pid_t pid;
  int fd;
  const serve_options *options;
  pthread_mutex_t asking; /* one question at a time */
  pthread_mutex_t state;  /* of what follows */
  bool dead;
  char reason[160];
};

/* The process's environment: ours, without a cache, which clients would share. The caller frees only the array. */
static char **environment_make(void) {
  static char off[] = "TENFOLD_CACHE=off";
  size_t count = 0, kept = 0;
  while (environ[count]) count++;
  char **all = ten_alloc((count + 2) * sizeof *all);
  for (size_t i = 0; i < count; i++)
    if (strncmp(environ[i], "TENFOLD_CACHE=", 14) != 0) all[kept++] = environ[i];
  all[kept++] = off;
  all[kept] = NULL;
  return all;
}

static int spawn(int fd, const serve_options *o, pid_t *out_pid) {
  char limits[2][32];
  snprintf(limits[0], sizeof limits[0], "%lld", (long long)o->max_arrays);
  snprintf(limits[1], sizeof limits[1], "%lld", (long long)o->max_program_memory);
  char *argv[] = {(char *)(uintptr_t)SERVE_PROGRAM,
                  (char *)(uintptr_t)SERVE_ISOLATED,
                  limits[0],
                  limits[1],
                  (char *)(uintptr_t)(o->device ? o->device : "cpu"),
                  (char *)(uintptr_t)(o->allow_compiled ? "1" : "0"),
                  NULL};
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
  sigset_t none;
  sigemptyset(&none);
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, fd, ISOLATE_FD);
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETPGROUP);
  posix_spawnattr_setsigmask(&attributes, &none);
  char **environment = environment_make();
  const int wrong = posix_spawn(out_pid, "/proc/self/exe", &actions, &attributes, argv, environment);
  free(environment);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  return wrong;
}

ten_status *serve_worker_start(const serve_options *options, serve_worker **out_worker) {
  *out_worker = NULL;
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends))
    return ten_error(TEN_LIMIT, "no socket for a process of its own: %s", strerror(errno));
  const int size = 1 << 20;
  for (int i = 0; i < 2; i++) (void)setsockopt(ends[i], SOL_SOCKET, SO_SNDBUF, &size, sizeof size);
  pid_t pid;
  const int wrong = spawn(ends[1], options, &pid);
  close(ends[1]);
  if (wrong) {
    close(ends[0]);
    return ten_error(TEN_LIMIT, "a process of its own cannot be started: %s", strerror(wrong));
  }
  serve_worker *worker = ten_alloc(sizeof *worker);
  *worker = (serve_worker){.pid = pid, .fd = ends[0], .options = options};
  pthread_mutex_init(&worker->asking, NULL);
  pthread_mutex_init(&worker->state, NULL);
  *out_worker = worker;
  return NULL;
}

bool serve_worker_is_dead(serve_worker *worker) {
  pthread_mutex_lock(&worker->state);
  const bool dead = worker->dead;
  pthread_mutex_unlock(&worker->state);
  return dead;
}

/* Kills it, and stores the first reason; a reason of NULL is how it ended by itself. */
static void end(serve_worker *worker, const char *reason) {
  pthread_mutex_lock(&worker->state);
  if (!worker->dead) {
    worker->dead = true;
    int how = 0;
    pid_t gone = reason ? 0 : waitpid(worker->pid, &how, WNOHANG);
    for (int i = 0; !reason && !gone && i < 100; i++) { /* its socket is closed before it exits */
      usleep(1000);
      gone = waitpid(worker->pid, &how, WNOHANG);
    }
    if (!gone) {
      (void)kill(worker->pid, SIGKILL);
      (void)waitpid(worker->pid, &how, 0);
    }
    if (reason)
      snprintf(worker->reason, sizeof worker->reason, "%s", reason);
    else if (WIFSIGNALED(how))
      snprintf(worker->reason, sizeof worker->reason, "the program's process was ended by signal %d", WTERMSIG(how));
    else
      snprintf(worker->reason, sizeof worker->reason, "the program's process ended with status %d", WEXITSTATUS(how));
  }
  pthread_mutex_unlock(&worker->state);
}

void serve_worker_kill(serve_worker *worker) { end(worker, "the client is gone"); }

void serve_worker_free(serve_worker *worker) {
  if (!worker) return;
  serve_worker_kill(worker);
  close(worker->fd);
  pthread_mutex_destroy(&worker->asking);
  pthread_mutex_destroy(&worker->state);
  free(worker);
}

/* Transfers `size` bytes before `deadline`; -1: the other end is closed, 0: timeout. */
static int move(const serve_worker *worker, bool sends, void *data, size_t size, double deadline) {
  for (size_t at = 0; at < size;) {
    const ssize_t now = sends ? send(worker->fd, (const char *)data + at, size - at, MSG_NOSIGNAL | MSG_DONTWAIT)
                              : recv(worker->fd, (char *)data + at, size - at, MSG_DONTWAIT);
    if (now > 0) {
      at += (size_t)now;
      continue;
    }
    if (now == 0 || (errno != EAGAIN && errno != EINTR)) return -1;
    const double left = deadline - ten_clock();
    if (left <= 0) return 0;
    struct pollfd wait = {.fd = worker->fd, .events = sends ? POLLOUT : POLLIN};
    (void)poll(&wait, 1, left > 1000 ? 1000000 : (int)(left * 1000) + 1);
  }
  return 1;
}

static int send_question(const serve_worker *worker, const serve_question *q, double deadline) {
  char *about = NULL;
  size_t about_size = 0;
  if (q->kind == SERVE_OP_UPLOAD) serve_download_pack(q->tensor, false, &about, &about_size); /* the same fields */
  isolate_head head = {.kind = (uint32_t)q->kind,
                       .size = about ? about_size : q->size,
                       .data_size = about ? q->tensor->bytes : 0,
                       .room = q->room};
  int moved = move(worker, true, &head, sizeof head, deadline);
  if (moved > 0) moved = move(worker, true, about ? about : (void *)(uintptr_t)q->request, head.size, deadline);
  if (moved > 0 && about) moved = move(worker, true, q->tensor->data, q->tensor->bytes, deadline);
  free(about);
  return moved;
}

/* The process is not trusted: sizes in its answers are bounded before memory is allocated. */
static int receive_answer(const serve_worker *worker, serve_question *q, double deadline, isolate_head *head) {
  const size_t most = ((size_t)worker->options->max_body << 20) + (1 << 20);
  int moved = move(worker, false, head, sizeof *head, deadline);
  if (moved <= 0) return moved;
  if (head->size > most || head->data_size > q->room) return -1;
  q->answer = malloc(head->size + 1);
  if (!q->answer) return -1;
  moved = move(worker, false, q->answer, head->size, deadline);
  q->answer[head->size] = 0;
  q->answer_size = head->size;
  q->bytes = head->bytes < q->room ? head->bytes : q->room;
  if (moved <= 0 || head->code || q->kind != SERVE_OP_DOWNLOAD) return moved;
  Tenfold__Device__V1__DownloadResponse *about = (Tenfold__Device__V1__DownloadResponse *)serve_grpc_unpack(
      &tenfold__device__v1__download_response__descriptor, q->answer, q->answer_size);
  ten_status *status = about ? serve_tensor_make(about->tensor, q->room, NULL, &q->tensor) : NULL;
  if (about) protobuf_c_message_free_unpacked(&about->base, NULL);
  const bool fits = about && !status && q->tensor->bytes == head->data_size;
  ten_status_free(status);
  return fits ? move(worker, false, q->tensor->data, q->tensor->bytes, deadline) : -1;
}

static ten_status *ask(serve_worker *worker, serve_question *q) {
  const serve_options *o = worker->options;
  const bool compiles = q->kind == SERVE_OP_COMPILE, runs = q->kind == SERVE_OP_EXECUTE;
  const int64_t seconds = compiles ? o->max_compile : runs ? o->max_run : OTHER_SECONDS;
  const double deadline = ten_clock() + (double)seconds;
  isolate_head head = {0};
  int moved = send_question(worker, q, deadline);
  if (moved > 0) moved = receive_answer(worker, q, deadline, &head);
  if (moved > 0 && !head.code) return NULL;
  if (moved > 0) return ten_error((ten_code)head.code, "%s", q->answer);
  char late[96];
  snprintf(late, sizeof late, "%s took longer than %lld s (%s)", compiles ? "compiling the program" : "the program",
           (long long)seconds, compiles ? "--max-compile" : "--max-run");
  end(worker, moved == 0 ? late : NULL);
  return ten_error(moved == 0 || !strstr(worker->reason, "client is gone") ? TEN_LIMIT : TEN_CANCELLED,
                   "%s; all that this connection had is gone", worker->reason);
}

ten_status *serve_worker_ask(serve_worker *worker, serve_question *q) {
  TEN_RECOVER("asking a program's process");
  pthread_mutex_lock(&worker->asking);
  ten_status *status =
      serve_worker_is_dead(worker) ? ten_error(TEN_IO, "%s; connect again", worker->reason) : ask(worker, q);
  pthread_mutex_unlock(&worker->asking);
  return status;
}
