/* tuning.h: the kernels chosen by measurement, for people and scripts. */
#ifndef TEN_BACKEND_TUNING_H
#define TEN_BACKEND_TUNING_H

#include <stdint.h>

#include "base/arena.h"

typedef struct ten_tuning_row {
  char *kernel;                    /* owned: the kernel and its shape */
  char *choice, *default_choice;   /* owned */
  uint32_t uses;                   /* number of steps that use it */
  double seconds, default_seconds; /* of one use */
  bool reorders_sums;              /* the choice may differ from the default in the last bits of results */
} ten_tuning_row;

/* Zero-initialise; free with ten_tuning_free. */
typedef struct ten_tuning {
  TEN_VEC(ten_tuning_row) rows;
  double seconds;                      /* spent measuring */
  uint32_t loops, single_thread_loops; /* fused loops that were measured; those faster on one thread */
} ten_tuning;

void ten_tuning_free(ten_tuning *tuning);

#endif
