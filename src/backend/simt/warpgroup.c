/* warpgroup.c: tiles by wgmma.
 * 1. A slice is 128 bytes deep. In shared memory a line is 128 bytes, in pieces of 16 whose number is XORed with that
 *    of the line modulo 8 (the hardware's 128-byte swizzle); 8 lines are 1024 bytes. An operand that is contiguous
 * along lines lies as blocks of 64 lines, in each of which the roles of line and depth are exchanged.
 * 2. One slice is multiplied while others are copied: with `lag` 1 the products of the slice before may still be
 * running when those of the next are issued, with `lag` 0 another group of the same processor fills the gap.
 * 3. cp.async writes as ordinary stores do: a fence is needed before wgmma, which reads by another way, may see it. */
#include "backend/simt/warpgroup.h"

#include <inttypes.h>
#include <stdio.h>

enum { LINE = 128, BLOCK = 64 * LINE /* bytes */, PIECES = LINE / 16 };

static int64_t lines_of(const simt_tile *t, int side) { return side ? t->columns : t->rows; }
int64_t simt_warpgroup_slot(const simt_tile *t, int side) { return lines_of(t, side) * LINE; }
/* Warpgroups lie one below the other, or, in a tile of 64 rows, next to each other. */
static int64_t groups_down(const simt_tile *t) { return t->rows >= 128 ? 2 : 1; }
static int64_t group_rows(const simt_tile *t) { return t->rows / groups_down(t); }
static int64_t group_columns(const simt_tile *t) { return t->columns * groups_down(t) / 2; }
static int64_t pitch_of(const simt_tile *t) { return t->columns + SIMT_WARPGROUP_PAD; }

bool simt_warpgroup_takes(simt_gen *gen, const simt_tile *t) {
  for (int side = 0; side < 2; side++) {
    const simt_fill_kind kind = simt_tile_filling(gen, t, side).kind;
    if (kind == SIMT_FILL_ELEMENTS) return false;
  }
  return true;
}

size_t simt_warpgroup_shared(const simt_tile *t) {
  const int64_t slices = t->slots * (simt_warpgroup_slot(t, SIMT_LEFT) + simt_warpgroup_slot(t, SIMT_RIGHT)),
                stage = t->rows * pitch_of(t) * 4;
  return (size_t)(slices > stage ? slices : stage);
}

void simt_warpgroup_emit_start(simt_gen *gen, const simt_tile *t) {
  const int64_t rows = group_rows(t) / 64, columns = group_columns(t) / 8;
  if (!t->bulk)
    simt_line(gen, "u8 *left = shared, *right = shared + %" PRId64 ";", t->slots * simt_warpgroup_slot(t, SIMT_LEFT));
  simt_line(gen, "f32 *stage = (f32 *)shared;");
  simt_line(gen, "f32 sums[%" PRId64 "][%" PRId64 "][4];", rows, columns);
  simt_line(gen,
            "UNROLL for (i32 r = 0; r < %" PRId64 "; r++) UNROLL for (i32 c = 0; c < %" PRId64
            "; c++) UNROLL for (i32 e = 0; e < 4; e++) sums[r][c][e] = 0;",
            rows, columns);
  simt_line(gen, "const i32 four = __shfl_sync(0xffffffffu, TID / 128, 0);");
  if (groups_down(t) == 2)
    simt_line(gen, "const i32 group_row = four * %" PRId64 ", group_column = 0;", group_rows(t));
  else
    simt_line(gen, "const i32 group_row = 0, group_column = four * %" PRId64 ";", group_columns(t));
}

