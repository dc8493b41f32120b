/* files.c: finds, reads and writes files. Writes are atomic: a file is written under a temporary name and renamed. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "migrate/encoding.h"
#include "migrate/migration.h"

static char *copy_text(const char *text) {
  ten_buf copy = {0};
  ten_buf_adds(&copy, text);
  return ten_buf_take(&copy);
}

static void add_file(ten_migration *migration, const char *path, const char *relative) {
  ten_migrated *file = ten_alloc(sizeof *file);
  memset(file, 0, sizeof *file);
  ten_arena_init(&file->arena);
  file->path = copy_text(path);
  file->relative = copy_text(relative);
  ten_vec_push(&migration->files, file);
}

void ten_migrated_clear(ten_migrated *file) {
  for (size_t i = 0; i < file->changes.count; i++) {
    free((char *)file->changes.data[i].before);
    free((char *)file->changes.data[i].after);
  }
  for (size_t i = 0; i < file->notes.count; i++) free((char *)file->notes.data[i].text);
  ten_vec_free(&file->changes);
  ten_vec_free(&file->notes);
  ten_buf_free(&file->checked);
  free(file->after);
  file->after = NULL;
  file->after_size = 0;
  file->seen = file->handled = 0;
}

void ten_migrated_destroy(ten_migrated *file) {
  ten_migrated_clear(file);
  ten_py_tree_release(file->parsed);
  ten_notebook_free(file->notebook);
  ten_arena_destroy(&file->arena);
  free(file->path);
  free(file->relative);
  free(file->before);
  free(file->raw);
  free(file->error);
  free(file);
}

static bool wanted_file(const char *name) {
  const ten_str text = ten_str_of(name);
  return ten_str_ends(text, ".py") || ten_str_ends(text, ".ipynb") || ten_str_ends(text, ".pyw");
}

static bool skipped_folder(const char *path, const char *name) {
  static const char *const names[] = {"__pycache__", "node_modules", "site-packages", "build", "dist", NULL};
  if (name[0] == '.') return true;
  for (int i = 0; names[i]; i++)
    if (!strcmp(name, names[i])) return true;
  ten_buf marker = {0}; /* a virtual environment */
  ten_buf_printf(&marker, "%s/pyvenv.cfg", path);
  const bool venv = access(marker.data, F_OK) == 0;
  ten_buf_free(&marker);
  return venv;
}

enum { DATA_MAX = 64 << 20 }; /* larger files are not configuration, and are not copied */

static bool is_data_file(const char *name) {
  const ten_str text = ten_str_of(name);
  return name[0] != '.' && !ten_str_ends(text, ".pyc") && !ten_str_ends(text, ".orig");
}

static void add_data_file(ten_migration *migration, const char *path, size_t root_size, size_t size) {
  ten_vec_push(&migration->data_files, (ten_data_file){copy_text(path), root_size, size > DATA_MAX});
}

/* What a folder is searched for, and for which migration. */
typedef struct collection {
  ten_migration *migration;
  const struct stat *output; /* skipped, so that a second run does not read the output of the first; NULL: none */
  size_t root_size;
} collection;

static int by_name(const struct dirent **a, const struct dirent **b) { return strcmp((*a)->d_name, (*b)->d_name); }

/* Symbolic links to folders are not followed: links may form a loop. */
static void collect_folder(const collection *into, const char *folder, int depth) {
  ten_migration *migration = into->migration;
  struct dirent **entries = NULL;
  const int count = depth > 64 ? 0 : scandir(folder, &entries, NULL, by_name);
  for (int i = 0; i < count; i++) {
    const char *name = entries[i]->d_name;
    ten_buf path = {0};
    ten_buf_printf(&path, "%s/%s", folder, name);
    struct stat link, info;
    if (strcmp(name, ".") && strcmp(name, "..") && !lstat(path.data, &link)) {
      if (S_ISDIR(link.st_mode)) {
        const bool own = into->output && link.st_ino == into->output->st_ino && link.st_dev == into->output->st_dev;
        if (!own && !skipped_folder(path.data, name)) collect_folder(into, path.data, depth + 1);
      } else if (!wanted_file(name)) {
        if (is_data_file(name) && !stat(path.data, &info) && S_ISREG(info.st_mode))
          add_data_file(migration, path.data, into->root_size, (size_t)info.st_size);
      } else {
        add_file(migration, path.data, path.data + into->root_size + 1);
        if (stat(path.data, &info)) {
          ten_migrated *file = migration->files.data[migration->files.count - 1];
          ten_migrated_fail(
              file, ten_error_at(ten_error(TEN_IO, "cannot be followed: %s", strerror(errno)), path.data, 0, 0));
        } else if (!S_ISREG(info.st_mode)) { /* a link to a folder, a socket */
          ten_migrated_destroy(migration->files.data[--migration->files.count]);
        }
      }
    }
    ten_buf_free(&path);
    free(entries[i]);
  }
  free(entries);
}

