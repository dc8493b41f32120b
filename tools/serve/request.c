/* request.c: the content of a request, in either protocol: its model, inputs, requested outputs and
 * parameters. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "serve/call.h"

ten_status *serve_call_find_model(serve_call *call, const char *name, const char *version) {
  TEN_TRY(serve_repository_find(&call->server->repository, name, version, &call->model));
  call->inputs = ten_alloc((call->model->input_count + 1) * sizeof *call->inputs);
  memset(call->inputs, 0, (call->model->input_count + 1) * sizeof *call->inputs);
  call->outputs = ten_alloc((call->model->output_count + 1) * sizeof *call->outputs);
  memset(call->outputs, 0, (call->model->output_count + 1) * sizeof *call->outputs);
  return NULL;
}

static void port_names(ten_buf *out, const serve_port *ports, uint32_t count) {
  for (uint32_t i = 0; i < count && i < 20; i++) ten_buf_printf(out, "%s%s", i ? ", " : "", ports[i].name);
}

static ten_status *find_port(const serve_call *call, const char *what, const serve_port *ports, uint32_t count,
                             ten_str name, uint32_t *out_port) {
  const int port = serve_port_find(ports, count, name);
  *out_port = (uint32_t)port;
  if (port >= 0) return NULL;
  ten_buf names = {0};
  port_names(&names, ports, count);
  ten_status *status = ten_error(TEN_INVALID, "model '%s' has no %s '%.*s'; it has %s", call->model->name, what,
                                 (int)(name.size < 100 ? name.size : 100), name.data, names.data ? names.data : "none");
  ten_buf_free(&names);
  return status;
}

static ten_status *find_input(const serve_call *call, ten_str name, const serve_type *type, uint32_t rank,
                              const int64_t *dims, uint32_t *out_port, size_t *out_bytes) {
  TEN_TRY(find_port(call, "input", call->model->inputs, call->model->input_count, name, out_port));
  const serve_port *port = &call->model->inputs[*out_port];
  if (call->inputs[*out_port]) return ten_error(TEN_INVALID, "input '%s' is given twice", port->name);
  if (type->dtype == TEN_DTYPE_NONE)
    return ten_error(TEN_INVALID, "input '%s' of model '%s' is %s, must be %s (no model here has strings)", port->name,
                     call->model->name, type->name, port->type->name);
  TEN_TRY(serve_port_check(call->model, port, type, rank, dims));
  *out_bytes = ten_dtype_bytes(type->dtype);
  for (uint32_t d = 0; d < rank; d++)
    if (!ten_mul(*out_bytes, (size_t)dims[d], out_bytes))
      return ten_error(TEN_LIMIT, "input '%s' is too large", port->name);
  if (*out_bytes > (size_t)call->server->options.max_body << 20)
    return ten_error(TEN_LIMIT, "input '%s' takes %zu bytes, at most %lld MiB are allowed (--max-body)", port->name,
                     *out_bytes, (long long)call->server->options.max_body);
  return NULL;
}

ten_status *serve_call_make_input(serve_call *call, ten_str name, const serve_type *type, uint32_t rank,
                                  const int64_t *dims, uint32_t *out_port) {
  size_t bytes;
  TEN_TRY(find_input(call, name, type, rank, dims, out_port, &bytes));
  return ten_tensor_create(type->dtype, rank, dims, &call->inputs[*out_port]);
}

/* A BOOL byte other than 0 or 1 is not a value of i1. */
static ten_status *check_values(const ten_tensor *tensor, const char *name) {
  const unsigned char *bytes = tensor->data;
  for (size_t i = 0; tensor->dtype == TEN_I1 && i < tensor->count; i++)
    if (bytes[i] > 1)
      return ten_error(TEN_INVALID, "input '%s': byte %zu of BOOL is %u, must be 0 or 1", name, i, bytes[i]);
  return NULL;
}

ten_status *serve_call_set_input(serve_call *call, ten_str name, const serve_type *type, uint32_t rank,
                                 const int64_t *dims, const void *data, size_t size) {
  uint32_t port;
  size_t bytes;
  TEN_TRY(find_input(call, name, type, rank, dims, &port, &bytes));
  if (bytes != size)
    return ten_error(TEN_INVALID, "input '%s' has %zu bytes, its shape and type take %zu",
                     call->model->inputs[port].name, size, bytes);
  TEN_TRY(ten_tensor_from_memory(type->dtype, rank, dims, (void *)(uintptr_t)data, NULL, NULL, &call->inputs[port]));
  return check_values(call->inputs[port], call->model->inputs[port].name);
}

ten_status *serve_call_set_region(serve_call *call, ten_str name, const serve_type *type, uint32_t rank,
                                  const int64_t *dims, const char *region_name, uint64_t offset, uint64_t size) {
  uint32_t port;
  TEN_TRY(serve_call_make_input(call, name, type, rank, dims, &port));
  ten_tensor *tensor = call->inputs[port];
  if (tensor->bytes != size)
    return ten_error(TEN_INVALID, "input '%s' has %llu bytes of shared memory, its shape and type take %zu",
                     call->model->inputs[port].name, (unsigned long long)size, tensor->bytes);
  serve_region *region;
  TEN_TRY(serve_shared_find(&call->server->shared, region_name, &region));
  ten_status *status = serve_region_read(region, offset, tensor->data, tensor->bytes);
  serve_region_release(region);
  return status ? status : check_values(tensor, call->model->inputs[port].name);
}

ten_status *serve_call_add_wish(serve_call *call, ten_str name, int binary, const char *region, uint64_t offset,
                                uint64_t size) {
  serve_wish wish = {.binary = binary, .offset = (size_t)offset, .size = (size_t)size};
  TEN_TRY(find_port(call, "output", call->model->outputs, call->model->output_count, name, &wish.port));
  for (size_t i = 0; i < call->wishes.count; i++)
    if (call->wishes.data[i].port == wish.port)
      return ten_error(TEN_INVALID, "output '%s' is requested twice", call->model->outputs[wish.port].name);
  if (region && *region) TEN_TRY(serve_shared_find(&call->server->shared, region, &wish.region));
  ten_vec_push(&call->wishes, wish);
  return NULL;
}

ten_status *serve_call_parameter(serve_call *call, ten_str name, double value) {
  if (ten_str_is(name, "timeout") && value > 0) {
    const double deadline = call->start + value * 1e-6;
    if (call->exchange->deadline <= 0 || deadline < call->exchange->deadline) call->exchange->deadline = deadline;
  }
  if ((ten_str_is(name, "sequence_id") || ten_str_is(name, "sequence_start")) && value != 0)
    return ten_error(TEN_UNSUPPORTED, "sequences are not served: each request stands for itself");
  return NULL;
}

ten_status *serve_call_check(serve_call *call) {
  for (uint32_t i = 0; i < call->model->input_count; i++)
    if (!call->inputs[i])
      return ten_error(TEN_INVALID, "input '%s' of model '%s' is missing", call->model->inputs[i].name,
                       call->model->name);
  return NULL;
}

ten_status *serve_call_write_region(const serve_wish *wish, const ten_tensor *output, const char *name) {
  if (output->bytes > wish->size)
    return ten_error(TEN_INVALID, "output '%s' takes %zu bytes, %zu of shared memory are given", name, output->bytes,
                     wish->size);
  return serve_region_write(wish->region, wish->offset, output->data, output->bytes);
}
