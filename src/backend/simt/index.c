/* index.c: data movement ops: the source of a result element (ir/index_map.h), as text. */
#include <inttypes.h>

#include "backend/simt/gen.h"
#include "ir/index_map.h"

/* An index operand clamped to [0, high]; a large unsigned value is large, not negative. */
static simt_ix start_index(simt_gen *gen, const ten_value *value, const simt_ix *at, int64_t high) {
  const simt_val element = simt_element(gen, value, at);
  if (high < 0) high = 0;
  if (value->type->dtype == TEN_UI64 && gen->language != SIMT_WGSL)
    return simt_index_of(simt_define(gen, "i64", "v%u < %" PRIu64 "ul ? (i64)v%u : %" PRId64, element.re,
                                     (uint64_t)high, element.re, high));
  const simt_ix raw = simt_as_index(gen, value->type->dtype, element);
  const char *text = simt_text(gen, raw);
  return simt_index_of(simt_define(gen, simt_wide_type(gen), "%s < 0 ? 0 : %s > %" PRId64 " ? %" PRId64 " : %s", text,
                                   text, high, high, text));
}

void simt_emit_iota(simt_gen *gen, const ten_op *op, const simt_ix *index, simt_val *out) {
  const int64_t dim = ten_op_int(op, "iota_dimension", 0);
  const ten_dtype wide = gen->language == SIMT_WGSL ? TEN_I32 : TEN_I64;
  const uint32_t number = simt_define(gen, simt_wide_type(gen), "%s", simt_text(gen, index[dim]));
  out[0] = simt_convert(gen, wide, op->results[0].type->dtype, (simt_val){number, 0});
}

static void moved_index(simt_gen *gen, const ten_op *op, const simt_ix *index, simt_ix *at) {
  for (uint32_t i = 0; i < ten_op_operand(op, 0)->type->rank; i++) {
    const ten_index_part part = ten_index_part_of(op, i);
    const simt_ix from = part.source < 0 ? simt_number(0) : index[part.source], offset = simt_number(part.offset);
    at[i] = part.scale == -1 ? simt_subtract(gen, offset, from)
                             : simt_add(gen, simt_multiply(gen, from, part.scale), offset);
  }
}

static void reshape_index(simt_gen *gen, const ten_op *op, const simt_ix *index, simt_ix *at) {
  const ten_type *from = op->results[0].type, *to = ten_op_operand(op, 0)->type;
  for (ten_reshape_run run = {0}; ten_reshape_next(from, to, &run);) {
    simt_ix linear = simt_number(0);
    for (uint32_t k = run.from; k < run.from_end; k++)
      if (from->dims[k] != 1) linear = simt_add(gen, simt_multiply(gen, linear, from->dims[k]), index[k]);
    simt_delinearise(gen, run.to_end - run.to, to->dims + run.to, linear, at + run.to);
  }
}

void simt_operand_index(simt_gen *gen, const ten_op *op, const simt_ix *index, simt_ix *out) {
  if (op->code == TEN_OP_RESHAPE)
    reshape_index(gen, op, index, out);
  else
    moved_index(gen, op, index, out);
}

void simt_emit_moved(simt_gen *gen, const ten_op *op, const simt_ix *index, simt_val *out) {
  const ten_value *x = ten_op_operand(op, 0);
  simt_ix *at = simt_indices(gen, x->type->rank);
  simt_operand_index(gen, op, index, at);
  out[0] = simt_element(gen, x, at);
}

