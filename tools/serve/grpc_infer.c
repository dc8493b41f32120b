/* grpc_infer.c: inference over gRPC: values as raw bytes, or in typed lists; single and in a stream. */
#include <stdlib.h>
#include <string.h>

#include "inference.pb-c.h"
#include "serve/grpc.h"

typedef Inference__ModelInferRequest request_type;
typedef Inference__ModelInferRequest__InferInputTensor input_type;
typedef Inference__InferTensorContents contents_type;
typedef Inference__InferParameter parameter_type;
typedef Inference__ModelInferResponse__InferOutputTensor output_type;

/* The position of an input or output in shared memory. */
typedef struct place {
  const char *region;
  uint64_t offset, size;
} place;

static uint64_t parameter_number(const parameter_type *value) {
  if (value->parameter_choice_case == INFERENCE__INFER_PARAMETER__PARAMETER_CHOICE_INT64_PARAM)
    return value->int64_param < 0 ? 0 : (uint64_t)value->int64_param;
  if (value->parameter_choice_case == INFERENCE__INFER_PARAMETER__PARAMETER_CHOICE_UINT64_PARAM)
    return value->uint64_param;
  return 0;
}

static void place_set(place *p, const char *key, const parameter_type *value) {
  if (!key || !value) return;
  if (!strcmp(key, "shared_memory_region") &&
      value->parameter_choice_case == INFERENCE__INFER_PARAMETER__PARAMETER_CHOICE_STRING_PARAM)
    p->region = value->string_param;
  if (!strcmp(key, "shared_memory_offset")) p->offset = parameter_number(value);
  if (!strcmp(key, "shared_memory_byte_size")) p->size = parameter_number(value);
}

/* ---- values in lists --------------------------------------------------------------------------------------------- */

/* The list of a type: its length, and the width of its elements. */
typedef struct list {
  size_t count, width;
  const void *data;
} list;

static list list_of(const contents_type *c, ten_dtype dtype) {
  switch (dtype) {
    case TEN_I1: return (list){c->n_bool_contents, sizeof(protobuf_c_boolean), c->bool_contents};
    case TEN_I8:
    case TEN_I16:
    case TEN_I32: return (list){c->n_int_contents, 4, c->int_contents};
    case TEN_I64: return (list){c->n_int64_contents, 8, c->int64_contents};
    case TEN_UI8:
    case TEN_UI16:
    case TEN_UI32: return (list){c->n_uint_contents, 4, c->uint_contents};
    case TEN_UI64: return (list){c->n_uint64_contents, 8, c->uint64_contents};
    case TEN_F32: return (list){c->n_fp32_contents, 4, c->fp32_contents};
    case TEN_F64: return (list){c->n_fp64_contents, 8, c->fp64_contents};
    default: return (list){0};
  }
}

/* Narrow types arrive in wider ones: a value that does not fit is an error, not another value. */
static ten_status *copy_narrow(ten_tensor *to, const list *from, const char *name) {
  const size_t width = ten_dtype_bytes(to->dtype);
  const unsigned bits = (unsigned)width * 8;
  for (size_t i = 0; i < to->count; i++) {
    const int32_t value = ((const int32_t *)from->data)[i];
    const int64_t wide = ten_dtype_class(to->dtype) == TEN_CLASS_SINT ? value : (int64_t)(uint32_t)value;
    const bool fits =
        to->dtype == TEN_I1 || bits == 32 ||
        (ten_dtype_class(to->dtype) == TEN_CLASS_SINT ? wide >= -(1ll << (bits - 1)) && wide < 1ll << (bits - 1)
                                                      : wide < 1ll << bits);
    if (!fits)
      return ten_error(TEN_INVALID, "input '%s': element %zu is %lld, which %s cannot hold", name, i, (long long)wide,
                       ten_dtype_name(to->dtype));
    if (to->dtype == TEN_I1)
      ((char *)to->data)[i] = wide != 0;
    else
      memcpy((char *)to->data + i * width, &wide, width); /* little-endian */
  }
  return NULL;
}

