/* tune.h: chooses kernels by measurement. For each matmul and convolution of a program, the alternatives run on data of
 * its shape, on this machine, with the program's threads; lowering then uses the fastest.
 *
 * Blocks and threads do not change a result; another algorithm (Winograd, reading B in place) changes its last bits:
 * such choices are marked. Choices are stored in the compiled file. */
#ifndef TEN_CPU_TUNE_H
#define TEN_CPU_TUNE_H

#include "backend/cpu/exec/conv.h"
#include "backend/cpu/exec/gemm.h"
#include "backend/cpu/plan/plan.h"
#include "backend/cpu/run/executable.h"

/* One alternative. */
typedef struct cpu_way {
  int algorithm; /* convolutions: ten_conv_algorithm; kernel gradients: 1 for Winograd; matmuls: cpu_gemm.wish */
  int64_t block; /* 0: the kernel decides */
  bool alone;
} cpu_way;

typedef struct cpu_choice {
  char *key;        /* owned: the kernel and its shape */
  char *label;      /* owned: the same, readable */
  uint32_t uses;    /* steps of the program */
  cpu_way was, now; /* the default, and the measured choice */
  double was_seconds, seconds;
  char *was_text, *now_text; /* owned */
  bool other_bits;
} cpu_choice;

typedef struct cpu_tuning {
  TEN_VEC(cpu_choice) choices;
  double seconds;        /* spent measuring */
  uint32_t loops, alone; /* fused loops that were tried on one thread; those that were faster there */
} cpu_tuning;

/* Measures the plan's steps. */
void cpu_tune(const cpu_plan *plan, cpu_tuning *out_tuning);
/* For a loaded program: finds fused loops not worth parallelizing. */
TEN_MUST_USE ten_status *cpu_tune_loops(cpu_executable *executable, cpu_tuning *tuning);
void cpu_tuning_free(cpu_tuning *tuning);
/* Moves the user-visible part to `out_report`. */
void cpu_tuning_report(cpu_tuning *tuning, ten_tuning *out_report);

/* For lowering: applies the choice for this shape, if any. */
void cpu_tuned_gemm(const cpu_tuning *tuning, cpu_gemm *g);
void cpu_tuned_conv(const cpu_tuning *tuning, cpu_conv *c);
void cpu_tuned_wgrad(const cpu_tuning *tuning, ten_wgrad2d *w);

#endif
