/* attention.h: a call of @tenfold.attention as a step. */
#ifndef TEN_CPU_ATTENTION_H
#define TEN_CPU_ATTENTION_H

#include "backend/cpu/exec/flat.h"
#include "backend/cpu/kernels/kernels.h"

typedef struct cpu_attention {
  ten_attention shape; /* without addresses */
  bool has_scores;     /* scores are in memory: args scores, v, output, scratch; otherwise the epilogue's, q, k, v, … */
  int64_t q_offset, k_offset, v_offset; /* element offsets into the step's inputs */
  uint32_t epilogue_args;               /* how many args of the step are the epilogue's */
} cpu_attention;

#endif
