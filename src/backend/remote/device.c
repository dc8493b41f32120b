/* device.c: names of remote devices, their connections, and calls on them. Named devices are in a process-wide list, so
 * that all programs of one share its connection; the list is the only shared state here. */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "backend/remote/calls.h"
#include "base/arena.h"
#include "base/environment.h"
#include "base/file.h"
#include "base/places.h"
#include "base/proto.h"

enum { PROTOCOL = 1, CONNECT_SECONDS = 20 };

static ten_mutex devices_mutex = TEN_MUTEX_INIT;
static remote_device *devices;

static ten_status *load_transport(const ten_transport_api **out) {
  char path[PATH_MAX];
  void *library = ten_place_find(TEN_TRANSPORT_LIBRARY, R_OK, path) ? dlopen(path, RTLD_NOW | RTLD_LOCAL) : NULL;
  *out = library ? dlsym(library, TEN_TRANSPORT_SYMBOL) : NULL;
  if (!*out)
    return ten_error(TEN_NOT_FOUND,
                     "%s is not there: it comes with a build that finds libnghttp2-dev and libssl-dev; wheels do not "
                     "have it",
                     TEN_TRANSPORT_LIBRARY);
  if ((*out)->abi == TEN_TRANSPORT_ABI) return NULL;
  return ten_error(TEN_UNSUPPORTED, "%s is of version %u, %u is needed", path, (*out)->abi, TEN_TRANSPORT_ABI);
}

static ten_status *read_token(char **out_token) {
  *out_token = NULL;
  const char *path = ten_env_text(TEN_ENV_REMOTE_TOKEN_FILE);
  if (!path) return NULL;
  ten_file file;
  TEN_TRY(ten_file_map(path, &file));
  const char *end = memchr(file.data, '\n', file.size);
  const size_t size = end ? (size_t)(end - file.data) : file.size;
  *out_token = ten_alloc(size + 1);
  memcpy(*out_token, file.data, size);
  (*out_token)[size] = 0;
  ten_file_unmap(&file);
  return NULL;
}

static ten_code code_of(int grpc) {
  switch (grpc) {
    case 1: return TEN_CANCELLED;
    case 3: return TEN_INVALID;
    case 5: return TEN_NOT_FOUND;
    case 8: return TEN_LIMIT;
    case 7:
    case 12: return TEN_UNSUPPORTED;
    case 13: return TEN_INTERNAL;
    default: return TEN_IO;
  }
}

/* Waits for the answer of one call on a link already referenced by the caller. */
static ten_status *call_on(const ten_transport_api *api, const remote_device *device, remote_link *link,
                           const char *method, ten_transport_call *call) {
  char path[128], *error = NULL;
  snprintf(path, sizeof path, "/tenfold.device.v1.Device/%s", method);
  call->path = path;
  const int code = api->call(link->transport, call, &error);
  if (code < 0) __atomic_store_n(&link->lost, true, __ATOMIC_RELEASE);
  ten_status *status =
      code ? ten_error(code_of(code), "device %s: %s", device->name, error ? error : "the call failed") : NULL;
  free(error);
  return status;
}

static void link_close(const ten_transport_api *api, remote_link *link) {
  api->close(link->transport);
  free(link);
}

bool remote_receive_one(void *user, const char *data, size_t size) {
  ten_buf *out = user;
  if (out->data) return false; /* one message was expected */
  out->data = malloc(size + 1);
  if (!out->data) return false;
  if (size) memcpy(out->data, data, size);
  out->data[size] = 0;
  out->size = size;
  out->capacity = size + 1;
  return true;
}

static ten_transport_call unary(const ten_transport_message *message, ten_buf *out) {
  return (ten_transport_call){.messages = message, .message_count = 1, .receive = remote_receive_one, .user = out};
}

static void read_hello(remote_device *device, ten_str answer) {
  const ten_str server = ten_proto_bytes(answer, 2), on = ten_proto_bytes(answer, 3);
  ten_buf text = {0};
  ten_buf_printf(&text, "%.*s at %s, on %.*s", TEN_FMT(server), device->name, TEN_FMT(on));
  free(device->server);
  free(device->runs);
  device->server = ten_buf_take(&text);
  ten_buf_printf(&text, "%.*s", TEN_FMT(on));
  device->runs = ten_buf_take(&text);
}

/* Checks versions first: an incompatible server is an error before anything is sent. */
static ten_status *connect_device(const ten_transport_api *api, remote_device *device) {
  char *token, *error = NULL;
  TEN_TRY(read_token(&token));
  const int limit_ms = (int)ten_env_number(TEN_ENV_REMOTE_TIMEOUT, CONNECT_SECONDS) * 1000;
  ten_transport *transport = api->open(device->name, ten_env_text(TEN_ENV_REMOTE_CA), token, limit_ms, &error);
  free(token);
  if (!transport) {
    ten_status *status = ten_error(TEN_IO, "device %s: %s", device->name, error ? error : "out of memory");
    free(error);
    return status;
  }
  remote_link *link = ten_alloc(sizeof *link);
  *link = (remote_link){.transport = transport, .number = ++device->connections};
  ten_buf request = {0}, answer = {0};
  ten_proto_put_varint(&request, 1, PROTOCOL);
  ten_proto_put_varint(&request, 2, PROTOCOL);
  const ten_transport_message message = {.head = request.data, .head_size = request.size};
  ten_transport_call call = unary(&message, &answer);
  call.limit_ms = limit_ms;
  ten_status *status = call_on(api, device, link, "Hello", &call);
  if (!status) {
    read_hello(device, (ten_str){answer.data, answer.size});
    device->link = link;
  } else {
    link_close(api, link);
  }
  ten_buf_free(&request);
  ten_buf_free(&answer);
  return status;
}

