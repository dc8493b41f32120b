/* matmul.c: matmuls and convolutions of f64, complex and integer types, and f32 convolutions without a dedicated kernel
 * (not 2-D, or grouped): blocks of 128 × 128, A and B packed slice by slice. */
#include "backend/cpu/kernels/matmul.h"

#include <string.h>

#include "backend/cpu/kernels/gemm.h"

enum { MC = TEN_MATMUL_MC, NC = TEN_MATMUL_NC, KC = TEN_MATMUL_KC };
#if defined(__AVX512F__) || defined(__aarch64__)
enum { MR = 8 };
#else
enum { MR = 4 };
#endif

/* The rows of a block: their offsets in A (of the first tap, unless the input is dilated) and in C, and for a
 * convolution the pixel's coordinates. */
typedef struct block_rows {
  int64_t count;
  int64_t in[MC], out[MC], place[MC][TEN_MATMUL_RANK];
} block_rows;

static void find_rows(const ten_matmul *p, int64_t m0, int64_t count, block_rows *r) {
  r->count = count;
  for (int64_t i = 0; i < count; i++) {
    int64_t row = m0 + i;
    if (!p->spatial) {
      r->in[i] = row * p->a_row;
      r->out[i] = row * p->c_row;
      continue;
    }
    r->in[i] = r->out[i] = 0;
    for (uint32_t d = p->spatial; d-- > 0; row /= p->sizes[d]) {
      const int64_t at = row % p->sizes[d];
      r->out[i] += at * p->c_step[d];
      r->place[i][d] = at * p->stride[d] - p->pad[d];
      if (p->spread[d] == 1) r->in[i] += r->place[i][d] * p->a_step[d];
    }
    r->in[i] += row * p->a_row;
    r->out[i] += row * p->c_row;
  }
}

/* A part of k: channels of one tap, or all of it; at offset `delta` from a row's start. */
typedef struct stretch {
  int64_t run, delta, tap[TEN_MATMUL_RANK]; /* the tap times its dilation */
} stretch;

static int64_t find_stretches(const ten_matmul *p, int64_t k0, int64_t kc, stretch *out) {
  int64_t count = 0;
  for (int64_t k = k0; k < k0 + kc; k += out[count++].run) {
    stretch *s = &out[count];
    *s = (stretch){.run = k0 + kc - k, .delta = k * p->a_col};
    if (!p->spatial) continue;
    int64_t tap = k / p->channels;
    const int64_t channel = k % p->channels;
    if (s->run > p->channels - channel) s->run = p->channels - channel;
    s->delta = channel * p->a_col;
    for (uint32_t d = p->spatial; d-- > 0; tap /= p->taps[d]) {
      s->tap[d] = tap % p->taps[d] * p->dilation[d];
      if (p->spread[d] == 1) s->delta += s->tap[d] * p->a_step[d];
    }
  }
  return count;
}

/* The address in A of the row's stretch; false: it is zero. */
static inline bool find(const ten_matmul *p, const block_rows *r, int64_t row, const stretch *s, int64_t *place) {
  *place = r->in[row] + s->delta;
  bool there = true;
  for (uint32_t d = 0; d < p->spatial; d++) {
    int64_t from = r->place[row][d] + s->tap[d];
    if (p->spread[d] != 1) {
      there &= from >= 0 && from % p->spread[d] == 0;
      from /= p->spread[d];
      *place += from * p->a_step[d];
    }
    there &= from >= 0 && from < p->extent[d];
  }
  return there;
}

static int64_t kernel_at(const ten_matmul *p, int64_t k) {
  if (!p->spatial) return k * p->b_row;
  int64_t tap = k / p->channels, at = k % p->channels * p->b_row;
  for (uint32_t d = p->spatial; d-- > 0; tap /= p->taps[d]) {
    const int64_t t = tap % p->taps[d];
    at += (p->reversed[d] ? p->taps[d] - 1 - t : t) * p->b_step[d];
  }
  return at;
}

#define VECTOR_OF(name, type) \
  typedef type name __attribute__((vector_size(VL * sizeof(float)), aligned(sizeof(type)), may_alias));
VECTOR_OF(v_f32, float)
VECTOR_OF(v_f64, double)
VECTOR_OF(v_i32, uint32_t)
VECTOR_OF(v_i64, uint64_t)