/* Which line and depth of the slice this thread copies in turn t, and where to: as text in `to`. */
static void emit_item(simt_gen *gen, const simt_tile *t, int side, const simt_filling *f, uint32_t *line,
                      uint32_t *depth, uint32_t *to) {
  const int64_t bytes = simt_tile_element_bytes(t), deep = LINE / bytes, lines = lines_of(t, side);
  if (f->kind == SIMT_FILL_LINES) {
    *line = simt_define(gen, "i32", "t / 2 * 64 + TID %% 8 * 8");
    *depth = simt_define(gen, "i32", "TID / 8 + t %% 2 * 32");
    *to = simt_define(gen, "i32", "t / 2 * %d + t %% 2 * %d + TID / 8 * %d + ((TID %% 8) ^ (TID / 8 %% 8)) * 16", BLOCK,
                      32 * LINE, LINE);
  } else if (f->kind == SIMT_FILL_DEEP) {
    *line = simt_define(gen, "i32", "TID / 8 + t * 32");
    *depth = simt_define(gen, "i32", "TID %% 8 * %" PRId64, deep / PIECES);
    *to = simt_define(gen, "i32", "t * %d + TID / 8 * %d + ((TID %% 8) ^ (TID / 8 %% 8)) * 16", 32 * LINE, LINE);
  } else {
    const uint32_t e = simt_define(gen, "i32", "TID + t * %d", SIMT_GROUP);
    *line = f->deep ? simt_define(gen, "i32", "v%u / %" PRId64, e, deep)
                    : simt_define(gen, "i32", "v%u %% %" PRId64, e, lines);
    *depth = f->deep ? simt_define(gen, "i32", "v%u %% %" PRId64, e, deep)
                     : simt_define(gen, "i32", "v%u / %" PRId64, e, lines);
    *to = simt_define(gen, "i32", "v%u * %d + ((v%u / 4) ^ (v%u %% 8)) * 16 + v%u %% 4 * 4", *line, LINE, *depth, *line,
                      *depth);
  }
}

static void emit_fill(simt_gen *gen, const simt_tile *t, int side, const simt_tile_place *p, const char *slot) {
  const simt_filling f = simt_tile_filling(gen, t, side);
  const bool vectors = f.kind != SIMT_FILL_COPY;
  const int64_t lines = lines_of(t, side), pieces = lines * (vectors ? PIECES : LINE / 4),
                most = side ? t->c.columns : t->c.rows;
  simt_line(gen, "UNROLL");
  simt_open(gen, "for (i32 t = 0; t < %" PRId64 "; t++)", pieces / SIMT_GROUP);
  uint32_t line_in, depth_in, to;
  emit_item(gen, t, side, &f, &line_in, &depth_in, &to);
  const simt_ix line = simt_add(gen, side ? p->column : p->row, simt_index_of(line_in)),
                depth = simt_add(gen, p->depth, simt_index_of(depth_in));
  ten_buf inside = {0};
  ten_buf_adds(&inside, "true");
  if (most % lines) ten_buf_printf(&inside, " && %s < %" PRId64, simt_text(gen, line), most);
  if (t->splits * t->chunk != t->c.depth)
    ten_buf_printf(&inside, " && %s < %" PRId64, simt_text(gen, depth), t->c.depth);
  const ten_value *value = ten_op_operand(t->c.op, (uint32_t)side), *source;
  simt_ix *at = simt_indices(gen, value->type->rank);
  simt_contraction_at(gen, &t->c, side, p->batch, line, depth, at, &inside);
  const simt_ix place = simt_follow(gen, value, at, &source);
  simt_line(gen, "%s(%s + %s * %" PRId64 " + v%u, p%u + %s, %s);", vectors ? "COPY16" : "COPY4",
            side ? "right" : "left", slot, simt_warpgroup_slot(t, side), to, simt_parameter(gen, source),
            simt_text(gen, place), inside.data);
  ten_buf_free(&inside);
  simt_close(gen);
}

