/* rest_infer.c: inference over REST: a JSON object, with tensors in it as arrays or as bytes after it. The object is
 * scanned in place; tensors are created afterwards, as a member may precede the one with its type. */
#include "serve/rest_infer.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/float.h"
#include "serve/json.h"

/* The members of one input. */
typedef struct input_text {
  ten_str name, datatype, region;
  bool has_data, has_binary, has_region, has_shape;
  uint32_t rank;
  int64_t dims[TEN_RANK_MAX];
  const char *data; /* where its array begins */
  size_t data_size;
  uint64_t binary_size, region_offset, region_size;
} input_text;

typedef struct reading {
  serve_call *call;
  json_in in;
  ten_arena arena; /* texts that had escapes */
  ten_buf scratch;
  const char *binary; /* the bytes after the JSON not yet used by an input */
  size_t binary_left;
  bool binary_outputs;
  ten_status *status; /* the protocol rule that was violated */
} reading;

static bool fail(reading *r, ten_status *status) {
  r->status = ten_first_error(r->status, status);
  return false;
}

static bool read_text(reading *r, ten_str *out) {
  if (!json_read_string(&r->in, &r->scratch, out)) return false;
  if (out->data == r->scratch.data) out->data = ten_arena_strdup(&r->arena, out->data, out->size);
  return true;
}

static bool read_size(reading *r, uint64_t *out) {
  json_number number;
  if (!json_read_number(&r->in, &number)) return false;
  if (!number.is_integer || number.is_negative) return json_fail(&r->in, "an integer of zero or more");
  *out = number.magnitude;
  return true;
}

static bool read_shape(reading *r, input_text *input) {
  bool first = true;
  input->has_shape = true;
  input->rank = 0;
  if (!json_enter(&r->in, '[')) return false;
  while (json_next(&r->in, ']', &first)) {
    uint64_t size = 0;
    if (!read_size(r, &size)) return false;
    if (input->rank == TEN_RANK_MAX || size > INT64_MAX) return json_fail(&r->in, "at most 32 dimensions");
    input->dims[input->rank++] = (int64_t)size;
  }
  return !r->in.wrong;
}

static bool read_input_parameters(reading *r, input_text *input) {
  bool first = true;
  if (!json_enter(&r->in, '{')) return false;
  while (json_next(&r->in, '}', &first)) {
    ten_str key;
    if (!json_key(&r->in, &r->scratch, &key)) return false;
    bool fine;
    if (ten_str_is(key, "binary_data_size"))
      fine = input->has_binary = read_size(r, &input->binary_size);
    else if (ten_str_is(key, "shared_memory_region"))
      fine = input->has_region = read_text(r, &input->region);
    else if (ten_str_is(key, "shared_memory_offset"))
      fine = read_size(r, &input->region_offset);
    else if (ten_str_is(key, "shared_memory_byte_size"))
      fine = read_size(r, &input->region_size);
    else
      fine = json_skip(&r->in);
    if (!fine) return false;
  }
  return !r->in.wrong;
}

static bool read_input_text(reading *r, input_text *input) {
  bool first = true;
  if (!json_enter(&r->in, '{')) return false;
  while (json_next(&r->in, '}', &first)) {
    ten_str key;
    if (!json_key(&r->in, &r->scratch, &key)) return false;
    bool fine;
    if (ten_str_is(key, "name")) {
      fine = read_text(r, &input->name);
    } else if (ten_str_is(key, "datatype")) {
      fine = read_text(r, &input->datatype);
    } else if (ten_str_is(key, "shape")) {
      fine = read_shape(r, input);
    } else if (ten_str_is(key, "parameters")) {
      fine = read_input_parameters(r, input);
    } else if (ten_str_is(key, "data")) {
      input->has_data = true;
      (void)json_peek(&r->in);
      input->data = r->in.at;
      fine = json_skip(&r->in);
      input->data_size = (size_t)(r->in.at - input->data);
    } else {
      fine = json_skip(&r->in);
    }
    if (!fine) return false;
  }
  return !r->in.wrong;
}

