/* rest_answer.c: the answer of an inference over REST: a JSON object, then the bytes of binary outputs. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/float.h"
#include "serve/json.h"
#include "serve/rest_infer.h"

static void print_real(ten_buf *out, double value, int digits) {
  if (isnan(value))
    ten_buf_adds(out, "NaN"); /* not JSON, but what Python and other servers of the protocol read and write */
  else if (isinf(value))
    ten_buf_adds(out, value < 0 ? "-Infinity" : "Infinity");
  else
    ten_buf_printf(out, "%.*g", digits, value);
}

static void print_element(ten_buf *out, const ten_tensor *tensor, size_t i) {
  switch (tensor->dtype) {
    case TEN_I1: ten_buf_adds(out, ((const char *)tensor->data)[i] ? "true" : "false"); return;
    case TEN_F64: print_real(out, ((const double *)tensor->data)[i], 17); return;
    case TEN_F32: print_real(out, (double)((const float *)tensor->data)[i], 9); return;
    case TEN_F16:
    case TEN_BF16: print_real(out, ten_float_decode(tensor->dtype, (const char *)tensor->data + 2 * i), 9); return;
    case TEN_UI64: ten_buf_printf(out, "%" PRIu64, ((const uint64_t *)tensor->data)[i]); return;
    default: ten_buf_printf(out, "%" PRId64, ten_tensor_int(tensor, i)); return;
  }
}

static void print_output(ten_buf *out, const serve_port *port, const serve_wish *wish, const ten_tensor *tensor) {
  ten_buf_adds(out, "{\"name\":");
  ten_buf_add_json(out, ten_str_of(port->name));
  ten_buf_printf(out, ",\"datatype\":\"%s\",\"shape\":[", port->type->name);
  for (uint32_t d = 0; d < tensor->rank; d++) ten_buf_printf(out, "%s%lld", d ? "," : "", (long long)tensor->dims[d]);
  ten_buf_adds(out, "]");
  if (wish->region) {
    ten_buf_adds(out, ",\"parameters\":{\"shared_memory_region\":");
    ten_buf_add_json(out, ten_str_of(wish->region->name));
    ten_buf_printf(out, ",\"shared_memory_offset\":%zu,\"shared_memory_byte_size\":%zu}", wish->offset, tensor->bytes);
  } else if (wish->binary) {
    ten_buf_printf(out, ",\"parameters\":{\"binary_data_size\":%zu}", tensor->bytes);
  } else {
    ten_buf_adds(out, ",\"data\":[");
    for (size_t i = 0; i < tensor->count; i++) {
      if (i) ten_buf_addc(out, ',');
      print_element(out, tensor, i);
    }
    ten_buf_adds(out, "]");
  }
  ten_buf_adds(out, "}");
}

ten_status *serve_rest_pack(serve_call *call) {
  ten_buf out = {0};
  const serve_model *model = call->model;
  ten_buf_adds(&out, "{\"model_name\":");
  ten_buf_add_json(&out, ten_str_of(model->name));
  ten_buf_adds(&out, ",\"model_version\":");
  ten_buf_add_json(&out, ten_str_of(model->version));
  if (call->id) {
    ten_buf_adds(&out, ",\"id\":");
    ten_buf_add_json(&out, ten_str_of(call->id));
  }
  ten_buf_adds(&out, ",\"outputs\":[");
  size_t bytes = 0;
  ten_status *status = NULL;
  for (size_t i = 0; i < call->wishes.count && !status; i++) {
    const serve_wish *wish = &call->wishes.data[i];
    const ten_tensor *tensor = call->outputs[wish->port];
    if (i) ten_buf_addc(&out, ',');
    print_output(&out, &model->outputs[wish->port], wish, tensor);
    if (wish->region)
      status = serve_call_write_region(wish, tensor, model->outputs[wish->port].name);
    else if (wish->binary)
      bytes += tensor->bytes;
  }
  ten_buf_adds(&out, "]}");
  call->answer_head = out.size;
  if (bytes) ten_buf_reserve(&out, bytes);
  for (size_t i = 0; i < call->wishes.count && bytes && !status; i++) {
    const ten_tensor *tensor = call->outputs[call->wishes.data[i].port];
    if (call->wishes.data[i].binary && !call->wishes.data[i].region) ten_buf_add(&out, tensor->data, tensor->bytes);
  }
  call->answer_size = out.size;
  call->answer = ten_buf_take(&out);
  return status;
}

static void rest_send(serve_call *call) {
  serve_exchange *exchange = call->exchange;
  if (call->status) {
    const int status = call->expired ? 504 : serve_http_status(call->status);
    serve_rest_error(exchange, status, "%s", ten_status_text(call->status));
    return;
  }
  char headers[96];
  const bool binary = call->answer_head < call->answer_size;
  snprintf(headers, sizeof headers, "Inference-Header-Content-Length: %zu\r\n", call->answer_head);
  char *answer = call->answer;
  call->answer = NULL;
  serve_respond(exchange, 200, binary ? "application/octet-stream" : "application/json", binary ? headers : NULL,
                answer, call->answer_size);
}

const serve_protocol serve_rest_protocol = {serve_rest_read, serve_rest_pack, rest_send};
