/* tables.c: unique rows of words: strings, types, lists of results, keys, lines. */
#include <stdlib.h>

#include "base/hash.h"
#include "front/record/internal.h"

const uint64_t *record_table_row(const record_table *table, uint32_t id, size_t *out_count) {
  const size_t start = id ? table->ends.data[id - 1] : 0;
  *out_count = table->ends.data[id] - start;
  return table->words.data + start;
}

static bool row_is(const record_table *table, uint32_t id, const uint64_t *words, size_t count) {
  size_t have;
  const uint64_t *row = record_table_row(table, id, &have);
  return have == count && (!count || !memcmp(row, words, count * sizeof *words));
}

static void table_grow(record_table *table) {
  const size_t capacity = table->capacity ? table->capacity * 2 : 64;
  uint32_t *slots = ten_alloc(capacity * sizeof *slots);
  memset(slots, 0, capacity * sizeof *slots);
  free(table->slots);
  table->slots = slots;
  table->capacity = capacity;
  for (uint32_t id = 0; id < table->ends.count; id++) {
    size_t count;
    const uint64_t *row = record_table_row(table, id, &count);
    size_t slot = ten_hash64(row, count * sizeof *row, 0) & (capacity - 1);
    while (table->slots[slot]) slot = (slot + 1) & (capacity - 1);
    table->slots[slot] = id + 1;
  }
}

uint32_t record_table_find(const record_table *table, const uint64_t *words, size_t count) {
  if (!table->capacity) return TEN_RECORD_NO;
  size_t slot = ten_hash64(words, count * sizeof *words, 0) & (table->capacity - 1);
  for (; table->slots[slot]; slot = (slot + 1) & (table->capacity - 1))
    if (row_is(table, table->slots[slot] - 1, words, count)) return table->slots[slot] - 1;
  return TEN_RECORD_NO;
}

/* Consistent at each allocation: reserves memory for everything before any change. */
uint32_t record_table_add(record_table *table, const uint64_t *words, size_t count) {
  if (table->ends.count * 2 >= table->capacity) table_grow(table);
  size_t slot = ten_hash64(words, count * sizeof *words, 0) & (table->capacity - 1);
  for (; table->slots[slot]; slot = (slot + 1) & (table->capacity - 1))
    if (row_is(table, table->slots[slot] - 1, words, count)) return table->slots[slot] - 1;
  ten_vec_reserve(&table->words, table->words.count + count);
  ten_vec_reserve(&table->ends, table->ends.count + 1);
  if (count) memcpy(table->words.data + table->words.count, words, count * sizeof *words);
  table->words.count += count;
  ten_vec_push(&table->ends, table->words.count);
  return table->slots[slot] = (uint32_t)table->ends.count, (uint32_t)table->ends.count - 1;
}

void record_table_free(record_table *table) {
  ten_vec_free(&table->words);
  ten_vec_free(&table->ends);
  free(table->slots);
}

/* The text's size, then its bytes with a NUL, as whole words. */
uint32_t ten_recorder_string(ten_recorder *r, ten_str text) {
  const size_t count = 2 + text.size / 8;
  uint64_t few[32];
  uint64_t *words = count <= 32 ? few : ten_alloc(count * sizeof *words);
  words[0] = text.size;
  words[count - 1] = 0;
  if (text.size) memcpy(words + 1, text.data, text.size);
  memset((char *)(words + 1) + text.size, 0, (count - 1) * 8 - text.size);
  const uint32_t id = record_table_add(&r->strings, words, count);
  if (words != few) free(words);
  return id;
}

ten_str ten_recorder_text(const ten_recorder *r, uint32_t string) {
  size_t count;
  const uint64_t *row = record_table_row(&r->strings, string, &count);
  return (ten_str){(const char *)(row + 1), (size_t)row[0]};
}

void ten_recorder_dtype(ten_recorder *r, uint32_t dtype, ten_str name) {
  while (r->dtype_names.count <= dtype) ten_vec_push(&r->dtype_names, TEN_RECORD_NO);
  r->dtype_names.data[dtype] = ten_recorder_string(r, name);
}

uint32_t ten_recorder_line(ten_recorder *r, ten_str file, ten_str function, uint32_t number) {
  const uint64_t row[3] = {ten_recorder_string(r, file), ten_recorder_string(r, function), number};
  return record_table_add(&r->lines, row, 3);
}

