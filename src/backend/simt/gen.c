/* gen.c: the text of a kernel: statements, scopes, indices, registers and memory. */
#include "backend/simt/gen.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/float.h"

void simt_fail(simt_gen *gen, ten_status *status) { gen->error = ten_first_error(gen->error, status); }

static void indent(simt_gen *gen) {
  for (unsigned i = 0; i < gen->indent; i++) ten_buf_adds(&gen->text, "  ");
}

void simt_line(simt_gen *gen, const char *format, ...) {
  indent(gen);
  va_list args;
  va_start(args, format);
  ten_buf_vprintf(&gen->text, format, args);
  va_end(args);
  ten_buf_addc(&gen->text, '\n');
}

uint32_t simt_define(simt_gen *gen, const char *type, const char *format, ...) {
  const uint32_t name = ++gen->registers;
  indent(gen);
  ten_buf_printf(&gen->text, "const %s v%u = ", type, name);
  va_list args;
  va_start(args, format);
  ten_buf_vprintf(&gen->text, format, args);
  va_end(args);
  ten_buf_adds(&gen->text, ";\n");
  return name;
}

const char *simt_register_type(ten_dtype dtype) {
  switch (ten_dtype_part(dtype)) {
    case TEN_I1: return "bool";
    case TEN_I2:
    case TEN_I4:
    case TEN_I8: return "i8";
    case TEN_I16: return "i16";
    case TEN_I32: return "i32";
    case TEN_I64:
    case TEN_INDEX: return "i64";
    case TEN_UI2:
    case TEN_UI4:
    case TEN_UI8: return "u8";
    case TEN_UI16: return "u16";
    case TEN_UI32: return "u32";
    case TEN_UI64: return "u64";
    case TEN_F64: return "f64";
    default: return "f32";
  }
}

const char *simt_memory_type(ten_dtype dtype) {
  const ten_dtype part = ten_dtype_part(dtype);
  if (part == TEN_I1) return "u8";
  if (!ten_dtype_is_float(part) || part == TEN_F32 || part == TEN_F64 || part == TEN_TF32)
    return simt_register_type(part);
  return ten_dtype_bytes(part) == 2 ? "u16" : "u8";
}

const char *simt_text(simt_gen *gen, simt_ix index) {
  char text[40];
  const bool small = gen->narrow && index.number > -SIMT_NARROW_MOST && index.number < SIMT_NARROW_MOST;
  const int size = index.var
                       ? snprintf(text, sizeof text, "v%u", index.var)
                       : snprintf(text, sizeof text, small ? "(%" PRId64 ")" : "((i64)%" PRId64 ")", index.number);
  return ten_arena_strdup(&gen->ir->arena, text, (size_t)size);
}

bool simt_has_tensor_cores(const simt_gen *gen) { return gen->language == SIMT_CUDA_C && gen->arch >= 80; }

size_t simt_shared_most(const simt_gen *gen) {
  enum { WEBGPU = 16 << 10, OTHERS = 64 << 10, SMALL = 99 << 10, A100 = 163 << 10, H100 = 227 << 10 };
  if (gen->language == SIMT_WGSL) return WEBGPU;
  if (gen->language != SIMT_CUDA_C || gen->arch < 80) return OTHERS;
  if (gen->arch == 80 || gen->arch == 87) return A100;
  /* Of workstations and inference. */
  return gen->arch == 86 || gen->arch == 89 || gen->arch >= 120 ? SMALL : H100;
}

const char *simt_index_type(const simt_gen *gen) { return gen->narrow ? "i32" : "i64"; }
const char *simt_wide_type(const simt_gen *gen) { return gen->language == SIMT_WGSL ? "i32" : "i64"; }

/* The index type for an expression with this constant. */
static const char *type_with(const simt_gen *gen, int64_t number) {
  return number > -SIMT_NARROW_MOST && number < SIMT_NARROW_MOST ? simt_index_type(gen) : "i64";
}

