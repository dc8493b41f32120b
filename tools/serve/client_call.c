/* client_call.c: gRPC calls that share one connection. The first thread that waits for its call does the I/O of all
 * calls; when its own is done, another takes over. Requests are sent without a copy, in frames as large as the server
 * accepts.
 * A call may take any time as long as the server lives: where nothing is heard for half the transport's limit while a
 * call is in progress, a PING is sent, and the connection is lost if nothing is heard in the other half either. */
#include <errno.h>
#include <linux/sockios.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#include "serve/client.h"
#include "serve/frames.h"
#include "serve/tls_out.h"

enum { PREFIX = 5, ANSWER_MOST = 1 << 30, SLICES = 8 /* of the limit; in the half of them a PING is sent */ };

typedef struct client_call {
  ten_transport *transport;
  const ten_transport_call *what;
  int32_t stream;
  bool closed, unreadable;
  int64_t deadline; /* of client_now; 0: none */
  int code;         /* of gRPC; -1: not known yet */
  char *message;
  size_t whole, left;  /* bytes of the request, and those of it not yet in a frame */
  size_t at, at_bytes; /* the next message, and how much of it (prefix included) is in frames */
  size_t pieces;       /* unsent pieces of its memory */
  char *answer;        /* owned: the message being received, prefix included */
  size_t answer_size, answer_capacity;
  size_t received;
} client_call;

static size_t message_size(const ten_transport_message *m) { return m->head_size + m->data_size; }

/* ---- sending ---------------------------------------------------------------------------------------------------- */

static client_piece *piece_add(ten_transport *t) {
  client_piece *piece = &t->pieces[(t->piece_first + t->piece_count++) % CLIENT_PIECES];
  *piece = (client_piece){0};
  return piece;
}

static void piece_add_small(ten_transport *t, const void *data, size_t size) {
  client_piece *piece = piece_add(t);
  memcpy(piece->small, data, size);
  piece->data = piece->small;
  piece->size = size;
}

static void piece_add_borrowed(ten_transport *t, client_call *call, const char *data, size_t size) {
  client_piece *piece = piece_add(t);
  *piece = (client_piece){.data = data, .size = size, .call = call};
  call->pieces++;
}

static void piece_drop(ten_transport *t) {
  client_piece *piece = &t->pieces[t->piece_first];
  if (piece->call) piece->call->pieces--;
  free(piece->own);
  t->piece_first = (t->piece_first + 1) % CLIENT_PIECES;
  t->piece_count--;
}

void client_pieces_free(ten_transport *t) {
  while (t->piece_count) piece_drop(t);
}

/* The size of the next frame; on_send adds it. A frame holds few messages, so that its pieces have room. */
static ssize_t on_read(nghttp2_session *session, int32_t id, uint8_t *out, size_t room, uint32_t *flags,
                       nghttp2_data_source *source, void *user) {
  (void)session, (void)id, (void)out, (void)user;
  const client_call *call = source->ptr;
  size_t size = 0, skip = call->at_bytes;
  for (size_t i = call->at, n = 0; i < call->what->message_count && size < room && n < 8; i++, n++) {
    const size_t left = PREFIX + message_size(&call->what->messages[i]) - skip;
    size += left < room - size ? left : room - size;
    skip = 0;
  }
  *flags |= NGHTTP2_DATA_FLAG_NO_COPY;
  if (size == call->left) *flags |= NGHTTP2_DATA_FLAG_EOF;
  return (ssize_t)size;
}

/* Adds `size` bytes of the next message, at most what is left of it; returns how many. */
static size_t message_add(ten_transport *t, client_call *call, size_t size) {
  const ten_transport_message *m = &call->what->messages[call->at];
  const size_t whole = PREFIX + message_size(m), left = whole - call->at_bytes;
  if (size > left) size = left;
  const unsigned char prefix[PREFIX] = {0, (unsigned char)(message_size(m) >> 24),
                                        (unsigned char)(message_size(m) >> 16), (unsigned char)(message_size(m) >> 8),
                                        (unsigned char)message_size(m)};
  const struct {
    const char *data;
    size_t size;
  } parts[] = {{(const char *)prefix, PREFIX}, {m->head, m->head_size}, {m->data, m->data_size}};
  size_t skip = call->at_bytes, rest = size;
  for (size_t i = 0; i < 3 && rest; i++) {
    if (skip >= parts[i].size) {
      skip -= parts[i].size;
      continue;
    }
    const size_t here = parts[i].size - skip, now = here < rest ? here : rest;
    if (!i)
      piece_add_small(t, parts[i].data + skip, now);
    else
      piece_add_borrowed(t, call, parts[i].data + skip, now);
    skip = 0;
    rest -= now;
  }
  call->at_bytes += size;
  if (call->at_bytes == whole) call->at++, call->at_bytes = 0;
  return size;
}

