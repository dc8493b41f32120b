/* batch.c: several requests as one run. Batch sizes are powers of two: missing rows are padded with copies of a row,
 * whose results are dropped. Rows of a batch must be independent: that is tested for each of those sizes when a model
 * is loaded, by comparing rows computed together with rows computed one by one, bit for bit. So a result never depends
 * on other requests. With --batch-rounding its last bits may depend on the size of the batch, but still not on its
 * other rows: that is tested by changing them. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "serve/model.h"

static int64_t rows_of(const ten_tensor *tensor) { return tensor->dims[0]; }

/* The size that a batch of this many rows is padded to. */
static int64_t padded(int64_t rows, int64_t most) {
  int64_t size = 1;
  while (size < rows) size *= 2;
  return size < most ? size : most;
}

/* Concatenates input `port` of all requests, then copies of the first row. */
static ten_status *join(ten_tensor *const *const *inputs, size_t count, uint32_t port, int64_t most, ten_tensor **out) {
  const ten_tensor *first = inputs[0][port];
  int64_t dims[TEN_RANK_MAX];
  memcpy(dims, first->dims, first->rank * sizeof *dims);
  dims[0] = 0;
  for (size_t i = 0; i < count; i++) dims[0] += rows_of(inputs[i][port]);
  dims[0] = padded(dims[0], most);
  TEN_TRY(ten_tensor_create(first->dtype, first->rank, dims, out));
  char *at = (*out)->data;
  const char *end = at + (*out)->bytes;
  const size_t row = first->bytes / (size_t)rows_of(first);
  for (size_t i = 0; i < count; i++) {
    memcpy(at, inputs[i][port]->data, inputs[i][port]->bytes);
    at += inputs[i][port]->bytes;
  }
  for (; row && at < end; at += row) memcpy(at, first->data, row);
  return NULL;
}

/* Splits the rows of the joined output among the requests. */
static ten_status *split(const serve_model *model, const ten_tensor *joined, uint32_t port,
                         ten_tensor *const *const *inputs, size_t count, int64_t most, ten_tensor **const *outputs) {
  int64_t total = 0;
  for (size_t i = 0; i < count; i++) total += rows_of(inputs[i][0]);
  total = padded(total, most);
  if (!joined->rank || rows_of(joined) != total)
    return ten_error(TEN_INTERNAL, "output '%s' of a batch of %lld rows has %lld", model->outputs[port].name,
                     (long long)total, (long long)(joined->rank ? rows_of(joined) : 0));
  const char *at = joined->data;
  for (size_t i = 0; i < count; i++) {
    int64_t dims[TEN_RANK_MAX];
    memcpy(dims, joined->dims, joined->rank * sizeof *dims);
    dims[0] = rows_of(inputs[i][0]);
    TEN_TRY(ten_tensor_create(joined->dtype, joined->rank, dims, &outputs[i][port]));
    memcpy(outputs[i][port]->data, at, outputs[i][port]->bytes);
    at += outputs[i][port]->bytes;
  }
  return NULL;
}

ten_status *serve_batch_run(serve_model *model, ten_tensor *const *const *inputs, size_t count, int64_t most,
                            ten_tensor **const *outputs) {
  const size_t all = (size_t)model->input_count + model->output_count;
  ten_tensor **joined = ten_alloc((all + 1) * sizeof *joined);
  memset(joined, 0, (all + 1) * sizeof *joined);
  ten_tensor **results = joined + model->input_count;
  ten_status *status = NULL;
  for (uint32_t i = 0; i < model->input_count && !status; i++) status = join(inputs, count, i, most, &joined[i]);
  if (!status) status = serve_model_run(model, joined, results);
  for (uint32_t i = 0; i < model->output_count && !status; i++)
    status = split(model, results[i], i, inputs, count, most, outputs);
  if (status)
    for (size_t i = 0; i < count; i++) ten_tensors_release(outputs[i], model->output_count);
  ten_tensors_release(joined, all);
  free(joined);
  return status;
}

