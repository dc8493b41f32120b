/* bulk_map.c: describes operands as tensors of at most five dimensions, the innermost contiguous.
 * A convolution's input is one of CUDA's im2col maps: a box has some features of as many pixels as a tile has lines
 * (or, of a weight gradient, a slice is deep), counted row by row, image by image; a tap moves it. So a slice must be
 * of one tap, and, of a weight gradient, so must 64 lines. */
#include "backend/simt/bulk_map.h"

enum { STRIDE_MOST_LOG2 = 40, SIZE_MOST_LOG2 = 32, STEPS_MOST = 8, CORNER_MOST = 128, TAP_MOST = 256 };

static int64_t lines_of(const simt_tile *t, int side) { return side ? t->columns : t->rows; }

static bool add_span(simt_bulk_operand *o, simt_bulk_role along, simt_span span, int64_t box) {
  simt_map *map = &o->map;
  if (map->rank == SIMT_MAP_RANK) return false;
  const int64_t stride = span.stride * map->bytes;
  if (map->rank ? stride <= 0 || stride % 16 || stride >> STRIDE_MOST_LOG2 : span.stride != 1) return false;
  if (span.size >> SIZE_MOST_LOG2) return false;
  map->dims[map->rank] = span.size;
  map->strides[map->rank] = stride;
  map->box[map->rank] = box;
  o->roles[map->rank++] = along;
  return true;
}

/* The only span of some dimensions; of one element if they have none. */
static simt_span only_span(const simt_spans *spans, uint32_t bytes) {
  return spans->count ? spans->at[0] : (simt_span){1, 16 / bytes};
}

static bool start_operand(simt_gen *gen, const simt_tile *t, int side, const simt_strided *s, simt_bulk_operand *out) {
  const simt_filling filling = simt_tile_filling(gen, t, side);
  if (filling.kind != SIMT_FILL_DEEP && filling.kind != SIMT_FILL_LINES) return false;
  if (s->source != filling.source) return false;
  *out = (simt_bulk_operand){.source = s->source, .batch = s->batch, .across = filling.kind == SIMT_FILL_LINES};
  out->map.bytes = (uint32_t)simt_tile_element_bytes(t);
  out->map.offset = s->offset * out->map.bytes;
  return out->map.offset % 16 == 0;
}

/* An operand whose elements lie at strides along lines, depth and batch, or, instead of a batch, taps. */
static bool describe(simt_gen *gen, const simt_tile *t, int side, const simt_strided *s, simt_bulk_role outer,
                     simt_bulk_operand *out) {
  if (s->depth.count > 1 || s->lines.count > 1 || !start_operand(gen, t, side, s, out)) return false;
  const simt_span depth = only_span(&s->depth, out->map.bytes), lines = only_span(&s->lines, out->map.bytes);
  const bool made = out->across ? add_span(out, SIMT_BULK_LINES, lines, SIMT_BULK_LINES_EACH) &&
                                      add_span(out, SIMT_BULK_DEPTH, depth, t->depth)
                                : add_span(out, SIMT_BULK_DEPTH, depth, t->depth) &&
                                      add_span(out, SIMT_BULK_LINES, lines, lines_of(t, side));
  if (!made) return false;
  for (uint32_t i = 0; i < s->batch.count; i++)
    if (!add_span(out, outer, s->batch.at[i], 1)) return false;
  return true;
}

/* A convolution's input. */
static bool describe_window(simt_gen *gen, const simt_tile *t, const simt_window *w, simt_bulk_operand *out) {
  const ten_value *value = ten_op_operand(t->c.op, 0);
  simt_strided s;
  simt_operand_dims dims = {.depth = w->input.depth, .depth_count = 1};
  if (!simt_strided_dims(gen, value, &dims, &s) || !start_operand(gen, t, SIMT_LEFT, &s, out)) return false;
  const int64_t each = t->c.image_last ? SIMT_BULK_LINES_EACH : t->depth;
  if (out->across != t->c.image_last || w->features % each) return false;
  out->map.window = true;
  if (!add_span(out, t->c.image_last ? SIMT_BULK_LINES : SIMT_BULK_DEPTH, only_span(&s.depth, out->map.bytes), each))
    return false;
  for (uint32_t i = w->rank + 1; i-- > 0;) { /* images are the outermost */
    dims = (simt_operand_dims){.depth = w->input.lines + i, .depth_count = 1};
    if (!simt_strided_dims(gen, value, &dims, &s)) return false;
    const simt_span span = s.depth.count ? s.depth.at[0] : (simt_span){1, out->map.strides[out->map.rank - 1]};
    if (!add_span(out, SIMT_BULK_PIXELS, span, t->c.image_last ? t->depth : t->rows)) return false;
  }
  for (uint32_t i = 0; i < SIMT_MAP_RANK; i++) out->map.steps[i] = 1;
  for (uint32_t d = 0; d < w->rank; d++) { /* innermost first */
    const uint32_t from = w->rank - 1 - d;
    const int64_t high = w->low[from] + (w->pixels[from] - 1) * w->steps[from] - (w->sizes[from] - 1),
                  corner_most = w->rank == 1   ? CORNER_MOST * CORNER_MOST
                                : w->rank == 2 ? CORNER_MOST
                                               : CORNER_MOST / 8,
                  tap_most = w->rank == 1   ? CORNER_MOST * CORNER_MOST
                             : w->rank == 2 ? TAP_MOST
                                            : TAP_MOST / 8;
    if (w->steps[from] > STEPS_MOST || w->low[from] < -corner_most || w->low[from] >= corner_most ||
        high < -corner_most || high >= corner_most || (w->taps[from] - 1) * w->tap_steps[from] >= tap_most)
      return false;
    out->map.low[d] = (int32_t)w->low[from];
    out->map.high[d] = (int32_t)high;
    out->map.steps[d + 1] = (int32_t)w->steps[from];
  }
  return true;
}

bool simt_bulk_operands_of(simt_gen *gen, const simt_tile *t, simt_bulk_operands *out) {
  *out = (simt_bulk_operands){0};
  simt_strided s;
  if (simt_strided_operand(gen, &t->c, SIMT_LEFT, &s))
    return describe(gen, t, SIMT_LEFT, &s, SIMT_BULK_BATCH, &out->side[0]) &&
           simt_strided_operand(gen, &t->c, SIMT_RIGHT, &s) &&
           describe(gen, t, SIMT_RIGHT, &s, SIMT_BULK_BATCH, &out->side[1]);
  out->windows = true;
  return simt_contraction_window(gen, &t->c, &out->window) && describe_window(gen, t, &out->window, &out->side[0]) &&
         simt_strided_dims(gen, ten_op_operand(t->c.op, 1), &out->window.kernel, &s) && s.batch.count <= 1 &&
         describe(gen, t, SIMT_RIGHT, &s, SIMT_BULK_TAPS, &out->side[1]);
}
