/* grpc_health.c: gRPC's standard services: health and reflection, so that probes and grpcurl work without our .proto
 * files. The descriptors are those that the protobuf compiler wrote at build time. */
#include <stdlib.h>
#include <string.h>

#include "health.pb-c.h"
#include "inference.pb-c.h"
#include "reflection.pb-c.h"
#include "serve/grpc.h"

/* "": the whole server. An unknown service is NOT_FOUND, not an error of Check's transport. */
static void health_check(serve_exchange *exchange, const ProtobufCMessage *message) {
  const Grpc__Health__V1__HealthCheckRequest *request = (const Grpc__Health__V1__HealthCheckRequest *)message;
  serve_server *server = exchange->server;
  bool ready = !server->draining && serve_repository_ready(&server->repository);
  if (*request->service && strcmp(request->service, "inference.GRPCInferenceService") != 0) {
    serve_model *model; /* a model by its name */
    ten_status *status = serve_repository_find(&server->repository, request->service, NULL, &model);
    if (status) {
      serve_grpc_fail(exchange, status);
      return;
    }
    serve_model_release(model);
    ready = !server->draining;
  }
  Grpc__Health__V1__HealthCheckResponse response = GRPC__HEALTH__V1__HEALTH_CHECK_RESPONSE__INIT;
  response.status = ready ? GRPC__HEALTH__V1__HEALTH_CHECK_RESPONSE__SERVING_STATUS__SERVING
                          : GRPC__HEALTH__V1__HEALTH_CHECK_RESPONSE__SERVING_STATUS__NOT_SERVING;
  serve_grpc_answer(exchange, &response.base);
}

const serve_method serve_health_methods[] = {
    {"/grpc.health.v1.Health/Check", false, &grpc__health__v1__health_check_request__descriptor, health_check, NULL},
    {0},
};

