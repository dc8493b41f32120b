/* grpc_methods.c: the methods of the inference service except inference. */
#include <stdlib.h>
#include <string.h>

#include "inference.pb-c.h"
#include "serve/control.h"
#include "serve/grpc.h"
#include "tenfold/version.h"

static char *text(const char *borrowed) { return (char *)(uintptr_t)borrowed; }

static void server_live(serve_exchange *exchange, const ProtobufCMessage *request) {
  (void)request;
  Inference__ServerLiveResponse response = INFERENCE__SERVER_LIVE_RESPONSE__INIT;
  response.live = true;
  serve_grpc_answer(exchange, &response.base);
}

static void server_ready(serve_exchange *exchange, const ProtobufCMessage *request) {
  (void)request;
  Inference__ServerReadyResponse response = INFERENCE__SERVER_READY_RESPONSE__INIT;
  response.ready = !exchange->server->draining && serve_repository_ready(&exchange->server->repository);
  serve_grpc_answer(exchange, &response.base);
}

static void model_ready(serve_exchange *exchange, const ProtobufCMessage *message) {
  const Inference__ModelReadyRequest *request = (const Inference__ModelReadyRequest *)message;
  Inference__ModelReadyResponse response = INFERENCE__MODEL_READY_RESPONSE__INIT;
  serve_model *model;
  ten_status *status = serve_repository_find(&exchange->server->repository, request->name, request->version, &model);
  response.ready = !status;
  ten_status_free(status);
  serve_model_release(model);
  serve_grpc_answer(exchange, &response.base);
}

static void server_metadata(serve_exchange *exchange, const ProtobufCMessage *request) {
  (void)request;
  Inference__ServerMetadataResponse response = INFERENCE__SERVER_METADATA_RESPONSE__INIT;
  response.name = text("tenfold");
  response.version = text(ten_version());
  response.n_extensions = SERVE_EXTENSION_COUNT;
  response.extensions = (char **)(uintptr_t)serve_extensions;
  serve_grpc_answer(exchange, &response.base);
}

typedef Inference__ModelMetadataResponse__TensorMetadata tensor_metadata;

static tensor_metadata **ports_make(ten_arena *arena, const serve_port *ports, uint32_t count) {
  tensor_metadata **all = ten_arena_array(arena, count + 1, sizeof *all);
  for (uint32_t i = 0; i < count; i++) {
    all[i] = ten_arena_new(arena, tensor_metadata);
    *all[i] = (tensor_metadata)INFERENCE__MODEL_METADATA_RESPONSE__TENSOR_METADATA__INIT;
    all[i]->name = ports[i].name;
    all[i]->datatype = text(ports[i].type->name);
    all[i]->n_shape = ports[i].rank;
    all[i]->shape = (int64_t *)(uintptr_t)ports[i].dims;
  }
  return all;
}

/* The model, which the caller releases; NULL: the call was answered with the error. */
static serve_model *find_model(serve_exchange *exchange, const char *name, const char *version) {
  serve_model *model = NULL;
  ten_status *status = serve_repository_find(&exchange->server->repository, name, version, &model);
  if (status) serve_grpc_fail(exchange, status);
  return status ? NULL : model;
}

static void model_metadata(serve_exchange *exchange, const ProtobufCMessage *message) {
  const Inference__ModelMetadataRequest *request = (const Inference__ModelMetadataRequest *)message;
  serve_model *model = find_model(exchange, request->name, request->version);
  if (!model) return;
  ten_arena arena;
  ten_arena_init(&arena);
  serve_index index;
  serve_repository_index(&exchange->server->repository, &index);
  Inference__ModelMetadataResponse response = INFERENCE__MODEL_METADATA_RESPONSE__INIT;
  response.name = model->name;
  response.platform = text(model->platform);
  response.versions = ten_arena_array(&arena, index.count + 1, sizeof *response.versions);
  for (size_t i = 0; i < index.count; i++)
    if (index.data[i].model && !strcmp(index.data[i].name, model->name))
      response.versions[response.n_versions++] = index.data[i].version;
  response.inputs = ports_make(&arena, model->inputs, model->input_count);
  response.n_inputs = model->input_count;
  response.outputs = ports_make(&arena, model->outputs, model->output_count);
  response.n_outputs = model->output_count;
  serve_grpc_answer(exchange, &response.base);
  serve_index_free(&index);
  ten_arena_destroy(&arena);
  serve_model_release(model);
}

