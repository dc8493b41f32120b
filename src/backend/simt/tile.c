/* tile.c: chooses the tiles of a contraction, and emits the parts of the kernel that do not depend on the arithmetic:
 * the loop over the depth, and the epilogue. */
#include "backend/simt/tile.h"

#include <inttypes.h>
#include <stdio.h>

#include "backend/simt/bulk.h"
#include "backend/simt/tile_parts.h"
#include "backend/simt/vectors.h"
#include "backend/simt/warpgroup.h"
#include "base/environment.h"

enum { BULK_LINE = 128 /* bytes of a slice's line */, BULK_DEPTH = 64 /* products of 16 bits */ };
enum { BULK_DEPTH_LEAST = 640, BULK_LINES_LEAST = 64 }; /* below that, threads copy as fast (on an H200) */
#define BULK_WAY 1e6
#define BULK_BYTE 19.0
#define BULK_HALF 0.5
enum { PROCESSORS = 132, DEPTH_LEAST = 16, WORK_LEAST = 1 << 13, PIECE_LEAST = 256, PIECES_MOST = 32 };

typedef struct shape {
  int64_t rows, columns;
  int64_t resident; /* groups that a processor has at a time */
  double speed;     /* multiply-adds of a processor, relative to the first */
  int slots, lag;   /* see simt_tile */
} shape;

static const shape fma_shapes[] = {{128, 128, 2, 1.0, 2, 0}, {128, 64, 2, 0.85, 2, 0}, {64, 64, 4, 0.7, 2, 0}},
                   plain_shapes[] = {{128, 64, 2, 0.85, 2, 0}, {64, 64, 4, 0.7, 2, 0}},
                   mma_shapes[] = {{256, 128, 1, 1.0, 3, 0}, {128, 128, 2, 0.85, 3, 0}, {256, 64, 1, 0.8, 3, 0},
                                   {128, 64, 3, 0.65, 3, 0}, {64, 128, 3, 0.65, 3, 0},  {64, 64, 4, 0.5, 3, 0},
                                   {32, 128, 4, 0.5, 3, 0}},
                   warpgroup_shapes[] = {{128, 256, 1, 2.75, 4, 1}, {256, 128, 1, 2.68, 4, 1}, {128, 128, 2, 2.4, 3, 0},
                                         {128, 128, 1, 2.3, 6, 1},  {128, 64, 2, 1.98, 4, 0},  {64, 128, 2, 1.76, 4, 0},
                                         {64, 256, 1, 1.88, 5, 1}},
                   bulk_shapes[] = {{128, 256, 1, 2.75, 4, 1}, {256, 128, 1, 2.68, 4, 1}, {128, 128, 2, 2.4, 3, 1},
                                    {128, 128, 1, 2.3, 6, 1},  {128, 64, 2, 1.98, 4, 1},  {64, 128, 2, 1.76, 4, 1},
                                    {64, 256, 1, 1.88, 5, 1}};

static int64_t parts_of(int64_t count, int64_t size) { return (count + size - 1) / size; }

/* Estimated total time in units of one multiply-add of a processor: resident groups share the processor, and a slice
 * takes at least its memory latency. */
static double time_of(const simt_tile *t, const shape *s, int64_t splits) {
  const simt_contraction *c = &t->c;
  const bool mma = t->math != SIMT_FMA;
  const int64_t groups = c->batch * parts_of(c->rows, s->rows) * parts_of(c->columns, s->columns) * splits;
  const int64_t waves = parts_of(groups, PROCESSORS * s->resident), each = parts_of(groups, PROCESSORS);
  const int64_t together = each < s->resident ? each : s->resident,
                slices = parts_of(parts_of(c->depth, splits), t->depth);
  const double latency = t->math == SIMT_FMA ? 1e5 : 6e5;
  const double work = (double)(together * s->rows * s->columns * t->depth) / s->speed;
  const double result = (double)(together * s->rows * s->columns) * (mma ? 48 : 16);
  const double pass =
      splits == 1 ? 0 : (mma ? 4e6 : 1e6) + (double)(splits * c->batch * c->rows * c->columns) * (mma ? 12 : 3);
  return (double)waves * ((double)(slices + 3) * (work > latency ? work : latency) + result) + pass;
}

