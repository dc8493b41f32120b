/* record.c: what recording one operation on arrays costs in C: x + x of 1000 elements, the result released unread, and
 * a unary and a reduction. Prints the best of rounds in ns of CPU time.
 *
 *   make bench-record ARGS="[ROUNDS]" */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "tenfold/tensor.h"

enum { COUNT = 1000, CALLS = 20000, ROUNDS = 50 };

static ten_status *add(ten_array *x, ten_array **out) { return ten_array_binary("add", x, x, out); }
static ten_status *negate(ten_array *x, ten_array **out) { return ten_array_unary("neg", x, out); }
static ten_status *sum(ten_array *x, ten_array **out) {
  return ten_array_reduce("sum.dim_IntList", x, 0, NULL, 0, out);
}

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

static int failed(ten_status *status) {
  fprintf(stderr, "record: %s\n", ten_status_message(status));
  ten_status_free(status);
  return 1;
}

int main(int count, char **args) {
  static const struct {
    const char *name;
    ten_status *(*record)(ten_array *x, ten_array **out);
  } rows[] = {{"x + x", add}, {"-x", negate}, {"sum of x", sum}};
  const int rounds = count > 1 ? atoi(args[1]) : ROUNDS;
  static float ones[COUNT];
  for (int i = 0; i < COUNT; i++) ones[i] = 1;
  ten_device *device;
  ten_status *status = ten_device_open("cpu", &device);
  if (status) return failed(status);
  ten_array *x, *made;
  status = ten_array_create(device, TEN_F32, 1, (const int64_t[]){COUNT}, ones, sizeof ones, &x);
  if (status) return failed(status);
  for (size_t row = 0; row < sizeof rows / sizeof *rows; row++) {
    double best = 1e9;
    for (int round = 0; round < rounds; round++) {
      const double start = now();
      for (int i = 0; i < CALLS; i++) {
        status = rows[row].record(x, &made);
        if (status) return failed(status);
        ten_array_release(made);
      }
      const double each = (now() - start) / CALLS;
      if (each < best) best = each;
    }
    printf("%-10s %7.0f ns\n", rows[row].name, best);
  }
  ten_array_release(x);
  ten_device_release(device);
  return 0;
}
