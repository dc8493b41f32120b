/* http1.c: HTTP/1.1 on a connection: one request at a time; the next one is read when the answer is queued. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "serve/server.h"

static void in_drop(serve_conn *conn, size_t size) {
  conn->in_size -= size;
  memmove(conn->in, conn->in + size, conn->in_size);
}

/* Answered before it was read: the connection is closed afterwards, and further input is discarded, so that the client
 * sees the answer and not a reset. */
static void refuse(serve_conn *conn, int status) {
  if (!conn->exchange) conn->exchange = serve_exchange_create(conn, 0);
  conn->refused = true;
  conn->in_size = 0;
  serve_respond(conn->exchange, status, NULL, NULL, NULL, 0);
}

static const char *inside(const char *from, const char *to, const char *at) { return at ? to + (at - from) : NULL; }

/* The fields are views of conn->in, which advances: they get a copy of the head. */
static void keep_head(serve_exchange *exchange, const char *data, size_t size, const http_head *head) {
  exchange->header_text = ten_alloc(size);
  memcpy(exchange->header_text, data, size);
  exchange->fields = head->fields;
  ten_str *const texts[] = {
      &exchange->fields.authorization, &exchange->fields.content_type, &exchange->fields.content_encoding,
      &exchange->fields.accept,        &exchange->fields.host,         &exchange->fields.grpc_timeout,
      &exchange->fields.grpc_encoding};
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
    texts[i]->data = inside(data, exchange->header_text, texts[i]->data);
  snprintf(exchange->method, sizeof exchange->method, "%.*s", TEN_FMT(head->method));
  exchange->path = ten_alloc(head->target.size + 1);
  memcpy(exchange->path, head->target.data, head->target.size);
  exchange->path[head->target.size] = 0;
}

/* True: a head was parsed. */
static bool take_head(serve_conn *conn) {
  if (!conn->in_size) return false;
  if (conn->request_start <= 0) conn->request_start = ten_clock();
  http_head head;
  const int size = http_head_parse(conn->in, conn->in_size, &head);
  if (size < 0) refuse(conn, -size);
  if (size <= 0) return false;
  serve_exchange *exchange = conn->exchange = serve_exchange_create(conn, 0);
  keep_head(exchange, conn->in, (size_t)size, &head);
  exchange->keep_alive = head.keep_alive;
  in_drop(conn, (size_t)size);
  conn->head = head;
  conn->head.fields = (http_fields){0};
  conn->chunks = (http_chunks){0};
  conn->body_left = head.chunked ? 0 : head.fields.length;
  const int wrong = serve_admit(exchange, head.chunked ? 0 : head.fields.length);
  if (wrong) {
    refuse(conn, wrong);
    return false;
  }
  if (head.expects_continue && (head.chunked || conn->body_left)) {
    serve_conn_send(conn, "HTTP/1.1 100 Continue\r\n\r\n", 25);
    serve_conn_flush(conn);
  }
  return !conn->closed;
}

/* 0: the body is complete; 1: incomplete; otherwise the status of a refusal. */
static int take_body(serve_conn *conn) {
  serve_exchange *exchange = conn->exchange;
  if (!conn->head.chunked) {
    const size_t now = conn->in_size < conn->body_left ? conn->in_size : (size_t)conn->body_left;
    const int wrong = now ? serve_exchange_add(exchange, conn->in, now, conn->body_left) : 0;
    if (wrong) return wrong;
    conn->body_left -= now;
    in_drop(conn, now);
    return conn->body_left ? 1 : 0;
  }
  size_t at = 0;
  for (;;) {
    size_t used;
    ten_str data;
    const http_chunk_result result = http_chunks_next(&conn->chunks, conn->in + at, conn->in_size - at, &used, &data);
    at += used;
    const int wrong = data.size ? serve_exchange_add(exchange, data.data, data.size, 0) : 0;
    if (wrong) return wrong;
    if (result == HTTP_CHUNK_SOME) continue;
    in_drop(conn, at);
    return result == HTTP_CHUNK_WRONG ? 400 : result == HTTP_CHUNK_MORE;
  }
}

static void take_requests(serve_conn *conn) {
  while (!conn->closed && !conn->busy && !conn->refused) {
    if (!conn->exchange && !take_head(conn)) return;
    const int more = take_body(conn);
    if (more == 1) return;
    if (more) {
      refuse(conn, more);
      return;
    }
    conn->request_start = 0;
    conn->busy = true;
    conn->exchange->received = true;
    serve_dispatch(conn->exchange);
  }
}

void serve_http1_read(serve_conn *conn) {
  if (conn->reading) return; /* answered at once: the loop below continues */
  conn->reading = true;
  take_requests(conn);
  conn->reading = false;
}

void serve_http1_respond(serve_exchange *exchange, int status, const char *content_type, const char *headers,
                         char *body, size_t size) {
  serve_conn *conn = exchange->conn;
  const bool ends = !exchange->keep_alive || !exchange->received || conn->refused || conn->server->draining;
  char head[512];
  const int length =
      snprintf(head, sizeof head, "HTTP/1.1 %d %s\r\nContent-Type: %s\r\nContent-Length: %zu\r\n%s%s\r\n", status,
               http_reason(status), content_type ? content_type : "application/json", size, headers ? headers : "",
               ends ? "Connection: close\r\n" : "");
  serve_conn_send(conn, head, (size_t)length);
  if (body && strcmp(exchange->method, "HEAD") != 0)
    serve_conn_send_owned(conn, body, size);
  else
    free(body);
  conn->ending |= ends;
  conn->request_start = 0;
  conn->exchange = NULL;
  serve_exchange_release(exchange);
  conn->busy = ends && !conn->refused;
  serve_conn_flush(conn);
}
