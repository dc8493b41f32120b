/* client_load.c: loads a plugin from a file, and converts its errors. Each way in which a file can fail to be a plugin
 * has its own message; afterwards the table can be trusted up to its size. */
#include <dlfcn.h>
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "backend/pjrt/client.h"
#include "base/arena.h"
#include "base/thread.h"

static const char *machine_name(unsigned machine) {
  switch (machine) {
    case EM_X86_64: return "x86_64";
    case EM_AARCH64: return "aarch64";
    case EM_RISCV: return "riscv";
    case EM_PPC64: return "ppc64";
    case EM_386: return "32-bit x86";
    default: return "another processor";
  }
}

#if defined(__x86_64__)
enum { MACHINE_HERE = EM_X86_64 };
#elif defined(__aarch64__)
enum { MACHINE_HERE = EM_AARCH64 };
#else
enum { MACHINE_HERE = EM_NONE };
#endif

/* The loader's own messages for these are hard to read, so they are checked first. */
static ten_status *check_file(const char *path) {
  const int file = open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0) {
    if (errno == ENOENT) return ten_error(TEN_NOT_FOUND, "there is no plugin at %s", path);
    return ten_error(TEN_IO, "the plugin %s cannot be read: %s", path, strerror(errno));
  }
  Elf64_Ehdr head;
  const ssize_t size = read(file, &head, sizeof head);
  close(file);
  if (size < 0) return ten_error(TEN_IO, "the plugin %s cannot be read: %s", path, strerror(errno));
  if (size < (ssize_t)sizeof head || memcmp(head.e_ident, ELFMAG, SELFMAG) || head.e_type != ET_DYN)
    return ten_error(TEN_INVALID, "%s is not a shared library", path);
  if (MACHINE_HERE != EM_NONE && head.e_machine != MACHINE_HERE)
    return ten_error(TEN_UNSUPPORTED, "%s is built for %s; this is %s", path, machine_name(head.e_machine),
                     machine_name(MACHINE_HERE));
  return NULL;
}

/* Some plugins install crash signal handlers when they are loaded or initialised: restore the previous ones. */
static const int crash_signals[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT, SIGTERM, SIGINT};
enum { CRASH_SIGNALS = sizeof crash_signals / sizeof *crash_signals };

typedef struct handlers {
  struct sigaction before[CRASH_SIGNALS];
} handlers;

static void handlers_save(handlers *h) {
  for (size_t i = 0; i < CRASH_SIGNALS; i++) sigaction(crash_signals[i], NULL, &h->before[i]);
}
static void handlers_restore(const handlers *h) {
  for (size_t i = 0; i < CRASH_SIGNALS; i++) sigaction(crash_signals[i], &h->before[i], NULL);
}

/* Silences logs of libtpu and XLA below errors; set the variables to see them. */
static void quiet(void) {
  setenv("TPU_STDERR_LOG_LEVEL", "3", 0);
  setenv("TPU_MIN_LOG_LEVEL", "3", 0);
  setenv("TPU_LOG_DIR", "disabled", 0);
  setenv("TF_CPP_MIN_LOG_LEVEL", "2", 0);
}

static ten_status *check_table(const char *path, const PJRT_Api *api) {
  if (!api) return ten_error(TEN_INVALID, "%s: GetPjrtApi returned NULL", path);
  const int major = api->pjrt_api_version.major_version, minor = api->pjrt_api_version.minor_version;
  const size_t least = offsetof(PJRT_Api, PJRT_Buffer_ReadyEvent_);
  if (api->struct_size < offsetof(PJRT_Api, PJRT_Error_Destroy_))
    return ten_error(TEN_INVALID, "%s: its table of calls has %zu bytes, which is not a table of PJRT", path,
                     api->struct_size);
  if (major > PJRT_API_MAJOR)
    return ten_error(TEN_UNSUPPORTED, "%s is too new: it speaks PJRT %d.%d, this Tenfold %d.%d", path, major, minor,
                     PJRT_API_MAJOR, PJRT_API_MINOR);
  if (major < PJRT_API_MAJOR || minor < PJRT_MINOR_LEAST)
    return ten_error(TEN_UNSUPPORTED, "%s is too old: it speaks PJRT %d.%d; %d.%d is the least", path, major, minor,
                     PJRT_API_MAJOR, PJRT_MINOR_LEAST);
  if (api->struct_size < least)
    return ten_error(TEN_INVALID, "%s: its table of calls has %zu bytes; PJRT %d.%d has at least %zu", path,
                     api->struct_size, major, minor, least);
  if (!api->PJRT_Error_Destroy_ || !api->PJRT_Error_Message_ || !api->PJRT_Error_GetCode_)
    return ten_error(TEN_INVALID, "%s: its table of calls lacks the error functions", path);
  return NULL;
}