/* Shapes in it are complete, batch included: max_batch_size is 0, as for a model that does its own batching. */
static void model_config(serve_exchange *exchange, const ProtobufCMessage *message) {
  const Inference__ModelConfigRequest *request = (const Inference__ModelConfigRequest *)message;
  serve_model *model = find_model(exchange, request->name, request->version);
  if (!model) return;
  ten_arena arena;
  ten_arena_init(&arena);
  Inference__ModelConfig config = INFERENCE__MODEL_CONFIG__INIT;
  config.name = model->name;
  config.platform = text(model->platform);
  config.backend = text("tenfold");
  config.input = ten_arena_array(&arena, model->input_count + 1, sizeof *config.input);
  config.output = ten_arena_array(&arena, model->output_count + 1, sizeof *config.output);
  for (uint32_t i = 0; i < model->input_count; i++) {
    Inference__ModelInput *input = config.input[config.n_input++] = ten_arena_new(&arena, Inference__ModelInput);
    *input = (Inference__ModelInput)INFERENCE__MODEL_INPUT__INIT;
    input->name = model->inputs[i].name;
    input->data_type = (Inference__DataType)model->inputs[i].type->config;
    input->n_dims = model->inputs[i].rank;
    input->dims = model->inputs[i].dims;
  }
  for (uint32_t i = 0; i < model->output_count; i++) {
    Inference__ModelOutput *output = config.output[config.n_output++] = ten_arena_new(&arena, Inference__ModelOutput);
    *output = (Inference__ModelOutput)INFERENCE__MODEL_OUTPUT__INIT;
    output->name = model->outputs[i].name;
    output->data_type = (Inference__DataType)model->outputs[i].type->config;
    output->n_dims = model->outputs[i].rank;
    output->dims = model->outputs[i].dims;
  }
  Inference__ModelConfigResponse response = INFERENCE__MODEL_CONFIG_RESPONSE__INIT;
  response.config = &config;
  serve_grpc_answer(exchange, &response.base);
  ten_arena_destroy(&arena);
  serve_model_release(model);
}

static Inference__StatisticDuration *duration(ten_arena *arena, serve_duration from) {
  Inference__StatisticDuration *made = ten_arena_new(arena, Inference__StatisticDuration);
  *made = (Inference__StatisticDuration)INFERENCE__STATISTIC_DURATION__INIT;
  made->count = from.count;
  made->ns = from.ns;
  return made;
}

static Inference__ModelStatistics *statistics_make(ten_arena *arena, serve_model *model) {
  const serve_statistics s = serve_model_statistics(model);
  Inference__ModelStatistics *made = ten_arena_new(arena, Inference__ModelStatistics);
  *made = (Inference__ModelStatistics)INFERENCE__MODEL_STATISTICS__INIT;
  made->name = model->name;
  made->version = model->version;
  made->last_inference = s.last_ms;
  made->inference_count = s.inferences;
  made->execution_count = s.executions;
  Inference__InferStatistics *all = made->inference_stats = ten_arena_new(arena, Inference__InferStatistics);
  *all = (Inference__InferStatistics)INFERENCE__INFER_STATISTICS__INIT;
  all->success = duration(arena, s.success);
  all->fail = duration(arena, s.fail);
  all->queue = duration(arena, s.queue);
  all->compute_input = duration(arena, s.input);
  all->compute_infer = duration(arena, s.infer);
  all->compute_output = duration(arena, s.output);
  all->cache_hit = duration(arena, (serve_duration){0});
  all->cache_miss = duration(arena, (serve_duration){0});
  made->batch_stats = ten_arena_array(arena, SERVE_BATCH_SIZES, sizeof *made->batch_stats);
  for (int i = 0; i < SERVE_BATCH_SIZES; i++) {
    if (!s.by_batch[i].count) continue;
    Inference__InferBatchStatistics *batch = ten_arena_new(arena, Inference__InferBatchStatistics);
    *batch = (Inference__InferBatchStatistics)INFERENCE__INFER_BATCH_STATISTICS__INIT;
    batch->batch_size = (uint64_t)i + 1;
    batch->compute_infer = duration(arena, s.by_batch[i]);
    made->batch_stats[made->n_batch_stats++] = batch;
  }
  return made;
}

