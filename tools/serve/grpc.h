/* grpc.h: the gRPC methods of the server, and packing of their messages. */
#ifndef TEN_SERVE_GRPC_H
#define TEN_SERVE_GRPC_H

#include <protobuf-c/protobuf-c.h>

#include "serve/call.h"

/* Codes of gRPC. */
enum {
  GRPC_OK = 0,
  GRPC_CANCELLED = 1,
  GRPC_INVALID_ARGUMENT = 3,
  GRPC_DEADLINE_EXCEEDED = 4,
  GRPC_NOT_FOUND = 5,
  GRPC_PERMISSION_DENIED = 7,
  GRPC_RESOURCE_EXHAUSTED = 8,
  GRPC_UNIMPLEMENTED = 12,
  GRPC_INTERNAL = 13,
  GRPC_UNAVAILABLE = 14,
  GRPC_UNAUTHENTICATED = 16
};

typedef struct serve_method {
  const char *path; /* "/inference.GRPCInferenceService/ServerLive" */
  bool streams;     /* the client sends any number of messages */
  const ProtobufCMessageDescriptor *request;
  /* One of these three: answers an unpacked message; takes ownership of its body; parses it in place. */
  void (*answer)(serve_exchange *exchange, const ProtobufCMessage *request);
  void (*start)(serve_exchange *exchange, char *body, size_t offset, size_t size, size_t capacity);
  void (*take)(serve_exchange *exchange, const char *data, size_t size);
  /* The client has ended its stream; NULL: the call ends. */
  void (*finish)(serve_exchange *exchange);
} serve_method;

extern const serve_method serve_inference_methods[]; /* ended by one without a path */
extern const serve_method serve_health_methods[];
extern const serve_method serve_reflection_methods[];
extern const serve_protocol serve_grpc_protocol, serve_grpc_stream_protocol;

/* Unpacks a message; NULL when it is invalid or takes many times more memory than its bytes. Freed by
 * protobuf_c_message_free_unpacked(message, NULL). */
ProtobufCMessage *serve_grpc_unpack(const ProtobufCMessageDescriptor *descriptor, const void *data, size_t size);
/* Sends one message; and ends the call. */
void serve_grpc_reply(serve_exchange *exchange, const ProtobufCMessage *message);
void serve_grpc_answer(serve_exchange *exchange, const ProtobufCMessage *message);
/* Ends the call with an error; takes ownership of the status. */
void serve_grpc_fail(serve_exchange *exchange, ten_status *status);
/* A message of a stream was answered: the next one may begin. */
void serve_grpc_next(serve_exchange *exchange);

#endif
