/* conn.c: sockets: accepting, TLS, receiving, sending, and timeouts of clients.
 * Invariants: nothing here blocks; a connection's memory is bounded whatever the client does; a connection is freed
 * only by serve_conn_reap, outside of its own callbacks. */
#include "serve/conn.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/tcp.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#include "base/clock.h"
#include "serve/device.h"
#include "serve/server.h"
#include "serve/tls_out.h"

enum {
  READS_MOST = 16,        /* per turn, so that one client does not starve the others */
  CHUNK_ROOM = 4096,      /* small writes share a chunk of this size */
  HANDSHAKE_SECONDS = 10, /* for TLS and the first byte */
};

static void conn_ready(serve_watch *watch, uint32_t events);

static void peer_name(int fd, char *out, size_t size) {
  struct sockaddr_storage address = {0};
  socklen_t length = sizeof address;
  char host[INET6_ADDRSTRLEN] = "?";
  int port = 0;
  if (!getpeername(fd, (struct sockaddr *)&address, &length)) {
    const struct sockaddr_in *four = (const struct sockaddr_in *)&address;
    const struct sockaddr_in6 *six = (const struct sockaddr_in6 *)&address;
    const bool is_six = address.ss_family == AF_INET6;
    inet_ntop(address.ss_family, is_six ? (const void *)&six->sin6_addr : (const void *)&four->sin_addr, host,
              sizeof host);
    port = ntohs(is_six ? six->sin6_port : four->sin_port);
  }
  snprintf(out, size, "%s:%d", host, port);
}

static ten_status *conn_create(serve_listener *listener, int fd) {
  TEN_RECOVER("accepting a connection");
  serve_server *server = listener->server;
  serve_conn *conn = ten_alloc(sizeof *conn);
  *conn = (serve_conn){.watch = {.fd = fd, .ready = conn_ready},
                       .server = server,
                       .events = EPOLLIN | EPOLLRDHUP,
                       .state = listener->tls ? CONN_HANDSHAKE : CONN_NEW,
                       .opened = ten_clock()};
  conn->progress = conn->opened;
  peer_name(fd, conn->peer, sizeof conn->peer);
  ten_status *status = NULL;
  if (listener->tls) {
    conn->ssl = SSL_new(listener->tls);
    if (!conn->ssl || !tls_out_attach(conn->ssl, fd)) status = ten_error(TEN_LIMIT, "no memory for a connection");
    if (conn->ssl) SSL_set_accept_state(conn->ssl);
  }
  if (!status) status = serve_loop_add(&server->loop, &conn->watch, conn->events);
  if (status) {
    SSL_free(conn->ssl);
    free(conn);
    return status;
  }
  conn->next = server->conns;
  if (conn->next) conn->next->previous = conn;
  server->conns = conn;
  server->conn_count++;
  return NULL;
}

