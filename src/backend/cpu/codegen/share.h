/* share.h: deduplication of generated functions. */
#ifndef TEN_CPU_SHARE_H
#define TEN_CPU_SHARE_H

#include "backend/cpu/plan/plan.h"

typedef struct cpu_shared {
  uint64_t hash;
  ten_buf key; /* owned */
  uint32_t symbol;
} cpu_shared;

typedef struct cpu_sharing {
  TEN_VEC(cpu_shared) known;
} cpu_sharing;

/* True: an equal function exists, named by *symbol. False: it will be registered under *symbol, if the step can be
 * shared. */
bool cpu_share_find(cpu_sharing *sharing, const cpu_plan *plan, const cpu_step *step, uint32_t *symbol);
void cpu_sharing_free(cpu_sharing *sharing);

#endif
