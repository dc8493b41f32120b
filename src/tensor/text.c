/* text.c: arrays as NumPy prints them: the shortest digits that read back the same, columns of one width, rows that
 * break at 75 characters, and only the edges of more than 1000 elements. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/float.h"
#include "tensor/internal.h"

enum { EDGE = 3, THRESHOLD = 1000, WIDTH = 75, DIGITS = 8 };

typedef struct columns {
  bool scientific;
  int left, right, imag_right, width; /* characters before and after the point; of anything else, all of them */
} columns;

typedef struct printing {
  const ten_tensor *value;
  ten_buf *out;
  columns c;
  bool all;
  int column; /* of the line being written */
} printing;

/* The fewest digits after the point of %e (at most DIGITS) that read back as the same number of this type. */
static int digits_of(double x, ten_dtype dtype) {
  for (int digits = 0; digits < DIGITS; digits++) {
    char text[64];
    snprintf(text, sizeof text, "%.*e", digits, x);
    const double back = strtod(text, NULL);
    if (dtype == TEN_F64 ? back == x : ten_float_round(dtype, back) == x) return digits;
  }
  return DIGITS;
}

/* The fewest digits after the point (at most DIGITS) that read back as the same number, or as its rounded one. */
static int decimals_of(double x, ten_dtype dtype) {
  if (!isfinite(x) || fabs(x) >= 1e16) return 0;
  char text[64];
  for (int decimals = 0; decimals < DIGITS; decimals++) {
    snprintf(text, sizeof text, "%.*f", decimals, x);
    const double back = strtod(text, NULL);
    if (dtype == TEN_F64 ? back == x : ten_float_round(dtype, back) == x) return decimals;
  }
  int decimals = DIGITS;
  const int size = snprintf(text, sizeof text, "%.*f", decimals, x);
  while (decimals && text[size - 1 - (DIGITS - decimals)] == '0') decimals--;
  return decimals;
}

/* 1.e-10: the point is there without digits after it, too. */
static void scientific_text(char *out, size_t size, double x, const char *plus, int right) {
  char text[64];
  snprintf(text, sizeof text, "%.*e", right, x);
  char *e = strchr(text, 'e');
  snprintf(out, size, "%s%.*s%s%s", plus, (int)(e - text), text, right ? "" : ".", e);
}

static void real_text(char *out, size_t size, double x, const columns *c, int right, bool sign) {
  const char *plus = sign && !signbit(x) ? "+" : "";
  if (isnan(x))
    snprintf(out, size, "%snan", sign ? "+" : "");
  else if (isinf(x))
    snprintf(out, size, "%sinf", x < 0 ? "-" : plus);
  else if (c->scientific)
    scientific_text(out, size, x, plus, right);
  else
    snprintf(out, size, "%s%.*f%s", plus, right, x, right ? "" : ".");
}

/* Zeros at the end are spaces: columns stay in line. */
static void pad(char *text) {
  if (!strchr(text, '.')) return;
  for (char *end = text + strlen(text) - 1; *end == '0'; end--) *end = ' ';
}

static void element_text(const printing *p, size_t index, char *out, size_t size) {
  const ten_tensor *value = p->value;
  const ten_dtype dtype = value->dtype;
  if (ten_dtype_is_complex(dtype)) {
    char real[64], imag[64];
    real_text(real, sizeof real, ten_tensor_real(value, index, 0), &p->c, p->c.right, false);
    real_text(imag, sizeof imag, ten_tensor_real(value, index, 1), &p->c, p->c.imag_right, true);
    snprintf(out, size, "%s%sj", real, imag);
  } else if (ten_dtype_is_float(dtype)) {
    real_text(out, size, ten_tensor_real(value, index, 0), &p->c, p->c.right, false);
    if (!p->c.scientific && value->rank) pad(out);
  } else if (dtype == TEN_I1) {
    snprintf(out, size, "%s", ten_tensor_int(value, index) ? "True" : "False");
  } else if (ten_dtype_class(dtype) == TEN_CLASS_UINT) {
    snprintf(out, size, "%llu", (unsigned long long)ten_tensor_int(value, index));
  } else {
    snprintf(out, size, "%lld", (long long)ten_tensor_int(value, index));
  }
}