/* ---- elements ---------------------------------------------------------------------------------------------------- */

static const char *store_integer(ten_tensor *tensor, size_t i, const json_number *n) {
  const unsigned bits = ten_dtype_bits(tensor->dtype);
  const bool is_signed = ten_dtype_class(tensor->dtype) == TEN_CLASS_SINT;
  const uint64_t most = is_signed ? (1ull << (bits - 1)) - 1 : bits == 64 ? UINT64_MAX : (1ull << bits) - 1;
  if (!n->is_integer) return "an integer";
  if (n->is_negative ? (n->magnitude && (!is_signed || n->magnitude - 1 > most)) : n->magnitude > most)
    return "an integer that its type can hold";
  const uint64_t value = n->is_negative ? 0 - n->magnitude : n->magnitude;
  memcpy((char *)tensor->data + i * (bits / 8), &value, bits / 8); /* little-endian */
  return NULL;
}

static const char *store_number(ten_tensor *tensor, size_t i, const json_number *n) {
  switch (tensor->dtype) {
    case TEN_F32: ((float *)tensor->data)[i] = (float)n->value; return NULL;
    case TEN_F64: ((double *)tensor->data)[i] = n->value; return NULL;
    case TEN_F16:
    case TEN_BF16: ten_float_encode(tensor->dtype, n->value, (char *)tensor->data + i * 2); return NULL;
    case TEN_I1:
      if (!n->is_integer || n->magnitude > 1 || (n->is_negative && n->magnitude)) return "true, false, 0 or 1";
      ((char *)tensor->data)[i] = (char)n->magnitude;
      return NULL;
    default: return store_integer(tensor, i, n);
  }
}

/* Nested or flat, in row-major order. */
static bool read_elements(json_in *in, ten_tensor *tensor, size_t *at, int depth) {
  if (json_peek(in) == '[') {
    bool first = true;
    if (depth > TEN_RANK_MAX) return json_fail(in, "at most 32 levels of arrays");
    json_enter(in, '[');
    while (json_next(in, ']', &first))
      if (!read_elements(in, tensor, at, depth + 1)) return false;
    return !in->wrong;
  }
  if (*at == tensor->count) return json_fail(in, "no more elements than the shape has");
  json_number number = {.is_integer = true};
  bool truth;
  if (json_peek(in) == 't' || json_peek(in) == 'f') {
    if (tensor->dtype != TEN_I1) return json_fail(in, "a number");
    if (!json_read_bool(in, &truth)) return false;
    number.magnitude = truth;
  } else if (!json_read_number(in, &number)) {
    return false;
  }
  const char *wrong = store_number(tensor, (*at)++, &number);
  return !wrong || json_fail(in, wrong);
}

static ten_status *wrong_json(const json_in *in, const char *what) {
  return ten_error(TEN_INVALID, "%s: at byte %zu, expected %s", what, (size_t)(in->at - in->begin), in->wrong);
}

static ten_status *read_array(serve_call *call, const input_text *input, const serve_type *type) {
  size_t count = 1;
  for (uint32_t d = 0; d < input->rank; d++)
    if (!ten_mul(count, (size_t)input->dims[d], &count) || count > input->data_size) /* each takes a byte at least */
      return ten_error(TEN_INVALID, "input '%.*s' has fewer elements than its shape", TEN_FMT(input->name));
  uint32_t port;
  TEN_TRY(serve_call_make_input(call, input->name, type, input->rank, input->dims, &port));
  json_in in = json_of(input->data, input->data_size);
  size_t at = 0;
  if (!read_elements(&in, call->inputs[port], &at, 0)) return wrong_json(&in, call->model->inputs[port].name);
  if (at != count)
    return ten_error(TEN_INVALID, "input '%s' has %zu elements, its shape has %zu", call->model->inputs[port].name, at,
                     count);
  return NULL;
}

