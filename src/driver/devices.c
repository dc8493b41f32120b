/* devices.c: the table of backends: the only place with their names. */
#include "driver/devices.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "backend/pjrt/device.h"
#include "backend/remote/remote.h"
#include "base/clock.h"
#include "driver/open_program.h"

/* The first one is the default. */
#define BACKENDS(X) \
  X(cpu)            \
  X(interp)         \
  X(cuda)           \
  X(opencl)         \
  X(hip)            \
  X(webgpu)         \
  X(tpu)            \
  X(cuda_xla)       \
  X(null)

#define DECLARE(name) extern const ten_backend ten_##name##_backend;
BACKENDS(DECLARE)
#define ROW(name) &ten_##name##_backend,
const ten_backend *const ten_backends[] = {BACKENDS(ROW) NULL};

const ten_backend *ten_backend_find(ten_str name) {
  for (const ten_backend *const *backend = ten_backends; *backend; backend++)
    if (ten_str_is(name, (*backend)->name)) return *backend;
  return NULL;
}

ten_status *ten_backend_unknown(const char *name) {
  ten_buf known = {0};
  for (const ten_backend *const *backend = ten_backends; *backend; backend++)
    ten_buf_printf(&known, "%s, ", (*backend)->name);
  ten_status *status = ten_error(TEN_NOT_FOUND, "no device '%s'; use %.*spjrt:PATH.so or grpc://HOST:PORT", name,
                                 (int)known.size, known.data);
  ten_buf_free(&known);
  return status;
}

bool ten_backend_is_cpu(const ten_backend *backend) { return ten_remote_runs_on_cpu(backend); }

/* "cuda:1"; NULL: the name has no number, or another meaning. */
static const ten_backend *numbered_kind(const char *name, unsigned *out_index) {
  const char *colon = strrchr(name, ':');
  const size_t digits = colon ? strspn(colon + 1, "0123456789") : 0;
  if (!digits || colon[1 + digits] || digits > 9) return NULL;
  *out_index = (unsigned)strtoul(colon + 1, NULL, 10);
  return ten_backend_find((ten_str){name, (size_t)(colon - name)});
}

static ten_status *open_numbered(const ten_backend *kind, unsigned index, const ten_backend **out_backend) {
  if (index && kind->another) return kind->another(kind, index, out_backend);
  if (index) { /* what is missing comes before what is not there */
    ten_buf text = {0};
    ten_status *status = kind->describe(kind, &text);
    ten_buf_free(&text);
    TEN_TRY(ten_annotate(status, "opening the device '%s:%u'", kind->name, index));
  }
  if (index) return ten_error(TEN_NOT_FOUND, "no device '%s:%u'; there is %s:0", kind->name, index, kind->name);
  *out_backend = kind;
  return NULL;
}

ten_status *ten_backend_open(const char *name, const ten_backend **out_backend) {
  *out_backend = ten_backend_find(ten_str_of(name));
  if (*out_backend) return NULL;
  unsigned index = 0;
  const ten_backend *kind = numbered_kind(name, &index);
  if (kind) return open_numbered(kind, index, out_backend);
  if (ten_str_starts(ten_str_of(name), "pjrt:") || strchr(name, '?')) return ten_pjrt_open(name, out_backend);
  if (ten_str_starts(ten_str_of(name), "grpc://") || ten_str_starts(ten_str_of(name), "grpcs://"))
    return ten_remote_open(name, out_backend);
  return ten_backend_unknown(name);
}

const ten_backend *ten_backend_of_file(const char *path) {
  for (const ten_backend *const *backend = ten_backends; *backend; backend++)
    if ((*backend)->owns_file && (*backend)->owns_file(*backend, path)) return *backend;
  return NULL;
}

/* A pipe is not read: what it gives could not be read again. */
static bool is_open_program(const char *path) {
  struct stat kind;
  char start[16];
  const int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  const bool good =
      file >= 0 && !fstat(file, &kind) && S_ISREG(kind.st_mode) && read(file, start, sizeof start) == sizeof start;
  if (file >= 0) close(file);
  return good && ten_open_program_is((ten_str){start, sizeof start});
}

/* A program with open dimensions, or what the backend reads. */
static ten_status *open_file(const ten_backend *backend, const char *path, const ten_backend *other,
                             ten_executable **out_executable) {
  if (!is_open_program(path)) return backend->open(backend, path, other, out_executable);
  if (other && other != ten_backend_default())
    return ten_error(TEN_UNSUPPORTED, "%s leaves dimensions open: it runs on the cpu, not on %s", path, other->name);
  ten_file file;
  TEN_TRY(ten_file_map(path, &file));
  ten_status *status = ten_open_program_read(&file, path, out_executable);
  if (status) ten_file_unmap(&file);
  return status;
}

ten_status *ten_compiled_file_open(const char *path, const char *device, ten_executable **out_executable) {
  *out_executable = NULL;
  const ten_backend *backend = ten_backend_of_file(path), *other = NULL;
  if (!backend) backend = ten_backend_default(); /* its reader reports what is wrong with the file */
  if (device) TEN_TRY(ten_backend_open(device, &other));
  const double start = ten_clock();
  TEN_TRY(open_file(backend, path, other, out_executable));
  (*out_executable)->face = NULL;
  if (other && ten_remote_is(other)) TEN_TRY(ten_remote_send(other, path, *out_executable, out_executable));
  ten_trace_program(*out_executable, ten_trace_start(NULL), start);
  return NULL;
}

const ten_backend *ten_backend_default(void) { return ten_backends[0]; }
