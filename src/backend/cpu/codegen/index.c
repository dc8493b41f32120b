/* index.c: data movement ops: the source of a result element (ir/index_map.h), as LLVM values. */
#include "backend/cpu/codegen/cg.h"
#include "ir/index_map.h"

typedef LLVMValueRef V;

static V less(ten_cg *cg, V x, V y) { return LLVMBuildICmp(cg->b, LLVMIntSLT, x, y, ""); }
static V add(ten_cg *cg, V x, V y) { return LLVMBuildNSWAdd(cg->b, x, y, ""); }
static V sub(ten_cg *cg, V x, V y) { return LLVMBuildNSWSub(cg->b, x, y, ""); }
static V mul(ten_cg *cg, V x, V y) { return LLVMBuildNSWMul(cg->b, x, y, ""); }

static V clamp(ten_cg *cg, V x, int64_t low, int64_t high) {
  V args[] = {x, cg_const(cg, low)};
  V least = cg_intrinsic(cg, "llvm.smax", cg->i64, args, 2);
  V rest[] = {least, cg_const(cg, high < low ? low : high)};
  return cg_intrinsic(cg, "llvm.smin", cg->i64, rest, 2);
}

/* Constant indices that are all in [0, high] need no clamping. */
static bool is_within(const ten_value *value, int64_t high) {
  enum { MOST = 1 << 16 };
  const ten_attr *constant = ten_value_constant(value);
  const int64_t count = constant ? ten_type_count(value->type) : 0;
  if (!constant || !constant->dense.data || count > MOST) return false;
  for (int64_t i = 0; i < (constant->dense.splat ? 1 : count); i++) {
    const int64_t at = ten_dense_int(constant, (size_t)i);
    if (at < 0 || at > high) return false;
  }
  return true;
}

V cg_start_index(ten_cg *cg, const ten_value *value, const V *at, int64_t high) {
  const ten_dtype dtype = value->type->dtype;
  const cg_val element = cg_element(cg, value, at);
  if (is_within(value, high)) return cg_index(cg, dtype, element);
  if (dtype == TEN_UI64) {
    V args[] = {element.re, cg_const(cg, high < 0 ? 0 : high)};
    return cg_intrinsic(cg, "llvm.umin", cg->i64, args, 2);
  }
  return clamp(cg, cg_index(cg, dtype, element), 0, high);
}

void cg_emit_iota(ten_cg *cg, const ten_op *op, const LLVMValueRef *index, cg_val *out) {
  const int64_t dim = ten_op_int(op, "iota_dimension", 0);
  out[0] = cg_convert(cg, TEN_I64, op->results[0].type->dtype, (cg_val){index[dim], NULL});
}

void cg_emit_moved(ten_cg *cg, const ten_op *op, const LLVMValueRef *index, cg_val *out) {
  const ten_value *x = ten_op_operand(op, 0);
  V *at = cg_indices(cg, x->type->rank);
  for (uint32_t i = 0; i < x->type->rank; i++) {
    const ten_index_part part = ten_index_part_of(op, i);
    V from = part.source < 0 ? NULL : index[part.source], offset = cg_const(cg, part.offset);
    if (!from)
      at[i] = offset;
    else if (part.scale == -1)
      at[i] = sub(cg, offset, from);
    else {
      at[i] = part.scale == 1 ? from : mul(cg, from, cg_const(cg, part.scale));
      if (part.offset) at[i] = add(cg, at[i], offset);
    }
  }
  out[0] = cg_element(cg, x, at);
}

void cg_emit_reshape(ten_cg *cg, const ten_op *op, const LLVMValueRef *index, cg_val *out) {
  const ten_value *x = ten_op_operand(op, 0);
  const ten_type *from = op->results[0].type, *to = x->type;
  V *at = cg_indices(cg, to->rank);
  for (ten_reshape_run run = {0}; ten_reshape_next(from, to, &run);) {
    V linear = cg_const(cg, 0);
    for (uint32_t k = run.from; k < run.from_end; k++) {
      if (from->dims[k] == 1) continue;
      linear = add(cg, mul(cg, linear, cg_const(cg, from->dims[k])), index[k]);
    }
    cg_delinearise(cg, run.to_end - run.to, to->dims + run.to, linear, at + run.to);
  }
  out[0] = cg_element(cg, x, at);
}

