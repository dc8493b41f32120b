/* dump.c: with TENFOLD_TPU_SIM_DUMP the simulated TPU writes what it was given into that folder: every program as
 * FINGERPRINT.mlir, StableHLO as it came, and for every run on one device its operands and results,
 * run00012.FINGERPRINT.in0.npy, .out0.npy: `tenfold run FINGERPRINT.mlir --input …` does it again, and so can XLA. */
#include <errno.h>
#include <stdatomic.h>
#include <sys/stat.h>

#include "base/environment.h"
#include "base/npy.h"
#include "ir/text/text.h"
#include "plugin/plugin.h"

static const char *folder_of(const PJRT_Client *client) {
  return client->simulation ? ten_env_text(TEN_ENV_TPU_SIM_DUMP) : NULL;
}

ten_status *plugin_dump_program(const PJRT_Client *client, const ten_module *module, const ten_buf *fingerprint) {
  const char *folder = folder_of(client);
  if (!folder) return NULL;
  if (mkdir(folder, 0777) && errno != EEXIST) return ten_error(TEN_IO, "cannot make the folder %s", folder);
  ten_buf path = {0}, text = {0};
  ten_buf_printf(&path, "%s/%.*s.mlir", folder, (int)fingerprint->size, fingerprint->data);
  ten_text_print(&text, module, NULL);
  ten_status *status = ten_file_write_atomic(path.data, text.data, text.size);
  ten_buf_free(&path), ten_buf_free(&text);
  return status;
}

static ten_status *write_values(const plugin_program *p, const char *folder, unsigned run, const char *what,
                                ten_tensor *const *values, size_t count) {
  ten_buf path = {0};
  ten_status *status = NULL;
  for (size_t i = 0; i < count && !status; i++) {
    const ten_tensor *value = values[i];
    if (value->kind != TEN_VALUE_TENSOR) continue;
    path.size = 0;
    ten_buf_printf(&path, "%s/run%05u.%.*s.%s%zu.npy", folder, run, (int)p->fingerprint.size, p->fingerprint.data, what,
                   i);
    status = ten_npy_write(path.data, value->dtype, value->dims, value->rank, value->data);
  }
  ten_buf_free(&path);
  return status;
}

ten_status *plugin_dump_operands(const plugin_program *p, ten_tensor *const *values, unsigned *run) {
  const char *folder = folder_of(p->client);
  if (!folder) return NULL;
  *run = atomic_fetch_add(&p->client->simulation->dumped, 1);
  return write_values(p, folder, *run, "in", values, p->input_count);
}

ten_status *plugin_dump_results(const plugin_program *p, ten_tensor *const *values, unsigned run) {
  const char *folder = folder_of(p->client);
  return folder ? write_values(p, folder, run, "out", values, p->output_count) : NULL;
}
