/* h2.c: HTTP/2 on a connection, by nghttp2: streams become exchanges, answers become frames. The library does framing,
 * header compression and flow control; bounded here: concurrent streams, bytes of headers, resets and control frames
 * per second, and queued output. */
#include <nghttp2/nghttp2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "serve/frames.h"
#include "serve/grpc.h"
#include "serve/server.h"

enum {
  STREAMS_MOST = 256,     /* concurrently, per connection */
  WINDOW = 8 << 20,       /* per stream: received bytes are consumed at once, so this bounds no memory */
  CONN_WINDOW = 64 << 20, /* of all of a connection's */
  FRAME = 1 << 20,
  RESETS_MOST = 200,      /* per second */
  CONTROLS_MOST = 2000,   /* frames other than DATA and HEADERS per second */
  HEADERS_KEPT = 4 << 10, /* bytes of the header values that are used */
  SMALL_CHUNK = 2 << 10,  /* copied, so that several make one write */
  FRAME_HEAD = 9
};

typedef struct serve_h2 {
  nghttp2_session *session; /* owned */
  size_t streams;
  serve_exchange *first; /* of the streams, linked by next_stream */
  double second;         /* when the counts began */
  unsigned resets, controls;
} serve_h2;

/* The output of a stream. */
typedef struct serve_stream {
  serve_chunk *first, *last; /* owned */
  size_t pending;
  bool begun, deferred, ended; /* the head is sent; nothing to send now; everything is queued */
  int code;                    /* of gRPC */
  char *message;               /* owned: of gRPC, percent-encoded, or NULL */
  size_t header_bytes, kept;
} serve_stream;

static void stream_free(serve_stream *stream) {
  while (stream->first) {
    serve_chunk *chunk = stream->first;
    stream->first = chunk->next;
    serve_chunk_free(chunk);
  }
  free(stream->message);
  free(stream);
}

static serve_exchange *exchange_of(nghttp2_session *session, int32_t id) {
  return nghttp2_session_get_stream_user_data(session, id);
}

/* ---- receiving -------------------------------------------------------------------------------------------------- */

static int on_begin_headers(nghttp2_session *session, const nghttp2_frame *frame, void *user) {
  TEN_RECOVER_AS("serving a stream", NGHTTP2_ERR_CALLBACK_FAILURE); /* not through the library's frames */
  serve_conn *conn = user;
  if (frame->hd.type != NGHTTP2_HEADERS || frame->headers.cat != NGHTTP2_HCAT_REQUEST) return 0;
  serve_exchange *exchange = serve_exchange_create(conn, frame->hd.stream_id);
  exchange->h2 = ten_alloc(sizeof *exchange->h2);
  *exchange->h2 = (serve_stream){0};
  conn->h2->streams++;
  exchange->next_stream = conn->h2->first;
  conn->h2->first = exchange;
  nghttp2_session_set_stream_user_data(session, frame->hd.stream_id, exchange);
  return 0;
}

static int on_header(nghttp2_session *session, const nghttp2_frame *frame, const uint8_t *name, size_t name_size,
                     const uint8_t *value, size_t value_size, uint8_t flags, void *user) {
  (void)flags;
  (void)user;
  TEN_RECOVER_AS("serving a stream", NGHTTP2_ERR_CALLBACK_FAILURE); /* not through the library's frames */
  serve_exchange *exchange = exchange_of(session, frame->hd.stream_id);
  if (!exchange || frame->headers.cat != NGHTTP2_HCAT_REQUEST) return 0;
  serve_stream *stream = exchange->h2;
  const ten_str key = {(const char *)name, name_size}, text = {(const char *)value, value_size};
  stream->header_bytes += name_size + value_size + 32;
  if (stream->header_bytes > HTTP_HEAD_MOST) return NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE;
  if (ten_str_is(key, ":method")) {
    snprintf(exchange->method, sizeof exchange->method, "%.*s", TEN_FMT(text));
    return 0;
  }
  if (ten_str_is(key, ":path")) {
    free(exchange->path);
    exchange->path = ten_alloc(value_size + 1);
    memcpy(exchange->path, value, value_size);
    exchange->path[value_size] = 0;
    return 0;
  }
  http_fields probe = {0};
  if (!http_field_set(&probe, key, text)) return NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE;
  const http_fields none = {0};
  if (!memcmp(&probe, &none, sizeof probe)) return 0; /* not one of ours */
  if (!exchange->header_text) exchange->header_text = ten_alloc(HEADERS_KEPT);
  if (value_size > HEADERS_KEPT - stream->kept) return NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE;
  char *own = exchange->header_text + stream->kept;
  memcpy(own, value, value_size);
  stream->kept += value_size;
  if (!http_field_set(&exchange->fields, key, (ten_str){own, value_size})) return NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE;
  return 0;
}