static void model_statistics(serve_exchange *exchange, const ProtobufCMessage *message) {
  const Inference__ModelStatisticsRequest *request = (const Inference__ModelStatisticsRequest *)message;
  serve_index index;
  serve_repository_index(&exchange->server->repository, &index);
  ten_arena arena;
  ten_arena_init(&arena);
  Inference__ModelStatisticsResponse response = INFERENCE__MODEL_STATISTICS_RESPONSE__INIT;
  response.model_stats = ten_arena_array(&arena, index.count + 1, sizeof *response.model_stats);
  for (size_t i = 0; i < index.count; i++) {
    const serve_index_row *row = &index.data[i];
    if (!row->model || (*request->name && strcmp(row->name, request->name) != 0) ||
        (*request->version && strcmp(row->version, request->version) != 0))
      continue;
    response.model_stats[response.n_model_stats++] = statistics_make(&arena, row->model);
  }
  if (*request->name && !response.n_model_stats)
    serve_grpc_fail(exchange, ten_error(TEN_NOT_FOUND, "no model '%s'", request->name));
  else
    serve_grpc_answer(exchange, &response.base);
  ten_arena_destroy(&arena);
  serve_index_free(&index);
}

static void repository_index(serve_exchange *exchange, const ProtobufCMessage *message) {
  const Inference__RepositoryIndexRequest *request = (const Inference__RepositoryIndexRequest *)message;
  typedef Inference__RepositoryIndexResponse__ModelIndex row_type;
  serve_index index;
  serve_repository_index(&exchange->server->repository, &index);
  ten_arena arena;
  ten_arena_init(&arena);
  Inference__RepositoryIndexResponse response = INFERENCE__REPOSITORY_INDEX_RESPONSE__INIT;
  response.models = ten_arena_array(&arena, index.count + 1, sizeof *response.models);
  for (size_t i = 0; i < index.count; i++) {
    if (request->ready && !index.data[i].model) continue;
    row_type *row = ten_arena_new(&arena, row_type);
    *row = (row_type)INFERENCE__REPOSITORY_INDEX_RESPONSE__MODEL_INDEX__INIT;
    row->name = index.data[i].name;
    row->version = index.data[i].version;
    row->state = text(index.data[i].model ? "READY" : "UNAVAILABLE");
    if (index.data[i].reason) row->reason = index.data[i].reason;
    response.models[response.n_models++] = row;
  }
  serve_grpc_answer(exchange, &response.base);
  ten_arena_destroy(&arena);
  serve_index_free(&index);
}

static void control_failed(serve_exchange *exchange, ten_status *status) {
  if (ten_status_code(status) != TEN_UNSUPPORTED) {
    serve_grpc_fail(exchange, status);
    return;
  }
  serve_grpc_end(exchange, GRPC_PERMISSION_DENIED, ten_status_text(status));
  ten_status_free(status);
}

static void load_done(serve_exchange *exchange, ten_status *status) {
  Inference__RepositoryModelLoadResponse response = INFERENCE__REPOSITORY_MODEL_LOAD_RESPONSE__INIT;
  if (status)
    control_failed(exchange, status);
  else
    serve_grpc_answer(exchange, &response.base);
}

static void model_load(serve_exchange *exchange, const ProtobufCMessage *message) {
  const Inference__RepositoryModelLoadRequest *request = (const Inference__RepositoryModelLoadRequest *)message;
  exchange->busy = true;
  serve_control_start(exchange, request->model_name, true, load_done);
}

static void model_unload(serve_exchange *exchange, const ProtobufCMessage *message) {
  const Inference__RepositoryModelUnloadRequest *request = (const Inference__RepositoryModelUnloadRequest *)message;
  exchange->busy = true;
  serve_control_start(exchange, request->model_name, false, load_done); /* both answers are empty messages */
}

