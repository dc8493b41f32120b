/* client.h: the connection of libtenfold_remote.so, which client.c opens and client_call.c uses. Uses nothing of
 * libtenfold. */
#ifndef TEN_SERVE_CLIENT_H
#define TEN_SERVE_CLIENT_H

#include <nghttp2/nghttp2.h>
#include <openssl/types.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "backend/remote/transport.h"

enum {
  CLIENT_WINDOW = 1 << 30,
  CLIENT_FRAME = 1 << 20,
  CLIENT_IN = 256 << 10,
  CLIENT_PIECES = 64 /* room for at least a frame: its header, and prefix, head and data of its messages */
};

/* Bytes to send: borrowed from a call, or inside the piece. */
typedef struct client_piece {
  const char *data;
  size_t size;
  struct client_call *call; /* the owner of the memory; NULL: `own` */
  char *own;                /* owned, or NULL */
  char small[16];
} client_piece;

struct ten_transport {
  int fd, wake; /* `wake`: an eventfd that wakes the thread that does the I/O */
  SSL_CTX *tls;
  SSL *ssl;
  nghttp2_session *session;
  char *authority, *authorization; /* owned */
  bool secure;
  pthread_mutex_t mutex; /* guards all below, and the session */
  pthread_cond_t cond;   /* a call ended, or no thread does I/O any more */
  bool lost, leading;    /* `leading`: one of the calls' threads does the I/O for all */
  bool dead;             /* lost because nothing was heard for `limit_ms` */
  bool full;             /* the socket takes no more for now */
  bool heard;            /* the server sent or took bytes since this was last looked at */
  int limit_ms;          /* for connecting, and for silence while a call is in progress */
  int silent;            /* slices of that time, without a gap, in which nothing was heard */
  int64_t slice_end;     /* of client_now */
  int unacknowledged;    /* bytes that the peer's system had not acknowledged at the end of the last slice */
  client_piece pieces[CLIENT_PIECES];
  size_t piece_first, piece_count;
  char *in; /* owned: CLIENT_IN bytes */
};

/* A malloc'ed text; NULL: out of memory. */
char *client_say(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Milliseconds of a clock that only goes forward. */
int64_t client_now(void);
/* Waits until the socket can be read, or written with `unsent`, `wake` (-1: none) is signalled, or `deadline` (0: none)
 * has passed; false: it has, or waiting failed. */
bool client_poll(int fd, int wake, bool unsent, int64_t deadline);

/* client_call.c: creates the session and sends the settings; false: an error. */
bool client_session_open(ten_transport *transport, char **out_error);
void client_pieces_free(ten_transport *transport);
int client_call_run(ten_transport *transport, const ten_transport_call *call, char **out_error);

#endif
