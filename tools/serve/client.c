/* client.c: libtenfold_remote.so: unary calls of gRPC over one connection, for the remote device
 * (backend/remote/transport.h). Calls wait for their answer; nothing of libtenfold is used here. */
#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <nghttp2/nghttp2.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <poll.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "backend/remote/transport.h"

enum { WINDOW = 1 << 30, CONNECT_MS = 20000 };

struct ten_transport {
  int fd;
  SSL_CTX *tls;
  SSL *ssl;
  nghttp2_session *session;
  char *authority, *authorization; /* owned */
  bool secure, lost;
  /* the call in progress */
  int32_t stream;
  bool closed;
  int code; /* of gRPC; -1: not known yet */
  char *message;
  unsigned char prefix[5];
  const char *request;
  size_t request_size, sent; /* prefix included */
  char *answer;
  size_t answer_size, answer_capacity;
};

static char *say(const char *format, ...) __attribute__((format(printf, 1, 2)));
static char *say(const char *format, ...) {
  char *text = NULL;
  va_list args;
  va_start(args, format);
  if (vasprintf(&text, format, args) < 0) text = NULL;
  va_end(args);
  return text;
}

/* As large as the other side takes: the library's own choice is 16 KiB. */
static ssize_t on_length(nghttp2_session *session, uint8_t type, int32_t id, int32_t session_window,
                         int32_t stream_window, uint32_t frame_most, void *user) {
  (void)session;
  (void)type;
  (void)id;
  (void)user;
  int64_t size = frame_most;
  if (size > session_window) size = session_window;
  if (size > stream_window) size = stream_window;
  return (ssize_t)size;
}

static ssize_t on_read(nghttp2_session *session, int32_t id, uint8_t *out, size_t room, uint32_t *flags,
                       nghttp2_data_source *source, void *user) {
  (void)session;
  (void)id;
  (void)source;
  ten_transport *t = user;
  size_t size = 0;
  while (t->sent < sizeof t->prefix && size < room) out[size++] = t->prefix[t->sent++];
  const size_t left = t->request_size + sizeof t->prefix - t->sent, now = left < room - size ? left : room - size;
  if (now) memcpy(out + size, t->request + (t->sent - sizeof t->prefix), now);
  t->sent += now;
  if (t->sent == t->request_size + sizeof t->prefix) *flags |= NGHTTP2_DATA_FLAG_EOF;
  return (ssize_t)(size + now);
}

static int on_data(nghttp2_session *session, uint8_t flags, int32_t id, const uint8_t *data, size_t size, void *user) {
  (void)session;
  (void)flags;
  ten_transport *t = user;
  if (id != t->stream) return 0;
  if (t->answer_size + size > t->answer_capacity) {
    size_t capacity = t->answer_capacity ? t->answer_capacity * 2 : 4096;
    if (capacity < t->answer_size + size) capacity = t->answer_size + size;
    char *grown = realloc(t->answer, capacity);
    if (!grown) return NGHTTP2_ERR_CALLBACK_FAILURE;
    t->answer = grown;
    t->answer_capacity = capacity;
  }
  memcpy(t->answer + t->answer_size, data, size);
  t->answer_size += size;
  /* The message says its size first: room for it once, not by doubling. */
  if (t->answer_size >= 5) {
    const unsigned char *at = (const unsigned char *)t->answer;
    const size_t whole = ((size_t)at[1] << 24 | (size_t)at[2] << 16 | (size_t)at[3] << 8 | at[4]) + 5;
    if (whole > t->answer_capacity) {
      char *grown = realloc(t->answer, whole);
      if (!grown) return NGHTTP2_ERR_CALLBACK_FAILURE;
      t->answer = grown;
      t->answer_capacity = whole;
    }
  }
  return 0;
}

/* %XX as gRPC writes messages. */
static char *unescape(const uint8_t *value, size_t size) {
  char *text = malloc(size + 1);
  size_t at = 0;
  for (size_t i = 0; text && i < size; i++) {
    char pair[3] = {0};
    if (value[i] == '%' && i + 2 < size) {
      memcpy(pair, value + i + 1, 2);
      text[at++] = (char)strtol(pair, NULL, 16);
      i += 2;
    } else {
      text[at++] = (char)value[i];
    }
  }
  if (text) text[at] = 0;
  return text;
}

static int on_header(nghttp2_session *session, const nghttp2_frame *frame, const uint8_t *name, size_t name_size,
                     const uint8_t *value, size_t value_size, uint8_t flags, void *user) {
  (void)session;
  (void)flags;
  ten_transport *t = user;
  if (frame->hd.stream_id != t->stream) return 0;
  if (name_size == 11 && !memcmp(name, "grpc-status", 11)) t->code = atoi((const char *)value);
  if (name_size == 12 && !memcmp(name, "grpc-message", 12)) {
    free(t->message);
    t->message = unescape(value, value_size);
  }
  if (name_size == 7 && !memcmp(name, ":status", 7) && (value_size != 3 || memcmp(value, "200", 3) != 0)) t->code = 14;
  return 0;
}

