/* test_hlo.c: HLO protobufs that say little or too much are read without harm. fuzz/fuzz_hlo makes such at random. */
#include "check.h"

#include <stdio.h>

#include "backend/pjrt/hlo.h"
#include "base/file.h"
#include "base/proto.h"

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

/* As many stack frames, computations and names as ops: what is looked up for each op is looked up in a table. */
static void put_named(ten_buf *out, uint32_t number, const char *format, int i) {
  char text[64];
  snprintf(text, sizeof text, format, i);
  ten_proto_put_bytes(out, number, ten_str_of(text));
}

static void lines_and_names_are_found_in_tables(void **state) {
  (void)state;
  enum { COUNT = 20000 };
  ten_buf module = {0}, index = {0}, body = {0}, schedule = {0};
  for (int i = 1; i <= COUNT; i++) {
    ten_buf location = {0}, frame = {0}, op = {0}, metadata = {0}, computation = {0}, entry = {0};
    put_named(&index, 1, "file%d.py", i);
    ten_proto_put_varint(&location, 1, (uint64_t)(COUNT + 1 - i)); /* file */
    ten_proto_put_varint(&location, 3, (uint64_t)i);
    put_message(&index, 3, &location);
    ten_proto_put_varint(&frame, 1, (uint64_t)i);
    put_message(&index, 4, &frame);
    put_named(&op, 1, "op%d", i);
    ten_proto_put_varint(&op, 35, (uint64_t)i);
    ten_proto_put_varint(&op, 36, (uint64_t)(i > 1 ? i - 1 : COUNT)); /* operand */
    ten_proto_put_varint(&op, 38, (uint64_t)i);                       /* called */
    ten_proto_put_varint(&metadata, 15, (uint64_t)i);
    put_message(&op, 7, &metadata);
    put_message(&body, 2, &op);
    put_named(&computation, 1, "c%d", i);
    ten_proto_put_varint(&computation, 5, (uint64_t)i);
    put_message(&module, 3, &computation);
    ten_proto_put_varint(&entry, 1, (uint64_t)i);
    put_message(&schedule, 1, &entry);
  }
  ten_proto_put_varint(&body, 5, COUNT + 1);
  put_message(&module, 3, &body);
  ten_proto_put_varint(&module, 6, COUNT + 1);
  put_message(&module, 7, &schedule);
  put_message(&module, 17, &index);
  ten_hlo hlo;
  check_ok(ten_hlo_read((ten_str){module.data, module.size}, TEN_STR("hlo"), &hlo));
  assert_int_equal(hlo.count, COUNT + 1);
  assert_true(hlo.computations[0].fused && !hlo.computations[COUNT].fused);
  const ten_hlo_op *op = &hlo.computations[COUNT].ops[2];
  assert_int_equal(op->line, 3);
  assert_true(ten_str_is(op->file, "file19998.py"));
  ten_buf text = {0};
  ten_hlo_print(&text, &hlo);
  assert_non_null(strstr(text.data,
                         "  %op3 = ?[] (%op2), calls=%c3, "
                         "metadata={source_file=\"file19998.py\" source_line=3}\n"));
  assert_non_null(strstr(text.data, "  %op1 = ?[] (%op20000), calls=%c1, "));
  ten_buf_free(&text);
  ten_hlo_free(&hlo);
  ten_buf_free(&module);
}

/* A name is said by each op that has it as an operand: it is cut, or the text would be as long as a square. */
static void long_names_are_cut_where_they_are_said_again(void **state) {
  (void)state;
  enum { LENGTH = 100000, OPERANDS = 4000 };
  ten_buf module = {0}, body = {0}, op = {0}, name = {0};
  for (int i = 0; i < LENGTH; i++) ten_buf_addc(&name, 'n');
  put_message(&op, 1, &name);
  for (int i = 0; i < OPERANDS; i++) ten_proto_put_varint(&op, 36, 0);
  put_message(&body, 2, &op);
  put_message(&module, 3, &body);
  ten_hlo hlo;
  check_ok(ten_hlo_read((ten_str){module.data, module.size}, TEN_STR("hlo"), &hlo));
  ten_buf text = {0};
  ten_hlo_print(&text, &hlo);
  assert_in_range(text.size, LENGTH, LENGTH + OPERANDS * 1100);
  ten_buf_free(&text);
  ten_hlo_free(&hlo);
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
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(an_empty_computation_has_no_order), cmocka_unit_test(a_tile_does_not_overflow),
      cmocka_unit_test(lines_and_names_are_found_in_tables),
      cmocka_unit_test(long_names_are_cut_where_they_are_said_again), cmocka_unit_test(what_crashed_is_read)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
