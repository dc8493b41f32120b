/* ctc.c: connectionist temporal classification, as a loop over time.
 *
 * Labels with a blank before, between and after them are states; alpha[s] is the log-probability of state s after the
 * inputs so far. Each time step stays in the state, moves to the next, or skips a blank between different labels.
 * Finished samples keep their alpha. All lengths may be tensors. */
#include "front/aten/lower.h"

typedef struct ctc {
  at *l;
  ten_value *chances;         /* of each state: [time, batch, states] */
  ten_value *may_jump, *ends; /* [batch, states]: whether a blank may be skipped; [batch, 1]: length of each sample */
  bool keeps;                 /* whether alpha of every time is returned */
} ctc;

/* Log-sum-exp of three values; -inf if all are, with zero gradient. */
static ten_value *log_sum(at *l, ten_value *a, ten_value *b, ten_value *c) {
  ten_value *none = at_num(l, a, -INFINITY), *zero = at_num(l, a, 0), *top = at_max(l, at_max(l, a, b), c);
  top = at_stop(l, at_sel(l, at_cmp(l, TEN_EQ, top, none), zero, top));
  ten_value *sum =
      at_add(l, at_add(l, at_exp(l, at_sub(l, a, top)), at_exp(l, at_sub(l, b, top))), at_exp(l, at_sub(l, c, top)));
  ten_value *nothing = at_cmp(l, TEN_EQ, sum, zero);
  return at_sel(l, nothing, none, at_add(l, at_log(l, at_sel(l, nothing, at_num(l, a, 1), sum)), top));
}

/* The states shifted by `by`. */
static ten_value *before(at *l, ten_value *x, int64_t by, double first) {
  return at_dim(l, x, 1) > by ? at_pad(l, x, 1, by, -by, 0, first)
                              : at_full(l, at_type(x), 2, at_dims_first(l, x, 2), first);
}

/* [time, alpha, all alphas?] */
static void time_cond(ten_builder *b, ten_value *const *args, void *context) {
  const ctc *c = context;
  ten_value *more =
      ten_build_compare(b, TEN_LT, args[0], ten_build_scalar_int(b, TEN_I64, at_dim(c->l, c->chances, 0)));
  ten_build_return(b, 1, &more);
}

static void time_step(ten_builder *b, ten_value *const *args, void *context) {
  const ctc *c = context;
  at *l = c->l;
  const ten_builder was = l->b;
  l->b = *b;
  ten_value *zero = ten_build_scalar_int(&l->b, TEN_I64, 0), *starts[3] = {args[0], zero, zero}, *alpha = args[1];
  const int64_t sizes[3] = {1, at_dim(l, c->chances, 1), at_dim(l, c->chances, 2)};
  ten_value *chance = at_squeeze(l, ten_build_dynamic_slice(&l->b, c->chances, starts, sizes), 0);
  ten_value *jumped = at_sel(l, c->may_jump, before(l, alpha, 2, -INFINITY), at_num(l, alpha, -INFINITY));
  ten_value *next = at_add(l, log_sum(l, alpha, before(l, alpha, 1, -INFINITY), jumped), chance);
  next = at_sel(l, at_cmp(l, TEN_LT, args[0], c->ends), next, alpha);
  ten_value *out[3] = {at_add(l, args[0], ten_build_scalar_int(&l->b, TEN_I64, 1)), next, NULL};
  if (c->keeps) out[2] = ten_build_dynamic_update_slice(&l->b, args[2], at_unsqueeze(l, next, 0), starts);
  ten_build_return(&l->b, c->keeps ? 3 : 2, out);
  l->b = was;
}

/* A length for each sample, as [batch]; the largest if known, or -1. */
static ten_value *lengths(at *l, const char *name, int64_t *most) {
  *most = -1;
  if (ten_str_ends(l->op->name, ".Tensor")) return at_flatten(l, at_cast(l, at_t(l, name), TEN_I64));
  const ten_ints list = at_ints(l, name);
  *most = 0;
  for (size_t i = 0; i < list.count; i++)
    if (list.data[i] > *most) *most = list.data[i];
  return ten_build_i64s(&l->b, list.count, list.data);
}

