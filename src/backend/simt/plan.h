/* plan.h: a function as steps: kernels, host ops, loops and branches, over numbered buffers (ten_value.number). */
#ifndef TEN_SIMT_PLAN_H
#define TEN_SIMT_PLAN_H

#include "backend/simt/tile.h"

typedef enum simt_step_kind {
  SIMT_KERNEL,  /* writes `writes`, reads `reads`, on `threads` threads */
  SIMT_SCATTER, /* the same, into copies of the operands made by an earlier step */
  SIMT_HOST,    /* op on host tensors, run by the reference interpreter */
  SIMT_WHILE,
  SIMT_BRANCH /* if and case */
} simt_step_kind;

typedef struct simt_body simt_body;

typedef struct simt_step {
  simt_step_kind kind;
  const ten_op *op;
  uint32_t kernel; /* its number in the source: k3 */
  int64_t count;   /* elements, or groups, to compute */
  int64_t threads; /* 0: nothing to do */
  bool grouped;    /* groups of `group` threads, with this much shared memory */
  int group;
  size_t shared;
  const simt_map *maps; /* in the plan's arena */
  uint32_t map_count;
  bool hoisted;                   /* reads only constants: runs once, before the first call */
  const uint32_t *reads, *writes; /* value numbers */
  uint32_t read_count, write_count;
  const uint32_t *dead; /* values whose last use is this step */
  uint32_t dead_count;
  const struct simt_step *parts; /* that were merged to this one; NULL: none */
  uint32_t part_count;
  simt_body *bodies; /* of loops and branches: op->region_count of them */
  int64_t trips;     /* of loops: how often they run; -1: their condition says */
} simt_step;

struct simt_body {
  const ten_block *block;
  TEN_VEC(simt_step) steps; /* in the plan's arena */
};

typedef struct simt_constant_data {
  uint32_t number; /* of the value */
  const ten_attr *dense;
  const uint8_t *order; /* of its dimensions in memory; NULL: as in the type */
} simt_constant_data;

typedef struct simt_plan {
  ten_module *module; /* owned: the function alone, lowered */
  ten_op *func;
  const ten_value **values; /* by number */
  uint32_t value_count;
  simt_body body;
  TEN_VEC(simt_constant_data) constants;
  ten_buf source; /* kernels, without the prelude */
  uint32_t kernel_count;
  TEN_VEC(size_t) starts; /* by kernel: where its text begins in `source` */
  size_t host_steps;      /* ops executed on the host */
} simt_plan;

typedef struct simt_plan_options {
  simt_language language;
  int arch;         /* of CUDA: 90 for sm_90 */
  bool tf32;        /* f32 products may be computed from f32 with short mantissas */
  bool verify_each; /* after each pass, too */
} simt_plan_options;

/* `out_plan` must be destroyed even after an error. */
TEN_MUST_USE ten_status *simt_plan_make(const ten_module *module, const ten_op *func, const simt_plan_options *options,
                                        simt_plan *out_plan);
void simt_plan_destroy(simt_plan *plan);

#endif