static int on_close(nghttp2_session *session, int32_t id, uint32_t code, void *user) {
  (void)session;
  (void)code;
  ten_transport *t = user;
  if (id == t->stream) t->closed = true;
  return 0;
}

/* Bytes moved; 0: not now; -1: gone. */
static ssize_t move(ten_transport *t, bool write, void *data, size_t size) {
  if (t->ssl) {
    ERR_clear_error();
    const int most = size > 1 << 30 ? 1 << 30 : (int)size;
    const int count = write ? SSL_write(t->ssl, data, most) : SSL_read(t->ssl, data, most);
    if (count > 0) return count;
    const int why = SSL_get_error(t->ssl, count);
    return why == SSL_ERROR_WANT_READ || why == SSL_ERROR_WANT_WRITE ? 0 : -1;
  }
  const ssize_t count = write ? send(t->fd, data, size, MSG_NOSIGNAL) : recv(t->fd, data, size, 0);
  if (count > 0) return count;
  return count < 0 && (errno == EAGAIN || errno == EINTR) ? 0 : -1;
}

/* Sends and receives until the stream has ended; false: the connection is gone. */
static bool pump(ten_transport *t, bool until_closed) {
  static __thread char in[256 << 10];
  const uint8_t *out = NULL;
  ssize_t out_size = 0;
  while (!until_closed || !t->closed) {
    if (!out_size) out_size = nghttp2_session_mem_send(t->session, &out);
    if (out_size < 0) return false;
    if (!out_size && !until_closed) return true;
    bool moved = false;
    if (out_size) {
      const ssize_t count = move(t, true, (void *)(uintptr_t)out, (size_t)out_size);
      if (count < 0) return false;
      out += count;
      out_size -= count;
      moved = count > 0;
    }
    const ssize_t count = until_closed ? move(t, false, in, sizeof in) : 0;
    if (count < 0) return false;
    if (count && nghttp2_session_mem_recv(t->session, (const uint8_t *)in, (size_t)count) != count) return false;
    if (moved || count) continue;
    struct pollfd wait = {.fd = t->fd, .events = (short)(POLLIN | (out_size ? POLLOUT : 0))};
    if (poll(&wait, 1, -1) < 0 && errno != EINTR) return false;
  }
  return true;
}

static void transport_close(ten_transport *t) {
  if (!t) return;
  if (t->session) nghttp2_session_del(t->session);
  if (t->ssl) (void)SSL_shutdown(t->ssl);
  SSL_free(t->ssl);
  SSL_CTX_free(t->tls);
  if (t->fd >= 0) close(t->fd);
  free(t->authority);
  free(t->authorization);
  free(t->message);
  free(t->answer);
  free(t);
}