/* Labels of each sample, [batch, most]: given in this form, or concatenated. */
static ten_value *labels_of(at *l, ten_value *targets, ten_value *counts, int64_t most) {
  targets = at_cast(l, targets, TEN_I64);
  if (at_rank(targets) == 2) {
    at_check(l, most <= at_dim(l, targets, 1), "targets of %lld labels are shorter than their lengths say",
             (long long)at_dim(l, targets, 1));
    return most < 0 ? targets : at_slice(l, targets, 1, 0, most, 1);
  }
  at_check(l, at_rank(targets) == 1, "targets of %u dimensions", at_rank(targets));
  if (most < 0) most = at_dim(l, targets, 0);
  const int64_t dims[] = {at_dim(l, counts, 0), most};
  if (!at_dim(l, targets, 0)) return at_full(l, TEN_I64, 2, dims, 0);
  ten_value *starts = at_sub(l, at_cumulate(l, TEN_OP_ADD, counts, 0), counts);
  ten_value *places = at_add(l, at_unsqueeze(l, starts, 1), at_iota(l, TEN_I64, 2, dims, 1));
  return at_take(l, targets, at_min(l, places, at_int_num(l, places, at_dim(l, targets, 0) - 1)), 0);
}

/* -log of the sum over final states: the last label and the blank behind it. */
static ten_value *loss_of(at *l, ten_value *alpha, ten_value *state, ten_value *ends, ten_value *counts) {
  const int64_t one = 1;
  ten_value *last = at_muln(l, at_unsqueeze(l, counts, 1), 2);
  ten_value *none = at_num(l, alpha, -INFINITY), *zero = at_num(l, alpha, 0);
  ten_value *final = at_or(l, at_cmp(l, TEN_EQ, state, last), at_cmp(l, TEN_EQ, state, at_addn(l, last, -1)));
  alpha = at_sel(l, final, alpha, none);
  ten_value *top = at_reduce(l, TEN_OP_MAXIMUM, alpha, 1, &one, true);
  top = at_stop(l, at_sel(l, at_cmp(l, TEN_EQ, top, none), zero, top));
  ten_value *sum = at_sum(l, at_exp(l, at_sub(l, alpha, top)), 1, &one, true), *no = at_cmp(l, TEN_EQ, sum, zero);
  ten_value *loss = at_neg(l, at_add(l, at_log(l, at_sel(l, no, at_num(l, alpha, 1), sum)), top));
  loss = at_squeeze(l, at_sel(l, no, at_num(l, alpha, INFINITY), loss), 1);
  ten_value *empty = at_cmp(l, TEN_EQ, ends, at_int_num(l, ends, 0)); /* of length 0: valid only without labels */
  loss = at_sel(l, empty,
                at_sel(l, at_cmp(l, TEN_EQ, counts, at_int_num(l, counts, 0)), zero, at_num(l, alpha, INFINITY)), loss);
  return loss;
}

static ten_value *reduced(at *l, ten_value *loss, ten_value *counts, bool alone) {
  if (at_bool(l, "zero_infinity", false))
    loss = at_sel(l, at_cmp(l, TEN_EQ, loss, at_num(l, loss, INFINITY)), at_num(l, loss, 0), loss);
  const int64_t how = at_int(l, "reduction", 1), first = 0;
  if (how == 1) {
    loss = at_div(l, loss, at_cast(l, at_max(l, counts, at_int_num(l, counts, 1)), at_type(loss)));
    loss = at_mean(l, loss, 1, &first, false);
  } else if (how == 2) {
    loss = at_sum(l, loss, 1, &first, false);
  } else if (alone) {
    loss = at_squeeze(l, loss, 0);
  }
  return loss;
}

