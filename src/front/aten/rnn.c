/* rnn.c: recurrent layers. The input projections of all steps are one matmul; the rest is a loop over time. */
#include "front/aten/rnn.h"

typedef struct cell {
  cell_kind kind;
  ten_value *w_hh, *b_hh, *w_hr; /* the biases and the projection may be NULL */
} cell;

/* What the gradient of a step reads: its gates, and the LSTM's cell or what the GRU's reset gate scales. */
typedef struct step_saved {
  ten_value *gates, *cell;
} step_saved;

/* One step from the input projection `xp` and the state; LSTM: *c too. Returns the new h; fills *saved unless NULL. */
static ten_value *cell_step(at *l, const cell *cell_, ten_value *xp, ten_value *h, ten_value **c, step_saved *saved) {
  ten_value *hp = at_linear(l, h, cell_->w_hh, cell_->b_hh);
  const int64_t last = (int64_t)at_rank(xp) - 1;
  if (cell_->kind == CELL_TANH) return at_tanh(l, at_add(l, xp, hp));
  if (cell_->kind == CELL_RELU) return at_relu(l, at_add(l, xp, hp));
  if (cell_->kind == CELL_GRU) {
    const int64_t width = at_dim(l, xp, last) / 3;
    ten_value *r = at_sigmoid(l, at_add(l, at_gate(l, xp, 0, width), at_gate(l, hp, 0, width)));
    ten_value *z = at_sigmoid(l, at_add(l, at_gate(l, xp, 1, width), at_gate(l, hp, 1, width)));
    ten_value *n = at_tanh(l, at_add(l, at_gate(l, xp, 2, width), at_mul(l, r, at_gate(l, hp, 2, width))));
    if (saved) *saved = (step_saved){at_cat(l, 3, (ten_value *[]){r, z, n}, last), at_gate(l, hp, 2, width)};
    return at_add(l, at_mul(l, at_sub(l, h, n), z), n);
  }
  const int64_t width = at_dim(l, xp, last) / 4;
  ten_value *gates = at_add(l, xp, hp);
  ten_value *i = at_sigmoid(l, at_gate(l, gates, 0, width)), *f = at_sigmoid(l, at_gate(l, gates, 1, width));
  ten_value *g = at_tanh(l, at_gate(l, gates, 2, width)), *o = at_sigmoid(l, at_gate(l, gates, 3, width));
  *c = at_add(l, at_mul(l, f, *c), at_mul(l, i, g));
  if (saved) *saved = (step_saved){at_cat(l, 4, (ten_value *[]){i, f, g, o}, last), *c};
  ten_value *out = at_mul(l, o, at_tanh(l, *c));
  return cell_->w_hr ? at_linear(l, out, cell_->w_hr, NULL) : out;
}

typedef struct walk {
  at *l;
  cell cell;
  ten_value *xp; /* [time, batch, gates] */
  bool reverse, saves;
} walk;

/* [step, h, ys, c?, gates?, cells?] */
static void walk_cond(ten_builder *b, ten_value *const *args, void *context) {
  const walk *w = context;
  ten_value *more = ten_build_compare(b, TEN_LT, args[0], ten_build_scalar_int(b, TEN_I64, at_dim(w->l, w->xp, 0)));
  ten_build_return(b, 1, &more);
}

ten_value *at_time_read(at *l, ten_value *x, ten_value *time) {
  ten_value *zero = ten_build_scalar_int(&l->b, TEN_I64, 0), *starts[3] = {time, zero, zero};
  const int64_t sizes[3] = {1, at_dim(l, x, 1), at_dim(l, x, 2)};
  return at_squeeze(l, ten_build_dynamic_slice(&l->b, x, starts, sizes), 0);
}

ten_value *at_time_write(at *l, ten_value *x, ten_value *time, ten_value *value) {
  ten_value *zero = ten_build_scalar_int(&l->b, TEN_I64, 0), *starts[3] = {time, zero, zero};
  return ten_build_dynamic_update_slice(&l->b, x, at_unsqueeze(l, value, 0), starts);
}

