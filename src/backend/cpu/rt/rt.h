/* rt.h: the interface between the compiled program and its kernels.
 *
 * A launch is one function, the addresses of its buffers and a descriptor. The runtime splits [0, count) into ranges
 * and calls the function once for each, on any thread, in any order: ranges of a launch must not write what another
 * range accesses. `worker` is less than the number of threads, and concurrent calls have different ones.
 *
 * Generated code and the C kernels of this folder have the same signature. */
#ifndef TEN_CPU_RT_RT_H
#define TEN_CPU_RT_RT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "backend/cpu/kernels/kernels.h"
#include "tenfold/dtype.h"

typedef void (*ten_cpu_kernel)(void *const *args, const void *descriptor, int64_t begin, int64_t end, int64_t worker);

/* Generated from a sort's comparator: whether element `a` precedes element `b`; args as the sort's inputs. */
typedef uint8_t (*ten_cpu_before)(void *const *args, int64_t a, int64_t b);

/* sort.c: args = count inputs, extra buffers that the comparator reads, count outputs, scratch of ten_cpu_sort_scratch
 * bytes per worker. One row per unit. */
enum { TEN_SORT_UNSIGNED, TEN_SORT_SIGNED, TEN_SORT_FLOAT };
/* Sort order of the first operand: flags. NUMBERS: zeros are equal, and NaN comes last; otherwise floats are in IEEE
 * total order. */
enum {
  TEN_SORT_CALLS,
  TEN_SORT_UP = 4,
  TEN_SORT_DOWN = 1,
  TEN_SORT_NUMBERS = 2,
  TEN_SORT_ORDERS = 8,
  TEN_SORT_TOP = 64 /* up to this many are selected */
};
typedef struct ten_cpu_sort {
  ten_cpu_before before; /* filled in when the code is loaded */
  int order;             /* likewise, by ten_cpu_sort_learn */
  int kind;
  bool simple;       /* the comparator reads only the first operand, and only compares and selects */
  uint64_t infinity; /* of floats: its bits */
  int64_t top;       /* how many of the first are needed: up to `size` */
  uint32_t count, extra;
  int64_t rows, size, inner; /* element j of row r: (r / inner) * size * inner + j * inner + r % inner */
  const uint32_t *bytes;     /* of an element, for each operand */
} ten_cpu_sort;
size_t ten_cpu_sort_scratch(const ten_cpu_sort *sort);
void ten_cpu_sort_learn(ten_cpu_sort *sort);
void ten_cpu_sort_rows(void *const *args, const void *descriptor, int64_t begin, int64_t end, int64_t worker);

/* linalg.c: args = input, output. One matrix per unit. */
typedef struct ten_cpu_cholesky {
  ten_dtype dtype;
  int64_t n;
  bool lower;
} ten_cpu_cholesky;
void ten_cpu_cholesky_run(void *const *args, const void *descriptor, int64_t begin, int64_t end, int64_t worker);

/* linalg.c: args = a, b, output. One system per unit. */
typedef struct ten_cpu_trisolve {
  ten_dtype dtype;
  int64_t n, rows, cols; /* b is rows × cols */
  bool left, lower, unit, transpose, conjugate;
} ten_cpu_trisolve;
void ten_cpu_trisolve_run(void *const *args, const void *descriptor, int64_t begin, int64_t end, int64_t worker);

/* fft.c: args = input, table, output, scratch. One dimension; fft.group lines per unit. */
typedef struct ten_cpu_fft {
  ten_fft fft;
  size_t scratch; /* bytes per worker */
} ten_cpu_fft;
void ten_cpu_fft_shape(ten_cpu_fft *fft); /* from n, lines and wide, fills in the rest */
size_t ten_cpu_fft_table_size(const ten_cpu_fft *fft);
void ten_cpu_fft_table(const ten_cpu_fft *fft, void *out_table);
void ten_cpu_fft_run(void *const *args, const void *descriptor, int64_t begin, int64_t end, int64_t worker);

/* rng.c: args = state, new state, output. TEN_RNG_UNIT counters per unit, ten_cpu_rng_units in all. */
enum { TEN_RNG_UNIT = 4096 };
typedef struct ten_cpu_rng {
  int algorithm; /* RNG_ALGORITHM */
  ten_dtype dtype;
  int64_t count, state_count; /* elements; u64 words of state */
  int64_t split,
      inner; /* size of the dimension along which pairs of narrow elements share a counter, and elements inside it */
} ten_cpu_rng;
int64_t ten_cpu_rng_units(const ten_cpu_rng *rng);
void ten_cpu_rng_run(void *const *args, const void *descriptor, int64_t begin, int64_t end, int64_t worker);

/* Functions that generated code calls by name. */
typedef struct ten_cpu_symbol {
  const char *name;
  void *address;
} ten_cpu_symbol;
extern const ten_cpu_symbol ten_cpu_symbols[]; /* ends with a NULL name */

#endif
