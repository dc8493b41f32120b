/* main.c: the program tenfold-serve, which `tenfold serve` executes: reads the command's arguments, loads the models,
 * serves until SIGTERM or SIGINT, and then finishes requests in progress. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/environment.h"
#include "serve/call.h"
#include "serve/control.h"
#include "serve/isolate.h"

static void note(const char *text) { fprintf(stderr, "tenfold serve: %s\n", text); }

static bool take(const char *argument, const char *name, const char **out_value) {
  const size_t size = strlen(name);
  if (strncmp(argument, name, size) != 0 || argument[size] != '=') return false;
  *out_value = argument + size + 1;
  return true;
}

#define SET_TEXT(field, value) ((field) = (value))
#define SET_COUNT(field, value) ((field) = atoll(value))
#define SET_MANY(field, value) ((field) = atoll(value))
#define SET_FLAG(field, value) ((field) = *(value) == '1')

/* Parses the arguments of options.h. Returns the index of the first model. */
static int read_options(serve_options *o, int argc, char **argv) {
  int i = 1;
  for (; i < argc && strcmp(argv[i], "--") != 0; i++) {
    const char *value;
#define OPTION(kind, field, name, placeholder, help) \
  if (take(argv[i], name, &value)) SET_##kind(o->field, value);
#include "serve/options.def"
#undef OPTION
  }
  return i + 1;
}

static void set_defaults(serve_options *o) {
  if (!o->listen) o->listen = "grpc://127.0.0.1:8470";
  if (!o->http) o->http = "127.0.0.1:8000";
  if (!o->threads) o->threads = 2;
  if (!o->queue) o->queue = 1024;
  if (!o->max_body) o->max_body = 256;
  if (!o->max_memory) o->max_memory = 1024;
  if (!o->max_arrays) o->max_arrays = 1024;
  if (!o->max_connections) o->max_connections = 4096;
  if (!o->max_shapes) o->max_shapes = 16;
  if (!o->timeout) o->timeout = 30;
  if (!o->idle) o->idle = 300;
  if (!o->max_program_memory) o->max_program_memory = 4096;
  if (!o->max_run) o->max_run = 60;
  if (!o->max_compile) o->max_compile = 120;
  if (!o->max_processes) o->max_processes = 64;
}

typedef struct stopper {
  serve_watch watch; /* first */
  serve_server *server;
} stopper;

/* No new connections; open ones end after their requests. A second signal exits at once. */
static void signal_ready(serve_watch *watch, uint32_t events) {
  (void)events;
  struct signalfd_siginfo info;
  serve_server *server = ((stopper *)watch)->server;
  if (read(watch->fd, &info, sizeof info) != sizeof info) return;
  if (server->draining) {
    serve_loop_stop(&server->loop);
    return;
  }
  note("stopping: requests in progress are finished");
  server->draining = true;
  server->drain_until = ten_clock() + (double)server->options.drain;
  for (size_t i = 0; i < server->listener_count; i++) {
    serve_loop_remove(&server->loop, &server->listeners[i].watch);
    close(server->listeners[i].watch.fd);
  }
  for (serve_conn *conn = server->conns; conn; conn = conn->next) {
    if (conn->h2) {
      serve_h2_drain(conn);
      serve_conn_flush(conn);
    }
  }
}

/* Whether a connection has nothing in progress. */
static bool is_idle(const serve_conn *conn) {
  if (conn->out_size) return false;
  return conn->state == CONN_HTTP2 ? serve_h2_idle(conn) : !conn->busy && !conn->exchange && !conn->in_size;
}

static void tick(void *user) {
  serve_server *server = user;
  const double now = ten_clock();
  serve_calls_expire(server, now);
  for (serve_conn *conn = server->conns, *next; conn; conn = next) {
    next = conn->next;
    serve_conn_check_time(conn, now);
    if (server->draining && !conn->closed && is_idle(conn)) serve_conn_close(conn);
    serve_conn_reap(conn);
  }
  if (server->options.poll && server->repository.folder && now >= server->next_poll && !server->draining) {
    server->next_poll = now + (double)server->options.poll;
    serve_control_poll(server);
  }
  if (server->draining && (!server->conns || now > server->drain_until)) serve_loop_stop(&server->loop);
}

static ten_status *open_log(serve_server *server) {
  const char *path = server->options.access_log;
  server->log_fd = -1;
  if (!path) return NULL;
  server->log_fd =
      !strcmp(path, "-") ? dup(STDERR_FILENO) : open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0640);
  return server->log_fd >= 0 ? NULL : ten_error(TEN_IO, "%s cannot be opened: %s", path, strerror(errno));
}

