/* profile.h: where the time of a compiled program goes, step by step. */
#ifndef TEN_BACKEND_PROFILE_H
#define TEN_BACKEND_PROFILE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"

typedef struct ten_profile_row {
  char *label; /* owned: the kind of step and its shapes; equal for equivalent steps */
  double seconds, flops;
  uint64_t calls;
} ten_profile_row;

/* One time that a step ran, or that a worker of the program ran its share of it. */
typedef struct ten_profile_event {
  size_t row;
  double start, seconds; /* by ten_clock */
  unsigned thread;       /* 0: the step, on the thread that made the call; otherwise a worker's share */
} ten_profile_event;

/* Zero-initialise; free with ten_profile_free. One call at a time may write to it, unless `ended` is set. */
typedef struct ten_profile {
  TEN_VEC(ten_profile_row) rows;     /* per step, by its number; sorted by time after ten_profile_sort */
  bool timeline;                     /* set before a call: record `events` too */
  TEN_VEC(ten_profile_event) events; /* ordered by end time; empty once sorted, as row numbers change */
  /* Set before a call, or NULL: callbacks for each step, by its number, on the calling thread, instead of rows and
   * events. `began` is for a backend that knows the step before it starts. */
  void (*began)(void *user, size_t step);
  void (*ended)(void *user, size_t step, double start, double seconds);
  /* With `ended`, or NULL: of a worker's share of a step; `thread` is its number in the system. */
  void (*worked)(void *user, size_t step, uint32_t thread, double start, double seconds);
  void *user;
} ten_profile;

/* Merges rows with equal labels, the longest first. */
void ten_profile_sort(ten_profile *profile);
void ten_profile_free(ten_profile *profile);

#endif
