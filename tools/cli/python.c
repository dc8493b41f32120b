/* python.c: starts other programs, mainly Python. */
#include "cli/python.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/environment.h"

const char *cli_python_find(ten_buf *path) {
  const char *chosen = ten_env_text(TEN_ENV_PYTHON), *active = getenv("VIRTUAL_ENV");
  if (chosen) return chosen;
  if (active)
    ten_buf_printf(path, "%s/bin/python", active);
  else
    ten_buf_adds(path, ".venv/bin/python");
  return access(path->data, X_OK) ? "python3" : path->data;
}

/* The folder of the Python package in the checkout that this command was built in; installed ones need no path. */
static bool find_package(ten_buf *folder) {
  static const char *const below[] = {"../python", "../../../python"};
  char self[4096];
  const ssize_t size = readlink("/proc/self/exe", self, sizeof self - 1);
  char *slash = size > 0 ? (self[size] = 0, strrchr(self, '/')) : NULL;
  for (size_t i = 0; slash && i < sizeof below / sizeof *below; i++) {
    folder->size = 0;
    ten_buf_printf(folder, "%.*s/%s/tenfold/migration/verify.py", (int)(slash - self), self, below[i]);
    if (access(folder->data, R_OK)) continue;
    folder->size -= strlen("/tenfold/migration/verify.py");
    folder->data[folder->size] = 0;
    return true;
  }
  return false;
}

void cli_python_set_path(void) {
  ten_buf folder = {0};
  const char *given = getenv("PYTHONPATH");
  if (find_package(&folder)) {
    if (given && *given) ten_buf_printf(&folder, ":%s", given);
    setenv("PYTHONPATH", folder.data, 1);
  }
  ten_buf_free(&folder);
}

int cli_run_program(const char *const *argv) {
  fflush(stdout);
  const pid_t child = fork();
  if (child < 0) return -1;
  if (!child) {
    execvp(argv[0], (char *const *)argv);
    _exit(127);
  }
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}
