/* dataset.c: arrays from files, rows in a seeded order, one batch prefetched on a separate thread. */
#include "train/dataset.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "base/float.h"
#include "base/npy.h"
#include "base/size.h"
#include "base/thread.h"
#include "front/import/zip.h"

typedef struct array {
  ten_npy npy;     /* of .npy and .npz */
  ten_file idx;    /* of idx files */
  ten_dtype dtype; /* as stored */
  const char *data;
  int64_t samples;
  size_t row; /* elements of one sample */
  bool is_idx;
  double scale;         /* applied when bytes become floats */
  const ten_type *type; /* the type of the input */
} array;

struct ten_dataset {
  array *arrays; /* owned, one per field */
  size_t count;
  ten_file archive; /* .npz */
  ten_zip zip;
  int64_t samples, batch;
  ten_dataset_options options;
  int64_t *order; /* permutation of the rows for `order_epoch`; owned */
  int64_t order_epoch;
  ten_tensor **slots[2]; /* two sets of tensors: one in use, one being filled */
  int64_t slot_epoch[2], slot_batch[2];
  int64_t epoch, next;              /* what the thread fills next */
  unsigned filled, given, released; /* counters: batches filled, handed out, and returned */
  bool stop;
  ten_mutex mutex;
  ten_cond changed;
  ten_thread thread;
  bool running;
};

