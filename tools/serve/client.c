/* client.c: libtenfold_remote.so: connections to a server, for the remote device (backend/remote/transport.h): the
 * socket and TLS. */
#include "serve/client.h"

#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <openssl/ssl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include "serve/tls_out.h"

enum { CONNECT_MS = 20000 };

char *client_say(const char *format, ...) {
  char *text = NULL;
  va_list args;
  va_start(args, format);
  if (vasprintf(&text, format, args) < 0) text = NULL;
  va_end(args);
  return text;
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

static char *open_socket(ten_transport *t, const char *host, const char *port) {
  const struct addrinfo hints = {.ai_socktype = SOCK_STREAM, .ai_flags = AI_NUMERICSERV};
  struct addrinfo *all = NULL;
  const int wrong = getaddrinfo(host, port, &hints, &all);
  if (wrong) return client_say("no address of %s: %s", host, gai_strerror(wrong));
  int error = 0;
  for (const struct addrinfo *info = all; info && t->fd < 0; info = info->ai_next) {
    t->fd = socket(info->ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
    const struct timeval patience = {.tv_sec = CONNECT_MS / 1000};
    for (int i = 0; t->fd >= 0 && i < 2; i++) /* of connecting, and of the TLS handshake */
      (void)setsockopt(t->fd, SOL_SOCKET, i ? SO_RCVTIMEO : SO_SNDTIMEO, &patience, sizeof patience);
    if (t->fd >= 0 && connect(t->fd, info->ai_addr, info->ai_addrlen)) {
      error = errno;
      close(t->fd);
      t->fd = -1;
    }
  }
  freeaddrinfo(all);
  if (t->fd < 0) return client_say("%s:%s cannot be reached: %s", host, port, strerror(error));
  const int one = 1;
  (void)setsockopt(t->fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
  return NULL;
}

static char *open_tls(ten_transport *t, const char *host, const char *ca) {
  t->tls = SSL_CTX_new(TLS_client_method());
  if (!t->tls) return client_say("no memory for TLS");
  SSL_CTX_set_min_proto_version(t->tls, TLS1_2_VERSION);
  SSL_CTX_set_mode(t->tls, SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
  SSL_CTX_set_read_ahead(t->tls, 1); /* several TLS records per system call */
  SSL_CTX_set_default_read_buffer_len(t->tls, 128 << 10);
  SSL_CTX_set_ciphersuites(t->tls, TLS_SUITES);
  SSL_CTX_set_verify(t->tls, SSL_VERIFY_PEER, NULL);
  if ((ca ? SSL_CTX_load_verify_locations(t->tls, ca, NULL) : SSL_CTX_set_default_verify_paths(t->tls)) != 1)
    return client_say("certificate authorities cannot be read from %s", ca ? ca : "the system");
  t->ssl = SSL_new(t->tls);
  if (!t->ssl || !tls_out_attach(t->ssl, t->fd)) return client_say("no memory for TLS");
  SSL_set_alpn_protos(t->ssl, (const unsigned char *)"\x02h2", 3);
  SSL_set_tlsext_host_name(t->ssl, host);
  if (!X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(t->ssl), host)) SSL_set1_host(t->ssl, host);
  const int done = SSL_connect(t->ssl);
  if (done == 1) return NULL;
  if (SSL_get_error(t->ssl, done) == SSL_ERROR_WANT_READ)
    return client_say("TLS with %s failed: no answer within %d s", host, CONNECT_MS / 1000);
  const long verified = SSL_get_verify_result(t->ssl);
  return client_say("TLS with %s failed: %s", host,
                    verified != X509_V_OK ? X509_verify_cert_error_string(verified) : "the server does not speak it");
}

static ten_transport *transport_open(const char *address, const char *ca, const char *token, char **out_error) {
  *out_error = NULL;
  ten_transport *t = calloc(1, sizeof *t);
  if (!t) return NULL;
  pthread_mutex_init(&t->mutex, NULL);
  pthread_cond_init(&t->cond, NULL);
  t->fd = -1;
  t->wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  t->in = malloc(CLIENT_IN);
  t->secure = !strncmp(address, "grpcs://", 8);
  const char *at = strstr(address, "://");
  char host[256];
  const char *colon = at ? strrchr(at + 3, ':') : NULL;
  at = at ? at + 3 : address;
  size_t length = colon ? (size_t)(colon - at) : 0;
  if (t->wake < 0 || !t->in) {
    *out_error = client_say("no memory or no descriptor for a connection");
  } else if (!length || length >= sizeof host || !colon[1]) {
    *out_error = client_say("'%s' is no address; use grpc://HOST:PORT or grpcs://HOST:PORT", address);
  } else {
    t->authority = strdup(at);
    if (*at == '[' && at[length - 1] == ']') at++, length -= 2;
    memcpy(host, at, length);
    host[length] = 0;
    if (token) t->authorization = client_say("Bearer %s", token);
    *out_error = open_socket(t, host, colon + 1);
    if (!*out_error && t->secure) *out_error = open_tls(t, host, ca);
    if (!*out_error) {
      fcntl(t->fd, F_SETFL, fcntl(t->fd, F_GETFL) | O_NONBLOCK);
      *out_error = client_session_open(t);
    }
  }
  if (!*out_error) return t;
  transport_close(t);
  return NULL;
}

__attribute__((visibility("default"))) extern const ten_transport_api tenfold_transport;
const ten_transport_api tenfold_transport = {TEN_TRANSPORT_ABI, transport_open, transport_close, client_call_run};
