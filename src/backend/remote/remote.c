/* remote.c: compiling and running on a remote device. Small inputs travel in the request and small results in its
 * answer; larger ones are uploaded before and downloaded after the call, in parts. Held state stays on the server. */
#include "backend/remote/remote.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/file.h"
#include "base/proto.h"
#include "ir/bytecode/bytecode.h"
#include "transform/pass/isolate.h"

enum {
  SMALL = 64 << 10, /* bytes of a tensor that travels inside a message */
  TINY = 256        /* of a value of the state that does: a counter, not a bias, of which a model has hundreds */
};

/* A value of the state: on the server under its number, or local because it is small. */
typedef struct remote_value {
  uint64_t number;   /* 0: local */
  ten_tensor *value; /* retained */
} remote_value;

typedef struct remote_program {
  ten_executable base; /* first */
  remote_device *device;
  uint64_t number, connection; /* the server's id, and the connection it is valid on */
  remote_value *held;          /* owned: the first arguments, which are returned as the first results */
  size_t held_count;
  ten_executable *local; /* owned: of a compiled file, provides the signature; or NULL */
} remote_program;

/* Tokens and tuples are local to this process. */
static ten_status *tensors_only(const ten_op *func) {
  const ten_type *type = ten_func_type(func);
  for (uint32_t i = 0; i < type->input_count + type->result_count; i++) {
    const ten_type *one = i < type->input_count ? type->inputs[i] : type->results[i - type->input_count];
    if (!ten_type_is_tensor(one) || !ten_type_is_static(one))
      return ten_op_error(func, TEN_UNSUPPORTED, "a remote device takes and gives tensors of known shapes");
  }
  return NULL;
}

ten_status *remote_compile(const ten_backend *self, ten_module *module, const ten_op *func,
                           const ten_settings *settings, ten_executable **out_executable) {
  TEN_TRY(tensors_only(func));
  ten_buf artifact = {0}, request = {0}, answer = {0};
  const ten_str entry = ten_func_name(func);
  ten_module *alone = NULL; /* what the function does not need is not sent: initial values of a training step */
  ten_op *copy = NULL;
  uint64_t connection = 0;
  ten_status *status = ten_isolate(module, func, NULL, &alone, &copy);
  if (!status) status = ten_bytecode_write(alone, ten_vhlo_version_current, &artifact);
  if (!status) {
    ten_proto_put_bytes(&request, 1, (ten_str){artifact.data, artifact.size});
    ten_proto_put_bytes(&request, 2, entry);
    if (settings->precision != TEN_PRECISION_DEFAULT)
      ten_proto_put_bytes(&request, 3, ten_str_of(ten_precision_name(settings->precision)));
    if (settings->exact_conv) ten_proto_put_varint(&request, 4, 1);
    ten_buf_free(&artifact);
    status = ten_remote_call((remote_device *)(uintptr_t)self, "Compile", &request, 0, &answer, &connection);
  }
  if (!status) {
    remote_program *program = ten_alloc(sizeof *program);
    *program = (remote_program){.device = (remote_device *)(uintptr_t)self,
                                .number = ten_proto_varint((ten_str){answer.data, answer.size}, 1, 0),
                                .connection = connection};
    *out_executable = &program->base;
  }
  if (alone) ten_module_destroy(alone);
  ten_buf_free(&artifact);
  ten_buf_free(&request);
  ten_buf_free(&answer);
  return status;
}

