/* rest.c: the REST half of the Open Inference Protocol: routes. Immediate answers are given on the loop's thread; a
 * worker loads models. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "serve/json.h"
#include "serve/rest_infer.h"
#include "serve/server.h"
#include "tenfold/version.h"

const char *const serve_extensions[] = {"binary_tensor_data",  "statistics",           "model_repository",
                                        "model_configuration", "system_shared_memory", "schedule_policy"};

void serve_rest_error(serve_exchange *exchange, int status, const char *format, ...) {
  ten_buf text = {0}, body = {0};
  va_list args;
  va_start(args, format);
  ten_buf_vprintf(&text, format, args);
  va_end(args);
  ten_buf_adds(&body, "{\"error\":");
  ten_buf_add_json(&body, (ten_str){text.data, text.size});
  ten_buf_adds(&body, "}");
  ten_buf_free(&text);
  const size_t size = body.size;
  serve_respond(exchange, status, "application/json", NULL, ten_buf_take(&body), size);
}

int serve_http_status(const ten_status *status) {
  switch (ten_status_code(status)) {
    case TEN_INVALID: return 400;
    case TEN_NOT_FOUND: return 404;
    case TEN_UNSUPPORTED: return 501;
    case TEN_LIMIT: return 503;
    case TEN_MISMATCH: return 400; /* the program's own check of its inputs */
    case TEN_CANCELLED: return 499;
    default: return 500;
  }
}

int serve_grpc_code(const ten_status *status) {
  switch (ten_status_code(status)) {
    case TEN_INVALID: return 3;      /* INVALID_ARGUMENT */
    case TEN_NOT_FOUND: return 5;    /* NOT_FOUND */
    case TEN_UNSUPPORTED: return 12; /* UNIMPLEMENTED */
    case TEN_LIMIT: return 8;        /* RESOURCE_EXHAUSTED */
    case TEN_MISMATCH: return 3;
    case TEN_CANCELLED: return 1;
    default: return 13; /* INTERNAL */
  }
}

static void respond_json(serve_exchange *exchange, ten_buf *body) {
  const size_t size = body->size;
  serve_respond(exchange, 200, "application/json", NULL, ten_buf_take(body), size);
}

static void respond_status(serve_exchange *exchange, ten_status *status) {
  if (status)
    serve_rest_error(exchange, serve_http_status(status), "%s", ten_status_text(status));
  else
    serve_respond(exchange, 200, "application/json", NULL, NULL, 0);
  ten_status_free(status);
}

static void server_metadata(serve_exchange *exchange) {
  ten_buf out = {0};
  ten_buf_printf(&out, "{\"name\":\"tenfold\",\"version\":\"%s\",\"extensions\":[", ten_version());
  for (int i = 0; i < SERVE_EXTENSION_COUNT; i++) ten_buf_printf(&out, "%s\"%s\"", i ? "," : "", serve_extensions[i]);
  ten_buf_adds(&out, "]}");
  respond_json(exchange, &out);
}

static void print_ports(ten_buf *out, const serve_port *ports, uint32_t count) {
  for (uint32_t i = 0; i < count; i++) {
    ten_buf_adds(out, i ? ",{\"name\":" : "{\"name\":");
    ten_buf_add_json(out, ten_str_of(ports[i].name));
    ten_buf_printf(out, ",\"datatype\":\"%s\",\"shape\":[", ports[i].type->name);
    for (uint32_t d = 0; d < ports[i].rank; d++)
      ten_buf_printf(out, "%s%lld", d ? "," : "", (long long)ports[i].dims[d]);
    ten_buf_adds(out, "]}");
  }
}

static void print_versions(serve_server *server, ten_buf *out, const char *name) {
  serve_index index;
  serve_repository_index(&server->repository, &index);
  bool first = true;
  for (size_t i = 0; i < index.count; i++) {
    if (!index.data[i].model || strcmp(index.data[i].name, name) != 0) continue;
    ten_buf_printf(out, "%s\"%s\"", first ? "" : ",", index.data[i].version);
    first = false;
  }
  serve_index_free(&index);
}

static void model_metadata(serve_exchange *exchange, serve_model *model) {
  ten_buf out = {0};
  ten_buf_adds(&out, "{\"name\":");
  ten_buf_add_json(&out, ten_str_of(model->name));
  ten_buf_adds(&out, ",\"versions\":[");
  print_versions(exchange->server, &out, model->name);
  ten_buf_printf(&out, "],\"platform\":\"%s\",\"inputs\":[", model->platform);
  print_ports(&out, model->inputs, model->input_count);
  ten_buf_adds(&out, "],\"outputs\":[");
  print_ports(&out, model->outputs, model->output_count);
  ten_buf_adds(&out, "]}");
  respond_json(exchange, &out);
}

