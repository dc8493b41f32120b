/* tile_parts.c: slices of operands in shared memory, and the arithmetic on them. SIMT_FMA: both operands are laid out
 * as [depth][line] f32; a thread has 4 or 8 rows and columns, in runs of 4. Tensor cores: an operand is laid out as
 * [line][depth] or, if its buffer is contiguous along lines, as [depth][line], which ldmatrix transposes. Rows are
 * padded by 16 bytes, so that 8 of them are in different banks. */
#include "backend/simt/tile_parts.h"

#include <inttypes.h>

#include "ir/index_map.h"

static bool is_mma(const simt_tile *t) { return t->math != SIMT_FMA; }
static int64_t lines_of(const simt_tile *t, int side) { return side ? t->columns : t->rows; }
/* Warps form a 4 × 2 grid in a tile higher than wide, otherwise 2 × 4. */
static int64_t warps_down(const simt_tile *t) { return t->rows >= 2 * t->columns ? 4 : 2; }
static int64_t warp_rows(const simt_tile *t) { return t->rows / warps_down(t); }
static int64_t warp_columns(const simt_tile *t) { return t->columns / (8 / warps_down(t)); }
int64_t simt_tile_element_bytes(const simt_tile *t) {
  return t->math == SIMT_MMA_BF16 || t->math == SIMT_MMA_F16 ? 2 : 4;
}

/* The buffer that an operand reads through data movement ops only. */
static const ten_value *buffer_of(const simt_gen *gen, const ten_value *value) {
  while (!gen->stored[value->number]) {
    if (!value->op) return NULL;
    switch (value->op->code) {
      case TEN_OP_RESHAPE:
      case TEN_OP_TRANSPOSE:
      case TEN_OP_SLICE:
      case TEN_OP_BROADCAST_IN_DIM: value = ten_op_operand(value->op, 0); break;
      default: return NULL;
    }
  }
  return value;
}

simt_filling simt_tile_filling(simt_gen *gen, const simt_tile *t, int side) {
  const ten_dtype wanted = t->math == SIMT_MMA_BF16 ? TEN_BF16 : t->math == SIMT_MMA_F16 ? TEN_F16 : TEN_F32;
  const int64_t width = 16 / simt_tile_element_bytes(t);
  const ten_value *value = ten_op_operand(t->c.op, (uint32_t)side);
  if (is_mma(t)) {
    const ten_value *deep = simt_contraction_lane(gen, &t->c, side, true, width);
    if (deep && deep->type->dtype == wanted) return (simt_filling){SIMT_FILL_DEEP, deep, true};
    const ten_value *lines = wanted == TEN_F32 ? NULL : simt_contraction_lane(gen, &t->c, side, false, width);
    if (lines && lines->type->dtype == wanted) return (simt_filling){SIMT_FILL_LINES, lines, false};
  }
  const bool deep = simt_contraction_lane(gen, &t->c, side, true, 1) != NULL;
  const ten_value *source = wanted == TEN_F32 ? buffer_of(gen, value) : NULL;
  if (source && source->type->dtype == TEN_F32 && gen->language != SIMT_WGSL)
    return (simt_filling){SIMT_FILL_COPY, source, deep};
  return (simt_filling){SIMT_FILL_ELEMENTS, NULL, deep};
}

/* Bytes from one row of a slice in shared memory to the next, and of a whole slice. */
static int64_t pitch_of(simt_gen *gen, const simt_tile *t, int side) {
  if (!is_mma(t)) return 4 * (lines_of(t, side) + 4);
  if (simt_tile_filling(gen, t, side).kind == SIMT_FILL_LINES) return 2 * (lines_of(t, side) + 8);
  return t->depth * simt_tile_element_bytes(t) + 16;
}
static int64_t slice_bytes(simt_gen *gen, const simt_tile *t, int side) {
  const bool by_depth = !is_mma(t) || simt_tile_filling(gen, t, side).kind == SIMT_FILL_LINES;
  return pitch_of(gen, t, side) * (by_depth ? t->depth : lines_of(t, side));
}

size_t simt_tile_shared(simt_gen *gen, const simt_tile *t) {
  const int64_t slices = t->slots * (slice_bytes(gen, t, SIMT_LEFT) + slice_bytes(gen, t, SIMT_RIGHT)),
                stage = SIMT_STAGE * (t->columns + 4) * 4;
  return (size_t)(slices > stage ? slices : stage);
}

