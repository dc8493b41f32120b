/* log.c: the access log: a line of JSON for each request. It contains no secrets of clients: no token, no value, no
 * query. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "serve/json.h"
#include "serve/server.h"

static ten_status *print_line(void *argument) {
  const serve_exchange *x = argument;
  ten_buf out = {0};
  struct timespec now;
  struct tm parts;
  clock_gettime(CLOCK_REALTIME, &now);
  gmtime_r(&now.tv_sec, &parts);
  ten_buf_printf(&out, "{\"time\":\"%04d-%02d-%02dT%02d:%02d:%02d.%03ldZ\",\"peer\":\"%s\",\"protocol\":\"%s\"",
                 parts.tm_year + 1900, parts.tm_mon + 1, parts.tm_mday, parts.tm_hour, parts.tm_min, parts.tm_sec,
                 now.tv_nsec / 1000000, x->conn->peer,
                 x->grpc     ? "grpc"
                 : x->stream ? "http/2"
                             : "http/1.1");
  const char *query = x->path ? strchr(x->path, '?') : NULL;
  const size_t size = !x->path ? 0 : query ? (size_t)(query - x->path) : strlen(x->path);
  ten_buf_adds(&out, ",\"method\":");
  ten_buf_add_json(&out, ten_str_of(x->method));
  ten_buf_adds(&out, ",\"path\":");
  ten_buf_add_json(&out, (ten_str){x->path, size < 200 ? size : 200});
  if (*x->subject) {
    ten_buf_adds(&out, ",\"model\":");
    ten_buf_add_json(&out, ten_str_of(x->subject));
  }
  if (x->token) ten_buf_printf(&out, ",\"token\":%u", x->token);
  ten_buf_printf(&out, ",\"status\":%d,\"bytes\":%zu,\"ms\":%.3f%s}\n", x->status, x->sent,
                 (ten_clock() - x->start) * 1e3, x->responded ? "" : ",\"abandoned\":true");
  if (write(x->server->log_fd, out.data, out.size) < 0) { /* a full disk does not stop the server */
  }
  ten_buf_free(&out);
  return NULL;
}

void serve_log_access(const serve_exchange *exchange) {
  serve_metrics *metrics = &exchange->server->metrics;
  const int kind = exchange->grpc ? 0 : exchange->status / 100;
  if (kind > 0 && kind < 6) metrics->by_class[kind]++;
  if (exchange->grpc && exchange->status) metrics->by_class[0]++;
  if (exchange->server->log_fd < 0) return;
  ten_status_free(ten_recover("writing the access log", print_line, (void *)(uintptr_t)exchange));
}
