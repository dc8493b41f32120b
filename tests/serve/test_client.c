/* test_client.c: connections of remote devices to servers that do not answer, or stop answering, and without memory for
 * an error's text: the linker hands the calls of vasprintf to the function below (--wrap). */
#include "serve/client.h"

#include <arpa/inet.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "check.h"

extern const ten_transport_api tenfold_transport;
static const ten_transport_api *const api = &tenfold_transport;
static bool no_memory;

int __real_vasprintf(char **out, const char *format, va_list args);
int __wrap_vasprintf(char **out, const char *format, va_list args);
int __wrap_vasprintf(char **out, const char *format, va_list args) {
  return no_memory ? -1 : __real_vasprintf(out, format, args);
}

/* A server that accepts connections and says nothing, at `address`. */
static int silent(const char *scheme, char *address, size_t size) {
  const int fd = socket(AF_INET, SOCK_STREAM, 0);
  struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  socklen_t length = sizeof at;
  assert_int_equal(bind(fd, (struct sockaddr *)&at, length), 0);
  assert_int_equal(listen(fd, 8), 0);
  assert_int_equal(getsockname(fd, (struct sockaddr *)&at, &length), 0);
  snprintf(address, size, "%s://127.0.0.1:%d", scheme, ntohs(at.sin_port));
  return fd;
}

static bool receive(void *user, const char *data, size_t size) {
  (void)user, (void)data, (void)size;
  return true;
}

static void a_silent_server_is_an_error(void **state) {
  (void)state;
  char address[64], *error = NULL;
  const int fd = silent("grpc", address, sizeof address);
  ten_transport *transport = api->open(address, NULL, "token", 50, &error);
  assert_non_null(transport);
  const ten_transport_message message = {.head = "x", .head_size = 1};
  const ten_transport_call call = {
      .path = "/a/B", .messages = &message, .message_count = 1, .receive = receive, .limit_ms = 50};
  assert_int_equal(api->call(transport, &call, &error), -1);
  assert_non_null(strstr(error, "did not answer B within 0.05 s; TENFOLD_REMOTE_TIMEOUT sets the limit"));
  free(error);
  assert_int_equal(api->call(transport, &call, &error), -1); /* it stays lost */
  free(error);
  api->close(transport);
  close(fd);
}

static void silence_instead_of_tls_is_an_error(void **state) {
  (void)state;
  char address[64], *error = NULL;
  const int fd = silent("grpcs", address, sizeof address);
  assert_null(api->open(address, NULL, NULL, 50, &error));
  assert_non_null(strstr(error, "no answer within 0.05 s"));
  free(error);
  close(fd);
}

/* Of a thread that waits for another's I/O. */
static void *call_for_long(void *transport) {
  const ten_transport_message message = {.head = "x", .head_size = 1};
  const ten_transport_call call = {.path = "/a/B", .messages = &message, .message_count = 1, .receive = receive};
  char *error = NULL;
  const bool lost = api->call(transport, &call, &error) == -1;
  free(error);
  return lost ? transport : NULL;
}

static void one_late_call_ends_all(void **state) {
  (void)state;
  char address[64], *error = NULL;
  const int fd = silent("grpc", address, sizeof address);
  ten_transport *transport = api->open(address, NULL, NULL, 50, &error);
  assert_non_null(transport);
  pthread_t other;
  assert_int_equal(pthread_create(&other, NULL, call_for_long, transport), 0);
  const ten_transport_message message = {.head = "x", .head_size = 1};
  const ten_transport_call call = {
      .path = "/a/B", .messages = &message, .message_count = 1, .receive = receive, .limit_ms = 100};
  assert_int_equal(api->call(transport, &call, &error), -1);
  free(error);
  void *lost;
  assert_int_equal(pthread_join(other, &lost), 0);
  assert_ptr_equal(lost, transport);
  api->close(transport);
  close(fd);
}

/* ---- servers that answer the first call, and then ------------------------------------------------------------------
 */

typedef enum { SILENT, SILENT_IN_ANSWER, SILENT_IN_REQUEST, BUSY, SLOW_TO_READ } behaviour;

typedef struct {
  behaviour does;
  char address[64];
  int listening, stop[2];
  pthread_t thread;
  int32_t waiting; /* the stream of the call that is not answered yet */
  size_t calls, pings, received;
  bool silent;
} server;