/* A tile of few slices needs fewer slots, and a processor has room for more groups of it. */
static shape fitted(const simt_tile *t, const shape *wanted, int64_t splits) {
  shape s = *wanted;
  const int64_t slices = parts_of(parts_of(t->c.depth, splits), t->depth);
  if (slices + 1 + s.lag < s.slots) s.slots = (int)slices + 1 + s.lag;
  if (s.slots <= 3 && s.rows * s.columns <= 128 * 64) s.resident = 3;
  return s;
}

/* The same of warpgroups, as measured on an H200: a tile takes the way of its first slice through memory, its slices
 * and its results one after the other; groups that a processor has at a time wait at the same time, but share what
 * computes.
 */
static double warpgroup_time_of(const simt_tile *t, const shape *s, int64_t splits) {
  const simt_contraction *c = &t->c;
  const int64_t groups = c->batch * parts_of(c->rows, s->rows) * parts_of(c->columns, s->columns) * splits;
  const int64_t each = parts_of(groups, PROCESSORS), together = each < s->resident ? each : s->resident;
  const double slices = (double)parts_of(parts_of(c->depth, splits), t->depth), way = 1e6,
               latency = way / (s->slots - 1 - s->lag), work = (double)(s->rows * s->columns * t->depth) / s->speed,
               results = (double)(s->rows * s->columns);
  const double alone = way + slices * (work > latency ? work : latency) + results * 90,
               busy = slices * work + results * 60;
  const double waiting = (double)parts_of(each, together) * alone, computing = (double)each * busy;
  const double pass = splits == 1 ? 0 : 4e6 + (double)(splits * c->batch * c->rows * c->columns) * 12;
  return (waiting > computing ? waiting : computing) + pass;
}

/* Whether a group of threads may have the shared memory of a tile of this shape. */
static bool has_room(simt_gen *gen, const simt_tile *t, const shape *s, bool warpgroups) {
  simt_tile made = *t;
  made.rows = s->rows, made.columns = s->columns, made.slots = s->slots;
  return (warpgroups ? simt_warpgroup_shared(&made) : simt_tile_shared(gen, &made)) <= simt_shared_most(gen);
}

/* The best of these shapes, if it is better than `least`, the time of what is chosen already; 0: nothing is. */
static void choose_shape(simt_gen *gen, simt_tile *t, const shape *shapes, size_t count, bool warpgroups,
                         double *least) {
  for (size_t i = 0; i < count; i++)
    for (int64_t splits = 1; splits <= PIECES_MOST; splits *= 2) {
      if ((splits > 1 && t->c.depth / splits < PIECE_LEAST) || !has_room(gen, t, &shapes[i], warpgroups)) break;
      const shape s = warpgroups ? fitted(t, &shapes[i], splits) : shapes[i];
      const double time = (warpgroups ? warpgroup_time_of : time_of)(t, &s, splits);
      if (t->rows && time >= *least) continue;
      *least = time;
      t->rows = s.rows;
      t->columns = s.columns;
      t->splits = splits;
      t->slots = s.slots;
      t->lag = s.lag;
      t->warpgroups = warpgroups;
      t->resident = warpgroups ? (int)s.resident : 0;
    }
}

/* Of copies by TMA, in units of a picosecond: all processors together read this much from the L2 cache, so a slice
 * takes the time of its products or that of its bytes, whichever is longer. */
static double bulk_time_of(const simt_tile *t, const shape *s, int64_t splits) {
  const simt_contraction *c = &t->c;
  const int64_t groups = c->batch * parts_of(c->rows, s->rows) * parts_of(c->columns, s->columns) * splits,
                each = parts_of(groups, PROCESSORS), together = each < s->resident ? each : s->resident,
                lines = s->rows + s->columns;
  const double used = groups < PROCESSORS ? (double)groups / (double)PROCESSORS : 1;
  const double products = (double)(s->rows * s->columns * BULK_DEPTH) / s->speed,
               bytes = (double)(lines * BULK_LINE) * (used > BULK_HALF ? used * BULK_BYTE : BULK_HALF * BULK_BYTE),
               slice = products > bytes ? products : bytes, latency = BULK_WAY / s->slots,
               results = (double)(s->rows * s->columns);
  const double slices = (double)parts_of(parts_of(c->depth, splits), t->depth);
  const double alone = BULK_WAY + slices * (slice > latency ? slice : latency) + results * 90,
               busy = slices * slice + results * 60;
  const double waiting = (double)parts_of(each, together) * alone, computing = (double)each * busy;
  const double pass = splits == 1 ? 0 : 4e6 + (double)(splits * c->batch * c->rows * c->columns) * 12;
  return (waiting > computing ? waiting : computing) + pass;
}