static ten_status *input_list(serve_call *call, const input_type *input, const serve_type *type, const int64_t *dims) {
  const ten_str name = ten_str_of(input->name);
  const list from = list_of(input->contents, type->dtype);
  if (!from.width)
    return ten_error(TEN_INVALID, "input '%.100s': values of %s come as raw_input_contents, the lists have none",
                     input->name, type->name);
  size_t count = 1;
  for (size_t d = 0; d < input->n_shape; d++)
    if (dims[d] < 0 || !ten_mul(count, (size_t)dims[d], &count)) count = SIZE_MAX;
  if (count != from.count)
    return ten_error(TEN_INVALID, "input '%.100s' has %zu elements, its shape has %zu", input->name, from.count, count);
  uint32_t port;
  TEN_TRY(serve_call_make_input(call, name, type, (uint32_t)input->n_shape, dims, &port));
  ten_tensor *tensor = call->inputs[port];
  if (from.width != ten_dtype_bytes(type->dtype)) return copy_narrow(tensor, &from, input->name);
  if (tensor->bytes) memcpy(tensor->data, from.data, tensor->bytes);
  return NULL;
}

/* ---- the request ------------------------------------------------------------------------------------------------- */

static ten_status *read_input(serve_call *call, const request_type *request, const input_type *input, size_t *raw) {
  const serve_type *type = serve_type_named(ten_str_of(input->datatype));
  if (!type)
    return ten_error(TEN_INVALID, "input '%.100s' has the unknown datatype '%.40s'", input->name, input->datatype);
  if (input->n_shape > TEN_RANK_MAX)
    return ten_error(TEN_INVALID, "input '%.100s' has %zu dimensions, at most %d are allowed", input->name,
                     input->n_shape, TEN_RANK_MAX);
  place p = {0};
  for (size_t i = 0; i < input->n_parameters; i++)
    place_set(&p, input->parameters[i]->key, input->parameters[i]->value);
  const ten_str name = ten_str_of(input->name);
  const uint32_t rank = (uint32_t)input->n_shape;
  if (p.region) return serve_call_set_region(call, name, type, rank, input->shape, p.region, p.offset, p.size);
  if (type->dtype == TEN_DTYPE_NONE) /* names the types that the model needs */
    return serve_call_set_input(call, name, type, rank, input->shape, NULL, 0);
  if (request->n_raw_input_contents) {
    if (input->contents)
      return ten_error(TEN_INVALID, "input '%.100s' has contents, which raw_input_contents replace", input->name);
    if (*raw >= request->n_raw_input_contents)
      return ten_error(TEN_INVALID, "there are fewer raw_input_contents than inputs");
    const ProtobufCBinaryData *bytes = &request->raw_input_contents[(*raw)++];
    return serve_call_set_input(call, name, type, rank, input->shape, bytes->data, bytes->len);
  }
  if (!input->contents) {
    const contents_type none = INFERENCE__INFER_TENSOR_CONTENTS__INIT;
    input_type empty = *input;
    empty.contents = (contents_type *)(uintptr_t)&none;
    return input_list(call, &empty, type, input->shape);
  }
  return input_list(call, input, type, input->shape);
}

static ten_status *read_output(serve_call *call,
                               const Inference__ModelInferRequest__InferRequestedOutputTensor *output) {
  place p = {0};
  for (size_t i = 0; i < output->n_parameters; i++) {
    const parameter_type *value = output->parameters[i]->value;
    place_set(&p, output->parameters[i]->key, value);
    if (value && !strcmp(output->parameters[i]->key, "classification") && parameter_number(value))
      return ten_error(TEN_UNSUPPORTED, "classification is not served: take the largest scores");
  }
  return serve_call_add_wish(call, ten_str_of(output->name), 0, p.region, p.offset, p.size);
}

static ten_status *read_message(serve_call *call, const request_type *request) {
  TEN_TRY(serve_call_find_model(call, request->model_name, request->model_version));
  if (*request->id) call->id = ten_strdup(request->id);
  size_t raw = 0;
  for (size_t i = 0; i < request->n_inputs; i++) TEN_TRY(read_input(call, request, request->inputs[i], &raw));
  if (raw != request->n_raw_input_contents)
    return ten_error(TEN_INVALID, "there are %zu raw_input_contents, %zu belong to inputs",
                     request->n_raw_input_contents, raw);
  for (size_t i = 0; i < request->n_outputs; i++) TEN_TRY(read_output(call, request->outputs[i]));
  for (size_t i = 0; i < request->n_parameters; i++) {
    const parameter_type *value = request->parameters[i]->value;
    if (value)
      TEN_TRY(serve_call_parameter(call, ten_str_of(request->parameters[i]->key), (double)parameter_number(value)));
  }
  TEN_TRY(serve_call_check(call));
  for (uint32_t i = 0; !call->wishes.count && i < call->model->output_count; i++)
    TEN_TRY(serve_call_add_wish(call, ten_str_of(call->model->outputs[i].name), 0, NULL, 0, 0));
  call->is_raw = request->n_raw_input_contents || !request->n_inputs;
  for (size_t i = 0; i < request->n_inputs; i++) call->is_raw |= !request->inputs[i]->contents;
  return NULL;
}

