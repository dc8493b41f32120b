/* backend.h: the interface of a backend. A backend is one const struct of functions: it compiles a function of a
 * module for the shapes in its types and runs it on host tensors. The driver, the API, training, the PJRT plugin and
 * the command see nothing else of it. To add one: define a `const ten_backend` and list it in the table of
 * driver/devices.c. */
#ifndef TEN_BACKEND_H
#define TEN_BACKEND_H

#include "backend/profile.h"
#include "backend/settings.h"
#include "backend/steps.h"
#include "backend/trace.h"
#include "backend/tuning.h"
#include "base/thread.h"
#include "tenfold/executable.h"
#include "value/tensor.h"

/* Results of a program's check.* ops. Initialise with ten_checks_init; several threads may add to it. */
typedef struct ten_checks {
  ten_mutex mutex;
  size_t run;                     /* checks that were evaluated */
  TEN_VEC(ten_status *) failures; /* owned; each a TEN_MISMATCH with the location of the check */
  uint64_t digest;                /* hash of the bits of all checked values, independent of order */
} ten_checks;

void ten_checks_init(ten_checks *checks);
void ten_checks_destroy(ten_checks *checks);
/* Counts one check of the value `seen`; takes ownership of `failure` (NULL: the check passed). */
void ten_checks_add(ten_checks *checks, const ten_tensor *seen, ten_status *failure);

typedef struct ten_run_options {
  ten_checks *checks;                          /* borrowed; NULL: a failing check is an error of the run */
  void (*print)(void *user, const char *text); /* for interpreter.print; NULL: output is dropped */
  void *print_user;
  const char *probe_dir; /* where interpreter.probe writes; NULL: probes stay in memory */
  /* Per input: the caller donates it, so its memory may be overwritten. A backend may then update it in place, and the
   * aliased output is the same tensor. NULL: no input is donated. */
  const bool *donated;
  /* Results may borrow memory of the executable's, that results of earlier calls lay in: such a tensor has `release`
   * set and cannot be given away itself. */
  bool reuse_results;
  ten_mempool *pool; /* borrowed: where results lie; NULL: memory of their own */
  /* Results may stay on the device, and copies of inputs there: tensors that ten_tensor_load reads. Inputs may be such
   * tensors of the same backend, whether it is set or not. */
  bool resident;
  /* Where compiled programs count, from any thread, the ops that they leave to the interpreter's arithmetic; NULL: they
   * do not. */
  size_t *interpreted;
} ten_run_options;

typedef struct ten_backend ten_backend;

/* Working memory shared by executables that rarely run at the same time; each would otherwise keep its own. This is the
 * common header of every backend's. Thread-safe. */
typedef struct ten_workspace {
  const ten_backend *backend;
  int references; /* atomic */
} ten_workspace;

/* Bytes that a call needs: its arguments, results that do not alias an argument, and working memory (including packed
 * constants). */
typedef struct ten_memory {
  size_t arguments, results, work;
} ten_memory;

/* A program as a shared object with a C function. */
typedef struct ten_export_options {
  const char *path;   /* of the shared object */
  const char *header; /* of the header, or NULL: none is written */
  const char *name;   /* of the function; NULL: made of `path`, "libmy-net.so" gives my_net */
  const char *origin; /* where the program came from, for the header; NULL: unknown */
} ten_export_options;

/* What the host did for calls on device memory (`enqueue`). */
typedef struct ten_enqueue_counts {
  uint64_t calls;
  uint64_t kernels;         /* launched one by one */
  uint64_t graphs;          /* made */
  uint64_t replays;         /* of graphs */
  uint64_t changes;         /* graphs that were changed for other addresses */
  uint64_t changed_kernels; /* of those, all told */
  uint64_t copies;          /* results that no kernel wrote to where they belong */
} ten_enqueue_counts;

typedef void (*ten_task)(void *context, int64_t i, unsigned thread);

struct ten_backend {
  const char *name;         /* as --device takes it */
  const char *summary;      /* one line */
  bool internal;            /* for tests and measurements: found by name, not listed */
  unsigned precisions;      /* 1u << ten_precision for each that it can compute f32 matmuls in, besides f32 */
  bool dynamic;             /* runs programs whose shapes are not known as they are; others get them specialised */
  unsigned index;           /* of several devices of a kind: "cuda:1" is 1 */
  const ten_backend *first; /* index > 0: the backend with index 0; else NULL */
  /* What it would run on here, appended; an error when it cannot run here. */
  ten_status *(*describe)(const ten_backend *self, ten_buf *out);
  /* The backend of another device of its kind, 1 and up, which stays; one that is not there is an error that names
   * those that are. NULL: there is one. */
  ten_status *(*another)(const ten_backend *self, unsigned index, const ten_backend **out_backend);
  /* `module` is verified, here and below, by the functions at the end of this file. It and `func` are borrowed and must
   * outlive the executable, unchanged. `settings`, here and below, are never NULL and borrowed for the call. */
  ten_status *(*compile)(const ten_backend *self, ten_module *module, const ten_op *func, const ten_settings *settings,
                         ten_executable **out_executable);
  /* Inputs are borrowed; outputs (as many as the function returns) are the caller's. Several threads may execute at
   * once. */
  ten_status *(*execute)(ten_executable *executable, ten_tensor *const *inputs, size_t input_count,
                         const ten_run_options *options, ten_tensor **outputs);
  void (*destroy)(ten_executable *executable);