static void choose_bulk(simt_tile *t) {
  double least = 0;
  for (size_t i = 0; i < sizeof bulk_shapes / sizeof *bulk_shapes; i++)
    for (int64_t splits = 1; splits <= PIECES_MOST; splits *= 2) {
      if (splits > 1 && t->c.depth / splits < PIECE_LEAST) break;
      const shape *s = &bulk_shapes[i];
      const int64_t slices = parts_of(parts_of(t->c.depth, splits), t->depth);
      const double time = bulk_time_of(t, s, splits);
      if (t->bulk && time >= least) continue;
      least = time;
      t->rows = s->rows, t->columns = s->columns, t->splits = splits;
      t->slots = s->slots < slices ? s->slots : (int)slices;
      t->lag = s->lag, t->resident = (int)s->resident;
      t->warpgroups = t->bulk = true;
    }
}

static void choose_splits(simt_tile *t) {
  t->chunk = parts_of(parts_of(t->c.depth, t->splits), t->depth) * t->depth;
  t->splits = parts_of(t->c.depth, t->chunk);
  t->groups = t->splits * t->c.batch * parts_of(t->c.rows, t->rows) * parts_of(t->c.columns, t->columns);
}

static bool is_f32_product(const ten_op *op) {
  return ten_op_operand(op, 0)->type->dtype == TEN_F32 && ten_op_operand(op, 1)->type->dtype == TEN_F32 &&
         op->results[0].type->dtype == TEN_F32;
}

static simt_math math_of(simt_gen *gen, const ten_op *op) {
  if (!simt_has_tensor_cores(gen)) return SIMT_FMA;
  const ten_dtype x = simt_source_dtype(ten_op_operand(op, 0)), y = simt_source_dtype(ten_op_operand(op, 1));
  if (x == y && x == TEN_BF16) return SIMT_MMA_BF16;
  if (x == y && x == TEN_F16) return SIMT_MMA_F16;
  return gen->tf32 && is_f32_product(op) ? SIMT_MMA_TF32 : SIMT_FMA;
}

static bool can_copy_in_bulk(simt_gen *gen, const simt_tile *t) {
  const simt_contraction *c = &t->c;
  return c->depth >= BULK_DEPTH_LEAST && c->rows >= BULK_LINES_LEAST && c->columns >= BULK_LINES_LEAST &&
         ten_env_switch(TEN_ENV_TMA, true) && simt_bulk_takes(gen, t);
}

static void choose_tile(simt_gen *gen, simt_tile *t) {
  double least = 0;
  t->depth = 16; /* of tensor cores, slices of 64 or 128 bytes */
  if (gen->language == SIMT_WGSL) {
    t->depth = 8;
    choose_shape(gen, t, plain_shapes, sizeof plain_shapes / sizeof *plain_shapes, false, &least);
  } else if (t->math == SIMT_FMA) {
    choose_shape(gen, t, fma_shapes, sizeof fma_shapes / sizeof *fma_shapes, false, &least);
  } else {
    t->depth = (t->c.depth < 64 ? 64 : 128) / simt_tile_element_bytes(t);
    choose_shape(gen, t, mma_shapes, sizeof mma_shapes / sizeof *mma_shapes, false, &least);
    if (gen->arch == 90 && t->c.depth >= 64 && simt_warpgroup_takes(gen, t)) {
      if (can_copy_in_bulk(gen, t))
        choose_bulk(t);
      else
        choose_shape(gen, t, warpgroup_shapes, sizeof warpgroup_shapes / sizeof *warpgroup_shapes, true, &least);
    }
  }
  choose_splits(t);
}