ten_status *ten_collect(const char *const *paths, size_t count, const char *output, ten_migration *migration) {
  struct stat own;
  const bool there = output && !stat(output, &own);
  for (size_t i = 0; i < count; i++) {
    ten_buf path = {0};
    ten_buf_adds(&path, paths[i]);
    while (path.size > 1 && path.data[path.size - 1] == '/') path.data[--path.size] = 0;
    struct stat info;
    if (stat(path.data, &info)) {
      const ten_code code = errno == ENOENT ? TEN_NOT_FOUND : TEN_IO;
      ten_status *status = ten_error(code, "%s: %s", path.data, strerror(errno));
      ten_buf_free(&path);
      return status;
    }
    if (S_ISDIR(info.st_mode)) {
      const size_t before = migration->files.count;
      collect_folder(&(collection){migration, there ? &own : NULL, path.size}, path.data, 0);
      if (migration->files.count == before) {
        ten_status *status = ten_error(TEN_NOT_FOUND, "%s: no .py or .ipynb file in it", path.data);
        ten_buf_free(&path);
        return status;
      }
    } else if (S_ISREG(info.st_mode)) {
      const char *base = strrchr(path.data, '/');
      add_file(migration, path.data, base ? base + 1 : path.data);
    } else {
      ten_status *status = ten_error(TEN_INVALID, "%s: neither a file nor a folder", path.data);
      ten_buf_free(&path);
      return status;
    }
    ten_buf_free(&path);
  }
  return NULL;
}

void ten_migrated_read(ten_migrated *file) {
  enum { SIZE_MAX_READ = 256 << 20 };
  if (file->error) return;
  ten_status *status = NULL;
  FILE *stream = fopen(file->path, "rb");
  if (!stream) {
    ten_migrated_fail(file, ten_error_at(ten_error(TEN_IO, "%s", strerror(errno)), file->path, 0, 0));
    return;
  }
  ten_buf text = {0};
  char chunk[65536];
  size_t got;
  while (!status && (got = fread(chunk, 1, sizeof chunk, stream)) > 0) {
    ten_buf_add(&text, chunk, got);
    if (text.size > SIZE_MAX_READ) status = ten_error(TEN_LIMIT, "larger than 256 MiB");
  }
  if (ferror(stream)) status = ten_error(TEN_IO, "%s", strerror(errno));
  fclose(stream);
  if (!text.data) ten_buf_adds(&text, "");
  file->before_size = text.size;
  file->before = ten_buf_take(&text);
  ten_buf decoded = {0};
  if (!status) status = ten_source_decode((ten_str){file->before, file->before_size}, file->encoding, &decoded);
  if (!status && file->encoding[0]) {
    file->raw = file->before;
    file->raw_size = file->before_size;
    file->before_size = decoded.size;
    file->before = ten_buf_take(&decoded);
  }
  ten_buf_free(&decoded);
  if (status) ten_migrated_fail(file, ten_error_at(status, file->path, 0, 0));
}

static ten_status *make_folders(const char *path) { /* of the file at `path` */
  ten_buf copy = {0};
  ten_buf_adds(&copy, path);
  for (char *c = copy.data + 1; *c; c++) {
    if (*c != '/') continue;
    *c = 0;
    if (mkdir(copy.data, 0777) && errno != EEXIST) {
      ten_status *status = ten_error(TEN_IO, "cannot make the folder %s: %s", copy.data, strerror(errno));
      ten_buf_free(&copy);
      return status;
    }
    *c = '/';
  }
  ten_buf_free(&copy);
  return NULL;
}

