/* arrays.c: transfers arrays to and from a remote device: directly from and to the caller's memory, in parts, so that
 * neither side needs a second copy. */
#include <stdlib.h>
#include <string.h>

#include "backend/remote/calls.h"
#include "base/arena.h"
#include "base/proto.h"

/* Bytes of an array in a message: each copy on the way finds them in the cache, and a message fits into a frame. */
enum { PART = (128 << 10) - 64 };

typedef struct transfer {
  ten_buf answer; /* of an upload */
  char *data;     /* of a download: the destination */
  size_t size, done;
  const remote_progress *progress;
} transfer;

static bool receive_answer(void *user, const char *data, size_t size) {
  return remote_receive_one(&((transfer *)user)->answer, data, size);
}

static bool receive_part(void *user, const char *data, size_t size) {
  transfer *t = user;
  const ten_str part = ten_proto_bytes((ten_str){data, size}, 2);
  if (part.size > t->size - t->done) return false;
  if (part.size) memcpy(t->data + t->done, part.data, part.size);
  t->done += part.size;
  return true;
}

static void tell_sent(void *user, size_t sent, size_t received) {
  (void)received;
  const transfer *t = user;
  t->progress->tell(t->progress->user, sent < t->size ? sent : t->size, t->size);
}

static void tell_received(void *user, size_t sent, size_t received) {
  (void)sent, (void)received;
  const transfer *t = user;
  t->progress->tell(t->progress->user, t->done, t->size);
}

/* The first message has type and shape; each of the others has a part of the bytes, preceded by `heads`. */
static void make_parts(const ten_tensor *tensor, ten_buf *first, ten_buf *heads, ten_transport_message *messages,
                       size_t count) {
  ten_buf about = {0};
  ten_proto_put_bytes(&about, 1, ten_str_of(ten_dtype_name(tensor->dtype)));
  for (uint32_t d = 0; d < tensor->rank; d++) ten_proto_put_varint(&about, 2, (uint64_t)tensor->dims[d]);
  ten_proto_put_bytes(first, 1, (ten_str){about.data, about.size});
  ten_buf_free(&about);
  messages[0] = (ten_transport_message){.head = first->data, .head_size = first->size};
  for (size_t i = 1; i < count; i++) {
    const size_t at = (i - 1) * PART, left = tensor->bytes - at;
    messages[i].data = (const char *)tensor->data + at;
    messages[i].data_size = left < PART ? left : PART;
    const size_t before = heads->size;
    ten_proto_put_head(heads, 2, messages[i].data_size);
    messages[i].head_size = heads->size - before;
  }
  const char *head = heads->data;
  for (size_t i = 1; i < count; i++) {
    messages[i].head = head;
    head += messages[i].head_size;
  }
}

ten_status *ten_remote_upload(remote_device *device, const ten_tensor *tensor, uint64_t connection,
                              const remote_progress *progress, uint64_t *out_number, uint64_t *out_connection) {
  *out_number = 0;
  transfer t = {.size = tensor->bytes, .progress = progress};
  const size_t count = 1 + (tensor->bytes + PART - 1) / PART;
  ten_buf first = {0}, heads = {0};
  ten_transport_message *messages = ten_alloc(count * sizeof *messages);
  memset(messages, 0, count * sizeof *messages);
  make_parts(tensor, &first, &heads, messages, count);
  ten_transport_call call = {.messages = messages,
                             .message_count = count,
                             .receive = receive_answer,
                             .progress = progress ? tell_sent : NULL,
                             .user = &t};
  const double start = ten_transfer_start();
  ten_status *status = remote_call_device(device, "UploadStream", &call, connection, out_connection);
  if (!status) ten_transfer_end(true, tensor->bytes, start);
  if (!status) *out_number = ten_proto_varint((ten_str){t.answer.data, t.answer.size}, 1, 0);
  if (!status && !*out_number) status = ten_error(TEN_IO, "device %s: the server returned no array", device->name);
  free(messages);
  ten_buf_free(&first);
  ten_buf_free(&heads);
  ten_buf_free(&t.answer);
  return status;
}

ten_status *ten_remote_download(remote_device *device, uint64_t number, void *data, size_t size, uint64_t connection,
                                const remote_progress *progress) {
  transfer t = {.data = data, .size = size, .progress = progress};
  ten_buf request = {0};
  ten_proto_put_varint(&request, 1, number);
  const ten_transport_message message = {.head = request.data, .head_size = request.size};
  ten_transport_call call = {.messages = &message,
                             .message_count = 1,
                             .receive = receive_part,
                             .progress = progress ? tell_received : NULL,
                             .user = &t};
  const double start = ten_transfer_start();
  ten_status *status = remote_call_device(device, "DownloadStream", &call, connection, NULL);
  if (!status) ten_transfer_end(false, size, start);
  ten_buf_free(&request);
  if (!status && t.done != size)
    status =
        ten_error(TEN_IO, "device %s: the server returned %zu bytes, the array has %zu", device->name, t.done, size);
  return status;
}

void ten_remote_free(remote_device *device, const uint64_t *numbers, size_t count, uint64_t connection) {
  ten_buf request = {0}, answer = {0};
  for (size_t i = 0; i < count; i++)
    if (numbers[i]) ten_proto_put_varint(&request, 1, numbers[i]);
  if (request.size) ten_status_free(ten_remote_call(device, "Free", &request, connection, &answer, NULL));
  ten_buf_free(&request);
  ten_buf_free(&answer);
}