#define COMPLEX 0
#define NUM float
#define VEC v_f32
#define P(name) f32_##name
#include "backend/cpu/kernels/matmul_block.h"
PACKERS(f32, float)
STORE(f32, float)
#undef NUM
#undef VEC
#undef P
#define NUM double
#define VEC v_f64
#define P(name) f64_##name
#include "backend/cpu/kernels/matmul_block.h"
PACKERS(f64, double)
STORE(f64, double)
ROW
#undef NUM
#undef VEC
#undef P
#define NUM uint32_t
#define VEC v_i32
#define P(name) i32_##name
#include "backend/cpu/kernels/matmul_block.h"
PACKERS(i8, int8_t)
PACKERS(u8, uint8_t)
PACKERS(i16, int16_t)
PACKERS(u16, uint16_t)
PACKERS(i32, uint32_t)
STORE(i8, uint8_t)
STORE(i16, uint16_t)
STORE(i32, uint32_t)
ROW
#undef NUM
#undef VEC
#undef P
#define NUM uint64_t
#define VEC v_i64
#define P(name) i64_##name
#include "backend/cpu/kernels/matmul_block.h"
PACKERS(i64, uint64_t)
STORE(i64, uint64_t)
ROW
#undef NUM
#undef VEC
#undef P
#undef COMPLEX
#undef PACKERS
#undef STORE
#undef ROW
#define COMPLEX 1
#define NUM float
#define VEC v_f32
#define P(name) c64_##name
#include "backend/cpu/kernels/matmul_block.h"
PACKERS(c64, float)
STORE(c64, float)
#undef NUM
#undef VEC
#undef P
#undef PACKERS
#undef STORE
#undef ROW
#define NUM double
#define VEC v_f64
#define P(name) c128_##name
#include "backend/cpu/kernels/matmul_block.h"
PACKERS(c128, double)
STORE(c128, double)

#if defined(__aarch64__)
#include "backend/cpu/kernels/matmul_bytes.h"
#endif

typedef struct form {
  size_t bytes; /* of an element in memory, whole pairs for complex */
  void (*pack_a)(const ten_matmul *, const block_rows *, const void *, const stretch *, int64_t, void *);
  void (*pack_b)(const ten_matmul *, const void *, int64_t, int64_t, int64_t, int64_t, void *);
} form;
static const form forms[] = {
    [TEN_MATMUL_F32] = {4, f32_pack_a_f32, f32_pack_b_f32},
    [TEN_MATMUL_F64] = {8, f64_pack_a_f64, f64_pack_b_f64},
    [TEN_MATMUL_C64] = {8, c64_pack_a_c64, c64_pack_b_c64},
    [TEN_MATMUL_C128] = {16, c128_pack_a_c128, c128_pack_b_c128},
    [TEN_MATMUL_I8] = {1, i32_pack_a_i8, i32_pack_b_i8},
    [TEN_MATMUL_U8] = {1, i32_pack_a_u8, i32_pack_b_u8},
    [TEN_MATMUL_I16] = {2, i32_pack_a_i16, i32_pack_b_i16},
    [TEN_MATMUL_U16] = {2, i32_pack_a_u16, i32_pack_b_u16},
    [TEN_MATMUL_I32] = {4, i32_pack_a_i32, i32_pack_b_i32},
    [TEN_MATMUL_I64] = {8, i64_pack_a_i64, i64_pack_b_i64},
};

#if defined(HAS_BYTES)
static const form bytes_form = {1, bytes_pack_a, bytes_pack_b};
#endif

static const form *form_of(const ten_matmul *p) {
#if defined(HAS_BYTES)
  const bool bytes = p->from == TEN_MATMUL_I8 || p->from == TEN_MATMUL_U8;
  if (bytes && !p->portable && has_bytes()) return &bytes_form;
#endif
  return &forms[p->from];
}

static void multiply(const ten_matmul *p, int64_t rows, int64_t columns, int64_t kc, const void *a, const void *b,
                     void *c) {
  switch (p->to) {
    case TEN_MATMUL_F32: f32_multiply(rows, columns, kc, a, b, c); break;
    case TEN_MATMUL_F64: f64_multiply(rows, columns, kc, a, b, c); break;
    case TEN_MATMUL_C64: c64_multiply(rows, columns, kc, a, b, c); break;
    case TEN_MATMUL_C128: c128_multiply(rows, columns, kc, a, b, c); break;
    case TEN_MATMUL_I64: i64_multiply(rows, columns, kc, a, b, c); break;
    default: i32_multiply(rows, columns, kc, a, b, c);
  }
}

