/* attention.h: softmax(f(q·k))·v as one kernel that never holds the scores: a group of threads has 128 rows of them and
 * goes over the keys in blocks of 32, by tensor cores (mma.sync) for q, k and v that are bf16 or f16. */
#ifndef TEN_SIMT_ATTENTION_H
#define TEN_SIMT_ATTENTION_H

#include "backend/simt/tile.h"

enum { SIMT_ATTENTION_OPS = 64, SIMT_ATTENTION_RESULTS = 4 };

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

/* What a group copies to shared memory: `lines` rows (left) or columns (right) of an operand from `first` on, each of
 * its whole depth, or with `across` the depth from `first` on, each of all lines; a line (a depth) is a row of `pitch`
 * bytes at `to`. */
typedef struct simt_attention_block {
  const simt_contraction *c;
  int side;
  bool across;
  int64_t rows, most, width, pitch; /* rows of the block, of the operand; elements of each */
  simt_ix batch, first;
  const char *to;
} simt_attention_block;
void simt_attention_copy(simt_gen *gen, simt_math math, const simt_attention_block *b);

/* The gradient of an attention whose weights are computed again: of queries by one kernel, which also finds each row's
 * maximum, sum and sum of slopes, then of keys and values by another. */
enum { SIMT_OF_QUERIES, SIMT_OF_KEYS, SIMT_OF_VALUES };
typedef struct simt_attention_grad {
  simt_attention forward;  /* scores, softmax; ops: all of the gradient, too */
  simt_contraction slopes; /* gradient of the result · values: what the gradient of the weights is made of */
  const ten_value *weights, *slope, *sum, *change; /* softmax; its gradient; Σ slope·weights of a row; the scores' */
  struct {
    simt_contraction c;
    int side; /* of the product on which weights or change stand */
    const ten_value *outputs[SIMT_ATTENTION_RESULTS];
    uint32_t output_count;
  } of[3];
  const ten_value *rows; /* [3, batch, rows]: maximum, 1 / sum and sum of slopes of a row */
} simt_attention_grad;

/* Whether the value is the softmax of such a gradient, the parts of which nobody else reads. */
bool simt_attention_grad_match(simt_gen *gen, const ten_value *weights, simt_attention_grad *out);
int64_t simt_attention_grad_groups(const simt_attention_grad *a, bool by_keys);
size_t simt_attention_grad_shared(const simt_gen *gen, const simt_attention_grad *a, bool by_keys);
void simt_attention_grad_emit(simt_gen *gen, const simt_attention_grad *a, bool by_keys, simt_ix i);

#endif
