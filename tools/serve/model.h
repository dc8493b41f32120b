/* model.h: a served model: a program, its executables for the shapes of requests, and its statistics.
 * Reference-counted; requests in progress retain it, so that it can be replaced meanwhile. Any thread. */
#ifndef TEN_SERVE_MODEL_H
#define TEN_SERVE_MODEL_H

#include "backend/backend.h"
#include "base/hash.h"
#include "front/import/load.h"
#include "serve/pool.h"
#include "serve/types.h"

typedef struct serve_port {
  char *name; /* owned */
  const serve_type *type;
  uint32_t rank;
  int64_t dims[TEN_RANK_MAX]; /* -1: open */
} serve_port;

/* Durations are in nanoseconds; under the model's mutex. */
typedef struct serve_duration {
  uint64_t count, ns;
} serve_duration;
enum { SERVE_BATCH_SIZES = 64, SERVE_LATENCY_BUCKETS = 22 };
typedef struct serve_statistics {
  serve_duration success, fail, queue, input, infer, output;
  uint64_t last_ms; /* of the last inference, since 1970 */
  uint64_t inferences, executions;
  serve_duration by_batch[SERVE_BATCH_SIZES]; /* time of executions, by rows - 1; the last: more */
  uint64_t latency[SERVE_LATENCY_BUCKETS];    /* requests that took up to 2^i * 10 microseconds */
} serve_statistics;

typedef struct serve_variant serve_variant;

typedef struct serve_model {
  int references;           /* atomic */
  char *name, *version;     /* owned */
  char *path;               /* owned */
  const char *platform;     /* static */
  ten_import program;       /* owned, unless `compiled` */
  ten_executable *compiled; /* owned: of a compiled file */
  const ten_op *func;       /* its signature */
  const ten_backend *device;
  struct ten_shared *shared;    /* owned: code of the variants; NULL: no size is open, or the device has none */
  ten_hash128 key;              /* ten_sizes_key */
  serve_port *inputs, *outputs; /* owned */
  uint32_t input_count, output_count;
  size_t variants_most;
  pthread_mutex_t mutex;     /* guards the statistics and the list of variants */
  pthread_mutex_t compiling; /* one at a time: lowering numbers the program's values */
  serve_variant *variants;   /* owned, most recently used first */
  size_t variant_count;
  serve_batcher batcher; /* rows_most 0: requests run alone */
  serve_statistics statistics;
} serve_model;

typedef struct serve_model_options {
  const char *device; /* NULL: cpu */
  int64_t max_batch, max_shapes;
  bool batch_rounding; /* batches may differ in the last bits */
  double batch_delay;
} serve_model_options;

/* Loads, compiles what can be compiled in advance, and runs it once on zeros. `out_note` (freed by the caller) is a
 * message, such as why requests are not batched; NULL: none. */
TEN_MUST_USE ten_status *serve_model_load(const char *path, const char *name, const char *version,
                                          const serve_model_options *options, serve_model **out_model, char **out_note);
serve_model *serve_model_retain(serve_model *model);
void serve_model_release(serve_model *model); /* NULL is fine */

/* The port of that name, or -1. */
int serve_port_find(const serve_port *ports, uint32_t count, ten_str name);

/* Runs the model: `inputs` in the order of its ports, checked by serve_model_check. The caller releases the outputs, as
 * many as the model has. */
TEN_MUST_USE ten_status *serve_model_run(serve_model *model, ten_tensor *const *inputs, ten_tensor **outputs);
/* Whether the port accepts a shape. */
TEN_MUST_USE ten_status *serve_port_check(const serve_model *model, const serve_port *port, const serve_type *type,
                                          uint32_t rank, const int64_t *dims);

void serve_model_count(serve_model *model, bool failed, double total, double queue, double input, double infer,
                       double output);
void serve_model_count_execution(serve_model *model, int64_t rows, double seconds);
serve_statistics serve_model_statistics(serve_model *model);

/* batch.c: tests whether rows computed together equal those computed one by one; `out_why` (freed by the caller) if
 * they do not. */
TEN_MUST_USE ten_status *serve_batch_try(serve_model *model, int64_t rows, bool rounding, bool *out_can,
                                         char **out_why);
/* Joins inputs of `count` requests along the first dimension, runs them as one of up to `most` rows, and splits the
 * outputs. */
TEN_MUST_USE ten_status *serve_batch_run(serve_model *model, ten_tensor *const *const *inputs, size_t count,
                                         int64_t most, ten_tensor **const *outputs);

#endif
