/* cache_files.c: the directory of the cache: $XDG_CACHE_HOME/tenfold (or ~/.cache/tenfold; TENFOLD_CACHE_DIR names
 * another place, TENFOLD_CACHE=off none).
 *
 * 1. Entries are code. The directory, and each file that is read, belongs to this user, and nobody else may write
 * there.
 * 2. A file is written in tmp/, locked, and renamed into its place: readers see whole files or none. A file in tmp/
 * that nobody has locked was left by a process that is gone, and whoever comes next removes it.
 * 3. Nothing is removed but files of the names that are made here. */
#include "backend/cache_files.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "backend/cache_code.h"
#include "base/arena.h"
#include "base/environment.h"
#include "base/file.h"

enum { WRITE_PIECE = 1 << 26, RECORDS_MOST = 4096 };
static const char temporary[] = "tmp";

bool ten_cache_dir(ten_buf *out) {
  const char *own = ten_env_text(TEN_ENV_CACHE_DIR), *xdg = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
  if (!ten_env_switch(TEN_ENV_CACHE, true)) return false;
  if (own)
    ten_buf_adds(out, own);
  else if (xdg && *xdg)
    ten_buf_printf(out, "%s/tenfold", xdg);
  else if (home && *home)
    ten_buf_printf(out, "%s/.cache/tenfold", home);
  else
    return false;
  return true;
}

uint64_t ten_cache_limit(void) { return (uint64_t)ten_env_number(TEN_ENV_CACHE_MB, 1024) << 20; }

static ten_status *check_directory(int dir, const char *path) {
  struct stat info;
  if (fstat(dir, &info)) return ten_error(TEN_IO, "the cache directory %s: %s", path, strerror(errno));
  if (info.st_uid != geteuid())
    return ten_error(TEN_INVALID,
                     "the cache directory %s is not used: user %u owns it, not user %u; set TENFOLD_CACHE_DIR to a "
                     "directory of your own",
                     path, info.st_uid, geteuid());
  if (info.st_mode & (S_IWGRP | S_IWOTH))
    return ten_error(TEN_INVALID,
                     "the cache directory %s is not used: others may write to it (mode %03o); remove it, or clear it "
                     "and run chmod 700",
                     path, info.st_mode & 0777);
  return NULL;
}