/* code 1: ctc_loss, which is reduced; otherwise _ctc_loss, which also returns alpha. */
static void lower_ctc(at *l) {
  ten_value *x = at_t(l, "log_probs");
  const bool whole = l->row->code, alone = at_rank(x) == 2;
  if (alone) x = at_unsqueeze(l, x, 1);
  at_check(l, at_rank(x) == 3 && at_dim(l, x, 0) > 0 && at_is_float(x), "log_probs of another form");
  int64_t most = -1, unused = -1;
  ten_value *ends = lengths(l, "input_lengths", &unused), *counts = lengths(l, "target_lengths", &most);
  const ten_type *alphas = !whole && l->op->result_count > 1 ? at_declared(l, 1) : NULL; /* padded to the longest */
  if (most < 0 && alphas && ten_type_is_static(alphas) && alphas->rank == 3) most = alphas->dims[2] / 2;
  const int64_t batch = at_dim(l, x, 1), blank = at_int_any(l, "blank", 0);
  at_check(l, at_dim(l, ends, 0) == batch && at_dim(l, counts, 0) == batch, "lengths of %lld samples for %lld",
           (long long)at_dim(l, ends, 0), (long long)batch);
  ten_value *labels = labels_of(l, at_t(l, "targets"), counts, most);
  const int64_t states = 2 * at_dim(l, labels, 1) + 1, dims[] = {batch, states},
                all[] = {at_dim(l, x, 0), batch, states};
  labels =
      at_dim(l, labels, 1) ? at_pad(l, labels, 1, 1, 1, 1, (double)blank) : at_full(l, TEN_I64, 2, dims, (double)blank);
  ctc c = {.l = l, .chances = at_gather(l, x, at_expand(l, labels, 3, all), 2), .ends = at_unsqueeze(l, ends, 1)};
  c.may_jump = at_cmp(l, TEN_NE, labels, before(l, labels, 2, -1));
  c.keeps = !whole && l->op->result_count > 1 && ten_value_has_uses(&l->op->results[1]);
  ten_value *state = at_iota(l, TEN_I64, 2, dims, 1), *last = at_muln(l, at_unsqueeze(l, counts, 1), 2);
  ten_value *none = at_num(l, x, -INFINITY);
  /* the first step starts in a blank or, if any, the first label */
  ten_value *begins = at_and(l, at_cmp(l, TEN_LT, state, at_int_num(l, state, 2)), at_cmp(l, TEN_LE, state, last));
  ten_value *alpha = at_sel(l, begins, at_squeeze(l, at_slice(l, c.chances, 0, 0, 1, 1), 0), none);
  ten_value *inits[3] = {ten_build_scalar_int(&l->b, TEN_I64, 1), alpha, NULL};
  if (c.keeps)
    inits[2] = at_cat(l, 2,
                      (ten_value *[]){at_unsqueeze(l, alpha, 0),
                                      at_full(l, at_type(x), 3, (const int64_t[]){all[0] - 1, batch, states}, 0)},
                      0);
  ten_op *loop = ten_build_while(&l->b, c.keeps ? 3 : 2, inits, time_cond, time_step, &c);
  ten_value *loss = loss_of(l, ten_op_result(loop, 1), state, ends, counts);
  if (!whole) {
    at_ret(l, 0, loss);
    if (l->op->result_count > 1) {
      const int64_t swapped[] = {1, 0, 2};
      at_ret(l, 1,
             c.keeps ? at_permute(l, ten_op_result(loop, 2), swapped)
                     : at_full(l, at_type(x), 3, (const int64_t[]){batch, all[0], states}, 0));
    }
    return;
  }
  at_ret(l, 0, reduced(l, loss, counts, alone));
}

const at_row at_rows_ctc[] = {{"_ctc_loss", lower_ctc}, {"ctc_loss", lower_ctc, .code = 1}, {NULL}};
