/* calibrate.c: the f32 program runs on the user's samples with every tensor of the graph as a result; their ranges, and
 * with a method that needs them histograms and means by channel, are noted. */
#include <math.h>
#include <stdlib.h>

#include "edge/edge.h"
#include "train/dataset.h"

enum { BINS = 2048, SHRINKS = 96 };

struct edge_session {
  edge_graph *g;                 /* borrowed */
  ten_executable *executable;    /* owned */
  ten_dataset *dataset;          /* owned */
  const edge_options *options;   /* borrowed */
  int64_t batches, batch_size;   /* of the data that is looked at */
  uint32_t value_count, *result; /* results of the program; by tensor, which of them, or EDGE_NONE */
  ten_tensor **results;          /* of the last batch, owned */
  ten_tensor **by_tensor;        /* the same by tensor, borrowed */
  int64_t seen;                  /* batches so far, of this epoch */
};

/* Results become the values of the graph's tensors, each once. */
static void watch(edge_session *s, ten_module *module, ten_op *func) {
  edge_graph *g = s->g;
  ten_value **values = ten_arena_new_array(&g->arena, ten_value *, g->tensors.count + 1);
  s->result = ten_arena_new_array(&g->arena, uint32_t, g->tensors.count + 1);
  s->by_tensor = ten_arena_new_array(&g->arena, ten_tensor *, g->tensors.count + 1);
  for (size_t i = 0; i < g->tensors.count; i++) {
    const edge_tensor *t = edge_get(g, (uint32_t)i);
    s->result[i] = EDGE_NONE;
    if (!t->value) continue;
    for (uint32_t k = 0; k < s->value_count; k++)
      if (values[k] == t->value) s->result[i] = k;
    if (s->result[i] != EDGE_NONE) continue;
    s->result[i] = s->value_count;
    values[s->value_count++] = (ten_value *)t->value;
  }
  ten_op_set_operands(module, ten_block_terminator(ten_op_body(func, 0)), s->value_count, values);
  ten_op_remove_attr(func, "res_attrs");
  ten_func_update_type(module, func);
  s->results = ten_arena_new_array(&g->arena, ten_tensor *, s->value_count + 1);
}

static ten_status *open_data(edge_session *s, const ten_op *func, const char *data) {
  const ten_type *type = ten_func_type(func);
  ten_dataset_field *fields = ten_arena_new_array(&s->g->arena, ten_dataset_field, type->input_count + 1);
  for (uint32_t i = 0; i < type->input_count; i++)
    fields[i] = (ten_dataset_field){edge_get(s->g, s->g->inputs.data[i])->name, type->inputs[i]};
  if (!type->input_count) return ten_error(TEN_INVALID, "the program has no inputs");
  TEN_TRY(ten_dataset_open(data, fields, type->input_count, &(ten_dataset_options){0}, &s->dataset));
  s->batch_size = type->inputs[0]->dims[0];
  s->batches = ten_dataset_batches(s->dataset);
  if (s->options->samples > 0) {
    const int64_t most = (s->options->samples + s->batch_size - 1) / s->batch_size;
    if (s->batches > most) s->batches = most;
  }
  return NULL;
}

ten_status *edge_session_open(edge_graph *g, ten_module *module, ten_op *func, const char *data,
                              const edge_options *options, edge_session **out_session) {
  edge_session *s = *out_session = ten_alloc(sizeof *s);
  *s = (edge_session){.g = g, .options = options};
  TEN_TRY(open_data(s, func, data));
  watch(s, module, func);
  return ten_compile(options->device, module, func, &(ten_settings){.exact_conv = true, .transient = true},
                     &s->executable);
}

void edge_session_close(edge_session *s) {
  if (!s) return;
  if (s->results) ten_tensors_release(s->results, s->value_count);
  if (s->executable) ten_executable_release(s->executable);
  if (s->dataset) ten_dataset_close(s->dataset);
  free(s);
}

int64_t edge_session_samples(const edge_session *s) { return s->batches * s->batch_size; }
int64_t edge_session_batches(const edge_session *s) { return s->batches; }

ten_status *edge_session_next(edge_session *s, ten_tensor ***out_inputs, ten_tensor ***out_values) {
  int64_t epoch, batch;
  ten_tensors_release(s->results, s->value_count);
  do TEN_TRY(ten_dataset_next(s->dataset, out_inputs, &epoch, &batch));
  while (batch >= s->batches);
  TEN_TRY(ten_execute(s->executable, *out_inputs, s->g->inputs.count, NULL, s->results));
  for (size_t i = 0; i < s->g->tensors.count; i++)
    s->by_tensor[i] = s->result[i] == EDGE_NONE ? NULL : s->results[s->result[i]];
  *out_values = s->by_tensor;
  s->seen = batch + 1;
  return NULL;
}

/* How many elements lie between two places along the last stored dimension, in the order of the value. */
static size_t channel_step(const edge_tensor *t, const ten_tensor *x) {
  size_t step = 1;
  for (uint32_t i = t->order[t->rank - 1] + 1u; i < x->rank; i++) step *= (size_t)x->dims[i];
  return step;
}

