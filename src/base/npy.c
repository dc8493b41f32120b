/* npy.c: reads and writes .npy files.
 * The header is a Python dictionary literal of three known keys. Files are untrusted, so the reader accepts exactly
 * these keys, in any order and spacing. */
#include "base/npy.h"
#include "base/mapped.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/size.h"

enum { HEADER_MOST = 1 << 20, PADDING = 64 };

/* Type names after the byte-order mark. Types without a row are stored as raw bytes. */
static const struct {
  ten_dtype dtype;
  char code[5];
} names[] = {
    {TEN_I1, "b1"},  {TEN_I8, "i1"},   {TEN_I16, "i2"},  {TEN_I32, "i4"},   {TEN_I64, "i8"},
    {TEN_UI8, "u1"}, {TEN_UI16, "u2"}, {TEN_UI32, "u4"}, {TEN_UI64, "u8"},  {TEN_F16, "f2"},
    {TEN_F32, "f4"}, {TEN_F64, "f8"},  {TEN_C64, "c8"},  {TEN_C128, "c16"}, {TEN_F8E5M2, "f1"},
};
enum { NAME_COUNT = sizeof names / sizeof *names };

typedef struct npy_header {
  ten_str descr;
  bool fortran;
  size_t rank;
  int64_t shape[TEN_NPY_RANK_MOST];
  unsigned seen; /* one bit a key */
} npy_header;

typedef struct cursor {
  const char *at, *end;
} cursor;

static void skip_space(cursor *c) {
  while (c->at < c->end && (*c->at == ' ' || *c->at == '\n' || *c->at == '\t')) c->at++;
}

static bool take(cursor *c, char wanted) {
  skip_space(c);
  if (c->at == c->end || *c->at != wanted) return false;
  c->at++;
  return true;
}

static bool take_word(cursor *c, const char *word) {
  skip_space(c);
  if (!ten_str_starts((ten_str){c->at, (size_t)(c->end - c->at)}, word)) return false;
  c->at += strlen(word);
  return true;
}

/* A quoted string without escapes: no type NumPy writes has any. */
static bool take_quoted(cursor *c, ten_str *out) {
  skip_space(c);
  if (c->at == c->end || (*c->at != '\'' && *c->at != '"')) return false;
  const char quote = *c->at++;
  const char *start = c->at;
  while (c->at < c->end && *c->at != quote)
    if (*c->at++ == '\\') return false;
  if (c->at == c->end) return false;
  *out = (ten_str){start, (size_t)(c->at++ - start)};
  return true;
}

static bool take_dimension(cursor *c, int64_t *out) {
  skip_space(c);
  int64_t value = 0;
  const char *start = c->at;
  while (c->at < c->end && *c->at >= '0' && *c->at <= '9') {
    if (!ten_mul_i64(value, 10, &value) || !ten_add_i64(value, *c->at - '0', &value)) return false;
    c->at++;
  }
  if (c->at == start) return false;
  if (c->at < c->end && *c->at == 'L') c->at++; /* the suffix of Python 2's long */
  *out = value;
  return true;
}

static bool take_shape(cursor *c, npy_header *header) {
  if (!take(c, '(')) return false;
  while (!take(c, ')')) {
    if (header->rank == TEN_NPY_RANK_MOST || !take_dimension(c, &header->shape[header->rank])) return false;
    header->rank++;
    if (take(c, ',')) continue;
    if (!take(c, ')')) return false;
    break;
  }
  return true;
}

/* {'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), } */
static bool take_header(cursor *c, npy_header *header) {
  enum { DESCR = 1, ORDER = 2, SHAPE = 4 };
  if (!take(c, '{')) return false;
  while (!take(c, '}')) {
    ten_str key;
    unsigned bit;
    if (!take_quoted(c, &key) || !take(c, ':')) return false;
    if (ten_str_is(key, "descr")) {
      bit = DESCR;
      if (!take_quoted(c, &header->descr)) return false;
    } else if (ten_str_is(key, "fortran_order")) {
      bit = ORDER;
      header->fortran = take_word(c, "True");
      if (!header->fortran && !take_word(c, "False")) return false;
    } else if (ten_str_is(key, "shape")) {
      bit = SHAPE;
      if (header->seen & SHAPE || !take_shape(c, header)) return false;
    } else {
      return false;
    }
    if (header->seen & bit) return false;
    header->seen |= bit;
    if (take(c, ',')) continue;
    if (!take(c, '}')) return false;
    break;
  }
  skip_space(c);
  return header->seen == (DESCR | ORDER | SHAPE) && c->at == c->end;
}

