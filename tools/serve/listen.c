/* listen.c: addresses and TLS. An address that other machines can reach needs both TLS and a token. */
#include <arpa/inet.h>
#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "serve/server.h"

/* "grpc://[::1]:8470", "127.0.0.1:8000" */
static ten_status *split(const char *address, const char *scheme, char *host, size_t size, const char **out_port) {
  const char *at = address, *mark = strstr(address, "://");
  if (mark) {
    if ((size_t)(mark - address) != strlen(scheme) || strncmp(address, scheme, strlen(scheme)) != 0)
      return ten_error(TEN_INVALID, "'%s' is no address here; use %s://HOST:PORT", address, scheme);
    at = mark + 3;
  }
  const char *colon = strrchr(at, ':');
  size_t length = colon ? (size_t)(colon - at) : 0;
  if (!colon || !length || !colon[1] || length >= size)
    return ten_error(TEN_INVALID, "'%s' is no address; use HOST:PORT, such as 127.0.0.1:8000", address);
  if (*at == '[' && length > 2 && at[length - 1] == ']') at++, length -= 2;
  memcpy(host, at, length);
  host[length] = 0;
  *out_port = colon + 1;
  return NULL;
}

static bool is_loopback(const struct sockaddr *address) {
  if (address->sa_family == AF_INET) return ntohl(((const struct sockaddr_in *)address)->sin_addr.s_addr) >> 24 == 127;
  return address->sa_family == AF_INET6 && IN6_IS_ADDR_LOOPBACK(&((const struct sockaddr_in6 *)address)->sin6_addr);
}

static ten_status *open_socket(const struct addrinfo *info, const char *address, int *out_fd) {
  *out_fd = socket(info->ai_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  const int one = 1;
  if (*out_fd >= 0) {
    (void)setsockopt(*out_fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one);
    if (!bind(*out_fd, info->ai_addr, info->ai_addrlen) && !listen(*out_fd, 1024)) return NULL;
  }
  ten_status *status = ten_error(TEN_IO, "%s cannot be listened on: %s", address, strerror(errno));
  if (*out_fd >= 0) close(*out_fd);
  return status;
}

/* Prints the port that the system chose for 0, and the address, for the parent. */
static void say_address(int fd, const char *scheme, bool tls) {
  struct sockaddr_storage own;
  socklen_t length = sizeof own;
  char host[INET6_ADDRSTRLEN], port[16];
  if (getsockname(fd, (struct sockaddr *)&own, &length) ||
      getnameinfo((struct sockaddr *)&own, length, host, sizeof host, port, sizeof port,
                  NI_NUMERICHOST | NI_NUMERICSERV))
    return;
  const bool six = own.ss_family == AF_INET6;
  const char *name = !strcmp(scheme, "grpc") ? (tls ? "grpcs" : "grpc") : tls ? "https" : "http";
  printf("listening on %s://%s%s%s:%s\n", name, six ? "[" : "", host, six ? "]" : "", port);
  fflush(stdout);
}

ten_status *serve_listen(serve_server *server, const char *address, const char *scheme) {
  char host[256];
  const char *port;
  TEN_TRY(split(address, scheme, host, sizeof host, &port));
  const struct addrinfo hints = {.ai_socktype = SOCK_STREAM, .ai_flags = AI_PASSIVE | AI_NUMERICSERV};
  struct addrinfo *info = NULL;
  const int wrong = getaddrinfo(host, port, &hints, &info);
  if (wrong) return ten_error(TEN_INVALID, "'%s' is no address: %s", address, gai_strerror(wrong));
  const bool is_public = !is_loopback(info->ai_addr);
  const serve_options *o = &server->options;
  ten_status *status = NULL;
  int fd = -1;
  if (is_public && !o->insecure && (!o->tls || !(o->token_file || o->client_ca)))
    status = ten_error(TEN_INVALID,
                       "%s can be reached by others: that takes --tls and --token-file or --client-ca, or, at your own "
                       "risk, --insecure",
                       address);
  if (!status) status = open_socket(info, address, &fd);
  freeaddrinfo(info);
  if (status) return status;
  serve_listener *listener = &server->listeners[server->listener_count++];
  *listener = (serve_listener){.watch = {fd, serve_listener_ready}, .server = server, .tls = server->tls};
  TEN_TRY(serve_loop_add(&server->loop, &listener->watch, EPOLLIN));
  if (is_public && o->insecure)
    fprintf(stderr, "tenfold serve: WARNING: --insecure: whoever reaches %s may use the server and read what is sent\n",
            address);
  say_address(fd, scheme, server->tls);
  return NULL;
}

/* HTTP/2 if the client offers it. */
static int choose_protocol(SSL *ssl, const unsigned char **out, unsigned char *out_size, const unsigned char *offered,
                           unsigned size, void *user) {
  (void)ssl;
  (void)user;
  static const unsigned char ours[] = "\x02h2\x08http/1.1";
  return SSL_select_next_proto((unsigned char **)(uintptr_t)out, out_size, ours, sizeof ours - 1, offered, size) ==
                 OPENSSL_NPN_NEGOTIATED
             ? SSL_TLSEXT_ERR_OK
             : SSL_TLSEXT_ERR_NOACK;
}

static ten_status *tls_error(const char *what, const char *path) {
  char text[256];
  const unsigned long code = ERR_get_error();
  ERR_error_string_n(code, text, sizeof text);
  return ten_error(TEN_INVALID, "%s %s cannot be used: %s", what, path, code ? text : "not readable");
}

ten_status *serve_tls_open(serve_server *server) {
  const serve_options *o = &server->options;
  if (!o->tls) {
    if (o->tls_key || o->client_ca) return ten_error(TEN_INVALID, "--tls-key and --client-ca go with --tls");
    return NULL;
  }
  server->tls = SSL_CTX_new(TLS_server_method());
  if (!server->tls) return ten_error(TEN_LIMIT, "no memory for TLS");
  SSL_CTX_set_min_proto_version(server->tls, TLS1_2_VERSION);
  SSL_CTX_set_options(server->tls, SSL_OP_NO_COMPRESSION | SSL_OP_NO_RENEGOTIATION | SSL_OP_IGNORE_UNEXPECTED_EOF);
  SSL_CTX_set_mode(server->tls,
                   SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER | SSL_MODE_RELEASE_BUFFERS);
  SSL_CTX_set_read_ahead(server->tls, 1); /* several TLS records per system call */
  SSL_CTX_set_default_read_buffer_len(server->tls, 128 << 10);
  SSL_CTX_set_alpn_select_cb(server->tls, choose_protocol, NULL);
  if (SSL_CTX_use_certificate_chain_file(server->tls, o->tls) != 1) return tls_error("certificate", o->tls);
  if (X509_cmp_current_time(X509_get0_notAfter(SSL_CTX_get0_certificate(server->tls))) < 0)
    return ten_error(TEN_INVALID, "certificate %s has expired; no client would trust it", o->tls);
  const char *key = o->tls_key ? o->tls_key : o->tls;
  if (SSL_CTX_use_PrivateKey_file(server->tls, key, SSL_FILETYPE_PEM) != 1 ||
      SSL_CTX_check_private_key(server->tls) != 1)
    return tls_error("private key", key);
  if (o->client_ca) {
    if (SSL_CTX_load_verify_locations(server->tls, o->client_ca, NULL) != 1)
      return tls_error("certificate authorities", o->client_ca);
    SSL_CTX_set_verify(server->tls, SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT, NULL);
    static const unsigned char context[] = "tenfold";
    SSL_CTX_set_session_id_context(server->tls, context, sizeof context - 1);
  }
  return NULL;
}