/* Copies slice number `slice`, a text. */
static void emit_copies(simt_gen *gen, const simt_tile *t, const simt_tile_place *place, const char *slice) {
  simt_tile_place p = *place;
  const uint32_t at = simt_define(gen, "i32", "(%s) * %" PRId64, slice, t->depth);
  simt_line(gen, "const i32 slot = (i32)((u32)(%s) %% %du);", slice, t->slots);
  p.depth = simt_add(gen, simt_multiply(gen, p.split, t->chunk), simt_index_of(at));
  emit_fill(gen, t, SIMT_LEFT, &p, "slot");
  emit_fill(gen, t, SIMT_RIGHT, &p, "slot");
}

void simt_warpgroup_emit_products(simt_gen *gen, const simt_tile *t) {
  static const char *const names[] = {[SIMT_MMA_BF16] = "bf16", [SIMT_MMA_F16] = "f16", [SIMT_MMA_TF32] = "tf32"};
  const bool across_x = simt_tile_filling(gen, t, SIMT_LEFT).kind == SIMT_FILL_LINES,
             across_y = simt_tile_filling(gen, t, SIMT_RIGHT).kind == SIMT_FILL_LINES;
  simt_line(gen,
            "const u32 x = shared_at(left) + slot * %" PRId64
            " + group_row * %d, y = shared_at(right) + slot * %" PRId64 " + group_column * %d;",
            simt_warpgroup_slot(t, SIMT_LEFT), LINE, simt_warpgroup_slot(t, SIMT_RIGHT), LINE);
  simt_line(gen, "WGMMA_FENCE;");
  simt_line(gen,
            "UNROLL for (i32 k = 0; k < 4; k++) UNROLL for (i32 r = 0; r < %" PRId64 "; r++) wgmma_%s_%" PRId64
            "<%d, %d>(sums[r], swizzled(x + r * %d + k * %d, %d), swizzled(y + k * %d, %d));",
            group_rows(t) / 64, names[t->math], group_columns(t), across_x, across_y, BLOCK, across_x ? 16 * LINE : 32,
            across_x ? BLOCK : 16, across_y ? 16 * LINE : 32, across_y ? BLOCK : 16);
  simt_line(gen, "WGMMA_COMMIT;");
}

void simt_warpgroup_emit_settle(simt_gen *gen, const simt_tile *t) {
  simt_line(gen, "WGMMA_WAIT(0);");
  simt_line(gen,
            "UNROLL for (i32 r = 0; r < %" PRId64 "; r++) UNROLL for (i32 c = 0; c < %" PRId64
            "; c++) UNROLL for (i32 e = 0; e < 4; e++) SETTLED(sums[r][c][e]);",
            group_rows(t) / 64, group_columns(t) / 8);
}

void simt_warpgroup_emit_slices(simt_gen *gen, const simt_tile *t, const simt_tile_place *p) {
  const int64_t slices = t->chunk / t->depth;
  const int ahead = t->slots - 1 - t->lag;
  char slice[32];
  snprintf(slice, sizeof slice, "step + %d", ahead);
  simt_line(gen, "NO_UNROLL");
  simt_open(gen, "for (i32 step = 0; step < %d; step++)", ahead);
  simt_open(gen, "if (step < %" PRId64 ")", slices);
  emit_copies(gen, t, p, "step");
  simt_close(gen);
  simt_line(gen, "COPY_COMMIT;");
  simt_close(gen);
  simt_line(gen, "NO_UNROLL");
  simt_open(gen, "for (i32 step = 0; step < %" PRId64 "; step++)", slices);
  simt_line(gen, "COPY_WAIT(%d);", ahead - 1);
  simt_line(gen, "ASYNC_FENCE;");
  simt_line(gen, "BARRIER;");
  simt_open(gen, "if (true)");
  simt_line(gen, "const i32 slot = (i32)((u32)step %% %du);", t->slots);
  simt_warpgroup_emit_products(gen, t);
  simt_close(gen);
  simt_open(gen, "if (step + %d < %" PRId64 ")", ahead, slices);
  emit_copies(gen, t, p, slice);
  simt_close(gen);
  simt_line(gen, "COPY_COMMIT;");
  simt_line(gen, "WGMMA_WAIT(%d);", t->lag);
  simt_close(gen);
  simt_warpgroup_emit_settle(gen, t);
}

