/* tiles.c: how long AMX takes for a product of two tiles, by how many of the eight tile registers a loop uses and how
 * many tiles it loads, all of them from L1. `make bench-tiles ARGS="0 6"` runs it on those CPUs at once; what they
 * share their cores with is what matters, so compare the lines of one run (docs/decisions/009). */
#include <stdio.h>

#if defined(__AMX_BF16__)
#include <immintrin.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

#include "backend/cpu/kernels/tables.h"
#include "clock.h"

enum { REPEATS = 1000, SAMPLES = 60, MOST_CPUS = 64, ROW = 64 };

#define P(sum, a, b) _tile_dpbf16ps(sum, a, b);
#define L(tile) _tile_loadd(tile, memory + (tile) * 1024, ROW);
#define LOOP(name, body)                 \
  static void name(const char *memory) { \
    (void)memory;                        \
    for (int i = 0; i < REPEATS; i++) {  \
      body                               \
    }                                    \
  }

LOOP(products, P(0, 4, 6) P(1, 4, 7) P(2, 5, 6) P(3, 5, 7))
LOOP(loads, L(4) L(5) L(6) L(7))
LOOP(eight, P(0, 4, 6) P(2, 5, 6) L(6) P(3, 5, 7) L(5) P(1, 4, 7) L(4) L(7))
LOOP(seven, P(0, 4, 5) P(1, 4, 6) L(4) P(2, 4, 5) L(5) P(3, 4, 6) L(4) L(6))
LOOP(six, P(0, 4, 5) L(5) P(1, 4, 5) L(4) P(3, 4, 5) L(5) P(2, 4, 5) L(4) L(5))
LOOP(five, P(0, 2, 4) P(1, 3, 4) L(2) L(3) L(4))
LOOP(five_parts, P(0, 2, 4) L(2) P(1, 3, 4) L(3) P(0, 2, 4) L(2) P(1, 3, 4) L(3) P(0, 2, 4) P(1, 3, 4) L(4) P(0, 2, 4)
                     P(1, 3, 4) L(4) P(0, 2, 4) L(2) P(1, 3, 4) L(3) P(0, 2, 4) L(2) P(1, 3, 4) L(3) L(4))
LOOP(four, P(0, 2, 3) L(2) P(1, 2, 3) L(2) L(3))

static const struct {
  const char *name;
  void (*run)(const char *memory);
  int count; /* of products, or of loads where there are none */
} loops[] = {{"products alone, a product", products, 4},
             {"loads alone, a load", loads, 4},
             {"8 registers, 4 loads for 4 products", eight, 4},
             {"7 registers, 4 for 4", seven, 4},
             {"6 registers, 5 for 4", six, 4},
             {"5 registers, 3 for 2", five, 2},
             {"5 registers, 11 for 12", five_parts, 12},
             {"4 registers, 3 for 2", four, 2}};
enum { LOOPS = sizeof loops / sizeof *loops };

static pthread_barrier_t together;
static int cpus[MOST_CPUS];
static double medians[MOST_CPUS][LOOPS];

static void *measure(void *context) {
  const size_t index = (size_t)(uintptr_t)context;
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET((size_t)cpus[index], &set);
  if (sched_setaffinity(0, sizeof set, &set)) fprintf(stderr, "tiles: CPU %d is not ours\n", cpus[index]);
  char *memory = aligned_alloc(4096, 8192);
  if (!memory) return NULL;
  memset(memory, 0, 8192);
  for (size_t i = 0; i < LOOPS; i++) {
    double samples[SAMPLES];
    pthread_barrier_wait(&together);
    ten_amx_begin();
    for (int s = 0; s < SAMPLES; s++) {
      const double start = now();
      loops[i].run(memory);
      samples[s] = (now() - start) / REPEATS / loops[i].count * 1e9;
    }
    ten_amx_end();
    qsort(samples, SAMPLES, sizeof *samples, ascending);
    medians[index][i] = samples[SAMPLES / 2];
  }
  free(memory);
  return NULL;
}

int main(int count, char **arguments) {
  if (!ten_bf16_amx_allowed()) {
    puts("tiles: this CPU has no AMX");
    return 0;
  }
  const int threads = count < 2 ? 1 : count - 1 < MOST_CPUS ? count - 1 : MOST_CPUS;
  pthread_t ids[MOST_CPUS];
  pthread_barrier_init(&together, NULL, (unsigned)threads);
  for (int i = 0; i < threads; i++) {
    cpus[i] = count < 2 ? 0 : atoi(arguments[1 + i]);
    if (pthread_create(&ids[i], NULL, measure, (void *)(uintptr_t)i)) return 1;
  }
  for (int i = 0; i < threads; i++) pthread_join(ids[i], NULL);
  printf("%-38s", "ns on CPU");
  for (int i = 0; i < threads; i++) printf("%8d", cpus[i]);
  for (size_t i = 0; i < LOOPS; i++) {
    printf("\n%-38s", loops[i].name);
    for (int j = 0; j < threads; j++) printf("%8.1f", medians[j][i]);
  }
  puts("");
  return 0;
}
#else
int main(void) {
  puts("tiles: needs x86_64 and a compiler that knows AMX");
  return 0;
}
#endif
