/* mapped.c: the table of mapped files and the SIGBUS handler.
 * The handler reads the table while other threads write it: entries are never freed, only reused, and `start` is set
 * last and cleared first. */
#include "base/mapped.h"

#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/thread.h"

struct ten_mapped {
  _Atomic uintptr_t start, end; /* start is 0 when the entry is free */
  atomic_bool lost;
  char *path; /* owned; the handler does not read it */
  ten_mapped *_Atomic next;
};

static ten_mutex mutex = TEN_MUTEX_INIT; /* serializes writers of the table */
static ten_mapped *_Atomic first;
static atomic_uint lost_now, lost_ever;
static uintptr_t page_size;
/* Handlers of SIGBUS that ours replaced. Never freed, since one may be running; reused when the same one returns. */
typedef struct host_action {
  struct sigaction action;
  struct host_action *next;
} host_action;
static host_action *hosts;                     /* under the lock */
static const struct sigaction *_Atomic before; /* the latest of them */
/* The last fault that was forwarded. A handler installed after ours may pass it back: with the same context, from
 * deeper in the stack. A flag could not tell this from a handler that left by longjmp. */
static _Thread_local const void *last_context, *last_frame;

/* The file ends before this page, so every later page of the mapping is replaced at once. */
static bool replace_lost(uintptr_t address) {
  for (ten_mapped *m = atomic_load(&first); m; m = atomic_load(&m->next)) {
    const uintptr_t start = atomic_load(&m->start), end = atomic_load(&m->end), page = address & ~(page_size - 1);
    if (!start || address < start || address >= end) continue;
    if (!atomic_exchange(&m->lost, true)) {
      atomic_fetch_add(&lost_now, 1);
      atomic_fetch_add(&lost_ever, 1);
    }
    return mmap((void *)page, end - page, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) != MAP_FAILED;
  }
  return false;
}

static void on_bus_error(int number, siginfo_t *info, void *context) {
  const bool fault = info->si_code > 0; /* a memory fault, not a signal sent by kill() */
  if (fault && replace_lost((uintptr_t)info->si_addr)) return;
  const struct sigaction *host = atomic_load(&before);
  const bool own = host->sa_flags & SA_SIGINFO || (host->sa_handler != SIG_DFL && host->sa_handler != SIG_IGN);
  const void *frame = __builtin_frame_address(0);
  const bool handed_back = context == last_context && (uintptr_t)frame < (uintptr_t)last_frame;
  if (own && !handed_back) {
    last_context = context;
    last_frame = frame;
    if (host->sa_flags & SA_SIGINFO)
      host->sa_sigaction(number, info, context);
    else
      host->sa_handler(number);
  } else if (fault || host->sa_handler != SIG_IGN) { /* the default action */
    signal(SIGBUS, SIG_DFL);
    if (!fault) raise(SIGBUS);
  }
}

static bool is_ours(const struct sigaction *action) {
  return action->sa_flags & SA_SIGINFO && action->sa_sigaction == on_bus_error;
}

static const struct sigaction *remember(const struct sigaction *action) { /* under the lock */
  for (host_action *host = hosts; host; host = host->next)
    if (host->action.sa_flags == action->sa_flags && host->action.sa_sigaction == action->sa_sigaction &&
        !memcmp(&host->action.sa_mask, &action->sa_mask, sizeof action->sa_mask))
      return &host->action;
  host_action *host = ten_alloc(sizeof *host);
  *host = (host_action){*action, hosts};
  hosts = host;
  return &host->action;
}

/* Also replaces a handler that was installed since the last file. */
static void install(void) { /* under the lock */
  struct sigaction ours = {.sa_sigaction = on_bus_error, .sa_flags = SA_SIGINFO | SA_ONSTACK | SA_RESTART}, now;
  if (sigaction(SIGBUS, NULL, &now) || is_ours(&now)) return;
  page_size = (uintptr_t)sysconf(_SC_PAGESIZE);
  atomic_store(&before, remember(&now));
  sigemptyset(&ours.sa_mask);
  sigaction(SIGBUS, &ours, NULL);
}

/* Unloading the library restores the previous handler. */
__attribute__((destructor)) static void uninstall(void) {
  struct sigaction now;
  const struct sigaction *host = atomic_load(&before);
  if (host && !sigaction(SIGBUS, NULL, &now) && is_ours(&now)) sigaction(SIGBUS, host, NULL);
}

ten_mapped *ten_mapped_add(const void *data, size_t size, const char *path) {
  ten_mutex_lock(&mutex);
  install();
  ten_mapped *m = atomic_load(&first);
  while (m && atomic_load(&m->start)) m = atomic_load(&m->next);
  const bool made = !m;
  if (made) m = ten_alloc(sizeof *m);
  m->path = ten_alloc(strlen(path) + 1);
  memcpy(m->path, path, strlen(path) + 1);
  atomic_store(&m->lost, false);
  atomic_store(&m->end, (uintptr_t)data + size);
  atomic_store(&m->start, (uintptr_t)data);
  if (made) {
    atomic_store(&m->next, atomic_load(&first));
    atomic_store(&first, m);
  }
  ten_mutex_unlock(&mutex);
  return m;
}

void ten_mapped_remove(ten_mapped *m) {
  if (!m) return;
  ten_mutex_lock(&mutex);
  if (atomic_load(&m->lost)) atomic_fetch_sub(&lost_now, 1);
  free(m->path);
  m->path = NULL;
  atomic_store(&m->start, 0);
  ten_mutex_unlock(&mutex);
}

ten_status *ten_mapped_check(void) {
  if (!atomic_load_explicit(&lost_now, memory_order_relaxed)) return NULL;
  ten_status *status = NULL;
  ten_mutex_lock(&mutex);
  for (ten_mapped *m = atomic_load(&first); m && !status; m = atomic_load(&m->next))
    if (atomic_load(&m->start) && atomic_load(&m->lost))
      status = ten_error(TEN_IO, "%s became shorter while it was being read", m->path);
  ten_mutex_unlock(&mutex);
  return status;
}

unsigned ten_mapped_lost(void) { return atomic_load(&lost_ever); }
