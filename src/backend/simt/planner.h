/* planner.h: state shared by the parts of the planner (plan.c, fuse.c). */
#ifndef TEN_SIMT_PLANNER_H
#define TEN_SIMT_PLANNER_H

#include "backend/simt/attention.h"
#include "backend/simt/plan.h"
#include "backend/simt/row.h"
#include "backend/simt/tile.h"

enum { SIMT_OUTPUTS_MOST = SIMT_ROWS_OUTPUTS };

/* A contraction, or an attention, and the pointwise ops after it that its kernel computes, too, or ops that are
 * computed row by row: ten_op.data of all of them. */
typedef struct simt_fusion {
  const ten_op *op, *last; /* the first op; the op at which the kernel runs */
  const ten_value *outputs[SIMT_OUTPUTS_MOST];
  uint32_t output_count;
  simt_rows rows;                  /* of no reductions: a contraction */
  const simt_attention *attention; /* whose last product `op` is; NULL: of none */
  simt_attention_grad *gradient;   /* of attention, two kernels; NULL: none */
} simt_fusion;

typedef struct simt_planner {
  simt_plan *plan;
  bool *stored;   /* by number */
  uint16_t *cost; /* by number: ops needed to recompute an element; capped */
  bool *constant; /* by number: depends only on constants */
  uint32_t *home; /* by number: the value whose buffer it lies in, see alias.c */
  bool *is_home;  /* by number: another value lies in its buffer, and its own op is nothing to do */
  bool *emitted;  /* by number: a kernel before its op computes it, too */
  const uint8_t **orders;
  simt_gen gen;
  TEN_VEC(struct {
    char *text; /* owned */
    uint32_t number;
  })
  kernels; /* identical kernels are shared */
} simt_planner;

/* plan.c: a kernel's index of threads or groups; and the kernel in p->gen as a step that writes `outputs`, its
 * parameters q0, q1…. */
simt_ix simt_begin_kernel(simt_planner *p);
void simt_finish_kernel(simt_planner *p, simt_body *body, simt_step step, const ten_value *const *outputs,
                        uint32_t output_count);
/* Sets last[v] = number for all values v that a step reads, also in its loops and branches. */
void simt_mark_reads(const simt_step *step, uint32_t *last, uint32_t number);
/* A buffer for what kernels of an op hand on to the next; `which` of the two that a scatter may have. */
ten_value *simt_partial_of(simt_planner *p, const ten_op *op, uint32_t which, ten_dtype dtype, int64_t size);
/* scatter.c */
void simt_emit_scatter(simt_planner *p, simt_body *body, const ten_op *op);
/* merge.c: small independent kernels of the function become one. */
void simt_merge_steps(simt_planner *p);

bool simt_is_control(const ten_op *op);
/* buffers.c: sets `stored`, in order: an op's operands are decided before it. */
void simt_choose_buffers(simt_planner *p, const ten_block *block);
void simt_give_buffer(simt_planner *p, const ten_value *value);

bool simt_is_kernel_op(const ten_op *op);
bool simt_is_dense_constant(const ten_op *op);

/* operands.c: operands of convolutions are copied into an order of our own first, see simt_choose_orders; before values
 * are numbered. */
void simt_copy_operands(simt_plan *plan, const simt_plan_options *options);
bool simt_is_copy(const ten_value *value);
/* How many of its elements one thread copies, and the kernel of such a thread: threads go along the dimensions as the
 * type has them, which is how the source lies most often, and each writes 16 bytes. */
int64_t simt_copy_width(const simt_gen *gen, const ten_value *value);
void simt_emit_copy(simt_gen *gen, ten_value *value, int64_t width, simt_ix thread, bool *stored);
bool simt_only_kernels_use(const ten_value *value); /* and a kernel computes it: its order in memory is ours */
/* fuse.c: contractions for tiles and what is fused with them; decides which of their values are stored. */
void simt_fuse(simt_planner *p, const ten_block *block);
/* Once stored values are known: memory orders that allow wide copies of the tiles' operands. */
void simt_choose_orders(simt_planner *p, const ten_block *block);
/* alias.c: then, results of the function that are buffers in another order. */
void simt_find_aliases(simt_planner *p, const ten_block *block);

#endif