  /* Everything below is optional: NULL where a backend does not offer it. */

  /* Known before the first call; false where the shapes are known only at a call. */
  bool (*cost)(const ten_executable *executable, ten_cost *out_cost);
  bool (*memory)(const ten_executable *executable, ten_memory *out_memory);
  /* The same without generating code. */
  ten_status *(*plan_memory)(const ten_backend *self, const ten_module *module, const ten_op *func,
                             const ten_settings *settings, ten_memory *out_memory);

  /* `create_workspace` returns NULL when out of memory. Executables retain the one in their settings. */
  ten_workspace *(*create_workspace)(void);
  void (*destroy_workspace)(ten_workspace *workspace);

  /* Calls on plain host addresses in the order of inputs and outputs, unchecked. `is_plain`: the program needs only
   * memory and can be called this way. `in_place`: the output may have the input's address. */
  bool (*is_plain)(const ten_executable *executable);
  ten_status *(*call)(ten_executable *executable, void *const *inputs, void *const *outputs);
  bool (*in_place)(const ten_executable *executable, uint32_t input, uint32_t output);
  /* A call on device memory: addresses in the order of inputs and outputs, dense, unchecked. The work is enqueued on
   * `stream`, the device's native queue, without waiting; the memory must stay valid until it completes. Adds what the
   * host did to `counts`. */
  ten_status *(*enqueue)(ten_executable *executable, const uint64_t *inputs, const uint64_t *outputs, void *stream,
                         ten_enqueue_counts *counts);
  /* Runs task(context, i, thread) for every i below count on the program's thread pool. */
  void (*share)(ten_executable *executable, ten_task task, void *context, int64_t count);

  /* Runs the program once for each of replicas × partitions, concurrently; they communicate in its collectives: process
   * replica * partitions + partition takes inputs[process] and fills outputs[process]. */
  ten_status *(*execute_together)(ten_executable *executable, uint32_t replicas, uint32_t partitions,
                                  ten_tensor *const *const *inputs, ten_tensor **const *outputs);
  /* State that stays on the device between calls. `hold` uploads the first `count` arguments, which must be returned as
   * the first results; from then on `advance` runs the program on them and the other inputs, and their results replace
   * them. A state output that `advance` leaves NULL stays on the device: `fetch` gets it. One thread at a time. */
  ten_status *(*hold)(ten_executable *executable, ten_tensor *const *state, size_t count);
  ten_status *(*advance)(ten_executable *executable, ten_tensor *const *inputs, size_t count, ten_tensor **outputs);
  ten_status *(*fetch)(ten_executable *executable, size_t index, ten_tensor **out_value);
  /* Runs it `count` times with the arguments resident on the device; out_seconds[i] is the time of run i, outputs are
   * those of the last. */
  ten_status *(*repeat)(ten_executable *executable, ten_tensor *const *inputs, size_t count, double *out_seconds,
                        ten_tensor **outputs);
  /* From now on calls add the time of each step to `profile` (NULL: stop profiling). */
  ten_status *(*profile)(ten_executable *executable, ten_profile *profile);
  /* Lists its steps. Texts are borrowed from the executable; the caller frees the lists. */
  ten_status *(*steps)(const ten_executable *executable, ten_steps *out_steps);

  /* Intermediate forms as text: `stages` are their names, NULL-terminated. */
  const char *const *stages;
  ten_status *(*show)(const ten_backend *self, const ten_module *module, const ten_op *func,
                      const ten_settings *settings, const char *stage, ten_buf *out);