simt_ix simt_add(simt_gen *gen, simt_ix x, simt_ix y) {
  if (!x.var && !y.var) return simt_number(x.number + y.number);
  if (!x.var && !x.number) return y;
  if (!y.var && !y.number) return x;
  const char *type = type_with(gen, x.var ? y.number : x.number);
  return simt_index_of(simt_define(gen, type, "%s + %s", simt_text(gen, x), simt_text(gen, y)));
}

simt_ix simt_subtract(simt_gen *gen, simt_ix x, simt_ix y) {
  if (!x.var && !y.var) return simt_number(x.number - y.number);
  if (!y.var && !y.number) return x;
  const char *type = type_with(gen, x.var ? y.number : x.number);
  return simt_index_of(simt_define(gen, type, "%s - %s", simt_text(gen, x), simt_text(gen, y)));
}

simt_ix simt_multiply(simt_gen *gen, simt_ix x, int64_t y) {
  if (!x.var) return simt_number(x.number * y);
  if (y == 1) return x;
  if (y == 0) return simt_number(0);
  return simt_index_of(simt_define(gen, type_with(gen, y), "%s * %" PRId64, simt_text(gen, x), y));
}

simt_ix simt_divide(simt_gen *gen, simt_ix x, int64_t y) {
  if (y <= 1) return x;
  if (!x.var) return simt_number(x.number / y);
  if (gen->narrow && y < SIMT_NARROW_MOST)
    return simt_index_of(simt_define(gen, "i32", "(i32)((u32)%s / %" PRIu64 "u)", simt_text(gen, x), (uint64_t)y));
  return simt_index_of(simt_define(gen, "i64", "(i64)((u64)%s / %" PRIu64 "ul)", simt_text(gen, x), (uint64_t)y));
}

simt_ix simt_modulo(simt_gen *gen, simt_ix x, int64_t y) {
  if (y <= 1) return simt_number(0);
  if (!x.var) return simt_number(x.number % y);
  if (gen->narrow && y < SIMT_NARROW_MOST)
    return simt_index_of(simt_define(gen, "i32", "(i32)((u32)%s %% %" PRIu64 "u)", simt_text(gen, x), (uint64_t)y));
  return simt_index_of(simt_define(gen, "i64", "(i64)((u64)%s %% %" PRIu64 "ul)", simt_text(gen, x), (uint64_t)y));
}

simt_ix simt_linear(simt_gen *gen, const ten_type *type, const simt_ix *index) {
  simt_ix linear = simt_number(0);
  for (uint32_t i = 0; i < type->rank; i++)
    if (type->dims[i] != 1) linear = simt_add(gen, simt_multiply(gen, linear, type->dims[i]), index[i]);
  return linear;
}

void simt_delinearise(simt_gen *gen, uint32_t rank, const int64_t *dims, simt_ix linear, simt_ix *out) {
  uint32_t first = 0; /* the first dimension that is not of size 1 takes the remainder */
  while (first < rank && dims[first] == 1) out[first++] = simt_number(0);
  for (uint32_t i = rank; i-- > first;) {
    if (dims[i] == 1) {
      out[i] = simt_number(0);
      continue;
    }
    out[i] = i == first ? linear : simt_modulo(gen, linear, dims[i]);
    if (i > first) linear = simt_divide(gen, linear, dims[i]);
  }
}

simt_ix simt_place(simt_gen *gen, const ten_value *value, const simt_ix *index) {
  const ten_type *type = value->type;
  const uint8_t *order = simt_order(gen, value);
  if (!order) return simt_linear(gen, type, index);
  simt_ix linear = simt_number(0);
  for (uint32_t i = 0; i < type->rank; i++)
    if (type->dims[order[i]] != 1)
      linear = simt_add(gen, simt_multiply(gen, linear, type->dims[order[i]]), index[order[i]]);
  return linear;
}