static void store(const ten_matmul *p, const block_rows *r, int64_t n0, int64_t columns, const void *c, void *to) {
  switch (p->to) {
    case TEN_MATMUL_F32: f32_store_f32(p, r, n0, columns, c, to); break;
    case TEN_MATMUL_F64: f64_store_f64(p, r, n0, columns, c, to); break;
    case TEN_MATMUL_C64: c64_store_c64(p, r, n0, columns, c, to); break;
    case TEN_MATMUL_C128: c128_store_c128(p, r, n0, columns, c, to); break;
    case TEN_MATMUL_I64: i64_store_i64(p, r, n0, columns, c, to); break;
    case TEN_MATMUL_I8:
    case TEN_MATMUL_U8: i32_store_i8(p, r, n0, columns, c, to); break;
    case TEN_MATMUL_I16:
    case TEN_MATMUL_U16: i32_store_i16(p, r, n0, columns, c, to); break;
    default: i32_store_i32(p, r, n0, columns, c, to);
  }
}

static void do_row(const ten_matmul *p, const void *a, const void *b, int64_t n0, int64_t columns, void *scratch,
                   void *c) {
  if (p->to == TEN_MATMUL_F64)
    f64_row(p, a, b, n0, columns, scratch, c);
  else if (p->to == TEN_MATMUL_I32)
    i32_row(p, a, b, n0, columns, scratch, c);
  else
    i64_row(p, a, b, n0, columns, scratch, c);
}

static int64_t batch_at(const ten_matmul *p, const int64_t *strides, int64_t index) {
  int64_t at = 0;
  for (uint32_t i = p->batch_rank; i-- > 0; index /= p->batch[i]) at += index % p->batch[i] * strides[i];
  return at;
}

void TEN_K(product_run)(const ten_matmul *p, const void *a, const void *b, void *c, void *scratch, int64_t begin,
                        int64_t end) {
  const int64_t m_blocks = (p->m + MC - 1) / MC, wide = ten_matmul_columns(p);
  const int64_t n_blocks = (p->n + wide - 1) / wide;
  const bool is_row = ten_matmul_is_row(p);
  const form *from = form_of(p);
  char *packed_a = scratch, *packed_b = packed_a + 16 * KC * MC, *sums = packed_b + 16 * KC * NC;
  for (int64_t unit = begin; unit < end; unit++) {
    const int64_t m0 = unit % m_blocks * MC, n0 = unit / m_blocks % n_blocks * wide, batch = unit / m_blocks / n_blocks;
    const int64_t rows = p->m - m0 < MC ? p->m - m0 : MC, columns = p->n - n0 < wide ? p->n - n0 : wide;
    block_rows r;
    stretch stretches[KC];
    find_rows(p, m0, rows, &r);
    const char *at_a = (const char *)a + batch_at(p, p->a_batch, batch) * (int64_t)from->bytes;
    const char *at_b = (const char *)b + batch_at(p, p->b_batch, batch) * (int64_t)from->bytes;
    char *at_c = (char *)c + batch_at(p, p->c_batch, batch) * (int64_t)forms[p->to].bytes;
    if (is_row) {
      do_row(p, at_a, at_b, n0, columns, scratch, at_c);
      continue;
    }
    const size_t wide_bytes = forms[p->to].bytes < 4 ? 4 : forms[p->to].bytes; /* of a sum */
    memset(sums, 0, wide_bytes * NC * (size_t)((rows + MR - 1) / MR * MR));
    for (int64_t k0 = 0; k0 < p->k; k0 += KC) {
      const int64_t kc = p->k - k0 < KC ? p->k - k0 : KC;
      from->pack_a(p, &r, at_a, stretches, find_stretches(p, k0, kc, stretches), packed_a);
      from->pack_b(p, at_b, n0, columns, k0, kc, packed_b);
#if defined(HAS_BYTES)
      if (from == &bytes_form) {
        (p->from == TEN_MATMUL_I8 ? signed_multiply : unsigned_multiply)(rows, columns, kc, packed_a, packed_b, sums);
        continue;
      }
#endif
      multiply(p, rows, columns, kc, packed_a, packed_b, sums);
    }
    store(p, &r, n0, columns, sums, at_c);
  }
}