static int on_send(nghttp2_session *session, nghttp2_frame *frame, const uint8_t *head, size_t size,
                   nghttp2_data_source *source, void *user) {
  (void)session, (void)frame;
  ten_transport *t = user;
  client_call *call = source->ptr;
  if (t->piece_count > CLIENT_PIECES - 32) return NGHTTP2_ERR_WOULDBLOCK;
  piece_add_small(t, head, 9);
  call->left -= size;
  while (size) size -= message_add(t, call, size);
  return 0;
}

/* ---- receiving -------------------------------------------------------------------------------------------------- */

static client_call *call_of(nghttp2_session *session, int32_t id) {
  return nghttp2_session_get_stream_user_data(session, id);
}

static bool answer_reserve(client_call *call, size_t capacity) {
  if (capacity <= call->answer_capacity) return true;
  char *grown = capacity <= ANSWER_MOST + (size_t)PREFIX ? realloc(call->answer, capacity) : NULL;
  if (!grown) return false;
  call->answer = grown;
  call->answer_capacity = capacity;
  return true;
}

/* Reads bytes of the current message, at most what it lacks; returns how many, or 0: it cannot be received. */
static size_t answer_add(client_call *call, const uint8_t *data, size_t size) {
  size_t whole = PREFIX;
  if (call->answer_size >= PREFIX) {
    const unsigned char *at = (const unsigned char *)call->answer;
    whole += (size_t)at[1] << 24 | (size_t)at[2] << 16 | (size_t)at[3] << 8 | at[4];
    if (at[0]) return 0;
  }
  const size_t now = size < whole - call->answer_size ? size : whole - call->answer_size;
  if (!answer_reserve(call, call->answer_size < PREFIX ? 4096 : whole)) return 0;
  memcpy(call->answer + call->answer_size, data, now);
  call->answer_size += now;
  return now;
}

static bool answer_is_whole(const client_call *call) {
  if (call->answer_size < PREFIX) return false;
  const unsigned char *at = (const unsigned char *)call->answer;
  return call->answer_size - PREFIX == ((size_t)at[1] << 24 | (size_t)at[2] << 16 | (size_t)at[3] << 8 | at[4]);
}

static int on_data(nghttp2_session *session, uint8_t flags, int32_t id, const uint8_t *data, size_t size, void *user) {
  (void)flags, (void)user;
  client_call *call = call_of(session, id);
  if (!call || call->unreadable) return 0;
  call->received += size;
  while (size && !call->unreadable) {
    const size_t now = answer_add(call, data, size);
    data += now;
    size -= now;
    if (!now) call->unreadable = true;
    if (!now || !answer_is_whole(call)) continue;
    call->unreadable = !call->what->receive(call->what->user, call->answer + PREFIX, call->answer_size - PREFIX);
    call->answer_size = 0;
  }
  if (call->unreadable) nghttp2_submit_rst_stream(session, NGHTTP2_FLAG_NONE, id, NGHTTP2_CANCEL);
  return 0;
}

static char *unescape(const uint8_t *text, size_t size) {
  char *out = malloc(size + 1);
  size_t count = 0;
  for (size_t i = 0; out && i < size; i++) {
    unsigned value;
    const char digits[3] = {i + 2 < size ? (char)text[i + 1] : 'x', i + 2 < size ? (char)text[i + 2] : 'x', 0};
    if (text[i] == '%' && sscanf(digits, "%2x", &value) == 1) {
      out[count++] = (char)value;
      i += 2;
    } else {
      out[count++] = (char)text[i];
    }
  }
  if (out) out[count] = 0;
  return out;
}

static int on_header(nghttp2_session *session, const nghttp2_frame *frame, const uint8_t *name, size_t name_size,
                     const uint8_t *value, size_t value_size, uint8_t flags, void *user) {
  (void)flags, (void)user;
  client_call *call = call_of(session, frame->hd.stream_id);
  if (!call) return 0;
  if (name_size == 11 && !memcmp(name, "grpc-status", 11)) call->code = atoi((const char *)value);
  if (name_size == 12 && !memcmp(name, "grpc-message", 12)) {
    free(call->message);
    call->message = unescape(value, value_size);
  }
  if (name_size == 7 && !memcmp(name, ":status", 7) && (value_size != 3 || memcmp(value, "200", 3) != 0))
    call->code = 14;
  return 0;
}