static void request_whole(serve_exchange *exchange) {
  exchange->received = true;
  if (exchange->responded) return;
  if (exchange->grpc)
    serve_grpc_half_close(exchange);
  else
    serve_dispatch(exchange);
}

static void head_whole(serve_exchange *exchange) {
  const http_fields *fields = &exchange->fields;
  if (!exchange->path) exchange->path = ten_strdup("/");
  exchange->grpc = ten_str_starts(fields->content_type, "application/grpc");
  double seconds;
  if (exchange->grpc && fields->grpc_timeout.size && http_grpc_timeout(fields->grpc_timeout, &seconds))
    exchange->deadline = exchange->start + seconds;
  const int wrong = serve_admit(exchange, fields->length);
  if (exchange->grpc && wrong)
    serve_grpc_end(exchange,
                   wrong == 401   ? 16
                   : wrong == 413 ? 8
                   : wrong == 429 ? 8
                   : wrong == 503 ? 14
                                  : 3,
                   wrong == 401    ? "a token is required: 'authorization: Bearer TOKEN'"
                   : exchange->why ? exchange->why
                                   : http_reason(wrong));
  else if (wrong)
    serve_respond(exchange, wrong, NULL, NULL, NULL, 0);
  else if (exchange->grpc)
    serve_grpc_begin(exchange);
}

/* Floods: frames that cost the server more than the client. */
static bool is_flood(serve_h2 *h2, const nghttp2_frame *frame) {
  const double now = ten_clock();
  if (now - h2->second > 1) {
    h2->second = now;
    h2->resets = h2->controls = 0;
  }
  if (frame->hd.type == NGHTTP2_RST_STREAM) h2->resets++;
  if (frame->hd.type != NGHTTP2_DATA && frame->hd.type != NGHTTP2_HEADERS && frame->hd.type != NGHTTP2_WINDOW_UPDATE)
    h2->controls++;
  return h2->resets > RESETS_MOST || h2->controls > CONTROLS_MOST;
}

static int on_frame(nghttp2_session *session, const nghttp2_frame *frame, void *user) {
  TEN_RECOVER_AS("serving a stream", NGHTTP2_ERR_CALLBACK_FAILURE); /* not through the library's frames */
  serve_conn *conn = user;
  if (is_flood(conn->h2, frame)) {
    conn->server->metrics.floods++;
    nghttp2_session_terminate_session(session, NGHTTP2_ENHANCE_YOUR_CALM);
    conn->ending = true;
    return 0;
  }
  if (frame->hd.type != NGHTTP2_DATA && frame->hd.type != NGHTTP2_HEADERS) return 0;
  serve_exchange *exchange = exchange_of(session, frame->hd.stream_id);
  if (!exchange) return 0;
  if (frame->hd.type == NGHTTP2_HEADERS && frame->headers.cat == NGHTTP2_HCAT_REQUEST) head_whole(exchange);
  if (frame->hd.flags & NGHTTP2_FLAG_END_STREAM) request_whole(exchange);
  return 0;
}

