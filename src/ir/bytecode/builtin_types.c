/* builtin_types.c: types of the builtin and quant dialects, and readers that they share with vhlo. */
#include <stdio.h>

#include "ir/bytecode/reader.h"

const ten_type *bc_complex(bc_bytes *bytes) {
  const ten_type *part = bc_type(bytes);
  if (!part) return NULL;
  if (part->kind == TEN_TYPE_SCALAR && part->dtype == TEN_F32) return ten_type_scalar(bytes->reader->module, TEN_C64);
  if (part->kind == TEN_TYPE_SCALAR && part->dtype == TEN_F64) return ten_type_scalar(bytes->reader->module, TEN_C128);
  bc_fail(bytes->reader, "the elements of complex must be f32 or f64");
  return NULL;
}

const ten_type *bc_shaped(bc_bytes *bytes, ten_type_kind kind, const ten_attr *encoding) {
  bc_reader *reader = bytes->reader;
  size_t rank;
  int64_t *dims = bc_ints(bytes, &rank);
  const ten_type *element = bc_type(bytes);
  if (!element) return NULL;
  if (rank > UINT32_MAX) bc_fail(reader, "a shape has %zu dimensions, which is more than is supported", rank);
  for (size_t i = 0; i < rank; i++)
    if (dims[i] < 0 && dims[i] != TEN_DYNAMIC)
      bc_fail(reader, "a dimension is %lld; it must be at least 0", (long long)dims[i]);
  if (element->kind != TEN_TYPE_SCALAR && element->kind != TEN_TYPE_QUANT && element->kind != TEN_TYPE_OPAQUE)
    bc_fail(reader, "a tensor's elements cannot be of that type");
  if (reader->error) return NULL;
  return kind == TEN_TYPE_BUFFER ? ten_type_buffer_of(reader->module, element, true, (uint32_t)rank, dims, encoding)
                                 : ten_type_tensor_of(reader->module, element, true, (uint32_t)rank, dims, encoding);
}

static const ten_type *unranked(bc_bytes *bytes, ten_type_kind kind) {
  const ten_type *element = bc_type(bytes);
  if (!element) return NULL;
  if (kind == TEN_TYPE_BUFFER) return ten_type_buffer_of(bytes->reader->module, element, false, 0, NULL, NULL);
  return ten_type_tensor_of(bytes->reader->module, element, false, 0, NULL, NULL);
}

static const ten_type *integer_type(bc_bytes *bytes) {
  enum { SIGNLESS, SIGNED, UNSIGNED };
  const uint64_t code = bc_varint(bytes), width = code >> 2;
  const unsigned sign = code & 3;
  if (sign > UNSIGNED || !width || width > 1 << 24) {
    bc_fail(bytes->reader, "an integer type of %llu bits is not supported", (unsigned long long)width);
    return NULL;
  }
  char text[32];
  const int size = snprintf(text, sizeof text, "%si%llu",
                            sign == SIGNED     ? "s"
                            : sign == UNSIGNED ? "u"
                                               : "",
                            (unsigned long long)width);
  const ten_dtype dtype = ten_dtype_parse(text, (size_t)size);
  return dtype ? ten_type_scalar(bytes->reader->module, dtype)
               : ten_type_opaque(bytes->reader->module, (ten_str){text, (size_t)size});
}

/* An identity layout carries no information; StableHLO's buffers have no other. */
static const ten_type *memref(bc_bytes *bytes, bool has_space) {
  if (has_space) bc_attr(bytes);
  if (has_space) bc_fail(bytes->reader, "memref types with a memory space are not StableHLO's");
  const ten_type *type = bc_shaped(bytes, TEN_TYPE_BUFFER, NULL);
  bc_attr(bytes);
  return type;
}