void cg_emit_pad(ten_cg *cg, const ten_op *op, const LLVMValueRef *index, cg_val *out) {
  const ten_value *x = ten_op_operand(op, 0);
  const ten_type *type = x->type;
  const cg_val padding = cg_element(cg, ten_op_operand(op, 1), NULL);
  V inside = LLVMConstInt(cg->i1, 1, false);
  V *at = cg_indices(cg, type->rank);
  for (uint32_t i = 0; i < type->rank; i++) {
    const ten_pad_part part = ten_pad_part_of(op, i);
    at[i] = index[i];
    if (part.whole) continue;
    V from = sub(cg, index[i], cg_const(cg, part.low));
    int64_t least, most;
    if (part.step == 1 && cg_bounds_of(cg, from, &least, &most)) {
      at[i] = from;
      if (least >= 0 && most < part.size) continue;
      if (most < 0 || least >= part.size) {
        out[0] = padding;
        return;
      }
    }
    inside = LLVMBuildAnd(cg->b, inside, LLVMBuildICmp(cg->b, LLVMIntSGE, from, cg_const(cg, 0), ""), "");
    if (part.step != 1) {
      V step = cg_const(cg, part.step);
      inside =
          LLVMBuildAnd(cg->b, inside,
                       LLVMBuildICmp(cg->b, LLVMIntEQ, LLVMBuildSRem(cg->b, from, step, ""), cg_const(cg, 0), ""), "");
      from = LLVMBuildSDiv(cg->b, from, step, "");
    }
    inside = LLVMBuildAnd(cg->b, inside, less(cg, from, cg_const(cg, part.size)), "");
    at[i] = from;
  }
  if (!ten_type_count(type)) {
    out[0] = padding;
    return;
  }
  cg_var result = cg_var_new(cg, type->dtype);
  cg_var_set(cg, &result, padding);
  cg_if branch;
  cg_if_begin(cg, &branch, inside);
  cg_var_set(cg, &result, cg_element(cg, x, at));
  cg_if_end(cg, &branch);
  out[0] = cg_var_get(cg, &result);
}

void cg_emit_concatenate(ten_cg *cg, const ten_op *op, const LLVMValueRef *index, cg_val *out) {
  const ten_type *type = op->results[0].type;
  V *at = cg_indices(cg, type->rank);
  for (uint32_t i = 0; i < type->rank; i++) at[i] = index[i];
  for (ten_concat_piece piece = {0}; ten_concat_next(op, &piece);) {
    int64_t least, most;
    if (!cg_bounds_of(cg, index[piece.dim], &least, &most)) break;
    if (least >= piece.start && (piece.last || most < piece.end)) {
      at[piece.dim] = sub(cg, index[piece.dim], cg_const(cg, piece.start));
      out[0] = cg_element(cg, ten_op_operand(op, piece.operand), at);
      return;
    }
    if (piece.last) break;
  }
  cg_var result = cg_var_new(cg, type->dtype);
  cg_if *branches = ten_arena_new_array(&cg->ir->arena, cg_if, op->operand_count);
  uint32_t depth = 0;
  for (ten_concat_piece piece = {0}; ten_concat_next(op, &piece);) {
    V place = index[piece.dim];
    if (!piece.last) cg_if_begin(cg, &branches[depth], less(cg, place, cg_const(cg, piece.end)));
    at[piece.dim] = sub(cg, place, cg_const(cg, piece.start));
    cg_var_set(cg, &result, cg_element(cg, ten_op_operand(op, piece.operand), at));
    if (piece.last) break;
    cg_if_else(cg, &branches[depth++]);
  }
  while (depth-- > 0) cg_if_end(cg, &branches[depth]);
  out[0] = cg_var_get(cg, &result);
}