uint32_t ten_recorder_op(ten_recorder *r, ten_str name, size_t count, const ten_str *arguments, uint32_t flags) {
  record_op op = {.name = ten_recorder_string(r, name), .count = count, .flags = flags};
  op.arguments = ten_alloc((count + 1) * sizeof *op.arguments);
  for (size_t i = 0; i < count; i++) op.arguments[i] = ten_recorder_string(r, arguments[i]);
  ten_vec_push(&r->ops, op);
  return (uint32_t)r->ops.count - 1;
}

/* Dimensions by descending stride, those of size 1 where the sort leaves them; NULL if row-major, or if memory has
 * gaps. */
static const int64_t *order_of(ten_arena *arena, uint32_t rank, const int64_t *shape, const int64_t *strides) {
  int64_t order[TEN_RECORD_RANK_MAX];
  for (uint32_t d = 0; d < rank; d++) {
    if (shape[d] == 0) return NULL;
    const int64_t width = shape[d] != 1 ? strides[d] : 0;
    uint32_t at = d; /* a stable insertion sort */
    for (; at && width > (shape[order[at - 1]] != 1 ? strides[order[at - 1]] : 0); at--) order[at] = order[at - 1];
    order[at] = d;
  }
  bool own = true;
  int64_t step = 1, before = -1;
  for (uint32_t i = 0; i < rank; i++) {
    if (shape[order[i]] == 1) continue;
    own &= order[i] > before;
    before = order[i];
  }
  if (own) return NULL;
  for (uint32_t i = rank; i--;) {
    if (shape[order[i]] == 1) continue;
    if (strides[order[i]] != step) return NULL;
    step *= shape[order[i]];
  }
  return ten_arena_copy(arena, order, rank * sizeof *order);
}

uint32_t ten_recorder_spec(ten_recorder *r, uint32_t dtype, uint32_t rank, const int64_t *shape, const int64_t *strides,
                           int64_t offset) {
  int64_t row[2 * TEN_RECORD_RANK_MAX + 2], *own = row + 2 + rank;
  row[0] = (int64_t)dtype, row[1] = offset;
  if (rank) memcpy(row + 2, shape, rank * sizeof *shape);
  if (rank && strides) memcpy(own, strides, rank * sizeof *strides);
  uint64_t step = 1;
  for (uint32_t d = rank; !strides && d--; step *= shape[d] > 1 ? (uint64_t)shape[d] : 1) own[d] = (int64_t)step;
  const size_t words = 2 * (size_t)rank + 2;
  const uint32_t known = record_table_find(&r->specs, (const uint64_t *)row, words);
  if (known != TEN_RECORD_NO) return known;
  const int64_t *stored = ten_arena_copy(&r->arena, row, words * sizeof *row);
  int64_t elements = 1; /* at most INT64_MAX: no memory holds so many */
  for (uint32_t d = 0; d < rank; d++)
    if (shape[d] == 0) elements = 0;
  for (uint32_t d = 0; d < rank && elements; d++)
    if (__builtin_mul_overflow(elements, shape[d], &elements)) elements = INT64_MAX;
  const ten_record_spec made = {.dtype = dtype,
                                .rank = rank,
                                .offset = offset,
                                .elements = elements,
                                .shape = stored + 2,
                                .strides = stored + 2 + rank,
                                .order = offset ? NULL : order_of(&r->arena, rank, shape, own)};
  ten_vec_reserve(&r->spec_data, r->spec_data.count + 1);
  const uint32_t id = record_table_add(&r->specs, (const uint64_t *)row, words);
  ten_vec_push(&r->spec_data, made);
  return id;
}

const ten_record_spec *ten_recorder_spec_of(const ten_recorder *r, uint32_t spec) { return &r->spec_data.data[spec]; }

uint32_t ten_recorder_results(ten_recorder *r, size_t count, const uint32_t *specs) {
  uint64_t few[16] = {0};
  uint64_t *row = count <= 16 ? few : ten_alloc(count * sizeof *row);
  for (size_t i = 0; i < count; i++) row[i] = specs[i];
  const uint32_t id = record_table_add(&r->results, row, count);
  if (row != few) free(row);
  return id;
}

const uint64_t *ten_recorder_results_of(const ten_recorder *r, uint32_t results, size_t *out_count) {
  return record_table_row(&r->results, results, out_count);
}
