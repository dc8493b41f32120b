/* metrics.c: the server's counters, for Prometheus (/metrics) and for people (/). */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "serve/server.h"
#include "tenfold/version.h"

static void counter(ten_buf *out, const char *name, const char *help, uint64_t value) {
  ten_buf_printf(out, "# HELP %s %s\n# TYPE %s counter\n%s %llu\n", name, help, name, name, (unsigned long long)value);
}

static void gauge(ten_buf *out, const char *name, const char *help, double value) {
  ten_buf_printf(out, "# HELP %s %s\n# TYPE %s gauge\n%s %.15g\n", name, help, name, name, value);
}

/* A label's value: backslash, quote and newline are escaped. */
static void label(ten_buf *out, const char *value) {
  for (; *value; value++) {
    if (*value == '"' || *value == '\\') ten_buf_addc(out, '\\');
    if (*value == '\n')
      ten_buf_adds(out, "\\n");
    else
      ten_buf_addc(out, *value);
  }
}

static void labels(ten_buf *out, const char *name, const serve_index_row *row) {
  ten_buf_printf(out, "%s{model=\"", name);
  label(out, row->name);
  ten_buf_adds(out, "\",version=\"");
  label(out, row->version);
  ten_buf_adds(out, "\"");
}

typedef uint64_t (*pick)(const serve_statistics *s);
static uint64_t pick_success(const serve_statistics *s) { return s->success.count; }
static uint64_t pick_fail(const serve_statistics *s) { return s->fail.count; }
static uint64_t pick_inferences(const serve_statistics *s) { return s->inferences; }
static uint64_t pick_executions(const serve_statistics *s) { return s->executions; }
static uint64_t pick_queue(const serve_statistics *s) { return s->queue.ns; }
static uint64_t pick_infer(const serve_statistics *s) { return s->infer.ns; }
static const struct {
  const char *name, *help;
  pick get;
  double scale;
} columns[] = {
    {"tenfold_requests_success_total", "Requests that were answered", pick_success, 1},
    {"tenfold_requests_failure_total", "Requests that failed", pick_fail, 1},
    {"tenfold_inferences_total", "Rows that were computed", pick_inferences, 1},
    {"tenfold_executions_total", "Runs of the model; fewer than rows where requests are batched", pick_executions, 1},
    {"tenfold_queue_seconds_total", "Time that requests waited", pick_queue, 1e-9},
    {"tenfold_infer_seconds_total", "Time that requests were computed", pick_infer, 1e-9},
};

static void histogram(ten_buf *out, const serve_index_row *row, const serve_statistics *s) {
  uint64_t sum = 0;
  for (int i = 0; i < SERVE_LATENCY_BUCKETS; i++) {
    sum += s->latency[i];
    labels(out, "tenfold_request_seconds_bucket", row);
    if (i + 1 < SERVE_LATENCY_BUCKETS)
      ten_buf_printf(out, ",le=\"%g\"} %llu\n", 1e-5 * (double)(1u << i), (unsigned long long)sum);
    else
      ten_buf_printf(out, ",le=\"+Inf\"} %llu\n", (unsigned long long)sum);
  }
  labels(out, "tenfold_request_seconds_sum", row);
  ten_buf_printf(out, "} %.9f\n", (double)(s->success.ns + s->fail.ns) * 1e-9);
  labels(out, "tenfold_request_seconds_count", row);
  ten_buf_printf(out, "} %llu\n", (unsigned long long)sum);
}

void serve_metrics_print(serve_server *server, ten_buf *out) {
  const serve_metrics *m = &server->metrics;
  size_t waiting, running;
  serve_pool_depth(&server->pool, &waiting, &running);
  gauge(out, "tenfold_up_seconds", "Time since the server started", ten_clock() - server->started);
  gauge(out, "tenfold_connections", "Open connections", (double)server->conn_count);
  gauge(out, "tenfold_queue_depth", "Requests that wait", (double)waiting);
  gauge(out, "tenfold_running", "Requests that run", (double)running);
  gauge(out, "tenfold_request_memory_bytes", "Memory of requests being received or answered", (double)server->memory);
  counter(out, "tenfold_connections_total", "Connections accepted", m->connections);
  counter(out, "tenfold_connections_refused_total", "Connections refused: too many, or no TLS", m->refused_connections);
  counter(out, "tenfold_connections_timed_out_total", "Connections closed for being too slow",
          m->timed_out_connections);
  counter(out, "tenfold_requests_timed_out_total", "Requests of HTTP/2 that took too long to come",
          m->timed_out_requests);
  uint64_t over = 0;
  for (unsigned i = 0; i < server->token_count; i++) over += server->tokens[i].refused;
  counter(out, "tenfold_over_quota_total", "Requests refused because their token's quota was used up", over);
  gauge(out, "tenfold_processes", "Clients whose programs run in a process of their own", (double)server->processes);
  counter(out, "tenfold_unauthorized_total", "Requests without a token that is known", m->unauthorized);
  counter(out, "tenfold_floods_total", "Connections closed for a flood of frames", m->floods);
  counter(out, "tenfold_grpc_requests_total", "Calls of gRPC", m->grpc_requests);
  counter(out, "tenfold_grpc_failures_total", "Calls of gRPC that failed", m->by_class[0]);
  ten_buf_adds(out,
               "# HELP tenfold_http_requests_total Requests of REST by status\n"
               "# TYPE tenfold_http_requests_total counter\n");
  for (int i = 2; i < 6; i++)
    ten_buf_printf(out, "tenfold_http_requests_total{code=\"%dxx\"} %llu\n", i, (unsigned long long)m->by_class[i]);
  serve_index index;
  serve_repository_index(&server->repository, &index);
  for (size_t c = 0; c < sizeof columns / sizeof *columns; c++) {
    ten_buf_printf(out, "# HELP %s %s\n# TYPE %s counter\n", columns[c].name, columns[c].help, columns[c].name);
    for (size_t i = 0; i < index.count; i++) {
      if (!index.data[i].model) continue;
      const serve_statistics s = serve_model_statistics(index.data[i].model);
      labels(out, columns[c].name, &index.data[i]);
      ten_buf_printf(out, "} %.15g\n", (double)columns[c].get(&s) * columns[c].scale);
    }
  }
  ten_buf_adds(out,
               "# HELP tenfold_request_seconds Time from a request to its answer\n"
               "# TYPE tenfold_request_seconds histogram\n");
  for (size_t i = 0; i < index.count; i++) {
    if (!index.data[i].model) continue;
    const serve_statistics s = serve_model_statistics(index.data[i].model);
    histogram(out, &index.data[i], &s);
  }
  serve_index_free(&index);
}

