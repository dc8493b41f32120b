/* bulk.c: tiles by wgmma (warpgroup.c) whose slices are copied by TMA.
 * 1. One thread of a ninth warp orders the copies of both operands' boxes, as far ahead as there are slots; eight warps
 *    multiply. A slot has two barriers: `full` counts the bytes that have arrived, `empty` the warps that have read it.
 * 2. A box is swizzled by the hardware as warpgroup.c has it. What is outside of the tensor is zero: neither the last
 *    lines nor the end of the depth need checks.
 * 3. Barriers are set up before the kernel waits for the one before it. Each thread counts slots and phases on its own.
 */
#include "backend/simt/bulk.h"

#include <inttypes.h>

#include "backend/simt/bulk_map.h"
#include "backend/simt/warpgroup.h"

enum { LINE = 128 /* bytes */, WARPS = 8 };

static int64_t lines_of(const simt_tile *t, int side) { return side ? t->columns : t->rows; }

bool simt_bulk_takes(simt_gen *gen, const simt_tile *t) {
  simt_bulk_operands o;
  simt_tile any = *t;
  any.rows = any.columns = SIMT_BULK_LINES_EACH;
  return simt_bulk_operands_of(gen, &any, &o);
}

static int64_t slice_bytes(const simt_tile *t) {
  return simt_warpgroup_slot(t, SIMT_LEFT) + simt_warpgroup_slot(t, SIMT_RIGHT);
}

static size_t barriers_at(const simt_tile *t) { return (simt_warpgroup_shared(t) + 127) / 128 * 128; }

size_t simt_bulk_shared(const simt_tile *t) { return barriers_at(t) + 2 * (size_t)t->slots * sizeof(uint64_t); }

/* Where the next boxes of an operand begin. */
typedef struct corner {
  simt_ix line, depth, tap;
  simt_ix digits[SIMT_MAP_RANK]; /* of the batch, or of a pixel: image, places; the outermost first */
} corner;

/* The places of a pixel in the input, tap 0. */
static void find_pixel(simt_gen *gen, const simt_window *w, simt_ix pixel, simt_ix *digits) {
  int64_t sizes[SIMT_MAP_RANK] = {w->images};
  for (uint32_t d = 0; d < w->rank; d++) sizes[d + 1] = w->pixels[d];
  /* What is behind the last image stays there. */
  int64_t all = 1;
  for (uint32_t d = 0; d < w->rank; d++) all *= w->pixels[d];
  digits[0] = simt_divide(gen, pixel, all);
  simt_delinearise(gen, w->rank, sizes + 1, simt_modulo(gen, pixel, all), digits + 1);
  for (uint32_t d = 0; d < w->rank; d++)
    digits[d + 1] = simt_add(gen, simt_multiply(gen, digits[d + 1], w->steps[d]), simt_number(w->low[d]));
}

static corner corner_of(simt_gen *gen, const simt_tile *t, const simt_bulk_operands *all, int side,
                        const simt_tile_place *p, simt_ix line, simt_ix depth) {
  const simt_bulk_operand *o = &all->side[side];
  const simt_window *w = &all->window;
  corner at = {.line = line, .depth = depth, .tap = simt_number(0)};
  if (!all->windows) {
    int64_t sizes[SIMT_MAP_RANK];
    for (uint32_t i = 0; i < o->batch.count; i++) sizes[i] = o->batch.at[o->batch.count - 1 - i].size;
    simt_delinearise(gen, o->batch.count, sizes, p->batch, at.digits);
    return at;
  }
  if (!t->c.image_last) {
    at.tap = simt_divide(gen, depth, w->features);
    at.depth = simt_modulo(gen, depth, w->features);
    if (side == SIMT_LEFT) find_pixel(gen, w, line, at.digits);
    /* Past the last tap the copy reads features out of bounds, which are filled with zeros. */
    if (t->splits * t->chunk != t->c.depth)
      at.depth = simt_index_of(simt_define(gen, "i32", "%s < %" PRId64 " ? %s : %" PRId64, simt_text(gen, depth),
                                           t->c.depth, simt_text(gen, at.depth), w->features));
    if (side == SIMT_RIGHT && w->mirrored) at.tap = simt_subtract(gen, simt_number(w->tap_count - 1), at.tap);
  } else if (side == SIMT_LEFT) {
    at.tap = simt_divide(gen, line, w->features);
    at.line = simt_modulo(gen, line, w->features);
    find_pixel(gen, w, depth, at.digits);
  }
  return at;
}

/* A tap as offsets, the innermost first. */
static void add_offsets(simt_gen *gen, const simt_window *w, simt_ix tap, ten_buf *out) {
  simt_ix digits[SIMT_WINDOW_MOST];
  simt_delinearise(gen, w->rank, w->taps, tap, digits);
  for (uint32_t d = w->rank; d-- > 0;)
    ten_buf_printf(out, ", (u16)(%s)", simt_text(gen, simt_multiply(gen, digits[d], w->tap_steps[d])));
}

