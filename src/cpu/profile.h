/* profile.h: where the time of a compiled program goes, step by step. */
#ifndef TEN_CPU_PROFILE_H
#define TEN_CPU_PROFILE_H

#include "cpu/plan.h"
#include "runtime/backend.h"

typedef struct ten_profile_row {
  char *label; /* owned: what the step is and the shapes it works on; of the steps that look alike, all */
  double seconds, flops;
  uint64_t calls;
} ten_profile_row;

/* Zero-initialise; free with ten_profile_free. One call at a time may write to it. */
typedef struct ten_profile {
  TEN_VEC(ten_profile_row) rows; /* of each step, by its number; then, once sorted, by time */
} ten_profile;

/* From now on calls of `executable` add their times to `profile` (NULL: no more); an error for other backends. */
TEN_MUST_USE ten_status *ten_cpu_profile(ten_executable *executable, ten_profile *profile);
/* Puts steps that look alike into one row, the longest first. */
void ten_profile_sort(ten_profile *profile);
void ten_profile_free(ten_profile *profile);

#endif