static ssize_t half_an_answer(nghttp2_session *session, int32_t id, uint8_t *out, size_t room, uint32_t *flags,
                              nghttp2_data_source *source, void *user) {
  (void)session, (void)id, (void)room, (void)flags;
  if (source->ptr) return NGHTTP2_ERR_DEFERRED;
  memcpy(out, "\0\0\0\1\0half", 9); /* of 256 bytes */
  source->ptr = user;
  return 9;
}

static int answer(nghttp2_session *session, int32_t id, const nghttp2_data_provider *data) {
  static const char *const fields[][2] = {
      {":status", "200"}, {"content-type", "application/grpc"}, {"grpc-status", "0"}};
  nghttp2_nv headers[3];
  for (size_t i = 0; i < 3; i++)
    headers[i] = (nghttp2_nv){(uint8_t *)(uintptr_t)fields[i][0], (uint8_t *)(uintptr_t)fields[i][1],
                              strlen(fields[i][0]), strlen(fields[i][1]), 0};
  return nghttp2_submit_response(session, id, headers, data ? 2 : 3, data);
}

static int on_frame(nghttp2_session *session, const nghttp2_frame *frame, void *user) {
  server *s = user;
  const int32_t id = frame->hd.stream_id;
  const nghttp2_data_provider half = {.read_callback = half_an_answer};
  if (frame->hd.type == NGHTTP2_PING && ++s->pings == 3 && s->waiting) return answer(session, s->waiting, NULL);
  if (frame->hd.type != NGHTTP2_DATA || !(frame->hd.flags & NGHTTP2_FLAG_END_STREAM)) return 0;
  if (!s->calls++ || s->does == SLOW_TO_READ) return answer(session, id, NULL);
  s->waiting = id;
  s->silent = s->does == SILENT || s->does == SILENT_IN_ANSWER;
  return s->does == SILENT_IN_ANSWER ? answer(session, id, &half) : 0;
}

static int on_bytes(nghttp2_session *session, uint8_t flags, int32_t id, const uint8_t *data, size_t size, void *user) {
  (void)session, (void)flags, (void)id, (void)data;
  server *s = user;
  s->received += size;
  if (s->does == SILENT_IN_REQUEST && s->received > 100000) s->silent = true;
  return 0;
}

static bool send_all(nghttp2_session *session, int fd) {
  const uint8_t *data;
  for (ssize_t size; (size = nghttp2_session_mem_send(session, &data)) > 0;)
    if (send(fd, data, (size_t)size, MSG_NOSIGNAL) != size) return false;
  return true;
}

static void *serve(void *user) {
  server *s = user;
  const int fd = accept(s->listening, NULL, NULL);
  nghttp2_session_callbacks *callbacks;
  nghttp2_session *session;
  nghttp2_session_callbacks_new(&callbacks);
  nghttp2_session_callbacks_set_on_frame_recv_callback(callbacks, on_frame);
  nghttp2_session_callbacks_set_on_data_chunk_recv_callback(callbacks, on_bytes);
  nghttp2_session_server_new(&session, callbacks, s);
  nghttp2_session_callbacks_del(callbacks);
  const nghttp2_settings_entry window = {NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE, 1 << 30};
  nghttp2_submit_settings(session, NGHTTP2_FLAG_NONE, &window, 1);
  nghttp2_session_set_local_window_size(session, NGHTTP2_FLAG_NONE, 0, 1 << 30);
  static uint8_t in[64 << 10];
  bool open = true;
  while (open && send_all(session, fd) && !s->silent) {
    const ssize_t size = recv(fd, in, sizeof in, 0);
    open = size > 0 && nghttp2_session_mem_recv(session, in, (size_t)size) == size;
    if (s->does == SLOW_TO_READ && s->received) usleep(30000);
  }
  char byte;
  while (s->silent && read(s->stop[0], &byte, 1) < 0) continue;
  nghttp2_session_del(session);
  close(fd);
  return NULL;
}

