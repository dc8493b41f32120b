/* rnn_backward.c: gradients of a recurrent layer: a loop back through time computes those of the gates; those of the
 * weights and of the input are then one matmul each over all steps. */
#include "front/aten/rnn.h"

typedef struct back {
  at *l;
  cell_kind kind;
  bool reverse;
  ten_value *w_hh, *w_hr;                 /* the projection may be NULL */
  ten_value *grad, *y, *y_before;         /* [time, batch, out]; `before`: of the step that the layer ran before */
  ten_value *gates, *cells, *cell_before; /* [time, batch, …] */
} back;

/* Gradients of a step. GRU: `kept`, by the projection of the state; the others: as `given`. */
typedef struct step_grads {
  ten_value *given, *kept; /* by the projections of input and state */
  ten_value *h, *c;        /* by the state before */
} step_grads;

static ten_value *less_square(at *l, ten_value *x) { return at_sub(l, at_num(l, x, 1), at_mul(l, x, x)); }
static ten_value *bell(at *l, ten_value *x) { return at_mul(l, x, at_sub(l, at_num(l, x, 1), x)); }

static step_grads lstm_back(const back *w, ten_value *time, ten_value *dh, ten_value *dc) {
  at *l = w->l;
  ten_value *gates = at_time_read(l, w->gates, time), *before = at_time_read(l, w->cell_before, time),
            *cell = at_tanh(l, at_time_read(l, w->cells, time));
  const int64_t width = at_dim(l, cell, 1);
  ten_value *i = at_gate(l, gates, 0, width), *f = at_gate(l, gates, 1, width), *g = at_gate(l, gates, 2, width),
            *o = at_gate(l, gates, 3, width);
  ten_value *out = w->w_hr ? at_matmul(l, dh, w->w_hr) : dh;
  dc = at_add(l, dc, at_mul(l, at_mul(l, out, o), less_square(l, cell)));
  ten_value *parts[4] = {at_mul(l, at_mul(l, dc, g), bell(l, i)), at_mul(l, at_mul(l, dc, before), bell(l, f)),
                         at_mul(l, at_mul(l, dc, i), less_square(l, g)), at_mul(l, at_mul(l, out, cell), bell(l, o))};
  ten_value *all = at_cat(l, 4, parts, 1);
  return (step_grads){all, all, at_matmul(l, all, w->w_hh), at_mul(l, dc, f)};
}

static step_grads gru_back(const back *w, ten_value *time, ten_value *dh) {
  at *l = w->l;
  ten_value *gates = at_time_read(l, w->gates, time), *state = at_time_read(l, w->cells, time),
            *before = at_time_read(l, w->y_before, time);
  const int64_t width = at_dim(l, dh, 1);
  ten_value *r = at_gate(l, gates, 0, width), *z = at_gate(l, gates, 1, width), *n = at_gate(l, gates, 2, width);
  ten_value *fresh = at_mul(l, at_mul(l, dh, at_sub(l, at_num(l, z, 1), z)), less_square(l, n));
  ten_value *parts[3] = {at_mul(l, at_mul(l, fresh, state), bell(l, r)),
                         at_mul(l, at_mul(l, dh, at_sub(l, before, n)), bell(l, z)), fresh};
  ten_value *given = at_cat(l, 3, parts, 1);
  parts[2] = at_mul(l, fresh, r);
  ten_value *kept = at_cat(l, 3, parts, 1);
  return (step_grads){given, kept, at_add(l, at_mul(l, dh, z), at_matmul(l, kept, w->w_hh)), NULL};
}

static step_grads plain_back(const back *w, ten_value *time, ten_value *dh) {
  at *l = w->l;
  ten_value *y = at_time_read(l, w->y, time), *all;
  if (w->kind == CELL_TANH)
    all = at_mul(l, dh, less_square(l, y));
  else
    all = at_sel(l, at_cmp(l, TEN_GT, y, at_num(l, y, 0)), dh, at_num(l, dh, 0));
  return (step_grads){all, all, at_matmul(l, all, w->w_hh), NULL};
}

/* [step, dh, given, c: dc; GRU: kept; projected: dh of all steps] */
static void back_cond(ten_builder *b, ten_value *const *args, void *context) {
  const back *w = context;
  ten_value *more = ten_build_compare(b, TEN_LT, args[0], ten_build_scalar_int(b, TEN_I64, at_dim(w->l, w->y, 0)));
  ten_build_return(b, 1, &more);
}

static void back_step(ten_builder *b, ten_value *const *args, void *context) {
  const back *w = context;
  at *l = w->l;
  const ten_builder was = l->b;
  l->b = *b;
  ten_value *time = args[0];
  if (!w->reverse) time = at_sub(l, ten_build_scalar_int(&l->b, TEN_I64, at_dim(l, w->y, 0) - 1), time);
  ten_value *dh = at_add(l, at_time_read(l, w->grad, time), args[1]);
  const step_grads made = w->kind == CELL_LSTM  ? lstm_back(w, time, dh, args[3])
                          : w->kind == CELL_GRU ? gru_back(w, time, dh)
                                                : plain_back(w, time, dh);
  ten_value *next[5] = {at_add(l, args[0], ten_build_scalar_int(&l->b, TEN_I64, 1)), made.h,
                        at_time_write(l, args[2], time, made.given)};
  uint32_t count = 3;
  if (w->kind == CELL_LSTM) next[count++] = made.c;
  if (w->kind == CELL_GRU) next[count] = at_time_write(l, args[count], time, made.kept), count++;
  if (w->w_hr) next[count] = at_time_write(l, args[count], time, dh), count++;
  ten_build_return(&l->b, count, next);
  l->b = was;
}

