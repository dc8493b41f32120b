/* call.h: one inference: parsed from a request, queued, run, answered. Parsing and answering depend on the protocol;
 * the rest does not. */
#ifndef TEN_SERVE_CALL_H
#define TEN_SERVE_CALL_H

#include "serve/server.h"

/* A requested output. */
typedef struct serve_wish {
  uint32_t port;
  int binary;           /* REST: bytes after the JSON; -1: the request's default */
  serve_region *region; /* retained: shared memory to write it to, or NULL */
  size_t offset, size;  /* there */
} serve_wish;

typedef struct serve_protocol {
  /* Parses the request's body into model, inputs and wishes. On the loop's thread if small, else on a worker's. */
  ten_status *(*read)(serve_call *call);
  /* Packs the answer of a successful call into answer, on a worker's thread. */
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
  serve_model *model;               /* retained, once known */
  char *model_name, *model_version; /* owned; from the path of REST */
  char *id;                         /* owned, or NULL */
  char *body;                       /* owned: the inputs are views of it */
  size_t body_offset, body_size;    /* offset of the request in it, and its size */
  size_t body_capacity;
  void *message; /* owned: gRPC's request, unpacked; the inputs are views of it */
  bool is_raw;   /* gRPC: values are raw bytes, in both directions */
  bool cancelled;
  bool was_read;
  ten_tensor **inputs, **outputs; /* owned, by port */
  serve_region **input_regions;   /* owned, retained: shared memory that inputs are views of */
  TEN_VEC(serve_wish) wishes;     /* empty: all outputs */
  ten_status *status;             /* owned */
  bool expired;
  char *answer; /* owned */
  size_t answer_size, answer_head;
  double start, begun, input_seconds, infer_seconds, output_seconds, queue_seconds;
};

/* Takes ownership of `body`, of `capacity` bytes, with the request at `offset`, and starts the call. */
void serve_call_start(serve_exchange *exchange, const serve_protocol *protocol, const char *model, const char *version,
                      char *body, size_t offset, size_t size, size_t capacity);
void serve_call_cancel(serve_call *call);
/* Answers calls whose deadline has passed. */
void serve_calls_expire(serve_server *server, double now);

/* For protocol parsers: finds the model (call->model), and sets an input from bytes that stay; from a region. */
TEN_MUST_USE ten_status *serve_call_find_model(serve_call *call, const char *name, const char *version);
TEN_MUST_USE ten_status *serve_call_set_input(serve_call *call, ten_str name, const serve_type *type, uint32_t rank,
                                              const int64_t *dims, const void *data, size_t size);
/* Only finds and checks the port; the caller fills call->inputs[*out_port], which is zeroed. */
TEN_MUST_USE ten_status *serve_call_make_input(serve_call *call, ten_str name, const serve_type *type, uint32_t rank,
                                               const int64_t *dims, uint32_t *out_port);
TEN_MUST_USE ten_status *serve_call_set_region(serve_call *call, ten_str name, const serve_type *type, uint32_t rank,
                                               const int64_t *dims, const char *region, uint64_t offset, uint64_t size);
TEN_MUST_USE ten_status *serve_call_add_wish(serve_call *call, ten_str name, int binary, const char *region,
                                             uint64_t offset, uint64_t size);
/* A parameter of the request: "timeout" in microseconds; sequences are refused. */
TEN_MUST_USE ten_status *serve_call_parameter(serve_call *call, ten_str name, double value);
/* Checks that every input is set; requests all outputs when none was requested. */
TEN_MUST_USE ten_status *serve_call_check(serve_call *call);
/* Writes an output to shared memory, if requested. */
TEN_MUST_USE ten_status *serve_call_write_region(const serve_wish *wish, const ten_tensor *output, const char *name);

#endif