void simt_emit_pad(simt_gen *gen, const ten_op *op, const simt_ix *index, simt_val *out) {
  const ten_value *x = ten_op_operand(op, 0);
  const ten_type *type = x->type;
  const simt_val padding = simt_element(gen, ten_op_operand(op, 1), NULL);
  if (!ten_type_count(type)) {
    out[0] = padding;
    return;
  }
  simt_ix *at = simt_indices(gen, type->rank);
  ten_buf inside = {0};
  ten_buf_adds(&inside, "if (true");
  for (uint32_t i = 0; i < type->rank; i++) {
    const ten_pad_part part = ten_pad_part_of(op, i);
    at[i] = index[i];
    if (part.whole) continue;
    simt_ix from = simt_subtract(gen, index[i], simt_number(part.low));
    ten_buf_printf(&inside, " && %s >= 0", simt_text(gen, from));
    if (part.step != 1) {
      ten_buf_printf(&inside, " && %s %% %" PRId64 " == 0", simt_text(gen, from), part.step);
      from = simt_index_of(simt_define(gen, simt_wide_type(gen), "%s / %" PRId64, simt_text(gen, from), part.step));
    }
    ten_buf_printf(&inside, " && %s < %" PRId64, simt_text(gen, from), part.size);
    at[i] = from;
  }
  const simt_var result = simt_var_new(gen, type->dtype, padding);
  simt_open(gen, "%s)", inside.data);
  ten_buf_free(&inside);
  simt_set(gen, &result, simt_element(gen, x, at));
  simt_close(gen);
  out[0] = result.at;
}

void simt_emit_concatenate(simt_gen *gen, const ten_op *op, const simt_ix *index, simt_val *out) {
  const ten_type *type = op->results[0].type;
  const simt_var result = simt_var_new(gen, type->dtype, simt_zero(gen, type->dtype));
  for (ten_concat_piece piece = {0}; ten_concat_next(op, &piece);) {
    const char *place = simt_text(gen, index[piece.dim]);
    simt_open(gen, "%sif (%s < %" PRId64 ")", piece.start ? "else " : "", place, piece.end);
    simt_ix *at = simt_indices(gen, type->rank);
    for (uint32_t k = 0; k < type->rank; k++) at[k] = index[k];
    at[piece.dim] = simt_subtract(gen, index[piece.dim], simt_number(piece.start));
    simt_set(gen, &result, simt_element(gen, ten_op_operand(op, piece.operand), at));
    simt_close(gen);
  }
  out[0] = result.at;
}

void simt_emit_dynamic_slice(simt_gen *gen, const ten_op *op, const simt_ix *index, simt_val *out) {
  const uint32_t rank = op->results[0].type->rank;
  simt_ix *at = simt_indices(gen, rank);
  for (uint32_t i = 0; i < rank; i++) {
    const ten_start_part part = ten_start_part_of(op, i);
    at[i] = simt_add(gen, index[i], start_index(gen, part.start, NULL, part.high));
  }
  out[0] = simt_element(gen, ten_op_operand(op, 0), at);
}

void simt_emit_dynamic_update_slice(simt_gen *gen, const ten_op *op, const simt_ix *index, simt_val *out) {
  const ten_value *x = ten_op_operand(op, 0), *update = ten_op_operand(op, 1);
  const uint32_t rank = x->type->rank;
  simt_ix *at = simt_indices(gen, rank);
  ten_buf inside = {0};
  ten_buf_printf(&inside, "if (%s", ten_type_count(update->type) ? "true" : "false");
  for (uint32_t i = 0; i < rank; i++) {
    const ten_start_part part = ten_start_part_of(op, i);
    at[i] = simt_subtract(gen, index[i], start_index(gen, part.start, NULL, part.high));
    if (part.whole) continue;
    const char *text = simt_text(gen, at[i]);
    ten_buf_printf(&inside, " && %s >= 0 && %s < %" PRId64, text, text, part.size);
  }
  const simt_var result = simt_var_new(gen, x->type->dtype, simt_zero(gen, x->type->dtype));
  simt_open(gen, "%s)", inside.data);
  ten_buf_free(&inside);
  simt_set(gen, &result, simt_element(gen, update, at));
  simt_close(gen);
  simt_open(gen, "else");
  simt_set(gen, &result, simt_element(gen, x, index));
  simt_close(gen);
  out[0] = result.at;
}

