/* grpc.c: gRPC over HTTP/2: messages in their frames, the table of methods, one message at a time of a stream. */
#include "serve/grpc.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "serve/device.h"

enum { PREFIX = 5 };

static const serve_method *const tables[] = {serve_inference_methods, serve_health_methods, serve_reflection_methods,
                                             serve_device_methods};

static const serve_method *method_find(const char *path) {
  for (size_t i = 0; i < sizeof tables / sizeof *tables; i++)
    for (const serve_method *method = tables[i]; method->path; method++)
      if (!strcmp(method->path, path)) return method;
  return NULL;
}

/* A small message can describe many empty objects: its unpacked size is bounded by its size. */
typedef struct budget {
  size_t left;
} budget;

static void *budget_alloc(void *data, size_t size) {
  budget *b = data;
  if (size > b->left) return NULL;
  b->left -= size;
  return malloc(size);
}

static void budget_free(void *data, void *pointer) {
  (void)data;
  free(pointer);
}

ProtobufCMessage *serve_grpc_unpack(const ProtobufCMessageDescriptor *descriptor, const void *data, size_t size) {
  budget b = {(64 << 10) + size * 16};
  ProtobufCAllocator allocator = {budget_alloc, budget_free, &b};
  return protobuf_c_message_unpack(descriptor, &allocator, size, data);
}

void serve_grpc_reply(serve_exchange *exchange, const ProtobufCMessage *message) {
  const size_t size = protobuf_c_message_get_packed_size(message);
  char *body = ten_alloc(size + 1);
  protobuf_c_message_pack(message, (uint8_t *)body);
  serve_grpc_send(exchange, body, size);
}

void serve_grpc_answer(serve_exchange *exchange, const ProtobufCMessage *message) {
  serve_grpc_reply(exchange, message);
  serve_grpc_end(exchange, GRPC_OK, NULL);
}

void serve_grpc_fail(serve_exchange *exchange, ten_status *status) {
  serve_grpc_end(exchange, serve_grpc_code(status), ten_status_text(status));
  ten_status_free(status);
}

void serve_grpc_begin(serve_exchange *exchange) {
  const ten_str encoding = exchange->fields.grpc_encoding;
  exchange->server->metrics.grpc_requests++;
  exchange->grpc_method = method_find(exchange->path);
  if (strcmp(exchange->method, "POST") != 0 || !exchange->grpc_method)
    serve_grpc_end(exchange, GRPC_UNIMPLEMENTED, "no such method here");
  else if (encoding.size && !ten_str_is(encoding, "identity"))
    serve_grpc_end(exchange, GRPC_UNIMPLEMENTED, "compressed messages are not read; use grpc-encoding: identity");
}

/* The size of the message at the front of the body if it is complete; -1: not yet. Ends the call if it is invalid. */
static int64_t message_size(serve_exchange *exchange) {
  if (exchange->body_size < PREFIX) return -1;
  const unsigned char *at = (const unsigned char *)exchange->body;
  const size_t size = (size_t)at[1] << 24 | (size_t)at[2] << 16 | (size_t)at[3] << 8 | at[4];
  if (at[0]) {
    serve_grpc_end(exchange, GRPC_UNIMPLEMENTED, "compressed messages are not read; use grpc-encoding: identity");
  } else if (size > (size_t)exchange->server->options.max_body << 20) {
    serve_grpc_end(exchange, GRPC_RESOURCE_EXHAUSTED, "the message is larger than --max-body");
  } else {
    return exchange->body_size - PREFIX >= size ? (int64_t)size : -1;
  }
  serve_exchange_free_body(exchange);
  return -1;
}

static void message_answer(serve_exchange *exchange, size_t size) {
  const serve_method *method = exchange->grpc_method;
  if (method->start) {
    char *body = exchange->body;
    const size_t capacity = exchange->body_capacity, rest = exchange->body_size - PREFIX - size;
    exchange->body = NULL;
    exchange->body_size = exchange->body_capacity = 0;
    if (rest) (void)serve_exchange_add(exchange, body + PREFIX + size, rest, 0);
    exchange->busy = true;
    method->start(exchange, body, PREFIX, size, capacity);
    return;
  }
  ProtobufCMessage *request = method->take ? NULL : serve_grpc_unpack(method->request, exchange->body + PREFIX, size);
  if (method->take) method->take(exchange, exchange->body + PREFIX, size);
  exchange->body_size -= PREFIX + size;
  memmove(exchange->body, exchange->body + PREFIX + size, exchange->body_size);
  exchange->partial_since = ten_clock();
  if (method->take) return;
  if (request)
    method->answer(exchange, request);
  else
    serve_grpc_end(exchange, GRPC_INVALID_ARGUMENT, "the message cannot be read");
  protobuf_c_message_free_unpacked(request, NULL);
}

/* Messages are answered one after the other, so that answers are in request order; the next one waits while the client
 * does not read its answers. */
static void pump(serve_exchange *exchange) {
  while (!exchange->responded && !exchange->abandoned && !exchange->busy) {
    if (!exchange->grpc_method->streams && !exchange->received) return;
    const int64_t size = message_size(exchange);
    if (size < 0) break;
    if (!exchange->grpc_method->streams && exchange->body_size != PREFIX + (size_t)size) {
      serve_grpc_end(exchange, GRPC_INVALID_ARGUMENT, "one message was expected");
      return;
    }
    message_answer(exchange, (size_t)size);
  }
  if (!exchange->received || exchange->responded || exchange->abandoned || exchange->busy) return;
  if (exchange->grpc_method->streams && !exchange->body_size) {
    exchange->busy = true;
    if (exchange->grpc_method->finish)
      exchange->grpc_method->finish(exchange);
    else
      serve_grpc_end(exchange, GRPC_OK, NULL);
  } else {
    serve_grpc_end(exchange, GRPC_INVALID_ARGUMENT, "the message ends before it is whole");
  }
}

void serve_grpc_received(serve_exchange *exchange) { pump(exchange); }
void serve_grpc_half_close(serve_exchange *exchange) { pump(exchange); }

void serve_grpc_next(serve_exchange *exchange) {
  exchange->busy = false;
  pump(exchange);
}
