/* call.c: an inference from its request to its answer. Small requests are parsed on the loop's thread, large ones on a
 * worker's; running and packing the answer always happen on a worker. */
#include "serve/call.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"

enum { SMALL_BODY = 16 << 10 };

static void call_done(serve_post *post);
static void call_run(serve_job **jobs, size_t count);

static void unlink_call(serve_call *call) {
  for (serve_call **at = &call->exchange->calls; *at; at = &(*at)->next_of_exchange)
    if (*at == call) {
      *at = call->next_of_exchange;
      return;
    }
}

static void call_free(serve_call *call) {
  if (call->model) {
    for (uint32_t i = 0; call->inputs && i < call->model->input_count; i++) ten_tensor_release(call->inputs[i]);
    for (uint32_t i = 0; call->outputs && i < call->model->output_count; i++) ten_tensor_release(call->outputs[i]);
  }
  for (size_t i = 0; i < call->wishes.count; i++) serve_region_release(call->wishes.data[i].region);
  ten_vec_free(&call->wishes);
  free(call->inputs);
  free(call->outputs);
  serve_model_release(call->model);
  call->server->memory -= call->body_capacity;
  free(call->body);
  free(call->model_name);
  free(call->model_version);
  free(call->id);
  free(call->answer);
  ten_status_free(call->status);
  free(call);
}

/* The end, on the loop's thread: sends the answer, or drops it when the client is gone. */
static void call_end(serve_call *call) {
  serve_exchange *exchange = call->exchange;
  unlink_call(call);
  const double now = ten_clock();
  if (call->model)
    serve_model_count(call->model, call->status, now - call->start, call->queue_seconds, call->input_seconds,
                      call->infer_seconds, call->output_seconds);
  call->protocol->send(call); /* also frees the protocol's data */
  call_free(call);
  serve_conn *conn = exchange->conn;
  serve_exchange_release(exchange);
  serve_conn_resume(conn);
}

static void call_submit(serve_call *call) {
  serve_model *model = call->model;
  call->job.run = call_run;
  call->job.deadline = call->exchange->deadline;
  call->job.batcher = NULL;
  if (model->batcher.rows_most > 1) {
    uint64_t key = 1469598103934665603u;
    int64_t rows = -1;
    bool equal = true;
    for (uint32_t i = 0; i < model->input_count; i++) {
      const ten_tensor *input = call->inputs[i];
      for (uint32_t d = 1; d < input->rank; d++) key = (key ^ (uint64_t)input->dims[d]) * 1099511628211u;
      equal &= input->rank && (rows < 0 || input->dims[0] == rows);
      rows = input->rank ? input->dims[0] : 0;
    }
    if (equal && rows > 0 && rows <= model->batcher.rows_most) {
      call->job.batcher = &model->batcher;
      call->job.batch_key = key;
      call->job.rows = rows;
    }
  }
  if (serve_pool_add(&call->server->pool, &call->job)) return;
  call->status = ten_error(TEN_LIMIT, "the queue is full (%lld requests); try again later",
                           (long long)call->server->options.queue);
  call_end(call);
}

static ten_status *read_one(void *argument) {
  serve_call *call = argument;
  return call->protocol->read(call);
}

static void call_read(serve_call *call) {
  const double start = ten_clock();
  call->status = ten_recover("reading a request", read_one, call);
  call->was_read = true;
  call->input_seconds = ten_clock() - start;
}

static void read_run(serve_job **jobs, size_t count) {
  for (size_t i = 0; i < count; i++) call_read((serve_call *)jobs[i]);
}

/* Back from a worker. */
static void call_done(serve_post *post) {
  serve_call *call = (serve_call *)post;
  const bool reading = call->job.run == read_run;
  if (reading && !call->status && !call->cancelled)
    call_submit(call);
  else
    call_end(call);
}