static void region_status(serve_exchange *exchange, const ProtobufCMessage *message) {
  const Inference__SystemSharedMemoryStatusRequest *request =
      (const Inference__SystemSharedMemoryStatusRequest *)message;
  typedef Inference__SystemSharedMemoryStatusResponse__RegionsEntry entry_type;
  typedef Inference__SystemSharedMemoryStatusResponse__RegionStatus status_type;
  serve_region *regions[SERVE_REGIONS_MOST];
  const size_t count = serve_shared_list(&exchange->server->shared, request->name, regions);
  ten_arena arena;
  ten_arena_init(&arena);
  Inference__SystemSharedMemoryStatusResponse response = INFERENCE__SYSTEM_SHARED_MEMORY_STATUS_RESPONSE__INIT;
  response.regions = ten_arena_array(&arena, count + 1, sizeof *response.regions);
  for (size_t i = 0; i < count; i++) {
    entry_type *entry = response.regions[response.n_regions++] = ten_arena_new(&arena, entry_type);
    status_type *status = ten_arena_new(&arena, status_type);
    *entry = (entry_type)INFERENCE__SYSTEM_SHARED_MEMORY_STATUS_RESPONSE__REGIONS_ENTRY__INIT;
    *status = (status_type)INFERENCE__SYSTEM_SHARED_MEMORY_STATUS_RESPONSE__REGION_STATUS__INIT;
    entry->key = status->name = regions[i]->name;
    entry->value = status;
    status->key = regions[i]->key;
    status->offset = regions[i]->offset;
    status->byte_size = regions[i]->size;
  }
  if (!count && *request->name)
    serve_grpc_fail(exchange, ten_error(TEN_NOT_FOUND, "no region is registered as '%s'", request->name));
  else
    serve_grpc_answer(exchange, &response.base);
  for (size_t i = 0; i < count; i++) serve_region_release(regions[i]);
  ten_arena_destroy(&arena);
}

static void region_register(serve_exchange *exchange, const ProtobufCMessage *message) {
  const Inference__SystemSharedMemoryRegisterRequest *r = (const Inference__SystemSharedMemoryRegisterRequest *)message;
  load_done(exchange, serve_shared_add(&exchange->server->shared, r->name, r->key, r->offset, r->byte_size));
}

static void region_unregister(serve_exchange *exchange, const ProtobufCMessage *message) {
  const Inference__SystemSharedMemoryUnregisterRequest *r =
      (const Inference__SystemSharedMemoryUnregisterRequest *)message;
  load_done(exchange, serve_shared_remove(&exchange->server->shared, r->name));
}

static void infer(serve_exchange *exchange, char *body, size_t offset, size_t size, size_t capacity) {
  serve_call_start(exchange, &serve_grpc_protocol, NULL, NULL, body, offset, size, capacity);
}

static void infer_stream(serve_exchange *exchange, char *body, size_t offset, size_t size, size_t capacity) {
  serve_call_start(exchange, &serve_grpc_stream_protocol, NULL, NULL, body, offset, size, capacity);
}

#define METHOD(name, type, function) \
  {"/inference.GRPCInferenceService/" name, false, &inference__##type##_request__descriptor, function, NULL}
const serve_method serve_inference_methods[] = {
    {"/inference.GRPCInferenceService/ModelInfer", false, NULL, NULL, infer},
    {"/inference.GRPCInferenceService/ModelStreamInfer", true, NULL, NULL, infer_stream},
    METHOD("ServerLive", server_live, server_live),
    METHOD("ServerReady", server_ready, server_ready),
    METHOD("ModelReady", model_ready, model_ready),
    METHOD("ServerMetadata", server_metadata, server_metadata),
    METHOD("ModelMetadata", model_metadata, model_metadata),
    METHOD("ModelConfig", model_config, model_config),
    METHOD("ModelStatistics", model_statistics, model_statistics),
    METHOD("RepositoryIndex", repository_index, repository_index),
    METHOD("RepositoryModelLoad", repository_model_load, model_load),
    METHOD("RepositoryModelUnload", repository_model_unload, model_unload),
    METHOD("SystemSharedMemoryStatus", system_shared_memory_status, region_status),
    METHOD("SystemSharedMemoryRegister", system_shared_memory_register, region_register),
    METHOD("SystemSharedMemoryUnregister", system_shared_memory_unregister, region_unregister),
    {0},
};
