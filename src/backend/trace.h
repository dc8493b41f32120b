/* trace.h: what this process compiles and runs, written down as it happens: for `tenfold profile -- COMMAND`, which
 * sets TENFOLD_PROFILE to a folder. Each copy of the library (the Python extension, the PJRT plugin) has two files
 * there: NAME.jsonl, an object a line for each program and each phase of compiling, and NAME.events, a record for each
 * step, each worker's share of one, each run and each copy between the host and a device. Records lie in memory that is
 * mapped from the file: none is lost, in whatever way the process ends, and writing one takes some 50 ns. A child
 * process goes on in its parent's files. */
#ifndef TEN_BACKEND_TRACE_H
#define TEN_BACKEND_TRACE_H

#include <stdbool.h>
#include <stdint.h>

#include "backend/settings.h"
#include "base/str.h"

struct ten_executable;

#define TEN_TRACE_MAGIC "TENFOLD events 2"

typedef enum ten_trace_kind {
  TEN_TRACE_NONE, /* not written yet */
  TEN_TRACE_STEP,
  TEN_TRACE_WORK, /* a worker's share of a step */
  TEN_TRACE_RUN,
  TEN_TRACE_TO_DEVICE, /* a copy; of no program */
  TEN_TRACE_FROM_DEVICE
} ten_trace_kind;

/* Header of an events file. */
typedef struct ten_trace_header {
  char magic[16];
  uint64_t used;    /* bytes of events that were claimed; those of no kind were not written */
  uint64_t dropped; /* events for which there was no room */
  uint64_t programs;
  uint64_t unused[3];
} ten_trace_header;

typedef struct ten_trace_event {
  double start, seconds; /* by ten_clock, which is one for all processes */
  uint64_t bytes;        /* of a copy */
  uint32_t program;      /* of the file, from 1 on */
  uint32_t step, process, thread;
  uint32_t kind; /* ten_trace_kind */
  uint32_t unused;
} ten_trace_event;

/* Tracing state of an executable; freed with it. */
typedef struct ten_traced ten_traced;

/* NULL: tracing is off. Call it before compiling; the compile phases under these settings (NULL: compiled earlier) are
 * recorded, and an existing phase callback is still called. */
ten_traced *ten_trace_start(ten_settings *settings);
/* Records the program, compiled between `start` and now, and from now on its steps and runs. `traced` is then owned by
 * the executable; NULL: does nothing. */
void ten_trace_program(struct ten_executable *executable, ten_traced *traced, double start);
/* Records a run that ends now. */
void ten_trace_run(const ten_traced *traced, double start);
void ten_traced_free(ten_traced *traced);

/* A copy between the host and a device. */
typedef struct ten_transfer {
  bool to_device;
  size_t bytes;
  double start, seconds; /* by ten_clock */
} ten_transfer;
/* When a copy starts; 0: nobody wants to know. To be passed to the other when it ends. */
double ten_transfer_start(void);
void ten_transfer_end(bool to_device, size_t bytes, double start);
/* Who else is told of this process's copies from now on, on the thread that makes one. NULL: nobody. */
typedef void (*ten_transfer_sink)(void *user, const ten_transfer *transfer);
void ten_transfers_tell(ten_transfer_sink sink, void *user);

#endif
