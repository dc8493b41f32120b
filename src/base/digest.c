/* digest.c: BLAKE3 (its plain mode). The input is split into chunks of 1 KiB, which are the leaves of a binary tree.
 * Sixteen chunks are hashed at once, one in each vector lane, so the same C is compiled for each vector width. */
#include "base/digest.h"

enum { CHUNK = TEN_DIGEST_CHUNK, LANES = TEN_DIGEST_LANES, BLOCK = 64, BLOCKS = CHUNK / BLOCK };
enum { CHUNK_START = 1, CHUNK_END = 2, PARENT = 4, ROOT = 8 };

static const uint32_t initial[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                    0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};

/* Message schedule: which word of the block each of the seven rounds uses in each place. */
static const uint8_t schedule[7][16] = {
    {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15}, {2, 6, 3, 10, 7, 0, 4, 13, 1, 11, 12, 5, 9, 14, 15, 8},
    {3, 4, 10, 12, 13, 2, 7, 14, 6, 5, 9, 0, 11, 15, 8, 1}, {10, 7, 12, 9, 14, 3, 13, 15, 4, 0, 11, 2, 5, 8, 1, 6},
    {12, 13, 9, 11, 15, 10, 14, 8, 7, 2, 5, 3, 0, 1, 6, 4}, {9, 14, 11, 5, 8, 12, 15, 1, 13, 3, 0, 10, 2, 6, 4, 7},
    {11, 15, 5, 0, 1, 9, 8, 6, 14, 10, 2, 12, 3, 4, 7, 13}};

/* For single words and for vectors of words. */
#define ROTATE(x, n) (((x) >> (n)) | ((x) << (32 - (n))))
#define MIX(a, b, c, d, x, y)     \
  v[a] += v[b] + m[x];            \
  v[d] = ROTATE(v[d] ^ v[a], 16); \
  v[c] += v[d];                   \
  v[b] = ROTATE(v[b] ^ v[c], 12); \
  v[a] += v[b] + m[y];            \
  v[d] = ROTATE(v[d] ^ v[a], 8);  \
  v[c] += v[d];                   \
  v[b] = ROTATE(v[b] ^ v[c], 7);
#define ROUND(s)                      \
  MIX(0, 4, 8, 12, (s)[0], (s)[1])    \
  MIX(1, 5, 9, 13, (s)[2], (s)[3])    \
  MIX(2, 6, 10, 14, (s)[4], (s)[5])   \
  MIX(3, 7, 11, 15, (s)[6], (s)[7])   \
  MIX(0, 5, 10, 15, (s)[8], (s)[9])   \
  MIX(1, 6, 11, 12, (s)[10], (s)[11]) \
  MIX(2, 7, 8, 13, (s)[12], (s)[13])  \
  MIX(3, 4, 9, 14, (s)[14], (s)[15])
#define ROUNDS       \
  ROUND(schedule[0]) \
  ROUND(schedule[1]) \
  ROUND(schedule[2]) \
  ROUND(schedule[3]) \
  ROUND(schedule[4]) \
  ROUND(schedule[5]) \
  ROUND(schedule[6])

static uint32_t load32(const uint8_t *at) {
  return (uint32_t)at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
}
static void store32(uint8_t *at, uint32_t value) {
  for (int i = 0; i < 4; i++) at[i] = (uint8_t)(value >> 8 * i);
}

static void compress(uint32_t state[8], const uint32_t m[16], uint64_t counter, uint32_t size, uint32_t flags) {
  uint32_t v[16] = {
      state[0], state[1],   state[2],   state[3],   state[4],   state[5],          state[6],
      state[7], initial[0], initial[1], initial[2], initial[3], (uint32_t)counter, (uint32_t)(counter >> 32),
      size,     flags};
  ROUNDS
  for (int i = 0; i < 8; i++) state[i] = v[i] ^ v[i + 8];
}

/* One chunk: a full one, or the last of the input. */
static void hash_chunk(const uint8_t *data, size_t size, uint64_t counter, uint32_t last, uint32_t out[8]) {
  memcpy(out, initial, sizeof initial);
  uint32_t flags = CHUNK_START;
  do {
    uint8_t block[BLOCK] = {0};
    uint32_t words[16];
    const size_t piece = size < BLOCK ? size : BLOCK;
    if (piece) memcpy(block, data, piece);
    for (int i = 0; i < 16; i++) words[i] = load32(block + 4 * i);
    if (size <= BLOCK) flags |= CHUNK_END | last;
    compress(out, words, counter, (uint32_t)piece, flags);
    flags = 0;
    data += piece;
    size -= piece;
  } while (size);
}

