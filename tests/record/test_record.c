/* test_record.c: equal graphs are one program, a graph follows the program that began like it, and numbers that change
 * become its inputs. */
#include "front/record/record.h"

#include <stdlib.h>

#include "check.h"
#include "front/import/graph.h"
#include "ir/module.h"

enum { F32 = 7 };

typedef struct device {
  ten_recorder *r;
  uint32_t add, mul, full, rand, vector, scalar, line;
} device;

static device open_device(void) {
  device d = {.r = ten_recorder_create()};
  const ten_str binary[] = {TEN_STR("self"), TEN_STR("other")}, full[] = {TEN_STR("size"), TEN_STR("fill_value")};
  const int64_t shape[] = {4};
  d.add = ten_recorder_op(d.r, TEN_STR("aten.add.Tensor"), 2, binary, 0);
  d.mul = ten_recorder_op(d.r, TEN_STR("aten.mul.Scalar"), 2, binary, TEN_RECORD_MAY_PROMOTE);
  d.full = ten_recorder_op(d.r, TEN_STR("aten.full.default"), 2, full, 0);
  d.rand = ten_recorder_op(d.r, TEN_STR("aten.rand_like.default"), 1, binary, TEN_RECORD_RANDOM);
  ten_recorder_dtype(d.r, F32, TEN_STR("float32"));
  d.vector = ten_recorder_spec(d.r, F32, 1, shape, NULL, 0);
  d.scalar = ten_recorder_spec(d.r, F32, 0, NULL, NULL, 0);
  d.line = ten_recorder_line(d.r, TEN_STR("model.py"), TEN_STR("forward"), 12);
  return d;
}

static uint32_t one_result(const device *d) { return ten_recorder_results(d->r, 1, &d->vector); }

static uint32_t record(const device *d, const uint64_t *row, size_t count) {
  uint32_t results, line;
  const uint32_t key = ten_recorder_key(d->r, row, count, &results);
  if (ten_recorder_follow(d->r, row, count, &results, &line))
    return ten_recorder_add(d->r, row, count, results, TEN_RECORD_NO, TEN_RECORD_NO);
  return ten_recorder_add(d->r, row, count, one_result(d), key, d->line);
}

static uint32_t add(const device *d, uint32_t a, uint32_t b) {
  const uint64_t head = ten_record_head(TEN_RECORD_VALUE, 1), row[] = {d->add, head, a, head, b};
  return record(d, row, 5);
}

/* As a front end does it: a number that changed before is an input. */
static uint32_t mul(const device *d, uint32_t a, double number) {
  uint64_t row[] = {d->mul, ten_record_head(TEN_RECORD_VALUE, 1), a, ten_record_head(TEN_RECORD_FLOAT, 1),
                    ten_record_bits(number)};
  if (ten_recorder_is_changing(d->r, d->mul, 1, d->line)) {
    row[3] = ten_record_head(TEN_RECORD_SCALAR, 1);
    row[4] = ten_recorder_scalar(d->r, number);
  }
  return record(d, row, 5);
}

static uint32_t fill(const device *d, double number) {
  const uint64_t row[] = {d->full, ten_record_head(TEN_RECORD_INTS, 1), 4, ten_record_head(TEN_RECORD_FLOAT, 1),
                          ten_record_bits(number)};
  return record(d, row, 5);
}

/* (x + x) * number, with its result wanted; stored where it is new. */
static ten_record_program *step(const device *d, double number, ten_buf *why) {
  const uint32_t x = ten_recorder_input(d->r, d->vector), y = mul(d, add(d, x, x), number);
  ten_record_program *program = ten_recorder_find(d->r, why);
  uint64_t dropped[TEN_RECORD_PROGRAMS_MAX];
  size_t count;
  if (!program) {
    program = ten_recorder_store(d->r, dropped, &count);
    ten_record_program_add(program, 1, &y);
  }
  ten_recorder_ran(d->r, program);
  return program;
}

static void equal_graphs_are_one_program(void **state) {
  (void)state;
  const device d = open_device();
  ten_buf why = {0};
  const ten_record_program *first = step(&d, 2.0, &why);
  assert_string_equal(why.data, "first seen");
  ten_recorder_reset(d.r);
  assert_ptr_equal(step(&d, 2.0, &why), first);
  ten_recorder_reset(d.r);
  const uint32_t x = ten_recorder_input(d.r, d.vector);
  add(&d, x, x);
  assert_null(ten_recorder_find(d.r, &why)); /* one op less */
  ten_buf_free(&why);
  ten_recorder_destroy(d.r);
}

