/* attention.c: softmax(q kᵀ·scale + mask) v, in every form of PyTorch. Scores of half types are f32. */
#include "front/aten/lower.h"

typedef struct attention {
  ten_value *q, *k, *v, *mask;
  double scale, dropout;
  bool causal;
} attention;

/* Grouped-query attention: each key head serves several query heads. */
static ten_value *repeat_heads(at *l, ten_value *x, int64_t heads) {
  const uint32_t rank = at_rank(x);
  at_need_rank(l, x, 3);
  const int64_t own = at_dim(l, x, rank - 3);
  if (own == heads) return x;
  at_check(l, own > 0 && heads % own == 0 && rank < AT_MAX_RANK, "%lld heads of keys for %lld of queries",
           (long long)own, (long long)heads);
  int64_t dims[AT_DIMS], map[AT_DIMS], out[AT_DIMS];
  for (uint32_t i = 0; i < rank; i++) {
    map[i] = i < rank - 2 ? i : i + 1;
    dims[map[i]] = at_dim(l, x, i);
    out[i] = i == rank - 3 ? heads : at_dim(l, x, i);
  }
  dims[rank - 2] = heads / own;
  return at_reshape(l, ten_build_broadcast(&l->b, x, rank + 1, dims, map), rank, out);
}

/* Its gradient: the sum over the query heads that a key head serves. */
static ten_value *sum_heads(at *l, ten_value *grad, int64_t own) {
  const uint32_t rank = at_rank(grad);
  at_need_rank(l, grad, 3);
  at_check(l, own > 0, "%lld heads of keys", (long long)own);
  const int64_t heads = at_dim(l, grad, rank - 3), group = rank - 2;
  if (own == heads) return grad;
  int64_t dims[AT_DIMS];
  for (uint32_t i = 0; i < rank; i++) dims[i < rank - 2 ? i : i + 1] = at_dim(l, grad, i);
  dims[rank - 3] = own, dims[rank - 2] = heads / own;
  return at_sum(l, at_reshape(l, grad, rank + 1, dims), 1, &group, false);
}

/* *lse: the logarithm of each row's sum, if requested. */
static ten_value *attend(at *l, attention a, ten_value **lse) {
  const ten_dtype dtype = at_type(a.q), wide = at_acc_type(dtype);
  const uint32_t rank = at_rank(a.q);
  at_check(l, rank >= 2 && at_rank(a.k) >= 2 && at_rank(a.v) >= 2, "queries of %u dimensions", rank);
  at_check(l, at_is_float(a.q), "queries that are no floats");
  ten_value *kt = at_swap(l, a.k, at_rank(a.k) - 2, at_rank(a.k) - 1);
  ten_value *scores = at_muln(l, at_matmul(l, at_cast(l, a.q, wide), at_cast(l, kt, wide)), a.scale);
  const int64_t last = (int64_t)at_rank(scores) - 1, rows = at_dim(l, scores, last - 1), cols = at_dim(l, scores, last);
  if (a.causal) {
    const int64_t grid[2] = {rows, cols};
    ten_value *ok = at_cmp(l, TEN_GE, at_iota(l, TEN_I32, 2, grid, 0), at_iota(l, TEN_I32, 2, grid, 1));
    scores = at_sel(l, ok, scores, at_num(l, scores, -INFINITY));
  }
  bool boolean = false;
  if (a.mask) {
    boolean = at_type(a.mask) == TEN_I1;
    if (boolean)
      scores = at_sel(l, a.mask, scores, at_num(l, scores, -INFINITY));
    else
      scores = at_add(l, scores, at_cast(l, a.mask, wide));
  }
  ten_value *top = at_shift(l, scores, last);
  /* A fully masked row gives zeros, not NaN. */
  ten_value *empty = at_cmp(l, TEN_EQ, top, at_num(l, top, -INFINITY));
  ten_value *safe = a.mask ? at_sel(l, empty, at_num(l, top, 0), top) : top;
  ten_value *exps = at_exp(l, at_sub(l, scores, safe)), *sum = at_reduce(l, TEN_OP_ADD, exps, 1, &last, true);
  if (lse) *lse = at_squeeze(l, at_add(l, at_log(l, sum), safe), last);
  ten_value *weights = at_div(l, exps, a.mask ? at_sel(l, empty, at_num(l, sum, 1), sum) : sum);
  if (a.dropout > 0) weights = at_dropout(l, weights, a.dropout, NULL);
  return at_cast(l, at_matmul(l, weights, at_cast(l, a.v, wide)), dtype);
}