/* Finds the header and what follows it. */
static ten_status *split(ten_str bytes, ten_str *out_header, ten_str *out_body) {
  const unsigned char *data = (const unsigned char *)bytes.data;
  if (bytes.size < 10 || memcmp(data, "\x93NUMPY", 6)) return ten_error(TEN_INVALID, "is not a .npy file");
  if (data[6] < 1 || data[6] > 3)
    return ten_error(TEN_UNSUPPORTED, "is .npy version %d.%d; versions 1 to 3 are known", data[6], data[7]);
  size_t start = 10, size = data[8] | (size_t)data[9] << 8;
  if (data[6] > 1) {
    if (bytes.size < 12) return ten_error(TEN_INVALID, "ends inside its header");
    start = 12;
    size |= (size_t)data[10] << 16 | (size_t)data[11] << 24;
  }
  if (size > HEADER_MOST)
    return ten_error(TEN_LIMIT, "declares a header of %zu bytes; %d is the most", size, HEADER_MOST);
  if (size > bytes.size - start) return ten_error(TEN_INVALID, "ends inside its header");
  *out_header = (ten_str){bytes.data + start, size};
  *out_body = (ten_str){bytes.data + start + size, bytes.size - start - size};
  return NULL;
}

static bool is_raw(ten_dtype dtype) {
  for (size_t i = 0; i < NAME_COUNT; i++)
    if (names[i].dtype == dtype) return false;
  return dtype != TEN_INDEX && dtype != TEN_TF32;
}

/* The type of a descriptor such as '<f4', given the type that the caller wants; sets *swapped when the byte order is
 * foreign. */
static ten_status *descr_type(ten_str descr, ten_dtype wanted, ten_dtype *out, bool *swapped) {
  if (descr.size < 2 || !strchr("<>|=", descr.data[0]))
    return ten_error(TEN_UNSUPPORTED, "holds elements of type '%.*s', which is not supported", TEN_FMT(descr));
  const ten_str code = {descr.data + 1, descr.size - 1};
  *swapped = descr.data[0] == (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? '>' : '<');
  if (code.data[0] == 'V') {
    size_t width = 0;
    for (size_t i = 1; i < code.size && i < 4; i++) width = width * 10 + (size_t)(code.data[i] - '0');
    if (width != 1 && width != 2)
      return ten_error(TEN_UNSUPPORTED, "holds elements of type '%.*s', which is not supported", TEN_FMT(descr));
    if (wanted == TEN_DTYPE_NONE)
      return ten_error(TEN_INVALID, "holds raw elements of %zu byte%s and does not say of which type", width,
                       width == 1 ? "" : "s");
    if (!is_raw(wanted) || ten_dtype_bytes(wanted) != width)
      return ten_error(TEN_INVALID, "holds raw elements of %zu byte%s; %s is wanted", width, width == 1 ? "" : "s",
                       ten_dtype_name(wanted));
    *out = wanted;
    return NULL;
  }
  for (size_t i = 0; i < NAME_COUNT; i++) {
    if (!ten_str_is(code, names[i].code)) continue;
    *out = names[i].dtype;
    if (wanted != TEN_DTYPE_NONE && wanted != *out)
      return ten_error(TEN_INVALID, "holds %s; %s is wanted", ten_dtype_name(*out), ten_dtype_name(wanted));
    return NULL;
  }
  return ten_error(TEN_UNSUPPORTED, "holds elements of type '%.*s', which is not supported", TEN_FMT(descr));
}

