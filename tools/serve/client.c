/* client.c: libtenfold_remote.so: connections to a server, for the remote device (backend/remote/transport.h): the
 * socket and TLS. */
#include "serve/client.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "serve/tls_out.h"

char *client_say(const char *format, ...) {
  char *text = NULL;
  va_list args;
  va_start(args, format);
  if (vasprintf(&text, format, args) < 0) text = NULL;
  va_end(args);
  return text;
}

int64_t client_now(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

bool client_poll(int fd, int wake, bool unsent, int64_t deadline) {
  const int64_t left = deadline ? deadline - client_now() : -1;
  if (deadline && left <= 0) return false;
  struct pollfd waits[] = {{.fd = fd, .events = (short)(POLLIN | (unsent ? POLLOUT : 0))},
                           {.fd = wake, .events = POLLIN}};
  const int ready = poll(waits, 2, left > INT_MAX ? INT_MAX : (int)left);
  if (ready < 0) return errno == EINTR;
  uint64_t count;
  return ready && (!waits[1].revents || read(wake, &count, sizeof count) >= 0 || errno == EAGAIN);
}

static void transport_close(ten_transport *t) {
  if (!t) return;
  client_pieces_free(t);
  if (t->session) nghttp2_session_del(t->session);
  if (t->ssl) (void)SSL_shutdown(t->ssl), (void)tls_out_flush(t->ssl);
  SSL_free(t->ssl);
  SSL_CTX_free(t->tls);
  if (t->fd >= 0) close(t->fd);
  if (t->wake >= 0) close(t->wake);
  pthread_mutex_destroy(&t->mutex);
  pthread_cond_destroy(&t->cond);
  free(t->authority);
  free(t->authorization);
  free(t->in);
  free(t);
}

/* Of open_socket and what follows: false is an error, whose text is NULL where there is no memory for it. */
static bool open_socket(ten_transport *t, const char *host, const char *port, int limit_ms, char **out_error) {
  const struct addrinfo hints = {.ai_socktype = SOCK_STREAM, .ai_flags = AI_NUMERICSERV};
  struct addrinfo *all = NULL;
  const int wrong = getaddrinfo(host, port, &hints, &all);
  if (wrong) {
    *out_error = client_say("no address of %s: %s", host, gai_strerror(wrong));
    return false;
  }
  int error = 0;
  for (const struct addrinfo *info = all; info && t->fd < 0; info = info->ai_next) {
    t->fd = socket(info->ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
    const struct timeval limit = {.tv_sec = limit_ms / 1000, .tv_usec = limit_ms % 1000 * 1000};
    if (t->fd >= 0) (void)setsockopt(t->fd, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit);
    if (t->fd >= 0 && connect(t->fd, info->ai_addr, info->ai_addrlen)) {
      error = errno;
      close(t->fd);
      t->fd = -1;
    }
  }
  freeaddrinfo(all);
  if (t->fd < 0) {
    *out_error = client_say("%s:%s cannot be reached: %s", host, port,
                            error == EINPROGRESS ? "it does not answer" : strerror(error));
    return false;
  }
  const int one = 1;
  (void)setsockopt(t->fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
  return fcntl(t->fd, F_SETFL, fcntl(t->fd, F_GETFL) | O_NONBLOCK) >= 0;
}

static bool set_tls(ten_transport *t, const char *host, const char *ca, char **out_error) {
  t->tls = SSL_CTX_new(TLS_client_method());
  if (!t->tls) return false;
  SSL_CTX_set_min_proto_version(t->tls, TLS1_2_VERSION);
  SSL_CTX_set_mode(t->tls, SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
  SSL_CTX_set_read_ahead(t->tls, 1); /* several TLS records per system call */
  SSL_CTX_set_default_read_buffer_len(t->tls, 128 << 10);
  SSL_CTX_set_ciphersuites(t->tls, TLS_SUITES);
  SSL_CTX_set_verify(t->tls, SSL_VERIFY_PEER, NULL);
  if ((ca ? SSL_CTX_load_verify_locations(t->tls, ca, NULL) : SSL_CTX_set_default_verify_paths(t->tls)) != 1) {
    *out_error = client_say("certificate authorities cannot be read from %s", ca ? ca : "the system");
    return false;
  }
  t->ssl = SSL_new(t->tls);
  if (!t->ssl || !tls_out_attach(t->ssl, t->fd) || SSL_set_alpn_protos(t->ssl, (const unsigned char *)"\x02h2", 3) ||
      SSL_set_tlsext_host_name(t->ssl, host) != 1)
    return false;
  return X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(t->ssl), host) || SSL_set1_host(t->ssl, host);
}

static bool open_tls(ten_transport *t, const char *host, const char *ca, int limit_ms, char **out_error) {
  if (!set_tls(t, host, ca, out_error)) return false;
  const int64_t deadline = client_now() + limit_ms;
  for (;;) {
    ERR_clear_error();
    const int done = SSL_connect(t->ssl);
    if (done == 1) return true;
    const int why = SSL_get_error(t->ssl, done);
    if (why != SSL_ERROR_WANT_READ && why != SSL_ERROR_WANT_WRITE) break;
    if (client_poll(t->fd, -1, why == SSL_ERROR_WANT_WRITE, deadline)) continue;
    *out_error = client_say("TLS with %s failed: no answer within %g s", host, limit_ms / 1e3);
    return false;
  }
  const long verified = SSL_get_verify_result(t->ssl);
  *out_error =
      client_say("TLS with %s failed: %s", host,
                 verified != X509_V_OK ? X509_verify_cert_error_string(verified) : "the server does not speak it");
  return false;
}

static bool make_cond(ten_transport *t) {
  pthread_condattr_t forward; /* client_now's clock */
  if (pthread_condattr_init(&forward)) return false;
  const bool made = !pthread_condattr_setclock(&forward, CLOCK_MONOTONIC) && !pthread_cond_init(&t->cond, &forward);
  pthread_condattr_destroy(&forward);
  return made;
}

static bool open_at(ten_transport *t, const char *address, const char *ca, const char *token, int limit_ms,
                    char **out_error) {
  t->wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  t->in = malloc(CLIENT_IN);
  if (t->wake < 0 || !t->in) {
    *out_error = client_say("no memory or no descriptor for a connection");
    return false;
  }
  t->secure = !strncmp(address, "grpcs://", 8);
  const char *at = strstr(address, "://");
  char host[256];
  const char *colon = at ? strrchr(at + 3, ':') : NULL;
  at = at ? at + 3 : address;
  size_t length = colon ? (size_t)(colon - at) : 0;
  if (!length || length >= sizeof host || !colon[1]) {
    *out_error = client_say("'%s' is no address; use grpc://HOST:PORT or grpcs://HOST:PORT", address);
    return false;
  }
  t->authority = strdup(at);
  t->authorization = token ? client_say("Bearer %s", token) : NULL;
  if (!t->authority || (token && !t->authorization)) return false;
  if (*at == '[' && at[length - 1] == ']') at++, length -= 2;
  memcpy(host, at, length);
  host[length] = 0;
  return open_socket(t, host, colon + 1, limit_ms, out_error) &&
         (!t->secure || open_tls(t, host, ca, limit_ms, out_error)) && client_session_open(t, out_error);
}

static ten_transport *transport_open(const char *address, const char *ca, const char *token, int limit_ms,
                                     char **out_error) {
  *out_error = NULL;
  ten_transport *t = calloc(1, sizeof *t);
  if (!t) return NULL;
  t->fd = t->wake = -1;
  t->limit_ms = limit_ms;
  if (!make_cond(t)) {
    free(t);
    return NULL;
  }
  pthread_mutex_init(&t->mutex, NULL);
  if (open_at(t, address, ca, token, limit_ms, out_error)) return t;
  transport_close(t);
  return NULL;
}

__attribute__((visibility("default"))) extern const ten_transport_api tenfold_transport;
const ten_transport_api tenfold_transport = {TEN_TRANSPORT_ABI, transport_open, transport_close, client_call_run};
