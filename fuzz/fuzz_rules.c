/* fuzz_rules.c: any bytes as a YAML file of migration rules, applied to a program; what the report says of them is read
 * to its end. */
#include <stdlib.h>

#include "input.h"
#include "tenfold/migrate.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char program[] =
    "import torch\nimport our_lib\nd = our_lib.pick_device(3, 4)\nx = torch.zeros(2).cuda()\n"
    "for i in range(3):\n  y = our_lib.step(x, i, key=d)\n";

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  char path[32];
  const int fd = fuzz_file(data, size, path);
  const ten_migrate_options options = {
      .size = sizeof options, .target = TEN_TARGET_TORCH_XLA, .comments = true, .user_rules = path};
  ten_migration *migration = NULL;
  ten_status *status = ten_migrate_text("fuzz.py", program, sizeof program - 1, &options, &migration);
  for (int format = TEN_REPORT_TEXT; format <= TEN_REPORT_DIFF && !status; format++) {
    char *report = NULL;
    status = ten_migration_report(migration, (ten_report_format)format, &report);
    free(report);
  }
  if (status) (void)ten_status_text(status);
  ten_migration_destroy(migration);
  ten_status_free(status);
  close(fd);
  return 0;
}
