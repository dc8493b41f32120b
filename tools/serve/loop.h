/* loop.h: an event loop over epoll. All work of a connection happens on the loop's thread; other threads only post. A
 * callback never blocks. */
#ifndef TEN_SERVE_LOOP_H
#define TEN_SERVE_LOOP_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "tenfold/status.h"

typedef struct serve_watch serve_watch;
struct serve_watch {
  int fd;
  void (*ready)(serve_watch *watch, uint32_t events); /* of epoll */
};

/* Work that another thread posts to the loop; intrusive, so posting cannot fail. */
typedef struct serve_post serve_post;
struct serve_post {
  serve_post *next;
  void (*run)(serve_post *post);
};

typedef struct serve_loop {
  int epoll, wake;
  serve_watch waker;
  pthread_mutex_t mutex;
  serve_post *first, *last; /* under the mutex */
  bool woken;               /* under the mutex: the wake-up is written and not read yet */
  bool stopped;
  void (*tick)(void *user); /* about four times a second */
  void *user;
} serve_loop;

TEN_MUST_USE ten_status *serve_loop_open(serve_loop *loop);
void serve_loop_close(serve_loop *loop);
/* Runs until serve_loop_stop. */
void serve_loop_run(serve_loop *loop);
static inline void serve_loop_stop(serve_loop *loop) { loop->stopped = true; }

TEN_MUST_USE ten_status *serve_loop_add(serve_loop *loop, serve_watch *watch, uint32_t events);
void serve_loop_change(serve_loop *loop, serve_watch *watch, uint32_t events);
void serve_loop_remove(serve_loop *loop, serve_watch *watch);
/* From any thread: post->run(post) on the loop's thread, soon. */
void serve_loop_post(serve_loop *loop, serve_post *post);

#endif