static void print_config_ports(ten_buf *out, const serve_port *ports, uint32_t count) {
  for (uint32_t i = 0; i < count; i++) {
    ten_buf_adds(out, i ? ",{\"name\":" : "{\"name\":");
    ten_buf_add_json(out, ten_str_of(ports[i].name));
    ten_buf_printf(out, ",\"data_type\":\"TYPE_%s\",\"dims\":[", ports[i].type->name);
    for (uint32_t d = 0; d < ports[i].rank; d++)
      ten_buf_printf(out, "%s%lld", d ? "," : "", (long long)ports[i].dims[d]);
    ten_buf_adds(out, "]}");
  }
}

/* Shapes in it are complete, batch included: max_batch_size is 0, as for a model that does its own batching. */
static void model_config(serve_exchange *exchange, serve_model *model) {
  ten_buf out = {0};
  ten_buf_adds(&out, "{\"name\":");
  ten_buf_add_json(&out, ten_str_of(model->name));
  ten_buf_printf(&out, ",\"platform\":\"%s\",\"backend\":\"tenfold\",\"max_batch_size\":0,\"input\":[",
                 model->platform);
  print_config_ports(&out, model->inputs, model->input_count);
  ten_buf_adds(&out, "],\"output\":[");
  print_config_ports(&out, model->outputs, model->output_count);
  ten_buf_adds(&out, "]}");
  respond_json(exchange, &out);
}

static void print_duration(ten_buf *out, const char *name, serve_duration duration, bool last) {
  ten_buf_printf(out, "\"%s\":{\"count\":%llu,\"ns\":%llu}%s", name, (unsigned long long)duration.count,
                 (unsigned long long)duration.ns, last ? "" : ",");
}

static void print_statistics(ten_buf *out, serve_model *model) {
  const serve_statistics s = serve_model_statistics(model);
  ten_buf_adds(out, "{\"name\":");
  ten_buf_add_json(out, ten_str_of(model->name));
  ten_buf_printf(out,
                 ",\"version\":\"%s\",\"last_inference\":%llu,\"inference_count\":%llu,\"execution_count\":%llu,"
                 "\"inference_stats\":{",
                 model->version, (unsigned long long)s.last_ms, (unsigned long long)s.inferences,
                 (unsigned long long)s.executions);
  print_duration(out, "success", s.success, false);
  print_duration(out, "fail", s.fail, false);
  print_duration(out, "queue", s.queue, false);
  print_duration(out, "compute_input", s.input, false);
  print_duration(out, "compute_infer", s.infer, false);
  print_duration(out, "compute_output", s.output, false);
  print_duration(out, "cache_hit", (serve_duration){0}, false);
  print_duration(out, "cache_miss", (serve_duration){0}, true);
  ten_buf_adds(out, "},\"batch_stats\":[");
  bool first = true;
  for (int i = 0; i < SERVE_BATCH_SIZES; i++) {
    if (!s.by_batch[i].count) continue;
    ten_buf_printf(out, "%s{\"batch_size\":%d,", first ? "" : ",", i + 1);
    print_duration(out, "compute_input", (serve_duration){0}, false);
    print_duration(out, "compute_infer", s.by_batch[i], false);
    print_duration(out, "compute_output", (serve_duration){0}, true);
    ten_buf_adds(out, "}");
    first = false;
  }
  ten_buf_adds(out, "]}");
}

/* Of one model, or of all with NULL. */
static void statistics(serve_exchange *exchange, const char *name, const char *version) {
  serve_index index;
  serve_repository_index(&exchange->server->repository, &index);
  ten_buf out = {0};
  ten_buf_adds(&out, "{\"model_stats\":[");
  bool first = true;
  for (size_t i = 0; i < index.count; i++) {
    const serve_index_row *row = &index.data[i];
    if (!row->model || (name && strcmp(row->name, name) != 0) ||
        (version && *version && strcmp(row->version, version) != 0))
      continue;
    if (!first) ten_buf_addc(&out, ',');
    print_statistics(&out, row->model);
    first = false;
  }
  ten_buf_adds(&out, "]}");
  serve_index_free(&index);
  if (!first || !name) {
    respond_json(exchange, &out);
  } else {
    ten_buf_free(&out);
    serve_rest_error(exchange, 404, "no model '%s'", name);
  }
}