static void walk_step(ten_builder *b, ten_value *const *args, void *context) {
  const walk *w = context;
  at *l = w->l;
  const ten_builder was = l->b;
  l->b = *b;
  ten_value *at_ = args[0], *c = w->cell.kind == CELL_LSTM ? args[3] : NULL;
  if (w->reverse) at_ = at_sub(l, ten_build_scalar_int(&l->b, TEN_I64, at_dim(l, w->xp, 0) - 1), at_);
  step_saved saved;
  ten_value *h = cell_step(l, &w->cell, at_time_read(l, w->xp, at_), args[1], &c, w->saves ? &saved : NULL);
  ten_value *next[6] = {at_add(l, args[0], ten_build_scalar_int(&l->b, TEN_I64, 1)), h,
                        at_time_write(l, args[2], at_, h), c};
  uint32_t count = c ? 4 : 3;
  if (w->saves) {
    next[count] = at_time_write(l, args[count], at_, saved.gates);
    next[count + 1] = at_time_write(l, args[count + 1], at_, saved.cell);
    count += 2;
  }
  ten_build_return(&l->b, count, next);
  l->b = was;
}

/* One direction of one layer: x [time, batch, in] → ys [time, batch, out]; updates h and c. saved: NULL, or what the
 * gradients of all steps read. */
static ten_value *layer_run(at *l, ten_value *x, const cell *cell_, ten_value *w_ih, ten_value *b_ih, bool reverse,
                            ten_value **h, ten_value **c, step_saved *saved) {
  const ten_value *matrices[] = {w_ih, cell_->w_hh, cell_->w_hr, *h, c ? *c : NULL}, *biases[] = {b_ih, cell_->b_hh};
  for (size_t i = 0; i < sizeof matrices / sizeof *matrices; i++)
    at_check(l, !matrices[i] || at_rank(matrices[i]) == 2, "a weight or state of %u dimensions; one layer's have 2",
             at_rank(matrices[i]));
  for (size_t i = 0; i < sizeof biases / sizeof *biases; i++)
    at_check(l, !biases[i] || at_rank(biases[i]) == 1, "a bias of %u dimensions; it has 1", at_rank(biases[i]));
  const bool saves = saved && cell_->kind <= CELL_GRU;
  walk w = {l, *cell_, at_linear(l, x, w_ih, b_ih), reverse, saves};
  const int64_t dims[3] = {at_dim(l, x, 0), at_dim(l, x, 1), at_dim(l, *h, 1)};
  ten_value *inits[6] = {ten_build_scalar_int(&l->b, TEN_I64, 0), *h, at_full(l, at_type(x), 3, dims, 0),
                         c ? *c : NULL};
  const uint32_t count = c ? 4 : 3;
  if (saves) {
    const int64_t wide = at_dim(l, w.xp, 2), width = wide / (cell_->kind == CELL_LSTM ? 4 : 3);
    inits[count] = at_full(l, at_type(x), 3, (int64_t[]){dims[0], dims[1], wide}, 0);
    inits[count + 1] = at_full(l, at_type(x), 3, (int64_t[]){dims[0], dims[1], width}, 0);
  }
  ten_op *loop = ten_build_while(&l->b, count + 2 * saves, inits, walk_cond, walk_step, &w);
  *h = ten_op_result(loop, 1);
  if (c) *c = ten_op_result(loop, 3);
  if (saves) *saved = (step_saved){ten_op_result(loop, count), ten_op_result(loop, count + 1)};
  return ten_op_result(loop, 2);
}

static ten_value *state_slice(at *l, ten_value *states, int64_t k) {
  return at_squeeze(l, at_slice(l, states, 0, k, k + 1, 1), 0);
}