static int on_data(nghttp2_session *session, uint8_t flags, int32_t id, const uint8_t *data, size_t size, void *user) {
  (void)flags;
  (void)user;
  TEN_RECOVER_AS("serving a stream", NGHTTP2_ERR_CALLBACK_FAILURE); /* not through the library's frames */
  serve_exchange *exchange = exchange_of(session, id);
  if (!exchange || exchange->responded) return 0;
  if (!exchange->body_size) exchange->partial_since = ten_clock();
  const int wrong = serve_exchange_add(exchange, data, size, exchange->fields.length);
  if (!wrong) {
    if (exchange->grpc) serve_grpc_received(exchange);
    return 0;
  }
  serve_exchange_free_body(exchange);
  if (exchange->grpc)
    serve_grpc_end(exchange, 8,
                   wrong == 413 ? "the request is larger than --max-body" : "no memory for the request now");
  else
    serve_respond(exchange, wrong, NULL, NULL, NULL, 0);
  return 0;
}

static void stream_end(serve_h2 *h2, serve_exchange *exchange) {
  serve_exchange **at = &h2->first;
  while (*at != exchange) at = &(*at)->next_stream;
  *at = exchange->next_stream;
  h2->streams--;
  if (!exchange->responded) serve_exchange_abandon(exchange);
  exchange->abandoned = true;
  stream_free(exchange->h2);
  exchange->h2 = NULL;
  serve_exchange_release(exchange);
}

static int on_stream_close(nghttp2_session *session, int32_t id, uint32_t code, void *user) {
  (void)code;
  serve_conn *conn = user;
  serve_exchange *exchange = exchange_of(session, id);
  if (!exchange) return 0;
  nghttp2_session_set_stream_user_data(session, id, NULL);
  stream_end(conn->h2, exchange);
  return 0;
}

/* ---- sending ---------------------------------------------------------------------------------------------------- */

static nghttp2_nv header(const char *name, const char *value) {
  return (nghttp2_nv){(uint8_t *)(uintptr_t)name, (uint8_t *)(uintptr_t)value, strlen(name), strlen(value), 0};
}

static void submit_trailers(nghttp2_session *session, serve_exchange *exchange) {
  char code[16];
  snprintf(code, sizeof code, "%d", exchange->h2->code);
  const nghttp2_nv trailers[] = {header("grpc-status", code),
                                 header("grpc-message", exchange->h2->message ? exchange->h2->message : "")};
  nghttp2_submit_trailer(session, exchange->stream, trailers, exchange->h2->message ? 2 : 1);
}

/* The size of the next frame; on_send adds it to the connection's output, without copying large parts. */
static ssize_t on_read(nghttp2_session *session, int32_t id, uint8_t *out, size_t room, uint32_t *flags,
                       nghttp2_data_source *source, void *user) {
  TEN_RECOVER_AS("serving a stream", NGHTTP2_ERR_CALLBACK_FAILURE); /* not through the library's frames */
  (void)out;
  (void)source;
  (void)user;
  serve_exchange *exchange = exchange_of(session, id);
  if (!exchange) return NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE;
  serve_stream *stream = exchange->h2;
  if (!stream->pending && exchange->more) exchange->more(exchange);
  const size_t size = stream->pending < room ? stream->pending : room;
  *flags |= NGHTTP2_DATA_FLAG_NO_COPY;
  if (size == stream->pending && stream->ended) {
    *flags |= NGHTTP2_DATA_FLAG_EOF;
    if (exchange->grpc) {
      *flags |= NGHTTP2_DATA_FLAG_NO_END_STREAM;
      submit_trailers(session, exchange);
    }
  } else if (!size) {
    stream->deferred = true;
    return NGHTTP2_ERR_DEFERRED;
  }
  return (ssize_t)size;
}

/* Moves bytes of the stream's first chunk, at most `size`, to the connection; returns how many. */
static size_t chunk_move(serve_conn *conn, serve_stream *stream, size_t size) {
  serve_chunk *chunk = stream->first;
  const size_t left = chunk->size - chunk->at, now = left < size ? left : size;
  if (now < left && chunk->tensor) {
    serve_chunk *part = ten_alloc(sizeof *part);
    *part = *chunk;
    part->size = part->at + now;
    (void)ten_tensor_retain(part->tensor);
    serve_conn_send_chunk(conn, part);
  } else if (now < left || left <= SMALL_CHUNK) {
    serve_conn_send(conn, chunk->data + chunk->at, now);
  }
  chunk->at += now;
  if (now < left) return now;
  stream->first = chunk->next;
  if (!stream->first) stream->last = NULL;
  if (left <= SMALL_CHUNK) {
    serve_chunk_free(chunk);
  } else {
    chunk->at -= now;
    serve_conn_send_chunk(conn, chunk);
  }
  return now;
}

