/* kernels.h: what each op computes, in StableHLO on integers. */
#ifndef TEN_EDGE_KERNELS_H
#define TEN_EDGE_KERNELS_H

#include "edge/graph.h"
#include "ir/builder.h"

/* The op's result from its operands (i8, i32 of biases, f32 where a tensor is real). */
ten_value *edge_build(ten_builder *b, const edge_graph *g, const edge_node *node, ten_value *const *operands);

/* An i32 tensor times a fixed-point factor, rounded as TFLite rounds; one factor, or one for each of the last
 * dimension.
 */
ten_value *edge_rescale(ten_builder *b, ten_value *x, size_t count, const double *factors);
/* The same, rounded once, halves up. */
ten_value *edge_rescale_once(ten_builder *b, ten_value *x, size_t count, const double *factors);
/* The stored integers less the zero point, as i32. */
ten_value *edge_centered(ten_builder *b, ten_value *x, const edge_tensor *t);
/* i32 plus the zero point, inside the activation's range, as i8. */
ten_value *edge_stored(ten_builder *b, ten_value *x, const edge_tensor *t, edge_activation activation);

#endif
