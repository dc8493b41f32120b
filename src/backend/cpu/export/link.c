/* link.c: finds libtenfold_model.a and a linker, and runs it. Any compiler driver will do, or a linker itself: only the
 * C library, the math library and the compiler's runtime are needed. */
#include <errno.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "backend/cpu/export/export.h"
#include "backend/cpu/export/places.h"
#include "base/arena.h"
#include "base/environment.h"
#include "base/places.h"

extern char **environ;

#define ARCHIVE "libtenfold_model.a"

static ten_status *find_archive(ten_buf *out) {
  const char *own = ten_env_text(TEN_ENV_LIBDIR);
  if (own) {
    ten_buf_printf(out, "%s/" ARCHIVE, own);
    if (!access(out->data, R_OK)) return NULL;
    return ten_error(TEN_NOT_FOUND, "TENFOLD_LIBDIR says %s, which has no " ARCHIVE, own);
  }
  char path[PATH_MAX];
  if (ten_place_find(ARCHIVE, R_OK, path)) {
    ten_buf_adds(out, path);
    return NULL;
  }
  return ten_error(
      TEN_NOT_FOUND,
      "shared objects are linked with " ARCHIVE
      ", which 'make install' installs next to the library and which is missing; set TENFOLD_LIBDIR to its folder");
}

typedef TEN_VEC(const char *) words;

/* For compiler drivers `-Wl,` passes options to the linker. */
typedef struct linker {
  const char *name;
  bool driver;
} linker;
static const linker linkers[] = {{"cc", true},  {"gcc", true},     {"clang", true},      {"clang-19", true},
                                 {"ld", false}, {"ld.lld", false}, {"ld.lld-19", false}, {"lld", false}};

static bool is_there(const char *name) {
  if (strchr(name, '/')) return !access(name, X_OK);
  const char *path = getenv("PATH");
  for (const char *at = path; at && *at;) {
    const size_t size = strcspn(at, ":");
    ten_buf full = {0};
    ten_buf_printf(&full, "%.*s/%s", (int)size, at, name);
    const bool found = size && !access(full.data, X_OK);
    ten_buf_free(&full);
    if (found) return true;
    at += size + (at[size] == ':');
  }
  return false;
}

static ten_status *find_linker(linker *out) {
  const char *wanted = getenv("CC");
  if (wanted && *wanted && is_there(wanted)) {
    *out = (linker){wanted, true};
    return NULL;
  }
  for (size_t i = 0; i < sizeof linkers / sizeof *linkers; i++)
    if (is_there(linkers[i].name)) {
      *out = linkers[i];
      return NULL;
    }
  return ten_error(
      TEN_NOT_FOUND,
      "making a shared object needs a linker, and none of cc, gcc, clang, ld and ld.lld is on the PATH (Debian: apt install binutils)");
}

/* Captures the linker's output for the error message. */
static ten_status *run(const char *const *arguments) {
  FILE *said = tmpfile();
  if (!said) return ten_error(TEN_IO, "cannot make a temporary file: %s", strerror(errno));
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, fileno(said), STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, fileno(said), STDERR_FILENO);
  pid_t child = 0;
  const int error = posix_spawnp(&child, arguments[0], &actions, NULL, (char *const *)(uintptr_t)arguments, environ);
  posix_spawn_file_actions_destroy(&actions);
  int result = 0;
  ten_status *status = NULL;
  if (error) status = ten_error(TEN_IO, "cannot run %s: %s", arguments[0], strerror(error));
  while (!error && waitpid(child, &result, 0) < 0 && errno == EINTR) continue;
  if (!status && (!WIFEXITED(result) || WEXITSTATUS(result))) {
    char text[2000];
    rewind(said);
    const size_t size = fread(text, 1, sizeof text - 1, said);
    text[size] = 0;
    status = ten_error(TEN_UNSUPPORTED, "%s could not link the shared object:\n%s", arguments[0], text);
  }
  fclose(said);
  return status;
}

static void add_driver(words *w, const char *version_script, ten_buf *script) {
  ten_buf_printf(script, "-Wl,--version-script=%s", version_script);
  ten_vec_push(w, "-shared");
  ten_vec_push(w, script->data);
  ten_vec_push(w, "-Wl,--strip-debug,--no-undefined");
}

/* A plain linker needs the paths of the libraries: the runtime ones, not those for development. */
static void add_plain(words *w, const char *version_script, ten_buf *script) {
  ten_buf_printf(script, "--version-script=%s", version_script);
  ten_vec_push(w, "-shared");
  ten_vec_push(w, script->data);
  ten_vec_push(w, "--strip-debug");
  static const char *const folders[] = {
      "-L/lib/" TEN_MULTIARCH, "-L/usr/lib/" TEN_MULTIARCH, "-L/lib64", "-L/usr/lib64", "-L/lib", "-L/usr/lib"};
  for (size_t i = 0; i < sizeof folders / sizeof *folders; i++) ten_vec_push(w, folders[i]);
}

ten_status *ten_export_link(const char *const *objects, size_t count, const char *version_script, const char *path) {
  ten_buf archive = {0}, script = {0};
  words w = {0};
  linker l = {0};
  ten_status *status = find_archive(&archive);
  if (!status) status = find_linker(&l);
  if (!status) {
    ten_vec_push(&w, l.name);
    if (!l.driver && !strcmp(l.name, "lld")) {
      ten_vec_push(&w, "-flavor");
      ten_vec_push(&w, "gnu");
    }
    (l.driver ? add_driver : add_plain)(&w, version_script, &script);
    ten_vec_push(&w, "-o");
    ten_vec_push(&w, path);
    for (size_t i = 0; i < count; i++) ten_vec_push(&w, objects[i]);
    ten_vec_push(&w, archive.data);
    static const char *const built[] = {"-lm", "-lpthread"}, *const found[] = {"-l:libm.so.6", "-l:libc.so.6",
                                                                               "-l:libgcc_s.so.1"};
    for (size_t i = 0; i < (l.driver ? sizeof built : sizeof found) / sizeof *built; i++)
      ten_vec_push(&w, l.driver ? built[i] : found[i]);
    ten_vec_push(&w, NULL);
    status = run(w.data);
  }
  ten_vec_free(&w);
  ten_buf_free(&archive);
  ten_buf_free(&script);
  return status;
}