static ten_status *take_input(reading *r, const input_text *input) {
  if (!input->name.size || !input->has_shape || !input->datatype.size)
    return ten_error(TEN_INVALID, "an input must have 'name', 'shape' and 'datatype'");
  const serve_type *type = serve_type_named(input->datatype);
  if (!type)
    return ten_error(TEN_INVALID, "input '%.*s' has the unknown datatype '%.*s'",
                     (int)(input->name.size < 100 ? input->name.size : 100), input->name.data,
                     (int)(input->datatype.size < 40 ? input->datatype.size : 40), input->datatype.data);
  if (input->has_data + input->has_binary + input->has_region != 1)
    return ten_error(TEN_INVALID, "input '%.*s' must have one of 'data', 'binary_data_size' and 'shared_memory_region'",
                     (int)(input->name.size < 100 ? input->name.size : 100), input->name.data);
  if (input->has_region) {
    char *region = ten_arena_strdup(&r->arena, input->region.data, input->region.size);
    return serve_call_set_region(r->call, input->name, type, input->rank, input->dims, region, input->region_offset,
                                 input->region_size);
  }
  if (!input->has_binary) return read_array(r->call, input, type);
  if (input->binary_size > r->binary_left)
    return ten_error(TEN_INVALID, "input '%.*s' wants %llu bytes after the JSON, there are %zu",
                     (int)(input->name.size < 100 ? input->name.size : 100), input->name.data,
                     (unsigned long long)input->binary_size, r->binary_left);
  const char *data = r->binary;
  r->binary += input->binary_size;
  r->binary_left -= input->binary_size;
  return serve_call_set_input(r->call, input->name, type, input->rank, input->dims, data, input->binary_size);
}

static bool read_inputs(reading *r) {
  bool first = true;
  if (!json_enter(&r->in, '[')) return false;
  while (json_next(&r->in, ']', &first)) {
    input_text input = {0};
    if (!read_input_text(r, &input)) return false;
    ten_status *status = take_input(r, &input);
    if (status) return fail(r, status);
  }
  return !r->in.wrong;
}

static bool read_output_parameters(reading *r, input_text *output, int *binary) {
  bool first = true;
  if (!json_enter(&r->in, '{')) return false;
  while (json_next(&r->in, '}', &first)) {
    ten_str key;
    bool flag = false, fine;
    uint64_t classes = 0;
    if (!json_key(&r->in, &r->scratch, &key)) return false;
    if (ten_str_is(key, "binary_data")) {
      fine = json_read_bool(&r->in, &flag);
      *binary = flag;
    } else if (ten_str_is(key, "classification")) {
      fine = read_size(r, &classes);
      if (classes) return fail(r, ten_error(TEN_UNSUPPORTED, "classification is not served: take the largest scores"));
    } else if (ten_str_is(key, "shared_memory_region")) {
      fine = read_text(r, &output->region);
    } else if (ten_str_is(key, "shared_memory_offset")) {
      fine = read_size(r, &output->region_offset);
    } else if (ten_str_is(key, "shared_memory_byte_size")) {
      fine = read_size(r, &output->region_size);
    } else {
      fine = json_skip(&r->in);
    }
    if (!fine) return false;
  }
  return !r->in.wrong;
}

static bool read_output(reading *r) {
  input_text output = {0};
  int binary = -1;
  bool first = true;
  if (!json_enter(&r->in, '{')) return false;
  while (json_next(&r->in, '}', &first)) {
    ten_str key;
    if (!json_key(&r->in, &r->scratch, &key)) return false;
    const bool fine = ten_str_is(key, "name")         ? read_text(r, &output.name)
                      : ten_str_is(key, "parameters") ? read_output_parameters(r, &output, &binary)
                                                      : json_skip(&r->in);
    if (!fine) return false;
  }
  if (r->in.wrong) return false;
  const char *region = output.region.size ? ten_arena_strdup(&r->arena, output.region.data, output.region.size) : NULL;
  ten_status *status =
      serve_call_add_wish(r->call, output.name, binary, region, output.region_offset, output.region_size);
  return status ? fail(r, status) : true;
}

