/* recognise.h: what the files of the recogniser share. */
#ifndef TEN_EDGE_RECOGNISE_H
#define TEN_EDGE_RECOGNISE_H

#include "edge/graph.h"
#include "ir/dims.h"

typedef struct recogniser {
  edge_graph *g;
  ten_module *module;
  edge_shape_options options;
  ten_buf problems; /* a line for each op that TFLite cannot say */
  size_t problem_count;
} recogniser;

/* Constants as an operand of an elementwise op: dimensions along which they do not change have size 1. */
typedef struct edge_literal {
  uint32_t rank;
  int64_t dims[EDGE_RANK];
  const float *data;
  size_t count;
} edge_literal;

/* The value of what constants alone decide, f32 or an integer type; NULL: something else decides it. Borrowed. */
const ten_tensor *edge_known(recogniser *r, const ten_value *value);
bool edge_literal_of(recogniser *r, const ten_value *value, edge_literal *out);
bool edge_number_of(recogniser *r, const ten_value *value, double *out);

/* The tensor of a value, EDGE_NONE where an earlier problem left none. `spread`: one with fewer elements, which are
 * to be repeated, will do; otherwise that is a problem of `user`. */
uint32_t edge_tensor_of(recogniser *r, const ten_value *value, bool spread, const ten_op *user);
void edge_set(recogniser *r, ten_value *value, uint32_t tensor);
/* Notes why an op cannot be said; what depends on it is not looked at. */
ten_status *edge_refuse(recogniser *r, const ten_op *op, const char *format, ...) TEN_PRINTF(3, 4);

/* The only user of a value, in its block; or NULL. */
ten_op *edge_sole_user(const ten_value *value);
/* Follows `value` through an activation, whose ops then count as seen. */
ten_value *edge_take_activation(recogniser *r, ten_value *value, edge_activation *out);
/* The same through the addition of one number for each place of dimension `feature`: added to `bias`. */
ten_value *edge_take_bias(recogniser *r, ten_value *value, int64_t feature, float *bias);
void edge_seen(ten_op *op);

ten_str edge_name_of(const ten_op *op);
uint32_t edge_constant(edge_graph *g, ten_str name, uint32_t rank, const int64_t *dims, const float *data);

/* One handler for each op; each gives the results tensors, or notes a problem. */
ten_status *edge_take_conv(recogniser *r, ten_op *op);
ten_status *edge_take_dot(recogniser *r, ten_op *op);
ten_status *edge_take_reduce(recogniser *r, ten_op *op);
ten_status *edge_take_window(recogniser *r, ten_op *op);
ten_status *edge_take_binary(recogniser *r, ten_op *op);
ten_status *edge_take_unary(recogniser *r, ten_op *op);
ten_status *edge_take_clamp(recogniser *r, ten_op *op);
ten_status *edge_take_compare(recogniser *r, ten_op *op);
ten_status *edge_take_select(recogniser *r, ten_op *op);
ten_status *edge_take_shape(recogniser *r, ten_op *op);
ten_status *edge_take_nearest(recogniser *r, ten_op *op);
/* Linear interpolation, from its first product with a matrix of weights. False: the matrix does something else, or
 * the result is too large for LiteRT's integer steps (edge_linear_fits). */
bool edge_take_linear(recogniser *r, ten_op *dot);
/* Quantized and back, as PyTorch's exports write it: the value, and what it was quantized with. Ops that it is made of
 * count as seen. False: this is not the end of such. */
bool edge_find_fake(recogniser *r, ten_op *end, ten_value **out_x, double *out_scale, double *out_zero_point);
/* The scales of weights that the program has as i8, one for each place of dimension `feature`; NULL: it does not. */
const float *edge_given_scales(recogniser *r, const ten_value *weights, int64_t feature);
/* Softmax is found from its end: the ops of which it is made count as seen. False: this is no softmax. */
bool edge_find_softmax(recogniser *r, ten_op *divide, ten_value **out_x, int64_t *out_dim);
ten_status *edge_take_softmax(recogniser *r, ten_op *divide, ten_value *x, int64_t dim);

#endif