/* One operand's boxes of the slice at this depth, to `slot`. */
static void emit_copy(simt_gen *gen, const simt_tile *t, const simt_bulk_operands *all, int side,
                      const simt_tile_place *p, simt_ix depth) {
  const simt_bulk_operand *o = &all->side[side];
  gen->maps[side] = o->map;
  gen->maps[side].read = simt_parameter(gen, o->source);
  const int64_t lines = lines_of(t, side), each = o->across ? SIMT_BULK_LINES_EACH : lines;
  const simt_ix start = side ? p->column : p->row;
  if (!o->across) gen->maps[side].box[1] = lines;
  for (int64_t first = 0; first < lines; first += each) {
    const simt_ix line = simt_add(gen, start, simt_number(first));
    const corner from = corner_of(gen, t, all, side, p, line, depth);
    ten_buf at = {0};
    for (uint32_t i = 0; i < o->map.rank; i++) {
      const uint32_t digit = o->map.rank - 1 - i;
      const simt_ix x = o->roles[i] == SIMT_BULK_DEPTH   ? from.depth
                        : o->roles[i] == SIMT_BULK_LINES ? from.line
                        : o->roles[i] == SIMT_BULK_TAPS  ? from.tap
                                                         : from.digits[digit];
      ten_buf_printf(&at, ", %s", simt_text(gen, x));
    }
    if (o->map.window) add_offsets(gen, &all->window, from.tap, &at);
    simt_line(gen, "%s(shared_at(%s) + slot * %" PRId64 "u + %" PRId64 "u, &m%d, full + slot * 8u%s);",
              o->map.window ? "bulk_window" : "bulk_copy", side ? "right" : "left", simt_warpgroup_slot(t, side),
              first * LINE, side, at.data);
    ten_buf_free(&at);
  }
}

static void emit_next(simt_gen *gen, const simt_tile *t) {
  simt_line(gen, "if (++slot == %du) slot = 0, phase ^= 1;", t->slots);
}

/* Copies by one thread. */
static void emit_copies(simt_gen *gen, const simt_tile *t, const simt_tile_place *p, int64_t slices) {
  simt_bulk_operands all;
  if (!simt_bulk_operands_of(gen, t, &all)) {
    simt_fail(gen, ten_op_error(t->c.op, TEN_INTERNAL, "operands are no tensor maps any more"));
    return;
  }
  simt_line(gen, "NO_UNROLL");
  simt_open(gen, "for (i32 step = 0; step < %" PRId64 "; step++)", slices);
  const simt_ix depth = simt_add(gen, simt_multiply(gen, p->split, t->chunk),
                                 simt_index_of(simt_define(gen, "i32", "step * %" PRId64, t->depth)));
  simt_line(gen, "barrier_await(empty + slot * 8u, phase ^ 1);");
  simt_line(gen, "barrier_expect(full + slot * 8u, %" PRId64 "u);", slice_bytes(t));
  emit_copy(gen, t, &all, SIMT_LEFT, p, depth);
  emit_copy(gen, t, &all, SIMT_RIGHT, p, depth);
  emit_next(gen, t);
  simt_close(gen);
}

/* Products by eight warps: a slice's may still be running when those of the next are issued. */
static void emit_products(simt_gen *gen, const simt_tile *t, int64_t slices) {
  simt_line(gen, "u32 before = 0;");
  simt_line(gen, "NO_UNROLL");
  simt_open(gen, "for (i32 step = 0; step < %" PRId64 "; step++)", slices);
  simt_line(gen, "barrier_await(full + slot * 8u, phase);");
  simt_warpgroup_emit_products(gen, t);
  simt_line(gen, "WGMMA_WAIT(1);");
  simt_line(gen, "if (step > 0 && TID %% 32 == 0) barrier_arrive(empty + before * 8u);");
  simt_line(gen, "before = slot;");
  emit_next(gen, t);
  simt_close(gen);
  simt_warpgroup_emit_settle(gen, t);
  simt_line(gen, "if (TID %% 32 == 0) barrier_arrive(empty + before * 8u);");
}

static void emit_barriers(simt_gen *gen, const simt_tile *t) {
  ten_buf_printf(&gen->locals, "  SHARED(%zu);\n", t->shared);
  ten_buf_printf(&gen->locals,
                 "  const u32 full = shared_at(shared) + %zuu, empty = full + %du;\n"
                 "  u32 slot = 0, phase = 0;\n"
                 "  if (TID == 0) {\n"
                 "    UNROLL for (u32 s = 0; s < %du; s++) barrier_start(full + s * 8u, 1), "
                 "barrier_start(empty + s * 8u, %d);\n"
                 "    BARRIERS_STARTED;\n"
                 "    map_fetch(&m0), map_fetch(&m1);\n"
                 "  }\n"
                 "  BARRIER;\n",
                 barriers_at(t), t->slots * 8, t->slots, WARPS);
}