/* Runs body for every element that is printed. */
typedef void (*element_body)(printing *p, size_t index);
static void each(printing *p, uint32_t dim, size_t base, element_body body) {
  const ten_tensor *value = p->value;
  if (dim == value->rank) {
    body(p, base);
    return;
  }
  size_t step = 1;
  for (uint32_t d = dim + 1; d < value->rank; d++) step *= (size_t)value->dims[d];
  for (int64_t i = 0; i < value->dims[dim]; i++) {
    if (!p->all && value->dims[dim] > 2 * EDGE && i == EDGE) i = value->dims[dim] - EDGE;
    each(p, dim + 1, base + (size_t)i * step, body);
  }
}

static void measure_number(columns *c, double x, ten_dtype dtype, int *right) {
  if (!isfinite(x)) return;
  const double size = fabs(x);
  if (size >= 1e16 || (size > 0 && size < 1e-4)) c->scientific = true;
  const int decimals = decimals_of(x, dtype);
  if (decimals > *right) *right = decimals;
}

static void measure(printing *p, size_t index) {
  const ten_dtype dtype = p->value->dtype, part = ten_dtype_part(dtype);
  if (!ten_dtype_is_float(part)) return;
  measure_number(&p->c, ten_tensor_real(p->value, index, 0), part, &p->c.right);
  if (part != dtype) measure_number(&p->c, ten_tensor_real(p->value, index, 1), part, &p->c.imag_right);
}

static void measure_digits(printing *p, size_t index) {
  const ten_dtype part = ten_dtype_part(p->value->dtype);
  const double x = ten_tensor_real(p->value, index, 0);
  const int digits = isfinite(x) ? digits_of(x, part) : 0;
  if (digits > p->c.right) p->c.right = digits;
  p->c.imag_right = p->c.right;
}

static void measure_width(printing *p, size_t index) {
  char text[160];
  element_text(p, index, text, sizeof text);
  const int width = (int)strlen(text);
  if (width > p->c.width) p->c.width = width;
}

static void put(printing *p, const char *text, int width) {
  const int size = (int)strlen(text);
  for (int i = size; i < width; i++) ten_buf_addc(p->out, ' ');
  ten_buf_adds(p->out, text);
  p->column += size > width ? size : width;
}

static void line(printing *p, uint32_t depth) {
  ten_buf_addc(p->out, '\n');
  p->column = 0;
  for (uint32_t i = 0; i < depth; i++) put(p, " ", 1);
}

static void write_level(printing *p, uint32_t dim, size_t base) {
  const ten_tensor *value = p->value;
  char text[160];
  if (dim == value->rank) {
    element_text(p, base, text, sizeof text);
    put(p, text, value->rank ? p->c.width : 0);
    return;
  }
  size_t step = 1;
  for (uint32_t d = dim + 1; d < value->rank; d++) step *= (size_t)value->dims[d];
  const bool last = dim + 1 == value->rank;
  put(p, "[", 1);
  for (int64_t i = 0; i < value->dims[dim]; i++) {
    const bool skip = !p->all && value->dims[dim] > 2 * EDGE && i == EDGE;
    if (i && last) {
      if (p->column + 1 + p->c.width + 1 > WIDTH)
        line(p, dim + 1);
      else
        put(p, " ", 1);
    } else if (i) {
      for (uint32_t k = dim + 2; k < value->rank; k++) ten_buf_addc(p->out, '\n');
      line(p, dim + 1);
    }
    if (skip) {
      put(p, "...", 3);
      i = value->dims[dim] - EDGE - 1;
    } else {
      write_level(p, dim + 1, base + (size_t)i * step);
    }
  }
  put(p, "]", 1);
}

ten_status *ten_array_text(ten_array *array, char **out_text) {
  *out_text = NULL;
  TEN_RECOVER("printing an array");
  TEN_TRY(tensor_live("print", 1, &array));
  const void *data;
  TEN_TRY(ten_array_data(array, &data));
  ten_buf out = {0};
  printing p = {.value = tensor_result_of(array)->value, .out = &out};
  p.all = p.value->count <= THRESHOLD;
  each(&p, 0, 0, measure);
  if (p.c.scientific) {
    p.c.right = 0;
    each(&p, 0, 0, measure_digits);
  }
  each(&p, 0, 0, measure_width);
  if (p.value->count)
    write_level(&p, 0, 0);
  else
    ten_buf_adds(&out, "[]");
  *out_text = ten_buf_take(&out);
  return NULL;
}
