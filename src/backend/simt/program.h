/* program.h: a compiled program of the backend, and one run of it. */
#ifndef TEN_SIMT_PROGRAM_H
#define TEN_SIMT_PROGRAM_H

#include "backend/backend.h"
#include "backend/host.h"
#include "backend/simt/device.h"
#include "backend/simt/plan.h"

typedef struct simt_buffer {
  simt_memory memory;
  size_t bytes;  /* allocated */
  bool borrowed; /* the caller owns the memory; then… */
  uint32_t slot; /* …which of its addresses this is, + 1 */
  int references;
  struct simt_buffer *next; /* in the free list */
} simt_buffer;

/* A result that no kernel writes to the caller's memory: it is copied after the graph. */
typedef struct simt_copy {
  uint32_t output, from_slot; /* the caller's address, + 1; 0: … */
  simt_memory from;           /* …this one */
  size_t bytes;
} simt_copy;

/* A graph captured for one set of the caller's addresses. */
typedef struct simt_recording {
  simt_memory *addresses; /* owned: inputs, then outputs */
  void *graph;
  uint64_t used; /* the number of the call that did so last */
  TEN_VEC(simt_copy) copies;
} simt_recording;

enum { SIMT_RECORDINGS = 4, SIMT_POOLS = 64 };

typedef struct simt_program {
  ten_executable base; /* must be first */
  const simt_driver *driver;
  simt_plan plan;
  struct simt_code *codes; /* build.c: kernels that were compiled together */
  size_t code_count;
  void **kernels;
  simt_buffer **constants;       /* by value number */
  ten_mutex mutex;               /* guards `idle` */
  simt_buffer *idle[SIMT_POOLS]; /* by size, see pool_of */
  /* A program of only kernels is captured once, over its own buffers, and replayed from then on. */
  ten_mutex graph_mutex; /* guards those below; one call at a time uses them */
  bool can_record;
  void *graph;
  simt_buffer **frame;  /* by value number: inputs, results and intermediates */
  ten_profile *profile; /* borrowed, or NULL */
  /* Calls on the caller's memory and stream, see enqueue.c. */
  simt_recording recordings[SIMT_RECORDINGS];
  bool allocated;    /* a call was made: the buffers of intermediates exist */
  bool unchanging;   /* graphs cannot be changed for other addresses */
  uint32_t recorded; /* how many recordings were made */
  uint64_t calls;
  void *enqueued; /* event at the end of the last such call, or NULL */
  void *stream;   /* of that call */
} simt_program;

typedef struct simt_run {
  simt_program *program;
  ten_host_process process; /* its options and probes */
  simt_buffer **frame;      /* by value number; owned references */
  simt_buffer **given;      /* by value number: the caller's memory for the result; NULL: none */
  uint64_t launched;        /* kernels */
} simt_run;

/* Takes references to the constants; the caller frees the frame. */
simt_buffer **simt_frame_new(const simt_program *p);
void simt_frame_free(simt_program *p, simt_buffer **frame);
simt_buffer *simt_buffer_retain(simt_buffer *b);
void simt_buffer_release(simt_program *p, simt_buffer *b);
/* The frame takes over the reference. */
void simt_assign(simt_run *r, uint32_t number, simt_buffer *b);
TEN_MUST_USE ten_status *simt_run_body(simt_run *r, const simt_body *body);

TEN_MUST_USE ten_status *simt_copy_to_device(const simt_program *p, simt_memory memory, const void *data, size_t bytes);

/* memory.c: device memory of a size that simt_memory_size gave, and memory that is left behind for others. */
size_t simt_memory_size(size_t bytes);
TEN_MUST_USE ten_status *simt_memory_take(const ten_backend *backend, const simt_driver *driver, size_t bytes,
                                          simt_memory *out_memory);
void simt_memory_give(const ten_backend *backend, const simt_driver *driver, size_t bytes, simt_memory memory);

/* resident.c. Whether some input or result is large enough to stay on the device. */
bool simt_has_resident(const simt_program *p);
/* A result's buffer as elements that stay on the device, taken from the frame; NULL: it is to be read. */
ten_resident *simt_resident_result(simt_run *r, const ten_value *value);
/* A buffer of elements of an input that are on the device, or now stay there; NULL: it is to be uploaded. */
TEN_MUST_USE ten_status *simt_resident_input(simt_run *r, ten_tensor *tensor, simt_buffer **out);

/* build.c: compiles the plan's kernels with the driver. */
TEN_MUST_USE ten_status *simt_build(simt_program *p);
void simt_build_free(simt_program *p);

/* numbered.c: ten_backend.describe and .another. */
const simt_driver *simt_driver_of(const ten_backend *backend);
TEN_MUST_USE ten_status *simt_describe(const ten_backend *self, ten_buf *out);
TEN_MUST_USE ten_status *simt_another(const ten_backend *self, unsigned index, const ten_backend **out_backend);

/* in_place.c: ten_backend.in_place. */
bool simt_in_place(const ten_executable *executable, uint32_t input, uint32_t output);

/* enqueue.c: ten_backend.enqueue. */
TEN_MUST_USE ten_status *simt_enqueue(ten_executable *executable, const uint64_t *inputs, const uint64_t *outputs,
                                      void *stream, ten_enqueue_counts *counts);
/* Waits for enqueued work and frees its graphs. */
void simt_enqueue_end(simt_program *p);

#endif