ten_status *ten_cache_open(bool make, int *out_dir) {
  *out_dir = -1;
  ten_buf path = {0};
  ten_status *status = NULL;
  if (ten_cache_dir(&path)) {
    *out_dir = open(path.data, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (*out_dir < 0 && errno == ENOENT && make) {
      status = ten_dir_make_private(path.data);
      if (!status) *out_dir = open(path.data, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    }
    if (!status && *out_dir < 0 && errno != ENOENT)
      status = ten_error(TEN_IO, "the cache directory %s is not used: %s", path.data, strerror(errno));
    if (*out_dir >= 0) status = check_directory(*out_dir, path.data);
    if (status && *out_dir >= 0) {
      close(*out_dir);
      *out_dir = -1;
    }
  }
  ten_buf_free(&path);
  return status;
}

int ten_cache_open_file(int dir, const char *name) {
  const int fd = openat(dir, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  struct stat info;
  if (fd < 0) return -1;
  if (!fstat(fd, &info) && S_ISREG(info.st_mode) && info.st_uid == geteuid() && !(info.st_mode & (S_IWGRP | S_IWOTH)))
    return fd;
  close(fd);
  return -1;
}

/* Hexadecimal digits at the start of a name. */
static size_t digits(const char *name) { return strspn(name, "0123456789abcdef"); }

typedef enum kind { OTHER, ENTRY, RECORD } kind;
static kind kind_of(const char *name) {
  const size_t count = digits(name);
  if ((count == 64 || count == 32) && !strcmp(name + count, ".ten")) return ENTRY; /* 32: of earlier versions */
  if (count == 64 && (!strcmp(name + count, TEN_CACHE_CUBIN) || !strcmp(name + count, TEN_CACHE_SIZES))) return ENTRY;
  return count == 32 && !strcmp(name + count, ".file") ? RECORD : OTHER;
}
static bool is_temporary(const char *name) {
  const size_t process = strspn(name, "0123456789");
  if (!process || name[process] != '-') return false;
  const size_t number = digits(name + process + 1);
  return number && !strcmp(name + process + 1 + number, ".tmp");
}

/* tmp/, checked like the directory itself. */
static int open_temporary(int dir, bool make) {
  int fd = openat(dir, temporary, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (fd < 0 && errno == ENOENT && make && (!mkdirat(dir, temporary, 0700) || errno == EEXIST))
    fd = openat(dir, temporary, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  ten_status *status = fd < 0 ? NULL : check_directory(fd, temporary);
  if (status) {
    ten_status_free(status);
    close(fd);
    fd = -1;
  }
  return fd;
}

static void remove_if_left(int dir, const char *name) {
  const int fd = ten_cache_open_file(dir, name);
  struct stat info, named;
  if (fd < 0) return;
  /* it may have been renamed meanwhile, and its name reused */
  if (!flock(fd, LOCK_EX | LOCK_NB) && !fstat(fd, &info) && !fstatat(dir, name, &named, AT_SYMLINK_NOFOLLOW) &&
      named.st_ino == info.st_ino && named.st_dev == info.st_dev)
    unlinkat(dir, name, 0);
  close(fd);
}

void ten_cache_clean(int dir) {
  const int fd = open_temporary(dir, false);
  DIR *open = fd < 0 ? NULL : fdopendir(fd);
  if (!open) {
    if (fd >= 0) close(fd);
    return;
  }
  for (const struct dirent *item = readdir(open); item; item = readdir(open))
    if (is_temporary(item->d_name)) remove_if_left(fd, item->d_name);
  closedir(open);
}

static bool write_all(int fd, const ten_str *parts, size_t count) {
  for (size_t i = 0; i < count; i++)
    for (size_t at = 0; at < parts[i].size;) {
      const size_t rest = parts[i].size - at;
      const ssize_t wrote = write(fd, parts[i].data + at, rest < WRITE_PIECE ? rest : WRITE_PIECE);
      if (wrote < 0 && errno == EINTR) continue;
      if (wrote <= 0) return false;
      at += (size_t)wrote;
    }
  return true;
}

/* A new file that is locked. Between its making and its lock somebody may take it for one that was left: then it has no
 * name any more, and another one is made. */
static int make_temporary(int dir, const void *unique, char name[TEN_CACHE_NAME]) {
  for (unsigned attempt = 0; attempt < 16; attempt++) {
    snprintf(name, TEN_CACHE_NAME, "%ld-%llx%02x.tmp", (long)getpid(), (unsigned long long)(uintptr_t)unique, attempt);
    const int fd = openat(dir, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (fd < 0 && errno != EEXIST) return -1;
    if (fd >= 0 && ten_file_claim(fd)) return fd;
  }
  return -1;
}

bool ten_cache_write_file(int dir, const char *name, const ten_str *parts, size_t count) {
  const int folder = open_temporary(dir, true);
  if (folder < 0) return false;
  char waiting[TEN_CACHE_NAME];
  const int fd = make_temporary(folder, &waiting, waiting); /* a stack's address: no two threads share it */
  bool good = fd >= 0 && write_all(fd, parts, count);
  good = good && !renameat(folder, waiting, dir, name);
  if (fd >= 0 && !good) unlinkat(folder, waiting, 0);
  if (fd >= 0) close(fd);
  close(folder);
  return good;
}

typedef struct item {
  char *name; /* owned */
  uint64_t bytes, device, inode;
  struct timespec used;
} item;

typedef struct listing {
  TEN_VEC(item) entries, records;
  uint64_t bytes; /* of the entries */
} listing;

static bool is_earlier(const struct timespec *a, const struct timespec *b) {
  return a->tv_sec != b->tv_sec ? a->tv_sec < b->tv_sec : a->tv_nsec < b->tv_nsec;
}
static int oldest_first(const void *a, const void *b) {
  const item *x = a, *y = b;
  return is_earlier(&x->used, &y->used) ? -1 : is_earlier(&y->used, &x->used);
}

static void list_files(int dir, listing *out) {
  const int copy = openat(dir, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  DIR *open = copy < 0 ? NULL : fdopendir(copy);
  if (!open) {
    if (copy >= 0) close(copy);
    return;
  }
  for (const struct dirent *found = readdir(open); found; found = readdir(open)) {
    const kind what = kind_of(found->d_name);
    struct stat info;
    if (what == OTHER || fstatat(dir, found->d_name, &info, AT_SYMLINK_NOFOLLOW) || !S_ISREG(info.st_mode)) continue;
    const size_t size = strlen(found->d_name) + 1;
    item one = {memcpy(ten_alloc(size), found->d_name, size), (uint64_t)info.st_size, info.st_dev, info.st_ino,
                info.st_mtim};
    if (what == RECORD) {
      ten_vec_push(&out->records, one);
      continue;
    }
    char record[TEN_CACHE_NAME]; /* says when it was used */
    ten_cache_record_name(one.device, one.inode, record);
    if (!fstatat(dir, record, &info, AT_SYMLINK_NOFOLLOW) && is_earlier(&one.used, &info.st_mtim))
      one.used = info.st_mtim;
    ten_vec_push(&out->entries, one);
    out->bytes += one.bytes;
  }
  closedir(open);
}

static void listing_free(listing *list) {
  for (size_t i = 0; i < list->entries.count; i++) free(list->entries.data[i].name);
  for (size_t i = 0; i < list->records.count; i++) free(list->records.data[i].name);
  ten_vec_free(&list->entries);
  ten_vec_free(&list->records);
}

/* An entry and its record. */
static bool remove_entry(int dir, const item *entry) {
  char record[TEN_CACHE_NAME];
  ten_cache_record_name(entry->device, entry->inode, record);
  unlinkat(dir, record, 0);
  return !unlinkat(dir, entry->name, 0);
}

void ten_cache_trim(int dir) {
  listing list = {0};
  list_files(dir, &list);
  const uint64_t most = ten_cache_limit();
  if (list.bytes > most) {
    qsort(list.entries.data, list.entries.count, sizeof *list.entries.data, oldest_first);
    for (size_t i = 0; i < list.entries.count && list.bytes > most; i++)
      if (remove_entry(dir, &list.entries.data[i])) list.bytes -= list.entries.data[i].bytes;
  }
  if (list.records.count > RECORDS_MOST) {
    qsort(list.records.data, list.records.count, sizeof *list.records.data, oldest_first);
    for (size_t i = 0; i < list.records.count - RECORDS_MOST / 2; i++) unlinkat(dir, list.records.data[i].name, 0);
  }
  listing_free(&list);
}

ten_status *ten_cache_measure(ten_cache_usage *out_usage) {
  *out_usage = (ten_cache_usage){.limit = ten_cache_limit()};
  int dir;
  TEN_TRY(ten_cache_open(false, &dir));
  if (dir < 0) return NULL;
  listing list = {0};
  ten_cache_clean(dir);
  list_files(dir, &list);
  out_usage->entries = list.entries.count;
  out_usage->bytes = list.bytes;
  listing_free(&list);
  close(dir);
  return NULL;
}

ten_status *ten_cache_clear(size_t *out_removed) {
  *out_removed = 0;
  int dir;
  TEN_TRY(ten_cache_open(false, &dir));
  if (dir < 0) return NULL;
  ten_status *status = NULL;
  listing list = {0};
  ten_cache_clean(dir);
  list_files(dir, &list);
  for (size_t i = 0; i < list.entries.count; i++) {
    if (!unlinkat(dir, list.entries.data[i].name, 0))
      ++*out_removed;
    else if (!status)
      status = ten_error(TEN_IO, "cannot remove %s: %s", list.entries.data[i].name, strerror(errno));
  }
  for (size_t i = 0; i < list.records.count; i++) unlinkat(dir, list.records.data[i].name, 0);
  unlinkat(dir, temporary, AT_REMOVEDIR); /* if it is empty */
  listing_free(&list);
  close(dir);
  return status;
}

ten_status *ten_cache_check(void) {
  int dir;
  ten_status *status = ten_cache_open(false, &dir);
  if (dir >= 0) close(dir);
  return status;
}