  /* Compiled files. `tuning` (NULL: none) requests kernels chosen by measurement, and receives the choices.
   * `owns_file`: whether the file at `path` belongs to this backend. `open` maps one; `device` (NULL: the one named in
   * the file) is another device to run it on. `load` is the same from memory that is 64-aligned and outlives the
   * executable. */
  ten_status *(*save)(const ten_backend *self, ten_module *module, const ten_op *func, const ten_settings *settings,
                      ten_tuning *tuning, ten_buf *out);
  bool (*owns_file)(const ten_backend *self, const char *path);
  ten_status *(*open)(const ten_backend *self, const char *path, const ten_backend *device,
                      ten_executable **out_executable);
  ten_status *(*load)(const ten_backend *self, const void *data, size_t size, const char *name,
                      ten_executable **out_executable);
  /* Of sizes that were compiled without settings->shared: what code for them would read is learnt, as if they had been
   * the first that were compiled with it. NULL: nothing can be. */
  ten_status *(*learn)(const ten_backend *self, const ten_module *module, const ten_op *func,
                       const ten_settings *settings);
  /* Before the first compilation with settings->shared: takes over the code that earlier processes generated for sizes
   * of the program with this key (equal for what is likely to share code), and stores what is generated from now on.
   * `out_found`: there was some. A cache that is off, or cannot be used, is no error. NULL: nothing is stored. */
  ten_status *(*recall)(const ten_backend *self, const ten_settings *settings, ten_hash128 program, bool *out_found);
  /* The code that executables of one program share (shared.h) as bytes, and the same read into a new `shared`. `data`
   * is 64-aligned, and not needed afterwards. */
  ten_status *(*save_code)(const ten_backend *self, struct ten_shared *shared, ten_buf *out);
  ten_status *(*load_code)(const ten_backend *self, const void *data, size_t size, struct ten_shared *shared);
  ten_status *(*export_library)(const ten_backend *self, ten_module *module, const ten_op *func,
                                const ten_settings *settings, const ten_export_options *options, ten_tuning *tuning);
  /* Compile for a named variant of the architecture from now on ("generic", "avx2"). */
  ten_status *(*select_arch)(const ten_backend *self, const char *arch);
};

/* Common header of every backend's executable. */
struct ten_executable {
  const ten_backend *backend;
  const ten_op *func;
  uint32_t input_count, output_count;
  struct ten_executable_face *face; /* owned: what the public API adds (api/api.h), or NULL */
  ten_traced *traced;               /* owned, or NULL */
};

struct ten_executable_face {
  void (*destroy)(struct ten_executable_face *face); /* called when the executable is destroyed */
  ten_buffer *inputs, *outputs;                      /* descriptions, owned */
  char **names;                                      /* of the inputs, then of the outputs, owned, ended by NULL */
  ten_program *program;                              /* retained; NULL: from a compiled file */
  ten_module *module;                                /* owned: the program's without its checks, or NULL */
};

/* This, and every other function here that takes a module, verifies it first: backends trust their input. `settings`
 * may be NULL: the defaults. */
TEN_MUST_USE ten_status *ten_compile(const ten_backend *backend, ten_module *module, const ten_op *func,
                                     const ten_settings *settings, ten_executable **out_executable);
/* Checks the inputs against the function's types first. `options` may be NULL. */
TEN_MUST_USE ten_status *ten_execute(ten_executable *executable, ten_tensor *const *inputs, size_t input_count,
                                     const ten_run_options *options, ten_tensor **outputs);

/* The optional functions of a backend, with defaults where it has none: no cost, no memory, not plain, runs in
 * sequence; for the rest, an error that names the backend. */
ten_workspace *ten_workspace_create(const ten_backend *backend); /* NULL: it offers none, or out of memory */
ten_workspace *ten_workspace_retain(ten_workspace *workspace);   /* NULL is fine, here and below */
void ten_workspace_release(ten_workspace *workspace);
ten_cost ten_backend_cost(const ten_executable *executable); /* zeros: unknown */
bool ten_executable_memory(const ten_executable *executable, ten_memory *out_memory);
bool ten_executable_is_plain(const ten_executable *executable);
TEN_MUST_USE ten_status *ten_executable_call(ten_executable *executable, void *const *inputs, void *const *outputs);
bool ten_executable_in_place(const ten_executable *executable, uint32_t input, uint32_t output);
TEN_MUST_USE ten_status *ten_executable_enqueue(ten_executable *executable, const uint64_t *inputs,
                                                const uint64_t *outputs, void *stream, ten_enqueue_counts *counts);
void ten_executable_share(ten_executable *executable, ten_task task, void *context, int64_t count);
TEN_MUST_USE ten_status *ten_executable_profile(ten_executable *executable, ten_profile *profile);
TEN_MUST_USE ten_status *ten_executable_steps(const ten_executable *executable, ten_steps *out_steps);
TEN_MUST_USE ten_status *ten_execute_together(ten_executable *executable, uint32_t replicas, uint32_t partitions,
                                              ten_tensor *const *const *inputs, ten_tensor **const *outputs);
TEN_MUST_USE ten_status *ten_backend_plan_memory(const ten_backend *backend, const ten_module *module,
                                                 const ten_op *func, const ten_settings *settings,
                                                 ten_memory *out_memory);
TEN_MUST_USE ten_status *ten_backend_show(const ten_backend *backend, const ten_module *module, const ten_op *func,
                                          const ten_settings *settings, const char *stage, ten_buf *out);
TEN_MUST_USE ten_status *ten_backend_save(const ten_backend *backend, ten_module *module, const ten_op *func,
                                          const ten_settings *settings, ten_tuning *tuning, ten_buf *out);
TEN_MUST_USE ten_status *ten_backend_export(const ten_backend *backend, ten_module *module, const ten_op *func,
                                            const ten_settings *settings, const ten_export_options *options,
                                            ten_tuning *tuning);
TEN_MUST_USE ten_status *ten_backend_load(const ten_backend *backend, const void *data, size_t size, const char *name,
                                          ten_executable **out_executable);

#endif