static int on_close(nghttp2_session *session, int32_t id, uint32_t code, void *user) {
  (void)code, (void)user;
  client_call *call = call_of(session, id);
  if (call) call->closed = true;
  nghttp2_session_set_stream_user_data(session, id, NULL);
  return 0;
}

/* ---- I/O -------------------------------------------------------------------------------------------------------- */

/* Small pieces are joined: each write is a TLS record, and a packet. */
static ssize_t send_secure(ten_transport *t) {
  const client_piece *first = &t->pieces[t->piece_first];
  char together[4096];
  size_t size = 0;
  for (size_t i = 0; i < t->piece_count; i++) {
    const client_piece *piece = &t->pieces[(t->piece_first + i) % CLIENT_PIECES];
    if (piece->size > sizeof together - size) break;
    memcpy(together + size, piece->data, piece->size);
    size += piece->size;
  }
  const char *data = size > first->size ? together : first->data;
  if (size < first->size) size = first->size < CLIENT_FRAME ? first->size : CLIENT_FRAME;
  ERR_clear_error();
  const int count = SSL_write(t->ssl, data, (int)size);
  if (count > 0) return count;
  const int why = SSL_get_error(t->ssl, count);
  return why == SSL_ERROR_WANT_READ || why == SSL_ERROR_WANT_WRITE ? 0 : -1;
}

/* Bytes sent; 0: would block; -1: closed. */
static ssize_t send_pieces(ten_transport *t) {
  if (t->ssl) return send_secure(t);
  struct iovec parts[16];
  size_t count = 0;
  for (; count < t->piece_count && count < 16; count++) {
    const client_piece *piece = &t->pieces[(t->piece_first + count) % CLIENT_PIECES];
    parts[count] = (struct iovec){(void *)(uintptr_t)piece->data, piece->size};
  }
  const struct msghdr message = {.msg_iov = parts, .msg_iovlen = count};
  const ssize_t sent = sendmsg(t->fd, &message, MSG_NOSIGNAL);
  return sent >= 0 ? sent : errno == EAGAIN || errno == EINTR ? 0 : -1;
}

static ssize_t receive_some(ten_transport *t) {
  if (t->ssl) {
    ERR_clear_error();
    const int count = SSL_read(t->ssl, t->in, CLIENT_IN);
    if (count > 0) return count;
    const int why = SSL_get_error(t->ssl, count);
    return why == SSL_ERROR_WANT_READ || why == SSL_ERROR_WANT_WRITE ? 0 : -1;
  }
  const ssize_t count = recv(t->fd, t->in, CLIENT_IN, 0);
  if (count > 0) return count;
  return count < 0 && (errno == EAGAIN || errno == EINTR) ? 0 : -1;
}

/* Takes the session's output, as far as there is room. */
static bool fill_pieces(ten_transport *t) {
  while (t->piece_count <= CLIENT_PIECES - 32) {
    const uint8_t *data;
    const ssize_t size = nghttp2_session_mem_send(t->session, &data);
    if (size < 0) return false;
    if (!size) return true;
    char *own = malloc((size_t)size);
    if (!own) return false;
    memcpy(own, data, (size_t)size);
    client_piece *piece = piece_add(t);
    *piece = (client_piece){.data = own, .size = (size_t)size, .own = own};
  }
  return true;
}

/* Sends and receives without blocking: 1; 0: no progress; -1: the connection is closed. */
static int move_some(ten_transport *t) {
  bool moved = false;
  const bool was_full = t->full; /* what is sent now, the server made room for */
  if (!fill_pieces(t)) return -1;
  while (t->piece_count) {
    ssize_t sent = send_pieces(t);
    if (sent < 0) return -1;
    if (!sent) break;
    moved = true;
    while (sent) {
      client_piece *piece = &t->pieces[t->piece_first];
      const size_t now = (size_t)sent < piece->size ? (size_t)sent : piece->size;
      piece->data += now;
      piece->size -= now;
      sent -= (ssize_t)now;
      if (!piece->size) piece_drop(t);
    }
    if (!fill_pieces(t)) return -1;
  }
  const long flushed = t->ssl ? tls_out_flush(t->ssl) : 0;
  if (flushed < 0) return -1;
  moved |= flushed > 0;
  t->full = t->piece_count || tls_out_pending(t->ssl);
  const ssize_t count = receive_some(t);
  if (count < 0) return -1;
  if (count && nghttp2_session_mem_recv(t->session, (const uint8_t *)t->in, (size_t)count) != count) return -1;
  t->heard |= count || (moved && was_full);
  return moved || count;
}

