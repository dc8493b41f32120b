/* trace.c: writes what this process compiles and runs to files (trace.h). The state is global to the process: programs
 * come from independent entry points. The first program opens it and it stays open. */
#include "backend/trace.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "backend/backend.h"
#include "base/clock.h"
#include "base/environment.h"
#include "base/hash.h"
#include "base/thread.h"

enum { CHUNK = 1 << 20, MOST = 256 << 20 }; /* bytes of an events file: growth increment, maximum */

struct ten_traced {
  uint32_t program;
  ten_profile profile;                                        /* only its callbacks are used */
  void (*then)(void *user, const char *name, double seconds); /* the caller's phase callback, also called; or NULL */
  void *then_user;
};

static struct {
  ten_once once;
  int lines, events;        /* files, or -1 */
  ten_trace_header *header; /* mapped, with the events behind it; NULL: nothing is traced; atomic */
  ten_mutex mutex;          /* guards `ready` while the file grows */
  _Atomic uint64_t ready;   /* bytes of the file that have room on the disk */
  ten_transfer_sink sink;   /* or NULL; atomic */
  void *sink_user;
} trace = {.once = TEN_ONCE_INIT, .lines = -1, .events = -1};

/* Allocates disk space, so that no write to the mapping can fail. */
static bool grow(uint64_t wanted) {
  ten_mutex_lock_leaf(&trace.mutex);
  uint64_t ready = atomic_load(&trace.ready);
  while (ready < wanted && ready < MOST && !posix_fallocate(trace.events, (off_t)ready, CHUNK)) {
    ready += CHUNK;
    atomic_store(&trace.ready, ready);
  }
  ten_mutex_unlock_leaf(&trace.mutex);
  return ready >= wanted;
}

/* Two files with the same base name. */
static bool make_files(const char *folder) {
  char path[4096];
  const int size = snprintf(path, sizeof path, "%s/%ld-XXXXXX.jsonl", folder, (long)getpid());
  if (size < 0 || (size_t)size >= sizeof path) return false;
  trace.lines = mkostemps(path, 6, O_APPEND | O_CLOEXEC);
  if (trace.lines < 0) return false;
  memcpy(path + size - 5, "events", 7);
  trace.events = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  return trace.events >= 0;
}

static void open_files(void) {
  const char *folder = ten_env_text(TEN_ENV_PROFILE);
  if (!folder || !make_files(folder) || ftruncate(trace.events, MOST) || !grow(CHUNK)) return;
  void *memory = mmap(NULL, MOST, PROT_READ | PROT_WRITE, MAP_SHARED, trace.events, 0);
  if (memory == MAP_FAILED) return;
  memcpy(((ten_trace_header *)memory)->magic, TEN_TRACE_MAGIC, sizeof trace.header->magic);
  __atomic_store_n(&trace.header, memory, __ATOMIC_RELEASE);
}

static bool opened(void) {
  ten_once_run(&trace.once, open_files);
  return trace.header != NULL;
}

/* A line is one write: lines of several threads and processes do not mix. */
static void write_line(const ten_buf *line) {
  const ssize_t wrote = write(trace.lines, line->data, line->size);
  (void)wrote; /* an incomplete trace is no reason to stop a program */
}

typedef struct whose {
  uint32_t process, thread;
} whose;

/* Queried once per thread; again in a child process, whose only thread inherited the parent's ids. */
static whose mine(void) {
  static _Thread_local whose own;
  static _Thread_local uint32_t forks;
  if (!own.process || forks != ten_forks()) {
    own = (whose){(uint32_t)getpid(), (uint32_t)syscall(SYS_gettid)};
    forks = ten_forks();
  }
  return own;
}

/* `event` without its process; its thread where it is not the calling one. */
static void add_event(ten_trace_event event, ten_trace_kind kind) {
  ten_trace_header *header = trace.header;
  const uint64_t at = sizeof *header + __atomic_fetch_add(&header->used, sizeof(ten_trace_event), __ATOMIC_RELAXED);
  const uint64_t end = at + sizeof(ten_trace_event);
  if (end > MOST || (end > atomic_load_explicit(&trace.ready, memory_order_relaxed) && !grow(end))) {
    __atomic_fetch_add(&header->dropped, 1, __ATOMIC_RELAXED);
    return;
  }
  const whose own = mine();
  event.process = own.process;
  if (!event.thread) event.thread = own.thread;
  ten_trace_event *to = (ten_trace_event *)((char *)header + at);
  *to = event;
  __atomic_store_n(&to->kind, (uint32_t)kind, __ATOMIC_RELEASE); /* now it is whole */
}

static ten_trace_event event_of(const ten_traced *traced, size_t step, double start, double seconds) {
  return (ten_trace_event){.program = traced->program, .step = (uint32_t)step, .start = start, .seconds = seconds};
}

static void step_ended(void *user, size_t step, double start, double seconds) {
  add_event(event_of(user, step, start, seconds), TEN_TRACE_STEP);
}

static void step_worked(void *user, size_t step, uint32_t thread, double start, double seconds) {
  ten_trace_event event = event_of(user, step, start, seconds);
  event.thread = thread;
  add_event(event, TEN_TRACE_WORK);
}

void ten_trace_run(const ten_traced *traced, double start) {
  add_event(event_of(traced, 0, start, ten_clock() - start), TEN_TRACE_RUN);
}

static ten_transfer_sink sink_now(void) { return __atomic_load_n(&trace.sink, __ATOMIC_ACQUIRE); }
static bool writes_events(void) { return __atomic_load_n(&trace.header, __ATOMIC_ACQUIRE) != NULL; }

double ten_transfer_start(void) { return sink_now() || writes_events() ? ten_clock() : 0; }

