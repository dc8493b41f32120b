/* rnn.h: what the lowerings of recurrent layers (rnn.c) and of their gradients (rnn_backward.c) share. */
#ifndef TEN_ATEN_RNN_H
#define TEN_ATEN_RNN_H

#include "front/aten/lower.h"

/* Their numbers are those of the argument `kind` (python/tenfold/torch/recurrent.py). */
typedef enum cell_kind { CELL_LSTM, CELL_GRU, CELL_TANH, CELL_RELU } cell_kind;

cell_kind at_cell_kind(at *l); /* of the current op */
/* Part `index` of the last dimension, `width` wide. */
static inline ten_value *at_gate(at *l, ten_value *x, int64_t index, int64_t width) {
  return at_slice(l, x, (int64_t)at_rank(x) - 1, index * width, (index + 1) * width, 1);
}
/* Inside a loop: x[time] of [time, batch, features], and x with that replaced. */
ten_value *at_time_read(at *l, ten_value *x, ten_value *time);
ten_value *at_time_write(at *l, ten_value *x, ten_value *time, ten_value *value);

#endif