/* Of each step of [time, batch, features] that of the step before it, which is `first` for the one that ran first. */
static ten_value *before(at *l, ten_value *x, ten_value *first, bool reverse) {
  const int64_t time = at_dim(l, x, 0);
  ten_value *start = at_unsqueeze(l, first, 0), *parts[2] = {start, start};
  parts[reverse ? 0 : 1] = reverse ? at_slice(l, x, 0, 1, time, 1) : at_slice(l, x, 0, 0, time - 1, 1);
  return at_cat(l, 2, parts, 0);
}

static ten_value *rows(at *l, ten_value *x) {
  const int64_t dims[2] = {at_mul_size(l, at_dim(l, x, 0), at_dim(l, x, 1)), at_dim(l, x, 2)};
  return at_reshape(l, x, 2, dims);
}

/* The gradient of a weight: xᵀ y over all rows. */
static ten_value *by_weight(at *l, ten_value *grad, ten_value *x) {
  return at_matmul(l, at_swap(l, rows(l, grad), 0, 1), rows(l, x));
}

static void read_saved(at *l, back *w) {
  ten_value *h = at_t(l, "h"), *c = at_topt(l, "c"), *x = at_t(l, "x");
  w->y = at_t(l, "y");
  at_check(
      l, at_rank(x) == 3 && at_rank(w->y) == 3 && at_rank(h) == 2 && (!c || at_rank(c) == 2) && at_dim(l, w->y, 0) > 0,
      "a recurrent layer that cannot be read");
  w->y_before = before(l, w->y, h, w->reverse);
  w->grad = at_topt(l, "grad_y");
  if (!w->grad) w->grad = at_full(l, at_type(x), 3, at_dims(w->y), 0);
  if (w->kind > CELL_GRU) return;
  w->gates = at_t(l, "gates"), w->cells = at_t(l, "cells");
  at_check(l, at_rank(w->gates) == 3 && at_rank(w->cells) == 3, "a recurrent layer that cannot be read");
  if (c) w->cell_before = before(l, w->cells, c, w->reverse);
}

/* tenfold_aten::recurrent_layer_backward: by x, h, c, the two weights, the two biases, the projection. */
static void lower_layer_backward(at *l) {
  back w = {.l = l, .kind = at_cell_kind(l), .reverse = at_bool(l, "reverse", false)};
  ten_value *x = at_t(l, "x"), *none = at_full(l, at_type(x), 1, (int64_t[]){0}, 0), *w_ih = at_t(l, "w_ih");
  w.w_hh = at_t(l, "w_hh"), w.w_hr = at_topt(l, "w_hr");
  read_saved(l, &w);
  ten_value *dh = at_topt(l, "grad_h"), *dc = at_topt(l, "grad_c"), *h = at_t(l, "h"), *c = at_topt(l, "c");
  const int64_t dims[3] = {at_dim(l, x, 0), at_dim(l, x, 1), at_dim(l, w_ih, 0)};
  ten_value *inits[5] = {ten_build_scalar_int(&l->b, TEN_I64, 0), dh ? dh : at_full(l, at_type(h), 2, at_dims(h), 0),
                         at_full(l, at_type(x), 3, dims, 0)};
  uint32_t count = 3;
  if (c) inits[count++] = dc ? dc : at_full(l, at_type(c), 2, at_dims(c), 0);
  if (w.kind == CELL_GRU) inits[count++] = at_full(l, at_type(x), 3, dims, 0);
  if (w.w_hr) inits[count++] = at_full(l, at_type(x), 3, at_dims(w.y), 0);
  ten_op *loop = ten_build_while(&l->b, count, inits, back_cond, back_step, &w);
  ten_value *given = ten_op_result(loop, 2), *kept = w.kind == CELL_GRU ? ten_op_result(loop, 3) : given;
  const int64_t both[2] = {0, 1};
  at_ret(l, 0, at_reshape(l, at_matmul(l, rows(l, given), w_ih), 3, at_dims(x)));
  at_ret(l, 1, ten_op_result(loop, 1));
  at_ret(l, 2, c ? ten_op_result(loop, 3) : none);
  at_ret(l, 3, by_weight(l, given, x));
  at_ret(l, 4, by_weight(l, kept, w.y_before));
  at_ret(l, 5, at_sum(l, given, 2, both, false));
  at_ret(l, 6, at_sum(l, kept, 2, both, false));
  if (w.w_hr) {
    ten_value *out = at_mul(l, at_gate(l, w.gates, 3, at_dim(l, w.cells, 2)), at_tanh(l, w.cells));
    at_ret(l, 7, by_weight(l, ten_op_result(loop, 4), out));
  } else {
    at_ret(l, 7, none);
  }
}

const at_row at_rows_rnn_backward[] = {{"tenfold_aten.recurrent_layer_backward", lower_layer_backward}, {NULL}};