static bool read_outputs(reading *r) {
  bool first = true;
  if (!json_enter(&r->in, '[')) return false;
  while (json_next(&r->in, ']', &first))
    if (!read_output(r)) return false;
  return !r->in.wrong;
}

static bool read_parameters(reading *r) {
  bool first = true;
  if (!json_enter(&r->in, '{')) return false;
  while (json_next(&r->in, '}', &first)) {
    ten_str key;
    json_number number;
    if (!json_key(&r->in, &r->scratch, &key)) return false;
    if (ten_str_is(key, "binary_data_output")) {
      if (!json_read_bool(&r->in, &r->binary_outputs)) return false;
    } else if (json_peek(&r->in) == '0') {
      key.data = ten_arena_strdup(&r->arena, key.data, key.size);
      if (!json_read_number(&r->in, &number)) return false;
      ten_status *status = serve_call_parameter(r->call, key, number.value);
      if (status) return fail(r, status);
    } else if (!json_skip(&r->in)) {
      return false;
    }
  }
  return !r->in.wrong;
}

static bool read_request(reading *r) {
  bool first = true, has_inputs = false;
  if (!json_enter(&r->in, '{')) return false;
  while (json_next(&r->in, '}', &first)) {
    ten_str key, text;
    if (!json_key(&r->in, &r->scratch, &key)) return false;
    bool fine = true;
    if (ten_str_is(key, "parameters")) {
      fine = read_parameters(r);
    } else if (ten_str_is(key, "inputs")) {
      fine = has_inputs = read_inputs(r);
    } else if (ten_str_is(key, "outputs")) {
      fine = read_outputs(r);
    } else if (ten_str_is(key, "id")) {
      fine = read_text(r, &text);
      free(r->call->id);
      r->call->id = NULL;
      if (fine) r->call->id = strndup(text.data, text.size);
    } else {
      fine = json_skip(&r->in);
    }
    if (!fine) return false;
  }
  if (r->in.wrong) return false;
  if (!json_at_end(&r->in)) return json_fail(&r->in, "the end");
  if (!has_inputs && r->call->model->input_count) return fail(r, ten_error(TEN_INVALID, "the request has no 'inputs'"));
  return true;
}

ten_status *serve_rest_read(serve_call *call) {
  TEN_TRY(serve_call_find_model(call, call->model_name, call->model_version));
  const http_fields *fields = &call->exchange->fields;
  const size_t size = fields->has_inference_length ? (size_t)fields->inference_length : call->body_size;
  if (size > call->body_size)
    return ten_error(TEN_INVALID, "Inference-Header-Content-Length is %zu, the body has %zu bytes", size,
                     call->body_size);
  reading r = {
      .call = call, .binary = call->body + size, .binary_left = call->body_size - size, .binary_outputs = false};
  ten_arena_init(&r.arena);
  r.in = json_of(call->body, size);
  const bool fine = read_request(&r);
  ten_status *status = r.status;
  if (!fine && !status) status = wrong_json(&r.in, "the request is not the JSON that was expected");
  if (!status && r.binary_left)
    status = ten_error(TEN_INVALID, "%zu bytes after the JSON belong to no input", r.binary_left);
  if (!status) status = serve_call_check(call);
  for (uint32_t i = 0; !status && !call->wishes.count && i < call->model->output_count; i++)
    status = serve_call_add_wish(call, ten_str_of(call->model->outputs[i].name), -1, NULL, 0, 0);
  for (size_t i = 0; i < call->wishes.count; i++) /* the request's default for all outputs may come last */
    if (call->wishes.data[i].binary < 0) call->wishes.data[i].binary = r.binary_outputs;
  ten_buf_free(&r.scratch);
  ten_arena_destroy(&r.arena);
  return status;
}