/* Waits for the socket, with the mutex released, so that others can add their calls; false: waiting failed. */
static bool wait_for_socket(ten_transport *t, int64_t deadline) {
  const int64_t until = deadline && deadline < t->slice_end ? deadline : t->slice_end;
  const bool unsent = t->piece_count || tls_out_pending(t->ssl);
  pthread_mutex_unlock(&t->mutex);
  const bool fine = client_poll(t->fd, t->wake, unsent, until) || client_now() >= until;
  pthread_mutex_lock(&t->mutex);
  return fine;
}

/* Whether the peer's system acknowledged more of what is in the socket since this was last asked. */
static bool is_taking(ten_transport *t) {
  const int before = t->unacknowledged;
  if (ioctl(t->fd, SIOCOUTQ, &t->unacknowledged)) t->unacknowledged = 0;
  return t->unacknowledged < before;
}

/* Counts slices of time in which nothing was heard; false: they are the whole limit. `now` is from before the socket
 * was last read, and a slice is counted once however long it was, so that a process that was stopped hears first. */
static bool check_life(ten_transport *t, int64_t now) {
  if (t->heard || now >= t->slice_end) {
    t->slice_end = now + (t->limit_ms + SLICES - 1) / SLICES;
    if (t->heard) t->unacknowledged = 0;
    t->silent = t->heard || is_taking(t) ? 0 : t->silent + 1;
    t->heard = false;
    if (t->silent == SLICES / 2 && (nghttp2_submit_ping(t->session, NGHTTP2_FLAG_NONE, NULL) || !fill_pieces(t)))
      return false;
  }
  t->dead = t->silent >= SLICES;
  return !t->dead;
}

bool client_session_open(ten_transport *t, char **out_error) {
  nghttp2_session_callbacks *callbacks;
  if (nghttp2_session_callbacks_new(&callbacks)) return false;
  nghttp2_session_callbacks_set_on_header_callback(callbacks, on_header);
  nghttp2_session_callbacks_set_on_data_chunk_recv_callback(callbacks, on_data);
  nghttp2_session_callbacks_set_data_source_read_length_callback(callbacks, frame_length);
  nghttp2_session_callbacks_set_send_data_callback(callbacks, on_send);
  nghttp2_session_callbacks_set_on_stream_close_callback(callbacks, on_close);
  const int wrong = nghttp2_session_client_new(&t->session, callbacks, t);
  nghttp2_session_callbacks_del(callbacks);
  const nghttp2_settings_entry settings[] = {{NGHTTP2_SETTINGS_ENABLE_PUSH, 0},
                                             {NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE, CLIENT_WINDOW},
                                             {NGHTTP2_SETTINGS_MAX_FRAME_SIZE, CLIENT_FRAME}};
  if (wrong || nghttp2_submit_settings(t->session, NGHTTP2_FLAG_NONE, settings, 3) ||
      nghttp2_session_set_local_window_size(t->session, NGHTTP2_FLAG_NONE, 0, CLIENT_WINDOW))
    return false;
  if (move_some(t) >= 0) return true;
  *out_error = client_say("the connection was lost");
  return false;
}

/* ---- calls ------------------------------------------------------------------------------------------------------- */

static nghttp2_nv header(const char *name, const char *value) {
  return (nghttp2_nv){(uint8_t *)(uintptr_t)name, (uint8_t *)(uintptr_t)value, strlen(name), strlen(value), 0};
}

static bool submit(ten_transport *t, client_call *call) {
  nghttp2_nv headers[7] = {header(":method", "POST"),
                           header(":scheme", t->secure ? "https" : "http"),
                           header(":path", call->what->path),
                           header(":authority", t->authority),
                           header("content-type", "application/grpc"),
                           header("te", "trailers")};
  size_t count = 6;
  if (t->authorization) {
    headers[count] = header("authorization", t->authorization);
    headers[count++].flags = NGHTTP2_NV_FLAG_NO_INDEX;
  }
  const nghttp2_data_provider provider = {.source.ptr = call, .read_callback = on_read};
  call->stream = nghttp2_submit_request(t->session, NULL, headers, count, &provider, call);
  return call->stream >= 0;
}