static void stream_move(serve_conn *conn, serve_stream *stream, size_t size) {
  stream->pending -= size;
  while (size) size -= chunk_move(conn, stream, size);
}

static int on_send(nghttp2_session *session, nghttp2_frame *frame, const uint8_t *head, size_t size,
                   nghttp2_data_source *source, void *user) {
  TEN_RECOVER_AS("serving a stream", NGHTTP2_ERR_CALLBACK_FAILURE); /* not through the library's frames */
  (void)source;
  serve_conn *conn = user;
  serve_exchange *exchange = exchange_of(session, frame->hd.stream_id);
  if (!exchange) return NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE;
  if (conn->out_size >= SERVE_OUT_MOST) return NGHTTP2_ERR_WOULDBLOCK;
  serve_conn_send(conn, head, FRAME_HEAD);
  stream_move(conn, exchange->h2, size);
  return 0;
}

/* The answer is sent and the client still sends: reset the stream. Not before, as a reset overtakes the answer. */
static int on_sent(nghttp2_session *session, const nghttp2_frame *frame, void *user) {
  (void)user;
  if ((frame->hd.type != NGHTTP2_HEADERS && frame->hd.type != NGHTTP2_DATA) ||
      !(frame->hd.flags & NGHTTP2_FLAG_END_STREAM))
    return 0;
  const serve_exchange *exchange = exchange_of(session, frame->hd.stream_id);
  if (exchange && !exchange->received)
    nghttp2_submit_rst_stream(session, NGHTTP2_FLAG_NONE, frame->hd.stream_id, NGHTTP2_NO_ERROR);
  return 0;
}

static void stream_append(serve_stream *stream, serve_chunk *chunk) {
  if (stream->last)
    stream->last->next = chunk;
  else
    stream->first = chunk;
  stream->last = chunk;
  stream->pending += chunk->size;
}

/* Takes `data`; `prefix` goes before it. */
static void stream_add(serve_stream *stream, const void *prefix, size_t prefix_size, char *data, size_t size) {
  const size_t inside = size <= 4096 ? size : 0;
  if (prefix_size + inside) {
    serve_chunk *chunk = ten_alloc(sizeof *chunk + prefix_size + inside);
    *chunk = (serve_chunk){.size = prefix_size + inside, .data = (char *)(chunk + 1)};
    if (prefix_size) memcpy(chunk->data, prefix, prefix_size);
    if (inside) memcpy(chunk->data + prefix_size, data, inside);
    stream_append(stream, chunk);
  }
  if (size > inside) {
    serve_chunk *chunk = ten_alloc(sizeof *chunk);
    *chunk = (serve_chunk){.size = size, .data = data};
    stream_append(stream, chunk);
  } else {
    free(data);
  }
}

static void stream_go(serve_exchange *exchange) {
  nghttp2_session *session = exchange->conn->h2->session;
  if (exchange->h2->deferred) {
    exchange->h2->deferred = false;
    nghttp2_session_resume_data(session, exchange->stream);
  }
}

void serve_h2_respond(serve_exchange *exchange, int status, const char *content_type, const char *headers, char *body,
                      size_t size) {
  char code[16], length[32], line[96] = "";
  snprintf(code, sizeof code, "%d", status);
  snprintf(length, sizeof length, "%zu", size);
  nghttp2_nv all[4] = {header(":status", code),
                       header("content-type", content_type ? content_type : "application/json"),
                       header("content-length", length)};
  size_t count = 3;
  unsigned long long number;
  if (headers && sscanf(headers, "Inference-Header-Content-Length: %llu", &number) == 1) {
    snprintf(line, sizeof line, "%llu", number);
    all[count++] = header("inference-header-content-length", line);
  }
  const nghttp2_data_provider provider = {.read_callback = on_read};
  if (body) stream_add(exchange->h2, NULL, 0, body, size);
  exchange->h2->begun = exchange->h2->ended = true;
  nghttp2_submit_response(exchange->conn->h2->session, exchange->stream, all, count, size ? &provider : NULL);
}