static char *say(const serve_model *model, const char *why) {
  ten_buf text = {0};
  ten_buf_printf(&text, "model '%s': requests are not batched: %s", model->name, why);
  return ten_buf_take(&text);
}

static const char *shapes_fit(const serve_model *model) {
  if (!model->input_count) return "it has no input";
  for (uint32_t i = 0; i < model->input_count; i++)
    if (!model->inputs[i].rank || model->inputs[i].dims[0] >= 0)
      return "the first dimension of an input is not open (export it with a dynamic batch)";
  for (uint32_t i = 0; i < model->output_count; i++)
    if (!model->outputs[i].rank || model->outputs[i].dims[0] >= 0)
      return "the first dimension of an output is not open";
  return NULL;
}

/* Values of every type that differ from row to row; integers stay small, as they may be indices. */
static void fill(ten_tensor *tensor, uint64_t seed) {
  unsigned char *bytes = tensor->data;
  const size_t width = ten_dtype_bytes(tensor->dtype);
  for (size_t i = 0; i < tensor->count; i++) {
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    const unsigned pick = (unsigned)(seed >> 40);
    memset(bytes + i * width, 0, width);
    if (!ten_dtype_is_float(tensor->dtype)) {
      bytes[i * width] = (unsigned char)(pick & 1);
      continue;
    }
    const double value = (double)(pick % 2001) / 1000.0 - 1.0;
    const float narrow = (float)value;
    uint32_t bits;
    memcpy(&bits, &narrow, sizeof bits);
    if (tensor->dtype == TEN_F64) memcpy(bytes + i * width, &value, sizeof value);
    if (tensor->dtype == TEN_F32) memcpy(bytes + i * width, &narrow, sizeof narrow);
    if (tensor->dtype == TEN_BF16) memcpy(bytes + i * width, (char *)&bits + 2, 2);
    if (tensor->dtype == TEN_F16)
      bytes[i * width + 1] = (unsigned char)(0x34 + (pick & 7)), bytes[i * width] = (unsigned char)(pick >> 3);
  }
}

typedef struct trial {
  serve_model *model;
  bool rounding; /* rows need only be close to those computed alone */
  ten_tensor **inputs[SERVE_BATCH_MOST], **alone[SERVE_BATCH_MOST], **together[SERVE_BATCH_MOST];
  size_t count;
} trial;

static void fill_row(const trial *t, size_t k, uint64_t other) {
  for (uint32_t i = 0; i < t->model->input_count; i++) fill(t->inputs[k][i], (uint64_t)k * 7919 + i + other);
}

static ten_status *trial_run(trial *t) {
  const serve_model *model = t->model;
  for (size_t k = 0; k < t->count; k++) {
    ten_tensor **all = ten_alloc((model->input_count + 2 * model->output_count + 1) * sizeof *all);
    memset(all, 0, (model->input_count + 2 * model->output_count + 1) * sizeof *all);
    t->inputs[k] = all;
    t->alone[k] = all + model->input_count;
    t->together[k] = t->alone[k] + model->output_count;
    for (uint32_t i = 0; i < model->input_count; i++) {
      int64_t dims[TEN_RANK_MAX];
      for (uint32_t d = 0; d < model->inputs[i].rank; d++)
        dims[d] = model->inputs[i].dims[d] < 0 ? 1 : model->inputs[i].dims[d];
      TEN_TRY(ten_tensor_create(model->inputs[i].type->dtype, model->inputs[i].rank, dims, &all[i]));
    }
    fill_row(t, k, 0);
    TEN_TRY(serve_model_run(t->model, t->inputs[k], t->alone[k]));
  }
  return serve_batch_run(t->model, (ten_tensor *const *const *)t->inputs, t->count, (int64_t)t->count, t->together);
}

static bool equal(const ten_tensor *a, const ten_tensor *b) {
  return a->bytes == b->bytes && !memcmp(a->data, b->data, a->bytes);
}

