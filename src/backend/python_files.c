/* python_files.c: the search covers the Python environments that a user would expect. */
#include "backend/python_files.h"

#include <glob.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/arena.h"

/* The first file that matches, copied. */
static char *match(const char *pattern) {
  glob_t found;
  char *path = NULL;
  if (!glob(pattern, 0, NULL, &found) && found.gl_pathc) path = ten_strdup(found.gl_pathv[0]);
  globfree(&found);
  return path;
}

typedef struct search {
  const char *const *files;
  char *found;   /* owned */
  ten_buf tried; /* folders, for the message */
} search;

static void look_in(search *s, const char *site) {
  for (size_t i = 0; !s->found && i < TEN_PYTHON_FILES_MOST && s->files[i]; i++) {
    ten_buf pattern = {0};
    ten_buf_printf(&pattern, "%s/%s", site, s->files[i]);
    s->found = match(pattern.data);
    ten_buf_free(&pattern);
  }
  ten_buf_printf(&s->tried, "%s%s", s->tried.size ? ", " : "", site);
}

/* Searches an environment: the site-packages of whichever Python it has. */
static void look_in_environment(search *s, const char *environment) {
  ten_buf pattern = {0};
  ten_buf_printf(&pattern, "%s/lib/python3*/site-packages", environment);
  look_in(s, pattern.data);
  ten_buf_free(&pattern);
}

/* The folder of the first `python3` in PATH; symlinks stay unresolved: a virtual environment's point out of it. */
static void look_on_path(search *s) {
  for (const char *at = getenv("PATH"); at && *at && !s->found;) {
    const size_t size = strcspn(at, ":");
    ten_buf folder = {0};
    ten_buf_printf(&folder, "%.*s/python3", (int)size, at);
    const bool there = size && !access(folder.data, X_OK);
    ten_buf_free(&folder);
    if (there) {
      ten_buf_printf(&folder, "%.*s/..", (int)size, at);
      look_in_environment(s, folder.data);
      ten_buf_free(&folder);
      return;
    }
    at += size + (at[size] == ':');
  }
}

static void look_around(search *s) {
  const char *path = getenv("PYTHONPATH");
  for (const char *at = path; at && *at && !s->found;) {
    const char *end = strchr(at, ':');
    const size_t size = end ? (size_t)(end - at) : strlen(at);
    ten_buf folder = {0};
    ten_buf_add(&folder, at, size);
    ten_buf_addc(&folder, 0);
    if (size) look_in(s, folder.data);
    ten_buf_free(&folder);
    at = end ? end + 1 : NULL;
  }
  const char *active = getenv("VIRTUAL_ENV");
  if (active && !s->found) look_in_environment(s, active);
  look_on_path(s);
  char here[4096];
  const ssize_t size = readlink("/proc/self/exe", here, sizeof here - 1);
  for (ssize_t i = size, level = 0; i > 0 && level < 5 && !s->found; level++) { /* the project's environment */
    while (i > 0 && here[--i] != '/') continue;
    ten_buf folder = {0};
    ten_buf_printf(&folder, "%.*s/.venv", (int)i, here);
    if (!access(folder.data, X_OK)) look_in_environment(s, folder.data);
    ten_buf_free(&folder);
  }
  static const char *const systems[] = {"/usr/local", "/usr"};
  for (size_t i = 0; i < 2 && !s->found; i++) {
    look_in_environment(s, systems[i]);
    ten_buf folder = {0};
    ten_buf_printf(&folder, "%s/lib/python3*/dist-packages", systems[i]);
    if (!s->found) look_in(s, folder.data);
    ten_buf_free(&folder);
  }
  const char *home = getenv("HOME");
  if (home && !s->found) {
    ten_buf folder = {0};
    ten_buf_printf(&folder, "%s/.local", home);
    look_in_environment(s, folder.data);
    ten_buf_free(&folder);
  }
}

/* The file that the variable names, which must exist. */
static ten_status *take_named(ten_env variable, const char *said, char **out_path) {
  if (access(said, R_OK))
    return ten_error(TEN_NOT_FOUND, "%s is %s, which does not exist", ten_env_rows[variable].name, said);
  *out_path = ten_strdup(said);
  return NULL;
}

ten_status *ten_python_file_find(ten_env variable, const char *const files[TEN_PYTHON_FILES_MOST], const char *get,
                                 char **out_path) {
  *out_path = NULL;
  const char *said = ten_env_text(variable);
  if (said) return take_named(variable, said, out_path);
  search s = {.files = files};
  look_around(&s);
  ten_status *status = NULL;
  if (!s.found)
    status = ten_error(TEN_NOT_FOUND, "%s was not found (%s; %s says where it is otherwise); looked in %s",
                       strrchr(files[0], '/') + 1, get, ten_env_rows[variable].name, s.tried.data);
  *out_path = s.found;
  ten_buf_free(&s.tried);
  return status;
}