static ten_status *load_models(serve_server *server, char **models, int count) {
  serve_repository *r = &server->repository;
  const serve_options *o = &server->options;
  r->folder = o->repository;
  r->options = (serve_model_options){.device = o->device,
                                     .max_batch = o->max_batch,
                                     .max_shapes = o->max_shapes,
                                     .batch_rounding = o->batch_rounding,
                                     .batch_delay = (double)o->batch_delay * 1e-6};
  r->note = note;
  for (int i = 0; i < count; i++) TEN_TRY(serve_repository_add(r, models[i]));
  if (r->folder) TEN_TRY(serve_repository_scan(r));
  r->loaded = true;
  return NULL;
}

static ten_status *open_signals(serve_server *server, stopper *stop) {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGTERM);
  sigaddset(&signals, SIGINT);
  *stop = (stopper){{signalfd(-1, &signals, SFD_CLOEXEC | SFD_NONBLOCK), signal_ready}, server};
  if (stop->watch.fd < 0) return ten_error(TEN_IO, "signals cannot be watched: %s", strerror(errno));
  return serve_loop_add(&server->loop, &stop->watch, EPOLLIN);
}

/* Blocks signals before any thread starts; raises the limit of descriptors, which connections need. */
static void prepare_process(void) {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGTERM);
  sigaddset(&signals, SIGINT);
  pthread_sigmask(SIG_BLOCK, &signals, NULL);
  signal(SIGPIPE, SIG_IGN);
  signal(SIGXFSZ, SIG_IGN); /* a log at its size limit is no longer written */
  struct rlimit files;
  if (!getrlimit(RLIMIT_NOFILE, &files) && files.rlim_cur < files.rlim_max) {
    files.rlim_cur = files.rlim_max;
    (void)setrlimit(RLIMIT_NOFILE, &files);
  }
}

static ten_status *serve(serve_server *server, char **models, int count) {
  TEN_RECOVER("starting the server");
  const serve_options *o = &server->options;
  stopper stop;
  TEN_TRY(ten_env_check());
  if (o->isolate && o->device && strcmp(o->device, "cpu") != 0 && strcmp(o->device, "interp") != 0)
    return ten_error(TEN_UNSUPPORTED, "--isolate goes with the devices cpu and interp, not with '%s'", o->device);
  TEN_TRY(open_log(server));
  TEN_TRY(serve_tls_open(server));
  if (o->token_file) TEN_TRY(serve_tokens_read(server, o->token_file));
  TEN_TRY(load_models(server, models, count));
  TEN_TRY(serve_loop_open(&server->loop));
  TEN_TRY(open_signals(server, &stop));
  server->scratch = ten_alloc(SERVE_SCRATCH);
  server->spare_fd = dup(server->loop.wake);
  server->started = ten_clock();
  server->loop.tick = tick;
  server->loop.user = server;
  TEN_TRY(serve_pool_open(&server->pool, &server->loop, (size_t)o->threads, (size_t)o->queue));
  TEN_TRY(serve_pool_open(&server->readers, &server->loop, (size_t)o->threads, (size_t)o->queue));
  if (strcmp(o->listen, "off") != 0) TEN_TRY(serve_listen(server, o->listen, "grpc"));
  if (strcmp(o->http, "off") != 0) TEN_TRY(serve_listen(server, o->http, "http"));
  if (!server->listener_count) return ten_error(TEN_INVALID, "--listen off and --http off: nothing is served");
  serve_loop_run(&server->loop);
  serve_pool_close(&server->readers);
  serve_pool_close(&server->pool);
  return NULL;
}

int main(int argc, char **argv) {
  static serve_server server;
  if (argc > 1 && !strcmp(argv[1], SERVE_ISOLATED)) return serve_isolated_main(argc, argv);
  prepare_process();
  const int first = read_options(&server.options, argc, argv);
  set_defaults(&server.options);
  serve_repository_init(&server.repository);
  serve_shared_init(&server.shared, server.options.allow_shared_memory);
  ten_status *status = serve(&server, argv + (first < argc ? first : argc), first < argc ? argc - first : 0);
  if (!status) return 0;
  fprintf(stderr, "tenfold: %s\n", ten_status_text(status));
  const ten_code code = ten_status_code(status);
  ten_status_free(status);
  return code == TEN_NOT_FOUND ? 2 : 1;
}
