/* Every file under cases/: the program above "// expect:" goes through the passes that the first line names and must
 * equal the one below. Equal means the same ops in the same order; names and spaces do not count. */
#include <stdio.h>
#include <stdlib.h>

#include "base/file.h"
#include "cases.h"
#include "ir/text/text.h"
#include "ir/verify/verify.h"
#include "transform/pass/pass.h"

static void run_passes(const char *names, ten_module *module) {
  while (*names && *names != '\n') {
    const ten_str name = {names, strcspn(names, ",\n")};
    const ten_pass *pass = ten_pass_find(name);
    if (!pass) fail_msg("no pass %.*s", TEN_FMT(name));
    const ten_pass *const list[] = {pass, NULL};
    check_ok(ten_pipeline_run(list, module, &(ten_pipeline_options){.verify_each = true}));
    names += name.size + (names[name.size] == ',');
  }
}

static void run_case(const char *path) {
  ten_file file;
  check_ok(ten_file_map(path, &file));
  static const char head[] = "// pass: ", mark[] = "// expect:\n";
  assert_true(file.size > sizeof head && !memcmp(file.data, head, sizeof head - 1));
  const char *middle = memmem(file.data, file.size, mark, sizeof mark - 1);
  assert_non_null(middle);
  const char *after = middle + sizeof mark - 1;
  ten_module *got, *want;
  check_ok(ten_text_parse(file.data, (size_t)(middle - file.data), path, &got));
  check_ok(ten_text_parse(after, file.size - (size_t)(after - file.data), path, &want));
  run_passes(file.data + sizeof head - 1, got);
  ten_buf why = {0};
  if (!ten_module_explain(got, want, &why)) {
    ten_buf text = {0};
    ten_text_print(&text, got, NULL);
    fail_msg("%s: %s\n%s", path, why.data, text.data);
  }
  ten_buf_free(&why);
  ten_module_destroy(got);
  ten_module_destroy(want);
  ten_file_unmap(&file);
}

static void test_cases(void **state) {
  (void)state;
  check_cases(CASES, 6, run_case);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_cases)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