void ten_transfer_end(bool to_device, size_t bytes, double start) {
  if (start <= 0) return;
  const ten_transfer transfer = {to_device, bytes, start, ten_clock() - start};
  const ten_transfer_sink sink = sink_now();
  if (sink) sink(trace.sink_user, &transfer);
  if (writes_events())
    add_event((ten_trace_event){.start = start, .seconds = transfer.seconds, .bytes = bytes},
              to_device ? TEN_TRACE_TO_DEVICE : TEN_TRACE_FROM_DEVICE);
}

void ten_transfers_tell(ten_transfer_sink sink, void *user) {
  trace.sink_user = user;
  __atomic_store_n(&trace.sink, sink, __ATOMIC_RELEASE);
}

static void put_field(ten_buf *out, const char *name, ten_str text) {
  ten_buf_printf(out, ", \"%s\": ", name);
  ten_buf_add_json(out, text);
}

static void write_phase(const char *name, double seconds) {
  TEN_RECOVER_AS("tracing", );
  const whose own = mine();
  ten_buf line = {0};
  ten_buf_printf(&line, "{\"process\": %u, \"thread\": %u, \"start\": %.9f, \"seconds\": %.9f", own.process, own.thread,
                 ten_clock() - seconds, seconds);
  put_field(&line, "phase", ten_str_of(name));
  ten_buf_adds(&line, "}\n");
  write_line(&line);
  ten_buf_free(&line);
}

static void phase_ended(void *user, const char *name, double seconds) {
  const ten_traced *traced = user;
  write_phase(name, seconds);
  if (traced->then) traced->then(traced->then_user, name, seconds);
}

ten_traced *ten_trace_start(ten_settings *settings) {
  if (!ten_env_text(TEN_ENV_PROFILE) || !opened()) return NULL;
  ten_traced *traced = ten_alloc(sizeof *traced);
  *traced = (ten_traced){0};
  if (!settings) return traced;
  traced->then = settings->phase;
  traced->then_user = settings->phase_user;
  settings->phase = phase_ended;
  settings->phase_user = traced;
  return traced;
}

/* Program text without types: an equal hash means it was recompiled for other sizes. */
static ten_status *add_op(ten_op *op, void *names) {
  ten_buf_addstr(names, op->name);
  ten_buf_addc(names, ' ');
  return NULL;
}

static uint64_t skeleton_of(const ten_op *func) {
  ten_buf names = {0};
  ten_status_free(ten_op_walk((ten_op *)func, add_op, &names));
  const uint64_t hash = ten_hash64(names.data ? names.data : "", names.size, 0);
  ten_buf_free(&names);
  return hash;
}

static void put_steps(ten_buf *out, const ten_steps *steps) {
  ten_buf_printf(out, ", \"threads\": %u, \"arena\": %zu, \"steps\": [", steps->threads, steps->arena_bytes);
  for (size_t i = 0; i < steps->rows.count; i++) {
    const ten_step_row *row = &steps->rows.data[i];
    ten_buf_printf(out, "%s{\"flops\": %.0f, \"bytes\": %.0f, \"host\": %s", i ? ", " : "", row->flops, row->bytes,
                   row->host ? "true" : "false");
    put_field(out, "kind", ten_str_of(row->kind));
    put_field(out, "label", row->label);
    if (row->layer.size) put_field(out, "layer", row->layer);
    if (row->place.size) put_field(out, "place", row->place);
    ten_buf_addc(out, '}');
  }
  ten_buf_addc(out, ']');
}

static void describe(const ten_executable *executable, uint32_t program, double start, ten_buf *out) {
  const whose own = mine();
  const ten_type *type = ten_func_type(executable->func);
  ten_buf_printf(out,
                 "{\"process\": %u, \"thread\": %u, \"start\": %.9f, \"seconds\": %.9f, \"program\": %u, \"skeleton\": "
                 "\"%016" PRIx64 "\"",
                 own.process, own.thread, start, ten_clock() - start, program, skeleton_of(executable->func));
  put_field(out, "name", ten_func_name(executable->func));
  put_field(out, "device", ten_str_of(executable->backend->name));
  ten_buf_adds(out, ", \"inputs\": [");
  for (uint32_t i = 0; i < type->input_count; i++) {
    ten_buf text = {0};
    ten_type_print(&text, type->inputs[i]);
    if (i) ten_buf_adds(out, ", ");
    ten_buf_add_json(out, (ten_str){text.data, text.size});
    ten_buf_free(&text);
  }
  ten_buf_addc(out, ']');
  ten_steps steps = {0};
  ten_status *status = executable->backend->steps ? executable->backend->steps(executable, &steps) : NULL;
  if (!status && executable->backend->steps) put_steps(out, &steps);
  ten_status_free(status); /* with unknown sizes there are no steps yet */
  ten_steps_free(&steps);
  ten_buf_adds(out, "}\n");
}

void ten_trace_program(ten_executable *executable, ten_traced *traced, double start) {
  executable->traced = traced;
  TEN_RECOVER_AS("tracing", ); /* then its steps are not traced */
  if (!traced) return;
  traced->program = (uint32_t)__atomic_add_fetch(&trace.header->programs, 1, __ATOMIC_RELAXED);
  traced->profile.ended = step_ended;
  traced->profile.worked = step_worked;
  traced->profile.user = traced;
  ten_buf line = {0};
  describe(executable, traced->program, start, &line);
  write_line(&line);
  ten_buf_free(&line);
  const ten_backend *backend = executable->backend;
  if (backend->profile && backend->steps) ten_status_free(backend->profile(executable, &traced->profile));
}

void ten_traced_free(ten_traced *traced) { free(traced); }
