/* fuzz_migrate.c: any bytes as a Python program, behind a line that makes it PyTorch's. What parses before must parse
 * after, and a second run must find nothing to do. The first byte chooses the target and whether it is a notebook. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "tenfold/migrate.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  if (!size) return 0;
  const ten_migrate_options options = {.size = sizeof options,
                                       .target = (ten_migrate_target)(data[0] & 1),
                                       .comments = data[0] & 2,
                                       .device_loader = data[0] & 4};
  const bool notebook = data[0] & 8;
  ten_buf text = {0};
  if (!notebook) ten_buf_adds(&text, "import torch\n");
  ten_buf_add(&text, data + 1, size - 1);
  ten_migration *migration = NULL, *again = NULL;
  const char *name = notebook ? "fuzz.ipynb" : "fuzz.py";
  ten_status *status = ten_migrate_text(name, text.data, text.size, &options, &migration);
  if (!status) {
    const char *error = ten_migration_file_error(migration, 0);
    if (error && strstr(error, "would not parse")) abort();
    char *report = NULL;
    for (int format = TEN_REPORT_TEXT; format <= TEN_REPORT_DIFF; format++) {
      status = ten_first_error(status, ten_migration_report(migration, (ten_report_format)format, &report));
      free(report);
    }
    size_t after_size = 0;
    const char *after = ten_migration_file_after(migration, 0, &after_size);
    if (ten_migration_file_state(migration, 0) == TEN_FILE_CHANGED) {
      status = ten_first_error(status, ten_migrate_text(name, after, after_size, &options, &again));
      if (again && ten_migration_file_state(again, 0) != TEN_FILE_UNCHANGED) abort();
    }
  }
  ten_migration_destroy(again);
  ten_migration_destroy(migration);
  ten_status_free(status);
  ten_buf_free(&text);
  return 0;
}