static void a_graph_follows_until_it_differs(void **state) {
  (void)state;
  const device d = open_device();
  ten_buf why = {0};
  step(&d, 2.0, &why);
  ten_recorder_reset(d.r);
  const uint32_t x = ten_recorder_input(d.r, d.vector);
  const uint64_t head = ten_record_head(TEN_RECORD_VALUE, 1), same[] = {d.add, head, x, head, x};
  uint32_t results, line;
  assert_true(ten_recorder_follow(d.r, same, 5, &results, &line));
  assert_int_equal(results, one_result(&d));
  assert_int_equal(line, d.line);
  const uint32_t y = add(&d, x, x);
  assert_int_equal(ten_recorder_node_line(d.r, 1), TEN_RECORD_NO); /* it is the program's, as yet */
  const uint64_t other[] = {d.add, head, y, head, y};
  assert_false(ten_recorder_follow(d.r, other, 5, &results, &line));
  add(&d, y, y);
  assert_int_equal(ten_recorder_node_line(d.r, 1), d.line); /* taken over */
  assert_int_not_equal(ten_recorder_node_key(d.r, 1), TEN_RECORD_NO);
  ten_buf_free(&why);
  ten_recorder_destroy(d.r);
}

static void numbers_that_change_become_inputs(void **state) {
  (void)state;
  const device d = open_device();
  ten_buf why = {0};
  step(&d, 2.0, &why);
  ten_recorder_reset(d.r);
  why.size = 0;
  ten_record_program *promoted = step(&d, 3.0, &why);
  assert_string_equal(why.data, "argument 1 of aten.mul.Scalar at model.py:12 is 3.0, before 2.0");
  size_t count;
  assert_true(ten_recorder_scalars(d.r, &count)[0] == 3.0);
  assert_int_equal(count, 1);
  for (int i = 0; i < 3; i++) { /* from now on any number is the same program */
    ten_recorder_reset(d.r);
    assert_ptr_equal(step(&d, 4.5 + i, &why), promoted);
    assert_true(ten_recorder_scalars(d.r, &count)[0] == 4.5 + i);
  }
  ten_buf_free(&why);
  ten_recorder_destroy(d.r);
}

static void a_program_returns_what_is_wanted(void **state) {
  (void)state;
  const device d = open_device();
  ten_buf why = {0};
  ten_record_program *program = step(&d, 2.0, &why);
  const uint32_t both[] = {1, 2}, first[] = {1}, last[] = {2}, input[] = {0};
  assert_int_equal(ten_record_program_executable(program, 1, last), 0);
  assert_int_equal(ten_record_program_executable(program, 1, first), -1);
  ten_record_program_add(program, 2, both);
  assert_int_equal(ten_record_program_executable(program, 1, first), 1);
  assert_int_equal(ten_record_program_executable(program, 1, last), 0);
  assert_int_equal(ten_record_program_executable(program, 1, input), -1);
  ten_buf_free(&why);
  ten_recorder_destroy(d.r);
}

static void constants_are_found(void **state) {
  (void)state;
  const device d = open_device();
  uint32_t nodes[TEN_RECORD_FOLD_MAX + 1];
  const uint32_t a = fill(&d, 1.0), b = add(&d, a, a), x = ten_recorder_input(d.r, d.vector), c = add(&d, b, x);
  assert_int_equal(ten_recorder_fold(d.r, b, false, nodes), 2);
  assert_int_equal(ten_recorder_fold(d.r, x, false, nodes), 0);
  assert_int_equal(ten_recorder_fold(d.r, c, false, nodes), 0);
  const uint64_t row[] = {d.rand, ten_record_head(TEN_RECORD_VALUE, 1), a};
  assert_int_equal(ten_recorder_fold(d.r, record(&d, row, 3), false, nodes), 0);
  assert_true(ten_recorder_is_random(d.r));
  uint32_t chain = a;
  for (int i = 0; i < TEN_RECORD_FOLD_MAX; i++) chain = add(&d, chain, a);
  assert_int_equal(ten_recorder_fold(d.r, chain, false, nodes), TEN_RECORD_FOLD_MAX + 1);
  assert_int_equal(ten_recorder_fold(d.r, add(&d, chain, a), false, nodes), 0); /* one too many */
  ten_recorder_write(d.r, a);
  assert_int_equal(ten_recorder_fold(d.r, b, false, nodes), 0);
  ten_recorder_destroy(d.r);
}

