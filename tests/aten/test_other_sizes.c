/* test_other_sizes.c: sizes that are made up for a program follow the expressions of its symbols; where these are not
 * understood, or do not give the sizes at hand, there are none. */
#include "check.h"

#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "front/aten/aten.h"
#include "front/import/graph.h"
#include "front/import/load.h"

/* x: s0 × 8 × s1, y: an expression, n: a number. */
static ten_import graph_of(const char *expression, const char *number) {
  char text[2048];
  snprintf(text, sizeof text,
           "{\"inputs\":[{\"as_tensor\":{\"name\":\"x\"}},{\"as_tensor\":{\"name\":\"y\"}},"
           "{\"as_sym_int\":{\"as_name\":\"n\"}}],\"outputs\":[{\"as_tensor\":{\"name\":\"x\"}}],\"nodes\":[],"
           "\"tensor_values\":{\"x\":{\"dtype\":7,\"layout\":7,\"sizes\":[{\"as_expr\":{\"expr_str\":\"s0\"}},"
           "{\"as_int\":8},{\"as_expr\":{\"expr_str\":\"s1\"}}]},\"y\":{\"dtype\":7,\"layout\":7,\"sizes\":["
           "{\"as_expr\":{\"expr_str\":\"%s\"}}]}},\"sym_int_values\":{\"n\":{\"as_expr\":{\"expr_str\":\"%s\"}}}}",
           expression, number);
  ten_import program = {0};
  check_ok(ten_graph_import(ten_str_of(text), &program.aten));
  return program;
}

typedef struct sizes {
  int64_t x[3], y, n;
} sizes;

static bool others(const ten_import *program, sizes at, ten_aten_other how, sizes *out, uint32_t *groups) {
  const ten_op *func = ten_module_entry(program->aten, TEN_STR("main"));
  ten_module *types = ten_module_create();
  const ten_aten_input inputs[] = {{.type = ten_type_tensor(types, TEN_F32, 3, at.x)},
                                   {.type = ten_type_tensor(types, TEN_F32, 1, &at.y)},
                                   {.has_number = true, .number = (double)at.n}};
  ten_aten_input found[3];
  const bool any = ten_aten_other_sizes(func, inputs, &how, types, found, groups);
  if (any) {
    memcpy(out->x, found[0].type->dims, sizeof out->x);
    out->y = found[1].type->dims[0];
    assert_true(found[2].has_number);
    out->n = (int64_t)found[2].number;
  }
  ten_module_destroy(types);
  return any;
}

static void test_expressions(void **state) {
  (void)state;
  static const struct {
    const char *text;
    int64_t here, other; /* s0 is 12 and 13, s1 is 30 and 32 */
  } cases[] = {
      {"s0 + 1", 13, 14},
      {"2*s0 - s1", -6, -1}, /* no size */
      {"s0*s1", 360, 416},
      {"s1 - s0 + 2", 20, 21},
      {"s0**2", 144, 169},
      {"((s0 + 1)//2)", 6, 7},
      {"(s1//4)*4 + Mod(s1, 4)", 30, 32},
      {"Max(1, s0)", 12, 13},
      {"Min(s1, 31)", 30, 31},
      {"-s0 + 2*s1", 48, 51},
      {"FloorDiv(s0 - 13, 2) + 5", 4, 5}, /* rounds down */
      {"Unknown(s0, 1)", 12, -1},
      {"s0 +", 12, -1},
      {"", 12, -1},
      {"s0 s1", 12, -1},
      {"s7 + 1", 12, -1},
      {"s0//(s1 - 30)", 12, -1},
      {"s0*9223372036854775807", 12, -1},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    ten_import program = graph_of(cases[i].text, "s1");
    sizes found;
    uint32_t groups;
    const int64_t here = cases[i].here < 0 ? 0 : cases[i].here;
    const bool any = others(&program, (sizes){{12, 8, 30}, here, 30}, (ten_aten_other){0}, &found, &groups);
    if (any != (cases[i].other >= 0)) print_error("%s\n", cases[i].text);
    assert_int_equal(any, cases[i].other >= 0);
    if (any) {
      assert_int_equal(found.x[0], 13);
      assert_int_equal(found.x[1], 8);
      assert_int_equal(found.x[2], 32);
      assert_int_equal(found.y, cases[i].other);
      assert_int_equal(found.n, 32);
      assert_int_equal(groups, 2);
      /* what the expression does not give at hand was not meant by it */
      assert_false(others(&program, (sizes){{12, 8, 30}, here + 1, 30}, (ten_aten_other){0}, &found, &groups));
    }
    ten_import_destroy(&program);
  }
  char deep[600];
  memset(deep, '(', sizeof deep);
  snprintf(deep + 400, sizeof deep - 400, "s0");
  ten_import program = graph_of(deep, "s1");
  sizes found;
  uint32_t groups;
  assert_false(others(&program, (sizes){{12, 8, 30}, 12, 30}, (ten_aten_other){0}, &found, &groups));
  ten_import_destroy(&program);
}

static void test_groups(void **state) {
  (void)state;
  ten_import program = graph_of("s2", "s0");
  const sizes at = {{12, 8, 30}, 13, 12};
  sizes found;
  uint32_t groups;
  assert_true(others(&program, at, (ten_aten_other){.round = 1}, &found, &groups));
  assert_int_equal(groups, 3);
  assert_true(found.x[0] >= 24 && found.x[2] >= 60 && found.y >= 26 && found.n == found.x[0]);
  assert_true(others(&program, at, (ten_aten_other){.together = true}, &found, &groups));
  assert_int_equal(groups, 2);
  assert_int_equal(found.y - found.x[0], 1);
  assert_true(found.x[0] > 12 && found.x[2] > 30);
  assert_true(others(&program, at, (ten_aten_other){.together = true, .only = 2}, &found, &groups));
  assert_true(found.x[0] == 12 && found.y == 13 && found.n == 12 && found.x[2] > 30);
  const sizes small = {{1, 8, 0}, 1, 1}; /* 0 and 1 have code of their own */
  assert_false(others(&program, small, (ten_aten_other){0}, &found, &groups));
  ten_import_destroy(&program);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_expressions), cmocka_unit_test(test_groups)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