void simt_warpgroup_emit_stage(simt_gen *gen, const simt_tile *t) {
  simt_line(gen,
            "f32 *to = stage + (group_row + TID / 32 %% 4 * 16 + TID %% 32 / 4) * %" PRId64
            " + group_column + TID %% 4 * 2;",
            pitch_of(t));
  simt_line(gen,
            "UNROLL for (i32 r = 0; r < %" PRId64 "; r++) UNROLL for (i32 c = 0; c < %" PRId64
            "; c++) UNROLL for (i32 e = 0; e < 2; e++) *(float2 *)(to + (r * 64 + e * 8) * %" PRId64
            " + c * 8) = make_float2(sums[r][c][2 * e], sums[r][c][2 * e + 1]);",
            group_rows(t) / 64, group_columns(t) / 8, pitch_of(t));
}

/* One instruction as a function: 64 rows, `columns` columns, 32 bytes of depth. */
static void add_product(ten_buf *out, const char *name, const char *types, int depth, int columns, bool transposes) {
  const int count = columns / 2;
  ten_buf_printf(out, "template <int tx, int ty> FN void wgmma_%s_%d(f32 (*d)[4], u64 x, u64 y) {\n  asm volatile(\"",
                 name, columns);
  ten_buf_printf(out, "wgmma.mma_async.sync.aligned.m64n%dk%d.f32.%s {", columns, depth, types);
  for (int i = 0; i < count; i++) ten_buf_printf(out, "%s%%%d", i ? ", " : "", i);
  ten_buf_printf(out, "}, %%%d, %%%d, 1, 1, 1", count, count + 1);
  if (transposes) ten_buf_printf(out, ", %%%d, %%%d", count + 2, count + 3);
  ten_buf_adds(out, ";\"\n    : ");
  for (int i = 0; i < count; i++) ten_buf_printf(out, "%s\"+f\"(d[%d][%d])", i ? ", " : "", i / 4, i % 4);
  ten_buf_adds(out, "\n    : \"l\"(x), \"l\"(y)");
  if (transposes) ten_buf_adds(out, ", \"n\"(tx), \"n\"(ty)");
  ten_buf_adds(out, ");\n}\n");
}

void simt_warpgroup_prelude(ten_buf *out) {
  ten_buf_adds(
      out,
      "#ifdef __CUDA_ARCH_FEAT_SM90_ALL\n"
      "#define ASYNC_FENCE asm volatile(\"fence.proxy.async.shared::cta;\" ::: \"memory\")\n"
      "#define WGMMA_FENCE asm volatile(\"wgmma.fence.sync.aligned;\" ::: \"memory\")\n"
      "#define WGMMA_COMMIT asm volatile(\"wgmma.commit_group.sync.aligned;\" ::: \"memory\")\n"
      "#define WGMMA_WAIT(count) asm volatile(\"wgmma.wait_group.sync.aligned %0;\" ::\"n\"(count) : \"memory\")\n"
      "#define SETTLED(x) asm volatile(\"\" : \"+f\"(x)::\"memory\")\n"
      "/* Where a matrix is in shared memory: swizzled by 128 bytes, 8 lines are 1024. */\n"
      "FN u64 swizzled(u32 at, u32 leading) {\n"
      "  return (u64)((at & 0x3ffffu) >> 4) | (u64)(leading >> 4) << 16 | (u64)64 << 32 | (u64)1 << 62;\n"
      "}\n");
  for (int columns = 64; columns <= 256; columns *= 2) {
    add_product(out, "bf16", "bf16.bf16", 16, columns, true);
    add_product(out, "f16", "f16.f16", 16, columns, true);
    add_product(out, "tf32", "tf32.tf32", 8, columns, false);
  }
  ten_buf_adds(out, "#endif\n");
}
