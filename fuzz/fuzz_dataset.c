/* fuzz_dataset.c: data sets: an .npz, as it is or put together so that the archive is right and its arrays are what the
 * input says, or a folder of two idx files. Two batches are drawn from what opens. */
#include <stdlib.h>
#include <sys/stat.h>

#include "input.h"
#include "ir/module.h"
#include "train/dataset.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* ---- an archive of stored entries ---- */
static void put(ten_buf *out, uint64_t value, size_t bytes) { ten_buf_add(out, &value, bytes); }

typedef struct archive {
  ten_buf body, directory;
  uint32_t count;
} archive;

static void entry_add(archive *a, const char *name, const ten_buf *data) {
  const size_t offset = a->body.size, size = strlen(name);
  for (int central = 0; central < 2; central++) {
    ten_buf *out = central ? &a->directory : &a->body;
    put(out, central ? 0x02014b50 : 0x04034b50, 4);
    if (central) put(out, 20, 2);
    put(out, 20, 2);
    put(out, 0, 8); /* flags, method, time, date */
    put(out, 0, 4); /* checksum */
    put(out, data->size, 4);
    put(out, data->size, 4);
    put(out, size, 2);
    put(out, 0, 2);
    if (central) {
      put(out, 0, 8);
      put(out, 0, 2);
      put(out, offset, 4);
    }
    ten_buf_adds(out, name);
  }
  ten_buf_add(&a->body, data->data, data->size);
  a->count++;
}

static void archive_end(archive *a) {
  const size_t at = a->body.size;
  ten_buf_add(&a->body, a->directory.data, a->directory.size);
  put(&a->body, 0x06054b50, 4);
  put(&a->body, 0, 4);
  put(&a->body, a->count, 2);
  put(&a->body, a->count, 2);
  put(&a->body, a->directory.size, 4);
  put(&a->body, at, 4);
  put(&a->body, 0, 2);
}

/* An array as numpy.save writes it, of a type and shape from the input. */
static void npy_put(fuzz_bytes *in, ten_buf *out, bool target) {
  static const char *const kinds[] = {"<f4", "<i8", "<f8", "|u1", "|b1", ">i2", "<f2", "<c8", "<V2", "|O", "<U4"};
  static const char *const shapes[] = {"(4, 3)",
                                       "(4,)",
                                       "(0, 3)",
                                       "(3, 3)",
                                       "()",
                                       "(4, 0)",
                                       "(2, 3, 1)",
                                       "(-1, 3)",
                                       "(9223372036854775807, 3)",
                                       "(4294967296, 4294967296)"};
  const uint32_t kind = fuzz_byte(in), shape = fuzz_byte(in);
  ten_buf header = {0};
  ten_buf_printf(&header, "{'descr': '%s', 'fortran_order': %s, 'shape': %s, }", kinds[kind < 128 ? target : kind % 11],
                 fuzz_byte(in) & 1 ? "True" : "False", shapes[shape < 128 ? target : shape % 10]);
  while ((header.size + 11) % 64) ten_buf_addc(&header, ' ');
  ten_buf_addc(&header, '\n');
  ten_buf_add(out, "\x93NUMPY\x01", 8);
  put(out, header.size, 2);
  ten_buf_add(out, header.data, header.size);
  ten_buf_free(&header);
  const uint32_t count = fuzz_byte(in);
  for (uint32_t i = 0; i < count; i++) ten_buf_addc(out, (char)i);
}

static void npz_make(fuzz_bytes *in, ten_buf *out) {
  archive a = {0};
  static const char *const names[] = {"x.npy", "y.npy"};
  for (uint32_t i = 0; i < 2; i++) {
    ten_buf data = {0};
    npy_put(in, &data, i);
    entry_add(&a, names[i], &data);
    ten_buf_free(&data);
  }
  archive_end(&a);
  *out = a.body;
  ten_buf_free(&a.directory);
}

/* ---- idx ---- */
static void idx_write(fuzz_bytes *in, const char *folder, const char *name, bool target) {
  ten_buf out = {0};
  const uint32_t kind = fuzz_byte(in), rank = kind & 15 ? (target ? 1 : 2) : fuzz_byte(in) % 6;
  const unsigned char head[4] = {0, 0, kind == 255 ? 9 : 8, (unsigned char)rank};
  ten_buf_add(&out, head, 4);
  for (uint32_t i = 0; i < rank; i++) {
    const uint32_t value = fuzz_byte(in), size = value < 160 ? (i ? 3 : 4) : (uint32_t)fuzz_number(in);
    const unsigned char bytes[4] = {(unsigned char)(size >> 24), (unsigned char)(size >> 16),
                                    (unsigned char)(size >> 8), (unsigned char)size};
    ten_buf_add(&out, bytes, 4);
  }
  for (uint32_t i = 0, count = fuzz_byte(in) % 64; i < count; i++) ten_buf_addc(&out, (char)i);
  char path[128];
  snprintf(path, sizeof path, "%s/%s", folder, name);
  FILE *file = fopen(path, "wb");
  if (file) {
    fwrite(out.data, 1, out.size, file);
    fclose(file);
  }
  ten_buf_free(&out);
}

static const char *folder_of(void) {
  static char folder[64];
  if (!folder[0]) {
    snprintf(folder, sizeof folder, "/dev/shm/tenfold-fuzz-%d", (int)getpid());
    mkdir(folder, 0700);
  }
  return folder;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  fuzz_bytes in = {data, size};
  const uint32_t way = fuzz_byte(&in) % 4;
  ten_module *module = ten_module_create();
  const ten_type *types[2] = {ten_type_tensor(module, TEN_F32, 2, (const int64_t[]){2, 3}),
                              ten_type_tensor(module, TEN_I64, 1, (const int64_t[]){2})};
  const ten_dataset_field fields[2] = {{TEN_STR("x"), types[0]}, {TEN_STR("y"), types[1]}};
  const ten_dataset_options options = {
      .seed = 1, .shuffle = way & 1, .epoch = (int64_t)fuzz_number(&in), .batch = (int64_t)fuzz_number(&in)};
  char path[64];
  int fd = -1;
  ten_buf made = {0};
  if (way < 2) {
    snprintf(path, sizeof path, "%s", folder_of());
    idx_write(&in, path, "images-idx3-ubyte", false);
    idx_write(&in, path, "labels-idx1-ubyte", true);
  } else {
    if (way == 2) npz_make(&in, &made);
    fd = fuzz_file(way == 2 ? (const void *)made.data : in.data, way == 2 ? made.size : in.size, path);
  }
  ten_dataset *set;
  ten_status *status = ten_dataset_open(path, fields, 2, &options, &set);
  ten_tensor **tensors;
  int64_t epoch, batch;
  for (int i = 0; i < 2 && !status; i++) status = ten_dataset_next(set, &tensors, &epoch, &batch);
  ten_dataset_close(set);
  ten_status_free(status);
  if (fd >= 0) close(fd);
  ten_buf_free(&made);
  ten_module_destroy(module);
  return 0;
}
