/* clock.h: a monotonic clock in seconds, for measuring. */
#ifndef TEN_BASE_CLOCK_H
#define TEN_BASE_CLOCK_H

#include <time.h>

static inline double ten_clock(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

#endif
