/* call.h: one inference: read from a request, queued, run, answered. Reading and answering depend on the protocol; what
 * lies between does not. */
#ifndef TEN_SERVE_CALL_H
#define TEN_SERVE_CALL_H

#include "serve/server.h"

/* An output as the client wants it. */
typedef struct serve_wish {
  uint32_t port;
  int binary;           /* REST: bytes after the JSON; -1: as the request says of all */
  serve_region *region; /* retained: shared memory that it is written to, or NULL */
  size_t offset, size;  /* there */
} serve_wish;

typedef struct serve_protocol {
  /* Reads the request's body into model, inputs and wishes. On the loop's thread if it is small, else on a worker's. */
  ten_status *(*read)(serve_call *call);
  /* Packs the answer of a call that succeeded into answer, on a worker's thread. */
  ten_status *(*pack)(serve_call *call);
  /* Sends the answer, or the error in call->status, on the loop's thread. */
  void (*send)(serve_call *call);
} serve_protocol;

struct serve_call {
  serve_job job; /* first */
  const serve_protocol *protocol;
  serve_call *next_of_exchange;
  serve_exchange *exchange; /* retained */
  serve_server *server;
  serve_model *model;               /* retained, once it is known */
  char *model_name, *model_version; /* owned; as the path of REST has them */
  char *id;                         /* owned, or NULL */
  char *body;                       /* owned: what the inputs look into */
  size_t body_offset, body_size;    /* where the request begins in it, and its size */
  size_t body_capacity;
  void *message; /* owned: gRPC's request, unpacked, which the inputs look into */
  bool is_raw;   /* gRPC: values came as bytes and go so */
  bool cancelled;
  bool was_read;
  ten_tensor **inputs, **outputs; /* owned, by port */
  serve_region **input_regions;   /* owned, retained: shared memory that inputs look into */
  TEN_VEC(serve_wish) wishes;     /* empty: all outputs */
  ten_status *status;             /* owned */
  bool expired;
  char *answer; /* owned */
  size_t answer_size, answer_head;
  double start, begun, input_seconds, infer_seconds, output_seconds, queue_seconds;
};

/* Takes `body`, of `capacity` bytes, which has the request at `offset`, and starts the call. */
void serve_call_start(serve_exchange *exchange, const serve_protocol *protocol, const char *model, const char *version,
                      char *body, size_t offset, size_t size, size_t capacity);
void serve_call_cancel(serve_call *call);
/* Answers those that waited past their deadline. */
void serve_calls_expire(serve_server *server, double now);

/* For protocols that read: finds the model (call->model), and sets an input from bytes that stay; from a region. */
TEN_MUST_USE ten_status *serve_call_find_model(serve_call *call, const char *name, const char *version);
TEN_MUST_USE ten_status *serve_call_set_input(serve_call *call, ten_str name, const serve_type *type, uint32_t rank,
                                              const int64_t *dims, const void *data, size_t size);
/* The port and its checks alone; the caller fills call->inputs[*out_port], which is made zeroed. */
TEN_MUST_USE ten_status *serve_call_make_input(serve_call *call, ten_str name, const serve_type *type, uint32_t rank,
                                               const int64_t *dims, uint32_t *out_port);
TEN_MUST_USE ten_status *serve_call_set_region(serve_call *call, ten_str name, const serve_type *type, uint32_t rank,
                                               const int64_t *dims, const char *region, uint64_t offset, uint64_t size);
TEN_MUST_USE ten_status *serve_call_add_wish(serve_call *call, ten_str name, int binary, const char *region,
                                             uint64_t offset, uint64_t size);
/* A parameter of the request: "timeout" in microseconds; sequences are refused. */
TEN_MUST_USE ten_status *serve_call_parameter(serve_call *call, ten_str name, double value);
/* Every input is there; fills in the wishes when none was made. */
TEN_MUST_USE ten_status *serve_call_check(serve_call *call);
/* An output that goes to shared memory: written there. */
TEN_MUST_USE ten_status *serve_call_write_region(const serve_wish *wish, const ten_tensor *output, const char *name);

#endif
