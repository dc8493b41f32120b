/* tls_out.c: a BIO over a socket that gathers what is written. */
#include "serve/tls_out.h"

#include <errno.h>
#include <openssl/bio.h>
#include <openssl/ssl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

enum { ROOM = 256 << 10, IDLE_MOST = 32 << 10 }; /* some fifteen records; what an idle connection may have touched */

typedef struct gathered {
  int fd;
  bool gone;
  size_t start, end; /* of what lies in `data` */
  size_t used;       /* the largest `end` */
  char *data;        /* owned: ROOM bytes once something was written */
} gathered;

/* What the socket takes now. */
static long send_all(gathered *g) {
  long done = 0;
  while (g->start < g->end && !g->gone) {
    const ssize_t sent = send(g->fd, g->data + g->start, g->end - g->start, MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent < 0 && errno != EAGAIN && errno != EWOULDBLOCK) g->gone = true;
    if (sent < 0) break;
    g->start += (size_t)sent;
    done += sent;
  }
  if (g->start == g->end) g->start = g->end = 0;
  return g->gone ? -1 : done;
}

static int out_write(BIO *bio, const char *data, int count) {
  gathered *g = BIO_get_data(bio);
  const size_t size = (size_t)count;
  BIO_clear_retry_flags(bio);
  if (!g->data) g->data = malloc(ROOM);
  if (!g->data || count < 0) return -1;
  if (size > ROOM - g->end && send_all(g) < 0) return -1;
  if (g->start && size > ROOM - g->end) { /* what is left moves to the front */
    memmove(g->data, g->data + g->start, g->end - g->start);
    g->end -= g->start;
    g->start = 0;
  }
  const size_t now = size < ROOM - g->end ? size : ROOM - g->end;
  if (!now) {
    BIO_set_retry_write(bio);
    return -1;
  }
  memcpy(g->data + g->end, data, now);
  g->end += now;
  if (g->end > g->used) g->used = g->end;
  return (int)now;
}

static long out_control(BIO *bio, int command, long number, void *pointer) {
  (void)number, (void)pointer;
  gathered *g = BIO_get_data(bio);
  if (command == BIO_CTRL_WPENDING) return (long)(g->end - g->start);
  if (command != BIO_CTRL_FLUSH) return 0;
  BIO_clear_retry_flags(bio);
  if (send_all(g) < 0) return -1;
  if (g->start == g->end) return 1;
  BIO_set_retry_write(bio);
  return -1;
}

static int out_free(BIO *bio) {
  gathered *g = BIO_get_data(bio);
  if (g) free(g->data);
  free(g);
  return 1;
}

static BIO_METHOD *method;
static int method_type;
static void make_method(void) {
  method_type = BIO_get_new_index() | BIO_TYPE_SOURCE_SINK;
  BIO_METHOD *made = BIO_meth_new(method_type, "gathered records");
  if (made && BIO_meth_set_write(made, out_write) && BIO_meth_set_ctrl(made, out_control) &&
      BIO_meth_set_destroy(made, out_free))
    method = made;
}

bool tls_out_attach(SSL *ssl, int fd) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, make_method);
  gathered *g = calloc(1, sizeof *g);
  BIO *in = BIO_new_socket(fd, BIO_NOCLOSE), *out = g && method ? BIO_new(method) : NULL;
  if (!in || !out) {
    BIO_free(in);
    BIO_free(out);
    free(g);
    return false;
  }
  g->fd = fd;
  BIO_set_data(out, g);
  BIO_set_init(out, 1);
  SSL_set_bio(ssl, in, out); /* which are the SSL's now */
  return true;
}

static gathered *gathered_of(const SSL *ssl) {
  BIO *out = ssl ? SSL_get_wbio(ssl) : NULL;
  return out && BIO_method_type(out) == method_type ? BIO_get_data(out) : NULL;
}

size_t tls_out_pending(const SSL *ssl) {
  const gathered *g = gathered_of(ssl);
  return g ? g->end - g->start : 0;
}

long tls_out_flush(SSL *ssl) {
  gathered *g = gathered_of(ssl);
  const long sent = g ? send_all(g) : 0;
  if (g && g->start == g->end && g->used > IDLE_MOST) {
    free(g->data);
    g->data = NULL;
    g->used = 0;
  }
  return sent;
}
