/* host.h: ops that need the host process: checks, prints, feeds, collectives, user-provided kernels. A compiling
 * backend calls these functions for them. They are declared here and implemented by the reference interpreter
 * (backend/interp/host.c), because backends do not depend on each other. */
#ifndef TEN_BACKEND_HOST_H
#define TEN_BACKEND_HOST_H

#include "backend/backend.h"

typedef struct ten_host_group ten_host_group;   /* processes that run concurrently and communicate in collectives */
typedef struct ten_host_probes ten_host_probes; /* how often each probe was executed */

/* One running process: a replica and partition, or the only process. */
typedef struct ten_host_process {
  const ten_run_options *options; /* borrowed */
  ten_host_group *group;          /* borrowed; NULL: a single process */
  uint32_t replica, partition;
  ten_host_probes *probes; /* borrowed: shared by the whole run */
  uint64_t rng_calls;      /* of stablehlo.rng in this process */
} ten_host_process;

/* One op executed by a process. */
typedef struct ten_host_call {
  ten_host_process *process;
  const ten_op *op;
  ten_tensor **in;  /* borrowed */
  ten_tensor **out; /* filled in; owned by the caller */
  /* Collectives: how two values are combined; NULL: by the op's region. */
  ten_status *(*combine)(void *context, const ten_tensor *x, const ten_tensor *y, ten_tensor **out);
  void *context;
} ten_host_call;

TEN_MUST_USE ten_status *ten_host_run(const ten_host_call *call);
/* Whether the interpreter computes the op's result, rather than only inspecting or communicating values. */
bool ten_host_computes(const ten_op *op);
/* The function that a symbol names, looked up from `from` outwards; NULL if not found. */
const ten_op *ten_host_symbol(const ten_op *from, const ten_attr *symbol);

ten_host_group *ten_host_group_create(uint32_t replicas, uint32_t partitions);
void ten_host_group_destroy(ten_host_group *group);
/* Tells the other processes that this one has ended; an error makes them stop. */
void ten_host_group_leave(ten_host_group *group, const ten_status *status);
ten_host_probes *ten_host_probes_create(void);
void ten_host_probes_destroy(ten_host_probes *probes); /* NULL is fine */

#endif