static char *open_socket(ten_transport *t, const char *host, const char *port) {
  const struct addrinfo hints = {.ai_socktype = SOCK_STREAM, .ai_flags = AI_NUMERICSERV};
  struct addrinfo *all = NULL;
  const int wrong = getaddrinfo(host, port, &hints, &all);
  if (wrong) return say("no address of %s: %s", host, gai_strerror(wrong));
  int error = 0;
  for (const struct addrinfo *info = all; info && t->fd < 0; info = info->ai_next) {
    t->fd = socket(info->ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
    const struct timeval patience = {.tv_sec = CONNECT_MS / 1000};
    if (t->fd >= 0) (void)setsockopt(t->fd, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
    if (t->fd >= 0 && connect(t->fd, info->ai_addr, info->ai_addrlen)) {
      error = errno;
      close(t->fd);
      t->fd = -1;
    }
  }
  freeaddrinfo(all);
  if (t->fd < 0) return say("%s:%s cannot be reached: %s", host, port, strerror(error));
  const int one = 1;
  (void)setsockopt(t->fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
  return NULL;
}

static char *open_tls(ten_transport *t, const char *host, const char *ca) {
  t->tls = SSL_CTX_new(TLS_client_method());
  if (!t->tls) return say("no memory for TLS");
  SSL_CTX_set_min_proto_version(t->tls, TLS1_2_VERSION);
  SSL_CTX_set_mode(t->tls, SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
  SSL_CTX_set_verify(t->tls, SSL_VERIFY_PEER, NULL);
  if ((ca ? SSL_CTX_load_verify_locations(t->tls, ca, NULL) : SSL_CTX_set_default_verify_paths(t->tls)) != 1)
    return say("certificate authorities cannot be read from %s", ca ? ca : "the system");
  t->ssl = SSL_new(t->tls);
  if (!t->ssl || !SSL_set_fd(t->ssl, t->fd)) return say("no memory for TLS");
  SSL_set_alpn_protos(t->ssl, (const unsigned char *)"\x02h2", 3);
  SSL_set_tlsext_host_name(t->ssl, host);
  if (!X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(t->ssl), host)) SSL_set1_host(t->ssl, host);
  if (SSL_connect(t->ssl) == 1) return NULL;
  const long verified = SSL_get_verify_result(t->ssl);
  return say("TLS with %s failed: %s", host,
             verified != X509_V_OK ? X509_verify_cert_error_string(verified) : "the server does not speak it");
}

static char *open_session(ten_transport *t) {
  nghttp2_session_callbacks *callbacks;
  if (nghttp2_session_callbacks_new(&callbacks)) return say("no memory for HTTP/2");
  nghttp2_session_callbacks_set_on_header_callback(callbacks, on_header);
  nghttp2_session_callbacks_set_on_data_chunk_recv_callback(callbacks, on_data);
  nghttp2_session_callbacks_set_data_source_read_length_callback(callbacks, on_length);
  nghttp2_session_callbacks_set_on_stream_close_callback(callbacks, on_close);
  const int wrong = nghttp2_session_client_new(&t->session, callbacks, t);
  nghttp2_session_callbacks_del(callbacks);
  const nghttp2_settings_entry settings[] = {{NGHTTP2_SETTINGS_ENABLE_PUSH, 0},
                                             {NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE, WINDOW},
                                             {NGHTTP2_SETTINGS_MAX_FRAME_SIZE, 1 << 20}};
  if (wrong || nghttp2_submit_settings(t->session, NGHTTP2_FLAG_NONE, settings, 3) ||
      nghttp2_session_set_local_window_size(t->session, NGHTTP2_FLAG_NONE, 0, WINDOW))
    return say("no memory for HTTP/2");
  if (!pump(t, false)) return say("the connection was lost");
  return NULL;
}

static ten_transport *transport_open(const char *address, const char *ca, const char *token, char **out_error) {
  *out_error = NULL;
  ten_transport *t = calloc(1, sizeof *t);
  if (!t) return NULL;
  t->fd = -1;
  t->secure = !strncmp(address, "grpcs://", 8);
  const char *at = strstr(address, "://");
  char host[256];
  const char *colon = at ? strrchr(at + 3, ':') : NULL;
  at = at ? at + 3 : address;
  size_t length = colon ? (size_t)(colon - at) : 0;
  if (!length || length >= sizeof host || !colon[1]) {
    *out_error = say("'%s' is no address; use grpc://HOST:PORT or grpcs://HOST:PORT", address);
  } else {
    t->authority = strdup(at);
    if (*at == '[' && at[length - 1] == ']') at++, length -= 2;
    memcpy(host, at, length);
    host[length] = 0;
    if (token) t->authorization = say("Bearer %s", token);
    *out_error = open_socket(t, host, colon + 1);
    if (!*out_error && t->secure) *out_error = open_tls(t, host, ca);
    if (!*out_error) {
      fcntl(t->fd, F_SETFL, fcntl(t->fd, F_GETFL) | O_NONBLOCK);
      *out_error = open_session(t);
    }
  }
  if (!*out_error) return t;
  transport_close(t);
  return NULL;
}

static nghttp2_nv header(const char *name, const char *value) {
  return (nghttp2_nv){(uint8_t *)(uintptr_t)name, (uint8_t *)(uintptr_t)value, strlen(name), strlen(value), 0};
}

static int transport_call(ten_transport *t, const char *path, const void *request, size_t size, void **out,
                          size_t *out_size, char **out_error) {
  *out = NULL;
  *out_size = 0;
  *out_error = NULL;
  if (t->lost) {
    *out_error = say("the connection to %s was lost, and all that was there", t->authority);
    return -1;
  }
  nghttp2_nv headers[7] = {
      header(":method", "POST"),          header(":scheme", t->secure ? "https" : "http"), header(":path", path),
      header(":authority", t->authority), header("content-type", "application/grpc"),      header("te", "trailers")};
  size_t count = 6;
  if (t->authorization) {
    headers[count] = header("authorization", t->authorization);
    headers[count++].flags = NGHTTP2_NV_FLAG_NO_INDEX;
  }
  const unsigned char prefix[5] = {0, (unsigned char)(size >> 24), (unsigned char)(size >> 16),
                                   (unsigned char)(size >> 8), (unsigned char)size};
  memcpy(t->prefix, prefix, sizeof prefix);
  t->request = request;
  t->request_size = size;
  t->sent = 0;
  t->code = -1;
  t->closed = false;
  t->answer_size = 0;
  free(t->message);
  t->message = NULL;
  const nghttp2_data_provider provider = {.read_callback = on_read};
  t->stream = size > UINT32_MAX ? -1 : nghttp2_submit_request(t->session, NULL, headers, count, &provider, NULL);
  if (t->stream < 0 || !pump(t, true) || t->code < 0) {
    t->lost = true;
    *out_error = say("the connection to %s was lost, and all that was there", t->authority);
    return -1;
  }
  if (t->code) {
    *out_error = say("%s", t->message ? t->message : "the server refused");
    return t->code;
  }
  if (t->answer_size < 5) {
    *out_error = say("the server answered with nothing");
    return 13;
  }
  *out_size = t->answer_size - 5;
  memmove(t->answer, t->answer + 5, *out_size);
  *out = t->answer;
  t->answer = NULL;
  t->answer_capacity = 0;
  return 0;
}

__attribute__((visibility("default"))) extern const ten_transport_api tenfold_transport;
const ten_transport_api tenfold_transport = {TEN_TRANSPORT_ABI, transport_open, transport_close, transport_call};
