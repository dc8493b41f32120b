/* remote.c: compiling and running on a remote device. Inputs go with the call and results come with its answer. */
#include "backend/remote/remote.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/proto.h"
#include "ir/bytecode/bytecode.h"

typedef struct remote_program {
  ten_executable base; /* first */
  remote_device *device;
  uint64_t number, connection; /* what the server calls it, and on which connection */
} remote_program;

/* Tokens and tuples are of this process. */
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
  ten_status *status = ten_bytecode_write(module, ten_vhlo_version_current, &artifact);
  uint64_t connection = 0;
  if (!status) {
    ten_proto_put_bytes(&request, 1, (ten_str){artifact.data, artifact.size});
    ten_proto_put_bytes(&request, 2, entry);
    if (settings->precision != TEN_PRECISION_DEFAULT)
      ten_proto_put_bytes(&request, 3, ten_str_of(settings->precision == TEN_PRECISION_BF16 ? "bf16" : "f32"));
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
  ten_buf_free(&artifact);
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

/* The result that the function promises, or an error: the server is not trusted with our memory. */
static ten_status *take_tensor(ten_str result, const ten_type *type, ten_tensor **out) {
  const ten_str tensor = ten_proto_bytes(result, 2), data = ten_proto_bytes(tensor, 3);
  if (!ten_str_is(ten_proto_bytes(tensor, 1), ten_dtype_name(type->dtype)))
    return ten_error(TEN_IO, "the server returned another type than %s", ten_dtype_name(type->dtype));
  TEN_TRY(ten_tensor_create(type->dtype, type->rank, type->dims, out));
  if (data.size != (*out)->bytes)
    return ten_error(TEN_IO, "the server returned %zu bytes, the result takes %zu", data.size, (*out)->bytes);
  if (data.size) memcpy((*out)->data, data.data, data.size);
  for (size_t i = 0; type->dtype == TEN_I1 && i < data.size; i++)
    if (data.data[i] & ~1) return ten_error(TEN_IO, "the server returned no value of i1");
  return NULL;
}

static ten_status *take_results(ten_str answer, const ten_type *type, ten_tensor **outputs) {
  uint32_t count = 0;
  ten_proto_field field;
  while (ten_proto_next(&answer, &field)) {
    if (field.number != 1 || field.wire != 2) continue;
    if (count == type->result_count) return ten_error(TEN_IO, "the server returned more than %u results", count);
    TEN_TRY(take_tensor(field.bytes, type->results[count], &outputs[count]));
    count++;
  }
  if (answer.size || count != type->result_count)
    return ten_error(TEN_IO, "the server returned %u results, the program has %u", count, type->result_count);
  return NULL;
}

/* What the server's checks found, counted as ours. */
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

ten_status *remote_execute(ten_executable *executable, ten_tensor *const *inputs, size_t input_count,
                           const ten_run_options *options, ten_tensor **outputs) {
  remote_program *program = (remote_program *)executable;
  const ten_type *type = ten_func_type(executable->func);
  ten_buf request = {0}, answer = {0};
  ten_proto_put_varint(&request, 1, program->number);
  for (size_t i = 0; i < input_count; i++) {
    ten_buf argument = {0};
    put_tensor(&argument, 2, inputs[i]);
    ten_proto_put_bytes(&request, 2, (ten_str){argument.data, argument.size});
    ten_buf_free(&argument);
  }
  if (options && options->checks) ten_proto_put_varint(&request, 4, 1);
  ten_status *status = ten_remote_call(program->device, "Execute", &request, program->connection, &answer, NULL);
  ten_buf_free(&request);
  if (!status) status = take_results((ten_str){answer.data, answer.size}, type, outputs);
  if (!status && options && options->checks) take_checks((ten_str){answer.data, answer.size}, options->checks);
  ten_buf_free(&answer);
  if (status) ten_tensors_release(outputs, type->result_count);
  return status;
}

/* What cannot be freed is gone with its connection. */
void remote_destroy(ten_executable *executable) {
  remote_program *program = (remote_program *)executable;
  ten_buf request = {0}, answer = {0};
  ten_proto_put_varint(&request, 2, program->number);
  ten_status_free(ten_remote_call(program->device, "Free", &request, program->connection, &answer, NULL));
  ten_buf_free(&request);
  ten_buf_free(&answer);
  free(program);
}