bool simt_tile_choose(simt_gen *gen, const ten_op *op, simt_tile *out) {
  *out = (simt_tile){0};
  if (!simt_contraction_of(gen, op, &out->c)) return false;
  const simt_contraction *c = &out->c;
  if (!gen->narrow || c->depth < DEPTH_LEAST || c->columns < 8 || c->rows * c->columns < WORK_LEAST / c->depth)
    return false;
  out->math = math_of(gen, op);
  choose_tile(gen, out);
  if (out->groups >= SIMT_NARROW_MOST / SIMT_GROUP ||
      out->splits * ten_type_count(op->results[0].type) >= SIMT_NARROW_MOST)
    return false;
  out->shared = out->bulk         ? simt_bulk_shared(out)
                : out->warpgroups ? simt_warpgroup_shared(out)
                                  : simt_tile_shared(gen, out);
  return true;
}

/* The index at which outputs are computed: the same linear index as `result` at `index`. */
static const simt_ix *output_index(simt_gen *gen, const ten_value *result, const simt_ix *index,
                                   const ten_value *value) {
  if (simt_same_dims(value->type, result->type)) return index;
  simt_ix *other = simt_indices(gen, value->type->rank);
  simt_delinearise(gen, value->type->rank, value->type->dims, simt_linear(gen, result->type, index), other);
  return other;
}

void simt_store_outputs_from(simt_gen *gen, const ten_value *result, const simt_ix *index, simt_val element,
                             const ten_value *const *outputs, uint32_t count, uint32_t first) {
  simt_bind(gen, result, element);
  for (uint32_t i = 0; i < count; i++) {
    const simt_ix *at = output_index(gen, result, index, outputs[i]);
    char pointer[16];
    snprintf(pointer, sizeof pointer, "q%u", first + i);
    simt_store(gen, outputs[i]->type->dtype, pointer, simt_place(gen, outputs[i], at),
               simt_element(gen, outputs[i], at));
  }
}

void simt_store_outputs(simt_gen *gen, const ten_value *result, const simt_ix *index, simt_val element,
                        const ten_value *const *outputs, uint32_t count) {
  simt_store_outputs_from(gen, result, index, element, outputs, count, 0);
}

/* The index of the result or, when split, of the sum in t->partial. */
static simt_ix partial_place(simt_gen *gen, const simt_tile *t, const simt_tile_place *p, simt_ix row, simt_ix column) {
  const simt_contraction *c = &t->c;
  simt_ix at = simt_add(gen, simt_multiply(gen, p->split, c->batch), p->batch);
  at = simt_add(gen, simt_multiply(gen, at, c->rows), row);
  return simt_add(gen, simt_multiply(gen, at, c->columns), column);
}

/* How many consecutive column elements of the outputs a thread can store at once. */
static int64_t store_width(simt_gen *gen, const simt_tile *t, const ten_value *const *outputs, uint32_t count) {
  if (gen->language != SIMT_CUDA_C) return 1;
  if (t->splits > 1) return t->c.columns % 4 ? 1 : 4;
  int64_t width = 8;
  for (uint32_t i = 0; i < count; i++) {
    const ten_dtype dtype = outputs[i]->type->dtype;
    if (dtype != TEN_F32 && dtype != TEN_BF16) return 1;
    if (dtype == TEN_F32) width = 4;
  }
  for (uint32_t i = 0; i < count; i++)
    if (!simt_contraction_stores(gen, &t->c, outputs[i], width)) return 1;
  return width;
}