static ten_status *write_whole(const char *path, const char *text, size_t size, mode_t mode) {
  ten_buf temporary = {0};
  ten_buf_printf(&temporary, "%s.tenfold-%ld", path, (long)getpid());
  const int descriptor = open(temporary.data, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, mode);
  ten_status *status = NULL;
  if (descriptor < 0) {
    status = ten_error(TEN_IO, "cannot write %s: %s", path, strerror(errno));
  } else {
    for (size_t at = 0; at < size && !status;) {
      const ssize_t wrote = write(descriptor, text + at, size - at);
      if (wrote < 0 && errno != EINTR) status = ten_error(TEN_IO, "cannot write %s: %s", path, strerror(errno));
      if (wrote > 0) at += (size_t)wrote;
    }
    if (close(descriptor) && !status) status = ten_error(TEN_IO, "cannot write %s: %s", path, strerror(errno));
    if (!status && rename(temporary.data, path))
      status = ten_error(TEN_IO, "cannot write %s: %s", path, strerror(errno));
    if (status) unlink(temporary.data);
  }
  ten_buf_free(&temporary);
  return status;
}

static mode_t mode_of(const char *path) {
  struct stat info;
  return stat(path, &info) ? 0666 : (mode_t)(info.st_mode & 0777);
}

/* The original bytes of a file, or, if `changed`, the new ones; `space` holds them when they are generated. */
static ten_status *bytes_of(const ten_migrated *file, bool changed, ten_buf *space, ten_str *out_bytes) {
  if (!changed) {
    *out_bytes = file->raw ? (ten_str){file->raw, file->raw_size} : (ten_str){file->before, file->before_size};
    return NULL;
  }
  *out_bytes = (ten_str){file->after, file->after_size};
  if (!file->encoding[0]) return NULL;
  ten_status *status = ten_source_encode(*out_bytes, file->encoding, space);
  *out_bytes = (ten_str){space->data, space->size};
  return status;
}

static ten_status *write_version(const ten_migrated *file, bool changed, const char *target) {
  ten_buf space = {0};
  ten_str bytes = {0};
  ten_status *status = bytes_of(file, changed, &space, &bytes);
  if (status)
    status = ten_error_at(status, file->path, 0, 0);
  else
    status = write_whole(target, bytes.data ? bytes.data : "", bytes.size, mode_of(file->path));
  ten_buf_free(&space);
  return status;
}

static ten_status *write_one(const ten_migrated *file, const char *target) {
  TEN_TRY(make_folders(target));
  return write_version(file, file->state == TEN_FILE_CHANGED, target);
}

/* Whether `output` names the only file, not a folder. */
static bool is_file_name(const ten_migration *migration, const char *output) {
  return migration->files.count == 1 && wanted_file(output);
}

/* The destination of a file. The original is refused. */
static ten_status *target_of(const ten_migration *migration, const ten_migrated *file, const char *output,
                             ten_buf *out_path) {
  if (is_file_name(migration, output))
    ten_buf_adds(out_path, output);
  else
    ten_buf_printf(out_path, "%s/%s", output, file->relative);
  struct stat from, to;
  if (stat(file->path, &from) || stat(out_path->data, &to)) return NULL; /* one of them does not exist */
  if (from.st_ino == to.st_ino && from.st_dev == to.st_dev)
    return ten_error(TEN_INVALID, "%s is the original; use --in-place to overwrite it", out_path->data);
  if (S_ISDIR(to.st_mode)) return ten_error(TEN_INVALID, "%s cannot be written: it is a folder", out_path->data);
  return NULL;
}

static bool is_notebook(const char *path) { return ten_str_ends(ten_str_of(path), ".ipynb"); }

/* A name with the extension of a source is a file; it cannot hold several, nor can a notebook become a script. */
static ten_status *check_ending(const ten_migration *migration, const char *output) {
  if (!wanted_file(output)) return NULL;
  if (migration->files.count != 1)
    return ten_error(TEN_INVALID, "%s names one file, and there are %zu to write; name a folder", output,
                     migration->files.count);
  const char *source = migration->files.data[0]->path;
  if (is_notebook(source) != is_notebook(output))
    return ten_error(TEN_INVALID, "%s cannot hold %s; use the ending %s, or name a folder", output, source,
                     is_notebook(source) ? ".ipynb" : ".py");
  return NULL;
}

