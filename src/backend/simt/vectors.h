/* vectors.h: an epilogue's loads of other buffers at the indices of its sums, 16 bytes at a time. */
#ifndef TEN_SIMT_VECTORS_H
#define TEN_SIMT_VECTORS_H

#include "backend/simt/tile.h"

enum { SIMT_VECTORS_MOST = 6 };

typedef struct simt_vectors {
  const ten_value *values[SIMT_VECTORS_MOST];  /* that are bound */
  const ten_value *sources[SIMT_VECTORS_MOST]; /* buffers with their elements, of the same or another type */
  bool along[SIMT_VECTORS_MOST];               /* one element for each column, of a bias say */
  const ten_type *type;                        /* of the contraction's result, that indices are of */
  uint32_t count;
} simt_vectors;

/* Whether the types have the same sizes, whatever their elements are. */
bool simt_same_dims(const ten_type *a, const ten_type *b);
/* Or whether one is a reshape of the other that keeps the last dimension: elements follow each other alike. */
bool simt_same_lines(const ten_type *a, const ten_type *b);
/* What `outputs`, computed from the contraction's result, read of buffers at the same index, or at the column. */
void simt_vectors_find(simt_gen *gen, const simt_tile *t, int64_t width, const ten_value *const *outputs,
                       uint32_t count, simt_vectors *out);
/* Room for `turns` times `width` of each. */
void simt_vectors_declare(simt_gen *gen, const simt_vectors *vectors, int64_t turns, int64_t width);
/* Loads `width` of each in turn u, a register in the text, from this index of the result and this column on. */
void simt_vectors_load(simt_gen *gen, const simt_vectors *vectors, const simt_ix *index, simt_ix column, int64_t width);
/* Element j of turn u, a register in the text, of each is what the kernel finds for them from now on. */
void simt_vectors_bind(simt_gen *gen, const simt_vectors *vectors);

#endif
