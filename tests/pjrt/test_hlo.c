/* test_hlo.c: HLO protobufs that say little or too much are read without harm. fuzz/fuzz_hlo makes such at random. */
#include "check.h"

#include <stdio.h>

#include "backend/pjrt/hlo.h"
#include "backend/pjrt/proto.h"
#include "base/file.h"

static void put_message(ten_buf *out, uint32_t number, ten_buf *inner) {
  ten_proto_put_bytes(out, number, (ten_str){inner->data, inner->size});
  ten_buf_free(inner);
}

static void read_and_print(ten_str bytes, const char *format) {
  ten_hlo hlo;
  ten_status *status = ten_hlo_read(bytes, ten_str_of(format), &hlo);
  if (!status) {
    ten_buf text = {0};
    ten_hlo_print(&text, &hlo);
    assert_non_null(text.data);
    ten_buf_free(&text);
    ten_hlo_free(&hlo);
  }
  ten_status_free(status);
}

/* A computation without ops that the schedule nevertheless names. */
static void an_empty_computation_has_no_order(void **state) {
  (void)state;
  ten_buf module = {0}, computation = {0}, entry = {0}, sequence = {0}, schedule = {0};
  ten_proto_put_varint(&computation, 5, 7);
  put_message(&module, 3, &computation);
  ten_proto_put_varint(&entry, 1, 7);
  put_message(&entry, 2, &sequence);
  put_message(&schedule, 1, &entry);
  put_message(&module, 7, &schedule);
  ten_hlo hlo;
  check_ok(ten_hlo_read((ten_str){module.data, module.size}, TEN_STR("hlo"), &hlo));
  assert_int_equal(hlo.count, 1);
  assert_int_equal(hlo.computations[0].count, 0);
  ten_hlo_free(&hlo);
  read_and_print((ten_str){module.data, module.size}, "hlo");
  ten_buf_free(&module);
}

/* A dimension that would not fit 64 bits once it is padded to its tile stays as it is. */
static void a_tile_does_not_overflow(void **state) {
  (void)state;
  ten_buf module = {0}, computation = {0}, op = {0}, shape = {0}, layout = {0}, tile = {0};
  ten_proto_put_varint(&tile, 1, 8);
  ten_proto_put_varint(&layout, 1, 0);
  put_message(&layout, 6, &tile);
  ten_proto_put_varint(&shape, 2, 11);
  ten_proto_put_varint(&shape, 3, INT64_MAX);
  put_message(&shape, 5, &layout);
  put_message(&op, 3, &shape);
  put_message(&computation, 2, &op);
  put_message(&module, 3, &computation);
  read_and_print((ten_str){module.data, module.size}, "hlo");
  ten_buf_free(&module);
}

static void what_crashed_is_read(void **state) {
  (void)state;
  ten_file file;
  ten_status *status =
      ten_file_map(TEN_FINDINGS "/06-hlo-proto/crash-hlo-crash-3d9928e62bdcb2ef2d6048871b53b207f6684c92", &file);
  if (status) { /* it lies beside the checkout, not in it */
    ten_status_free(status);
    skip();
  }
  const ten_str bytes = ten_file_bytes(&file);
  read_and_print(bytes, "hlo");
  read_and_print((ten_str){bytes.data + 1, bytes.size - 1}, bytes.data[0] & 1 ? "hlo_with_config" : "hlo");
  ten_file_unmap(&file);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(an_empty_computation_has_no_order),
                                     cmocka_unit_test(a_tile_does_not_overflow),
                                     cmocka_unit_test(what_crashed_is_read)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