static ten_status *infer_read(serve_call *call) {
  call->message =
      serve_grpc_unpack(&inference__model_infer_request__descriptor, call->body + call->body_offset, call->body_size);
  if (!call->message) return ten_error(TEN_INVALID, "the message cannot be read");
  return read_message(call, call->message);
}

/* ---- the answer -------------------------------------------------------------------------------------------------- */

/* A list for values requested as a list; narrow types are widened. NULL: this type has no list. */
static contents_type *contents_make(ten_arena *arena, const ten_tensor *tensor) {
  contents_type *c = ten_arena_new(arena, contents_type);
  *c = (contents_type)INFERENCE__INFER_TENSOR_CONTENTS__INIT;
  const list kind = list_of(c, tensor->dtype);
  if (!kind.width) return NULL;
  void *data = tensor->data;
  if (kind.width != ten_dtype_bytes(tensor->dtype)) {
    int32_t *wide = ten_arena_new_array(arena, int32_t, tensor->count + 1);
    for (size_t i = 0; i < tensor->count; i++) wide[i] = (int32_t)ten_tensor_int(tensor, i);
    data = wide;
  }
  switch (tensor->dtype) {
    case TEN_I1: c->n_bool_contents = tensor->count, c->bool_contents = data; break;
    case TEN_I8:
    case TEN_I16:
    case TEN_I32: c->n_int_contents = tensor->count, c->int_contents = data; break;
    case TEN_I64: c->n_int64_contents = tensor->count, c->int64_contents = data; break;
    case TEN_UI8:
    case TEN_UI16:
    case TEN_UI32: c->n_uint_contents = tensor->count, c->uint_contents = data; break;
    case TEN_UI64: c->n_uint64_contents = tensor->count, c->uint64_contents = data; break;
    case TEN_F32: c->n_fp32_contents = tensor->count, c->fp32_contents = data; break;
    default: c->n_fp64_contents = tensor->count, c->fp64_contents = data; break;
  }
  return c;
}

static void add_parameter(ten_arena *arena, output_type *output, const char *key, const char *text, uint64_t number) {
  Inference__ModelInferResponse__InferOutputTensor__ParametersEntry *entry =
      ten_arena_new(arena, Inference__ModelInferResponse__InferOutputTensor__ParametersEntry);
  *entry = (Inference__ModelInferResponse__InferOutputTensor__ParametersEntry)
      INFERENCE__MODEL_INFER_RESPONSE__INFER_OUTPUT_TENSOR__PARAMETERS_ENTRY__INIT;
  parameter_type *value = ten_arena_new(arena, parameter_type);
  *value = (parameter_type)INFERENCE__INFER_PARAMETER__INIT;
  value->parameter_choice_case = text ? INFERENCE__INFER_PARAMETER__PARAMETER_CHOICE_STRING_PARAM
                                      : INFERENCE__INFER_PARAMETER__PARAMETER_CHOICE_INT64_PARAM;
  if (text)
    value->string_param = (char *)(uintptr_t)text;
  else
    value->int64_param = (int64_t)number;
  entry->key = (char *)(uintptr_t)key;
  entry->value = value;
  if (!output->parameters)
    output->parameters =
        (Inference__ModelInferResponse__InferOutputTensor__ParametersEntry **)ten_arena_array(arena, 4, sizeof(void *));
  output->parameters[output->n_parameters++] = entry;
}

