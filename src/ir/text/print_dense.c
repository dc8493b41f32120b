/* print_dense.c: constants. More than a hundred elements that are not a splat are printed in hex, as upstream does. */
#include "ir/text/printer.h"

enum { HEX_ABOVE = 100 };

void ten_print_hex(ten_buf *out, ten_dtype dtype, const void *data, size_t size) {
  static const char digits[] = "0123456789ABCDEF";
  const unsigned bits = ten_dtype_bits(dtype);
  const unsigned char mask = (unsigned char)(bits < 8 ? (1u << bits) - 1 : 255), *bytes = data;
  ten_buf_reserve(out, 2 * size);
  char *at = out->data + out->size;
  for (size_t i = 0; i < size; i++) {
    *at++ = digits[(bytes[i] & mask) >> 4];
    *at++ = digits[bytes[i] & mask & 15];
  }
  out->size += 2 * size;
  out->data[out->size] = 0;
}

static void print_element(ten_buf *out, ten_dtype dtype, const ten_attr *attr, size_t i) {
  const char *at = ten_dense_at(attr, i);
  if (ten_dtype_is_complex(dtype)) {
    const ten_dtype part = ten_dtype_part(dtype);
    ten_buf_addc(out, '(');
    ten_print_float(out, part, at);
    ten_buf_addc(out, ',');
    ten_print_float(out, part, at + ten_dtype_bytes(part));
    ten_buf_addc(out, ')');
  } else if (ten_dtype_is_float(dtype)) {
    ten_print_float(out, dtype, at);
  } else {
    ten_print_int(out, dtype, ten_dense_int(attr, i));
  }
}

static void print_nested(ten_buf *out, const ten_attr *attr, uint32_t level, size_t *next) {
  const ten_type *type = attr->dense.type;
  if (level == type->rank) {
    print_element(out, type->dtype, attr, (*next)++);
    return;
  }
  ten_buf_addc(out, '[');
  for (int64_t i = 0; i < type->dims[level]; i++) {
    if (i) ten_buf_adds(out, ", ");
    print_nested(out, attr, level + 1, next);
  }
  ten_buf_addc(out, ']');
}

/* One element repeated prints as that element. */
static bool is_splat(const ten_attr *attr, size_t element) {
  if (attr->dense.splat) return true;
  const char *data = attr->dense.data;
  return attr->dense.size >= element && !memcmp(data, data + element, attr->dense.size - element);
}

static void print_resource(ten_printer *printer, ten_buf *out, const ten_attr *attr) {
  ten_buf_adds(out, "dense_resource<");
  ten_print_name(out, attr->dense.resource);
  ten_buf_addc(out, '>');
  if (printer && attr->dense.data) ten_vec_push(&printer->resources, attr);
}

void ten_print_dense(ten_printer *printer, ten_buf *out, const ten_attr *attr) {
  const ten_type *type = attr->dense.type;
  const size_t count = (size_t)ten_type_count(type), element = ten_dtype_bytes(type->dtype);
  const bool splat = attr->kind == TEN_ATTR_DENSE && is_splat(attr, element);
  if (printer && printer->options.elide_above && count > printer->options.elide_above && !splat) {
    ten_buf_adds(out, "dense_resource<__elided__>");
  } else if (attr->kind == TEN_ATTR_RESOURCE) {
    print_resource(printer, out, attr);
  } else {
    ten_buf_adds(out, "dense<");
    if (splat) {
      print_element(out, type->dtype, attr, 0);
    } else if (count > HEX_ABOVE && type->dtype != TEN_TF32) {
      ten_buf_adds(out, "\"0x");
      ten_print_hex(out, type->dtype, attr->dense.data, attr->dense.size);
      ten_buf_addc(out, '"');
    } else if (count) {
      size_t next = 0;
      print_nested(out, attr, 0, &next);
    }
    ten_buf_addc(out, '>');
  }
  ten_buf_adds(out, " : ");
  ten_type_print(out, type);
}