static uint64_t random_next(uint64_t *state) { /* splitmix64 */
  uint64_t z = *state += 0x9e3779b97f4a7c15u;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

static void set_order(ten_dataset *d, int64_t epoch) {
  if (d->order_epoch == epoch) return;
  for (int64_t i = 0; i < d->samples; i++) d->order[i] = i;
  uint64_t state = d->options.seed * 0x2545f4914f6cdd1du + (uint64_t)epoch;
  for (int64_t i = d->samples - 1; d->options.shuffle && i > 0; i--) {
    const int64_t j = (int64_t)(random_next(&state) % (uint64_t)(i + 1)), kept = d->order[i];
    d->order[i] = d->order[j];
    d->order[j] = kept;
  }
  d->order_epoch = epoch;
}

static int64_t whole_element(const array *a, size_t i) {
  int64_t value = 0;
  const size_t bytes = ten_dtype_bytes(a->dtype);
  memcpy(&value, a->data + i * bytes, bytes);
  if (ten_dtype_class(a->dtype) == TEN_CLASS_SINT && bytes < 8)
    value = (int64_t)((uint64_t)value << (64 - 8 * bytes)) >> (64 - 8 * bytes);
  return value;
}

static double element(const array *a, size_t i) {
  if (ten_dtype_is_float(a->dtype)) return ten_float_decode(a->dtype, a->data + i * ten_dtype_bytes(a->dtype));
  const int64_t value = whole_element(a, i);
  return a->dtype == TEN_UI64 ? (double)(uint64_t)value : (double)value;
}

/* One row, converted to the input's type. */
static void copy_row(const array *a, int64_t row, char *to) {
  const ten_dtype want = a->type->dtype;
  const size_t first = (size_t)row * a->row, width = ten_dtype_bytes(want);
  if (a->dtype == want && a->scale == 1) {
    memcpy(to, a->data + first * width, a->row * width);
    return;
  }
  for (size_t i = 0; i < a->row; i++, to += width) {
    if (ten_dtype_is_float(want)) {
      ten_float_encode(want, element(a, first + i) * a->scale, to);
    } else {
      const int64_t value = whole_element(a, first + i);
      memcpy(to, &value, width);
    }
  }
  if (ten_dtype_bits(want) < 8) ten_npy_normalise(want, (unsigned char *)to - a->row * width, a->row);
}

static void fill(ten_dataset *d, unsigned slot, int64_t epoch, int64_t batch) {
  set_order(d, epoch);
  for (size_t f = 0; f < d->count; f++) {
    const array *a = &d->arrays[f];
    const size_t row_bytes = a->row * ten_dtype_bytes(a->type->dtype);
    for (int64_t i = 0; i < d->batch; i++)
      copy_row(a, d->order[batch * d->batch + i], (char *)d->slots[slot][f]->data + (size_t)i * row_bytes);
  }
  d->slot_epoch[slot] = epoch;
  d->slot_batch[slot] = batch;
}

static void *filler(void *argument) {
  ten_dataset *d = argument;
  ten_mutex_lock(&d->mutex);
  while (!d->stop) {
    if (d->filled >= d->released + 2) { /* both are full or in use */
      ten_cond_wait(&d->changed, &d->mutex);
      continue;
    }
    const int64_t epoch = d->epoch, batch = d->next;
    if (++d->next == d->samples / d->batch) {
      d->next = 0;
      d->epoch++;
    }
    const unsigned slot = d->filled % 2;
    ten_mutex_unlock(&d->mutex);
    fill(d, slot, epoch, batch);
    ten_mutex_lock(&d->mutex);
    d->filled++;
    ten_cond_broadcast(&d->changed);
  }
  ten_mutex_unlock(&d->mutex);
  return NULL;
}

static uint32_t big_endian(const char *at) {
  const unsigned char *bytes = (const unsigned char *)at;
  return (uint32_t)bytes[0] << 24 | (uint32_t)bytes[1] << 16 | (uint32_t)bytes[2] << 8 | bytes[3];
}

/* idx: two zero bytes, a type code, the rank, the sizes, all big-endian. Only bytes are common, and only they are read.
 */
static ten_status *read_idx(const char *path, array *out) {
  TEN_TRY(ten_file_map(path, &out->idx));
  const char *data = out->idx.data;
  const size_t size = out->idx.size;
  if (size < 8 || data[0] || data[1] || (unsigned char)data[2] != 8 || data[3] < 1 || data[3] > 4)
    return ten_error(TEN_INVALID, "%s: not an idx file of bytes", path);
  const size_t rank = (size_t)data[3], head = 4 + 4 * rank;
  if (size < head) return ten_error(TEN_INVALID, "%s: truncated in its header", path);
  size_t row = 1;
  for (size_t i = 1; i < rank; i++)
    if (!ten_mul(row, big_endian(data + 4 + 4 * i), &row))
      return ten_error(TEN_INVALID, "%s: the sizes of a sample overflow", path);
  out->samples = big_endian(data + 4);
  out->row = row;
  out->dtype = TEN_UI8;
  out->data = data + head;
  out->is_idx = true;
  if (!row || (size - head) / row < (size_t)out->samples)
    return ten_error(TEN_INVALID, "%s: its header announces %lld samples of %zu bytes, the file has %zu bytes", path,
                     (long long)out->samples, row, size - head);
  return NULL;
}

static void take_npy(array *out) {
  out->dtype = out->npy.dtype;
  out->data = out->npy.data;
  out->samples = out->npy.rank ? out->npy.shape[0] : 0;
  out->row = out->samples ? out->npy.count / (size_t)out->samples : 0;
}

static bool exists(const char *path) {
  struct stat info;
  return !stat(path, &info);
}

/* A file of the folder whose name contains `part`, or nothing. */
static bool find_part(const char *folder, const char *part, char *path, size_t size) {
  DIR *dir = opendir(folder);
  bool found = false;
  for (struct dirent *entry; dir && !found && (entry = readdir(dir));) {
    if (!strstr(entry->d_name, part) || strstr(entry->d_name, ".gz") || strstr(entry->d_name, "t10k")) continue;
    snprintf(path, size, "%s/%s", folder, entry->d_name);
    found = true;
  }
  if (dir) closedir(dir);
  return found;
}

/* The names an input may have: its own, or x and y when there is one input and at most one target. */
static const char *other_name(size_t index, size_t count) { return count > 2 ? NULL : index ? "y" : "x"; }

static ten_status *open_npy(const char *path, array *out) {
  TEN_TRY(ten_npy_read(path, TEN_DTYPE_NONE, &out->npy));
  take_npy(out);
  return NULL;
}

static ten_status *open_folder(const char *folder, ten_str name, size_t index, size_t count, array *out) {
  char path[4096];
  snprintf(path, sizeof path, "%s/%.*s.npy", folder, TEN_FMT(name));
  if (!exists(path) && other_name(index, count))
    snprintf(path, sizeof path, "%s/%s.npy", folder, other_name(index, count));
  if (exists(path)) return open_npy(path, out);
  if (count == 2 && find_part(folder, index ? "labels" : "images", path, sizeof path)) return read_idx(path, out);
  return ten_error(TEN_NOT_FOUND, "%s has no %.*s.npy%s", folder, TEN_FMT(name),
                   count == 2   ? (index ? ", y.npy or …labels… file" : ", x.npy or …images… file")
                   : count == 1 ? " or x.npy"
                                : "");
}

static ten_status *open_npz(ten_dataset *d, const char *path, ten_str name, size_t index, array *out) {
  ten_buf wanted = {0};
  ten_buf_printf(&wanted, "%.*s.npy", TEN_FMT(name));
  const ten_zip_entry *entry = ten_zip_find(&d->zip, (ten_str){wanted.data, wanted.size});
  const char *other = other_name(index, d->count);
  if (other && ten_str_is(name, other)) other = NULL;
  if (!entry && other) {
    wanted.size = 0;
    ten_buf_printf(&wanted, "%s.npy", other);
    entry = ten_zip_find(&d->zip, (ten_str){wanted.data, wanted.size});
  }
  ten_buf_free(&wanted);
  if (!entry)
    return ten_error(TEN_NOT_FOUND, "%s has no array '%.*s'%s%s%s", path, TEN_FMT(name), other ? " or '" : "",
                     other ? other : "", other ? "'" : "");
  if (entry->compressed)
    return ten_error(TEN_UNSUPPORTED, "%s: array '%.*s' is compressed; write it with numpy.savez", path, TEN_FMT(name));
  TEN_TRY(ten_npy_parse(entry->data, path, TEN_DTYPE_NONE, &out->npy));
  take_npy(out);
  return NULL;
}

/* Whether the rows match the input; a row may have another shape with the same number of elements. */
static ten_status *fit(ten_dataset *d, array *a, const ten_dataset_field *field) {
  a->type = field->type;
  a->scale = 1;
  const ten_type *type = field->type;
  if (!type->rank)
    return ten_error(TEN_INVALID,
                     "input '%.*s' is a scalar; a data set feeds inputs whose first dimension is the batch",
                     TEN_FMT(field->name));
  const int64_t batch = type->dims[0], wanted = batch ? ten_type_count(type) / batch : 0;
  if (!d->batch) d->batch = batch;
  if (batch != d->batch || batch < 1)
    return ten_error(TEN_INVALID, "inputs have different batch sizes, %lld and %lld", (long long)d->batch,
                     (long long)batch);
  if ((int64_t)a->row != wanted)
    return ten_error(TEN_INVALID, "'%.*s': a sample has %zu elements, the program expects %lld", TEN_FMT(field->name),
                     a->row, (long long)wanted);
  if (a == d->arrays) d->samples = a->samples;
  if (a->samples != d->samples)
    return ten_error(TEN_INVALID, "'%.*s' has %lld samples, another array has %lld", TEN_FMT(field->name),
                     (long long)a->samples, (long long)d->samples);
  if (a->is_idx && ten_dtype_is_float(type->dtype)) a->scale = 1.0 / 255;
  if (ten_dtype_is_complex(a->dtype) || ten_dtype_is_complex(type->dtype))
    return ten_error(TEN_UNSUPPORTED, "'%.*s': data sets of complex elements are not supported", TEN_FMT(field->name));
  if (!ten_dtype_is_float(type->dtype) && ten_dtype_is_float(a->dtype))
    return ten_error(TEN_INVALID, "'%.*s': the program expects %s, the file has %s", TEN_FMT(field->name),
                     ten_dtype_name(type->dtype), ten_dtype_name(a->dtype));
  return NULL;
}

static ten_status *open_all(ten_dataset *d, const char *path, const ten_dataset_field *fields) {
  TEN_RECOVER("opening the data set");
  struct stat info;
  if (stat(path, &info)) return ten_error(TEN_NOT_FOUND, "there is no data at %s", path);
  const bool folder = S_ISDIR(info.st_mode), single = d->count == 1 && ten_str_ends(ten_str_of(path), ".npy");
  if (!folder && !single) {
    TEN_TRY(ten_file_map(path, &d->archive));
    if (!ten_zip_sniff(ten_file_bytes(&d->archive)))
      return ten_error(TEN_INVALID, "%s is neither a folder nor an .npz file%s", path,
                       d->count == 1 ? " nor an .npy file" : "");
    ten_status *status = ten_zip_open(ten_file_bytes(&d->archive), &d->zip);
    if (status) return ten_annotate(status, "reading %s", path);
  }
  for (size_t i = 0; i < d->count; i++) {
    TEN_TRY(folder   ? open_folder(path, fields[i].name, i, d->count, &d->arrays[i])
            : single ? open_npy(path, &d->arrays[i])
                     : open_npz(d, path, fields[i].name, i, &d->arrays[i]));
    TEN_TRY(fit(d, &d->arrays[i], &fields[i]));
  }
  if (d->samples < d->batch)
    return ten_error(TEN_INVALID, "%s has %lld samples, less than one batch of %lld", path, (long long)d->samples,
                     (long long)d->batch);
  return NULL;
}

/* The start position comes from a checkpoint and is checked like any input. */
static ten_status *set_start(ten_dataset *d, const char *path) {
  const int64_t batches = d->samples / d->batch, batch = d->options.batch, epoch = d->options.epoch;
  const int64_t epoch_max = (int64_t)1 << 40; /* far from overflow */
  int64_t begun;
  if (batch < 0 || batch >= batches)
    return ten_error(TEN_INVALID, "the position is batch %lld of an epoch; %s has %lld batches, 0 to %lld",
                     (long long)batch, path, (long long)batches, (long long)batches - 1);
  if (epoch < 0 || epoch > epoch_max || !ten_mul_i64(epoch, batches, &begun) || !ten_add_i64(begun, batch, &begun))
    return ten_error(TEN_INVALID, "the position is epoch %lld of %lld batches each; epochs are counted from 0 to %lld",
                     (long long)epoch, (long long)batches,
                     (long long)(INT64_MAX / batches <= epoch_max ? INT64_MAX / batches - 1 : epoch_max));
  d->epoch = epoch;
  d->next = batch;
  return NULL;
}

static ten_status *make_room(ten_dataset *d, const ten_dataset_field *fields) {
  TEN_RECOVER("opening the data set");
  size_t bytes;
  if (ten_mul((size_t)d->samples, sizeof *d->order, &bytes)) d->order = malloc(bytes);
  if (!d->order)
    return ten_error(TEN_LIMIT, "out of memory: the order of %lld samples does not fit", (long long)d->samples);
  for (unsigned s = 0; s < 2; s++) {
    d->slots[s] = ten_alloc((d->count + 1) * sizeof **d->slots);
    for (size_t i = 0; i < d->count; i++) {
      const ten_type *type = fields[i].type;
      TEN_TRY(ten_tensor_create(type->dtype, type->rank, type->dims, &d->slots[s][i]));
    }
  }
  return NULL;
}

ten_status *ten_dataset_open(const char *path, const ten_dataset_field *fields, size_t count,
                             const ten_dataset_options *options, ten_dataset **out_dataset) {
  *out_dataset = NULL;
  ten_dataset *d = ten_alloc(sizeof *d);
  d->arrays = ten_alloc((count + 1) * sizeof *d->arrays);
  d->count = count;
  d->options = *options;
  d->order_epoch = -1;
  ten_mutex_init(&d->mutex);
  ten_cond_init(&d->changed);
  ten_status *status = open_all(d, path, fields);
  if (!status) status = set_start(d, path);
  if (!status) status = make_room(d, fields);
  if (!status) status = ten_thread_start(0, filler, d, &d->thread);
  if (status) {
    ten_dataset_close(d);
    return status;
  }
  d->running = true;
  *out_dataset = d;
  return NULL;
}

void ten_dataset_close(ten_dataset *d) {
  if (!d) return;
  if (d->running) {
    ten_mutex_lock(&d->mutex);
    d->stop = true;
    ten_cond_broadcast(&d->changed);
    ten_mutex_unlock(&d->mutex);
    ten_thread_join(d->thread);
  }
  for (unsigned s = 0; s < 2; s++) {
    if (d->slots[s]) ten_tensors_release(d->slots[s], d->count);
    free(d->slots[s]);
  }
  for (size_t i = 0; i < d->count; i++) {
    ten_npy_free(&d->arrays[i].npy);
    ten_file_unmap(&d->arrays[i].idx);
  }
  ten_zip_close(&d->zip);
  ten_file_unmap(&d->archive);
  ten_mutex_destroy(&d->mutex);
  ten_cond_destroy(&d->changed);
  free(d->order);
  free(d->arrays);
  free(d);
}

int64_t ten_dataset_samples(const ten_dataset *dataset) { return dataset->samples; }
int64_t ten_dataset_batches(const ten_dataset *dataset) { return dataset->samples / dataset->batch; }

ten_status *ten_dataset_next(ten_dataset *d, ten_tensor ***out_tensors, int64_t *out_epoch, int64_t *out_batch) {
  ten_mutex_lock(&d->mutex);
  d->released = d->given; /* batches handed out before return to the thread */
  ten_cond_broadcast(&d->changed);
  while (d->filled <= d->given) ten_cond_wait(&d->changed, &d->mutex);
  const unsigned slot = d->given++ % 2;
  ten_mutex_unlock(&d->mutex);
  *out_tensors = d->slots[slot];
  *out_epoch = d->slot_epoch[slot];
  *out_batch = d->slot_batch[slot];
  return NULL;
}