static ten_status *pack_outputs(serve_call *call, ten_arena *arena, Inference__ModelInferResponse *response) {
  const serve_model *model = call->model;
  const size_t count = call->wishes.count;
  bool raw = call->is_raw;
  for (size_t i = 0; i < count; i++) { /* one without a list makes all raw: a message has one form */
    const contents_type none = INFERENCE__INFER_TENSOR_CONTENTS__INIT;
    raw |= !list_of(&none, call->outputs[call->wishes.data[i].port]->dtype).width;
  }
  response->outputs = ten_arena_array(arena, count + 1, sizeof *response->outputs);
  response->raw_output_contents = ten_arena_array(arena, count + 1, sizeof *response->raw_output_contents);
  for (size_t i = 0; i < count; i++) {
    const serve_wish *wish = &call->wishes.data[i];
    const serve_port *port = &model->outputs[wish->port];
    ten_tensor *tensor = call->outputs[wish->port];
    output_type *output = ten_arena_new(arena, output_type);
    *output = (output_type)INFERENCE__MODEL_INFER_RESPONSE__INFER_OUTPUT_TENSOR__INIT;
    output->name = port->name;
    output->datatype = (char *)(uintptr_t)port->type->name;
    output->n_shape = tensor->rank;
    output->shape = (int64_t *)(uintptr_t)tensor->dims;
    if (wish->region) {
      TEN_TRY(serve_call_write_region(wish, tensor, port->name));
      add_parameter(arena, output, "shared_memory_region", wish->region->name, 0);
      add_parameter(arena, output, "shared_memory_offset", NULL, wish->offset);
      add_parameter(arena, output, "shared_memory_byte_size", NULL, tensor->bytes);
    } else if (raw) {
      response->raw_output_contents[response->n_raw_output_contents++] =
          (ProtobufCBinaryData){tensor->bytes, tensor->data};
    } else {
      output->contents = contents_make(arena, tensor);
    }
    response->outputs[response->n_outputs++] = output;
  }
  return NULL;
}

static ten_status *infer_pack_as(serve_call *call, bool in_stream) {
  ten_arena arena;
  ten_arena_init(&arena);
  Inference__ModelInferResponse response = INFERENCE__MODEL_INFER_RESPONSE__INIT;
  response.model_name = call->model->name;
  response.model_version = call->model->version;
  if (call->id) response.id = call->id;
  ten_status *status = pack_outputs(call, &arena, &response);
  Inference__ModelStreamInferResponse outer = INFERENCE__MODEL_STREAM_INFER_RESPONSE__INIT;
  outer.infer_response = &response;
  const ProtobufCMessage *message = in_stream ? &outer.base : &response.base;
  if (!status) {
    call->answer_size = protobuf_c_message_get_packed_size(message);
    call->answer = ten_alloc(call->answer_size + 1);
    protobuf_c_message_pack(message, (uint8_t *)call->answer);
  }
  ten_arena_destroy(&arena);
  return status;
}

static ten_status *infer_pack(serve_call *call) { return infer_pack_as(call, false); }
static ten_status *stream_pack(serve_call *call) { return infer_pack_as(call, true); }

static void release_message(serve_call *call) {
  /* Inputs are views of it. */
  if (call->model) ten_tensors_release(call->inputs, call->model->input_count);
  protobuf_c_message_free_unpacked(call->message, NULL);
  call->message = NULL;
}

static void send_bytes(serve_call *call) {
  char *answer = call->answer;
  call->answer = NULL;
  serve_grpc_send(call->exchange, answer, call->answer_size);
}

static void infer_send(serve_call *call) {
  release_message(call);
  if (!call->status) send_bytes(call);
  const int code = !call->status ? GRPC_OK : call->expired ? GRPC_DEADLINE_EXCEEDED : serve_grpc_code(call->status);
  serve_grpc_end(call->exchange, code, call->status ? ten_status_text(call->status) : NULL);
}

/* An error in a stream is a separate message; the stream continues. */
static void stream_send(serve_call *call) {
  release_message(call);
  if (call->status) {
    Inference__ModelStreamInferResponse outer = INFERENCE__MODEL_STREAM_INFER_RESPONSE__INIT;
    Inference__ModelInferResponse inner = INFERENCE__MODEL_INFER_RESPONSE__INIT;
    if (call->id) inner.id = call->id;
    outer.infer_response = &inner;
    outer.error_message = (char *)(uintptr_t)ten_status_text(call->status);
    serve_grpc_reply(call->exchange, &outer.base);
  } else {
    send_bytes(call);
  }
  if (!call->exchange->abandoned) serve_grpc_next(call->exchange);
}

const serve_protocol serve_grpc_protocol = {infer_read, infer_pack, infer_send};
const serve_protocol serve_grpc_stream_protocol = {infer_read, stream_pack, stream_send};
