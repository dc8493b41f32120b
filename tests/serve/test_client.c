/* test_client.c: connections of remote devices to servers that do not answer, and without memory for an error's text:
 * the linker hands the calls of vasprintf to the function below (--wrap). */
#include "serve/client.h"

#include <arpa/inet.h>
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
  assert_non_null(strstr(error, "did not answer within 0.05 s"));
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
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_silent_server_is_an_error), cmocka_unit_test(silence_instead_of_tls_is_an_error),
      cmocka_unit_test(one_late_call_ends_all), cmocka_unit_test(errors_without_memory_are_errors)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
