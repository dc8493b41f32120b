/* migrate.c: the public calls: a text in, a text out, and what was said about it. */
#include "tenfold/migrate.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "check.h"
#include "migrate/rule.h"

static ten_migration *migrated(const char *text, ten_migrate_target target) {
  const ten_migrate_options options = {.size = sizeof options, .target = target};
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

/* A device by its number makes it a program of an accelerator, in the first run as in the second. */
static void a_number_places(void **state) {
  (void)state;
  becomes("import torch\nm = torch.nn.Linear(2, 2).to(1)\ntorch.save(m.state_dict(), 'm.pt')\n",
          "import torch\nimport torch_xla\nimport torch_xla.core.xla_model as xm\n"
          "m = torch.nn.Linear(2, 2).to(torch_xla.device())\nxm.save(m.state_dict(), 'm.pt')\n",
          TEN_TARGET_TORCH_XLA);
}

/* A name that only looks like a tensor type of torch.cuda cannot be replaced, so what it makes is not moved either. */
static void other_names_of_torch_cuda_are_no_tensor_types(void **state) {
  (void)state;
  const char *before = "import torch\nx = torch.cuda.MyTensor([1])\ny = torch.zeros(2).type(torch.cuda.a.bTensor)\n";
  for (int target = TEN_TARGET_TORCH_XLA; target <= TEN_TARGET_TORCH_TPU; target++) {
    ten_migration *migration = migrated(before, (ten_migrate_target)target);
    assert_int_equal(ten_migration_file_state(migration, 0), TEN_FILE_UNCHANGED);
    ten_migration_destroy(migration);
  }
  ten_migration *migration = migrated("import torch\nx = torch.cuda.sparse.FloatTensor(2, 2)\n", TEN_TARGET_TORCH_XLA);
  assert_int_equal(ten_migration_file_state(migration, 0), TEN_FILE_UNCHANGED);
  assert_true(ten_migration_needs_human(migration));
  ten_migration_destroy(migration);
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

static void refuses_uneven_indentation(void **state) {
  (void)state;
  ten_migration *migration =
      migrated("import torch\ndef f():\n    x = 1\n  torch.cuda.set_device(x)\n    return x\n", TEN_TARGET_TORCH_XLA);
  assert_int_equal(ten_migration_file_state(migration, 0), TEN_FILE_FAILED);
  assert_non_null(strstr(ten_migration_file_error(migration, 0), "program.py:4:3"));
  ten_migration_destroy(migration);
  /* as Python takes it */
  becomes("import torch\nif 1:\n\tx = 1; \\\n  y = 2\n\tz = torch.zeros(1,\n device='cuda')\n # end\nelse: x = 2\n",
          "import torch\nimport torch_xla\nif 1:\n\tx = 1; \\\n  y = 2\n"
          "\tz = torch.zeros(1,\n device='xla')\n # end\nelse: x = 2\n",
          TEN_TARGET_TORCH_XLA);
}

static void refuses_a_repeated_keyword(void **state) {
  (void)state;
  ten_migration *migration =
      migrated("import torch\nf = torch.compile(g, mode='a',\n  mode='b')\n", TEN_TARGET_TORCH_XLA);
  assert_int_equal(ten_migration_file_state(migration, 0), TEN_FILE_FAILED);
  assert_non_null(strstr(ten_migration_file_error(migration, 0), "program.py:3:3"));
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
  ten_migrate_note note = {.size = sizeof note};
  check_ok(ten_migration_note(migration, 0, 0, &note));
  assert_int_equal(note.kind, TEN_NOTE_RECOMPILE);
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
  const ten_migrate_options options = {.size = sizeof options, .ask = refuse, .ask_user = &asked};
  ten_migration *migration = NULL;
  const char *text = "import torch\nx = torch.zeros(2).cuda()\n";
  check_ok(ten_migrate_text("program.py", text, strlen(text), &options, &migration));
  assert_int_equal(asked, 1);
  assert_int_equal(ten_migration_file_state(migration, 0), TEN_FILE_UNCHANGED);
  ten_migration_destroy(migration);
}

/* Python itself does not compile such a chain; rules would look through all of it from each of its links. */
static void a_chain_of_calls_too_long_is_refused(void **state) {
  (void)state;
  ten_buf text = {0};
  ten_buf_adds(&text, "import torch\nx = a");
  for (int i = 0; i < 40000; i++) ten_buf_adds(&text, ".b()");
  ten_buf_adds(&text, "\n");
  ten_migration *migration = migrated(text.data, TEN_TARGET_TORCH_XLA);
  assert_int_equal(ten_migration_file_state(migration, 0), TEN_FILE_FAILED);
  assert_non_null(
      strstr(ten_migration_file_error(migration, 0), "line 2: expressions and blocks are nested deeper than"));
  ten_migration_destroy(migration);
  ten_buf_free(&text);
  migration = migrated("import torch\nx = a.b().b().b().b().b().b().b().b()\n", TEN_TARGET_TORCH_XLA);
  assert_int_equal(ten_migration_file_state(migration, 0), TEN_FILE_UNCHANGED);
  ten_migration_destroy(migration);
}

static ten_status *with_rules(const char *yaml, ten_migration **out) {
  char path[] = "/tmp/tenfold-rules-XXXXXX";
  const int fd = mkstemp(path);
  assert_true(fd >= 0);
  assert_int_equal(write(fd, yaml, strlen(yaml)), strlen(yaml));
  close(fd);
  static const char text[] = "import torch\nimport our_lib\nd = our_lib.pick_device(3)\n";
  const ten_migrate_options options = {.size = sizeof options, .target = TEN_TARGET_TORCH_XLA, .user_rules = path};
  ten_status *status = ten_migrate_text("program.py", text, sizeof text - 1, &options, out);
  unlink(path);
  return status;
}

static void rules_of_the_user_are_named_in_the_report(void **state) {
  (void)state;
  ten_migration *migration;
  check_ok(
      with_rules("rules:\n- id: 9001\n  name: our-device-name\n  pattern: our_lib.pick_device($N)\n"
                 "  replacement: torch_xla.device()\n  why: our helper knows only CUDA\n",
                 &migration));
  assert_int_equal(ten_migration_file_state(migration, 0), TEN_FILE_CHANGED);
  bool named = false;
  for (size_t i = 0; i < ten_migration_change_count(migration, 0); i++) {
    ten_migrate_change change = {.size = sizeof change};
    check_ok(ten_migration_change(migration, 0, i, &change));
    named |= change.rule == 9001 && !strcmp(change.name, "our-device-name") &&
             !strcmp(change.reason, "our helper knows only CUDA");
  }
  assert_true(named);
  ten_migration_destroy(migration);
}

static void deep_yaml_is_refused(void **state) {
  (void)state;
  ten_buf yaml = {0};
  ten_buf_adds(&yaml, "rules: ");
  for (int i = 0; i < 40000; i++) ten_buf_addc(&yaml, '[');
  ten_migration *migration;
  ten_status *status = with_rules(yaml.data, &migration);
  assert_non_null(status);
  assert_non_null(strstr(ten_status_text(status), "nested deeper than 4"));
  ten_status_free(status);
  ten_buf_free(&yaml);
}

static void every_rule_of_a_kind_is_applied(void **state) {
  (void)state;
  enum { COUNT = 60 };
  static ten_rewrite_rule family[COUNT + 1];
  for (unsigned i = 0; i < COUNT; i++)
    family[i] = (ten_rewrite_rule){.number = 7000 + i, .name = "rule", .targets = FOR_BOTH, .kinds = {PY_CALL}};
  const ten_rewrite_rule *const families[] = {family, NULL};
  const ten_migrate_options options = {.size = sizeof options};
  const ten_rewrite rw = {.options = &options, .xla = true};
  ten_rules_by_kind rules = {0};
  ten_rules_sort(&rw, families, &rules);
  assert_int_equal(rules.of[PY_CALL].count, COUNT);
  assert_ptr_equal(rules.of[PY_CALL].data[COUNT - 1], &family[COUNT - 1]);
  ten_rules_by_kind_free(&rules);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(rewrites_for_both_targets),
      cmocka_unit_test(other_names_of_torch_cuda_are_no_tensor_types),
      cmocka_unit_test(keeps_line_ends_and_marks),
      cmocka_unit_test(leaves_other_programs_alone),
      cmocka_unit_test(says_what_does_not_parse),
      cmocka_unit_test(refuses_a_repeated_keyword),
      cmocka_unit_test(refuses_uneven_indentation),
      cmocka_unit_test(a_number_places),
      cmocka_unit_test(a_chain_of_calls_too_long_is_refused),
      cmocka_unit_test(rules_of_the_user_are_named_in_the_report),
      cmocka_unit_test(deep_yaml_is_refused),
      cmocka_unit_test(every_rule_of_a_kind_is_applied),
      cmocka_unit_test(reports_in_every_format),
      cmocka_unit_test(asks_before_each_change),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