void cg_emit_dynamic_slice(ten_cg *cg, const ten_op *op, const LLVMValueRef *index, cg_val *out) {
  const uint32_t rank = op->results[0].type->rank;
  V *at = cg_indices(cg, rank);
  for (uint32_t i = 0; i < rank; i++) {
    const ten_start_part part = ten_start_part_of(op, i);
    at[i] = add(cg, index[i], cg_start_index(cg, part.start, NULL, part.high));
  }
  out[0] = cg_element(cg, ten_op_operand(op, 0), at);
}

void cg_emit_dynamic_update_slice(ten_cg *cg, const ten_op *op, const LLVMValueRef *index, cg_val *out) {
  const ten_value *x = ten_op_operand(op, 0), *update = ten_op_operand(op, 1);
  const uint32_t rank = x->type->rank;
  V *at = cg_indices(cg, rank);
  V inside = LLVMConstInt(cg->i1, ten_type_count(update->type) > 0, false);
  for (uint32_t i = 0; i < rank; i++) {
    const ten_start_part part = ten_start_part_of(op, i);
    at[i] = sub(cg, index[i], cg_start_index(cg, part.start, NULL, part.high));
    if (part.whole) continue;
    /* one unsigned comparison covers both bounds */
    inside = LLVMBuildAnd(cg->b, inside, LLVMBuildICmp(cg->b, LLVMIntULT, at[i], cg_const(cg, part.size), ""), "");
  }
  cg_var result = cg_var_new(cg, x->type->dtype);
  cg_if branch;
  cg_if_begin(cg, &branch, inside);
  cg_var_set(cg, &result, cg_element(cg, update, at));
  cg_if_else(cg, &branch);
  cg_var_set(cg, &result, cg_element(cg, x, index));
  cg_if_end(cg, &branch);
  out[0] = cg_var_get(cg, &result);
}

void cg_emit_gather(ten_cg *cg, const ten_op *op, const LLVMValueRef *index, cg_val *out) {
  const ten_value *x = ten_op_operand(op, 0), *starts = ten_op_operand(op, 1);
  const ten_ints order = ten_gather_dims_of(ten_op_attr(op, "dimension_numbers")).start_index_map;
  V *at_start = cg_indices(cg, starts->type->rank), *at = cg_indices(cg, x->type->rank);
  for (size_t c = 0; c < order.count; c++) { /* components in memory order */
    for (uint32_t k = 0; k < starts->type->rank; k++) {
      const int64_t source = ten_gather_start_of(op, k);
      at_start[k] = source < 0 ? cg_const(cg, (int64_t)c) : index[source];
    }
    at[order.data[c]] = cg_start_index(cg, starts, at_start, ten_gather_part_of(op, (uint32_t)order.data[c]).high);
  }
  for (uint32_t i = 0; i < x->type->rank; i++) {
    const ten_gather_part part = ten_gather_part_of(op, i);
    if (part.component < 0) at[i] = cg_const(cg, 0);
    if (part.source >= 0) at[i] = part.component < 0 ? index[part.source] : add(cg, at[i], index[part.source]);
  }
  out[0] = cg_element(cg, x, at);
}

void cg_emit_torch_index_select(ten_cg *cg, const ten_op *op, const LLVMValueRef *index, cg_val *out) {
  const ten_value *x = ten_op_operand(op, 0), *indices = ten_op_operand(op, 1);
  const int64_t dim = ten_op_int(op, "dim", 0), batch = ten_op_int(op, "batch_dims", 0);
  const uint32_t index_rank = indices->type->rank;
  V *at_index = cg_indices(cg, index_rank), *at = cg_indices(cg, x->type->rank);
  for (uint32_t i = 0; i < index_rank; i++)
    at_index[i] = (int64_t)i < batch ? index[i] : index[dim + (int64_t)i - batch];
  for (uint32_t i = 0; i < x->type->rank; i++) {
    if ((int64_t)i < dim)
      at[i] = index[i];
    else if ((int64_t)i > dim)
      at[i] = index[(int64_t)i + (int64_t)index_rank - batch - 1];
    else
      at[i] = cg_start_index(cg, indices, at_index, x->type->dims[i] - 1);
  }
  out[0] = cg_element(cg, x, at);
}

