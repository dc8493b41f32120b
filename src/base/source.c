/* source.c: mapped files and their identity. */
#include "base/source.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/hash.h"

#ifndef XFS_SUPER_MAGIC
#define XFS_SUPER_MAGIC 0x58465342
#endif

enum {
  TICK_SECONDS = 2,   /* more than a tick of any file system's clock */
  DIRTY_SECONDS = 60, /* by then a mapping's dirty pages are written, and the next write updates the times */
  PIECE = 1 << 18
};

bool ten_identity_of(int fd, ten_identity *out) {
  struct stat info;
  *out = (ten_identity){0};
  if (fstat(fd, &info) || !S_ISREG(info.st_mode)) return false;
  *out = (ten_identity){.device = info.st_dev,
                        .inode = info.st_ino,
                        .size = (uint64_t)info.st_size,
                        .modified = {info.st_mtim.tv_sec, info.st_mtim.tv_nsec},
                        .changed = {info.st_ctim.tv_sec, info.st_ctim.tv_nsec}};
  return true;
}

/* The kernel grants a read lease only while the file is neither open nor mapped for writing. A writer that comes in
 * between raises SIGURG, which is ignored by default. */
static bool has_no_writer(int fd) {
  if (fcntl(fd, F_SETSIG, SIGURG) || fcntl(fd, F_SETLEASE, F_RDLCK)) return false;
  return !fcntl(fd, F_SETLEASE, F_UNLCK);
}

bool ten_identity_holds(int fd, int64_t now) {
  struct stat info;
  struct statfs system;
  if (fstat(fd, &info) || !S_ISREG(info.st_mode) || fstatfs(fd, &system)) return false;
  if ((info.st_uid && info.st_uid != geteuid()) || info.st_mode & (S_IWGRP | S_IWOTH)) return false;
  const int64_t last = info.st_ctim.tv_sec > info.st_mtim.tv_sec ? info.st_ctim.tv_sec : info.st_mtim.tv_sec,
                age = now - last;
  switch ((uint32_t)system.f_type) { /* elsewhere mapped writes do not update the times, or another machine does */
    case EXT4_SUPER_MAGIC:
    case XFS_SUPER_MAGIC:
    case BTRFS_SUPER_MAGIC:
    case F2FS_SUPER_MAGIC: return age >= DIRTY_SECONDS || (age >= TICK_SECONDS && has_no_writer(fd));
    case OVERLAYFS_SUPER_MAGIC: return age >= DIRTY_SECONDS; /* its leases ignore mappings */
    default: return false;
  }
}

uint64_t ten_boot_id(void) {
  char text[64] = {0};
  const int fd = open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC);
  const ssize_t size = fd < 0 ? 0 : read(fd, text, sizeof text);
  if (fd >= 0) close(fd);
  return size > 0 ? ten_hash64(text, (size_t)size, 0) : 0;
}

ten_status *ten_source_open(const char *path, ten_source **out_source) {
  *out_source = NULL;
  ten_source *source = ten_alloc(sizeof *source);
  *source = (ten_source){.fd = -1};
  ten_mutex_init(&source->mutex);
  ten_status *status = ten_file_map_open(path, &source->file, &source->fd);
  if (status) {
    ten_source_close(source);
    return status;
  }
  *out_source = source;
  return NULL;
}

void ten_source_close(ten_source *source) {
  if (!source) return;
  if (source->file.data) ten_file_unmap(&source->file);
  if (source->fd >= 0) close(source->fd);
  ten_mutex_destroy(&source->mutex);
  free(source);
}

bool ten_file_digest(int fd, const ten_identity *identity, ten_digest *out) {
  ten_digester *digester = ten_alloc(sizeof *digester);
  char *piece = ten_alloc(PIECE);
  ten_digester_init(digester);
  uint64_t at = 0;
  for (ssize_t got = 1; got > 0 && at < identity->size;) {
    do got = pread(fd, piece, PIECE, (off_t)at);
    while (got < 0 && errno == EINTR);
    if (got > 0) ten_digester_add(digester, piece, (size_t)got), at += (uint64_t)got;
  }
  *out = ten_digester_result(digester);
  free(piece);
  free(digester);
  ten_identity after;
  return at == identity->size && ten_identity_of(fd, &after) && ten_identity_eq(&after, identity);
}