void serve_grpc_send(serve_exchange *exchange, char *body, size_t size) {
  if (exchange->responded || exchange->abandoned) {
    free(body);
    return;
  }
  const unsigned char prefix[5] = {0, (unsigned char)(size >> 24), (unsigned char)(size >> 16),
                                   (unsigned char)(size >> 8), (unsigned char)size};
  stream_add(exchange->h2, prefix, 5, body, size);
  exchange->sent += size;
  if (!exchange->h2->begun) {
    const nghttp2_nv all[] = {header(":status", "200"), header("content-type", "application/grpc"),
                              header("grpc-accept-encoding", "identity")};
    const nghttp2_data_provider provider = {.read_callback = on_read};
    exchange->h2->begun = true;
    nghttp2_submit_response(exchange->conn->h2->session, exchange->stream, all, 3, &provider);
  }
  stream_go(exchange);
}

void serve_grpc_send_borrowed(serve_exchange *exchange, const char *head, size_t head_size, ten_tensor *tensor,
                              size_t at, size_t size) {
  if (exchange->responded || exchange->abandoned) return;
  const size_t whole = head_size + size;
  const unsigned char prefix[5] = {0, (unsigned char)(whole >> 24), (unsigned char)(whole >> 16),
                                   (unsigned char)(whole >> 8), (unsigned char)whole};
  serve_chunk *first = ten_alloc(sizeof *first + sizeof prefix + head_size), *rest = ten_alloc(sizeof *rest);
  *first = (serve_chunk){.size = sizeof prefix + head_size, .data = (char *)(first + 1)};
  memcpy(first->data, prefix, sizeof prefix);
  memcpy(first->data + sizeof prefix, head, head_size);
  *rest = (serve_chunk){.size = size, .data = (char *)tensor->data + at, .tensor = ten_tensor_retain(tensor)};
  stream_append(exchange->h2, first);
  stream_append(exchange->h2, rest);
  exchange->sent += whole;
  stream_go(exchange);
}

/* Encoded for a gRPC header: what is not printable ASCII, and %, as %XX. */
static char *percent(const char *text) {
  ten_buf out = {0};
  for (size_t i = 0; text[i] && i < 2000; i++) {
    const unsigned char c = (unsigned char)text[i];
    if (c >= 32 && c < 127 && c != '%')
      ten_buf_addc(&out, (char)c);
    else
      ten_buf_printf(&out, "%%%02X", c);
  }
  return ten_buf_take(&out);
}

void serve_grpc_end(serve_exchange *exchange, int code, const char *message) {
  if (exchange->responded || exchange->abandoned) return;
  serve_stream *stream = exchange->h2;
  exchange->responded = true;
  exchange->status = code;
  stream->code = code;
  if (message && *message) stream->message = percent(message);
  stream->ended = true;
  if (stream->begun) {
    stream_go(exchange);
  } else {
    char text[16];
    snprintf(text, sizeof text, "%d", code);
    const nghttp2_nv all[] = {header(":status", "200"), header("content-type", "application/grpc"),
                              header("grpc-status", text),
                              header("grpc-message", stream->message ? stream->message : "")};
    stream->begun = true;
    nghttp2_submit_response(exchange->conn->h2->session, exchange->stream, all, stream->message ? 4 : 3, NULL);
  }
}

size_t serve_grpc_pending(const serve_exchange *exchange) { return exchange->h2 ? exchange->h2->pending : 0; }

/* ---- the connection ---------------------------------------------------------------------------------------------- */