void simt_bulk_emit_slices(simt_gen *gen, const simt_tile *t, const simt_tile_place *p) {
  const int64_t slices = t->chunk / t->depth;
  gen->group = SIMT_BULK_GROUP;
  gen->map_count = 2;
  emit_barriers(gen, t);
  simt_line(gen, "u8 *left = shared, *right = shared + %" PRId64 ";", t->slots * simt_warpgroup_slot(t, SIMT_LEFT));
  simt_open(gen, "if (TID >= %d)", SIMT_GROUP);
  simt_open(gen, "if (TID == %d)", SIMT_GROUP);
  emit_copies(gen, t, p, slices);
  simt_close(gen);
  simt_line(gen, "__syncwarp();");
  simt_close(gen);
  simt_open(gen, "else");
  simt_warpgroup_emit_start(gen, t);
  emit_products(gen, t, slices);
}

/* Boxes of the next tile may replace what ordinary stores have written. */
void simt_bulk_emit_end(simt_gen *gen) {
  simt_line(gen, "ASYNC_FENCE;");
  simt_close(gen);
  simt_line(gen, "BARRIER;");
}

/* An instruction for tensors of this rank, with the coordinates of the box. */
static void add_instruction(ten_buf *out, int rank, bool window) {
  const int offsets = window ? rank - 2 : 0;
  ten_buf_printf(out,
                 "  asm volatile(\"cp.async.bulk.tensor.%dd.shared::cluster.global.%s.mbarrier::complete_tx::bytes "
                 "[%%0], [%%1, {",
                 rank, window ? "im2col" : "tile");
  for (int i = 0; i < rank; i++) ten_buf_printf(out, "%s%%%d", i ? ", " : "", 3 + i);
  ten_buf_adds(out, "}], [%2]");
  for (int i = 0; i < offsets; i++)
    ten_buf_printf(out, "%s%%%d%s", i ? ", " : ", {", 3 + rank + i, i + 1 < offsets ? "" : "}");
  ten_buf_adds(out, ";\"\n    ::\"r\"(to), \"l\"(m), \"r\"(full)");
  for (int i = 0; i < rank; i++) ten_buf_printf(out, ", \"r\"(c%d)", i);
  for (int i = 0; i < offsets; i++) ten_buf_printf(out, ", \"h\"(o%d)", i);
  ten_buf_adds(out, " : \"memory\");\n");
}

/* Of a window, a convolution's input, the last coordinate is the image, and the offsets are those of a tap. */
static void add_copy(ten_buf *out, int rank, bool window) {
  ten_buf_printf(out, "FN void bulk_%s(u32 to, const tensor_map *m, u32 full", window ? "window" : "copy");
  for (int i = 0; i < rank; i++) ten_buf_printf(out, ", i32 c%d", i);
  for (int i = 0; window && i < rank - 2; i++) ten_buf_printf(out, ", u16 o%d", i);
  ten_buf_adds(out, ") {\n");
  add_instruction(out, rank, window);
  ten_buf_adds(out, "}\n");
}

void simt_bulk_prelude(ten_buf *out) {
  ten_buf_adds(
      out,
      "#if __CUDA_ARCH__ >= 900\n"
      "struct __align__(64) tensor_map { u64 words[16]; };\n"
      "#define MAP const __grid_constant__ tensor_map\n"
      "#define GROUPED_OF(threads, count) __launch_bounds__(threads, count)\n"
      "#define MULTIPLIERS_BARRIER asm volatile(\"bar.sync 1, 256;\" ::: \"memory\")\n"
      "#define BARRIERS_STARTED asm volatile(\"fence.mbarrier_init.release.cluster;\" ::: \"memory\")\n"
      "FN void map_fetch(const tensor_map *m) {\n"
      "  asm volatile(\"prefetch.tensormap [%0];\" ::\"l\"(m) : \"memory\");\n"
      "}\n"
      "FN void barrier_start(u32 at, u32 count) {\n"
      "  asm volatile(\"mbarrier.init.shared::cta.b64 [%0], %1;\" ::\"r\"(at), \"r\"(count) : \"memory\");\n"
      "}\n"
      "FN void barrier_expect(u32 at, u32 bytes) {\n"
      "  asm volatile(\"mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;\" ::\"r\"(at), \"r\"(bytes) : \"memory\");\n"
      "}\n"
      "FN void barrier_arrive(u32 at) {\n"
      "  asm volatile(\"mbarrier.arrive.shared::cta.b64 _, [%0];\" ::\"r\"(at) : \"memory\");\n"
      "}\n"
      "FN void barrier_await(u32 at, u32 phase) {\n"
      "  asm volatile(\n"
      "    \"{\\n.reg .pred done;\\nagain:\\nmbarrier.try_wait.parity.shared::cta.b64 done, [%0], %1;\\n\"\n"
      "    \"@done bra over;\\nbra again;\\nover:\\n}\" ::\"r\"(at), \"r\"(phase) : \"memory\");\n"
      "}\n");
  for (int rank = 2; rank <= SIMT_MAP_RANK; rank++) add_copy(out, rank, false);
  for (int rank = 3; rank <= SIMT_MAP_RANK; rank++) add_copy(out, rank, true);
  ten_buf_adds(out, "#endif\n");
}
