/* file.c: whole files, read by mapping and written all or nothing. */
#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/mapped.h"

static ten_status *system_error(const char *path, const char *what) {
  const int code = errno;
  return ten_error(code == ENOENT ? TEN_NOT_FOUND : TEN_IO, "%s: %s%s%s", path, what, *what ? ": " : "",
                   strerror(code));
}

/* For files of unknown size: doubles its buffer until the end of the file. */
static ten_status *read_to_end(int fd, const char *path, ten_file *out) {
  size_t capacity = 1 << 16, size = 0;
  char *data = malloc(capacity);
  while (data) {
    const ssize_t got = read(fd, data + size, capacity - size);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) {
      ten_status *status = system_error(path, "");
      free(data);
      return status;
    }
    if (!got) {
      *out = (ten_file){.data = data, .size = size};
      return NULL;
    }
    size += (size_t)got;
    if (size < capacity) continue;
    capacity *= 2;
    char *more = realloc(data, capacity);
    if (!more) free(data);
    data = more;
  }
  return ten_error(TEN_LIMIT, "%s: more than memory holds", path);
}

static ten_status *map_descriptor(int fd, const char *path, ten_file *out) {
  struct stat info;
  if (fstat(fd, &info)) return system_error(path, "");
  if (S_ISDIR(info.st_mode)) return ten_error(TEN_INVALID, "%s: is a directory", path);
  /* Files in /proc are regular and report size 0: read them. */
  if (!S_ISREG(info.st_mode) || !info.st_size) return read_to_end(fd, path, out);
  void *data = mmap(NULL, (size_t)info.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
  if (data == MAP_FAILED) return system_error(path, "mapping");
  *out = (ten_file){.data = data, .size = (size_t)info.st_size, .mapped = true};
  out->note = ten_mapped_add(data, out->size, path);
  return NULL;
}

ten_status *ten_file_map_descriptor(int fd, const char *path, ten_file *out_file) {
  *out_file = (ten_file){0};
  return map_descriptor(fd, path, out_file);
}

ten_status *ten_file_map_open(const char *path, ten_file *out_file, int *out_fd) {
  *out_file = (ten_file){0};
  *out_fd = -1;
  if (!strcmp(path, "-")) return read_to_end(STDIN_FILENO, "standard input", out_file);
  const int fd = open(path, O_RDONLY | O_CLOEXEC);
  if (fd < 0) return system_error(path, "");
  ten_status *status = map_descriptor(fd, path, out_file);
  if (status || !out_file->mapped)
    close(fd);
  else
    *out_fd = fd;
  return status;
}

ten_status *ten_file_map(const char *path, ten_file *out_file) {
  int fd;
  ten_status *status = ten_file_map_open(path, out_file, &fd);
  if (fd >= 0) close(fd);
  return status;
}

void ten_file_release_pages(const ten_file *file) {
  if (file->mapped && file->size) madvise((void *)(uintptr_t)file->data, file->size, MADV_DONTNEED);
}

void ten_file_unmap(ten_file *file) {
  if (file->mapped) {
    ten_mapped_remove(file->note);
    munmap((void *)file->data, file->size);
  } else {
    free((void *)file->data);
  }
  *file = (ten_file){0};
}

static ten_status *write_all(int fd, const char *path, const ten_str *parts, size_t count) {
  for (size_t i = 0; i < count; i++) {
    ten_str rest = parts[i];
    while (rest.size) {
      const size_t piece = rest.size < (1 << 30) ? rest.size : 1 << 30; /* the system call writes at most 2 GiB */
      const ssize_t wrote = write(fd, rest.data, piece);
      if (wrote < 0 && errno == EINTR) continue;
      if (wrote < 0) return system_error(path, "writing");
      rest.data += wrote;
      rest.size -= (size_t)wrote;
    }
  }
  return NULL;
}

static ten_status *write_in_place(const char *path, const ten_str *parts, size_t count) {
  const int fd = open(path, O_WRONLY | O_CLOEXEC);
  if (fd < 0) return system_error(path, "");
  ten_status *status = write_all(fd, path, parts, count);
  if (close(fd) && !status) status = system_error(path, "closing");
  return status;
}

/* A rename is durable only once its directory is synced. A file system that cannot sync directories returns EINVAL;
 * nothing more can be done there. */
static ten_status *sync_directory(const char *path) {
  const char *slash = strrchr(path, '/');
  ten_buf dir = {0};
  if (slash) {
    ten_buf_add(&dir, path, slash == path ? 1 : (size_t)(slash - path));
  } else {
    ten_buf_addc(&dir, '.');
  }
  ten_status *status = NULL;
  const int fd = open(dir.data, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd < 0 || (fsync(fd) && errno != EINVAL)) status = system_error(dir.data, "syncing");
  if (fd >= 0) close(fd);
  ten_buf_free(&dir);
  return status;
}

enum { TEMPORARIES = 100, TEMPORARIES_USUAL = 8 };

static void temporary_name(const char *path, unsigned number, ten_buf *name) {
  name->size = 0;
  ten_buf_printf(name, "%s.tenfold-%u.tmp", path, number);
}

/* An unlocked temporary file was left by a process that was killed. */
static void remove_if_left(const char *name) {
  const int fd = open(name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  struct stat info, named;
  if (fd < 0) return;
  const bool left =
      !fstat(fd, &info) && S_ISREG(info.st_mode) && info.st_uid == geteuid() && !flock(fd, LOCK_EX | LOCK_NB);
  /* it may have been renamed meanwhile, and its name reused */
  if (left && !lstat(name, &named) && named.st_ino == info.st_ino && named.st_dev == info.st_dev) unlink(name);
  close(fd);
}

bool ten_file_claim(int fd) {
  struct stat info;
  flock(fd, LOCK_EX); /* without file locks, temporary files are not removed */
  if (!fstat(fd, &info) && info.st_nlink) return true;
  close(fd);
  return false;
}

/* Creates a file next to `path` and locks it; removes stale ones. Before it is locked, another process may take it for
 * a stale file and unlink it: then create another one. */
static int open_temporary(const char *path, mode_t mode, ten_buf *name) {
  for (unsigned i = 0; i < TEMPORARIES_USUAL; i++) {
    temporary_name(path, i, name);
    remove_if_left(name->data);
  }
  for (unsigned i = 0; i < TEMPORARIES; i++) {
    temporary_name(path, i, name);
    const int fd = open(name->data, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode);
    if (fd < 0 && errno != EEXIST) return -1;
    if (fd >= 0 && ten_file_claim(fd)) return fd;
  }
  return -1;
}

static ten_status *replace(const char *path, const struct stat *old, const ten_str *parts, size_t count) {
  ten_buf name = {0};
  const int fd = open_temporary(path, 0666, &name);
  if (fd < 0) {
    ten_status *status = system_error(path, "");
    ten_buf_free(&name);
    return status;
  }
  ten_status *status = write_all(fd, path, parts, count);
  if (!status && old && fchmod(fd, old->st_mode & 07777)) status = system_error(path, "setting permissions");
  if (!status) status = ten_mapped_check(); /* do not replace a whole file by one made from truncated input */
  if (!status && fsync(fd)) status = system_error(path, "syncing");
  if (!status && rename(name.data, path)) status = system_error(path, "renaming");
  if (status)
    unlink(name.data);
  else
    status = sync_directory(path);
  if (close(fd) && !status) status = system_error(path, "closing"); /* last: this releases the lock */
  ten_buf_free(&name);
  return status;
}

ten_status *ten_file_write_parts(const char *path, const ten_str *parts, size_t count) {
  struct stat old;
  const bool exists = !stat(path, &old);
  if (exists && S_ISDIR(old.st_mode)) return ten_error(TEN_INVALID, "%s: is a directory", path);
  if (exists && !S_ISREG(old.st_mode)) return write_in_place(path, parts, count);
  char *target = exists ? realpath(path, NULL) : NULL;
  ten_status *status = replace(target ? target : path, exists ? &old : NULL, parts, count);
  free(target);
  return status;
}

ten_status *ten_file_write_atomic(const char *path, const void *data, size_t size) {
  const ten_str part = {data, size};
  return ten_file_write_parts(path, &part, 1);
}

static ten_status *make_directories(const char *path, mode_t mode) {
  ten_buf part = {0};
  ten_status *status = NULL;
  for (const char *end = path; *end && !status;) {
    end += strspn(end, "/");
    end += strcspn(end, "/");
    part.size = 0;
    ten_buf_add(&part, path, (size_t)(end - path));
    if (!mkdir(part.data, mode)) continue;
    const int code = errno;
    struct stat info;
    if (stat(part.data, &info)) {
      errno = code;
      status = system_error(part.data, "making the directory");
    } else if (!S_ISDIR(info.st_mode)) {
      status = ten_error(TEN_INVALID, "%s: is not a directory", part.data);
    }
  }
  ten_buf_free(&part);
  return status;
}

ten_status *ten_dir_make(const char *path) { return make_directories(path, 0777); }
ten_status *ten_dir_make_private(const char *path) { return make_directories(path, 0700); }

/* The directory that `path` is in. */
static void parent_of(const char *path, ten_buf *out) {
  size_t size = strlen(path);
  while (size > 1 && path[size - 1] == '/') size--;
  while (size && path[size - 1] != '/') size--;
  while (size > 1 && path[size - 1] == '/') size--;
  out->size = 0;
  if (size) {
    ten_buf_add(out, path, size);
  } else {
    ten_buf_addc(out, '.');
  }
}

static ten_status *check_directory(const char *path, const char *directory) {
  struct stat info;
  if (stat(directory, &info))
    return ten_error(errno == ENOENT ? TEN_NOT_FOUND : TEN_IO, "%s cannot be written: the folder %s: %s", path,
                     directory, strerror(errno));
  if (!S_ISDIR(info.st_mode))
    return ten_error(TEN_INVALID, "%s cannot be written: %s is not a folder", path, directory);
  if (access(directory, W_OK | X_OK))
    return ten_error(TEN_IO, "%s cannot be written: the folder %s: %s", path, directory, strerror(errno));
  return NULL;
}

ten_status *ten_file_check_output(const char *path) {
  struct stat old;
  if (!*path) return ten_error(TEN_INVALID, "the name of a file to write is empty");
  const bool exists = !stat(path, &old);
  if (exists && S_ISDIR(old.st_mode)) return ten_error(TEN_INVALID, "%s cannot be written: it is a folder", path);
  if (exists && !S_ISREG(old.st_mode)) return access(path, W_OK) ? system_error(path, "writing") : NULL;
  if (!exists && path[strlen(path) - 1] == '/') return ten_error(TEN_INVALID, "%s cannot be written as a file", path);
  char *target = exists ? realpath(path, NULL) : NULL;
  ten_buf parent = {0};
  parent_of(target ? target : path, &parent);
  ten_status *status = check_directory(path, parent.data);
  ten_buf_free(&parent);
  free(target);
  return status;
}

ten_status *ten_dir_check_output(const char *path) {
  struct stat info;
  if (!*path) return ten_error(TEN_INVALID, "the name of a folder to write to is empty");
  ten_buf at = {0};
  ten_buf_adds(&at, path);
  while (stat(at.data, &info) && errno == ENOENT) { /* missing ones will be created: check the nearest that exists */
    ten_buf above = {0};
    parent_of(at.data, &above);
    const bool same = !strcmp(above.data, at.data);
    ten_buf_free(&at);
    at = above;
    if (same) break;
  }
  ten_status *status = check_directory(path, at.data);
  ten_buf_free(&at);
  return status;
}

bool ten_pipe_write(int file, const void *data, size_t size) {
  for (const char *at = data; size;) {
    const ssize_t wrote = write(file, at, size);
    if (wrote < 0 && errno == EINTR) continue;
    if (wrote <= 0) return false;
    at += wrote;
    size -= (size_t)wrote;
  }
  return true;
}

bool ten_pipe_read(int file, void *data, size_t size) {
  for (char *at = data; size;) {
    const ssize_t got = read(file, at, size);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return false;
    at += got;
    size -= (size_t)got;
  }
  return true;
}