/* Words are little-endian, as on every machine this runs on. */
typedef uint32_t lanes __attribute__((vector_size(4 * LANES)));

/* Word i of block k becomes lane k of word i: a 16 × 16 transpose that swaps squares of growing size. */
#define SWAP(step, low, high)                              \
  for (int i = 0; i < LANES; i++)                          \
    if (!(i & (step))) {                                   \
      const lanes a = m[i], b = m[i + (step)];             \
      m[i] = __builtin_shufflevector(a, b, low);           \
      m[i + (step)] = __builtin_shufflevector(a, b, high); \
    }
#define LOW1 0, 16, 2, 18, 4, 20, 6, 22, 8, 24, 10, 26, 12, 28, 14, 30
#define HIGH1 1, 17, 3, 19, 5, 21, 7, 23, 9, 25, 11, 27, 13, 29, 15, 31
#define LOW2 0, 1, 16, 17, 4, 5, 20, 21, 8, 9, 24, 25, 12, 13, 28, 29
#define HIGH2 2, 3, 18, 19, 6, 7, 22, 23, 10, 11, 26, 27, 14, 15, 30, 31
#define LOW4 0, 1, 2, 3, 16, 17, 18, 19, 8, 9, 10, 11, 24, 25, 26, 27
#define HIGH4 4, 5, 6, 7, 20, 21, 22, 23, 12, 13, 14, 15, 28, 29, 30, 31
#define LOW8 0, 1, 2, 3, 4, 5, 6, 7, 16, 17, 18, 19, 20, 21, 22, 23
#define HIGH8 8, 9, 10, 11, 12, 13, 14, 15, 24, 25, 26, 27, 28, 29, 30, 31
#define SWAP_ALL(step) SWAP(step, LOW##step, HIGH##step)
static inline __attribute__((always_inline)) void load_lanes(const uint8_t *data, lanes m[16]) {
  for (int k = 0; k < LANES; k++) memcpy(&m[k], data + k * CHUNK, BLOCK);
  SWAP_ALL(1)
  SWAP_ALL(2)
  SWAP_ALL(4)
  SWAP_ALL(8)
}

static inline __attribute__((always_inline)) void hash_lanes(const uint8_t *data, uint64_t counter,
                                                             uint32_t out[LANES][8]) {
  lanes state[8], low, high;
  for (int i = 0; i < 8; i++) state[i] = (lanes){0} + initial[i];
  for (int k = 0; k < LANES; k++) {
    low[k] = (uint32_t)(counter + (uint64_t)k);
    high[k] = (uint32_t)((counter + (uint64_t)k) >> 32);
  }
  for (int block = 0; block < BLOCKS; block++) {
    const uint32_t flags = block == 0 ? CHUNK_START : block == BLOCKS - 1 ? CHUNK_END : 0;
    lanes m[16];
    load_lanes(data + block * BLOCK, m);
    lanes v[16];
    for (int i = 0; i < 8; i++) v[i] = state[i];
    for (int i = 0; i < 4; i++) v[8 + i] = (lanes){0} + initial[i];
    v[12] = low;
    v[13] = high;
    v[14] = (lanes){0} + BLOCK;
    v[15] = (lanes){0} + flags;
    ROUNDS
    for (int i = 0; i < 8; i++) state[i] = v[i] ^ v[i + 8];
  }
  for (int i = 0; i < 8; i++)
    for (int k = 0; k < LANES; k++) out[k][i] = state[i][k];
}

typedef void (*lane_hasher)(const uint8_t *data, uint64_t counter, uint32_t out[LANES][8]);
static void hash_lanes_plain(const uint8_t *data, uint64_t counter, uint32_t out[LANES][8]) {
  hash_lanes(data, counter, out);
}
#if defined(__x86_64__)
__attribute__((target("avx512f"))) static void hash_lanes_512(const uint8_t *data, uint64_t counter,
                                                              uint32_t out[LANES][8]) {
  hash_lanes(data, counter, out);
}
__attribute__((target("avx2"))) static void hash_lanes_256(const uint8_t *data, uint64_t counter,
                                                           uint32_t out[LANES][8]) {
  hash_lanes(data, counter, out);
}
static lane_hasher best_hasher(void) {
  if (__builtin_cpu_supports("avx512f")) return hash_lanes_512;
  return __builtin_cpu_supports("avx2") ? hash_lanes_256 : hash_lanes_plain;
}
#else
static lane_hasher best_hasher(void) { return hash_lanes_plain; }
#endif

