/* contract.h: dot_general and convolution as one form, a batched matmul:
 *   result[batch, row, column] = sum over depth of left[batch, row, depth] · right[batch, depth, column]
 * For a convolution rows = (image, positions), depth = (window, input features), and the batch is the groups. */
#ifndef TEN_SIMT_CONTRACT_H
#define TEN_SIMT_CONTRACT_H

#include "backend/simt/gen.h"

typedef struct simt_contraction {
  const ten_op *op;
  int64_t batch, rows, columns, depth;
  bool image_last; /* rows are (positions, image) */
} simt_contraction;

enum { SIMT_LEFT, SIMT_RIGHT };

/* A convolution whose window is an image and whose "images" are features: what the gradient of weights is. Features
 * follow each other in memory, so they are the last part of rows and columns. */
bool simt_is_weight_gradient(const ten_op *op);
/* False: not of this form, or of a type whose sums are not f32. */
bool simt_contraction_of(simt_gen *gen, const ten_op *op, simt_contraction *out);
/* The index of an operand's element; `line` is a row (left) or a column (right). The conditions for it to be in bounds
 * are appended to `inside` as " && …". */
void simt_contraction_at(simt_gen *gen, const simt_contraction *c, int side, simt_ix batch, simt_ix line, simt_ix depth,
                         simt_ix *out, ten_buf *inside);
void simt_contraction_result(simt_gen *gen, const simt_contraction *c, simt_ix batch, simt_ix row, simt_ix column,
                             simt_ix *out);

/* The dimensions of an operand that are the batch, its lines and the depth, each list the outermost first. */
typedef struct simt_operand_dims {
  const int64_t *batch, *lines, *depth;
  uint32_t batch_count, line_count, depth_count;
} simt_operand_dims;
/* False: its elements are not at the indices of these alone (a convolution's windows, groups). */
bool simt_contraction_dims(simt_gen *gen, const simt_contraction *c, int side, simt_operand_dims *out);

/* A convolution as boxes of its input: the pixels at `low` + `steps` · p of all images, for each tap moved by
 * `tap_steps`, and their features. Of a weight gradient, the features are lines and the pixels the depth: in it images,
 * then places. */
enum { SIMT_WINDOW_MOST = 3 };
typedef struct simt_window {
  uint32_t rank;
  int64_t low[SIMT_WINDOW_MOST], steps[SIMT_WINDOW_MOST], pixels[SIMT_WINDOW_MOST], taps[SIMT_WINDOW_MOST],
      tap_steps[SIMT_WINDOW_MOST], sizes[SIMT_WINDOW_MOST]; /* the outermost dimension first */
  int64_t images, features, tap_count;
  bool mirrored; /* the kernel's taps are in reverse order */
  /* The input's dimensions as an operand whose lines are images and places, whose depth is features; the kernel's as
   * one whose batch is taps (of a weight gradient: whose depth is images and places). */
  simt_operand_dims input, kernel;
} simt_window;
/* False: no convolution, or one of groups, of holes in the input, of windows in several directions. */
bool simt_contraction_window(simt_gen *gen, const simt_contraction *c, simt_window *out);

/* The type of an operand's elements before they were widened exactly to f32, or its own. */
ten_dtype simt_source_dtype(const ten_value *value);

/* The buffer in which `width` consecutive elements of an operand along depth (or, not `deep`, along its lines) are
 * contiguous and aligned; NULL when there is none. */
const ten_value *simt_contraction_lane(simt_gen *gen, const simt_contraction *c, int side, bool deep, int64_t width);
/* The same for the result along columns, or along rows. */
bool simt_result_lane(simt_gen *gen, const simt_contraction *c, const ten_value *stored, bool columns);
/* Whether `width` columns of the result are contiguous and aligned in that buffer. */
bool simt_contraction_stores(simt_gen *gen, const simt_contraction *c, const ten_value *stored, int64_t width);
/* The position in that buffer of the element of `value` at `index`. */
simt_ix simt_follow(simt_gen *gen, const ten_value *value, const simt_ix *index, const ten_value **out_stored);

#endif
