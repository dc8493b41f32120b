/* fuzz_hlo.c: any bytes as an HloModuleProto, or a message made from them whose lengths are right at every level, which
 * bytes that are changed one by one never have. What is read is printed and counted. */
#include "backend/pjrt/hlo.h"
#include "base/proto.h"
#include "input.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { DEPTH_MAX = 6, FIELDS_MAX = 40, MESSAGE_MAX = 1 << 16 };

/* Fields of HloModuleProto and what it holds, so that most are known to the reader. */
static const uint8_t numbers[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 11, 14, 15, 17, 26, 28, 35, 36, 38, 49, 87, 92};

static const char *const words[] = {"parameter",       "while", "fusion", "constant", "all-reduce",
                                    "all-reduce-done", "tuple", "main",   ""};

static void message(fuzz_bytes *in, ten_buf *out, uint32_t depth) {
  for (uint32_t i = 0, count = fuzz_byte(in) % FIELDS_MAX; i < count && in->size && out->size < MESSAGE_MAX; i++) {
    const uint32_t choice = fuzz_byte(in), way = choice % 8;
    const uint32_t number = choice >= 250 ? fuzz_byte(in) : numbers[fuzz_byte(in) % sizeof numbers];
    if (way < 3 && depth < DEPTH_MAX) {
      ten_buf inner = {0};
      message(in, &inner, depth + 1);
      ten_proto_put_bytes(out, number, (ten_str){inner.data, inner.size});
      ten_buf_free(&inner);
    } else if (way < 6) {
      ten_proto_put_varint(out, number, fuzz_number(in));
    } else if (way == 6) {
      ten_proto_put_bytes(out, number, ten_str_of(words[fuzz_byte(in) % (sizeof words / sizeof *words)]));
    } else {
      ten_proto_put_bytes(out, number, fuzz_text(in, 64));
    }
  }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  fuzz_bytes in = {data, size};
  const uint32_t way = fuzz_byte(&in);
  ten_buf made = {0};
  if (way & 2) message(&in, &made, 0);
  const ten_str bytes = way & 2 ? (ten_str){made.data, made.size} : (ten_str){(const char *)in.data, in.size};
  ten_hlo hlo;
  ten_status *status = ten_hlo_read(bytes, way & 1 ? TEN_STR("hlo_with_config") : TEN_STR("hlo"), &hlo);
  if (!status) {
    ten_buf text = {0};
    ten_hlo_print(&text, &hlo);
    ten_hlo_collective found[TEN_HLO_COLLECTIVES];
    (void)ten_hlo_collectives(&hlo, found);
    const ten_hlo_op *largest[8];
    (void)ten_hlo_largest(&hlo, largest, 8);
    ten_buf_free(&text);
    ten_hlo_free(&hlo);
  }
  ten_status_free(status);
  ten_buf_free(&made);
  return 0;
}