static void hash_parent(const uint32_t left[8], const uint32_t right[8], uint32_t last, uint32_t out[8]) {
  uint32_t words[16];
  memcpy(words, left, 32);
  memcpy(words + 8, right, 32);
  memcpy(out, initial, sizeof initial);
  compress(out, words, 0, BLOCK, PARENT | last);
}

/* Merge a subtree as soon as it is complete: more input follows, so it is not the root. */
static void push(ten_digester *d, const uint32_t value[8]) {
  uint32_t node[8];
  memcpy(node, value, sizeof node);
  d->chunks++;
  for (uint64_t count = d->chunks; !(count & 1); count >>= 1) hash_parent(d->stack[--d->depth], node, 0, node);
  memcpy(d->stack[d->depth++], node, sizeof node);
}

void ten_digester_init(ten_digester *d) {
  d->size = 0;
  d->chunks = 0;
  d->depth = 0;
}

void ten_digester_add(ten_digester *d, const void *data, size_t size) {
  const uint8_t *from = data;
  const lane_hasher hash = size > sizeof d->waiting - d->size ? best_hasher() : NULL;
  while (size) {
    if (d->size == sizeof d->waiting) {
      uint32_t values[LANES][8];
      hash(d->waiting, d->chunks, values);
      for (int i = 0; i < LANES; i++) push(d, values[i]);
      d->size = 0;
    }
    for (; !d->size && size > sizeof d->waiting; from += sizeof d->waiting, size -= sizeof d->waiting) {
      uint32_t values[LANES][8]; /* hashed in place, without a copy */
      hash(from, d->chunks, values);
      for (int i = 0; i < LANES; i++) push(d, values[i]);
    }
    const size_t room = sizeof d->waiting - d->size, piece = size < room ? size : room;
    memcpy(d->waiting + d->size, from, piece);
    d->size += piece;
    from += piece;
    size -= piece;
  }
}

void ten_digester_add_u64(ten_digester *d, uint64_t number) {
  uint8_t bytes[8];
  for (int i = 0; i < 8; i++) bytes[i] = (uint8_t)(number >> 8 * i);
  ten_digester_add(d, bytes, sizeof bytes);
}

void ten_digester_add_str(ten_digester *d, ten_str text) {
  ten_digester_add_u64(d, text.size);
  ten_digester_add(d, text.data, text.size);
}

ten_digest ten_digester_result(const ten_digester *digester) {
  ten_digester d; /* copies the stack; pending input is read in place */
  d.chunks = digester->chunks;
  d.depth = digester->depth;
  memcpy(d.stack, digester->stack, d.depth * sizeof *d.stack);
  const uint8_t *from = digester->waiting;
  size_t size = digester->size;
  uint32_t node[8];
  for (; size > CHUNK; from += CHUNK, size -= CHUNK) {
    hash_chunk(from, CHUNK, d.chunks, 0, node);
    push(&d, node);
  }
  hash_chunk(from, size, d.chunks, d.depth ? 0 : ROOT, node);
  while (d.depth) {
    d.depth--;
    hash_parent(d.stack[d.depth], node, d.depth ? 0 : ROOT, node);
  }
  ten_digest out;
  for (int i = 0; i < 8; i++) store32(out.bytes + 4 * i, node[i]);
  return out;
}

ten_digest ten_digest_of(const void *data, size_t size) {
  ten_digester d;
  ten_digester_init(&d);
  ten_digester_add(&d, data, size);
  return ten_digester_result(&d);
}

void ten_digest_hex(const ten_digest *digest, char out_text[65]) {
  for (int i = 0; i < 32; i++) {
    out_text[2 * i] = "0123456789abcdef"[digest->bytes[i] >> 4];
    out_text[2 * i + 1] = "0123456789abcdef"[digest->bytes[i] & 15];
  }
  out_text[64] = 0;
}