static attention attention_read(at *l) {
  attention a = {at_t(l, "query"),
                 at_t(l, "key"),
                 at_t(l, "value"),
                 at_topt(l, at_has(l, "attn_mask") ? "attn_mask" : "attn_bias"),
                 0,
                 at_float(l, "dropout_p", 0),
                 at_bool(l, "is_causal", false)};
  a.q = at_autocast(l, a.q), a.k = at_autocast(l, a.k), a.v = at_autocast(l, a.v);
  at_check(l, at_rank(a.q) >= 2, "queries of %u dimensions", at_rank(a.q));
  a.scale = at_float(l, "scale", 1 / sqrt((double)at_dim(l, a.q, (int64_t)at_rank(a.q) - 1)));
  if ((l->row->code || at_bool(l, "enable_gqa", false)) && at_rank(a.q) >= 3 && at_rank(a.k) == at_rank(a.q)) {
    const int64_t heads = at_dim(l, a.q, (int64_t)at_rank(a.q) - 3);
    a.k = repeat_heads(l, a.k, heads), a.v = repeat_heads(l, a.v, heads);
  }
  return a;
}

static void lower_attention(at *l) { at_ret(l, 0, attend(l, attention_read(l), NULL)); }

static void lower_attention_math(at *l) { at_ret(l, 0, attend(l, attention_read(l), NULL)); }

/* The forms (code 1) that also return the log-sum-exp of each row for backward. Keys may have fewer heads. */
static void lower_flash(at *l) {
  ten_value *lse;
  at_ret(l, 0, attend(l, attention_read(l), &lse));
  const ten_type *declared = at_declared(l, 1);
  at_ret(l, 1, declared ? at_cast(l, lse, declared->dtype) : lse);
}

/* grad → gradients of query, key and value, from the forward pass's outputs and log-sum-exp. */
static void lower_flash_backward(at *l) {
  const attention a = attention_read(l);
  ten_value *grad = at_t(l, at_has(l, "grad_out") ? "grad_out" : "grad_out_"), *out = at_t(l, "out"),
            *lse = at_t(l, "logsumexp");
  const ten_dtype dtype = at_type(a.q), wide = at_acc_type(dtype);
  ten_value *q = at_cast(l, a.q, wide), *k = at_cast(l, a.k, wide), *v = at_cast(l, a.v, wide);
  grad = at_cast(l, grad, wide), out = at_cast(l, out, wide);
  const uint32_t rank = at_rank(q);
  ten_value *scores = at_muln(l, at_matmul(l, q, at_swap(l, k, rank - 2, rank - 1)), a.scale);
  const int64_t last = rank - 1;
  if (a.causal) {
    const int64_t grid[2] = {at_dim(l, scores, last - 1), at_dim(l, scores, last)};
    scores = at_sel(l, at_cmp(l, TEN_GE, at_iota(l, TEN_I32, 2, grid, 0), at_iota(l, TEN_I32, 2, grid, 1)), scores,
                    at_num(l, scores, -INFINITY));
  }
  if (a.mask)
    scores = at_type(a.mask) == TEN_I1 ? at_sel(l, a.mask, scores, at_num(l, scores, -INFINITY))
                                       : at_add(l, scores, at_cast(l, a.mask, wide));
  lse = at_cast(l, lse, wide);
  if (a.mask) { /* a fully masked row has zero weights */
    ten_value *empty = at_cmp(l, TEN_EQ, lse, at_num(l, lse, -INFINITY));
    lse = at_sel(l, empty, at_num(l, lse, 0), lse);
  }
  ten_value *weights = at_exp(l, at_sub(l, scores, at_unsqueeze(l, lse, last)));
  ten_value *grad_v = at_matmul(l, at_swap(l, weights, rank - 2, rank - 1), grad);
  ten_value *grad_w = at_matmul(l, grad, at_swap(l, v, rank - 2, rank - 1));
  ten_value *delta = at_sum(l, at_mul(l, grad, out), 1, &last, true);
  ten_value *grad_s = at_muln(l, at_mul(l, weights, at_sub(l, grad_w, delta)), a.scale);
  at_ret(l, 0, at_cast(l, at_matmul(l, grad_s, k), dtype));
  ten_value *grad_k = at_matmul(l, at_swap(l, grad_s, rank - 2, rank - 1), q);
  const int64_t key_heads = at_dim(l, at_t(l, "key"), last - 2), value_heads = at_dim(l, at_t(l, "value"), last - 2);
  at_ret(l, 1, at_cast(l, sum_heads(l, grad_k, key_heads), dtype));
  at_ret(l, 2, at_cast(l, sum_heads(l, grad_v, value_heads), dtype));
}

