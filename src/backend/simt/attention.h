/* attention.h: softmax(f(q·k))·v as one kernel that never holds the scores: a group of threads has 128 rows of them and
 * goes over the keys in blocks of 32, by tensor cores (mma.sync) for q, k and v that are bf16 or f16. */
#ifndef TEN_SIMT_ATTENTION_H
#define TEN_SIMT_ATTENTION_H

#include "backend/simt/tile.h"

enum { SIMT_ATTENTION_OPS = 32 };

typedef struct simt_attention {
  simt_contraction scores, result; /* q·k and weights·v */
  const ten_value *masked;         /* what the softmax is of, computed from q·k element by element */
  simt_math math;
  bool zero;                             /* rows of nothing but -inf give zeros, not NaN */
  bool narrow;                           /* the program itself rounds the weights to 16 bits */
  const ten_op *ops[SIMT_ATTENTION_OPS]; /* all of them, the last is weights·v */
  uint32_t op_count;
} simt_attention;

/* Whether the product is weights·v of an attention whose other parts nobody else reads. */
bool simt_attention_match(simt_gen *gen, const ten_op *product, simt_attention *out);
int64_t simt_attention_groups(const simt_attention *a);
size_t simt_attention_shared(const simt_attention *a);
/* The kernel of group `i`. */
void simt_attention_emit(simt_gen *gen, const simt_attention *a, simt_ix i, const ten_value *const *outputs,
                         uint32_t count);

#endif