void simt_tile_emit_start(simt_gen *gen, const simt_tile *t) {
  if (gen->language == SIMT_WGSL) {
    simt_tile_plain_start(gen, t);
    return;
  }
  simt_line(gen, "LOCAL u8 *left = shared, *right = shared + %" PRId64 ";", t->slots * slice_bytes(gen, t, SIMT_LEFT));
  simt_line(gen, "LOCAL f32 *stage = (LOCAL f32 *)shared;");
  if (is_mma(t)) {
    const int64_t rows = warp_rows(t) / 16, columns = warp_columns(t) / 8, across = 8 / warps_down(t);
    simt_line(gen, "f32 sums[%" PRId64 "][%" PRId64 "][4];", rows, columns);
    simt_line(gen,
              "UNROLL for (i32 r = 0; r < %" PRId64 "; r++) UNROLL for (i32 c = 0; c < %" PRId64
              "; c++) UNROLL for (i32 e = 0; e < 4; e++) sums[r][c][e] = 0;",
              rows, columns);
    simt_line(gen,
              "const i32 lane = TID %% 32, warp_row = TID / 32 / %" PRId64 " * %" PRId64
              ", warp_column = TID / 32 %% %" PRId64 " * %" PRId64 ";",
              across, warp_rows(t), across, warp_columns(t));
    return;
  }
  simt_line(gen, "f32 sums[%" PRId64 "][%" PRId64 "];", t->rows / 16, t->columns / 16);
  simt_line(gen,
            "UNROLL for (i32 r = 0; r < %" PRId64 "; r++) UNROLL for (i32 c = 0; c < %" PRId64 "; c++) sums[r][c] = 0;",
            t->rows / 16, t->columns / 16);
  simt_line(gen, "const i32 down = TID / 16 * 4, across = TID %% 16 * 4;");
}

void simt_share_out(simt_gen *gen, int64_t count) {
  simt_open(gen, "for (u32 t = 0; t < %" PRId64 "u; t++)", (count + SIMT_GROUP - 1) / SIMT_GROUP);
  simt_line(gen, "const u32 e = (u32)TID + t * %du;", SIMT_GROUP);
  if (count % SIMT_GROUP)
    simt_open(gen, "if (e < %" PRId64 "u)", count);
  else
    simt_open(gen, "if (true)");
}

/* The shared memory address of (line, depth) of a slice, as text. */
static const char *target(simt_gen *gen, const simt_tile *t, int side, uint32_t slot, uint32_t line, uint32_t depth) {
  const bool by_depth = !is_mma(t) || simt_tile_filling(gen, t, side).kind == SIMT_FILL_LINES;
  ten_buf text = {0};
  ten_buf_printf(&text, "%s + v%u * %" PRId64 " + v%u * %" PRId64 " + v%u * %" PRId64, side ? "right" : "left", slot,
                 slice_bytes(gen, t, side), by_depth ? depth : line, pitch_of(gen, t, side), by_depth ? line : depth,
                 simt_tile_element_bytes(t));
  const char *copy = ten_arena_strdup(&gen->ir->arena, text.data, text.size);
  ten_buf_free(&text);
  return copy;
}

/* Computes an element, in the type of the arithmetic. */
static uint32_t compute_element(simt_gen *gen, const simt_tile *t, int side, const char *condition, const simt_ix *at) {
  const ten_value *value = ten_op_operand(t->c.op, (uint32_t)side);
  const simt_var element = simt_var_new(gen, TEN_F32, simt_zero(gen, TEN_F32));
  simt_open(gen, "if (%s)", condition);
  simt_set(gen, &element, simt_convert(gen, value->type->dtype, TEN_F32, simt_element(gen, value, at)));
  simt_close(gen);
  return element.at.re;
}

static void store_element(simt_gen *gen, const simt_tile *t, const char *to, uint32_t element) {
  if (t->math == SIMT_MMA_BF16)
    simt_line(gen, "*(LOCAL u16 *)(%s) = (u16)bf16_bits(v%u);", to, element);
  else if (t->math == SIMT_MMA_F16)
    simt_line(gen, "*(LOCAL u16 *)(%s) = f16_bits(v%u);", to, element);
  else
    simt_line(gen, "*(LOCAL f32 *)(%s) = v%u;", to, element);
}

