/* tile_plain.c: a tile in a language without pointers (WGSL). Shared memory is one array of f32: slices laid out as
 * [depth][line], left and right, then the rows of sums. Each sum of a thread is a variable, and arithmetic is written
 * out: an array that is indexed is not in registers. */
#include <inttypes.h>

#include "backend/simt/tile_parts.h"

static int64_t lines_of(const simt_tile *t, int side) { return side ? t->columns : t->rows; }
static int64_t pitch_of(const simt_tile *t, int side) { return lines_of(t, side) + 4; }
static int64_t slice_of(const simt_tile *t, int side) { return pitch_of(t, side) * t->depth; }
static int64_t right_at(const simt_tile *t) { return t->slots * slice_of(t, SIMT_LEFT); }
/* The first of a thread's rows or columns, and its others: runs of 4, one for each 64 lines. */
static int64_t line_at(int64_t i) { return i / 4 * 64 + i % 4; }

void simt_tile_plain_start(simt_gen *gen, const simt_tile *t) {
  for (int64_t r = 0; r < t->rows / 16; r++)
    for (int64_t c = 0; c < t->columns / 16; c++) simt_line(gen, "f32 s%" PRId64 "_%" PRId64 " = 0;", r, c);
  simt_line(gen, "const i32 down = TID / 16 * 4, across = TID %% 16 * 4;");
}

void simt_tile_plain_store(simt_gen *gen, const simt_tile *t, int side, uint32_t slot, uint32_t line, uint32_t depth,
                           uint32_t element) {
  simt_line(gen, "stage[v%u * %" PRId64 " + v%u * %" PRId64 " + v%u + %" PRId64 "] = v%u;", slot, slice_of(t, side),
            depth, pitch_of(t, side), line, side ? right_at(t) : 0, element);
}

void simt_tile_plain_sums(simt_gen *gen, const simt_tile *t) {
  const int64_t rows = t->rows / 16, columns = t->columns / 16;
  simt_line(gen, "const i32 now = (i32)((u32)step %% %du);", t->slots);
  simt_line(gen, "const i32 l = now * %" PRId64 " + down, r = now * %" PRId64 " + across + %" PRId64 ";",
            slice_of(t, SIMT_LEFT), slice_of(t, SIMT_RIGHT), right_at(t));
  simt_open(gen, "for (i32 k = 0; k < %" PRId64 "; k++)", t->depth);
  for (int64_t i = 0; i < rows; i++)
    simt_line(gen, "const f32 x%" PRId64 " = stage[l + k * %" PRId64 " + %" PRId64 "];", i, pitch_of(t, SIMT_LEFT),
              line_at(i));
  for (int64_t i = 0; i < columns; i++)
    simt_line(gen, "const f32 y%" PRId64 " = stage[r + k * %" PRId64 " + %" PRId64 "];", i, pitch_of(t, SIMT_RIGHT),
              line_at(i));
  for (int64_t i = 0; i < rows; i++)
    for (int64_t j = 0; j < columns; j++)
      simt_line(gen, "s%" PRId64 "_%" PRId64 " = fmaf(x%" PRId64 ", y%" PRId64 ", s%" PRId64 "_%" PRId64 ");", i, j, i,
                j, i, j);
  simt_close(gen);
}

void simt_tile_plain_stage(simt_gen *gen, const simt_tile *t) {
  for (int64_t r = 0; r < t->rows / 16; r++) {
    simt_open(gen, "if ((down + %" PRId64 ") / %d == part)", line_at(r), SIMT_STAGE);
    for (int64_t c = 0; c < t->columns / 16; c++)
      simt_line(gen,
                "stage[(down + %" PRId64 ") %% %d * %" PRId64 " + across + %" PRId64 "] = s%" PRId64 "_%" PRId64 ";",
                line_at(r), SIMT_STAGE, t->columns + 4, line_at(c), r, c);
    simt_close(gen);
  }
}