/* Moves `width` sums of a row from this column to registers w0, w1… and stores the outputs as vectors. */
static void finish_vector(simt_gen *gen, const simt_tile *t, const simt_tile_place *p, simt_ix row, simt_ix column,
                          int64_t width, const simt_vectors *vectors, const ten_value *const *outputs, uint32_t count) {
  const ten_value *result = &t->c.op->results[0], *partial[] = {t->partial};
  const bool pieces = t->splits > 1;
  if (pieces) outputs = partial, count = 1;
  for (uint32_t i = 0; i < count; i++)
    simt_line(gen, "__align__(16) %s w%u[%" PRId64 "];", simt_memory_type(outputs[i]->type->dtype), i, width);
  simt_ix *index = simt_indices(gen, result->type->rank), first;
  simt_open(gen, "UNROLL for (i32 j = 0; j < %" PRId64 "; j++)", width);
  const uint32_t now = simt_define(gen, "i32", "%s + j", simt_text(gen, column)),
                 sum = simt_define(gen, "f32", "sum[j]");
  if (pieces) {
    simt_line(gen, "w0[j] = v%u;", sum);
  } else {
    simt_contraction_result(gen, &t->c, p->batch, row, simt_index_of(now), index);
    simt_bind(gen, result, simt_convert(gen, TEN_F32, result->type->dtype, (simt_val){sum, 0}));
    simt_vectors_bind(gen, vectors);
    for (uint32_t i = 0; i < count; i++) {
      char pointer[16];
      snprintf(pointer, sizeof pointer, "w%u", i);
      const simt_val element = simt_element(gen, outputs[i], output_index(gen, result, index, outputs[i]));
      simt_store(gen, outputs[i]->type->dtype, pointer, simt_index_of(simt_define(gen, "i32", "j")), element);
    }
  }
  simt_close(gen);
  for (uint32_t i = 0; i < count; i++) {
    if (pieces) {
      first = partial_place(gen, t, p, row, column);
    } else {
      simt_contraction_result(gen, &t->c, p->batch, row, column, index);
      first = simt_place(gen, outputs[i], output_index(gen, result, index, outputs[i]));
    }
    const bool whole = width * (int64_t)ten_dtype_bytes(outputs[i]->type->dtype) == 16;
    simt_line(gen, "*(%s *)(q%u + %s) = *(const %s *)w%u;", whole ? "uint4" : "uint2", i, simt_text(gen, first),
              whole ? "uint4" : "uint2", i);
  }
}

/* Stores one sum at this row and column: to the outputs, or to the partial sums. */
static void finish_element(simt_gen *gen, const simt_tile *t, const simt_tile_place *p, simt_ix row, simt_ix column,
                           const ten_value *const *outputs, uint32_t count) {
  const ten_value *result = &t->c.op->results[0];
  const uint32_t sum = simt_define(gen, "f32", "sum[0]");
  if (t->splits > 1) {
    simt_store(gen, TEN_F32, "q0", partial_place(gen, t, p, row, column), (simt_val){sum, 0});
    return;
  }
  simt_ix *index = simt_indices(gen, result->type->rank);
  simt_contraction_result(gen, &t->c, p->batch, row, column, index);
  simt_store_outputs(gen, result, index, simt_convert(gen, TEN_F32, result->type->dtype, (simt_val){sum, 0}), outputs,
                     count);
}

/* How the sums of a tile are shared out: `rows` of them are in shared memory at a time, and a thread takes `width` that
 * follow each other, in `turns` turns at a time. */
typedef struct sharing {
  bool by_columns;
  int64_t rows, pitch, width, turns;
} sharing;

static sharing sharing_of(simt_gen *gen, const simt_tile *t, const ten_value *const *outputs, uint32_t count) {
  sharing s = {.by_columns = t->splits > 1 || simt_result_lane(gen, &t->c, outputs[0], true),
               .rows = t->warpgroups ? t->rows : SIMT_STAGE,
               .pitch = t->columns + (t->warpgroups ? SIMT_WARPGROUP_PAD : 4),
               .turns = 1};
  s.width = s.by_columns ? store_width(gen, t, outputs, count) : 1;
  if (t->warpgroups && s.width > 1) s.turns = s.rows * t->columns / s.width / SIMT_GROUP % 4 ? 2 : 4;
  return s;
}

/* Row and column of turn u, from `base` on, and whether they are inside. */
static void open_item(simt_gen *gen, const simt_tile *t, const simt_tile_place *p, const sharing *s, uint32_t at[4]) {
  const int64_t across = t->columns / s->width;
  simt_line(gen, "const u32 e = (u32)TID + (base + u) * %du;", SIMT_GROUP);
  at[0] = s->by_columns ? simt_define(gen, "i32", "(i32)(e / %" PRId64 "u)", across)
                        : simt_define(gen, "i32", "(i32)(e %% %" PRId64 "u)", s->rows);
  at[1] = s->by_columns ? simt_define(gen, "i32", "(i32)(e %% %" PRId64 "u * %" PRId64 "u)", across, s->width)
                        : simt_define(gen, "i32", "(i32)(e / %" PRId64 "u)", s->rows);
  at[2] = simt_define(gen, "i32", "%s + part * %" PRId64 " + v%u", simt_text(gen, p->row), s->rows, at[0]);
  at[3] = simt_define(gen, "i32", "%s + v%u", simt_text(gen, p->column), at[1]);
  ten_buf inside = {0};
  ten_buf_adds(&inside, "true");
  if (t->c.rows % t->rows) ten_buf_printf(&inside, " && v%u < %" PRId64, at[2], t->c.rows);
  if (t->c.columns % t->columns) ten_buf_printf(&inside, " && v%u < %" PRId64, at[3], t->c.columns);
  if (s->rows * across % SIMT_GROUP) ten_buf_printf(&inside, " && e < %" PRId64 "u", s->rows * across);
  simt_open(gen, "if (%s)", inside.data);
  ten_buf_free(&inside);
}