ten_status *ten_remote_send(const ten_backend *self, const char *path, ten_executable *local,
                            ten_executable **out_executable) {
  *out_executable = NULL;
  ten_file file;
  ten_status *status = ten_file_map(path, &file);
  ten_buf request = {0}, answer = {0};
  uint64_t connection = 0;
  if (!status) {
    ten_proto_put_bytes(&request, 1, ten_file_bytes(&file));
    ten_proto_put_varint(&request, 5, 1);
    ten_file_unmap(&file);
    status = ten_remote_call((remote_device *)(uintptr_t)self, "Compile", &request, 0, &answer, &connection);
  }
  if (!status) {
    remote_program *program = ten_alloc(sizeof *program);
    *program = (remote_program){.base = *local,
                                .device = (remote_device *)(uintptr_t)self,
                                .number = ten_proto_varint((ten_str){answer.data, answer.size}, 1, 0),
                                .connection = connection,
                                .local = local};
    program->base.backend = self;
    program->base.face = NULL;
    *out_executable = &program->base;
  } else {
    ten_executable_release(local);
  }
  ten_buf_free(&request);
  ten_buf_free(&answer);
  return status;
}

static void put_tensor(ten_buf *out, uint32_t number, const ten_tensor *tensor) {
  ten_buf inner = {0};
  ten_proto_put_bytes(&inner, 1, ten_str_of(ten_dtype_name(tensor->dtype)));
  for (uint32_t d = 0; d < tensor->rank; d++) ten_proto_put_varint(&inner, 2, (uint64_t)tensor->dims[d]);
  ten_proto_put_bytes(&inner, 3, (ten_str){tensor->data, tensor->bytes});
  ten_proto_put_bytes(out, number, (ten_str){inner.data, inner.size});
  ten_buf_free(&inner);
}

/* An argument on the server is freed by the call, even if it fails. */
static void put_argument(ten_buf *request, uint64_t number, const ten_tensor *value) {
  ten_buf argument = {0};
  if (number) {
    ten_proto_put_varint(&argument, 1, number);
    ten_proto_put_varint(&argument, 3, 1);
  } else {
    put_tensor(&argument, 2, value);
  }
  ten_proto_put_bytes(request, 2, (ten_str){argument.data, argument.size});
  ten_buf_free(&argument);
}

/* Uploads large inputs; `numbers` gets 0 for the others. On an error, frees what was uploaded. */
static ten_status *send_inputs(const remote_program *p, ten_tensor *const *inputs, size_t count, uint64_t *numbers) {
  ten_status *status = NULL;
  for (size_t i = 0; i < count; i++) numbers[i] = 0;
  for (size_t i = 0; i < count && !status; i++)
    if (inputs[i]->bytes > SMALL)
      status = ten_remote_upload(p->device, inputs[i], p->connection, NULL, &numbers[i], NULL);
  if (status) ten_remote_free(p->device, numbers, count, p->connection);
  return status;
}

/* Checks a result against the declared type: the server is not trusted with our memory. */
static ten_status *check_type(ten_str tensor, const ten_type *type) {
  if (ten_str_is(ten_proto_bytes(tensor, 1), ten_dtype_name(type->dtype))) return NULL;
  return ten_error(TEN_IO, "the server returned another type than %s", ten_dtype_name(type->dtype));
}

static ten_status *check_values(const ten_tensor *value) {
  const char *data = value->data;
  for (size_t i = 0; value->dtype == TEN_I1 && i < value->bytes; i++)
    if (data[i] & ~1) return ten_error(TEN_IO, "the server returned no value of i1");
  return NULL;
}

static ten_status *read_small(ten_str tensor, const ten_type *type, ten_tensor **out) {
  const ten_str data = ten_proto_bytes(tensor, 3);
  TEN_TRY(ten_tensor_create(type->dtype, type->rank, type->dims, out));
  if (data.size != (*out)->bytes)
    return ten_error(TEN_IO, "the server returned %zu bytes, the result takes %zu", data.size, (*out)->bytes);
  if (data.size) memcpy((*out)->data, data.data, data.size);
  return check_values(*out);
}

static ten_status *read_large(const remote_program *p, uint64_t number, const ten_type *type, ten_tensor **out) {
  TEN_TRY(ten_tensor_create(type->dtype, type->rank, type->dims, out));
  TEN_TRY(ten_remote_download(p->device, number, (*out)->data, (*out)->bytes, p->connection, NULL));
  return check_values(*out);
}