/* ---- the fused encoder layer of PyTorch's inference path ---- */
/* x [batch, length, width] through one matmul for queries, keys and values, split into heads. */
static ten_value *self_attention(at *l, ten_value *x, ten_value *mask, int64_t mask_type) {
  const int64_t heads = at_int(l, at_has(l, "num_heads") ? "num_heads" : "num_head", 1), n = at_dim(l, x, 0),
                length = at_dim(l, x, 1), width = at_dim(l, x, 2);
  at_check(l, heads > 0 && width % heads == 0, "%lld heads of %lld", (long long)heads, (long long)width);
  ten_value *qkv = at_linear(l, x, at_t(l, "qkv_weight"), at_t(l, "qkv_bias")), *parts[3];
  const int64_t split[4] = {n, length, heads, width / heads};
  for (int64_t i = 0; i < 3; i++)
    parts[i] = at_swap(l, at_reshape(l, at_slice(l, qkv, 2, i * width, (i + 1) * width, 1), 4, split), 1, 2);
  attention a = {.q = parts[0], .k = parts[1], .v = parts[2], .scale = 1 / sqrt((double)(width / heads))};
  if (mask) { /* true is masked; 0: one for all, 1: by keys, 2: whole */
    ten_value *keep = at_type(mask) == TEN_I1 ? at_not(l, mask) : NULL;
    const int64_t rows[4] = {1, 1, length, length}, keys[4] = {n, 1, 1, length};
    ten_value *wide = keep ? keep : mask;
    if (mask_type == 0 && at_rank(wide) == 2) wide = at_reshape(l, wide, 4, rows);
    if (mask_type == 1) wide = at_reshape(l, wide, 4, keys);
    a.mask = wide;
  }
  const int64_t joined[3] = {n, length, width};
  ten_value *y = at_reshape(l, at_swap(l, attend(l, a, NULL), 1, 2), 3, joined);
  return at_linear(l, y, at_t(l, "proj_weight"), at_t(l, "proj_bias"));
}

static ten_value *row_norm(at *l, ten_value *x, const char *weight, const char *bias, double eps) {
  const int64_t last = (int64_t)at_rank(x) - 1;
  ten_value *gap = at_sub(l, x, at_mean(l, x, 1, &last, true));
  ten_value *rstd = at_rsqrt(l, at_addn(l, at_mean(l, at_mul(l, gap, gap), 1, &last, true), eps));
  return at_add(l, at_mul(l, at_mul(l, gap, rstd), at_t(l, weight)), at_t(l, bias));
}

static ten_value *feed_forward(at *l, ten_value *x) {
  ten_value *h = at_linear(l, x, at_t(l, "ffn_weight_1"), at_t(l, "ffn_bias_1"));
  h = at_bool(l, "use_gelu", false) ? at_gelu(l, h, false) : at_relu(l, h);
  return at_linear(l, h, at_t(l, "ffn_weight_2"), at_t(l, "ffn_bias_2"));
}

static void lower_encoder_layer(at *l) {
  ten_value *x = at_t(l, "src"), *mask = at_topt(l, "mask");
  const double eps = at_float(l, "eps", 1e-5);
  const int64_t mask_type = at_int(l, "mask_type", 0);
  at_check(l, at_rank(x) == 3, "an input of %u dimensions", at_rank(x));
  if (at_bool(l, "norm_first", false)) {
    x = at_add(l, x, self_attention(l, row_norm(l, x, "norm_weight_1", "norm_bias_1", eps), mask, mask_type));
    x = at_add(l, x, feed_forward(l, row_norm(l, x, "norm_weight_2", "norm_bias_2", eps)));
  } else {
    x = row_norm(l, at_add(l, x, self_attention(l, x, mask, mask_type)), "norm_weight_1", "norm_bias_1", eps);
    x = row_norm(l, at_add(l, x, feed_forward(l, x)), "norm_weight_2", "norm_bias_2", eps);
  }
  at_ret(l, 0, x);
}

/* Self-attention only: the case in which PyTorch uses this path. */
static void lower_native_mha(at *l) {
  ten_value *q = at_t(l, "query");
  at_check(l, q == at_t(l, "key") && q == at_t(l, "value"), "attention between different tensors");
  at_ret(l, 0, self_attention(l, q, at_topt(l, "mask"), at_int(l, "mask_type", 0)));
}

const at_row at_rows_attention[] = {
    {"_transformer_encoder_layer_fwd", lower_encoder_layer},
    {"_native_multi_head_attention", lower_native_mha},
    {"scaled_dot_product_attention", lower_attention},
    {"_scaled_dot_product_attention_math", lower_attention_math},
    {"_scaled_dot_product_flash_attention_for_cpu", lower_flash, .code = 1},
    {"_scaled_dot_product_flash_attention", lower_flash, .code = 1},
    {"_scaled_dot_product_efficient_attention", lower_flash, .code = 1},
    {"_scaled_dot_product_flash_attention_for_cpu_backward", lower_flash_backward, .code = 1},
    {NULL}};
