/* statistics.c: the counters of a model, and whether a tensor fits one of its ports. */
#include <stdlib.h>
#include <time.h>

#include "serve/model.h"

static void add(serve_duration *duration, double seconds) {
  duration->count++;
  duration->ns += (uint64_t)(seconds * 1e9);
}

void serve_model_count(serve_model *model, bool failed, double total, double queue, double input, double infer,
                       double output) {
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  size_t bucket = 0;
  while (bucket + 1 < SERVE_LATENCY_BUCKETS && total > 1e-5 * (double)(1u << bucket)) bucket++;
  pthread_mutex_lock(&model->mutex);
  serve_statistics *s = &model->statistics;
  add(failed ? &s->fail : &s->success, total);
  s->latency[bucket]++;
  if (!failed) {
    add(&s->queue, queue);
    add(&s->input, input);
    add(&s->infer, infer);
    add(&s->output, output);
    s->last_ms = (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
  }
  pthread_mutex_unlock(&model->mutex);
}

void serve_model_count_execution(serve_model *model, int64_t rows, double seconds) {
  pthread_mutex_lock(&model->mutex);
  model->statistics.executions++;
  model->statistics.inferences += (uint64_t)rows;
  add(&model->statistics.by_batch[(rows < SERVE_BATCH_SIZES ? rows : SERVE_BATCH_SIZES) - 1], seconds);
  pthread_mutex_unlock(&model->mutex);
}

serve_statistics serve_model_statistics(serve_model *model) {
  pthread_mutex_lock(&model->mutex);
  const serve_statistics copy = model->statistics;
  pthread_mutex_unlock(&model->mutex);
  return copy;
}

static void print_dims(ten_buf *out, uint32_t rank, const int64_t *dims) {
  ten_buf_addc(out, '[');
  for (uint32_t d = 0; d < rank; d++) ten_buf_printf(out, "%s%lld", d ? "," : "", (long long)dims[d]);
  ten_buf_addc(out, ']');
}

ten_status *serve_port_check(const serve_model *model, const serve_port *port, const serve_type *type, uint32_t rank,
                             const int64_t *dims) {
  if (type != port->type)
    return ten_error(TEN_INVALID, "input '%s' of model '%s' is %s, must be %s", port->name, model->name, type->name,
                     port->type->name);
  bool fits = rank == port->rank;
  for (uint32_t d = 0; d < rank && fits; d++) fits = dims[d] >= 0 && (port->dims[d] < 0 || dims[d] == port->dims[d]);
  if (fits) return NULL;
  ten_buf is = {0}, must = {0};
  print_dims(&is, rank, dims);
  print_dims(&must, port->rank, port->dims);
  ten_status *status = ten_error(TEN_INVALID, "input '%s' of model '%s' has shape %s, must have %s", port->name,
                                 model->name, is.data, must.data);
  ten_buf_free(&is);
  ten_buf_free(&must);
  return status;
}