void serve_listener_ready(serve_watch *watch, uint32_t events) {
  (void)events;
  serve_listener *listener = (serve_listener *)watch;
  serve_server *server = listener->server;
  for (int i = 0; i < READS_MOST; i++) {
    const int fd = accept4(watch->fd, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
    if (fd < 0) {
      /* Out of descriptors: a reserved one is used to accept and close, or the loop would spin. */
      if ((errno == EMFILE || errno == ENFILE) && server->spare_fd >= 0) {
        close(server->spare_fd);
        const int refused = accept(watch->fd, NULL, NULL);
        if (refused >= 0) close(refused);
        server->spare_fd = dup(server->loop.wake);
        continue;
      }
      return;
    }
    const int one = 1;
    (void)setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
    (void)setsockopt(fd, SOL_SOCKET, SO_KEEPALIVE, &one, sizeof one); /* frees the resources of dead peers */
    server->metrics.connections++;
    ten_status *status = NULL;
    if (server->conn_count >= (size_t)server->options.max_connections || server->draining)
      status = ten_error(TEN_LIMIT, "too many connections");
    else
      status = conn_create(listener, fd);
    if (status) {
      server->metrics.refused_connections++;
      close(fd);
    }
    ten_status_free(status);
  }
}

void serve_conn_close(serve_conn *conn) {
  if (conn->closed) return;
  conn->closed = true;
  serve_loop_remove(&conn->server->loop, &conn->watch);
  if (conn->ssl) {
    ERR_clear_error();
    if (conn->state != CONN_HANDSHAKE) (void)SSL_shutdown(conn->ssl);
    (void)tls_out_flush(conn->ssl);
    SSL_free(conn->ssl);
    conn->ssl = NULL;
  }
  close(conn->watch.fd);
  conn->watch.fd = -1;
  if (conn->exchange) {
    serve_exchange *exchange = conn->exchange;
    conn->exchange = NULL;
    if (!exchange->responded) serve_exchange_abandon(exchange);
    serve_exchange_release(exchange);
  }
  if (conn->h2) serve_h2_close(conn);
  serve_session_abandon(conn->session);
}

void serve_conn_reap(serve_conn *conn) {
  if (!conn->closed || conn->references) return;
  if (conn->previous)
    conn->previous->next = conn->next;
  else
    conn->server->conns = conn->next;
  if (conn->next) conn->next->previous = conn->previous;
  conn->server->conn_count--;
  while (conn->out) {
    serve_chunk *chunk = conn->out;
    conn->out = chunk->next;
    serve_chunk_free(chunk);
  }
  free(conn->in);
  serve_session_free(conn->session);
  free(conn);
}

void serve_chunk_free(serve_chunk *chunk) {
  if (chunk->tensor)
    ten_tensor_release(chunk->tensor);
  else if (chunk->data != (char *)(chunk + 1))
    free(chunk->data);
  free(chunk);
}

static void chunk_append(serve_conn *conn, serve_chunk *chunk) {
  chunk->next = NULL;
  if (conn->out_last)
    conn->out_last->next = chunk;
  else
    conn->out = chunk;
  conn->out_last = chunk;
}

static serve_chunk *chunk_add(serve_conn *conn, size_t room) {
  serve_chunk *chunk = ten_alloc(sizeof *chunk + room);
  *chunk = (serve_chunk){.data = (char *)(chunk + 1)};
  chunk_append(conn, chunk);
  return chunk;
}

void serve_conn_send_chunk(serve_conn *conn, serve_chunk *chunk) {
  if (conn->closed) {
    serve_chunk_free(chunk);
    return;
  }
  chunk_append(conn, chunk);
  conn->out_size += chunk->size - chunk->at;
}

void serve_conn_send(serve_conn *conn, const void *data, size_t size) {
  if (conn->closed) return;
  serve_chunk *chunk = conn->out_last;
  const bool fits = chunk && chunk->room && chunk->size + size <= CHUNK_ROOM;
  if (!fits) {
    chunk = chunk_add(conn, size > CHUNK_ROOM ? size : CHUNK_ROOM);
    chunk->room = true;
  }
  memcpy(chunk->data + chunk->size, data, size);
  chunk->size += size;
  conn->out_size += size;
}

void serve_conn_send_owned(serve_conn *conn, char *data, size_t size) {
  if (conn->closed || size <= CHUNK_ROOM / 2) {
    if (size) serve_conn_send(conn, data, size);
    free(data);
    return;
  }
  serve_chunk *chunk = chunk_add(conn, 0);
  chunk->data = data;
  chunk->size = size;
  conn->out_size += size;
}

/* Bytes that the socket has not taken. */
static size_t unsent(const serve_conn *conn) { return conn->out_size + tls_out_pending(conn->ssl); }

static void watch_for(serve_conn *conn) {
  uint32_t events = EPOLLRDHUP;
  if (!conn->busy || conn->refused) events |= EPOLLIN;
  if (unsent(conn)) events |= EPOLLOUT;
  if (events == conn->events || conn->closed) return;
  conn->events = events;
  serve_loop_change(&conn->server->loop, &conn->watch, events);
}

/* Bytes sent; 0: would block; negative: the connection is closed. */
static ssize_t send_some(serve_conn *conn) {
  if (conn->ssl) {
    ERR_clear_error();
    const serve_chunk *chunk = conn->out;
    const size_t size = chunk->size - chunk->at;
    const int sent = SSL_write(conn->ssl, chunk->data + chunk->at, size > 1 << 20 ? 1 << 20 : (int)size);
    if (sent > 0) return sent;
    const int why = SSL_get_error(conn->ssl, sent);
    return why == SSL_ERROR_WANT_WRITE || why == SSL_ERROR_WANT_READ ? 0 : -1;
  }
  struct iovec parts[16];
  int count = 0;
  for (const serve_chunk *chunk = conn->out; chunk && count < 16; chunk = chunk->next)
    parts[count++] = (struct iovec){chunk->data + chunk->at, chunk->size - chunk->at};
  const struct msghdr message = {.msg_iov = parts, .msg_iovlen = (size_t)count};
  const ssize_t sent = sendmsg(conn->watch.fd, &message, MSG_NOSIGNAL);
  if (sent >= 0) return sent;
  return errno == EAGAIN || errno == EINTR ? 0 : -1;
}

static void drop_sent(serve_conn *conn, size_t sent) {
  conn->out_size -= sent;
  while (sent) {
    serve_chunk *chunk = conn->out;
    const size_t left = chunk->size - chunk->at, now = sent < left ? sent : left;
    chunk->at += now;
    sent -= now;
    if (chunk->at < chunk->size) break;
    conn->out = chunk->next;
    if (!conn->out) conn->out_last = NULL;
    serve_chunk_free(chunk);
  }
}

void serve_conn_flush(serve_conn *conn) {
  if (conn->closed || conn->state == CONN_HANDSHAKE) return;
  for (;;) {
    if (conn->h2 && conn->out_size < SERVE_OUT_MOST && !serve_h2_fill(conn)) {
      serve_conn_close(conn);
      return;
    }
    if (!conn->out_size) break;
    const ssize_t sent = send_some(conn);
    if (sent < 0) {
      serve_conn_close(conn);
      return;
    }
    if (!sent) break;
    conn->progress = ten_clock();
    drop_sent(conn, (size_t)sent);
  }
  const long flushed = conn->ssl ? tls_out_flush(conn->ssl) : 0;
  if (flushed > 0) conn->progress = ten_clock();
  if (flushed < 0 || (!unsent(conn) && conn->ending && !conn->refused)) {
    serve_conn_close(conn);
    return;
  }
  watch_for(conn);
}

/* Bytes received; 0: would block; negative: the connection is closed. */
static ssize_t receive_some(serve_conn *conn, char *data, size_t size) {
  if (conn->ssl) {
    ERR_clear_error();
    const int got = SSL_read(conn->ssl, data, (int)size);
    if (got > 0) return got;
    const int why = SSL_get_error(conn->ssl, got);
    return why == SSL_ERROR_WANT_READ || why == SSL_ERROR_WANT_WRITE ? 0 : -1;
  }
  const ssize_t got = recv(conn->watch.fd, data, size, 0);
  if (got > 0) return got;
  return got < 0 && (errno == EAGAIN || errno == EINTR) ? 0 : -1;
}

static const char preface[] = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";

static void in_add(serve_conn *conn, const char *data, size_t size) {
  if (conn->in_size + size > conn->in_capacity) {
    conn->in_capacity = conn->in_size + size > 8192 ? conn->in_size + size : 8192;
    conn->in = ten_realloc(conn->in, conn->in_capacity);
  }
  memcpy(conn->in + conn->in_size, data, size);
  conn->in_size += size;
}

/* HTTP/1 or HTTP/2, once enough bytes have arrived to tell. */
static bool tell_protocol(serve_conn *conn) {
  const size_t known = conn->in_size < sizeof preface - 1 ? conn->in_size : sizeof preface - 1;
  if (memcmp(conn->in, preface, known) != 0) {
    conn->state = CONN_HTTP1;
    return true;
  }
  if (known < sizeof preface - 1) return true;
  conn->state = CONN_HTTP2;
  if (!serve_h2_open(conn)) return false;
  const bool fine = serve_h2_receive(conn, conn->in, conn->in_size);
  free(conn->in);
  conn->in = NULL;
  conn->in_size = conn->in_capacity = 0;
  return fine;
}

static bool feed(serve_conn *conn, const char *data, size_t size) {
  conn->progress = ten_clock();
  if (conn->refused) return true; /* discarded, until the client closes or the time is up */
  if (conn->state == CONN_HTTP2) return serve_h2_receive(conn, data, size);
  if (conn->state == CONN_HTTP1 && conn->exchange && !conn->busy && conn->body_left && !conn->in_size) {
    const size_t now = size < conn->body_left ? size : (size_t)conn->body_left;
    const int wrong = serve_exchange_add(conn->exchange, data, now, conn->body_left);
    if (wrong) {
      conn->refused = true;
      serve_respond(conn->exchange, wrong, NULL, NULL, NULL, 0);
      return true;
    }
    conn->body_left -= now;
    data += now;
    size -= now;
  }
  if (size) in_add(conn, data, size);
  if (conn->state == CONN_NEW && !tell_protocol(conn)) return false;
  if (conn->state == CONN_HTTP1) serve_http1_read(conn);
  return true;
}

static ten_status *read_body(void *argument) {
  serve_conn *conn = argument;
  char *scratch = conn->server->scratch;
  for (int i = 0;
       (i < READS_MOST || (conn->ssl && SSL_has_pending(conn->ssl))) && !conn->closed && (!conn->busy || conn->refused);
       i++) {
    const ssize_t got = receive_some(conn, scratch, SERVE_SCRATCH);
    if (!got) break;
    if (got < 0 || !feed(conn, scratch, (size_t)got)) {
      serve_conn_close(conn);
      break;
    }
    if (got < SERVE_SCRATCH && !conn->ssl) break;
  }
  serve_conn_flush(conn);
  return NULL;
}

void serve_conn_resume(serve_conn *conn) {
  if (conn->closed || conn->reading) return;
  if (conn->state == CONN_HTTP1 && conn->in_size) serve_http1_read(conn);
  /* TLS may buffer received bytes that epoll does not report. */
  if (!conn->closed && conn->ssl && conn->state == CONN_HTTP1) (void)read_body(conn);
  serve_conn_flush(conn);
}

static void handshake(serve_conn *conn) {
  ERR_clear_error();
  const int done = SSL_do_handshake(conn->ssl);
  if (done == 1) {
    conn->state = CONN_NEW;
    conn->events = 0;
    watch_for(conn);
    return;
  }
  const int why = SSL_get_error(conn->ssl, done);
  if (why == SSL_ERROR_WANT_READ || why == SSL_ERROR_WANT_WRITE) {
    serve_loop_change(&conn->server->loop, &conn->watch,
                      EPOLLRDHUP | (why == SSL_ERROR_WANT_READ ? EPOLLIN : EPOLLOUT));
    return;
  }
  conn->server->metrics.refused_connections++;
  serve_conn_close(conn);
}

static void conn_ready(serve_watch *watch, uint32_t events) {
  serve_conn *conn = (serve_conn *)watch;
  if (conn->closed) return;
  if (conn->state == CONN_HANDSHAKE) handshake(conn);
  if (conn->closed || conn->state == CONN_HANDSHAKE) return;
  if ((events & (EPOLLHUP | EPOLLERR)) || ((events & EPOLLRDHUP) && conn->busy)) {
    serve_conn_close(conn);
    return;
  }
  /* A failed allocation ends its connection, not the server. */
  ten_status *status = ten_recover("serving a connection", read_body, conn);
  if (status) serve_conn_close(conn);
  ten_status_free(status);
}

void serve_conn_check_time(serve_conn *conn, double now) {
  if (conn->closed) return;
  const double patience = (double)conn->server->options.timeout;
  bool late = false;
  if (conn->state == CONN_HANDSHAKE || conn->state == CONN_NEW) late = now - conn->opened > (double)HANDSHAKE_SECONDS;
  if (unsent(conn)) late |= now - conn->progress > patience;
  if (conn->request_start > 0) late |= now - conn->request_start > patience;
  if (conn->refused || conn->ending) late |= now - conn->progress > 2;
  if (conn->h2) serve_h2_check_time(conn, now, patience);
  const bool idle = conn->state == CONN_HTTP2 ? serve_h2_idle(conn) : !conn->busy;
  if (idle && !serve_session_is_used(conn->session)) late |= now - conn->progress > (double)conn->server->options.idle;
  if (idle && conn->retired && !unsent(conn)) {
    serve_conn_close(conn);
    return;
  }
  if (late) {
    conn->server->metrics.timed_out_connections++;
    serve_conn_close(conn);
  }
}