/* Bits of an element as one integer of its exact width (i4 has 4), complex with the real part low. */
static V element_bits(ten_cg *cg, ten_dtype dtype, cg_val value) {
  LLVMBuilderRef b = cg->b;
  const unsigned bits = ten_dtype_bits(dtype);
  LLVMTypeRef type = LLVMIntTypeInContext(cg->context, bits);
  if (ten_dtype_is_complex(dtype)) {
    LLVMTypeRef part = LLVMIntTypeInContext(cg->context, bits / 2);
    V low = LLVMBuildZExt(b, LLVMBuildBitCast(b, value.re, part, ""), type, "");
    V high = LLVMBuildZExt(b, LLVMBuildBitCast(b, value.im, part, ""), type, "");
    return LLVMBuildOr(b, low, LLVMBuildShl(b, high, LLVMConstInt(type, bits / 2, false), ""), "");
  }
  return LLVMBuildTruncOrBitCast(b, cg_to_bits(cg, dtype, value.re), type, "");
}

static cg_val element_of_bits(ten_cg *cg, ten_dtype dtype, V raw) {
  LLVMBuilderRef b = cg->b;
  const unsigned bits = ten_dtype_bits(dtype);
  if (ten_dtype_is_complex(dtype)) {
    LLVMTypeRef part = LLVMIntTypeInContext(cg->context, bits / 2), real = cg_register_type(cg, dtype);
    V low = LLVMBuildTrunc(b, raw, part, "");
    V high = LLVMBuildTrunc(b, LLVMBuildLShr(b, raw, LLVMConstInt(LLVMTypeOf(raw), bits / 2, false), ""), part, "");
    return (cg_val){LLVMBuildBitCast(b, low, real, ""), LLVMBuildBitCast(b, high, real, "")};
  }
  if (!ten_dtype_is_float(dtype)) return (cg_val){raw, NULL};
  V wide = LLVMBuildZExtOrBitCast(b, raw, LLVMIntTypeInContext(cg->context, (unsigned)ten_dtype_bytes(dtype) * 8), "");
  return (cg_val){cg_from_bits(cg, dtype, wide), NULL};
}

void cg_emit_bitcast_convert(ten_cg *cg, const ten_op *op, const LLVMValueRef *index, cg_val *out) {
  LLVMBuilderRef b = cg->b;
  const ten_value *x = ten_op_operand(op, 0);
  const ten_dtype from = x->type->dtype, to = op->results[0].type->dtype;
  const unsigned have = ten_dtype_bits(from), want = ten_dtype_bits(to);
  if (have == want) {
    out[0] = element_of_bits(cg, to, element_bits(cg, from, cg_element(cg, x, index)));
    return;
  }
  if (have > want) { /* one element becomes several: the last index selects the piece, low bits first */
    V raw = element_bits(cg, from, cg_element(cg, x, index));
    V piece = index[op->results[0].type->rank - 1];
    LLVMTypeRef wide = LLVMTypeOf(raw);
    V shift =
        LLVMBuildMul(b, have < 64 ? LLVMBuildTrunc(b, piece, wide, "") : LLVMBuildZExtOrBitCast(b, piece, wide, ""),
                     LLVMConstInt(wide, want, false), "");
    V picked = LLVMBuildTrunc(b, LLVMBuildLShr(b, raw, shift, ""), LLVMIntTypeInContext(cg->context, want), "");
    out[0] = element_of_bits(cg, to, picked);
    return;
  }
  LLVMTypeRef wide = LLVMIntTypeInContext(cg->context, want);
  V raw = LLVMConstNull(wide);
  V *at = cg_indices(cg, x->type->rank);
  for (uint32_t i = 0; i + 1 < x->type->rank; i++) at[i] = index[i];
  for (unsigned k = 0; k < want / have; k++) {
    at[x->type->rank - 1] = cg_const(cg, k);
    V piece = LLVMBuildZExt(b, element_bits(cg, from, cg_element(cg, x, at)), wide, "");
    raw = LLVMBuildOr(b, raw, LLVMBuildShl(b, piece, LLVMConstInt(wide, (uint64_t)k * have, false), ""), "");
  }
  out[0] = element_of_bits(cg, to, raw);
}