bool serve_h2_open(serve_conn *conn) {
  nghttp2_session_callbacks *callbacks;
  if (nghttp2_session_callbacks_new(&callbacks)) return false;
  nghttp2_session_callbacks_set_on_begin_headers_callback(callbacks, on_begin_headers);
  nghttp2_session_callbacks_set_on_header_callback(callbacks, on_header);
  nghttp2_session_callbacks_set_on_frame_recv_callback(callbacks, on_frame);
  nghttp2_session_callbacks_set_on_data_chunk_recv_callback(callbacks, on_data);
  nghttp2_session_callbacks_set_on_frame_send_callback(callbacks, on_sent);
  nghttp2_session_callbacks_set_data_source_read_length_callback(callbacks, frame_length);
  nghttp2_session_callbacks_set_send_data_callback(callbacks, on_send);
  nghttp2_session_callbacks_set_on_stream_close_callback(callbacks, on_stream_close);
  conn->h2 = ten_alloc(sizeof *conn->h2);
  *conn->h2 = (serve_h2){0};
  const int wrong = nghttp2_session_server_new(&conn->h2->session, callbacks, conn);
  nghttp2_session_callbacks_del(callbacks);
  if (wrong) return false;
  const nghttp2_settings_entry settings[] = {{NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS, STREAMS_MOST},
                                             {NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE, WINDOW},
                                             {NGHTTP2_SETTINGS_MAX_FRAME_SIZE, FRAME},
                                             {NGHTTP2_SETTINGS_MAX_HEADER_LIST_SIZE, HTTP_HEAD_MOST}};
  return !nghttp2_submit_settings(conn->h2->session, NGHTTP2_FLAG_NONE, settings, 4) &&
         !nghttp2_session_set_local_window_size(conn->h2->session, NGHTTP2_FLAG_NONE, 0, CONN_WINDOW);
}

void serve_h2_close(serve_conn *conn) {
  while (conn->h2->first) stream_end(conn->h2, conn->h2->first);
  if (conn->h2->session) nghttp2_session_del(conn->h2->session);
  free(conn->h2);
  conn->h2 = NULL;
}

bool serve_h2_receive(serve_conn *conn, const char *data, size_t size) {
  return nghttp2_session_mem_recv(conn->h2->session, (const uint8_t *)data, size) == (ssize_t)size;
}

bool serve_h2_fill(serve_conn *conn) {
  nghttp2_session *session = conn->h2->session;
  while (conn->out_size < SERVE_OUT_MOST) {
    const uint8_t *data;
    const ssize_t size = nghttp2_session_mem_send(session, &data);
    if (size < 0) return false;
    if (!size) break;
    serve_conn_send(conn, data, (size_t)size);
  }
  if (!conn->out_size && !nghttp2_session_want_read(session) && !nghttp2_session_want_write(session))
    conn->ending = true;
  return true;
}

void serve_h2_drain(serve_conn *conn) {
  nghttp2_submit_goaway(conn->h2->session, NGHTTP2_FLAG_NONE,
                        nghttp2_session_get_last_proc_stream_id(conn->h2->session), NGHTTP2_NO_ERROR, NULL, 0);
}

bool serve_h2_idle(const serve_conn *conn) { return !conn->h2 || !conn->h2->streams; }

static bool comes_too_slowly(const serve_exchange *exchange, double now, double patience) {
  if (exchange->received || exchange->responded || exchange->abandoned || exchange->busy) return false;
  if (exchange->grpc_method && exchange->grpc_method->streams) /* may be idle, but not within a message */
    return exchange->body_size && now - exchange->partial_since > patience;
  return now - exchange->start > patience;
}

void serve_h2_check_time(serve_conn *conn, double now, double patience) {
  bool ended = false;
  for (serve_exchange *exchange = conn->h2->first; exchange; exchange = exchange->next_stream) {
    if (!comes_too_slowly(exchange, now, patience)) continue;
    serve_exchange_free_body(exchange);
    if (exchange->grpc)
      serve_grpc_end(exchange, GRPC_DEADLINE_EXCEEDED, "the request took too long to come (--timeout)");
    else
      serve_respond(exchange, 408, NULL, NULL, NULL, 0);
    conn->server->metrics.timed_out_requests++;
    ended = true;
  }
  if (ended) serve_conn_flush(conn);
}