/* The newest StableHLO version that the plugin reports, or, if it reports none, one old enough for all plugins. */
static ten_status *read_attributes(pjrt_plugin *plugin) {
  plugin->stablehlo = (ten_vhlo_version){1, 8, 0};
  if (!PJRT_HAS(plugin, PJRT_Plugin_Attributes)) return NULL;
  PJRT_Plugin_Attributes_Args args = PJRT_ARGS(PJRT_Plugin_Attributes);
  TEN_TRY(PJRT_TRY_CALL(plugin, PJRT_Plugin_Attributes, &args));
  for (size_t i = 0; i < args.num_attributes; i++) {
    const PJRT_NamedValue *value = &args.attributes[i];
    const ten_str name = {value->name, value->name_size};
    if (value->type != PJRT_NamedValue_kInt64List || value->value_size != 3) continue;
    const int64_t *v = value->int64_array_value;
    const ten_vhlo_version version = {(uint16_t)v[0], (uint16_t)v[1], (uint16_t)v[2]};
    if (ten_str_is(name, "stablehlo_current_version")) plugin->stablehlo = version;
    if (ten_str_is(name, "stablehlo_minimum_version") &&
        ten_vhlo_version_compare(version, ten_vhlo_version_current) > 0)
      return ten_error(TEN_UNSUPPORTED,
                       "%s is too new: it reads StableHLO from %d.%d.%d on, this Tenfold writes %d.%d.%d", plugin->path,
                       version.major, version.minor, version.patch, ten_vhlo_version_current.major,
                       ten_vhlo_version_current.minor, ten_vhlo_version_current.patch);
  }
  if (ten_vhlo_version_compare(plugin->stablehlo, ten_vhlo_version_current) > 0)
    plugin->stablehlo = ten_vhlo_version_current;
  if (ten_vhlo_version_compare(plugin->stablehlo, ten_vhlo_version_oldest) < 0)
    return ten_error(TEN_UNSUPPORTED,
                     "%s is too old: it reads StableHLO up to %d.%d.%d, this Tenfold writes from %d.%d.%d on",
                     plugin->path, plugin->stablehlo.major, plugin->stablehlo.minor, plugin->stablehlo.patch,
                     ten_vhlo_version_oldest.major, ten_vhlo_version_oldest.minor, ten_vhlo_version_oldest.patch);
  return NULL;
}

static ten_status *load(const char *path, pjrt_plugin *plugin) {
  quiet();
  void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (!library) return ten_error(TEN_INVALID, "the plugin %s cannot be loaded: %s", path, dlerror());
  const PJRT_Api *(*get)(void);
  *(void **)&get = dlsym(library, "GetPjrtApi");
  if (!get) {
    dlclose(library);
    return ten_error(TEN_INVALID, "%s is not a PJRT plugin: it has no GetPjrtApi", path);
  }
  const PJRT_Api *api = get();
  TEN_TRY(check_table(path, api));
  *plugin = (pjrt_plugin){.api = api, .path = ten_strdup(path)};
  const char *slash = strrchr(plugin->path, '/');
  plugin->name = slash ? slash + 1 : plugin->path;
  if (PJRT_HAS(plugin, PJRT_Plugin_Initialize)) {
    PJRT_Plugin_Initialize_Args args = PJRT_ARGS(PJRT_Plugin_Initialize);
    TEN_TRY(PJRT_TRY_CALL(plugin, PJRT_Plugin_Initialize, &args));
  }
  return read_attributes(plugin);
}

ten_status *pjrt_plugin_load(const char *path, pjrt_plugin *out_plugin) {
  *out_plugin = (pjrt_plugin){0};
  TEN_TRY(check_file(path));
  handlers before;
  handlers_save(&before);
  ten_status *status = load(path, out_plugin);
  handlers_restore(&before);
  if (status) pjrt_plugin_free(out_plugin);
  return status;
}