/* Queued pieces point into a call's memory: it is over only when they are sent, too. */
static bool is_over(const client_call *call) { return call->closed && !call->pieces; }

static bool is_late(const client_call *call) {
  return call->deadline && !is_over(call) && client_now() >= call->deadline;
}

/* Does the I/O for all calls until this call is over. */
static void lead(ten_transport *t, client_call *call) {
  t->leading = t->heard = true;
  size_t told = 0;
  while (!is_over(call) && !t->lost) {
    const int64_t now = client_now();
    const int moved = move_some(t);
    if (moved < 0 || is_late(call) || !check_life(t, now) || (!moved && !wait_for_socket(t, call->deadline)))
      t->lost = true;
    pthread_cond_broadcast(&t->cond); /* another call may be over */
    const size_t done = call->whole - call->left + call->received;
    if (call->what->progress && done != told)
      call->what->progress(call->what->user, done - call->received, call->received);
    told = done;
  }
  if (t->lost) client_pieces_free(t);
  t->leading = false;
}

/* Waits for the thread that does the I/O. */
static void follow(ten_transport *t, const client_call *call) {
  const struct timespec until = {.tv_sec = (time_t)(call->deadline / 1000),
                                 .tv_nsec = (long)(call->deadline % 1000) * 1000000};
  if (call->deadline)
    (void)pthread_cond_timedwait(&t->cond, &t->mutex, &until);
  else
    pthread_cond_wait(&t->cond, &t->mutex);
  if (!is_late(call)) return;
  t->lost = true;
  const uint64_t one = 1;
  if (write(t->wake, &one, sizeof one) < 0) return; /* it is signalled already */
}

static int outcome(const ten_transport *t, client_call *call, bool lost, char **out_error) {
  int code = lost || (call->code < 0 && !call->unreadable) ? -1 : call->unreadable ? 13 : call->code;
  const char *slash = strrchr(call->what->path, '/'), *method = slash ? slash + 1 : call->what->path;
  if (lost && is_late(call))
    *out_error = client_say("%s did not answer %s within %g s; TENFOLD_REMOTE_TIMEOUT sets the limit", t->authority,
                            method, call->what->limit_ms / 1e3);
  else if (lost && t->dead)
    *out_error = client_say(
        "%s gave no sign of life for %g s while %s was in progress, and all that was there is lost; "
        "TENFOLD_REMOTE_TIMEOUT sets the limit",
        t->authority, t->limit_ms / 1e3, method);
  else if (code < 0)
    *out_error = client_say("the connection to %s was lost, and all that was there", t->authority);
  if (code == 13 && call->unreadable) *out_error = client_say("the server's answer cannot be read");
  if (code > 0 && !*out_error) *out_error = client_say("%s", call->message ? call->message : "the server refused");
  free(call->message);
  free(call->answer);
  return code;
}

int client_call_run(ten_transport *t, const ten_transport_call *what, char **out_error) {
  *out_error = NULL;
  client_call call = {.transport = t, .what = what, .code = -1};
  for (size_t i = 0; i < what->message_count; i++) {
    if (message_size(&what->messages[i]) > UINT32_MAX) {
      *out_error = client_say("a message of %zu bytes is too large to be sent", message_size(&what->messages[i]));
      return 3;
    }
    call.whole += PREFIX + message_size(&what->messages[i]);
  }
  call.left = call.whole;
  if (what->limit_ms) call.deadline = client_now() + what->limit_ms;
  pthread_mutex_lock(&t->mutex);
  if (!t->lost && !submit(t, &call)) t->lost = true;
  const uint64_t one = 1;
  if (t->leading && write(t->wake, &one, sizeof one) < 0) t->lost = true;
  while (!is_over(&call) && !t->lost) {
    if (t->leading) {
      follow(t, &call);
    } else {
      lead(t, &call);
      pthread_cond_broadcast(&t->cond); /* another leads from here */
    }
  }
  /* Lost while another leads: that thread may still read this call's memory. */
  while (t->lost && t->leading) pthread_cond_wait(&t->cond, &t->mutex);
  if (t->lost) client_pieces_free(t);
  if (call.stream > 0 && !call.closed) nghttp2_session_set_stream_user_data(t->session, call.stream, NULL);
  const bool lost = t->lost && !is_over(&call);
  pthread_mutex_unlock(&t->mutex);
  return outcome(t, &call, lost, out_error);
}