static ten_status *add_range(edge_session *s, edge_tensor *t, const ten_tensor *x, double *sums) {
  const float *data = x->data;
  float low = t->low > t->high ? INFINITY : t->low, high = t->low > t->high ? -INFINITY : t->high;
  const size_t channels = t->rank ? (size_t)t->dims[t->rank - 1] : 1, step = t->rank ? channel_step(t, x) : 1;
  for (size_t i = 0; i < x->count; i++) {
    if (!isfinite(data[i]))
      return ten_error(
          TEN_INVALID,
          "calibration sample %lld or one of its batch gives %g in layer '%.*s'; elements have to be finite",
          (long long)((s->seen - 1) * s->batch_size), (double)data[i], TEN_FMT(t->name));
    if (data[i] < low) low = data[i];
    if (data[i] > high) high = data[i];
    sums[i / step % channels] += (double)data[i];
  }
  t->low = low, t->high = high;
  return NULL;
}

static void add_histogram(const edge_tensor *t, const ten_tensor *x, uint64_t *bins) {
  const float *data = x->data;
  const double width = ((double)t->high - (double)t->low) / (double)BINS;
  if (!(width > 0)) return;
  for (size_t i = 0; i < x->count; i++) {
    const int64_t bin = (int64_t)(((double)data[i] - (double)t->low) / width);
    bins[bin < 0 ? 0 : bin >= BINS ? BINS - 1 : bin]++;
  }
}

/* The range that leaves (100 - percentile) % of the elements outside, half of them at each end. */
static void clip_percentile(edge_tensor *t, const uint64_t *bins, double percentile) {
  uint64_t total = 0, sum = 0;
  for (int i = 0; i < BINS; i++) total += bins[i];
  const double outside = (double)total * (100 - percentile) / 200,
               width = ((double)t->high - (double)t->low) / (double)BINS;
  int first = 0, last = BINS - 1;
  for (sum = 0; first < BINS - 1 && (double)(sum + bins[first]) <= outside; first++) sum += bins[first];
  for (sum = 0; last > first && (double)(sum + bins[last]) <= outside; last--) sum += bins[last];
  const double low = (double)t->low;
  t->low = (float)(low + first * width);
  t->high = (float)(low + (last + 1) * width);
}

/* The squared error of rounding to 256 steps between low and high, and of cutting off what lies outside. */
static double range_error(const edge_tensor *t, const uint64_t *bins, double low, double high) {
  const double width = ((double)t->high - (double)t->low) / (double)BINS, step = (high - low) / 255;
  double error = 0;
  for (int i = 0; i < BINS; i++) {
    const double x = (double)t->low + (i + 0.5) * width, over = x < low ? low - x : x > high ? x - high : 0;
    error += (double)bins[i] * (over > 0 ? over * over : step * step / 12);
  }
  return error;
}

static void clip_mse(edge_tensor *t, const uint64_t *bins) {
  const double low = fmin((double)t->low, 0), high = fmax((double)t->high, 0);
  double best = INFINITY, best_low = low, best_high = high;
  for (int i = 0; i < SHRINKS; i++) {
    const double share = 1 - (double)i / (double)SHRINKS * 0.9, error = range_error(t, bins, low * share, high * share);
    if (error >= best) continue;
    best = error, best_low = low * share, best_high = high * share;
  }
  t->low = (float)best_low;
  t->high = (float)best_high;
}

static ten_status *clip(edge_session *s) {
  edge_graph *g = s->g;
  uint64_t **bins = ten_arena_new_array(&g->arena, uint64_t *, g->tensors.count);
  for (size_t i = 0; i < g->tensors.count; i++)
    if (s->result[i] != EDGE_NONE) bins[i] = ten_arena_new_array(&g->arena, uint64_t, BINS);
  for (int64_t k = 0; k < s->batches; k++) {
    ten_tensor **inputs, **values;
    TEN_TRY(edge_session_next(s, &inputs, &values));
    for (size_t i = 0; i < g->tensors.count; i++)
      if (bins[i]) add_histogram(edge_get(g, (uint32_t)i), values[i], bins[i]);
  }
  for (size_t i = 0; i < g->tensors.count; i++) {
    if (!bins[i] || !(edge_get(g, (uint32_t)i)->high > edge_get(g, (uint32_t)i)->low)) continue;
    if (s->options->method == EDGE_MSE)
      clip_mse(edge_at(g, (uint32_t)i), bins[i]);
    else
      clip_percentile(edge_at(g, (uint32_t)i), bins[i], s->options->percentile);
  }
  return NULL;
}

ten_status *edge_session_calibrate(edge_session *s) {
  edge_graph *g = s->g;
  double **sums = ten_arena_new_array(&g->arena, double *, g->tensors.count);
  size_t *counts = ten_arena_new_array(&g->arena, size_t, g->tensors.count);
  for (size_t i = 0; i < g->tensors.count; i++) {
    const edge_tensor *t = edge_get(g, (uint32_t)i);
    if (s->result[i] != EDGE_NONE) sums[i] = ten_arena_new_array(&g->arena, double, t->rank ? t->dims[t->rank - 1] : 1);
  }
  for (int64_t k = 0; k < s->batches; k++) {
    ten_tensor **inputs, **values;
    TEN_TRY(edge_session_next(s, &inputs, &values));
    for (size_t i = 0; i < g->tensors.count; i++) {
      if (!sums[i]) continue;
      TEN_TRY(add_range(s, edge_at(g, (uint32_t)i), values[i], sums[i]));
      counts[i] += values[i]->count;
    }
  }
  for (size_t i = 0; i < g->tensors.count; i++) {
    edge_tensor *t = edge_at(g, (uint32_t)i);
    const int64_t channels = t->rank ? t->dims[t->rank - 1] : 1;
    for (int64_t c = 0; sums[i] && c < channels; c++) sums[i][c] /= (double)(counts[i] / (size_t)channels);
    t->means = sums[i];
  }
  return s->options->method == EDGE_MIN_MAX ? NULL : clip(s);
}