/* What other buffers have at the places of all turns is loaded before the first turn computes. */
static void emit_loads(simt_gen *gen, const simt_tile *t, const simt_tile_place *p, const sharing *s,
                       const simt_vectors *vectors) {
  if (!vectors->count) return;
  uint32_t at[4];
  simt_vectors_declare(gen, vectors, s->turns, s->width);
  simt_open(gen, "UNROLL for (u32 u = 0; u < %" PRId64 "u; u++)", s->turns);
  open_item(gen, t, p, s, at);
  simt_ix *index = simt_indices(gen, t->c.op->results[0].type->rank);
  simt_contraction_result(gen, &t->c, p->batch, simt_index_of(at[2]), simt_index_of(at[3]), index);
  simt_vectors_load(gen, vectors, index, simt_index_of(at[3]), s->width);
  simt_close(gen);
  simt_close(gen);
}

/* Sums go through shared memory, so that threads next to each other write elements next to each other. */
static void emit_results(simt_gen *gen, const simt_tile *t, const simt_tile_place *p, const ten_value *const *outputs,
                         uint32_t count) {
  const sharing s = sharing_of(gen, t, outputs, count);
  simt_vectors vectors = {0};
  if (s.width > 1 && t->splits == 1) simt_vectors_find(gen, t, s.width, outputs, count, &vectors);
  const char *barrier = t->bulk ? "MULTIPLIERS_BARRIER" : "BARRIER";
  uint32_t at[4];
  simt_line(gen, "%s;", barrier);
  simt_line(gen, "NO_UNROLL");
  simt_open(gen, "for (i32 part = 0; part < %" PRId64 "; part++)", parts_of(t->rows, s.rows));
  (t->warpgroups ? simt_warpgroup_emit_stage : simt_tile_emit_stage)(gen, t);
  simt_line(gen, "%s;", barrier);
  simt_line(gen, "NO_UNROLL");
  simt_open(gen, "for (u32 base = 0; base < %" PRId64 "u; base += %" PRId64 "u)",
            parts_of(s.rows * t->columns / s.width, SIMT_GROUP), s.turns);
  emit_loads(gen, t, p, &s, &vectors);
  simt_open(gen, "UNROLL for (u32 u = 0; u < %" PRId64 "u; u++)", s.turns);
  open_item(gen, t, p, &s, at);
  simt_line(gen, "f32 sum[%" PRId64 "];", s.width);
  if (s.width == 1) simt_line(gen, "sum[0] = stage[v%u * %" PRId64 " + v%u];", at[0], s.pitch, at[1]);
  for (int64_t j = 0; j < s.width && s.width > 1; j += 4)
    simt_line(gen, "LOAD4(sum + %" PRId64 ", stage + v%u * %" PRId64 " + v%u + %" PRId64 ");", j, at[0], s.pitch, at[1],
              j);
  if (s.width > 1)
    finish_vector(gen, t, p, simt_index_of(at[2]), simt_index_of(at[3]), s.width, &vectors, outputs, count);
  else
    finish_element(gen, t, p, simt_index_of(at[2]), simt_index_of(at[3]), outputs, count);
  for (int i = 0; i < 3; i++) simt_close(gen);
  simt_line(gen, "%s;", barrier);
  simt_close(gen);
}

