/* aot_main.c: `tenfold-aot`: loads one plugin, compiles the requests on standard input, answers on the original
 * standard output. Output of the plugin goes to standard error. Not for users: `tenfold compile --target` starts it. */
#include <stdlib.h>
#include <unistd.h>

#include "backend/pjrt/aot_wire.h"
#include "backend/pjrt/client.h"
#include "base/proto.h"

static char *text_of(ten_str text) {
  ten_buf copy = {0};
  ten_buf_addstr(&copy, text);
  ten_buf_addc(&copy, 0);
  return ten_buf_take(&copy);
}

/* The first message names the plugin; the answer gives the StableHLO version it reads. */
static ten_status *hello(ten_str question, pjrt_plugin *plugin, ten_buf *answer) {
  char *path = text_of(ten_proto_bytes(question, WIRE_PLUGIN));
  aot_set_up(path);
  ten_status *status = pjrt_plugin_load(path, plugin);
  free(path);
  if (status) return status;
  ten_buf version = {0};
  ten_vhlo_version_print(&version, plugin->stablehlo);
  ten_proto_put_bytes(answer, WIRE_STABLEHLO, (ten_str){version.data, version.size});
  ten_buf_free(&version);
  return NULL;
}

static ten_status *work(ten_str question, const pjrt_plugin *plugin, ten_buf *answer) {
  char *topology = text_of(ten_proto_bytes(question, WIRE_TOPOLOGY));
  ten_aot_result result;
  ten_status *status =
      aot_compile_here(plugin, topology, ten_proto_bytes(question, WIRE_TOPOLOGY_OPTIONS),
                       ten_proto_bytes(question, WIRE_PROGRAM), ten_proto_bytes(question, WIRE_OPTIONS), &result);
  if (!status) {
    wire_put_result(answer, &result);
    ten_aot_result_free(&result);
  }
  free(topology);
  return status;
}

int main(void) {
  const int out = dup(STDOUT_FILENO);
  if (out < 0 || dup2(STDERR_FILENO, STDOUT_FILENO) < 0) return 1;
  ten_buf question = {0}, answer = {0};
  pjrt_plugin plugin = {0};
  while (wire_receive(STDIN_FILENO, &question)) {
    const ten_str text = {question.data, question.size};
    answer.size = 0;
    ten_status *status = plugin.api ? work(text, &plugin, &answer) : hello(text, &plugin, &answer);
    if (status) answer.size = 0;
    wire_put_status(&answer, status);
    ten_status_free(status);
    if (!wire_send(out, &answer)) break;
  }
  _exit(0); /* exit handlers of plugins have been seen to hang */
}
