/* migrate.c: the public calls: a text in, a text out, and what was said about it. */
#include "tenfold/migrate.h"

#include <stdlib.h>
#include <string.h>

#include "check.h"

static ten_migration *migrated(const char *text, ten_migrate_target target) {
  const ten_migrate_options options = {.struct_size = sizeof options, .target = target};
  ten_migration *migration = NULL;
  check_ok(ten_migrate_text("program.py", text, strlen(text), &options, &migration));
  return migration;
}

static void becomes(const char *before, const char *after, ten_migrate_target target) {
  ten_migration *migration = migrated(before, target);
  assert_string_equal(ten_migration_file_after(migration, 0, NULL), after);
  ten_migration_destroy(migration);
  migration = migrated(after, target); /* a second run changes nothing */
  assert_int_equal(ten_migration_file_state(migration, 0), TEN_FILE_UNCHANGED);
  ten_migration_destroy(migration);
}

static void rewrites_for_both_targets(void **state) {
  (void)state;
  const char *before = "import torch\nx = torch.zeros(2).cuda()  # there\n";
  becomes(before, "import torch\nimport torch_xla\nx = torch.zeros(2).to(torch_xla.device())  # there\n",
          TEN_TARGET_TORCH_XLA);
  becomes(before, "import torch\nimport torch_tpu\nx = torch.zeros(2).to(\"tpu\")  # there\n", TEN_TARGET_TORCH_TPU);
}

static void keeps_line_ends_and_marks(void **state) {
  (void)state;
  becomes("\xef\xbb\xbfimport torch\r\nx = torch.ones(1).cuda()\r\n",
          "\xef\xbb\xbfimport torch\r\nimport torch_xla\r\nx = torch.ones(1).to(torch_xla.device())\r\n",
          TEN_TARGET_TORCH_XLA);
  becomes("import torch; x = torch.ones(1).cuda()",
          "import torch; import torch_xla; x = torch.ones(1).to(torch_xla.device())", TEN_TARGET_TORCH_XLA);
}

static void leaves_other_programs_alone(void **state) {
  (void)state;
  ten_migration *migration = migrated("device = 'cuda'\nprint(device)\n", TEN_TARGET_TORCH_XLA);
  assert_int_equal(ten_migration_file_state(migration, 0), TEN_FILE_NOT_TORCH);
  assert_string_equal(ten_migration_file_after(migration, 0, NULL), "device = 'cuda'\nprint(device)\n");
  ten_migration_destroy(migration);
}

static void says_what_does_not_parse(void **state) {
  (void)state;
  ten_migration *migration = migrated("import torch\ndef f(:\n  x.cuda()\n", TEN_TARGET_TORCH_XLA);
  assert_int_equal(ten_migration_file_state(migration, 0), TEN_FILE_FAILED);
  assert_non_null(strstr(ten_migration_file_error(migration, 0), "program.py:2"));
  assert_true(ten_migration_needs_human(migration));
  ten_migration_destroy(migration);
}

static void reports_in_every_format(void **state) {
  (void)state;
  ten_migration *migration =
      migrated("import torch\nx = torch.zeros(2).cuda()\ny = torch.nonzero(x)\n", TEN_TARGET_TORCH_XLA);
  for (int format = TEN_REPORT_TEXT; format <= TEN_REPORT_DIFF; format++) {
    char *text = NULL;
    check_ok(ten_migration_report(migration, (ten_report_format)format, &text));
    assert_non_null(strstr(text, "program.py"));
    free(text);
  }
  assert_int_equal(ten_migration_change_count(migration, 0), 2);
  assert_int_equal(ten_migration_note(migration, 0, 0).kind, TEN_NOTE_RECOMPILE);
  ten_migration_destroy(migration);
}

static bool refuse(void *user, const char *path, unsigned line, unsigned rule, const char *reason, const char *before,
                   const char *after) {
  (void)path, (void)line, (void)rule, (void)reason, (void)before, (void)after;
  ++*(int *)user;
  return false;
}

static void asks_before_each_change(void **state) {
  (void)state;
  int asked = 0;
  const ten_migrate_options options = {.struct_size = sizeof options, .ask = refuse, .ask_user = &asked};
  ten_migration *migration = NULL;
  const char *text = "import torch\nx = torch.zeros(2).cuda()\n";
  check_ok(ten_migrate_text("program.py", text, strlen(text), &options, &migration));
  assert_int_equal(asked, 1);
  assert_int_equal(ten_migration_file_state(migration, 0), TEN_FILE_UNCHANGED);
  ten_migration_destroy(migration);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(rewrites_for_both_targets),   cmocka_unit_test(keeps_line_ends_and_marks),
      cmocka_unit_test(leaves_other_programs_alone), cmocka_unit_test(says_what_does_not_parse),
      cmocka_unit_test(reports_in_every_format),     cmocka_unit_test(asks_before_each_change),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