const ten_type *bc_builtin_type(bc_bytes *bytes) {
  enum {
    INTEGER = 0,
    FUNCTION = 2,
    COMPLEX = 9,
    MEMREF = 10,
    MEMREF_SPACE = 11,
    NONE = 12,
    TENSOR = 13,
    TENSOR_ENCODED = 14,
    TUPLE = 15,
    UNRANKED_MEMREF = 16,
    UNRANKED_TENSOR = 18
  };
  ten_module *module = bytes->reader->module;
  uint32_t input_count, result_count;
  const uint64_t code = bc_varint(bytes);
  for (size_t i = 0; i < builtin_scalar_count; i++)
    if (builtin_scalars[i].code == code) return ten_type_scalar(module, builtin_scalars[i].dtype);
  switch (code) {
    case INTEGER: return integer_type(bytes);
    case FUNCTION: {
      const ten_type **inputs = bc_types(bytes, &input_count), **results = bc_types(bytes, &result_count);
      return bc_ok(bytes) ? ten_type_function(module, input_count, inputs, result_count, results) : NULL;
    }
    case COMPLEX: return bc_complex(bytes);
    case MEMREF: return memref(bytes, false);
    case MEMREF_SPACE: return memref(bytes, true);
    case NONE: return ten_type_none(module);
    case TENSOR: return bc_shaped(bytes, TEN_TYPE_TENSOR, NULL);
    case TENSOR_ENCODED: {
      const ten_attr *encoding = bc_attr(bytes);
      return bc_shaped(bytes, TEN_TYPE_TENSOR, encoding);
    }
    case TUPLE: {
      const ten_type **elements = bc_types(bytes, &input_count);
      return bc_ok(bytes) ? ten_type_tuple(module, input_count, elements) : NULL;
    }
    case UNRANKED_MEMREF: return unranked(bytes, TEN_TYPE_BUFFER);
    case UNRANKED_TENSOR: return unranked(bytes, TEN_TYPE_TENSOR);
    default: bc_fail(bytes->reader, "builtin type code %llu is not known here", (unsigned long long)code); return NULL;
  }
}

ten_dtype bc_with_sign(ten_dtype dtype, bool is_signed) {
  static const ten_dtype pairs[][2] = {{TEN_UI2, TEN_I2},   {TEN_UI4, TEN_I4},   {TEN_UI8, TEN_I8},
                                       {TEN_UI16, TEN_I16}, {TEN_UI32, TEN_I32}, {TEN_UI64, TEN_I64}};
  for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
    if (pairs[i][0] == dtype || pairs[i][1] == dtype) return pairs[i][is_signed];
  return dtype;
}

/* Whether a range equals the default range. */
static bool is_whole_range(const ten_quant *quant) {
  const unsigned bits = ten_dtype_bits(quant->storage);
  const int64_t min = quant->is_signed ? -(INT64_C(1) << (bits - 1)) : 0;
  const int64_t max = quant->is_signed ? (INT64_C(1) << (bits - 1)) - 1 : (INT64_C(1) << bits) - 1;
  return quant->storage_min == min && quant->storage_max == max;
}

static const ten_type *quant_make(bc_reader *reader, ten_quant *quant, uint64_t flags, const ten_type *storage,
                                  const ten_type *expressed) {
  if (reader->error) return NULL;
  const bool is_int = storage->kind == TEN_TYPE_SCALAR && ten_dtype_is_int(storage->dtype) &&
                      storage->dtype != TEN_INDEX && ten_dtype_bits(storage->dtype) <= 32;
  if (!is_int || expressed->kind != TEN_TYPE_SCALAR || !ten_dtype_is_float(expressed->dtype)) {
    bc_fail(reader, "a quantized type must store integers of up to 32 bits and stand for floats");
    return NULL;
  }
  quant->is_signed = flags & 1;
  quant->storage = bc_with_sign(storage->dtype, quant->is_signed);
  quant->expressed = expressed->dtype;
  quant->narrow = !is_whole_range(quant);
  return ten_type_quant(reader->module, quant);
}