void pjrt_plugin_free(pjrt_plugin *plugin) {
  free(plugin->path);
  *plugin = (pjrt_plugin){0};
}

static const struct {
  const char *name;
  ten_code code;
} codes[] = {
    [PJRT_Error_Code_OK] = {"OK", TEN_INTERNAL},
    [PJRT_Error_Code_CANCELLED] = {"CANCELLED", TEN_CANCELLED},
    [PJRT_Error_Code_UNKNOWN] = {"UNKNOWN", TEN_INTERNAL},
    [PJRT_Error_Code_INVALID_ARGUMENT] = {"INVALID_ARGUMENT", TEN_INVALID},
    [PJRT_Error_Code_DEADLINE_EXCEEDED] = {"DEADLINE_EXCEEDED", TEN_LIMIT},
    [PJRT_Error_Code_NOT_FOUND] = {"NOT_FOUND", TEN_NOT_FOUND},
    [PJRT_Error_Code_ALREADY_EXISTS] = {"ALREADY_EXISTS", TEN_INVALID},
    [PJRT_Error_Code_PERMISSION_DENIED] = {"PERMISSION_DENIED", TEN_IO},
    [PJRT_Error_Code_RESOURCE_EXHAUSTED] = {"RESOURCE_EXHAUSTED", TEN_LIMIT},
    [PJRT_Error_Code_FAILED_PRECONDITION] = {"FAILED_PRECONDITION", TEN_INVALID},
    [PJRT_Error_Code_ABORTED] = {"ABORTED", TEN_CANCELLED},
    [PJRT_Error_Code_OUT_OF_RANGE] = {"OUT_OF_RANGE", TEN_INVALID},
    [PJRT_Error_Code_UNIMPLEMENTED] = {"UNIMPLEMENTED", TEN_UNSUPPORTED},
    [PJRT_Error_Code_INTERNAL] = {"INTERNAL", TEN_INTERNAL},
    [PJRT_Error_Code_UNAVAILABLE] = {"UNAVAILABLE", TEN_NOT_FOUND},
    [PJRT_Error_Code_DATA_LOSS] = {"DATA_LOSS", TEN_IO},
    [PJRT_Error_Code_UNAUTHENTICATED] = {"UNAUTHENTICATED", TEN_IO},
};
enum { CODE_COUNT = sizeof codes / sizeof *codes };

static void add_payload(const char *key, size_t key_size, const char *value, size_t value_size, void *user) {
  ten_buf *out = user;
  ten_buf_printf(out, "\n  %.*s: ", (int)key_size, key);
  enum { SHOWN = 400 };
  for (size_t i = 0; i < value_size && i < SHOWN; i++) /* often a serialised message: show the printable part */
    ten_buf_addc(out, value[i] >= ' ' && value[i] < 127 ? value[i] : '.');
}

ten_status *pjrt_take(const pjrt_plugin *plugin, PJRT_Error *error, const char *call) {
  if (!error) return NULL;
  PJRT_Error_Message_Args message = PJRT_ARGS(PJRT_Error_Message, .error = error);
  plugin->api->PJRT_Error_Message_(&message);
  PJRT_Error_GetCode_Args code = PJRT_ARGS(PJRT_Error_GetCode, .error = error);
  PJRT_Error *again = plugin->api->PJRT_Error_GetCode_(&code);
  if (again) {
    code.code = PJRT_Error_Code_UNKNOWN;
    plugin->api->PJRT_Error_Destroy_(&(PJRT_Error_Destroy_Args)PJRT_ARGS(PJRT_Error_Destroy, .error = again));
  }
  ten_buf payload = {0};
  if (PJRT_HAS(plugin, PJRT_Error_ForEachPayload)) {
    PJRT_Error_ForEachPayload_Args each =
        PJRT_ARGS(PJRT_Error_ForEachPayload, .error = error, .visitor = add_payload, .user_arg = &payload);
    again = plugin->api->PJRT_Error_ForEachPayload_(&each);
    if (again)
      plugin->api->PJRT_Error_Destroy_(&(PJRT_Error_Destroy_Args)PJRT_ARGS(PJRT_Error_Destroy, .error = again));
  }
  const size_t index = (size_t)code.code < CODE_COUNT ? (size_t)code.code : PJRT_Error_Code_UNKNOWN;
  ten_str text = {message.message, message.message ? message.message_size : 0};
  if (!text.size) text = TEN_STR("no reason said");
  ten_status *status = ten_error(codes[index].code, "%s: %s: %.*s (%s)%s", plugin->name, call, TEN_FMT(text),
                                 codes[index].name, payload.size ? payload.data : "");
  ten_buf_free(&payload);
  plugin->api->PJRT_Error_Destroy_(&(PJRT_Error_Destroy_Args)PJRT_ARGS(PJRT_Error_Destroy, .error = error));
  return status;
}