/* Equal up to the rounding of a sum in another order. */
static bool close_to(const ten_tensor *a, const ten_tensor *b) {
  if (a->bytes != b->bytes || a->dtype != b->dtype || !ten_dtype_is_float(a->dtype)) return equal(a, b);
  const double part = a->dtype == TEN_F64 ? 1e-10 : a->dtype == TEN_F32 ? 1e-4 : 2e-2;
  double most = 0, apart = 0;
  for (size_t i = 0; i < a->count; i++) {
    const double x = ten_tensor_real(a, i, 0), y = ten_tensor_real(b, i, 0);
    if (isnan(x) != isnan(y) || isinf(x) != isinf(y)) return false;
    if (isnan(x) || isinf(x)) continue;
    most = fmax(most, fabs(x));
    apart = fmax(apart, fabs(x - y));
  }
  return apart <= part * most;
}

static bool trial_equal(const trial *t) {
  for (size_t k = 0; k < t->count; k++)
    for (uint32_t i = 0; i < t->model->output_count; i++)
      if (!(t->rounding ? close_to : equal)(t->alone[k][i], t->together[k][i])) return false;
  return true;
}

/* Changes every second row, from `first`, and runs the batch again: the others must have the same bits as before. */
static ten_status *trial_change(trial *t, size_t first, bool *out_same) {
  const size_t results = t->model->output_count;
  ten_tensor ***again = ten_alloc((t->count + 1) * sizeof *again);
  for (size_t k = 0; k < t->count; k++) {
    again[k] = ten_alloc((results + 1) * sizeof **again);
    memset(again[k], 0, (results + 1) * sizeof **again);
    fill_row(t, k, k % 2 == first ? 104729 : 0);
  }
  ten_status *status =
      serve_batch_run(t->model, (ten_tensor *const *const *)t->inputs, t->count, (int64_t)t->count, again);
  *out_same = !status;
  for (size_t k = 0; k < t->count; k++) {
    for (size_t i = 0; i < results && !status && k % 2 != first; i++)
      *out_same &= equal(t->together[k][i], again[k][i]);
    ten_tensors_release(again[k], results);
    free(again[k]);
  }
  free(again);
  return status;
}

/* Whether rows of a batch are independent. */
static ten_status *trial_judge(trial *t, bool *out_fine) {
  *out_fine = false;
  TEN_TRY(trial_run(t));
  *out_fine = trial_equal(t);
  for (size_t first = 0; first < 2 && t->rounding && *out_fine; first++) TEN_TRY(trial_change(t, first, out_fine));
  return NULL;
}

ten_status *serve_batch_try(serve_model *model, int64_t rows, bool rounding, bool *out_can, char **out_why) {
  *out_can = false;
  const char *why = model->compiled ? "a compiled file has one shape" : shapes_fit(model);
  if (why) {
    *out_why = say(model, why);
    return NULL;
  }
  bool fine = true;
  if (rows > SERVE_BATCH_MOST) rows = SERVE_BATCH_MOST;
  for (int64_t count = 2; fine; count = padded(count + 1, rows)) {
    trial t = {.model = model, .rounding = rounding, .count = (size_t)count};
    bool apart = false;
    ten_status *status = trial_judge(&t, &apart);
    if (status) {
      ten_buf text = {0};
      ten_buf_printf(&text, "a batch cannot be run: %s", ten_status_message(status));
      *out_why = say(model, text.data);
      ten_buf_free(&text);
      fine = false;
    } else if (!apart) {
      *out_why =
          say(model, rounding ? "rows that are computed together know of each other, or differ from rows computed "
                                "one by one by more than rounding"
                              : "rows that are computed together differ from rows computed one by one "
                                "(--batch-rounding allows differences in the last bits)");
      fine = false;
    }
    ten_status_free(status);
    for (size_t k = 0; k < t.count && t.inputs[k]; k++) {
      ten_tensors_release(t.inputs[k], model->input_count + 2 * (size_t)model->output_count);
      free(t.inputs[k]);
    }
    if (count == rows) break;
  }
  *out_can = fine;
  return NULL;
}
