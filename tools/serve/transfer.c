/* transfer.c: transfers arrays in parts, so that they can be larger than a message and are in memory once: an upload is
 * received into the array itself, a download is sent from it. */
#include <stdlib.h>
#include <string.h>

#include "base/proto.h"
#include "device.pb-c.h"
#include "serve/device.h"

enum { PART = (128 << 10) - 64 }; /* of a download: as that of an upload (backend/remote/arrays.c) */

typedef struct upload {
  serve_session *session; /* of the connection, which outlives the call */
  ten_tensor *tensor;     /* owned */
  size_t done;            /* bytes received */
} upload;

static void upload_free(void *state) {
  upload *u = state;
  if (u->tensor) {
    u->session->reserved -= u->tensor->bytes;
    serve_session_count(u->session);
  }
  ten_tensor_release(u->tensor);
  free(u);
}

/* Type and shape: allocates the array, within the limits. */
static ten_status *upload_begin(serve_exchange *exchange, serve_session *session, ten_str about) {
  upload *u = ten_alloc(sizeof *u);
  *u = (upload){.session = session};
  exchange->state = u;
  exchange->state_free = upload_free;
  ProtobufCMessage *message = serve_grpc_unpack(&tenfold__device__v1__tensor__descriptor, about.data, about.size);
  const size_t room = serve_session_room(session), taken = session->arrays;
  ten_status *status =
      message ? serve_tensor_make(message, room > taken ? room - taken : 0, &session->tables.spare, &u->tensor)
              : ten_error(TEN_INVALID, "the message cannot be read");
  if (message) protobuf_c_message_free_unpacked(message, NULL);
  if (status) return status;
  session->reserved += u->tensor->bytes;
  serve_session_count(session);
  return NULL;
}

static ten_status *upload_add(upload *u, ten_str part) {
  if (part.size > u->tensor->bytes - u->done)
    return ten_error(TEN_INVALID, "more than the %zu bytes that shape and type take", u->tensor->bytes);
  if (part.size) memcpy((char *)u->tensor->data + u->done, part.data, part.size);
  u->done += part.size;
  return NULL;
}

void serve_upload_take(serve_exchange *exchange, const char *data, size_t size) {
  serve_session *session = serve_session_of(exchange);
  if (!session) return;
  ten_str message = {data, size};
  ten_proto_field field;
  ten_status *status = NULL;
  while (!status && ten_proto_next(&message, &field)) {
    if (field.wire != 2) continue;
    if (field.number == 1 && exchange->state) status = ten_error(TEN_INVALID, "an array has one type and shape");
    if (field.number == 1 && !exchange->state) status = upload_begin(exchange, session, field.bytes);
    if (field.number == 2 && !exchange->state) status = ten_error(TEN_INVALID, "type and shape come before the bytes");
    if (field.number == 2 && exchange->state) status = upload_add(exchange->state, field.bytes);
  }
  if (!status && message.size) status = ten_error(TEN_INVALID, "the message cannot be read");
  if (status) serve_grpc_fail(exchange, status);
}

void serve_upload_finish(serve_exchange *exchange) {
  upload *u = exchange->state;
  ten_status *status = NULL;
  if (!u || !u->tensor)
    status = ten_error(TEN_INVALID, "an upload without an array");
  else if (u->done != u->tensor->bytes)
    status = ten_error(TEN_INVALID, "%zu bytes came, shape and type take %zu", u->done, u->tensor->bytes);
  else
    status = serve_tensor_check(u->tensor);
  if (status) {
    serve_grpc_fail(exchange, status);
    return;
  }
  ten_tensor *tensor = u->tensor;
  u->tensor = NULL;
  serve_device_add(exchange, tensor, tensor->bytes);
}

/* ---- downloads --------------------------------------------------------------------------------------------------- */

typedef struct download {
  ten_tensor *tensor; /* retained */
  size_t at;
} download;

static void download_free(void *state) {
  download *d = state;
  ten_tensor_release(d->tensor);
  free(d);
}

/* Continues when the client has read the previous part. */
static void download_more(serve_exchange *exchange) {
  download *d = exchange->state;
  const size_t left = d->tensor->bytes - d->at, now = left < PART ? left : PART;
  if (!left) {
    exchange->more = NULL;
    serve_grpc_end(exchange, GRPC_OK, NULL);
    return;
  }
  ten_buf head = {0};
  ten_proto_put_head(&head, 2, now);
  serve_grpc_send_borrowed(exchange, head.data, head.size, d->tensor, d->at, now);
  ten_buf_free(&head);
  d->at += now;
}

void serve_download_start(serve_exchange *exchange, ten_tensor *tensor) {
  download *d = ten_alloc(sizeof *d);
  *d = (download){.tensor = ten_tensor_retain(tensor)};
  exchange->state = d;
  exchange->state_free = download_free;
  exchange->more = download_more;
  char *about; /* the first part is the response of a unary call without its data */
  size_t size;
  serve_download_pack(tensor, false, &about, &size);
  serve_grpc_send(exchange, about, size);
}