ten_status *pjrt_missing(const pjrt_plugin *plugin, const char *call) {
  return ten_error(TEN_UNSUPPORTED, "%s: has no %s (it speaks PJRT %d.%d)", plugin->name, call,
                   plugin->api->pjrt_api_version.major_version, plugin->api->pjrt_api_version.minor_version);
}

/* Shared by the waiting thread and the plugin's callback, freed by the last: an event that never completes must not
 * block, and one that completes late must find its memory. */
typedef struct waiting {
  ten_mutex mutex;
  pthread_cond_t ready;
  int references;
  bool done;
  PJRT_Error *error;
} waiting;

static void waiting_release(waiting *w) { /* locked */
  const bool last = !--w->references;
  ten_mutex_unlock(&w->mutex);
  if (!last) return;
  pthread_cond_destroy(&w->ready);
  ten_mutex_destroy(&w->mutex);
  free(w);
}

static void on_ready(PJRT_Error *error, void *user) {
  waiting *w = user;
  ten_mutex_lock(&w->mutex);
  w->done = true;
  w->error = error;
  pthread_cond_signal(&w->ready);
  waiting_release(w);
}

static ten_status *await_for(const pjrt_plugin *plugin, PJRT_Event *event, double seconds, const char *what) {
  waiting *w = ten_alloc(sizeof *w);
  *w = (waiting){.references = 2};
  ten_mutex_init(&w->mutex);
  pthread_condattr_t clock;
  pthread_condattr_init(&clock);
  pthread_condattr_setclock(&clock, CLOCK_MONOTONIC);
  pthread_cond_init(&w->ready, &clock);
  pthread_condattr_destroy(&clock);
  PJRT_Event_OnReady_Args args = PJRT_ARGS(PJRT_Event_OnReady, .event = event, .callback = on_ready, .user_arg = w);
  ten_status *status = PJRT_TRY_CALL(plugin, PJRT_Event_OnReady, &args);
  struct timespec until;
  clock_gettime(CLOCK_MONOTONIC, &until);
  until.tv_sec += (time_t)seconds;
  until.tv_nsec += (long)((seconds - (double)(time_t)seconds) * 1e9);
  if (until.tv_nsec >= 1000000000) {
    until.tv_sec++;
    until.tv_nsec -= 1000000000;
  }
  ten_mutex_lock(&w->mutex);
  if (status) w->references--; /* there will be no callback */
  int late = 0;
  while (!status && !w->done && !late) late = pthread_cond_timedwait(&w->ready, &w->mutex.mutex, &until);
  const bool done = w->done;
  PJRT_Error *error = w->error;
  waiting_release(w);
  if (status) return status;
  if (!done) return ten_error(TEN_LIMIT, "%s: %s has not ended after %g s (timeout)", plugin->name, what, seconds);
  return pjrt_take(plugin, error, what);
}

ten_status *pjrt_await(const pjrt_plugin *plugin, PJRT_Event *event, double seconds, const char *what) {
  if (!event) return NULL;
  ten_status *status;
  if (seconds > 0) {
    status = await_for(plugin, event, seconds, what);
    /* After a timeout the rest is leaked: the plugin may still write there. */
    if (status && ten_status_code(status) == TEN_LIMIT) return status;
  } else {
    PJRT_Event_Await_Args args = PJRT_ARGS(PJRT_Event_Await, .event = event);
    status = PJRT_TRY_AS(plugin, PJRT_Event_Await, &args, what);
  }
  PJRT_Event_Destroy_Args destroy = PJRT_ARGS(PJRT_Event_Destroy, .event = event);
  return ten_first_error(status, PJRT_TRY_CALL(plugin, PJRT_Event_Destroy, &destroy));
}