void simt_emit_gather(simt_gen *gen, const ten_op *op, const simt_ix *index, simt_val *out) {
  const ten_value *x = ten_op_operand(op, 0), *starts = ten_op_operand(op, 1);
  simt_ix *at_start = simt_indices(gen, starts->type->rank), *at = simt_indices(gen, x->type->rank);
  for (uint32_t i = 0; i < x->type->rank; i++) {
    const ten_gather_part part = ten_gather_part_of(op, i);
    for (uint32_t k = 0; k < starts->type->rank && part.component >= 0; k++) {
      const int64_t source = ten_gather_start_of(op, k);
      at_start[k] = source < 0 ? simt_number(part.component) : index[source];
    }
    at[i] = part.component < 0 ? simt_number(0) : start_index(gen, starts, at_start, part.high);
    if (part.source >= 0) at[i] = simt_add(gen, at[i], index[part.source]);
  }
  out[0] = simt_element(gen, x, at);
}

/* The element's bits as this unsigned type, of its exact width (i4 has 4), and back. */
static uint32_t bits_of(simt_gen *gen, const char *type, ten_dtype dtype, uint32_t name) {
  const unsigned bits = ten_dtype_bits(dtype);
  const uint64_t mask = bits == 64 ? UINT64_MAX : (UINT64_C(1) << bits) - 1;
  if (dtype == TEN_F64) return simt_define(gen, type, "bits_f64(v%u)", name);
  if (dtype == TEN_F32 || dtype == TEN_TF32) return simt_define(gen, type, "bits_f32(v%u)", name);
  if (dtype == TEN_BF16) return simt_define(gen, type, "bf16_bits(v%u)", name);
  if (ten_dtype_is_float(dtype)) return simt_define(gen, type, "narrow_encode(v%u, %s)", name, simt_format(gen, dtype));
  return simt_define(gen, type, "(%s)v%u & 0x%" PRIx64 "ul", type, name, mask);
}

static simt_val of_bits(simt_gen *gen, ten_dtype dtype, uint32_t bits) {
  if (dtype == TEN_F64) return (simt_val){simt_define(gen, "f64", "f64_of(v%u)", bits), 0};
  if (dtype == TEN_F32 || dtype == TEN_TF32) return (simt_val){simt_define(gen, "f32", "f32_of((u32)v%u)", bits), 0};
  if (dtype == TEN_BF16) return (simt_val){simt_define(gen, "f32", "f32_of((u32)v%u << 16)", bits), 0};
  if (ten_dtype_is_float(dtype))
    return (simt_val){simt_define(gen, "f32", "narrow_decode((u32)v%u, %s)", bits, simt_format(gen, dtype)), 0};
  if (dtype == TEN_I1) return (simt_val){simt_define(gen, "bool", "(v%u & 1) != 0", bits), 0};
  return (simt_val){simt_fit(gen, dtype, "v%u", bits), 0};
}

void simt_emit_bitcast(simt_gen *gen, const ten_op *op, const simt_ix *index, simt_val *out) {
  const ten_value *x = ten_op_operand(op, 0);
  const ten_dtype from = x->type->dtype, to = op->results[0].type->dtype;
  const unsigned have = ten_dtype_bits(from), want = ten_dtype_bits(to);
  const char *type = gen->language == SIMT_WGSL && have <= 32 && want <= 32 ? "u32" : "u64";
  if (have >= want) { /* one element becomes several: the last index selects the piece, low bits first */
    uint32_t raw = bits_of(gen, type, from, simt_element(gen, x, index).re);
    if (have > want)
      raw = simt_define(gen, type, "(v%u >> (%s * %u)) & 0x%" PRIx64 "ul", raw,
                        simt_text(gen, index[op->results[0].type->rank - 1]), want, (UINT64_C(1) << want) - 1);
    out[0] = of_bits(gen, to, raw);
    return;
  }
  simt_ix *at = simt_indices(gen, x->type->rank);
  for (uint32_t i = 0; i + 1 < x->type->rank; i++) at[i] = index[i];
  uint32_t raw = 0;
  for (unsigned k = 0; k < want / have; k++) {
    at[x->type->rank - 1] = simt_number(k);
    const uint32_t piece = bits_of(gen, type, from, simt_element(gen, x, at).re);
    raw = k ? simt_define(gen, type, "v%u | v%u << %u", raw, piece, k * have) : piece;
  }
  out[0] = of_bits(gen, to, raw);
}
