/* frames.h: frame settings of nghttp2 for server and client. */
#ifndef TEN_SERVE_FRAMES_H
#define TEN_SERVE_FRAMES_H

#include <nghttp2/nghttp2.h>

/* As large as the peer accepts: the library's default is 16 KiB. */
static inline ssize_t frame_length(nghttp2_session *session, uint8_t type, int32_t id, int32_t session_window,
                                   int32_t stream_window, uint32_t frame_most, void *user) {
  (void)session, (void)type, (void)id, (void)user;
  int64_t size = frame_most;
  if (size > session_window) size = session_window;
  if (size > stream_window) size = stream_window;
  return (ssize_t)size;
}

#endif
