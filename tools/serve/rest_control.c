/* rest_control.c: management over REST: the model repository and shared memory. */
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "serve/control.h"
#include "serve/json.h"
#include "serve/rest_infer.h"

enum { CONTROL_BODY_MOST = 1 << 20 };

static void respond_status(serve_exchange *exchange, ten_status *status) {
  if (status)
    serve_rest_error(exchange, serve_http_status(status), "%s", ten_status_text(status));
  else
    serve_respond(exchange, 200, "application/json", NULL, NULL, 0);
  ten_status_free(status);
}

static void control_done(serve_exchange *exchange, ten_status *status) {
  if (status && ten_status_code(status) == TEN_UNSUPPORTED) {
    serve_rest_error(exchange, 403, "%s", ten_status_text(status));
    ten_status_free(status);
  } else {
    respond_status(exchange, status);
  }
}

static json_t *read_object(serve_exchange *exchange) {
  if (!exchange->body_size) return json_object();
  if (exchange->body_size > CONTROL_BODY_MOST) return NULL;
  json_t *root = json_loadb(exchange->body, exchange->body_size, JSON_REJECT_DUPLICATES, NULL);
  if (root && json_is_object(root)) return root;
  json_decref(root);
  return NULL;
}

static void index_models(serve_exchange *exchange, bool only_ready) {
  serve_index index;
  serve_repository_index(&exchange->server->repository, &index);
  ten_buf out = {0};
  ten_buf_adds(&out, "[");
  bool first = true;
  for (size_t i = 0; i < index.count; i++) {
    const serve_index_row *row = &index.data[i];
    if (only_ready && !row->model) continue;
    ten_buf_adds(&out, first ? "{\"name\":" : ",{\"name\":");
    ten_buf_add_json(&out, ten_str_of(row->name));
    ten_buf_printf(&out, ",\"version\":\"%s\",\"state\":\"%s\",\"reason\":", row->version,
                   row->model ? "READY" : "UNAVAILABLE");
    ten_buf_add_json(&out, ten_str_of(row->reason ? row->reason : ""));
    ten_buf_adds(&out, "}");
    first = false;
  }
  ten_buf_adds(&out, "]");
  serve_index_free(&index);
  const size_t size = out.size;
  serve_respond(exchange, 200, "application/json", NULL, ten_buf_take(&out), size);
}

static void repository(serve_exchange *exchange, char *path) {
  if (!strcmp(path, "index")) {
    json_t *root = read_object(exchange);
    if (!root) {
      serve_rest_error(exchange, 400, "the body must be a JSON object of at most 1 MiB");
      return;
    }
    index_models(exchange, json_is_true(json_object_get(root, "ready")));
    json_decref(root);
    return;
  }
  char *what = strncmp(path, "models/", 7) ? NULL : strchr(path + 7, '/');
  if (!what || (strcmp(what, "/load") != 0 && strcmp(what, "/unload") != 0)) {
    serve_rest_error(exchange, 404, "no such path: the repository has index, models/NAME/load and models/NAME/unload");
    return;
  }
  *what++ = 0;
  snprintf(exchange->subject, sizeof exchange->subject, "%.100s", path + 7);
  serve_control_start(exchange, path + 7, !strcmp(what, "load"), control_done);
}

static void region_status(serve_exchange *exchange, const char *name) {
  serve_region *regions[SERVE_REGIONS_MOST];
  const size_t count = serve_shared_list(&exchange->server->shared, name, regions);
  ten_buf out = {0};
  ten_buf_adds(&out, "[");
  for (size_t i = 0; i < count; i++) {
    ten_buf_adds(&out, i ? ",{\"name\":" : "{\"name\":");
    ten_buf_add_json(&out, ten_str_of(regions[i]->name));
    ten_buf_adds(&out, ",\"key\":");
    ten_buf_add_json(&out, ten_str_of(regions[i]->key));
    ten_buf_printf(&out, ",\"offset\":%llu,\"byte_size\":%llu}", (unsigned long long)regions[i]->offset,
                   (unsigned long long)regions[i]->size);
    serve_region_release(regions[i]);
  }
  ten_buf_adds(&out, "]");
  const size_t size = out.size;
  if (count || !name || !*name) {
    serve_respond(exchange, 200, "application/json", NULL, ten_buf_take(&out), size);
  } else {
    ten_buf_free(&out);
    serve_rest_error(exchange, 404, "no region of shared memory is registered as '%s'", name);
  }
}

static void region_register(serve_exchange *exchange, const char *name) {
  json_t *root = read_object(exchange);
  const json_t *key = root ? json_object_get(root, "key") : NULL,
               *offset = root ? json_object_get(root, "offset") : NULL,
               *size = root ? json_object_get(root, "byte_size") : NULL;
  if (!json_is_string(key) || !json_is_integer(size) || json_integer_value(size) < 0 ||
      (offset && (!json_is_integer(offset) || json_integer_value(offset) < 0)))
    serve_rest_error(exchange, 400, "registering takes a JSON object with 'key', 'offset' and 'byte_size'");
  else
    control_done(exchange, serve_shared_add(&exchange->server->shared, name, json_string_value(key),
                                            (uint64_t)json_integer_value(offset), (uint64_t)json_integer_value(size)));
  json_decref(root);
}

/* systemsharedmemory[/region/NAME]/status|register|unregister */
static void shared_memory(serve_exchange *exchange, char *path) {
  char *name = NULL, *what = path;
  if (!strncmp(path, "region/", 7)) {
    name = path + 7;
    what = strchr(name, '/');
    if (what) *what++ = 0;
  }
  const bool get = !strcmp(exchange->method, "GET");
  if (what && !strcmp(what, "status") && get)
    region_status(exchange, name);
  else if (what && name && !strcmp(what, "register") && !get)
    region_register(exchange, name);
  else if (what && !strcmp(what, "unregister") && !get)
    control_done(exchange, serve_shared_remove(&exchange->server->shared, name));
  else
    serve_rest_error(exchange, 404, "no such path: GET …/status, POST …/register, POST …/unregister");
}

void serve_rest_control(serve_exchange *exchange, char *path) {
  const bool is_repository = !strncmp(path, "repository/", 11);
  if (is_repository && strcmp(exchange->method, "POST") != 0)
    serve_rest_error(exchange, 405, "%s is not allowed here, POST is", exchange->method);
  else if (is_repository)
    repository(exchange, path + 11);
  else if (!strncmp(path, "systemsharedmemory/", 19))
    shared_memory(exchange, path + 19);
  else
    serve_rest_error(exchange, 404, "no such path");
}
