/* session.h: the objects of a client of the remote device: arrays and programs by number, and the operations on them.
 * Independent of connections and processes: the server uses it on its own threads, or in a separate process
 * (isolate.h). An operation begins and ends on the thread that owns the session; in between it runs on any. */
#ifndef TEN_SERVE_SESSION_H
#define TEN_SERVE_SESSION_H

#include <protobuf-c/protobuf-c.h>

#include "backend/backend.h"

typedef struct serve_program serve_program;

typedef struct serve_slot {
  uint64_t number; /* 0: free */
  void *thing;     /* ten_tensor or serve_program, retained; NULL: freed */
} serve_slot;

/* Open addressing by number, which only grows. */
typedef struct serve_table {
  serve_slot *slots; /* owned */
  size_t used, live, capacity;
} serve_table;

typedef struct serve_tables {
  serve_table arrays, programs;
  uint64_t next;
  bool keeps_spare;    /* nobody counts what `spare` takes: not for a token with a quota, nor where it is not used */
  ten_tensor *spare;   /* a large array that was freed, or NULL: the next of its type and shape takes its memory */
  size_t bytes;        /* of the arrays */
  size_t bytes_most;   /* their limit */
  size_t work_most;    /* bytes that a program may need besides its arguments; 0: unlimited */
  bool allow_compiled; /* compiled files (machine code) are accepted */
  const char *device;
} serve_tables;

void serve_tables_free(serve_tables *tables);

typedef enum serve_op_kind {
  SERVE_OP_COMPILE,
  SERVE_OP_UPLOAD,
  SERVE_OP_EXECUTE,
  SERVE_OP_DOWNLOAD,
  SERVE_OP_FREE,
  SERVE_OP_COUNT
} serve_op_kind;

typedef struct serve_op {
  serve_op_kind kind;
  ProtobufCMessage *message;      /* owned: the request, or NULL: of an upload; inputs are views of it */
  ten_tensor *tensor;             /* retained: of an upload, and the result of a download */
  serve_program *program;         /* retained */
  ten_tensor **inputs, **outputs; /* owned */
  bool *donated;                  /* owned */
  size_t input_count, output_count;
  ten_checks checks; /* of a program with expectations */
  char *answer;      /* owned: the response, packed */
  size_t answer_size;
} serve_op;

/* Reads the packed request; an upload has none, but `tensor`, which the caller sets. */
TEN_MUST_USE ten_status *serve_op_init(serve_op *op, serve_op_kind kind, const void *request, size_t size);
void serve_op_free(serve_op *op);
TEN_MUST_USE ten_status *serve_op_begin(serve_tables *tables, serve_op *op);
TEN_MUST_USE ten_status *serve_op_run(const serve_tables *tables, serve_op *op); /* reads only immutable data */
TEN_MUST_USE ten_status *serve_op_end(serve_tables *tables, serve_op *op);

/* A tensor of the type and shape that a message says; its bytes are checked against `most`. Zeroed, or `*spare`, where
 * there is one that fits; where there is no room for both, it goes. */
TEN_MUST_USE ten_status *serve_tensor_make(const void *tensor_message, size_t most, ten_tensor **spare,
                                           ten_tensor **out_tensor);
/* The same with the values that the message has; the caller's, after an error too. */
TEN_MUST_USE ten_status *serve_tensor_copy(const void *tensor_message, size_t most, ten_tensor **out_tensor);
/* Whether its values are valid for its type, which matters for i1. */
TEN_MUST_USE ten_status *serve_tensor_check(const ten_tensor *tensor);
/* The response of a unary download, packed. */
void serve_download_pack(const ten_tensor *tensor, bool with_data, char **out_data, size_t *out_size);

#endif
