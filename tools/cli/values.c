/* values.c: a program's inputs and results as files, as random numbers, and as readable text. */
#include "cli/values.h"

#include <math.h>
#include <stdlib.h>

#include "base/float.h"
#include "base/npy.h"

enum { FIRST_SHOWN = 8 };

static void free_npy(void *array) {
  ten_npy_free(array);
  free(array);
}

ten_status *cli_value_read(const char *path, const ten_type *type, ten_tensor **out_tensor) {
  *out_tensor = NULL;
  if (!ten_type_is_tensor(type)) {
    ten_buf text = {0};
    ten_type_print(&text, type);
    ten_status *status = ten_error(TEN_UNSUPPORTED, "%s: an input of type %s cannot come from a file", path, text.data);
    ten_buf_free(&text);
    return status;
  }
  ten_npy *array = ten_alloc(sizeof *array);
  ten_status *status = ten_npy_read(path, type->dtype, array);
  if (!status)
    status = ten_tensor_from_memory(array->dtype, (uint32_t)array->rank, array->shape, (void *)array->data, free_npy,
                                    array, out_tensor);
  if (status) {
    free_npy(array);
    return status;
  }
  if (ten_tensor_fits(*out_tensor, type)) return NULL;
  ten_buf has = {0}, wanted = {0};
  ten_tensor_print_type(&has, *out_tensor);
  ten_type_print(&wanted, type);
  status = ten_error(TEN_INVALID, "%s: is %s; %s is wanted", path, has.data, wanted.data);
  ten_buf_free(&has);
  ten_buf_free(&wanted);
  ten_tensor_release(*out_tensor);
  *out_tensor = NULL;
  return status;
}

/* Steele, Lea and Flood's SplitMix64: a random number for each index, in any order. */
static uint64_t random_bits(uint64_t key, uint64_t index) {
  uint64_t z = key + (index + 1) * 0x9E3779B97F4A7C15u;
  z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9u;
  z = (z ^ z >> 27) * 0x94D049BB133111EBu;
  return z ^ z >> 31;
}

static void random_integer(ten_dtype dtype, uint64_t bits, bool index, void *at) {
  const unsigned width = ten_dtype_bits(dtype) < 4 ? ten_dtype_bits(dtype) : 4;
  int64_t value = (int64_t)(bits >> (64 - width));
  if (ten_dtype_class(dtype) == TEN_CLASS_SINT) value -= (int64_t)1 << (width - 1);
  if (index) value = (int64_t)(bits >> 63);
  switch (ten_dtype_bytes(dtype)) {
    case 1: *(int8_t *)at = (int8_t)value; break;
    case 2: *(int16_t *)at = (int16_t)value; break;
    case 4: *(int32_t *)at = (int32_t)value; break;
    default: *(int64_t *)at = value; break;
  }
}

ten_status *cli_value_random(uint64_t seed, uint32_t argument, const ten_type *type, bool indices,
                             ten_tensor **out_tensor) {
  *out_tensor = NULL;
  if (type->kind == TEN_TYPE_TOKEN) return *out_tensor = ten_tensor_token(), NULL;
  if (!ten_type_is_tensor(type) || !ten_type_is_static(type)) {
    ten_buf text = {0};
    ten_type_print(&text, type);
    ten_status *status = ten_error(TEN_INVALID, "argument %u is %s: give its value with --input", argument, text.data);
    ten_buf_free(&text);
    return status;
  }
  TEN_TRY(ten_tensor_create(type->dtype, type->rank, type->dims, out_tensor));
  ten_tensor *tensor = *out_tensor;
  const ten_dtype part = ten_dtype_part(type->dtype);
  const size_t width = ten_dtype_bytes(part), count = tensor->bytes / width;
  const uint64_t key = random_bits(seed, argument);
  for (size_t i = 0; i < count; i++) {
    const uint64_t bits = random_bits(key, i);
    char *at = (char *)tensor->data + i * width;
    if (ten_dtype_is_float(part)) {
      ten_float_encode(part, (double)(int64_t)bits * 0x1p-63, at);
    } else {
      random_integer(part, bits, indices, at);
    }
  }
  return NULL;
}

ten_status *cli_value_write(const char *dir, const char *name, const ten_tensor *tensor) {
  ten_buf path = {0};
  ten_status *status = NULL;
  if (tensor->kind == TEN_VALUE_TENSOR) {
    ten_buf_printf(&path, "%s/%s.npy", dir, name);
    status = ten_npy_write(path.data, tensor->dtype, tensor->dims, tensor->rank, tensor->data);
  }
  for (uint32_t i = 0; tensor->kind == TEN_VALUE_TUPLE && i < tensor->part_count && !status; i++) {
    path.size = 0;
    ten_buf_printf(&path, "%s.%u", name, i);
    status = cli_value_write(dir, path.data, tensor->parts[i]);
  }
  ten_buf_free(&path);
  return status;
}

typedef struct summary {
  double least, mean, largest; /* ignores NaN; NaN when nothing else is left */
  size_t nans;
} summary;