void simt_tile_emit_fill(simt_gen *gen, const simt_tile *t, int side, const simt_tile_place *p, uint32_t slot) {
  const simt_filling f = simt_tile_filling(gen, t, side);
  const bool vectors = f.kind == SIMT_FILL_DEEP || f.kind == SIMT_FILL_LINES;
  const int64_t width = vectors ? 16 / simt_tile_element_bytes(t) : 1, lines = lines_of(t, side);
  const int64_t fast = (f.deep ? t->depth : lines) / width;
  simt_line(gen, f.kind == SIMT_FILL_ELEMENTS ? "UNROLL4" : "UNROLL");
  simt_share_out(gen, lines * t->depth / width);
  const uint32_t first = simt_define(gen, "i32", "(i32)(e %% %" PRId64 "u * %" PRId64 "u)", fast, width),
                 second = simt_define(gen, "i32", "(i32)(e / %" PRId64 "u)", fast);
  const uint32_t line_in = f.deep ? second : first, depth_in = f.deep ? first : second;
  const simt_ix line = simt_add(gen, side ? p->column : p->row, simt_index_of(line_in)),
                depth = simt_add(gen, p->depth, simt_index_of(depth_in));
  ten_buf inside = {0};
  ten_buf_printf(&inside, "%s < %" PRId64 " && %s < %" PRId64, simt_text(gen, line), side ? t->c.columns : t->c.rows,
                 simt_text(gen, depth), t->c.depth);
  const ten_value *value = ten_op_operand(t->c.op, (uint32_t)side);
  simt_ix *at = simt_indices(gen, value->type->rank);
  simt_contraction_at(gen, &t->c, side, p->batch, line, depth, at, &inside);
  const char *to = target(gen, t, side, slot, line_in, depth_in);
  if (f.kind == SIMT_FILL_ELEMENTS) {
    const uint32_t element = compute_element(gen, t, side, inside.data, at);
    if (gen->language == SIMT_WGSL)
      simt_tile_plain_store(gen, t, side, slot, line_in, depth_in, element);
    else
      store_element(gen, t, to, element);
  } else {
    const ten_value *source;
    const simt_ix place = simt_follow(gen, value, at, &source);
    simt_line(gen, "%s(%s, p%u + %s, %s);", vectors ? "COPY16" : "COPY4", to, simt_parameter(gen, source),
              simt_text(gen, place), inside.data);
  }
  ten_buf_free(&inside);
  simt_close(gen);
  simt_close(gen);
}

static void emit_fma(simt_gen *gen, const simt_tile *t) {
  const int64_t rows = t->rows / 64, columns = t->columns / 64;
  simt_line(gen,
            "LOCAL const f32 *l = (LOCAL const f32 *)(left + (step & 1) * %" PRId64
            ") + down, *r = (LOCAL const f32 *)(right + (step & 1) * %" PRId64 ") + across;",
            slice_bytes(gen, t, SIMT_LEFT), slice_bytes(gen, t, SIMT_RIGHT));
  simt_line(gen, "UNROLL");
  simt_open(gen, "for (i32 k = 0; k < %" PRId64 "; k++)", t->depth);
  simt_line(gen, "f32 x[%" PRId64 "], y[%" PRId64 "];", 4 * rows, 4 * columns);
  for (int64_t i = 0; i < rows; i++)
    simt_line(gen, "LOAD4(x + %" PRId64 ", l + k * %" PRId64 " + %" PRId64 ");", 4 * i, t->rows + 4, 64 * i);
  for (int64_t i = 0; i < columns; i++)
    simt_line(gen, "LOAD4(y + %" PRId64 ", r + k * %" PRId64 " + %" PRId64 ");", 4 * i, t->columns + 4, 64 * i);
  simt_line(gen,
            "UNROLL for (i32 i = 0; i < %" PRId64 "; i++) UNROLL for (i32 j = 0; j < %" PRId64
            "; j++) sums[i][j] = fmaf(x[i], y[j], sums[i][j]);",
            4 * rows, 4 * columns);
  simt_close(gen);
}