/* lstm.input, gru.input, rnn_tanh.input, rnn_relu.input */
static void lower_rnn(at *l) {
  const cell_kind kind = (cell_kind)l->row->code;
  at_check(l, !at_has(l, "batch_sizes"), "packed sequences have no lowering");
  ten_value *x = at_t(l, "input"), **params, **hx;
  const size_t param_count = at_ts(l, "params", &params), state_count = at_ts(l, "hx", &hx);
  const int64_t layers = at_int(l, "num_layers", 1), directions = 1 + at_bool(l, "bidirectional", false);
  const bool biases = at_bool(l, "has_biases", true), batch_first = at_bool(l, "batch_first", false),
             lstm = kind == CELL_LSTM;
  const double dropout = at_bool(l, "train", false) ? at_float(l, "dropout", 0) : 0;
  at_check(l, layers > 0 && layers < 1 << 16 && at_rank(x) == 3 && state_count >= 1 + (size_t)lstm,
           "a recurrent layer that cannot be read");
  const size_t plain = biases ? 4 : 2, groups = (size_t)(layers * directions);
  const bool projected = lstm && param_count == groups * (plain + 1);
  const size_t stride = plain + projected;
  at_check(l, param_count == groups * stride, "%zu weights for %zu layers", param_count, groups);
  if (batch_first) x = at_swap(l, x, 0, 1);
  ten_value **last_h = at_new_array(l, ten_value *, groups), **last_c = at_new_array(l, ten_value *, groups);
  for (int64_t layer = 0; layer < layers; layer++) {
    ten_value *ys[2];
    for (int64_t d = 0; d < directions; d++) {
      const size_t k = (size_t)(layer * directions + d);
      ten_value **p = params + k * stride;
      const cell cell_ = {kind, p[1], biases ? p[3] : NULL, projected ? p[stride - 1] : NULL};
      ten_value *h = state_slice(l, hx[0], (int64_t)k), *c = lstm ? state_slice(l, hx[1], (int64_t)k) : NULL;
      ys[d] = layer_run(l, x, &cell_, p[0], biases ? p[2] : NULL, d == 1, &h, lstm ? &c : NULL, NULL);
      last_h[k] = at_unsqueeze(l, h, 0);
      if (lstm) last_c[k] = at_unsqueeze(l, c, 0);
    }
    x = directions == 2 ? at_cat(l, 2, ys, 2) : ys[0];
    if (dropout > 0 && layer + 1 < layers) x = at_dropout(l, x, dropout, NULL);
  }
  if (batch_first) x = at_swap(l, x, 0, 1);
  at_ret(l, 0, x);
  at_ret(l, 1, at_cat(l, groups, last_h, 0));
  if (lstm) at_ret(l, 2, at_cat(l, groups, last_c, 0));
}

static void lower_cell(at *l) {
  const cell_kind kind = (cell_kind)l->row->code;
  ten_value *x = at_t(l, "input"), **hx, *h, *c = NULL;
  if (kind == CELL_LSTM) {
    at_check(l, at_ts(l, "hx", &hx) == 2, "two states are needed");
    h = hx[0], c = hx[1];
  } else {
    h = at_t(l, "hx");
  }
  const cell cell_ = {kind, at_t(l, "w_hh"), at_topt(l, "b_hh"), NULL};
  h = cell_step(l, &cell_, at_linear(l, x, at_t(l, "w_ih"), at_topt(l, "b_ih")), h, &c, NULL);
  at_ret(l, 0, h);
  if (c) at_ret(l, 1, c);
}

cell_kind at_cell_kind(at *l) {
  const int64_t kind = at_int(l, "kind", 0);
  at_check(l, kind >= CELL_LSTM && kind <= CELL_RELU, "unknown kind %lld of a recurrent layer; use 0 to %d",
           (long long)kind, CELL_RELU);
  at_check(l, (kind == CELL_LSTM) == at_has(l, "c"), "an LSTM has a cell state, and others have none");
  return (cell_kind)kind;
}

/* tenfold_aten::recurrent_layer: one direction of one layer, with what its gradient reads (rnn_backward.c). */
static void lower_layer(at *l) {
  const cell_kind kind = at_cell_kind(l);
  ten_value *x = at_t(l, "x"), *h = at_t(l, "h"), *c = at_topt(l, "c");
  at_check(l, at_rank(x) == 3, "an input of %u dimensions; use [time, batch, features]", at_rank(x));
  const cell cell_ = {kind, at_t(l, "w_hh"), at_topt(l, "b_hh"), at_topt(l, "w_hr")};
  step_saved saved = {NULL, NULL};
  ten_value *none = at_full(l, at_type(x), 1, (int64_t[]){0}, 0);
  at_ret(l, 0,
         layer_run(l, x, &cell_, at_t(l, "w_ih"), at_topt(l, "b_ih"), at_bool(l, "reverse", false), &h, c ? &c : NULL,
                   &saved));
  at_ret(l, 1, h);
  at_ret(l, 2, c ? c : none);
  at_ret(l, 3, saved.gates ? saved.gates : none);
  at_ret(l, 4, saved.cell ? saved.cell : none);
}

const at_row at_rows_rnn[] = {
    {"lstm", lower_rnn, .code = CELL_LSTM},           {"gru", lower_rnn, .code = CELL_GRU},
    {"rnn_tanh", lower_rnn, .code = CELL_TANH},       {"rnn_relu", lower_rnn, .code = CELL_RELU},
    {"lstm_cell", lower_cell, .code = CELL_LSTM},     {"gru_cell", lower_cell, .code = CELL_GRU},
    {"rnn_tanh_cell", lower_cell, .code = CELL_TANH}, {"rnn_relu_cell", lower_cell, .code = CELL_RELU},
    {"tenfold_aten.recurrent_layer", lower_layer},    {NULL}};
