/* trace.h: what this process compiles and runs, written down as it happens: for `tenfold profile -- COMMAND`, which
 * sets TENFOLD_PROFILE to a folder. Each copy of the library (the Python extension, the PJRT plugin) has two files
 * there: NAME.jsonl, an object a line for each program and each phase of compiling, and NAME.events, a record for each
 * step and each run. Records lie in memory that is mapped from the file: none is lost, in whatever way the process
 * ends, and writing one takes some 50 ns. A child process goes on in its parent's files. */
#ifndef TEN_BACKEND_TRACE_H
#define TEN_BACKEND_TRACE_H

#include <stdbool.h>
#include <stdint.h>

#include "backend/settings.h"
#include "base/str.h"

struct ten_executable;

enum { TEN_TRACE_RUN = UINT32_MAX }; /* the step of an event that is a whole run */
#define TEN_TRACE_MAGIC "TENFOLD events 1"

/* What a file of events starts with. */
typedef struct ten_trace_header {
  char magic[16];
  uint64_t used;    /* bytes of events that were claimed; those with program 0 were not written */
  uint64_t dropped; /* events for which there was no room */
  uint64_t programs;
  uint64_t unused[3];
} ten_trace_header;

typedef struct ten_trace_event {
  double start, seconds; /* by ten_clock, which is one for all processes */
  uint32_t step, process, thread;
  uint32_t program; /* of the file, from 1 on */
} ten_trace_event;

/* What an executable that is traced has; freed with it. */
typedef struct ten_traced ten_traced;

/* NULL: nobody wants to know. Before something is compiled; the phases of compiling with these settings (NULL: it was
 * compiled before) are written down, and whoever was told of them still is. */
ten_traced *ten_trace_start(ten_settings *settings);
/* Writes the program down, which took from `start` until now to compile, and from now on its steps and runs.
 * `traced` becomes the executable's; NULL: nothing happens. */
void ten_trace_program(struct ten_executable *executable, ten_traced *traced, double start);
/* A run that ends now. */
void ten_trace_run(const ten_traced *traced, double start);
void ten_traced_free(ten_traced *traced);

#endif