/* References the link of that connection (0: any, reconnecting if needed). */
static ten_status *link_take(const ten_transport_api *api, remote_device *device, uint64_t connection,
                             remote_link **out) {
  ten_mutex_lock(&device->mutex);
  if (device->link && __atomic_load_n(&device->link->lost, __ATOMIC_ACQUIRE)) {
    remote_link *lost = device->link;
    device->link = NULL; /* the last of its calls closes it */
    if (!lost->calls) link_close(api, lost);
  }
  ten_status *status = NULL;
  if (connection && (!device->link || device->link->number != connection))
    status = ten_error(TEN_IO, "device %s: the connection was lost, and what was there with it; compile again",
                       device->name);
  if (!status && !device->link) status = connect_device(api, device);
  *out = status ? NULL : device->link;
  if (*out) (*out)->calls++;
  ten_mutex_unlock(&device->mutex);
  return status;
}

static void link_give(const ten_transport_api *api, remote_device *device, remote_link *link) {
  ten_mutex_lock(&device->mutex);
  if (!--link->calls && device->link != link) link_close(api, link);
  ten_mutex_unlock(&device->mutex);
}

/* One call on a given connection. */
ten_status *remote_call_device(remote_device *device, const char *method, ten_transport_call *call, uint64_t connection,
                               uint64_t *out_connection) {
  const ten_transport_api *api;
  remote_link *link;
  TEN_TRY(load_transport(&api));
  TEN_TRY(link_take(api, device, connection, &link));
  if (out_connection) *out_connection = link->number;
  ten_status *status = method ? call_on(api, device, link, method, call) : NULL;
  link_give(api, device, link);
  return status;
}

static ten_status *no_answer(const remote_device *device) {
  return ten_error(TEN_IO, "device %s: the server answered with nothing", device->name);
}

ten_status *ten_remote_call(remote_device *device, const char *method, const ten_buf *request, uint64_t connection,
                            ten_buf *out_answer, uint64_t *out_connection) {
  *out_answer = (ten_buf){0};
  const ten_transport_message message = {.head = request ? request->data : NULL,
                                         .head_size = request ? request->size : 0};
  ten_transport_call call = unary(&message, out_answer);
  TEN_TRY(remote_call_device(device, method, &call, connection, out_connection));
  return method && !out_answer->data ? no_answer(device) : NULL;
}

static ten_status *remote_describe(const ten_backend *self, ten_buf *out) {
  remote_device *device = (remote_device *)(uintptr_t)self;
  ten_buf none;
  TEN_TRY(ten_remote_call(device, NULL, NULL, 0, &none, NULL));
  ten_mutex_lock(&device->mutex); /* another thread may connect again */
  ten_buf_adds(out, device->server);
  ten_mutex_unlock(&device->mutex);
  return NULL;
}

ten_status *ten_remote_open(const char *name, const ten_backend **out_backend) {
  ten_mutex_lock(&devices_mutex);
  remote_device *device = devices;
  while (device && strcmp(device->name, name) != 0) device = device->next;
  if (!device) {
    device = ten_alloc(sizeof *device);
    *device = (remote_device){.name = ten_strdup(name), .next = devices};
    device->base = (ten_backend){.name = device->name,
                                 .summary = "a device behind tenfold serve --allow-programs",
                                 .describe = remote_describe,
                                 .precisions = 1u << TEN_PRECISION_BF16 | 1u << TEN_PRECISION_TF32,
                                 .compile = remote_compile,
                                 .execute = remote_execute,
                                 .destroy = remote_destroy,
                                 .hold = remote_hold,
                                 .advance = remote_advance,
                                 .fetch = remote_fetch};
    ten_mutex_init(&device->mutex);
    devices = device;
  }
  ten_mutex_unlock(&devices_mutex);
  *out_backend = &device->base;
  return NULL;
}

bool ten_remote_is(const ten_backend *backend) { return backend->compile == remote_compile; }

bool ten_remote_runs_on_cpu(const ten_backend *backend) {
  if (!ten_remote_is(backend)) return !strcmp(backend->name, "cpu");
  remote_device *device = (remote_device *)(uintptr_t)backend;
  ten_status *status = remote_call_device(device, NULL, NULL, 0, NULL);
  ten_mutex_lock(&device->mutex);
  const bool there = !status && device->runs && !strcmp(device->runs, "cpu");
  ten_mutex_unlock(&device->mutex);
  ten_status_free(status); /* the next compilation reports it again */
  return there;
}