static void infer(serve_exchange *exchange, const char *name, const char *version) {
  snprintf(exchange->subject, sizeof exchange->subject, "%.100s", name);
  char *body = exchange->body;
  const size_t size = exchange->body_size, capacity = exchange->body_capacity;
  exchange->body = NULL;
  exchange->body_size = exchange->body_capacity = 0;
  serve_call_start(exchange, &serve_rest_protocol, name, version, body, 0, size, capacity);
}

static bool is_method(serve_exchange *exchange, const char *method) {
  if (!strcmp(exchange->method, method) || (!strcmp(method, "GET") && !strcmp(exchange->method, "HEAD"))) return true;
  serve_rest_error(exchange, 405, "%s is not allowed here, %s is", exchange->method, method);
  return false;
}

/* /v2/models/NAME[/versions/VERSION][/what] */
static void model_path(serve_exchange *exchange, char *path) {
  char *name = path, *version = NULL, *what = strchr(path, '/');
  if (what) *what++ = 0;
  if (what && !strncmp(what, "versions/", 9)) {
    version = what + 9;
    what = strchr(version, '/');
    if (what) *what++ = 0;
  }
  if (what && !strcmp(what, "infer")) {
    if (is_method(exchange, "POST")) infer(exchange, name, version);
    return;
  }
  if (!is_method(exchange, "GET")) return;
  if (what && !strcmp(what, "stats")) {
    statistics(exchange, name, version);
    return;
  }
  serve_model *model;
  ten_status *status = serve_repository_find(&exchange->server->repository, name, version, &model);
  if (status)
    respond_status(exchange, status);
  else if (!what)
    model_metadata(exchange, model);
  else if (!strcmp(what, "ready"))
    serve_respond(exchange, 200, NULL, NULL, NULL, 0);
  else if (!strcmp(what, "config"))
    model_config(exchange, model);
  else
    serve_rest_error(exchange, 404, "no such path: models have ready, infer, config and stats");
  serve_model_release(model);
}

static void health(serve_exchange *exchange, const char *what) {
  serve_server *server = exchange->server;
  const bool live = !strcmp(what, "live");
  if (!live && strcmp(what, "ready") != 0)
    serve_rest_error(exchange, 404, "no such path: health has live and ready");
  else if (live || (!server->draining && serve_repository_ready(&server->repository)))
    serve_respond(exchange, 200, NULL, NULL, NULL, 0);
  else
    serve_rest_error(exchange, 503, "%s", server->draining ? "the server is stopping" : "not every model is ready");
}

static void metrics(serve_exchange *exchange, bool page) {
  ten_buf out = {0};
  (page ? serve_page_print : serve_metrics_print)(exchange->server, &out);
  const size_t size = out.size;
  serve_respond(
      exchange, 200, page ? "text/html; charset=utf-8" : "text/plain; version=0.0.4; charset=utf-8",
      page ? "Content-Security-Policy: default-src 'none'; style-src 'unsafe-inline'; img-src data:\r\n" : NULL,
      ten_buf_take(&out), size);
}

void serve_dispatch(serve_exchange *exchange) {
  char path[1024];
  char *query = strchr(exchange->path, '?');
  const size_t size = query ? (size_t)(query - exchange->path) : strlen(exchange->path);
  exchange->server->metrics.requests++;
  if (!http_unescape((ten_str){exchange->path, size}, path, sizeof path)) {
    serve_rest_error(exchange, 400, "the path is not one that can be read");
    return;
  }
  if (size > 1 && path[strlen(path) - 1] == '/') path[strlen(path) - 1] = 0;
  const bool get = !strcmp(exchange->method, "GET") || !strcmp(exchange->method, "HEAD");
  if (!strncmp(path, "/v2/models/", 11) && path[11] && strcmp(path + 11, "stats") != 0)
    model_path(exchange, path + 11);
  else if (!strncmp(path, "/v2/repository/", 15) || !strncmp(path, "/v2/systemsharedmemory", 22))
    serve_rest_control(exchange, path + 4);
  else if (!get)
    serve_rest_error(exchange, strncmp(path, "/v2", 3) != 0 ? 404 : 405, "%s is not allowed here", exchange->method);
  else if (!strcmp(path, "/v2"))
    server_metadata(exchange);
  else if (!strncmp(path, "/v2/health/", 11))
    health(exchange, path + 11);
  else if (!strcmp(path, "/v2/models/stats"))
    statistics(exchange, NULL, NULL);
  else if (!strcmp(path, "/metrics") || !strcmp(path, "/"))
    metrics(exchange, !path[1]);
  else
    serve_rest_error(exchange, 404, "no such path; the protocol's begin with /v2");
}