/* FileDescriptorSets: each has one file, whose bytes follow a tag and a length. */
#define EMBED(name)                                                                                   \
  __asm__(".section .rodata\n.global serve_" #name "_begin\nserve_" #name "_begin:\n.incbin \"" #name \
          ".desc\"\n"                                                                                 \
          ".global serve_" #name "_end\nserve_" #name "_end:\n.byte 0\n.previous\n");                 \
  extern const unsigned char serve_##name##_begin[], serve_##name##_end[]
EMBED(inference);
EMBED(health);
EMBED(reflection);
EMBED(device);

static const struct {
  const char *service, *file;
  const unsigned char *begin, *end;
} descriptors[] = {
    {"inference.GRPCInferenceService", "inference.proto", serve_inference_begin, serve_inference_end},
    {&"/tenfold.device.v1.Device"[1], "device.proto", serve_device_begin, serve_device_end},
    {"grpc.health.v1.Health", "health.proto", serve_health_begin, serve_health_end},
    {"grpc.reflection.v1alpha.ServerReflection", "reflection.proto", serve_reflection_begin, serve_reflection_end},
};
enum { DESCRIPTORS = sizeof descriptors / sizeof *descriptors };

/* The bytes of the one FileDescriptorProto in a set: field 1. */
static ProtobufCBinaryData file_of(size_t index) {
  const unsigned char *at = descriptors[index].begin + 1;
  size_t size = 0;
  for (unsigned shift = 0;; shift += 7) {
    size |= (size_t)(*at & 127) << shift;
    if (!(*at++ & 128)) break;
  }
  return (ProtobufCBinaryData){size, (uint8_t *)(uintptr_t)at};
}

/* The file of a service, of one of its methods, or of a message of its package. */
static int file_with_symbol(const char *symbol) {
  for (int i = 0; i < DESCRIPTORS; i++) {
    const char *dot = strrchr(descriptors[i].service, '.');
    const size_t package = (size_t)(dot - descriptors[i].service) + 1;
    if (!strncmp(symbol, descriptors[i].service, package)) return i;
  }
  return -1;
}

static int file_named(const char *name) {
  for (int i = 0; i < DESCRIPTORS; i++)
    if (!strcmp(name, descriptors[i].file)) return i;
  return -1;
}

typedef Grpc__Reflection__V1alpha__ServerReflectionRequest reflection_request;

static void reflect(serve_exchange *exchange, const ProtobufCMessage *message) {
  const reflection_request *request = (const reflection_request *)message;
  Grpc__Reflection__V1alpha__ServerReflectionResponse response =
      GRPC__REFLECTION__V1ALPHA__SERVER_REFLECTION_RESPONSE__INIT;
  response.valid_host = request->host;
  response.original_request = (reflection_request *)(uintptr_t)request;
  Grpc__Reflection__V1alpha__ListServiceResponse services = GRPC__REFLECTION__V1ALPHA__LIST_SERVICE_RESPONSE__INIT;
  Grpc__Reflection__V1alpha__ServiceResponse rows[DESCRIPTORS], *all[DESCRIPTORS];
  Grpc__Reflection__V1alpha__FileDescriptorResponse file = GRPC__REFLECTION__V1ALPHA__FILE_DESCRIPTOR_RESPONSE__INIT;
  Grpc__Reflection__V1alpha__ErrorResponse error = GRPC__REFLECTION__V1ALPHA__ERROR_RESPONSE__INIT;
  ProtobufCBinaryData bytes;
  int found = -1;
  if (request->message_request_case ==
      GRPC__REFLECTION__V1ALPHA__SERVER_REFLECTION_REQUEST__MESSAGE_REQUEST_LIST_SERVICES) {
    for (int i = 0; i < DESCRIPTORS; i++) {
      rows[i] = (Grpc__Reflection__V1alpha__ServiceResponse)GRPC__REFLECTION__V1ALPHA__SERVICE_RESPONSE__INIT;
      rows[i].name = (char *)(uintptr_t)descriptors[i].service;
      all[i] = &rows[i];
    }
    services.n_service = DESCRIPTORS;
    services.service = all;
    response.message_response_case =
        GRPC__REFLECTION__V1ALPHA__SERVER_REFLECTION_RESPONSE__MESSAGE_RESPONSE_LIST_SERVICES_RESPONSE;
    response.list_services_response = &services;
  } else if (request->message_request_case ==
             GRPC__REFLECTION__V1ALPHA__SERVER_REFLECTION_REQUEST__MESSAGE_REQUEST_FILE_BY_FILENAME) {
    found = file_named(request->file_by_filename);
  } else if (request->message_request_case ==
             GRPC__REFLECTION__V1ALPHA__SERVER_REFLECTION_REQUEST__MESSAGE_REQUEST_FILE_CONTAINING_SYMBOL) {
    found = file_with_symbol(request->file_containing_symbol);
  }
  if (found >= 0) {
    bytes = file_of((size_t)found);
    file.n_file_descriptor_proto = 1;
    file.file_descriptor_proto = &bytes;
    response.message_response_case =
        GRPC__REFLECTION__V1ALPHA__SERVER_REFLECTION_RESPONSE__MESSAGE_RESPONSE_FILE_DESCRIPTOR_RESPONSE;
    response.file_descriptor_response = &file;
  } else if (!response.message_response_case) {
    error.error_code = GRPC_NOT_FOUND;
    error.error_message = (char *)(uintptr_t)"no such file or symbol here";
    response.message_response_case =
        GRPC__REFLECTION__V1ALPHA__SERVER_REFLECTION_RESPONSE__MESSAGE_RESPONSE_ERROR_RESPONSE;
    response.error_response = &error;
  }
  serve_grpc_reply(exchange, &response.base);
}

const serve_method serve_reflection_methods[] = {
    {"/grpc.reflection.v1alpha.ServerReflection/ServerReflectionInfo", true,
     &grpc__reflection__v1alpha__server_reflection_request__descriptor, reflect, NULL},
    {0},
};
