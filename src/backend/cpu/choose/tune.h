/* tune.h: choosing kernels by measuring them. For each matmul and convolution of a program, the ways of doing it are
 * run on numbers of its shape, on this machine, with the program's threads; lowering then takes the fastest.
 *
 * Blocks and threads do not change a result; another algorithm (Winograd, reading B where it lies) changes its last
 * bits: such choices are marked. What was chosen stays in the compiled file. */
#ifndef TEN_CPU_TUNE_H
#define TEN_CPU_TUNE_H

#include "backend/cpu/exec/conv.h"
#include "backend/cpu/exec/gemm.h"
#include "backend/cpu/plan/plan.h"
#include "backend/cpu/run/executable.h"

/* One way of doing it. */
typedef struct cpu_way {
  int algorithm; /* convolutions: ten_conv_algorithm; kernel gradients: 1 for Winograd; products: cpu_gemm.wish */
  int64_t block; /* 0: the kernel decides */
  bool alone;
} cpu_way;

typedef struct cpu_choice {
  char *key;        /* owned: the kernel and its shape, spelt out */
  char *label;      /* owned: the same for people */
  uint32_t uses;    /* steps of the program */
  cpu_way was, now; /* without measuring, and measured */
  double was_seconds, seconds;
  char *was_text, *now_text; /* owned */
  bool other_bits;
} cpu_choice;

typedef struct cpu_tuning {
  TEN_VEC(cpu_choice) choices;
  double seconds;        /* that measuring took */
  uint32_t loops, alone; /* fused loops that were tried on one thread; those that were faster so */
} cpu_tuning;

/* Measures what the plan's steps do. */
void cpu_tune(const cpu_plan *plan, cpu_tuning *out_tuning);
/* Of a loaded program: which of its fused loops are not worth sharing out between threads. */
TEN_MUST_USE ten_status *cpu_tune_loops(cpu_executable *executable, cpu_tuning *tuning);
void cpu_tuning_free(cpu_tuning *tuning);
/* Moves what people want to know of it to `out_report`. */
void cpu_tuning_report(cpu_tuning *tuning, ten_tuning *out_report);

/* For lowering: what was chosen for this shape, or as it is. */
void cpu_tuned_gemm(const cpu_tuning *tuning, cpu_gemm *g);
void cpu_tuned_conv(const cpu_tuning *tuning, cpu_conv *c);
void cpu_tuned_wgrad(const cpu_tuning *tuning, ten_wgrad2d *w);

#endif