static ten_transport *connect_to(server *s, behaviour does, int limit_ms) {
  *s = (server){.does = does};
  s->listening = silent("grpc", s->address, sizeof s->address);
  const int room = 128 << 10;
  assert_int_equal(setsockopt(s->listening, SOL_SOCKET, SO_RCVBUF, &room, sizeof room), 0);
  assert_int_equal(pipe(s->stop), 0);
  assert_int_equal(pthread_create(&s->thread, NULL, serve, s), 0);
  char *error = NULL;
  ten_transport *transport = api->open(s->address, NULL, NULL, limit_ms, &error);
  assert_non_null(transport);
  const ten_transport_message message = {.head = "x", .head_size = 1};
  const ten_transport_call call = {.path = "/a/Hello", .messages = &message, .message_count = 1, .receive = receive};
  assert_int_equal(api->call(transport, &call, &error), 0);
  assert_null(error);
  return transport;
}

/* A call without a limit of `size` bytes. */
static int call_run(ten_transport *transport, size_t size, char **error) {
  char *data = calloc(1, size);
  const ten_transport_message message = {.data = data, .data_size = size};
  const ten_transport_call call = {.path = "/a/Run", .messages = &message, .message_count = 1, .receive = receive};
  const int code = api->call(transport, &call, error);
  free(data);
  return code;
}

static void disconnect(server *s, ten_transport *transport) {
  api->close(transport);
  assert_int_equal(write(s->stop[1], "x", 1), 1);
  assert_int_equal(pthread_join(s->thread, NULL), 0);
  close(s->stop[0]);
  close(s->stop[1]);
  close(s->listening);
}

static void a_server_that_falls_silent_is_lost(void **state) {
  (void)state;
  static const struct {
    behaviour does;
    size_t size;
  } cases[] = {{SILENT, 1}, {SILENT_IN_ANSWER, 1}, {SILENT_IN_REQUEST, 64 << 20}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    server s;
    ten_transport *transport = connect_to(&s, cases[i].does, 200);
    char *error = NULL, expected[256];
    assert_int_equal(call_run(transport, cases[i].size, &error), -1);
    snprintf(expected, sizeof expected, "%s gave no sign of life for 0.2 s while Run was in progress",
             s.address + strlen("grpc://"));
    assert_non_null(strstr(error, expected));
    assert_non_null(strstr(error, "TENFOLD_REMOTE_TIMEOUT"));
    free(error);
    assert_int_equal(call_run(transport, 1, &error), -1); /* it stays lost */
    free(error);
    disconnect(&s, transport);
  }
}

/* It answers after the third PING, of which there is one in half of the limit. */
static void a_busy_server_that_answers_pings_is_not_lost(void **state) {
  (void)state;
  server s;
  ten_transport *transport = connect_to(&s, BUSY, 1000);
  char *error = NULL;
  assert_int_equal(call_run(transport, 1, &error), 0);
  assert_null(error);
  disconnect(&s, transport);
  assert_int_equal(s.pings, 3);
}

/* It takes several times the limit, and sends nothing meanwhile. */
static void a_server_that_reads_slowly_is_not_lost(void **state) {
  (void)state;
  server s;
  ten_transport *transport = connect_to(&s, SLOW_TO_READ, 1000);
  char *error = NULL;
  assert_int_equal(call_run(transport, 6 << 20, &error), 0);
  assert_null(error);
  disconnect(&s, transport);
}

static void errors_without_memory_are_errors(void **state) {
  (void)state;
  static const char *const wrong[] = {"grpc://127.0.0.1:1", "grpcs://127.0.0.1:1", "grpc://nonsense",
                                      "grpc://nobody.invalid:1"};
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    char *error = NULL;
    no_memory = true;
    ten_transport *transport = api->open(wrong[i], NULL, NULL, 1000, &error);
    no_memory = false;
    assert_null(transport);
    assert_null(error);
  }
  char address[64], *error = NULL;
  const int fd = silent("grpc", address, sizeof address);
  no_memory = true; /* the token would not be sent */
  assert_null(api->open(address, NULL, "token", 1000, &error));
  no_memory = false;
  close(fd);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(a_silent_server_is_an_error),
                                     cmocka_unit_test(silence_instead_of_tls_is_an_error),
                                     cmocka_unit_test(one_late_call_ends_all),
                                     cmocka_unit_test(a_server_that_falls_silent_is_lost),
                                     cmocka_unit_test(a_busy_server_that_answers_pings_is_not_lost),
                                     cmocka_unit_test(a_server_that_reads_slowly_is_not_lost),
                                     cmocka_unit_test(errors_without_memory_are_errors)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
