/* profile.h: where the time of a compiled program goes, step by step. */
#ifndef TEN_BACKEND_PROFILE_H
#define TEN_BACKEND_PROFILE_H

#include <stdint.h>

#include "base/arena.h"

typedef struct ten_profile_row {
  char *label; /* owned: what the step is and the shapes it works on; equal for steps that are alike */
  double seconds, flops;
  uint64_t calls;
} ten_profile_row;

/* Zero-initialise; free with ten_profile_free. One call at a time may write to it. */
typedef struct ten_profile {
  TEN_VEC(ten_profile_row) rows; /* of each step, by its number; once sorted, by time */
} ten_profile;

/* Merges rows with equal labels, the longest first. */
void ten_profile_sort(ten_profile *profile);
void ten_profile_free(ten_profile *profile);

#endif
