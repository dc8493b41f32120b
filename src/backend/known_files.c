/* known_files.c: records of files whose content was read before, to avoid reading it again. */
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "backend/cache_files.h"
#include "base/hash.h"

typedef struct record {
  char magic[8];
  uint64_t boot;
  ten_identity identity;
  ten_digest digest;
  uint64_t checksum; /* of what comes before */
} record;
static const char magic[8] = "tenfile";

void ten_cache_record_name(uint64_t device, uint64_t inode, char out_name[TEN_CACHE_NAME]) {
  snprintf(out_name, TEN_CACHE_NAME, "%016llx%016llx.file", (unsigned long long)device, (unsigned long long)inode);
}

static uint64_t checksum_of(const record *r) { return ten_hash64(r, offsetof(record, checksum), 0); }

bool ten_cache_recall(int dir, const ten_identity *identity, ten_digest *out_digest) {
  char name[TEN_CACHE_NAME];
  ten_cache_record_name(identity->device, identity->inode, name);
  const int fd = dir < 0 ? -1 : ten_cache_open_file(dir, name);
  if (fd < 0) return false;
  record r;
  const bool whole = read(fd, &r, sizeof r) == sizeof r;
  close(fd);
  if (!whole || memcmp(r.magic, magic, sizeof magic) || r.checksum != checksum_of(&r)) return false;
  if (!r.boot || r.boot != ten_boot_id() || !ten_identity_eq(&r.identity, identity)) return false;
  *out_digest = r.digest;
  return true;
}

void ten_cache_remember(int dir, const ten_identity *identity, const ten_digest *digest) {
  if (dir < 0) return;
  record r = {.boot = ten_boot_id(), .identity = *identity, .digest = *digest};
  memcpy(r.magic, magic, sizeof magic);
  r.checksum = checksum_of(&r);
  char name[TEN_CACHE_NAME];
  ten_cache_record_name(identity->device, identity->inode, name);
  const ten_str part = {(const char *)&r, sizeof r};
  if (r.boot) ten_cache_write_file(dir, name, &part, 1);
}

void ten_cache_touch(int dir, const ten_identity *identity) {
  char name[TEN_CACHE_NAME];
  ten_cache_record_name(identity->device, identity->inode, name);
  utimensat(dir, name, NULL, AT_SYMLINK_NOFOLLOW);
}

static bool read_source(int dir, ten_source *source, const ten_identity *identity) {
  if (ten_cache_recall(dir, identity, &source->digest)) return true;
  const bool holds = ten_identity_holds(source->fd, time(NULL)); /* before it is read: a change after that is seen */
  if (!ten_file_digest(source->fd, identity, &source->digest)) return false;
  if (holds) ten_cache_remember(dir, identity, &source->digest);
  return true;
}

bool ten_cache_source_digest(int dir, ten_source *source, ten_digest *out_digest) {
  ten_identity identity;
  if (source->fd < 0 || !ten_identity_of(source->fd, &identity) || identity.size != source->file.size) return false;
  ten_mutex_lock(&source->mutex);
  if (!source->known || !ten_identity_eq(&source->identity, &identity)) {
    source->known = read_source(dir, source, &identity);
    source->identity = identity;
  }
  const bool known = source->known;
  *out_digest = source->digest;
  ten_mutex_unlock(&source->mutex);
  return known;
}