void serve_call_start(serve_exchange *exchange, const serve_protocol *protocol, const char *model, const char *version,
                      char *body, size_t offset, size_t size, size_t capacity) {
  serve_call *call = ten_alloc(sizeof *call);
  *call =
      (serve_call){.job = {.post = {.run = call_done}, .pool = &exchange->server->pool, .deadline = exchange->deadline},
                   .protocol = protocol,
                   .next_of_exchange = exchange->calls,
                   .exchange = exchange,
                   .server = exchange->server,
                   .body = body ? body : ten_alloc(1), /* a request without a body has zero bytes */
                   .body_offset = offset,
                   .body_size = size,
                   .body_capacity = capacity,
                   .start = ten_clock()};
  exchange->calls = call;
  serve_exchange_retain(exchange);
  call->model_name = model ? ten_strdup(model) : NULL;
  call->model_version = version ? ten_strdup(version) : NULL;
  if (size > SMALL_BODY) {
    call->job.run = read_run;
    if (serve_pool_add(&call->server->readers, &call->job)) return;
    call->status = ten_error(TEN_LIMIT, "the queue is full (%lld requests); try again later",
                             (long long)call->server->options.queue);
    call_end(call);
    return;
  }
  call_read(call);
  if (call->status)
    call_end(call);
  else
    call_submit(call);
}

void serve_call_cancel(serve_call *call) {
  if (call->cancelled) return;
  call->cancelled = true;
  if (!serve_pool_remove(&call->job)) return; /* it is running: its answer will be dropped */
  ten_status_free(call->status);
  call->status = ten_error(TEN_CANCELLED, "the client cancelled the request");
  call->job.run = call_run;
  serve_loop_post(&call->server->loop, &call->job.post);
}

static void expire(serve_pool *pool, double now) {
  for (serve_job *job = serve_pool_expired(pool, now), *next; job; job = next) {
    next = job->next;
    serve_call *call = (serve_call *)job;
    call->expired = true;
    ten_status_free(call->status);
    call->status = ten_error(TEN_CANCELLED, "the deadline passed while the request waited");
    call_end(call);
  }
}

void serve_calls_expire(serve_server *server, double now) {
  expire(&server->readers, now);
  expire(&server->pool, now);
}

/* ---- on a worker's thread ---------------------------------------------------------------------------------------- */

static ten_status *pack_one(void *argument) {
  serve_call *call = argument;
  return call->protocol->pack(call);
}

static ten_status *run_all(void *argument) {
  serve_job **jobs = ((void **)argument)[0];
  const size_t count = *(const size_t *)((void **)argument)[1];
  serve_call *first = (serve_call *)jobs[0];
  if (!first->job.batcher) return serve_model_run(first->model, first->inputs, first->outputs);
  ten_tensor *const *inputs[SERVE_BATCH_MOST];
  ten_tensor **outputs[SERVE_BATCH_MOST];
  for (size_t i = 0; i < count; i++) {
    inputs[i] = ((serve_call *)jobs[i])->inputs;
    outputs[i] = ((serve_call *)jobs[i])->outputs;
  }
  return serve_batch_run(first->model, inputs, count, first->job.batcher->rows_most, outputs);
}

static void call_run(serve_job **jobs, size_t count) {
  const double start = ten_clock();
  size_t live = 0;
  serve_job *running[SERVE_BATCH_MOST];
  int64_t rows = 0;
  for (size_t i = 0; i < count; i++) {
    serve_call *call = (serve_call *)jobs[i];
    call->queue_seconds = start - call->job.queued_at;
    if (call->job.deadline > 0 && start > call->job.deadline) {
      call->expired = true;
      call->status = ten_error(TEN_CANCELLED, "the deadline passed while the request waited");
      continue;
    }
    running[live++] = jobs[i];
    rows += call->job.batcher ? call->job.rows : 1;
  }
  if (!live) return;
  serve_model *model = ((serve_call *)running[0])->model;
  void *argument[] = {running, &live};
  ten_status *status = ten_recover("running a model", run_all, argument);
  const double done = ten_clock();
  if (!status) serve_model_count_execution(model, rows, done - start);
  for (size_t i = 0; i < live; i++) {
    serve_call *call = (serve_call *)running[i];
    call->infer_seconds = done - start;
    if (status) {
      /* Each gets the error; each request of a batch is then run alone, as only one of them may be at fault. */
      void *alone[] = {&running[i], &(size_t){1}};
      call->status = live == 1 ? status : ten_recover("running a model", run_all, alone);
      if (!call->status) serve_model_count_execution(model, call->job.rows, ten_clock() - done);
      if (live == 1) status = NULL;
    }
    const double packing = ten_clock();
    if (!call->status) call->status = ten_recover("packing an answer", pack_one, call);
    call->output_seconds = ten_clock() - packing;
    if (live == 1) break;
  }
  ten_status_free(status);
}
