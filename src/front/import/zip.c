/* zip.c: reads the central directory, including zip64, and checks every offset against the archive. */
#include "front/import/zip.h"

#include <stdint.h>
#include <stdlib.h>

#include "base/arena.h"

enum { END_SIZE = 22, CENTRAL_SIZE = 46, LOCAL_SIZE = 30, END64_SIZE = 56, LOCATOR_SIZE = 20, ENTRIES_MAX = 1 << 20 };

static uint64_t read_le(const char *at, size_t bytes) {
  uint64_t value = 0;
  for (size_t i = 0; i < bytes; i++) value |= (uint64_t)(unsigned char)at[i] << (8 * i);
  return value;
}

/* `size` bytes at `offset`, or NULL. */
static const char *span(ten_str bytes, uint64_t offset, uint64_t size) {
  return offset <= bytes.size && size <= bytes.size - offset ? bytes.data + offset : NULL;
}

bool ten_zip_sniff(ten_str bytes) { return bytes.size >= 4 && !memcmp(bytes.data, "PK\3\4", 4); }

typedef struct directory {
  uint64_t offset, size, count;
} directory;

static ten_status *directory_find(ten_str bytes, directory *out) {
  if (bytes.size < END_SIZE) return ten_error(TEN_INVALID, "not a zip archive: too short");
  const size_t furthest = bytes.size < 65535 + END_SIZE ? bytes.size : 65535 + END_SIZE;
  for (size_t back = END_SIZE; back <= furthest; back++) {
    const size_t at = bytes.size - back;
    const char *end = bytes.data + at;
    if (memcmp(end, "PK\5\6", 4)) continue;
    *out = (directory){read_le(end + 16, 4), read_le(end + 12, 4), read_le(end + 10, 2)};
    if (out->offset != UINT32_MAX && out->size != UINT32_MAX && out->count != UINT16_MAX) return NULL;
    const char *locator = at >= LOCATOR_SIZE ? end - LOCATOR_SIZE : NULL;
    if (!locator || memcmp(locator, "PK\6\7", 4)) return NULL;
    const char *end64 = span(bytes, read_le(locator + 8, 8), END64_SIZE);
    if (!end64 || memcmp(end64, "PK\6\6", 4)) return ten_error(TEN_INVALID, "the archive's directory is damaged");
    *out = (directory){read_le(end64 + 48, 8), read_le(end64 + 40, 8), read_le(end64 + 32, 8)};
    return NULL;
  }
  return ten_error(TEN_INVALID, "the archive has no directory: it was cut off while it was written or copied");
}

/* The 64-bit sizes of the extra field replace those that are all ones, in this order. */
static bool extra_read(const char *extra, size_t size, uint64_t *full, uint64_t *packed, uint64_t *offset) {
  for (size_t at = 0; at + 4 <= size;) {
    const uint64_t id = read_le(extra + at, 2), length = read_le(extra + at + 2, 2);
    if (length > size - at - 4) return false;
    if (id == 1) {
      size_t k = at + 4;
      const size_t limit = at + 4 + length;
      uint64_t *const slots[] = {full, packed, offset};
      for (size_t i = 0; i < 3; i++) {
        if (*slots[i] != UINT32_MAX) continue;
        if (k + 8 > limit) return false;
        *slots[i] = read_le(extra + k, 8);
        k += 8;
      }
    }
    at += 4 + length;
  }
  return true;
}

static ten_status *entry_read(ten_str bytes, const char **cursor, const char *limit, ten_zip_entry *out) {
  const char *at = *cursor;
  if (limit - at < CENTRAL_SIZE || memcmp(at, "PK\1\2", 4))
    return ten_error(TEN_INVALID, "the archive's directory is damaged");
  const uint64_t method = read_le(at + 10, 2), name_size = read_le(at + 28, 2), extra_size = read_le(at + 30, 2),
                 note_size = read_le(at + 32, 2);
  uint64_t packed = read_le(at + 20, 4), full = read_le(at + 24, 4), offset = read_le(at + 42, 4);
  if ((uint64_t)(limit - at - CENTRAL_SIZE) < name_size + extra_size + note_size)
    return ten_error(TEN_INVALID, "the archive's directory is damaged");
  out->name = (ten_str){at + CENTRAL_SIZE, name_size};
  if (!extra_read(at + CENTRAL_SIZE + name_size, extra_size, &full, &packed, &offset))
    return ten_error(TEN_INVALID, "entry '%.*s' is damaged", TEN_FMT(out->name));
  *cursor = at + CENTRAL_SIZE + name_size + extra_size + note_size;
  if (read_le(at + 8, 2) & 1) return ten_error(TEN_UNSUPPORTED, "entry '%.*s' is encrypted", TEN_FMT(out->name));
  out->crc = (uint32_t)read_le(at + 16, 4);
  out->compressed = method != 0;
  if (out->compressed) return NULL;
  const char *local = span(bytes, offset, LOCAL_SIZE);
  if (!local || memcmp(local, "PK\3\4", 4) || packed != full)
    return ten_error(TEN_INVALID, "entry '%.*s' is damaged", TEN_FMT(out->name));
  const char *data = span(bytes, offset + LOCAL_SIZE + read_le(local + 26, 2) + read_le(local + 28, 2), full);
  if (!data) return ten_error(TEN_INVALID, "entry '%.*s' reaches beyond the end of the archive", TEN_FMT(out->name));
  out->data = (ten_str){data, full};
  return NULL;
}

ten_status *ten_zip_open(ten_str bytes, ten_zip *out_zip) {
  *out_zip = (ten_zip){0};
  directory dir;
  TEN_TRY(directory_find(bytes, &dir));
  const char *cursor = span(bytes, dir.offset, dir.size);
  if (!cursor || dir.count > ENTRIES_MAX || dir.count > dir.size / CENTRAL_SIZE)
    return ten_error(TEN_INVALID, "the archive's directory is damaged");
  const char *limit = cursor + dir.size;
  out_zip->entries = ten_alloc((dir.count + 1) * sizeof *out_zip->entries);
  memset(out_zip->entries, 0, (dir.count + 1) * sizeof *out_zip->entries);
  for (uint64_t i = 0; i < dir.count; i++) {
    ten_status *status = entry_read(bytes, &cursor, limit, &out_zip->entries[i]);
    if (status) {
      ten_zip_close(out_zip);
      return status;
    }
    out_zip->count++;
  }
  return NULL;
}

void ten_zip_close(ten_zip *zip) {
  free(zip->entries);
  *zip = (ten_zip){0};
}

const ten_zip_entry *ten_zip_find(const ten_zip *zip, ten_str name) {
  for (size_t i = 0; i < zip->count; i++)
    if (ten_str_eq(zip->entries[i].name, name)) return &zip->entries[i];
  return NULL;
}