static ten_status *measure(const npy_header *header, ten_str body, ten_npy *out) {
  size_t count = 1;
  bool empty = false;
  for (size_t i = 0; i < header->rank; i++) empty |= !header->shape[i];
  for (size_t i = 0; i < header->rank && !empty; i++)
    if (!ten_mul(count, (size_t)header->shape[i], &count)) return ten_error(TEN_LIMIT, "declares too many elements");
  out->count = empty ? 0 : count;
  if (!ten_mul(out->count, ten_dtype_bytes(out->dtype), &out->size))
    return ten_error(TEN_LIMIT, "declares too many elements");
  if (out->size != body.size)
    return ten_error(TEN_INVALID, "has %zu bytes of elements; its shape needs %zu", body.size, out->size);
  out->rank = header->rank;
  memcpy(out->shape, header->shape, header->rank * sizeof *out->shape);
  return NULL;
}

/* Copies a column-major array into row-major order: sequential writes, strided reads. */
static void transpose(const ten_npy *array, const char *from, char *to) {
  const size_t width = ten_dtype_bytes(array->dtype);
  size_t stride[TEN_NPY_RANK_MOST], index[TEN_NPY_RANK_MOST] = {0}, step = width, at = 0;
  for (size_t i = 0; i < array->rank; i++) {
    stride[i] = step;
    step *= (size_t)array->shape[i];
  }
  for (size_t n = 0; n < array->count; n++) {
    memcpy(to + n * width, from + at, width);
    for (size_t i = array->rank; i--;) {
      at += stride[i];
      if (++index[i] < (size_t)array->shape[i]) break;
      at -= stride[i] * index[i];
      index[i] = 0;
    }
  }
}

static void swap_bytes(ten_dtype dtype, char *data, size_t size) {
  const size_t width = ten_dtype_bytes(ten_dtype_part(dtype));
  for (size_t at = 0; at < size; at += width)
    for (size_t i = 0; i < width / 2; i++) {
      const char byte = data[at + i];
      data[at + i] = data[at + width - 1 - i];
      data[at + width - 1 - i] = byte;
    }
}

void ten_npy_normalise(ten_dtype dtype, unsigned char *data, size_t count) {
  const unsigned bits = ten_dtype_bits(dtype), mask = (1u << bits) - 1, sign = 1u << (bits - 1);
  const ten_dclass kind = ten_dtype_class(dtype);
  for (size_t i = 0; i < count; i++) {
    if (kind == TEN_CLASS_BOOL) {
      data[i] = data[i] != 0;
    } else if (kind == TEN_CLASS_SINT) {
      data[i] = (unsigned char)(((data[i] & mask) ^ sign) - sign);
    } else {
      data[i] = (unsigned char)(data[i] & mask);
    }
  }
}

static ten_status *parse(ten_str bytes, ten_dtype wanted, ten_npy *out) {
  ten_str text, body;
  TEN_TRY(split(bytes, &text, &body));
  npy_header header = {0};
  cursor c = {text.data, text.data + text.size};
  if (!take_header(&c, &header)) return ten_error(TEN_INVALID, "has a header that is not as NumPy writes it");
  bool swapped;
  TEN_TRY(descr_type(header.descr, wanted, &out->dtype, &swapped));
  TEN_TRY(measure(&header, body, out));

  const bool narrow = ten_dtype_bits(out->dtype) < 8;
  swapped &= ten_dtype_bytes(out->dtype) > 1;
  const bool aligned = (uintptr_t)body.data % 16 == 0;
  if (aligned && !narrow && !swapped && !(header.fortran && out->rank > 1)) {
    out->data = body.data;
    return NULL;
  }
  /* No larger than the input, which is already in memory. */
  out->storage = malloc(out->size ? out->size : 1);
  if (!out->storage) return ten_error(TEN_LIMIT, "has %zu bytes of elements: more than memory holds", out->size);
  out->data = out->storage;
  if (header.fortran && out->rank > 1) {
    transpose(out, body.data, out->storage);
  } else if (out->size) {
    memcpy(out->storage, body.data, out->size);
  }
  if (swapped) swap_bytes(out->dtype, out->storage, out->size);
  if (narrow) ten_npy_normalise(out->dtype, out->storage, out->count);
  return NULL;
}

ten_status *ten_npy_parse(ten_str bytes, const char *name, ten_dtype wanted, ten_npy *out_array) {
  memset(out_array, 0, sizeof *out_array);
  ten_status *status = parse(bytes, wanted, out_array);
  if (!status) return NULL;
  ten_npy_free(out_array);
  return ten_error_at(status, name, 0, 0);
}

