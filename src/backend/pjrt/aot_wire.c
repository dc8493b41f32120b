/* aot_wire.c: messages between processes of the same machine. */
#include "backend/pjrt/aot_wire.h"

#include <stdlib.h>
#include <unistd.h>

#include "base/file.h"
#include "base/proto.h"

bool wire_send(int file, const ten_buf *message) {
  const uint64_t size = message->size;
  return ten_pipe_write(file, &size, sizeof size) && ten_pipe_write(file, message->data, message->size);
}

bool wire_receive(int file, ten_buf *out_message) {
  uint64_t size;
  out_message->size = 0;
  if (!ten_pipe_read(file, &size, sizeof size) || size > UINT64_C(1) << 40) return false;
  ten_buf_reserve(out_message, (size_t)size + 1);
  if (!ten_pipe_read(file, out_message->data, (size_t)size)) return false;
  out_message->size = (size_t)size;
  out_message->data[size] = 0;
  return true;
}

void wire_put_status(ten_buf *out, const ten_status *status) {
  if (!status) return;
  ten_proto_put_varint(out, WIRE_CODE, (uint64_t)ten_status_code(status));
  ten_proto_put_bytes(out, WIRE_MESSAGE, ten_str_of(ten_status_text(status)));
}

ten_status *wire_status(ten_str message) {
  const uint64_t code = ten_proto_varint(message, WIRE_CODE, 0);
  if (!code) return NULL;
  const ten_str text = ten_proto_bytes(message, WIRE_MESSAGE);
  return ten_error(code <= TEN_INTERNAL ? (ten_code)code : TEN_INTERNAL, "%.*s", TEN_FMT(text));
}

static void put_double(ten_buf *out, uint32_t number, double value) {
  ten_proto_put_bytes(out, number, (ten_str){(const char *)&value, sizeof value});
}

static double get_double(ten_str bytes) {
  double value = 0;
  if (bytes.size == sizeof value) memcpy(&value, bytes.data, sizeof value);
  return value;
}

static ten_str bytes_of(const ten_buf *buf) { return (ten_str){buf->data, buf->size}; }

void wire_put_result(ten_buf *out, const ten_aot_result *result) {
  ten_proto_put_bytes(out, WIRE_EXECUTABLE, bytes_of(&result->executable));
  ten_proto_put_bytes(out, WIRE_SCHEDULED, bytes_of(&result->program));
  ten_proto_put_bytes(out, WIRE_FORMAT, bytes_of(&result->format));
  ten_proto_put_bytes(out, WIRE_PLATFORM, bytes_of(&result->platform));
  ten_proto_put_bytes(out, WIRE_DEVICE, bytes_of(&result->device));
  ten_proto_put_varint(out, WIRE_DEVICE_COUNT, result->device_count);
  put_double(out, WIRE_SECONDS, result->seconds);
  for (size_t i = 0; i < result->costs.count; i++) {
    ten_buf cost = {0};
    ten_proto_put_bytes(&cost, 1, ten_str_of(result->costs.data[i].name));
    put_double(&cost, 2, result->costs.data[i].value);
    ten_proto_put_bytes(out, WIRE_COST, bytes_of(&cost));
    ten_buf_free(&cost);
  }
  for (uint32_t i = 0; i < TEN_AOT_MEMORY_COUNT && result->has_memory; i++)
    ten_proto_put_varint(out, WIRE_MEMORY + i, (uint64_t)result->memory[i]);
}

void wire_result(ten_str message, ten_aot_result *result) {
  *result = (ten_aot_result){0};
  ten_proto_field field;
  while (ten_proto_next(&message, &field)) {
    switch (field.number) {
      case WIRE_EXECUTABLE: ten_buf_addstr(&result->executable, field.bytes); break;
      case WIRE_SCHEDULED: ten_buf_addstr(&result->program, field.bytes); break;
      case WIRE_FORMAT: ten_buf_addstr(&result->format, field.bytes); break;
      case WIRE_PLATFORM: ten_buf_addstr(&result->platform, field.bytes); break;
      case WIRE_DEVICE: ten_buf_addstr(&result->device, field.bytes); break;
      case WIRE_DEVICE_COUNT: result->device_count = (size_t)field.value; break;
      case WIRE_SECONDS: result->seconds = get_double(field.bytes); break;
      case WIRE_COST: {
        ten_buf name = {0};
        ten_buf_addstr(&name, ten_proto_bytes(field.bytes, 1));
        ten_buf_addc(&name, 0);
        ten_vec_push(&result->costs,
                     ((ten_aot_cost){ten_buf_take(&name), get_double(ten_proto_bytes(field.bytes, 2))}));
        break;
      }
      default:
        if (field.number < WIRE_MEMORY || field.number >= WIRE_MEMORY + TEN_AOT_MEMORY_COUNT) break;
        result->memory[field.number - WIRE_MEMORY] = (int64_t)field.value;
        result->has_memory = true;
    }
  }
}

void ten_aot_result_free(ten_aot_result *result) {
  ten_buf *const texts[] = {&result->executable, &result->program, &result->format, &result->platform, &result->device};
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) ten_buf_free(texts[i]);
  for (size_t i = 0; i < result->costs.count; i++) free(result->costs.data[i].name);
  ten_vec_free(&result->costs);
  *result = (ten_aot_result){0};
}

double ten_aot_cost_of(const ten_aot_result *result, const char *name, double otherwise) {
  for (size_t i = 0; i < result->costs.count; i++)
    if (!strcmp(result->costs.data[i].name, name)) return result->costs.data[i].value;
  return otherwise;
}
