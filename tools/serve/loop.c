/* loop.c: the event loop: ready descriptors, posts of other threads, and a tick. */
#include "serve/loop.h"

#include <errno.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "base/clock.h"

enum { EVENTS = 256, TICK_MS = 250 };

static void wake_ready(serve_watch *watch, uint32_t events) {
  (void)events;
  uint64_t count;
  while (read(watch->fd, &count, sizeof count) < 0 && errno == EINTR) continue;
}

ten_status *serve_loop_open(serve_loop *loop) {
  *loop = (serve_loop){.epoll = epoll_create1(EPOLL_CLOEXEC), .wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)};
  pthread_mutex_init(&loop->mutex, NULL);
  if (loop->epoll < 0 || loop->wake < 0) return ten_error(TEN_IO, "an event loop cannot be made: %s", strerror(errno));
  loop->waker = (serve_watch){.fd = loop->wake, .ready = wake_ready};
  return serve_loop_add(loop, &loop->waker, EPOLLIN);
}

void serve_loop_close(serve_loop *loop) {
  if (loop->epoll >= 0) close(loop->epoll);
  if (loop->wake >= 0) close(loop->wake);
  pthread_mutex_destroy(&loop->mutex);
}

ten_status *serve_loop_add(serve_loop *loop, serve_watch *watch, uint32_t events) {
  struct epoll_event event = {.events = events, .data.ptr = watch};
  if (!epoll_ctl(loop->epoll, EPOLL_CTL_ADD, watch->fd, &event)) return NULL;
  return ten_error(TEN_IO, "a file cannot be watched: %s", strerror(errno));
}

void serve_loop_change(serve_loop *loop, serve_watch *watch, uint32_t events) {
  struct epoll_event event = {.events = events, .data.ptr = watch};
  (void)epoll_ctl(loop->epoll, EPOLL_CTL_MOD, watch->fd, &event);
}

void serve_loop_remove(serve_loop *loop, serve_watch *watch) {
  (void)epoll_ctl(loop->epoll, EPOLL_CTL_DEL, watch->fd, NULL);
}

void serve_loop_post(serve_loop *loop, serve_post *post) {
  post->next = NULL;
  pthread_mutex_lock(&loop->mutex);
  if (loop->last)
    loop->last->next = post;
  else
    loop->first = post;
  loop->last = post;
  const bool wake = !loop->woken;
  loop->woken = true;
  pthread_mutex_unlock(&loop->mutex);
  const uint64_t one = 1;
  while (wake && write(loop->wake, &one, sizeof one) < 0 && errno == EINTR) continue;
}

static void run_posts(serve_loop *loop) {
  pthread_mutex_lock(&loop->mutex);
  serve_post *post = loop->first;
  loop->first = loop->last = NULL;
  loop->woken = false;
  pthread_mutex_unlock(&loop->mutex);
  while (post) {
    serve_post *next = post->next;
    post->run(post);
    post = next;
  }
}

void serve_loop_run(serve_loop *loop) {
  struct epoll_event events[EVENTS];
  double next_tick = ten_clock();
  while (!loop->stopped) {
    const int count = epoll_wait(loop->epoll, events, EVENTS, TICK_MS);
    for (int i = 0; i < count; i++) {
      serve_watch *watch = events[i].data.ptr;
      watch->ready(watch, events[i].events);
    }
    run_posts(loop);
    const double now = ten_clock();
    if (now >= next_tick && loop->tick) {
      next_tick = now + (double)TICK_MS * 1e-3;
      loop->tick(loop->user);
    }
  }
}