ten_status *ten_npy_read(const char *path, ten_dtype wanted, ten_npy *out_array) {
  memset(out_array, 0, sizeof *out_array);
  ten_file file;
  TEN_TRY(ten_file_map(path, &file));
  ten_status *status = ten_npy_parse(ten_file_bytes(&file), path, wanted, out_array);
  if (!status) status = ten_mapped_check();
  if (status || out_array->storage) {
    ten_file_unmap(&file);
  } else {
    out_array->file = file;
  }
  return status;
}

void ten_npy_free(ten_npy *array) {
  ten_file_unmap(&array->file);
  free(array->storage);
  memset(array, 0, sizeof *array);
}

static ten_status *write_descr(ten_buf *out, ten_dtype dtype) {
  const char order = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? '<' : '>';
  for (size_t i = 0; i < NAME_COUNT; i++)
    if (names[i].dtype == dtype) {
      /* ml_dtypes writes '<' although the type is one byte wide. */
      const bool plain = ten_dtype_bytes(dtype) == 1 && dtype != TEN_F8E5M2;
      ten_buf_printf(out, "%c%s", plain ? '|' : order, names[i].code);
      return NULL;
    }
  if (dtype == TEN_INDEX) return ten_buf_printf(out, "%ci8", order), NULL;
  if (dtype <= TEN_DTYPE_NONE || dtype >= TEN_DTYPE_COUNT || !is_raw(dtype))
    return ten_error(TEN_UNSUPPORTED, "elements of type %s cannot be written as .npy", ten_dtype_name(dtype));
  ten_buf_printf(out, "%cV%zu", order, ten_dtype_bytes(dtype));
  return NULL;
}

/* The element bytes as ml_dtypes stores them: bits above a narrow value are zero. */
static unsigned char *narrow_copy(ten_dtype dtype, const void *data, size_t count) {
  unsigned char *copy = malloc(count ? count : 1);
  if (!copy) return NULL;
  const unsigned mask = (1u << ten_dtype_bits(dtype)) - 1;
  for (size_t i = 0; i < count; i++) copy[i] = (unsigned char)(((const unsigned char *)data)[i] & mask);
  return copy;
}

static ten_status *write_array(const char *path, ten_dtype dtype, const int64_t *shape, size_t rank, const void *data) {
  if (rank > TEN_NPY_RANK_MOST)
    return ten_error(TEN_UNSUPPORTED, "an array of rank %zu; NumPy has %d at most", rank, TEN_NPY_RANK_MOST);
  ten_buf header = {0};
  ten_buf_add(&header, "\x93NUMPY\x01\x00??{'descr': '", 21);
  ten_status *status = write_descr(&header, dtype);
  ten_buf_adds(&header, "', 'fortran_order': False, 'shape': (");
  size_t size = status ? 0 : ten_dtype_bytes(dtype);
  for (size_t i = 0; i < rank && !status; i++) {
    ten_buf_printf(&header, i ? ", %lld" : "%lld", (long long)shape[i]);
    if (shape[i] < 0 || !ten_mul(size, (size_t)shape[i], &size))
      status = ten_error(TEN_INVALID, "a dimension is %lld; it must be at least 0", (long long)shape[i]);
  }
  ten_buf_adds(&header, rank == 1 ? ",), }" : "), }");
  while ((header.size + 1) % PADDING) ten_buf_addc(&header, ' ');
  ten_buf_addc(&header, '\n');
  header.data[8] = (char)((header.size - 10) & 0xFF);
  header.data[9] = (char)((header.size - 10) >> 8);

  unsigned char *copy = NULL;
  if (!status && ten_dtype_bits(dtype) < 8) {
    copy = narrow_copy(dtype, data, size);
    if (!copy) status = ten_error(TEN_LIMIT, "%zu bytes: more than memory holds", size);
    data = copy;
  }
  if (!status) status = ten_file_write_parts(path, (ten_str[]){{header.data, header.size}, {data, size}}, 2);
  free(copy);
  ten_buf_free(&header);
  return status;
}

ten_status *ten_npy_write(const char *path, ten_dtype dtype, const int64_t *shape, size_t rank, const void *data) {
  return ten_annotate(write_array(path, dtype, shape, rank, data), "writing %s", path);
}