void simt_unplace(simt_gen *gen, const ten_value *value, simt_ix linear, simt_ix *out) {
  const ten_type *type = value->type;
  const uint8_t *order = simt_order(gen, value);
  if (!order) {
    simt_delinearise(gen, type->rank, type->dims, linear, out);
    return;
  }
  int64_t *dims = ten_arena_new_array(&gen->ir->arena, int64_t, type->rank + 1);
  simt_ix *places = simt_indices(gen, type->rank);
  for (uint32_t i = 0; i < type->rank; i++) dims[i] = type->dims[order[i]];
  simt_delinearise(gen, type->rank, dims, linear, places);
  for (uint32_t i = 0; i < type->rank; i++) out[order[i]] = places[i];
}

simt_ix *simt_indices(simt_gen *gen, uint32_t rank) { return ten_arena_new_array(&gen->ir->arena, simt_ix, rank + 1); }

simt_ix simt_loop(simt_gen *gen, int64_t count) {
  const uint32_t name = ++gen->registers;
  simt_open(gen, "for (%s v%u = 0; v%u < %" PRId64 "; v%u++)", simt_index_type(gen), name, name, count, name);
  return simt_index_of(name);
}

simt_var simt_var_new(simt_gen *gen, ten_dtype dtype, simt_val initial) {
  simt_var var = {dtype, {++gen->registers, 0}};
  simt_line(gen, "%s v%u = v%u;", simt_register_type(dtype), var.at.re, initial.re);
  if (initial.im) {
    var.at.im = ++gen->registers;
    simt_line(gen, "%s v%u = v%u;", simt_register_type(dtype), var.at.im, initial.im);
  }
  return var;
}

void simt_set(simt_gen *gen, const simt_var *var, simt_val value) {
  /* read both parts before writing either: they may alias the variable */
  if (var->at.re != value.re) simt_line(gen, "v%u = v%u;", var->at.re, value.re);
  if (var->at.im && var->at.im != value.im) simt_line(gen, "v%u = v%u;", var->at.im, value.im);
}

simt_val simt_zero(simt_gen *gen, ten_dtype dtype) {
  const char *type = simt_register_type(dtype);
  simt_val zero = {simt_define(gen, type, "0"), 0};
  if (ten_dtype_is_complex(dtype)) zero.im = simt_define(gen, type, "0");
  return zero;
}

static uint32_t float_constant(simt_gen *gen, ten_dtype dtype, double value) {
  if (dtype == TEN_F64) {
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    if (!isfinite(value)) return simt_define(gen, "f64", "f64_of(0x%" PRIx64 "ul)", bits);
    return simt_define(gen, "f64", "(f64)%.17g", value);
  }
  const float narrow = (float)value;
  uint32_t bits;
  memcpy(&bits, &narrow, sizeof bits);
  if (!isfinite(value)) return simt_define(gen, "f32", "f32_of(0x%xu)", bits);
  char text[48];
  snprintf(text, sizeof text, "%.9g", value);
  return simt_define(gen, "f32", "%s%sf", text, strpbrk(text, ".e") ? "" : ".0");
}

simt_val simt_constant(simt_gen *gen, ten_dtype dtype, const void *bytes) {
  const ten_dtype part = ten_dtype_part(dtype);
  simt_val value = {0};
  for (unsigned i = 0; i < (ten_dtype_is_complex(dtype) ? 2u : 1u); i++) {
    const char *at = (const char *)bytes + i * ten_dtype_bytes(part);
    uint32_t name;
    if (ten_dtype_is_float(part)) {
      name = float_constant(gen, part, ten_float_decode(part, at));
    } else {
      int64_t number = 0;
      memcpy(&number, at, ten_dtype_bytes(part)); /* little endian */
      const unsigned unused = 64 - 8 * (unsigned)ten_dtype_bytes(part);
      if (!simt_is_unsigned(part)) number = (int64_t)((uint64_t)number << unused) >> unused;
      const char *type = simt_register_type(part);
      name = simt_define(gen, type, "(%s)0x%" PRIx64 "ul", type, (uint64_t)number);
    }
    *(i ? &value.im : &value.re) = name;
  }
  return value;
}

const char *simt_format(simt_gen *gen, ten_dtype dtype) {
  const ten_float_format f = ten_float_format_of(dtype);
  char text[64];
  const int size = snprintf(text, sizeof text, "%u, %u, %d, %d, %d, %d, %d", f.exponent_bits, f.mantissa_bits, f.bias,
                            f.has_infinity, f.has_nan, f.unsigned_zero, f.has_sign);
  return ten_arena_strdup(&gen->ir->arena, text, (size_t)size);
}

