/* exchange.c: one request and its answer, in either protocol. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "serve/call.h"
#include "serve/server.h"

enum { BODY_ALIGNMENT = 64, BODY_FIRST = 1 << 20 };

serve_exchange *serve_exchange_create(serve_conn *conn, int32_t stream) {
  serve_exchange *exchange = ten_alloc(sizeof *exchange);
  *exchange =
      (serve_exchange){.conn = conn, .server = conn->server, .stream = stream, .start = ten_clock(), .references = 1};
  conn->references++;
  return exchange;
}

void serve_exchange_retain(serve_exchange *exchange) { exchange->references++; }

void serve_exchange_free_body(serve_exchange *exchange) {
  exchange->server->memory -= exchange->body_capacity;
  free(exchange->body);
  exchange->body = NULL;
  exchange->body_size = exchange->body_capacity = 0;
}

void serve_exchange_release(serve_exchange *exchange) {
  if (--exchange->references) return;
  serve_log_access(exchange);
  serve_exchange_free_body(exchange);
  if (exchange->state_free) exchange->state_free(exchange->state);
  if (exchange->counted) exchange->server->tokens[exchange->token - 1].running--;
  exchange->conn->references--;
  free(exchange->path);
  free(exchange->header_text);
  free(exchange);
}

int serve_exchange_add(serve_exchange *exchange, const void *data, size_t size, uint64_t hint) {
  serve_server *server = exchange->server;
  const size_t most = (size_t)server->options.max_body << 20;
  if (size > most || exchange->body_size > most - size || hint > most) return 413;
  const size_t wanted = exchange->body_size + size;
  if (wanted > exchange->body_capacity) {
    size_t capacity = exchange->body_capacity ? exchange->body_capacity * 2
                      : hint < BODY_FIRST     ? (size_t)hint
                                              : BODY_FIRST;
    if (capacity < wanted) capacity = wanted;
    capacity = (capacity + BODY_ALIGNMENT - 1) & ~(size_t)(BODY_ALIGNMENT - 1);
    if (server->memory + capacity > (size_t)server->options.max_memory << 20) return 503;
    char *body = aligned_alloc(BODY_ALIGNMENT, capacity);
    if (!body) return 503;
    if (exchange->body_size) memcpy(body, exchange->body, exchange->body_size);
    free(exchange->body);
    server->memory += capacity - exchange->body_capacity;
    exchange->body = body;
    exchange->body_capacity = capacity;
  }
  memcpy(exchange->body + exchange->body_size, data, size);
  exchange->body_size = wanted;
  return 0;
}

void serve_exchange_abandon(serve_exchange *exchange) {
  exchange->abandoned = true;
  for (serve_call *call = exchange->calls; call; call = call->next_of_exchange) serve_call_cancel(call);
}

static const struct {
  int status;
  const char *reason;
} reasons[] = {
    {100, "Continue"},
    {200, "OK"},
    {400, "Bad Request"},
    {401, "Unauthorized"},
    {403, "Forbidden"},
    {404, "Not Found"},
    {405, "Method Not Allowed"},
    {408, "Request Timeout"},
    {413, "Content Too Large"},
    {415, "Unsupported Media Type"},
    {417, "Expectation Failed"},
    {429, "Too Many Requests"},
    {431, "Request Header Fields Too Large"},
    {499, "Client Closed Request"},
    {500, "Internal Server Error"},
    {501, "Not Implemented"},
    {503, "Service Unavailable"},
    {504, "Gateway Timeout"},
    {505, "HTTP Version Not Supported"},
};

const char *http_reason(int status) {
  for (size_t i = 0; i < sizeof reasons / sizeof *reasons; i++)
    if (reasons[i].status == status) return reasons[i].reason;
  return "Unknown";
}

void serve_respond(serve_exchange *exchange, int status, const char *content_type, const char *headers, char *body,
                   size_t size) {
  if (exchange->responded || exchange->abandoned) {
    free(body);
    return;
  }
  if (!body && status >= 400) { /* an error has a body that explains it */
    char text[128];
    snprintf(text, sizeof text, "{\"error\":\"%s\"}", exchange->why ? exchange->why : http_reason(status));
    body = ten_strdup(text);
    size = strlen(text);
    content_type = "application/json";
  }
  exchange->status = status;
  exchange->sent = size;
  exchange->responded = true;
  if (exchange->stream)
    serve_h2_respond(exchange, status, content_type, headers, body, size);
  else
    serve_http1_respond(exchange, status, content_type, headers, body, size);
}
