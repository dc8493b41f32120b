/* fold.c: values that depend on numbers alone: constants, known without running the graph. */
#include "front/record/internal.h"

/* The node that defines a value: the last one whose first value is not after it. */
static size_t maker_of(const ten_recorder *r, uint32_t value) {
  size_t low = 0, high = r->nodes.firsts.count;
  while (high - low > 1) {
    const size_t middle = (low + high) / 2;
    if (r->nodes.firsts.data[middle] <= value)
      low = middle;
    else
      high = middle;
  }
  return low;
}

typedef struct fold_state {
  const ten_recorder *r;
  uint32_t *nodes;
  size_t count;
} fold_state;

static bool is_small(const ten_recorder *r, size_t node) {
  int64_t values[64];
  const size_t count = ten_recorder_node_values(r, node, values, 64);
  if (count > 64) return false;
  for (size_t i = 0; i < count; i++) {
    if (values[i] < 0) continue;
    if (ten_recorder_is_written(r, (uint32_t)values[i])) return false;
    if (r->spec_data.data[r->values.data[values[i]]].elements > TEN_RECORD_FOLD_SIZE) return false;
  }
  return true;
}

static bool fold_value(fold_state *f, uint32_t value);

static bool fold_arguments(fold_state *f, const uint64_t *words, size_t count) {
  for (size_t i = 0; i < count; i += 1 + ten_record_words(words[i])) {
    const ten_record_kind kind = ten_record_kind_of(words[i]);
    if (kind == TEN_RECORD_VALUE && !fold_value(f, (uint32_t)words[i + 1])) return false;
    if (kind == TEN_RECORD_LIST && !fold_arguments(f, words + i + 1, ten_record_words(words[i]))) return false;
  }
  return true;
}

/* Bounded: each call adds a node, at most FOLD_MAX + 1. */
static bool fold_value(fold_state *f, uint32_t value) {
  const size_t node = maker_of(f->r, value);
  for (size_t i = 0; i < f->count; i++)
    if (f->nodes[i] == node) return true;
  if (f->count > TEN_RECORD_FOLD_MAX) return false;
  size_t count;
  const uint64_t *row = record_row(&f->r->nodes, node, &count);
  if (row[0] == TEN_RECORD_INPUT || f->r->ops.data[row[0]].flags & TEN_RECORD_RANDOM || !is_small(f->r, node))
    return false;
  f->nodes[f->count++] = (uint32_t)node;
  return fold_arguments(f, row + 1, count - 1);
}

size_t ten_recorder_fold(const ten_recorder *r, uint32_t value, uint32_t nodes[TEN_RECORD_FOLD_MAX + 1]) {
  fold_state f = {.r = r, .nodes = nodes};
  if (value >= r->values.count || ten_recorder_is_written(r, value) || !fold_value(&f, value)) return 0;
  return f.count;
}