/* Missing folders are created; check the nearest that exists. */
static ten_status *check_folder_of(const char *path) {
  const char *slash = strrchr(path, '/');
  ten_buf folder = {0};
  ten_buf_add(&folder, slash ? path : ".", !slash || slash == path ? 1 : (size_t)(slash - path));
  ten_status *status = ten_dir_check_output(folder.data);
  ten_buf_free(&folder);
  return status;
}

ten_status *ten_collected_check_output(const ten_migration *migration, const char *output) {
  if (!*output) return ten_error(TEN_INVALID, "the name of the output is empty");
  TEN_TRY(check_ending(migration, output));
  TEN_TRY(is_file_name(migration, output) ? check_folder_of(output) : ten_dir_check_output(output));
  ten_status *status = NULL;
  for (size_t i = 0; i < migration->files.count && !status; i++) {
    ten_buf path = {0};
    status = target_of(migration, migration->files.data[i], output, &path);
    if (!status) status = check_folder_of(path.data);
    ten_buf_free(&path);
  }
  return status;
}

static ten_status *copy_data_file(const ten_data_file *file, const char *folder) {
  ten_buf target = {0};
  ten_buf_printf(&target, "%s%s", folder, file->path + file->root_size);
  struct stat from, to;
  ten_file bytes = {0};
  ten_status *status = NULL;
  const bool same =
      !stat(file->path, &from) && !stat(target.data, &to) && from.st_ino == to.st_ino && from.st_dev == to.st_dev;
  if (!same) status = make_folders(target.data);
  if (!same && !status) status = ten_file_map(file->path, &bytes);
  if (bytes.data) {
    status = write_whole(target.data, bytes.data, bytes.size, mode_of(file->path));
    ten_file_unmap(&bytes);
  }
  ten_buf_free(&target);
  return status;
}

ten_status *ten_migration_write(const ten_migration *migration, const char *folder) {
  TEN_RECOVER("writing the migrated files");
  TEN_TRY(check_ending(migration, folder));
  ten_status *first = NULL;
  for (size_t i = 0; i < migration->files.count; i++) {
    const ten_migrated *file = migration->files.data[i];
    if (!file->before) continue; /* unreadable: nothing to copy */
    ten_buf path = {0};
    ten_status *status = target_of(migration, file, folder, &path);
    first = ten_first_error(first, status ? status : write_one(file, path.data));
    ten_buf_free(&path);
  }
  for (size_t i = 0; i < migration->data_files.count && !is_file_name(migration, folder); i++)
    if (!migration->data_files.data[i].large)
      first = ten_first_error(first, copy_data_file(&migration->data_files.data[i], folder));
  return first;
}

static ten_status *back_up(const ten_migrated *file) {
  for (int i = 0; i < 1000; i++) {
    ten_buf path = {0};
    if (i)
      ten_buf_printf(&path, "%s.orig.%d", file->path, i);
    else
      ten_buf_printf(&path, "%s.orig", file->path);
    struct stat info;
    if (!lstat(path.data, &info)) {
      ten_buf_free(&path);
      continue;
    }
    ten_status *status = write_version(file, false, path.data);
    ten_buf_free(&path);
    return status;
  }
  return ten_error(TEN_LIMIT, "%s has a thousand backups already", file->path);
}

ten_status *ten_migration_write_in_place(const ten_migration *migration, bool backup) {
  TEN_RECOVER("writing the migrated files");
  for (size_t i = 0; i < migration->files.count; i++) { /* all or none: check before writing */
    const ten_migrated *file = migration->files.data[i];
    if (file->state == TEN_FILE_CHANGED && access(file->path, W_OK))
      return ten_error(TEN_IO, "%s: %s; nothing was written", file->path, strerror(errno));
  }
  for (size_t i = 0; i < migration->files.count; i++) {
    const ten_migrated *file = migration->files.data[i];
    if (file->state != TEN_FILE_CHANGED) continue;
    if (backup) TEN_TRY(back_up(file));
    char *real = realpath(file->path, NULL); /* a link stays a link */
    ten_status *status = write_version(file, true, real ? real : file->path);
    free(real);
    TEN_TRY(status);
  }
  return NULL;
}