static void small_values_are_read_without_the_rest(void **state) {
  (void)state;
  const device d = open_device();
  uint32_t nodes[TEN_RECORD_FOLD_MAX + 1];
  const uint32_t x = ten_recorder_input(d.r, d.vector), a = fill(&d, 1.0), b = add(&d, x, a), c = add(&d, b, x);
  assert_int_equal(ten_recorder_fold(d.r, b, true, nodes), 3);
  assert_int_equal(ten_recorder_fold(d.r, c, true, nodes), 4);
  ten_recorder_write(d.r, b);
  assert_int_equal(ten_recorder_fold(d.r, c, true, nodes), 0);
  assert_int_equal(ten_recorder_fold(d.r, x, true, nodes), 1);
  ten_recorder_write(d.r, x); /* what is in memory is not its value any more */
  assert_int_equal(ten_recorder_fold(d.r, x, true, nodes), 0);
  ten_recorder_destroy(d.r);
}

static void types_are_stored_once(void **state) {
  (void)state;
  const device d = open_device();
  const int64_t image[] = {2, 3, 4, 5}, last[] = {60, 1, 15, 3}, rows[] = {60, 20, 5, 1}, gaps[] = {120, 40, 10, 2};
  const uint32_t plain = ten_recorder_spec(d.r, F32, 4, image, NULL, 0);
  assert_int_equal(ten_recorder_spec(d.r, F32, 4, image, rows, 0), plain);
  assert_null(ten_recorder_spec_of(d.r, plain)->order);
  const ten_record_spec *spec = ten_recorder_spec_of(d.r, ten_recorder_spec(d.r, F32, 4, image, last, 0));
  const int64_t order[] = {0, 2, 3, 1};
  assert_memory_equal(spec->order, order, sizeof order);
  assert_int_equal(spec->elements, 120);
  assert_null(ten_recorder_spec_of(d.r, ten_recorder_spec(d.r, F32, 4, image, gaps, 0))->order);
  const int64_t huge[] = {INT64_C(1) << 40, INT64_C(1) << 40};
  assert_int_equal(ten_recorder_spec_of(d.r, ten_recorder_spec(d.r, F32, 2, huge, NULL, 0))->elements, INT64_MAX);
  ten_recorder_destroy(d.r);
}

static void a_graph_is_what_the_importer_reads(void **state) {
  (void)state;
  const device d = open_device();
  const uint32_t x = ten_recorder_input(d.r, d.vector), y = mul(&d, add(&d, x, fill(&d, 0.1)), 2.5);
  ten_buf text = {0};
  ten_recorder_json(d.r, 1, &y, TEN_RECORD_NO, &text);
  ten_module *module;
  check_ok(ten_graph_import((ten_str){text.data, text.size}, &module));
  ten_module_destroy(module);
  text.size = 0;
  ten_recorder_json(d.r, 1, &y, 3, &text); /* the product alone */
  assert_non_null(strstr(text.data,
                         "{\"inputs\":[{\"as_tensor\":{\"name\":\"v2\"}}],\"outputs\":[{\"as_tensor\":"
                         "{\"name\":\"v3\"}}],\"nodes\":[{\"target\":\"aten.mul.Scalar\""));
  assert_non_null(strstr(text.data, "{\"as_float\":2.5}"));
  ten_buf_free(&text);
  ten_recorder_destroy(d.r);
}

static void the_oldest_programs_are_dropped(void **state) {
  (void)state;
  const device d = open_device();
  uint64_t dropped[TEN_RECORD_PROGRAMS_MAX];
  size_t count = 0;
  for (int i = 0; i <= TEN_RECORD_PROGRAMS_MAX; i++) {
    assert_int_equal(count, 0);
    fill(&d, i);
    ten_recorder_ran(d.r, ten_recorder_store(d.r, dropped, &count));
    ten_recorder_reset(d.r);
  }
  assert_int_equal(count, TEN_RECORD_PROGRAMS_MAX / 4);
  assert_int_equal(dropped[0], 1);
  ten_buf why = {0};
  fill(&d, 0);
  assert_null(ten_recorder_find(d.r, &why));
  ten_recorder_reset(d.r);
  fill(&d, TEN_RECORD_PROGRAMS_MAX / 4);
  assert_non_null(ten_recorder_find(d.r, &why));
  ten_buf_free(&why);
  ten_recorder_destroy(d.r);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(equal_graphs_are_one_program),
      cmocka_unit_test(a_graph_follows_until_it_differs),
      cmocka_unit_test(numbers_that_change_become_inputs),
      cmocka_unit_test(a_program_returns_what_is_wanted),
      cmocka_unit_test(constants_are_found),
      cmocka_unit_test(small_values_are_read_without_the_rest),
      cmocka_unit_test(types_are_stored_once),
      cmocka_unit_test(a_graph_is_what_the_importer_reads),
      cmocka_unit_test(the_oldest_programs_are_dropped),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
