/* device.c: names of remote devices, and their connections. Devices that were named are kept in a list of the process,
 * so that all programs of one share its connection; the list is the one piece of shared state here. */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "backend/remote/remote.h"
#include "base/arena.h"
#include "base/environment.h"
#include "base/file.h"
#include "base/places.h"
#include "base/proto.h"

enum { PROTOCOL = 1 };

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

static ten_status *call_raw(const ten_transport_api *api, remote_device *device, const char *method,
                            const ten_buf *request, ten_buf *out) {
  char path[128], *error = NULL;
  void *answer = NULL;
  size_t size = 0;
  snprintf(path, sizeof path, "/tenfold.device.v1.Device/%s", method);
  const int code =
      api->call(device->transport, path, request->data ? request->data : "", request->size, &answer, &size, &error);
  *out = (ten_buf){answer, size, size};
  if (!code) return NULL;
  ten_status *status = ten_error(code_of(code), "device %s: %s", device->name, error ? error : "the call failed");
  free(error);
  if (code < 0) {
    api->close(device->transport);
    device->transport = NULL;
  }
  return status;
}

/* Versions first: a server that speaks another is an error before anything is sent. */
static ten_status *connect_device(const ten_transport_api *api, remote_device *device) {
  char *token, *error = NULL;
  TEN_TRY(read_token(&token));
  device->transport = api->open(device->name, ten_env_text(TEN_ENV_REMOTE_CA), token, &error);
  free(token);
  if (!device->transport) {
    ten_status *status = ten_error(TEN_IO, "device %s: %s", device->name, error ? error : "out of memory");
    free(error);
    return status;
  }
  device->connection++;
  ten_buf request = {0}, answer = {0};
  ten_proto_put_varint(&request, 1, PROTOCOL);
  ten_proto_put_varint(&request, 2, PROTOCOL);
  ten_status *status = call_raw(api, device, "Hello", &request, &answer);
  if (!status) {
    const ten_str all = {answer.data, answer.size}, server = ten_proto_bytes(all, 2), on = ten_proto_bytes(all, 3);
    ten_buf text = {0};
    ten_buf_printf(&text, "%.*s at %s, on %.*s", TEN_FMT(server), device->name, TEN_FMT(on));
    free(device->server);
    device->server = ten_buf_take(&text);
  } else if (device->transport) {
    api->close(device->transport);
    device->transport = NULL;
  }
  ten_buf_free(&request);
  ten_buf_free(&answer);
  return status;
}

ten_status *ten_remote_call(remote_device *device, const char *method, const ten_buf *request, uint64_t connection,
                            ten_buf *out_answer, uint64_t *out_connection) {
  *out_answer = (ten_buf){0};
  const ten_transport_api *api;
  TEN_TRY(load_transport(&api));
  ten_mutex_lock(&device->mutex);
  ten_status *status = NULL;
  if (connection && (!device->transport || device->connection != connection))
    status = ten_error(TEN_IO, "device %s: the connection was lost, and what was there with it; compile again",
                       device->name);
  if (!status && !device->transport) status = connect_device(api, device);
  if (!status && out_connection) *out_connection = device->connection;
  if (!status && method) status = call_raw(api, device, method, request, out_answer);
  ten_mutex_unlock(&device->mutex);
  return status;
}

static ten_status *remote_describe(const ten_backend *self, ten_buf *out) {
  remote_device *device = (remote_device *)(uintptr_t)self;
  ten_buf none;
  TEN_TRY(ten_remote_call(device, NULL, NULL, 0, &none, NULL));
  ten_buf_adds(out, device->server);
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
                                 .compile = remote_compile,
                                 .execute = remote_execute,
                                 .destroy = remote_destroy};
    ten_mutex_init(&device->mutex);
    devices = device;
  }
  ten_mutex_unlock(&devices_mutex);
  *out_backend = &device->base;
  return NULL;
}
