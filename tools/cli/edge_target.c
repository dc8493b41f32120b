/* edge_target.c: an int8 program as a TFLite file for the Edge TPU. */
#include "cli/edge_target.h"

#include <errno.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/file.h"
#include "cli/output.h"
#include "edge/graph.h"

extern char **environ;

/* Whether a program of that name is on PATH. */
static bool is_on_path(const char *name) {
  const char *path = getenv("PATH");
  for (size_t size; path && *path; path += size + (path[size] == ':')) {
    size = strcspn(path, ":");
    ten_buf file = {0};
    ten_buf_printf(&file, "%.*s/%s", (int)size, path, name);
    const bool found = size && !access(file.data, X_OK);
    ten_buf_free(&file);
    if (found) return true;
  }
  return false;
}

/* edgetpu_compiler -s -o DIR FILE; it writes DIR/NAME_edgetpu.tflite. Its output goes to stderr. */
static ten_status *call_compiler(const char *output) {
  const char *slash = strrchr(output, '/');
  ten_buf dir = {0};
  if (slash)
    ten_buf_printf(&dir, "%.*s", (int)(slash - output > 0 ? slash - output : 1), output);
  else
    ten_buf_adds(&dir, ".");
  char *argv[] = {"edgetpu_compiler", "-s", "-o", dir.data, (char *)output, NULL};
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, STDERR_FILENO, STDOUT_FILENO);
  pid_t child;
  const int error = posix_spawnp(&child, argv[0], &actions, NULL, argv, environ);
  posix_spawn_file_actions_destroy(&actions);
  ten_buf_free(&dir);
  if (error) return ten_error(TEN_IO, "edgetpu_compiler cannot be started: %s", strerror(error));
  int result;
  while (waitpid(child, &result, 0) < 0)
    if (errno != EINTR) return ten_error(TEN_IO, "edgetpu_compiler is lost: %s", strerror(errno));
  if (WIFEXITED(result) && !WEXITSTATUS(result)) return NULL;
  return ten_error(TEN_MISMATCH, "edgetpu_compiler refused %s, which is written and runs on a CPU", output);
}

static void print_placement(const edge_graph *g) {
  size_t left = 0;
  for (size_t i = 0; i < g->nodes.count; i++) left += edge_cpu_reason(g, &g->nodes.data[i]) != NULL;
  printf("%zu ops, %zu for the Edge TPU, %zu for the CPU%s\n", g->nodes.count, g->nodes.count - left, left,
         left ? ":" : "");
  for (size_t i = 0; i < g->nodes.count; i++) {
    const edge_node *n = &g->nodes.data[i];
    const char *reason = edge_cpu_reason(g, n);
    if (reason)
      printf("  %-24s %.*s: %s\n", edge_op_infos[n->kind].builtin, TEN_FMT(edge_get(g, n->output)->name), reason);
  }
  fflush(stdout); /* before anything is written */
}

static json_t *placement_json(const edge_graph *g, const char *output, size_t bytes, bool compiled) {
  json_t *ops = json_array();
  for (size_t i = 0; i < g->nodes.count; i++) {
    const edge_node *n = &g->nodes.data[i];
    const char *reason = edge_cpu_reason(g, n);
    const ten_str name = edge_get(g, n->output)->name;
    json_array_append_new(ops, json_pack("{s:s, s:o, s:b, s:s*}", "op", edge_op_infos[n->kind].builtin, "layer",
                                         cli_json_text(name), "edgetpu", !reason, "reason", reason));
  }
  return json_pack("{s:o*, s:I, s:b, s:o}", "output", output ? cli_json_text(ten_str_of(output)) : NULL, "bytes",
                   (json_int_t)bytes, "edgetpu_compiler", compiled, "ops", ops);
}

ten_status *cli_edge_compile(const ten_module *module, const ten_op *func, const char *output, bool json, bool quiet) {
  edge_graph g;
  edge_graph_init(&g);
  ten_buf bytes = {0};
  ten_status *status = edge_read(module, func, &g);
  if (!status && !json) print_placement(&g);
  if (!status) status = edge_tflite(&g, &bytes);
  if (!status && output) status = ten_file_write_atomic(output, bytes.data, bytes.size);
  const bool compiler = output && is_on_path("edgetpu_compiler");
  if (!status && compiler) status = call_compiler(output);
  if (!status && json) cli_json_print(placement_json(&g, output, bytes.size, compiler));
  if (!status && !json && output) printf("%zu bytes; written %s\n", bytes.size, output);
  if (!status && !json && output && !compiler && !quiet)
    printf("edgetpu_compiler is not on PATH: it makes of this file one that runs on the Edge TPU\n");
  ten_buf_free(&bytes);
  edge_graph_free(&g);
  return status;
}
