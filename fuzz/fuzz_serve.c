/* fuzz_serve.c: requests to the server that nobody would send. The first byte chooses: bytes as HTTP/1.1, with a
 * chunked body; as an inference over REST; as one over gRPC; or as any of the other messages. Where a request can be
 * read, every byte of its tensors is touched. */
#include <stdlib.h>

#include "input.h"
#include "serve/call.h"
#include "serve/grpc.h"
#include "serve/json.h"
#include "serve/rest_infer.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char program[] =
    "func.func @main(%x: tensor<?x4xf32>, %b: tensor<2xi1>, %i: tensor<3xi8>, %h: tensor<?xbf16>) -> tensor<?x4xf32> {\n"
    "  return %x : tensor<?x4xf32>\n}\n";
static serve_server server;

static void start(void) {
  char path[40], named[64];
  (void)fuzz_file(program, sizeof program - 1, path);
  server.options = (serve_options){.max_body = 1, .max_memory = 4, .queue = 4};
  serve_repository_init(&server.repository);
  serve_shared_init(&server.shared, true);
  server.repository.options = (serve_model_options){.device = "interp", .max_shapes = 1};
  snprintf(named, sizeof named, "m=%s", path);
  ten_status *status = serve_repository_add(&server.repository, named);
  if (status) {
    fprintf(stderr, "%s\n", ten_status_text(status));
    abort();
  }
}

static void read_http(const char *text, size_t size) {
  http_head head;
  const int taken = http_head_parse(text, size, &head);
  if (taken <= 0) return;
  char path[64];
  double seconds;
  (void)http_unescape(head.target, path, sizeof path);
  (void)http_grpc_timeout(head.fields.grpc_timeout, &seconds);
  http_chunks chunks = {0};
  size_t at = (size_t)taken, body = 0;
  for (;;) {
    size_t used;
    ten_str part;
    const http_chunk_result result = http_chunks_next(&chunks, text + at, size - at, &used, &part);
    if (used > size - at) abort();
    at += used;
    for (size_t i = 0; i < part.size; i++) body += (unsigned char)part.data[i];
    if (result != HTTP_CHUNK_SOME) break;
  }
  if (body == SIZE_MAX) abort();
}

static void touch(const serve_call *call) {
  volatile unsigned char sum = 0;
  for (uint32_t i = 0; i < call->model->input_count; i++)
    for (size_t k = 0; k < call->inputs[i]->bytes; k++)
      sum = (unsigned char)(sum + ((const unsigned char *)call->inputs[i]->data)[k]);
}

static void read_call(const serve_protocol *protocol, char *body, size_t size, uint64_t head_size) {
  serve_exchange exchange = {.server = &server};
  if (head_size != UINT64_MAX)
    exchange.fields.has_inference_length = true, exchange.fields.inference_length = head_size;
  char name[] = "m";
  serve_call call = {.exchange = &exchange, .server = &server, .body = body, .body_size = size, .model_name = name};
  ten_status *status = protocol->read(&call);
  if (!status) touch(&call);
  ten_status_free(status);
  if (call.model) {
    for (uint32_t i = 0; i < call.model->input_count; i++) ten_tensor_release(call.inputs[i]);
    free(call.inputs);
    free(call.outputs);
  }
  for (size_t i = 0; i < call.wishes.count; i++) serve_region_release(call.wishes.data[i].region);
  ten_vec_free(&call.wishes);
  serve_model_release(call.model);
  protobuf_c_message_free_unpacked(call.message, NULL);
  free(call.id);
}

static void read_message(const serve_method *methods, size_t which, const char *text, size_t size) {
  size_t count = 0;
  while (methods[count].path) count++;
  const ProtobufCMessageDescriptor *descriptor = methods[which % count].request;
  if (descriptor) protobuf_c_message_free_unpacked(serve_grpc_unpack(descriptor, text, size), NULL);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  if (!server.options.queue) start();
  if (size < 3) return 0;
  const unsigned way = data[0] % 5, second = data[1];
  /* A copy of its own size, so that a byte too far is seen. */
  char *text = malloc(size - 2);
  memcpy(text, data + 2, size - 2);
  if (way == 0) read_http(text, size - 2);
  if (way == 1) read_call(&serve_rest_protocol, text, size - 2, UINT64_MAX);
  if (way == 2) read_call(&serve_rest_protocol, text, size - 2, second);
  if (way == 3) read_call(&serve_grpc_protocol, text, size - 2, UINT64_MAX);
  if (way == 4)
    read_message(second & 1 ? serve_inference_methods : serve_reflection_methods, second >> 1, text, size - 2);
  free(text);
  return 0;
}
