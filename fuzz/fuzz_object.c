/* fuzz_object.c: compiled files with changes. An input is the number of a program, and edits of its file: a place, a
 * width and a value each. The checksum is made right, so that the changes reach the plan; code is not run. The files
 * are compiled at the start, or taken from the folder TENFOLD_FUZZ_OBJECTS. */
#include <stdint.h>

#include "../tests/cpu/ten_edits.h"

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static char *files[TEN_PROGRAMS];
static size_t sizes[TEN_PROGRAMS];

/* Program i as a file of a folder, for machines without LLVM; it is written where it is not there. */
static char *file_kept(const char *folder, int i, size_t *out_size) {
  char path[4096];
  snprintf(path, sizeof path, "%s/%d.ten", folder, i);
  ten_file file = {0};
  ten_status *status = ten_file_map(path, &file);
  if (!status) {
    char *copy = aligned_alloc(64, (file.size + 63) / 64 * 64);
    memcpy(copy, file.data, file.size);
    *out_size = file.size;
    ten_file_unmap(&file);
    return copy;
  }
  ten_status_free(status);
  char *made = ten_file_of(ten_programs[i], out_size);
  if (made) ten_status_free(ten_file_write_atomic(path, made, *out_size));
  return made;
}

int LLVMFuzzerInitialize(int *argc, char ***argv) {
  (void)argc, (void)argv;
  setenv("TENFOLD_CACHE", "off", 1);
  setenv("TENFOLD_THREADS", "2", 1);
  const char *folder = getenv("TENFOLD_FUZZ_OBJECTS");
  for (int i = 0; i < TEN_PROGRAMS; i++)
    if (!(files[i] = folder ? file_kept(folder, i, &sizes[i]) : ten_file_of(ten_programs[i], &sizes[i]))) abort();
  return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  enum { EDIT = 12 };
  if (!size) return 0;
  const size_t which = data[0] % TEN_PROGRAMS;
  size_t all = sizes[which];
  char *file = aligned_alloc(64, (all + 63) / 64 * 64);
  memcpy(file, files[which], all);
  for (size_t at = 1; at + EDIT <= size; at += EDIT) {
    uint32_t place;
    memcpy(&place, data + at, sizeof place);
    const unsigned width = 1u << (place & 3);
    const size_t from = sizeof(cpu_object_header) + (place >> 2) % (all - sizeof(cpu_object_header));
    const size_t to = width == 8 ? from / 8 * 8 : from; /* numbers are aligned but for labels before them */
    if (to >= sizeof(cpu_object_header) && to + width <= all) memcpy(file + to, data + at + 4, width);
  }
  if (size % EDIT == 2) all -= data[size - 1] % (all - sizeof(cpu_object_header)); /* cut */
  ten_file_seal(file, all);
  ten_file_try(file, all);
  free(file);
  return 0;
}