/* ---- the status page --------------------------------------------------------------------------------------------- */

static void html(ten_buf *out, const char *text) {
  for (; *text; text++) {
    if (*text == '<')
      ten_buf_adds(out, "&lt;");
    else if (*text == '&')
      ten_buf_adds(out, "&amp;");
    else if (*text == '"')
      ten_buf_adds(out, "&quot;");
    else
      ten_buf_addc(out, *text);
  }
}

/* A histogram of request durations, over a logarithmic axis. */
static void latency_plot(ten_buf *out, const serve_statistics *s) {
  uint64_t most = 1;
  for (int i = 0; i < SERVE_LATENCY_BUCKETS; i++) most = s->latency[i] > most ? s->latency[i] : most;
  ten_buf_printf(out, "<svg width=\"264\" height=\"40\" role=\"img\" aria-label=\"latency\">");
  for (int i = 0; i < SERVE_LATENCY_BUCKETS; i++) {
    const double height = 38.0 * (double)s->latency[i] / (double)most;
    ten_buf_printf(out,
                   "<rect x=\"%d\" y=\"%.1f\" width=\"10\" height=\"%.1f\"><title>up to %g ms: %llu</title></rect>",
                   i * 12, 40 - height, height, 1e-2 * (double)(1u << i), (unsigned long long)s->latency[i]);
  }
  ten_buf_adds(out, "</svg>");
}

void serve_page_print(serve_server *server, ten_buf *out) {
  size_t waiting, running;
  serve_pool_depth(&server->pool, &waiting, &running);
  ten_buf_printf(out,
                 "<!doctype html><html lang=\"en\"><head><meta charset=\"utf-8\"><meta http-equiv=\"refresh\" "
                 "content=\"2\"><title>Tenfold</title><style>body{font:15px system-ui,sans-serif;margin:2em}"
                 "td,th{padding:.3em 1em .3em 0;text-align:left;vertical-align:bottom}rect{fill:#2563eb}"
                 ".no{color:#b91c1c}</style></head><body><h1>Tenfold %s</h1><p id=\"queue\">%zu waiting, %zu running, "
                 "%zu connections, up %.0f s</p><table><thead><tr><th>model<th>version<th>state<th>requests<th>failed"
                 "<th>mean<th>latency, 10 us to 20 s</tr></thead><tbody>",
                 ten_version(), waiting, running, server->conn_count, ten_clock() - server->started);
  serve_index index;
  serve_repository_index(&server->repository, &index);
  for (size_t i = 0; i < index.count; i++) {
    const serve_index_row *row = &index.data[i];
    const serve_statistics s = row->model ? serve_model_statistics(row->model) : (serve_statistics){0};
    ten_buf_adds(out, "<tr><td>");
    html(out, row->name);
    ten_buf_adds(out, "<td>");
    html(out, row->version);
    ten_buf_adds(out, row->model ? "<td>ready" : "<td class=\"no\">");
    if (!row->model) html(out, row->reason ? row->reason : "not loaded");
    ten_buf_printf(out, "<td>%llu<td>%llu<td>%.3f ms<td>", (unsigned long long)(s.success.count + s.fail.count),
                   (unsigned long long)s.fail.count,
                   s.success.count ? (double)s.success.ns / (double)s.success.count * 1e-6 : 0.0);
    if (row->model) latency_plot(out, &s);
    ten_buf_adds(out, "</tr>");
  }
  serve_index_free(&index);
  ten_buf_adds(out, "</tbody></table><p><a href=\"/metrics\">metrics</a></p></body></html>\n");
}
