/* backend.h: what runs programs. A backend is one row: it compiles a function of a module for the shapes in its types
 * and runs it on host tensors. To add one: define a `const ten_backend`, name it in backend.c. */
#ifndef TEN_RUNTIME_BACKEND_H
#define TEN_RUNTIME_BACKEND_H

#include "base/thread.h"
#include "runtime/tensor.h"

/* What the check.* ops of a program found. Zero-initialise with ten_checks_init; safe to add to from several threads.
 */
typedef struct ten_checks {
  ten_mutex mutex;
  size_t run;                     /* checks that were evaluated */
  TEN_VEC(ten_status *) failures; /* owned, TEN_MISMATCH each, with the place of the check */
  uint64_t digest;                /* of the bits of all that was looked at, in any order */
} ten_checks;

void ten_checks_init(ten_checks *checks);
void ten_checks_destroy(ten_checks *checks);
/* Counts one check of `seen`; takes `failure` (NULL: it held). */
void ten_checks_add(ten_checks *checks, const ten_tensor *seen, ten_status *failure);

typedef struct ten_run_options {
  ten_checks *checks;                          /* borrowed; NULL: a check that fails is an error of the run */
  void (*print)(void *user, const char *text); /* for interpreter.print; NULL: nowhere */
  void *print_user;
  const char *probe_dir; /* where interpreter.probe writes; NULL: probes are kept in memory */
  /* By input: the caller gives it away, and its memory can be written. A backend may then update it in place, and the
   * output it becomes is the same tensor. NULL: none is. */
  const bool *donated;
  /* Where compiled programs count, from any thread, the ops that they leave to the interpreter's arithmetic; NULL: they
   * do not. */
  size_t *interpreted;
} ten_run_options;

typedef struct ten_executable ten_executable;
typedef struct ten_backend ten_backend;

struct ten_backend {
  const char *name;    /* as --device takes it */
  const char *summary; /* one line */
  bool dynamic;        /* runs programs whose shapes are not known as they are; others get them specialised */
  /* What it would run on here, appended; an error when it cannot run here. */
  ten_status *(*describe)(const ten_backend *self, ten_buf *out);
  /* `module` and `func` are borrowed and must outlive the executable, unchanged. */
  ten_status *(*compile)(const ten_backend *self, ten_module *module, const ten_op *func,
                         ten_executable **out_executable);
  /* Inputs are borrowed; outputs (as many as the function returns) are the caller's. Several threads may execute at
   * once. */
  ten_status *(*execute)(ten_executable *executable, ten_tensor *const *inputs, size_t input_count,
                         const ten_run_options *options, ten_tensor **outputs);
  void (*destroy)(ten_executable *executable);
};

/* What every backend's executable starts with. */
struct ten_executable {
  const ten_backend *backend;
  const ten_op *func;
  uint32_t input_count, output_count;
};

/* Ended by NULL. */
extern const ten_backend *const ten_backends[];
const ten_backend *ten_backend_find(ten_str name); /* NULL when there is none */
/* A row of the table, or a plugin: pjrt:PATH.so[?NAME=VALUE,…], tpu?…, cuda-xla?…. The plugin is loaded when it is
 * first used. */
TEN_MUST_USE ten_status *ten_backend_open(const char *name, const ten_backend **out_backend);

TEN_MUST_USE ten_status *ten_compile(const ten_backend *backend, ten_module *module, const ten_op *func,
                                     ten_executable **out_executable);
/* Checks the inputs against the function's types first. `options` may be NULL. */
TEN_MUST_USE ten_status *ten_execute(ten_executable *executable, ten_tensor *const *inputs, size_t input_count,
                                     const ten_run_options *options, ten_tensor **outputs);
void ten_executable_destroy(ten_executable *executable); /* NULL is fine */

#endif