/* Results by number or by value; the caller owns both, even after an error. */
static ten_status *read_results(ten_str answer, const ten_type *type, remote_value *results) {
  uint32_t count = 0;
  ten_proto_field field;
  while (ten_proto_next(&answer, &field)) {
    if (field.number != 1 || field.wire != 2) continue;
    if (count == type->result_count) return ten_error(TEN_IO, "the server returned more than %u results", count);
    const ten_type *one = type->results[count];
    const ten_str tensor = ten_proto_bytes(field.bytes, 2);
    results[count].number = ten_proto_varint(field.bytes, 1, 0);
    count++;
    TEN_TRY(check_type(tensor, one));
    if (!results[count - 1].number) TEN_TRY(read_small(tensor, one, &results[count - 1].value));
  }
  if (answer.size || count != type->result_count)
    return ten_error(TEN_IO, "the server returned %u results, the program has %u", count, type->result_count);
  return NULL;
}

/* Adds the server's check results to ours. */
static void take_checks(ten_str answer, ten_checks *checks) {
  uint64_t held = ten_proto_varint(answer, 2, 0);
  ten_proto_field field;
  while (ten_proto_next(&answer, &field)) {
    if (field.number != 3 || field.wire != 2 || !held) continue;
    ten_checks_add(checks, NULL, ten_error(TEN_MISMATCH, "%.*s", TEN_FMT(field.bytes)));
    held--;
  }
  for (held = held < 1 << 20 ? held : 1 << 20; held; held--) ten_checks_add(checks, NULL, NULL);
}

static void values_free(const remote_program *p, remote_value *values, size_t count) {
  uint64_t *numbers = ten_alloc((count + 1) * sizeof *numbers);
  for (size_t i = 0; i < count; i++) {
    numbers[i] = values[i].number;
    ten_tensor_release(values[i].value);
    values[i] = (remote_value){0};
  }
  ten_remote_free(p->device, numbers, count, p->connection);
  free(numbers);
}

/* One run on the state and the inputs. `results` has room for all; the caller owns them, even after an error. */
static ten_status *run(remote_program *p, ten_tensor *const *inputs, size_t count, ten_checks *checks,
                       remote_value *results) {
  const ten_type *type = ten_func_type(p->base.func);
  ten_buf request = {0}, answer = {0};
  uint64_t *numbers = ten_alloc((count + 1) * sizeof *numbers);
  memset(results, 0, type->result_count * sizeof *results);
  ten_status *status = send_inputs(p, inputs, count, numbers);
  if (!status) {
    ten_proto_put_varint(&request, 1, p->number);
    for (size_t i = 0; i < p->held_count; i++) put_argument(&request, p->held[i].number, p->held[i].value);
    for (size_t i = 0; i < count; i++) put_argument(&request, numbers[i], inputs[i]);
    if (checks) ten_proto_put_varint(&request, 4, 1);
    ten_proto_put_varint(&request, 5, p->held_count ? TINY : SMALL);
    status = ten_remote_call(p->device, "Execute", &request, p->connection, &answer, NULL);
  }
  if (status) ten_remote_free(p->device, numbers, count, p->connection);
  if (!status) status = read_results((ten_str){answer.data, answer.size}, type, results);
  if (!status && checks) take_checks((ten_str){answer.data, answer.size}, checks);
  free(numbers);
  ten_buf_free(&request);
  ten_buf_free(&answer);
  return status;
}

/* Moves results to `outputs`, downloading those on the server. */
static ten_status *take_outputs(const remote_program *p, remote_value *results, const ten_type *const *types,
                                size_t count, ten_tensor **outputs) {
  ten_status *status = NULL;
  for (size_t i = 0; i < count && !status; i++) {
    if (results[i].number) {
      status = read_large(p, results[i].number, types[i], &outputs[i]);
    } else {
      outputs[i] = results[i].value;
      results[i].value = NULL;
    }
  }
  values_free(p, results, count);
  if (status) ten_tensors_release(outputs, count);
  return status;
}