static void emit_mma(simt_gen *gen, const simt_tile *t) {
  static const char *const names[] = {
      [SIMT_MMA_BF16] = "mma_bf16", [SIMT_MMA_F16] = "mma_f16", [SIMT_MMA_TF32] = "mma_tf32"};
  const int64_t bytes = simt_tile_element_bytes(t), k = 32 / bytes, rows = warp_rows(t) / 16,
                columns = warp_columns(t) / 8;
  for (int side = 0; side < 2; side++)
    simt_line(gen, "const u8 *%s = %s + (i32)((u32)step %% 3u) * %" PRId64 ";", side ? "y" : "x",
              side ? "right" : "left", slice_bytes(gen, t, side));
  const bool across_x = simt_tile_filling(gen, t, SIMT_LEFT).kind == SIMT_FILL_LINES,
             across_y = simt_tile_filling(gen, t, SIMT_RIGHT).kind == SIMT_FILL_LINES;
  const int64_t pitch_x = pitch_of(gen, t, SIMT_LEFT), pitch_y = pitch_of(gen, t, SIMT_RIGHT);
  simt_line(gen, "UNROLL");
  simt_open(gen, "for (i32 k = 0; k < %" PRId64 "; k += %" PRId64 ")", t->depth, k);
  simt_line(gen, "u32 a[%" PRId64 "][4], b[%" PRId64 "][4];", rows, columns / 2);
  simt_open(gen, "UNROLL for (i32 r = 0; r < %" PRId64 "; r++)", rows);
  if (across_x)
    simt_line(gen,
              "ldmatrix_transposed(a[r], x + (k + lane / 16 * 8 + lane %% 8) * %" PRId64
              " + (warp_row + r * 16 + lane / 8 %% 2 * 8) * 2);",
              pitch_x);
  else
    simt_line(gen,
              "ldmatrix(a[r], x + (warp_row + r * 16 + lane %% 16) * %" PRId64 " + k * %" PRId64 " + lane / 16 * 16);",
              pitch_x, bytes);
  simt_close(gen);
  simt_open(gen, "UNROLL for (i32 c = 0; c < %" PRId64 "; c++)", columns / 2);
  if (across_y)
    simt_line(gen,
              "ldmatrix_transposed(b[c], y + (k + lane / 8 %% 2 * 8 + lane %% 8) * %" PRId64
              " + (warp_column + c * 16 + lane / 16 * 8) * 2);",
              pitch_y);
  else
    simt_line(gen,
              "ldmatrix(b[c], y + (warp_column + c * 16 + lane %% 8 + lane / 16 * 8) * %" PRId64 " + k * %" PRId64
              " + lane / 8 %% 2 * 16);",
              pitch_y, bytes);
  simt_close(gen);
  simt_line(gen,
            "UNROLL for (i32 r = 0; r < %" PRId64 "; r++) UNROLL for (i32 c = 0; c < %" PRId64
            "; c++) %s(sums[r][c], a[r], b[c / 2][c %% 2 * 2], b[c / 2][c %% 2 * 2 + 1]);",
            rows, columns, names[t->math]);
  simt_close(gen);
}

void simt_tile_emit_sums(simt_gen *gen, const simt_tile *t) {
  if (gen->language == SIMT_WGSL)
    simt_tile_plain_sums(gen, t);
  else if (is_mma(t))
    emit_mma(gen, t);
  else
    emit_fma(gen, t);
}

void simt_tile_emit_stage(simt_gen *gen, const simt_tile *t) {
  const int64_t pitch = t->columns + 4;
  if (gen->language == SIMT_WGSL) {
    simt_tile_plain_stage(gen, t);
    return;
  }
  if (is_mma(t)) {
    simt_open(gen, "UNROLL for (i32 r = 0; r < %" PRId64 "; r++)", warp_rows(t) / 16);
    simt_line(gen, "const i32 row = warp_row + r * 16;");
    simt_open(gen, "if (row / %d == part)", SIMT_STAGE);
    simt_line(gen, "f32 *to = stage + (row %% %d + lane / 4) * %" PRId64 " + warp_column + lane %% 4 * 2;", SIMT_STAGE,
              pitch);
    simt_line(gen,
              "UNROLL for (i32 c = 0; c < %" PRId64 "; c++) UNROLL for (i32 e = 0; e < 4; e++) to[e / 2 * %" PRId64
              " + c * 8 + e %% 2] = sums[r][c][e];",
              warp_columns(t) / 8, 8 * pitch);
    simt_close(gen);
    simt_close(gen);
    return;
  }
  simt_open(gen, "UNROLL for (i32 r = 0; r < %" PRId64 "; r++)", t->rows / 16);
  simt_line(gen, "const i32 row = r / 4 * 64 + down + r %% 4;");
  simt_open(gen, "if (row / %d == part)", SIMT_STAGE);
  simt_line(gen,
            "UNROLL for (i32 c = 0; c < %" PRId64 "; c++) stage[row %% %d * %" PRId64
            " + c / 4 * 64 + across + c %% 4] = sums[r][c];",
            t->columns / 16, SIMT_STAGE, pitch);
  simt_close(gen);
  simt_close(gen);
}