static double element(const ten_tensor *tensor, size_t i) {
  return ten_dtype_is_float(tensor->dtype) ? ten_tensor_real(tensor, i, 0) : (double)ten_tensor_int(tensor, i);
}

/* Complex numbers have no order. */
static bool summarise(const ten_tensor *tensor, summary *out) {
  if (tensor->kind != TEN_VALUE_TENSOR || ten_dtype_is_complex(tensor->dtype)) return false;
  *out = (summary){NAN, NAN, NAN, 0};
  double sum = 0;
  for (size_t i = 0; i < tensor->count; i++) {
    const double value = element(tensor, i);
    if (isnan(value)) {
      out->nans++;
      continue;
    }
    if (!(value >= out->least)) out->least = value;
    if (!(value <= out->largest)) out->largest = value;
    sum += value;
  }
  if (tensor->count > out->nans) out->mean = sum / (double)(tensor->count - out->nans);
  return tensor->count > 0;
}

/* Six digits suffice for reading; files have full precision. */
static void print_element(ten_buf *out, const ten_tensor *tensor, size_t i) {
  if (ten_dtype_is_float(tensor->dtype)) {
    ten_buf_printf(out, "%.6g", ten_tensor_real(tensor, i, 0));
  } else if (ten_dtype_is_complex(tensor->dtype)) {
    ten_buf_printf(out, "(%.6g, %.6g)", ten_tensor_real(tensor, i, 0), ten_tensor_real(tensor, i, 1));
  } else {
    ten_tensor_print_element(out, tensor, i);
  }
}

void cli_value_print(FILE *out, const char *name, const ten_tensor *tensor) {
  ten_buf line = {0};
  summary s;
  ten_tensor_print_type(&line, tensor);
  fprintf(out, "%s: %s", name, line.data);
  if (summarise(tensor, &s)) {
    fprintf(out, "  min %.6g  mean %.6g  max %.6g", s.least, s.mean, s.largest);
    if (s.nans) fprintf(out, "  (%zu NaN)", s.nans);
  }
  fputc('\n', out);
  if (tensor->kind == TEN_VALUE_TENSOR) {
    const size_t shown = tensor->count < FIRST_SHOWN ? tensor->count : FIRST_SHOWN;
    line.size = 0;
    for (size_t i = 0; i < shown; i++) {
      if (i) ten_buf_adds(&line, ", ");
      print_element(&line, tensor, i);
    }
    if (shown < tensor->count) ten_buf_printf(&line, ", … (%zu in all)", tensor->count);
    if (shown) fprintf(out, "  %s\n", line.data);
  }
  ten_buf_free(&line);
  for (uint32_t i = 0; tensor->kind == TEN_VALUE_TUPLE && i < tensor->part_count; i++) {
    ten_buf part = {0};
    ten_buf_printf(&part, "%s.%u", name, i);
    cli_value_print(out, part.data, tensor->parts[i]);
    ten_buf_free(&part);
  }
}

/* JSON has no infinities and no NaN: they are written as strings. */
static json_t *json_number(double value) {
  if (isfinite(value)) return json_real(value);
  return json_string(isnan(value) ? "nan" : value > 0 ? "inf" : "-inf");
}

static json_t *json_element(const ten_tensor *tensor, size_t i) {
  if (ten_dtype_is_complex(tensor->dtype))
    return json_pack("[o, o]", json_number(ten_tensor_real(tensor, i, 0)), json_number(ten_tensor_real(tensor, i, 1)));
  if (ten_dtype_is_float(tensor->dtype)) return json_number(ten_tensor_real(tensor, i, 0));
  if (tensor->dtype == TEN_I1) return json_boolean(ten_tensor_int(tensor, i));
  return json_integer(ten_tensor_int(tensor, i));
}

json_t *cli_value_json(const ten_tensor *tensor) {
  ten_buf type = {0};
  ten_tensor_print_type(&type, tensor);
  json_t *root = json_pack("{s:s}", "type", type.data);
  ten_buf_free(&type);
  if (tensor->kind == TEN_VALUE_TUPLE) {
    json_t *parts = json_array();
    for (uint32_t i = 0; i < tensor->part_count; i++) json_array_append_new(parts, cli_value_json(tensor->parts[i]));
    json_object_set_new(root, "parts", parts);
  }
  if (tensor->kind != TEN_VALUE_TENSOR) return root;
  json_t *shape = json_array(), *first = json_array();
  for (uint32_t i = 0; i < tensor->rank; i++) json_array_append_new(shape, json_integer(tensor->dims[i]));
  for (size_t i = 0; i < tensor->count && i < FIRST_SHOWN; i++) json_array_append_new(first, json_element(tensor, i));
  json_object_set_new(root, "shape", shape);
  json_object_set_new(root, "dtype", json_string(ten_dtype_name(tensor->dtype)));
  json_object_set_new(root, "first", first);
  summary s;
  if (summarise(tensor, &s)) {
    json_object_set_new(root, "min", json_number(s.least));
    json_object_set_new(root, "mean", json_number(s.mean));
    json_object_set_new(root, "max", json_number(s.largest));
    json_object_set_new(root, "nan", json_integer((json_int_t)s.nans));
  }
  return root;
}