static void emit_slices(simt_gen *gen, const simt_tile *t, const simt_tile_place *place) {
  simt_tile_place p = *place;
  const int slots = t->slots;
  simt_line(gen, "NO_UNROLL");
  simt_open(gen, "for (i32 step = %d; step < %" PRId64 "; step++)", 1 - slots, t->chunk / t->depth);
  if (gen->language != SIMT_WGSL) simt_line(gen, "COPY_WAIT(%d);", slots - 2);
  simt_line(gen, "BARRIER;");
  simt_open(gen, "if (step + %d < %" PRId64 ")", slots - 1, t->chunk / t->depth);
  const uint32_t slot = simt_define(gen, "i32", "(i32)((u32)(step + %d) %% %du)", slots - 1, slots);
  p.depth = simt_add(gen, simt_multiply(gen, p.split, t->chunk),
                     simt_index_of(simt_define(gen, "i32", "(step + %d) * %" PRId64, slots - 1, t->depth)));
  simt_tile_emit_fill(gen, t, SIMT_LEFT, &p, slot);
  simt_tile_emit_fill(gen, t, SIMT_RIGHT, &p, slot);
  simt_close(gen);
  if (gen->language != SIMT_WGSL) simt_line(gen, "COPY_COMMIT;");
  simt_open(gen, "if (step >= 0)");
  simt_tile_emit_sums(gen, t);
  simt_close(gen);
  simt_close(gen);
}

void simt_tile_emit(simt_gen *gen, const simt_tile *t, simt_ix i, const ten_value *const *outputs, uint32_t count) {
  const simt_contraction *c = &t->c;
  const int64_t across = parts_of(c->columns, t->columns), down = parts_of(c->rows, t->rows);
  simt_tile_place p = {0};
  simt_ix rest = i;
  p.column = simt_multiply(gen, simt_modulo(gen, rest, across), t->columns);
  rest = simt_divide(gen, rest, across);
  p.row = simt_multiply(gen, simt_modulo(gen, rest, down), t->rows);
  rest = simt_divide(gen, rest, down);
  p.batch = simt_modulo(gen, rest, c->batch);
  p.split = t->splits > 1 ? simt_divide(gen, rest, c->batch) : simt_number(0);
  if (down == 1) p.row = simt_number(0);
  if (gen->language == SIMT_WGSL)
    ten_buf_printf(&gen->locals, "  SHARED_ARRAY(f32, stage, %zu);\n", t->shared / sizeof(float));
  else if (!t->bulk)
    ten_buf_printf(&gen->locals, "  SHARED(%zu);\n", t->shared);
  gen->resident = t->resident;
  if (t->bulk) {
    simt_bulk_emit_slices(gen, t, &p);
  } else if (t->warpgroups) {
    simt_warpgroup_emit_start(gen, t);
    simt_warpgroup_emit_slices(gen, t, &p);
  } else {
    simt_tile_emit_start(gen, t);
    emit_slices(gen, t, &p);
  }
  emit_results(gen, t, &p, outputs, count);
  if (t->bulk) simt_bulk_emit_end(gen);
}

void simt_tile_emit_sum(simt_gen *gen, const simt_tile *t, simt_ix i, const ten_value *const *outputs, uint32_t count) {
  const simt_contraction *c = &t->c;
  const ten_value *result = &c->op->results[0];
  simt_ix *index = simt_indices(gen, result->type->rank);
  const simt_ix row = simt_divide(gen, i, c->columns), batch = simt_divide(gen, row, c->rows);
  simt_contraction_result(gen, c, c->batch == 1 ? simt_number(0) : batch,
                          c->rows == 1 ? simt_number(0) : simt_modulo(gen, row, c->rows),
                          simt_modulo(gen, i, c->columns), index);
  const simt_var sum = simt_var_new(gen, TEN_F32, simt_zero(gen, TEN_F32));
  const int64_t piece = c->batch * c->rows * c->columns;
  simt_line(gen, "UNROLL");
  const simt_ix split = simt_loop(gen, t->splits);
  const simt_ix at = simt_add(gen, simt_multiply(gen, split, piece), i);
  const simt_val part = simt_element(gen, t->partial, &at);
  simt_line(gen, "v%u = v%u + v%u;", sum.at.re, sum.at.re, part.re);
  simt_close(gen);
  simt_store_outputs(gen, result, index, simt_convert(gen, TEN_F32, result->type->dtype, sum.at), outputs, count);
}