ten_status *remote_execute(ten_executable *executable, ten_tensor *const *inputs, size_t input_count,
                           const ten_run_options *options, ten_tensor **outputs) {
  remote_program *program = (remote_program *)executable;
  const ten_type *type = ten_func_type(executable->func);
  remote_value *results = ten_alloc((type->result_count + 1) * sizeof *results);
  remote_program once = *program; /* a plain call has no state */
  once.held_count = 0;
  ten_status *status = run(&once, inputs, input_count, options ? options->checks : NULL, results);
  if (!status)
    status = take_outputs(program, results, (const ten_type *const *)type->results, type->result_count, outputs);
  else
    values_free(program, results, type->result_count);
  free(results);
  return status;
}

/* ---- state that stays on the server ------------------------------------------------------------------------------ */

ten_status *remote_hold(ten_executable *executable, ten_tensor *const *state, size_t count) {
  remote_program *p = (remote_program *)executable;
  values_free(p, p->held, p->held_count);
  free(p->held);
  p->held = ten_alloc((count + 1) * sizeof *p->held);
  memset(p->held, 0, (count + 1) * sizeof *p->held);
  p->held_count = count;
  ten_status *status = NULL;
  for (size_t i = 0; i < count && !status; i++) {
    if (state[i]->bytes > TINY)
      status = ten_remote_upload(p->device, state[i], p->connection, NULL, &p->held[i].number, NULL);
    else
      p->held[i].value = ten_tensor_retain(state[i]);
  }
  if (status) {
    values_free(p, p->held, p->held_count);
    p->held_count = 0;
  }
  return status;
}

ten_status *remote_advance(ten_executable *executable, ten_tensor *const *inputs, size_t count, ten_tensor **outputs) {
  remote_program *p = (remote_program *)executable;
  const ten_type *type = ten_func_type(executable->func);
  remote_value *results = ten_alloc((type->result_count + 1) * sizeof *results);
  ten_status *status = run(p, inputs, count, NULL, results);
  for (size_t i = 0; i < p->held_count && !status; i++) { /* the old values are freed, or were updated in place */
    ten_tensor_release(p->held[i].value);
    p->held[i] = results[i];
    outputs[i] = results[i].value ? ten_tensor_retain(results[i].value) : NULL;
  }
  const size_t rest = type->result_count - p->held_count;
  if (!status)
    status = take_outputs(p, results + p->held_count, (const ten_type *const *)type->results + p->held_count, rest,
                          outputs + p->held_count);
  else
    values_free(p, results, type->result_count);
  free(results);
  return status;
}

ten_status *remote_fetch(ten_executable *executable, size_t index, ten_tensor **out_value) {
  const remote_program *p = (const remote_program *)executable;
  const remote_value *held = &p->held[index];
  *out_value = held->value ? ten_tensor_retain(held->value) : NULL;
  if (held->value) return NULL;
  ten_status *status = read_large(p, held->number, ten_func_type(executable->func)->inputs[index], out_value);
  if (status) {
    ten_tensor_release(*out_value);
    *out_value = NULL;
  }
  return status;
}

/* The server frees the rest when the connection closes. */
void remote_destroy(ten_executable *executable) {
  remote_program *program = (remote_program *)executable;
  ten_buf request = {0}, answer = {0};
  values_free(program, program->held, program->held_count);
  free(program->held);
  ten_proto_put_varint(&request, 2, program->number);
  ten_status_free(ten_remote_call(program->device, "Free", &request, program->connection, &answer, NULL));
  ten_buf_free(&request);
  ten_buf_free(&answer);
  ten_executable_release(program->local);
  free(program);
}
