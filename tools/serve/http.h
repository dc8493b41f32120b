/* http.h: parses HTTP/1.1 requests from bytes. Pure: no sockets, no allocation; results are views of the bytes. Strict
 * against request smuggling: one length, no folded lines, no space before a colon, one coding. */
#ifndef TEN_SERVE_HTTP_H
#define TEN_SERVE_HTTP_H

#include <stdbool.h>
#include <stdint.h>

#include "base/str.h"

enum { HTTP_HEAD_MOST = 32 << 10, HTTP_HEADERS_MOST = 100 };

/* The headers that the server uses, of either version of HTTP. */
typedef struct http_fields {
  ten_str authorization, content_type, content_encoding, accept, host;
  ten_str grpc_timeout, grpc_encoding;
  bool has_length, has_inference_length;
  uint64_t length, inference_length; /* Content-Length, Inference-Header-Content-Length */
} http_fields;

typedef struct http_head {
  ten_str method, target;
  bool keep_alive, chunked, expects_continue;
  http_fields fields;
} http_head;

/* The size of the head if it is complete; 0: incomplete; negative: the status (-400, -431, …) to answer. */
int http_head_parse(const char *data, size_t size, http_head *out_head);
/* Stores a header if it is one of the above; false when its value is invalid or contradicts an earlier one. `name` is
 * in lower case. */
bool http_field_set(http_fields *fields, ten_str name, ten_str value);

/* A chunked body. */
typedef struct http_chunks {
  enum { HTTP_CHUNK_SIZE, HTTP_CHUNK_DATA, HTTP_CHUNK_END, HTTP_CHUNK_TRAILER } state;
  uint64_t left; /* of the chunk's data */
} http_chunks;
typedef enum http_chunk_result {
  HTTP_CHUNK_WRONG = -1,
  HTTP_CHUNK_MORE,
  HTTP_CHUNK_SOME,
  HTTP_CHUNK_DONE
} http_chunk_result;
/* Consumes `*out_used` bytes; with HTTP_CHUNK_SOME, `out_data` are the next bytes of the body. */
http_chunk_result http_chunks_next(http_chunks *chunks, const char *data, size_t size, size_t *out_used,
                                   ten_str *out_data);

/* A number in decimal; false when it is invalid or does not fit. */
bool http_number(ten_str text, uint64_t *out_number);
/* "grpc-timeout" as seconds: "100m" is 0.1; false when it is invalid. */
bool http_grpc_timeout(ten_str text, double *out_seconds);
/* Decodes %XX of `text` into `out`, at most `capacity` bytes with a NUL; false when it is invalid or too
 * long. */
bool http_unescape(ten_str text, char *out, size_t capacity);

#endif