static uint32_t load_part(simt_gen *gen, ten_dtype part, const char *pointer, simt_ix at) {
  const char *type = simt_register_type(part), *place = simt_text(gen, at);
  if (part == TEN_I1) return simt_define(gen, type, "%s[%s] != 0", pointer, place);
  if (!ten_dtype_is_float(part) || part == TEN_F32 || part == TEN_F64 || part == TEN_TF32)
    return simt_define(gen, type, "%s[%s]", pointer, place);
  if (part == TEN_BF16) return simt_define(gen, type, "f32_of((u32)%s[%s] << 16)", pointer, place);
  return simt_define(gen, type, "narrow_decode(%s[%s], %s)", pointer, place, simt_format(gen, part));
}

simt_val simt_load(simt_gen *gen, ten_dtype dtype, const char *pointer, simt_ix at) {
  if (!ten_dtype_is_complex(dtype)) return (simt_val){load_part(gen, dtype, pointer, at), 0};
  const ten_dtype part = ten_dtype_part(dtype);
  const simt_ix low = simt_multiply(gen, at, 2);
  return (simt_val){load_part(gen, part, pointer, low),
                    load_part(gen, part, pointer, simt_add(gen, low, simt_number(1)))};
}

static void store_part(simt_gen *gen, ten_dtype part, const char *pointer, simt_ix at, uint32_t name) {
  const char *place = simt_text(gen, at);
  if (part == TEN_BF16)
    simt_line(gen, "%s[%s] = (u16)bf16_bits(v%u);", pointer, place, name);
  else if (ten_dtype_is_float(part) && part != TEN_F32 && part != TEN_F64 && part != TEN_TF32)
    simt_line(gen, "%s[%s] = (%s)narrow_encode(v%u, %s);", pointer, place, simt_memory_type(part), name,
              simt_format(gen, part));
  else
    simt_line(gen, "%s[%s] = v%u;", pointer, place, name);
}

void simt_store(simt_gen *gen, ten_dtype dtype, const char *pointer, simt_ix at, simt_val value) {
  const ten_dtype part = ten_dtype_part(dtype);
  const bool pair = ten_dtype_is_complex(dtype);
  const simt_ix low = pair ? simt_multiply(gen, at, 2) : at;
  store_part(gen, part, pointer, low, value.re);
  if (pair) store_part(gen, part, pointer, simt_add(gen, low, simt_number(1)), value.im);
}

uint32_t simt_fit(simt_gen *gen, ten_dtype dtype, const char *format, ...) {
  ten_buf text = {0};
  va_list args;
  va_start(args, format);
  ten_buf_vprintf(&text, format, args);
  va_end(args);
  const ten_dtype part = ten_dtype_part(dtype);
  const char *type = simt_register_type(part);
  const unsigned bits = ten_dtype_bits(part);
  uint32_t name;
  if (part == TEN_I1 || part == TEN_F32 || part == TEN_F64)
    name = simt_define(gen, type, "%s", text.data);
  else if (part == TEN_BF16)
    name = simt_define(gen, type, "bf16_round(%s)", text.data);
  else if (part == TEN_TF32)
    name = simt_define(gen, type, "f32_reduce(%s, 8, 10)", text.data);
  else if (ten_dtype_is_float(part))
    name = simt_define(gen, type, "narrow_round(%s, %s)", text.data, simt_format(gen, part));
  else if (bits >= 8)
    name = simt_define(gen, type, "(%s)(%s)", type, text.data);
  else if (simt_is_unsigned(part))
    name = simt_define(gen, type, "(u8)((%s) & %u)", text.data, (1u << bits) - 1);
  else
    name = simt_define(gen, type, "(i8)((i32)((u32)(%s) << %u) >> %u)", text.data, 32 - bits, 32 - bits);
  ten_buf_free(&text);
  return name;
}