const ten_type *bc_quant(bc_bytes *bytes, bool per_axis) {
  ten_quant quant = {0};
  const uint64_t flags = bc_varint(bytes);
  const ten_type *storage = bc_type(bytes), *expressed = bc_type(bytes);
  double scale;
  int64_t zero_point;
  int32_t axis;
  if (!per_axis) {
    scale = bc_double(bytes);
    zero_point = bc_svarint(bytes);
    quant.count = 1;
    quant.scales = &scale;
    quant.zero_points = &zero_point;
  } else {
    const uint64_t dimension = bc_varint(bytes);
    if (dimension > INT32_MAX)
      bc_fail(bytes->reader, "the quantized dimension %llu is out of range", (unsigned long long)dimension);
    axis = (int32_t)dimension;
    quant.axis_count = 1;
    quant.axes = &axis;
  }
  quant.storage_min = bc_svarint(bytes);
  quant.storage_max = bc_svarint(bytes);
  if (per_axis) {
    quant.count = bc_count(bytes, "scales");
    double *scales = ten_arena_new_array(&bytes->reader->scratch, double, quant.count);
    for (size_t i = 0; i < quant.count; i++) scales[i] = bc_double(bytes);
    size_t zero_count;
    quant.zero_points = bc_ints(bytes, &zero_count);
    quant.scales = scales;
    if (zero_count != quant.count)
      bc_fail(bytes->reader, "%zu scales and %zu zero points: there must be as many of both", quant.count, zero_count);
  }
  return quant_make(bytes->reader, &quant, flags, storage, expressed);
}

static const double *doubles_of(bc_reader *reader, const ten_attr *attr, size_t count) {
  double *values = ten_arena_new_array(&reader->scratch, double, count);
  for (size_t i = 0; i < count; i++) {
    const void *at = ten_dense_at(attr, i);
    float narrow;
    if (attr->dense.type->dtype == TEN_F64)
      memcpy(&values[i], at, sizeof values[i]);
    else
      memcpy(&narrow, at, sizeof narrow), values[i] = (double)narrow;
  }
  return values;
}

static const ten_type *sub_channel(bc_bytes *bytes) {
  bc_reader *reader = bytes->reader;
  ten_quant quant = {0};
  const uint64_t flags = bc_varint(bytes);
  const ten_type *storage = bc_type(bytes), *expressed = bc_type(bytes);
  quant.storage_min = bc_svarint(bytes);
  quant.storage_max = bc_svarint(bytes);
  size_t axis_count, block_count;
  const int64_t *dims = bc_ints(bytes, &axis_count), *sizes = bc_ints(bytes, &block_count);
  const ten_attr *scales = bc_attr(bytes), *zeros = bc_attr(bytes);
  if (reader->error) return NULL;
  const bool fits = axis_count == block_count && axis_count < UINT32_MAX && scales->kind == TEN_ATTR_DENSE &&
                    zeros->kind == TEN_ATTR_DENSE &&
                    ten_type_count(scales->dense.type) == ten_type_count(zeros->dense.type) &&
                    (scales->dense.type->dtype == TEN_F32 || scales->dense.type->dtype == TEN_F64) &&
                    ten_dtype_is_int(zeros->dense.type->dtype) && ten_type_count(scales->dense.type) <= BC_WEIGHT_MAX;
  if (!fits) {
    bc_fail(reader, "the lists of a sub-channel quantized type differ in length");
    return NULL;
  }
  int32_t *axes = ten_arena_new_array(&reader->scratch, int32_t, axis_count);
  for (size_t i = 0; i < axis_count; i++) axes[i] = (int32_t)dims[i];
  quant.axis_count = (uint32_t)axis_count;
  quant.axes = axes;
  quant.block_sizes = sizes;
  quant.blocks = scales->dense.type->dims;
  quant.block_rank = scales->dense.type->rank;
  quant.count = (size_t)ten_type_count(scales->dense.type);
  quant.scales = doubles_of(reader, scales, quant.count);
  int64_t *points = ten_arena_new_array(&reader->scratch, int64_t, quant.count);
  for (size_t i = 0; i < quant.count; i++) points[i] = ten_dense_int(zeros, i);
  quant.zero_points = points;
  return quant_make(reader, &quant, flags, storage, expressed);
}

const ten_type *bc_quant_type(bc_bytes *bytes) {
  enum { UNIFORM = 4, PER_AXIS = 5, SUB_CHANNEL = 6 };
  const uint64_t code = bc_varint(bytes);
  if (code == UNIFORM || code == PER_AXIS) return bc_quant(bytes, code == PER_AXIS);
  if (code == SUB_CHANNEL) return sub_channel(bytes);
  bc_fail(bytes->reader, "quant type code %llu is not known here", (unsigned long long)code);
  return NULL;
}
