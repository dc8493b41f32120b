/* cache_code.c: an entry is a header and the code. The header holds the key, so what was put under another name is
 * not run, and a checksum of the code, which is compared whenever it is read. Who may write to the directory and its
 * files is checked as for every entry (backend/cache_files.h). */
#include "backend/cache_code.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "backend/cache_files.h"
#include "base/file.h"

typedef struct header {
  char magic[8];
  ten_digest key, checksum;
  uint64_t size; /* of the code, which follows */
} header;
static const char magic[8] = "tencode";

static void name_of(const char *kind, const ten_digest *key, char out_name[TEN_CACHE_NAME]) {
  ten_digest_hex(key, out_name);
  memcpy(out_name + 64, kind, strlen(kind) + 1);
}

static bool is_right(const ten_file *file, const ten_digest *key) {
  header h;
  if (file->size < sizeof h) return false;
  memcpy(&h, file->data, sizeof h);
  if (memcmp(h.magic, magic, sizeof magic) || !ten_digest_eq(&h.key, key) || h.size != file->size - sizeof h)
    return false;
  const ten_digest checksum = ten_digest_of(file->data + sizeof h, h.size);
  return ten_digest_eq(&h.checksum, &checksum);
}

bool ten_cache_code_find(const char *kind, const ten_digest *key, ten_buf *out_code) {
  int dir;
  ten_status_free(ten_cache_open(false, &dir)); /* ten_cache_check says it to who wants to know */
  if (dir < 0) return false;
  char name[TEN_CACHE_NAME];
  name_of(kind, key, name);
  const int fd = ten_cache_open_file(dir, name);
  close(dir);
  if (fd < 0) return false;
  ten_file file = {0};
  ten_status *status = ten_file_map_descriptor(fd, name, &file);
  const bool right = !status && is_right(&file, key);
  if (right) {
    ten_buf_add(out_code, file.data + sizeof(header), file.size - sizeof(header));
    futimens(fd, NULL); /* used just now */
  }
  if (!status) ten_file_unmap(&file);
  ten_status_free(status);
  close(fd);
  return right;
}

void ten_cache_code_store(const char *kind, const ten_digest *key, ten_str code) {
  int dir;
  if (code.size > ten_cache_limit()) return;
  ten_status_free(ten_cache_open(true, &dir));
  if (dir < 0) return;
  header h = {.key = *key, .checksum = ten_digest_of(code.data, code.size), .size = code.size};
  memcpy(h.magic, magic, sizeof magic);
  char name[TEN_CACHE_NAME];
  name_of(kind, key, name);
  const ten_str parts[] = {{(const char *)&h, sizeof h}, code};
  ten_cache_write_file(dir, name, parts, 2);
  ten_cache_clean(dir);
  ten_cache_trim(dir);
  close(dir);
}
